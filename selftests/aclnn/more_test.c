// SPDX-License-Identifier: GPL-2.0-only
/* Operators that few programs use. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_equal.h"
#include "aclnnop/aclnn_fill_diagonal.h"
#include "aclnnop/aclnn_isneginf.h"
#include "aclnnop/aclnn_isposinf.h"
#include "aclnnop/aclnn_logaddexp2.h"
#include "aclnnop/aclnn_normal_out.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_sinc.h"
#include "aclnnop/aclnn_slice_v2.h"
#include "aclnnop/aclnn_upsample_linear_1d.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_var.h"

static float a[64], c[64], out[64];
static bool flags[64];

#define BOOL(data, ...)	tensor(ACL_BOOL, data, SHAPE(__VA_ARGS__))

static bool functions(void)
{
	numbers(a, 12, 1);
	numbers(c, 12, 2);
	a[0] = 0;
	EXPECT(!RUN(aclnnSinc, F32(a, 12), F32(out, 12)));
	EXPECT(out[0] == 1);
	for (unsigned int i = 1; i < 12; i++)
		EXPECT(near(out[i], sin(M_PI * a[i]) / (M_PI * a[i])));
	EXPECT(!RUN(aclnnLogAddExp2, F32(a, 12), F32(c, 12), F32(out, 12)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(near(out[i], log2(exp2(a[i]) + exp2(c[i]))));
	a[3] = INFINITY;
	a[4] = -INFINITY;
	a[5] = NAN;
	EXPECT(!RUN(aclnnIsPosInf, F32(a, 12), BOOL(flags, 12)));
	EXPECT(flags[3] && !flags[4] && !flags[5]);
	EXPECT(!RUN(aclnnIsNegInf, F32(a, 12), BOOL(flags, 12)));
	EXPECT(!flags[3] && flags[4] && !flags[5]);
	return true;
}

static bool reductions(void)
{
	double mean = 0, squares = 0;

	numbers(a, 24, 3);
	EXPECT(!RUN(aclnnBatchNormStats, F32(a, 3, 2, 4), 1e-5, F32(out, 2),
		    F32(c, 2)));
	for (unsigned int i = 0; i < 12; i++) {
		mean += a[i / 4 * 8 + i % 4] / 12.0;
		squares += (double)a[i / 4 * 8 + i % 4] *
			   a[i / 4 * 8 + i % 4] / 12;
	}
	EXPECT(near(out[0], mean));
	EXPECT(near(c[0], 1 / sqrt(squares - mean * mean + 1e-5)));
	EXPECT(!RUN(aclnnVar, F32(a, 24), NULL, false, false, F32(out, 1)));
	EXPECT(!RUN(aclnnVar, F32(a, 24), NULL, true, false, F32(c, 1)));
	EXPECT(near(out[0] * 24, c[0] * 23));
	EXPECT(!RUN(aclnnEqual, F32(a, 24), F32(a, 24), BOOL(flags, 1)));
	EXPECT(flags[0]);
	EXPECT(!RUN(aclnnEqual, F32(a, 24), F32(a, 4, 6), BOOL(flags, 1)));
	EXPECT(!flags[0]);
	a[1] = NAN;
	EXPECT(!RUN(aclnnReduceNansum, F32(a, 8, 3), LIST(1), false, ACL_FLOAT,
		    F32(out, 8)));
	EXPECT(near(out[0], (double)a[0] + a[2]));
	return true;
}

static bool distributions(void)
{
	float prob[] = { 0, 1, 0, 1 }, mean[] = { -100, 100, 0, 5 };
	float zero[] = { 0, 0, 0, 0 };
	bool has_low = false, has_high = false;
	static int32_t ints[64];

	EXPECT(!RUN(aclnnInplaceRandom, I32(ints, 64), -2, 3, 1, 0));
	for (unsigned int i = 0; i < 64; i++) {
		EXPECT(ints[i] >= -2 && ints[i] < 3);
		has_low |= ints[i] == -2;
		has_high |= ints[i] == 2;
	}
	EXPECT(has_low && has_high);
	EXPECT(RUN(aclnnInplaceRandom, I32(ints, 64), 3, 3, 1, 0));
	EXPECT(!RUN(aclnnInplaceBernoulliTensor, F32(out, 4), F32(prob, 4), 1,
		    0));
	EXPECT(!memcmp(out, prob, sizeof(prob)));
	EXPECT(!RUN(aclnnNormalTensorTensor, F32(mean, 4), F32(zero, 4), 1, 0,
		    F32(out, 4)));
	EXPECT(!memcmp(out, mean, sizeof(mean)));
	EXPECT(!RUN(aclnnNormalTensorFloat, F32(mean, 4), 1, 1, 0,
		    F32(out, 4)));
	EXPECT(out[0] < -90 && out[1] > 90);
	EXPECT(!RUN(aclnnNormalFloatTensor, 7, F32(zero, 4), 1, 0,
		    F32(out, 4)));
	EXPECT(out[0] == 7 && out[3] == 7);
	return true;
}

static bool views(void)
{
	int64_t index[] = { 2, 0 };

	numbers(a, 24, 4);
	EXPECT(!RUN(aclnnSliceV2, F32(a, 4, 6), LIST(1, -5), LIST(4, 100),
		    LIST(0, 1), LIST(2, 3), F32(out, 2, 2)));
	EXPECT(out[0] == a[7] && out[1] == a[10] && out[3] == a[22]);
	memcpy(out, a, sizeof(a));
	EXPECT(!RUN(aclnnInplaceFillDiagonal, F32(out, 8, 3), scalar(9),
		    true));
	for (unsigned int i = 0; i < 24; i++)
		EXPECT(out[i] == (i % 4 ? a[i] : 9));
	memcpy(out, a, sizeof(a));
	EXPECT(!RUN(aclnnInplaceFillDiagonal, F32(out, 2, 2, 2), scalar(9),
		    false));
	EXPECT(out[0] == 9 && out[7] == 9 && out[1] == a[1]);
	EXPECT(!RUN(aclnnScatterValue, F32(a, 3, 2), 0, I64(index, 1, 2),
		    scalar(4), 0, F32(out, 3, 2)));
	EXPECT(out[4] == 4 && out[1] == 4 && out[0] == a[0]);
	EXPECT(!RUN(aclnnInplaceScatterValue, F32(out, 3, 2), 0,
		    I64(index, 1, 2), scalar(1), 1));
	EXPECT(out[4] == 5 && out[1] == 5);
	return true;
}

static bool sizes(void)
{
	numbers(a, 8, 5);
	EXPECT(!RUN(aclnnUpsampleNearest3d, F32(a, 1, 1, 2, 2, 2),
		    LIST(2, 4, 2), 0, 0, 0, F32(out, 1, 1, 2, 4, 2)));
	EXPECT(out[0] == a[0] && out[2] == a[0] && out[4] == a[2] &&
	       out[15] == a[7]);
	EXPECT(!RUN(aclnnUpsampleLinear1d, F32(a, 1, 2, 2), LIST(3), true, 0,
		    F32(out, 1, 2, 3)));
	EXPECT(out[0] == a[0] && near(out[1], (a[0] + a[1]) / 2.0) &&
	       out[5] == a[3]);
	return true;
}

const struct test more_tests[] = {
	{ "rare functions", functions },
	{ "rare reductions", reductions },
	{ "rare distributions", distributions },
	{ "rare views", views },
	{ "rare sizes", sizes },
	{ 0 }
};
