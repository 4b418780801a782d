// SPDX-License-Identifier: GPL-2.0-only
/* Counter-based random numbers. See philox.h. */
#include "normal.h"
#include "philox.h"

#define PHILOX_ROUNDS	10

void vnpu_philox(const u64 counter[2], u64 key, u32 block[4])
{
	u32 c0 = counter[0], c1 = counter[0] >> 32;
	u32 c2 = counter[1], c3 = counter[1] >> 32;
	u32 k0 = key, k1 = key >> 32;
	u32 round;

	for (round = 0; round < PHILOX_ROUNDS; round++) {
		u64 even = 0xd2511f53ULL * c0, odd = 0xcd9e8d57ULL * c2;

		c0 = (odd >> 32) ^ c1 ^ k0;
		c1 = odd;
		c2 = (even >> 32) ^ c3 ^ k1;
		c3 = even;
		k0 += 0x9e3779b9;
		k1 += 0xbb67ae85;
	}
	block[0] = c0;
	block[1] = c1;
	block[2] = c2;
	block[3] = c3;
}

static void random_block(const struct vnpu_random *r, u64 number, u32 block[4])
{
	u64 counter[2] = { r->counter[0] + number, r->counter[1] };

	counter[1] += counter[0] < number;
	vnpu_philox(counter, r->key, block);
}

/* Return the floating-point format of a type; no bits if it is another type. */
static struct vnpu_fp_format fp_format(unsigned int type)
{
	switch (type) {
	case VNPU_TYPE_FP32:
		return VNPU_FP32;
	case VNPU_TYPE_FP16:
		return VNPU_FP16;
	case VNPU_TYPE_BF16:
		return VNPU_BF16;
	default:
		return (struct vnpu_fp_format){ 0, 0 };
	}
}

unsigned int vnpu_random_bits(unsigned int dist, unsigned int type)
{
	switch (type) {
	case VNPU_TYPE_FP32:
		return dist >= VNPU_RANDOM_UNIFORM &&
		       dist <= VNPU_RANDOM_TRUNCATED ? 32 : 0;
	case VNPU_TYPE_FP16:
	case VNPU_TYPE_BF16:
		return dist >= VNPU_RANDOM_UNIFORM &&
		       dist <= VNPU_RANDOM_TRUNCATED ? 16 : 0;
	case VNPU_TYPE_S32:
	case VNPU_TYPE_U32:
		return dist == VNPU_RANDOM_UNIFORM ? 32 : 0;
	case VNPU_TYPE_S64:
	case VNPU_TYPE_U64:
		return dist == VNPU_RANDOM_UNIFORM ? 64 : 0;
	case VNPU_TYPE_U8:
		return dist == VNPU_RANDOM_DROPOUT ? 1 : 0;
	default:
		return 0;
	}
}

/* Read a parameter that must be a finite 32-bit float. */
static int init_float(struct vnpu_fp *x, u64 arg)
{
	if (arg > U32_MAX || !vnpu_fp_is_finite(VNPU_FP32, arg))
		return -EINVAL;
	*x = vnpu_fp_unpack(VNPU_FP32, arg);
	return 0;
}

/* Convert a probability to a multiple of 2^-32, rounded to nearest. */
static int init_dropout(struct vnpu_random *r, u64 arg1, u64 arg2)
{
	struct vnpu_fp p;
	int shift, err;

	err = init_float(&p, arg1);
	if (err || arg2 || arg1 > vnpu_fp_one(VNPU_FP32))
		return -EINVAL;

	shift = -(p.exp + 32);
	if (shift <= 0)
		r->range = p.mant << -shift;
	else if (shift <= 24)
		r->range = (p.mant + (1U << (shift - 1))) >> shift;
	else
		r->range = 0;
	return 0;
}

static int init_floats(struct vnpu_random *r, u64 arg1, u64 arg2)
{
	struct vnpu_fp difference;
	int err;

	err = init_float(&r->fp[0], arg1);
	if (!err)
		err = init_float(&r->fp[1], arg2);
	if (err)
		return err;

	/* The width of the interval, or the deviation: must not be negative. */
	difference = r->fp[1];
	if (r->dist == VNPU_RANDOM_UNIFORM) {
		difference = r->fp[0];
		difference.negative = !difference.negative;
		difference = vnpu_fp_add(r->fp[1], difference);
	}
	return difference.negative && difference.mant ? -EINVAL : 0;
}

static int init_integers(struct vnpu_random *r, u64 arg1, u64 arg2)
{
	bool is_signed = r->type == VNPU_TYPE_S32 || r->type == VNPU_TYPE_S64;

	if (r->type == VNPU_TYPE_S32 &&
	    (arg1 != (u64)(s32)arg1 || arg2 != (u64)(s32)arg2))
		return -EINVAL;
	if (r->type == VNPU_TYPE_U32 && (arg1 > U32_MAX || arg2 > U32_MAX))
		return -EINVAL;
	if (is_signed ? (s64)arg1 > (s64)arg2 : arg1 > arg2)
		return -EINVAL;

	r->base = arg1;
	r->range = arg2 - arg1;
	return 0;
}

