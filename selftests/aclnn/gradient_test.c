// SPDX-License-Identifier: GPL-2.0-only
/* Gradients of layers. */
#include "gradient.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_group_norm_backward.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"

static bool is_transposed;

static aclBoolArray *all(void)
{
	static const bool flags[] = { true, true, true };
	static aclBoolArray *array;

	if (!array)
		array = aclCreateBoolArray(flags, 3);
	return array;
}

static bool rms(void)
{
	return !RUN(aclnnRmsNorm, F32(x, 4, 6), F32(w, 6), 1e-5,
		    F32(out, 4, 6), F32(rstd, 4, 1));
}

static bool layer(void)
{
	return !RUN(aclnnLayerNorm, F32(x, 4, 6), LIST(6), F32(w, 6), F32(v, 6),
		    1e-5, F32(out, 4, 6), F32(mean, 4, 1), F32(rstd, 4, 1));
}

static bool lines(void)
{
	prepare(24);
	EXPECT(rms());
	EXPECT(!RUN(aclnnRmsNormGrad, F32(up, 4, 6), F32(x, 4, 6),
		    F32(rstd, 4, 1), F32(w, 6), F32(of_x, 4, 6),
		    F32(of_w, 6)));
	EXPECT(is_slope(rms, x, 24, of_x) && is_slope(rms, w, 6, of_w));
	EXPECT(layer());
	EXPECT(!RUN(aclnnLayerNormBackward, F32(up, 4, 6), F32(x, 4, 6),
		    LIST(6), F32(mean, 4, 1), F32(rstd, 4, 1), F32(w, 6),
		    F32(v, 6), all(), F32(of_x, 4, 6), F32(of_w, 6),
		    F32(of_v, 6)));
	EXPECT(is_slope(layer, x, 24, of_x) && is_slope(layer, w, 6, of_w));
	EXPECT(is_slope(layer, v, 6, of_v));
	return true;
}

static bool group(void)
{
	return !RUN(aclnnGroupNorm, F32(x, 2, 4, 5), F32(w, 4), F32(v, 4), 2, 4,
		    5, 2, 1e-5, F32(out, 2, 4, 5), F32(mean, 2, 2),
		    F32(rstd, 2, 2));
}

static bool batch(void)
{
	return !RUN(aclnnBatchNorm, F32(x, 3, 2, 4), F32(w, 2), F32(v, 2), NULL,
		    NULL, true, 0.1, 1e-5, F32(out, 3, 2, 4), F32(mean, 2),
		    F32(rstd, 2));
}

static bool fixed(void)
{
	static float running[] = { 0.5f, -1, 2, 3 };

	return !RUN(aclnnBatchNorm, F32(x, 3, 2, 4), F32(w, 2), F32(v, 2),
		    F32(running, 2), F32(running + 2, 2), false, 0.1, 1e-5,
		    F32(out, 3, 2, 4), NULL, NULL);
}

static bool channels(void)
{
	float running[] = { 0.5f, -1, 2, 3 };

	prepare(40);
	EXPECT(group());
	EXPECT(!RUN(aclnnGroupNormBackward, F32(up, 2, 4, 5), F32(x, 2, 4, 5),
		    F32(mean, 2, 2), F32(rstd, 2, 2), F32(w, 4), 2, 4, 5, 2,
		    all(), F32(of_x, 2, 4, 5), F32(of_w, 4), F32(of_v, 4)));
	EXPECT(is_slope(group, x, 40, of_x) && is_slope(group, w, 4, of_w));
	EXPECT(is_slope(group, v, 4, of_v));
	prepare(24);
	EXPECT(batch());
	EXPECT(!RUN(aclnnBatchNormBackward, F32(up, 3, 2, 4), F32(x, 3, 2, 4),
		    F32(w, 2), NULL, NULL, F32(mean, 2), F32(rstd, 2), true,
		    1e-5, all(), F32(of_x, 3, 2, 4), F32(of_w, 2),
		    F32(of_v, 2)));
	EXPECT(is_slope(batch, x, 24, of_x) && is_slope(batch, w, 2, of_w));
	EXPECT(is_slope(batch, v, 2, of_v));
	/* In place of the gradient of the results. */
	EXPECT(batch());
	memcpy(out, up, sizeof(out));
	EXPECT(!RUN(aclnnBatchNormBackward, F32(out, 3, 2, 4), F32(x, 3, 2, 4),
		    F32(w, 2), NULL, NULL, F32(mean, 2), F32(rstd, 2), true,
		    1e-5, all(), F32(out, 3, 2, 4), F32(of_v, 2), NULL));
	EXPECT(near(out[7], of_x[7]) && near(of_v[1], of_w[1]));
	EXPECT(fixed());
	EXPECT(!RUN(aclnnBatchNormBackward, F32(up, 3, 2, 4), F32(x, 3, 2, 4),
		    F32(w, 2), F32(running, 2), F32(running + 2, 2), NULL,
		    NULL, false, 1e-5, all(), F32(of_x, 3, 2, 4), F32(of_w, 2),
		    F32(of_v, 2)));
	EXPECT(is_slope(fixed, x, 24, of_x) && is_slope(fixed, w, 2, of_w));
	EXPECT(is_slope(fixed, v, 2, of_v));
	return true;
}

