// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools of ids for a device's streams, events and counters.
 *
 * A card has a fixed number of each, and programs are written with that in
 * mind. An event has no other state in the kernel than its id, so the driver
 * only records which client has it.
 *
 * The driver cannot take an id back from a client. A fixed part for each
 * user would be too small if there are few users, and without a limit the first
 * user could take all. So the limit depends on the free ids, like the
 * dynamic thresholds in the shared buffer of a switch. A client may take one
 * more as long as its own ids plus those of all clients of its user are
 * fewer than the free ones. This has the following effects:
 *
 *  - a single client gets a third, and a user with many clients nearly half;
 *  - each further user gets as large a part of the ids that are left, and each
 *    further client of a user as large a part of the rest of the user's share;
 *  - a user without ids still finds some, as long as there are few users
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
#include "quota_report.h"
#include "quota.h"

/* Index of an event in vnpu_client.events. */
#define VNPU_EVENT_INDEX(device, number) \
	((unsigned long)(device) * VNPU_MAX_EVENTS + (number))

/**
 * vnpu_id_pool_init() - initialise a pool with all ids free
 * @pool: the pool
 * @count: size of the pool
 */
void vnpu_id_pool_init(struct vnpu_id_pool *pool, u32 count)
{
	ida_init(&pool->ida);
	pool->count = count;
	atomic_set(&pool->used, 0);
}

/**
 * vnpu_id_pool_fini() - free a pool in which no id is in use
 * @pool: the pool
 */
void vnpu_id_pool_fini(struct vnpu_id_pool *pool)
{
	WARN_ON_ONCE(!ida_is_empty(&pool->ida));
	ida_destroy(&pool->ida);
}

/**
 * vnpu_id_pool_available() - count the free ids
 * @pool: the pool
 */
u32 vnpu_id_pool_available(const struct vnpu_id_pool *pool)
{
	return pool->count - min_t(u32, atomic_read(&pool->used),
				   pool->count);
}

static u32 vnpu_id_resource(u32 kind)
{
	return VNPU_QUOTA_RESOURCE_STREAMS + kind;
}

/* Return how much room the client's share has left; may be negative. */
static s64 vnpu_id_room_locked(const struct vnpu_account *account, u32 kind)
{
	const struct vnpu_id_pool *pool = &account->dev->id_pools[kind];

	lockdep_assert_held(&account->dev->lock);
	return (s64)pool->count - pool->charged -
	       account->of_user->ids[kind] - account->ids[kind];
}

static bool vnpu_id_is_shared_locked(const struct vnpu_account *account,
				     u32 kind)
{
	return !vnpu_quota_is_own_locked(account, vnpu_id_resource(kind)) &&
	       !ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
}

static int vnpu_id_charge(struct vnpu_account *account, u32 kind,
			  struct vnpu_quota_state *refusal)
{
	struct vnpu_device *dev = account->dev;
	struct vnpu_id_pool *pool = &dev->id_pools[kind];
	int ret;

	spin_lock(&dev->lock);
	if (vnpu_device_is_gone(dev))
		ret = -ENODEV;
	else if (pool->charged == pool->count)
		ret = -EAGAIN;
	else
		ret = vnpu_quota_check_locked(account, vnpu_id_resource(kind),
					      1, refusal);
	if (!ret && vnpu_id_room_locked(account, kind) <= 0 &&
	    vnpu_id_is_shared_locked(account, kind))
		ret = -EDQUOT;
	if (!ret) {
		pool->charged++;
		account->ids[kind]++;
		account->of_user->ids[kind]++;
		vnpu_quota_charge_locked(account, vnpu_id_resource(kind), 1);
	}
	spin_unlock(&dev->lock);
	return ret;
}

/**
 * vnpu_id_uncharge() - uncharge an id
 * @account: the account to which it was charged
 * @kind: VNPU_ID_*
 */
void vnpu_id_uncharge(struct vnpu_account *account, u32 kind)
{
	struct vnpu_device *dev = account->dev;

	spin_lock(&dev->lock);
	dev->id_pools[kind].charged--;
	account->ids[kind]--;
	account->of_user->ids[kind]--;
	vnpu_quota_uncharge_locked(account, vnpu_id_resource(kind), 1);
	spin_unlock(&dev->lock);
}

/**
 * vnpu_id_alloc() - allocate the lowest free id for a client
 * @account: the account of the client
 * @kind: VNPU_ID_*
 * @number: filled with the id
 *
 * Return: 0, -ENODEV, -EAGAIN (no id is free), -EDQUOT (refused by a quota
 * or by the client's share) or -ENOMEM.
 */
int vnpu_id_alloc(struct vnpu_account *account, u32 kind, u32 *number)
{
	struct vnpu_id_pool *pool = &account->dev->id_pools[kind];
	struct vnpu_quota_state refusal = { };
	int id, ret;

	ret = vnpu_id_charge(account, kind, &refusal);
	if (ret) {
		if (refusal.key.scope != VNPU_QUOTA_SCOPE_NONE)
			vnpu_oom_report_quota(account, &refusal);
		return ret;
	}
	id = ida_alloc_max(&pool->ida, pool->count - 1, GFP_KERNEL);
	if (id < 0) {
		vnpu_id_uncharge(account, kind);
		return id == -ENOSPC ? -EAGAIN : id;
	}
	atomic_inc(&pool->used);
	*number = id;
	return 0;
}

