// SPDX-License-Identifier: MIT
/*
 * Telling the program of tasks that failed, see failure.h.
 *
 * The driver counts the failures of a stream, and leaves a record of each in
 * the stream's mapping.  Whoever sees that the count has changed, be it the
 * thread, a call that waits for the stream, one that is about to submit tasks
 * whose records would replace these, or the stream's end, appends what failed
 * to a list, and the thread calls the program's functions with it.
 *
 * The list may come to its end, or the memory for it: then records are looked
 * at later, and where they are to be replaced, what they say is lost and
 * counted.
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

#include "base/error.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/thread.h"
#include "io/io.h"
#include "io/io_stream.h"
#include "runtime/hooks.h"
#include "failure.h"

/* From one look to the next. */
#define PAUSE_MS	1

/* Where a wait did not go well, and where there are too many to wait for. */
#define TROUBLE_MS	100

/* How many failures may wait to be told of. */
#define PENDING_MAX	65536

struct failure {
	struct failure *next;
	struct rtExceptionInfo info;
};

/* Inside the runtime lock. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct failure *first;		/* under the lock, as the next ones */
static struct failure **end = &first;
static uint32_t pending;		/* how many there are in the list */
static uint64_t lost;			/* how many found no place there */
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

/* Append to the list; false if it is full, or there is no memory. */
static bool append_locked(const struct vnpu_stream *stream,
			  const struct vnpu_task_failure *what)
{
	struct failure *failure;

	failure = pending < PENDING_MAX ? calloc(1, sizeof(*failure)) : NULL;
	if (!failure)
		return false;
	failure->info = (struct rtExceptionInfo){
		.task = (uint32_t)what->seq,
		.stream = stream->number,
		.device = (uint32_t)stream->context->user_device,
		.code = (uint32_t)vnpu_error_task_code(what->error, what->addr),
	};
	*end = failure;
	end = &failure->next;
	pending++;
	return true;
}

/* One that failed; false if it has to be looked at again. */
static bool remember_locked(struct vnpu_stream *stream,
			    const struct vnpu_task_failure *what, bool last_look)
{
	if (vnpu_hooks_want_exceptions() && !append_locked(stream, what)) {
		if (!last_look)
			return false;
		lost++;
	}
	atomic_fetch_add(&stream->failures, 1);
	return true;
}

/*
 * Look at the records from the last look on, after which task @looked was the
 * last that was complete.  Those that were replaced since are of tasks up to
 * that one, which were cancelled: of later tasks there are no more than
 * records.
 *
 * Returns the number of the first task that has to be looked at again, if any.
 */
static uint64_t look_at_records_locked(struct vnpu_stream *stream,
				       uint64_t looked, bool last_look)
{
	const struct vnpu_queue *queue = &stream->queue;
	uint64_t last = vnpu_queue_failures(queue);
	uint64_t record = vnpu_queue_oldest_failure(queue, last);
	struct vnpu_task_failure what;

	if (record <= stream->recorded)
		record = stream->recorded + 1;
	for (; record <= last; record++) {
		if (vnpu_queue_failure(queue, record, looked, &what) &&
		    what.error != ECANCELED &&
		    !remember_locked(stream, &what, last_look))
			return what.seq;
		stream->recorded = record;
	}
	return UINT64_MAX;
}

/* Look at the tasks that are complete: @done of them at least. */
static void look_locked(struct vnpu_stream *stream, uint64_t done,
			bool last_look)
{
	uint64_t from = stream->looked, again;
	uint64_t to = vnpu_queue_completed(&stream->queue);
	uint32_t before = atomic_load(&stream->failures);
	struct vnpu_queue_status status;

	/* What waiters know already, the ring tells a moment later. */
	if (to < done)
		to = done;
	if (to < from)
		to = from;
	vnpu_queue_status(&stream->queue, &status);
	stream->looked = to;
	if (status.errors == before)
		return;
	again = look_at_records_locked(stream, from, last_look);
	if (again <= to)
		stream->looked = again - 1;
	kick_locked();
}

void vnpu_failure_note(struct vnpu_stream *stream)
{
	struct vnpu_queue_status status;

	vnpu_queue_status(&stream->queue, &status);
	if (status.errors == atomic_load(&stream->failures))
		return;
	vnpu_failure_lock();
	look_locked(stream, 0, false);
	vnpu_failure_unlock();
}

uint64_t vnpu_failure_reuse(struct vnpu_queue *queue, uint64_t done)
{
	struct vnpu_stream *stream =
		container_of(queue, struct vnpu_stream, queue);
	uint64_t looked;

	vnpu_failure_lock();
	look_locked(stream, done, true);
	looked = stream->looked;
	vnpu_failure_unlock();
	return looked;
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
	if (failure) {
		first = failure->next;
		pending--;
	}
	if (!first)
		end = &first;
	vnpu_failure_unlock();
	return failure;
}

static void tell_of_lost(void)
{
	uint64_t count;

	vnpu_failure_lock();
	count = lost;
	lost = 0;
	vnpu_failure_unlock();
	if (count)
		vnpu_log(ACL_ERROR, __func__,
			"%llu tasks failed that no function was told of: %d others waited for that, or there was no memory",
			(unsigned long long)count, PENDING_MAX);
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
	tell_of_lost();
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
	vnpu_thread_set_name("vnpu-failure");
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
		ret = vnpu_thread_start(run, points);
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
