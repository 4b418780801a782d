// SPDX-License-Identifier: GPL-2.0-only
/* Products, normalisations, convolution, pooling, attention. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "aclnnop/aclnn_ger.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_max_pool.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mv.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_softmax_cross_entropy_with_logits.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "aclnnop/aclnn_triangular_solve.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"

static float a[400], c[400], out[400], more[400], third[400];

static bool products(void)
{
	uint16_t half[12];
	double want;

	numbers(a, 30, 1);
	numbers(c, 12, 2);
	for (unsigned int i = 0; i < 12; i++) {
		half[i] = to_half(c[i]);
		c[i] = from_half(half[i]);
	}
	/* A transposed f16 weight. */
	EXPECT(!RUN(aclnnMm, F32(a, 5, 3),
		    strided(ACL_FLOAT16, half, SHAPE(3, 4), (int64_t[]){ 1, 3 },
			    0, 12), F32(out, 5, 4), 1));
	for (unsigned int i = 0; i < 20; i++) {
		want = 0;
		for (unsigned int k = 0; k < 3; k++)
			want += (double)a[i / 4 * 3 + k] * c[i % 4 * 3 + k];
		EXPECT(near(out[i], want));
	}
	/* Batches broadcast in both directions. */
	EXPECT(!RUN(aclnnMatmul, F32(a, 2, 1, 5, 3), F32(c, 1, 2, 3, 2),
		    F32(out, 2, 2, 5, 2), 0));
	for (unsigned int i = 0; i < 40; i++) {
		want = 0;
		for (unsigned int k = 0; k < 3; k++)
			want += (double)a[i / 20 * 15 + i % 10 / 2 * 3 + k] *
				c[i / 10 % 2 * 6 + k * 2 + i % 2];
		EXPECT(near(out[i], want));
	}
	EXPECT(!RUN(aclnnBatchMatMul, F32(a, 2, 5, 3), F32(c, 1, 3, 4),
		    F32(out, 2, 5, 4), 0));
	EXPECT(near(out[21], a[15] * c[1] + a[16] * c[5] + a[17] * c[9]));
	EXPECT(!RUN(aclnnMv, F32(a, 5, 3), F32(c, 3), F32(out, 5), 0));
	EXPECT(near(out[4], a[12] * c[0] + a[13] * c[1] + a[14] * c[2]));
	EXPECT(!RUN(aclnnGer, F32(a, 5), F32(c, 3), F32(out, 5, 3)));
	EXPECT(near(out[7], a[2] * c[1]));
	EXPECT(!RUN(aclnnTransMatmulWeight, F32(a, 5, 3)));
	return true;
}

static bool quantised(void)
{
	uint16_t x[64], scale[4], to[2];
	uint8_t weight[64];
	double want;

	for (unsigned int i = 0; i < 64; i++)
		x[i] = to_half(number(i));
	for (unsigned int i = 0; i < 4; i++)
		scale[i] = to_half(0.25f + 0.125f * i);
	/* [2, 64] of 4 bits, seen as its transpose. */
	for (unsigned int i = 0; i < 64; i++)
		weight[i] = i * 37;
	EXPECT(!RUN(aclnnWeightQuantBatchMatmulV2, F16(x, 1, 64),
		    strided(ACL_INT4, weight, SHAPE(64, 2),
			    (int64_t[]){ 1, 64 }, 0, 128),
		    strided(ACL_FLOAT16, scale, SHAPE(2, 2),
			    (int64_t[]){ 1, 2 }, 0, 4),
		    NULL, NULL, NULL, NULL, 32, F16(to, 1, 2)));
	for (unsigned int n = 0; n < 2; n++) {
		want = 0;
		for (unsigned int k = 0; k < 64; k++) {
			unsigned int at = n * 64 + k;
			int value = weight[at / 2] >> at % 2 * 4 & 15;

			want += from_half(x[k]) * (value - (value & 8) * 2) *
				from_half(scale[n * 2 + k / 32]);
		}
		EXPECT(near_half(from_half(to[n]), want));
	}
	return true;
}

