// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction planner. See compact.h.
 *
 * Which positions must the search try? Let small(s) be the number of small
 * movable pages in the window that begins at s. A position is valid if it is a
 * multiple of the alignment, the window is in one segment, and the window has
 * no unmovable page.
 *
 * Shifting the window by one page loses page s and gains page s + pages, so
 * small(s + 1) - small(s) is 0 or +-1. This slope rises by one when s leaves a
 * block or s + pages enters one, and falls when s enters a block or s + pages
 * leaves one. Call the following points corners:
 *
 *	s is the end of a block, or the start of a segment
 *	s + pages is the start of a block, or the end of a segment
 *
 * Between two corners the slope can only fall, so small is concave there. It
 * takes its least value, and the lowest position of that value, at the first or
 * at the last valid position between the two. An unmovable block makes
 * positions invalid from pages before its start up to its end, which are
 * corners, too. So the best position is a corner, rounded up or down to the
 * alignment. Rounding in one direction is not enough: a window that cuts a
 * little into one block may avoid much of another.
 *
 * The cost of large pages depends only on the frames that the window overlaps.
 * It grows where s + pages passes the end of a frame, and shrinks where s
 * reaches one. So these points are corners, too, and there are no others.
 *
 * Small pages that move out need free pages outside of the window. The small
 * pages and the free pages inside are together the requested number, so there
 * is room for them if at least that many pages are free in the arena, wherever
 * the window is. Large pages need frames outside that are free, or that can be
 * emptied of small pages.
 */
#include "compact_private.h"

/**
 * struct cursor - a position among the blocks, which only moves up
 * @block: the first block that does not end at or before the position
 * @small: number of small movable pages before that block
 * @fixed: number of unmovable pages before that block
 */
struct cursor {
	const struct vnpu_compact_block *block;
	u32 small;
	u32 fixed;
};

/* The corners of one kind, rounded up or down, in ascending order. */
struct corners {
	const struct vnpu_compact_block *block;
	bool enters;
	bool up;
};

/**
 * struct search - a search for the best position
 * @arena: the snapshot
 * @pages: length of the window
 * @mask: bits that are zero in a valid position
 * @corners: the corners that blocks make, by kind; the last two kinds differ
 *	from the first two only if there is an alignment
 * @kinds: number of @corners in use
 * @low: cursor at the start of the window
 * @high: cursor at the end of the window
 * @frames: cost of large pages
 * @tries: number of positions tried since the last cond_resched()
 * @stop: value of @high's block at which to call cond_resched() next
 * @best: best plan so far
 * @found: true if @best is valid
 */
struct search {
	const struct arena *arena;
	u32 pages;
	u64 mask;
	struct corners corners[4];
	u32 kinds;
	struct cursor low;
	struct cursor high;
	struct frames frames;
	u32 tries;
	const struct vnpu_compact_block *stop;
	struct vnpu_compact_plan best;
	bool found;
};

static bool extents_follow(struct vnpu_extent ext, u32 end)
{
	return ext.count && ext.start >= end &&
	       ext.start <= VNPU_ALLOCATOR_MAX_PAGES &&
	       ext.count <= VNPU_ALLOCATOR_MAX_PAGES - ext.start;
}

static bool block_valid(const struct arena *a,
			const struct vnpu_compact_block *block, u32 end)
{
	u32 mask = (1U << a->large_order) - 1;

	if (block->kind == VNPU_COMPACT_LARGE &&
	    (!mask || (block->ext.start | block->ext.count) & mask))
		return false;
	return extents_follow(block->ext, end);
}

