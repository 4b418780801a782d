/* SPDX-License-Identifier: MIT */
/*
 * Powers of eight floats, and of integers.
 */
#ifndef ASCENDC_VNPU_POWER_H
#define ASCENDC_VNPU_POWER_H

#include "functions.h"

namespace vnpu {

typedef double doubles __attribute__((vector_size(64)));
typedef int64_t longs __attribute__((vector_size(64)));

VNPU_ALWAYS_INLINE doubles widen_lanes(floats a)
{
	return __builtin_convertvector(a, doubles);
}

/*
 * The logarithm to base 2 of positive floats, to 40 bits: with n + log2 m, m in
 * [sqrt(1/2), sqrt(2)), and a series of (m - 1) / (m + 1).
 */
VNPU_ALWAYS_INLINE doubles log2_wide(floats a)
{
	longs bits = bits_as<longs>(widen_lanes(a));
	longs n = (bits >> 52) - 1022;
	doubles m = bits_as<doubles>((bits & 0x000fffffffffffff) |
				     0x3fe0000000000000);
	longs is_low = m < 0.70710678118654752;
	doubles s, z, p;

	m = is_low ? m + m : m;
	n = is_low ? n - 1 : n;
	s = (m - 1.0) / (m + 1.0);
	z = s * s;
	p = z * (1.0 / 13) + 1.0 / 11;
	p = p * z + 1.0 / 9;
	p = p * z + 1.0 / 7;
	p = p * z + 1.0 / 5;
	p = p * z + 1.0 / 3;
	return (p * z * s + s) * (2 * 1.4426950408889634) +
		__builtin_convertvector(n, doubles);
}

/*
 * 2^e.  The exponent has more digits than a float, since the whole part of a large
 * one takes digits that the fraction needs.
 */
VNPU_ALWAYS_INLINE floats exp2_wide(doubles e)
{
	const doubles rounder = doubles{} + 6755399441055744.0;
	doubles whole;
	floats r, p = spread(1.989103065e-4f);
	ints n, half_way;

	e = e > 200.0 ? doubles{} + 200.0 : e < -200.0 ? doubles{} - 200.0 : e;
	whole = (e + rounder) - rounder;
	r = __builtin_convertvector((e - whole) * 0.69314718055994531, floats);
	/* As in exp(). */
	p = p * r + 1.393368586e-3f;
	p = p * r + 8.33331089e-3f;
	p = p * r + 4.16664646e-2f;
	p = p * r + 1.666666668e-1f;
	p = p * r + 5.000000013e-1f;
	p = p * (r * r) + r + 1.0f;
	n = __builtin_convertvector(whole == whole ? whole : doubles{}, ints);
	half_way = n >> 1;
	return p * power_of_two(half_way) * power_of_two(n - half_way);
}

VNPU_ALWAYS_INLINE floats power(floats base, floats exponent)
{
	const floats infinite = spread(__builtin_inff());
	floats x = absolute(base), whole = round_to_zero(exponent);
	floats half_way = whole * 0.5f;
	ints is_odd = (whole == exponent) & (round_to_zero(half_way) !=
					     half_way);
	floats size = exp2_wide(widen_lanes(exponent) * log2_wide(x)), value;

	size = select((x == 0.0f) | (x == infinite),
		      select((x == 0.0f) == (exponent > 0.0f), spread(0.0f),
			     infinite), size);
	value = select((bits_as<ints>(base) < 0) & is_odd, -size, size);
	value = select((base < 0.0f) & (x != infinite) & (whole != exponent),
		       spread(__builtin_nanf("")), value);
	value = select((base == base) & (exponent == exponent), value,
		       base + exponent);
	return select((exponent == 0.0f) | (base == 1.0f), spread(1.0f), value);
}

/* Integers by squaring; a negative exponent leaves nothing of most bases. */
template <typename T>
VNPU_ALWAYS_INLINE std::enable_if_t<std::is_integral<T>::value, T>
power(T base, T exponent)
{
	T value = 1;

	if (exponent < 0)
		return base == 1 ? T(1) : base == T(-1) ?
			(exponent % 2 ? T(-1) : T(1)) : T(0);
	for (; exponent; exponent /= 2) {
		if (exponent % 2)
			value = static_cast<T>(value * base);
		base = static_cast<T>(base * base);
	}
	return value;
}

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_POWER_H */
