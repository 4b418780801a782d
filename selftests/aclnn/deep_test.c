// SPDX-License-Identifier: GPL-2.0-only
/* Filters of logits, and norms of deep networks, by type and layout. */
#include "aclnnop/aclnn_apply_top_k_top_p.h"
#include "aclnnop/aclnn_deep_norm.h"
#include "aclnnop/aclnn_deep_norm_grad.h"
#include "typed.h"

enum { ROWS = 3, WIDTH = 6, COUNT = ROWS * WIDTH };

static float a[6], out[6];

/* Check which logits of a row stay: those above the k-th and the p-th one. */
static bool check_row(const struct typed *x, const struct typed *y,
		      unsigned int row, int64_t k, double p)
{
	double size[WIDTH], sum = 0;

	for (unsigned int i = 0; i < WIDTH; i++) {
		unsigned int above = 0;

		for (unsigned int other = 0; other < WIDTH; other++)
			above += get(x, row * WIDTH + other) >
				 get(x, row * WIDTH + i);
		size[i] = above < k ? exp(get(x, row * WIDTH + i)) : 0;
		sum += size[i];
	}
	for (unsigned int i = 0; i < WIDTH; i++) {
		double below = 0, largest = 0;

		for (unsigned int other = 0; other < WIDTH; other++) {
			below += size[other] <= size[i] ? size[other] / sum : 0;
			largest = fmax(largest, size[other]);
		}
		EXPECT(is(y, row * WIDTH + i,
			  !size[i] || (below <= 1 - p && size[i] < largest) ?
				  -INFINITY : get(x, row * WIDTH + i)));
	}
	return true;
}

/* Logits differ by 1/8 at least, and no probability is near a limit. */
static bool check_filter(aclDataType dtype, enum layout layout, bool has_k,
			 bool has_p)
{
	static const int64_t most[] = { 2, 4, 100 };
	static const double part[] = { 0.5, 0.8125, 1 };
	struct typed x = TYPED(dtype, layout, ROWS, WIDTH);
	struct typed y = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, WIDTH);
	struct typed k = TYPED(ACL_INT32, layout % OUT_LAYOUTS, ROWS);
	struct typed p = TYPED(dtype, layout % OUT_LAYOUTS, ROWS);

	for (unsigned int i = 0; i < COUNT; i++)
		set(&x, i, (i * 5 + i / WIDTH) % WIDTH * 0.375 - 1);
	for (unsigned int i = 0; i < ROWS; i++) {
		set(&k, i, most[i]);
		set(&p, i, part[i]);
	}
	EXPECT(!RUN(aclnnApplyTopKTopP, x.tensor, has_p ? p.tensor : NULL,
		    has_k ? k.tensor : NULL, y.tensor));
	for (unsigned int i = 0; i < ROWS; i++)
		EXPECT(check_row(&x, &y, i, has_k ? most[i] : WIDTH,
				 has_p ? part[i] : 1));
	return true;
}

static bool filters(void)
{
	for (unsigned int t = 0; t < 3; t++)
		for (unsigned int way = 0; way < 4 * LAYOUTS; way++) {
			forget_typed();
			EXPECT(check_filter(float_types[t], way / 4, way & 1,
					    way & 2));
		}
	forget_typed();
	return true;
}

