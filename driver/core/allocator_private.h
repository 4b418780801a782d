/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Internal state of the extent allocator, for the files allocator*.c only.
 */
#ifndef VNPU_ALLOCATOR_PRIVATE_H
#define VNPU_ALLOCATOR_PRIVATE_H

#include "allocator.h"
#include "pagemap.h"
#include "runs.h"

/**
 * struct vnpu_frame - 2 MiB of arena
 * @seg_start: first page of the segment that contains the frame
 * @seg_end: end of that segment; 0 if the frame is in no segment
 * @begin: first page of the free run that contains the frame's first page;
 *	valid only in the last frame of the run
 * @end: end of the free run that contains the frame's last page; valid only in
 *	the first frame of the run
 */
struct vnpu_frame {
	u32 seg_start;
	u32 seg_end;
	u32 begin;
	u32 end;
};

/* Pages from @start up to @end, exclusive. */
struct vnpu_run {
	u32 start;
	u32 end;
};

/*
 * The empty run; joining it with another run with min() and max() is a no-op.
 */
#define VNPU_NO_RUN	((struct vnpu_run){ ~0U, 0 })

/**
 * struct vnpu_allocator - the allocator of an arena
 * @free: free pages, except those of @recent
 * @dirty: pages that must be cleared before another client may see them
 * @runs: the free runs of each page class, in granules of the class
 * @frames: one per 2 MiB
 * @pages: end of the last segment
 * @total: pages in all segments
 * @recent: the extent freed last, joined with neighbours that were freed just
 *	before it, minus the pages reallocated from it; empty once it has been
 *	merged with the free runs around it. @nr_free and @nr_dirty include it;
 *	the other members do not until it is merged.
 * @to_clear: contains all pages that were dirty when freed since @to_clear was
 *	last empty, and that vnpu_allocator_next_to_clear() has not returned
 *	yet. Empty if its start is not below its end.
 * @nr_free: number of free pages
 * @nr_dirty: number of free pages that are in @dirty
 * @blocks: number of aligned free blocks of each order from 1, including those
 *	inside larger blocks
 */
struct vnpu_allocator {
	struct vnpu_pagemap free;
	struct vnpu_pagemap dirty;
	struct vnpu_runs runs[VNPU_PAGE_CLASSES];
	struct vnpu_frame *frames;
	u32 pages;
	u32 total;
	struct vnpu_run recent;
	struct vnpu_run to_clear;
	u32 nr_free;
	u32 nr_dirty;
	u32 blocks[VNPU_ALLOCATOR_ORDERS];
};

/* Merge the extent freed last with its free neighbours, if there is one. */
void vnpu_allocator_merge_recent(struct vnpu_allocator *a);

static inline u32 class_order(u32 class)
{
	static const u8 order[VNPU_PAGE_CLASSES] = {
		VNPU_PAGE_ORDER_4K,
		VNPU_PAGE_ORDER_2M,
		VNPU_PAGE_ORDER_1G,
	};

	return order[class];
}

/* Return the class of an order, or VNPU_PAGE_CLASSES if it is not a class. */
static inline u32 class_of(u32 order)
{
	u32 class;

	for (class = 0; class < VNPU_PAGE_CLASSES; class++)
		if (class_order(class) == order)
			break;
	return class;
}

static inline u32 round_up_order(u32 page, u32 order)
{
	u32 mask = (1U << order) - 1;

	return (page + mask) & ~mask;
}

static inline u32 round_down_order(u32 page, u32 order)
{
	return page >> order << order;
}

/* Cut a run to whole granules, in units of granules; may be empty. */
static inline struct vnpu_run cut_to_granules(u32 start, u32 end, u32 order)
{
	struct vnpu_run g = {
		.start = round_up_order(start, order) >> order,
		.end = end >> order,
	};

	if (g.end < g.start)
		g.end = g.start;
	return g;
}

/* Return the first page of the free run that ends with @page. */
static inline u32 run_begin(const struct vnpu_allocator *a, u32 page)
{
	u32 begin = vnpu_pagemap_begin(&a->free, page);

	if (begin & VNPU_FRAME_MASK)
		return begin;
	return a->frames[vnpu_frame_of(page)].begin;
}

/* Return the end of the free run that begins with @page. */
static inline u32 run_end(const struct vnpu_allocator *a, u32 page)
{
	u32 end = vnpu_pagemap_end(&a->free, page);

	if (end & VNPU_FRAME_MASK)
		return end;
	return a->frames[vnpu_frame_of(page)].end;
}

/**
 * struct change - a free run is split, or put together
 * @whole: the run before the split, or after it was put together
 * @start: start of the part that is taken out or put in; the pages before it in
 *	@whole, if any, are a free run of their own
 * @end: end of that part; the same holds for the pages behind it in @whole
 * @taken: true if the part is taken out, false if it is put in
 */
struct change {
	struct vnpu_run whole;
	u32 start;
	u32 end;
	bool taken;
};

/*
 * Update the number of free blocks: those in the whole run that have a page in
 * [start, end) come or go. If there is none of an order, there is none of a
 * higher order. Blocks of order 0 are the free pages, which the caller counts.
 */
static inline void change_blocks(u32 *blocks, const struct change *c)
{
	u32 low = c->whole.start, high = c->whole.end;
	u32 start = c->start, end = c->end;
	u32 k, n;

	for (k = 1; k < VNPU_ALLOCATOR_ORDERS; k++) {
		start >>= 1;
		high >>= 1;
		end = (end + 1) >> 1;
		low = (low + 1) >> 1;
		if (min(high, end) <= max(low, start))
			break;
		n = min(high, end) - max(low, start);
		blocks[k] += c->taken ? -n : n;
	}
}

/* Check if the page before @start is free and in the same segment. */
static inline bool free_before(const struct vnpu_allocator *a, u32 start)
{
	if (!(start & VNPU_FRAME_MASK) &&
	    start == a->frames[vnpu_frame_of(start)].seg_start)
		return false;
	return vnpu_pagemap_test(&a->free, start - 1);
}

/* Check if the page at @end is free and in the segment of the one before it. */
static inline bool free_behind(const struct vnpu_allocator *a, u32 end)
{
	if (!(end & VNPU_FRAME_MASK) &&
	    end == a->frames[vnpu_frame_of(end - 1)].seg_end)
		return false;
	return vnpu_pagemap_test(&a->free, end);
}

/* Describe the merge of the free pages [start, end) with their neighbours. */
static inline struct change merge_change(const struct vnpu_allocator *a, u32 start,
					 u32 end)
{
	struct change c = {
		.whole = { start, end },
		.start = start,
		.end = end,
	};

	if (free_before(a, start))
		c.whole.start = run_begin(a, start - 1);
	if (free_behind(a, end))
		c.whole.end = run_end(a, end);
	return c;
}

/* Check if an extent is inside one segment and not empty. */
static inline bool in_segment(const struct vnpu_allocator *a,
			      struct vnpu_extent ext)
{
	u32 end;

	if (!ext.count || ext.start >= a->pages)
		return false;
	end = a->frames[vnpu_frame_of(ext.start)].seg_end;
	return ext.start < end && ext.count <= end - ext.start;
}

#endif
