// SPDX-License-Identifier: GPL-2.0-only
/* Threads of the host that wait for timelines. */
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <linux/vnpu.h>

#include "base/client.h"
#include "timeline.h"
#include "trace.h"
#include "wait.h"

/* The number of points that need no allocation. */
#define VNPU_WAIT_INLINE	4

/**
 * struct vnpu_wait_entry - a point that a thread waits for
 * @waiter: in the timeline
 * @timeline: the timeline, with a reference; NULL if it is gone, and so reached
 * @wait: the wait to which it belongs
 * @waits: it was not reached when it was added
 * @reached: it is reached
 */
struct vnpu_wait_entry {
	struct vnpu_waiter waiter;
	struct vnpu_timeline *timeline;
	struct vnpu_host_wait *wait;
	bool waits;
	bool reached;
};

/**
 * struct vnpu_host_wait - a thread that waits
 * @task: the thread
 * @left: number of points that must be reached until it is woken
 * @count: number of @entries
 * @entries: the points
 */
struct vnpu_host_wait {
	struct task_struct *task;
	atomic_t left;
	u32 count;
	struct vnpu_wait_entry *entries;
};

static void vnpu_wait_wake(struct vnpu_waiter *waiter)
{
	struct vnpu_wait_entry *entry =
		container_of(waiter, struct vnpu_wait_entry, waiter);
	struct vnpu_host_wait *wait = entry->wait;

	WRITE_ONCE(entry->reached, true);
	/* Points that are reached later do not wake it again. */
	if (!atomic_dec_return(&wait->left))
		wake_up_process(wait->task);
}

static int vnpu_wait_find(struct vnpu_client *client, struct vnpu_host_wait *wait,
			  const struct vnpu_wait_point *points, u32 count)
{
	for (; wait->count < count; wait->count++) {
		struct vnpu_wait_entry *entry = &wait->entries[wait->count];
		int ret;

		entry->wait = wait;
		ret = vnpu_timeline_find(client, points[wait->count].id,
					 &entry->timeline);
		if (ret)
			return ret;
		if (entry->timeline &&
		    entry->timeline->kind == VNPU_TIMELINE_KIND_COUNTER) {
			vnpu_timeline_put(entry->timeline);
			return -EINVAL;
		}
	}
	return 0;
}

static void vnpu_wait_add(struct vnpu_wait_entry *entry, u64 value)
{
	if (entry->timeline)
		entry->waits = vnpu_waiter_add(&entry->waiter, entry->timeline,
					       value, vnpu_wait_wake);
	if (!entry->waits) {
		WRITE_ONCE(entry->reached, true);
		atomic_dec(&entry->wait->left);
	}
}

static void vnpu_wait_remove_all(struct vnpu_host_wait *wait)
{
	u32 i;

	for (i = 0; i < wait->count; i++) {
		struct vnpu_wait_entry *entry = &wait->entries[i];

		if (entry->waits)
			vnpu_waiter_remove(&entry->waiter, entry->timeline);
		if (entry->timeline)
			vnpu_timeline_put(entry->timeline);
	}
}

/* The result, when enough points are reached. */
static int vnpu_wait_result(struct vnpu_host_wait *wait, u32 *index)
{
	bool found = false;
	int ret = 0;
	u32 i;

	*index = 0;
	for (i = 0; i < wait->count; i++) {
		struct vnpu_wait_entry *entry = &wait->entries[i];

		if (!READ_ONCE(entry->reached))
			continue;
		if (!found)
			*index = i;
		found = true;
		if (!ret && entry->timeline)
			ret = vnpu_timeline_error(entry->timeline);
	}
	return ret;
}

static int vnpu_wait_sleep(struct vnpu_host_wait *wait, u64 timeout_ns,
			   unsigned int state)
{
	ktime_t until = ns_to_ktime(min_t(u64, timeout_ns, KTIME_MAX));
	int ret = 0;

	for (;;) {
		set_current_state(state);
		if (atomic_read(&wait->left) <= 0)
			break;
		if (signal_pending_state(state, current)) {
			ret = -ERESTARTSYS;
			break;
		}
		if (!timeout_ns || !schedule_hrtimeout(&until,
						       HRTIMER_MODE_ABS)) {
			/* The points may have been reached at the timeout. */
			ret = atomic_read(&wait->left) <= 0 ? 0 : -ETIMEDOUT;
			break;
		}
	}
	__set_current_state(TASK_RUNNING);
	return ret;
}

/**
 * vnpu_wait_points() - wait for timelines
 * @client: the client of the ids
 * @points: the points
 * @count: number of points
 * @all: wait for all of them, not for any
 * @timeout_ns: timeout, CLOCK_MONOTONIC; U64_MAX for ever
 * @index: set to the lowest reached point, or to 0 with @all
 *
 * Return: 0, -ETIMEDOUT, -ERESTARTSYS, -ENOENT, -EINVAL, -EIO or -ENOMEM; see
 * struct vnpu_wait.
 */
int vnpu_wait_points(struct vnpu_client *client,
		     const struct vnpu_wait_point *points, u32 count, bool all,
		     u64 timeout_ns, u32 *index)
{
	struct vnpu_wait_entry few[VNPU_WAIT_INLINE] = {};
	struct vnpu_host_wait wait = {
		.task = current,
		.entries = few,
	};
	u32 i;
	int ret;

	atomic_set(&wait.left, all ? count : 1);
	if (count > VNPU_WAIT_INLINE) {
		wait.entries = kvcalloc(count, sizeof(*wait.entries),
					GFP_KERNEL_ACCOUNT);
		if (!wait.entries)
			return -ENOMEM;
	}
	ret = vnpu_wait_find(client, &wait, points, count);
	if (!ret) {
		for (i = 0; i < count; i++)
			vnpu_wait_add(&wait.entries[i], points[i].value);
		trace_vnpu_wait_begin(client, points, count, all);
		ret = vnpu_wait_sleep(&wait, timeout_ns, TASK_INTERRUPTIBLE);
		trace_vnpu_wait_end(client, ret);
	}
	if (!ret)
		ret = vnpu_wait_result(&wait, index);
	if (all)
		*index = 0;
	vnpu_wait_remove_all(&wait);
	if (wait.entries != few)
		kvfree(wait.entries);
	return ret;
}

/**
 * vnpu_wait_killable() - wait for a value that is reached soon
 * @timeline: the timeline
 * @value: the value
 *
 * Return: 0, -EINTR (the process is being killed) or the error of the timeline.
 */
int vnpu_wait_killable(struct vnpu_timeline *timeline, u64 value)
{
	struct vnpu_host_wait wait = { .task = current };
	struct vnpu_wait_entry entry = {
		.timeline = timeline,
		.wait = &wait,
	};
	int ret;

	atomic_set(&wait.left, 1);
	vnpu_wait_add(&entry, value);
	ret = vnpu_wait_sleep(&wait, U64_MAX, TASK_KILLABLE);
	if (entry.waits)
		vnpu_waiter_remove(&entry.waiter, timeline);
	if (ret)
		return -EINTR;
	return vnpu_timeline_error(timeline);
}
