/* SPDX-License-Identifier: GPL-2.0-only */
/* Cores: processes that run the launches of a client, see core.c. */
#ifndef VNPU_EXEC_CORE_H
#define VNPU_EXEC_CORE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <linux/vnpu_engine.h>

#include "base/mm_owner.h"
#include "sync/pollers.h"
#include "va/core_window.h"
#include "engine.h"

struct inode;
struct page;
struct pid;
struct vm_area_struct;
struct vnpu_client;
struct vnpu_core;
struct vnpu_device;
struct vnpu_engines;
struct vnpu_sched_client;
struct vnpu_stream;

/* Lists of events: requests to stop, then launches by priority. */
#define VNPU_CORE_STOPS		0
#define VNPU_CORE_EVENT_LISTS	(1 + VNPU_STREAM_PRIORITIES)

/* The lower bits of a launch's number are the index of its slot. */
#define VNPU_CORE_SLOT_BITS	6
static_assert(VNPU_ENGINE_SLOTS_MAX <= 1 << VNPU_CORE_SLOT_BITS);
static_assert(VNPU_ENGINE_SLOTS_MAX <= BITS_PER_LONG_LONG);

/* Time for which a core may continue a launch that has to stop. */
#define VNPU_CORE_STOP_NS	(VNPU_ENGINE_STOP_MS * NSEC_PER_MSEC)

/* This many deaths within VNPU_CORE_DEATHS_NS make launches fail. */
#define VNPU_CORE_DEATHS	3
#define VNPU_CORE_DEATHS_NS	NSEC_PER_SEC

/**
 * enum vnpu_core_cause - why a core ends
 * @VNPU_CORE_DIED: its process or its file has ended
 * @VNPU_CORE_STUCK: it has not stopped a launch in time
 * @VNPU_CORE_RESET: the device was reset
 * @VNPU_CORE_GONE: the device was removed
 * @VNPU_CORE_CLIENT: the client has ended
 */
enum vnpu_core_cause {
	VNPU_CORE_DIED,
	VNPU_CORE_STUCK,
	VNPU_CORE_RESET,
	VNPU_CORE_GONE,
	VNPU_CORE_CLIENT,
};

/* Values of the field what of the tracepoint vnpu_launch. */
#define VNPU_TRACE_GIVE		0
#define VNPU_TRACE_STOP		1
#define VNPU_TRACE_END		2

/**
 * enum vnpu_launch_state - the state of a stream's launch
 * @VNPU_LAUNCH_NONE: there is none
 * @VNPU_LAUNCH_WAITING: it waits for a core, or for a slot
 * @VNPU_LAUNCH_RESERVED: a slot is reserved for it
 * @VNPU_LAUNCH_OUT: it is in a slot, and belongs to the core
 * @VNPU_LAUNCH_DONE: the core has ended it
 */
enum vnpu_launch_state {
	VNPU_LAUNCH_NONE,
	VNPU_LAUNCH_WAITING,
	VNPU_LAUNCH_RESERVED,
	VNPU_LAUNCH_OUT,
	VNPU_LAUNCH_DONE,
};

/**
 * struct vnpu_launch - the current task of a stream, if it is a launch
 * @state: its state. All members are protected by vnpu_engines.lock, except
 *	that @state may be read without it, and @limit_ns and @was_late belong to
 *	the owner of the stream.
 * @link: entry in vnpu_core_port.waiting, while WAITING
 * @slot: its slot, while RESERVED or OUT
 * @result: 0 or -errno, when DONE
 * @fault: device address at which it failed, or 0, when DONE
 * @limit_ns: its time limit, or 0 for none
 * @since: when it began to wait
 * @was_late: true if it was given more time, because no engine looked at the end
 *	of its time
 */
struct vnpu_launch {
	enum vnpu_launch_state state;
	struct list_head link;
	struct vnpu_core_slot *slot;
	int result;
	u64 fault;
	u64 limit_ns;
	u64 since;
	bool was_late;
};

