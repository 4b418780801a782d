// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results of aclrtRandomNumAsync(), compared with an implementation in the test
 * and with the mathematics of the distributions.
 */
#include <limits.h>
#include <math.h>

#include "acl-stream.h"

#define COUNT	1000
#define SEED	0x0123456789abcdef

#define DROPOUT		ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK
#define UNIFORM		ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS
#define NORMAL		ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS
#define TRUNCATED	ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS

/* Return one of the words of Philox4x32-10 after @skip blocks. */
static uint32_t philox(uint64_t key, uint64_t skip, uint64_t word)
{
	uint64_t block = skip + word / 4;
	uint32_t c[4] = { block, block >> 32, block < skip, 0 };
	uint32_t k[2] = { key, key >> 32 };

	for (int i = 0; i < 10; i++) {
		uint64_t p0 = 0xd2511f53ULL * c[0];
		uint64_t p1 = 0xcd9e8d57ULL * c[2];
		const uint32_t next[4] = {
			(uint32_t)(p1 >> 32) ^ c[1] ^ k[0], p1,
			(uint32_t)(p0 >> 32) ^ c[3] ^ k[1], p0,
		};

		memcpy(c, next, sizeof(c));
		k[0] += 0x9e3779b9;
		k[1] += 0xbb67ae85;
	}
	return c[word % 4];
}

static aclrtRandomParaInfo value(const void *bytes, size_t size)
{
	aclrtRandomParaInfo param = { .size = size };

	memcpy(param.valueOrAddr, bytes, size);
	return param;
}

static aclrtRandomParaInfo number(uint64_t number)
{
	return value(&number, sizeof(number));
}

static aclrtRandomParaInfo at(const void *address)
{
	aclrtRandomParaInfo param = value(&address, sizeof(address));

	param.isAddr = 1;
	return param;
}

FIXTURE(random)
{
	struct work w;
	uint64_t *counter;		/* 16 bytes on the device */
	aclrtRandomNumTaskInfo info;
};

FIXTURE_SETUP(random)
{
	ASSERT_EQ(ACL_SUCCESS, work_init(&self->w)) TH_LOG("%s", recent());
	self->counter = (uint64_t *)(self->w.dev + AREA / 2);
	self->info = (aclrtRandomNumTaskInfo){
		.randomResultAddr = self->w.dev,
		.randomCounterAddr = self->counter,
		.randomSeed = number(SEED),
		.randomNum = number(COUNT),
	};
}

FIXTURE_TEARDOWN(random)
{
}

static void set_two(aclrtRandomNumTaskInfo *info, aclrtRandomNumFuncType func,
		    aclDataType type, aclrtRandomParaInfo first,
		    aclrtRandomParaInfo second)
{
	info->dataType = type;
	info->randomNumFuncParaInfo.funcType = func;
	/* The members of the union have the same layout. */
	info->randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = first;
	info->randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = second;
}

static void set_floats(aclrtRandomNumTaskInfo *info,
		       aclrtRandomNumFuncType func, float a, float b)
{
	set_two(info, func, ACL_FLOAT, value(&a, sizeof(a)),
		value(&b, sizeof(b)));
}

static aclError make(struct work *w, const aclrtRandomNumTaskInfo *info,
		     void *result, size_t bytes)
{
	aclError err = aclrtRandomNumAsync(info, w->a, NULL);

	if (!err)
		err = aclrtSynchronizeStream(w->a);
	return err ? err : aclrtMemcpy(result, bytes, w->dev, bytes,
				       ACL_MEMCPY_DEVICE_TO_HOST);
}

TEST(the_generator_equals_the_published_one)
{
	EXPECT_EQ(0x6627e8d5, philox(0, 0, 0));
	EXPECT_EQ(0x9b00dbd8, philox(0, 0, 3));
}

