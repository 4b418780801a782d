// SPDX-License-Identifier: GPL-2.0-only
/* Elementwise operators on special numbers, and those with several outputs. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "ops_test.h"

/* Both inputs as scalars of a type; the result as a number. */
static double binary(unsigned int op, unsigned int dtype, double x, double y)
{
	struct vnpu_tensor a = VIEW(dtype, CONTIGUOUS, 1), b = a, out = a;
	struct vnpu_op_launch l;

	b = VIEW(dtype, CONTIGUOUS, 1);
	out = VIEW(dtype, CONTIGUOUS, 1);
	set(&a, 0, x);
	set(&b, 0, y);
	launch(&l, op, 2, 1, &a, &b, &out);
	return run(&l) ? get(&out, 0) : -12345;
}

static double unary(unsigned int op, unsigned int dtype, double x)
{
	struct vnpu_tensor a = VIEW(dtype, CONTIGUOUS, 1), out;
	struct vnpu_op_launch l;

	out = VIEW(dtype, CONTIGUOUS, 1);
	set(&a, 0, x);
	launch(&l, op, 1, 1, &a, &out);
	return run(&l) ? get(&out, 0) : -12345;
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

/* Infinity times 0 is no number, as in the engine. */
static double gelu(double x)
{
	return x * (x < -6 ? 0 : erfc(-x / sqrt(2)) / 2);
}

static bool test_nan(void)
{
	static const unsigned int ops[] = {
		VNPU_OP_MAXIMUM, VNPU_OP_MINIMUM, VNPU_OP_ADD, VNPU_OP_POW,
	};
	unsigned int t, i;

	for (t = 0; t < 3; t++) {
		unsigned int dtype = float_types[t];

		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			EXPECT(isnan(binary(ops[i], dtype, NAN, 2)));
			EXPECT(isnan(binary(ops[i], dtype, 2, NAN)));
		}
		EXPECT(isnan(unary(VNPU_OP_RELU, dtype, NAN)));
		EXPECT(isnan(unary(VNPU_OP_SIGN, dtype, NAN)));
		EXPECT(isnan(unary(VNPU_OP_EXP, dtype, NAN)));
		EXPECT(isnan(unary(VNPU_OP_LOG, dtype, -1)));
		EXPECT(isnan(unary(VNPU_OP_SIN, dtype, INFINITY)));
		EXPECT(unary(VNPU_OP_LOG, dtype, 0) == -INFINITY);
		EXPECT(unary(VNPU_OP_LOG1P, dtype, -1) == -INFINITY);
		EXPECT(unary(VNPU_OP_EXP, dtype, -INFINITY) == 0);
		EXPECT(unary(VNPU_OP_EXP, dtype, INFINITY) == INFINITY);
		EXPECT(unary(VNPU_OP_TANH, dtype, -INFINITY) == -1);
		EXPECT(unary(VNPU_OP_SIGMOID, dtype, -INFINITY) == 0);
		EXPECT(unary(VNPU_OP_SOFTPLUS, dtype, 100) == 100);
		EXPECT(unary(VNPU_OP_RECIPROCAL, dtype, -0.0) == -INFINITY);
		EXPECT(unary(VNPU_OP_NAN_TO_NUM, dtype, NAN) == 0);
		EXPECT(binary(VNPU_OP_EQ, dtype, NAN, NAN) == 0);
		EXPECT(binary(VNPU_OP_NE, dtype, NAN, NAN) == 1);
		EXPECT(binary(VNPU_OP_LE, dtype, NAN, 1) == 0);
		EXPECT(binary(VNPU_OP_POW, dtype, -2, 3) == -8);
		EXPECT(isnan(binary(VNPU_OP_POW, dtype, -2, 0.5)));
		EXPECT(binary(VNPU_OP_POW, dtype, NAN, 0) == 1);
		EXPECT(binary(VNPU_OP_REMAINDER, dtype, -7, 3) == 2);
		EXPECT(binary(VNPU_OP_FMOD, dtype, -7, 3) == -1);
		EXPECT(binary(VNPU_OP_DIV_FLOOR, dtype, -7, 2) == -4);
	}
	EXPECT(unary(VNPU_OP_NAN_TO_NUM, VNPU_DT_F16, INFINITY) == 65504);
	EXPECT(unary(VNPU_OP_NAN_TO_NUM, VNPU_DT_F32, -INFINITY) < -3.4e38);
	EXPECT(binary(VNPU_OP_ADD, VNPU_DT_F16, 65504, 65504) == INFINITY);
	EXPECT(fabs(erf(unary(VNPU_OP_ERFINV, VNPU_DT_F64, 0.3)) - 0.3) < 1e-15);
	EXPECT(fabs(erf(unary(VNPU_OP_ERFINV, VNPU_DT_F64, -0.9)) + 0.9) < 1e-15);
	EXPECT(unary(VNPU_OP_ERFINV, VNPU_DT_F32, 1) == INFINITY);
	return true;
}

