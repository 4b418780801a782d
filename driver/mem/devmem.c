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
#include "account/quota.h"
#include "base/client.h"
#include "base/device.h"
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

/**
 * vnpu_devmem_give_back() - free the pages of an object and uncharge it
 * @devmem: the object, which is charged
 * @is_released: the object has no reference left; remove it from the device's
 *	list
 *
 * If the allocation of the object failed half-way, the object stays on the list
 * without pages for as long as a paused walk holds a reference.
 */
void vnpu_devmem_give_back(struct vnpu_devmem *devmem, bool is_released)
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

/**
 * vnpu_devmem_new() - create an object without pages
 * @dev: device that its pages will come from
 *
 * Return: the object with one reference and one pin, or NULL if no memory is
 * left.
 */
struct vnpu_devmem *vnpu_devmem_new(struct vnpu_device *dev)
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
