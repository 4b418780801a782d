// SPDX-License-Identifier: MIT
/*
 * Caches of threads: the slow paths behind hit.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/util.h"
#include "hit.h"
#include "pool.h"
#include "steps.h"

VNPU_PUBLIC void *vnpu_pool_alloc(vnpu_pool_t pool, size_t size)
{
	uint64_t addr;

	if (likely(hit_alloc(vnpu_ptr_to_u64(pool), size, &addr)))
		return vnpu_u64_to_ptr(addr);
	VNPU_CALL();
	return vnpu_pool_alloc_slow(vnpu_ptr_to_u64(pool), size);
}

VNPU_PUBLIC aclError vnpu_pool_free(vnpu_pool_t pool, void *ptr)
{
	uint64_t addr = vnpu_ptr_to_u64(ptr);

	if (likely(hit_free(vnpu_ptr_to_u64(pool), &addr, VNPU_CLASS_NONE)))
		return ACL_SUCCESS;
	VNPU_CALL();
	return vnpu_pool_free_slow(vnpu_ptr_to_u64(pool), addr,
				   VNPU_CLASS_NONE);
}

void *vnpu_pool_try_alloc(uint64_t handle, uint64_t size)
{
	struct vnpu_cache *cache;
	uint64_t addr;

	if (likely(hit_alloc(handle, size, &addr)))
		return vnpu_u64_to_ptr(addr);
	cache = vnpu_thread_get(handle);
	if (!cache)
		return NULL;
	if (vnpu_cache_alloc(cache, size, 1, false, &addr))
		addr = 0;
	vnpu_thread_put(cache);
	return vnpu_u64_to_ptr(addr);
}

int vnpu_pool_try_free(uint64_t handle, uint64_t addr)
{
	struct vnpu_cache *cache;
	int ret;

	if (likely(hit_free(handle, &addr, VNPU_CLASS_NONE)))
		return 0;
	cache = vnpu_thread_get(handle);
	if (!cache)
		return -ENOENT;
	ret = vnpu_cache_free(cache, addr, VNPU_CLASS_NONE);
	if (ret)
		atomic_fetch_add_explicit(&cache->pool->bad_frees, 1,
					  memory_order_relaxed);
	vnpu_thread_put(cache);
	return ret;
}

static void bin_init(struct vnpu_cache *cache, unsigned int class,
		     uint32_t **stack)
{
	struct vnpu_pool_object *pool = cache->pool;
	const struct vnpu_class *about = &pool->classes.class[class];
	const struct vnpu_range *range = &pool->range[about->range];
	struct vnpu_bin *bin = &cache->bins[class];

	bin->base = *stack;
	bin->top = *stack;
	*stack += about->capacity;
	bin->limit = *stack;
	bin->states = range->states;
	bin->addr = pool->base + range->offset;
	bin->state = vnpu_state_pack(cache->index, class);
	bin->shift = vnpu_range_shift(about->range);
	bin->class = class;
}

/* Get the offset of a class's bin; sizes without the fast path have class 0. */
static uint16_t bin_offset(unsigned int class)
{
	return offsetof(struct vnpu_cache, bins[class]);
}

void vnpu_cache_route(struct vnpu_cache *cache, uint32_t most)
{
	const struct vnpu_classes *classes = &cache->pool->classes;

	if (cache->pool->tally)
		most = 0;
	cache->fine_most = 0;
	cache->by_64[0] = bin_offset(VNPU_CLASS_NONE);
	for (unsigned int i = 1; i < VNPU_BY_64 && i * 64 <= most; i++) {
		unsigned int class = classes->by_64[i];

		cache->by_64[i] = bin_offset(class);
		/* By their alignment, small sizes may be in the next range. */
		if (classes->class[class].range == VNPU_FINE)
			cache->fine_most = i * 64;
	}
	for (unsigned int i = 0; i < VNPU_BY_256; i++)
		cache->by_256[i] = bin_offset(i * 256 > most ? VNPU_CLASS_NONE :
							classes->by_256[i]);
	for (unsigned int i = 0; i < VNPU_BY_PAGE; i++)
		cache->by_page[i] = bin_offset(i * VNPU_PAGE_SIZE > most ?
					       VNPU_CLASS_NONE :
					       classes->by_page[i]);
}

