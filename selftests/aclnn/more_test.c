// SPDX-License-Identifier: GPL-2.0-only
/* Operators that few programs use. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_add_relu.h"
#include "aclnnop/aclnn_addr.h"
#include "aclnnop/aclnn_aminmax.h"
#include "aclnnop/aclnn_batch_norm_elemt.h"
#include "aclnnop/aclnn_batch_norm_stats.h"
#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_bincount.h"
#include "aclnnop/aclnn_cumsum.h"
#include "aclnnop/aclnn_equal.h"
#include "aclnnop/aclnn_fill_diagonal.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_glu.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_histc.h"
#include "aclnnop/aclnn_index_copy.h"
#include "aclnnop/aclnn_index_fill.h"
#include "aclnnop/aclnn_index_fill_tensor.h"
#include "aclnnop/aclnn_isneginf.h"
#include "aclnnop/aclnn_isposinf.h"
#include "aclnnop/aclnn_kthvalue.h"
#include "aclnnop/aclnn_logaddexp2.h"
#include "aclnnop/aclnn_logit.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "aclnnop/aclnn_normal_out.h"
#include "aclnnop/aclnn_random.h"
#include "aclnnop/aclnn_range.h"
#include "aclnnop/aclnn_reduce_nansum.h"
#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_sinc.h"
#include "aclnnop/aclnn_slice_v2.h"
#include "aclnnop/aclnn_soft_margin_loss.h"
#include "aclnnop/aclnn_soft_margin_loss_backward.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
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

static bool margins(void)
{
	float target[12], grad = 3;
	double sum = 0;

	numbers(a, 12, 5);
	a[0] = 90;
	a[1] = -90;
	for (unsigned int i = 0; i < 12; i++) {
		target[i] = i % 3 ? 1 : -1;
		sum += log1p(exp(-(double)target[i] * a[i]));
	}
	EXPECT(!RUN(aclnnSoftMarginLoss, F32(a, 12), F32(target, 12), 1,
		    F32(out, 1)));
	EXPECT(near(out[0], sum / 12));
	EXPECT(!RUN(aclnnSoftMarginLoss, F32(a, 12), F32(target, 12), 2,
		    F32(out, 1)));
	EXPECT(near(out[0], sum));
	EXPECT(!RUN(aclnnSoftMarginLossBackward, F32(&grad, 1), F32(a, 12),
		    F32(target, 12), 1, F32(out, 12)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(near(out[i], -3.0 / 12 * target[i] /
			    (1 + exp((double)target[i] * a[i]))));
	EXPECT(RUN(aclnnSoftMarginLoss, F32(a, 12), F32(target, 12), 3,
		   F32(out, 1)));
	return true;
}

/* The normal density, and the derivative of x times the normal distribution. */
static double gelu_slope(double x)
{
	return 0.5 * erfc(-x / sqrt(2)) + x * exp(-x * x / 2) / sqrt(2 * M_PI);
}

static double gelu_tanh_slope(double x)
{
	double u = sqrt(2 / M_PI) * (x + 0.044715 * x * x * x), t = tanh(u);

	return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * sqrt(2 / M_PI) *
	       (1 + 3 * 0.044715 * x * x);
}

