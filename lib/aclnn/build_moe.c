// SPDX-License-Identifier: MIT
/* Mixtures of experts: choose experts for rows, sort rows by expert, and back. */
#include "build.h"
#include "builders.h"

/* Make a temporary of indices 0, 1, ... */
static struct aclnn_view count_up(struct aclnn_build *b, unsigned int dtype,
				  int64_t count)
{
	struct aclnn_view made = aclnn_temporary(b, dtype, 1, &count);

	aclnn_begin(b, VNPU_OP_ARANGE, 0, 1);
	aclnn_put(b, 0, &made);
	aclnn_end(b);
	return made;
}

/*
 * Compute the indices that sort a list, and keep the order of equal elements.
 */
static struct aclnn_view sort_indices(struct aclnn_build *b,
				      const struct aclnn_view *list)
{
	aclnn_begin(b, VNPU_OP_ARGSORT, 1, 1);
	aclnn_put(b, 0, list);
	return aclnn_result(b);
}

/* Copy the row of a tensor for each index to a temporary. */
static struct aclnn_view take(struct aclnn_build *b,
			      const struct aclnn_view *self,
			      const struct aclnn_view *index)
{
	return aclnn_result2(b, VNPU_OP_TAKE, self, index);
}

static bool is_matrix(struct aclnn_build *b, unsigned int arg,
		      const struct aclnn_view *view)
{
	if (view->t.rank == 2)
		return true;
	aclnn_fail(b, arg, "expected 2 dimensions, given %u", view->t.rank);
	return false;
}

/* Give finished rows a number above those of all experts. */
static void mark_finished(struct aclnn_build *b, unsigned int finished_arg,
			  int64_t experts, const struct aclnn_view *index,
			  const struct aclnn_view *out)
{
	struct aclnn_view finished = aclnn_view(b, finished_arg);
	struct aclnn_view none = aclnn_integer(experts);

	if (!aclnn_has(&finished)) {
		aclnn_step1(b, VNPU_OP_COPY, index, out);
		return;
	}
	aclnn_insert(&finished, finished.t.rank);
	aclnn_begin(b, VNPU_OP_WHERE, 3, 1);
	aclnn_put(b, 0, &finished);
	aclnn_put(b, 1, &none);
	aclnn_put(b, 2, index);
	aclnn_put(b, 3, out);
	aclnn_end(b);
}

int build_moe_gating(struct aclnn_build *b)
{
	enum { X, FINISHED, K, Y, EXPERT, ROW };
	struct aclnn_view x = aclnn_view(b, X), y = aclnn_view(b, Y);
	struct aclnn_view expert = aclnn_view(b, EXPERT);
	struct aclnn_view row = aclnn_view(b, ROW), p, index, numbers;
	int64_t k = aclnn_int(b, K), rows, dims[VNPU_TENSOR_DIMS];
	unsigned int last = x.t.rank - 1;

	if (x.t.rank < 2 || x.t.rank > 3)
		return aclnn_fail(b, X, "expected 2 or 3 dimensions, given %u",
				  x.t.rank);
	if (k < 1 || k > x.t.dims[last])
		return aclnn_fail(b, K, "expected 1 to %lld, given %lld",
				  (long long)x.t.dims[last], (long long)k);
	for (unsigned int i = 0; i < last; i++)
		dims[i] = x.t.dims[i];
	dims[last] = k;
	p = aclnn_result1(b, VNPU_OP_SOFTMAX, &x);
	index = aclnn_temporary(b, VNPU_DT_I64, x.t.rank, dims);
	aclnn_begin(b, VNPU_OP_TOPK, 1, 2);
	aclnn_set_int(b, "k", k);
	aclnn_put(b, 0, &p);
	aclnn_put(b, 1, &y);
	aclnn_put(b, 2, &index);
	if (aclnn_end(b))
		return b->status;
	mark_finished(b, FINISHED, x.t.dims[last], &index, &expert);
	/* The number of a row and choice: choice * rows + row. */
	rows = vnpu_tensor_elements(&index.t) / k;
	numbers = count_up(b, VNPU_DT_I64, rows * k);
	aclnn_reshape(&numbers, 2, (int64_t[]){ k, rows });
	aclnn_swap(&numbers, 0, 1);
	aclnn_reshape(&row, 2, (int64_t[]){ rows, k });
	return aclnn_step1(b, VNPU_OP_COPY, &numbers, &row);
}

