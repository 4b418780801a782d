// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window: a client's device addresses as a mapping of its file. core_window.c
 * has the mappings of engine files in the processes of cores.
 *
 * A device address is also its offset in the file. So a mapping finds its
 * bindings wherever mremap() has moved it, and a binding can be removed from
 * all mappings by its address: both files have the same address_space. A fault
 * maps pages by pfn (VM_PFNMAP), if the binding allows access by the host, or
 * by the device in a core. Pages of 2 MiB are mapped with one entry if the
 * kernel supports it and the addresses are aligned.
 *
 * The mappings always agree with the bindings: a binding leaves the map and the
 * mappings under one hold of the lock, and an object is removed from the
 * mappings before it is moved.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pgtable.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "mem/hostmap.h"
#include "mem/mem.h"
#include "bind.h"
#include "compat.h"
#include "core_window.h"
#include "trace_mem.h"
#include "window_internal.h"

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

/**
 * vnpu_window_may() - check the rights of the user of a mapping
 * @user: the user
 * @binding: the accessed binding; the client's lock is held
 * @access: VNPU_ACCESS_*
 *
 * Return: true if the access is allowed.
 */
bool vnpu_window_may(const struct vnpu_window_user *user,
		     const struct vnpu_binding *binding, u32 access)
{
	const struct vnpu_mem *mem = binding->mem;

	if (user->device == VNPU_DEVICE_HOST
	    ? !(mem->flags & VNPU_MEM_F_HOST_ACCESS) : !mem->ops->pfn)
		return false;
	return vnpu_binding_allows(binding, user->device, access);
}

/*
 * Begin to map pages of a binding. The pin keeps the object in place until the
 * binding is marked as mapped. A killed process stops waiting for a move.
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
	/*
	 * Order the page table entries before the load of mapped. Pairs with
	 * smp_mb() in vnpu_binding_revoke_locked().
	 */
	smp_mb();
	vnpu_binding_note_mapped(binding);
	vnpu_mem_unpin(binding->mem);
}

/* Map the pages around a fault, read-only if the user may not write. */
static vm_fault_t vnpu_window_enter(struct vm_fault *vmf,
				    const struct vnpu_window_user *user,
				    struct vnpu_binding *binding, u64 va)
{
	struct vnpu_block block;

	block = vnpu_block_around(vmf, va - binding->node.start,
				  binding->node.last - va + 1);
	/* Only the page of the fault was checked for errors. */
	if (user->core && vnpu_inject_is_on())
		block = (struct vnpu_block){
			.address = vmf->address & PAGE_MASK,
			.offset = va - binding->node.start,
			.length = PAGE_SIZE,
		};
	block.offset += binding->offset;
	return vnpu_block_enter(vmf, binding->mem, &block,
				vnpu_window_may(user, binding,
						VNPU_ACCESS_READ_WRITE));
}

#ifdef VNPU_HAS_PMD_PFNMAP
/* A page table, once it is there, stays as long as the mapping is locked. */
static bool vnpu_window_has_table(const struct vm_fault *vmf)
{
	pmd_t pmd = pmdp_get_lockless(vmf->pmd);

	return !pmd_none(pmd) && !pmd_leaf(pmd);
}

/*
 * Map small pages, unless another fault has mapped 2 MiB in the meantime. One
 * fault may fall back to small pages for an old binding, while another maps
 * 2 MiB of a new one. The kernel warns if a driver maps 2 MiB over a page
 * table; and it reports a lack of memory if a small page is to be mapped over
 * 2 MiB.
 */
static vm_fault_t
vnpu_window_enter_small(struct vm_fault *vmf,
			const struct vnpu_window_user *user,
			struct vnpu_binding *binding, u64 va)
{
	struct mutex *lock = &binding->client->table_lock;
	vm_fault_t ret = VM_FAULT_NOPAGE;

	if (vnpu_window_has_table(vmf))
		return vnpu_window_enter(vmf, user, binding, va);
	mutex_lock(lock);
	if (!pmd_leaf(pmdp_get_lockless(vmf->pmd)))
		ret = vnpu_window_enter(vmf, user, binding, va);
	mutex_unlock(lock);
	return ret;
}
#else
static vm_fault_t
vnpu_window_enter_small(struct vm_fault *vmf,
			const struct vnpu_window_user *user,
			struct vnpu_binding *binding, u64 va)
{
	return vnpu_window_enter(vmf, user, binding, va);
}
#endif

