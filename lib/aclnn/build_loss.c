// SPDX-License-Identifier: MIT
/* Losses and their gradients. */
#include "build.h"
#include "builders.h"

enum { NONE, MEAN, SUM };

/* Reduce the losses of elements to the output. */
static int reduce(struct aclnn_build *b, const struct aclnn_view *losses,
		  unsigned int reduction, unsigned int out_arg)
{
	static const unsigned int engine[] = {
		[NONE] = VNPU_OP_COPY, [MEAN] = VNPU_OP_MEAN,
		[SUM] = VNPU_OP_SUM,
	};
	struct aclnn_view out = aclnn_view(b, out_arg);
	int64_t mode = aclnn_int(b, reduction);

	if (mode < NONE || mode > SUM)
		return aclnn_fail(b, reduction, "expected 0 to 2, given %lld",
				  (long long)mode);
	/* A copy would cut fractions off. */
	if (vnpu_dtype_is_float(losses->t.dtype) &&
	    !vnpu_dtype_is_float(out.t.dtype))
		return aclnn_fail(b, out_arg,
				  "expected a floating-point type, given %s",
				  vnpu_dtype_name(out.t.dtype));
	return aclnn_step1(b, engine[mode], losses, &out);
}

/* Multiply a slope of elements by the gradient of their loss, divided by @count. */
static int chain_by(struct aclnn_build *b, const struct aclnn_view *slope,
		    int64_t count, unsigned int out_arg)
{
	struct aclnn_view out = aclnn_view(b, out_arg), grad = aclnn_view(b, 0);
	struct aclnn_view part;

	if (count > 1) {
		part = aclnn_number(1.0 / count);
		grad = aclnn_result2(b, VNPU_OP_MUL, &grad, &part);
	}
	return aclnn_step2(b, VNPU_OP_MUL, slope, &grad, &out);
}

/* The same for a loss that was reduced. */
static int chain(struct aclnn_build *b, const struct aclnn_view *slope,
		 unsigned int reduction, unsigned int out_arg)
{
	int64_t mode = aclnn_int(b, reduction);

	if (mode < NONE || mode > SUM)
		return aclnn_fail(b, reduction, "expected 0 to 2, given %lld",
				  (long long)mode);
	return chain_by(b, slope, mode == MEAN ?
				  vnpu_tensor_elements(&slope->t) : 1, out_arg);
}

int build_mse_loss(struct aclnn_build *b)
{
	enum { SELF, TARGET, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET), losses;

	losses = aclnn_result2(b, VNPU_OP_SQUARED_DIFFERENCE, &self, &target);
	return reduce(b, &losses, REDUCTION, OUT);
}

int build_mse_loss_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, TARGET, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET), slope;
	struct aclnn_view two = aclnn_number(2);

	slope = aclnn_result2(b, VNPU_OP_SUB, &self, &target);
	slope = aclnn_result2(b, VNPU_OP_MUL, &slope, &two);
	return chain(b, &slope, REDUCTION, OUT);
}

int build_l1_loss(struct aclnn_build *b)
{
	enum { SELF, TARGET, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET), losses;

	losses = aclnn_result2(b, VNPU_OP_SUB, &self, &target);
	losses = aclnn_result1(b, VNPU_OP_ABS, &losses);
	return reduce(b, &losses, REDUCTION, OUT);
}

int build_l1_loss_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, TARGET, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET), slope;

	slope = aclnn_result2(b, VNPU_OP_SUB, &self, &target);
	slope = aclnn_result1(b, VNPU_OP_SIGN, &slope);
	return chain(b, &slope, REDUCTION, OUT);
}

/* Read beta, below which the loss is a square. */
static bool get_beta(struct aclnn_build *b, unsigned int arg, double *beta)
{
	*beta = aclnn_float(b, arg);
	if (*beta >= 0)
		return true;
	aclnn_fail(b, arg, "expected at least 0, given %g", *beta);
	return false;
}

