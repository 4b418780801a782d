// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapping of memory objects into the host's page tables: those of a client's
 * window (window.c) and of a dma-buf's mappings (dmabuf.c).
 */
#include <linux/mm.h>
#include <linux/sizes.h>

#include "hostmap.h"
#include "mem.h"

/* Number of bytes that a fault maps at once, if pages are small. */
#define VNPU_BLOCK_SIZE	SZ_64K

/**
 * vnpu_block_around() - find the pages around a fault that are mapped together
 * @vmf: the fault
 * @before: bytes before the faulting page that are contiguous with it, both in
 *	host addresses and in memory
 * @after: the same from the faulting page on
 *
 * The result is an aligned block of host addresses, cut to the mapping and to
 * the given bytes.
 *
 * Return: the block; its offset is relative to the start of the @before bytes.
 */
struct vnpu_block vnpu_block_around(const struct vm_fault *vmf, u64 before,
				    u64 after)
{
	const struct vm_area_struct *vma = vmf->vma;
	u64 address = vmf->address & PAGE_MASK;
	u64 start = round_down(address, VNPU_BLOCK_SIZE);
	u64 end = start + VNPU_BLOCK_SIZE;

	start = max3(start, (u64)vma->vm_start, address - min(address, before));
	end = min3(end, (u64)vma->vm_end, address + after);
	return (struct vnpu_block){
		.address = start,
		.offset = before - (address - start),
		.length = end - start,
	};
}

/**
 * vnpu_block_check() - undo a mapping if the object has become stale
 * @vmf: the fault
 * @mem: the object
 * @block: the pages that were mapped
 * @ret: result of mapping them
 *
 * An object is marked as stale before it is removed from the mappings. So if
 * the mark is not visible here, the removal finds the new entries.
 *
 * Return: @ret; or VM_FAULT_SIGBUS if the object is stale, and nothing is
 * mapped.
 */
vm_fault_t vnpu_block_check(struct vm_fault *vmf, const struct vnpu_mem *mem,
			    const struct vnpu_block *block, vm_fault_t ret)
{
	if (likely(!READ_ONCE(mem->stale)))
		return ret;
	zap_vma_ptes(vmf->vma, block->address, block->length);
	return VM_FAULT_SIGBUS;
}

/**
 * vnpu_block_enter() - map pages for a fault
 * @vmf: the fault
 * @mem: the object; if it is being moved, this waits for the end of the move
 * @block: the pages
 * @may_write: true if writing is allowed; otherwise they are mapped read-only
 *
 * Return: VM_FAULT_NOPAGE or an error; VM_FAULT_SIGBUS if the object is stale,
 * or if the caller was killed while it waited.
 */
vm_fault_t vnpu_block_enter(struct vm_fault *vmf, struct vnpu_mem *mem,
			    const struct vnpu_block *block, bool may_write)
{
	unsigned long flags = vmf->vma->vm_flags;
	vm_fault_t ret = VM_FAULT_NOPAGE;
	u64 at;

	if (!may_write)
		flags &= ~VM_WRITE;
	/* Only a killed process fails here, and it never sees the SIGBUS. */
	if (vnpu_mem_pin_killable(mem))
		return VM_FAULT_SIGBUS;
	if (flags & VM_WRITE)
		vnpu_mem_mark_written(mem, block->offset, block->length);
	for (at = 0; at < block->length && ret == VM_FAULT_NOPAGE;
	     at += PAGE_SIZE)
		ret = vmf_insert_pfn_prot(vmf->vma, block->address + at,
					  mem->ops->pfn(mem, block->offset + at),
					  vm_get_page_prot(flags));
	vnpu_mem_unpin(mem);
	return vnpu_block_check(vmf, mem, block, ret);
}

/**
 * vnpu_block_mkwrite() - handle a write to a read-only entry, for
 *   vm_operations_struct.pfn_mkwrite
 * @vmf: the fault
 *
 * The kernel would make the entry writable without a lock of this driver. It
 * could not detect that the right was revoked and the same page mapped again
 * in the meantime. So remove the entry, and let the write fault again.
 *
 * Return: VM_FAULT_NOPAGE.
 */
vm_fault_t vnpu_block_mkwrite(struct vm_fault *vmf)
{
	zap_vma_ptes(vmf->vma, vmf->address & PAGE_MASK, PAGE_SIZE);
	return VM_FAULT_NOPAGE;
}
