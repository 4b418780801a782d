// SPDX-License-Identifier: MIT
/*
 * The loss of connectionist temporal classification, and its gradient (A. Graves
 * et al., 2006), in f64. self is [time, sample, class], and has logarithms of
 * probabilities. The states of a sample are its labels with a blank before, behind
 * and between them; "alpha" has the logarithm of the probability of all paths to a
 * state at a time.
 *
 * A target has the labels of each sample in a row, or of all samples one after
 * the other.
 */
#include <errno.h>
#include <math.h>

#include "families.h"
#include "vec/vec.h"

enum { BLANK, ZERO_INFINITY, WIDTH };
enum { SELF, TARGET, LENGTHS, TARGET_LENGTHS, LOSS, ALPHA };

/**
 * struct sample - a sample
 * @number: its index
 * @times: number of its times
 * @states: number of its states: 2 * labels + 1
 * @labels: its labels, in the scratch memory; this and the next ones
 * @from: logarithms of states of the time before, or of the one behind
 * @to: those of this time
 * @kept: those of alpha
 * @row: logarithms of classes
 * @sums: of the states of each class
 */
struct sample {
	int64_t number, times, states;
	int64_t *labels;
	double *from, *to, *kept, *row, *sums;
};

static bool is_backward(const struct vnpu_op_launch *l)
{
	return l->op == VNPU_OP_CTC_LOSS_BACKWARD;
}

/* Inputs by number, with the gradient in front for the backward one. */
static const struct vnpu_tensor *input(const struct vnpu_op_launch *l,
				       unsigned int number)
{
	return &l->tensor[number + is_backward(l)];
}

static int64_t width_of(const struct ops_op *op, const struct vnpu_op_launch *l)
{
	return is_backward(l) ? input(l, ALPHA)->dims[2] :
				ops_int(op, l, WIDTH);
}

static int infer_lengths(struct ops_call *c, unsigned int first)
{
	const struct vnpu_tensor *self = input(c->l, SELF);
	const struct vnpu_tensor *target = input(c->l, TARGET);
	int err;

	err = ops_need_rank(c, first + TARGET, 1, 2);
	if (!err && target->rank == 2 && target->dims[0] != self->dims[1])
		err = ops_fail(c, first + TARGET, -EINVAL,
			       "expected %lld rows, given shape %s",
			       (long long)self->dims[1], OPS_TDIMS(target));
	for (unsigned int i = TARGET; i <= TARGET_LENGTHS && !err; i++) {
		err = ops_need_index(c, first + i);
		if (!err && i != TARGET)
			err = ops_need_shape(c, first + i, 1, self->dims + 1);
	}
	return err;
}

static int infer_backward(struct ops_call *c)
{
	const struct vnpu_tensor *self = input(c->l, SELF);
	int64_t shape[] = { self->dims[1], self->dims[0], 0 };
	int err;

	err = ops_need_shape(c, 0, 1, shape);
	if (!err)
		err = ops_need_float(c, 0);
	if (!err)
		err = ops_need_shape(c, 1 + LOSS, 1, shape);
	if (!err)
		err = ops_need_float(c, 1 + LOSS);
	if (!err)
		err = ops_need_rank(c, 1 + ALPHA, 3, 3);
	if (!err)
		err = ops_need_float(c, 1 + ALPHA);
	shape[2] = input(c->l, ALPHA)->dims[2];
	if (!err)
		err = ops_need_shape(c, 1 + ALPHA, 3, shape);
	ops_like(&c->out[0], self);
	c->out[0].castable = true;
	return err;
}

int ops_ctc_infer(struct ops_call *c)
{
	unsigned int first = is_backward(c->l);
	const struct vnpu_tensor *self = input(c->l, SELF);
	int64_t blank = CALL_INT(c, BLANK), width;
	int err;

	err = ops_need_rank(c, first + SELF, 3, 3);
	if (!err)
		err = ops_need_float(c, first + SELF);
	if (!err)
		err = infer_lengths(c, first);
	if (!err && first)
		err = infer_backward(c);
	if (err)
		return err;
	if (blank < 0 || blank >= self->dims[2])
		return ops_fail(c, -1, -EINVAL,
				"blank: expected a class of %lld, given %lld",
				(long long)self->dims[2], (long long)blank);
	width = width_of(c->op, c->l);
	if (width < 1 || width > VNPU_TENSOR_MAX)
		return ops_fail(c, first ? 1 + ALPHA : -1, -EINVAL,
				"width: expected at least 1, given %lld",
				(long long)width);
	if (first)
		return 0;
	c->out[0] = (struct ops_shape){
		.dtype = self->dtype, .castable = true, .rank = 1,
		.dims = { self->dims[1] },
	};
	c->out[1] = (struct ops_shape){
		.dtype = self->dtype, .castable = true, .rank = 3,
		.dims = { self->dims[1], self->dims[0], width },
	};
	return 0;
}

