// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window: a client's device addresses as a mapping of its file.
 *
 * In the file, a device address is its own offset. So what is bound where can
 * be found from a mapping wherever mremap() has moved it, and taken out of all
 * mappings by its address. The pages have no struct page; they are entered by
 * number (VM_PFNMAP), on a fault and only if the memory allows host access;
 * pages of 2 MiB as such, where the kernel can and the addresses are aligned
 * alike.
 *
 * What was entered never differs from what is bound: bindings leave the map
 * and the mappings under one hold of the lock, and what is being moved is out
 * of the mappings before it is anywhere else.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/pgtable.h>

#include <linux/vnpu.h>

#include "bind.h"
#include "client.h"
#include "compat.h"
#include "hostmap.h"
#include "mem.h"
#include "trace_mem.h"
#include "window.h"

static void vnpu_window_open(struct vm_area_struct *vma)
{
	struct vnpu_client *client = vma->vm_private_data;

	down_write(&client->lock);
	client->window_vmas++;
	up_write(&client->lock);
}

static void vnpu_window_close(struct vm_area_struct *vma)
{
	struct vnpu_client *client = vma->vm_private_data;

	down_write(&client->lock);
	client->window_vmas--;
	up_write(&client->lock);
}

static u32 vnpu_fault_access(const struct vm_fault *vmf)
{
	return vmf->flags & FAULT_FLAG_WRITE ? VNPU_ACCESS_READ_WRITE :
					       VNPU_ACCESS_READ;
}

static bool vnpu_window_host_may(const struct vnpu_binding *binding, u32 access)
{
	return binding->mem->flags & VNPU_MEM_F_HOST_ACCESS &&
	       vnpu_binding_allows(binding, VNPU_DEVICE_HOST, access);
}

/*
 * Around entering pages of a binding, so that the object is not moved before the
 * binding is known to be mapped. A process that is killed waits no longer.
 */
static vm_fault_t vnpu_window_begin(struct vnpu_binding *binding)
{
	if (vnpu_mem_pin_killable(binding->mem))
		return VM_FAULT_SIGBUS;
	vnpu_binding_note_mapped(binding);
	return 0;
}

static void vnpu_window_end(struct vnpu_binding *binding)
{
	/* Pairs with that in vnpu_binding_revoke_locked(). */
	smp_mb();
	vnpu_binding_note_mapped(binding);
	vnpu_mem_unpin(binding->mem);
}

/* Enters the pages around; if the host may not write there, for reading only. */
static vm_fault_t vnpu_window_enter(struct vm_fault *vmf,
				    struct vnpu_binding *binding, u64 va)
{
	struct vnpu_block block;

	block = vnpu_block_around(vmf, va - binding->node.start,
				  binding->node.last - va + 1);
	block.offset += binding->offset;
	return vnpu_block_enter(vmf, binding->mem, &block,
				vnpu_window_host_may(binding,
						     VNPU_ACCESS_READ_WRITE));
}

#ifdef VNPU_HAS_PMD_PFNMAP
/* It stays, once it is there, as long as the mapping is locked. */
static bool vnpu_window_has_table(const struct vm_fault *vmf)
{
	pmd_t pmd = pmdp_get_lockless(vmf->pmd);

	return !pmd_none(pmd) && !pmd_leaf(pmd);
}

/*
 * A fault that fell back for what was bound then can meet one that does not for
 * what is bound now. The kernel warns of a driver that enters 2 MiB where there is
 * a table, and takes a small page where 2 MiB are for a lack of memory.
 */
static vm_fault_t vnpu_window_enter_small(struct vm_fault *vmf,
					  struct vnpu_binding *binding, u64 va)
{
	struct mutex *lock = &binding->client->table_lock;
	vm_fault_t ret = VM_FAULT_NOPAGE;

