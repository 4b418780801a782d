// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clients that use an object of device memory, and the client that is
 * charged.
 *
 * Memory that several clients share is charged to one of them. When that client
 * drops its last id and binding, the memory is charged to another one that
 * still uses it: the client that has been open longest.
 */
#include <linux/err.h>
#include <linux/rbtree.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "account/account.h"
#include "account/quota.h"
#include "base/client.h"
#include "base/device.h"
#include "devmem.h"
#include "trace_mem.h"

/* Return the number of an object's page class; 0 is the smallest. */
static unsigned int vnpu_devmem_class(const struct vnpu_devmem *devmem)
{
	switch (devmem->mem.page_shift) {
	case VNPU_PAGE_SHIFT_1G:
		return 2;
	case VNPU_PAGE_SHIFT_2M:
		return 1;
	default:
		return 0;
	}
}

static void vnpu_devmem_recharge_locked(struct vnpu_devmem *devmem,
					struct vnpu_account *account)
{
	unsigned int class = vnpu_devmem_class(devmem);
	struct vnpu_account *old = devmem->charged;
	struct vnpu_device *dev = account->dev;

	lockdep_assert_held(devmem->mem.lock);
	vnpu_client_get(account->client);
	spin_lock(&dev->lock);
	if (devmem->pending) {
		devmem->pending = false;
		old->pending -= devmem->mem.length;
	}
	vnpu_account_uncharge_locked(old, class, devmem->mem.length);
	vnpu_account_charge_locked(account, class, devmem->mem.length);
	vnpu_account_note_peak_locked(account);
	devmem->charged = account;
	spin_unlock(&dev->lock);
	vnpu_client_put(old->client);
}

static struct vnpu_sharer *vnpu_sharer_of(const struct rb_node *node)
{
	return rb_entry(node, struct vnpu_sharer, node);
}

/* Order by client id. Ids only grow, so the first client was opened first. */
static int vnpu_sharer_cmp(const void *client, const struct rb_node *node)
{
	u64 id = ((const struct vnpu_client *)client)->id;
	u64 other = vnpu_sharer_of(node)->account->client->id;

	return id < other ? -1 : id > other;
}

static bool vnpu_sharer_less(struct rb_node *node, const struct rb_node *other)
{
	return vnpu_sharer_cmp(vnpu_sharer_of(node)->account->client, other) < 0;
}

static struct vnpu_sharer *
vnpu_devmem_find_other_locked(struct vnpu_devmem *devmem,
			      const struct vnpu_client *client)
{
	struct rb_node *node;

	lockdep_assert_held(devmem->mem.lock);
	node = rb_find(client, &devmem->others, vnpu_sharer_cmp);
	return node ? vnpu_sharer_of(node) : NULL;
}

/* Record the first id or binding of a client that is not charged. */
static int vnpu_devmem_add_other_locked(struct vnpu_devmem *devmem,
					struct vnpu_client *client)
{
	struct vnpu_sharer *holder;
	struct vnpu_account *account;

	account = vnpu_client_account(client, devmem->mem.dev->index);
	if (IS_ERR(account))
		return PTR_ERR(account);
	/* No other client uses the object, so charge this one from now on. */
	if (!devmem->count) {
		vnpu_devmem_recharge_locked(devmem, account);
		devmem->count = 1;
		return 0;
	}
	holder = kzalloc(sizeof(*holder), GFP_KERNEL_ACCOUNT);
	if (!holder)
		return -ENOMEM;
	holder->account = account;
	holder->count = 1;
	rb_add(&holder->node, &devmem->others, vnpu_sharer_less);
	devmem->nr_others++;
	return 0;
}

static void vnpu_devmem_remove_other_locked(struct vnpu_devmem *devmem,
					    struct vnpu_sharer *holder)
{
	rb_erase(&holder->node, &devmem->others);
	devmem->nr_others--;
	kfree(holder);
}

/**
 * vnpu_devmem_hold() - count one more id or binding of a client
 * @mem: the object, with its lock held
 * @client: the client
 *
 * Takes O(log n) for n clients, because other objects share the lock.
 *
 * Return: 0, -ENODEV or -ENOMEM.
 */
int vnpu_devmem_hold(struct vnpu_mem *mem, struct vnpu_client *client)
{
	struct vnpu_devmem *devmem = to_vnpu_devmem(mem);
	struct vnpu_sharer *holder;

	if (devmem->charged->client == client) {
		devmem->count++;
		return 0;
	}
	holder = vnpu_devmem_find_other_locked(devmem, client);
	if (!holder)
		return vnpu_devmem_add_other_locked(devmem, client);
	holder->count++;
	return 0;
}

/* Charge the next client, after the charged one has dropped its last use. */
static void vnpu_devmem_hand_over_locked(struct vnpu_devmem *devmem)
{
	struct rb_node *first = rb_first(&devmem->others);
	struct vnpu_sharer *next;

	if (!first)
		return;
	next = vnpu_sharer_of(first);
	vnpu_devmem_recharge_locked(devmem, next->account);
	devmem->count = next->count;
	vnpu_devmem_remove_other_locked(devmem, next);
}

