// SPDX-License-Identifier: MIT
/* Operators that stand for two: products with a further step, and others. */
#include <string.h>

#include "build.h"
#include "builders.h"

/* Have gelu(product) as a step. */
static int gelu(struct aclnn_build *b, bool is_tanh,
		const struct aclnn_view *product, const struct aclnn_view *out)
{
	aclnn_begin(b, VNPU_OP_GELU, 1, 1);
	aclnn_set_int(b, "approximate", is_tanh);
	aclnn_put(b, 0, product);
	aclnn_put(b, 1, out);
	return aclnn_end(b);
}

int build_fused_matmul(struct aclnn_build *b)
{
	enum { X1, X2, BIAS, X3, TYPE, CUBE, Y };
	const char *type = b->values[TYPE].p;
	struct aclnn_view x1 = aclnn_view(b, X1), x2 = aclnn_view(b, X2);
	struct aclnn_view bias = aclnn_view(b, BIAS), y = aclnn_view(b, Y);
	struct aclnn_view x3 = aclnn_view(b, X3), product;
	bool is_add = !strcmp(type, "add"), is_mul = !strcmp(type, "mul");
	bool is_tanh = !strcmp(type, "gelu_tanh");

	if (*type && !is_add && !is_mul && !is_tanh && strcmp(type, "gelu_erf") &&
	    strcmp(type, "relu"))
		return aclnn_fail(b, TYPE,
				  "expected add, mul, gelu_erf, gelu_tanh, relu or nothing, given \"%.20s\"",
				  type);
	if ((is_add || is_mul) != aclnn_has(&x3))
		return aclnn_fail(b, X3, "expected %s for \"%s\"",
				  is_add || is_mul ? "a tensor" : "NULL", type);
	aclnn_begin(b, VNPU_OP_MATMUL, 3, 1);
	aclnn_put(b, 0, &x1);
	aclnn_put(b, 1, &x2);
	aclnn_put(b, 2, &bias);
	if (!*type) {
		aclnn_put(b, 3, &y);
		return aclnn_end(b);
	}
	product = aclnn_result(b);
	if (b->status)
		return b->status;
	if (is_add || is_mul)
		return aclnn_step2(b, is_add ? VNPU_OP_ADD : VNPU_OP_MUL, &product,
				   &x3, &y);
	if (!strcmp(type, "relu"))
		return aclnn_step1(b, VNPU_OP_RELU, &product, &y);
	return gelu(b, is_tanh, &product, &y);
}

/* y += the product of the rows of each group of x, transposed, and of weight. */
int build_grouped_matmul_add(struct aclnn_build *b)
{
	enum { X, WEIGHT, GROUPS, Y, TRANSPOSE_X, TRANSPOSE_WEIGHT, TYPE, KIND };
	static const struct {
		unsigned int arg;
		int64_t value;
	} only[] = {
		{ TRANSPOSE_X, 1 }, { TRANSPOSE_WEIGHT, 0 }, { TYPE, 2 },
	};
	struct aclnn_view x = aclnn_view(b, X), weight = aclnn_view(b, WEIGHT);
	struct aclnn_view groups = aclnn_view(b, GROUPS), y = aclnn_view(b, Y);
	struct aclnn_view product;

	for (unsigned int i = 0; i < 3; i++)
		if (aclnn_int(b, only[i].arg) != only[i].value)
			return aclnn_fail(b, only[i].arg,
					  "expected %lld, given %lld",
					  (long long)only[i].value,
					  (long long)aclnn_int(b, only[i].arg));
	if (x.t.rank != 2 || weight.t.rank != 2)
		return aclnn_fail(b, x.t.rank != 2 ? X : WEIGHT,
				  "expected 2 dimensions, given %u",
				  x.t.rank != 2 ? x.t.rank : weight.t.rank);
	aclnn_swap(&x, 0, 1);
	aclnn_begin(b, VNPU_OP_GROUPED_MATMUL, 3, 1);
	aclnn_set_int(b, "axis", 1);
	if (b->op->count > KIND)
		aclnn_set_int(b, "kind", aclnn_int(b, KIND));
	aclnn_put(b, 0, &x);
	aclnn_put(b, 1, &weight);
	aclnn_put(b, 2, &groups);
	product = aclnn_result(b);
	if (b->status)
		return b->status;
	/* Groups may be rows of one matrix. */
	if (y.t.rank == 2) {
		int64_t rows = product.t.dims[0] * product.t.dims[1];

		aclnn_reshape(&product, 2,
			      (int64_t[]){ rows, product.t.dims[2] });
	}
	return aclnn_step2(b, VNPU_OP_ADD, &y, &product, &y);
}

int build_apply_rotary(struct aclnn_build *b)
{
	enum { QUERY, KEY, COS, SIN, LAYOUT };
	struct aclnn_view cosine = aclnn_view(b, COS), sine = aclnn_view(b, SIN);

	if (aclnn_int(b, LAYOUT) != 1)
		return aclnn_fail(b, LAYOUT, "expected 1, given %lld",
				  (long long)aclnn_int(b, LAYOUT));
	for (unsigned int i = QUERY; i <= KEY && !b->status; i++) {
		struct aclnn_view x = aclnn_view(b, i);

		if (x.t.rank != 4)
			return aclnn_fail(b, i, "expected 4 dimensions, given %u",
					  x.t.rank);
		aclnn_begin(b, VNPU_OP_ROPE, 3, 1);
		aclnn_put(b, 0, &x);
		aclnn_put(b, 1, &cosine);
		aclnn_put(b, 2, &sine);
		aclnn_put(b, 3, &x);
		aclnn_end(b);
	}
	return b->status;
}

