// SPDX-License-Identifier: GPL-2.0-only
/* Products of matrices by groups. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_grouped_matmul.h"
#include "aclnnop/aclnn_grouped_matmul_v2.h"
#include "aclnnop/aclnn_grouped_matmul_v3.h"
#include "aclnnop/aclnn_grouped_matmul_v4.h"
#include "aclnnop/aclnn_grouped_matmul_v5.h"
#include "aclnnop/aclnn_grouped_matmul_weight_nz.h"

enum { GROUPS = 3, ROWS = 9, INNER = 4, COLUMNS = 5, USED = 7 };

/* The groups of the rows: 2 rows, none, 5 rows; two rows belong to none. */
static const int64_t ends[] = { 2, 2, 7 }, sizes[] = { 2, 0, 5 };
static const int64_t pairs[] = { 2, 2, 0, 0, 1, 5 };
static const int group_of[ROWS] = { 0, 0, 2, 2, 2, 2, 2, -1, -1 };

static float x[ROWS * INNER], weight[GROUPS * INNER * COLUMNS];
static float bias[GROUPS * COLUMNS], out[64];
static int8_t x8[ROWS * INNER], weight8[GROUPS * INNER * COLUMNS];

/* Lists of the test, which destroy_lists() destroys with their members. */
static aclTensorList *lists[64];
static unsigned int list_count;

static aclTensorList *list_of(unsigned int count, aclTensor **members)
{
	lists[list_count] = aclCreateTensorList(
		(const aclTensor *const *)members, count);
	return lists[list_count++];
}

static bool destroy_lists(void)
{
	while (list_count)
		aclDestroyTensorList(lists[--list_count]);
	return true;
}

#define MANY(...)							\
	list_of(sizeof((aclTensor *[]){ __VA_ARGS__ }) /		\
			sizeof(aclTensor *),				\
		(aclTensor *[]){ __VA_ARGS__ })

static void fill(void)
{
	numbers(x, ROWS * INNER, 1);
	numbers(weight, GROUPS * INNER * COLUMNS, 2);
	numbers(bias, GROUPS * COLUMNS, 3);
	for (unsigned int i = 0; i < ROWS * INNER; i++)
		x8[i] = i * 37;
	for (unsigned int i = 0; i < GROUPS * INNER * COLUMNS; i++)
		weight8[i] = i * 91;
	for (unsigned int i = 0; i < ARRAY_SIZE(out); i++)
		out[i] = -77;
}

static double product(unsigned int row, unsigned int group, unsigned int column)
{
	double sum = bias[group * COLUMNS + column];

	for (unsigned int k = 0; k < INNER; k++)
		sum += (double)x[row * INNER + k] *
		       weight[(group * INNER + k) * COLUMNS + column];
	return sum;
}

/* The rows of each group, with the others as they were. */
static bool is_product(const int *group)
{
	for (unsigned int i = 0; i < ROWS * COLUMNS; i++)
		if (group[i / COLUMNS] < 0)
			EXPECT(out[i] == -77);
		else
			EXPECT(near(out[i], product(i / COLUMNS,
						    group[i / COLUMNS],
						    i % COLUMNS)));
	return true;
}

static aclTensor *part(float *data, unsigned int group)
{
	return F32(data + group * INNER * COLUMNS, INNER, COLUMNS);
}

static aclTensorList *weights(void)
{
	return MANY(part(weight, 0), part(weight, 1), part(weight, 2));
}

static aclTensorList *biases(void)
{
	return MANY(F32(bias, COLUMNS), F32(bias + COLUMNS, COLUMNS),
		    F32(bias + 2 * COLUMNS, COLUMNS));
}

static aclTensorList *inputs(void)
{
	return MANY(F32(x, 2, INNER), F32(x, 0, INNER),
		    F32(x + 2 * INNER, 5, INNER));
}

static aclTensorList *outputs(void)
{
	return MANY(F32(out, 2, COLUMNS), F32(out, 0, COLUMNS),
		    F32(out + 2 * COLUMNS, 5, COLUMNS));
}

