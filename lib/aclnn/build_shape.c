// SPDX-License-Identifier: MIT
/* Copies between views: conversions, permutations, lists, slices, padding. */
#include "build.h"
#include "builders.h"

int build_nothing(struct aclnn_build *b)
{
	return b->status;
}

int build_cast(struct aclnn_build *b)
{
	enum { SELF, DTYPE, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	const struct aclnn_tensor *tensor = b->object[OUT];

	if (tensor->dtype != (aclDataType)aclnn_int(b, DTYPE))
		return aclnn_fail(b, DTYPE,
				  "expected the type of out, %d, given %lld",
				  tensor->dtype,
				  (long long)aclnn_int(b, DTYPE));
	return aclnn_step1(b, VNPU_OP_COPY, &self, &out);
}

static int fill(struct aclnn_build *b, int64_t value)
{
	struct aclnn_view in = aclnn_integer(value), out = aclnn_view(b, 0);

	return aclnn_step1(b, VNPU_OP_COPY, &in, &out);
}

int build_zero(struct aclnn_build *b)
{
	return fill(b, 0);
}

int build_one(struct aclnn_build *b)
{
	return fill(b, 1);
}

int build_eye(struct aclnn_build *b)
{
	enum { N, M, OUT };
	struct aclnn_view out = aclnn_view(b, OUT), line = out;
	struct aclnn_view zero = aclnn_integer(0), one = aclnn_integer(1);

	if (out.t.rank != 2 || out.t.dims[0] != aclnn_int(b, N) ||
	    out.t.dims[1] != aclnn_int(b, M))
		return aclnn_fail(b, OUT, "expected shape [%lld, %lld]",
				  (long long)aclnn_int(b, N),
				  (long long)aclnn_int(b, M));
	if (aclnn_step1(b, VNPU_OP_COPY, &zero, &out))
		return b->status;
	/* The diagonal is a row with elements that are further apart. */
	line.t.rank = 1;
	if (out.t.dims[1] < out.t.dims[0])
		line.t.dims[0] = out.t.dims[1];
	line.t.strides[0] += out.t.strides[1];
	return aclnn_step1(b, VNPU_OP_COPY, &one, &line);
}

int build_permute(struct aclnn_build *b)
{
	enum { SELF, DIMS, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), from = self;
	const struct aclnn_array *dims = aclnn_array(b, DIMS);
	struct aclnn_view out = aclnn_view(b, OUT);
	unsigned int dim, seen = 0;

	if (dims->size != self.t.rank)
		return aclnn_fail(b, DIMS, "expected %u values, given %llu",
				  self.t.rank, (unsigned long long)dims->size);
	for (unsigned int i = 0; i < self.t.rank; i++) {
		if (!aclnn_dim(b, DIMS, dims->i[i], self.t.rank, &dim))
			return b->status;
		if (seen >> dim & 1)
			return aclnn_fail(b, DIMS, "dimension %u is given twice", dim);
		seen |= 1U << dim;
		from.t.dims[i] = self.t.dims[dim];
		from.t.strides[i] = self.t.strides[dim];
	}
	return aclnn_step1(b, VNPU_OP_COPY, &from, &out);
}

int build_expand(struct aclnn_build *b)
{
	enum { SELF, SIZE, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	const struct aclnn_array *size = aclnn_array(b, SIZE);

	if (size->size != out.t.rank)
		return aclnn_fail(b, SIZE, "expected %u values, given %llu",
				  out.t.rank, (unsigned long long)size->size);
	for (unsigned int i = 0; i < out.t.rank; i++)
		if (size->i[i] >= 0 && size->i[i] != out.t.dims[i])
			return aclnn_fail(b, SIZE,
					  "expected %lld for dimension %u, given %lld",
					  (long long)out.t.dims[i], i,
					  (long long)size->i[i]);
	return aclnn_step1(b, VNPU_OP_COPY, &self, &out);
}

int build_flatten(struct aclnn_build *b)
{
	enum { SELF, AXIS, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	int64_t given = aclnn_int(b, AXIS), shape[2] = { 1, 1 };
	unsigned int axis = self.t.rank;

	if (given != self.t.rank &&
	    !aclnn_dim(b, AXIS, given, self.t.rank, &axis))
		return b->status;
	for (unsigned int i = 0; i < self.t.rank; i++)
		shape[i >= axis] *= self.t.dims[i];
	if (out.t.rank != 2 || out.t.dims[0] != shape[0] ||
	    out.t.dims[1] != shape[1])
		return aclnn_fail(b, OUT, "expected shape [%lld, %lld]",
				  (long long)shape[0], (long long)shape[1]);
	aclnn_reshape(&out, self.t.rank, self.t.dims);
	if (out.t.rank != self.t.rank)
		return aclnn_fail(b, OUT, "expected a contiguous tensor");
	return aclnn_step1(b, VNPU_OP_COPY, &self, &out);
}

/* Copy the members of a list to, or from, parts of a dimension. */
static int copy_parts(struct aclnn_build *b, unsigned int list,
		      const struct aclnn_view *whole, unsigned int dim,
		      bool is_stack, bool is_split)
{
	const struct aclnn_array *array = aclnn_array(b, list);
	int64_t at = 0;

	for (uint64_t i = 0; i < array->size && !b->status; i++) {
		struct aclnn_view member = aclnn_member(b, list, i);
		struct aclnn_view part = *whole;

		if (b->status)
			break;
		/* An empty list of one dimension matches everything. */
		if (!is_stack && member.t.rank == 1 && !member.t.dims[0])
			continue;
		if (member.t.rank + is_stack != whole->t.rank)
			return aclnn_fail(b, list,
					  "member %llu: expected %d dimensions, given %u",
					  (unsigned long long)i,
					  (int)whole->t.rank - is_stack,
					  member.t.rank);
		if (is_stack)
			aclnn_insert(&member, dim);
		if (member.t.dims[dim] > whole->t.dims[dim] - at)
			return aclnn_fail(b, list,
					  "member %llu does not fit in the other tensor",
					  (unsigned long long)i);
		for (unsigned int k = 0; k < whole->t.rank; k++)
			if (k != dim && member.t.dims[k] != whole->t.dims[k])
				return aclnn_fail(b, list,
					"member %llu: expected %lld for dimension %u, given %lld",
					(unsigned long long)i,
					(long long)whole->t.dims[k], k,
					(long long)member.t.dims[k]);
		aclnn_narrow(&part, dim, at, member.t.dims[dim], 1);
		at += member.t.dims[dim];
		if (is_split)
			aclnn_step1(b, VNPU_OP_COPY, &part, &member);
		else
			aclnn_step1(b, VNPU_OP_COPY, &member, &part);
	}
	if (!b->status && at != whole->t.dims[dim])
		return aclnn_fail(b, list,
				  "the members have %lld elements along dimension %u, the other tensor %lld",
				  (long long)at, dim,
				  (long long)whole->t.dims[dim]);
	return b->status;
}

static int concatenate(struct aclnn_build *b, bool is_stack)
{
	enum { TENSORS, DIM, OUT };
	struct aclnn_view out = aclnn_view(b, OUT);
	unsigned int dim;

	if (!out.t.rank)
		return aclnn_fail(b, OUT, "has no dimensions");
	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), out.t.rank, &dim))
		return b->status;
	return copy_parts(b, TENSORS, &out, dim, is_stack, false);
}

