// SPDX-License-Identifier: MIT
/*
 * Selection by the elements of a tensor that are not 0. The outputs have room
 * for all elements; those behind the ones that are selected stay as they are,
 * and "count" gets their number. One part does all, as each place depends on
 * the elements before.
 */
#include <errno.h>

#include "families.h"
#include "vec/vec.h"
#include "walk.h"

#define TILE	256

/* Load which of @n elements from @at on are not 0; each is read once. */
static void load_flags(const struct vnpu_tensor *t, int64_t at, int64_t n,
		       double *buffer, bool *flags)
{
	const int64_t *integers = (const int64_t *)buffer;
	bool is_float = vnpu_dtype_is_float(t->dtype);
	int64_t i;

	ops_vec->load[t->dtype][is_float ? OPS_D : OPS_L](buffer,
		ops_element(t, at), ops_row_step(t), n);
	for (i = 0; i < n; i++)
		flags[i] = is_float ? buffer[i] != 0 : integers[i] != 0;
}

static void infer_count(struct ops_shape *out)
{
	out->rank = 0;
	out->dtype = VNPU_DT_I64;
	out->castable = true;
}

static void plan_select(struct vnpu_op_job *job)
{
	job->scratch = TILE * sizeof(double);
}

/*
 * nonzero: the indices of elements, a row for each.
 */
int ops_nonzero_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];

	c->out[0].rank = 2;
	c->out[0].dims[0] = vnpu_tensor_elements(self);
	c->out[0].dims[1] = self->rank;
	c->out[0].dtype = VNPU_DT_I64;
	c->out[0].castable = true;
	infer_count(&c->out[1]);
	return 0;
}

void ops_nonzero_plan(struct vnpu_op_job *job)
{
	plan_select(job);
}

static void store_place(const struct vnpu_tensor *out, int64_t row,
			const struct vnpu_tensor *self, int64_t number)
{
	int64_t index[VNPU_TENSOR_DIMS];
	unsigned int i;

	for (i = self->rank; i--;) {
		index[i] = number % self->dims[i];
		number /= self->dims[i];
	}
	ops_vec->store[OPS_L][out->dtype](ops_data(out) +
		row * out->strides[0] * ops_size(out->dtype), out->strides[1],
		index, self->rank);
}

static void store_count(const struct vnpu_op_launch *l, int64_t count)
{
	const struct vnpu_tensor *out = ops_out(l, 1);

	if (out)
		ops_vec->store[OPS_L][out->dtype](ops_data(out), 1, &count, 1);
}

int ops_nonzero_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t end = vnpu_tensor_elements(self), at, i, n, count = 0;
	bool flags[TILE];

	if (w->part)
		return 0;
	for (at = 0; at < end; at += n) {
		n = ops_row_rest(self, at, end, TILE);
		load_flags(self, at, n, w->scratch, flags);
		for (i = 0; i < n; i++)
			if (flags[i])
				store_place(out, count++, self, at + i);
	}
	store_count(&job->launch, count);
	return 0;
}

/*
 * masked_select: elements of self where the mask is not 0.
 * masked_scatter: the reverse, in place, from the first elements of the source.
 */
static int need_mask(struct ops_call *c, unsigned int number)
{
	const struct vnpu_tensor *t = &c->l->tensor[number];

	if (!vnpu_dtype_is_float(t->dtype))
		return 0;
	return ops_fail(c, number, -EINVAL,
			"expected bool or integers, given %s",
			vnpu_dtype_name(t->dtype));
}

int ops_masked_select_infer(struct ops_call *c)
{
	struct ops_shape shape = { 0 };
	unsigned int i;
	int err;

	err = need_mask(c, 1);
	if (!err)
		err = ops_broadcast(c, ~0U, &shape);
	if (err)
		return err;
	c->out[0].rank = 1;
	c->out[0].dtype = c->l->tensor[0].dtype;
	c->out[0].dims[0] = 1;
	for (i = 0; i < shape.rank; i++)
		if (__builtin_mul_overflow(c->out[0].dims[0], shape.dims[i],
					   &c->out[0].dims[0]))
			return ops_fail(c, 0, -EOVERFLOW,
					"has too many elements: shape %s",
					OPS_DIMS(shape.rank, shape.dims));
	infer_count(&c->out[1]);
	return 0;
}

void ops_masked_select_plan(struct vnpu_op_job *job)
{
	plan_select(job);
}

int ops_masked_select_run(const struct vnpu_op_job *job,
			  const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *t = job->launch.tensor;
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	struct ops_call c = { .l = &job->launch, .op = job->op };
	int64_t size = ops_size(t[0].dtype), at, i, n, count = 0;
	struct vnpu_tensor self, mask;
	struct ops_shape shape = { 0 };
	bool flags[TILE];

	if (w->part)
		return 0;
	ops_broadcast(&c, ~0U, &shape);
	self = ops_expand(&t[0], shape.rank, shape.dims);
	mask = ops_expand(&t[1], shape.rank, shape.dims);
	for (at = 0; at < out->dims[0]; at += n) {
		const uint8_t *from = ops_element(&self, at);

		n = ops_row_rest(&mask, at, out->dims[0], TILE);
		load_flags(&mask, at, n, w->scratch, flags);
		for (i = 0; i < n; i++)
			if (flags[i])
				memcpy(ops_element(out, count++), from +
				       i * ops_row_step(&self) * size, size);
	}
	store_count(&job->launch, count);
	return 0;
}

int ops_masked_scatter_infer(struct ops_call *c)
{
	const struct vnpu_tensor *source = &c->l->tensor[1];
	const struct vnpu_tensor *out = ops_out(c->l, 0);
	int err;

	if (!out)
		return ops_fail(c, 2, -EINVAL, "is missing");
	ops_like(&c->out[0], out);
	err = need_mask(c, 0);
	if (!err)
		err = ops_need_expand(c, 0, out->rank, out->dims);
	if (!err && source->dtype != out->dtype)
		err = ops_fail(c, 1, -EINVAL, "expected type %s, given %s",
			       vnpu_dtype_name(out->dtype),
			       vnpu_dtype_name(source->dtype));
	return err;
}

void ops_masked_scatter_plan(struct vnpu_op_job *job)
{
	plan_select(job);
}

int ops_masked_scatter_run(const struct vnpu_op_job *job,
			   const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *source = &job->launch.tensor[1];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	struct vnpu_tensor mask = ops_expand(&job->launch.tensor[0], out->rank,
					     out->dims);
	int64_t end = vnpu_tensor_elements(out), size = ops_size(out->dtype);
	int64_t given = vnpu_tensor_elements(source), at, i, n, count = 0;
	bool flags[TILE];
	int err = 0;

	for (at = 0; !w->part && at < end; at += n) {
		uint8_t *to = ops_element(out, at);

		n = ops_row_rest(out, at, end, TILE);
		load_flags(&mask, at, n, w->scratch, flags);
		for (i = 0; i < n; i++) {
			if (!flags[i])
				continue;
			if (count < given)
				memcpy(to + i * ops_row_step(out) * size,
				       ops_element(source, count++), size);
			else
				err = -ERANGE;
		}
	}
	return err;
}
