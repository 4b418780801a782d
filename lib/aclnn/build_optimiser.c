// SPDX-License-Identifier: MIT
/*
 * Steps of optimisers.  Their rates may be tensors, so they are chains of
 * elementwise steps, in f32 for f16 and bf16.
 */
#include "build.h"
#include "builders.h"

/* The tensors and rates of AdamW, all of which broadcast. */
struct adam {
	struct aclnn_view var, m, v, max, grad;
	struct aclnn_view rate, decay, beta1, beta2, eps, power1, power2;
};

/* 1 - x */
static struct aclnn_view rest_of(struct aclnn_build *b,
				 const struct aclnn_view *x)
{
	struct aclnn_view one = aclnn_number(1);

	return aclnn_result2(b, VNPU_OP_SUB, &one, x);
}

/* beta * moment + (1 - beta) * x, which replaces the moment. */
static struct aclnn_view moment_step(struct aclnn_build *b,
				     const struct aclnn_view *moment,
				     const struct aclnn_view *beta,
				     const struct aclnn_view *x)
{
	struct aclnn_view weight = rest_of(b, beta), old, sum;

	sum = aclnn_result2(b, VNPU_OP_MUL, x, &weight);
	old = aclnn_result2(b, VNPU_OP_MUL, moment, beta);
	sum = aclnn_result2(b, VNPU_OP_ADD, &old, &sum);
	aclnn_step1(b, VNPU_OP_COPY, &sum, moment);
	return sum;
}

static int adam_step(struct aclnn_build *b, struct adam *a)
{
	struct aclnn_view m, v, square, scale, step, var;

	m = moment_step(b, &a->m, &a->beta1, &a->grad);
	square = aclnn_result1(b, VNPU_OP_SQUARE, &a->grad);
	v = moment_step(b, &a->v, &a->beta2, &square);
	if (aclnn_has(&a->max)) {
		v = aclnn_result2(b, VNPU_OP_MAXIMUM, &v, &a->max);
		aclnn_step1(b, VNPU_OP_COPY, &v, &a->max);
	}
	scale = rest_of(b, &a->power2);
	v = aclnn_result2(b, VNPU_OP_DIV, &v, &scale);
	v = aclnn_result1(b, VNPU_OP_SQRT, &v);
	v = aclnn_result2(b, VNPU_OP_ADD, &v, &a->eps);
	scale = rest_of(b, &a->power1);
	m = aclnn_result2(b, VNPU_OP_DIV, &m, &scale);
	step = aclnn_result2(b, VNPU_OP_DIV, &m, &v);
	step = aclnn_result2(b, VNPU_OP_MUL, &step, &a->rate);
	scale = aclnn_result2(b, VNPU_OP_MUL, &a->rate, &a->decay);
	scale = rest_of(b, &scale);
	var = aclnn_result2(b, VNPU_OP_MUL, &a->var, &scale);
	return aclnn_step2(b, VNPU_OP_SUB, &var, &step, &a->var);
}

/* Reverse the gradient to maximise. */
static void maximise(struct aclnn_build *b, struct adam *a)
{
	a->grad = aclnn_result1(b, VNPU_OP_NEG, &a->grad);
}

/* Get the largest second moments so far, if they are in use. */
static bool get_max(struct aclnn_build *b, unsigned int arg,
		    unsigned int amsgrad, struct aclnn_view *max)
{
	if (!aclnn_int(b, amsgrad))
		return true;
	*max = aclnn_view(b, arg);
	if (aclnn_has(max))
		return true;
	aclnn_fail(b, arg, "is NULL, but amsgrad is true");
	return false;
}

int build_adam_w(struct aclnn_build *b)
{
	enum { VAR, M, V, POWER1, POWER2, RATE, DECAY, BETA1, BETA2, EPS, GRAD,
	       MAX, AMSGRAD, MAXIMIZE };
	struct adam a = {
		.var = aclnn_view(b, VAR), .m = aclnn_view(b, M),
		.v = aclnn_view(b, V), .grad = aclnn_view(b, GRAD),
		.rate = aclnn_view(b, RATE), .decay = aclnn_view(b, DECAY),
		.beta1 = aclnn_view(b, BETA1), .beta2 = aclnn_view(b, BETA2),
		.eps = aclnn_view(b, EPS),
	};

	if (!get_max(b, MAX, AMSGRAD, &a.max))
		return b->status;
	if (aclnn_int(b, MAXIMIZE))
		maximise(b, &a);
	/* The powers so far: those of this step have one factor more. */
	a.power1 = aclnn_view(b, POWER1);
	a.power2 = aclnn_view(b, POWER2);
	a.power1 = aclnn_result2(b, VNPU_OP_MUL, &a.power1, &a.beta1);
	a.power2 = aclnn_result2(b, VNPU_OP_MUL, &a.power2, &a.beta2);
	return adam_step(b, &a);
}

int build_adam_w_v2(struct aclnn_build *b)
{
	enum { VAR, M, V, MAX, GRAD, STEP, RATE, BETA1, BETA2, DECAY, EPS,
	       AMSGRAD, MAXIMIZE };
	struct adam a = {
		.var = aclnn_view(b, VAR), .m = aclnn_view(b, M),
		.v = aclnn_view(b, V), .grad = aclnn_view(b, GRAD),
		.rate = aclnn_number(aclnn_float(b, RATE)),
		.decay = aclnn_number(aclnn_float(b, DECAY)),
		.beta1 = aclnn_number(aclnn_float(b, BETA1)),
		.beta2 = aclnn_number(aclnn_float(b, BETA2)),
		.eps = aclnn_number(aclnn_float(b, EPS)),
	};
	struct aclnn_view step = aclnn_view(b, STEP), copy;

	if (!get_max(b, MAX, AMSGRAD, &a.max))
		return b->status;
	if (aclnn_int(b, MAXIMIZE))
		maximise(b, &a);
	/* Powers of integers would be integers. */
	copy = aclnn_temporary(b, VNPU_DT_F32, step.t.rank, step.t.dims);
	if (aclnn_step1(b, VNPU_OP_COPY, &step, &copy))
		return b->status;
	a.power1 = aclnn_result2(b, VNPU_OP_POW, &a.beta1, &copy);
	a.power2 = aclnn_result2(b, VNPU_OP_POW, &a.beta2, &copy);
	return adam_step(b, &a);
}

