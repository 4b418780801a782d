/* SPDX-License-Identifier: MIT */
/*
 * Functions of real numbers, eight at a time: on floats, with no table, no
 * branch and no call, so that they become vector instructions.
 *
 * exp, log, tanh, sin, cos and erf are within 2 units of the last place of the
 * true value over the ranges that selftests/ascendc covers; the approximations
 * of the card have their own errors, which are not imitated.
 */
#ifndef ASCENDC_VNPU_FUNCTIONS_H
#define ASCENDC_VNPU_FUNCTIONS_H

#include "lanes.h"

namespace vnpu {

/* mask ? a : b, of a comparison's result. */
VNPU_ALWAYS_INLINE floats select(ints mask, floats a, floats b)
{
	return mask ? a : b;
}

VNPU_ALWAYS_INLINE floats absolute(floats a)
{
	return bits_as<floats>(bits_as<uints>(a) & 0x7fffffff);
}

template <typename T>
VNPU_ALWAYS_INLINE std::enable_if_t<std::is_integral<T>::value, T>
absolute(T a)
{
	return a < 0 ? static_cast<T>(-a) : a;
}

template <typename T>
VNPU_ALWAYS_INLINE T relu(T a)
{
	return a > 0 ? a : T{};
}

VNPU_ALWAYS_INLINE floats copy_sign(floats a, floats sign)
{
	return bits_as<floats>((bits_as<uints>(a) & 0x7fffffff) |
			       (bits_as<uints>(sign) & 0x80000000));
}

VNPU_ALWAYS_INLINE floats square_root(floats a)
{
#if defined(__AVX__)
	return bits_as<floats>(__builtin_ia32_sqrtps256(
		bits_as<floats>(a)));
#else
	for (uint32_t i = 0; i < LANES; i++)
		a[i] = __builtin_sqrtf(a[i]);
	return a;
#endif
}

/* To integers, as floats: beyond 2^23 there is nothing to round. */
#if defined(__AVX__)
#define VNPU_ROUND(name, mode, call) \
	VNPU_ALWAYS_INLINE floats name(floats a) \
	{ \
		return __builtin_ia32_roundps256(a, mode); \
	}
#else
#define VNPU_ROUND(name, mode, call) \
	VNPU_ALWAYS_INLINE floats name(floats a) \
	{ \
		for (uint32_t i = 0; i < LANES; i++) \
			a[i] = call(a[i]); \
		return a; \
	}
#endif

VNPU_ROUND(round_even, 8, __builtin_nearbyintf)
VNPU_ROUND(round_down, 9, __builtin_floorf)
VNPU_ROUND(round_up_to, 10, __builtin_ceilf)
VNPU_ROUND(round_to_zero, 11, __builtin_truncf)
#undef VNPU_ROUND

/* Ties away from zero: x.5 is exact for all numbers that have a fraction. */
VNPU_ALWAYS_INLINE floats round_away(floats a)
{
	floats whole = round_to_zero(a);
	floats rest = absolute(a - whole);
	floats one = copy_sign(spread(1.0f), a);

	return copy_sign(select(rest >= 0.5f, whole + one, whole), a);
}

/* If anything is lost, the odd one of the neighbours. */
VNPU_ALWAYS_INLINE floats round_odd(floats a)
{
	floats whole = round_to_zero(a);
	floats halved = whole * 0.5f;
	ints is_even = round_to_zero(halved) == halved;
	floats one = copy_sign(spread(1.0f), a);

	return select((whole != a) & is_even, whole + one, whole);
}

/* 2^n for whole n in the range of normal numbers. */
VNPU_ALWAYS_INLINE floats power_of_two(ints n)
{
	return bits_as<floats>((n + 127) << 23);
}

VNPU_ALWAYS_INLINE ints to_ints(floats whole)
{
	return __builtin_convertvector(whole, ints);
}

/*
 * The polynomials are Chebyshev approximations, to a few units of the tenth
 * digit, over the ranges that the functions are reduced to.
 */

/*
 * e^a = 2^n e^r with |r| <= log(2) / 2.  2^n is applied in two steps, as it may
 * not be a normal number itself.
 */
VNPU_ALWAYS_INLINE floats exp(floats a)
{
	floats x = select(a > 89.0f, spread(89.0f),
			  select(a < -104.0f, spread(-104.0f), a));
	floats n = round_even(x * 1.44269504f);
	floats r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
	floats p = spread(1.989103065e-4f);
	ints whole, half_way;

	p = p * r + 1.393368586e-3f;
	p = p * r + 8.33331089e-3f;
	p = p * r + 4.16664646e-2f;
	p = p * r + 1.666666668e-1f;
	p = p * r + 5.000000013e-1f;
	p = p * (r * r) + r + 1.0f;
	whole = to_ints(select(n == n, n, spread(0.0f)));
	half_way = whole >> 1;
	p = p * power_of_two(half_way) * power_of_two(whole - half_way);
	return select(a == a, p, a);
}

/* log a = n log 2 + log m with m in [sqrt(1/2), sqrt(2)). */
VNPU_ALWAYS_INLINE floats log(floats a)
{
	/* Numbers below the normal ones are scaled up first. */
	ints is_small = a < 1.17549435e-38f;
	floats x = select(is_small, a * 8388608.0f, a);
	ints bits = bits_as<ints>(x);
	ints n = ((bits >> 23) & 255) - 126;
	floats m = bits_as<floats>((bits & 0x007fffff) | 0x3f000000);
	ints is_low = m < 0.707106781f;
	floats e, f, z, p, out;

	n = is_low ? n - 1 : n;
	m = select(is_low, m + m, m);
	e = __builtin_convertvector(n, floats) -
		select(is_small, spread(23.0f), spread(0.0f));
	f = m - 1.0f;
	z = f * f;
	p = spread(6.971584812e-2f);
	p = p * f - 1.148006837e-1f;
	p = p * f + 1.168558029e-1f;
	p = p * f - 1.242565463e-1f;
	p = p * f + 1.424903961e-1f;
	p = p * f - 1.666780306e-1f;
	p = p * f + 2.000071625e-1f;
	p = p * f - 2.499999696e-1f;
	p = p * f + 3.333333118e-1f;
	p = p * f * z - e * 2.12194440e-4f - z * 0.5f;
	out = f + p + e * 0.693359375f;
	out = select(a == __builtin_inff(), a, out);
	out = select(a == 0.0f, spread(-__builtin_inff()), out);
	return select(a >= 0.0f, out, spread(__builtin_nanf("")));
}

/* An odd polynomial for small numbers, else by exp. */
VNPU_ALWAYS_INLINE floats tanh(floats a)
{
	floats x = absolute(a), z = x * x;
	floats p = spread(-6.045165097e-3f);
	floats e = exp(x + x), big;

	p = p * z + 2.096132911e-2f;
	p = p * z - 5.384326318e-2f;
	p = p * z + 1.333271885e-1f;
	p = p * z - 3.333332843e-1f;
	p = p * z * x + x;
	big = select(x > 9.01f, spread(1.0f), 1.0f - 2.0f / (e + 1.0f));
	return copy_sign(select(x < 0.625f, p, select(x == x, big, x)), a);
}

VNPU_ALWAYS_INLINE floats sigmoid(floats a)
{
	/* e^-a of a large -a is infinite, and 1 / (1 + that) is zero. */
	return 1.0f / (1.0f + exp(-a));
}

/*
 * erf for small numbers, else by 1 - e^(-a^2) times a polynomial in 1/(1 + a/2),
 * which is good from 1/2 on.
 */
VNPU_ALWAYS_INLINE floats erfc_positive(floats x, floats small)
{
	floats t = 1.0f / (1.0f + 0.5f * x), p = spread(-7.721952718e-2f);
	/* x^2 in two parts, as e^ magnifies the rounding error. */
	floats high = bits_as<floats>(bits_as<uints>(x) & 0xfffff000);
	floats low = x - high;

	p = p * t + 3.63127038e-1f;
	p = p * t - 6.327371866e-1f;
	p = p * t + 4.289842975e-1f;
	p = p * t - 1.227617408e-1f;
	p = p * t + 2.415439067e-1f;
	p = p * t + 2.331751968e-1f;
	p = p * t + 2.839171334e-1f;
	p = p * t + 2.819546364e-1f;
	p = p * t + 4.719516548e-6f;
	p = p * exp(-high * high) * exp(-(high + x) * low);
	p = select(x > 10.0f, spread(0.0f), p);
	return select(x < 0.5f, 1.0f - small, p);
}

VNPU_ALWAYS_INLINE floats erf_small(floats x)
{
	floats z = x * x, p = spread(7.872582762e-5f);

	p = p * z - 8.01595619e-4f;
	p = p * z + 5.188994224e-3f;
	p = p * z - 2.685416834e-2f;
	p = p * z + 1.12835938e-1f;
	p = p * z - 3.76126266e-1f;
	/* 2 / sqrt(pi) is 1 and a small number, which has more digits. */
	return x + x * (p * z + 1.28379167e-1f);
}

VNPU_ALWAYS_INLINE floats erf(floats a)
{
	floats x = absolute(a), small = erf_small(x);
	floats large = 1.0f - erfc_positive(x, small);

	return copy_sign(select(x < 1.0f, small, select(x == x, large, x)), a);
}

VNPU_ALWAYS_INLINE floats erfc(floats a)
{
	floats x = absolute(a);
	floats positive = erfc_positive(x, erf_small(x));

	return select(a == a, select(a < 0.0f, 2.0f - positive, positive), a);
}

/* a = q pi/2 + r, with pi/2 in three pieces: good to about |a| = 10^4. */
VNPU_ALWAYS_INLINE floats quarter_turns(floats a, ints *quarter)
{
	floats q = round_even(a * 0.636619772f);

	*quarter = to_ints(select(absolute(q) < 1e9f, q, spread(0.0f)));
	a = a - q * 1.5703125f;
	a = a - q * 4.83751296997e-4f;
	return a - q * 7.54978995489e-8f;
}

VNPU_ALWAYS_INLINE floats sine_of(floats r)
{
	floats z = r * r, p = spread(2.724962e-6f);

	p = p * z - 1.984008438e-4f;
	p = p * z + 8.33333187e-3f;
	p = p * z - 1.666666666e-1f;
	return p * z * r + r;
}

VNPU_ALWAYS_INLINE floats cosine_of(floats r)
{
	floats z = r * r, p = spread(-2.730070397e-7f);

	p = p * z + 2.480059841e-5f;
	p = p * z - 1.388888767e-3f;
	p = p * z + 4.166666666e-2f;
	return p * z * z - 0.5f * z + 1.0f;
}

VNPU_ALWAYS_INLINE floats sine_turned(floats r, ints quarter)
{
	floats value = select((quarter & 1) != 0, cosine_of(r), sine_of(r));

	return select((quarter & 2) != 0, -value, value);
}

VNPU_ALWAYS_INLINE floats sin(floats a)
{
	ints quarter;
	floats r = quarter_turns(a, &quarter);

	return sine_turned(r, quarter);
}

VNPU_ALWAYS_INLINE floats cos(floats a)
{
	ints quarter;
	floats r = quarter_turns(a, &quarter);

	return sine_turned(r, quarter + 1);
}

VNPU_ALWAYS_INLINE floats atan(floats a)
{
	floats x = absolute(a), base, z, p;
	ints is_large = x > 2.414213562f, is_middle = x > 0.4142135624f;

	base = select(is_large, spread(1.57079633f),
		      select(is_middle, spread(0.785398163f), spread(0.0f)));
	x = select(is_large, -1.0f / x,
		   select(is_middle, (x - 1.0f) / (x + 1.0f), x));
	z = x * x;
	p = spread(-6.450881604e-2f);
	p = p * z + 1.074341562e-1f;
	p = p * z - 1.426392637e-1f;
	p = p * z + 1.999953964e-1f;
	p = p * z - 3.333333176e-1f;
	return copy_sign(base + (p * z * x + x), a);
}

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_FUNCTIONS_H */