#define NONE	NULL, NULL, NULL, NULL

/* Lists of x and of results, in all combinations. */
static bool known(void)
{
	for (unsigned int way = 0; way < 4; way++) {
		bool one_x = way & 1, one_y = way & 2;

		fill();
		EXPECT(!RUN(aclnnGroupedMatmul,
			    one_x ? MANY(F32(x, ROWS, INNER)) : inputs(),
			    weights(), biases(), NONE,
			    one_x ? ints(GROUPS, ends) : NULL, one_y ? 3 : 0,
			    one_y ? MANY(F32(out, ROWS, COLUMNS)) : outputs()));
		EXPECT(is_product(group_of));
	}
	fill();
	EXPECT(!RUN(aclnnGroupedMatmulV2, MANY(F32(x, ROWS, INNER)),
		    MANY(F32(weight, GROUPS, INNER, COLUMNS)),
		    MANY(F32(bias, GROUPS, COLUMNS)), NONE, ints(GROUPS, ends),
		    2, 0, MANY(F32(out, ROWS, COLUMNS))));
	EXPECT(is_product(group_of));
	/* The results say how many rows there are. */
	fill();
	EXPECT(!RUN(aclnnGroupedMatmulV3, MANY(F32(x, ROWS, INNER)), weights(),
		    biases(), NONE, I64(ends, GROUPS), 1, 0, outputs()));
	EXPECT(is_product(group_of));
	return destroy_lists();
}

/* The sizes of groups are a tensor. */
static bool tensor_sizes(void)
{
	static const int by_pairs[ROWS] = { 2, 2, 1, 1, 1, 1, 1, -1, -1 };
	float turned[GROUPS * INNER * COLUMNS];
	aclTensor *t;

	fill();
	EXPECT(!RUN(aclnnGroupedMatmulV3, MANY(F32(x, ROWS, INNER)), weights(),
		    biases(), NONE, I64(ends, GROUPS), 3, 0,
		    MANY(F32(out, ROWS, COLUMNS))));
	EXPECT(is_product(group_of));
	fill();
	for (unsigned int i = 0; i < ARRAY_SIZE(turned); i++)
		turned[i / COLUMNS / INNER * INNER * COLUMNS +
		       i % COLUMNS * INNER + i / COLUMNS % INNER] = weight[i];
	t = strided(ACL_FLOAT, turned, SHAPE(GROUPS, INNER, COLUMNS),
		    (int64_t[]){ INNER * COLUMNS, 1, INNER }, 0,
		    ARRAY_SIZE(turned));
	EXPECT(!RUN(aclnnGroupedMatmulV4, MANY(F32(x, ROWS, INNER)), MANY(t),
		    MANY(F32(bias, GROUPS, COLUMNS)), NONE, NULL,
		    I64(sizes, GROUPS), NULL, NULL, NULL, 3, 0, 1, 0,
		    MANY(F32(out, ROWS, COLUMNS)), NULL, NULL));
	EXPECT(is_product(group_of));
	fill();
	EXPECT(!RUN(aclnnGroupedMatmulV5, MANY(F32(x, ROWS, INNER)), weights(),
		    biases(), NONE, NULL, I64(pairs, GROUPS, 2), NULL, NULL,
		    NULL, 3, 0, 2, 0, LIST(4), MANY(F32(out, ROWS, COLUMNS)),
		    NULL, NULL));
	EXPECT(is_product(by_pairs));
	return destroy_lists();
}

