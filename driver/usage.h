/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounts: what a client holds on one device. */
#ifndef VNPU_USAGE_H
#define VNPU_USAGE_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "core/buddy.h"
#include "numbers.h"

struct vnpu_client;
struct vnpu_device;
struct vnpu_quota;
struct vnpu_user;

/**
 * struct vnpu_usage_class - what is held as pages of one class
 * @used: bytes
 * @objects: memory objects
 */
struct vnpu_usage_class {
	u64 used;
	u64 objects;
};

/**
 * struct vnpu_user_usage - what all clients of a user hold on one device; under
 *	the device's lock
 * @node: in vnpu_device.users
 * @user: the user, to whom the clients have references; constant
 * @nr_usages: accounts of the user's clients; it ends with the last
 * @numbers: streams, events and counters, by VNPU_NUMBER_*
 */
struct vnpu_user_usage {
	struct rb_node node;
	struct vnpu_user *user;
	u32 nr_usages;
	u32 numbers[VNPU_NUMBER_KINDS];
};

/**
 * struct vnpu_usage - what a client holds on one device
 * @client: the client; constant
 * @dev: the device, with a reference; constant
 * @used: bytes. This and what follows is written under the device's lock, and
 *	may be read without.
 * @peak: the most bytes at one time, without @pending
 * @pending: bytes of @used that are charged for allocations under way, which may
 *	still fail
 * @objects: memory objects
 * @class: the same by page class
 * @dev_link: in vnpu_device.usages. This and what follows is under the device's
 *	lock.
 * @numbers: streams, events and counters, by VNPU_NUMBER_*
 * @of_user: what the client's user holds, this among it
 * @nr_quotas: how many quotas concern the client; 0 where none is set
 * @quotas: all that it is charged to, in no order. There is room for
 *	vnpu_quota_max().
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
