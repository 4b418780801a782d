/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The allocator of a device's arena.
 *
 * Unit: one arena page of 4 KiB, whatever the host's page size; a page is
 * named by its u32 index in the arena. The allocator hands out exact runs of
 * pages and never rounds a request up. What users see are blocks: a block of
 * order k is 1 << k pages at an index that is a multiple of 1 << k.
 *
 * Nothing here sleeps, except in create and destroy; nothing allocates
 * memory, except create. Callers serialise.
 */
#ifndef VNPU_CORE_BUDDY_H
#define VNPU_CORE_BUDDY_H

#include "core_internal.h"

/* An arena of at most 512 GiB: all that its metadata numbers fits an u32. */
#define VNPU_BUDDY_MAX_PAGES	0x8000000U

/* Segments begin and end at a multiple of this (2 MiB). */
#define VNPU_BUDDY_SEG_PAGES	512U

/* The page classes: 4 KiB, 2 MiB, 1 GiB. */
#define VNPU_BUDDY_ORDER_4K	0
#define VNPU_BUDDY_ORDER_2M	9
#define VNPU_BUDDY_ORDER_1G	18
#define VNPU_BUDDY_CLASSES	3

/* Blocks are counted for the orders 0 to 18. */
#define VNPU_BUDDY_ORDERS	19

/**
 * struct vnpu_extent - a range of arena pages
 * @start: its first page
 * @count: how many pages
 */
struct vnpu_extent {
	u32 start;
	u32 count;
};

struct vnpu_buddy;

/* Exactly the pages asked for, in one run, or -ENOSPC. */
#define VNPU_BUDDY_CONTIGUOUS	BIT(0)
/* Place at the high end: for what is pinned or will live long. */
#define VNPU_BUDDY_TOPDOWN	BIT(1)

/**
 * struct vnpu_buddy_req - what vnpu_buddy_alloc() is asked for
 * @pages: pages wanted; more than 0, a multiple of 1 << @granule_order
 * @granule_order: the page class, VNPU_BUDDY_ORDER_*; each extent starts at,
 *	and is, a multiple of 1 << @granule_order pages
 * @align_order: at most 31; with VNPU_BUDDY_CONTIGUOUS the run starts at a
 *	multiple of 1 << @align_order pages. Ignored without, and where it is
 *	less than @granule_order.
 * @flags: VNPU_BUDDY_CONTIGUOUS, VNPU_BUDDY_TOPDOWN
 */
struct vnpu_buddy_req {
	u32 pages;
	u8 granule_order;
	u8 align_order;
	u8 flags;
};

/**
 * struct vnpu_buddy_stats - the state of an arena, in pages
 * @total: pages in all segments
 * @free: pages free
 * @dirty: those of them that must be cleared before another may see them
 * @largest: the longest run of free pages
 * @runs: maximal runs of free pages
 * @largest_class: the longest run of whole aligned pages of each class, in
 *	4 KiB pages: what a contiguous request of the class can get
 * @free_blocks: free blocks of each order that are not part of a larger free
 *	block, the largest order counted being the last
 */
struct vnpu_buddy_stats {
	u32 total;
	u32 free;
	u32 dirty;
	u32 largest;
	u32 runs;
	u32 largest_class[VNPU_BUDDY_CLASSES];
	u32 free_blocks[VNPU_BUDDY_ORDERS];
};

/**
 * vnpu_buddy_create() - make the allocator of an arena, all of it free
 * @segs: the physically contiguous pieces of the arena, ascending, disjoint;
 *	starts and counts are multiples of VNPU_BUDDY_SEG_PAGES. No run, and so
 *	no extent and no block, spans two segments, even if they touch.
 * @nr_segs: how many, at least 1
 * @dirty: the contents of the arena are unknown
 *
 * Context: may sleep.
 * Return: the allocator, or ERR_PTR of -EINVAL (segments) or -ENOMEM.
 */
struct vnpu_buddy *vnpu_buddy_create(const struct vnpu_extent *segs,
				     u32 nr_segs, bool dirty);

/**
 * vnpu_buddy_destroy() - end an allocator, whatever is still allocated
 * @b: the allocator, or NULL
 */
void vnpu_buddy_destroy(struct vnpu_buddy *b);

/**
 * vnpu_buddy_alloc() - allocate one extent
 * @b: the allocator
 * @req: what is wanted
 * @out: the extent
 *
 * With VNPU_BUDDY_CONTIGUOUS @out is all that is wanted: refused only when no
 * free run holds it. Without, @out is all of it if a free run holds it, else
 * the longest piece that is free; the caller asks again for what is missing.
 * Such a loop is refused only when less than @req->pages pages are free in
 * whole granules, see vnpu_buddy_free_pages().
 *
 * Return: 0, -ENOSPC or -EINVAL (@req is not as described).
 */
int vnpu_buddy_alloc(struct vnpu_buddy *b, const struct vnpu_buddy_req *req,
		     struct vnpu_extent *out);

