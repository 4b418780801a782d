// SPDX-License-Identifier: MIT
/*
 * Adapters of low rank: each row of a batch has its own pair of matrices.
 *
 * The rows are sorted by adapter, so that each adapter is a product of a group.
 */
#include "build.h"
#include "builders.h"

enum {
	Y, X, WEIGHT_B, INDICES, WEIGHT_A, LAYER, SCALE, OFFSET, SLICE, OUT,
};

/* Check the size of a dimension; false after a report. */
static bool has_size(struct aclnn_build *b, unsigned int arg, unsigned int dim,
		     int64_t size)
{
	struct aclnn_view view = aclnn_view(b, arg);

	if (view.t.dims[dim] == size)
		return true;
	aclnn_fail(b, arg, "expected %lld in dimension %u, given %lld",
		   (long long)size, dim, (long long)view.t.dims[dim]);
	return false;
}

/* Check types and numbers of dimensions; a status. */
static int check_tensors(struct aclnn_build *b)
{
	static const struct {
		uint8_t arg, rank;
	} tensors[] = {
		{ Y, 2 }, { X, 2 }, { WEIGHT_B, 4 }, { INDICES, 1 },
		{ WEIGHT_A, 4 },
	};

	for (unsigned int i = 0; i < sizeof(tensors) / sizeof(*tensors); i++) {
		struct aclnn_view view = aclnn_view(b, tensors[i].arg);

		if (!aclnn_has(&view))
			continue;
		if (view.t.rank != tensors[i].rank)
			return aclnn_fail(b, tensors[i].arg,
					  "expected %u dimensions, given %u",
					  tensors[i].rank, view.t.rank);
		if (tensors[i].arg != INDICES &&
		    !vnpu_dtype_is_float(view.t.dtype))
			return aclnn_fail(b, tensors[i].arg,
					  "expected a floating-point type, given %s",
					  vnpu_dtype_name(view.t.dtype));
	}
	return b->status;
}

/* Check the sizes of tensors, which agree with y and with weightB; a status. */
static int check_sizes(struct aclnn_build *b)
{
	struct aclnn_view y = aclnn_view(b, Y), x = aclnn_view(b, X);
	struct aclnn_view weight = aclnn_view(b, WEIGHT_B);
	const int64_t *dims = weight.t.dims;

	if (!dims[0])
		return aclnn_fail(b, WEIGHT_B,
				  "expected 1 or more in dimension 0, given 0");
	if (!has_size(b, X, 0, y.t.dims[0]) ||
	    !has_size(b, INDICES, 0, y.t.dims[0]) || !aclnn_has_shape(b, OUT, &y))
		return b->status;
	if (!b->object[WEIGHT_A])
		return has_size(b, X, 1, dims[3]) ? 0 : b->status;
	if (!has_size(b, WEIGHT_A, 0, dims[0]) ||
	    !has_size(b, WEIGHT_A, 1, dims[1]) ||
	    !has_size(b, WEIGHT_A, 2, dims[3]))
		return b->status;
	return has_size(b, WEIGHT_A, 3, x.t.dims[1]) ? 0 : b->status;
}

/* Check the layer, and the columns of y that change; a status. */
static int check_columns(struct aclnn_build *b)
{
	struct aclnn_view y = aclnn_view(b, Y), weight = aclnn_view(b, WEIGHT_B);
	int64_t layers = weight.t.dims[1], columns = weight.t.dims[2];
	int64_t layer = aclnn_int(b, LAYER), offset = aclnn_int(b, OFFSET);

	if (layer < 0 || layer >= layers)
		return aclnn_fail(b, LAYER, "expected a layer below %lld, given %lld",
				  (long long)layers, (long long)layer);
	if (aclnn_int(b, SLICE) != columns)
		return aclnn_fail(b, SLICE,
				  "expected the columns of weightB, %lld, given %lld",
				  (long long)columns,
				  (long long)aclnn_int(b, SLICE));
	if (columns > y.t.dims[1])
		return aclnn_fail(b, WEIGHT_B,
				  "expected at most %lld in dimension 2, given %lld",
				  (long long)y.t.dims[1], (long long)columns);
	if (offset < 0 || offset > y.t.dims[1] - columns)
		return aclnn_fail(b, OFFSET, "expected 0 to %lld, given %lld",
				  (long long)(y.t.dims[1] - columns),
				  (long long)offset);
	return b->status;
}

