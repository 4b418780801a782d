/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the allocator of an arena keeps, for the files buddy*.c alone.
 */
#ifndef VNPU_CORE_BUDDY_PRIVATE_H
#define VNPU_CORE_BUDDY_PRIVATE_H

#include "buddy.h"
#include "pagemap.h"
#include "runs.h"

/**
 * struct vnpu_frame - 2 MiB of arena
 * @seg_start: where the segment starts that it is of
 * @seg_end: where it ends; 0 between segments
 * @begin: where the free run begins that contains the frame's first page;
 *	valid in the last frame of the run
 * @end: where the free run ends that contains the frame's last page; valid in
 *	the first frame of the run
 */
struct vnpu_frame {
	u32 seg_start;
	u32 seg_end;
	u32 begin;
	u32 end;
};

/* Pages from @start up to and without @end. */
struct vnpu_run {
	u32 start;
	u32 end;
};

/* Empty, and adds nothing to what it is joined with. */
#define VNPU_NO_RUN	((struct vnpu_run){ ~0U, 0 })

/**
 * struct vnpu_buddy - an arena
 * @free: pages that are free, without those of @recent
 * @dirty: pages that must be cleared before they are seen
 * @runs: the free runs, per class, in granules of the class
 * @frames: per 2 MiB
 * @pages: where the last segment ends
 * @total: pages in all
 * @recent: the extent freed last, with neighbours freed before it, or what is
 *	left of that; until it is merged with what is around it, else empty. It is
 *	counted in @nr_free and @nr_dirty, but not yet in anything else here.
 * @to_clear: all pages are in it that were freed dirty, or as dirty as they were
 *	given out, since it was last empty, and were not found by
 *	vnpu_buddy_next_to_clear(). Empty if it starts where it ends or later.
 * @nr_free: pages that are free
 * @nr_dirty: those of them that are in @dirty
 * @blocks: per order from 1, aligned free blocks, those within larger ones
 *	included
 */
struct vnpu_buddy {
	struct vnpu_pagemap free;
	struct vnpu_pagemap dirty;
	struct vnpu_runs runs[VNPU_BUDDY_CLASSES];
	struct vnpu_frame *frames;
	u32 pages;
	u32 total;
	struct vnpu_run recent;
	struct vnpu_run to_clear;
	u32 nr_free;
	u32 nr_dirty;
	u32 blocks[VNPU_BUDDY_ORDERS];
};

/* Make one run of the extent freed last and its neighbours, if it is not yet. */
void vnpu_buddy_merge_recent(struct vnpu_buddy *b);

static inline u32 frame_of(u32 page)
{
	return page >> VNPU_FRAME_ORDER;
}

static inline u32 class_order(u32 class)
{
	static const u8 order[VNPU_BUDDY_CLASSES] = {
		VNPU_BUDDY_ORDER_4K,
		VNPU_BUDDY_ORDER_2M,
		VNPU_BUDDY_ORDER_1G,
	};

	return order[class];
}

/* VNPU_BUDDY_CLASSES for an order that is none. */
static inline u32 class_of(u32 order)
{
	u32 class;

	for (class = 0; class < VNPU_BUDDY_CLASSES; class++)
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

/* The whole granules of a run, in granules; empty if there is none. */
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

/* Where the run begins whose last page is @page. */
static inline u32 run_begin(const struct vnpu_buddy *b, u32 page)
{
	u32 begin = vnpu_pagemap_begin(&b->free, page);

	if (begin & VNPU_FRAME_MASK)
		return begin;
	return b->frames[frame_of(page)].begin;
}

/* Where the run ends whose first page is @page. */
static inline u32 run_end(const struct vnpu_buddy *b, u32 page)
{
	u32 end = vnpu_pagemap_end(&b->free, page);

	if (end & VNPU_FRAME_MASK)
		return end;
	return b->frames[frame_of(page)].end;
}

/**
 * struct change - a free run comes apart, or is put together
 * @whole: the run
 * @start: begin of what is taken out of it, or put into it; before it in
 *	@whole is one free run more, if anything is
 * @end: end of that; behind it in @whole is another
 * @taken: taken out
 */
struct change {
	struct vnpu_run whole;
	u32 start;
	u32 end;
	bool taken;
};

/*
 * Count the blocks that come or go: those inside the run that have a page in
 * [start, end). If there is none of an order there is none of a higher one.
 * Those of order 0 are the free pages, which are counted elsewhere.
 */
static inline void change_blocks(u32 *blocks, const struct change *c)
{
	u32 low = c->whole.start, high = c->whole.end;
	u32 start = c->start, end = c->end;
	u32 k, n;

	for (k = 1; k < VNPU_BUDDY_ORDERS; k++) {
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

/* Whether the page before @start, in the same segment, is free. */
static inline bool free_before(const struct vnpu_buddy *b, u32 start)
{
	if (!(start & VNPU_FRAME_MASK) &&
	    start == b->frames[frame_of(start)].seg_start)
		return false;
	return vnpu_pagemap_test(&b->free, start - 1);
}

/* Whether the page at @end, in the same segment as the one before it, is. */
static inline bool free_behind(const struct vnpu_buddy *b, u32 end)
{
	if (!(end & VNPU_FRAME_MASK) &&
	    end == b->frames[frame_of(end - 1)].seg_end)
		return false;
	return vnpu_pagemap_test(&b->free, end);
}

/* What it is to merge [start, end), which is free, with its neighbours. */
static inline struct change merge_change(const struct vnpu_buddy *b, u32 start,
					 u32 end)
{
	struct change c = {
		.whole = { start, end },
		.start = start,
		.end = end,
	};

	if (free_before(b, start))
		c.whole.start = run_begin(b, start - 1);
	if (free_behind(b, end))
		c.whole.end = run_end(b, end);
	return c;
}

/* Inside one segment, and not empty. */
static inline bool in_segment(const struct vnpu_buddy *b,
			      struct vnpu_extent ext)
{
	u32 end;

	if (!ext.count || ext.start >= b->pages)
		return false;
	end = b->frames[frame_of(ext.start)].seg_end;
	return ext.start < end && ext.count <= end - ext.start;
}

#endif
