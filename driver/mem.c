// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory objects: allocation, clearing, addressing and the way back.
 *
 * No client may read what another wrote. The allocator remembers which free
 * pages are dirty. Those are cleared when they are allocated, outside of the
 * device's lock, before anybody can reach them; what was never written goes
 * back as clean as it came.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "client.h"
#include "device.h"
#include "mem.h"

static struct kmem_cache *vnpu_mem_cache;

/* Clearing gives way after this many pages, and asks for signals. */
#define VNPU_CLEAR_PAGES	VNPU_GRANULE_PAGES

int vnpu_mem_init_cache(void)
{
	vnpu_mem_cache = KMEM_CACHE(vnpu_mem, SLAB_ACCOUNT);
	return vnpu_mem_cache ? 0 : -ENOMEM;
}

void vnpu_mem_fini_cache(void)
{
	kmem_cache_destroy(vnpu_mem_cache);
}

static unsigned int vnpu_mem_order(const struct vnpu_mem *mem)
{
	return mem->page_shift - VNPU_PAGE_SHIFT;
}

static unsigned int vnpu_mem_class(const struct vnpu_mem *mem)
{
	switch (mem->page_shift) {
	case VNPU_PAGE_SHIFT_1G:
		return 2;
	case VNPU_PAGE_SHIFT_2M:
		return 1;
	default:
		return 0;
	}
}

