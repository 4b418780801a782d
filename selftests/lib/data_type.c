// SPDX-License-Identifier: GPL-2.0-only
/* The sizes of data types, and float16 from and to float. */
#include "acl-test.h"

#include <math.h>

TEST(data_type_sizes)
{
	static const struct {
		aclDataType type;
		size_t size;
	} table[] = {
		{ ACL_DT_UNDEFINED, 0 }, { ACL_STRING, 0 },
		{ ACL_BOOL, 1 }, { ACL_INT8, 1 }, { ACL_UINT8, 1 },
		{ ACL_INT4, 1 }, { ACL_UINT1, 1 }, { ACL_HIFLOAT8, 1 },
		{ ACL_FLOAT8_E5M2, 1 }, { ACL_FLOAT8_E4M3FN, 1 },
		{ ACL_FLOAT8_E8M0, 1 },
		{ ACL_FLOAT16, 2 }, { ACL_BF16, 2 }, { ACL_INT16, 2 },
		{ ACL_UINT16, 2 },
		{ ACL_FLOAT, 4 }, { ACL_INT32, 4 }, { ACL_UINT32, 4 },
		{ ACL_COMPLEX32, 4 },
		{ ACL_INT64, 8 }, { ACL_UINT64, 8 }, { ACL_DOUBLE, 8 },
		{ ACL_COMPLEX64, 8 },
		{ ACL_COMPLEX128, 16 },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		EXPECT_EQ(table[i].size, aclDataTypeSize(table[i].type))
			TH_LOG("type %d", table[i].type);
}

static float from_bits(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t to_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

#define HALF_MAX	0x7bff	/* 65504 */

/*
 * The value of binary16 @h by its definition, except that the exponent of
 * infinity and NaN counts as an ordinary one.
 */
static double half_value(uint16_t h)
{
	int exponent = h >> 10 & 31;
	double fraction = h & 1023;
	double v = exponent ? ldexp(1024 + fraction, exponent - 25) :
			      ldexp(fraction, -24);

	return h & 0x8000 ? -v : v;
}

TEST(every_float16_to_float_and_back)
{
	uint32_t h, wrong = 0;
	float f;

	for (h = 0; h < 65536; h++) {
		f = aclFloat16ToFloat((aclFloat16)h);
		wrong += to_bits(f) != to_bits((float)half_value((uint16_t)h));
		if ((h & 0x7fff) <= HALF_MAX)
			wrong += aclFloatToFloat16(f) != h;
		else
			wrong += aclFloatToFloat16(f) !=
				 ((h & 0x8000) | HALF_MAX);
	}
	EXPECT_EQ(0, wrong);
}

/* Between any two neighbours: below, at and above the middle. */
TEST(float_to_float16_rounds_to_nearest_even)
{
	uint32_t h, wrong = 0;

	for (h = 0; h < HALF_MAX; h++) {
		double low = half_value((uint16_t)h);
		double high = half_value((uint16_t)(h + 1));
		float middle = (float)((low + high) / 2);
		uint16_t even = h & 1 ? h + 1 : h;
		float below = from_bits(to_bits(middle) - 1);
		float above = from_bits(to_bits(middle) + 1);

		wrong += aclFloatToFloat16(middle) != even;
		wrong += aclFloatToFloat16(-middle) != (even | 0x8000);
		wrong += aclFloatToFloat16(below) != h;
		wrong += aclFloatToFloat16(above) != h + 1;
		wrong += aclFloatToFloat16(-above) != ((h + 1) | 0x8000);
	}
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(0, aclFloatToFloat16(1e-30f));
	EXPECT_EQ(0x8000, aclFloatToFloat16(-1e-45f));
}

TEST(float_to_float16_saturates)
{
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(65519.996f));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(65520.0f));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(65536.0f));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(3e38f));
	EXPECT_EQ(HALF_MAX | 0x8000, aclFloatToFloat16(-3e38f));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(INFINITY));
	EXPECT_EQ(HALF_MAX | 0x8000, aclFloatToFloat16(-INFINITY));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(NAN));
	EXPECT_EQ(HALF_MAX, aclFloatToFloat16(from_bits(0x7f800001)));
}

TEST_HARNESS_MAIN
