/* SPDX-License-Identifier: GPL-2.0-only */
/* Coarse map of an arena: how the pages of each part are used. */
#ifndef VNPU_MAP_H
#define VNPU_MAP_H

#include <linux/types.h>

struct vnpu_device;

/**
 * struct vnpu_map_cell - a part of an arena, in pages
 * @pages: size of the part
 * @used: allocated pages
 * @fixed: allocated pages that compaction would not move
 * @dirty: free pages that must be cleared before they are allocated
 */
struct vnpu_map_cell {
	u32 pages;
	u32 used;
	u32 fixed;
	u32 dirty;
};

int vnpu_map_read(struct vnpu_device *dev, struct vnpu_map_cell *cells, u32 nr);

#endif
