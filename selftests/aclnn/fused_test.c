// SPDX-License-Identifier: GPL-2.0-only
/* Sums of products, searches, and operators that stand for two. */
#include "aclnn_test.h"
#include "aclnnop/aclnn_apply_rotary_pos_emb.h"
#include "aclnnop/aclnn_batch_norm_elemt_backward.h"
#include "aclnnop/aclnn_bernoulli.h"
#include "aclnnop/aclnn_bucketize.h"
#include "aclnnop/aclnn_cdist.h"
#include "aclnnop/aclnn_chunk_cat.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_dropout_gen_mask.h"
#include "aclnnop/aclnn_einsum.h"
#include "aclnnop/aclnn_fused_matmul.h"
#include "aclnnop/aclnn_gather_nd.h"
#include "aclnnop/aclnn_grouped_matmul_add.h"
#include "aclnnop/aclnn_grouped_matmul_add_v2.h"
#include "aclnnop/aclnn_quantize.h"
#include "aclnnop/aclnn_searchsorted.h"

static float a[256], c[256], out[256];

/* Lists of the test, which destroy_lists() destroys with their members. */
static aclTensorList *lists[64];
static unsigned int list_count;

static aclTensorList *list(unsigned int count, const aclTensor *const *tensors)
{
	lists[list_count] = aclCreateTensorList(tensors, count);
	return lists[list_count++];
}

static bool destroy_lists(void)
{
	while (list_count)
		aclDestroyTensorList(lists[--list_count]);
	return true;
}

#define TENSORS(...)							\
	list(sizeof((const aclTensor *[]){ __VA_ARGS__ }) /		\
	     sizeof(aclTensor *), (const aclTensor *[]){ __VA_ARGS__ })

/* The sum that an equation stands for, letter by letter: all have size 3. */
static double expected(const char *equation, unsigned int number)
{
	unsigned int size = 3, value['z' + 1] = { 0 }, free = 0, total = 1, i;
	const char *end = strchr(equation, '-'), *at;
	char letters[16] = "";
	double sum = 0;

	for (at = end + strlen(end) - 1; at > end + 1; at--, number /= size)
		value[(int)*at] = number % size;
	for (at = equation; at < end; at++)
		if (*at != ',' && !strchr(end, *at) && !strchr(letters, *at)) {
			letters[free++] = *at;
			total *= size;
		}
	for (i = 0; i < total; i++) {
		unsigned int rest = i, place = 0, k;
		double product = 1;

		for (k = 0; k < free; k++, rest /= size)
			value[(int)letters[k]] = rest % size;
		for (at = equation; at <= end; at++) {
			if (*at != ',' && *at != '-') {
				place = place * size + value[(int)*at];
				continue;
			}
			product *= strchr(equation, ',') &&
				   at > strchr(equation, ',') ? c[place] : a[place];
			place = 0;
		}
		sum += product;
	}
	return sum;
}

static bool sums_of_products(void)
{
	static const char *const equations[] = {
		"ab,bc->ac", "abc,abd->acd", "ab,cb->ca", "a,b->ab", "ab,ab->",
		"abcd,be->aced", "ab,ac->bc", "aab,b->a", "abc,cd->bd",
		"ab->ba", "aab->ab", "abc->c", "ab,ab->ab", "abc,bcd->d",
		"ab,cd->ac",
	};

	numbers(a, 256, 1);
	numbers(c, 256, 2);
	for (unsigned int i = 0; i < ARRAY_SIZE(equations); i++) {
		const char *text = equations[i], *comma = strchr(text, ',');
		const char *arrow = strchr(text, '-');
		int64_t dims[] = { 3, 3, 3, 3 };
		unsigned int first = (comma ? comma : arrow) - text, count = 1;
		unsigned int rank = strlen(arrow) - 2, k;
		const aclTensor *x = tensor(ACL_FLOAT, a, first, dims);
		const aclTensor *y = comma ? tensor(ACL_FLOAT, c,
						    arrow - comma - 1, dims) : NULL;

		EXPECT(!RUN(aclnnEinsum, y ? TENSORS(x, y) : TENSORS(x), text,
			    tensor(ACL_FLOAT, out, rank, dims)));
		for (k = 0; k < rank; k++)
			count *= 3;
		for (k = 0; k < count; k++)
			if (!near(out[k], expected(text, k))) {
				note("%s: element %u", text, k);
				return false;
			}
	}
	return destroy_lists();
}

