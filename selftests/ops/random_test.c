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

const struct test random_tests[] = {
	{ "random", test_random },
	{ }
};
