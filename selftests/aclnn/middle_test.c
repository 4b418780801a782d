// SPDX-License-Identifier: GPL-2.0-only
/* Medians, comparisons with a tolerance, and limits of norms, by type and layout. */
#include "aclnnop/aclnn_isclose.h"
#include "aclnnop/aclnn_left_shift.h"
#include "aclnnop/aclnn_median.h"
#include "aclnnop/aclnn_renorm.h"
#include "aclnnop/aclnn_upsample_nearest_1d_v2.h"
#include "aclnnop/aclnn_upsample_nearest_2d_v2.h"
#include "aclnnop/aclnn_x_log_y_scalar_self.h"
#include "typed.h"

static float a[24], out[64];
static int64_t places[24];
static bool flags[24];

#define BOOL(data, ...)	tensor(ACL_BOOL, data, SHAPE(__VA_ARGS__))

static int compare(const void *x, const void *y)
{
	double d = *(const double *)x - *(const double *)y;

	return (d > 0) - (d < 0);
}

/* The median of numbers, which are sorted. */
static double middle(double *x, unsigned int count)
{
	qsort(x, count, sizeof(*x), compare);
	return x[(count - 1) / 2];
}

/* Of rows with 5 elements, and columns with 4. */
static bool check_medians(aclDataType dtype, enum layout layout, bool keep)
{
	struct typed x = TYPED(dtype, layout, 4, 5);
	struct typed rows = keep ? TYPED(dtype, layout % OUT_LAYOUTS, 4, 1) :
				   TYPED(dtype, layout % OUT_LAYOUTS, 4);
	struct typed at = keep ? TYPED(ACL_INT64, CONTIGUOUS, 4, 1) :
				 TYPED(ACL_INT64, CONTIGUOUS, 4);
	struct typed columns = TYPED(dtype, CONTIGUOUS, 5);
	struct typed which = TYPED(ACL_INT64, CONTIGUOUS, 5);
	struct typed all = TYPED(dtype, CONTIGUOUS, 1);
	double sorted[20];

	fill(&x, 1);
	EXPECT(!RUN(aclnnMedianDim, x.tensor, -1, keep, rows.tensor, at.tensor));
	EXPECT(!RUN(aclnnMedianDim, x.tensor, 0, false, columns.tensor,
		    which.tensor));
	EXPECT(!RUN(aclnnMedian, x.tensor, all.tensor));
	for (unsigned int i = 0; i < 4; i++) {
		for (unsigned int k = 0; k < 5; k++)
			sorted[k] = get(&x, i * 5 + k);
		EXPECT(is(&rows, i, middle(sorted, 5)));
		EXPECT(get(&x, i * 5 + get(&at, i)) == get(&rows, i));
	}
	for (unsigned int i = 0; i < 5; i++) {
		for (unsigned int k = 0; k < 4; k++)
			sorted[k] = get(&x, k * 5 + i);
		EXPECT(is(&columns, i, middle(sorted, 4)));
		EXPECT(get(&x, get(&which, i) * 5 + i) == get(&columns, i));
	}
	for (unsigned int i = 0; i < 20; i++)
		sorted[i] = get(&x, i);
	return is(&all, 0, middle(sorted, 20));
}

static bool medians(void)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(plain_types); t++)
		for (unsigned int way = 0; way < 2 * LAYOUTS; way++) {
			forget_typed();
			EXPECT(check_medians(plain_types[t], way / 2, way % 2));
		}
	forget_typed();
	return true;
}

static bool median_limits(void)
{
	float x[] = { 3, 1, NAN, 2, 0, NAN, 5, 6 };

	EXPECT(!RUN(aclnnMedianDim, F32(x, 2, 4), 1, false, F32(out, 2),
		    I64(places, 2)));
	EXPECT(isnan(out[0]) && isnan(out[1]));
	EXPECT(places[0] == 2 && places[1] == 1);
	EXPECT(!RUN(aclnnMedian, F32(x, 8), tensor(ACL_FLOAT, out, 0, NULL)));
	EXPECT(isnan(out[0]));
	EXPECT(!RUN(aclnnMedianDim, tensor(ACL_FLOAT, x, 0, NULL), 0, true,
		    tensor(ACL_FLOAT, out, 0, NULL),
		    tensor(ACL_INT64, places, 0, NULL)));
	EXPECT(out[0] == 3 && places[0] == 0);
	EXPECT(!RUN(aclnnMedianDim, F32(x, 0, 4), 1, true, F32(out, 0, 1),
		    I64(places, 0, 1)));
	EXPECT(RUN(aclnnMedianDim, F32(x, 4, 0), 1, true, F32(out, 4, 1),
		   I64(places, 4, 1)));
	TEXT("self: has no elements in dimension 1");
	EXPECT(RUN(aclnnMedian, F32(x, 0), F32(out, 1)));
	TEXT("self: has no elements");
	EXPECT(RUN(aclnnMedianDim, F32(x, 2, 4), 2, true, F32(out, 2, 1),
		   I64(places, 2, 1)));
	TEXT("dim: expected a dimension from -2 to 1, given 2");
	EXPECT(RUN(aclnnMedianDim, F32(x, 2, 4), 1, true, F32(out, 2),
		   I64(places, 2, 1)));
	TEXT("valuesOut: expected the shape of self");
	EXPECT(RUN(aclnnMedianDim, F32(x, 2, 4), 1, false, F32(out, 2),
		   I64(places, 3)));
	EXPECT(RUN(aclnnMedian, F32(x, 8), I32(out, 1)));
	return true;
}

