/* SPDX-License-Identifier: MIT */
/*
 * Functions of float that compilers can turn into vector instructions: without
 * branches, calls and tables. The results are the same for every width, within
 * 2 units in the last place, or as said; the tests measure them.
 *
 * The polynomials are Chebyshev fits.
 */
#ifndef VNPU_OPS_VEC_MATH_H
#define VNPU_OPS_VEC_MATH_H

#include <math.h>

#include "half.h"

#define OPS_LN2_HIGH	0x1.62e4p-1f		/* 15 bits: n * it is exact */
#define OPS_LN2_LOW	1.42860682030941723212e-6f

/* 2^n for -126 <= n <= 127. */
static inline float ops_pow2f(int32_t n)
{
	return ops_float_of((uint32_t)(n + 127) << 23);
}

/* e^r - 1 for a small r. */
static inline float ops_expm1_small(float r)
{
	float p = 1.9890980892e-4f;

	p = p * r + 1.3933641032e-3f;
	p = p * r + 8.3333109344e-3f;
	p = p * r + 4.1666465006e-2f;
	p = p * r + 1.6666666682e-1f;
	p = p * r + 0.5f;
	return r * r * p + r;
}

/*
 * x within limits, of which @low is negative; NaN becomes one of them.  Integers, as
 * compilers turn comparisons of floats into code for each case.
 */
static inline float ops_limit(float x, float low, float high)
{
	int32_t top = ops_bits(high), bits = ops_bits(x);
	uint32_t bottom = ops_bits(low), limited = bits < top ? bits : top;

	return ops_float_of(limited < bottom ? limited : bottom);
}

/* x - whole * factor, where the product is exact, so that fusing changes no bit. */
static inline float ops_minus_exact(float x, float whole, float factor)
{
#ifdef __FP_FAST_FMAF
	return __builtin_fmaf(-whole, factor, x);
#else
	return x - whole * factor;
#endif
}

/* Cut x into n * ln 2 + r; return n in the lowest bits of 3 * 2^22. */
static inline uint32_t ops_cut(float x, float *r)
{
	float shifted = x * 1.44269504f + 0x1.8p23f;
	float n = shifted - 0x1.8p23f;

	*r = ops_minus_exact(x, n, OPS_LN2_HIGH) - n * OPS_LN2_LOW;
	return ops_bits(shifted);
}

/*
 * p * 2^n for a p near 1 and n as from ops_cut().  In two steps: the result may be
 * subnormal or infinite.
 */
static inline float ops_scale(float p, uint32_t n)
{
	uint32_t half = (uint32_t)((int32_t)n >> 1);
	float scaled = ops_float_of(ops_bits(p) + (half << 23));

	return scaled * ops_float_of(((n - half) << 23) + ops_bits(1));
}

/* x if that is NaN; then @result must be 0 or positive infinity. */
static inline float ops_keep_nan(float x, float result)
{
	uint32_t nan = -(uint32_t)(x != x) & ops_bits(x);

	return ops_float_of(ops_bits(result) | nan);
}

static inline float ops_expf(float x)
{
	float r;
	uint32_t n = ops_cut(ops_limit(x, -104, 89), &r);

	return ops_keep_nan(x, ops_scale(1 + ops_expm1_small(r), n));
}

static inline float ops_expm1f(float x)
{
	float r, s, p;
	int32_t n = ops_cut(ops_limit(x, -20, 88), &r) - ops_bits(0x1.8p23f);

	n = n > 127 ? 127 : n;
	s = ops_pow2f(n);
	p = s * ops_expm1_small(r) + (s - 1);
	p = x > 87 ? ops_expf(x) : p;
	p = x == 0 ? x : p;
	return x != x ? x : p;
}

static inline float ops_exp2f(float x)
{
	float limited = ops_limit(x, -151, 129), shifted = limited + 0x1.8p23f, p;
	float r = limited - (shifted - 0x1.8p23f);

	p = 1 + ops_expm1_small(r * 0.693147181f);
	return ops_keep_nan(x, ops_scale(p, ops_bits(shifted)));
}

