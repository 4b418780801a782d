// SPDX-License-Identifier: MIT
/* Normalisations, and cross entropy. */
#include "build.h"
#include "builders.h"

int build_rms_norm(struct aclnn_build *b)
{
	enum { X, GAMMA, EPSILON, Y, RSTD };
	struct aclnn_view x = aclnn_view(b, X), gamma = aclnn_view(b, GAMMA);
	struct aclnn_view y = aclnn_view(b, Y), rstd = aclnn_view(b, RSTD);

	aclnn_lines(&rstd, &x, gamma.t.rank);
	aclnn_begin(b, VNPU_OP_RMS_NORM, 2, 2);
	aclnn_set_float(b, "eps", aclnn_float(b, EPSILON));
	aclnn_set_int(b, "dims", gamma.t.rank);
	aclnn_put(b, 0, &x);
	aclnn_put(b, 1, &gamma);
	aclnn_put(b, 2, &y);
	aclnn_put(b, 3, &rstd);
	return aclnn_end(b);
}

int build_add_rms_norm(struct aclnn_build *b)
{
	enum { X1, X2, GAMMA, EPSILON, Y, RSTD, SUM };
	struct aclnn_view x1 = aclnn_view(b, X1), x2 = aclnn_view(b, X2);
	struct aclnn_view gamma = aclnn_view(b, GAMMA), y = aclnn_view(b, Y);
	struct aclnn_view rstd = aclnn_view(b, RSTD), sum = aclnn_view(b, SUM);

	aclnn_lines(&rstd, &x1, gamma.t.rank);
	aclnn_begin(b, VNPU_OP_ADD_RMS_NORM, 3, 3);
	aclnn_set_float(b, "eps", aclnn_float(b, EPSILON));
	aclnn_set_int(b, "dims", gamma.t.rank);
	aclnn_put(b, 0, &x1);
	aclnn_put(b, 1, &x2);
	aclnn_put(b, 2, &gamma);
	aclnn_put(b, 3, &y);
	aclnn_put(b, 4, &rstd);
	aclnn_put(b, 5, &sum);
	return aclnn_end(b);
}

int build_layer_norm(struct aclnn_build *b)
{
	enum { INPUT, SHAPE, WEIGHT, BIAS, EPS, OUT, MEAN, RSTD };
	const struct aclnn_array *shape = aclnn_array(b, SHAPE);
	struct aclnn_view input = aclnn_view(b, INPUT);
	struct aclnn_view weight = aclnn_view(b, WEIGHT);
	struct aclnn_view bias = aclnn_view(b, BIAS), out = aclnn_view(b, OUT);
	struct aclnn_view mean = aclnn_view(b, MEAN);
	struct aclnn_view rstd = aclnn_view(b, RSTD);
	unsigned int rank = input.t.rank;

	if (shape->size < 1 || shape->size > rank)
		return aclnn_fail(b, SHAPE, "expected 1 to %u values, given %llu",
				  rank, (unsigned long long)shape->size);
	for (uint64_t i = 0; i < shape->size; i++)
		if (shape->i[i] != input.t.dims[rank - shape->size + i])
			return aclnn_fail(b, SHAPE,
				"expected the last dimensions of input, %lld, given %lld",
				(long long)input.t.dims[rank - shape->size + i],
				(long long)shape->i[i]);
	aclnn_lines(&mean, &input, shape->size);
	aclnn_lines(&rstd, &input, shape->size);
	aclnn_begin(b, VNPU_OP_LAYER_NORM, 3, 3);
	aclnn_set_float(b, "eps", aclnn_float(b, EPS));
	aclnn_set_int(b, "dims", shape->size);
	aclnn_put(b, 0, &input);
	aclnn_put(b, 1, &weight);
	aclnn_put(b, 2, &bias);
	aclnn_put(b, 3, &out);
	aclnn_put(b, 4, &mean);
	aclnn_put(b, 5, &rstd);
	return aclnn_end(b);
}

