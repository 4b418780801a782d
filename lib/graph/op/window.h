/* SPDX-License-Identifier: MIT */
/* Windows of convolutions and pooling, from their attributes. */
#ifndef GRAPH_OP_WINDOW_H
#define GRAPH_OP_WINDOW_H

#include "op/op.h"

#define OP_SPACE 3

/**
 * struct op_window - the geometry of a window
 * @space: number of dimensions in which it moves
 * @in: sizes of the input
 * @kernel: sizes of the window
 * @stride: distance of positions
 * @dilation: distance of elements
 * @before: padding before the input
 * @after: padding behind it
 * @out: number of positions
 * @ceil: a last position may be cut off by the end
 */
struct op_window {
	unsigned int space;
	int64_t in[OP_SPACE];
	int64_t kernel[OP_SPACE];
	int64_t stride[OP_SPACE];
	int64_t dilation[OP_SPACE];
	int64_t before[OP_SPACE];
	int64_t after[OP_SPACE];
	int64_t out[OP_SPACE];
	bool ceil;
};

/**
 * op_window_read() - read a window
 * @b: the node
 * @x: its input: batch, channels, and up to OP_SPACE dimensions
 * @weight: dimensions of the kernel, or NULL if an attribute has them
 * @w: filled, but for @out
 *
 * Return: 0 or the error.
 */
int op_window_read(struct build *b, const struct build_view *x,
		   const int64_t *weight, struct op_window *w);

/* Resolve auto_pad, and count the positions; return 0 or the error. */
int op_window_place(struct build *b, struct op_window *w);

/* Check whether padding is the same before and behind. */
bool op_window_is_even(const struct op_window *w);

/* Add the padding to a view, in memory of its own. */
struct build_view op_window_pad(struct build *b, const struct op_window *w,
				const struct build_view *x, double value);

#endif
