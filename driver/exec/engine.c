// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engines: the threads that run tasks.
 *
 * An engine, which engine_start.c starts and stops, takes a stream, runs its
 * tasks for a while, and hands it on as sched_turn.c decides. When the ring is
 * empty, it keeps polling the stream for some time. So a program that has just
 * seen the end of one task can submit the next without a system call. After
 * that the program has to ring the doorbell.
 */
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched/stat.h>

#include "base/client.h"
#include "base/device.h"
#include "base/upcalls.h"
#include "ras/inject.h"
#include "engine.h"
#include "stream.h"
#include "task.h"
#include "trace.h"

static unsigned int poll_us = 100;
module_param(poll_us, uint, 0644);
MODULE_PARM_DESC(poll_us, "Microseconds for which an engine polls a stream for more tasks before the stream needs a doorbell, unless its processor has other work; 0 for not at all (default: 100)");

/* The maximum time for which an engine polls a stream. */
#define VNPU_POLL_US_MAX	10000

/* The result of a turn. */
enum vnpu_turn {
	VNPU_TURN_EMPTY,	/* there is no task */
	/* the turn is over, or another stream goes first */
	VNPU_TURN_OVER,
	VNPU_TURN_BLOCKED,	/* the task waits */
	/* the task needs a thread other than an engine */
	VNPU_TURN_REMOTE,
	VNPU_TURN_END,		/* the stream ends, or is broken */
};

/* Check if a task is for an engine of this class. */
static bool vnpu_engine_can_run(const struct vnpu_engine *engine,
				const struct vnpu_stream *stream)
{
	u32 class = stream->run.op->class;

	return class == VNPU_ENGINE_ANY || class == engine->class;
}

/* Begin the fetched task, and run a first part of it if this engine can. */
static int vnpu_engine_begin(struct vnpu_engine *engine,
			     struct vnpu_stream *stream, u64 *cost)
{
	int ret;

	trace_vnpu_task_start(stream);
	/* For a shorter task, reading the clock would cost too much. */
	if (trace_vnpu_task_finish_enabled())
		WRITE_ONCE(stream->run.since, ktime_get_ns());
	ret = vnpu_task_begin(stream);
	if (likely(!ret))
		ret = vnpu_engine_can_run(engine, stream) ?
		      vnpu_task_run(engine, stream, cost) : VNPU_TASK_MORE;
	*cost += VNPU_TASK_COST;
	return ret;
}

/* Check if tasks can be run as a batch: nothing has to handle each of them. */
static bool vnpu_engine_may_batch(const struct vnpu_stream *stream)
{
	return !vnpu_inject_is_on() && !trace_vnpu_task_start_enabled() &&
	       !trace_vnpu_task_finish_enabled() &&
	       stream->taken >= stream->latched_last &&
	       !vnpu_task_is_cancelled(stream, stream->taken + 1) &&
	       !vnpu_device_is_gone(stream->dev);
}

/*
 * Run small tasks, and fetch the next task that is not small, if there is one.
 */
static bool vnpu_engine_fetch(struct vnpu_engine *engine,
			      struct vnpu_stream *stream, u64 *cost)
{
	/*
	 * If a thread changes one of these before it submits a task, an engine
	 * that sees the task sees the change, too.
	 */
	if (likely(vnpu_engine_may_batch(stream)))
		return vnpu_task_run_batch(engine, stream, cost);
	vnpu_stream_fetch(stream);
	return true;
}

/*
 * Find the next task, as vnpu_stream_look() does.
 *
 * A stream records one failed task, with those right before it. So the fences
 * of these tasks are signalled before the next task begins, which may fail as
 * well. Each task with a fence is latched, and begins after a call of this
 * function for it alone. If a fence is created after the call, its task is
 * either complete or has not begun.
 */
static int vnpu_engine_look(struct vnpu_stream *stream, u64 *cost)
{
	if (unlikely(stream->bad_seq) && vnpu_stream_wake_some(stream, cost))
		return -EAGAIN;
	return vnpu_stream_look(stream, cost);
}

static enum vnpu_turn vnpu_engine_turn(struct vnpu_engine *engine,
				       struct vnpu_stream *stream)
{
	u64 cost = 0;

