// SPDX-License-Identifier: GPL-2.0-only
/* Memory objects: their life, and where in the arena a part of one is. */
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "client.h"
#include "device.h"
#include "mem.h"
#include "pages.h"

static struct kmem_cache *vnpu_mem_cache;

int vnpu_mem_init_cache(void)
{
	vnpu_mem_cache = KMEM_CACHE(vnpu_mem, SLAB_ACCOUNT);
	return vnpu_mem_cache ? 0 : -ENOMEM;
}

void vnpu_mem_fini_cache(void)
{
	kmem_cache_destroy(vnpu_mem_cache);
}

/* The extent that a page of the object is in. */
static u32 vnpu_mem_find_extent(const struct vnpu_mem *mem, u32 page)
{
	u32 low = 0, high = mem->nr_extents - 1;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (page < mem->ends[mid])
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static void vnpu_mem_release(struct kref *ref)
{
	struct vnpu_mem *mem = container_of(ref, struct vnpu_mem, ref);

	vnpu_pages_release(mem);
	kmem_cache_free(vnpu_mem_cache, mem);
}

/**
 * vnpu_mem_round() - what an allocation costs
 * @spec: what is wanted
 * @length: bytes, in whole pages of the class
 *
 * Return: 0 or -EOVERFLOW.
 */
int vnpu_mem_round(const struct vnpu_mem_spec *spec, u64 *length)
{
	u64 page_mask = (1ULL << spec->page_shift) - 1;

	if (check_add_overflow(spec->length, page_mask, length))
		return -EOVERFLOW;
	*length &= ~page_mask;
	return 0;
}

/**
 * vnpu_mem_create() - allocate device memory
 * @client: who pays for it
 * @device: index of the device
 * @spec: what is wanted; already found to be valid
 *
 * Return: the object with one reference, or ERR_PTR of -ENODEV, -ENOSPC,
 * -ENOMEM, -EOVERFLOW or -EINTR.
 */
struct vnpu_mem *vnpu_mem_create(struct vnpu_client *client,
				 unsigned int device,
				 const struct vnpu_mem_spec *spec)
{
	struct vnpu_usage *usage;
	struct vnpu_mem *mem;
	u64 length;
	int ret;

	usage = vnpu_client_usage(client, device);
	if (IS_ERR(usage))
		return ERR_CAST(usage);

	ret = vnpu_mem_round(spec, &length);
	if (ret)
		return ERR_PTR(ret);
	if (length > vnpu_arena_size(&usage->dev->arena))
		return ERR_PTR(-ENOSPC);

	mem = kmem_cache_zalloc(vnpu_mem_cache, GFP_KERNEL);
	if (!mem)
		return ERR_PTR(-ENOMEM);
	kref_init(&mem->ref);
	spin_lock_init(&mem->written_lock);
	mem->usage = usage;
	mem->length = length;
	mem->flags = spec->flags;
	mem->page_shift = spec->page_shift;
	mem->written_start = length;
	mem->extents = &mem->one;

	ret = vnpu_pages_alloc(mem, spec);
	if (!ret)
		ret = vnpu_pages_clear(mem);
	if (ret) {
		vnpu_mem_put(mem);
		return ERR_PTR(ret);
	}
	return mem;
}

/**
 * vnpu_mem_get_by_id() - look an object up
 * @client: whose
 * @id: any number
 *
 * Return: the object with a reference, or NULL.
 */
struct vnpu_mem *vnpu_mem_get_by_id(struct vnpu_client *client, u32 id)
{
	struct vnpu_mem *mem;

	xa_lock(&client->objects);
	mem = xa_load(&client->objects, id);
	if (mem)
		kref_get(&mem->ref);
	xa_unlock(&client->objects);
	return mem;
}

/**
 * vnpu_mem_get() - take a reference
 * @mem: an object that the caller has a reference to
 */
void vnpu_mem_get(struct vnpu_mem *mem)
{
	kref_get(&mem->ref);
}

/**
 * vnpu_mem_put() - give a reference back
 * @mem: the object; with the last reference its memory is free again
 */
void vnpu_mem_put(struct vnpu_mem *mem)
{
	kref_put(&mem->ref, vnpu_mem_release);
}

/**
 * vnpu_mem_device() - the device whose memory it is
 * @mem: the object
 */
struct vnpu_device *vnpu_mem_device(const struct vnpu_mem *mem)
{
	return mem->usage->dev;
}

/**
 * vnpu_mem_addr() - where the kernel reaches a part of an object
 * @mem: the object
 * @offset: bytes into it
 * @length: how many bytes the pointer is good for are at most wanted, and are
 *
 * Return: the pointer, good while the caller has a reference.
 */
void *vnpu_mem_addr(const struct vnpu_mem *mem, u64 offset, u64 *length)
{
	u32 page = offset >> VNPU_PAGE_SHIFT;
	u32 i = vnpu_mem_find_extent(mem, page);
	u32 skip = page - vnpu_mem_extent_first(mem, i);
	struct vnpu_extent ext = mem->extents[i];
	size_t in_page = offset & (VNPU_PAGE_SIZE - 1);
	u32 pages;

	ext.start += skip;
	ext.count -= skip;
	pages = min_t(u32, ext.count,
		      VNPU_GRANULE_PAGES - ext.start % VNPU_GRANULE_PAGES);
	*length = min_t(u64, *length,
			((u64)pages << VNPU_PAGE_SHIFT) - in_page);
	return vnpu_arena_addr(&mem->usage->dev->arena, ext.start) + in_page;
}

/**
 * vnpu_mem_pfn() - the physical page of a part of an object
 * @mem: the object
 * @offset: bytes into it
 */
unsigned long vnpu_mem_pfn(const struct vnpu_mem *mem, u64 offset)
{
	u32 page = offset >> VNPU_PAGE_SHIFT;
	u32 i = vnpu_mem_find_extent(mem, page);

	return vnpu_arena_pfn(&mem->usage->dev->arena, mem->extents[i].start +
			      page - vnpu_mem_extent_first(mem, i));
}

/**
 * vnpu_mem_mark_written() - a part of an object is not clear any more
 * @mem: the object
 * @offset: bytes into it
 * @length: bytes
 *
 * To be called before the writing begins.
 */
void vnpu_mem_mark_written(struct vnpu_mem *mem, u64 offset, u64 length)
{
	spin_lock(&mem->written_lock);
	mem->written_start = min(mem->written_start, offset);
	mem->written_end = max(mem->written_end, offset + length);
	spin_unlock(&mem->written_lock);
}
