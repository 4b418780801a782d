// SPDX-License-Identifier: GPL-2.0-only
/* Tasks: the common part of all operations. */
#include <linux/dma-fence.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/overflow.h>

#include "base/device.h"
#include "ras/inject.h"
#include "engine.h"
#include "foreign.h"
#include "stream.h"
#include "task.h"
#include "task_mem.h"

/* ns between two checks of a task that polls. */
#define VNPU_PAUSE_MIN		(20 * NSEC_PER_USEC)
#define VNPU_PAUSE_MAX		(1 * NSEC_PER_MSEC)

/* Check the fields that the operation does not use. */
static __always_inline u64 vnpu_task_stray(const struct vnpu_task *task, u32 fields)
{
	u64 stray = task->arg3;

	if (!(fields & VNPU_TASK_DST))
		stray |= task->dst;
	if (!(fields & VNPU_TASK_SRC))
		stray |= task->src;
	if (!(fields & VNPU_TASK_LENGTH))
		stray |= task->length;
	if (!(fields & VNPU_TASK_ARG0))
		stray |= task->arg0;
	if (!(fields & VNPU_TASK_ARG1))
		stray |= task->arg1;
	if (!(fields & VNPU_TASK_ARG2))
		stray |= task->arg2;
	if (!(fields & VNPU_TASK_MODE))
		stray |= task->mode;
	return stray;
}

/**
 * vnpu_task_is_cancelled() - check if a task is cancelled
 * @stream: the stream, which may be stopped or aborted
 * @seq: the number of the task
 *
 * Return: true if the task must not run.
 */
bool vnpu_task_is_cancelled(const struct vnpu_stream *stream, u64 seq)
{
	return vnpu_stream_is_stopped(stream) ||
	       seq <= READ_ONCE(stream->cancel_upto);
}

static bool vnpu_task_do_small(const struct vnpu_engine *engine,
			       struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	const struct vnpu_task_op *op = vnpu_task_op_find(task->op);

	if (!op || !op->small ||
	    (op->class != VNPU_ENGINE_ANY && op->class != engine->class))
		return false;
	return !task->flags && !vnpu_task_stray(task, op->fields) &&
	       op->small(stream, cost);
}

/**
 * vnpu_task_run_batch() - run a batch of small tasks
 * @engine: the calling engine
 * @stream: the stream, with tasks that were seen, none of which is cancelled
 * @cost: increased by the cost of the tasks
 *
 * Work that other tasks need one by one is done once for the batch.
 *
 * Return: true if a task was fetched that is not small, and has to be run.
 */
bool vnpu_task_run_batch(struct vnpu_engine *engine, struct vnpu_stream *stream,
			 u64 *cost)
{
	u64 first = stream->taken, done;
	u64 last = min(stream->seen, first + VNPU_TASK_BATCH);
	bool is_small;

	do {
		vnpu_stream_fetch(stream);
		is_small = vnpu_task_do_small(engine, stream, cost);
	} while (is_small && stream->taken != last);

	vnpu_task_release(stream);
	done = stream->taken - !is_small;
	if (done != first) {
		vnpu_stream_set_completed(stream, done);
		WRITE_ONCE(engine->tasks, engine->tasks + (done - first));
		*cost += (done - first) * VNPU_TASK_COST;
	}
	return !is_small;
}

static void vnpu_task_set_deadline(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;
	u64 timeout_ms = run->task.timeout_ms;

	if (!timeout_ms && !run->op->waits)
		timeout_ms = READ_ONCE(stream->timeout_ms);
	run->deadline = timeout_ms ?
			ktime_get_ns() + timeout_ms * NSEC_PER_MSEC : 0;
}

