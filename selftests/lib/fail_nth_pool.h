/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: the library's pools of memory. */
#ifndef SELFTESTS_LIB_FAIL_NTH_POOL_H
#define SELFTESTS_LIB_FAIL_NTH_POOL_H

#include "fail_nth_calls.h"

/* No more addresses, and so tables of them, than needed. */
#define POOL_LIMIT	(8 * MIB)

static aclError create_heap(struct world *w, const char *profile)
{
	struct vnpu_pool_config config;

	vnpu_pool_config_init(&config);
	config.limit = POOL_LIMIT;
	config.learn = 1;
	config.profile = profile;
	return vnpu_pool_create(&w->heap, &config);
}

CALL(heap_create, {
	return create_heap(w, NULL);
})

CALL(heap_create_known, {
	return create_heap(w, path_of("/pool"));
})

CALL(create_mem_pool, {
	aclrtMemPoolConfig config = {
		.pool_type = ACL_MEM_POOL_TYPE_HOST, .reuse_enable = true,
		.reuse_threshold = 0.5,
	};
	aclError err = aclrtCreateMemPool(&config);

	w->heap = config.pool;
	return err;
})

CALL(heap_destroy, {
	return END(w, heap, vnpu_pool_destroy(w->heap));
})

CALL(heap_alloc, {
	w->block = vnpu_pool_alloc(w->heap, AREA);
	return made(w->block);
})

CALL(heap_alloc_small, {
	w->block = vnpu_pool_alloc(w->heap, 100);
	return made(w->block);
})

CALL(heap_alloc_aligned, {
	w->block = vnpu_pool_alloc_aligned(w->heap, AREA, 64 * KIB);
	return made(w->block);
})

CALL(heap_alloc_async, {
	w->block = vnpu_pool_alloc_async(w->heap, AREA, w->work.a);
	return made(w->block);
})

static aclError make_block(struct world *w)
{
	aclError err = call_heap_create(w);

	return err ? err : call_heap_alloc(w);
}

CALL(heap_free, {
	return END(w, block, vnpu_pool_free(w->heap, w->block));
})

/* Memory that the pool has, but has not allocated. */
static aclError make_idle(struct world *w)
{
	aclError err = make_block(w);

	return err ? err : call_heap_free(w);
}

/* In memory that moves. */
static aclError make_moving(struct world *w)
{
	struct vnpu_pool_config config;
	void *first = NULL;
	aclError err;

	vnpu_pool_config_init(&config);
	config.type = VNPU_POOL_COMPACT;
	config.limit = POOL_LIMIT;
	config.remap = 256 << 10;
	err = vnpu_pool_create(&w->heap, &config);
	if (!err)
		first = vnpu_pool_alloc(w->heap, 256 * KIB);
	if (!err && first)
		err = call_heap_alloc(w);
	return err || !first ? err : vnpu_pool_free(w->heap, first);
}

static aclError make_objects(struct world *w)
{
	aclError err = call_heap_create(w);

	return err ? err : vnpu_pool_objects_init(&w->objects, w->heap, 100,
						  64);
}

CALL(objects_alloc, {
	w->block = vnpu_pool_objects_alloc(&w->objects);
	return made(w->block);
})

static aclError make_object(struct world *w)
{
	aclError err = make_objects(w);

	return err ? err : call_objects_alloc(w);
}

/* The same twice, so that the third step is planned. */
static aclError make_steps(struct world *w)
{
	aclError err = call_heap_create(w);

	for (int i = 0; i < 2 && !err; i++) {
		err = vnpu_pool_step(w->heap);
		if (!err)
			err = call_heap_alloc(w);
		if (!err)
			err = call_heap_free(w);
	}
	return err;
}

static aclError make_saved(struct world *w)
{
	aclError err = make_idle(w);

	remove_files();
	if (!err && mkdir(path_of(""), 0700))
		err = ACL_ERROR_INVALID_FILE;
	if (!err)
		err = vnpu_pool_save_profile(w->heap, path_of("/pool"));
	return err ? err : call_heap_destroy(w);
}

static aclError make_to_save(struct world *w)
{
	aclError err = make_saved(w);

	return err ? err : make_idle(w);
}

CALL(config_init, {
	vnpu_pool_config_init(result(0));
	return ACL_SUCCESS;
})

CALL(get_heap_stats, {
	struct vnpu_pool_stats stats = { .size = sizeof(stats) };

	return vnpu_pool_get_stats(w->heap, &stats);
})

#define HEAP_ROWS(ROW)							\
	ROW(vnpu_pool_free_async, make_block,				\
	    (w->heap, w->block, w->work.a))				\
	ROW(vnpu_pool_objects_init, call_heap_create,			\
	    (&w->objects, w->heap, 100, 64))				\
	ROW(vnpu_pool_objects_free, make_object, (&w->objects, w->block)) \
	ROW(vnpu_pool_step, make_steps, (w->heap))			\
	ROW(vnpu_pool_step_end, make_steps, (w->heap))			\
	ROW(vnpu_pool_trim, make_idle, (w->heap, 0))			\
	ROW(vnpu_pool_defragment, make_moving, (w->heap, MIB))		\
	ROW(vnpu_pool_set_limit, call_heap_create, (w->heap, 4 * AREA))	\
	ROW(vnpu_pool_reset_peaks, make_idle, (w->heap))		\
	ROW(vnpu_pool_set_default, call_heap_create, (w->heap))		\
	ROW(aclrtSetMemReusePolicy, NULL, (ACL_MEM_REUSE_ENABLE))

HEAP_ROWS(ROW_CALL)

CALL(save, {
	return vnpu_pool_save_profile(w->heap, path_of("/pool"));
})

static const struct sweep pools_calls[] = {
	HEAP_ROWS(ROW_ENTRY)
	{ "vnpu_pool_config_init", NULL, call_config_init, false, 0 },
	{ "vnpu_pool_create", NULL, call_heap_create, false, 0 },
	{ "vnpu_pool_create, by a file", make_saved, call_heap_create_known,
	  false, FILES_OPEN },
	{ "aclrtCreateMemPool", NULL, call_create_mem_pool, false, 0 },
	{ "vnpu_pool_destroy", make_block, call_heap_destroy, false, 0 },
	{ "vnpu_pool_alloc", call_heap_create, call_heap_alloc, false, 0 },
	{ "vnpu_pool_alloc, small", call_heap_create, call_heap_alloc_small,
	  false, 0 },
	{ "vnpu_pool_alloc_aligned", call_heap_create, call_heap_alloc_aligned,
	  false, 0 },
	{ "vnpu_pool_alloc_async", call_heap_create, call_heap_alloc_async,
	  false, 0 },
	{ "vnpu_pool_free", make_block, call_heap_free, false, 0 },
	{ "vnpu_pool_objects_alloc", make_objects, call_objects_alloc, false,
	  0 },
	{ "vnpu_pool_get_stats", make_idle, call_get_heap_stats, false, 0 },
	{ "vnpu_pool_save_profile", make_to_save, call_save, false,
	  FILES_WRITE },
	{ 0 }
};

#endif
