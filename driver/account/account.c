// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accounts: the resources that a client holds on one device, and the sum for
 * all clients of its user.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "account.h"
#include "cgroups.h"
#include "quota.h"

/**
 * vnpu_account_create() - create an account
 * @client: the client
 * @device: index of the device
 *
 * Return: the account or ERR_PTR of -ENODEV or -ENOMEM.
 */
struct vnpu_account *vnpu_account_create(struct vnpu_client *client,
					 unsigned int device)
{
	struct vnpu_account *account;

	account = kvzalloc(struct_size(account, quotas, vnpu_quota_max(client)),
			   GFP_KERNEL_ACCOUNT);
	if (!account)
		return ERR_PTR(-ENOMEM);
	account->of_user = kzalloc(sizeof(*account->of_user), GFP_KERNEL_ACCOUNT);
	if (!account->of_user) {
		kvfree(account);
		return ERR_PTR(-ENOMEM);
	}
	account->of_user->user = client->user;
	account->client = client;
	account->dev = vnpu_client_device_get(client, device);
	if (account->dev)
		return account;
	kfree(account->of_user);
	kvfree(account);
	return ERR_PTR(-ENODEV);
}

/**
 * vnpu_account_destroy() - free an account
 * @account: the account, which is not attached to its device
 */
void vnpu_account_destroy(struct vnpu_account *account)
{
	vnpu_device_put(account->dev);
	kfree(account->of_user);
	kvfree(account);
}

static int vnpu_user_account_cmp(struct rb_node *a, const struct rb_node *b)
{
	const struct vnpu_user *user =
		rb_entry(a, struct vnpu_user_account, node)->user;
	const struct vnpu_user *other =
		rb_entry(b, struct vnpu_user_account, node)->user;

	return user < other ? -1 : user > other;
}

/**
 * vnpu_account_attach_locked() - add a new account to its device
 * @account: a new account; its device's lock is held
 */
void vnpu_account_attach_locked(struct vnpu_account *account)
{
	struct vnpu_user_account *new = account->of_user;
	struct rb_node *old;

	lockdep_assert_held(&account->dev->lock);
	old = rb_find_add(&new->node, &account->dev->users, vnpu_user_account_cmp);
	if (old) {
		account->of_user = rb_entry(old, struct vnpu_user_account, node);
		kfree(new);
	}
	account->of_user->nr_accounts++;
	vnpu_quota_attach_locked(account);
}

/**
 * vnpu_account_detach_locked() - remove an account from its device
 * @account: the account, to which nothing is charged and which the caller
 *	destroys next; its device's lock is held
 */
void vnpu_account_detach_locked(struct vnpu_account *account)
{
	lockdep_assert_held(&account->dev->lock);
	vnpu_quota_detach_locked(account);
	if (--account->of_user->nr_accounts)
		account->of_user = NULL;
	else
		rb_erase(&account->of_user->node, &account->dev->users);
}

/**
 * vnpu_account_of() - get the amount of a resource that a client holds
 * @account: the client's account
 * @resource: VNPU_QUOTA_RESOURCE_*
 *
 * Return: bytes for memory, otherwise a number of objects.
 */
u64 vnpu_account_of(const struct vnpu_account *account, u32 resource)
{
	if (resource == VNPU_QUOTA_RESOURCE_MEMORY)
		return account->used;
	return account->ids[resource - VNPU_QUOTA_RESOURCE_STREAMS];
}

/**
 * vnpu_account_charge_locked() - charge a memory object
 * @account: the account; its device's lock is held
 * @class: page class of the object; 0 is the smallest
 * @bytes: size of the object
 *
 * The object counts in the peak only after vnpu_account_note_peak_locked().
 */
void vnpu_account_charge_locked(struct vnpu_account *account, unsigned int class,
				u64 bytes)
{
	struct vnpu_account_class *of_class = &account->class[class];

	lockdep_assert_held(&account->dev->lock);
	if (!account->objects)
		account->dev->nr_clients++;
	WRITE_ONCE(account->objects, account->objects + 1);
	WRITE_ONCE(account->used, account->used + bytes);
	WRITE_ONCE(of_class->objects, of_class->objects + 1);
	WRITE_ONCE(of_class->used, of_class->used + bytes);
	vnpu_quota_charge_locked(account, VNPU_QUOTA_RESOURCE_MEMORY, bytes);
}

/**
 * vnpu_account_note_peak_locked() - update the peak of an account
 * @account: the account; its device's lock is held
 */
void vnpu_account_note_peak_locked(struct vnpu_account *account)
{
	u64 used = account->used - account->pending;

	lockdep_assert_held(&account->dev->lock);
	if (account->peak < used)
		WRITE_ONCE(account->peak, used);
}

/**
 * vnpu_account_uncharge_bytes_locked() - uncharge a part of a memory object
 * @account: the account; its device's lock is held
 * @class: page class of the object
 * @bytes: size of the part
 */
void vnpu_account_uncharge_bytes_locked(struct vnpu_account *account,
					unsigned int class, u64 bytes)
{
	struct vnpu_account_class *of_class = &account->class[class];

	lockdep_assert_held(&account->dev->lock);
	WRITE_ONCE(account->used, account->used - bytes);
	WRITE_ONCE(of_class->used, of_class->used - bytes);
	vnpu_quota_uncharge_locked(account, VNPU_QUOTA_RESOURCE_MEMORY, bytes);
}

/**
 * vnpu_account_uncharge_locked() - uncharge a memory object
 * @account: the account; its device's lock is held
 * @class: page class of the object
 * @bytes: the bytes of the object that are still charged
 */
void vnpu_account_uncharge_locked(struct vnpu_account *account, unsigned int class,
				  u64 bytes)
{
	struct vnpu_account_class *of_class = &account->class[class];

	vnpu_account_uncharge_bytes_locked(account, class, bytes);
	WRITE_ONCE(account->objects, account->objects - 1);
	WRITE_ONCE(of_class->objects, of_class->objects - 1);
	if (!account->objects)
		account->dev->nr_clients--;
}

/* Publish an account, or return the one that another thread has published. */
static struct vnpu_account *vnpu_client_publish_account(struct vnpu_account *account)
{
	struct vnpu_account **slot = &account->client->account[account->dev->index];
	struct vnpu_account *old;

	spin_lock(&account->dev->lock);
	old = *slot;
	if (!old) {
		vnpu_account_attach_locked(account);
		set_bit(account->dev->index, account->client->devices);
		vnpu_clients_note_devices(account->client);
		/*
		 * Pairs with smp_load_acquire() in vnpu_client_peek_account().
		 */
		smp_store_release(slot, account);
	}
	spin_unlock(&account->dev->lock);
	return old ?: account;
}

/**
 * vnpu_client_account() - get a client's account of a device
 * @client: the client
 * @index: any number
 *
 * Return: the account, which is created if there is none and lives as long as
 * the client; ERR_PTR(-ENODEV) if the client has no such device, or
 * ERR_PTR(-ENOMEM).
 */
struct vnpu_account *vnpu_client_account(struct vnpu_client *client,
					 unsigned int index)
{
	struct vnpu_account *account, *new;

	if (index >= VNPU_MAX_DEVICES)
		return ERR_PTR(-ENODEV);
	index = array_index_nospec(index, VNPU_MAX_DEVICES);
	account = vnpu_client_peek_account(client, index);
	if (account)
		return account;

	new = vnpu_account_create(client, index);
	if (IS_ERR(new))
		return new;
	account = vnpu_client_publish_account(new);
	if (account != new)
		vnpu_account_destroy(new);
	return account;
}