	/* Waiters come first; vnpu_engine_publish() wakes some more of them. */
	if (unlikely(stream->waking) && !vnpu_stream_is_wanted(stream))
		return VNPU_TURN_OVER;
	while (cost < VNPU_TASK_CHUNK) {
		int result;

		if (unlikely(vnpu_stream_is_wanted(stream)))
			return VNPU_TURN_END;
		if (likely(!stream->run.op)) {
			int ret = vnpu_engine_look(stream, &cost);

			if (unlikely(ret == -EAGAIN))
				return VNPU_TURN_OVER;
			if (ret <= 0)
				return ret ? VNPU_TURN_END : VNPU_TURN_EMPTY;
			if (!vnpu_engine_fetch(engine, stream, &cost))
				continue;
			result = vnpu_engine_begin(engine, stream, &cost);
		} else if (vnpu_engine_can_run(engine, stream)) {
			result = vnpu_task_resume(engine, stream, &cost);
		} else {
			return VNPU_TURN_OVER;
		}
		if (result == VNPU_TASK_BLOCKED)
			return VNPU_TURN_BLOCKED;
		if (result == VNPU_TASK_REMOTE)
			return VNPU_TURN_REMOTE;
		if (result != VNPU_TASK_MORE) {
			vnpu_stream_complete(stream, result);
			WRITE_ONCE(engine->tasks, engine->tasks + 1);
		}
	}
	return VNPU_TURN_OVER;
}

static u64 vnpu_poll_ns(void)
{
	return min_t(u64, READ_ONCE(poll_us), VNPU_POLL_US_MAX) * NSEC_PER_USEC;
}

/* Poll a stream without tasks for some time. */
static void vnpu_engine_busy_poll(struct vnpu_engine *engine,
				  struct vnpu_stream *stream, u64 now)
{
	u64 poll_ns = vnpu_poll_ns();

	/* The tasks of a graph come with a wake-up. */
	if (!poll_ns || stream->graph ||
	    engine->nr_busy_polled == VNPU_BUSY_POLL_MAX) {
		vnpu_engines_idle(stream);
		return;
	}
	vnpu_engines_busy_poll(stream);
	engine->busy_polled[engine->nr_busy_polled++] = (struct vnpu_busy_poll){
		.stream = stream,
		.until = now + poll_ns,
	};
}

static void vnpu_engine_account(struct vnpu_engine *engine,
				struct vnpu_stream *stream, u64 start, u64 now)
{
	u64 ns = now - start;

	/* A task is left at the end of the turn. It began in this one. */
	if (stream->run.op && !stream->run.since)
		WRITE_ONCE(stream->run.since, start);
	WRITE_ONCE(engine->busy, vnpu_busy_at(engine->busy, now));
	WRITE_ONCE(stream->busy_ns, stream->busy_ns + ns);
	stream->uncharged += ns;
	atomic64_add(ns, &stream->client->busy_ns[engine->class]);
	trace_vnpu_engine_turn(engine, stream, ns);
}

/*
 * Publish the tasks that the turn has completed. Remaining waiters are woken in
 * later turns, which are charged to the client like others. Returns the time at
 * which the turn has ended.
 */
static u64 vnpu_engine_publish(struct vnpu_stream *stream, enum vnpu_turn *turn)
{
	u64 now = ktime_get_ns(), cost = 0;

	vnpu_stream_publish(stream, now, &cost);
	if (unlikely(stream->waking) && !vnpu_stream_is_wanted(stream))
		*turn = VNPU_TURN_OVER;
	return cost ? ktime_get_ns() : now;
}

/*
 * Check a stream that the engine polls. It stops if its processor has other
 * work: that may be the thread that submits the next task.
 */
static bool vnpu_engine_is_busy_polling(const struct vnpu_busy_poll *slot, u64 now)
{
	struct vnpu_stream *stream = slot->stream;

	if (vnpu_stream_is_wanted(stream)) {
		vnpu_engines_idle(stream);
		return false;
	}
	if (vnpu_stream_has_tasks(stream) || READ_ONCE(stream->woken)) {
		vnpu_engines_resume(stream);
		return false;
	}
	if (now < slot->until && single_task_running())
		return true;
	vnpu_engines_idle(stream);
	return false;
}

static void vnpu_engine_poll(struct vnpu_engine *engine, u64 now)
{
	u32 i = 0;

	while (i < engine->nr_busy_polled) {
		if (vnpu_engine_is_busy_polling(&engine->busy_polled[i], now))
			i++;
		else
			engine->busy_polled[i] =
				engine->busy_polled[--engine->nr_busy_polled];
	}
}

/**
 * vnpu_engine_stop_busy_poll() - stop polling streams without tasks
 * @engine: the engine of the calling thread, which is about to be away for long
 */
void vnpu_engine_stop_busy_poll(struct vnpu_engine *engine)
{
	while (engine->nr_busy_polled)
		vnpu_engines_idle(engine->busy_polled[--engine->nr_busy_polled].stream);
	/* The engine does not take the next stream itself either. */
	if (vnpu_engines_has_ready(engine))
		vnpu_engines_call_another(engine->engines, engine->class);
}

