// SPDX-License-Identifier: GPL-2.0-only
/* Random views, and exact access to their elements. See ops_test.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops_test.h"

static void *memory[100000];
static unsigned int memories;

void free_views(void)
{
	while (memories)
		free(memory[--memories]);
}

struct vnpu_tensor view(unsigned int dtype, enum layout layout,
			unsigned int rank, const int64_t *dims)
{
	int64_t size = vnpu_dtype_bits(dtype) / 8, step = 1, low = 0, high = 0;
	unsigned int order[VNPU_TENSOR_DIMS], i, k;
	struct vnpu_tensor t = { .dtype = dtype, .rank = rank };
	void *data;

	for (i = 0; i < rank; i++)
		order[i] = rank - 1 - i;
	if (layout == TRANSPOSED)
		for (i = rank; i > 1; i--) {
			unsigned int keep = order[i - 1];

			k = below(i);
			order[i - 1] = order[k];
			order[k] = keep;
		}
	if (layout == SLICED)
		step = 1 + below(3);
	for (i = 0; i < rank; i++) {
		k = order[i];
		t.dims[k] = dims[k];
		t.strides[k] = step;
		if (layout == REVERSED && below(2))
			t.strides[k] = -step;
		if (layout == EXPANDED && below(2)) {
			t.strides[k] = 0;
			continue;
		}
		step *= dims[k];
		if (layout == SLICED)
			step += below(3);
	}
	for (i = 0; i < rank; i++) {
		int64_t way = (t.dims[i] - 1) * t.strides[i];

		if (way < 0)
			low += way;
		else
			high += way;
	}
	t.offset = -low + (layout == SLICED ? below(5) : 0);
	t.bytes = (t.offset + high + 1) * size;
	if (!vnpu_tensor_elements(&t))
		t.bytes = 0;
	data = malloc(t.bytes ? t.bytes : 1);
	memset(data, 0xa5, t.bytes);
	if (dtype == VNPU_DT_BOOL)
		memset(data, 1, t.bytes);
	if (memories == ARRAY_SIZE(memory))
		abort();
	memory[memories++] = data;
	t.data = (uintptr_t)data;
	return t;
}

void *element(const struct vnpu_tensor *t, int64_t number)
{
	int64_t at = t->offset;
	unsigned int i;

	for (i = t->rank; i--;) {
		at += number % t->dims[i] * t->strides[i];
		number /= t->dims[i];
	}
	return (char *)(uintptr_t)t->data + at * (vnpu_dtype_bits(t->dtype) / 8);
}

/* A format with @fraction bits and exponents down to @lowest, decoded plainly. */
static double decode(unsigned int bits, int fraction, int exponents)
{
	int exponent = bits >> fraction & ((1 << exponents) - 1);
	int bias = (1 << (exponents - 1)) - 1;
	double rest = bits & ((1U << fraction) - 1), value;

	if (exponent == (1 << exponents) - 1)
		value = rest ? NAN : INFINITY;
	else if (exponent)
		value = ldexp(rest + (1 << fraction), exponent - bias - fraction);
	else
		value = ldexp(rest, 1 - bias - fraction);
	return bits >> 15 ? -value : value;
}

static unsigned int encode(double value, int fraction, int exponents)
{
	int bias = (1 << (exponents - 1)) - 1, exponent;
	unsigned int sign = signbit(value) ? 0x8000 : 0;
	unsigned int infinity = ((1U << exponents) - 1) << fraction;
	double rest;

	if (value != value)
		return infinity | 1U << (fraction - 1);
	value = fabs(value);
	if (value == INFINITY)
		return sign | infinity;
	if (value == 0)
		return sign;
	exponent = ilogb(value);
	if (exponent < 1 - bias)
		exponent = 1 - bias;
	rest = nearbyint(ldexp(value, fraction - exponent));
	/* Rounding may carry into the exponent, which the sum takes care of. */
	rest += ldexp(exponent + bias - 1, fraction);
	return sign | (rest >= infinity ? infinity : (unsigned int)rest);
}

