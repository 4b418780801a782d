// SPDX-License-Identifier: GPL-2.0-only
/*
 * The turn of a core: a thread of a core that ends a launch completes its task,
 * and begins the next task of the stream if that is a launch too. So the engines
 * have nothing to do between two launches of a stream, and a batch of launches
 * costs no wake-ups of their threads.
 *
 * Meanwhile the thread owns the stream (VNPU_STREAM_REMOTE). It does a bounded
 * amount of work, so the stream need not be recalled from it. All else is left
 * to the engines: tasks that fail, that are cancelled, or that are no launches,
 * many waiters, and injected faults.
 */
#include "base/device.h"
#include "ras/inject.h"
#include "core.h"
#include "engine.h"
#include "stream.h"
#include "task.h"
#include "trace.h"

static void vnpu_core_turn_take(struct vnpu_stream *stream)
{
}

static void vnpu_core_turn_recall(struct vnpu_stream *stream)
{
}

/* No engine gives a stream to this thread, and it returns each soon anyway. */
static const struct vnpu_remote_ops vnpu_core_turn_ops = {
	.take = vnpu_core_turn_take,
	.recall = vnpu_core_turn_recall,
};

/**
 * vnpu_core_turn_begin_locked() - take a stream after its launch has ended
 * @stream: the stream; the caller holds vnpu_engines.lock
 *
 * Return: true if the caller owns the stream, and calls vnpu_core_turn() after
 * it has released the lock.
 */
bool vnpu_core_turn_begin_locked(struct vnpu_stream *stream)
{
	if (vnpu_inject_is_on() || stream->run.is_over ||
	    vnpu_task_is_cancelled(stream, stream->run.seq) ||
	    vnpu_device_is_gone(stream->dev))
		return false;
	return vnpu_engines_take_over_locked(stream, &vnpu_core_turn_ops);
}

/* Check if the next task is a launch, and nothing is to be done before it. */
static bool vnpu_core_turn_may_go_on(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *next;

	if (stream->waking || stream->bad_seq || vnpu_stream_is_wanted(stream) ||
	    stream->taken < stream->latched_last ||
	    vnpu_stream_look(stream, cost) <= 0)
		return false;
	next = &stream->slots[stream->taken & (stream->ring_tasks - 1)];
	/* User space may change it: the engine then continues with the task. */
	return READ_ONCE(next->op) == VNPU_TASK_LAUNCH;
}

/* Begin the next task. Return true if it is a launch, which now waits. */
static bool vnpu_core_turn_begin_next(struct vnpu_stream *stream, u64 now)
{
	struct vnpu_run *run = &stream->run;
	u64 cost = 0;
	int ret;

	if (!vnpu_core_turn_may_go_on(stream, &cost))
		return false;
	vnpu_stream_fetch(stream);
	trace_vnpu_task_start(stream);
	WRITE_ONCE(run->since, now);
	ret = vnpu_task_begin(stream);
	if (!ret && run->task.op != VNPU_TASK_LAUNCH)
		return false;
	if (!ret)
		ret = vnpu_task_run(NULL, stream, &cost);
	if (ret > 0)
		return true;
	vnpu_stream_complete(stream, ret);
	return false;
}

/**
 * vnpu_core_turn() - complete a launch that has succeeded, and begin the next
 * @stream: the stream, which the caller has just taken, and does not own after
 *	this
 * @now: when the launch has ended, CLOCK_MONOTONIC in ns
 */
void vnpu_core_turn(struct vnpu_stream *stream, u64 now)
{
	u64 cost = 0;

	WRITE_ONCE(stream->launch.state, VNPU_LAUNCH_NONE);
	vnpu_stream_complete(stream, 0);
	vnpu_stream_publish(stream, now, &cost);
	if (vnpu_core_turn_begin_next(stream, now))
		vnpu_engines_rest(stream);
	else
		vnpu_engines_take_back(stream);
}
