// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots of an arena's allocations for the compaction planner.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "base/device.h"
#include "core/compact.h"
#include "mem/devmem.h"
#include "mem/pages.h"
#include "snapshot.h"

static bool vnpu_snapshot_may_move(const struct vnpu_devmem *devmem,
				   unsigned int order)
{
	return devmem->mem.page_shift - VNPU_PAGE_SHIFT <= order;
}

/**
 * vnpu_snapshot_is_movable() - check if compaction can move an object now
 * @devmem: the object
 * @order: pages of classes above this order are not moved
 *
 * Moving a contiguous object also takes a free run of its length, see
 * vnpu_snapshot_has_place().
 *
 * Return: true if it can be moved, as long as it is not pinned.
 */
bool vnpu_snapshot_is_movable(const struct vnpu_devmem *devmem,
			      unsigned int order)
{
	return vnpu_snapshot_may_move(devmem, order) &&
	       !atomic_read(&devmem->mem.pins);
}

/**
 * struct vnpu_snapshot - a snapshot of an arena
 * @blocks: the blocks, followed by as much memory to sort them
 * @nr: number of blocks
 * @room: number of blocks that there is memory for
 * @longest: contiguous objects of up to this many pages can be moved
 * @in_use: true if some objects cannot be moved only because they are in use
 * @has_runs: true if there are contiguous objects that can be moved
 */
struct vnpu_snapshot {
	struct vnpu_compact_block *blocks;
	u32 nr;
	u32 room;
	u32 longest;
	bool in_use;
	bool has_runs;
};

/**
 * vnpu_snapshot_longest() - find the longest contiguous object that can be moved
 * @dev: the device
 *
 * Return: its number of pages, which is that of the longest free run.
 */
u32 vnpu_snapshot_longest(struct vnpu_device *dev)
{
	u32 longest;

	spin_lock(&dev->lock);
	longest = vnpu_allocator_largest(dev->allocator, VNPU_PAGE_ORDER_4K);
	spin_unlock(&dev->lock);
	return longest;
}

/**
 * vnpu_snapshot_has_place() - check if a free run can hold a contiguous object
 * @devmem: the object
 * @longest: result of vnpu_snapshot_longest(), or 0 to move no such object
 *
 * This is an estimate: several objects may need the same run.
 *
 * Return: true also if the object need not be contiguous.
 */
bool vnpu_snapshot_has_place(const struct vnpu_devmem *devmem, u32 longest)
{
	return !vnpu_devmem_is_run(devmem) ||
	       devmem->mem.length >> VNPU_PAGE_SHIFT <= longest;
}

static enum vnpu_compact_kind
vnpu_snapshot_kind(struct vnpu_snapshot *s, const struct vnpu_devmem *devmem,
		   unsigned int order)
{
	if (!vnpu_snapshot_may_move(devmem, order) ||
	    !vnpu_snapshot_has_place(devmem, s->longest))
		return VNPU_COMPACT_FIXED;
	if (vnpu_devmem_is_run(devmem))
		s->has_runs = true;
	/* An object without a reference is being freed in batches. */
	if (atomic_read(&devmem->mem.pins) || !kref_read(&devmem->mem.ref)) {
		s->in_use = true;
		return VNPU_COMPACT_FIXED;
	}
	return vnpu_devmem_order(devmem) ? VNPU_COMPACT_LARGE :
					   VNPU_COMPACT_SMALL;
}

static int vnpu_snapshot_make_room(struct vnpu_snapshot *s, u32 room)
{
	struct vnpu_compact_block *blocks;

	if (room <= s->room)
		return 0;
	room += room / 8 + 16;
	/* Any user can make this large, so charge it and do not warn. */
	blocks = kvmalloc_array(room, 2 * sizeof(*blocks),
				GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!blocks)
		return -ENOMEM;
	if (s->nr)
		memcpy(blocks, s->blocks, s->nr * sizeof(*blocks));
	kvfree(s->blocks);
	s->blocks = blocks;
	s->room = room;
	return 0;
}

static void vnpu_snapshot_add(struct vnpu_snapshot *s, struct vnpu_extent ext,
			      enum vnpu_compact_kind kind)
{
	s->blocks[s->nr++] = (struct vnpu_compact_block){ ext, kind };
}

