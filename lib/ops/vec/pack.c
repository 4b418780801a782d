// SPDX-License-Identifier: MIT
/* Panels of the factors of products. See gemm.h. */
#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <string.h>

#include "vec.h"

#define PACK(name, T, WIDTH)						\
static void name(void *panel, const void *src, int64_t stride,		\
		 int64_t n, unsigned int width)				\
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
				d[i * WIDTH + k] = s[k * stride + i];	\
	for (k = 0; width < WIDTH && k < width; k++)			\
		for (i = 0; i < n; i++)					\
			d[i * WIDTH + k] = s[k * stride + i];		\
}

#define SPREAD(name, T, WIDTH)						\
static void name(void *panel, int64_t distance, const void *src,	\
		 int64_t n)						\
{									\
	const T *s = src;						\
	T *d = panel;							\
									\
	for (; n >= WIDTH; n -= WIDTH, s += WIDTH, d += distance)	\
		memcpy(d, s, WIDTH * sizeof(T));			\
	if (n > 0) {							\
		memset(d, 0, WIDTH * sizeof(T));			\
		memcpy(d, s, n * sizeof(T));				\
	}								\
}

SPREAD(spread_left_f, float, OPS_MR)
SPREAD(spread_left_d, double, OPS_MR)
SPREAD(spread_right_f, float, OPS_NR)
SPREAD(spread_right_d, double, OPS_NR_OF(double))
PACK(pack_left_d, double, OPS_MR)
PACK(pack_right_d, double, OPS_NR_OF(double))

#ifdef __AVX2__
/* Transpose 8 elements of up to 8 rows, @from apart; other rows are 0. */
static inline __attribute__((always_inline)) void
transpose8(__m256 *column, const float *s, int64_t from, int rows)
{
	__m256 row[8], pair[8], quad[8];
	int i;

	for (i = 0; i < 8; i++)
		row[i] = i < rows ? _mm256_loadu_ps(s + i * from) :
				    _mm256_setzero_ps();
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
		column[i] = _mm256_permute2f128_ps(quad[i], quad[i + 4], 0x20);
		column[i + 4] = _mm256_permute2f128_ps(quad[i], quad[i + 4],
						       0x31);
	}
}

static void pack_left_f(void *panel, const void *src, int64_t stride,
			int64_t n, unsigned int width)
{
	const float *s = src;
	float *d = panel;
	__m256 column[8];
	int64_t i = 0;
	unsigned int k;

	if (width < OPS_MR)
		memset(d, 0, n * OPS_MR * sizeof(float));
	for (; width == OPS_MR && i + 8 <= n; i += 8) {
		transpose8(column, s + i, stride, OPS_MR);
		for (k = 0; k < 8; k++) {
			float *to = d + (i + k) * OPS_MR;

			_mm_storeu_ps(to, _mm256_castps256_ps128(column[k]));
			_mm_storel_pi((__m64 *)(to + 4),
				      _mm256_extractf128_ps(column[k], 1));
		}
	}
	for (; i < n; i++)
		for (k = 0; k < width; k++)
			d[i * OPS_MR + k] = s[k * stride + i];
}

/* Transpose 8 rows into columns, OPS_NR apart. */
static inline void pack8(float *d, const float *s, int64_t stride)
{
	__m256 column[8];
	int i;

	transpose8(column, s, stride, 8);
	for (i = 0; i < 8; i++)
		_mm256_storeu_ps(d + i * OPS_NR, column[i]);
}

static void pack_right_f(void *panel, const void *src, int64_t stride,
			 int64_t n, unsigned int width)
{
	const float *s = src;
	float *d = panel;
	int64_t i = 0;
	unsigned int k;

	if (width < OPS_NR)
		memset(d, 0, n * OPS_NR * sizeof(float));
	for (; width == OPS_NR && i + 8 <= n; i += 8) {
		pack8(d + i * OPS_NR, s + i, stride);
		pack8(d + i * OPS_NR + 8, s + 8 * stride + i, stride);
	}
	for (; i < n; i++)
		for (k = 0; k < width; k++)
			d[i * OPS_NR + k] = s[k * stride + i];
}
#else
PACK(pack_left_f, float, OPS_MR)
PACK(pack_right_f, float, OPS_NR)
#endif

const struct ops_packing V(ops_packings)[2] = {
	[OPS_F] = {
		.left = pack_left_f,
		.right = pack_right_f,
		.spread_left = spread_left_f,
		.spread_right = spread_right_f,
	},
	[OPS_D] = {
		.left = pack_left_d,
		.right = pack_right_d,
		.spread_left = spread_left_d,
		.spread_right = spread_right_d,
	},
};
