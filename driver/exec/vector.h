/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The computations of vector engines, with the FPU of the machine if it helps.
 */
#ifndef VNPU_VECTOR_H
#define VNPU_VECTOR_H

#include <linux/types.h>

/**
 * vnpu_vector_reduce() - reduce one array into another
 * @dst: the array that is updated; aligned to an element
 * @src: the other array, aligned to an element; either @dst, or not overlapping
 *	it
 * @count: number of elements
 * @op: VNPU_REDUCE_*
 * @type: VNPU_TYPE_*; vnpu_reduce_check() has accepted it with @op
 *
 * The results are bit for bit those of vnpu_reduce(). Both arrays are in kernel
 * memory that does not fault. To be called in process context. Preemption is
 * disabled for at most 4 KiB at a time.
 */
void vnpu_vector_reduce(void *dst, const void *src, size_t count,
			unsigned int op, unsigned int type);

#endif
