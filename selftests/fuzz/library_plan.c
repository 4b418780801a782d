// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls for plans and arenas, of which each thread has its own, as the headers
 * require, and for the library's pools, which all threads use.
 */
#include "library.h"

#define TENSORS		6

/* Some tensors, and the operators that make and read them. */
static void fill_plan(struct worker *w, struct vnpu_plan *plan)
{
	struct vnpu_plan_tensor t = { .flags = VNPU_PLAN_OF_OPS };
	uint32_t input, output;
	struct vnpu_plan_op op = {
		.inputs = &input,
		.outputs = &output,
		.num_outputs = 1,
		.cost = 1,
	};

	for (uint32_t i = 0; i < TENSORS; i++) {
		t.size = 1 + below(w, 4096);
		vnpu_plan_add_tensor(plan, &t);
	}
	for (output = 0; output < TENSORS; output++) {
		input = output ? below(w, output) : 0;
		op.num_inputs = !!output;
		vnpu_plan_add_op(plan, &op);
	}
}

static struct vnpu_plan_options *plan_options(struct worker *w)
{
	struct vnpu_plan_options *options = out(w, 0);

	*options = (struct vnpu_plan_options){
		.capacity = below(w, 2) ? 0 : below(w, 16384),
		.effort = 1 + below(w, 1000),
		.time_limit_ns = 1000000,
		.align = below(w, 4) ? 0 : size_of(w),
	};
	return options;
}

static aclError fuzz_vnpu_plan_create(struct worker *w)
{
	int ret;

	vnpu_plan_destroy(w->plan);
	w->plan = NULL;
	ret = vnpu_plan_create(&w->plan);
	if (!ret && below(w, 8))
		fill_plan(w, w->plan);
	return error_of(ret);
}

static aclError fuzz_vnpu_plan_destroy(struct worker *w)
{
	struct vnpu_plan **plan = below(w, 2) ? &w->plan : &w->fits;

	vnpu_plan_destroy(*plan);
	*plan = NULL;
	return ACL_SUCCESS;
}

static aclError fuzz_vnpu_plan_add_tensor(struct worker *w)
{
	const struct vnpu_plan_tensor t = {
		.size = size_of(w),
		.lower = below(w, 8),
		.upper = below(w, 16),
		.align = below(w, 4) ? 0 : size_of(w),
		.flags = below(w, 4) ? 0 : below(w, 16),
	};

	return w->plan ? error_of(vnpu_plan_add_tensor(w->plan, &t)) : 0;
}

static aclError fuzz_vnpu_plan_add_gap(struct worker *w)
{
	const struct vnpu_plan_gap gap = {
		.lower = below(w, 8),
		.upper = below(w, 12),
	};

	return w->plan ? error_of(vnpu_plan_add_gap(w->plan, below(w, 8),
						    &gap)) : 0;
}

static aclError fuzz_vnpu_plan_add_separation(struct worker *w)
{
	return w->plan ? error_of(vnpu_plan_add_separation(w->plan, below(w, 8),
							   below(w, 8))) : 0;
}

static aclError fuzz_vnpu_plan_add_op(struct worker *w)
{
	uint32_t lists[3][2];
	const struct vnpu_plan_op op = {
		.inputs = lists[0],
		.outputs = lists[1],
		.waits = lists[2],
		.num_inputs = below(w, 3),
		.num_outputs = below(w, 3),
		.num_waits = below(w, 3),
		.stream = below(w, 3),
		.cost = below(w, 100),
	};

	for (int i = 0; i < 6; i++)
		lists[i / 2][i % 2] = below(w, 10);
	return w->plan ? error_of(vnpu_plan_add_op(w->plan, &op)) : 0;
}

static aclError fuzz_vnpu_plan_recompute(struct worker *w)
{
	if (!w->plan)
		return ACL_SUCCESS;
	vnpu_plan_destroy(w->fits);
	w->fits = NULL;
	return error_of(vnpu_plan_recompute(w->plan, plan_options(w), &w->fits,
					    out(w, 1)));
}

static aclError fuzz_vnpu_plan_get_peak(struct worker *w)
{
	uint32_t count = below(w, 16);

	return w->plan ? error_of(vnpu_plan_get_peak(w->plan, out(w, 0),
						     &count)) : 0;
}

