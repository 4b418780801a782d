// SPDX-License-Identifier: MIT
/*
 * The negative log likelihood of classes, and its gradient. Classes are
 * dimension 1 of self; an element of the target that is "ignore" counts nothing.
 */
#include <errno.h>

#include "families.h"
#include "vec/vec.h"
#include "walk.h"

enum { NONE, MEAN, SUM };
enum { REDUCTION, IGNORE };

/* Inputs by number, with the gradient in front for the backward one. */
static const struct vnpu_tensor *input(const struct vnpu_op_launch *l,
				       unsigned int number)
{
	return ops_in(l, number + (l->op == VNPU_OP_NLL_LOSS_BACKWARD));
}

static int infer_backward(struct ops_call *c, const struct ops_shape *loss)
{
	int err;

	ops_like(&c->out[0], input(c->l, 0));
	c->out[0].castable = true;
	err = ops_need_float(c, 0);
	if (!err)
		err = ops_need_shape(c, 0, loss->rank, loss->dims);
	if (err || CALL_INT(c, REDUCTION) != MEAN)
		return err;
	if (!ops_in(c->l, 4))
		return ops_fail(c, 4, -EINVAL, "is missing");
	err = ops_need_float(c, 4);
	return err ? err : ops_need_rank(c, 4, 0, 0);
}

int ops_nll_infer(struct ops_call *c)
{
	unsigned int first = c->l->op == VNPU_OP_NLL_LOSS_BACKWARD, i;
	const struct vnpu_tensor *self = &c->l->tensor[first];
	struct ops_shape shape = { .dtype = self->dtype };
	int64_t reduction = CALL_INT(c, REDUCTION);
	int err;

	err = ops_need_rank(c, first, 2, 8);
	if (!err)
		err = ops_need_float(c, first);
	if (!err)
		err = ops_need_index(c, first + 1);
	if (err)
		return err;
	for (i = 0; i < self->rank; i++)
		if (i != 1)
			shape.dims[shape.rank++] = self->dims[i];
	err = ops_need_shape(c, first + 1, shape.rank, shape.dims);
	if (!err && input(c->l, 2)) {
		err = ops_need_float(c, first + 2);
		if (!err)
			err = ops_need_shape(c, first + 2, 1, self->dims + 1);
	}
	if (err)
		return err;
	if (reduction < NONE || reduction > SUM)
		return ops_fail(c, -1, -EINVAL,
				"reduction: expected 0 to 2, given %lld",
				(long long)reduction);
	if (reduction != NONE)
		shape.rank = 0;
	if (first)
		return infer_backward(c, &shape);
	c->out[0] = shape;
	c->out[0].castable = true;
	c->out[1] = c->out[0];
	c->out[1].rank = 0;
	return 0;
}

void ops_nll_plan(struct vnpu_op_job *job)
{
	const struct vnpu_tensor *out = ops_out(&job->launch, 0);

	if (job->launch.op == VNPU_OP_NLL_LOSS_BACKWARD)
		job->parts = ops_parts(vnpu_tensor_elements(out) * 4.0,
				       out->dims[0]);
}

static double load_number(const struct vnpu_tensor *t, int64_t number)
{
	double x;

	ops_vec->load[t->dtype][OPS_D](&x, ops_element(t, number), 1, 1);
	return x;
}

static void store_number(const struct vnpu_tensor *t, int64_t number, double x)
{
	if (t)
		ops_vec->store[OPS_D][t->dtype](ops_element(t, number), 1, &x,
						1);
}

/*
 * Find the class of element @at of the target, and its weight.
 * Return: 1; 0 if the element is ignored; -ERANGE if there is no such class.
 */
static int find_class(const struct vnpu_op_job *job, int64_t at,
		      int64_t *class, double *weight)
{
	const struct vnpu_tensor *self = input(&job->launch, 0);
	const struct vnpu_tensor *target = input(&job->launch, 1);
	const struct vnpu_tensor *weights = input(&job->launch, 2);

	ops_vec->load[target->dtype][OPS_L](class, ops_element(target, at), 1,
					    1);
	if (*class == JOB_INT(job, IGNORE))
		return 0;
	if (*class < 0 || *class >= self->dims[1])
		return -ERANGE;
	*weight = weights ? load_number(weights, *class) : 1;
	return 1;
}

/* Elements of self that are behind the classes, for one of them. */
static int64_t count_places(const struct vnpu_tensor *self)
{
	int64_t count = 1;
	unsigned int i;

	for (i = 2; i < self->rank; i++)
		count *= self->dims[i];
	return count;
}

static int run_forward(const struct vnpu_op_job *job)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *self = input(l, 0), *out = ops_out(l, 0);
	int64_t places = count_places(self), reduction = JOB_INT(job, REDUCTION);
	int64_t count = self->dims[0] * places, i, class;
	double sum = 0, total = 0, weight, loss;
	int err = 0, found;

	for (i = 0; i < count; i++) {
		found = find_class(job, i, &class, &weight);
		err = found < 0 ? found : err;
		loss = found <= 0 ? 0 : -weight * load_number(self,
			(i / places * self->dims[1] + class) * places +
			i % places);
		sum += loss;
		total += found > 0 ? weight : 0;
		if (reduction == NONE)
			store_number(out, i, loss);
	}
	if (reduction != NONE)
		store_number(out, 0, reduction == MEAN ? sum / total : sum);
	store_number(ops_out(l, 1), 0, total);
	return err;
}

static int run_backward(const struct vnpu_op_job *job,
			const struct vnpu_op_work *w)
{
	const struct vnpu_op_launch *l = &job->launch;
	const struct vnpu_tensor *grad = &l->tensor[0], *out = ops_out(l, 0);
	int64_t places = count_places(out), batch, end, i, n, at, class;
	int64_t each = out->dims[1] * places, reduction = JOB_INT(job, REDUCTION);
	double weight, scale = 1;
	const double zero = 0;
	int err = 0, found;

	if (!vnpu_tensor_elements(out))
		return 0;
	if (reduction == MEAN)
		scale = 1 / load_number(ops_in(l, 4), 0);
	if (reduction != NONE)
		scale *= load_number(grad, 0);
	ops_share(w, out->dims[0], 1, &batch, &end);
	for (; batch < end; batch++) {
		for (i = 0; i < each; i += n) {
			n = ops_row_rest(out, batch * each + i,
					 (batch + 1) * each, each);
			for (at = 0; at < n; at++)
				ops_vec->store[OPS_D][out->dtype](
					ops_element(out, batch * each + i) +
					at * ops_row_step(out) *
					ops_size(out->dtype), 1, &zero, 1);
		}
		for (i = 0; i < places; i++) {
			at = batch * places + i;
			found = find_class(job, at, &class, &weight);
			err = found < 0 ? found : err;
			if (found <= 0)
				continue;
			weight *= reduction == NONE ? load_number(grad, at) :
						      scale;
			store_number(out, batch * each + class * places + i,
				     -weight);
		}
	}
	return err;
}

int ops_nll_run(const struct vnpu_op_job *job, const struct vnpu_op_work *w)
{
	if (job->launch.op == VNPU_OP_NLL_LOSS_BACKWARD)
		return run_backward(job, w);
	return w->part ? 0 : run_forward(job);
}
