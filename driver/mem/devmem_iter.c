// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks over all objects of a device. A walk releases the device's lock after a
 * bounded number of objects and extents, so that allocations do not wait for
 * it.
 */
#include <linux/list.h>
#include <linux/sched.h>

#include "base/device.h"
#include "devmem.h"

/*
 * Number of objects and extents that a walk passes under one hold of the lock.
 */
#define VNPU_DEVMEM_ITER_EXTENTS	1024

/*
 * The same, if another thread wants the lock. With fewer, threads that allocate
 * and free all the time could keep a walk from advancing.
 */
#define VNPU_DEVMEM_ITER_MIN		32

/**
 * vnpu_devmem_iter_begin() - begin a walk over all objects of a device
 * @iter: the walk
 * @dev: the device; the walk holds its lock until vnpu_devmem_iter_end(),
 *	except in pauses
 *
 * A walk is not a snapshot, because it releases the lock from time to time. It
 * visits each object exactly once that exists from its begin to its end, and no
 * object that is allocated in between, so that allocations cannot prolong it.
 */
void vnpu_devmem_iter_begin(struct vnpu_devmem_iter *iter,
			    struct vnpu_device *dev)
	__acquires(&dev->lock)
{
	*iter = (struct vnpu_devmem_iter){ .dev = dev };
	spin_lock(&dev->lock);
	iter->last = dev->last_mem;
}

/* Check whether to pause after @seen objects and extents. */
static bool vnpu_devmem_iter_is_due(const struct vnpu_devmem_iter *iter,
				    u32 seen)
{
	return seen >= VNPU_DEVMEM_ITER_EXTENTS ||
	       (seen >= VNPU_DEVMEM_ITER_MIN &&
		vnpu_device_needs_break(iter->dev));
}

/**
 * vnpu_devmem_iter_next() - advance to the next object
 * @iter: the walk, not paused; it may pause before this returns
 *
 * Return: the object, or NULL at the end. The last reference to the object may
 * have been dropped.
 */
struct vnpu_devmem *vnpu_devmem_iter_next(struct vnpu_devmem_iter *iter)
	__must_hold(&iter->dev->lock)
{
	struct list_head *mems = &iter->dev->mems;
	struct list_head *link = iter->at ? &iter->at->dev_link : mems;
	struct vnpu_devmem *next;

	lockdep_assert_held(&iter->dev->lock);
	if (list_is_last(link, mems))
		return NULL;
	next = list_entry(link->next, struct vnpu_devmem, dev_link);
	if (next->serial > iter->last)
		return NULL;
	iter->at = next;
	if (vnpu_devmem_iter_is_due(iter, iter->seen) &&
	    vnpu_devmem_iter_keep(iter)) {
		vnpu_devmem_iter_pause(iter);
		vnpu_devmem_iter_resume(iter);
	}
	iter->seen += 1 + iter->at->pages.nr;
	iter->extents = 0;
	return iter->at;
}

/**
 * vnpu_devmem_iter_next_extent() - advance to the next extent of the object
 * @iter: the walk, at an object; it may pause before this returns
 * @page: number of the object's pages before the extent; 0 on the first call
 * @ext: filled with the extent
 *
 * A move during a pause changes the location of the object's pages, but not
 * their number. If the last reference to a long object is dropped, its
 * remaining extents are skipped.
 *
 * Return: false at the end of the object.
 */
bool vnpu_devmem_iter_next_extent(struct vnpu_devmem_iter *iter, u32 *page,
				  struct vnpu_extent *ext)
	__must_hold(&iter->dev->lock)
{
	const struct vnpu_pages *pages = &iter->at->pages;
	u32 i, skip;

	lockdep_assert_held(&iter->dev->lock);
	if (vnpu_devmem_iter_is_due(iter, iter->extents)) {
		if (vnpu_devmem_iter_keep(iter)) {
			vnpu_devmem_iter_pause(iter);
			vnpu_devmem_iter_resume(iter);
			iter->extents = 0;
		} else if (iter->extents >= VNPU_DEVMEM_ITER_EXTENTS) {
			return false;
		}
	}
	if (*page >= vnpu_pages_count(pages))
		return false;
	i = vnpu_pages_index(pages, *page);
	skip = *page - vnpu_pages_before(pages, i);
	*ext = vnpu_pages_extent(pages, i);
	ext->start += skip;
	ext->count -= skip;
	*page += ext->count;
	iter->extents++;
	return true;
}

/**
 * vnpu_devmem_iter_keep() - take a reference to the object that a walk is at
 * @iter: the walk, at an object, not paused; vnpu_devmem_iter_pause() comes
 *	next
 *
 * Return: false if the object's last reference was dropped.
 */
bool vnpu_devmem_iter_keep(struct vnpu_devmem_iter *iter)
{
	lockdep_assert_held(&iter->dev->lock);
	return kref_get_unless_zero(&iter->at->mem.ref);
}

/**
 * vnpu_devmem_iter_pause() - release the device's lock in a walk
 * @iter: the walk, at an object with the reference of vnpu_devmem_iter_keep(),
 *	which the walk holds until it goes on
 */
void vnpu_devmem_iter_pause(struct vnpu_devmem_iter *iter)
	__releases(&iter->dev->lock)
{
	spin_unlock(&iter->dev->lock);
	if (iter->held)
		vnpu_mem_put(&iter->held->mem);
	iter->held = iter->at;
	cond_resched();
}

/**
 * vnpu_devmem_iter_resume() - take the device's lock again in a walk
 * @iter: the walk, at the object at which it was paused
 */
void vnpu_devmem_iter_resume(struct vnpu_devmem_iter *iter)
	__acquires(&iter->dev->lock)
{
	spin_lock(&iter->dev->lock);
	iter->seen = 0;
}

/**
 * vnpu_devmem_iter_end() - end a walk, at any object
 * @iter: the walk, not paused
 */
void vnpu_devmem_iter_end(struct vnpu_devmem_iter *iter)
	__releases(&iter->dev->lock)
{
	spin_unlock(&iter->dev->lock);
	if (iter->held)
		vnpu_mem_put(&iter->held->mem);
}
