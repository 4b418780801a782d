// SPDX-License-Identifier: MIT
/* The softmax of attention. See attention.h. */
#ifdef __AVX2__
#include <immintrin.h>
#endif
#include <math.h>

#include "fma.h"
#include "rows.h"

/* The exponential of a number that is not positive; 0 if it is below e^-87. */
static inline float exp_below_one(float x)
{
	float limited = x < -87 ? -87 : x;
	float shifted = ops_fmaf(limited, 1.44269504f, 0x1.8p23f);
	float n = shifted - 0x1.8p23f, r, p;

	r = ops_fmaf(n, -OPS_LN2_HIGH, limited);
	r = ops_fmaf(n, -OPS_LN2_LOW, r);
	p = 1.9890980892e-4f;
	p = ops_fmaf(p, r, 1.3933641032e-3f);
	p = ops_fmaf(p, r, 8.3333109344e-3f);
	p = ops_fmaf(p, r, 4.1666465006e-2f);
	p = ops_fmaf(p, r, 1.6666666682e-1f);
	p = ops_fmaf(p, r, 0.5f);
	p = ops_fmaf(r * r, p, r) + 1;
	p *= ops_float_of((ops_bits(shifted) - ops_bits(0x1.8p23f) + 127) << 23);
	return x < -87 ? 0 : p;
}

/* Raise the limits to the elements; NaN does not count. */
static void raise(float *most, const float *x, int64_t n)
{
	int64_t i;
#ifdef __AVX2__
	__m256 low = _mm256_loadu_ps(most), high = _mm256_loadu_ps(most + 8);

	for (i = 0; i < n; i++, x += OPS_NR) {
		low = _mm256_max_ps(_mm256_loadu_ps(x), low);
		high = _mm256_max_ps(_mm256_loadu_ps(x + 8), high);
	}
	_mm256_storeu_ps(most, low);
	_mm256_storeu_ps(most + 8, high);
#else
	int h;

	for (i = 0; i < n; i++, x += OPS_NR)
		for (h = 0; h < OPS_NR; h++)
			most[h] = x[h] > most[h] ? x[h] : most[h];
#endif
}

void V(ops_softmax_block)(struct ops_softmax *s, float *x, int64_t n,
			  float scale, float *result, int64_t features)
{
	float most[OPS_NR], shift[OPS_NR], factor[OPS_NR], sum[OPS_NR];
	int64_t i, h;
	bool moves = false;

	for (h = 0; h < OPS_NR; h++)
		most[h] = -INFINITY;
	raise(most, x, n);
	for (h = 0; h < OPS_NR; h++) {
		/* A scale that is positive keeps the order. */
		most[h] *= scale;
		most[h] = most[h] > s->most[h] ? most[h] : s->most[h];
		/* Rows without a key so far have no weights. */
		shift[h] = most[h] == -INFINITY ? 0 : most[h];
		factor[h] = exp_below_one(s->most[h] - shift[h]);
		moves |= factor[h] != 1;
		s->most[h] = most[h];
		sum[h] = 0;
	}
	for (i = 0; i < n; i++)
		for (h = 0; h < OPS_NR; h++) {
			float v = exp_below_one(ops_fmaf(x[i * OPS_NR + h],
							 scale, -shift[h]));

			x[i * OPS_NR + h] = v;
			sum[h] += v;
		}
	for (h = 0; h < OPS_NR; h++)
		s->sum[h] = s->sum[h] * factor[h] + sum[h];
	for (i = 0; moves && i < features; i++)
		for (h = 0; h < OPS_NR; h++)
			result[i * OPS_NR + h] *= factor[h];
}

void V(ops_slopes)(float *x, float *slope, int64_t n, float scale,
		   float out_scale, const float *most, const float *factor,
		   const float *dot)
{
	int64_t i, h;

	for (i = 0; i < n; i++, x += OPS_NR, slope += OPS_NR) {
		float weight[OPS_NR];

		for (h = 0; h < OPS_NR; h++)
			weight[h] = factor[h] *
				exp_below_one(ops_fmaf(x[h], scale, -most[h]));
		for (h = 0; h < OPS_NR; h++)
			slope[h] = weight[h] * (slope[h] - dot[h]) * out_scale;
		for (h = 0; h < OPS_NR; h++)
			x[h] = weight[h];
	}
}
