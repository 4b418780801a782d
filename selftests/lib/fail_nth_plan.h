/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that are made to fail: plans of memory, and arenas that are created
 * from them.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_PLAN_H
#define SELFTESTS_LIB_FAIL_NTH_PLAN_H

#include "fail_nth_calls.h"

#define TENSORS		4

CALL(plan_create, {
	return error_of(vnpu_plan_create(&w->plan));
})

CALL(plan_destroy, {
	vnpu_plan_destroy(w->plan);
	w->plan = NULL;
	return ACL_SUCCESS;
})

static aclError add_tensor(struct world *w, uint64_t size, uint64_t lower,
			   uint64_t upper)
{
	const struct vnpu_plan_tensor t = {
		.size = size,
		.lower = lower,
		.upper = upper,
		.flags = upper ? 0 : VNPU_PLAN_OF_OPS,
	};

	return error_of(vnpu_plan_add_tensor(w->plan, &t));
}

CALL(plan_add_tensor, {
	return add_tensor(w, 64, 0, 8);
})

static aclError make_tensor(struct world *w)
{
	aclError err = call_plan_create(w);

	return err ? err : call_plan_add_tensor(w);
}

CALL(plan_add_gap, {
	const struct vnpu_plan_gap gap = { .lower = 2, .upper = 3 };

	return error_of(vnpu_plan_add_gap(w->plan, 0, &gap));
})

static aclError make_two_tensors(struct world *w)
{
	aclError err = make_tensor(w);

	return err ? err : call_plan_add_tensor(w);
}

CALL(plan_add_separation, {
	return error_of(vnpu_plan_add_separation(w->plan, 0, 1));
})

static aclError add_op(struct world *w, uint32_t output, const uint32_t *inputs,
		       uint32_t count)
{
	const struct vnpu_plan_op op = {
		.outputs = &output,
		.num_outputs = 1,
		.inputs = inputs,
		.num_inputs = count,
		.cost = 1,
	};

	return error_of(vnpu_plan_add_op(w->plan, &op));
}

static aclError make_output(struct world *w)
{
	aclError err = call_plan_create(w);

	return err ? err : add_tensor(w, 64, 0, 0);
}

CALL(plan_add_op, {
	return add_op(w, 0, NULL, 0);
})

/* The last operator needs the outputs of the first ones again. */
static aclError make_graph(struct world *w)
{
	static const uint32_t sizes[] = { 640, 64, 640, 64 };
	static const uint32_t inputs[] = { 0, 1, 0, 1 };
	static const uint32_t first[] = { 0, 0, 1, 2 };
	static const uint32_t count[] = { 0, 1, 1, 2 };
	aclError err = call_plan_create(w);

	for (uint32_t i = 0; i < TENSORS && !err; i++)
		err = add_tensor(w, sizes[i], 0, 0);
	for (uint32_t i = 0; i < TENSORS && !err; i++)
		err = add_op(w, i, inputs + first[i], count[i]);
	return err;
}

CALL(plan_solve, {
	struct vnpu_plan_options options = { .effort = 1000 };

	return error_of(vnpu_plan_solve(w->plan, &options, result(0)));
})

static aclError make_solved(struct world *w)
{
	aclError err = make_graph(w);

	return err ? err : call_plan_solve(w);
}

CALL(plan_recompute, {
	struct vnpu_plan_options options = { .capacity = 20 * 64 };

	return error_of(vnpu_plan_recompute(w->plan, &options, &w->fits,
					    result(0)));
})

static aclError make_fitting(struct world *w)
{
	aclError err = make_graph(w);

	return err ? err : call_plan_recompute(w);
}

static aclError ask_peak(struct world *w)
{
	aclError err = make_solved(w);

	*(uint32_t *)result(1) = TENSORS;
	return err;
}

CALL(plan_fault, {
	return made(vnpu_plan_fault(w->plan));
})

#define PLAN_ROWS(ROW)							\
	ROW(vnpu_plan_set_guard, make_graph, (w->plan, 64))		\
	ROW(vnpu_plan_get_offset, make_solved, (w->plan, 0, result(0)))	\
	ROW(vnpu_plan_get_life, make_solved,				\
	    (w->plan, 0, result(0), result(1)))				\
	ROW(vnpu_plan_get_position, make_solved, (w->plan, 0, result(0))) \
	ROW(vnpu_plan_get_peak, ask_peak, (w->plan, result(0), result(1))) \
	ROW(vnpu_plan_get_rerun, make_fitting, (w->fits, 0, result(0)))	\
	ROW(vnpu_plan_check, make_solved, (w->plan, NULL, 0, result(0)))

PLAN_ROWS(ROW_CALL)

static const struct sweep plan_calls[] = {
	PLAN_ROWS(ROW_ENTRY)
	{ "vnpu_plan_create", NULL, call_plan_create, false, 0 },
	{ "vnpu_plan_destroy", call_plan_create, call_plan_destroy, false, 0 },
	{ "vnpu_plan_fault", call_plan_create, call_plan_fault, false, 0 },
	{ "vnpu_plan_add_tensor", call_plan_create, call_plan_add_tensor,
	  false, 0 },
	{ "vnpu_plan_add_gap", make_tensor, call_plan_add_gap, false, 0 },
	{ "vnpu_plan_add_separation", make_two_tensors,
	  call_plan_add_separation, false, 0 },
	{ "vnpu_plan_add_op", make_output, call_plan_add_op, false,
	  KEEPS_ROOM },
	{ "vnpu_plan_solve", make_graph, call_plan_solve, false, 0 },
	{ "vnpu_plan_recompute", make_graph, call_plan_recompute, false, 0 },
	{ 0 }
};

CALL(arena_create, {
	return error_of(vnpu_arena_create(w->plan, NULL, 0, VNPU_ARENA_CHECK,
					  &w->arena));
})

CALL(arena_destroy, {
	vnpu_arena_destroy(w->arena);
	w->arena = NULL;
	return ACL_SUCCESS;
})

static aclError make_arena(struct world *w)
{
	aclError err = make_solved(w);

	return err ? err : call_arena_create(w);
}

static aclError make_running(struct world *w)
{
	aclError err = make_arena(w);

	return err ? err : error_of(vnpu_arena_begin(w->arena, 0));
}

CALL(arena_fault, {
	return made(vnpu_arena_fault(w->arena));
})

#define ARENA_ROWS(ROW)							\
	ROW(vnpu_arena_begin, make_arena, (w->arena, 0))		\
	ROW(vnpu_arena_use, make_running, (w->arena, 0, 0, result(0)))	\
	ROW(vnpu_arena_end, make_running, (w->arena, 0))		\
	ROW(vnpu_arena_restart, make_arena, (w->arena))

ARENA_ROWS(ROW_CALL)

static const struct sweep arena_calls[] = {
	ARENA_ROWS(ROW_ENTRY)
	{ "vnpu_arena_create", make_solved, call_arena_create, false, 0 },
	{ "vnpu_arena_destroy", make_arena, call_arena_destroy, false, 0 },
	{ "vnpu_arena_fault", make_arena, call_arena_fault, false, 0 },
	{ 0 }
};

#endif
