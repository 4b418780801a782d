// SPDX-License-Identifier: GPL-2.0-only
/* Mixtures of experts, and quantisation. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_ascend_anti_quant.h"
#include "aclnnop/aclnn_ascend_quant.h"
#include "aclnnop/aclnn_ascend_quant_v3.h"
#include "aclnnop/aclnn_dynamic_quant.h"
#include "aclnnop/aclnn_moe_finalize_routing.h"
#include "aclnnop/aclnn_moe_gating_top_k_softmax.h"
#include "aclnnop/aclnn_moe_init_routing.h"
#include "aclnnop/aclnn_moe_token_permute.h"
#include "aclnnop/aclnn_moe_token_unpermute.h"
#include "aclnnop/aclnn_quant_matmul_v3.h"
#include "aclnnop/aclnn_quant_matmul_v4.h"

enum { ROWS = 4, EXPERTS = 6, CHOICES = 2, WIDTH = 3, COUNT = ROWS * CHOICES };

static float x[32], out[64], more[64], bias[EXPERTS * WIDTH];
static int32_t expert[COUNT], row[COUNT], place[COUNT], sorted[COUNT];

static bool gating(void)
{
	bool finished[] = { false, true, false, false };
	float p[COUNT];

	numbers(x, 24, 1);
	EXPECT(!RUN(aclnnMoeGatingTopKSoftmax, F32(x, ROWS, EXPERTS),
		    tensor(ACL_BOOL, finished, SHAPE(ROWS)), CHOICES,
		    F32(p, ROWS, CHOICES), I32(expert, ROWS, CHOICES),
		    I32(row, ROWS, CHOICES)));
	for (unsigned int i = 0; i < ROWS; i++) {
		const float *line = x + i * EXPERTS;
		unsigned int best = 0;
		double sum = 0;

		for (unsigned int k = 0; k < EXPERTS; k++) {
			best = line[k] > line[best] ? k : best;
			sum += exp(line[k]);
		}
		EXPECT(expert[i * 2] == (finished[i] ? EXPERTS : (int)best));
		EXPECT(near(p[i * 2], exp(line[best]) / sum));
		EXPECT(p[i * 2] >= p[i * 2 + 1]);
		EXPECT(row[i * 2] == (int)i && row[i * 2 + 1] == ROWS + (int)i);
	}
	EXPECT(RUN(aclnnMoeGatingTopKSoftmax, F32(x, ROWS, EXPERTS), NULL, 7,
		   F32(p, ROWS, CHOICES), I32(expert, ROWS, CHOICES),
		   I32(row, ROWS, CHOICES)));
	TEXT("k: expected 1 to 6, given 7");
	return true;
}

/* Rows go to experts, and come back. */
static bool routing(void)
{
	static const int32_t chosen[] = { 5, 0, 1, 5, 0, 2, 1, 1 };
	float scales[COUNT], expanded[COUNT * WIDTH];

	numbers(x, ROWS * WIDTH, 2);
	numbers(scales, COUNT, 3);
	numbers(bias, EXPERTS * WIDTH, 4);
	for (unsigned int i = 0; i < COUNT; i++)
		row[i] = i % CHOICES * ROWS + i / CHOICES;
	EXPECT(!RUN(aclnnMoeInitRouting, F32(x, ROWS, WIDTH),
		    I32(row, ROWS, CHOICES), I32(chosen, ROWS, CHOICES), ROWS,
		    F32(expanded, COUNT, WIDTH), I32(place, COUNT),
		    I32(sorted, COUNT)));
	for (unsigned int i = 0; i < COUNT; i++) {
		unsigned int at = place[row[i]];

		EXPECT(at < COUNT && sorted[at] == chosen[i]);
		EXPECT(!i || sorted[i - 1] <= sorted[i]);
		for (unsigned int k = 0; k < WIDTH; k++)
			EXPECT(expanded[at * WIDTH + k] ==
			       x[i / CHOICES * WIDTH + k]);
	}
	EXPECT(!RUN(aclnnMoeFinalizeRouting, F32(expanded, COUNT, WIDTH),
		    F32(x, ROWS, WIDTH), NULL, F32(bias, EXPERTS, WIDTH),
		    F32(scales, ROWS, CHOICES), I32(place, COUNT),
		    I32(chosen, ROWS, CHOICES), F32(out, ROWS, WIDTH)));
	for (unsigned int i = 0; i < ROWS * WIDTH; i++) {
		double want = x[i];

		for (unsigned int k = 0; k < CHOICES; k++) {
			unsigned int n = i / WIDTH * CHOICES + k;

			want += scales[n] * ((double)x[i] +
				bias[chosen[n] * WIDTH + i % WIDTH]);
		}
		EXPECT(near(out[i], want));
	}
	return true;
}

