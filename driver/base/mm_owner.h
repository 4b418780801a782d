/* SPDX-License-Identifier: GPL-2.0-only */
/* The address space that owns a client, and its end. */
#ifndef VNPU_MM_OWNER_H
#define VNPU_MM_OWNER_H

#include <linux/list.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>

struct vm_area_struct;
struct vnpu_client;

/**
 * struct vnpu_mm_owner - an address space that owns clients
 * @mn: holds the mm_struct (mmgrab()) but not its mappings; its reference count
 *	is the number of clients
 * @lock: protects @clients, and keeps the clients in it from being freed.
 *	Outermost.
 * @clients: vnpu_client.mm_owner_link
 */
struct vnpu_mm_owner {
	struct mmu_notifier mn;
	struct mutex lock;
	struct list_head clients;
};

bool vnpu_mm_owner_is_current(const struct vnpu_mm_owner *owner);
bool vnpu_mm_owner_has_vma(const struct vnpu_mm_owner *owner,
			   const struct vm_area_struct *vma);
void vnpu_vma_fork_by_fault(struct vm_area_struct *vma);

#endif
