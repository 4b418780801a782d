// SPDX-License-Identifier: MIT
/* Cubic interpolation along an axis, by the convolution with a = -3/4. */
#include "plane.h"

#define A	(-0.75)

/* Weight of an element at a distance up to 1. */
static double inner(double x)
{
	return ((A + 2) * x - (A + 3)) * x * x + 1;
}

/* Weight of an element at a distance from 1 to 2. */
static double outer(double x)
{
	return ((A * x - 5 * A) * x + 8 * A) * x - 4 * A;
}

void ops_cubic_weights(double place, double weight[4])
{
	weight[0] = outer(place + 1);
	weight[1] = inner(place);
	weight[2] = inner(1 - place);
	weight[3] = outer(2 - place);
}

/* The derivatives of both. */
static double inner_slope(double x)
{
	return (3 * (A + 2) * x - 2 * (A + 3)) * x;
}

static double outer_slope(double x)
{
	return (3 * A * x - 10 * A) * x + 8 * A;
}

void ops_cubic_slopes(double place, double slope[4])
{
	slope[0] = outer_slope(place + 1);
	slope[1] = inner_slope(place);
	slope[2] = -inner_slope(1 - place);
	slope[3] = -outer_slope(2 - place);
}

void ops_axis_cubic(const struct ops_axis *a, int64_t position, bool corners,
		    int64_t at[4], double weight[4])
{
	double place;
	int64_t first;
	int i;

	if (corners)
		place = a->out > 1 ? position * ((double)(a->in - 1) /
						 (a->out - 1)) : 0;
	else
		place = (position + 0.5) * ((double)a->in / a->out) - 0.5;
	first = floor(place);
	ops_cubic_weights(place - first, weight);
	for (i = 0; i < 4; i++) {
		at[i] = first - 1 + i;
		at[i] = at[i] < 0 ? 0 : at[i] < a->in ? at[i] : a->in - 1;
	}
}
