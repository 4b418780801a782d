// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tests of driver/core in the kernel. vnpu_kunit.ko has its own copy of the
 * code and touches no device. The tests run when the module is loaded; the
 * results are in the log and in /sys/kernel/debug/kunit/vnpu_core/results.
 */
#include <linux/module.h>
#include <linux/random.h>

#include <kunit/test.h>

#include "core_tests.h"

unsigned long tap_steps = 20000;
module_param_named(steps, tap_steps, ulong, 0444);
MODULE_PARM_DESC(steps, "how long random tests go on");

static unsigned long seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "of the random sequence; 0, the default: a random one");

static void core_test_desc(const struct tap_test *t, char *desc)
{
	strscpy(desc, t->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(core, core_tests, core_test_desc);

static void core_test(struct kunit *test)
{
	const struct tap_test *t = test->param_value;

	tap_start(seed + (t - core_tests) + 1);
	KUNIT_EXPECT_TRUE(test, t->run());
	cond_resched();
}

static int core_suite_init(struct kunit_suite *suite)
{
	if (!seed)
		seed = get_random_u32();
	kunit_info(suite, "seed=%lu steps=%lu", seed, tap_steps);
	return 0;
}

static struct kunit_case core_cases[] = {
	KUNIT_CASE_PARAM_ATTR(core_test, core_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	{ }
};

static struct kunit_suite core_suite = {
	.name = "vnpu_core",
	.suite_init = core_suite_init,
	.test_cases = core_cases,
};

kunit_test_suite(core_suite);

MODULE_DESCRIPTION("Tests of vnpu's allocators and maps");
MODULE_LICENSE("GPL");
