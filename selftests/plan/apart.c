// SPDX-License-Identifier: GPL-2.0-only
/*
 * Separations beside other kinds of tensors; random.c has plans of plain ones.
 */
#include <time.h>

#include "test.h"

static bool test_refusals(void)
{
	static const struct vnpu_plan_tensor tensor[] = {
		{ .size = 8, .upper = 1 },
		{ .size = 4, .upper = 1, .flags = VNPU_PLAN_VIEW },
		{ .size = 4, .upper = 1, .offset = 4, .flags = VNPU_PLAN_VIEW },
	};
	struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));

	EXPECT(vnpu_plan_add_separation(NULL, 0, 1) == -EINVAL);
	EXPECT(vnpu_plan_add_separation(plan, 0, 3) == -ENOENT);
	EXPECT(!strcmp(vnpu_plan_fault(plan), "tensor 3: does not exist"));
	EXPECT(vnpu_plan_add_separation(plan, 0, 0) == -EINVAL);
	EXPECT(vnpu_plan_add_separation(plan, 2, 1) == -EINVAL);
	EXPECT(!strcmp(vnpu_plan_fault(plan),
		       "tensor 2: has the memory of tensor 1, so it cannot be apart from it"));
	vnpu_plan_destroy(plan);
	return true;
}

/* The base of a view is apart, and a tensor takes over nothing from another. */
static bool test_shared(void)
{
	static const struct vnpu_plan_tensor tensor[] = {
		{ .size = 8, .upper = 2 },
		{ .size = 4, .upper = 2, .offset = 4, .flags = VNPU_PLAN_VIEW },
		{ .size = 8, .lower = 2, .upper = 4 },
		{ .size = 8, .lower = 3, .upper = 6, .of = 2,
		  .flags = VNPU_PLAN_INPLACE },
		{ .size = 8, .lower = 5, .upper = 7, .of = 3,
		  .flags = VNPU_PLAN_INPLACE },
		{ .size = 100, .upper = 7, .flags = VNPU_PLAN_ON_CHIP },
	};
	struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));
	struct vnpu_plan_result result;

	EXPECT(!vnpu_plan_solve(plan, NULL, &result) && result.peak == 8);
	EXPECT(!vnpu_plan_add_separation(plan, 1, 2));
	EXPECT(!vnpu_plan_add_separation(plan, 4, 2));
	EXPECT(!vnpu_plan_add_separation(plan, 4, 5));
	EXPECT(vnpu_plan_check(plan, NULL, 0, NULL) == -EINVAL);
	EXPECT(!vnpu_plan_solve(plan, NULL, &result) && result.peak == 16);
	EXPECT(!vnpu_plan_check(plan, NULL, 0, NULL));
	EXPECT(test_offset(plan, 3) == test_offset(plan, 2));
	EXPECT(test_offset(plan, 4) != test_offset(plan, 2));
	EXPECT(test_offset(plan, 0) != test_offset(plan, 2));
	vnpu_plan_destroy(plan);
	return true;
}

static bool test_fixed(void)
{
	static const struct vnpu_plan_tensor tensor[] = {
		{ .size = 8, .upper = 1, .flags = VNPU_PLAN_FIXED },
		{ .size = 8, .lower = 1, .upper = 2, .offset = 4,
		  .flags = VNPU_PLAN_FIXED },
	};
	struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));

	EXPECT(!vnpu_plan_solve(plan, NULL, NULL));
	EXPECT(!vnpu_plan_add_separation(plan, 0, 1));
	EXPECT(vnpu_plan_solve(plan, NULL, NULL) == -EINVAL);
	EXPECT(!strcmp(vnpu_plan_fault(plan),
		       "tensor 1: at its fixed offset 4 it overlaps with tensor 0, which is fixed"));
	vnpu_plan_destroy(plan);
	return true;
}

/* Without any time for a search, too. */
static bool test_no_time(void)
{
	struct vnpu_plan_options options = { .time_limit_ns = 1 };
	struct vnpu_plan *plan = test_plan(NULL, 0);
	uint32_t i;

	for (i = 0; i < 300; i++) {
		struct vnpu_plan_tensor t = {
			.size = 8, .lower = i, .upper = i + 1,
		};

		EXPECT(!vnpu_plan_add_tensor(plan, &t));
		if (i)
			EXPECT(!vnpu_plan_add_separation(plan, i, i - 1));
	}
	EXPECT(!vnpu_plan_solve(plan, &options, NULL));
	EXPECT(!vnpu_plan_check(plan, NULL, 0, NULL));
	vnpu_plan_destroy(plan);
	return true;
}

/* Tensors of which each two are alive together or apart add up. */
static bool test_bound(void)
{
	const struct vnpu_plan_tensor tensor[] = {
		{ .lower = 9, .upper = 10, .size = 168, .align = 2 },
		{ .lower = 5, .upper = 9, .size = 5 },
		{ .lower = 0, .upper = 7, .size = 157 },
		{ .lower = 12, .upper = 13, .size = 1 },
		{ .lower = 7, .upper = 15, .size = 1 },
		{ .lower = 12, .upper = 14, .size = 11 },
	};
	const uint32_t pair[][2] = {
		{ 0, 2 }, { 0, 4 }, { 0, 5 }, { 1, 5 }, { 2, 3 }, { 2, 4 },
		{ 3, 4 },
	};
	struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));
	struct vnpu_plan_result result;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pair); i++)
		EXPECT(!vnpu_plan_add_separation(plan, pair[i][0], pair[i][1]));
	EXPECT(!vnpu_plan_solve(plan, NULL, &result));
	EXPECT(result.bound == 168 + 157 + 1 && result.peak == result.bound);
	EXPECT(result.optimal && !result.nodes);
	vnpu_plan_destroy(plan);
	return true;
}

