// SPDX-License-Identifier: MIT
/* Helpers for functions of operators. See op.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "op/op.h"

/* Describe the dimensions of a view, such as "[2, 3]". */
static const char *dims_of(const struct build_view *v, char *text, size_t size)
{
	size_t at = snprintf(text, size, "[");
	unsigned int i;

	for (i = 0; i < v->t.rank && at < size; i++)
		at += snprintf(text + at, size - at, "%s%lld", i ? ", " : "",
			       (long long)v->t.dims[i]);
	if (at < size)
		snprintf(text + at, size - at, "]");
	return text;
}
#define DIMS(v) dims_of(v, (char[180]){ 0 }, 180)

int op_broadcast(struct build *b, const struct build_view *const *views,
		 unsigned int count, int64_t *dims)
{
	unsigned int rank = 0, i, k;

	for (i = 0; i < count; i++)
		if (views[i]->t.rank > rank)
			rank = views[i]->t.rank;
	for (k = 0; k < rank; k++)
		dims[k] = 1;
	for (i = 0; i < count; i++) {
		const struct vnpu_tensor *t = &views[i]->t;
		int64_t *to = dims + rank - t->rank;

		for (k = 0; k < t->rank; k++) {
			if (t->dims[k] == 1 || t->dims[k] == to[k])
				continue;
			if (to[k] != 1)
				return build_fail(b, "shapes %s and %s of inputs cannot be broadcast",
						  DIMS(views[0]),
						  DIMS(views[i]));
			to[k] = t->dims[k];
		}
	}
	return rank;
}

unsigned int op_dtype(struct build *b, int64_t type)
{
	static const uint8_t types[] = {
		[1] = VNPU_DT_F32, [2] = VNPU_DT_U8, [3] = VNPU_DT_I8,
		[4] = VNPU_DT_U16, [5] = VNPU_DT_I16, [6] = VNPU_DT_I32,
		[7] = VNPU_DT_I64, [9] = VNPU_DT_BOOL, [10] = VNPU_DT_F16,
		[11] = VNPU_DT_F64, [12] = VNPU_DT_U32, [16] = VNPU_DT_BF16,
	};

	if (type > 0 && type < (int64_t)sizeof(types) && types[type])
		return types[type];
	build_refuse(b, "type %lld of ONNX is not supported as the result",
		     (long long)type);
	return VNPU_DT_NONE;
}

int op_same_type(struct build *b, const struct build_view *x,
		 const struct build_view *y)
{
	if (x->t.dtype == y->t.dtype)
		return 0;
	return build_fail(b, "expected inputs of one type, given %s and %s",
			  vnpu_dtype_name(x->t.dtype),
			  vnpu_dtype_name(y->t.dtype));
}

int op_need_rank(struct build *b, unsigned int in, const struct build_view *v,
		 unsigned int min, unsigned int max)
{
	if (v->t.rank >= min && v->t.rank <= max)
		return 0;
	if (min == max)
		return build_fail(b, "input %u: expected %u dimensions, given shape %s",
				  in, min, DIMS(v));
	return build_fail(b, "input %u: expected %u to %u dimensions, given shape %s",
			  in, min, max, DIMS(v));
}

int op_reshaped(struct build *b, unsigned int out, const struct build_view *v,
		unsigned int rank, const int64_t *dims)
{
	struct build_view view = *v, to;

	if (view_reshape(&view, rank, dims))
		return build_alias(b, out, &view);
	to = build_out(b, out, v->t.dtype, rank, dims);
	if (build_infers(b))
		return b->g->err;
	if (!view_reshape(&to, v->t.rank, v->t.dims)) {
		view = build_reshape(b, v, rank, dims);
		return build_copy(b, &view, &to);
	}
	return build_copy(b, v, &to);
}

int op_axes(struct build *b, unsigned int in, const char *attr,
	    unsigned int rank, unsigned int *axes)
{
	int64_t given[VNPU_TENSOR_DIMS];
	unsigned int mask = 0;
	int count, i;

	count = build_has(b, in) ?
		build_known(b, in, given, VNPU_TENSOR_DIMS) :
		build_attr_ints(b, attr, given, VNPU_TENSOR_DIMS);
	for (i = 0; i < count; i++) {
		int axis = build_axis(b, given[i], rank);

		if (axis < 0)
			return b->g->err;
		if (mask & 1U << axis)
			return build_fail(b, "axis %d is given twice", axis);
		mask |= 1U << axis;
		axes[i] = axis;
	}
	return count;
}

struct build_view op_filled(struct build *b, unsigned int dtype,
			    unsigned int rank, const int64_t *dims,
			    double value)
{
	struct build_view to = build_temp(b, dtype, rank, dims);
	struct build_view from = view_number(value);

	build_copy(b, &from, &to);
	return to;
}

struct build_view op_padded(struct build *b, const struct build_view *v,
			    const int64_t *before, const int64_t *after,
			    double value)
{
	int64_t dims[VNPU_TENSOR_DIMS];
	struct build_view to;
	unsigned int i;

	for (i = 0; i < v->t.rank; i++)
		dims[i] = v->t.dims[i] + before[i] + after[i];
	to = build_temp(b, v->t.dtype, v->t.rank, dims);
	op_pad_step(b, v, &to, before, after, 0, value);
	return to;
}

int op_pad_step(struct build *b, const struct build_view *in,
		const struct build_view *out, const int64_t *before,
		const int64_t *after, int mode, double value)
{
	int64_t first[VNPU_TENSOR_DIMS], last[VNPU_TENSOR_DIMS];
	unsigned int n = in->t.rank, i;

	/* The engine has the innermost dimension first. */
	for (i = 0; i < n; i++) {
		first[i] = before[n - 1 - i];
		last[i] = after[n - 1 - i];
	}
	build_begin(b, VNPU_OP_PAD);
	build_set_ints(b, "before", first, n);
	build_set_ints(b, "after", last, n);
	build_set_int(b, "mode", mode);
	build_set_float(b, "value", value);
	return build_end(b, 1, 1, in, out);
}

struct build_view op_const_floats(struct build *b, unsigned int dtype,
				  unsigned int rank, const int64_t *dims,
				  const double *values)
{
	struct build_view wide = build_const(b, VNPU_DT_F64, rank, dims, values);

	return build_cast(b, &wide, dtype);
}

void op_set_limits(struct build *b)
{
	if (!graph_attr(b->node, OP_LEAST))
		return;
	build_set_float(b, "least", build_attr_float(b, OP_LEAST, 0));
	build_set_float(b, "most", build_attr_float(b, OP_MOST, 0));
}
