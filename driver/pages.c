// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of arena pages: finding them, clearing them, giving them back.
 *
 * No client may read what another wrote. The allocator remembers which free
 * pages are dirty. Those are cleared in advance if there is time (clear.c), else
 * when they are allocated, outside of the device's lock, before anybody can
 * reach them; what was never written goes back as clean as it came.
 */
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <linux/vnpu.h>

#include "device.h"
#include "pages.h"

/* Clearing gives way after this many pages, and asks for signals. */
#define VNPU_CLEAR_PAGES	VNPU_GRANULE_PAGES

/**
 * vnpu_pages_init_gfp() - make an empty list
 * @pages: the list
 * @room: how many extents there is to be room for, at least 1
 * @gfp: how to allocate it
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
 * vnpu_pages_init() - make an empty list that the caller is charged for
 * @pages: the list
 * @room: how many extents there is to be room for, at least 1
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_pages_init(struct vnpu_pages *pages, u32 room)
{
	return vnpu_pages_init_gfp(pages, room, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
}

/**
 * vnpu_pages_fini() - the end of a list, whatever is in it
 * @pages: the list
 */
void vnpu_pages_fini(struct vnpu_pages *pages)
{
	if (pages->room > 1)
		kvfree(pages->many);
	*pages = (struct vnpu_pages){ };
}

/**
 * vnpu_pages_add() - add an extent at the end
 * @dev: the device
 * @pages: the list, which has room
 * @ext: the extent; nothing is added if it is empty
 *
 * What goes on where the last extent ends becomes a part of that, so that a
 * list that is moved about in pieces does not grow for ever. Where the next
 * segment begins it does not: no extent spans two.
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
 * vnpu_pages_index() - the extent that a page is in
 * @pages: the list
 * @page: how many pages come before it in the list; less than all
 *
 * Return: the extent's index. O(log n).
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
 * @ext: the pages, which are nobody's; none if it is empty
 * @dirty: something was written to them since they were allocated
 */
void vnpu_pages_free_locked(struct vnpu_device *dev, struct vnpu_extent ext,
			    bool dirty)
{
	lockdep_assert_held(&dev->lock);
	if (!ext.count)
		return;
	WARN_ON_ONCE(vnpu_buddy_free(dev->buddy, ext, dirty));
	vnpu_clear_used_locked(dev);
}

/**
 * vnpu_pages_spare_locked() - free pages that no allocation was promised
 * @dev: the device, with its lock held
 *
 * While a compaction holds free pages for the time being, there may be fewer free
 * pages than were promised.
 */
u32 vnpu_pages_spare_locked(const struct vnpu_device *dev)
{
	u32 free = vnpu_buddy_free_pages(dev->buddy, VNPU_BUDDY_ORDER_4K);

	lockdep_assert_held(&dev->lock);
	return free > dev->reserved ? free - dev->reserved : 0;
}

/**
 * vnpu_pages_limit_locked() - as many of some free pages as no allocation was promised
 * @dev: the device, with its lock held
 * @pages: free pages in whole blocks of an order
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
 * vnpu_pages_get_stats_locked() - the state of the arena as users are shown it
 * @dev: the device, with its lock held
 * @stats: filled
 *
 * Pages that were promised count as allocated, though nothing says yet which free
 * blocks they are taken from: the figures are limits.
 */
void vnpu_pages_get_stats_locked(const struct vnpu_device *dev,
				 struct vnpu_buddy_stats *stats)
{
	static const u8 orders[VNPU_BUDDY_CLASSES] = {
		VNPU_BUDDY_ORDER_4K, VNPU_BUDDY_ORDER_2M, VNPU_BUDDY_ORDER_1G };
	u32 spare = vnpu_pages_spare_locked(dev);
	unsigned int i;

	vnpu_buddy_get_stats(dev->buddy, stats);
	stats->free = min(stats->free, spare);
	stats->dirty = min(stats->dirty, spare);
	stats->largest = min(stats->largest, spare);
	for (i = 0; i < VNPU_BUDDY_CLASSES; i++)
		stats->largest_class[i] =
			vnpu_pages_limit_locked(dev, stats->largest_class[i],
						orders[i]);
}