double get(const struct vnpu_tensor *t, int64_t number)
{
	const void *at = element(t, number);

	if (t->flags & VNPU_TENSOR_F_IMMEDIATE)
		at = &t->data;
	switch (t->dtype) {
	case VNPU_DT_F16:
		return decode(*(const uint16_t *)at, 10, 5);
	case VNPU_DT_BF16:
		return decode(*(const uint16_t *)at, 7, 8);
	case VNPU_DT_F32:
		return *(const float *)at;
	case VNPU_DT_F64:
		return *(const double *)at;
	default:
		return get_int(t, number);
	}
}

int64_t get_int(const struct vnpu_tensor *t, int64_t number)
{
	const void *at = element(t, number);

	if (t->flags & VNPU_TENSOR_F_IMMEDIATE)
		at = &t->data;
	switch (t->dtype) {
	case VNPU_DT_I8:
		return *(const int8_t *)at;
	case VNPU_DT_I16:
		return *(const int16_t *)at;
	case VNPU_DT_I32:
		return *(const int32_t *)at;
	case VNPU_DT_I64:
		return *(const int64_t *)at;
	case VNPU_DT_U8:
		return *(const uint8_t *)at;
	case VNPU_DT_U16:
		return *(const uint16_t *)at;
	case VNPU_DT_U32:
		return *(const uint32_t *)at;
	case VNPU_DT_BOOL:
		return *(const uint8_t *)at != 0;
	default:
		return get(t, number);
	}
}

void set(const struct vnpu_tensor *t, int64_t number, double value)
{
	void *at = element(t, number);

	switch (t->dtype) {
	case VNPU_DT_F16:
		*(uint16_t *)at = encode(value, 10, 5);
		break;
	case VNPU_DT_BF16:
		*(uint16_t *)at = encode(value, 7, 8);
		break;
	case VNPU_DT_F32:
		*(float *)at = value;
		break;
	case VNPU_DT_F64:
		*(double *)at = value;
		break;
	default:
		set_int(t, number, value);
	}
}

void set_int(const struct vnpu_tensor *t, int64_t number, int64_t value)
{
	void *at = element(t, number);

	switch (t->dtype) {
	case VNPU_DT_I8:
		*(int8_t *)at = value;
		break;
	case VNPU_DT_I16:
		*(int16_t *)at = value;
		break;
	case VNPU_DT_I32:
		*(int32_t *)at = value;
		break;
	case VNPU_DT_I64:
		*(int64_t *)at = value;
		break;
	case VNPU_DT_U8:
		*(uint8_t *)at = value;
		break;
	case VNPU_DT_U16:
		*(uint16_t *)at = value;
		break;
	case VNPU_DT_U32:
		*(uint32_t *)at = value;
		break;
	case VNPU_DT_BOOL:
		*(uint8_t *)at = value != 0;
		break;
	default:
		set(t, number, value);
	}
}

int64_t broadcast_number(const struct vnpu_tensor *t, unsigned int rank,
			 const int64_t *dims, int64_t number)
{
	int64_t result = 0, scale = 1;
	unsigned int i;

	for (i = 0; i < rank; i++) {
		int64_t index = number % dims[rank - 1 - i];

		number /= dims[rank - 1 - i];
		if (i >= t->rank)
			continue;
		if (t->dims[t->rank - 1 - i] != 1)
			result += index * scale;
		scale *= t->dims[t->rank - 1 - i];
	}
	return result;
}

void fill(const struct vnpu_tensor *t, double low, double high)
{
	int64_t i, count = vnpu_tensor_elements(t);

	if ((t->dtype == VNPU_DT_U8 || t->dtype == VNPU_DT_U16 ||
	     t->dtype == VNPU_DT_U32) && low < 0)
		low = 0;
	for (i = 0; i < count; i++) {
		if (t->dtype == VNPU_DT_BOOL)
			set_int(t, i, below(2));
		else if (vnpu_dtype_is_float(t->dtype))
			set(t, i, uniform(low, high));
		else
			set_int(t, i, floor(uniform(low, high + 1)));
	}
}

