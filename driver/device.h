/* SPDX-License-Identifier: GPL-2.0-only */
/* A device: an arena, its allocator, and what is accounted to it. */
#ifndef VNPU_DEVICE_H
#define VNPU_DEVICE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/uuid.h>
#include <linux/workqueue.h>

#include <linux/vnpu.h>

#include "arena.h"
#include "clear.h"
#include "core/buddy.h"
#include "ecc.h"
#include "inject.h"
#include "numbers.h"

struct class;
struct dentry;
struct device;
struct vnpu_config;
struct vnpu_engines;

/**
 * struct vnpu_device - a device
 * @ref: held by the table of devices, and by whoever uses the device
 * @free_work: frees it; who gives the last reference back may be an engine of its
 *	own; constant
 * @index: its number, which no other has until this one is freed; constant
 * @serial: a number that no other device ever has, as long as the module is
 *	loaded; not 0; constant
 * @gone: it was removed: nothing begins on it any more, and its memory is stale.
 *	Written under @lock, never taken back; may be read by anyone.
 * @health: VNPU_HEALTH_*; written under vnpu_engines.reset_lock
 * @uuid: constant
 * @arena: its memory; constant
 * @segs: the runs that it physically consists of; constant
 * @nr_segs: how many
 * @engines: what runs its streams; constant
 * @sys: what it is to the kernel's device model, or NULL once it is gone; under
 *	vnpu_engines.reset_lock
 * @debugfs: its directory there; constant
 * @numbers: those of its streams, events and counters, by VNPU_NUMBER_*
 * @inject: what it is told to do wrong; has a lock of its own
 * @ecc: errors of its memory
 * @compact_lock: held by whoever compacts, who waits for no fault: a fault may
 *	wait for the end of a move. Taken with no other lock held, but for
 *	vnpu_slabs.grow_lock.
 * @oom_lock: held by the one task that plans for the explanation of an allocation
 *	that failed, so that it delays no compaction. It is only tried. Outside of
 *	@lock.
 * @look_lock: held by the one task that draws a map of the arena for netlink, or
 *	plans for it: any user may ask, so others wait for their turn here and not
 *	at @lock. Inside nothing, outside of @lock.
 * @lock: protects all that follows. It is held for VNPU_PAGES_BATCH operations of
 *	the allocator at most, or for a short part of a walk along all objects (see
 *	vnpu_devmem_iter_next()); never while memory is copied, nor while it is
 *	cleared but for a short piece, see clear.c. Innermost.
 * @buddy: the allocator of @arena
 * @reserved: pages of it that were promised to allocations under way, which take
 *	them in batches, see vnpu_pages_find()
 * @clear: clears what of it is free
 * @class_pages: allocated 4 KiB pages by page class
 * @asked: bytes that the memory objects were asked for with, not rounded up
 * @cleared: bytes that were cleared, when they were given out or in advance,
 *	since the start
 * @moved: bytes that compaction copied, since the start
 * @nr_moves: times that it moved what an object had in its way
 * @nr_objects: memory objects
 * @nr_extents: that all memory objects together consist of
 * @nr_compactions: how often compaction made a run by moving others
 * @nr_clients: clients that have any
 * @mems: the memory objects, vnpu_devmem.dev_link
 * @usages: the accounts of all clients, vnpu_usage.dev_link
 * @users: what the users of these clients hold, vnpu_user_usage.node
 * @quotas: the limits that are set, vnpu_quota.node
 */
struct vnpu_device {
	struct kref ref;
	struct work_struct free_work;
	unsigned int index;
	unsigned long serial;
	bool gone;
	u32 health;
	uuid_t uuid;
	struct vnpu_arena arena;
	struct vnpu_extent *segs;
	u32 nr_segs;
	struct vnpu_engines *engines;
	struct device *sys;
	struct dentry *debugfs;
	struct vnpu_numbers numbers[VNPU_NUMBER_KINDS];
	struct vnpu_inject inject;
	struct vnpu_ecc ecc;
	struct mutex compact_lock;
	struct mutex oom_lock;
	struct mutex look_lock;

	struct mutex lock;
	struct vnpu_buddy *buddy;
	u32 reserved;
	struct vnpu_clear clear;
	u64 class_pages[VNPU_BUDDY_CLASSES];
	u64 asked;
	u64 cleared;
	u64 moved;
	u64 nr_moves;
	u64 nr_objects;
	u32 nr_extents;
	u64 nr_compactions;
	u32 nr_clients;
	struct list_head mems;
	struct list_head usages;
	struct rb_root users;
	struct rb_root quotas;
};

#define VNPU_PRODUCT_NAME	"vnpu"

int vnpu_devices_init(const struct vnpu_config *cfg);
void vnpu_devices_fini(void);
struct class *vnpu_devices_class(void);
dev_t vnpu_devices_nodes(void);

struct vnpu_device *vnpu_device_add(u64 arena_size);
int vnpu_device_remove(unsigned int index);

struct vnpu_device *vnpu_device_get(unsigned int index);
struct vnpu_device *vnpu_device_get_next(unsigned long *index);
void vnpu_device_note_lost(const struct vnpu_device *dev);
u64 vnpu_device_lost_epoch(const struct vnpu_device *dev);
void vnpu_device_put(struct vnpu_device *dev);

/* What is begun on it fails. */
static inline bool vnpu_device_is_gone(const struct vnpu_device *dev)
{
	return READ_ONCE(dev->gone);
}

void vnpu_device_bus_id(const struct vnpu_device *dev,
			char buf[VNPU_DEVICE_BUS_ID_LEN]);

#endif