static bool permutation(void)
{
	static const int64_t chosen[] = { 5, 0, 1, 5, 0, 2, 1, 1 };
	float probs[COUNT];

	numbers(x, ROWS * WIDTH, 5);
	numbers(probs, COUNT, 6);
	EXPECT(!RUN(aclnnMoeTokenPermute, F32(x, ROWS, WIDTH),
		    I64(chosen, ROWS, CHOICES), 0, false,
		    F32(more, COUNT, WIDTH), I32(sorted, COUNT)));
	for (unsigned int i = 0; i < COUNT; i++)
		for (unsigned int k = 0; k < WIDTH; k++)
			EXPECT(more[sorted[i] * WIDTH + k] ==
			       x[i / CHOICES * WIDTH + k]);
	EXPECT(!RUN(aclnnMoeTokenUnpermute, F32(more, COUNT, WIDTH),
		    I32(sorted, COUNT), F32(probs, ROWS, CHOICES), false, NULL,
		    F32(out, ROWS, WIDTH)));
	for (unsigned int i = 0; i < ROWS * WIDTH; i++) {
		const float *p = probs + i / WIDTH * CHOICES;

		EXPECT(near(out[i], ((double)p[0] + p[1]) * x[i]));
	}
	EXPECT(!RUN(aclnnMoeTokenPermute, F32(x, ROWS, WIDTH),
		    I64(chosen, ROWS, CHOICES), 3, false, F32(more, 3, WIDTH),
		    I32(sorted, COUNT)));
	EXPECT(more[0] == x[0] && more[3] == x[6]);
	return true;
}

static bool quantised(void)
{
	float scale[] = { 10, 20, 30 }, offset[] = { 1, 0, -1 }, peak[4];
	int8_t to[12];

	numbers(x, 12, 7);
	x[0] = 100;
	EXPECT(!RUN(aclnnAscendQuant, F32(x, 4, 3), F32(scale, 3),
		    F32(offset, 3), false, "round", ACL_INT8,
		    tensor(ACL_INT8, to, SHAPE(4, 3))));
	EXPECT(to[0] == 127);
	for (unsigned int i = 1; i < 12; i++)
		EXPECT(to[i] == (int)rintf(x[i] * scale[i % 3] +
					   offset[i % 3]));
	EXPECT(!RUN(aclnnAscendAntiQuant, tensor(ACL_INT8, to, SHAPE(4, 3)),
		    F32(scale, 3), F32(offset, 3), ACL_FLOAT, false,
		    F32(out, 4, 3)));
	EXPECT(out[5] == (to[5] - 1) * 30.0f);
	EXPECT(RUN(aclnnAscendQuant, F32(x, 4, 3), F32(scale, 3), NULL, false,
		   "up", ACL_INT8, tensor(ACL_INT8, to, SHAPE(4, 3))));
	TEXT("expected round, floor, ceil or trunc, given up");
	EXPECT(!RUN(aclnnDynamicQuant, F32(x, 4, 3), NULL,
		    tensor(ACL_INT8, to, SHAPE(4, 3)), F32(peak, 4)));
	EXPECT(to[0] == 127 && near(peak[0], 100 / 127.0));
	for (unsigned int i = 3; i < 12; i++)
		EXPECT(fabs(to[i] * peak[i / 3] - x[i]) <= peak[i / 3] * 0.51);
	return true;
}

