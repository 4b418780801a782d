// SPDX-License-Identifier: GPL-2.0-only
/* The elementwise operators as functions of doubles. */
#include <math.h>

#include "map_cases.h"

#define REF(name, ...)							\
static double ref_##name(double x, double y, double z, const double *p)	\
{									\
	(void)x, (void)y, (void)z, (void)p;				\
	return __VA_ARGS__;						\
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double softplus(double x)
{
	return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static double phi(double x)
{
	return erfc(-x / sqrt(2)) / 2;
}

static double gelu_tanh(double x)
{
	return x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double gelu(double x, double approximate)
{
	return approximate == 0 ? x * phi(x) :
	       approximate == 1 ? gelu_tanh(x) : x * sigmoid(1.702 * x);
}

/* The derivative, by differences. */
static double slope(double (*f)(double x, double p), double x, double p)
{
	double h = 1e-5;

	return (f(x + h, p) - f(x - h, p)) / (2 * h);
}

static double mish(double x, double unused)
{
	(void)unused;
	return x * tanh(softplus(x));
}

static double silu(double x, double unused)
{
	(void)unused;
	return x * sigmoid(x);
}

static double swish(double x, double beta)
{
	return x * sigmoid(beta * x);
}

static double floor_mod(double x, double y)
{
	double rest = fmod(x, y);

	return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

REF(abs, fabs(x))
REF(neg, -x)
REF(sign, (x > 0) - (x < 0))
REF(square, x * x)
REF(floor, floor(x))
REF(ceil, ceil(x))
REF(trunc, trunc(x))
/* With decimals, only floating-point numbers are rounded. */
REF(round, nearbyint(x * pow(10, p[0])) / pow(10, p[0]))
REF(frac, x - trunc(x))
REF(sqrt, sqrt(x))
REF(rsqrt, 1 / sqrt(x))
REF(reciprocal, 1 / x)
REF(exp, exp(x))
REF(exp2, exp2(x))
REF(expm1, expm1(x))
REF(log, log(x))
REF(log2, log2(x))
REF(log10, log10(x))
REF(log1p, log1p(x))
REF(sin, sin(x))
REF(cos, cos(x))
REF(tanh, tanh(x))
REF(erf, erf(x))
REF(erfc, erfc(x))
REF(tan, tan(x))
REF(asin, asin(x))
REF(acos, acos(x))
REF(atan, atan(x))
REF(sinh, sinh(x))
REF(cosh, cosh(x))
REF(asinh, asinh(x))
REF(acosh, acosh(x))
REF(atanh, atanh(x))
REF(lgamma, lgamma(x))
REF(isnan, x != x)
REF(isinf, fabs(x) == INFINITY)
REF(isfinite, fabs(x) < INFINITY)
REF(signbit, x < 0)
REF(logical_not, x == 0)
REF(bitwise_not, (double)~(int64_t)x)
REF(relu, fmax(x, 0))
REF(relu6, fmin(fmax(x, 0), 6))
REF(threshold, x <= p[0] ? p[1] : x)
REF(leaky_relu, x > 0 ? x : p[0] * x)
REF(elu, x > 0 ? p[1] * x : p[0] * p[1] * expm1(p[2] * x))
REF(celu, x > 0 ? x : p[0] * expm1(x / p[0]))
REF(selu, 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * expm1(x)))
REF(sigmoid, sigmoid(x))
REF(logsigmoid, -softplus(-x))
REF(silu, silu(x, 0))
REF(swish, x * sigmoid(p[0] * x))
REF(gelu, gelu(x, p[0]))
REF(softplus, p[0] * x > p[1] ? x : softplus(p[0] * x) / p[0])
REF(mish, mish(x, 0))
REF(hardsigmoid, fmin(fmax(x + 3, 0), 6) / 6)
REF(hardswish, x * fmin(fmax(x + 3, 0), 6) / 6)
REF(hardtanh, fmin(fmax(x, p[0]), p[1]))
REF(hardshrink, fabs(x) <= p[0] ? 0 : x)
REF(softshrink, x > p[0] ? x - p[0] : x < -p[0] ? x + p[0] : 0)
REF(softsign, x / (1 + fabs(x)))
REF(tanhshrink, x - tanh(x))
REF(add, x + p[0] * y)
REF(sub, x - p[0] * y)
REF(rsub, y - p[0] * x)
REF(mul, x * y)
REF(div, x / y)
REF(div_trunc, trunc(x / y))
REF(div_floor, floor(x / y))
REF(remainder, floor_mod(x, y))
REF(fmod, fmod(x, y))
REF(pow, pow(x, y))
REF(maximum, fmax(x, y))
REF(minimum, fmin(x, y))
static double gcd(double x, double y)
{
	return y == 0 ? fabs(x) : gcd(y, fmod(x, y));
}
REF(gcd, gcd(x, y))
REF(atan2, atan2(x, y))
REF(hypot, hypot(x, y))
REF(copysign, copysign(x, y))
REF(logaddexp, fmax(x, y) + log1p(exp(-fabs(x - y))))
REF(xlogy, x == 0 ? 0 : x * log(y))
REF(heaviside, x == 0 ? y : x > 0)
REF(squared_difference, (x - y) * (x - y))
REF(prelu, x > 0 ? x : x * y)
REF(eq, x == y)
REF(ne, x != y)
REF(gt, x > y)
REF(ge, x >= y)
REF(lt, x < y)
REF(le, x <= y)
REF(logical_and, x != 0 && y != 0)
REF(logical_or, x != 0 || y != 0)
REF(logical_xor, (x != 0) != (y != 0))
REF(bitwise_and, (double)((int64_t)x & (int64_t)y))
REF(bitwise_or, (double)((int64_t)x | (int64_t)y))
REF(bitwise_xor, (double)((int64_t)x ^ (int64_t)y))
REF(silu_mul, x * sigmoid(x) * y)
REF(gelu_mul, gelu(x, p[0]) * y)
REF(sigmoid_mul, sigmoid(x) * y)
REF(relu_mul, fmax(x, 0) * y)
REF(threshold_backward, y <= p[0] ? 0 : x)
REF(leaky_relu_backward, y > 0 ? x : x * p[0])
REF(elu_backward, y > 0 ? x * p[1] : x * p[0] * p[1] * p[2] * exp(p[2] * y))
REF(sigmoid_backward, x * y * (1 - y))
REF(tanh_backward, x * (1 - y * y))
REF(silu_backward, x * slope(silu, y, 0))
REF(gelu_backward, x * slope(gelu, y, p[0]))
REF(softplus_backward, p[0] * y > p[1] ? x : x * sigmoid(p[0] * y))
REF(hardsigmoid_backward, fabs(y) < 3 ? x / 6 : 0)
REF(hardswish_backward, y <= -3 ? 0 : y < 3 ? x * (y / 3 + 0.5) : x)
REF(hardtanh_backward, y > p[0] && y < p[1] ? x : 0)
REF(hardshrink_backward, fabs(y) <= p[0] ? 0 : x)
REF(swish_backward, x * slope(swish, y, p[0]))
REF(logsigmoid_backward, x * sigmoid(-y))
REF(mish_backward, x * slope(mish, y, 0))
REF(where, x != 0 ? y : z)
REF(clamp, fmin(fmax(x, y), z))
REF(addcmul, x + p[0] * y * z)
REF(addcdiv, x + p[0] * y / z)
REF(lerp, x + z * (y - x))

const struct map_case map_cases[] = {
#define CASE(upper, name, low, high, ulps, scale, ...)			\
	{ VNPU_OP_##upper, ref_##name, low, high, ulps, scale, { __VA_ARGS__ } }
	CASE(ABS, abs, -100, 100, 0, 0),
	CASE(NEG, neg, -100, 100, 0, 0),
	CASE(SIGN, sign, -2, 2, 0, 0),
	CASE(SQUARE, square, -10, 10, 0.5, 0),
	CASE(FLOOR, floor, -100, 100, 0, 0),
	CASE(CEIL, ceil, -100, 100, 0, 0),
	CASE(TRUNC, trunc, -100, 100, 0, 0),
	CASE(ROUND, round, -100, 100, 0, 0, 0),
	CASE(ROUND, round, -100, 100, 0, 0, -1),
	CASE(FRAC, frac, -100, 100, 0, 0),
	CASE(SQRT, sqrt, 0, 100, 0.51, 0),
	CASE(RSQRT, rsqrt, 0.1, 100, 1.5, 0),
	CASE(RECIPROCAL, reciprocal, 0.1, 100, 0.51, 0),
	CASE(EXP, exp, -100, 80, 2, 0),
	CASE(EXP2, exp2, -140, 120, 2, 0),
	CASE(EXPM1, expm1, -10, 10, 2, 0),
	CASE(LOG, log, 1e-3, 1000, 2, 0),
	CASE(LOG2, log2, 1e-3, 1000, 2, 0),
	CASE(LOG10, log10, 1e-3, 1000, 2, 0),
	CASE(LOG1P, log1p, -0.9, 10, 2, 0),
	CASE(SIN, sin, -100, 100, 2, 1e-3),
	CASE(COS, cos, -100, 100, 2, 1e-3),
	CASE(SIN, sin, -1e8, 1e8, 2, 1e-2),
	CASE(TANH, tanh, -10, 10, 3, 0),
	CASE(ERF, erf, -5, 5, 2, 0),
	CASE(ERFC, erfc, -5, 5, 0.6, 0),
	CASE(TAN, tan, -1, 1, 0.6, 0),
	CASE(ASIN, asin, -1, 1, 0.6, 0),
	CASE(ACOS, acos, -1, 1, 0.6, 0),
	CASE(ATAN, atan, -10, 10, 0.6, 0),
	CASE(SINH, sinh, -10, 10, 0.6, 0),
	CASE(COSH, cosh, -10, 10, 0.6, 0),
	CASE(ASINH, asinh, -10, 10, 0.6, 0),
	CASE(ACOSH, acosh, 1, 10, 0.6, 0),
	CASE(ATANH, atanh, -0.9, 0.9, 0.6, 0),
	CASE(LGAMMA, lgamma, 0.1, 10, 0.6, 1e-3),
	CASE(ISNAN, isnan, -1, 1, 0, 0),
	CASE(ISINF, isinf, -1, 1, 0, 0),
	CASE(ISFINITE, isfinite, -1, 1, 0, 0),
	CASE(SIGNBIT, signbit, -2, 2, 0, 0),
	CASE(LOGICAL_NOT, logical_not, -2, 2, 0, 0),
	CASE(BITWISE_NOT, bitwise_not, -100, 100, 0, 0),
	CASE(RELU, relu, -10, 10, 0, 0),
	CASE(RELU6, relu6, -10, 10, 0, 0),
	CASE(THRESHOLD, threshold, -10, 10, 0, 0, 1, 3),
	CASE(LEAKY_RELU, leaky_relu, -10, 10, 1, 0, 0.1),
	CASE(ELU, elu, -10, 10, 4, 0, 1.5, 2, 0.5),
	CASE(CELU, celu, -10, 10, 4, 0, 1.5),
	CASE(SELU, selu, -10, 10, 4, 0),
	CASE(SIGMOID, sigmoid, -30, 30, 4, 0),
	CASE(LOGSIGMOID, logsigmoid, -30, 30, 4, 0),
	CASE(SILU, silu, -30, 30, 4, 0),
	CASE(SWISH, swish, -8, 10, 8, 0, 0.7),
	CASE(GELU, gelu, -3, 10, 4, 1, 0),
	CASE(GELU, gelu, -3, 10, 8, 1, 1),
	CASE(GELU, gelu, -3, 10, 8, 1, 2),
	CASE(SOFTPLUS, softplus, -10, 30, 4, 0, 2, 20),
	CASE(MISH, mish, -10, 10, 8, 0.01),
	CASE(HARDSIGMOID, hardsigmoid, -5, 5, 1, 0.1),
	CASE(HARDSWISH, hardswish, -5, 5, 2, 0.1),
	CASE(HARDTANH, hardtanh, -5, 5, 0, 0, -2, 3),
	CASE(HARDSHRINK, hardshrink, -5, 5, 0, 0, 2),
	CASE(SOFTSHRINK, softshrink, -5, 5, 1, 0, 2),
	CASE(SOFTSIGN, softsign, -5, 5, 1.5, 0),
	CASE(TANHSHRINK, tanhshrink, -5, 5, 4, 1),
	CASE(ADD, add, -50, 50, 1, 50, 2),
	CASE(SUB, sub, -50, 50, 1, 50, 1),
	CASE(RSUB, rsub, -50, 50, 1, 50, 1),
	CASE(MUL, mul, -10, 10, 0.51, 0),
	CASE(DIV, div, 1, 20, 0.51, 0),
	CASE(DIV_TRUNC, div_trunc, 1, 100, 0, 0),
	CASE(DIV_FLOOR, div_floor, 1, 100, 0, 0),
	CASE(REMAINDER, remainder, 1, 100, 1, 0),
	CASE(FMOD, fmod, 1, 100, 0, 0),
	CASE(POW, pow, 0.1, 4, 1, 0),
	CASE(MAXIMUM, maximum, -100, 100, 0, 0),
	CASE(MINIMUM, minimum, -100, 100, 0, 0),
	CASE(ATAN2, atan2, -10, 10, 0.6, 0),
	CASE(HYPOT, hypot, -10, 10, 0.6, 0),
	CASE(COPYSIGN, copysign, -10, 10, 0, 0),
	CASE(LOGADDEXP, logaddexp, -10, 10, 4, 1),
	CASE(XLOGY, xlogy, 0.5, 10, 4, 0),
	CASE(HEAVISIDE, heaviside, -2, 2, 0, 0),
	CASE(SQUARED_DIFFERENCE, squared_difference, -10, 10, 2, 1),
	CASE(PRELU, prelu, -10, 10, 0.51, 0),
	CASE(EQ, eq, -2, 2, 0, 0),
	CASE(NE, ne, -2, 2, 0, 0),
	CASE(GT, gt, -2, 2, 0, 0),
	CASE(GE, ge, -2, 2, 0, 0),
	CASE(LT, lt, -2, 2, 0, 0),
	CASE(LE, le, -2, 2, 0, 0),
	CASE(LOGICAL_AND, logical_and, -1, 1, 0, 0),
	CASE(LOGICAL_OR, logical_or, -1, 1, 0, 0),
	CASE(LOGICAL_XOR, logical_xor, -1, 1, 0, 0),
	CASE(GCD, gcd, -100, 100, 0, 0),
	CASE(BITWISE_AND, bitwise_and, -100, 100, 0, 0),
	CASE(BITWISE_OR, bitwise_or, -100, 100, 0, 0),
	CASE(BITWISE_XOR, bitwise_xor, -100, 100, 0, 0),
	CASE(SILU_MUL, silu_mul, -10, 10, 4, 0),
	CASE(GELU_MUL, gelu_mul, -3, 10, 8, 1, 0),
	CASE(GELU_MUL, gelu_mul, -3, 10, 8, 1, 1),
	CASE(GELU_MUL, gelu_mul, -3, 10, 8, 1, 2),
	CASE(SIGMOID_MUL, sigmoid_mul, -10, 10, 4, 0),
	CASE(RELU_MUL, relu_mul, -10, 10, 0.51, 0),
	CASE(THRESHOLD_BACKWARD, threshold_backward, -5, 5, 0, 0, 1),
	CASE(LEAKY_RELU_BACKWARD, leaky_relu_backward, -5, 5, 1, 0, 0.1),
	CASE(ELU_BACKWARD, elu_backward, -5, 5, 6, 0, 1.5, 2, 0.5),
	CASE(SIGMOID_BACKWARD, sigmoid_backward, -5, 5, 3, 1),
	CASE(TANH_BACKWARD, tanh_backward, -5, 5, 3, 1),
	CASE(SILU_BACKWARD, silu_backward, -5, 5, 8, 1),
	CASE(GELU_BACKWARD, gelu_backward, -5, 5, 8, 1, 0),
	CASE(GELU_BACKWARD, gelu_backward, -5, 5, 8, 1, 1),
	CASE(GELU_BACKWARD, gelu_backward, -5, 5, 8, 1, 2),
	CASE(SOFTPLUS_BACKWARD, softplus_backward, -5, 5, 4, 0, 2, 20),
	CASE(HARDSIGMOID_BACKWARD, hardsigmoid_backward, -5, 5, 1, 0),
	CASE(HARDSWISH_BACKWARD, hardswish_backward, -5, 5, 3, 1),
	CASE(HARDTANH_BACKWARD, hardtanh_backward, -5, 5, 0, 0, -2, 3),
	CASE(HARDSHRINK_BACKWARD, hardshrink_backward, -5, 5, 0, 0, 2),
	CASE(SOFTSHRINK_BACKWARD, hardshrink_backward, -5, 5, 0, 0, 2),
	CASE(SWISH_BACKWARD, swish_backward, -5, 5, 8, 1, 0.7),
	CASE(LOGSIGMOID_BACKWARD, logsigmoid_backward, -5, 5, 4, 0),
	CASE(MISH_BACKWARD, mish_backward, -5, 5, 8, 1),
	CASE(WHERE, where, -2, 2, 0, 0),
	CASE(CLAMP, clamp, -10, 10, 0, 0),
	CASE(ADDCMUL, addcmul, -5, 5, 2, 100, 2),
	CASE(ADDCDIV, addcdiv, 1, 10, 2, 20, 0.5),
	CASE(LERP, lerp, -5, 5, 2, 40),
};

const unsigned int map_case_count = ARRAY_SIZE(map_cases);
