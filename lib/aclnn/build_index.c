// SPDX-License-Identifier: MIT
/*
 * Replacing and adding elements by index.  The engine does it in place, so an
 * output that is not the input gets a copy of it first.
 */
#include "build.h"
#include "builders.h"

/* Replace slices of an output, or add to them; negative indices are out of range. */
static int put_slices(struct aclnn_build *b, int64_t dim, bool is_sum,
		      const struct aclnn_view *index,
		      const struct aclnn_view *source,
		      const struct aclnn_view *out)
{
	aclnn_begin(b, VNPU_OP_PUT, 2, 1);
	aclnn_set_int(b, "dim", dim);
	aclnn_set_int(b, "accumulate", is_sum);
	aclnn_set_int(b, "wrap", 0);
	aclnn_put(b, 0, index);
	aclnn_put(b, 1, source);
	aclnn_put(b, 2, out);
	return aclnn_end(b);
}

/* Indices have the range of index_copy() of PyTorch. */
static int copy_slices(struct aclnn_build *b, const struct aclnn_view *out)
{
	enum { DIM = 1, INDEX, SOURCE };
	struct aclnn_view index = aclnn_view(b, INDEX);
	struct aclnn_view source = aclnn_view(b, SOURCE);

	return put_slices(b, aclnn_int(b, DIM), false, &index, &source, out);
}

int build_index_copy(struct aclnn_build *b)
{
	struct aclnn_view out = aclnn_view(b, 0);

	return copy_slices(b, &out);
}

int build_index_copy_out(struct aclnn_build *b)
{
	enum { SELF, OUT = 4 };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	if (aclnn_step1(b, VNPU_OP_COPY, &self, &out))
		return b->status;
	return copy_slices(b, &out);
}

static int index_add(struct aclnn_build *b, unsigned int out_arg)
{
	enum { SELF, DIM, INDEX, SOURCE, ALPHA };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view out = aclnn_view(b, out_arg);
	struct aclnn_view source = aclnn_view(b, SOURCE), scaled = source;
	struct aclnn_view index = aclnn_view(b, INDEX);
	struct aclnn_view alpha = aclnn_view(b, ALPHA);

	if (aclnn_scalar(b, ALPHA)->f != 1) {
		scaled = aclnn_temporary(b, out.t.dtype, source.t.rank,
					 source.t.dims);
		if (aclnn_step2(b, VNPU_OP_MUL, &source, &alpha, &scaled))
			return b->status;
	}
	if (aclnn_step1(b, VNPU_OP_COPY, &self, &out))
		return b->status;
	aclnn_begin(b, VNPU_OP_PUT, 2, 1);
	aclnn_set_int(b, "dim", aclnn_int(b, DIM));
	aclnn_set_int(b, "accumulate", 1);
	aclnn_put(b, 0, &index);
	aclnn_put(b, 1, &scaled);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

int build_index_add(struct aclnn_build *b)
{
	return index_add(b, 5);
}

/* The mode chooses between implementations of a device; here, there is one. */
int build_index_add_v2(struct aclnn_build *b)
{
	return index_add(b, 6);
}

/* Get an index of IndexFill that is not negative; false after a report. */
static bool fill_index(struct aclnn_build *b, unsigned int arg, uint64_t i,
		       int64_t size, int64_t *index)
{
	int64_t given = aclnn_array(b, arg)->i[i];

	*index = given < 0 ? given + size : given;
	if (*index >= 0 && *index < size)
		return true;
	aclnn_fail(b, arg, "expected an index below %lld, given %lld",
		   (long long)size, (long long)given);
	return false;
}

/* Copy self to an output that is not self; return the argument to fill. */
static unsigned int begin_fill(struct aclnn_build *b)
{
	enum { SELF, OUT = 4 };
	struct aclnn_view self = aclnn_view(b, SELF), out;

	if (b->op->count <= OUT)
		return SELF;
	out = aclnn_view(b, OUT);
	aclnn_step1(b, VNPU_OP_COPY, &self, &out);
	return OUT;
}

int build_index_fill(struct aclnn_build *b)
{
	enum { SELF, DIM, INDEX, VALUE };
	const struct aclnn_array *index = aclnn_array(b, INDEX);
	struct aclnn_view value = aclnn_view(b, VALUE), part;
	unsigned int dim, to = begin_fill(b);
	int64_t first, next, size, count;

	part = aclnn_view(b, to);
	if (!part.t.rank)
		return aclnn_fail(b, SELF, "has no dimensions");
	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), part.t.rank, &dim))
		return b->status;
	size = part.t.dims[dim];
	for (uint64_t i = 0; i < index->size && !b->status; i += count) {
		if (!fill_index(b, INDEX, i, size, &first))
			return b->status;
		/* Neighbours are filled in one step. */
		for (count = 1; i + count < index->size; count++) {
			if (!fill_index(b, INDEX, i + count, size, &next))
				return b->status;
			if (next != first + count)
				break;
		}
		part = aclnn_view(b, to);
		aclnn_narrow(&part, dim, first, count, 1);
		aclnn_step1(b, VNPU_OP_COPY, &value, &part);
	}
	return b->status;
}

