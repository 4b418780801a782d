// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coarse map of an arena: how the pages of each part are used.
 *
 * Drawing the map allocates no memory. It walks the allocator's pages by
 * address and the objects in the order of the list, a few runs at a time, so
 * that an allocation never waits long for the device's lock. A change between
 * two holds of the lock may be visible in one counter and not in another.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "base/device.h"
#include "mem/devmem.h"
#include "mem/pages.h"
#include "map.h"
#include "snapshot.h"

/* Maximum amount of work under one hold of the lock. */
#define VNPU_MAP_RUNS	64
#define VNPU_MAP_PAGES	BIT(VNPU_PAGE_ORDER_1G)

struct vnpu_map {
	struct vnpu_map_cell *cells;
	u32 nr;
	u32 pages;
};

/* Return the first page of a cell. */
static u32 vnpu_map_start(const struct vnpu_map *map, u32 cell)
{
	return div_u64((u64)map->pages * cell, map->nr);
}

/* Return the cell that contains a page. */
static u32 vnpu_map_cell_of(const struct vnpu_map *map, u32 page)
{
	return div_u64((page + 1ULL) * map->nr - 1, map->pages);
}

/* Add the pages of a range to a counter of the cells that contain them. */
static void vnpu_map_add(struct vnpu_map *map, struct vnpu_extent ext,
			 size_t counter)
{
	u32 cell = vnpu_map_cell_of(map, ext.start);

	for (; ext.count; cell++) {
		u32 part = min(ext.count,
			       vnpu_map_start(map, cell + 1) - ext.start);

		*(u32 *)((char *)&map->cells[cell] + counter) += part;
		ext.start += part;
		ext.count -= part;
	}
}

/* Find the first allocated pages of a range, which lies in one segment. */
static bool vnpu_map_next_used(const struct vnpu_allocator *allocator,
			       struct vnpu_extent ext, struct vnpu_extent *out)
{
	u32 end = ext.start + ext.count, at = ext.start;
	struct vnpu_extent run;

	while (at < end) {
		if (!vnpu_allocator_next_free_run(allocator, at, &run))
			run = (struct vnpu_extent){ end, 0 };
		if (at < run.start) {
			*out = (struct vnpu_extent){
				at, min(run.start, end) - at };
			return true;
		}
		at = run.start + run.count;
	}
	return false;
}

/**
 * struct vnpu_map_kind - a kind of pages that the allocator can find
 * @next: finds the first of these pages in a range, which lies in one segment
 * @counter: offset of the counter in struct vnpu_map_cell
 */
struct vnpu_map_kind {
	bool (*next)(const struct vnpu_allocator *allocator, struct vnpu_extent ext,
		     struct vnpu_extent *out);
	size_t counter;
};

/* Count some runs from the start of @ext, and advance @ext behind them. */
static void vnpu_map_add_some(struct vnpu_map *map, struct vnpu_device *dev,
			      const struct vnpu_map_kind *kind,
			      struct vnpu_extent *ext)
{
	struct vnpu_extent part = *ext, run;
	unsigned int i;

	part.count = min_t(u32, part.count, VNPU_MAP_PAGES);
	spin_lock(&dev->lock);
	for (i = 0; part.count && i < VNPU_MAP_RUNS; i++) {
		u32 end = part.start + part.count;

		if (i && vnpu_device_needs_break(dev))
			break;
		if (!kind->next(dev->allocator, part, &run))
			run = (struct vnpu_extent){ end, 0 };
		if (run.count)
			vnpu_map_add(map, run, kind->counter);
		part.start = run.start + run.count;
		part.count = end - part.start;
	}
	spin_unlock(&dev->lock);
	ext->count -= part.start - ext->start;
	ext->start = part.start;
}

static int vnpu_map_add_all(struct vnpu_map *map, struct vnpu_device *dev,
			    const struct vnpu_map_kind *kind)
{
	u32 i;

	for (i = 0; i < dev->nr_segs; i++) {
		struct vnpu_extent ext = dev->segs[i];

		while (ext.count) {
			vnpu_map_add_some(map, dev, kind, &ext);
			if (fatal_signal_pending(current))
				return -EINTR;
			cond_resched();
		}
	}
	return 0;
}

static void vnpu_map_add_fixed_object(struct vnpu_map *map,
				      struct vnpu_devmem_iter *iter)
{
	struct vnpu_extent ext;
	u32 page = 0;

	while (!fatal_signal_pending(current) &&
	       vnpu_devmem_iter_next_extent(iter, &page, &ext))
		vnpu_map_add(map, ext, offsetof(struct vnpu_map_cell, fixed));
}

/* Check if compaction would not move an object, as in its snapshots. */
static bool vnpu_map_is_fixed(const struct vnpu_devmem *devmem, u32 longest)
{
	return !vnpu_snapshot_has_place(devmem, longest) ||
	       !vnpu_snapshot_is_movable(devmem, VNPU_PAGE_ORDER_1G);
}

static int vnpu_map_add_fixed(struct vnpu_map *map, struct vnpu_device *dev)
{
	u32 longest = vnpu_snapshot_longest(dev);
	struct vnpu_devmem_iter iter;
	struct vnpu_devmem *devmem;

	vnpu_devmem_iter_begin(&iter, dev);
	while (!fatal_signal_pending(current) &&
	       (devmem = vnpu_devmem_iter_next(&iter)))
		if (vnpu_map_is_fixed(devmem, longest))
			vnpu_map_add_fixed_object(map, &iter);
	vnpu_devmem_iter_end(&iter);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/**
 * vnpu_map_read() - draw the map
 * @dev: the device
 * @cells: filled, in the order of the arena
 * @nr: number of cells; at least 1, at most the number of pages in the arena
 *
 * The sizes of the cells differ by at most one page. Callers of this function
 * take turns.
 *
 * Return: 0 or -EINTR.
 */
int vnpu_map_read(struct vnpu_device *dev, struct vnpu_map_cell *cells, u32 nr)
{
	static const struct vnpu_map_kind used = {
		vnpu_map_next_used, offsetof(struct vnpu_map_cell, used) };
	static const struct vnpu_map_kind dirty = {
		vnpu_allocator_next_dirty, offsetof(struct vnpu_map_cell, dirty) };
	struct vnpu_map map = {
		.cells = cells,
		.nr = nr,
		.pages = vnpu_arena_size(&dev->arena) >> VNPU_PAGE_SHIFT,
	};
	u32 i;
	int ret;

	for (i = 0; i < nr; i++)
		cells[i] = (struct vnpu_map_cell){
			.pages = vnpu_map_start(&map, i + 1) -
				 vnpu_map_start(&map, i),
		};
	if (mutex_lock_killable(&dev->look_lock))
		return -EINTR;
	ret = vnpu_map_add_all(&map, dev, &used);
	if (!ret)
		ret = vnpu_map_add_fixed(&map, dev);
	if (!ret)
		ret = vnpu_map_add_all(&map, dev, &dirty);
	mutex_unlock(&dev->look_lock);
	/* Pages that changed between two holds may have been counted twice. */
	for (i = 0; i < nr; i++) {
		cells[i].fixed = min(cells[i].fixed, cells[i].used);
		cells[i].dirty = min(cells[i].dirty,
				     cells[i].pages - cells[i].used);
	}
	return ret;
}
