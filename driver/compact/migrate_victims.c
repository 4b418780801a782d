// SPDX-License-Identifier: GPL-2.0-only
/*
 * Migration: the contents of the run. These are the free pages, which are
 * claimed first, and the objects that have pages there.
 */
#include <linux/sched.h>

#include "base/device.h"
#include "core/compact.h"
#include "mem/devmem.h"
#include "mem/pages.h"
#include "migrate.h"

/**
 * vnpu_migrate_concerns() - check if an object has pages in a run
 * @devmem: the object; its list of pages does not change
 * @window: the run
 *
 * Return: true if the object has a page in the run.
 */
bool vnpu_migrate_concerns(const struct vnpu_devmem *devmem,
			   struct vnpu_extent window)
{
	u32 i;

	for (i = 0; i < devmem->pages.nr; i++) {
		struct vnpu_extent ext = vnpu_pages_extent(&devmem->pages, i);

		if (vnpu_extent_intersect(ext, window).count)
			return true;
	}
	return false;
}

/* Claim some free runs from page @from on, and advance it. */
static int vnpu_migrate_isolate_some_locked(struct vnpu_migration *e, u32 *from)
{
	u32 end = e->window.start + e->window.count;
	struct vnpu_extent run;
	unsigned int i;
	int ret = 0;

	lockdep_assert_held(&e->dev->lock);
	for (i = 0; !ret && *from < end && !vnpu_pages_is_batch_over(e->dev, i);
	     i++) {
		run.count = 0;
		if (vnpu_allocator_next_free_run(e->dev->allocator, *from, &run))
			run = vnpu_extent_intersect(run, e->window);
		if (!run.count) {
			*from = end;
			break;
		}
		*from = run.start + run.count;
		ret = vnpu_allocator_claim(e->dev->allocator, run);
		if (ret)
			break;
		ret = vnpu_emptied_add(&e->emptied, run, false);
		/* vnpu_emptied_free() frees only extents in the list. */
		if (ret)
			vnpu_pages_free_locked(e->dev, run, false);
	}
	return ret;
}

/**
 * vnpu_migrate_isolate() - claim the free pages of the window
 * @e: the migration; its list of emptied pages grows
 *
 * Other tasks may allocate some of the pages between two batches. The objects
 * are then found like all others that have pages in the window.
 *
 * Return: 0, or what vnpu_allocator_claim() and vnpu_emptied_add() return.
 */
int vnpu_migrate_isolate(struct vnpu_migration *e)
{
	u32 from = e->window.start;
	int ret = 0;

	while (!ret && from < e->window.start + e->window.count) {
		spin_lock(&e->dev->lock);
		ret = vnpu_migrate_isolate_some_locked(e, &from);
		spin_unlock(&e->dev->lock);
		cond_resched();
	}
	return ret;
}

/* Same as vnpu_migrate_concerns() for the current object of a walk. */
static bool vnpu_migrate_concerns_at(struct vnpu_devmem_iter *iter,
				     struct vnpu_extent window)
{
	struct vnpu_extent ext;
	u32 page = 0;

	while (vnpu_devmem_iter_next_extent(iter, &page, &ext))
		if (vnpu_extent_intersect(ext, window).count)
			return true;
	return false;
}

static int vnpu_migrate_add_victim_locked(struct vnpu_migration *e,
					  struct vnpu_devmem *devmem)
{
	if (e->nr_victims == e->room)
		return -EAGAIN;
	/*
	 * A pinned object is not moved; it may still be in allocation. Once it
	 * is unpinned, only moves change its list of pages, and only the holder
	 * of compact_lock moves objects.
	 */
	if (atomic_read(&devmem->mem.pins))
		return -EAGAIN;
	/*
	 * The object is being freed; its pages in the window are not claimed.
	 */
	if (!kref_get_unless_zero(&devmem->mem.ref))
		return -EAGAIN;
	e->victims[e->nr_victims++] = devmem;
	return 0;
}

static enum vnpu_migrate_stage
vnpu_migrate_stage(const struct vnpu_devmem *devmem)
{
	if (vnpu_devmem_is_run(devmem))
		return VNPU_MIGRATE_RUNS;
	return vnpu_devmem_order(devmem) ? VNPU_MIGRATE_LARGE :
					   VNPU_MIGRATE_SMALL;
}

/**
 * vnpu_migrate_find_victims() - collect the objects of a stage in the window
 * @e: the migration; each victim is added with a reference
 * @stage: the kind of objects
 *
 * The walk also visits objects that get pages in the window in the meantime,
 * because they are added at the end of the device's list.
 *
 * Return: 0, or -EAGAIN if an object cannot be moved or there are too many.
 */
int vnpu_migrate_find_victims(struct vnpu_migration *e,
			      enum vnpu_migrate_stage stage)
{
	struct vnpu_devmem_iter iter;
	struct vnpu_devmem *devmem;
	int ret = 0;

	vnpu_devmem_iter_begin(&iter, e->dev);
	while (!ret && (devmem = vnpu_devmem_iter_next(&iter)))
		if (stage == vnpu_migrate_stage(devmem) &&
		    vnpu_migrate_concerns_at(&iter, e->window))
			ret = vnpu_migrate_add_victim_locked(e, devmem);
	vnpu_devmem_iter_end(&iter);
	return ret;
}

/**
 * vnpu_migrate_put_victims() - drop the references to the victims
 * @e: the migration
 */
void vnpu_migrate_put_victims(struct vnpu_migration *e)
{
	while (e->nr_victims)
		vnpu_mem_put(&e->victims[--e->nr_victims]->mem);
}