	if (vnpu_window_has_table(vmf))
		return vnpu_window_enter(vmf, binding, va);
	mutex_lock(lock);
	if (!pmd_leaf(pmdp_get_lockless(vmf->pmd)))
		ret = vnpu_window_enter(vmf, binding, va);
	mutex_unlock(lock);
	return ret;
}
#else
static vm_fault_t vnpu_window_enter_small(struct vm_fault *vmf,
					  struct vnpu_binding *binding, u64 va)
{
	return vnpu_window_enter(vmf, binding, va);
}
#endif

static vm_fault_t vnpu_window_fault(struct vm_fault *vmf)
{
	u32 access = vnpu_fault_access(vmf);
	struct vnpu_client *client = vmf->vma->vm_private_data;
	u64 va = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret = VM_FAULT_SIGSEGV;
	struct vnpu_binding *binding;

	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	if (binding && vnpu_window_host_may(binding, access)) {
		ret = vnpu_window_begin(binding);
		if (!ret) {
			ret = vnpu_window_enter_small(vmf, binding, va);
			vnpu_window_end(binding);
		}
	}
	up_read(&client->lock);
	trace_vnpu_host_fault(client, va, vmf->flags & FAULT_FLAG_WRITE, ret);
	return ret;
}

#ifdef VNPU_HAS_PMD_PFNMAP
/* The 2 MiB around an address: are they one page, wholly in the mapping? */
static bool vnpu_window_huge_block(const struct vm_fault *vmf,
				   const struct vnpu_binding *binding, u64 va,
				   struct vnpu_block *block)
{
	const struct vm_area_struct *vma = vmf->vma;
	u64 in_page = va & ~PMD_MASK;

	/* mremap() can put a mapping where it does not fit. */
	if ((vmf->address & ~PMD_MASK & PAGE_MASK) != in_page)
		return false;
	va -= in_page;
	block->address = vmf->address & PMD_MASK;
	block->offset = va - binding->node.start + binding->offset;
	block->length = PMD_SIZE;
	return binding->mem->page_shift >= PMD_SHIFT &&
	       IS_ALIGNED(block->offset, PMD_SIZE) &&
	       va >= binding->node.start &&
	       va + PMD_SIZE - 1 <= binding->node.last &&
	       block->address >= vma->vm_start &&
	       block->address + PMD_SIZE <= vma->vm_end;
}

/* Unless small pages are there by now: then the fault comes again as one. */
static vm_fault_t vnpu_window_insert_huge(struct vm_fault *vmf,
					  struct vnpu_binding *binding,
					  const struct vnpu_block *block,
					  unsigned long pfn)
{
	struct mutex *lock = &binding->client->table_lock;
	bool write = vmf->flags & FAULT_FLAG_WRITE;
	vm_fault_t ret = VM_FAULT_NOPAGE;

	mutex_lock(lock);
	if (!vnpu_window_has_table(vmf)) {
		if (write)
			vnpu_mem_mark_written(binding->mem, block->offset,
					      block->length);
		ret = vnpu_insert_pmd(vmf, pfn, write);
	}
	mutex_unlock(lock);
	return ret;
}

/*
 * Enters a page of 2 MiB: for writing when it is written to, since to have it
 * cleared for another client is no trifle.
 */
static vm_fault_t vnpu_window_enter_huge(struct vm_fault *vmf,
					 struct vnpu_binding *binding,
					 const struct vnpu_block *block)
{
	struct vnpu_mem *mem = binding->mem;
	unsigned long pfn;
	vm_fault_t ret;

	ret = vnpu_window_begin(binding);
	if (ret)
		return ret;
	ret = VM_FAULT_FALLBACK;
	pfn = mem->ops->pfn(mem, block->offset);
	if (IS_ALIGNED(pfn, PMD_SIZE >> PAGE_SHIFT))
		ret = vnpu_window_insert_huge(vmf, binding, block, pfn);
	vnpu_window_end(binding);
	return vnpu_block_check(vmf, mem, block, ret);
}

