// SPDX-License-Identifier: MIT
/*
 * Creation, trimming and statistics of pools.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "pool.h"
#include "steps.h"

/*
 * Limit on the addresses of each range, from the granule numbers of messages.
 */
#define FINE_MOST	(32ULL << 30)
#define COARSE_MOST	(128ULL << 30)
#define PAGED_MOST	(1ULL << 40)
/* Addresses of pages per byte of memory; those of holes stay unused. */
#define SPREAD		2
#define SPREAD_MOVABLE	4
/* Without a limit. */
#define LENGTH_DEFAULT	(64ULL << 30)
/* Fewer addresses than this are useless. */
#define LENGTH_LEAST	(64ULL << 20)

static int range_init(struct vnpu_pool_object *pool, enum vnpu_range_kind kind,
		      uint64_t offset, uint64_t length)
{
	struct vnpu_range *range = &pool->range[kind];

	range->offset = offset;
	range->granules = length >> vnpu_range_shift(kind);
	range->states = vnpu_sparse_alloc(range->granules *
					  sizeof(*range->states));
	range->links = vnpu_sparse_alloc(range->granules *
					 sizeof(*range->links));
	if (!range->states || !range->links)
		return -ENOMEM;
	return vnpu_heap_init(&range->heap, &pool->account,
			      pool->base + offset, length);
}

static void range_fini(struct vnpu_range *range)
{
	vnpu_heap_fini(&range->heap);
	vnpu_sparse_free(range->states,
			 range->granules * sizeof(*range->states));
	vnpu_sparse_free(range->links, range->granules * sizeof(*range->links));
	*range = (struct vnpu_range){ 0 };
}

static void ranges_fini(struct vnpu_pool_object *pool)
{
	const struct vnpu_pool_provider *provider = &pool->account.provider;

	for (int i = 0; i < VNPU_RANGES; i++)
		range_fini(&pool->range[i]);
	if (pool->length)
		provider->release(provider->user, pool->base, pool->length);
	pool->length = 0;
}

static int ranges_try(struct vnpu_pool_object *pool, uint64_t most)
{
	const struct vnpu_pool_provider *provider = &pool->account.provider;
	uint64_t fine = most < FINE_MOST ? most : FINE_MOST;
	uint64_t coarse = most < COARSE_MOST ? most : COARSE_MOST;
	uint64_t spread = pool->account.is_movable ? SPREAD_MOVABLE : SPREAD;
	uint64_t paged = most < PAGED_MOST / spread ? most * spread :
						      PAGED_MOST;
	int ret;

	fine = vnpu_align_up(fine, VNPU_CHUNK_MIN);
	coarse = vnpu_align_up(coarse, VNPU_CHUNK_MIN);
	paged = vnpu_align_up(paged, pool->account.chunk);
	ret = provider->reserve(provider->user, fine + coarse + paged,
				&pool->base);
	if (ret)
		return ret;
	pool->length = fine + coarse + paged;
	ret = range_init(pool, VNPU_FINE, 0, fine);
	if (!ret)
		ret = range_init(pool, VNPU_COARSE, fine, coarse);
	if (!ret)
		ret = range_init(pool, VNPU_PAGED, fine + coarse, paged);
	if (ret)
		ranges_fini(pool);
	return ret;
}

/*
 * Reserve as many addresses as may be needed, or as many as possible, on the
 * device and for the tables: hosts may be configured not to overcommit.
 */
static int ranges_init(struct vnpu_pool_object *pool, uint64_t most)
{
	int ret;

	do {
		ret = ranges_try(pool, most);
		most /= 2;
	} while (ret && most >= LENGTH_LEAST);
	return ret;
}

static int locks_init(struct vnpu_pool_object *pool)
{
	int ret = pthread_mutex_init(&pool->lock, NULL);

	if (ret)
		return -ret;
	ret = pthread_mutex_init(&pool->shared_lock, NULL);
	if (ret)
		pthread_mutex_destroy(&pool->lock);
	return -ret;
}