/*
 * Functions at the numbers where they leave the range of floats, or where their code
 * changes from one way to another; the bound is in units at the result, or at 1 if that
 * is larger.
 */
static bool test_edges(void)
{
	static const float numbers[] = {
		0, 0x1p-149f, 0x1.8p-127f, 0x1p-60f, 0.5f, 0.625f, 1, 4, 5.999f,
		6, 6.001f, 10, 19.99f, 20.01f, 86.9f, 87.3f, 88.02f, 88.72283f,
		88.7229f, 89.01f, 103.27f, 103.97f, 103.98f, 104.1f, 127, 127.9f,
		128, 129.01f, 149, 150, 151.01f, 1e10f, 3.4e38f, INFINITY,
	};
	static const struct {
		unsigned int op;
		double (*f)(double x);
		double scale;
	} functions[] = {
		{ VNPU_OP_EXP, exp, 0 }, { VNPU_OP_EXP2, exp2, 0 },
		{ VNPU_OP_EXPM1, expm1, 0 }, { VNPU_OP_TANH, tanh, 0 },
		{ VNPU_OP_SIGMOID, sigmoid, 1 }, { VNPU_OP_ERF, erf, 0 },
		{ VNPU_OP_GELU, gelu, 1 },
	};
	struct vnpu_tensor a = VIEW(VNPU_DT_F32, CONTIGUOUS,
				    2 * ARRAY_SIZE(numbers) + 2), out;
	int64_t count = vnpu_tensor_elements(&a), i;
	struct vnpu_op_launch l;
	unsigned int k;

	out = VIEW(VNPU_DT_F32, CONTIGUOUS, count);
	for (i = 0; i < count - 2; i++)
		set(&a, i, i % 2 ? -numbers[i / 2] : numbers[i / 2]);
	set(&a, i++, NAN);
	set(&a, i, -NAN);
	for (k = 0; k < ARRAY_SIZE(functions); k++) {
		launch(&l, functions[k].op, 1, 1, &a, &out);
		EXPECT(run(&l));
		for (i = 0; i < count; i++) {
			double x = get(&a, i), want = (float)functions[k].f(x);

			if (is_close(&out, i, want, functions[k].scale, 4))
				continue;
			note("%s: %.9g is %.9g, expected %.9g",
			     vnpu_op_name(functions[k].op), x, get(&out, i),
			     want);
			return false;
		}
	}
	return true;
}

/* The bound that is stated for the part of a normal distribution. */
static bool test_normal(void)
{
	enum { COUNT = 1 << 16 };
	struct vnpu_tensor a = VIEW(VNPU_DT_F32, CONTIGUOUS, COUNT), out;
	struct vnpu_op_launch l;
	int i;

	out = VIEW(VNPU_DT_F32, CONTIGUOUS, COUNT);
	for (i = 0; i < COUNT; i++)
		set(&a, i, -3 + i * 9.0 / COUNT);
	launch(&l, VNPU_OP_GELU, 1, 1, &a, &out);
	EXPECT(run(&l));
	for (i = 0; i < COUNT; i++) {
		double x = get(&a, i), want = gelu(x);
		/* Half a unit more, as the product is rounded. */
		double units = x < -1 ? 10.5 : 3.5;

		if (fabs(get(&out, i) - want) <= units * 0x1p-23 * fabs(want))
			continue;
		note("gelu: %.9g is %.9g, expected %.9g", x, get(&out, i), want);
		return false;
	}
	return true;
}