/**
 * vnpu_devmem_unhold() - count one id or binding of a client less
 * @mem: the object, with its lock held
 * @client: the client
 */
void vnpu_devmem_unhold(struct vnpu_mem *mem, struct vnpu_client *client)
{
	struct vnpu_devmem *devmem = to_vnpu_devmem(mem);
	struct vnpu_sharer *holder;

	if (devmem->charged->client == client) {
		if (!WARN_ON_ONCE(!devmem->count) && !--devmem->count)
			vnpu_devmem_hand_over_locked(devmem);
		return;
	}
	holder = vnpu_devmem_find_other_locked(devmem, client);
	if (WARN_ON_ONCE(!holder) || --holder->count)
		return;
	vnpu_devmem_remove_other_locked(devmem, holder);
}

/**
 * vnpu_devmem_clients_locked() - count the clients that use an object
 * @devmem: the object, with its lock held
 */
u32 vnpu_devmem_clients_locked(const struct vnpu_devmem *devmem)
{
	lockdep_assert_held(devmem->mem.lock);
	return !!devmem->count + devmem->nr_others;
}

/**
 * vnpu_devmem_account_locked() - charge a new object and add it to its device
 * @devmem: the object, which has its first pages; its device's lock is held
 * @account: the account to charge
 * @refusal: filled if a quota of the account refuses the allocation
 *
 * The whole object is charged at once, even if the rest of its pages are only
 * promised so far, see vnpu_pages_find(). Until vnpu_devmem_settle(), the
 * object counts as an allocation that may fail.
 *
 * Return: 0, -EDQUOT or -ENODEV.
 */
int vnpu_devmem_account_locked(struct vnpu_devmem *devmem,
			       struct vnpu_account *account,
			       struct vnpu_quota_state *refusal)
{
	unsigned int class = vnpu_devmem_class(devmem);
	struct vnpu_device *dev = account->dev;
	int ret;

	/* The removal of a device marks only objects on the list as stale. */
	if (vnpu_device_is_gone(dev))
		return -ENODEV;
	ret = vnpu_quota_check_locked(account, VNPU_QUOTA_RESOURCE_MEMORY,
				      devmem->mem.length, refusal);
	if (ret)
		return ret;
	vnpu_client_get(account->client);
	devmem->charged = account;
	devmem->pending = true;
	account->pending += devmem->mem.length;
	vnpu_account_charge_locked(account, class, devmem->mem.length);
	dev->class_pages[class] += devmem->mem.length >> VNPU_PAGE_SHIFT;
	dev->requested += vnpu_devmem_requested(devmem);
	dev->nr_extents += devmem->pages.nr;
	dev->nr_objects++;
	list_add_tail(&devmem->dev_link, &dev->mems);
	devmem->serial = ++dev->last_mem;
	return 0;
}

/**
 * vnpu_devmem_settle() - count an object in the peak of its client
 * @devmem: the object; its allocation can no longer fail
 *
 * Does nothing if another client was charged for the object in the meantime.
 */
void vnpu_devmem_settle(struct vnpu_devmem *devmem)
{
	struct vnpu_device *dev = devmem->mem.dev;

	spin_lock(&dev->lock);
	if (devmem->pending) {
		devmem->pending = false;
		devmem->charged->pending -= devmem->mem.length;
		vnpu_account_note_peak_locked(devmem->charged);
	}
	spin_unlock(&dev->lock);
}

/**
 * vnpu_devmem_give_back_some_locked() - free and uncharge pages of an object
 * @devmem: the object, being released; its device's lock is held
 * @charged: bytes that are still charged; the length of the object at first
 *
 * Frees and uncharges a batch of pages under the same hold of the lock. The
 * last call also removes the object from the device's counters. The caller
 * takes the object off the device's list when it has no reference.
 *
 * Return: true if the object has more pages.
 */
bool vnpu_devmem_give_back_some_locked(struct vnpu_devmem *devmem, u64 *charged)
{
	unsigned int class = vnpu_devmem_class(devmem);
	struct vnpu_pages *pages = &devmem->pages;
	struct vnpu_device *dev = devmem->mem.dev;
	u32 count = vnpu_pages_count(pages), nr = pages->nr;
	u64 bytes = *charged;
	bool more;

	/* An allocation that failed half-way was not traced. */
	if (vnpu_pages_to_bytes(count) == devmem->mem.length)
		trace_vnpu_mem_free(devmem);
	more = vnpu_pages_give_back_some_locked(dev, pages,
						devmem->written.start,
						devmem->written.end);
	dev->nr_extents -= nr - pages->nr;
	if (more)
		bytes = vnpu_pages_to_bytes(count - vnpu_pages_count(pages));
	*charged -= bytes;
	if (devmem->pending)
		devmem->charged->pending -= bytes;
	dev->class_pages[class] -= bytes >> VNPU_PAGE_SHIFT;
	if (more) {
		vnpu_account_uncharge_bytes_locked(devmem->charged, class, bytes);
		return true;
	}
	vnpu_account_uncharge_locked(devmem->charged, class, bytes);
	dev->nr_objects--;
	dev->requested -= vnpu_devmem_requested(devmem);
	return false;
}