/* A batch at most. Returns -EAGAIN if more is wanted, with or without room for it. */
static int vnpu_pages_take_some_locked(struct vnpu_device *dev,
				       const struct vnpu_pages_req *req,
				       struct vnpu_pages *pages)
{
	u32 dirty = vnpu_buddy_dirty_pages(dev->buddy);
	struct vnpu_buddy_req next = {
		.pages = req->count - vnpu_pages_count(pages),
		.granule_order = req->order,
		.align_order = req->align_order,
		.flags = req->contiguous ? VNPU_BUDDY_CONTIGUOUS : 0,
	};
	unsigned int i;
	int ret = 0;

	lockdep_assert_held(&dev->lock);
	vnpu_clear_used_locked(dev);
	for (i = 0; !ret && next.pages; i++) {
		struct vnpu_extent ext;

		if (pages->nr == pages->room || i == VNPU_PAGES_BATCH) {
			ret = -EAGAIN;
			break;
		}
		ret = vnpu_buddy_alloc(dev->buddy, &next, &ext);
		if (!ret) {
			vnpu_pages_add(dev, pages, ext);
			next.pages -= ext.count;
		}
	}
	if (vnpu_buddy_dirty_pages(dev->buddy) != dirty)
		pages->clean = false;
	return ret;
}

/* Makes room for more extents, if there is none; for @left at most. */
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
	/* Only the caller adds to it, so it is copied without the lock. */
	old = pages->room > 1 ? pages->many : NULL;
	if (old)
		memcpy(many, old, pages->nr * sizeof(*many));
	else
		many[0] = (struct vnpu_pages_part){ pages->one,
						    pages->one.count };
	mutex_lock(&dev->lock);
	pages->many = many;
	pages->room = room;
	mutex_unlock(&dev->lock);
	kvfree(old);
	return 0;
}

/*
 * The first batch. What is wanted in all is known to be there, so that nothing is
 * taken in vain; what it lacks of that is promised.
 */
static int vnpu_pages_find_first(struct vnpu_device *dev,
				 const struct vnpu_pages_req *req,
				 struct vnpu_pages *pages,
				 int (*taken)(struct vnpu_device *dev, void *arg),
				 void *arg)
{
	int ret, refusal = 0;

	mutex_lock(&dev->lock);
	if ((taken && req->count > vnpu_pages_spare_locked(dev)) ||
	    req->count > vnpu_buddy_free_pages(dev->buddy, req->order))
		ret = -ENOSPC;
	else
		ret = vnpu_pages_take_some_locked(dev, req, pages);
	if (taken && (!ret || ret == -EAGAIN))
		refusal = taken(dev, arg);
	if (refusal) {
		WARN_ON_ONCE(vnpu_pages_give_back_some_locked(dev, pages, 0, 0));
		ret = refusal;
	} else if (ret == -EAGAIN) {
		dev->reserved += req->count - vnpu_pages_count(pages);
	}
	mutex_unlock(&dev->lock);
	return ret;
}

/* One more batch, of what was promised. */
static int vnpu_pages_find_more(struct vnpu_device *dev,
				const struct vnpu_pages_req *req,
				struct vnpu_pages *pages,
				int (*taken)(struct vnpu_device *dev, void *arg),
				void *arg)
{
	u32 before = vnpu_pages_count(pages);
	int ret;

	ret = vnpu_pages_make_room(dev, pages, req->count - before);
	if (ret)
		return ret;
	mutex_lock(&dev->lock);
	ret = vnpu_pages_take_some_locked(dev, req, pages);
	dev->reserved -= vnpu_pages_count(pages) - before;
	if (taken)
		taken(dev, arg);
	mutex_unlock(&dev->lock);
	return ret;
}

/*
 * A compaction takes free pages for the time being, of those that were promised
 * too. So what is missing is there when it has ended.
 */
