// SPDX-License-Identifier: GPL-2.0-only
/* Tasks: what holds for those of any operation. */
#include <linux/dma-fence.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/overflow.h>

#include "device.h"
#include "engine.h"
#include "foreign.h"
#include "inject.h"
#include "stream.h"
#include "task.h"
#include "task_mem.h"

/* ns from one look to the next, of a task that has to look again and again. */
#define VNPU_PAUSE_MIN		(20 * NSEC_PER_USEC)
#define VNPU_PAUSE_MAX		(1 * NSEC_PER_MSEC)

/* What is in fields that the operation does not use. */
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
 * vnpu_task_is_cancelled() - has the stream no use for a task any more?
 * @stream: the stream, which may be stopped or aborted
 * @seq: the number of the task
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
 * vnpu_task_rush() - run small tasks one after the other
 * @engine: by whom
 * @stream: the stream, with tasks that were seen, none of which is cancelled
 * @cost: grows by what they cost
 *
 * What has to be done for each task otherwise is done once for some.
 *
 * Return: whether a task was fetched that is not small, and is to be run.
 */
bool vnpu_task_rush(struct vnpu_engine *engine, struct vnpu_stream *stream,
		    u64 *cost)
{
	u64 first = stream->taken, done;
	u64 last = min(stream->seen, first + VNPU_TASK_RUSH);
	bool is_small;

	do {
		vnpu_stream_fetch(stream);
		is_small = vnpu_task_do_small(engine, stream, cost);
	} while (is_small && stream->taken != last);

	vnpu_task_let_go(stream);
	done = stream->taken - !is_small;
	if (done != first) {
		vnpu_stream_tell(stream, done);
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
 * vnpu_task_resolve() - make what is relative absolute
 * @task: the kernel's copy of any task
 * @base: what it is relative to; changed by a task that does this
 *
 * This depends on the task and the base alone, so that it can be done before the
 * task is run, see bounded.c, and comes to the same then.
 *
 * Return: 0; -EOVERFLOW, -EINVAL or -EOPNOTSUPP, which the task fails with.
 */
int vnpu_task_resolve(struct vnpu_task *task, u64 *base)
{
	u64 sum;

	if (unlikely(task->op == VNPU_TASK_BASE))
		return vnpu_task_change_base(task, base);
	if (likely(!(task->flags & VNPU_TASK_F_RELATIVE)))
		return 0;
	/* Others keep the flag, which they fail for. */
	if (task->op != VNPU_TASK_WAIT && task->op != VNPU_TASK_SIGNAL)
		return 0;
	if (check_add_overflow(*base, task->arg0, &sum))
		return -EOVERFLOW;
	task->arg0 = sum;
	task->flags &= ~VNPU_TASK_F_RELATIVE;
	return 0;
}

/**
 * vnpu_task_begin() - check a task, and get it ready to be run
 * @stream: the stream, which has just fetched it
 *
 * Return: 0, or -errno: then it is to be completed with that.
 */
int vnpu_task_begin(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;
	const struct vnpu_task_op *op = vnpu_task_op_find(run->task.op);
	int ret;

	run->fault = 0;
	/* Whatever else becomes of it. */
	ret = vnpu_task_resolve(&run->task, &stream->base);
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
	run->done = 0;
	run->pause = 0;
	stream->reach.refused = false;
	stream->foreign.error = 0;
	vnpu_task_set_deadline(stream);
	return op->prepare ? op->prepare(stream) : 0;
}

/* Who waits goes on when the engines are back. */
static bool vnpu_task_was_reset(const struct vnpu_stream *stream)
{
	const struct vnpu_run *run = &stream->run;

	return run->started && !run->op->waits &&
	       run->resets != READ_ONCE(stream->dev->engines->resets);
}

/**
 * vnpu_task_must_end() - is a task to end before it is done?
 * @stream: the stream, with a task that an engine works on
 *
 * Return: 0 or what it is to end with, -ECANCELED, -ENODEV, -ECONNRESET or
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

/*
 * The engine has it back when it is woken, and at the latest at the time limit. One
 * that polls, or finds memory in use, has it back after a pause at the latest. That
 * doubles, or is as long as it takes the engines to look at the user's many other
 * streams that pause, see sched_wait.c.
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
	if (when != KTIME_MAX)
		hrtimer_start(&stream->timer, ns_to_ktime(when),
			      HRTIMER_MODE_ABS_SOFT);
}

/*
 * What a fence stands for runs here, or waits for the engine that runs this: so
 * lockdep watches all tasks for what may wait for a fence, or for memory.
 */
static int vnpu_task_run_op(struct vnpu_stream *stream, u64 *cost)
{
	bool cookie = dma_fence_begin_signalling();
	int ret = stream->run.op->run(stream, cost);

	vnpu_task_let_go(stream);
	dma_fence_end_signalling(cookie);
	return ret;
}

/*
 * What a part of a task has come to, by what its operation says. Other drivers'
 * memory is not kept while nothing works on it: what the task has come to counts
 * once that has been given back.
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
	/* What it waits for next is not what it has waited for. */
	if (ret == VNPU_TASK_MORE)
		run->pause = 0;
	if (ret == VNPU_TASK_MORE)
		return ret;
	if (ret != VNPU_TASK_REMOTE && vnpu_foreign_has_any(stream)) {
		stream->foreign.is_over = true;
		stream->foreign.result = ret;
		return VNPU_TASK_REMOTE;
	}
	if (ret <= 0)
		return ret;
	vnpu_task_set_timer(stream, ret == VNPU_TASK_PAUSE);
	return ret == VNPU_TASK_REMOTE ? ret : VNPU_TASK_BLOCKED;
}

/**
 * vnpu_task_run() - run a part of a task
 * @engine: by whom
 * @stream: the stream, with a task that has just begun
 * @cost: grows by the bytes that were moved
 *
 * Return: 0 when it is done, -errno when it has failed, or VNPU_TASK_MORE,
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
		run->resets = READ_ONCE(engine->engines->resets);
	}
	if (vnpu_inject_is_on())
		ret = vnpu_inject_task(engine, stream, starts, cost);
	if (likely(!ret))
		ret = vnpu_task_run_op(stream, cost);
	return vnpu_task_leave(stream, ret);
}

/* Why a task that has begun some time ago is not to go on, or 0. */
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
 * @engine: by whom
 * @stream: the stream, with a task that has begun some time ago
 * @cost: grows by the bytes that were moved
 *
 * Return: as vnpu_task_run().
 */
int vnpu_task_resume(struct vnpu_engine *engine, struct vnpu_stream *stream,
		     u64 *cost)
{
	struct vnpu_foreign_task *foreign = &stream->foreign;
	int ret;

	if (unlikely(foreign->is_over)) {
		/* It came back too early. */
		if (vnpu_foreign_has_any(stream))
			return VNPU_TASK_REMOTE;
		foreign->is_over = false;
		return vnpu_task_leave(stream, foreign->result);
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
 * vnpu_task_drop() - the task is not run any further
 * @stream: the stream, which may have none
 */
void vnpu_task_drop(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;

	if (run->op && run->op->drop)
		run->op->drop(stream);
	vnpu_task_ask_no_more(stream);
}
