// SPDX-License-Identifier: MIT
/* From a coordinate to the elements that it selects, as PyTorch defines it. */
#include <math.h>

#include "grid.h"
#include "plane.h"

enum { LINEAR, NEAREST, CUBIC };
enum { ZEROS, EDGE, REFLECT };

/* Reflect a place until it is between two bounds; @slope changes its sign. */
static double reflect(double at, double low, double high, double *slope)
{
	double span = high - low, distance = at - low, turns;

	if (span <= 0) {
		*slope = 0;
		return 0;
	}
	if (distance < 0) {
		distance = -distance;
		*slope = -*slope;
	}
	turns = floor(distance / span);
	distance = fmod(distance, span);
	if (fmod(turns, 2) == 0)
		return low + distance;
	*slope = -*slope;
	return high - distance;
}

/* Move a place inside, as the padding says. */
static double move_inside(const struct ops_grid *g, double at, int64_t size,
			  double *slope)
{
	if (g->padding == REFLECT)
		at = g->corners ? reflect(at, 0, size - 1, slope) :
				  reflect(at, -0.5, size - 0.5, slope);
	if (g->padding == ZEROS || (at > 0 && at < size - 1))
		return at;
	if (g->padding == EDGE || at < 0 || at > size - 1)
		*slope = 0;
	return at > 0 ? size - 1 : 0;
}

/* Return the index of a place that is whole, or -1 outside. */
static int64_t index_of(double at, int64_t size)
{
	return at >= 0 && at < size ? (int64_t)at : -1;
}

static void cubic_taps(const struct ops_grid *g, double at, int64_t size,
		       double slope, struct ops_taps *t)
{
	double first = floor(at), ignored;
	int i;

	ops_cubic_weights(at - first, t->weight);
	ops_cubic_slopes(at - first, t->slope);
	t->count = 4;
	for (i = 0; i < 4; i++) {
		t->at[i] = index_of(move_inside(g, first - 1 + i, size,
						&ignored), size);
		t->slope[i] *= slope;
	}
}

/* Find the elements along one dimension. */
static void axis_taps(const struct ops_grid *g, double coordinate, int64_t size,
		      struct ops_taps *t)
{
	double slope = (g->corners ? size - 1 : size) / 2.0, at, first;

	at = g->corners ? (coordinate + 1) / 2 * (size - 1) :
			  ((coordinate + 1) * size - 1) / 2;
	if (g->mode != CUBIC)
		at = move_inside(g, at, size, &slope);
	/* NaN is outside, as are numbers that no index can have. */
	if (!(fabs(at) < 0x1p31))
		at = at > 0 ? 0x1p31 : -0x1p31;
	if (g->mode == CUBIC) {
		cubic_taps(g, at, size, slope, t);
		return;
	}
	if (g->mode == NEAREST) {
		t->count = 1;
		t->at[0] = index_of(nearbyint(at), size);
		t->weight[0] = 1;
		t->slope[0] = 0;
		return;
	}
	first = floor(at);
	t->count = 2;
	t->at[0] = index_of(first, size);
	t->at[1] = index_of(first + 1, size);
	t->weight[1] = at - first;
	t->weight[0] = 1 - t->weight[1];
	t->slope[1] = slope;
	t->slope[0] = -slope;
}

void ops_grid_taps(const struct ops_grid *g, const double *coordinates,
		   struct ops_taps taps[OPS_GRID_SPACE])
{
	unsigned int i;

	/* The last dimension has the first coordinate. */
	for (i = 0; i < g->space; i++)
		axis_taps(g, coordinates[i], g->in[OPS_GRID_SPACE - 1 - i],
			  &taps[OPS_GRID_SPACE - 1 - i]);
	for (; i < OPS_GRID_SPACE; i++)
		taps[OPS_GRID_SPACE - 1 - i] = (struct ops_taps){
			.count = 1, .weight = { 1 },
		};
}
