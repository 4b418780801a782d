// SPDX-License-Identifier: MIT
/* Quantisation, and products of quantised matrices. */
#include <string.h>

#include "build_quant.h"
#include "builders.h"

int aclnn_round_to(struct aclnn_build *b, unsigned int engine,
		   const struct aclnn_view *value, const struct aclnn_view *out)
{
	struct aclnn_view rounded = aclnn_result1(b, engine, value);

	return b->status ? b->status :
			   aclnn_step1(b, VNPU_OP_COPY, &rounded, out);
}

/* View a scale for each element of an axis, the last one (-1) or that before (-2). */
static struct aclnn_view along(struct aclnn_build *b, unsigned int arg,
			       int64_t axis)
{
	struct aclnn_view scale = aclnn_view(b, arg);

	if (aclnn_has(&scale) && scale.t.rank == 1 && axis == -2)
		aclnn_insert(&scale, 1);
	return scale;
}

static int quantise(struct aclnn_build *b, unsigned int y_arg, int64_t axis)
{
	enum { X, SCALE, OFFSET, SQRT, ROUND };
	static const struct {
		const char *name;
		unsigned int engine;
	} modes[] = {
		{ "round", VNPU_OP_ROUND }, { "floor", VNPU_OP_FLOOR },
		{ "ceil", VNPU_OP_CEIL }, { "trunc", VNPU_OP_TRUNC },
	};
	struct aclnn_view x = aclnn_view(b, X), y = aclnn_view(b, y_arg);
	struct aclnn_view scale = along(b, SCALE, axis);
	struct aclnn_view offset = along(b, OFFSET, axis);
	const char *mode = b->values[ROUND].p;

	if (y.t.dtype != VNPU_DT_I8)
		return aclnn_fail(b, y_arg, "expected type i8, given %s",
				  vnpu_dtype_name(y.t.dtype));
	x = aclnn_result2(b, VNPU_OP_MUL, &x, &scale);
	if (aclnn_int(b, SQRT))
		x = aclnn_result2(b, VNPU_OP_MUL, &x, &scale);
	if (aclnn_has(&offset))
		x = aclnn_result2(b, VNPU_OP_ADD, &x, &offset);
	for (unsigned int i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(mode, modes[i].name))
			return aclnn_round_to(b, modes[i].engine, &x, &y);
	return aclnn_fail(b, ROUND,
			  "expected round, floor, ceil or trunc, given %.16s",
			  mode);
}

int build_quantise(struct aclnn_build *b)
{
	return quantise(b, 6, -1);
}

int build_quantise_v3(struct aclnn_build *b)
{
	enum { X, AXIS = 6, Y };
	struct aclnn_view x = aclnn_view(b, X);
	int64_t axis = aclnn_int(b, AXIS);

	if (axis >= 0)
		axis -= x.t.rank;
	if (axis < -2 || axis > -1 || -axis > x.t.rank)
		return aclnn_fail(b, AXIS,
				  "expected one of the last 2 of %u dimensions, given %lld",
				  x.t.rank, (long long)aclnn_int(b, AXIS));
	return quantise(b, Y, axis);
}

/* x / scale + zero point, with one of them for all or for each of a dimension. */
int build_quantise_axis(struct aclnn_build *b)
{
	enum { X, SCALES, ZERO_POINTS, TYPE, AXIS, OUT };
	struct aclnn_view x = aclnn_view(b, X), out = aclnn_view(b, OUT);
	const struct aclnn_tensor *tensor = b->object[OUT];
	unsigned int dim;

	if (tensor->dtype != (aclDataType)aclnn_int(b, TYPE))
		return aclnn_fail(b, TYPE, "expected the type of out, %d, given %lld",
				  tensor->dtype, (long long)aclnn_int(b, TYPE));
	if (out.t.dtype != VNPU_DT_I8 && out.t.dtype != VNPU_DT_U8 &&
	    out.t.dtype != VNPU_DT_I32)
		return aclnn_fail(b, OUT, "expected type i8, u8 or i32, given %s",
				  vnpu_dtype_name(out.t.dtype));
	if (!aclnn_dim(b, AXIS, aclnn_int(b, AXIS), x.t.rank, &dim))
		return b->status;
	for (unsigned int i = SCALES; i <= ZERO_POINTS; i++) {
		struct aclnn_view view = aclnn_view(b, i);

		if (!aclnn_has(&view))
			continue;
		if (view.t.rank != 1 || (view.t.dims[0] != 1 &&
		    (!x.t.rank || view.t.dims[0] != x.t.dims[dim])))
			return aclnn_fail(b, i,
					  "expected 1 dimension of size 1, or of the size of dimension %u",
					  dim);
		while (view.t.rank + dim < x.t.rank)
			aclnn_insert(&view, view.t.rank);
		if (!x.t.rank)
			view.t.rank = 0;
		x = aclnn_result2(b, i == SCALES ? VNPU_OP_DIV : VNPU_OP_ADD, &x,
				  &view);
	}
	return aclnn_round_to(b, VNPU_OP_ROUND, &x, &out);
}

