// SPDX-License-Identifier: GPL-2.0-only
/*
 * The owner of a client: the address space that opened the file.
 *
 * A file can outlive its opener in a child that inherited it, but the opener's
 * memory on the device must not. So the client ends with the address space,
 * when the MMU notifier reports its end. Until then the owner holds only the
 * mm_struct. A reference to its mappings would keep them alive, and they keep
 * the file open.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "base/client.h"
#include "base/mm_owner.h"
#include "compat.h"
#include "create.h"

static struct vnpu_mm_owner *vnpu_mm_owner_of(struct mmu_notifier *mn)
{
	return container_of(mn, struct vnpu_mm_owner, mn);
}

static struct mmu_notifier *vnpu_mm_owner_alloc(struct mm_struct *mm)
{
	struct vnpu_mm_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);

	if (!owner)
		return ERR_PTR(-ENOMEM);
	mutex_init(&owner->lock);
	INIT_LIST_HEAD(&owner->clients);
	return &owner->mn;
}

static void vnpu_mm_owner_free(struct mmu_notifier *mn)
{
	struct vnpu_mm_owner *owner = vnpu_mm_owner_of(mn);

	mutex_destroy(&owner->lock);
	kfree(owner);
}

static void vnpu_mm_owner_mm_release(struct mmu_notifier *mn, struct mm_struct *mm)
{
	struct vnpu_mm_owner *owner = vnpu_mm_owner_of(mn);
	struct vnpu_client *client;

	mutex_lock(&owner->lock);
	list_for_each_entry(client, &owner->clients, mm_owner_link)
		vnpu_client_end(client);
	mutex_unlock(&owner->lock);
}

static const struct mmu_notifier_ops vnpu_mm_owner_ops = {
	.release = vnpu_mm_owner_mm_release,
	.alloc_notifier = vnpu_mm_owner_alloc,
	.free_notifier = vnpu_mm_owner_free,
};

/**
 * vnpu_mm_owner_get() - get the owner for the caller's address space
 *
 * Return: the owner with a reference, or ERR_PTR().
 */
struct vnpu_mm_owner *vnpu_mm_owner_get(void)
{
	struct mmu_notifier *mn;

	if (!current->mm)
		return ERR_PTR(-EPERM);
	mn = mmu_notifier_get(&vnpu_mm_owner_ops, current->mm);
	/* Any signal interrupts this, which callers of open() do not expect. */
	if (mn == ERR_PTR(-EINTR))
		return ERR_PTR(-ERESTARTNOINTR);
	return IS_ERR(mn) ? ERR_CAST(mn) : vnpu_mm_owner_of(mn);
}

/**
 * vnpu_mm_owner_put() - drop a reference
 * @owner: the owner; it is freed later, see mmu_notifier_synchronize()
 */
void vnpu_mm_owner_put(struct vnpu_mm_owner *owner)
{
	mmu_notifier_put(&owner->mn);
}

/**
 * vnpu_mm_owner_add() - add a client, to be ended with its owner
 * @owner: the owner
 * @client: the client
 */
void vnpu_mm_owner_add(struct vnpu_mm_owner *owner, struct vnpu_client *client)
{
	mutex_lock(&owner->lock);
	list_add_tail(&client->mm_owner_link, &owner->clients);
	mutex_unlock(&owner->lock);
}

/**
 * vnpu_mm_owner_remove() - remove a client from its owner
 * @owner: the owner
 * @client: the client, which may be freed after this
 */
void vnpu_mm_owner_remove(struct vnpu_mm_owner *owner, struct vnpu_client *client)
{
	mutex_lock(&owner->lock);
	list_del(&client->mm_owner_link);
	mutex_unlock(&owner->lock);
}
