// SPDX-License-Identifier: GPL-2.0-only
/* Matrices, unique elements, statistics of several devices, and gradients of lines. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_baddbmm.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_batch_norm_gather_stats_with_counts.h"
#include "aclnnop/aclnn_gcd.h"
#include "aclnnop/aclnn_inverse.h"
#include "aclnnop/aclnn_linalg_qr.h"
#include "aclnnop/aclnn_logsigmoid.h"
#include "aclnnop/aclnn_logsigmoid_backward.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_prelu_backward.h"
#include "aclnnop/aclnn_slogdet.h"
#include "aclnnop/aclnn_unique2.h"

static float a[64], c[64], q[64], r[64], out[64];

static bool matrices(void)
{
	float m[] = { 0, 2, 3, 0 }, sign, size;

	EXPECT(!RUN(aclnnInverse, F32(m, 2, 2), F32(out, 2, 2)));
	EXPECT(near(out[1], 1.0 / 3) && near(out[2], 0.5) && out[0] == 0);
	EXPECT(!RUN(aclnnSlogdet, F32(m, 2, 2), tensor(ACL_FLOAT, &sign, 0, NULL),
		    tensor(ACL_FLOAT, &size, 0, NULL)));
	EXPECT(sign == -1 && near(size, log(6)));
	numbers(a, 12, 1);
	for (unsigned int mode = 0; mode < 2; mode++) {
		unsigned int k = mode ? 4 : 3;

		EXPECT(!RUN(aclnnLinalgQr, F32(a, 4, 3), mode, F32(q, 4, k),
			    F32(r, k, 3)));
		for (unsigned int i = 0; i < 12; i++) {
			double sum = 0;

			for (unsigned int e = 0; e < k; e++)
				sum += (double)q[i / 3 * k + e] *
				       r[e * 3 + i % 3];
			EXPECT(near(sum, a[i]));
		}
	}
	memcpy(out, r, sizeof(r));
	EXPECT(!RUN(aclnnLinalgQr, F32(a, 4, 3), 2, F32(q, 0), F32(r, 3, 3)));
	EXPECT(!memcmp(r, out, 9 * sizeof(*r)));
	EXPECT(RUN(aclnnLinalgQr, F32(a, 4, 3), 3, F32(q, 0), F32(r, 3, 3)) ==
	       ACLNN_ERR_PARAM_INVALID);
	EXPECT(RUN(aclnnInverse, F32(a, 4, 3), F32(out, 4, 3)) ==
	       ACLNN_ERR_PARAM_INVALID);
	return true;
}

static bool divisors(void)
{
	int32_t x[] = { 12, -18, 0, 7, 0 }, y[] = { 18, 12, -5, 0, 0 }, of[5] = { 0 };

	EXPECT(!RUN(aclnnGcd, I32(x, 5), I32(y, 5), I32(of, 5)));
	EXPECT(of[0] == 6 && of[1] == 6 && of[2] == 5 && of[3] == 7 && !of[4]);
	return true;
}

static bool unique(void)
{
	int64_t *dims, inverse[6], counts[6];
	float x[] = { 3, 1, 3, 2, 1, 3 };
	aclTensor *values = F32(out, 6), *of_counts = I64(counts, 6);
	uint64_t rank;

	EXPECT(!RUN(aclnnUnique2, F32(x, 6), true, true, true, values,
		    I64(inverse, 6), of_counts));
	EXPECT(out[0] == 1 && out[1] == 2 && out[2] == 3);
	for (unsigned int i = 0; i < 6; i++)
		EXPECT(out[inverse[i]] == x[i]);
	EXPECT(counts[0] == 2 && counts[1] == 1 && counts[2] == 3);
	EXPECT(!aclGetViewShape(values, &dims, &rank) && dims[0] == 3);
	free(dims);
	EXPECT(!aclGetViewShape(of_counts, &dims, &rank) && dims[0] == 3);
	free(dims);
	return true;
}

/* Two devices, with 3 and 5 elements of a channel each. */
static bool gathered(void)
{
	float mean[4], invstd[4], counts[] = { 3, 5 }, running[] = { 1, 1, 2, 2 };
	const double eps = 1e-5, momentum = 0.1;

	numbers(a, 16, 7);
	for (unsigned int i = 0; i < 4; i++) {
		unsigned int n = counts[i / 2], first = i / 2 ? 6 : 0;
		double sum = 0, squares = 0;

		for (unsigned int k = 0; k < n; k++) {
			double v = a[first + 2 * k + i % 2];

			sum += v / n;
			squares += v * v / n;
		}
		mean[i] = sum;
		invstd[i] = 1 / sqrt(squares - sum * sum + eps);
	}
	EXPECT(!RUN(aclnnBatchNormGatherStatsWithCounts, F32(a, 8, 2),
		    F32(mean, 2, 2), F32(invstd, 2, 2), F32(running, 2),
		    F32(running + 2, 2), momentum, eps, F32(counts, 2),
		    F32(out, 2), F32(c, 2)));
	for (unsigned int i = 0; i < 2; i++) {
		double sum = 0, squares = 0, variance;

		for (unsigned int k = 0; k < 8; k++) {
			sum += a[2 * k + i] / 8.0;
			squares += (double)a[2 * k + i] * a[2 * k + i] / 8;
		}
		variance = squares - sum * sum;
		EXPECT(fabs(out[i] - sum) < 1e-5);
		EXPECT(fabs(c[i] - 1 / sqrt(variance + eps)) < 1e-4);
		EXPECT(fabs(running[i] - (0.9 + 0.1 * sum)) < 1e-5);
		EXPECT(fabs(running[2 + i] - (1.8 + 0.1 * variance * 8 / 7)) <
		       1e-5);
	}
	return true;
}

