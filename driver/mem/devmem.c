// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device memory: life cycle, and the translation of offsets to arena pages.
 * Walks over all objects of a device are in devmem_iter.c.
 */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <linux/vnpu.h>

#include "account/account.h"
#include "account/oom.h"
#include "account/quota.h"
#include "base/client.h"
#include "base/device.h"
#include "compact/compact.h"
#include "ras/inject.h"
#include "devmem.h"
#include "trace_mem.h"

static struct kmem_cache *vnpu_devmem_cache;

int vnpu_devmem_init_cache(void)
{
	vnpu_devmem_cache = KMEM_CACHE(vnpu_devmem, SLAB_ACCOUNT);
	return vnpu_devmem_cache ? 0 : -ENOMEM;
}

void vnpu_devmem_fini_cache(void)
{
	kmem_cache_destroy(vnpu_devmem_cache);
}

static void *vnpu_devmem_addr(const struct vnpu_mem *mem, u64 offset,
			      u64 *length)
{
	const struct vnpu_devmem *devmem = to_vnpu_devmem(mem);
	u32 page = offset >> VNPU_PAGE_SHIFT;
	u32 i = vnpu_pages_index(&devmem->pages, page);
	u32 skip = page - vnpu_pages_before(&devmem->pages, i);
	struct vnpu_extent ext = vnpu_pages_extent(&devmem->pages, i);
	size_t in_page = offset & (VNPU_PAGE_SIZE - 1);
	u32 pages;

	ext.start += skip;
	ext.count -= skip;
	pages = min_t(u32, ext.count,
		      VNPU_GRANULE_PAGES - ext.start % VNPU_GRANULE_PAGES);
	*length = min_t(u64, *length,
			((u64)pages << VNPU_PAGE_SHIFT) - in_page);
	return vnpu_arena_addr(&mem->dev->arena, ext.start) + in_page;
}

static unsigned long vnpu_devmem_pfn(const struct vnpu_mem *mem, u64 offset)
{
	const struct vnpu_devmem *devmem = to_vnpu_devmem(mem);
	u32 page = offset >> VNPU_PAGE_SHIFT;
	u32 i = vnpu_pages_index(&devmem->pages, page);

	return vnpu_arena_pfn(&mem->dev->arena,
			      vnpu_pages_extent(&devmem->pages, i).start +
			      page - vnpu_pages_before(&devmem->pages, i));
}

static void vnpu_devmem_mark_written(struct vnpu_mem *mem, u64 offset,
				     u64 length)
{
	u32 end = DIV_ROUND_UP_ULL(offset + length, VNPU_PAGE_SIZE);
	struct vnpu_devmem *devmem = to_vnpu_devmem(mem);
	u32 start = offset >> VNPU_PAGE_SHIFT;
	union vnpu_written old, new;

	old.both = READ_ONCE(devmem->written.both);
	do {
		new.start = min(old.start, start);
		new.end = max(old.end, end);
		/* Most writes are to a range that was already written. */
		if (new.both == old.both)
			return;
	} while (!try_cmpxchg64(&devmem->written.both, &old.both, new.both));
}

/**
 * vnpu_devmem_set_pages() - replace the list of pages of an object
 * @devmem: the object: being moved, or pinned and used by the caller only
 * @pages: the new list, which the object takes over
 */
void vnpu_devmem_set_pages(struct vnpu_devmem *devmem, struct vnpu_pages *pages)
{
	struct vnpu_device *dev = devmem->mem.dev;

	spin_lock(&dev->lock);
	dev->nr_extents += pages->nr - devmem->pages.nr;
	swap(devmem->pages, *pages);
	spin_unlock(&dev->lock);
	vnpu_pages_fini(pages);
}

/*
 * Free the pages of an object and uncharge it. If its allocation failed
 * half-way, it stays on the list without pages for as long as a paused walk
 * holds a reference.
 */
static void vnpu_devmem_give_back(struct vnpu_devmem *devmem, bool is_released)
{
	struct vnpu_client *client = devmem->charged->client;
	struct vnpu_device *dev = devmem->mem.dev;
	u64 charged = devmem->mem.length;
	struct vnpu_pages pages = { };
	bool more;

	do {
		spin_lock(&dev->lock);
		more = vnpu_devmem_give_back_some_locked(devmem, &charged);
		if (!more) {
			swap(devmem->pages, pages);
			devmem->charged = NULL;
			if (is_released)
				list_del(&devmem->dev_link);
		}
		spin_unlock(&dev->lock);
		cond_resched();
	} while (more);
	vnpu_pages_fini(&pages);
	vnpu_client_put(client);
}

static void vnpu_devmem_release(struct vnpu_mem *mem)
{
	struct vnpu_devmem *devmem = to_vnpu_devmem(mem);
	struct vnpu_device *dev = mem->dev;

	if (devmem->charged) {
		vnpu_devmem_give_back(devmem, true);
	} else if (!list_empty(&devmem->dev_link)) {
		spin_lock(&dev->lock);
		list_del(&devmem->dev_link);
		spin_unlock(&dev->lock);
	}
	kmem_cache_free(vnpu_devmem_cache, devmem);
}

