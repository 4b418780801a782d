// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses of an engine to the ring of the stream that it runs.
 *
 * Whatever a user writes to the ring, at any time, affects the user's own
 * stream only: the tail is read once and checked, each task is copied once and
 * the copy is checked, and the kernel never reads back its own data.
 */
#include <linux/ktime.h>

#include "context.h"
#include "engine.h"
#include "ring.h"
#include "stream.h"
#include "task_fault.h"
#include "trace.h"
#include "trace_mem.h"

/**
 * vnpu_stream_set_ring_state() - report a state of the stream in its ring
 * @stream: the stream, with a ring
 * @state: VNPU_RING_*
 */
void vnpu_stream_set_ring_state(struct vnpu_stream *stream, u32 state)
{
	if (stream->ring_state == state)
		return;
	WRITE_ONCE(stream->ring_state, state);
	WRITE_ONCE(stream->ring->ring->state, state);
}

/**
 * vnpu_stream_has_tasks() - check if there is a task that is not complete
 * @stream: the stream, with a ring
 *
 * Return: true if a task is not complete.
 */
bool vnpu_stream_has_tasks(const struct vnpu_stream *stream)
{
	return stream->run.op || stream->taken < stream->latched_last ||
	       READ_ONCE(stream->ring->ring->tail) != stream->taken;
}

/**
 * vnpu_stream_wake_some() - wake a bounded number of waiters for complete tasks
 * @stream: the stream
 * @cost: increased by the cost of this call
 *
 * Return: true if there are more: then the engine has to call this again in
 * another turn, before it begins another task.
 */
bool vnpu_stream_wake_some(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_timeline *timeline = &stream->timeline;

	stream->waking = vnpu_timeline_wake_some(timeline,
						 READ_ONCE(timeline->value),
						 cost);
	return stream->waking;
}

/**
 * vnpu_stream_look() - look for new tasks
 * @stream: the stream, with no task
 * @cost: increased by the cost of this call
 *
 * Return: 1 if there are some, 0 if there are none, -EIO if the tail is
 * invalid: then the stream is broken; -EAGAIN if waiters have to be woken
 * first, see vnpu_stream_wake_some().
 */
int vnpu_stream_look(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_ring_mem *mem = stream->ring;
	u64 tail;

	/* The timeline has ended, whatever the ring contains since. */
	if (unlikely(stream->ring_state & VNPU_RING_BROKEN))
		return -EIO;
	if (unlikely(stream->taken < stream->latched_last)) {
		stream->slots = stream->latched;
		stream->seen = stream->latched_last;
		return 1;
	}
	if (unlikely(stream->graph))
		return vnpu_graph_look_at_lane(stream);
	/*
	 * Order the load of the tail before the loads of the tasks up to it.
	 * Pairs with the store-release of user space, see linux/vnpu_task.h.
	 */
	tail = smp_load_acquire(&mem->ring->tail);
	if (tail == stream->taken)
		return 0;
	if (likely(tail - stream->taken <= stream->ring_tasks)) {
		stream->slots = mem->slots;
		stream->seen = tail;
		return 1;
	}
	/* Completed tasks have not failed. */
	if (vnpu_stream_wake_some(stream, cost))
		return -EAGAIN;
	vnpu_stream_set_ring_state(stream, stream->ring_state |
				   VNPU_RING_BROKEN);
	/* The other waiters are woken by vnpu_stream_publish(). */
	vnpu_timeline_set_end(&stream->timeline, -EIO);
	return -EIO;
}

/* The operation of a record, with the graph if it is one. */
static u32 vnpu_stream_failed_op(const struct vnpu_task *task)
{
	return task->op == VNPU_TASK_GRAPH ? task->op | (u32)task->src << 8 :
					     task->op;
}

/* Write a record of the current task in place of the oldest one. */
static void vnpu_stream_record_failure(struct vnpu_stream *stream, int error)
{
	const struct vnpu_run *run = &stream->run;
	struct vnpu_ring_mem *mem = stream->ring;

	/* User space does not map the ring of a graph. */
	if (!mem->failures)
		return;
	/*
	 * Order the store of the last number before the stores to a record that
	 * is replaced. Pairs with the acquire fence of a reader between its
	 * copy of a record and its second look at the number.
	 */
	smp_wmb();
	mem->failures[stream->failures & (stream->ring_tasks - 1)] =
		(struct vnpu_task_failure){
			.seq = run->seq,
			.addr = run->fault,
			.ns = ktime_get_ns(),
			.error = -error,
			.op = vnpu_stream_failed_op(&run->task),
		};
	stream->failures++;
	/*
	 * Order the stores to the record before that of its number. Pairs with
	 * a reader's load-acquire.
	 */
	smp_store_release(&mem->ring->failures, stream->failures);
}

