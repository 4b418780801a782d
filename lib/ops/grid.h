/* SPDX-License-Identifier: MIT */
/* Places in an image or a volume that a grid of coordinates names. See grid.c. */
#ifndef VNPU_OPS_GRID_H
#define VNPU_OPS_GRID_H

#include "op.h"

#define OPS_GRID_SPACE	3
#define OPS_GRID_TAPS	4

/**
 * struct ops_taps - the elements along a dimension that a coordinate selects
 * @count: their number
 * @at: their indices; negative ones are outside, and count as 0
 * @weight: their weights
 * @slope: how the weights grow with the coordinate
 */
struct ops_taps {
	int count;
	int64_t at[OPS_GRID_TAPS];
	double weight[OPS_GRID_TAPS], slope[OPS_GRID_TAPS];
};

/**
 * struct ops_grid - the shapes, in three dimensions
 * @in: sizes of the input
 * @out: sizes of the output
 * @space: number of coordinates, 2 or 3
 * @mode: 0 is linear, 1 nearest, 2 cubic
 * @padding: 0 is zeros, 1 the edge, 2 reflects
 * @corners: coordinates of -1 and 1 are the centers of the first and last element
 */
struct ops_grid {
	int64_t in[OPS_GRID_SPACE], out[OPS_GRID_SPACE];
	unsigned int space;
	int64_t mode, padding;
	bool corners;
};

/* Check a launch: its inputs @self and @self + 1 are self and grid. */
int ops_grid_check(struct ops_call *c, unsigned int self);

void ops_grid_read(const struct ops_op *op, const struct vnpu_op_launch *l,
		   unsigned int self, struct ops_grid *g);

/* Find the elements along all dimensions for the coordinates of a position. */
void ops_grid_taps(const struct ops_grid *g, const double *coordinates,
		   struct ops_taps taps[OPS_GRID_SPACE]);

/* The number of elements of a volume. */
static inline int64_t ops_grid_volume(const int64_t *sizes)
{
	return sizes[0] * sizes[1] * sizes[2];
}

/* Load volume @number of a tensor as double, or store it. */
void ops_grid_load(const struct ops_grid *g, const struct vnpu_tensor *t,
		   int64_t number, double *to);
void ops_grid_store(const struct ops_grid *g, const struct vnpu_tensor *t,
		    int64_t number, const double *from);

/* Load the coordinates of all positions of a batch, or store their gradient. */
void ops_grid_load_places(const struct vnpu_tensor *t, int64_t batch, double *to);
void ops_grid_store_places(const struct vnpu_tensor *t, int64_t batch,
			   const double *from);

#endif
