// SPDX-License-Identifier: MIT
/*
 * Pools: the public calls, except for the two fast paths, and the error
 * messages of all calls.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "async.h"
#include "pool.h"
#include "provider.h"
#include "steps.h"

#define ALIGN_LEAST	64U
#define ALIGN_MOST	(1ULL << 30)
#define CHUNK_MOST	(1ULL << 30)
#define REMAP_LEAST	(64U << 10)
#define DEFRAG_DEFAULT	30
#define REUSE_ALL	(VNPU_POOL_REUSE_EVENTS | VNPU_POOL_REUSE_DONE | \
			 VNPU_POOL_REUSE_WAIT)

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static aclError bad_value(const char *what)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, "%s", what);
}

aclError vnpu_pool_bad(uint64_t handle)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"pool = %p is not a pool, or was destroyed, its device was reset, or it belongs to the parent process",
		vnpu_u64_to_ptr(handle));
}

VNPU_PUBLIC void vnpu_pool_config_init(struct vnpu_pool_config *config)
{
	if (!config)
		return;
	*config = (struct vnpu_pool_config){
		.size = sizeof(*config),
		.type = VNPU_POOL_THREADED,
		.chunk = VNPU_CHUNK_MIN,
		.reuse = 1,
		.alignment = ALIGN_LEAST,
		.reuse_threshold = UINT64_MAX,
		.stream_reuse = REUSE_ALL,
		.defrag_threshold = DEFRAG_DEFAULT,
	};
}

static aclError config_check(const struct vnpu_pool_config *config)
{
	const struct vnpu_pool_provider *provider = config->provider;

	if (config->size != sizeof(*config))
		return bad_value("config->size is not the size of the struct; use vnpu_pool_config_init");
	if (config->type > VNPU_POOL_COMPACT)
		return bad_value("config->type is not a value of enum vnpu_pool_type");
	if (!is_power_of_two(config->chunk) || config->chunk < VNPU_CHUNK_MIN ||
	    config->chunk > CHUNK_MOST)
		return bad_value("config->chunk must be a power of two from 2 MiB to 1 GiB");
	if (!is_power_of_two(config->alignment) ||
	    config->alignment < ALIGN_LEAST ||
	    config->alignment > VNPU_PAGE_SIZE)
		return bad_value("config->alignment must be a power of two from 64 to 4096");
	if (config->reuse > 1)
		return bad_value("config->reuse must be 0 or 1");
	if (config->learn > 1)
		return bad_value("config->learn must be 0 or 1");
	if (config->stream_reuse & ~REUSE_ALL)
		return bad_value("config->stream_reuse has an unknown flag");
	if (provider && (!provider->reserve || !provider->release ||
			 !provider->map || !provider->unmap))
		return bad_value("config->provider lacks a function");
	return ACL_SUCCESS;
}

static aclError remap_check(const struct vnpu_pool_config *config)
{
	if (config->defrag_threshold > 100)
		return bad_value("config->defrag_threshold must be 0 to 100 percent");
	if (config->remap && (!is_power_of_two(config->remap) ||
			      config->remap < REMAP_LEAST ||
			      config->remap > VNPU_CHUNK_MIN))
		return bad_value("config->remap must be 0, or a power of two from 64 KiB to 2 MiB");
	if (config->remap && config->provider && !config->provider->move)
		return bad_value("config->remap needs a provider that can move memory");
	return ACL_SUCCESS;
}

static aclError create_error(int err)
{
	if (err == -ENOMEM || err == -EMFILE)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
			"no host memory for a pool, or there are %d pools already", VNPU_POOL_MAX);
	return vnpu_error_errno(err, "reserving addresses for a pool");
}

VNPU_PUBLIC aclError vnpu_pool_create(vnpu_pool_t *pool,
				      const struct vnpu_pool_config *config)
{
	VNPU_CALL();
	struct vnpu_pool_provider provider;
	struct vnpu_pool_config own;
	struct vnpu_pattern pattern;
	uint64_t handle;
	aclError ret;
	int err;

	if (!pool)
		return vnpu_error_null("pool");
	vnpu_pool_config_init(&own);
	if (config) {
		ret = config_check(config);
		if (!ret)
			ret = remap_check(config);
		if (ret)
			return ret;
		own = *config;
	}
	if (!own.provider) {
		ret = vnpu_provider_current(&own, &provider);
		if (ret)
			return ret;
	}
	if (own.profile) {
		ret = vnpu_pattern_read(own.profile, &pattern);
		if (ret)
			return ret;
	}
	err = vnpu_pool_object_create(&own, own.profile ? &pattern : NULL,
				      &handle);
	if (err)
		return create_error(err);
	*pool = vnpu_u64_to_ptr(handle);
	return ACL_SUCCESS;
}

VNPU_PUBLIC aclError vnpu_pool_destroy(vnpu_pool_t pool)
{
	VNPU_CALL();
	struct vnpu_pool_object *found;

	vnpu_async_forget(vnpu_ptr_to_u64(pool));
	found = vnpu_registry_remove(vnpu_ptr_to_u64(pool));
	if (!found)
		return vnpu_pool_bad(vnpu_ptr_to_u64(pool));
	vnpu_pool_object_destroy(found);
	return ACL_SUCCESS;
}

static void *alloc_error(int err, uint64_t size)
{
	if (err == -EINVAL)
		vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"size is 0; pass at least 1 byte");
	else if (err == -ENOMEM)
		vnpu_error(ACL_ERROR_BAD_ALLOC,
			"no host memory to manage %llu bytes of the pool",
			(unsigned long long)size);
	else
		vnpu_error(ACL_ERROR_RT_MEMORY_ALLOCATION,
			"%llu bytes are not available in this pool, and its limit or its provider allows no more (%s)",
			(unsigned long long)size, strerror(-err));
	return NULL;
}

static void *alloc(uint64_t handle, uint64_t size, uint64_t align,
		   bool is_object)
{
	struct vnpu_cache *cache = vnpu_thread_get(handle);
	uint64_t addr;
	int err;

	if (!cache) {
		vnpu_pool_bad(handle);
		return NULL;
	}
	err = vnpu_cache_alloc(cache, size, align, is_object, &addr);
	vnpu_thread_put(cache);
	return err ? alloc_error(err, size) : vnpu_u64_to_ptr(addr);
}

void *vnpu_pool_alloc_slow(uint64_t handle, uint64_t size)
{
	return alloc(handle, size, 1, false);
}

void *vnpu_pool_object_slow(uint64_t handle, uint64_t size)
{
	return alloc(handle, size, 1, true);
}

VNPU_PUBLIC void *vnpu_pool_alloc_aligned(vnpu_pool_t pool, size_t size,
					  size_t alignment)
{
	VNPU_CALL();

	if (!is_power_of_two(alignment) || alignment > ALIGN_MOST) {
		bad_value("alignment must be a power of two, at most 1 GiB");
		return NULL;
	}
	return alloc(vnpu_ptr_to_u64(pool), size, alignment, false);
}

static aclError free_error(struct vnpu_pool_object *pool, int err,
			   uint64_t addr)
{
	void *ptr = vnpu_u64_to_ptr(addr);

	atomic_fetch_add_explicit(&pool->bad_frees, 1, memory_order_relaxed);
	if (err == -EPERM)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"ptr = %p is not an object of this kind", ptr);
	if (err == -EALREADY || err == -EINVAL)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"ptr = %p is not the start of an allocation of this pool; it was freed before, or is inside a block",
			ptr);
	if (vnpu_registry_find(addr))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"ptr = %p belongs to another pool", ptr);
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"ptr = %p does not belong to a pool", ptr);
}

aclError vnpu_pool_free_slow(uint64_t handle, uint64_t addr, unsigned int only)
{
	struct vnpu_cache *cache = vnpu_thread_get(handle);
	struct vnpu_pool_object *pool;
	int err;

	if (!cache)
		return vnpu_pool_bad(handle);
	pool = cache->pool;
	err = vnpu_cache_free(cache, addr, only);
	vnpu_thread_put(cache);
	return err ? free_error(pool, err, addr) : ACL_SUCCESS;
}

aclError vnpu_pool_claim(uint64_t handle, uint64_t addr,
			 struct vnpu_claim *claim)
{
	struct vnpu_cache *cache = vnpu_thread_get(handle);
	struct vnpu_pool_object *pool;
	int err;

	if (!cache)
		return vnpu_pool_bad(handle);
	pool = cache->pool;
	err = vnpu_pool_mark(cache, addr, claim);
	vnpu_thread_put(cache);
	return err ? free_error(pool, err, addr) : ACL_SUCCESS;
}

bool vnpu_pool_unclaim(uint64_t handle, const struct vnpu_claim *claim)
{
	struct vnpu_cache *cache = vnpu_thread_get(handle);
	bool is_ours;

	if (!cache)
		return false;
	is_ours = vnpu_pool_unmark(cache, claim);
	vnpu_thread_put(cache);
	return is_ours;
}

void vnpu_pool_reuse(uint64_t handle, uint64_t size, struct vnpu_reuse *reuse)
{
	struct vnpu_cache *cache = vnpu_thread_get(handle);

	*reuse = (struct vnpu_reuse){ 0 };
	if (!cache)
		return;
	reuse->bytes = vnpu_pool_round(cache->pool, size);
	reuse->flags = cache->pool->stream_reuse;
	vnpu_thread_put(cache);
}

static aclError step_error(int err)
{
	if (err == -EBUSY)
		return bad_value("the steps of this pool belong to another thread until it calls vnpu_pool_step_end or ends");
	if (err == -ENOENT)
		return bad_value("this thread has no step of the pool; call vnpu_pool_step first");
	return err ? vnpu_error(ACL_ERROR_BAD_ALLOC,
				"no host memory for steps") : ACL_SUCCESS;
}

VNPU_PUBLIC aclError vnpu_pool_step(vnpu_pool_t pool)
{
	VNPU_CALL();
	struct vnpu_cache *cache = vnpu_thread_get(vnpu_ptr_to_u64(pool));
	int err;

	if (!cache)
		return vnpu_pool_bad(vnpu_ptr_to_u64(pool));
	err = vnpu_steps_next(cache);
	if (!err && cache != cache->pool->shared)
		vnpu_cache_route(cache, VNPU_FINE_MAX);
	vnpu_thread_put(cache);
	return step_error(err);
}

VNPU_PUBLIC aclError vnpu_pool_step_end(vnpu_pool_t pool)
{
	VNPU_CALL();
	struct vnpu_cache *cache = vnpu_thread_get(vnpu_ptr_to_u64(pool));
	int err;

	if (!cache)
		return vnpu_pool_bad(vnpu_ptr_to_u64(pool));
	err = vnpu_steps_end(cache->pool);
	if (!err && cache != cache->pool->shared)
		vnpu_cache_route(cache, VNPU_LARGE_MAX);
	vnpu_thread_put(cache);
	return step_error(err);
}

VNPU_PUBLIC aclError vnpu_pool_trim(vnpu_pool_t pool, uint64_t keep)
{
	VNPU_CALL();
	struct vnpu_cache *cache;

	vnpu_async_reap(vnpu_ptr_to_u64(pool));
	cache = vnpu_thread_get(vnpu_ptr_to_u64(pool));
	if (!cache)
		return vnpu_pool_bad(vnpu_ptr_to_u64(pool));
	vnpu_pool_trim_to(cache, keep);
	vnpu_thread_put(cache);
	return ACL_SUCCESS;
}

VNPU_PUBLIC aclError vnpu_pool_defragment(vnpu_pool_t pool, uint64_t keep)
{
	VNPU_CALL();
	struct vnpu_cache *cache;

	vnpu_async_reap(vnpu_ptr_to_u64(pool));
	cache = vnpu_thread_get(vnpu_ptr_to_u64(pool));
	if (!cache)
		return vnpu_pool_bad(vnpu_ptr_to_u64(pool));
	vnpu_pool_defragment_to(cache, keep);
	vnpu_thread_put(cache);
	return ACL_SUCCESS;
}

VNPU_PUBLIC aclError vnpu_pool_set_limit(vnpu_pool_t pool, uint64_t limit)
{
	VNPU_CALL();
	struct vnpu_cache *cache = vnpu_thread_get(vnpu_ptr_to_u64(pool));

	if (!cache)
		return vnpu_pool_bad(vnpu_ptr_to_u64(pool));
	pthread_mutex_lock(&cache->pool->lock);
	cache->pool->account.limit = limit;
	pthread_mutex_unlock(&cache->pool->lock);
	vnpu_thread_put(cache);
	return ACL_SUCCESS;
}

VNPU_PUBLIC aclError vnpu_pool_get_stats(vnpu_pool_t pool,
					 struct vnpu_pool_stats *stats)
{
	VNPU_CALL();
	struct vnpu_pool_stats all = { 0 };
	struct vnpu_cache *cache;
	uint32_t size;

	if (!stats)
		return vnpu_error_null("stats");
	size = stats->size;
	if (size < offsetof(struct vnpu_pool_stats, allocated) ||
	    size > sizeof(all) || stats->flags)
		return bad_value("stats->size is not the size of the struct, or stats->flags is not 0");
	cache = vnpu_thread_get(vnpu_ptr_to_u64(pool));
	if (!cache)
		return vnpu_pool_bad(vnpu_ptr_to_u64(pool));
	vnpu_pool_count(cache->pool, &all);
	vnpu_thread_put(cache);
	all.size = size;
	memcpy(stats, &all, size);
	return ACL_SUCCESS;
}

VNPU_PUBLIC aclError vnpu_pool_reset_peaks(vnpu_pool_t pool)
{
	VNPU_CALL();
	struct vnpu_cache *cache = vnpu_thread_get(vnpu_ptr_to_u64(pool));

	if (!cache)
		return vnpu_pool_bad(vnpu_ptr_to_u64(pool));
	vnpu_pool_forget_peaks(cache->pool);
	vnpu_thread_put(cache);
	return ACL_SUCCESS;
}
