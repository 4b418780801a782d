// SPDX-License-Identifier: GPL-2.0-only
/* Reductions with the FPU, which must equal those with integers. */
#include "core_test.h"

#ifdef __KERNEL__
#include "../exec/vector.h"

/* The driver chooses. */
static void choose_vectors(unsigned long step)
{
}
#else
#include "../exec/vector_fpu.h"

static bool is_avx2;

static void choose_vectors(unsigned long step)
{
	is_avx2 = step % 2 && __builtin_cpu_supports("avx2");
}

/* User space may always use the FPU; integers do the rest of the array. */
static void vnpu_vector_reduce(void *dst, const void *const operands[],
			       u32 nr, size_t count, u32 op, u32 type)
{
	size_t done = count / VNPU_FPU_LANES * VNPU_FPU_LANES;
	u32 size = vnpu_type_size(type), k;
	u8 rest[VNPU_FPU_LANES * 8];

	if (is_avx2)
		vnpu_avx2_sum(dst, operands, nr, done, type);
	else
		vnpu_fpu_sum(dst, operands, nr, done, type);
	count -= done;
	memcpy(rest, (const u8 *)operands[0] + done * size, count * size);
	for (k = 1; k < nr; k++)
		vnpu_reduce(rest, (const u8 *)operands[k] + done * size, count,
			    op, type);
	memcpy((u8 *)dst + done * size, rest, count * size);
}

static void vnpu_vector_copy(void *dst, const void *src, size_t length)
{
	size_t done = length / VNPU_FPU_BLOCK * VNPU_FPU_BLOCK;

	if (is_avx2)
		vnpu_avx2_copy(dst, src, done);
	else
		vnpu_fpu_copy(dst, src, done);
	memmove((u8 *)dst + done, (const u8 *)src + done, length - done);
}
#endif

#define BYTES	(3 * 4096)
#define WORDS	(BYTES / sizeof(u32))
#define ARRAYS	5

/* Return random bits, or ones close to @bits, to zero, or to infinity. */
static u32 near_border(u32 bits, u32 infinity)
{
	u32 random = tap_random(), sign = random & 0x80008000;

	switch (random % 8) {
	case 0:
		return sign | (random >> 8 & 0x00030003);
	case 1:
		return sign | (infinity - 0x00010001 +
			       (random >> 8 & 0x00020002));
	case 2:
		return (bits ^ sign) + (random >> 8 & 0x00030003);
	case 3:
		return bits ^ sign ^ (random & 0x1f001f00);
	default:
		return tap_random();
	}
}

/* Fill arrays with numbers, of which neighbours are often close. */
static void draw_arrays(u32 arrays[ARRAYS][WORDS], u32 infinity)
{
	u32 i, k;

	for (i = 0; i < WORDS; i++) {
		arrays[0][i] = near_border(infinity / 2, infinity);
		for (k = 1; k < ARRAYS; k++)
			arrays[k][i] = near_border(arrays[k - 1][i], infinity);
	}
}

static bool is_equal(const u32 *got, const u32 *want, u32 type, u32 nr)
{
	u32 i;

	for (i = 0; i < WORDS && got[i] == want[i]; i++)
		;
	if (i == WORDS)
		return true;
	tap_note("type %u, %u arrays, word %u: %#x, not %#x", type, nr, i,
		 got[i], want[i]);
	return false;
}

/*
 * The results replace one of the arrays, or none: then they have an array of
 * their own.
 */
static bool same_results(u32 op, u32 type, u32 infinity)
{
	static u32 arrays[ARRAYS][WORDS], want[WORDS], other[WORDS];
	u32 size = vnpu_type_size(type), first = tap_below(64), k;
	u32 count = tap_below(BYTES / size - first + 1);
	u32 nr = 2 + tap_below(ARRAYS - 1), place = tap_below(nr + 1);
	u32 *result = place < nr ? arrays[place] : other;
	const void *operands[ARRAYS];

	draw_arrays(arrays, infinity);
	memcpy(want, result, BYTES);
	for (k = 0; k < nr; k++)
		operands[k] = (u8 *)arrays[k] + first * size;
	memcpy((u8 *)want + first * size, operands[0], count * size);
	for (k = 1; k < nr; k++)
		vnpu_reduce((u8 *)want + first * size, operands[k], count, op,
			    type);
	vnpu_vector_reduce((u8 *)result + first * size, operands, nr, count, op,
			   type);
	return is_equal(result, want, type, nr);
}

bool test_vector_reduce(void)
{
	unsigned long step, steps = tap_steps / 1000 + 1;

	for (step = 0; step < steps; step++) {
		choose_vectors(step);
		EXPECT(same_results(VNPU_REDUCE_SUM, VNPU_TYPE_FP32, 0x7f800000));
		EXPECT(same_results(VNPU_REDUCE_SUM, VNPU_TYPE_FP16, 0x7c007c00));
		EXPECT(same_results(VNPU_REDUCE_SUM, VNPU_TYPE_BF16, 0x7f807f80));
#ifdef __KERNEL__
		/* Without the FPU. */
		EXPECT(same_results(VNPU_REDUCE_MIN, VNPU_TYPE_FP32, 0x7f800000));
		EXPECT(same_results(VNPU_REDUCE_PROD, VNPU_TYPE_S16, 0x7f807f80));
#endif
	}
	return true;
}

bool test_vector_copy(void)
{
	static u8 from[BYTES], to[BYTES], want[BYTES];
	unsigned long step, steps = tap_steps / 1000 + 1;
	u32 i;

	for (step = 0; step < steps; step++) {
		u32 length = tap_below(BYTES + 1);
		u32 src = tap_below(BYTES - length + 1);
		u32 dst = tap_below(BYTES - length + 1);

		choose_vectors(step);
		for (i = 0; i < BYTES; i++) {
			from[i] = tap_random();
			to[i] = i;
		}
		memcpy(want, to, BYTES);
		memcpy(want + dst, from + src, length);
		vnpu_vector_copy(to + dst, from + src, length);
		EXPECT(!memcmp(to, want, BYTES));
	}
	return true;
}