/* Cut x > 0 into 2^n * (1 + f), where 1 + f is between sqrt(1/2) and sqrt(2). */
static inline float ops_cut_log(float x, float *f)
{
	float scaled = x < 0x1p-126f ? x * 0x1p23f : x;
	float offset = x < 0x1p-126f ? -23 : 0;
	uint32_t bits = ops_bits(scaled) - 0x3f3504f3U;
	int32_t n = (int32_t)bits >> 23;

	*f = ops_float_of((bits & 0x7fffffU) + 0x3f3504f3U) - 1;
	return (float)n + offset;
}

/* log(1 + f) - f. */
static inline float ops_log_rest(float f)
{
	float p = 6.9716114515e-2f;

	p = p * f - 1.1479733847e-1f;
	p = p * f + 1.1685419923e-1f;
	p = p * f - 1.2425687331e-1f;
	p = p * f + 1.4249057646e-1f;
	p = p * f - 1.6667802320e-1f;
	p = p * f + 2.0000715749e-1f;
	p = p * f - 2.4999996957e-1f;
	p = p * f + 3.3333331180e-1f;
	return f * f * (f * p - 0.5f);
}

static inline float ops_log_special(float x, float result)
{
	result = x == 0 ? -INFINITY : result;
	result = x == INFINITY ? INFINITY : result;
	return x < 0 || x != x ? NAN : result;
}

static inline float ops_logf(float x)
{
	float f, n = ops_cut_log(x, &f);

	f = (n * OPS_LN2_LOW + ops_log_rest(f)) + f + n * OPS_LN2_HIGH;
	return ops_log_special(x, f);
}

/* Within 2 units; exact for powers of 2. In double, as factors are not exact. */
static inline float ops_log_base(float x, double per_ln, double per_octave)
{
	float f, n = ops_cut_log(x, &f);
	double log = (double)f + ops_log_rest(f);

	return ops_log_special(x, (float)(log * per_ln + n * per_octave));
}

static inline float ops_log2f(float x)
{
	return ops_log_base(x, 1.4426950408889634, 1);
}

static inline float ops_log10f(float x)
{
	return ops_log_base(x, 0.43429448190325183, 0.30102999566398120);
}

static inline float ops_log1pf(float x)
{
	float u = 1 + x, result;

	/* Add the digits that the sum has lost, divided by the derivative. */
	result = ops_logf(u) + (x - (u - 1)) / u;
	result = u == 1 ? x : result;
	result = x == INFINITY ? x : result;
	return x == -1 ? -INFINITY : result;
}

static inline double ops_minus_exact64(double x, double whole, double factor)
{
#ifdef __FP_FAST_FMA
	return __builtin_fma(-whole, factor, x);
#else
	return x - whole * factor;
#endif
}

/* The largest angle that ops_sincos() reduces. */
#define OPS_ANGLE	1.0e6f

/* sin(x + quadrants * pi / 2), up to OPS_ANGLE. */
static inline float ops_sincos(float x, int32_t quadrants)
{
	/* As in ops_cut(); the first constant has 33 bits, so its product is exact. */
	double n = (x * 0.63661977236758134 + 0x1.8p52) - 0x1.8p52;
	float r = ops_minus_exact64(x, n, 1.57079632673412561417) -
		  n * 6.07710050650619224932e-11;
	/* n again, which is wrong by less than 0.1 before it is rounded. */
	float whole = (x - r) * 0.63661977f + 0x1.8p23f;
	uint32_t q = ops_bits(whole) + quadrants;
	float z = r * r, s, c, result;

	s = 2.7249620e-6f;
	s = s * z - 1.98400844e-4f;
	s = s * z + 8.33333187e-3f;
	s = s * z - 1.66666667e-1f;
	s = s * z * r + r;
	c = -2.73007040e-7f;
	c = c * z + 2.48005984e-5f;
	c = c * z - 1.38888877e-3f;
	c = c * z + 4.16666667e-2f;
	c = c * z * z - 0.5f * z + 1;
	result = (int32_t)(q << 31) < 0 ? c : s;
	return ops_float_of(ops_bits(result) ^ (q & 2) << 30);
}

