// SPDX-License-Identifier: MIT
/* Reductions, running sums, and the largest elements. See op.h. */
#include <string.h>

#include "op/op.h"

#define DIMS VNPU_TENSOR_DIMS

/* The opset from which an operator's axes are an input. */
static int axes_of(struct build *b, unsigned int rank, unsigned int *axes)
{
	bool is_input = !strcmp(b->node->type, "ReduceSum") &&
			b->node->opset >= 13;

	return op_axes(b, is_input ? 1 : OP_MANY, "axes", rank, axes);
}

/* Declare the output of a reduction; set the list of dimensions. */
static int prepare(struct build *b, const struct build_view *x,
		   struct build_view *y, int64_t *list)
{
	bool keeps = build_attr_int(b, "keepdims", 1);
	unsigned int axes[DIMS], mask = 0, i, rank = 0;
	int64_t dims[DIMS];
	int count, k;

	count = axes_of(b, x->t.rank, axes);
	if (count < 0)
		return count;
	for (k = 0; k < count; k++)
		mask |= 1U << axes[k];
	if (!count && !build_attr_int(b, "noop_with_empty_axes", 0))
		mask = (1U << x->t.rank) - 1;
	for (i = 0, count = 0; i < x->t.rank; i++) {
		if (mask & 1U << i)
			list[count++] = i;
		if (!(mask & 1U << i) || keeps)
			dims[rank++] = mask & 1U << i ? 1 : x->t.dims[i];
	}
	*y = build_out(b, 0, x->t.dtype, rank, dims);
	return count;
}

static int reduce(struct build *b, const struct build_view *x,
		  const struct build_view *y, const int64_t *list, int count,
		  unsigned int op, bool squares)
{
	build_begin(b, op);
	build_set_ints(b, "dims", list, count);
	build_set_int(b, "keepdim", build_attr_int(b, "keepdims", 1));
	if (op == VNPU_OP_NORM)
		build_set_float(b, "p", squares ? 2 : 1);
	return build_end(b, 1, 1, x, y);
}

int op_reduce(struct build *b)
{
	bool is_l2 = !strcmp(b->node->type, "ReduceL2");
	struct build_view x = build_in(b, 0), y;
	int64_t list[DIMS];
	int count;

	count = prepare(b, &x, &y, list);
	if (count < 0)
		return count;
	/* The engine takes an empty list for all dimensions. */
	if (!count)
		return build_copy(b, &x, &y);
	return reduce(b, &x, &y, list, count, OP_ARG(b), is_l2);
}

int op_reduce_square(struct build *b)
{
	struct build_view x = build_in(b, 0), y, t;
	int64_t list[DIMS];
	int count;

	count = prepare(b, &x, &y, list);
	if (count < 0)
		return count;
	if (!count)
		return build_op1(b, VNPU_OP_SQUARE, &x, &y);
	t = build_temp_like(b, &x);
	build_op1(b, VNPU_OP_SQUARE, &x, &t);
	return reduce(b, &t, &y, list, count, VNPU_OP_SUM, false);
}

int op_reduce_log(struct build *b)
{
	struct build_view x = build_in(b, 0), y;
	int64_t list[DIMS];
	int count;

	count = prepare(b, &x, &y, list);
	if (count < 0)
		return count;
	if (!count)
		return build_op1(b, VNPU_OP_LOG, &x, &y);
	reduce(b, &x, &y, list, count, VNPU_OP_SUM, false);
	return build_op1(b, VNPU_OP_LOG, &y, &y);
}

int op_arg_max(struct build *b)
{
	bool keeps = build_attr_int(b, "keepdims", 1);
	bool last = build_attr_int(b, "select_last_index", 0);
	struct build_view x = build_in(b, 0), y, top;
	int64_t dims[DIMS], list;
	unsigned int i, rank = 0;
	int axis;

	axis = build_axis(b, build_attr_int(b, "axis", 0), x.t.rank);
	if (axis < 0 || op_need_rank(b, 0, &x, 1, DIMS))
		return b->g->err;
	for (i = 0; i < x.t.rank; i++)
		if (i != (unsigned int)axis || keeps)
			dims[rank++] = i == (unsigned int)axis ? 1 :
				       x.t.dims[i];
	y = build_out(b, 0, VNPU_DT_I64, rank, dims);
	top = view_integer(x.t.dims[axis] - 1);
	if (last)
		view_slice(&x, axis, x.t.dims[axis] - 1, x.t.dims[axis], -1);
	list = axis;
	build_begin(b, OP_ARG(b));
	build_set_ints(b, "dims", &list, 1);
	build_set_int(b, "keepdim", keeps);
	build_end(b, 1, 1, &x, &y);
	return last ? build_op2(b, VNPU_OP_SUB, &top, &y, &y) : b->g->err;
}

int op_cumsum(struct build *b)
{
	bool exclusive = build_attr_int(b, "exclusive", 0);
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x);
	struct build_view first, zero = view_number(0);
	int64_t given, n;
	int axis;

	if (build_known(b, 1, &given, 1) != 1)
		return build_fail(b, "expected an axis");
	axis = build_axis(b, given, x.t.rank);
	if (axis < 0 || op_need_rank(b, 0, &x, 1, DIMS))
		return b->g->err;
	n = x.t.dims[axis];
	if (build_attr_int(b, "reverse", 0)) {
		view_slice(&x, axis, n - 1, n, -1);
		view_slice(&y, axis, n - 1, n, -1);
	}
	if (exclusive && n) {
		first = y;
		view_slice(&first, axis, 0, 1, 1);
		build_copy(b, &zero, &first);
		view_slice(&x, axis, 0, n - 1, 1);
		view_slice(&y, axis, 1, n - 1, 1);
	}
	build_begin(b, VNPU_OP_CUMSUM);
	build_set_int(b, "dim", axis);
	return build_end(b, 1, 1, &x, &y);
}

int op_topk(struct build *b)
{
	struct build_view x = build_in(b, 0), values, indices;
	int64_t k = build_attr_int(b, "k", 1), dims[DIMS];
	int axis;

	axis = build_axis(b, build_attr_int(b, "axis", -1), x.t.rank);
	if (axis < 0 || op_need_rank(b, 0, &x, 1, DIMS) ||
	    (b->node->opset >= 10 && build_known(b, 1, &k, 1) < 0))
		return b->g->err;
	if (k < 0 || k > x.t.dims[axis])
		return build_fail(b, "k: expected 0 to %lld, given %lld",
				  (long long)x.t.dims[axis], (long long)k);
	memcpy(dims, x.t.dims, sizeof(dims));
	dims[axis] = k;
	values = build_out(b, 0, x.t.dtype, x.t.rank, dims);
	indices = build_out(b, 1, VNPU_DT_I64, x.t.rank, dims);
	if (!view_has(&values))
		values = build_temp(b, x.t.dtype, x.t.rank, dims);
	build_begin(b, VNPU_OP_TOPK);
	build_set_int(b, "dim", axis);
	build_set_int(b, "descending", build_attr_int(b, "largest", 1));
	build_set_int(b, "k", k);
	return build_end(b, 1, 2, &x, &values, &indices);
}