/* Set up the parts of a pool other than its memory. */
static int features_init(struct vnpu_pool_object *pool,
			 const struct vnpu_pool_config *config,
			 const struct vnpu_pattern *pattern)
{
	bool is_exact[VNPU_SIZES] = { false };

	pool->alignment = config->alignment;
	pool->is_compact = config->type == VNPU_POOL_COMPACT;
	pool->stream_reuse = config->stream_reuse;
	pool->account.provider = *config->provider;
	pool->account.limit = config->limit;
	pool->account.chunk = config->chunk;
	pool->account.is_movable = config->remap;
	pool->account.slot_pages = (config->remap ? config->remap :
				    VNPU_CHUNK_MIN) >> VNPU_PAGE_SHIFT;
	pool->account.defrag_threshold = config->defrag_threshold;
	pool->account.keep = config->reuse ? config->reuse_threshold : 0;
	if (pattern)
		vnpu_pattern_choose(pattern, pool->alignment,
				    pool->is_compact, is_exact);
	vnpu_classes_init(&pool->classes, pool->alignment, pool->is_compact,
			  is_exact);
	if (config->learn)
		pool->tally = calloc(1, sizeof(*pool->tally));
	return config->learn && !pool->tally ? -ENOMEM : 0;
}

static void expect(struct vnpu_pool_object *pool,
		   const struct vnpu_pattern *pattern)
{
	for (int i = 0; i < VNPU_RANGES; i++) {
		struct vnpu_heap *heap = &pool->range[i].heap;
		uint64_t pages = pattern->reserve[i] >> VNPU_PAGE_SHIFT;

		heap->expected = pages < heap->pages ? pages : 0;
	}
}

int vnpu_pool_object_create(const struct vnpu_pool_config *config,
			    const struct vnpu_pattern *pattern,
			    uint64_t *handle)
{
	struct vnpu_pool_object *pool = calloc(1, sizeof(*pool));
	uint64_t most = config->limit ? config->limit : LENGTH_DEFAULT;
	int ret;

	if (!pool)
		return -ENOMEM;
	ret = locks_init(pool);
	if (ret) {
		free(pool);
		return ret;
	}
	ret = features_init(pool, config, pattern);
	if (!ret)
		ret = ranges_init(pool, most < LENGTH_LEAST ? LENGTH_LEAST :
							      most);
	if (ret)
		goto err;
	if (pattern)
		expect(pool, pattern);
	pool->shared = vnpu_cache_create(pool, VNPU_CACHE_SHARED);
	if (!pool->shared) {
		ret = -ENOMEM;
		goto err;
	}
	pool->shared->has_thread = true;
	atomic_store(&pool->cache[VNPU_CACHE_SHARED], pool->shared);
	ret = vnpu_registry_add(pool);
	if (ret)
		goto err;
	*handle = pool->handle;
	return 0;

err:
	vnpu_pool_object_destroy(pool);
	return ret;
}

