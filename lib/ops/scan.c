// SPDX-License-Identifier: MIT
/*
 * Scans: each element of a line is made of those up to it. They run in double or
 * int64_t, one element after the other.
 */
#include <math.h>

#include "families.h"
#include "line_iter.h"
#include "vec/vec.h"

#define TILE	512

static unsigned int dim_of(const struct vnpu_op_job *job)
{
	int64_t dim = JOB_INT(job, 0);
	unsigned int rank = job->launch.tensor[0].rank;

	return dim < 0 ? dim + (rank ? rank : 1) : dim;
}

int ops_scan_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0];
	unsigned int dim;

	ops_like(&c->out[0], self);
	ops_like(&c->out[1], self);
	c->out[0].castable = c->out[1].castable = true;
	c->out[1].dtype = VNPU_DT_I64;
	if (vnpu_dtype_is_float(self->dtype))
		;
	else if (c->l->op == VNPU_OP_LOGCUMSUMEXP)
		c->out[0].dtype = VNPU_DT_F32;
	else if (c->l->op == VNPU_OP_CUMSUM || c->l->op == VNPU_OP_CUMPROD)
		c->out[0].dtype = VNPU_DT_I64;
	return ops_need_dim(c, "dim", CALL_INT(c, 0), self->rank, &dim);
}

void ops_scan_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *self = &job->launch.tensor[0];

	job->scratch = 2 * TILE * sizeof(double);
	job->parts = ops_parts(vnpu_tensor_elements(self) * 8.0,
			       ops_line_count(self, dim_of(job)));
}

/* The state of a line. */
struct scan {
	double sum;
	int64_t integer;
	int64_t index;
	int64_t count;
};

static void scan_doubles(unsigned int op, struct scan *s, double *x,
			 int64_t *index, int64_t n)
{
	int64_t i;
	double high;

	for (i = 0; i < n; i++, s->count++) {
		if (!s->count) {
			s->sum = x[i];
			s->index = 0;
		} else if (op == VNPU_OP_CUMSUM) {
			s->sum += x[i];
		} else if (op == VNPU_OP_CUMPROD) {
			s->sum *= x[i];
		} else if (op == VNPU_OP_LOGCUMSUMEXP) {
			high = s->sum > x[i] ? s->sum : x[i];
			if (s->sum == x[i])
				s->sum += 0.69314718055994531;
			else
				s->sum = high + log1p(exp(-fabs(s->sum - x[i])));
		} else if (s->sum == s->sum &&
			   (op == VNPU_OP_CUMMAX ? !(x[i] < s->sum) :
						   !(x[i] > s->sum))) {
			s->sum = x[i];
			s->index = s->count;
		}
		x[i] = s->sum;
		index[i] = s->index;
	}
}

static void scan_integers(unsigned int op, struct scan *s, int64_t *x,
			  int64_t *index, int64_t n)
{
	int64_t i;

	for (i = 0; i < n; i++, s->count++) {
		if (!s->count) {
			s->integer = x[i];
			s->index = 0;
		} else if (op == VNPU_OP_CUMSUM) {
			s->integer += x[i];
		} else if (op == VNPU_OP_CUMPROD) {
			s->integer *= x[i];
		} else if (op == VNPU_OP_CUMMAX ? x[i] >= s->integer :
						  x[i] <= s->integer) {
			s->integer = x[i];
			s->index = s->count;
		}
		x[i] = s->integer;
		index[i] = s->index;
	}
}

int ops_scan_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = &l->tensor[0], *out = ops_out(l, 0);
	const struct vnpu_tensor *where = ops_out(l, 1);
	unsigned int dim = dim_of(job);
	bool is_float = vnpu_dtype_is_float(self->dtype) ||
			l->op == VNPU_OP_LOGCUMSUMEXP;
	enum ops_class class = is_float ? OPS_D : OPS_L;
	int64_t n = ops_line_size(self, dim), line, end, i, now;
	double *x = w->scratch;
	int64_t *index = (int64_t *)x + TILE;

	if (!n)
		return 0;
	ops_share(w, ops_line_count(self, dim), 1, &line, &end);
	for (; line < end; line++) {
		const uint8_t *from = ops_line_start(self, dim, line);
		int64_t step = ops_line_step(self, dim);
		struct scan s = { 0 };

		for (i = 0; i < n; i += now) {
			now = n - i < TILE ? n - i : TILE;
			ops_vec->load[self->dtype][class](x, from + i * step *
				ops_size(self->dtype), step, now);
			if (is_float)
				scan_doubles(l->op, &s, x, index, now);
			else
				scan_integers(l->op, &s, (int64_t *)x, index,
					      now);
			step = ops_line_step(out, dim);
			ops_vec->store[class][out->dtype](
				ops_line_start(out, dim, line) +
				i * step * ops_size(out->dtype), step, x, now);
			if (where) {
				step = ops_line_step(where, dim);
				ops_vec->store[OPS_L][where->dtype](
					ops_line_start(where, dim, line) + i *
					step * ops_size(where->dtype), step,
					index, now);
			}
			step = ops_line_step(self, dim);
		}
	}
	return 0;
}
