// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results of aclrtReduceAsync(), compared with a model that adds doubles: the
 * sum of two numbers of at most 24 bits, rounded to 53 bits and then to their
 * format, is the same as if it was rounded once.
 */
#include <math.h>

#include "acl-stream.h"

#define COUNT	4096

struct format {
	aclDataType type;
	unsigned int size;
	int fraction;		/* bits of the exponent, or 0: integers */
	int exponent;		/* bits of the fraction */
};

static const struct format formats[] = {
	{ ACL_FLOAT,	4, 23, 8 },
	{ ACL_FLOAT16,	2, 10, 5 },
	{ ACL_BF16,	2, 7, 8 },
	{ ACL_INT8,	1, 0, 0 },
	{ ACL_INT16,	2, 0, 0 },
	{ ACL_INT32,	4, 0, 0 },
};

#define FORMATS	(sizeof(formats) / sizeof(formats[0]))

static int bias(const struct format *f)
{
	return (1 << (f->exponent - 1)) - 1;
}

static uint32_t infinity_bits(const struct format *f)
{
	return ((1U << f->exponent) - 1) << f->fraction;
}

static double decode(const struct format *f, uint32_t bits)
{
	uint32_t magnitude = bits & ((1U << (f->fraction + f->exponent)) - 1);
	double sign = bits == magnitude ? 1 : -1;
	int exponent = magnitude >> f->fraction;
	double mantissa = magnitude & ((1U << f->fraction) - 1);

	if (magnitude == infinity_bits(f))
		return sign * INFINITY;
	if (magnitude > infinity_bits(f))
		return NAN;
	if (exponent)
		mantissa += 1U << f->fraction;
	else
		exponent = 1;
	return sign * ldexp(mantissa, exponent - bias(f) - f->fraction);
}

/* Rounded to nearest, ties to even; NaN without sign and payload. */
static uint32_t encode(const struct format *f, double x)
{
	uint32_t sign = signbit(x) ? 1U << (f->fraction + f->exponent) : 0;
	int exponent;
	double steps;

	if (isnan(x))
		return infinity_bits(f) | 1U << (f->fraction - 1);
	if (isinf(x))
		return sign | infinity_bits(f);
	x = fabs(x);
	if (!x)
		return sign;
	exponent = ilogb(x);
	if (exponent < 1 - bias(f))
		exponent = 1 - bias(f);
	steps = rint(ldexp(x, f->fraction - exponent));
	/* A full fraction carries into the exponent. */
	steps += ldexp(exponent + bias(f) - 1, f->fraction);
	if (steps >= infinity_bits(f))
		return sign | infinity_bits(f);
	return sign | (uint32_t)steps;
}

static uint32_t model_float(const struct format *f, aclrtReduceKind kind,
			    uint32_t a, uint32_t b)
{
	double x = decode(f, a), y = decode(f, b);
	bool a_is_more = x > y || (x == y && signbit(x) < signbit(y));

	if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL)
		return encode(f, x == y);
	if (isnan(x) || isnan(y))
		return encode(f, NAN);
	if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM)
		return encode(f, x + y);
	if (kind == ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX)
		return a_is_more ? a : b;
	return a_is_more ? b : a;
}

static int32_t extend(const struct format *f, uint32_t bits)
{
	unsigned int shift = 32 - 8 * f->size;

	return (int32_t)(bits << shift) >> shift;
}

static uint32_t model(const struct format *f, aclrtReduceKind kind, uint32_t a,
		      uint32_t b)
{
	int32_t x = extend(f, a), y = extend(f, b);

	if (f->fraction)
		return model_float(f, kind, a, b);
	switch (kind) {
	case ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM:
		return a + b;
	case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX:
		return x > y ? x : y;
	case ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN:
		return x < y ? x : y;
	default:
		return x == y;
	}
}

