// SPDX-License-Identifier: GPL-2.0-only
/* Attention: its gradients, its bias, dropout, and sequences in one tensor. */
#include "gradient.h"
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"

/* Two heads of queries share one of keys: [row, batch, head * feature]. */
static int64_t sparse;
static bool shifted;
static float shift[18];

/* The bias of [head, row, key], if there is one. */
static aclTensor *real_shift(void)
{
	return shifted ? F32(shift, 1, 2, 3, 3) : NULL;
}

static bool attend(void)
{
	return !RUN(aclnnFlashAttentionScore, F32(x, 3, 1, 8), F32(w, 3, 1, 4),
		    F32(v, 3, 1, 4), real_shift(), NULL, NULL, NULL, NULL, 0.5, 1,
		    65535, 65535, 2, "SBH", 0, sparse, F32(mean, 1, 2, 3, 8),
		    F32(rstd, 1, 2, 3, 8), NULL, F32(out, 3, 1, 8));
}

/* The scale is that of the bias, too. */
static bool is_shifted(void)
{
	for (unsigned int i = 0; i < 24; i++) {
		unsigned int row = i / 8, head = i / 4 % 2, feature = i % 4;
		double sum = 0, want = 0;

		for (unsigned int k = 0; k < 3; k++) {
			double logit = shift[(head * 3 + row) * 3 + k];

			for (unsigned int f = 0; f < 4; f++)
				logit += (double)x[row * 8 + head * 4 + f] *
					 w[k * 4 + f];
			sum += exp(0.5 * logit);
			want += exp(0.5 * logit) * v[k * 4 + feature];
		}
		EXPECT(near(out[i], want / sum));
	}
	return true;
}

static bool attention(void)
{
	numbers(shift, 18, 11);
	for (unsigned int way = 0; way < 4; way++) {
		sparse = way & 2;
		shifted = way & 1;
		prepare(24);
		EXPECT(attend());
		EXPECT(mean[0] == mean[7] && mean[8] != mean[7]);
		EXPECT(!shifted || sparse || is_shifted());
		EXPECT(!RUN(aclnnFlashAttentionScoreGrad, F32(x, 3, 1, 8),
			    F32(w, 3, 1, 4), F32(v, 3, 1, 4), F32(up, 3, 1, 8),
			    real_shift(), NULL, NULL, NULL,
			    F32(mean, 1, 2, 3, 8),
			    F32(rstd, 1, 2, 3, 8), NULL, F32(out, 3, 1, 8),
			    NULL, 0.5, 1, 65535, 65535, 2, "SBH", 0, sparse,
			    F32(of_x, 3, 1, 8), F32(of_w, 3, 1, 4),
			    F32(of_v, 3, 1, 4), NULL));
		EXPECT(is_slope(attend, x, 24, of_x));
		EXPECT(is_slope(attend, w, 12, of_w));
		EXPECT(is_slope(attend, v, 12, of_v));
	}
	EXPECT(RUN(aclnnFlashAttentionScore, F32(x, 3, 1, 8), F32(w, 3, 1, 4),
		   F32(v, 3, 1, 4), NULL, NULL, NULL, NULL, NULL, 0.5, 0.9,
		   65535, 65535, 2, "SBH", 0, 0, NULL, NULL, NULL,
		   F32(out, 3, 1, 8)));
	TEXT("dropMaskOptional: is NULL, but keepProb is 0.9");
	return true;
}

/* Bits of [head, row, key], of which some stay. */
static uint8_t drop[3] = { 0xb5, 0x6e, 0x03 };
static float of_shift[18];

static bool attend_dropped(void)
{
	return !RUN(aclnnFlashAttentionScore, F32(x, 3, 1, 8), F32(w, 3, 1, 4),
		    F32(v, 3, 1, 4), real_shift(),
		    tensor(ACL_UINT8, drop, SHAPE(3)), NULL, NULL, NULL, 0.5,
		    0.75, 65535, 65535, 2, "SBH", 0, sparse,
		    F32(mean, 1, 2, 3, 8), F32(rstd, 1, 2, 3, 8), NULL,
		    F32(out, 3, 1, 8));
}

/* All bits set and none lost is the result without dropout, times 1 / 0.75. */
static bool is_undropped(void)
{
	static const uint8_t all[] = { 0xff, 0xff, 0xff };
	float plain[24], max[48], sum[48];

	EXPECT(attend());
	memcpy(plain, out, sizeof(plain));
	memcpy(max, mean, sizeof(max));
	memcpy(sum, rstd, sizeof(sum));
	EXPECT(!RUN(aclnnFlashAttentionScore, F32(x, 3, 1, 8), F32(w, 3, 1, 4),
		    F32(v, 3, 1, 4), real_shift(),
		    tensor(ACL_UINT8, all, SHAPE(3)), NULL, NULL, NULL, 0.5,
		    0.75, 65535, 65535, 2, "SBH", 0, sparse,
		    F32(mean, 1, 2, 3, 8), F32(rstd, 1, 2, 3, 8), NULL,
		    F32(out, 3, 1, 8)));
	for (unsigned int i = 0; i < 48; i++) {
		EXPECT(i >= 24 || near(out[i], plain[i] / 0.75));
		EXPECT(near(mean[i], max[i]) && near(rstd[i], sum[i]));
	}
	return true;
}

