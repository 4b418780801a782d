// SPDX-License-Identifier: GPL-2.0-only
/*
 * Allocate device memory from the free extents. If no run is large enough,
 * compact the arena. If that fails too, write an OOM report.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <linux/vnpu.h>

#include "account/account.h"
#include "account/quota.h"
#include "base/client.h"
#include "base/device.h"
#include "compact/compact.h"
#include "mem/devmem.h"
#include "ras/inject.h"
#include "devmem_alloc.h"
#include "oom_report.h"
#include "trace_mem.h"

/**
 * struct vnpu_devmem_found - argument of vnpu_devmem_taken()
 * @devmem: the object, with a reference; may be replaced by a new one
 * @account: account to charge
 * @refusal: filled if a quota of the account refuses the allocation
 * @extents: number of the object's extents that vnpu_device.nr_extents includes
 */
struct vnpu_devmem_found {
	struct vnpu_devmem *devmem;
	struct vnpu_account *account;
	struct vnpu_quota_state *refusal;
	u32 extents;
};

static int vnpu_devmem_taken(struct vnpu_device *dev, void *arg)
{
	struct vnpu_devmem_found *found = arg;
	struct vnpu_devmem *devmem = found->devmem;
	int ret = 0;

	if (devmem->charged)
		dev->nr_extents += devmem->pages.nr - found->extents;
	else
		ret = vnpu_devmem_account_locked(devmem, found->account,
						 found->refusal);
	found->extents = devmem->pages.nr;
	return ret;
}

static int vnpu_devmem_try_find_pages(struct vnpu_devmem_found *found,
				      const struct vnpu_pages_req *req)
{
	struct vnpu_devmem *devmem = found->devmem;
	int ret;

	ret = vnpu_pages_find(found->account->dev, req, &devmem->pages,
			      vnpu_devmem_taken, found);
	if (ret && devmem->charged)
		vnpu_devmem_give_back(devmem, false);
	return ret;
}

/* Replace an object that a paused walk may still have on the list. */
static int vnpu_devmem_replace_seen(struct vnpu_devmem_found *found)
{
	struct vnpu_devmem *old = found->devmem, *devmem;

	if (list_empty(&old->dev_link))
		return 0;
	devmem = vnpu_devmem_new(old->mem.dev);
	if (!devmem)
		return -ENOMEM;
	devmem->mem.length = old->mem.length;
	devmem->mem.flags = old->mem.flags;
	devmem->mem.page_shift = old->mem.page_shift;
	devmem->mem.align_order = old->mem.align_order;
	devmem->slack = old->slack;
	vnpu_mem_put(&old->mem);
	found->devmem = devmem;
	found->extents = 0;
	return 0;
}

/*
 * Allocate the pages. A compaction holds free memory that it may return unused.
 * No allocation fails because of that: if the first attempt finds too little
 * memory, it waits for the end of the compaction.
 */
static int vnpu_devmem_find_pages(struct vnpu_devmem_found *found,
				  const struct vnpu_devmem_spec *spec)
{
	struct vnpu_devmem *devmem = found->devmem;
	struct vnpu_pages_req req = {
		.count = devmem->mem.length >> VNPU_PAGE_SHIFT,
		.order = vnpu_devmem_order(devmem),
	};
	struct vnpu_device *dev = found->account->dev;
	int ret;

	if (vnpu_devmem_is_run(devmem)) {
		req.contiguous = true;
		req.align_order = max_t(u32, ilog2(spec->alignment | 1),
					spec->page_shift) - VNPU_PAGE_SHIFT;
		devmem->mem.align_order = req.align_order;
	}
	ret = vnpu_devmem_try_find_pages(found, &req);
	if (ret != -ENOSPC)
		return ret;
	ret = vnpu_devmem_replace_seen(found);
	if (ret)
		return ret;
	/* If enough memory is free but scattered, compact. */
	if ((req.contiguous || req.order) &&
	    !(spec->flags & VNPU_MEM_F_NO_COMPACT))
		return vnpu_compact_for(found->devmem, &req, found->account,
					found->refusal);
	if (mutex_lock_killable(&dev->compact_lock))
		return -EINTR;
	/*
	 * Retry under the lock. No compaction runs meanwhile, so none holds
	 * memory that it may return unused, nor pages that are promised to this
	 * retry: vnpu_pages_find() need not wait for one, and does not take the
	 * lock again. Of two retries for pages of a larger class, neither holds
	 * pages that the other needs.
	 */
	ret = vnpu_devmem_try_find_pages(found, &req);
	mutex_unlock(&dev->compact_lock);
	return ret;
}

