/* SPDX-License-Identifier: MIT */
/*
 * The innermost loops of products of matrices. Both factors are packed first:
 * into panels of OPS_MR rows of the left one, and of some columns of the right
 * one, so that the kernel reads memory in order. Each element of the product
 * is accumulated by fused multiply-add in ascending order of the inner
 * dimension, whatever the size of panels.
 */
#ifndef VNPU_OPS_VEC_GEMM_H
#define VNPU_OPS_VEC_GEMM_H

#include <stddef.h>
#include <stdint.h>

#define OPS_MR		6
/* Columns of a panel of float; of double there are half as many. */
#define OPS_NR		16

/**
 * struct ops_gemm - the loops of a type, float or double
 * @size: size of the type
 * @columns: columns of a panel
 * @pack_left: transpose @n inner elements of @rows rows, which are @n apart,
 *	into a panel; missing rows become 0
 * @pack_right: likewise, of columns
 * @kernel: add the product of @n inner elements of two panels to @rows rows of
 *	the result, which are @stride elements apart
 */
struct ops_gemm {
	size_t size;
	unsigned int columns;
	void (*pack_left)(void *panel, const void *src, int64_t n,
			  unsigned int rows);
	void (*pack_right)(void *panel, const void *src, int64_t n,
			   unsigned int columns);
	void (*kernel)(const void *left, const void *right, void *result,
		       int64_t stride, int64_t n, unsigned int rows);
};

#endif
