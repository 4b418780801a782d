/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams: queues of tasks that engines run in order. */
#ifndef VNPU_STREAM_H
#define VNPU_STREAM_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include <linux/vnpu.h>
#include <linux/vnpu_task.h>

#include "core/fairq.h"
#include "sync/counter.h"
#include "sync/timeline.h"
#include "context.h"
#include "engine.h"
#include "foreign.h"
#include "tlb.h"

struct vnpu_client;
struct vnpu_device;
struct vnpu_engine;
struct vnpu_ring_mem;
struct vnpu_sched_client;
struct vnpu_sched_context;
struct vnpu_stream;
struct vnpu_task_op;

/**
 * enum vnpu_stream_state - who has a stream
 * @VNPU_STREAM_IDLE: nobody: it takes a doorbell
 * @VNPU_STREAM_READY: the ready queue of its class
 * @VNPU_STREAM_RUNNING: the engine that runs its tasks
 * @VNPU_STREAM_POLLED: the engine that looks for more tasks
 * @VNPU_STREAM_BLOCKED: what it waits for
 * @VNPU_STREAM_REMOTE: a thread that is no engine, see struct vnpu_remote_ops
 */
enum vnpu_stream_state {
	VNPU_STREAM_IDLE,
	VNPU_STREAM_READY,
	VNPU_STREAM_RUNNING,
	VNPU_STREAM_POLLED,
	VNPU_STREAM_BLOCKED,
	VNPU_STREAM_REMOTE,
};

/**
 * struct vnpu_remote_ops - how engines deal with a thread that is none
 * @take: a stream is the thread's from now on. The thread gives it back by
 *	vnpu_engines_take_back().
 * @recall: the thread is to give the stream back soon, whatever it waits for. May
 *	be called more than once, and after the thread has begun to give it back.
 *
 * Both are called with vnpu_engines.lock held, also by a timer.
 */
struct vnpu_remote_ops {
	void (*take)(struct vnpu_stream *stream);
	void (*recall)(struct vnpu_stream *stream);
};

/**
 * struct vnpu_run - a task that is being run
 * @task: the kernel's copy, checked
 * @op: what to do, or NULL if there is no task
 * @seq: its number
 * @started: an engine has begun to work on it
 * @committed: it has changed what it was to change, and wakes the waiters, which may
 *	take more turns. It is not cancelled any more, and does not fail.
 * @resets: how often the engines had been reset by then
 * @done: how far it has come, in what its operation counts
 * @saved: what its operation keeps from one part to the next
 * @fault: the device address that it failed at, or 0
 * @since: when it began, or the turn of an engine in which it did; 0 if that
 *	turn is not over, or there is no task. May be read by anyone.
 * @deadline: when it fails, CLOCK_MONOTONIC in ns; 0 for never
 * @pause: of one that looks again and again: the last pause between, in ns
 * @timeline: what it waits for, with a reference; NULL if it does not
 * @waiter: at a timeline
 * @counter_waiter: at a counter
 * @value_link: in vnpu_sched_client.value_waiters or .value_waking, under
 *	vnpu_engines.lock
 */
struct vnpu_run {
	struct vnpu_task task;
	const struct vnpu_task_op *op;
	u64 seq;
	bool started;
	bool committed;
	u64 resets;
	u64 done;
	u64 saved[2];
	u64 fault;
	u64 since;
	u64 deadline;
	u64 pause;
	struct vnpu_timeline *timeline;
	struct vnpu_waiter waiter;
	struct vnpu_counter_waiter counter_waiter;
	struct list_head value_link;
};

/**
 * struct vnpu_walk - where a look at what may wait has come to, see exec/latch.c
 * @owner: whose looks alone come here; to be compared only, as the client may be
 *	gone; constant
 * @link: among those that were looked at; empty if it was not
 * @parent: who waits for this one, on the way that the look has taken
 * @on_path: it is on that way
 * @pos: tasks up to this number are bounded
 * @goal: up to which they have to be
 */
struct vnpu_walk {
	const struct vnpu_client *owner;
	struct list_head link;
	struct vnpu_stream *parent;
	bool on_path;
	u64 pos;
	u64 goal;
};

