// SPDX-License-Identifier: MIT
/* Elements by a list of indices, one for each dimension. */
#include "build.h"
#include "builders.h"

/* Put the members of a list of indices from input 1 on; false after a report. */
static bool put_indices(struct aclnn_build *b, unsigned int arg)
{
	const struct aclnn_array *list = aclnn_array(b, arg);
	struct aclnn_view index;

	for (uint64_t i = 0; i < list->size; i++) {
		index = aclnn_member(b, arg, i);
		if (b->status)
			return false;
		if (index.t.dtype == VNPU_DT_BOOL) {
			aclnn_fail(b, arg,
				   "member %llu: masks are not supported; expected i32 or i64",
				   (unsigned long long)i);
			return false;
		}
		aclnn_put(b, 1 + i, &index);
	}
	return true;
}

static bool check_list(struct aclnn_build *b, unsigned int arg)
{
	uint64_t size = aclnn_array(b, arg)->size;

	if (size >= 1 && size <= VNPU_TENSOR_DIMS)
		return true;
	aclnn_fail(b, arg, "expected 1 to %d indices, given %llu",
		   VNPU_TENSOR_DIMS, (unsigned long long)size);
	return false;
}

int build_index(struct aclnn_build *b)
{
	enum { SELF, INDICES, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	unsigned int count;

	if (!check_list(b, INDICES))
		return b->status;
	count = aclnn_array(b, INDICES)->size;
	aclnn_begin(b, VNPU_OP_INDEX, 1 + count, 1);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1 + count, &out);
	return put_indices(b, INDICES) ? aclnn_end(b) : b->status;
}

int build_index_put(struct aclnn_build *b)
{
	enum { SELF, INDICES, VALUES, ACCUMULATE, UNSAFE };
	struct aclnn_view out = aclnn_view(b, SELF);
	struct aclnn_view values = aclnn_view(b, VALUES);
	unsigned int count;

	if (!check_list(b, INDICES))
		return b->status;
	count = aclnn_array(b, INDICES)->size;
	aclnn_begin(b, VNPU_OP_INDEX_PUT, 1 + count, 1);
	aclnn_set_int(b, "accumulate", aclnn_int(b, ACCUMULATE));
	aclnn_put(b, 0, &values);
	aclnn_put(b, 1 + count, &out);
	return put_indices(b, INDICES) ? aclnn_end(b) : b->status;
}

/*
 * Replace slices of an output, which is a copy of the data first.  The last dimension
 * of the indices has one for each of the first dimensions.
 */
static int replace_slices(struct aclnn_build *b, unsigned int to)
{
	enum { DATA, INDICES, UPDATES };
	struct aclnn_view data = aclnn_view(b, DATA), out = aclnn_view(b, to);
	struct aclnn_view updates = aclnn_view(b, UPDATES), index;
	struct aclnn_view indices = aclnn_view(b, INDICES);
	unsigned int last = indices.t.rank - 1;
	int64_t count;

	if (!indices.t.rank)
		return aclnn_fail(b, INDICES, "has no dimensions");
	count = indices.t.dims[last];
	if (count < 1 || count > data.t.rank)
		return aclnn_fail(b, INDICES,
				  "expected a last dimension of 1 to %u, given %lld",
				  data.t.rank, (long long)count);
	if (to != DATA && aclnn_step1(b, VNPU_OP_COPY, &data, &out))
		return b->status;
	aclnn_begin(b, VNPU_OP_INDEX_PUT, 1 + count, 1);
	aclnn_put(b, 0, &updates);
	for (int64_t i = 0; i < count; i++) {
		index = indices;
		aclnn_narrow(&index, last, i, 1, 1);
		index.t.rank = last;
		aclnn_put(b, 1 + i, &index);
	}
	aclnn_put(b, 1 + count, &out);
	return aclnn_end(b);
}

int build_scatter_nd(struct aclnn_build *b)
{
	return replace_slices(b, 3);
}

int build_scatter_nd_update(struct aclnn_build *b)
{
	return replace_slices(b, 0);
}

