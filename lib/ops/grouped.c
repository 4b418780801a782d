// SPDX-License-Identifier: MIT
/*
 * Products of groups: each group of rows of a matrix has a weight of its own, or
 * each group of inner elements a result of its own. A tensor has the sizes of
 * the groups, so only the run knows them. Each group then is a product of
 * matrices, or one with a quantised weight, which all parts compute together.
 */
#include <errno.h>
#include <string.h>

#include "families.h"

enum { SELF, WEIGHT, GROUPS, SCALE, OFFSET, BIAS };
enum { AXIS, KIND, FIRST };
enum { AXIS_ROWS, AXIS_INNER };

/* Kinds of numbers of groups: ends, sizes, or pairs of index and size. */
enum { KIND_ENDS, KIND_SIZES, KIND_PAIRS, KINDS };

/**
 * struct group - a group
 * @index: its number
 * @start: its first row or inner element
 * @count: number of them
 */
struct group {
	int64_t index;
	int64_t start;
	int64_t count;
};

static bool is_quantised(const struct vnpu_op_launch *l)
{
	const struct vnpu_tensor *weight = &l->tensor[WEIGHT];

	return vnpu_dtype_is_float(l->tensor[SELF].dtype) &&
	       (weight->dtype == VNPU_DT_I8 || weight->dtype == VNPU_DT_I4);
}

static int infer_groups(struct ops_call *c)
{
	const struct vnpu_tensor *t = &c->l->tensor[GROUPS];
	int64_t kind = CALL_INT(c, KIND);
	int64_t pairs[] = { t->dims[0], 2 };
	int err;

	if (kind < 0 || kind >= KINDS)
		return ops_fail(c, -1, -EINVAL,
				"kind: expected 0 to %d, given %lld", KINDS - 1,
				(long long)kind);
	err = ops_need_index(c, GROUPS);
	if (err || kind != KIND_PAIRS)
		return err ? err : ops_need_rank(c, GROUPS, 1, 1);
	return ops_need_shape(c, GROUPS, 2, pairs);
}

/* Scales and offsets are [group, part of the inner dimension, column]. */
static int infer_scales(struct ops_call *c)
{
	const struct vnpu_tensor *weight = &c->l->tensor[WEIGHT];
	const struct vnpu_tensor *scale = &c->l->tensor[SCALE];
	int64_t shape[] = { weight->dims[0], scale->dims[1], weight->dims[2] };
	int64_t inner = weight->dims[1];
	int err = 0;

	if (!scale->dtype)
		return ops_fail(c, SCALE, -EINVAL,
				"is missing for a weight of type %s",
				vnpu_dtype_name(weight->dtype));
	for (unsigned int i = SCALE; i <= OFFSET && !err; i++) {
		if (!ops_in(c->l, i))
			continue;
		err = ops_need_float(c, i);
		if (!err)
			err = ops_need_rank(c, i, 3, 3);
		if (!err)
			err = ops_need_shape(c, i, 3, shape);
	}
	if (!err && (shape[1] < 1 || (inner ? inner % shape[1] : shape[1] > 1)))
		err = ops_fail(c, SCALE, -EINVAL,
			       "the inner dimension %lld cannot be divided by %lld",
			       (long long)inner, (long long)shape[1]);
	return err;
}

static int infer_rows(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[SELF];
	const struct vnpu_tensor *weight = &c->l->tensor[WEIGHT];
	const struct vnpu_tensor *groups = &c->l->tensor[GROUPS];
	int64_t first = CALL_INT(c, FIRST), bias[2];
	int err = ops_need_rank(c, WEIGHT, 3, 3);

	if (err)
		return err;
	if (weight->dims[1] != self->dims[1])
		return ops_fail(c, WEIGHT, -EINVAL,
				"expected an inner dimension of %lld, given shape %s",
				(long long)self->dims[1], OPS_TDIMS(weight));
	if (first < 0 || first > groups->dims[0] ||
	    weight->dims[0] > groups->dims[0] - first)
		return ops_fail(c, GROUPS, -EINVAL,
				"expected at least %lld groups from %lld on, given shape %s",
				(long long)weight->dims[0], (long long)first,
				OPS_TDIMS(groups));
	bias[0] = weight->dims[0];
	bias[1] = weight->dims[2];
	if (ops_in(c->l, BIAS))
		err = ops_need_shape(c, BIAS, 2, bias);
	if (!err && is_quantised(c->l))
		err = infer_scales(c);
	c->out[0].rank = 2;
	c->out[0].dims[0] = self->dims[0];
	c->out[0].dims[1] = weight->dims[2];
	return err;
}

