// SPDX-License-Identifier: MIT
/*
 * Execution of the calls that are due.
 *
 * A call is due when the task that marks its place in the stream is complete.
 * The reporter waits for the first call of each of its streams at once, and for
 * a timeline that signals changes, the kick. reporter.c has the bindings and
 * the launch of calls.
 *
 * Functions run without a lock, so they may call the library like the program.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/fork.h"
#include "io/io_stream.h"
#include "reporter_internal.h"

void vnpu_reporter_kick(struct vnpu_reporter *reporter)
{
	reporter->kick_value++;
	if (reporter->waiters)
		vnpu_io_signal(reporter->kick, reporter->kick_value,
			       VNPU_SIGNAL_ADVANCE);
}

/*
 * Collect the points to wait for: the first call of each stream, and the kick.
 */
static uint32_t collect(const struct vnpu_reporter *reporter,
			struct vnpu_io_point *points, uint32_t max)
{
	uint32_t count = 0;

	for (const struct vnpu_binding *binding = reporter->bindings;
	     binding && count < max - 1; binding = binding->next)
		if (binding->first)
			points[count++] = (struct vnpu_io_point){
				.id = binding->queue,
				.value = binding->first->after,
			};
	points[count++] = (struct vnpu_io_point){
		.id = reporter->kick,
		.value = reporter->kick_value + 1,
	};
	return count;
}

/*
 * Take the call that the reporter waited for, if it still exists; takes a
 * reference.
 */
static struct vnpu_call *take_call(struct vnpu_reporter *reporter,
				   const struct vnpu_io_point *point,
				   struct vnpu_binding **binding)
{
	struct vnpu_call *call;

	for (*binding = reporter->bindings; *binding;
	     *binding = (*binding)->next) {
		call = (*binding)->first;
		if ((*binding)->queue != point->id || !call ||
		    call->after > point->value)
			continue;
		(*binding)->first = call->next;
		if (!call->next)
			(*binding)->end = &(*binding)->first;
		(*binding)->refs++;
		return call;
	}
	return NULL;
}

/* Run a call; the lock is dropped during the call. */
static void run_call(struct vnpu_binding *binding, struct vnpu_call *call)
{
	binding->running++;
	vnpu_reporter_unlock();
	call->fn(call->data);
	if (call->gate_value)
		vnpu_io_signal(binding->gate, call->gate_value,
			       VNPU_SIGNAL_ADVANCE);
	free(call);
	vnpu_reporter_lock();
	binding->running--;
	vnpu_binding_open_gate(binding);
	/* It was the last call of a stream that has ended. */
	if (!binding->stream && !binding->first && binding->is_listed)
		vnpu_binding_remove(binding);
	vnpu_binding_put(binding);
}

/* Wait once; the lock is dropped during the wait. */
static int wait_once(struct vnpu_reporter *reporter,
		     struct vnpu_io_point *points, uint32_t max,
		     uint64_t deadline, uint32_t *index)
{
	uint32_t count = collect(reporter, points, max);
	int ret;

	reporter->waiters++;
	vnpu_reporter_unlock();
	ret = vnpu_io_wait(points, count, false, deadline, index);
	vnpu_reporter_lock();
	reporter->waiters--;
	return ret;
}

/* Run calls that are due.  If some have run, the next call reports an error. */
static int process_locked(struct vnpu_reporter *reporter, int64_t timeout_ms)
{
	uint64_t deadline = vnpu_queue_deadline(timeout_ms);
	struct vnpu_io_point *points;
	struct vnpu_binding *binding;
	struct vnpu_call *call;
	bool has_run = false;
	uint32_t index, max;
	int ret;

	while (reporter->nr_bindings) {
		max = reporter->nr_bindings + 1;
		if (max > VNPU_IO_WAIT_MAX)
			max = VNPU_IO_WAIT_MAX;
		points = calloc(max, sizeof(*points));
		if (!points)
			return has_run ? 0 : -ENOMEM;
		ret = wait_once(reporter, points, max, has_run ? 0 : deadline,
				&index);
		call = ret ? NULL : take_call(reporter, &points[index],
					      &binding);
		free(points);
		if (ret)
			return has_run ? 0 : ret;
		if (call) {
			run_call(binding, call);
			has_run = true;
		}
	}
	return has_run ? 0 : -ESRCH;
}

int vnpu_reporter_process(enum vnpu_binding_kind kind, uint64_t owner,
			  int64_t timeout_ms)
{
	struct vnpu_reporter *reporter;
	int ret = -ESRCH;

	vnpu_reporter_lock();
	reporter = vnpu_reporter_find(kind, owner);
	if (reporter) {
		reporter->refs++;
		ret = process_locked(reporter, timeout_ms);
		vnpu_reporter_put(reporter);
	}
	vnpu_reporter_unlock();
	return ret;
}

int vnpu_reporter_serve(uint64_t context)
{
	struct vnpu_reporter *reporter;
	int ret;

	vnpu_reporter_lock();
	/* It exists, because the thread has a reference. */
	reporter = vnpu_reporter_find(VNPU_BINDING_HOST_FUNC, context);
	do
		ret = process_locked(reporter, -1);
	while (!ret);
	if (ret == -ESRCH) {
		/* The next stream that is bound needs a new thread. */
		reporter->has_thread = false;
		vnpu_reporter_put(reporter);
		ret = 0;
	}
	vnpu_reporter_unlock();
	return ret;
}
