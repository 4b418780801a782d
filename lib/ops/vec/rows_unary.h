/* SPDX-License-Identifier: MIT */
/* Rows of operators with one input. See rows.h. */

ROW1(FD, abs, FABS(x))
ROW1(IL, abs, x < 0 ? -x : x)
ROW1(FDIL, neg, -x)
ROW1(FD, sign, x != x ? x : (T)((x > 0) - (x < 0)))
ROW1(IL, sign, (x > 0) - (x < 0))
ROW1(FDIL, square, x * x)
ROW1(FD, floor, FLOOR(x))
ROW1(IL, floor, x)
ROW1(FD, ceil, CEIL(x))
ROW1(IL, ceil, x)
ROW1(FD, trunc, TRUNC(x))
ROW1(IL, trunc, x)
ROW1(IL, round, x)
ROW1(FD, frac, x - TRUNC(x))
ROW1(FD, sqrt, SQRT(x))
ROW1(FD, rsqrt, 1 / SQRT(x))
ROW1(FD, reciprocal, 1 / x)
ROW1(FD, exp, EXP(x))
ROW1(FD, exp2, EXP2(x))
ROW1(FD, expm1, EXPM1(x))
ROW1(FD, log, LOG(x))
ROW1(FD, log2, LOG2(x))
ROW1(FD, log10, LOG10(x))
ROW1(FD, log1p, LOG1P(x))
ROW1(FD, tanh, TANH(x))
ROW1(FD, erf, ERF(x))
/* Functions of libm, rounded from double: rarely used, so not fast. */
ROW1(FD, erfc, erfc(x))
ROW1(FD, tan, tan(x))
ROW1(FD, asin, asin(x))
ROW1(FD, acos, acos(x))
ROW1(FD, atan, atan(x))
ROW1(FD, sinh, sinh(x))
ROW1(FD, cosh, cosh(x))
ROW1(FD, asinh, asinh(x))
ROW1(FD, acosh, acosh(x))
ROW1(FD, atanh, atanh(x))
ROW1(FD, lgamma, lgamma(x))
ROW1(FD, erfinv, erfinv(x))
ROW1(D, sin, sin(x))
ROW1(D, cos, cos(x))

ROW1(FD, isnan, x != x)
ROW1(IL, isnan, (void)x, 0)
ROW1(FD, isinf, FABS(x) == (T)INFINITY)
ROW1(IL, isinf, (void)x, 0)
ROW1(FD, isfinite, FABS(x) < (T)INFINITY)
ROW1(IL, isfinite, (void)x, 1)
ROW1(FD, signbit, COPYSIGN((T)1, x) < 0)
ROW1(IL, signbit, x < 0)
ROW1(FDIL, logical_not, x == 0)
ROW1(IL, bitwise_not, ~x)
ROW1(FDIL, relu, MAX(x, 0))
ROW1(FDIL, relu6, x > 6 ? 6 : MAX(x, 0))
ROW1(FDIL, threshold, x <= P(0) ? P(1) : x)
ROW1(FD, leaky_relu, x > 0 ? x : x * P(0))
ROW1(FD, elu, x > 0 ? x * P(1) : EXPM1(x * P(2)) * (P(0) * P(1)))
ROW1(FD, celu, x > 0 ? x : EXPM1(x / P(0)) * P(0))
ROW1(FD, selu, (T)1.0507009873554805 *
     (x > 0 ? x : EXPM1(x) * (T)1.6732632423543772))
ROW1(FD, sigmoid, SIGMOID(x))
ROW1(FD, logsigmoid, -SOFTPLUS(-x))
ROW1(FD, silu, x * SIGMOID(x))
ROW1(FD, swish, x * SIGMOID(P(0) * x))
ROW1(FD, softplus, x * P(0) > P(1) ? x : SOFTPLUS(x * P(0)) / P(0))
ROW1(FD, mish, x * TANH(SOFTPLUS(x)))
ROW1(FD, hardsigmoid, MIN(MAX(x + 3, 0), 6) / 6)
ROW1(FD, hardswish, x * MIN(MAX(x + 3, 0), 6) / 6)
ROW1(FD, hardtanh, MIN(MAX(x, P(0)), P(1)))
ROW1(FD, hardshrink, FABS(x) <= P(0) ? 0 : x)
ROW1(FD, softshrink, x > P(0) ? x - P(0) : x < -P(0) ? x + P(0) :
     x != x ? x : 0)
