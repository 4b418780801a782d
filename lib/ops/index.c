// SPDX-License-Identifier: MIT
/*
 * Selection and replacement of elements by tensors of indices.
 *
 * A negative index counts from the end, other than for put with wrap 0. An index
 * that is out of range selects nothing, and makes the run fail with -ERANGE. Indices are read once: they may
 * change while the operator runs.
 */
#include <errno.h>
#include <string.h>

#include "accumulate.h"
#include "copy.h"
#include "families.h"
#include "iter.h"
#include "vec/vec.h"
#include "walk.h"

/* Read an index, below @n; return whether it is in range. */
static bool read_index(const uint8_t *at, unsigned int dtype, int64_t n,
		       int64_t *index)
{
	int64_t value = dtype == VNPU_DT_I64 ?
		*(const volatile int64_t *)at : *(const volatile int32_t *)at;

	if (value < 0)
		value += n;
	*index = value;
	return value >= 0 && value < n;
}

/* Likewise, but a negative one is in range only if @wrap. */
static bool read_place(const uint8_t *at, unsigned int dtype, int64_t n,
		       bool wrap, int64_t *index)
{
	int64_t value;

	if (wrap)
		return read_index(at, dtype, n, index);
	value = dtype == VNPU_DT_I64 ? *(const volatile int64_t *)at :
				       *(const volatile int32_t *)at;
	*index = value;
	return value >= 0 && value < n;
}

/* The view of @t at index 0 of dimension @dim, which is left out. */
static struct vnpu_tensor without(const struct vnpu_tensor *t, unsigned int dim)
{
	struct vnpu_tensor v = *t;

	if (!t->rank)
		return v;
	v.rank--;
	memmove(v.dims + dim, v.dims + dim + 1,
		(v.rank - dim) * sizeof(*v.dims));
	memmove(v.strides + dim, v.strides + dim + 1,
		(v.rank - dim) * sizeof(*v.strides));
	return v;
}

static unsigned int dim_of(const struct vnpu_op_job *job, unsigned int rank)
{
	int64_t dim = JOB_INT(job, 0);

	return dim < 0 ? dim + (rank ? rank : 1) : dim;
}

/*
 * take: rows of self along a dimension, for each index of a tensor.
 */
int ops_take_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	const struct vnpu_tensor *index = &c->l->tensor[1];
	struct ops_shape *out = &c->out[0];
	unsigned int dim, i;
	int err;

	err = ops_need_index(c, 1);
	if (!err)
		err = ops_need_rank(c, 0, 1, 8);
	if (!err)
		err = ops_need_dim(c, "dim", CALL_INT(c, 0), self->rank, &dim);
	if (err)
		return err;
	if (self->rank - 1 + index->rank > VNPU_TENSOR_DIMS)
		return ops_fail(c, 1, -EINVAL,
				"shape %s makes more than 8 dimensions",
				OPS_TDIMS(index));
	out->dtype = self->dtype;
	for (i = 0; i < dim; i++)
		out->dims[out->rank++] = self->dims[i];
	for (i = 0; i < index->rank; i++)
		out->dims[out->rank++] = index->dims[i];
	for (i = dim + 1; i < self->rank; i++)
		out->dims[out->rank++] = self->dims[i];
	return 0;
}

void ops_take_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *index = &job->launch.tensor[1];

	job->parts = ops_parts(vnpu_tensor_elements(ops_out(&job->launch, 0)) *
			       4.0, vnpu_tensor_elements(index));
}

int ops_take_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	const struct vnpu_tensor *index = &job->launch.tensor[1];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	unsigned int dim = dim_of(job, self->rank), i;
	struct vnpu_tensor from = without(self, dim), to = *out;
	int64_t size = ops_size(self->dtype), at, end, value, rest;
	struct vnpu_op_work all = { .parts = 1 };
	uint8_t *src, *dst;
	struct ops_move move;
	int err = 0;

	if (!vnpu_tensor_elements(out))
		return 0;
	for (i = 0; i < index->rank; i++)
		to = without(&to, dim);
	ops_move_init(&move, &to, &from);
	src = move.it.base[1];
	dst = move.it.base[0];
	ops_share(w, vnpu_tensor_elements(index), 1, &at, &end);
	for (; at < end; at++) {
		if (!read_index(ops_element(index, at), index->dtype,
				self->dims[dim], &value)) {
			err = -ERANGE;
			continue;
		}
		move.it.base[1] = src + value * self->strides[dim] * size;
		move.it.base[0] = dst;
		rest = at;
		for (i = index->rank; i--;) {
			move.it.base[0] += rest % index->dims[i] *
					   out->strides[dim + i] * size;
			rest /= index->dims[i];
		}
		ops_move_run(&move, &all);
	}
	return err;
}

/*
 * put: the reverse; rows of the output become those of the source, or are added
 * to. An index may come several times, so one part does all, in order.
 */
