// SPDX-License-Identifier: MIT
/* Types, and the check of views. See tensor.h. */
#include <errno.h>
#include <string.h>

#include "tensor.h"

static const struct {
	char name[5];
	uint8_t bits;
	bool is_float;
	/* Among integers, and among floating-point types. */
	uint8_t order;
} dtypes[VNPU_DT_COUNT] = {
	[VNPU_DT_NONE] = { "none", 0, false, 0 },
	[VNPU_DT_F16] = { "f16", 16, true, 8 },
	[VNPU_DT_BF16] = { "bf16", 16, true, 8 },
	[VNPU_DT_F32] = { "f32", 32, true, 9 },
	[VNPU_DT_F64] = { "f64", 64, true, 10 },
	[VNPU_DT_I8] = { "i8", 8, false, 3 },
	[VNPU_DT_I16] = { "i16", 16, false, 4 },
	[VNPU_DT_I32] = { "i32", 32, false, 5 },
	[VNPU_DT_I64] = { "i64", 64, false, 6 },
	[VNPU_DT_U8] = { "u8", 8, false, 3 },
	[VNPU_DT_BOOL] = { "bool", 8, false, 2 },
	[VNPU_DT_I4] = { "i4", 4, false, 1 },
	[VNPU_DT_U16] = { "u16", 16, false, 4 },
	[VNPU_DT_U32] = { "u32", 32, false, 5 },
};

const char *vnpu_dtype_name(unsigned int dtype)
{
	return dtype < VNPU_DT_COUNT ? dtypes[dtype].name : "?";
}

unsigned int vnpu_dtype_bits(unsigned int dtype)
{
	return dtype < VNPU_DT_COUNT ? dtypes[dtype].bits : 0;
}

bool vnpu_dtype_is_float(unsigned int dtype)
{
	return dtype < VNPU_DT_COUNT && dtypes[dtype].is_float;
}

unsigned int vnpu_dtype_promote(unsigned int a, unsigned int b)
{
	static const uint8_t wider[] = {
		[3] = VNPU_DT_I16, [4] = VNPU_DT_I32, [5] = VNPU_DT_I64,
		[8] = VNPU_DT_F32,
	};

	if (a == b || a >= VNPU_DT_COUNT || b >= VNPU_DT_COUNT)
		return a;
	if (dtypes[a].order == dtypes[b].order)
		return wider[dtypes[a].order];
	return dtypes[a].order > dtypes[b].order ? a : b;
}

void vnpu_tensor_init(struct vnpu_tensor *t, unsigned int dtype,
		      unsigned int rank, const int64_t *dims, void *data)
{
	int64_t stride = 1;
	unsigned int i;

	memset(t, 0, sizeof(*t));
	t->data = (uintptr_t)data;
	t->dtype = dtype;
	t->rank = rank;
	for (i = rank; i--;) {
		t->dims[i] = dims[i];
		t->strides[i] = stride;
		stride *= dims[i];
	}
	t->bytes = ((uint64_t)stride * vnpu_dtype_bits(dtype) + 7) / 8;
}

static void set_immediate(struct vnpu_tensor *t, unsigned int dtype,
			  const void *value)
{
	memset(t, 0, sizeof(*t));
	t->dtype = dtype;
	t->flags = VNPU_TENSOR_F_IMMEDIATE;
	t->bytes = sizeof(t->data);
	memcpy(&t->data, value, sizeof(t->data));
}

void vnpu_tensor_set_f64(struct vnpu_tensor *t, double value)
{
	set_immediate(t, VNPU_DT_F64, &value);
}

void vnpu_tensor_set_i64(struct vnpu_tensor *t, int64_t value)
{
	set_immediate(t, VNPU_DT_I64, &value);
}

int64_t vnpu_tensor_elements(const struct vnpu_tensor *t)
{
	int64_t count = 1;
	unsigned int i;

	for (i = 0; i < t->rank; i++)
		count *= t->dims[i];
	return count;
}

bool vnpu_tensor_is_contiguous(const struct vnpu_tensor *t)
{
	int64_t stride = 1;
	unsigned int i;

	for (i = t->rank; i--;) {
		if (t->dims[i] != 1 && t->strides[i] != stride)
			return false;
		stride *= t->dims[i];
	}
	return true;
}

static bool is_small(int64_t value)
{
	return value >= -VNPU_TENSOR_MAX && value <= VNPU_TENSOR_MAX;
}

/* Find the lowest and highest element that a view reaches. */
static int find_reach(const struct vnpu_tensor *t, int64_t *low, int64_t *high,
		      bool *is_empty, const char **why)
{
	int64_t count = 1, way;
	unsigned int i;

	*low = *high = t->offset;
	*is_empty = false;
	for (i = 0; i < t->rank; i++) {
		if (t->dims[i] < 0) {
			*why = "a dimension is negative";
			return -EINVAL;
		}
		if (!is_small(t->dims[i]) || !is_small(t->strides[i]))
			goto large;
		if (!t->dims[i]) {
			*is_empty = true;
			continue;
		}
		if (__builtin_mul_overflow(count, t->dims[i], &count) ||
		    !is_small(count))
			goto large;
		if (__builtin_mul_overflow(t->dims[i] - 1, t->strides[i],
					   &way) || !is_small(way))
			goto large;
		if (way < 0)
			*low += way;
		else
			*high += way;
	}
	return 0;
large:
	*why = "a dimension, a stride or their product is too large";
	return -EOVERFLOW;
}

int vnpu_tensor_check(const struct vnpu_tensor *t, const char **why)
{
	static const uint8_t zeros[sizeof(t->reserved)];
	unsigned int bits = vnpu_dtype_bits(t->dtype);
	int64_t low, high;
	bool is_empty;
	int err;

	if (memcmp(t->reserved, zeros, sizeof(zeros))) {
		*why = "a reserved field is not 0";
		return -EINVAL;
	}
	*why = "the type does not exist";
	if (!bits)
		return -EINVAL;
	*why = "the flags do not exist";
	if (t->flags & ~VNPU_TENSOR_F_IMMEDIATE)
		return -EINVAL;
	*why = "the rank is larger than 8";
	if (t->rank > VNPU_TENSOR_DIMS)
		return -EINVAL;
	if (t->flags) {
		*why = "an immediate has one element of f64 or i64";
		return t->rank || t->offset ||
		       (t->dtype != VNPU_DT_F64 && t->dtype != VNPU_DT_I64) ?
			       -EINVAL : 0;
	}

	if (!is_small(t->offset)) {
		*why = "the offset is too large";
		return -EOVERFLOW;
	}
	err = find_reach(t, &low, &high, &is_empty, why);
	if (err)
		return err;
	if (is_empty)
		return 0;
	*why = "the address of the storage is null or beyond the address space";
	if (!t->data || t->data + t->bytes < t->data)
		return -EFAULT;
	*why = "the address of the storage is not aligned to an element";
	if (bits > 8 && t->data & (bits / 8 - 1))
		return -EINVAL;
	*why = "the view leaves its storage";
	if (low < 0 || t->bytes < ((uint64_t)(high + 1) * bits + 7) / 8)
		return -EFAULT;
	return 0;
}
