// SPDX-License-Identifier: GPL-2.0-only
/* Tensors of any type and layout, see typed.h. */
#include "typed.h"

const aclDataType float_types[] = {
	ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE,
};

const aclDataType plain_types[] = {
	ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT8, ACL_INT32, ACL_INT64,
	ACL_UINT8,
};

static void *memory[512];
static unsigned int memory_count;

void forget_typed(void)
{
	forget();
	while (memory_count)
		free(memory[--memory_count]);
}

static unsigned int bytes_of(aclDataType dtype)
{
	switch (dtype) {
	case ACL_DOUBLE:
	case ACL_INT64:
		return 8;
	case ACL_FLOAT:
	case ACL_INT32:
		return 4;
	case ACL_FLOAT16:
	case ACL_BF16:
	case ACL_INT16:
		return 2;
	default:
		return 1;
	}
}

/* Choose the distances of elements; return how many the view reaches. */
static int64_t place(struct typed *t, enum layout layout)
{
	int64_t gap = layout == SLICED ? 2 : 1, last = 0;
	unsigned int i, dim;

	for (i = 0; i < t->rank; i++) {
		dim = layout == TRANSPOSED ? i : t->rank - 1 - i;
		t->strides[dim] = gap;
		gap *= t->dims[dim];
	}
	if (layout == EXPANDED && t->rank)
		t->strides[0] = 0;
	for (i = 0; i < t->rank; i++)
		last += (t->dims[i] - 1) * t->strides[i];
	return t->count ? last + 1 : 0;
}

struct typed make_typed(aclDataType dtype, enum layout layout,
			unsigned int rank, const int64_t *dims)
{
	struct typed t = { .dtype = dtype, .rank = rank, .count = 1 };
	int64_t offset = layout == SLICED ? 3 : 0, reach;
	unsigned char *base;

	for (unsigned int i = 0; i < rank; i++) {
		t.dims[i] = dims[i];
		t.count *= dims[i];
	}
	reach = offset + place(&t, layout);
	base = calloc(reach + !reach, bytes_of(dtype));
	memory[memory_count++] = base;
	t.data = base + offset * bytes_of(dtype);
	t.tensor = strided(dtype, base, rank, dims, t.strides, offset, reach);
	for (int64_t i = 0; i < t.count; i++)
		set(&t, i, 1);
	return t;
}

static unsigned char *element(const struct typed *t, int64_t number)
{
	int64_t at = 0;

	for (unsigned int i = t->rank; i--;) {
		at += number % t->dims[i] * t->strides[i];
		number /= t->dims[i];
	}
	return t->data + at * bytes_of(t->dtype);
}

#define READ(type)	({ type value_; memcpy(&value_, at, sizeof(value_)); value_; })
#define WRITE(type, x)	({ type value_ = (x); memcpy(at, &value_, sizeof(value_)); })

double get(const struct typed *t, int64_t number)
{
	const unsigned char *at = element(t, number);
	uint32_t bits;
	float f;

	switch (t->dtype) {
	case ACL_DOUBLE:
		return READ(double);
	case ACL_FLOAT:
		return READ(float);
	case ACL_FLOAT16:
		bits = READ(uint16_t);
		if ((bits & 0x7c00) == 0x7c00)
			return bits & 0x3ff ? NAN :
			       bits & 0x8000 ? -INFINITY : INFINITY;
		return from_half(bits);
	case ACL_BF16:
		bits = (uint32_t)READ(uint16_t) << 16;
		memcpy(&f, &bits, sizeof(f));
		return f;
	case ACL_INT64:
		return READ(int64_t);
	case ACL_INT32:
		return READ(int32_t);
	case ACL_INT16:
		return READ(int16_t);
	case ACL_INT8:
		return READ(int8_t);
	default:
		return READ(uint8_t);
	}
}

static uint16_t half_of(double value)
{
	if (isnan(value))
		return 0x7e00;
	if (isinf(value))
		return value < 0 ? 0xfc00 : 0x7c00;
	return to_half(value);
}

/* Numbers that are stored as bf16 have no bits that are cut off. */
static uint16_t bf16_of(double value)
{
	float f = value;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits >> 16;
}

void set(const struct typed *t, int64_t number, double value)
{
	unsigned char *at = element(t, number);

	switch (t->dtype) {
	case ACL_DOUBLE:
		WRITE(double, value);
		break;
	case ACL_FLOAT:
		WRITE(float, value);
		break;
	case ACL_FLOAT16:
		WRITE(uint16_t, half_of(value));
		break;
	case ACL_BF16:
		WRITE(uint16_t, bf16_of(value));
		break;
	case ACL_INT64:
		WRITE(int64_t, value);
		break;
	case ACL_INT32:
		WRITE(int32_t, value);
		break;
	case ACL_INT16:
		WRITE(int16_t, value);
		break;
	case ACL_INT8:
		WRITE(int8_t, value);
		break;
	default:
		WRITE(uint8_t, value);
	}
}

static double precision(aclDataType dtype)
{
	switch (dtype) {
	case ACL_DOUBLE:
		return 0x1p-40;
	case ACL_FLOAT:
		return 0x1p-19;
	case ACL_FLOAT16:
		return 0x1p-9;
	case ACL_BF16:
		return 0x1p-6;
	default:
		return 0;
	}
}

void fill(const struct typed *t, unsigned int seed)
{
	for (int64_t i = 0; i < t->count; i++) {
		double x = number(i + seed * 1000ULL);

		set(t, i, precision(t->dtype) ? rint(x * 64) / 64 :
						floor(x + 2));
	}
}

bool is(const struct typed *t, int64_t number, double want)
{
	double given = get(t, number), scale = fmax(fabs(want), 1);

	if (isnan(want) ? isnan(given) : isinf(want) ? given == want :
	    fabs(given - want) <= precision(t->dtype) * scale)
		return true;
	note("element %lld of type %d is %.9g, expected %.9g",
	     (long long)number, t->dtype, given, want);
	return false;
}

bool each_layout(const aclDataType *types, unsigned int count,
		 unsigned int layouts,
		 bool (*check)(aclDataType dtype, enum layout layout))
{
	for (unsigned int t = 0; t < count; t++)
		for (unsigned int layout = 0; layout < layouts; layout++) {
			forget_typed();
			EXPECT(check(types[t], layout));
		}
	forget_typed();
	return true;
}
