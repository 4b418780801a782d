// SPDX-License-Identifier: GPL-2.0-only
/* Operators of several steps that few programs use, by type and layout. */
#include "aclnnop/aclnn_addmv.h"
#include "aclnnop/aclnn_affine_grid.h"
#include "aclnnop/aclnn_aminmax_all.h"
#include "aclnnop/aclnn_aminmax_dim.h"
#include "aclnnop/aclnn_channel_shuffle.h"
#include "aclnnop/aclnn_embedding_renorm.h"
#include "aclnnop/aclnn_rrelu_with_noise.h"
#include "aclnnop/aclnn_var.h"
#include "typed.h"

enum { ROWS = 3, WIDTH = 6 };

static float a[64], c[64], out[64];

/* Rows that are named, also twice and from the end, are limited. */
static bool check_table(aclDataType dtype, enum layout layout)
{
	struct typed table = TYPED(dtype, layout % OUT_LAYOUTS, 4, 3);
	struct typed which = TYPED(ACL_INT64, layout % OUT_LAYOUTS, 2, 2);
	static const int64_t index[] = { 2, 0, 2, -1 };
	double was[12];

	fill(&table, 5);
	for (unsigned int i = 0; i < 12; i++)
		was[i] = get(&table, i);
	for (unsigned int i = 0; i < 4; i++)
		set(&which, i, index[i]);
	EXPECT(!RUN(aclnnEmbeddingRenorm, table.tensor, which.tensor, 0.75, 2));
	for (unsigned int i = 0; i < 12; i++) {
		const double *row = &was[i / 3 * 3];
		double norm = sqrt(row[0] * row[0] + row[1] * row[1] +
				   row[2] * row[2]);

		EXPECT(is(&table, i, i / 3 != 1 && norm > 0.75 ?
			  was[i] * 0.75 / norm : was[i]));
	}
	return true;
}

static bool tables(void)
{
	int64_t index[] = { 0, 4 };

	EXPECT(each_layout(float_types, ARRAY_SIZE(float_types), OUT_LAYOUTS,
			   check_table));
	EXPECT(RUN(aclnnEmbeddingRenorm, F32(a, 4, 2), I64(index, 2), 1, 2));
	EXPECT(!RUN(aclnnEmbeddingRenorm, F32(a, 4, 2), I64(index, 0), 1, 2));
	EXPECT(RUN(aclnnEmbeddingRenorm, F32(a, 8), I64(index, 1), 1, 2));
	TEXT("selfRef: expected 2 dimensions, given 1");
	EXPECT(RUN(aclnnEmbeddingRenorm, F32(a, 4, 2), I64(index, 1), -1, 2));
	TEXT("maxNorm: expected 0 or more, given -1");
	EXPECT(RUN(aclnnEmbeddingRenorm, F32(a, 4, 2), I64(index, 1), 1, 0));
	TEXT("normType: expected more than 0, given 0");
	EXPECT(RUN(aclnnEmbeddingRenorm, F32(a, 4, 2), F32(c, 1), 1, 2));
	return true;
}

static bool check_slopes(aclDataType dtype, enum layout layout)
{
	struct typed x = TYPED(dtype, layout, 4, 8);
	struct typed noise = TYPED(dtype, layout % OUT_LAYOUTS, 4, 8);
	struct typed y = TYPED(dtype, layout % OUT_LAYOUTS, 4, 8);
	double first = NAN;
	bool differs = false;

	fill(&x, 6);
	EXPECT(!RUN(aclnnRReluWithNoise, x.tensor, noise.tensor, scalar(0.125),
		    scalar(0.375), true, 7, 0, y.tensor));
	for (unsigned int i = 0; i < 32; i++) {
		double slope = get(&noise, i);

		EXPECT(is(&y, i, get(&x, i) * slope));
		if (get(&x, i) > 0) {
			EXPECT(slope == 1);
			continue;
		}
		EXPECT(slope >= 0.125 && slope <= 0.375);
		differs |= first == first && slope != first;
		first = slope;
	}
	EXPECT(differs);
	EXPECT(!RUN(aclnnRReluWithNoise, x.tensor, noise.tensor, scalar(0.125),
		    scalar(0.375), false, 7, 0, y.tensor));
	for (unsigned int i = 0; i < 32; i++)
		EXPECT(is(&y, i, get(&x, i) * (get(&x, i) > 0 ? 1 : 0.25)));
	return true;
}

static bool slopes(void)
{
	EXPECT(each_layout(float_types, 3, LAYOUTS, check_slopes));
	EXPECT(RUN(aclnnRReluWithNoise, F32(a, 4), F32(c, 4), scalar(1),
		   scalar(0), true, 0, 0, F32(out, 4)));
	TEXT("upper: expected at least lower, 1, given 0");
	EXPECT(RUN(aclnnRReluWithNoise, F32(a, 4), F32(c, 3), scalar(0),
		   scalar(1), true, 0, 0, F32(out, 4)));
	TEXT("noise: expected 4 in dimension 0, given 3");
	EXPECT(RUN(aclnnRReluWithNoise, F32(a, 4), F32(c, 4), scalar(0),
		   scalar(1), true, 0, 0, F32(out, 3)));
	EXPECT(RUN(aclnnRReluWithNoise, I32(a, 4), I32(c, 4), scalar(0),
		   scalar(1), true, 0, 0, I32(out, 4)));
	return true;
}

