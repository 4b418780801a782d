// SPDX-License-Identifier: GPL-2.0-only
/*
 * Latching of tasks, and the check that they are fence-eligible; see latch.h.
 *
 * The check walks the tasks of a stream in order, starting after the last
 * completed task. At a task that waits for another stream, it first walks that
 * stream up to the task that is waited for. If the walk meets a stream that is
 * already on its path, the tasks wait for each other in a circle. Each task is
 * checked once. Latching makes relative values absolute, so the values that are
 * checked are those that are waited for.
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

/* Check a wait for a timeline that has not reached the value yet. */
static int vnpu_latch_look_at_target(struct vnpu_stream *stream,
				     struct vnpu_client *client,
				     struct vnpu_timeline *timeline,
				     u64 value, struct vnpu_stream **other)
{
	struct vnpu_stream *target;

	switch (timeline->kind) {
	case VNPU_TIMELINE_KIND_COUNTER:
		/* The wait fails: a counter is not a timeline. */
		return 0;
	case VNPU_TIMELINE_KIND_FENCE:
		/* A fence is signalled in bounded time by definition. */
		return value <= 1 ? 0 : -EBUSY;
	case VNPU_TIMELINE_KIND_STREAM:
		break;
	default:
		return -EBUSY;
	}
	target = vnpu_stream_of(timeline);
	if (target == stream)
		return 0;
	/* The tasks of a graph may wait for anything. */
	if (target->graph)
		return vnpu_timeline_value(timeline) >= value ? 0 : -EBUSY;
	/*
	 * A walk cannot enter a stream of another client, because the walks of
	 * that client have their own lock. A stream that has ended has no
	 * client. Pairs with smp_store_release() in vnpu_stream_end().
	 */
	if (smp_load_acquire(&target->client) != client)
		return vnpu_timeline_value(timeline) >= value ? 0 : -EBUSY;
	vnpu_timeline_get(timeline);
	*other = target;
	return 0;
}

/*
 * Find the timeline that the current task of a stream already waits for,
 * although its id is not valid any more: another user keeps the timeline.
 * Return it with a reference.
 *
 * If the task does not wait yet, return NULL. The task is then changed, while
 * no engine copies it, so that it never looks the id up.
 */
static struct vnpu_timeline *
vnpu_latch_find_held(struct vnpu_stream *stream, struct vnpu_task *task)
{
	const struct vnpu_run *run = &stream->run;
	struct vnpu_timeline *timeline = NULL;

	vnpu_engines_freeze(stream);
	/* A stream that is ending may be releasing its task. */
	if (!READ_ONCE(stream->dying) && run->op &&
	    run->seq == stream->walk.pos + 1)
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
				   struct vnpu_client *client,
				   struct vnpu_task *task,
				   struct vnpu_stream **other)
{
	struct vnpu_timeline *timeline;
	int ret;

	/* A timeline with this id may be created later. */
	if (vnpu_timeline_find(client, task->src, &timeline))
		return -EBUSY;
	if (!timeline)
		timeline = vnpu_latch_find_held(stream, task);
	if (!timeline)
		return 0;
	ret = vnpu_timeline_value(timeline) >= task->arg0 ? 0 :
	      vnpu_latch_look_at_target(stream, client, timeline,
					task->arg0, other);
	vnpu_timeline_put(timeline);
	return ret;
}

/*
 * Check a single task. Return 0, or -EBUSY if it may wait for ever. If it waits
 * for a task of another stream, set *other to that stream, with a reference.
 */
static int vnpu_latch_look(struct vnpu_stream *stream,
			   struct vnpu_client *client, struct vnpu_task *task,
			   struct vnpu_stream **other)
{
	*other = NULL;
	switch (task->op) {
	case VNPU_TASK_LAUNCH:
	case VNPU_TASK_GRAPH:
	case VNPU_TASK_GRAPH_UPDATE:
	case VNPU_TASK_VALUE_WAIT:
	case VNPU_TASK_COUNTER_WAIT:
		return -EBUSY;
	case VNPU_TASK_WAIT:
		return vnpu_latch_look_at_wait(stream, client, task, other);
	default:
		return vnpu_latch_look_at_work(client, task);
	}
}

