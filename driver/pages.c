// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of arena pages: finding them, clearing them, giving them back.
 *
 * No client may read what another wrote. The allocator remembers which free
 * pages are dirty. Those are cleared in advance if there is time (clear.c), else
 * when they are allocated, outside of the device's lock, before anybody can
 * reach them; what was never written goes back as clean as it came.
 */
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
	return vnpu_pages_init_gfp(pages, room, GFP_KERNEL_ACCOUNT);
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

/* Returns -EAGAIN where there is not room for all the extents it takes. */
static int vnpu_pages_try_find_locked(struct vnpu_device *dev,
				      const struct vnpu_pages_req *req,
				      struct vnpu_pages *pages)
{
	struct vnpu_buddy_req next = {
		.pages = req->count,
		.granule_order = req->order,
		.align_order = req->align_order,
		.flags = req->contiguous ? VNPU_BUDDY_CONTIGUOUS : 0,
	};

	u32 dirty;

	lockdep_assert_held(&dev->lock);
	vnpu_clear_used_locked(dev);
	dirty = vnpu_buddy_dirty_pages(dev->buddy);
	while (next.pages) {
		struct vnpu_extent ext;
		int ret;

		if (pages->nr == pages->room)
			return -EAGAIN;
		ret = vnpu_buddy_alloc(dev->buddy, &next, &ext);
		if (ret)
			return ret;
		vnpu_pages_add(dev, pages, ext);
		next.pages -= ext.count;
		if (!next.pages)
			break;
		if (next.pages > vnpu_buddy_free_pages(dev->buddy, req->order))
			return -ENOSPC;
		cond_resched();
	}
	pages->clean = vnpu_buddy_dirty_pages(dev->buddy) == dirty;
	return 0;
}

/**
 * vnpu_pages_find() - allocate pages
 * @dev: the device
 * @req: what is wanted
 * @pages: a list that is made, if it succeeds
 * @accept: asked once they are found, with the device's lock held; may refuse;
 *	may be NULL
 * @arg: for @accept
 *
 * All or nothing, under one hold of the lock, so that two who want more than
 * there is together do not both fail. How many extents it takes is known only
 * afterwards, and the lock must not be held while the host finds memory for
 * their list: so the attempt is made again with more room.
 *
 * Return: 0, -ENOSPC, -ENOMEM, -EINTR or what @accept returned.
 */
int vnpu_pages_find(struct vnpu_device *dev, const struct vnpu_pages_req *req,
		    struct vnpu_pages *pages,
		    int (*accept)(struct vnpu_device *dev, void *arg),
		    void *arg)
{
	u32 room;
	int ret;

	/* As many extents as pages is the most that there can be. */
	for (room = 1; ; room = min(room * 16, req->count)) {
		ret = vnpu_pages_init(pages, room);
		if (ret)
			return ret;
		mutex_lock(&dev->lock);
		ret = vnpu_pages_try_find_locked(dev, req, pages);
		if (!ret && accept)
			ret = accept(dev, arg);
		if (ret)
			vnpu_pages_give_back_written_locked(dev, pages, 0, 0);
		mutex_unlock(&dev->lock);
		if (!ret)
			return 0;
		vnpu_pages_fini(pages);
		if (ret != -EAGAIN)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

/**
 * vnpu_pages_give_back_written_locked() - free pages, some of which were written
 * @dev: the device, with its lock held
 * @pages: the list, which stays as it is
 * @start: how many pages of the list come before the first that was written
 * @end: and before the first that was not written after that
 */
void vnpu_pages_give_back_written_locked(struct vnpu_device *dev,
					 struct vnpu_pages *pages, u32 start,
					 u32 end)
{
	u32 first = 0, i;

	for (i = 0; i < pages->nr; i++) {
		struct vnpu_extent ext = vnpu_pages_extent(pages, i);
		u32 last = first + ext.count;
		u32 from = clamp(start, first, last) - first;
		u32 to = max(clamp(end, first, last) - first, from);

		vnpu_pages_free_locked(dev, (struct vnpu_extent){
			ext.start, from }, false);
		vnpu_pages_free_locked(dev, (struct vnpu_extent){
			ext.start + from, to - from }, true);
		vnpu_pages_free_locked(dev, (struct vnpu_extent){
			ext.start + to, ext.count - to }, false);
		first = last;
		cond_resched();
	}
}

/**
 * vnpu_pages_give_back() - free pages that were never written
 * @dev: the device
 * @pages: the list, which ends
 */
void vnpu_pages_give_back(struct vnpu_device *dev, struct vnpu_pages *pages)
{
	mutex_lock(&dev->lock);
	vnpu_pages_give_back_written_locked(dev, pages, 0, 0);
	mutex_unlock(&dev->lock);
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