int ops_put_infer(struct ops_call *c)
{
	const struct vnpu_tensor *source = &c->l->tensor[1];
	const struct vnpu_tensor *index = &c->l->tensor[0];
	const struct vnpu_tensor *out = ops_out(c->l, 0);
	unsigned int dim, i;
	int err;

	if (!out)
		return ops_fail(c, 2, -EINVAL, "is missing");
	ops_like(&c->out[0], out);
	err = ops_need_index(c, 0);
	if (!err)
		err = ops_need_rank(c, 0, 0, 1);
	if (!err)
		err = ops_need_dim(c, "dim", CALL_INT(c, 0), out->rank, &dim);
	if (err)
		return err;
	if (source->dtype != out->dtype)
		return ops_fail(c, 1, -EINVAL, "expected type %s, given %s",
				vnpu_dtype_name(out->dtype),
				vnpu_dtype_name(source->dtype));
	if (source->rank != out->rank || !out->rank)
		return ops_fail(c, 1, -EINVAL, "shape %s does not match %s",
				OPS_TDIMS(source), OPS_TDIMS(out));
	for (i = 0; i < out->rank; i++)
		if (source->dims[i] != (i == dim ? vnpu_tensor_elements(index) :
						   out->dims[i]))
			return ops_fail(c, 1, -EINVAL,
					"shape %s does not match %s and %lld indices",
					OPS_TDIMS(source), OPS_TDIMS(out),
					(long long)vnpu_tensor_elements(index));
	return 0;
}

void ops_put_plan(struct vnpu_op_job *job)
{
	job->scratch = 0;
}

int ops_put_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *source = &job->launch.tensor[1];
	const struct vnpu_tensor *index = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	unsigned int dim = dim_of(job, out->rank);
	struct vnpu_tensor to = without(out, dim), from = without(source, dim);
	int64_t size = ops_size(out->dtype), i, value;
	struct vnpu_op_work all = { .parts = 1 };
	struct ops_move move;
	uint8_t *dst, *src;
	int err = 0;

	if (w->part || !vnpu_tensor_elements(source))
		return 0;
	ops_move_init(&move, &to, &from);
	dst = move.it.base[0];
	src = move.it.base[1];
	for (i = 0; i < vnpu_tensor_elements(index); i++) {
		if (!read_place(ops_element(index, i), index->dtype,
				out->dims[dim], JOB_INT(job, 2), &value)) {
			err = -ERANGE;
			continue;
		}
		if (JOB_INT(job, 1)) {
			to.offset = out->offset + value * out->strides[dim];
			from.offset = source->offset + i * source->strides[dim];
			ops_accumulate(&to, &from);
			continue;
		}
		move.it.base[0] = dst + value * out->strides[dim] * size;
		move.it.base[1] = src + i * source->strides[dim] * size;
		ops_move_run(&move, &all);
	}
	return err;
}

/*
 * gather: out[i][j] = self[index[i][j]][j] for dimension 0, and so on.
 * scatter: out[index[i][j]][j] = source[i][j], or the sum or product with it.
 */
static int infer_sides(struct ops_call *c, const struct vnpu_tensor *index,
		       unsigned int argument, const struct vnpu_tensor *other)
{
	unsigned int dim, i;
	int err;

	err = ops_need_dim(c, "dim", CALL_INT(c, 0), other->rank, &dim);
	if (err)
		return err;
	if (index->rank != other->rank)
		return ops_fail(c, argument, -EINVAL,
				"expected %u dimensions, given shape %s",
				other->rank, OPS_TDIMS(index));
	for (i = 0; i < index->rank; i++)
		if (i != dim && index->dims[i] > other->dims[i])
			return ops_fail(c, argument, -EINVAL,
					"shape %s is larger than %s",
					OPS_TDIMS(index), OPS_TDIMS(other));
	return 0;
}

int ops_gather_infer(struct ops_call *c)
{
	const struct vnpu_tensor *index = &c->l->tensor[1];
	int err = ops_need_index(c, 1);

	ops_like(&c->out[0], index);
	c->out[0].dtype = c->l->tensor[0].dtype;
	return err ? err : infer_sides(c, index, 1, &c->l->tensor[0]);
}

/* Of operands like the index; @far is the one that the index selects from. */
static void plan_sides(const struct vnpu_op_job *job, struct ops_iter *it,
		       const struct vnpu_tensor *near,
		       const struct vnpu_tensor *index,
		       const struct vnpu_tensor *far, int64_t *step)
{
	unsigned int dim = dim_of(job, index->rank);
	struct vnpu_tensor view = *far;
	const struct vnpu_tensor *t[3] = { near, index, &view };

	*step = 0;
	memcpy(view.dims, index->dims, sizeof(view.dims));
	if (view.rank) {
		*step = far->strides[dim] * ops_size(far->dtype);
		view.strides[dim] = 0;
	}
	ops_iter_init(it, index->rank, index->dims, t, 3);
}

