// SPDX-License-Identifier: GPL-2.0-only
/*
 * A coarse picture of an arena: what is where.
 *
 * It is drawn of a snapshot, and of the allocator's dirty pages, which are
 * walked a few runs at a time so that nobody waits long for the device's lock.
 * What changes meanwhile may be seen in one and not in the other.
 */
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "core/compact.h"
#include "device.h"
#include "map.h"
#include "snapshot.h"

/* What is looked at under one hold of the lock, at most. */
#define VNPU_MAP_RUNS	64
#define VNPU_MAP_PAGES	BIT(VNPU_BUDDY_ORDER_1G)

struct vnpu_map {
	struct vnpu_map_cell *cells;
	u32 nr;
	u32 pages;
};

/* First page of a cell. */
static u32 vnpu_map_start(const struct vnpu_map *map, u32 cell)
{
	return div_u64((u64)map->pages * cell, map->nr);
}

/* The cell that a page is in: the last that does not start behind it. */
static u32 vnpu_map_cell_of(const struct vnpu_map *map, u32 page)
{
	return div_u64((page + 1ULL) * map->nr - 1, map->pages);
}

/* Adds the pages of a range to a counter of the cells that they are in. */
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

static int vnpu_map_add_used(struct vnpu_map *map, struct vnpu_device *dev)
{
	struct vnpu_compact_block *blocks;
	u32 nr, i;

	blocks = vnpu_snapshot_take(dev, NULL, VNPU_BUDDY_ORDER_1G, &nr,
				    NULL, NULL);
	if (!blocks)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		cond_resched();
		vnpu_map_add(map, blocks[i].ext,
			     offsetof(struct vnpu_map_cell, used));
		if (blocks[i].kind == VNPU_COMPACT_FIXED)
			vnpu_map_add(map, blocks[i].ext,
				     offsetof(struct vnpu_map_cell, fixed));
	}
	kvfree(blocks);
	return 0;
}

/* Some runs from the front of @ext, which keeps what is left to be seen. */
static void vnpu_map_add_some_dirty(struct vnpu_map *map,
				    struct vnpu_device *dev,
				    struct vnpu_extent *ext)
{
	struct vnpu_extent part = *ext, run;
	unsigned int i;

	part.count = min_t(u32, part.count, VNPU_MAP_PAGES);
	mutex_lock(&dev->lock);
	for (i = 0; part.count && i < VNPU_MAP_RUNS; i++) {
		u32 end = part.start + part.count;

		if (!vnpu_buddy_next_dirty(dev->buddy, part, &run))
			run = (struct vnpu_extent){ end, 0 };
		if (run.count)
			vnpu_map_add(map, run,
				     offsetof(struct vnpu_map_cell, dirty));
		part.start = run.start + run.count;
		part.count = end - part.start;
	}
	mutex_unlock(&dev->lock);
	ext->count -= part.start - ext->start;
	ext->start = part.start;
}

static void vnpu_map_add_dirty(struct vnpu_map *map, struct vnpu_device *dev)
{
	u32 i;

	for (i = 0; i < dev->nr_segs; i++) {
		struct vnpu_extent ext = dev->segs[i];

		while (ext.count) {
			vnpu_map_add_some_dirty(map, dev, &ext);
			cond_resched();
		}
	}
}

/**
 * vnpu_map_read() - draw the picture
 * @dev: the device
 * @cells: filled, in the order of the arena
 * @nr: how many; at least 1, and no more than the arena has pages
 *
 * The cells are equal but for a page.
 *
 * Return: 0 or -ENOMEM.
 */
int vnpu_map_read(struct vnpu_device *dev, struct vnpu_map_cell *cells, u32 nr)
{
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
	ret = vnpu_map_add_used(&map, dev);
	if (ret)
		return ret;
	vnpu_map_add_dirty(&map, dev);
	/* What was freed in between is not both. */
	for (i = 0; i < nr; i++)
		cells[i].dirty = min(cells[i].dirty,
				     cells[i].pages - cells[i].used);
	return 0;
}