static bool einsum_types(void)
{
	static int32_t x[] = { 1 << 30, 3, 5, -7 }, y[] = { 1, 2, 3, 4 }, z[4];

	/* Integers wrap around, and are not rounded. */
	EXPECT(!RUN(aclnnEinsum, TENSORS(I32(x, 2, 2), I32(y, 2, 2)),
		    " ab , bc -> ac ", I32(z, 2, 2)));
	EXPECT(z[0] == (1 << 30) + 9 && z[1] == INT32_MIN + 12 && z[3] == -18);
	/* A size of 1 is expanded. */
	EXPECT(!RUN(aclnnEinsum, TENSORS(F32(a, 2, 1), F32(c, 4, 3)), "ab,bc->ac",
		    F32(out, 2, 3)));
	EXPECT(near(out[4], a[1] * ((double)c[1] + c[4] + c[7] + c[10])));
	EXPECT(!RUN(aclnnEinsum, TENSORS(F32(a, 2, 0), F32(c, 0, 3)), "ab,bc->ac",
		    F32(out, 2, 3)));
	EXPECT(out[0] == 0 && out[5] == 0);
	/* Batches that leave no room for matrices. */
	EXPECT(!RUN(aclnnEinsum, TENSORS(F32(a, 1, 2, 1, 1, 2, 1, 1, 3),
					 F32(c, 1, 2, 1, 1, 2, 1, 1, 3)),
		    "abcdefgh,abcdefgh->gfedcba", F32(out, 1, 1, 2, 1, 1, 2, 1)));
	EXPECT(near(out[1], (double)a[6] * c[6] + (double)a[7] * c[7] +
			    (double)a[8] * c[8]));
	EXPECT(RUN(aclnnEinsum, TENSORS(F32(a, 2, 3), F32(c, 2, 3)), "ab,bc->ac",
		   F32(out, 2, 3)));
	EXPECT(RUN(aclnnEinsum, TENSORS(F32(a, 2, 3), F32(c, 3, 3)), "ab,bc->ad",
		   F32(out, 2, 3)));
	EXPECT(RUN(aclnnEinsum, TENSORS(F32(a, 2, 3), F32(c, 3, 3)), "ab,bc",
		   F32(out, 2, 3)));
	EXPECT(RUN(aclnnEinsum, TENSORS(F32(a, 2, 3), F32(c, 3, 3)), "a...,bc->ac",
		   F32(out, 2, 3)));
	EXPECT(RUN(aclnnEinsum, TENSORS(F32(a, 2, 3), F32(c, 3, 3)), "ab,bc->aa",
		   F32(out, 2, 2)));
	EXPECT(RUN(aclnnEinsum, TENSORS(F32(a, 2, 3), F32(c, 3, 3)), "ab,bc->ac",
		   F32(out, 3, 2)));
	EXPECT(RUN(aclnnEinsum, TENSORS(F32(a, 2, 3), F32(c, 3, 3)), "aab,bc->ac",
		   F32(out, 2, 3)));
	return destroy_lists();
}

static bool searches(void)
{
	static float limits[] = { 0, 1, 1, 2 }, values[] = { -1, 1, 3, 0.5f };
	static int64_t order[] = { 3, 1, 0, 2 }, wide[4];
	static float mixed[] = { 1, 1, 2, 0 };
	static int32_t found[4];

	EXPECT(!RUN(aclnnBucketize, F32(values, 2, 2), F32(limits, 4), true,
		    false, I32(found, 2, 2)));
	EXPECT(found[0] == 0 && found[1] == 1 && found[2] == 4 && found[3] == 1);
	EXPECT(!RUN(aclnnSearchSorted, F32(mixed, 4), F32(values, 4), false, true,
		    I64(order, 4), I64(wide, 4)));
	EXPECT(wide[0] == 0 && wide[1] == 3 && wide[2] == 4 && wide[3] == 1);
	EXPECT(!RUN(aclnnSearchSorteds, F32(limits, 4), scalar(1.5f), false, false,
		    NULL, I64(wide, 1)));
	EXPECT(wide[0] == 3);
	EXPECT(RUN(aclnnBucketize, F32(values, 4), F32(limits, 2, 2), false,
		   false, I64(wide, 4)));
	return true;
}

