// SPDX-License-Identifier: GPL-2.0-only
/* Random numbers. */
#include <math.h>

#include "ops_test.h"

/* The sequence of the paper's code for key and counter 0, and distributions. */
static bool test_random(void)
{
	static const uint32_t known[] = {
		0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8,
	};
	unsigned int t, i;

	for (t = 0; t < ARRAY_SIZE(float_types); t++) {
		struct vnpu_tensor out = VIEW(float_types[t], below(OUT_LAYOUTS),
					      3, 3000), again;
		struct vnpu_op_launch l;
		double sum = 0;

		launch(&l, VNPU_OP_UNIFORM, 0, 1, &out);
		EXPECT(run(&l));
		for (i = 0; i < 4; i++) {
			double want = known[i] * 0x1p-32;
			double unit = out.dtype == VNPU_DT_F16 ? 0x1p-12 :
				      out.dtype == VNPU_DT_BF16 ? 0x1p-9 : 0x1p-25;

			EXPECT(get(&out, i) <= want);
			EXPECT(get(&out, i) > want - 2 * unit);
		}
		for (i = 0; i < 9000; i++) {
			EXPECT(get(&out, i) >= 0 && get(&out, i) < 1);
			sum += get(&out, i) / 9000;
		}
		EXPECT(fabs(sum - 0.5) < 0.02);
		/* An offset of a block skips four elements. */
		again = VIEW(float_types[t], CONTIGUOUS, 100);
		launch(&l, VNPU_OP_UNIFORM, 0, 1, &again);
		vnpu_op_set_int(&l, 1, 1);
		EXPECT(run(&l) && get(&again, 5) == get(&out, 9));
		vnpu_op_set_float(&l, 2, -4);
		vnpu_op_set_float(&l, 3, -1);
		EXPECT(run(&l));
		for (i = 0; i < 100; i++)
			EXPECT(get(&again, i) >= -4 && get(&again, i) < -1);
		again = VIEW(VNPU_DT_BOOL, CONTIGUOUS, 9000);
		launch(&l, VNPU_OP_BERNOULLI, 0, 1, &again);
		vnpu_op_set_float(&l, 2, 0.25);
		EXPECT(run(&l));
		for (i = 0, sum = 0; i < 9000; i++)
			sum += get(&again, i) / 9000;
		EXPECT(fabs(sum - 0.25) < 0.03);
	}
	return true;
}

/* Moments of the normal distribution, and its quantiles by erfc(). */
static bool test_normal(void)
{
	double sum = 0, square = 0, mean = 3, deviation = 0.5;
	struct vnpu_tensor out = VIEW(VNPU_DT_F64, below(OUT_LAYOUTS), 3, 3000);
	struct vnpu_tensor words = VIEW(VNPU_DT_F64, CONTIGUOUS, 9000);
	struct vnpu_tensor half = VIEW(VNPU_DT_F16, CONTIGUOUS, 9000);
	int64_t seed = below(1 << 30), i;
	struct vnpu_op_launch l;

	launch(&l, VNPU_OP_UNIFORM, 0, 1, &words);
	vnpu_op_set_int(&l, 0, seed);
	EXPECT(run(&l));
	launch(&l, VNPU_OP_NORMAL, 0, 1, &out);
	vnpu_op_set_int(&l, 0, seed);
	vnpu_op_set_float(&l, 2, mean);
	vnpu_op_set_float(&l, 3, deviation);
	EXPECT(run(&l));
	for (i = 0; i < 9000; i++) {
		double z = (get(&out, i) - mean) / deviation;
		double p = get(&words, i) + 0x1p-33, got;

		sum += z / 9000;
		square += z * z / 9000;
		got = z < 0 ? erfc(-z * M_SQRT1_2) / 2 :
			      1 - erfc(z * M_SQRT1_2) / 2;
		EXPECT(fabs(got - p) <= 1e-12 * (p < 0.5 ? p : 1) + 1e-14);
	}
	EXPECT(fabs(sum) < 0.06 && fabs(square - 1) < 0.1);
	launch(&l, VNPU_OP_NORMAL, 0, 1, &half);
	vnpu_op_set_int(&l, 0, seed);
	vnpu_op_set_float(&l, 2, mean);
	vnpu_op_set_float(&l, 3, deviation);
	EXPECT(run(&l));
	for (i = 0; i < 9000; i++)
		EXPECT(is_close(&half, i, get(&out, i), 0, 0.5));
	vnpu_op_set_float(&l, 3, -1);
	EXPECT(vnpu_op_check(&l, NULL));
	return true;
}