/* A client had these objects, so their allocations succeeded. */
static u32 vnpu_devmem_release_some(struct vnpu_mem **mems, u32 nr)
{
	struct vnpu_device *dev = mems[0]->dev;
	void *freed[VNPU_MEM_BATCH_MAX];
	u32 extents = 0, n, i;

	if (to_vnpu_devmem(mems[0])->pages.nr > VNPU_PAGES_BATCH) {
		vnpu_devmem_release(mems[0]);
		return 1;
	}
	spin_lock(&dev->lock);
	for (n = 0; n < nr; n++) {
		struct vnpu_devmem *devmem = vnpu_devmem_of(mems[n]);
		u64 charged = mems[n]->length;

		if (!devmem || mems[n]->dev != dev)
			break;
		extents += devmem->pages.nr;
		if (extents > VNPU_PAGES_BATCH ||
		    (n && vnpu_device_needs_break(dev)))
			break;
		while (vnpu_devmem_give_back_some_locked(devmem, &charged))
			;
		list_del(&devmem->dev_link);
		freed[n] = devmem;
	}
	spin_unlock(&dev->lock);
	for (i = 0; i < n; i++) {
		struct vnpu_devmem *devmem = freed[i];

		vnpu_pages_fini(&devmem->pages);
		vnpu_client_put(devmem->charged->client);
	}
	kmem_cache_free_bulk(vnpu_devmem_cache, n, freed);
	return n;
}

static const struct vnpu_mem_ops vnpu_devmem_ops = {
	.kind = VNPU_MEM_KIND_DEVICE,
	.addr = vnpu_devmem_addr,
	.pfn = vnpu_devmem_pfn,
	.mark_written = vnpu_devmem_mark_written,
	.hold = vnpu_devmem_hold,
	.unhold = vnpu_devmem_unhold,
	.release = vnpu_devmem_release,
	.release_some = vnpu_devmem_release_some,
};

/**
 * vnpu_devmem_of() - convert an object to device memory
 * @mem: any object
 *
 * Return: the device memory, or NULL if the object is of another kind.
 */
struct vnpu_devmem *vnpu_devmem_of(struct vnpu_mem *mem)
{
	return mem->ops == &vnpu_devmem_ops ? to_vnpu_devmem(mem) : NULL;
}

/**
 * vnpu_devmem_round() - round a request up to the size that is allocated
 * @spec: the request
 * @length: filled with bytes, a multiple of the page class and the alignment
 *
 * Return: 0 or -EOVERFLOW.
 */
int vnpu_devmem_round(const struct vnpu_devmem_spec *spec, u64 *length)
{
	/* Round up to the alignment: a small run could block much memory. */
	u64 mask = max(1ULL << spec->page_shift, spec->alignment) - 1;

	if (check_add_overflow(spec->length, mask, length))
		return -EOVERFLOW;
	*length &= ~mask;
	return 0;
}

static struct vnpu_devmem *vnpu_devmem_new(struct vnpu_device *dev)
{
	struct vnpu_devmem *devmem;

	devmem = kmem_cache_zalloc(vnpu_devmem_cache, GFP_KERNEL);
	if (!devmem)
		return NULL;
	devmem->mem.dev = dev;
	vnpu_mem_init(&devmem->mem, &vnpu_devmem_ops);
	INIT_LIST_HEAD(&devmem->dev_link);
	devmem->count = 1;
	devmem->written.start = U32_MAX;
	/*
	 * Walks can see the object once it has pages; pin it until it is ready.
	 */
	atomic_set(&devmem->mem.pins, 1);
	return devmem;
}

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
	 * Two requests for pages of a larger class may each hold pages that the
	 * other needs, and both fail. The lock makes the retries take turns.
	 */
	if (req.order)
		ret = vnpu_devmem_try_find_pages(found, &req);
	mutex_unlock(&dev->compact_lock);
	if (!req.order)
		ret = vnpu_devmem_try_find_pages(found, &req);
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
 *
 * When nothing else can fail, the caller must call vnpu_devmem_settle().
 *
 * Return: the object with one reference, counted as one id or binding of the
 * client, or ERR_PTR of -ENODEV, -ENOSPC, -EDQUOT, -ENOMEM, -EOVERFLOW or
 * -EINTR.
 */
struct vnpu_devmem *vnpu_devmem_create(struct vnpu_client *client,
				       unsigned int device,
				       const struct vnpu_devmem_spec *spec)
{
	struct vnpu_quota_state refusal = { };
	struct vnpu_devmem *devmem;
	struct vnpu_account *account;

	account = vnpu_client_account(client, device);
	if (IS_ERR(account))
		return ERR_CAST(account);
	if (vnpu_device_is_gone(account->dev))
		return ERR_PTR(-ENODEV);
	devmem = vnpu_devmem_create_for(account, spec, &refusal);
	if ((devmem == ERR_PTR(-ENOSPC) || devmem == ERR_PTR(-EDQUOT)) &&
	    !(spec->flags & VNPU_MEM_F_TRY))
		vnpu_oom_report(account, spec, &refusal);
	return devmem;
}
