/* SPDX-License-Identifier: MIT */
/*
 * Loops over eight numbers at a time, the building blocks of vector instructions.
 *
 * Real types are loaded as floats, computed in float, and rounded once when they
 * are stored.  For half this gives the correctly rounded result of + - * / and
 * the square root, as a float has more than twice its digits.  Integers are left
 * to the compiler's vectorizer.
 */
#ifndef ASCENDC_VNPU_LANES_H
#define ASCENDC_VNPU_LANES_H

#include "params.h"

#include "../vnpu_cc/services.h"

#if defined(__F16C__) && defined(__AVX__)
#include <immintrin.h>
#define VNPU_HAS_F16C	1
#endif

#if defined(__clang__)
#define VNPU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define VNPU_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Fewer rounds, as each is a branch that may be predicted wrongly. */
#if defined(__clang__)
#define VNPU_UNROLL	_Pragma("clang loop unroll_count(4)")
#else
#define VNPU_UNROLL	_Pragma("GCC unroll 4")
#endif

namespace vnpu {

constexpr uint32_t LANES = 8;

typedef float floats __attribute__((vector_size(32)));
typedef int32_t ints __attribute__((vector_size(32)));
typedef uint32_t uints __attribute__((vector_size(32)));
typedef uint16_t shorts __attribute__((vector_size(16)));

template <typename T>
constexpr bool is_real = std::is_same<T, float>::value ||
	std::is_same<T, half>::value || std::is_same<T, bfloat16_t>::value;

VNPU_ALWAYS_INLINE floats spread(float value)
{
	return floats{ value, value, value, value,
		       value, value, value, value };
}

template <typename To, typename From>
VNPU_ALWAYS_INLINE To bits_as(From from)
{
	static_assert(sizeof(To) == sizeof(From), "of one size");
	To to;

	__builtin_memcpy(&to, &from, sizeof(to));
	return to;
}

VNPU_ALWAYS_INLINE floats load(const float *from)
{
	floats value;

	__builtin_memcpy(&value, from, sizeof(value));
	return value;
}

VNPU_ALWAYS_INLINE void store(float *to, floats value)
{
	__builtin_memcpy(to, &value, sizeof(value));
}

VNPU_ALWAYS_INLINE floats load(const half *from)
{
#ifdef VNPU_HAS_F16C
	__m128i raw;

	__builtin_memcpy(&raw, from, sizeof(raw));
	return bits_as<floats>(_mm256_cvtph_ps(raw));
#else
	floats value;

	for (uint32_t i = 0; i < LANES; i++)
		value[i] = static_cast<float>(from[i]);
	return value;
#endif
}

VNPU_ALWAYS_INLINE void store(half *to, floats value)
{
#ifdef VNPU_HAS_F16C
	__m128i raw = _mm256_cvtps_ph(bits_as<__m256>(value),
				      _MM_FROUND_TO_NEAREST_INT);

	__builtin_memcpy(to, &raw, sizeof(raw));
#else
	for (uint32_t i = 0; i < LANES; i++)
		to[i] = static_cast<half>(static_cast<float>(value[i]));
#endif
}

VNPU_ALWAYS_INLINE floats load(const bfloat16_t *from)
{
	shorts raw;

	__builtin_memcpy(&raw, from, sizeof(raw));
	return bits_as<floats>(__builtin_convertvector(raw, uints) << 16);
}

VNPU_ALWAYS_INLINE void store(bfloat16_t *to, floats value)
{
	uints bits = bits_as<uints>(value);
	uints nearest = bits + 0x7fff + (bits >> 16 & 1);
	uints quiet = bits | 0x00400000;
	uints is_nan = bits_as<uints>((bits & 0x7fffffff) > 0x7f800000);
	shorts raw = __builtin_convertvector(
		((quiet & is_nan) | (nearest & ~is_nan)) >> 16, shorts);

	__builtin_memcpy(to, &raw, sizeof(raw));
}

/* The first of eight, and no byte behind them. */
template <typename T>
VNPU_ALWAYS_INLINE floats load_some(const T *from, uint32_t count)
{
	T some[LANES] = {};

	__builtin_memcpy(some, from, count * sizeof(T));
	return load(some);
}

template <typename T>
VNPU_ALWAYS_INLINE void store_some(T *to, floats value, uint32_t count)
{
	T some[LANES];

	store(some, value);
	__builtin_memcpy(to, some, count * sizeof(T));
}

/* to[i] = op(from[i]) */
template <typename D, typename S, typename Op>
VNPU_ALWAYS_INLINE void map(D *to, const S *from, uint32_t count, Op op)
{
	if constexpr (is_real<D> && is_real<S>) {
		uint32_t i = 0;

		VNPU_UNROLL
		for (; i + LANES <= count; i += LANES)
			store(to + i, op(load(from + i)));
		if (i < count)
			store_some(to + i, op(load_some(from + i, count - i)),
				   count - i);
	} else {
		VNPU_INDEPENDENT
		for (uint32_t i = 0; i < count; i++)
			to[i] = static_cast<D>(op(from[i]));
	}
}

/* to[i] = op(a[i], b[i]) */
template <typename D, typename S, typename U, typename Op>
VNPU_ALWAYS_INLINE void map(D *to, const S *a, const U *b, uint32_t count,
			    Op op)
{
	if constexpr (is_real<D> && is_real<S> && is_real<U>) {
		uint32_t i = 0;

		VNPU_UNROLL
		for (; i + LANES <= count; i += LANES)
			store(to + i, op(load(a + i), load(b + i)));
		if (i < count)
			store_some(to + i, op(load_some(a + i, count - i),
					      load_some(b + i, count - i)),
				   count - i);
	} else {
		VNPU_INDEPENDENT
		for (uint32_t i = 0; i < count; i++)
			to[i] = static_cast<D>(op(a[i], b[i]));
	}
}

/* to[i] = op(to[i], a[i], b[i]) */
template <typename D, typename S, typename U, typename Op>
VNPU_ALWAYS_INLINE void map_into(D *to, const S *a, const U *b, uint32_t count,
				 Op op)
{
	if constexpr (is_real<D> && is_real<S> && is_real<U>) {
		uint32_t i = 0;

		VNPU_UNROLL
		for (; i + LANES <= count; i += LANES)
			store(to + i, op(load(to + i), load(a + i),
					 load(b + i)));
		if (i < count)
			store_some(to + i,
				   op(load_some(to + i, count - i),
				      load_some(a + i, count - i),
				      load_some(b + i, count - i)),
				   count - i);
	} else {
		VNPU_INDEPENDENT
		for (uint32_t i = 0; i < count; i++)
			to[i] = static_cast<D>(op(to[i], a[i], b[i]));
	}
}

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_LANES_H */