void ops_gather_plan(struct vnpu_op_job *job)
{
	int64_t count = vnpu_tensor_elements(ops_out(&job->launch, 0));

	job->parts = ops_parts(count * 16.0, (count + 63) / 64);
}

int ops_gather_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	const struct vnpu_tensor *index = &job->launch.tensor[1];
	int64_t size = ops_size(self->dtype), step, at, end, value, n;
	struct ops_place p;
	struct ops_iter it;
	int err = 0;

	plan_sides(job, &it, ops_out(&job->launch, 0), index, self, &step);
	n = self->rank ? self->dims[dim_of(job, self->rank)] : 1;
	ops_share(w, it.total, 64, &at, &end);
	if (at == end)
		return 0;
	ops_iter_seek(&it, &p, at);
	for (; at < end; at++) {
		if (read_index(p.at[1], index->dtype, n, &value))
			ops_copy_row(p.at[0], size, p.at[2] + value * step,
				     size, size, 1);
		else
			err = -ERANGE;
		p.at[0] += it.stride[0][0];
		p.at[1] += it.stride[1][0];
		p.at[2] += it.stride[2][0];
		if (++p.index[0] == it.dims[0] && at + 1 < end)
			ops_iter_next_row(&it, &p);
	}
	return err;
}

int ops_scatter_infer(struct ops_call *c)
{
	const struct vnpu_tensor *index = &c->l->tensor[0];
	const struct vnpu_tensor *source = &c->l->tensor[1];
	const struct vnpu_tensor *out = ops_out(c->l, 0);
	unsigned int i;
	int err;

	if (!out)
		return ops_fail(c, 2, -EINVAL, "is missing");
	ops_like(&c->out[0], out);
	err = ops_need_index(c, 0);
	if (!err)
		err = infer_sides(c, index, 0, out);
	if (err)
		return err;
	if (source->dtype != out->dtype)
		return ops_fail(c, 1, -EINVAL, "expected type %s, given %s",
				vnpu_dtype_name(out->dtype),
				vnpu_dtype_name(source->dtype));
	if (source->rank != index->rank)
		return ops_fail(c, 1, -EINVAL, "shape %s does not match %s",
				OPS_TDIMS(source), OPS_TDIMS(index));
	for (i = 0; i < index->rank; i++)
		if (source->dims[i] < index->dims[i])
			return ops_fail(c, 1, -EINVAL,
					"shape %s is smaller than %s",
					OPS_TDIMS(source), OPS_TDIMS(index));
	if (CALL_INT(c, 1) < 0 || CALL_INT(c, 1) > 2)
		return ops_fail(c, -1, -EINVAL,
				"reduce: expected 0 to 2, given %lld",
				(long long)CALL_INT(c, 1));
	return 0;
}

void ops_scatter_plan(struct vnpu_op_job *job)
{
	job->scratch = 0;
}

/* Combine an element with another one of its type. */
static void combine(uint8_t *to, const uint8_t *from, unsigned int dtype,
		    bool multiplies)
{
	double x, y;
	int64_t i, k;

	if (vnpu_dtype_is_float(dtype)) {
		ops_vec->load[dtype][OPS_D](&x, to, 1, 1);
		ops_vec->load[dtype][OPS_D](&y, from, 1, 1);
		x = multiplies ? x * y : x + y;
		ops_vec->store[OPS_D][dtype](to, 1, &x, 1);
		return;
	}
	ops_vec->load[dtype][OPS_L](&i, to, 1, 1);
	ops_vec->load[dtype][OPS_L](&k, from, 1, 1);
	i = multiplies ? i * k : i + k;
	ops_vec->store[OPS_L][dtype](to, 1, &i, 1);
}

/* One part, since indices may repeat; in the order of the index's elements. */
int ops_scatter_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *index = &job->launch.tensor[0];
	const struct vnpu_tensor *source = &job->launch.tensor[1];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t size = ops_size(out->dtype), count = vnpu_tensor_elements(index);
	unsigned int dim = dim_of(job, out->rank), d;
	int64_t i, n = out->rank ? out->dims[dim] : 1, value, reduce;
	int err = 0;

	reduce = JOB_INT(job, 1);
	for (i = 0; !w->part && i < count; i++) {
		const uint8_t *from = ops_data(source);
		uint8_t *to = ops_data(out);
		int64_t rest = i, at;

		if (!read_index(ops_element(index, i), index->dtype, n, &value)) {
			err = -ERANGE;
			continue;
		}
		for (d = index->rank; d--;) {
			at = rest % index->dims[d];
			rest /= index->dims[d];
			from += at * source->strides[d] * size;
			to += (d == dim ? value : at) * out->strides[d] * size;
		}
		if (reduce)
			combine(to, from, out->dtype, reduce == 2);
		else
			ops_copy_row(to, size, from, size, size, 1);
	}
	return err;
}
