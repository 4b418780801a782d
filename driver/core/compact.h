/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The planner of compaction: which run of pages to empty.
 *
 * A snapshot of an arena goes in, a window comes out; nothing is moved here.
 * The planner reads its input once, from one end to the other: a million
 * blocks take some hundredths of a second. Only where there are large pages it
 * allocates memory: 2 bytes for each place that one could have.
 */
#ifndef VNPU_CORE_COMPACT_H
#define VNPU_CORE_COMPACT_H

#include "buddy.h"

/* The largest that a large page can be: 2 MiB. */
#define VNPU_COMPACT_LARGE_ORDER_MAX	9

/**
 * enum vnpu_compact_kind - whether and how pages can be moved
 * @VNPU_COMPACT_FIXED: they cannot
 * @VNPU_COMPACT_SMALL: each on its own, to any place
 * @VNPU_COMPACT_LARGE: each large page as a whole, to a place that is aligned
 *	like it
 */
enum vnpu_compact_kind {
	VNPU_COMPACT_FIXED,
	VNPU_COMPACT_SMALL,
	VNPU_COMPACT_LARGE,
};

/**
 * struct vnpu_compact_block - allocated pages
 * @ext: which; of whole large pages if they are
 * @kind: how they can be moved
 */
struct vnpu_compact_block {
	struct vnpu_extent ext;
	enum vnpu_compact_kind kind;
};

/**
 * struct vnpu_compact_req - the run that is wanted
 * @pages: its length, more than 0
 * @align_order: at most 31; it starts at a multiple of 1 << @align_order
 * @large_order: a large page is 1 << @large_order pages; at most
 *	VNPU_COMPACT_LARGE_ORDER_MAX, 0 if there is none
 */
struct vnpu_compact_req {
	u32 pages;
	u8 align_order;
	u8 large_order;
};

/**
 * struct vnpu_compact_plan - how it can be had
 * @window: the pages that become free
 * @moved: how many pages have another place then
 * @emptied: places outside of @window that are made free for large pages
 */
struct vnpu_compact_plan {
	struct vnpu_extent window;
	u32 moved;
	u32 emptied;
};

/**
 * vnpu_compact_sort() - put blocks in the order that the planner wants
 * @blocks: in any order; then ascending by their starts
 * @spare: room for as many, which it does not share
 * @nr: how many
 *
 * Those with the same start keep their order.
 *
 * Context: may sleep; gives way now and then.
 */
void vnpu_compact_sort(struct vnpu_compact_block *blocks,
		       struct vnpu_compact_block *spare, u32 nr);

/**
 * vnpu_compact_plan() - find the run that is the least work to empty
 * @segs: pieces of the arena, as for vnpu_buddy_create(), but of any length
 * @nr_segs: how many, at least 1
 * @blocks: all that is allocated, ascending, disjoint, each in one segment;
 *	neighbours may touch
 * @nr: how many
 * @req: what is wanted
 * @plan: filled
 *
 * The window lies in one segment and has no page that cannot be moved. The
 * fewest pages are moved that must be: those in the window, of which a large
 * one may be cut by its end, and those in the places that large ones need. Of
 * equals it is the lowest.
 *
 * If there is no plan, no moves one after the other could make the run. If
 * there is one, they can, in this order: as long as a large page is in the
 * window, a place outside is emptied of small pages, unless one is free, and
 * the page moved there; then the small pages of the window are. Those of a place
 * may have to go through the window where free memory is short elsewhere.
 *
 * Context: may sleep; gives way now and then.
 * Return: 0; -ENOSPC if fewer pages are free than wanted, or pages that cannot
 * be moved are in the way everywhere; -EINVAL if the input is not as described;
 * -ENOMEM.
 */
int vnpu_compact_plan(const struct vnpu_extent *segs, u32 nr_segs,
		      const struct vnpu_compact_block *blocks, u32 nr,
		      const struct vnpu_compact_req *req,
		      struct vnpu_compact_plan *plan);

/**
 * vnpu_compact_choose() - the places to be emptied for large pages
 * @segs: as for vnpu_compact_plan()
 * @nr_segs: how many
 * @blocks: as for vnpu_compact_plan()
 * @nr: how many
 * @large_order: as in the request
 * @plan: the plan that was made of all this
 * @chosen: filled with @plan->emptied places, those first that are least work
 *
 * Context: may sleep; gives way now and then.
 * Return: 0; -EINVAL if the plan is seen to be another's; -ENOMEM.
 */
int vnpu_compact_choose(const struct vnpu_extent *segs, u32 nr_segs,
			const struct vnpu_compact_block *blocks, u32 nr,
			u32 large_order, const struct vnpu_compact_plan *plan,
			struct vnpu_extent *chosen);

/**
 * vnpu_compact_largest() - the longest run that compaction can make
 * @segs: as for vnpu_compact_plan()
 * @nr_segs: how many
 * @blocks: as for vnpu_compact_plan()
 * @nr: how many
 * @align_order: at most 31; the run starts at a multiple of 1 << @align_order
 * @large_order: as in a request
 *
 * A plan exists for each shorter length too, so what a page class can have is
 * this, asked with the class's order and rounded down to it.
 *
 * Context: may sleep; gives way now and then.
 * Return: pages; 0 also if the input is not as described.
 */
u32 vnpu_compact_largest(const struct vnpu_extent *segs, u32 nr_segs,
			 const struct vnpu_compact_block *blocks, u32 nr,
			 u8 align_order, u8 large_order);

/**
 * vnpu_compact_scattered() - how much compaction can make free in whole pages
 * @segs: as for vnpu_compact_plan()
 * @nr_segs: how many
 * @blocks: as for vnpu_compact_plan()
 * @nr: how many
 * @page_order: at most 31; of pages of 1 << @page_order, aligned like that, not
 *	smaller than large ones if there are any
 * @large_order: as in a request
 *
 * They need not be neighbours, but all of them are free at once.
 *
 * Context: may sleep; gives way now and then.
 * Return: pages of 4 KiB, in whole ones of the order; 0 also if the input is not
 * as described.
 */
u32 vnpu_compact_scattered(const struct vnpu_extent *segs, u32 nr_segs,
			   const struct vnpu_compact_block *blocks, u32 nr,
			   u8 page_order, u8 large_order);

#endif
