// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window of a client as a mapping of an engine file, in the process of a core
 * (see exec/core.h).
 *
 * It is mapped like the client's own window (window.c), with the rights of the
 * device instead of the host's, and until the core ends.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pgtable.h>

#include "base/client.h"
#include "mem/hostmap.h"
#include "mem/mem.h"
#include "bind.h"
#include "compat.h"
#include "core_window.h"
#include "window_internal.h"

/**
 * vnpu_core_window_check_end() - undo a mapping of a core that has ended
 * @vmf: the fault
 * @user: the user of the mapping
 * @ret: result of the fault so far
 *
 * The end is marked before the pages of the core are removed. So if the mark is
 * not visible here, the removal finds the new entries.
 *
 * Return: the result of the fault.
 */
vm_fault_t vnpu_core_window_check_end(struct vm_fault *vmf,
				      const struct vnpu_window_user *user,
				      vm_fault_t ret)
{
	u64 size = PMD_SIZE, start;

	if (!user->core)
		return ret;
	/* Pairs with smp_mb() in vnpu_core_window_end(). */
	smp_mb();
	if (likely(!READ_ONCE(user->core->has_ended)))
		return ret;
	/* A fault enters pages within 2 MiB of its address. */
	start = max(vmf->address & ~(size - 1), vmf->vma->vm_start);
	zap_vma_ptes(vmf->vma, start,
		     min(start + size, vmf->vma->vm_end) - start);
	return VM_FAULT_SIGBUS;
}

/**
 * vnpu_core_window_check_ecc() - check the page of a core's fault for errors
 * @user: the user of the mapping
 * @binding: of the page
 * @va: address of the page
 *
 * All errors are injected.
 *
 * Return: 0, or the result of the fault.
 */
vm_fault_t vnpu_core_window_check_ecc(const struct vnpu_window_user *user,
				      const struct vnpu_binding *binding,
				      u64 va)
{
	struct vnpu_span span = {
		.mem = binding->mem,
		.offset = binding->offset + va - binding->node.start,
		.length = PAGE_SIZE,
	};
	u64 addr;

	if (!user->core)
		return 0;
	switch (vnpu_ecc_check(user->client, va, &span, &addr)) {
	case 0:
		return 0;
	case -EFAULT:
		return VM_FAULT_SIGSEGV;
	default:
		return VM_FAULT_SIGBUS;
	}
}

/* Access a piece of memory, unless the core has ended; it is pinned. */
static int vnpu_core_window_touch(struct vnpu_core_window *window,
				  struct vnpu_span *span, void *buf, bool write)
{
	int ret = -EFAULT;

	mutex_lock(&window->lock);
	if (!window->has_ended) {
		vnpu_window_touch(span, buf, write);
		ret = span->length;
	}
	mutex_unlock(&window->lock);
	return ret;
}

/**
 * vnpu_core_window_peek() - access a piece of a core's memory like a debugger
 * @user: the core
 * @va: device address
 * @buf: the bytes
 * @len: their number
 * @write: whether to write them
 *
 * A core can access its own memory like a debugger. The access ends before the
 * core does, and before a binding or a right that allows it.
 *
 * Return: the number of bytes of the piece, -EFAULT, or -EINTR if the caller was
 * killed while the memory was being moved.
 */
int vnpu_core_window_peek(const struct vnpu_window_user *user, u64 va,
			  void *buf, int len, bool write)
{
	u32 access = write ? VNPU_ACCESS_READ_WRITE : VNPU_ACCESS_READ;
	struct vnpu_client *client = user->client;
	struct vnpu_binding *binding;
	int ret = -EFAULT;

	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	if (binding && !READ_ONCE(binding->mem->stale) &&
	    vnpu_window_may(user, binding, access)) {
		struct vnpu_mem *mem = binding->mem;
		struct vnpu_span span = {
			.mem = mem,
			.offset = binding->offset + va - binding->node.start,
			.length = min_t(u64, len, binding->node.last - va + 1),
		};

		ret = vnpu_mem_pin_killable(mem);
		if (!ret) {
			span.addr = vnpu_mem_addr(mem, span.offset,
						  &span.length);
			ret = vnpu_core_window_touch(user->core, &span, buf,
						     write);
			vnpu_mem_unpin(mem);
		}
	}
	up_read(&client->lock);
	return ret;
}

