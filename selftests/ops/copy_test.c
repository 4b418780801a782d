// SPDX-License-Identifier: GPL-2.0-only
/* Conversions and copies of views. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops_test.h"

/* Compare an element with its conversion by the rules of ops.h. */
static bool is_converted(const struct vnpu_tensor *out, int64_t at,
			 const struct vnpu_tensor *in)
{
	static const struct {
		double low, high;
	} limit[VNPU_DT_COUNT] = {
		[VNPU_DT_I8] = { -128, 127 },
		[VNPU_DT_U8] = { 0, 255 },
		[VNPU_DT_U16] = { 0, 65535 },
		[VNPU_DT_U32] = { 0, UINT32_MAX },
		[VNPU_DT_I16] = { -32768, 32767 },
		[VNPU_DT_I32] = { INT32_MIN, INT32_MAX },
		[VNPU_DT_I64] = { INT64_MIN, (double)INT64_MAX },
	};
	double value = get(in, at);
	struct vnpu_tensor want;
	uint64_t slot;

	vnpu_tensor_init(&want, out->dtype, 0, NULL, &slot);

	if (!vnpu_dtype_is_float(in->dtype) &&
	    !vnpu_dtype_is_float(out->dtype)) {
		set_int(&want, 0, get_int(in, at));
		return get_int(out, at) == get_int(&want, 0);
	}
	if (out->dtype == VNPU_DT_BOOL)
		return get_int(out, at) == (value != 0);
	if (vnpu_dtype_is_float(out->dtype)) {
		/* Exact in double, apart from integers of 64 bits. */
		if (in->dtype == VNPU_DT_I64 &&
		    llabs(get_int(in, at)) > (int64_t)1 << 53)
			return is_close(out, at, value, 0, 1);
		set(&want, 0, value);
		return is_close(out, at, get(&want, 0), 0, 0);
	}
	if (value != value)
		return get_int(out, at) == 0;
	value = trunc(value);
	if (value >= limit[out->dtype].high)
		return get_int(out, at) ==
		       (out->dtype == VNPU_DT_I64 ? INT64_MAX :
			(int64_t)limit[out->dtype].high);
	value = fmax(value, limit[out->dtype].low);
	return get_int(out, at) == (int64_t)value;
}

static bool convert(const struct vnpu_tensor *in, unsigned int to,
		    enum layout layout)
{
	struct vnpu_tensor out = view(to, layout, in->rank, in->dims);
	struct vnpu_op_launch l;
	int64_t i;

	launch(&l, VNPU_OP_COPY, 1, 1, in, &out);
	EXPECT(run(&l));
	for (i = 0; i < vnpu_tensor_elements(in); i++)
		if (!is_converted(&out, i, in)) {
			note("%s %.17g becomes %s %.17g",
			     vnpu_dtype_name(in->dtype), get(in, i),
			     vnpu_dtype_name(to), get(&out, i));
			return false;
		}
	return true;
}

static const double special[] = {
	0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, INFINITY, -INFINITY, NAN, 65504,
	65519.99, 65520, 65536, -65520, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.8p-24,
	0x1p-14, 0x1.ffcp-15, 0x1.ffep-15, 127, 128, -128, -129, 255, 256, -1.5,
	32767.5, 32768, -32769, 2147483647, 2147483648., -2147483649., 1e10,
	9.3e18, -9.3e18, 1e300, 3.4e38, 3.41e38, 0x1p-149, 0x1p-150, 1e-300,
	/* Ties, by way of a narrower format that hides the last bit. */
	1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-30, 1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-40,
	1 + 0x3p-11 - 0x1p-40, 0x1.004p0, 0x1.004000001p0, 0x1.01p0,
};

static bool test_convert(void)
{
	unsigned int from, to, i;

	for (from = 0; from < ARRAY_SIZE(all_types); from++)
		for (to = 0; to < ARRAY_SIZE(all_types); to++) {
			struct vnpu_tensor in = VIEW(all_types[from],
						     below(LAYOUTS),
						     ARRAY_SIZE(special), 3);

			for (i = 0; i < 3 * ARRAY_SIZE(special); i++)
				if (vnpu_dtype_is_float(in.dtype))
					set(&in, i, special[i / 3]);
				else
					set_int(&in, i, i % 2 ? (int64_t)rnd() :
						below(300) - 150);
			if (!convert(&in, all_types[to], below(OUT_LAYOUTS)))
				return false;
			in = VIEW(all_types[from], below(LAYOUTS), 2, 700);
			fill(&in, -200, 200);
			if (!convert(&in, all_types[to], below(OUT_LAYOUTS)))
				return false;
		}
	return true;
}

