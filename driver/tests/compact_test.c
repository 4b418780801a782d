// SPDX-License-Identifier: GPL-2.0-only
/* The compaction planner, compared with one that tries every position. */
#include "core_test.h"
#include "plane.h"

static bool good_choice(const struct plane *p,
			const struct vnpu_compact_plan *plan)
{
	struct vnpu_extent *chosen;
	bool ok;

	chosen = kvcalloc(max(plan->emptied, 1U), sizeof(*chosen), GFP_KERNEL);
	EXPECT(chosen);
	ok = !vnpu_compact_choose(p->seg, p->nr_segs, p->block, p->nr,
				  p->large_order, plan, chosen) &&
	     plane_is_choice(p, plan, chosen);
	kvfree(chosen);
	return ok;
}

static bool same_plan(const struct plane *p,
		      const struct vnpu_compact_req *req, bool *found)
{
	struct vnpu_compact_plan got, want;
	int err;

	*found = plane_plan(p, req, &want);
	err = vnpu_compact_plan(p->seg, p->nr_segs, p->block, p->nr, req, &got);
	EXPECT(err == (*found ? 0 : -ENOSPC));
	if (!*found)
		return true;
	EXPECT(got.moved == want.moved);
	EXPECT(got.emptied == want.emptied);
	EXPECT(got.window.start == want.window.start);
	EXPECT(got.window.count == want.window.count);
	EXPECT(good_choice(p, &got));
	return true;
}

static bool same_plans(const struct plane *p, u32 max_pages, u8 max_order)
{
	struct vnpu_compact_req req = { .large_order = p->large_order };
	u32 largest;
	bool found;

	for (req.align_order = 0; req.align_order <= max_order;
	     req.align_order++) {
		largest = 0;
		for (req.pages = 1; req.pages <= max_pages; req.pages++) {
			EXPECT(same_plan(p, &req, &found));
			if (found)
				largest = req.pages;
		}
		EXPECT(vnpu_compact_largest(p->seg, p->nr_segs, p->block,
					    p->nr, req.align_order,
					    req.large_order) == largest);
	}
	return true;
}

/* Test every state of a small arena, as one segment and cut in two anywhere. */
bool test_compact_exhaustive(void)
{
	struct plane *p = kvzalloc(sizeof(*p), GFP_KERNEL);
	unsigned long enough = min(tap_steps / 50, 10000UL);
	u32 state, states = PLANE_LARGE;
	u32 pages = 1, i, cut;
	bool ok = true;

	EXPECT(p);
	for (; states < enough; pages++)
		states *= PLANE_LARGE;
	for (state = 0; ok && state < states; state++) {
		u32 s = state;
		/* A random start, so that alignment makes a difference. */
		u32 base = tap_below(5);

		memset(p->page, PLANE_FREE, 64);
		for (i = 0; i < pages; i++, s /= PLANE_LARGE)
			p->page[base + i] = s % PLANE_LARGE;
		for (cut = 0; ok && cut < pages; cut++) {
			p->nr_segs = !!cut + 1;
			p->seg[0] = (struct vnpu_extent){ base, cut };
			p->seg[!!cut] = (struct vnpu_extent){
				base + cut, pages - cut };
			plane_set_blocks(p);
			ok = same_plans(p, pages, 2);
		}
	}
	kvfree(p);
	return ok;
}

static void plane_fill(struct plane *p, struct vnpu_extent seg, u32 longest,
		       u32 percent_free, u32 percent_fixed)
{
	u32 i, at = seg.start;

	while (at < seg.start + seg.count) {
		u32 n = min(tap_log_uniform(longest),
			    seg.start + seg.count - at);
		u32 dice = tap_below(100);
		u8 kind = PLANE_MOVABLE;

		if (dice < percent_free)
			kind = PLANE_FREE;
		else if (dice < percent_free + percent_fixed)
			kind = PLANE_FIXED;
		for (i = 0; i < n; i++)
			p->page[at++] = kind;
	}
}

