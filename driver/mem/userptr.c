// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registered memory: memory of a process as a memory object.
 *
 * The pages stay where they are for the lifetime of the object, and count as
 * pinned within RLIMIT_MEMLOCK. The process may still remove the mapping. The
 * object is then stale, and new uses of it fail. Uses in progress complete,
 * because the pages are still pinned. Cores lose the pages slightly later,
 * because the notifier may be called with locks held that the removal of a
 * mapping takes.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <linux/vnpu.h>

#include "binding.h"
#include "hostmem.h"
#include "userptr.h"

/* Number of pages to pin between checks for signals. */
#define VNPU_USERPTR_BATCH	(SZ_2M >> PAGE_SHIFT)

/**
 * struct vnpu_userptr - registered memory
 * @host: the memory object and its pages
 * @notifier: called when the mapping changes; holds the process's mm
 * @nr_pinned: number of pages that are pinned, from the first one on
 * @is_unmapped: not 0 once the mapping was removed or moved
 * @revoke_work: removes the pages from cores; has a reference while it is queued
 */
struct vnpu_userptr {
	struct vnpu_hostmem host;
	struct mmu_interval_notifier notifier;
	unsigned long nr_pinned;
	atomic_t is_unmapped;
	struct work_struct revoke_work;
};

/* The workqueue of vnpu_userptr.revoke_work. */
static struct workqueue_struct *vnpu_userptr_wq;

static void vnpu_userptr_revoke(struct work_struct *work)
{
	struct vnpu_userptr *reg =
		container_of(work, struct vnpu_userptr, revoke_work);

	vnpu_mapped_revoke(&reg->host.mem, 0, reg->host.mem.length);
	vnpu_mem_put(&reg->host.mem);
}

/*
 * Mark the object as stale if the mapping itself is removed or moved. If only
 * pages in the mapping are replaced, for instance by MADV_DONTNEED, the process
 * must cope with the difference, as with any memory pinned for a device.
 */
static bool vnpu_userptr_invalidate(struct mmu_interval_notifier *notifier,
				    const struct mmu_notifier_range *range,
				    unsigned long seq)
{
	struct vnpu_userptr *reg =
		container_of(notifier, struct vnpu_userptr, notifier);

	mmu_interval_set_seq(notifier, seq);
	/* The last reference must not be put here: queue the work once. */
	if (range->event != MMU_NOTIFY_UNMAP ||
	    atomic_xchg(&reg->is_unmapped, true))
		return true;
	WRITE_ONCE(reg->host.mem.stale, true);
	/*
	 * Order the store to stale before the load of mapped. Pairs with the
	 * barrier of vnpu_mem_pin_killable() in a fault that maps the object.
	 */
	smp_mb();
	/* The object may be about to be freed, and be bound nowhere. */
	if (!data_race(hlist_empty(&reg->host.mem.mapped)) &&
	    kref_get_unless_zero(&reg->host.mem.ref))
		queue_work(vnpu_userptr_wq, &reg->revoke_work);
	return true;
}

static const struct mmu_interval_notifier_ops vnpu_userptr_notifier_ops = {
	.invalidate = vnpu_userptr_invalidate,
};

static int vnpu_userptr_account(struct mm_struct *mm, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	unsigned long pinned = atomic64_add_return(pages, &mm->pinned_vm);

	if (pinned <= limit || capable(CAP_IPC_LOCK))
		return 0;
	atomic64_sub(pages, &mm->pinned_vm);
	return -EDQUOT;
}

/*
 * Check if a page may be registered. The kernel writes to the pages through its
 * own mapping, which a journaling file system would notice too late. Anonymous
 * and shared memory, huge pages, and pages of drivers like this one are safe.
 */
static bool vnpu_userptr_is_allowed(struct page *page)
{
	struct folio *folio = page_folio(page);

	return folio_test_anon(folio) || folio_test_swapbacked(folio) ||
	       folio_test_hugetlb(folio) || !folio_mapping(folio);
}

static int vnpu_userptr_pin_batch(struct vnpu_userptr *reg, unsigned long addr)
{
	struct page **pages = reg->host.pages + reg->nr_pinned;
	unsigned long left = reg->host.nr_pages - reg->nr_pinned;
	int nr, i;

	nr = pin_user_pages_fast(addr, min_t(unsigned long, left,
					     VNPU_USERPTR_BATCH),
				 FOLL_WRITE | FOLL_LONGTERM, pages);
	if (nr <= 0)
		return nr == -ENOMEM ? -ENOMEM : -EFAULT;
	reg->nr_pinned += nr;
	for (i = 0; i < nr; i++)
		if (!vnpu_userptr_is_allowed(pages[i]))
			return -EFAULT;
	return 0;
}