void vnpu_pool_object_destroy(struct vnpu_pool_object *pool)
{
	vnpu_cache_destroy(pool->shared);
	vnpu_steps_destroy(pool);
	free(pool->tally);
	ranges_fini(pool);
	vnpu_heap_account_fini(&pool->account);
	pthread_mutex_destroy(&pool->shared_lock);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

/* Collect frees for threads that have ended; the pool is locked. */
void vnpu_pool_reclaim(struct vnpu_pool_object *pool)
{
	for (struct vnpu_cache *cache = pool->idle; cache; cache = cache->next)
		vnpu_cache_flush(cache);
}

void vnpu_pool_gather(struct vnpu_cache *cache)
{
	struct vnpu_pool_object *pool = cache->pool;

	atomic_fetch_add_explicit(&pool->shortages, 1, memory_order_relaxed);
	vnpu_cache_flush(cache);
	if (cache == pool->shared)
		return;
	pthread_mutex_lock(&pool->shared_lock);
	vnpu_cache_flush(pool->shared);
	pthread_mutex_unlock(&pool->shared_lock);
}

void vnpu_pool_trim_to(struct vnpu_cache *cache, uint64_t keep)
{
	vnpu_pool_gather(cache);
	vnpu_pool_trim_heaps(cache->pool, keep);
}

void vnpu_pool_trim_heaps(struct vnpu_pool_object *pool, uint64_t keep)
{
	pthread_mutex_lock(&pool->lock);
	vnpu_pool_reclaim(pool);
	for (int i = 0; i < VNPU_RANGES; i++)
		vnpu_heap_trim(&pool->range[i].heap, keep);
	pthread_mutex_unlock(&pool->lock);
}

void vnpu_pool_defragment_to(struct vnpu_cache *cache, uint64_t keep)
{
	struct vnpu_pool_object *pool = cache->pool;

	vnpu_pool_trim_to(cache, keep);
	pthread_mutex_lock(&pool->lock);
	for (int i = 0; i < VNPU_RANGES; i++)
		vnpu_heap_gather(&pool->range[i].heap);
	pthread_mutex_unlock(&pool->lock);
}

static void raise_to(_Atomic uint64_t *peak, uint64_t value)
{
	uint64_t old = atomic_load_explicit(peak, memory_order_relaxed);

	while (old < value &&
	       !atomic_compare_exchange_weak_explicit(peak, &old, value,
						      memory_order_relaxed,
						      memory_order_relaxed))
		;
}

void vnpu_pool_note(struct vnpu_pool_object *pool, int64_t bytes)
{
	uint64_t active = atomic_fetch_add_explicit(&pool->active, bytes,
						    memory_order_relaxed);

	if (bytes > 0)
		raise_to(&pool->active_peak, active + bytes);
}

void vnpu_pool_note_huge(struct vnpu_pool_object *pool, int64_t bytes)
{
	pthread_mutex_lock(&pool->lock);
	if (bytes > 0)
		pool->huge_allocs++;
	else
		pool->huge_frees++;
	pool->huge_bytes += bytes;
	pthread_mutex_unlock(&pool->lock);
	vnpu_pool_note(pool, bytes);
}

/* The thread keeps writing, so the values may be slightly inconsistent. */
static VNPU_RACY void cache_count(const struct vnpu_pool_object *pool,
				  const struct vnpu_cache *cache,
				  struct vnpu_pool_stats *stats)
{
	for (unsigned int i = 1; i <= pool->classes.count; i++) {
		const volatile struct vnpu_bin *bin = &cache->bins[i];
		int64_t live = bin->handed - (bin->top - bin->base);

		if (live < 0)
			live = 0;
		stats->allocated += live * pool->classes.class[i].size;
		stats->allocs += bin->allocs;
		stats->frees += bin->allocs - live;
	}
	stats->remote_frees +=
		*(const volatile uint64_t *)&cache->remote_frees;
	stats->caches++;
}

void vnpu_pool_count(struct vnpu_pool_object *pool,
		     struct vnpu_pool_stats *stats)
{
	const struct vnpu_heap_account *account = &pool->account;

	vnpu_steps_count(pool, stats);
	pthread_mutex_lock(&pool->lock);
	stats->allocated = pool->huge_bytes;
	stats->allocs = pool->huge_allocs;
	stats->frees = pool->huge_frees;
	for (int i = 1; i < VNPU_CACHES; i++) {
		const struct vnpu_cache *cache = atomic_load(&pool->cache[i]);

		if (cache)
			cache_count(pool, cache, stats);
	}
	stats->active = atomic_load(&pool->active);
	stats->active_peak = atomic_load(&pool->active_peak);
	stats->bad_frees = atomic_load(&pool->bad_frees);
	stats->reserved = account->reserved;
	stats->reserved_peak = account->reserved_peak;
	stats->maps = account->maps;
	stats->unmaps = account->unmaps;
	stats->moves = account->moves;
	for (int i = 0; i < VNPU_RANGES; i++)
		stats->idle += vnpu_heap_idle(&pool->range[i].heap);
	pthread_mutex_unlock(&pool->lock);
	/* Free memory in slabs is free, but not for other sizes. */
	if (stats->reserved > stats->idle + stats->active)
		stats->inactive_split = stats->reserved - stats->idle -
					stats->active;
	if (stats->reserved)
		stats->fragmentation = stats->inactive_split * 1000 /
				       stats->reserved;
}

void vnpu_pool_forget_peaks(struct vnpu_pool_object *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->account.reserved_peak = pool->account.reserved;
	for (int i = 0; i < VNPU_RANGES; i++)
		pool->range[i].heap.mapped_peak = pool->range[i].heap.mapped;
	pthread_mutex_unlock(&pool->lock);
	atomic_store(&pool->active_peak, atomic_load(&pool->active));
}
