// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plan on memory, and threads that do not keep to it.  The test provides the
 * device's memory.
 */
#include "acl/acl_rt.h"
#include "test.h"
#include "vnpu/arena.h"

static _Alignas(64) unsigned char pool[64];
static size_t asked;
static uint32_t allocated;
static bool is_exhausted;

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	(void)policy;
	asked = size;
	if (is_exhausted)
		return 207001;
	*devPtr = pool;
	allocated++;
	return 0;
}

aclError aclrtFree(void *devPtr)
{
	allocated -= devPtr == pool;
	return 0;
}

/* 0 at [0, 2), 1 at [2, 4) with a view, 2 on the chip, aligned to 16. */
static struct vnpu_plan *timed(void)
{
	static const struct vnpu_plan_tensor tensor[] = {
		{ .size = 32, .lower = 0, .upper = 2, .align = 16 },
		{ .size = 32, .lower = 2, .upper = 4 },
		{ .size = 8, .upper = 9, .flags = VNPU_PLAN_ON_CHIP },
		{ .size = 8, .lower = 3, .upper = 6, .offset = 8, .of = 1,
		  .flags = VNPU_PLAN_VIEW },
	};
	struct vnpu_plan *plan = test_plan(tensor, ARRAY_SIZE(tensor));

	if (vnpu_plan_solve(plan, NULL, NULL))
		abort();
	return plan;
}

static bool test_memory(void)
{
	struct vnpu_plan_tensor t = { .size = 1, .upper = 1 };
	struct vnpu_plan *plan = timed();
	struct vnpu_arena *arena;
	void *at;

	EXPECT(vnpu_arena_create(plan, pool, 64, 0, NULL) == -EINVAL);
	EXPECT(vnpu_arena_create(NULL, pool, 64, 0, &arena) == -EINVAL);
	EXPECT(vnpu_arena_create(plan, pool, 64, 2, &arena) == -EINVAL);
	EXPECT(vnpu_arena_create(plan, NULL, 64, 0, &arena) == -EINVAL);
	EXPECT(vnpu_arena_create(plan, pool + 1, 63, 0, &arena) == -EINVAL);
	EXPECT(vnpu_arena_create(plan, pool, 31, 0, &arena) == -ENOSPC);
	EXPECT(!arena);
	is_exhausted = true;
	EXPECT(vnpu_arena_create(plan, NULL, 0, 0, &arena) == -ENOMEM);
	is_exhausted = false;
	EXPECT(!vnpu_arena_create(plan, NULL, 0, 0, &arena));
	EXPECT(asked == 32 && allocated == 1);
	vnpu_arena_destroy(arena);
	EXPECT(!allocated);
	vnpu_arena_destroy(NULL);

	EXPECT(!vnpu_plan_add_tensor(plan, &t));
	EXPECT(vnpu_arena_create(plan, pool, 64, 0, &arena) == -EINVAL);
	vnpu_plan_destroy(plan);

	/* Tensors that are not checked have an address at any time. */
	plan = timed();
	EXPECT(!vnpu_arena_create(plan, pool, 32, 0, &arena));
	vnpu_plan_destroy(plan);
	EXPECT(!vnpu_arena_begin(arena, 7) && !vnpu_arena_end(arena, 8));
	EXPECT(!vnpu_arena_use(arena, 9, 0, &at) && at == pool);
	EXPECT(!vnpu_arena_use(arena, 9, 3, &at) && at == pool + 8);
	EXPECT(!vnpu_arena_use(arena, 9, 2, &at) && !at);
	EXPECT(vnpu_arena_use(arena, 9, 4, &at) == -ENOENT);
	EXPECT(vnpu_arena_use(arena, 9, 0, NULL) == -EINVAL);
	EXPECT(vnpu_arena_use(NULL, 9, 0, &at) == -EINVAL);
	EXPECT(!vnpu_arena_restart(arena));
	vnpu_arena_destroy(arena);
	return true;
}

