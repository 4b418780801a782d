/* SPDX-License-Identifier: GPL-2.0-only */
/* Engines: the threads of a device that run streams. */
#ifndef VNPU_ENGINE_H
#define VNPU_ENGINE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <linux/vnpu.h>

#include "base/device.h"
#include "core/fairq.h"

struct task_struct;
struct vnpu_device;
struct vnpu_engines;
struct vnpu_remote_ops;
struct vnpu_sched_client;
struct vnpu_sched_user;
struct vnpu_stream;

/*
 * The maximum number of streams without tasks that an engine polls at a time.
 */
#define VNPU_BUSY_POLL_MAX		8

/* The maximum number of engines of a class. */
#define VNPU_ENGINE_MAX		16

/**
 * struct vnpu_busy_poll - a stream that may get more tasks soon
 * @stream: the stream
 * @until: when to stop polling it, CLOCK_MONOTONIC in ns
 */
struct vnpu_busy_poll {
	struct vnpu_stream *stream;
	u64 until;
};

/**
 * struct vnpu_engine - an engine
 * @engines: all engines of the device; constant
 * @class: VNPU_ENGINE_COPY or _VECTOR; constant
 * @index: index among the engines of its class; constant
 * @thread: its thread; constant
 * @nr_busy_polled: number of streams that it polls. Only the engine accesses
 *	this, @busy_polled and @ended.
 * @busy_polled: these streams
 * @ended: when its last turn ended, if it has found another stream at each
 *	check since, else 0
 * @busy_reported: the highest value of @busy that was reported; for
 *	vnpu_engine_busy_ns()
 * @busy: how long it has run tasks and changed between streams, for
 *	vnpu_busy_at(). Only the engine writes this and the following, and any
 *	thread may read them.
 * @tasks: number of tasks that it has completed
 * @running: vnpu_engine_pack() of the stream that it runs, or 0
 * @asleep: it waits for a wake-up
 * @beat: when its turn has begun, CLOCK_MONOTONIC in ns, or 0 without a turn
 * @hung_beat: @beat of the last turn that was found to hang; for the watchdog
 */
struct vnpu_engine {
	struct vnpu_engines *engines;
	u32 class;
	u32 index;
	struct task_struct *thread;
	u32 nr_busy_polled;
	struct vnpu_busy_poll busy_polled[VNPU_BUSY_POLL_MAX];
	u64 ended;
	u64 busy_reported;
	u64 busy;
	u64 tasks;
	u64 running;
	bool asleep;
	u64 beat;
	u64 hung_beat;
};

/*
 * How long an engine has run tasks, in one word for readers: in ns, or with
 * this bit set, less the time at which its current turn has begun.
 */
#define VNPU_BUSY_IN_TURN	BIT_ULL(63)

static inline u64 vnpu_busy_begin(u64 busy, u64 now)
{
	return (busy - now) | VNPU_BUSY_IN_TURN;
}

static inline u64 vnpu_busy_at(u64 busy, u64 now)
{
	return busy & VNPU_BUSY_IN_TURN ? (busy + now) & ~VNPU_BUSY_IN_TURN :
					  busy;
}

/*
 * The client and number of the stream that an engine runs, in one word for
 * readers.
 */
#define VNPU_ENGINE_NUMBER_BITS	16

static_assert(!(VNPU_MAX_STREAMS >> VNPU_ENGINE_NUMBER_BITS));

static inline u64 vnpu_engine_pack(u64 client, u32 number)
{
	return client << VNPU_ENGINE_NUMBER_BITS | number;
}

/**
 * struct vnpu_engine_stats - the reported state of an engine
 * @busy_ns: how long it has run tasks
 * @tasks: number of tasks that it has completed
 * @client: id of the client that owns its stream; 0 if it runs none
 * @number: the number of that stream
 * @asleep: it waits for a wake-up, and does not poll for tasks
 */
struct vnpu_engine_stats {
	u64 busy_ns;
	u64 tasks;
	u64 client;
	u32 number;
	bool asleep;
};

/**
 * struct vnpu_class_stats - the reported state of the engines of a class
 * @count: number of engines
 * @busy_ns: the sum of their busy times
 */
struct vnpu_class_stats {
	u32 count;
	u64 busy_ns;
};

/**
 * struct vnpu_busy_clock - the time for which at least one launch was running
 * @busy: the time, for vnpu_busy_at(). Written under vnpu_engines.lock.
 * @reported: the highest value of @busy that was reported
 * @users: number of launches that run; under vnpu_engines.lock
 */
struct vnpu_busy_clock {
	u64 busy;
	u64 reported;
	u32 users;
};

/**
 * struct vnpu_cores - the cores of a device
 * @by_index: the cores by vnpu_core.index, for readers; has a lock of its own
 * @next_index: for xa_alloc_cyclic(); under the lock of @by_index
 * @list: list of the cores of all clients, vnpu_core.link. This and the
 *	following are protected by vnpu_engines.lock.
 * @count: number of cores; may be read without the lock
 * @clock: the time for which a core had a launch
 */
struct vnpu_cores {
	struct xarray by_index;
	u32 next_index;
	struct list_head list;
	u32 count;
	struct vnpu_busy_clock clock;
};