/**
 * struct sgd - a step of gradient descent
 * @param: the parameter
 * @grad: its gradient
 * @moment: the mean of gradients, or no view
 * @scale: the gradient is divided by it, if there is one
 * @rate: the learning rate
 * @decay: of weights
 * @momentum: how much of @moment stays
 * @share: of the gradient in the moment: 1 - dampening
 * @sign: -1 to maximise, else 1
 * @nesterov: the step looks ahead
 * @is_first: there is no moment yet
 */
struct sgd {
	struct aclnn_view param, grad, moment, scale;
	double rate, decay, momentum, share, sign;
	bool nesterov, is_first;
};

/* Compute first + alpha * second as a temporary. */
static struct aclnn_view add_part(struct aclnn_build *b,
				  const struct aclnn_view *first,
				  const struct aclnn_view *second, double alpha)
{
	aclnn_begin(b, VNPU_OP_ADD, 2, 1);
	aclnn_set_float(b, "alpha", alpha);
	aclnn_put(b, 0, first);
	aclnn_put(b, 1, second);
	return aclnn_result(b);
}

/* The moment of this step, which replaces the one before. */
static struct aclnn_view sgd_moment(struct aclnn_build *b, const struct sgd *s,
				    const struct aclnn_view *grad)
{
	struct aclnn_view factor = aclnn_number(s->is_first ? s->sign :
							      s->momentum);
	struct aclnn_view made;

	made = aclnn_result2(b, VNPU_OP_MUL, s->is_first ? grad : &s->moment,
			     &factor);
	if (!s->is_first)
		made = add_part(b, &made, grad, s->share * s->sign);
	if (!b->status)
		aclnn_step1(b, VNPU_OP_COPY, &made, &s->moment);
	return made;
}

static int sgd_step(struct aclnn_build *b, const struct sgd *s)
{
	struct aclnn_view grad = s->grad, param = s->param, moment;

	if (aclnn_has(&s->scale)) {
		grad = aclnn_result2(b, VNPU_OP_DIV, &grad, &s->scale);
		if (b->status || aclnn_step1(b, VNPU_OP_COPY, &grad, &s->grad))
			return b->status;
	}
	/* The sign is applied last, also to this. */
	if (s->decay != 0)
		grad = add_part(b, &grad, &s->param, s->sign * s->decay);
	if (aclnn_has(&s->moment)) {
		moment = sgd_moment(b, s, &grad);
		param = add_part(b, &param, &moment, s->nesterov ?
				 -s->rate * s->momentum : -s->rate);
	}
	if (!aclnn_has(&s->moment) || s->nesterov)
		param = add_part(b, &param, &grad, -s->rate * s->sign);
	return b->status ? b->status :
			   aclnn_step1(b, VNPU_OP_COPY, &param, &s->param);
}

int build_fused_sgd(struct aclnn_build *b)
{
	enum { PARAMS, GRADS, MOMENTS, SCALE, DECAY, MOMENTUM, RATE, DAMPENING,
	       NESTEROV, MAXIMISE, FIRST };
	const struct aclnn_array *params = aclnn_array(b, PARAMS);
	const struct aclnn_array *moments = aclnn_array(b, MOMENTS);
	struct sgd s = {
		.moment = { .arg = ACLNN_NO_ARG },
		.scale = aclnn_view(b, SCALE),
		.rate = aclnn_float(b, RATE),
		.decay = aclnn_float(b, DECAY),
		.momentum = aclnn_float(b, MOMENTUM),
		.share = 1 - aclnn_float(b, DAMPENING),
		.sign = aclnn_int(b, MAXIMISE) ? -1 : 1,
		.nesterov = aclnn_int(b, NESTEROV),
		.is_first = aclnn_int(b, FIRST),
	};
	bool has_moments = moments && moments->size;

	if (aclnn_array(b, GRADS)->size != params->size ||
	    (has_moments && moments->size != params->size))
		return aclnn_fail(b, aclnn_array(b, GRADS)->size !=
				     params->size ? GRADS : MOMENTS,
				  "expected %llu tensors, as many as parameters",
				  (unsigned long long)params->size);
	if (aclnn_has(&s.scale) && vnpu_tensor_elements(&s.scale.t) != 1)
		return aclnn_fail(b, SCALE, "expected 1 element, given %lld",
				  (long long)vnpu_tensor_elements(&s.scale.t));
	s.scale.t.rank = 0;
	if (s.nesterov && !has_moments)
		return aclnn_fail(b, MOMENTS, "is missing, but nesterov is true");
	for (uint64_t i = 0; i < params->size && !b->status; i++) {
		s.param = aclnn_member(b, PARAMS, i);
		s.grad = aclnn_member(b, GRADS, i);
		if (has_moments)
			s.moment = aclnn_member(b, MOMENTS, i);
		if (!b->status)
			sgd_step(b, &s);
	}
	return b->status;
}
