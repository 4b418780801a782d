/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extent allocator for a device's arena.
 *
 * The unit is one arena page of 4 KiB, whatever the host's page size. A page is
 * identified by its u32 index in the arena. The allocator hands out exact runs
 * of pages and never rounds a request up. Statistics are reported as blocks: a
 * block of order k is 1 << k pages at an index that is a multiple of 1 << k.
 *
 * Only create and destroy may sleep, and only create allocates memory. Callers
 * serialise.
 */
#ifndef VNPU_ALLOCATOR_H
#define VNPU_ALLOCATOR_H

#include "core_internal.h"

/* 512 GiB, so that every number in the metadata fits a u32. */
#define VNPU_ALLOCATOR_MAX_PAGES	0x8000000U

/* Segments begin and end at multiples of this many pages (2 MiB). */
#define VNPU_ALLOCATOR_SEG_PAGES	512U

/* The page classes: 4 KiB, 2 MiB, 1 GiB. */
#define VNPU_PAGE_ORDER_4K	0
#define VNPU_PAGE_ORDER_2M	9
#define VNPU_PAGE_ORDER_1G	18
#define VNPU_PAGE_CLASSES	3

/* Blocks are counted for the orders 0 to 18. */
#define VNPU_ALLOCATOR_ORDERS	19

/**
 * struct vnpu_extent - a range of arena pages
 * @start: first page
 * @count: number of pages
 */
struct vnpu_extent {
	u32 start;
	u32 count;
};

struct vnpu_allocator;

/* Allocate exactly the requested pages in one run, or fail with -ENOSPC. */
#define VNPU_ALLOC_CONTIGUOUS	BIT(0)
/* Allocate from the high end: for memory that is pinned or long-lived. */
#define VNPU_ALLOC_TOPDOWN	BIT(1)

/**
 * struct vnpu_allocator_req - a request for vnpu_allocator_alloc()
 * @pages: number of pages; more than 0, a multiple of 1 << @granule_order
 * @granule_order: the page class, VNPU_PAGE_ORDER_*; the start and the length
 *	of each extent are multiples of 1 << @granule_order pages
 * @align_order: at most 31; with VNPU_ALLOC_CONTIGUOUS the run starts at a
 *	multiple of 1 << @align_order pages. Ignored without that flag, and if
 *	less than @granule_order.
 * @flags: VNPU_ALLOC_CONTIGUOUS, VNPU_ALLOC_TOPDOWN
 * @resume: 0, or @out->start of the call that returned -EAGAIN
 */
struct vnpu_allocator_req {
	u32 pages;
	u32 resume;
	u8 granule_order;
	u8 align_order;
	u8 flags;
};

/**
 * struct vnpu_allocator_stats - the state of an arena, in pages
 * @total: pages in all segments
 * @free: free pages
 * @dirty: free pages that must be cleared before another client may see them
 * @largest: length of the longest run of free pages
 * @runs: number of maximal runs of free pages
 * @largest_class: the largest contiguous request of each class that would
 *	succeed: the longest run of whole aligned pages of the class, in 4 KiB
 *	pages
 * @free_blocks: number of free blocks of each order that are not part of a free
 *	block of a higher order, up to the largest order counted
 */
struct vnpu_allocator_stats {
	u32 total;
	u32 free;
	u32 dirty;
	u32 largest;
	u32 runs;
	u32 largest_class[VNPU_PAGE_CLASSES];
	u32 free_blocks[VNPU_ALLOCATOR_ORDERS];
};

/**
 * vnpu_allocator_create() - create the allocator of an arena, with all pages
 * free
 * @segs: the physically contiguous pieces of the arena, ascending and disjoint;
 *	starts and counts are multiples of VNPU_ALLOCATOR_SEG_PAGES. No run,
 *	extent or block spans two segments, even if the segments touch.
 * @nr_segs: number of segments, at least 1
 * @dirty: true if the contents of the arena are unknown
 *
 * Context: may sleep.
 * Return: the allocator, or ERR_PTR of -EINVAL (invalid segments) or -ENOMEM.
 */
struct vnpu_allocator *vnpu_allocator_create(const struct vnpu_extent *segs,
					     u32 nr_segs, bool dirty);

/**
 * vnpu_allocator_destroy() - destroy an allocator, even if pages are allocated
 * @a: the allocator, or NULL
 */
void vnpu_allocator_destroy(struct vnpu_allocator *a);

/**
 * vnpu_allocator_alloc() - allocate one extent
 * @a: the allocator
 * @req: the request
 * @out: filled with the extent
 *
 * With VNPU_ALLOC_CONTIGUOUS, @out covers the whole request; the call fails
 * with -ENOSPC only if no free run can hold it. An aligned request may have to
 * try many runs that are long enough but not aligned. Then the call returns
 * -EAGAIN after a bounded number of runs, and the caller repeats it with
 * @req->resume. A caller with a lock may release it in between; runs that are
 * freed meanwhile may be missed.
 *
 * Without VNPU_ALLOC_CONTIGUOUS, @out covers the whole request if a free run
 * can hold it, and otherwise is the longest free piece; the caller repeats the
 * call for the remaining pages. Such a loop fails only if fewer than
 * @req->pages pages are free in whole granules, see
 * vnpu_allocator_free_pages().
 *
 * Return: 0, -ENOSPC, -EAGAIN with the position of the search in @out->start, or
 * -EINVAL if @req is invalid.
 */
int vnpu_allocator_alloc(struct vnpu_allocator *a, const struct vnpu_allocator_req *req,
			 struct vnpu_extent *out);

