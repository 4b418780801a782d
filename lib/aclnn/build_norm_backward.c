// SPDX-License-Identifier: MIT
/* Batch norm, and gradients of normalisations. */
#include "build.h"
#include "builders.h"

/* The tensors of a gradient; views without a type are absent. */
struct norm {
	struct aclnn_view grad, self, mean, rstd, weight;
	struct aclnn_view of_self, of_weight, of_bias;
};

/* Sum the gradients of weight and bias; the outputs say over which dimensions. */
static int weight_step(struct aclnn_build *b, struct norm *n)
{
	struct aclnn_view none = n->of_weight;

	if (!aclnn_has(&n->of_weight) && !aclnn_has(&n->of_bias))
		return b->status;
	if (!aclnn_has(&n->of_weight))
		none = aclnn_temporary(b, VNPU_DT_F32, n->of_bias.t.rank,
				       n->of_bias.t.dims);
	aclnn_begin(b, VNPU_OP_NORM_WEIGHT_BACKWARD, 4, 2);
	aclnn_put(b, 0, &n->grad);
	aclnn_put(b, 1, &n->self);
	aclnn_put(b, 2, &n->rstd);
	aclnn_put(b, 3, &n->mean);
	aclnn_put(b, 4, &none);
	aclnn_put(b, 5, &n->of_bias);
	return aclnn_end(b);
}

/* Append the gradient of the input as a step; @name is a parameter, or NULL. */
static int self_step(struct aclnn_build *b, struct norm *n, unsigned int engine,
		     const char *name, int64_t value)
{
	bool is_rms = engine == VNPU_OP_RMS_NORM_BACKWARD;
	unsigned int at = 0;

	if (!aclnn_has(&n->of_self))
		return b->status;
	aclnn_begin(b, engine, is_rms ? 4 : 5, 1);
	if (name)
		aclnn_set_int(b, name, value);
	aclnn_put(b, at++, &n->grad);
	aclnn_put(b, at++, &n->self);
	if (!is_rms)
		aclnn_put(b, at++, &n->mean);
	aclnn_put(b, at++, &n->rstd);
	aclnn_put(b, at++, &n->weight);
	aclnn_put(b, at, &n->of_self);
	return aclnn_end(b);
}

int build_rms_norm_grad(struct aclnn_build *b)
{
	enum { GRAD, X, RSTD, GAMMA, OF_X, OF_GAMMA };
	struct norm n = {
		.grad = aclnn_view(b, GRAD), .self = aclnn_view(b, X),
		.rstd = aclnn_view(b, RSTD), .weight = aclnn_view(b, GAMMA),
		.of_self = aclnn_view(b, OF_X),
		.of_weight = aclnn_view(b, OF_GAMMA),
	};

	aclnn_lines(&n.rstd, &n.self, n.weight.t.rank);
	/* The sums first: of_self may be grad. */
	if (weight_step(b, &n))
		return b->status;
	return self_step(b, &n, VNPU_OP_RMS_NORM_BACKWARD, "dims",
			 n.weight.t.rank);
}

int build_layer_norm_backward(struct aclnn_build *b)
{
	enum { GRAD, INPUT, SHAPE, MEAN, RSTD, WEIGHT, BIAS, MASK, OF_INPUT,
	       OF_WEIGHT, OF_BIAS };
	const struct aclnn_array *shape = aclnn_array(b, SHAPE);
	struct norm n = {
		.grad = aclnn_view(b, GRAD), .self = aclnn_view(b, INPUT),
		.mean = aclnn_view(b, MEAN), .rstd = aclnn_view(b, RSTD),
		.weight = aclnn_view(b, WEIGHT),
	};

	if (shape->size < 1 || shape->size > n.self.t.rank)
		return aclnn_fail(b, SHAPE, "expected 1 to %u values, given %llu",
				  n.self.t.rank,
				  (unsigned long long)shape->size);
	if (aclnn_wants(b, MASK, 0, OF_INPUT))
		n.of_self = aclnn_view(b, OF_INPUT);
	if (aclnn_wants(b, MASK, 1, OF_WEIGHT))
		n.of_weight = aclnn_view(b, OF_WEIGHT);
	if (aclnn_wants(b, MASK, 2, OF_BIAS))
		n.of_bias = aclnn_view(b, OF_BIAS);
	aclnn_lines(&n.mean, &n.self, shape->size);
	aclnn_lines(&n.rstd, &n.self, shape->size);
	if (weight_step(b, &n))
		return b->status;
	return self_step(b, &n, VNPU_OP_LAYER_NORM_BACKWARD, "dims",
			 shape->size);
}