/* The ratio is of dataType; the results are bits. */
TEST_F(random, dropout)
{
	static const uint16_t half[] = { 0x3800, 0x3f00 };
	static const aclDataType types[] = { ACL_FLOAT16, ACL_BF16 };
	uint8_t mask[COUNT / 8 + 1];
	float ratio = 0.25;
	int i, k;

	self->info.randomNum = number(COUNT - 3);
	OK(aclrtMemset(self->w.dev, AREA / 2, 0xff, AREA / 2));
	set_floats(&self->info, DROPOUT, ratio, 0);
	OK(make(&self->w, &self->info, mask, sizeof(mask)));
	for (i = 0; i < COUNT - 3; i++)
		ASSERT_EQ(philox(SEED, 0, i) >= 1U << 30,
			  mask[i / 8] >> i % 8 & 1);
	EXPECT_EQ(0, mask[COUNT / 8 - 1] >> 5);
	EXPECT_EQ(0xff, mask[COUNT / 8]);

	for (k = 0; k < 2; k++) {
		set_two(&self->info, DROPOUT, types[k], value(&half[k], 2),
			number(0));
		OK(make(&self->w, &self->info, mask, sizeof(mask)));
		for (i = 0; i < COUNT - 3; i++)
			ASSERT_EQ(philox(SEED, 0, i) >> 31,
				  mask[i / 8] >> i % 8 & 1);
	}
	set_floats(&self->info, DROPOUT, 1, 0);
	OK(make(&self->w, &self->info, mask, sizeof(mask)));
	EXPECT_TRUE(all_are(mask, 0, COUNT / 8));
	set_floats(&self->info, DROPOUT, 0, 0);
	OK(make(&self->w, &self->info, mask, sizeof(mask)));
	EXPECT_TRUE(all_are(mask, 0xff, COUNT / 8 - 1));
	EXPECT_EQ(0x1f, mask[COUNT / 8 - 1]);
}

/* The exact value, rounded down to a float. */
static float uniform(double low, double high, uint32_t word)
{
	double x = low + (high - low) * ldexp(word, -32);
	float f = (float)x;

	return f > x ? nextafterf(f, -INFINITY) : f;
}

TEST_F(random, uniform_floats)
{
	static const float bounds[][2] = {
		{ 0, 1 }, { -2, 6 }, { -3, -1 }, { 5, 5 },
	};
	uint16_t narrow[COUNT];
	float wide[COUNT];
	int i, k;

	for (k = 0; k < 4; k++) {
		float low = bounds[k][0], high = bounds[k][1];

		set_floats(&self->info, UNIFORM, low, high);
		OK(make(&self->w, &self->info, wide, sizeof(wide)));
		for (i = 0; i < COUNT; i++)
			ASSERT_EQ(uniform(low, high, philox(SEED, 0, i)),
				  wide[i]);
	}

	set_two(&self->info, UNIFORM, ACL_FLOAT16,
		value(&(uint16_t){ 0xc000 }, 2), value(&(uint16_t){ 0x4600 }, 2));
	OK(make(&self->w, &self->info, narrow, sizeof(narrow)));
	for (i = 0; i < COUNT; i++) {
		double x = -2 + 8 * ldexp(philox(SEED, 0, i), -32);
		double made = aclFloat16ToFloat(narrow[i]);

		ASSERT_TRUE(made <= x && x - made < ldexp(1, -8));
	}
	set_two(&self->info, UNIFORM, ACL_BF16,
		value(&(uint16_t){ 0xc000 }, 2), value(&(uint16_t){ 0x40c0 }, 2));
	OK(make(&self->w, &self->info, narrow, sizeof(narrow)));
	for (i = 0; i < COUNT; i++) {
		double x = -2 + 8 * ldexp(philox(SEED, 0, i), -32);
		uint32_t bits = (uint32_t)narrow[i] << 16;
		float made;

		memcpy(&made, &bits, sizeof(made));
		ASSERT_TRUE(made <= x && x - made < ldexp(1, -5));
	}
}

