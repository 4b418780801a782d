// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where streams are: who has a stream, and how it changes hands.
 *
 * A stream belongs to one place at a time (enum vnpu_stream_state). Who has it
 * need not lock it; he gives it on under the lock of the device's engines.
 *
 *	IDLE --doorbell--> READY --engine--> RUNNING --waits--> BLOCKED --> READY
 *	  ^                                   | |
 *	  +------ time is over -- LINGERING <-+ +--not for engines--> REMOTE --> READY
 *
 * A REMOTE stream is with a thread that is no engine, and may sleep: for its task,
 * or for a part of it. It is given to the thread by vnpu_remote_ops.take(), and comes
 * back by vnpu_engines_take_back(). An engine, or a caller that cannot wait for the
 * thread, asks for it by vnpu_remote_ops.recall(), in whatever time that takes.
 *
 * What a stream waits for may come while it is still RUNNING: then it is
 * @woken, and is not blocked. To be READY for nothing does no harm.
 *
 * Here streams become READY. What engines do with them is in sched_turn.c, and how
 * a caller gets a stream from whoever has it in sched_control.c.
 */
#include <linux/hrtimer.h>

#include "compat.h"
#include "engine.h"
#include "sched.h"
#include "sched_client.h"

/**
 * vnpu_engines_push_locked() - have an engine take a stream
 * @stream: the stream, which nobody has; afterwards engines of its class are to be
 *	called
 */
void vnpu_engines_push_locked(struct vnpu_stream *stream)
{
	u32 class = stream->class;

	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	stream->state = VNPU_STREAM_READY;
	/* An engine will look for tasks: no more bells until it has. */
	vnpu_stream_set_ring_state(stream, stream->ring_state &
				   ~VNPU_RING_NEED_DOORBELL);
	vnpu_fairq_push(&stream->share->fair[class], &stream->ready[class],
			stream->priority);
}

/**
 * vnpu_engines_unpush_locked() - have no engine take a stream
 * @stream: the stream, which is READY; the caller says where it is after this
 */
void vnpu_engines_unpush_locked(struct vnpu_stream *stream)
{
	u32 class = stream->class;

	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	vnpu_fairq_remove(&stream->share->fair[class], &stream->ready[class]);
}

/**
 * vnpu_engines_call_another() - wake an engine that sleeps
 * @engines: of which device
 * @class: of which class
 */
void vnpu_engines_call_another(struct vnpu_engines *engines, u32 class)
{
	if (wq_has_sleeper(&engines->sleepers[class]))
		wake_up(&engines->sleepers[class]);
}

/**
 * vnpu_engines_call() - have an engine look for a stream that became ready
 * @engines: of which device; the lock was given back
 * @class: of which class
 *
 * An engine of the class need not call: it takes the next stream itself, after a
 * chunk of work at most, and calls if that was not the last one.
 */
void vnpu_engines_call(struct vnpu_engines *engines, u32 class)
{
	if (!vnpu_engine_is_current(engines, class))
		vnpu_engines_call_another(engines, class);
}

/**
 * vnpu_engines_recall_locked() - ask for a stream that may be REMOTE
 * @stream: the stream
 */
void vnpu_engines_recall_locked(struct vnpu_stream *stream)
{
	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	if (stream->state == VNPU_STREAM_REMOTE)
		stream->remote->recall(stream);
}

/**
 * vnpu_engines_wake_locked() - have a stream that waits look again
 * @stream: the stream; afterwards engines of its class are to be called
 */
void vnpu_engines_wake_locked(struct vnpu_stream *stream)
{
	if (stream->state == VNPU_STREAM_BLOCKED) {
		vnpu_engines_push_locked(stream);
		return;
	}
	vnpu_engines_recall_locked(stream);
	WRITE_ONCE(stream->woken, true);
}

/**
 * vnpu_engines_wake() - what a stream waits for has happened, or may have
 * @stream: the stream, whose task waits
 *
 * Also from a timer.
 */
void vnpu_engines_wake(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	bool pushed;
	u32 class;

	spin_lock_bh(&engines->lock);
	class = stream->class;
	pushed = stream->state == VNPU_STREAM_BLOCKED;
	vnpu_engines_wake_locked(stream);
	spin_unlock_bh(&engines->lock);
	if (pushed)
		vnpu_engines_call(engines, class);
}

static enum hrtimer_restart vnpu_stream_timer(struct hrtimer *timer)
{
	vnpu_engines_wake(container_of(timer, struct vnpu_stream, timer));
	return HRTIMER_NORESTART;
}

/**
 * vnpu_engines_init_stream() - a new stream, which is idle
 * @stream: the stream
 */
void vnpu_engines_init_stream(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	stream->state = VNPU_STREAM_IDLE;
	vnpu_hrtimer_setup(&stream->timer, vnpu_stream_timer, CLOCK_MONOTONIC,
			   HRTIMER_MODE_ABS_SOFT);
	spin_lock_bh(&engines->lock);
	list_add_tail(&stream->dev_link, &engines->streams);
	spin_unlock_bh(&engines->lock);
}

/* Returns whether an engine of its class is to be called. */
static bool vnpu_engines_kick_locked(struct vnpu_stream *stream)
{
	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	if (!vnpu_stream_is_wanted(stream) && READ_ONCE(stream->ring) &&
	    (stream->state == VNPU_STREAM_IDLE ||
	     stream->state == VNPU_STREAM_BLOCKED)) {
		vnpu_engines_push_locked(stream);
		return true;
	}
	vnpu_engines_recall_locked(stream);
	WRITE_ONCE(stream->woken, true);
	return false;
}

/**
 * vnpu_engines_kick() - have an engine look at a stream
 * @stream: the stream, with a ring
 *
 * Return: false if it is being ended.
 */
bool vnpu_engines_kick(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	bool pushed, dying;
	u32 class;

	spin_lock_bh(&engines->lock);
	class = stream->class;
	dying = stream->dying;
	pushed = vnpu_engines_kick_locked(stream);
	spin_unlock_bh(&engines->lock);
	if (pushed)
		vnpu_engines_call(engines, class);
	return !dying;
}

/**
 * vnpu_engines_kick_all() - have engines look at all streams
 * @engines: the engines of a device
 */
void vnpu_engines_kick_all(struct vnpu_engines *engines)
{
	struct vnpu_stream *stream;
	u32 class;

	spin_lock_bh(&engines->lock);
	list_for_each_entry(stream, &engines->streams, dev_link)
		vnpu_engines_kick_locked(stream);
	spin_unlock_bh(&engines->lock);
	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		vnpu_engines_call_another(engines, class);
}
