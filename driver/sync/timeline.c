// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timelines and their waiters.
 *
 * The value is read without a lock, and that of a stream is written without
 * one, by the only engine that runs it. The lock protects the waiters. A waiter
 * adds itself before it reads the value; the value is written before the number
 * of waiters is read; and there is a full barrier in between on either side. So
 * at least one of them sees the other.
 *
 * The lock nests outside of vnpu_engines.lock, which is taken to wake a stream.
 * It is held for a bounded number of waiters at a time. An engine wakes that
 * many in a turn, and the driver charges the time to the client of its stream.
 * Other threads wake all, and may be preempted in between.
 */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <linux/vnpu.h>
#include <linux/vnpu_task.h>

#include "base/upcalls.h"
#include "counter.h"
#include "timeline.h"

/*
 * The number of waiters that are woken with the lock held, and in one turn of
 * an engine.
 */
#define VNPU_WAKE_BATCH		64

/* The cost of waking one, in bytes that an engine could have moved. */
#define VNPU_WAKE_COST		SZ_4K

/**
 * vnpu_timeline_init() - initialise a timeline
 * @timeline: zeroed memory
 * @kind: VNPU_TIMELINE_KIND_*
 * @release: called with the last reference
 *
 * The caller gets one reference.
 */
void vnpu_timeline_init(struct vnpu_timeline *timeline, u32 kind,
			void (*release)(struct vnpu_timeline *timeline))
{
	kref_init(&timeline->ref);
	timeline->kind = kind;
	timeline->release = release;
	spin_lock_init(&timeline->lock);
	timeline->waiters = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&timeline->counter_waiters);
	timeline->counter_at = &timeline->counter_waiters;
}

static void vnpu_timeline_free(struct vnpu_timeline *timeline)
{
	kfree_rcu(timeline, rcu);
}

/**
 * vnpu_timeline_create() - create a timeline that only signals advance
 * @value: the initial value
 *
 * Return: the timeline with one reference, or NULL.
 */
struct vnpu_timeline *vnpu_timeline_create(u64 value)
{
	struct vnpu_timeline *timeline;

	timeline = kzalloc(sizeof(*timeline), GFP_KERNEL_ACCOUNT);
	if (!timeline)
		return NULL;
	vnpu_timeline_init(timeline, VNPU_TIMELINE_KIND_TIMELINE,
			   vnpu_timeline_free);
	timeline->value = value;
	return timeline;
}

/**
 * vnpu_timeline_get() - take a reference
 * @timeline: a timeline to which the caller has a reference
 */
void vnpu_timeline_get(struct vnpu_timeline *timeline)
{
	kref_get(&timeline->ref);
}

static void vnpu_timeline_release(struct kref *ref)
{
	struct vnpu_timeline *timeline =
		container_of(ref, struct vnpu_timeline, ref);

	WARN_ON_ONCE(timeline->nr_waiters);
	timeline->release(timeline);
}

/**
 * vnpu_timeline_put() - drop a reference
 * @timeline: the timeline
 *
 * May sleep: a stream's ring is unmapped with the last reference, and the last
 * one of a removed device ends its engines. An engine calls
 * vnpu_timeline_put_later().
 */
void vnpu_timeline_put(struct vnpu_timeline *timeline)
{
	vnpu_assert_may_wait();
	kref_put(&timeline->ref, vnpu_timeline_release);
}

/* Timelines after an engine has dropped their last reference. */
static LLIST_HEAD(vnpu_timelines_later);

static void vnpu_timelines_release(struct work_struct *work)
{
	struct llist_node *first = llist_del_all(&vnpu_timelines_later);
	struct vnpu_timeline *timeline, *next;

	llist_for_each_entry_safe(timeline, next, first, later) {
		vnpu_timeline_release(&timeline->ref);
		cond_resched();
	}
}

static DECLARE_WORK(vnpu_timelines_work, vnpu_timelines_release);

static void vnpu_timeline_release_later(struct kref *ref)
{
	struct vnpu_timeline *timeline =
		container_of(ref, struct vnpu_timeline, ref);

	/*
	 * A reader that finds it by RCU sees that it has no reference, and
	 * ignores it.
	 */
	llist_add(&timeline->later, &vnpu_timelines_later);
	/* Queue in any case, so that the caller's client can flush its own. */
	queue_work(system_unbound_wq, &vnpu_timelines_work);
}

/**
 * vnpu_timeline_put_later() - drop a reference in any context
 * @timeline: the timeline; if the reference was the last, a worker frees it
 */
void vnpu_timeline_put_later(struct vnpu_timeline *timeline)
{
	kref_put(&timeline->ref, vnpu_timeline_release_later);
}

