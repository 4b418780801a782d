// SPDX-License-Identifier: MIT
/* The gradient of rotary position embedding. */
#include "build.h"
#include "builders.h"

enum { DY, COS, SIN, X, MODE, DX, DCOS, DSIN };
enum { HALVES, PAIRS, QUARTERS };

/* Keep the elements of the last dimension that take part @i of a rotation. */
static struct aclnn_view part_of(const struct aclnn_view *view, int64_t mode,
				 unsigned int i)
{
	unsigned int last = view->t.rank - 1;
	int64_t n = view->t.dims[last] / (mode == QUARTERS ? 4 : 2);
	struct aclnn_view part = *view;

	if (mode == PAIRS)
		aclnn_narrow(&part, last, i, n, 2);
	else
		aclnn_narrow(&part, last, i * n, n, 1);
	return part;
}

/*
 * Compute the sine of the gradient: the gradient is a rotation itself, back, where
 * both elements of a pair have exchanged their sines.
 */
static struct aclnn_view turn_back(struct aclnn_build *b,
				   const struct aclnn_view *sine, int64_t mode)
{
	struct aclnn_view back = aclnn_temporary(b, sine->t.dtype, sine->t.rank,
						 sine->t.dims);

	for (unsigned int i = 0; i < (mode == QUARTERS ? 4 : 2); i++) {
		struct aclnn_view from = part_of(sine, mode, i ^ 1);
		struct aclnn_view to = part_of(&back, mode, i);

		aclnn_step1(b, VNPU_OP_NEG, &from, &to);
	}
	return back;
}

/* Rotate x by 90 degrees. */
static struct aclnn_view turn(struct aclnn_build *b, const struct aclnn_view *x)
{
	struct aclnn_view cosine, sine, number = aclnn_number(0);
	const int64_t *n = &x->t.dims[x->t.rank - 1];

	cosine = aclnn_temporary(b, VNPU_DT_F32, 1, n);
	aclnn_step1(b, VNPU_OP_COPY, &number, &cosine);
	sine = aclnn_temporary(b, VNPU_DT_F32, 1, n);
	number = aclnn_number(1);
	aclnn_step1(b, VNPU_OP_COPY, &number, &sine);
	aclnn_begin(b, VNPU_OP_ROPE, 3, 1);
	aclnn_set_int(b, "mode", aclnn_int(b, MODE));
	aclnn_put(b, 0, x);
	aclnn_put(b, 1, &cosine);
	aclnn_put(b, 2, &sine);
	return aclnn_result(b);
}

/* Sum dy times a factor over the dimensions that the output lacks. */
static int sum_to(struct aclnn_build *b, const struct aclnn_view *factor,
		  unsigned int arg)
{
	struct aclnn_view dy = aclnn_view(b, DY), out = aclnn_view(b, arg);
	struct aclnn_view cosine = aclnn_view(b, COS), product;
	int64_t dims[VNPU_TENSOR_DIMS];
	unsigned int count = 0;

	if (!aclnn_has(&out))
		return b->status;
	if (!aclnn_has_shape(b, arg, &cosine))
		return b->status;
	for (unsigned int i = 0; i < out.t.rank; i++)
		if (out.t.dims[i] != dy.t.dims[i])
			dims[count++] = i;
	if (!count)
		return aclnn_step2(b, VNPU_OP_MUL, &dy, factor, &out);
	product = aclnn_result2(b, VNPU_OP_MUL, &dy, factor);
	aclnn_begin(b, VNPU_OP_SUM, 1, 1);
	aclnn_set_ints(b, "dims", dims, count);
	aclnn_set_int(b, "keepdim", 1);
	aclnn_put(b, 0, &product);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}

static bool check_shapes(struct aclnn_build *b, const struct aclnn_view *dy,
			 const struct aclnn_view *cosine)
{
	unsigned int pieces = aclnn_int(b, MODE) == QUARTERS ? 4 : 2;

	if (aclnn_int(b, MODE) < HALVES || aclnn_int(b, MODE) > QUARTERS) {
		aclnn_fail(b, MODE, "expected 0 to 2, given %lld",
			   (long long)aclnn_int(b, MODE));
		return false;
	}
	if (!dy->t.rank || dy->t.dims[dy->t.rank - 1] % pieces) {
		aclnn_fail(b, DY, "expected a last dimension that %u divides",
			   pieces);
		return false;
	}
	if (cosine->t.rank != dy->t.rank ||
	    cosine->t.dims[dy->t.rank - 1] != dy->t.dims[dy->t.rank - 1]) {
		aclnn_fail(b, COS, "expected %u dimensions, and %lld in the last",
			   dy->t.rank, (long long)dy->t.dims[dy->t.rank - 1]);
		return false;
	}
	return aclnn_expands(b, COS, dy) && aclnn_has_shape(b, SIN, cosine) &&
	       aclnn_has_shape(b, DX, dy);
}

/* Without x, the gradients of cos and sin stay as they are. */
int build_rotary_backward(struct aclnn_build *b)
{
	struct aclnn_view dy = aclnn_view(b, DY), cosine = aclnn_view(b, COS);
	struct aclnn_view sine = aclnn_view(b, SIN), dx = aclnn_view(b, DX);
	struct aclnn_view x = aclnn_view(b, X), turned;

	if (!check_shapes(b, &dy, &cosine))
		return b->status;
	if (aclnn_has(&x)) {
		if (!aclnn_has_shape(b, X, &dy) || sum_to(b, &x, DCOS))
			return b->status;
		turned = turn(b, &x);
		if (sum_to(b, &turned, DSIN))
			return b->status;
	}
	sine = turn_back(b, &sine, aclnn_int(b, MODE));
	aclnn_begin(b, VNPU_OP_ROPE, 3, 1);
	aclnn_set_int(b, "mode", aclnn_int(b, MODE));
	aclnn_put(b, 0, &dy);
	aclnn_put(b, 1, &cosine);
	aclnn_put(b, 2, &sine);
	aclnn_put(b, 3, &dx);
	return aclnn_end(b);
}
