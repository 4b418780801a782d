// SPDX-License-Identifier: GPL-2.0-only
/* Pooling and resizing of volumes, by plain loops over all six dimensions. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_avgpool3d.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact1d.h"
#include "aclnnop/aclnn_upsample_nearest_exact1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d_backward.h"
#include "aclnnop/aclnn_upsample_trilinear_3d.h"
#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"

/* Sizes of a volume with two channels, and the most elements of a result. */
enum { D = 5, H = 4, W = 6, VOLUME = D * H * W, MOST = 2 * 9 * 9 * 9 };

static float a[2 * VOLUME], grad[MOST], out[MOST], back[2 * VOLUME];
static int32_t where[MOST];
static const int64_t in_size[] = { D, H, W };

/* The ranges of an output's element along each dimension, and its elements. */
struct window {
	int64_t from[3], to[3], step[3], count;
};

static void adaptive(struct window *w, const int64_t *size, int64_t number)
{
	w->count = 1;
	for (int i = 3; i--; number /= size[i]) {
		int64_t at = number % size[i];

		w->from[i] = at * in_size[i] / size[i];
		w->to[i] = ((at + 1) * in_size[i] + size[i] - 1) / size[i];
		w->step[i] = 1;
		w->count *= w->to[i] - w->from[i];
	}
}

/* Windows of kernel 3, 2, 3, stride 2, 1, 2 and padding 1, 1, 0. */
static const int64_t kernel[] = { 3, 2, 3 }, stride[] = { 2, 1, 2 };
static const int64_t padding[] = { 1, 1, 0 };

static void sliding(struct window *w, const int64_t *size, int64_t number,
		    const int64_t *dilation, bool count_padding)
{
	w->count = 1;
	for (int i = 3; i--; number /= size[i]) {
		int64_t from = number % size[i] * stride[i] - padding[i];
		int64_t to = from + dilation[i] * (kernel[i] - 1) + 1, all;

		to = to < in_size[i] + padding[i] ? to : in_size[i] + padding[i];
		all = to - from;
		while (from < 0)
			from += dilation[i];
		to = to < in_size[i] ? to : in_size[i];
		w->from[i] = from;
		w->to[i] = to;
		w->step[i] = dilation[i];
		w->count *= count_padding ? all : to - from;
	}
}

static double sum_of(const struct window *w, const float *x)
{
	double sum = 0;

	for (int64_t d = w->from[0]; d < w->to[0]; d += w->step[0])
		for (int64_t h = w->from[1]; h < w->to[1]; h += w->step[1])
			for (int64_t v = w->from[2]; v < w->to[2];
			     v += w->step[2])
				sum += x[(d * H + h) * W + v];
	return sum;
}

static int64_t maximum_of(const struct window *w, const float *x)
{
	int64_t best = -1;

	for (int64_t d = w->from[0]; d < w->to[0]; d += w->step[0])
		for (int64_t h = w->from[1]; h < w->to[1]; h += w->step[1])
			for (int64_t v = w->from[2]; v < w->to[2];
			     v += w->step[2]) {
				int64_t at = (d * H + h) * W + v;

				if (best < 0 || x[at] > x[best])
					best = at;
			}
	return best;
}

static double dot(const float *x, const float *y, int64_t count)
{
	double sum = 0;

	for (int64_t i = 0; i < count; i++)
		sum += (double)x[i] * y[i];
	return sum;
}

static bool means(void)
{
	int64_t size[] = { 2, 3, 4 }, n = 24;
	struct window w;

	numbers(a, 2 * VOLUME, 1);
	EXPECT(!RUN(aclnnAdaptiveAvgPool3d, F32(a, 1, 2, D, H, W), LIST(2, 3, 4),
		    F32(out, 1, 2, 2, 3, 4)));
	for (int64_t i = 0; i < 2 * n; i++) {
		adaptive(&w, size, i % n);
		EXPECT(near(out[i], sum_of(&w, a + i / n * VOLUME) / w.count));
	}
	/* The gradient of a linear operator is its transpose: both products are equal. */
	numbers(grad, 2 * n, 2);
	EXPECT(!RUN(aclnnAdaptiveAvgPool3dBackward, F32(grad, 2, 2, 3, 4),
		    F32(a, 2, D, H, W), F32(back, 2, D, H, W)));
	EXPECT(near(dot(grad, out, 2 * n), dot(back, a, 2 * VOLUME)));
	EXPECT(RUN(aclnnAdaptiveAvgPool3d, F32(a, 2, D, H, W), LIST(2, 4, 3),
		   F32(out, 2, 2, 3, 4)));
	EXPECT(RUN(aclnnAdaptiveAvgPool3d, F32(a, 2, D, H, W), LIST(2, 4),
		   F32(out, 2, 2, 3, 4)));
	EXPECT(RUN(aclnnAdaptiveAvgPool3dBackward, F32(grad, 2, 2, 3, 4),
		   F32(a, 1, D, H, W), F32(back, 1, D, H, W)));
	return true;
}