static bool check_close(aclDataType dtype, enum layout layout)
{
	struct typed x = TYPED(dtype, layout, 3, 4);
	struct typed y = TYPED(dtype, (layout + 1) % LAYOUTS, 4);
	struct typed z = TYPED(ACL_BOOL, layout % OUT_LAYOUTS, 3, 4);
	double rtol = 0.26, atol = 0.3;

	fill(&x, 2);
	fill(&y, 3);
	EXPECT(!RUN(aclnnIsClose, x.tensor, y.tensor, rtol, atol, false,
		    z.tensor));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(get(&z, i) == (fabs(get(&x, i) - get(&y, i % 4)) <=
				      atol + rtol * fabs(get(&y, i % 4))));
	return true;
}

static bool closeness(void)
{
	EXPECT(each_layout(plain_types, ARRAY_SIZE(plain_types), LAYOUTS,
			   check_close));
	return true;
}

static bool close_limits(void)
{
	float x[] = { INFINITY, INFINITY, 1, NAN, NAN, -INFINITY };
	float y[] = { INFINITY, -INFINITY, INFINITY, NAN, 1, -INFINITY };
	static const bool want[] = { 1, 0, 0, 0, 0, 1 };
	int8_t far[] = { 100, -100 }, low[] = { -100, 100 };

	EXPECT(!RUN(aclnnIsClose, F32(x, 6), F32(y, 6), 0.5, 0.5, false,
		    BOOL(flags, 6)));
	EXPECT(!memcmp(flags, want, sizeof(want)));
	EXPECT(!RUN(aclnnIsClose, F32(x, 6), F32(y, 6), 0, 0, true,
		    BOOL(flags, 6)));
	EXPECT(flags[0] && !flags[1] && !flags[2] && flags[3] && !flags[4]);
	/* The difference does not fit in the type. */
	EXPECT(!RUN(aclnnIsClose, tensor(ACL_INT8, far, SHAPE(2)),
		    tensor(ACL_INT8, low, SHAPE(2)), 0, 100, false,
		    BOOL(flags, 2)));
	EXPECT(!flags[0] && !flags[1]);
	EXPECT(!RUN(aclnnIsClose, F32(x, 0), F32(y, 1), 0, 0, true,
		    BOOL(flags, 0)));
	EXPECT(RUN(aclnnIsClose, F32(x, 2), I32(y, 2), 0, 0, false,
		   BOOL(flags, 2)));
	TEXT("other: expected type f32, as of self, given i32");
	EXPECT(RUN(aclnnIsClose, F32(x, 2), F32(y, 2), -1, 0, false,
		   BOOL(flags, 2)));
	TEXT("rtol: expected 0 or more, given -1");
	EXPECT(RUN(aclnnIsClose, F32(x, 2), F32(y, 2), 0, NAN, false,
		   BOOL(flags, 2)));
	TEXT("atol: expected 0 or more, given");
	EXPECT(RUN(aclnnIsClose, F32(x, 2), F32(y, 3), 0, 0, false,
		   BOOL(flags, 2)));
	EXPECT(RUN(aclnnIsClose, F32(x, 2), F32(y, 2), 0, 0, false,
		   BOOL(flags, 3)));
	return true;
}

/* Slices of dimension 1, in place if @in_place. */
static bool check_norms(aclDataType dtype, enum layout layout, double p,
			bool in_place)
{
	struct typed x = TYPED(dtype, in_place ? layout % OUT_LAYOUTS : layout,
			       2, 3, 2);
	struct typed y = TYPED(dtype, layout % OUT_LAYOUTS, 2, 3, 2);
	double norm[3] = { 0 }, was[12], most = 1.5;

	fill(&x, 4);
	for (unsigned int i = 0; i < 12; i++) {
		double size = fabs(was[i] = get(&x, i)), *to = &norm[i / 2 % 3];

		*to = isinf(p) ? fmax(*to, size) : *to + pow(size, p);
	}
	if (in_place)
		EXPECT(!RUN(aclnnInplaceRenorm, x.tensor, scalar(p), 1,
			    scalar(most)));
	else
		EXPECT(!RUN(aclnnRenorm, x.tensor, scalar(p), -2, scalar(most),
			    y.tensor));
	for (unsigned int i = 0; i < 12; i++) {
		double n = norm[i / 2 % 3];

		n = isinf(p) ? n : pow(n, 1 / p);
		EXPECT(is(in_place ? &x : &y, i,
			  n > most ? was[i] * most / n : was[i]));
	}
	return true;
}

