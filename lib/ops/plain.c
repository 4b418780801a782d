// SPDX-License-Identifier: MIT
/*
 * The short way to a job: an elementwise operator on few f32 elements, with all
 * tensors of one shape and without gaps.  The general way of check.c and map.c
 * takes three times as long as such an operator itself.
 *
 * It only accepts what that way accepts, and makes the same job.  A launch that it
 * does not accept goes the general way, which also reports errors.
 */
#include <string.h>

#include "families.h"
#include "map.h"

/* So few that a job has one part. */
#define PLAIN_MAX	16384

/* Check whether the operator takes and makes f32, with these numbers of tensors. */
static bool takes_f32(const struct ops_op *op, const struct vnpu_op_launch *l)
{
	return op && op->plan == ops_map_plan && op->classes & 1U << OPS_F &&
	       op->rule != OPS_INTEGER && op->rule != OPS_SELECT &&
	       l->inputs >= op->min_inputs && l->inputs <= op->max_inputs &&
	       l->outputs >= op->min_outputs && l->outputs <= op->max_outputs;
}

/* Return the number of elements if the view has no gaps, or 0. */
static int64_t count_plain(const struct vnpu_tensor *t)
{
	int64_t count = 1;
	unsigned int i;

	if (t->dtype != VNPU_DT_F32 || t->flags || t->rank > VNPU_TENSOR_DIMS)
		return 0;
	for (i = 0; i < sizeof(t->reserved); i++)
		if (t->reserved[i])
			return 0;
	for (i = t->rank; i--;) {
		if (t->strides[i] != count || t->dims[i] < 1 ||
		    t->dims[i] > PLAIN_MAX)
			return 0;
		count *= t->dims[i];
		if (count > PLAIN_MAX)
			return 0;
	}
	return count;
}

/* Check whether a tensor has the type, shape and strides of a plain one. */
static bool is_like(const struct vnpu_tensor *t, const struct vnpu_tensor *plain)
{
	unsigned int i;

	/* The bytes from the type on are the same, the reserved ones included. */
	if (memcmp(&t->dtype, &plain->dtype, sizeof(uint64_t)))
		return false;
	for (i = 0; i < plain->rank; i++)
		if (t->dims[i] != plain->dims[i] ||
		    t->strides[i] != plain->strides[i])
			return false;
	return true;
}
_Static_assert(offsetof(struct vnpu_tensor, dims) ==
	       offsetof(struct vnpu_tensor, dtype) + sizeof(uint64_t),
	       "is_like() compares the fields between");

/* Check whether @count elements are in the storage, and that in the window. */
static bool is_inside(const struct vnpu_tensor *t, int64_t count,
		      const struct vnpu_op_window *window)
{
	if (t->offset || !t->data || t->data % sizeof(float) ||
	    t->bytes < count * sizeof(float) || t->data + t->bytes < t->data)
		return false;
	return !window || (t->data >= window->start && t->data <= window->end &&
			   t->bytes <= window->end - t->data);
}

bool ops_plain_prepare(struct vnpu_op_job *job,
		       const struct vnpu_op_window *window)
{
	const struct vnpu_op_launch *l = &job->launch;
	unsigned int tensors = (unsigned int)l->inputs + l->outputs, i, k;
	struct map *m = (struct map *)job->plan;
	int64_t count;

	job->op = ops_get(l->op);
	if (l->version != VNPU_OP_VERSION || !takes_f32(job->op, l))
		return false;
	for (i = 0; i < sizeof(l->reserved); i++)
		if (l->reserved[i])
			return false;
	count = count_plain(&l->tensor[0]);
	if (!count)
		return false;
	for (i = 0; i < tensors; i++) {
		const struct vnpu_tensor *t = &l->tensor[i];

		if ((i && !is_like(t, &l->tensor[0])) ||
		    !is_inside(t, count, window))
			return false;
		/* The plan has the outputs first. */
		k = i < l->inputs ? l->outputs + i : i - l->inputs;
		m->it.base[k] = (uint8_t *)(uintptr_t)t->data;
		m->it.stride[k][0] = sizeof(float);
		m->mode[k] = MAP_IN_PLACE;
	}
	m->it.rank = 1;
	m->it.count = tensors;
	m->it.total = m->it.dims[0] = count;
	m->row = ops_vec->row[l->op][OPS_F];
	m->chain.count = 0;
	m->outputs = l->outputs;
	m->gathers = false;
	map_read_params(job, m);
	return true;
}
