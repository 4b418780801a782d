// SPDX-License-Identifier: GPL-2.0-only
/* Accounts: what a client holds on one device. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>

#include "attach.h"
#include "cgroups.h"
#include "client.h"
#include "device.h"
#include "quota.h"
#include "usage.h"

/**
 * vnpu_usage_create() - an account that nobody knows of yet
 * @client: whose
 * @device: index of the device
 *
 * Return: the account or ERR_PTR of -ENODEV or -ENOMEM.
 */
struct vnpu_usage *vnpu_usage_create(struct vnpu_client *client,
				     unsigned int device)
{
	struct vnpu_usage *usage;

	usage = kvzalloc(struct_size(usage, quotas, 2 + client->cgroups->nr),
			 GFP_KERNEL_ACCOUNT);
	if (!usage)
		return ERR_PTR(-ENOMEM);
	usage->client = client;
	usage->dev = vnpu_client_device_get(client, device);
	if (usage->dev)
		return usage;
	kvfree(usage);
	return ERR_PTR(-ENODEV);
}

/**
 * vnpu_usage_destroy() - the end of an account that nobody knows of
 * @usage: the account
 */
void vnpu_usage_destroy(struct vnpu_usage *usage)
{
	vnpu_device_put(usage->dev);
	kvfree(usage);
}

/**
 * vnpu_usage_charge_locked() - one more memory object
 * @usage: the account; its device's lock is held
 * @class: page class of the object, counted from the smallest
 * @bytes: of the object
 *
 * It does not count in the peak before vnpu_usage_note_peak_locked().
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
	vnpu_quota_charge_locked(usage, bytes);
}

/**
 * vnpu_usage_note_peak_locked() - a memory object has become a client's
 * @usage: the account, which is charged for it; its device's lock is held
 */
void vnpu_usage_note_peak_locked(struct vnpu_usage *usage)
{
	u64 used = usage->used - usage->pending;

	lockdep_assert_held(&usage->dev->lock);
	if (usage->peak < used)
		WRITE_ONCE(usage->peak, used);
}

/**
 * vnpu_usage_uncharge_bytes_locked() - a part of a memory object less
 * @usage: the account; its device's lock is held
 * @class: page class of the object
 * @bytes: of the object
 */
void vnpu_usage_uncharge_bytes_locked(struct vnpu_usage *usage,
				      unsigned int class, u64 bytes)
{
	struct vnpu_usage_class *of_class = &usage->class[class];

	lockdep_assert_held(&usage->dev->lock);
	WRITE_ONCE(usage->used, usage->used - bytes);
	WRITE_ONCE(of_class->used, of_class->used - bytes);
	vnpu_quota_uncharge_locked(usage, bytes);
}

/**
 * vnpu_usage_uncharge_locked() - one memory object less
 * @usage: the account; its device's lock is held
 * @class: page class of the object
 * @bytes: of the object, as far as they are still charged
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