int vnpu_compact_arena_init(struct arena *a, u32 large_order)
{
	u32 end = 0, block = 0, i;

	if (large_order > VNPU_COMPACT_LARGE_ORDER_MAX)
		return -EINVAL;
	a->large_order = large_order;
	for (i = 0; i < a->nr_segs; i++) {
		const struct vnpu_extent *seg = &a->segs[i];

		if (!extents_follow(*seg, end))
			return -EINVAL;
		end = seg->start;
		a->nr_free += seg->count;
		for (; block < a->nr; block++) {
			const struct vnpu_compact_block *b = &a->blocks[block];

			if (b->ext.start >= end_of(*seg))
				break;
			if (!block_valid(a, b, end))
				return -EINVAL;
			end = end_of(b->ext);
			a->nr_free -= b->ext.count;
			if (b->kind == VNPU_COMPACT_LARGE)
				a->nr_large += b->ext.count >> large_order;
			give_way(block);
		}
		if (end > end_of(*seg))
			return -EINVAL;
		end = end_of(*seg);
	}
	a->blocks_end = a->blocks + a->nr;
	/* No frame is free, and none can be emptied. */
	a->large_stays = a->nr_free < 1U << large_order;
	return a->nr_segs && block == a->nr ? 0 : -EINVAL;
}

/* Skip blocks that end at or before @page; false: call again. */
static inline bool cursor_pass(struct cursor *c, const struct arena *a, u32 page)
{
	const struct vnpu_compact_block *block = c->block;
	const struct vnpu_compact_block *stop = blocks_stop(a, block);

	for (; block < stop && end_of(block->ext) <= page; block++) {
		if (block->kind == VNPU_COMPACT_SMALL)
			c->small += block->ext.count;
		else if (block_stays(a, block))
			c->fixed += block->ext.count;
	}
	c->block = block;
	return block < stop || stop == a->blocks_end;
}

/* Count the small and the fixed pages before @page. */
static inline void cursor_seek(struct cursor *c, const struct arena *a,
			       u32 page, u32 *small, u32 *fixed)
{
	const struct vnpu_compact_block *block;
	u32 part;

	while (!cursor_pass(c, a, page))
		cond_resched();
	block = c->block;
	*small = c->small;
	*fixed = c->fixed;
	if (block == a->blocks_end || block->ext.start >= page)
		return;
	part = page - block->ext.start;
	if (block->kind == VNPU_COMPACT_SMALL)
		*small += part;
	else if (block_stays(a, block))
		*fixed += part;
}

static void search_try(struct search *s, u32 start)
{
	struct vnpu_compact_plan plan = { .window = { start, s->pages } };
	u32 small[2], fixed[2];

	cursor_seek(&s->low, s->arena, start, &small[0], &fixed[0]);
	cursor_seek(&s->high, s->arena, start + s->pages, &small[1], &fixed[1]);
	vnpu_compact_frames_touch(&s->frames, plan.window);
	if (fixed[1] != fixed[0])
		return;
	plan.moved = small[1] - small[0];
	if ((s->found && plan.moved >= s->best.moved) ||
	    !vnpu_compact_frames_add_cost(&s->frames, &plan) ||
	    (s->found && plan.moved >= s->best.moved))
		return;
	s->best = plan;
	s->found = true;
}

static inline u64 corner(const struct search *s, const struct corners *c)
{
	u64 at = end_of(c->block->ext);

	if (c->enters)
		at = max(c->block->ext.start, s->pages) - s->pages;
	return (c->up ? at + s->mask : at) & ~s->mask;
}

/* Return the first corner of a kind above @start, or U64_MAX. */
static inline u64 corners_next(const struct search *s, struct corners *c,
			       u64 start)
{
	for (;;) {
		const struct vnpu_compact_block *stop;

		stop = blocks_stop(s->arena, c->block);
		for (; c->block < stop; c->block++) {
			u64 at = corner(s, c);

			if (at > start)
				return at;
		}
		if (stop == s->arena->blocks_end)
			return U64_MAX;
		cond_resched();
	}
}

/* Return the first corner above @start, of any kind. */
static u64 search_next(struct search *s, u64 start)
{
	u64 next = U64_MAX, at;
	u32 i;

	for (i = 0; i < s->kinds; i++)
		next = min(next, corners_next(s, &s->corners[i], start));
	if (!s->frames.small)
		return next;
	next = min(next, (start | s->mask | frame_mask(s->arena)) + 1);
	at = frames_next_end(s->arena, start + 1, s->pages);
	next = min(next, (at + s->mask) & ~s->mask);
	at = frames_next_end(s->arena, start + s->mask + 1, s->pages);
	return min(next, at & ~s->mask);
}

