// SPDX-License-Identifier: MIT
/* Products of matrices. See op.h. */
#include <string.h>

#include "op/op.h"

#define DIMS VNPU_TENSOR_DIMS

/* Find the shape of a product; return its rank, or a negative errno. */
static int product_shape(struct build *b, const struct build_view *x,
			 const struct build_view *y, int64_t *dims)
{
	struct build_view left = *x, right = *y;
	const struct build_view *both[] = { &left, &right };
	int64_t inner, other;
	int rank;

	if (op_need_rank(b, 0, x, 1, DIMS) || op_need_rank(b, 1, y, 1, DIMS))
		return b->g->err;
	inner = x->t.dims[x->t.rank - 1];
	other = y->t.dims[y->t.rank > 1 ? y->t.rank - 2 : 0];
	if (inner != other)
		return build_fail(b, "inner dimensions of %lld and %lld differ",
				  (long long)inner, (long long)other);
	left.t.rank = x->t.rank > 2 ? x->t.rank - 2 : 0;
	right.t.rank = y->t.rank > 2 ? y->t.rank - 2 : 0;
	rank = op_broadcast(b, both, 2, dims);
	if (rank < 0)
		return rank;
	if (x->t.rank > 1)
		dims[rank++] = x->t.dims[x->t.rank - 2];
	if (y->t.rank > 1)
		dims[rank++] = y->t.dims[y->t.rank - 1];
	return rank;
}

static int multiply(struct build *b, const struct build_view *x,
		    const struct build_view *y, const struct build_view *out)
{
	build_begin(b, VNPU_OP_MATMUL);
	op_set_limits(b);
	return build_end(b, 2, 1, x, y, out);
}

int op_matmul(struct build *b)
{
	struct build_view x = build_in(b, 0), y = build_in(b, 1), out;
	int64_t dims[DIMS];
	int rank;

	rank = product_shape(b, &x, &y, dims);
	if (rank < 0 || op_same_type(b, &x, &y))
		return b->g->err;
	out = build_out(b, 0, x.t.dtype, rank, dims);
	return multiply(b, &x, &y, &out);
}

/* An operator that only a pass makes: add the third input to the product. */
int op_matmul_bias(struct build *b)
{
	struct build_view x = build_in(b, 0), y = build_in(b, 1), out;
	struct build_view bias = build_in(b, 2);
	int64_t dims[DIMS];
	int rank;

	rank = product_shape(b, &x, &y, dims);
	if (rank < 0)
		return b->g->err;
	out = build_out(b, 0, x.t.dtype, rank, dims);
	build_begin(b, VNPU_OP_MATMUL);
	op_set_limits(b);
	return build_end(b, 3, 1, &x, &y, &bias, &out);
}

int op_gemm(struct build *b)
{
	struct build_view x = build_in(b, 0), y = build_in(b, 1), out;
	struct build_view bias = build_in(b, 2);
	float beta = build_attr_float(b, "beta", 1);
	int64_t dims[DIMS];

	if (op_need_rank(b, 0, &x, 2, 2) || op_need_rank(b, 1, &y, 2, 2) ||
	    op_same_type(b, &x, &y))
		return b->g->err;
	if (build_attr_int(b, "transA", 0))
		view_swap(&x, 0, 1);
	if (build_attr_int(b, "transB", 0))
		view_swap(&y, 0, 1);
	if (product_shape(b, &x, &y, dims) < 0)
		return b->g->err;
	out = build_out(b, 0, x.t.dtype, 2, dims);
	build_begin(b, VNPU_OP_MATMUL);
	build_set_float(b, "alpha", build_attr_float(b, "alpha", 1));
	build_set_float(b, "beta", beta);
	op_set_limits(b);
	return build_end(b, 3, 1, &x, &y, &bias, &out);
}

/* Subtract a zero point in f64, where all products and sums are exact. */
static struct build_view less_zero(struct build *b, unsigned int in,
				   unsigned int zero, bool of_rows)
{
	struct build_view x = build_in(b, in), z = build_in(b, zero), wide;

	wide = build_temp(b, VNPU_DT_F64, x.t.rank, x.t.dims);
	build_copy(b, &x, &wide);
	if (!view_has(&z))
		return wide;
	/* One for each row; one for each column broadcasts by itself. */
	if (of_rows && z.t.rank == 1 && z.t.dims[0] > 1)
		view_insert(&z, 1, 1);
	z = build_cast(b, &z, VNPU_DT_F64);
	build_op2(b, VNPU_OP_SUB, &wide, &z, &wide);
	return wide;
}