int build_group_norm(struct aclnn_build *b)
{
	enum { SELF, GAMMA, BETA, N, C, HXW, GROUP, EPS, OUT, MEAN, RSTD };
	const int64_t groups[] = { aclnn_int(b, N), aclnn_int(b, GROUP) };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view gamma = aclnn_view(b, GAMMA);
	struct aclnn_view beta = aclnn_view(b, BETA);
	struct aclnn_view mean = aclnn_view(b, MEAN);
	struct aclnn_view rstd = aclnn_view(b, RSTD);
	int64_t pixels = 1;

	for (unsigned int i = 2; i < self.t.rank; i++)
		pixels *= self.t.dims[i];
	if (self.t.rank < 2 || self.t.dims[0] != aclnn_int(b, N) ||
	    self.t.dims[1] != aclnn_int(b, C) || pixels != aclnn_int(b, HXW))
		return aclnn_fail(b, SELF,
				  "expected %lld images of %lld channels of %lld elements",
				  (long long)aclnn_int(b, N),
				  (long long)aclnn_int(b, C),
				  (long long)aclnn_int(b, HXW));
	aclnn_reshape(&mean, 2, groups);
	aclnn_reshape(&rstd, 2, groups);
	aclnn_begin(b, VNPU_OP_GROUP_NORM, 3, 3);
	aclnn_set_float(b, "eps", aclnn_float(b, EPS));
	aclnn_set_int(b, "groups", aclnn_int(b, GROUP));
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &gamma);
	aclnn_put(b, 2, &beta);
	aclnn_put(b, 3, &out);
	aclnn_put(b, 4, &mean);
	aclnn_put(b, 5, &rstd);
	return aclnn_end(b);
}

int build_cross_entropy(struct aclnn_build *b)
{
	enum { FEATURES, LABELS, LOSS, BACKPROP };
	struct aclnn_view features = aclnn_view(b, FEATURES);
	struct aclnn_view labels = aclnn_view(b, LABELS);
	struct aclnn_view loss = aclnn_view(b, LOSS);
	struct aclnn_view backprop = aclnn_view(b, BACKPROP);

	aclnn_reshape(&loss, 1, features.t.dims);
	aclnn_begin(b, VNPU_OP_CROSS_ENTROPY, 2, 2);
	aclnn_put(b, 0, &features);
	aclnn_put(b, 1, &labels);
	aclnn_put(b, 2, &loss);
	aclnn_put(b, 3, &backprop);
	return aclnn_end(b);
}

/* Compute the norms of all parts along a dimension, which is kept. */
static struct aclnn_view norms_of(struct aclnn_build *b,
				  const struct aclnn_view *self, unsigned int dim,
				  double p)
{
	int64_t others[VNPU_TENSOR_DIMS];
	unsigned int count = 0;

	for (unsigned int i = 0; i < self->t.rank; i++)
		if (i != dim)
			others[count++] = i;
	/* The engine takes no dimensions for all of them. */
	if (!count)
		return aclnn_result1(b, VNPU_OP_ABS, self);
	aclnn_begin(b, VNPU_OP_NORM, 1, 1);
	aclnn_set_ints(b, "dims", others, count);
	aclnn_set_int(b, "keepdim", 1);
	aclnn_set_float(b, "p", p);
	aclnn_put(b, 0, self);
	return aclnn_result(b);
}

/* Scale the parts along a dimension with a norm above the largest one to that. */
static int limit_norms(struct aclnn_build *b, const struct aclnn_view *self,
		       unsigned int dim, double p, double most,
		       const struct aclnn_view *out)
{
	struct aclnn_view bound = aclnn_number(most), one = aclnn_number(1);
	struct aclnn_view norms, factors, is_large;

	norms = norms_of(b, self, dim, p);
	is_large = aclnn_result2(b, VNPU_OP_GT, &norms, &bound);
	factors = aclnn_result2(b, VNPU_OP_DIV, &bound, &norms);
	factors = aclnn_where(b, &is_large, &factors, &one);
	return aclnn_step2(b, VNPU_OP_MUL, self, &factors, out);
}

