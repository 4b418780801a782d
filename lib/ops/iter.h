/* SPDX-License-Identifier: MIT */
/*
 * Iteration over several views at once: the dimensions are ordered and merged,
 * so that the innermost one is long and near in memory.
 */
#ifndef VNPU_OPS_ITER_H
#define VNPU_OPS_ITER_H

#include "op.h"

#define OPS_OPERANDS	7

/**
 * struct ops_iter - the common space of several operands
 * @rank: number of dimensions, at least 1
 * @count: number of operands
 * @total: number of elements
 * @dims: sizes, the innermost first
 * @stride: distances in bytes, by operand and dimension; 0 repeats
 * @base: first element by operand
 */
struct ops_iter {
	uint32_t rank;
	uint32_t count;
	int64_t total;
	int64_t dims[VNPU_TENSOR_DIMS];
	int64_t stride[OPS_OPERANDS][VNPU_TENSOR_DIMS];
	uint8_t *base[OPS_OPERANDS];
};

/**
 * struct ops_place - a place in the space
 * @index: index by dimension, the innermost first
 * @at: address of the element by operand
 */
struct ops_place {
	int64_t index[VNPU_TENSOR_DIMS];
	uint8_t *at[OPS_OPERANDS];
};

/**
 * ops_iter_init() - find the space of operands
 * @it: the iteration
 * @rank: number of dimensions of the space
 * @dims: their sizes, the outermost first
 * @t: the operands; their dimensions are aligned with the last ones of the
 *	space, and those of size 1 repeat. The strides of the first operand order
 *	the dimensions.
 * @count: number of operands
 */
void ops_iter_init(struct ops_iter *it, unsigned int rank, const int64_t *dims,
		   const struct vnpu_tensor *const *t, unsigned int count);

/**
 * ops_iter_seek() - go to an element
 * @it: the iteration
 * @place: the place
 * @number: number of the element, less than ops_iter.total
 */
void ops_iter_seek(const struct ops_iter *it, struct ops_place *place,
		   int64_t number);

/**
 * ops_iter_next_row() - go to the start of the next row
 * @it: the iteration
 * @place: the place; its innermost index becomes 0
 */
void ops_iter_next_row(const struct ops_iter *it, struct ops_place *place);

/* Exchange two dimensions. */
void ops_iter_swap(struct ops_iter *it, unsigned int a, unsigned int b);

#endif
