// SPDX-License-Identifier: GPL-2.0-only
/* Reduction of an array into another one. See reduce.h. */
#include "fp.h"
#include "reduce.h"

/*
 * Sums and products use an unsigned type, which wraps around; signed overflow
 * is undefined. 1U keeps short types from becoming int.
 */
#define DEFINE_REDUCE_INT(elem_t, wrap_t)				\
static void reduce_##elem_t(elem_t dst[], const elem_t src[],		\
			    size_t count, unsigned int op)		\
{									\
	size_t i;							\
									\
	switch (op) {							\
	case VNPU_REDUCE_SUM:						\
		for (i = 0; i < count; i++)				\
			dst[i] = (wrap_t)dst[i] + (wrap_t)src[i];	\
		break;							\
	case VNPU_REDUCE_MAX:						\
		for (i = 0; i < count; i++)				\
			dst[i] = max(dst[i], src[i]);			\
		break;							\
	case VNPU_REDUCE_MIN:						\
		for (i = 0; i < count; i++)				\
			dst[i] = min(dst[i], src[i]);			\
		break;							\
	case VNPU_REDUCE_EQUAL:						\
		for (i = 0; i < count; i++)				\
			dst[i] = dst[i] == src[i];			\
		break;							\
	case VNPU_REDUCE_PROD:						\
		for (i = 0; i < count; i++)				\
			dst[i] = 1U * (wrap_t)dst[i] * (wrap_t)src[i];	\
		break;							\
	}								\
}

DEFINE_REDUCE_INT(s8, u8)
DEFINE_REDUCE_INT(s16, u16)
DEFINE_REDUCE_INT(s32, u32)
DEFINE_REDUCE_INT(s64, u64)
DEFINE_REDUCE_INT(u8, u8)
DEFINE_REDUCE_INT(u16, u16)
DEFINE_REDUCE_INT(u32, u32)
DEFINE_REDUCE_INT(u64, u64)

static __always_inline u64 fp_sum(struct vnpu_fp_format f, u64 a, u64 b)
{
	struct vnpu_fp sum;

	if (vnpu_fp_is_finite(f, a) && vnpu_fp_is_finite(f, b)) {
		sum = vnpu_fp_add(vnpu_fp_unpack(f, a), vnpu_fp_unpack(f, b));
		return vnpu_fp_pack(f, sum, VNPU_FP_NEAREST);
	}
	if (vnpu_fp_is_nan(f, a) || vnpu_fp_is_nan(f, b))
		return vnpu_fp_nan(f);
	if (vnpu_fp_is_finite(f, a))
		return b;
	if (vnpu_fp_is_finite(f, b) || a == b)
		return a;
	return vnpu_fp_nan(f);
}

static __always_inline u64 fp_prod(struct vnpu_fp_format f, u64 a, u64 b)
{
	u64 sign = (a ^ b) & vnpu_fp_sign(f);

	if (vnpu_fp_is_finite(f, a) && vnpu_fp_is_finite(f, b))
		return vnpu_fp_pack(f, vnpu_fp_mul(vnpu_fp_unpack(f, a),
						   vnpu_fp_unpack(f, b)),
				    VNPU_FP_NEAREST);
	if (vnpu_fp_is_nan(f, a) || vnpu_fp_is_nan(f, b) ||
	    !vnpu_fp_magnitude(f, a) || !vnpu_fp_magnitude(f, b))
		return vnpu_fp_nan(f);
	return sign | vnpu_fp_infinity(f);
}

/* Map a number to an integer so that the order is the same. */
static __always_inline u64 fp_rank(struct vnpu_fp_format f, u64 bits)
{
	u64 sign = vnpu_fp_sign(f);

	return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
}

static __always_inline u64 fp_max(struct vnpu_fp_format f, u64 a, u64 b)
{
	if (vnpu_fp_is_nan(f, a) || vnpu_fp_is_nan(f, b))
		return vnpu_fp_nan(f);
	return fp_rank(f, a) > fp_rank(f, b) ? a : b;
}

static __always_inline u64 fp_min(struct vnpu_fp_format f, u64 a, u64 b)
{
	if (vnpu_fp_is_nan(f, a) || vnpu_fp_is_nan(f, b))
		return vnpu_fp_nan(f);
	return fp_rank(f, a) < fp_rank(f, b) ? a : b;
}