/* With c = min(|d|, beta), the loss is c * (|d| - c / 2) / beta. */
int build_smooth_l1_loss(struct aclnn_build *b)
{
	enum { SELF, TARGET, REDUCTION, BETA, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET);
	struct aclnn_view losses, least, half, bound;
	double beta;

	if (!get_beta(b, BETA, &beta))
		return b->status;
	losses = aclnn_result2(b, VNPU_OP_SUB, &self, &target);
	losses = aclnn_result1(b, VNPU_OP_ABS, &losses);
	if (beta > 0) {
		bound = aclnn_number(beta);
		half = aclnn_number(0.5);
		least = aclnn_result2(b, VNPU_OP_MINIMUM, &losses, &bound);
		half = aclnn_result2(b, VNPU_OP_MUL, &least, &half);
		losses = aclnn_result2(b, VNPU_OP_SUB, &losses, &half);
		losses = aclnn_result2(b, VNPU_OP_MUL, &losses, &least);
		losses = aclnn_result2(b, VNPU_OP_DIV, &losses, &bound);
	}
	return reduce(b, &losses, REDUCTION, OUT);
}

int build_smooth_l1_loss_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, TARGET, REDUCTION, BETA, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET), slope;
	struct aclnn_view low = aclnn_number(-1), high = aclnn_number(1), bound;
	double beta;

	if (!get_beta(b, BETA, &beta))
		return b->status;
	slope = aclnn_result2(b, VNPU_OP_SUB, &self, &target);
	if (!beta) {
		slope = aclnn_result1(b, VNPU_OP_SIGN, &slope);
	} else {
		bound = aclnn_number(beta);
		slope = aclnn_result2(b, VNPU_OP_DIV, &slope, &bound);
		slope = aclnn_result2(b, VNPU_OP_MAXIMUM, &slope, &low);
		slope = aclnn_result2(b, VNPU_OP_MINIMUM, &slope, &high);
	}
	return chain(b, &slope, REDUCTION, OUT);
}

/*
 * Compute the logarithm of a probability, at least -100, as other
 * implementations do.
 */
static struct aclnn_view log_of(struct aclnn_build *b,
				const struct aclnn_view *p)
{
	struct aclnn_view least = aclnn_number(-100), log;

	log = aclnn_result1(b, VNPU_OP_LOG, p);
	return aclnn_result2(b, VNPU_OP_MAXIMUM, &log, &least);
}

int build_binary_cross_entropy(struct aclnn_build *b)
{
	enum { SELF, TARGET, WEIGHT, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET);
	struct aclnn_view weight = aclnn_view(b, WEIGHT), one = aclnn_number(1);
	struct aclnn_view yes, no, rest;

	yes = log_of(b, &self);
	rest = aclnn_result2(b, VNPU_OP_SUB, &one, &self);
	no = log_of(b, &rest);
	/* -(target * yes + (1 - target) * no) */
	rest = aclnn_result2(b, VNPU_OP_SUB, &target, &one);
	no = aclnn_result2(b, VNPU_OP_MUL, &rest, &no);
	yes = aclnn_result2(b, VNPU_OP_MUL, &target, &yes);
	no = aclnn_result2(b, VNPU_OP_SUB, &no, &yes);
	if (aclnn_has(&weight))
		no = aclnn_result2(b, VNPU_OP_MUL, &no, &weight);
	return reduce(b, &no, REDUCTION, OUT);
}

int build_binary_cross_entropy_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, TARGET, WEIGHT, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET);
	struct aclnn_view weight = aclnn_view(b, WEIGHT), one = aclnn_number(1);
	struct aclnn_view least = aclnn_number(1e-12), slope, rest;

	slope = aclnn_result2(b, VNPU_OP_SUB, &self, &target);
	rest = aclnn_result2(b, VNPU_OP_SUB, &one, &self);
	rest = aclnn_result2(b, VNPU_OP_MUL, &rest, &self);
	rest = aclnn_result2(b, VNPU_OP_MAXIMUM, &rest, &least);
	slope = aclnn_result2(b, VNPU_OP_DIV, &slope, &rest);
	if (aclnn_has(&weight))
		slope = aclnn_result2(b, VNPU_OP_MUL, &slope, &weight);
	return chain(b, &slope, REDUCTION, OUT);
}

/*
 * The loss of the sigmoid of self, by its logarithm, which stays finite; a factor
 * weighs positive classes.
 */