/* A scale for each row, or for each column, counted from either end. */
static bool quantised_rows(void)
{
	float scale[] = { 10, 20, 30, 40 }, offset[] = { 1, 0, -1, 2 };
	static const int axes[] = { 1, -2, 2, -1 };
	int8_t to[24];

	numbers(x, 24, 8);
	for (unsigned int way = 0; way < 4; way++) {
		unsigned int size = way < 2 ? 3 : 4, step = way < 2 ? 4 : 1;

		EXPECT(!RUN(aclnnAscendQuantV3, F32(x, 2, 3, 4),
			    F32(scale, size), F32(offset, size), false, "round",
			    ACL_INT8, axes[way],
			    tensor(ACL_INT8, to, SHAPE(2, 3, 4))));
		for (unsigned int i = 0; i < 24; i++)
			EXPECT(to[i] == (int)rintf(x[i] * scale[i / step % size] +
						   offset[i / step % size]));
	}
	EXPECT(!RUN(aclnnAscendQuantV3, F32(x, 2, 3, 4), F32(scale, 1), NULL,
		    true, "floor", ACL_INT8, 1,
		    tensor(ACL_INT8, to, SHAPE(2, 3, 4))));
	for (unsigned int i = 0; i < 24; i++)
		EXPECT(to[i] == fmaxf(fminf(floorf(x[i] * 100), 127), -128));
	EXPECT(RUN(aclnnAscendQuantV3, F32(x, 2, 3, 4), F32(scale, 3), NULL,
		   false, "round", ACL_INT8, 0,
		   tensor(ACL_INT8, to, SHAPE(2, 3, 4))));
	TEXT("axis: expected one of the last 2 of 3 dimensions, given 0");
	EXPECT(RUN(aclnnAscendQuantV3, F32(x, 2, 3, 4), F32(scale, 4), NULL,
		   false, "round", ACL_INT8, 1,
		   tensor(ACL_INT8, to, SHAPE(2, 3, 4))));
	EXPECT(RUN(aclnnAscendQuantV3, F32(x, 3), F32(scale, 1), NULL, false,
		   "round", ACL_INT8, -2, tensor(ACL_INT8, to, SHAPE(3))));
	return true;
}

static bool products(void)
{
	int8_t left[4 * 8], right[8 * 3];
	float scale[] = { 0.5f, 0.25f, 2 }, per_row[] = { 1, 2, 3, 4 };
	int32_t add[] = { 1000, -7, 3 };
	int64_t packed[3] = { 0 };

	for (unsigned int i = 0; i < 32; i++)
		left[i] = i * 37;
	for (unsigned int i = 0; i < 24; i++)
		right[i] = i * 91;
	for (unsigned int i = 0; i < 3; i++)
		memcpy(&packed[i], &scale[i], sizeof(scale[i]));
	EXPECT(!RUN(aclnnQuantMatmulV3, tensor(ACL_INT8, left, SHAPE(4, 8)),
		    tensor(ACL_INT8, right, SHAPE(3, 8)), I64(packed, 3), NULL,
		    I32(add, 3), false, true, F32(out, 4, 3)));
	EXPECT(!RUN(aclnnQuantMatmulV4, tensor(ACL_INT8, left, SHAPE(4, 8)),
		    tensor(ACL_INT8, right, SHAPE(3, 8)), F32(scale, 3), NULL,
		    F32(per_row, 4), I32(add, 3), false, true,
		    F32(more, 4, 3)));
	for (unsigned int i = 0; i < 12; i++) {
		int sum = add[i % 3];

		for (unsigned int k = 0; k < 8; k++)
			sum += left[i / 3 * 8 + k] * right[i % 3 * 8 + k];
		EXPECT(out[i] == sum * scale[i % 3]);
		EXPECT(more[i] == sum * scale[i % 3] * per_row[i / 3]);
	}
	return true;
}

const struct test expert_tests[] = {
	{ "experts are chosen", gating },
	{ "rows go to experts and come back", routing },
	{ "tokens are sorted by expert", permutation },
	{ "numbers are quantised", quantised },
	{ "integers with scales of rows", quantised_rows },
	{ "products of quantised matrices", products },
	{ 0 }
};