static int infer_inner(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[SELF];
	const struct vnpu_tensor *weight = &c->l->tensor[WEIGHT];
	struct ops_shape *out = &c->out[0];
	int err = ops_need_rank(c, WEIGHT, 2, 2);

	if (err)
		return err;
	if (weight->dims[0] != self->dims[1])
		return ops_fail(c, WEIGHT, -EINVAL,
				"expected an inner dimension of %lld, given shape %s",
				(long long)self->dims[1], OPS_TDIMS(weight));
	if (is_quantised(c->l) || ops_in(c->l, BIAS))
		return ops_fail(c, ops_in(c->l, BIAS) ? BIAS : WEIGHT, -EINVAL,
				"is only possible for groups of rows");
	if (CALL_INT(c, KIND) == KIND_PAIRS || CALL_INT(c, FIRST))
		return ops_fail(c, GROUPS, -EINVAL,
				"pairs and parts are only possible for groups of rows");
	out->rank = 3;
	out->dims[0] = c->l->tensor[GROUPS].dims[0];
	out->dims[1] = self->dims[0];
	out->dims[2] = weight->dims[1];
	return 0;
}

/* Elements of 4 bits have no address: only weights are unpacked. */
static int check_types(struct ops_call *c)
{
	unsigned int i;

	for (i = 0; i < c->l->inputs; i++)
		if (i != WEIGHT && c->l->tensor[i].dtype == VNPU_DT_I4)
			return ops_fail(c, i, -EINVAL,
					"type i4 is only possible for weights");
	return 0;
}

int ops_grouped_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[SELF];
	const struct vnpu_tensor *weight = &c->l->tensor[WEIGHT];
	int64_t axis = CALL_INT(c, AXIS);
	struct ops_shape *out = &c->out[0];
	int err;

	if (axis != AXIS_ROWS && axis != AXIS_INNER)
		return ops_fail(c, -1, -EINVAL, "axis: expected 0 or 1, given %lld",
				(long long)axis);
	err = check_types(c);
	if (!err)
		err = ops_need_rank(c, SELF, 2, 2);
	if (!err)
		err = infer_groups(c);
	if (!err)
		err = axis == AXIS_ROWS ? infer_rows(c) : infer_inner(c);
	if (err)
		return err;
	if (!is_quantised(c->l) &&
	    (weight->dtype == VNPU_DT_I4 || ops_in(c->l, SCALE)))
		return ops_fail(c, SCALE, -EINVAL,
				"is only possible for rows of floats and weights of type i8 or i4");
	out->castable = true;
	out->dtype = is_quantised(c->l) ? self->dtype :
		     vnpu_dtype_promote(self->dtype, weight->dtype);
	/* The output keeps the sums of small integers. */
	if (vnpu_dtype_bits(out->dtype) < 32 && !vnpu_dtype_is_float(out->dtype))
		out->dtype = VNPU_DT_I32;
	return 0;
}

/* Select one index of the first dimension, which vanishes. */
static void select_first(struct vnpu_tensor *t, int64_t index)
{
	if (!t->dtype)
		return;
	t->offset += index * t->strides[0];
	t->rank--;
	memmove(t->dims, t->dims + 1, t->rank * sizeof(*t->dims));
	memmove(t->strides, t->strides + 1, t->rank * sizeof(*t->strides));
}

static void narrow(struct vnpu_tensor *t, unsigned int dim,
		   const struct group *g)
{
	t->offset += g->start * t->strides[dim];
	t->dims[dim] = g->count;
}

