// SPDX-License-Identifier: MIT
/*
 * Softmax and normalisations: operators that compute all elements of a line, the
 * elements along some dimensions, from all of it.
 *
 * Each operand has distances along the dimensions outside and inside of a line;
 * 0 repeats, so weights are operands like others. Lines are loaded into scratch
 * memory, unless they already are there in the type that is computed.
 */
#include <errno.h>
#include <string.h>

#include "families.h"
#include "vec/vec.h"

struct operand {
	uint8_t *base;
	int64_t size;
	int64_t outer[VNPU_TENSOR_DIMS];
	int64_t inner[VNPU_TENSOR_DIMS];
	ops_load_fn load;
	ops_store_fn store;
	bool in_place;
	/* One element for a line. */
	bool is_single;
};

struct lines {
	enum ops_class class;
	unsigned int outer_rank, inner_rank, inputs, operands;
	int64_t outer[VNPU_TENSOR_DIMS], inner[VNPU_TENSOR_DIMS];
	int64_t lines, n;
	ops_line_fn run;
	double eps;
};

/* The plan refers to operands by way of the launch, to fit into the job. */
_Static_assert(sizeof(struct lines) <=
	       sizeof(((struct vnpu_op_job *)0)->plan),
	       "the plan is too small");

static enum ops_line_kind kind_of(unsigned int op)
{
	switch (op) {
	case VNPU_OP_SOFTMAX:
		return OPS_LINE_SOFTMAX;
	case VNPU_OP_LOG_SOFTMAX:
		return OPS_LINE_LOG_SOFTMAX;
	case VNPU_OP_SOFTMAX_BACKWARD:
		return OPS_LINE_SOFTMAX_BACKWARD;
	case VNPU_OP_LOG_SOFTMAX_BACKWARD:
		return OPS_LINE_LOG_SOFTMAX_BACKWARD;
	case VNPU_OP_RMS_NORM:
		return OPS_LINE_RMS_NORM;
	case VNPU_OP_ADD_RMS_NORM:
		return OPS_LINE_ADD_RMS_NORM;
	case VNPU_OP_LAYER_NORM_BACKWARD:
	case VNPU_OP_GROUP_NORM_BACKWARD:
	case VNPU_OP_BATCH_NORM_BACKWARD:
		return OPS_LINE_NORM_BACKWARD;
	case VNPU_OP_RMS_NORM_BACKWARD:
		return OPS_LINE_RMS_NORM_BACKWARD;
	case VNPU_OP_CROSS_ENTROPY:
		return OPS_LINE_CROSS_ENTROPY;
	default:
		return OPS_LINE_NORM;
	}
}

static bool is_softmax(unsigned int op)
{
	return op == VNPU_OP_SOFTMAX || op == VNPU_OP_LOG_SOFTMAX ||
	       op == VNPU_OP_SOFTMAX_BACKWARD ||
	       op == VNPU_OP_LOG_SOFTMAX_BACKWARD;
}

/* How an operand relates to the lines. */
enum role {
	FULL,		/* an element for each of the first input */
	WEIGHT,		/* an element for each of a line, or of its channels */
	SINGLE,		/* an element for a line */
};

static enum role role_of(unsigned int op, unsigned int number)
{
	static const enum role norm[] = {
		FULL, WEIGHT, WEIGHT, FULL, SINGLE, SINGLE,
	};
	static const enum role rms[] = { FULL, WEIGHT, FULL, SINGLE };
	static const enum role add_rms[] = {
		FULL, FULL, WEIGHT, FULL, SINGLE, FULL,
	};
	static const enum role norm_back[] = {
		FULL, FULL, SINGLE, SINGLE, WEIGHT, FULL,
	};
	static const enum role rms_back[] = {
		FULL, FULL, SINGLE, WEIGHT, FULL,
	};
	static const enum role entropy[] = { FULL, FULL, SINGLE, FULL };

