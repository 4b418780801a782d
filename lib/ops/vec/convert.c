// SPDX-License-Identifier: MIT
/*
 * Loads and stores of elements, with conversion to and from the type in which a
 * row is computed. See vec.h.
 */
#ifdef __F16C__
#include <immintrin.h>
#endif

#include "half.h"
#include "vec.h"

typedef uint16_t f16;
typedef uint16_t bf16;

/*
 * Saturating conversions to integers; NaN becomes 0. The limits are the last
 * floating-point numbers inside, so that the conversion itself is defined.
 */
#define SATURATE(x, T, low, high, MIN, MAX)				\
	((x) != (x) ? 0 : (x) < (low) ? MIN : (x) > (high) ? MAX : (T)(x))
#define F_TO_I32(x)							\
	SATURATE(x, int32_t, -0x1p31f, 2147483520.f, INT32_MIN, INT32_MAX)
#define D_TO_I32(x)							\
	SATURATE(x, int32_t, -0x1p31, 2147483647., INT32_MIN, INT32_MAX)
#define F_TO_I64(x)							\
	SATURATE(x, int64_t, -0x1p63f, 0x1.fffffep62f, INT64_MIN, INT64_MAX)
#define D_TO_I64(x)							\
	SATURATE(x, int64_t, -0x1p63, 0x1.fffffffffffffp62, INT64_MIN,	\
		 INT64_MAX)
#define TO_SMALL(x, low, high)						\
	((x) != (x) ? 0 : (x) < (low) ? (low) : (x) > (high) ? (high) :	\
	 (int32_t)(x))

#define LOAD(dt, mem, c, T, expr)					\
static void load_##dt##_##c(void *dst, const void *src, int64_t stride,	\
			    size_t n)					\
{									\
	const mem *s = src;						\
	T *d = dst;							\
	size_t i;							\
									\
	if (stride == 1) {						\
		_Pragma("GCC ivdep")					\
		for (i = 0; i < n; i++) {				\
			mem x = s[i];					\
			d[i] = (T)(expr);				\
		}							\
	} else if (stride == 2) {					\
		_Pragma("GCC ivdep")					\
		for (i = 0; i < n; i++) {				\
			mem x = s[2 * i];				\
			d[i] = (T)(expr);				\
		}							\
	} else {							\
		for (i = 0; i < n; i++) {				\
			mem x = s[(int64_t)i * stride];			\
			d[i] = (T)(expr);				\
		}							\
	}								\
}

#define STORE(c, T, dt, mem, expr)					\
static void store_##c##_##dt(void *dst, int64_t stride, const void *src, \
			     size_t n)					\
{									\
	const T *s = src;						\
	mem *d = dst;							\
	size_t i;							\
									\
	if (stride == 1) {						\
		_Pragma("GCC ivdep")					\
		for (i = 0; i < n; i++) {				\
			T x = s[i];					\
			d[i] = (mem)(expr);				\
		}							\
	} else {							\
		for (i = 0; i < n; i++) {				\
			T x = s[i];					\
			d[(int64_t)i * stride] = (mem)(expr);		\
		}							\
	}								\
}

#define LOADS(dt, mem, to_f, to_d, to_i, to_l)				\
	LOAD(dt, mem, f, float, to_f)					\
	LOAD(dt, mem, d, double, to_d)					\
	LOAD(dt, mem, i, int32_t, to_i)					\
	LOAD(dt, mem, l, int64_t, to_l)

LOADS(f32, float, x, x, F_TO_I32(x), F_TO_I64(x))
LOADS(f64, double, x, x, D_TO_I32(x), D_TO_I64(x))
LOADS(i8, int8_t, x, x, x, x)
LOADS(i16, int16_t, x, x, x, x)
LOADS(i32, int32_t, x, x, x, x)
LOADS(i64, int64_t, x, x, x, x)
LOADS(u8, uint8_t, x, x, x, x)
LOADS(u16, uint16_t, x, x, x, x)
LOADS(u32, uint32_t, x, x, x, x)
LOADS(b8, uint8_t, x != 0, x != 0, x != 0, x != 0)
LOADS(bf16, bf16, ops_from_bf16(x), ops_from_bf16(x),
      F_TO_I32(ops_from_bf16(x)), F_TO_I64(ops_from_bf16(x)))
LOAD(f16, f16, d, double, ops_from_f16(x))
LOAD(f16, f16, i, int32_t, F_TO_I32(ops_from_f16(x)))
LOAD(f16, f16, l, int64_t, F_TO_I64(ops_from_f16(x)))

#ifdef __F16C__
static void load_f16_f(void *dst, const void *src, int64_t stride, size_t n)
{
	const f16 *s = src;
	float *d = dst;
	size_t i = 0;

	if (stride == 1)
		for (; i + 8 <= n; i += 8)
			_mm256_storeu_ps(d + i, _mm256_cvtph_ps(
				_mm_loadu_si128((const void *)(s + i))));
	for (; i < n; i++)
		d[i] = _cvtsh_ss(s[(int64_t)i * stride]);
}

