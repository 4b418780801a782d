// SPDX-License-Identifier: GPL-2.0-only
/* Random operations on the extent allocator, compared with the naive model. */
#include "core_test.h"
#include "model.h"

/* Parameters of a run of random operations. */
struct mix {
	const struct vnpu_extent *segs;
	u32 nr_segs;
	bool dirty;
	u32 max_order;		/* sizes below 1 << max_order granules */
	u32 fill;		/* percentage of the arena to keep allocated */
	u8 granule[4];		/* granule orders to choose from */
	unsigned long steps;
	unsigned long check_every;
};

struct state {
	struct vnpu_allocator *a;
	struct model m;
	const struct mix *mix;
};

static bool same_stats(const struct state *st)
{
	struct vnpu_allocator_stats got, want;
	u32 k;

	vnpu_allocator_get_stats(st->a, &got);
	model_stats(&st->m, &want);
	EXPECT(got.total == want.total);
	EXPECT(got.free == want.free);
	EXPECT(got.dirty == want.dirty);
	EXPECT(got.runs == want.runs);
	EXPECT(got.largest == want.largest);
	for (k = 0; k < VNPU_PAGE_CLASSES; k++)
		EXPECT(got.largest_class[k] == want.largest_class[k]);
	for (k = 0; k < VNPU_ALLOCATOR_ORDERS; k++)
		EXPECT(got.free_blocks[k] == want.free_blocks[k]);
	EXPECT(vnpu_allocator_free_pages(st->a, 0) == want.free);
	return true;
}

static bool same_runs(const struct state *st)
{
	struct vnpu_extent got, want;
	u32 from = tap_below(st->m.pages);

	for (;;) {
		bool more = model_next_run(&st->m, from, &want);

		EXPECT(vnpu_allocator_next_free_run(st->a, from, &got) == more);
		if (!more)
			break;
		EXPECT(got.start == want.start && got.count == want.count);
		from = got.start + got.count;
	}
	return true;
}

static bool check_all(const struct state *st)
{
	return same_stats(st) && same_runs(st) && vnpu_allocator_check(st->a);
}

/* Check that the model allows @ext as an answer to @req. */
static bool right_extent(const struct state *st,
			 const struct vnpu_allocator_req *req,
			 struct vnpu_extent ext)
{
	bool contiguous = req->flags & VNPU_ALLOC_CONTIGUOUS;
	bool high = req->flags & VNPU_ALLOC_TOPDOWN;
	u32 align = req->granule_order;
	struct vnpu_extent best, run;
	u32 free_run = ext.start;

	if (contiguous && req->align_order > align)
		align = req->align_order;
	EXPECT(model_all_free(&st->m, ext));
	EXPECT(!(ext.start & ((1ULL << align) - 1)));
	EXPECT(!(ext.count & ((1U << req->granule_order) - 1)));

	if (ext.count != req->pages) {
		EXPECT(!contiguous && ext.count < req->pages);
		EXPECT(ext.count == model_largest(&st->m, req->granule_order));
		return true;
	}

	/* Best fit: the extent must be in the run that the model chooses. */
	if (align != 0 || tap_below(8))
		return true;
	EXPECT(model_best(&st->m, ext.count, 0, high, &best));
	while (free_run && !(st->m.page[free_run] & MODEL_BORDER) &&
	       st->m.page[free_run - 1] & MODEL_FREE)
		free_run--;
	EXPECT(model_next_run(&st->m, free_run, &run));
	EXPECT(run.start == best.start);
	EXPECT(high ? ext.start + ext.count == run.start + run.count :
		      ext.start == run.start);
	return true;
}

/* Allocate @pages pages if the granule is one page, else a random number. */
static bool step_alloc(struct state *st, u32 pages)
{
	struct vnpu_allocator_req req = {
		.granule_order = st->mix->granule[tap_below(4)],
		.flags = tap_below(4),
	};
	struct vnpu_extent ext, best;
	int err;

	if (!pages)
		pages = tap_log_uniform(st->mix->max_order) <<
			req.granule_order;
	else
		pages &= ~((1U << req.granule_order) - 1);
	if (!pages)
		return true;
	req.pages = pages;
	if (req.flags & VNPU_ALLOC_CONTIGUOUS && !tap_below(3))
		req.align_order = tap_below(12);

	err = vnpu_allocator_alloc(st->a, &req, &ext);
	while (err == -EAGAIN) {
		req.resume = ext.start;
		err = vnpu_allocator_alloc(st->a, &req, &ext);
	}
	if (!err) {
		EXPECT(right_extent(st, &req, ext));
		EXPECT(model_take(&st->m, ext));
		return true;
	}

	EXPECT(err == -ENOSPC);
	if (req.flags & VNPU_ALLOC_CONTIGUOUS) {
		u32 align = max(req.align_order, req.granule_order);

		EXPECT(!model_best(&st->m, req.pages, align, false, &best));
	} else {
		EXPECT(!model_largest(&st->m, req.granule_order));
	}
	return true;
}