static bool check_shuffle(aclDataType dtype, enum layout layout)
{
	struct typed x = TYPED(dtype, layout, 2, 6, 2);
	struct typed y = TYPED(dtype, layout % OUT_LAYOUTS, 2, 6, 2);

	fill(&x, 7);
	EXPECT(!RUN(aclnnChannelShuffle, x.tensor, 3, y.tensor));
	for (unsigned int i = 0; i < 24; i++) {
		unsigned int to = i / 2 % 6, from = to % 3 * 2 + to / 3;

		EXPECT(is(&y, i, get(&x, i / 12 * 12 + from * 2 + i % 2)));
	}
	return true;
}

static bool shuffles(void)
{
	EXPECT(each_layout(plain_types, ARRAY_SIZE(plain_types), LAYOUTS,
			   check_shuffle));
	EXPECT(!RUN(aclnnChannelShuffle, F32(a, 0, 6, 2), 3, F32(out, 0, 6, 2)));
	EXPECT(!RUN(aclnnChannelShuffle, F32(a, 1, 0, 2), 3, F32(out, 1, 0, 2)));
	EXPECT(RUN(aclnnChannelShuffle, F32(a, 1, 6), 4, F32(out, 1, 6)));
	TEXT("groups: expected a divisor of 6 channels, given 4");
	EXPECT(RUN(aclnnChannelShuffle, F32(a, 1, 6), 0, F32(out, 1, 6)));
	EXPECT(RUN(aclnnChannelShuffle, F32(a, 6), 2, F32(out, 6)));
	TEXT("self: expected 2 to 7 dimensions, given 1");
	EXPECT(RUN(aclnnChannelShuffle, F32(a, 1, 6), 2, F32(out, 6, 1)));
	return true;
}

/* The coordinate of element @i of @n. */
static double coordinate(unsigned int i, unsigned int n, bool corners)
{
	return n < 2 ? 0 : (2.0 * i / (n - 1) - 1) * (corners ? 1 :
						      (n - 1.0) / n);
}

/* Grids of 2 batches: 3 x 4 pixels, or 2 x 1 x 3. */
static bool check_grid(aclDataType dtype, enum layout layout, bool corners,
		       bool is_volume)
{
	const int64_t sizes[2][5] = { { 2, 1, 3, 4 }, { 2, 1, 2, 1, 3 } };
	unsigned int space = 2 + is_volume, pixels = is_volume ? 6 : 12;
	const int64_t grid[2][5] = { { 2, 3, 4, 2 }, { 2, 2, 1, 3, 3 } };
	struct typed theta = TYPED(dtype, layout, 2, space, space + 1);
	struct typed y = make_typed(dtype, layout % OUT_LAYOUTS, space + 2,
				    grid[is_volume]);

	fill(&theta, 8);
	EXPECT(!RUN(aclnnAffineGrid, theta.tensor,
		    ints(space + 2, sizes[is_volume]), corners, y.tensor));
	for (unsigned int i = 0; i < y.count; i++) {
		unsigned int row = i / space / pixels * space + i % space;
		unsigned int place = i / space % pixels;
		double want = get(&theta, row * (space + 1) + space);

		for (unsigned int k = 0; k < space; k++) {
			unsigned int n = sizes[is_volume][1 + space - k];

			want += get(&theta, row * (space + 1) + k) *
				coordinate(place % n, n, corners);
			place /= n;
		}
		EXPECT(is(&y, i, want));
	}
	return true;
}

static bool grids(void)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(float_types); t++)
		for (unsigned int way = 0; way < 4 * LAYOUTS; way++) {
			forget_typed();
			EXPECT(check_grid(float_types[t], way / 4, way & 1,
					  way & 2));
		}
	forget_typed();
	EXPECT(RUN(aclnnAffineGrid, F32(a, 1, 2, 3), LIST(1, 1, 2), true,
		   F32(out, 1, 2, 2)));
	TEXT("size: expected 4 or 5 values, given 3");
	EXPECT(RUN(aclnnAffineGrid, F32(a, 1, 2, 3), LIST(1, 1, 0, 2), true,
		   F32(out, 1, 0, 2, 2)));
	TEXT("size: expected 1 or more, given 0");
	EXPECT(RUN(aclnnAffineGrid, F32(a, 1, 2, 2), LIST(1, 1, 2, 2), true,
		   F32(out, 1, 2, 2, 2)));
	TEXT("theta: expected 3 in dimension 2, given 2");
	EXPECT(RUN(aclnnAffineGrid, F32(a, 1, 2, 3), LIST(1, 1, 2, 2), true,
		   F32(out, 1, 2, 2)));
	TEXT("out: expected 4 dimensions, given 3");
	EXPECT(RUN(aclnnAffineGrid, F32(a, 1, 2, 3),
		   LIST(1, 1, INT32_MAX, INT32_MAX), true, F32(out, 1, 2, 2, 2)));
	return true;
}

