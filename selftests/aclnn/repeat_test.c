// SPDX-License-Identifier: GPL-2.0-only
/* Repetition of elements, and updates of slices, by type and layout. */
#include "aclnnop/aclnn_index_add_v2.h"
#include "aclnnop/aclnn_repeat_interleave.h"
#include "aclnnop/aclnn_scatter_nd_update.h"
#include "aclnnop/aclnn_scatter_update.h"
#include "typed.h"

enum { ROWS = 3, COLUMNS = 4, COUNT = ROWS * COLUMNS };

static float a[COUNT], out[64];

/* Repeat all elements of a matrix: each twice, or each by its number. */
static bool check_flat(aclDataType dtype, enum layout layout)
{
	static const int64_t times[COUNT] = { 1, 0, 2, 3, 0, 0, 1, 4, 1, 0, 2, 0 };
	struct typed x = TYPED(dtype, layout, ROWS, COLUMNS);
	struct typed each = TYPED(ACL_INT64, layout, COUNT);
	struct typed two = TYPED(ACL_INT64, CONTIGUOUS, 1);
	struct typed y = TYPED(dtype, layout % OUT_LAYOUTS, 2 * COUNT);
	struct typed z = TYPED(dtype, layout % OUT_LAYOUTS, 14);
	int64_t at = 0;

	fill(&x, 1);
	set(&two, 0, 2);
	EXPECT(!RUN(aclnnRepeatInterleaveInt, x.tensor, 2, 2 * COUNT, y.tensor));
	for (int64_t i = 0; i < y.count; i++)
		EXPECT(is(&y, i, get(&x, i / 2)));
	fill(&y, 2);
	EXPECT(!RUN(aclnnRepeatInterleave, x.tensor, two.tensor, 2 * COUNT,
		    y.tensor));
	for (int64_t i = 0; i < y.count; i++)
		EXPECT(is(&y, i, get(&x, i / 2)));
	if (layout == EXPANDED)
		return true;
	for (unsigned int i = 0; i < COUNT; i++)
		set(&each, i, times[i]);
	EXPECT(!RUN(aclnnRepeatInterleave, x.tensor, each.tensor, 14, z.tensor));
	for (unsigned int i = 0; i < COUNT; i++)
		for (int64_t k = 0; k < times[i]; k++)
			EXPECT(is(&z, at++, get(&x, i)));
	return true;
}

/* Repeat rows, and columns by numbers of i32. */
static bool check_lines(aclDataType dtype, enum layout layout)
{
	static const int32_t times[COLUMNS] = { 2, 0, 1, 2 }, which[] = { 0, 0, 2, 3, 3 };
	struct typed x = TYPED(dtype, layout, ROWS, COLUMNS);
	struct typed rows = TYPED(dtype, layout % OUT_LAYOUTS, 3 * ROWS, COLUMNS);
	struct typed columns = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, 5);
	struct typed three = make_typed(ACL_INT64, CONTIGUOUS, 0, NULL);
	struct typed each = TYPED(ACL_INT32, CONTIGUOUS, COLUMNS);

	fill(&x, 3);
	set(&three, 0, 3);
	EXPECT(!RUN(aclnnRepeatInterleaveWithDim, x.tensor, three.tensor, 0,
		    3 * ROWS, rows.tensor));
	for (int64_t i = 0; i < rows.count; i++)
		EXPECT(is(&rows, i, get(&x, i / COLUMNS / 3 * COLUMNS +
					    i % COLUMNS)));
	for (unsigned int i = 0; i < COLUMNS; i++)
		set(&each, i, times[i]);
	EXPECT(!RUN(aclnnRepeatInterleaveWithDim, x.tensor, each.tensor, -1, 5,
		    columns.tensor));
	for (int64_t i = 0; i < columns.count; i++)
		EXPECT(is(&columns, i, get(&x, i / 5 * COLUMNS + which[i % 5])));
	return true;
}

static bool repetitions(void)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(plain_types); t++)
		for (unsigned int layout = 0; layout < LAYOUTS; layout++) {
			forget_typed();
			EXPECT(check_flat(plain_types[t], layout));
			EXPECT(check_lines(plain_types[t], layout));
		}
	forget_typed();
	return true;
}

