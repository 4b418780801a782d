/* SPDX-License-Identifier: GPL-2.0-only */
/* What the planner of compaction works with, for the files compact*.c alone. */
#ifndef VNPU_CORE_COMPACT_PRIVATE_H
#define VNPU_CORE_COMPACT_PRIVATE_H

#include "compact.h"

/**
 * struct arena - all that is allocated
 * @segs: pieces of the arena
 * @nr_segs: how many
 * @blocks: what is allocated
 * @blocks_end: behind the last
 * @nr: how many
 * @nr_free: pages that are free
 * @nr_large: large pages
 * @large_order: of large pages
 * @large_stays: large pages cannot be moved
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

/* Is the input as described? What there is of what. */
int arena_init(struct arena *a, u32 large_order);

/* Blocks, or places, that are looked at before others get the processor. */
#define SEEN_AT_ONCE	1024U

/* For who counts what he has seen. */
static inline void give_way(u32 seen)
{
	if (!(seen % SEEN_AT_ONCE))
		cond_resched();
}

/* For who goes through blocks: where he is to give way next, or the end. */
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

/* The first s from @start on for which s + @pages is the end of a frame. */
static inline u64 frames_next_end(const struct arena *a, u64 start, u32 pages)
{
	return ((start + pages + frame_mask(a)) & ~(u64)frame_mask(a)) - pages;
}

/**
 * struct frames_cost - what the large pages in a window cost
 * @moved: pages that have another place then
 * @emptied: places that are emptied for them
 * @missing: how many of them find no place
 * @is_known: it is of the window as it is now
 */
struct frames_cost {
	u32 moved;
	u32 emptied;
	u32 missing;
	bool is_known;
};

/**
 * struct frames - the places of large pages, and a window over them
 * @small: the small pages in each, or FRAME_*; NULL where there are no large
 *	pages that could be moved, and nothing else is said then
 * @order: of large pages
 * @touched: the frames that the window touches
 * @large: how many of these are large pages
 * @outside: of the others, how many there are with so many small pages
 * @cost: of the window; it depends on @touched alone, which stays the same for
 *	most places that are tried
 */
struct frames {
	u16 *small;
	u32 order;
	struct vnpu_extent touched;
	u32 large;
	u32 *outside;
	struct frames_cost cost;
};

/* fini also after an init that failed. */
int frames_init(struct frames *f, const struct arena *a);
void frames_fini(struct frames *f);

/* The window is here now; it never goes back. */
void frames_touch(struct frames *f, struct vnpu_extent window);

/* Adds what large pages in the window cost; false if they find no place. */
bool frames_add_cost(struct frames *f, struct vnpu_compact_plan *plan);

#endif
