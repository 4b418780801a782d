// SPDX-License-Identifier: GPL-2.0-only
/* Elementwise operators, types, layouts. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_masked_fill_scalar.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_prelu.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_sum.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swish.h"

static float a[105], c[105], out[105];

static bool broadcast(void)
{
	numbers(a, 105, 1);
	numbers(c, 7, 2);
	EXPECT(!RUN(aclnnAdd, F32(a, 3, 5, 7), F32(c, 1, 7), scalar(0.5f),
		    F32(out, 3, 5, 7)));
	for (unsigned int i = 0; i < 105; i++)
		EXPECT(near(out[i], a[i] + 0.5 * c[i % 7]));
	EXPECT(!RUN(aclnnInplaceMuls, F32(out, 105), scalar(3)));
	for (unsigned int i = 0; i < 105; i++)
		EXPECT(near(out[i], 3 * (a[i] + 0.5 * c[i % 7])));
	return true;
}

/* Views of a matrix: transposed into every second column. */
static bool layouts(void)
{
	numbers(a, 105, 3);
	memset(out, 0, sizeof(out));
	EXPECT(!RUN(aclnnExp, strided(ACL_FLOAT, a, SHAPE(5, 3),
				      (int64_t[]){ 1, 7 }, 2, 21),
		    strided(ACL_FLOAT, out, SHAPE(5, 3), (int64_t[]){ 6, 2 }, 1,
			    30)));
	for (unsigned int i = 0; i < 30; i++) {
		unsigned int row = i / 6, column = i % 6 / 2;

		EXPECT(i % 2 ? near(out[i], exp(a[2 + row + 7 * column])) :
			       out[i] == 0);
	}
	return true;
}

static bool mixed_types(void)
{
	int32_t i32[] = { 1, -2, 3 }, same[] = { 1, 2, 3 }, flags[3];
	uint16_t half[3];
	int8_t i8[] = { 4, -5, 6 };
	int64_t i64 = 0;

	for (unsigned int i = 0; i < 3; i++)
		half[i] = to_half(0.25f * (i + 1));
	EXPECT(!RUN(aclnnMul, I32(i32, 3), F32(a, 3), F32(out, 3)));
	EXPECT(near(out[1], -2 * a[1]));
	EXPECT(!RUN(aclnnMul, tensor(ACL_INT8, i8, SHAPE(3)), F16(half, 3),
		    F32(out, 3)));
	EXPECT(out[0] == 1 && out[1] == -2.5f && out[2] == 4.5f);
	EXPECT(!RUN(aclnnInplaceAdd, F32(out, 3), F16(half, 3), scalar(2)));
	EXPECT(out[0] == 1.5f && out[2] == 6);
	EXPECT(!RUN(aclnnEqTensor, I32(i32, 3), I32(same, 3), I32(flags, 3)));
	EXPECT(flags[0] == 1 && flags[1] == 0 && flags[2] == 1);
	EXPECT(!RUN(aclnnReduceSum, I32(same, 3), LIST(0), false, ACL_INT64,
		    tensor(ACL_INT64, &i64, 0, NULL)));
	EXPECT(i64 == 6);
	/* A result without dimensions is also one of shape [1]. */
	EXPECT(!RUN(aclnnReduceSum, I32(same, 3), LIST(0), false, ACL_INT64,
		    I64(&i64, 1)));
	EXPECT(RUN(aclnnReduceSum, I32(same, 3), LIST(0), false, ACL_INT64,
		   I64(&i64, 1, 1)));
	EXPECT(!strcmp(last_text, "out: expected shape [], given [1, 1]"));
	EXPECT(!RUN(aclnnDiv, I32(i32, 3), I32(same, 3), F32(out, 3)));
	EXPECT(out[1] == -1);
	return true;
}

/* No integer of a tensor is as large as such a scalar. */
static bool large_scalar(void)
{
	const uint64_t most = UINT64_MAX;
	aclScalar *large = aclCreateScalar((void *)(uintptr_t)&most, ACL_UINT64);
	int32_t one = 1;

	out[0] = 1;
	EXPECT(!RUN(aclnnInplaceMuls, F32(out, 1), large));
	EXPECT(out[0] == 0x1p64f);
	EXPECT(RUN(aclnnInplaceMuls, I32(&one, 1), large));
	EXPECT(!aclDestroyScalar(large));
	return true;
}