void ops_ctc_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *self = input(&job->launch, SELF);
	double width = width_of(job->op, &job->launch);

	if (!vnpu_tensor_elements(ops_out(&job->launch, 0)))
		return;
	job->scratch = (4 * (size_t)width + 2 * (size_t)self->dims[2]) *
		       sizeof(double);
	job->parts = ops_parts((width * 32 + self->dims[2]) * self->dims[0] *
			       self->dims[1], self->dims[1]);
}

static int64_t load_index(const struct vnpu_tensor *t, int64_t row, int64_t at)
{
	int64_t value, number = at * t->strides[t->rank - 1];

	if (t->rank > 1)
		number += row * t->strides[0];
	ops_vec->load[t->dtype][OPS_L](&value, ops_data(t) + number *
				       ops_size(t->dtype), 1, 1);
	return value;
}

static uint8_t *line(const struct vnpu_tensor *t, int64_t first, int64_t second)
{
	return ops_data(t) + (first * t->strides[0] + second * t->strides[1]) *
			     ops_size(t->dtype);
}

static void load_line(double *to, const struct vnpu_tensor *t, int64_t first,
		      int64_t second, int64_t count)
{
	ops_vec->load[t->dtype][OPS_D](to, line(t, first, second),
				       t->strides[2], count);
}

static void store_line(const struct vnpu_tensor *t, int64_t first,
		       int64_t second, const double *from, int64_t count)
{
	ops_vec->store[OPS_D][t->dtype](line(t, first, second), t->strides[2],
					from, count);
}

static double load_number(const struct vnpu_tensor *t, int64_t at)
{
	double value;

	ops_vec->load[t->dtype][OPS_D](&value, ops_data(t) + at *
				       t->strides[0] * ops_size(t->dtype), 1, 1);
	return value;
}

/*
 * Read a sample and its labels, which begin at *@at of a target that has those of
 * all samples; false if a number is out of range.  Memory of the client may change
 * at any time, so each number is read once.
 */
static bool read_sample(const struct vnpu_op_job *job, struct sample *s,
			int64_t *at)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = input(l, SELF);
	const struct vnpu_tensor *target = input(l, TARGET);
	int64_t length = load_index(input(l, TARGET_LENGTHS), 0, s->number);
	int64_t start = target->rank == 1 ? *at : 0;

	s->times = load_index(input(l, LENGTHS), 0, s->number);
	if (length < 0 || length > target->dims[target->rank - 1] - start ||
	    length > (width_of(job->op, l) - 1) / 2)
		return false;
	*at += length;
	s->states = 2 * length + 1;
	if (s->times < 0 || s->times > self->dims[0])
		return false;
	for (int64_t i = 0; i < length; i++) {
		s->labels[i] = load_index(target, s->number, start + i);
		if (s->labels[i] < 0 || s->labels[i] >= self->dims[2])
			return false;
	}
	return true;
}

static int64_t class_of(const struct vnpu_op_job *job, const struct sample *s,
			int64_t state)
{
	return state & 1 ? s->labels[state / 2] : JOB_INT(job, BLANK);
}

static double log_add(double a, double b)
{
	double most = a > b ? a : b, least = a > b ? b : a;

	if (a != a || b != b)
		return a + b;
	return most == -INFINITY ? most : most + log1p(exp(least - most));
}

/*
 * Add the ways from a state, from the next one in direction @step, and from the
 * one behind that, unless it has the same class.
 */
static double add_ways(const struct vnpu_op_job *job, const struct sample *s,
		       int64_t state, int64_t step)
{
	int64_t next = state + step, other = next + step;
	double sum = s->from[state];

	if (next >= 0 && next < s->states)
		sum = log_add(sum, s->from[next]);
	if (other >= 0 && other < s->states &&
	    class_of(job, s, other) != class_of(job, s, state))
		sum = log_add(sum, s->from[other]);
	return sum;
}