static bool windows(void)
{
	int64_t size[] = { 3, 5, 2 }, n = 30, one[] = { 1, 1, 1 };
	struct window w;

	numbers(a, 2 * VOLUME, 3);
	for (int k = 0; k < 4; k++) {
		int64_t divisor = k & 2 ? 7 : 0;
		bool padded = k & 1;

		EXPECT(!RUN(aclnnAvgPool3d, F32(a, 2, D, H, W), LIST(3, 2, 3),
			    LIST(2, 1, 2), LIST(1, 1, 0), false, padded, divisor,
			    F32(out, 2, 3, 5, 2)));
		for (int64_t i = 0; i < 2 * n; i++) {
			sliding(&w, size, i % n, one, padded);
			EXPECT(near(out[i], sum_of(&w, a + i / n * VOLUME) /
				    (divisor ? divisor : w.count)));
		}
	}
	/* One value stands for all; strides are the windows unless given. */
	EXPECT(!RUN(aclnnAvgPool3d, F32(a, 2, D, H, W), LIST(2), ints(0, NULL),
		    LIST(0), false, true, 0, F32(out, 2, 2, 2, 3)));
	EXPECT(near(out[0], (a[0] + a[1] + a[W] + a[W + 1] + a[H * W] +
			     a[H * W + 1] + a[H * W + W] + a[H * W + W + 1]) /
			    8.0));
	EXPECT(RUN(aclnnAvgPool3d, F32(a, 2, D, H, W), LIST(2, 2), LIST(2),
		   LIST(0), false, true, 0, F32(out, 2, 2, 2, 3)));
	/* As many pixels, but other rows. */
	EXPECT(RUN(aclnnAvgPool3d, F32(a, 2, D, H, W), LIST(2), LIST(2),
		   LIST(0), false, true, 0, F32(out, 2, 2, 3, 2)));
	return true;
}

static bool maxima(void)
{
	int64_t size[] = { 2, 5, 2 }, n = 20, two[] = { 2, 1, 1 };
	struct window w;

	numbers(a, 2 * VOLUME, 4);
	EXPECT(!RUN(aclnnMaxPool3dWithArgmax, F32(a, 1, 2, D, H, W),
		    LIST(3, 2, 3), LIST(2, 1, 2), LIST(1, 1, 0), LIST(2, 1, 1),
		    false, F32(out, 1, 2, 2, 5, 2), I32(where, 1, 2, 2, 5, 2)));
	for (int64_t i = 0; i < 2 * n; i++) {
		const float *x = a + i / n * VOLUME;

		sliding(&w, size, i % n, two, false);
		EXPECT(where[i] == maximum_of(&w, x) && out[i] == x[where[i]]);
	}
	numbers(grad, 2 * n, 5);
	EXPECT(!RUN(aclnnMaxPool3dWithArgmaxBackward, F32(grad, 1, 2, 2, 5, 2),
		    F32(a, 1, 2, D, H, W), I32(where, 1, 2, 2, 5, 2),
		    LIST(3, 2, 3), LIST(2, 1, 2), LIST(1, 1, 0), LIST(2, 1, 1),
		    false, F32(back, 1, 2, D, H, W)));
	EXPECT(near(dot(grad, out, 2 * n), dot(back, a, 2 * VOLUME)));
	EXPECT(!RUN(aclnnAdaptiveMaxPool3d, F32(a, 2, D, H, W), LIST(2, 5, 2),
		    F32(out, 2, 2, 5, 2), I32(where, 2, 2, 5, 2)));
	for (int64_t i = 0; i < 2 * n; i++) {
		const float *x = a + i / n * VOLUME;

		adaptive(&w, size, i % n);
		EXPECT(where[i] == maximum_of(&w, x) && out[i] == x[where[i]]);
	}
	EXPECT(!RUN(aclnnAdaptiveMaxPool3dBackward, F32(grad, 2, 2, 5, 2),
		    F32(a, 2, D, H, W), I32(where, 2, 2, 5, 2),
		    F32(back, 2, D, H, W)));
	EXPECT(near(dot(grad, out, 2 * n), dot(back, a, 2 * VOLUME)));
	EXPECT(!RUN(aclnnAdaptiveMaxPool2d, F32(a, D, H, W), LIST(2, 2),
		    F32(out, D, 2, 2), I32(where, D, 2, 2)));
	EXPECT(!RUN(aclnnAdaptiveMaxPool2dBackward, F32(grad, D, 2, 2),
		    F32(a, D, H, W), I32(where, D, 2, 2), F32(back, D, H, W)));
	EXPECT(near(dot(grad, out, D * 4), dot(back, a, VOLUME)));
	EXPECT(RUN(aclnnAdaptiveMaxPool3d, F32(a, 2, D, H, W), LIST(2, 5, 2),
		   F32(out, 2, 2, 5, 2), I32(where, 2, 2, 2, 5)));
	return true;
}

