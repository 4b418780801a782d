// SPDX-License-Identifier: GPL-2.0-only
/*
 * Owners of streams.
 *
 * A stream has one owner at a time (enum vnpu_stream_owner). The owner uses the
 * stream without a lock, and hands it over under the lock of the device's
 * engines.
 *
 *	IDLE --doorbell--> READY --engine--> RUNNING --waits--> BLOCKED --> READY
 *	  ^                                   | |
 *	  +------ poll time is over - POLLED <+ +--not for engines--> REMOTE --> READY
 *
 * A REMOTE stream belongs to a thread other than an engine, which may sleep
 * during a task or a part of it. vnpu_remote_ops.take() hands the stream to the
 * thread, and the thread returns it by vnpu_engines_take_back(). An engine, or
 * a caller that cannot wait for the thread, calls vnpu_remote_ops.recall() to
 * get the stream back soon.
 *
 * A stream may be woken while it is still RUNNING. It is then marked as @woken,
 * and becomes READY instead of BLOCKED. A wake-up without a reason is harmless.
 *
 * This file makes streams READY. sched_turn.c has the turns of engines, and
 * sched_control.c the functions that take a stream from its owner.
 */
#include <linux/hrtimer.h>

#include "compat.h"
#include "engine.h"
#include "sched.h"
#include "sched_client.h"

/**
 * vnpu_engines_push_locked() - add a stream to the ready queue of its class
 * @stream: the stream, which has no owner; the caller then calls an engine of
 *	its class
 */
void vnpu_engines_push_locked(struct vnpu_stream *stream)
{
	u32 class = stream->class;

	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	stream->state = VNPU_STREAM_READY;
	/* An engine will check for tasks, so user space need not ring. */
	vnpu_stream_set_ring_state(stream, stream->ring_state &
				   ~VNPU_RING_NEED_DOORBELL);
	vnpu_fairq_push(&stream->share->fair[class], &stream->ready[class],
			stream->priority);
}

/**
 * vnpu_engines_unpush_locked() - remove a stream from its ready queue
 * @stream: the stream, which is READY; the caller sets its new state
 */
void vnpu_engines_unpush_locked(struct vnpu_stream *stream)
{
	u32 class = stream->class;

	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	vnpu_fairq_remove(&stream->share->fair[class], &stream->ready[class]);
}

/**
 * vnpu_engines_call_another() - wake a sleeping engine
 * @engines: the engines of a device
 * @class: the class of the engine
 */
void vnpu_engines_call_another(struct vnpu_engines *engines, u32 class)
{
	if (wq_has_sleeper(&engines->sleepers[class]))
		wake_up(&engines->sleepers[class]);
}

/**
 * vnpu_engines_call() - let an engine find a stream that has become ready
 * @engines: the engines of a device; the caller has released the lock
 * @class: the class of the engine
 *
 * This does nothing in an engine of the class. That engine takes the next
 * stream itself, after a chunk of work at most, and wakes another engine if
 * more streams are ready.
 */
void vnpu_engines_call(struct vnpu_engines *engines, u32 class)
{
	if (!vnpu_engine_is_current(engines, class))
		vnpu_engines_call_another(engines, class);
}

/**
 * vnpu_engines_recall_locked() - recall a stream if it is REMOTE
 * @stream: the stream
 */
void vnpu_engines_recall_locked(struct vnpu_stream *stream)
{
	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	if (stream->state == VNPU_STREAM_REMOTE)
		stream->remote->recall(stream);
}

/**
 * vnpu_engines_wake_locked() - wake a waiting stream
 * @stream: the stream; the caller then calls an engine of its class
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
 * vnpu_engines_wake() - wake a waiting stream, and call an engine for it
 * @stream: the stream; its task checks its condition again
 *
 * May be called by a timer.
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
 * vnpu_engines_init_stream() - add a new stream, which is IDLE
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

/* Return true if the caller must call an engine of the stream's class. */
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
 * vnpu_engines_kick() - let an engine check a stream for tasks
 * @stream: the stream
 *
 * Return: false if the stream is ending.
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
 * vnpu_engines_kick_all() - let engines check all streams
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
