// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare the distributions of random numbers with their mathematics. One run
 * in some millions exceeds the limits by chance.
 */
#include <math.h>

#include "../../driver/tests/tap.h"
#include "../../driver/core/normal.h"
#include "../../driver/core/philox.h"
#include "float_test.h"

#define COUNT	200000

/* The probability of a value below @x in the normal distribution. */
static double below(double x)
{
	return erfc(-x / sqrt(2)) / 2;
}

bool test_random_quantiles(void)
{
	unsigned long step;

	EXPECT(fabs(ldexp(VNPU_NORMAL_BELOW_2, -64) - below(-2)) < 1e-15);
	for (step = 0; step < tap_steps; step++) {
		u32 size = tap_below(32);
		u64 p = (1ULL << (31 + size)) + (tap_random() >> (33 - size));
		double x = ldexp(vnpu_normal_quantile(p),
				 -VNPU_NORMAL_FRACTION);
		/* Newton's step towards the quantile. */
		double off = (below(-x) - ldexp(p, -64)) *
			     sqrt(2 * M_PI) * exp(x * x / 2);

		if (fabs(off) < ldexp(1, -25))
			continue;
		tap_note("%#llx: %.10f is off by %g", (unsigned long long)p, x,
			 off);
		return false;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct shape {
	const char *name;
	u8 dist;
	double low, high;	/* parameters */
	double mean, deviation;
};

static const struct shape shapes[] = {
	{ "uniform", VNPU_RANDOM_UNIFORM, -2, 6, 2, 2.3094010767585 },
	{ "normal", VNPU_RANDOM_NORMAL, 1, 2, 1, 2 },
	{ "truncated", VNPU_RANDOM_TRUNCATED, 1, 2, 1, 1.7592518251318 },
};

static double probability(const struct shape *s, double x)
{
	double z = (x - s->low) / s->high;

	switch (s->dist) {
	case VNPU_RANDOM_UNIFORM:
		return (x - s->low) / (s->high - s->low);
	case VNPU_RANDOM_NORMAL:
		return below(z);
	default:
		return (below(z) - below(-2)) / (below(2) - below(-2));
	}
}

/*
 * The @unit is the distance of numbers at 2 or more, which is the error of all.
 */
static bool has_shape(const struct shape *s, double *x, double unit)
{
	double sum = 0, squares = 0, distance = 0, mean, variance;
	u32 i;

	qsort(x, COUNT, sizeof(*x), compare);
	for (i = 0; i < COUNT; i++) {
		double p = probability(s, x[i]);

		sum += x[i];
		squares += (x[i] - s->mean) * (x[i] - s->mean);
		distance = fmax(distance, fmax(p - (double)i / COUNT,
					       (i + 1.0) / COUNT - p));
	}
	mean = sum / COUNT;
	variance = squares / COUNT / s->deviation / s->deviation;
	if (fabs(mean - s->mean) < unit + 5.5 * s->deviation / sqrt(COUNT) &&
	    fabs(variance - 1) < unit + 5.5 * sqrt(2.0 / COUNT) &&
	    distance < unit + 2.8 / sqrt(COUNT))
		return true;
	tap_note("%s: mean %g, variance %g of the expected one, distance %g",
		 s->name, mean, variance, distance);
	return false;
}

static u32 float_bits(float x)
{
	u32 bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static bool test_floats(const struct shape *s)
{
	static double x[COUNT];
	static u32 wide[COUNT];
	static u16 narrow[COUNT];
	struct vnpu_random r;
	float f;
	u32 i;

	EXPECT(!vnpu_random_init(&r, s->dist, VNPU_TYPE_FP32, tap_random(),
				 float_bits(s->low), float_bits(s->high)));
	r.counter[1] = tap_random();
	vnpu_random(&r, wide, 0, COUNT);
	for (i = 0; i < COUNT; i++) {
		memcpy(&f, &wide[i], sizeof(f));
		x[i] = f;
	}
	EXPECT(has_shape(s, x, 0));

	/* The 16-bit numbers are the 32-bit ones, rounded. */
	EXPECT(!vnpu_random_init(&r, s->dist, VNPU_TYPE_BF16, tap_random(),
				 float_bits(s->low), float_bits(s->high)));
	vnpu_random(&r, narrow, 0, COUNT);
	for (i = 0; i < COUNT; i++) {
		u32 bits = (u32)narrow[i] << 16;

		memcpy(&f, &bits, sizeof(f));
		x[i] = f;
	}
	return has_shape(s, x, 1.0 / 32);
}

static bool test_integers(void)
{
	static u64 x64[COUNT];
	static s32 x32[COUNT];
	u32 count[2][10] = { 0 }, i, k;
	struct vnpu_random r;

	EXPECT(!vnpu_random_init(&r, VNPU_RANDOM_UNIFORM, VNPU_TYPE_S32,
				 tap_random(), -5, 5));
	vnpu_random(&r, x32, 0, COUNT);
	EXPECT(!vnpu_random_init(&r, VNPU_RANDOM_UNIFORM, VNPU_TYPE_U64,
				 tap_random(), 0, U64_MAX / 10 * 10));
	vnpu_random(&r, x64, 0, COUNT);
	for (i = 0; i < COUNT; i++) {
		count[0][x32[i] + 5]++;
		count[1][x64[i] / (U64_MAX / 10)]++;
	}
	for (k = 0; k < 2; k++) {
		double chi = 0, want = COUNT / 10.0;

		for (i = 0; i < 10; i++)
			chi += (count[k][i] - want) * (count[k][i] - want) /
			       want;
		EXPECT(chi < 48);
	}
	return true;
}

bool test_random_distributions(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++)
		EXPECT(test_floats(&shapes[i]));
	return test_integers();
}

/* The number of zeroes is as expected, all or none at the ends. */
bool test_random_dropout(void)
{
	static const float ratio[] = { 0, 1, 0.5, 0.1, 0.999, 1e-5, 1e-40 };
	static u8 mask[COUNT / 8];
	struct vnpu_random r;
	u32 i, k, zeroes;

	for (k = 0; k < ARRAY_SIZE(ratio); k++) {
		double p = ratio[k];

		EXPECT(!vnpu_random_init(&r, VNPU_RANDOM_DROPOUT, VNPU_TYPE_U8,
					 tap_random(), float_bits(p), 0));
		vnpu_random(&r, mask, 0, COUNT);
		for (i = 0, zeroes = 0; i < COUNT; i++)
			zeroes += !(mask[i / 8] >> i % 8 & 1);
		EXPECT(fabs(zeroes - p * COUNT) <=
		       5.5 * sqrt(p * (1 - p) * COUNT) + (p > 0 && p < 1e-4) *
		       10);
		EXPECT(p > 0 || !zeroes);
		EXPECT(p < 1 || zeroes == COUNT);
	}
	/* The rest of the last byte. */
	mask[1] = 0xff;
	vnpu_random(&r, mask, 0, 11);
	EXPECT(mask[0] == 0xff && mask[1] == 0x07);
	return true;
}
