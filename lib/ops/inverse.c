// SPDX-License-Identifier: MIT
/*
 * Inverses and determinants of square matrices, by elimination with pivots in
 * double.
 */
#include <errno.h>
#include <string.h>

#include "families.h"
#include "plane.h"
#include "vec/vec.h"
#include "walk.h"

int ops_inverse_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	unsigned int i;
	int err;

	err = ops_need_planes(c);
	if (err)
		return err;
	if (self->dims[self->rank - 1] != self->dims[self->rank - 2])
		return ops_fail(c, 0, -EINVAL,
				"expected square matrices, given shape %s",
				OPS_TDIMS(self));
	for (i = 0; i < c->op->max_outputs; i++) {
		ops_like(&c->out[i], self);
		c->out[i].castable = true;
		if (c->l->op == VNPU_OP_SLOGDET)
			c->out[i].rank -= 2;
	}
	return 0;
}

void ops_inverse_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];
	int64_t n = self->dims[self->rank - 1], batches = ops_plane_count(self);

	if (vnpu_tensor_elements(self))
		job->scratch = 2 * n * n * sizeof(double);
	job->parts = ops_parts((double)batches * n * n * n, batches);
}

static void swap_rows(double *m, int64_t n, int64_t a, int64_t b)
{
	int64_t i;

	for (i = 0; i < n && a != b; i++) {
		double x = m[a * n + i];

		m[a * n + i] = m[b * n + i];
		m[b * n + i] = x;
	}
}

static void add_row(double *m, int64_t n, int64_t to, int64_t from,
		    double factor)
{
	int64_t i;

	for (i = 0; i < n; i++)
		m[to * n + i] += factor * m[from * n + i];
}

/*
 * Make a matrix upper triangular, and apply the same to the rows of @x unless it
 * is NULL. Return the sign of the exchanges, or 0 for a singular matrix.
 */
static int eliminate(double *m, double *x, int64_t n)
{
	int64_t column, row, best;
	int sign = 1;

	for (column = 0; column < n; column++) {
		for (best = row = column; row < n; row++)
			if (fabs(m[row * n + column]) >
			    fabs(m[best * n + column]))
				best = row;
		if (m[best * n + column] == 0)
			return 0;
		sign = best == column ? sign : -sign;
		swap_rows(m, n, column, best);
		if (x)
			swap_rows(x, n, column, best);
		for (row = column + 1; row < n; row++) {
			double factor = -m[row * n + column] /
					m[column * n + column];

			add_row(m, n, row, column, factor);
			if (x)
				add_row(x, n, row, column, factor);
		}
	}
	return sign;
}

static void invert(double *m, double *x, int64_t n)
{
	int64_t row, above, i;

	memset(x, 0, n * n * sizeof(*x));
	for (i = 0; i < n; i++)
		x[i * n + i] = 1;
	if (!eliminate(m, x, n)) {
		for (i = 0; i < n * n; i++)
			x[i] = NAN;
		return;
	}
	for (row = n; row--;) {
		for (i = 0; i < n; i++)
			x[row * n + i] /= m[row * n + row];
		for (above = 0; above < row; above++)
			add_row(x, n, above, row, -m[above * n + row]);
	}
}

/* Both results are NaN for a matrix that has one. */
static void determine(double *m, int64_t n, double *sign, double *size)
{
	int64_t i;

	*sign = eliminate(m, NULL, n);
	*size = *sign == 0 ? -INFINITY : 0;
	for (i = 0; i < n && *sign != 0; i++) {
		double x = m[i * n + i];

		*sign *= x > 0 ? 1 : x < 0 ? -1 : x;
		*size += log(fabs(x));
	}
}

static void store_single(const struct vnpu_tensor *t, int64_t number, double x)
{
	ops_vec->store[OPS_D][t->dtype](ops_element(t, number), 1, &x, 1);
}

int ops_inverse_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = &l->tensor[0], *out = ops_out(l, 0);
	int64_t n = self->dims[self->rank - 1], batch, end;
	double *m = w->scratch, *x = m + n * n, sign, size;

	/* Only determinants of empty matrices have values. */
	if (!n && l->op != VNPU_OP_SLOGDET)
		return 0;
	ops_share(w, ops_plane_count(self), 1, &batch, &end);
	for (; batch < end; batch++) {
		ops_plane_load(self, batch, m);
		if (l->op == VNPU_OP_SLOGDET) {
			determine(m, n, &sign, &size);
			store_single(out, batch, sign);
			store_single(ops_out(l, 1), batch, size);
			continue;
		}
		invert(m, x, n);
		ops_plane_store(out, batch, x, n);
	}
	return 0;
}
