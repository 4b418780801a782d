// SPDX-License-Identifier: MIT
/* Normalisation and softmax. See op.h. */
#include <string.h>

#include "op/op.h"

/* Reshape a vector for channels, so that it broadcasts with the input. */
static struct build_view channels(const struct build_view *x,
				  struct build_view v)
{
	while (view_has(&v) && v.t.rank + 1 < x->t.rank)
		view_insert(&v, v.t.rank, 1);
	return v;
}

/* Normalise by given moments: x * a + c. */
static int apply(struct build *b, const struct build_view *x,
		 const struct build_view *mean, const struct build_view *var)
{
	struct build_view scale = build_in(b, 1), bias = build_in(b, 2), y;
	struct build_view eps = view_number(build_attr_float(b, "epsilon", 1e-5f));
	struct build_view a = build_temp_like(b, var), c = build_temp_like(b, var);

	y = build_out_like(b, 0, x);
	build_op2(b, VNPU_OP_ADD, var, &eps, &a);
	build_op1(b, VNPU_OP_RSQRT, &a, &a);
	build_op2(b, VNPU_OP_MUL, &a, &scale, &a);
	build_begin(b, VNPU_OP_ADDCMUL);
	build_set_float(b, "value", -1);
	build_end(b, 3, 1, &bias, mean, &a, &c);
	a = channels(x, a);
	c = channels(x, c);
	return build_op3(b, VNPU_OP_ADDCMUL, &c, x, &a, &y);
}

/* Mix the moments of the batch into the running ones. */
static void update(struct build *b, unsigned int out, unsigned int in,
		   const struct build_view *now)
{
	float momentum = build_attr_float(b, "momentum", 0.9f);
	struct build_view old = build_in(b, in), weight, y;

	y = build_out_like(b, out, &old);
	if (!view_has(&y))
		return;
	weight = view_number(1 - (double)momentum);
	build_op3(b, VNPU_OP_LERP, &old, now, &weight, &y);
}

int op_batch_norm(struct build *b)
{
	struct build_view x = build_in(b, 0), mean = build_in(b, 3);
	struct build_view var = build_in(b, 4);
	int64_t axes[VNPU_TENSOR_DIMS];
	unsigned int i, n = 0;

	if (op_need_rank(b, 0, &x, 2, VNPU_TENSOR_DIMS))
		return b->g->err;
	for (i = 1; i < 5; i++) {
		struct build_view v = build_in(b, i);

		if (op_need_rank(b, i, &v, 1, 1))
			return b->g->err;
		if (v.t.dims[0] != x.t.dims[1])
			return build_fail(b, "input %u: expected %lld elements, given %lld",
					  i, (long long)x.t.dims[1],
					  (long long)v.t.dims[0]);
	}
	if (!build_attr_int(b, "training_mode", 0) &&
	    (b->node->opset >= 7 || build_attr_int(b, "is_test", 0)))
		return apply(b, &x, &mean, &var);
	if (b->node->opset < 14)
		return build_refuse(b, "training is not supported");
	for (i = 0; i < x.t.rank; i++)
		if (i != 1)
			axes[n++] = i;
	var = build_temp_like(b, &var);
	mean = build_temp_like(b, &mean);
	build_begin(b, VNPU_OP_VAR_MEAN);
	build_set_ints(b, "dims", axes, n);
	build_set_int(b, "correction", 0);
	build_end(b, 1, 2, &x, &var, &mean);
	update(b, 1, 3, &mean);
	update(b, 2, 4, &var);
	return apply(b, &x, &mean, &var);
}

int op_instance_norm(struct build *b)
{
	struct build_view x = build_in(b, 0), scale = build_in(b, 1);
	struct build_view bias = build_in(b, 2), y = build_out_like(b, 0, &x);

	if (op_need_rank(b, 0, &x, 3, 7))
		return b->g->err;
	build_begin(b, VNPU_OP_GROUP_NORM);
	build_set_float(b, "eps", build_attr_float(b, "epsilon", 1e-5f));
	build_set_int(b, "groups", x.t.dims[1]);
	return build_end(b, 3, 1, &x, &scale, &bias, &y);
}

/* Compute a moment for each line: the last @n dimensions become 1. */
static struct build_view moment(struct build *b, unsigned int out,
				const struct build_view *x, unsigned int n)
{
	int64_t dims[VNPU_TENSOR_DIMS];
	unsigned int i;

	for (i = 0; i < x->t.rank; i++)
		dims[i] = i < x->t.rank - n ? x->t.dims[i] : 1;
	return build_out(b, out, VNPU_DT_F32, x->t.rank, dims);
}

