// SPDX-License-Identifier: MIT
/* Operators that make elements from their position. */
#include <errno.h>
#include <string.h>

#include "copy.h"
#include "families.h"
#include "iter.h"
#include "vec/vec.h"

/*
 * tri: elements on one side of a diagonal, and 0 on the other.
 */
int ops_tri_infer(struct ops_call *c)
{
	ops_like(&c->out[0], &c->l->tensor[0]);
	return ops_need_rank(c, 0, 2, 8);
}

static int64_t count_rows(const struct vnpu_tensor *t)
{
	int64_t columns = t->dims[t->rank - 1];

	return columns ? vnpu_tensor_elements(t) / columns : 0;
}

void ops_tri_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);

	job->parts = ops_parts(vnpu_tensor_elements(out) * 4.0, count_rows(out));
}

static void fill_zero(uint8_t *to, int64_t step, int64_t size, int64_t n)
{
	const uint64_t zero = 0;

	if (n > 0)
		ops_copy_row(to, step, (const uint8_t *)&zero, 0, size, n);
}

int ops_tri_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	unsigned int last = out->rank - 1, d;
	int64_t size = ops_size(out->dtype), columns = out->dims[last], row, end;
	int64_t diagonal = JOB_INT(job, 0), from, to;
	bool is_upper = job->launch.op == VNPU_OP_TRIU;

	/* Beyond the corners, it makes no difference. */
	if (diagonal > columns)
		diagonal = columns;
	if (diagonal < -out->dims[last - 1] - 1)
		diagonal = -out->dims[last - 1] - 1;
	ops_share(w, count_rows(out), 1, &row, &end);
	for (; row < end; row++) {
		int64_t cut = row % out->dims[last - 1] + diagonal, rest = row;
		int64_t step = out->strides[last] * size;
		const uint8_t *src = ops_data(self);
		uint8_t *dst = ops_data(out);

		for (d = last; d--;) {
			int64_t index = rest % out->dims[d];

			rest /= out->dims[d];
			src += index * self->strides[d] * size;
			dst += index * out->strides[d] * size;
		}
		from = is_upper ? cut : 0;
		to = is_upper ? columns : cut + 1;
		from = from < 0 ? 0 : from > columns ? columns : from;
		to = to < from ? from : to > columns ? columns : to;
		fill_zero(dst, step, size, from);
		if (from < to)
			ops_copy_row(dst + from * step, step,
				     src + from * self->strides[last] * size,
				     self->strides[last] * size, size,
				     to - from);
		fill_zero(dst + to * step, step, size, columns - to);
	}
	return 0;
}

/*
 * arange: start + i * step, in double.
 */
int ops_arange_infer(struct ops_call *c)
{
	const struct vnpu_tensor *out = ops_out(c->l, 0);

	if (!out)
		return ops_fail(c, 0, -EINVAL, "is missing");
	ops_like(&c->out[0], out);
	return 0;
}

void ops_arange_plan(struct vnpu_op_job *job)
{
	job->scratch = 512 * sizeof(double);
	job->parts = ops_parts(vnpu_tensor_elements(ops_out(&job->launch, 0)) *
			       4.0, 64);
}

int ops_arange_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	double start = JOB_FLOAT(job, 0), step = JOB_FLOAT(job, 1);
	int64_t count = vnpu_tensor_elements(out), at, end, i, n;
	int64_t row = out->rank ? out->dims[out->rank - 1] : 1;
	int64_t size = ops_size(out->dtype);
	double *buffer = w->scratch;
	unsigned int d;

	ops_share(w, count, 512, &at, &end);
	for (; at < end; at += n) {
		uint8_t *dst = ops_data(out);
		int64_t rest = at;

		n = row - at % row;
		n = n < end - at ? n : end - at;
		n = n < 512 ? n : 512;
		for (i = 0; i < n; i++)
			buffer[i] = start + (at + i) * step;
		for (d = out->rank; d--;) {
			dst += rest % out->dims[d] * out->strides[d] * size;
			rest /= out->dims[d];
		}
		ops_vec->store[OPS_D][out->dtype](dst, out->rank ?
			out->strides[out->rank - 1] : 1, buffer, n);
	}
	return 0;
}
