/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reductions of floating-point numbers by the compiler, to compare the driver's
 * with. A float has more than twice the digits of the two short formats, so
 * their sums are correct when they are rounded to a float first.
 */
#ifndef SELFTESTS_VNPU_FLOAT_MODEL_H
#define SELFTESTS_VNPU_FLOAT_MODEL_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <linux/vnpu_task.h>

struct float_format {
	__u32 type;
	__u32 infinity;
	__u32 sign;
	float (*from)(__u32 bits);
	__u32 (*to)(float x);
};

static inline float from_fp32(__u32 bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline __u32 to_fp32(float x)
{
	__u32 bits;

	memcpy(&bits, &x, sizeof(bits));
	return isnan(x) ? 0x7fc00000 : bits;
}

static inline float from_fp16(__u32 bits)
{
	float x = bits & 0x7c00 ? (1024 + (bits & 0x3ff)) *
		  exp2f((int)(bits >> 10 & 31) - 25) :
		  (bits & 0x3ff) * exp2f(-24);

	if ((bits & 0x7c00) == 0x7c00)
		x = bits & 0x3ff ? NAN : INFINITY;
	return bits & 0x8000 ? -x : x;
}

static inline __u32 to_fp16(float x)
{
	float size = fabsf(x), unit;
	__u32 sign = signbit(x) ? 0x8000 : 0;
	int exp;

	if (isnan(x))
		return 0x7e00;
	if (size >= 65520)
		return sign | 0x7c00;
	frexpf(size, &exp);
	if (size < exp2f(-14))
		return sign | (__u32)rintf(size * exp2f(24));
	unit = exp2f(exp - 11);
	return sign + ((exp + 14) << 10) + (__u32)rintf(size / unit) - 1024;
}

static inline float from_bf16(__u32 bits)
{
	return from_fp32(bits << 16);
}

static inline __u32 to_bf16(float x)
{
	__u32 bits = to_fp32(x);

	if (isnan(x))
		return 0x7fc0;
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static const struct float_format float_formats[] = {
	{ VNPU_TYPE_FP32, 0x7f800000, 1U << 31, from_fp32, to_fp32 },
	{ VNPU_TYPE_FP16, 0x7c00, 0x8000, from_fp16, to_fp16 },
	{ VNPU_TYPE_BF16, 0x7f80, 0x8000, from_bf16, to_bf16 },
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

static inline float float_minimum(float a, float b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	return a < b || (a == b && signbit(a)) ? a : b;
}

/* The result of VNPU_REDUCE_* for two numbers. */
static inline __u32 float_reduce(const struct float_format *f, __u32 op,
				 __u32 a, __u32 b)
{
	float x = f->from(a), y = f->from(b);

	switch (op) {
	case VNPU_REDUCE_SUM:
		return f->to(x + y);
	case VNPU_REDUCE_MAX:
		return f->to(-float_minimum(-x, -y));
	case VNPU_REDUCE_MIN:
		return f->to(float_minimum(x, y));
	default:
		return f->to(x == y);
	}
}

#endif
