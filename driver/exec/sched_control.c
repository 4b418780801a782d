// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control of streams that engines may own: cancel their tasks, stop, freeze and
 * end them. See sched.c.
 */
#include <linux/hrtimer.h>

#include "context.h"
#include "engine.h"
#include "sched.h"

/**
 * vnpu_engines_unstop_locked() - let a stopped stream run tasks again
 * @stream: the stream; nothing happens if it is not stopped
 */
void vnpu_engines_unstop_locked(struct vnpu_stream *stream)
{
	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	WRITE_ONCE(stream->stopped, false);
	if (stream->context)
		WRITE_ONCE(stream->stops, stream->context->stops);
}

/**
 * vnpu_engines_cancel() - cancel the tasks of a stream up to a number
 * @stream: the stream, which continues with the tasks after these
 * @last: number of the last task to cancel
 */
void vnpu_engines_cancel(struct vnpu_stream *stream, u64 last)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	if (last > stream->cancel_upto)
		WRITE_ONCE(stream->cancel_upto, last);
	vnpu_engines_unstop_locked(stream);
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_stop() - stop a stream and all streams of its context
 * @stream: the stream
 * @seq: number of the failed task. If vnpu_engines_cancel() has cancelled this
 *	task, only the other streams of the context stop.
 *
 * The tasks of a stopped stream are cancelled until vnpu_engines_cancel().
 */
void vnpu_engines_stop(struct vnpu_stream *stream, u64 seq)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	struct vnpu_context *context = stream->context;

	spin_lock_bh(&engines->lock);
	if (seq > stream->cancel_upto)
		WRITE_ONCE(stream->stopped, true);
	else if (context && stream->stops == context->stops)
		WRITE_ONCE(stream->stops, context->stops + 1);
	if (context)
		WRITE_ONCE(context->stops, context->stops + 1);
	spin_unlock_bh(&engines->lock);
}

static void vnpu_engines_pull_locked(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	lockdep_assert_held(&engines->lock);
	if (stream->state == VNPU_STREAM_READY)
		vnpu_engines_unpush_locked(stream);
	if (stream->state == VNPU_STREAM_READY ||
	    stream->state == VNPU_STREAM_BLOCKED)
		stream->state = VNPU_STREAM_IDLE;
	vnpu_engines_recall_locked(stream);
}

static bool vnpu_engines_is_idle(struct vnpu_stream *stream, bool frozen)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	bool idle;

	spin_lock_bh(&engines->lock);
	idle = stream->state == VNPU_STREAM_IDLE && stream->frozen == frozen;
	spin_unlock_bh(&engines->lock);
	return idle;
}

/**
 * vnpu_engines_kill() - let no engine begin work of an ending stream
 * @stream: the stream
 */
void vnpu_engines_kill(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	WRITE_ONCE(stream->dying, true);
	vnpu_engines_pull_locked(stream);
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_detach() - take an ending stream from the engines
 * @stream: the stream
 *
 * This waits for a chunk of its work at most, or for the thread from which it
 * was recalled. When it returns, no engine or timer uses the stream.
 */
void vnpu_engines_detach(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	vnpu_engines_kill(stream);
	wait_event(engines->detached, vnpu_engines_is_idle(stream, false));
	spin_lock_bh(&engines->lock);
	list_del(&stream->dev_link);
	vnpu_engines_unpace_locked(stream);
	spin_unlock_bh(&engines->lock);
	hrtimer_cancel(&stream->timer);
}

/**
 * vnpu_engines_freeze() - give the calling thread exclusive use of a stream
 * @stream: the stream, which is not frozen; another thread may end it meanwhile
 *
 * This waits as long as vnpu_engines_detach().
 */
void vnpu_engines_freeze(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	WRITE_ONCE(stream->frozen, true);
	vnpu_engines_pull_locked(stream);
	spin_unlock_bh(&engines->lock);

	wait_event(engines->detached, vnpu_engines_is_idle(stream, true));
}

/**
 * vnpu_engines_thaw() - let engines run a frozen stream again
 * @stream: the stream, which the caller has frozen
 */
void vnpu_engines_thaw(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	bool dying;
	u32 class;

	spin_lock_bh(&engines->lock);
	WRITE_ONCE(stream->frozen, false);
	class = stream->class;
	dying = stream->dying;
	if (!dying)
		vnpu_engines_push_locked(stream);
	spin_unlock_bh(&engines->lock);
	if (dying)
		wake_up_all(&engines->detached);
	else
		vnpu_engines_call(engines, class);
}

/**
 * vnpu_engines_set_priority() - set the priority of a stream
 * @stream: the stream, to which it applies from the next turn on
 * @priority: a number below VNPU_STREAM_PRIORITIES
 */
void vnpu_engines_set_priority(struct vnpu_stream *stream, u32 priority)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	if (stream->state == VNPU_STREAM_READY)
		vnpu_engines_unpush_locked(stream);
	stream->priority = priority;
	if (stream->state == VNPU_STREAM_READY)
		vnpu_engines_push_locked(stream);
	spin_unlock_bh(&engines->lock);
}
