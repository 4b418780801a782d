/* SPDX-License-Identifier: MIT */
/*
 * Hyperbolic functions and inverse functions, for eight floats.  The formulas keep
 * the digits of small results, which a difference of exponentials would lose.
 */
#ifndef ASCENDC_VNPU_HYPERBOLIC_H
#define ASCENDC_VNPU_HYPERBOLIC_H

#include "functions.h"

namespace vnpu {

constexpr float LN_2 = 0.693147181f;

/* Beyond, e^-x does not count beside e^x. */
constexpr float HYPERBOLIC_LARGE = 10.0f;
/* Beyond, 1 does not count beside x^2. */
constexpr float INVERSE_LARGE = 8192.0f;

/* log(1 + x): the quotient corrects the rounding of 1 + x. */
VNPU_ALWAYS_INLINE floats log_1_plus(floats x)
{
	floats sum = 1.0f + x, rounded = sum - 1.0f;
	floats value = log(sum) * (x / rounded);

	value = select(rounded == 0.0f, x, value);
	return select(absolute(sum) > 1e30f, log(sum), value);
}

/* e^x - 1 for x of at most HYPERBOLIC_LARGE, likewise. */
VNPU_ALWAYS_INLINE floats exp_minus_1(floats x)
{
	floats power = exp(x), difference = power - 1.0f;
	floats value = difference * x / log(power);

	value = select(power == 1.0f, x, value);
	return select(difference == -1.0f, difference, value);
}

/* e^x / 2 without an overflow before the result has one. */
VNPU_ALWAYS_INLINE floats half_exp(floats x)
{
	floats root = exp(0.5f * x);

	return 0.5f * root * root;
}

VNPU_ALWAYS_INLINE floats sinh(floats a)
{
	floats x = absolute(a), e = exp_minus_1(x);
	floats value = 0.5f * (e + e / (e + 1.0f));

	return copy_sign(select(x > HYPERBOLIC_LARGE, half_exp(x), value), a);
}

VNPU_ALWAYS_INLINE floats cosh(floats a)
{
	floats x = absolute(a), e = exp(x);

	return select(x > HYPERBOLIC_LARGE, half_exp(x),
		      0.5f * (e + 1.0f / e));
}

VNPU_ALWAYS_INLINE floats asinh(floats a)
{
	floats x = absolute(a), square = x * x;
	floats value = log_1_plus(x + square /
				  (1.0f + square_root(1.0f + square)));

	return copy_sign(select(x > INVERSE_LARGE, log(x) + LN_2, value), a);
}

VNPU_ALWAYS_INLINE floats acosh(floats a)
{
	floats x = a - 1.0f;

	return select(a > INVERSE_LARGE, log(a) + LN_2,
		      log_1_plus(x + square_root(x * (x + 2.0f))));
}

VNPU_ALWAYS_INLINE floats atanh(floats a)
{
	floats x = absolute(a);

	return copy_sign(0.5f * log_1_plus(2.0f * x / (1.0f - x)), a);
}

VNPU_ALWAYS_INLINE floats asin(floats a)
{
	return atan(a / square_root((1.0f - a) * (1.0f + a)));
}

VNPU_ALWAYS_INLINE floats acos(floats a)
{
	return 2.0f * atan(square_root((1.0f - a) / (1.0f + a)));
}

} /* namespace vnpu */

#endif /* ASCENDC_VNPU_HYPERBOLIC_H */