static void store_f_f16(void *dst, int64_t stride, const void *src, size_t n)
{
	const float *s = src;
	f16 *d = dst;
	size_t i = 0;

	if (stride == 1)
		for (; i + 8 <= n; i += 8)
			_mm_storeu_si128((void *)(d + i), _mm256_cvtps_ph(
				_mm256_loadu_ps(s + i),
				_MM_FROUND_TO_NEAREST_INT));
	for (; i < n; i++)
		d[(int64_t)i * stride] = _cvtss_sh(s[i],
						   _MM_FROUND_TO_NEAREST_INT);
}
#else
LOAD(f16, f16, f, float, ops_from_f16(x))
STORE(f, float, f16, f16, ops_to_f16(x))
#endif

/* From a number that fits into an i64. */
#define TO_U32(x)	((x) < 0 ? 0 : (x) > UINT32_MAX ? UINT32_MAX : (x))

#define STORES(c, T, to_bf16, to_f, to_i8, to_i16, to_i32, to_i64, to_u8, \
	       to_u16, to_u32)						\
	STORE(c, T, bf16, uint16_t, to_bf16)				\
	STORE(c, T, f32, float, to_f)					\
	STORE(c, T, f64, double, to_f)					\
	STORE(c, T, i8, int8_t, to_i8)					\
	STORE(c, T, i16, int16_t, to_i16)				\
	STORE(c, T, i32, int32_t, to_i32)				\
	STORE(c, T, i64, int64_t, to_i64)				\
	STORE(c, T, u8, uint8_t, to_u8)					\
	STORE(c, T, u16, uint16_t, to_u16)				\
	STORE(c, T, u32, uint32_t, to_u32)				\
	STORE(c, T, b8, uint8_t, x != 0)

STORES(f, float, ops_to_bf16(x), x, TO_SMALL(x, -128, 127),
       TO_SMALL(x, -32768, 32767), F_TO_I32(x), F_TO_I64(x),
       TO_SMALL(x, 0, 255), TO_SMALL(x, 0, 65535), TO_U32(F_TO_I64(x)))
STORES(d, double, ops_to_bf16(ops_odd(x)), x, TO_SMALL(x, -128, 127),
       TO_SMALL(x, -32768, 32767), D_TO_I32(x), D_TO_I64(x),
       TO_SMALL(x, 0, 255), TO_SMALL(x, 0, 65535), TO_U32(D_TO_I64(x)))
STORES(i, int32_t, ops_to_bf16(ops_odd(x)), x, x, x, x, x, x, x, x)
STORES(l, int64_t, ops_to_bf16(ops_odd_of_i64(x)), x, x, x, x, x, x, x, x)
STORE(d, double, f16, f16, ops_to_f16(ops_odd(x)))
/* Integers beyond 2^24 are infinite as f16, so the float is exact or too large. */
STORE(i, int32_t, f16, f16, ops_to_f16(x))
STORE(l, int64_t, f16, f16, ops_to_f16(x))

#define LOAD_ROW(upper, dt)						\
	[VNPU_DT_##upper] = {						\
		load_##dt##_f, load_##dt##_d, load_##dt##_i, load_##dt##_l, \
	},
#define STORE_ROW(c)							\
	{								\
		[VNPU_DT_F16] = store_##c##_f16,			\
		[VNPU_DT_BF16] = store_##c##_bf16,			\
		[VNPU_DT_F32] = store_##c##_f32,			\
		[VNPU_DT_F64] = store_##c##_f64,			\
		[VNPU_DT_I8] = store_##c##_i8,				\
		[VNPU_DT_I16] = store_##c##_i16,			\
		[VNPU_DT_I32] = store_##c##_i32,			\
		[VNPU_DT_I64] = store_##c##_i64,			\
		[VNPU_DT_U8] = store_##c##_u8,				\
		[VNPU_DT_U16] = store_##c##_u16,			\
		[VNPU_DT_U32] = store_##c##_u32,			\
		[VNPU_DT_BOOL] = store_##c##_b8,			\
	},

const ops_load_fn V(ops_loads)[VNPU_DT_COUNT][OPS_CLASSES] = {
	LOAD_ROW(F16, f16)
	LOAD_ROW(BF16, bf16)
	LOAD_ROW(F32, f32)
	LOAD_ROW(F64, f64)
	LOAD_ROW(I8, i8)
	LOAD_ROW(I16, i16)
	LOAD_ROW(I32, i32)
	LOAD_ROW(I64, i64)
	LOAD_ROW(U8, u8)
	LOAD_ROW(U16, u16)
	LOAD_ROW(U32, u32)
	LOAD_ROW(BOOL, b8)
};

const ops_store_fn V(ops_stores)[OPS_CLASSES][VNPU_DT_COUNT] = {
	STORE_ROW(f)
	STORE_ROW(d)
	STORE_ROW(i)
	STORE_ROW(l)
};
