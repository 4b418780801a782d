/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounts: the resources that a client holds on one device. */
#ifndef VNPU_ACCOUNT_H
#define VNPU_ACCOUNT_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "base/client.h"
#include "base/device.h"
#include "core/allocator.h"

struct vnpu_client;
struct vnpu_device;
struct vnpu_quota;
struct vnpu_user;

/**
 * struct vnpu_account_class - memory that is held in pages of one class
 * @used: bytes
 * @objects: number of memory objects
 */
struct vnpu_account_class {
	u64 used;
	u64 objects;
};

/**
 * struct vnpu_user_account - the resources that all clients of a user hold on
 * one device; under the device's lock
 * @node: in vnpu_device.users
 * @user: the user; constant. The clients hold references to it.
 * @nr_accounts: number of accounts of the user's clients; freed with the last
 *	one
 * @ids: number of streams, events and counters, by VNPU_ID_*
 */
struct vnpu_user_account {
	struct rb_node node;
	struct vnpu_user *user;
	u32 nr_accounts;
	u32 ids[VNPU_ID_KINDS];
};

/**
 * struct vnpu_account - the resources that a client holds on one device
 * @client: the client; constant
 * @dev: the device, with a reference; constant
 * @used: bytes. This and the members up to @class are written under the
 *	device's lock, and may be read without it.
 * @peak: highest value of @used minus @pending
 * @pending: bytes of @used that are charged for allocations in progress, which
 *	may still fail
 * @objects: number of memory objects
 * @class: memory by page class
 * @dev_link: in vnpu_device.accounts. This and the following members are under
 *	the device's lock.
 * @ids: number of streams, events and counters, by VNPU_ID_*
 * @of_user: the account of the client's user, which includes this one
 * @nr_quotas: number of @quotas
 * @quotas: the quotas to which the account is charged, in no particular order.
 *	There is room for vnpu_quota_max() of them.
 */
struct vnpu_account {
	struct vnpu_client *client;
	struct vnpu_device *dev;
	u64 used;
	u64 peak;
	u64 pending;
	u64 objects;
	struct vnpu_account_class class[VNPU_PAGE_CLASSES];
	struct list_head dev_link;
	u32 ids[VNPU_ID_KINDS];
	struct vnpu_user_account *of_user;
	u32 nr_quotas;
	struct vnpu_quota *quotas[];
};

struct vnpu_account *vnpu_account_create(struct vnpu_client *client,
					 unsigned int device);
void vnpu_account_destroy(struct vnpu_account *account);
void vnpu_account_attach_locked(struct vnpu_account *account);
void vnpu_account_detach_locked(struct vnpu_account *account);
u64 vnpu_account_of(const struct vnpu_account *account, u32 resource);
void vnpu_account_charge_locked(struct vnpu_account *account, unsigned int class,
				u64 bytes);
void vnpu_account_note_peak_locked(struct vnpu_account *account);
void vnpu_account_uncharge_bytes_locked(struct vnpu_account *account,
					unsigned int class, u64 bytes);
void vnpu_account_uncharge_locked(struct vnpu_account *account, unsigned int class,
				  u64 bytes);

struct vnpu_account *vnpu_client_account(struct vnpu_client *client,
					 unsigned int index);

static inline struct vnpu_account *
vnpu_client_peek_account(const struct vnpu_client *client, unsigned int index)
{
	/* Pairs with smp_store_release() in vnpu_client_publish_account(). */
	return smp_load_acquire(&client->account[index]);
}

#endif
