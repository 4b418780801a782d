/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of arena pages: allocate, clear and free them. */
#ifndef VNPU_PAGES_H
#define VNPU_PAGES_H

#include <linux/types.h>

#include <linux/vnpu.h>

#include "core/allocator.h"

struct vnpu_device;

/*
 * Maximum number of extents to allocate or free under one hold of the device's
 * lock, see vnpu_pages_is_batch_over(). Between two holds, other allocations
 * get their turn.
 */
#define VNPU_PAGES_BATCH	64

/* The same, if another thread wants the lock or the processor. */
#define VNPU_PAGES_BATCH_MIN	4

/**
 * struct vnpu_pages_part - one extent of a list of several
 * @ext: the extent
 * @end: number of pages of this extent and all extents before it
 */
struct vnpu_pages_part {
	struct vnpu_extent ext;
	u32 end;
};

/**
 * struct vnpu_pages - an ordered list of pages of an arena
 * @nr: number of extents
 * @room: number of extents that the list can hold
 * @clean: true if no page was dirty when it was allocated; if false, some may
 *	have been
 * @one: the extent, if @room is 1, which is enough for most lists
 * @many: the extents, if @room is more than 1
 */
struct vnpu_pages {
	u32 nr;
	u32 room : 31;
	u32 clean : 1;
	union {
		struct vnpu_extent one;
		struct vnpu_pages_part *many;
	};
};

/**
 * struct vnpu_pages_req - a request for pages
 * @count: number of pages, a multiple of 1 << @order
 * @order: order of the page class
 * @align_order: order of the alignment of a contiguous run
 * @contiguous: true to allocate all pages in one extent
 * @resume: 0; used by vnpu_pages_find(), see struct vnpu_allocator_req
 */
struct vnpu_pages_req {
	u32 count;
	u32 resume;
	u8 order;
	u8 align_order;
	bool contiguous;
};

int vnpu_pages_init_gfp(struct vnpu_pages *pages, u32 room, gfp_t gfp);
int vnpu_pages_init(struct vnpu_pages *pages, u32 room);
void vnpu_pages_fini(struct vnpu_pages *pages);
void vnpu_pages_add(const struct vnpu_device *dev, struct vnpu_pages *pages,
		    struct vnpu_extent ext);
u32 vnpu_pages_index(const struct vnpu_pages *pages, u32 page);

bool vnpu_pages_is_batch_over(struct vnpu_device *dev, unsigned int done);
u32 vnpu_pages_spare_locked(const struct vnpu_device *dev);
u32 vnpu_pages_limit_locked(const struct vnpu_device *dev, u32 pages,
			    unsigned int order);
void vnpu_pages_get_stats_locked(const struct vnpu_device *dev,
				 struct vnpu_allocator_stats *stats);

int vnpu_pages_find(struct vnpu_device *dev, const struct vnpu_pages_req *req,
		    struct vnpu_pages *pages,
		    int (*taken)(struct vnpu_device *dev, void *arg),
		    void *arg);
void vnpu_pages_free_locked(struct vnpu_device *dev, struct vnpu_extent ext,
			    bool dirty);
void vnpu_pages_give_back(struct vnpu_device *dev, struct vnpu_pages *pages);
bool vnpu_pages_give_back_some_locked(struct vnpu_device *dev,
				      struct vnpu_pages *pages, u32 start,
				      u32 end);
int vnpu_pages_clear(struct vnpu_device *dev, const struct vnpu_pages *pages);

static inline u64 vnpu_pages_to_bytes(u64 pages)
{
	return pages << VNPU_PAGE_SHIFT;
}

static inline struct vnpu_extent
vnpu_pages_extent(const struct vnpu_pages *pages, u32 i)
{
	return pages->room == 1 ? pages->one : pages->many[i].ext;
}

/* Return the number of pages before an extent. */
static inline u32 vnpu_pages_before(const struct vnpu_pages *pages, u32 i)
{
	return i ? pages->many[i - 1].end : 0;
}

static inline u32 vnpu_pages_count(const struct vnpu_pages *pages)
{
	if (pages->room != 1)
		return vnpu_pages_before(pages, pages->nr);
	return pages->nr ? pages->one.count : 0;
}

#endif