/**
 * struct vnpu_core_slot - a launch that a core has, or a free slot
 * @id: number of the launch; 0 for none
 * @link: entry in vnpu_core.events, or empty
 * @stream: the stream of the launch; NULL if the stream has ended meanwhile, or
 *	if there is no launch
 * @is_fetched: true once the core has got the launch
 * @is_stopping: true once the driver has asked the core to stop it
 * @is_timeout: true if the reason was a time limit
 * @was_late: true if the core was given more time, because the driver was late
 * @restarts_limit: true if the time limit of the launch begins anew, as no limit
 *	applied until lately
 * @fetched_at: when the core got the launch
 * @kill_at: when the core ends if it has not stopped the launch
 * @faults: bit N is set if the fault of kind N is injected into the launch
 * @delay_ns: time by which an injected fault delays the completion
 * @late_until: when the delayed completion takes effect; 0 if there is none
 * @late: the delayed completion
 * @event: the event that begins the launch
 *
 * All members are protected by vnpu_engines.lock.
 */
struct vnpu_core_slot {
	u64 id;
	struct list_head link;
	struct vnpu_stream *stream;
	bool is_fetched;
	bool is_stopping;
	bool is_timeout;
	bool was_late;
	bool restarts_limit;
	u64 fetched_at;
	u64 kill_at;
	u64 faults;
	u64 delay_ns;
	u64 late_until;
	struct vnpu_engine_completion late;
	struct vnpu_engine_event event;
};

/**
 * struct vnpu_core_kernel - a kernel, for monitors
 * @name: its name; NULL until the core gives one, then constant
 * @launches: number of its launches that have ended. This and @busy_ns are
 *	written under vnpu_engines.lock, and read without it.
 * @busy_ns: time for which the core had these launches
 */
struct vnpu_core_kernel {
	const char *name;
	u64 launches;
	u64 busy_ns;
};

/**
 * struct vnpu_core_port - where the launches of a client on a device meet a core
 * @core: the core, or NULL; without a reference. All members are protected by
 *	vnpu_engines.lock.
 * @waiting: list of the waiting launches by priority, vnpu_launch.link
 * @nr_waiting: number of launches in @waiting
 * @lost_at: when the last core ended
 * @deaths: when the last cores died, the latest first
 * @has_failed: true if launches fail until there is a new core
 * @clock: the time for which a core had a launch of the client
 */
struct vnpu_core_port {
	struct vnpu_core *core;
	struct list_head waiting[VNPU_STREAM_PRIORITIES];
	u32 nr_waiting;
	u64 lost_at;
	u64 deaths[VNPU_CORE_DEATHS];
	bool has_failed;
	struct vnpu_busy_clock clock;
};

/**
 * struct vnpu_core - a core: an engine file, and the process that attached to it
 * @ref: held by the file, and by threads that end the core
 * @client: the client, with a reference; constant
 * @sched: the client's share of the device, which has the port; constant
 * @dev: the device, with a reference; constant
 * @client_owner: the address space of the client, with a reference; constant
 * @index: number among the cores of the device, from 1 on; constant
 * @inode: inode of the client, with a reference; constant
 * @page: page of @state; constant
 * @state: state that the core and the client map read-only; written under
 *	vnpu_engines.lock, and never read
 * @wait: wait queue of the core's threads, of which each event wakes one
 * @stopped: wait queue of threads that end streams with launches
 * @pollers: the pollers of the file
 * @stop_work: ends the core if it does not stop a launch in time
 * @late_timer: lets delayed completions take effect
 * @lock: serialises the attachment and the end. Inside vnpu_mm_owner.lock.
 * @window: the client's window, for the core; see vnpu_core_window_set()
 * @owner: the address space that has attached, or NULL; set once, under @lock
 * @owned: ends the core with @owner
 * @pid: the process that has attached; set before @owner
 * @link: entry in vnpu_engines.cores, until the core has ended. This and the
 *	following are protected by vnpu_engines.lock, but @nr_events and
 *	@has_ended may be read without it.
 * @is_attached: true once a process has attached
 * @has_ended: true once the core has ended
 * @is_debugged: true while no time limits apply
 * @is_leaving: true once it is about to end: it gets no more launches
 * @resets: vnpu_engines.resets when it was created
 * @launches: number of launches that it was given so far
 * @completed: number of launches that it has ended
 * @failures: number of those that have failed
 * @nr_fetched: number of launches that the core has got, and not completed
 * @nr_slots: number of slots; constant
 * @free: bit N is set while slot N is free
 * @events: events that the core has to get, vnpu_core_slot.link
 * @nr_events: number of slots in @events
 * @kernels: the kernels by their numbers; 0 is for all without a name
 * @slots: the slots
 */