/* The gradient of x is that of gx, times alpha. */
int build_deep_norm_grad(struct aclnn_build *b)
{
	enum { DY, X, GX, GAMMA, MEAN, RSTD, ALPHA, OF_X, OF_GX, OF_BETA,
	       OF_GAMMA };
	struct aclnn_view x = aclnn_view(b, X), gx = aclnn_view(b, GX), out;
	struct aclnn_view factor = aclnn_number(aclnn_float(b, ALPHA));
	struct norm n = {
		.grad = aclnn_view(b, DY), .mean = aclnn_view(b, MEAN),
		.rstd = aclnn_view(b, RSTD), .weight = aclnn_view(b, GAMMA),
		.of_weight = aclnn_view(b, OF_GAMMA),
		.of_bias = aclnn_view(b, OF_BETA),
	};
	unsigned int dims = n.weight.t.rank;

	if (!aclnn_has_shape(b, GX, &x) || !aclnn_has_shape(b, DY, &x) ||
	    !aclnn_has_shape(b, OF_X, &x))
		return b->status;
	if (!dims || dims > x.t.rank)
		return aclnn_fail(b, GAMMA, "expected 1 to %u dimensions, given %u",
				  x.t.rank, dims);
	aclnn_begin(b, VNPU_OP_ADD, 2, 1);
	aclnn_set_float(b, "alpha", aclnn_float(b, ALPHA));
	aclnn_put(b, 0, &gx);
	aclnn_put(b, 1, &x);
	n.self = aclnn_result(b);
	n.of_self = aclnn_temporary(b, VNPU_DT_F32, x.t.rank, x.t.dims);
	aclnn_lines(&n.mean, &x, dims);
	aclnn_lines(&n.rstd, &x, dims);
	if (b->status || weight_step(b, &n) ||
	    self_step(b, &n, VNPU_OP_LAYER_NORM_BACKWARD, "dims", dims))
		return b->status;
	out = aclnn_view(b, OF_X);
	if (aclnn_step2(b, VNPU_OP_MUL, &n.of_self, &factor, &out))
		return b->status;
	out = aclnn_view(b, OF_GX);
	return aclnn_step1(b, VNPU_OP_COPY, &n.of_self, &out);
}

/* View images as [image, group, channel of the group, pixel]. */
int build_group_norm_backward(struct aclnn_build *b)
{
	enum { GRAD, INPUT, MEAN, RSTD, GAMMA, N, C, HXW, GROUP, MASK, OF_INPUT,
	       OF_GAMMA, OF_BETA };
	int64_t images = aclnn_int(b, N), channels = aclnn_int(b, C);
	int64_t groups = aclnn_int(b, GROUP), pixels = aclnn_int(b, HXW);
	struct norm n = {
		.grad = aclnn_view(b, GRAD), .self = aclnn_view(b, INPUT),
		.mean = aclnn_view(b, MEAN), .rstd = aclnn_view(b, RSTD),
		.weight = aclnn_view(b, GAMMA),
	}, sums;

	if (groups < 1 || channels % groups)
		return aclnn_fail(b, GROUP,
				  "expected a divisor of %lld channels, given %lld",
				  (long long)channels, (long long)groups);
	sums = n;
	if (aclnn_wants(b, MASK, 1, OF_GAMMA))
		sums.of_weight = aclnn_view(b, OF_GAMMA);
	if (aclnn_wants(b, MASK, 2, OF_BETA))
		sums.of_bias = aclnn_view(b, OF_BETA);
	aclnn_flatten(b, &sums.grad, 4, (int64_t[]){ images, groups,
						     channels / groups,
						     pixels });
	aclnn_flatten(b, &sums.self, 4, (int64_t[]){ images, groups,
						     channels / groups,
						     pixels });
	aclnn_reshape(&sums.mean, 4, (int64_t[]){ images, groups, 1, 1 });
	aclnn_reshape(&sums.rstd, 4, (int64_t[]){ images, groups, 1, 1 });
	aclnn_reshape(&sums.of_weight, 3, (int64_t[]){ groups,
						       channels / groups, 1 });
	aclnn_reshape(&sums.of_bias, 3, (int64_t[]){ groups,
						     channels / groups, 1 });
	if (weight_step(b, &sums))
		return b->status;
	aclnn_reshape(&n.mean, 2, (int64_t[]){ images, groups });
	aclnn_reshape(&n.rstd, 2, (int64_t[]){ images, groups });
	if (aclnn_wants(b, MASK, 0, OF_INPUT))
		n.of_self = aclnn_view(b, OF_INPUT);
	return self_step(b, &n, VNPU_OP_GROUP_NORM_BACKWARD, "groups", groups);
}