static inline float ops_tanhf(float x)
{
	float size = fabsf(x), z = x * x, small, large;

	small = 2.2927448162e-3f;
	small = small * z - 8.3439455158e-3f;
	small = small * z + 2.1768918651e-2f;
	small = small * z - 5.3959259578e-2f;
	small = small * z + 1.3333303556e-1f;
	small = small * z - 3.3333333172e-1f;
	small = small * z * size + size;
	large = 1 - 2 / (ops_expf(2 * size) + 1);
	return copysignf(size < 0.625f ? small : large, x);
}

static inline float ops_erff(float x)
{
	float size = fabsf(x), z = x * x, small, large, t;

	small = -9.6670446e-6f;
	small = small * z + 1.126595903e-4f;
	small = small * z - 8.484080406e-4f;
	small = small * z + 5.2210318e-3f;
	small = small * z - 2.68654307e-2f;
	small = small * z + 1.12837825e-1f;
	small = small * z - 3.761263847e-1f;
	small = small * z + 1.2837916706e-1f;
	small = small * size + size;

	t = size > 4 ? 4 : size;
	large = -1.6226791711e-6f;
	large = large * t + 4.5786247002e-5f;
	large = large * t - 5.9463179512e-4f;
	large = large * t + 4.7499351178e-3f;
	large = large * t - 2.6395054509e-2f;
	large = large * t + 1.1003628459e-1f;
	large = large * t + 6.3187076429e-1f;
	large = large * t + 1.1302080297f;
	large = large * t - 3.1397709e-4f;
	large = 1 - ops_expf(-large);
	large = size < 1 ? small : large;
	return copysignf(x != x ? x : large, x);
}

/* 2^e / 2 for -126 <= e <= 128; @e is cut as by ops_cut(). */
static inline float ops_half_exp2f(float e)
{
	float shifted = e + 0x1.8p23f, r = e - (shifted - 0x1.8p23f), z = r * r;
	float even, odd, p;

	even = 7.67290099e-5f * z + 4.8092445e-3f;
	odd = 6.69996557e-4f * z + 2.77516439e-2f;
	even = even * z + 1.20113234e-1f;
	odd = odd * z + 3.46573603e-1f;
	p = (even * z + odd * r) + 0.5f;
	return ops_float_of(ops_bits(p) + (ops_bits(shifted) << 23));
}

/*
 * The part of a normal distribution below x: (1 + erf(x / sqrt(2))) / 2, within 3
 * units from -1 on, and 10 from -3 on.  The smaller part is 2^e / 2, where e / |x| is a
 * polynomial, and 0 beyond 6.  NaN gives a number; callers multiply it by x.
 *
 * The coefficients are those of the least maximal error of e, in units that grow from
 * 0.4 at 0 to 2 at 3, found by Lawson's iteration of weighted least squares; the
 * first ones are rounded, and the others fitted again.  e is wrong by 2.2 units at
 * most up to 3, and by 9.4 with its rounding.
 */
static inline float ops_normalf(float x)
{
	float size = fabsf(x), z = x * x, even, odd, e, p, whole;

	even = 2.45809474e-7f * z + 4.9543276e-5f;
	odd = -5.48551679e-6f * z - 2.00444527e-4f;
	even = even * z - 1.42811215e-4f;
	odd = odd * z + 7.10098119e-3f;
	even = even * z - 5.25340736e-2f;
	odd = odd * z - 4.59193885e-1f;
	even = even * z - 1.15110683f;
	e = (odd * size + even) * size;
	p = ops_float_of(-(uint32_t)(size <= 6) & ops_bits(ops_half_exp2f(e)));
	/* p or 1 - p, as the sign of x says. */
	whole = ops_float_of(~((int32_t)ops_bits(x) >> 31) & ops_bits(1));
	return fabsf(whole - p);
}