/* Groups of inner elements: ROWS columns of x, which is transposed. */
static bool inner(void)
{
	float right[ROWS * 2];
	double want;

	for (unsigned int way = 0; way < 2; way++) {
		aclTensor *t;

		fill();
		numbers(right, ARRAY_SIZE(right), 4);
		t = strided(ACL_FLOAT, x, SHAPE(INNER, ROWS),
			    (int64_t[]){ 1, INNER }, 0, ROWS * INNER);
		if (way)
			EXPECT(!RUN(aclnnGroupedMatmulV3, MANY(t),
				    MANY(F32(right, ROWS, 2)), NULL, NONE,
				    I64(ends, GROUPS), 3, 2,
				    MANY(F32(out, GROUPS, INNER, 2))));
		else
			EXPECT(!RUN(aclnnGroupedMatmulV2, MANY(t),
				    MANY(F32(right, ROWS, 2)), NULL, NONE,
				    ints(GROUPS, ends), 3, 2,
				    MANY(F32(out, GROUPS, INNER, 2))));
		for (unsigned int i = 0; i < GROUPS * INNER * 2; i++) {
			unsigned int g = i / (INNER * 2);

			want = 0;
			for (int64_t k = g ? ends[g - 1] : 0; k < ends[g]; k++)
				want += (double)x[k * INNER + i / 2 % INNER] *
					right[k * 2 + i % 2];
			EXPECT(near(out[i], want));
		}
	}
	return destroy_lists();
}

static int exact(unsigned int row, unsigned int group, unsigned int column)
{
	int sum = 0;

	for (unsigned int k = 0; k < INNER; k++)
		sum += x8[row * INNER + k] *
		       weight8[(group * INNER + k) * COLUMNS + column];
	return sum;
}

static aclTensorList *left8(void)
{
	return MANY(tensor(ACL_INT8, x8, SHAPE(ROWS, INNER)));
}

static aclTensorList *right8(void)
{
	return MANY(tensor(ACL_INT8, weight8, SHAPE(GROUPS, INNER, COLUMNS)));
}

/* Both factors are i8. */
static bool integers(void)
{
	float scale[GROUPS * COLUMNS], tokens[ROWS];
	int32_t add[GROUPS * COLUMNS], sums[ROWS * COLUMNS];
	int64_t packed[GROUPS * COLUMNS] = { 0 };
	int8_t small[ROWS * COLUMNS];

	fill();
	for (unsigned int i = 0; i < GROUPS * COLUMNS; i++) {
		scale[i] = (i + 1) * 0x1p-14f;
		add[i] = 1000 * i;
		memcpy(&packed[i], &scale[i], sizeof(scale[i]));
	}
	for (unsigned int i = 0; i < ROWS; i++)
		tokens[i] = i + 1;
	for (unsigned int i = 0; i < ROWS * COLUMNS; i++)
		sums[i] = small[i] = -77;
	EXPECT(!RUN(aclnnGroupedMatmulV4, left8(), right8(),
		    MANY(I32(add, GROUPS, COLUMNS)), NONE, NULL,
		    I64(ends, GROUPS), NULL, NULL, NULL, 3, 0, 0, 0,
		    MANY(I32(sums, ROWS, COLUMNS)), NULL, NULL));
	EXPECT(!RUN(aclnnGroupedMatmulV5, left8(), right8(), NULL,
		    MANY(I64(packed, GROUPS, COLUMNS)), NULL, NULL, NULL, NULL,
		    I64(sizes, GROUPS), NULL, NULL, NULL, 3, 0, 1, 0, NULL,
		    MANY(tensor(ACL_INT8, small, SHAPE(ROWS, COLUMNS))), NULL,
		    NULL));
	EXPECT(!RUN(aclnnGroupedMatmulWeightNz, left8(), right8(),
		    MANY(I32(add, GROUPS, COLUMNS)),
		    MANY(F32(scale, GROUPS, COLUMNS)), NULL, NULL, NULL,
		    MANY(F32(tokens, ROWS)), I64(sizes, GROUPS), NULL, NULL,
		    NULL, 3, 0, 1, 5, NULL, 0, MANY(F32(out, ROWS, COLUMNS)),
		    NULL, NULL));
	for (unsigned int i = 0; i < ROWS * COLUMNS; i++) {
		int row = i / COLUMNS, g = group_of[row], sum;
		unsigned int at = g * COLUMNS + i % COLUMNS;
		double v;

		if (g < 0) {
			EXPECT(sums[i] == -77 && small[i] == -77);
			EXPECT(out[i] == -77);
			continue;
		}
		sum = exact(row, g, i % COLUMNS);
		EXPECT(sums[i] == sum + add[at]);
		v = rint((double)sum * scale[at]);
		EXPECT(small[i] == (v > 127 ? 127 : v < -128 ? -128 : v));
		v = (double)(sum + add[at]) * scale[at] * tokens[row];
		EXPECT(near(out[i], v / (1 + exp(-v))));
	}
	/* Scales of all columns, and sizes that the host knows. */
	fill();
	EXPECT(!RUN(aclnnGroupedMatmulV2, left8(), right8(), NULL,
		    MANY(F32(scale, GROUPS)), NULL, NULL, NULL,
		    ints(GROUPS, ends), 3, 0, MANY(F32(out, ROWS, COLUMNS))));
	for (unsigned int i = 0; i < ROWS * COLUMNS; i++) {
		int g = group_of[i / COLUMNS];

		EXPECT(near(out[i], g < 0 ? -77 :
			    exact(i / COLUMNS, g, i % COLUMNS) * scale[g]));
	}
	return destroy_lists();
}

