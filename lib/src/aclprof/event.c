// SPDX-License-Identifier: MIT
/*
 * Events: a list under the profiling lock, up to a limit, and the moments that
 * the device writes into stamps.
 *
 * A task is recorded with a moment before it and one after it, which are tasks
 * of the same submission.  Waiters for the task do not wait for the second
 * moment, so profiling does not delay them.  Stamps are pinned memory, so
 * written ones are read whenever more stamps are needed.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "prof.h"

#define HARVEST		4		/* moments that are checked per event */

static pthread_mutex_t prof_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. */
static struct vnpu_prof_event *events;
static struct vnpu_prof_event **last_event = &events;
static struct vnpu_prof_event **unread = &events;	/* the events before it
							 * are complete */
static uint64_t nr_events, max_events, nr_lost;
static uint32_t session;	/* from 1; each begins without events */

void vnpu_prof_lock(void)
{
	pthread_mutex_lock(&prof_mutex);
}

void vnpu_prof_unlock(void)
{
	pthread_mutex_unlock(&prof_mutex);
}

struct vnpu_prof_event *vnpu_prof_event_create(enum vnpu_prof_kind kind,
					       const char *name)
{
	size_t length = strlen(name) + 1;
	struct vnpu_prof_event *event = calloc(1, sizeof(*event) + length);
	struct timespec now;

	if (!event) {
		vnpu_prof_lock();
		nr_lost++;
		vnpu_prof_unlock();
		return NULL;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	event->kind = kind;
	event->thread = gettid();
	event->ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	memcpy(event->name, name, length);
	return event;
}

bool vnpu_prof_moment_init(struct vnpu_prof_moment *moment,
			   struct vnpu_task *task)
{
	if (vnpu_stamp_get(&moment->stamp, &moment->va))
		return false;
	moment->cookie = vnpu_stamp_cookie();
	*task = (struct vnpu_task){
		.op = VNPU_TASK_TIMESTAMP,
		.dst = moment->va,
		.arg0 = moment->cookie,
	};
	return true;
}

/* Read a moment; true if nothing is left to read. */
static bool moment_read(struct vnpu_prof_moment *moment)
{
	if (!moment->stamp)
		return true;
	if (atomic_load_explicit(&moment->stamp->cookie,
				 memory_order_acquire) != moment->cookie)
		return false;
	moment->ns = atomic_load_explicit(&moment->stamp->ns,
					  memory_order_relaxed);
	vnpu_stamp_put(moment->stamp, moment->va);
	moment->stamp = NULL;
	return true;
}

/* Stop waiting for a moment; the device may still write it safely. */
static void moment_drop(struct vnpu_prof_moment *moment)
{
	if (!moment_read(moment))
		vnpu_stamp_put(moment->stamp, moment->va);
	moment->stamp = NULL;
}

static void event_free(struct vnpu_prof_event *event)
{
	free(event->tensors);
	free(event);
}

void vnpu_prof_event_drop(struct vnpu_prof_event *event)
{
	moment_drop(&event->begin);
	moment_drop(&event->end);
	event_free(event);
}

static void harvest_locked(void)
{
	for (int i = 0; i < HARVEST && *unread; i++) {
		bool has_begun = moment_read(&(*unread)->begin);

		if (!moment_read(&(*unread)->end) || !has_begun)
			return;
		unread = &(*unread)->next;
	}
}

uint32_t vnpu_prof_event_add(struct vnpu_prof_event *event, unsigned int what,
			     uint32_t only)
{
	uint32_t added = 0;

	vnpu_prof_lock();
	if (only == VNPU_PROF_ANY_SESSION ?
	    atomic_load(&vnpu_prof_state) & what : only == session) {
		if (nr_events < max_events) {
			*last_event = event;
			last_event = &event->next;
			nr_events++;
			added = session;
		} else {
			nr_lost++;
		}
		harvest_locked();
	}
	vnpu_prof_unlock();
	if (!added)
		vnpu_prof_event_drop(event);
	return added;
}

void vnpu_prof_events_limit(uint64_t max)
{
	max_events = max;
}

void vnpu_prof_events_reset(uint64_t max)
{
	events = NULL;
	last_event = &events;
	unread = &events;
	nr_events = 0;
	nr_lost = 0;
	max_events = max;
	session++;
}

struct vnpu_prof_event *vnpu_prof_events_remove(uint64_t *lost)
{
	struct vnpu_prof_event *all = events;

	*lost = nr_lost;
	vnpu_prof_events_reset(0);
	for (struct vnpu_prof_event *event = all; event; event = event->next) {
		moment_drop(&event->begin);
		moment_drop(&event->end);
	}
	return all;
}

void vnpu_prof_events_free(struct vnpu_prof_event *all)
{
	struct vnpu_prof_event *next;

	for (; all; all = next) {
		next = all->next;
		event_free(all);
	}
}

/* Make the event of a submission, with a task before it and one after it. */
static struct vnpu_prof_event *task_event(struct vnpu_stream *stream,
					  struct vnpu_task *all,
					  unsigned int count)
{
	struct vnpu_prof_event *event =
		all[1].op == VNPU_TASK_LAUNCH ?
			vnpu_prof_launch_event(stream, &all[1]) :
			vnpu_prof_event_create(VNPU_PROF_TASK,
					       vnpu_stream_op_name(all[1].op));

	if (!event)
		return NULL;
	if (!event->call)
		event->call = vnpu_call_name;
	event->device = stream->context->user_device;
	event->stream = stream->number;
	for (unsigned int i = 1; i <= count; i++)
		event->bytes += all[i].op == VNPU_TASK_COPY ||
				all[i].op == VNPU_TASK_FILL ? all[i].length : 0;
	if (vnpu_prof_moment_init(&event->begin, &all[0]) &&
	    vnpu_prof_moment_init(&event->end, &all[count + 1]))
		return event;
	vnpu_prof_event_drop(event);
	return NULL;
}

int vnpu_prof_submit(struct vnpu_stream *stream, const struct vnpu_task *tasks,
		     unsigned int count, uint64_t *seq)
{
	struct vnpu_prof_event *event = NULL;
	struct vnpu_task *all = NULL;
	int ret;

	if (count + 2 <= VNPU_QUEUE_BATCH &&
	    vnpu_prof_wants_device(stream->context->user_device))
		all = calloc(count + 2, sizeof(*all));
	if (all) {
		memcpy(all + 1, tasks, count * sizeof(*all));
		event = task_event(stream, all, count);
	}
	if (!event) {
		free(all);
		return vnpu_queue_submit(&stream->queue, tasks, count, seq);
	}
	ret = vnpu_queue_submit(&stream->queue, all, count + 2, seq);
	free(all);
	if (ret) {
		vnpu_prof_event_drop(event);
		return ret;
	}
	event->id = --*seq;
	vnpu_prof_event_add(event, VNPU_PROF_TASKS, VNPU_PROF_ANY_SESSION);
	return 0;
}
