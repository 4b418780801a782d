// SPDX-License-Identifier: MIT
/*
 * Reports of failed tasks to the program, see failure.h.
 *
 * The driver counts the failures of a stream, and leaves a record of each in
 * the stream's mapping.  A change of the count is seen by the thread of this
 * file, by a call that waits for the stream, by a call before its tasks
 * replace the records, or at the end of the stream.  Each appends the failures
 * to a list, and the thread calls the program's functions for them.
 *
 * If the list is full, or there is no memory for it, the records are read
 * later.  If new tasks replace them before that, the failures are lost, and
 * counted.
 *
 * The thread waits until any stream has completed more tasks, and for the kick:
 * a timeline that signals new streams and new entries of the list.  Streams of
 * small tasks progress all the time, so the thread looks once per PAUSE_MS.
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
#include "kernel/binary.h"
#include "runtime/hooks.h"
#include "failure.h"
#include "launch_report.h"

/* The pause between two looks at all streams. */
#define PAUSE_MS	1

/*
 * The pause after a failed wait, or if there are too many streams to wait for.
 */
#define TROUBLE_MS	100

/* The maximum number of failures in the list. */
#define PENDING_MAX	65536

/*
 * A failed task.  That of a launch has its task, and keeps the arguments and the
 * function of the launch.
 */
struct failure {
	struct failure *next;
	struct rtExceptionInfo info;
	struct vnpu_task_failure what;
	uint32_t device;		/* in the driver */
	uint64_t stream;		/* id in the driver */
	struct vnpu_task task;
	struct vnpu_chunk *held;
};

/* Inside the runtime lock. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* The list, protected by the lock. */
static struct failure *first;
static struct failure **end = &first;
static uint32_t pending;		/* length of the list */
static uint64_t lost;			/* how many it had no room for */
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

/* Make the thread look again. */
static void kick_locked(void)
{
	if (is_running)
		vnpu_io_signal(kick, ++kick_value, VNPU_SIGNAL_ADVANCE);
}

/* Append to the list; false if it is full, or there is no memory. */
static bool append_locked(struct vnpu_stream *stream,
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
	};
	failure->what = *what;
	failure->device = stream->context->device;
	failure->stream = stream->queue.id;
	if (what->op == VNPU_TASK_LAUNCH &&
	    vnpu_queue_task(&stream->queue, what->seq, &failure->task))
		failure->held = vnpu_book_hold(&stream->book, what->seq,
					       failure->task.src);
	*end = failure;
	end = &failure->next;
	pending++;
	return true;
}

/* Note a failed task; false if its record must be read again later. */
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
 * Look at the records that are new since the last look, when @looked was the
 * last complete task.  Records that were replaced since then are those of
 * cancelled tasks up to @looked: later tasks are never more than the ring has
 * records.
 *
 * Return the number of the first task with a record that must be read again, or
 * UINT64_MAX.
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

/* Look at the complete tasks: those up to @done, or more. */
static void look_locked(struct vnpu_stream *stream, uint64_t done,
			bool last_look)
{
	uint64_t from = stream->looked, again;
	uint64_t to = vnpu_queue_completed(&stream->queue);
	uint32_t before = atomic_load(&stream->failures);
	struct vnpu_queue_status status;

	/* A waiter can know of completed tasks before the ring shows them. */
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

/*
 * Get a point that the stream's next completed task reaches; false if broken.
 */
static bool next_point(const struct vnpu_stream *stream,
		       struct vnpu_io_point *point)
{
	struct vnpu_queue_status status;

	vnpu_queue_status(&stream->queue, &status);
	point->id = stream->queue.id;
	point->value = vnpu_queue_completed(&stream->queue) + 1;
	return !(status.state & VNPU_RING_BROKEN);
}

/* Look at all streams, and fill in points to wait for, up to @max. */
static uint32_t scan(struct vnpu_io_point *points, uint32_t max)
{
	uint32_t count = 0;

	vnpu_runtime_lock();
	for (struct vnpu_context *context = vnpu_context_first(); context;
	     context = context->next) {
		for (struct vnpu_stream *stream = context->streams; stream;
		     stream = stream->next) {
			/* First, so that later failures reach the point. */
			if (count < max && next_point(stream, &points[count]))
				count++;
			vnpu_failure_note(stream);
		}
	}
	vnpu_runtime_unlock();
	return count;
}

/*
 * Check all streams, so that the present callbacks get all failures so far.
 */
static void failure_scan(void)
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

static void report_lost(void)
{
	uint64_t count;

	vnpu_failure_lock();
	count = lost;
	lost = 0;
	vnpu_failure_unlock();
	if (count)
		vnpu_log(ACL_ERROR, __func__,
			"%llu failed tasks were not reported to the program: %d others were waiting, or there was no memory",
			(unsigned long long)count, PENDING_MAX);
}

/* Add the core's report of a launch; returns the function. */
static struct vnpu_function *complete(struct failure *failure)
{
	struct rtExceptionInfo *info = &failure->info;
	const struct vnpu_task_failure *what = &failure->what;
	struct vnpu_function *function = NULL;

	info->thread = (uint32_t)gettid();
	if (what->op != VNPU_TASK_LAUNCH) {
		info->code = (uint32_t)vnpu_error_task_code(what->error,
							    what->addr);
		return NULL;
	}
	info->code = (uint32_t)vnpu_launch_code(failure->device,
			failure->stream, what->seq, what->error,
			failure->held ? &failure->task : NULL);
	if (failure->held)
		function = vnpu_function_find(failure->task.arg0);
	if (function) {
		info->args = failure->task.src;
		info->args_length = failure->task.length;
		info->function = function->handle;
		info->binary = function->binary->handle;
	}
	return function;
}

/*
 * Report all failures in the list; returns the value of the kick at that time.
 */
static uint64_t report_all(void)
{
	struct failure *failure;
	uint64_t value;

	while ((failure = take(&value))) {
		struct vnpu_function *function = complete(failure);

		vnpu_hooks_exception(&failure->info);
		if (function)
			vnpu_function_put(function);
		if (failure->held)
			vnpu_book_release(failure->held);
		free(failure);
	}
	report_lost();
	return value;
}

/* Wait until a task may have failed. */
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
		wait_for_more(report_all(), arg);
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

/*
 * Watch one more callback or stream.  Without the thread, a failure is reported
 * when the program finds it.  A caller that has added a callback has called
 * vnpu_thread_prepare() before.
 */
static void failure_watch(void)
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

void vnpu_failure_add_stream(void)
{
	static const struct vnpu_hooks_watcher watcher = {
		.scan = failure_scan,
		.watch = failure_watch,
	};

	vnpu_hooks_set_watcher(&watcher);
	/*
	 * Either this thread sees a new callback, or the thread that registers it
	 * sees the watcher.  Pairs with the store of nr_hooks in hook_add().
	 */
	atomic_thread_fence(memory_order_seq_cst);
	failure_watch();
}
