// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extent allocator for a device's arena.
 *
 * The allocator keeps the set of maximal free runs, and takes exactly the
 * requested pages from one of them. It does not divide the
 * arena into blocks: the statistics alone show free blocks per order. Blocks of
 * powers of two would waste memory on contiguous requests, have free neighbours
 * that cannot merge, and need a node per free block. The state is:
 *
 * - free: a bit per page (pagemap.c). Freeing tests it, so that no page is
 *   freed twice, and finds the free neighbours. The first and the last frame (2
 *   MiB) of a longer run record where the run ends and begins (boundary tags),
 *   so that the cost of merging does not depend on its length.
 * - runs[0]: the free runs by length (runs.c): exact best fit, lowest address
 *   first. With best fit, the smallest arena that can serve a load is close to
 *   the load's live memory; Documentation/allocator.md has the numbers.
 * - runs[1], runs[2]: the same runs cut to whole 2 MiB and 1 GiB granules, for
 *   the page classes. They change only if such a granule comes or goes.
 * - recent: the extent freed last. It is merged into all of the above only at
 *   the next operation that needs it. Programs often reallocate what they have
 *   just freed, and an exiting client frees one neighbour after the other.
 * - dirty: a second bit per page, which is not part of the free state, so that
 *   clean and dirty neighbours always merge.
 *
 * Only vnpu_allocator_create() allocates memory: at most 4 bytes per page, a
 * thousandth of the arena. Allocation and freeing are O(log n) with base 64,
 * plus one counter per 2 MiB of the extent. Nothing scans the free runs, except
 * find_aligned() in the case that it explains.
 *
 * Callers serialise; the driver uses the device's arena lock.
 */
#include "allocator_private.h"

/* Number of runs to try that may not fit once aligned. */
#define ALIGN_TRIES	8

/* Number of runs to try in one call. */
#define SCAN_TRIES	256

static inline void run_tag(struct vnpu_allocator *a, u32 start, u32 end)
{
	u32 first = vnpu_frame_of(start);
	u32 last = vnpu_frame_of(end - 1);

	if (end >= (first + 1) << VNPU_FRAME_ORDER)
		a->frames[first].end = end;
	if (start <= last << VNPU_FRAME_ORDER)
		a->frames[last].begin = start;
}

static void granules_add(struct vnpu_runs *r, struct vnpu_run g, u32 page)
{
	if (g.start < g.end)
		vnpu_runs_add(r, g.start, g.end - g.start, page);
}

static void granules_remove(struct vnpu_runs *r, struct vnpu_run g)
{
	if (g.start < g.end)
		vnpu_runs_remove(r, g.start, g.end - g.start);
}

static bool run_equal(struct vnpu_run run, struct vnpu_run other)
{
	return run.start == other.start && run.end == other.end;
}

/* Update the index of a page class; often no granule changes. */
static void change_class(struct vnpu_allocator *a, const struct change *c,
			 u32 class)
{
	struct vnpu_runs *r = &a->runs[class];
	u32 order = class_order(class);
	struct vnpu_run whole, low, high;

	whole = cut_to_granules(c->whole.start, c->whole.end, order);
	if (whole.start == whole.end)
		return;
	low = cut_to_granules(c->whole.start, c->start, order);
	high = cut_to_granules(c->end, c->whole.end, order);

	if (run_equal(low, whole))
		return;
	if (run_equal(high, whole)) {
		vnpu_runs_move(r, whole.start, whole.end - whole.start,
			       c->taken ? c->end : c->whole.start);
		return;
	}

	if (c->taken) {
		granules_remove(r, whole);
		granules_add(r, low, c->whole.start);
		granules_add(r, high, c->end);
	} else {
		granules_remove(r, low);
		granules_remove(r, high);
		granules_add(r, whole, c->whole.start);
	}
}

static inline void change_derived(struct vnpu_allocator *a, const struct change *c)
{
	u32 n = c->whole.end - c->whole.start;
	u32 class;

	change_blocks(a->blocks, c);
	for (class = 1; class < VNPU_PAGE_CLASSES; class++) {
		if (n < 1U << class_order(class))
			break;
		change_class(a, c, class);
	}
}

