// SPDX-License-Identifier: GPL-2.0-only
/* Random numbers: known values, bounds, invalid parameters and chunks. */
#include "core_test.h"

#define DROPOUT		VNPU_RANDOM_DROPOUT
#define UNIFORM		VNPU_RANDOM_UNIFORM
#define NORMAL		VNPU_RANDOM_NORMAL
#define TRUNCATED	VNPU_RANDOM_TRUNCATED

#define ONE		0x3f800000
#define MINUS_ONE	0xbf800000

/* Known answers, published by the authors of Philox in Random123. */
bool test_random_words(void)
{
	static const struct {
		u64 counter[2], key;
		u32 block[4];
	} known[] = {
		{ { 0, 0 }, 0,
		  { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
		{ { U64_MAX, U64_MAX }, U64_MAX,
		  { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
		{ { 0x85a308d3243f6a88ULL, 0x0370734413198a2eULL },
		  0x299f31d0a4093822ULL,
		  { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
	};
	u32 block[4], i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		vnpu_philox(known[i].counter, known[i].key, block);
		EXPECT(!memcmp(block, known[i].block, sizeof(block)));
	}
	return true;
}

bool test_random_refused(void)
{
	static const struct {
		u8 dist, type;
		u64 arg1, arg2;
	} bad[] = {
		{ 4, VNPU_TYPE_FP32, 0, ONE },
		{ UNIFORM, 10, 0, ONE },
		{ UNIFORM, VNPU_TYPE_U8, 0, 1 },
		{ UNIFORM, VNPU_TYPE_S8, 0, 1 },
		{ UNIFORM, VNPU_TYPE_S16, 0, 1 },
		{ NORMAL, VNPU_TYPE_S32, 0, 1 },
		{ TRUNCATED, VNPU_TYPE_U64, 0, 1 },
		{ DROPOUT, VNPU_TYPE_FP32, 0, 0 },
		/* Below 0, above 1, NaN, an unused parameter set. */
		{ DROPOUT, VNPU_TYPE_U8, 0x80000001, 0 },
		{ DROPOUT, VNPU_TYPE_U8, ONE + 1, 0 },
		{ DROPOUT, VNPU_TYPE_U8, 0x7fc00000, 0 },
		{ DROPOUT, VNPU_TYPE_U8, ONE, 1 },
		/* Swapped bounds, infinity, NaN, more than 32 bits. */
		{ UNIFORM, VNPU_TYPE_FP32, ONE, MINUS_ONE },
		{ UNIFORM, VNPU_TYPE_FP16, 0, 0x7f800000 },
		{ UNIFORM, VNPU_TYPE_BF16, 0xff800000, 0 },
		{ UNIFORM, VNPU_TYPE_FP32, 0, 0x7f800001 },
		{ UNIFORM, VNPU_TYPE_FP32, 0, ONE | 1ULL << 32 },
		{ NORMAL, VNPU_TYPE_FP32, 0, MINUS_ONE },
		{ TRUNCATED, VNPU_TYPE_FP16, 0x7f800000, ONE },
		/* Not representable in the type, or swapped in it. */
		{ UNIFORM, VNPU_TYPE_S32, 0, 1ULL << 31 },
		{ UNIFORM, VNPU_TYPE_S32, (u64)S32_MIN - 1, 0 },
		{ UNIFORM, VNPU_TYPE_U32, 0, 1ULL << 32 },
		{ UNIFORM, VNPU_TYPE_U32, U64_MAX, 0 },
		{ UNIFORM, VNPU_TYPE_S64, 0, U64_MAX },
		{ UNIFORM, VNPU_TYPE_U64, U64_MAX, 0 },
	};
	struct vnpu_random r;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(vnpu_random_init(&r, bad[i].dist, bad[i].type, 0,
					bad[i].arg1, bad[i].arg2) == -EINVAL);
	EXPECT(!vnpu_random_bits(U32_MAX, VNPU_TYPE_FP32));
	EXPECT(!vnpu_random_bits(UNIFORM, U32_MAX));
	return true;
}

/*
 * The first 16 bytes of random elements with a counter of 0, which must never
 * change. The words were also computed with Python, and so were the first four
 * normal numbers; Python's result for the last of these is one unit higher.
 */
bool test_random_values(void)
{
	static const struct {
		u8 dist, type;
		u64 arg1, arg2;
		u64 bytes[2];
	} known[] = {
		{ UNIFORM, VNPU_TYPE_FP32, 0, ONE,
		  { 0x3f2ddb133d684785ULL, 0x3ee0c5583eb36b74ULL } },
		{ UNIFORM, VNPU_TYPE_FP16, MINUS_ONE, ONE,
		  { 0xafcfb4ca35bbbb18ULL, 0x366e3b1a351c3b9aULL } },
		{ UNIFORM, VNPU_TYPE_BF16, 0, ONE,
		  { 0x3ee03eb33f2d3d68ULL, 0x3f333f713f283f79ULL } },
		{ UNIFORM, VNPU_TYPE_S32, -1000, 1000,
		  { 0xffffff8600000166ULL, 0x000001910000013fULL } },
		{ UNIFORM, VNPU_TYPE_U64, 0, U64_MAX,
		  { 0x7062ac6b59b5ba7aULL, 0xb3702f6bf1a18f3fULL } },
		{ NORMAL, VNPU_TYPE_FP32, 0, ONE,
		  { 0xbf6b30783fcaa04aULL, 0x3e1d2cae3ec4b0e0ULL } },
		{ NORMAL, VNPU_TYPE_FP16, ONE, ONE,
		  { 0x3c9d3d892d34412bULL, 0x312d3adf1c8a3b81ULL } },
		{ NORMAL, VNPU_TYPE_BF16, 0, ONE,
		  { 0x3e1d3ec5bf6b3fcbULL, 0xbf57be11bf7fbd7fULL } },
		{ TRUNCATED, VNPU_TYPE_FP32, 0, ONE,
		  { 0xbf5d3fca3fb693c4ULL, 0x3e15f8703ebb5205ULL } },
		{ DROPOUT, VNPU_TYPE_U8, 0x3e800000, 0,
		  { 0xefdff67ffbef3bfeULL, 0x7f7c76bdfedcbfabULL } },
	};
	struct vnpu_random r;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		u32 bits = vnpu_random_bits(known[i].dist, known[i].type);
		u64 bytes[2];

		EXPECT(!vnpu_random_init(&r, known[i].dist, known[i].type,
					 0x299f31d0a4093822ULL, known[i].arg1,
					 known[i].arg2));
		vnpu_random(&r, bytes, 0, 128 / bits);
		if (!memcmp(bytes, known[i].bytes, sizeof(bytes)))
			continue;
		tap_note("row %u: { 0x%016llxULL, 0x%016llxULL }", i,
			 (unsigned long long)bytes[0],
			 (unsigned long long)bytes[1]);
		return false;
	}
	return true;
}

/* Map a floating-point number to an integer with the same order. */
static s64 rank(u32 bits, u32 sign)
{
	return bits & sign ? -(s64)(bits ^ sign) : bits;
}

static bool in_bounds(u32 type, const void *array, u32 count, s64 low, s64 high)
{
	u32 i;

	for (i = 0; i < count; i++) {
		s64 x;

		if (type == VNPU_TYPE_FP16 || type == VNPU_TYPE_BF16)
			x = rank(((const u16 *)array)[i], 1U << 15);
		else if (type == VNPU_TYPE_FP32)
			x = rank(((const u32 *)array)[i], 1U << 31);
		else if (type == VNPU_TYPE_S32)
			x = ((const s32 *)array)[i];
		else
			x = ((const s64 *)array)[i];
		EXPECT(x >= low && x < high);
	}
	return true;
}

bool test_random_bounds(void)
{
	/* The bounds as 32-bit floats, and as numbers of the type. */
	static const struct {
		u8 dist, type;
		u64 arg1, arg2;
		s64 low, high;
	} in[] = {
		{ UNIFORM, VNPU_TYPE_FP32, 0, ONE, 0, ONE },
		{ UNIFORM, VNPU_TYPE_FP32, MINUS_ONE, ONE, -ONE, ONE },
		{ UNIFORM, VNPU_TYPE_FP32, ONE, ONE + 1, ONE, ONE + 1 },
		{ UNIFORM, VNPU_TYPE_FP32, ONE, ONE, ONE, ONE + 1 },
		{ UNIFORM, VNPU_TYPE_FP32, 0xff7fffff, 0x7f7fffff,
		  -0x7f7fffff, 0x7f7fffff },
		{ UNIFORM, VNPU_TYPE_FP32, 0, 2, 0, 2 },
		{ UNIFORM, VNPU_TYPE_FP16, 0, ONE, 0, 0x3c00 },
		{ UNIFORM, VNPU_TYPE_BF16, 0xc0000000, MINUS_ONE,
		  -0x4000, -0x3f80 },
		/*
		 * Mean 3, deviation 0.5: at most two deviations from the mean.
		 */
		{ TRUNCATED, VNPU_TYPE_FP32, 0x40400000, 0x3f000000,
		  0x40000000, 0x40800001 },
		{ TRUNCATED, VNPU_TYPE_BF16, 0x40400000, 0x3f000000,
		  0x4000, 0x4081 },
		{ NORMAL, VNPU_TYPE_FP32, ONE, 0, ONE, ONE + 1 },
		{ UNIFORM, VNPU_TYPE_S32, -3, 4, -3, 4 },
		{ UNIFORM, VNPU_TYPE_S32, -3, -3, -3, -2 },
		{ UNIFORM, VNPU_TYPE_S64, -3, 4, -3, 4 },
	};
	static u32 array[512];
	struct vnpu_random r;
	s32 *integer = (s32 *)array;
	u32 i, seen;

	for (i = 0; i < ARRAY_SIZE(in); i++) {
		u32 count = 8 * sizeof(array) /
			    vnpu_random_bits(in[i].dist, in[i].type);

		EXPECT(!vnpu_random_init(&r, in[i].dist, in[i].type,
					 tap_random(), in[i].arg1,
					 in[i].arg2));
		vnpu_random(&r, array, 0, count);
		EXPECT(in_bounds(in[i].type, array, count, in[i].low,
				 in[i].high));
	}

	/* All integers of a short range occur, also in the longest range. */
	EXPECT(!vnpu_random_init(&r, UNIFORM, VNPU_TYPE_S32, tap_random(), -3,
				 4));
	vnpu_random(&r, array, 0, ARRAY_SIZE(array));
	for (i = 0, seen = 0; i < ARRAY_SIZE(array); i++)
		seen |= 1U << (integer[i] + 3);
	EXPECT(seen == 0x7f);
	EXPECT(!vnpu_random_init(&r, UNIFORM, VNPU_TYPE_S32, tap_random(),
				 S32_MIN, S32_MAX));
	vnpu_random(&r, array, 0, ARRAY_SIZE(array));
	for (i = 0, seen = 0; i < ARRAY_SIZE(array); i++)
		seen |= 1U << (array[i] >> 29);
	EXPECT(seen == 0xff);
	return true;
}

/* An array made in pieces equals the array made at once. */
static bool same_in_pieces(const struct vnpu_random *r, u32 bits)
{
	static u8 whole[1024], pieces[1024];
	u32 count = tap_below(8 * sizeof(whole) / bits) + 1, done = 0;
	u32 size = (count * bits + 7) / 8, step = bits == 1 ? 8 : 1, n;
	u64 first = tap_random() & ~7ULL;

	/* Keep the number of the last word within 64 bits. */
	first >>= bits == 64 ? 3 : 2;
	memset(whole, 0xaa, sizeof(whole));
	memset(pieces, 0xaa, sizeof(pieces));
	vnpu_random(r, whole, first & ~7ULL, count);
	for (done = 0; done < count; done += n) {
		n = min(count - done, (tap_below(40) + 1) * step);
		vnpu_random(r, pieces + (u64)done * bits / 8,
			    (first & ~7ULL) + done, n);
	}
	EXPECT(!memcmp(whole, pieces, sizeof(whole)));
	for (n = size; n < sizeof(whole); n++)
		EXPECT(whole[n] == 0xaa);
	return true;
}

bool test_random_chunks(void)
{
	unsigned long step, steps = tap_steps / 400 + 100;

	for (step = 0; step < steps; step++) {
		u32 dist = tap_below(4), type = tap_below(10);
		u32 bits = vnpu_random_bits(dist, type);
		bool is_float = type <= VNPU_TYPE_BF16;
		u64 arg2 = dist == DROPOUT ? 0 : is_float ? ONE : 1000;
		struct vnpu_random r;

		if (!bits)
			continue;
		EXPECT(!vnpu_random_init(&r, dist, type, tap_random(),
					 dist == DROPOUT ? 0x3f000000 : 0,
					 arg2));
		/* Also test a carry out of the lower half of the counter. */
		r.counter[0] = tap_below(2) ? tap_random() :
					      U64_MAX - tap_below(100);
		r.counter[1] = tap_random();
		EXPECT(same_in_pieces(&r, bits));
	}
	return true;
}
