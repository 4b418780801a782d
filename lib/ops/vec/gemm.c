// SPDX-License-Identifier: MIT
/* Products of packed matrices. See gemm.h. */
#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <string.h>

#include "fma.h"
#include "vec.h"

#define PACK(name, T, WIDTH)						\
static void name(void *panel, const void *src, int64_t n,		\
		 unsigned int width)					\
{									\
	const T *s = src;						\
	T *d = panel;							\
	int64_t i;							\
	unsigned int k;							\
									\
	if (width < WIDTH)						\
		memset(d, 0, n * WIDTH * sizeof(T));			\
	else								\
		for (i = 0; i < n; i++)					\
			for (k = 0; k < WIDTH; k++)			\
				d[i * WIDTH + k] = s[k * n + i];	\
	for (k = 0; width < WIDTH && k < width; k++)			\
		for (i = 0; i < n; i++)					\
			d[i * WIDTH + k] = s[k * n + i];		\
}

PACK(pack_left_f, float, OPS_MR)
PACK(pack_left_d, double, OPS_MR)
#ifndef __AVX2__
PACK(pack_right_f, float, OPS_NR)
#endif
PACK(pack_right_d, double, OPS_NR / 2)

#ifdef __AVX2__
/* Transpose 8 rows, @from apart, into columns, OPS_NR apart. */
static inline void transpose8(float *d, const float *s, int64_t from)
{
	__m256 row[8], pair[8], quad[8];
	int i;

	for (i = 0; i < 8; i++)
		row[i] = _mm256_loadu_ps(s + i * from);
	for (i = 0; i < 8; i += 2) {
		pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
		pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
	}
	for (i = 0; i < 8; i += 4) {
		quad[i] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0x44);
		quad[i + 1] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0xee);
		quad[i + 2] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0x44);
		quad[i + 3] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0xee);
	}
	for (i = 0; i < 4; i++) {
		_mm256_storeu_ps(d + i * OPS_NR, _mm256_permute2f128_ps(
			quad[i], quad[i + 4], 0x20));
		_mm256_storeu_ps(d + (i + 4) * OPS_NR, _mm256_permute2f128_ps(
			quad[i], quad[i + 4], 0x31));
	}
}

static void pack_right_f(void *panel, const void *src, int64_t n,
			 unsigned int width)
{
	const float *s = src;
	float *d = panel;
	int64_t i = 0;
	unsigned int k;

	if (width < OPS_NR)
		memset(d, 0, n * OPS_NR * sizeof(float));
	for (; width == OPS_NR && i + 8 <= n; i += 8) {
		transpose8(d + i * OPS_NR, s + i, n);
		transpose8(d + i * OPS_NR + 8, s + 8 * n + i, n);
	}
	for (; i < n; i++)
		for (k = 0; k < width; k++)
			d[i * OPS_NR + k] = s[k * n + i];
}

/* Variables with names: compilers keep elements of an array in memory. */
#define EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define LOAD_ROW(i)							\
	if (rows > (i)) {						\
		sum##i = LOAD(result + (i) * stride);			\
		more##i = LOAD(result + (i) * stride + WIDE);		\
	}
#define ADD_ROW(i)							\
	if (rows > (i)) {						\
		x = SPLAT(a + (i));					\
		sum##i = FMA(x, b0, sum##i);				\
		more##i = FMA(x, b1, more##i);				\
	}
#define STORE_ROW(i)							\
	if (rows > (i)) {						\
		STORE(result + (i) * stride, sum##i);			\
		STORE(result + (i) * stride + WIDE, more##i);		\
	}
#define KERNEL(c, T, V)							\
static inline __attribute__((always_inline)) void			\
kernel_##c##_rows(const T *a, const T *b, T *result, int64_t stride,	\
		  int64_t n, unsigned int rows)				\
{									\
	enum { WIDE = sizeof(V) / sizeof(T) };				\
	V sum0 = { 0 }, sum1 = { 0 }, sum2 = { 0 }, sum3 = { 0 };	\
	V sum4 = { 0 }, sum5 = { 0 }, more0 = { 0 }, more1 = { 0 };	\
	V more2 = { 0 }, more3 = { 0 }, more4 = { 0 }, more5 = { 0 };	\
	V x, b0, b1;							\
	int64_t k;							\
									\
	EACH_ROW(LOAD_ROW)						\
	for (k = 0; k < n; k++, a += OPS_MR, b += 2 * WIDE) {		\
		b0 = LOAD(b);						\
		b1 = LOAD(b + WIDE);					\
		EACH_ROW(ADD_ROW)					\
	}								\
	EACH_ROW(STORE_ROW)						\
}

#define LOAD	_mm256_loadu_ps
#define STORE	_mm256_storeu_ps
#define SPLAT	_mm256_broadcast_ss
#define FMA	_mm256_fmadd_ps
KERNEL(f, float, __m256)
#undef LOAD
#undef STORE
#undef SPLAT
#undef FMA
#define LOAD	_mm256_loadu_pd
#define STORE	_mm256_storeu_pd
#define SPLAT	_mm256_broadcast_sd
#define FMA	_mm256_fmadd_pd
KERNEL(d, double, __m256d)
#else
#define KERNEL(c, T, COLUMNS, FMA)					\
static inline __attribute__((always_inline)) void			\
kernel_##c##_rows(const T *a, const T *b, T *result, int64_t stride,	\
		  int64_t n, unsigned int rows)				\
{									\
	T sum[OPS_MR][COLUMNS];						\
	unsigned int i, k;						\
	int64_t at;							\
									\
	for (i = 0; i < rows; i++)					\
		memcpy(sum[i], result + i * stride, sizeof(sum[i]));	\
	for (at = 0; at < n; at++, a += OPS_MR, b += COLUMNS)		\
		for (i = 0; i < rows; i++)				\
			for (k = 0; k < COLUMNS; k++)			\
				sum[i][k] = FMA(a[i], b[k], sum[i][k]);	\
	for (i = 0; i < rows; i++)					\
		memcpy(result + i * stride, sum[i], sizeof(sum[i]));	\
}
KERNEL(f, float, OPS_NR, ops_fmaf)
KERNEL(d, double, OPS_NR / 2, ops_fma)
#endif

