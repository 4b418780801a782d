// SPDX-License-Identifier: MIT
/* Functions of a line. See lines.h. */
#include <math.h>

#include "laned.h"
#include "rows.h"

#define EACH(...)							\
	_Pragma("GCC ivdep")						\
	for (int64_t i = 0; i < n; i++) {				\
		__VA_ARGS__						\
	}

/* Sum an expression of i in double. */
#define SUM(sum, ...)							\
	do {								\
		double lane[LANES] = { 0 };				\
		int64_t from, h, i;					\
									\
		for (from = 0; from + LANES <= n; from += LANES)	\
			for (h = 0; h < LANES; h++) {			\
				i = from + h;				\
				lane[h] += (double)(__VA_ARGS__);	\
			}						\
		for (h = 0; from + h < n; h++) {			\
			i = from + h;					\
			lane[h] += (double)(__VA_ARGS__);		\
		}							\
		for (from = LANES / 2; from; from /= 2)			\
			for (h = 0; h < from; h++)			\
				lane[h] += lane[h + from];		\
		sum = lane[0];						\
	} while (0)

#define LINE(c, CT, name)						\
static void line_##name##_##c(const struct ops_line *l)			\
{									\
	typedef CT T;							\
	const int64_t n = l->n;

#define LINES(c, CT)							\
LINE(c, CT, softmax)							\
	const T *x = l->at[0];						\
	T *y = l->at[1], most, factor;					\
	double sum;							\
									\
	LANED(T, x, n, T, -(T)INFINITY, SAME, MAX, most);		\
	EACH(y[i] = EXP(x[i] - most);)					\
	SUM(sum, y[i]);							\
	factor = 1 / sum;						\
	EACH(y[i] *= factor;)						\
}									\
LINE(c, CT, log_softmax)						\
	const T *x = l->at[0];						\
	T *y = l->at[1], most, rest;					\
	double sum;							\
									\
	LANED(T, x, n, T, -(T)INFINITY, SAME, MAX, most);		\
	SUM(sum, EXP(x[i] - most));					\
	rest = log(sum);						\
	EACH(y[i] = x[i] - most - rest;)				\
}									\
LINE(c, CT, softmax_backward)						\
	const T *g = l->at[0], *y = l->at[1];				\
	T *o = l->at[2], all;						\
	double sum;							\
									\
	SUM(sum, (double)g[i] * y[i]);					\
	all = sum;							\
	EACH(o[i] = (g[i] - all) * y[i];)				\
}									\
LINE(c, CT, log_softmax_backward)					\
	const T *g = l->at[0], *y = l->at[1];				\
	T *o = l->at[2], all;						\
	double sum;							\
									\
	SUM(sum, g[i]);							\
	all = sum;							\
	EACH(o[i] = g[i] - EXP(y[i]) * all;)				\
}									\
LINE(c, CT, norm)							\
	const T *x = l->at[0], *weight = l->at[1], *bias = l->at[2];	\
	T *y = l->at[3], center, scale;					\
	double mean, square;						\
									\
	SUM(mean, x[i]);						\
	mean /= n;							\
	SUM(square, (x[i] - mean) * (x[i] - mean));			\
	center = mean;							\
	scale = 1 / sqrt(square / n + l->eps);				\
	EACH(y[i] = (x[i] - center) * scale;)				\
	if (weight)							\
		EACH(y[i] *= weight[i];)				\
	if (bias)							\
		EACH(y[i] += bias[i];)					\
	if (l->at[4])							\
		*(T *)l->at[4] = center;				\
	if (l->at[5])							\
		*(T *)l->at[5] = scale;					\
}									\
static void rms_norm_##c(const CT *x, const CT *weight, CT *y, CT *rstd, \
			 int64_t n, double eps)				\
{									\
	double square;							\
	CT scale;							\
									\
	SUM(square, (double)x[i] * x[i]);				\
	scale = 1 / sqrt(square / n + eps);				\
	EACH(y[i] = x[i] * scale;)					\
	if (weight)							\
		EACH(y[i] *= weight[i];)				\
	if (rstd)							\
		*rstd = scale;						\
}									\
static void line_rms_norm_##c(const struct ops_line *l)			\
{									\
	rms_norm_##c(l->at[0], l->at[1], l->at[2], l->at[3], l->n, l->eps); \
}									\
LINE(c, CT, add_rms_norm)						\
	const T *x = l->at[0], *other = l->at[1];			\
	T *sum = l->at[5];						\
									\
	EACH(sum[i] = x[i] + other[i];)					\
	rms_norm_##c(sum, l->at[2], l->at[3], l->at[4], n, l->eps);	\
}									\
LINE(c, CT, norm_backward)						\
	const T *g = l->at[0], *x = l->at[1], *weight = l->at[4];	\
	T mean = *(T *)l->at[2], scale = *(T *)l->at[3];		\
	T *o = l->at[5], all, along;					\
	double sum, dot;						\
									\
	EACH(T v = weight ? g[i] * weight[i] : g[i]; o[i] = v;)		\
	SUM(sum, o[i]);							\
	SUM(dot, (double)o[i] * ((x[i] - mean) * scale));		\
	all = sum / n;							\
	along = dot / n;						\
	EACH(o[i] = scale * (o[i] - all - (x[i] - mean) * scale * along);) \
}									\
LINE(c, CT, rms_norm_backward)						\
	const T *g = l->at[0], *x = l->at[1], *weight = l->at[3];	\
	T scale = *(T *)l->at[2], *o = l->at[4], along;			\
	double dot;							\
									\
	EACH(T v = weight ? g[i] * weight[i] : g[i]; o[i] = v;)		\
	SUM(dot, (double)o[i] * (x[i] * scale));			\
	along = dot / n;						\
	EACH(o[i] = scale * (o[i] - x[i] * scale * along);)		\
}									\
LINE(c, CT, cross_entropy)						\
	const T *x = l->at[0], *label = l->at[1];			\
	T *o = l->at[3], most, rest;					\
	double sum, loss;						\
									\
	LANED(T, x, n, T, -(T)INFINITY, SAME, MAX, most);		\
	SUM(sum, EXP(x[i] - most));					\
	rest = log(sum);						\
	SUM(loss, label[i] * (rest - (x[i] - most)));			\
	*(T *)l->at[2] = loss;						\
	if (o)								\
		EACH(o[i] = EXP(x[i] - most - rest) - label[i];)	\
}

LINES(f, float)
LINES(d, double)

#define BOTH(name) { line_##name##_f, line_##name##_d }

const ops_line_fn V(ops_lines)[OPS_LINES][2] = {
	[OPS_LINE_SOFTMAX] = BOTH(softmax),
	[OPS_LINE_LOG_SOFTMAX] = BOTH(log_softmax),
	[OPS_LINE_SOFTMAX_BACKWARD] = BOTH(softmax_backward),
	[OPS_LINE_LOG_SOFTMAX_BACKWARD] = BOTH(log_softmax_backward),
	[OPS_LINE_NORM] = BOTH(norm),
	[OPS_LINE_RMS_NORM] = BOTH(rms_norm),
	[OPS_LINE_ADD_RMS_NORM] = BOTH(add_rms_norm),
	[OPS_LINE_NORM_BACKWARD] = BOTH(norm_backward),
	[OPS_LINE_RMS_NORM_BACKWARD] = BOTH(rms_norm_backward),
	[OPS_LINE_CROSS_ENTROPY] = BOTH(cross_entropy),
};