/* Weights are i8 with a scale of each column, or i4 with two. */
static bool quantised_weights(void)
{
	float scale[GROUPS * 2 * COLUMNS + 3], offset[GROUPS * COLUMNS];
	uint8_t bytes[GROUPS * INNER * 6 / 2];

	fill();
	numbers(scale, ARRAY_SIZE(scale), 5);
	numbers(offset, ARRAY_SIZE(offset), 6);
	for (unsigned int way = 0; way < 2; way++) {
		aclTensorList *left = MANY(F32(x, ROWS, INNER));
		aclTensorList *result = MANY(F32(out, ROWS, COLUMNS));

		if (way)
			EXPECT(!RUN(aclnnGroupedMatmulV3, left, right8(), NULL,
				    NULL, NULL,
				    MANY(F32(scale, GROUPS, COLUMNS)),
				    MANY(F32(offset, GROUPS, COLUMNS)),
				    I64(ends, GROUPS), 3, 0, result));
		else
			EXPECT(!RUN(aclnnGroupedMatmul, left, right8(), NULL,
				    NULL, NULL,
				    MANY(F32(scale, GROUPS, COLUMNS)),
				    MANY(F32(offset, GROUPS, COLUMNS)),
				    ints(GROUPS, ends), 3, result));
		for (unsigned int i = 0; i < USED * COLUMNS; i++) {
			unsigned int g = group_of[i / COLUMNS];
			unsigned int column = i % COLUMNS;
			double want = 0, size = 0;

			for (unsigned int k = 0; k < INNER; k++) {
				double v = x[i / COLUMNS * INNER + k] *
					(weight8[(g * INNER + k) * COLUMNS +
						 column] +
					 (double)offset[g * COLUMNS + column]) *
					scale[g * COLUMNS + column];

				want += v;
				size += fabs(v);
			}
			EXPECT(fabs(out[i] - want) <= size * 1e-6);
		}
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(bytes); i++)
		bytes[i] = i * 83;
	EXPECT(!RUN(aclnnGroupedMatmulV5, MANY(F32(x, ROWS, INNER)),
		    MANY(tensor(ACL_INT4, bytes, SHAPE(GROUPS, INNER, 6))),
		    NULL, NULL, NULL, MANY(F32(scale, GROUPS, 1, 6)), NULL,
		    NULL, I64(ends, GROUPS), NULL, NULL, NULL, 3, 0, 0, 0,
		    NULL, MANY(F32(out, ROWS, 6)), NULL, NULL));
	for (unsigned int i = 0; i < USED * 6; i++) {
		unsigned int g = group_of[i / 6];
		double want = 0;

		for (unsigned int k = 0; k < INNER; k++) {
			unsigned int at = (g * INNER + k) * 6 + i % 6;
			int v = bytes[at / 2] >> at % 2 * 4 & 15;

			want += x[i / 6 * INNER + k] *
				(double)(v > 7 ? v - 16 : v) *
				scale[g * 6 + i % 6];
		}
		EXPECT(near(out[i], want));
	}
	return destroy_lists();
}

