/* SPDX-License-Identifier: MIT */
/* Lines along one dimension of several views of nearly the same shape. */
#ifndef VNPU_OPS_LINE_ITER_H
#define VNPU_OPS_LINE_ITER_H

#include "op.h"

/**
 * ops_line_count() - count the lines of a view
 * @t: the view
 * @dim: the dimension along which they are
 *
 * Return: the number; 0 if the view is empty apart from that dimension.
 */
static inline int64_t ops_line_count(const struct vnpu_tensor *t,
				     unsigned int dim)
{
	int64_t count = 1;
	unsigned int i;

	for (i = 0; i < t->rank; i++)
		if (i != dim)
			count *= t->dims[i];
	return count;
}

/**
 * ops_line_start() - find the first element of a line
 * @t: the view
 * @dim: the dimension
 * @number: number of the line
 *
 * Return: its address.
 */
static inline uint8_t *ops_line_start(const struct vnpu_tensor *t,
				      unsigned int dim, int64_t number)
{
	int64_t at = 0;
	unsigned int i;

	for (i = t->rank; i--;) {
		if (i == dim)
			continue;
		at += number % t->dims[i] * t->strides[i];
		number /= t->dims[i];
	}
	return ops_data(t) + at * ops_size(t->dtype);
}

/* The distance of elements of a line; 0 for a single number. */
static inline int64_t ops_line_step(const struct vnpu_tensor *t,
				    unsigned int dim)
{
	return t->rank ? t->strides[dim] : 0;
}

static inline int64_t ops_line_size(const struct vnpu_tensor *t,
				    unsigned int dim)
{
	return t->rank ? t->dims[dim] : 1;
}

#endif
