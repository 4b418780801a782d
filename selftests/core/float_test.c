// SPDX-License-Identifier: GPL-2.0-only
/* Compare reductions with the compiler's floating point. */
#include "../../driver/tests/tap.h"
#include "../../driver/core/reduce.h"
#include "float_model.h"
#include "float_test.h"

#define COUNT	512

/* Store a number in the type's size. */
static void store(void *array, u32 i, u32 size, u64 bits)
{
	memcpy((u8 *)array + i * size, &bits, size);
}

static u64 load(const void *array, u32 i, u32 size)
{
	u64 bits = 0;

	memcpy(&bits, (const u8 *)array + i * size, size);
	return bits;
}

/* @a with each of @b. */
static bool compare(const struct float_format *f, u64 a, const u64 *b)
{
	u32 size = vnpu_type_size(f->type), op, i;
	u64 dst[COUNT], src[COUNT];

	for (op = 0; op <= VNPU_REDUCE_PROD; op++) {
		for (i = 0; i < COUNT; i++) {
			store(dst, i, size, a);
			store(src, i, size, b[i]);
		}
		vnpu_reduce(dst, src, COUNT, op, f->type);
		for (i = 0; i < COUNT; i++) {
			u64 got = load(dst, i, size);
			u64 want = float_reduce(f, op, a, b[i]);

			if (got == want)
				continue;
			tap_note("op %u of %#llx and %#llx: %#llx, not %#llx",
				 op, (unsigned long long)a,
				 (unsigned long long)b[i],
				 (unsigned long long)got,
				 (unsigned long long)want);
			return false;
		}
	}
	return true;
}

/*
 * Any number; around @a, at its distance from halves of its unit; special ones.
 */
static u64 operand(const struct float_format *f, u64 a, u32 sort)
{
	u64 bits = tap_random(), mask = f->sign * 2 - 1;
	u64 fraction = f->infinity & ~(f->infinity - 1);

	switch (sort % 4) {
	case 0:
		return bits & mask;
	case 1:
		return (a ^ (bits & f->sign)) + bits % 9 - 4;
	case 2:
		return (a + (bits % (3 * f->fraction) - 2 * f->fraction) * fraction +
			(bits >> 8 & 1) * f->sign + (bits >> 10) % 5) & mask;
	default:
		return ((bits & 1) * f->sign) |
		       (bits & 2 ? (bits >> 8) % 5 :
				   f->infinity + (bits >> 8) % 5 - 2);
	}
}

static bool compare_random(const struct float_format *f, unsigned long rounds)
{
	u64 a, b[COUNT];
	u32 i;

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
	u64 a, b[COUNT];
	u32 i, step = tap_steps < 1000000 ? 61 : 3;

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

bool test_reduce_fp64(void)
{
	return compare_random(float_format(VNPU_TYPE_FP64), tap_steps / 200 + 1);
}

bool test_reduce_fp32(void)
{
	return compare_random(float_format(VNPU_TYPE_FP32), tap_steps / 200 + 1);
}
