// SPDX-License-Identifier: GPL-2.0-only
/*
 * The turns of streams: an engine, or a thread to which an engine has given a
 * stream, takes it and passes it on. See sched.c.
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

/* Start another turn; no other stream waits for an engine of the class. */
static void vnpu_engines_go_on_locked(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	u32 class = stream->class;

	lockdep_assert_held(&engines->lock);
	vnpu_fairq_go_on(&engines->ready[class], &stream->share->fair[class],
			 &stream->ready[class], stream->priority);
	stream->woken = false;
}

/* Charge the time of the turn, which vnpu_engine_account() has added up. */
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
 * End the turn of a stream. If the caller has queued the stream again before,
 * its client does not count as idle in between.
 */
static void vnpu_engines_end_turn_locked(struct vnpu_stream *stream)
{
	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	vnpu_fairq_end(&stream->share->fair[stream->engine->class]);
	stream->engine = NULL;
}

/**
 * vnpu_engines_next() - take the next stream from the ready queue
 * @engine: the calling engine
 *
 * If more streams are ready, this wakes another engine.
 *
 * Return: the stream, now owned by the engine, or NULL.
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
 * vnpu_engines_has_ready() - check if a stream is ready
 * @engine: the calling engine
 *
 * This needs no lock: a thread that makes a stream ready then wakes a sleeping
 * engine.
 *
 * Return: true if a stream is ready.
 */
bool vnpu_engines_has_ready(struct vnpu_engine *engine)
{
	struct vnpu_fairq *ready = &engine->engines->ready[engine->class];

	/* The result may be out of date when the caller gets it. */
	return data_race(!vnpu_fairq_is_empty(ready));
}

/*
 * Pass a stream on to the ready queue or, if a thread waits to freeze or end
 * the stream, to that thread. Called by the owner, and releases the lock.
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
	/* The stream may be freed from here on, but not the engines. */
	if (wanted)
		wake_up_all(&engines->detached);
	else
		vnpu_engines_call(engines, class);
}

/**
 * vnpu_engines_yield() - end the turn of a stream that has more to do
 * @stream: the stream; its task may need an engine of another class
 * @class: class of the calling engine
 *
 * Return: true if the engine keeps the stream for another turn, because no
 * other stream is ready.
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
 * vnpu_engines_block() - end the turn of a stream while its task waits
 * @stream: the stream, which the engine no longer owns after this
 */
void vnpu_engines_block(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	vnpu_engines_charge_locked(stream);
	/* A thread that wants the stream does not check for BLOCKED again. */
	if (stream->woken || vnpu_stream_is_wanted(stream)) {
		vnpu_engines_pass_on(stream);
		return;
	}
	stream->state = VNPU_STREAM_BLOCKED;
	vnpu_engines_end_turn_locked(stream);
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_give() - hand a stream to a thread other than an engine
 * @stream: the stream; its @remote is set to the operations of the thread,
 *	which owns it after this
 */
void vnpu_engines_give(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	vnpu_engines_charge_locked(stream);
	/* As in vnpu_engines_block(); a REMOTE stream would be recalled. */
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
 * vnpu_engines_take_back() - return a REMOTE stream to the engines
 * @stream: the stream, which the thread no longer owns; it may be freed after
 *	this
 */
void vnpu_engines_take_back(struct vnpu_stream *stream)
{
	spin_lock_bh(&vnpu_engines_of(stream)->lock);
	WARN_ON_ONCE(stream->state != VNPU_STREAM_REMOTE);
	vnpu_engines_pass_on(stream);
}

/**
 * vnpu_engines_take_over_locked() - take a waiting stream from the engines
 * @stream: the stream
 * @ops: operations of the calling thread, which returns the stream soon, by
 *	vnpu_engines_take_back() or vnpu_engines_rest()
 *
 * Return: true if the caller owns the stream; false if it does not wait.
 */
bool vnpu_engines_take_over_locked(struct vnpu_stream *stream,
				   const struct vnpu_remote_ops *ops)
{
	lockdep_assert_held(&vnpu_engines_of(stream)->lock);
	if (stream->state != VNPU_STREAM_BLOCKED)
		return false;
	stream->state = VNPU_STREAM_REMOTE;
	stream->remote = ops;
	stream->woken = false;
	return true;
}

/**
 * vnpu_engines_rest() - return a REMOTE stream until its task is woken
 * @stream: the stream, which the thread no longer owns; it may be freed after
 *	this
 */
void vnpu_engines_rest(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);

	spin_lock_bh(&engines->lock);
	WARN_ON_ONCE(stream->state != VNPU_STREAM_REMOTE);
	/* As in vnpu_engines_block(). */
	if (stream->woken || vnpu_stream_is_wanted(stream)) {
		vnpu_engines_pass_on(stream);
		return;
	}
	stream->state = VNPU_STREAM_BLOCKED;
	spin_unlock_bh(&engines->lock);
}

/**
 * vnpu_engines_busy_poll() - end the turn of a stream without tasks, and poll
 * it
 * @stream: the stream, which the engine still owns
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
 * vnpu_engines_resume() - make a polled stream that has a task ready
 * @stream: the stream, which the engine no longer owns after this
 */
void vnpu_engines_resume(struct vnpu_stream *stream)
{
	spin_lock_bh(&vnpu_engines_of(stream)->lock);
	vnpu_engines_pass_on(stream);
}

/**
 * vnpu_engines_idle() - make a stream without tasks idle
 * @stream: the stream, which has no owner after this and needs a doorbell
 */
void vnpu_engines_idle(struct vnpu_stream *stream)
{
	struct vnpu_engines *engines = vnpu_engines_of(stream);
	bool goes_on, wanted;
	u32 class;

	vnpu_stream_set_ring_state(stream, stream->ring_state |
				   VNPU_RING_NEED_DOORBELL);
	/*
	 * Order the store of the flag before the load of the tail. Pairs with
	 * the full barrier of user space between its store to the tail and its
	 * load of the state, see linux/vnpu_task.h.
	 */
	smp_mb();

	spin_lock_bh(&engines->lock);
	class = stream->class;
	if (stream->engine)
		vnpu_engines_charge_locked(stream);
	wanted = vnpu_stream_is_wanted(stream);
	/* A woken stream may have to report that it is stopped. */
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