/* Free all of an extent, or only its head, its tail or its middle. */
static bool step_free(struct state *st)
{
	u32 i = tap_below(st->m.nr_live);
	struct vnpu_extent *live = &st->m.live[i];
	struct vnpu_extent ext = *live;
	bool dirty = tap_below(2);

	if (!tap_below(3)) {
		u32 cut = tap_below(ext.count);

		ext.start += cut;
		ext.count -= cut;
		ext.count -= tap_below(ext.count);
	}
	EXPECT(!vnpu_allocator_free(st->a, ext, dirty));
	model_give(&st->m, ext, dirty);
	if (!tap_below(4))
		EXPECT(vnpu_allocator_free(st->a, ext, dirty) == -EINVAL);

	/* Keep the rest of the extent as zero, one or two live extents. */
	if (ext.start + ext.count < live->start + live->count) {
		struct vnpu_extent rest = {
			.start = ext.start + ext.count,
			.count = live->start + live->count -
				 (ext.start + ext.count),
		};

		live->count = ext.start - live->start;
		EXPECT(model_take(&st->m, rest));
		live = &st->m.live[i];
	} else {
		live->count = ext.start - live->start;
	}
	if (!live->count)
		*live = st->m.live[--st->m.nr_live];

	/* Sometimes reallocate at once, to hit the extent freed last. */
	return tap_below(3) || step_alloc(st, ext.count);
}

/* Free a random range, which must fail unless the model allows it. */
static bool step_foreign(struct state *st)
{
	struct vnpu_extent ext = {
		.start = tap_below(st->m.pages + 600),
		.count = tap_log_uniform(12) - 1,
	};

	if (model_may_free(&st->m, ext))
		return true;
	EXPECT(vnpu_allocator_free(st->a, ext, tap_below(2)) == -EINVAL);
	return true;
}

/* Claim a range that is mostly free, but sometimes reaches beyond the run. */
static bool step_claim(struct state *st)
{
	struct vnpu_extent ext, run;
	bool is_free, is_inside;

	if (!vnpu_allocator_next_free_run(st->a, tap_below(st->m.pages), &run))
		return true;
	ext.start = run.start + tap_below(run.count);
	ext.count = 1 + tap_below(run.start + run.count - ext.start);
	if (!tap_below(3))
		ext.count = tap_log_uniform(10);
	if (!tap_below(8))
		ext.start -= min(ext.start, tap_below(8));

	is_free = model_all_free(&st->m, ext);
	is_inside = model_is_inside(&st->m, ext);
	EXPECT(vnpu_allocator_claim(st->a, ext) ==
	       (is_free ? 0 : is_inside ? -EBUSY : -EINVAL));
	if (is_free)
		EXPECT(model_take(&st->m, ext));
	return true;
}

static bool step_clean(struct state *st)
{
	struct vnpu_extent ext, got, want;
	bool more;

	if (st->m.nr_live && tap_below(4))
		ext = st->m.live[tap_below(st->m.nr_live)];
	else if (!vnpu_allocator_next_free_run(st->a, tap_below(st->m.pages), &ext))
		return true;

	more = model_next_dirty(&st->m, ext, &want);
	EXPECT(vnpu_allocator_next_dirty(st->a, ext, &got) == more);
	if (more)
		EXPECT(got.start == want.start && got.count == want.count);

	if (tap_below(4)) {
		vnpu_allocator_set_clean(st->a, ext);
		model_clean(&st->m, ext);
		EXPECT(!vnpu_allocator_next_dirty(st->a, ext, &got));
	} else if (more) {
		vnpu_allocator_set_clean(st->a, got);
		model_clean(&st->m, got);
	}
	return true;
}

/* Clear free memory in advance, in a few steps or until none is left. */
static bool step_clear(struct state *st)
{
	u32 most = 1 + tap_below(64);
	u32 left = tap_below(4);
	struct vnpu_extent ext;
	bool more;

	do {
		more = vnpu_allocator_next_to_clear(st->a, most, &ext);
		EXPECT(more == vnpu_allocator_has_to_clear(st->a));
		if (!ext.count)
			continue;
		EXPECT(ext.count <= most);
		EXPECT(model_all_free(&st->m, ext));
		EXPECT(model_all_dirty(&st->m, ext));
		vnpu_allocator_set_clean(st->a, ext);
		model_clean(&st->m, ext);
	} while (more && (!left || --left));
	EXPECT(more || model_none_to_clear(&st->m));
	return true;
}