static int vnpu_pages_find_more_later(struct vnpu_device *dev,
				      const struct vnpu_pages_req *req,
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
 * @req: what is wanted
 * @pages: a list that is made, if it succeeds
 * @taken: called with the device's lock held each time that pages were added to
 *	@pages; the first time it may refuse, with -errno. NULL for a move of an
 *	object by a compaction.
 * @arg: for @taken
 *
 * Whether there are enough pages is decided under the first hold of the lock, so
 * that of two allocations that want more than there is together one succeeds. Up
 * to VNPU_PAGES_BATCH extents are taken then. The rest is promised to the caller
 * (vnpu_device.reserved) and taken under further holds. A promise is of pages,
 * not of larger ones: pages of a class may have been broken up meanwhile.
 *
 * A move takes pages and gives as many back. So it may take what was promised to
 * others, who wait for the end of the compaction then.
 *
 * On failure, if @taken has accepted pages, @pages has what was taken so far, and
 * the caller gives it back. Else nothing is left.
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR or what @taken returned.
 */
int vnpu_pages_find(struct vnpu_device *dev, const struct vnpu_pages_req *req,
		    struct vnpu_pages *pages,
		    int (*taken)(struct vnpu_device *dev, void *arg),
		    void *arg)
{
	int ret;

	*pages = (struct vnpu_pages){ .room = 1, .clean = true };
	ret = vnpu_pages_find_first(dev, req, pages, taken, arg);
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
			ret = vnpu_pages_find_more(dev, req, pages, taken, arg);
		if (ret == -ENOSPC && taken && !req->order)
			ret = vnpu_pages_find_more_later(dev, req, pages, taken,
							 arg);
	}
	if (ret) {
		mutex_lock(&dev->lock);
		dev->reserved -= req->count - vnpu_pages_count(pages);
		mutex_unlock(&dev->lock);
		if (!taken)
			vnpu_pages_give_back(dev, pages);
	}
	return ret;
}

/**
 * vnpu_pages_give_back_some_locked() - free the last of the pages in a list
 * @dev: the device, with its lock held
 * @pages: the list, which loses them: VNPU_PAGES_BATCH extents at most
 * @start: how many pages of the list come before the first that was written
 * @end: and before the first that was not written after that
 *
 * Return: whether there are more.
 */
bool vnpu_pages_give_back_some_locked(struct vnpu_device *dev,
				      struct vnpu_pages *pages, u32 start,
				      u32 end)
{
	unsigned int i;

	for (i = 0; pages->nr && i < VNPU_PAGES_BATCH; i++) {
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
 * vnpu_pages_give_back() - free pages that were never written
 * @dev: the device
 * @pages: the list, which ends
 */
void vnpu_pages_give_back(struct vnpu_device *dev, struct vnpu_pages *pages)
{
	bool more;

	do {
		mutex_lock(&dev->lock);
		more = vnpu_pages_give_back_some_locked(dev, pages, 0, 0);
		mutex_unlock(&dev->lock);
		cond_resched();
	} while (more);
	vnpu_pages_fini(pages);
}

static void vnpu_pages_clear_run(struct vnpu_device *dev, struct vnpu_extent run)
{
	while (run.count) {
		u32 count = min_t(u32, run.count, VNPU_GRANULE_PAGES -
				  run.start % VNPU_GRANULE_PAGES);

		memset(vnpu_arena_addr(&dev->arena, run.start), 0,
		       (size_t)count << VNPU_PAGE_SHIFT);
		run.start += count;
		run.count -= count;
	}
}

/*
 * Take the next dirty pages out of the allocator's books, so that they are
 * cleared once. The pages are ours, but the books are everybody's.
 */
static bool vnpu_pages_take_dirty(struct vnpu_device *dev,
				  struct vnpu_extent ext,
				  struct vnpu_extent *run)
{
	bool found;

	mutex_lock(&dev->lock);
	found = vnpu_buddy_next_dirty(dev->buddy, ext, run);
	if (found) {
		run->count = min_t(u32, run->count, VNPU_CLEAR_PAGES);
		vnpu_buddy_set_clean(dev->buddy, *run);
		dev->cleared += (u64)run->count << VNPU_PAGE_SHIFT;
	}
	mutex_unlock(&dev->lock);
	return found;
}

/**
 * vnpu_pages_clear() - clear what is dirty, before anybody can reach it
 * @dev: the device
 * @pages: allocated, not all clean
 *
 * Return: 0 or -EINTR; what was not cleared is still known as dirty.
 */
int vnpu_pages_clear(struct vnpu_device *dev, const struct vnpu_pages *pages)
{
	u32 i;

	for (i = 0; i < pages->nr; i++) {
		struct vnpu_extent ext = vnpu_pages_extent(pages, i), run;

		while (ext.count && vnpu_pages_take_dirty(dev, ext, &run)) {
			vnpu_pages_clear_run(dev, run);
			ext.count -= run.start + run.count - ext.start;
			ext.start = run.start + run.count;
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return 0;
}
