// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tests of driver/core in user space, where allocations are counted and
 * made to fail. Prints TAP; SEED= and STEPS= repeat and extend.
 */
#include <stdio.h>
#include <time.h>

#include "../../driver/tests/core_tests.h"
#include "float_test.h"
#include "fuzz.h"

unsigned long tap_steps = 4000000;

static bool test_create_fail_nth(void)
{
	struct vnpu_extent seg[2] = { { 0, 512 }, { 512, 1 << 19 } };
	struct vnpu_allocator *b = NULL;
	long nth;

	for (nth = 1; nth < 100; nth++) {
		long before = core_allocated;

		core_fail_nth = nth;
		b = vnpu_allocator_create(seg, 2, true);
		core_fail_nth = 0;
		if (!IS_ERR(b))
			break;
		EXPECT(PTR_ERR(b) == -ENOMEM);
		EXPECT(core_allocated == before);
	}
	EXPECT(nth > 5 && nth < 100);
	vnpu_allocator_destroy(b);
	return true;
}

static bool test_plan_fail_nth(void)
{
	struct vnpu_extent seg = { 0, 2048 }, chosen;
	struct vnpu_compact_block block[2] = {
		{ { 0, 512 }, VNPU_COMPACT_LARGE },
		{ { 600, 500 }, VNPU_COMPACT_SMALL },
	};
	struct vnpu_compact_req req = { .pages = 1000, .large_order = 9 };
	struct vnpu_compact_plan plan = { { 0, 100 }, 0, 0 };
	long before = core_allocated, nth;

	for (nth = 1; nth <= 2; nth++) {
		core_fail_nth = nth;
		EXPECT(vnpu_compact_plan(&seg, 1, block, 2, &req, &plan) ==
		       -ENOMEM);
		core_fail_nth = nth;
		EXPECT(vnpu_compact_choose(&seg, 1, block, 2, 9, &plan,
					   &chosen) == -ENOMEM);
		EXPECT(core_allocated == before);
	}
	EXPECT(!vnpu_compact_plan(&seg, 1, block, 2, &req, &plan));
	return true;
}

/* The seeds of the fuzz targets; an error aborts. */
static bool feed(const char *name, void (*target)(const u8 *data, size_t size))
{
	char path[100], line[8200];
	u8 data[sizeof(line) / 2];
	u32 inputs = 0;
	FILE *f;

	snprintf(path, sizeof(path), "selftests/core/corpus/%s.hex", name);
	f = fopen(path, "r");
	EXPECT(f);
	while (fgets(line, sizeof(line), f)) {
		size_t size = 0;

		if (*line == '#')
			continue;
		while (sscanf(line + 2 * size, "%2hhx", &data[size]) == 1)
			size++;
		target(data, size);
		inputs++;
	}
	fclose(f);
	EXPECT(inputs);
	return true;
}

static bool test_corpus(void)
{
	return feed("allocator", fuzz_allocator) && feed("compact", fuzz_compact) &&
	       feed("slab", fuzz_slab) && feed("va", fuzz_va);
}

static const struct tap_test host_tests[] = {
	{ "corpus", test_corpus },
	{ "create_fail_nth", test_create_fail_nth },
	{ "plan_fail_nth", test_plan_fail_nth },
	{ "random_quantiles", test_random_quantiles },
	{ "random_distributions", test_random_distributions },
	{ "random_dropout", test_random_dropout },
	{ "reduce_fp16", test_reduce_fp16 },
	{ "reduce_bf16", test_reduce_bf16 },
	{ "reduce_fp32", test_reduce_fp32 },
	{ "reduce_fp64", test_reduce_fp64 },
};

static bool run(const struct tap_test *t, u64 seed, u32 number)
{
	long before = core_allocated;
	bool ok;

	tap_start(seed + number);
	ok = t->run();
	if (ok && core_allocated != before) {
		tap_note("%ld allocations leaked", core_allocated - before);
		ok = false;
	}
	printf("%sok %u - %s\n", ok ? "" : "not ", number, t->name);
	fflush(stdout);
	return ok;
}

static u64 from_env(const char *name, u64 otherwise)
{
	const char *env = getenv(name);

	return env && *env ? strtoull(env, NULL, 0) : otherwise;
}

int main(void)
{
	u64 seed = from_env("SEED", time(NULL));
	u32 number = 1, i;
	bool ok = true;

	tap_steps = from_env("STEPS", tap_steps);
	printf("TAP version 13\n1..%zu\n# SEED=%llu STEPS=%lu\n",
	       ARRAY_SIZE(core_tests) + ARRAY_SIZE(host_tests),
	       (unsigned long long)seed, tap_steps);
	for (i = 0; i < ARRAY_SIZE(core_tests); i++)
		ok &= run(&core_tests[i], seed, number++);
	for (i = 0; i < ARRAY_SIZE(host_tests); i++)
		ok &= run(&host_tests[i], seed, number++);
	return !ok;
}
