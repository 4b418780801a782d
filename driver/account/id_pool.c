// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools of numbers for a device's streams, events and counters.
 *
 * A card has a fixed number of each, and programs are written with that in
 * mind. An event has no other state in the kernel than its number, so the
 * driver only records which client has it.
 *
 * The driver cannot take a number back from a client. A fixed part for each
 * user would be too small if there are few users, and without a limit the first
 * user could take all. So the limit depends on the free numbers, like the
 * dynamic thresholds in the shared buffer of a switch. A client may take one
 * more as long as its own numbers plus those of all clients of its user are
 * fewer than the free ones. This has the following effects:
 *
 *  - a single client gets a third, and a user with many clients nearly half;
 *  - each further user gets as large a part of what the others left, and each
 *    further client of a user as large a part of what that user may still take;
 *  - a user without numbers still finds some, as long as there are few users
 *    before: each user with one client that takes all it can leaves two thirds.
 *
 * A quota that the administrator set for the client or one of its users
 * replaces this share. CAP_SYS_RESOURCE in the initial user namespace lifts it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/user_namespace.h>
#include <linux/xarray.h>

#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "account.h"
#include "id_pool.h"
#include "oom.h"
#include "quota.h"

/* Index of an event in vnpu_client.events. */
#define VNPU_EVENT_INDEX(device, number) \
	((unsigned long)(device) * VNPU_MAX_EVENTS + (number))

/**
 * vnpu_numbers_init() - initialise a pool with all numbers free
 * @numbers: the pool
 * @count: size of the pool
 */
void vnpu_numbers_init(struct vnpu_numbers *numbers, u32 count)
{
	ida_init(&numbers->ida);
	numbers->count = count;
	atomic_set(&numbers->used, 0);
}

/**
 * vnpu_numbers_fini() - free a pool in which no number is in use
 * @numbers: the pool
 */
void vnpu_numbers_fini(struct vnpu_numbers *numbers)
{
	WARN_ON_ONCE(!ida_is_empty(&numbers->ida));
	ida_destroy(&numbers->ida);
}

/**
 * vnpu_numbers_free() - count the free numbers
 * @numbers: the pool
 */
u32 vnpu_numbers_free(const struct vnpu_numbers *numbers)
{
	return numbers->count - min_t(u32, atomic_read(&numbers->used),
				      numbers->count);
}

static u32 vnpu_number_resource(u32 kind)
{
	return VNPU_QUOTA_RESOURCE_STREAMS + kind;
}

/* Return how much room the client's share has left; may be negative. */
static s64 vnpu_number_room_locked(const struct vnpu_usage *usage, u32 kind)
{
	const struct vnpu_numbers *numbers = &usage->dev->numbers[kind];

	lockdep_assert_held(&usage->dev->lock);
	return (s64)numbers->count - numbers->charged -
	       usage->of_user->numbers[kind] - usage->numbers[kind];
}

static bool vnpu_number_is_shared_locked(const struct vnpu_usage *usage,
					 u32 kind)
{
	return !vnpu_quota_is_own_locked(usage, vnpu_number_resource(kind)) &&
	       !ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
}

static int vnpu_number_charge(struct vnpu_usage *usage, u32 kind,
			      struct vnpu_quota_state *refusal)
{
	struct vnpu_device *dev = usage->dev;
	struct vnpu_numbers *numbers = &dev->numbers[kind];
	int ret;

	spin_lock(&dev->lock);
	if (vnpu_device_is_gone(dev))
		ret = -ENODEV;
	else if (numbers->charged == numbers->count)
		ret = -EAGAIN;
	else
		ret = vnpu_quota_check_locked(usage, vnpu_number_resource(kind),
					      1, refusal);
	if (!ret && vnpu_number_room_locked(usage, kind) <= 0 &&
	    vnpu_number_is_shared_locked(usage, kind))
		ret = -EDQUOT;
	if (!ret) {
		numbers->charged++;
		usage->numbers[kind]++;
		usage->of_user->numbers[kind]++;
		vnpu_quota_charge_locked(usage, vnpu_number_resource(kind), 1);
	}
	spin_unlock(&dev->lock);
	return ret;
}

/**
 * vnpu_number_uncharge() - uncharge a number
 * @usage: the account to which it was charged
 * @kind: VNPU_NUMBER_*
 */
void vnpu_number_uncharge(struct vnpu_usage *usage, u32 kind)
{
	struct vnpu_device *dev = usage->dev;

	spin_lock(&dev->lock);
	dev->numbers[kind].charged--;
	usage->numbers[kind]--;
	usage->of_user->numbers[kind]--;
	vnpu_quota_uncharge_locked(usage, vnpu_number_resource(kind), 1);
	spin_unlock(&dev->lock);
}

/**
 * vnpu_number_take() - allocate the lowest free number for a client
 * @usage: the account of the client
 * @kind: VNPU_NUMBER_*
 * @number: filled with the number
 *
 * Return: 0, -ENODEV, -EAGAIN (no number is free), -EDQUOT (refused by a quota
 * or by the client's share) or -ENOMEM.
 */
