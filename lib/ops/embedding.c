// SPDX-License-Identifier: MIT
/*
 * The gradient of an embedding: each row of the output is the sum of the rows
 * of grad with its index. The first phase lists them by index, so that parts of
 * the second one share the rows of the output and the order is fixed.
 */
#include <errno.h>

#include "families.h"
#include "vec/vec.h"
#include "walk.h"

#define TILE	256

enum { ROWS, PADDING, BY_FREQUENCY };

int ops_embedding_infer(struct ops_call *c)
{
	const struct vnpu_tensor *grad = &c->l->tensor[0];
	const struct vnpu_tensor *index = &c->l->tensor[1];
	int64_t rows = CALL_INT(c, ROWS);
	int err;

	err = ops_need_float(c, 0);
	if (!err)
		err = ops_need_index(c, 1);
	if (!err)
		err = ops_need_rank(c, 0, index->rank + 1, index->rank + 1);
	if (err)
		return err;
	if (memcmp(grad->dims, index->dims, index->rank * sizeof(*grad->dims)))
		return ops_fail(c, 0, -EINVAL, "shape %s does not match indices %s",
				OPS_TDIMS(grad), OPS_TDIMS(index));
	if (rows < 0 || rows > VNPU_TENSOR_MAX)
		return ops_fail(c, -1, -EINVAL,
				"rows: expected 0 to 2^47, given %lld",
				(long long)rows);
	c->out[0].rank = 2;
	c->out[0].dims[0] = rows;
	c->out[0].dims[1] = grad->dims[index->rank];
	c->out[0].dtype = grad->dtype;
	c->out[0].castable = true;
	return 0;
}

void ops_embedding_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *index = &job->launch.tensor[1];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t count = vnpu_tensor_elements(index);

	if (!vnpu_tensor_elements(out))
		return;
	job->phases = 2;
	/* The end of the list of each row, the lists, and the indices. */
	job->shared = (out->dims[0] + 1 + 2 * count) * sizeof(int64_t);
	job->scratch = 2 * TILE * sizeof(double);
	job->parts = ops_parts(vnpu_tensor_elements(out) +
			       4.0 * count * out->dims[1], out->dims[0]);
}

static int list_rows(const struct vnpu_op_job *job, int64_t *ends,
		     int64_t *list, int64_t *copy)
{
	const struct vnpu_tensor *index = &job->launch.tensor[1];
	int64_t rows = JOB_INT(job, ROWS), padding = JOB_INT(job, PADDING);
	int64_t count = vnpu_tensor_elements(index), i, n;
	int err = 0;

	memset(ends, 0, (rows + 1) * sizeof(*ends));
	/* Indices are read once, as they may change. */
	for (i = 0; i < count; i += n) {
		n = ops_row_rest(index, i, count, count);
		ops_vec->load[index->dtype][OPS_L](copy + i,
			ops_element(index, i), ops_row_step(index), n);
	}
	for (i = 0; i < count; i++) {
		if (copy[i] < 0 || copy[i] >= rows) {
			copy[i] = -1;
			err = -ERANGE;
		} else if (copy[i] == padding) {
			copy[i] = -1;
		} else {
			ends[copy[i] + 1]++;
		}
	}
	for (i = 1; i <= rows; i++)
		ends[i] += ends[i - 1];
	/* The start of a list moves to its end while it is filled. */
	for (i = 0; i < count; i++)
		if (copy[i] >= 0)
			list[ends[copy[i]]++] = i;
	return err;
}

/* Sum elements of the rows of a list. */
static void sum_rows(const struct vnpu_op_job *job, int64_t column, int64_t n,
		     const int64_t *list, int64_t count, double *sum)
{
	const struct vnpu_tensor *grad = &job->launch.tensor[0];
	int64_t width = grad->dims[grad->rank - 1], i, k;
	double *row = sum + TILE;

	memset(sum, 0, n * sizeof(*sum));
	for (k = 0; k < count; k++) {
		ops_vec->load[grad->dtype][OPS_D](row, ops_element(grad,
			list[k] * width + column), ops_row_step(grad), n);
		for (i = 0; i < n; i++)
			sum[i] += row[i];
	}
	if (JOB_INT(job, BY_FREQUENCY) && count)
		for (i = 0; i < n; i++)
			sum[i] /= count;
}

int ops_embedding_run(const struct vnpu_op_job *job,
		      const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t rows = JOB_INT(job, ROWS), row, end, at, n, start;
	int64_t *ends = w->shared, *list = ends + rows + 1;

	if (!vnpu_tensor_elements(out))
		return 0;
	if (!w->phase)
		return w->part ? 0 :
			list_rows(job, ends, list, list +
				  vnpu_tensor_elements(&job->launch.tensor[1]));
	ops_share(w, rows, 1, &row, &end);
	for (; row < end; row++) {
		start = row ? ends[row - 1] : 0;
		for (at = 0; at < out->dims[1]; at += n) {
			n = out->dims[1] - at < TILE ? out->dims[1] - at : TILE;
			sum_rows(job, at, n, list + start, ends[row] - start,
				 w->scratch);
			ops_vec->store[OPS_D][out->dtype](ops_element(out,
				row * out->dims[1] + at), out->strides[1],
				w->scratch, n);
		}
	}
	return 0;
}