/**
 * vnpu_timelines_flush() - free the timelines of vnpu_timeline_put_later()
 *
 * Called at the end of a client, when all its memory must be free on return,
 * and at the end of the module.
 */
void vnpu_timelines_flush(void)
{
	vnpu_assert_may_wait();
	flush_work(&vnpu_timelines_work);
}

/**
 * vnpu_timeline_hold() - add an id or file that may signal a timeline
 * @timeline: a timeline to which the caller has a reference
 */
void vnpu_timeline_hold(struct vnpu_timeline *timeline)
{
	atomic_inc(&timeline->holders);
}

/**
 * vnpu_timeline_try_hold() - hold a timeline that still has a holder
 * @timeline: a timeline to which the caller has a reference
 *
 * Return: false if its last id and file are gone, with which it has ended.
 */
bool vnpu_timeline_try_hold(struct vnpu_timeline *timeline)
{
	return atomic_inc_not_zero(&timeline->holders);
}

/**
 * vnpu_timeline_unhold() - remove an id or file that may signal a timeline
 * @timeline: a timeline to which the caller has a reference
 *
 * After the last one nothing can advance it; a stream advances by itself.
 */
void vnpu_timeline_unhold(struct vnpu_timeline *timeline)
{
	if (!atomic_dec_and_test(&timeline->holders) ||
	    timeline->kind == VNPU_TIMELINE_KIND_STREAM)
		return;
	vnpu_timeline_end(timeline, 0);
	if (timeline->unheld)
		timeline->unheld(timeline);
}

static bool vnpu_timeline_wake_some_locked(struct vnpu_timeline *timeline,
					   u64 reached, u64 *cost)
{
	unsigned int i;

	lockdep_assert_held(&timeline->lock);
	for (i = 0; ; i++) {
		struct rb_node *node = rb_first_cached(&timeline->waiters);
		struct vnpu_waiter *waiter;

		if (!node)
			return false;
		waiter = rb_entry(node, struct vnpu_waiter, node);
		if (waiter->value > reached)
			return false;
		if (i == VNPU_WAKE_BATCH)
			return true;
		rb_erase_cached(node, &timeline->waiters);
		RB_CLEAR_NODE(node);
		WRITE_ONCE(timeline->nr_waiters, timeline->nr_waiters - 1);
		waiter->wake(waiter);
		*cost += VNPU_WAKE_COST;
	}
}

/**
 * vnpu_timeline_wake_some() - wake a bounded number of waiters
 * @timeline: a timeline that has reached a value, or a counter
 * @reached: that value; or what vnpu_timeline_signal() has set
 * @cost: increased by the cost of this call
 *
 * An engine calls this in as many turns as it takes. Their number is finite: a
 * waiter for a reached value does not begin to wait. Several callers may do
 * this at the same time for the same waiters.
 *
 * Return: true if there are more waiters.
 */
bool vnpu_timeline_wake_some(struct vnpu_timeline *timeline, u64 reached, u64 *cost)
{
	bool more;

	if (timeline->kind == VNPU_TIMELINE_KIND_COUNTER)
		return vnpu_counter_wake_some(timeline, reached, cost);
	/*
	 * Order the store of the value before the load of the count. Pairs with
	 * smp_mb() in vnpu_waiter_add().
	 */
	smp_mb();
	if (!READ_ONCE(timeline->nr_waiters))
		return false;
	spin_lock(&timeline->lock);
	more = vnpu_timeline_wake_some_locked(timeline, reached, cost);
	spin_unlock(&timeline->lock);
	return more;
}

/**
 * vnpu_timeline_wake() - wake all waiters for a reached value
 * @timeline: the timeline, or a counter
 * @reached: as for vnpu_timeline_wake_some()
 *
 * Engines must not call this.
 */
void vnpu_timeline_wake(struct vnpu_timeline *timeline, u64 reached)
{
	u64 cost = 0;

	vnpu_assert_may_wait();
	while (vnpu_timeline_wake_some(timeline, reached, &cost))
		cond_resched();
}

/**
 * vnpu_timeline_set_end() - set a timeline to its end, beyond every value
 * @timeline: the timeline, which nothing advances any more
 * @error: -errno for its waiters, or 0
 *
 * The caller wakes them.
 */
void vnpu_timeline_set_end(struct vnpu_timeline *timeline, int error)
{
	spin_lock(&timeline->lock);
	if (!timeline->error)
		WRITE_ONCE(timeline->error, error);
	/*
	 * Order the store of the error before that of the value. Pairs with
	 * vnpu_timeline_value().
	 */
	smp_store_release(&timeline->value, U64_MAX);
	spin_unlock(&timeline->lock);
}