/* Running statistics move by a tenth towards those of the batch. */
static bool running_statistics(void)
{
	double sum = 0, squares = 0, variance;
	float now[] = { 1, 1, 1, 1 };

	prepare(24);
	EXPECT(!RUN(aclnnBatchNorm, F32(x, 3, 2, 4), NULL, NULL, F32(now, 2),
		    F32(now + 2, 2), true, 0.1, 1e-5, F32(out, 3, 2, 4),
		    F32(mean, 2), F32(rstd, 2)));
	for (unsigned int i = 0; i < 12; i++) {
		double value = x[i / 4 * 8 + i % 4];

		sum += value / 12;
		squares += value * value;
	}
	variance = (squares - 12 * sum * sum) / 11;
	EXPECT(near(now[0], 0.9 + 0.1 * sum) && near(mean[0], sum));
	EXPECT(near(now[2], 0.9 + 0.1 * variance));
	return true;
}

static bool convolve(void)
{
	if (is_transposed)
		return !RUN(aclnnConvolution, F32(x, 1, 4, 3, 3),
			    F32(w, 4, 1, 2, 2), F32(v, 2), LIST(2, 2),
			    LIST(1, 0), LIST(1, 1), true, LIST(0, 1), 2,
			    F32(out, 1, 2, 4, 7), 0);
	return !RUN(aclnnConvolution, F32(x, 2, 2, 5, 6), F32(w, 4, 1, 3, 2),
		    F32(v, 4), LIST(2, 2), LIST(1, 0), LIST(1, 2), false,
		    LIST(0, 0), 2, F32(out, 2, 4, 3, 2), 0);
}

static bool convolutions(void)
{
	prepare(48);
	is_transposed = false;
	EXPECT(convolve());
	EXPECT(!RUN(aclnnConvolutionBackward, F32(up, 2, 4, 3, 2),
		    F32(x, 2, 2, 5, 6), F32(w, 4, 1, 3, 2), NULL, LIST(2, 2),
		    LIST(1, 0), LIST(1, 2), false, LIST(0, 0), 2, all(), 0,
		    F32(of_x, 2, 2, 5, 6), F32(of_w, 4, 1, 3, 2),
		    F32(of_v, 4)));
	EXPECT(is_slope(convolve, x, 120, of_x));
	EXPECT(is_slope(convolve, w, 24, of_w));
	EXPECT(is_slope(convolve, v, 4, of_v));
	prepare(56);
	is_transposed = true;
	EXPECT(convolve());
	EXPECT(!RUN(aclnnConvolutionBackward, F32(up, 1, 2, 4, 7),
		    F32(x, 1, 4, 3, 3), F32(w, 4, 1, 2, 2), NULL, LIST(2, 2),
		    LIST(1, 0), LIST(1, 1), true, LIST(0, 1), 2, all(), 0,
		    F32(of_x, 1, 4, 3, 3), F32(of_w, 4, 1, 2, 2),
		    F32(of_v, 2)));
	EXPECT(is_slope(convolve, x, 36, of_x));
	EXPECT(is_slope(convolve, w, 16, of_w));
	EXPECT(is_slope(convolve, v, 2, of_v));
	return true;
}