/* The elements around a place along one dimension, and the weight of the second. */
static double place(int64_t in, int64_t size, int64_t at, bool corners,
		    int64_t *low, int64_t *high)
{
	double x = corners ? size > 1 ? at * (in - 1.0) / (size - 1) : 0 :
			     (at + 0.5) * in / size - 0.5;

	x = x < 0 ? 0 : x;
	*low = x;
	*high = *low + 1 < in ? *low + 1 : *low;
	return x - *low;
}

static double between(const float *x, const int64_t *size, int64_t number,
		      bool corners)
{
	int64_t at[3][2];
	double weight[3], sum = 0;

	for (int i = 3; i--; number /= size[i])
		weight[i] = place(in_size[i], size[i], number % size[i], corners,
				  &at[i][0], &at[i][1]);
	for (int k = 0; k < 8; k++) {
		double product = x[(at[0][k & 1] * H + at[1][k >> 1 & 1]) * W +
				   at[2][k >> 2]];

		for (int i = 0; i < 3; i++)
			product *= k >> i & 1 ? weight[i] : 1 - weight[i];
		sum += product;
	}
	return sum;
}

static bool interpolation(void)
{
	int64_t size[] = { 7, 3, 9 }, n = 7 * 3 * 9;

	numbers(a, 2 * VOLUME, 6);
	numbers(grad, 2 * n, 7);
	for (int corners = 0; corners < 2; corners++) {
		EXPECT(!RUN(aclnnUpsampleTrilinear3d, F32(a, 1, 2, D, H, W),
			    LIST(7, 3, 9), corners, 0, 0, 0,
			    F32(out, 1, 2, 7, 3, 9)));
		for (int64_t i = 0; i < 2 * n; i++)
			EXPECT(fabs(out[i] - between(a + i / n * VOLUME, size,
						     i % n, corners)) < 1e-5);
		EXPECT(!RUN(aclnnUpsampleTrilinear3dBackward,
			    F32(grad, 1, 2, 7, 3, 9), LIST(7, 3, 9),
			    LIST(1, 2, D, H, W), corners, 0, 0, 0,
			    F32(back, 1, 2, D, H, W)));
		EXPECT(fabs(dot(grad, out, 2 * n) - dot(back, a, 2 * VOLUME)) <
		       1e-4);
	}
	EXPECT(RUN(aclnnUpsampleTrilinear3d, F32(a, 1, 2, D, H, W),
		   LIST(7, 3, 9), false, 0, 0, 0, F32(out, 1, 2, 7, 9, 3)));
	EXPECT(RUN(aclnnUpsampleTrilinear3dBackward, F32(grad, 1, 2, 7, 3, 9),
		   LIST(7, 9, 3), LIST(1, 2, D, H, W), false, 0, 0, 0,
		   F32(back, 1, 2, D, H, W)));
	EXPECT(RUN(aclnnUpsampleTrilinear3dBackward, F32(grad, 1, 2, 7, 3, 9),
		   LIST(7, 3, 9), LIST(1, 3, D, H, W), false, 0, 0, 0,
		   F32(back, 1, 2, D, H, W)));
	return true;
}

static int64_t nearest(int64_t in, int64_t size, int64_t at, bool exact)
{
	int64_t from = floor((at + (exact ? 0.5 : 0)) * in / size);

	return from < in ? from : in - 1;
}

