// SPDX-License-Identifier: GPL-2.0-only
/* Attention of inference, against plain loops. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v3.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v4.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v5.h"
#include "aclnnop/aclnn_incre_flash_attention_v4.h"
#include "aclnnop/aclnn_prompt_flash_attention.h"
#include "aclnnop/aclnn_prompt_flash_attention_v2.h"
#include "aclnnop/aclnn_prompt_flash_attention_v3.h"

enum { BATCHES = 2, HEADS = 4, KV_HEADS = 2, KEYS = 5, FEATURES = 3, ROWS = 3 };

static float q[BATCHES * ROWS * HEADS * FEATURES];
static float k[BATCHES * KEYS * KV_HEADS * FEATURES];
static float v[BATCHES * KEYS * KV_HEADS * FEATURES];
static float out[BATCHES * ROWS * HEADS * FEATURES];
static bool hidden[BATCHES * ROWS * KEYS];

/* What a test asks for. */
static struct {
	unsigned int rows;
	const int64_t *lengths, *keys;
	bool is_causal, is_masked;
} want;

static void prepare(unsigned int rows)
{
	numbers(q, BATCHES * ROWS * HEADS * FEATURES, 1);
	numbers(k, BATCHES * KEYS * KV_HEADS * FEATURES, 2);
	numbers(v, BATCHES * KEYS * KV_HEADS * FEATURES, 3);
	for (unsigned int i = 0; i < BATCHES * ROWS * KEYS; i++)
		hidden[i] = i % 7 == 3;
	memset(out, 0, sizeof(out));
	memset(&want, 0, sizeof(want));
	want.rows = rows;
}

static aclTensorList *list(float *data)
{
	const aclTensor *member = F32(data, BATCHES, KEYS, KV_HEADS, FEATURES);

	return aclCreateTensorList(&member, 1);
}

/* Check whether a key counts for a row; the last row sees the last key. */
static bool counts(unsigned int batch, unsigned int row, unsigned int rows,
		   unsigned int key, unsigned int keys)
{
	if (want.is_causal && key > row + keys - rows)
		return false;
	return !want.is_masked ||
	       !hidden[(batch * want.rows + row) * KEYS + key];
}

/* The tensors are [batch, row, head, feature]. */
static double at(const float *t, unsigned int rows, unsigned int heads,
		 unsigned int batch, unsigned int row, unsigned int head,
		 unsigned int feature)
{
	return t[((batch * rows + row) * heads + head) * FEATURES + feature];
}

static bool is_row(unsigned int batch, unsigned int row, unsigned int head)
{
	unsigned int rows = want.lengths ? want.lengths[batch] : want.rows;
	unsigned int keys = want.keys ? want.keys[batch] : KEYS;
	unsigned int kv = head / (HEADS / KV_HEADS);
	double sum = 0, made[FEATURES] = { 0 };

	for (unsigned int key = 0; row < rows && key < keys; key++) {
		double logit = 0;

		if (!counts(batch, row, rows, key, keys))
			continue;
		for (unsigned int f = 0; f < FEATURES; f++)
			logit += at(q, want.rows, HEADS, batch, row, head, f) *
				 at(k, KEYS, KV_HEADS, batch, key, kv, f);
		sum += exp(0.5 * logit);
		for (unsigned int f = 0; f < FEATURES; f++)
			made[f] += exp(0.5 * logit) *
				   at(v, KEYS, KV_HEADS, batch, key, kv, f);
	}
	for (unsigned int f = 0; f < FEATURES; f++)
		if (!near(at(out, want.rows, HEADS, batch, row, head, f),
			  sum ? made[f] / sum : 0)) {
			note("batch %u, row %u, head %u", batch, row, head);
			return false;
		}
	return true;
}

static bool is_right(void)
{
	for (unsigned int i = 0; i < BATCHES * want.rows * HEADS; i++)
		if (!is_row(i / HEADS / want.rows, i / HEADS % want.rows,
			    i % HEADS))
			return false;
	return true;
}

