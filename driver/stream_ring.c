// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an engine does with the ring of a stream that it has.
 *
 * Whatever a user writes to the ring, at whatever time, is his own stream's
 * trouble: the tail is read once and checked, each task is copied once and the
 * copy is checked, and nothing that the kernel has written there is read back.
 */
#include "engine.h"
#include "ring.h"
#include "stream.h"
#include "trace.h"

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

/* At the ring: 1 if there is a task, 0 or -EIO. */
static int vnpu_stream_look(struct vnpu_stream *stream)
{
	u64 pending;

	/* The tail, before the tasks up to it. */
	pending = smp_load_acquire(&stream->ring->ring->tail) - stream->taken;
	if (likely(pending && pending <= VNPU_RING_TASKS))
		return 1;
	if (!pending)
		return 0;
	vnpu_stream_set_ring_state(stream, stream->ring_state |
				   VNPU_RING_BROKEN);
	/* What is complete has not failed. */
	vnpu_timeline_publish(&stream->timeline);
	vnpu_timeline_end(&stream->timeline, -EIO);
	return -EIO;
}

/**
 * vnpu_stream_fetch() - copy the next task out of the ring, or what was taken in
 * @stream: the stream, with no task
 *
 * Return: 1 if there is one, 0 if there is none, -EIO if the ring makes no sense:
 * then the stream is broken.
 */
int vnpu_stream_fetch(struct vnpu_stream *stream)
{
	u32 slot = stream->taken % VNPU_RING_TASKS;
	int ret;

	/* Its timeline is at its end, whatever the ring says since. */
	if (unlikely(stream->ring_state & VNPU_RING_BROKEN))
		return -EIO;
	if (unlikely(stream->taken < stream->kept_last)) {
		stream->run.task = stream->kept[slot];
	} else {
		ret = vnpu_stream_look(stream);
		if (ret <= 0)
			return ret;
		stream->run.task = stream->ring->slots[slot];
		/* From here on it is the copy that counts. */
		barrier();
	}
	stream->run.seq = stream->taken + 1;
	/* What it is, before it is seen to be run. */
	smp_store_release(&stream->taken, stream->run.seq);
	return 1;
}

static void vnpu_stream_fail(struct vnpu_stream *stream, int error)
{
	struct vnpu_ring *ring = stream->ring->ring;

	/* Fences for tasks before this one have nothing to do with it. */
	if (unlikely(atomic_read(&stream->nr_fences)))
		vnpu_timeline_publish(&stream->timeline);
	WRITE_ONCE(stream->bad_error, error);
	/* The error, before the number that says whose it is. */
	smp_store_release(&stream->bad_seq, stream->run.seq);
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
	if (READ_ONCE(stream->stop_on_error))
		vnpu_stream_stop_group(stream);
}

/**
 * vnpu_stream_complete() - the task is complete
 * @stream: the stream
 * @result: 0 or -errno
 *
 * Who waits is to be woken by vnpu_timeline_publish().
 */
void vnpu_stream_complete(struct vnpu_stream *stream, int result)
{
	if (unlikely(result))
		vnpu_stream_fail(stream, result);
	trace_vnpu_task_finish(stream, result);
	stream->run.op = NULL;
	WRITE_ONCE(stream->run.since, 0);
	/* What it did, before it is seen to be complete. */
	smp_store_release(&stream->timeline.value, stream->run.seq);
	/* Likewise. */
	smp_store_release(&stream->ring->ring->completed, stream->run.seq);
}

/**
 * vnpu_stream_publish() - tell who waits what is complete
 * @stream: the stream
 * @now: CLOCK_MONOTONIC in ns
 */
void vnpu_stream_publish(struct vnpu_stream *stream, u64 now)
{
	u32 state = stream->ring_state & ~VNPU_RING_STOPPED;

	if (READ_ONCE(stream->stopped))
		state |= VNPU_RING_STOPPED;
	vnpu_stream_set_ring_state(stream, state);
	WRITE_ONCE(stream->ring->ring->completed_ns, now);
	vnpu_timeline_publish(&stream->timeline);
}
