// SPDX-License-Identifier: GPL-2.0-only
/* Reductions: adversarial values, and laws that must hold. */
#include "core_test.h"

#define SUM	VNPU_REDUCE_SUM
#define MAXIMUM	VNPU_REDUCE_MAX
#define MINIMUM	VNPU_REDUCE_MIN
#define EQUAL	VNPU_REDUCE_EQUAL
#define PROD	VNPU_REDUCE_PROD

bool test_reduce_checked(void)
{
	u32 op, type;

	for (op = 0; op < 16; op++)
		for (type = 0; type < 16; type++)
			EXPECT(vnpu_reduce_check(op, type) ==
			       (op <= PROD && type <= VNPU_TYPE_FP64 ?
				0 : -EINVAL));
	EXPECT(vnpu_reduce_check(U32_MAX, 0) == -EINVAL);
	EXPECT(vnpu_reduce_check(0, U32_MAX) == -EINVAL);
	return true;
}

/* Reduce one element, stored in the first bytes of a little-endian word. */
static u64 reduce_one(u32 op, u32 type, u64 a, u64 b)
{
	vnpu_reduce(&a, &b, 1, op, type);
	return a;
}

bool test_reduce_values(void)
{
	static const struct {
		u8 type, op;
		u64 a, b, result;
	} one[] = {
		{ VNPU_TYPE_U8, SUM, 0xff, 0x02, 0x01 },
		{ VNPU_TYPE_S8, SUM, 0x7f, 0x01, 0x80 },
		{ VNPU_TYPE_S8, MAXIMUM, 0x80, 0x7f, 0x7f },
		{ VNPU_TYPE_U8, MAXIMUM, 0x80, 0x7f, 0x80 },
		{ VNPU_TYPE_S16, MINIMUM, 0x8000, 0x7fff, 0x8000 },
		{ VNPU_TYPE_S16, EQUAL, 0x8000, 0x8000, 1 },
		{ VNPU_TYPE_S32, SUM, 0x80000000, 0x80000000, 0 },
		{ VNPU_TYPE_U32, MINIMUM, 0x80000000, 0x7fffffff, 0x7fffffff },
		{ VNPU_TYPE_S64, MAXIMUM, U64_MAX, 0, 0 },
		{ VNPU_TYPE_U64, MAXIMUM, U64_MAX, 0, U64_MAX },
		{ VNPU_TYPE_U64, SUM, U64_MAX, U64_MAX, U64_MAX - 1 },
		{ VNPU_TYPE_S64, EQUAL, 1ULL << 63, 0, 0 },
		/* 1 + 1; ties to even, both ways; just above a tie. */
		{ VNPU_TYPE_FP32, SUM, 0x3f800000, 0x3f800000, 0x40000000 },
		{ VNPU_TYPE_FP32, SUM, 0x3f800000, 0x33800000, 0x3f800000 },
		{ VNPU_TYPE_FP32, SUM, 0x3f800001, 0x33800000, 0x3f800002 },
		{ VNPU_TYPE_FP32, SUM, 0x3f800000, 0x33800001, 0x3f800001 },
		/* Half a unit below a power of two, and slightly more. */
		{ VNPU_TYPE_FP32, SUM, 0x3f800000, 0xb3000000, 0x3f800000 },
		{ VNPU_TYPE_FP32, SUM, 0x3f800000, 0xb3000001, 0x3f7fffff },
		/* Exponents that are far apart. */
		{ VNPU_TYPE_FP32, SUM, 0x3f800000, 0x80000001, 0x3f800000 },
		{ VNPU_TYPE_FP32, SUM, 0x7f7fffff, 0x00000001, 0x7f7fffff },
		/* The largest finite number, and infinity. */
		{ VNPU_TYPE_FP32, SUM, 0x7f7fffff, 0x73000000, 0x7f800000 },
		{ VNPU_TYPE_FP32, SUM, 0x7f7fffff, 0x72ffffff, 0x7f7fffff },
		{ VNPU_TYPE_FP16, SUM, 0x7bff, 0x4c00, 0x7c00 },
		{ VNPU_TYPE_FP16, SUM, 0x7bff, 0x4bff, 0x7bff },
		{ VNPU_TYPE_BF16, SUM, 0xff7f, 0xff7f, 0xff80 },
		{ VNPU_TYPE_FP16, SUM, 0x7c00, 0xfbff, 0x7c00 },
		{ VNPU_TYPE_FP16, SUM, 0xfc00, 0xfc00, 0xfc00 },
		{ VNPU_TYPE_FP16, SUM, 0xfc00, 0x7c00, 0x7e00 },
		/* Subnormal numbers, also with normal results. */
		{ VNPU_TYPE_FP32, SUM, 1, 1, 2 },
		{ VNPU_TYPE_FP32, SUM, 0x007fffff, 1, 0x00800000 },
		{ VNPU_TYPE_FP16, SUM, 0x0400, 0x8001, 0x03ff },
		{ VNPU_TYPE_BF16, SUM, 0x8001, 0x0080, 0x007f },
		/* Zeroes of both signs. */
		{ VNPU_TYPE_FP32, SUM, 0x80000000, 0, 0 },
		{ VNPU_TYPE_FP32, SUM, 0x80000000, 0x80000000, 0x80000000 },
		{ VNPU_TYPE_FP32, SUM, 0xbf800000, 0x3f800000, 0 },
		{ VNPU_TYPE_BF16, MAXIMUM, 0x8000, 0x0000, 0x0000 },
		{ VNPU_TYPE_BF16, MINIMUM, 0x0000, 0x8000, 0x8000 },
		{ VNPU_TYPE_BF16, EQUAL, 0x0000, 0x8000, 0x3f80 },
		/* Products: wrapping, exact, rounded, and at both ends. */
		{ VNPU_TYPE_S8, PROD, 0x80, 0xff, 0x80 },
		{ VNPU_TYPE_U16, PROD, 0xffff, 0xffff, 0x0001 },
		{ VNPU_TYPE_U16, MAXIMUM, 0x8000, 0x7fff, 0x8000 },
		{ VNPU_TYPE_S64, PROD, U64_MAX, 5, -5ULL },
		{ VNPU_TYPE_FP32, PROD, 0x40400000, 0xbf000000, 0xbfc00000 },
		{ VNPU_TYPE_FP32, PROD, 0x3f800001, 0x3f800001, 0x3f800002 },
		{ VNPU_TYPE_FP32, PROD, 0x3fc00000, 0x3f800001, 0x3fc00002 },
		{ VNPU_TYPE_FP32, PROD, 1, 0x3f000000, 0 },
		{ VNPU_TYPE_FP32, PROD, 3, 0x3f000000, 2 },
		{ VNPU_TYPE_FP32, PROD, 1, 0x80000001, 0x80000000 },
		{ VNPU_TYPE_FP32, PROD, 0x7f000000, 0x40000000, 0x7f800000 },
		{ VNPU_TYPE_FP16, PROD, 0x3555, 0x4200, 0x3c00 },
		{ VNPU_TYPE_BF16, PROD, 0x8000, 0x3f80, 0x8000 },
		{ VNPU_TYPE_FP32, PROD, 0x7f800000, 0x80000000, 0x7fc00000 },
		{ VNPU_TYPE_FP32, PROD, 0x7f800000, 0xbf800000, 0xff800000 },
		/* Double precision. */
		{ VNPU_TYPE_FP64, SUM, 0x3ff0000000000000, 0x3ca0000000000000,
		  0x3ff0000000000000 },
		{ VNPU_TYPE_FP64, SUM, 0x3ff0000000000001, 0x3ca0000000000000,
		  0x3ff0000000000002 },
		{ VNPU_TYPE_FP64, SUM, 0x7fefffffffffffff, 0x7c90000000000000,
		  0x7ff0000000000000 },
		{ VNPU_TYPE_FP64, SUM, 0x000fffffffffffff, 1,
		  0x0010000000000000 },
		{ VNPU_TYPE_FP64, PROD, 0x3ff0000000000001, 0x3ff0000000000001,
		  0x3ff0000000000002 },
		{ VNPU_TYPE_FP64, PROD, 0x3fefffffffffffff, 0x3fefffffffffffff,
		  0x3feffffffffffffe },
		{ VNPU_TYPE_FP64, PROD, 3, 0x3fe0000000000000, 2 },
		{ VNPU_TYPE_FP64, MINIMUM, 0, 1ULL << 63, 1ULL << 63 },
		{ VNPU_TYPE_FP64, EQUAL, 0, 1ULL << 63, 0x3ff0000000000000 },
		{ VNPU_TYPE_FP64, MAXIMUM, 0xfff8000000000001, 0,
		  0x7ff8000000000000 },
		/* NaN. */
		{ VNPU_TYPE_FP32, SUM, 0xff800001, 0x3f800000, 0x7fc00000 },
		{ VNPU_TYPE_FP32, MAXIMUM, 0x3f800000, 0xffffffff, 0x7fc00000 },
		{ VNPU_TYPE_FP32, MINIMUM, 0x7f800001, 0x7f800000, 0x7fc00000 },
		{ VNPU_TYPE_FP32, EQUAL, 0x7fc00000, 0x7fc00000, 0 },
		{ VNPU_TYPE_FP32, EQUAL, 0x7f800000, 0x7f800000, 0x3f800000 },
		{ VNPU_TYPE_FP16, EQUAL, 0x3c01, 0x3c01, 0x3c00 },
		{ VNPU_TYPE_FP16, EQUAL, 0x3c01, 0xbc01, 0 },
		{ VNPU_TYPE_FP16, MAXIMUM, 0xfc00, 0xfbff, 0xfbff },
		{ VNPU_TYPE_FP16, MINIMUM, 0x0001, 0x3c00, 0x0001 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(one); i++) {
		u64 got = reduce_one(one[i].op, one[i].type, one[i].a,
				     one[i].b);

		if (got == one[i].result)
			continue;
		tap_note("row %u: %llx", i, (unsigned long long)got);
		return false;
	}
	return true;
}

/* Each element is reduced on its own, and memory around the array is kept. */
bool test_reduce_integers(void)
{
	unsigned long step, steps = tap_steps / 100 + 1;

	for (step = 0; step < steps; step++) {
		u32 type = VNPU_TYPE_S8 + tap_below(8), op = tap_below(5);
		u32 size = vnpu_type_size(type), bits = 8 * size, i;
		u32 first = tap_below(4) * (8 / size);
		u32 count = tap_below(16 * 8 / size - first + 1);
		u64 a[16], b[16], was[16], mask = U64_MAX >> (64 - bits);
		bool is_signed = type != VNPU_TYPE_U8 &&
				 type != VNPU_TYPE_U16 &&
				 type != VNPU_TYPE_U32 && type != VNPU_TYPE_U64;

		for (i = 0; i < 16; i++) {
			a[i] = tap_random();
			b[i] = tap_below(2) ? a[i] : tap_random();
		}
		memcpy(was, a, sizeof(a));
		vnpu_reduce((u8 *)a + first * size, (u8 *)b + first * size,
			    count, op, type);
		for (i = 0; i < 16 * 8 / size; i++) {
			u32 at = i * size / 8, low = i * bits % 64;
			u64 x = was[at] >> low & mask, y = b[at] >> low & mask;
			u64 flip = is_signed ? 1ULL << (bits - 1) : 0;
			u64 want[] = {
				[SUM] = (x + y) & mask,
				[MAXIMUM] = (x ^ flip) > (y ^ flip) ? x : y,
				[MINIMUM] = (x ^ flip) < (y ^ flip) ? x : y,
				[EQUAL] = x == y,
				[PROD] = x * y & mask,
			};
			bool in = i >= first && i < first + count;

			EXPECT((a[at] >> low & mask) == (in ? want[op] : x));
		}
	}
	return true;
}

/*
 * Without floating-point numbers to compare with, check these laws. A sum does
 * not depend on the order of its operands, changes sign with them, and grows
 * with them. Opposite numbers cancel, and the difference of close numbers is
 * exact. One changes no product.
 */
bool test_reduce_floats(void)
{
	static const struct {
		u32 type;
		u64 sign, inf, one;
	} formats[] = {
		{ VNPU_TYPE_FP64, 1ULL << 63, 0x7ff0000000000000,
		  0x3ff0000000000000 },
		{ VNPU_TYPE_FP32, 1U << 31, 0x7f800000, 0x3f800000 },
		{ VNPU_TYPE_FP16, 1U << 15, 0x7c00, 0x3c00 },
		{ VNPU_TYPE_BF16, 1U << 15, 0x7f80, 0x3f80 },
	};
	unsigned long step;

	for (step = 0; step < tap_steps; step++) {
		u32 format = tap_below(ARRAY_SIZE(formats));
		u32 type = formats[format].type;
		u64 sign = formats[format].sign, inf = formats[format].inf;
		u64 one = formats[format].one;
		u64 a = tap_random() % inf, b = tap_random() % inf;
		u64 ab = reduce_one(SUM, type, a, b);
		u64 more = reduce_one(SUM, type, a + 1, b);

		EXPECT(ab == reduce_one(SUM, type, b, a));
		EXPECT((ab ^ sign) ==
		       reduce_one(SUM, type, a ^ sign, b ^ sign));
		EXPECT(ab >= a && ab >= b && ab <= inf && more >= ab);
		EXPECT(reduce_one(MAXIMUM, type, a, b) == max(a, b));
		EXPECT(reduce_one(MINIMUM, type, a, b) == min(a, b));
		EXPECT(reduce_one(MAXIMUM, type, a ^ sign, b) == b);
		EXPECT(reduce_one(MINIMUM, type, a ^ sign, b) == (a ^ sign));
		EXPECT(reduce_one(SUM, type, a, a ^ sign) == 0);
		EXPECT(reduce_one(SUM, type, 0, a) == a);
		EXPECT(reduce_one(PROD, type, a, one) == a);
		EXPECT(reduce_one(PROD, type, a, b) ==
		       reduce_one(PROD, type, b ^ sign, a ^ sign));
		/* Twice a number is the number added to itself. */
		EXPECT(reduce_one(PROD, type, a,
				  reduce_one(SUM, type, one, one)) ==
		       reduce_one(SUM, type, a, a));
		/* Sterbenz: the difference of two close numbers is exact. */
		more = a + b % 2;
		ab = reduce_one(SUM, type, more, a ^ sign);
		EXPECT(more == inf || reduce_one(SUM, type, ab, a) == more);
	}
	return true;
}
