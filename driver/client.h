/* SPDX-License-Identifier: GPL-2.0-only */
/* A client: one open file of /dev/vnpu, and all that it has. */
#ifndef VNPU_CLIENT_H
#define VNPU_CLIENT_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <linux/vnpu.h>

#include "core/va.h"
#include "engine.h"
#include "foreign.h"
#include "task_fault.h"
#include "usage.h"

struct inode;
struct mem_cgroup;
struct vnpu_account;
struct vnpu_cgroups;
struct vnpu_device;
struct vnpu_exited;
struct vnpu_oom;
struct vnpu_owner;
struct vnpu_sched_client;
struct vnpu_slabs;
struct vnpu_uids;
struct vnpu_user;

/**
 * struct vnpu_client - an open file
 * @ref: held by the file, by a reader of the table of clients, and by memory
 *	that is charged to it. What the client has goes with the file; what
 *	describes it, and its accounts, with the last reference.
 * @id: never used again; constant
 * @pid: the process that opened it; constant
 * @uid: its user; constant
 * @uids: the users that it counts against; constant
 * @account: what it has of the host's memory, with a reference; constant
 * @user: the one of them that answers for it, by the reference of @account; constant
 * @cgroups: the cgroups it was in then; constant
 * @memcg: the memory cgroup it was opened in, with a reference, or NULL: charged
 *	for what others have to allocate for the client; constant
 * @comm: its name then; constant
 * @node_index: index of the device whose node was opened; 0 for that of all
 *	devices; constant
 * @node_serial: serial number of that device, 0 for the node of all; constant
 * @has_all: it has all devices. This and what follows is set once and never
 *	taken back, see attach.c; no lock protects it.
 * @attached: by index, the serial number of the device that it has been given,
 *	or 0
 * @owner: the address space it belongs to; constant
 * @owner_link: in vnpu_owner.clients, under the owner's lock
 * @inode: whose mapping all mappings of the file are in; constant
 * @lock: protects what follows. Faults and look-ups take it shared, changes
 *	exclusive. It nests inside mmap_lock, since faults take it there, so
 *	user memory must not be touched under it: that memory may be a mapping
 *	of this device.
 * @map_lock: what protects @map and the rights of bindings beside @lock: they are
 *	changed under both, and may be read under either. Who holds it does not
 *	allocate, and waits for nobody who does, so that an engine may come by
 *	it for work which a dma_fence stands for, see bounded.h.
 * @nr_asking: how many tasks have found @lock or @map_lock taken twice, one time
 *	after the other. Engines only try them: who changes the bindings has
 *	these tasks go first, see vnpu_bind_lock(). No lock protects this.
 * @engine_went: woken when there are none
 * @map: bindings by device address
 * @window_start: first device address
 * @window_end: end of the device addresses; the same where there is no window
 * @window_vmas: mappings that the window consists of
 * @table_lock: held by faults of the host that decide whether 2 MiB of the window
 *	become one entry of its page table or a table of small ones. Inside
 *	@lock; no lock of ours is inside.
 * @slab_windows: vnpu_slabs.window; nothing else is bound in them
 * @slabs_start: none of them is below; may be read without the lock
 * @slabs_last: nor above
 * @slabs: by device, each made once, emptied when the client ends, and there
 *	until the last reference goes. Written under the lock, see
 *	vnpu_slabs_of() for reading.
 * @objects: memory objects by id; has a lock of its own
 * @keys: the keys that it has created, see key.c
 * @nr_keys: how many
 * @keys_lock: protects @keys and @nr_keys; innermost
 * @export_lock: who takes tasks in holds it, see bounded.h
 * @contexts: contexts by id; has a lock of its own
 * @timelines: streams, timelines and counters by id; has a lock of its own
 * @last_timeline: the last of those ids that was given
 * @rings: streams by where they are mapped; without references, see
 *	vnpu_stream.offset; has a lock of its own
 * @events: numbers of events that it has taken; has a lock of its own
 * @nr_streams: how many streams it has
 * @weight: what it weighs among the clients of its user, see vnpu_sched_weight();
 *	constant
 * @sched: what it is to the engines of each device, made with its first stream
 *	there, and there until the last reference goes; see vnpu_sched_client_of()
 * @busy_ns: how long engines of each class have run its tasks
 * @usage: by device, made at the first use of each, never taken back
 * @devices: of which of them there is one; who looks at all looks here first
 * @exited: what will be remembered of it
 * @is_ending: what it held is noted in there; under the owner's lock, or
 *	after the client has left it
 * @faults: what its tasks have failed at; has a lock of its own
 * @foreign: for tasks that use memory of other drivers; has locks of its own
 * @oom_lock: protects @oom; innermost
 * @oom: the last request that the device had no memory for, or NULL
 */
