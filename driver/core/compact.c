// SPDX-License-Identifier: GPL-2.0-only
/*
 * The planner of compaction. See compact.h.
 *
 * Where may the best window begin? Let cost(s) be the movable pages in the
 * window that begins at s, and let a place be a multiple of the alignment
 * where the window is in a segment and no unmovable page is in it.
 *
 * Shifting the window by one page loses page s and gains page s + pages, so
 * cost(s + 1) - cost(s) is 0 or +-1: it rises by one when s leaves a block
 * or s + pages enters one, and falls when s enters or s + pages leaves one.
 * Between two of the points
 *
 *	where s is the end of a block, or a segment's start, and
 *	where s + pages is the start of a block, or a segment's end
 *
 * ("corners") the slope can therefore only fall: cost is concave there, and so
 * takes its least value, and the lowest place of that value, at the first or
 * at the last place between the two. An unmovable block makes no place
 * possible from pages before its start to its end, which are corners, too. So
 * the best place is a corner, rounded up or down to the alignment. Rounding to
 * one side alone is not enough: it may cost a little of a block to spare much
 * of another.
 *
 * Whether what is moved out finds room does not depend on the window: what is
 * moved out, and what is free inside, are together the pages wanted. So it is
 * the question whether as many are free at all.
 */
#include "compact.h"

/**
 * struct cursor - a position among the blocks that only moves up
 * @block: the first block that does not end before the position
 * @movable: movable pages before that block
 * @fixed: unmovable ones
 */
struct cursor {
	const struct vnpu_compact_block *block;
	u32 movable;
	u32 fixed;
};

/* All that is allocated. */
struct arena {
	const struct vnpu_compact_block *blocks;
	const struct vnpu_compact_block *blocks_end;
};

enum corner { LEAVES, ENTERS, CORNERS };

/* Where a window begins and ends; as places ascend, neither goes back. */
struct probe {
	struct cursor low;
	struct cursor high;
};

/**
 * struct search - the best of the places seen so far
 * @arena: where
 * @pages: length of the window
 * @mask: its start has none of these bits
 * @down: for corners rounded down, by kind
 * @up: for those rounded up
 * @best: the best
 * @found: there is one
 */
struct search {
	const struct arena *arena;
	u32 pages;
	u64 mask;
	struct probe down[CORNERS];
	struct probe up[CORNERS];
	struct vnpu_compact_plan best;
	bool found;
};

static inline u32 end_of(struct vnpu_extent ext)
{
	return ext.start + ext.count;
}

static bool extents_follow(struct vnpu_extent ext, u32 end)
{
	return ext.count && ext.start >= end &&
	       ext.start <= VNPU_BUDDY_MAX_PAGES &&
	       ext.count <= VNPU_BUDDY_MAX_PAGES - ext.start;
}

/* Is the input as described? How many pages are free? */
static int arena_init(struct arena *a, const struct vnpu_extent *segs,
		      u32 nr_segs, const struct vnpu_compact_block *blocks,
		      u32 nr, u32 *nr_free)
{
	u32 end = 0, block = 0, i;

	*nr_free = 0;
	for (i = 0; i < nr_segs; i++) {
		if (!extents_follow(segs[i], end))
			return -EINVAL;
		end = segs[i].start;
		*nr_free += segs[i].count;
		for (; block < nr; block++) {
			if (blocks[block].ext.start >= end_of(segs[i]))
				break;
			if (!extents_follow(blocks[block].ext, end))
				return -EINVAL;
			end = end_of(blocks[block].ext);
			*nr_free -= blocks[block].ext.count;
		}
		if (end > end_of(segs[i]))
			return -EINVAL;
		end = end_of(segs[i]);
	}
	*a = (struct arena){ blocks, blocks + nr };
	return nr_segs && block == nr ? 0 : -EINVAL;
}

/* Adds to @fixed and @movable the pages of blocks that are before @page. */
static inline void cursor_seek(struct cursor *c, const struct arena *a,
			       u32 page, u32 *movable, u32 *fixed)
{
	const struct vnpu_compact_block *block = c->block;
	u32 part;

	for (; block < a->blocks_end && end_of(block->ext) <= page; block++) {
		if (block->movable)
			c->movable += block->ext.count;
		else
			c->fixed += block->ext.count;
	}
	c->block = block;
	*movable = c->movable;
	*fixed = c->fixed;
	if (block == a->blocks_end || block->ext.start >= page)
		return;
	part = page - block->ext.start;
	if (block->movable)
		*movable += part;
	else
		*fixed += part;
}

static void search_try(struct search *s, struct probe *p, u64 start,
		       const struct vnpu_extent *seg)
{
	u32 movable[2], fixed[2], cost;

	if (start < seg->start || start + s->pages > end_of(*seg))
		return;
	cursor_seek(&p->low, s->arena, start, &movable[0], &fixed[0]);
	cursor_seek(&p->high, s->arena, start + s->pages, &movable[1],
		    &fixed[1]);
	if (fixed[1] != fixed[0])
		return;
	cost = movable[1] - movable[0];
	if (s->found && (cost > s->best.moved ||
			 (cost == s->best.moved &&
			  start >= s->best.window.start)))
		return;
	s->best.window = (struct vnpu_extent){ start, s->pages };
	s->best.moved = cost;
	s->found = true;
}