static bool refused(const char *text)
{
	if (strstr(last_text, text))
		return true;
	note("expected: %s", text);
	return false;
}

#define V4(x_, weight_, scale_, groups_, split_, type_, kind_, act_, y_)	\
	RUN(aclnnGroupedMatmulV4, x_, weight_, NULL, scale_, NULL, NULL,	\
	    NULL, NULL, groups_, NULL, NULL, NULL, split_, type_, kind_, act_,	\
	    y_, NULL, NULL)

static bool errors(void)
{
	static const int64_t down[] = { 3, 2, 7 }, far[] = { 2, 2, 10 };
	aclTensorList *left, *y;

	fill();
	left = MANY(F32(x, ROWS, INNER));
	y = MANY(F32(out, ROWS, COLUMNS));
	EXPECT(V4(left, weights(), NULL, NULL, 3, 0, 0, 0, y));
	EXPECT(refused("groupListOptional: is NULL, but x and the output are"));
	EXPECT(V4(left, weights(), NULL, I64(ends, GROUPS), 3, 1, 0, 0, y));
	EXPECT(refused("groupType: expected -1, 0 or 2, given 1"));
	EXPECT(V4(left, weights(), NULL, I64(ends, GROUPS), 0, 0, 0, 0, y));
	EXPECT(refused("out: expected 3 tensors for splitItem 0, given 1"));
	EXPECT(V4(left, weights(), NULL, I64(ends, GROUPS), 3, 0, 3, 0, y));
	EXPECT(refused("groupListType: expected 0 to 2, given 3"));
	EXPECT(V4(left, weights(), NULL, I64(ends, GROUPS), 3, 0, 0, 3, y));
	EXPECT(refused("actType: expected 0, 1, 2, 4 or 5, given 3"));
	EXPECT(V4(left, weights(), NULL, I64(ends, GROUPS), 3, 0, 0, 1, y));
	EXPECT(refused("actType: only products of i8"));
	EXPECT(V4(left, weights(), NULL, I64(ends, 2), 3, 0, 0, 0, y));
	EXPECT(refused("groupListOptional: expected shape [3], given"));
	EXPECT(V4(left, right8(), NULL, I64(ends, GROUPS), 3, 0, 0, 0, y));
	EXPECT(refused("antiquantScaleOptional: a scale is needed"));
	EXPECT(V4(left8(), right8(), NULL, I64(ends, GROUPS), 3, 0, 0, 0, y));
	EXPECT(refused("scaleOptional: a scale is needed"));
	EXPECT(V4(left8(), weights(), NULL, I64(ends, GROUPS), 3, 0, 0, 0, y));
	EXPECT(refused("weight: type f32 is not supported with x of type i8"));
	EXPECT(V4(left, weights(), biases(), I64(ends, GROUPS), 3, 0, 0, 0, y));
	EXPECT(refused("scaleOptional: is not possible with these types"));
	EXPECT(V4(left, right8(), NULL, I64(ends, GROUPS), 3, 2, 0, 0, y));
	EXPECT(refused("groupType 2 needs one tensor each"));
	EXPECT(RUN(aclnnGroupedMatmul, left, weights(), NULL, NONE,
		   ints(GROUPS, down), 3, y));
	EXPECT(refused("groupListOptional: expected ascending numbers, given 2"));
	EXPECT(RUN(aclnnGroupedMatmul, left, weights(), NULL, NONE,
		   ints(GROUPS, far), 3, y));
	EXPECT(refused("x: a group of 8 from 2 on leaves the rows"));
	/* The device finds numbers that are too large. */
	EXPECT(V4(left, weights(), NULL, I64(far, GROUPS), 3, 0, 0, 0, y));
	return destroy_lists();
}

const struct test grouped_tests[] = {
	{ "groups of known sizes", known },
	{ "sizes of groups in a tensor", tensor_sizes },
	{ "groups of inner elements", inner },
	{ "groups of quantised products", integers },
	{ "groups of quantised weights", quantised_weights },
	{ "groups that are refused", errors },
	{ 0 }
};
