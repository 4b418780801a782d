// SPDX-License-Identifier: GPL-2.0-only
/* Sparse tensors, against plain loops. */
#include "aclnnop/aclnn_coalesce_sparse.h"
#include "typed.h"

enum { ELEMENTS = 6, PLACES = 3, RANK = 2, WIDTH = 4 };

/* The place of each element, and its indices. */
static const int64_t places[ELEMENTS] = { 1, 0, 1, 2, 1, 0 };
static const int64_t indices[PLACES][RANK] = { { 0, 7 }, { 3, 1 }, { 5, 2 } };

static float a[64], out[64];
static int32_t numbers_of[8], from[16], to[16];

static bool check_coalesce(aclDataType dtype, aclDataType index,
			   enum layout layout)
{
	struct typed length = TYPED(index, layout, PLACES);
	struct typed number = TYPED(index, layout % OUT_LAYOUTS, ELEMENTS);
	struct typed given = TYPED(index, layout % OUT_LAYOUTS, ELEMENTS, RANK);
	struct typed values = TYPED(dtype, layout, ELEMENTS, WIDTH);
	struct typed found = TYPED(index, layout % OUT_LAYOUTS, PLACES, RANK);
	struct typed sums = TYPED(dtype, layout % OUT_LAYOUTS, PLACES, WIDTH);
	double want[PLACES * WIDTH];

	fill(&values, 1);
	fill(&sums, 2);
	for (unsigned int i = 0; i < PLACES * WIDTH; i++)
		want[i] = get(&sums, i);
	for (unsigned int i = 0; i < ELEMENTS; i++) {
		set(&number, i, places[i]);
		for (unsigned int k = 0; k < RANK; k++)
			set(&given, i * RANK + k, indices[places[i]][k]);
		for (unsigned int k = 0; k < WIDTH; k++)
			want[places[i] * WIDTH + k] += get(&values, i * WIDTH + k);
	}
	EXPECT(!RUN(aclnnCoalesceSparse, length.tensor, number.tensor,
		    given.tensor, values.tensor, found.tensor, sums.tensor));
	for (unsigned int i = 0; i < PLACES * RANK; i++)
		EXPECT(get(&found, i) == indices[i / RANK][i % RANK]);
	for (unsigned int i = 0; i < PLACES * WIDTH; i++)
		EXPECT(is(&sums, i, want[i]));
	return true;
}

static bool coalesce(void)
{
	static const aclDataType types[] = { ACL_FLOAT, ACL_FLOAT16, ACL_INT32 };

	for (unsigned int t = 0; t < ARRAY_SIZE(types); t++)
		for (unsigned int layout = 0; layout < LAYOUTS; layout++) {
			forget_typed();
			EXPECT(check_coalesce(types[t], ACL_INT32, layout));
			EXPECT(check_coalesce(types[t], ACL_INT64, layout));
		}
	forget_typed();
	EXPECT(!RUN(aclnnCoalesceSparse, I32(numbers_of, 1), I32(numbers_of, 0),
		    I32(from, 0, 2), F32(a, 0), I32(to, 0, 2), F32(out, 0)));
	return true;
}

/* Sums of f16 are rounded once. */
static bool halves(void)
{
	uint16_t sum = to_half(1024);
	uint16_t small[] = { to_half(0.25f), to_half(0.25f), to_half(0.5f) };

	memset(numbers_of, 0, sizeof(numbers_of));
	EXPECT(!RUN(aclnnCoalesceSparse, I32(numbers_of, 1), I32(numbers_of, 3),
		    I32(from, 3, 1), F16(small, 3), I32(to, 1, 1),
		    F16(&sum, 1)));
	EXPECT(sum == to_half(1025));
	return true;
}

/* Numbers that name no place: the call fails, and writes to no other memory. */
static bool wrong_numbers(void)
{
	static const int32_t wrong[] = { -1, 2, INT32_MIN, INT32_MAX };

	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		memset(numbers_of, 0, sizeof(numbers_of));
		numbers_of[1] = wrong[i];
		EXPECT(RUN(aclnnCoalesceSparse, I32(numbers_of, 2),
			   I32(numbers_of, 3), I32(from, 3, 1), F32(a, 3),
			   I32(to, 2, 1), F32(out, 2)) ==
		       ACLNN_ERR_RUNTIME_ERROR);
	}
	return true;
}

static bool coalesce_errors(void)
{
	aclTensor *number = I32(numbers_of, 4), *given = I32(from, 4, 2);
	aclTensor *found = I32(to, 2, 2), *values = F32(a, 4), *sums = F32(out, 2);

	EXPECT(RUN(aclnnCoalesceSparse, F32(a, 2), number, given, values, found,
		   sums));
	TEXT("uniqueLen: expected type i32 or i64 and 1 dimension, given f32 and 1");
	EXPECT(RUN(aclnnCoalesceSparse, number, I32(numbers_of, 2, 2), given,
		   values, found, sums));
	TEXT("uniqueIndices: expected type i32 or i64 and 1 dimension, given i32 and 2");
	EXPECT(RUN(aclnnCoalesceSparse, number, number, I32(from, 4), values,
		   found, sums));
	TEXT("indices: expected type i32 or i64 and 2 dimensions, given i32 and 1");
	EXPECT(RUN(aclnnCoalesceSparse, number, number, I32(from, 3, 2), values,
		   found, sums));
	TEXT("indices: shape [3, 2] does not match [2, 2] and 4 indices");
	EXPECT(RUN(aclnnCoalesceSparse, number, number, given, I64(a, 4), found,
		   sums));
	TEXT("values: expected type i32, f16 or f32, given i64");
	EXPECT(RUN(aclnnCoalesceSparse, number, number, given, values, found,
		   F16(out, 2)));
	TEXT("newValuesOut: expected type f32, given f16");
	EXPECT(RUN(aclnnCoalesceSparse, number, number, given, values, found,
		   F32(out, 3)));
	TEXT("newValuesOut: expected 2 in dimension 0, as in newIndicesOut, given 3");
	EXPECT(RUN(aclnnCoalesceSparse, number, number, given, values,
		   I64(out, 2, 2), sums));
	EXPECT(RUN(aclnnCoalesceSparse, number, number, given, F32(a, 4, 2),
		   found, sums));
	EXPECT(RUN(aclnnCoalesceSparse, number, number, given, F32(a, 3), found,
		   sums));
	return true;
}

const struct test sparse_tests[] = {
	{ "elements of sparse tensors are merged", coalesce },
	{ "sums of halves are rounded once", halves },
	{ "numbers of places are checked", wrong_numbers },
	{ "errors of sparse tensors", coalesce_errors },
	{ 0 }
};
