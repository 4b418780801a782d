// SPDX-License-Identifier: MIT
/*
 * The type GEMM: alpha * A * B + beta * C, where alpha and beta are tensors.  aclnn
 * has no such operator, and aclblas needs it.
 */
#include "build.h"
#include "single.h"

enum { A, B, C, ALPHA, BETA, OUT };

/* Convert a matrix to another type. */
static struct aclnn_view cast(struct aclnn_build *b, struct aclnn_view view,
			      unsigned int dtype)
{
	struct aclnn_view wide = aclnn_temporary(b, dtype, view.t.rank,
						 view.t.dims);

	aclnn_step1(b, VNPU_OP_COPY, &view, &wide);
	return wide;
}

/* Convert a matrix of i8 to i32, in which products are exact. */
static struct aclnn_view factor(struct aclnn_build *b, unsigned int arg)
{
	struct aclnn_view view = aclnn_view(b, arg);

	return view.t.dtype == VNPU_DT_I8 ? cast(b, view, VNPU_DT_I32) : view;
}

/* Convert a matrix of halves to f32, so that only the result is rounded. */
static struct aclnn_view widen(struct aclnn_build *b, struct aclnn_view view)
{
	return view.t.dtype == VNPU_DT_F16 || view.t.dtype == VNPU_DT_BF16 ?
		       cast(b, view, VNPU_DT_F32) : view;
}

/* View a factor of one element, which has no effect on shapes. */
static struct aclnn_view single(struct aclnn_build *b, unsigned int arg)
{
	struct aclnn_view view = aclnn_view(b, arg);

	if (vnpu_tensor_elements(&view.t) != 1)
		aclnn_fail(b, arg, "expected 1 element");
	view.t.rank = 0;
	return view;
}

static int build(struct aclnn_build *b)
{
	struct aclnn_view alpha = single(b, ALPHA), beta = single(b, BETA);
	struct aclnn_view left = factor(b, A), right = factor(b, B);
	struct aclnn_view c = aclnn_view(b, C), out = aclnn_view(b, OUT);
	struct aclnn_view zero = aclnn_integer(0), is_zero;

	/* A product is f32 if one factor is: the smaller one. */
	if (vnpu_tensor_elements(&left.t) <= vnpu_tensor_elements(&right.t))
		left = widen(b, left);
	else
		right = widen(b, right);
	left = aclnn_result2(b, VNPU_OP_MATMUL, &left, &right);
	left = aclnn_result2(b, VNPU_OP_MUL, &left, &alpha);
	c = widen(b, c);
	c = aclnn_result2(b, VNPU_OP_MUL, &c, &beta);
	/* Without beta, elements of C count for nothing, not even NaN. */
	is_zero = aclnn_result2(b, VNPU_OP_EQ, &beta, &zero);
	c = aclnn_where(b, &is_zero, &zero, &c);
	return b->status ? b->status :
			   aclnn_step2(b, VNPU_OP_ADD, &left, &c, &out);
}

static const struct aclnn_arg args[] = {
	[A] = { "a", ACLNN_TENSOR, false, false },
	[B] = { "b", ACLNN_TENSOR, false, false },
	[C] = { "c", ACLNN_TENSOR, false, false },
	[ALPHA] = { "alpha", ACLNN_TENSOR, false, false },
	[BETA] = { "beta", ACLNN_TENSOR, false, false },
	[OUT] = { "y", ACLNN_OUTPUT, false, false },
};

const struct aclnn_op aclnn_single_gemm = {
	.name = "GEMM",
	.args = args,
	.count = sizeof(args) / sizeof(*args),
	.build = build,
};
