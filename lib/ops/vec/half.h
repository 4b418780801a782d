/* SPDX-License-Identifier: MIT */
/*
 * Conversions between floating-point formats, by operations on integers, since
 * those of compilers for _Float16 are slow without hardware. All round to
 * nearest, ties to even; NaN stays NaN, and becomes quiet.
 */
#ifndef VNPU_OPS_VEC_HALF_H
#define VNPU_OPS_VEC_HALF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t ops_bits(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline float ops_float_of(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline uint64_t ops_bits64(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline double ops_double_of(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline float ops_from_f16(uint16_t half)
{
	uint32_t magnitude = half & 0x7fffU;
	uint32_t sign = (uint32_t)(half & 0x8000U) << 16;
	/* The scale also normalises subnormal numbers, exactly. */
	float x = ops_float_of(magnitude << 13) * 0x1p112f;
	uint32_t special = 0x7f800000U | magnitude << 13 |
			   (magnitude > 0x7c00 ? 0x400000U : 0);
	uint32_t bits = magnitude >= 0x7c00 ? special : ops_bits(x);

	return ops_float_of(sign | bits);
}

static inline uint16_t ops_to_f16(float x)
{
	uint32_t bits = ops_bits(x), magnitude = bits & 0x7fffffffU;
	uint32_t sign = bits >> 16 & 0x8000U;
	/* Adding 1/2 rounds to a multiple of 2^-24, the smallest number. */
	uint32_t tiny = ops_bits(ops_float_of(magnitude) + 0.5f) -
			ops_bits(0.5f);
	/* A carry out of the fraction increments the exponent. */
	uint32_t normal = (magnitude - (112U << 23) + 0xfff +
			   (magnitude >> 13 & 1)) >> 13;
	uint32_t nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
	uint32_t half;

	half = magnitude < 0x38800000U ? tiny : normal;
	half = magnitude >= 0x477ff000U ? 0x7c00 : half;
	half = magnitude > 0x7f800000U ? nan : half;
	return sign | half;
}

static inline float ops_from_bf16(uint16_t half)
{
	uint32_t bits = (uint32_t)half << 16;

	return ops_float_of(bits | ((bits & 0x7fffffffU) > 0x7f800000U ?
				    0x400000U : 0));
}

static inline uint16_t ops_to_bf16(float x)
{
	uint32_t bits = ops_bits(x);
	uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

	return (bits & 0x7fffffffU) > 0x7f800000U ? bits >> 16 | 0x40 : rounded;
}

/*
 * Round to odd: what is discarded stays visible in the last bit, so that
 * another rounding to a narrower format is correct.
 */
static inline float ops_odd(double x)
{
	float nearest = x;
	uint32_t bits = ops_bits(nearest);
	double back = nearest, size = x < 0 ? -x : x;

	if (back == x || x != x)
		return nearest;
	bits -= (back < 0 ? -back : back) > size;
	return ops_float_of(bits | 1);
}

/* As above, from an integer, as a double lacks its lowest bits. */
static inline float ops_odd_of_i64(int64_t x)
{
	if (x >= (int64_t)1 << 53 || x <= -((int64_t)1 << 53))
		x = (x & ~0x7ffLL) | ((x & 0x7ff) != 0) << 11;
	return ops_odd(x);
}

#endif
