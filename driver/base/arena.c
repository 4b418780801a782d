// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source of a device's memory: a region that was reserved at boot, or chunks
 * from the page allocator.
 *
 * A reserved region is mapped write-back for as long as it is in use, because
 * on x86 that mapping also decides the memory type of user mappings. It has no
 * struct pages. The driver never hands out struct pages of either kind of
 * memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/sort.h>

#include "core/allocator.h"
#include "arena.h"
#include "params.h"

#define VNPU_GRANULE_ORDER	(VNPU_GRANULE_SHIFT - PAGE_SHIFT)

/*
 * Chunks of twice a granule halve the number of segment borders. The page
 * allocator has no larger ones.
 */
#define VNPU_CHUNK_ORDER	(VNPU_GRANULE_ORDER + 1)

/*
 * Check that a granule is really memory. A region that is neither RAM nor
 * claimed may still be nothing at all, so read back a value before user data is
 * stored there.
 */
static bool vnpu_granule_is_memory(const struct vnpu_granule *granule)
{
	u64 *word = granule->addr;
	u64 old = READ_ONCE(*word);
	bool same;

	WRITE_ONCE(*word, ~old);
	mb(); /* the write must reach memory before it is read back */
	same = READ_ONCE(*word) == ~old;
	WRITE_ONCE(*word, old);
	return same;
}

static int vnpu_arena_map_region(struct vnpu_arena *arena,
				 const struct vnpu_config *cfg,
				 unsigned int index)
{
	phys_addr_t base = cfg->region_base + index * cfg->arena_size;
	u32 i;

	if (region_intersects(base, cfg->arena_size, IORESOURCE_SYSTEM_RAM,
			      IORES_DESC_NONE) != REGION_DISJOINT) {
		pr_err("region: the kernel uses memory in the %llu bytes at %pa: boot with memmap=SIZE$ADDR to reserve them\n",
		       cfg->arena_size, &base);
		return -EBUSY;
	}
	arena->res = request_mem_region(base, cfg->arena_size, "vnpu arena");
	if (!arena->res) {
		pr_err("region: the %llu bytes at %pa are in use, or beyond the CPU's address range\n",
		       cfg->arena_size, &base);
		return -EBUSY;
	}
	arena->mapping = memremap(base, cfg->arena_size, MEMREMAP_WB);
	if (!arena->mapping) {
		pr_err("region: cannot map the %llu bytes at %pa\n",
		       cfg->arena_size, &base);
		return -ENOMEM;
	}
	for (i = 0; i < arena->nr_granules; i++) {
		struct vnpu_granule *granule = &arena->granules[i];
		u64 offset = (u64)i << VNPU_GRANULE_SHIFT;

		granule->phys = base + offset;
		granule->addr = arena->mapping + offset;
		if (!vnpu_granule_is_memory(granule)) {
			pr_err("region: no memory at %pa\n", &granule->phys);
			return -EINVAL;
		}
	}
	return 0;
}

static int vnpu_granule_cmp(const void *a, const void *b)
{
	const struct vnpu_granule *l = a, *r = b;

	return l->phys < r->phys ? -1 : l->phys > r->phys;
}

static int vnpu_arena_alloc_chunks(struct vnpu_arena *arena)
{
	gfp_t gfp = GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY;
	u64 available = (u64)si_mem_available() << PAGE_SHIFT;
	u32 i = 0;

	/*
	 * The page allocator would rather invoke the OOM killer than fail. So
	 * refuse a request that would leave the machine without memory.
	 */
	if (vnpu_arena_size(arena) > available) {
		pr_err("arena: %llu bytes exceed the %llu bytes of available memory\n",
		       vnpu_arena_size(arena), available);
		return -ENOMEM;
	}
	while (i < arena->nr_granules) {
		unsigned int order = arena->nr_granules - i > 1 ?
				     VNPU_CHUNK_ORDER : VNPU_GRANULE_ORDER;
		struct page *page = alloc_pages(gfp, order);
		u32 end;

		if (!page && order > VNPU_GRANULE_ORDER) {
			order = VNPU_GRANULE_ORDER;
			page = alloc_pages(gfp, order);
		}
		if (!page || fatal_signal_pending(current)) {
			if (page)
				__free_pages(page, order);
			pr_err("arena: cannot allocate %llu bytes in pieces of 2M, got %llu\n",
			       vnpu_arena_size(arena),
			       (u64)i << VNPU_GRANULE_SHIFT);
			return -ENOMEM;
		}
		split_page(page, order);
		end = i + (1 << (order - VNPU_GRANULE_ORDER));
		for (; i < end; i++, page += 1 << VNPU_GRANULE_ORDER) {
			arena->granules[i].phys = page_to_phys(page);
			arena->granules[i].addr = page_address(page);
		}
		cond_resched();
	}
	sort(arena->granules, arena->nr_granules, sizeof(*arena->granules),
	     vnpu_granule_cmp, NULL);
	return 0;
}

