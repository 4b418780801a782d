// SPDX-License-Identifier: MIT
/*
 * Dropout: elements become 0 with a probability, and others are divided by that
 * of staying. Element i is dropped if its random word is below the probability;
 * see random.h. Masks of bits hold element i in bit i % 8 of byte i / 8, 1 if
 * it stays, as the dropout tasks of the driver do.
 */
#include <errno.h>

#include "families.h"
#include "random.h"
#include "vec/vec.h"
#include "walk.h"

#define TILE	256

static double chance_of(const struct ops_op *op, const struct vnpu_op_launch *l)
{
	return ops_float(op, l, l->op == VNPU_OP_DROPOUT_APPLY ? 0 : 2);
}

/* The mask is a list of bytes, with bits for all elements. */
static int infer_bits(struct ops_call *c, const struct vnpu_tensor *t,
		      unsigned int argument, int64_t least)
{
	if (t->dtype != VNPU_DT_U8)
		return ops_fail(c, argument, -EINVAL,
				"expected type u8, given %s",
				vnpu_dtype_name(t->dtype));
	if (t->rank != 1 || t->dims[0] < least)
		return ops_fail(c, argument, -EINVAL,
				"expected at least %lld bytes, given shape %s",
				(long long)least, OPS_TDIMS(t));
	return 0;
}

int ops_dropout_infer(struct ops_call *c)
{
	const struct vnpu_tensor *self = &c->l->tensor[0], *out;
	double p = chance_of(c->op, c->l);
	int err;

	if (!(p >= 0 && p <= 1))
		return ops_fail(c, -1, -EINVAL, "p: expected 0 to 1, given %g",
				p);
	if (c->l->op == VNPU_OP_DROPOUT_MASK) {
		out = ops_out(c->l, 0);
		if (!out)
			return ops_fail(c, 0, -EINVAL, "is missing");
		ops_like(&c->out[0], out);
		return infer_bits(c, out, 0, 0);
	}
	ops_like(&c->out[0], self);
	ops_like(&c->out[1], self);
	c->out[0].castable = true;
	c->out[1].dtype = VNPU_DT_BOOL;
	err = ops_need_float(c, 0);
	if (err || c->l->op != VNPU_OP_DROPOUT_APPLY)
		return err;
	return infer_bits(c, &c->l->tensor[1], 1,
			  (vnpu_tensor_elements(self) + 7) / 8);
}

void ops_dropout_plan(struct vnpu_op_job *job)
{
	int64_t count = vnpu_tensor_elements(ops_out(&job->launch, 0));

	job->scratch = TILE * (sizeof(double) + sizeof(int32_t));
	job->parts = ops_parts(count * 16.0, (count + TILE - 1) / TILE);
}

static void make_bits(const struct vnpu_op_job *job,
		      const struct vnpu_op_work *w)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);
	uint64_t key = JOB_INT(job, 0), offset = JOB_INT(job, 1);
	uint64_t threshold = ops_threshold(JOB_FLOAT(job, 2));
	int64_t at, end;
	uint32_t word[8];
	unsigned int i;

	ops_share(w, vnpu_tensor_elements(out), TILE, &at, &end);
	for (; at < end; at++) {
		uint8_t bits = 0;

		ops_philox(offset + 2 * at, key, word);
		ops_philox(offset + 2 * at + 1, key, word + 4);
		for (i = 0; i < 8; i++)
			bits |= (word[i] >= threshold) << i;
		*ops_element(out, at) = bits;
	}
}

/* Find which of @n elements from @at on stay: random ones, or those of a mask. */
static void choose(const struct vnpu_op_job *job, int64_t at, int64_t n,
		   int32_t *stays)
{
	const struct vnpu_tensor *mask = &job->launch.tensor[1];
	bool is_given = job->launch.op == VNPU_OP_DROPOUT_APPLY;
	uint64_t key = 0, offset = 0, threshold = 0;
	uint32_t word[4];
	int64_t i;

	if (!is_given) {
		key = JOB_INT(job, 0);
		offset = JOB_INT(job, 1);
		threshold = ops_threshold(JOB_FLOAT(job, 2));
	}
	for (i = at; i < at + n; i++) {
		if (is_given) {
			stays[i - at] = *ops_element(mask, i >> 3) >>
					(i & 7) & 1;
			continue;
		}
		if (i == at || !(i & 3))
			ops_philox(offset + (i >> 2), key, word);
		stays[i - at] = word[i & 3] >= threshold;
	}
}

int ops_dropout_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = &l->tensor[0], *out = ops_out(l, 0);
	const struct vnpu_tensor *mask = ops_out(l, 1);
	double *x = w->scratch, p = chance_of(job->op, l);
	double scale = p < 1 ? 1 / (1 - p) : 0;
	int32_t *stays = (int32_t *)(x + TILE);
	int64_t at, end, i, n;

	if (l->op == VNPU_OP_DROPOUT_MASK) {
		make_bits(job, w);
		return 0;
	}
	ops_share(w, vnpu_tensor_elements(out), TILE, &at, &end);
	for (; at < end; at += n) {
		n = ops_row_rest(out, at, end, TILE);
		ops_vec->load[self->dtype][OPS_D](x, ops_element(self, at),
						  ops_row_step(self), n);
		choose(job, at, n, stays);
		for (i = 0; i < n; i++)
			x[i] = stays[i] ? x[i] * scale : 0;
		ops_vec->store[OPS_D][out->dtype](ops_element(out, at),
						  ops_row_step(out), x, n);
		if (mask)
			ops_vec->store[OPS_I][VNPU_DT_BOOL](
				ops_element(mask, at), ops_row_step(mask),
				stays, n);
	}
	return 0;
}
