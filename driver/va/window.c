// SPDX-License-Identifier: GPL-2.0-only
/*
 * The window: a client's device addresses as a mapping of its file, and as a
 * mapping of an engine file (see exec/core.h) in the process of a core.
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
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/pgtable.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "mem/hostmap.h"
#include "mem/mem.h"
#include "bind.h"
#include "compat.h"
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

/**
 * struct vnpu_window_user - the user of a mapping
 * @client: the client whose window is mapped
 * @device: VNPU_DEVICE_HOST, or the device whose core has the mapping
 * @core: that core's window, or NULL
 */
struct vnpu_window_user {
	struct vnpu_client *client;
	u32 device;
	const struct vnpu_core_window *core;
};

static bool vnpu_window_may(const struct vnpu_window_user *user,
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

/*
 * Undo a mapping of a core that has ended. The end is marked before the pages of
 * the core are removed. So if the mark is not visible here, the removal finds
 * the new entries.
 */
static vm_fault_t vnpu_window_check_end(struct vm_fault *vmf,
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

/* Check the page of a fault for errors, all of which are injected. */
static vm_fault_t vnpu_window_check_ecc(const struct vnpu_window_user *user,
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

static vm_fault_t vnpu_window_serve(struct vm_fault *vmf,
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
		ret = vnpu_window_check_ecc(user, binding, va);
		if (!ret)
			ret = vnpu_window_begin(binding);
		if (!ret) {
			ret = vnpu_window_enter_small(vmf, user, binding, va);
			vnpu_window_end(binding);
		}
	}
	up_read(&client->lock);
	ret = vnpu_window_check_end(vmf, user, ret);
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

static vm_fault_t vnpu_window_serve_huge(struct vm_fault *vmf,
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
	ret = vnpu_window_check_end(vmf, user, ret);
	trace_vnpu_host_fault(client, va, vmf->flags & FAULT_FLAG_WRITE, ret);
	return ret;
}
#endif

/*
 * Check the rights of a core, which can access its own memory like a debugger.
 */
static bool vnpu_window_may_peek(const struct vnpu_window_user *user, u64 va,
				 bool write)
{
	u32 access = write ? VNPU_ACCESS_READ_WRITE : VNPU_ACCESS_READ;
	struct vnpu_client *client = user->client;
	struct vnpu_binding *binding;
	bool may;

	if (!user->core)
		return true;
	down_read(&client->lock);
	binding = vnpu_bind_find_locked(client, va);
	may = binding && !READ_ONCE(user->core->has_ended) &&
	      vnpu_window_may(user, binding, access);
	up_read(&client->lock);
	return may;
}

/*
 * Access memory for a debugger, which may read memory that a client cannot
 * access. The debugger holds mmap_lock, so memory of other drivers is refused:
 * an access to it can block for any time.
 */
static int vnpu_window_peek(const struct vnpu_window_user *user,
			    struct vm_area_struct *vma, unsigned long addr,
			    void *buf, int len, int write)
{
	u64 va = ((u64)vma->vm_pgoff << PAGE_SHIFT) + addr - vma->vm_start;
	int done = 0;

	len = min_t(u64, len, vma->vm_end - addr);
	while (done < len) {
		struct vnpu_span span;

		if (!vnpu_window_may_peek(user, va + done, write) ||
		    vnpu_bind_get_span(user->client, va + done, len - done,
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

static struct vnpu_window_user
vnpu_window_user_of_core(const struct vm_area_struct *vma)
{
	const struct vnpu_core_window *window = vma->vm_private_data;

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

/*
 * Set the window. Its addresses remain device addresses while anything is bound
 * to them or a slab window is in them, even if they are not mapped. Until then,
 * no other window can be set.
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

/* Check the protection of a new mapping. */
static int vnpu_window_check(const struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	/* VM_SHARED is missing if the file is not open for writing. */
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EACCES;
	return 0;
}

static void vnpu_window_prepare(struct vm_area_struct *vma)
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

/**
 * vnpu_core_window_init() - describe the window that a core may map
 * @window: filled
 * @client: the client
 * @device: index of the core's device
 *
 * Return: 0, or -ENXIO if the client has no window.
 */
int vnpu_core_window_init(struct vnpu_core_window *window,
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
	WRITE_ONCE(window->has_ended, true);
	/* Pairs with smp_mb() in vnpu_window_check_end(). */
	smp_mb();
	if (window->start != window->end)
		unmap_mapping_range(window->client->inode->i_mapping,
				    window->start, window->end - window->start,
				    1);
}
