// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window: a client's device addresses as a mapping of its file.
 *
 * In the file, a device address is its own offset. So what is bound where can
 * be found from a mapping wherever mremap() has moved it, and taken out of all
 * mappings by its address. The pages have no struct page; they are entered by
 * number (VM_PFNMAP), on a fault and only if the memory allows host access.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/overflow.h>

#include <linux/vnpu.h>

#include "bind.h"
#include "client.h"
#include "compat.h"
#include "mem.h"
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

static vm_fault_t vnpu_window_fault(struct vm_fault *vmf)
{
	struct vnpu_client *client = vmf->vma->vm_private_data;
	u64 va = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret = VM_FAULT_SIGSEGV;
	struct vnpu_binding *binding;
	u64 offset;

	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	if (!binding || !(binding->mem->flags & VNPU_MEM_F_HOST_ACCESS))
		goto out;
	offset = va - binding->node.start + binding->offset;
	/* A later mprotect() lets the host write without another fault. */
	vnpu_mem_mark_written(binding->mem, offset, PAGE_SIZE);
	ret = vmf_insert_pfn(vmf->vma, vmf->address & PAGE_MASK,
			     vnpu_mem_pfn(binding->mem, offset));
out:
	up_read(&client->lock);
	return ret;
}

/* For a debugger, which looks at memory that even its owner cannot touch. */
static int vnpu_window_access(struct vm_area_struct *vma, unsigned long addr,
			      void *buf, int len, int write)
{
	struct vnpu_client *client = vma->vm_private_data;
	u64 va = ((u64)vma->vm_pgoff << PAGE_SHIFT) + addr - vma->vm_start;
	int done = 0;

	len = min_t(u64, len, vma->vm_end - addr);
	while (done < len) {
		struct vnpu_span span;

		if (vnpu_bind_get_span(client, va + done, len - done, &span))
			break;
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
	.access = vnpu_window_access,
};

/*
 * The addresses stay device addresses while something is bound to them, even
 * if they are not mapped: no other window may take their place meanwhile.
 */
static int vnpu_window_set(struct vnpu_client *client, u64 start, u64 end)
{
	int ret = 0;

	down_write(&client->lock);
	if (client->window_vmas || client->map.count) {
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
