/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of floating-point arrays with the vector unit of the machine. Only code
 * between kernel_fpu_begin() and kernel_fpu_end() may call this: see vector.c.
 */
#ifndef VNPU_VECTOR_FPU_H
#define VNPU_VECTOR_FPU_H

#include <linux/types.h>

/* Elements per step: @count below is a multiple of it. */
#define VNPU_FPU_LANES	8

/**
 * vnpu_fpu_sum() - add one array of floating-point numbers to another
 * @dst: the array that is updated; aligned to an element
 * @src: the other array, aligned to an element; either @dst, or not overlapping
 *	it
 * @count: number of elements
 * @type: VNPU_TYPE_FP32, FP16 or BF16
 *
 * The results are bit for bit those of vnpu_reduce(). The caller may use the
 * FPU, whose modes are those of a new process.
 */
void vnpu_fpu_sum(void *dst, const void *src, size_t count, unsigned int type);

#endif
