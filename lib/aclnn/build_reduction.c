// SPDX-License-Identifier: MIT
/* Products of which each rank computes a part. */
#include <string.h>

#include "hccl/hccl_types.h"
#include "build.h"
#include "builders.h"

/* Get the type of HCCL for an output, or -1. */
static int type_of(unsigned int dtype)
{
	switch (dtype) {
	case VNPU_DT_F16:
		return HCCL_DATA_TYPE_FP16;
	case VNPU_DT_BF16:
		return HCCL_DATA_TYPE_BFP16;
	case VNPU_DT_F32:
		return HCCL_DATA_TYPE_FP32;
	default:
		return -1;
	}
}

int build_matmul_all_reduce(struct aclnn_build *b)
{
	enum { X1, X2, BIAS, GROUP, REDUCE, TURN, MODE, OUT };
	struct aclnn_view x1 = aclnn_view(b, X1), x2 = aclnn_view(b, X2);
	struct aclnn_view bias = aclnn_view(b, BIAS), out = aclnn_view(b, OUT);
	const char *reduce = b->values[REDUCE].p;
	int type = type_of(out.t.dtype);

	if (strcmp(reduce, "sum"))
		return aclnn_fail(b, REDUCE, "expected sum, given %.16s", reduce);
	if (x2.t.rank != 2)
		return aclnn_fail(b, X2, "expected 2 dimensions, given %u",
				  x2.t.rank);
	if (type < 0 || !vnpu_tensor_is_contiguous(&out.t))
		return aclnn_fail(b, OUT, "expected a contiguous tensor of f16, bf16 or f32");
	aclnn_begin(b, VNPU_OP_MATMUL, 3, 1);
	aclnn_put(b, 0, &x1);
	aclnn_put(b, 1, &x2);
	aclnn_put(b, 2, &bias);
	aclnn_put(b, 3, &out);
	if (aclnn_end(b))
		return b->status;
	b->reduction.arg = OUT;
	b->reduction.offset = out.t.offset * (vnpu_dtype_bits(out.t.dtype) / 8);
	b->reduction.count = vnpu_tensor_elements(&out.t);
	b->reduction.type = type;
	b->reduction.op = HCCL_REDUCE_SUM;
	b->reduction.comm = aclnn_reduction_comm(b, GROUP);
	return b->status;
}
