// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clearing of free memory in the background, before it is allocated again.
 *
 * A device is idle if no memory was allocated or freed for some time, and no
 * engine has anything to run. An idle device clears the memory that was freed
 * dirty, so that the next allocation need not wait for that. Memory that was
 * never allocated stays as it is; otherwise each load of the module would write
 * to the whole arena.
 *
 * A piece is cleared under the device's lock and stays free all the time. So
 * there is no state between free and allocated that other code must know, the
 * placement of allocations does not change, and the allocator marks a page as
 * clean only when it is clean. A piece is short, the lock is a spinlock, so
 * that the thread is not preempted while it clears one, and the thread takes
 * the lock only if no other task holds it. So other tasks wait for some
 * microseconds at most, and the next piece follows when they are done.
 *
 * One thread serves all devices; it runs when a processor is idle.
 */
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <uapi/linux/sched/types.h>

#include "base/device.h"
#include "base/upcalls.h"
#include "scrub.h"
#include "trace_mem.h"

/* Clearing this many pages (64 KiB) takes some microseconds. */
#define VNPU_SCRUB_PIECE	16

/* Writable at run time, for tests that look at memory before it is cleared. */
static unsigned int scrub_ms = 20;
module_param(scrub_ms, uint, 0644);
MODULE_PARM_DESC(scrub_ms, "Milliseconds without use, at most 10000, after which a device clears freed memory; 0 to clear memory only when it is allocated (default: 20)");

/* A change of scrub_ms takes effect after the current wait, so limit that. */
#define VNPU_SCRUB_MS_MAX	10000

static struct kthread_worker *vnpu_scrub_worker;

static unsigned int vnpu_scrub_ms(void)
{
	return min_t(unsigned int, READ_ONCE(scrub_ms), VNPU_SCRUB_MS_MAX);
}

static void vnpu_scrub_queue(struct vnpu_device *dev, unsigned int ms)
{
	kthread_queue_delayed_work(vnpu_scrub_worker, &dev->clear.work,
				   msecs_to_jiffies(ms));
}

/**
 * vnpu_scrub_used_locked() - record that memory was allocated or freed
 * @dev: the device, with its lock held
 */
void vnpu_scrub_used_locked(struct vnpu_device *dev)
{
	struct vnpu_scrub *clear = &dev->clear;
	unsigned int ms = vnpu_scrub_ms();

	lockdep_assert_held(&dev->lock);
	clear->uses++;
	if (clear->is_armed || !ms || !vnpu_allocator_has_to_clear(dev->allocator))
		return;
	clear->is_armed = true;
	clear->seen = clear->uses;
	vnpu_scrub_queue(dev, ms);
}

/* Clear one piece; true if there may be more. */
static bool vnpu_scrub_piece_locked(struct vnpu_device *dev)
{
	struct vnpu_extent run;
	bool more;
	u64 length;

	more = vnpu_allocator_next_to_clear(dev->allocator, VNPU_SCRUB_PIECE, &run);
	if (!run.count)
		return more;
	/* A run never crosses a granule, so one address is enough. */
	length = (u64)run.count << VNPU_PAGE_SHIFT;
	memset(vnpu_arena_addr(&dev->arena, run.start), 0, length);
	vnpu_allocator_set_clean(dev->allocator, run);
	dev->cleared += length;
	trace_vnpu_scrub(dev, length,
			 (u64)vnpu_allocator_dirty_pages(dev->allocator) <<
			 VNPU_PAGE_SHIFT);
	return more;
}

static bool vnpu_scrub_is_idle_locked(struct vnpu_device *dev)
{
	struct vnpu_scrub *clear = &dev->clear;
	bool is_idle = clear->seen == clear->uses &&
		       !vnpu_engines_are_busy(dev->engines);

	clear->seen = clear->uses;
	return is_idle;
}

static void vnpu_scrub_work(struct kthread_work *work)
{
	struct vnpu_device *dev = container_of(work, struct vnpu_device,
					       clear.work.work);
	unsigned int delay = max(vnpu_scrub_ms(), 1U);
	bool more = true;

	if (!spin_trylock(&dev->lock)) {
		vnpu_scrub_queue(dev, delay);
		return;
	}
	/* Check under the lock: after a 0 is written, nothing is cleared. */
	if (!vnpu_scrub_ms() || vnpu_device_is_gone(dev)) {
		more = false;
	} else if (vnpu_scrub_is_idle_locked(dev)) {
		more = vnpu_scrub_piece_locked(dev);
		delay = 0;
	}
	dev->clear.is_armed = more;
	spin_unlock(&dev->lock);
	if (more)
		vnpu_scrub_queue(dev, delay);
}

/**
 * vnpu_scrub_add() - prepare background clearing for a new device
 * @dev: the device
 */
void vnpu_scrub_add(struct vnpu_device *dev)
{
	kthread_init_delayed_work(&dev->clear.work, vnpu_scrub_work);
}

/**
 * vnpu_scrub_remove() - stop background clearing for a device
 * @dev: the device, which is no longer in use
 */
void vnpu_scrub_remove(struct vnpu_device *dev)
{
	kthread_cancel_delayed_work_sync(&dev->clear.work);
}

/**
 * vnpu_scrub_init() - start the thread that clears memory
 *
 * Return: 0 or -errno.
 */
int vnpu_scrub_init(void)
{
	const struct sched_attr idle = { .sched_policy = SCHED_IDLE };
	struct kthread_worker *worker;

	worker = kthread_create_worker(KTW_FREEZABLE, "vnpu-clear");
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	/* If this fails, the thread works, but competes with other tasks. */
	WARN_ON_ONCE(sched_setattr_nocheck(worker->task, &idle));
	vnpu_scrub_worker = worker;
	return 0;
}

/**
 * vnpu_scrub_fini() - stop the thread; all devices have been removed
 */
void vnpu_scrub_fini(void)
{
	kthread_destroy_worker(vnpu_scrub_worker);
}