struct vnpu_client {
	struct kref ref;
	unsigned long id;
	struct pid *pid;
	kuid_t uid;
	struct vnpu_uids *uids;
	struct vnpu_account *account;
	struct vnpu_user *user;
	struct vnpu_cgroups *cgroups;
	struct mem_cgroup *memcg;
	char comm[TASK_COMM_LEN];
	unsigned int node_index;
	unsigned long node_serial;
	bool has_all;
	unsigned long attached[VNPU_MAX_DEVICES];
	struct vnpu_owner *owner;
	struct list_head owner_link;
	struct inode *inode;

	struct rw_semaphore lock;
	struct rw_semaphore map_lock;
	atomic_t nr_asking;
	wait_queue_head_t engine_went;
	struct vnpu_va_map map;
	u64 window_start;
	u64 window_end;
	unsigned int window_vmas;
	struct mutex table_lock;
	struct vnpu_va_map slab_windows;
	u64 slabs_start;
	u64 slabs_last;
	struct vnpu_slabs *slabs[VNPU_MAX_DEVICES];

	struct xarray objects;
	struct list_head keys;
	unsigned int nr_keys;
	spinlock_t keys_lock;
	struct mutex export_lock;
	struct xarray contexts;
	struct xarray timelines;
	atomic64_t last_timeline;
	struct xarray rings;
	struct xarray events;
	atomic_t nr_streams;
	u32 weight;
	struct vnpu_sched_client *sched[VNPU_MAX_DEVICES];
	atomic64_t busy_ns[VNPU_ENGINE_CLASSES];
	struct vnpu_usage *usage[VNPU_MAX_DEVICES];
	DECLARE_BITMAP(devices, VNPU_MAX_DEVICES);
	struct vnpu_exited *exited;
	bool is_ending;
	struct vnpu_task_faults faults;
	struct vnpu_foreign foreign;

	struct mutex oom_lock;
	struct vnpu_oom *oom;
};

struct vnpu_client *vnpu_client_create(const struct vnpu_device *node);
void vnpu_client_destroy(struct vnpu_client *client);
void vnpu_client_end(struct vnpu_client *client);

struct vnpu_usage *vnpu_client_usage(struct vnpu_client *client,
				     unsigned int index);

struct vnpu_client *vnpu_client_get_by_id(u64 id);
struct vnpu_client *vnpu_client_get_next(unsigned long *id);
void vnpu_client_name(const struct vnpu_client *client,
		      char name[TASK_COMM_LEN]);
void vnpu_client_get(struct vnpu_client *client);
void vnpu_client_put(struct vnpu_client *client);
unsigned int vnpu_clients_generation(void);
unsigned int vnpu_clients_most_devices(void);

/* Is this a device address? The client's lock is held. */
static inline bool vnpu_client_window_contains(const struct vnpu_client *client,
					       u64 va)
{
	lockdep_assert_held(&client->lock);
	return va >= client->window_start && va < client->window_end;
}

static inline u64 vnpu_client_busy_ns(const struct vnpu_client *client)
{
	return atomic64_read(&client->busy_ns[VNPU_ENGINE_COPY]) +
	       atomic64_read(&client->busy_ns[VNPU_ENGINE_VECTOR]);
}

static inline struct vnpu_usage *
vnpu_client_peek_usage(const struct vnpu_client *client, unsigned int index)
{
	/* Pairs with vnpu_client_publish_usage(). */
	return smp_load_acquire(&client->usage[index]);
}

#endif