	switch (op) {
	case VNPU_OP_LAYER_NORM:
	case VNPU_OP_GROUP_NORM:
	case VNPU_OP_BATCH_NORM:
		return norm[number];
	case VNPU_OP_RMS_NORM:
		return rms[number];
	case VNPU_OP_ADD_RMS_NORM:
		return add_rms[number];
	case VNPU_OP_LAYER_NORM_BACKWARD:
	case VNPU_OP_GROUP_NORM_BACKWARD:
	case VNPU_OP_BATCH_NORM_BACKWARD:
		return norm_back[number];
	case VNPU_OP_RMS_NORM_BACKWARD:
		return rms_back[number];
	case VNPU_OP_CROSS_ENTROPY:
		return entropy[number];
	default:
		return FULL;
	}
}

/* Slots of the inputs come first, also of those that the launch lacks. */
static const struct vnpu_tensor *slot(const struct vnpu_op_launch *l,
				      const struct ops_op *op,
				      unsigned int number)
{
	return number < op->max_inputs ? ops_in(l, number) :
					 ops_out(l, number - op->max_inputs);
}

/* The number of dimensions at the end that make a line. */
static int line_rank(struct ops_call *c, unsigned int *rank)
{
	int64_t given = CALL_INT(c, 1);
	const struct vnpu_tensor *x = &c->l->tensor[0];

	if (given < 1 || given > x->rank)
		return ops_fail(c, -1, -EINVAL,
				"%s: expected 1 to %u dimensions, given %lld",
				c->op->params[1].name, x->rank,
				(long long)given);
	*rank = given;
	return 0;
}

static bool is_group(unsigned int op)
{
	return op == VNPU_OP_GROUP_NORM || op == VNPU_OP_GROUP_NORM_BACKWARD;
}

static bool is_batch(unsigned int op)
{
	return op == VNPU_OP_BATCH_NORM || op == VNPU_OP_BATCH_NORM_BACKWARD;
}

/* Check whether weights belong to channels, not to the elements of a line. */
static bool has_channels(unsigned int op)
{
	return is_group(op) || is_batch(op);
}

static int infer_weights(struct ops_call *c, unsigned int rank)
{
	const struct vnpu_tensor *x = &c->l->tensor[0];
	int64_t channels = x->rank > 1 ? x->dims[1] : 0;
	unsigned int i;
	int err;

	for (i = 0; i < c->l->inputs; i++) {
		const struct vnpu_tensor *t = ops_in(c->l, i);

		if (!t || role_of(c->l->op, i) != WEIGHT)
			continue;
		err = has_channels(c->l->op) ?
			      ops_need_shape(c, i, 1, &channels) :
			      ops_need_shape(c, i, rank,
					     x->dims + x->rank - rank);
		if (err)
			return err;
	}
	return 0;
}

/* Shapes of inputs and outputs by their roles; lines have @rank dimensions. */
static int infer_roles(struct ops_call *c, unsigned int rank)
{
	const struct vnpu_tensor *x = &c->l->tensor[0];
	struct ops_shape single = { .dtype = VNPU_DT_F32, .castable = true };
	unsigned int i;
	int err;

	if (is_group(c->l->op)) {
		single.rank = 2;
		single.dims[0] = x->dims[0];
		single.dims[1] = CALL_INT(c, 1);
	} else if (is_batch(c->l->op)) {
		single.rank = 1;
		single.dims[0] = x->dims[1];
	} else {
		/* As the input, with 1 for the dimensions of a line. */
		single.rank = x->rank;
		for (i = 0; i < x->rank; i++)
			single.dims[i] = i < x->rank - rank ? x->dims[i] : 1;
	}
	if (c->l->op == VNPU_OP_CROSS_ENTROPY)
		single.rank--;
	for (i = 0; i < c->l->inputs; i++) {
		if (!ops_in(c->l, i))
			continue;
		err = ops_need_float(c, i);
		if (!err && role_of(c->l->op, i) == FULL)
			err = ops_need_shape(c, i, x->rank, x->dims);
		if (!err && role_of(c->l->op, i) == SINGLE)
			err = ops_need_shape(c, i, single.rank, single.dims);
		if (err)
			return err;
	}
	for (i = 0; i < c->l->outputs; i++) {
		if (role_of(c->l->op, c->op->max_inputs + i) == SINGLE) {
			c->out[i] = single;
			continue;
		}
		ops_like(&c->out[i], x);
		c->out[i].castable = true;
	}
	return infer_weights(c, rank);
}