int build_cross_entropy_with_logits(struct aclnn_build *b)
{
	enum { SELF, TARGET, WEIGHT, POSITIVE, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET);
	struct aclnn_view weight = aclnn_view(b, WEIGHT), one = aclnn_number(1);
	struct aclnn_view positive = aclnn_view(b, POSITIVE), yes, no, rest;

	if (!aclnn_has_shape(b, TARGET, &self) ||
	    !aclnn_expands(b, WEIGHT, &self) ||
	    !aclnn_expands(b, POSITIVE, &self) ||
	    (aclnn_int(b, REDUCTION) == NONE && !aclnn_has_shape(b, OUT, &self)))
		return b->status;
	yes = aclnn_result1(b, VNPU_OP_LOGSIGMOID, &self);
	no = aclnn_result1(b, VNPU_OP_NEG, &self);
	no = aclnn_result1(b, VNPU_OP_LOGSIGMOID, &no);
	/* -(positive * target * yes + (1 - target) * no) */
	yes = aclnn_result2(b, VNPU_OP_MUL, &target, &yes);
	if (aclnn_has(&positive))
		yes = aclnn_result2(b, VNPU_OP_MUL, &yes, &positive);
	rest = aclnn_result2(b, VNPU_OP_SUB, &target, &one);
	no = aclnn_result2(b, VNPU_OP_MUL, &rest, &no);
	no = aclnn_result2(b, VNPU_OP_SUB, &no, &yes);
	if (aclnn_has(&weight))
		no = aclnn_result2(b, VNPU_OP_MUL, &no, &weight);
	return reduce(b, &no, REDUCTION, OUT);
}

int build_cross_entropy_with_logits_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, TARGET, WEIGHT, POSITIVE, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), slope, part;
	struct aclnn_view target = aclnn_view(b, TARGET);
	struct aclnn_view weight = aclnn_view(b, WEIGHT), one = aclnn_number(1);
	struct aclnn_view positive = aclnn_view(b, POSITIVE);

	if (!aclnn_has_shape(b, TARGET, &self) ||
	    !aclnn_has_shape(b, OUT, &self))
		return b->status;
	slope = aclnn_result1(b, VNPU_OP_SIGMOID, &self);
	if (aclnn_has(&positive)) {
		/* (positive * target + 1 - target) * slope - positive * target */
		positive = aclnn_result2(b, VNPU_OP_MUL, &positive, &target);
		part = aclnn_result2(b, VNPU_OP_SUB, &one, &target);
		part = aclnn_result2(b, VNPU_OP_ADD, &part, &positive);
		slope = aclnn_result2(b, VNPU_OP_MUL, &slope, &part);
		target = positive;
	}
	slope = aclnn_result2(b, VNPU_OP_SUB, &slope, &target);
	if (aclnn_has(&weight))
		slope = aclnn_result2(b, VNPU_OP_MUL, &slope, &weight);
	return chain(b, &slope, REDUCTION, OUT);
}

/* Self has logarithms; 0 * log(0) is 0, as for kl_div() of PyTorch. */
int build_kl_div(struct aclnn_build *b)
{
	enum { SELF, TARGET, REDUCTION, IS_LOG, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), losses;
	struct aclnn_view target = aclnn_view(b, TARGET), part;

	if (aclnn_int(b, IS_LOG)) {
		part = aclnn_result2(b, VNPU_OP_SUB, &target, &self);
		losses = aclnn_result1(b, VNPU_OP_EXP, &target);
		losses = aclnn_result2(b, VNPU_OP_MUL, &losses, &part);
	} else {
		losses = aclnn_result2(b, VNPU_OP_XLOGY, &target, &target);
		part = aclnn_result2(b, VNPU_OP_MUL, &target, &self);
		losses = aclnn_result2(b, VNPU_OP_SUB, &losses, &part);
	}
	if (!b->status && aclnn_int(b, REDUCTION) == NONE &&
	    !aclnn_has_shape(b, OUT, &losses))
		return b->status;
	return reduce(b, &losses, REDUCTION, OUT);
}

/* The slope is the negative target; "batchmean" divides by the first dimension. */
int build_kl_div_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, TARGET, REDUCTION, IS_LOG, OUT, BATCH_MEAN = 3 };
	struct aclnn_view self = aclnn_view(b, SELF), slope;
	struct aclnn_view target = aclnn_view(b, TARGET), wide;
	int64_t mode = aclnn_int(b, REDUCTION), count = 1;

	if (mode < NONE || mode > BATCH_MEAN)
		return aclnn_fail(b, REDUCTION, "expected 0 to 3, given %lld",
				  (long long)mode);
	if (!aclnn_has_shape(b, OUT, &self))
		return b->status;
	slope = aclnn_int(b, IS_LOG) ? aclnn_result1(b, VNPU_OP_EXP, &target) :
				       target;
	if (b->status)
		return b->status;
	wide = aclnn_temporary(b, slope.t.dtype, self.t.rank, self.t.dims);
	if (aclnn_step1(b, VNPU_OP_COPY, &slope, &wide))
		return b->status;
	slope = aclnn_result1(b, VNPU_OP_NEG, &wide);
	if (mode == MEAN)
		count = vnpu_tensor_elements(&self.t);
	else if (mode == BATCH_MEAN && self.t.rank)
		count = self.t.dims[0];
	return chain_by(b, &slope, count, OUT);
}

