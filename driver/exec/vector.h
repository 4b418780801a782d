/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The computations of vector engines, with the FPU of the machine if it helps.
 */
#ifndef VNPU_VECTOR_H
#define VNPU_VECTOR_H

#include <linux/types.h>

/**
 * vnpu_vector_reduce() - reduce arrays from left to right
 * @dst: the array of the results, aligned to an element
 * @operands: the arrays, aligned to an element; each is either @dst, or does not
 *	overlap it
 * @nr: number of arrays, from 2 to VNPU_FPU_OPERANDS
 * @count: number of elements
 * @op: VNPU_REDUCE_*
 * @type: VNPU_TYPE_*; vnpu_reduce_check() has accepted it with @op
 *
 * The results are bit for bit those of vnpu_reduce() of each array after the
 * first. All arrays are in kernel memory that does not fault. To be called in
 * process context. Preemption is disabled for at most 4 KiB of each at a time.
 */
void vnpu_vector_reduce(void *dst, const void *const operands[],
			unsigned int nr, size_t count, unsigned int op,
			unsigned int type);

/**
 * vnpu_vector_weight() - compare a reduction with a copy
 * @op: VNPU_REDUCE_*
 * @type: VNPU_TYPE_*
 *
 * Return: how many times as long a byte takes, roughly; a power of 2.
 */
unsigned int vnpu_vector_weight(unsigned int op, unsigned int type);

/**
 * vnpu_vector_copy() - copy bytes between arrays that may overlap
 * @dst: the destination
 * @src: the source
 * @length: number of bytes
 *
 * As vnpu_vector_reduce().
 */
void vnpu_vector_copy(void *dst, const void *src, size_t length);

#endif