/**
 * vnpu_allocator_claim() - allocate specific pages
 * @a: the allocator
 * @ext: the pages to allocate
 *
 * The cost is that of vnpu_allocator_alloc(), plus one counter per 2 MiB of the
 * free run below @ext.
 *
 * Return: 0; -EBUSY if a page is not free; -EINVAL if a page is outside the
 * arena, or if @ext is empty or spans two segments. On failure nothing has
 * changed.
 */
int vnpu_allocator_claim(struct vnpu_allocator *a, struct vnpu_extent ext);

/**
 * vnpu_allocator_free() - free pages
 * @a: the allocator
 * @ext: allocated pages: an extent, a part of one, or several adjacent extents
 * @dirty: true if the pages may have been written since they were clean; if
 *	false, the pages keep their dirty bits
 *
 * Return: 0; -EINVAL if a page of @ext is outside the arena or already free, or
 * if @ext is empty or spans two segments. On failure nothing has changed.
 */
int vnpu_allocator_free(struct vnpu_allocator *a, struct vnpu_extent ext, bool dirty);

/**
 * vnpu_allocator_next_dirty() - find the first dirty pages of a range
 * @a: the allocator
 * @ext: the range to search, inside one segment
 * @out: the first maximal run of dirty pages in @ext, cut to @ext
 *
 * An allocated page keeps its dirty bit until vnpu_allocator_set_clean(). A
 * page that is freed without having been cleaned is still dirty.
 *
 * Return: true if @ext has a dirty page.
 */
bool vnpu_allocator_next_dirty(const struct vnpu_allocator *a, struct vnpu_extent ext,
			       struct vnpu_extent *out);

/**
 * vnpu_allocator_set_clean() - mark pages as cleared
 * @a: the allocator
 * @ext: the pages, free or allocated, inside one segment
 */
void vnpu_allocator_set_clean(struct vnpu_allocator *a, struct vnpu_extent ext);

/**
 * vnpu_allocator_next_to_clear() - find free memory to clear in advance
 * @a: the allocator
 * @most: maximum number of pages to return, at least 1
 * @out: a run of pages that are free and dirty, in one frame of 2 MiB; empty if
 *	the searched part has none
 *
 * Each page that is dirty when it is freed is returned once. The caller must
 * clear it before it calls the allocator again; otherwise the page stays dirty
 * and is not returned a second time. Pages that were dirty at creation and have
 * never been allocated may be left out: they hold no client's data, and they
 * may be most of a large arena.
 *
 * A call searches at most 1 GiB, and only between the first and the last page
 * that were freed dirty.
 *
 * Return: true if there may be more pages to clear.
 */
bool vnpu_allocator_next_to_clear(struct vnpu_allocator *a, u32 most,
				  struct vnpu_extent *out);

/**
 * vnpu_allocator_has_to_clear() - check for free memory to clear, in O(1)
 * @a: the allocator
 *
 * Return: false if vnpu_allocator_next_to_clear() would find nothing.
 */
bool vnpu_allocator_has_to_clear(const struct vnpu_allocator *a);

/**
 * vnpu_allocator_next_free_run() - walk the maximal runs of free pages
 * @a: the allocator
 * @from: page at which the search starts
 * @out: the first run of free pages that begins at or after @from, or, if @from
 *	is inside a run, the rest of that run
 *
 * Within a segment, the pages between two runs are allocated. Two runs can
 * touch only at the border of two segments.
 *
 * Return: true if a run was found.
 */
bool vnpu_allocator_next_free_run(const struct vnpu_allocator *a, u32 from,
				  struct vnpu_extent *out);

/**
 * vnpu_allocator_get_stats() - get the state of the arena without scanning it
 * @a: the allocator
 * @s: filled with the statistics
 */
void vnpu_allocator_get_stats(const struct vnpu_allocator *a,
			      struct vnpu_allocator_stats *s);

/**
 * vnpu_allocator_free_pages() - count the free pages of an order, in O(1)
 * @a: the allocator
 * @order: 0 to 18
 *
 * Return: the number of pages in free blocks of this order, including those in
 * larger blocks. For a page class, a request that need not be contiguous can
 * get this many pages.
 */
u32 vnpu_allocator_free_pages(const struct vnpu_allocator *a, u8 order);

/**
 * vnpu_allocator_dirty_pages() - count the free pages that are dirty, in O(1)
 * @a: the allocator
 *
 * Return: the number of pages. If an allocation does not change it, the extent
 * has no dirty page.
 */
u32 vnpu_allocator_dirty_pages(const struct vnpu_allocator *a);

/**
 * vnpu_allocator_largest() - find the largest contiguous request that would
 * succeed
 * @a: the allocator
 * @granule_order: page class, VNPU_PAGE_ORDER_*
 *
 * Return: the number of pages, a multiple of the granule; 0 if @granule_order
 * is not a page class.
 */
u32 vnpu_allocator_largest(const struct vnpu_allocator *a, u8 granule_order);

/**
 * vnpu_allocator_metadata() - get the memory footprint of the allocator itself
 * @a: the allocator
 *
 * Return: bytes of host memory, all allocated by vnpu_allocator_create().
 */
size_t vnpu_allocator_metadata(const struct vnpu_allocator *a);

/**
 * vnpu_allocator_check() - verify the derived state against the bits
 * @a: the allocator
 *
 * For tests; the time is proportional to the size of the arena.
 *
 * Return: true if the state is consistent.
 */
bool vnpu_allocator_check(const struct vnpu_allocator *a);

#endif