static bool gates(void)
{
	double gate;

	numbers(a, 24, 6);
	numbers(c, 24, 7);
	EXPECT(!RUN(aclnnGeluBackwardV2, F32(c, 12), F32(a, 12), "none",
		    F32(out, 12)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(near(out[i], c[i] * gelu_slope(a[i])));
	EXPECT(!RUN(aclnnGeluBackwardV2, F32(c, 12), F32(a, 12), "tanh",
		    F32(out, 12)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(near(out[i], c[i] * gelu_tanh_slope(a[i])));
	EXPECT(RUN(aclnnGeluBackwardV2, F32(c, 12), F32(a, 12), "erf",
		   F32(out, 12)));
	EXPECT(!RUN(aclnnGlu, F32(a, 3, 4, 2), 1, F32(out, 3, 2, 2)));
	for (unsigned int i = 0; i < 12; i++) {
		unsigned int at = i / 4 * 8 + i % 4;

		EXPECT(near(out[i], a[at] / (1 + exp(-a[at + 4]))));
	}
	EXPECT(RUN(aclnnGlu, F32(a, 3, 3), 1, F32(out, 3, 1)));
	/* In place of the input. */
	memcpy(out, a, sizeof(a));
	EXPECT(!RUN(aclnnGluBackward, F32(c, 3, 4), F32(out, 3, 8), -1,
		    F32(out, 3, 8)));
	for (unsigned int i = 0; i < 12; i++) {
		unsigned int at = i / 4 * 8 + i % 4;

		gate = 1 / (1 + exp(-(double)a[at + 4]));
		EXPECT(near(out[at], c[i] * gate));
		EXPECT(near(out[at + 4], (double)c[i] * a[at] * gate *
			    (1 - gate)));
	}
	/* The gradient is not expanded. */
	EXPECT(RUN(aclnnGluBackward, F32(c, 1, 4), F32(a, 3, 8), -1,
		   F32(out, 3, 8)));
	EXPECT(RUN(aclnnGluBackward, F32(c, 4), F32(a, 3, 8), -1,
		   F32(out, 3, 8)));
	EXPECT(RUN(aclnnSwiGluGrad, F32(c, 1, 4), F32(a, 3, 8), -1,
		   F32(out, 3, 8)));
	return true;
}

static bool logits(void)
{
	static const float x[] = { 0.5f, 0.25f, 0, 1, 0.999f, -1, 2, NAN };
	static const float dy[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	EXPECT(!RUN(aclnnLogit, F32(x, 8), 0.01, F32(out, 8)));
	EXPECT(out[0] == 0 && near(out[1], log(0.25 / 0.75)));
	for (unsigned int i = 2; i < 7; i++)
		EXPECT(near(out[i], (i % 3 == 2 ? -1 : 1) * log(0.99 / 0.01)));
	EXPECT(isnan(out[7]));
	EXPECT(!RUN(aclnnLogit, F32(x, 8), -1, F32(out, 8)));
	EXPECT(out[2] == -INFINITY && out[3] == INFINITY && isnan(out[5]));
	EXPECT(!RUN(aclnnLogitGrad, F32(x, 8), F32(dy, 8), 0.01, F32(out, 8)));
	EXPECT(near(out[0], 4) && near(out[1], 2 / 0.1875));
	for (unsigned int i = 2; i < 7; i++)
		EXPECT(out[i] == 0);
	EXPECT(isnan(out[7]));
	EXPECT(!RUN(aclnnLogitGrad, F32(x, 8), F32(dy, 8), -1, F32(out, 8)));
	EXPECT(near(out[4], 5 / (x[4] * (1 - (double)x[4]))));
	EXPECT(out[2] == INFINITY && isnan(out[5]) && isnan(out[7]));
	return true;
}

static int by_value(const void *first, const void *second)
{
	float x = *(const float *)first, y = *(const float *)second;

	return (x > y) - (x < y);
}

static bool order(void)
{
	static int64_t at[8];
	float line[4];

	numbers(a, 32, 8);
	for (int64_t k = 1; k <= 4; k++) {
		EXPECT(!RUN(aclnnKthvalue, F32(a, 8, 4), k, -1, false,
			    F32(out, 8), I64(at, 8)));
		for (unsigned int i = 0; i < 8; i++) {
			memcpy(line, a + 4 * i, sizeof(line));
			qsort(line, 4, sizeof(*line), by_value);
			EXPECT(out[i] == line[k - 1]);
			EXPECT(a[4 * i + at[i]] == line[k - 1]);
		}
	}
	EXPECT(!RUN(aclnnKthvalue, F32(a, 4, 2), 1, 0, true, F32(out, 1, 2),
		    I64(at, 1, 2)));
	EXPECT(out[1] == fminf(fminf(a[1], a[3]), fminf(a[5], a[7])));
	EXPECT(RUN(aclnnKthvalue, F32(a, 8, 4), 5, 1, false, F32(out, 8),
		   I64(at, 8)));
	EXPECT(RUN(aclnnKthvalue, F32(a, 8, 4), 1, 1, false, F32(out, 8, 1),
		   I64(at, 8)));
	EXPECT(!RUN(aclnnAminmax, F32(a, 8, 4), LIST(1), true, F32(out, 8, 1),
		    F32(c, 8, 1)));
	for (unsigned int i = 0; i < 8; i++) {
		memcpy(line, a + 4 * i, sizeof(line));
		qsort(line, 4, sizeof(*line), by_value);
		EXPECT(out[i] == line[0] && c[i] == line[3]);
	}
	EXPECT(!RUN(aclnnAminmax, F32(a, 8, 4), NULL, false, F32(out, 1),
		    F32(c, 1)));
	qsort(a, 32, sizeof(*a), by_value);
	EXPECT(out[0] == a[0] && c[0] == a[31]);
	return true;
}

static bool counts(void)
{
	static const int32_t values[] = { 0, 3, 3, 1, 0, 3 };
	static const float weights[] = { 1, 2, 4, 8, 16, 32 };
	static const float points[] = { 0, 0.5f, 1, 1.5f, 2, 3, -1, 0.25f };
	int64_t sums[5] = { 0 };

	EXPECT(!RUN(aclnnBincount, I32(values, 6), NULL, 0, I64(sums, 5)));
	EXPECT(sums[0] == 2 && sums[1] == 1 && !sums[2] && sums[3] == 3 &&
	       !sums[4]);
	EXPECT(!RUN(aclnnBincount, I32(values, 6), F32(weights, 6), 4,
		    F32(out, 4)));
	EXPECT(out[0] == 17 && out[1] == 8 && out[2] == 0 && out[3] == 38);
	EXPECT(RUN(aclnnBincount, I32(values, 6), NULL, 6, I64(sums, 5)));
	EXPECT(RUN(aclnnBincount, I32(values, 6), NULL, -1, I64(sums, 5)));
	EXPECT(!RUN(aclnnHistc, F32(points, 8), 2, scalar(0), scalar(2),
		    F32(out, 2)));
	EXPECT(out[0] == 3 && out[1] == 3);
	EXPECT(!RUN(aclnnHistc, F32(points, 8), 4, scalar(0), scalar(0),
		    F32(out, 4)));
	EXPECT(out[0] + out[1] + out[2] + out[3] == 8 && out[3] == 2);
	/* 0.7 is at a limit in f32, and below it in f64. */
	out[16] = 0.7f;
	EXPECT(!RUN(aclnnHistc, F32(out + 16, 1), 10, scalar(0), scalar(1),
		    F32(out, 10)));
	EXPECT(out[7] == 1 && out[6] == 0);
	return true;
}

static bool sums(void)
{
	double sum = 0;

	EXPECT(!RUN(aclnnRange, scalar(1), scalar(3), scalar(0.5f),
		    F32(out, 5)));
	EXPECT(out[0] == 1 && out[4] == 3);
	EXPECT(!RUN(aclnnRange, whole(5), whole(-1), whole(-3), F32(out, 3)));
	EXPECT(out[2] == -1);
	EXPECT(RUN(aclnnRange, whole(0), whole(9), whole(1), F32(out, 5)));
	EXPECT(RUN(aclnnRange, whole(0), whole(9), whole(0), F32(out, 5)));
	numbers(a, 24, 9);
	for (unsigned int n = 0; n < 4; n++) {
		bool exclusive = n & 1, reverse = n & 2;

		EXPECT(!RUN(aclnnCumsumV2, F32(a, 4, 6), 1, exclusive, reverse,
			    F32(out, 4, 6)));
		for (unsigned int i = 0; i < 24; i++) {
			unsigned int at = reverse ? i / 6 * 6 + 5 - i % 6 : i;

			if (!(i % 6))
				sum = 0;
			EXPECT(near(out[at], exclusive ? sum : sum + a[at]));
			sum += a[at];
		}
	}
	memcpy(out, a, sizeof(a));
	EXPECT(!RUN(aclnnCumsumV2, F32(out, 24), 0, true, false, F32(out, 24)));
	EXPECT(out[0] == 0 && out[1] == a[0] && near(out[2], (double)a[0] + a[1]));
	return true;
}

static bool products(void)
{
	int64_t index[] = { 2, 0 };
	double invstd = 0.5;

	numbers(a, 24, 10);
	numbers(c, 24, 11);
	EXPECT(!RUN(aclnnAddr, F32(a, 3, 4), F32(c, 3), F32(c + 3, 4), scalar(2),
		    scalar(3), F32(out, 3, 4)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(near(out[i], 2.0 * a[i] + 3.0 * c[i / 4] * c[3 + i % 4]));
	a[5] = NAN;
	EXPECT(!RUN(aclnnInplaceAddr, F32(a, 3, 4), F32(c, 3), F32(c + 3, 4),
		    scalar(0), NULL));
	EXPECT(near(a[5], (double)c[1] * c[4]));
	EXPECT(RUN(aclnnAddr, F32(a, 3, 4), F32(c, 3, 1), F32(c, 4), NULL, NULL,
		   F32(out, 3, 4)));
	numbers(a, 24, 12);
	EXPECT(!RUN(aclnnIndexCopy, F32(a, 4, 3), 0, I64(index, 2), F32(c, 2, 3),
		    F32(out, 4, 3)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(out[i] == (i / 3 == 2 ? c[i - 6] :
				  i / 3 == 0 ? c[i + 3] : a[i]));
	index[0] = -1;
	EXPECT(RUN(aclnnIndexCopy, F32(a, 4, 3), 0, I64(index, 2), F32(c, 2, 3),
		   F32(out, 4, 3)));
	EXPECT(RUN(aclnnInplaceIndexCopy, F32(out, 4, 3), 0, I64(index, 2),
		   F32(c, 2, 3)));
	EXPECT(out[9] == a[9]);
	index[0] = 2;
	EXPECT(!RUN(aclnnIndexFill, F32(a, 3, 4), 1, I64(index, 2), scalar(9),
		    F32(out, 3, 4)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(out[i] == (i % 2 ? a[i] : 9));
	EXPECT(!RUN(aclnnIndexFillTensor, F32(a, 3, 4), -1, LIST(0, 2), scalar(8),
		    F32(out, 3, 4)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(out[i] == (i % 2 ? a[i] : 8));
	EXPECT(!RUN(aclnnInplaceIndexFill, F32(out, 4, 3), 0, I64(index, 2),
		    scalar(7)));
	EXPECT(out[0] == 7 && out[3] == a[3] && out[8] == 7 && out[9] == a[9]);
	EXPECT(RUN(aclnnIndexFill, F32(a, 3, 4), 2, I64(index, 2), scalar(9),
		   F32(out, 3, 4)));
	EXPECT(!RUN(aclnnAddRelu, F32(a, 3, 4), F32(c, 4), scalar(2),
		    F32(out, 3, 4)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(near(out[i], fmax(a[i] + 2.0 * c[i % 4], 0)));
	memcpy(out, a, sizeof(a));
	EXPECT(!RUN(aclnnInplaceAddRelu, F32(out, 12), F32(c, 12), scalar(-1)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(near(out[i], fmax((double)a[i] - c[i], 0)));
	c[20] = c[21] = 0.5f;
	EXPECT(!RUN(aclnnBatchNormElemt, F32(a, 3, 2, 4), F32(c, 2), NULL,
		    F32(c + 4, 2), F32(c + 20, 2), 1e-5, F32(out, 3, 2, 4)));
	for (unsigned int i = 0; i < 24; i++)
		EXPECT(near(out[i], ((double)a[i] - c[4 + i / 4 % 2]) * invstd *
			    c[i / 4 % 2]));
	EXPECT(RUN(aclnnBatchNormElemt, F32(a, 3, 2, 4), F32(c, 3), NULL,
		   F32(c + 4, 2), F32(c + 20, 2), 1e-5, F32(out, 3, 2, 4)));
	return true;
}

const struct test more_tests[] = {
	{ "rare functions", functions },
	{ "rare reductions", reductions },
	{ "rare distributions", distributions },
	{ "rare views", views },
	{ "rare sizes", sizes },
	{ "soft margin loss and its gradient", margins },
	{ "gates and their gradients", gates },
	{ "logits and their gradients", logits },
	{ "k-th, least and largest elements", order },
	{ "counts of values", counts },
	{ "sums in both directions, and ranges", sums },
	{ "outer products, copies by index, and normal channels", products },
	{ 0 }
};
