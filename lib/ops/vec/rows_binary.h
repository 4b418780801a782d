/* SPDX-License-Identifier: MIT */
/* Rows of operators with two inputs. See rows.h. */

ROW2(FDIL, add, x + P(0) * y)
ROW2(FDIL, sub, x - P(0) * y)
ROW2(FDIL, rsub, y - P(0) * x)
ROW2(FDIL, mul, x * y)
ROW2(FD, div, x / y)

/* Without the traps of the processor: at 0, and at the lowest number by -1. */
#define QUOTIENT(x, y)	((y) == 0 ? 0 : (y) == -1 ? -(x) : (x) / (y))
#define REST(x, y)	((y) == 0 || (y) == -1 ? 0 : (x) % (y))
#define MIXED(x, y)	(((x) < 0) != ((y) < 0))

ROW2(FD, div_trunc, TRUNC(x / y))
ROW2(IL, div_trunc, QUOTIENT(x, y))
ROW2(IL, div_floor, QUOTIENT(x, y) - (REST(x, y) != 0 && MIXED(x, y)))
ROW2(IL, remainder, REST(x, y) != 0 && MIXED(x, y) ? REST(x, y) + y :
     REST(x, y))
ROW2(FD, fmod, FMOD(x, y))
ROW2(IL, fmod, REST(x, y))

