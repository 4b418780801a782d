/* SPDX-License-Identifier: MIT */
/*
 * The innermost loops of products of matrices. Both factors are packed first:
 * into panels of OPS_MR rows of the left one, and of some columns of the right
 * one, so that the kernel reads memory in order. Each element of the product
 * is accumulated by fused multiply-add in ascending order of the inner
 * dimension, whatever the size of panels.
 *
 * Products with few rows are not packed: they read the right factor once, along
 * its rows or, into lanes, along its columns.
 */
#ifndef VNPU_OPS_VEC_GEMM_H
#define VNPU_OPS_VEC_GEMM_H

#include <stddef.h>
#include <stdint.h>

#define OPS_MR		6
/* Columns of a panel of float; of double there are half as many. */
#define OPS_NR		16
/* Sums of a dot product, of every 32nd element each. */
#define OPS_DOT		32
/* Rows of the right factor that are added at once. */
#define OPS_ADD		4

/**
 * struct ops_gemm - the loops of a type, float or double
 * @size: size of the type
 * @columns: columns of a panel
 * @pack_left: transpose @n inner elements of @rows rows, which are @n apart,
 *	into a panel; missing rows become 0
 * @pack_right: likewise, of columns
 * @kernel: add the product of @n inner elements of two panels to @rows rows of
 *	the result, which are @stride elements apart
 * @dot: add the products of @n elements to OPS_DOT lanes; all but the last call
 *	have a multiple of OPS_DOT
 * @add: add @rows rows of @n elements, which are @stride elements apart, times
 *	a factor each, to the result, one after the other
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
	void (*dot)(const void *left, const void *right, void *lanes,
		    int64_t n);
	void (*add)(const void *factors, const void *right, void *result,
		    int64_t stride, int64_t n, unsigned int rows);
};

#endif
