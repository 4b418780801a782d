// SPDX-License-Identifier: GPL-2.0-only
/* Losses and steps of optimisers, against formulas in f64. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "aclnnop/aclnn_binary_cross_entropy.h"
#include "aclnnop/aclnn_binary_cross_entropy_backward.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_l1_loss.h"
#include "aclnnop/aclnn_l1_loss_backward.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss2d.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

enum { COUNT = 24 };

static float a[COUNT], c[COUNT], out[COUNT], grad[COUNT];

static double square(unsigned int i)
{
	return ((double)a[i] - c[i]) * ((double)a[i] - c[i]);
}

static bool squares(void)
{
	double sum = 0;
	float one = 3;

	numbers(a, COUNT, 1);
	numbers(c, COUNT, 2);
	EXPECT(!RUN(aclnnMseLoss, F32(a, 4, 6), F32(c, 4, 6), 0,
		    F32(out, 4, 6)));
	for (unsigned int i = 0; i < COUNT; i++) {
		EXPECT(near(out[i], square(i)));
		sum += square(i);
	}
	EXPECT(!RUN(aclnnMseLoss, F32(a, 4, 6), F32(c, 4, 6), 1, F32(out, 1)));
	EXPECT(near(out[0], sum / COUNT));
	EXPECT(!RUN(aclnnMseLoss, F32(a, 4, 6), F32(c, 4, 6), 2, F32(out, 1)));
	EXPECT(near(out[0], sum));
	EXPECT(RUN(aclnnMseLoss, F32(a, 4, 6), F32(c, 4, 6), 3, F32(out, 1)));
	EXPECT(strstr(last_text, "reduction: expected 0 to 2, given 3"));
	EXPECT(!RUN(aclnnMseLossBackward, F32(&one, 1), F32(a, 4, 6),
		    F32(c, 4, 6), 1, F32(grad, 4, 6)));
	for (unsigned int i = 0; i < COUNT; i++)
		EXPECT(near(grad[i], 3 * 2 * ((double)a[i] - c[i]) / COUNT));
	return true;
}

static bool distances(void)
{
	double d, want;

	numbers(a, COUNT, 3);
	numbers(c, COUNT, 4);
	EXPECT(!RUN(aclnnL1Loss, F32(a, 24), F32(c, 24), 0, F32(out, 24)));
	EXPECT(!RUN(aclnnL1LossBackward, F32(c, 24), F32(a, 24), F32(c, 24), 0,
		    F32(grad, 24)));
	for (unsigned int i = 0; i < COUNT; i++) {
		EXPECT(near(out[i], fabs((double)a[i] - c[i])));
		EXPECT(near(grad[i], a[i] > c[i] ? c[i] : -c[i]));
	}
	EXPECT(!RUN(aclnnSmoothL1Loss, F32(a, 24), F32(c, 24), 0, 0.5f,
		    F32(out, 24)));
	EXPECT(!RUN(aclnnSmoothL1LossBackward, F32(c, 24), F32(a, 24),
		    F32(c, 24), 0, 0.5f, F32(grad, 24)));
	for (unsigned int i = 0; i < COUNT; i++) {
		d = (double)a[i] - c[i];
		want = fabs(d) < 0.5 ? d * d : fabs(d) - 0.25;
		EXPECT(near(out[i], want));
		want = fabs(d) < 0.5 ? d / 0.5 : d > 0 ? 1 : -1;
		EXPECT(near(grad[i], want * c[i]));
	}
	EXPECT(!RUN(aclnnSmoothL1Loss, F32(a, 24), F32(c, 24), 0, 0.0f,
		    F32(out, 24)));
	EXPECT(near(out[5], fabs((double)a[5] - c[5])));
	EXPECT(RUN(aclnnSmoothL1Loss, F32(a, 24), F32(c, 24), 0, -1.0f,
		   F32(out, 24)));
	return true;
}

static bool binary(void)
{
	float one = 1;

	for (unsigned int i = 0; i < COUNT; i++) {
		a[i] = (number(i) + 2.1f) / 4.2f;
		c[i] = i % 3 / 2.0f;
	}
	a[0] = 0;
	c[0] = 1;
	EXPECT(!RUN(aclnnBinaryCrossEntropy, F32(a, 24), F32(c, 24), NULL, 0,
		    F32(out, 24)));
	EXPECT(!RUN(aclnnBinaryCrossEntropyBackward, F32(&one, 1), F32(a, 24),
		    F32(c, 24), NULL, 0, F32(grad, 24)));
	EXPECT(out[0] == 100);
	for (unsigned int i = 1; i < COUNT; i++) {
		EXPECT(near(out[i], -(c[i] * log(a[i]) +
				      (1 - c[i]) * log1p(-(double)a[i]))));
		EXPECT(fabs(grad[i] * a[i] * (1 - a[i]) - (a[i] - c[i])) <
		       1e-5);
	}
	return true;
}

static bool likelihoods(void)
{
	int64_t target[] = { 2, 0, 1, -100 };
	float weight[] = { 1, 2, 3 }, total, loss, up = 2;

	numbers(a, 12, 5);
	EXPECT(!RUN(aclnnNLLLoss, F32(a, 4, 3), I64(target, 4), F32(weight, 3),
		    1, -100, F32(&loss, 1), F32(&total, 1)));
	EXPECT(total == 6);
	EXPECT(near(loss, -(3.0 * a[2] + a[3] + 2.0 * a[7]) / 6));
	EXPECT(!RUN(aclnnNLLLossBackward, F32(&up, 1), F32(a, 4, 3),
		    I64(target, 4), F32(weight, 3), 1, -100, F32(&total, 1),
		    F32(grad, 4, 3)));
	EXPECT(near(grad[2], -1) && grad[0] == 0 && near(grad[7], -2 / 3.0) &&
	       grad[10] == 0);
	EXPECT(!RUN(aclnnNLLLoss, F32(a, 3), tensor(ACL_INT64, target, 0, NULL),
		    NULL, 0, -100, tensor(ACL_FLOAT, &loss, 0, NULL),
		    F32(&total, 1)));
	EXPECT(near(loss, -a[2]));
	/* [batch, class, row, column] */
	EXPECT(!RUN(aclnnNLLLoss2d, F32(a, 1, 3, 2, 2), I64(target, 1, 2, 2),
		    NULL, 2, -100, F32(&loss, 1), F32(&total, 1)));
	EXPECT(near(loss, -((double)a[8] + a[1] + a[6])));
	return true;
}

