// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tests of the planner.  Prints TAP; SEED= and PLANS= repeat and extend.
 */
#include <time.h>

#include "test.h"

uint32_t test_plans = 10000;

static uint64_t state;

uint32_t test_below(uint32_t bound)
{
	/* xorshift64* */
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1d >> 32) * bound >> 32);
}

struct vnpu_plan *test_plan(const struct vnpu_plan_tensor *tensor,
			    uint32_t count)
{
	struct vnpu_plan *plan;
	uint32_t i;

	if (vnpu_plan_create(&plan))
		abort();
	for (i = 0; i < count; i++)
		if (vnpu_plan_add_tensor(plan, &tensor[i])) {
			printf("# %s\n", vnpu_plan_fault(plan));
			abort();
		}
	return plan;
}

uint64_t test_offset(const struct vnpu_plan *plan, uint32_t tensor)
{
	uint64_t offset = 0;

	if (vnpu_plan_get_offset(plan, tensor, &offset))
		abort();
	return offset;
}

static uint64_t from_env(const char *name, uint64_t otherwise)
{
	const char *env = getenv(name);

	return env && *env ? strtoull(env, NULL, 0) : otherwise;
}

int main(void)
{
	const struct test *const groups[] = {
		model_tests, csv_tests, graph_text_tests, graph_tests, random_tests,
		perfect_tests, recompute_tests, order_tests, arena_tests,
		stream_tests, memory_tests, variant_tests, apart_tests,
	};
	uint64_t seed = from_env("SEED", (uint64_t)time(NULL));
	uint32_t number = 0;
	const struct test *t;
	bool ok = true;
	size_t i;

	test_plans = (uint32_t)from_env("PLANS", test_plans);
	printf("TAP version 13\n# SEED=%llu PLANS=%u\n",
	       (unsigned long long)seed, test_plans);
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		for (t = groups[i]; t->name; t++) {
			bool passed;

			number++;
			state = (seed + number) * 0x9e3779b97f4a7c15 | 1;
			passed = t->run();
			ok &= passed;
			printf("%sok %u - %s\n", passed ? "" : "not ", number,
			       t->name);
			fflush(stdout);
		}
	}
	printf("1..%u\n", number);
	return !ok;
}