/* 1 / sqrt(variance + eps) */
static struct aclnn_view rstd_of(struct aclnn_build *b,
				 const struct aclnn_view *variance, double eps)
{
	struct aclnn_view small = aclnn_number(eps), sum;

	sum = aclnn_result2(b, VNPU_OP_ADD, variance, &small);
	return aclnn_result1(b, VNPU_OP_RSQRT, &sum);
}

/* Normalise by the running statistics: a factor and a term for each channel. */
static int batch_norm_apply(struct aclnn_build *b, struct norm *n, double eps,
			    const struct aclnn_view *bias)
{
	struct aclnn_view factor = rstd_of(b, &n->rstd, eps), result;

	if (aclnn_has(&n->weight))
		factor = aclnn_result2(b, VNPU_OP_MUL, &factor, &n->weight);
	aclnn_channels(&factor, n->self.t.rank);
	aclnn_channels(&n->mean, n->self.t.rank);
	result = aclnn_result2(b, VNPU_OP_SUB, &n->self, &n->mean);
	if (!aclnn_has(bias))
		return aclnn_step2(b, VNPU_OP_MUL, &result, &factor,
				   &n->of_self);
	result = aclnn_result2(b, VNPU_OP_MUL, &result, &factor);
	return aclnn_step2(b, VNPU_OP_ADD, &result, bias, &n->of_self);
}

int build_batch_norm(struct aclnn_build *b)
{
	enum { INPUT, WEIGHT, BIAS, MEAN, VAR, TRAINING, MOMENTUM, EPS, OUT,
	       SAVE_MEAN, SAVE_RSTD };
	struct norm n = {
		.self = aclnn_view(b, INPUT), .weight = aclnn_view(b, WEIGHT),
		.mean = aclnn_view(b, MEAN), .rstd = aclnn_view(b, VAR),
		.of_self = aclnn_view(b, OUT),
	};
	struct aclnn_view bias = aclnn_view(b, BIAS), value;
	double eps = aclnn_float(b, EPS), momentum = aclnn_float(b, MOMENTUM);

	if (n.self.t.rank < 2)
		return aclnn_fail(b, INPUT,
				  "expected at least 2 dimensions, given %u",
				  n.self.t.rank);
	if (!aclnn_int(b, TRAINING)) {
		if (!aclnn_has(&n.mean) || !aclnn_has(&n.rstd))
			return aclnn_fail(b, aclnn_has(&n.mean) ? VAR : MEAN,
					  "is NULL, but training is false");
		aclnn_channels(&bias, n.self.t.rank);
		return batch_norm_apply(b, &n, eps, &bias);
	}
	/* The statistics first: the output may be the input. */
	if (aclnn_has(&n.mean)) {
		aclnn_begin_channels(b, VNPU_OP_MEAN, &n.self);
		value = aclnn_result(b);
		aclnn_move(b, MEAN, &value, momentum);
	}
	if (aclnn_has(&n.rstd)) {
		aclnn_begin_channels(b, VNPU_OP_VAR, &n.self);
		value = aclnn_result(b);
		aclnn_move(b, VAR, &value, momentum);
	}
	n.mean = aclnn_view(b, SAVE_MEAN);
	n.rstd = aclnn_view(b, SAVE_RSTD);
	aclnn_begin(b, VNPU_OP_BATCH_NORM, 3, 3);
	aclnn_set_float(b, "eps", eps);
	aclnn_put(b, 0, &n.self);
	aclnn_put(b, 1, &n.weight);
	aclnn_put(b, 2, &bias);
	aclnn_put(b, 3, &n.of_self);
	aclnn_put(b, 4, &n.mean);
	aclnn_put(b, 5, &n.rstd);
	return aclnn_end(b);
}

