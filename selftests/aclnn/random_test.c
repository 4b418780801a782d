// SPDX-License-Identifier: GPL-2.0-only
/* Sequences, random numbers, and lists of indices. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "aclnnop/aclnn_gemm.h"
#include "aclnnop/aclnn_index.h"
#include "aclnnop/aclnn_index_put_impl.h"
#include "aclnnop/aclnn_linalg_cross.h"
#include "aclnnop/aclnn_linspace.h"
#include "aclnnop/aclnn_masked_scatter.h"
#include "aclnnop/aclnn_masked_select.h"
#include "aclnnop/aclnn_multinomial.h"
#include "aclnnop/aclnn_nonzero.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_one_hot.h"
#include "aclnnop/aclnn_scatter_nd.h"
#include "aclnnop/aclnn_sim_thread_exponential.h"
#include "typed.h"

enum { MANY = 4096 };

static float a[MANY], c[64], out[MANY];

static bool sequences(void)
{
	int64_t class[] = { 2, 0, 1 };
	float on = 5, off = -1;

	EXPECT(!RUN(aclnnLinspace, scalar(1), scalar(2), 5, F32(out, 5)));
	EXPECT(out[0] == 1 && out[1] == 1.25f && out[4] == 2);
	EXPECT(!RUN(aclnnLinspace, scalar(7), scalar(2), 1, F32(out, 1)));
	EXPECT(out[0] == 7);
	EXPECT(RUN(aclnnLinspace, scalar(1), scalar(2), 5, F32(out, 4)));
	EXPECT(!RUN(aclnnOneHot, I64(class, 3), 4, F32(&on, 1), F32(&off, 1),
		    0, F32(out, 4, 3)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(out[i] == (class[i % 3] == i / 3 ? on : off));
	EXPECT(RUN(aclnnOneHot, I64(class, 3), 4, F32(&on, 1), F32(&off, 1), 2,
		   F32(out, 4, 3)));
	return true;
}

static bool distributions(void)
{
	double sum = 0, squares = 0;
	unsigned int kept = 0;
	uint8_t mask[MANY / 8];

	EXPECT(!RUN(aclnnInplaceNormal, F32(a, MANY), 3, 2, 1, 2));
	for (unsigned int i = 0; i < MANY; i++) {
		sum += a[i];
		squares += (a[i] - 3) * (a[i] - 3);
	}
	EXPECT(fabs(sum / MANY - 3) < 0.15 && fabs(squares / MANY - 4) < 0.4);
	EXPECT(!RUN(aclnnDropoutGenMask, LIST(MANY), 0.25, 1, 0,
		    tensor(ACL_UINT8, mask, SHAPE(MANY / 8))));
	EXPECT(!RUN(aclnnDropoutDoMask, F32(a, MANY),
		    tensor(ACL_UINT8, mask, SHAPE(MANY / 8)), 0.25,
		    F32(out, MANY)));
	for (unsigned int i = 0; i < MANY; i++) {
		bool stays = mask[i / 8] >> i % 8 & 1;

		kept += stays;
		EXPECT(stays ? near(out[i], a[i] / 0.75) : !out[i]);
	}
	EXPECT(kept > MANY * 0.72 && kept < MANY * 0.78);
	EXPECT(RUN(aclnnDropoutGenMask, LIST(MANY + 1), 0.25, 1, 0,
		   tensor(ACL_UINT8, mask, SHAPE(MANY / 8))));
	return true;
}

static bool check_exponential(aclDataType dtype, enum layout layout)
{
	struct typed x = TYPED(dtype, layout, 4, MANY / 4);
	struct typed again = TYPED(dtype, layout, 4, MANY / 4);
	double sum = 0, squares = 0;
	unsigned int large = 0;

	EXPECT(!RUN(aclnnSimThreadExponential, x.tensor, MANY, 0.5, 3, 8));
	EXPECT(!RUN(aclnnSimThreadExponential, again.tensor, MANY, 0.5, 3, 8));
	for (unsigned int i = 0; i < MANY; i++) {
		double value = get(&x, i);

		EXPECT(value >= 0 && !isinf(value));
		EXPECT(value == get(&again, i));
		sum += value / MANY;
		squares += value * value / MANY;
		large += value > 4;
	}
	/* The mean, the mean of squares, and the part above twice the mean. */
	EXPECT(fabs(sum - 2) < 0.12 && fabs(squares - 8) < 0.9);
	EXPECT(fabs((double)large / MANY - exp(-2)) < 0.02);
	return true;
}

static bool exponentials(void)
{
	EXPECT(each_layout(float_types, ARRAY_SIZE(float_types), OUT_LAYOUTS,
			   check_exponential));
	EXPECT(!RUN(aclnnSimThreadExponential, F32(out, 0), 0, 1, 0, 0));
	EXPECT(!RUN(aclnnSimThreadExponential, F32(out, 4), 4, INFINITY, 0, 0));
	EXPECT(out[0] == 0 && out[3] == 0);
	EXPECT(RUN(aclnnSimThreadExponential, F32(out, 4), 5, 1, 0, 0));
	TEXT("count: expected the elements of selfRef, 4, given 5");
	EXPECT(RUN(aclnnSimThreadExponential, F32(out, 4), 4, 0, 0, 0));
	TEXT("lambda: expected more than 0, given 0");
	EXPECT(RUN(aclnnSimThreadExponential, F32(out, 4), 4, NAN, 0, 0));
	EXPECT(RUN(aclnnSimThreadExponential, I32(out, 4), 4, 1, 0, 0));
	TEXT("selfRef: expected a floating-point type, given i32");
	return true;
}