/* With a constant number of rows, the sums stay in registers. */
#define KERNELS(c, T)							\
static void kernel_##c(const void *a, const void *b, void *result,	\
		       int64_t stride, int64_t n, unsigned int rows)	\
{									\
	switch (rows) {							\
	case 1:								\
		kernel_##c##_rows(a, b, result, stride, n, 1);		\
		break;							\
	case 2:								\
		kernel_##c##_rows(a, b, result, stride, n, 2);		\
		break;							\
	case 3:								\
		kernel_##c##_rows(a, b, result, stride, n, 3);		\
		break;							\
	case 4:								\
		kernel_##c##_rows(a, b, result, stride, n, 4);		\
		break;							\
	case 5:								\
		kernel_##c##_rows(a, b, result, stride, n, 5);		\
		break;							\
	default:							\
		kernel_##c##_rows(a, b, result, stride, n, 6);		\
	}								\
}
KERNELS(f, float)
KERNELS(d, double)

#define DOT(name, T, FMA)						\
static void name(const void *left, const void *right, void *lanes,	\
		 int64_t n)						\
{									\
	const T *a = left, *b = right;					\
	T *sum = lanes;							\
	int64_t i, h;							\
									\
	for (i = 0; i < n; i += OPS_DOT)				\
		for (h = 0; h < OPS_DOT && i + h < n; h++)		\
			sum[h] = FMA(a[i + h], b[i + h], sum[h]);	\
}

DOT(dot_d, double, ops_fma)
#ifdef __AVX2__
static void dot_f(const void *left, const void *right, void *lanes, int64_t n)
{
	const float *a = left, *b = right;
	float *sum = lanes;
	__m256 s0 = _mm256_loadu_ps(sum), s1 = _mm256_loadu_ps(sum + 8);
	__m256 s2 = _mm256_loadu_ps(sum + 16), s3 = _mm256_loadu_ps(sum + 24);
	int64_t i, h;

	for (i = 0; i + OPS_DOT <= n; i += OPS_DOT) {
		s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i),
				     _mm256_loadu_ps(b + i), s0);
		s1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8),
				     _mm256_loadu_ps(b + i + 8), s1);
		s2 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 16),
				     _mm256_loadu_ps(b + i + 16), s2);
		s3 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 24),
				     _mm256_loadu_ps(b + i + 24), s3);
	}
	_mm256_storeu_ps(sum, s0);
	_mm256_storeu_ps(sum + 8, s1);
	_mm256_storeu_ps(sum + 16, s2);
	_mm256_storeu_ps(sum + 24, s3);
	for (h = 0; i + h < n; h++)
		sum[h] = ops_fmaf(a[i + h], b[i + h], sum[h]);
}
#else
DOT(dot_f, float, ops_fmaf)
#endif

#define ADD(name, T, FMA)						\
static void name(const void *factors, const void *right, void *result,	\
		 int64_t stride, int64_t n, unsigned int rows)		\
{									\
	const T *a = factors, *b = right;				\
	T *sum = result;						\
	unsigned int r;							\
	int64_t i;							\
									\
	if (rows == OPS_ADD) {						\
		const T a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];	\
									\
		_Pragma("GCC ivdep")					\
		for (i = 0; i < n; i++) {				\
			T s = FMA(a0, b[i], sum[i]);			\
									\
			s = FMA(a1, b[stride + i], s);			\
			s = FMA(a2, b[2 * stride + i], s);		\
			sum[i] = FMA(a3, b[3 * stride + i], s);		\
		}							\
		return;							\
	}								\
	for (r = 0; r < rows; r++)					\
		for (i = 0; i < n; i++)					\
			sum[i] = FMA(a[r], b[r * stride + i], sum[i]);	\
}

ADD(add_f, float, ops_fmaf)
ADD(add_d, double, ops_fma)

const struct ops_gemm V(ops_gemms)[2] = {
	[OPS_F] = {
		.size = sizeof(float),
		.columns = OPS_NR,
		.pack_left = pack_left_f,
		.pack_right = pack_right_f,
		.kernel = kernel_f,
		.dot = dot_f,
		.add = add_f,
	},
	[OPS_D] = {
		.size = sizeof(double),
		.columns = OPS_NR / 2,
		.pack_left = pack_left_d,
		.pack_right = pack_right_d,
		.kernel = kernel_d,
		.dot = dot_d,
		.add = add_d,
	},
};