#define Q	F32(q, BATCHES, want.rows, HEADS, FEATURES)
#define K	F32(k, BATCHES, KEYS, KV_HEADS, FEATURES)
#define V	F32(v, BATCHES, KEYS, KV_HEADS, FEATURES)
#define OUT	F32(out, BATCHES, want.rows, HEADS, FEATURES)
#define NO5	NULL, NULL, NULL, NULL, NULL

static bool prompt(void)
{
	static const int64_t lengths[] = { 2, 3 }, keys[] = { 5, 4 };

	prepare(ROWS);
	EXPECT(!RUN(aclnnPromptFlashAttention, Q, K, V, NULL, NULL, NULL, HEADS,
		    0.5, 100, 100, "BSND", KV_HEADS, OUT));
	EXPECT(is_right());
	/* Causal, to the last key; and lengths. */
	prepare(ROWS);
	want.is_causal = true;
	want.lengths = lengths;
	want.keys = keys;
	EXPECT(!RUN(aclnnPromptFlashAttentionV2, Q, K, V, NULL, NULL,
		    LIST(2, 3), LIST(5, 4), NO5, HEADS, 0.5, 100, 100, "BSND",
		    KV_HEADS, 3, OUT));
	EXPECT(is_right());
	prepare(ROWS);
	want.is_masked = true;
	EXPECT(!RUN(aclnnPromptFlashAttentionV3, Q, K, V, NULL,
		    tensor(ACL_BOOL, hidden, SHAPE(BATCHES, ROWS, KEYS)), NULL,
		    NULL, NO5, HEADS, 0.5, 100, 100, "BSND", KV_HEADS, 0, 1,
		    OUT));
	EXPECT(is_right());
	EXPECT(RUN(aclnnPromptFlashAttentionV3, Q, K, V, NULL, NULL, LIST(4),
		   NULL, NO5, HEADS, 0.5, 100, 100, "BSND", KV_HEADS, 0, 1,
		   OUT) == ACLNN_ERR_PARAM_INVALID);
	TEXT("expected a length from 0 to 3");
	return true;
}

