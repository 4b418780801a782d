/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evacuation: empty a run of the arena, as planned by the compaction planner.
 */
#ifndef VNPU_MIGRATE_H
#define VNPU_MIGRATE_H

#include <linux/types.h>

#include "core/allocator.h"
#include "move.h"

struct vnpu_compact_plan;
struct vnpu_device;
struct vnpu_devmem;
struct vnpu_pages;

/**
 * struct vnpu_evacuation - a run that is being emptied
 * @dev: the device, with its compact_lock held
 * @window: the run
 * @order: pages of classes above this order are not moved
 * @runs: true to move contiguous objects, too
 * @places: frames (aligned runs of 2 MiB) to empty if there is no free one for
 *	a page of 2 MiB
 * @nr_places: number of @places
 * @used_places: number of @places that were used
 * @victims: the objects with pages in @window, each with a reference. None of
 *	them is still being allocated, so their lists of pages may be read
 *	without a lock.
 * @nr_victims: number of @victims
 * @room: number of objects that @victims can hold
 * @emptied: pages of the window that are allocated, but belong to no object
 */
struct vnpu_evacuation {
	struct vnpu_device *dev;
	struct vnpu_extent window;
	unsigned int order;
	bool runs;
	struct vnpu_extent *places;
	u32 nr_places;
	u32 used_places;
	struct vnpu_devmem **victims;
	u32 nr_victims;
	u32 room;
	struct vnpu_emptied emptied;
};

/* The kinds of objects, in the order in which they are moved. */
enum vnpu_evacuate_stage {
	VNPU_EVACUATE_RUNS,
	VNPU_EVACUATE_LARGE,
	VNPU_EVACUATE_SMALL,
};

int vnpu_evacuation_init(struct vnpu_evacuation *e,
			 const struct vnpu_compact_plan *plan,
			 unsigned int order, u32 blocks);
void vnpu_evacuation_fini(struct vnpu_evacuation *e);
int vnpu_evacuate(struct vnpu_evacuation *e, struct vnpu_pages *held);

/* compact/migrate_victims.c */
bool vnpu_evacuate_concerns(const struct vnpu_devmem *devmem,
			    struct vnpu_extent window);
int vnpu_evacuate_isolate(struct vnpu_evacuation *e);
int vnpu_evacuate_find_victims(struct vnpu_evacuation *e,
			       enum vnpu_evacuate_stage stage);
void vnpu_evacuate_put_victims(struct vnpu_evacuation *e);

#endif
