/* SPDX-License-Identifier: MIT */
/*
 * Reductions of elements that follow each other. Sums have 32 lanes of double,
 * which are added in a tree at the end of each tile: an order that vector
 * instructions of any width can follow.
 */
#ifndef VNPU_OPS_VEC_REDUCE_H
#define VNPU_OPS_VEC_REDUCE_H

#include <stddef.h>
#include <stdint.h>

/**
 * enum ops_reduction - kinds of reductions
 * @OPS_R_SUM: the sum
 * @OPS_R_PROD: the product
 * @OPS_R_MAX: the largest element, or NaN, and its first index
 * @OPS_R_MIN: likewise
 * @OPS_R_COUNT: the number of elements that are not 0
 * @OPS_R_MOMENTS: the sums of differences from the first element, and of their
 *	squares
 * @OPS_R_SQUARES: the sum of squares
 * @OPS_R_ABS: the sum of absolute values
 * @OPS_R_MAX_ABS: the largest absolute value, or NaN
 * @OPS_R_MIN_ABS: likewise
 * @OPS_R_POWERS: the sum of powers of absolute values
 * @OPS_R_EXP: the largest element, and the sum of exponentials relative to it
 * @OPS_REDUCTIONS: number of kinds
 */
enum ops_reduction {
	OPS_R_SUM,
	OPS_R_PROD,
	OPS_R_MAX,
	OPS_R_MIN,
	OPS_R_COUNT,
	OPS_R_MOMENTS,
	OPS_R_SQUARES,
	OPS_R_ABS,
	OPS_R_MAX_ABS,
	OPS_R_MIN_ABS,
	OPS_R_POWERS,
	OPS_R_EXP,
	OPS_REDUCTIONS,
};

/**
 * struct ops_sum - the state of a reduction
 * @count: number of elements so far
 * @sum: sum, product or extreme of floating-point elements
 * @squares: sum of squared differences
 * @shift: the first element
 * @integer: as @sum, of integers
 * @index: where the extreme is
 */
struct ops_sum {
	int64_t count;
	double sum;
	double squares;
	double shift;
	int64_t integer;
	int64_t index;
};

/* Add @n elements of a class to the state; @param is the exponent of a power. */
typedef void (*ops_reduce_fn)(struct ops_sum *s, const void *x, size_t n,
			      double param);

/* Lanes of an output; the most outputs that are summed together. */
#define OPS_LANES	32
#define OPS_COLUMNS	64

/* The lanes of neighbouring outputs. */
struct ops_lanes {
	double lane[OPS_LANES][OPS_COLUMNS];
};

/**
 * typedef ops_columns_fn - add elements of outputs that are neighbours
 * @lanes: their lanes
 * @x: the next element of each output
 * @stride: distance of the elements of an output, in elements
 * @n: number of elements of each
 * @first: the lane of the first one
 * @width: number of outputs
 */
typedef void (*ops_columns_fn)(struct ops_lanes *lanes, const void *x,
			       int64_t stride, size_t n, size_t first,
			       size_t width);

#endif
