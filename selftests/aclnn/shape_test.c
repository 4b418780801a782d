// SPDX-License-Identifier: GPL-2.0-only
/* Copies, slices, lists, selection by index, sorting. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_arange.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_argsort.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_cat.h"
#include "aclnnop/aclnn_constant_pad_nd.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_cumsum.h"
#include "aclnnop/aclnn_expand.h"
#include "aclnnop/aclnn_eye.h"
#include "aclnnop/aclnn_flatten.h"
#include "aclnnop/aclnn_flip.h"
#include "aclnnop/aclnn_gather_v2.h"
#include "aclnnop/aclnn_index_add.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_range.h"
#include "aclnnop/aclnn_reflection_pad1d.h"
#include "aclnnop/aclnn_repeat.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_roll.h"
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_slice.h"
#include "aclnnop/aclnn_split_tensor.h"
#include "aclnnop/aclnn_split_with_size.h"
#include "aclnnop/aclnn_stack.h"
#include "aclnnop/aclnn_topk.h"
#include "aclnnop/aclnn_tril.h"
#include "aclnnop/aclnn_zero.h"

static float a[120], out[240];

/* Expect the first elements of the output. */
#define OUT(...)							\
	do {								\
		const float want_[] = { __VA_ARGS__ };			\
									\
		for (unsigned int i_ = 0; i_ < ARRAY_SIZE(want_); i_++) \
			EXPECT(near(out[i_], want_[i_]));		\
	} while (0)

static void count(float *to, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		to[i] = i;
}

static bool conversions(void)
{
	uint16_t half[4];
	int64_t wide[] = { 1, -2, 1LL << 33 };
	int32_t narrow[3];

	count(a, 4);
	a[1] = 1.0f / 3;
	EXPECT(!RUN(aclnnCast, F32(a, 4), ACL_FLOAT16, F16(half, 4)));
	EXPECT(from_half(half[1]) == from_half(to_half(1.0f / 3)));
	EXPECT(!RUN(aclnnCast, I64(wide, 3), ACL_INT32, I32(narrow, 3)));
	EXPECT(narrow[0] == 1 && narrow[1] == -2 && narrow[2] == 0);
	EXPECT(RUN(aclnnCast, F32(a, 4), ACL_FLOAT, F16(half, 4)));
	EXPECT(!RUN(aclnnInplaceCopy, F32(out, 4), F16(half, 4)));
	OUT(0, from_half(half[1]), 2, 3);
	EXPECT(!RUN(aclnnInplaceZero, F32(out, 3)));
	OUT(0, 0, 0, 3);
	EXPECT(!RUN(aclnnArange, scalar(1), scalar(7), scalar(2), F32(out, 3)));
	OUT(1, 3, 5);
	EXPECT(RUN(aclnnArange, scalar(1), scalar(7), scalar(2), F32(out, 8)));
	EXPECT(!RUN(aclnnArange, scalar(4), scalar(1), scalar(-1),
		    F32(out, 1, 1, 3)));
	OUT(4, 3, 2);
	return true;
}

/* Range from 0 to 1 in steps of 0.1, as doubles. */
static aclnnStatus range_of_doubles(aclTensor *to)
{
	double start = 0, end = 1, step = 0.1;
	aclScalar *scalars[] = {
		aclCreateScalar(&start, ACL_DOUBLE),
		aclCreateScalar(&end, ACL_DOUBLE),
		aclCreateScalar(&step, ACL_DOUBLE),
	};
	aclnnStatus status = RUN(aclnnRange, scalars[0], scalars[1], scalars[2],
				 to);

	for (unsigned int i = 0; i < 3; i++)
		aclDestroyScalar(scalars[i]);
	return status;
}