static bool dropped_attention(void)
{
	numbers(shift, 18, 12);
	for (unsigned int way = 0; way < 4; way++) {
		sparse = way & 2;
		shifted = way & 1;
		prepare(24);
		EXPECT(is_undropped());
		EXPECT(attend_dropped());
		EXPECT(!RUN(aclnnFlashAttentionScoreGrad, F32(x, 3, 1, 8),
			    F32(w, 3, 1, 4), F32(v, 3, 1, 4), F32(up, 3, 1, 8),
			    real_shift(), tensor(ACL_UINT8, drop, SHAPE(3)),
			    NULL, NULL, F32(mean, 1, 2, 3, 8),
			    F32(rstd, 1, 2, 3, 8), NULL, F32(out, 3, 1, 8),
			    NULL, 0.5, 0.75, 65535, 65535, 2, "SBH", 0, sparse,
			    F32(of_x, 3, 1, 8), F32(of_w, 3, 1, 4),
			    F32(of_v, 3, 1, 4),
			    shifted ? F32(of_shift, 1, 2, 3, 3) : NULL));
		EXPECT(is_slope(attend_dropped, x, 24, of_x));
		EXPECT(is_slope(attend_dropped, w, 12, of_w));
		EXPECT(is_slope(attend_dropped, v, 12, of_v));
		EXPECT(!shifted || is_slope(attend_dropped, shift, 18, of_shift));
	}
	return true;
}

/* Sequences of 1 and 2 rows, and of 2 and 1 keys: [row, head, feature]. */
static bool attend_packed(void)
{
	return !RUN(aclnnFlashAttentionVarLenScore, F32(x, 3, 2, 4),
		    F32(w, 3, 1, 4), F32(v, 3, 1, 4), NULL, NULL, NULL, NULL,
		    NULL, LIST(1, 3), LIST(2, 3), 0.5, 1, 65535, 65535, 2,
		    "TND", 0, 0, F32(mean, 3, 2, 8), F32(rstd, 3, 2, 8), NULL,
		    F32(out, 3, 2, 4));
}

static bool packed(void)
{
	float kept[24], kept_max[48];

	prepare(24);
	EXPECT(attend_packed());
	memcpy(kept, out, sizeof(kept));
	memcpy(kept_max, mean, sizeof(kept_max));
	/* The second sequence alone. */
	EXPECT(!RUN(aclnnFlashAttentionScore, F32(x + 8, 2, 1, 8),
		    F32(w + 8, 1, 1, 4), F32(v + 8, 1, 1, 4), NULL, NULL, NULL,
		    NULL, NULL, 0.5, 1, 65535, 65535, 2, "SBH", 0, 0,
		    F32(mean, 1, 2, 2, 8), F32(rstd, 1, 2, 2, 8), NULL,
		    F32(out, 2, 1, 8)));
	for (unsigned int i = 0; i < 16; i++)
		EXPECT(kept[8 + i] == out[i]);
	/* Heads and rows of statistics have other places. */
	EXPECT(kept_max[(1 * 2 + 1) * 8] == mean[(1 * 2 + 0) * 8]);
	EXPECT(attend_packed());
	EXPECT(!RUN(aclnnFlashAttentionUnpaddingScoreGrad, F32(x, 3, 2, 4),
		    F32(w, 3, 1, 4), F32(v, 3, 1, 4), F32(up, 3, 2, 4), NULL,
		    NULL, NULL, NULL, F32(mean, 3, 2, 8), F32(rstd, 3, 2, 8),
		    NULL, F32(out, 3, 2, 4), NULL, LIST(1, 3), LIST(2, 3), 0.5,
		    1, 65535, 65535, 2, "TND", 0, 0, F32(of_x, 3, 2, 4),
		    F32(of_w, 3, 1, 4), F32(of_v, 3, 1, 4), NULL));
	EXPECT(is_slope(attend_packed, x, 24, of_x));
	EXPECT(is_slope(attend_packed, w, 12, of_w));
	EXPECT(is_slope(attend_packed, v, 12, of_v));
	EXPECT(RUN(aclnnFlashAttentionVarLenScore, F32(x, 3, 2, 4),
		   F32(w, 3, 1, 4), F32(v, 3, 1, 4), NULL, NULL, NULL, NULL,
		   NULL, LIST(1, 4), LIST(2, 3), 0.5, 1, 65535, 65535, 2,
		   "TND", 0, 0, NULL, NULL, NULL, F32(out, 3, 2, 4)));
	TEXT("actualSeqQLenOptional: expected 1 to 3, given 4");
	return true;
}

const struct test attention_gradient_tests[] = {
	{ "gradients of attention", attention },
	{ "gradients of attention of sequences in one tensor", packed },
	{ "gradients of attention with dropout, and of its bias",
	  dropped_attention },
	{ 0 }
};
