// SPDX-License-Identifier: MIT
/*
 * Chains of elementwise operators in one launch, in f32. A tile of elements goes
 * through all steps before the next one, so results between them stay in the
 * cache. The rows are those of the operators themselves, and so are the bits.
 */
#include <errno.h>
#include <string.h>

#include "families.h"
#include "map.h"

/* Parameters of the operator: the steps, then those of the steps. */
enum { STEPS, PARAMS };

static unsigned int param_count(const struct ops_op *op)
{
	unsigned int count = 0;

	while (op->params[count].name)
		count++;
	return count;
}

/* Get the operator of a step if it makes one result of f32 from rows of f32. */
static const struct ops_op *step_op(int64_t step)
{
	unsigned int number = step & 0xffff;
	const struct ops_op *op = ops_get(number);

	/* The limit of NAN_TO_NUM is that of the type of its output. */
	if (!op || number >= VNPU_OP_COPY || number == VNPU_OP_NAN_TO_NUM ||
	    op->max_outputs != 1 || !(op->classes & 1U << OPS_F) ||
	    (op->rule != OPS_SAME && op->rule != OPS_FLOAT))
		return NULL;
	return op;
}

/* Check the inputs of step @number. */
static int check_step(struct ops_call *c, unsigned int number, int64_t step)
{
	const struct ops_op *op = step_op(step);
	bool has_memory = false;
	unsigned int i, in;

	if (!op)
		return ops_fail(c, -1, -EINVAL,
				"step %u: operator %lld cannot be in a chain",
				number, (long long)(step & 0xffff));
	for (i = 0; i < OPS_ROW_INPUTS; i++) {
		bool is_needed = i < op->min_inputs;

		in = VNPU_OP_CHAIN_INPUT(step, i);
		if (is_needed != !!in)
			return ops_fail(c, -1, -EINVAL,
					"step %u: %s expects %u inputs", number,
					op->name, op->min_inputs);
		if (!in)
			continue;
		if (in & VNPU_OP_CHAIN_RESULT ?
		    (in & ~VNPU_OP_CHAIN_RESULT) >= number : in > c->l->inputs)
			return ops_fail(c, -1, -EINVAL,
					"step %u: its input %u does not exist",
					number, i);
		has_memory |= in & VNPU_OP_CHAIN_RESULT ||
			      !(c->l->tensor[in - 1].flags &
				VNPU_TENSOR_F_IMMEDIATE);
	}
	if (has_memory)
		return 0;
	return ops_fail(c, -1, -EINVAL,
			"step %u: all of its inputs are immediates", number);
}

int ops_chain_infer(struct ops_call *c)
{
	const union vnpu_op_word *steps = CALL_INTS(c, STEPS);
	unsigned int i, params = 0;
	int err;

	for (i = 0; i < c->l->inputs; i++) {
		if (!c->l->tensor[i].dtype)
			return ops_fail(c, i, -EINVAL, "is missing");
		if (c->l->tensor[i].dtype != VNPU_DT_F32 &&
		    !(c->l->tensor[i].flags & VNPU_TENSOR_F_IMMEDIATE))
			return ops_fail(c, i, -EINVAL,
					"expected type f32, given %s",
					vnpu_dtype_name(c->l->tensor[i].dtype));
	}
	if (!steps->i)
		return ops_fail(c, -1, -EINVAL, "there are no steps");
	for (i = 0; i < steps->i; i++) {
		err = check_step(c, i, steps[1 + i].i);
		if (err)
			return err;
		params += param_count(step_op(steps[1 + i].i));
	}
	if (params > VNPU_OP_CHAIN_PARAMS)
		return ops_fail(c, -1, -EINVAL,
				"the steps have %u parameters, at most %d are possible",
				params, VNPU_OP_CHAIN_PARAMS);
	c->out[0].dtype = VNPU_DT_F32;
	return ops_broadcast(c, ~0U, &c->out[0]);
}

void ops_chain_plan(struct vnpu_op_job *job)
{
	const union vnpu_op_word *steps = JOB_INTS(job, STEPS);
	struct map *m = (struct map *)job->plan;
	struct chain *chain = &m->chain;
	unsigned int i, k, in, params = 0;

	map_plan(job, OPS_F, NULL);
	chain->count = steps->i;
	for (i = 0; i < chain->count; i++) {
		int64_t step = steps[1 + i].i;
		const struct ops_op *op = step_op(step);

		chain->step[i].row = ops_vec->row[step & 0xffff][OPS_F];
		chain->step[i].inputs = op->min_inputs;
		chain->step[i].param = params;
		params += param_count(op);
		for (k = 0; k < op->min_inputs; k++) {
			in = VNPU_OP_CHAIN_INPUT(step, k);
			chain->step[i].in[k] =
				in & VNPU_OP_CHAIN_RESULT ? in : in - 1;
		}
	}
	for (i = 0; i < VNPU_OP_CHAIN_PARAMS; i++)
		chain->params[i] = JOB_FLOAT(job, PARAMS + i);
	job->scratch = (size_t)(m->it.count + chain->count) * MAP_TILE *
		       m->class_size;
	job->parts = ops_parts(m->it.total * 4.0 * chain->count,
			       (m->it.total + MAP_TILE - 1) / MAP_TILE);
}

void chain_run(const struct map *m, uint8_t *const *at, int64_t n,
	       uint8_t *scratch)
{
	const struct chain *chain = &m->chain;
	float *results = (float *)scratch + (size_t)m->it.count * MAP_TILE;
	struct ops_row row = { .n = n };
	unsigned int i, k, in;

	for (i = 0; i < chain->count; i++) {
		for (k = 0; k < chain->step[i].inputs; k++) {
			in = chain->step[i].in[k];
			if (in & VNPU_OP_CHAIN_RESULT)
				row.in[k] = results +
					(in & ~VNPU_OP_CHAIN_RESULT) * MAP_TILE;
			else
				row.in[k] = at[1 + in];
		}
		/* The output may be an input, so only the last step writes it. */
		row.out[0] = i + 1 < chain->count ? results + i * MAP_TILE :
						    (void *)at[0];
		memcpy(row.param, chain->params + chain->step[i].param,
		       sizeof(row.param));
		chain->step[i].row(&row);
	}
}

int ops_chain_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	return ops_map_run(job, w);
}
