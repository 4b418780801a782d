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
 */
#include <linux/hrtimer.h>

#include "client.h"
#include "compat.h"
#include "context.h"
#include "device.h"
#include "engine.h"
#include "ring.h"
#include "sched_client.h"
#include "stream.h"
#include "task.h"

static struct vnpu_engines *vnpu_engines_of(const struct vnpu_stream *stream)
{
	return stream->dev->engines;
}

static struct vnpu_stream *vnpu_stream_of_ready(struct vnpu_ready_node *node,
						u32 class)
{
	return node ? container_of(node, struct vnpu_stream, ready[class]) :
		      NULL;
}

static void vnpu_engines_push_locked(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	u32 class = stream->class;

	lockdep_assert_held(&engines->lock);
	stream->state = VNPU_STREAM_READY;
	/* An engine will look for tasks: no more bells until it has. */
	vnpu_stream_set_ring_state(stream, stream->ring_state &
				   ~VNPU_RING_NEED_DOORBELL);
	vnpu_fairq_push(&engines->ready[class], &stream->sched->fair[class],
			&stream->ready[class], stream->priority);
}

static void vnpu_engines_unpush_locked(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	u32 class = stream->class;

	lockdep_assert_held(&engines->lock);
	vnpu_fairq_remove(&engines->ready[class], &stream->sched->fair[class],
			  &stream->ready[class]);
}

/* No other stream waits for an engine of the class. */
static void vnpu_engines_go_on_locked(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	u32 class = stream->class;

	lockdep_assert_held(&engines->lock);
	vnpu_fairq_go_on(&engines->ready[class], &stream->sched->fair[class],
			 &stream->ready[class], stream->priority);
	stream->woken = false;
}

/* The engine has added up how long the turn took, see vnpu_engine_account(). */
static void vnpu_engines_charge_locked(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	u32 class = stream->engine->class;

	lockdep_assert_held(&engines->lock);
	vnpu_fairq_charge(&engines->ready[class], &stream->sched->fair[class],
			  &stream->ready[class], stream->uncharged);
	stream->uncharged = 0;
}

/*
 * What an engine has just done with a stream is over. A client whose stream waits
 * for the next turn already has not been idle in between.
 */
static void vnpu_engines_end_turn_locked(struct vnpu_stream *stream)
{
	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	vnpu_fairq_end(&stream->sched->fair[stream->engine->class]);
	stream->engine = NULL;
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

static void vnpu_engines_recall_locked(struct vnpu_stream *stream)
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

/**
 * vnpu_engines_cancel() - cancel tasks, and go on with those after them
 * @stream: the stream
 * @last: number of the last one
 */
void vnpu_engines_cancel(struct vnpu_stream *stream, u64 last)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	if (last > stream->cancel_upto)
		WRITE_ONCE(stream->cancel_upto, last);
	WRITE_ONCE(stream->stopped, false);
	if (stream->context)
		WRITE_ONCE(stream->stops, stream->context->stops);
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_stop() - cancel all tasks from now on
 * @stream: the stream
 * @seq: number of the task that is the reason; it is none for the stream itself
 *	if it was cancelled
 *
 * All streams of its context, likewise.
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
 * vnpu_engines_doom() - have no engine begin anything of a stream
 * @stream: the stream, which ends
 */
void vnpu_engines_doom(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	WRITE_ONCE(stream->dying, true);
	vnpu_engines_pull_locked(stream);
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_withdraw() - have no engine touch a stream any more
 * @stream: the stream, which ends
 *
 * Waits for no more than a chunk of its work, or for a thread that was called back.
 */
void vnpu_engines_withdraw(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	vnpu_engines_doom(stream);
	wait_event(engines->withdrawn, vnpu_engines_is_idle(stream, false));
	spin_lock_bh(&engines->lock);
	list_del(&stream->dev_link);
	vnpu_engines_unpace_locked(stream);
	spin_unlock_bh(&engines->lock);
	hrtimer_cancel(&stream->timer);
}

/**
 * vnpu_engines_freeze() - have a stream for oneself
 * @stream: the stream, which may be ended meanwhile; not frozen
 *
 * Waits as vnpu_engines_withdraw().
 */
void vnpu_engines_freeze(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	WRITE_ONCE(stream->frozen, true);
	vnpu_engines_pull_locked(stream);
	spin_unlock_bh(&engines->lock);

	wait_event(engines->withdrawn, vnpu_engines_is_idle(stream, true));
}

/**
 * vnpu_engines_thaw() - have a stream run again
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
		wake_up_all(&engines->withdrawn);
	else
		vnpu_engines_call(engines, class);
}

/**
 * vnpu_engines_set_priority() - from its next turn on
 * @stream: the stream
 * @priority: below VNPU_STREAM_PRIORITIES
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

/**
 * vnpu_engines_next() - the stream that is to be run next
 * @engine: by whom
 *
 * If there are more, another engine is called.
 *
 * Return: the stream, which is the engine's now, or NULL.
 */
struct vnpu_stream *vnpu_engines_next(struct vnpu_engine *engine)
{
	struct vnpu_engines *engines = engine->engines;
	struct vnpu_ready_node *node;
	struct vnpu_stream *stream;
	bool more;

	if (!vnpu_engines_has_ready(engine))
		return NULL;
	spin_lock_bh(&engines->lock);
	node = vnpu_fairq_pop(&engines->ready[engine->class]);
	stream = vnpu_stream_of_ready(node, engine->class);
	if (stream) {
		stream->state = VNPU_STREAM_RUNNING;
		stream->engine = engine;
		stream->uncharged = 0;
		vnpu_engines_unpace_locked(stream);
		stream->woken = false;
	}
	more = !vnpu_fairq_is_empty(&engines->ready[engine->class]);
	spin_unlock_bh(&engines->lock);
	if (more)
		vnpu_engines_call_another(engines, engine->class);
	return stream;
}

/**
 * vnpu_engines_has_ready() - is there anything to run?
 * @engine: by whom
 *
 * Without a lock: who makes a stream ready calls a sleeper after that.
 */
bool vnpu_engines_has_ready(struct vnpu_engine *engine)
{
	struct vnpu_fairq *ready = &engine->engines->ready[engine->class];

	/* It may be wrong as soon as it is told. */
	return data_race(!vnpu_fairq_is_empty(ready));
}

/*
 * An engine, or a thread that had a stream from one, gives it on to the ready queue;
 * or to a caller that wants it and waits for that.
 */
static void vnpu_engines_pass_on(struct vnpu_stream *stream)
	__releases(&vnpu_engines_of(stream)->lock)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	bool wanted = vnpu_stream_is_wanted(stream);
	u32 class = stream->class;

	if (wanted)
		stream->state = VNPU_STREAM_IDLE;
	else
		vnpu_engines_push_locked(stream);
	if (stream->engine)
		vnpu_engines_end_turn_locked(stream);
	spin_unlock_bh(&engines->lock);
	/* From here on the stream may be gone, but not the engines. */
	if (wanted)
		wake_up_all(&engines->withdrawn);
	else
		vnpu_engines_call(engines, class);
}

/**
 * vnpu_engines_yield() - let others have their turn
 * @stream: the stream, with more to do, maybe by an engine of another class
 * @class: of the engine that has it
 *
 * Return: true if it is to go on at once, since nobody else is there.
 */
bool vnpu_engines_yield(struct vnpu_stream *stream, u32 class)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	bool is_empty;

	spin_lock_bh(&engines->lock);
	vnpu_engines_charge_locked(stream);
	if (stream->run.op && stream->run.op->class != VNPU_ENGINE_ANY)
		stream->class = stream->run.op->class;
	is_empty = vnpu_fairq_is_empty(&engines->ready[stream->class]);
	if (is_empty && stream->class == class) {
		vnpu_engines_go_on_locked(stream);
		spin_unlock_bh(&engines->lock);
		return true;
	}
	vnpu_engines_pass_on(stream);
	return false;
}

