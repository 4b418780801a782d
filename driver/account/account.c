// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts: the resources that a client holds on one device, and the sum for
 * all clients of its user.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "account.h"
#include "cgroups.h"
#include "quota.h"

/**
 * vnpu_usage_create() - create an account
 * @client: the client
 * @device: index of the device
 *
 * Return: the account or ERR_PTR of -ENODEV or -ENOMEM.
 */
struct vnpu_usage *vnpu_usage_create(struct vnpu_client *client,
				     unsigned int device)
{
	struct vnpu_usage *usage;

	usage = kvzalloc(struct_size(usage, quotas, vnpu_quota_max(client)),
			 GFP_KERNEL_ACCOUNT);
	if (!usage)
		return ERR_PTR(-ENOMEM);
	usage->of_user = kzalloc(sizeof(*usage->of_user), GFP_KERNEL_ACCOUNT);
	if (!usage->of_user) {
		kvfree(usage);
		return ERR_PTR(-ENOMEM);
	}
	usage->of_user->user = client->user;
	usage->client = client;
	usage->dev = vnpu_client_device_get(client, device);
	if (usage->dev)
		return usage;
	kfree(usage->of_user);
	kvfree(usage);
	return ERR_PTR(-ENODEV);
}

/**
 * vnpu_usage_destroy() - free an account
 * @usage: the account, which is not attached to its device
 */
void vnpu_usage_destroy(struct vnpu_usage *usage)
{
	vnpu_device_put(usage->dev);
	kfree(usage->of_user);
	kvfree(usage);
}

static int vnpu_user_usage_cmp(struct rb_node *a, const struct rb_node *b)
{
	const struct vnpu_user *user =
		rb_entry(a, struct vnpu_user_usage, node)->user;
	const struct vnpu_user *other =
		rb_entry(b, struct vnpu_user_usage, node)->user;

	return user < other ? -1 : user > other;
}

/**
 * vnpu_usage_attach_locked() - add a new account to its device
 * @usage: a new account; its device's lock is held
 */
void vnpu_usage_attach_locked(struct vnpu_usage *usage)
{
	struct vnpu_user_usage *new = usage->of_user;
	struct rb_node *old;

	lockdep_assert_held(&usage->dev->lock);
	old = rb_find_add(&new->node, &usage->dev->users, vnpu_user_usage_cmp);
	if (old) {
		usage->of_user = rb_entry(old, struct vnpu_user_usage, node);
		kfree(new);
	}
	usage->of_user->nr_usages++;
	vnpu_quota_attach_locked(usage);
}

/**
 * vnpu_usage_detach_locked() - remove an account from its device
 * @usage: the account, to which nothing is charged and which the caller
 *	destroys next; its device's lock is held
 */
void vnpu_usage_detach_locked(struct vnpu_usage *usage)
{
	lockdep_assert_held(&usage->dev->lock);
	vnpu_quota_detach_locked(usage);
	if (--usage->of_user->nr_usages)
		usage->of_user = NULL;
	else
		rb_erase(&usage->of_user->node, &usage->dev->users);
}

/**
 * vnpu_usage_of() - get the amount of a resource that a client holds
 * @usage: the client's account
 * @resource: VNPU_QUOTA_RESOURCE_*
 *
 * Return: bytes for memory, otherwise a number of objects.
 */
u64 vnpu_usage_of(const struct vnpu_usage *usage, u32 resource)
{
	if (resource == VNPU_QUOTA_RESOURCE_MEMORY)
		return usage->used;
	return usage->numbers[resource - VNPU_QUOTA_RESOURCE_STREAMS];
}

/**
 * vnpu_usage_charge_locked() - charge a memory object
 * @usage: the account; its device's lock is held
 * @class: page class of the object; 0 is the smallest
 * @bytes: size of the object
 *
 * The object counts in the peak only after vnpu_usage_note_peak_locked().
 */
void vnpu_usage_charge_locked(struct vnpu_usage *usage, unsigned int class,
			      u64 bytes)
{
	struct vnpu_usage_class *of_class = &usage->class[class];

	lockdep_assert_held(&usage->dev->lock);
	if (!usage->objects)
		usage->dev->nr_clients++;
	WRITE_ONCE(usage->objects, usage->objects + 1);
	WRITE_ONCE(usage->used, usage->used + bytes);
	WRITE_ONCE(of_class->objects, of_class->objects + 1);
	WRITE_ONCE(of_class->used, of_class->used + bytes);
	vnpu_quota_charge_locked(usage, VNPU_QUOTA_RESOURCE_MEMORY, bytes);
}

/**
 * vnpu_usage_note_peak_locked() - update the peak of an account
 * @usage: the account; its device's lock is held
 */
void vnpu_usage_note_peak_locked(struct vnpu_usage *usage)
{
	u64 used = usage->used - usage->pending;

	lockdep_assert_held(&usage->dev->lock);
	if (usage->peak < used)
		WRITE_ONCE(usage->peak, used);
}

/**
 * vnpu_usage_uncharge_bytes_locked() - uncharge a part of a memory object
 * @usage: the account; its device's lock is held
 * @class: page class of the object
 * @bytes: size of the part
 */
void vnpu_usage_uncharge_bytes_locked(struct vnpu_usage *usage,
				      unsigned int class, u64 bytes)
{
	struct vnpu_usage_class *of_class = &usage->class[class];

	lockdep_assert_held(&usage->dev->lock);
	WRITE_ONCE(usage->used, usage->used - bytes);
	WRITE_ONCE(of_class->used, of_class->used - bytes);
	vnpu_quota_uncharge_locked(usage, VNPU_QUOTA_RESOURCE_MEMORY, bytes);
}

/**
 * vnpu_usage_uncharge_locked() - uncharge a memory object
 * @usage: the account; its device's lock is held
 * @class: page class of the object
 * @bytes: the bytes of the object that are still charged
 */
void vnpu_usage_uncharge_locked(struct vnpu_usage *usage, unsigned int class,
				u64 bytes)
{
	struct vnpu_usage_class *of_class = &usage->class[class];

	vnpu_usage_uncharge_bytes_locked(usage, class, bytes);
	WRITE_ONCE(usage->objects, usage->objects - 1);
	WRITE_ONCE(of_class->objects, of_class->objects - 1);
	if (!usage->objects)
		usage->dev->nr_clients--;
}
