// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extent allocator: pages to clear before another client may see them.
 *
 * A page can be cleared while it is free, by any caller that has the time. The
 * dirty state is separate from the free state, so clearing does not change
 * where later requests are placed.
 */
#include "allocator_private.h"

/* Number of frames searched per call: 1 GiB. */
#define CLEAR_FRAMES	512

bool vnpu_allocator_next_dirty(const struct vnpu_allocator *a, struct vnpu_extent ext,
			       struct vnpu_extent *out)
{
	u32 end = ext.start + ext.count;

	if (!in_segment(a, ext))
		return false;
	out->start = vnpu_pagemap_next(&a->dirty, ext.start, end, true);
	out->count = vnpu_pagemap_next(&a->dirty, out->start, end, false) -
		     out->start;
	return out->count;
}

void vnpu_allocator_set_clean(struct vnpu_allocator *a, struct vnpu_extent ext)
{
	struct vnpu_extent dirty;

	vnpu_allocator_merge_recent(a);
	while (vnpu_allocator_next_dirty(a, ext, &dirty)) {
		a->nr_dirty -= vnpu_pagemap_weight(&a->free, dirty.start,
						   dirty.count);
		vnpu_pagemap_clear(&a->dirty, dirty.start, dirty.count);
		ext.count -= dirty.start + dirty.count - ext.start;
		ext.start = dirty.start + dirty.count;
	}
}

bool vnpu_allocator_has_to_clear(const struct vnpu_allocator *a)
{
	return a->to_clear.start < a->to_clear.end;
}

/* Return the first pages of [@start, @end) that are free and dirty, if any. */
static struct vnpu_extent dirty_and_free(const struct vnpu_allocator *a, u32 start,
					 u32 end)
{
	struct vnpu_extent ext = { end, 0 };

	while (start < end && !ext.count) {
		u32 stop;

		start = vnpu_pagemap_next(&a->dirty, start, end, true);
		stop = vnpu_pagemap_next(&a->dirty, start, end, false);
		ext.start = vnpu_pagemap_next(&a->free, start, stop, true);
		ext.count = vnpu_pagemap_next(&a->free, ext.start, stop, false) -
			    ext.start;
		start = stop;
	}
	return ext;
}

bool vnpu_allocator_next_to_clear(struct vnpu_allocator *a, u32 most,
				  struct vnpu_extent *out)
{
	struct vnpu_run *run = &a->to_clear;
	u32 left = CLEAR_FRAMES;

	vnpu_allocator_merge_recent(a);
	*out = (struct vnpu_extent){ 0, 0 };
	while (run->start < run->end && left-- && !out->count) {
		u32 stop = min(run->end, (run->start | VNPU_FRAME_MASK) + 1);

		*out = dirty_and_free(a, run->start, stop);
		out->count = min(out->count, most);
		run->start = out->count ? out->start + out->count : stop;
	}
	if (run->start >= run->end)
		*run = VNPU_NO_RUN;
	return vnpu_allocator_has_to_clear(a);
}