static inline void run_add(struct vnpu_allocator *a, u32 start, u32 end)
{
	if (start < end) {
		vnpu_runs_add(&a->runs[0], start, end - start, start);
		run_tag(a, start, end);
	}
}

static inline void run_remove(struct vnpu_allocator *a, u32 start, u32 end)
{
	if (start < end)
		vnpu_runs_remove(&a->runs[0], start, end - start);
}

static inline void merge_recent(struct vnpu_allocator *a)
{
	struct vnpu_run recent = a->recent;
	struct change c;

	if (recent.start == recent.end)
		return;
	vnpu_pagemap_fill(&a->free, recent.start, recent.end - recent.start);
	c = merge_change(a, recent.start, recent.end);
	run_remove(a, c.whole.start, c.start);
	run_remove(a, c.end, c.whole.end);
	run_add(a, c.whole.start, c.whole.end);
	change_derived(a, &c);
	a->recent.end = recent.start;
}

void vnpu_allocator_merge_recent(struct vnpu_allocator *a)
{
	merge_recent(a);
}

/* Take [start, end) out of the free run @whole. */
static inline void split(struct vnpu_allocator *a, struct vnpu_run whole, u32 start,
			 u32 end)
{
	struct change c = {
		.whole = whole,
		.start = start,
		.end = end,
		.taken = true,
	};

	run_remove(a, whole.start, whole.end);
	run_add(a, whole.start, start);
	run_add(a, end, whole.end);
	change_derived(a, &c);
	vnpu_pagemap_drain(&a->free, start, end - start);
}

/* Convert a run found in an index to pages. */
static inline struct vnpu_run locate(const struct vnpu_allocator *a, u32 class,
				     const struct vnpu_runs_hit *hit)
{
	const struct vnpu_runs *r = &a->runs[class];
	struct vnpu_run run;
	u32 last;

	if (hit->order >= r->located) {
		run.start = r->order[hit->order].page[hit->window];
	} else {
		/* The word, the window and the frame share their end. */
		last = ((hit->window + 1) << hit->order) - 1;
		run.start = max(vnpu_pagemap_begin(&a->free, last),
				hit->window << hit->order);
	}
	run.end = class ? a->frames[vnpu_frame_of(run.start)].end :
			  run.start + hit->length;
	return run;
}

/* Find where @pages fit into @run at an alignment; false if they do not. */
static inline bool fit(struct vnpu_run run, u32 pages, u32 align, bool high,
		       u32 *start)
{
	u32 low = round_up_order(run.start, align);
	u32 top;

	if (low < run.start || low > run.end || run.end - low < pages)
		return false;
	top = round_down_order(run.end - pages, align);
	*start = high ? top : low;
	return true;
}

/*
 * Find a free run for an aligned request.
 *
 * The index knows the length of a run, but not how much the alignment costs. A
 * run that is longer than the request by the alignment always fits; a shorter
 * one may fit. So try in this order:
 *
 * 1. the ALIGN_TRIES shortest runs: the best fit if extents keep to a common
 *    alignment;
 * 2. the shortest run that always fits;
 * 3. every other run that may fit, so that no request fails that could succeed.
 *    This walks free runs of about the requested size, and happens only when
 *    memory is nearly exhausted. It tries SCAN_TRIES runs for each call.
 *
 * @start is the position in the index from which to resume the search, or 0.
 * The page classes have indexes of their own and never come here.
 */