/* All numbers of 16 bits, and many of 32. */
static bool test_halves(void)
{
	struct vnpu_tensor in = VIEW(VNPU_DT_F16, CONTIGUOUS, 65536), f;
	uint32_t *bits;
	int64_t i;

	for (i = 0; i < 65536; i++)
		*(uint16_t *)element(&in, i) = i;
	EXPECT(convert(&in, VNPU_DT_F32, CONTIGUOUS));
	EXPECT(convert(&in, VNPU_DT_F16, TRANSPOSED));
	in.dtype = VNPU_DT_BF16;
	EXPECT(convert(&in, VNPU_DT_F32, CONTIGUOUS));

	f = VIEW(VNPU_DT_F32, CONTIGUOUS, 100000);
	bits = element(&f, 0);
	for (i = 0; i < 100000; i++) {
		bits[i] = rnd();
		/* Most in the range of f16, and near ties. */
		if (i % 4)
			bits[i] = (bits[i] & 0x80001fffU) |
				  (uint32_t)(0x33000000 + below(0x15000000));
		if (i % 4 == 2)
			bits[i] = (bits[i] & ~0x1fffU) | 0x1000;
		if (i % 4 == 3)
			bits[i] = (bits[i] & ~0xffffU) | 0x8000;
	}
	EXPECT(convert(&f, VNPU_DT_F16, CONTIGUOUS));
	EXPECT(convert(&f, VNPU_DT_BF16, CONTIGUOUS));
	return true;
}

static bool same(const struct vnpu_tensor *out, const struct vnpu_tensor *in)
{
	int64_t i;

	for (i = 0; i < vnpu_tensor_elements(out); i++)
		EXPECT(get_int(out, i) ==
		       get_int(in, broadcast_number(in, out->rank, out->dims, i)));
	return true;
}

/* Copies of all sizes, also transposed and expanded ones. */
static bool test_copy(void)
{
	static const unsigned int types[] = {
		VNPU_DT_U8, VNPU_DT_I16, VNPU_DT_I32, VNPU_DT_I64,
	};
	unsigned int t, round, i;
	struct vnpu_op_launch l;

	for (t = 0; t < ARRAY_SIZE(types); t++)
		for (round = 0; round < 40; round++) {
			unsigned int rank = below(5);
			struct vnpu_tensor in, out;
			int64_t dims[5], narrow[5];

			for (i = 0; i < rank; i++) {
				dims[i] = below(rank < 3 ? 70 : 9);
				narrow[i] = below(4) ? dims[i] : 1;
			}
			in = view(types[t], below(LAYOUTS), rank, narrow);
			out = view(types[t], below(OUT_LAYOUTS), rank, dims);
			fill(&in, 0, 100);
			launch(&l, VNPU_OP_COPY, 1, 1, &in, &out);
			EXPECT(run(&l) && same(&out, &in));
		}
	return true;
}

static bool test_fill(void)
{
	struct vnpu_tensor out, value;
	struct vnpu_op_launch l;
	unsigned int t, i;

	for (t = 0; t < ARRAY_SIZE(all_types); t++) {
		out = VIEW(all_types[t], below(OUT_LAYOUTS), 3, 50);
		vnpu_tensor_set_f64(&value, -2.25);
		launch(&l, VNPU_OP_COPY, 1, 1, &value, &out);
		EXPECT(run(&l));
		for (i = 0; i < 150; i++)
			EXPECT(get(&out, i) == (out.dtype == VNPU_DT_BOOL ? 1 :
			       out.dtype == VNPU_DT_U8 ||
			       out.dtype == VNPU_DT_U16 ||
			       out.dtype == VNPU_DT_U32 ? 0 :
			       vnpu_dtype_is_float(out.dtype) ? -2.25 : -2));
		vnpu_tensor_set_i64(&value, 100);
		launch(&l, VNPU_OP_COPY, 1, 1, &value, &out);
		EXPECT(run(&l));
		EXPECT(get(&out, 149) == (out.dtype == VNPU_DT_BOOL ? 1 : 100));
	}
	return true;
}

const struct test copy_tests[] = {
	{ "convert", test_convert },
	{ "convert_halves", test_halves },
	{ "copy", test_copy },
	{ "fill", test_fill },
	{ }
};
