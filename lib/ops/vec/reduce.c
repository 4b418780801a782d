// SPDX-License-Identifier: MIT
/* Reductions. See reduce.h. */
#ifdef __AVX__
#include <immintrin.h>
#endif
#include <math.h>

#include "laned.h"
#include "rows.h"

#define SQUARE(x)	((double)(x) * (x))
#define ABSOLUTE(x)	((x) < 0 ? -(x) : (x))
#define IS_SET(x)	((x) != 0)

#define BEGIN(c, CT, name)						\
static void reduce_##name##_##c(struct ops_sum *s, const void *data,	\
				size_t n, double param)			\
{									\
	typedef CT T;							\
	const T *x = data;						\
									\
	(void)param;

#define END								\
	s->count += n;							\
}

#ifdef __AVX__
/*
 * As LANED(): each 4 elements are loaded and converted at once, where a compiler
 * loads 8 and moves the upper half.
 */
static double sum_of_floats(const float *x, size_t n)
{
	__m256d part[LANES / 4];
	double lane[LANES];
	size_t e, h;

	for (h = 0; h < LANES / 4; h++)
		part[h] = _mm256_setzero_pd();
	for (e = 0; e + LANES <= n; e += LANES)
		for (h = 0; h < LANES / 4; h++)
			part[h] += _mm256_cvtps_pd(_mm_loadu_ps(x + e + 4 * h));
	for (h = 0; h < LANES / 4; h++)
		_mm256_storeu_pd(lane + 4 * h, part[h]);
	for (h = 0; e + h < n; h++)
		lane[h] += x[e + h];
	for (e = LANES / 2; e; e /= 2)
		for (h = 0; h < e; h++)
			lane[h] += lane[h + e];
	return lane[0];
}
#else
static double sum_of_floats(const float *x, size_t n)
{
	double sum;

	LANED(float, x, n, double, 0, SAME, PLUS, sum);
	return sum;
}
#endif

BEGIN(f, float, sum)
	s->sum += sum_of_floats(x, n);
END

/* For all classes; @WT and @field hold the results. */
#define SUM(c, CT, WT, field)						\
BEGIN(c, CT, sum)							\
	WT sum;								\
	LANED(T, x, n, WT, 0, SAME, PLUS, sum);				\
	s->field += sum;						\
END
#define NUMBERS(c, CT, WT, field)					\
BEGIN(c, CT, prod)							\
	WT product;							\
	LANED(T, x, n, WT, 1, SAME, TIMES, product);			\
	s->field = s->count ? s->field * product : product;		\
END									\
BEGIN(c, CT, count)							\
	int64_t sum;							\
	LANED(T, x, n, int64_t, 0, IS_SET, PLUS, sum);			\
	s->integer += sum;						\
END

SUM(d, double, double, sum)
SUM(i, int32_t, int64_t, integer)
SUM(l, int64_t, int64_t, integer)
NUMBERS(f, float, double, sum)
NUMBERS(d, double, double, sum)
NUMBERS(i, int32_t, int64_t, integer)
NUMBERS(l, int64_t, int64_t, integer)

#define FLOATS(c, CT)							\
BEGIN(c, CT, squares)							\
	double sum;							\
	LANED(T, x, n, double, 0, SQUARE, PLUS, sum);			\
	s->sum += sum;							\
END									\
BEGIN(c, CT, abs)							\
	double sum;							\
	LANED(T, x, n, double, 0, ABSOLUTE, PLUS, sum);			\
	s->sum += sum;							\
END									\
BEGIN(c, CT, max_abs)							\
	T most;								\
	LANED(T, x, n, T, 0, ABSOLUTE, MAX, most);			\
	s->sum = s->count ? MAX(s->sum, (double)most) : most;		\
END									\
BEGIN(c, CT, min_abs)							\
	T least;							\
	LANED(T, x, n, T, (T)INFINITY, ABSOLUTE, MIN, least);		\
	s->sum = s->count ? MIN(s->sum, (double)least) : least;		\
END									\
BEGIN(c, CT, moments)							\
	double shift = s->count ? s->shift : (double)x[0], sum, squares; \
	LANED(T, x, n, double, 0, SHIFTED, PLUS, sum);			\
	LANED(T, x, n, double, 0, SHIFTED_SQUARE, PLUS, squares);	\
	s->shift = shift;						\
	s->sum += sum;							\
	s->squares += squares;						\
END									\
BEGIN(c, CT, powers)							\
	double sum = 0;							\
	size_t i;							\
	for (i = 0; i < n; i++)						\
		sum += pow(fabs((double)x[i]), param);			\
	s->sum += sum;							\
END									\
BEGIN(c, CT, exp)							\
	double sum;							\
	T most, high;							\
	LANED(T, x, n, T, -(T)INFINITY, SAME, MAX, most);		\
	high = s->count && !(most > (T)s->shift) && most == most ?	\
	       (T)s->shift : most;					\
	if (s->count)							\
		s->sum *= exp(s->shift - high);				\
	/* If all are infinite, the differences are no numbers. */	\
	most = FABS(high) == (T)INFINITY ? 0 : high;			\
	LANED(T, x, n, double, 0, RELATIVE, PLUS, sum);			\
	if (s->count && FABS((T)s->shift) == (T)INFINITY)		\
		s->sum = 0;						\
	s->sum += sum;							\
	s->shift = high;						\
END

#define SHIFTED(v)		((double)(v) - shift)
#define SHIFTED_SQUARE(v)	(SHIFTED(v) * SHIFTED(v))
#define RELATIVE(v)		EXP((T)((v) - most))

FLOATS(f, float)
FLOATS(d, double)

/*
 * Find the extreme, unless there is a NaN. A comparison finds that in two elements,
 * beside the choice.
 */
