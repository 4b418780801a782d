/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of floating-point arrays with the vector unit of the machine. Only code
 * between kernel_fpu_begin() and kernel_fpu_end() may call this: see vector.c.
 */
#ifndef VNPU_VECTOR_FPU_H
#define VNPU_VECTOR_FPU_H

#include <linux/types.h>

/* Elements per step: @count below is a multiple of it. */
#define VNPU_FPU_LANES	16

#define VNPU_FPU_OPERANDS	5

/**
 * vnpu_fpu_sum() - add arrays of floating-point numbers from left to right
 * @dst: the array of the sums, aligned to an element
 * @operands: the arrays, aligned to an element; each is either @dst, or does not
 *	overlap it
 * @nr: number of arrays, from 2 to VNPU_FPU_OPERANDS
 * @count: number of elements
 * @type: VNPU_TYPE_FP32, FP16 or BF16
 *
 * The results are bit for bit those of vnpu_reduce(). The caller may use the
 * FPU, and its modes are those of a new process.
 */
void vnpu_fpu_sum(void *dst, const void *const operands[], unsigned int nr,
		  size_t count, unsigned int type);

/* Bytes per step: @length below is a multiple of it. */
#define VNPU_FPU_BLOCK	256

/* Copy bytes between arrays that do not overlap. */
void vnpu_fpu_copy(void *dst, const void *src, size_t length);

/* The same on machines with AVX2. */
void vnpu_avx2_sum(void *dst, const void *const operands[], unsigned int nr,
		   size_t count, unsigned int type);
void vnpu_avx2_copy(void *dst, const void *src, size_t length);

#endif
