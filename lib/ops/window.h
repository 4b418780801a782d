/* SPDX-License-Identifier: MIT */
/*
 * Windows that slide over the last dimensions of a tensor: the geometry that
 * convolutions, im2col and their parameters share.
 */
#ifndef VNPU_OPS_WINDOW_H
#define VNPU_OPS_WINDOW_H

#include "op.h"
#include "vec/vec.h"

#define OPS_SPACE	3

/**
 * struct ops_window - the geometry, always in three dimensions
 * @in: sizes of the input
 * @kernel: sizes of the window
 * @out: number of positions
 * @stride: distance of positions
 * @pad: elements that are assumed before the input
 * @dilation: distance of elements of the window
 * @transposed: positions belong to the input, and elements to the output
 */
struct ops_window {
	int64_t in[OPS_SPACE];
	int64_t kernel[OPS_SPACE];
	int64_t out[OPS_SPACE];
	int64_t stride[OPS_SPACE];
	int64_t pad[OPS_SPACE];
	int64_t dilation[OPS_SPACE];
	bool transposed;
};

/**
 * ops_window_read() - read the parameters of a window
 * @op: the operator
 * @l: the launch
 * @param: number of the first of the lists stride, padding and dilation; values
 *	that are missing are the last one, or 1, 0 and 1
 * @rank: number of dimensions in which windows move, up to OPS_SPACE
 * @g: stride, pad and dilation are set
 */
void ops_window_read(const struct ops_op *op, const struct vnpu_op_launch *l,
		     unsigned int param, unsigned int rank,
		     struct ops_window *g);

/**
 * ops_window_check() - check a window and count its positions
 * @c: the call
 * @g: the geometry; out is set
 * @more: for transposed windows, what is added to the sizes of the output
 *
 * Return: 0, or the value of ops_fail().
 */
int ops_window_check(struct ops_call *c, struct ops_window *g,
		     const int64_t *more);

/**
 * ops_window_source() - find the element under an element of a window
 * @g: the geometry
 * @d: the dimension
 * @position: the position
 * @k: the element of the window
 *
 * Return: the index of the input, or -1 if there is none.
 */
static inline int64_t ops_window_source(const struct ops_window *g,
					unsigned int d, int64_t position,
					int64_t k)
{
	int64_t at;

	if (!g->transposed) {
		at = position * g->stride[d] - g->pad[d] + k * g->dilation[d];
	} else {
		at = position + g->pad[d] - k * g->dilation[d];
		if (at % g->stride[d])
			return -1;
		at /= g->stride[d];
	}
	return at >= 0 && at < g->in[d] ? at : -1;
}

/**
 * ops_window_row() - load elements of the input for positions of a row
 * @g: the geometry
 * @load: how elements are loaded
 * @src: the first element of the row of the input
 * @step: distance of its elements, in elements
 * @size: bytes of an element
 * @dst: the elements; those outside of the input are 0
 * @wide: elements are double, not float
 * @first: the first position
 * @n: number of positions
 * @k: the element of the window
 */
void ops_window_row(const struct ops_window *g, ops_load_fn load,
		    const uint8_t *src, int64_t step, int64_t size, void *dst,
		    bool wide, int64_t first, int64_t n, int64_t k);

/**
 * ops_window_has_planes() - check whether rows follow each other without a gap
 * @g: the geometry
 * @row: distance of rows of the input
 * @step: distance of the elements of a row, in the same unit
 *
 * Return: true if the distance of an element and its position is the same in all
 * rows, for ops_window_plane().
 */
static inline bool ops_window_has_planes(const struct ops_window *g, int64_t row,
					 int64_t step)
{
	return !g->transposed && g->stride[1] == 1 && g->stride[2] == 1 &&
	       g->out[2] == g->in[2] && row == step * g->in[2];
}

/**
 * ops_window_plane() - load elements of the input for positions of several rows
 * @src: the first element of the plane
 * @first: the first position in the plane
 * @n: number of positions
 * @k: the element of the window, in three dimensions
 *
 * The other parameters are those of ops_window_row().
 */
void ops_window_plane(const struct ops_window *g, ops_load_fn load,
		      const uint8_t *src, int64_t step, int64_t size, void *dst,
		      bool wide, int64_t first, int64_t n, const int64_t *k);

#endif
