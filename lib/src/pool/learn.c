// SPDX-License-Identifier: MIT
/*
 * Pools that count their requests, and save the result.
 */
#include "base/error.h"
#include "base/util.h"
#include "pool.h"

/* Get the counts of a pool; false if it does not learn. */
static bool pattern_of(struct vnpu_pool_object *pool,
		       struct vnpu_pattern *pattern)
{
	if (!pool->tally)
		return false;
	vnpu_pattern_of(pattern, pool->tally);
	pthread_mutex_lock(&pool->lock);
	for (int i = 0; i < VNPU_RANGES; i++)
		pattern->reserve[i] = pool->range[i].heap.mapped_peak *
				      VNPU_PAGE_SIZE;
	pthread_mutex_unlock(&pool->lock);
	return true;
}

aclError vnpu_pool_learned(uint64_t handle, const char *path)
{
	struct vnpu_cache *cache = vnpu_thread_get(handle);
	struct vnpu_pattern pattern;
	bool has_learned;

	if (!cache)
		return vnpu_pool_bad(handle);
	has_learned = pattern_of(cache->pool, &pattern);
	vnpu_thread_put(cache);
	if (!has_learned)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"pool = %p does not learn; set config.learn",
			vnpu_u64_to_ptr(handle));
	return vnpu_pattern_write(path, &pattern);
}

VNPU_PUBLIC aclError vnpu_pool_save_profile(vnpu_pool_t pool, const char *path)
{
	VNPU_CALL();

	if (!path)
		return vnpu_error_null("path");
	return vnpu_pool_learned(vnpu_ptr_to_u64(pool), path);
}