/* A sequence with as many elements as its limits give, or one more or less. */
static bool counts(void)
{
	static int32_t whole_out[16];

	for (int off = -1; off <= 1; off++) {
		EXPECT(!RUN(aclnnArange, whole(1), whole(8), whole(2),
			    I32(whole_out, 4 + off)) == !off);
		EXPECT(!RUN(aclnnArange, whole(8), whole(1), whole(-2),
			    I32(whole_out, 4 + off)) == !off);
		EXPECT(!RUN(aclnnRange, whole(1), whole(9), whole(2),
			    F32(out, 5 + off)) == !off);
		/* Whole quotients, and those far from whole numbers. */
		EXPECT(!RUN(aclnnArange, scalar(1), scalar(7), scalar(2),
			    F32(out, 3 + off)) == !off);
		EXPECT(!RUN(aclnnRange, scalar(0), scalar(1), scalar(0.3f),
			    F32(out, 4 + off)) == !off);
		/* Integers have no tolerance. */
		EXPECT(!RUN(aclnnRange, scalar(0), scalar(1), scalar(0.1f),
			    I32(whole_out, 10 + off)) == !off);
		forget();
	}
	/* 1 / 0.1 is 10, but 0.1 as f32 is larger than 0.1; not so as f64. */
	EXPECT(!RUN(aclnnRange, scalar(0), scalar(1), scalar(0.1f), F32(out, 10)));
	EXPECT(!RUN(aclnnRange, scalar(0), scalar(1), scalar(0.1f), F32(out, 11)));
	EXPECT(RUN(aclnnRange, scalar(0), scalar(1), scalar(0.1f), F32(out, 12)));
	EXPECT(!range_of_doubles(F32(out, 11)));
	EXPECT(range_of_doubles(F32(out, 10)));
	/* Below end there is nothing. */
	EXPECT(!RUN(aclnnArange, whole(3), whole(3), whole(1), I32(whole_out, 0)));
	EXPECT(RUN(aclnnArange, whole(3), whole(3), whole(1), I32(whole_out, 1)));
	EXPECT(!RUN(aclnnArange, whole(INT64_MIN), whole(INT64_MAX),
		    whole(INT64_MAX), F32(out, 3)));
	return true;
}

static bool views(void)
{
	count(a, 24);
	EXPECT(!RUN(aclnnPermute, F32(a, 2, 3, 4), LIST(2, 0, -2),
		    F32(out, 4, 2, 3)));
	OUT(0, 4, 8, 12, 16, 20, 1, 5);
	EXPECT(!RUN(aclnnExpand, F32(a, 3, 1), LIST(2, -1, 2),
		    F32(out, 2, 3, 2)));
	OUT(0, 0, 1, 1, 2, 2, 0, 0);
	EXPECT(!RUN(aclnnFlip, F32(a, 2, 3), LIST(0, 1), F32(out, 2, 3)));
	OUT(5, 4, 3, 2, 1, 0);
	EXPECT(!RUN(aclnnSlice, F32(a, 2, 12), -1, 1, -2, 4, F32(out, 2, 3)));
	OUT(1, 5, 9, 13, 17, 21);
	EXPECT(RUN(aclnnSlice, F32(a, 2, 12), -1, 1, -2, 4, F32(out, 2, 4)));
	EXPECT(!RUN(aclnnFlatten, F32(a, 2, 3, 4), 1, F32(out, 2, 12)));
	OUT(0, 1, 2, 3);
	EXPECT(!RUN(aclnnEye, 2, 3, F32(out, 2, 3)));
	OUT(1, 0, 0, 0, 1, 0);
	EXPECT(!RUN(aclnnEye, 3, 2, F32(out, 3, 2)));
	OUT(1, 0, 0, 1, 0, 0);
	return true;
}