int vnpu_random_init(struct vnpu_random *r, unsigned int dist,
		     unsigned int type, u64 key, u64 arg1, u64 arg2)
{
	if (!vnpu_random_bits(dist, type))
		return -EINVAL;

	*r = (struct vnpu_random){ .key = key, .dist = dist, .type = type };
	if (dist == VNPU_RANDOM_DROPOUT)
		return init_dropout(r, arg1, arg2);
	if (fp_format(type).fraction)
		return init_floats(r, arg1, arg2);
	return init_integers(r, arg1, arg2);
}

/* Interpolate between the bounds by the word; the sum is exact. */
static u32 make_uniform(const struct vnpu_random *r, struct vnpu_fp_format f,
			u32 word)
{
	struct vnpu_fp low = r->fp[0], high = r->fp[1];

	low.mant *= (1ULL << 32) - word;
	low.exp -= 32;
	high.mant *= word;
	high.exp -= 32;
	return vnpu_fp_pack(f, vnpu_fp_add(low, high), VNPU_FP_DOWN);
}

/* Add the mean and the deviation times a quantile; the sum is exact. */
static u32 make_normal(const struct vnpu_random *r, struct vnpu_fp_format f,
		       u32 word)
{
	u64 p = 2 * (word & 0x7fffffff) + 1, half = 1ULL << 63;
	struct vnpu_fp away = r->fp[1];
	u32 z;

	if (r->dist == VNPU_RANDOM_NORMAL) {
		z = vnpu_normal_quantile(p << 31);
	} else {
		half -= VNPU_NORMAL_BELOW_2;
		z = vnpu_normal_quantile(VNPU_NORMAL_BELOW_2 +
					 (half >> 32) * p);
		z = min(z, 2U << VNPU_NORMAL_FRACTION);
	}
	away.mant *= z;
	away.exp -= VNPU_NORMAL_FRACTION;
	away.negative = word >> 31;
	return vnpu_fp_pack(f, vnpu_fp_add(r->fp[0], away), VNPU_FP_NEAREST);
}

static u64 make_integer(const struct vnpu_random *r, const u32 *word)
{
	u64 low = word[0] | (u64)word[1] << 32, high, part;

	if (r->type == VNPU_TYPE_S32 || r->type == VNPU_TYPE_U32)
		return r->base + mul_u64_u64_shr(low, r->range, 64);

	high = word[2] | (u64)word[3] << 32;
	low = mul_u64_u64_shr(low, r->range, 64);
	part = high * r->range;
	return r->base + mul_u64_u64_shr(high, r->range, 64) +
	       (part + low < part);
}

static void make_element(const struct vnpu_random *r, void *dst, size_t at,
			 const u32 *word)
{
	struct vnpu_fp_format f = fp_format(r->type);
	u32 bits;

	if (!f.fraction) {
		if (r->type == VNPU_TYPE_S32 || r->type == VNPU_TYPE_U32)
			((u32 *)dst)[at] = make_integer(r, word);
		else
			((u64 *)dst)[at] = make_integer(r, word);
		return;
	}
	if (r->dist == VNPU_RANDOM_UNIFORM)
		bits = make_uniform(r, f, *word);
	else
		bits = make_normal(r, f, *word);
	if (r->type == VNPU_TYPE_FP32)
		((u32 *)dst)[at] = bits;
	else
		((u16 *)dst)[at] = bits;
}

static void make_bits(const struct vnpu_random *r, u8 *dst, u64 first,
		      size_t count)
{
	size_t i, k;

	memset(dst, 0, (count + 7) / 8);
	for (i = 0; i < count; i += 4) {
		u32 block[4];

		random_block(r, (first + i) / 4, block);
		for (k = i; k < i + 4 && k < count; k++)
			if (block[k - i] >= r->range)
				dst[k / 8] |= 1U << k % 8;
	}
}

void vnpu_random(const struct vnpu_random *r, void *dst, u64 first,
		 size_t count)
{
	/* Number of elements per block, as a power of two. */
	u32 order = 2, at;
	size_t done = 0;

	if (r->dist == VNPU_RANDOM_DROPOUT) {
		make_bits(r, dst, first, count);
		return;
	}
	if (r->type == VNPU_TYPE_S32 || r->type == VNPU_TYPE_U32)
		order = 1;
	else if (r->type == VNPU_TYPE_S64 || r->type == VNPU_TYPE_U64)
		order = 0;
	while (done < count) {
		u32 block[4];

		random_block(r, (first + done) >> order, block);
		for (at = (first + done) & ((1U << order) - 1);
		     at < 1U << order && done < count; at++)
			make_element(r, dst, done++, &block[at << (2 - order)]);
	}
}
