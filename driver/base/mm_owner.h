/* SPDX-License-Identifier: GPL-2.0-only */
/* The address spaces that own clients and cores, and their end. */
#ifndef VNPU_MM_OWNER_H
#define VNPU_MM_OWNER_H

#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>

struct vm_area_struct;

/**
 * struct vnpu_mm_owned - an object that ends with an address space
 * @link: entry in vnpu_mm_owner.owned, under the owner's lock
 * @end: end the object; called under the owner's lock; constant
 */
struct vnpu_mm_owned {
	struct list_head link;
	void (*end)(struct vnpu_mm_owned *owned);
};

/**
 * struct vnpu_mm_owner - an address space that owns clients and cores
 * @mn: holds the mm_struct (mmgrab()) but not its mappings; its reference count
 *	is the number of objects
 * @lock: protects @owned, and keeps the objects in it from being freed.
 *	Outermost.
 * @owned: list of the objects, vnpu_mm_owned.link
 */
struct vnpu_mm_owner {
	struct mmu_notifier mn;
	struct mutex lock;
	struct list_head owned;
};

struct vnpu_mm_owner *vnpu_mm_owner_get(void);
void vnpu_mm_owner_put(struct vnpu_mm_owner *owner);
void vnpu_mm_owner_add(struct vnpu_mm_owner *owner,
		       struct vnpu_mm_owned *owned);
void vnpu_mm_owner_remove(struct vnpu_mm_owner *owner,
			  struct vnpu_mm_owned *owned);

bool vnpu_mm_owner_is_current(const struct vnpu_mm_owner *owner);
bool vnpu_mm_owner_has_vma(const struct vnpu_mm_owner *owner,
			   const struct vm_area_struct *vma);
void vnpu_vma_fork_by_fault(struct vm_area_struct *vma);

#endif