static bool lists(void)
{
	const aclTensor *members[] = { F32(a, 2, 1), F32(a + 10, 2, 2) };
	aclTensorList *list = aclCreateTensorList(members, 2);
	int64_t dims[] = { 2, 2 };
	aclTensorList *bad;

	count(a, 24);
	EXPECT(!RUN(aclnnCat, list, 1, F32(out, 2, 3)));
	OUT(0, 10, 11, 1, 12, 13);
	EXPECT(RUN(aclnnCat, list, 1, F32(out, 2, 4)));
	EXPECT(RUN(aclnnCat, list, 0, F32(out, 4, 2)));
	aclDestroyTensorList(list);

	members[0] = F32(a, 2);
	members[1] = F32(a + 10, 2);
	list = aclCreateTensorList(members, 2);
	EXPECT(!RUN(aclnnStack, list, -1, F32(out, 2, 2)));
	OUT(0, 10, 1, 11);
	aclDestroyTensorList(list);

	members[0] = F32(out, 2, 1);
	members[1] = F32(out + 2, 2, 2);
	list = aclCreateTensorList(members, 2);
	EXPECT(!RUN(aclnnSplitWithSize, F32(a, 2, 3), LIST(1, 2), 1, list));
	OUT(0, 3, 1, 2, 4, 5);
	EXPECT(RUN(aclnnSplitWithSize, F32(a, 2, 3), LIST(3), 1, list));
	EXPECT(RUN(aclnnSplitWithSize, F32(a, 2, 3), LIST(2, 1), 1, list));
	EXPECT(RUN(aclnnSplitTensor, F32(a, 2, 3), 2, 1, list));
	aclDestroyTensorList(list);

	members[0] = F32(out, 2, 2);
	members[1] = F32(out + 4, 2, 1);
	list = aclCreateTensorList(members, 2);
	EXPECT(!RUN(aclnnSplitTensor, F32(a, 2, 3), 2, 1, list));
	OUT(0, 1, 3, 4, 2, 5);
	EXPECT(RUN(aclnnSplitTensor, F32(a, 2, 3), 1, 1, list));
	aclDestroyTensorList(list);

	/* No dimension is left for a stack. */
	members[0] = F32(a, 1, 1, 1, 1, 1, 1, 1, 1);
	list = aclCreateTensorList(members, 1);
	EXPECT(RUN(aclnnStack, list, 0, F32(out, 1, 1, 1, 1, 1, 1, 1, 1)));
	EXPECT(!RUN(aclnnCat, list, 0, F32(out, 1, 1, 1, 1, 1, 1, 1, 1)));
	aclDestroyTensorList(list);

	/* A member that the program destroyed. */
	members[0] = aclCreateTensor(dims, 2, ACL_FLOAT, NULL, 0,
				     ACL_FORMAT_ND, dims, 2, out);
	bad = aclCreateTensorList(members, 1);
	aclDestroyTensor(members[0]);
	EXPECT(RUN(aclnnCat, bad, 1, F32(out, 2, 2)));
	aclDestroyTensorList(bad);
	return true;
}

static bool repetition(void)
{
	count(a, 6);
	EXPECT(!RUN(aclnnRepeat, F32(a, 1, 2), LIST(2, 2), F32(out, 2, 4)));
	OUT(0, 1, 0, 1, 0, 1, 0, 1);
	EXPECT(!RUN(aclnnRepeatInterleaveIntWithDim, F32(a, 3), 2, 0, 6,
		    F32(out, 6)));
	OUT(0, 0, 1, 1, 2, 2);
	EXPECT(!RUN(aclnnRoll, F32(a, 2, 3), LIST(1), LIST(1), F32(out, 2, 3)));
	OUT(2, 0, 1, 5, 3, 4);
	EXPECT(!RUN(aclnnConstantPadNd, F32(a, 1, 2), LIST(1, 0, 0, 1),
		    scalar(9), F32(out, 2, 3)));
	OUT(9, 0, 1, 9, 9, 9);
	EXPECT(RUN(aclnnConstantPadNd, F32(a, 1, 2), LIST(1), scalar(9),
		   F32(out, 2, 3)));
	EXPECT(!RUN(aclnnReflectionPad1d, F32(a, 1, 3), LIST(2, 1),
		    F32(out, 1, 6)));
	OUT(2, 1, 0, 1, 2, 1);
	EXPECT(!RUN(aclnnTril, F32(a, 2, 3), 0, F32(out, 2, 3)));
	OUT(0, 0, 0, 3, 4, 0);
	return true;
}

