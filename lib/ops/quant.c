// SPDX-License-Identifier: MIT
/*
 * Products with quantised weights: self * ((weight + offset) * scale) + bias.
 * Scale and offset belong to a column, or to a group of consecutive inner
 * elements of a column. Weights are made f32 while the product packs them.
 */
#include <errno.h>

#include "families.h"
#include "gemm.h"

struct quant {
	struct ops_product product;
	int64_t group;
};
_Static_assert(sizeof(struct quant) <= sizeof(((struct vnpu_op_job *)0)->plan),
	       "the plan is too small");

enum { SELF, WEIGHT, SCALE, OFFSET, BIAS };

/* The group size, and the number of groups of an inner dimension. */
static int64_t group_of(const struct ops_op *op, const struct vnpu_op_launch *l,
			int64_t *groups)
{
	int64_t k = l->tensor[WEIGHT].dims[0], group = ops_int(op, l, 0);

	if (group <= 0 || group > k)
		group = k ? k : 1;
	*groups = k ? (k + group - 1) / group : 1;
	return group;
}

int ops_quant_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[SELF];
	const struct vnpu_tensor *weight = &c->l->tensor[WEIGHT];
	struct ops_shape *out = &c->out[0];
	int64_t groups, shape[2];
	unsigned int i;
	int err;

	err = ops_need_rank(c, SELF, 2, 2);
	if (!err)
		err = ops_need_float(c, SELF);
	if (!err)
		err = ops_need_rank(c, WEIGHT, 2, 2);
	if (err)
		return err;
	if (weight->dtype != VNPU_DT_I8 && weight->dtype != VNPU_DT_I4)
		return ops_fail(c, WEIGHT, -EINVAL,
				"expected type i8 or i4, given %s",
				vnpu_dtype_name(weight->dtype));
	if (weight->dims[0] != self->dims[1])
		return ops_fail(c, WEIGHT, -EINVAL,
				"expected an inner dimension of %lld, given shape %s",
				(long long)self->dims[1], OPS_TDIMS(weight));
	group_of(c->op, c->l, &groups);
	shape[0] = groups;
	shape[1] = weight->dims[1];
	for (i = SCALE; i <= OFFSET; i++) {
		const struct vnpu_tensor *t = ops_in(c->l, i);

		if (!t)
			continue;
		err = ops_need_float(c, i);
		if (!err && t->rank == 1 && groups == 1)
			err = t->dims[0] == 1 ? 0 :
				ops_need_shape(c, i, 1, shape + 1);
		else if (!err)
			err = ops_need_shape(c, i, 2, shape);
		if (err)
			return err;
	}
	if (ops_in(c->l, BIAS)) {
		err = ops_need_float(c, BIAS);
		if (!err)
			err = ops_need_shape(c, BIAS, 1, shape + 1);
	}
	out->castable = true;
	out->dtype = self->dtype;
	out->rank = 2;
	out->dims[0] = self->dims[0];
	out->dims[1] = weight->dims[1];
	return err;
}

/* Element @at of a storage of 4-bit integers. */
static float load_i4(const struct vnpu_tensor *t, int64_t at)
{
	const uint8_t *base = (const uint8_t *)(uintptr_t)t->data;
	int8_t both = base[at / 2];

	/* The shift back extends the sign. */
	return at & 1 ? both >> 4 : (int8_t)(both << 4) >> 4;
}

static float factor(const struct vnpu_tensor *t, int64_t group, int64_t column)
{
	float value;

	if (t->rank == 1)
		group = t->dims[0] == 1 ? 0 : column * t->strides[0];
	else
		group = group * t->strides[0] + column * t->strides[1];
	ops_vec->load[t->dtype][OPS_F](&value, ops_data(t) + group *
				       ops_size(t->dtype), 1, 1);
	return value;
}

static void fetch(const struct ops_factor *f, const uint8_t *base, void *dst,
		  int64_t inner, int64_t outer, int64_t n)
{
	const struct vnpu_op_job *job = f->data;
	const struct quant *q = (const struct quant *)job->plan;
	const struct vnpu_tensor *w = &job->launch.tensor[WEIGHT];
	const struct vnpu_tensor *offset = ops_in(&job->launch, OFFSET);
	int64_t at = w->offset + inner * w->strides[0] + outer * w->strides[1];
	int64_t i, now, group;
	float *to = dst, scale, add;

	(void)base;
	if (w->dtype == VNPU_DT_I8)
		ops_vec->load[VNPU_DT_I8][OPS_F](to, (const int8_t *)(uintptr_t)
						 w->data + at, w->strides[0], n);
	else
		for (i = 0; i < n; i++)
			to[i] = load_i4(w, at + i * w->strides[0]);
	for (; n; n -= now, inner += now, to += now) {
		group = inner / q->group;
		now = (group + 1) * q->group - inner;
		now = now < n ? now : n;
		scale = factor(&job->launch.tensor[SCALE], group, outer);
		add = offset ? factor(offset, group, outer) : 0;
		for (i = 0; i < now; i++)
			to[i] = (to[i] + add) * scale;
	}
}

void ops_quant_plan(struct vnpu_op_job *job)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = &l->tensor[SELF];
	const struct vnpu_tensor *bias = ops_in(l, BIAS), *out = ops_out(l, 0);
	struct quant *q = (struct quant *)job->plan;
	struct ops_product *p = &q->product;
	int64_t groups, size = ops_size(self->dtype);

	q->group = group_of(job->op, l, &groups);
	p->class = OPS_F;
	p->m = out->dims[0];
	p->n = out->dims[1];
	p->k = self->dims[1];
	ops_factor_view(&p->left, self->dtype, OPS_F, self->strides[1] * size,
			self->strides[0] * size);
	p->right = (struct ops_factor){ .fetch = fetch };
	p->store = ops_vec->store[OPS_F][out->dtype];
	p->out_size = ops_size(out->dtype);
	p->out_row = out->strides[0] * p->out_size;
	p->out_column = out->strides[1];
	p->alpha = p->beta = 1;
	p->clamps = false;
	p->bias_load = NULL;
	if (bias) {
		p->bias_load = ops_vec->load[bias->dtype][OPS_F];
		p->bias_size = ops_size(bias->dtype);
		p->bias_row = 0;
		p->bias_column = bias->strides[0] * p->bias_size;
	}
	ops_product_init(p);
	if (vnpu_tensor_elements(out))
		job->scratch = ops_product_scratch(p);
	job->parts = ops_parts((double)p->m * p->n * p->k / 4,
			       ops_product_blocks(p));
}

int ops_quant_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *bias = ops_in(l, BIAS);
	struct ops_product p = ((const struct quant *)job->plan)->product;
	struct ops_matrices x = {
		.left = ops_data(&l->tensor[SELF]),
		.bias = bias ? ops_data(bias) : NULL,
		.out = ops_data(ops_out(l, 0)),
	};
	int64_t at, end;

	/* The product may have swapped its factors. */
	p.left.data = p.right.data = job;
	ops_share(w, ops_product_blocks(&p), 1, &at, &end);
	if (at < end)
		ops_product_run(&p, &x, at, end, w->scratch);
	return 0;
}