static bool norms(void)
{
	static const double p[] = { 1, 2, 3.5, INFINITY };

	for (unsigned int t = 0; t < ARRAY_SIZE(float_types); t++)
		for (unsigned int way = 0; way < 8 * LAYOUTS; way++) {
			forget_typed();
			EXPECT(check_norms(float_types[t], way / 8, p[way % 4],
					   way / 4 % 2));
		}
	forget_typed();
	return true;
}

static bool norm_limits(void)
{
	float x[] = { 3, 0, -4 };

	/* Each element is a slice. */
	EXPECT(!RUN(aclnnRenorm, F32(x, 3), scalar(2), 0, scalar(2), F32(out, 3)));
	EXPECT(out[0] == 2 && out[1] == 0 && out[2] == -2);
	EXPECT(!RUN(aclnnRenorm, F32(x, 3), scalar(2), 0, scalar(0), F32(out, 3)));
	EXPECT(out[0] == 0 && out[1] == 0 && out[2] == 0);
	EXPECT(!RUN(aclnnRenorm, F32(x, 0, 3), scalar(2), 1, scalar(1),
		    F32(out, 0, 3)));
	EXPECT(RUN(aclnnRenorm, F32(x, 3), scalar(0), 0, scalar(1), F32(out, 3)));
	TEXT("p: expected more than 0, given 0");
	EXPECT(RUN(aclnnRenorm, F32(x, 3), scalar(2), 0, scalar(-1),
		   F32(out, 3)));
	TEXT("maxNorm: expected 0 or more, given -1");
	EXPECT(RUN(aclnnRenorm, F32(x, 3), scalar(2), 1, scalar(1), F32(out, 3)));
	TEXT("dim: expected a dimension from -1 to 0, given 1");
	EXPECT(RUN(aclnnRenorm, F32(x, 3), scalar(2), 0, scalar(1), F32(out, 2)));
	TEXT("out: expected 3 in dimension 0, given 2");
	EXPECT(RUN(aclnnInplaceRenorm, I32(x, 3), scalar(2), 0, scalar(1)));
	TEXT("selfRef: expected a floating-point type, given i32");
	return true;
}

/* Operators that are one step of the engine. */
static bool small_ones(void)
{
	int32_t x[] = { 1, -3, 1 << 30, 0 }, shifted[4] = { 0 };

	EXPECT(!RUN(aclnnLeftShifts, I32(x, 4), whole(2), I32(shifted, 4)));
	EXPECT(shifted[0] == 4 && shifted[1] == -12 && !shifted[2] && !shifted[3]);
	EXPECT(RUN(aclnnLeftShifts, F32(a, 4), whole(2), F32(out, 4)));
	numbers(a, 24, 5);
	a[0] = 0;
	EXPECT(!RUN(aclnnXLogYScalarSelf, scalar(3), F32(a, 24), F32(out, 24)));
	for (unsigned int i = 0; i < 24; i++)
		EXPECT(near(out[i], 3 * log(a[i])));
	EXPECT(!RUN(aclnnXLogYScalarSelf, scalar(0), F32(a, 2), F32(out, 2)));
	EXPECT(out[0] == 0);
	EXPECT(!RUN(aclnnUpsampleNearest1dV2, F32(a, 1, 2, 3), LIST(6), 2,
		    F32(out, 1, 2, 6)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(out[i] == a[i / 2]);
	EXPECT(!RUN(aclnnUpsampleNearest2dV2, F32(a, 1, 1, 2, 3), LIST(4, 3), 2,
		    1, F32(out, 1, 1, 4, 3)));
	for (unsigned int i = 0; i < 12; i++)
		EXPECT(out[i] == a[i / 6 * 3 + i % 3]);
	EXPECT(RUN(aclnnUpsampleNearest1dV2, F32(a, 1, 2, 3), LIST(0), 2,
		   F32(out, 1, 2, 6)));
	EXPECT(RUN(aclnnUpsampleNearest2dV2, F32(a, 1, 1, 2, 3), LIST(4, 4), 2,
		   1, F32(out, 1, 1, 4, 3)));
	return true;
}

const struct test middle_tests[] = {
	{ "medians, by type and layout", medians },
	{ "medians of NaN and of nothing, and errors", median_limits },
	{ "closeness, by type and layout", closeness },
	{ "closeness of infinities and NaN, and errors", close_limits },
	{ "limits of norms, by type and layout", norms },
	{ "limits of norms of elements, and errors", norm_limits },
	{ "shifts, products with logarithms, nearest elements", small_ones },
	{ 0 }
};
