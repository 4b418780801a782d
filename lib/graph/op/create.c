// SPDX-License-Identifier: MIT
/* Operators that make tensors from their shape alone. See op.h. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "op/op.h"

/* Make a view that repeats one element, by a stride of 0. */
int op_constant_of_shape(struct build *b)
{
	const struct graph_attr *a = graph_attr(b->node, "value");
	const float zero = 0;
	int64_t dims[VNPU_TENSOR_DIMS];
	struct build_view v;
	int rank;

	rank = build_known(b, 0, dims, VNPU_TENSOR_DIMS);
	if (rank < 0)
		return rank;
	if (a && (a->kind != GRAPH_TENSOR || graph_elements(a->tensor) != 1))
		return build_fail(b, "attribute value: expected a tensor of one element");
	v = a ? build_const(b, a->tensor->dtype, 0, NULL, a->tensor->data) :
		build_const(b, VNPU_DT_F32, 0, NULL, &zero);
	view_expand(&v, rank, dims);
	return build_alias(b, 0, &v);
}

/* Get the type of an attribute, or that of the input. */
static unsigned int type_of(struct build *b, unsigned int otherwise)
{
	int64_t type = build_attr_int(b, "dtype", 0);

	return type ? op_dtype(b, type) : otherwise;
}

int op_eye_like(struct build *b)
{
	const struct graph_value *x = b->node->in[0];
	struct build_view y, line, value = view_number(0);
	int64_t k = build_attr_int(b, "k", 0), rows, columns, n;

	if (x->rank != 2)
		return build_fail(b, "expected 2 dimensions, given %s",
				  GRAPH_DESCRIBE(x));
	y = build_out(b, 0, type_of(b, x->dtype), 2, x->dims);
	build_copy(b, &value, &y);
	if (k <= -x->dims[0] || k >= x->dims[1])
		return b->g->err;
	/* The diagonal is a view of one dimension. */
	rows = x->dims[0] + (k < 0 ? k : 0);
	columns = x->dims[1] - (k > 0 ? k : 0);
	n = rows < columns ? rows : columns;
	line = y;
	line.t.offset += k < 0 ? -k * y.t.strides[0] : k * y.t.strides[1];
	line.t.rank = 1;
	line.t.dims[0] = n;
	line.t.strides[0] = y.t.strides[0] + y.t.strides[1];
	value = view_number(1);
	return build_copy(b, &value, &line);
}

int op_range(struct build *b)
{
	struct build_view start = build_in(b, 0), y;
	double first, limit, delta, count;
	int64_t n;

	if (build_known_float(b, 0, &first) || build_known_float(b, 1, &limit) ||
	    build_known_float(b, 2, &delta))
		return b->g->err;
	count = ceil((limit - first) / delta);
	if (!(fabs(count) < (double)VNPU_TENSOR_MAX))
		return build_fail(b, "%g to %g by %g is no range", first, limit,
				  delta);
	n = count < 0 ? 0 : count;
	y = build_out(b, 0, start.t.dtype, 1, &n);
	build_begin(b, VNPU_OP_ARANGE);
	build_set_float(b, "start", first);
	build_set_float(b, "step", delta);
	return build_end(b, 0, 1, &y);
}
