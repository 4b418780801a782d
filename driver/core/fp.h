/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binary floating-point arithmetic in integers, for computations that must give
 * the same bits on every machine, or that run without an FPU.
 *
 * A finite number is unpacked, computed with exactly, and rounded once.
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

#define VNPU_FP64	((struct vnpu_fp_format){ 52, 11 })
#define VNPU_FP32	((struct vnpu_fp_format){ 23, 8 })
#define VNPU_FP16	((struct vnpu_fp_format){ 10, 5 })
#define VNPU_BF16	((struct vnpu_fp_format){ 7, 8 })

/**
 * struct vnpu_fp - a finite number: mant * 2^exp with a sign
 * @mant: mantissa, below 2^62
 * @exp: exponent
 * @negative: sign
 * @sticky: true if the exact magnitude is larger than mant * 2^exp, by less
 *	than 2^exp; @mant is then at least 2^60
 */
struct vnpu_fp {
	u64 mant;
	int exp;
	bool negative;
	bool sticky;
};

/* How to round a number that lies between two numbers of a format. */
enum vnpu_fp_rounding {
	VNPU_FP_NEAREST,	/* to nearest, ties to even */
	VNPU_FP_DOWN,		/* towards negative infinity */
};

static inline u64 vnpu_fp_sign(struct vnpu_fp_format f)
{
	return 1ULL << (f.fraction + f.exponent);
}

static inline u64 vnpu_fp_infinity(struct vnpu_fp_format f)
{
	return ((1ULL << f.exponent) - 1) << f.fraction;
}

/* The NaN of every NaN result: quiet, positive, without payload. */
static inline u64 vnpu_fp_nan(struct vnpu_fp_format f)
{
	return vnpu_fp_infinity(f) | 1ULL << (f.fraction - 1);
}

static inline u64 vnpu_fp_one(struct vnpu_fp_format f)
{
	return ((1ULL << (f.exponent - 1)) - 1) << f.fraction;
}

static inline u64 vnpu_fp_magnitude(struct vnpu_fp_format f, u64 bits)
{
	return bits & (vnpu_fp_sign(f) - 1);
}

static inline bool vnpu_fp_is_nan(struct vnpu_fp_format f, u64 bits)
{
	return vnpu_fp_magnitude(f, bits) > vnpu_fp_infinity(f);
}

static inline bool vnpu_fp_is_finite(struct vnpu_fp_format f, u64 bits)
{
	return vnpu_fp_magnitude(f, bits) < vnpu_fp_infinity(f);
}

/* Return the exponent of the last bit of a subnormal number. */
static inline int vnpu_fp_lowest(struct vnpu_fp_format f)
{
	return 2 - (1 << (f.exponent - 1)) - f.fraction;
}

/* Unpack a finite number. */
static inline struct vnpu_fp vnpu_fp_unpack(struct vnpu_fp_format f, u64 bits)
{
	u64 exponent = vnpu_fp_magnitude(f, bits) >> f.fraction;
	u64 implicit = exponent ? 1ULL << f.fraction : 0;

	return (struct vnpu_fp){
		.mant = (bits & ((1ULL << f.fraction) - 1)) | implicit,
		.exp = vnpu_fp_lowest(f) + (exponent ? (int)exponent - 1 : 0),
		.negative = bits & vnpu_fp_sign(f),
	};
}

/* Round a number to a format; a number that is too large becomes infinite. */
static inline u64 vnpu_fp_pack(struct vnpu_fp_format f, struct vnpu_fp x,
			       enum vnpu_fp_rounding rounding)
{
	u64 sign = x.negative ? vnpu_fp_sign(f) : 0;
	int shift, lowest = vnpu_fp_lowest(f);
	u64 rest = 0;

	if (!x.mant)
		return sign;

	/* Shift to as many bits as the format has, or fewer if subnormal. */
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

	/* Adding the implicit bit, or a carry, increments the exponent. */
	if (x.exp - lowest >= 1 << f.exponent)
		return sign | vnpu_fp_infinity(f);
	x.mant += (u64)(x.exp - lowest) << f.fraction;
	return sign | min(x.mant, vnpu_fp_infinity(f));
}

/* Shift @x so that its highest bit is bit 61. */
static inline void vnpu_fp_normalize(struct vnpu_fp *x)
{
	u32 shift = 62 - fls64(x->mant);

	x->mant <<= shift;
	x->exp -= shift;
}

/*
 * Add two finite numbers that are below 2^58 * 2^exp and not sticky. A sum of
 * zero is positive, unless both numbers are negative zero.
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
	/* If b has bits below those of a, subtract one more: they borrow it. */
	a.mant -= b.mant + a.sticky;
	if (!a.mant)
		a.negative = false;
	return a;
}

/* Multiply 64-bit numbers: return the upper half, set *@low to the lower one. */
static inline u64 vnpu_mul_wide(u64 a, u64 b, u64 *low)
{
	u64 cross = (a >> 32) * (u32)b + ((u64)(u32)a * (u32)b >> 32);
	u64 middle = (u64)(u32)a * (b >> 32) + (u32)cross;

	*low = a * b;
	return (a >> 32) * (b >> 32) + (cross >> 32) + (middle >> 32);
}

/* Multiply two finite numbers that are not sticky. */
static inline struct vnpu_fp vnpu_fp_mul(struct vnpu_fp a, struct vnpu_fp b)
{
	u64 low;

	a.negative ^= b.negative;
	if (!a.mant || !b.mant) {
		a.mant = 0;
		return a;
	}
	vnpu_fp_normalize(&a);
	vnpu_fp_normalize(&b);
	/* Both factors are from 2^62 to below 2^63 here. */
	a.mant = vnpu_mul_wide(a.mant << 1, b.mant << 1, &low);
	a.exp += b.exp + 62;
	a.sticky = low;
	return a;
}

#endif