/* Replace a list that has unused room by one of the exact size. */
static void vnpu_devmem_trim(struct vnpu_devmem *devmem)
{
	const struct vnpu_pages *pages = &devmem->pages;
	struct vnpu_pages list;

	if (pages->room == pages->nr || vnpu_pages_init(&list, pages->nr))
		return;
	if (list.room == 1)
		list.one = pages->many[0].ext;
	else
		memcpy(list.many, pages->many, pages->nr * sizeof(*list.many));
	list.nr = pages->nr;
	list.clean = pages->clean;
	vnpu_devmem_set_pages(devmem, &list);
}

static struct vnpu_devmem *
vnpu_devmem_create_for(struct vnpu_account *account,
		       const struct vnpu_devmem_spec *spec,
		       struct vnpu_quota_state *refusal)
{
	struct vnpu_devmem_found found = { .account = account, .refusal = refusal };
	struct vnpu_devmem *devmem;
	u64 length;
	int ret;

	ret = vnpu_devmem_round(spec, &length);
	if (ret)
		return ERR_PTR(ret);
	if (length > vnpu_arena_size(&account->dev->arena))
		return ERR_PTR(-ENOSPC);
	if (vnpu_inject_is_on() && vnpu_inject_alloc(account))
		return ERR_PTR(-ENOSPC);

	devmem = vnpu_devmem_new(account->dev);
	if (!devmem)
		return ERR_PTR(-ENOMEM);
	devmem->mem.length = length;
	devmem->slack = length - spec->length;
	/* The flag is about the request, not about the memory. */
	devmem->mem.flags = spec->flags & ~VNPU_MEM_F_TRY;
	devmem->mem.page_shift = spec->page_shift;
	found.devmem = devmem;
	ret = vnpu_devmem_find_pages(&found, spec);
	devmem = found.devmem;
	if (!ret)
		trace_vnpu_mem_alloc(devmem);
	/* Clear it before any client can read another client's data. */
	if (!ret && !devmem->pages.clean)
		ret = vnpu_pages_clear(account->dev, &devmem->pages);
	if (ret) {
		/*
		 * Leave it pinned, so that it is not moved: a move records as
		 * dirty only the range that was written.
		 */
		vnpu_mem_put(&devmem->mem);
		return ERR_PTR(ret);
	}
	vnpu_devmem_trim(devmem);
	vnpu_mem_unpin(&devmem->mem);
	return devmem;
}

/**
 * vnpu_devmem_create() - allocate device memory
 * @client: the client to charge
 * @device: index of the device
 * @spec: the request; validated by the caller
 * @report: filled with the number of the OOM report if one is made, else with 0
 *
 * When nothing else can fail, the caller must call vnpu_devmem_settle().
 *
 * Return: the object with one reference, counted as one id or binding of the
 * client, or ERR_PTR of -ENODEV, -ENOSPC, -EDQUOT, -ENOMEM, -EOVERFLOW or
 * -EINTR.
 */
struct vnpu_devmem *vnpu_devmem_create(struct vnpu_client *client,
				       unsigned int device,
				       const struct vnpu_devmem_spec *spec,
				       u64 *report)
{
	struct vnpu_quota_state refusal = { };
	struct vnpu_devmem *devmem;
	struct vnpu_account *account;

	*report = 0;
	account = vnpu_client_account(client, device);
	if (IS_ERR(account))
		return ERR_CAST(account);
	if (vnpu_device_is_gone(account->dev))
		return ERR_PTR(-ENODEV);
	devmem = vnpu_devmem_create_for(account, spec, &refusal);
	if ((devmem == ERR_PTR(-ENOSPC) || devmem == ERR_PTR(-EDQUOT)) &&
	    !(spec->flags & VNPU_MEM_F_TRY))
		*report = vnpu_oom_report(account, spec, &refusal);
	return devmem;
}