static u32 vnpu_mem_pages(const struct vnpu_mem *mem)
{
	return mem->length >> VNPU_PAGE_SHIFT;
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

static u32 vnpu_mem_extent_first(const struct vnpu_mem *mem, u32 i)
{
	return i ? mem->ends[i - 1] : 0;
}

static void vnpu_mem_free_extents(struct vnpu_mem *mem)
{
	if (mem->extents != &mem->one)
		kvfree(mem->extents);
	kvfree(mem->ends);
	mem->extents = &mem->one;
	mem->ends = NULL;
}

/* Room for @room extents, none of which is there yet; one needs none. */
static int vnpu_mem_make_room(struct vnpu_mem *mem, u32 room)
{
	vnpu_mem_free_extents(mem);
	if (room == 1)
		return 0;
	mem->extents = kvmalloc_array(room, sizeof(*mem->extents),
				      GFP_KERNEL_ACCOUNT);
	mem->ends = kvmalloc_array(room, sizeof(*mem->ends),
				   GFP_KERNEL_ACCOUNT);
	if (mem->extents && mem->ends)
		return 0;
	vnpu_mem_free_extents(mem);
	return -ENOMEM;
}

static void vnpu_mem_free_extent(struct vnpu_device *dev,
				 struct vnpu_extent ext, bool dirty)
{
	lockdep_assert_held(&dev->lock);
	if (ext.count)
		WARN_ON_ONCE(vnpu_buddy_free(dev->buddy, ext, dirty));
}

/* Give an extent back, and only what was written as dirty. */
static void vnpu_mem_free_written(struct vnpu_mem *mem, struct vnpu_extent ext,
				  u32 first, u32 start, u32 end)
{
	struct vnpu_device *dev = mem->usage->dev;
	u32 last = first + ext.count;

	start = clamp(start, first, last) - first;
	end = clamp(end, first, last) - first;
	if (start >= end)
		start = end = 0;
	vnpu_mem_free_extent(dev, (struct vnpu_extent){
		ext.start, start }, false);
	vnpu_mem_free_extent(dev, (struct vnpu_extent){
		ext.start + start, end - start }, true);
	vnpu_mem_free_extent(dev, (struct vnpu_extent){
		ext.start + end, ext.count - end }, false);
}

/* Returns -EAGAIN where there is not room for all the extents it takes. */
static int vnpu_mem_try_alloc_locked(struct vnpu_mem *mem,
				     const struct vnpu_mem_spec *spec, u32 room)
{
	struct vnpu_device *dev = mem->usage->dev;
	struct vnpu_buddy_req req = {
		.pages = vnpu_mem_pages(mem),
		.granule_order = vnpu_mem_order(mem),
	};

	lockdep_assert_held(&dev->lock);

	if (vnpu_buddy_free_pages(dev->buddy, req.granule_order) < req.pages)
		return -ENOSPC;
	if (mem->flags & VNPU_MEM_F_CONTIGUOUS) {
		req.flags = VNPU_BUDDY_CONTIGUOUS;
		if (spec->alignment > VNPU_PAGE_SIZE)
			req.align_order = ilog2(spec->alignment) - VNPU_PAGE_SHIFT;
	}
	while (req.pages) {
		struct vnpu_extent *ext = &mem->extents[mem->nr_extents];
		int ret;

		if (mem->nr_extents == room)
			return -EAGAIN;
		ret = vnpu_buddy_alloc(dev->buddy, &req, ext);
		if (ret)
			return ret;
		req.pages -= ext->count;
		if (mem->ends)
			mem->ends[mem->nr_extents] = vnpu_mem_pages(mem) - req.pages;
		mem->nr_extents++;
	}
	return 0;
}

static void vnpu_mem_undo_alloc_locked(struct vnpu_mem *mem)
{
	u32 i;

	for (i = 0; i < mem->nr_extents; i++)
		vnpu_mem_free_extent(mem->usage->dev, mem->extents[i], false);
	mem->nr_extents = 0;
}

static void vnpu_mem_account_locked(struct vnpu_mem *mem)
{
	struct vnpu_usage *usage = mem->usage;
	struct vnpu_device *dev = usage->dev;

	lockdep_assert_held(&dev->lock);
	if (!usage->objects)
		dev->nr_clients++;
	WRITE_ONCE(usage->used, usage->used + mem->length);
	if (usage->peak < usage->used)
		WRITE_ONCE(usage->peak, usage->used);
	WRITE_ONCE(usage->objects, usage->objects + 1);
	dev->class_pages[vnpu_mem_class(mem)] += vnpu_mem_pages(mem);
	dev->nr_objects++;
}

static void vnpu_mem_unaccount_locked(struct vnpu_mem *mem)
{
	struct vnpu_usage *usage = mem->usage;
	struct vnpu_device *dev = usage->dev;

	lockdep_assert_held(&dev->lock);
	WRITE_ONCE(usage->used, usage->used - mem->length);
	WRITE_ONCE(usage->objects, usage->objects - 1);
	if (!usage->objects)
		dev->nr_clients--;
	dev->class_pages[vnpu_mem_class(mem)] -= vnpu_mem_pages(mem);
	dev->nr_objects--;
}

/*
 * All or nothing, under one hold of the lock, so that two who want more than
 * there is together do not both fail. How many extents it takes is known only
 * afterwards, and the lock must not be held while the host finds memory for
 * their list: so the attempt is made again with more room.
 */
static int vnpu_mem_alloc_pages(struct vnpu_mem *mem,
				const struct vnpu_mem_spec *spec)
{
	struct vnpu_device *dev = mem->usage->dev;
	u32 room;
	int ret;

	for (room = 1; ; room *= 16) {
		ret = vnpu_mem_make_room(mem, room);
		if (ret)
			return ret;
		mutex_lock(&dev->lock);
		ret = vnpu_mem_try_alloc_locked(mem, spec, room);
		if (ret)
			vnpu_mem_undo_alloc_locked(mem);
		else
			vnpu_mem_account_locked(mem);
		mutex_unlock(&dev->lock);
		if (ret != -EAGAIN)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

/* From one moment to the next the memory is free and not accounted any more. */
static void vnpu_mem_free_pages(struct vnpu_mem *mem)
{
	u32 start = mem->written_start >> VNPU_PAGE_SHIFT;
	u32 end = DIV_ROUND_UP_ULL(mem->written_end, VNPU_PAGE_SIZE);
	struct vnpu_device *dev = mem->usage->dev;
	u32 i;

	mutex_lock(&dev->lock);
	vnpu_mem_unaccount_locked(mem);
	for (i = 0; i < mem->nr_extents; i++)
		vnpu_mem_free_written(mem, mem->extents[i],
				      vnpu_mem_extent_first(mem, i), start, end);
	mutex_unlock(&dev->lock);
}

static void vnpu_mem_clear_run(struct vnpu_device *dev, struct vnpu_extent run)
{
	while (run.count) {
		u32 count = min_t(u32, run.count, VNPU_GRANULE_PAGES -
				  run.start % VNPU_GRANULE_PAGES);

		memset(vnpu_arena_addr(&dev->arena, run.start), 0,
		       (size_t)count << VNPU_PAGE_SHIFT);
		run.start += count;
		run.count -= count;
	}
}

/*
 * Take the next dirty pages out of the allocator's books, so that they are
 * cleared once. The pages are ours, but the books are everybody's.
 */
static bool vnpu_mem_take_dirty(struct vnpu_device *dev,
				struct vnpu_extent ext, struct vnpu_extent *run)
{
	bool found;

	mutex_lock(&dev->lock);
	found = vnpu_buddy_next_dirty(dev->buddy, ext, run);
	if (found) {
		run->count = min_t(u32, run->count, VNPU_CLEAR_PAGES);
		vnpu_buddy_set_clean(dev->buddy, *run);
	}
	mutex_unlock(&dev->lock);
	return found;
}

static int vnpu_mem_clear(struct vnpu_mem *mem)
{
	struct vnpu_device *dev = mem->usage->dev;
	u32 i;

	for (i = 0; i < mem->nr_extents; i++) {
		struct vnpu_extent ext = mem->extents[i], run;

		while (ext.count && vnpu_mem_take_dirty(dev, ext, &run)) {
			vnpu_mem_clear_run(dev, run);
			ext.count -= run.start + run.count - ext.start;
			ext.start = run.start + run.count;
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return 0;
}

static void vnpu_mem_release(struct kref *ref)
{
	struct vnpu_mem *mem = container_of(ref, struct vnpu_mem, ref);

	if (mem->nr_extents)
		vnpu_mem_free_pages(mem);
	vnpu_mem_free_extents(mem);
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

	ret = vnpu_mem_alloc_pages(mem, spec);
	if (!ret)
		ret = vnpu_mem_clear(mem);
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
