// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that wait for timelines and counters, or change them. */
#include "base/client.h"
#include "sync/counter.h"
#include "sync/timeline.h"
#include "engine.h"
#include "stream.h"
#include "task.h"
#include "trace.h"

static void vnpu_task_wake(struct vnpu_waiter *waiter)
{
	vnpu_engines_wake(container_of(waiter, struct vnpu_stream, run.waiter));
}

/*
 * Drop the timeline that the task waited for, and return the timeline's error.
 */
static int vnpu_task_wait_done(struct vnpu_stream *stream)
{
	struct vnpu_timeline *timeline = stream->run.timeline;
	int ret = vnpu_timeline_error(timeline);

	stream->run.timeline = NULL;
	vnpu_timeline_put_later(timeline);
	return ret;
}

static int vnpu_task_wait_begin(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;
	struct vnpu_timeline *timeline;
	int ret;

	ret = vnpu_timeline_find(stream->client, run->task.src, &timeline);
	if (ret || !timeline)
		return ret;
	run->timeline = timeline;
	if (timeline->kind == VNPU_TIMELINE_KIND_COUNTER)
		ret = -EINVAL;
	/* It would wait for itself for ever. */
	if (timeline == &stream->timeline && run->task.arg0 >= run->seq)
		ret = -EINVAL;
	if (ret) {
		vnpu_task_wait_done(stream);
		return ret;
	}
	if (vnpu_waiter_add(&run->waiter, timeline, run->task.arg0,
			    vnpu_task_wake))
		return VNPU_TASK_BLOCKED;
	return vnpu_task_wait_done(stream);
}

/* Complete a wait for a value that is already reached, without an error. */
bool vnpu_task_wait_small(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	struct vnpu_timeline *timeline;
	bool is_reached;

	rcu_read_lock();
	timeline = vnpu_timeline_of_entry(xa_load(&stream->client->timelines,
						  task->src));
	is_reached = timeline && timeline->kind != VNPU_TIMELINE_KIND_COUNTER &&
		     vnpu_timeline_value(timeline) >= task->arg0 &&
		     !vnpu_timeline_error(timeline);
	rcu_read_unlock();
	return is_reached;
}

int vnpu_task_wait_run(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_run *run = &stream->run;

	if (!run->timeline)
		return vnpu_task_wait_begin(stream);
	if (vnpu_timeline_value(run->timeline) < run->task.arg0)
		return VNPU_TASK_BLOCKED;
	/* A thread may still be waking this one. */
	vnpu_waiter_remove(&run->waiter, run->timeline);
	return vnpu_task_wait_done(stream);
}

void vnpu_task_wait_drop(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;

	if (!run->timeline)
		return;
	vnpu_waiter_remove(&run->waiter, run->timeline);
	vnpu_task_wait_done(stream);
}

/* Wake waiters after the change, some in each turn. */
static int vnpu_task_signal_wake(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_run *run = &stream->run;

	if (vnpu_timeline_wake_some(run->timeline, run->saved[0], cost))
		return VNPU_TASK_MORE;
	vnpu_timeline_put_later(run->timeline);
	run->timeline = NULL;
	return 0;
}

int vnpu_task_signal_run(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_run *run = &stream->run;
	const struct vnpu_task *task = &run->task;
	struct vnpu_timeline *timeline;
	int ret;

	if (run->committed)
		return vnpu_task_signal_wake(stream, cost);
	ret = vnpu_timeline_find_to_signal(stream->client, task->dst,
					   &timeline);
	/* A timeline that is gone has no waiters. */
	if (ret || !timeline)
		return ret;
	ret = vnpu_timeline_signal(timeline, task->arg0, task->mode,
				   &run->saved[0], cost);
	if (ret == -EAGAIN) {
		vnpu_timeline_put_later(timeline);
		return VNPU_TASK_MORE;
	}
	trace_vnpu_timeline_signal(stream->client, stream->id, task->dst,
				   task->arg0, task->mode);
	if (ret) {
		vnpu_timeline_put_later(timeline);
		return ret;
	}
	run->timeline = timeline;
	run->committed = true;
	return vnpu_task_signal_wake(stream, cost);
}

/*
 * Wake the remaining waiters, as the stream ends. No engine comes here with a
 * timeline, as a task that has made its change does not fail.
 */
void vnpu_task_signal_drop(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;

	if (!run->timeline)
		return;
	vnpu_timeline_wake(run->timeline, run->saved[0]);
	vnpu_timeline_put_later(run->timeline);
	run->timeline = NULL;
}

int vnpu_task_counter_wait_prepare(struct vnpu_stream *stream)
{
	return vnpu_cond_is_valid(stream->run.task.mode) ? 0 : -EINVAL;
}

static void vnpu_task_counter_wake(struct vnpu_counter_waiter *waiter)
{
	vnpu_engines_wake(container_of(waiter, struct vnpu_stream,
				       run.counter_waiter));
}

static int vnpu_task_counter_wait_begin(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_run *run = &stream->run;
	struct vnpu_timeline *counter;
	int ret;

	ret = run->task.flags & VNPU_TASK_F_CLEAR ?
	      vnpu_timeline_find_to_signal(stream->client, run->task.src,
					   &counter) :
	      vnpu_timeline_find(stream->client, run->task.src, &counter);
	if (ret || !counter)
		return ret;
	if (counter->kind != VNPU_TIMELINE_KIND_COUNTER) {
		vnpu_timeline_put_later(counter);
		return -EINVAL;
	}
	run->timeline = counter;
	run->counter_waiter = (struct vnpu_counter_waiter){
		.value = run->task.arg0,
		.mask = run->task.arg1,
		.cond = run->task.mode,
		.clear = run->task.flags & VNPU_TASK_F_CLEAR,
		.wake = vnpu_task_counter_wake,
	};
	ret = vnpu_counter_wait(counter, &run->counter_waiter, cost);
	if (ret > 0)
		return VNPU_TASK_BLOCKED;
	if (!ret)
		return vnpu_task_wait_done(stream);
	/* It is looked up again in the next turn. */
	vnpu_task_wait_done(stream);
	return VNPU_TASK_MORE;
}

int vnpu_task_counter_wait_run(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_run *run = &stream->run;

	if (!run->timeline)
		return vnpu_task_counter_wait_begin(stream, cost);
	if (vnpu_counter_is_waited(run->timeline, &run->counter_waiter))
		return VNPU_TASK_BLOCKED;
	return vnpu_task_wait_done(stream);
}

void vnpu_task_counter_wait_drop(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;

	if (!run->timeline)
		return;
	vnpu_counter_stop_waiting(run->timeline, &run->counter_waiter);
	vnpu_task_wait_done(stream);
}
