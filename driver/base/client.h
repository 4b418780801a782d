/* SPDX-License-Identifier: GPL-2.0-only */
/* A client: one open file of /dev/vnpu, and all its resources. */
#ifndef VNPU_CLIENT_H
#define VNPU_CLIENT_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cred.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <linux/vnpu.h>

#include "core/va.h"
#include "device.h"
#include "mm_owner.h"

struct inode;
struct mem_cgroup;
struct vnpu_host_account;
struct vnpu_cgroups;
struct vnpu_device;
struct vnpu_history;
struct vnpu_oom;
struct vnpu_sched_client;
struct vnpu_slabs;
struct vnpu_uids;
struct vnpu_user;

/* The number of faults of a client that are reported in this many seconds. */
#define VNPU_TASK_FAULT_BURST	3
#define VNPU_TASK_FAULT_SECONDS	5

/* The number of OOM events of a client in this many seconds. */
#define VNPU_OOM_EVENT_BURST	3
#define VNPU_OOM_EVENT_SECONDS	5

/**
 * struct vnpu_task_fault - a task that has failed at a device address
 * @client: the client
 * @device: index of the device
 * @stream: id of the stream
 * @number: its number on the device
 * @seq: number of the task
 * @op: its operation
 * @error: the result, -errno
 * @va: the address
 * @offset: offset of the address in the client's window
 * @is_inside: true if it is inside the window
 * @unreported: number of the client's faults since the last report that were
 *	not reported
 */
struct vnpu_task_fault {
	u64 client;
	u32 device;
	u64 stream;
	u32 number;
	u64 seq;
	u32 op;
	int error;
	u64 va;
	u64 offset;
	bool is_inside;
	u64 unreported;
};

/**
 * struct vnpu_task_faults - the faults of a client
 * @work: reports @faults
 * @lock: protects the following; innermost
 * @limit: limits the number of reports
 * @unreported: number of faults since the last recorded one that are not
 *	reported
 * @nr: number of recorded faults
 * @faults: the recorded faults, the oldest first
 */
struct vnpu_task_faults {
	struct work_struct work;
	spinlock_t lock;
	struct ratelimit_state limit;
	u64 unreported;
	u32 nr;
	struct vnpu_task_fault faults[VNPU_TASK_FAULT_BURST];
};

/**
 * struct vnpu_foreign - the thread of a client that accesses dma-bufs
 * @start_lock: protects the creation of @thread
 * @thread: the thread, from the client's first import to its end; else NULL
 * @wait: the wait queue on which the thread waits for streams
 * @lock: protects the fields below, and of struct vnpu_foreign_task @link and
 *	the two flags after it. Callbacks of fences take it with interrupts
 *	disabled. Inside vnpu_engines.lock and the locks of fences; innermost
 *	except for the sending of signals.
 * @queue: list of the streams for the thread to handle, vnpu_foreign_task.link
 * @parked: list of the streams that wait for a fence, vnpu_foreign_task.link
 * @is_interruptible: true while the thread begins an access, and a signal may
 *	interrupt its wait
 */
struct vnpu_foreign {
	struct mutex start_lock;
	struct task_struct *thread;
	wait_queue_head_t wait;

	spinlock_t lock;
	struct list_head queue;
	struct list_head parked;
	bool is_interruptible;
};

