// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clearing free memory in the background, before it is wanted.
 *
 * A device that nobody has asked for memory for some time, and whose engines
 * have nothing to run, clears what was freed dirty: so that who is given it
 * next need not wait for that. What no client has had yet it leaves as it is,
 * or each load of the module would write to all of the arena.
 *
 * A piece is cleared under the device's lock, and all the while it is as free as
 * it was. So there is nothing between free and allocated that others would have
 * to know of; nothing is placed elsewhere because of it; and the books say of a
 * free page that it is clean only when it is. The piece is short, nobody takes the
 * processor away in the midst of it, and the lock is had only where nobody else
 * wants it: so others wait some microseconds at most, and the next piece comes
 * when they are done.
 *
 * One thread does it for all devices, when a processor has nothing else to do.
 */
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <uapi/linux/sched/types.h>

#include "clear.h"
#include "device.h"
#include "engine.h"
#include "trace_mem.h"

/* It takes some microseconds to clear so many: 64 KiB. */
#define VNPU_CLEAR_PIECE	16

/* Written at run time by who wants to see what is there before it is cleared. */
static unsigned int clear_ms = 20;
module_param(clear_ms, uint, 0644);
MODULE_PARM_DESC(clear_ms, "Milliseconds without use, at most 10000, after which a device clears freed memory; 0 to clear memory only when it is allocated (default: 20)");

/* A change is seen when the wait is over that was begun before it. */
#define VNPU_CLEAR_MS_MAX	10000

static struct kthread_worker *vnpu_clear_worker;

static unsigned int vnpu_clear_ms(void)
{
	return min_t(unsigned int, READ_ONCE(clear_ms), VNPU_CLEAR_MS_MAX);
}

static void vnpu_clear_queue(struct vnpu_device *dev, unsigned int ms)
{
	kthread_queue_delayed_work(vnpu_clear_worker, &dev->clear.work,
				   msecs_to_jiffies(ms));
}

/**
 * vnpu_clear_used_locked() - memory was allocated or freed
 * @dev: the device, with its lock held
 */
void vnpu_clear_used_locked(struct vnpu_device *dev)
{
	struct vnpu_clear *clear = &dev->clear;
	unsigned int ms = vnpu_clear_ms();

	lockdep_assert_held(&dev->lock);
	clear->uses++;
	if (clear->is_armed || !ms || !vnpu_buddy_has_to_clear(dev->buddy))
		return;
	clear->is_armed = true;
	clear->seen = clear->uses;
	vnpu_clear_queue(dev, ms);
}

/* Returns whether there may be more. */
static bool vnpu_clear_piece_locked(struct vnpu_device *dev)
{
	struct vnpu_extent run;
	bool more;
	u64 length;

	more = vnpu_buddy_next_to_clear(dev->buddy, VNPU_CLEAR_PIECE, &run);
	if (!run.count)
		return more;
	/* It lies in one granule. */
	length = (u64)run.count << VNPU_PAGE_SHIFT;
	memset(vnpu_arena_addr(&dev->arena, run.start), 0, length);
	vnpu_buddy_set_clean(dev->buddy, run);
	dev->cleared += length;
	trace_vnpu_clear(dev, length,
			 (u64)vnpu_buddy_dirty_pages(dev->buddy) <<
			 VNPU_PAGE_SHIFT);
	return more;
}

static bool vnpu_clear_is_idle_locked(struct vnpu_device *dev)
{
	struct vnpu_clear *clear = &dev->clear;
	bool is_idle = clear->seen == clear->uses &&
		       !vnpu_engines_are_busy(dev->engines);

	clear->seen = clear->uses;
	return is_idle;
}

static void vnpu_clear_work(struct kthread_work *work)
{
	struct vnpu_device *dev = container_of(work, struct vnpu_device,
					       clear.work.work);
	unsigned int delay = max(vnpu_clear_ms(), 1U);
	bool more = true;

	preempt_disable();
	if (mutex_trylock(&dev->lock)) {
		/* Once it is turned off, who has the lock sees no change. */
		if (!vnpu_clear_ms() || vnpu_device_is_gone(dev)) {
			more = false;
		} else if (vnpu_clear_is_idle_locked(dev)) {
			more = vnpu_clear_piece_locked(dev);
			delay = 0;
		}
		dev->clear.is_armed = more;
		mutex_unlock(&dev->lock);
	}
	preempt_enable();
	if (more)
		vnpu_clear_queue(dev, delay);
}

/**
 * vnpu_clear_add() - a device is made
 * @dev: the device
 */
void vnpu_clear_add(struct vnpu_device *dev)
{
	kthread_init_delayed_work(&dev->clear.work, vnpu_clear_work);
}

/**
 * vnpu_clear_remove() - nothing of a device is cleared any more
 * @dev: the device, which nobody uses
 */
void vnpu_clear_remove(struct vnpu_device *dev)
{
	kthread_cancel_delayed_work_sync(&dev->clear.work);
}

/**
 * vnpu_clear_init() - start what clears
 *
 * Return: 0 or -errno.
 */
int vnpu_clear_init(void)
{
	const struct sched_attr idle = { .sched_policy = SCHED_IDLE };
	struct kthread_worker *worker;

	worker = kthread_create_worker(KTW_FREEZABLE, "vnpu-clear");
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	/* Without that it does the same, in the way of others. */
	WARN_ON_ONCE(sched_setattr_nocheck(worker->task, &idle));
	vnpu_clear_worker = worker;
	return 0;
}

/**
 * vnpu_clear_fini() - end it; there is no device any more
 */
void vnpu_clear_fini(void)
{
	kthread_destroy_worker(vnpu_clear_worker);
}