/* y * scale + offset, of integers: scale * (x + offset). */
int build_dequantise(struct aclnn_build *b)
{
	enum { X, SCALE, OFFSET, TYPE, SQRT, Y };
	struct aclnn_view x = aclnn_view(b, X), y = aclnn_view(b, Y);
	struct aclnn_view scale = aclnn_view(b, SCALE);
	struct aclnn_view offset = aclnn_view(b, OFFSET);

	if (aclnn_has(&offset))
		x = aclnn_result2(b, VNPU_OP_ADD, &x, &offset);
	if (aclnn_int(b, SQRT))
		scale = aclnn_result2(b, VNPU_OP_MUL, &scale, &scale);
	return aclnn_step2(b, VNPU_OP_MUL, &x, &scale, &y);
}

int aclnn_quantise_lines(struct aclnn_build *b, const struct aclnn_view *x,
			 unsigned int y_arg, const struct aclnn_view *scale)
{
	struct aclnn_view y = aclnn_view(b, y_arg), largest, scaled;
	struct aclnn_view most = aclnn_number(127);
	int64_t last = -1;

	if (y.t.dtype != VNPU_DT_I8)
		return aclnn_fail(b, y_arg, "expected type i8, given %s",
				  vnpu_dtype_name(y.t.dtype));
	largest = aclnn_result1(b, VNPU_OP_ABS, x);
	aclnn_begin(b, VNPU_OP_AMAX, 1, 1);
	aclnn_set_ints(b, "dims", &last, 1);
	aclnn_put(b, 0, &largest);
	largest = aclnn_result(b);
	largest = aclnn_result2(b, VNPU_OP_DIV, &largest, &most);
	if (b->status || aclnn_step1(b, VNPU_OP_COPY, &largest, scale))
		return b->status;
	aclnn_insert(&largest, largest.t.rank);
	scaled = aclnn_result2(b, VNPU_OP_DIV, x, &largest);
	return aclnn_round_to(b, VNPU_OP_ROUND, &scaled, &y);
}

int build_dynamic_quant(struct aclnn_build *b)
{
	enum { X, SMOOTH, Y, SCALE };
	struct aclnn_view x = aclnn_view(b, X), scale = aclnn_view(b, SCALE);
	struct aclnn_view smooth = aclnn_view(b, SMOOTH);

	if (!x.t.rank)
		return aclnn_fail(b, X, "has no dimensions");
	if (aclnn_has(&smooth))
		x = aclnn_result2(b, VNPU_OP_MUL, &x, &smooth);
	return aclnn_quantise_lines(b, &x, Y, &scale);
}

void aclnn_unpack_scale(struct aclnn_view *scale)
{
	struct vnpu_tensor *t = &scale->t;

	if (t->dtype != VNPU_DT_I64)
		return;
	t->dtype = VNPU_DT_F32;
	t->offset *= 2;
	for (unsigned int i = 0; i < t->rank; i++)
		t->strides[i] *= 2;
}

/* Convert a matrix to i32, in which the products are exact. */
static struct aclnn_view widen(struct aclnn_build *b, unsigned int arg,
			       unsigned int transposed)
{
	struct aclnn_view view = aclnn_view(b, arg), wide;

	if (view.t.dtype != VNPU_DT_I8 || view.t.rank < 2) {
		aclnn_fail(b, arg,
			   "expected type i8 and at least 2 dimensions, given %s and %u",
			   vnpu_dtype_name(view.t.dtype), view.t.rank);
		return view;
	}
	if (aclnn_int(b, transposed))
		aclnn_swap(&view, view.t.rank - 2, view.t.rank - 1);
	wide = aclnn_temporary(b, VNPU_DT_I32, view.t.rank, view.t.dims);
	aclnn_step1(b, VNPU_OP_COPY, &view, &wide);
	return wide;
}

/* (x1 * x2 + bias) * scale * the scale of the row, and an offset for i8. */
static int quant_matmul(struct aclnn_build *b, unsigned int bias_arg,
			const struct aclnn_view *rows)
{
	enum { X1, X2, SCALE, OFFSET };
	unsigned int transpose = bias_arg + 1, out_arg = bias_arg + 3;
	struct aclnn_view x1, x2, sum, bias = aclnn_view(b, bias_arg);
	struct aclnn_view scale = aclnn_view(b, SCALE), row = *rows;
	struct aclnn_view offset = aclnn_view(b, OFFSET);
	struct aclnn_view out = aclnn_view(b, out_arg);

	x1 = widen(b, X1, transpose);
	x2 = widen(b, X2, transpose + 1);
	sum = aclnn_result2(b, VNPU_OP_MATMUL, &x1, &x2);
	if (aclnn_has(&bias))
		sum = aclnn_result2(b, VNPU_OP_ADD, &sum, &bias);
	if (out.t.dtype == VNPU_DT_I32)
		return b->status ? b->status :
				   aclnn_step1(b, VNPU_OP_COPY, &sum, &out);
	aclnn_unpack_scale(&scale);
	sum = aclnn_result2(b, VNPU_OP_MUL, &sum, &scale);
	if (aclnn_has(&row)) {
		aclnn_insert(&row, row.t.rank);
		sum = aclnn_result2(b, VNPU_OP_MUL, &sum, &row);
	}
	if (aclnn_has(&offset))
		sum = aclnn_result2(b, VNPU_OP_ADD, &sum, &offset);
	if (out.t.dtype == VNPU_DT_I8)
		return aclnn_round_to(b, VNPU_OP_ROUND, &sum, &out);
	return b->status ? b->status :
			   aclnn_step1(b, VNPU_OP_COPY, &sum, &out);
}

