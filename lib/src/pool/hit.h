/* SPDX-License-Identifier: MIT */
/*
 * Caches of threads: the fast path of most calls.
 *
 * A bin is a stack of granules.  The fast path takes a granule from it or puts
 * one there, and writes the state of the granule: it needs no lock and no
 * expensive atomic operation, and accesses no data that another thread writes.
 */
#ifndef VNPU_LIB_POOL_HIT_H
#define VNPU_LIB_POOL_HIT_H

#include "pool.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* After the rotation, an unaligned address is a huge number. */
static inline uint64_t granule_of(uint64_t offset, unsigned int shift)
{
	return offset >> shift | offset << (64 - shift);
}

static inline uint64_t bin_pop(struct vnpu_bin *bin, uint32_t *top)
{
	uint32_t granule = *--top;

	bin->top = top;
	bin->allocs++;
	vnpu_state_write(&bin->states[granule], bin->state);
	return bin->addr + ((uint64_t)granule << bin->shift);
}

/* Allocate by the fast path; 0 if it does not apply. */
static inline uint64_t hit_alloc(uint64_t handle, uint64_t size)
{
	struct vnpu_cache *cache = vnpu_thread_cache;
	struct vnpu_bin *bin;
	uint32_t *top;
	size_t offset;

	if (unlikely(cache->handle != handle))
		return 0;
	if (likely(size <= VNPU_MEDIUM_MAX))
		offset = cache->by_64[(size + 63) / 64];
	else if (size <= VNPU_LARGE_MAX)
		offset = cache->by_page[(size + VNPU_PAGE_SIZE - 1) /
					VNPU_PAGE_SIZE];
	else
		return 0;
	bin = (struct vnpu_bin *)((char *)cache + offset);
	top = bin->top;
	return likely(top != bin->base) ? bin_pop(bin, top) : 0;
}

/* Free by the fast path; only for this class, unless it is VNPU_CLASS_NONE. */
static inline bool hit_free(uint64_t handle, uint64_t addr, unsigned int only)
{
	struct vnpu_cache *cache = vnpu_thread_cache;
	uint64_t offset, granule;
	struct vnpu_bin *bin;
	uint16_t *state;
	uint32_t class;
	uint32_t *top;

	if (unlikely(cache->handle != handle))
		return false;
	offset = addr - cache->base;
	granule = granule_of(offset, VNPU_FINE_SHIFT);
	if (likely(granule < cache->fine_granules)) {
		state = &cache->fine_states[granule];
	} else {
		granule = granule_of(offset - cache->coarse_offset,
				     VNPU_COARSE_SHIFT);
		if (granule < cache->coarse_granules) {
			state = &cache->coarse_states[granule];
		} else {
			granule = granule_of(offset - cache->paged_offset,
					     VNPU_PAGED_SHIFT);
			if (unlikely(granule >= cache->paged_granules))
				return false;
			state = &cache->paged_states[granule];
		}
	}
	/* Only for states of this cache the result is a class. */
	class = vnpu_state_read(state) ^ cache->tag;
	if (unlikely(class >= VNPU_CLASSES))
		return false;
	if (only != VNPU_CLASS_NONE && class != only)
		return false;
	bin = &cache->bins[class];
	top = bin->top;
	if (unlikely(top == bin->limit))
		return false;
	vnpu_state_write(state, 0);
	*top = granule;
	bin->top = top + 1;
	return true;
}

#endif /* VNPU_LIB_POOL_HIT_H */