int ops_lines_infer(struct ops_call *c)
{
	const struct vnpu_tensor *x = &c->l->tensor[0];
	unsigned int rank = 1, dim;
	int64_t groups;
	int err;

	if (is_softmax(c->l->op)) {
		err = ops_need_dim(c, "dim", CALL_INT(c, 0), x->rank, &dim);
		return err ? err : infer_roles(c, 1);
	}
	if (c->l->op == VNPU_OP_CROSS_ENTROPY) {
		err = ops_need_rank(c, 0, 2, 2);
		return err ? err : infer_roles(c, 1);
	}
	if (is_batch(c->l->op)) {
		err = ops_need_rank(c, 0, 2, 8);
		return err ? err : infer_roles(c, x->rank - 1);
	}
	if (!is_group(c->l->op)) {
		err = line_rank(c, &rank);
		return err ? err : infer_roles(c, rank);
	}
	err = ops_need_rank(c, 0, 2, 7);
	if (err)
		return err;
	groups = CALL_INT(c, 1);
	if (groups < 1 || x->dims[1] % groups)
		return ops_fail(c, -1, -EINVAL,
				"groups: expected a divisor of %lld channels, given %lld",
				(long long)x->dims[1], (long long)groups);
	return infer_roles(c, x->rank - 1);
}

/* Check whether dimension @i of the first input is along a line. */
static bool is_inner(const struct vnpu_op_job *job, unsigned int i)
{
	const struct vnpu_tensor *x = &job->launch.tensor[0];
	int64_t dim;

	switch (job->launch.op) {
	case VNPU_OP_CROSS_ENTROPY:
		return i == 1;
	case VNPU_OP_GROUP_NORM:
	case VNPU_OP_GROUP_NORM_BACKWARD:
		return i >= 1;
	case VNPU_OP_BATCH_NORM:
	case VNPU_OP_BATCH_NORM_BACKWARD:
		return i != 1;
	default:
		if (!is_softmax(job->launch.op))
			return i >= x->rank - JOB_INT(job, 1);
		dim = JOB_INT(job, 0);
		return i == (dim < 0 ? dim + x->rank : dim);
	}
}

static void plan_dims(struct lines *s, const struct vnpu_op_job *job)
{
	const struct vnpu_tensor *x = &job->launch.tensor[0];
	unsigned int i;

	s->outer_rank = s->inner_rank = 0;
	s->lines = s->n = 1;
	for (i = 0; i < x->rank; i++) {
		int64_t dim = x->dims[i];

		if (is_group(job->launch.op) && i == 1) {
			s->outer[s->outer_rank++] = JOB_INT(job, 1);
			s->lines *= JOB_INT(job, 1);
			dim /= JOB_INT(job, 1);
		}
		if (is_inner(job, i)) {
			s->inner[s->inner_rank++] = dim;
			s->n *= dim;
		} else {
			s->outer[s->outer_rank++] = dim;
			s->lines *= dim;
		}
	}
	if (!s->inner_rank)
		s->inner[s->inner_rank++] = 1;
}

/* Find the distances of an operand; the memory of parts has no room for all. */
static void find_operand(const struct vnpu_op_job *job, unsigned int number,
			 struct operand *o)
{
	const struct lines *s = (const struct lines *)job->plan;
	const struct vnpu_tensor *x = &job->launch.tensor[0];
	const struct vnpu_tensor *t = slot(&job->launch, job->op, number);
	enum role role = role_of(job->launch.op, number);
	bool groups = is_group(job->launch.op);
	bool channels = has_channels(job->launch.op);
	unsigned int outer = 0, inner = 0, i;

