/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots of an arena's allocations for the compaction planner. */
#ifndef VNPU_SNAPSHOT_H
#define VNPU_SNAPSHOT_H

#include <linux/types.h>

struct vnpu_compact_block;
struct vnpu_device;
struct vnpu_devmem;
struct vnpu_pages;

bool vnpu_snapshot_is_movable(const struct vnpu_devmem *devmem,
			      unsigned int order);
u32 vnpu_snapshot_longest(struct vnpu_device *dev);
bool vnpu_snapshot_has_place(const struct vnpu_devmem *devmem, u32 longest);
struct vnpu_compact_block *
vnpu_snapshot_take(struct vnpu_device *dev, const struct vnpu_pages *held,
		   unsigned int order, u32 *nr, bool *in_use, bool *runs);

#endif