/* Compute places[list[i]] = i: the places of elements in a sorted list. */
static int invert(struct aclnn_build *b, const struct aclnn_view *list,
		  const struct aclnn_view *places)
{
	struct aclnn_view numbers = count_up(b, places->t.dtype,
					     list->t.dims[0]);

	aclnn_begin(b, VNPU_OP_SCATTER, 2, 1);
	aclnn_put(b, 0, list);
	aclnn_put(b, 1, &numbers);
	aclnn_put(b, 2, places);
	return aclnn_end(b);
}

int build_moe_init_routing(struct aclnn_build *b)
{
	enum { X, ROW, EXPERT, ACTIVE, EXPANDED_X, EXPANDED_ROW,
	       EXPANDED_EXPERT };
	struct aclnn_view x = aclnn_view(b, X), row = aclnn_view(b, ROW);
	struct aclnn_view expert = aclnn_view(b, EXPERT), order, source, rows;
	struct aclnn_view out = aclnn_view(b, EXPANDED_X);
	struct aclnn_view places = aclnn_view(b, EXPANDED_ROW);
	struct aclnn_view sorted = aclnn_view(b, EXPANDED_EXPERT);
	int64_t active = aclnn_int(b, ACTIVE), count;

	if (!is_matrix(b, X, &x) || !is_matrix(b, EXPERT, &expert) ||
	    !is_matrix(b, ROW, &row) || !is_matrix(b, EXPANDED_X, &out))
		return b->status;
	if (active < 0)
		return aclnn_fail(b, ACTIVE, "expected at least 0, given %lld",
				  (long long)active);
	count = vnpu_tensor_elements(&expert.t);
	if (active > x.t.dims[0])
		active = x.t.dims[0];
	aclnn_flatten(b, &expert, 1, &count);
	aclnn_flatten(b, &row, 1, &count);
	order = aclnn_temporary(b, VNPU_DT_I64, 1, &count);
	aclnn_begin(b, VNPU_OP_SORT, 1, 2);
	aclnn_put(b, 0, &expert);
	aclnn_put(b, 1, &sorted);
	aclnn_put(b, 2, &order);
	if (aclnn_end(b))
		return b->status;
	source = take(b, &row, &order);
	if (b->status || invert(b, &source, &places))
		return b->status;
	rows = aclnn_integer(x.t.dims[0]);
	source = aclnn_result2(b, VNPU_OP_REMAINDER, &source, &rows);
	if (b->status)
		return b->status;
	active *= x.t.dims[0] ? count / x.t.dims[0] : 0;
	aclnn_narrow(&source, 0, 0, active, 1);
	return aclnn_step2(b, VNPU_OP_TAKE, &x, &source, &out);
}

int build_moe_finalize_routing(struct aclnn_build *b)
{
	enum { EXPANDED_X, X1, X2, BIAS, SCALES, EXPANDED_ROW, EXPERT, OUT };
	struct aclnn_view expanded = aclnn_view(b, EXPANDED_X);
	struct aclnn_view sum = aclnn_view(b, X1), x2 = aclnn_view(b, X2);
	struct aclnn_view bias = aclnn_view(b, BIAS), out = aclnn_view(b, OUT);
	struct aclnn_view scales = aclnn_view(b, SCALES), part, scale, index;
	int64_t rows = scales.t.dims[0];

	if (!is_matrix(b, SCALES, &scales) || !vnpu_tensor_elements(&out.t))
		return b->status;
	if (aclnn_has(&x2))
		sum = aclnn_result2(b, VNPU_OP_ADD, &sum, &x2);
	for (int64_t k = 0; k < scales.t.dims[1] && !b->status; k++) {
		index = aclnn_view(b, EXPANDED_ROW);
		if (index.t.rank != 1 ||
		    index.t.dims[0] != rows * scales.t.dims[1])
			return aclnn_fail(b, EXPANDED_ROW,
					  "expected shape [%lld]",
					  (long long)(rows * scales.t.dims[1]));
		aclnn_narrow(&index, 0, k * rows, rows, 1);
		part = take(b, &expanded, &index);
		index = aclnn_view(b, EXPERT);
		if (!is_matrix(b, EXPERT, &index))
			return b->status;
		if (k >= index.t.dims[1])
			return aclnn_fail(b, EXPERT, "expected %lld columns, given %lld",
					  (long long)scales.t.dims[1],
					  (long long)index.t.dims[1]);
		aclnn_narrow(&index, 1, k, 1, 1);
		index.t.rank = 1;
		index = take(b, &bias, &index);
		part = aclnn_result2(b, VNPU_OP_ADD, &part, &index);
		scale = scales;
		aclnn_narrow(&scale, 1, k, 1, 1);
		part = aclnn_result2(b, VNPU_OP_MUL, &part, &scale);
		sum = aclnn_result2(b, VNPU_OP_ADD, &sum, &part);
	}
	return b->status ? b->status :
			   aclnn_step1(b, VNPU_OP_COPY, &sum, &out);
}