bool test_compact_random(void)
{
	struct plane *p = kvzalloc(sizeof(*p), GFP_KERNEL);
	unsigned long step;
	bool ok = true;
	bool found;
	u32 i, at;

	EXPECT(p);
	for (step = 0; ok && step < tap_steps / 200; step++) {
		u32 percent_free = 5 + tap_below(60);
		u32 percent_fixed = tap_below(3) ? tap_below(10) : 0;
		u32 longest = 1 + tap_below(8);

		p->nr_segs = 1 + tap_below(PLANE_SEGS);
		for (i = 0, at = 0; i < p->nr_segs; i++) {
			at += tap_below(3) ? 0 : tap_below(40);
			p->seg[i].start = at;
			p->seg[i].count = 1 + tap_below(400);
			plane_fill(p, p->seg[i], longest, percent_free,
				   percent_fixed);
			at += p->seg[i].count;
		}
		p->large_order = tap_below(5);
		plane_add_large(p, tap_below(100));
		plane_set_blocks(p);
		for (i = 0; ok && i < 4; i++) {
			struct vnpu_compact_req req = {
				.pages = tap_log_uniform(9),
				.align_order = tap_below(8),
				.large_order = p->large_order,
			};

			ok = same_plan(p, &req, &found);
		}
	}
	kvfree(p);
	return ok;
}

/*
 * Sort blocks in random order; their starts differ in a random number of
 * digits.
 */
bool test_compact_sort(void)
{
	const u32 most = 300;
	struct vnpu_compact_block *block, *spare;
	unsigned long step;
	u32 nr, gap, i, k;

	block = kvzalloc(2 * most * sizeof(*block), GFP_KERNEL);
	EXPECT(block);
	spare = block + most;
	for (step = 0; step < tap_steps / 1000 + 100; step++) {
		nr = tap_below(most + 1);
		gap = 1U << tap_below(23);
		for (i = 0; i < nr; i++) {
			block[i].ext.start = i * gap + tap_below(gap);
			block[i].ext.count = i;
			block[i].kind = i % 3;
		}
		for (i = nr; i > 1; i--) {
			k = tap_below(i);
			spare[0] = block[k];
			block[k] = block[i - 1];
			block[i - 1] = spare[0];
		}
		vnpu_compact_sort(block, spare, nr);
		for (i = 0; i < nr; i++) {
			EXPECT(block[i].ext.count == i);
			EXPECT(block[i].ext.start / gap == i);
			EXPECT(block[i].kind == i % 3);
		}
	}
	kvfree(block);
	return true;
}