/**
 * struct vnpu_latch - a walk over streams
 * @client: the client that has the streams
 * @seen: list of the streams that the walk has met, each with a reference,
 *	vnpu_walk.link
 * @at: the stream that the walk is at
 */
struct vnpu_latch {
	struct vnpu_client *client;
	struct list_head seen;
	struct vnpu_stream *at;
};

/* Continue a walk at another stream, and take over its reference. */
static int vnpu_latch_enter(struct vnpu_latch *look,
			    struct vnpu_stream *stream, u64 goal)
{
	struct vnpu_walk *walk = &stream->walk;
	int ret;

	lockdep_assert_held(&look->client->export_lock);
	/* The walk of a stream is protected by the export_lock of its owner. */
	WARN_ON_ONCE(walk->owner != look->client);
	if (list_empty(&walk->link)) {
		list_add(&walk->link, &look->seen);
		walk->pos = 0;
	} else {
		vnpu_timeline_put(&stream->timeline);
	}
	if (walk->on_path)
		return -EBUSY;
	walk->parent = look->at;
	walk->on_path = true;
	walk->goal = goal;
	look->at = stream;

	if (vnpu_timeline_value(&stream->timeline) >= goal)
		return 0;
	ret = vnpu_latch_tasks(stream, goal);
	if (ret != -ENOENT)
		return ret;
	/*
	 * The stream is ending, and then its timeline has reached every value.
	 */
	walk->pos = U64_MAX;
	return 0;
}

/* Make one step: check a task, enter another stream, or return from one. */
static int vnpu_latch_step(struct vnpu_latch *look)
{
	struct vnpu_stream *stream = look->at, *other;
	struct vnpu_walk *walk = &stream->walk;
	struct vnpu_task *task;
	int ret;

	walk->pos = max(walk->pos, vnpu_timeline_value(&stream->timeline));
	if (walk->pos >= walk->goal) {
		walk->on_path = false;
		look->at = walk->parent;
		return 0;
	}
	task = vnpu_latched_slot(stream, walk->pos + 1);
	ret = vnpu_latch_look(stream, look->client, task, &other);
	if (ret)
		return ret;
	if (!other || other->walk.pos >= task->arg0) {
		walk->pos++;
		if (other)
			vnpu_timeline_put(&other->timeline);
		return 0;
	}
	ret = vnpu_latch_enter(look, other, task->arg0);
	/* A task that is not submitted may never be submitted. */
	return ret == -EINVAL ? -EBUSY : ret;
}

static void vnpu_latch_forget(struct vnpu_latch *look)
{
	struct vnpu_stream *stream, *next;

	list_for_each_entry_safe(stream, next, &look->seen, walk.link) {
		list_del_init(&stream->walk.link);
		stream->walk.on_path = false;
		stream->walk.pos = 0;
		vnpu_timeline_put(&stream->timeline);
	}
}

/**
 * vnpu_stream_latch() - latch a task and all tasks that it depends on
 * @stream: the stream of the task, with a reference of the caller's
 * @value: the number of the task
 *
 * Return: 0, -EINVAL (not submitted), -EBUSY (not fence-eligible), -ENOENT (the
 * stream is ending), -ENOMEM or -EINTR. Latched tasks remain so on failure.
 */
int vnpu_stream_latch(struct vnpu_stream *stream, u64 value)
{
	struct vnpu_latch look = {
		.client = READ_ONCE(stream->client),
		.seen = LIST_HEAD_INIT(look.seen),
	};
	int ret;

	if (!look.client)
		return -ENOENT;
	if (mutex_lock_killable(&look.client->export_lock))
		return -EINTR;
	vnpu_timeline_get(&stream->timeline);
	ret = vnpu_latch_enter(&look, stream, value);
	while (!ret && look.at) {
		ret = vnpu_latch_step(&look);
		if (!ret && fatal_signal_pending(current))
			ret = -EINTR;
		cond_resched();
	}
	vnpu_latch_forget(&look);
	mutex_unlock(&look.client->export_lock);
	return ret;
}
