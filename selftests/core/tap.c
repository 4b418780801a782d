// SPDX-License-Identifier: GPL-2.0-only
/* Test Anything Protocol and random numbers. See tap.h. */
#include <time.h>

#include "tap.h"

u64 tap_seed;
unsigned long tap_steps = 1000000;

static u64 state;

void tap_start(u64 seed)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
}

u64 tap_random(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

u32 tap_below(u32 bound)
{
	return (u32)(((tap_random() >> 32) * bound) >> 32);
}

u32 tap_log_uniform(u32 order)
{
	u32 o = tap_below(order);

	return (1U << o) + tap_below(1U << o);
}

int tap_main(const struct tap_test *tests, unsigned int nr)
{
	const char *env = getenv("SEED");
	unsigned int failed = 0;
	unsigned int i;

	tap_seed = env && *env ? strtoull(env, NULL, 0) : (u64)time(NULL);
	env = getenv("STEPS");
	if (env && *env)
		tap_steps = strtoul(env, NULL, 0);

	printf("TAP version 13\n1..%u\n# SEED=%llu STEPS=%lu\n", nr,
	       (unsigned long long)tap_seed, tap_steps);
	for (i = 0; i < nr; i++) {
		long before = core_allocated;
		bool ok;

		tap_start(tap_seed + i);
		ok = tests[i].run();
		if (ok && core_allocated != before) {
			printf("# %ld allocations leaked\n",
			       core_allocated - before);
			ok = false;
		}
		printf("%sok %u - %s\n", ok ? "" : "not ", i + 1,
		       tests[i].name);
		fflush(stdout);
		failed += !ok;
	}
	return failed != 0;
}