static int find_aligned(const struct vnpu_allocator *a, u32 pages, u32 align,
			bool high, struct vnpu_run *run, u32 *start)
{
	const struct vnpu_runs *r = &a->runs[0];
	struct vnpu_runs_hit hit = { .name = *start }, first;
	u32 sure = pages + (1U << align) - 1;
	u32 tries;
	bool more;

	more = *start ? vnpu_runs_next(r, &hit) :
			vnpu_runs_find(r, pages, false, &hit);
	for (tries = 0; more && tries < SCAN_TRIES; tries++) {
		if (tries == ALIGN_TRIES && !*start && sure > pages &&
		    vnpu_runs_find(r, sure, high, &first)) {
			*run = locate(a, 0, &first);
			return fit(*run, pages, align, high, start) ? 0 : -ENOSPC;
		}
		*run = locate(a, 0, &hit);
		if (fit(*run, pages, align, high, start))
			return 0;
		more = vnpu_runs_next(r, &hit);
	}
	if (!more)
		return -ENOSPC;
	*start = hit.name - 1;
	return -EAGAIN;
}

/*
 * Check if the pages can be taken from the front of the extent freed last.
 *
 * This is the shortcut for a merge followed by a search. It is valid if the
 * search would find the run that the merge creates, and if the extent begins
 * that run. The index must then hold no run from the length of the request up
 * to that run, except for the part of it that is already in the index.
 */
static inline bool recent_fits(const struct vnpu_allocator *a, u32 class, u32 pages,
			       u32 align)
{
	const struct vnpu_run *recent = &a->recent;
	u32 order = class_order(class);
	struct vnpu_run rest = { 0, 0 };
	u32 end = recent->end;

	if (recent->end - recent->start < pages ||
	    recent->start & ((1U << align) - 1) ||
	    free_before(a, recent->start))
		return false;
	if (free_behind(a, end)) {
		end = run_end(a, end);
		rest = cut_to_granules(recent->end, end, order);
	}
		/* The length does not show how much the alignment costs. */
	if (align > order && end - recent->start != pages)
		return false;
	return vnpu_runs_none_but(&a->runs[class], recent->start >> order,
				  end >> order, pages >> order, rest.start,
				  rest.end);
}

/* Split the request off a free run; fewer pages may do if not contiguous. */
static int find(struct vnpu_allocator *a, const struct vnpu_allocator_req *req,
		u32 class, u32 align, struct vnpu_run *got)
{
	bool contiguous = req->flags & VNPU_ALLOC_CONTIGUOUS;
	bool high = req->flags & VNPU_ALLOC_TOPDOWN;
	const struct vnpu_runs *r = &a->runs[class];
	u32 order = req->granule_order;
	struct vnpu_runs_hit hit;
	u32 start = req->resume;
	u32 pages = req->pages;
	struct vnpu_run run;
	int err;

	if (align > order) {
		err = find_aligned(a, pages, align, high, &run, &start);
		if (err) {
			*got = (struct vnpu_run){ start, start };
			return err;
		}
	} else {
		if (!vnpu_runs_find(r, pages >> order, high, &hit)) {
			if (contiguous || !vnpu_runs_longest(r, &hit))
				return -ENOSPC;
			pages = hit.length << order;
		}
		run = locate(a, class, &hit);
		if (!fit(run, pages, order, high, &start))
			return -ENOSPC;
	}

	split(a, run, start, start + pages);
	*got = (struct vnpu_run){ start, start + pages };
	return 0;
}

int vnpu_allocator_alloc(struct vnpu_allocator *a, const struct vnpu_allocator_req *req,
			 struct vnpu_extent *out)
{
	u32 align = req->granule_order;
	u32 class = class_of(align);
	struct vnpu_run got;
	int err;

	if (class == VNPU_PAGE_CLASSES || !req->pages ||
	    req->pages & ((1U << align) - 1) ||
	    req->flags & ~(VNPU_ALLOC_CONTIGUOUS | VNPU_ALLOC_TOPDOWN) ||
	    req->align_order > 31)
		return -EINVAL;
	if (req->flags & VNPU_ALLOC_CONTIGUOUS && req->align_order > align)
		align = req->align_order;

	if (!(req->flags & VNPU_ALLOC_TOPDOWN) &&
	    recent_fits(a, class, req->pages, align)) {
		got.start = a->recent.start;
		got.end = got.start + req->pages;
		a->recent.start = got.end;
	} else {
		merge_recent(a);
		err = find(a, req, class, align, &got);
		if (err == -EAGAIN)
			out->start = got.start;
		if (err)
			return err;
	}

