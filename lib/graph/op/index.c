// SPDX-License-Identifier: MIT
/* Selection and replacement by indices. See op.h. */
#include <string.h>

#include "op/op.h"

#define DIMS VNPU_TENSOR_DIMS

int op_gather(struct build *b)
{
	struct build_view x = build_in(b, 0), index = build_in(b, 1), y;
	int64_t dims[2 * DIMS];
	int axis, i, rank = 0;

	axis = build_axis(b, build_attr_int(b, "axis", 0), x.t.rank);
	if (axis < 0 || op_need_rank(b, 0, &x, 1, DIMS))
		return b->g->err;
	for (i = 0; i < axis; i++)
		dims[rank++] = x.t.dims[i];
	for (i = 0; i < index.t.rank; i++)
		dims[rank++] = index.t.dims[i];
	for (i = axis + 1; i < x.t.rank; i++)
		dims[rank++] = x.t.dims[i];
	y = build_out(b, 0, x.t.dtype, rank, dims);
	build_begin(b, VNPU_OP_TAKE);
	build_set_int(b, "dim", axis);
	return build_end(b, 2, 1, &x, &index, &y);
}

int op_gather_elements(struct build *b)
{
	struct build_view x = build_in(b, 0), index = build_in(b, 1), y;
	int axis;

	axis = build_axis(b, build_attr_int(b, "axis", 0), x.t.rank);
	if (axis < 0)
		return b->g->err;
	y = build_out(b, 0, x.t.dtype, index.t.rank, index.t.dims);
	build_begin(b, VNPU_OP_GATHER);
	build_set_int(b, "dim", axis);
	return build_end(b, 2, 1, &x, &index, &y);
}

/* Running numbers along dimension @dim of a shape; its other sizes are 1. */
static struct build_view numbers(struct build *b, unsigned int rank,
				 unsigned int dim, int64_t n)
{
	int64_t dims[DIMS];
	struct build_view v;
	unsigned int i;

	for (i = 0; i < rank; i++)
		dims[i] = i == dim ? n : 1;
	v = build_temp(b, VNPU_DT_I64, rank, dims);
	build_begin(b, VNPU_OP_ARANGE);
	build_end(b, 0, 1, &v);
	return v;
}

/*
 * Split the last dimension of indices into a view for each dimension that they
 * select, after @batch dimensions that run along; return their number.
 */
static int split_indices(struct build *b, const struct build_view *x,
			 const struct build_view *indices, unsigned int batch,
			 struct build_view *list)
{
	unsigned int rank = indices->t.rank - 1, i;
	int64_t depth = indices->t.dims[rank];

	if (depth < 1 || batch + depth > x->t.rank || batch > rank)
		return build_fail(b, "indices of %lld numbers do not fit to %u dimensions",
				  (long long)depth, x->t.rank);
	for (i = 0; i < batch; i++)
		list[i] = numbers(b, rank, i, x->t.dims[i]);
	for (i = 0; i < depth; i++) {
		list[batch + i] = *indices;
		view_slice(&list[batch + i], rank, i, 1, 1);
		view_remove(&list[batch + i], rank);
	}
	return batch + depth;
}

int op_gather_nd(struct build *b)
{
	struct build_view x = build_in(b, 0), indices = build_in(b, 1), y;
	const struct build_view *views[2 + DIMS] = { &x };
	int64_t batch = build_attr_int(b, "batch_dims", 0), dims[2 * DIMS];
	struct build_view list[DIMS];
	int count, i, rank = 0;

	if (op_need_rank(b, 1, &indices, 1, DIMS))
		return b->g->err;
	if (batch < 0 || batch >= DIMS)
		return build_fail(b, "batch_dims: %lld is not possible",
				  (long long)batch);
	count = split_indices(b, &x, &indices, batch, list);
	if (count < 0)
		return count;
	for (i = 0; i < indices.t.rank - 1; i++)
		dims[rank++] = indices.t.dims[i];
	for (i = count; i < x.t.rank; i++)
		dims[rank++] = x.t.dims[i];
	y = build_out(b, 0, x.t.dtype, rank, dims);
	for (i = 0; i < count; i++)
		views[1 + i] = &list[i];
	views[1 + count] = &y;
	build_begin(b, VNPU_OP_INDEX);
	return build_end_list(b, 1 + count, 1, views);
}