bool is_close(const struct vnpu_tensor *t, int64_t number, double want,
	      double scale, double ulps)
{
	static const struct {
		int fraction, lowest;
	} format[VNPU_DT_COUNT] = {
		[VNPU_DT_F16] = { 10, -14 },
		[VNPU_DT_BF16] = { 7, -126 },
		[VNPU_DT_F32] = { 23, -126 },
		[VNPU_DT_F64] = { 52, -1022 },
	};
	double got = get(t, number), unit, size = fabs(want);
	int exponent;

	if (want != want || got != got)
		return want != want && got != got;
	if (got == want)
		return true;
	if (!vnpu_dtype_is_float(t->dtype))
		return ulps > 1 && fabs(got - want) <= 1;
	if (scale > size)
		size = scale;
	exponent = size > 0 && size < INFINITY ? ilogb(size) : 0;
	if (exponent < format[t->dtype].lowest)
		exponent = format[t->dtype].lowest;
	unit = ldexp(1, exponent - format[t->dtype].fraction);
	/* Numbers beyond the range are infinite. */
	if (fabs(got) == INFINITY && signbit(got) == signbit(want))
		return want + copysign(ulps * unit, want) ==
			       copysign(INFINITY, want) ||
		       (t->dtype == VNPU_DT_F16 && size >= 65488 - ulps * 32) ||
		       (t->dtype == VNPU_DT_BF16 && size >= 3.38e38) ||
		       (t->dtype == VNPU_DT_F32 &&
			size >= 3.4028235e38 * (1 - ulps * 1.2e-7));
	return fabs(got - want) <= ulps * unit;
}

bool is_near(const struct vnpu_tensor *t, int64_t i, double want, double scale)
{
	/* Computed in f32, whatever the output has. */
	if (t->dtype == VNPU_DT_F64 && fabs(get(t, i) - want) <= scale * 1e-5)
		return true;
	if (is_close(t, i, want, t->dtype == VNPU_DT_F32 ? scale : scale / 100,
		     t->dtype == VNPU_DT_F32 ? 16 : 1.1))
		return true;
	note("%lld: %.9g, expected %.9g", (long long)i, get(t, i), want);
	return false;
}

/* Split an element's number into indices, and make it from them. */
void split_number(const struct vnpu_tensor *t, int64_t number, int64_t *index)
{
	unsigned int d;

	for (d = t->rank; d--;) {
		index[d] = number % t->dims[d];
		number /= t->dims[d];
	}
}

int64_t join_number(const struct vnpu_tensor *t, const int64_t *index)
{
	int64_t number = 0;
	unsigned int d;

	for (d = 0; d < t->rank; d++)
		number = number * t->dims[d] + index[d];
	return number;
}

struct vnpu_tensor random_view(unsigned int rank, const int64_t *dims)
{
	struct vnpu_tensor t = view(float_types[below(4)], below(LAYOUTS), rank,
				    dims);

	fill(&t, -3, 3);
	return t;
}

struct vnpu_tensor any_view(unsigned int dtype, unsigned int rank,
			    int64_t most, enum layout layouts)
{
	struct vnpu_tensor t;
	int64_t dims[8];
	unsigned int d;

	for (d = 0; d < rank; d++)
		dims[d] = 1 + below(most);
	t = view(dtype, below(layouts), rank, dims);
	fill(&t, -100, 100);
	return t;
}

bool make_outputs(struct vnpu_op_launch *l)
{
	struct vnpu_op_error error;
	unsigned int i;

	if (vnpu_op_infer(l, &error)) {
		note("%s", error.text);
		return false;
	}
	for (i = l->inputs; i < (unsigned int)l->inputs + l->outputs; i++)
		l->tensor[i] = view(l->tensor[i].dtype, below(OUT_LAYOUTS),
				    l->tensor[i].rank, l->tensor[i].dims);
	return true;
}
