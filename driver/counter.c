// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters, and the conditions that are waited for.
 *
 * Each change looks at all who wait, in the order in which they came: whom it
 * satisfies goes, and if he clears the counter, those after him find it clear.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include <linux/vnpu.h>
#include <linux/vnpu_task.h>

#include "attach.h"
#include "client.h"
#include "counter.h"
#include "device.h"
#include "numbers.h"
#include "timeline.h"

/**
 * vnpu_cond_is_valid() - is it one?
 * @cond: any number
 */
bool vnpu_cond_is_valid(u32 cond)
{
	return cond <= VNPU_COND_NOT_LESS;
}

/**
 * vnpu_cond_holds() - is a condition fulfilled?
 * @cond: VNPU_COND_*
 * @found: what there is
 * @value: what it is compared with
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
 * It has ended, and nothing can change it. Tasks, and ids and files by which it can
 * only be waited for, may have references still, but these need no number.
 */
static void vnpu_counter_unheld(struct vnpu_timeline *counter)
{
	struct vnpu_client *client = counter->usage->client;

	vnpu_number_put(counter->usage, VNPU_NUMBER_COUNTER, counter->number);
	counter->usage = NULL;
	vnpu_client_put(client);
}

/**
 * vnpu_counter_create() - make a counter
 * @client: the client that it is charged to, until its last id and file go
 * @device: index of the device that it counts for
 * @value: what it begins with
 *
 * Return: the counter with one reference, which the caller holds next
 * (vnpu_timeline_hold()), or ERR_PTR of -ENODEV, -EAGAIN, -EDQUOT or -ENOMEM.
 */
struct vnpu_timeline *vnpu_counter_create(struct vnpu_client *client,
					  unsigned int device, u64 value)
{
	struct vnpu_usage *usage = vnpu_client_usage(client, device);
	struct vnpu_timeline *counter;
	int ret;

	if (IS_ERR(usage))
		return ERR_CAST(usage);
	counter = kzalloc(sizeof(*counter), GFP_KERNEL_ACCOUNT);
	if (!counter)
		return ERR_PTR(-ENOMEM);
	counter->dev = vnpu_client_device_get(client, device);
	if (!counter->dev) {
		kfree(counter);
		return ERR_PTR(-ENODEV);
	}
	ret = vnpu_number_take(usage, VNPU_NUMBER_COUNTER, &counter->number);
	if (ret) {
		vnpu_device_put(counter->dev);
		kfree(counter);
		return ERR_PTR(ret);
	}
	vnpu_timeline_init(counter, VNPU_TIMELINE_KIND_COUNTER,
			   vnpu_counter_release);
	vnpu_client_get(client);
	counter->usage = usage;
	counter->unheld = vnpu_counter_unheld;
	counter->value = value;
	return counter;
}

/* Also takes what is waited for, where that is asked. */
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

static void vnpu_counter_wake_locked(struct vnpu_timeline *counter)
{
	struct vnpu_counter_waiter *waiter, *next;

	list_for_each_entry_safe(waiter, next, &counter->counter_waiters,
				 link) {
		if (!vnpu_counter_try_locked(counter, waiter))
			continue;
		list_del_init(&waiter->link);
		waiter->wake(waiter);
	}
}

/**
 * vnpu_counter_signal() - change a counter
 * @counter: the counter
 * @value: how
 * @mode: VNPU_SIGNAL_*
 *
 * Return: 0 or -EINVAL.
 */
int vnpu_counter_signal(struct vnpu_timeline *counter, u64 value, u32 mode)
{
	int ret = 0;

	spin_lock(&counter->lock);
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
		ret = -EINVAL;
	}
	if (!ret)
		vnpu_counter_wake_locked(counter);
	spin_unlock(&counter->lock);
	return ret;
}

/**
 * vnpu_counter_end_locked() - nobody can change it any more
 * @counter: the counter, or a timeline; its lock is held
 */
void vnpu_counter_end_locked(struct vnpu_timeline *counter)
{
	struct vnpu_counter_waiter *waiter, *next;

	lockdep_assert_held(&counter->lock);
	list_for_each_entry_safe(waiter, next, &counter->counter_waiters,
				 link) {
		list_del_init(&waiter->link);
		waiter->wake(waiter);
	}
}

/**
 * vnpu_counter_wait() - begin to wait
 * @counter: for what; the caller's reference keeps it until he is woken or has
 *	stopped waiting
 * @waiter: filled but for its link
 *
 * Return: false if the condition is fulfilled: then nobody will be woken.
 */
bool vnpu_counter_wait(struct vnpu_timeline *counter,
		       struct vnpu_counter_waiter *waiter)
{
	bool waits;

	INIT_LIST_HEAD(&waiter->link);
	spin_lock(&counter->lock);
	waits = atomic_read(&counter->holders) &&
		!vnpu_counter_try_locked(counter, waiter);
	if (waits)
		list_add_tail(&waiter->link, &counter->counter_waiters);
	spin_unlock(&counter->lock);
	return waits;
}

/**
 * vnpu_counter_is_waited() - does he still wait?
 * @counter: the counter
 * @waiter: who was waiting
 *
 * When he does not, whoever woke him is done with him.
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
 * vnpu_counter_stop_waiting() - wait no longer
 * @counter: the counter
 * @waiter: who was waiting
 */
void vnpu_counter_stop_waiting(struct vnpu_timeline *counter,
			       struct vnpu_counter_waiter *waiter)
{
	spin_lock(&counter->lock);
	list_del_init(&waiter->link);
	spin_unlock(&counter->lock);
}