struct vnpu_cache *vnpu_cache_create(struct vnpu_pool_object *pool,
				     uint32_t index)
{
	const struct vnpu_classes *classes = &pool->classes;
	struct vnpu_cache *cache;
	size_t slots = 0;
	uint32_t *stack;

	cache = aligned_alloc(64, vnpu_align_up(sizeof(*cache), 64));
	if (!cache)
		return NULL;
	memset(cache, 0, sizeof(*cache));
	for (unsigned int i = 1; i <= classes->count; i++)
		slots += classes->class[i].capacity;
	cache->stacks = stack = malloc(slots * sizeof(*stack));
	if (!stack) {
		free(cache);
		return NULL;
	}
	cache->pool = pool;
	cache->handle = pool->handle;
	cache->base = pool->base;
	cache->fine_granules = pool->range[VNPU_FINE].granules;
	cache->fine_states = pool->range[VNPU_FINE].states;
	cache->coarse_granules = pool->range[VNPU_COARSE].granules;
	cache->coarse_states = pool->range[VNPU_COARSE].states;
	cache->coarse_from = pool->range[VNPU_COARSE].offset >> VNPU_FINE_SHIFT;
	cache->paged_offset = pool->range[VNPU_PAGED].offset;
	cache->paged_from = (cache->paged_offset -
			     pool->range[VNPU_COARSE].offset) >>
			    VNPU_COARSE_SHIFT;
	cache->paged_granules = pool->range[VNPU_PAGED].granules;
	cache->paged_states = pool->range[VNPU_PAGED].states;
	cache->index = index;
	cache->tag = vnpu_state_pack(index, VNPU_CLASS_NONE);
	for (unsigned int i = 1; i <= classes->count; i++)
		bin_init(cache, i, &stack);
	vnpu_cache_route(cache, VNPU_LARGE_MAX);
	cache->received = VNPU_SLOT_NONE;
	atomic_init(&cache->inbox, VNPU_SLOT_NONE);
	return cache;
}

void vnpu_cache_destroy(struct vnpu_cache *cache)
{
	if (!cache)
		return;
	free(cache->stacks);
	free(cache);
}

/* Return the lower half to its slabs, which has been free for longest. */
static void bin_drain(struct vnpu_cache *cache, struct vnpu_bin *bin,
		      size_t count)
{
	size_t left = bin->top - bin->base - count;
	uint32_t size = cache->pool->classes.class[bin->class].size;

	for (size_t i = 0; i < count; i++)
		vnpu_slab_object_free(cache, bin, bin->base[i]);
	memmove(bin->base, bin->base + count, left * sizeof(*bin->base));
	bin->top = bin->base + left;
	vnpu_pool_note(cache->pool, -(int64_t)count * size);
}

void vnpu_cache_flush(struct vnpu_cache *cache)
{
	/*
	 * This order matters: received objects of other caches are passed on.
	 */
	vnpu_remote_receive(cache, NULL);
	vnpu_remote_send(cache);
	for (unsigned int i = 1; i <= cache->pool->classes.count; i++) {
		struct vnpu_bin *bin = &cache->bins[i];

		if (bin->top != bin->base)
			bin_drain(cache, bin, bin->top - bin->base);
		vnpu_slab_release(cache, bin);
	}
}

void vnpu_cache_put(struct vnpu_cache *cache, unsigned int class,
		    uint32_t granule)
{
	struct vnpu_bin *bin = &cache->bins[class];

	if (bin->top == bin->limit)
		bin_drain(cache, bin, (bin->limit - bin->base + 1) / 2);
	*bin->top++ = granule;
}

static int bin_fill(struct vnpu_cache *cache, struct vnpu_bin *bin)
{
	unsigned int want = (bin->limit - bin->base + 1) / 2;
	unsigned int taken;
	int ret;

	vnpu_remote_receive(cache, bin);
	vnpu_remote_send(cache);
	if (bin->top != bin->base)
		return 0;
	taken = vnpu_slab_objects_alloc(cache, bin, want);
	if (!taken) {
		ret = vnpu_slab_create(cache, bin);
		if (ret)
			return ret;
		taken = vnpu_slab_objects_alloc(cache, bin, want);
	}
	vnpu_pool_note(cache->pool, (int64_t)taken *
		       cache->pool->classes.class[bin->class].size);
	return 0;
}