int vnpu_number_take(struct vnpu_usage *usage, u32 kind, u32 *number)
{
	struct vnpu_numbers *numbers = &usage->dev->numbers[kind];
	struct vnpu_quota_state refusal = { };
	int id, ret;

	ret = vnpu_number_charge(usage, kind, &refusal);
	if (ret) {
		if (refusal.key.scope != VNPU_QUOTA_SCOPE_NONE)
			vnpu_oom_report_quota(usage, &refusal);
		return ret;
	}
	id = ida_alloc_max(&numbers->ida, numbers->count - 1, GFP_KERNEL);
	if (id < 0) {
		vnpu_number_uncharge(usage, kind);
		return id == -ENOSPC ? -EAGAIN : id;
	}
	atomic_inc(&numbers->used);
	*number = id;
	return 0;
}

/**
 * vnpu_number_free() - free a number that is charged to no client
 * @numbers: the pool
 * @number: a number in use
 *
 * Does not sleep.
 */
void vnpu_number_free(struct vnpu_numbers *numbers, u32 number)
{
	ida_free(&numbers->ida, number);
	atomic_dec(&numbers->used);
}

/**
 * vnpu_number_put() - free a number of a client and uncharge it
 * @usage: the account of the client
 * @kind: VNPU_NUMBER_*
 * @number: a number that the client has
 */
void vnpu_number_put(struct vnpu_usage *usage, u32 kind, u32 number)
{
	vnpu_number_free(&usage->dev->numbers[kind], number);
	vnpu_number_uncharge(usage, kind);
}

/**
 * vnpu_number_left() - count how many more numbers the calling client can take
 * @usage: the account of the client
 * @kind: VNPU_NUMBER_*
 * @limit: filled with the limit that applies: the scope of the key is that of a
 *	quota, VNPU_QUOTA_SCOPE_SHARE, or VNPU_QUOTA_SCOPE_NONE if the client
 *	can take all free numbers
 */
u32 vnpu_number_left(struct vnpu_usage *usage, u32 kind,
		     struct vnpu_quota_state *limit)
{
	struct vnpu_device *dev = usage->dev;
	const struct vnpu_numbers *numbers = &dev->numbers[kind];
	struct vnpu_quota_state quota = { };
	u64 left, allowed;
	s64 room;

	spin_lock(&dev->lock);
	left = numbers->count - numbers->charged;
	*limit = (struct vnpu_quota_state){
		.limit = numbers->count,
		.used = numbers->charged,
	};
	if (vnpu_number_is_shared_locked(usage, kind)) {
		/* Taking one changes three terms of the room by one each. */
		room = max_t(s64, vnpu_number_room_locked(usage, kind), 0);
		left = DIV_ROUND_UP_ULL(room, 3);
		*limit = (struct vnpu_quota_state){
			.key.scope = VNPU_QUOTA_SCOPE_SHARE,
			.limit = usage->numbers[kind] + left,
			.used = usage->numbers[kind],
		};
	}
	allowed = vnpu_quota_left_locked(usage, vnpu_number_resource(kind),
					 &quota);
	if (allowed < left) {
		left = allowed;
		*limit = quota;
	}
	spin_unlock(&dev->lock);
	return left;
}

/**
 * vnpu_event_take() - allocate the number of an event for a client
 * @client: the client
 * @device: index of the device
 * @number: filled with the number
 * @available: filled with how many more the client can take afterwards
 *
 * Return: 0, -ENODEV, -EAGAIN, -EDQUOT or -ENOMEM.
 */
int vnpu_event_take(struct vnpu_client *client, u32 device, u32 *number,
		    u32 *available)
{
	struct vnpu_usage *usage = vnpu_client_usage(client, device);
	struct vnpu_quota_state limit;
	int ret;

	if (IS_ERR(usage))
		return PTR_ERR(usage);
	ret = vnpu_number_take(usage, VNPU_NUMBER_EVENT, number);
	if (ret)
		return ret;
	ret = xa_insert(&client->events, VNPU_EVENT_INDEX(device, *number),
			usage, GFP_KERNEL_ACCOUNT);
	if (ret) {
		vnpu_number_put(usage, VNPU_NUMBER_EVENT, *number);
		return ret;
	}
	*available = vnpu_number_left(usage, VNPU_NUMBER_EVENT, &limit);
	return 0;
}

/**
 * vnpu_event_give() - free the number of an event of a client
 * @client: the client
 * @device: index of the device
 * @number: any number
 *
 * Return: 0, -ENODEV (there is no such device, and the client has no such event
 * of a removed one) or -ENOENT.
 */
int vnpu_event_give(struct vnpu_client *client, u32 device, u32 number)
{
	struct vnpu_usage *usage = NULL;
	struct vnpu_device *dev;

	if (device < VNPU_MAX_DEVICES && number < VNPU_MAX_EVENTS)
		usage = xa_erase(&client->events,
				 VNPU_EVENT_INDEX(device, number));
	if (usage) {
		vnpu_number_put(usage, VNPU_NUMBER_EVENT, number);
		return 0;
	}
	dev = vnpu_client_device_get(client, device);
	if (!dev)
		return -ENODEV;
	vnpu_device_put(dev);
	return -ENOENT;
}

/**
 * vnpu_events_give_all() - free all event numbers of a client at its end
 * @client: the client
 */
void vnpu_events_give_all(struct vnpu_client *client)
{
	unsigned long index;
	void *entry;

	xa_for_each(&client->events, index, entry) {
		vnpu_event_give(client, index / VNPU_MAX_EVENTS,
				index % VNPU_MAX_EVENTS);
		cond_resched();
	}
}