bool test_compact_refused(void)
{
	struct vnpu_extent seg[2] = { { 0, 512 }, { 512, 512 } };
	struct vnpu_extent bad_seg[2] = { { 0, 512 }, { 511, 512 } };
	struct vnpu_compact_block one = { { 10, 10 }, VNPU_COMPACT_SMALL };
	struct vnpu_compact_req req = { .pages = 100 };
	static const struct vnpu_compact_block bad[][2] = {
		{ { { 0, 0 }, VNPU_COMPACT_SMALL }, { { 10, 10 }, VNPU_COMPACT_SMALL } },
		{ { { 10, 10 }, VNPU_COMPACT_SMALL }, { { 0, 10 }, VNPU_COMPACT_SMALL } },
		{ { { 0, 10 }, VNPU_COMPACT_SMALL }, { { 9, 10 }, VNPU_COMPACT_SMALL } },
		{ { { 0, 10 }, VNPU_COMPACT_SMALL }, { { 510, 4 }, VNPU_COMPACT_SMALL } },
		{ { { 0, 10 }, VNPU_COMPACT_SMALL }, { { 1020, 5 }, VNPU_COMPACT_SMALL } },
		{ { { 0, 10 }, VNPU_COMPACT_SMALL }, { { 1024, 1 }, VNPU_COMPACT_SMALL } },
		{ { { 0, 10 }, VNPU_COMPACT_SMALL }, { { 4000, U32_MAX }, VNPU_COMPACT_SMALL } },
		{ { { 0, 10 }, VNPU_COMPACT_SMALL }, { { U32_MAX, 1 }, VNPU_COMPACT_SMALL } },
	};
	struct vnpu_compact_plan plan;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		EXPECT(vnpu_compact_plan(seg, 2, bad[i], 2, &req, &plan) ==
		       -EINVAL);
		EXPECT(!vnpu_compact_largest(seg, 2, bad[i], 2, 0, 0));
		EXPECT(!vnpu_compact_scattered(seg, 2, bad[i], 2, 0, 0));
	}
	EXPECT(vnpu_compact_plan(seg, 0, NULL, 0, &req, &plan) == -EINVAL);
	EXPECT(vnpu_compact_plan(seg, 0, &one, 1, &req, &plan) == -EINVAL);
	EXPECT(vnpu_compact_plan(bad_seg, 2, &one, 1, &req, &plan) == -EINVAL);
	EXPECT(!vnpu_compact_largest(seg, 2, &one, 1, 32, 0));
	EXPECT(!vnpu_compact_scattered(seg, 2, &one, 1, 32, 0));
	EXPECT(!vnpu_compact_scattered(seg, 2, &one, 1, 31, 0));
	EXPECT(!vnpu_compact_scattered(seg, 0, NULL, 0, 0, 0));
	EXPECT(vnpu_compact_scattered(seg, 2, &one, 1, 0, 0) == 1014);
	EXPECT(vnpu_compact_scattered(seg, 2, &one, 1, 9, 9) == 512);
	req.align_order = 32;
	EXPECT(vnpu_compact_plan(seg, 2, &one, 1, &req, &plan) == -EINVAL);
	req.align_order = 31;
	EXPECT(vnpu_compact_plan(seg, 2, &one, 1, &req, &plan) == 0);
	EXPECT(plan.window.start == 0 && plan.moved == 10);
	req.pages = 0;
	EXPECT(vnpu_compact_plan(seg, 2, &one, 1, &req, &plan) == -EINVAL);
	req.pages = U32_MAX;
	EXPECT(vnpu_compact_plan(seg, 2, &one, 1, &req, &plan) == -ENOSPC);

	req = (struct vnpu_compact_req){ .pages = 512 };
	EXPECT(!vnpu_compact_plan(seg, 2, NULL, 0, &req, &plan));
	EXPECT(plan.window.start == 0 && !plan.moved);
	EXPECT(!vnpu_compact_plan(seg, 2, &one, 1, &req, &plan));
	EXPECT(plan.window.start == 512 && !plan.moved);
	EXPECT(vnpu_compact_largest(seg, 2, &one, 1, 0, 0) == 512);
	one.ext = (struct vnpu_extent){ 512, 512 };
	EXPECT(!vnpu_compact_plan(seg, 2, &one, 1, &req, &plan));
	EXPECT(plan.window.start == 0 && !plan.moved);
	return true;
}

/* Plans with a window that is empty, outside of the arena, or reaches out. */
static bool foreign_plans(const struct vnpu_extent *seg,
			  const struct vnpu_compact_block *block, u32 nr)
{
	const struct vnpu_extent bad[] = {
		{ seg->start, 0 },
		{ seg->start, U32_MAX },
		{ seg->start, seg->start + seg->count + 1 },
		{ seg->start + seg->count, 1 },
		{ seg->start + seg->count - 1, 2 },
		{ U32_MAX, 1 },
		{ U32_MAX, U32_MAX },
	};
	struct vnpu_extent chosen;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct vnpu_compact_plan plan = { .window = bad[i] };

		EXPECT(vnpu_compact_choose(seg, 1, block, nr, 9, &plan,
					   &chosen) == -EINVAL);
	}
	return true;
}