static bool neighbours(void)
{
	int64_t size[] = { 9, 3, 5 }, n = 9 * 3 * 5, at[3], rest;

	numbers(a, 2 * VOLUME, 8);
	numbers(grad, 2 * n, 9);
	for (int exact = 0; exact < 2; exact++) {
		if (exact)
			EXPECT(!RUN(aclnnUpsampleNearestExact3d,
				    F32(a, 1, 2, D, H, W), LIST(9, 3, 5), 0, 0,
				    0, F32(out, 1, 2, 9, 3, 5)));
		else
			EXPECT(!RUN(aclnnUpsampleNearest3d,
				    F32(a, 1, 2, D, H, W), LIST(9, 3, 5), 0, 0,
				    0, F32(out, 1, 2, 9, 3, 5)));
		for (int64_t i = 0; i < 2 * n; i++) {
			rest = i % n;
			for (int k = 3; k--; rest /= size[k])
				at[k] = nearest(in_size[k], size[k],
						rest % size[k], exact);
			EXPECT(out[i] == a[((i / n * D + at[0]) * H + at[1]) *
					   W + at[2]]);
		}
		if (exact)
			EXPECT(!RUN(aclnnUpsampleNearestExact3dBackward,
				    F32(grad, 1, 2, 9, 3, 5), LIST(9, 3, 5),
				    LIST(1, 2, D, H, W), 0, 0, 0,
				    F32(back, 1, 2, D, H, W)));
		else
			EXPECT(!RUN(aclnnUpsampleNearest3dBackward,
				    F32(grad, 1, 2, 9, 3, 5), LIST(9, 3, 5),
				    LIST(1, 2, D, H, W), 0, 0, 0,
				    F32(back, 1, 2, D, H, W)));
		EXPECT(near(dot(grad, out, 2 * n), dot(back, a, 2 * VOLUME)));
	}
	EXPECT(!RUN(aclnnUpsampleNearestExact1d, F32(a, D, H, W), LIST(9), 0,
		    F32(out, D, H, 9)));
	EXPECT(out[4] == a[3] && out[8] == a[5]);
	EXPECT(!RUN(aclnnUpsampleNearestExact1dBackward, F32(grad, D, 2, 9),
		    LIST(9), LIST(D, 2, W), 0, F32(back, D, 2, W)));
	EXPECT(near(back[0], (double)grad[0]));
	EXPECT(!RUN(aclnnUpsampleNearestExact2d, F32(a, 1, D, H, W), LIST(2, 3), 0,
		    0, F32(out, 1, D, 2, 3)));
	EXPECT(out[0] == a[W + 1] && out[5] == a[3 * W + 5]);
	EXPECT(!RUN(aclnnUpsampleNearestExact2dBackward, F32(out, 1, D, 2, 3),
		    LIST(2, 3), LIST(1, D, H, W), 0, 0, F32(back, 1, D, H, W)));
	EXPECT(back[W + 1] == a[W + 1] && !back[0]);
	return true;
}

/* An output that is not contiguous, and volumes without elements. */
static bool layouts(void)
{
	int64_t dims[] = { 2, 2, 3, 4 }, strides[] = { 48, 24, 8, 2 };
	struct window w;
	int64_t size[] = { 2, 3, 4 };

	numbers(a, 2 * VOLUME, 10);
	EXPECT(!RUN(aclnnAdaptiveAvgPool3d, F32(a, 2, D, H, W), LIST(2, 3, 4),
		    strided(ACL_FLOAT, out, 4, dims, strides, 1, 96)));
	for (int64_t i = 0; i < 48; i++) {
		adaptive(&w, size, i % 24);
		EXPECT(near(out[1 + 2 * i], sum_of(&w, a + i / 24 * VOLUME) /
			    w.count));
	}
	EXPECT(!RUN(aclnnAdaptiveAvgPool3d, F32(a, 0, D, H, W), LIST(2, 3, 4),
		    F32(out, 0, 2, 3, 4)));
	EXPECT(!RUN(aclnnUpsampleTrilinear3d, F32(a, 1, 0, D, H, W),
		    LIST(2, 3, 4), false, 0, 0, 0, F32(out, 1, 0, 2, 3, 4)));
	EXPECT(!RUN(aclnnAdaptiveMaxPool3d, F32(a, 0, D, H, W), LIST(2, 3, 4),
		    F32(out, 0, 2, 3, 4), I32(where, 0, 2, 3, 4)));
	return true;
}

const struct test volume_tests[] = {
	{ "volume_means", means },
	{ "volume_windows", windows },
	{ "volume_maxima", maxima },
	{ "volume_interpolation", interpolation },
	{ "volume_neighbours", neighbours },
	{ "volume_layouts", layouts },
	{ }
};