/* The device finds indices that are out of range. */
int build_index_fill_tensor(struct aclnn_build *b)
{
	enum { SELF, DIM, INDEX, VALUE };
	struct aclnn_view value = aclnn_view(b, VALUE), source, out;
	struct aclnn_view index = aclnn_view(b, INDEX);
	unsigned int dim, to = begin_fill(b);

	out = aclnn_view(b, to);
	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), out.t.rank, &dim))
		return b->status;
	if (!out.t.rank || index.t.rank != 1)
		return aclnn_fail(b, out.t.rank ? INDEX : SELF,
				  "expected 1 dimension%s", out.t.rank ? "" :
							    " or more");
	/* One element in each place. */
	source = aclnn_temporary(b, out.t.dtype, 0, out.t.dims);
	if (aclnn_step1(b, VNPU_OP_COPY, &value, &source))
		return b->status;
	source.t.rank = out.t.rank;
	for (unsigned int i = 0; i < out.t.rank; i++) {
		source.t.dims[i] = i == dim ? index.t.dims[0] : out.t.dims[i];
		source.t.strides[i] = 0;
	}
	aclnn_begin(b, VNPU_OP_PUT, 2, 1);
	aclnn_set_int(b, "dim", dim);
	aclnn_put(b, 0, &index);
	aclnn_put(b, 1, &source);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