/**
 * vnpu_window_serve() - handle a fault by mapping small pages
 * @vmf: the fault
 * @user: the user of the mapping
 *
 * Return: as a fault handler.
 */
vm_fault_t vnpu_window_serve(struct vm_fault *vmf,
			     const struct vnpu_window_user *user)
{
	u32 access = vnpu_fault_access(vmf);
	struct vnpu_client *client = user->client;
	u64 va = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret = VM_FAULT_SIGSEGV;
	struct vnpu_binding *binding;

	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	if (binding && vnpu_window_may(user, binding, access)) {
		ret = vnpu_core_window_check_ecc(user, binding, va);
		if (!ret)
			ret = vnpu_window_begin(binding);
		if (!ret) {
			ret = vnpu_window_enter_small(vmf, user, binding, va);
			vnpu_window_end(binding);
		}
	}
	up_read(&client->lock);
	ret = vnpu_core_window_check_end(vmf, user, ret);
	trace_vnpu_host_fault(client, va, vmf->flags & FAULT_FLAG_WRITE, ret);
	return ret;
}

#ifdef VNPU_HAS_PMD_PFNMAP
/* Find the 2 MiB around an address; false if one entry cannot map them. */
static bool vnpu_window_huge_block(const struct vm_fault *vmf,
				   const struct vnpu_binding *binding, u64 va,
				   struct vnpu_block *block)
{
	const struct vm_area_struct *vma = vmf->vma;
	u64 in_page = va & ~PMD_MASK;

