// SPDX-License-Identifier: GPL-2.0-only
/* Losses and steps of optimisers, against formulas in f64. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "aclnnop/aclnn_binary_cross_entropy.h"
#include "aclnnop/aclnn_binary_cross_entropy_backward.h"
#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_ctc_loss_backward.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_fused_sgd.h"
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
	TEXT("reduction: expected 0 to 2, given 3");
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
	TEXT("maxGradNormOptionalRef: is NULL");
	EXPECT(!RUN(aclnnApplyAdamWV2, F32(x, 2), F32(m, 2), F32(v, 2),
		    F32(most, 2), F32(g, 2), I64(&step, 1), 0.1f, 0.9f, 0.5f,
		    0, 1e-8f, true, true));
	EXPECT(most[0] == 4 && most[1] == 0.5f);
	EXPECT(near(x[0], 1 - 0.1 / sqrt(8)) && near(x[1], 0.9));
	return true;
}

/* Two steps of gradient descent of two parameters, by each combination of options. */
static bool descents(void)
{
	const double rate = 0.5, decay = 0.25, momentum = 0.75, dampening = 0.5;

	for (unsigned int way = 0; way < 16; way++) {
		bool maximise = way & 1, nesterov = way & 2, moves = way & 4;
		float x[4], g[4], v[4], before[4], scale = way & 8 ? 4 : 1;
		double want[4], mean[4] = { 0 };

		numbers(x, 4, way);
		for (unsigned int i = 0; i < 4; i++)
			want[i] = x[i];
		for (unsigned int step = 0; step < 2; step++) {
			const aclTensor *params[] = { F32(x, 3), F32(x + 3, 1) };
			const aclTensor *grads[] = { F32(g, 3), F32(g + 3, 1) };
			const aclTensor *means[] = { F32(v, 3), F32(v + 3, 1) };
			aclTensorList *list[] = {
				aclCreateTensorList(params, 2),
				aclCreateTensorList(grads, 2),
				aclCreateTensorList(means, 2),
			};
			aclnnStatus status;

			numbers(g, 4, 100 + step);
			memcpy(before, g, sizeof(before));
			for (unsigned int i = 0; i < 4; i++) {
				double d = g[i] / scale, move;

				d = (maximise ? -d : d) + decay * want[i];
				mean[i] = step ? momentum * mean[i] +
						 (1 - dampening) * d : d;
				move = !moves ? d : nesterov ?
				       d + momentum * mean[i] : mean[i];
				want[i] -= rate * move;
			}
			status = RUN(aclnnFusedSgd, list[0], list[1],
				     moves ? list[2] : NULL,
				     way & 8 ? F32(&scale, 1) : NULL, decay,
				     momentum, rate, dampening, nesterov,
				     maximise, !step);
			for (unsigned int i = 0; i < 3; i++)
				aclDestroyTensorList(list[i]);
			if (nesterov && !moves) {
				EXPECT(status == ACLNN_ERR_PARAM_INVALID);
				TEXT("but nesterov is true");
				break;
			}
			EXPECT(!status);
			forget();
			for (unsigned int i = 0; i < 4; i++) {
				EXPECT(near(x[i], want[i]));
				EXPECT(!moves || near(v[i], mean[i]));
				/* The scaled gradient replaces it. */
				EXPECT(near(g[i] * scale, before[i]));
			}
		}
	}
	return true;
}

/* Two labels, or one, in three times: the sum over all paths. */
static bool labels(void)
{
	static const int64_t target[] = { 1, 2, 1 };
	float p[3 * 2 * 3], alpha[2 * 3 * 5], of[3 * 2 * 3], loss[2], up[] = { 2, 3 };
	double q[3][2][3], want;

	numbers(a, 18, 9);
	for (unsigned int i = 0; i < 6; i++) {
		double sum = 0;

		for (unsigned int k = 0; k < 3; k++)
			sum += exp(a[i * 3 + k]);
		for (unsigned int k = 0; k < 3; k++) {
			q[i / 2][i % 2][k] = exp(a[i * 3 + k]) / sum;
			p[i * 3 + k] = log(q[i / 2][i % 2][k]);
		}
	}
	EXPECT(!RUN(aclnnCtcLoss, F32(p, 3, 2, 3), I64(target, 3), LIST(3, 2),
		    LIST(2, 1), 0, false, F32(loss, 2), F32(alpha, 2, 3, 5)));
	want = q[0][0][1] * q[1][0][2] * (q[2][0][2] + q[2][0][0]) +
	       q[0][0][1] * q[1][0][1] * q[2][0][2] +
	       q[0][0][1] * q[1][0][0] * q[2][0][2] +
	       q[0][0][0] * q[1][0][1] * q[2][0][2];
	EXPECT(near(loss[0], -log(want)));
	want = q[0][1][1] * (q[1][1][1] + q[1][1][0]) + q[0][1][0] * q[1][1][1];
	EXPECT(near(loss[1], -log(want)));
	EXPECT(!RUN(aclnnCtcLossBackward, F32(up, 2),
		    F32(p, 3, 2, 3), I64(target, 3), LIST(3, 2), LIST(2, 1),
		    F32(loss, 2), F32(alpha, 2, 3, 5), 0, false,
		    F32(of, 3, 2, 3)));
	/* Sample 1: all paths but one begin with its label. */
	EXPECT(near(of[3], 3 * (q[0][1][0] - q[0][1][0] * q[1][1][1] / want)));
	EXPECT(near(of[5], 3 * q[0][1][2]) && of[15] == 0);
	/* There is no path of one time to two labels. */
	EXPECT(!RUN(aclnnCtcLoss, F32(p, 3, 3), I64(target, 1, 2), LIST(1),
		    LIST(2), 0, false, F32(loss, 1), F32(alpha, 1, 3, 8)) &&
	       loss[0] == INFINITY);
	EXPECT(!RUN(aclnnCtcLoss, F32(p, 3, 3), I64(target, 1, 2), LIST(1),
		    LIST(2), 0, true, F32(loss, 1), F32(alpha, 1, 3, 8)) &&
	       loss[0] == 0);
	EXPECT(RUN(aclnnCtcLoss, F32(p, 3, 2, 3), I64(target, 3), LIST(3, 4),
		   LIST(2, 1), 0, false, F32(loss, 2), F32(alpha, 2, 3, 5)));
	TEXT("inputLengths: expected 0 to 3, given 4");
	EXPECT(RUN(aclnnCtcLoss, F32(p, 3, 2, 3), I64(target, 3), LIST(3, 3),
		   LIST(2, 2), 0, false, F32(loss, 2), F32(alpha, 2, 3, 5)));
	TEXT("targets: expected the 4 labels of all samples");
	EXPECT(RUN(aclnnCtcLoss, F32(p, 3, 2, 3), I64(target, 3), LIST(3, 3),
		   LIST(2, 1), 0, false, F32(loss, 2), F32(alpha, 2, 3, 4)));
	TEXT("logAlphaOut: expected [sample, time, at least 5]");
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
	{ "steps of gradient descent", descents },
	{ "likelihoods of sequences of labels", labels },
	{ "gradients of tables", tables },
	{ 0 }
};
