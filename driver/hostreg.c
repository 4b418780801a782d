// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registered memory: a process's own memory as a memory object.
 *
 * The pages stay where they are for as long as the object lives, and are
 * counted as pinned, within RLIMIT_MEMLOCK. That the process still has them
 * there is another matter: when it takes the mapping away, the object is stale.
 * Uses that have begun end properly, since the pages are still pinned.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/mmu_notifier.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "hostmem.h"
#include "hostreg.h"

/* What is pinned between two looks at the signals. */
#define VNPU_HOSTREG_BATCH	(SZ_2M >> PAGE_SHIFT)

/**
 * struct vnpu_hostreg - registered memory
 * @host: the memory object and its pages
 * @notifier: tells when the mapping goes; its mm is the process's, and is held
 * @nr_pinned: how many of the pages are pinned, the first ones
 */
struct vnpu_hostreg {
	struct vnpu_hostmem host;
	struct mmu_interval_notifier notifier;
	unsigned long nr_pinned;
};

/*
 * Only where the mapping itself goes or is moved. Pages that are replaced in
 * it, by MADV_DONTNEED say, are for the process to keep apart, as they are with
 * any memory that is pinned for a device.
 */
static bool vnpu_hostreg_invalidate(struct mmu_interval_notifier *notifier,
				    const struct mmu_notifier_range *range,
				    unsigned long seq)
{
	struct vnpu_hostreg *reg =
		container_of(notifier, struct vnpu_hostreg, notifier);

	mmu_interval_set_seq(notifier, seq);
	if (range->event == MMU_NOTIFY_UNMAP)
		WRITE_ONCE(reg->host.mem.stale, true);
	return true;
}

static const struct mmu_interval_notifier_ops vnpu_hostreg_notifier_ops = {
	.invalidate = vnpu_hostreg_invalidate,
};

static int vnpu_hostreg_account(struct mm_struct *mm, unsigned long pages)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	unsigned long pinned = atomic64_add_return(pages, &mm->pinned_vm);

	if (pinned <= limit || capable(CAP_IPC_LOCK))
		return 0;
	atomic64_sub(pages, &mm->pinned_vm);
	return -EDQUOT;
}

/*
 * The kernel writes to the pages by an address of its own, of which a file
 * system with a journal would hear too late. Not so anonymous and shared memory,
 * huge pages, and pages of a driver such as this.
 */
static bool vnpu_hostreg_is_allowed(struct page *page)
{
	struct folio *folio = page_folio(page);

	return folio_test_anon(folio) || folio_test_swapbacked(folio) ||
	       folio_test_hugetlb(folio) || !folio_mapping(folio);
}

static int vnpu_hostreg_pin_batch(struct vnpu_hostreg *reg, unsigned long addr)
{
	struct page **pages = reg->host.pages + reg->nr_pinned;
	unsigned long left = reg->host.nr_pages - reg->nr_pinned;
	int nr, i;

	nr = pin_user_pages_fast(addr, min_t(unsigned long, left,
					     VNPU_HOSTREG_BATCH),
				 FOLL_WRITE | FOLL_LONGTERM, pages);
	if (nr <= 0)
		return nr == -ENOMEM ? -ENOMEM : -EFAULT;
	reg->nr_pinned += nr;
	for (i = 0; i < nr; i++)
		if (!vnpu_hostreg_is_allowed(pages[i]))
			return -EFAULT;
	return 0;
}

static int vnpu_hostreg_pin(struct vnpu_hostreg *reg, unsigned long addr)
{
	while (reg->nr_pinned < reg->host.nr_pages) {
		int ret = vnpu_hostreg_pin_batch(reg, addr + (reg->nr_pinned <<
							      PAGE_SHIFT));

		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

/* Also when the address space is going, under any lock of it. */
static void vnpu_hostreg_release(struct vnpu_mem *mem)
{
	struct vnpu_hostmem *host = vnpu_hostmem_of(mem);
	struct vnpu_hostreg *reg = container_of(host, struct vnpu_hostreg, host);

	unpin_user_pages_dirty_lock(host->pages, reg->nr_pinned, true);
	atomic64_sub(host->nr_pages, &reg->notifier.mm->pinned_vm);
	mmu_interval_notifier_remove(&reg->notifier);
	vnpu_hostmem_fini(host);
	kfree(reg);
}

static const struct vnpu_mem_ops vnpu_hostreg_ops = {
	.kind = VNPU_MEM_KIND_HOST,
	.addr = vnpu_hostmem_addr,
	.release = vnpu_hostreg_release,
};

/**
 * vnpu_hostreg_create() - register memory of the calling process
 * @addr: where it begins, a multiple of the page size
 * @length: bytes, not 0
 * @read_only: refuse what would write to it
 *
 * Return: the object with one reference, or ERR_PTR of -EOVERFLOW, -EFAULT,
 * -EDQUOT, -ENOMEM or -EINTR.
 */
struct vnpu_mem *vnpu_hostreg_create(unsigned long addr, u64 length,
				     bool read_only)
{
	struct mm_struct *mm = current->mm;
	struct vnpu_hostreg *reg;
	int ret;

	reg = kzalloc(sizeof(*reg), GFP_KERNEL_ACCOUNT);
	if (!reg)
		return ERR_PTR(-ENOMEM);
	ret = vnpu_hostmem_init(&reg->host, length);
	if (ret)
		goto err_free;
	ret = vnpu_hostreg_account(mm, reg->host.nr_pages);
	if (ret)
		goto err_fini;
	/* Before the pages are pinned, so as not to miss anything. */
	ret = mmu_interval_notifier_insert(&reg->notifier, mm, addr,
					   reg->host.mem.length,
					   &vnpu_hostreg_notifier_ops);
	/* The first of a process ends with any signal, rather than a fatal one. */
	if (ret == -EINTR)
		ret = -ERESTARTNOINTR;
	if (ret)
		goto err_unaccount;
	reg->host.mem.read_only = read_only;
	vnpu_mem_init(&reg->host.mem, &vnpu_hostreg_ops);

	ret = vnpu_hostreg_pin(reg, addr);
	if (ret) {
		/* Nobody wrote to them. */
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
