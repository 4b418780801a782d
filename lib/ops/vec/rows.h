/* SPDX-License-Identifier: MIT */
/*
 * How rows of elementwise operators are written.
 *
 *	ROW2(FDIL, hypotenuse, SQRT(x * x + y * y))
 *
 * defines the rows of an operator with two inputs, x and y, for the classes F,
 * D, I and L. Inside, T is the type of the class, and P(0) the first parameter.
 * The functions in capitals below take the type of their argument.
 *
 * An output may be an input, so each loop reads an element's inputs before it
 * writes the outputs; elements do not depend on each other.
 */
#ifndef VNPU_OPS_VEC_ROWS_H
#define VNPU_OPS_VEC_ROWS_H

#include "math.h"
#include "vec.h"

#define P(number)	((T)r->param[number])

/* The float function, or that of libm for double. */
#define FN(x, f, d)	_Generic((x), float: f, default: d)
#define FABS(x)		FN(x, __builtin_fabsf, __builtin_fabs)(x)
#define SQRT(x)		FN(x, __builtin_sqrtf, __builtin_sqrt)(x)
#define FLOOR(x)	FN(x, __builtin_floorf, __builtin_floor)(x)
#define CEIL(x)		FN(x, __builtin_ceilf, __builtin_ceil)(x)
#define TRUNC(x)	FN(x, __builtin_truncf, __builtin_trunc)(x)
#define RINT(x)		FN(x, __builtin_rintf, __builtin_rint)(x)
#define COPYSIGN(x, y)	FN(x, __builtin_copysignf, __builtin_copysign)(x, y)
#define FMOD(x, y)	FN(x, fmodf, fmod)(x, y)
#define EXP(x)		FN(x, ops_expf, exp)(x)
#define EXP2(x)		FN(x, ops_exp2f, exp2)(x)
#define EXPM1(x)	FN(x, ops_expm1f, expm1)(x)
#define LOG(x)		FN(x, ops_logf, log)(x)
#define LOG2(x)		FN(x, ops_log2f, log2)(x)
#define LOG10(x)	FN(x, ops_log10f, log10)(x)
#define LOG1P(x)	FN(x, ops_log1pf, log1p)(x)
#define TANH(x)		FN(x, ops_tanhf, tanh)(x)
#define ERF(x)		FN(x, ops_erff, erf)(x)
#define NORMAL(x)	FN(x, ops_normalf, normal)(x)
#define NORMAL_TANH(x)	FN(x, ops_normal_tanhf, normal_tanh)(x)
#define SIGMOID(x)	FN(x, ops_sigmoidf, sigmoid)(x)
#define SOFTPLUS(x)	FN(x, ops_softplusf, softplus)(x)
#define POW(x, y)	FN(x, ops_powf, pow)(x, y)

/* NaN wins, and the second of equal numbers. */
#define MAX(x, y)	(((x) > (y)) | ((x) != (x)) ? (x) : (y))
#define MIN(x, y)	(((x) < (y)) | ((x) != (x)) ? (x) : (y))

static inline double normal(double x)
{
	return 0.5 * (1 + erf(x * 0.70710678118654752));
}

static inline double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

/* (1 + tanh(u)) / 2 is sigmoid(2 u), which loses no digits. */
#define GELU_INNER(x)							\
	((T)0.79788456080286536 * (x + (T)0.044715 * x * x * x))

static inline double normal_tanh(double x)
{
	typedef double T;

	return sigmoid(2 * GELU_INNER(x));
}

static inline double softplus(double x)
{
	return (x > 0 ? x : 0) + log1p(exp(-fabs(x)));
}

/*
 * A copy, since the compiler has to expect that stores to elements change the
 * row itself, and would not use vector instructions.
 */
#define OWN_COPY(r, shared)						\
	const struct ops_row r##_copy = *(shared);			\
	const struct ops_row *const r = &r##_copy

#define LOOP(...)							\
	_Pragma("GCC ivdep")						\
	for (size_t i = 0; i < r->n; i++) {				\
		__VA_ARGS__						\
	}

#define ROW1_C(c, CT, name, ...)					\
static void row_##name##_##c(const struct ops_row *shared)		\
{									\
	OWN_COPY(r, shared);						\
	typedef CT T;							\
	const T *a = r->in[0];						\
	T *o = r->out[0];						\
									\
	LOOP(T x = a[i]; o[i] = (__VA_ARGS__);)				\
}
#define ROW2_C(c, CT, name, ...)					\
static void row_##name##_##c(const struct ops_row *shared)		\
{									\
	OWN_COPY(r, shared);						\
	typedef CT T;							\
	const T *a = r->in[0], *b = r->in[1];				\
	T *o = r->out[0];						\
									\
	LOOP(T x = a[i]; T y = b[i]; o[i] = (__VA_ARGS__);)		\
}
#define ROW3_C(c, CT, name, ...)					\
static void row_##name##_##c(const struct ops_row *shared)		\
{									\
	OWN_COPY(r, shared);						\
	typedef CT T;							\
	const T *a = r->in[0], *b = r->in[1], *d = r->in[2];		\
	T *o = r->out[0];						\
									\
	LOOP(T x = a[i]; T y = b[i]; T z = d[i]; o[i] = (__VA_ARGS__);)	\
}

#define ROWS_F(n, name, ...)						\
	ROW##n##_C(f, float, name, __VA_ARGS__)
#define ROWS_FD(n, name, ...)						\
	ROW##n##_C(f, float, name, __VA_ARGS__)				\
	ROW##n##_C(d, double, name, __VA_ARGS__)
#define ROWS_IL(n, name, ...)						\
	ROW##n##_C(i, int32_t, name, __VA_ARGS__)			\
	ROW##n##_C(l, int64_t, name, __VA_ARGS__)
#define ROWS_FDIL(n, name, ...)						\
	ROWS_FD(n, name, __VA_ARGS__)					\
	ROWS_IL(n, name, __VA_ARGS__)
#define ROW1(classes, name, ...) ROWS_##classes(1, name, __VA_ARGS__)
#define ROW2(classes, name, ...) ROWS_##classes(2, name, __VA_ARGS__)
#define ROW3(classes, name, ...) ROWS_##classes(3, name, __VA_ARGS__)

#endif