/* How values join those that are there: 0 replaces, 1 adds, 2 multiplies. */
static int reduction_of(struct build *b)
{
	const char *name = build_attr_text(b, "reduction", "none");

	if (!strcmp(name, "none"))
		return 0;
	if (!strcmp(name, "add"))
		return 1;
	if (!strcmp(name, "mul"))
		return 2;
	return build_refuse(b, "reduction '%.20s' is not supported", name);
}

int op_scatter_elements(struct build *b)
{
	struct build_view x = build_in(b, 0), index = build_in(b, 1);
	struct build_view source = build_in(b, 2), y = build_out_like(b, 0, &x);
	int axis, reduction = reduction_of(b);

	axis = build_axis(b, build_attr_int(b, "axis", 0), x.t.rank);
	if (axis < 0 || reduction < 0)
		return b->g->err;
	build_copy(b, &x, &y);
	build_begin(b, VNPU_OP_SCATTER);
	build_set_int(b, "dim", axis);
	build_set_int(b, "reduce", reduction);
	return build_end(b, 2, 1, &index, &source, &y);
}

int op_scatter_nd(struct build *b)
{
	struct build_view x = build_in(b, 0), indices = build_in(b, 1);
	struct build_view values = build_in(b, 2), y = build_out_like(b, 0, &x);
	const struct build_view *views[2 + DIMS] = { &values };
	int count, i, reduction = reduction_of(b);
	struct build_view list[DIMS];

	if (reduction < 0 || op_need_rank(b, 1, &indices, 1, DIMS))
		return b->g->err;
	count = split_indices(b, &x, &indices, 0, list);
	if (count < 0)
		return count;
	build_copy(b, &x, &y);
	if (reduction == 2 && count == 1) {
		/* One index for all elements of its row. */
		for (i = list[0].t.rank; i < values.t.rank; i++)
			view_insert(&list[0], i, values.t.dims[i]);
		build_begin(b, VNPU_OP_SCATTER);
		build_set_int(b, "reduce", 2);
		return build_end(b, 2, 1, &list[0], &values, &y);
	}
	if (reduction == 2)
		return build_refuse(b, "reduction 'mul' of more than one dimension is not supported");
	for (i = 0; i < count; i++)
		views[1 + i] = &list[i];
	views[1 + count] = &y;
	build_begin(b, VNPU_OP_INDEX_PUT);
	build_set_int(b, "accumulate", reduction == 1);
	return build_end_list(b, 1 + count, 1, views);
}

/* Without an axis the elements decide how many stay; with one, known ones. */
int op_compress(struct build *b)
{
	struct build_view x = build_in(b, 0), mask = build_in(b, 1), y, count;
	int64_t keep[4096], dims[DIMS], n;
	bool has_axis = graph_attr(b->node, "axis");
	int axis = 0, given, i;

	if (!has_axis) {
		n = vnpu_tensor_elements(&x.t);
		x = build_reshape(b, &x, 1, &n);
	} else {
		axis = build_axis(b, build_attr_int(b, "axis", 0), x.t.rank);
	}
	if (axis < 0 || op_need_rank(b, 0, &x, 1, DIMS))
		return b->g->err;
	n = mask.t.dims[0] < x.t.dims[axis] ? mask.t.dims[0] : x.t.dims[axis];
	if (!has_axis) {
		view_slice(&x, 0, 0, n, 1);
		view_slice(&mask, 0, 0, n, 1);
		y = build_out_counted(b, 0, x.t.dtype, 1, &n, 0, &count);
		build_begin(b, VNPU_OP_MASKED_SELECT);
		return build_end(b, 2, 2, &x, &mask, &y, &count);
	}
	given = build_known(b, 1, keep, 4096);
	if (given < 0)
		return given;
	for (i = 0, given = 0; i < n; i++)
		if (keep[i])
			keep[given++] = i;
	memcpy(dims, x.t.dims, sizeof(dims));
	dims[axis] = given;
	y = build_out(b, 0, x.t.dtype, x.t.rank, dims);
	mask = build_const_ints(b, given, keep);
	build_begin(b, VNPU_OP_TAKE);
	build_set_int(b, "dim", axis);
	return build_end(b, 2, 1, &x, &mask, &y);
}