/* From @low to below @high, as unsigned numbers that wrap around. */
static uint64_t scale(uint64_t low, uint64_t high, int words, uint64_t i)
{
	unsigned __int128 x = 0, range = high - low;

	for (int k = words; k-- > 0;)
		x = x << 32 | philox(SEED, 0, i * words + k);
	if (words == 2)
		return low + (uint64_t)((x * range) >> 64);
	/* 128 bits times 64 bits; return the bits above 128. */
	return low + (uint64_t)(((x >> 64) * range +
				 (((uint64_t)x * range) >> 64)) >> 64);
}

TEST_F(random, integers_to_their_limits)
{
	static const struct {
		aclDataType type;
		int size;
		uint64_t low, high;
	} cases[] = {
		{ ACL_INT32, 4, (uint32_t)INT_MIN, INT_MAX },
		{ ACL_INT32, 4, (uint32_t)-7, (uint32_t)-3 },
		{ ACL_INT32, 4, 16777217, 16777219 },
		{ ACL_UINT32, 4, 0, UINT_MAX },
		{ ACL_UINT32, 4, UINT_MAX - 2, UINT_MAX },
		{ ACL_INT64, 8, 1ULL << 63, INT64_MAX },
		{ ACL_INT64, 8, -2, 3 },
		{ ACL_INT64, 8, INT64_MAX - 3, INT64_MAX },
		{ ACL_UINT64, 8, 0, UINT64_MAX },
		{ ACL_UINT64, 8, UINT64_MAX - 1, UINT64_MAX },
	};
	uint64_t made[COUNT];
	uint32_t *narrow = (uint32_t *)made;
	size_t k;

	for (k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		uint64_t low = cases[k].low, high = cases[k].high;
		int size = cases[k].size;

		set_two(&self->info, UNIFORM, cases[k].type, value(&low, size),
			value(&high, size));
		OK(make(&self->w, &self->info, made, COUNT * size));
		if (size == 4 && cases[k].type == ACL_INT32) {
			low = (int32_t)low;
			high = (int32_t)high;
		}
		for (int i = 0; i < COUNT; i++) {
			uint64_t want = scale(low, high, size / 2, i);

			ASSERT_EQ(size == 4 ? (uint32_t)want : want,
				  size == 4 ? narrow[i] : made[i])
				TH_LOG("case %zu, number %d", k, i);
		}
	}

	/* The lower bound is above the upper one: no numbers, and an error. */
	set_two(&self->info, UNIFORM, ACL_INT32, value(&(int32_t){ 1 }, 4),
		value(&(int32_t){ -1 }, 4));
	EXPECT_NE(ACL_SUCCESS, make(&self->w, &self->info, made, 4));
}

static double tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

/* Check that the tail beyond each number corresponds to its word. */
TEST_F(random, normal)
{
	const float mean = 3, deviation = 0.5;
	float made[COUNT];
	int k, i;

	for (k = 0; k < 2; k++) {
		set_floats(&self->info, k ? TRUNCATED : NORMAL, mean,
			   deviation);
		OK(make(&self->w, &self->info, made, sizeof(made)));
		for (i = 0; i < COUNT; i++) {
			uint32_t word = philox(SEED, 0, i);
			double p = ldexp(2.0 * (word & 0x7fffffff) + 1, -33);
			double z = (made[i] - mean) / deviation;
			double slope;

			if (k)
				p = tail(2) + (1 - 2 * tail(2)) * p;
			if (word >> 31)
				z = -z;
			slope = exp(-z * z / 2) / sqrt(2 * M_PI);
			ASSERT_GT(1e-5 * slope, fabs(tail(z) - p))
				TH_LOG("%d: %x made %f", k, word, made[i]);
			ASSERT_TRUE(!k || fabs(z) <= 2);
		}
	}

	set_two(&self->info, NORMAL, ACL_FLOAT16,
		value(&(uint16_t){ 0x4200 }, 2), value(&(uint16_t){ 0 }, 2));
	OK(make(&self->w, &self->info, made, 4));
	EXPECT_EQ(0, memcmp(made, "\0\x42\0\x42", 4));
	set_floats(&self->info, NORMAL, 0, -1);
	EXPECT_NE(ACL_SUCCESS, make(&self->w, &self->info, made, 4));
}

