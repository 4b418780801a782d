// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners: the address space that opened a file of a client, or that attached to
 * an engine file.
 *
 * A file can outlive its owner in a child that inherited it, but the owner's
 * memory on the device must not. So the object ends with the address space, when
 * the MMU notifier reports its end. Until then the owner holds only the
 * mm_struct. A reference to its mappings would keep them alive, and they keep
 * the file open.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "mm_owner.h"

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
	INIT_LIST_HEAD(&owner->owned);
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
	struct vnpu_mm_owned *owned;

	mutex_lock(&owner->lock);
	list_for_each_entry(owned, &owner->owned, link)
		owned->end(owned);
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
 * vnpu_mm_owner_add() - add an object, to be ended with its owner
 * @owner: the owner
 * @owned: in the object, with @end set
 */
void vnpu_mm_owner_add(struct vnpu_mm_owner *owner, struct vnpu_mm_owned *owned)
{
	mutex_lock(&owner->lock);
	list_add_tail(&owned->link, &owner->owned);
	mutex_unlock(&owner->lock);
}

/**
 * vnpu_mm_owner_remove() - remove an object from its owner
 * @owner: the owner
 * @owned: in the object, which may be freed after this
 */
void vnpu_mm_owner_remove(struct vnpu_mm_owner *owner,
			  struct vnpu_mm_owned *owned)
{
	mutex_lock(&owner->lock);
	list_del(&owned->link);
	mutex_unlock(&owner->lock);
}

/**
 * vnpu_mm_owner_is_current() - check if the caller is in an address space
 * @owner: the owner
 *
 * Return: true if the caller's address space is the owner's.
 */
bool vnpu_mm_owner_is_current(const struct vnpu_mm_owner *owner)
{
	return current->mm == owner->mn.mm;
}

/**
 * vnpu_mm_owner_has_vma() - check if a mapping is in an address space
 * @owner: the owner
 * @vma: a mapping of a client's file
 *
 * A child of fork() inherits a mapping if its parent cleared VM_DONTCOPY with
 * MADV_DOFORK.
 *
 * Return: true if the mapping is in the owner's address space.
 */
bool vnpu_mm_owner_has_vma(const struct vnpu_mm_owner *owner,
			   const struct vm_area_struct *vma)
{
	return vma->vm_mm == owner->mn.mm;
}

/**
 * vnpu_vma_fork_by_fault() - prevent fork() from copying page table entries
 * @vma: a new mapping, filled by vm_insert_pages()
 *
 * VM_IO would make MADV_DOFORK fail, but also get_user_pages().
 * vm_insert_pages() sets VM_MIXEDMAP, with which fork() copies the entries. A
 * shared mapping without it is empty in the child, and its faults are
 * refused. The entries are ordinary pages with references, so they do not need
 * VM_MIXEDMAP.
 */
void vnpu_vma_fork_by_fault(struct vm_area_struct *vma)
{
	vm_flags_clear(vma, VM_MIXEDMAP);
}