/**
 * vnpu_engine_freeze() - wait if the system is about to suspend
 * @engine: the engine of the calling thread
 * @stream: the stream that it runs, or NULL
 *
 * The time does not count as part of the engine's turn, nor against the time
 * limit of the stream's task.
 */
void vnpu_engine_freeze(struct vnpu_engine *engine, struct vnpu_stream *stream)
{
	u64 beat = READ_ONCE(engine->beat), since, ns;

	if (likely(!freezing(current)))
		return;
	since = ktime_get_ns();
	WRITE_ONCE(engine->beat, 0);
	try_to_freeze();
	ns = ktime_get_ns() - since;
	if (beat)
		WRITE_ONCE(engine->beat, beat + ns);
	if (stream && stream->run.op && stream->run.deadline)
		stream->run.deadline += ns;
	engine->ended = 0;
}

static void vnpu_engine_serve(struct vnpu_engine *engine,
			      struct vnpu_stream *stream)
{
	u64 start = ktime_get_ns(), now;
	enum vnpu_turn turn;

	WRITE_ONCE(engine->running,
		   vnpu_engine_pack(stream->client->id, stream->number));
	do {
		if (unlikely(freezing(current))) {
			vnpu_engine_freeze(engine, stream);
			start = ktime_get_ns();
		}
		WRITE_ONCE(engine->beat, start);
		WRITE_ONCE(engine->busy,
			   vnpu_busy_begin(engine->busy, engine->ended ?: start));
		turn = vnpu_engine_turn(engine, stream);
		now = vnpu_engine_publish(stream, &turn);
		vnpu_engine_account(engine, stream, start, now);
		start = now;
		engine->ended = now;
		vnpu_engine_poll(engine, now);
		cond_resched();
	} while (turn == VNPU_TURN_OVER &&
		 vnpu_engines_yield(stream, engine->class));
	WRITE_ONCE(engine->running, 0);

	WRITE_ONCE(engine->beat, 0);
	switch (turn) {
	case VNPU_TURN_EMPTY:
		vnpu_engine_busy_poll(engine, stream, now);
		break;
	case VNPU_TURN_BLOCKED:
		vnpu_engines_block(stream);
		break;
	case VNPU_TURN_REMOTE:
		vnpu_engines_give(stream);
		break;
	case VNPU_TURN_END:
		vnpu_engines_idle(stream);
		break;
	case VNPU_TURN_OVER:
		break;
	}
}

static void vnpu_engine_sleep(struct vnpu_engine *engine)
{
	wait_queue_head_t *sleepers = &engine->engines->sleepers[engine->class];
	DEFINE_WAIT(wait);

	prepare_to_wait_exclusive(sleepers, &wait, TASK_IDLE | TASK_FREEZABLE);
	if (!vnpu_engines_has_ready(engine) && !kthread_should_stop()) {
		WRITE_ONCE(engine->asleep, true);
		schedule();
		WRITE_ONCE(engine->asleep, false);
	}
	finish_wait(sleepers, &wait);
}

/**
 * vnpu_engine_main() - run streams
 * @data: the engine
 *
 * Return: 0, when the thread is stopped.
 */
int vnpu_engine_main(void *data)
{
	struct vnpu_engine *engine = data;

	set_freezable();
	while (!kthread_should_stop()) {
		struct vnpu_stream *stream;

		vnpu_engine_freeze(engine, NULL);
		stream = vnpu_engines_next(engine);
		if (stream)
			vnpu_engine_serve(engine, stream);
		else
			engine->ended = 0;
		if (engine->nr_busy_polled)
			vnpu_engine_poll(engine, ktime_get_ns());
		else if (!stream)
			vnpu_engine_sleep(engine);
		cpu_relax();
		cond_resched();
	}
	return 0;
}

/**
 * vnpu_engine_is_current() - check if the current thread is an engine
 * @engines: the engines of the device
 * @class: the class of the engine
 *
 * Return: true if the current thread is an engine of the class.
 */
bool vnpu_engine_is_current(const struct vnpu_engines *engines, u32 class)
{
	const struct vnpu_engine *engine;

	/* A timer may interrupt any thread. */
	if (!in_task() || kthread_func(current) != vnpu_engine_main)
		return false;
	engine = kthread_data(current);
	return engine->engines == engines && engine->class == class;
}

/**
 * vnpu_assert_may_wait() - assert that the caller may wait for any time
 *
 * The caller is then not an engine, for which all clients of the device would
 * wait. Kernels that check for sleeping in atomic context check this as well.
 */
void vnpu_assert_may_wait(void)
{
	might_sleep();
	if (IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP))
		WARN_ON_ONCE(in_task() &&
			     kthread_func(current) == vnpu_engine_main);
}