/* The reverse: slices of self; a negative index counts from the end. */
int build_gather_nd(struct aclnn_build *b)
{
	enum { SELF, INDICES, NEGATIVE, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view indices = aclnn_view(b, INDICES), index;
	unsigned int last = indices.t.rank - 1;
	int64_t count;

	if (!indices.t.rank)
		return aclnn_fail(b, INDICES, "has no dimensions");
	count = indices.t.dims[last];
	if (count < 1 || count > self.t.rank)
		return aclnn_fail(b, INDICES,
				  "expected a last dimension of 1 to %u, given %lld",
				  self.t.rank, (long long)count);
	aclnn_begin(b, VNPU_OP_INDEX, 1 + count, 1);
	aclnn_put(b, 0, &self);
	for (int64_t i = 0; i < count; i++) {
		index = indices;
		aclnn_narrow(&index, last, i, 1, 1);
		index.t.rank = last;
		aclnn_put(b, 1 + i, &index);
	}
	aclnn_put(b, 1 + count, &out);
	return aclnn_end(b);
}

/* Components of vectors along a dimension. */
static struct aclnn_view component(const struct aclnn_view *of,
				   unsigned int dim, int64_t i)
{
	struct aclnn_view view = *of;

	aclnn_narrow(&view, dim, i % 3, 1, 1);
	return view;
}

int build_cross(struct aclnn_build *b)
{
	enum { SELF, OTHER, DIM, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view other = aclnn_view(b, OTHER), x, y, first[3];
	struct aclnn_view second[3];
	unsigned int dim, i;

	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), out.t.rank, &dim))
		return b->status;
	if (self.t.rank != out.t.rank || other.t.rank != out.t.rank ||
	    !out.t.rank)
		return aclnn_fail(b, self.t.rank != out.t.rank ? SELF : OTHER,
				  "expected %u dimensions, as of out",
				  out.t.rank);
	if (self.t.dims[dim] != 3 || other.t.dims[dim] != 3 ||
	    out.t.dims[dim] != 3)
		return aclnn_fail(b, DIM, "dimension %u has not size 3 everywhere",
				  dim);
	/* All products first: the output may be an input. */
	for (i = 0; i < 3; i++) {
		x = component(&self, dim, i + 1);
		y = component(&other, dim, i + 2);
		first[i] = aclnn_result2(b, VNPU_OP_MUL, &x, &y);
		x = component(&self, dim, i + 2);
		y = component(&other, dim, i + 1);
		second[i] = aclnn_result2(b, VNPU_OP_MUL, &x, &y);
	}
	for (i = 0; i < 3 && !b->status; i++) {
		x = component(&out, dim, i);
		aclnn_step2(b, VNPU_OP_SUB, &first[i], &second[i], &x);
	}
	return b->status;
}

/* Replace each element where a mask is true by the next one of source. */
int build_masked_scatter(struct aclnn_build *b)
{
	enum { SELF, MASK, SOURCE };
	struct aclnn_view out = aclnn_view(b, SELF), mask = aclnn_view(b, MASK);
	struct aclnn_view source = aclnn_view(b, SOURCE);

	return aclnn_step2(b, VNPU_OP_MASKED_SCATTER, &mask, &source, &out);
}

/* End a step; its last output is the number of elements that it finds. */
static int end_counted(struct aclnn_build *b, unsigned int out_arg,
		       unsigned int index)
{
	struct aclnn_view count = aclnn_temporary(b, VNPU_DT_I64, 0, NULL);

	aclnn_put(b, index, &count);
	b->counted[0] = b->values[out_arg].p;
	b->count_at = count.t.data - ACLNN_WORKSPACE_BASE;
	return aclnn_end(b);
}

int build_nonzero(struct aclnn_build *b)
{
	enum { SELF, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);

	aclnn_begin(b, VNPU_OP_NONZERO, 1, 2);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return end_counted(b, OUT, 2);
}

int build_masked_select(struct aclnn_build *b)
{
	enum { SELF, MASK, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view mask = aclnn_view(b, MASK);

	aclnn_begin(b, VNPU_OP_MASKED_SELECT, 2, 2);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &mask);
	aclnn_put(b, 2, &out);
	return end_counted(b, OUT, 3);
}

/*
 * Values and counts have room for all elements.  The device finds how many there
 * are; the inverse is always complete.
 */
int build_unique(struct aclnn_build *b)
{
	enum { SELF, SORTED, WITH_INVERSE, WITH_COUNTS, VALUES, INVERSE,
	       COUNTS };
	static const unsigned int outs[] = { VALUES, INVERSE, COUNTS };
	struct aclnn_view self = aclnn_view(b, SELF), out;
	struct aclnn_view none = { .arg = ACLNN_NO_ARG };

	aclnn_begin(b, VNPU_OP_UNIQUE, 1, 4);
	aclnn_put(b, 0, &self);
	for (unsigned int i = 0; i < 3; i++) {
		bool is_wanted = !i || aclnn_int(b, SORTED + i);

		out = is_wanted ? aclnn_view(b, outs[i]) : none;
		aclnn_put(b, 1 + i, &out);
	}
	if (aclnn_int(b, WITH_COUNTS))
		b->counted[1] = b->values[COUNTS].p;
	return end_counted(b, VALUES, 4);
}
