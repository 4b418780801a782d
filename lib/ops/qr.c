// SPDX-License-Identifier: MIT
/*
 * Factors of matrices: an orthogonal and an upper triangular one, by Householder's
 * reflections in double. The signs are those of LAPACK.
 */
#include <string.h>

#include "families.h"
#include "plane.h"
#include "vec/vec.h"

enum { R, Q };

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int ops_qr_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	unsigned int last = self->rank - 1;
	int64_t size;
	int err;

	err = ops_need_planes(c);
	if (err)
		return err;
	size = CALL_INT(c, 0) ? self->dims[last - 1] :
				least(self->dims[last - 1], self->dims[last]);
	ops_like(&c->out[R], self);
	ops_like(&c->out[Q], self);
	c->out[R].dims[last - 1] = size;
	c->out[Q].dims[last] = size;
	c->out[R].castable = c->out[Q].castable = true;
	return 0;
}

void ops_qr_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	const struct vnpu_tensor *q = ops_out(&job->launch, Q);
	int64_t m = self->dims[self->rank - 2], n = self->dims[self->rank - 1];
	int64_t batches = ops_plane_count(self);
	/* Q may be much larger than the rest, so it has memory only if wanted. */
	int64_t columns = q ? q->dims[q->rank - 1] : 0;

	if (batches)
		job->scratch = (m * n + least(m, n) + m * columns) *
			       sizeof(double);
	job->parts = ops_parts((double)batches * m * least(m, n) * (n + columns),
			       batches);
}

/*
 * Apply a reflection to column @k of @x. Its vector is below the diagonal in
 * column @j of @a, and 1 on the diagonal.
 */
static void reflect(const double *a, int64_t n, int64_t j, double tau, double *x,
		    int64_t columns, int64_t k, int64_t m)
{
	double sum = x[j * columns + k];
	int64_t i;

	for (i = j + 1; i < m; i++)
		sum += a[i * n + j] * x[i * columns + k];
	sum *= tau;
	x[j * columns + k] -= sum;
	for (i = j + 1; i < m; i++)
		x[i * columns + k] -= sum * a[i * n + j];
}

/* Make R of the matrix; below it stay the vectors of the reflections. */
static void factor(double *a, double *tau, int64_t m, int64_t n)
{
	int64_t i, j, k;

	for (j = 0; j < least(m, n); j++) {
		double head = a[j * n + j], rest = 0, norm;

		for (i = j + 1; i < m; i++)
			rest = hypot(rest, a[i * n + j]);
		tau[j] = 0;
		if (rest == 0)
			continue;
		norm = -copysign(hypot(head, rest), head);
		tau[j] = (norm - head) / norm;
		for (i = j + 1; i < m; i++)
			a[i * n + j] /= head - norm;
		a[j * n + j] = norm;
		for (k = j + 1; k < n; k++)
			reflect(a, n, j, tau[j], a, n, k, m);
	}
}

/* Make Q: the reflections in reverse order, of the unit matrix. */
static void make_q(const double *a, const double *tau, int64_t m, int64_t n,
		   double *q, int64_t columns)
{
	int64_t j, k;

	memset(q, 0, m * columns * sizeof(*q));
	for (j = 0; j < columns; j++)
		q[j * columns + j] = 1;
	for (j = least(m, n); j--;)
		for (k = j; k < columns; k++)
			reflect(a, n, j, tau[j], q, columns, k, m);
}

int ops_qr_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = &l->tensor[0];
	const struct vnpu_tensor *r = ops_out(l, R), *q = ops_out(l, Q);
	int64_t m = self->dims[self->rank - 2], n = self->dims[self->rank - 1];
	double *a = w->scratch, *tau = a + m * n, *made = tau + least(m, n);
	int64_t columns = JOB_INT(job, 0) ? m : least(m, n);
	int64_t batch, end, i, j;

	ops_share(w, ops_plane_count(self), 1, &batch, &end);
	for (; batch < end; batch++) {
		ops_plane_load(self, batch, a);
		factor(a, tau, m, n);
		if (q && vnpu_tensor_elements(q)) {
			make_q(a, tau, m, n, made, columns);
			ops_plane_store(q, batch, made, columns);
		}
		for (i = 0; i < m; i++)
			for (j = 0; j < least(i, n); j++)
				a[i * n + j] = 0;
		ops_plane_store(r, batch, a, n);
	}
	return 0;
}