int build_quant_matmul(struct aclnn_build *b)
{
	struct aclnn_view none = { .arg = ACLNN_NO_ARG };

	return quant_matmul(b, 4, &none);
}

int build_quant_matmul_rows(struct aclnn_build *b)
{
	enum { ROWS = 4 };
	struct aclnn_view rows = aclnn_view(b, ROWS);

	return quant_matmul(b, 5, &rows);
}

/*
 * Check the arguments of TransQuantParamV2, and let an offset have as many dimensions
 * as the output; false after a report.
 */
static bool check_packed(struct aclnn_build *b, const struct aclnn_view *scale,
			 struct aclnn_view *offset)
{
	enum { SCALE, OFFSET, OUT };
	const struct aclnn_tensor *out = b->object[OUT];
	struct aclnn_view want = *scale;
	int64_t count;

	if (scale->t.dtype != VNPU_DT_F32 || scale->t.rank < 1 ||
	    scale->t.rank > 2) {
		aclnn_fail(b, SCALE,
			   "expected type f32 and 1 or 2 dimensions, given %s and %u",
			   vnpu_dtype_name(scale->t.dtype), scale->t.rank);
		return false;
	}
	if (out->half.dtype != VNPU_DT_U32) {
		aclnn_fail(b, OUT, "expected type i64 or u64, given type %d",
			   out->dtype);
		return false;
	}
	if (!aclnn_has(offset))
		return aclnn_has_shape(b, OUT, &want);
	if (offset->t.rank == 2 && offset->t.dims[0] == 1)
		aclnn_remove(offset, 0);
	count = offset->t.dims[0];
	if (want.t.rank == 1 && want.t.dims[0] == 1)
		want.t.dims[0] = count;
	if (offset->t.dtype != VNPU_DT_F32 || offset->t.rank != 1 ||
	    (count != 1 && count != want.t.dims[want.t.rank - 1])) {
		aclnn_fail(b, OFFSET,
			   "expected type f32 and 1 or %lld elements in the last dimension, given %s and %lld",
			   (long long)want.t.dims[want.t.rank - 1],
			   vnpu_dtype_name(offset->t.dtype), (long long)count);
		return false;
	}
	return aclnn_has_shape(b, OUT, &want);
}

/* Compute the upper halves: a flag, and an offset of 9 bits. */
static struct aclnn_view pack_offset(struct aclnn_build *b,
				     const struct aclnn_view *offset)
{
	struct aclnn_view flag = aclnn_integer(1 << 14);
	struct aclnn_view bits = aclnn_integer(0x1ff), distance = aclnn_integer(5);
	struct aclnn_view rounded, limited, number;

	if (!aclnn_has(offset))
		return flag;
	rounded = aclnn_result1(b, VNPU_OP_ROUND, offset);
	aclnn_begin(b, VNPU_OP_HARDTANH, 1, 1);
	aclnn_set_float(b, "min", -256);
	aclnn_set_float(b, "max", 255);
	aclnn_put(b, 0, &rounded);
	limited = aclnn_result(b);
	number = aclnn_temporary(b, VNPU_DT_I32, limited.t.rank, limited.t.dims);
	aclnn_step1(b, VNPU_OP_COPY, &limited, &number);
	number = aclnn_result2(b, VNPU_OP_BITWISE_AND, &number, &bits);
	number = aclnn_result2(b, VNPU_OP_SHIFT_LEFT, &number, &distance);
	return aclnn_result2(b, VNPU_OP_BITWISE_OR, &number, &flag);
}

/*
 * Scales as products of integers take them: the lower half has the upper 19 bits of a
 * scale, which therefore also is an f32.
 */
int build_pack_scale(struct aclnn_build *b)
{
	enum { SCALE, OFFSET, OUT };
	struct aclnn_view scale = aclnn_view(b, SCALE);
	struct aclnn_view offset = aclnn_view(b, OFFSET);
	struct aclnn_view lower = aclnn_half(b, OUT, 0);
	struct aclnn_view upper = aclnn_half(b, OUT, 1);
	struct aclnn_view mask = aclnn_integer(0xffffe000);

	if (!check_packed(b, &scale, &offset))
		return b->status;
	scale.t.dtype = VNPU_DT_U32;
	scale = aclnn_result2(b, VNPU_OP_BITWISE_AND, &scale, &mask);
	offset = pack_offset(b, &offset);
	if (b->status || aclnn_step1(b, VNPU_OP_COPY, &scale, &lower))
		return b->status;
	return aclnn_step1(b, VNPU_OP_COPY, &offset, &upper);
}
