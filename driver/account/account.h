/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounts: the resources that a client holds on one device. */
#ifndef VNPU_ACCOUNT_H
#define VNPU_ACCOUNT_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "core/allocator.h"
#include "id_pool.h"

struct vnpu_client;
struct vnpu_device;
struct vnpu_quota;
struct vnpu_user;

/**
 * struct vnpu_usage_class - memory that is held in pages of one class
 * @used: bytes
 * @objects: number of memory objects
 */
struct vnpu_usage_class {
	u64 used;
	u64 objects;
};

/**
 * struct vnpu_user_usage - the resources that all clients of a user hold on one
 * device; under the device's lock
 * @node: in vnpu_device.users
 * @user: the user; constant. The clients hold references to it.
 * @nr_usages: number of accounts of the user's clients; freed with the last one
 * @numbers: number of streams, events and counters, by VNPU_NUMBER_*
 */
struct vnpu_user_usage {
	struct rb_node node;
	struct vnpu_user *user;
	u32 nr_usages;
	u32 numbers[VNPU_NUMBER_KINDS];
};

/**
 * struct vnpu_usage - the resources that a client holds on one device
 * @client: the client; constant
 * @dev: the device, with a reference; constant
 * @used: bytes. This and the members up to @class are written under the
 *	device's lock, and may be read without it.
 * @peak: highest value of @used minus @pending
 * @pending: bytes of @used that are charged for allocations in progress, which
 *	may still fail
 * @objects: number of memory objects
 * @class: memory by page class
 * @dev_link: in vnpu_device.usages. This and the following members are under
 *	the device's lock.
 * @numbers: number of streams, events and counters, by VNPU_NUMBER_*
 * @of_user: the account of the client's user, which includes this one
 * @nr_quotas: number of @quotas
 * @quotas: the quotas to which the account is charged, in no particular order.
 *	There is room for vnpu_quota_max() of them.
 */
struct vnpu_usage {
	struct vnpu_client *client;
	struct vnpu_device *dev;
	u64 used;
	u64 peak;
	u64 pending;
	u64 objects;
	struct vnpu_usage_class class[VNPU_BUDDY_CLASSES];
	struct list_head dev_link;
	u32 numbers[VNPU_NUMBER_KINDS];
	struct vnpu_user_usage *of_user;
	u32 nr_quotas;
	struct vnpu_quota *quotas[];
};

struct vnpu_usage *vnpu_usage_create(struct vnpu_client *client,
				     unsigned int device);
void vnpu_usage_destroy(struct vnpu_usage *usage);
void vnpu_usage_attach_locked(struct vnpu_usage *usage);
void vnpu_usage_detach_locked(struct vnpu_usage *usage);
u64 vnpu_usage_of(const struct vnpu_usage *usage, u32 resource);
void vnpu_usage_charge_locked(struct vnpu_usage *usage, unsigned int class,
			      u64 bytes);
void vnpu_usage_note_peak_locked(struct vnpu_usage *usage);
void vnpu_usage_uncharge_bytes_locked(struct vnpu_usage *usage,
				      unsigned int class, u64 bytes);
void vnpu_usage_uncharge_locked(struct vnpu_usage *usage, unsigned int class,
				u64 bytes);

#endif
