// SPDX-License-Identifier: MIT
/*
 * Gradients of the weight and bias of normalisations: sums of grad * (self -
 * mean) * rstd and of grad, over the dimensions along which the outputs repeat.
 * A part has a range of lines of the last dimension of the outputs, and reads
 * its elements of the inputs in their order.
 */
#include <errno.h>
#include <string.h>

#include "families.h"
#include "vec/vec.h"
#include "walk.h"

#define TILE	256

enum { GRAD, SELF, RSTD, MEAN, INPUTS };

/* The sums of a line of the outputs, and the memory of a row. */
struct sums {
	double weight[TILE], bias[TILE], row[INPUTS][TILE];
};

/* Outputs expand to the inputs, which all have the shape of the first. */
static int need_output(struct ops_call *c, unsigned int number)
{
	const struct vnpu_tensor *out = ops_out(c->l, number);
	const struct vnpu_tensor *x = &c->l->tensor[0];
	unsigned int i;

	if (!out && number)
		return 0;
	if (!out)
		return ops_fail(c, c->l->inputs, -EINVAL, "is missing");
	for (i = 0; i < out->rank; i++) {
		int64_t dim = out->dims[out->rank - 1 - i];

		if (i >= x->rank ||
		    (dim != 1 && dim != x->dims[x->rank - 1 - i]))
			return ops_fail(c, c->l->inputs + number, -EINVAL,
					"shape %s cannot be expanded to %s",
					OPS_TDIMS(out), OPS_TDIMS(x));
	}
	ops_like(&c->out[number], number ? ops_out(c->l, 0) : out);
	c->out[number].dtype = VNPU_DT_F32;
	c->out[number].castable = true;
	return 0;
}

int ops_norm_weight_infer(struct ops_call *c)
{
	const struct vnpu_tensor *x = &c->l->tensor[0];
	unsigned int i;
	int err;

	err = ops_need_rank(c, 0, 1, 8);
	for (i = 0; !err && i < c->l->inputs; i++) {
		if (!ops_in(c->l, i))
			continue;
		err = ops_need_float(c, i);
		if (!err)
			err = i == SELF ?
				ops_need_shape(c, i, x->rank, x->dims) :
				ops_need_expand(c, i, x->rank, x->dims);
	}
	for (i = 0; !err && i < 2; i++)
		err = need_output(c, i);
	return err;
}

/* The dimensions of the output, aligned with those of the inputs. */
static void align(const struct vnpu_op_launch *l, int64_t *dims)
{
	const struct vnpu_tensor *out = ops_out(l, 0), *x = &l->tensor[0];
	unsigned int i, lacks = x->rank - out->rank;

	for (i = 0; i < x->rank; i++)
		dims[i] = i < lacks ? 1 : out->dims[i - lacks];
}

void ops_norm_weight_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *x = &job->launch.tensor[0];
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	int64_t made = vnpu_tensor_elements(out);

	job->scratch = sizeof(struct sums);
	job->parts = ops_parts(vnpu_tensor_elements(x) * 8.0,
			       out->rank && out->dims[out->rank - 1] > 1 ?
			       made / out->dims[out->rank - 1] *
			       ((out->dims[out->rank - 1] + TILE - 1) / TILE) :
			       made);
}

/* Add a row: to elements of the line, or all to the only one. */
static void add_row(struct sums *s, const struct vnpu_tensor *t,
		    const int64_t *index, int64_t n, bool is_kept)
{
	unsigned int k, d;
	int64_t i;

	for (k = 0; k < INPUTS; k++) {
		const uint8_t *at = ops_data(&t[k]);
		unsigned int last = t[k].rank - 1;

		if (!t[k].dtype) {
			memset(s->row[k], 0, n * sizeof(double));
			continue;
		}
		for (d = 0; d <= last; d++)
			at += index[d] * t[k].strides[d] * ops_size(t[k].dtype);
		ops_vec->load[t[k].dtype][OPS_D](s->row[k], at,
						 t[k].strides[last], n);
	}
	for (i = 0; i < n; i++) {
		double x = s->row[GRAD][i] * (s->row[SELF][i] -
			   s->row[MEAN][i]) * s->row[RSTD][i];

		s->weight[is_kept ? i : 0] += x;
		s->bias[is_kept ? i : 0] += s->row[GRAD][i];
	}
}

/*
 * Sum the contributions to @n outputs in a line, the first of which is at
 * @index.
 */
static void sum_line(struct sums *s, const struct vnpu_tensor *t,
		     const int64_t *kept, int64_t *index, int64_t n)
{
	unsigned int last = t->rank - 1, d;
	bool is_kept = kept[last] == t->dims[last];
	int64_t at;

	memset(s->weight, 0, sizeof(s->weight));
	memset(s->bias, 0, sizeof(s->bias));
	for (;;) {
		if (is_kept)
			add_row(s, t, index, n, true);
		else
			for (at = 0; at < t->dims[last]; at += TILE) {
				int64_t rest = t->dims[last] - at;

				index[last] = at;
				add_row(s, t, index,
					rest < TILE ? rest : TILE, false);
			}
		/* The next place along the dimensions that are summed. */
		for (d = last; d--;) {
			if (kept[d] == t->dims[d])
				continue;
			if (++index[d] < t->dims[d])
				break;
			index[d] = 0;
		}
		if (d == (unsigned int)-1)
			return;
	}
}

static void store_line(const struct vnpu_tensor *out, int64_t at,
		       const double *x, int64_t n)
{
	if (out)
		ops_vec->store[OPS_D][out->dtype](ops_element(out, at),
						  ops_row_step(out), x, n);
}

int ops_norm_weight_run(const struct vnpu_op_job *job,
			const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *out = ops_out(l, 0), *x = &l->tensor[0];
	int64_t kept[VNPU_TENSOR_DIMS], index[VNPU_TENSOR_DIMS], at, end, rest, n;
	struct vnpu_tensor t[INPUTS] = { 0 };
	struct sums *s = w->scratch;
	unsigned int i;

	align(l, kept);
	for (i = 0; i < l->inputs; i++)
		if (ops_in(l, i))
			t[i] = ops_expand(ops_in(l, i), x->rank, x->dims);
	ops_share(w, vnpu_tensor_elements(out), TILE, &at, &end);
	for (; at < end; at += n) {
		n = ops_row_rest(out, at, end, TILE);
		/* A line has one element where the last dimension is summed. */
		rest = at;
		for (i = x->rank; i--;) {
			index[i] = rest % kept[i];
			rest /= kept[i];
		}
		if (vnpu_tensor_elements(x))
			sum_line(s, t, kept, index, n);
		else
			memset(s, 0, sizeof(*s));
		store_line(out, at, s->weight, n);
		store_line(ops_out(l, 1), at, s->bias, n);
	}
	return 0;
}