static struct vnpu_window_user
vnpu_window_user_of_core(const struct vm_area_struct *vma)
{
	struct vnpu_core_window *window = vma->vm_private_data;

	return (struct vnpu_window_user){
		.client = window->client,
		.device = window->device,
		.core = window,
	};
}

static vm_fault_t vnpu_core_window_fault(struct vm_fault *vmf)
{
	struct vnpu_window_user user = vnpu_window_user_of_core(vmf->vma);

	if (READ_ONCE(user.core->has_ended))
		return VM_FAULT_SIGBUS;
	return vnpu_window_serve(vmf, &user);
}

#ifdef VNPU_HAS_PMD_PFNMAP
static vm_fault_t vnpu_core_window_huge_fault(struct vm_fault *vmf,
					      unsigned int order)
{
	struct vnpu_window_user user = vnpu_window_user_of_core(vmf->vma);

	if (READ_ONCE(user.core->has_ended))
		return VM_FAULT_SIGBUS;
	return vnpu_window_serve_huge(vmf, &user, order);
}
#endif

static int vnpu_core_window_access(struct vm_area_struct *vma,
				   unsigned long addr, void *buf, int len,
				   int write)
{
	struct vnpu_window_user user = vnpu_window_user_of_core(vma);

	return vnpu_window_peek(&user, vma, addr, buf, len, write);
}

/*
 * Refuse to move a mapping. Otherwise a core could map each address very often,
 * at other places, and removing a binding from all mappings would take as long.
 */
static int vnpu_core_window_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

/* The file of each mapping keeps the core. */
static const struct vm_operations_struct vnpu_core_window_ops = {
	.mremap = vnpu_core_window_mremap,
	.fault = vnpu_core_window_fault,
#ifdef VNPU_HAS_PMD_PFNMAP
	.huge_fault = vnpu_core_window_huge_fault,
#endif
	.pfn_mkwrite = vnpu_block_mkwrite,
	.access = vnpu_core_window_access,
};

/**
 * vnpu_core_window_init() - initialise a window that no core may map yet
 * @window: the window, zeroed
 */
void vnpu_core_window_init(struct vnpu_core_window *window)
{
	mutex_init(&window->lock);
}

/**
 * vnpu_core_window_fini() - destroy a window
 * @window: the window, which has no mappings
 */
void vnpu_core_window_fini(struct vnpu_core_window *window)
{
	mutex_destroy(&window->lock);
}

/**
 * vnpu_core_window_set() - describe the window that a core may map
 * @window: filled
 * @client: the client
 * @device: index of the core's device
 *
 * Return: 0, or -ENXIO if the client has no window.
 */
int vnpu_core_window_set(struct vnpu_core_window *window,
			 struct vnpu_client *client, u32 device)
{
	window->client = client;
	window->device = device;
	down_read(&client->lock);
	window->start = client->window_start;
	window->end = client->window_end;
	up_read(&client->lock);
	return window->start == window->end ? -ENXIO : 0;
}

/**
 * vnpu_core_window_mmap() - map a client's window in the process of a core
 * @window: the window, which lives as long as the file
 * @vma: the new mapping
 *
 * Return: 0, -EINVAL or -EACCES, see VNPU_ENGINE_MMAP_WINDOW.
 */
int vnpu_core_window_mmap(struct vnpu_core_window *window,
			  struct vm_area_struct *vma)
{
	int ret = vnpu_window_check(vma);

	if (ret)
		return ret;
	if (vma->vm_start < window->start || vma->vm_end > window->end)
		return -EINVAL;
	vnpu_window_prepare(vma);
	vma->vm_private_data = window;
	vma->vm_ops = &vnpu_core_window_ops;
	return 0;
}

/**
 * vnpu_core_window_end() - remove all pages from a core's mappings
 * @window: the window; later accesses of the core get SIGBUS
 *
 * The mappings of the client lose their pages too; the next access maps them
 * again.
 */
void vnpu_core_window_end(struct vnpu_core_window *window)
{
	/* This waits for an access in vnpu_core_window_touch(). */
	mutex_lock(&window->lock);
	WRITE_ONCE(window->has_ended, true);
	mutex_unlock(&window->lock);
	/* Pairs with smp_mb() in vnpu_core_window_check_end(). */
	smp_mb();
	if (window->start != window->end)
		unmap_mapping_range(window->client->inode->i_mapping,
				    window->start, window->end - window->start,
				    1);
}
