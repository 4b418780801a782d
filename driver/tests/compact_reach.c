// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exhaustive check that the planner plans exactly what moves can make. The test
 * visits every state of a small arena, and all states that moves can turn it
 * into. A move takes a small page to any free page, or a large page to any free
 * frame, and can be undone. So the states are the nodes of an undirected graph,
 * and the states that can be reached from a state are its component.
 */
#include "core_test.h"
#include "plane.h"

/* Number of alignments to test: 1, 2, 4 and 8 pages. */
#define ALIGNS	4

/**
 * struct reach - all states of an arena with a few frames
 * @plane: one state of the arena
 * @size: number of pages of a frame
 * @targets: number of frames
 * @digits: number of states of a frame; in the last, the frame is a large page,
 *	in all others each page is PLANE_FREE, PLANE_MOVABLE or PLANE_FIXED
 * @states: number of states of the arena; a state is a number in base @digits
 *	with one digit per frame
 * @parent: for each state, a state of the same component; one state of each
 *	component is its own parent
 * @longest: for each component and alignment, the longest run of any state
 * @most: for each component and alignment, the most free aligned runs of any
 *	state
 */
struct reach {
	struct plane plane;
	u32 size;
	u32 targets;
	u32 digits;
	u32 states;
	u32 *parent;
	u8 (*longest)[ALIGNS];
	u8 (*most)[ALIGNS];
};

static u32 power(u32 base, u32 exponent)
{
	u32 p = 1;

	while (exponent--)
		p *= base;
	return p;
}

static u32 reach_root(const struct reach *r, u32 state)
{
	while (r->parent[state] != state) {
		r->parent[state] = r->parent[r->parent[state]];
		state = r->parent[state];
	}
	return state;
}

static void reach_show(struct reach *r, u32 state)
{
	u8 *page = r->plane.page;
	u32 place, i;

	for (place = 0; place < r->targets; place++, state /= r->digits) {
		u32 digit = state % r->digits;

		for (i = 0; i < r->size; i++, digit /= PLANE_LARGE)
			*page++ = state % r->digits == r->digits - 1 ?
				  PLANE_LARGE : digit % PLANE_LARGE;
	}
}

/* Return by how much a small page here increases the number of the state. */
static u32 reach_weight(const struct reach *r, u32 page)
{
	return power(r->digits, page / r->size) *
	       power(PLANE_LARGE, page % r->size);
}

/* Join a state with the state after moving @n pages from @from to @to. */
static void reach_move(struct reach *r, u32 state, u32 from, u32 to, u32 n)
{
	u32 digit = n > 1 ? r->digits - 1 : 1;
	u32 i;

	for (i = 0; i < n; i++)
		if (r->plane.page[to + i] != PLANE_FREE)
			return;
	to = state + digit * reach_weight(r, to) -
	     digit * reach_weight(r, from);
	r->parent[reach_root(r, state)] = reach_root(r, to);
}

static void reach_join(struct reach *r, u32 state)
{
	u32 pages = r->size * r->targets, from, to;

	reach_show(r, state);
	for (from = 0; from < pages; from++)
		for (to = 0; to < pages; to++)
			if (r->plane.page[from] == PLANE_MOVABLE)
				reach_move(r, state, from, to, 1);
	for (from = 0; from < pages; from += r->size)
		for (to = 0; to < pages; to += r->size)
			if (r->plane.page[from] == PLANE_LARGE)
				reach_move(r, state, from, to, r->size);
}

static void reach_measure(struct reach *r, u32 state)
{
	u32 pages = r->size * r->targets, start, end, k, n;
	u32 root = reach_root(r, state);
	u8 *longest = r->longest[root];
	u8 *most = r->most[root];

	reach_show(r, state);
	for (k = 0; k < ALIGNS; k++) {
		for (start = 0, n = 0; start < pages; start += 1 << k) {
			for (end = start; end < pages; end++)
				if (r->plane.page[end] != PLANE_FREE)
					break;
			longest[k] = max_t(u32, longest[k], end - start);
			n += end - start >= 1U << k;
		}
		most[k] = max_t(u32, most[k], n);
	}
}

/* Compare the number of free pages of all sizes, from large pages upwards. */
static bool reach_compare_most(const struct reach *r, const u8 *most)
{
	const struct plane *p = &r->plane;
	u32 pages = r->size * r->targets;
	u32 k = 0;

	if (memchr(p->page, PLANE_LARGE, pages))
		k = p->large_order;
	for (; k < ALIGNS; k++)
		EXPECT(vnpu_compact_scattered(p->seg, 1, p->block, p->nr, k,
					      p->large_order) ==
		       (u32)most[k] << k);
	return true;
}

static bool reach_compare(struct reach *r, u32 state)
{
	u32 root = reach_root(r, state);
	const u8 *longest = r->longest[root];
	struct plane *p = &r->plane;
	struct vnpu_compact_plan plan;
	u32 k;

	reach_show(r, state);
	plane_set_blocks(p);
	for (k = 0; k < ALIGNS; k++) {
		struct vnpu_compact_req req = {
			.pages = longest[k],
			.align_order = k,
			.large_order = p->large_order,
		};

		EXPECT(vnpu_compact_largest(p->seg, 1, p->block, p->nr, k,
					    p->large_order) == longest[k]);
		if (req.pages)
			EXPECT(!vnpu_compact_plan(p->seg, 1, p->block, p->nr,
						  &req, &plan));
		req.pages++;
		EXPECT(vnpu_compact_plan(p->seg, 1, p->block, p->nr, &req,
					 &plan) == -ENOSPC);
	}
	return reach_compare_most(r, r->most[root]);
}

static bool reach_all(struct reach *r)
{
	u32 state;

	for (state = 0; state < r->states; state++)
		r->parent[state] = state;
	for (state = 0; state < r->states; state++)
		reach_join(r, state);
	for (state = 0; state < r->states; state++)
		reach_measure(r, state);
	for (state = 0; state < r->states; state++)
		if (!reach_compare(r, state))
			return false;
	return true;
}

static bool reach_run(u32 large_order, u32 targets)
{
	u32 size = 1U << large_order;
	u32 digits = power(PLANE_LARGE, size) + 1;
	u32 states = power(digits, targets);
	struct reach *r;
	bool ok = false;

	if (states > 1000 && states > tap_steps / 10)
		return true;
	r = kvzalloc(sizeof(*r), GFP_KERNEL);
	EXPECT(r);
	r->size = size;
	r->targets = targets;
	r->digits = digits;
	r->states = states;
	r->plane.large_order = large_order;
	r->plane.seg[0].count = size * targets;
	r->plane.nr_segs = 1;
	r->parent = kvcalloc(states, sizeof(*r->parent), GFP_KERNEL);
	r->longest = kvcalloc(states, sizeof(*r->longest), GFP_KERNEL);
	r->most = kvcalloc(states, sizeof(*r->most), GFP_KERNEL);
	if (r->parent && r->longest && r->most)
		ok = reach_all(r);
	kvfree(r->most);
	kvfree(r->longest);
	kvfree(r->parent);
	kvfree(r);
	return ok;
}

bool test_compact_reach(void)
{
	return reach_run(1, 3) && reach_run(1, 4) && reach_run(1, 5) &&
	       reach_run(2, 2) && reach_run(2, 3);
}