static bool test_times(void)
{
	struct vnpu_plan *plan = timed();
	struct vnpu_arena *arena;
	void *at;

	EXPECT(!vnpu_arena_create(plan, pool, 64, VNPU_ARENA_CHECK, &arena));
	vnpu_plan_destroy(plan);
	EXPECT(vnpu_arena_begin(NULL, 0) == -EINVAL);
	EXPECT(vnpu_arena_end(NULL, 0) == -EINVAL);
	EXPECT(vnpu_arena_restart(NULL) == -EINVAL);
	EXPECT(vnpu_arena_use(arena, 0, 0, &at) == -EINVAL);
	EXPECT(vnpu_arena_end(arena, 0) == -EINVAL);
	EXPECT(!vnpu_arena_begin(arena, 1));
	EXPECT(!vnpu_arena_use(arena, 1, 0, &at) && at == pool);
	EXPECT(vnpu_arena_use(arena, 1, 1, &at) == -ESTALE);
	EXPECT(!strcmp(vnpu_arena_fault(arena),
		       "tensor 1: used at 1, planned for [2, 6)"));
	EXPECT(vnpu_arena_begin(arena, 1) == -EALREADY);
	EXPECT(vnpu_arena_begin(arena, 2) == -EBUSY);
	EXPECT(vnpu_arena_restart(arena) == -EBUSY);
	EXPECT(!vnpu_arena_end(arena, 1));
	EXPECT(!*vnpu_arena_fault(arena));
	EXPECT(vnpu_arena_begin(arena, 0) == -EALREADY);
	EXPECT(!vnpu_arena_begin(arena, 5));
	EXPECT(vnpu_arena_use(arena, 5, 0, &at) == -ESTALE);
	EXPECT(!vnpu_arena_use(arena, 5, 1, &at));
	EXPECT(!vnpu_arena_end(arena, 5) && !vnpu_arena_restart(arena));
	EXPECT(!vnpu_arena_begin(arena, 0) && !vnpu_arena_end(arena, 0));
	vnpu_arena_destroy(arena);
	return true;
}

/* 0 -> 1 on two streams, and 2 after 1 on the first. */
static bool test_operators(void)
{
	struct vnpu_plan *plan = test_plan(NULL, 0);
	struct vnpu_arena *arena;
	uint32_t i, run;
	void *at;

	for (i = 0; i < 3; i++) {
		struct vnpu_plan_tensor t = {
			.size = 8, .flags = VNPU_PLAN_OF_OPS,
		};

		EXPECT(!vnpu_plan_add_tensor(plan, &t));
	}
	for (i = 0; i < 3; i++) {
		uint32_t before = i - 1;
		struct vnpu_plan_op op = {
			.inputs = &before, .num_inputs = i == 1,
			.waits = &before, .num_waits = i == 2,
			.outputs = &i, .num_outputs = 1, .stream = i == 1,
		};

		EXPECT(!vnpu_plan_add_op(plan, &op));
	}
	EXPECT(!vnpu_plan_solve(plan, NULL, NULL));
	EXPECT(!vnpu_arena_create(plan, pool, 64, VNPU_ARENA_CHECK, &arena));
	vnpu_plan_destroy(plan);
	for (run = 0; run < 2; run++) {
		EXPECT(!vnpu_arena_begin(arena, 0));
		EXPECT(vnpu_arena_begin(arena, 0) == -EALREADY);
		EXPECT(vnpu_arena_begin(arena, 1) == -EBUSY);
		EXPECT(!strcmp(vnpu_arena_fault(arena),
			       "the operator at 1 begins before that at 0 has ended"));
		EXPECT(vnpu_arena_use(arena, 1, 1, &at) == -EINVAL);
		EXPECT(!vnpu_arena_use(arena, 0, 0, &at));
		EXPECT(vnpu_arena_use(arena, 0, 1, &at) == -ESTALE);
		EXPECT(!vnpu_arena_end(arena, 0));
		EXPECT(vnpu_arena_begin(arena, 2) == -EBUSY);
		EXPECT(!vnpu_arena_begin(arena, 1));
		EXPECT(!vnpu_arena_use(arena, 1, 0, &at));
		EXPECT(!vnpu_arena_end(arena, 1));
		EXPECT(!vnpu_arena_begin(arena, 2));
		EXPECT(vnpu_arena_use(arena, 2, 0, &at) == -ESTALE);
		EXPECT(!vnpu_arena_end(arena, 2));
	}
	EXPECT(vnpu_arena_begin(arena, 3) == -ENOENT);
	EXPECT(vnpu_arena_end(arena, 3) == -EINVAL);
	vnpu_arena_destroy(arena);
	return true;
}

const struct test arena_tests[] = {
	{ "the memory of an arena", test_memory },
	{ "times that are kept to, or not", test_times },
	{ "operators that wait, or do not", test_operators },
	{ NULL, NULL },
};