/* Give a total of one element no dimensions. */
static struct aclnn_view single(const struct aclnn_build *b, unsigned int arg)
{
	struct aclnn_view view = aclnn_view(b, arg);

	if (aclnn_has(&view))
		aclnn_reshape(&view, 0, NULL);
	return view;
}

/* A row of classes, and a target without dimensions, are a batch of one. */
static void add_batch(struct aclnn_view *self, struct aclnn_view *target)
{
	if (self->t.rank == 1 && !target->t.rank)
		aclnn_insert(target, 0);
	if (self->t.rank == 1)
		aclnn_insert(self, 0);
}

int build_nll_loss(struct aclnn_build *b)
{
	enum { SELF, TARGET, WEIGHT, REDUCTION, IGNORE, OUT, TOTAL };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view target = aclnn_view(b, TARGET);
	struct aclnn_view weight = aclnn_view(b, WEIGHT);
	struct aclnn_view total = single(b, TOTAL);

	if (self.t.rank == 1 && aclnn_int(b, REDUCTION) == NONE)
		aclnn_reshape(&out, 1, (int64_t[]){ 1 });
	else if (aclnn_int(b, REDUCTION) != NONE)
		out = single(b, OUT);
	add_batch(&self, &target);
	aclnn_begin(b, VNPU_OP_NLL_LOSS, 3, 2);
	aclnn_set_int(b, "reduction", aclnn_int(b, REDUCTION));
	aclnn_set_int(b, "ignore", aclnn_int(b, IGNORE));
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &target);
	aclnn_put(b, 2, &weight);
	aclnn_put(b, 3, &out);
	aclnn_put(b, 4, &total);
	return aclnn_end(b);
}

int build_nll_loss_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, TARGET, WEIGHT, REDUCTION, IGNORE, TOTAL, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view target = aclnn_view(b, TARGET);
	struct aclnn_view weight = aclnn_view(b, WEIGHT);
	struct aclnn_view total = single(b, TOTAL), grad;

	grad = aclnn_int(b, REDUCTION) == NONE ? aclnn_view(b, GRAD) :
						 single(b, GRAD);
	if (self.t.rank == 1) {
		aclnn_insert(&out, 0);
		if (!grad.t.rank && aclnn_int(b, REDUCTION) == NONE)
			aclnn_insert(&grad, 0);
	}
	add_batch(&self, &target);
	aclnn_begin(b, VNPU_OP_NLL_LOSS_BACKWARD, 5, 1);
	aclnn_set_int(b, "reduction", aclnn_int(b, REDUCTION));
	aclnn_set_int(b, "ignore", aclnn_int(b, IGNORE));
	aclnn_put(b, 0, &grad);
	aclnn_put(b, 1, &self);
	aclnn_put(b, 2, &target);
	aclnn_put(b, 3, &weight);
	aclnn_put(b, 4, &total);
	aclnn_put(b, 5, &out);
	return aclnn_end(b);
}

/* log(1 + e^(-target * self)) */
int build_soft_margin_loss(struct aclnn_build *b)
{
	enum { SELF, TARGET, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET), losses;

	losses = aclnn_result2(b, VNPU_OP_MUL, &self, &target);
	losses = aclnn_result1(b, VNPU_OP_LOGSIGMOID, &losses);
	losses = aclnn_result1(b, VNPU_OP_NEG, &losses);
	return reduce(b, &losses, REDUCTION, OUT);
}

int build_soft_margin_loss_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, TARGET, REDUCTION, OUT };
	struct aclnn_view self = aclnn_view(b, SELF);
	struct aclnn_view target = aclnn_view(b, TARGET), slope, minus;

	minus = aclnn_result1(b, VNPU_OP_NEG, &target);
	slope = aclnn_result2(b, VNPU_OP_MUL, &self, &minus);
	slope = aclnn_result1(b, VNPU_OP_SIGMOID, &slope);
	slope = aclnn_result2(b, VNPU_OP_MUL, &slope, &minus);
	return chain(b, &slope, REDUCTION, OUT);
}