/* Check an exponent, a largest norm and a type; false after a report. */
static bool check_norms(struct aclnn_build *b, unsigned int p_arg, double p,
			unsigned int most_arg, double most)
{
	struct aclnn_view self = aclnn_view(b, 0);

	if (!(p > 0))
		aclnn_fail(b, p_arg, "expected more than 0, given %g", p);
	else if (!(most >= 0))
		aclnn_fail(b, most_arg, "expected 0 or more, given %g", most);
	else if (!vnpu_dtype_is_float(self.t.dtype))
		aclnn_fail(b, 0, "expected a floating-point type, given %s",
			   vnpu_dtype_name(self.t.dtype));
	return !b->status;
}

int build_renorm(struct aclnn_build *b)
{
	enum { SELF, P, DIM, MOST, OUT };
	unsigned int to = b->op->count > OUT ? OUT : SELF, dim;
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, to);
	double p = aclnn_scalar(b, P)->f, most = aclnn_scalar(b, MOST)->f;

	if (!check_norms(b, P, p, MOST, most) ||
	    !aclnn_dim(b, DIM, aclnn_int(b, DIM), self.t.rank, &dim) ||
	    !aclnn_has_shape(b, to, &self))
		return b->status;
	return limit_norms(b, &self, dim, p, most, &out);
}

/* A row that several indices name is scaled once. */
int build_embedding_renorm(struct aclnn_build *b)
{
	enum { SELF, INDICES, MOST, P };
	struct aclnn_view self = aclnn_view(b, SELF), rows, scaled;
	struct aclnn_view indices = aclnn_view(b, INDICES);
	double p = aclnn_float(b, P), most = aclnn_float(b, MOST);
	int64_t dims[2];

	if (self.t.rank != 2)
		return aclnn_fail(b, SELF, "expected 2 dimensions, given %u",
				  self.t.rank);
	if (!check_norms(b, P, p, MOST, most))
		return b->status;
	dims[0] = vnpu_tensor_elements(&indices.t);
	dims[1] = self.t.dims[1];
	aclnn_flatten(b, &indices, 1, dims);
	rows = aclnn_temporary(b, self.t.dtype, 2, dims);
	scaled = aclnn_temporary(b, self.t.dtype, 2, dims);
	if (b->status || aclnn_step2(b, VNPU_OP_TAKE, &self, &indices, &rows) ||
	    limit_norms(b, &rows, 0, p, most, &scaled))
		return b->status;
	return aclnn_step2(b, VNPU_OP_PUT, &indices, &scaled, &self);
}

/* LayerNorm of alpha * x + gx. */
int build_deep_norm(struct aclnn_build *b)
{
	enum { X, GX, BETA, GAMMA, ALPHA, EPSILON, MEAN, RSTD, Y };
	struct aclnn_view x = aclnn_view(b, X), gx = aclnn_view(b, GX);
	struct aclnn_view gamma = aclnn_view(b, GAMMA), y = aclnn_view(b, Y);
	struct aclnn_view beta = aclnn_view(b, BETA), sum;
	struct aclnn_view mean = aclnn_view(b, MEAN);
	struct aclnn_view rstd = aclnn_view(b, RSTD);

	if (!aclnn_has_shape(b, GX, &x) || !aclnn_has_shape(b, BETA, &gamma))
		return b->status;
	if (!gamma.t.rank || gamma.t.rank > x.t.rank)
		return aclnn_fail(b, GAMMA, "expected 1 to %u dimensions, given %u",
				  x.t.rank, gamma.t.rank);
	aclnn_begin(b, VNPU_OP_ADD, 2, 1);
	aclnn_set_float(b, "alpha", aclnn_float(b, ALPHA));
	aclnn_put(b, 0, &gx);
	aclnn_put(b, 1, &x);
	sum = aclnn_result(b);
	aclnn_lines(&mean, &x, gamma.t.rank);
	aclnn_lines(&rstd, &x, gamma.t.rank);
	aclnn_begin(b, VNPU_OP_LAYER_NORM, 3, 3);
	aclnn_set_float(b, "eps", aclnn_float(b, EPSILON));
	aclnn_set_int(b, "dims", gamma.t.rank);
	aclnn_put(b, 0, &sum);
	aclnn_put(b, 1, &gamma);
	aclnn_put(b, 2, &beta);
	aclnn_put(b, 3, &y);
	aclnn_put(b, 4, &mean);
	aclnn_put(b, 5, &rstd);
	return aclnn_end(b);
}