/**
 * struct vnpu_client - an open file
 * @ref: number of references: those of the file, of readers of the table of
 *	clients, and of memory that is charged to the client. The end of the
 *	file frees the client's resources; the last reference frees its accounts
 *	and its description.
 * @release: called when the last reference is dropped; constant
 * @id: number of the client, which is never reused; constant
 * @pid: the process that opened the file; constant
 * @uid: the user of that process; constant
 * @uids: the users to which the client's resources are charged; constant
 * @host_account: account of the client's host resources, with a reference;
 *	constant
 * @user: the user of @uids that has the client's share of engines and ids;
 *	valid through the reference to @host_account; constant
 * @cgroups: the cgroups of the process when it opened the file; constant
 * @memcg: the memory cgroup of that process, with a reference, or NULL. It is
 *	charged for memory that other processes allocate for the client;
 *	constant
 * @comm: the name of that process at the time; constant
 * @node_index: index of the device of the opened node; 0 for the node of all
 *	devices; constant
 * @node_serial: serial number of that device; 0 for the node of all devices;
 *	constant
 * @has_all: true if the client may use all devices. This and @attached are set
 *	once and never cleared, see attach.c; no lock protects them.
 * @attached: for each index, the serial number of the device that the client
 *	may use, or 0
 * @mm_owner: the address space that owns the client; constant
 * @mm_owned: ends the client with @mm_owner
 * @inode: inode; its address space has all mappings of the file; constant
 * @lock: protects the members below up to @slabs. Faults and look-ups take it
 *	shared, changes take it exclusively. It nests inside mmap_lock, because
 *	faults take it there. So user memory must not be accessed under it: that
 *	memory may be a mapping of this device.
 * @map_lock: protects @map and the access rights of bindings together with
 *	@lock. They are changed under both locks, and may be read under either.
 *	Its holder does not allocate memory, nor wait for a task that does. So
 *	an engine can use it for work that a dma_fence depends on, see
 *	exec/latch.h.
 * @nr_lock_requests: number of tasks that have failed twice in a row to get
 *	@lock or @map_lock. Engines only try these locks, so changes of the
 *	bindings let such tasks go first, see vnpu_bind_lock(). No lock
 *	protects this.
 * @lock_requests_done: woken when @nr_lock_requests drops to 0
 * @map: bindings by device address
 * @window_start: first device address
 * @window_end: end of the device addresses; equal to @window_start if there is
 *	no window
 * @window_vmas: number of mappings that make up the window
 * @table_lock: held by faults of the host that decide if 2 MiB of the window
 *	become one entry of the host's page table, or a table of small entries.
 *	Inside @lock; no other lock of the driver is inside.
 * @slab_windows: vnpu_slabs.window; nothing but slabs is bound in them
 * @slabs_start: lowest address of all slab windows; may be read without the
 *	lock
 * @slabs_last: highest address of all slab windows; may be read without the
 *	lock
 * @slabs: slabs by device. Each is created once, emptied when the client ends,
 *	and freed with the last reference. Written under the lock; see
 *	vnpu_slabs_of() for reading.
 * @objects: memory objects by id; has a lock of its own
 * @keys: list of the keys that the client has created, see mem/key.c
 * @nr_keys: number of @keys
 * @keys_lock: protects @keys and @nr_keys; innermost
 * @export_lock: serialises the latching of tasks, see exec/latch.h
 * @contexts: contexts by id; has a lock of its own
 * @graphs: graphs by id; has a lock of its own
 * @timelines: streams, timelines and counters by id; has a lock of its own
 * @last_timeline: the id that was allocated last in @timelines
 * @rings: streams by the offset at which they are mapped, without references;
 *	see vnpu_stream.offset; has a lock of its own
 * @events: event ids that the client has allocated; has a lock of its own
 * @nr_streams: number of streams
 * @weight: weight among the clients of its user, see vnpu_sched_weight();
 *	constant
 * @sched: scheduling state for each device, created with the client's first
 *	stream there, and freed with the last reference; see
 *	vnpu_sched_client_of()
 * @busy_ns: time for which engines of each class have run the client's tasks
 * @account: accounts by device, created at the first use of a device, freed
 *	with the last reference
 * @devices: the devices for which there is an account, so that walks over all
 *	of them can be short
 * @history: record of the client for the time after its exit
 * @is_ending: true if the memory that the client held is recorded in @history;
 *	under the owner's lock, or after the client has left its owner
 * @faults: faults of the client's tasks; has a lock of its own
 * @foreign: state for tasks that use memory of other drivers; has locks of its
 *	own
 * @oom_lock: protects @oom and @oom_limit; innermost
 * @oom: report of the last request for device memory that failed, or NULL
 * @oom_limit: limits the number of OOM events
 */
struct vnpu_client {
	struct kref ref;
	void (*release)(struct kref *ref);
	unsigned long id;
	struct pid *pid;
	kuid_t uid;
	struct vnpu_uids *uids;
	struct vnpu_host_account *host_account;
	struct vnpu_user *user;
	struct vnpu_cgroups *cgroups;
	struct mem_cgroup *memcg;
	char comm[TASK_COMM_LEN];
	unsigned int node_index;
	unsigned long node_serial;
	bool has_all;
	unsigned long attached[VNPU_MAX_DEVICES];
	struct vnpu_mm_owner *mm_owner;
	struct vnpu_mm_owned mm_owned;
	struct inode *inode;

	struct rw_semaphore lock;
	struct rw_semaphore map_lock;
	atomic_t nr_lock_requests;
	wait_queue_head_t lock_requests_done;
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
	struct xarray graphs;
	struct xarray timelines;
	atomic64_t last_timeline;
	struct xarray rings;
	struct xarray events;
	atomic_t nr_streams;
	u32 weight;
	struct vnpu_sched_client *sched[VNPU_MAX_DEVICES];
	atomic64_t busy_ns[VNPU_ENGINE_CLASSES];
	struct vnpu_account *account[VNPU_MAX_DEVICES];
	DECLARE_BITMAP(devices, VNPU_MAX_DEVICES);
	struct vnpu_history *history;
	bool is_ending;
	struct vnpu_task_faults faults;
	struct vnpu_foreign foreign;

	struct mutex oom_lock;
	struct vnpu_oom *oom;
	struct ratelimit_state oom_limit;
};

int vnpu_clients_insert(struct vnpu_client *client);
void vnpu_clients_erase(struct vnpu_client *client);
void vnpu_clients_note_devices(const struct vnpu_client *client);
struct vnpu_client *vnpu_client_get_by_id(u64 id);
struct vnpu_client *vnpu_client_get_next(unsigned long *id);
void vnpu_client_name(const struct vnpu_client *client,
		      char name[TASK_COMM_LEN]);
void vnpu_client_get(struct vnpu_client *client);
void vnpu_client_put(struct vnpu_client *client);
unsigned int vnpu_clients_generation(void);
unsigned int vnpu_clients_most_devices(void);

/* Check if @va is a device address. The client's lock must be held. */
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

#endif