/**
 * vnpu_timeline_end() - end a timeline, and wake all waiters
 * @timeline: the timeline or counter, which nothing advances any more
 * @error: -errno for its waiters, or 0
 *
 * Engines must not call this.
 */
void vnpu_timeline_end(struct vnpu_timeline *timeline, int error)
{
	vnpu_timeline_set_end(timeline, error);
	if (timeline->kind == VNPU_TIMELINE_KIND_COUNTER)
		vnpu_counter_end(timeline);
	else
		vnpu_timeline_wake(timeline, U64_MAX);
}

static void vnpu_timeline_advance(struct vnpu_timeline *timeline, u64 value,
				  int error)
{
	spin_lock(&timeline->lock);
	if (value > timeline->value) {
		WRITE_ONCE(timeline->error, error);
		/*
		 * Order the stores that the value announces, and of the error,
		 * before that of the value. Pairs with vnpu_timeline_value().
		 */
		smp_store_release(&timeline->value, value);
	}
	spin_unlock(&timeline->lock);
}

/**
 * vnpu_timeline_reach() - advance a timeline, and wake its waiters
 * @timeline: a timeline other than a stream's
 * @value: the new value; nothing happens if it is already reached
 * @error: -errno for its waiters, or 0
 *
 * Engines must not call this.
 */
void vnpu_timeline_reach(struct vnpu_timeline *timeline, u64 value, int error)
{
	vnpu_timeline_advance(timeline, value, error);
	vnpu_timeline_wake(timeline, value);
}

/* Concurrent signals all count. */
static int vnpu_timeline_advance_by(struct vnpu_timeline *timeline, u64 value,
				    u64 *reached)
{
	int ret = 0;

	spin_lock(&timeline->lock);
	/* U64_MAX is for timelines that have ended. */
	if (check_add_overflow(timeline->value, value, reached) ||
	    *reached == U64_MAX)
		ret = -EOVERFLOW;
	else
		/* Pairs with vnpu_timeline_value(). */
		smp_store_release(&timeline->value, *reached);
	spin_unlock(&timeline->lock);
	return ret;
}

/**
 * vnpu_timeline_signal() - change a timeline or a counter
 * @timeline: the timeline or counter
 * @value: the operand of the change
 * @mode: VNPU_SIGNAL_*
 * @reached: set for the calls of vnpu_timeline_wake_some() that wake the
 *	waiters
 * @cost: increased by the cost of this call
 *
 * Return: 0, -EACCES for a stream or a fence's timeline, -EINVAL for a mode
 * that its kind does not have, -EOVERFLOW; -EAGAIN if the previous change has
 * waiters left: some more were woken, and the caller has to try again.
 */
int vnpu_timeline_signal(struct vnpu_timeline *timeline, u64 value, u32 mode,
			 u64 *reached, u64 *cost)
{
	if (timeline->kind == VNPU_TIMELINE_KIND_STREAM ||
	    timeline->kind == VNPU_TIMELINE_KIND_FENCE)
		return -EACCES;
	if (timeline->kind == VNPU_TIMELINE_KIND_COUNTER)
		return vnpu_counter_signal(timeline, value, mode, reached, cost);
	if (mode == VNPU_SIGNAL_ADD)
		return vnpu_timeline_advance_by(timeline, value, reached);
	if (mode != VNPU_SIGNAL_ADVANCE)
		return -EINVAL;
	vnpu_timeline_advance(timeline, value, 0);
	*reached = value;
	return 0;
}

/**
 * vnpu_timeline_signal_all() - change a timeline or a counter, and wake its
 * waiters
 * @timeline: the timeline or counter
 * @value: the operand of the change
 * @mode: VNPU_SIGNAL_*
 *
 * Engines must not call this.
 *
 * Return: as vnpu_timeline_signal(), but -EINTR (the process is being killed)
 * in place of -EAGAIN.
 */
int vnpu_timeline_signal_all(struct vnpu_timeline *timeline, u64 value, u32 mode)
{
	u64 reached, cost = 0;
	int ret;

	while ((ret = vnpu_timeline_signal(timeline, value, mode, &reached,
					   &cost)) == -EAGAIN) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	if (!ret)
		vnpu_timeline_wake(timeline, reached);
	return ret;
}

/**
 * vnpu_timeline_error() - get the error of a timeline
 * @timeline: the timeline
 *
 * Return: 0 or -errno.
 */
int vnpu_timeline_error(struct vnpu_timeline *timeline)
{
	return READ_ONCE(timeline->error);
}