/* Plan the product of a group. */
static void plan_group(struct vnpu_op_job *product, const struct ops_op *op,
		       const struct vnpu_op_launch *l, const struct group *g)
{
	bool is_rows = ops_int(op, l, AXIS) == AXIS_ROWS;
	bool quantised = is_quantised(l);
	int64_t at = g->index - ops_int(op, l, FIRST);
	unsigned int inputs = quantised ? 5 : 3;
	struct vnpu_op_launch *to = &product->launch;
	struct vnpu_tensor *weight = &to->tensor[1];
	struct vnpu_tensor *out = &to->tensor[inputs];
	int64_t parts;

	vnpu_op_init(to, quantised ? VNPU_OP_QUANT_MATMUL : VNPU_OP_MATMUL,
		     inputs, 1);
	product->op = ops_get(to->op);
	to->tensor[0] = l->tensor[SELF];
	*weight = l->tensor[WEIGHT];
	*out = *ops_out(l, 0);
	narrow(&to->tensor[0], is_rows ? 0 : 1, g);
	if (is_rows) {
		narrow(out, 0, g);
		select_first(weight, at);
	} else {
		narrow(weight, 0, g);
		select_first(out, g->index);
	}
	for (unsigned int i = quantised ? SCALE : BIAS; i <= BIAS; i++) {
		struct vnpu_tensor *t = &to->tensor[inputs - 1 - (BIAS - i)];

		if (ops_in(l, i))
			*t = l->tensor[i];
		else
			t->dtype = VNPU_DT_NONE;
		select_first(t, at);
	}
	if (quantised) {
		parts = to->tensor[2].dims[0];
		vnpu_op_set_int(to, 0, weight->dims[0] / parts);
	}
	product->op->plan(product);
}

void ops_grouped_plan(struct vnpu_op_job *job)
{
	const struct vnpu_op_launch *l = &job->launch;
	bool is_rows = JOB_INT(job, AXIS) == AXIS_ROWS;
	int64_t whole = l->tensor[SELF].dims[is_rows ? 0 : 1];
	struct group g = { .index = JOB_INT(job, FIRST) };
	struct vnpu_op_job product;
	size_t most = 0;

	if (!vnpu_tensor_elements(ops_out(l, 0)) ||
	    (is_rows && !l->tensor[WEIGHT].dims[0]))
		return;
	/*
	 * Between two powers of two, a product needs less than twice the scratch
	 * memory of the smaller one, or not more than the whole one.
	 */
	for (g.count = 1; g.count < whole; g.count *= 2) {
		product.scratch = 0;
		plan_group(&product, job->op, l, &g);
		most = product.scratch > most ? product.scratch : most;
	}
	g.count = whole;
	product.scratch = 0;
	plan_group(&product, job->op, l, &g);
	most = product.scratch > most ? product.scratch : most;
	job->scratch = 2 * most;
	job->parts = product.parts;
}

static int64_t load_index(const struct vnpu_tensor *t, int64_t row,
			  int64_t column)
{
	int64_t at = row * t->strides[0];

	if (t->rank > 1)
		at += column * t->strides[1];
	return t->dtype == VNPU_DT_I64 ? ((const int64_t *)ops_data(t))[at] :
					 ((const int32_t *)ops_data(t))[at];
}

/* Read group @number, which begins where @g ends; false if it is out of range. */
static bool next_group(const struct vnpu_op_job *job, int64_t number,
		       int64_t whole, struct group *g)
{
	const struct vnpu_tensor *groups = &job->launch.tensor[GROUPS];
	int64_t kind = JOB_INT(job, KIND), value;

	g->start += g->count;
	value = load_index(groups, number, kind == KIND_PAIRS);
	if (value < 0 || value > whole)
		return false;
	g->count = kind == KIND_ENDS ? value - g->start : value;
	g->index = kind == KIND_PAIRS ? load_index(groups, number, 0) : number;
	return g->count >= 0 && g->count <= whole - g->start &&
	       g->index >= 0 && g->index < groups->dims[0];
}

int ops_grouped_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	bool is_rows = JOB_INT(job, AXIS) == AXIS_ROWS;
	int64_t whole = l->tensor[SELF].dims[is_rows ? 0 : 1];
	int64_t first = JOB_INT(job, FIRST), end = l->tensor[GROUPS].dims[0];
	struct group g = { 0 };
	struct vnpu_op_job product;
	struct vnpu_op_work work = *w;

	if (!vnpu_tensor_elements(ops_out(l, 0)))
		return 0;
	for (int64_t number = 0; number < end; number++) {
		if (!next_group(job, number, whole, &g))
			return -ERANGE;
		if (is_rows && (!g.count || g.index < first ||
				g.index - first >= l->tensor[WEIGHT].dims[0]))
			continue;
		/* Small groups go to different parts. */
		work.part = (w->part + number) % w->parts;
		plan_group(&product, job->op, l, &g);
		product.op->run(&product, &work);
	}
	return 0;
}
