// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of streams and engines for monitors.
 *
 * A monitor reads them without a lock that engines or submitting threads take,
 * so that it delays neither. The statistics of one answer are of nearly the same
 * moment, and are never impossible.
 */
#include <linux/ktime.h>
#include <linux/mutex.h>

#include "base/upcalls.h"
#include "core.h"
#include "engine.h"
#include "ring.h"
#include "stream.h"

/**
 * vnpu_stream_completed() - return the number of the last completed task
 * @stream: the stream
 *
 * Return: the number.
 */
u64 vnpu_stream_completed(const struct vnpu_stream *stream)
{
	u64 value = vnpu_timeline_value(&stream->timeline);

	/* The value of a broken or ended stream is U64_MAX. */
	return value == U64_MAX ? READ_ONCE(stream->taken) : value;
}

static u64 vnpu_stream_submitted(const struct vnpu_stream *stream)
{
	/* Pairs with smp_store_release() in vnpu_stream_get_ring(). */
	struct vnpu_ring_mem *mem = smp_load_acquire(&stream->ring);

	return mem ? READ_ONCE(mem->ring->tail) : 0;
}

static void vnpu_stream_read_task(const struct vnpu_stream *stream,
				  struct vnpu_stream_stats *f)
{
	u64 seq, since, now;
	u32 op;

	f->task_seq = 0;
	f->task_op = 0;
	f->task_ns = 0;
	/* Pairs with smp_store_release() in vnpu_stream_fetch(). */
	seq = smp_load_acquire(&stream->taken);
	/* An engine may replace the task now; the check below finds that. */
	op = data_race(stream->run.task.op);
	since = READ_ONCE(stream->run.since);
	now = ktime_get_ns();
	/*
	 * If the task is not complete even now, the values above are of this
	 * task. Pairs with smp_store_release() in vnpu_stream_set_completed().
	 */
	smp_rmb();
	if (vnpu_timeline_value(&stream->timeline) >= seq)
		return;
	f->task_seq = seq;
	f->task_op = op;
	if (since && since < now)
		f->task_ns = now - since;
}

/**
 * vnpu_stream_read() - read the statistics of a stream
 * @stream: the stream, which may end meanwhile
 * @f: filled with the statistics
 */
void vnpu_stream_read(const struct vnpu_stream *stream,
		      struct vnpu_stream_stats *f)
{
	f->submitted = vnpu_stream_submitted(stream);
	f->completed = vnpu_stream_completed(stream);
	/* User space writes the tail: it may be invalid, or outdated by now. */
	if (f->submitted - f->completed > stream->ring_tasks)
		f->submitted = f->completed;
	f->state = READ_ONCE(stream->state);
	f->class = READ_ONCE(stream->class);
	f->priority = READ_ONCE(stream->priority);
	f->ring_state = READ_ONCE(stream->ring_state);
	vnpu_stream_read_task(stream, f);
}

/**
 * vnpu_busy_read() - read a time that may increase with the clock
 * @counter: the time, in the form of vnpu_busy_at()
 * @highest: the highest value that was reported
 *
 * Later calls never return less.
 *
 * Return: the time in ns.
 */
u64 vnpu_busy_read(const u64 *counter, u64 *highest)
{
	u64 busy, now, reported;

	do {
		busy = READ_ONCE(*counter);
		/* Order the first load of busy before the read of the clock. */
		smp_rmb();
		now = ktime_get_ns();
		/*
		 * Order the read of the clock before the second load of busy.
		 */
		smp_rmb();
	} while (busy != READ_ONCE(*counter));
	busy = vnpu_busy_at(busy, now);
	/* @now may lie after the end of a turn that is not recorded yet. */
	reported = READ_ONCE(*highest);
	while (reported < busy && !try_cmpxchg(highest, &reported, busy))
		;
	return max(reported, busy);
}

/**
 * vnpu_engine_busy_ns() - return the time for which an engine has run tasks
 * @engine: a started engine
 *
 * The time includes the current turn so far.
 *
 * Return: the time in ns.
 */
u64 vnpu_engine_busy_ns(struct vnpu_engine *engine)
{
	return vnpu_busy_read(&engine->busy, &engine->busy_reported);
}

/**
 * vnpu_engines_read() - read the statistics of an engine
 * @engines: the engines of a device
 * @class: VNPU_ENGINE_COPY or _VECTOR
 * @index: any number
 * @f: filled with the statistics
 *
 * Return: true, or false if there is no such engine, or it is not started.
 */
bool vnpu_engines_read(struct vnpu_engines *engines, u32 class, u32 index,
		       struct vnpu_engine_stats *f)
{
	struct vnpu_engine *engine;
	bool found;
	u64 running;

	mutex_lock(&engines->start_lock);
	found = index < engines->count[class];
	if (found) {
		engine = &engines->engines[class][index];
		running = READ_ONCE(engine->running);
		f->busy_ns = vnpu_engine_busy_ns(engine);
		f->tasks = READ_ONCE(engine->tasks);
		f->client = running >> VNPU_ENGINE_NUMBER_BITS;
		f->number = running & (BIT(VNPU_ENGINE_NUMBER_BITS) - 1);
		f->asleep = READ_ONCE(engine->asleep);
	}
	mutex_unlock(&engines->start_lock);
	return found;
}

/**
 * vnpu_engines_read_class() - read the statistics of all engines of a class
 * @engines: the engines of a device
 * @class: VNPU_ENGINE_COPY, _VECTOR or _AICORE
 * @f: filled with the sums over the engines
 */
void vnpu_engines_read_class(struct vnpu_engines *engines, u32 class,
			     struct vnpu_class_stats *f)
{
	u32 i;

	if (class == VNPU_ENGINE_AICORE) {
		vnpu_cores_read(engines, f);
		return;
	}
	f->busy_ns = 0;
	mutex_lock(&engines->start_lock);
	f->count = engines->count[class];
	for (i = 0; i < f->count; i++)
		f->busy_ns += vnpu_engine_busy_ns(&engines->engines[class][i]);
	mutex_unlock(&engines->start_lock);
}

/**
 * vnpu_engines_are_busy() - check whether any engine runs a task
 * @engines: the engines of a device
 *
 * Return: true if one does; false also if the engines are not started.
 */
bool vnpu_engines_are_busy(const struct vnpu_engines *engines)
{
	u32 class, i;

	if (!vnpu_engines_are_started(engines))
		return false;
	for (class = 0; class < VNPU_ENGINE_CLASSES; class++)
		for (i = 0; i < engines->count[class]; i++)
			if (READ_ONCE(engines->engines[class][i].running))
				return true;
	return false;
}
