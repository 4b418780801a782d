// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each allocation fails once: the call reports it, and the plan is unchanged.
 * The linker replaces the planner's allocations by these.
 */
#include "generate.h"
#include "test.h"
#include "vnpu/arena.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

/* Counts down to the one that fails. */
static uint32_t fail_nth;

static bool fails(void)
{
	return fail_nth && !--fail_nth;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

/* A plan that uses everything: gaps, operators, and a search. */
static int build(struct vnpu_plan *plan)
{
	static const struct vnpu_plan_gap gap = { .lower = 8, .upper = 9 };
	struct vnpu_plan_tensor t = { .size = 10, .upper = 1 };
	struct vnpu_plan_op op = { 0 };
	uint32_t i;
	int err = 0;

	for (i = 0; i < 70 && !err; i++) {
		t.lower = i * 7 % 13;
		t.upper = t.lower + 1 + i * 5 % 11;
		t.size = 1 + i * 29 % 31;
		err = vnpu_plan_add_tensor(plan, &t);
	}
	t = (struct vnpu_plan_tensor){
		.size = 5, .flags = VNPU_PLAN_OF_OPS | VNPU_PLAN_KEEP,
	};
	err = err ? err : vnpu_plan_add_tensor(plan, &t);
	err = err ? err : vnpu_plan_add_gap(plan, 1, &gap);
	err = err ? err : vnpu_plan_add_separation(plan, 2, 3);
	err = err ? err : vnpu_plan_set_guard(plan, 1);
	return err ? err : vnpu_plan_add_op(plan, &op);
}

static bool test_no_memory(void)
{
	struct vnpu_plan_options options = { .effort = 3000 };
	uint32_t nth, failures = 0;
	int err = -ENOMEM;

	for (nth = 1; err; nth++) {
		struct vnpu_plan *plan = NULL;

		fail_nth = nth;
		err = vnpu_plan_create(&plan);
		err = err ? err : build(plan);
		err = err ? err : vnpu_plan_solve(plan, &options, NULL);
		err = err ? err : vnpu_plan_check(plan, NULL, 0, NULL);
		fail_nth = 0;
		if (err) {
			EXPECT(err == -ENOMEM);
			failures++;
		}
		vnpu_plan_destroy(plan);
	}
	EXPECT(failures > 40);
	return true;
}

/* A packing without a gap, which needs mergers and a search. */
static bool test_no_memory_to_merge(void)
{
	struct vnpu_plan_options options = { .effort = 30000 };
	struct vnpu_plan_tensor tensor[120];
	uint32_t nth;
	int err = -ENOMEM;

	generate(GENERATE_PINWHEEL, 1, tensor, ARRAY_SIZE(tensor));
	for (nth = 1; err; nth++) {
		struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));

		fail_nth = nth;
		err = vnpu_plan_solve(plan, &options, NULL);
		fail_nth = 0;
		EXPECT(!err || err == -ENOMEM);
		vnpu_plan_destroy(plan);
	}
	EXPECT(nth > 30);
	return true;
}

/* 0 -> 1 -> 2, and 3 needs 0 and 1 again. */
static int build_graph(struct vnpu_plan *plan)
{
	static const uint32_t sizes[] = { 10, 1, 10, 1 };
	static const uint32_t inputs[] = { 0, 1, 0, 1 };
	static const uint32_t first[] = { 0, 0, 1, 2 }, count[] = { 0, 1, 1, 2 };
	uint32_t i;
	int err = 0;

	for (i = 0; i < 4 && !err; i++) {
		struct vnpu_plan_tensor t = {
			.size = sizes[i], .flags = VNPU_PLAN_OF_OPS,
		};

		err = vnpu_plan_add_tensor(plan, &t);
	}
	for (i = 0; i < 4 && !err; i++) {
		struct vnpu_plan_op op = {
			.inputs = inputs + first[i], .num_inputs = count[i],
			.outputs = &i, .num_outputs = 1, .cost = 1,
		};

		err = vnpu_plan_add_op(plan, &op);
	}
	return err;
}

static bool test_no_memory_to_recompute(void)
{
	struct vnpu_plan_options options = {
		.capacity = 20, .flags = VNPU_PLAN_REORDER,
	};
	struct vnpu_arena *arena = NULL;
	unsigned char pool[20];
	uint32_t nth, failures = 0;
	int err = -ENOMEM;

	for (nth = 1; err; nth++) {
		struct vnpu_plan *plan = NULL, *fits = NULL;

		fail_nth = nth;
		err = vnpu_plan_create(&plan);
		err = err ? err : build_graph(plan);
		err = err ? err : vnpu_plan_recompute(plan, &options, &fits,
						      NULL);
		err = err ? err : vnpu_arena_create(fits, pool, sizeof(pool),
						    VNPU_ARENA_CHECK, &arena);
		fail_nth = 0;
		if (err) {
			EXPECT(err == -ENOMEM && !arena);
			failures++;
		}
		vnpu_arena_destroy(arena);
		vnpu_plan_destroy(fits);
		vnpu_plan_destroy(plan);
	}
	EXPECT(failures > 40);
	return true;
}

/* A short branch and a long one: 2 before 1 leaves less alive. */
static struct vnpu_plan *build_branches(void)
{
	static const uint32_t sizes[] = { 100, 100, 1, 1 };
	static const uint32_t inputs[] = { 0, 1, 2, 3 };
	static const struct vnpu_plan_op ops[] = {
		{ .outputs = &inputs[0], .num_outputs = 1 },
		{ .outputs = &inputs[1], .num_outputs = 1 },
		{ .inputs = &inputs[0], .num_inputs = 1,
		  .outputs = &inputs[2], .num_outputs = 1 },
		{ .inputs = &inputs[1], .num_inputs = 1,
		  .outputs = &inputs[3], .num_outputs = 1 },
		{ .inputs = &inputs[2], .num_inputs = 2 },
	};
	struct vnpu_plan *plan = test_plan(NULL, 0);
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct vnpu_plan_tensor t = {
			.size = sizes[i], .flags = VNPU_PLAN_OF_OPS,
		};

		if (vnpu_plan_add_tensor(plan, &t))
			abort();
	}
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (vnpu_plan_add_op(plan, &ops[i]))
			abort();
	return plan;
}

/* A remaining solution is for the order that is reported. */
static bool test_no_memory_to_reorder(void)
{
	struct vnpu_plan_options options = { .flags = VNPU_PLAN_REORDER };
	uint32_t nth, position;
	int err = -ENOMEM;

	for (nth = 1; err; nth++) {
		struct vnpu_plan *plan = build_branches();

		EXPECT(!vnpu_plan_solve(plan, NULL, NULL));
		fail_nth = nth;
		err = vnpu_plan_solve(plan, &options, NULL);
		fail_nth = 0;
		EXPECT(!err || err == -ENOMEM);
		if (err && !vnpu_plan_get_position(plan, 1, &position))
			EXPECT(position == 1);
		vnpu_plan_destroy(plan);
	}
	EXPECT(nth > 40);
	return true;
}

const struct test memory_tests[] = {
	{ "every allocation may fail", test_no_memory },
	{ "and where boxes are merged", test_no_memory_to_merge },
	{ "and where operators run again", test_no_memory_to_recompute },
	{ "and where they change places", test_no_memory_to_reorder },
	{ NULL, NULL },
};