static bool filter_limits(void)
{
	float x[] = { 1, 3, 3, 2 }, none = 0, y[4] = { 0 };
	int32_t k = 1, no = 0;

	/* Equal elements stay together, and p of 0 keeps one. */
	EXPECT(!RUN(aclnnApplyTopKTopP, F32(x, 1, 4), NULL, I32(&k, 1),
		    F32(y, 1, 4)));
	EXPECT(y[0] == -INFINITY && y[1] == 3 && y[2] == 3 && y[3] == -INFINITY);
	EXPECT(!RUN(aclnnApplyTopKTopP, F32(x, 1, 4), F32(&none, 1), NULL,
		    F32(x, 1, 4)));
	EXPECT(isinf(x[0]) && isinf(x[1]) && x[2] == 3 && isinf(x[3]));
	EXPECT(!RUN(aclnnApplyTopKTopP, F32(x, 0, 4), F32(x, 0), I32(&k, 0),
		    F32(y, 0, 4)));
	EXPECT(RUN(aclnnApplyTopKTopP, F32(x, 1, 4), NULL, I32(&no, 1),
		   F32(y, 1, 4)));
	no = INT32_MIN;
	EXPECT(RUN(aclnnApplyTopKTopP, F32(x, 1, 4), NULL, I32(&no, 1),
		   F32(y, 1, 4)));
	EXPECT(RUN(aclnnApplyTopKTopP, F32(x, 1, 4), NULL,
		   tensor(ACL_INT16, x, SHAPE(1)), F32(y, 1, 4)));
	TEXT("k: expected type i32 or i64, given i16");
	EXPECT(RUN(aclnnApplyTopKTopP, F32(x, 4), NULL, NULL, F32(y, 4)));
	TEXT("logits: expected 2 dimensions, given 1");
	EXPECT(RUN(aclnnApplyTopKTopP, F32(x, 1, 4), F32(x, 4), NULL,
		   F32(y, 1, 4)));
	TEXT("p: expected 1 in dimension 0, given 4");
	EXPECT(RUN(aclnnApplyTopKTopP, F32(x, 1, 4), NULL, I32(x, 1, 1),
		   F32(y, 1, 4)));
	TEXT("k: expected 1 dimensions, given 2");
	EXPECT(RUN(aclnnApplyTopKTopP, I32(x, 1, 4), NULL, I32(x, 1),
		   I32(y, 1, 4)));
	TEXT("logits: expected a floating-point type");
	EXPECT(RUN(aclnnApplyTopKTopP, F32(x, 1, 4), NULL, F32(x, 1),
		   F32(y, 1, 4)));
	EXPECT(RUN(aclnnApplyTopKTopP, F32(x, 1, 4), NULL, I32(&k, 1),
		   F32(y, 1, 3)));
	TEXT("out: expected 4 in dimension 1, given 3");
	return true;
}

static bool check_deep_norm(aclDataType dtype, enum layout layout)
{
	struct typed x = TYPED(dtype, layout, ROWS, WIDTH);
	struct typed gx = TYPED(dtype, layout, ROWS, WIDTH);
	struct typed beta = TYPED(dtype, CONTIGUOUS, WIDTH);
	struct typed gamma = TYPED(dtype, CONTIGUOUS, WIDTH);
	struct typed y = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, WIDTH);
	struct typed means = TYPED(ACL_FLOAT, CONTIGUOUS, ROWS, 1);
	struct typed rstds = TYPED(ACL_FLOAT, CONTIGUOUS, ROWS, 1);
	double alpha = 0.75, sum[WIDTH];

	fill(&x, 1);
	fill(&gx, 2);
	fill(&beta, 3);
	fill(&gamma, 4);
	EXPECT(!RUN(aclnnDeepNorm, x.tensor, gx.tensor, beta.tensor, gamma.tensor,
		    alpha, 1e-5, means.tensor, rstds.tensor, y.tensor));
	for (unsigned int row = 0; row < ROWS; row++) {
		double mean = 0, var = 0, rstd;

		for (unsigned int i = 0; i < WIDTH; i++) {
			sum[i] = alpha * get(&x, row * WIDTH + i) +
				 get(&gx, row * WIDTH + i);
			mean += sum[i] / WIDTH;
		}
		for (unsigned int i = 0; i < WIDTH; i++)
			var += (sum[i] - mean) * (sum[i] - mean) / WIDTH;
		rstd = 1 / sqrt(var + 1e-5);
		EXPECT(is(&means, row, mean) && is(&rstds, row, rstd));
		for (unsigned int i = 0; i < WIDTH; i++)
			EXPECT(is(&y, row * WIDTH + i, (sum[i] - mean) * rstd *
				  get(&gamma, i) + get(&beta, i)));
	}
	return true;
}

