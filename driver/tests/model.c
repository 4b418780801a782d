// SPDX-License-Identifier: GPL-2.0-only
/* Naive model of an arena. See model.h. */
#include "model.h"

bool model_init(struct model *m, const struct vnpu_extent *segs, u32 nr,
		bool dirty)
{
	u32 i;

	m->pages = segs[nr - 1].start + segs[nr - 1].count;
	m->page = kvcalloc(m->pages, 1, GFP_KERNEL);
	m->nr_live = 0;
	m->max_live = 64;
	m->live = kvcalloc(m->max_live, sizeof(*m->live), GFP_KERNEL);
	if (!m->page || !m->live)
		return false;
	for (i = 0; i < nr; i++) {
		memset(m->page + segs[i].start,
		       MODEL_PRESENT | MODEL_FREE | (dirty ? MODEL_DIRTY : 0),
		       segs[i].count);
		m->page[segs[i].start] |= MODEL_BORDER;
	}
	return true;
}

void model_fini(struct model *m)
{
	kvfree(m->page);
	kvfree(m->live);
}

bool model_next_run(const struct model *m, u32 from, struct vnpu_extent *run)
{
	u32 p = from;

	while (p < m->pages && !(m->page[p] & MODEL_FREE))
		p++;
	if (p == m->pages)
		return false;
	run->start = p++;
	while (p < m->pages &&
	       (m->page[p] & (MODEL_FREE | MODEL_BORDER)) == MODEL_FREE)
		p++;
	run->count = p - run->start;
	return true;
}

static u64 next_multiple(u64 x, u32 order)
{
	u64 mask = (1ULL << order) - 1;

	return (x + mask) & ~mask;
}

bool model_best(const struct model *m, u32 pages, u32 align, bool high,
		struct vnpu_extent *best)
{
	struct vnpu_extent run = {};
	bool found = false;

	while (model_next_run(m, run.start + run.count, &run)) {
		u64 at = next_multiple(run.start, align);

		if (at + pages > (u64)run.start + run.count)
			continue;
		if (!found || run.count < best->count ||
		    (high && run.count == best->count))
			*best = run;
		found = true;
	}
	return found;
}

u32 model_largest(const struct model *m, u32 order)
{
	struct vnpu_extent run = {};
	u32 largest = 0;

	while (model_next_run(m, run.start + run.count, &run)) {
		u64 low = next_multiple(run.start, order);
		u64 high = (u64)(run.start + run.count) >> order << order;

		if (high > low && high - low > largest)
			largest = high - low;
	}
	return largest;
}

void model_stats(const struct model *m, struct vnpu_allocator_stats *s)
{
	static const u8 class_order[] = { 0, 9, 18 };
	struct vnpu_extent run = {};
	u32 p, i;

	memset(s, 0, sizeof(*s));
	for (p = 0; p < m->pages; p++) {
		s->total += !!(m->page[p] & MODEL_PRESENT);
		s->free += !!(m->page[p] & MODEL_FREE);
		s->dirty += (m->page[p] & (MODEL_FREE | MODEL_DIRTY)) ==
			    (MODEL_FREE | MODEL_DIRTY);
	}
	while (model_next_run(m, run.start + run.count, &run)) {
		u32 at = run.start;
		u32 end = run.start + run.count;

		s->runs++;
		/* Cut the run into aligned blocks, as a buddy system would. */
		while (at < end) {
			u32 k = VNPU_ALLOCATOR_ORDERS - 1;

			while (at & ((1U << k) - 1) || (1U << k) > end - at)
				k--;
			s->free_blocks[k]++;
			at += 1U << k;
		}
	}
	for (i = 0; i < VNPU_PAGE_CLASSES; i++)
		s->largest_class[i] = model_largest(m, class_order[i]);
	s->largest = s->largest_class[0];
}

bool model_is_inside(const struct model *m, struct vnpu_extent ext)
{
	u32 i;

	if (!ext.count || ext.count > m->pages ||
	    ext.start > m->pages - ext.count)
		return false;
	for (i = 0; i < ext.count; i++) {
		u8 page = m->page[ext.start + i];

		if (!(page & MODEL_PRESENT) || (i && page & MODEL_BORDER))
			return false;
	}
	return true;
}

static u32 count_free(const struct model *m, struct vnpu_extent ext)
{
	u32 n = 0, i;

	for (i = 0; i < ext.count; i++)
		n += !!(m->page[ext.start + i] & MODEL_FREE);
	return n;
}

bool model_all_free(const struct model *m, struct vnpu_extent ext)
{
	return model_is_inside(m, ext) && count_free(m, ext) == ext.count;
}

bool model_may_free(const struct model *m, struct vnpu_extent ext)
{
	return model_is_inside(m, ext) && !count_free(m, ext);
}

bool model_take(struct model *m, struct vnpu_extent ext)
{
	u32 i;

	for (i = 0; i < ext.count; i++)
		m->page[ext.start + i] &= ~(MODEL_FREE | MODEL_TO_CLEAR);
	if (m->nr_live == m->max_live) {
		struct vnpu_extent *more;

		more = kvcalloc(m->max_live * 2, sizeof(*more), GFP_KERNEL);
		if (!more)
			return false;
		memcpy(more, m->live, m->nr_live * sizeof(*more));
		kvfree(m->live);
		m->live = more;
		m->max_live *= 2;
	}
	m->live[m->nr_live++] = ext;
	return true;
}

void model_give(struct model *m, struct vnpu_extent ext, bool dirty)
{
	u32 i;

	for (i = 0; i < ext.count; i++) {
		u8 *page = &m->page[ext.start + i];

		*page |= MODEL_FREE | (dirty ? MODEL_DIRTY : 0);
		if (*page & MODEL_DIRTY)
			*page |= MODEL_TO_CLEAR;
	}
}

void model_clean(struct model *m, struct vnpu_extent ext)
{
	u32 i;

	for (i = 0; i < ext.count; i++)
		m->page[ext.start + i] &= ~(MODEL_DIRTY | MODEL_TO_CLEAR);
}

bool model_next_dirty(const struct model *m, struct vnpu_extent ext,
		      struct vnpu_extent *out)
{
	u32 p = ext.start;
	u32 end = ext.start + ext.count;

	while (p < end && !(m->page[p] & MODEL_DIRTY))
		p++;
	out->start = p;
	while (p < end && m->page[p] & MODEL_DIRTY)
		p++;
	out->count = p - out->start;
	return out->count;
}

bool model_all_dirty(const struct model *m, struct vnpu_extent ext)
{
	u32 i;

	for (i = 0; i < ext.count; i++)
		if (!(m->page[ext.start + i] & MODEL_DIRTY))
			return false;
	return true;
}

bool model_none_to_clear(const struct model *m)
{
	u32 p;

	for (p = 0; p < m->pages; p++)
		if (m->page[p] & MODEL_TO_CLEAR)
			return false;
	return true;
}