/* Allocate pages for a single allocation. */
static int huge_alloc(struct vnpu_cache *cache, uint64_t size, uint64_t align,
		      uint64_t *addr)
{
	struct vnpu_pool_object *pool = cache->pool;
	struct vnpu_range *range = &pool->range[VNPU_PAGED];
	uint64_t pages = (size + VNPU_PAGE_SIZE - 1) >> VNPU_PAGE_SHIFT;
	struct vnpu_span *span;
	uint32_t granule;
	int ret;

	if (size > pool->length)
		return -ENOSPC;
	ret = vnpu_pages_alloc(cache, VNPU_PAGED, pages, align, &span);
	if (ret)
		return ret;
	granule = span->start;
	*addr = range->heap.base + span->start * VNPU_PAGE_SIZE;
	vnpu_pool_note_huge(pool, pages * VNPU_PAGE_SIZE);
	vnpu_state_write(&range->states[granule], VNPU_STATE_HUGE);
	return 0;
}

static int huge_free(struct vnpu_cache *cache, uint32_t granule)
{
	struct vnpu_pool_object *pool = cache->pool;
	struct vnpu_range *range = &pool->range[VNPU_PAGED];
	uint16_t state = VNPU_STATE_HUGE;
	struct vnpu_span *span;
	uint64_t bytes;

	/* If two threads free it at once, only one succeeds. */
	if (!__atomic_compare_exchange_n(&range->states[granule], &state, 0,
					 false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return -EALREADY;
	pthread_mutex_lock(&pool->lock);
	span = range->heap.map[granule];
	bytes = span->pages * VNPU_PAGE_SIZE;
	pool->huge_frees++;
	pool->huge_bytes -= bytes;
	vnpu_heap_free(&range->heap, span);
	pthread_mutex_unlock(&pool->lock);
	vnpu_pool_note(pool, -(int64_t)bytes);
	return 0;
}

static unsigned int class_of(const struct vnpu_pool_object *pool,
			     uint64_t size, uint64_t align)
{
	const struct vnpu_classes *classes = &pool->classes;

	if (align > VNPU_PAGE_SIZE)
		return VNPU_CLASS_NONE;
	if (align > pool->alignment)
		return vnpu_class_find(classes, size, align);
	if (size <= VNPU_FINE_MAX)
		return classes->by_64[(size + 63) / 64];
	if (size <= VNPU_MEDIUM_MAX)
		return classes->by_256[(size + 255) / 256];
	if (size <= VNPU_LARGE_MAX)
		return classes->by_page[(size + VNPU_PAGE_SIZE - 1) /
					VNPU_PAGE_SIZE];
	return VNPU_CLASS_NONE;
}

static int take(struct vnpu_cache *cache, unsigned int class, uint64_t size,
		uint64_t align, uint64_t *addr)
{
	struct vnpu_bin *bin = &cache->bins[class];
	int ret;

	if (class == VNPU_CLASS_NONE)
		return huge_alloc(cache, size, align, addr);
	if (bin->top == bin->base) {
		ret = bin_fill(cache, bin);
		if (ret)
			return ret;
	}
	*addr = bin_pop(bin, bin->top, bin->shift);
	return 0;
}

static int take_any(struct vnpu_cache *cache, uint64_t size, uint64_t align,
		    bool is_object, uint64_t *addr)
{
	if (!is_object && vnpu_steps_have(cache->pool, size))
		return vnpu_steps_alloc(cache, size, align, addr);
	return take(cache, class_of(cache->pool, size, align), size, align,
		    addr);
}

/* If the pool was short of memory since the last call, receive all frees. */
static void heed_shortage(struct vnpu_cache *cache)
{
	uint32_t now = atomic_load_explicit(&cache->pool->shortages,
					    memory_order_relaxed);

	if (cache->shortages == now)
		return;
	cache->shortages = now;
	vnpu_remote_receive(cache, NULL);
	vnpu_remote_send(cache);
}

int vnpu_cache_alloc(struct vnpu_cache *cache, uint64_t size, uint64_t align,
		     bool is_object, uint64_t *addr)
{
	int ret;

	if (!size)
		return -EINVAL;
	if (align < cache->pool->alignment)
		align = cache->pool->alignment;
	heed_shortage(cache);
	ret = take_any(cache, size, align, is_object, addr);
	if (ret && ret != -ENOMEM) {
		/* Release cached memory of other sizes, and that of steps. */
		vnpu_pool_gather(cache);
		vnpu_steps_yield(cache->pool);
		ret = take_any(cache, size, align, is_object, addr);
	}
	if (!ret && cache->pool->tally)
		vnpu_tally_note(cache->pool->tally, size, align);
	return ret;
}

/*
 * Get the state and the place of the allocation at an address: 0, or an error
 * as from vnpu_cache_free().
 */
static int locate(struct vnpu_pool_object *pool, uint64_t addr,
		  enum vnpu_range_kind *kind, uint32_t *granule,
		  uint16_t *state)
{
	uint64_t offset = addr - pool->base;
	unsigned int shift;

	if (offset >= pool->length)
		return -ENOENT;
	*kind = VNPU_FINE;
	while (*kind + 1 < VNPU_RANGES &&
	       offset >= pool->range[*kind + 1].offset)
		++*kind;
	offset -= pool->range[*kind].offset;
	shift = vnpu_range_shift(*kind);
	if (offset & ((1ULL << shift) - 1))
		return -EINVAL;
	*granule = offset >> shift;
	*state = vnpu_state_read(&pool->range[*kind].states[*granule]);
	return !*state || *state & VNPU_STATE_REMOTE ? -EALREADY : 0;
}

int vnpu_cache_free(struct vnpu_cache *cache, uint64_t addr, unsigned int only)
{
	enum vnpu_range_kind kind;
	unsigned int owner;
	uint32_t granule;
	uint16_t state;
	int ret;

	heed_shortage(cache);
	ret = locate(cache->pool, addr, &kind, &granule, &state);
	if (ret)
		return ret;
	if (only != VNPU_CLASS_NONE && vnpu_state_class(state) != only)
		return -EPERM;
	owner = vnpu_state_cache(state);
	if (!owner)
		return state == VNPU_STATE_STEP ?
		       vnpu_steps_free(cache->pool, granule) :
		       huge_free(cache, granule);
	if (owner != cache->index)
		return vnpu_remote_free(cache, kind, granule, state);
	vnpu_state_write(&cache->pool->range[kind].states[granule], 0);
	vnpu_cache_put(cache, vnpu_state_class(state), granule);
	return 0;
}

static uint64_t bytes_at(struct vnpu_pool_object *pool, uint32_t granule,
			 uint16_t state)
{
	const struct vnpu_heap *heap = &pool->range[VNPU_PAGED].heap;
	uint64_t bytes;

	if (state == VNPU_STATE_STEP)
		return vnpu_steps_bytes(pool, granule);
	if (state != VNPU_STATE_HUGE)
		return pool->classes.class[vnpu_state_class(state)].size;
	pthread_mutex_lock(&pool->lock);
	bytes = heap->map[granule]->pages * VNPU_PAGE_SIZE;
	pthread_mutex_unlock(&pool->lock);
	return bytes;
}

int vnpu_pool_mark(struct vnpu_cache *cache, uint64_t addr,
		   struct vnpu_claim *claim)
{
	struct vnpu_pool_object *pool = cache->pool;
	enum vnpu_range_kind kind;
	uint32_t granule;
	uint16_t state;
	int ret;

	ret = locate(pool, addr, &kind, &granule, &state);
	if (ret)
		return ret;
	if (!__atomic_compare_exchange_n(&pool->range[kind].states[granule],
					 &state, VNPU_STATE_HELD(state),
					 false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		return -EALREADY;
	claim->addr = addr;
	claim->bytes = bytes_at(pool, granule, state);
	claim->reuse = pool->stream_reuse;
	claim->state = state;
	return 0;
}

bool vnpu_pool_unmark(struct vnpu_cache *cache, const struct vnpu_claim *claim)
{
	struct vnpu_pool_object *pool = cache->pool;
	enum vnpu_range_kind kind;
	uint16_t state, held = VNPU_STATE_HELD(claim->state);
	uint32_t granule;

	locate(pool, claim->addr, &kind, &granule, &state);
	return __atomic_compare_exchange_n(&pool->range[kind].states[granule],
					   &held, claim->state, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

uint64_t vnpu_pool_round(const struct vnpu_pool_object *pool, uint64_t size)
{
	unsigned int class = class_of(pool, size, 1);

	if (class != VNPU_CLASS_NONE)
		return pool->classes.class[class].size;
	/* An impossible size is not rounded. */
	return size > pool->length ? 0 : vnpu_align_up(size, VNPU_PAGE_SIZE);
}
