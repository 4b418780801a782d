/* SPDX-License-Identifier: MIT */
/* Loops over the rows of planes: pooling and depthwise convolutions. */
#ifndef VNPU_OPS_VEC_PLANE_H
#define VNPU_OPS_VEC_PLANE_H

#include <stdint.h>

/**
 * struct ops_plane - the loops
 * @most: set @n elements to the largest of @count elements of @src: those behind
 *	it, at distances @at; NaN is larger than all
 * @most3: likewise of three elements, each in a row of its own; those for
 *	neighbours are @step elements apart
 * @sum: add @n elements, which are @step elements apart
 * @mean: divide @n sums by @rows times their counts
 * @taps: set @n elements to @first, and add @count elements of @src to each, one
 *	after the other, times a factor; see @most
 * @rows: copy @count rows of @n elements, which are @step elements apart, to rows
 *	at a distance of @width; those of @src are @row apart
 */
struct ops_plane {
	void (*most)(float *dst, const float *src, const int64_t *at,
		     unsigned int count, int64_t n);
	void (*most3)(float *dst, const float *a, const float *b, const float *c,
		      int64_t step, int64_t n);
	void (*sum)(double *sum, const float *src, int64_t step, int64_t n);
	void (*mean)(float *dst, const double *sum, const double *count,
		     double rows, int64_t n);
	void (*taps)(float *dst, const float *src, const int64_t *at,
		     const float *factor, unsigned int count, float first,
		     int64_t n);
	void (*rows)(float *dst, int64_t width, const float *src, int64_t row,
		     int64_t step, int64_t n, int64_t count);
};

#endif