static vm_fault_t vnpu_window_huge_fault(struct vm_fault *vmf,
					 unsigned int order)
{
	u32 access = vnpu_fault_access(vmf);
	struct vnpu_client *client = vmf->vma->vm_private_data;
	u64 va = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret = VM_FAULT_FALLBACK;
	struct vnpu_binding *binding;
	struct vnpu_block block;

	if (order != PMD_ORDER)
		return VM_FAULT_FALLBACK;
	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	if (!binding || !vnpu_window_host_may(binding, access))
		ret = VM_FAULT_SIGSEGV;
	else if (vnpu_window_huge_block(vmf, binding, va, &block))
		ret = vnpu_window_enter_huge(vmf, binding, &block);
	up_read(&client->lock);
	/* One that falls back comes again as one for a small page. */
	if (ret != VM_FAULT_FALLBACK)
		trace_vnpu_host_fault(client, va,
				      vmf->flags & FAULT_FLAG_WRITE, ret);
	return ret;
}
#endif

/*
 * For a debugger, which looks at memory that even its owner cannot touch. It has
 * mmap_lock: memory of other drivers, which may wait for anything, is not for it.
 */
static int vnpu_window_access(struct vm_area_struct *vma, unsigned long addr,
			      void *buf, int len, int write)
{
	struct vnpu_client *client = vma->vm_private_data;
	u64 va = ((u64)vma->vm_pgoff << PAGE_SHIFT) + addr - vma->vm_start;
	int done = 0;

	len = min_t(u64, len, vma->vm_end - addr);
	while (done < len) {
		struct vnpu_span span;

		if (vnpu_bind_get_span(client, va + done, len - done,
				       VNPU_DEVICE_HOST, VNPU_ACCESS_NONE, &span))
			break;
		if (write && span.mem->read_only) {
			vnpu_span_put(&span);
			break;
		}
		if (write) {
			vnpu_mem_mark_written(span.mem, span.offset, span.length);
			memcpy(span.addr, buf + done, span.length);
		} else {
			memcpy(buf + done, span.addr, span.length);
		}
		done += span.length;
		vnpu_span_put(&span);
	}
	return done ?: -EFAULT;
}

static const struct vm_operations_struct vnpu_window_ops = {
	.open = vnpu_window_open,
	.close = vnpu_window_close,
	.fault = vnpu_window_fault,
#ifdef VNPU_HAS_PMD_PFNMAP
	.huge_fault = vnpu_window_huge_fault,
#endif
	.pfn_mkwrite = vnpu_block_mkwrite,
	.access = vnpu_window_access,
};

/*
 * The addresses stay device addresses while something is bound to them, or
 * slabs are to be, even if they are not mapped: no other window may take their place meanwhile.
 */
static int vnpu_window_set(struct vnpu_client *client, u64 start, u64 end)
{
	int ret = 0;

	down_write(&client->lock);
	if (client->window_vmas || client->map.count ||
	    client->slab_windows.count) {
		ret = -EBUSY;
	} else {
		client->window_start = start;
		client->window_end = end;
		client->window_vmas = 1;
	}
	up_write(&client->lock);
	return ret;
}

/**
 * vnpu_window_mmap() - map a client's window
 * @client: the client, of the calling process
 * @vma: the mapping that is being made
 *
 * Return: 0, -EINVAL, -EACCES or -EBUSY, see VNPU_MMAP_WINDOW.
 */
int vnpu_window_mmap(struct vnpu_client *client, struct vm_area_struct *vma)
{
	int ret;

	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	/* VM_SHARED is missing where the file is not open for writing. */
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EACCES;

	ret = vnpu_window_set(client, vma->vm_start, vma->vm_end);
	if (ret)
		return ret;

	/* VM_IO keeps MADV_DOFORK from undoing VM_DONTCOPY. */
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTCOPY | VM_DONTEXPAND |
		     VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYEXEC);
	vma->vm_pgoff = vma->vm_start >> PAGE_SHIFT;
	vma->vm_private_data = client;
	vma->vm_ops = &vnpu_window_ops;
	return 0;
}