static bool normalised(void)
{
	double sum, mean;

	numbers(a, 60, 3);
	numbers(c, 10, 4);
	EXPECT(!RUN(aclnnRmsNorm, F32(a, 2, 3, 10), F32(c, 10), 1e-5,
		    F32(out, 2, 3, 10), F32(more, 2, 3)));
	for (unsigned int i = 0; i < 60; i++) {
		sum = 0;
		for (unsigned int k = 0; k < 10; k++)
			sum += (double)a[i / 10 * 10 + k] * a[i / 10 * 10 + k];
		EXPECT(near(out[i], a[i] * c[i % 10] / sqrt(sum / 10 + 1e-5)));
		EXPECT(near(more[i / 10], 1 / sqrt(sum / 10 + 1e-5)));
	}
	EXPECT(!RUN(aclnnAddRmsNorm, F32(a, 6, 10), F32(a, 6, 10), F32(c, 10),
		    1e-5, F32(out, 6, 10), F32(more, 6, 1),
		    F32(third, 6, 10)));
	EXPECT(near(third[7], 2 * a[7]) &&
	       near(out[7], 2 * a[7] * c[7] * more[0]));
	EXPECT(!RUN(aclnnLayerNorm, F32(a, 6, 10), LIST(10), NULL, NULL, 1e-5,
		    F32(out, 6, 10), NULL, F32(more, 6, 1)));
	sum = mean = 0;
	for (unsigned int k = 0; k < 10; k++)
		mean += a[k] / 10.0;
	for (unsigned int k = 0; k < 10; k++)
		sum += (a[k] - mean) * (a[k] - mean);
	EXPECT(near(out[4], (a[4] - mean) / sqrt(sum / 10 + 1e-5)));
	EXPECT(near(more[0], 1 / sqrt(sum / 10 + 1e-5)));
	EXPECT(RUN(aclnnLayerNorm, F32(a, 6, 10), LIST(6), NULL, NULL, 1e-5,
		   F32(out, 6, 10), NULL, NULL));
	return true;
}

/* Means at an address that is no multiple of their size. */
static bool groups(void)
{
	char means[33];
	double mean = 0;
	float value;

	numbers(a, 60, 5);
	EXPECT(!RUN(aclnnGroupNorm, F32(a, 1, 4, 15), NULL, NULL, 1, 4, 15, 2,
		    1e-5, F32(out, 1, 4, 15), F32(means + 1, 2),
		    F32(means + 9, 2)));
	for (unsigned int k = 30; k < 60; k++)
		mean += a[k] / 30.0;
	memcpy(&value, means + 5, sizeof(value));
	EXPECT(near(value, mean));
	memcpy(&value, means + 13, sizeof(value));
	EXPECT(near(out[33], (a[33] - mean) * value));
	EXPECT(RUN(aclnnGroupNorm, F32(a, 1, 4, 15), NULL, NULL, 1, 5, 12, 2,
		   1e-5, F32(out, 1, 4, 15), F32(more, 2), F32(third, 2)));
	return true;
}

/* x [batch, row, head, feature], one angle for each row and feature. */
static bool rotated(int64_t mode)
{
	unsigned int pair;
	double other;

	numbers(a, 48, 6);
	numbers(c, 12, 7);
	numbers(more, 12, 8);
	EXPECT(!RUN(aclnnRotaryPositionEmbedding, F32(a, 1, 3, 4, 4),
		    F32(c, 1, 3, 1, 4), F32(more, 1, 3, 1, 4), mode,
		    F32(out, 1, 3, 4, 4)));
	for (unsigned int i = 0; i < 48; i++) {
		unsigned int row = i / 16, f = i % 4;

		pair = mode ? i ^ 1 : i / 4 * 4 + (f + 2) % 4;
		other = pair < i ? a[pair] : -a[pair];
		EXPECT(near(out[i], a[i] * c[row * 4 + f] +
				    other * more[row * 4 + f]));
	}
	return true;
}

static bool embeddings(void)
{
	return rotated(0) && rotated(1);
}