static void vnpu_granule_free_pages(const struct vnpu_granule *granule)
{
	unsigned int i;

	/* The chunks were split, so each page is an allocation of its own. */
	for (i = 0; i < 1 << VNPU_GRANULE_ORDER; i++)
		__free_page(virt_to_page(granule->addr + ((size_t)i << PAGE_SHIFT)));
}

/**
 * vnpu_arena_init() - get the memory of a device
 * @arena: the arena
 * @cfg: size and source
 * @index: index of the device, which selects its share of a reserved region
 *
 * Context: may sleep.
 * Return: 0, or -EBUSY, -EINVAL or -ENOMEM after a message in the log.
 */
int vnpu_arena_init(struct vnpu_arena *arena, const struct vnpu_config *cfg,
		    unsigned int index)
{
	int ret;

	*arena = (struct vnpu_arena){
		.nr_granules = cfg->arena_size >> VNPU_GRANULE_SHIFT,
	};
	arena->granules = kvcalloc(arena->nr_granules,
				   sizeof(*arena->granules), GFP_KERNEL);
	if (!arena->granules)
		return -ENOMEM;

	if (cfg->region_size)
		ret = vnpu_arena_map_region(arena, cfg, index);
	else
		ret = vnpu_arena_alloc_chunks(arena);
	if (ret)
		vnpu_arena_fini(arena);
	return ret;
}

/**
 * vnpu_arena_fini() - free the memory of a device
 * @arena: the arena, which is no longer mapped
 */
void vnpu_arena_fini(struct vnpu_arena *arena)
{
	u32 i;

	if (arena->mapping)
		memunmap(arena->mapping);
	if (arena->res)
		release_mem_region(arena->res->start, resource_size(arena->res));
	for (i = 0; !arena->res && i < arena->nr_granules; i++) {
		if (arena->granules[i].addr)
			vnpu_granule_free_pages(&arena->granules[i]);
		cond_resched();
	}
	kvfree(arena->granules);
	*arena = (struct vnpu_arena){ };
}

/**
 * vnpu_arena_is_border() - check if a segment begins at a page
 * @arena: the arena
 * @page: the page, not the first one
 *
 * Return: true if the page is not physically adjacent to the one before it.
 */
bool vnpu_arena_is_border(const struct vnpu_arena *arena, u32 page)
{
	const struct vnpu_granule *granule;

	if (page % VNPU_GRANULE_PAGES)
		return false;
	granule = &arena->granules[page / VNPU_GRANULE_PAGES];
	return granule[-1].phys + SZ_2M != granule[0].phys;
}

/**
 * vnpu_arena_segments() - list the physically contiguous runs of an arena
 * @arena: the arena
 * @nr: filled with the number of runs
 *
 * Return: the runs in ascending order, which the caller frees with kvfree(); or
 * NULL.
 */
struct vnpu_extent *vnpu_arena_segments(const struct vnpu_arena *arena, u32 *nr)
{
	struct vnpu_extent *segs;
	u32 i;

	segs = kvcalloc(arena->nr_granules, sizeof(*segs), GFP_KERNEL);
	if (!segs)
		return NULL;

	*nr = 0;
	for (i = 0; i < arena->nr_granules; i++) {
		if (!i || vnpu_arena_is_border(arena, i * VNPU_GRANULE_PAGES))
			segs[(*nr)++].start = i * VNPU_GRANULE_PAGES;
		segs[*nr - 1].count += VNPU_GRANULE_PAGES;
	}
	return segs;
}