/* Lengths are of a part of each tensor, so the tensors themselves have to match. */
static bool lengths(void)
{
	static const int64_t dims[] = { BATCHES, 1, HEADS, FEATURES };
	static const int64_t strides[] = {
		ROWS * HEADS * FEATURES, HEADS * FEATURES, FEATURES, 1,
	};
	static const int64_t rows[] = { 2, 2 }, keys[] = { 4, 4 };

	/* The storage has room for the rows that the tensor has not. */
	prepare(ROWS);
	EXPECT(RUN(aclnnPromptFlashAttentionV3, Q, K, V, NULL, NULL, LIST(2, 3),
		   NULL, NO5, HEADS, 0.5, 100, 100, "BSND", KV_HEADS, 0, 1,
		   strided(ACL_FLOAT, out, 4, dims, strides, 0,
			   BATCHES * ROWS * HEADS * FEATURES)) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("attentionOut: dimension 2: expected 3, given 1");
	EXPECT(RUN(aclnnPromptFlashAttentionV3, Q,
		   F32(k, 1, KEYS, KV_HEADS, FEATURES), V, NULL, NULL,
		   LIST(2, 3), NULL, NO5, HEADS, 0.5, 100, 100, "BSND", KV_HEADS,
		   0, 1, OUT) == ACLNN_ERR_PARAM_INVALID);
	TEXT("key: dimension 0: expected 2, given 1");
	/* Equal lengths, and one that stands for both. */
	want.is_masked = true;
	want.lengths = rows;
	want.keys = keys;
	EXPECT(!RUN(aclnnPromptFlashAttentionV3, Q, K, V, NULL,
		    tensor(ACL_BOOL, hidden, SHAPE(BATCHES, ROWS, KEYS)),
		    LIST(2), LIST(4, 4), NO5, HEADS, 0.5, 100, 100, "BSND",
		    KV_HEADS, 0, 1, OUT));
	EXPECT(is_right());
	return true;
}

static bool increment(void)
{
	static const int64_t keys[] = { 3, 5 };
	aclTensorList *key = NULL, *value;

	prepare(1);
	want.is_masked = true;
	want.keys = keys;
	key = list(k);
	value = list(v);
	EXPECT(!RUN(aclnnIncreFlashAttentionV4, Q, key, value, NULL,
		    tensor(ACL_BOOL, hidden, SHAPE(BATCHES, KEYS)), LIST(3, 5),
		    NO5, NULL, NULL, NULL, NULL, HEADS, 0.5, "BSND", KV_HEADS,
		    0, 1, OUT));
	aclDestroyTensorList(key);
	aclDestroyTensorList(value);
	EXPECT(is_right());
	return true;
}

static bool fused(void)
{
	aclTensorList *key, *value;

	prepare(ROWS);
	want.is_causal = true;
	key = list(k);
	value = list(v);
	EXPECT(!RUN(aclnnFusedInferAttentionScoreV3, Q, key, value, NULL, NULL,
		    NULL, NULL, NO5, NO5, NO5, NULL, NULL, NULL, NULL, NULL,
		    HEADS, 0.5, 100, 100, "BSND", KV_HEADS, 3, 1, 0, 0, false, 0,
		    0, OUT, NULL));
	EXPECT(is_right());
	memset(out, 0, sizeof(out));
	EXPECT(!RUN(aclnnFusedInferAttentionScoreV4, Q, key, value, NULL, NULL,
		    NULL, NULL, NO5, NO5, NO5, NO5, NULL, NULL, HEADS, 0.5, 100,
		    100, "BSND", KV_HEADS, 3, 1, 0, 0, false, 0, 0, 0, OUT,
		    NULL));
	EXPECT(is_right());
	EXPECT(RUN(aclnnFusedInferAttentionScoreV4, Q, key, value, NULL, NULL,
		   NULL, NULL, NO5, NO5, NO5, NO5, NULL, Q, HEADS, 0.5, 100,
		   100, "BSND", KV_HEADS, 3, 1, 0, 0, false, 0, 0, 0, OUT,
		   NULL) == ACLNN_ERR_PARAM_INVALID);
	TEXT("learnableSinkOptional");
	aclDestroyTensorList(key);
	aclDestroyTensorList(value);
	return true;
}

#define V5(sink, start, layout, heads, lse, pse_type)			\
	RUN(aclnnFusedInferAttentionScoreV5, Q, key, value, NULL, NULL, NULL, \
	    NULL, NO5, NO5, NO5, NO5, NULL, sink, start, NULL, heads, 0.5,	\
	    100, 100, layout, KV_HEADS, 3, 1, 0, 0, lse, 0, 0, 0, pse_type,	\
	    OUT, NULL)

static bool fifth(void)
{
	aclTensorList *key, *value;

	prepare(ROWS);
	want.is_causal = true;
	key = list(k);
	value = list(v);
	EXPECT(!V5(NULL, NULL, "BSND", HEADS, false, 0));
	EXPECT(is_right());
	EXPECT(V5(Q, NULL, "BSND", HEADS, false, 0) == ACLNN_ERR_PARAM_INVALID);
	TEXT("learnableSinkOptional: is not supported");
	EXPECT(V5(NULL, LIST(0), "BSND", HEADS, false, 0) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("qStartIdxOptional: is not supported");
	EXPECT(V5(NULL, NULL, "BSND", HEADS, false, 2) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("pseType: expected 0, given 2");
	EXPECT(V5(NULL, NULL, "TND", HEADS, false, 0) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("inputLayout: expected BSND, BNSD or BSH, given TND");
	EXPECT(V5(NULL, NULL, "BSND", HEADS + 1, false, 0) ==
	       ACLNN_ERR_PARAM_INVALID);
	EXPECT(V5(NULL, NULL, "BSND", HEADS, true, 0) ==
	       ACLNN_ERR_PARAM_INVALID);
	TEXT("softmaxLseFlag: is not supported");
	aclDestroyTensorList(key);
	aclDestroyTensorList(value);
	return true;
}

const struct test attention_tests[] = {
	{ "attention of all rows", prompt },
	{ "lengths of batches", lengths },
	{ "attention of the last row", increment },
	{ "later forms of attention", fused },
	{ "attention with arguments for slopes", fifth },
	{ 0 }
};