/* Integers wrap around, and no division traps. */
static bool test_integers(void)
{
	EXPECT(binary(VNPU_OP_ADD, VNPU_DT_I32, INT_MAX, 1) == INT_MIN);
	EXPECT(binary(VNPU_OP_MUL, VNPU_DT_I8, 100, 100) == 16);
	EXPECT(unary(VNPU_OP_NEG, VNPU_DT_I32, INT_MIN) == INT_MIN);
	EXPECT(binary(VNPU_OP_DIV_TRUNC, VNPU_DT_I32, 7, 0) == 0);
	EXPECT(binary(VNPU_OP_DIV_TRUNC, VNPU_DT_I32, INT_MIN, -1) == INT_MIN);
	EXPECT(binary(VNPU_OP_DIV_FLOOR, VNPU_DT_I64, -7, 2) == -4);
	EXPECT(binary(VNPU_OP_REMAINDER, VNPU_DT_I16, -7, 3) == 2);
	EXPECT(binary(VNPU_OP_REMAINDER, VNPU_DT_I32, INT_MIN, -1) == 0);
	EXPECT(binary(VNPU_OP_FMOD, VNPU_DT_I32, -7, 3) == -1);
	EXPECT(binary(VNPU_OP_POW, VNPU_DT_I32, -2, 5) == -32);
	EXPECT(binary(VNPU_OP_POW, VNPU_DT_I32, 2, -1) == 0);
	EXPECT(binary(VNPU_OP_POW, VNPU_DT_I32, -1, -3) == -1);
	EXPECT(binary(VNPU_OP_SHIFT_LEFT, VNPU_DT_I32, 3, 4) == 48);
	EXPECT(binary(VNPU_OP_SHIFT_LEFT, VNPU_DT_I32, 3, 32) == 0);
	EXPECT(binary(VNPU_OP_SHIFT_LEFT, VNPU_DT_I64, 1, 40) == 1LL << 40);
	EXPECT(binary(VNPU_OP_SHIFT_RIGHT, VNPU_DT_I32, -8, 1) == -4);
	EXPECT(binary(VNPU_OP_SHIFT_RIGHT, VNPU_DT_I32, 8, -1) == 0);
	return true;
}

static bool test_optimizers(void)
{
	struct vnpu_tensor p = VIEW(VNPU_DT_F32, below(LAYOUTS), 100), g, m, v;
	struct vnpu_tensor po, mo, vo;
	struct vnpu_op_launch l;
	int i;

	g = VIEW(VNPU_DT_F16, below(LAYOUTS), 100);
	m = VIEW(VNPU_DT_F32, below(LAYOUTS), 100);
	v = VIEW(VNPU_DT_F32, below(LAYOUTS), 100);
	po = VIEW(VNPU_DT_F32, below(OUT_LAYOUTS), 100);
	mo = VIEW(VNPU_DT_F32, below(OUT_LAYOUTS), 100);
	vo = VIEW(VNPU_DT_F32, below(OUT_LAYOUTS), 100);
	fill(&p, -1, 1);
	fill(&g, -1, 1);
	fill(&m, -1, 1);
	fill(&v, 0, 1);
	launch(&l, VNPU_OP_ADAM, 4, 3, &p, &g, &m, &v, &po, &mo, &vo);
	vnpu_op_set_float(&l, 0, 0.1);
	vnpu_op_set_float(&l, 4, 0.01);
	vnpu_op_set_int(&l, 5, 1);
	vnpu_op_set_int(&l, 6, 3);
	EXPECT(run(&l));
	for (i = 0; i < 100; i++) {
		double mean = 0.9 * get(&m, i) + 0.1 * get(&g, i);
		double square = 0.999 * get(&v, i) + 0.001 * pow(get(&g, i), 2);
		double want = get(&p, i) * (1 - 0.001) - 0.1 *
			(mean / (1 - pow(0.9, 3))) /
			(sqrt(square / (1 - pow(0.999, 3))) + 1e-8);

		EXPECT(is_close(&mo, i, mean, 1, 2));
		EXPECT(is_close(&vo, i, square, 1, 2));
		EXPECT(fabs(get(&po, i) - want) < 1e-4 * (1 + fabs(want)));
	}
	launch(&l, VNPU_OP_SGD, 3, 2, &p, &g, &m, &po, &mo);
	vnpu_op_set_float(&l, 0, 0.1);
	vnpu_op_set_float(&l, 1, 0.9);
	vnpu_op_set_int(&l, 4, 1);
	EXPECT(run(&l));
	for (i = 0; i < 100; i++) {
		double sum = 0.9 * get(&m, i) + get(&g, i);

		EXPECT(is_close(&mo, i, sum, 1, 2));
		EXPECT(is_close(&po, i, get(&p, i) - 0.1 * (get(&g, i) +
				0.9 * sum), 1, 2));
	}
	return true;
}

const struct test special_tests[] = {
	{ "special_numbers", test_nan },
	{ "edges", test_edges },
	{ "normal_distribution", test_normal },
	{ "integers", test_integers },
	{ "optimizers", test_optimizers },
	{ }
};
