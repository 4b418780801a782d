// SPDX-License-Identifier: MIT
/* Temporaries that steps compute, and views that several operators need. */
#include "build.h"

struct aclnn_view aclnn_result1(struct aclnn_build *b, unsigned int engine,
				const struct aclnn_view *in)
{
	aclnn_begin(b, engine, 1, 1);
	aclnn_put(b, 0, in);
	return aclnn_result(b);
}

struct aclnn_view aclnn_result2(struct aclnn_build *b, unsigned int engine,
				const struct aclnn_view *first,
				const struct aclnn_view *second)
{
	aclnn_begin(b, engine, 2, 1);
	aclnn_put(b, 0, first);
	aclnn_put(b, 1, second);
	return aclnn_result(b);
}

struct aclnn_view aclnn_where(struct aclnn_build *b,
			      const struct aclnn_view *condition,
			      const struct aclnn_view *first,
			      const struct aclnn_view *second)
{
	aclnn_begin(b, VNPU_OP_WHERE, 3, 1);
	aclnn_put(b, 0, condition);
	aclnn_put(b, 1, first);
	aclnn_put(b, 2, second);
	return aclnn_result(b);
}

void aclnn_flatten(struct aclnn_build *b, struct aclnn_view *view,
		   unsigned int rank, const int64_t *dims)
{
	struct aclnn_view copy;

	if (!aclnn_has(view))
		return;
	if (!vnpu_tensor_is_contiguous(&view->t)) {
		copy = aclnn_temporary(b, view->t.dtype, view->t.rank,
				       view->t.dims);
		if (aclnn_step1(b, VNPU_OP_COPY, view, &copy))
			return;
		*view = copy;
	}
	aclnn_reshape(view, rank, dims);
}

void aclnn_channels(struct aclnn_view *view, unsigned int rank)
{
	if (!aclnn_has(view) || view->t.rank != 1)
		return;
	while (view->t.rank + 1U < rank)
		aclnn_insert(view, view->t.rank);
}

bool aclnn_wants(const struct aclnn_build *b, unsigned int mask,
		 unsigned int index, unsigned int out)
{
	const struct aclnn_array *flags = aclnn_array(b, mask);

	return b->object[out] &&
	       (!flags || index >= flags->size || flags->b[index]);
}

void aclnn_begin_channels(struct aclnn_build *b, unsigned int engine,
			  const struct aclnn_view *in)
{
	int64_t dims[VNPU_TENSOR_DIMS], count = 0;

	for (unsigned int i = 0; i < in->t.rank; i++)
		if (i != 1)
			dims[count++] = i;
	aclnn_begin(b, engine, 1, 1);
	aclnn_set_ints(b, "dims", dims, count);
	aclnn_put(b, 0, in);
}

void aclnn_lines(struct aclnn_view *view, const struct aclnn_view *self,
		 unsigned int dims)
{
	int64_t shape[VNPU_TENSOR_DIMS];

	for (unsigned int i = 0; i < self->t.rank; i++)
		shape[i] = i + dims < self->t.rank ? self->t.dims[i] : 1;
	aclnn_reshape(view, self->t.rank, shape);
}

int aclnn_move(struct aclnn_build *b, unsigned int arg,
	       const struct aclnn_view *value, double momentum)
{
	struct aclnn_view running = aclnn_view(b, arg);
	struct aclnn_view weight = aclnn_number(momentum);

	if (!aclnn_has(&running))
		return b->status;
	aclnn_begin(b, VNPU_OP_LERP, 3, 1);
	aclnn_put(b, 0, &running);
	aclnn_put(b, 1, value);
	aclnn_put(b, 2, &weight);
	aclnn_put(b, 3, &running);
	return aclnn_end(b);
}

bool aclnn_has_shape(struct aclnn_build *b, unsigned int arg,
		     const struct aclnn_view *want)
{
	struct aclnn_view given = aclnn_view(b, arg);

	if (given.t.rank != want->t.rank) {
		aclnn_fail(b, arg, "expected %u dimensions, given %u",
			   want->t.rank, given.t.rank);
		return false;
	}
	for (unsigned int i = 0; i < want->t.rank; i++)
		if (given.t.dims[i] != want->t.dims[i]) {
			aclnn_fail(b, arg,
				   "expected %lld in dimension %u, given %lld",
				   (long long)want->t.dims[i], i,
				   (long long)given.t.dims[i]);
			return false;
		}
	return true;
}

bool aclnn_expands(struct aclnn_build *b, unsigned int arg,
		   const struct aclnn_view *want)
{
	struct aclnn_view given = aclnn_view(b, arg);
	unsigned int more = want->t.rank - given.t.rank;

	if (given.t.rank > want->t.rank) {
		aclnn_fail(b, arg, "expected at most %u dimensions, given %u",
			   want->t.rank, given.t.rank);
		return false;
	}
	for (unsigned int i = 0; i < given.t.rank; i++)
		if (given.t.dims[i] != 1 &&
		    given.t.dims[i] != want->t.dims[more + i]) {
			aclnn_fail(b, arg,
				   "expected 1 or %lld in dimension %u, given %lld",
				   (long long)want->t.dims[more + i], i,
				   (long long)given.t.dims[i]);
			return false;
		}
	return true;
}