/**
 * vnpu_id_release() - free an id that is charged to no client
 * @pool: the pool
 * @number: an id in use
 *
 * Does not sleep.
 */
void vnpu_id_release(struct vnpu_id_pool *pool, u32 number)
{
	ida_free(&pool->ida, number);
	atomic_dec(&pool->used);
}

/**
 * vnpu_id_free() - free an id of a client and uncharge it
 * @account: the account of the client
 * @kind: VNPU_ID_*
 * @number: an id that the client has
 */
void vnpu_id_free(struct vnpu_account *account, u32 kind, u32 number)
{
	vnpu_id_release(&account->dev->id_pools[kind], number);
	vnpu_id_uncharge(account, kind);
}

/**
 * vnpu_id_left() - count how many more ids the calling client can take
 * @account: the account of the client
 * @kind: VNPU_ID_*
 * @limit: filled with the limit that applies: the scope of the key is that of a
 *	quota, VNPU_QUOTA_SCOPE_SHARE, or VNPU_QUOTA_SCOPE_NONE if the client
 *	can take all free ids
 */
u32 vnpu_id_left(struct vnpu_account *account, u32 kind,
		 struct vnpu_quota_state *limit)
{
	struct vnpu_device *dev = account->dev;
	const struct vnpu_id_pool *pool = &dev->id_pools[kind];
	struct vnpu_quota_state quota = { };
	u64 left, allowed;
	s64 room;

	spin_lock(&dev->lock);
	left = pool->count - pool->charged;
	*limit = (struct vnpu_quota_state){
		.limit = pool->count,
		.used = pool->charged,
	};
	if (vnpu_id_is_shared_locked(account, kind)) {
		/* Taking one changes three terms of the room by one each. */
		room = max_t(s64, vnpu_id_room_locked(account, kind), 0);
		left = DIV_ROUND_UP_ULL(room, 3);
		*limit = (struct vnpu_quota_state){
			.key.scope = VNPU_QUOTA_SCOPE_SHARE,
			.limit = account->ids[kind] + left,
			.used = account->ids[kind],
		};
	}
	allowed = vnpu_quota_left_locked(account, vnpu_id_resource(kind),
					 &quota);
	if (allowed < left) {
		left = allowed;
		*limit = quota;
	}
	spin_unlock(&dev->lock);
	return left;
}

/**
 * vnpu_event_alloc() - allocate the number of an event for a client
 * @client: the client
 * @device: index of the device
 * @number: filled with the number
 * @available: filled with how many more the client can take afterwards
 *
 * Return: 0, -ENODEV, -EAGAIN, -EDQUOT or -ENOMEM.
 */
int vnpu_event_alloc(struct vnpu_client *client, u32 device, u32 *number,
		     u32 *available)
{
	struct vnpu_account *account = vnpu_client_account(client, device);
	struct vnpu_quota_state limit;
	int ret;

	if (IS_ERR(account))
		return PTR_ERR(account);
	ret = vnpu_id_alloc(account, VNPU_ID_EVENT, number);
	if (ret)
		return ret;
	ret = xa_insert(&client->events, VNPU_EVENT_INDEX(device, *number),
			account, GFP_KERNEL_ACCOUNT);
	if (ret) {
		vnpu_id_free(account, VNPU_ID_EVENT, *number);
		return ret;
	}
	*available = vnpu_id_left(account, VNPU_ID_EVENT, &limit);
	return 0;
}

/**
 * vnpu_event_free() - free the number of an event of a client
 * @client: the client
 * @device: index of the device
 * @number: any number
 *
 * Return: 0, -ENODEV (there is no such device, and the client has no such event
 * of a removed one) or -ENOENT.
 */
int vnpu_event_free(struct vnpu_client *client, u32 device, u32 number)
{
	struct vnpu_account *account = NULL;
	struct vnpu_device *dev;

	if (device < VNPU_MAX_DEVICES && number < VNPU_MAX_EVENTS)
		account = xa_erase(&client->events,
				   VNPU_EVENT_INDEX(device, number));
	if (account) {
		vnpu_id_free(account, VNPU_ID_EVENT, number);
		return 0;
	}
	dev = vnpu_client_device_get(client, device);
	if (!dev)
		return -ENODEV;
	vnpu_device_put(dev);
	return -ENOENT;
}

/**
 * vnpu_events_free_all() - free all event ids of a client at its end
 * @client: the client
 */
void vnpu_events_free_all(struct vnpu_client *client)
{
	unsigned long index;
	void *entry;

	xa_for_each(&client->events, index, entry) {
		vnpu_event_free(client, index / VNPU_MAX_EVENTS,
				index % VNPU_MAX_EVENTS);
		cond_resched();
	}
}
