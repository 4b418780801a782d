// SPDX-License-Identifier: MIT
/*
 * The type GEMM: alpha * A * B + beta * C, where alpha and beta are tensors.  aclnn
 * has no such operator, and aclblas needs it.
 */
#include "build.h"
#include "single.h"

enum { A, B, C, ALPHA, BETA, OUT };

/* Have a matrix of i8 as i32, in which products are exact. */
static struct aclnn_view factor(struct aclnn_build *b, unsigned int arg)
{
	struct aclnn_view view = aclnn_view(b, arg), wide;

	if (view.t.dtype != VNPU_DT_I8)
		return view;
	wide = aclnn_temporary(b, VNPU_DT_I32, view.t.rank, view.t.dims);
	aclnn_step1(b, VNPU_OP_COPY, &view, &wide);
	return wide;
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

	left = aclnn_result2(b, VNPU_OP_MATMUL, &left, &right);
	left = aclnn_result2(b, VNPU_OP_MUL, &left, &alpha);
	c = aclnn_result2(b, VNPU_OP_MUL, &c, &beta);
	return b->status ? b->status :
			   aclnn_step2(b, VNPU_OP_ADD, &left, &c, &out);
}

static const struct aclnn_arg args[] = {
	[A] = { "a", ACLNN_TENSOR, false },
	[B] = { "b", ACLNN_TENSOR, false },
	[C] = { "c", ACLNN_TENSOR, false },
	[ALPHA] = { "alpha", ACLNN_TENSOR, false },
	[BETA] = { "beta", ACLNN_TENSOR, false },
	[OUT] = { "y", ACLNN_OUTPUT, false },
};

const struct aclnn_op aclnn_single_gemm = {
	.name = "GEMM",
	.args = args,
	.count = sizeof(args) / sizeof(*args),
	.build = build,
};
