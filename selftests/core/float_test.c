// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reductions against the compiler's floating point. A float has more than twice
 * the digits of the two short formats, so that their sums are right when they
 * are rounded to a float first.
 */
#include <math.h>

#include "../../driver/tests/tap.h"
#include "../../driver/core/reduce.h"
#include "float_test.h"

#define COUNT	512

static float as_float(u32 bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static u32 float_bits(float x)
{
	u32 bits;

	memcpy(&bits, &x, sizeof(bits));
	return isnan(x) ? 0x7fc00000 : bits;
}

static float from_fp16(u32 bits)
{
	float x = bits & 0x7c00 ? (1024 + (bits & 0x3ff)) *
		  exp2f((int)(bits >> 10 & 31) - 25) :
		  (bits & 0x3ff) * exp2f(-24);

	if ((bits & 0x7c00) == 0x7c00)
		x = bits & 0x3ff ? NAN : INFINITY;
	return bits & 0x8000 ? -x : x;
}

static u32 to_fp16(float x)
{
	float size = fabsf(x), unit;
	u32 sign = signbit(x) ? 0x8000 : 0;
	int exp;

	if (isnan(x))
		return 0x7e00;
	if (size >= 65520)
		return sign | 0x7c00;
	frexpf(size, &exp);
	if (size < exp2f(-14))
		return sign | (u32)rintf(size * exp2f(24));
	unit = exp2f(exp - 11);
	return sign + ((exp + 14) << 10) + (u32)rintf(size / unit) - 1024;
}

static float from_bf16(u32 bits)
{
	return as_float(bits << 16);
}

static u32 to_bf16(float x)
{
	u32 bits = float_bits(x);

	if (isnan(x))
		return 0x7fc0;
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static u32 to_fp32(float x)
{
	return float_bits(x);
}

struct format {
	u32 type;
	u32 infinity;
	u32 sign;
	float (*from)(u32 bits);
	u32 (*to)(float x);
};

static float minimum(float a, float b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	return a < b || (a == b && signbit(a)) ? a : b;
}

static u32 expected(const struct format *f, u32 op, u32 a, u32 b)
{
	float x = f->from(a), y = f->from(b);

	switch (op) {
	case VNPU_REDUCE_SUM:
		return f->to(x + y);
	case VNPU_REDUCE_MAX:
		return f->to(-minimum(-x, -y));
	case VNPU_REDUCE_MIN:
		return f->to(minimum(x, y));
	default:
		return f->to(x == y);
	}
}

/* @a with each of @b. */
static bool compare(const struct format *f, u32 a, const u32 *b)
{
	u32 wide[2][COUNT], got, want, op, i;
	u16 narrow[2][COUNT];

	for (op = 0; op <= VNPU_REDUCE_EQUAL; op++) {
		for (i = 0; i < COUNT; i++) {
			wide[0][i] = a;
			wide[1][i] = b[i];
			narrow[0][i] = a;
			narrow[1][i] = b[i];
		}
		if (f->type == VNPU_TYPE_FP32)
			vnpu_reduce(wide[0], wide[1], COUNT, op, f->type);
		else
			vnpu_reduce(narrow[0], narrow[1], COUNT, op, f->type);
		for (i = 0; i < COUNT; i++) {
			got = f->type == VNPU_TYPE_FP32 ? wide[0][i] :
							  narrow[0][i];
			want = expected(f, op, a, b[i]);
			if (got == want)
				continue;
			tap_note("op %u of %#x and %#x: %#x, not %#x", op, a,
				 b[i], got, want);
			return false;
		}
	}
	return true;
}

/* Anything; around @a, at its distance from halves of its unit; special. */
static u32 operand(const struct format *f, u32 a, u32 sort)
{
	u32 bits = tap_random(), mask = f->sign * 2 - 1;
	u32 fraction = f->infinity & ~(f->infinity - 1);

	switch (sort % 4) {
	case 0:
		return bits & mask;
	case 1:
		return (a ^ (bits & f->sign)) + bits % 9 - 4;
	case 2:
		return (a + (bits % 64 - 48) * fraction +
			(bits >> 8 & 1) * f->sign + (bits >> 10) % 5) & mask;
	default:
		return ((bits & 1) * f->sign) |
		       (bits & 2 ? (bits >> 8) % 5 :
				   f->infinity + (bits >> 8) % 5 - 2);
	}
}

static bool compare_random(const struct format *f, unsigned long rounds)
{
	u32 a, b[COUNT], i;

	while (rounds--) {
		a = operand(f, tap_random(), tap_below(8) ? 0 : 3) &
		    (f->sign * 2 - 1);
		for (i = 0; i < COUNT; i++)
			b[i] = operand(f, a, i) & (f->sign * 2 - 1);
		EXPECT(compare(f, a, b));
	}
	return true;
}

/* Each number of the format, with others that are drawn. */
static bool compare_each(const struct format *f)
{
	u32 a, b[COUNT], i, step = tap_steps < 1000000 ? 61 : 3;

	for (a = tap_below(step); a < f->sign * 2; a += step) {
		for (i = 0; i < COUNT; i++)
			b[i] = operand(f, a, i) & (f->sign * 2 - 1);
		EXPECT(compare(f, a, b));
	}
	return true;
}

bool test_reduce_fp16(void)
{
	static const struct format f = { VNPU_TYPE_FP16, 0x7c00, 0x8000,
					 from_fp16, to_fp16 };

	return compare_each(&f);
}

bool test_reduce_bf16(void)
{
	static const struct format f = { VNPU_TYPE_BF16, 0x7f80, 0x8000,
					 from_bf16, to_bf16 };

	return compare_each(&f);
}

bool test_reduce_fp32(void)
{
	static const struct format f = { VNPU_TYPE_FP32, 0x7f800000, 1U << 31,
					 as_float, to_fp32 };

	return compare_random(&f, tap_steps / 200 + 1);
}