/* The counter is the number of blocks to skip; it is read, not written. */
TEST_F(random, counter)
{
	const uint64_t end = ~0ULL;
	uint32_t made[8];

	set_two(&self->info, UNIFORM, ACL_UINT64, number(0), number(1ULL << 32));
	self->info.randomNum = number(4);
	OK(aclrtValueWrite(self->counter, 5, 0, self->w.a));
	OK(make(&self->w, &self->info, made, sizeof(made)));
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(philox(SEED, 5, 4 * i + 3), made[2 * i]);
	EXPECT_EQ(5, dev_u64(self->counter));

	/* Its upper half counts as well. */
	OK(aclrtValueWrite(self->counter, end, 0, self->w.a));
	OK(make(&self->w, &self->info, made, sizeof(made)));
	EXPECT_EQ(philox(SEED, end, 3), made[0]);
	EXPECT_EQ(philox(SEED, end, 7), made[2]);
	EXPECT_EQ(end, dev_u64(self->counter));
	EXPECT_EQ(0, dev_u64(self->counter + 1));

	self->info.randomCounterAddr = (uint8_t *)self->counter + 4;
	EXPECT_ACL(BAD_VALUE,
		   aclrtRandomNumAsync(&self->info, self->w.a, NULL));
}

/* All of them are on the device, written by the stream itself just before. */
TEST_F(random, parameters_in_memory)
{
	uint64_t *p = self->counter + 8;
	aclrtStream s = self->w.a;
	int32_t made[COUNT];

	OK(aclrtValueWrite(p, (uint64_t)(uint32_t)-9, 0, s));
	OK(aclrtValueWrite(p + 1, 11, 0, s));
	OK(aclrtValueWrite(p + 2, SEED, 0, s));
	OK(aclrtValueWrite(p + 3, COUNT, 0, s));
	set_two(&self->info, UNIFORM, ACL_INT32, at(p), at(p + 1));
	self->info.randomSeed = at(p + 2);
	self->info.randomNum = at(p + 3);
	OK(make(&self->w, &self->info, made, sizeof(made)));
	for (int i = 0; i < COUNT; i++)
		ASSERT_EQ((int32_t)scale(-9, 11, 2, i), made[i]);

	self->info.randomSeed = at(&made);
	EXPECT_ACL(BAD_VALUE, aclrtRandomNumAsync(&self->info, s, NULL));
}

/* Sizes that do not match the type. */
TEST_F(random, sizes)
{
	aclrtStream s = self->w.a;
	uint64_t zero = 0;

	set_two(&self->info, UNIFORM, ACL_INT32, value(&zero, 8),
		value(&zero, 4));
	EXPECT_ACL(BAD_VALUE, aclrtRandomNumAsync(&self->info, s, NULL));
	set_two(&self->info, UNIFORM, ACL_INT64, value(&zero, 8),
		value(&zero, 4));
	EXPECT_ACL(BAD_VALUE, aclrtRandomNumAsync(&self->info, s, NULL));
	set_two(&self->info, NORMAL, ACL_INT64, value(&zero, 8),
		value(&zero, 8));
	EXPECT_ACL(BAD_VALUE, aclrtRandomNumAsync(&self->info, s, NULL));
	self->info.randomNum = value(&zero, 4);
	EXPECT_ACL(BAD_VALUE, aclrtRandomNumAsync(&self->info, s, NULL));
}

TEST_HARNESS_MAIN
