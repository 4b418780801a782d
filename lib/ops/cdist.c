// SPDX-License-Identifier: MIT
/*
 * cdist: the distance of each row of one matrix from each row of another, by the
 * norm with exponent p. Differences and sums are in double.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "families.h"
#include "plane.h"
#include "vec/vec.h"
#include "walk.h"

enum { FIRST, SECOND };

int ops_cdist_infer(struct ops_call *c)
{
	const struct vnpu_tensor *x = &c->l->tensor[FIRST];
	const struct vnpu_tensor *y = &c->l->tensor[SECOND];
	struct ops_shape *out = &c->out[0];
	unsigned int i, rank;
	int err;

	for (i = FIRST; i <= SECOND; i++) {
		err = ops_need_rank(c, i, 2, VNPU_TENSOR_DIMS);
		if (!err)
			err = ops_need_float(c, i);
		if (err)
			return err;
	}
	if (x->dims[x->rank - 1] != y->dims[y->rank - 1])
		return ops_fail(c, SECOND, -EINVAL,
				"expected rows of %lld elements, given shape %s",
				(long long)x->dims[x->rank - 1], OPS_TDIMS(y));
	if (!(CALL_FLOAT(c, 0) >= 0))
		return ops_fail(c, -1, -EINVAL,
				"p: expected a number from 0 on, given %g",
				CALL_FLOAT(c, 0));
	rank = x->rank > y->rank ? x->rank : y->rank;
	for (i = 3; i <= rank; i++) {
		int64_t a = i <= x->rank ? x->dims[x->rank - i] : 1;
		int64_t b = i <= y->rank ? y->dims[y->rank - i] : 1;

		if (a != b && a != 1 && b != 1)
			return ops_fail(c, SECOND, -EINVAL,
					"batches of shape %s do not match %s",
					OPS_TDIMS(y), OPS_TDIMS(x));
		out->dims[rank - i] = a == 1 ? b : a;
	}
	out->rank = rank;
	out->dims[rank - 2] = x->dims[x->rank - 2];
	out->dims[rank - 1] = y->dims[y->rank - 2];
	out->dtype = ops_common(c->l, 1 << FIRST | 1 << SECOND);
	out->castable = true;
	return 0;
}

void ops_cdist_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *x = &job->launch.tensor[FIRST];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t size = x->dims[x->rank - 1], rows = out->dims[out->rank - 1];
	int64_t count = vnpu_tensor_elements(out);

	if (!count)
		return;
	job->scratch = (2 * size + rows) * sizeof(double);
	job->parts = ops_parts((double)count * size * 4, count / rows);
}

static double distance(const double *x, const double *y, int64_t n, double p)
{
	double sum = 0, d;
	int64_t i;

	for (i = 0; i < n; i++) {
		d = fabs(x[i] - y[i]);
		if (p == 2)
			sum += d * d;
		else if (p == 1)
			sum += d;
		else if (!p)
			sum += d != 0;
		else if (isinf(p))
			sum = d > sum || d != d ? d : sum;
		else
			sum += pow(d, p);
	}
	if (p == 2)
		return sqrt(sum);
	return !p || p == 1 || isinf(p) ? sum : pow(sum, 1 / p);
}

static void load_row(const struct vnpu_tensor *t, int64_t row, double *to)
{
	int64_t size = t->dims[t->rank - 1];

	if (size)
		ops_vec->load[t->dtype][OPS_D](to, ops_element(t, row * size),
					       t->strides[t->rank - 1], size);
}

/* View the rows of an input, with the batches of the output. */
static struct vnpu_tensor rows_of(const struct vnpu_tensor *t,
				  const struct vnpu_tensor *out)
{
	int64_t dims[VNPU_TENSOR_DIMS];

	memcpy(dims, out->dims, sizeof(dims));
	dims[out->rank - 2] = t->dims[t->rank - 2];
	dims[out->rank - 1] = t->dims[t->rank - 1];
	return ops_expand(t, out->rank, dims);
}

int ops_cdist_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t p_rows, rows, at, end, i, size;
	struct vnpu_tensor x, y;
	double *first = w->scratch, *second, *line, p = JOB_FLOAT(job, 0);

	if (!vnpu_tensor_elements(out))
		return 0;
	x = rows_of(&job->launch.tensor[FIRST], out);
	y = rows_of(&job->launch.tensor[SECOND], out);
	size = x.dims[x.rank - 1];
	p_rows = out->dims[out->rank - 2];
	rows = out->dims[out->rank - 1];
	second = first + size;
	line = second + size;
	ops_share(w, vnpu_tensor_elements(out) / rows, 1, &at, &end);
	for (; at < end; at++) {
		load_row(&x, at, first);
		for (i = 0; i < rows; i++) {
			load_row(&y, at / p_rows * rows + i, second);
			line[i] = distance(first, second, size, p);
		}
		ops_vec->store[OPS_D][out->dtype](ops_element(out, at * rows),
			out->strides[out->rank - 1], line, rows);
	}
	return 0;
}