#define ROW_FLOOR(c, CT)						\
static inline CT div_floor_##c(CT x, CT y)				\
{									\
	CT rest = FMOD(x, y), quotient = (x - rest) / y, whole;		\
									\
	if (y == 0)							\
		return x / y;						\
	if (rest != 0 && MIXED(rest, y))				\
		quotient -= 1;						\
	whole = FLOOR(quotient);					\
	if (quotient - whole > (CT)0.5)					\
		whole += 1;						\
	return quotient == 0 ? COPYSIGN((CT)0, x / y) : whole;		\
}									\
static inline CT remainder_##c(CT x, CT y)				\
{									\
	CT rest = FMOD(x, y);						\
									\
	return rest != 0 && MIXED(rest, y) ? rest + y : rest;		\
}									\
ROW2_C(c, CT, div_floor, div_floor_##c(x, y))				\
ROW2_C(c, CT, remainder, remainder_##c(x, y))
ROW_FLOOR(f, float)
ROW_FLOOR(d, double)

/* By squaring; a negative exponent gives the integer part. */
static inline int64_t power(int64_t x, int64_t y)
{
	int64_t result = 1;

	if (y < 0)
		return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
	for (; y; y >>= 1, x *= x)
		if (y & 1)
			result *= x;
	return result;
}
ROW2(FD, pow, POW(x, y))
ROW2(IL, pow, power(x, y))

ROW2(FDIL, maximum, MAX(x, y))
ROW2(FDIL, minimum, MIN(x, y))
ROW2(FD, atan2, atan2(x, y))
ROW2_C(f, float, hypot, (float)sqrt((double)x * x + (double)y * y))
ROW2_C(d, double, hypot, hypot(x, y))
ROW2(FD, copysign, COPYSIGN(x, y))
ROW2(FD, logaddexp, x == y ? x + (T)0.69314718055994531 :
     MAX(x, y) + LOG1P(EXP(-FABS(x - y))))
ROW2(FD, xlogy, x == 0 && y == y ? 0 : x * LOG(y))
ROW2(FD, heaviside, x != x ? x : x == 0 ? y : (T)(x > 0))
ROW2(IL, heaviside, x == 0 ? y : x > 0)
ROW2(FDIL, squared_difference, (x - y) * (x - y))
ROW2(FD, prelu, x > 0 ? x : x * y)

ROW2(FDIL, eq, x == y)
ROW2(FDIL, ne, x != y)
ROW2(FDIL, gt, x > y)
ROW2(FDIL, ge, x >= y)
ROW2(FDIL, lt, x < y)
ROW2(FDIL, le, x <= y)
ROW2(FDIL, logical_and, x != 0 && y != 0)
ROW2(FDIL, logical_or, x != 0 || y != 0)
ROW2(FDIL, logical_xor, (x != 0) != (y != 0))
ROW2(IL, bitwise_and, x & y)
ROW2(IL, bitwise_or, x | y)
ROW2(IL, bitwise_xor, x ^ y)

/* By Euclid; the magnitude of the lowest number is one, too. */
static inline int64_t gcd(int64_t x, int64_t y)
{
	uint64_t a = x < 0 ? -(uint64_t)x : (uint64_t)x;
	uint64_t b = y < 0 ? -(uint64_t)y : (uint64_t)y;

	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return (int64_t)a;
}
ROW2(IL, gcd, gcd(x, y))

#define IN_WIDTH(y)	((y) >= 0 && (y) < (T)(8 * sizeof(T)))
ROW2(IL, shift_left, IN_WIDTH(y) ? (T)((uint64_t)x << (y & 63)) : 0)
ROW2(IL, shift_right, IN_WIDTH(y) ? x >> (y & (8 * sizeof(T) - 1)) : 0)

ROW2(FD, silu_mul, x * SIGMOID(x) * y)
ROW2(FD, sigmoid_mul, SIGMOID(x) * y)
ROW2(FD, relu_mul, MAX(x, 0) * y)

#define ROW_GELU_MUL(c, CT)						\
ROW2_C(c, CT, gelu_erf_mul, GELU_ERF(x) * y)				\
ROW2_C(c, CT, gelu_tanh_mul, GELU_TANH(x) * y)				\
ROW2_C(c, CT, gelu_quick_mul, GELU_QUICK(x) * y)			\
static void row_gelu_mul_##c(const struct ops_row *r)			\
{									\
	if (r->param[0] == 0)						\
		row_gelu_erf_mul_##c(r);				\
	else if (r->param[0] == 1)					\
		row_gelu_tanh_mul_##c(r);				\
	else								\
		row_gelu_quick_mul_##c(r);				\
}
ROW_GELU_MUL(f, float)
ROW_GELU_MUL(d, double)

/* Gradients: x is that of the output, y the input or the output. */
ROW2(FD, threshold_backward, y <= P(0) ? 0 : x)
ROW2(FD, leaky_relu_backward, y > 0 ? x : x * P(0))
ROW2(FD, elu_backward, y > 0 ? x * P(1) :
     x * (P(0) * P(1) * P(2)) * EXP(y * P(2)))
ROW2(FD, sigmoid_backward, x * (1 - y) * y)
ROW2(FD, tanh_backward, x * (1 - y * y))
ROW2(FD, silu_backward, x * SIGMOID(y) * (1 + y * (1 - SIGMOID(y))))
ROW2(FD, softplus_backward, y * P(0) > P(1) ? x : x * SIGMOID(y * P(0)))
ROW2(FD, hardsigmoid_backward, y > -3 && y < 3 ? x / 6 : 0)
ROW2(FD, hardswish_backward, y <= -3 ? 0 : y < 3 ? x * (y / 3 + (T)0.5) : x)
ROW2(FD, hardtanh_backward, y > P(0) && y < P(1) ? x : 0)
ROW2(FD, hardshrink_backward, FABS(y) <= P(0) ? 0 : x)
ROW2(FD, softshrink_backward, FABS(y) <= P(0) ? 0 : x)
ROW2(FD, swish_backward, x * SIGMOID(P(0) * y) *
     (1 + P(0) * y * SIGMOID(-P(0) * y)))
ROW2(FD, logsigmoid_backward, x * SIGMOID(-y))
ROW2(FD, mish_backward, x * (TANH(SOFTPLUS(y)) + y * SIGMOID(y) *
     (1 - TANH(SOFTPLUS(y)) * TANH(SOFTPLUS(y)))))

#define ROW_GELU_BACKWARD(c, CT)					\
static inline CT gelu_tanh_slope_##c(CT y)				\
{									\
	typedef CT T;							\
	T s = SIGMOID(2 * GELU_INNER(y));				\
	/* 1 - s would have lost its digits. */				\
	T rest = SIGMOID(-2 * GELU_INNER(y));				\
									\
	return s + y * s * rest * 2 * (T)0.79788456080286536 *		\
		   (1 + 3 * (T)0.044715 * y * y);			\
}									\
ROW2_C(c, CT, gelu_erf_backward, x * (NORMAL(y) +			\
	y * (T)0.39894228040143268 * EXP((T)-0.5 * y * y)))		\
ROW2_C(c, CT, gelu_tanh_backward, x * gelu_tanh_slope_##c(y))		\
ROW2_C(c, CT, gelu_quick_backward, x * (SIGMOID((T)1.702 * y) *		\
	(1 + (T)1.702 * y * SIGMOID((T)-1.702 * y))))			\
static void row_gelu_backward_##c(const struct ops_row *r)		\
{									\
	if (r->param[0] == 0)						\
		row_gelu_erf_backward_##c(r);				\
	else if (r->param[0] == 1)					\
		row_gelu_tanh_backward_##c(r);				\
	else								\
		row_gelu_quick_backward_##c(r);				\
}
ROW_GELU_BACKWARD(f, float)
ROW_GELU_BACKWARD(d, double)
