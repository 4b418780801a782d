// SPDX-License-Identifier: MIT
/* Gradients of elementwise operators that have several results. */
#include <math.h>
#include <string.h>

#include "build.h"
#include "builders.h"

/* Sum over all dimensions but the second, or over all, as the output has it. */
static int sum_channels(struct aclnn_build *b, const struct aclnn_view *from,
			const struct aclnn_view *out, bool is_single)
{
	struct aclnn_view to = *out;

	if (is_single) {
		to.t.rank = 0;
		return aclnn_step1(b, VNPU_OP_SUM, from, &to);
	}
	aclnn_begin_channels(b, VNPU_OP_SUM, from);
	aclnn_put(b, 1, &to);
	return aclnn_end(b);
}

int build_prelu_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, WEIGHT, OF_SELF, OF_WEIGHT };
	struct aclnn_view grad = aclnn_view(b, GRAD), self = aclnn_view(b, SELF);
	struct aclnn_view weight = aclnn_view(b, WEIGHT), slope, part, positive;
	struct aclnn_view of_self = aclnn_view(b, OF_SELF);
	struct aclnn_view of_weight = aclnn_view(b, OF_WEIGHT);
	struct aclnn_view zero = aclnn_integer(0), one = aclnn_integer(1);
	bool is_single = vnpu_tensor_elements(&weight.t) == 1;

	if (weight.t.rank != 1 || of_weight.t.rank != 1 ||
	    of_weight.t.dims[0] != weight.t.dims[0])
		return aclnn_fail(b, weight.t.rank != 1 ? WEIGHT : OF_WEIGHT,
				  "expected 1 dimension, of the size of weight");
	if (!is_single && self.t.rank < 2)
		return aclnn_fail(b, SELF, "expected at least 2 dimensions, given %u",
				  self.t.rank);
	positive = aclnn_result2(b, VNPU_OP_GT, &self, &zero);
	/* The sum first, as an output may be an input. */
	part = aclnn_result2(b, VNPU_OP_MUL, &grad, &self);
	part = aclnn_where(b, &positive, &zero, &part);
	aclnn_channels(&weight, self.t.rank);
	slope = aclnn_where(b, &positive, &one, &weight);
	slope = aclnn_result2(b, VNPU_OP_MUL, &grad, &slope);
	if (b->status || sum_channels(b, &part, &of_weight, is_single))
		return b->status;
	return aclnn_step1(b, VNPU_OP_COPY, &slope, &of_self);
}

int build_gelu_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, APPROXIMATE, OUT };
	struct aclnn_view grad = aclnn_view(b, GRAD), out = aclnn_view(b, OUT);
	struct aclnn_view self = aclnn_view(b, SELF);
	const char *approximate = b->values[APPROXIMATE].p;
	bool is_tanh = !strcmp(approximate, "tanh");

	if (!is_tanh && strcmp(approximate, "none"))
		return aclnn_fail(b, APPROXIMATE,
				  "expected \"none\" or \"tanh\", given \"%.20s\"",
				  approximate);
	aclnn_begin(b, VNPU_OP_GELU_BACKWARD, 2, 1);
	aclnn_set_int(b, "approximate", is_tanh);
	aclnn_put(b, 0, &grad);
	aclnn_put(b, 1, &self);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

/* The gradient is 0 beyond eps, or without eps, NaN beyond 0 and 1. */
int build_logit_backward(struct aclnn_build *b)
{
	enum { X, GRAD, EPS, OUT };
	double eps = aclnn_float(b, EPS), low = eps < 0 ? 0 : eps;
	struct aclnn_view x = aclnn_view(b, X), grad = aclnn_view(b, GRAD);
	struct aclnn_view out = aclnn_view(b, OUT), slope, is_out, is_above;
	struct aclnn_view one = aclnn_number(1), least = aclnn_number(low);
	struct aclnn_view most = aclnn_number(1 - low);
	struct aclnn_view beyond = aclnn_number(eps < 0 ? NAN : 0);

	slope = aclnn_result2(b, VNPU_OP_SUB, &one, &x);
	slope = aclnn_result2(b, VNPU_OP_MUL, &slope, &x);
	slope = aclnn_result2(b, VNPU_OP_DIV, &grad, &slope);
	/* NaN is neither, so its gradient is NaN. */
	is_out = aclnn_result2(b, VNPU_OP_LT, &x, &least);
	is_above = aclnn_result2(b, VNPU_OP_GT, &x, &most);
	is_out = aclnn_result2(b, VNPU_OP_LOGICAL_OR, &is_out, &is_above);
	slope = aclnn_where(b, &is_out, &beyond, &slope);
	return aclnn_step1(b, VNPU_OP_COPY, &slope, &out);
}