/* Plans: an existing one, and one that fits. */
#define PLAN(_name, what, ...)						\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	return w->what ? error_of(_name __VA_ARGS__) : ACL_SUCCESS;	\
}

PLAN(vnpu_plan_solve, plan, (w->plan, plan_options(w), out(w, 1)))
PLAN(vnpu_plan_set_guard, plan, (w->plan, below(w, 4) ? 64 : size_of(w)))
PLAN(vnpu_plan_get_rerun, fits, (w->fits, below(w, 8), out(w, 0)))
PLAN(vnpu_plan_get_offset, plan, (w->plan, below(w, 8), out(w, 0)))
PLAN(vnpu_plan_get_life, plan, (w->plan, below(w, 8), out(w, 0), out(w, 1)))
PLAN(vnpu_plan_get_position, plan, (w->plan, below(w, 8), out(w, 0)))
PLAN(vnpu_plan_check, plan, (w->plan, NULL, below(w, 65), out(w, 1)))
PLAN(vnpu_plan_fault, plan, (w->plan) ? 0 : -1)

static aclError fuzz_vnpu_arena_create(struct worker *w)
{
	struct vnpu_plan *plan = below(w, 2) ? w->plan : w->fits;
	void *base = below(w, 2) ? device_address(w) : NULL;

	vnpu_arena_destroy(w->arena);
	w->arena = NULL;
	return error_of(vnpu_arena_create(plan, base, base ? size_of(w) : 0,
					  below(w, 3), &w->arena));
}

static aclError fuzz_vnpu_arena_destroy(struct worker *w)
{
	vnpu_arena_destroy(w->arena);
	w->arena = NULL;
	return ACL_SUCCESS;
}

PLAN(vnpu_arena_begin, arena, (w->arena, below(w, 8)))
PLAN(vnpu_arena_end, arena, (w->arena, below(w, 8)))
PLAN(vnpu_arena_use, arena, (w->arena, below(w, 8), below(w, 8), out(w, 0)))
PLAN(vnpu_arena_restart, arena, (w->arena))
PLAN(vnpu_arena_fault, arena, (w->arena) ? 0 : -1)

const struct call plan_calls[] = {
	CALL(vnpu_plan_create),
	CALL(vnpu_plan_destroy),
	CALL(vnpu_plan_fault),
	CALL(vnpu_plan_add_tensor),
	CALL(vnpu_plan_add_gap),
	CALL(vnpu_plan_add_separation),
	CALL(vnpu_plan_add_op),
	CALL(vnpu_plan_set_guard),
	CALL(vnpu_plan_solve),
	CALL(vnpu_plan_solve),
	CALL(vnpu_plan_recompute),
	CALL(vnpu_plan_get_rerun),
	CALL(vnpu_plan_get_offset),
	CALL(vnpu_plan_get_life),
	CALL(vnpu_plan_get_position),
	CALL(vnpu_plan_get_peak),
	CALL(vnpu_plan_check),
	CALL(vnpu_arena_create),
	CALL(vnpu_arena_create),
	CALL(vnpu_arena_destroy),
	CALL(vnpu_arena_fault),
	CALL(vnpu_arena_begin),
	CALL(vnpu_arena_end),
	CALL(vnpu_arena_use),
	CALL(vnpu_arena_restart),
	{ 0 }
};

static aclError fuzz_vnpu_pool_create(struct worker *w)
{
	struct vnpu_pool_config config;
	vnpu_pool_t new = NULL;
	aclError ret;

	vnpu_pool_config_init(&config);
	config.type = below(w, 3);
	config.limit = below(w, 8) ? 8ULL << (20 + below(w, 4)) : size_of(w);
	config.learn = below(w, 2);
	if (!below(w, 8))
		config.chunk = size_of(w);
	if (!below(w, 8))
		config.alignment = 1 << below(w, 16);
	if (!below(w, 4))
		config.remap = 256 << 10;
	if (!below(w, 8))
		config.profile = path_of("/pool");
	ret = vnpu_pool_create(&new, &config);
	return keep_if(w, ret, HEAP, new);
}

static aclError fuzz_aclrtCreateMemPool(struct worker *w)
{
	aclrtMemPoolConfig config = {
		.pool_type = below(w, 4),
		.reuse_enable = below(w, 2),
		.reuse_threshold = below(w, 6) / 4.0,
	};
	aclError ret = aclrtCreateMemPool(&config);

	return keep_if(w, ret, HEAP, config.pool);
}