/**
 * struct vnpu_stream - a stream
 * @timeline: its value is the number of the last task that is complete
 * @client: whose; NULL when it has ended
 * @id: of the timeline in the client; constant
 * @dev: whose engines run it, with a reference; constant
 * @sched: what the client is to those engines, as long as @client is set; constant
 * @share: its turns are charged to this: vnpu_context.sched of @context, or
 *	vnpu_sched_client.alone of @sched; constant
 * @number: among the device's streams; constant
 * @context: what it stops with, with a reference, or NULL; constant
 * @fence_context: of the fences that stand for its tasks; constant
 * @fences: those that are not signalled, vnpu_fence.link; under the timeline's lock
 * @bad_seq: the number of the last task that failed or was cancelled
 * @bad_first: so did all from this one up to it; may be of the next such already
 * @bad_error: why the last did, -errno; both written before @bad_seq
 * @walk: under vnpu_client.export_lock of its owner
 * @dying: it is being ended
 * @frozen: no engine is to run it for now; both under vnpu_engines.lock, and may
 *	be read by anyone
 * @stopped: its tasks are cancelled, until they are aborted
 * @stops: vnpu_context.stops when it was made or last aborted; under
 *	vnpu_engines.lock, and may be read by anyone
 * @stop_on_error: a task that fails stops it
 * @timeout_ms: how long a task that works may take, or 0
 * @cancel_upto: tasks up to this number are cancelled
 * @ring_lock: protects the making of @ring
 * @ring: what it shares with its user, or NULL; constant once it is there
 * @offset: where it is mapped: the index in vnpu_client.rings, where it is from
 *	its creation to its end; constant
 * @ready: its place among the client's streams that wait for an engine, by class.
 *	This and what follows is under vnpu_engines.lock.
 * @dev_link: in vnpu_engines.streams
 * @state: who has it
 * @engine: while it is RUNNING: which engine
 * @uncharged: likewise: ns of its turn that its client was not charged for yet; the
 *	engine's
 * @class: VNPU_ENGINE_*, which engines are to run the next task
 * @priority: 0 is served first
 * @woken: while it runs: what it is about to wait for has happened
 * @pace_link: in vnpu_sched_user.paced while it pauses there
 * @pauses_free: it pauses on its own timer
 * @timer: wakes it when a time limit or pause is over
 * @taken: the number of the last task that was copied from the ring; may be
 *	read by anyone. This and what follows belongs to the engine that has it.
 * @ring_tasks: how many the ring holds, a power of two; constant
 * @failures: how many records of failures were written there
 * @latched: the tasks that were taken in, in the slots that they have in the ring;
 *	NULL if none ever was. Changed by who has the stream frozen, and holds
 *	vnpu_client.export_lock.
 * @latched_last: the number of the last of them; likewise
 * @latched_base: @base after that one; likewise
 * @base: what values are relative to, after all tasks that were taken
 * @waking: waiters for tasks that are complete are left to be woken: these come
 *	before the next task
 * @slots: where the next tasks are, in the ring or in @latched
 * @seen: the number of the last of those that were seen there
 * @run: the task
 * @tlb: what it uses, and the next one may
 * @remote: which thread it was given to, or is to be; good while that is so
 * @foreign: what the task has of other drivers' memory
 * @ring_state: VNPU_RING_*
 * @errors: how many tasks have failed. This and what follows may be read by
 *	anyone.
 * @cancelled: how many were cancelled
 * @error: why the last that failed has, as -errno
 * @error_op: its operation
 * @error_seq: its number
 * @error_addr: the device address that it failed at, or 0
 * @busy_ns: how long it has run
 */
struct vnpu_stream {
	struct vnpu_timeline timeline;
	struct vnpu_client *client;
	u64 id;
	struct vnpu_device *dev;
	struct vnpu_sched_client *sched;
	struct vnpu_sched_context *share;
	u32 number;
	struct vnpu_context *context;
	u64 fence_context;
	struct list_head fences;
	u64 bad_seq;
	u64 bad_first;
	int bad_error;
	struct vnpu_walk walk;
	bool dying;
	bool frozen;
	bool stopped;
	u32 stops;
	bool stop_on_error;
	u32 timeout_ms;
	u64 cancel_upto;
	struct mutex ring_lock;
	struct vnpu_ring_mem *ring;
	u32 offset;

	struct vnpu_ready_node ready[VNPU_ENGINE_CLASSES];
	struct list_head dev_link;
	enum vnpu_stream_state state;
	struct vnpu_engine *engine;
	u64 uncharged;
	u32 class;
	u32 priority;
	bool woken;
	struct list_head pace_link;
	bool pauses_free;
	struct hrtimer timer;

	u64 taken;
	u32 ring_tasks;
	u64 failures;
	struct vnpu_task *latched;
	u64 latched_last;
	u64 latched_base;
	u64 base;
	bool waking;
	const struct vnpu_task *slots;
	u64 seen;
	struct vnpu_run run;
	struct vnpu_tlb tlb;
	const struct vnpu_remote_ops *remote;
	struct vnpu_foreign_task foreign;
	u32 ring_state;
	u32 errors;
	u32 cancelled;
	int error;
	u32 error_op;
	u64 error_seq;
	u64 error_addr;
	u64 busy_ns;
};

/**
 * struct vnpu_stream_spec - what stream is asked for
 * @device: index of the device
 * @priority: below VNPU_STREAM_PRIORITIES
 * @context: what it is to stop with, or NULL
 * @ring_tasks: how many tasks its ring holds: a power of two from
 *	VNPU_RING_TASKS_MIN to VNPU_RING_TASKS_MAX
 * @stop_on_error: a task that fails stops it
 */
