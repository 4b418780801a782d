// SPDX-License-Identifier: MIT
/*
 * Conversions of binary16.
 *
 * CANN documents that they saturate, whatever the overflow mode of the device
 * ("other APIs", aclFloatToFloat16 and aclFloat16ToFloat): infinity and NaN
 * become the largest finite number.  The bits of infinity and NaN are read as
 * if their exponent were an ordinary one.
 */
#include <stdint.h>
#include <string.h>

#include "acl/acl_base_rt.h"

#define HALF_SIGN	0x8000U
#define HALF_MAX	0x7bffU		/* 65504 */
#define HALF_FRACTION	10		/* bits */
#define HALF_BIAS	15

#define FLOAT_INFINITY	0x7f800000U
#define FLOAT_FRACTION	23
#define FLOAT_BIAS	127

/* Divide by 2^@shift, rounding to nearest, ties to even. */
static uint32_t round_shift(uint32_t value, unsigned int shift)
{
	uint32_t result = value >> shift;
	uint32_t rest = value & ((1U << shift) - 1);
	uint32_t half = 1U << (shift - 1);

	if (rest > half || (rest == half && result & 1))
		result++;
	return result;
}

aclFloat16 aclFloatToFloat16(float value)
{
	const unsigned int shift = FLOAT_FRACTION - HALF_FRACTION;
	uint32_t bits, sign, magnitude, half;
	int exponent;

	memcpy(&bits, &value, sizeof(bits));
	sign = bits >> 16 & HALF_SIGN;
	magnitude = bits & ~(1U << 31);

	if (magnitude > FLOAT_INFINITY)
		return HALF_MAX;	/* NaN of either sign */

	exponent = (int)(magnitude >> FLOAT_FRACTION) - FLOAT_BIAS + HALF_BIAS;
	if (exponent > 0) {
		/*
		 * A carry out of the fraction correctly increments the
		 * exponent.
		 */
		magnitude -= (uint32_t)(FLOAT_BIAS - HALF_BIAS) <<
			     FLOAT_FRACTION;
		half = round_shift(magnitude, shift);
		if (half > HALF_MAX)
			half = HALF_MAX;
	} else if (exponent >= -HALF_FRACTION) {
		/* Subnormal: make the leading one explicit. */
		uint32_t fraction = magnitude & ((1U << FLOAT_FRACTION) - 1);

		fraction |= 1U << FLOAT_FRACTION;
		half = round_shift(fraction, shift + 1 - exponent);
	} else {
		half = 0;
	}
	return sign | half;
}

float aclFloat16ToFloat(aclFloat16 value)
{
	uint32_t exponent = value >> HALF_FRACTION & 0x1f;
	uint32_t fraction = value & ((1U << HALF_FRACTION) - 1);
	uint32_t bits;
	float result;

	if (exponent) {
		bits = (exponent + FLOAT_BIAS - HALF_BIAS) << FLOAT_FRACTION |
		       fraction << (FLOAT_FRACTION - HALF_FRACTION);
	} else {
		/* Zero or subnormal: an integer of 2^-24, exact as a float. */
		result = (float)fraction * 0x1p-24f;
		memcpy(&bits, &result, sizeof(bits));
	}
	bits |= (uint32_t)(value & HALF_SIGN) << 16;
	memcpy(&result, &bits, sizeof(result));
	return result;
}
