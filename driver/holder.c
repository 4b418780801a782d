// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose device memory is: who has a part in it, and who pays.
 *
 * Memory that several clients have is charged to one of them. When that one
 * has no part in it any more, it is charged to the next: of those that have, the
 * client that has been open longest.
 */
#include <linux/err.h>
#include <linux/rbtree.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "client.h"
#include "device.h"
#include "devmem.h"
#include "quota.h"
#include "trace_mem.h"
#include "usage.h"

/* The page class of an object, counted from the smallest. */
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
					struct vnpu_usage *usage)
{
	unsigned int class = vnpu_devmem_class(devmem);
	struct vnpu_usage *old = devmem->charged;
	struct vnpu_device *dev = usage->dev;

	lockdep_assert_held(devmem->mem.lock);
	vnpu_client_get(usage->client);
	mutex_lock(&dev->lock);
	if (devmem->pending) {
		devmem->pending = false;
		old->pending -= devmem->mem.length;
	}
	vnpu_usage_uncharge_locked(old, class, devmem->mem.length);
	vnpu_usage_charge_locked(usage, class, devmem->mem.length);
	vnpu_usage_note_peak_locked(usage);
	devmem->charged = usage;
	mutex_unlock(&dev->lock);
	vnpu_client_put(old->client);
}

static struct vnpu_holder *vnpu_holder_of(const struct rb_node *node)
{
	return rb_entry(node, struct vnpu_holder, node);
}

/* By the clients' ids, which grow: the first has been open longest. */
static int vnpu_holder_cmp(const void *client, const struct rb_node *node)
{
	u64 id = ((const struct vnpu_client *)client)->id;
	u64 other = vnpu_holder_of(node)->usage->client->id;

	return id < other ? -1 : id > other;
}

static bool vnpu_holder_less(struct rb_node *node, const struct rb_node *other)
{
	return vnpu_holder_cmp(vnpu_holder_of(node)->usage->client, other) < 0;
}

static struct vnpu_holder *
vnpu_devmem_find_other_locked(struct vnpu_devmem *devmem,
			      const struct vnpu_client *client)
{
	struct rb_node *node;

	lockdep_assert_held(devmem->mem.lock);
	node = rb_find(client, &devmem->others, vnpu_holder_cmp);
	return node ? vnpu_holder_of(node) : NULL;
}

/* A client has a part in an object that is another's. */
static int vnpu_devmem_add_other_locked(struct vnpu_devmem *devmem,
					struct vnpu_client *client)
{
	struct vnpu_holder *holder;
	struct vnpu_usage *usage;

	usage = vnpu_client_usage(client, devmem->mem.dev->index);
	if (IS_ERR(usage))
		return PTR_ERR(usage);
	/* Whoever is alone with it pays, though it was somebody else's. */
	if (!devmem->count) {
		vnpu_devmem_recharge_locked(devmem, usage);
		devmem->count = 1;
		return 0;
	}
	holder = kzalloc(sizeof(*holder), GFP_KERNEL_ACCOUNT);
	if (!holder)
		return -ENOMEM;
	holder->usage = usage;
	holder->count = 1;
	rb_add(&holder->node, &devmem->others, vnpu_holder_less);
	devmem->nr_others++;
	return 0;
}

static void vnpu_devmem_remove_other_locked(struct vnpu_devmem *devmem,
					    struct vnpu_holder *holder)
{
	rb_erase(&holder->node, &devmem->others);
	devmem->nr_others--;
	kfree(holder);
}

/**
 * vnpu_devmem_hold() - a client has one more id or binding
 * @mem: the object; its lock is held
 * @client: the client
 *
 * Other objects share the lock, so this takes O(log n) for n clients.
 *
 * Return: 0, -ENODEV or -ENOMEM.
 */
