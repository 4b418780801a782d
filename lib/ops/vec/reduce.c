// SPDX-License-Identifier: MIT
/* Reductions. See reduce.h. */
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

/* For all classes; @WT and @field hold the results. */
#define NUMBERS(c, CT, WT, field)					\
BEGIN(c, CT, sum)							\
	WT sum;								\
	LANED(T, x, n, WT, 0, SAME, PLUS, sum);				\
	s->field += sum;						\
END									\
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

/* The extremes have indices; integers differ from floats in the field. */
#define EXTREME(c, CT, name, choose, worst, field)			\
BEGIN(c, CT, name)							\
	T best, before = s->field;					\
	size_t i;							\
									\
	LANED(T, x, n, T, worst, SAME, choose, best);			\
	if (!s->count || (choose(best, before) != before &&		\
			  before == before)) {				\
		for (i = 0; best == best ? x[i] != best : x[i] == x[i]; i++) \
			;						\
		s->field = best;					\
		s->index = s->count + i;				\
	}								\
END

EXTREME(f, float, max, MAX, -INFINITY, sum)
EXTREME(f, float, min, MIN, INFINITY, sum)
EXTREME(d, double, max, MAX, -INFINITY, sum)
EXTREME(d, double, min, MIN, INFINITY, sum)
EXTREME(i, int32_t, max, MAX, INT32_MIN, integer)
EXTREME(i, int32_t, min, MIN, INT32_MAX, integer)
EXTREME(l, int64_t, max, MAX, INT64_MIN, integer)
EXTREME(l, int64_t, min, MIN, INT64_MAX, integer)

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