#define PLAIN(c, CT, IT, name, beats)					\
static bool plain_##name##_##c(const CT *x, size_t n, CT *best)		\
{									\
	CT lane[LANES];							\
	IT nan[LANES] = { 0 }, any = 0;					\
	size_t e, h;							\
									\
	if (n < 2 * LANES)						\
		return false;						\
	for (h = 0; h < LANES; h++)					\
		lane[h] = x[h];						\
	for (e = 0; e + 2 * LANES <= n; e += 2 * LANES)			\
		for (h = 0; h < LANES; h++) {				\
			CT v = x[e + h], w = x[e + LANES + h];		\
									\
			nan[h] |= __builtin_isunordered(v, w) ? -1 : 0;	\
			w = v beats w ? v : w;				\
			lane[h] = lane[h] beats w ? lane[h] : w;	\
		}							\
	for (h = 0; e + h < n; h++) {					\
		CT v = x[e + h];					\
									\
		any |= v != v;						\
		lane[h % LANES] = lane[h % LANES] beats v ?		\
				  lane[h % LANES] : v;			\
	}								\
	for (h = 0; h < LANES; h++)					\
		any |= nan[h];						\
	for (e = LANES / 2; e; e /= 2)					\
		for (h = 0; h < e; h++)					\
			lane[h] = lane[h] beats lane[h + e] ?		\
				  lane[h] : lane[h + e];		\
	*best = lane[0];						\
	return !any;							\
}
PLAIN(f, float, int32_t, max, >)
PLAIN(f, float, int32_t, min, <)
PLAIN(d, double, int64_t, max, >)
PLAIN(d, double, int64_t, min, <)
#define NEVER(x, n, best)	false

/*
 * The extremes have indices; integers differ from floats in the field.  Another
 * process may change the elements meanwhile: the search ends with the last one.
 */
#define EXTREME(c, CT, name, choose, worst, field, plain)		\
BEGIN(c, CT, name)							\
	T best, before = s->field;					\
	size_t i;							\
									\
	if (!plain(x, n, &best))					\
		LANED(T, x, n, T, worst, SAME, choose, best);		\
	if (!s->count || (choose(best, before) != before &&		\
			  before == before)) {				\
		for (i = 0; i + 1 < n &&				\
			    (best == best ? x[i] != best : x[i] == x[i]); i++) \
			;						\
		s->field = best;					\
		s->index = s->count + i;				\
	}								\
END

EXTREME(f, float, max, MAX, -INFINITY, sum, plain_max_f)
EXTREME(f, float, min, MIN, INFINITY, sum, plain_min_f)
EXTREME(d, double, max, MAX, -INFINITY, sum, plain_max_d)
EXTREME(d, double, min, MIN, INFINITY, sum, plain_min_d)
EXTREME(i, int32_t, max, MAX, INT32_MIN, integer, NEVER)
EXTREME(i, int32_t, min, MIN, INT32_MAX, integer, NEVER)
EXTREME(l, int64_t, max, MAX, INT64_MIN, integer, NEVER)
EXTREME(l, int64_t, min, MIN, INT64_MAX, integer, NEVER)

/* The constant width lets the compiler unroll the loop. */
#define COLUMNS(c, CT, name, value)					\
static void columns_##name##_##c(struct ops_lanes *lanes,		\
				 const void *data, int64_t stride,	\
				 size_t n, size_t first, size_t width)	\
{									\
	const CT *x = data;						\
	size_t e, h;							\
									\
	for (e = 0; e < n; e++, x += stride) {				\
		double *to = lanes->lane[(first + e) % LANES];		\
									\
		if (width == OPS_COLUMNS)				\
			_Pragma("GCC ivdep")				\
			for (h = 0; h < OPS_COLUMNS; h++)		\
				to[h] += value(x[h]);			\
		else							\
			_Pragma("GCC ivdep")				\
			for (h = 0; h < width; h++)			\
				to[h] += value(x[h]);			\
	}								\
}
COLUMNS(f, float, sum, SAME)
COLUMNS(d, double, sum, SAME)
COLUMNS(f, float, squares, SQUARE)
COLUMNS(d, double, squares, SQUARE)
COLUMNS(f, float, abs, ABSOLUTE)
COLUMNS(d, double, abs, ABSOLUTE)

const ops_columns_fn V(ops_columns)[OPS_REDUCTIONS][2] = {
	[OPS_R_SUM] = { columns_sum_f, columns_sum_d },
	[OPS_R_SQUARES] = { columns_squares_f, columns_squares_d },
	[OPS_R_ABS] = { columns_abs_f, columns_abs_d },
};

#define FOR_FLOATS(name) { reduce_##name##_f, reduce_##name##_d }
#define FOR_ALL(name)							\
	{ reduce_##name##_f, reduce_##name##_d, reduce_##name##_i,	\
	  reduce_##name##_l }

const ops_reduce_fn V(ops_reduces)[OPS_REDUCTIONS][OPS_CLASSES] = {
	[OPS_R_SUM] = FOR_ALL(sum),
	[OPS_R_PROD] = FOR_ALL(prod),
	[OPS_R_MAX] = FOR_ALL(max),
	[OPS_R_MIN] = FOR_ALL(min),
	[OPS_R_COUNT] = FOR_ALL(count),
	[OPS_R_MOMENTS] = FOR_FLOATS(moments),
	[OPS_R_SQUARES] = FOR_FLOATS(squares),
	[OPS_R_ABS] = FOR_FLOATS(abs),
	[OPS_R_MAX_ABS] = FOR_FLOATS(max_abs),
	[OPS_R_MIN_ABS] = FOR_FLOATS(min_abs),
	[OPS_R_POWERS] = FOR_FLOATS(powers),
	[OPS_R_EXP] = FOR_FLOATS(exp),
};