static bool scalars_in_half(void)
{
	uint16_t half[] = { to_half(2), to_half(-3) }, to[2];

	EXPECT(!RUN(aclnnPowScalarTensor, scalar(2), F16(half, 2),
		    F16(to, 2)));
	EXPECT(from_half(to[0]) == 4 && from_half(to[1]) == 0.125f);
	return true;
}

static bool bounds(void)
{
	numbers(a, 10, 4);
	EXPECT(!RUN(aclnnClamp, F32(a, 10), scalar(-1), scalar(0.5f),
		    F32(out, 10)));
	for (unsigned int i = 0; i < 10; i++)
		EXPECT(out[i] == fminf(fmaxf(a[i], -1), 0.5f));
	EXPECT(!RUN(aclnnClamp, F32(a, 10), scalar(-INFINITY), NULL,
		    F32(out, 10)));
	EXPECT(!memcmp(a, out, 40));
	EXPECT(!RUN(aclnnClamp, F32(a, 10), NULL, whole(0), F32(out, 10)));
	for (unsigned int i = 0; i < 10; i++)
		EXPECT(out[i] == fminf(a[i], 0));
	EXPECT(RUN(aclnnClamp, F32(a, 10), NULL, NULL, F32(out, 10)));
	return true;
}

/* Integers take scalars without their fraction, but no such factor. */
static bool fractions(void)
{
	int32_t i[] = { -7, 0, 7 }, to[3] = { 0 };
	bool mask[] = { true, false, true };

	EXPECT(!RUN(aclnnClamp, I32(i, 3), scalar(-2.5f), scalar(3.5f),
		    I32(to, 3)));
	EXPECT(to[0] == -2 && to[1] == 0 && to[2] == 3);
	EXPECT(!RUN(aclnnClampMin, I32(i, 3), scalar(-INFINITY), I32(to, 3)));
	EXPECT(!memcmp(i, to, sizeof(i)));
	EXPECT(!RUN(aclnnInplaceClampMax, I32(to, 3), scalar(0.5f)));
	EXPECT(to[0] == -7 && to[2] == 0);
	EXPECT(!RUN(aclnnInplaceMaskedFillScalar, I32(to, 3),
		    tensor(ACL_BOOL, mask, SHAPE(3)), scalar(9.75f)));
	EXPECT(to[0] == 9 && to[1] == 0 && to[2] == 9);
	EXPECT(!RUN(aclnnClamp, I32(i, 3), scalar(-2.5f), NULL, F32(out, 3)));
	EXPECT(out[0] == -2.5f && out[2] == 7);

	EXPECT(!RUN(aclnnInplaceAdds, I32(i, 3), whole(2), scalar(3)));
	EXPECT(i[0] == -1 && i[2] == 13);
	EXPECT(RUN(aclnnInplaceAdds, I32(i, 3), whole(2), scalar(1.5f)));
	TEXT("alpha: expected an integer for type i32");
	EXPECT(!RUN(aclnnAdd, I32(i, 3), I32(i, 3), scalar(-2), F32(out, 3)));
	EXPECT(out[0] == 1 && out[2] == -13);
	return true;
}

static bool rounded_quotients(void)
{
	float x[] = { 7, -7 };

	EXPECT(!RUN(aclnnDivMods, F32(x, 2), scalar(2), 2, F32(out, 2)));
	EXPECT(out[0] == 3 && out[1] == -4);
	EXPECT(!RUN(aclnnInplaceDivMods, F32(x, 2), scalar(2), 1));
	EXPECT(x[0] == 3 && x[1] == -3);
	EXPECT(RUN(aclnnDivMods, F32(x, 2), scalar(2), 3, F32(out, 2)));
	return true;
}

static double silu(double x)
{
	return x / (1 + exp(-x));
}

static bool gates(void)
{
	double gelu;

	numbers(a, 60, 5);
	EXPECT(!RUN(aclnnSwiGlu, F32(a, 3, 20), -1, F32(out, 3, 10)));
	for (unsigned int i = 0; i < 30; i++)
		EXPECT(near(out[i], silu(a[i / 10 * 20 + i % 10]) *
				    a[i / 10 * 20 + 10 + i % 10]));
	EXPECT(RUN(aclnnSwiGlu, F32(a, 3, 19), -1, F32(out, 3, 10)));
	EXPECT(!RUN(aclnnGeGluV3, F32(a, 20, 3), 0, 1, false, F32(out, 10, 3),
		    F32(c, 10, 3)));
	for (unsigned int i = 0; i < 30; i++) {
		gelu = a[30 + i] * 0.5 * (1 + erf(a[30 + i] * M_SQRT1_2));
		EXPECT(near(c[i], gelu) && near(out[i], a[i] * gelu));
	}
	EXPECT(!RUN(aclnnSwish, F32(a, 5), scalar(2), F32(out, 5)));
	EXPECT(near(out[3], a[3] / (1 + exp(-2 * a[3]))));
	EXPECT(!RUN(aclnnSwish, F32(a, 5), NULL, F32(out, 5)));
	EXPECT(near(out[3], silu(a[3])));
	return true;
}

