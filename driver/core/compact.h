/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compaction planner: choose the run of pages to empty.
 *
 * The planner reads a snapshot of an arena and returns a window of pages; it
 * moves nothing. It reads its input once, from one end to the other, so a
 * million blocks take some hundredths of a second. If there are large pages, it
 * allocates 2 bytes for each aligned position of one; otherwise it allocates
 * nothing.
 */
#ifndef VNPU_CORE_COMPACT_H
#define VNPU_CORE_COMPACT_H

#include "allocator.h"

/* The largest possible large page: 2 MiB. */
#define VNPU_COMPACT_LARGE_ORDER_MAX	9

/**
 * enum vnpu_compact_kind - whether and how pages can be moved
 * @VNPU_COMPACT_FIXED: the pages cannot be moved
 * @VNPU_COMPACT_SMALL: each page can be moved on its own, to any free page
 * @VNPU_COMPACT_LARGE: each large page can be moved as a whole, to a run of
 *	pages that is aligned to its size
 */
enum vnpu_compact_kind {
	VNPU_COMPACT_FIXED,
	VNPU_COMPACT_SMALL,
	VNPU_COMPACT_LARGE,
};

/**
 * struct vnpu_compact_block - allocated pages that can be moved in the same way
 * @ext: the pages; whole large pages for VNPU_COMPACT_LARGE
 * @kind: how the pages can be moved
 */
struct vnpu_compact_block {
	struct vnpu_extent ext;
	enum vnpu_compact_kind kind;
};

/**
 * struct vnpu_compact_req - a request for a run of free pages
 * @pages: length of the run, more than 0
 * @align_order: at most 31; the run starts at a multiple of 1 << @align_order
 * @large_order: a large page is 1 << @large_order pages; at most
 *	VNPU_COMPACT_LARGE_ORDER_MAX, 0 if there are no large pages
 */
struct vnpu_compact_req {
	u32 pages;
	u8 align_order;
	u8 large_order;
};

/**
 * struct vnpu_compact_plan - how to make the requested run
 * @window: the pages that become free
 * @moved: number of pages that are moved
 * @emptied: number of frames outside of @window that are emptied, to make room
 *	for large pages; a frame is an aligned run of 1 << large_order pages
 */
struct vnpu_compact_plan {
	struct vnpu_extent window;
	u32 moved;
	u32 emptied;
};

/**
 * vnpu_compact_sort() - sort blocks into the order that the planner requires
 * @blocks: the blocks, in any order; on return, ascending by start
 * @spare: memory for @nr blocks, separate from @blocks
 * @nr: number of blocks
 *
 * The sort is stable: blocks with the same start keep their order.
 *
 * Context: may sleep; calls cond_resched().
 */
void vnpu_compact_sort(struct vnpu_compact_block *blocks,
		       struct vnpu_compact_block *spare, u32 nr);

/**
 * vnpu_compact_plan() - find the run that takes the fewest moves to empty
 * @segs: pieces of the arena, as for vnpu_allocator_create(), but of any length
 * @nr_segs: number of pieces, at least 1
 * @blocks: all allocated pages, ascending and disjoint, each block in one
 *	segment; blocks may touch
 * @nr: number of blocks
 * @req: the requested run
 * @plan: filled with the plan
 *
 * The window lies in one segment and contains no page that cannot be moved. The
 * plan moves as few pages as possible: the small pages in the window, the large
 * pages that are at least partly in it, and the small pages in frames that
 * these large pages need. Among equal windows the planner takes the lowest.
 *
 * If there is no plan, no sequence of moves can make the run. If there is a
 * plan, the following sequence makes it. For each large page in the window,
 * empty a frame outside of small pages, unless one is free, and move the large
 * page there. Then move the small pages out of the window. If free memory is
 * short elsewhere, small pages from an emptied frame may have to stay in the
 * window for a while.
 *
 * Context: may sleep; calls cond_resched().
 * Return: 0; -ENOSPC if fewer pages are free than requested, or if pages that
 * cannot be moved are in the way everywhere; -EINVAL if the input is invalid;
 * -ENOMEM.
 */
int vnpu_compact_plan(const struct vnpu_extent *segs, u32 nr_segs,
		      const struct vnpu_compact_block *blocks, u32 nr,
		      const struct vnpu_compact_req *req,
		      struct vnpu_compact_plan *plan);

/**
 * vnpu_compact_choose() - choose the frames to empty for large pages
 * @segs: as for vnpu_compact_plan()
 * @nr_segs: number of pieces
 * @blocks: as for vnpu_compact_plan()
 * @nr: number of blocks
 * @large_order: as in the request
 * @plan: the plan that vnpu_compact_plan() made from the same input
 * @chosen: filled with @plan->emptied frames, those with the fewest pages first
 *
 * Context: may sleep; calls cond_resched().
 * Return: 0; -EINVAL if @plan was evidently made from another input; -ENOMEM.
 */
int vnpu_compact_choose(const struct vnpu_extent *segs, u32 nr_segs,
			const struct vnpu_compact_block *blocks, u32 nr,
			u32 large_order, const struct vnpu_compact_plan *plan,
			struct vnpu_extent *chosen);

/**
 * vnpu_compact_largest() - find the longest run that compaction can make
 * @segs: as for vnpu_compact_plan()
 * @nr_segs: number of pieces
 * @blocks: as for vnpu_compact_plan()
 * @nr: number of blocks
 * @align_order: at most 31; the run starts at a multiple of 1 << @align_order
 * @large_order: as in a request
 *
 * Every shorter length has a plan too. So the longest run for a page class is
 * the result for the order of the class, rounded down to a multiple of it.
 *
 * Context: may sleep; calls cond_resched().
 * Return: number of pages; 0 also if the input is invalid.
 */
u32 vnpu_compact_largest(const struct vnpu_extent *segs, u32 nr_segs,
			 const struct vnpu_compact_block *blocks, u32 nr,
			 u8 align_order, u8 large_order);

/**
 * vnpu_compact_scattered() - count the whole pages that compaction can free
 * @segs: as for vnpu_compact_plan()
 * @nr_segs: number of pieces
 * @blocks: as for vnpu_compact_plan()
 * @nr: number of blocks
 * @page_order: at most 31; a page is 1 << @page_order pages of 4 KiB and
 *	aligned to its size; not smaller than a large page, if there are any
 * @large_order: as in a request
 *
 * The pages need not be contiguous, but all of them can be free at the same
 * time.
 *
 * Context: may sleep; calls cond_resched().
 * Return: the amount in pages of 4 KiB, a multiple of 1 << @page_order; 0 also
 * if the input is invalid.
 */
u32 vnpu_compact_scattered(const struct vnpu_extent *segs, u32 nr_segs,
			   const struct vnpu_compact_block *blocks, u32 nr,
			   u8 page_order, u8 large_order);

#endif
