/* SPDX-License-Identifier: GPL-2.0-only */
/* Internals of the compaction planner, for the files compact*.c only. */
#ifndef VNPU_CORE_COMPACT_PRIVATE_H
#define VNPU_CORE_COMPACT_PRIVATE_H

#include "compact.h"

/**
 * struct arena - the snapshot of an arena that the planner works on
 * @segs: pieces of the arena
 * @nr_segs: number of pieces
 * @blocks: the allocated blocks
 * @blocks_end: end of @blocks, exclusive
 * @nr: number of blocks
 * @nr_free: number of free pages
 * @nr_large: number of large pages
 * @large_order: order of a large page
 * @large_stays: true if large pages cannot be moved
 */
struct arena {
	const struct vnpu_extent *segs;
	u32 nr_segs;
	const struct vnpu_compact_block *blocks;
	const struct vnpu_compact_block *blocks_end;
	u32 nr;
	u32 nr_free;
	u32 nr_large;
	u32 large_order;
	bool large_stays;
};

#define ARENA(_segs, _nr_segs, _blocks, _nr)				\
	{								\
		.segs = _segs,						\
		.nr_segs = _nr_segs,					\
		.blocks = _blocks,					\
		.nr = _nr,						\
	}

/* Validate the input and fill in the counts; -EINVAL if it is invalid. */
int vnpu_compact_arena_init(struct arena *a, u32 large_order);

/*
 * Number of blocks, or positions, to process between calls of cond_resched().
 */
#define SEEN_AT_ONCE	1024U

/*
 * Reschedule every SEEN_AT_ONCE items of a loop; @seen is the loop's counter.
 */
static inline void give_way(u32 seen)
{
	if (!(seen % SEEN_AT_ONCE))
		cond_resched();
}

/* Return the block at which a walk calls cond_resched() next, or the end. */
static inline const struct vnpu_compact_block *
blocks_stop(const struct arena *a, const struct vnpu_compact_block *block)
{
	return a->blocks_end - block > SEEN_AT_ONCE ? block + SEEN_AT_ONCE :
						      a->blocks_end;
}

static inline u32 end_of(struct vnpu_extent ext)
{
	return ext.start + ext.count;
}

static inline u32 frame_mask(const struct arena *a)
{
	return (1U << a->large_order) - 1;
}

static inline bool block_stays(const struct arena *a,
			       const struct vnpu_compact_block *block)
{
	return block->kind == VNPU_COMPACT_FIXED ||
	       (block->kind == VNPU_COMPACT_LARGE && a->large_stays);
}

/* Return the first s from @start on for which s + @pages ends a frame. */
static inline u64 frames_next_end(const struct arena *a, u64 start, u32 pages)
{
	return ((start + pages + frame_mask(a)) & ~(u64)frame_mask(a)) - pages;
}

/**
 * struct frames_cost - the cost of moving the large pages out of a window
 * @moved: number of pages that are moved
 * @emptied: number of frames that are emptied
 * @missing: number of large pages for which there is no frame
 * @is_known: true if the cost is that of the current window
 */
struct frames_cost {
	u32 moved;
	u32 emptied;
	u32 missing;
	bool is_known;
};

/**
 * struct frames - the frames for large pages, and a window over them
 * @small: for each frame, the number of small pages in it, or FRAME_*; NULL if
 *	there are no movable large pages, and then all other members are unused
 * @order: order of a large page
 * @touched: the frames that the window overlaps
 * @large: number of large pages in @touched
 * @outside: number of usable frames outside of @touched, by number of small
 *	pages
 * @cost: cost of the window; depends only on @touched, which is the same for
 *	most positions that the search tries
 */
struct frames {
	u16 *small;
	u32 order;
	struct vnpu_extent touched;
	u32 large;
	u32 *outside;
	struct frames_cost cost;
};

/* fini may also be called after a failed init. */
int vnpu_compact_frames_init(struct frames *f, const struct arena *a);
void vnpu_compact_frames_fini(struct frames *f);

/* Set the position of the window, which only moves up. */
void vnpu_compact_frames_touch(struct frames *f, struct vnpu_extent window);

/*
 * Add the cost of the window's large pages; false if they do not fit outside.
 */
bool vnpu_compact_frames_add_cost(struct frames *f, struct vnpu_compact_plan *plan);

#endif