int build_batch_norm_backward(struct aclnn_build *b)
{
	enum { GRAD, INPUT, WEIGHT, MEAN, VAR, SAVE_MEAN, SAVE_RSTD, TRAINING,
	       EPS, MASK, OF_INPUT, OF_WEIGHT, OF_BIAS };
	bool is_training = aclnn_int(b, TRAINING);
	struct norm n = {
		.grad = aclnn_view(b, GRAD), .self = aclnn_view(b, INPUT),
		.weight = aclnn_view(b, WEIGHT),
		.mean = aclnn_view(b, is_training ? SAVE_MEAN : MEAN),
		.rstd = aclnn_view(b, is_training ? SAVE_RSTD : VAR),
	}, sums;
	unsigned int rank = n.self.t.rank;
	struct aclnn_view factor;

	if (!aclnn_has(&n.mean) || !aclnn_has(&n.rstd))
		return aclnn_fail(b, is_training ? SAVE_MEAN : MEAN,
				  "the mean or the variance is NULL");
	if (!is_training)
		n.rstd = rstd_of(b, &n.rstd, aclnn_float(b, EPS));
	sums = n;
	if (aclnn_wants(b, MASK, 1, OF_WEIGHT))
		sums.of_weight = aclnn_view(b, OF_WEIGHT);
	if (aclnn_wants(b, MASK, 2, OF_BIAS))
		sums.of_bias = aclnn_view(b, OF_BIAS);
	aclnn_channels(&sums.mean, rank);
	aclnn_channels(&sums.rstd, rank);
	aclnn_channels(&sums.of_weight, rank);
	aclnn_channels(&sums.of_bias, rank);
	/* The sums first: of_self may be grad. */
	if (weight_step(b, &sums) || !aclnn_wants(b, MASK, 0, OF_INPUT))
		return b->status;
	n.of_self = aclnn_view(b, OF_INPUT);
	if (is_training)
		return self_step(b, &n, VNPU_OP_BATCH_NORM_BACKWARD, NULL, 0);
	factor = n.rstd;
	if (aclnn_has(&n.weight))
		factor = aclnn_result2(b, VNPU_OP_MUL, &factor, &n.weight);
	aclnn_channels(&factor, rank);
	return aclnn_step2(b, VNPU_OP_MUL, &n.grad, &factor, &n.of_self);
}

int build_batch_norm_stats(struct aclnn_build *b)
{
	enum { INPUT, EPS, MEAN, RSTD };
	struct aclnn_view input = aclnn_view(b, INPUT), unused;
	struct aclnn_view mean = aclnn_view(b, MEAN), rstd = aclnn_view(b, RSTD);

	if (input.t.rank < 2)
		return aclnn_fail(b, INPUT,
				  "expected at least 2 dimensions, given %u",
				  input.t.rank);
	unused = aclnn_temporary(b, VNPU_DT_F32, input.t.rank, input.t.dims);
	aclnn_begin(b, VNPU_OP_BATCH_NORM, 1, 3);
	aclnn_set_float(b, "eps", aclnn_float(b, EPS));
	aclnn_put(b, 0, &input);
	aclnn_put(b, 1, &unused);
	aclnn_put(b, 2, &mean);
	aclnn_put(b, 3, &rstd);
	return aclnn_end(b);
}