int op_layer_norm(struct build *b)
{
	struct build_view x = build_in(b, 0), scale = build_in(b, 1);
	struct build_view bias = build_in(b, 2), y, mean, rstd;
	unsigned int n;
	int axis;

	axis = build_axis(b, build_attr_int(b, "axis", -1), x.t.rank);
	if (axis < 0 || op_need_rank(b, 0, &x, 1, VNPU_TENSOR_DIMS))
		return b->g->err;
	n = x.t.rank - axis;
	view_expand(&scale, n, x.t.dims + axis);
	if (view_has(&bias))
		view_expand(&bias, n, x.t.dims + axis);
	y = build_out_like(b, 0, &x);
	mean = moment(b, 1, &x, n);
	rstd = moment(b, 2, &x, n);
	build_begin(b, VNPU_OP_LAYER_NORM);
	build_set_float(b, "eps", build_attr_float(b, "epsilon", 1e-5f));
	build_set_int(b, "dims", n);
	return build_end(b, 3, 3, &x, &scale, &bias, &y, &mean, &rstd);
}

int op_mean_variance(struct build *b)
{
	int64_t axes[VNPU_TENSOR_DIMS] = { 0, 2, 3 }, dims[VNPU_TENSOR_DIMS];
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x);
	struct build_view var, mean, tiny = view_number(1e-9);
	int count, i;

	count = build_attr_ints(b, "axes", axes, VNPU_TENSOR_DIMS);
	if (count < 0)
		return count;
	if (!graph_attr(b->node, "axes"))
		count = 3;
	memcpy(dims, x.t.dims, sizeof(dims));
	for (i = 0; i < count; i++) {
		int axis = build_axis(b, axes[i], x.t.rank);

		if (axis < 0)
			return b->g->err;
		dims[axis] = 1;
	}
	var = build_temp(b, x.t.dtype, x.t.rank, dims);
	mean = build_temp(b, x.t.dtype, x.t.rank, dims);
	build_begin(b, VNPU_OP_VAR_MEAN);
	build_set_ints(b, "dims", axes, count);
	build_set_int(b, "keepdim", 1);
	build_set_int(b, "correction", 0);
	build_end(b, 1, 2, &x, &var, &mean);
	build_op1(b, VNPU_OP_SQRT, &var, &var);
	build_op2(b, VNPU_OP_ADD, &var, &tiny, &var);
	build_op2(b, VNPU_OP_SUB, &x, &mean, &y);
	return build_op2(b, VNPU_OP_DIV, &y, &var, &y);
}

/* Sums of more views of whole planes would cost more than a reduction. */
#define LRN_VIEWS 16

/*
 * Sum windows of channels. A plane is read as a whole where windows are small; so
 * are rounded only once where elements have few bits.
 */
static void sum_windows(struct build *b, struct build_view *from, int64_t size,
			const struct build_view *sum)
{
	int64_t count = sum->t.dims[1], last[] = { -1 }, i;
	struct build_view all = *from, part;

	from->t.dims[1] = count;
	if (size == 1 || size > LRN_VIEWS || from->t.dtype != VNPU_DT_F32) {
		view_window(from, from->t.rank, size, from->t.strides[1]);
		build_begin(b, VNPU_OP_SUM);
		build_set_ints(b, "dims", last, 1);
		build_end(b, 1, 1, from, sum);
		return;
	}
	for (i = 1; i < size; i++) {
		part = all;
		view_slice(&part, 1, i, count, 1);
		build_op2(b, VNPU_OP_ADD, i > 1 ? sum : from, &part, sum);
	}
}

/* Squares are summed over windows of channels, which are views. */
int op_lrn(struct build *b)
{
	int64_t size = build_attr_int(b, "size", 0), before[8] = { 0 };
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x);
	struct build_view bias = view_number(build_attr_float(b, "bias", 1));
	double alpha = build_attr_float(b, "alpha", 1e-4f);
	double beta = build_attr_float(b, "beta", 0.75f);
	struct build_view squares, sum, factor, power;
	int64_t after[8] = { 0 };

	if (op_need_rank(b, 0, &x, 3, 7))
		return b->g->err;
	if (size < 1 || size > (1 << 20))
		return build_fail(b, "attribute size: expected at least 1, given %lld",
				  (long long)size);
	before[1] = (size - 1) / 2;
	after[1] = size - 1 - before[1];
	squares = build_temp_like(b, &x);
	build_op1(b, VNPU_OP_SQUARE, &x, &squares);
	squares = op_padded(b, &squares, before, after, 0);
	sum = build_temp_like(b, &x);
	sum_windows(b, &squares, size, &sum);
	factor = view_number(alpha / size);
	build_op3(b, VNPU_OP_ADDCMUL, &bias, &sum, &factor, &sum);
	power = view_number(-beta);
	build_op2(b, VNPU_OP_POW, &sum, &power, &sum);
	return build_op2(b, VNPU_OP_MUL, &x, &sum, &y);
}