int op_nonzero(struct build *b)
{
	struct build_view x = build_in(b, 0), y, count;
	int64_t dims[2] = { x.t.rank, vnpu_tensor_elements(&x.t) };

	y = build_out_counted(b, 0, VNPU_DT_I64, 2, dims, 1, &count);
	view_swap(&y, 0, 1);
	build_begin(b, VNPU_OP_NONZERO);
	return build_end(b, 1, 2, &x, &y, &count);
}

int op_trilu(struct build *b)
{
	struct build_view x = build_in(b, 0), y = build_out_like(b, 0, &x);
	int64_t diagonal = 0;

	if (build_has(b, 1) && build_known(b, 1, &diagonal, 1) < 0)
		return b->g->err;
	build_begin(b, build_attr_int(b, "upper", 1) ? VNPU_OP_TRIU :
		    VNPU_OP_TRIL);
	build_set_int(b, "diagonal", diagonal);
	return build_end(b, 1, 1, &x, &y);
}

/* Rows of comparisons with running numbers: an index may be out of range. */
int op_one_hot(struct build *b)
{
	struct build_view index = build_in(b, 0), values = build_in(b, 2), y;
	struct build_view zero = view_integer(0), depths, classes, at, is, on;
	struct build_view off, more;
	int64_t depth, dims[DIMS], one = 1;
	double number;
	int axis, i;

	if (build_known_float(b, 1, &number))
		return b->g->err;
	if (!(number >= 0 && number <= VNPU_TENSOR_MAX))
		return build_fail(b, "depth: %g is not possible", number);
	depth = number;
	axis = build_axis(b, build_attr_int(b, "axis", -1), index.t.rank + 1);
	if (axis < 0 || op_need_rank(b, 0, &index, 0, DIMS - 1))
		return b->g->err;
	for (i = 0; i <= index.t.rank; i++)
		dims[i] = i < axis ? index.t.dims[i] : i == axis ? depth :
			  index.t.dims[i - 1];
	y = build_out(b, 0, values.t.dtype, index.t.rank + 1, dims);
	at = build_temp(b, VNPU_DT_I64, index.t.rank, index.t.dims);
	build_copy(b, &index, &at);
	/* Negative indices count from the end. */
	is = build_temp_like(b, &at);
	more = build_temp_like(b, &at);
	build_op2(b, VNPU_OP_LT, &at, &zero, &is);
	depths = view_integer(depth);
	build_op2(b, VNPU_OP_ADD, &at, &depths, &more);
	build_op3(b, VNPU_OP_WHERE, &is, &more, &at, &at);
	view_insert(&at, axis, 1);
	classes = numbers(b, y.t.rank, axis, depth);
	is = build_temp(b, VNPU_DT_BOOL, y.t.rank, dims);
	build_op2(b, VNPU_OP_EQ, &at, &classes, &is);
	on = off = values;
	view_slice(&on, 0, 1, one, 1);
	view_slice(&off, 0, 0, one, 1);
	return build_op3(b, VNPU_OP_WHERE, &is, &on, &off, &y);
}