static void search_corner(struct search *s, enum corner kind, u64 corner,
			  const struct vnpu_extent *seg)
{
	u64 down = corner & ~s->mask;

	search_try(s, &s->down[kind], down, seg);
	if (down != corner)
		search_try(s, &s->up[kind], down + s->mask + 1, seg);
}

static void search_segment(struct search *s, const struct vnpu_extent *seg,
			   const struct vnpu_compact_block *block)
{
	const struct vnpu_compact_block *end = s->arena->blocks_end;

	search_corner(s, LEAVES, seg->start, seg);
	for (; block < end && block->ext.start < end_of(*seg); block++) {
		search_corner(s, LEAVES, end_of(block->ext), seg);
		if (block->ext.start >= s->pages)
			search_corner(s, ENTERS, block->ext.start - s->pages,
				      seg);
	}
	search_corner(s, ENTERS, end_of(*seg) - s->pages, seg);
}

static void search_init(struct search *s, const struct arena *arena,
			const struct vnpu_compact_req *req)
{
	struct cursor first = { .block = arena->blocks };
	u32 kind;

	s->arena = arena;
	s->pages = req->pages;
	s->mask = (1ULL << req->align_order) - 1;
	for (kind = 0; kind < CORNERS; kind++) {
		s->down[kind] = (struct probe){ first, first };
		s->up[kind] = (struct probe){ first, first };
	}
	s->found = false;
}

int vnpu_compact_plan(const struct vnpu_extent *segs, u32 nr_segs,
		      const struct vnpu_compact_block *blocks, u32 nr,
		      const struct vnpu_compact_req *req,
		      struct vnpu_compact_plan *plan)
{
	const struct vnpu_compact_block *block = blocks;
	struct arena arena;
	struct search s;
	u32 nr_free, i;

	if (!req->pages || req->align_order > 31 ||
	    arena_init(&arena, segs, nr_segs, blocks, nr, &nr_free))
		return -EINVAL;
	if (req->pages > nr_free)
		return -ENOSPC;

	search_init(&s, &arena, req);
	for (i = 0; i < nr_segs; i++) {
		while (block < arena.blocks_end &&
		       block->ext.start < segs[i].start)
			block++;
		if (segs[i].count >= req->pages)
			search_segment(&s, &segs[i], block);
	}
	if (!s.found)
		return -ENOSPC;
	*plan = s.best;
	return 0;
}

/* The longest aligned run in [@start, @end). */
static u32 aligned_length(u64 start, u64 end, u8 align_order)
{
	u64 mask = (1ULL << align_order) - 1;

	start = (start + mask) & ~mask;
	return start < end ? end - start : 0;
}

u32 vnpu_compact_largest(const struct vnpu_extent *segs, u32 nr_segs,
			 const struct vnpu_compact_block *blocks, u32 nr,
			 u8 align_order)
{
	const struct vnpu_compact_block *block;
	u32 nr_free, largest = 0, i;
	struct arena arena;

	if (align_order > 31 ||
	    arena_init(&arena, segs, nr_segs, blocks, nr, &nr_free))
		return 0;

	block = blocks;
	for (i = 0; i < nr_segs; i++) {
		u32 start = segs[i].start;
		u32 end = end_of(segs[i]);

		for (; block < arena.blocks_end && block->ext.start < end;
		     block++) {
			if (block->movable)
				continue;
			largest = max(largest,
				      aligned_length(start, block->ext.start,
						     align_order));
			start = end_of(block->ext);
		}
		largest = max(largest, aligned_length(start, end, align_order));
	}
	return min(largest, nr_free);
}

/* Of an address in pages; what is counted by digit is on the stack. */
#define DIGIT_BITS	7
#define DIGITS		(1U << DIGIT_BITS)

/* By one digit; false if all blocks have the same, and nothing was done. */
static bool sort_digit(const struct vnpu_compact_block *from,
		       struct vnpu_compact_block *to, u32 nr,
		       unsigned int shift)
{
	u32 at[DIGITS] = { };
	u32 sum = 0, count, i;

	for (i = 0; i < nr; i++)
		at[from[i].ext.start >> shift & (DIGITS - 1)]++;
	if (at[from[0].ext.start >> shift & (DIGITS - 1)] == nr)
		return false;
	for (i = 0; i < DIGITS; i++) {
		count = at[i];
		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < nr; i++)
		to[at[from[i].ext.start >> shift & (DIGITS - 1)]++] = from[i];
	return true;
}

/*
 * Digit by digit, from the last: a plan is made of all that is allocated, and
 * comparisons took two thirds of its time.
 */
void vnpu_compact_sort(struct vnpu_compact_block *blocks,
		       struct vnpu_compact_block *spare, u32 nr)
{
	struct vnpu_compact_block *from = blocks, *to = spare;
	unsigned int shift;

	if (nr < 2)
		return;
	for (shift = 0; shift < 32; shift += DIGIT_BITS) {
		if (sort_digit(from, to, nr, shift)) {
			struct vnpu_compact_block *sorted = to;

			to = from;
			from = sorted;
		}
	}
	if (from != blocks)
		memcpy(blocks, from, nr * sizeof(*blocks));
}
