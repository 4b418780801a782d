/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reduction of two arrays into the first: dst[i] = dst[i] op src[i].
 *
 * The results are the same on every machine, bit by bit:
 *
 * integers	SUM wraps around, as two's complement does.
 * SUM		is the exact sum, rounded once, to nearest, ties to even;
 *		subnormal numbers are numbers as others are. What is too large
 *		becomes infinite. Numbers that cancel each other give +0.
 * MAX, MIN	as maximum() and minimum() of IEEE 754-2019: -0 is below +0, and
 *		a NaN in either gives a NaN.
 * EQUAL	is 1 or 0 of the type; -0 equals +0, and a NaN equals nothing.
 * NaN		Each result that is none is the quiet NaN without sign and
 *		payload, also that of infinity and its opposite.
 */
#ifndef VNPU_CORE_REDUCE_H
#define VNPU_CORE_REDUCE_H

#include "core_internal.h"

/**
 * vnpu_type_size() - bytes of an element
 * @type: VNPU_TYPE_*
 *
 * Return: that, or 0 if there is no such type.
 */
unsigned int vnpu_type_size(unsigned int type);

/**
 * vnpu_reduce_check() - whether there is such a reduction
 * @op: VNPU_REDUCE_*
 * @type: VNPU_TYPE_*
 *
 * Return: 0, or -EINVAL.
 */
int vnpu_reduce_check(unsigned int op, unsigned int type);

/**
 * vnpu_reduce() - reduce an array into another
 * @dst: the elements, which get the results; aligned to one
 * @src: the other elements; aligned to one; @dst, or not overlapping it
 * @count: how many there are
 * @op: VNPU_REDUCE_*
 * @type: VNPU_TYPE_*; vnpu_reduce_check() has found it good with @op
 */
void vnpu_reduce(void *dst, const void *src, size_t count, unsigned int op,
		 unsigned int type);

#endif
