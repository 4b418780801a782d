// SPDX-License-Identifier: MIT
/*
 * Slabs: runs of pages that are divided into objects of a class.  A slab
 * belongs to a cache, and only the thread of that cache uses this file.
 */
#include <errno.h>
#include <string.h>

#include "pool.h"

static struct vnpu_range *range_of(struct vnpu_cache *cache,
				   const struct vnpu_class *class)
{
	return &cache->pool->range[class->range];
}

static void slab_list(struct vnpu_bin *bin, struct vnpu_span *slab)
{
	slab->prev = NULL;
	slab->next = bin->slabs;
	if (bin->slabs)
		bin->slabs->prev = slab;
	bin->slabs = slab;
}

static void slab_unlist(struct vnpu_bin *bin, struct vnpu_span *slab)
{
	if (slab->prev)
		slab->prev->next = slab->next;
	else
		bin->slabs = slab->next;
	if (slab->next)
		slab->next->prev = slab->prev;
}

int vnpu_pages_alloc(struct vnpu_cache *cache, enum vnpu_range_kind range,
		     uint32_t pages, uint64_t align, struct vnpu_span **span)
{
	struct vnpu_pool_object *pool = cache->pool;
	struct vnpu_heap *heap = &pool->range[range].heap;
	int ret;

	pthread_mutex_lock(&pool->lock);
	ret = vnpu_heap_alloc(heap, pages, align, false, span);
	if (ret == -EAGAIN) {
		vnpu_pool_reclaim(pool);
		ret = vnpu_heap_alloc(heap, pages, align, true, span);
	}
	if (ret && ret != -ENOMEM) {
		/* Free memory in the other ranges is usable, too. */
		for (int i = 0; i < VNPU_RANGES; i++)
			vnpu_heap_trim(&pool->range[i].heap, 0);
		ret = vnpu_heap_alloc(heap, pages, align, true, span);
	}
	pthread_mutex_unlock(&pool->lock);
	return ret;
}

static void pages_free(struct vnpu_cache *cache, enum vnpu_range_kind range,
		       struct vnpu_span *span)
{
	struct vnpu_pool_object *pool = cache->pool;

	if (cache->has_thread)
		pthread_mutex_lock(&pool->lock);
	vnpu_heap_free(&pool->range[range].heap, span);
	if (cache->has_thread)
		pthread_mutex_unlock(&pool->lock);
}

/*
 * Make objects findable by the page that they begin in.  The heap, which other
 * threads use, only reads the ends, which it has set itself.
 */
static void slab_enter(struct vnpu_heap *heap, const struct vnpu_class *class,
		       struct vnpu_span *slab)
{
	struct vnpu_span **map = &heap->map[slab->start];

	if (class->size < VNPU_PAGE_SIZE) {
		for (uint32_t i = 1; i + 1 < slab->pages; i++)
			map[i] = slab;
		return;
	}
	for (uint64_t i = 1; i < slab->objects; i++) {
		uint64_t page = i * class->size >> VNPU_PAGE_SHIFT;

		if (page + 1 < slab->pages)
			map[page] = slab;
	}
}

int vnpu_slab_create(struct vnpu_cache *cache, struct vnpu_bin *bin)
{
	const struct vnpu_class *class =
		&cache->pool->classes.class[bin->class];
	struct vnpu_range *range = range_of(cache, class);
	struct vnpu_span *slab;
	int ret;

	ret = vnpu_pages_alloc(cache, class->range, class->pages, 1, &slab);
	if (ret)
		return ret;
	slab->class = bin->class;
	slab->objects = class->objects;
	slab->nr_free = class->objects;
	memset(slab->free, 0, sizeof(slab->free));
	memset(slab->free, 0xff, class->objects / 64 * 8);
	if (class->objects % 64)
		slab->free[class->objects / 64] =
			(1ULL << class->objects % 64) - 1;
	slab_enter(&range->heap, class, slab);
	slab_list(bin, slab);
	return 0;
}

unsigned int vnpu_slab_objects_alloc(struct vnpu_cache *cache,
				     struct vnpu_bin *bin, unsigned int count)
{
	const struct vnpu_class *class =
		&cache->pool->classes.class[bin->class];
	uint32_t granules = class->size >> bin->shift;
	unsigned int taken = 0;

	while (taken < count && bin->slabs) {
		struct vnpu_span *slab = bin->slabs;
		uint32_t first = slab->start << (VNPU_PAGE_SHIFT - bin->shift);

		for (unsigned int i = 0; i < VNPU_SPAN_OBJECTS / 64; i++) {
			while (slab->free[i] && taken < count) {
				unsigned int n = __builtin_ctzll(slab->free[i]);

				slab->free[i] &= slab->free[i] - 1;
				slab->nr_free--;
				*bin->top++ = first + (i * 64 + n) * granules;
				taken++;
			}
		}
		if (!slab->nr_free)
			slab_unlist(bin, slab);
	}
	bin->handed += taken;
	return taken;
}

void vnpu_slab_object_free(struct vnpu_cache *cache, struct vnpu_bin *bin,
			   uint32_t granule)
{
	const struct vnpu_class *class =
		&cache->pool->classes.class[bin->class];
	struct vnpu_range *range = range_of(cache, class);
	unsigned int per_page = VNPU_PAGE_SHIFT - bin->shift;
	struct vnpu_span *slab = range->heap.map[granule >> per_page];
	uint32_t offset = granule - (slab->start << per_page);
	unsigned int n = ((uint64_t)offset * class->reciprocal) >> 31;

	slab->free[n / 64] |= 1ULL << n % 64;
	bin->handed--;
	if (!slab->nr_free++)
		slab_list(bin, slab);
	if (slab->nr_free < slab->objects)
		return;
	/* Keep one free slab to avoid repeated changes, but not a large one. */
	if (slab->objects > 1 && !slab->prev && !slab->next)
		return;
	slab_unlist(bin, slab);
	pages_free(cache, class->range, slab);
}

void vnpu_slab_release(struct vnpu_cache *cache, struct vnpu_bin *bin)
{
	const struct vnpu_class *class =
		&cache->pool->classes.class[bin->class];
	struct vnpu_span *slab, *next;

	for (slab = bin->slabs; slab; slab = next) {
		next = slab->next;
		if (slab->nr_free < slab->objects)
			continue;
		slab_unlist(bin, slab);
		pages_free(cache, class->range, slab);
	}
}