/* Nothing to repeat, or nothing that is repeated. */
static bool no_repetitions(void)
{
	int64_t none[] = { 0, 0 };

	EXPECT(!RUN(aclnnRepeatInterleaveInt, F32(a, 0), 3, 0, F32(out, 0)));
	EXPECT(!RUN(aclnnRepeatInterleaveInt, F32(a, 4), 0, 0, F32(out, 0)));
	EXPECT(!RUN(aclnnRepeatInterleave, F32(a, 2), I64(none, 2), 0,
		    F32(out, 0)));
	EXPECT(!RUN(aclnnRepeatInterleave, F32(a, 4), I64(none, 1), 0,
		    F32(out, 0)));
	EXPECT(!RUN(aclnnRepeatInterleave, F32(a, 0), I64(none, 0), 0,
		    F32(out, 0)));
	EXPECT(!RUN(aclnnRepeatInterleaveWithDim, F32(a, 2, 0), I64(none, 1), 0,
		    0, F32(out, 0, 0)));
	return true;
}

/* The device finds numbers that do not fit. */
static bool wrong_repetitions(void)
{
	int64_t two[] = { 2 }, each[] = { 2, 1 }, negative[] = { 4, -1 };
	const int64_t part = INT64_C(1) << 62;
	/* Their sum wraps to 3. */
	int64_t large[] = { part, part, part, part + 3 };

	EXPECT(!RUN(aclnnRepeatInterleave, F32(a, 2), I64(each, 2), 3,
		    F32(out, 3)));
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 2), I64(each, 2), 4,
		   F32(out, 4)));
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 2), I64(each, 2), 2,
		   F32(out, 2)));
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 2), I64(negative, 2), 3,
		   F32(out, 3)));
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 4), I64(large, 4), 3,
		   F32(out, 3)));
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 2), I64(two, 1), 6,
		   F32(out, 6)));
	EXPECT(!RUN(aclnnRepeatInterleave, F32(a, 2), I64(two, 1), 4,
		    F32(out, 4)));
	return true;
}

static bool repetition_errors(void)
{
	int64_t times[6] = { 1, 1, 1, 1, 1, 1 };

	EXPECT(RUN(aclnnRepeatInterleaveInt, F32(a, 4), -1, -4, F32(out, 4)));
	TEXT("repeats: expected 0 or more, given -1");
	EXPECT(RUN(aclnnRepeatInterleaveInt, F32(a, 4), INT64_MAX, 4, F32(out, 4)));
	EXPECT(RUN(aclnnRepeatInterleaveInt, F32(a, 4), 2, 7, F32(out, 8)));
	TEXT("outputSize: expected 8, given 7");
	EXPECT(RUN(aclnnRepeatInterleaveInt, F32(a, 4), 2, 8, F32(out, 7)));
	TEXT("out: expected 8 in dimension 0, given 7");
	EXPECT(RUN(aclnnRepeatInterleaveInt, F32(a, 4), 2, 8, I32(out, 8)));
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 4), I64(times, 3), 3,
		   F32(out, 3)));
	TEXT("repeats: expected 1 or 4 elements in 1 dimension");
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 4), I64(times, 2, 2), 4,
		   F32(out, 4)));
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 4), F32(out, 4), 4,
		   F32(out, 4)));
	TEXT("repeats: expected type i32 or i64, given f32");
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 4), I64(times, 1), 5,
		   F32(out, 5)));
	TEXT("outputSize: expected a multiple of 4, given 5");
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 4), I64(times, 4), -1,
		   F32(out, 4)));
	TEXT("outputSize: expected 0 or more, given -1");
	EXPECT(RUN(aclnnRepeatInterleave, F32(a, 0), I64(times, 0), 1,
		   F32(out, 1)));
	TEXT("outputSize: expected 0, given 1");
	EXPECT(RUN(aclnnRepeatInterleaveWithDim, F32(a, 2, 3), I64(times, 3), 2,
		   3, F32(out, 2, 3)));
	TEXT("dim: expected a dimension from -2 to 1, given 2");
	EXPECT(RUN(aclnnRepeatInterleaveWithDim, tensor(ACL_FLOAT, a, 0, NULL),
		   I64(times, 1), 0, 1, F32(out, 1)));
	TEXT("self: has no dimensions");
	EXPECT(RUN(aclnnRepeatInterleave, NULL, I64(times, 1), 4, F32(out, 4)) ==
	       ACLNN_ERR_PARAM_NULLPTR);
	return true;
}

