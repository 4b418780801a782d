/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums of floating-point arrays by the machine's vector unit. What is compiled
 * with it is called with the unit at hand: see vector.c.
 */
#ifndef VNPU_VECTOR_FPU_H
#define VNPU_VECTOR_FPU_H

#include <linux/types.h>

/* How many elements at once: @count below is a multiple. */
#define VNPU_FPU_LANES	8

/**
 * vnpu_fpu_sum() - add an array of floating-point numbers to another
 * @dst: the elements, which get the sums; aligned to one
 * @src: the other elements; aligned to one; @dst, or not overlapping it
 * @count: how many there are
 * @type: VNPU_TYPE_FP32, FP16 or BF16
 *
 * The same bits as vnpu_reduce() gives. The caller may use the FPU, and its
 * modes are those of a new process.
 */
void vnpu_fpu_sum(void *dst, const void *src, size_t count, unsigned int type);

#endif
