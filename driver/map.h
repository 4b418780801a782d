/* SPDX-License-Identifier: GPL-2.0-only */
/* A coarse picture of an arena: what is where. */
#ifndef VNPU_MAP_H
#define VNPU_MAP_H

#include <linux/types.h>

struct vnpu_device;

/**
 * struct vnpu_map_cell - a part of an arena, in pages
 * @pages: its size
 * @used: allocated
 * @fixed: those of them that compaction would leave where they are
 * @dirty: not allocated, and to be cleared before they are given out
 */
struct vnpu_map_cell {
	u32 pages;
	u32 used;
	u32 fixed;
	u32 dirty;
};

int vnpu_map_read(struct vnpu_device *dev, struct vnpu_map_cell *cells, u32 nr);

#endif
