// SPDX-License-Identifier: MIT
/*
 * Selection and replacement by a list of indices, one for each of the first
 * dimensions: out[i] = self[a[i], b[i], ...]. The indices broadcast. See index.c
 * for indices that are negative or out of range.
 */
#include <errno.h>
#include <string.h>

#include "accumulate.h"
#include "copy.h"
#include "families.h"
#include "vec/vec.h"

/* The tensor that is indexed, and the other side. */
static const struct vnpu_tensor *indexed(const struct vnpu_op_launch *l)
{
	return l->op == VNPU_OP_INDEX ? &l->tensor[0] : ops_out(l, 0);
}

static const struct vnpu_tensor *selected(const struct vnpu_op_launch *l)
{
	return l->op == VNPU_OP_INDEX ? ops_out(l, 0) : &l->tensor[0];
}

/* The common shape of the indices, and the rest of the indexed tensor. */
static int find_shape(struct ops_call *c, struct ops_shape *shape,
		      const struct vnpu_tensor *self)
{
	unsigned int count = c->l->inputs - 1, i;
	int err = 0;

	for (i = 1; !err && i <= count; i++)
		err = ops_in(c->l, i) ? ops_need_index(c, i) :
			ops_fail(c, i, -EINVAL, "is missing");
	if (err)
		return err;
	if (count > self->rank)
		return ops_fail(c, -1, -EINVAL,
				"%u indices are too many for shape %s", count,
				OPS_TDIMS(self));
	err = ops_broadcast(c, ~1U, shape);
	if (err)
		return err;
	if (shape->rank + self->rank - count > VNPU_TENSOR_DIMS)
		return ops_fail(c, 1, -EINVAL,
				"the result has more than 8 dimensions");
	for (i = count; i < self->rank; i++)
		shape->dims[shape->rank++] = self->dims[i];
	shape->dtype = self->dtype;
	return 0;
}

int ops_index_list_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = indexed(c->l), *values;
	struct ops_shape shape = { 0 };
	unsigned int i;
	int err;

	if (!self)
		return ops_fail(c, c->l->inputs, -EINVAL, "is missing");
	err = find_shape(c, &shape, self);
	if (err)
		return err;
	if (c->l->op == VNPU_OP_INDEX) {
		c->out[0] = shape;
		return 0;
	}
	ops_like(&c->out[0], self);
	values = &c->l->tensor[0];
	if (values->dtype != self->dtype)
		return ops_fail(c, 0, -EINVAL, "expected type %s, given %s",
				vnpu_dtype_name(self->dtype),
				vnpu_dtype_name(values->dtype));
	for (i = 0; i < values->rank; i++) {
		int64_t dim = values->dims[values->rank - 1 - i];

		if (i >= shape.rank ||
		    (dim != 1 && dim != shape.dims[shape.rank - 1 - i]))
			return ops_fail(c, 0, -EINVAL,
					"shape %s cannot be expanded to %s",
					OPS_TDIMS(values),
					OPS_DIMS(shape.rank, shape.dims));
	}
	return 0;
}

void ops_index_list_plan(struct vnpu_op_job *job)
{
	/* Indices may repeat, so one part replaces elements, in order. */
	if (job->launch.op == VNPU_OP_INDEX)
		job->parts = ops_parts(vnpu_tensor_elements(
			selected(&job->launch)) * 8.0, 64);
}

/* Stride of dimension @dim of a shape with @rank dimensions; 0 repeats. */
static int64_t stride_of(const struct vnpu_tensor *t, unsigned int rank,
			 unsigned int dim)
{
	int own = (int)dim + t->rank - (int)rank;

	return own < 0 || t->dims[own] == 1 ? 0 : t->strides[own];
}

/* Element of the indexed tensor for indices at @at of their common shape. */
static bool find(const struct vnpu_op_launch *l, unsigned int rank,
		 const int64_t *at, int64_t *offset)
{
	const struct vnpu_tensor *self = indexed(l);
	unsigned int i, d;

	*offset = 0;
	for (i = 1; i < l->inputs; i++) {
		const struct vnpu_tensor *t = &l->tensor[i];
		int64_t place = 0, index;
		const uint8_t *from;

		for (d = 0; d < rank; d++)
			place += at[d] * stride_of(t, rank, d);
		from = ops_data(t) + place * ops_size(t->dtype);
		index = t->dtype == VNPU_DT_I64 ?
			*(const volatile int64_t *)from :
			*(const volatile int32_t *)from;
		index += index < 0 ? self->dims[i - 1] : 0;
		if (index < 0 || index >= self->dims[i - 1])
			return false;
		*offset += index * self->strides[i - 1];
	}
	return true;
}

/* The blocks of both sides that an element of the indices selects. */
static void make_blocks(const struct vnpu_op_launch *l, unsigned int full,
			struct vnpu_tensor *block, struct vnpu_tensor *other)
{
	const struct vnpu_tensor *self = indexed(l), *values = selected(l);
	unsigned int count = l->inputs - 1, rest = self->rank - count, i;

	*block = *self;
	*other = *values;
	block->rank = other->rank = rest;
	for (i = 0; i < rest; i++) {
		block->dims[i] = other->dims[i] = self->dims[count + i];
		block->strides[i] = self->strides[count + i];
		other->strides[i] = stride_of(values, full, full - rest + i);
	}
}

int ops_index_list_run(const struct vnpu_op_job *job,
		       const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = indexed(l), *values = selected(l);
	bool gets = l->op == VNPU_OP_INDEX;
	struct ops_call c = { .l = l, .op = job->op };
	struct vnpu_op_work all = { .parts = 1 };
	int64_t at[VNPU_TENSOR_DIMS], number, end, count = 1, offset, place;
	struct ops_shape shape = { 0 };
	struct vnpu_tensor block, other;
	struct ops_move move;
	unsigned int rank, i;
	int err = 0;

	find_shape(&c, &shape, self);
	make_blocks(l, shape.rank, &block, &other);
	rank = shape.rank - block.rank;
	for (i = 0; i < rank; i++)
		count *= shape.dims[i];
	if (!vnpu_tensor_elements(&block) || (!gets && w->part))
		return 0;
	if (gets) {
		ops_share(w, count, 1, &number, &end);
	} else {
		number = 0;
		end = count;
	}
	for (; number < end; number++) {
		int64_t rest = number;

		for (i = rank, place = 0; i--;) {
			at[i] = rest % shape.dims[i];
			rest /= shape.dims[i];
			place += at[i] * stride_of(values, shape.rank, i);
		}
		if (!find(l, rank, at, &offset)) {
			err = -ERANGE;
			continue;
		}
		block.offset = self->offset + offset;
		other.offset = values->offset + place;
		if (!gets && JOB_INT(job, 0)) {
			ops_accumulate(&block, &other);
			continue;
		}
		if (gets)
			ops_move_init(&move, &other, &block);
		else
			ops_move_init(&move, &block, &other);
		ops_move_run(&move, &all);
	}
	return err;
}
