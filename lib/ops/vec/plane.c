// SPDX-License-Identifier: MIT
/* Rows of planes: pooling, and the sums of depthwise convolutions. See plane.h. */
#include <math.h>
#include <string.h>

#include "vec.h"

/*
 * Elements that are computed at once. A row that is no multiple ends with a block
 * that overlaps the one before; its elements become the same again.
 */
#define LANES	16
typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t masks __attribute__((vector_size(4 * LANES)));

/* Functions that return vectors would depend on the instructions. */
#define LOAD(v, src)	memcpy(&(v), src, sizeof(v))
#define STORE(dst, v)	memcpy(dst, &(v), sizeof(v))

/* The start of the block after the one at @i of @n elements, or @n. */
static inline int64_t next(int64_t i, int64_t n, int64_t block)
{
	return i + block == n ? n : i + 2 * block <= n ? i + block : n - block;
}

static void most(float *dst, const float *src, const int64_t *at,
		 unsigned int count, int64_t n)
{
	unsigned int k;
	int64_t i = 0;

	for (; n >= LANES && i < n; i = next(i, n, LANES)) {
		lanes most = -INFINITY - (lanes){ 0 }, v;

		for (k = 0; k < count; k++) {
			masks use;

			LOAD(v, src + at[k] + i);
			use = (v > most) | (v != v);
			most = (lanes)((use & (masks)v) |
				       (~use & (masks)most));
		}
		STORE(dst + i, most);
	}
	for (; i < n; i++) {
		float most = -INFINITY, v;

		for (k = 0; k < count; k++) {
			v = src[at[k] + i];
			most = (v > most) | (v != v) ? v : most;
		}
		dst[i] = most;
	}
}

/* Most windows are 1 or 2 elements apart; a constant makes vectors of them. */
#define MOST3(step)							\
	do {								\
		_Pragma("GCC ivdep")					\
		for (i = 0; i < n; i++) {				\
			float x = a[i * (step)], y = b[i * (step)];	\
			float z = c[i * (step)];			\
									\
			x = y > x ? y : x;				\
			x = y != y ? y : x;				\
			x = z > x ? z : x;				\
			dst[i] = z != z ? z : x;			\
		}							\
	} while (0)

static void most3(float *dst, const float *a, const float *b, const float *c,
		  int64_t step, int64_t n)
{
	int64_t i;

	if (step == 1)
		MOST3(1);
	else if (step == 2)
		MOST3(2);
	else
		MOST3(step);
}

#define SUM(step)							\
	do {								\
		_Pragma("GCC ivdep")					\
		for (i = 0; i < n; i++)					\
			sum[i] += src[i * (step)];			\
	} while (0)

static void sum(double *sum, const float *src, int64_t step, int64_t n)
{
	int64_t i;

	if (step == 1)
		SUM(1);
	else if (step == 2)
		SUM(2);
	else
		SUM(step);
}

static void mean(float *dst, const double *sum, const double *count,
		 double rows, int64_t n)
{
	int64_t i;

	_Pragma("GCC ivdep")
	for (i = 0; i < n; i++)
		dst[i] = sum[i] / (rows * count[i]);
}

static void taps(float *dst, const float *src, const int64_t *at,
		 const float *factor, unsigned int count, float first, int64_t n)
{
	unsigned int k;
	int64_t i = 0;

	for (; n >= 2 * LANES && i < n; i = next(i, n, 2 * LANES)) {
		lanes sum = first - (lanes){ 0 }, more = sum, v, w;

		for (k = 0; k < count; k++) {
			LOAD(v, src + at[k] + i);
			LOAD(w, src + at[k] + i + LANES);
			sum += factor[k] * v;
			more += factor[k] * w;
		}
		STORE(dst + i, sum);
		STORE(dst + i + LANES, more);
	}
	for (; i < n; i++) {
		float sum = first;

		for (k = 0; k < count; k++)
			sum += factor[k] * src[at[k] + i];
		dst[i] = sum;
	}
}

#define ROWS(step)							\
	for (; count > 0; count--, dst += width, src += row) {		\
		_Pragma("GCC ivdep")					\
		for (i = 0; i < n; i++)					\
			dst[i] = src[i * (step)];			\
	}

static void rows(float *dst, int64_t width, const float *src, int64_t row,
		 int64_t step, int64_t n, int64_t count)
{
	int64_t i;

	if (step == 1)
		ROWS(1)
	else if (step == 2)
		ROWS(2)
	else
		ROWS(step)
}

const struct ops_plane V(ops_planes) = {
	.most = most,
	.most3 = most3,
	.sum = sum,
	.mean = mean,
	.taps = taps,
	.rows = rows,
};