/* The last argument is the output, or the first one. */
static int scatter(struct aclnn_build *b, unsigned int out_arg, int64_t reduce)
{
	enum { SELF, DIM, INDEX, SOURCE };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view index = aclnn_view(b, INDEX);
	struct aclnn_view source = aclnn_view(b, SOURCE);
	struct aclnn_view out = aclnn_view(b, out_arg);

	if (out_arg != SELF && aclnn_step1(b, VNPU_OP_COPY, &self, &out))
		return b->status;
	aclnn_begin(b, VNPU_OP_SCATTER, 2, 1);
	aclnn_set_int(b, "dim", aclnn_int(b, DIM));
	aclnn_set_int(b, "reduce", reduce);
	aclnn_put(b, 0, &index);
	aclnn_put(b, 1, &source);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

int build_scatter_add(struct aclnn_build *b)
{
	return scatter(b, 4, 1);
}

int build_scatter(struct aclnn_build *b)
{
	return scatter(b, b->op->count > 5 ? 5 : 0, aclnn_int(b, 4));
}

/* The number takes the place of a source; the output is the last one, or self. */
int build_scatter_value(struct aclnn_build *b)
{
	enum { SELF, DIM, INDEX, VALUE, REDUCE, OUT };
	bool is_in_place = b->op->count == OUT;
	struct aclnn_view out = aclnn_view(b, is_in_place ? SELF : OUT);
	struct aclnn_view self = aclnn_view(b, SELF), source;
	struct aclnn_view index = aclnn_view(b, INDEX);
	struct aclnn_view value = aclnn_view(b, VALUE);

	source = aclnn_temporary(b, out.t.dtype, index.t.rank, index.t.dims);
	if (aclnn_step1(b, VNPU_OP_COPY, &value, &source))
		return b->status;
	if (!is_in_place && aclnn_step1(b, VNPU_OP_COPY, &self, &out))
		return b->status;
	aclnn_begin(b, VNPU_OP_SCATTER, 2, 1);
	aclnn_set_int(b, "dim", aclnn_int(b, DIM));
	aclnn_set_int(b, "reduce", aclnn_int(b, REDUCE));
	aclnn_put(b, 0, &index);
	aclnn_put(b, 1, &source);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

/* Add rows to those of an output by their numbers, in f32 for f16. */
static int add_rows(struct aclnn_build *b, const struct aclnn_view *numbers,
		    const struct aclnn_view *rows, const struct aclnn_view *out)
{
	struct aclnn_view wide, sum;

	if (out->t.dtype != VNPU_DT_F16)
		return put_slices(b, 0, true, numbers, rows, out);
	wide = aclnn_temporary(b, VNPU_DT_F32, rows->t.rank, rows->t.dims);
	sum = aclnn_temporary(b, VNPU_DT_F32, out->t.rank, out->t.dims);
	if (aclnn_step1(b, VNPU_OP_COPY, rows, &wide) ||
	    aclnn_step1(b, VNPU_OP_COPY, out, &sum) ||
	    put_slices(b, 0, true, numbers, &wide, &sum))
		return b->status;
	return aclnn_step1(b, VNPU_OP_COPY, &sum, out);
}

/* Check whether a type is one of indices; false after a report. */
static bool has_indices(struct aclnn_build *b, unsigned int arg, unsigned int rank)
{
	struct aclnn_view view = aclnn_view(b, arg);

	if (view.t.rank == rank && (view.t.dtype == VNPU_DT_I32 ||
				    view.t.dtype == VNPU_DT_I64))
		return true;
	aclnn_fail(b, arg, "expected type i32 or i64 and %u dimension%s, given %s and %u",
		   rank, rank > 1 ? "s" : "", vnpu_dtype_name(view.t.dtype),
		   view.t.rank);
	return false;
}

/*
 * Each element of a sparse tensor has the number of the place that it shares with
 * others.  The outputs have as many places as there are numbers.
 */
int build_coalesce(struct aclnn_build *b)
{
	enum { LENGTH, NUMBERS, INDICES, VALUES, NEW_INDICES, NEW_VALUES };
	struct aclnn_view numbers = aclnn_view(b, NUMBERS);
	struct aclnn_view indices = aclnn_view(b, INDICES);
	struct aclnn_view values = aclnn_view(b, VALUES);
	struct aclnn_view new_indices = aclnn_view(b, NEW_INDICES);
	struct aclnn_view new_values = aclnn_view(b, NEW_VALUES);

	if (!has_indices(b, LENGTH, 1) || !has_indices(b, NUMBERS, 1) ||
	    !has_indices(b, INDICES, 2) || !has_indices(b, NEW_INDICES, 2))
		return b->status;
	if (values.t.dtype != VNPU_DT_I32 && values.t.dtype != VNPU_DT_F16 &&
	    values.t.dtype != VNPU_DT_F32)
		return aclnn_fail(b, VALUES, "expected type i32, f16 or f32, given %s",
				  vnpu_dtype_name(values.t.dtype));
	if (new_values.t.dtype != values.t.dtype)
		return aclnn_fail(b, NEW_VALUES, "expected type %s, given %s",
				  vnpu_dtype_name(values.t.dtype),
				  vnpu_dtype_name(new_values.t.dtype));
	if (!new_values.t.rank || new_values.t.dims[0] != new_indices.t.dims[0])
		return aclnn_fail(b, NEW_VALUES,
				  "expected %lld in dimension 0, as in newIndicesOut, given %lld",
				  (long long)new_indices.t.dims[0],
				  (long long)new_values.t.dims[0]);
	if (put_slices(b, 0, false, &numbers, &indices, &new_indices))
		return b->status;
	return add_rows(b, &numbers, &values, &new_values);
}
