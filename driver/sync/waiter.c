// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiters of a timeline: they are added and removed here, and woken by
 * timeline.c, which explains the lock and the barriers.
 */
#include <linux/lockdep.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>

#include "timeline.h"

static bool vnpu_waiter_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct vnpu_waiter, node)->value <
	       rb_entry(b, struct vnpu_waiter, node)->value;
}

/**
 * vnpu_waiter_add() - begin to wait for a timeline
 * @waiter: the waiter, which does not wait yet
 * @timeline: the timeline; the caller's reference keeps it until the waiter is
 *	woken or removed
 * @value: the value to wait for
 * @wake: see struct vnpu_waiter
 *
 * Return: false if the value is reached: then @wake will not be called.
 */
bool vnpu_waiter_add(struct vnpu_waiter *waiter,
		     struct vnpu_timeline *timeline, u64 value,
		     void (*wake)(struct vnpu_waiter *waiter))
{
	bool waits;

	waiter->value = value;
	waiter->wake = wake;
	RB_CLEAR_NODE(&waiter->node);
	if (vnpu_timeline_value(timeline) >= value)
		return false;

	spin_lock(&timeline->lock);
	WRITE_ONCE(timeline->nr_waiters, timeline->nr_waiters + 1);
	/*
	 * Order the store of the count before the load of the value. Pairs with
	 * smp_mb() in vnpu_timeline_wake_some().
	 */
	smp_mb();
	waits = vnpu_timeline_value(timeline) < value;
	if (waits)
		rb_add_cached(&waiter->node, &timeline->waiters,
			      vnpu_waiter_less);
	else
		WRITE_ONCE(timeline->nr_waiters, timeline->nr_waiters - 1);
	spin_unlock(&timeline->lock);
	return waits;
}

/**
 * vnpu_waiter_remove_locked() - remove a waiter from a locked timeline
 * @waiter: the waiter, which was added
 * @timeline: its timeline; the lock is held
 *
 * Return: true if it had still been waiting.
 */
bool vnpu_waiter_remove_locked(struct vnpu_waiter *waiter,
			       struct vnpu_timeline *timeline)
{
	lockdep_assert_held(&timeline->lock);
	if (!vnpu_waiter_waits_locked(waiter))
		return false;
	rb_erase_cached(&waiter->node, &timeline->waiters);
	RB_CLEAR_NODE(&waiter->node);
	WRITE_ONCE(timeline->nr_waiters, timeline->nr_waiters - 1);
	return true;
}

/**
 * vnpu_waiter_remove() - remove a waiter from a timeline
 * @waiter: the waiter, which was added
 * @timeline: its timeline
 *
 * After this @wake is not called any more.
 *
 * Return: true if it had still been waiting.
 */
bool vnpu_waiter_remove(struct vnpu_waiter *waiter,
			struct vnpu_timeline *timeline)
{
	bool waited;

	spin_lock(&timeline->lock);
	waited = vnpu_waiter_remove_locked(waiter, timeline);
	spin_unlock(&timeline->lock);
	return waited;
}
