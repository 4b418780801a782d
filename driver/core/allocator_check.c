// SPDX-License-Identifier: GPL-2.0-only
/*
 * Consistency check of the extent allocator. All state that core/allocator.c
 * keeps follows from the free bits, the dirty bits and the segments; the check
 * derives it again in the simplest way and compares.
 */
#include "allocator_private.h"

/* Totals of a walk over all free runs. */
struct tally {
	u32 free;
	u32 dirty;
	u32 blocks[VNPU_ALLOCATOR_ORDERS];
	u32 runs[VNPU_PAGE_CLASSES];
	u32 largest[VNPU_PAGE_CLASSES];
};

static u32 granule_start(u32 page, u32 order)
{
	return (page >> order) + !!(page & ((1U << order) - 1));
}

static bool check_tags(const struct vnpu_allocator *a, u32 start, u32 end)
{
	u32 first = vnpu_frame_of(start);
	u32 last = vnpu_frame_of(end - 1);

	if (end >= (first + 1) << VNPU_FRAME_ORDER &&
	    a->frames[first].end != end)
		return false;
	return start > last << VNPU_FRAME_ORDER ||
	       a->frames[last].begin == start;
}

/* Update the longest runs; these include the extent freed last. */
static void tally_largest(struct tally *t, u32 start, u32 end)
{
	u32 class;

	for (class = 0; class < VNPU_PAGE_CLASSES; class++) {
		u32 first = granule_start(start, class_order(class));
		u32 stop = end >> class_order(class);

		if (stop > first)
			t->largest[class] = max(t->largest[class],
						(stop - first) <<
						class_order(class));
	}
}

static bool check_classes(const struct vnpu_allocator *a, u32 start, u32 end,
			  struct tally *t)
{
	u32 class;

	for (class = 0; class < VNPU_PAGE_CLASSES; class++) {
		const struct vnpu_runs *r = &a->runs[class];
		u32 first = granule_start(start, class_order(class));
		u32 stop = end >> class_order(class);
		u32 n = stop - first;
		u32 o;

		if (stop <= first)
			continue;
		if (!vnpu_runs_has(r, first, n))
			return false;
		o = fls64(n) - 1;
		if (o >= r->located && r->order[o].page[first >> o] != start)
			return false;
		t->runs[class]++;
	}
	return true;
}

static bool check_run(const struct vnpu_allocator *a, u32 start, u32 end,
		      struct tally *t)
{
	u32 k;

	if (start == end)
		return true;
	for (k = 1; k < VNPU_ALLOCATOR_ORDERS; k++) {
		u32 first = granule_start(start, k);

		if (end >> k > first)
			t->blocks[k] += (end >> k) - first;
	}
	return check_tags(a, start, end) && check_classes(a, start, end, t);
}

/* Check that each frame's count is the weight of its words, unless stale. */
static bool check_map(const struct vnpu_pagemap *map, u32 frames)
{
	u32 frame, i, sum;

	for (frame = 0; frame < frames; frame++) {
		u32 count = vnpu_pagemap_count(map, frame);
		const u64 *words = &map->bits[frame * VNPU_FRAME_WORDS];

		if (map->count[frame] & VNPU_FRAME_STALE) {
			if (count && count != VNPU_FRAME_PAGES)
				return false;
			continue;
		}
		for (sum = 0, i = 0; i < VNPU_FRAME_WORDS; i++)
			sum += hweight64(words[i]);
		if (sum != count)
			return false;
	}
	return true;
}

/* Check that a summary bit is set exactly if the word below it is not zero. */
static bool check_set(const struct vnpu_bitset *set)
{
	u32 l;

	if (!set->levels)
		return true;

	for (l = 0; l + 1 < set->levels; l++) {
		const u64 *word = set->level[l];
		const u64 *stop = set->level[l + 1];
		u32 i;

		for (i = 0; word + i < stop - 1; i++)
			if (!!word[i] != (set->level[l + 1][i >> 6] >>
					  (i & 63) & 1))
				return false;
		if (word[i])
			return false;
	}
	return !set->level[0][set->words - 1];
}

/* Check that the index holds exactly as many runs as were found. */
static bool check_runs(const struct vnpu_runs *r, u32 runs)
{
	struct vnpu_runs_hit hit;
	u32 n = 0;
	bool more;

	if (r->count != runs || !check_set(&r->set))
		return false;
	if (!r->units)
		return !runs;
	for (more = vnpu_runs_find(r, 1, false, &hit); more;
	     more = vnpu_runs_next(r, &hit))
		n++;
	return n == runs;
}

bool vnpu_allocator_check(const struct vnpu_allocator *a)
{
	u32 frames = vnpu_frame_of(a->pages);
	const struct vnpu_run *recent = &a->recent;
	struct vnpu_extent run;
	struct tally t = {};
	u32 from = 0;
	u32 i;

	if (!check_map(&a->free, frames) || !check_map(&a->dirty, frames))
		return false;
	if (vnpu_allocator_has_to_clear(a) && a->to_clear.end > a->pages)
		return false;

	while (vnpu_allocator_next_free_run(a, from, &run)) {
		u32 start = run.start;

		from = start + run.count;
		t.free += run.count;
		t.dirty += vnpu_pagemap_weight(&a->dirty, start, run.count);
		tally_largest(&t, start, from);
		if (recent->start < recent->end && start <= recent->start &&
		    recent->end <= from) {
			if (!check_run(a, start, recent->start, &t))
				return false;
			start = recent->end;
		}
		if (!check_run(a, start, from, &t))
			return false;
	}

	if (vnpu_pagemap_weight(&a->free, 0, a->pages) !=
	    a->nr_free - (recent->end - recent->start))
		return false;
	if (t.free != a->nr_free || t.dirty != a->nr_dirty ||
	    memcmp(t.blocks, a->blocks, sizeof(t.blocks)))
		return false;
	for (i = 0; i < VNPU_PAGE_CLASSES; i++)
		if (!check_runs(&a->runs[i], t.runs[i]) ||
		    vnpu_allocator_largest(a, class_order(i)) != t.largest[i])
			return false;
	return true;
}

size_t vnpu_allocator_metadata(const struct vnpu_allocator *a)
{
	size_t frames = vnpu_frame_of(a->pages);
	size_t size = sizeof(*a) + frames * sizeof(*a->frames);
	u32 i;

	size += 2 * frames * (VNPU_FRAME_WORDS * sizeof(u64) + sizeof(u16));
	for (i = 0; i < VNPU_PAGE_CLASSES; i++)
		size += a->runs[i].set.words * sizeof(u64) +
			a->runs[i].words * sizeof(u32);
	return size;
}