static bool check_reductions(aclDataType dtype, enum layout layout)
{
	struct typed x = TYPED(dtype, layout, ROWS, WIDTH);
	struct typed low = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, 1);
	struct typed high = TYPED(dtype, layout % OUT_LAYOUTS, ROWS, 1);
	struct typed least = make_typed(dtype, CONTIGUOUS, 0, NULL);
	struct typed most = make_typed(dtype, CONTIGUOUS, 0, NULL);
	double all[] = { INFINITY, -INFINITY };

	fill(&x, 9);
	EXPECT(!RUN(aclnnAminmaxDim, x.tensor, -1, true, low.tensor,
		    high.tensor));
	EXPECT(!RUN(aclnnAminmaxAll, x.tensor, least.tensor, most.tensor));
	for (unsigned int row = 0; row < ROWS; row++) {
		double own[] = { INFINITY, -INFINITY };

		for (unsigned int i = 0; i < WIDTH; i++) {
			own[0] = fmin(own[0], get(&x, row * WIDTH + i));
			own[1] = fmax(own[1], get(&x, row * WIDTH + i));
		}
		EXPECT(is(&low, row, own[0]) && is(&high, row, own[1]));
		all[0] = fmin(all[0], own[0]);
		all[1] = fmax(all[1], own[1]);
	}
	EXPECT(is(&least, 0, all[0]) && is(&most, 0, all[1]));
	return true;
}

static bool reductions(void)
{
	double mean = 0, squares = 0;

	EXPECT(each_layout(plain_types, ARRAY_SIZE(plain_types), LAYOUTS,
			   check_reductions));
	EXPECT(RUN(aclnnAminmaxDim, F32(a, 2, 3), 2, true, F32(out, 2, 1),
		   F32(out, 2, 1)));
	numbers(a, 24, 10);
	for (unsigned int i = 0; i < 24; i++)
		mean += a[i] / 24.0;
	for (unsigned int i = 0; i < 24; i++)
		squares += (a[i] - mean) * (a[i] - mean);
	EXPECT(!RUN(aclnnVarCorrection, F32(a, 4, 6), NULL, 3, false,
		    F32(out, 1)));
	EXPECT(near(out[0], squares / 21));
	EXPECT(!RUN(aclnnVarCorrection, F32(a, 4, 6), LIST(0, 1), 0, true,
		    F32(out, 1, 1)));
	EXPECT(near(out[0], squares / 24));
	return true;
}

static bool check_product(aclDataType dtype, enum layout layout)
{
	struct typed mat = TYPED(dtype, layout, ROWS, WIDTH);
	struct typed vec = TYPED(dtype, layout, WIDTH);
	struct typed self = TYPED(dtype, layout, ROWS);
	struct typed y = TYPED(dtype, layout % OUT_LAYOUTS, ROWS);

	fill(&mat, 11);
	fill(&vec, 12);
	fill(&self, 13);
	EXPECT(!RUN(aclnnAddmv, self.tensor, mat.tensor, vec.tensor, scalar(0.5),
		    scalar(2), y.tensor, 1));
	for (unsigned int row = 0; row < ROWS; row++) {
		double want = 2 * get(&self, row);

		for (unsigned int i = 0; i < WIDTH; i++)
			want += 0.5 * get(&mat, row * WIDTH + i) * get(&vec, i);
		EXPECT(is(&y, row, want));
	}
	return true;
}

static bool products(void)
{
	EXPECT(each_layout(float_types, ARRAY_SIZE(float_types), LAYOUTS,
			   check_product));
	EXPECT(RUN(aclnnAddmv, F32(a, 3), F32(a, 3), F32(a, 3), scalar(1),
		   scalar(1), F32(out, 3), 1));
	TEXT("mat: expected 2 dimensions, given 1");
	EXPECT(RUN(aclnnAddmv, F32(a, 3), F32(a, 3, 2), F32(a, 2, 1), scalar(1),
		   scalar(1), F32(out, 3), 1));
	TEXT("vec: expected 1 dimension, given 2");
	EXPECT(RUN(aclnnAddmv, F32(a, 2), F32(a, 3, 2), F32(a, 2), scalar(1),
		   scalar(1), F32(out, 3), 1));
	EXPECT(RUN(aclnnAddmv, F32(a, 3), F32(a, 3, 2), F32(a, 3), scalar(1),
		   scalar(1), F32(out, 3), 1));
	return true;
}

const struct test various_tests[] = {
	{ "limits of norms of rows of tables", tables },
	{ "random slopes, by type and layout", slopes },
	{ "shuffles of channels, by type and layout", shuffles },
	{ "affine grids, by type and layout", grids },
	{ "extremes and variances, by type and layout", reductions },
	{ "products with a vector and sums, by type and layout", products },
	{ 0 }
};