static __always_inline u64 fp_equal(struct vnpu_fp_format f, u64 a, u64 b)
{
	bool zeroes = !vnpu_fp_magnitude(f, a | b);
	bool equal = zeroes || (a == b && !vnpu_fp_is_nan(f, a));

	return equal ? vnpu_fp_one(f) : 0;
}

#define DEFINE_REDUCE_FP(name, bits_t, format)				\
static void reduce_##name(bits_t dst[], const bits_t src[],		\
			  size_t count, unsigned int op)		\
{									\
	size_t i;							\
									\
	switch (op) {							\
	case VNPU_REDUCE_SUM:						\
		for (i = 0; i < count; i++)				\
			dst[i] = fp_sum(format, dst[i], src[i]);	\
		break;							\
	case VNPU_REDUCE_MAX:						\
		for (i = 0; i < count; i++)				\
			dst[i] = fp_max(format, dst[i], src[i]);	\
		break;							\
	case VNPU_REDUCE_MIN:						\
		for (i = 0; i < count; i++)				\
			dst[i] = fp_min(format, dst[i], src[i]);	\
		break;							\
	case VNPU_REDUCE_EQUAL:						\
		for (i = 0; i < count; i++)				\
			dst[i] = fp_equal(format, dst[i], src[i]);	\
		break;							\
	case VNPU_REDUCE_PROD:						\
		for (i = 0; i < count; i++)				\
			dst[i] = fp_prod(format, dst[i], src[i]);	\
		break;							\
	}								\
}

DEFINE_REDUCE_FP(fp64, u64, VNPU_FP64)
DEFINE_REDUCE_FP(fp32, u32, VNPU_FP32)
DEFINE_REDUCE_FP(fp16, u16, VNPU_FP16)
DEFINE_REDUCE_FP(bf16, u16, VNPU_BF16)

unsigned int vnpu_type_size(unsigned int type)
{
	static const u8 size[] = {
		[VNPU_TYPE_FP32] = 4,
		[VNPU_TYPE_FP16] = 2,
		[VNPU_TYPE_BF16] = 2,
		[VNPU_TYPE_S8] = 1,
		[VNPU_TYPE_S16] = 2,
		[VNPU_TYPE_S32] = 4,
		[VNPU_TYPE_U8] = 1,
		[VNPU_TYPE_S64] = 8,
		[VNPU_TYPE_U32] = 4,
		[VNPU_TYPE_U64] = 8,
		[VNPU_TYPE_U16] = 2,
		[VNPU_TYPE_FP64] = 8,
	};

	return type < ARRAY_SIZE(size) ? size[type] : 0;
}

int vnpu_reduce_check(unsigned int op, unsigned int type)
{
	return op <= VNPU_REDUCE_PROD && vnpu_type_size(type) ? 0 : -EINVAL;
}

void vnpu_reduce(void *dst, const void *src, size_t count, unsigned int op,
		 unsigned int type)
{
	switch (type) {
	case VNPU_TYPE_FP64:
		reduce_fp64(dst, src, count, op);
		break;
	case VNPU_TYPE_FP32:
		reduce_fp32(dst, src, count, op);
		break;
	case VNPU_TYPE_FP16:
		reduce_fp16(dst, src, count, op);
		break;
	case VNPU_TYPE_BF16:
		reduce_bf16(dst, src, count, op);
		break;
	case VNPU_TYPE_S8:
		reduce_s8(dst, src, count, op);
		break;
	case VNPU_TYPE_S16:
		reduce_s16(dst, src, count, op);
		break;
	case VNPU_TYPE_S32:
		reduce_s32(dst, src, count, op);
		break;
	case VNPU_TYPE_S64:
		reduce_s64(dst, src, count, op);
		break;
	case VNPU_TYPE_U8:
		reduce_u8(dst, src, count, op);
		break;
	case VNPU_TYPE_U16:
		reduce_u16(dst, src, count, op);
		break;
	case VNPU_TYPE_U32:
		reduce_u32(dst, src, count, op);
		break;
	case VNPU_TYPE_U64:
		reduce_u64(dst, src, count, op);
		break;
	}
}