static bool channels(void)
{
	float weight[] = { 0.5f, 2, -1 };

	numbers(a, 30, 6);
	EXPECT(!RUN(aclnnPrelu, F32(a, 2, 3, 5), F32(weight, 3),
		    F32(out, 2, 3, 5)));
	for (unsigned int i = 0; i < 30; i++)
		EXPECT(near(out[i], a[i] > 0 ? a[i] :
				    weight[i / 5 % 3] * a[i]));
	return true;
}

/* Elements at addresses that are no multiple of their size. */
static bool unaligned(void)
{
	char in[101], to[101];
	float value;

	numbers(a, 25, 7);
	memcpy(in + 1, a, 100);
	EXPECT(!RUN(aclnnSilu, strided(ACL_FLOAT, in + 1, SHAPE(5, 5),
				       (int64_t[]){ 1, 5 }, 0, 25),
		    F32(to + 1, 5, 5)));
	for (unsigned int i = 0; i < 25; i++) {
		memcpy(&value, to + 1 + 4 * i, 4);
		EXPECT(near(value, silu(a[i / 5 + i % 5 * 5])));
	}
	return true;
}

static bool sums_of_lists(void)
{
	const aclTensor *members[3];
	aclTensorList *list;
	float x[] = { 1, 2 }, y[] = { 3, 4 }, z[] = { 5, 6 };

	for (unsigned int count = 1; count <= 3; count++) {
		members[0] = F32(x, 2);
		members[1] = F32(y, 2);
		members[2] = F32(z, 2);
		list = aclCreateTensorList(members, count);
		EXPECT(!RUN(aclnnSum, list, F32(out, 2)));
		EXPECT(out[0] == (count == 1 ? 1 : count == 2 ? 4 : 9));
		aclDestroyTensorList(list);
	}
	return true;
}

/* Integers are summed as integers: 2^53 + 1 is no double. */
static bool sums_of_integers(void)
{
	int64_t x = 1LL << 53, y = 1, to;
	int32_t i = 3, sum;
	float f = 0.5f;
	const aclTensor *wide[] = { I64(&x, 1), I64(&y, 1), I64(&x, 1) };
	const aclTensor *narrow[] = { I32(&i, 1), I32(&i, 1), I32(&i, 1) };
	const aclTensor *mixed[] = { F32(&f, 1), I32(&i, 1), I32(&i, 1) };
	aclTensorList *lists[] = {
		aclCreateTensorList(wide, 3),
		aclCreateTensorList(narrow, 3),
		aclCreateTensorList(mixed, 3),
	};

	EXPECT(!RUN(aclnnSum, lists[0], I64(&to, 1)));
	EXPECT(to == (1LL << 54) + 1);
	EXPECT(!RUN(aclnnSum, lists[1], I32(&sum, 1)));
	EXPECT(sum == 9);
	EXPECT(RUN(aclnnSum, lists[2], I32(&sum, 1)));
	for (unsigned int k = 0; k < ARRAY_SIZE(lists); k++)
		aclDestroyTensorList(lists[k]);
	return true;
}

static bool empty(void)
{
	unsigned int before = launches;

	EXPECT(!RUN(aclnnExp, F32(NULL, 3, 0), F32(NULL, 3, 0)));
	EXPECT(launches == before);
	return true;
}

const struct test math_tests[] = {
	{ "operands broadcast", broadcast },
	{ "inputs and outputs have any layout", layouts },
	{ "types mix", mixed_types },
	{ "scalars take the type of tensors", scalars_in_half },
	{ "large scalars are numbers", large_scalar },
	{ "bounds may be missing", bounds },
	{ "scalars of integers lose their fraction", fractions },
	{ "quotients are rounded", rounded_quotients },
	{ "gated units", gates },
	{ "weights of channels", channels },
	{ "elements are at any address", unaligned },
	{ "lists are summed", sums_of_lists },
	{ "lists of integers are summed exactly", sums_of_integers },
	{ "empty tensors are not launched", empty },
	{ 0 }
};
