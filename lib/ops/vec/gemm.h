/* SPDX-License-Identifier: MIT */
/*
 * The innermost loops of products of matrices. Both factors are packed first:
 * into panels of OPS_MR rows of the left one, and of some columns of the right
 * one, so that the kernel reads memory in order. Each element of the product
 * is accumulated by fused multiply-add in ascending order of the inner
 * dimension, whatever the size of panels.
 *
 * Products with few rows are not packed: they read the right factor once, along
 * its rows or, into lanes, along its columns.
 */
#ifndef VNPU_OPS_VEC_GEMM_H
#define VNPU_OPS_VEC_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../ops.h"

#define OPS_MR		VNPU_OP_PANEL
/* Columns of a panel of float; of double there are half as many. */
#define OPS_NR		16
/* Columns of a panel of type @T. */
#define OPS_NR_OF(T)	((int64_t)(OPS_NR * sizeof(float) / sizeof(T)))
/* Sums of a dot product, of every 32nd element each. */
#define OPS_DOT		32
/* The most rows of a call of ops_gemm.lines. */
#define OPS_LINE_ROWS	(20 * OPS_MR)
/* Rows of the right factor that are added at once. */
#define OPS_ADD		4

/**
 * struct ops_left - rows of a left factor
 * @data: the first element
 * @row: distance of the rows of a panel, in elements
 * @inner: distance along the inner dimension, likewise
 * @panel: distance of panels, likewise
 * @next: the panels that ops_gemm.lines is to read next, with the same distances
 *	and as many elements, or NULL: it fetches them into the cache
 */
struct ops_left {
	const void *data;
	int64_t row;
	int64_t inner;
	int64_t panel;
	const void *next;
};

/**
 * struct ops_right - columns of a right factor
 * @data: the first panel
 * @panel: distance of panels, in elements
 * @panels: number of panels
 * @at: for ops_gemm.lines instead of the panels: where the line of each inner
 *	element is, in elements
 */
struct ops_right {
	const void *data;
	int64_t panel;
	unsigned int panels;
	const int64_t *at;
};

/**
 * struct ops_sums - sums of products, in their place in the result
 * @data: the first one
 * @stride: distance of rows, in elements
 * @is_first: they begin with 0, not with the elements there
 * @is_last: they become elements of the result: a bias and limits are applied
 * @bias: what is added to each row; -0 changes nothing
 * @least: the least element, or -INFINITY
 * @most: the largest one, or INFINITY
 */
struct ops_sums {
	float *data;
	int64_t stride;
	bool is_first;
	bool is_last;
	const float *bias;
	float least;
	float most;
};

/* Make an element of a sum.  A NaN stays. */
static inline float ops_sum_end(const struct ops_sums *s, float bias, float x)
{
	x += bias;
	x = x < s->least ? s->least : x;
	return x > s->most ? s->most : x;
}

/* Describe panels that are packed, one after the other, of @n inner elements. */
static inline struct ops_left ops_left_packed(const void *data, int64_t n)
{
	return (struct ops_left){ data, 1, OPS_MR, n * OPS_MR, NULL };
}

/**
 * struct ops_finish - how sums of products become elements of the result
 * @alpha: factor of the sums
 * @beta: factor of the bias
 * @least: the least element, or -INFINITY
 * @most: the largest one, or INFINITY
 */
struct ops_finish {
	double alpha;
	double beta;
	double least;
	double most;
};

/**
 * struct ops_packing - how factors of a type become panels
 * @left: transpose @n inner elements of @rows rows, which are @stride apart, into
 *	a panel; missing rows become 0
 * @right: likewise, of columns
 * @spread_left: copy an inner element of @n rows, one after the other, to panels
 *	that are @distance elements apart; missing rows become 0
 * @spread_right: likewise, of columns
 */
struct ops_packing {
	void (*left)(void *panel, const void *src, int64_t stride, int64_t n,
		     unsigned int rows);
	void (*right)(void *panel, const void *src, int64_t stride, int64_t n,
		      unsigned int columns);
	void (*spread_left)(void *panel, int64_t distance, const void *src,
			    int64_t n);
	void (*spread_right)(void *panel, int64_t distance, const void *src,
			     int64_t n);
};

/**
 * struct ops_gemm - the loops of a type, float or double
 * @size: size of the type
 * @columns: columns of a panel
 * @pack: how its factors are packed
 * @kernel: add the product of @n inner elements of @rows rows of the left
 *	factor, from the start of a panel on, and of panels of the right one to
 *	the result, of which rows are @stride elements apart
 * @lines: likewise, of up to OPS_LINE_ROWS rows and lines of @columns columns each;
 *	as many are read as whole panels have. NULL for double
 * @dot: add the products of @n elements to OPS_DOT lanes; all but the last call
 *	have a multiple of OPS_DOT
 * @add: add @rows rows of @n elements, which are @stride elements apart, times
 *	a factor each, to the result, one after the other
 * @finish: make @n elements of sums; @bias has as many elements, or one for all
 *	if @is_one, or is NULL; @dst may be @src
 */
struct ops_gemm {
	size_t size;
	unsigned int columns;
	const struct ops_packing *pack;
	void (*kernel)(const struct ops_left *left,
		       const struct ops_right *right, void *result,
		       int64_t stride, int64_t n, unsigned int rows);
	void (*lines)(const struct ops_left *left,
		      const struct ops_right *right,
		      const struct ops_sums *sums, int64_t n,
		      unsigned int rows, int64_t columns);
	void (*dot)(const void *left, const void *right, void *lanes,
		    int64_t n);
	void (*add)(const void *factors, const void *right, void *result,
		    int64_t stride, int64_t n, unsigned int rows);
	void (*finish)(const struct ops_finish *f, const void *bias,
		       bool is_one, const void *src, void *dst, int64_t n);
};

#endif
