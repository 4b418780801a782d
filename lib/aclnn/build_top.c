// SPDX-License-Identifier: MIT
/* Filters of logits: the largest ones, and those with most of the probability. */
#include "build.h"
#include "builders.h"

enum { LOGITS, P, K, OUT };

/* Replace elements where a condition is true by negative infinity. */
static struct aclnn_view exclude(struct aclnn_build *b,
				 const struct aclnn_view *condition,
				 const struct aclnn_view *logits)
{
	struct aclnn_view least = aclnn_number(-__builtin_inf());

	return aclnn_where(b, condition, &least, logits);
}

/*
 * Exclude all but the k largest of each row, which is sorted in ascending order.  A k
 * above the number of elements keeps all; the run fails if k is less than 1.
 */
static struct aclnn_view keep_top(struct aclnn_build *b,
				  const struct aclnn_view *sorted)
{
	struct aclnn_view k = aclnn_view(b, K), zero = aclnn_integer(0), index;
	struct aclnn_view count = aclnn_integer(sorted->t.dims[1]), least, wide;

	/* The difference of 32 bits could wrap. */
	wide = aclnn_temporary(b, VNPU_DT_I64, 1, k.t.dims);
	aclnn_step1(b, VNPU_OP_COPY, &k, &wide);
	index = aclnn_result2(b, VNPU_OP_SUB, &count, &wide);
	index = aclnn_result2(b, VNPU_OP_MAXIMUM, &index, &zero);
	if (b->status)
		return index;
	aclnn_insert(&index, 1);
	least = aclnn_temporary(b, sorted->t.dtype, 2, index.t.dims);
	aclnn_begin(b, VNPU_OP_GATHER, 2, 1);
	aclnn_set_int(b, "dim", 1);
	aclnn_put(b, 0, sorted);
	aclnn_put(b, 1, &index);
	aclnn_put(b, 2, &least);
	aclnn_end(b);
	index = aclnn_result2(b, VNPU_OP_LT, sorted, &least);
	return exclude(b, &index, sorted);
}

/*
 * Exclude the smallest elements while their probabilities add up to 1 - p at most,
 * but never the largest element.
 */
static struct aclnn_view keep_likely(struct aclnn_build *b,
				     const struct aclnn_view *sorted)
{
	struct aclnn_view p = aclnn_view(b, P), one = aclnn_number(1), sums, last;
	struct aclnn_view no = aclnn_integer(0);

	p = aclnn_result2(b, VNPU_OP_SUB, &one, &p);
	aclnn_insert(&p, 1);
	sums = aclnn_result1(b, VNPU_OP_SOFTMAX, sorted);
	aclnn_begin(b, VNPU_OP_CUMSUM, 1, 1);
	aclnn_set_int(b, "dim", 1);
	aclnn_put(b, 0, &sums);
	sums = aclnn_result(b);
	sums = aclnn_result2(b, VNPU_OP_LE, &sums, &p);
	if (b->status)
		return sums;
	last = sums;
	aclnn_narrow(&last, 1, last.t.dims[1] - 1, 1, 1);
	aclnn_step1(b, VNPU_OP_COPY, &no, &last);
	return exclude(b, &sums, sorted);
}

/* Check the logits, and the parameters of their rows. */
static bool check_rows(struct aclnn_build *b, const struct aclnn_view *logits)
{
	struct aclnn_view row = *logits, k = aclnn_view(b, K);

	if (logits->t.rank != 2) {
		aclnn_fail(b, LOGITS, "expected 2 dimensions, given %u",
			   logits->t.rank);
		return false;
	}
	if (!vnpu_dtype_is_float(logits->t.dtype)) {
		aclnn_fail(b, LOGITS, "expected a floating-point type, given %s",
			   vnpu_dtype_name(logits->t.dtype));
		return false;
	}
	if (b->object[K] && k.t.dtype != VNPU_DT_I32 &&
	    k.t.dtype != VNPU_DT_I64) {
		aclnn_fail(b, K, "expected type i32 or i64, given %s",
			   vnpu_dtype_name(k.t.dtype));
		return false;
	}
	row.t.rank = 1;
	for (unsigned int i = P; i <= K; i++)
		if (b->object[i] && !aclnn_has_shape(b, i, &row))
			return false;
	return aclnn_has_shape(b, OUT, logits);
}

int build_apply_top(struct aclnn_build *b)
{
	struct aclnn_view logits = aclnn_view(b, LOGITS), sorted, order, kept;
	struct aclnn_view out = aclnn_view(b, OUT);

	if (!check_rows(b, &logits) || !vnpu_tensor_elements(&logits.t))
		return b->status;
	sorted = aclnn_temporary(b, logits.t.dtype, 2, logits.t.dims);
	order = aclnn_temporary(b, VNPU_DT_I64, 2, logits.t.dims);
	aclnn_begin(b, VNPU_OP_SORT, 1, 2);
	aclnn_put(b, 0, &logits);
	aclnn_put(b, 1, &sorted);
	aclnn_put(b, 2, &order);
	aclnn_end(b);
	kept = b->object[K] ? keep_top(b, &sorted) : sorted;
	if (b->object[P] && !b->status)
		kept = keep_likely(b, &kept);
	/* Source and output have the same type. */
	if (b->status || aclnn_step1(b, VNPU_OP_COPY, &kept, &sorted))
		return b->status;
	aclnn_begin(b, VNPU_OP_SCATTER, 2, 1);
	aclnn_set_int(b, "dim", 1);
	aclnn_put(b, 0, &order);
	aclnn_put(b, 1, &sorted);
	aclnn_put(b, 2, &out);
	return aclnn_end(b);
}