/*
 * Reschedule by positions and by blocks: a step can pass many blocks or none.
 */
static void search_give_way(struct search *s)
{
	if (++s->tries < SEEN_AT_ONCE && s->high.block < s->stop)
		return;
	s->tries = 0;
	s->stop = blocks_stop(s->arena, s->high.block);
	cond_resched();
}

static void search_segment(struct search *s, const struct vnpu_extent *seg)
{
	u64 start = (seg->start + s->mask) & ~s->mask;
	u64 last;

	if (seg->count < s->pages)
		return;
	last = (end_of(*seg) - s->pages) & ~s->mask;
	if (start > last)
		return;
	for (; start < last; start = search_next(s, start)) {
		search_try(s, start);
		search_give_way(s);
	}
	search_try(s, last);
	search_give_way(s);
}

static int search_init(struct search *s, const struct arena *arena,
		       const struct vnpu_compact_req *req)
{
	struct cursor first = { .block = arena->blocks };
	u32 i;

	*s = (struct search){
		.arena = arena,
		.pages = req->pages,
		.mask = (1ULL << req->align_order) - 1,
		.kinds = req->align_order ? 4 : 2,
		.low = first,
		.high = first,
		.stop = blocks_stop(arena, arena->blocks),
	};
	for (i = 0; i < ARRAY_SIZE(s->corners); i++)
		s->corners[i] = (struct corners){ arena->blocks, i & 1, i & 2 };
	return vnpu_compact_frames_init(&s->frames, arena);
}

int vnpu_compact_plan(const struct vnpu_extent *segs, u32 nr_segs,
		      const struct vnpu_compact_block *blocks, u32 nr,
		      const struct vnpu_compact_req *req,
		      struct vnpu_compact_plan *plan)
{
	struct arena arena = ARENA(segs, nr_segs, blocks, nr);
	struct search s;
	int err;
	u32 i;

	if (!req->pages || req->align_order > 31 ||
	    vnpu_compact_arena_init(&arena, req->large_order))
		return -EINVAL;
	if (req->pages > arena.nr_free)
		return -ENOSPC;

	err = search_init(&s, &arena, req);
	for (i = 0; !err && i < nr_segs; i++)
		search_segment(&s, &segs[i]);
	vnpu_compact_frames_fini(&s.frames);
	if (err)
		return err;
	if (!s.found)
		return -ENOSPC;
	*plan = s.best;
	return 0;
}

/* Bits of an address, in pages, per digit; the counters are on the stack. */
#define DIGIT_BITS	7
#define DIGITS		(1U << DIGIT_BITS)

/* Sort by one digit; false if it is the same in all blocks: nothing copied. */
static bool sort_digit(const struct vnpu_compact_block *from,
		       struct vnpu_compact_block *to, u32 nr,
		       unsigned int shift)
{
	u32 at[DIGITS] = { };
	u32 sum = 0, count, i;

	for (i = 0; i < nr; i++) {
		at[from[i].ext.start >> shift & (DIGITS - 1)]++;
		give_way(i);
	}
	if (at[from[0].ext.start >> shift & (DIGITS - 1)] == nr)
		return false;
	for (i = 0; i < DIGITS; i++) {
		count = at[i];
		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < nr; i++) {
		to[at[from[i].ext.start >> shift & (DIGITS - 1)]++] = from[i];
		give_way(i);
	}
	return true;
}

/*
 * Radix sort, least significant digit first. A plan covers all allocated
 * blocks, and a comparison sort took two thirds of its time.
 */
void vnpu_compact_sort(struct vnpu_compact_block *blocks,
		       struct vnpu_compact_block *spare, u32 nr)
{
	struct vnpu_compact_block *from = blocks, *to = spare;
	unsigned int shift;
	u32 i;

	if (nr < 2)
		return;
	for (shift = 0; shift < 32; shift += DIGIT_BITS) {
		if (sort_digit(from, to, nr, shift)) {
			struct vnpu_compact_block *sorted = to;

			to = from;
			from = sorted;
		}
	}
	if (from == blocks)
		return;
	for (i = 0; i < nr; i++) {
		blocks[i] = from[i];
		give_way(i);
	}
}
