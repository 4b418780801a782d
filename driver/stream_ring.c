// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an engine does with the ring of a stream that it has.
 *
 * Whatever a user writes to the ring, at whatever time, is his own stream's
 * trouble: the tail is read once and checked, each task is copied once and the
 * copy is checked, and nothing that the kernel has written there is read back.
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
 * vnpu_stream_set_ring_state() - tell the user
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
 * vnpu_stream_has_tasks() - is there a task that is not complete?
 * @stream: the stream, with a ring
 */
bool vnpu_stream_has_tasks(const struct vnpu_stream *stream)
{
	return stream->run.op || stream->taken < stream->kept_last ||
	       READ_ONCE(stream->ring->ring->tail) != stream->taken;
}

/**
 * vnpu_stream_wake_some() - wake a bounded number of waiters for complete tasks
 * @stream: the stream
 * @cost: grows by what this costs
 *
 * Return: whether there are more: then the engine is to call this again in another
 * turn, before it begins another task.
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
 * vnpu_stream_look() - find out what tasks there are
 * @stream: the stream, with no task
 * @cost: grows by what this costs
 *
 * Return: 1 if there are some, 0 if there are none, -EIO if the ring makes no
 * sense: then the stream is broken; -EAGAIN: waiters are to be woken first, see
 * vnpu_stream_wake_some().
 */
int vnpu_stream_look(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_ring_mem *mem = stream->ring;
	u64 tail;

	/* Its timeline is at its end, whatever the ring says since. */
	if (unlikely(stream->ring_state & VNPU_RING_BROKEN))
		return -EIO;
	if (unlikely(stream->taken < stream->kept_last)) {
		stream->slots = stream->kept;
		stream->seen = stream->kept_last;
		return 1;
	}
	/* The tail, before the tasks up to it. */
	tail = smp_load_acquire(&mem->ring->tail);
	if (tail == stream->taken)
		return 0;
	if (likely(tail - stream->taken <= stream->ring_tasks)) {
		stream->slots = mem->slots;
		stream->seen = tail;
		return 1;
	}
	/* What is complete has not failed. */
	if (vnpu_stream_wake_some(stream, cost))
		return -EAGAIN;
	vnpu_stream_set_ring_state(stream, stream->ring_state |
				   VNPU_RING_BROKEN);
	/* The other waiters are woken by vnpu_stream_publish(). */
	vnpu_timeline_set_end(&stream->timeline, -EIO);
	return -EIO;
}

/* In place of the oldest record. */
static void vnpu_stream_record_failure(struct vnpu_stream *stream, int error)
{
	const struct vnpu_run *run = &stream->run;
	struct vnpu_ring_mem *mem = stream->ring;

	/*
	 * Order the store of the last number before the stores to a record that
	 * is replaced. Pairs with the acquire fence of a reader between its copy
	 * of a record and its second look at the number.
	 */
	smp_wmb();
	mem->failures[stream->failures & (stream->ring_tasks - 1)] =
		(struct vnpu_task_failure){
			.seq = run->seq,
			.addr = run->fault,
			.ns = ktime_get_ns(),
			.error = -error,
			.op = run->task.op,
		};
	stream->failures++;
	/* The record, before its number. Pairs with a reader's load-acquire. */
	smp_store_release(&mem->ring->failures, stream->failures);
}

static void vnpu_stream_fail(struct vnpu_stream *stream, int error)
{
	struct vnpu_ring *ring = stream->ring->ring;

	if (stream->bad_seq != stream->run.seq - 1)
		WRITE_ONCE(stream->bad_first, stream->run.seq);
	WRITE_ONCE(stream->bad_error, error);
	/* The error, before the number that says whose it is. */
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
	if (READ_ONCE(stream->stop_on_error))
		vnpu_stream_stop(stream);
}

/**
 * vnpu_stream_tell() - tell which tasks are complete
 * @stream: the stream
 * @done: the number of the last of them
 *
 * Those that sleep until then are woken by vnpu_stream_publish().
 */
void vnpu_stream_tell(struct vnpu_stream *stream, u64 done)
{
	/* What they did, before they are seen to be complete. */
	smp_store_release(&stream->timeline.value, done);
	/* Likewise. */
	smp_store_release(&stream->ring->ring->completed, done);
}

/**
 * vnpu_stream_complete() - the task is complete
 * @stream: the stream
 * @result: 0 or -errno
 */
void vnpu_stream_complete(struct vnpu_stream *stream, int result)
{
	if (unlikely(result)) {
		/* None is what address 0 looks like, too. */
		if (stream->run.fault || result == -EFAULT) {
			trace_vnpu_task_fault(stream, result);
			vnpu_task_fault_note(stream, result);
		}
		vnpu_stream_fail(stream, result);
	}
	trace_vnpu_task_finish(stream, result);
	stream->run.op = NULL;
	WRITE_ONCE(stream->run.since, 0);
	vnpu_stream_tell(stream, stream->run.seq);
}

/**
 * vnpu_stream_publish() - say what is complete, and wake waiters for that
 * @stream: the stream, at the end of a turn
 * @now: CLOCK_MONOTONIC in ns
 * @cost: grows by what this costs
 *
 * A bounded number of them; afterwards vnpu_stream.waking says whether there are
 * more.
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
