// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of arena pages: allocate and free them. pages_clear.c clears them.
 */
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <linux/vnpu.h>

#include "base/device.h"
#include "pages.h"
#include "scrub.h"

/**
 * vnpu_pages_init_gfp() - initialise an empty list
 * @pages: the list
 * @room: number of extents that the list can hold, at least 1
 * @gfp: flags for the allocation of the list
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_pages_init_gfp(struct vnpu_pages *pages, u32 room, gfp_t gfp)
{
	*pages = (struct vnpu_pages){ .room = room };
	if (room == 1)
		return 0;
	pages->many = kvmalloc_array(room, sizeof(*pages->many), gfp);
	if (pages->many)
		return 0;
	pages->room = 0;
	return -ENOMEM;
}

/**
 * vnpu_pages_init() - initialise an empty list, charged to the calling task's
 *   cgroup
 * @pages: the list
 * @room: number of extents that the list can hold, at least 1
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_pages_init(struct vnpu_pages *pages, u32 room)
{
	return vnpu_pages_init_gfp(pages, room, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

/**
 * vnpu_pages_fini() - free a list, but not the pages in it
 * @pages: the list
 */
void vnpu_pages_fini(struct vnpu_pages *pages)
{
	if (pages->room > 1)
		kvfree(pages->many);
	*pages = (struct vnpu_pages){ };
}

/**
 * vnpu_pages_add() - append an extent
 * @dev: the device
 * @pages: the list, which has room
 * @ext: the extent; may be empty, then nothing is added
 *
 * An extent that starts where the last one ends is merged with it. Otherwise a
 * list would grow forever while its pages are moved piece by piece. Extents are
 * not merged across a segment border, because no extent may span two segments.
 */
void vnpu_pages_add(const struct vnpu_device *dev, struct vnpu_pages *pages,
		    struct vnpu_extent ext)
{
	if (!ext.count)
		return;
	if (pages->nr) {
		struct vnpu_extent last =
			vnpu_pages_extent(pages, pages->nr - 1);

		if (last.start + last.count == ext.start &&
		    !vnpu_arena_is_border(&dev->arena, ext.start)) {
			ext.start = last.start;
			ext.count += last.count;
			pages->nr--;
		}
	}
	if (pages->room == 1)
		pages->one = ext;
	else
		pages->many[pages->nr] = (struct vnpu_pages_part){
			ext, vnpu_pages_before(pages, pages->nr) + ext.count };
	pages->nr++;
}

/**
 * vnpu_pages_index() - find the extent that contains a page
 * @pages: the list
 * @page: number of pages before it in the list; less than the number of all
 *	pages
 *
 * Return: the index of the extent. Takes O(log n).
 */