static uint32_t get(const struct format *f, const uint8_t *array, int i)
{
	uint32_t bits = 0;

	memcpy(&bits, array + i * f->size, f->size);
	return bits;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * All pairs of special numbers, then numbers of all sizes, with some equal and
 * some close pairs.
 */
static void fill(const struct format *f, uint64_t *seed, uint8_t *a, uint8_t *b)
{
	uint32_t top = 1U << (8 * f->size - 1), special[16];
	uint32_t inf = f->fraction ? infinity_bits(f) : 0x55555555;

	for (int i = 0; i < 2; i++) {
		uint32_t sign = i ? top : 0;
		const uint32_t some[] = {
			0, 1, inf, inf - 1, inf + 1, 1U << f->fraction,
			(1U << f->fraction) - 1, top - 1,
		};

		for (int k = 0; k < 8; k++)
			special[8 * i + k] = some[k] ^ sign;
	}
	for (int i = 0; i < COUNT; i++) {
		uint32_t x = next_random(seed), y = next_random(seed);

		if (i % 4 == 1)
			y = x;
		else if (i % 4 == 2)
			y = (x ^ top) + y % 8;
		else if (i % 4 == 3 && f->fraction)
			y = (y & ((1U << f->fraction) - 1)) |
			    (x & ~((1U << f->fraction) - 1));
		if (i < 256) {
			x = special[i / 16];
			y = special[i % 16];
		}
		memcpy(a + i * f->size, &x, f->size);
		memcpy(b + i * f->size, &y, f->size);
	}
}

FIXTURE(reduce)
{
	struct work w;
	uint8_t *a, *b, *result;	/* pinned */
};

FIXTURE_SETUP(reduce)
{
	ASSERT_EQ(ACL_SUCCESS, work_init(&self->w)) TH_LOG("%s", recent());
	self->a = self->w.pinned;
	self->b = self->a + COUNT * 4;
	self->result = self->b + COUNT * 4;
}

FIXTURE_TEARDOWN(reduce)
{
}

static aclError run(struct work *w, const struct format *f,
		    aclrtReduceKind kind, void *result)
{
	const size_t bytes = COUNT * f->size;
	uint8_t *src = w->dev + AREA / 2 + f->size;
	aclError err;

	err = aclrtMemcpyAsync(w->dev, bytes, w->pinned, bytes,
			       ACL_MEMCPY_HOST_TO_DEVICE, w->a);
	if (!err)
		err = aclrtMemcpyAsync(src, bytes, w->pinned + COUNT * 4,
				       bytes, ACL_MEMCPY_HOST_TO_DEVICE, w->a);
	if (!err)
		err = aclrtReduceAsync(w->dev, src, bytes, kind, f->type, w->a,
				       NULL);
	if (!err)
		err = aclrtMemcpyAsync(result, bytes, w->dev, bytes,
				       ACL_MEMCPY_DEVICE_TO_HOST, w->a);
	return err ? err : aclrtSynchronizeStream(w->a);
}

TEST_F(reduce, equals_the_model)
{
	uint64_t seed = 0x9e3779b97f4a7c15;
	int kind, i;
	size_t k;

	for (k = 0; k < FORMATS; k++) {
		const struct format *f = &formats[k];
		uint32_t mask = ~0U >> (32 - 8 * f->size);

		for (kind = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
		     kind <= ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL; kind++) {
			fill(f, &seed, self->a, self->b);
			OK(run(&self->w, f, kind, self->result));
			for (i = 0; i < COUNT; i++) {
				uint32_t a = get(f, self->a, i);
				uint32_t b = get(f, self->b, i);

				ASSERT_EQ(mask & model(f, kind, a, b),
					  get(f, self->result, i))
					TH_LOG("type %d kind %d: %x and %x",
					       f->type, kind, a, b);
			}
		}
	}
}

/* An array added to itself ten times, in the order of the stream. */
TEST_F(reduce, in_place_and_in_order)
{
	int32_t *values = (int32_t *)self->w.pinned;
	struct work *w = &self->w;
	const size_t count = AREA / 4;

	for (size_t i = 0; i < count; i++)
		values[i] = (int32_t)i - 5;
	OK(aclrtMemcpyAsync(w->dev, AREA, values, AREA,
			    ACL_MEMCPY_HOST_TO_DEVICE, w->a));
	for (int i = 0; i < 10; i++)
		OK(aclrtReduceAsync(w->dev, w->dev, AREA,
				    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
				    ACL_INT32, w->a, NULL));
	OK(aclrtMemcpyAsync(values, AREA, w->dev, AREA,
			    ACL_MEMCPY_DEVICE_TO_HOST, w->a));
	OK(aclrtSynchronizeStream(w->a));
	for (size_t i = 0; i < count; i++)
		ASSERT_EQ(((int32_t)i - 5) * 1024, values[i]);
}

/* Memory next to the result is unchanged. */
TEST_F(reduce, touches_nothing_else)
{
	struct work *w = &self->w;
	uint8_t bytes[64];

	OK(aclrtMemset(w->dev, 64, 1, 64));
	OK(aclrtMemset(w->dev + 64, 64, 2, 64));
	OK(aclrtReduceAsync(w->dev + 7, w->dev + 64, 9,
			    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, w->a,
			    NULL));
	OK(aclrtSynchronizeStream(w->a));
	OK(aclrtMemcpy(bytes, 64, w->dev, 64, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_TRUE(all_are(bytes, 1, 7));
	EXPECT_TRUE(all_are(bytes + 7, 3, 9));
	EXPECT_TRUE(all_are(bytes + 16, 1, 48));
}

TEST_HARNESS_MAIN