	/* mremap() can move a mapping to an address with another alignment. */
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

/* Map 2 MiB, unless small pages are mapped; then the fault is repeated. */
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
 * Map a page of 2 MiB. Make it writable only on a write, because it counts as
 * written then, and clearing it for the next client is expensive.
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

/**
 * vnpu_window_serve_huge() - handle a fault by mapping 2 MiB
 * @vmf: the fault
 * @user: the user of the mapping
 * @order: of the pages to be mapped
 *
 * Return: as a fault handler.
 */
vm_fault_t vnpu_window_serve_huge(struct vm_fault *vmf,
				  const struct vnpu_window_user *user,
				  unsigned int order)
{
	u32 access = vnpu_fault_access(vmf);
	struct vnpu_client *client = user->client;
	u64 va = (u64)vmf->pgoff << PAGE_SHIFT;
	vm_fault_t ret = VM_FAULT_FALLBACK;
	struct vnpu_binding *binding;
	struct vnpu_block block;

	if (order != PMD_ORDER)
		return VM_FAULT_FALLBACK;
	/* Errors are looked for page by page. */
	if (user->core && vnpu_inject_is_on())
		return VM_FAULT_FALLBACK;
	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	if (!binding || !vnpu_window_may(user, binding, access))
		ret = VM_FAULT_SIGSEGV;
	else if (vnpu_window_huge_block(vmf, binding, va, &block))
		ret = vnpu_window_enter_huge(vmf, binding, &block);
	up_read(&client->lock);
	/*
	 * A fault that falls back is traced when it is repeated for a small
	 * page.
	 */
	if (ret == VM_FAULT_FALLBACK)
		return ret;
	ret = vnpu_core_window_check_end(vmf, user, ret);
	trace_vnpu_host_fault(client, va, vmf->flags & FAULT_FLAG_WRITE, ret);
	return ret;
}
#endif

/**
 * vnpu_window_touch() - copy bytes from or to memory for a debugger
 * @span: the memory, which is pinned
 * @buf: the bytes
 * @write: whether to write them
 */
void vnpu_window_touch(struct vnpu_span *span, void *buf, bool write)
{
	if (write) {
		vnpu_mem_mark_written(span->mem, span->offset, span->length);
		memcpy(span->addr, buf, span->length);
	} else {
		memcpy(buf, span->addr, span->length);
	}
}

/*
 * Access a piece of memory for a debugger of the client, which may read memory
 * that the client cannot access. Return the bytes of the piece or -EFAULT.
 */
static int vnpu_window_peek_host(struct vnpu_client *client, u64 va, void *buf,
				 int len, bool write)
{
	struct vnpu_span span;
	int ret = -EFAULT;

	if (vnpu_bind_get_span(client, va, len, VNPU_DEVICE_HOST,
			       VNPU_ACCESS_NONE, &span))
		return -EFAULT;
	if (!write || !span.mem->read_only) {
		vnpu_window_touch(&span, buf, write);
		ret = span.length;
	}
	vnpu_span_put(&span);
	return ret;
}

/**
 * vnpu_window_peek() - access memory for a debugger
 * @user: the user of the mapping
 * @vma: the mapping
 * @addr: an address in it
 * @buf: the bytes
 * @len: their number
 * @write: whether to write them
 *
 * A debugger holds mmap_lock, so memory of other drivers is refused: an access to
 * it can block for any time.
 *
 * Return: the number of bytes, or -EFAULT.
 */
int vnpu_window_peek(const struct vnpu_window_user *user,
		     struct vm_area_struct *vma, unsigned long addr, void *buf,
		     int len, int write)
{
	u64 va = ((u64)vma->vm_pgoff << PAGE_SHIFT) + addr - vma->vm_start;
	int done = 0;

	len = min_t(u64, len, vma->vm_end - addr);
	while (done < len) {
		int ret = user->core ?
			  vnpu_core_window_peek(user, va + done, buf + done,
						len - done, write) :
			  vnpu_window_peek_host(user->client, va + done,
						buf + done, len - done, write);

		if (ret < 0)
			break;
		done += ret;
	}
	return done ?: -EFAULT;
}

static struct vnpu_window_user
vnpu_window_user_of_host(const struct vm_area_struct *vma)
{
	return (struct vnpu_window_user){
		.client = vma->vm_private_data,
		.device = VNPU_DEVICE_HOST,
	};
}

static vm_fault_t vnpu_window_fault(struct vm_fault *vmf)
{
	struct vnpu_window_user user = vnpu_window_user_of_host(vmf->vma);

	return vnpu_window_serve(vmf, &user);
}

#ifdef VNPU_HAS_PMD_PFNMAP
static vm_fault_t vnpu_window_huge_fault(struct vm_fault *vmf,
					 unsigned int order)
{
	struct vnpu_window_user user = vnpu_window_user_of_host(vmf->vma);

	return vnpu_window_serve_huge(vmf, &user, order);
}
#endif

static int vnpu_window_access(struct vm_area_struct *vma, unsigned long addr,
			      void *buf, int len, int write)
{
	struct vnpu_window_user user = vnpu_window_user_of_host(vma);

	return vnpu_window_peek(&user, vma, addr, buf, len, write);
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

/* Check if the addresses of a client's window, which is not mapped, are in use. */
static bool vnpu_window_is_used_locked(const struct vnpu_client *client)
{
	return client->map.count || client->slab_windows.count;
}

/*
 * Set the window. Its addresses remain device addresses while anything is bound
 * to them or a slab window is in them, even if they are not mapped. Until then,
 * the same window can be mapped again, but no other can be set.
 */
static int vnpu_window_set(struct vnpu_client *client, u64 start, u64 end)
{
	int ret = 0;

	down_write(&client->lock);
	if (client->window_vmas ||
	    ((start != client->window_start || end != client->window_end) &&
	     vnpu_window_is_used_locked(client))) {
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
 * vnpu_window_check() - check the protection of a new mapping
 * @vma: the mapping
 *
 * Return: 0, -EINVAL or -EACCES.
 */
int vnpu_window_check(const struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	/* VM_SHARED is missing if the file is not open for writing. */
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EACCES;
	return 0;
}

/**
 * vnpu_window_prepare() - set the flags and the offset of a new mapping
 * @vma: the mapping
 */
void vnpu_window_prepare(struct vm_area_struct *vma)
{
	/* VM_IO keeps MADV_DOFORK from undoing VM_DONTCOPY. */
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTCOPY | VM_DONTEXPAND |
		     VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYEXEC);
	vma->vm_pgoff = vma->vm_start >> PAGE_SHIFT;
}

/**
 * vnpu_window_mmap() - map a client's window
 * @client: the client, owned by the calling process
 * @vma: the new mapping
 *
 * Return: 0, -EINVAL, -EACCES or -EBUSY, see VNPU_MMAP_WINDOW.
 */
int vnpu_window_mmap(struct vnpu_client *client, struct vm_area_struct *vma)
{
	int ret = vnpu_window_check(vma);

	if (!ret)
		ret = vnpu_window_set(client, vma->vm_start, vma->vm_end);
	if (ret)
		return ret;
	vnpu_window_prepare(vma);
	vma->vm_private_data = client;
	vma->vm_ops = &vnpu_window_ops;
	return 0;
}
