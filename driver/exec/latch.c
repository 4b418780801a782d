// SPDX-License-Identifier: GPL-2.0-only
/*
 * Latching of tasks, and the check that they are fence-eligible; see latch.h.
 *
 * Latching makes relative values absolute, so the values that are checked are
 * those that are waited for.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "va/bind.h"
#include "engine.h"
#include "latch.h"
#include "ring.h"
#include "stream.h"
#include "task.h"

/* Maximum size of an element, for tasks on arrays, in bytes. */
#define VNPU_ELEMENT_MAX	16

static struct vnpu_task *vnpu_latched_slot(struct vnpu_stream *stream, u64 seq)
{
	return &stream->latched[(seq - 1) & (stream->ring_tasks - 1)];
}

static int vnpu_latch_frozen(struct vnpu_stream *stream, u64 last)
{
	struct vnpu_ring_mem *mem = stream->ring;
	u64 done = vnpu_timeline_value(&stream->timeline);
	u64 first, tail, seq;

	/* Order the load of the tail before the loads of the slots. */
	tail = smp_load_acquire(&mem->ring->tail);
	if (READ_ONCE(stream->dying) || done == U64_MAX)
		return -ENOENT;
	/* Each task needs a slot of its own. */
	if (tail - done > stream->ring_tasks || last > tail)
		return -EINVAL;
	if (stream->run.op)
		*vnpu_latched_slot(stream, stream->run.seq) = stream->run.task;
	first = max(stream->taken, stream->latched_last) + 1;
	for (seq = first; seq <= last; seq++)
		*vnpu_latched_slot(stream, seq) =
			mem->slots[(seq - 1) & (stream->ring_tasks - 1)];
	/* User space may change the slots: use only the copies from here on. */
	barrier();
	if (stream->taken >= stream->latched_last)
		stream->latched_base = stream->base;
	/* A task with invalid fields is latched, too: it fails when it runs. */
	for (seq = first; seq <= last; seq++)
		vnpu_task_resolve(vnpu_latched_slot(stream, seq),
				  &stream->latched_base);
	stream->latched_last = max(stream->latched_last, last);
	return 0;
}

/*
 * Latch the stream's tasks up to a number. Return -EINVAL if the task is not
 * submitted yet, -ENOENT if the stream is ending.
 */
static int vnpu_latch_tasks(struct vnpu_stream *stream, u64 last)
{
	int ret;

	if (last <= stream->latched_last)
		return 0;
	/* Pairs with smp_store_release() in vnpu_stream_get_ring(). */
	if (!smp_load_acquire(&stream->ring))
		return -EINVAL;
	if (!stream->latched) {
		struct vnpu_task *latched;

		latched = kvcalloc(stream->ring_tasks, sizeof(*latched),
				   GFP_KERNEL_ACCOUNT);
		if (!latched)
			return -ENOMEM;
		/*
		 * Freed with the stream. Engines use it only for latched tasks.
		 */
		stream->latched = latched;
	}
	vnpu_engines_freeze(stream);
	ret = vnpu_latch_frozen(stream, last);
	vnpu_engines_thaw(stream);
	return ret;
}

/* Get upper bounds of the bytes that a task uses, 0 for invalid rows. */
static void vnpu_latch_spans(const struct vnpu_task *task, u64 *dst, u64 *src)
{
	*dst = 0;
	*src = 0;
	switch (task->op) {
	case VNPU_TASK_NOP:
	case VNPU_TASK_SIGNAL:
	case VNPU_TASK_BASE:
		break;
	case VNPU_TASK_COPY:
		*src = task->length;
		fallthrough;
	case VNPU_TASK_FILL:
		*dst = task->length;
		break;
	case VNPU_TASK_COPY_INDIRECT:
		/* The ranges behind the addresses are checked at execution. */
		*dst = sizeof(u64);
		*src = sizeof(u64);
		break;
	case VNPU_TASK_COPY_2D:
		if (vnpu_task_check_rows(task->dst, task->length, task->arg0,
					 task->arg1, dst) ||
		    vnpu_task_check_rows(task->src, task->length, task->arg0,
					 task->arg2, src))
			*dst = 0;
		break;
	case VNPU_TASK_FILL_2D:
		if (vnpu_task_check_rows(task->dst, task->length, task->arg1,
					 task->arg2, dst))
			*dst = 0;
		break;
	default:
		/*
		 * Single values, or elements of at most VNPU_ELEMENT_MAX bytes.
		 */
		if (check_mul_overflow(max(task->length, 1ULL),
				       (u64)VNPU_ELEMENT_MAX, dst))
			*dst = U64_MAX;
		*src = *dst;
		break;
	}
}

static bool vnpu_latch_is_shared_locked(struct vnpu_client *client, u64 va,
					u64 length)
{
	u64 last;

	if (!length)
		return false;
	if (check_add_overflow(va, length - 1, &last))
		last = U64_MAX;
	return vnpu_bind_is_shared_locked(client, va, last);
}

/* Return the address of an indirect copy's length; 0 for other tasks. */
static u64 vnpu_latch_length_at(const struct vnpu_task *task)
{
	return task->op == VNPU_TASK_COPY_INDIRECT ? task->arg2 : 0;
}

