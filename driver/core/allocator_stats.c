// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extent allocator: statistics.
 *
 * All numbers are kept up to date as runs change, or are read from the indexes;
 * nothing here scans the arena.
 */
#include "allocator_private.h"

/*
 * Statistics treat the extent freed last as merged. They must not merge it
 * themselves, as they only read the allocator.
 */
static bool recent_change(const struct vnpu_allocator *a, struct change *c)
{
	if (a->recent.start == a->recent.end)
		return false;
	*c = merge_change(a, a->recent.start, a->recent.end);
	return true;
}

u32 vnpu_allocator_largest(const struct vnpu_allocator *a, u8 granule_order)
{
	u32 class = class_of(granule_order);
	struct vnpu_runs_hit hit;
	struct change c;
	u32 largest = 0;
	struct vnpu_run g;

	if (class == VNPU_PAGE_CLASSES)
		return 0;
	if (vnpu_runs_longest(&a->runs[class], &hit))
		largest = hit.length;
	if (recent_change(a, &c)) {
		g = cut_to_granules(c.whole.start, c.whole.end, granule_order);
		largest = max(largest, g.end - g.start);
	}
	return largest << granule_order;
}

u32 vnpu_allocator_free_pages(const struct vnpu_allocator *a, u8 order)
{
	u32 blocks[VNPU_ALLOCATOR_ORDERS];
	struct change c;

	if (order >= VNPU_ALLOCATOR_ORDERS)
		return 0;
	if (!order)
		return a->nr_free;
	if (!recent_change(a, &c))
		return a->blocks[order] << order;
	memcpy(blocks, a->blocks, sizeof(blocks));
	change_blocks(blocks, &c);
	return blocks[order] << order;
}

u32 vnpu_allocator_dirty_pages(const struct vnpu_allocator *a)
{
	return a->nr_dirty;
}

void vnpu_allocator_get_stats(const struct vnpu_allocator *a,
			      struct vnpu_allocator_stats *s)
{
	struct change c;
	u32 i;

	s->total = a->total;
	s->free = a->nr_free;
	s->dirty = a->nr_dirty;
	s->runs = a->runs[0].count;
	for (i = 0; i < VNPU_PAGE_CLASSES; i++)
		s->largest_class[i] = vnpu_allocator_largest(a, class_order(i));
	s->largest = s->largest_class[0];

	memcpy(s->free_blocks, a->blocks, sizeof(a->blocks));
	s->free_blocks[0] = a->nr_free;
	if (recent_change(a, &c)) {
		change_blocks(s->free_blocks, &c);
		s->runs += 1 - (c.whole.start < c.start) -
			   (c.end < c.whole.end);
	}
	/*
	 * Two adjacent blocks that form one of the next order count as that
	 * one.
	 */
	for (i = 0; i < VNPU_ALLOCATOR_ORDERS - 1; i++)
		s->free_blocks[i] -= 2 * s->free_blocks[i + 1];
}