static bool gathers(void)
{
	int64_t index[] = { 1, 0, -1, 2 }, dims[] = { 2, 3, 2 };

	numbers(a, 12, 3);
	EXPECT(!RUN(aclnnGatherNd, tensor(ACL_FLOAT, a, 3, dims),
		    I64(index, 2, 2), true, F32(out, 2, 2)));
	EXPECT(out[0] == a[6] && out[1] == a[7] && out[2] == a[10] &&
	       out[3] == a[11]);
	index[0] = 2;
	EXPECT(RUN(aclnnGatherNd, tensor(ACL_FLOAT, a, 3, dims),
		   I64(index, 2, 2), true, F32(out, 2, 2)));
	EXPECT(RUN(aclnnGatherNd, F32(a, 12), I64(index, 2, 2), true,
		   F32(out, 2)));
	EXPECT(!RUN(aclnnCdist, F32(a, 3, 2), F32(a + 6, 2, 2), 1, 0,
		    F32(out, 3, 2)));
	EXPECT(near(out[1], fabs((double)a[0] - a[8]) +
			    fabs((double)a[1] - a[9])));
	EXPECT(RUN(aclnnCdist, F32(a, 3, 2), F32(a + 6, 2, 3), 1, 0,
		   F32(out, 3, 2)));
	return true;
}

static double product_at(unsigned int i)
{
	double sum = a[40 + i % 4];

	for (unsigned int k = 0; k < 3; k++)
		sum += (double)a[i / 4 * 3 + k] * a[20 + k * 4 + i % 4];
	return sum;
}

static bool products(void)
{
	static const char *const types[] = {
		"", "add", "mul", "gelu_erf", "gelu_tanh", "relu",
	};

	numbers(a, 64, 4);
	numbers(c, 8, 5);
	for (unsigned int t = 0; t < 6; t++) {
		const aclTensor *x3 = t == 1 || t == 2 ? F32(c, 2, 4) : NULL;

		EXPECT(!RUN(aclnnFusedMatmul, F32(a, 2, 3), F32(a + 20, 3, 4),
			    F32(a + 40, 4), x3, types[t], 0, F32(out, 2, 4)));
		for (unsigned int i = 0; i < 8; i++) {
			double x = product_at(i), u;

			u = sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
			x = t == 1 ? x + c[i] : t == 2 ? x * c[i] :
			    t == 3 ? 0.5 * x * erfc(-x / sqrt(2)) :
			    t == 4 ? 0.5 * x * (1 + tanh(u)) :
			    t == 5 ? fmax(x, 0) : x;
			EXPECT(fabs(out[i] - x) < 1e-5);
		}
	}
	EXPECT(RUN(aclnnFusedMatmul, F32(a, 2, 3), F32(a + 20, 3, 4), NULL, NULL,
		   "add", 0, F32(out, 2, 4)));
	EXPECT(RUN(aclnnFusedMatmul, F32(a, 2, 3), F32(a + 20, 3, 4), NULL,
		   F32(c, 2, 4), "relu", 0, F32(out, 2, 4)));
	EXPECT(RUN(aclnnFusedMatmul, F32(a, 2, 3), F32(a + 20, 3, 4), NULL, NULL,
		   "sub", 0, F32(out, 2, 4)));
	return true;
}

static bool grouped_sums(void)
{
	int64_t ends[] = { 2, 2, 5 }, sizes[] = { 2, 0, 3 };
	double want;

	numbers(a, 40, 6);
	for (unsigned int v = 0; v < 2; v++) {
		numbers(out, 18, 7);
		numbers(c, 18, 7);
		if (v)
			EXPECT(!RUN(aclnnGroupedMatmulAddV2, F32(a, 5, 2),
				    F32(a + 20, 5, 3), I64(sizes, 3),
				    F32(out, 3, 2, 3), true, false, 2, 1));
		else
			EXPECT(!RUN(aclnnGroupedMatmulAdd, F32(a, 5, 2),
				    F32(a + 20, 5, 3), I64(ends, 3),
				    F32(out, 6, 3), true, false, 2));
		for (unsigned int i = 0; i < 18; i++) {
			unsigned int group = i / 6, row = i / 3 % 2;
			unsigned int from = group ? 2 : 0;
			unsigned int to = group == 2 ? 5 : 2;

			want = c[i];
			for (unsigned int k = from; k < to; k++)
				want += (double)a[k * 2 + row] *
					a[20 + k * 3 + i % 3];
			EXPECT(fabs(out[i] - want) < 1e-5);
		}
	}
	EXPECT(RUN(aclnnGroupedMatmulAdd, F32(a, 5, 2), F32(a + 20, 5, 3),
		   I64(ends, 3), F32(out, 6, 3), false, false, 2));
	EXPECT(RUN(aclnnGroupedMatmulAdd, F32(a, 5, 2), F32(a + 20, 5, 3),
		   I64(ends, 3), F32(out, 4, 3), true, false, 2));
	return true;
}