static int vnpu_userptr_pin(struct vnpu_userptr *reg, unsigned long addr)
{
	while (reg->nr_pinned < reg->host.nr_pages) {
		int ret = vnpu_userptr_pin_batch(reg, addr + (reg->nr_pinned <<
							      PAGE_SHIFT));

		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* May be called while the address space is torn down, with its locks held. */
static void vnpu_userptr_release(struct vnpu_mem *mem)
{
	struct vnpu_hostmem *host = vnpu_hostmem_of(mem);
	struct vnpu_userptr *reg = container_of(host, struct vnpu_userptr, host);

	unpin_user_pages_dirty_lock(host->pages, reg->nr_pinned, true);
	atomic64_sub(host->nr_pages, &reg->notifier.mm->pinned_vm);
	mmu_interval_notifier_remove(&reg->notifier);
	vnpu_hostmem_fini(host);
	kfree(reg);
}

static const struct vnpu_mem_ops vnpu_userptr_ops = {
	.kind = VNPU_MEM_KIND_HOST,
	.addr = vnpu_hostmem_addr,
	.pfn = vnpu_hostmem_pfn,
	.release = vnpu_userptr_release,
};

/**
 * vnpu_userptr_create() - register memory of the calling process
 * @addr: start address, a multiple of the page size
 * @length: bytes, not 0
 * @read_only: true to refuse operations that write to the memory
 *
 * Return: the object with one reference, or ERR_PTR of -EOVERFLOW, -EFAULT,
 * -EDQUOT, -ENOMEM or -EINTR.
 */
struct vnpu_mem *vnpu_userptr_create(unsigned long addr, u64 length,
				     bool read_only)
{
	struct mm_struct *mm = current->mm;
	struct vnpu_userptr *reg;
	int ret;

	reg = kzalloc(sizeof(*reg), GFP_KERNEL_ACCOUNT);
	if (!reg)
		return ERR_PTR(-ENOMEM);
	ret = vnpu_hostmem_init(&reg->host, length);
	if (ret)
		goto err_free;
	ret = vnpu_userptr_account(mm, reg->host.nr_pages);
	if (ret)
		goto err_fini;
	INIT_WORK(&reg->revoke_work, vnpu_userptr_revoke);
	reg->host.mem.read_only = read_only;
	vnpu_mem_init(&reg->host.mem, &vnpu_userptr_ops);
	/*
	 * Register before pinning, so that no change of the mapping is missed.
	 */
	ret = mmu_interval_notifier_insert(&reg->notifier, mm, addr,
					   reg->host.mem.length,
					   &vnpu_userptr_notifier_ops);
	/*
	 * For the first notifier of an mm, any signal interrupts, not only a
	 * fatal one.
	 */
	if (ret == -EINTR)
		ret = -ERESTARTNOINTR;
	if (ret)
		goto err_unaccount;
	ret = vnpu_userptr_pin(reg, addr);
	if (ret) {
		/*
		 * Nothing was written to the pages, so do not mark them dirty.
		 */
		unpin_user_pages(reg->host.pages, reg->nr_pinned);
		reg->nr_pinned = 0;
		vnpu_mem_put(&reg->host.mem);
		return ERR_PTR(ret);
	}
	return &reg->host.mem;

err_unaccount:
	atomic64_sub(reg->host.nr_pages, &mm->pinned_vm);
err_fini:
	vnpu_hostmem_fini(&reg->host);
err_free:
	kfree(reg);
	return ERR_PTR(ret);
}

/**
 * vnpu_userptr_init() - allow memory to be registered
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_userptr_init(void)
{
	vnpu_userptr_wq = alloc_workqueue("vnpu-userptr", WQ_UNBOUND, 0);
	return vnpu_userptr_wq ? 0 : -ENOMEM;
}

/**
 * vnpu_userptr_fini() - wait for the end of all work; there are no clients left
 */
void vnpu_userptr_fini(void)
{
	destroy_workqueue(vnpu_userptr_wq);
}
