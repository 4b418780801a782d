// SPDX-License-Identifier: GPL-2.0-only
/* The naive planner. See plane.h. */
#include "plane.h"
#include "tap.h"

/* Blocks of the same kind that touch may be one or several. */
static void plane_add_blocks(struct plane *p, struct vnpu_extent seg)
{
	u32 i;

	for (i = seg.start; i < seg.start + seg.count; i++) {
		bool movable = p->page[i] == PLANE_MOVABLE;

		if (p->page[i] == PLANE_FREE)
			continue;
		if (i > seg.start && p->page[i - 1] == p->page[i] &&
		    tap_below(4)) {
			p->block[p->nr - 1].ext.count++;
			continue;
		}
		p->block[p->nr++] = (struct vnpu_compact_block){
			{ i, 1 }, movable };
	}
}

void plane_set_blocks(struct plane *p)
{
	u32 i;

	p->nr = 0;
	for (i = 0; i < p->nr_segs; i++)
		plane_add_blocks(p, p->seg[i]);
}

bool plane_plan(const struct plane *p, const struct vnpu_compact_req *req,
		struct vnpu_compact_plan *plan)
{
	u32 nr_free = 0, i, k, s;
	bool found = false;

	for (s = 0; s < p->nr_segs; s++)
		for (i = 0; i < p->seg[s].count; i++)
			nr_free += p->page[p->seg[s].start + i] == PLANE_FREE;

	for (s = 0; s < p->nr_segs; s++) {
		u32 end = p->seg[s].start + p->seg[s].count;

		for (i = p->seg[s].start; i + req->pages <= end; i++) {
			u32 count[PLANE_STATES] = { 0 };

			if (i & ((1U << req->align_order) - 1))
				continue;
			for (k = i; k < i + req->pages; k++)
				count[p->page[k]]++;
			if (count[PLANE_FIXED] ||
			    nr_free - count[PLANE_FREE] < count[PLANE_MOVABLE])
				continue;
			if (found && plan->moved <= count[PLANE_MOVABLE])
				continue;
			*plan = (struct vnpu_compact_plan){
				{ i, req->pages }, count[PLANE_MOVABLE] };
			found = true;
		}
	}
	return found;
}