int op_matmul_integer(struct build *b)
{
	struct build_view x = less_zero(b, 0, 2, true);
	struct build_view y = less_zero(b, 1, 3, false), out, wide;
	int64_t dims[DIMS];
	int rank;

	rank = product_shape(b, &x, &y, dims);
	if (rank < 0)
		return rank;
	out = build_out(b, 0, VNPU_DT_I32, rank, dims);
	wide = build_temp(b, VNPU_DT_F64, rank, dims);
	multiply(b, &x, &y, &wide);
	return build_copy(b, &wide, &out);
}

int op_qlinear_matmul(struct build *b)
{
	enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO };
	struct build_view x = less_zero(b, A, A_ZERO, true);
	struct build_view y = less_zero(b, B, B_ZERO, false), out, t;
	struct build_view xs = build_in(b, A_SCALE), ys = build_in(b, B_SCALE);
	struct build_view scale = build_in(b, Y_SCALE), zero = build_in(b, Y_ZERO);
	int64_t dims[DIMS];
	int rank;

	rank = product_shape(b, &x, &y, dims);
	if (rank < 0)
		return rank;
	out = build_out(b, 0, zero.t.dtype, rank, dims);
	t = build_temp(b, VNPU_DT_F64, rank, dims);
	multiply(b, &x, &y, &t);
	build_op2(b, VNPU_OP_MUL, &t, &xs, &t);
	build_op2(b, VNPU_OP_MUL, &t, &ys, &t);
	build_op2(b, VNPU_OP_DIV, &t, &scale, &t);
	return op_round_to(b, &t, &zero, &out);
}

/* Element [row][column] of matrices, the last two dimensions. */
static struct build_view entry(struct build_view x, int64_t row, int64_t column)
{
	unsigned int n = x.t.rank;

	view_slice(&x, n - 2, row, 1, 1);
	view_slice(&x, n - 1, column, 1, 1);
	view_remove(&x, n - 1);
	view_remove(&x, n - 2);
	return x;
}

/* out += sign * the product of elements in columns @p[] of the rows. */
static void add_product(struct build *b, const struct build_view *x,
			const int *p, unsigned int n, double sign,
			const struct build_view *out)
{
	struct build_view t = build_temp_like(b, out), e = entry(*x, 0, p[0]);
	struct build_view factor = view_number(sign);
	unsigned int i;

	build_copy(b, &e, &t);
	for (i = 1; i < n; i++) {
		e = entry(*x, i, p[i]);
		build_op2(b, VNPU_OP_MUL, &t, &e, &t);
	}
	build_op3(b, VNPU_OP_ADDCMUL, out, &t, &factor, out);
}

/* The sum over permutations, which is exact enough for small matrices only. */
int op_det(struct build *b)
{
	static const int perms[][3] = {
		{ 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
		{ 0, 2, 1 }, { 1, 0, 2 }, { 2, 1, 0 },
	};
	static const int pairs[][3] = { { 0, 1 }, { 1, 0 } };
	struct build_view x = build_in(b, 0), y, zero = view_number(0);
	unsigned int rank = x.t.rank, count, i;
	int64_t n;

	if (op_need_rank(b, 0, &x, 2, DIMS))
		return b->g->err;
	n = x.t.dims[rank - 1];
	if (n != x.t.dims[rank - 2] || n < 2 || n > 3)
		return build_refuse(b, "matrices of %lld x %lld are not supported, only 2 x 2 and 3 x 3",
				    (long long)x.t.dims[rank - 2],
				    (long long)n);
	y = build_out(b, 0, x.t.dtype, rank - 2, x.t.dims);
	build_copy(b, &zero, &y);
	count = n == 2 ? 2 : 6;
	for (i = 0; i < count; i++)
		add_product(b, &x, n == 2 ? pairs[i] : perms[i], n,
			    2 * i < count ? 1 : -1, &y);
	return b->g->err;
}