	out->start = got.start;
	out->count = got.end - got.start;
	a->nr_free -= out->count;
	a->nr_dirty -= vnpu_pagemap_weight(&a->dirty, out->start, out->count);
	return 0;
}

/*
 * Return the free run that contains @page. Only the ends of a run have boundary
 * tags, so walk down to its start frame by frame.
 */
static struct vnpu_run run_around(const struct vnpu_allocator *a, u32 page)
{
	u32 frame = vnpu_frame_of(page);
	u32 first = vnpu_frame_of(a->frames[frame].seg_start);
	struct vnpu_run run;

	run.start = vnpu_pagemap_begin(&a->free, page);
	if (!(run.start & VNPU_FRAME_MASK)) {
		while (frame > first &&
		       vnpu_pagemap_count(&a->free, frame - 1) ==
		       VNPU_FRAME_PAGES)
			frame--;
		run.start = frame << VNPU_FRAME_ORDER;
		if (free_before(a, run.start))
			run.start = vnpu_pagemap_begin(&a->free, run.start - 1);
	}
	run.end = run_end(a, run.start);
	return run;
}

int vnpu_allocator_claim(struct vnpu_allocator *a, struct vnpu_extent ext)
{
	if (!in_segment(a, ext))
		return -EINVAL;
	merge_recent(a);
	if (vnpu_pagemap_weight(&a->free, ext.start, ext.count) != ext.count)
		return -EBUSY;

	split(a, run_around(a, ext.start), ext.start, ext.start + ext.count);
	a->nr_free -= ext.count;
	a->nr_dirty -= vnpu_pagemap_weight(&a->dirty, ext.start, ext.count);
	return 0;
}

/* Check if the pages to free are adjacent to the extent freed last. */
static inline bool recent_grows(const struct vnpu_allocator *a, u32 start, u32 end)
{
	const struct vnpu_run *recent = &a->recent;

	if (recent->start == recent->end)
		return false;
	if (start == recent->end)
		return start != a->frames[vnpu_frame_of(start)].seg_start;
	return end == recent->start &&
	       end != a->frames[vnpu_frame_of(end)].seg_start;
}

int vnpu_allocator_free(struct vnpu_allocator *a, struct vnpu_extent ext, bool dirty)
{
	struct vnpu_run run = { ext.start, ext.start + ext.count };
	u32 nr_dirty = ext.count;

	if (!in_segment(a, ext))
		return -EINVAL;
	if (recent_grows(a, run.start, run.end)) {
		run.start = min(run.start, a->recent.start);
		run.end = max(run.end, a->recent.end);
	} else {
		merge_recent(a);
	}
	if (vnpu_pagemap_any(&a->free, ext.start, ext.count))
		return -EINVAL;

	a->recent = run;
	a->nr_free += ext.count;
	if (dirty)
		vnpu_pagemap_set(&a->dirty, ext.start, ext.count);
	else
		nr_dirty = vnpu_pagemap_weight(&a->dirty, ext.start, ext.count);
	if (nr_dirty) {
		a->nr_dirty += nr_dirty;
		a->to_clear.start = min(a->to_clear.start, ext.start);
		a->to_clear.end = max(a->to_clear.end, ext.start + ext.count);
	}
	return 0;
}

bool vnpu_allocator_next_free_run(const struct vnpu_allocator *a, u32 from,
				  struct vnpu_extent *out)
{
	const struct vnpu_run *recent = &a->recent;
	u32 start, stop, end;

	if (from >= a->pages)
		return false;
	start = vnpu_pagemap_next(&a->free, from, a->pages, true);
	if (recent->start < recent->end && from < recent->end)
		start = min(start, max(from, recent->start));
	if (start == a->pages)
		return false;

	end = a->frames[vnpu_frame_of(start)].seg_end;
	stop = vnpu_pagemap_next(&a->free, start, end, false);
	if (recent->start <= stop && stop < recent->end)
		stop = vnpu_pagemap_next(&a->free, recent->end, end, false);
	out->start = start;
	out->count = stop - start;
	return true;
}