struct vnpu_core {
	struct kref ref;
	struct vnpu_client *client;
	struct vnpu_sched_client *sched;
	struct vnpu_device *dev;
	struct vnpu_mm_owner *client_owner;
	u32 index;
	struct inode *inode;
	struct page *page;
	struct vnpu_engine_state *state;
	wait_queue_head_t wait;
	wait_queue_head_t stopped;
	struct vnpu_pollers pollers;
	struct delayed_work stop_work;
	struct hrtimer late_timer;

	struct mutex lock;
	struct vnpu_core_window window;
	struct vnpu_mm_owner *owner;
	struct vnpu_mm_owned owned;
	struct pid *pid;

	struct list_head link;
	bool is_attached;
	bool has_ended;
	bool is_debugged;
	bool is_leaving;
	u64 resets;
	u64 launches;
	u64 completed;
	u64 failures;
	u32 nr_fetched;
	u32 nr_slots;
	u64 free;
	struct list_head events[VNPU_CORE_EVENT_LISTS];
	u32 nr_events;
	struct vnpu_core_kernel kernels[VNPU_ENGINE_KERNELS_MAX];
	struct vnpu_core_slot slots[];
};

/**
 * struct vnpu_core_stats - the reported state of a core
 * @client: id of its client
 * @busy_ns: time for which cores of the client had launches on the device
 * @launches: number of launches that it has ended
 * @failures: number of those that have failed
 * @running: number of launches that it has
 * @waiting: number of launches that wait for a slot
 * @is_attached: true if a process has attached
 */
struct vnpu_core_stats {
	u64 client;
	u64 busy_ns;
	u64 launches;
	u64 failures;
	u32 running;
	u32 waiting;
	bool is_attached;
};

/* Take a reference to a core that a reference or the lock of a list keeps. */
static inline void vnpu_core_get(struct vnpu_core *core)
{
	kref_get(&core->ref);
}

/* core.c: the life of a core */
struct vnpu_core *vnpu_core_create(struct vnpu_client *client, u32 device,
				   u32 slots);
void vnpu_core_destroy(struct vnpu_core *core);
void vnpu_core_put(struct vnpu_core *core);
int vnpu_core_attach(struct vnpu_core *core);
bool vnpu_core_is_current(struct vnpu_core *core);
bool vnpu_core_is_client(const struct vnpu_core *core);
void vnpu_core_end(struct vnpu_core *core, enum vnpu_core_cause cause);
void vnpu_core_die(struct vnpu_core *core);
void vnpu_cores_end_client(struct vnpu_client *client);
void vnpu_cores_end_device(struct vnpu_engines *engines);
void vnpu_cores_reset(struct vnpu_engines *engines);
int vnpu_core_mmap_state(struct vnpu_core *core, struct vm_area_struct *vma);

/* core_close.c: the ends of cores, of their time to stop, and of streams */
void vnpu_core_close_slots(struct vnpu_core *core, enum vnpu_core_cause cause);
void vnpu_core_stop_late(struct work_struct *work);
void vnpu_core_take_back_locked(struct vnpu_core *core,
				struct vnpu_core_slot *slot, u64 now,
				u32 *classes);
u32 vnpu_core_set_mode(struct vnpu_core *core, u32 flags);
void vnpu_launch_abandon(struct vnpu_stream *stream, bool wait);