ROW1(FD, softsign, x / (1 + FABS(x)))
ROW1(FD, tanhshrink, x - TANH(x))

#define GELU_ERF(x)	(x * NORMAL(x))
#define GELU_TANH(x)	(x * NORMAL_TANH(x))
#define GELU_QUICK(x)	(x * SIGMOID((T)1.702 * x))

#define ROW_GELU(c, CT)							\
ROW1_C(c, CT, gelu_erf, GELU_ERF(x))					\
ROW1_C(c, CT, gelu_tanh, GELU_TANH(x))					\
ROW1_C(c, CT, gelu_quick, GELU_QUICK(x))				\
static void row_gelu_##c(const struct ops_row *r)			\
{									\
	if (r->param[0] == 0)						\
		row_gelu_erf_##c(r);					\
	else if (r->param[0] == 1)					\
		row_gelu_tanh_##c(r);					\
	else								\
		row_gelu_quick_##c(r);					\
}
ROW_GELU(f, float)
ROW_GELU(d, double)

/*
 * A negative number of decimals rounds to tens, hundreds, ... Numbers without
 * decimals stay, however large.
 */
#define ROW_ROUND(c, CT)						\
static void row_round_##c(const struct ops_row *shared)			\
{									\
	OWN_COPY(r, shared);						\
	typedef CT T;							\
	const T *a = r->in[0];						\
	T *o = r->out[0];						\
	T power = pow(10, fabs(r->param[0]));				\
									\
	if (r->param[0] == 0)						\
		LOOP(o[i] = RINT(a[i]);)				\
	else if (r->param[0] > 0)					\
		LOOP(T x = a[i]; T y = RINT(x * power) / power;		\
		     o[i] = FABS(y) < (T)INFINITY ? y : x;)		\
	else								\
		LOOP(o[i] = RINT(a[i] / power) * power;)		\
}
ROW_ROUND(f, float)
ROW_ROUND(d, double)

/* Angles beyond the reach of ops_sincos() are rare: those rows are slow. */
#define ROW_SINCOS(name, quadrants)					\
static void row_##name##_f(const struct ops_row *shared)		\
{									\
	OWN_COPY(r, shared);						\
	const float *a = r->in[0];					\
	float *o = r->out[0];						\
	int32_t most = 0;						\
									\
	/* As integers, of which those of NaN are larger. */		\
	LOOP(int32_t size = ops_bits(a[i]) & 0x7fffffff;		\
	     most = size > most ? size : most;)				\
	if (most <= (int32_t)ops_bits(OPS_ANGLE))			\
		LOOP(o[i] = ops_sincos(a[i], quadrants);)		\
	else								\
		LOOP(float x = a[i];					\
		     o[i] = fabsf(x) <= OPS_ANGLE ?			\
			     ops_sincos(x, quadrants) : (float)name(x);) \
}
ROW_SINCOS(sin, 0)
ROW_SINCOS(cos, 1)

/* Infinite replacements mean the largest number of the type. */
#define ROW_NAN_TO_NUM(c, CT, largest)					\
static void row_nan_to_num_##c(const struct ops_row *shared)		\
{									\
	OWN_COPY(r, shared);						\
	typedef CT T;							\
	const T *a = r->in[0];						\
	T *o = r->out[0];						\
	T nan = P(0), high = P(1), low = P(2);				\
									\
	high = r->param[1] == INFINITY ? largest : high;		\
	low = r->param[2] == -INFINITY ? -largest : low;		\
	LOOP(T x = a[i];						\
	     o[i] = x != x ? nan : x == (T)INFINITY ? high :		\
		    x == -(T)INFINITY ? low : x;)			\
}
ROW_NAN_TO_NUM(f, float, (float)r->param[OPS_ROW_PARAMS - 1])
ROW_NAN_TO_NUM(d, double, r->param[OPS_ROW_PARAMS - 1])
ROW1(IL, nan_to_num, x)