int build_cat(struct aclnn_build *b)
{
	return concatenate(b, false);
}

int build_stack(struct aclnn_build *b)
{
	return concatenate(b, true);
}

/*
 * Split into parts with the sizes of an array, or of @size each, where the last
 * one may be smaller.
 */
static int split(struct aclnn_build *b, const struct aclnn_array *sizes,
		 int64_t size)
{
	enum { SELF, SIZES, DIM, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), part;
	int64_t rest;
	unsigned int dim;

	if (!self.t.rank)
		return aclnn_fail(b, SELF, "has no dimensions");
	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), self.t.rank, &dim))
		return b->status;
	rest = self.t.dims[dim];
	for (uint64_t i = 0; i < aclnn_array(b, OUT)->size; i++) {
		part = aclnn_member(b, OUT, i);
		if (sizes)
			size = sizes->i[i];
		else if (size > rest)
			size = rest;
		if (b->status)
			return b->status;
		/* copy_parts() reports another rank. */
		if (part.t.rank != self.t.rank)
			break;
		if (part.t.dims[dim] != size)
			return aclnn_fail(b, OUT,
				"member %llu: expected %lld for dimension %u, given %lld",
				(unsigned long long)i, (long long)size, dim,
				(long long)part.t.dims[dim]);
		rest -= part.t.dims[dim];
	}
	return copy_parts(b, OUT, &self, dim, false, true);
}

