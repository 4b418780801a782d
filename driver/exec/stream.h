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
#include "core.h"
#include "engine.h"
#include "foreign.h"
#include "graph.h"
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
 * enum vnpu_stream_owner - the current owner of a stream
 * @VNPU_STREAM_IDLE: none; user space has to ring the doorbell
 * @VNPU_STREAM_READY: the ready queue of the stream's class
 * @VNPU_STREAM_RUNNING: the engine that runs its tasks
 * @VNPU_STREAM_POLLED: the engine that polls its ring for more tasks
 * @VNPU_STREAM_BLOCKED: none; its task waits to be woken
 * @VNPU_STREAM_REMOTE: a thread other than an engine, see struct
 *	vnpu_remote_ops
 */
enum vnpu_stream_owner {
	VNPU_STREAM_IDLE,
	VNPU_STREAM_READY,
	VNPU_STREAM_RUNNING,
	VNPU_STREAM_POLLED,
	VNPU_STREAM_BLOCKED,
	VNPU_STREAM_REMOTE,
};

/**
 * struct vnpu_remote_ops - operations of a thread that takes streams from
 * engines
 * @take: hand a stream over to the thread, which returns it by
 *	vnpu_engines_take_back()
 * @recall: make the thread return a stream soon, whatever it waits for. May be
 *	called more than once, and after the thread has begun to return it.
 *
 * Both are called with vnpu_engines.lock held, possibly by a timer.
 */
struct vnpu_remote_ops {
	void (*take)(struct vnpu_stream *stream);
	void (*recall)(struct vnpu_stream *stream);
};

/**
 * struct vnpu_run - the current task of a stream
 * @task: the kernel's copy, checked
 * @op: the operation, or NULL if there is no task
 * @seq: number of the task
 * @started: true if an engine has begun to run it
 * @committed: true if it has stored its result and now wakes waiters, which may
 *	take more turns. It can no longer be cancelled or fail.
 * @is_over: true if it is over, so that all accesses to memory of other drivers
 *	and its launch must end; @result is valid then
 * @result: result of the task, as vnpu_task_run() returns it
 * @resets: vnpu_engines.resets when it started
 * @done: progress, in units of the operation
 * @saved: state of the operation between two parts of the task
 * @has_read: true once the operation has read its operands in memory
 * @fault: the device address at which it failed, or 0
 * @since: start of the task, or of the turn in which it began; 0 during that
 *	turn and without a task. May be read without a lock.
 * @deadline: when it times out, CLOCK_MONOTONIC in ns; 0 for never
 * @pause: length of the last pause of a task that polls, in ns
 * @timeline: the timeline that it waits for, with a reference; NULL for none
 * @waiter: its entry at a timeline
 * @counter_waiter: its entry at a counter
 * @value_link: entry in vnpu_sched_client.value_waiters or .value_waking;
 *	protected by vnpu_engines.lock
 */