int op_lp_norm(struct build *b)
{
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x), norm;
	int64_t p = build_attr_int(b, "p", 2), dims[VNPU_TENSOR_DIMS], one;
	int axis = build_axis(b, build_attr_int(b, "axis", -1), x.t.rank);

	if (axis < 0 || op_need_rank(b, 0, &x, 1, VNPU_TENSOR_DIMS))
		return b->g->err;
	memcpy(dims, x.t.dims, sizeof(dims));
	dims[axis] = 1;
	one = axis;
	norm = build_temp(b, x.t.dtype, x.t.rank, dims);
	build_begin(b, VNPU_OP_NORM);
	build_set_ints(b, "dims", &one, 1);
	build_set_int(b, "keepdim", 1);
	build_set_float(b, "p", p);
	build_end(b, 1, 1, &x, &norm);
	return build_op2(b, VNPU_OP_DIV, &x, &norm, &y);
}

/*
 * Before opset 13, softmax is over all dimensions from the axis on: they are
 * joined. Get the input and a place for the result; return the axis or -1.
 */
static int softmax_views(struct build *b, struct build_view *x,
			 struct build_view *y)
{
	bool joins = b->node->opset < 13;
	int64_t dims[VNPU_TENSOR_DIMS];
	int axis, i;

	axis = build_axis(b, build_attr_int(b, "axis", joins ? 1 : -1),
			  x->t.rank);
	if (axis < 0 || op_need_rank(b, 0, x, 1, VNPU_TENSOR_DIMS))
		return -1;
	if (joins && axis < x->t.rank - 1) {
		memcpy(dims, x->t.dims, sizeof(dims));
		for (i = axis + 1; i < x->t.rank; i++)
			dims[axis] *= dims[i];
		*x = build_reshape(b, x, axis + 1, dims);
	}
	*y = build_out_like(b, 0, y);
	if (x->t.rank != y->t.rank &&
	    !view_reshape(y, x->t.rank, x->t.dims))
		*y = build_temp_like(b, x);
	return axis;
}

/* Copy a result that had no place in the output. */
static int softmax_end(struct build *b, struct build_view *y)
{
	struct build_view out;

	if (build_infers(b))
		return b->g->err;
	out = b->views[b->node->out[0]->index];
	if (y->buffer == out.buffer)
		return 0;
	*y = build_reshape(b, y, out.t.rank, out.t.dims);
	return build_copy(b, y, &out);
}

int op_softmax(struct build *b)
{
	struct build_view x = build_in(b, 0), y = x;
	int axis = softmax_views(b, &x, &y);

	if (axis < 0)
		return b->g->err;
	build_begin(b, OP_ARG(b));
	build_set_int(b, "dim", axis);
	build_end(b, 1, 1, &x, &y);
	return softmax_end(b, &y);
}

/* 1 at the first largest element, 0 elsewhere. */
int op_hardmax(struct build *b)
{
	struct build_view x = build_in(b, 0), y = x, at;
	int axis = softmax_views(b, &x, &y);
	int64_t dims[VNPU_TENSOR_DIMS], one = axis;

	if (axis < 0)
		return b->g->err;
	memcpy(dims, x.t.dims, sizeof(dims));
	memmove(dims + axis, dims + axis + 1,
		(x.t.rank - axis - 1) * sizeof(*dims));
	at = build_temp(b, VNPU_DT_I64, x.t.rank - 1, dims);
	build_begin(b, VNPU_OP_ARGMAX);
	build_set_ints(b, "dims", &one, 1);
	build_end(b, 1, 1, &x, &at);
	build_begin(b, VNPU_OP_ONE_HOT);
	build_set_int(b, "classes", x.t.dims[axis]);
	build_set_int(b, "dim", axis);
	build_end(b, 1, 1, &at, &y);
	return softmax_end(b, &y);
}