struct vnpu_stream_spec {
	u32 device;
	u32 priority;
	struct vnpu_context *context;
	u32 ring_tasks;
	bool stop_on_error;
};

/**
 * struct vnpu_stream_stats - a stream as it is seen from outside
 * @submitted: the number of the last task that was submitted
 * @completed: the number of the last task that is complete
 * @task_seq: the number of the task that is being run, or waits; 0 for none
 * @task_op: its operation
 * @task_ns: for how long, to within a turn of an engine
 * @state: who has it
 * @class: VNPU_ENGINE_*, which engines are to run the next task
 * @priority: 0 is served first
 * @ring_state: VNPU_RING_*
 */
struct vnpu_stream_stats {
	u64 submitted;
	u64 completed;
	u64 task_seq;
	u32 task_op;
	u64 task_ns;
	enum vnpu_stream_state state;
	u32 class;
	u32 priority;
	u32 ring_state;
};

/* stream_id.c: ids of streams and timelines, see sync/timeline_id.c */
struct vnpu_timeline *vnpu_timeline_take_stream_id(struct vnpu_client *client,
						   u64 id);
int vnpu_timeline_give_up_id(struct vnpu_client *client, u64 id);
void vnpu_timelines_end_all(struct vnpu_client *client);

static inline struct vnpu_stream *vnpu_stream_of(struct vnpu_timeline *timeline)
{
	return container_of(timeline, struct vnpu_stream, timeline);
}

/* A stream by an id that the client made it with, not one that it imported. */
static inline bool vnpu_stream_is_of(struct vnpu_timeline *timeline,
				     const struct vnpu_client *client, u64 id)
{
	struct vnpu_stream *stream = vnpu_stream_of(timeline);

	return timeline->kind == VNPU_TIMELINE_KIND_STREAM &&
	       READ_ONCE(stream->client) == client && stream->id == id;
}

/* Whether its tasks are cancelled. */
static inline bool vnpu_stream_is_stopped(const struct vnpu_stream *stream)
{
	const struct vnpu_context *context = stream->context;

	return READ_ONCE(stream->stopped) ||
	       (context && READ_ONCE(context->stops) != READ_ONCE(stream->stops));
}

/* Whether an engine is to give it back. */
static inline bool vnpu_stream_is_wanted(const struct vnpu_stream *stream)
{
	return READ_ONCE(stream->dying) || READ_ONCE(stream->frozen);
}

/* Whether a dma_fence may stand for the task; see exec/latch.h. */
static inline bool vnpu_stream_is_latched(const struct vnpu_stream *stream)
{
	return stream->run.seq <= stream->latched_last;
}

/* Copy the next task, which is there: vnpu_stream_look() has seen it. */
static inline void vnpu_stream_fetch(struct vnpu_stream *stream)
{
	u64 seq = stream->taken + 1;

	stream->run.task = stream->slots[stream->taken &
					 (stream->ring_tasks - 1)];
	/* From here on it is the copy that counts. */
	barrier();
	stream->run.seq = seq;
	/* What it is, before it is seen to be run. */
	smp_store_release(&stream->taken, seq);
}

struct vnpu_stream *vnpu_stream_create(struct vnpu_client *client,
				       const struct vnpu_stream_spec *spec);
void vnpu_stream_end(struct vnpu_stream *stream);
void vnpu_stream_add(struct vnpu_stream *stream);
struct vnpu_stream *vnpu_stream_get_by_id(struct vnpu_client *client, u64 id);
struct vnpu_stream *vnpu_stream_get_by_offset(struct vnpu_client *client,
					      unsigned long offset);
struct vnpu_stream *vnpu_stream_get_next(struct vnpu_client *client,
					 unsigned long *id);
unsigned int vnpu_streams_generation(void);
u64 vnpu_stream_completed(const struct vnpu_stream *stream);
void vnpu_stream_read(const struct vnpu_stream *stream,
		      struct vnpu_stream_stats *f);
struct vnpu_ring_mem *vnpu_stream_get_ring(struct vnpu_stream *stream);

int vnpu_stream_doorbell(struct vnpu_stream *stream);
int vnpu_stream_abort(struct vnpu_stream *stream, u64 *completed);
void vnpu_stream_stop(struct vnpu_stream *stream);

/* For the engine that has it. */
bool vnpu_stream_has_tasks(const struct vnpu_stream *stream);
int vnpu_stream_look(struct vnpu_stream *stream, u64 *cost);
void vnpu_stream_set_completed(struct vnpu_stream *stream, u64 done);
void vnpu_stream_complete(struct vnpu_stream *stream, int result);
bool vnpu_stream_wake_some(struct vnpu_stream *stream, u64 *cost);
void vnpu_stream_publish(struct vnpu_stream *stream, u64 now, u64 *cost);
void vnpu_stream_set_ring_state(struct vnpu_stream *stream, u32 state);

#endif
