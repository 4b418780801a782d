// SPDX-License-Identifier: MIT
/*
 * Attention: softmax(scale * query * key^T + bias) * value, for batches and
 * heads. Several heads of the query may share one of key and value.
 *
 * Rows of the query are taken in blocks whose logits stay in the cache, so the
 * matrix of all logits never exists. Rows that no key is allowed for become 0.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "families.h"
#include "gemm.h"

/* Bytes of the logits of a block. */
#define LOGITS		(1 << 20)

struct attention {
	struct ops_product logits, result;
	int64_t batches, heads, group, rows, keys, block;
};
_Static_assert(sizeof(struct attention) <=
	       sizeof(((struct vnpu_op_job *)0)->plan),
	       "the plan is too small");

enum { BATCH, HEAD, ROW, FEATURE };

int ops_attention_infer(struct ops_call *c)
{
	const struct vnpu_tensor *q = &c->l->tensor[0], *k = &c->l->tensor[1];
	const struct vnpu_tensor *v = &c->l->tensor[2];
	unsigned int i, d;
	int err = 0;

	for (i = 0; !err && i < 3; i++) {
		err = ops_need_rank(c, i, 4, 4);
		if (!err)
			err = ops_need_float(c, i);
	}
	if (err)
		return err;
	if (k->dims[BATCH] != q->dims[BATCH] ||
	    k->dims[FEATURE] != q->dims[FEATURE] || !k->dims[HEAD] ||
	    q->dims[HEAD] % k->dims[HEAD])
		return ops_fail(c, 1, -EINVAL, "shape %s does not fit to query %s",
				OPS_TDIMS(k), OPS_TDIMS(q));
	if (memcmp(v->dims, k->dims, 3 * sizeof(*v->dims)))
		return ops_fail(c, 2, -EINVAL, "shape %s does not fit to key %s",
				OPS_TDIMS(v), OPS_TDIMS(k));
	ops_like(&c->out[0], q);
	c->out[0].castable = true;
	c->out[0].dims[FEATURE] = v->dims[FEATURE];
	/* Bias and mask expand to [batch, head, row, key]. */
	for (i = 3; i < 5; i++) {
		const struct vnpu_tensor *t = ops_in(c->l, i);
		int64_t full[4] = { q->dims[BATCH], q->dims[HEAD],
				    q->dims[ROW], k->dims[ROW] };

		if (!t)
			continue;
		for (d = 0; d < t->rank; d++)
			if (d >= 4 || (t->dims[t->rank - 1 - d] != 1 &&
				       t->dims[t->rank - 1 - d] != full[3 - d]))
				return ops_fail(c, i, -EINVAL,
						"shape %s cannot be expanded to %s",
						OPS_TDIMS(t), OPS_DIMS(4, full));
	}
	if (ops_in(c->l, 3))
		err = ops_need_float(c, 3);
	if (!err && ops_in(c->l, 4) &&
	    vnpu_dtype_is_float(c->l->tensor[4].dtype))
		err = ops_fail(c, 4, -EINVAL, "expected bool or integers, given %s",
			       vnpu_dtype_name(c->l->tensor[4].dtype));
	return err;
}

/* Distance in bytes along a dimension of [batch, head, row, key]. */
static int64_t distance(const struct vnpu_tensor *t, unsigned int dim)
{
	unsigned int from_end = 3 - dim;

	if (from_end >= t->rank || t->dims[t->rank - 1 - from_end] == 1)
		return 0;
	return t->strides[t->rank - 1 - from_end] * ops_size(t->dtype);
}

void ops_attention_plan(struct vnpu_op_job *job)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *q = &l->tensor[0], *k = &l->tensor[1];
	const struct vnpu_tensor *v = &l->tensor[2], *bias = ops_in(l, 3);
	const struct vnpu_tensor *out = ops_out(l, 0);
	struct attention *a = (struct attention *)job->plan;
	struct ops_product *p = &a->logits, *r = &a->result;
	size_t one, other;

	memset(a, 0, sizeof(*a));
	a->batches = q->dims[BATCH];
	a->heads = q->dims[HEAD];
	a->group = a->heads / k->dims[HEAD];
	a->rows = q->dims[ROW];
	a->keys = k->dims[ROW];
	a->block = a->keys ? LOGITS / (int64_t)sizeof(float) / a->keys : a->rows;
	a->block = a->block < 16 ? 16 : a->block > 256 ? 256 : a->block;
	if (a->block > a->rows)
		a->block = a->rows;

	p->class = r->class = OPS_F;
	p->m = r->m = a->block;
	p->n = r->k = a->keys;
	p->k = q->dims[FEATURE];
	r->n = v->dims[FEATURE];
	ops_factor_view(&p->left, q->dtype, OPS_F, distance(q, FEATURE),
			distance(q, ROW));
	ops_factor_view(&p->right, k->dtype, OPS_F, distance(k, FEATURE),
			distance(k, ROW));
	p->store = ops_vec->store[OPS_F][VNPU_DT_F32];
	p->out_size = sizeof(float);
	p->out_row = a->keys * sizeof(float);
	p->out_column = 1;
	p->alpha = JOB_FLOAT(job, 0);
	p->beta = 1;
	if (bias) {
		p->bias_load = ops_vec->load[bias->dtype][OPS_F];
		p->bias_size = ops_size(bias->dtype);
		p->bias_row = distance(bias, ROW);
		p->bias_column = distance(bias, FEATURE);
	}
	ops_factor_view(&r->left, VNPU_DT_F32, OPS_F, sizeof(float),
			a->keys * sizeof(float));
	ops_factor_view(&r->right, v->dtype, OPS_F, distance(v, ROW),
			distance(v, FEATURE));
	r->store = ops_vec->store[OPS_F][out->dtype];
	r->out_size = ops_size(out->dtype);
	r->out_row = distance(out, ROW);
	r->out_column = distance(out, FEATURE) / r->out_size;
	r->alpha = r->beta = 1;
	ops_product_init(p);
	ops_product_init(r);
	if (!vnpu_tensor_elements(out))
		return;
	one = ops_product_scratch(p);
	other = ops_product_scratch(r);
	job->scratch = (one > other ? one : other) +
		       (a->block * a->keys * sizeof(float) + 63) / 64 * 64 +
		       (a->keys * sizeof(int32_t) + 63) / 64 * 64;
	job->parts = ops_parts((double)a->batches * a->heads * a->rows *
			       a->keys * (p->k + r->n) / 4,
			       a->batches * a->heads *
			       ((a->rows + a->block - 1) / a->block));
}

