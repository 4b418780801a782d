// SPDX-License-Identifier: GPL-2.0-only
/*
 * Host memory that the driver allocates.
 *
 * The pages are ordinary pages in an ordinary mapping, so programs can use them
 * in any way: for direct I/O, with io_uring, or as registered memory. They
 * belong to the memory object, to which each mapping has a reference.
 *
 * All tasks share the kernel's memory. So it is charged to the memory cgroup
 * and to the user's quota, and an allocation fails rather than invoking the OOM
 * killer.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "account/host_account.h"
#include "base/client.h"
#include "base/mm_owner.h"
#include "ras/inject.h"
#include "compat.h"
#include "hostmem.h"

/* page_address() must work for every page. */
static_assert(!IS_ENABLED(CONFIG_HIGHMEM));

/*
 * Maximum length of a run that vnpu_hostmem_addr() returns. Finding a run
 * visits each of its pages, so visit only as many as a copy uses at once. Pages
 * are never returned in part: a copy from the end goes page by page, and each
 * request must be satisfied in full, see vnpu_copy_next().
 */
#define VNPU_HOST_RUN	SZ_256K

#define VNPU_HOST_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | \
			 __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * vnpu_hostmem_init() - initialise host memory, without pages
 * @host: the object, zeroed
 * @length: bytes, not 0
 *
 * Sets @host->mem.length and allocates the array of pages.
 *
 * Return: 0, -EOVERFLOW or -ENOMEM.
 */
