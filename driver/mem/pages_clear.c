// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of arena pages: clear them.
 *
 * No client may read data that another client wrote. The allocator records
 * which free pages are dirty. The driver clears dirty pages in advance if there
 * is time (mem/scrub.c). Otherwise it clears them when they are allocated,
 * outside of the device's lock and before any client can access them. Pages
 * that the client never wrote are freed as clean.
 */
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "base/device.h"
#include "pages.h"

/* Number of pages to clear between checks for signals and cond_resched(). */
#define VNPU_CLEAR_PAGES	VNPU_GRANULE_PAGES

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
 * Find the next dirty pages and mark them as clean, so that they are cleared
 * exactly once. The pages belong to the caller, but the lock protects the
 * allocator's bits.
 */
static bool vnpu_pages_take_dirty(struct vnpu_device *dev,
				  struct vnpu_extent ext,
				  struct vnpu_extent *run)
{
	bool found;

	spin_lock(&dev->lock);
	found = vnpu_allocator_next_dirty(dev->allocator, ext, run);
	if (found) {
		run->count = min_t(u32, run->count, VNPU_CLEAR_PAGES);
		vnpu_allocator_set_clean(dev->allocator, *run);
		dev->cleared += (u64)run->count << VNPU_PAGE_SHIFT;
	}
	spin_unlock(&dev->lock);
	return found;
}

/**
 * vnpu_pages_clear() - clear the dirty pages of a list before a client uses
 *   them
 * @dev: the device
 * @pages: the list; its pages are allocated and not all clean
 *
 * Return: 0 or -EINTR. Pages that were not cleared are still marked as dirty.
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
