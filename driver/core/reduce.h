/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reduction of an array into another one: dst[i] = dst[i] op src[i].
 *
 * The results are the same on every machine, bit by bit:
 *
 * integers	SUM and PROD wrap around in two's complement.
 * SUM		is the exact sum, rounded once, to nearest, ties to even.
 *		Subnormal numbers are not flushed to zero. A sum that is too
 *		large becomes infinite. Numbers that cancel each other give +0.
 * PROD		is the exact product, rounded once in the same way. Infinity
 *		times zero is NaN.
 * MAX, MIN	are maximum() and minimum() of IEEE 754-2019: -0 is below +0,
 *		and the result is NaN if either number is NaN.
 * EQUAL	is 1 or 0 of the type; -0 equals +0, and NaN equals nothing.
 * NaN		Every NaN result is the quiet NaN without sign and payload, also
 *		that of the sum of infinity and its opposite.
 */
#ifndef VNPU_CORE_REDUCE_H
#define VNPU_CORE_REDUCE_H

#include "core_internal.h"

/**
 * vnpu_type_size() - get the size of an element
 * @type: VNPU_TYPE_*
 *
 * Return: bytes per element, or 0 if the type is unknown.
 */
unsigned int vnpu_type_size(unsigned int type);

/**
 * vnpu_reduce_check() - check if a reduction is supported
 * @op: VNPU_REDUCE_*
 * @type: VNPU_TYPE_*
 *
 * Return: 0, or -EINVAL if it is not supported.
 */
int vnpu_reduce_check(unsigned int op, unsigned int type);

/**
 * vnpu_reduce() - reduce an array into another one
 * @dst: the elements that receive the results; aligned to an element
 * @src: the other elements; aligned to an element; either @dst itself or not
 *	overlapping @dst
 * @count: number of elements
 * @op: VNPU_REDUCE_*
 * @type: VNPU_TYPE_*; the caller has checked it with vnpu_reduce_check()
 */
void vnpu_reduce(void *dst, const void *src, size_t count, unsigned int op,
		 unsigned int type);

#endif