/* Replace rows, then single elements; the last index of a place counts. */
static bool check_slices(aclDataType dtype, enum layout layout, aclDataType of_index)
{
	struct typed data = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, COLUMNS);
	struct typed rows = TYPED(dtype, layout, 2, COLUMNS);
	struct typed which = TYPED(of_index, layout % OUT_LAYOUTS, 2, 1);
	struct typed where = TYPED(of_index, layout % OUT_LAYOUTS, 3, 2);
	struct typed single = TYPED(dtype, CONTIGUOUS, 3);
	double want[COUNT];

	fill(&data, 4);
	fill(&rows, 5);
	for (unsigned int i = 0; i < COUNT; i++)
		want[i] = get(&data, i);
	for (unsigned int i = 0; i < 2; i++) {
		set(&which, i, 2 - 2 * i);
		for (unsigned int k = 0; k < COLUMNS; k++)
			want[(2 - 2 * i) * COLUMNS + k] = get(&rows, i * COLUMNS + k);
	}
	EXPECT(!RUN(aclnnScatterNdUpdate, data.tensor, which.tensor, rows.tensor));
	for (unsigned int i = 0; i < COUNT; i++)
		EXPECT(is(&data, i, want[i]));
	fill(&single, 6);
	for (unsigned int i = 0; i < 3; i++) {
		set(&where, 2 * i, i % 2);
		set(&where, 2 * i + 1, 3 * (i % 2));
		want[i % 2 * COLUMNS + 3 * (i % 2)] = get(&single, i);
	}
	EXPECT(!RUN(aclnnScatterNdUpdate, data.tensor, where.tensor,
		    single.tensor));
	for (unsigned int i = 0; i < COUNT; i++)
		EXPECT(is(&data, i, want[i]));
	return true;
}

static bool slices(void)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(plain_types); t++)
		for (unsigned int layout = 0; layout < LAYOUTS; layout++) {
			forget_typed();
			EXPECT(check_slices(plain_types[t], layout, layout % 2 ?
					    ACL_INT32 : ACL_INT64));
		}
	forget_typed();
	return true;
}

static bool slice_errors(void)
{
	int64_t index[] = { 0, 3 };

	EXPECT(RUN(aclnnScatterNdUpdate, F32(out, 3, 2), I64(index, 2, 1),
		   F32(a, 2, 2)));
	EXPECT(out[0] == a[0]);
	EXPECT(!RUN(aclnnScatterNdUpdate, F32(out, 3, 2), I64(index, 0, 1),
		    F32(a, 0, 2)));
	EXPECT(RUN(aclnnScatterNdUpdate, F32(out, 3, 2), I64(index, 1, 3),
		   F32(a, 1)));
	TEXT("indices: expected a last dimension of 1 to 2");
	EXPECT(RUN(aclnnScatterNdUpdate, F32(out, 3, 2), I64(index, 1, 1),
		   F32(a, 1, 3)));
	EXPECT(RUN(aclnnScatterNdUpdate, F32(out, 3, 2), I64(index, 1, 1),
		   I32(a, 1, 2)));
	TEXT("updates: expected type f32, given i32");
	EXPECT(RUN(aclnnScatterNdUpdate, F32(out, 3, 2), F32(a, 1, 1),
		   F32(a, 1, 2)));
	return true;
}

/* A cache of [batch, head, place, feature], or of other orders. */
static bool check_cache(aclDataType dtype, enum layout layout, int64_t axis)
{
	int64_t dims[] = { 3, 4, 4, 4 }, part[] = { 2, 4, 4, 4 };
	static const int64_t from[] = { 2, 1 };
	unsigned int dim = axis < 0 ? axis + 4 : axis, i, k;
	struct typed data = make_typed(dtype, layout % OUT_LAYOUTS, 4, dims);
	struct typed index = TYPED(ACL_INT64, layout % OUT_LAYOUTS, 2), updates;
	double want[192];

	part[dim] = 2;
	updates = make_typed(dtype, layout, 4, part);
	fill(&data, 7);
	fill(&updates, 8);
	for (i = 0; i < 192; i++)
		want[i] = get(&data, i);
	set(&index, 0, from[0]);
	set(&index, 1, from[1]);
	for (i = 0; i < updates.count; i++) {
		int64_t at[4], rest = i;

		for (k = 4; k--; rest /= part[k])
			at[k] = rest % part[k];
		at[dim] += from[at[0]];
		want[((at[0] * 4 + at[1]) * 4 + at[2]) * 4 + at[3]] =
			get(&updates, i);
	}
	EXPECT(!RUN(aclnnInplaceScatterUpdate, data.tensor, index.tensor,
		    updates.tensor, axis));
	for (i = 0; i < 192; i++)
		EXPECT(is(&data, i, want[i]));
	return true;
}

