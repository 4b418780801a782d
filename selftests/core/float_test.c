// SPDX-License-Identifier: GPL-2.0-only
/* Compare reductions with the compiler's floating point. */
#include "../../driver/tests/tap.h"
#include "../../driver/core/reduce.h"
#include "float_model.h"
#include "float_test.h"

#define COUNT	512

/* @a with each of @b. */
static bool compare(const struct float_format *f, u32 a, const u32 *b)
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
			want = float_reduce(f, op, a, b[i]);
			if (got == want)
				continue;
			tap_note("op %u of %#x and %#x: %#x, not %#x", op, a,
				 b[i], got, want);
			return false;
		}
	}
	return true;
}

/*
 * Any number; around @a, at its distance from halves of its unit; special ones.
 */
static u32 operand(const struct float_format *f, u32 a, u32 sort)
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

static bool compare_random(const struct float_format *f, unsigned long rounds)
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

/* Each number of the format, with random others. */
static bool compare_each(const struct float_format *f)
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
	return compare_each(float_format(VNPU_TYPE_FP16));
}

bool test_reduce_bf16(void)
{
	return compare_each(float_format(VNPU_TYPE_BF16));
}

bool test_reduce_fp32(void)
{
	return compare_random(float_format(VNPU_TYPE_FP32), tap_steps / 200 + 1);
}
