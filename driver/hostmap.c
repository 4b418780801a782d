// SPDX-License-Identifier: GPL-2.0-only
/*
 * Entering memory objects into mappings of the host: into a client's window
 * (window.c) and into those of a dma-buf (dmabuf.c).
 */
#include <linux/mm.h>
#include <linux/sizes.h>

#include "hostmap.h"
#include "mem.h"

/* How many bytes are entered at once, where pages are small. */
#define VNPU_BLOCK_SIZE	SZ_64K

/**
 * vnpu_block_around() - the pages around a fault that are entered together
 * @vmf: the fault
 * @before: bytes that are mapped before the page, in address and memory alike
 * @after: the same from the page on
 *
 * They are those of a block of host addresses that are in the mapping and in
 * these bytes.
 *
 * Return: the block; its offset counts from where @before begins.
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
 * vnpu_block_check() - what was entered must not be stale
 * @vmf: the fault
 * @mem: the object
 * @block: which of its pages were entered, and where
 * @ret: what came of it
 *
 * Who makes an object stale does so before he takes it out of the mappings: so
 * if it is seen here not to be, what was entered is seen by him.
 *
 * Return: @ret, or VM_FAULT_SIGBUS: then nothing was entered.
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
 * vnpu_block_enter() - enter pages into a mapping
 * @vmf: the fault
 * @mem: the object; waits for the end of its move
 * @block: which of its pages, and where
 * @may_write: whether writing is granted; else they are entered for reading
 *
 * Return: VM_FAULT_NOPAGE, or what went wrong; VM_FAULT_SIGBUS where the object
 * is stale, or the caller was killed while it waited.
 */
vm_fault_t vnpu_block_enter(struct vm_fault *vmf, struct vnpu_mem *mem,
			    const struct vnpu_block *block, bool may_write)
{
	unsigned long flags = vmf->vma->vm_flags;
	vm_fault_t ret = VM_FAULT_NOPAGE;
	u64 at;

	if (!may_write)
		flags &= ~VM_WRITE;
	/* A process that is being killed does not run on to see this. */
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
 * vnpu_block_mkwrite() - vm_operations_struct.pfn_mkwrite
 * @vmf: a write to a page that was entered for reading
 *
 * If the caller were told to make the entry writable, it would do so with
 * nothing locked, and could not tell that the right went and the same page was
 * entered anew meanwhile. So the entry goes, and the write comes back as a
 * fault.
 *
 * Return: VM_FAULT_NOPAGE.
 */
vm_fault_t vnpu_block_mkwrite(struct vm_fault *vmf)
{
	zap_vma_ptes(vmf->vma, vmf->address & PAGE_MASK, PAGE_SIZE);
	return VM_FAULT_NOPAGE;
}
