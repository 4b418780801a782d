// SPDX-License-Identifier: MIT
/*
 * The assignment of caches to threads, and the registry of pools.
 *
 * A thread stores its caches, and the last one where the fast path reads it.
 * When the thread ends, its caches wait for another thread.  When the pool
 * ends, the caches are only emptied, because they are thread-local memory;
 * their thread finds them without a pool at its next call.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"
#include "async.h"
#include "pool.h"
#include "steps.h"

#define INDEX_BITS	8
#define INDEX_MASK	((1U << INDEX_BITS) - 1)

/* A cache of no pool: all its bins are empty. */
static const struct vnpu_cache no_cache = {
	.by_64 = { [0 ... VNPU_BY_64 - 1] = offsetof(struct vnpu_cache, bins) },
	.by_256 = { [0 ... VNPU_BY_256 - 1] =
			offsetof(struct vnpu_cache, bins) },
	.by_page = { [0 ... VNPU_BY_PAGE - 1] =
			offsetof(struct vnpu_cache, bins) },
};

#define NO_CACHE	((struct vnpu_cache *)&no_cache)

__thread struct vnpu_cache *vnpu_thread_cache = NO_CACHE;

static __thread struct vnpu_cache *mine[VNPU_POOL_MAX];

/* Written under the lock of the registry. */
static atomic_uint nr_pools;

static struct {
	pthread_mutex_t lock;
	struct vnpu_pool_object *pools[VNPU_POOL_MAX];
	uint64_t generation;
	pthread_key_t key;		/* its destructor runs when a thread
					 * ends */
	atomic_bool has_key;
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Release a cache with empty bins; the registry is locked. */
static void cache_retire(struct vnpu_cache *cache)
{
	struct vnpu_pool_object *pool = cache->pool;

	vnpu_cache_flush(cache);
	pthread_mutex_lock(&pool->lock);
	cache->has_thread = false;
	cache->next = pool->idle;
	pool->idle = cache;
	pthread_mutex_unlock(&pool->lock);
}

static void thread_end(void *arg)
{
	(void)arg;
	vnpu_thread_cache = NO_CACHE;
	pthread_mutex_lock(&registry.lock);
	for (int i = 0; i < VNPU_POOL_MAX; i++) {
		struct vnpu_pool_object *pool = registry.pools[i];
		struct vnpu_cache *cache = mine[i];

		if (pool && !vnpu_steps_end(pool) && cache)
			vnpu_cache_route(cache, VNPU_LARGE_MAX);
		mine[i] = NULL;
		if (cache && cache->handle)
			cache_retire(cache);
		else
			vnpu_cache_destroy(cache);
	}
	pthread_mutex_unlock(&registry.lock);
}

/* Get a cache for this thread alone, or NULL; the registry is locked. */
static struct vnpu_cache *cache_attach(struct vnpu_pool_object *pool)
{
	struct vnpu_cache *cache = NULL;
	uint32_t index = 1;

	/* Without it, the end of the thread would be missed. */
	if (!registry.has_key ||
	    pthread_setspecific(registry.key, &registry) || pool->is_compact)
		return NULL;
	pthread_mutex_lock(&pool->lock);
	if (pool->idle) {
		cache = pool->idle;
		pool->idle = cache->next;
	} else {
		while (index < VNPU_CACHE_SHARED &&
		       atomic_load(&pool->cache[index]))
			index++;
		if (index < VNPU_CACHE_SHARED)
			cache = vnpu_cache_create(pool, index);
		if (cache)
			atomic_store(&pool->cache[index], cache);
	}
	if (cache)
		cache->has_thread = true;
	pthread_mutex_unlock(&pool->lock);
	return cache;
}

static struct vnpu_pool_object *pool_find(uint64_t handle)
{
	struct vnpu_pool_object *pool = NULL;

	if ((handle & INDEX_MASK) < VNPU_POOL_MAX)
		pool = registry.pools[handle & INDEX_MASK];
	return pool && pool->handle == handle ? pool : NULL;
}

static struct vnpu_cache *cache_find(uint64_t handle)
{
	struct vnpu_cache **slot = &mine[handle & INDEX_MASK];
	struct vnpu_pool_object *pool;
	struct vnpu_cache *cache = NULL;

	pthread_mutex_lock(&registry.lock);
	pool = pool_find(handle);
	if (pool) {
		/* The pool has ended. */
		if (*slot == vnpu_thread_cache)
			vnpu_thread_cache = NO_CACHE;
		vnpu_cache_destroy(*slot);
		*slot = cache_attach(pool);
		cache = *slot ? *slot : pool->shared;
	}
	pthread_mutex_unlock(&registry.lock);
	return cache;
}

struct vnpu_cache *vnpu_thread_get(uint64_t handle)
{
	struct vnpu_cache *cache;