struct vnpu_run {
	struct vnpu_task task;
	const struct vnpu_task_op *op;
	u64 seq;
	bool started;
	bool committed;
	bool is_over;
	int result;
	u64 resets;
	u64 done;
	u64 saved[2];
	bool has_read;
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
 * struct vnpu_stream - a stream
 * @timeline: timeline; its value is the number of the last complete task
 * @client: the client that created the stream; NULL once the stream has ended
 * @id: id of the timeline in the client; constant
 * @dev: the device; its engines run the stream; with a reference; constant
 * @sched: share of the client on these engines; valid while @client is set;
 *	constant
 * @share: share to which its turns are charged: vnpu_context.sched of @context,
 *	or vnpu_sched_client.alone of @sched; constant
 * @number: number among the device's streams; constant
 * @context: the context with which it stops, with a reference, or NULL;
 *	constant
 * @fence_context: context number of the fences of its tasks; constant
 * @fences: list of its unsignalled fences, vnpu_fence.link; protected by the
 *	timeline's lock
 * @bad_seq: number of the last task that failed or was cancelled
 * @bad_first: all tasks from this number to @bad_seq failed or were cancelled.
 *	It may belong to the next such task already.
 * @bad_error: result of the last such task, -errno; written, like @bad_first,
 *	before @bad_seq
 * @dying: true while the stream ends. This and @frozen are written under
 *	vnpu_engines.lock, and may be read without it.
 * @frozen: true while no engine may run the stream
 * @stopped: true if its tasks are cancelled until vnpu_stream_abort()
 * @stops: vnpu_context.stops at the creation or the last abort; written under
 *	vnpu_engines.lock, may be read without it
 * @stop_on_error: true if a failed task stops the stream
 * @timeout_ms: time limit of tasks that do not wait, or 0
 * @cancel_upto: tasks up to this number are cancelled
 * @ring_lock: protects the creation of @ring
 * @ring: memory shared with user space, or NULL; does not change once it is set
 * @offset: index in vnpu_client.rings, and mmap offset of the ring; constant
 * @graph: the graph of the tasks that the stream runs, or NULL. Valid until the
 *	stream has ended; constant
 * @lane: index among the streams of @graph; constant
 * @ready: entry in the ready queue of each class. This and the following, up to
 *	@timer, are protected by vnpu_engines.lock.
 * @dev_link: entry in vnpu_engines.streams
 * @state: the current owner of the stream
 * @engine: the engine that runs the stream, in state RUNNING
 * @uncharged: ns of the current turn that are not charged to the client yet;
 *	used by @engine only
 * @class: VNPU_ENGINE_*, class of the engines that run the next task
 * @priority: priority among the context's streams; 0 is served first
 * @woken: true if the event that the task is about to wait for has happened
 * @pace_link: entry in vnpu_sched_user.paced during a pause there
 * @pauses_free: true during a pause that @timer ends
 * @timer: wakes the stream at the end of a time limit or of a pause
 * @taken: number of the last task that was copied from the ring; may be read
 *	without a lock. This and the following, up to @ring_state, belong to the
 *	engine or thread that owns the stream.
 * @ring_tasks: number of tasks that the ring holds, a power of two; constant
 * @failures: number of failure records that were written to the ring
 * @latched: latched tasks, in the slots that they have in the ring; NULL until
 *	the first is latched. Changed by the thread that has frozen the stream
 *	and holds vnpu_client.export_lock; so are the next two.
 * @latched_last: number of the last latched task
 * @latched_base: @base after that task
 * @base: base of relative values after all tasks that were taken
 * @waking: true if waiters for complete tasks are left; they are woken before
 *	the next task begins
 * @slots: the slots of the next tasks: those of the ring, or @latched
 * @seen: number of the last task that was seen in @slots
 * @run: the current task
 * @tlb: translation cache for the current and the next task
 * @remote: the thread that the stream is given to in state REMOTE
 * @foreign: uses of other drivers' memory by the current task
 * @launch: the current task, if it is a launch
 * @play: the current task, if it is a GRAPH
 * @ring_state: VNPU_RING_*
 * @errors: number of failed tasks. This and the following may be read without a
 *	lock.
 * @cancelled: number of cancelled tasks
 * @error: result of the last failed task, -errno
 * @error_op: its operation
 * @error_seq: its number
 * @error_addr: the device address at which it failed, or 0
 * @busy_ns: time for which engines have run the stream
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
	struct vnpu_graph *graph;
	u32 lane;