/**
 * struct vnpu_engines - the engines of a device
 * @dev: the device that contains these; constant
 * @start_lock: protects the creation of the engines
 * @started: true once they are created, see vnpu_engines_are_started()
 * @count: number of engines by class; constant once they are created
 * @engines: the engines by class; constant once they are created
 * @sleepers: wait queues of engines without work, by class
 * @detached: wait queue of threads that wait for a stream to become idle
 * @reset_lock: held during a reset; nests outside of all other locks
 * @resets: number of resets. This and @hangs are written under @reset_lock, and
 *	may be read without it.
 * @hangs: number of turns that were found to hang
 * @watchdog: looks for hangs while there are streams
 * @lock: protects the following, and the states of streams; also taken by
 *	timers. Only vnpu_foreign.lock nests inside it.
 * @streams: list of all streams of the device, vnpu_stream.dev_link
 * @cores: the cores of all clients on the device
 * @users: tree of the users with clients on the device, vnpu_sched_user.node
 * @ready: queues of the streams with tasks, by class
 */
struct vnpu_engines {
	struct vnpu_device *dev;
	struct mutex start_lock;
	bool started;
	u32 count[VNPU_ENGINE_CLASSES];
	struct vnpu_engine *engines[VNPU_ENGINE_CLASSES];
	wait_queue_head_t sleepers[VNPU_ENGINE_CLASSES];
	wait_queue_head_t detached;

	struct mutex reset_lock;
	u64 resets;
	u64 hangs;
	struct delayed_work watchdog;

	spinlock_t lock;
	struct list_head streams;
	struct vnpu_cores cores;
	struct rb_root users;
	struct vnpu_fairq ready[VNPU_ENGINE_CLASSES];
};

/* engine_start.c */
struct vnpu_engines *vnpu_engines_create(struct vnpu_device *dev);
void vnpu_engines_destroy(struct vnpu_engines *engines);
int vnpu_engines_start(struct vnpu_engines *engines);
const char *vnpu_engine_class_name(u32 class);

int vnpu_engine_main(void *data);
bool vnpu_engine_is_current(const struct vnpu_engines *engines, u32 class);
u64 vnpu_busy_read(const u64 *busy, u64 *reported);
u64 vnpu_engine_busy_ns(struct vnpu_engine *engine);
bool vnpu_engines_read(struct vnpu_engines *engines, u32 class, u32 index,
		       struct vnpu_engine_stats *f);
void vnpu_engines_read_class(struct vnpu_engines *engines, u32 class,
			     struct vnpu_class_stats *f);
void vnpu_engine_stop_busy_poll(struct vnpu_engine *engine);
void vnpu_engine_freeze(struct vnpu_engine *engine, struct vnpu_stream *stream);

/* watchdog.c: engines that hang */
void vnpu_watchdog_init(struct vnpu_engines *engines);
void vnpu_watchdog_start(struct vnpu_engines *engines);
void vnpu_watchdog_stop(struct vnpu_engines *engines);
u64 vnpu_watchdog_timeout_ms(void);

/* sched.c: owners of streams */
void vnpu_engines_init_stream(struct vnpu_stream *stream);
bool vnpu_engines_kick(struct vnpu_stream *stream);
void vnpu_engines_kick_all(struct vnpu_engines *engines);
void vnpu_engines_wake(struct vnpu_stream *stream);
void vnpu_engines_wake_locked(struct vnpu_stream *stream);
void vnpu_engines_call(struct vnpu_engines *engines, u32 class);
void vnpu_engines_call_another(struct vnpu_engines *engines, u32 class);

/* sched_control.c: stop, freeze and end streams */
void vnpu_engines_unstop_locked(struct vnpu_stream *stream);
void vnpu_engines_cancel(struct vnpu_stream *stream, u64 last);
void vnpu_engines_stop(struct vnpu_stream *stream, u64 seq);
void vnpu_engines_kill(struct vnpu_stream *stream);
void vnpu_engines_detach(struct vnpu_stream *stream);
void vnpu_engines_freeze(struct vnpu_stream *stream);
void vnpu_engines_thaw(struct vnpu_stream *stream);
void vnpu_engines_set_priority(struct vnpu_stream *stream, u32 priority);

/* sched_wait.c: streams that poll, and streams that wait for a value */
void vnpu_pace_init(struct vnpu_sched_user *user);
bool vnpu_engines_pace(struct vnpu_stream *stream);
void vnpu_engines_unpace_locked(struct vnpu_stream *stream);
void vnpu_engines_add_value_waiter(struct vnpu_stream *stream);
void vnpu_engines_remove_value_waiter(struct vnpu_stream *stream);
bool vnpu_engines_are_few_value_waiters(const struct vnpu_stream *writer);
u32 vnpu_engines_begin_value_waking(struct vnpu_stream *writer);
u32 vnpu_engines_wake_value_waiters(struct vnpu_stream *writer, u32 left,
				    u64 *cost);

/*
 * The engines can be read only when they are started; this does not change
 * later.
 */
static inline bool vnpu_engines_are_started(const struct vnpu_engines *engines)
{
	/*
	 * Order the load of started before the loads of the engines. Pairs with
	 * smp_store_release() in vnpu_engines_start().
	 */
	return smp_load_acquire(&engines->started);
}

/* sched_turn.c: for a thread to which an engine has handed a stream */
bool vnpu_engines_take_over_locked(struct vnpu_stream *stream,
				   const struct vnpu_remote_ops *ops);
void vnpu_engines_rest(struct vnpu_stream *stream);
void vnpu_engines_take_back(struct vnpu_stream *stream);

/* The same for an engine. */
struct vnpu_stream *vnpu_engines_next(struct vnpu_engine *engine);
bool vnpu_engines_has_ready(struct vnpu_engine *engine);
bool vnpu_engines_yield(struct vnpu_stream *stream, u32 class);
void vnpu_engines_block(struct vnpu_stream *stream);
void vnpu_engines_give(struct vnpu_stream *stream);
void vnpu_engines_busy_poll(struct vnpu_stream *stream);
void vnpu_engines_resume(struct vnpu_stream *stream);
void vnpu_engines_idle(struct vnpu_stream *stream);

#endif