static int32_t places[ROOM];

static bool most(void)
{
	return !RUN(aclnnMaxPool2dWithIndices, F32(x, 1, 2, 4, 4), LIST(2, 2),
		    LIST(2, 2), LIST(0, 0), LIST(1, 1), false,
		    F32(out, 1, 2, 2, 2), I32(places, 1, 2, 2, 2));
}

static bool means(void)
{
	return !RUN(aclnnAvgPool2d, F32(x, 1, 2, 4, 4), LIST(3, 3), LIST(1, 2),
		    LIST(1, 1), false, false, 0, 0, F32(out, 1, 2, 4, 2));
}

static bool adaptive(void)
{
	return !RUN(aclnnAdaptiveAvgPool2d, F32(x, 2, 4, 4), LIST(3, 2),
		    F32(out, 2, 3, 2));
}

static bool resized(void)
{
	return !RUN(aclnnUpsampleBilinear2d, F32(x, 1, 2, 3, 2), LIST(5, 4),
		    false, 0, 0, F32(out, 1, 2, 5, 4));
}

static bool windows(void)
{
	prepare(8);
	EXPECT(most());
	EXPECT(!RUN(aclnnMaxPool2dWithIndicesBackward, F32(up, 1, 2, 2, 2),
		    F32(x, 1, 2, 4, 4), I32(places, 1, 2, 2, 2), LIST(2, 2),
		    LIST(2, 2), LIST(0, 0), LIST(1, 1), false,
		    F32(of_x, 1, 2, 4, 4)));
	EXPECT(is_slope(most, x, 32, of_x));
	prepare(16);
	EXPECT(!RUN(aclnnAvgPool2dBackward, F32(up, 1, 2, 4, 2),
		    F32(x, 1, 2, 4, 4), LIST(3, 3), LIST(1, 2), LIST(1, 1),
		    false, false, 0, 0, F32(of_x, 1, 2, 4, 4)));
	EXPECT(is_slope(means, x, 32, of_x));
	prepare(12);
	EXPECT(!RUN(aclnnAdaptiveAvgPool2dBackward, F32(up, 2, 3, 2),
		    F32(x, 2, 4, 4), F32(of_x, 2, 4, 4)));
	EXPECT(is_slope(adaptive, x, 32, of_x));
	prepare(40);
	EXPECT(!RUN(aclnnUpsampleBilinear2dBackward, F32(up, 1, 2, 5, 4),
		    LIST(5, 4), LIST(1, 2, 3, 2), false, 0, 0,
		    F32(of_x, 1, 2, 3, 2)));
	EXPECT(is_slope(resized, x, 12, of_x));
	return true;
}

static bool gated(void)
{
	return !RUN(aclnnSwiGlu, F32(x, 3, 8), -1, F32(out, 3, 4));
}

static bool elu(void)
{
	return !RUN(aclnnElu, F32(x, 12), scalar(1.5f), scalar(2), scalar(0.5f),
		    F32(out, 12));
}

static bool units(void)
{
	prepare(12);
	EXPECT(!RUN(aclnnSwiGluGrad, F32(up, 3, 4), F32(x, 3, 8), -1,
		    F32(of_x, 3, 8)));
	EXPECT(is_slope(gated, x, 24, of_x));
	EXPECT(elu());
	EXPECT(!RUN(aclnnEluBackward, F32(up, 12), scalar(1.5f), scalar(2),
		    scalar(0.5f), false, F32(x, 12), F32(of_x, 12)));
	EXPECT(is_slope(elu, x, 12, of_x));
	EXPECT(elu());
	EXPECT(!RUN(aclnnEluBackward, F32(up, 12), scalar(1.5f), scalar(2),
		    scalar(0.5f), true, F32(out, 12), F32(of_x, 12)));
	EXPECT(is_slope(elu, x, 12, of_x));
	return true;
}

const struct test gradient_tests[] = {
	{ "norms of lines", lines },
	{ "norms of channels", channels },
	{ "running statistics", running_statistics },
	{ "gradients of convolutions", convolutions },
	{ "gradients of pooling and resizing", windows },
	{ "gradients of units", units },
	{ 0 }
};
