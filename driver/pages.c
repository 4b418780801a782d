// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pages of a memory object: allocation, clearing and the way back.
 *
 * No client may read what another wrote. The allocator remembers which free
 * pages are dirty. Those are cleared when they are allocated, outside of the
 * device's lock, before anybody can reach them; what was never written goes
 * back as clean as it came.
 */
#include <linux/log2.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "client.h"
#include "device.h"
#include "mem.h"
#include "pages.h"

/* Clearing gives way after this many pages, and asks for signals. */
#define VNPU_CLEAR_PAGES	VNPU_GRANULE_PAGES

static unsigned int vnpu_pages_order(const struct vnpu_mem *mem)
{
	return mem->page_shift - VNPU_PAGE_SHIFT;
}

static unsigned int vnpu_pages_class(const struct vnpu_mem *mem)
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

static void vnpu_pages_free_list(struct vnpu_mem *mem)
{
	if (mem->extents != &mem->one)
		kvfree(mem->extents);
	kvfree(mem->ends);
	mem->extents = &mem->one;
	mem->ends = NULL;
}

/* Room for @room extents, none of which is there yet; one needs none. */
static int vnpu_pages_make_room(struct vnpu_mem *mem, u32 room)
{
	vnpu_pages_free_list(mem);
	if (room == 1)
		return 0;
	mem->extents = kvmalloc_array(room, sizeof(*mem->extents),
				      GFP_KERNEL_ACCOUNT);
	mem->ends = kvmalloc_array(room, sizeof(*mem->ends),
				   GFP_KERNEL_ACCOUNT);
	if (mem->extents && mem->ends)
		return 0;
	vnpu_pages_free_list(mem);
	return -ENOMEM;
}

static void vnpu_pages_free_extent(struct vnpu_device *dev,
				   struct vnpu_extent ext, bool dirty)
{
	lockdep_assert_held(&dev->lock);
	if (ext.count)
		WARN_ON_ONCE(vnpu_buddy_free(dev->buddy, ext, dirty));
}

/* Give an extent back, and only what was written as dirty. */
static void vnpu_pages_free_written(struct vnpu_mem *mem,
				    struct vnpu_extent ext, u32 first,
				    u32 start, u32 end)
{
	struct vnpu_device *dev = mem->usage->dev;
	u32 last = first + ext.count;

	start = clamp(start, first, last) - first;
	end = max(clamp(end, first, last) - first, start);
	vnpu_pages_free_extent(dev, (struct vnpu_extent){
		ext.start, start }, false);
	vnpu_pages_free_extent(dev, (struct vnpu_extent){
		ext.start + start, end - start }, true);
	vnpu_pages_free_extent(dev, (struct vnpu_extent){
		ext.start + end, ext.count - end }, false);
}

/* Returns -EAGAIN where there is not room for all the extents it takes. */
static int vnpu_pages_try_alloc_locked(struct vnpu_mem *mem,
				       const struct vnpu_mem_spec *spec,
				       u32 room)
{
	struct vnpu_device *dev = mem->usage->dev;
	struct vnpu_buddy_req req = {
		.pages = vnpu_mem_pages(mem),
		.granule_order = vnpu_pages_order(mem),
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

static void vnpu_pages_undo_locked(struct vnpu_mem *mem)
{
	u32 i;

	for (i = 0; i < mem->nr_extents; i++)
		vnpu_pages_free_extent(mem->usage->dev, mem->extents[i], false);
	mem->nr_extents = 0;
}

static void vnpu_pages_account_locked(struct vnpu_mem *mem)
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
	dev->class_pages[vnpu_pages_class(mem)] += vnpu_mem_pages(mem);
	dev->nr_objects++;
}

static void vnpu_pages_unaccount_locked(struct vnpu_mem *mem)
{
	struct vnpu_usage *usage = mem->usage;
	struct vnpu_device *dev = usage->dev;

	lockdep_assert_held(&dev->lock);
	WRITE_ONCE(usage->used, usage->used - mem->length);
	WRITE_ONCE(usage->objects, usage->objects - 1);
	if (!usage->objects)
		dev->nr_clients--;
	dev->class_pages[vnpu_pages_class(mem)] -= vnpu_mem_pages(mem);
	dev->nr_objects--;
}

/**
 * vnpu_pages_alloc() - find the pages of an object, and account them
 * @mem: the object, which has none
 * @spec: what is wanted
 *
 * All or nothing, under one hold of the lock, so that two who want more than
 * there is together do not both fail. How many extents it takes is known only
 * afterwards, and the lock must not be held while the host finds memory for
 * their list: so the attempt is made again with more room.
 *
 * Return: 0, -ENOSPC, -ENOMEM or -EINTR.
 */
int vnpu_pages_alloc(struct vnpu_mem *mem, const struct vnpu_mem_spec *spec)
{
	struct vnpu_device *dev = mem->usage->dev;
	u32 room;
	int ret;

	for (room = 1; ; room *= 16) {
		ret = vnpu_pages_make_room(mem, room);
		if (ret)
			return ret;
		mutex_lock(&dev->lock);
		ret = vnpu_pages_try_alloc_locked(mem, spec, room);
		if (ret)
			vnpu_pages_undo_locked(mem);
		else
			vnpu_pages_account_locked(mem);
		mutex_unlock(&dev->lock);
		if (ret != -EAGAIN)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

/**
 * vnpu_pages_release() - give the pages back
 * @mem: the object, which nobody uses any more; it may have no pages
 *
 * At one moment they become free and are not accounted any more.
 */
void vnpu_pages_release(struct vnpu_mem *mem)
{
	u32 start = mem->written_start >> VNPU_PAGE_SHIFT;
	u32 end = DIV_ROUND_UP_ULL(mem->written_end, VNPU_PAGE_SIZE);
	struct vnpu_device *dev = mem->usage->dev;
	u32 i;

	if (mem->nr_extents) {
		mutex_lock(&dev->lock);
		vnpu_pages_unaccount_locked(mem);
		for (i = 0; i < mem->nr_extents; i++)
			vnpu_pages_free_written(mem, mem->extents[i],
						vnpu_mem_extent_first(mem, i),
						start, end);
		mutex_unlock(&dev->lock);
	}
	vnpu_pages_free_list(mem);
}

static void vnpu_pages_clear_run(struct vnpu_device *dev, struct vnpu_extent run)
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
static bool vnpu_pages_take_dirty(struct vnpu_device *dev,
				  struct vnpu_extent ext,
				  struct vnpu_extent *run)
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

/**
 * vnpu_pages_clear() - clear what is dirty, before anybody can reach it
 * @mem: the object, not published yet
 *
 * Return: 0 or -EINTR; what was not cleared is still known as dirty.
 */
int vnpu_pages_clear(struct vnpu_mem *mem)
{
	struct vnpu_device *dev = mem->usage->dev;
	u32 i;

	for (i = 0; i < mem->nr_extents; i++) {
		struct vnpu_extent ext = mem->extents[i], run;

		while (ext.count && vnpu_pages_take_dirty(dev, ext, &run)) {
			vnpu_pages_clear_run(dev, run);
			ext.count -= run.start + run.count - ext.start;
			ext.start = run.start + run.count;
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return 0;
}