int build_moe_permute(struct aclnn_build *b)
{
	enum { TOKENS, INDICES, COUNT, PADDED, OUT, SORTED };
	struct aclnn_view tokens = aclnn_view(b, TOKENS);
	struct aclnn_view list = aclnn_view(b, INDICES), order, each;
	struct aclnn_view out = aclnn_view(b, OUT);
	struct aclnn_view sorted = aclnn_view(b, SORTED);
	int64_t count = vnpu_tensor_elements(&list.t), kept, choices;

	if (aclnn_int(b, PADDED))
		return aclnn_fail(b, PADDED, "is not supported; expected false");
	if (list.t.rank < 1 || list.t.rank > 2)
		return aclnn_fail(b, INDICES, "expected 1 or 2 dimensions, given %u",
				  list.t.rank);
	choices = list.t.rank == 2 ? list.t.dims[1] : 1;
	kept = aclnn_int(b, COUNT);
	if (kept <= 0)
		kept = kept + count < 0 ? 0 : kept + count;
	if (kept > count)
		kept = count;
	aclnn_flatten(b, &list, 1, &count);
	order = sort_indices(b, &list);
	if (b->status || invert(b, &order, &sorted))
		return b->status;
	each = aclnn_integer(choices ? choices : 1);
	order = aclnn_result2(b, VNPU_OP_DIV_FLOOR, &order, &each);
	if (b->status)
		return b->status;
	aclnn_narrow(&order, 0, 0, kept, 1);
	return aclnn_step2(b, VNPU_OP_TAKE, &tokens, &order, &out);
}

int build_moe_unpermute(struct aclnn_build *b)
{
	enum { TOKENS, SORTED, PROBS, PADDED, SHAPE, OUT };
	struct aclnn_view tokens = aclnn_view(b, TOKENS);
	struct aclnn_view sorted = aclnn_view(b, SORTED);
	struct aclnn_view probs = aclnn_view(b, PROBS), rows;
	struct aclnn_view out = aclnn_view(b, OUT);
	int64_t choices = 1;

	if (aclnn_int(b, PADDED))
		return aclnn_fail(b, PADDED, "is not supported; expected false");
	if (aclnn_has(&probs)) {
		if (!is_matrix(b, PROBS, &probs))
			return b->status;
		choices = probs.t.dims[1];
	}
	if (!is_matrix(b, TOKENS, &tokens))
		return b->status;
	if (sorted.t.rank != 1 || choices < 1 || sorted.t.dims[0] % choices)
		return aclnn_fail(b, SORTED, "expected 1 dimension, a multiple of %lld",
				  (long long)choices);
	rows = take(b, &tokens, &sorted);
	if (b->status)
		return b->status;
	aclnn_reshape(&rows, 3, (int64_t[]){ sorted.t.dims[0] / choices,
					     choices, tokens.t.dims[1] });
	if (aclnn_has(&probs)) {
		aclnn_insert(&probs, 2);
		rows = aclnn_result2(b, VNPU_OP_MUL, &rows, &probs);
	}
	aclnn_begin(b, VNPU_OP_SUM, 1, 1);
	aclnn_set_int(b, "dims", 1);
	aclnn_put(b, 0, &rows);
	aclnn_put(b, 1, &out);
	return aclnn_end(b);
}