static bool rotations(void)
{
	numbers(a, 48, 8);
	numbers(c, 16, 9);
	memcpy(out, a, sizeof(a));
	EXPECT(!RUN(aclnnApplyRotaryPosEmb, F32(out, 1, 2, 4, 4),
		    F32(out + 32, 1, 2, 2, 4), F32(c, 1, 2, 1, 4),
		    F32(c + 8, 1, 2, 1, 4), 1));
	for (unsigned int i = 0; i < 48; i++) {
		unsigned int d = i % 4, row = i < 32 ? i / 16 : (i - 32) / 8;
		double other = d < 2 ? -a[i + 2] : a[i - 2];

		EXPECT(near(out[i], (double)a[i] * c[row * 4 + d] +
			    other * c[8 + row * 4 + d]));
	}
	EXPECT(RUN(aclnnApplyRotaryPosEmb, F32(out, 1, 2, 4, 4),
		   F32(out + 32, 1, 2, 2, 4), F32(c, 1, 2, 1, 4),
		   F32(c + 8, 1, 2, 1, 4), 2));
	return true;
}

static bool filters(void)
{
	numbers(a, 40, 10);
	EXPECT(!RUN(aclnnConvDepthwise2d, F32(a, 1, 2, 3, 3), F32(a + 20, 2, 1, 2, 2),
		    LIST(2, 2), F32(a + 30, 2), LIST(1), LIST(0), LIST(1),
		    F32(out, 1, 2, 2, 2), 0));
	for (unsigned int i = 0; i < 8; i++) {
		const float *x = a + i / 4 * 9 + i / 2 % 2 * 3 + i % 2;
		const float *w = a + 20 + i / 4 * 4;

		EXPECT(near(out[i], (double)x[0] * w[0] + (double)x[1] * w[1] +
			    (double)x[3] * w[2] + (double)x[4] * w[3] +
			    a[30 + i / 4]));
	}
	EXPECT(RUN(aclnnConvDepthwise2d, F32(a, 1, 2, 3, 3), F32(a, 2, 2, 2, 2),
		   LIST(2, 2), NULL, LIST(1), LIST(0), LIST(1),
		   F32(out, 1, 2, 2, 2), 0));
	EXPECT(RUN(aclnnConvDepthwise2d, F32(a, 1, 2, 3, 3), F32(a, 2, 1, 2, 2),
		   LIST(2, 3), NULL, LIST(1), LIST(0), LIST(1),
		   F32(out, 1, 2, 2, 2), 0));
	return true;
}

static bool statistics(void)
{
	float mean[] = { 0.5f, -1 }, invstd[] = { 2, 0.25f }, weight[] = { 3, -2 };
	float sum[] = { 1.5f, -2 }, apart[] = { 0.75f, 4 };
	int32_t counts[] = { 4, 8 };

	numbers(a, 12, 11);
	numbers(c, 12, 12);
	EXPECT(!RUN(aclnnBatchNormElemtBackward, F32(c, 2, 2, 3), F32(a, 2, 2, 3),
		    F32(mean, 2), F32(invstd, 2), F32(weight, 2), F32(sum, 2),
		    F32(apart, 2), I32(counts, 2), F32(out, 2, 2, 3)));
	for (unsigned int i = 0; i < 12; i++) {
		unsigned int k = i / 3 % 2;
		double inv = invstd[k];

		EXPECT(fabs(out[i] - (c[i] - sum[k] / 12 - (a[i] - mean[k]) *
				      inv * inv * apart[k] / 12) * inv *
				     weight[k]) < 1e-5);
	}
	EXPECT(RUN(aclnnBatchNormElemtBackward, F32(c, 2, 2, 3), F32(a, 2, 2, 3),
		   F32(mean, 1), F32(invstd, 2), NULL, F32(sum, 2),
		   F32(apart, 2), I32(counts, 2), F32(out, 2, 2, 3)));
	return true;
}

