// SPDX-License-Identifier: GPL-2.0-only
/* Naive compaction planner. See plane.h. */
#include "plane.h"
#include "tap.h"

static const enum vnpu_compact_kind kinds[] = {
	[PLANE_MOVABLE] = VNPU_COMPACT_SMALL,
	[PLANE_FIXED] = VNPU_COMPACT_FIXED,
	[PLANE_LARGE] = VNPU_COMPACT_LARGE,
};

/* Make blocks; split adjacent pages of a kind into several at random. */
static void plane_add_blocks(struct plane *p, struct vnpu_extent seg)
{
	u32 i;

	for (i = seg.start; i < seg.start + seg.count; i++) {
		u32 mask = (1U << p->large_order) - 1;
		bool inside = p->page[i] == PLANE_LARGE && i & mask;

		if (p->page[i] == PLANE_FREE)
			continue;
		if (i > seg.start && p->page[i - 1] == p->page[i] &&
		    (inside || tap_below(4))) {
			p->block[p->nr - 1].ext.count++;
			continue;
		}
		p->block[p->nr++] = (struct vnpu_compact_block){
			{ i, 1 }, kinds[p->page[i]] };
	}
}

void plane_set_blocks(struct plane *p)
{
	u32 i;

	p->nr = 0;
	for (i = 0; i < p->nr_segs; i++)
		plane_add_blocks(p, p->seg[i]);
}

/* Return the first frame of a segment. */
static u32 plane_first(const struct plane *p, u32 seg)
{
	u32 size = 1U << p->large_order;

	return (p->seg[seg].start + size - 1) / size * size;
}

void plane_add_large(struct plane *p, u32 percent)
{
	u32 size = 1U << p->large_order, s, i;

	for (s = 0; p->large_order && s < p->nr_segs; s++)
		for (i = plane_first(p, s);
		     i + size <= p->seg[s].start + p->seg[s].count; i += size)
			if (tap_below(100) < percent)
				memset(&p->page[i], PLANE_LARGE, size);
}

static u32 plane_count(const struct plane *p, u32 start, u32 pages, u8 what)
{
	u32 i, n = 0;

	for (i = start; i < start + pages; i++)
		n += p->page[i] == what;
	return n;
}

/*
 * Add the cost of the large pages in the window: each moves to the frame
 * outside that has the fewest small pages.
 */
static bool plane_move_large(const struct plane *p,
			     struct vnpu_compact_plan *plan)
{
	u32 size = 1U << p->large_order, large = 0, s, i;
	u32 end = plan->window.start + plan->window.count;
	u32 targets[17] = { 0 };

	for (s = 0; s < p->nr_segs; s++) {
		for (i = plane_first(p, s);
		     i + size <= p->seg[s].start + p->seg[s].count; i += size) {
			bool in = i < end && i + size > plan->window.start;

			if (p->page[i] == PLANE_LARGE)
				large += in;
			else if (!in && !plane_count(p, i, size, PLANE_FIXED))
				targets[plane_count(p, i, size, PLANE_MOVABLE)]++;
		}
	}
	plan->moved += large * size;
	for (i = 0; large && i <= size; i++) {
		for (; large && targets[i]; large--, targets[i]--) {
			plan->moved += i;
			plan->emptied += !!i;
		}
	}
	return !large;
}

bool plane_is_choice(const struct plane *p,
		     const struct vnpu_compact_plan *plan,
		     const struct vnpu_extent *chosen)
{
	u32 size = 1U << p->large_order, i, k;
	u32 start = plan->window.start;
	u32 end = start + plan->window.count;
	u32 moved = plane_count(p, start, end - start, PLANE_MOVABLE);

	/* A large page that the window cuts is moved as a whole. */
	if (plane_count(p, start, end - start, PLANE_LARGE)) {
		for (i = start / size * size; i < end; i += size)
			if (p->page[max(i, start)] == PLANE_LARGE)
				moved += size;
	}
	for (i = 0; i < plan->emptied; i++) {
		u32 at = chosen[i].start, small;

		small = plane_count(p, at, size, PLANE_MOVABLE);
		moved += small;
		if (chosen[i].count != size || at % size || !small ||
		    (at < end && at + size > start) ||
		    plane_count(p, at, size, PLANE_FIXED) ||
		    plane_count(p, at, size, PLANE_LARGE))
			return false;
		for (k = 0; k < i; k++)
			if (chosen[k].start == at)
				return false;
	}
	return moved == plan->moved;
}

bool plane_plan(const struct plane *p, const struct vnpu_compact_req *req,
		struct vnpu_compact_plan *plan)
{
	u32 nr_free = 0, i, s;
	bool found = false;

	for (s = 0; s < p->nr_segs; s++)
		nr_free += plane_count(p, p->seg[s].start, p->seg[s].count,
				       PLANE_FREE);

	for (s = 0; s < p->nr_segs; s++) {
		u32 end = p->seg[s].start + p->seg[s].count;

		for (i = p->seg[s].start; i + req->pages <= end; i++) {
			struct vnpu_compact_plan it = {
				.window = { i, req->pages },
				.moved = plane_count(p, i, req->pages,
						     PLANE_MOVABLE),
			};

			if (i & ((1U << req->align_order) - 1) ||
			    plane_count(p, i, req->pages, PLANE_FIXED))
				continue;
			if (plane_count(p, i, req->pages, PLANE_LARGE) &&
			    (nr_free < 1U << p->large_order ||
			     !plane_move_large(p, &it)))
				continue;
			if (req->pages > nr_free ||
			    (found && plan->moved <= it.moved))
				continue;
			*plan = it;
			found = true;
		}
	}
	return found;
}