/**
 * vnpu_buddy_claim() - allocate just these pages
 * @b: the allocator
 * @ext: which
 *
 * As fast as vnpu_buddy_alloc(), plus one counter per 2 MiB that the free run
 * reaches below @ext.
 *
 * Return: 0; -EBUSY if one of them is not free; -EINVAL if one is out of the
 * arena, or if @ext is empty or spans two segments. Nothing has changed then.
 */
int vnpu_buddy_claim(struct vnpu_buddy *b, struct vnpu_extent ext);

/**
 * vnpu_buddy_free() - give pages back
 * @b: the allocator
 * @ext: allocated pages: an extent, a part of one, or neighbours together
 * @dirty: they may have been written since they were clean; when false they
 *	keep the dirty bits they have
 *
 * Return: 0, or -EINVAL, and nothing has changed, if a page of @ext is out of
 * the arena or free already, or if @ext is empty or spans two segments.
 */
int vnpu_buddy_free(struct vnpu_buddy *b, struct vnpu_extent ext, bool dirty);

/**
 * vnpu_buddy_next_dirty() - find what must be cleared
 * @b: the allocator
 * @ext: where to look, inside one segment
 * @out: the first maximal run of dirty pages in @ext, cut to @ext
 *
 * A page keeps the dirty bit it had when it was allocated until
 * vnpu_buddy_set_clean(), and takes it along when it is freed.
 *
 * Return: whether there is one.
 */
bool vnpu_buddy_next_dirty(const struct vnpu_buddy *b, struct vnpu_extent ext,
			   struct vnpu_extent *out);

/**
 * vnpu_buddy_set_clean() - pages have been cleared
 * @b: the allocator
 * @ext: which, free or allocated, inside one segment
 */
void vnpu_buddy_set_clean(struct vnpu_buddy *b, struct vnpu_extent ext);

/**
 * vnpu_buddy_next_to_clear() - find free memory to be cleared in advance
 * @b: the allocator
 * @most: how many pages to find at most, at least 1
 * @out: a run of pages that are free and dirty, in one frame of 2 MiB; empty if
 *	there is none as far as it was looked
 *
 * Every page is found once after it was freed, if it was dirty then; the caller
 * clears it, before anything else happens, or it is not found again. What was
 * dirty when the allocator was made and was never given out may be left out:
 * nobody's data is in it, and it may be most of a large arena.
 *
 * A look takes in 1 GiB at most, and only of what lies between the first and the
 * last page that were freed dirty.
 *
 * Return: whether there may be more.
 */
bool vnpu_buddy_next_to_clear(struct vnpu_buddy *b, u32 most,
			      struct vnpu_extent *out);

/**
 * vnpu_buddy_has_to_clear() - is there anything to look for? O(1)
 * @b: the allocator
 *
 * Return: false if vnpu_buddy_next_to_clear() would find nothing.
 */
bool vnpu_buddy_has_to_clear(const struct vnpu_buddy *b);

/**
 * vnpu_buddy_next_free_run() - walk the maximal runs of free pages
 * @b: the allocator
 * @from: page to start at
 * @out: the first run of free pages that begins at or after @from, or the rest
 *	of the run that @from is in
 *
 * What lies between two runs, and inside a segment, is allocated. Two runs
 * touch where two segments do.
 *
 * Return: whether there is one.
 */
bool vnpu_buddy_next_free_run(const struct vnpu_buddy *b, u32 from,
			      struct vnpu_extent *out);

/**
 * vnpu_buddy_get_stats() - the state of the arena, without a scan of it
 * @b: the allocator
 * @s: filled
 */
void vnpu_buddy_get_stats(const struct vnpu_buddy *b,
			  struct vnpu_buddy_stats *s);

/**
 * vnpu_buddy_free_pages() - how many pages an order can still have; O(1)
 * @b: the allocator
 * @order: 0 to 18
 *
 * Return: the pages in free blocks of this order, larger ones included. For a
 * page class this is what a request that need not be contiguous can get.
 */
u32 vnpu_buddy_free_pages(const struct vnpu_buddy *b, u8 order);

/**
 * vnpu_buddy_dirty_pages() - how many free pages must be cleared; O(1)
 * @b: the allocator
 *
 * Return: pages. An allocation that leaves it as it is has none of them.
 */
u32 vnpu_buddy_dirty_pages(const struct vnpu_buddy *b);

/**
 * vnpu_buddy_largest() - the largest contiguous request that would succeed
 * @b: the allocator
 * @granule_order: page class, VNPU_BUDDY_ORDER_*
 *
 * Return: pages, a multiple of the granule; 0 for an order that is no class.
 */
u32 vnpu_buddy_largest(const struct vnpu_buddy *b, u8 granule_order);

/**
 * vnpu_buddy_metadata() - what the allocator itself occupies
 * @b: the allocator
 *
 * Return: bytes of host memory, all of them allocated by vnpu_buddy_create().
 */
size_t vnpu_buddy_metadata(const struct vnpu_buddy *b);

/**
 * vnpu_buddy_check() - compare all that is kept with what it is derived from
 * @b: the allocator
 *
 * For tests: takes time and is proportional to the arena.
 *
 * Return: whether all of it agrees.
 */
bool vnpu_buddy_check(const struct vnpu_buddy *b);

#endif