/* Add an object's extents. Release the lock while growing the array. */
static int vnpu_snapshot_add_object(struct vnpu_snapshot *s,
				    struct vnpu_devmem_iter *iter,
				    unsigned int order)
	__must_hold(&iter->dev->lock)
{
	const struct vnpu_devmem *devmem = iter->at;
	enum vnpu_compact_kind kind = vnpu_snapshot_kind(s, devmem, order);
	struct vnpu_extent ext;
	u32 page = 0;

	do {
		if (s->nr == s->room) {
			u32 room = s->nr + devmem->pages.nr;
			int ret;

			/* Skip an object that is about to be freed. */
			if (!vnpu_devmem_iter_keep(iter))
				return 0;
			vnpu_devmem_iter_pause(iter);
			ret = vnpu_snapshot_make_room(s, room);
			vnpu_devmem_iter_resume(iter);
			if (ret)
				return ret;
		}
		if (!vnpu_devmem_iter_next_extent(iter, &page, &ext))
			return 0;
		vnpu_snapshot_add(s, ext, kind);
	} while (true);
}

static int vnpu_snapshot_add_all(struct vnpu_snapshot *s,
				 struct vnpu_device *dev, unsigned int order)
{
	struct vnpu_devmem_iter iter;
	int ret = 0;

	vnpu_devmem_iter_begin(&iter, dev);
	while (!ret && vnpu_devmem_iter_next(&iter))
		ret = vnpu_snapshot_add_object(s, &iter, order);
	vnpu_devmem_iter_end(&iter);
	return ret;
}

/* Drop a block's pages before @end; the rest of a large page becomes small. */
static void vnpu_snapshot_cut(struct vnpu_compact_block *block, u32 end)
{
	const u32 large = 1U << VNPU_PAGE_ORDER_2M;
	u32 cut = end - block->ext.start;

	block->ext.start += cut;
	block->ext.count -= cut;
	if (block->kind == VNPU_COMPACT_LARGE && !IS_ALIGNED(end, large))
		block->kind = VNPU_COMPACT_SMALL;
}

/* Sort, and remove duplicates: pages that changed hands between two holds. */
static void vnpu_snapshot_sort(struct vnpu_snapshot *s)
{
	u32 end = 0, nr = 0, i;

	vnpu_compact_sort(s->blocks, s->blocks + s->room, s->nr);
	for (i = 0; i < s->nr; i++) {
		struct vnpu_compact_block block = s->blocks[i];
		u32 block_end = block.ext.start + block.ext.count;

		cond_resched();
		if (block_end <= end)
			continue;
		if (block.ext.start < end)
			vnpu_snapshot_cut(&block, end);
		s->blocks[nr++] = block;
		end = block_end;
	}
	s->nr = nr;
}

/**
 * vnpu_snapshot_take() - list the allocated pages, and how they can be moved
 * @dev: the device
 * @held: allocated pages that belong to no object yet; or NULL
 * @order: pages of classes above this order are not moved
 * @nr: filled with the number of blocks
 * @in_use: set to true if some pages cannot be moved only because they are in
 *	use; or NULL
 * @runs: set to true if there are contiguous objects that can be moved; or NULL
 *
 * If @runs is NULL, contiguous objects count as fixed. Otherwise, the pages of
 * a contiguous object count as movable one by one, if there is a free run of
 * the object's length.
 *
 * The snapshot does not show a single moment, because the device's lock is held
 * only for some blocks at a time. Its memory is charged to the calling task's
 * cgroup. It takes 27 bytes per block, so the caller must hold the
 * compact_lock, the oom_lock or the look_lock. This limits each device to three
 * snapshots at a time.
 *
 * Return: the blocks, ascending and disjoint, which the caller frees with
 * kvfree(); NULL if the host is out of memory.
 */
struct vnpu_compact_block *
vnpu_snapshot_take(struct vnpu_device *dev, const struct vnpu_pages *held,
		   unsigned int order, u32 *nr, bool *in_use, bool *runs)
{
	u32 held_extents = held ? held->nr : 0, i;
	struct vnpu_snapshot s = { };

	lockdep_assert(lockdep_is_held(&dev->compact_lock) ||
		       lockdep_is_held(&dev->oom_lock) ||
		       lockdep_is_held(&dev->look_lock));
	if (runs)
		s.longest = vnpu_snapshot_longest(dev);

	/* Allocate at least one block, so that an empty result is not NULL. */
	if (vnpu_snapshot_make_room(&s, READ_ONCE(dev->nr_extents) +
					held_extents + 1) ||
	    vnpu_snapshot_add_all(&s, dev, order) ||
	    vnpu_snapshot_make_room(&s, s.nr + held_extents)) {
		kvfree(s.blocks);
		return NULL;
	}
	for (i = 0; i < held_extents; i++)
		vnpu_snapshot_add(&s, vnpu_pages_extent(held, i),
				  VNPU_COMPACT_FIXED);
	vnpu_snapshot_sort(&s);
	*nr = s.nr;
	if (in_use)
		*in_use = s.in_use;
	if (runs)
		*runs = s.has_runs;
	return s.blocks;
}