static void vnpu_stream_fail(struct vnpu_stream *stream, int error)
{
	struct vnpu_ring *ring = stream->ring->ring;

	if (stream->bad_seq != stream->run.seq - 1)
		WRITE_ONCE(stream->bad_first, stream->run.seq);
	WRITE_ONCE(stream->bad_error, error);
	/*
	 * Order the store of the error before that of the number of its task.
	 * Pairs with smp_load_acquire() in vnpu_fence_last_error().
	 */
	smp_store_release(&stream->bad_seq, stream->run.seq);
	vnpu_stream_record_failure(stream, error);
	if (error == -ECANCELED) {
		WRITE_ONCE(stream->cancelled, stream->cancelled + 1);
		WRITE_ONCE(ring->cancelled, stream->cancelled);
		return;
	}
	WRITE_ONCE(stream->error, error);
	WRITE_ONCE(stream->error_op, stream->run.task.op);
	WRITE_ONCE(stream->error_seq, stream->run.seq);
	WRITE_ONCE(stream->error_addr, stream->run.fault);
	WRITE_ONCE(stream->errors, stream->errors + 1);
	WRITE_ONCE(ring->error, -error);
	WRITE_ONCE(ring->error_seq, stream->run.seq);
	WRITE_ONCE(ring->errors, stream->errors);
	if (stream->context)
		vnpu_context_note(stream->context, &(struct vnpu_context_error){
			.error = error,
			.op = stream->run.task.op,
			.stream = stream->id,
			.seq = stream->run.seq,
			.addr = stream->run.fault,
		});
	if (stream->graph)
		vnpu_graph_note(stream, error);
	else if (READ_ONCE(stream->stop_on_error))
		vnpu_stream_stop(stream);
}

/**
 * vnpu_stream_set_completed() - publish which tasks are complete
 * @stream: the stream
 * @done: the number of the last complete task
 *
 * vnpu_stream_publish() wakes the waiters.
 */
void vnpu_stream_set_completed(struct vnpu_stream *stream, u64 done)
{
	/*
	 * Order the stores of the tasks before that of the number. Pairs with
	 * vnpu_timeline_value().
	 */
	smp_store_release(&stream->timeline.value, done);
	/* Likewise. Pairs with a load-acquire in user space. */
	smp_store_release(&stream->ring->ring->completed, done);
}

/**
 * vnpu_stream_complete() - complete the current task
 * @stream: the stream
 * @result: 0 or -errno
 */
void vnpu_stream_complete(struct vnpu_stream *stream, int result)
{
	if (unlikely(result)) {
		/*
		 * No address is stored like address 0. The fault of a GRAPH was
		 * reported for the task in it.
		 */
		if ((stream->run.fault || result == -EFAULT) &&
		    stream->run.task.op != VNPU_TASK_GRAPH) {
			trace_vnpu_task_fault(stream, result);
			vnpu_task_fault_note(stream, result);
		}
		vnpu_stream_fail(stream, result);
	}
	trace_vnpu_task_finish(stream, result);
	stream->run.op = NULL;
	WRITE_ONCE(stream->run.since, 0);
	vnpu_stream_set_completed(stream, stream->run.seq);
}

/**
 * vnpu_stream_publish() - publish complete tasks, and wake waiters for them
 * @stream: the stream, at the end of a turn
 * @now: CLOCK_MONOTONIC in ns
 * @cost: increased by the cost of this call
 *
 * This wakes a bounded number of waiters; vnpu_stream.waking is set if there
 * are more.
 */
void vnpu_stream_publish(struct vnpu_stream *stream, u64 now, u64 *cost)
{
	u32 state = stream->ring_state & ~VNPU_RING_STOPPED;

	if (vnpu_stream_is_stopped(stream))
		state |= VNPU_RING_STOPPED;
	vnpu_stream_set_ring_state(stream, state);
	WRITE_ONCE(stream->ring->ring->completed_ns, now);
	vnpu_stream_wake_some(stream, cost);
}