static bool windows(void)
{
	double want;

	numbers(a, 36, 9);
	numbers(c, 18, 10);
	EXPECT(!RUN(aclnnConvolution, F32(a, 1, 1, 6, 6), F32(c, 2, 1, 3, 3),
		    NULL, LIST(1, 1), LIST(0, 0), LIST(1, 1), false,
		    LIST(0, 0), 1, F32(out, 1, 2, 4, 4), 0));
	for (unsigned int i = 0; i < 32; i++) {
		want = 0;
		for (unsigned int k = 0; k < 9; k++)
			want += (double)c[i / 16 * 9 + k] *
				a[(i / 4 % 4 + k / 3) * 6 + i % 4 + k % 3];
		EXPECT(near(out[i], want));
	}
	EXPECT(!RUN(aclnnMaxPool, F32(a, 1, 1, 6, 6), LIST(2, 2), LIST(2, 2),
		    0, LIST(0, 0, 0, 0), LIST(1, 1), 0, F32(out, 1, 1, 3, 3)));
	EXPECT(out[0] == fmaxf(fmaxf(a[0], a[1]), fmaxf(a[6], a[7])));
	/* A row above, and a column at the right. */
	EXPECT(!RUN(aclnnMaxPool, F32(a, 1, 1, 6, 6), LIST(2, 2), LIST(1, 1),
		    0, LIST(1, 0, 0, 1), LIST(1, 1), 0, F32(out, 1, 1, 6, 6)));
	EXPECT(out[0] == fmaxf(a[0], a[1]) && out[5] == a[5]);
	EXPECT(out[35] == fmaxf(a[29], a[35]));
	EXPECT(!RUN(aclnnAvgPool2d, F32(a, 1, 1, 6, 6), LIST(2, 2), LIST(2, 2),
		    LIST(0, 0), false, true, 0, 0, F32(out, 1, 1, 3, 3)));
	EXPECT(near(out[8], (a[28] + a[29] + a[34] + a[35]) / 4));
	EXPECT(!RUN(aclnnUpsampleNearest2d, F32(a, 1, 1, 2, 2), LIST(4, 4),
		    F32(out, 1, 1, 4, 4)));
	EXPECT(out[0] == a[0] && out[3] == a[1] && out[15] == a[3]);
	return true;
}

/* Four heads of queries share two of keys; the mask is for each row and key. */
static bool attention(void)
{
	enum { ROWS = 3, KEYS = 5, HEADS = 4, SHARED = 2, FEATURES = 8 };
	uint16_t q[ROWS * HEADS * FEATURES], k[KEYS * SHARED * FEATURES];
	uint16_t v[KEYS * SHARED * FEATURES], pse[ROWS * KEYS];
	uint16_t to[ROWS * HEADS * FEATURES];
	const aclTensor *keys[1], *values[1];
	aclTensorList *key_list, *value_list;
	double weight[KEYS], sum, want;

	for (unsigned int i = 0; i < ARRAY_SIZE(q); i++)
		q[i] = to_half(number(i));
	for (unsigned int i = 0; i < ARRAY_SIZE(k); i++) {
		k[i] = to_half(number(i + 500));
		v[i] = to_half(number(i + 900));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(pse); i++)
		pse[i] = i % 4 ? to_half(number(i)) : 0xfc00;	/* -inf */
	keys[0] = F16(k, 1, KEYS, SHARED, FEATURES);
	values[0] = F16(v, 1, KEYS, SHARED, FEATURES);
	key_list = aclCreateTensorList(keys, 1);
	value_list = aclCreateTensorList(values, 1);
	EXPECT(!RUN(aclnnFusedInferAttentionScoreV2,
		F16(q, 1, ROWS, HEADS, FEATURES), key_list, value_list,
		strided(ACL_FLOAT16, pse, SHAPE(1, HEADS, ROWS, KEYS),
			(int64_t[]){ 0, 0, KEYS, 1 }, 0, ROWS * KEYS),
		NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		HEADS, 0.5, 65535, 65535, "BSND", SHARED, 0, 2, 0, 0, false, 0,
		0, F16(to, 1, ROWS, HEADS, FEATURES), NULL));
	aclDestroyTensorList(key_list);
	aclDestroyTensorList(value_list);
	for (unsigned int i = 0; i < ARRAY_SIZE(to); i++) {
		unsigned int row = i / (HEADS * FEATURES);
		unsigned int shared = i / FEATURES % HEADS / 2;

		sum = want = 0;
		for (unsigned int n = 0; n < KEYS; n++) {
			const uint16_t *at = k + (n * SHARED + shared) *
						 FEATURES;
			double dot = 0;

			for (unsigned int f = 0; f < FEATURES; f++)
				dot += from_half(q[i / FEATURES * FEATURES +
						   f]) * from_half(at[f]);
			weight[n] = pse[row * KEYS + n] == 0xfc00 ? 0 :
				exp(dot * 0.5 +
				    from_half(pse[row * KEYS + n]));
			sum += weight[n];
		}
		for (unsigned int n = 0; n < KEYS; n++)
			want += weight[n] / sum *
				from_half(v[(n * SHARED + shared) * FEATURES +
					    i % FEATURES]);
		EXPECT(near_half(from_half(to[i]), want));
	}
	return true;
}

