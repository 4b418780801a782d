/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binary floating-point numbers in integers: what a computation needs that must
 * give the same bits on every machine, or runs where there is no FPU.
 *
 * A finite number is taken apart, computed with exactly, and rounded once.
 */
#ifndef VNPU_CORE_FP_H
#define VNPU_CORE_FP_H

#include "core_internal.h"

/**
 * struct vnpu_fp_format - an interchange format: sign, exponent, fraction
 * @fraction: bits of the fraction
 * @exponent: bits of the exponent
 */
struct vnpu_fp_format {
	u8 fraction;
	u8 exponent;
};

#define VNPU_FP32	((struct vnpu_fp_format){ 23, 8 })
#define VNPU_FP16	((struct vnpu_fp_format){ 10, 5 })
#define VNPU_BF16	((struct vnpu_fp_format){ 7, 8 })

/**
 * struct vnpu_fp - a finite number: mant * 2^exp, negative or not, or a bit more
 * @mant: below 2^62
 * @exp: the exponent
 * @negative: the sign
 * @sticky: the magnitude is more than that, by less than 2^exp; then @mant is
 *	2^60 or more
 */
struct vnpu_fp {
	u64 mant;
	int exp;
	bool negative;
	bool sticky;
};

/* How a number that is between two of a format becomes one of it. */
enum vnpu_fp_rounding {
	VNPU_FP_NEAREST,	/* the even one of two that are as near */
	VNPU_FP_DOWN,		/* the lower */
};

static inline u32 vnpu_fp_sign(struct vnpu_fp_format f)
{
	return 1U << (f.fraction + f.exponent);
}

static inline u32 vnpu_fp_infinity(struct vnpu_fp_format f)
{
	return ((1U << f.exponent) - 1) << f.fraction;
}

/* The NaN that all results have that are none: quiet, positive, no payload. */
static inline u32 vnpu_fp_nan(struct vnpu_fp_format f)
{
	return vnpu_fp_infinity(f) | 1U << (f.fraction - 1);
}

static inline u32 vnpu_fp_one(struct vnpu_fp_format f)
{
	return ((1U << (f.exponent - 1)) - 1) << f.fraction;
}

static inline u32 vnpu_fp_magnitude(struct vnpu_fp_format f, u32 bits)
{
	return bits & (vnpu_fp_sign(f) - 1);
}

static inline bool vnpu_fp_is_nan(struct vnpu_fp_format f, u32 bits)
{
	return vnpu_fp_magnitude(f, bits) > vnpu_fp_infinity(f);
}

static inline bool vnpu_fp_is_finite(struct vnpu_fp_format f, u32 bits)
{
	return vnpu_fp_magnitude(f, bits) < vnpu_fp_infinity(f);
}

/* The exponent of the last bit of the subnormal numbers. */
static inline int vnpu_fp_lowest(struct vnpu_fp_format f)
{
	return 2 - (1 << (f.exponent - 1)) - f.fraction;
}

/* A finite number, taken apart. */
static inline struct vnpu_fp vnpu_fp_unpack(struct vnpu_fp_format f, u32 bits)
{
	u32 exponent = vnpu_fp_magnitude(f, bits) >> f.fraction;
	u32 implicit = exponent ? 1U << f.fraction : 0;

	return (struct vnpu_fp){
		.mant = (bits & ((1U << f.fraction) - 1)) | implicit,
		.exp = vnpu_fp_lowest(f) + (exponent ? (int)exponent - 1 : 0),
		.negative = bits & vnpu_fp_sign(f),
	};
}

/* A number in a format; what is too large for it is infinite. */
static inline u32 vnpu_fp_pack(struct vnpu_fp_format f, struct vnpu_fp x,
			       enum vnpu_fp_rounding rounding)
{
	u32 sign = x.negative ? vnpu_fp_sign(f) : 0;
	int shift, lowest = vnpu_fp_lowest(f);
	u64 rest = 0;

	if (!x.mant)
		return sign;

	/* To as many bits as the format has, or fewer if subnormal. */
	shift = (int)fls64(x.mant) - f.fraction - 1;
	if (shift < lowest - x.exp)
		shift = lowest - x.exp;
	x.exp += shift;
	if (shift > 63) {
		x.mant = 0;
		rest = 1;
	} else if (shift > 0) {
		rest = x.mant << (64 - shift) | x.sticky;
		x.mant >>= shift;
	} else {
		x.mant <<= -shift;
	}
	if (rounding == VNPU_FP_DOWN)
		x.mant += x.negative && rest;
	else
		x.mant += rest > 1ULL << 63 ||
			  (rest == 1ULL << 63 && x.mant & 1);

	/* A bit that is implicit, or was carried out, steps the exponent. */
	if (x.exp - lowest >= 1 << f.exponent)
		return sign | vnpu_fp_infinity(f);
	x.mant += (u64)(x.exp - lowest) << f.fraction;
	return sign | (u32)min_t(u64, x.mant, vnpu_fp_infinity(f));
}

/* Shift @x so that its highest bit is the bit 61. */
static inline void vnpu_fp_normalize(struct vnpu_fp *x)
{
	u32 shift = 62 - fls64(x->mant);

	x->mant <<= shift;
	x->exp -= shift;
}

/*
 * The sum of two finite numbers that are below 2^58 * 2^exp and not sticky. If
 * they cancel each other it is positive.
 */
static inline struct vnpu_fp vnpu_fp_add(struct vnpu_fp a, struct vnpu_fp b)
{
	struct vnpu_fp swap;
	int shift;

	if (!a.mant || !b.mant) {
		swap = a.mant ? a : b;
		if (!swap.mant)
			swap.negative = a.negative && b.negative;
		return swap;
	}
	vnpu_fp_normalize(&a);
	vnpu_fp_normalize(&b);
	if (a.exp < b.exp || (a.exp == b.exp && a.mant < b.mant)) {
		swap = a;
		a = b;
		b = swap;
	}

	shift = min(a.exp - b.exp, 63);
	a.sticky = b.mant & ((1ULL << shift) - 1);
	b.mant >>= shift;
	if (a.negative == b.negative) {
		a.mant += b.mant;
		if (a.mant >> 62) {
			a.sticky |= a.mant & 1;
			a.mant >>= 1;
			a.exp++;
		}
		return a;
	}
	/* The part of b that is below a's bits borrows one of them. */
	a.mant -= b.mant + a.sticky;
	if (!a.mant)
		a.negative = false;
	return a;
}

#endif