/* A tensor that is made again stays apart from the same ones. */
static bool test_recomputed(void)
{
	static const uint32_t id[] = { 0, 1, 2, 3 }, last[] = { 0, 2 };
	static const uint64_t size[] = { 10, 10, 1, 1 };
	const struct vnpu_plan_op op[] = {
		{ .outputs = &id[0], .num_outputs = 1, .cost = 7 },
		{ .outputs = &id[1], .num_outputs = 1 },
		{ .inputs = &id[1], .num_inputs = 1,
		  .outputs = &id[2], .num_outputs = 1 },
		{ .inputs = last, .num_inputs = 2,
		  .outputs = &id[3], .num_outputs = 1 },
	};
	struct vnpu_plan_options options = { .capacity = 12 };
	struct vnpu_plan *plan = test_plan(NULL, 0), *fits;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(op); i++) {
		const struct vnpu_plan_tensor t = {
			.size = size[i], .flags = VNPU_PLAN_OF_OPS,
		};

		EXPECT(!vnpu_plan_add_tensor(plan, &t));
	}
	for (i = 0; i < ARRAY_SIZE(op); i++)
		EXPECT(!vnpu_plan_add_op(plan, &op[i]));
	EXPECT(!vnpu_plan_recompute(plan, &options, &fits, NULL));
	vnpu_plan_destroy(fits);
	EXPECT(!vnpu_plan_add_separation(plan, 0, 1));
	EXPECT(vnpu_plan_recompute(plan, &options, &fits, NULL) == -ENOSPC);
	options.capacity = 21;
	EXPECT(!vnpu_plan_recompute(plan, &options, &fits, NULL));
	vnpu_plan_destroy(fits);
	vnpu_plan_destroy(plan);
	return true;
}

/*
 * Solve @count tensors that take over their predecessors but for every fourth,
 * and are apart from others.  Return: seconds.
 */
static double time_apart(uint32_t count)
{
	struct vnpu_plan_options options = { .flags = VNPU_PLAN_GREEDY };
	struct vnpu_plan *plan = test_plan(NULL, 0);
	clock_t begin;
	uint32_t i;

	for (i = 0; i < count; i++) {
		struct vnpu_plan_tensor t = {
			.size = 8, .lower = i, .upper = i + 2,
			.of = i % 4 ? i - 1 : 0,
			.flags = i % 4 ? VNPU_PLAN_INPLACE : 0,
		};

		if (vnpu_plan_add_tensor(plan, &t) ||
		    (i > 1 && vnpu_plan_add_separation(plan, i, i - 2)))
			abort();
	}
	begin = clock();
	if (vnpu_plan_solve(plan, &options, NULL) ||
	    vnpu_plan_check(plan, NULL, 0, NULL))
		abort();
	vnpu_plan_destroy(plan);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* The time is near n log n: 8 times the tensors take less than 16 times. */
static bool test_many(void)
{
	double ratio = time_apart(64000) / time_apart(8000);

	if (ratio >= 16)
		printf("# 8 times the tensors take %.1f times as long\n",
		       ratio);
	return ratio < 16;
}

/*
 * Solve tensors of which many are alive together, and more come one after the
 * other.  Return: seconds.
 */
static double time_together(bool has_pair)
{
	const uint32_t together = 3000, all = 60000;
	struct vnpu_plan *plan = test_plan(NULL, 0);
	clock_t begin;
	uint32_t i;

	for (i = 0; i < all; i++) {
		struct vnpu_plan_tensor t = { .size = 8, .upper = 1 };

		if (i >= together) {
			t.lower = i;
			t.upper = i + 1;
		}
		if (vnpu_plan_add_tensor(plan, &t))
			abort();
	}
	if (has_pair && vnpu_plan_add_separation(plan, 0, 1))
		abort();
	begin = clock();
	if (vnpu_plan_solve(plan, NULL, NULL) ||
	    vnpu_plan_check(plan, NULL, 0, NULL))
		abort();
	vnpu_plan_destroy(plan);
	return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

/* The search for a bound ends within a large clique, too. */
static bool test_clique(void)
{
	double ratio = time_together(true) / time_together(false);

	if (ratio >= 3)
		printf("# a separation takes %.1f times as long\n", ratio);
	return ratio < 3;
}

const struct test apart_tests[] = {
	{ "separations that are refused", test_refusals },
	{ "separations of tensors that share memory", test_shared },
	{ "separations of fixed tensors", test_fixed },
	{ "separations raise the bound", test_bound },
	{ "separations without time for a search", test_no_time },
	{ "separations of tensors that are made again", test_recomputed },
	{ "many separations take little more time", test_many },
	{ "a large clique takes little more time", test_clique },
	{ NULL, NULL },
};
