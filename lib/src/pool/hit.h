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

#define always_inline	inline __attribute__((always_inline))

/*
 * Have the compiler take a value as it is, so that it does not keep the values
 * that it came from, or others that come from them, in registers.
 */
#define FORGET_ORIGIN(value)	__asm__("" : "+r" (value))

/* After the rotation, an unaligned address is a huge number. */
static inline uint64_t granule_of(uint64_t offset, unsigned int shift)
{
	return offset >> shift | offset << (64 - shift);
}

static inline uint64_t granule_offset(uint64_t granule, unsigned int shift)
{
	return granule << shift | granule >> (64 - shift);
}

static always_inline uint64_t bin_pop(struct vnpu_bin *bin, uint32_t *top,
				      unsigned int shift)
{
	uint64_t granule = *--top;

	bin->top = top;
	bin->allocs++;
	vnpu_state_write(&bin->states[granule], bin->state);
	return (granule << shift) + bin->addr;
}

static always_inline bool bin_try_pop(struct vnpu_cache *cache, size_t offset,
				      unsigned int shift, uint64_t *addr)
{
	struct vnpu_bin *bin = (struct vnpu_bin *)((char *)cache + offset);
	uint32_t *top = bin->top;

	if (unlikely(top == bin->base))
		return false;
	*addr = bin_pop(bin, top, shift);
	return true;
}

/*
 * Allocate by the fast path; false if it does not apply.  The shifts are
 * constants, see vnpu_cache_route().
 */
static always_inline bool hit_alloc(uint64_t handle, uint64_t size,
				    uint64_t *addr)
{
	struct vnpu_cache *cache = vnpu_thread_cache;

	if (unlikely(cache->handle != handle))
		return false;
	if (likely(size <= cache->fine_most))
		return bin_try_pop(cache, cache->by_64[(size + 63) / 64],
				   VNPU_FINE_SHIFT, addr);
	if (likely(size <= VNPU_MEDIUM_MAX))
		return bin_try_pop(cache, cache->by_256[(size + 255) / 256],
				   VNPU_COARSE_SHIFT, addr);
	if (size <= VNPU_LARGE_MAX)
		return bin_try_pop(cache,
				   cache->by_page[(size + VNPU_PAGE_SIZE - 1) /
						  VNPU_PAGE_SIZE],
				   VNPU_PAGED_SHIFT, addr);
	return false;
}

static always_inline bool bin_try_push(struct vnpu_cache *cache,
				       uint16_t *states, uint64_t granule,
				       unsigned int only)
{
	/* Only for states of this cache the result is a class. */
	size_t offset = vnpu_state_read(&states[granule]) ^ cache->tag;
	struct vnpu_bin *bin;
	uint32_t *top;

	if (unlikely(offset & ~(size_t)VNPU_STATE_CLASS))
		return false;
	if (only != VNPU_CLASS_NONE &&
	    offset != only << VNPU_STATE_CLASS_SHIFT)
		return false;
	bin = (struct vnpu_bin *)((char *)cache->bins + offset);
	top = bin->top;
	if (unlikely(top == bin->limit))
		return false;
	FORGET_ORIGIN(granule);
	vnpu_state_write(&states[granule], 0);
	*top = granule;
	bin->top = top + 1;
	return true;
}

/*
 * Get the address of a granule of a range, which need not have this granule, by
 * undoing each step of hit_free(), which does not keep the address.
 */
static always_inline uint64_t granule_addr(struct vnpu_cache *cache,
					   enum vnpu_range_kind kind,
					   uint64_t granule)
{
	FORGET_ORIGIN(cache);
	FORGET_ORIGIN(granule);
	if (kind == VNPU_PAGED)
		granule = cache->paged_from +
			  granule_offset(granule, VNPU_PAGED_SHIFT -
						  VNPU_COARSE_SHIFT);
	if (kind != VNPU_FINE)
		granule = cache->coarse_from +
			  granule_offset(granule, VNPU_COARSE_SHIFT -
						  VNPU_FINE_SHIFT);
	return cache->base + granule_offset(granule, VNPU_FINE_SHIFT);
}

/*
 * Free by the fast path; only for this class, unless it is VNPU_CLASS_NONE.
 * False if it does not apply; @addr is the same afterwards.
 */
static always_inline bool hit_free(uint64_t handle, uint64_t *addr,
				   unsigned int only)
{
	struct vnpu_cache *cache = vnpu_thread_cache;
	uint64_t granule;

	if (unlikely(cache->handle != handle)) {
		FORGET_ORIGIN(*addr);
		return false;
	}
	granule = granule_of(*addr - cache->base, VNPU_FINE_SHIFT);
	FORGET_ORIGIN(granule);
	if (likely(granule < cache->fine_granules)) {
		if (likely(bin_try_push(cache, cache->fine_states, granule,
					only)))
			return true;
		*addr = granule_addr(cache, VNPU_FINE, granule);
		return false;
	}
	/* What is unaligned, or before the range, remains a huge number. */
	granule = granule_of(granule - cache->coarse_from,
			     VNPU_COARSE_SHIFT - VNPU_FINE_SHIFT);
	FORGET_ORIGIN(granule);
	if (likely(granule < cache->coarse_granules)) {
		if (likely(bin_try_push(cache, cache->coarse_states, granule,
					only)))
			return true;
		*addr = granule_addr(cache, VNPU_COARSE, granule);
		return false;
	}
	granule = granule_of(granule - cache->paged_from,
			     VNPU_PAGED_SHIFT - VNPU_COARSE_SHIFT);
	FORGET_ORIGIN(granule);
	if (likely(granule < cache->paged_granules) &&
	    likely(bin_try_push(cache, cache->paged_states, granule, only)))
		return true;
	*addr = granule_addr(cache, VNPU_PAGED, granule);
	return false;
}

#endif /* VNPU_LIB_POOL_HIT_H */
