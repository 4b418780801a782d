/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reductions of floating-point numbers by the compiler, to compare the driver's
 * with. A double has more than twice the digits of the shorter formats, so
 * their sums and products are correct when they are rounded to a double first.
 */
#ifndef SELFTESTS_VNPU_FLOAT_MODEL_H
#define SELFTESTS_VNPU_FLOAT_MODEL_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <linux/vnpu_task.h>

struct float_format {
	__u32 type;
	int fraction;	/* bits of the fraction */
	__u64 infinity;
	__u64 sign;
};

static const struct float_format float_formats[] = {
	{ VNPU_TYPE_FP64, 52, 0x7ff0000000000000, 1ULL << 63 },
	{ VNPU_TYPE_FP32, 23, 0x7f800000, 1U << 31 },
	{ VNPU_TYPE_FP16, 10, 0x7c00, 0x8000 },
	{ VNPU_TYPE_BF16, 7, 0x7f80, 0x8000 },
};

/* The format of a type, or NULL for integers. */
static inline const struct float_format *float_format(__u32 type)
{
	size_t i;

	for (i = 0; i < sizeof(float_formats) / sizeof(*float_formats); i++)
		if (float_formats[i].type == type)
			return &float_formats[i];
	return NULL;
}

/* Exponent of the last bit of a subnormal number. */
static inline int float_lowest(const struct float_format *f)
{
	int exponents = (int)(f->infinity >> f->fraction) + 1;

	return 2 - exponents / 2 - f->fraction;
}

static inline double float_from(const struct float_format *f, __u64 bits)
{
	__u64 size = bits & (f->sign - 1), unit = 1ULL << f->fraction;
	int exponent = (int)(size >> f->fraction);
	double x;

	if (size > f->infinity)
		return NAN;
	if (size == f->infinity)
		x = INFINITY;
	else if (!exponent)
		x = ldexp((double)size, float_lowest(f));
	else
		x = ldexp((double)(size % unit + unit),
			  float_lowest(f) + exponent - 1);
	return bits & f->sign ? -x : x;
}

/* Round to nearest, ties to even. */
static inline __u64 float_to(const struct float_format *f, double x)
{
	__u64 sign = signbit(x) ? f->sign : 0, bits;
	int lowest = float_lowest(f), unit;

	if (isnan(x))
		return f->infinity | f->infinity >> 1;
	if (isinf(x))
		return sign | f->infinity;
	frexp(x, &unit);
	unit -= f->fraction + 1;
	if (unit < lowest || x == 0)
		unit = lowest;
	bits = (__u64)rint(ldexp(fabs(x), -unit)) +
	       ((__u64)(unit - lowest) << f->fraction);
	return sign | (bits < f->infinity ? bits : f->infinity);
}

static inline __u32 float_bits(float x)
{
	return (__u32)float_to(float_format(VNPU_TYPE_FP32), x);
}

static inline double float_minimum(double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	return a < b || (a == b && signbit(a)) ? a : b;
}

/* The result of VNPU_REDUCE_* for two numbers. */
static inline __u64 float_reduce(const struct float_format *f, __u32 op,
				 __u64 a, __u64 b)
{
	double x = float_from(f, a), y = float_from(f, b);

	switch (op) {
	case VNPU_REDUCE_SUM:
		return float_to(f, x + y);
	case VNPU_REDUCE_MAX:
		return float_to(f, -float_minimum(-x, -y));
	case VNPU_REDUCE_MIN:
		return float_to(f, float_minimum(x, y));
	case VNPU_REDUCE_PROD:
		return float_to(f, x * y);
	default:
		return float_to(f, x == y);
	}
}

#endif
