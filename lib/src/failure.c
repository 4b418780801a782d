// SPDX-License-Identifier: MIT
/*
 * Telling the program of tasks that failed, see failure.h.
 *
 * The driver counts the failures of a stream, and tells the last.  Whoever sees
 * that the count has changed, be it the thread, a call that waits for the stream
 * or its end, appends what failed to a list, and the thread calls the program's
 * functions with it.
 *
 * The thread waits for any stream to come further than it was when it looked,
 * and for the kick: a timeline that tells of new streams and of the list.  As
 * streams of small tasks always come further, it looks once in a while at most.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "error.h"
#include "failure.h"
#include "fork.h"
#include "hooks.h"
#include "io.h"
#include "io_stream.h"
#include "thread.h"

/* From one look to the next. */
#define PAUSE_MS	1

/* Where a wait did not go well, and where there are too many to wait for. */
#define TROUBLE_MS	100

struct failure {
	struct failure *next;
	struct rtExceptionInfo info;
};

/* Inside the runtime lock. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct failure *first;		/* under the lock, as the next ones */
static struct failure **end = &first;
static bool is_running;			/* there is a thread */
static uint64_t kick;			/* timeline; constant while it runs */
static uint64_t kick_value;

void vnpu_failure_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void vnpu_failure_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

/* Have the thread look again. */
static void kick_locked(void)
{
	if (is_running)
		vnpu_io_signal(kick, ++kick_value, VNPU_SIGNAL_ADVANCE);
}

/*
 * What the driver tells may be of a later failure than the one that was seen,
 * whose turn comes or was: each is appended once.
 */
static struct failure *append_locked(struct vnpu_stream *stream,
				     struct failure *failure)
{
	struct vnpu_io_stream info;

	/* A stream that is gone has nothing to tell. */
	if (vnpu_io_stream_query(stream->queue.id, &info) ||
	    stream->failed == info.error_seq)
		return failure;
	stream->failed = info.error_seq;
	failure->info = (struct rtExceptionInfo){
		.task = (uint32_t)info.error_seq,
		.stream = stream->number,
		.device = (uint32_t)stream->context->user_device,
		.code = (uint32_t)vnpu_error_task_code(info.error,
						       info.error_addr),
	};
	*end = failure;
	end = &failure->next;
	kick_locked();
	return NULL;
}

/* Append the last failure to the list; false if there is no memory for that. */
static bool remember(struct vnpu_stream *stream)
{
	struct failure *failure = calloc(1, sizeof(*failure));

	if (!failure)
		return false;
	vnpu_failure_lock();
	failure = append_locked(stream, failure);
	vnpu_failure_unlock();
	free(failure);
	return true;
}

/* Whether there are more failures than anybody has seen; how many those saw. */
static bool is_news(struct vnpu_stream *stream, uint32_t errors,
		    uint32_t *before)
{
	*before = atomic_load(&stream->failures);
	do {
		/* Another has looked later, and was here first. */
		if ((int32_t)(errors - *before) <= 0)
			return false;
	} while (!atomic_compare_exchange_weak(&stream->failures, before,
					       errors));
	return true;
}

void vnpu_failure_note(struct vnpu_stream *stream)
{
	struct vnpu_queue_status status;
	uint32_t before, errors;

	vnpu_queue_status(&stream->queue, &status);
	errors = status.errors;
	if (!is_news(stream, errors, &before) ||
	    !vnpu_hooks_want_exceptions() || remember(stream))
		return;

	/* For the next look, which comes soon; unless another has seen more. */
	atomic_compare_exchange_strong(&stream->failures, &errors, before);
	vnpu_failure_lock();
	kick_locked();
	vnpu_failure_unlock();
}

/* What comes further when the stream does; false if it never will. */
static bool next_point(const struct vnpu_stream *stream,
		       struct vnpu_io_point *point)
{
	struct vnpu_queue_status status;

	vnpu_queue_status(&stream->queue, &status);
	point->id = stream->queue.id;
	point->value = vnpu_queue_completed(&stream->queue) + 1;
	return !(status.state & VNPU_RING_BROKEN);
}

/* Look at all streams, and tell what to wait for, as far as there is room. */
static uint32_t scan(struct vnpu_io_point *points, uint32_t max)
{
	uint32_t count = 0;

	vnpu_runtime_lock();
	for (struct vnpu_context *context = vnpu_context_first(); context;
	     context = context->next) {
		for (struct vnpu_stream *stream = context->streams; stream;
		     stream = stream->next) {
			/* Before the look: what fails after it is further. */
			if (count < max && next_point(stream, &points[count]))
				count++;
			vnpu_failure_note(stream);
		}
	}
	vnpu_runtime_unlock();
	return count;
}

void vnpu_failure_scan(void)
{
	if (vnpu_io_is_open())
		scan(NULL, 0);
}

static struct failure *take(uint64_t *value)
{
	struct failure *failure;

	vnpu_failure_lock();
	*value = kick_value;
	failure = first;
	if (failure)
		first = failure->next;
	if (!first)
		end = &first;
	vnpu_failure_unlock();
	return failure;
}

/* All that is in the list; how far the kick was at its end. */
static uint64_t tell(void)
{
	struct failure *failure;
	uint64_t value;

	while ((failure = take(&value))) {
		failure->info.thread = (uint32_t)gettid();
		vnpu_hooks_exception(&failure->info);
		free(failure);
	}
	return value;
}

/* Until something may have failed. */
static void wait_for_more(uint64_t value, struct vnpu_io_point *points)
{
	const uint32_t max = VNPU_IO_WAIT_MAX - 1;
	uint64_t deadline = VNPU_IO_FOREVER;
	uint32_t count = 0;
	int ret;

	if (vnpu_hooks_want_exceptions())
		count = scan(points, max);
	if (count == max)
		deadline = vnpu_queue_deadline(TROUBLE_MS);
	points[count++] = (struct vnpu_io_point){
		.id = kick,
		.value = value + 1,
	};
	ret = vnpu_io_wait(points, count, false, deadline, NULL);
	poll(NULL, 0, ret && ret != -ETIMEDOUT ? TROUBLE_MS : PAUSE_MS);
}

static void *run(void *arg)
{
	for (;;)
		wait_for_more(tell(), arg);
	return NULL;
}

static int start_locked(void)
{
	struct vnpu_io_point *points;
	int ret;

	points = calloc(VNPU_IO_WAIT_MAX, sizeof(*points));
	if (!points)
		return -ENOMEM;
	ret = vnpu_io_timeline_create(0, &kick);
	if (!ret) {
		kick_value = 0;
		ret = vnpu_thread_start("vnpu-failure", run, points);
		if (ret)
			vnpu_io_timeline_destroy(kick);
	}
	if (ret)
		free(points);
	return ret;
}

void vnpu_failure_watch(void)
{
	if (!vnpu_hooks_want_exceptions() || !vnpu_io_is_open())
		return;
	vnpu_failure_lock();
	if (is_running)
		kick_locked();
	else
		is_running = !start_locked();
	vnpu_failure_unlock();
}
