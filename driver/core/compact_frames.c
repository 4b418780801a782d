// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction planner: large pages.
 *
 * A frame can hold a large page if nothing in it is unmovable. Each large page
 * in the window needs a frame outside: a free one or, if there are too few, one
 * with small pages that move elsewhere. Frames are interchangeable, so those
 * with the fewest small pages are the best, and moving a large page that is
 * outside never helps.
 */
#include "compact_private.h"

/* Values of a frame that has no count of small pages. */
#define FRAME_LARGE	0xfffe
#define FRAME_UNFIT	0xffff

static u32 frames_count(const struct arena *a)
{
	u32 end = end_of(a->segs[a->nr_segs - 1]);

	return (end + frame_mask(a)) >> a->large_order;
}

static void frames_add_block(struct frames *f, const struct arena *a,
			     const struct vnpu_compact_block *block)
{
	u32 start = block->ext.start, end = end_of(block->ext);

	while (start < end) {
		u16 *frame = &f->small[start >> f->order];
		u32 stop = min(end, (start | frame_mask(a)) + 1);

		if (block->kind == VNPU_COMPACT_LARGE)
			*frame = FRAME_LARGE;
		else if (block->kind == VNPU_COMPACT_FIXED)
			*frame = FRAME_UNFIT;
		else if (*frame != FRAME_UNFIT)
			*frame += stop - start;
		start = stop;
	}
}

static void frames_fill(struct frames *f, const struct arena *a)
{
	u32 frames = frames_count(a), frame, i;

	memset(f->small, 0xff, frames * sizeof(*f->small));
	for (i = 0; i < a->nr_segs; i++) {
		frame = (a->segs[i].start + frame_mask(a)) >> f->order;
		for (; frame < end_of(a->segs[i]) >> f->order; frame++)
			f->small[frame] = 0;
	}
	for (i = 0; i < a->nr; i++) {
		frames_add_block(f, a, &a->blocks[i]);
		give_way(i);
	}
	for (frame = 0; frame < frames; frame++)
		if (f->small[frame] < FRAME_LARGE)
			f->outside[f->small[frame]]++;
}

int vnpu_compact_frames_init(struct frames *f, const struct arena *a)
{
	*f = (struct frames){ .order = a->large_order };
	if (!a->nr_large || a->large_stays)
		return 0;
	f->small = kvcalloc(frames_count(a), sizeof(*f->small), GFP_KERNEL);
	f->outside = kvcalloc((1U << f->order) + 1, sizeof(*f->outside),
			      GFP_KERNEL);
	if (!f->small || !f->outside)
		return -ENOMEM;
	frames_fill(f, a);
	return 0;
}

void vnpu_compact_frames_fini(struct frames *f)
{
	kvfree(f->outside);
	kvfree(f->small);
}

void vnpu_compact_frames_touch(struct frames *f, struct vnpu_extent window)
{
	u32 first = window.start >> f->order;
	u32 end = ((end_of(window) - 1) >> f->order) + 1;
	u32 frame;

	if (!f->small ||
	    (first == f->touched.start && end == end_of(f->touched)))
		return;
	for (frame = end_of(f->touched); frame < end; frame++) {
		if (f->small[frame] == FRAME_LARGE)
			f->large++;
		else if (f->small[frame] != FRAME_UNFIT)
			f->outside[f->small[frame]]--;
	}
	for (frame = f->touched.start; frame < first; frame++) {
		if (f->small[frame] == FRAME_LARGE)
			f->large--;
		else if (f->small[frame] != FRAME_UNFIT)
			f->outside[f->small[frame]]++;
	}
	f->touched = (struct vnpu_extent){ first, end - first };
	f->cost.is_known = false;
}

/* Assign each large page the frame outside with the fewest small pages. */
static struct frames_cost frames_get_cost(const struct frames *f)
{
	struct frames_cost cost = {
		.is_known = true,
		.missing = f->large,
		.moved = f->large << f->order,
	};
	u32 small;

	for (small = 0; cost.missing && small <= 1U << f->order; small++) {
		u32 n = min(cost.missing, f->outside[small]);

		cost.missing -= n;
		cost.moved += n * small;
		if (small)
			cost.emptied += n;
	}
	return cost;
}

bool vnpu_compact_frames_add_cost(struct frames *f, struct vnpu_compact_plan *plan)
{
	if (!f->cost.is_known)
		f->cost = frames_get_cost(f);
	plan->moved += f->cost.moved;
	plan->emptied += f->cost.emptied;
	return !f->cost.missing;
}

/* Check that a window ends before the last segment does. */
static bool is_inside(const struct arena *a, struct vnpu_extent window)
{
	u32 end = end_of(a->segs[a->nr_segs - 1]);

	return window.count && window.start < end &&
	       window.count <= end - window.start;
}

int vnpu_compact_choose(const struct vnpu_extent *segs, u32 nr_segs,
			const struct vnpu_compact_block *blocks, u32 nr,
			u32 large_order, const struct vnpu_compact_plan *plan,
			struct vnpu_extent *chosen)
{
	struct arena a = ARENA(segs, nr_segs, blocks, nr);
	u32 frame, small, n = 0;
	struct frames f;
	int err;