static bool selection(void)
{
	int32_t rows[] = { 2, 0 }, cells[] = { 1, 0 };
	int64_t place[] = { 1, 0 };

	count(a, 12);
	EXPECT(!RUN(aclnnGatherV2, F32(a, 3, 2), 0, I32(rows, 2, 1),
		    F32(out, 2, 1, 2)));
	OUT(4, 5, 0, 1);
	EXPECT(!RUN(aclnnInplaceIndexCopy, F32(a, 3, 2), 0, I64(place, 2),
		    F32(out, 2, 2)));
	EXPECT(a[0] == 0 && a[2] == 4 && a[3] == 5);
	EXPECT(!RUN(aclnnInplaceIndexFillTensor, F32(a, 3, 2), 0, LIST(0, 2),
		    scalar(7)));
	EXPECT(a[0] == 7 && a[1] == 7 && a[2] == 4 && a[4] == 7 && a[5] == 7);
	EXPECT(RUN(aclnnInplaceIndexFillTensor, F32(a, 3, 2), 0, LIST(3),
		   scalar(7)));
	EXPECT(RUN(aclnnInplaceIndexFillTensor, F32(a, 3, 2), 0,
		   LIST(INT64_MAX, INT64_MIN), scalar(7)));
	/* Across 0, neighbours are none. */
	count(a, 6);
	EXPECT(!RUN(aclnnInplaceIndexFillTensor, F32(a, 6), 0, LIST(-2, -1, 0),
		    scalar(7)));
	EXPECT(a[0] == 7 && a[1] == 1 && a[3] == 3 && a[4] == 7 && a[5] == 7);
	EXPECT(RUN(aclnnInplaceIndexFillTensor, F32(a, 6), 0, LIST(4, 5, 6),
		   scalar(7)));
	TEXT("given 6");
	count(a, 12);
	EXPECT(!RUN(aclnnIndexAdd, F32(a, 3, 2), 0, I32(cells, 2),
		    F32(a + 6, 2, 2), scalar(2), F32(out, 3, 2)));
	OUT(16, 19, 14, 17, 4, 5);
	EXPECT(!RUN(aclnnScatter, F32(a, 1, 3), 1, I32(cells, 1, 2),
		    F32(a + 6, 1, 2), 0, F32(out, 1, 3)));
	OUT(7, 6, 2);
	EXPECT(!RUN(aclnnScatterAdd, F32(a, 1, 3), 1, I32(cells, 1, 2),
		    F32(a + 6, 1, 2), F32(out, 1, 3)));
	OUT(7, 7, 2);
	EXPECT(!RUN(aclnnInplaceScatter, F32(a, 1, 3), 1, I32(cells, 1, 2),
		    F32(a + 6, 1, 2), 0));
	EXPECT(a[0] == 7 && a[1] == 6 && a[2] == 2);
	return true;
}

/* A call has a largest size. */
static bool many_steps(void)
{
	static float many[6000];
	static int64_t index[3000];

	for (unsigned int i = 0; i < ARRAY_SIZE(index); i++)
		index[i] = 2 * i;
	EXPECT(RUN(aclnnInplaceIndexFillTensor, F32(many, 6000), 0,
		   ints(3000, index), scalar(7)) == ACLNN_ERR_PARAM_INVALID);
	TEXT("steps");
	return true;
}

/* Rows of half numbers, as caches of keys have them. */
static bool half_rows(void)
{
	uint16_t cache[12] = { 0 }, rows[6];
	int64_t at[] = { 3, 1 };

	for (unsigned int i = 0; i < 6; i++)
		rows[i] = to_half(i + 1);
	EXPECT(!RUN(aclnnInplaceIndexCopy, F16(cache, 4, 3), 0, I64(at, 2),
		    F16(rows, 2, 3)));
	EXPECT(from_half(cache[9]) == 1 && from_half(cache[3]) == 4 &&
	       from_half(cache[5]) == 6 && !cache[0] && !cache[6]);
	return true;
}

static bool order(void)
{
	float x[] = { 3, 1, 2 };
	int64_t where[3] = { 0 };
	int32_t most = -1;

	EXPECT(!RUN(aclnnArgsort, F32(x, 3), -1, true, I64(where, 3)));
	EXPECT(where[0] == 0 && where[1] == 2 && where[2] == 1);
	EXPECT(!RUN(aclnnTopk, F32(x, 3), 2, 0, false, true, F32(out, 2),
		    I64(where, 2)));
	OUT(1, 2);
	EXPECT(where[0] == 1 && where[1] == 2);
	EXPECT(!RUN(aclnnCumsum, F32(x, 3), 0, ACL_FLOAT, F32(out, 3)));
	OUT(3, 4, 6);
	EXPECT(!RUN(aclnnArgMax, F32(x, 1, 3), 1, false, I32(&most, 1)));
	EXPECT(most == 0);
	return true;
}

const struct test shape_tests[] = {
	{ "counts", counts },
	{ "conversions and fills", conversions },
	{ "permutations, slices, diagonals", views },
	{ "lists are joined and split", lists },
	{ "repetition and padding", repetition },
	{ "elements are selected, replaced and added", selection },
	{ "a call with too many steps is an error", many_steps },
	{ "rows of a cache are replaced", half_rows },
	{ "elements are sorted", order },
	{ 0 }
};