int build_split(struct aclnn_build *b)
{
	return split(b, NULL, aclnn_int(b, 1));
}

int build_split_sizes(struct aclnn_build *b)
{
	enum { SELF, SIZES, DIM, OUT };

	if (aclnn_array(b, SIZES)->size != aclnn_array(b, OUT)->size)
		return aclnn_fail(b, SIZES,
				  "expected a size for each of %llu parts, given %llu",
				  (unsigned long long)aclnn_array(b, OUT)->size,
				  (unsigned long long)
				  aclnn_array(b, SIZES)->size);
	return split(b, aclnn_array(b, SIZES), 0);
}

/* A bound of a slice: negative ones count from the end. */
static int64_t bound(int64_t value, int64_t size)
{
	if (value < 0)
		value += size;
	return value < 0 ? 0 : value > size ? size : value;
}

int build_slice(struct aclnn_build *b)
{
	enum { SELF, DIM, START, END, STEP, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	int64_t step = aclnn_int(b, STEP), start, end, count;
	unsigned int dim;

	if (!self.t.rank)
		return aclnn_fail(b, SELF, "has no dimensions");
	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), self.t.rank, &dim))
		return b->status;
	if (step < 1)
		return aclnn_fail(b, STEP, "expected at least 1, given %lld",
				  (long long)step);
	start = bound(aclnn_int(b, START), self.t.dims[dim]);
	end = bound(aclnn_int(b, END), self.t.dims[dim]);
	count = end > start ? (end - start - 1) / step + 1 : 0;
	aclnn_narrow(&self, dim, start, count, step);
	if (out.t.rank != self.t.rank || out.t.dims[dim] != count)
		return aclnn_fail(b, OUT,
				  "expected %u dimensions, and %lld elements along dimension %u",
				  self.t.rank, (long long)count, dim);
	return aclnn_step1(b, VNPU_OP_COPY, &self, &out);
}

