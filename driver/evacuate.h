/* SPDX-License-Identifier: GPL-2.0-only */
/* Emptying a run of the arena: a plan of compaction is carried out. */
#ifndef VNPU_EVACUATE_H
#define VNPU_EVACUATE_H

#include <linux/types.h>

#include "core/buddy.h"
#include "move.h"

struct vnpu_compact_plan;
struct vnpu_device;
struct vnpu_devmem;
struct vnpu_pages;

/**
 * struct vnpu_evacuation - a run that is being made free
 * @dev: the device; its compact_lock is held
 * @window: the run
 * @order: pages of larger classes stay
 * @runs: contiguous objects are moved, too
 * @places: that are emptied when pages of 2 MiB find no other
 * @nr_places: how many
 * @used_places: how many of them were used
 * @victims: the objects that have pages in @window, each with a reference: none is
 *	still being allocated, so its list of pages may be read without a lock
 * @nr_victims: how many
 * @room: how many there can be
 * @emptied: what in the window is allocated, but to nobody
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

/* evacuate_victims.c */
bool vnpu_evacuate_concerns(const struct vnpu_devmem *devmem,
			    struct vnpu_extent window);
int vnpu_evacuate_isolate(struct vnpu_evacuation *e);
int vnpu_evacuate_find_victims(struct vnpu_evacuation *e,
			       enum vnpu_evacuate_stage stage);
void vnpu_evacuate_put_victims(struct vnpu_evacuation *e);

#endif
