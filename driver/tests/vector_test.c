// SPDX-License-Identifier: GPL-2.0-only
/* Reductions with the FPU, which must equal those with integers. */
#include "core_test.h"

#ifdef __KERNEL__
#include "../exec/vector.h"
#else
#include "../exec/vector_fpu.h"

/* User space may always use the FPU; integers do the rest of the array. */
static void vnpu_vector_reduce(void *dst, const void *src, size_t count,
			       u32 op, u32 type)
{
	size_t done = count / VNPU_FPU_LANES * VNPU_FPU_LANES;
	u32 size = vnpu_type_size(type);

	vnpu_fpu_sum(dst, src, done, type);
	vnpu_reduce((u8 *)dst + done * size, (const u8 *)src + done * size,
		    count - done, op, type);
}
#endif

#define BYTES	(3 * 4096)

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

static bool same_sums(u32 type, u32 infinity, u32 *a, u32 *b, u32 *sum)
{
	u32 size = vnpu_type_size(type), first, count, i;

	for (i = 0; i < BYTES / sizeof(u32); i++) {
		a[i] = near_border(infinity / 2, infinity);
		b[i] = near_border(a[i], infinity);
		sum[i] = a[i];
	}
	first = tap_below(64);
	count = tap_below(BYTES / size - first + 1);
	vnpu_vector_reduce((u8 *)sum + first * size, (u8 *)b + first * size,
			   count, VNPU_REDUCE_SUM, type);
	vnpu_reduce((u8 *)a + first * size, (u8 *)b + first * size, count,
		    VNPU_REDUCE_SUM, type);
	for (i = 0; i < BYTES / sizeof(u32) && sum[i] == a[i]; i++)
		;
	if (i == BYTES / sizeof(u32))
		return true;
	tap_note("type %u, word %u of %u+%u: %#x, not %#x", type, i, first,
		 count, sum[i], a[i]);
	return false;
}

bool test_vector_reduce(void)
{
	static u32 a[BYTES / sizeof(u32)], b[BYTES / sizeof(u32)];
	static u32 sum[BYTES / sizeof(u32)];
	unsigned long step, steps = tap_steps / 1000 + 1;

	for (step = 0; step < steps; step++) {
		EXPECT(same_sums(VNPU_TYPE_FP32, 0x7f800000, a, b, sum));
		EXPECT(same_sums(VNPU_TYPE_FP16, 0x7c007c00, a, b, sum));
		EXPECT(same_sums(VNPU_TYPE_BF16, 0x7f807f80, a, b, sum));
	}
	return true;
}