/**
 * vnpu_engines_block() - the task waits
 * @stream: the stream, which is somebody else's after this
 */
void vnpu_engines_block(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	vnpu_engines_charge_locked(stream);
	/* Who wants a stream does not look for one that blocks later. */
	if (stream->woken || vnpu_stream_is_wanted(stream)) {
		vnpu_engines_pass_on(stream);
		return;
	}
	stream->state = VNPU_STREAM_BLOCKED;
	vnpu_engines_end_turn_locked(stream);
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_give() - the task needs a thread that is no engine
 * @stream: the stream, whose @remote says which; it is the thread's after this
 */
void vnpu_engines_give(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	vnpu_engines_charge_locked(stream);
	/* As in vnpu_engines_block(): this would have been a recall. */
	if (stream->woken || vnpu_stream_is_wanted(stream)) {
		vnpu_engines_pass_on(stream);
		return;
	}
	stream->state = VNPU_STREAM_REMOTE;
	vnpu_engines_end_turn_locked(stream);
	stream->remote->take(stream);
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_take_back() - the thread that had a stream is done with it
 * @stream: the stream, which is an engine's after this, or is gone
 */
void vnpu_engines_take_back(struct vnpu_stream *stream)
{
	spin_lock_bh(&vnpu_engines_of(stream)->lock);
	WARN_ON_ONCE(stream->state != VNPU_STREAM_REMOTE);
	vnpu_engines_pass_on(stream);
}

/**
 * vnpu_engines_linger() - the stream has no task, but may get one
 * @stream: the stream, which stays the engine's
 */
void vnpu_engines_linger(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	vnpu_engines_charge_locked(stream);
	vnpu_engines_end_turn_locked(stream);
	stream->state = VNPU_STREAM_LINGERING;
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_resume() - the stream has got a task
 * @stream: the stream, which lingered, and is somebody else's after this
 */
void vnpu_engines_resume(struct vnpu_stream *stream)
{
	spin_lock_bh(&vnpu_engines_of(stream)->lock);
	vnpu_engines_pass_on(stream);
}

/**
 * vnpu_engines_idle() - nobody looks at the stream any more
 * @stream: the stream, which is nobody's after this
 */
void vnpu_engines_idle(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	bool goes_on, wanted;
	u32 class;

	vnpu_stream_set_ring_state(stream, stream->ring_state |
				   VNPU_RING_NEED_DOORBELL);
	/* Who submits a task looks for that after the tail was written. */
	smp_mb();

	spin_lock_bh(&engines->lock);
	class = stream->class;
	if (stream->engine)
		vnpu_engines_charge_locked(stream);
	wanted = vnpu_stream_is_wanted(stream);
	/* What it was woken for may be to tell that it is stopped. */
	goes_on = !wanted && !(stream->ring_state & VNPU_RING_BROKEN) &&
		  (stream->woken || vnpu_stream_has_tasks(stream));
	if (goes_on)
		vnpu_engines_push_locked(stream);
	else
		stream->state = VNPU_STREAM_IDLE;
	if (stream->engine)
		vnpu_engines_end_turn_locked(stream);
	spin_unlock_bh(&engines->lock);
	if (goes_on)
		vnpu_engines_call(engines, class);
	else if (wanted)
		wake_up_all(&engines->withdrawn);
}