	if (vnpu_compact_arena_init(&a, large_order) || !is_inside(&a, plan->window))
		return -EINVAL;
	err = vnpu_compact_frames_init(&f, &a);
	if (err || !f.small)
		goto out;
	vnpu_compact_frames_touch(&f, plan->window);
	for (small = 1; n < plan->emptied && small <= 1U << f.order; small++) {
		if (!f.outside[small])
			continue;
		cond_resched();
		for (frame = 0; n < plan->emptied && frame < frames_count(&a);
		     frame++) {
			if (f.small[frame] != small ||
			    (frame >= f.touched.start &&
			     frame < end_of(f.touched)))
				continue;
			chosen[n++] = (struct vnpu_extent){
				frame << f.order, 1U << f.order };
		}
	}
out:
	vnpu_compact_frames_fini(&f);
	if (err)
		return err;
	return n == plan->emptied ? 0 : -EINVAL;
}

/* The pages between two unmovable blocks, or the borders of a segment. */
struct span {
	u64 start;
	u64 end;
};

/* Count the whole aligned pages of an order in a span. */
static u64 span_places(struct span in, u32 order)
{
	u64 first = (in.start + (1ULL << order) - 1) >> order;
	u64 end = in.end >> order;

	return end > first ? end - first : 0;
}

/*
 * Return the length of the longest run in a span that starts at an alignment
 * and overlaps at most @frames whole frames. Such a run begins at the start of
 * the span, or ends at its end.
 */
static u64 span_longest(const struct arena *a, struct span in, u64 mask,
			u64 frames)
{
	u64 start = (in.start + mask) & ~mask;
	u64 first = (in.start + frame_mask(a)) & ~(u64)frame_mask(a);
	u64 last = in.end & ~(u64)frame_mask(a);
	u64 end, low;

	if (start >= in.end)
		return 0;
	if (span_places(in, a->large_order) <= frames)
		return in.end - start;
	end = max(start, first) + (frames << a->large_order);
	if (end >= last)
		end = in.end;
	low = (last - (frames << a->large_order) + mask) & ~mask;
	low = min(max(start, low), in.end);
	return max(end - start, in.end - low);
}

/**
 * struct spans - totals over all spans
 * @longest: longest aligned run that overlaps at most the given number of
 *	frames
 * @targets: number of whole aligned pages of the given order
 * @frames: number of whole frames
 */
struct spans {
	u64 longest;
	u64 targets;
	u64 frames;
};

static void spans_add(struct spans *s, const struct arena *a, struct span in,
		      u32 order, u64 frames)
{
	u64 mask = (1ULL << order) - 1;

	s->longest = max(s->longest, span_longest(a, in, mask, frames));
	s->targets += span_places(in, order);
	s->frames += span_places(in, a->large_order);
}

static struct spans arena_spans(const struct arena *a, u32 order, u64 frames)
{
	const struct vnpu_compact_block *block = a->blocks;
	struct spans s = { 0 };
	u32 seen = 0, i;

	for (i = 0; i < a->nr_segs; i++) {
		struct span span = { .start = a->segs[i].start };
		u32 end = end_of(a->segs[i]);

		for (; block < a->blocks_end && block->ext.start < end;
		     block++) {
			give_way(++seen);
			if (!block_stays(a, block))
				continue;
			span.end = block->ext.start;
			spans_add(&s, a, span, order, frames);
			span.start = end_of(block->ext);
		}
		span.end = end;
		spans_add(&s, a, span, order, frames);
	}
	return s;
}

u32 vnpu_compact_largest(const struct vnpu_extent *segs, u32 nr_segs,
			 const struct vnpu_compact_block *blocks, u32 nr,
			 u8 align_order, u8 large_order)
{
	struct arena a = ARENA(segs, nr_segs, blocks, nr);
	struct spans s;

	if (align_order > 31 || vnpu_compact_arena_init(&a, large_order))
		return 0;
	s = arena_spans(&a, align_order, U32_MAX);
	/* The large pages need the other frames. */
	if (a.nr_large && !a.large_stays)
		s = arena_spans(&a, align_order, s.frames - a.nr_large);
	return min_t(u64, s.longest, a.nr_free);
}

/*
 * Each page of @page_order uses up the same number of frames, wherever it is,
 * and each large page needs one of the remaining frames. So it does not matter
 * which pages are made free.
 */
u32 vnpu_compact_scattered(const struct vnpu_extent *segs, u32 nr_segs,
			   const struct vnpu_compact_block *blocks, u32 nr,
			   u8 page_order, u8 large_order)
{
	struct arena a = ARENA(segs, nr_segs, blocks, nr);
	u64 targets, frames;
	struct spans s;

	if (page_order > 31 || vnpu_compact_arena_init(&a, large_order) ||
	    (a.nr_large && page_order < large_order))
		return 0;
	s = arena_spans(&a, page_order, U32_MAX);
	targets = min_t(u64, s.targets, a.nr_free >> page_order);
	if (a.nr_large && !a.large_stays) {
		frames = s.frames - a.nr_large;
		targets = min(targets, frames >> (page_order - large_order));
	}
	return targets << page_order;
}