static bool test_bernoulli(void)
{
	struct vnpu_tensor chance = VIEW(VNPU_DT_F32, below(LAYOUTS), 1, 40);
	struct vnpu_tensor words = VIEW(VNPU_DT_F64, CONTIGUOUS, 20, 40);
	struct vnpu_tensor out = VIEW(VNPU_DT_F16, below(OUT_LAYOUTS), 20, 40);
	struct vnpu_op_launch l;
	int64_t i;

	fill(&chance, -0.2, 1.2);
	launch(&l, VNPU_OP_UNIFORM, 0, 1, &words);
	vnpu_op_set_int(&l, 1, 5);
	EXPECT(run(&l));
	launch(&l, VNPU_OP_BERNOULLI, 1, 1, &chance, &out);
	vnpu_op_set_int(&l, 1, 5);
	EXPECT(run(&l));
	for (i = 0; i < 800; i++)
		if (fabs(get(&words, i) - get(&chance, i % 40)) > 1e-9)
			EXPECT(get(&out, i) ==
			       (get(&words, i) < get(&chance, i % 40)));
	return true;
}

/* Elements that a uniform number of the same word drops. */
static bool test_dropout(void)
{
	unsigned int round;

	for (round = 0; round < 60; round++) {
		int64_t a = 1 + below(5), b = 1 + below(round % 10 ? 20 : 400), i;
		struct vnpu_tensor x = RANDOM(a, b), words, bits, out, again;
		double p = round % 7 ? uniform(0, 1) : round % 2;
		int64_t seed = rnd(), offset = below(1000);
		struct vnpu_op_launch l;

		words = VIEW(VNPU_DT_F64, CONTIGUOUS, a * b);
		launch(&l, VNPU_OP_UNIFORM, 0, 1, &words);
		vnpu_op_set_int(&l, 0, seed);
		vnpu_op_set_int(&l, 1, offset);
		EXPECT(run(&l));
		bits = VIEW(VNPU_DT_U8, below(OUT_LAYOUTS),
			    (a * b + 7) / 8 + below(3));
		launch(&l, VNPU_OP_DROPOUT_MASK, 0, 1, &bits);
		vnpu_op_set_int(&l, 0, seed);
		vnpu_op_set_int(&l, 1, offset);
		vnpu_op_set_float(&l, 2, p);
		EXPECT(run(&l));
		again = view(x.dtype, below(OUT_LAYOUTS), 2, x.dims);
		launch(&l, VNPU_OP_DROPOUT_APPLY, 2, 1, &x, &bits, &again);
		vnpu_op_set_float(&l, 0, p);
		EXPECT(run(&l));
		launch(&l, VNPU_OP_DROPOUT, 1, 2, &x, NULL, NULL);
		vnpu_op_set_int(&l, 0, seed);
		vnpu_op_set_int(&l, 1, offset);
		vnpu_op_set_float(&l, 2, p);
		EXPECT(make_outputs(&l) && run(&l));
		out = l.tensor[1];
		for (i = 0; i < a * b; i++) {
			bool stays = get(&words, i) >= p;

			if (fabs(get(&words, i) - p) < 1e-9)
				continue;
			EXPECT(get_int(&l.tensor[2], i) == stays);
			EXPECT((get_int(&bits, i / 8) >> i % 8 & 1) == stays);
			EXPECT(is_close(&out, i, stays ? get(&x, i) / (1 - p) :
							 0, 0, 1));
			EXPECT(get(&again, i) == get(&out, i));
		}
	}
	return true;
}

const struct test random_tests[] = {
	{ "random", test_random },
	{ "normal", test_normal },
	{ "bernoulli", test_bernoulli },
	{ "dropout", test_dropout },
	{ }
};
