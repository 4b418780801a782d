// SPDX-License-Identifier: MIT
/*
 * Products of matrices.
 *
 * The engine reads any layout at the same speed.  So the format of a weight does
 * not matter: TransMatmulWeight leaves it as it is.
 */
#include "build.h"
#include "builders.h"

static int product(struct aclnn_build *b, unsigned int rank_self,
		   unsigned int rank_other, unsigned int out_arg)
{
	struct aclnn_view self = aclnn_view(b, 0), other = aclnn_view(b, 1);
	struct aclnn_view out = aclnn_view(b, out_arg);

	if (rank_self && self.t.rank != rank_self)
		return aclnn_fail(b, 0, "expected %u dimensions, given %u",
				  rank_self, self.t.rank);
	if (rank_other && other.t.rank != rank_other)
		return aclnn_fail(b, 1, "expected %u dimensions, given %u",
				  rank_other, other.t.rank);
	return aclnn_step2(b, VNPU_OP_MATMUL, &self, &other, &out);
}

int build_mm(struct aclnn_build *b)
{
	return product(b, 2, 2, 2);
}

int build_batch_matmul(struct aclnn_build *b)
{
	return product(b, 3, 3, 2);
}

int build_matmul(struct aclnn_build *b)
{
	return product(b, 0, 0, 2);
}

int build_mv(struct aclnn_build *b)
{
	return product(b, 2, 1, 2);
}

/* alpha * mat * vec + beta * self */
int build_addmv(struct aclnn_build *b)
{
	enum { SELF, MAT, VEC, ALPHA, BETA, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view mat = aclnn_view(b, MAT), vec = aclnn_view(b, VEC);

	if (mat.t.rank != 2)
		return aclnn_fail(b, MAT, "expected 2 dimensions, given %u",
				  mat.t.rank);
	if (vec.t.rank != 1)
		return aclnn_fail(b, VEC, "expected 1 dimension, given %u",
				  vec.t.rank);
	aclnn_begin(b, VNPU_OP_MATMUL, 3, 1);
	aclnn_set_scalar(b, "alpha", aclnn_scalar(b, ALPHA));
	aclnn_set_scalar(b, "beta", aclnn_scalar(b, BETA));
	aclnn_put(b, 0, &mat);
	aclnn_put(b, 1, &vec);
	aclnn_put(b, 2, &self);
	aclnn_put(b, 3, &out);
	return aclnn_end(b);
}

int build_dot(struct aclnn_build *b)
{
	return product(b, 1, 1, 2);
}

int build_ger(struct aclnn_build *b)
{
	enum { SELF, VECTOR, OUT };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view vector = aclnn_view(b, VECTOR);

	if (self.t.rank != 1 || vector.t.rank != 1)
		return aclnn_fail(b, self.t.rank != 1 ? SELF : VECTOR,
				  "expected 1 dimension, given %u",
				  self.t.rank != 1 ? self.t.rank :
						     vector.t.rank);
	aclnn_insert(&self, 1);
	return aclnn_step2(b, VNPU_OP_MUL, &self, &vector, &out);
}

int build_gemm(struct aclnn_build *b)
{
	enum { A, B, C, ALPHA, BETA, TRANS_A, TRANS_B, OUT };
	struct aclnn_view a = aclnn_view(b, A), c = aclnn_view(b, C);
	struct aclnn_view other = aclnn_view(b, B), out = aclnn_view(b, OUT);

	if (a.t.rank != 2 || other.t.rank != 2)
		return aclnn_fail(b, a.t.rank != 2 ? A : B,
				  "expected 2 dimensions, given %u",
				  a.t.rank != 2 ? a.t.rank : other.t.rank);
	if (aclnn_int(b, TRANS_A))
		aclnn_swap(&a, 0, 1);
	if (aclnn_int(b, TRANS_B))
		aclnn_swap(&other, 0, 1);
	aclnn_begin(b, VNPU_OP_MATMUL, 3, 1);
	aclnn_set_float(b, "alpha", aclnn_float(b, ALPHA));
	aclnn_set_float(b, "beta", aclnn_float(b, BETA));
	aclnn_put(b, 0, &a);
	aclnn_put(b, 1, &other);
	aclnn_put(b, 2, &c);
	aclnn_put(b, 3, &out);
	return aclnn_end(b);
}

/* Repeat a matrix for each batch of another one, where it has a single one. */
static void repeat_batches(struct aclnn_view *view, const struct vnpu_tensor *of)
{
	while (view->t.rank < of->rank)
		aclnn_insert(view, 0);
	for (unsigned int i = 0; i + 2 < of->rank; i++)
		if (view->t.dims[i] == 1 && of->dims[i] != 1) {
			view->t.dims[i] = of->dims[i];
			view->t.strides[i] = 0;
		}
}

int build_triangular_solve(struct aclnn_build *b)
{
	enum { SELF, A, UPPER, TRANSPOSE, UNIT, OUT, COPY };
	struct aclnn_view self = aclnn_view(b, SELF), out = aclnn_view(b, OUT);
	struct aclnn_view a = aclnn_view(b, A), copy = aclnn_view(b, COPY);
	struct aclnn_view matrix = a;

	repeat_batches(&matrix, &self.t);
	repeat_batches(&self, &matrix.t);
	aclnn_begin(b, VNPU_OP_TRIANGULAR_SOLVE, 2, 1);
	aclnn_set_int(b, "upper", aclnn_int(b, UPPER));
	aclnn_set_int(b, "transpose", aclnn_int(b, TRANSPOSE));
	aclnn_set_int(b, "unitriangular", aclnn_int(b, UNIT));
	aclnn_put(b, 0, &self);
	aclnn_put(b, 1, &matrix);
	aclnn_put(b, 2, &out);
	if (aclnn_end(b))
		return b->status;
	return aclnn_step1(b, VNPU_OP_COPY, &a, &copy);
}

int build_weight_quant(struct aclnn_build *b)
{
	enum { X, WEIGHT, SCALE, OFFSET, QUANT_SCALE, QUANT_OFFSET, BIAS, GROUP,
	       Y };
	static const unsigned int inputs[] = { X, WEIGHT, SCALE, OFFSET, BIAS };
	struct aclnn_view view;

	for (unsigned int i = QUANT_SCALE; i <= QUANT_OFFSET; i++)
		if (b->object[i])
			return aclnn_fail(b, i,
					  "results of integers are not supported; expected NULL");
	aclnn_begin(b, VNPU_OP_QUANT_MATMUL, 5, 1);
	aclnn_set_int(b, "group", aclnn_int(b, GROUP));
	for (unsigned int i = 0; i < 5; i++) {
		view = aclnn_view(b, inputs[i]);
		/* A bias may be a matrix with one row. */
		if (inputs[i] == BIAS && view.t.rank == 2 &&
		    view.t.dims[0] == 1) {
			aclnn_swap(&view, 0, 1);
			view.t.rank = 1;
		}
		aclnn_put(b, i, &view);
	}
	view = aclnn_view(b, Y);
	aclnn_put(b, 5, &view);
	return aclnn_end(b);
}