u32 vnpu_pages_index(const struct vnpu_pages *pages, u32 page)
{
	u32 low = 0, high = pages->nr - 1;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (page < pages->many[mid].end)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/**
 * vnpu_pages_free_locked() - free pages
 * @dev: the device, with its lock held
 * @ext: the pages, allocated and no longer in use; may be empty
 * @dirty: true if the pages were written since they were allocated
 */
void vnpu_pages_free_locked(struct vnpu_device *dev, struct vnpu_extent ext,
			    bool dirty)
{
	lockdep_assert_held(&dev->lock);
	if (!ext.count)
		return;
	WARN_ON_ONCE(vnpu_allocator_free(dev->allocator, ext, dirty));
	vnpu_scrub_used_locked(dev);
}

/**
 * vnpu_pages_spare_locked() - count the free pages that are not promised
 * @dev: the device, with its lock held
 *
 * The count is 0 if fewer pages are free than are promised to allocations. This
 * can happen while a compaction temporarily holds free pages.
 */
u32 vnpu_pages_spare_locked(const struct vnpu_device *dev)
{
	u32 free = vnpu_allocator_free_pages(dev->allocator, VNPU_PAGE_ORDER_4K);

	lockdep_assert_held(&dev->lock);
	return free > dev->reserved ? free - dev->reserved : 0;
}

/**
 * vnpu_pages_limit_locked() - limit a number of free pages to those not
 *   promised
 * @dev: the device, with its lock held
 * @pages: number of free pages, in whole blocks of an order
 * @order: the order
 *
 * Return: at most @pages, in whole blocks of the order.
 */
u32 vnpu_pages_limit_locked(const struct vnpu_device *dev, u32 pages,
			    unsigned int order)
{
	return round_down(min(pages, vnpu_pages_spare_locked(dev)), 1U << order);
}

/**
 * vnpu_pages_get_stats_locked() - get the state of the arena as reported to
 *   users
 * @dev: the device, with its lock held
 * @stats: filled with the statistics
 *
 * Promised pages count as allocated. Which free blocks they will come from is
 * not known yet, so the other numbers are upper limits.
 */
void vnpu_pages_get_stats_locked(const struct vnpu_device *dev,
				 struct vnpu_allocator_stats *stats)
{
	static const u8 orders[VNPU_PAGE_CLASSES] = {
		VNPU_PAGE_ORDER_4K, VNPU_PAGE_ORDER_2M, VNPU_PAGE_ORDER_1G };
	u32 spare = vnpu_pages_spare_locked(dev);
	unsigned int i;

	vnpu_allocator_get_stats(dev->allocator, stats);
	stats->free = min(stats->free, spare);
	stats->dirty = min(stats->dirty, spare);
	stats->largest = min(stats->largest, spare);
	for (i = 0; i < VNPU_PAGE_CLASSES; i++)
		stats->largest_class[i] =
			vnpu_pages_limit_locked(dev, stats->largest_class[i],
						orders[i]);
}

/**
 * vnpu_pages_is_batch_over() - check whether to release a device's lock
 * @dev: the device, with its lock held
 * @done: number of allocator operations under this hold of the lock
 *
 * Return: true if the holder has done a whole batch, or if another thread wants
 * the lock or the processor. False before VNPU_PAGES_BATCH_MIN operations, so
 * that other threads cannot keep the holder from advancing.
 */
bool vnpu_pages_is_batch_over(struct vnpu_device *dev, unsigned int done)
{
	lockdep_assert_held(&dev->lock);
	return done >= VNPU_PAGES_BATCH ||
	       (done >= VNPU_PAGES_BATCH_MIN && vnpu_device_needs_break(dev));
}

/*
 * Allocate up to a batch; -EAGAIN if more is missing, even if the list is full, or
 * if the search for a contiguous run takes long. Then no page is allocated yet.
 * A batch of pages of a larger class does not end early, even if another thread
 * wants the lock: between two batches, other allocations can break up the pages
 * that this one counts on.
 */
static int vnpu_pages_take_some_locked(struct vnpu_device *dev,
				       struct vnpu_pages_req *req,
				       struct vnpu_pages *pages)
{
	u32 dirty = vnpu_allocator_dirty_pages(dev->allocator);
	struct vnpu_allocator_req next = {
		.pages = req->count - vnpu_pages_count(pages),
		.granule_order = req->order,
		.align_order = req->align_order,
		.flags = req->contiguous ? VNPU_ALLOC_CONTIGUOUS : 0,
		.resume = req->resume,
	};
	unsigned int i;
	int ret = 0;

	lockdep_assert_held(&dev->lock);
	vnpu_scrub_used_locked(dev);
	for (i = 0; !ret && next.pages; i++) {
		struct vnpu_extent ext;

		if (pages->nr == pages->room || i == VNPU_PAGES_BATCH ||
		    (!req->order && vnpu_pages_is_batch_over(dev, i))) {
			ret = -EAGAIN;
			break;
		}
		ret = vnpu_allocator_alloc(dev->allocator, &next, &ext);
		if (ret == -EAGAIN)
			req->resume = ext.start;
		if (!ret) {
			vnpu_pages_add(dev, pages, ext);
			next.pages -= ext.count;
		}
	}
	if (vnpu_allocator_dirty_pages(dev->allocator) != dirty)
		pages->clean = false;
	return ret;
}

/* Make room for up to @left more extents if the list is full. */
static int vnpu_pages_make_room(struct vnpu_device *dev,
				struct vnpu_pages *pages, u32 left)
{
	struct vnpu_pages_part *many, *old;
	u32 room;

	if (pages->nr < pages->room)
		return 0;
	room = min(pages->nr + left, max_t(u32, 4 * pages->room, 16));
	many = kvmalloc_array(room, sizeof(*many),
			      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!many)
		return -ENOMEM;
	/* Only the caller changes the list, so copy it without the lock. */
	old = pages->room > 1 ? pages->many : NULL;
	if (old)
		memcpy(many, old, pages->nr * sizeof(*many));
	else
		many[0] = (struct vnpu_pages_part){ pages->one,
						    pages->one.count };
	spin_lock(&dev->lock);
	pages->many = many;
	pages->room = room;
	spin_unlock(&dev->lock);
	kvfree(old);
	return 0;
}

/*
 * Allocate the first batch. This fails at once if the request cannot be
 * satisfied in full, so that no partial work is done in vain. Reserve the rest
 * of the pages for the caller.
 */
static int vnpu_pages_find_first(struct vnpu_device *dev,
				 struct vnpu_pages_req *req,
				 struct vnpu_pages *pages,
				 int (*taken)(struct vnpu_device *dev, void *arg),
				 void *arg)
{
	int ret, refusal = 0;

	spin_lock(&dev->lock);
	if ((taken && req->count > vnpu_pages_spare_locked(dev)) ||
	    req->count > vnpu_allocator_free_pages(dev->allocator, req->order))
		ret = -ENOSPC;
	else
		ret = vnpu_pages_take_some_locked(dev, req, pages);
	if (taken && pages->nr)
		refusal = taken(dev, arg);
	if (refusal) {
		while (vnpu_pages_give_back_some_locked(dev, pages, 0, 0))
			;
		ret = refusal;
	} else if (ret == -EAGAIN && pages->nr) {
		dev->reserved += req->count - vnpu_pages_count(pages);
	}
	spin_unlock(&dev->lock);
	return ret;
}

/* Allocate one more batch of the reserved pages. */
static int vnpu_pages_find_more(struct vnpu_device *dev,
				struct vnpu_pages_req *req,
				struct vnpu_pages *pages,
				int (*taken)(struct vnpu_device *dev, void *arg),
				void *arg)
{
	u32 before = vnpu_pages_count(pages);
	int ret;

	ret = vnpu_pages_make_room(dev, pages, req->count - before);
	if (ret)
		return ret;
	spin_lock(&dev->lock);
	ret = vnpu_pages_take_some_locked(dev, req, pages);
	dev->reserved -= vnpu_pages_count(pages) - before;
	if (taken)
		taken(dev, arg);
	spin_unlock(&dev->lock);
	return ret;
}

/*
 * Allocate a batch after the current compaction. A compaction may temporarily
 * hold free pages that are reserved; they are free again when it ends.
 */
static int vnpu_pages_find_more_later(struct vnpu_device *dev,
				      struct vnpu_pages_req *req,
				      struct vnpu_pages *pages,
				      int (*taken)(struct vnpu_device *dev,
						   void *arg),
				      void *arg)
{
	int ret;

	if (mutex_lock_killable(&dev->compact_lock))
		return -EINTR;
	ret = vnpu_pages_find_more(dev, req, pages, taken, arg);
	mutex_unlock(&dev->compact_lock);
	WARN_ON_ONCE(ret == -ENOSPC);
	return ret;
}

/**
 * vnpu_pages_find() - allocate pages
 * @dev: the device
 * @req: the request
 * @pages: filled with the list
 * @taken: called with the device's lock held each time pages were added to
 *	@pages; the first call may refuse the allocation with -errno. NULL if a
 *	compaction moves an object.
 * @arg: argument for @taken
 *
 * The first hold of the lock decides if there are enough pages. So of two
 * allocations that together exceed the free memory, one succeeds. Under this
 * hold, up to VNPU_PAGES_BATCH extents are allocated. The rest is promised to
 * the caller (vnpu_device.reserved) and allocated under further holds. The
 * promise covers pages, not larger blocks: other allocations may meanwhile
 * split the blocks of a class.
 *
 * A move frees as many pages as it allocates. So it may use pages that are
 * promised to others; these then wait for the end of the compaction.
 *
 * On failure after @taken has accepted pages, @pages holds the pages allocated
 * so far, and the caller frees them. Otherwise no page is left allocated.
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR or the result of @taken.
 */
int vnpu_pages_find(struct vnpu_device *dev, const struct vnpu_pages_req *req,
		    struct vnpu_pages *pages,
		    int (*taken)(struct vnpu_device *dev, void *arg),
		    void *arg)
{
	struct vnpu_pages_req next = *req;
	int ret;

	*pages = (struct vnpu_pages){ .room = 1, .clean = true };
	ret = vnpu_pages_find_first(dev, &next, pages, taken, arg);
	while (ret == -EAGAIN && !pages->nr) {
		cond_resched();
		if (fatal_signal_pending(current))
			ret = -EINTR;
		else
			ret = vnpu_pages_find_first(dev, &next, pages, taken,
						    arg);
	}
	if (!ret)
		return 0;
	if (ret != -EAGAIN) {
		vnpu_pages_fini(pages);
		return ret;
	}
	while (ret == -EAGAIN) {
		cond_resched();
		if (fatal_signal_pending(current))
			ret = -EINTR;
		else
			ret = vnpu_pages_find_more(dev, &next, pages, taken, arg);
		if (ret == -ENOSPC && taken && !req->order)
			ret = vnpu_pages_find_more_later(dev, &next, pages,
							 taken, arg);
	}
	if (ret) {
		spin_lock(&dev->lock);
		dev->reserved -= req->count - vnpu_pages_count(pages);
		spin_unlock(&dev->lock);
		if (!taken)
			vnpu_pages_give_back(dev, pages);
	}
	return ret;
}

/**
 * vnpu_pages_give_back_some_locked() - free the last pages of a list
 * @dev: the device, with its lock held
 * @pages: the list; at most VNPU_PAGES_BATCH extents are removed from its end
 * @start: number of pages of the list before the first one that was written
 * @end: number of pages of the list up to the last one that was written
 *
 * Return: true if the list has more pages.
 */
bool vnpu_pages_give_back_some_locked(struct vnpu_device *dev,
				      struct vnpu_pages *pages, u32 start,
				      u32 end)
{
	unsigned int i;

	for (i = 0; pages->nr && !vnpu_pages_is_batch_over(dev, i); i++) {
		struct vnpu_extent ext = vnpu_pages_extent(pages, pages->nr - 1);
		u32 first = vnpu_pages_before(pages, pages->nr - 1);
		u32 last = first + ext.count;
		u32 from = clamp(start, first, last) - first;
		u32 to = max(clamp(end, first, last) - first, from);

		vnpu_pages_free_locked(dev, (struct vnpu_extent){
			ext.start + to, ext.count - to }, false);
		vnpu_pages_free_locked(dev, (struct vnpu_extent){
			ext.start + from, to - from }, true);
		vnpu_pages_free_locked(dev, (struct vnpu_extent){
			ext.start, from }, false);
		pages->nr--;
	}
	return pages->nr;
}

/**
 * vnpu_pages_give_back() - free a list and its pages, which were never written
 * @dev: the device
 * @pages: the list
 */
void vnpu_pages_give_back(struct vnpu_device *dev, struct vnpu_pages *pages)
{
	bool more;

	do {
		spin_lock(&dev->lock);
		more = vnpu_pages_give_back_some_locked(dev, pages, 0, 0);
		spin_unlock(&dev->lock);
		cond_resched();
	} while (more);
	vnpu_pages_fini(pages);
}
