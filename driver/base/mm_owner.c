// SPDX-License-Identifier: GPL-2.0-only
/* Check whether the caller or a mapping is in the address space of a client. */
#include <linux/mm.h>
#include <linux/sched.h>

#include "compat.h"
#include "mm_owner.h"

/**
 * vnpu_mm_owner_is_current() - check if the caller is in an address space
 * @owner: the owner
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
 * shared mapping without it is empty in the child, whose faults are then
 * refused. The entries are ordinary pages with references, so they do not need
 * VM_MIXEDMAP.
 */
void vnpu_vma_fork_by_fault(struct vm_area_struct *vma)
{
	vm_flags_clear(vma, VM_MIXEDMAP);
}