static bool step(struct state *st)
{
	u32 what = tap_below(100);
	u32 used = 100 - (u64)vnpu_allocator_free_pages(st->a, 0) * 100 /
			 st->m.pages;

	if (what < 4)
		return step_foreign(st);
	if (what < 12)
		return step_clean(st);
	if (what < 16)
		return step_claim(st);
	if (what < 18)
		return step_clear(st);
	if (st->m.nr_live && (used > st->mix->fill ? what < 75 : what < 45))
		return step_free(st);
	return step_alloc(st, 0);
}

static bool run_mix(const struct mix *mix)
{
	struct state st = { .mix = mix };
	unsigned long i;
	bool ok = true;
	u32 n;

	st.a = vnpu_allocator_create(mix->segs, mix->nr_segs, mix->dirty);
	EXPECT(!IS_ERR(st.a));
	ok = model_init(&st.m, mix->segs, mix->nr_segs, mix->dirty);

	for (i = 0; ok && i < mix->steps; i++) {
		ok = step(&st);
		if (ok && i % mix->check_every == 0)
			ok = check_all(&st);
		if (!ok)
			tap_note("at step %lu", i);
	}

	/* Free everything in random order: one run per segment must remain. */
	while (ok && st.m.nr_live) {
		n = tap_below(st.m.nr_live);
		ok = !vnpu_allocator_free(st.a, st.m.live[n], false);
		model_give(&st.m, st.m.live[n], false);
		st.m.live[n] = st.m.live[--st.m.nr_live];
	}
	if (ok) {
		struct vnpu_allocator_stats s;

		vnpu_allocator_get_stats(st.a, &s);
		ok = check_all(&st) && s.free == s.total &&
		     s.runs == mix->nr_segs;
	}
	vnpu_allocator_destroy(st.a);
	model_fini(&st.m);
	return ok;
}

bool test_random_one_frame(void)
{
	static const struct vnpu_extent seg = { 0, 512 };
	struct mix mix = {
		.segs = &seg,
		.nr_segs = 1,
		.max_order = 7,
		.fill = 70,
		.steps = tap_steps / 2,
		.check_every = 64,
	};

	return run_mix(&mix);
}

bool test_random_segments(void)
{
	/* Segments that are apart, that touch, of one frame and of several. */
	static const struct vnpu_extent segs[] = {
		{ 512, 1024 }, { 1536, 512 }, { 3072, 1536 }, { 4608, 512 },
	};
	struct mix mix = {
		.segs = segs,
		.nr_segs = ARRAY_SIZE(segs),
		.dirty = true,
		.max_order = 11,
		.fill = 75,
		.steps = tap_steps / 3,
		.check_every = 128,
	};

	return run_mix(&mix);
}

bool test_random_granules(void)
{
	static const struct vnpu_extent segs[] = {
		{ 0, 10 * 512 }, { 12 * 512, 7 * 512 },
	};
	struct mix mix = {
		.segs = segs,
		.nr_segs = ARRAY_SIZE(segs),
		.dirty = true,
		.max_order = 4,
		.fill = 60,
		.granule = { 0, 0, 9, 9 },
		.steps = tap_steps / 8,
		.check_every = 256,
	};

	return run_mix(&mix);
}

bool test_random_giants(void)
{
	static const struct vnpu_extent segs[] = {
		{ 512, (1 << 20) - 512 }, { 1 << 20, (1 << 19) + 512 },
	};
	struct mix mix = {
		.segs = segs,
		.nr_segs = ARRAY_SIZE(segs),
		.max_order = 2,
		.fill = 50,
		.granule = { 0, 9, 18, 18 },
		.steps = min(tap_steps / 1000, 2000UL),
		.check_every = 64,
	};

	return run_mix(&mix);
}

/* Keep the arena nearly full, so that allocations take the fallback paths. */
bool test_random_exhausted(void)
{
	static const struct vnpu_extent segs[] = {
		{ 0, 1024 }, { 1024, 1024 },
	};
	struct mix mix = {
		.segs = segs,
		.nr_segs = ARRAY_SIZE(segs),
		.max_order = 9,
		.fill = 97,
		.steps = tap_steps / 4,
		.check_every = 64,
	};

	return run_mix(&mix);
}