static int vnpu_latch_look_at_work(struct vnpu_client *client,
				   const struct vnpu_task *task)
{
	u64 dst, src, length_at = vnpu_latch_length_at(task);
	bool is_shared;

	vnpu_latch_spans(task, &dst, &src);
	down_read(&client->map_lock);
	is_shared = vnpu_latch_is_shared_locked(client, task->dst, dst) ||
		    vnpu_latch_is_shared_locked(client, task->src, src) ||
		    vnpu_latch_is_shared_locked(client, length_at,
						length_at ? sizeof(u64) : 0);
	up_read(&client->map_lock);
	return is_shared ? -EBUSY : 0;
}

/*
 * Check whether a timeline reaches a value in bounded time. Other streams are not
 * examined, so their tasks may wait forever.
 */
static bool vnpu_latch_is_bounded(const struct vnpu_stream *stream,
				  struct vnpu_timeline *timeline, u64 value)
{
	if (vnpu_timeline_value(timeline) >= value)
		return true;
	switch (timeline->kind) {
	case VNPU_TIMELINE_KIND_COUNTER:
		/* The wait fails: a counter is not a timeline. */
		return true;
	case VNPU_TIMELINE_KIND_FENCE:
		/* A fence is signalled in bounded time by definition. */
		return value <= 1;
	default:
		/* A wait for the stream itself ends at once, or fails. */
		return timeline == &stream->timeline;
	}
}

/*
 * Find the timeline that the current task of a stream already waits for,
 * although its id is not valid any more: another user keeps the timeline.
 * Return it with a reference.
 *
 * If the task with the number @seq does not wait yet, return NULL. The task is
 * then changed, while no engine copies it, so that it never looks the id up.
 */
static struct vnpu_timeline *
vnpu_latch_find_held(struct vnpu_stream *stream, u64 seq)
{
	struct vnpu_task *task = vnpu_latched_slot(stream, seq);
	const struct vnpu_run *run = &stream->run;
	struct vnpu_timeline *timeline = NULL;

	vnpu_engines_freeze(stream);
	/* A stream that is ending may be releasing its task. */
	if (!READ_ONCE(stream->dying) && run->op && run->seq == seq)
		timeline = run->timeline;
	if (timeline) {
		vnpu_timeline_get(timeline);
	} else {
		task->op = VNPU_TASK_NOP;
		task->src = 0;
		task->arg0 = 0;
	}
	vnpu_engines_thaw(stream);
	return timeline;
}

static int vnpu_latch_look_at_wait(struct vnpu_stream *stream,
				   struct vnpu_client *client, u64 seq)
{
	const struct vnpu_task *task = vnpu_latched_slot(stream, seq);
	struct vnpu_timeline *timeline;
	bool is_bounded;

	/* A timeline with this id may be created later. */
	if (vnpu_timeline_find(client, task->src, &timeline))
		return -EBUSY;
	if (!timeline)
		timeline = vnpu_latch_find_held(stream, seq);
	if (!timeline)
		return 0;
	is_bounded = vnpu_latch_is_bounded(stream, timeline, task->arg0);
	vnpu_timeline_put(timeline);
	return is_bounded ? 0 : -EBUSY;
}

/* Check a single task. Return 0, or -EBUSY if it may wait forever. */
static int vnpu_latch_look(struct vnpu_stream *stream,
			   struct vnpu_client *client, u64 seq)
{
	const struct vnpu_task *task = vnpu_latched_slot(stream, seq);

	switch (task->op) {
	case VNPU_TASK_LAUNCH:
	case VNPU_TASK_GRAPH:
	case VNPU_TASK_GRAPH_UPDATE:
	case VNPU_TASK_VALUE_WAIT:
	case VNPU_TASK_COUNTER_WAIT:
		return -EBUSY;
	case VNPU_TASK_WAIT:
		return vnpu_latch_look_at_wait(stream, client, seq);
	default:
		return vnpu_latch_look_at_work(client, task);
	}
}

/* Latch and check the incomplete tasks of a stream up to a number. */
static int vnpu_latch_check(struct vnpu_stream *stream,
			    struct vnpu_client *client, u64 last)
{
	u64 seq = vnpu_timeline_value(&stream->timeline);
	int ret;

	if (seq >= last)
		return 0;
	ret = vnpu_latch_tasks(stream, last);
	/* If the stream is ending, its timeline has reached every value. */
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	while (seq < last) {
		ret = vnpu_latch_look(stream, client, seq + 1);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		seq = max(seq + 1, vnpu_timeline_value(&stream->timeline));
	}
	return 0;
}

/**
 * vnpu_stream_latch() - latch a task and all tasks of its stream before it
 * @stream: the stream of the task, with a reference of the caller's
 * @value: the number of the task
 *
 * Return: 0, -EINVAL (not submitted), -EBUSY (not fence-eligible), -ENOENT (the
 * stream has ended), -ENOMEM or -EINTR. Latched tasks remain so on failure.
 */
int vnpu_stream_latch(struct vnpu_stream *stream, u64 value)
{
	struct vnpu_client *client = READ_ONCE(stream->client);
	int ret;

	if (!client)
		return -ENOENT;
	if (mutex_lock_killable(&client->export_lock))
		return -EINTR;
	ret = vnpu_latch_check(stream, client, value);
	mutex_unlock(&client->export_lock);
	return ret;
}