int build_flip(struct aclnn_build *b)
{
	enum { SELF, DIMS, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	const struct aclnn_array *dims = aclnn_array(b, DIMS);
	unsigned int dim;

	for (uint64_t i = 0; i < dims->size; i++) {
		if (!aclnn_dim(b, DIMS, dims->i[i], self.t.rank, &dim))
			return b->status;
		if (self.t.rank && self.t.dims[dim])
			aclnn_narrow(&self, dim, self.t.dims[dim] - 1,
				     self.t.dims[dim], -1);
	}
	return aclnn_step1(b, VNPU_OP_COPY, &self, &out);
}

/* Pairs before and after a dimension, the last dimension first. */
static int pad(struct aclnn_build *b, unsigned int list, unsigned int out_arg,
	       int mode, double value)
{
	struct aclnn_view self = aclnn_view(b, 0), out = aclnn_view(b, out_arg);
	const struct aclnn_array *pairs = aclnn_array(b, list);
	int64_t before[VNPU_OP_LIST] = { 0 }, after[VNPU_OP_LIST] = { 0 };
	unsigned int rank = self.t.rank;

	if (pairs->size % 2 || pairs->size > 2 * rank)
		return aclnn_fail(b, list,
				  "expected a pair for each of up to %u dimensions, given %llu values",
				  rank, (unsigned long long)pairs->size);
	for (unsigned int i = 0; i < pairs->size / 2; i++) {
		before[i] = pairs->i[2 * i];
		after[i] = pairs->i[2 * i + 1];
	}
	aclnn_begin(b, VNPU_OP_PAD, 1, 1);
	aclnn_set_ints(b, "before", before, rank);
	aclnn_set_ints(b, "after", after, rank);
	aclnn_set_int(b, "mode", mode);
	aclnn_set_float(b, "value", value);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

int build_pad_constant(struct aclnn_build *b)
{
	enum { SELF, PAD, VALUE, OUT };

	return pad(b, PAD, OUT, 0, aclnn_scalar(b, VALUE)->f);
}

int build_pad_reflect(struct aclnn_build *b)
{
	return pad(b, 1, 2, 1, 0);
}

int build_pad_replicate(struct aclnn_build *b)
{
	return pad(b, 1, 2, 2, 0);
}

/* Slice several dimensions, each from a start to an end by a step. */
int build_slices(struct aclnn_build *b)
{
	enum { SELF, STARTS, ENDS, AXES, STEPS, OUT };
	const struct aclnn_array *starts = aclnn_array(b, STARTS);
	const struct aclnn_array *ends = aclnn_array(b, ENDS);
	const struct aclnn_array *axes = aclnn_array(b, AXES);
	const struct aclnn_array *steps = aclnn_array(b, STEPS);
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	int64_t start, end, count;
	unsigned int dim;

	if (ends->size != starts->size || axes->size != starts->size ||
	    steps->size != starts->size)
		return aclnn_fail(b, STARTS,
				  "starts, ends, axes and steps have different sizes");
	if (!self.t.rank)
		return aclnn_fail(b, SELF, "has no dimensions");
	for (uint64_t i = 0; i < axes->size; i++) {
		if (!aclnn_dim(b, AXES, axes->i[i], self.t.rank, &dim))
			return b->status;
		if (steps->i[i] < 1)
			return aclnn_fail(b, STEPS,
					  "expected at least 1, given %lld",
					  (long long)steps->i[i]);
		start = bound(starts->i[i], self.t.dims[dim]);
		end = bound(ends->i[i], self.t.dims[dim]);
		count = end > start ? (end - start - 1) / steps->i[i] + 1 : 0;
		aclnn_narrow(&self, dim, start, count, steps->i[i]);
	}
	return aclnn_step1(b, VNPU_OP_COPY, &self, &out);
}

/* View the diagonal of a matrix from a row on, or of equal dimensions. */
static struct aclnn_view diagonal(const struct aclnn_view *of, int64_t row)
{
	struct aclnn_view view = *of;
	int64_t count = view.t.dims[0] - row, stride = 0;

	for (unsigned int i = 0; i < view.t.rank; i++) {
		stride += view.t.strides[i];
		if (i && view.t.dims[i] < count)
			count = view.t.dims[i];
	}
	view.t.offset += row * view.t.strides[0];
	view.t.rank = 1;
	view.t.dims[0] = count;
	view.t.strides[0] = stride;
	return view;
}

/* Wrapped, the diagonal of a tall matrix begins again behind an empty row. */
int build_fill_diagonal(struct aclnn_build *b)
{
	enum { SELF, VALUE, WRAP };
	struct aclnn_view self = aclnn_view(b, SELF), part;
	struct aclnn_view value = aclnn_view(b, VALUE);
	int64_t row = 0;

	if (!vnpu_tensor_elements(&self.t))
		return b->status;
	if (self.t.rank < 2)
		return aclnn_fail(b, SELF,
				  "expected at least 2 dimensions, given %u",
				  self.t.rank);
	for (unsigned int i = 1; self.t.rank > 2 && i < self.t.rank; i++)
		if (self.t.dims[i] != self.t.dims[0])
			return aclnn_fail(b, SELF,
					  "expected %u dimensions of equal size",
					  self.t.rank);
	do {
		part = diagonal(&self, row);
		if (aclnn_step1(b, VNPU_OP_COPY, &value, &part))
			return b->status;
		row += self.t.dims[1] + 1;
	} while (aclnn_int(b, WRAP) && self.t.rank == 2 &&
		 row < self.t.dims[0]);
	return b->status;
}

/* Split dimension 1 into @groups parts. */
static void split_channels(struct aclnn_view *view, int64_t groups)
{
	int64_t each = view->t.dims[1] / groups;

	aclnn_insert(view, 1);
	view->t.dims[1] = groups;
	view->t.strides[1] = each * view->t.strides[2];
	view->t.dims[2] = each;
}

/* Channel j of group i becomes channel i of group j. */
int build_channel_shuffle(struct aclnn_build *b)
{
	enum { SELF, GROUPS, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	int64_t groups = aclnn_int(b, GROUPS);

	if (self.t.rank < 2 || self.t.rank >= VNPU_TENSOR_DIMS)
		return aclnn_fail(b, SELF, "expected 2 to %d dimensions, given %u",
				  VNPU_TENSOR_DIMS - 1, self.t.rank);
	if (groups < 1 || self.t.dims[1] % groups)
		return aclnn_fail(b, GROUPS,
				  "expected a divisor of %lld channels, given %lld",
				  (long long)self.t.dims[1], (long long)groups);
	if (!aclnn_has_shape(b, OUT, &self) || !vnpu_tensor_elements(&self.t))
		return b->status;
	split_channels(&out, self.t.dims[1] / groups);
	split_channels(&self, groups);
	aclnn_swap(&self, 1, 2);
	return aclnn_step1(b, VNPU_OP_COPY, &self, &out);
}
