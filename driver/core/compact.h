/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The planner of compaction: which run of pages to empty.
 *
 * A snapshot of an arena goes in, a window comes out; nothing is moved here,
 * and nothing is allocated. The planner reads its input once, from one end to
 * the other: a million blocks take some hundredths of a second.
 */
#ifndef VNPU_CORE_COMPACT_H
#define VNPU_CORE_COMPACT_H

#include "buddy.h"

/**
 * struct vnpu_compact_block - allocated pages
 * @ext: which
 * @movable: whether they can be moved, each page on its own
 */
struct vnpu_compact_block {
	struct vnpu_extent ext;
	bool movable;
};

/**
 * struct vnpu_compact_req - the run that is wanted
 * @pages: its length, more than 0
 * @align_order: at most 31; it starts at a multiple of 1 << @align_order
 */
struct vnpu_compact_req {
	u32 pages;
	u8 align_order;
};

/**
 * struct vnpu_compact_plan - how it can be had
 * @window: the pages that become free
 * @moved: how many of them must be moved out
 */
struct vnpu_compact_plan {
	struct vnpu_extent window;
	u32 moved;
};

/**
 * vnpu_compact_sort() - put blocks in the order that the planner wants
 * @blocks: in any order; then ascending by their starts
 * @spare: room for as many, which it does not share
 * @nr: how many
 *
 * Those with the same start keep their order.
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
 * The window lies in one segment, has no page that cannot be moved, and the
 * fewest that must be; of equals it is the lowest. All that is moved out fits
 * into the pages that are free outside.
 *
 * Return: 0; -ENOSPC if fewer pages are free than wanted, or pages that cannot
 * be moved are in the way everywhere; -EINVAL if the input is not as described.
 */
int vnpu_compact_plan(const struct vnpu_extent *segs, u32 nr_segs,
		      const struct vnpu_compact_block *blocks, u32 nr,
		      const struct vnpu_compact_req *req,
		      struct vnpu_compact_plan *plan);

/**
 * vnpu_compact_largest() - the longest run that compaction can make
 * @segs: as for vnpu_compact_plan()
 * @nr_segs: how many
 * @blocks: as for vnpu_compact_plan()
 * @nr: how many
 * @align_order: at most 31; the run starts at a multiple of 1 << @align_order
 *
 * A plan exists for each shorter length too, so what a page class can have is
 * this, asked with the class's order and rounded down to it.
 *
 * Return: pages; 0 also if the input is not as described.
 */
u32 vnpu_compact_largest(const struct vnpu_extent *segs, u32 nr_segs,
			 const struct vnpu_compact_block *blocks, u32 nr,
			 u8 align_order);

#endif