/* Forbid keys by the mask, or those after the row in a causal one. */
static void apply_mask(const struct vnpu_op_job *job, float *row,
		       const uint8_t *mask, int64_t number, int32_t *flags)
{
	const struct attention *a = (const struct attention *)job->plan;
	const struct vnpu_tensor *t = ops_in(&job->launch, 4);
	int64_t i, first = number + a->keys - a->rows + 1;

	if (t) {
		ops_vec->load[t->dtype][OPS_I](flags, mask +
			number * distance(t, ROW),
			distance(t, FEATURE) / ops_size(t->dtype), a->keys);
		for (i = 0; i < a->keys; i++)
			if (flags[i])
				row[i] = -INFINITY;
	}
	if (JOB_INT(job, 1))
		for (i = first < 0 ? 0 : first; i < a->keys; i++)
			row[i] = -INFINITY;
}

static void make_weights(float *row, int64_t n)
{
	struct ops_line line = { .n = n, .at = { row, row } };
	int64_t i;

	for (i = 0; i < n && row[i] == -INFINITY; i++)
		;
	if (i == n)
		memset(row, 0, n * sizeof(*row));
	else
		ops_vec->line[OPS_LINE_SOFTMAX][OPS_F](&line);
}

static void run_block(const struct vnpu_op_job *job, int64_t batch,
		      int64_t head, int64_t from, uint8_t *scratch)
{
	const struct attention *a = (const struct attention *)job->plan;
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *bias = ops_in(l, 3), *mask = ops_in(l, 4);
	const struct vnpu_tensor *t[4] = { &l->tensor[0], &l->tensor[1],
					   &l->tensor[2], ops_out(l, 0) };
	size_t logits = (a->block * a->keys * sizeof(float) + 63) / 64 * 64;
	float *row = (float *)scratch;
	int32_t *flags = (int32_t *)(scratch + logits);
	uint8_t *rest = scratch + logits +
			(a->keys * sizeof(int32_t) + 63) / 64 * 64;
	struct ops_product p = a->logits, r = a->result;
	const uint8_t *of_mask = NULL;
	struct ops_matrices x = { 0 };
	uint8_t *at[4];
	int64_t i;

	for (i = 0; i < 4; i++)
		at[i] = ops_data(t[i]) + batch * distance(t[i], BATCH) +
			(i == 1 || i == 2 ? head / a->group : head) *
			distance(t[i], HEAD);
	if (mask)
		of_mask = ops_data(mask) + batch * distance(mask, BATCH) +
			  head * distance(mask, HEAD);
	p.m = r.m = a->rows - from < a->block ? a->rows - from : a->block;
	x.left = at[0] + from * distance(t[0], ROW);
	x.right = at[1];
	x.out = scratch;
	if (bias)
		x.bias = ops_data(bias) + batch * distance(bias, BATCH) +
			 head * distance(bias, HEAD) + from * distance(bias, ROW);
	ops_product_run(&p, &x, 0, ops_product_blocks(&p), rest);
	for (i = 0; i < p.m; i++) {
		apply_mask(job, row + i * a->keys, of_mask, from + i, flags);
		make_weights(row + i * a->keys, a->keys);
	}
	x = (struct ops_matrices){
		.left = scratch,
		.right = at[2],
		.out = at[3] + from * distance(t[3], ROW),
	};
	ops_product_run(&r, &x, 0, ops_product_blocks(&r), rest);
}

int ops_attention_run(const struct vnpu_op_job *job,
		      const struct vnpu_op_work *w)
{
	const struct attention *a = (const struct attention *)job->plan;
	int64_t blocks, at, end;

	if (!vnpu_tensor_elements(ops_out(&job->launch, 0)))
		return 0;
	blocks = (a->rows + a->block - 1) / a->block;
	ops_share(w, a->batches * a->heads * blocks, 1, &at, &end);
	for (; at < end; at++)
		run_block(job, at / blocks / a->heads, at / blocks % a->heads,
			  at % blocks * a->block, w->scratch);
	return 0;
}