static bool deep_norms(void)
{
	EXPECT(each_layout(float_types, 3, LAYOUTS, check_deep_norm));
	EXPECT(RUN(aclnnDeepNorm, F32(a, 2, 3), F32(a, 3), F32(a, 3), F32(a, 3),
		   1, 1, F32(out, 2, 1), F32(out, 2, 1), F32(out, 2, 3)));
	TEXT("gx: expected 2 dimensions, given 1");
	EXPECT(RUN(aclnnDeepNorm, F32(a, 2, 3), F32(a, 2, 3), F32(a, 3),
		   F32(a, 2), 1, 1, F32(out, 2, 1), F32(out, 2, 1),
		   F32(out, 2, 3)));
	TEXT("beta: expected 2 in dimension 0, given 3");
	return true;
}

/* The loss is the sum of the results, each multiplied by its gradient. */
static double deep_loss(float *x, float *gx, float *gamma, float *beta,
			const float *up)
{
	float y[COUNT] = { 0 }, means[ROWS], rstds[ROWS];
	double loss = 0;

	if (RUN(aclnnDeepNorm, F32(x, ROWS, WIDTH), F32(gx, ROWS, WIDTH),
		F32(beta, WIDTH), F32(gamma, WIDTH), 0.75, 1e-5,
		F32(means, ROWS, 1), F32(rstds, ROWS, 1), F32(y, ROWS, WIDTH)))
		return NAN;
	forget();
	for (unsigned int i = 0; i < COUNT; i++)
		loss += (double)y[i] * up[i];
	return loss;
}

static bool deep_gradients(void)
{
	float t[4][COUNT], of[4][COUNT], up[COUNT], y[COUNT] = { 0 }, means[ROWS];
	static const unsigned int count[] = { COUNT, COUNT, WIDTH, WIDTH };
	const float step = 1.0f / 64;
	float rstds[ROWS];

	for (unsigned int i = 0; i < 4; i++)
		numbers(t[i], COUNT, 20 + i);
	numbers(up, COUNT, 24);
	EXPECT(!RUN(aclnnDeepNorm, F32(t[0], ROWS, WIDTH), F32(t[1], ROWS, WIDTH),
		    F32(t[3], WIDTH), F32(t[2], WIDTH), 0.75, 1e-5,
		    F32(means, ROWS, 1), F32(rstds, ROWS, 1), F32(y, ROWS, WIDTH)));
	EXPECT(!RUN(aclnnDeepNormGrad, F32(up, ROWS, WIDTH),
		    F32(t[0], ROWS, WIDTH), F32(t[1], ROWS, WIDTH),
		    F32(t[2], WIDTH), F32(means, ROWS, 1), F32(rstds, ROWS, 1),
		    0.75, F32(of[0], ROWS, WIDTH), F32(of[1], ROWS, WIDTH),
		    F32(of[3], WIDTH), F32(of[2], WIDTH)));
	forget();
	for (unsigned int k = 0; k < 4; k++)
		for (unsigned int i = 0; i < count[k]; i++) {
			float before = t[k][i];
			double high, low;

			t[k][i] = before + step;
			high = deep_loss(t[0], t[1], t[2], t[3], up);
			t[k][i] = before - step;
			low = deep_loss(t[0], t[1], t[2], t[3], up);
			t[k][i] = before;
			EXPECT(fabs((high - low) / (2 * step) - of[k][i]) <
			       0.01 * (1 + fabs(of[k][i])));
		}
	EXPECT(RUN(aclnnDeepNormGrad, F32(up, ROWS, WIDTH), F32(a, 2, 3),
		   F32(a, 2, 3), F32(a, 3), F32(a, 2, 1), F32(a, 2, 1), 1,
		   F32(out, 2, 3), F32(out, 2, 3), F32(out, 3), F32(out, 3)));
	TEXT("dy: expected 2 in dimension 0, given 3");
	return true;
}

const struct test deep_tests[] = {
	{ "filters of logits, by type and layout", filters },
	{ "filters of few logits, and errors", filter_limits },
	{ "norms of deep networks, by type and layout", deep_norms },
	{ "gradients of norms of deep networks", deep_gradients },
	{ 0 }
};
