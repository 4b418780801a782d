// SPDX-License-Identifier: MIT
/*
 * Replacing and adding elements by index.  The engine does it in place, so an
 * output that is not the input gets a copy of it first.
 */
#include "build.h"

int build_index_copy(struct aclnn_build *b)
{
	enum { SELF, DIM, INDEX, SOURCE };
	struct aclnn_view out = aclnn_view(b, SELF);
	struct aclnn_view index = aclnn_view(b, INDEX);
	struct aclnn_view source = aclnn_view(b, SOURCE);

	aclnn_begin(b, VNPU_OP_PUT, 2, 1);
	aclnn_set_int(b, "dim", aclnn_int(b, DIM));
	aclnn_put(b, 0, &index);
	aclnn_put(b, 1, &source);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

int build_index_add(struct aclnn_build *b)
{
	enum { SELF, DIM, INDEX, SOURCE, ALPHA, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
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

int build_index_fill(struct aclnn_build *b)
{
	enum { SELF, DIM, INDEX, VALUE };
	const struct aclnn_array *index = aclnn_array(b, INDEX);
	struct aclnn_view value = aclnn_view(b, VALUE), part;
	unsigned int dim, at;

	part = aclnn_view(b, SELF);
	if (!part.t.rank)
		return aclnn_fail(b, SELF, "has no dimensions");
	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), part.t.rank, &dim))
		return b->status;
	for (uint64_t i = 0; i < index->size && !b->status; i++) {
		int64_t first = index->i[i], count = 1;

		/* Neighbours are filled in one step. */
		while (i + 1 < index->size && index->i[i + 1] == first + count) {
			count++;
			i++;
		}
		part = aclnn_view(b, SELF);
		if (first < 0)
			first += part.t.dims[dim];
		if (first < 0 || first + count > part.t.dims[dim])
			return aclnn_fail(b, INDEX,
					  "expected an index below %lld, given %lld",
					  (long long)part.t.dims[dim],
					  (long long)index->i[i]);
		at = dim;
		aclnn_narrow(&part, at, first, count, 1);
		aclnn_step1(b, VNPU_OP_COPY, &value, &part);
	}
	return b->status;
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