	struct vnpu_ready_node ready[VNPU_ENGINE_CLASSES];
	struct list_head dev_link;
	enum vnpu_stream_owner state;
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
	struct vnpu_launch launch;
	struct vnpu_graph_play play;
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
 * struct vnpu_stream_spec - parameters of a new stream
 * @device: index of the device
 * @priority: a number below VNPU_STREAM_PRIORITIES
 * @context: the context that the stream belongs to, or NULL
 * @ring_tasks: number of tasks that its ring holds: a power of two from
 *	VNPU_RING_TASKS_MIN to VNPU_RING_TASKS_MAX
 * @stop_on_error: true if a failed task stops the stream
 * @graph: the graph of the tasks that it runs, or NULL. A stream of a graph has
 *	no mmap offset, and the caller sets its ring.
 */
struct vnpu_stream_spec {
	u32 device;
	u32 priority;
	struct vnpu_context *context;
	u32 ring_tasks;
	bool stop_on_error;
	struct vnpu_graph *graph;
};

/**
 * struct vnpu_stream_stats - the reported state of a stream
 * @submitted: number of the last submitted task
 * @completed: number of the last complete task
 * @task_seq: number of the task that runs or waits; 0 for none
 * @task_op: its operation
 * @task_ns: time since it began, to within a turn of an engine
 * @state: the current owner of the stream
 * @class: VNPU_ENGINE_*, class of the engines that run the next task
 * @priority: priority among the context's streams; 0 is served first
 * @ring_state: VNPU_RING_*
 */
struct vnpu_stream_stats {
	u64 submitted;
	u64 completed;
	u64 task_seq;
	u32 task_op;
	u64 task_ns;
	enum vnpu_stream_owner state;
	u32 class;
	u32 priority;
	u32 ring_state;
};

/* stream_id.c: ids of streams and timelines, see sync/timeline_id.c */
struct vnpu_timeline *vnpu_timeline_take_stream_id(struct vnpu_client *client,
						   u64 id);
void vnpu_timeline_take_lane_id(struct vnpu_client *client, u64 id);
int vnpu_timeline_give_up_id(struct vnpu_client *client, u64 id);
void vnpu_timelines_end_all(struct vnpu_client *client);

static inline struct vnpu_stream *vnpu_stream_of(struct vnpu_timeline *timeline)
{
	return container_of(timeline, struct vnpu_stream, timeline);
}

/*
 * Check that a timeline is the stream that the client has created with this id.
 */
static inline bool vnpu_stream_is_of(struct vnpu_timeline *timeline,
				     const struct vnpu_client *client, u64 id)
{
	struct vnpu_stream *stream = vnpu_stream_of(timeline);

	return timeline->kind == VNPU_TIMELINE_KIND_STREAM &&
	       READ_ONCE(stream->client) == client && stream->id == id;
}

/* Check if the tasks of a stream are cancelled. */
static inline bool vnpu_stream_is_stopped(const struct vnpu_stream *stream)
{
	const struct vnpu_context *context = stream->context;

	return READ_ONCE(stream->stopped) ||
	       (context && READ_ONCE(context->stops) != READ_ONCE(stream->stops));
}

/* Check if an engine must release the stream. */
static inline bool vnpu_stream_is_wanted(const struct vnpu_stream *stream)
{
	return READ_ONCE(stream->dying) || READ_ONCE(stream->frozen);
}

/* Check if the current task is latched: a dma_fence may depend on it. */
static inline bool vnpu_stream_is_latched(const struct vnpu_stream *stream)
{
	return stream->run.seq <= stream->latched_last;
}

/* Check if the current task is a launch that waits, or that a core has. */
static inline bool vnpu_launch_exists(const struct vnpu_stream *stream)
{
	return READ_ONCE(stream->launch.state) != VNPU_LAUNCH_NONE;
}

/* Check if a core has the launch that is the current task. */
static inline bool vnpu_launch_is_out(const struct vnpu_stream *stream)
{
	return READ_ONCE(stream->launch.state) == VNPU_LAUNCH_OUT;
}

/*
 * Forget the result of a launch that has ended after its task. The caller owns
 * the stream, and no core has the launch: nothing else changes its state.
 */
static inline void vnpu_launch_forget(struct vnpu_stream *stream)
{
	if (vnpu_launch_exists(stream))
		WRITE_ONCE(stream->launch.state, VNPU_LAUNCH_NONE);
}

/* Copy the next task, which vnpu_stream_look() has seen. */
static inline void vnpu_stream_fetch(struct vnpu_stream *stream)
{
	u64 seq = stream->taken + 1;

	stream->run.task = stream->slots[stream->taken &
					 (stream->ring_tasks - 1)];
	/* User space may change the slot: use only the copy from here on. */
	barrier();
	stream->run.seq = seq;
	/*
	 * Order the stores to the copy before the store of its number. Pairs with
	 * smp_load_acquire() in vnpu_stream_read_task().
	 */
	smp_store_release(&stream->taken, seq);
}

struct vnpu_stream *vnpu_stream_create(struct vnpu_client *client,
				       const struct vnpu_stream_spec *spec);
void vnpu_stream_end(struct vnpu_stream *stream, bool wait);
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

/* For the engine that owns the stream. */
bool vnpu_stream_has_tasks(const struct vnpu_stream *stream);
int vnpu_stream_look(struct vnpu_stream *stream, u64 *cost);
void vnpu_stream_set_completed(struct vnpu_stream *stream, u64 done);
void vnpu_stream_complete(struct vnpu_stream *stream, int result);
bool vnpu_stream_wake_some(struct vnpu_stream *stream, u64 *cost);
void vnpu_stream_publish(struct vnpu_stream *stream, u64 now, u64 *cost);
void vnpu_stream_set_ring_state(struct vnpu_stream *stream, u32 state);

#endif