static aclError fuzz_vnpu_pool_config_init(struct worker *w)
{
	vnpu_pool_config_init(out(w, 0));
	return ACL_SUCCESS;
}

static size_t block_size(struct worker *w)
{
	return below(w, 2) ? 1 + below(w, 2000) : size_of(w);
}

#define BLOCK_CALL(_name, ...)						\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	void *new = _name __VA_ARGS__;					\
									\
	return keep_if(w, made(new), BLOCK, new);			\
}

BLOCK_CALL(vnpu_pool_alloc, (handle(w, HEAP), block_size(w)))
BLOCK_CALL(vnpu_pool_alloc_aligned,
	   (handle(w, HEAP), block_size(w), 1ULL << below(w, 32)))
BLOCK_CALL(vnpu_pool_alloc_async,
	   (handle(w, HEAP), block_size(w), handle(w, STREAM)))
BLOCK_CALL(vnpu_pool_objects_alloc, (&w->objects))

static aclError fuzz_vnpu_pool_get_stats(struct worker *w)
{
	struct vnpu_pool_stats stats = {
		.size = below(w, 4) ? sizeof(stats) : below(w, 200),
	};

	return vnpu_pool_get_stats(handle(w, HEAP), &stats);
}

static aclError fuzz_vnpu_pool_save_profile(struct worker *w)
{
	return SELDOM(w, vnpu_pool_save_profile(handle(w, HEAP),
						path_of("/pool")));
}

/* From its own pool, which random choice would rarely select. */
static aclError fuzz_block(struct worker *w)
{
	void *heap = handle(w, HEAP), *stream = handle(w, STREAM);
	void *new = below(w, 2) ? vnpu_pool_alloc_async(heap, block_size(w),
							stream) :
				  vnpu_pool_alloc(heap, block_size(w));

	if (!new)
		return ACL_ERROR_FAILURE;
	return below(w, 2) ? vnpu_pool_free_async(heap, new, stream) :
			     vnpu_pool_free(heap, new);
}

#define HEAP_ROWS(ROW)							\
	ROW(vnpu_pool_free, (handle(w, HEAP), handle(w, BLOCK)))	\
	ROW(vnpu_pool_free_async,					\
	    (handle(w, HEAP), handle(w, BLOCK), handle(w, STREAM)))	\
	ROW(vnpu_pool_objects_init,					\
	    (&w->objects, handle(w, HEAP), size_of(w), 1 << below(w, 14))) \
	ROW(vnpu_pool_objects_free, (&w->objects, handle(w, BLOCK)))	\
	ROW(vnpu_pool_step, (handle(w, HEAP)))				\
	ROW(vnpu_pool_step_end, (handle(w, HEAP)))			\
	ROW(vnpu_pool_trim, (handle(w, HEAP), size_of(w)))		\
	ROW(vnpu_pool_defragment, (handle(w, HEAP), size_of(w)))	\
	ROW(vnpu_pool_set_limit, (handle(w, HEAP), size_of(w)))		\
	ROW(vnpu_pool_reset_peaks, (handle(w, HEAP)))			\
	ROW(vnpu_pool_set_default, (below(w, 2) ? handle(w, HEAP) : NULL)) \
	ROW(aclrtSetMemReusePolicy, (below(w, 3)))

HEAP_ROWS(ROW_CALL)

static aclError fuzz_vnpu_pool_destroy(struct worker *w)
{
	return vnpu_pool_destroy(handle(w, HEAP));
}

const struct call heap_calls[] = {
	HEAP_ROWS(ROW_ENTRY)
	CALL_ALONE(vnpu_pool_create),
	CALL_ALONE(aclrtCreateMemPool),
	CALL_ALONE(vnpu_pool_destroy),
	CALL(vnpu_pool_config_init),
	CALL(vnpu_pool_alloc),
	CALL(vnpu_pool_alloc),
	CALL(vnpu_pool_alloc_aligned),
	CALL(vnpu_pool_alloc_async),
	CALL(vnpu_pool_alloc_async),
	CALL(vnpu_pool_objects_alloc),
	{ "vnpu_pool_alloc, and free", fuzz_block, false },
	CALL(vnpu_pool_get_stats),
	CALL(vnpu_pool_save_profile),
	{ 0 }
};