static bool integers(void)
{
	float x[] = { 1, -3, 2.5f, 300, -300, 0.5f }, scales[] = { 0.5f, 2, 1 };
	int32_t zero[] = { 1, 0, -1 };
	static int8_t small[6];
	static uint8_t bits[2];
	float p[] = { 0, 1, 0, 1 };

	EXPECT(!RUN(aclnnQuantize, F32(x, 2, 3), F32(scales, 3), I32(zero, 3),
		    ACL_INT8, 1, tensor(ACL_INT8, small, SHAPE(2, 3))));
	EXPECT(small[0] == 3 && small[1] == -2 && small[2] == 2 &&
	       small[3] == 127 && small[4] == -128 && small[5] == 0);
	EXPECT(!RUN(aclnnQuantize, F32(x, 2, 3), F32(scales, 1), NULL, ACL_INT8,
		    0, tensor(ACL_INT8, small, SHAPE(2, 3))));
	EXPECT(small[0] == 2 && small[2] == 5 && small[5] == 1);
	EXPECT(RUN(aclnnQuantize, F32(x, 2, 3), F32(scales, 3), NULL, ACL_INT8, 0,
		   tensor(ACL_INT8, small, SHAPE(2, 3))));
	EXPECT(RUN(aclnnQuantize, F32(x, 2, 3), F32(scales, 1), NULL, ACL_UINT8,
		   0, tensor(ACL_INT8, small, SHAPE(2, 3))));
	EXPECT(!RUN(aclnnBernoulliTensor, F32(out, 4), F32(p, 4), 1, 0,
		    F32(out, 4)));
	EXPECT(!memcmp(out, p, sizeof(p)));
	EXPECT(!RUN(aclnnBernoulli, F32(a, 2, 2), scalar(1), 1, 0, F32(out, 2, 2)));
	EXPECT(out[0] == 1 && out[3] == 1);
	EXPECT(RUN(aclnnBernoulli, F32(a, 4), scalar(1), 1, 0, F32(out, 2, 2)));
	EXPECT(!RUN(aclnnDropoutGenMaskV2, LIST(16), 1, 1, 0, ACL_FLOAT16,
		    tensor(ACL_UINT8, bits, SHAPE(2))));
	EXPECT(!bits[0] && !bits[1]);
	return true;
}

static bool chunks(void)
{
	numbers(a, 10, 13);
	numbers(c, 4, 14);
	/* 5 rows of 2 in 3 chunks of 2 rows, and 2 of 1 in chunks of 1. */
	EXPECT(!RUN(aclnnChunkCat, TENSORS(F32(a, 5, 2), F32(c, 2)), 0, 3,
		    F32(out, 3, 5)));
	for (unsigned int i = 0; i < 15; i++) {
		unsigned int row = i / 5, at = i % 5;
		float want = at < 4 ? row * 4 + at < 10 ? a[row * 4 + at] : 0 :
				      row < 2 ? c[row] : 0;

		EXPECT(out[i] == want);
	}
	EXPECT(RUN(aclnnChunkCat, TENSORS(F32(a, 5, 2), F32(c, 2)), 0, 3,
		   F32(out, 3, 6)));
	EXPECT(RUN(aclnnChunkCat, TENSORS(F32(a, 5, 2), F32(c, 2)), 0, 3,
		   F32(out, 3, 4)));
	EXPECT(RUN(aclnnChunkCat, TENSORS(F32(a, 5, 2)), 0, 0, F32(out, 3, 4)));
	return destroy_lists();
}

const struct test fused_tests[] = {
	{ "einsum", sums_of_products },
	{ "einsum_types", einsum_types },
	{ "searches", searches },
	{ "gathers", gathers },
	{ "fused_products", products },
	{ "grouped_sums", grouped_sums },
	{ "rotations", rotations },
	{ "filters", filters },
	{ "channel_sums", statistics },
	{ "quantised_axis", integers },
	{ "chunks", chunks },
	{ }
};