/*
 * Each tensor is cut along a dimension, and padded with zeros, into as many chunks as
 * the others; those of the same number become one row.
 */
int build_chunk_cat(struct aclnn_build *b)
{
	enum { TENSORS, DIM, CHUNKS, OUT };
	const struct aclnn_array *list = aclnn_array(b, TENSORS);
	struct aclnn_view out = aclnn_view(b, OUT), zero = aclnn_integer(0);
	int64_t chunks = aclnn_int(b, CHUNKS), at = 0;
	unsigned int dim;

	if (chunks < 1)
		return aclnn_fail(b, CHUNKS, "expected 1 or more, given %lld",
				  (long long)chunks);
	if (!aclnn_dim(b, DIM, aclnn_int(b, DIM), out.t.rank - 1, &dim))
		return b->status;
	if (out.t.rank != dim + 2 || out.t.dims[dim] != chunks)
		return aclnn_fail(b, OUT,
				  "expected %u dimensions, and %lld in dimension %u",
				  dim + 2, (long long)chunks, dim);
	if (aclnn_step1(b, VNPU_OP_COPY, &zero, &out))
		return b->status;
	for (uint64_t i = 0; i < list->size; i++) {
		struct aclnn_view member = aclnn_member(b, TENSORS, i), from, to;
		int64_t each, rest = 1, k, count;

		if (b->status)
			return b->status;
		if (member.t.rank <= dim)
			return aclnn_fail(b, TENSORS,
					  "member %llu has no dimension %u",
					  (unsigned long long)i, dim);
		for (unsigned int d = dim + 1; d < member.t.rank; d++)
			rest *= member.t.dims[d];
		each = (member.t.dims[dim] + chunks - 1) / chunks;
		if (each * rest > out.t.dims[dim + 1] - at)
			return aclnn_fail(b, OUT,
					  "dimension %u of %lld is too short for the chunks",
					  dim + 1,
					  (long long)out.t.dims[dim + 1]);
		for (k = 0; k * each < member.t.dims[dim] && !b->status; k++) {
			int64_t dims[VNPU_TENSOR_DIMS];

			count = member.t.dims[dim] - k * each;
			count = count < each ? count : each;
			from = member;
			aclnn_narrow(&from, dim, k * each, count, 1);
			memcpy(dims, from.t.dims, sizeof(dims));
			dims[dim] = count * rest;
			aclnn_flatten(b, &from, dim + 1, dims);
			aclnn_insert(&from, dim);
			to = out;
			aclnn_narrow(&to, dim, k, 1, 1);
			aclnn_narrow(&to, dim + 1, at, count * rest, 1);
			aclnn_step1(b, VNPU_OP_COPY, &from, &to);
		}
		at += each * rest;
	}
	if (!b->status && at != out.t.dims[dim + 1])
		return aclnn_fail(b, OUT, "dimension %u: expected %lld, given %lld",
				  dim + 1, (long long)at,
				  (long long)out.t.dims[dim + 1]);
	return b->status;
}

/* Check the mask of a softmax, at argument @mask, and the flag behind its scale. */
static bool check_mask(struct aclnn_build *b, unsigned int mask,
		       const struct aclnn_view *x)
{
	struct aclnn_view view = aclnn_view(b, mask);
	unsigned int flag = mask + 2, out = mask + 3;

	if (aclnn_int(b, flag)) {
		aclnn_fail(b, flag, "expected false, given true: pass the mask");
		return false;
	}
	if (view.t.dtype != VNPU_DT_BOOL) {
		aclnn_fail(b, mask, "expected type bool, given %s",
			   vnpu_dtype_name(view.t.dtype));
		return false;
	}
	return aclnn_expands(b, mask, x) && aclnn_has_shape(b, out, x);
}

/* A row without an element that stays becomes NaN. */
int build_masked_softmax(struct aclnn_build *b)
{
	enum { X, MASK, SCALE, TRIANGLE, Y };
	struct aclnn_view scale = aclnn_number(aclnn_float(b, SCALE));
	struct aclnn_view least = aclnn_number(-__builtin_inf());
	struct aclnn_view x = aclnn_view(b, X), y = aclnn_view(b, Y);
	struct aclnn_view mask = aclnn_view(b, MASK);

	if (!check_mask(b, MASK, &x))
		return b->status;
	x = aclnn_result2(b, VNPU_OP_MUL, &x, &scale);
	x = aclnn_where(b, &mask, &least, &x);
	return aclnn_step1(b, VNPU_OP_SOFTMAX, &x, &y);
}

int build_masked_softmax_backward(struct aclnn_build *b)
{
	enum { GRAD, Y, MASK, SCALE, TRIANGLE, OUT };
	struct aclnn_view scale = aclnn_number(aclnn_float(b, SCALE));
	struct aclnn_view grad = aclnn_view(b, GRAD), y = aclnn_view(b, Y);
	struct aclnn_view mask = aclnn_view(b, MASK), out = aclnn_view(b, OUT);
	struct aclnn_view zero = aclnn_number(0);

	if (!aclnn_has_shape(b, Y, &grad) || !check_mask(b, MASK, &grad))
		return b->status;
	grad = aclnn_result2(b, VNPU_OP_SOFTMAX_BACKWARD, &grad, &y);
	grad = aclnn_result2(b, VNPU_OP_MUL, &grad, &scale);
	aclnn_begin(b, VNPU_OP_WHERE, 3, 1);
	aclnn_put(b, 0, &mask);
	aclnn_put(b, 1, &zero);
	aclnn_put(b, 2, &grad);
	aclnn_put(b, 3, &out);
	return aclnn_end(b);
}
