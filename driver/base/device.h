/* SPDX-License-Identifier: GPL-2.0-only */
/* A device: its arena, the allocator, its engines, and its accounts. */
#ifndef VNPU_DEVICE_H
#define VNPU_DEVICE_H

#include <linux/atomic.h>
#include <linux/idr.h>
#include <linux/kref.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uuid.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <linux/vnpu.h>

#include "core/allocator.h"
#include "arena.h"

struct class;
struct dentry;
struct device;
struct vnpu_config;
struct vnpu_engines;
struct vnpu_soc;

/* Classes of engines, and the common functions for all of them. */
#define VNPU_ENGINE_COPY	0
#define VNPU_ENGINE_VECTOR	1
#define VNPU_ENGINE_CLASSES	2
#define VNPU_ENGINE_ANY		VNPU_ENGINE_CLASSES

/* For statistics alone: the cores of a device, which are processes (exec/core.h). */
#define VNPU_ENGINE_AICORE		2
#define VNPU_ENGINE_STATS_CLASSES	3

/* The kinds of ids that a device has. */
#define VNPU_ID_STREAM	VNPU_LIMIT_STREAMS
#define VNPU_ID_EVENT	VNPU_LIMIT_EVENTS
#define VNPU_ID_COUNTER	VNPU_LIMIT_COUNTERS
#define VNPU_ID_KINDS	3

/**
 * struct vnpu_id_pool - a pool of ids, which start at 0
 * @ida: ids in use; has a lock of its own
 * @count: size of the pool; constant
 * @used: number of ids in use
 * @charged: number of ids that are charged to clients, under the device's lock.
 *	An id may stay in use a little longer, if a task still waits for it.
 */
struct vnpu_id_pool {
	struct ida ida;
	u32 count;
	atomic_t used;
	u32 charged;
};

/**
 * struct vnpu_inject - the faults of a device
 * @lock: protects the fields below; innermost
 * @faults: list of the faults in the order in which they were set,
 *	vnpu_injection_entry.link
 * @count: number of faults in the list
 * @last: number of the fault that was set last
 */
struct vnpu_inject {
	spinlock_t lock;
	struct list_head faults;
	u32 count;
	u64 last;
};

/**
 * struct vnpu_ecc - memory errors of a device
 * @corrected: number of corrected errors
 * @uncorrected: number of uncorrected errors
 * @alarm: work that sets the device's health to alarm
 * @is_alarmed: true from an uncorrected error until the device is reset; under
 *	vnpu_engines.reset_lock
 */
struct vnpu_ecc {
	atomic64_t corrected;
	atomic64_t uncorrected;
	struct work_struct alarm;
	bool is_alarmed;
};

/**
 * struct vnpu_scrub - the background clearing of a device
 * @work: clears a piece; constant. The other members are under the device's
 *	lock.
 * @uses: number of allocations and frees so far
 * @seen: value of @uses at the last run of @work
 * @is_armed: true if @work is queued or running
 */
struct vnpu_scrub {
	struct kthread_delayed_work work;
	u64 uses;
	u64 seen;
	bool is_armed;
};

