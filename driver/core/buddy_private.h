/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What buddy.c keeps, for it and for buddy_check.c alone.
 */
#ifndef VNPU_CORE_BUDDY_PRIVATE_H
#define VNPU_CORE_BUDDY_PRIVATE_H

#include "buddy.h"
#include "pagemap.h"
#include "runs.h"

#define VNPU_BUDDY_CLASS_ORDERS						\
	{ VNPU_BUDDY_ORDER_4K, VNPU_BUDDY_ORDER_2M, VNPU_BUDDY_ORDER_1G }

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

/**
 * struct vnpu_buddy - an arena
 * @free: pages that are free
 * @dirty: pages that must be cleared before they are seen
 * @runs: the free runs, per class, in granules of the class
 * @frames: per 2 MiB
 * @pages: where the last segment ends
 * @total: pages in all
 * @recent: the extent freed last while it is not merged with its neighbours,
 *	else empty; it is in @free, but not in what is derived from the runs
 * @nr_free: pages in @free
 * @nr_dirty: pages in both @free and @dirty
 * @blocks: per order, aligned free blocks, those within larger ones included
 */
struct vnpu_buddy {
	struct vnpu_pagemap free;
	struct vnpu_pagemap dirty;
	struct vnpu_runs runs[VNPU_BUDDY_CLASSES];
	struct vnpu_frame *frames;
	u32 pages;
	u32 total;
	struct vnpu_run recent;
	u32 nr_free;
	u32 nr_dirty;
	u32 blocks[VNPU_BUDDY_ORDERS];
};

static inline u32 vnpu_frame_of(u32 page)
{
	return page >> VNPU_FRAME_ORDER;
}

#endif
