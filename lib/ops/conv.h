/* SPDX-License-Identifier: MIT */
/* The plan of convolutions and of their gradients. See conv.c. */
#ifndef VNPU_OPS_CONV_H
#define VNPU_OPS_CONV_H

#include "gemm.h"
#include "window.h"

/**
 * enum ops_conv_way - how a convolution is computed
 * @OPS_CONV_PRODUCT: as a product that packs windows
 * @OPS_CONV_PLANES: planes are summed, see conv_depth.c
 * @OPS_CONV_LINES: as a product of lines, see conv_lines.c
 * @OPS_CONV_CHANNELS: likewise; the lines are channels of the input
 */
enum ops_conv_way {
	OPS_CONV_PRODUCT,
	OPS_CONV_PLANES,
	OPS_CONV_LINES,
	OPS_CONV_CHANNELS,
};

/**
 * struct ops_conv_lines - blocks of a product of lines
 * @rows: rows of positions in a block
 * @columns: positions in a block
 * @below: rows of a line behind those of its block
 * @kinds: lines of a column of the window, by the rest of their rows
 * @width: distance of lines, in elements
 */
struct ops_conv_lines {
	int64_t rows;
	int64_t columns;
	int64_t below;
	int64_t kinds;
	int64_t width;
};

/**
 * struct ops_conv - the plan
 * @g: the windows
 * @in_space: distances in bytes of the input, in three dimensions
 * @in_channel: likewise, of its channels
 * @in_batch: likewise, of its batches
 * @weight_space: distances in bytes of the weight, in three dimensions
 * @weight_in: likewise, of its input channels
 * @weight_out: likewise, of its output channels
 * @weight_group: likewise, of its groups
 * @out_space: distances in bytes of the output, in three dimensions
 * @out_channel: likewise, of its channels
 * @out_batch: likewise, of its batches
 * @batches: number of batches
 * @groups: number of groups
 * @lines: number of products for a batch and a group
 * @in_channels: input channels of a group
 * @out_channels: output channels of a group
 * @way: how they are computed
 * @lined: the blocks of OPS_CONV_LINES; of OPS_CONV_CHANNELS, the columns
 * @is_packed: the weight has the order of packed factors
 * @by_rows: what a product writes is not dense, so each makes one row of it
 * @product: the products
 */
struct ops_conv {
	struct ops_window g;
	int64_t in_space[OPS_SPACE], in_channel, in_batch;
	int64_t weight_space[OPS_SPACE], weight_in, weight_out, weight_group;
	int64_t out_space[OPS_SPACE], out_channel, out_batch;
	int64_t batches, groups, lines, in_channels, out_channels;
	enum ops_conv_way way;
	struct ops_conv_lines lined;
	bool is_packed;
	bool by_rows;
	struct ops_product product;
};
_Static_assert(sizeof(struct ops_conv) <=
	       sizeof(((struct vnpu_op_job *)0)->plan),
	       "the plan is too small");

/**
 * struct ops_conv_place - ops_factor.data of the factors
 * @conv: the plan
 * @first: number of the first column of the product, or of the first inner
 *	element
 */
struct ops_conv_place {
	const struct ops_conv *conv;
	int64_t first;
};

/* Load windows: inner is the channel and the element, outer the position. */
void ops_conv_windows(const struct ops_factor *f, const uint8_t *base,
		      void *dst, int64_t inner, int64_t outer, int64_t n);

/* Check whether windows are the elements of the input, one after the other. */
bool ops_conv_has_points(const struct ops_conv *v);

/* Find the matrices of a product, of all products of a convolution in order. */
void ops_conv_place(const struct vnpu_op_job *job, int64_t number,
		    struct ops_matrices *x);

/* The most elements of a window that ops_conv_run_planes() takes. */
#define OPS_CONV_ELEMENTS 64

/* Check whether a convolution is computed plane by plane, and its memory. */
bool ops_conv_has_planes(const struct ops_conv *v);
size_t ops_conv_planes_scratch(const struct ops_conv *v);

/* Compute it. */
void ops_conv_run_planes(const struct vnpu_op_job *job,
			 const struct vnpu_op_work *w);

/*
 * Check whether a convolution is a product of lines, and choose its blocks: the way
 * is OPS_CONV_LINES, OPS_CONV_CHANNELS, or OPS_CONV_PRODUCT if it is none.
 */
enum ops_conv_way ops_conv_choose_lines(struct ops_conv *v);

/* Blocks of a product that parts can share, and the scratch memory. */
int64_t ops_conv_line_blocks(const struct ops_conv *v);
size_t ops_conv_lines_scratch(const struct ops_conv *v);

/* Compute it. */
void ops_conv_run_lines(const struct vnpu_op_job *job,
			const struct vnpu_op_work *w);

/* Sizes or byte distances of the last dimensions, in three. */
static inline void ops_conv_spread(int64_t *to, const int64_t *from,
				   unsigned int rank, int64_t otherwise,
				   int64_t scale)
{
	unsigned int i;

	for (i = 0; i < OPS_SPACE; i++)
		to[i] = i + rank >= OPS_SPACE ?
			from[i + rank - OPS_SPACE] * scale : otherwise;
}

#endif