/*
 * The same by tanh: 1 / (1 + e^-2u), where u = sqrt(2 / pi) * (x + 0.044715 x^3), within
 * 2 units from -1 on, and 7 from -3 on.
 */
static inline float ops_normal_tanhf(float x)
{
	float e = (-1.02943240e-1f * (x * x) - 2.30220819f) * x;

	/* 2^128 is infinite. */
	return 1 / (1 + 2 * ops_half_exp2f(ops_limit(e, -126, 128)));
}

static inline float ops_sigmoidf(float x)
{
	return 1 / (1 + ops_expf(-x));
}

/* log(1 + e^x), without overflow. */
static inline float ops_softplusf(float x)
{
	return (x > 0 ? x : 0) + ops_log1pf(ops_expf(-fabsf(x)));
}

/*
 * The product of exponent and logarithm needs the digits of a double.  All conditions
 * are those of floats: masks of doubles would have to be narrowed.
 */
static inline float ops_powf(float x, float y)
{
	float size = fabsf(x), limit = fabsf(y), half = limit * 0.5f;
	float whole = __builtin_truncf(limit), result, edge, e32;
	double m, n, s, z, p, e, k, r;
	uint64_t bits = ops_bits64(size) - 0x3fe6a09e667f3bcdULL;
	/* Numbers beyond 2^24 are even. */
	bool is_integer = whole == limit;
	bool is_odd = is_integer & (__builtin_truncf(half) != half);

	/*
	 * The exponent becomes a double when it is added to the lowest bits of
	 * 3 * 2^51. It is made positive for the shift.
	 */
	n = ops_double_of(0x4338000000000000ULL - 2048 +
			  ((bits + ((uint64_t)1 << 63)) >> 52)) - 0x1.8p52;
	m = ops_double_of((bits & 0xfffffffffffffULL) + 0x3fe6a09e667f3bcdULL);
	s = (m - 1) / (m + 1);
	z = s * s;
	p = 0.21370730974693703;
	p = p * z + 0.22090845571959944;
	p = p * z + 0.26233452551821704;
	p = p * z + 0.32059853172966172;
	p = p * z + 0.41219858587073240;
	p = p * z + 0.57707801634538850;
	p = p * z + 0.96179669392598994;
	p = p * z + 2.88539008177792681;
	e = (n + s * p) * y;
	e32 = e;

	k = (e + 0x1.8p52) - 0x1.8p52;
	r = e - k;
	p = 1.0205905413765596e-7;
	p = p * r + 1.3259645244887110e-6;
	p = p * r + 1.5252672924850736e-5;
	p = p * r + 1.5403433751251009e-4;
	p = p * r + 1.3333558200794593e-3;
	p = p * r + 9.6181291939343134e-3;
	p = p * r + 5.5504108664651672e-2;
	p = p * r + 2.4022650695640340e-1;
	p = p * r + 6.9314718055994616e-1;
	p = p * r + 1;
	result = p * ops_double_of((ops_bits64(k + 0x1.8p52) + 1023) << 52);
	result = e32 > 130 ? INFINITY : result;
	result = e32 < -152 ? 0 : result;

	/* Zero and infinity, of which the logarithm is infinite, too. */
	edge = (size > 1) == (y > 0) ? INFINITY : 0;
	result = (size == 0) | (size == INFINITY) ? edge : result;
	edge = size == 1 ? 1 : edge;
	result = limit == INFINITY ? edge : result;
	edge = ops_float_of(ops_bits(result) |
			    (is_odd ? ops_bits(x) & 0x80000000U : 0));
	edge = (x < 0) & !is_integer & (size != INFINITY) ? NAN : edge;
	result = (x != x) | (y != y) ? NAN : edge;
	return (y == 0) | (x == 1) ? 1 : result;
}

#endif