	memset(o, 0, sizeof(*o));
	if (!t)
		return;
	o->base = ops_data(t);
	o->size = ops_size(t->dtype);
	o->load = ops_vec->load[t->dtype][s->class];
	o->store = ops_vec->store[s->class][t->dtype];
	o->is_single = role == SINGLE;
	for (i = 0; i < x->rank; i++) {
		int64_t stride = role == FULL ? t->strides[i] * o->size : 0;
		bool split = groups && i == 1;

		if (role == WEIGHT && channels && i == 1)
			stride = t->strides[0] * o->size;
		if (role == WEIGHT && !channels && is_inner(job, i))
			stride = t->strides[i + t->rank - x->rank] * o->size;
		if (role == SINGLE && !is_inner(job, i))
			stride = t->strides[t->rank == 1 ? 0 : i] * o->size;
		if (split)
			o->outer[outer++] = role == SINGLE ?
				t->strides[1] * o->size :
				stride * (x->dims[1] / JOB_INT(job, 1));
		if (is_inner(job, i))
			o->inner[inner++] = stride;
		else
			o->outer[outer++] = stride;
	}
	/* Merge the dimensions of a line if it has no gaps. */
	o->in_place = !o->is_single &&
		      t->dtype == (s->class == OPS_F ? VNPU_DT_F32 : VNPU_DT_F64);
	for (i = inner; i--;)
		if (o->inner[i] != (i + 1 == inner ? o->size :
				    o->inner[i + 1] * s->inner[i + 1]))
			o->in_place = false;
}

void ops_lines_plan(struct vnpu_op_job *job)
{
	struct lines *s = (struct lines *)job->plan;
	unsigned int i;

	s->class = OPS_F;
	for (i = 0; i < job->launch.inputs; i++)
		if (job->launch.tensor[i].dtype == VNPU_DT_F64)
			s->class = OPS_D;
	plan_dims(s, job);
	s->inputs = job->op->max_inputs;
	s->operands = s->inputs + job->op->max_outputs;
	s->run = ops_vec->line[kind_of(job->launch.op)][s->class];
	s->eps = is_softmax(job->launch.op) ||
		 job->launch.op == VNPU_OP_CROSS_ENTROPY ? 0 :
							   JOB_FLOAT(job, 0);
	job->scratch = s->lines ? s->operands * (s->n * 8 + 64) : 0;
	job->parts = ops_parts((double)s->lines * s->n * 8, s->lines);
}

/* Load or store a line, row by row. */
static void move_line(const struct lines *s, const struct operand *o,
		      uint8_t *at, uint8_t *buffer, bool loads)
{
	int64_t size = s->class == OPS_F ? 4 : 8, done, n;
	int64_t index[VNPU_TENSOR_DIMS] = { 0 };
	unsigned int last = s->inner_rank - 1, i;

	if (o->is_single) {
		if (loads)
			o->load(buffer, at, 1, 1);
		else
			o->store(at, 1, buffer, 1);
		return;
	}
	n = s->inner[last];
	for (done = 0; done < s->n; done += n) {
		if (loads)
			o->load(buffer, at, o->inner[last] / o->size, n);
		else
			o->store(at, o->inner[last] / o->size, buffer, n);
		buffer += n * size;
		for (i = last; i--;) {
			at += o->inner[i];
			if (++index[i] < s->inner[i])
				break;
			at -= index[i] * o->inner[i];
			index[i] = 0;
		}
	}
}

int ops_lines_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct lines *s = (const struct lines *)job->plan;
	struct operand operands[OPS_LINE_OPERANDS];
	struct ops_line line = { .n = s->n, .eps = s->eps };
	uint8_t *at[OPS_LINE_OPERANDS];
	int64_t number, end, rest;
	unsigned int i, k;

	if (!s->n)
		return 0;
	for (k = 0; k < s->operands; k++)
		find_operand(job, k, &operands[k]);
	ops_share(w, s->lines, 1, &number, &end);
	for (; number < end; number++) {
		for (k = 0; k < s->operands; k++) {
			struct operand *o = &operands[k];
			uint8_t *buffer = (uint8_t *)w->scratch +
					  k * (s->n * 8 + 64);

			if (!o->base) {
				/* Needed inside, also if the caller does not. */
				line.at[k] = k == 5 && job->launch.op ==
					     VNPU_OP_ADD_RMS_NORM ? buffer : NULL;
				continue;
			}
			at[k] = o->base;
			rest = number;
			for (i = s->outer_rank; i--;) {
				at[k] += rest % s->outer[i] * o->outer[i];
				rest /= s->outer[i];
			}
			line.at[k] = o->in_place ? at[k] : buffer;
			if (k < s->inputs && !o->in_place)
				move_line(s, o, at[k], buffer, true);
		}
		s->run(&line);
		for (k = s->inputs; k < s->operands; k++)
			if (operands[k].base && !operands[k].in_place)
				move_line(s, &operands[k], at[k], line.at[k],
					  false);
	}
	return 0;
}
