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
 * vnpu_stream_look() - find out what tasks there are
 * @stream: the stream, with no task
 *
 * Return: 1 if there are some, 0 if there are none, -EIO if the ring makes no
 * sense: then the stream is broken.
 */
int vnpu_stream_look(struct vnpu_stream *stream)
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
	vnpu_stream_set_ring_state(stream, stream->ring_state |
				   VNPU_RING_BROKEN);
	/* What is complete has not failed. */
	vnpu_timeline_publish(&stream->timeline);
	vnpu_timeline_end(&stream->timeline, -EIO);
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

	/* Fences for tasks before this one have nothing to do with it. */
	if (unlikely(atomic_read(&stream->nr_fences)))
		vnpu_timeline_publish(&stream->timeline);
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
 * Who sleeps until then is to be woken by vnpu_stream_publish().
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
 * vnpu_stream_publish() - tell who waits what is complete
 * @stream: the stream
 * @now: CLOCK_MONOTONIC in ns
 */
void vnpu_stream_publish(struct vnpu_stream *stream, u64 now)
{
	u32 state = stream->ring_state & ~VNPU_RING_STOPPED;

	if (vnpu_stream_is_stopped(stream))
		state |= VNPU_RING_STOPPED;
	vnpu_stream_set_ring_state(stream, state);
	WRITE_ONCE(stream->ring->ring->completed_ns, now);
	vnpu_timeline_publish(&stream->timeline);
}
