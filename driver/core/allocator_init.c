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

void vnpu_allocator_destroy(struct vnpu_allocator *b)
{
	u32 class;

	if (!b)
		return;
	kvfree(b->frames);
	for (class = 0; class < VNPU_PAGE_CLASSES; class++)
		vnpu_runs_fini(&b->runs[class]);
	vnpu_pagemap_fini(&b->dirty);
	vnpu_pagemap_fini(&b->free);
	kvfree(b);
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

static int allocator_init(struct vnpu_allocator *b, const struct vnpu_extent *segs,
			  u32 nr_segs)
{
	u32 frames, class;
	int err;

	b->pages = segs[nr_segs - 1].start + segs[nr_segs - 1].count;
	frames = frame_of(b->pages);

	b->frames = kvcalloc(frames, sizeof(*b->frames), GFP_KERNEL);
	if (!b->frames)
		return -ENOMEM;

	err = vnpu_pagemap_init(&b->free, frames);
	if (err)
		return err;
	err = vnpu_pagemap_init(&b->dirty, frames);
	if (err)
		return err;

	for (class = 0; class < VNPU_PAGE_CLASSES; class++) {
		if (!(b->pages >> class_order(class)))
			break;
		err = vnpu_runs_init(&b->runs[class],
				     b->pages >> class_order(class),
				     class ? 0 : LOCATED_ORDER);
		if (err)
			return err;
	}
	return 0;
}

struct vnpu_allocator *vnpu_allocator_create(const struct vnpu_extent *segs,
					     u32 nr_segs, bool dirty)
{
	struct vnpu_allocator *b;
	u32 frame, i;
	int err;

	if (!segs_valid(segs, nr_segs))
		return ERR_PTR(-EINVAL);

	b = kvzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return ERR_PTR(-ENOMEM);
	err = allocator_init(b, segs, nr_segs);
	if (err) {
		vnpu_allocator_destroy(b);
		return ERR_PTR(err);
	}

	for (i = 0; i < nr_segs; i++) {
		u32 start = segs[i].start;
		u32 end = start + segs[i].count;

		frame = frame_of(start);
		for (; frame < frame_of(end); frame++) {
			b->frames[frame].seg_start = start;
			b->frames[frame].seg_end = end;
		}
		b->recent = (struct vnpu_run){ start, end };
		vnpu_allocator_merge_recent(b);
		b->total += end - start;
		if (dirty)
			vnpu_pagemap_set(&b->dirty, start, end - start);
	}
	b->to_clear = VNPU_NO_RUN;
	b->nr_free = b->total;
	b->nr_dirty = dirty ? b->total : 0;
	return b;
}
