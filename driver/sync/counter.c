// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters, and the conditions that tasks wait for.
 *
 * After each change all waiters are checked, in the order of their arrival: a
 * satisfied waiter stops waiting, and if it clears the counter, the waiters
 * after it find it clear. There may be many waiters, so the lock is only held
 * for some of them at a time. Until all were checked, the counter cannot change
 * or get new waiters; a caller that needs either first does a part of the
 * remaining checks. So no caller waits for the thread that made the change, and
 * each change looks atomic.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <linux/vnpu.h>
#include <linux/vnpu_task.h>

#include "account/account.h"
#include "account/id_pool.h"
#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "base/upcalls.h"
#include "counter.h"
#include "timeline.h"

/*
 * The work that is done with the lock held, and in one turn of an engine:
 * checking a waiter counts as one, waking it counts more.
 */
#define VNPU_COUNTER_BATCH	512
#define VNPU_COUNTER_WAKE	8

/* The cost of checking one waiter, in bytes that an engine could have moved. */
#define VNPU_COUNTER_COST	SZ_512

/**
 * vnpu_cond_is_valid() - check if a condition exists
 * @cond: any number
 *
 * Return: true if @cond is one of VNPU_COND_*.
 */
bool vnpu_cond_is_valid(u32 cond)
{
	return cond <= VNPU_COND_NOT_LESS;
}

/**
 * vnpu_cond_holds() - check if a condition is satisfied
 * @cond: VNPU_COND_*
 * @found: the current value
 * @value: the value to compare it with
 *
 * Return: true if @found satisfies the condition.
 */
bool vnpu_cond_holds(u32 cond, u64 found, u64 value)
{
	switch (cond) {
	case VNPU_COND_GEQ:
		return (s64)(found - value) >= 0;
	case VNPU_COND_EQ:
		return found == value;
	case VNPU_COND_AND:
		return found & value;
	case VNPU_COND_NOR:
		return ~(found | value);
	case VNPU_COND_LESS:
		return found < value;
	case VNPU_COND_GREATER:
		return found > value;
	default:
		return found >= value;
	}
}

static void vnpu_counter_release(struct vnpu_timeline *counter)
{
	vnpu_device_put(counter->dev);
	kfree_rcu(counter, rcu);
}

/*
 * The counter has ended, and nothing can change it. Tasks, and ids and files
 * that only permit waiting, may still have references, but these need no
 * number.
 */
static void vnpu_counter_unheld(struct vnpu_timeline *counter)
{
	struct vnpu_client *client = counter->account->client;

	vnpu_id_free(counter->account, VNPU_ID_COUNTER, counter->number);
	counter->account = NULL;
	vnpu_client_put(client);
}

/**
 * vnpu_counter_create() - create a counter
 * @client: the client that is charged for it, until its last id and file are
 *	gone
 * @device: index of the device to which the counter belongs
 * @value: the initial value
 *
 * Return: the counter with one reference, which the caller holds next
 * (vnpu_timeline_hold()), or ERR_PTR of -ENODEV, -EAGAIN, -EDQUOT or -ENOMEM.
 */
struct vnpu_timeline *vnpu_counter_create(struct vnpu_client *client,
					  unsigned int device, u64 value)
{
	struct vnpu_account *account = vnpu_client_account(client, device);
	struct vnpu_timeline *counter;
	int ret;

	if (IS_ERR(account))
		return ERR_CAST(account);
	counter = kzalloc(sizeof(*counter), GFP_KERNEL_ACCOUNT);
	if (!counter)
		return ERR_PTR(-ENOMEM);
	counter->dev = vnpu_client_device_get(client, device);
	if (!counter->dev) {
		kfree(counter);
		return ERR_PTR(-ENODEV);
	}
	ret = vnpu_id_alloc(account, VNPU_ID_COUNTER, &counter->number);
	if (ret) {
		vnpu_device_put(counter->dev);
		kfree(counter);
		return ERR_PTR(ret);
	}
	vnpu_timeline_init(counter, VNPU_TIMELINE_KIND_COUNTER,
			   vnpu_counter_release);
	vnpu_client_get(client);
	counter->account = account;
	counter->unheld = vnpu_counter_unheld;
	counter->value = value;
	return counter;
}

/* Check a waiter, and clear the counter if the satisfied waiter requests it. */
static bool vnpu_counter_try_locked(struct vnpu_timeline *counter,
				    const struct vnpu_counter_waiter *waiter)
{
	u64 found = counter->value;

	lockdep_assert_held(&counter->lock);
	if (waiter->mask)
		found &= waiter->mask;
	if (!vnpu_cond_holds(waiter->cond, found, waiter->value))
		return false;
	if (waiter->clear)
		WRITE_ONCE(counter->value, 0);
	return true;
}

/*
 * Check some of the waiters after the last change. Returns true if more are
 * left.
 */
static bool vnpu_counter_wake_some_locked(struct vnpu_timeline *counter, u64 *cost)
{
	const struct list_head *end = &counter->counter_waiters;
	u32 done = 0;

	lockdep_assert_held(&counter->lock);
	while (counter->counter_at != end && done < VNPU_COUNTER_BATCH) {
		struct vnpu_counter_waiter *waiter =
			list_entry(counter->counter_at,
				   struct vnpu_counter_waiter, link);

		counter->counter_at = waiter->link.next;
		done++;
		if (!vnpu_counter_try_locked(counter, waiter))
			continue;
		list_del_init(&waiter->link);
		waiter->wake(waiter);
		done += VNPU_COUNTER_WAKE;
	}
	*cost += (u64)done * VNPU_COUNTER_COST;
	return counter->counter_at != end;
}