static int vnpu_task_change_base(const struct vnpu_task *task, u64 *base)
{
	u64 sum;

	if (task->flags ||
	    vnpu_task_stray(task, vnpu_task_op_find(VNPU_TASK_BASE)->fields))
		return -EOPNOTSUPP;
	switch (task->mode) {
	case VNPU_BASE_SET:
		*base = task->arg0;
		return 0;
	case VNPU_BASE_ADD:
		if (check_add_overflow(*base, task->arg0, &sum))
			return -EOVERFLOW;
		*base = sum;
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * vnpu_task_resolve() - make relative values absolute
 * @task: the kernel's copy of any task
 * @base: the base of relative values; changed by tasks that set it
 *
 * The result depends on the task and the base alone. So it can be computed
 * before the task is run, see exec/latch.c, with the same result.
 *
 * Return: 0; or -EOVERFLOW, -EINVAL or -EOPNOTSUPP, with which the task fails.
 */
int vnpu_task_resolve(struct vnpu_task *task, u64 *base)
{
	u64 sum;

	if (unlikely(task->op == VNPU_TASK_BASE))
		return vnpu_task_change_base(task, base);
	if (likely(!(task->flags & VNPU_TASK_F_RELATIVE)))
		return 0;
	/* Other tasks keep the flag, and fail because of it. */
	if (task->op != VNPU_TASK_WAIT && task->op != VNPU_TASK_SIGNAL)
		return 0;
	if (check_add_overflow(*base, task->arg0, &sum))
		return -EOVERFLOW;
	task->arg0 = sum;
	task->flags &= ~VNPU_TASK_F_RELATIVE;
	return 0;
}

/**
 * vnpu_task_check() - check a task, as far as its result depends on it alone
 * @checker: a stream that never runs and has no tasks; changed
 * @task: the kernel's copy of a task of a graph
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP or -EOVERFLOW, with which it would fail.
 */
int vnpu_task_check(struct vnpu_stream *checker, const struct vnpu_task *task)
{
	const struct vnpu_task_op *op = vnpu_task_op_find(task->op);
	u32 flags = VNPU_TASK_F_RELATIVE;
	u64 base = 0;

	if (!op)
		return -EINVAL;
	if (task->op == VNPU_TASK_BASE)
		return vnpu_task_change_base(task, &base);
	/* A task of a graph is relative to the run alone. */
	if (task->op == VNPU_TASK_WAIT)
		flags = task->flags & VNPU_TASK_F_GRAPH ?: flags;
	else if (task->op != VNPU_TASK_SIGNAL)
		flags = 0;
	if (task->flags & ~(op->flags | flags) ||
	    vnpu_task_stray(task, op->fields))
		return -EOPNOTSUPP;
	checker->run.task = *task;
	return op->prepare ? op->prepare(checker) : 0;
}

/**
 * vnpu_task_begin() - check a task, and prepare it
 * @stream: the stream, which has just fetched it
 *
 * Return: 0, or -errno: then the task has to be completed with that.
 */
int vnpu_task_begin(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;
	const struct vnpu_task_op *op = vnpu_task_op_find(run->task.op);
	int ret;

	run->fault = 0;
	/* The base changes even if the task fails. */
	ret = vnpu_task_resolve(&run->task, &stream->base);
	if (unlikely(run->task.flags & VNPU_TASK_F_GRAPH && stream->graph &&
		     !ret))
		ret = vnpu_graph_resolve(stream);
	if (unlikely(vnpu_task_is_cancelled(stream, run->seq)))
		return -ECANCELED;
	if (unlikely(vnpu_device_is_gone(stream->dev)))
		return -ENODEV;
	if (unlikely(ret))
		return ret;
	if (unlikely(!op))
		return -EINVAL;
	if (unlikely(run->task.flags & ~op->flags ||
		     vnpu_task_stray(&run->task, op->fields)))
		return -EOPNOTSUPP;
	run->op = op;
	run->started = false;
	run->committed = false;
	run->is_over = false;
	run->done = 0;
	run->pause = 0;
	stream->tlb.refused = false;
	stream->foreign.error = 0;
	vnpu_task_set_deadline(stream);
	return op->prepare ? op->prepare(stream) : 0;
}

/*
 * A waiting task continues after the reset of the engines. A reset ends the
 * launches that cores run, see vnpu_cores_reset(), and does not affect others.
 */
static bool vnpu_task_was_reset(const struct vnpu_stream *stream)
{
	const struct vnpu_run *run = &stream->run;

	return run->started && !run->op->waits && !vnpu_launch_exists(stream) &&
	       run->resets != READ_ONCE(stream->dev->engines->resets);
}

/**
 * vnpu_task_must_end() - check if a task has to end early
 * @stream: the stream, with a task that an engine runs
 *
 * Return: 0 or the result of the task: -ECANCELED, -ENODEV, -ECONNRESET or
 * -ETIMEDOUT.
 */
int vnpu_task_must_end(const struct vnpu_stream *stream)
{
	u64 deadline = stream->run.deadline;

	if (READ_ONCE(stream->dying) ||
	    vnpu_task_is_cancelled(stream, stream->run.seq))
		return -ECANCELED;
	if (vnpu_device_is_gone(stream->dev))
		return -ENODEV;
	if (vnpu_task_was_reset(stream))
		return -ECONNRESET;
	return deadline && ktime_get_ns() >= deadline ? -ETIMEDOUT : 0;
}

static bool vnpu_task_timer_is_due_by(const struct vnpu_stream *stream, u64 when)
{
	return hrtimer_is_queued((struct hrtimer *)&stream->timer) &&
	       hrtimer_get_expires_ns(&stream->timer) <= when;
}

/*
 * The engine continues with it when it is woken, and at the latest at the time
 * limit. A task that polls, or finds memory in use, continues after a pause at
 * the latest. The pause doubles each time, or lasts as long as the engines need
 * to check the user's many other pausing streams, see sched_wait.c.
 */
static void vnpu_task_set_timer(struct vnpu_stream *stream, bool pause)
{
	struct vnpu_run *run = &stream->run;
	u64 when = run->deadline ?: KTIME_MAX;

	if (pause) {
		run->pause = clamp_t(u64, run->pause * 2, VNPU_PAUSE_MIN,
				     VNPU_PAUSE_MAX);
		if (!vnpu_engines_pace(stream))
			when = min(when, ktime_get_ns() + run->pause);
	}
	/*
	 * A timer that is left from an earlier task ends the wait too early. It
	 * is then started again.
	 */
	if (when != KTIME_MAX && !vnpu_task_timer_is_due_by(stream, when))
		hrtimer_start(&stream->timer, ns_to_ktime(when),
			      HRTIMER_MODE_ABS_SOFT);
}

/*
 * Tasks that fences stand for run here, or wait for the engine that runs this:
 * so lockdep checks that no task waits for a fence, or for memory.
 */
static int vnpu_task_run_op(struct vnpu_stream *stream, u64 *cost)
{
	bool cookie = dma_fence_begin_signalling();
	int ret = stream->run.op->run(stream, cost);

	vnpu_task_release(stream);
	dma_fence_end_signalling(cookie);
	return ret;
}

/* Check if a core, or streams of a graph, still work for a task that is over. */
static bool vnpu_task_is_out(struct vnpu_stream *stream)
{
	return vnpu_launch_is_out(stream) || vnpu_graph_is_out(stream);
}

/*
 * Convert the result of a part of a task. Memory of other drivers is not kept
 * between the parts: the result counts only after its release. Nor does a task
 * end before the core has stopped its launch, or the graph its tasks.
 */
static int vnpu_task_leave(struct vnpu_stream *stream, int ret)
{
	struct vnpu_run *run = &stream->run;

	if (ret == -EAGAIN)
		ret = VNPU_TASK_PAUSE;
	else if (ret == -EREMOTE)
		ret = VNPU_TASK_REMOTE;
	if (ret > 0 && !run->committed && run->deadline &&
	    ktime_get_ns() >= run->deadline)
		ret = -ETIMEDOUT;
	if (ret < 0)
		vnpu_task_drop(stream);
	/* The next wait is for something else. */
	if (ret == VNPU_TASK_MORE)
		run->pause = 0;
	if (ret == VNPU_TASK_MORE)
		return ret;
	if (ret != VNPU_TASK_REMOTE && vnpu_foreign_has_any(stream)) {
		run->is_over = true;
		/* The stream forgets a wake-up meanwhile, so it looks again. */
		run->result = ret == VNPU_TASK_BLOCKED ? VNPU_TASK_MORE : ret;
		return VNPU_TASK_REMOTE;
	}
	if (ret <= 0 && vnpu_task_is_out(stream)) {
		run->is_over = true;
		run->result = ret;
		return VNPU_TASK_BLOCKED;
	}
	if (ret <= 0) {
		/* The core may have ended it since it was asked to stop. */
		vnpu_launch_forget(stream);
		return ret;
	}
	vnpu_task_set_timer(stream, ret == VNPU_TASK_PAUSE);
	return ret == VNPU_TASK_REMOTE ? ret : VNPU_TASK_BLOCKED;
}

/**
 * vnpu_task_run() - run a part of a task
 * @engine: the calling engine; NULL for a launch that a core begins
 * @stream: the stream, with a task that has just begun
 * @cost: increased by the bytes that were moved
 *
 * Return: 0 if it is complete, -errno if it has failed, or VNPU_TASK_MORE,
 * VNPU_TASK_BLOCKED or VNPU_TASK_REMOTE.
 */
int vnpu_task_run(struct vnpu_engine *engine, struct vnpu_stream *stream,
		  u64 *cost)
{
	struct vnpu_run *run = &stream->run;
	bool starts = !run->started;
	int ret = 0;

	if (starts) {
		run->started = true;
		run->resets = READ_ONCE(stream->dev->engines->resets);
	}
	if (vnpu_inject_is_on() && engine)
		ret = vnpu_inject_task(engine, stream, starts, cost);
	if (likely(!ret))
		ret = vnpu_task_run_op(stream, cost);
	return vnpu_task_leave(stream, ret);
}

/* Return why a task that has begun earlier must not continue, or 0. */
static int vnpu_task_must_not_go_on(const struct vnpu_stream *stream)
{
	if (vnpu_task_is_cancelled(stream, stream->run.seq))
		return -ECANCELED;
	if (vnpu_device_is_gone(stream->dev))
		return -ENODEV;
	return vnpu_task_was_reset(stream) ? -ECONNRESET : 0;
}

/**
 * vnpu_task_resume() - run a further part of a task
 * @engine: the calling engine
 * @stream: the stream, with a task that has begun earlier
 * @cost: increased by the bytes that were moved
 *
 * Return: as vnpu_task_run().
 */
int vnpu_task_resume(struct vnpu_engine *engine, struct vnpu_stream *stream,
		     u64 *cost)
{
	struct vnpu_foreign_task *foreign = &stream->foreign;
	int ret;

	if (unlikely(stream->run.is_over)) {
		/* It may have been resumed too early. */
		if (vnpu_foreign_has_any(stream))
			return VNPU_TASK_REMOTE;
		if (vnpu_launch_is_out(stream)) {
			/* No time limit is left to wait for. */
			if (vnpu_task_is_cancelled(stream, stream->run.seq))
				vnpu_launch_stop(stream, false);
			return VNPU_TASK_BLOCKED;
		}
		if (stream->run.result <= 0 && vnpu_graph_is_out(stream))
			return VNPU_TASK_BLOCKED;
		stream->run.is_over = false;
		return vnpu_task_leave(stream, stream->run.result);
	}
	if (unlikely(stream->run.committed))
		return vnpu_task_leave(stream, vnpu_task_run_op(stream, cost));
	ret = vnpu_task_must_not_go_on(stream);
	if (!ret && unlikely(foreign->error)) {
		stream->run.fault = foreign->va;
		ret = foreign->error;
	}
	if (!ret && unlikely(foreign->wanted))
		ret = -EREMOTE;
	foreign->error = 0;
	return ret ? vnpu_task_leave(stream, ret) :
		     vnpu_task_run(engine, stream, cost);
}

/**
 * vnpu_task_drop() - stop running the current task
 * @stream: the stream, which may have none
 */
void vnpu_task_drop(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;

	if (run->op && run->op->drop)
		run->op->drop(stream);
	vnpu_task_cancel_lock_request(stream);
}