/* A mask of three dimensions is for each batch, and all heads. */
static aclnnStatus masked(int64_t tokens, float *to)
{
	static bool mask[] = { false, true, true, false };
	static float zero[4], v[] = { 1, 2, 3, 4 };
	const aclTensor *keys[] = { F32(zero, 2, 2, 1, 1) };
	const aclTensor *values[] = { F32(v, 2, 2, 1, 1) };
	aclTensorList *key_list = aclCreateTensorList(keys, 1);
	aclTensorList *value_list = aclCreateTensorList(values, 1);
	aclnnStatus status = RUN(aclnnFusedInferAttentionScoreV2,
		F32(zero, 2, 1, 2, 1), key_list, value_list, NULL,
		tensor(ACL_BOOL, mask, SHAPE(2, 1, 2)),
		NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		2, 1, tokens, tokens, "BSND", 1, 0, 2, 0, 0, false, 0, 0,
		F32(to, 2, 1, 2, 1), NULL);

	aclDestroyTensorList(key_list);
	aclDestroyTensorList(value_list);
	return status;
}

static bool masks(void)
{
	float to[4];

	EXPECT(!masked(65535, to));
	EXPECT(to[0] == 1 && to[1] == 1 && to[2] == 4 && to[3] == 4);
	EXPECT(masked(0, to) == ACLNN_ERR_PARAM_INVALID);
	TEXT("nextTokens: expected at least 1, given 0");
	return true;
}

static bool solved(void)
{
	float matrix[] = { 2, 0, 1, 4 }, right[] = { 4, 10 };
	float matrices[] = { 2, 0, 1, 4, 1, 0, 0, 2 };
	float sides[] = { 4, 10, 2, 6 };

	EXPECT(!RUN(aclnnTriangularSolve, F32(right, 2, 1), F32(matrix, 2, 2),
		    false, false, false, F32(out, 2, 1), F32(more, 2, 2)));
	EXPECT(near(out[0], 2) && near(out[1], 2) && more[3] == 4);
	/* One matrix for several sides, and one side for several matrices. */
	EXPECT(!RUN(aclnnTriangularSolve, F32(sides, 2, 2, 1),
		    F32(matrix, 2, 2), false, false, false, F32(out, 2, 2, 1),
		    F32(more, 2, 2)));
	EXPECT(near(out[0], 2) && near(out[1], 2) && near(out[2], 1) &&
	       near(out[3], 1.25f));
	EXPECT(!RUN(aclnnTriangularSolve, F32(right, 1, 2, 1),
		    F32(matrices, 2, 2, 2), false, false, false,
		    F32(out, 2, 2, 1), F32(more, 2, 2, 2)));
	EXPECT(near(out[0], 2) && near(out[1], 2) && near(out[2], 4) &&
	       near(out[3], 5) && more[7] == 2);
	return true;
}

static bool losses(void)
{
	float labels[] = { 0, 1, 0, 0.5f, 0, 0.5f };
	double sum = 0, loss = 0;

	numbers(a, 6, 11);
	EXPECT(!RUN(aclnnSoftmaxCrossEntropyWithLogits, F32(a, 2, 3),
		    F32(labels, 2, 3), F32(out, 2), F32(more, 2, 3)));
	for (unsigned int i = 3; i < 6; i++)
		sum += exp(a[i]);
	for (unsigned int i = 3; i < 6; i++)
		loss -= labels[i] * (a[i] - log(sum));
	EXPECT(near(out[1], loss));
	EXPECT(near(more[4], exp(a[4]) / sum - labels[4]));
	return true;
}

const struct test layer_tests[] = {
	{ "products of matrices", products },
	{ "products with quantised weights", quantised },
	{ "normalisations", normalised },
	{ "groups are normalised", groups },
	{ "rotary embeddings", embeddings },
	{ "convolution and pooling", windows },
	{ "attention", attention },
	{ "masks of attention", masks },
	{ "triangular systems", solved },
	{ "cross entropy", losses },
	{ 0 }
};