/* Compute the states of a time from the ones before, or from those behind. */
static void step(const struct vnpu_op_job *job, struct sample *s, int64_t time,
		 bool is_first, int64_t direction)
{
	const struct vnpu_tensor *self = input(&job->launch, SELF);
	int64_t edge = direction < 0 ? 0 : s->states - 1;
	double *swap = s->from;

	load_line(s->row, self, time, s->number, self->dims[2]);
	s->from = s->to;
	s->to = swap;
	for (int64_t i = 0; i < s->states; i++) {
		bool is_start = i == edge || i == edge - direction;
		double ways = is_first ? (is_start ? 0 : -INFINITY) :
					 add_ways(job, s, i, direction);

		s->to[i] = ways + s->row[class_of(job, s, i)];
	}
}

/* The logarithm of the probability of all paths, from the states at the end. */
static double total(const struct sample *s, const double *states)
{
	if (!s->times)
		return s->states == 1 ? 0 : -INFINITY;
	return s->states == 1 ? states[0] :
		log_add(states[s->states - 1], states[s->states - 2]);
}

static void forward(const struct vnpu_op_job *job, struct sample *s)
{
	const struct vnpu_tensor *alpha = ops_out(&job->launch, 1);
	const struct vnpu_tensor *loss = ops_out(&job->launch, 0);
	int64_t width = alpha->dims[2], i;
	double result;

	for (i = 0; i < width; i++)
		s->from[i] = s->to[i] = s->kept[i] = -INFINITY;
	for (i = 0; i < s->times; i++) {
		step(job, s, i, !i, -1);
		store_line(alpha, s->number, i, s->to, width);
	}
	for (; i < alpha->dims[1]; i++)
		store_line(alpha, s->number, i, s->kept, width);
	result = -total(s, s->to);
	if (result == INFINITY && JOB_INT(job, ZERO_INFINITY))
		result = 0;
	ops_vec->store[OPS_D][loss->dtype](ops_data(loss) + s->number *
					   loss->strides[0] *
					   ops_size(loss->dtype), 1, &result, 1);
}

/* The gradient of the classes at a time. */
static void differentiate(const struct vnpu_op_job *job, struct sample *s,
			  double loss, double grad)
{
	int64_t classes = input(&job->launch, SELF)->dims[2], i;

	for (i = 0; i < classes; i++)
		s->sums[i] = -INFINITY;
	for (i = 0; i < s->states; i++) {
		double *sum = &s->sums[class_of(job, s, i)];

		*sum = log_add(*sum, s->kept[i] + s->to[i]);
	}
	for (i = 0; i < classes; i++)
		s->sums[i] = (exp(s->row[i]) -
			      exp(s->sums[i] + loss - s->row[i])) * grad;
}

static void backward(const struct vnpu_op_job *job, struct sample *s)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *alpha = input(l, ALPHA), *out = ops_out(l, 0);
	double loss = load_number(input(l, LOSS), s->number);
	double grad = load_number(&l->tensor[0], s->number);
	int64_t classes = out->dims[2], end = s->times, i;

	if (end)
		load_line(s->kept, alpha, s->number, end - 1, s->states);
	/* The loss may be 0 instead of infinity, unlike alpha. */
	if (total(s, s->kept) == -INFINITY) {
		loss = INFINITY;
		if (JOB_INT(job, ZERO_INFINITY))
			end = 0;
	}
	for (i = out->dims[0] - 1; i >= 0; i--) {
		if (i < end) {
			load_line(s->kept, alpha, s->number, i, s->states);
			step(job, s, i, i == end - 1, 1);
			differentiate(job, s, loss, grad);
		} else {
			for (int64_t k = 0; k < classes; k++)
				s->sums[k] = 0;
		}
		store_line(out, i, s->number, s->sums, classes);
	}
}

int ops_ctc_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	int64_t width = width_of(job->op, l), at = 0, first, end;
	struct sample s = { .from = w->scratch };
	int ret = 0;

	if (!vnpu_tensor_elements(ops_out(l, 0)))
		return 0;
	s.to = s.from + width;
	s.kept = s.to + width;
	s.labels = (int64_t *)(s.kept + width);
	s.row = s.kept + 2 * width;
	s.sums = s.row + input(l, SELF)->dims[2];
	ops_share(w, input(l, SELF)->dims[1], 1, &first, &end);
	for (s.number = 0; s.number < end; s.number++) {
		/* Samples of other parts say where the labels begin. */
		if (!read_sample(job, &s, &at)) {
			ret = -ERANGE;
			if (input(l, TARGET)->rank == 1)
				break;
			continue;
		}
		if (s.number < first)
			continue;
		if (is_backward(l))
			backward(job, &s);
		else
			forward(job, &s);
	}
	return ret;
}