int vnpu_hostmem_init(struct vnpu_hostmem *host, u64 length)
{
	u64 rounded;

	if (check_add_overflow(length, (u64)PAGE_SIZE - 1, &rounded))
		return -EOVERFLOW;
	rounded &= PAGE_MASK;
	/* Do not even try to allocate more memory than the machine has. */
	if (rounded >> PAGE_SHIFT > totalram_pages())
		return -ENOMEM;

	host->mem.length = rounded;
	host->mem.page_shift = PAGE_SHIFT;
	host->nr_pages = rounded >> PAGE_SHIFT;
	host->pages = kvcalloc(host->nr_pages, sizeof(*host->pages),
			       GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	return host->pages ? 0 : -ENOMEM;
}

/**
 * vnpu_hostmem_fini() - free the array of pages
 * @host: the object; its pages were freed
 */
void vnpu_hostmem_fini(struct vnpu_hostmem *host)
{
	kvfree(host->pages);
}

/*
 * Check if a pointer into one page is valid for the next one as well. Hardened
 * usercopy requires that a copy which begins in a compound page ends there.
 */
static bool vnpu_hostmem_is_run(struct page *page, struct page *next)
{
	return page_to_pfn(page) + 1 == page_to_pfn(next) &&
	       (!PageCompound(page) ||
		compound_head(page) == compound_head(next));
}

/**
 * vnpu_hostmem_addr() - get the kernel address of a range, for
 *   vnpu_mem_ops.addr
 * @mem: host memory
 * @offset: start of the range in bytes
 * @length: number of bytes requested; reduced to the number available
 *
 * Return: the kernel address.
 */
void *vnpu_hostmem_addr(const struct vnpu_mem *mem, u64 offset, u64 *length)
{
	const struct vnpu_hostmem *host = vnpu_hostmem_of(mem);
	unsigned long i = offset >> PAGE_SHIFT;
	size_t in_page = offset & ~PAGE_MASK;
	void *addr = page_address(host->pages[i]) + in_page;
	u64 run = PAGE_SIZE - in_page;

	*length = min_t(u64, *length, round_up(in_page + VNPU_HOST_RUN,
					       PAGE_SIZE) - in_page);
	for (; run < *length; run += PAGE_SIZE, i++)
		if (!vnpu_hostmem_is_run(host->pages[i], host->pages[i + 1]))
			break;
	*length = min(*length, run);
	return addr;
}

/**
 * vnpu_hostmem_pfn() - get the physical page at an offset, for vnpu_mem_ops.pfn
 * @mem: host memory
 * @offset: offset in bytes
 *
 * Return: the number of the page frame.
 */
unsigned long vnpu_hostmem_pfn(const struct vnpu_mem *mem, u64 offset)
{
	return page_to_pfn(vnpu_hostmem_of(mem)->pages[offset >> PAGE_SHIFT]);
}

/**
 * vnpu_hostmem_extents() - count the physically contiguous runs of host memory
 * @mem: host memory
 */
u32 vnpu_hostmem_extents(struct vnpu_mem *mem)
{
	const struct vnpu_hostmem *host = vnpu_hostmem_of(mem);
	u32 extents = 1;
	unsigned long i;

	for (i = 1; i < host->nr_pages; i++)
		if (page_to_pfn(host->pages[i - 1]) + 1 !=
		    page_to_pfn(host->pages[i]))
			extents++;
	return extents;
}

static int vnpu_hostmem_alloc_pages(struct vnpu_hostmem *host, int node)
{
	gfp_t gfp = VNPU_HOST_GFP;
	unsigned long i;

	/*
	 * Use all nodes by the policy of the caller, or strictly the given one.
	 */
	if (node != NUMA_NO_NODE)
		gfp |= __GFP_THISNODE;
	for (i = 0; i < host->nr_pages; i++) {
		host->pages[i] = node == NUMA_NO_NODE ?
				 alloc_page(gfp) :
				 alloc_pages_node(node, gfp, 0);
		if (!host->pages[i])
			return -ENOMEM;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* Pages that were not allocated are NULL. */
static void vnpu_hostmem_free_pages(struct vnpu_hostmem *host)
{
	unsigned long i;

	for (i = 0; i < host->nr_pages && host->pages[i]; i++) {
		__free_page(host->pages[i]);
		cond_resched();
	}
}

static void vnpu_hostmem_release(struct vnpu_mem *mem)
{
	struct vnpu_hostmem *host = vnpu_hostmem_of(mem);

	vnpu_hostmem_free_pages(host);
	vnpu_host_account_uncharge(host->host_account, VNPU_HOST_MEMORY,
				   host->mem.length);
	vnpu_host_account_put(host->host_account);
	vnpu_hostmem_fini(host);
	kfree(host);
}

static const struct vnpu_mem_ops vnpu_hostmem_ops = {
	.kind = VNPU_MEM_KIND_HOST,
	.addr = vnpu_hostmem_addr,
	.pfn = vnpu_hostmem_pfn,
	.release = vnpu_hostmem_release,
};

/**
 * vnpu_hostmem_create() - allocate host memory
 * @client: the client; its user is charged
 * @length: bytes, not 0
 * @node: the NUMA node that all of it comes from, or NUMA_NO_NODE
 *
 * Return: the object with one reference, or ERR_PTR of -EOVERFLOW, -EDQUOT,
 * -ENOMEM or -EINTR.
 */
struct vnpu_mem *vnpu_hostmem_create(struct vnpu_client *client, u64 length,
				     int node)
{
	struct vnpu_hostmem *host;
	int ret;

	if (vnpu_inject_is_on() && vnpu_inject_host_alloc(client))
		return ERR_PTR(-ENOMEM);
	host = kzalloc(sizeof(*host), GFP_KERNEL_ACCOUNT);
	if (!host)
		return ERR_PTR(-ENOMEM);
	ret = vnpu_hostmem_init(host, length);
	if (ret)
		goto err_free;
	ret = vnpu_host_account_charge(client->host_account, VNPU_HOST_MEMORY,
				       host->mem.length);
	if (ret)
		goto err_fini;
	vnpu_host_account_get(client->host_account);
	host->host_account = client->host_account;
	host->mem.flags = VNPU_MEM_F_HOST_ACCESS;
	vnpu_mem_init(&host->mem, &vnpu_hostmem_ops);

	ret = vnpu_hostmem_alloc_pages(host, node);
	if (ret) {
		vnpu_mem_put(&host->mem);
		return ERR_PTR(ret);
	}
	return &host->mem;

err_fini:
	vnpu_hostmem_fini(host);
err_free:
	kfree(host);
	return ERR_PTR(ret);
}

static void vnpu_hostmem_vma_open(struct vm_area_struct *vma)
{
	struct vnpu_mem *mem = vma->vm_private_data;

	vnpu_mem_get(mem);
}

static void vnpu_hostmem_vma_close(struct vm_area_struct *vma)
{
	struct vnpu_mem *mem = vma->vm_private_data;

	vnpu_mem_put(mem);
}

/*
 * Handle a fault. The whole object is mapped from the start. So the fault is
 * for a page that madvise() has removed, or it comes from a child of fork(),
 * which inherits the mapping but has no right to the memory.
 */
static vm_fault_t vnpu_hostmem_vma_fault(struct vm_fault *vmf)
{
	const struct vnpu_client *client = vmf->vma->vm_file->private_data;
	struct vnpu_hostmem *host =
		vnpu_hostmem_of(vmf->vma->vm_private_data);

	if (!vnpu_mm_owner_has_vma(client->mm_owner, vmf->vma))
		return VM_FAULT_SIGSEGV;
	if (vmf->pgoff >= host->nr_pages)
		return VM_FAULT_SIGBUS;
	vmf->page = host->pages[vmf->pgoff];
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct vnpu_hostmem_vm_ops = {
	.open = vnpu_hostmem_vma_open,
	.close = vnpu_hostmem_vma_close,
	.fault = vnpu_hostmem_vma_fault,
};

static struct vnpu_mem *vnpu_hostmem_get_by_pgoff(struct vnpu_client *client,
						  unsigned long pgoff)
{
	unsigned long id = pgoff - (VNPU_MMAP_HOST >> PAGE_SHIFT);
	struct vnpu_mem *mem = NULL;

	if (id <= INT_MAX)
		mem = vnpu_mem_get_by_id(client, id);
	if (mem && mem->ops != &vnpu_hostmem_ops) {
		vnpu_mem_put(mem);
		mem = NULL;
	}
	return mem;
}

/**
 * vnpu_hostmem_mmap() - map host memory that the driver allocated
 * @client: the client, owned by the calling process
 * @vma: the new mapping
 *
 * Return: 0, -EINVAL, -EACCES, -ENOENT or -ENOMEM; see VNPU_MMAP_HOST.
 */
int vnpu_hostmem_mmap(struct vnpu_client *client, struct vm_area_struct *vma)
{
	unsigned long pages = vma_pages(vma);
	struct vnpu_mem *mem;
	int ret;

	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	/* VM_SHARED is missing if the file is not open for writing. */
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EACCES;
	mem = vnpu_hostmem_get_by_pgoff(client, vma->vm_pgoff);
	if (!mem)
		return -ENOENT;
	ret = -EINVAL;
	if (pages > vnpu_hostmem_of(mem)->nr_pages)
		goto err_put;

	vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	vm_flags_clear(vma, VM_MAYEXEC);
	ret = vm_insert_pages(vma, vma->vm_start, vnpu_hostmem_of(mem)->pages,
			      &pages);
	if (ret)
		goto err_put;
	vnpu_vma_fork_by_fault(vma);
	vma->vm_pgoff = 0;
	vma->vm_private_data = mem;
	vma->vm_ops = &vnpu_hostmem_vm_ops;
	return 0;

err_put:
	vnpu_mem_put(mem);
	return ret;
}
