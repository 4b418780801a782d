// SPDX-License-Identifier: GPL-2.0-only
/*
 * The turns of streams: how an engine gets a stream, and gives it on; and how a
 * thread does to which an engine has given one. See sched.c.
 */
#include "engine.h"
#include "ring.h"
#include "sched.h"
#include "sched_client.h"
#include "task.h"

static struct vnpu_stream *vnpu_stream_of_ready(struct vnpu_ready_node *node,
						u32 class)
{
	return node ? container_of(node, struct vnpu_stream, ready[class]) :
		      NULL;
}

/* No other stream waits for an engine of the class. */
static void vnpu_engines_go_on_locked(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	u32 class = stream->class;

	lockdep_assert_held(&engines->lock);
	vnpu_fairq_go_on(&engines->ready[class], &stream->share->fair[class],
			 &stream->ready[class], stream->priority);
	stream->woken = false;
}

/* The engine has added up how long the turn took, see vnpu_engine_account(). */
static void vnpu_engines_charge_locked(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	u32 class = stream->engine->class;

	lockdep_assert_held(&engines->lock);
	vnpu_fairq_charge(&engines->ready[class], &stream->share->fair[class],
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
	vnpu_fairq_end(&stream->share->fair[stream->engine->class]);
	stream->engine = NULL;
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
		wake_up_all(&engines->detached);
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
 * vnpu_engines_busy_poll() - the stream has no task, but may get one
 * @stream: the stream, which stays the engine's
 */
void vnpu_engines_busy_poll(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	vnpu_engines_charge_locked(stream);
	vnpu_engines_end_turn_locked(stream);
	stream->state = VNPU_STREAM_POLLED;
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
		wake_up_all(&engines->detached);
}