	if ((handle & INDEX_MASK) >= VNPU_POOL_MAX || !handle)
		return NULL;
	cache = mine[handle & INDEX_MASK];
	if (!cache || cache->handle != handle)
		cache = cache_find(handle);
	if (!cache)
		return NULL;
	if (cache->index == VNPU_CACHE_SHARED)
		pthread_mutex_lock(&cache->pool->shared_lock);
	else
		vnpu_thread_cache = cache;
	return cache;
}

void vnpu_thread_put(struct vnpu_cache *cache)
{
	if (cache->index == VNPU_CACHE_SHARED)
		pthread_mutex_unlock(&cache->pool->shared_lock);
}

int vnpu_registry_add(struct vnpu_pool_object *pool)
{
	int index = 0, ret = -EMFILE;

	pthread_mutex_lock(&registry.lock);
	if (!registry.has_key)
		registry.has_key = !pthread_key_create(&registry.key,
						       thread_end);
	while (index < VNPU_POOL_MAX && registry.pools[index])
		index++;
	if (registry.has_key && index < VNPU_POOL_MAX) {
		pool->handle = ++registry.generation << INDEX_BITS | index;
		pool->shared->handle = pool->handle;
		registry.pools[index] = pool;
		atomic_fetch_add(&nr_pools, 1);
		ret = 0;
	}
	pthread_mutex_unlock(&registry.lock);
	return ret;
}

/*
 * A thread may end after the library was unloaded.  At exit(), other threads may
 * still use pools; the key may then belong to another library.
 */
static __attribute__((destructor)) void registry_unload(void)
{
	if (atomic_exchange(&registry.has_key, false))
		pthread_key_delete(registry.key);
}

/* Empty a cache and detach it from its pool. */
static void cache_orphan(struct vnpu_cache *cache)
{
	cache->handle = 0;
	cache->fine_granules = 0;
	cache->coarse_granules = 0;
	cache->paged_granules = 0;
	for (int i = 0; i < VNPU_CLASSES; i++)
		cache->bins[i].top = cache->bins[i].base;
}

struct vnpu_pool_object *vnpu_registry_remove(uint64_t handle)
{
	struct vnpu_pool_object *pool;

	/* Exclude a thread that trims it. */
	vnpu_async_lock();
	pthread_mutex_lock(&registry.lock);
	pool = pool_find(handle);
	if (pool) {
		registry.pools[handle & INDEX_MASK] = NULL;
		atomic_fetch_sub(&nr_pools, 1);
		for (int i = 1; i < VNPU_CACHE_SHARED; i++) {
			struct vnpu_cache *cache = atomic_load(&pool->cache[i]);

			if (cache && cache->has_thread)
				cache_orphan(cache);
			else
				vnpu_cache_destroy(cache);
		}
	}
	pthread_mutex_unlock(&registry.lock);
	vnpu_async_unlock();
	return pool;
}

uint64_t vnpu_registry_find(uint64_t addr)
{
	uint64_t handle = 0;

	pthread_mutex_lock(&registry.lock);
	for (int i = 0; i < VNPU_POOL_MAX; i++) {
		const struct vnpu_pool_object *pool = registry.pools[i];

		if (pool && addr - pool->base < pool->length)
			handle = pool->handle;
	}
	pthread_mutex_unlock(&registry.lock);
	return handle;
}

static bool is_of(const struct vnpu_pool_object *pool,
		  const struct vnpu_pool_provider *provider)
{
	return pool && pool->account.provider.map == provider->map &&
	       pool->account.provider.user == provider->user;
}

uint64_t vnpu_registry_next(const struct vnpu_pool_provider *provider,
			    int *index)
{
	uint64_t handle = 0;

	pthread_mutex_lock(&registry.lock);
	while (!handle && *index < VNPU_POOL_MAX) {
		if (is_of(registry.pools[*index], provider))
			handle = registry.pools[*index]->handle;
		++*index;
	}
	pthread_mutex_unlock(&registry.lock);
	return handle;
}

bool vnpu_registry_has(uint64_t handle,
		       const struct vnpu_pool_provider *provider)
{
	bool has;

	pthread_mutex_lock(&registry.lock);
	has = is_of(pool_find(handle), provider);
	pthread_mutex_unlock(&registry.lock);
	return has;
}

bool vnpu_registry_trim(const struct vnpu_pool_provider *provider)
{
	struct vnpu_cache *cache;
	bool has_trimmed = false;
	uint64_t handle;
	int index = 0;

	while ((handle = vnpu_registry_next(provider, &index))) {
		vnpu_async_reap(handle);
		/* Another thread may end it concurrently. */
		vnpu_async_lock();
		cache = vnpu_thread_get(handle);
		if (cache) {
			vnpu_steps_yield(cache->pool);
			vnpu_pool_trim_to(cache, 0);
			vnpu_thread_put(cache);
			has_trimmed = true;
		}
		vnpu_async_unlock();
	}
	return has_trimmed;
}

bool vnpu_registry_is_empty(void)
{
	return !atomic_load_explicit(&nr_pools, memory_order_relaxed);
}

void vnpu_registry_lock(void)
{
	pthread_mutex_lock(&registry.lock);
}

void vnpu_registry_unlock(void)
{
	pthread_mutex_unlock(&registry.lock);
}

/* In the child: abandon the pools, as their memory is in an unknown state. */
void vnpu_registry_disown(void)
{
	vnpu_thread_cache = NO_CACHE;
	memset(mine, 0, sizeof(mine));
	memset(registry.pools, 0, sizeof(registry.pools));
	atomic_store(&nr_pools, 0);
}
