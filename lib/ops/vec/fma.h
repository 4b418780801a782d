/* SPDX-License-Identifier: MIT */
/*
 * Fused multiply-add: x * y + z, rounded once. Processors without the
 * instruction compute it by operations on doubles, which takes a lot longer, but
 * gives the same bits.
 */
#ifndef VNPU_OPS_VEC_FMA_H
#define VNPU_OPS_VEC_FMA_H

#include <math.h>

#include "half.h"

#ifdef __FP_FAST_FMAF
static inline float ops_fmaf(float x, float y, float z)
{
	return __builtin_fmaf(x, y, z);
}
#else
static inline float ops_fmaf(float x, float y, float z)
{
	/* The product is exact; the sum is rounded to odd, then to float. */
	double product = (double)x * y, sum = product + z;
	double part = sum - product;
	double error = (product - (sum - part)) + (z - part);
	uint64_t bits = ops_bits64(sum);
	uint64_t step = ((error > 0) | (error < 0)) & ~bits;

	/* Without branches, which would depend on the data. */
	bits += (error > 0) == (sum > 0) ? step : -step;
	return ops_double_of(bits);
}
#endif

static inline double ops_fma(double x, double y, double z)
{
	return fma(x, y, z);
}

#endif