/* View the weights of the layer as [adapter, inner, column]. */
static struct aclnn_view weights(struct aclnn_build *b, unsigned int arg)
{
	struct aclnn_view view = aclnn_view(b, arg);

	aclnn_narrow(&view, 1, aclnn_int(b, LAYER), 1, 1);
	aclnn_remove(&view, 1);
	aclnn_swap(&view, 1, 2);
	return view;
}

/* Multiply groups of rows with the weights of their adapters, in f32. */
static struct aclnn_view multiply(struct aclnn_build *b,
				  const struct aclnn_view *rows,
				  unsigned int arg,
				  const struct aclnn_view *sizes)
{
	struct aclnn_view factor = weights(b, arg), product;
	const int64_t dims[] = { rows->t.dims[0], factor.t.dims[2] };

	product = aclnn_temporary(b, VNPU_DT_F32, 2, dims);
	aclnn_begin(b, VNPU_OP_GROUPED_MATMUL, 3, 1);
	aclnn_set_int(b, "kind", 1);
	aclnn_put(b, 0, rows);
	aclnn_put(b, 1, &factor);
	aclnn_put(b, 2, sizes);
	aclnn_put(b, 3, &product);
	aclnn_end(b);
	return product;
}

/* Compute the rows that are added, in the order of x.  A wrong index is an error. */
static struct aclnn_view adapt(struct aclnn_build *b)
{
	struct aclnn_view x = aclnn_view(b, X), indices = aclnn_view(b, INDICES);
	struct aclnn_view weight = aclnn_view(b, WEIGHT_B);
	struct aclnn_view order, sizes, rows, made;

	aclnn_begin(b, VNPU_OP_BINCOUNT, 1, 1);
	aclnn_set_int(b, "bins", weight.t.dims[0]);
	aclnn_put(b, 0, &indices);
	sizes = aclnn_result(b);
	order = aclnn_result1(b, VNPU_OP_ARGSORT, &indices);
	rows = aclnn_temporary(b, x.t.dtype, 2, x.t.dims);
	aclnn_step2(b, VNPU_OP_TAKE, &x, &order, &rows);
	if (b->object[WEIGHT_A])
		rows = multiply(b, &rows, WEIGHT_A, &sizes);
	rows = multiply(b, &rows, WEIGHT_B, &sizes);
	made = aclnn_temporary(b, VNPU_DT_F32, 2, rows.t.dims);
	aclnn_step2(b, VNPU_OP_PUT, &order, &rows, &made);
	return made;
}

int build_add_lora(struct aclnn_build *b)
{
	struct aclnn_view y = aclnn_view(b, Y), out = aclnn_view(b, OUT), rows;
	int64_t slice = aclnn_int(b, SLICE), offset = aclnn_int(b, OFFSET);

	if (check_tensors(b) || check_sizes(b) || check_columns(b))
		return b->status;
	rows = adapt(b);
	if (b->status || aclnn_step1(b, VNPU_OP_COPY, &y, &out))
		return b->status;
	aclnn_narrow(&y, 1, offset, slice, 1);
	aclnn_narrow(&out, 1, offset, slice, 1);
	aclnn_begin(b, VNPU_OP_ADD, 2, 1);
	aclnn_set_float(b, "alpha", aclnn_float(b, SCALE));
	aclnn_put(b, 0, &y);
	aclnn_put(b, 1, &rows);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}
