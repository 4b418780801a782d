/* SPDX-License-Identifier: MIT */
/*
 * Elements of a view in the order of its dimensions, for operators where the
 * number of an element matters. Rows, along the last dimension, are moved at
 * once.
 */
#ifndef VNPU_OPS_WALK_H
#define VNPU_OPS_WALK_H

#include <string.h>

#include "op.h"

/* Return the address of element @number. */
static inline uint8_t *ops_element(const struct vnpu_tensor *t, int64_t number)
{
	int64_t at = 0;
	unsigned int i;

	for (i = t->rank; i--;) {
		at += number % t->dims[i] * t->strides[i];
		number /= t->dims[i];
	}
	return ops_data(t) + at * ops_size(t->dtype);
}

/* Return the distance of elements of a row, in elements. */
static inline int64_t ops_row_step(const struct vnpu_tensor *t)
{
	return t->rank ? t->strides[t->rank - 1] : 1;
}

/* Count the elements from @at to below @end that are in one row, up to @most. */
static inline int64_t ops_row_rest(const struct vnpu_tensor *t, int64_t at,
				   int64_t end, int64_t most)
{
	int64_t row = t->rank ? t->dims[t->rank - 1] : 1, n = row - at % row;

	n = n < end - at ? n : end - at;
	return n < most ? n : most;
}

/* Return a view with these dimensions that repeats the elements of @t. */
static inline struct vnpu_tensor ops_expand(const struct vnpu_tensor *t,
					    unsigned int rank,
					    const int64_t *dims)
{
	struct vnpu_tensor v = *t;
	unsigned int i, lacks = rank - t->rank;

	v.rank = rank;
	for (i = 0; i < rank; i++) {
		v.dims[i] = dims[i];
		v.strides[i] = i < lacks || t->dims[i - lacks] == 1 ?
				       0 : t->strides[i - lacks];
	}
	return v;
}

#endif
