// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks on single values in memory: write one, wait for one, and write the
 * time.
 *
 * A task, a copy, or the host, if it has access, can change a value. Waiters
 * are woken at once for the first; for the others they have to poll. An aligned
 * value does not cross a page, so it is contiguous.
 */
#include <linux/ktime.h>
#include <linux/spinlock.h>

#include "base/client.h"
#include "base/device.h"
#include "mem/mem.h"
#include "sync/counter.h"
#include "va/bind.h"
#include "engine.h"
#include "stream.h"
#include "task.h"
#include "task_mem.h"

/* A time stamp may be in memory that several devices use. */
static DEFINE_SPINLOCK(vnpu_stamp_lock);

/* A time and a mark. */
#define VNPU_STAMP_BYTES	16

int vnpu_task_value_write_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;

	if (task->mode != 4 && task->mode != 8)
		return -EINVAL;
	if (task->dst & (task->mode - 1))
		return -EINVAL;
	return task->mode == 4 && task->arg0 >> 32 ? -EINVAL : 0;
}

static void vnpu_value_store(const struct vnpu_task *task, void *to)
{
	/*
	 * Order all earlier stores, of any engine, before the store of the
	 * value. Pairs with smp_rmb() in vnpu_value_look() and
	 * vnpu_task_graph_decide().
	 */
	smp_wmb();
	if (task->mode == 4)
		WRITE_ONCE(*(u32 *)to, (u32)task->arg0);
	else
		WRITE_ONCE(*(u64 *)to, task->arg0);
}

bool vnpu_task_value_write_small(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	void *to;
	u32 left;

	if (vnpu_task_value_write_prepare(stream) ||
	    !vnpu_engines_are_few_value_waiters(stream))
		return false;
	to = vnpu_task_find_small(stream, task->dst, task->mode,
				  VNPU_ACCESS_READ_WRITE);
	if (!to)
		return false;
	/* A reader of the value finds all earlier tasks complete. */
	vnpu_stream_set_completed(stream, stream->run.seq - 1);
	vnpu_value_store(task, to);
	left = vnpu_engines_begin_value_waking(stream);
	/* Streams that began to wait since there were few are woken as well. */
	while (left)
		left = vnpu_engines_wake_value_waiters(stream, left, cost);
	return true;
}

static int vnpu_value_write(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;
	struct vnpu_span span;
	int ret;

	ret = vnpu_task_lock(stream);
	if (ret)
		return ret;
	ret = vnpu_task_pin_locked(stream, task->dst, task->mode,
				   VNPU_ACCESS_READ_WRITE, &span);
	if (!ret) {
		vnpu_mem_mark_written(span.mem, span.offset, span.length);
		vnpu_value_store(task, span.addr);
	}
	vnpu_task_unlock(stream);
	return ret;
}

/* There may be many waiters: some are woken in each turn. */
int vnpu_task_value_write_run(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_run *run = &stream->run;

	if (!run->committed) {
		int ret = vnpu_value_write(stream);

		if (ret)
			return ret;
		run->committed = true;
		run->saved[0] = vnpu_engines_begin_value_waking(stream);
	}
	run->saved[0] = vnpu_engines_wake_value_waiters(stream, run->saved[0],
							cost);
	return run->saved[0] ? VNPU_TASK_MORE : 0;
}

int vnpu_task_value_wait_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;

	return task->mode > VNPU_COND_NOR || task->src & 7 ? -EINVAL : 0;
}

static int vnpu_value_look(struct vnpu_stream *stream, bool *holds)
{
	const struct vnpu_task *task = &stream->run.task;
	struct vnpu_span span;
	int ret;

	ret = vnpu_task_lock(stream);
	if (ret)
		return ret;
	ret = vnpu_task_pin_locked(stream, task->src, 8, VNPU_ACCESS_READ,
				   &span);
	if (!ret) {
		u64 found = READ_ONCE(*(u64 *)span.addr);

		/*
		 * Order the load of the value before later tasks, which use the
		 * data that it announces. Pairs with smp_wmb() in
		 * vnpu_value_store().
		 */
		smp_rmb();
		*holds = vnpu_cond_holds(task->mode, found, task->arg0);
	}
	vnpu_task_unlock(stream);
	return ret;
}

int vnpu_task_value_wait_run(struct vnpu_stream *stream, u64 *cost)
{
	bool holds;
	int ret;

	/*
	 * Begin to wait before the check, or a value that is written after it
	 * is missed.
	 */
	vnpu_engines_add_value_waiter(stream);
	ret = vnpu_value_look(stream, &holds);
	if (!ret && !holds)
		return VNPU_TASK_PAUSE;
	if (ret != -EAGAIN && ret != -EREMOTE)
		vnpu_task_value_wait_drop(stream);
	return ret;
}

void vnpu_task_value_wait_drop(struct vnpu_stream *stream)
{
	vnpu_engines_remove_value_waiter(stream);
}

int vnpu_task_timestamp_prepare(struct vnpu_stream *stream)
{
	return stream->run.task.dst & 15 ? -EINVAL : 0;
}

/*
 * If two streams write a time stamp to the same place, the later request wins,
 * in either order of execution. Readers of the time find its request in the
 * mark.
 */
static void vnpu_stamp(const struct vnpu_task *task, u64 *stamp)
{
	spin_lock(&vnpu_stamp_lock);
	if (READ_ONCE(stamp[1]) <= task->arg0) {
		WRITE_ONCE(stamp[0], ktime_get_ns());
		/* Order the store of the time before that of its mark. */
		smp_store_release(&stamp[1], task->arg0);
	}
	spin_unlock(&vnpu_stamp_lock);
}

int vnpu_task_timestamp_run(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	struct vnpu_span span;
	int ret;

	ret = vnpu_task_lock(stream);
	if (ret)
		return ret;
	ret = vnpu_task_pin_locked(stream, task->dst, VNPU_STAMP_BYTES,
				   VNPU_ACCESS_READ_WRITE, &span);
	if (!ret) {
		vnpu_mem_mark_written(span.mem, span.offset, span.length);
		vnpu_stamp(task, span.addr);
	}
	vnpu_task_unlock(stream);
	return ret;
}

bool vnpu_task_timestamp_small(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 *stamp;

	if (vnpu_task_timestamp_prepare(stream))
		return false;
	stamp = vnpu_task_find_small(stream, task->dst, VNPU_STAMP_BYTES,
				     VNPU_ACCESS_READ_WRITE);
	if (!stamp)
		return false;
	vnpu_stamp(task, stamp);
	return true;
}
