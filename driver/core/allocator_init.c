// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extent allocator: creation and destruction, which alone allocate and free
 * memory.
 */
#include "allocator_private.h"

/*
 * The start of a run shorter than a word is found from the word it starts in.
 */
#define LOCATED_ORDER	6

void vnpu_allocator_destroy(struct vnpu_allocator *a)
{
	u32 class;

	if (!a)
		return;
	kvfree(a->frames);
	for (class = 0; class < VNPU_PAGE_CLASSES; class++)
		vnpu_runs_fini(&a->runs[class]);
	vnpu_pagemap_fini(&a->dirty);
	vnpu_pagemap_fini(&a->free);
	kvfree(a);
}

static bool segs_valid(const struct vnpu_extent *segs, u32 nr_segs)
{
	u32 end = 0;
	u32 i;

	for (i = 0; i < nr_segs; i++) {
		u32 odd = segs[i].start | segs[i].count;

		if (odd & (VNPU_ALLOCATOR_SEG_PAGES - 1))
			return false;
		if (segs[i].start < end || !segs[i].count ||
		    segs[i].start > VNPU_ALLOCATOR_MAX_PAGES ||
		    segs[i].count > VNPU_ALLOCATOR_MAX_PAGES - segs[i].start)
			return false;
		end = segs[i].start + segs[i].count;
	}
	return nr_segs;
}

static int allocator_init(struct vnpu_allocator *a, const struct vnpu_extent *segs,
			  u32 nr_segs)
{
	u32 frames, class;
	int err;

	a->pages = segs[nr_segs - 1].start + segs[nr_segs - 1].count;
	frames = vnpu_frame_of(a->pages);

	a->frames = kvcalloc(frames, sizeof(*a->frames), GFP_KERNEL);
	if (!a->frames)
		return -ENOMEM;

	err = vnpu_pagemap_init(&a->free, frames);
	if (err)
		return err;
	err = vnpu_pagemap_init(&a->dirty, frames);
	if (err)
		return err;

	for (class = 0; class < VNPU_PAGE_CLASSES; class++) {
		if (!(a->pages >> class_order(class)))
			break;
		err = vnpu_runs_init(&a->runs[class],
				     a->pages >> class_order(class),
				     class ? 0 : LOCATED_ORDER);
		if (err)
			return err;
	}
	return 0;
}

struct vnpu_allocator *vnpu_allocator_create(const struct vnpu_extent *segs,
					     u32 nr_segs, bool dirty)
{
	struct vnpu_allocator *a;
	u32 frame, i;
	int err;

	if (!segs_valid(segs, nr_segs))
		return ERR_PTR(-EINVAL);

	a = kvzalloc(sizeof(*a), GFP_KERNEL);
	if (!a)
		return ERR_PTR(-ENOMEM);
	err = allocator_init(a, segs, nr_segs);
	if (err) {
		vnpu_allocator_destroy(a);
		return ERR_PTR(err);
	}

	for (i = 0; i < nr_segs; i++) {
		u32 start = segs[i].start;
		u32 end = start + segs[i].count;

		frame = vnpu_frame_of(start);
		for (; frame < vnpu_frame_of(end); frame++) {
			a->frames[frame].seg_start = start;
			a->frames[frame].seg_end = end;
		}
		a->recent = (struct vnpu_run){ start, end };
		vnpu_allocator_merge_recent(a);
		a->total += end - start;
		if (dirty)
			vnpu_pagemap_set(&a->dirty, start, end - start);
	}
	a->to_clear = VNPU_NO_RUN;
	a->nr_free = a->total;
	a->nr_dirty = dirty ? a->total : 0;
	return a;
}