static bool choices(void)
{
	float weight[] = { 1, 0, 3, 4 };
	unsigned int count[4] = { 0 };
	static int64_t chosen[MANY];

	EXPECT(!RUN(aclnnMultinomial, F32(weight, 4), MANY, true, 1, 0,
		    I64(chosen, MANY)));
	for (unsigned int i = 0; i < MANY; i++) {
		EXPECT(chosen[i] >= 0 && chosen[i] < 4);
		count[chosen[i]]++;
	}
	EXPECT(!count[1] && abs((int)count[0] - MANY / 8) < 100 &&
	       abs((int)count[3] - MANY / 2) < 160);
	for (uint64_t seed = 0; seed < 20; seed++) {
		EXPECT(!RUN(aclnnMultinomial, F32(weight, 1, 4), 3, false,
			    seed, 0, I64(chosen, 1, 3)));
		EXPECT(chosen[0] != chosen[1] && chosen[1] != chosen[2] &&
		       chosen[0] != chosen[2] && chosen[0] + chosen[1] +
		       chosen[2] == 5);
		forget();
	}
	EXPECT(RUN(aclnnMultinomial, F32(weight, 4), 5, false, 1, 0,
		   I64(chosen, 5)));
	return true;
}

static bool indices(void)
{
	int64_t first[] = { 2, 0 }, second[] = { 1, 3 };
	int64_t both[] = { 2, 1, 0, 3 };
	const aclTensor *members[] = { I64(first, 2), I64(second, 2) };
	aclTensorList *list = aclCreateTensorList(members, 2);

	numbers(a, 12, 1);
	numbers(c, 2, 2);
	EXPECT(!RUN(aclnnIndex, F32(a, 3, 4), list, F32(out, 2)));
	EXPECT(out[0] == a[9] && out[1] == a[3]);
	memcpy(out, a, 12 * sizeof(*a));
	EXPECT(!RUN(aclnnIndexPutImpl, F32(out, 3, 4), list, F32(c, 2), true,
		    false));
	EXPECT(near(out[9], (double)a[9] + c[0]) && out[0] == a[0]);
	aclDestroyTensorList(list);
	EXPECT(!RUN(aclnnScatterNd, F32(a, 3, 4), I64(both, 2, 2), F32(c, 2),
		    F32(out, 3, 4)));
	EXPECT(out[9] == c[0] && out[3] == c[1] && out[4] == a[4]);
	EXPECT(!RUN(aclnnScatterNd, F32(a, 3, 4), I64(first, 2, 1),
		    F32(a, 2, 4), F32(out, 3, 4)));
	EXPECT(out[8] == a[0] && out[0] == a[4] && out[4] == a[4]);
	return true;
}

static bool more(void)
{
	bool mask[] = { false, true, true, false };

	numbers(a, 12, 3);
	numbers(c, 12, 4);
	EXPECT(!RUN(aclnnLinalgCross, F32(a, 2, 3), F32(c, 2, 3), -1,
		    F32(out, 2, 3)));
	EXPECT(near(out[3], (double)a[4] * c[5] - (double)a[5] * c[4]));
	EXPECT(near(out[5], (double)a[3] * c[4] - (double)a[4] * c[3]));
	EXPECT(!RUN(aclnnGemm, F32(a, 3, 2), F32(c, 2, 3), F32(a, 2, 2), 2, 0.5,
		    1, 1, F32(out, 2, 2), 0));
	EXPECT(near(out[1], 2 * ((double)a[0] * c[3] + (double)a[2] * c[4] +
				 (double)a[4] * c[5]) + 0.5 * a[1]));
	memset(out, 0, sizeof(out));
	EXPECT(!RUN(aclnnInplaceMaskedScatter, F32(out, 4),
		    tensor(ACL_BOOL, mask, SHAPE(4)), F32(c, 12)));
	EXPECT(!out[0] && out[1] == c[0] && out[2] == c[1] && !out[3]);
	return true;
}

/* The size of a tensor along its first dimension. */
static int64_t size_of(const aclTensor *t)
{
	int64_t *dims = NULL, size = -1;
	uint64_t count = 0;

	if (!aclGetViewShape(t, &dims, &count) && count)
		size = dims[0];
	free(dims);
	return size;
}

static bool counted(void)
{
	float values[] = { 0, 3, 0, 4, 5, 0 };
	int32_t mask[] = { 0, 1, 0 };
	static int64_t places[12];
	aclTensor *all = I64(places, 6, 2), *some = F32(out, 6);

	EXPECT(!RUN(aclnnNonzero, F32(values, 2, 3), all));
	EXPECT(size_of(all) == 3);
	EXPECT(places[0] == 0 && places[1] == 1 && places[4] == 1 &&
	       places[5] == 1);
	EXPECT(!RUN(aclnnMaskedSelect, F32(values, 2, 3), I32(mask, 3), some));
	EXPECT(size_of(some) == 2 && out[0] == 3 && out[1] == 5);
	EXPECT(RUN(aclnnNonzero, F32(values, 2, 3), I64(places, 5, 2)));
	return true;
}

const struct test random_tests[] = {
	{ "sequences and one-hot codes", sequences },
	{ "normal distributions and dropout", distributions },
	{ "exponential distributions", exponentials },
	{ "choices by weight", choices },
	{ "lists of indices", indices },
	{ "sizes that the device finds", counted },
	{ "cross products, and products with a sum", more },
	{ 0 }
};