static int vnpu_counter_change_locked(struct vnpu_timeline *counter, u64 value,
				      u32 mode)
{
	lockdep_assert_held(&counter->lock);
	switch (mode) {
	case VNPU_SIGNAL_SET:
		WRITE_ONCE(counter->value, value);
		break;
	case VNPU_SIGNAL_ADD:
		WRITE_ONCE(counter->value, counter->value + value);
		break;
	case VNPU_SIGNAL_OR:
		WRITE_ONCE(counter->value, counter->value | value);
		break;
	case VNPU_SIGNAL_AND:
		WRITE_ONCE(counter->value, counter->value & value);
		break;
	default:
		return -EINVAL;
	}
	counter->counter_at = counter->counter_waiters.next;
	counter->counter_changes++;
	return 0;
}

/**
 * vnpu_counter_signal() - change a counter
 * @counter: the counter
 * @value: the operand of the change
 * @mode: VNPU_SIGNAL_*
 * @change: set for the calls of vnpu_counter_wake_some() that wake the waiters
 * @cost: increased by the cost of this call
 *
 * Return: 0, -EINVAL, or -EAGAIN if the previous change has waiters left: some
 * more were checked, and the caller has to try again.
 */
int vnpu_counter_signal(struct vnpu_timeline *counter, u64 value, u32 mode,
			u64 *change, u64 *cost)
{
	int ret = -EAGAIN;

	spin_lock(&counter->lock);
	if (!vnpu_counter_wake_some_locked(counter, cost))
		ret = vnpu_counter_change_locked(counter, value, mode);
	*change = counter->counter_changes;
	spin_unlock(&counter->lock);
	return ret;
}

/**
 * vnpu_counter_wake_some() - check some waiters, and wake the satisfied ones
 * @counter: the counter
 * @change: set by vnpu_counter_signal()
 * @cost: increased by the cost of this call
 *
 * Return: true if more waiters are left.
 */
bool vnpu_counter_wake_some(struct vnpu_timeline *counter, u64 change, u64 *cost)
{
	bool more = false;

	spin_lock(&counter->lock);
	/* The next change is made only after all waiters were checked. */
	if (counter->counter_changes == change)
		more = vnpu_counter_wake_some_locked(counter, cost);
	spin_unlock(&counter->lock);
	return more;
}

static void vnpu_counter_remove_locked(struct vnpu_timeline *counter,
				       struct vnpu_counter_waiter *waiter)
{
	lockdep_assert_held(&counter->lock);
	if (counter->counter_at == &waiter->link)
		counter->counter_at = waiter->link.next;
	list_del_init(&waiter->link);
}

/* Returns true if there are more. */
static bool vnpu_counter_end_some(struct vnpu_timeline *counter)
{
	struct vnpu_counter_waiter *waiter;
	u32 i = 0;

	spin_lock(&counter->lock);
	for (; i < VNPU_COUNTER_BATCH; i += VNPU_COUNTER_WAKE) {
		waiter = list_first_entry_or_null(&counter->counter_waiters,
						  struct vnpu_counter_waiter,
						  link);
		if (!waiter)
			break;
		vnpu_counter_remove_locked(counter, waiter);
		waiter->wake(waiter);
	}
	spin_unlock(&counter->lock);
	return i >= VNPU_COUNTER_BATCH;
}

/**
 * vnpu_counter_end() - wake all waiters of a counter that has ended
 * @counter: the counter, which nothing can change any more
 *
 * Engines must not call this.
 */
void vnpu_counter_end(struct vnpu_timeline *counter)
{
	vnpu_assert_may_wait();
	while (vnpu_counter_end_some(counter))
		cond_resched();
}

/**
 * vnpu_counter_wait() - begin to wait for a counter
 * @counter: the counter; the caller's reference keeps it until the waiter is
 *	woken or has stopped waiting
 * @waiter: filled, except for its link
 * @cost: increased by the cost of this call
 *
 * Return: 1 if it waits; 0 if the condition is satisfied, or the counter has
 * ended: then it will not be woken; -EAGAIN if the last change of the counter
 * has waiters left: some more were checked, and the caller has to try again.
 */
int vnpu_counter_wait(struct vnpu_timeline *counter,
		      struct vnpu_counter_waiter *waiter, u64 *cost)
{
	int ret = 0;

	INIT_LIST_HEAD(&waiter->link);
	spin_lock(&counter->lock);
	if (!atomic_read(&counter->holders))
		goto out;
	if (vnpu_counter_wake_some_locked(counter, cost)) {
		ret = -EAGAIN;
	} else if (!vnpu_counter_try_locked(counter, waiter)) {
		list_add_tail(&waiter->link, &counter->counter_waiters);
		ret = 1;
	}
out:
	spin_unlock(&counter->lock);
	return ret;
}

/**
 * vnpu_counter_is_waited() - check if a waiter still waits
 * @counter: the counter
 * @waiter: the waiter, which was added
 *
 * If it does not wait any more, the thread that woke it does not use it any
 * more.
 *
 * Return: true if no thread has woken it yet.
 */
bool vnpu_counter_is_waited(struct vnpu_timeline *counter,
			    const struct vnpu_counter_waiter *waiter)
{
	bool waits;

	spin_lock(&counter->lock);
	waits = !list_empty(&waiter->link);
	spin_unlock(&counter->lock);
	return waits;
}

/**
 * vnpu_counter_stop_waiting() - remove a waiter from a counter
 * @counter: the counter
 * @waiter: the waiter, which was added
 */
void vnpu_counter_stop_waiting(struct vnpu_timeline *counter,
			       struct vnpu_counter_waiter *waiter)
{
	spin_lock(&counter->lock);
	vnpu_counter_remove_locked(counter, waiter);
	spin_unlock(&counter->lock);
}
