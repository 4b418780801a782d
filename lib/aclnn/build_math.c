// SPDX-License-Identifier: MIT
/* Elementwise operators that a recipe cannot describe, and gated units. */
#include <math.h>

#include "build.h"
#include "builders.h"

int build_clamp(struct aclnn_build *b)
{
	enum { SELF, MIN, MAX, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view min = aclnn_part(b, MIN, &out);
	struct aclnn_view max = aclnn_part(b, MAX, &out);

	if (!aclnn_has(&min) && !aclnn_has(&max))
		return aclnn_fail(b, MIN, "both bounds are NULL");
	if (!aclnn_has(&max))
		return aclnn_step2(b, VNPU_OP_MAXIMUM, &self, &min, &out);
	if (!aclnn_has(&min))
		return aclnn_step2(b, VNPU_OP_MINIMUM, &self, &max, &out);
	aclnn_begin(b, VNPU_OP_CLAMP, 3, 1);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &min);
	aclnn_put(b, 2, &max);
	aclnn_put(b, 3, &out);
	return aclnn_end(b);
}

int build_swish(struct aclnn_build *b)
{
	enum { SELF, BETA, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	const struct aclnn_scalar *beta = aclnn_scalar(b, BETA);

	aclnn_begin(b, VNPU_OP_SWISH, 1, 1);
	if (beta)
		aclnn_set_float(b, "beta", beta->f);
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

/* The last argument is the output, or the first one. */
int build_div_mode(struct aclnn_build *b)
{
	enum { SELF, OTHER, MODE, OUT };
	static const unsigned int engine[] = {
		VNPU_OP_DIV, VNPU_OP_DIV_TRUNC, VNPU_OP_DIV_FLOOR,
	};
	unsigned int to = b->op->count > OUT ? OUT : SELF;
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, to);
	struct aclnn_view other = aclnn_view(b, OTHER);
	int64_t mode = aclnn_int(b, MODE);

	if (mode < 0 || mode > 2)
		return aclnn_fail(b, MODE, "expected 0 to 2, given %lld",
				  (long long)mode);
	return aclnn_step2(b, engine[mode], &self, &other, &out);
}

int build_prelu(struct aclnn_build *b)
{
	enum { SELF, WEIGHT, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view weight = aclnn_view(b, WEIGHT);

	/* One weight for each of dimension 1: expand behind it. */
	if (weight.t.rank != 1)
		return aclnn_fail(b, WEIGHT, "expected 1 dimension, given %u",
				  weight.t.rank);
	while (weight.t.rank + 1 < self.t.rank)
		aclnn_insert(&weight, weight.t.rank);
	return aclnn_step2(b, VNPU_OP_PRELU, &self, &weight, &out);
}

/* Cut a tensor in two halves along a dimension; false after a report. */
static bool halves(struct aclnn_build *b, unsigned int arg, unsigned int dim_arg,
		   struct aclnn_view *first, struct aclnn_view *second)
{
	struct aclnn_view self = aclnn_view(b, arg);
	unsigned int dim;
	int64_t half;

	if (!aclnn_dim(b, dim_arg, aclnn_int(b, dim_arg), self.t.rank, &dim))
		return false;
	if (!self.t.rank || self.t.dims[dim] % 2) {
		aclnn_fail(b, arg, "expected an even size of dimension %u",
			   dim);
		return false;
	}
	half = self.t.dims[dim] / 2;
	*first = *second = self;
	aclnn_narrow(first, dim, 0, half, 1);
	aclnn_narrow(second, dim, half, half, 1);
	return true;
}

/* Check that a gradient has the shape of a half, so that none is expanded. */
static bool is_half(struct aclnn_build *b, unsigned int arg,
		    const struct aclnn_view *grad, const struct aclnn_view *half)
{
	bool is_same = grad->t.rank == half->t.rank;

	for (unsigned int i = 0; is_same && i < half->t.rank; i++)
		is_same = grad->t.dims[i] == half->t.dims[i];
	if (!is_same)
		aclnn_fail(b, arg, "expected the shape of each half of the input");
	return is_same;
}

int build_swiglu(struct aclnn_build *b)
{
	enum { X, DIM, OUT };
	struct aclnn_view out = aclnn_view(b, OUT), first, second;

	if (!halves(b, X, DIM, &first, &second))
		return b->status;
	return aclnn_step2(b, VNPU_OP_SILU_MUL, &first, &second, &out);
}

int build_glu(struct aclnn_build *b)
{
	enum { SELF, DIM, OUT };
	struct aclnn_view out = aclnn_view(b, OUT), first, second;

	if (!halves(b, SELF, DIM, &first, &second))
		return b->status;
	return aclnn_step2(b, VNPU_OP_SIGMOID_MUL, &second, &first, &out);
}

/* The output may be the input, which is read before the first half is written. */
int build_glu_backward(struct aclnn_build *b)
{
	enum { GRAD, SELF, DIM, OUT };
	struct aclnn_view grad = aclnn_view(b, GRAD), first, second;
	struct aclnn_view of_first, of_second, gate, product;

	if (!halves(b, SELF, DIM, &first, &second) ||
	    !halves(b, OUT, DIM, &of_first, &of_second) ||
	    !is_half(b, GRAD, &grad, &first))
		return b->status;
	gate = aclnn_result1(b, VNPU_OP_SIGMOID, &second);
	product = aclnn_result2(b, VNPU_OP_MUL, &grad, &first);
	if (aclnn_step2(b, VNPU_OP_MUL, &grad, &gate, &of_first))
		return b->status;
	return aclnn_step2(b, VNPU_OP_SIGMOID_BACKWARD, &product, &gate,
			   &of_second);
}

int build_geglu(struct aclnn_build *b)
{
	enum { SELF, DIM, APPROXIMATE, LEFT, OUT, GELU };
	struct aclnn_view out = aclnn_view(b, OUT), first, second;
	struct aclnn_view gelu = aclnn_view(b, GELU), *active, *other;
	/* Here 0 stands for tanh, unlike in GeluV2 and the engine. */
	bool is_tanh = !aclnn_int(b, APPROXIMATE);

	if (!halves(b, SELF, DIM, &first, &second))
		return b->status;
	active = aclnn_int(b, LEFT) ? &first : &second;
	other = aclnn_int(b, LEFT) ? &second : &first;
	aclnn_begin(b, VNPU_OP_GELU, 1, 1);
	aclnn_set_int(b, "approximate", is_tanh);
	aclnn_put(b, 0, active);
	aclnn_put(b, 1, &gelu);
	if (aclnn_end(b))
		return b->status;
	/* Compute it again: outGelu is rounded to its type. */
	aclnn_begin(b, VNPU_OP_GELU_MUL, 2, 1);
	aclnn_set_int(b, "approximate", is_tanh);
	aclnn_put(b, 0, active);
	aclnn_put(b, 1, other);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}

int build_sum_list(struct aclnn_build *b)
{
	enum { TENSORS, OUT };
	const struct aclnn_array *list = aclnn_array(b, TENSORS);
	struct aclnn_view out = aclnn_view(b, OUT), next;
	struct aclnn_view zero = aclnn_integer(0), sum = zero;
	bool is_float = vnpu_dtype_is_float(out.t.dtype);

	if (!list->size)
		return aclnn_fail(b, TENSORS, "the list is empty");
	/* The output may be a member, which is read in its turn. */
	if (list->size > 2)
		sum = aclnn_temporary(b, is_float ? VNPU_DT_F64 : VNPU_DT_I64,
				      out.t.rank, out.t.dims);
	for (uint64_t i = 0; i < list->size && !b->status; i++) {
		bool is_last = i + 1 == list->size;

		next = aclnn_member(b, TENSORS, i);
		if (b->status)
			break;
		if (!i && !is_last && list->size == 2) {
			sum = next;
			continue;
		}
		/* A float must not become an integer: only ADD checks that. */
		if (!i && !is_last && !is_float)
			aclnn_step2(b, VNPU_OP_ADD, &zero, &next, &sum);
		else if (!i)
			aclnn_step1(b, VNPU_OP_COPY, &next,
				    is_last ? &out : &sum);
		else
			aclnn_step2(b, VNPU_OP_ADD, &sum, &next,
				    is_last ? &out : &sum);
	}
	return b->status;
}

int build_swiglu_grad(struct aclnn_build *b)
{
	enum { GRAD, X, DIM, OUT };
	struct aclnn_view grad = aclnn_view(b, GRAD), first, second, slope;
	struct aclnn_view of_first, of_second, gated;

	if (!halves(b, X, DIM, &first, &second) ||
	    !halves(b, OUT, DIM, &of_first, &of_second) ||
	    !is_half(b, GRAD, &grad, &first))
		return b->status;
	/* Both results first: the output may be the input. */
	slope = aclnn_result2(b, VNPU_OP_MUL, &grad, &second);
	gated = aclnn_result1(b, VNPU_OP_SILU, &first);
	gated = aclnn_result2(b, VNPU_OP_MUL, &gated, &grad);
	slope = aclnn_result2(b, VNPU_OP_SILU_BACKWARD, &slope, &first);
	if (b->status || aclnn_step1(b, VNPU_OP_COPY, &slope, &of_first))
		return b->status;
	return aclnn_step1(b, VNPU_OP_COPY, &gated, &of_second);
}

/* From the result r, where it is not positive: r + alpha * scale. */
int build_elu_backward(struct aclnn_build *b)
{
	enum { GRAD, ALPHA, SCALE, INPUT_SCALE, IS_RESULT, SELF, OUT };
	struct aclnn_view grad = aclnn_view(b, GRAD), self = aclnn_view(b, SELF);
	struct aclnn_view scale = aclnn_view(b, SCALE), out = aclnn_view(b, OUT);
	struct aclnn_view factor = aclnn_view(b, INPUT_SCALE);
	double alpha = aclnn_scalar(b, ALPHA)->f;
	double scaled = alpha * aclnn_scalar(b, SCALE)->f;
	struct aclnn_view zero = aclnn_integer(0), slope, is_positive;

	if (!aclnn_int(b, IS_RESULT)) {
		aclnn_begin(b, VNPU_OP_ELU_BACKWARD, 2, 1);
		aclnn_set_float(b, "alpha", alpha);
		aclnn_set_scalar(b, "scale", aclnn_scalar(b, SCALE));
		aclnn_set_scalar(b, "input_scale",
				 aclnn_scalar(b, INPUT_SCALE));
		aclnn_put(b, 0, &grad);
		aclnn_put(b, 1, &self);
		aclnn_put(b, 2, &out);
		return aclnn_end(b);
	}
	slope = aclnn_number(scaled);
	slope = aclnn_result2(b, VNPU_OP_ADD, &self, &slope);
	slope = aclnn_result2(b, VNPU_OP_MUL, &slope, &factor);
	is_positive = aclnn_result2(b, VNPU_OP_GT, &self, &zero);
	slope = aclnn_where(b, &is_positive, &scale, &slope);
	return aclnn_step2(b, VNPU_OP_MUL, &grad, &slope, &out);
}

/* sin(pi * x) / (pi * x), and 1 at 0. */
int build_sinc(struct aclnn_build *b)
{
	enum { SELF, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view pi = aclnn_number(M_PI), zero = aclnn_integer(0);
	struct aclnn_view one = aclnn_integer(1), angle, value, is_zero;

	is_zero = aclnn_result2(b, VNPU_OP_EQ, &self, &zero);
	angle = aclnn_result2(b, VNPU_OP_MUL, &self, &pi);
	value = aclnn_result1(b, VNPU_OP_SIN, &angle);
	value = aclnn_result2(b, VNPU_OP_DIV, &value, &angle);
	aclnn_begin(b, VNPU_OP_WHERE, 3, 1);
	aclnn_put(b, 0, &is_zero);
	aclnn_put(b, 1, &one);
	aclnn_put(b, 2, &value);
	aclnn_put(b, 3, &out);
	return aclnn_end(b);
}

int build_logaddexp2(struct aclnn_build *b)
{
	enum { SELF, OTHER, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view other = aclnn_view(b, OTHER);
	struct aclnn_view factor = aclnn_number(M_LN2);

	self = aclnn_result2(b, VNPU_OP_MUL, &self, &factor);
	other = aclnn_result2(b, VNPU_OP_MUL, &other, &factor);
	self = aclnn_result2(b, VNPU_OP_LOGADDEXP, &self, &other);
	return aclnn_step2(b, VNPU_OP_DIV, &self, &factor, &out);
}

static int is_infinity(struct aclnn_build *b, double infinity)
{
	enum { SELF, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view number = aclnn_number(infinity);

	return aclnn_step2(b, VNPU_OP_EQ, &self, &number, &out);
}

int build_is_positive_infinity(struct aclnn_build *b)
{
	return is_infinity(b, INFINITY);
}

int build_is_negative_infinity(struct aclnn_build *b)
{
	return is_infinity(b, -INFINITY);
}
