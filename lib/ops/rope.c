// SPDX-License-Identifier: MIT
/*
 * Rotary position embedding: self * cos + rotated(self) * sin along the last
 * dimension. The rotation takes pairs: of both halves (mode 0), of neighbours
 * (mode 1), or of the halves of each half (mode 2). cos and sin broadcast.
 */
#include <errno.h>

#include "families.h"
#include "iter.h"
#include "vec/vec.h"

int ops_rope_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	int64_t mode = CALL_INT(c, 0);
	unsigned int i, k;
	int err;

	ops_like(&c->out[0], self);
	c->out[0].castable = true;
	err = ops_need_rank(c, 0, 1, 8);
	for (i = 0; !err && i < 3; i++)
		err = ops_need_float(c, i);
	if (err)
		return err;
	if (mode < 0 || mode > 2)
		return ops_fail(c, -1, -EINVAL,
				"mode: expected 0 to 2, given %lld",
				(long long)mode);
	if (self->dims[self->rank - 1] % (mode == 2 ? 4 : 2))
		return ops_fail(c, 0, -EINVAL,
				"the last dimension of shape %s has no pairs",
				OPS_TDIMS(self));
	for (i = 1; i < 3; i++)
		for (k = 0; k < c->l->tensor[i].rank; k++) {
			const struct vnpu_tensor *t = &c->l->tensor[i];
			int64_t dim = t->dims[t->rank - 1 - k];

			if (k >= self->rank ||
			    (dim != self->dims[self->rank - 1 - k] &&
			     (!k || dim != 1)))
				return ops_fail(c, i, -EINVAL,
						"shape %s cannot be expanded to %s",
						OPS_TDIMS(t), OPS_TDIMS(self));
		}
	return 0;
}

static int64_t count_rows(const struct vnpu_tensor *t)
{
	int64_t n = t->dims[t->rank - 1];

	return n ? vnpu_tensor_elements(t) / n : 0;
}

void ops_rope_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];

	job->scratch = vnpu_tensor_elements(self) ?
		4 * self->dims[self->rank - 1] * sizeof(float) : 0;
	job->parts = ops_parts(vnpu_tensor_elements(self) * 8.0,
			       count_rows(self));
}

static void rotate(float *out, const float *x, const float *c, const float *s,
		   int64_t n)
{
	int64_t half = n / 2, i;

	for (i = 0; i < half; i++)
		out[i] = x[i] * c[i] - x[half + i] * s[i];
	for (i = half; i < n; i++)
		out[i] = x[i] * c[i] + x[i - half] * s[i];
}

static void rotate_pairs(float *out, const float *x, const float *c,
			 const float *s, int64_t n)
{
	int64_t i;

	for (i = 0; i < n; i += 2) {
		out[i] = x[i] * c[i] - x[i + 1] * s[i];
		out[i + 1] = x[i + 1] * c[i + 1] + x[i] * s[i + 1];
	}
}

int ops_rope_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = &l->tensor[0], *out = ops_out(l, 0);
	int64_t n = self->dims[self->rank - 1], row, end, mode;
	struct vnpu_tensor view[4] = { *out, l->tensor[0], l->tensor[1],
				       l->tensor[2] };
	const struct vnpu_tensor *t[4] = { &view[0], &view[1], &view[2],
					   &view[3] };
	float *x = w->scratch, *c = x + n, *s = c + n, *y = s + n;
	struct ops_place p;
	struct ops_iter it;
	unsigned int k;

	mode = JOB_INT(job, 0);
	/* Rows are elements of an iteration without the last dimension. */
	for (k = 0; k < 4; k++)
		if (view[k].rank)
			view[k].rank--;
	ops_iter_init(&it, self->rank - 1, self->dims, t, 4);
	ops_share(w, count_rows(self), 1, &row, &end);
	for (; row < end; row++) {
		float *to[3] = { x, c, s };

		ops_iter_seek(&it, &p, row);
		for (k = 0; k < 3; k++) {
			const struct vnpu_tensor *in = &l->tensor[k];

			ops_vec->load[in->dtype][OPS_F](to[k], p.at[1 + k],
				in->rank ? in->strides[in->rank - 1] : 0, n);
		}
		if (mode == 0) {
			rotate(y, x, c, s, n);
		} else if (mode == 1) {
			rotate_pairs(y, x, c, s, n);
		} else {
			rotate(y, x, c, s, n / 2);
			rotate(y + n / 2, x + n / 2, c + n / 2, s + n / 2,
			       n / 2);
		}
		ops_vec->store[OPS_F][out->dtype](p.at[0],
			out->strides[out->rank - 1], y, n);
	}
	return 0;
}