/* One step of AdamW of an element. */
static void adam(double *x, double *m, double *v, double g, int step)
{
	double rate = 0.1, decay = 0.01, first, second;

	*m = 0.9 * *m + 0.1 * g;
	*v = 0.99 * *v + 0.01 * g * g;
	first = *m / (1 - pow(0.9, step));
	second = *v / (1 - pow(0.99, step));
	*x = *x * (1 - rate * decay) - rate * first / (sqrt(second) + 1e-8);
}

static bool is_adam(bool has_tensors)
{
	float x[4], m[4] = { 0 }, v[4] = { 0 }, g[4], power1 = 1, power2 = 1;
	float rate = 0.1f, decay = 0.01f, beta1 = 0.9f, beta2 = 0.99f;
	double wx[4], wm[4] = { 0 }, wv[4] = { 0 };
	float eps = 1e-8f;

	numbers(x, 4, 6);
	for (unsigned int i = 0; i < 4; i++)
		wx[i] = x[i];
	for (int64_t step = 1; step <= 5; step++) {
		numbers(g, 4, 10 + step);
		if (has_tensors)
			EXPECT(!RUN(aclnnApplyAdamW, F32(x, 4), F32(m, 4),
				    F32(v, 4), F32(&power1, 1),
				    F32(&power2, 1), F32(&rate, 1),
				    F32(&decay, 1), F32(&beta1, 1),
				    F32(&beta2, 1), F32(&eps, 1), F32(g, 4),
				    NULL, false, false));
		else
			EXPECT(!RUN(aclnnApplyAdamWV2, F32(x, 4), F32(m, 4),
				    F32(v, 4), NULL, F32(g, 4), I64(&step, 1),
				    rate, beta1, beta2, decay, eps, false,
				    false));
		power1 *= beta1;
		power2 *= beta2;
		for (unsigned int i = 0; i < 4; i++) {
			adam(&wx[i], &wm[i], &wv[i], g[i], step);
			EXPECT(fabs(x[i] - wx[i]) < 1e-4);
			EXPECT(near(m[i], wm[i]) && near(v[i], wv[i]));
		}
		forget();
	}
	return true;
}

static bool optimisers(void)
{
	float x[] = { 1, 1 }, m[2] = { 0 }, v[2] = { 0 }, most[] = { 4, 0 };
	float g[] = { -1, -1 };
	int64_t step = 1;

	EXPECT(is_adam(true));
	EXPECT(is_adam(false));
	EXPECT(RUN(aclnnApplyAdamWV2, F32(x, 2), F32(m, 2), F32(v, 2), NULL,
		   F32(g, 2), I64(&step, 1), 0.1f, 0.9f, 0.5f, 0, 1e-8f, true,
		   false));
	EXPECT(strstr(last_text, "maxGradNormOptionalRef: is NULL"));
	EXPECT(!RUN(aclnnApplyAdamWV2, F32(x, 2), F32(m, 2), F32(v, 2),
		    F32(most, 2), F32(g, 2), I64(&step, 1), 0.1f, 0.9f, 0.5f,
		    0, 1e-8f, true, true));
	EXPECT(most[0] == 4 && most[1] == 0.5f);
	EXPECT(near(x[0], 1 - 0.1 / sqrt(8)) && near(x[1], 0.9));
	return true;
}

static bool tables(void)
{
	int32_t index[] = { 1, 3, 1, 0 };

	numbers(a, 8, 7);
	EXPECT(!RUN(aclnnEmbeddingDenseBackward, F32(a, 2, 2, 2),
		    I32(index, 2, 2), 4, 3, false, F32(out, 4, 2)));
	EXPECT(near(out[2], (double)a[0] + a[4]) && out[1] == a[7]);
	EXPECT(out[4] == 0 && out[6] == 0);
	EXPECT(!RUN(aclnnEmbeddingDenseBackward, F32(a, 2, 2, 2),
		    I32(index, 2, 2), 4, UINT64_MAX, true, F32(out, 4, 2)));
	EXPECT(near(out[2], ((double)a[0] + a[4]) / 2) && out[6] == a[2]);
	return true;
}

const struct test training_tests[] = {
	{ "losses of squares", squares },
	{ "losses of distances", distances },
	{ "cross entropy of two classes", binary },
	{ "likelihoods of classes", likelihoods },
	{ "AdamW, by tensors and by numbers", optimisers },
	{ "gradients of tables", tables },
	{ 0 }
};