bool test_compact_large_refused(void)
{
	struct vnpu_extent seg = { 0, 2048 }, chosen[2];
	struct vnpu_compact_block block[2] = {
		{ { 0, 512 }, VNPU_COMPACT_LARGE },
		{ { 512, 1 }, VNPU_COMPACT_SMALL },
	};
	struct vnpu_compact_req req = { .pages = 1536, .large_order = 9 };
	struct vnpu_compact_plan plan;

	EXPECT(vnpu_compact_plan(&seg, 1, block, 2, &req, &plan) == -ENOSPC);
	req.pages = 1535;
	EXPECT(!vnpu_compact_plan(&seg, 1, block, 2, &req, &plan));
	EXPECT(plan.window.start == 513 && !plan.moved && !plan.emptied);

	/* The large page can only move to the frame that has the small page. */
	req = (struct vnpu_compact_req){ 1024, 11, 9 };
	seg.count = 1536;
	EXPECT(vnpu_compact_plan(&seg, 1, block, 2, &req, &plan) == -ENOSPC);
	req.pages = 500;
	EXPECT(!vnpu_compact_plan(&seg, 1, block, 2, &req, &plan));
	EXPECT(plan.window.start == 0 && plan.moved == 512 && !plan.emptied);
	block[1].ext = (struct vnpu_extent){ 1024, 1 };
	seg.count = 1025;
	EXPECT(!vnpu_compact_plan(&seg, 1, block, 2, &req, &plan));
	EXPECT(plan.moved == 512 && !plan.emptied);
	block[1].ext = (struct vnpu_extent){ 600, 1 };
	EXPECT(!vnpu_compact_plan(&seg, 1, block, 2, &req, &plan));
	EXPECT(plan.moved == 513 && plan.emptied == 1);
	EXPECT(!vnpu_compact_choose(&seg, 1, block, 2, 9, &plan, chosen));
	EXPECT(chosen[0].start == 512 && chosen[0].count == 512);
	plan.emptied = 2;
	EXPECT(vnpu_compact_choose(&seg, 1, block, 2, 9, &plan, chosen) ==
	       -EINVAL);
	EXPECT(foreign_plans(&seg, block, 2));

	/* A large page that is misaligned, and invalid orders. */
	block[0].ext.count = 511;
	EXPECT(vnpu_compact_plan(&seg, 1, block, 2, &req, &plan) == -EINVAL);
	EXPECT(!vnpu_compact_largest(&seg, 1, block, 2, 0, 9));
	block[0].ext.count = 512;
	EXPECT(vnpu_compact_choose(&seg, 1, block, 2, 10, &plan, chosen) ==
	       -EINVAL);
	EXPECT(!vnpu_compact_largest(&seg, 1, block, 2, 0, 0));
	EXPECT(vnpu_compact_largest(&seg, 1, block, 2, 0, 9) == 512);
	EXPECT(vnpu_compact_scattered(&seg, 1, block, 2, 9, 9) == 512);
	EXPECT(!vnpu_compact_scattered(&seg, 1, block, 2, 8, 9));
	EXPECT(!vnpu_compact_scattered(&seg, 1, block, 2, 9, 10));
	req.large_order = 10;
	EXPECT(vnpu_compact_plan(&seg, 1, block, 2, &req, &plan) == -EINVAL);
	return true;
}

/* The largest arena: positions close to its end, windows as long as it. */
bool test_compact_giant(void)
{
	struct vnpu_extent seg = { 512, VNPU_ALLOCATOR_MAX_PAGES - 512 };
	struct vnpu_compact_block block[3] = {
		{ { 512, 1 }, VNPU_COMPACT_SMALL },
		{ { 1 << 26, 100 }, VNPU_COMPACT_SMALL },
		{ { VNPU_ALLOCATOR_MAX_PAGES - 1, 1 }, VNPU_COMPACT_SMALL },
	};
	struct vnpu_compact_req req = { .pages = seg.count - 102 };
	struct vnpu_compact_plan plan;

	EXPECT(vnpu_compact_largest(&seg, 1, block, 3, 0, 0) == req.pages);
	EXPECT(!vnpu_compact_plan(&seg, 1, block, 3, &req, &plan));
	EXPECT(plan.moved == 100 && plan.window.start == 513);
	req.pages++;
	EXPECT(vnpu_compact_plan(&seg, 1, block, 3, &req, &plan) == -ENOSPC);

	EXPECT(vnpu_compact_scattered(&seg, 1, block, 3, 18, 9) ==
	       VNPU_ALLOCATOR_MAX_PAGES - (1 << 18));

	req.pages = 1 << 25;
	req.align_order = 26;
	EXPECT(!vnpu_compact_plan(&seg, 1, block, 3, &req, &plan));
	EXPECT(plan.moved == 100 && plan.window.start == 1 << 26);
	block[1].kind = VNPU_COMPACT_FIXED;
	EXPECT(vnpu_compact_plan(&seg, 1, block, 3, &req, &plan) == -ENOSPC);
	EXPECT(vnpu_compact_largest(&seg, 1, block, 3, 26, 0) == 0);
	EXPECT(vnpu_compact_largest(&seg, 1, block, 3, 0, 0) ==
	       VNPU_ALLOCATOR_MAX_PAGES - (1 << 26) - 100);
	return true;
}
