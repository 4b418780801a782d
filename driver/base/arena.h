/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arena: the physical memory of a device. Its size is constant.
 *
 * Pages of the arena have 4 KiB. A granule of 2 MiB is physically contiguous
 * and can be accessed through one kernel pointer. Two granules are adjacent in
 * physical memory only if they are in the same segment.
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
 * @addr: kernel address
 * @phys: physical address
 */
struct vnpu_granule {
	void *addr;
	phys_addr_t phys;
};

/**
 * struct vnpu_arena - the memory of a device; constant after initialisation
 * @nr_granules: number of granules
 * @granules: the granules, in ascending order of physical addresses
 * @mapping: memremap() of a reserved region, or NULL if the granules come from
 *	the page allocator
 * @res: resource of a reserved region
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

/* Return the kernel address of @page, valid up to the end of its granule. */
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