/**
 * struct vnpu_device - a device
 * @ref: held by the table of devices, and by all users of the device
 * @release: called with the last reference; constant
 * @free_work: work that frees the device, because the last reference may be
 *	released by an engine of the device itself; constant
 * @index: number of the device; no other device has it until this one is freed;
 *	constant
 * @serial: a number that identifies the device for as long as the module is
 *	loaded; not 0; constant
 * @gone: true once the device is removed: no new use may begin, and its memory
 *	is stale. Written under @lock, never cleared; read without a lock.
 * @health: VNPU_HEALTH_*; written under vnpu_engines.reset_lock
 * @uuid: the UUID of the device; constant
 * @soc: the chip that it emulates; constant
 * @arena: memory of the device; constant
 * @segs: physically contiguous segments of @arena; constant
 * @nr_segs: number of @segs; constant
 * @engines: the engines, which run the streams of the device; constant
 * @sys: the device in the kernel's device model, or NULL once the device is
 *	gone; protected by vnpu_engines.reset_lock
 * @debugfs: directory of the device in debugfs; constant
 * @id_pools: pools of the ids of streams, events and counters, by
 *	VNPU_ID_*
 * @inject: the faults to inject; has a lock of its own
 * @ecc: memory errors
 * @compact_lock: held by the thread that compacts. That thread waits for no
 *	page fault, because a page fault may wait for the end of a move. Taken
 *	with no other lock held, except for vnpu_slabs.grow_lock.
 * @oom_lock: held by the one thread that plans a compaction to explain a failed
 *	allocation, so that it delays no real compaction. Only taken by trylock.
 *	Outside of @lock.
 * @look_lock: held by the one thread that draws a map of the arena for netlink,
 *	or checks whether a request would fit. Any user may ask, so further
 *	threads wait here instead of contending for @lock. Taken with no other
 *	lock held, outside of @lock.
 * @lock: protects all fields below. A thread holds it for at most
 *	VNPU_PAGES_BATCH operations of the allocator, or for a short part of a
 *	walk over all objects (see vnpu_devmem_iter_next()), and for less if
 *	vnpu_device_needs_break(). It is not held while memory is copied, and
 *	while memory is cleared only for a short piece (see mem/scrub.c). Only
 *	the administrator's calls that set or remove a quota hold it for all
 *	clients of the device. A spinlock, because a preempted holder of a mutex
 *	would delay all waiters until its next time slice. With PREEMPT_RT, a
 *	waiter lends the holder its priority instead. Taken by threads only,
 *	never in interrupts, so softirqs stay enabled. Innermost.
 * @allocator: the allocator of @arena
 * @reserved: number of pages that are promised to allocations in progress,
 *	which take them in batches, see vnpu_pages_find()
 * @clear: clears free memory in the background
 * @class_pages: number of allocated 4 KiB pages, by page class
 * @requested: sum of the requested lengths of all memory objects, in bytes,
 *	before rounding
 * @cleared: bytes that were cleared since the device was added, in advance or
 *	at allocation
 * @moved: bytes that compaction has copied since the device was added
 * @nr_moves: number of moves by compaction
 * @nr_objects: number of memory objects
 * @nr_extents: number of extents of all memory objects
 * @nr_compactions: number of compactions that made a contiguous run
 * @nr_clients: number of clients that have memory objects
 * @mems: list of the memory objects, vnpu_devmem.dev_link, oldest first
 * @last_mem: vnpu_devmem.serial of the object that was added to @mems last
 * @accounts: list of the accounts of all clients, vnpu_account.dev_link
 * @users: tree of the memory usage by user, vnpu_user_account.node
 * @quotas: tree of the quotas, vnpu_quota.node
 */
struct vnpu_device {
	struct kref ref;
	void (*release)(struct kref *ref);
	struct work_struct free_work;
	unsigned int index;
	unsigned long serial;
	bool gone;
	u32 health;
	uuid_t uuid;
	const struct vnpu_soc *soc;
	struct vnpu_arena arena;
	struct vnpu_extent *segs;
	u32 nr_segs;
	struct vnpu_engines *engines;
	struct device *sys;
	struct dentry *debugfs;
	struct vnpu_id_pool id_pools[VNPU_ID_KINDS];
	struct vnpu_inject inject;
	struct vnpu_ecc ecc;
	struct mutex compact_lock;
	struct mutex oom_lock;
	struct mutex look_lock;

	spinlock_t lock;
	struct vnpu_allocator *allocator;
	u32 reserved;
	struct vnpu_scrub clear;
	u64 class_pages[VNPU_PAGE_CLASSES];
	u64 requested;
	u64 cleared;
	u64 moved;
	u64 nr_moves;
	u64 nr_objects;
	u32 nr_extents;
	u64 nr_compactions;
	u32 nr_clients;
	struct list_head mems;
	u64 last_mem;
	struct list_head accounts;
	struct rb_root users;
	struct rb_root quotas;
};

#define VNPU_PRODUCT_NAME	"vnpu"

/* By index; written by device/create.c. */
extern struct xarray vnpu_devices;

struct vnpu_device *vnpu_device_get(unsigned int index);
struct vnpu_device *vnpu_device_get_next(unsigned long *index);
void vnpu_devices_note_change(void);
unsigned int vnpu_devices_generation(void);
void vnpu_device_note_lost(const struct vnpu_device *dev);
u64 vnpu_device_read_lost_epoch(const struct vnpu_device *dev);
void vnpu_device_put(struct vnpu_device *dev);

/**
 * vnpu_device_needs_break() - check whether to release a device's lock early
 * @dev: the device, with its lock held
 *
 * Whether another thread wants the lock is known on kernels built with
 * CONFIG_PREEMPTION, except on PREEMPT_RT. On other kernels, waiters are let in
 * when a batch ends.
 *
 * Return: true if another thread wants the lock or the processor.
 */
static inline bool vnpu_device_needs_break(struct vnpu_device *dev)
{
	return need_resched() || spin_needbreak(&dev->lock);
}

/*
 * Check whether the device is removed, so that every new use of it must fail.
 */
static inline bool vnpu_device_is_gone(const struct vnpu_device *dev)
{
	return READ_ONCE(dev->gone);
}

void vnpu_device_bus_id(const struct vnpu_device *dev,
			char buf[VNPU_DEVICE_BUS_ID_LEN]);

#endif