static bool caches(void)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(plain_types); t++)
		for (unsigned int way = 0; way < 4 * LAYOUTS; way++) {
			forget_typed();
			EXPECT(check_cache(plain_types[t], way % LAYOUTS,
					   (int64_t)way / LAYOUTS - 2 ?: 1));
		}
	forget_typed();
	return true;
}

static bool cache_errors(void)
{
	int64_t index[] = { 2, 2, 2 };

	/* One behind the end is found when the operator runs. */
	EXPECT(RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3), I64(index, 2),
		   F32(a, 2, 2), 1));
	EXPECT(!RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3), I64(index, 2),
		    F32(a, 2, 1), -1));
	EXPECT(!RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3), I64(index, 0),
		    F32(a, 0, 1), -1));
	EXPECT(RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3), I64(index, 1, 2),
		   F32(a, 1, 1), 1));
	TEXT("indices: expected 1 dimension, given 2");
	EXPECT(RUN(aclnnInplaceScatterUpdate, F32(out, 6), I64(index, 1),
		   F32(a, 1), 0));
	TEXT("data: expected 2 dimensions or more, given 1");
	EXPECT(RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3), I64(index, 1),
		   F32(a, 1), 0));
	TEXT("updates: expected 2 dimensions, given 1");
	EXPECT(RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3), I64(index, 2),
		   F32(a, 2, 3), -2));
	TEXT("axis: expected a dimension behind the first");
	EXPECT(RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3), I64(index, 3),
		   F32(a, 3, 1), 1));
	TEXT("updates: expected at most 2 in dimension 0, given 3");
	EXPECT(RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3, 2), I64(index, 2),
		   F32(a, 2, 1, 1), 1));
	TEXT("updates: expected 2 in dimension 2, given 1");
	EXPECT(RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3), I64(index, 1),
		   F32(a, 2, 1), 1));
	TEXT("indices: expected 2 elements, given 1");
	EXPECT(RUN(aclnnInplaceScatterUpdate, F32(out, 2, 3), I64(index, 2),
		   I32(a, 2, 1), 1));
	return true;
}

static bool sums(void)
{
	int32_t index[] = { 1, 1 }, wrong[] = { 0, 2 };
	struct typed self, source, y;

	for (unsigned int t = 0; t < ARRAY_SIZE(plain_types); t++)
		for (unsigned int layout = 0; layout < LAYOUTS; layout++) {
			forget_typed();
			self = TYPED(plain_types[t], layout, 2, 3);
			source = TYPED(plain_types[t], layout, 2, 3);
			y = TYPED(plain_types[t], layout % OUT_LAYOUTS, 2, 3);
			fill(&self, 9);
			fill(&source, 10);
			EXPECT(!RUN(aclnnIndexAddV2, self.tensor, 0,
				    I32(index, 2), source.tensor, whole(2), 0,
				    y.tensor));
			for (unsigned int i = 0; i < 6; i++)
				EXPECT(is(&y, i, get(&self, i) + (i < 3 ? 0 :
					2 * (get(&source, i) +
					     get(&source, i - 3)))));
		}
	forget_typed();
	EXPECT(RUN(aclnnIndexAddV2, F32(a, 2, 3), 0, I32(wrong, 2), F32(a, 2, 3),
		   whole(1), 0, F32(out, 2, 3)));
	EXPECT(RUN(aclnnIndexAddV2, F32(a, 2, 3), 2, I32(index, 2), F32(a, 2, 3),
		   whole(1), 0, F32(out, 2, 3)));
	TEXT("dim: expected -2 to 1, given 2");
	return true;
}

const struct test repeat_tests[] = {
	{ "repetitions, by type and layout", repetitions },
	{ "repetitions of nothing", no_repetitions },
	{ "repetitions that the device refuses", wrong_repetitions },
	{ "errors of repetitions", repetition_errors },
	{ "updates of slices, by type and layout", slices },
	{ "errors of updates of slices", slice_errors },
	{ "updates of caches, by type and layout", caches },
	{ "errors of updates of caches", cache_errors },
	{ "sums by index, second version", sums },
	{ 0 }
};
