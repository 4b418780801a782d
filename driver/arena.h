/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An arena: the physical memory of one device. It never grows.
 *
 * It is addressed by arena pages of 4 KiB. What lies in one granule of 2 MiB
 * is contiguous and can be reached through one kernel pointer; whether two
 * granules are neighbours in physical memory, the segments tell.
 */
#ifndef VNPU_ARENA_H
#define VNPU_ARENA_H

#include <linux/sizes.h>
#include <linux/types.h>

#include <linux/vnpu.h>

#define VNPU_GRANULE_SHIFT	21
#define VNPU_GRANULE_PAGES	BIT(VNPU_GRANULE_SHIFT - VNPU_PAGE_SHIFT)

struct vnpu_config;
struct vnpu_extent;

/**
 * struct vnpu_granule - 2 MiB of an arena
 * @addr: where the kernel reaches it
 * @phys: its physical address
 */
struct vnpu_granule {
	void *addr;
	phys_addr_t phys;
};

/**
 * struct vnpu_arena - the memory of a device; constant after it is made
 * @nr_granules: its size
 * @granules: what it consists of, ascending in physical memory
 * @mapping: memremap() of a reserved region, or NULL if the granules are of
 *	the page allocator
 * @res: the claim on a reserved region
 */
struct vnpu_arena {
	u32 nr_granules;
	struct vnpu_granule *granules;
	void *mapping;
	struct resource *res;
};

int vnpu_arena_init(struct vnpu_arena *arena, const struct vnpu_config *cfg,
		    unsigned int index);
void vnpu_arena_fini(struct vnpu_arena *arena);
bool vnpu_arena_is_border(const struct vnpu_arena *arena, u32 page);
struct vnpu_extent *vnpu_arena_segments(const struct vnpu_arena *arena, u32 *nr);

static inline u64 vnpu_arena_size(const struct vnpu_arena *arena)
{
	return (u64)arena->nr_granules << VNPU_GRANULE_SHIFT;
}

/* Good up to the end of the granule that @page is in. */
static inline void *vnpu_arena_addr(const struct vnpu_arena *arena, u32 page)
{
	return arena->granules[page / VNPU_GRANULE_PAGES].addr +
	       ((size_t)(page % VNPU_GRANULE_PAGES) << VNPU_PAGE_SHIFT);
}

static inline unsigned long vnpu_arena_pfn(const struct vnpu_arena *arena,
					   u32 page)
{
	return (arena->granules[page / VNPU_GRANULE_PAGES].phys >> PAGE_SHIFT) +
	       page % VNPU_GRANULE_PAGES;
}

#endif
