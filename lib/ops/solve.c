// SPDX-License-Identifier: MIT
/*
 * Solutions of triangular systems: matrix * out = self, by substitution in
 * double. Both have the same batches.
 */
#include <string.h>

#include "families.h"
#include "plane.h"

enum { UPPER, TRANSPOSE, UNIT };

int ops_solve_infer(struct ops_call *c)
{
	const struct vnpu_tensor *b = &c->l->tensor[0];
	int64_t dims[VNPU_TENSOR_DIMS];
	int err;

	err = ops_need_planes(c);
	if (!err)
		err = ops_need_rank(c, 1, b->rank, b->rank);
	if (!err)
		err = ops_need_float(c, 1);
	if (err)
		return err;
	memcpy(dims, b->dims, sizeof(dims));
	dims[b->rank - 1] = dims[b->rank - 2];
	ops_like(&c->out[0], b);
	c->out[0].castable = true;
	return ops_need_shape(c, 1, b->rank, dims);
}

void ops_solve_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *b = &job->launch.tensor[0];
	int64_t n = b->dims[b->rank - 2], columns = b->dims[b->rank - 1];
	int64_t batches = ops_plane_count(b);

	if (vnpu_tensor_elements(b))
		job->scratch = n * (n + columns) * sizeof(double);
	job->parts = ops_parts((double)batches * n * n * columns, batches);
}

static void substitute(const double *a, double *x, int64_t n, int64_t columns,
		       bool upper, bool transpose, bool unit)
{
	bool backward = upper != transpose;
	int64_t step, i, k, j;

	for (step = 0; step < n; step++) {
		i = backward ? n - 1 - step : step;
		for (k = backward ? i + 1 : 0; k < (backward ? n : i); k++) {
			double factor = transpose ? a[k * n + i] : a[i * n + k];

			for (j = 0; j < columns; j++)
				x[i * columns + j] -= factor * x[k * columns + j];
		}
		for (j = 0; j < columns && !unit; j++)
			x[i * columns + j] /= a[i * n + i];
	}
}

int ops_solve_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *b = &job->launch.tensor[0];
	const struct vnpu_tensor *a = &job->launch.tensor[1];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t n = b->dims[b->rank - 2], columns = b->dims[b->rank - 1];
	double *matrix = w->scratch, *x = matrix + n * n;
	int64_t batch, end;

	if (!vnpu_tensor_elements(b))
		return 0;
	ops_share(w, ops_plane_count(b), 1, &batch, &end);
	for (; batch < end; batch++) {
		ops_plane_load(a, batch, matrix);
		ops_plane_load(b, batch, x);
		substitute(matrix, x, n, columns, JOB_INT(job, UPPER),
			   JOB_INT(job, TRANSPOSE), JOB_INT(job, UNIT));
		ops_plane_store(out, batch, x, columns);
	}
	return 0;
}
