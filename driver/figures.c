// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams and engines as they are seen from outside.
 *
 * They are read without a lock that an engine or a submitter takes, so that
 * nobody who looks keeps them waiting. The figures are of nearly one moment, and
 * never impossible.
 */
#include <linux/ktime.h>
#include <linux/mutex.h>

#include "engine.h"
#include "ring.h"
#include "stream.h"

/**
 * vnpu_stream_completed() - the number of the last task that is complete
 * @stream: the stream
 */
u64 vnpu_stream_completed(const struct vnpu_stream *stream)
{
	u64 value = vnpu_timeline_value(&stream->timeline);

	/* One that is broken or has ended has reached every value. */
	return value == U64_MAX ? READ_ONCE(stream->taken) : value;
}

static u64 vnpu_stream_submitted(const struct vnpu_stream *stream)
{
	/* What is in it was written before it could be found. */
	struct vnpu_ring_mem *mem = smp_load_acquire(&stream->ring);

	return mem ? READ_ONCE(mem->ring->tail) : 0;
}

static void vnpu_stream_read_task(const struct vnpu_stream *stream,
				  struct vnpu_stream_figures *f)
{
	u64 seq, since, now;
	u32 op;

	f->task_seq = 0;
	f->task_op = 0;
	f->task_ns = 0;
	/* The number before what the task is; see vnpu_stream_fetch(). */
	seq = smp_load_acquire(&stream->taken);
	/* The engine may copy the next one now: then this does not count. */
	op = data_race(stream->run.task.op);
	since = READ_ONCE(stream->run.since);
	now = ktime_get_ns();
	/* What was read is of this task if it is not complete even now. */
	smp_rmb();
	if (vnpu_timeline_value(&stream->timeline) >= seq)
		return;
	f->task_seq = seq;
	f->task_op = op;
	if (since && since < now)
		f->task_ns = now - since;
}

/**
 * vnpu_stream_read() - what a stream does
 * @stream: the stream, which may end meanwhile
 * @f: filled
 */
void vnpu_stream_read(const struct vnpu_stream *stream,
		      struct vnpu_stream_figures *f)
{
	f->submitted = vnpu_stream_submitted(stream);
	f->completed = vnpu_stream_completed(stream);
	/* The user writes it: it may be anything, or is behind by now. */
	if (f->submitted - f->completed > stream->ring_tasks)
		f->submitted = f->completed;
	f->state = READ_ONCE(stream->state);
	f->class = READ_ONCE(stream->class);
	f->priority = READ_ONCE(stream->priority);
	f->ring_state = READ_ONCE(stream->ring_state);
	vnpu_stream_read_task(stream, f);
}

/**
 * vnpu_engine_busy_ns() - how long an engine has run tasks
 * @engine: one that is there
 *
 * The turn that it is in counts as far as it has come. Of two answers the later
 * is never the less.
 *
 * Return: in ns
 */
u64 vnpu_engine_busy_ns(struct vnpu_engine *engine)
{
	u64 busy, now, told;

	do {
		busy = READ_ONCE(engine->busy);
		/* The time is of this turn, if it is still the same then. */
		smp_rmb();
		now = ktime_get_ns();
		/* Of the look above and the one below, the time is between. */
		smp_rmb();
	} while (busy != READ_ONCE(engine->busy));
	busy = vnpu_busy_at(busy, now);
	/* The turn may have been over a moment before that is written. */
	told = READ_ONCE(engine->busy_told);
	while (told < busy && !try_cmpxchg(&engine->busy_told, &told, busy))
		;
	return max(told, busy);
}

/**
 * vnpu_engines_read() - what an engine does
 * @engines: the engines of a device
 * @class: VNPU_ENGINE_COPY or _VECTOR
 * @index: any number
 * @f: filled
 *
 * Return: false if there is no such engine, or not yet.
 */
bool vnpu_engines_read(struct vnpu_engines *engines, u32 class, u32 index,
		       struct vnpu_engine_figures *f)
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
 * vnpu_engines_read_class() - what the engines of a class do together
 * @engines: the engines of a device
 * @class: VNPU_ENGINE_COPY or _VECTOR
 * @f: filled
 */
void vnpu_engines_read_class(struct vnpu_engines *engines, u32 class,
			     struct vnpu_class_figures *f)
{
	u32 i;

	f->busy_ns = 0;
	mutex_lock(&engines->start_lock);
	f->count = engines->count[class];
	for (i = 0; i < f->count; i++)
		f->busy_ns += vnpu_engine_busy_ns(&engines->engines[class][i]);
	mutex_unlock(&engines->start_lock);
}

/**
 * vnpu_engines_are_busy() - does any of them run a task?
 * @engines: the engines of a device
 *
 * Return: false also where they are not started.
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