static bool line_gradients(void)
{
	float w[] = { 0.25f, -0.5f, 2 }, of_w[3] = { 0 }, single;
	double sum[3] = { 0 };

	numbers(a, 24, 3);
	numbers(c, 24, 4);
	EXPECT(!RUN(aclnnPreluBackward, F32(c, 2, 3, 4), F32(a, 2, 3, 4),
		    F32(w, 3), F32(out, 2, 3, 4), F32(of_w, 3)));
	for (unsigned int i = 0; i < 24; i++) {
		unsigned int k = i / 4 % 3;

		EXPECT(near(out[i], a[i] > 0 ? c[i] : (double)c[i] * w[k]));
		sum[k] += a[i] > 0 ? 0 : (double)c[i] * a[i];
	}
	for (unsigned int k = 0; k < 3; k++)
		EXPECT(near(of_w[k], sum[k]));
	EXPECT(!RUN(aclnnPreluBackward, F32(c, 2, 3, 4), F32(a, 2, 3, 4),
		    F32(w, 1), F32(out, 2, 3, 4), F32(&single, 1)));
	EXPECT(near(single, sum[0] + sum[1] + sum[2]));
	EXPECT(!RUN(aclnnLogSigmoidForward, F32(a, 24), F32(out, 24), NULL));
	EXPECT(near(out[3], -log1p(exp(-a[3]))));
	EXPECT(!RUN(aclnnLogSigmoidBackward, F32(c, 24), F32(a, 24), NULL,
		    F32(out, 24)));
	for (unsigned int i = 0; i < 24; i++)
		EXPECT(near(out[i], c[i] / (1 + exp(a[i]))));
	return true;
}

/* Products in place, and of weights of another format. */
static bool products(void)
{
	float before[8];

	numbers(a, 6, 11);
	numbers(c, 12, 12);
	numbers(before, 8, 13);
	memcpy(q, before, sizeof(before));
	memcpy(r, before, sizeof(before));
	EXPECT(!RUN(aclnnMatmulWeightNz, F32(a, 2, 3), F32(c, 3, 4),
		    F32(out, 2, 4), 1));
	EXPECT(!RUN(aclnnBatchMatMulWeightNz, F32(a, 1, 2, 3), F32(c, 1, 3, 4),
		    F32(out + 8, 1, 2, 4), 1));
	EXPECT(!RUN(aclnnAddmmWeightNz, F32(q, 2, 4), F32(a, 2, 3),
		    F32(c, 3, 4), scalar(2), scalar(3), F32(out + 16, 2, 4), 1));
	EXPECT(!RUN(aclnnInplaceAddmm, F32(q, 2, 4), F32(a, 2, 3),
		    F32(c, 3, 4), scalar(2), scalar(3), 1));
	EXPECT(!RUN(aclnnInplaceBaddbmm, F32(r, 1, 2, 4), F32(a, 1, 2, 3),
		    F32(c, 1, 3, 4), scalar(2), scalar(3), 1));
	for (unsigned int i = 0; i < 8; i++) {
		double want = 0;

		for (unsigned int k = 0; k < 3; k++)
			want += (double)a[i / 4 * 3 + k] * c[k * 4 + i % 4];
		EXPECT(near(out[i], want) && out[8 + i] == out[i]);
		EXPECT(near(q[i], 2.0 * before[i] + 3 * want));
		EXPECT(q[i] == out[16 + i] && r[i] == out[16 + i]);
	}
	return true;
}

const struct test matrix_tests[] = {
	{ "products in place and of other formats", products },
	{ "matrices", matrices },
	{ "divisors", divisors },
	{ "unique elements", unique },
	{ "statistics of several devices", gathered },
	{ "gradients of PReLU and LogSigmoid", line_gradients },
	{ 0 }
};