int vnpu_devmem_hold(struct vnpu_mem *mem, struct vnpu_client *client)
{
	struct vnpu_devmem *devmem = to_vnpu_devmem(mem);
	struct vnpu_holder *holder;

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

/* The client that was charged has no part in it any more; the next is charged. */
static void vnpu_devmem_hand_over_locked(struct vnpu_devmem *devmem)
{
	struct rb_node *first = rb_first(&devmem->others);
	struct vnpu_holder *next;

	if (!first)
		return;
	next = vnpu_holder_of(first);
	vnpu_devmem_recharge_locked(devmem, next->usage);
	devmem->count = next->count;
	vnpu_devmem_remove_other_locked(devmem, next);
}

/**
 * vnpu_devmem_unhold() - a client has one less
 * @mem: the object; its lock is held
 * @client: the client
 */
void vnpu_devmem_unhold(struct vnpu_mem *mem, struct vnpu_client *client)
{
	struct vnpu_devmem *devmem = to_vnpu_devmem(mem);
	struct vnpu_holder *holder;

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
 * vnpu_devmem_clients_locked() - how many clients have a part in an object
 * @devmem: the object; its lock is held
 */
u32 vnpu_devmem_clients_locked(const struct vnpu_devmem *devmem)
{
	lockdep_assert_held(devmem->mem.lock);
	return !!devmem->count + devmem->nr_others;
}

/**
 * vnpu_devmem_account_locked() - an object is charged to its owner
 * @devmem: the object, with its first pages; its device's lock is held
 * @usage: who pays
 * @refusal: filled if that one may not have so much
 *
 * All of the object is charged at once, also where the allocator has only promised
 * the rest of its pages, see vnpu_pages_find(). Until vnpu_devmem_settle() it
 * is an allocation that may fail.
 *
 * Return: 0, -EDQUOT or -ENODEV.
 */
int vnpu_devmem_account_locked(struct vnpu_devmem *devmem,
			       struct vnpu_usage *usage,
			       struct vnpu_quota_state *refusal)
{
	unsigned int class = vnpu_devmem_class(devmem);
	struct vnpu_device *dev = usage->dev;
	int ret;

	/* An object that comes onto the list later does not become stale. */
	if (vnpu_device_is_gone(dev))
		return -ENODEV;
	ret = vnpu_quota_check_locked(usage, VNPU_QUOTA_RESOURCE_MEMORY,
				      devmem->mem.length, refusal);
	if (ret)
		return ret;
	vnpu_client_get(usage->client);
	devmem->charged = usage;
	devmem->pending = true;
	usage->pending += devmem->mem.length;
	vnpu_usage_charge_locked(usage, class, devmem->mem.length);
	dev->class_pages[class] += devmem->mem.length >> VNPU_PAGE_SHIFT;
	dev->asked += vnpu_devmem_asked(devmem);
	dev->nr_extents += devmem->pages.nr;
	dev->nr_objects++;
	list_add_tail(&devmem->dev_link, &dev->mems);
	return 0;
}

/**
 * vnpu_devmem_settle() - count an object in the peak of the client that has made it
 * @devmem: the object, whose allocation does not fail any more
 *
 * Does nothing if another client is charged for it by then.
 */
void vnpu_devmem_settle(struct vnpu_devmem *devmem)
{
	struct vnpu_device *dev = devmem->mem.dev;

	mutex_lock(&dev->lock);
	if (devmem->pending) {
		devmem->pending = false;
		devmem->charged->pending -= devmem->mem.length;
		vnpu_usage_note_peak_locked(devmem->charged);
	}
	mutex_unlock(&dev->lock);
}

/**
 * vnpu_devmem_give_back_some_locked() - an object that is released loses pages
 * @devmem: the object; its device's lock is held
 * @charged: bytes of it that are still charged: all of them before the first call
 *
 * A batch of the pages becomes free, and is charged no more, at the same moment.
 * With the last call it is no object of the device's any more but for its place on
 * the list, which the caller takes it off when it has no reference.
 *
 * Return: whether there are more.
 */
bool vnpu_devmem_give_back_some_locked(struct vnpu_devmem *devmem, u64 *charged)
{
	unsigned int class = vnpu_devmem_class(devmem);
	struct vnpu_pages *pages = &devmem->pages;
	struct vnpu_device *dev = devmem->mem.dev;
	u32 count = vnpu_pages_count(pages), nr = pages->nr;
	u64 bytes = *charged;
	bool more;

	/* One whose allocation was broken off was never reported. */
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
		vnpu_usage_uncharge_bytes_locked(devmem->charged, class, bytes);
		return true;
	}
	vnpu_usage_uncharge_locked(devmem->charged, class, bytes);
	dev->nr_objects--;
	dev->asked -= vnpu_devmem_asked(devmem);
	return false;
}
