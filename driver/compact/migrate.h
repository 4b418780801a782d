/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Migration: empty a run of the arena, as planned by the compaction planner.
 */
#ifndef VNPU_MIGRATE_H
#define VNPU_MIGRATE_H

#include <linux/types.h>

#include "core/allocator.h"
#include "move.h"

struct task_struct;
struct vnpu_compact_plan;
struct vnpu_device;
struct vnpu_devmem;
struct vnpu_pages;

/**
 * struct vnpu_migration - a run that is being emptied
 * @dev: the device, with its compact_lock held
 * @task: the thread that waits for the migration; it may be killed
 * @window: the run
 * @order: pages of classes above this order are not moved
 * @runs: true to move contiguous objects, too
 * @targets: frames (aligned runs of 2 MiB) to empty if there is no free one for
 *	a page of 2 MiB
 * @nr_targets: number of @targets
 * @used_targets: number of @targets that were used
 * @victims: the objects with pages in @window, each with a reference. None of
 *	them is still being allocated, so their lists of pages may be read
 *	without a lock.
 * @nr_victims: number of @victims
 * @room: number of objects that @victims can hold
 * @emptied: pages of the window that are allocated, but belong to no object
 */
struct vnpu_migration {
	struct vnpu_device *dev;
	struct task_struct *task;
	struct vnpu_extent window;
	unsigned int order;
	bool runs;
	struct vnpu_extent *targets;
	u32 nr_targets;
	u32 used_targets;
	struct vnpu_devmem **victims;
	u32 nr_victims;
	u32 room;
	struct vnpu_emptied emptied;
};

/* The kinds of objects, in the order in which they are moved. */
enum vnpu_migrate_stage {
	VNPU_MIGRATE_RUNS,
	VNPU_MIGRATE_LARGE,
	VNPU_MIGRATE_SMALL,
};

int vnpu_migration_init(struct vnpu_migration *e,
			const struct vnpu_compact_plan *plan,
			unsigned int order, u32 blocks);
void vnpu_migration_fini(struct vnpu_migration *e);
int vnpu_migrate(struct vnpu_migration *e, struct vnpu_pages *held);

/* compact/migrate_victims.c */
bool vnpu_migrate_concerns(const struct vnpu_devmem *devmem,
			   struct vnpu_extent window);
int vnpu_migrate_isolate(struct vnpu_migration *e);
int vnpu_migrate_find_victims(struct vnpu_migration *e,
			      enum vnpu_migrate_stage stage);
void vnpu_migrate_put_victims(struct vnpu_migration *e);

#endif