/* core_end.c: the ends of launches */
void vnpu_launch_fail_locked(struct vnpu_stream *stream, int error,
			     u32 *classes);
void vnpu_launch_stop(struct vnpu_stream *stream, bool is_timeout);
struct vnpu_stream *
vnpu_core_end_launch_locked(struct vnpu_core *core, struct vnpu_core_slot *slot,
			    const struct vnpu_engine_completion *completion,
			    u64 now, u32 *classes);
int vnpu_core_complete(struct vnpu_core *core,
		       struct vnpu_engine_completion *completion);

/* core_event.c: events */
void vnpu_core_count_events_locked(struct vnpu_core *core, int change);
void vnpu_core_queue_event_locked(struct vnpu_core *core,
				  struct vnpu_core_slot *slot, u32 list);
struct vnpu_core_slot *vnpu_core_find_slot_locked(struct vnpu_core *core,
						  u64 id);
int vnpu_core_wait(struct vnpu_core *core, u64 timeout_ns);
int vnpu_core_take_event(struct vnpu_core *core,
			 struct vnpu_engine_event *event);
void vnpu_core_return_event(struct vnpu_core *core,
			    const struct vnpu_engine_event *event);

/* core_kernel.c: statistics of kernels for monitors */
int vnpu_core_name_kernel(struct vnpu_core *core, u32 number, const char *name);
void vnpu_core_count_kernel_locked(struct vnpu_core *core,
				   const struct vnpu_core_slot *slot,
				   u32 number, u64 now);
bool vnpu_core_read_kernel(const struct vnpu_core *core, u32 number,
			   struct vnpu_core_kernel *f);
void vnpu_core_free_names(struct vnpu_core *core);

/* core_slot.c: launches */
void vnpu_core_port_init(struct vnpu_core_port *port);
void vnpu_core_open_slots(struct vnpu_core *core);
void vnpu_core_call_engines(struct vnpu_engines *engines, u32 classes);
void vnpu_launch_wake_locked(struct vnpu_stream *stream, u32 *classes);
void vnpu_launch_add_waiting_locked(struct vnpu_stream *stream, bool is_first);
void vnpu_launch_remove_waiting_locked(struct vnpu_stream *stream);
struct vnpu_stream *
vnpu_port_first_waiting_locked(const struct vnpu_core_port *port);
void vnpu_core_free_slot_locked(struct vnpu_core *core,
				struct vnpu_core_slot *slot, u64 now,
				u32 *classes);
void vnpu_launch_set_state(struct vnpu_stream *stream,
			   enum vnpu_launch_state state);
int vnpu_launch_look(struct vnpu_stream *stream);

/* core_stats.c: statistics for monitors */
void vnpu_core_count_fetched_locked(struct vnpu_core *core, int change,
				    u64 now);
u64 vnpu_client_core_busy_ns(const struct vnpu_client *client);
void vnpu_cores_read(struct vnpu_engines *engines, struct vnpu_class_stats *f);
struct vnpu_core *vnpu_core_get_next(struct vnpu_engines *engines, u32 *index);
bool vnpu_core_read_next(struct vnpu_engines *engines, u32 *index,
			 struct vnpu_core_stats *f);

/* inject_core.c: injected faults */
void vnpu_core_inject_init(struct vnpu_core *core);
int vnpu_core_inject_launch(struct vnpu_core *core, u64 id);
bool vnpu_core_inject_end_locked(struct vnpu_core *core,
				 struct vnpu_core_slot *slot,
				 struct vnpu_engine_completion *completion,
				 u64 now);
void vnpu_core_end_late_locked(struct vnpu_core *core, u64 now, u64 until,
			       u32 *classes);
bool vnpu_core_inject_twice_locked(const struct vnpu_core_slot *slot);

/* core_turn.c: from one launch to the next */
bool vnpu_core_turn_begin_locked(struct vnpu_stream *stream);
void vnpu_core_turn(struct vnpu_stream *stream, u64 now);

#endif
