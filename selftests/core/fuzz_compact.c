// SPDX-License-Identifier: GPL-2.0-only
/* Compare the planner of compaction with the naive planner. */
#include "fuzz.h"
#include "plane.h"
#include "tap.h"

#define MAX_RUN		32
#define MAX_BLOCKS	16

/* Runs of pages, a byte each: length and kind; the rest is free. */
static void plane_read(struct plane *p, struct fuzz_input *in)
{
	u32 at = 0, i, k;

	p->nr_segs = 1 + fuzz_byte(in) % PLANE_SEGS;
	for (i = 0; i < p->nr_segs; i++) {
		at += fuzz_byte(in) % 16;
		p->seg[i].start = at;
		p->seg[i].count = 1 + fuzz_byte(in);
		at += p->seg[i].count;
	}
	for (k = 0; k < at && in->size; ) {
		u8 byte = fuzz_byte(in);
		u32 n = min(1U + byte / 4 % MAX_RUN, at - k);

		memset(&p->page[k], byte % PLANE_LARGE, n);
		k += n;
	}
	plane_set_blocks(p);
}

static void plan_both(const struct plane *p, struct fuzz_input *in)
{
	struct vnpu_compact_req req = {
		.pages = 1 + fuzz_word(in) % 600,
		.align_order = fuzz_byte(in) % 9,
		.large_order = p->large_order,
	};
	struct vnpu_compact_plan got, want;
	bool found = plane_plan(p, &req, &want);
	int err;

	err = vnpu_compact_plan(p->seg, p->nr_segs, p->block, p->nr, &req,
				&got);
	MUST(err == (found ? 0 : -ENOSPC));
	if (found)
		MUST(!memcmp(&got, &want, sizeof(got)));
	MUST(found == (vnpu_compact_largest(p->seg, p->nr_segs, p->block,
					    p->nr, req.align_order,
				     req.large_order) >= req.pages));
}

static u32 any_page(struct fuzz_input *in)
{
	u32 word = fuzz_word(in);

	return word & 0x8000 ? ~word : word & 0x3ff;
}

/* Input that may be a valid description, but mostly is not. */
static void plan_anything(struct fuzz_input *in)
{
	struct vnpu_compact_block block[MAX_BLOCKS];
	struct vnpu_extent seg[PLANE_SEGS];
	struct vnpu_compact_req req;
	struct vnpu_compact_plan plan;
	u32 nr_segs, nr, i;
	int err;

	nr_segs = fuzz_byte(in) % (PLANE_SEGS + 1);
	nr = fuzz_byte(in) % (MAX_BLOCKS + 1);
	req.pages = any_page(in);
	req.align_order = fuzz_byte(in);
	req.large_order = req.align_order >> 5;
	for (i = 0; i < nr_segs; i++)
		seg[i] = (struct vnpu_extent){ any_page(in), any_page(in) };
	for (i = 0; i < nr; i++) {
		block[i].ext.start = any_page(in);
		block[i].ext.count = any_page(in);
		block[i].kind = fuzz_byte(in) % 3;
	}
	err = vnpu_compact_plan(seg, nr_segs, block, nr, &req, &plan);
	if (err)
		return;
	MUST(plan.window.count == req.pages && plan.emptied <= plan.moved);
	MUST(!(plan.window.start & ((1ULL << req.align_order) - 1)));
}

void fuzz_compact(const u8 *data, size_t size)
{
	struct fuzz_input in = { data, size };
	struct plane *p;
	u32 i;

	tap_start(size);
	if (fuzz_byte(&in) & 1) {
		plan_anything(&in);
		return;
	}
	p = calloc(1, sizeof(*p));
	plane_read(p, &in);
	/*
	 * The number of large pages follows, so that older inputs keep their
	 * meaning.
	 */
	for (i = 0; i < 4; i++)
		plan_both(p, &in);
	p->large_order = 1 + fuzz_byte(&in) % 4;
	plane_add_large(p, fuzz_byte(&in) % 100);
	plane_set_blocks(p);
	for (i = 0; i < 4; i++)
		plan_both(p, &in);
	free(p);
}
