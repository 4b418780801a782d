// SPDX-License-Identifier: MIT
/* Products of which each rank computes a part. */
#include <string.h>

#include "hccl/hccl_types.h"
#include "build.h"
#include "builders.h"

/* Get the type of HCCL for elements, or -1. */
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

/* Check that libhccl can take a tensor; false after a report. */
static bool can_exchange(struct aclnn_build *b, unsigned int arg)
{
	struct aclnn_view view = aclnn_view(b, arg);

	if (type_of(view.t.dtype) >= 0 && vnpu_tensor_is_contiguous(&view.t))
		return true;
	aclnn_fail(b, arg,
		   "expected a contiguous tensor of f16, bf16 or f32, given %s%s",
		   vnpu_tensor_is_contiguous(&view.t) ? "" : "a view of ",
		   vnpu_dtype_name(view.t.dtype));
	return false;
}

static struct aclnn_buffer buffer_of(const struct aclnn_view *view)
{
	struct aclnn_buffer buffer = {
		.arg = view->arg,
		.address = view->t.data,
		.offset = view->t.offset * (vnpu_dtype_bits(view->t.dtype) / 8),
	};

	/* The second phase has the address of the workspace. */
	if (view->arg == ACLNN_WORKSPACE)
		buffer.offset += view->t.data - ACLNN_WORKSPACE_BASE;
	return buffer;
}

/* Exchange elements; @one is the tensor that has as many as HCCL counts. */
static int exchange(struct aclnn_build *b, enum aclnn_exchange kind,
		    const struct aclnn_view *from, const struct aclnn_view *to,
		    const struct aclnn_view *one)
{
	b->collective.kind = kind;
	b->collective.from = buffer_of(from);
	b->collective.to = buffer_of(to);
	b->collective.count = vnpu_tensor_elements(&one->t);
	b->collective.type = type_of(one->t.dtype);
	return b->status;
}

/* Append a product with a bias that may be absent. */
static int multiply(struct aclnn_build *b, const struct aclnn_view *x1,
		    const struct aclnn_view *out)
{
	enum { X2 = 1, BIAS };
	struct aclnn_view x2 = aclnn_view(b, X2), bias = aclnn_view(b, BIAS);

	aclnn_begin(b, VNPU_OP_MATMUL, 3, 1);
	aclnn_put(b, 0, x1);
	aclnn_put(b, 1, &x2);
	aclnn_put(b, 2, &bias);
	aclnn_put(b, 3, out);
	return aclnn_end(b);
}

/* Check that an argument is a matrix; false after a report. */
static bool is_matrix(struct aclnn_build *b, unsigned int arg)
{
	struct aclnn_view view = aclnn_view(b, arg);

	if (view.t.rank != 2)
		aclnn_fail(b, arg, "expected 2 dimensions, given %u", view.t.rank);
	return view.t.rank == 2;
}

/* Check the operation of a reduction; false after a report. */
static bool is_sum(struct aclnn_build *b, unsigned int arg)
{
	const char *reduce = b->values[arg].p;

	if (strcmp(reduce, "sum"))
		aclnn_fail(b, arg, "expected sum, given %.16s", reduce);
	return !b->status;
}

int build_matmul_all_reduce(struct aclnn_build *b)
{
	enum { X1, X2, BIAS, GROUP, REDUCE, TURN, MODE, OUT };
	struct aclnn_view x1 = aclnn_view(b, X1), out = aclnn_view(b, OUT);
	uint32_t ranks;

	if (!is_sum(b, REDUCE) || !is_matrix(b, X2) || !can_exchange(b, OUT) ||
	    multiply(b, &x1, &out))
		return b->status;
	b->collective.comm = aclnn_collective_comm(b, GROUP, &ranks);
	return exchange(b, ACLNN_ALL_REDUCE, &out, &out, &out);
}

/*
 * Get the tensor for the rows of all ranks: the output for them, or a temporary if
 * the caller does not want them and passes a tensor without elements.
 */
static struct aclnn_view gathered(struct aclnn_build *b, unsigned int arg,
				  const struct aclnn_view *x1, uint32_t ranks)
{
	struct aclnn_view view = aclnn_view(b, arg), want = *x1;
	int64_t count;

	if (__builtin_mul_overflow(vnpu_tensor_elements(&x1->t), ranks, &count) ||
	    count > VNPU_TENSOR_MAX) {
		aclnn_fail(b, ACLNN_NO_ARG,
			   "the rows of all ranks have too many elements");
		return view;
	}
	want.t.dims[0] *= ranks;
	if (!aclnn_has(&view) || !vnpu_tensor_elements(&view.t))
		return aclnn_temporary(b, x1->t.dtype, 2, want.t.dims);
	if (aclnn_has_shape(b, arg, &want) && can_exchange(b, arg) &&
	    view.t.dtype != x1->t.dtype)
		aclnn_fail(b, arg, "expected type %s, given %s",
			   vnpu_dtype_name(x1->t.dtype),
			   vnpu_dtype_name(view.t.dtype));
	return view;
}

int build_all_gather_matmul(struct aclnn_build *b)
{
	enum { X1, X2, BIAS, GROUP, INDEX, TURN, MODE, OUT, GATHERED };
	struct aclnn_view x1 = aclnn_view(b, X1), out = aclnn_view(b, OUT), all;
	uint32_t ranks;

	if (aclnn_int(b, INDEX))
		return aclnn_fail(b, INDEX, "expected 0, given %lld",
				  (long long)aclnn_int(b, INDEX));
	if (!is_matrix(b, X1) || !is_matrix(b, X2) || !can_exchange(b, X1))
		return b->status;
	b->collective.comm = aclnn_collective_comm(b, GROUP, &ranks);
	if (b->status)
		return b->status;
	all = gathered(b, GATHERED, &x1, ranks);
	if (b->status || multiply(b, &all, &out))
		return b->status;
	return exchange(b, ACLNN_ALL_GATHER, &x1, &all, &x1);
}

int build_matmul_reduce_scatter(struct aclnn_build *b)
{
	enum { X1, X2, BIAS, GROUP, REDUCE, TURN, MODE, OUT };
	struct aclnn_view x1 = aclnn_view(b, X1), x2 = aclnn_view(b, X2);
	struct aclnn_view out = aclnn_view(b, OUT), want = x1, product;
	const int64_t dims[] = { x1.t.dims[0], x2.t.dims[1] };
	uint32_t ranks;

	if (!is_sum(b, REDUCE) || !is_matrix(b, X1) || !is_matrix(b, X2) ||
	    !can_exchange(b, OUT))
		return b->status;
	b->collective.comm = aclnn_collective_comm(b, GROUP, &ranks);
	if (b->status)
		return b->status;
	if (x1.t.dims[0] % ranks)
		return aclnn_fail(b, X1,
				  "expected a multiple of %u ranks in dimension 0, given %lld",
				  ranks, (long long)x1.t.dims[0]);
	want.t.dims[0] = dims[0] / ranks;
	want.t.dims[1] = dims[1];
	if (!aclnn_has_shape(b, OUT, &want))
		return b->status;
	product = aclnn_temporary(b, out.t.dtype, 2, dims);
	if (multiply(b, &x1, &product))
		return b->status;
	return exchange(b, ACLNN_REDUCE_SCATTER, &product, &out, &out);
}
