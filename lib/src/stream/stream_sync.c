// SPDX-License-Identifier: MIT
/*
 * Waits for streams, aborts, and reports of failed tasks.
 *
 * A failed task is reported once, by the first call that waits for its stream
 * or queries it.  If the context stops on failure, every call on any of its
 * streams reports it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/io.h"
#include "io/io_stream.h"
#include "capture.h"
#include "failure.h"
#include "graph.h"
#include "launch_report.h"
#include "reporter.h"
#include "stream.h"
#include "timeout.h"
#include "upcalls.h"

_Atomic(vnpu_waited_fn *) vnpu_stream_waited;

void vnpu_stream_note_waited(void)
{
	vnpu_waited_fn *waited = atomic_load(&vnpu_stream_waited);

	if (waited)
		waited();
}

#define OP_NAME(op, name)	[VNPU_TASK_##op] = name

const char *vnpu_stream_op_name(uint32_t op)
{
	static const char *const names[] = { VNPU_TASK_NAMES(OP_NAME) };

	return op < ARRAY_SIZE(names) && names[op] ? names[op] : "task";
}

/* Report the code and the message of a stream's last failed task. */
static aclError report(const struct vnpu_stream *stream, uint32_t error)
{
	struct vnpu_io_stream info;
	aclError ret = ACL_SUCCESS;
	char at[64] = "";

	if (vnpu_io_stream_query(stream->queue.id, &info))
		return vnpu_error(vnpu_error_task_code(error, 0),
			"a task of stream %u failed with %s", stream->number,
			strerrorname_np(error));
	if (info.error_op == VNPU_TASK_LAUNCH)
		return vnpu_launch_report(stream, info.error_seq, info.error);
	if (info.error_op == VNPU_TASK_GRAPH)
		ret = vnpu_graph_report(stream, &info);
	if (ret)
		return ret;
	if (info.error_addr)
		snprintf(at, sizeof(at), " at device address 0x%llx",
			 (unsigned long long)info.error_addr);
	return vnpu_error(vnpu_error_task_code(info.error, info.error_addr),
		"task %llu (%s) of stream %u failed with %s (%s)%s; %u of its tasks failed so far, %u were cancelled",
		(unsigned long long)info.error_seq,
		vnpu_stream_op_name(info.error_op), stream->number,
		strerrorname_np(info.error), strerrordesc_np(info.error), at,
		info.errors, info.cancelled);
}

/* Report the failure that stopped the streams of a context. */
static aclError report_stop(struct vnpu_stream *stream)
{
	struct vnpu_context *context = stream->context;
	struct vnpu_queue_status status;
	struct vnpu_stream *culprit;
	aclError code, none = 0;

	vnpu_runtime_lock();
	for (culprit = context->streams; culprit; culprit = culprit->next) {
		vnpu_queue_status(&culprit->queue, &status);
		if (status.errors)
			break;
	}
	if (culprit)
		vnpu_stream_ref(culprit);
	vnpu_runtime_unlock();
	if (!culprit)
		return vnpu_error(ACL_ERROR_RT_STREAM_ABORT,
			"stream %u was stopped because another stream failed, which no longer exists",
			stream->number);
	code = report(culprit, status.error);
	vnpu_stream_put(culprit);
	atomic_compare_exchange_strong(&context->failure, &none, code);
	return code;
}

/*
 * Check whether the stream has stopped since its last abort.
 *
 * The ring shows the stop some time after tasks are complete, and still shows
 * it for some time after an abort.  It shows the number of cancelled tasks
 * before they are complete.
 */
static bool is_stopped(struct vnpu_stream *stream,
		       const struct vnpu_queue_status *status)
{
	bool is_marked = status->state & VNPU_RING_STOPPED;

	if (!is_marked)
		atomic_store(&stream->was_stopped, false);
	if (status->cancelled != atomic_load(&stream->cancelled) &&
	    atomic_load(&stream->context->stops_on_failure))
		return true;
	return is_marked && !atomic_load(&stream->was_stopped);
}

/*
 * Claim all of these errors for a report; false if another thread has claimed
 * them.
 */
static bool take_errors(struct vnpu_stream *stream, uint32_t errors)
{
	uint32_t reported = atomic_load(&stream->errors);

	/* The other thread may have seen even more of them. */
	do {
		if ((int32_t)(errors - reported) <= 0)
			return false;
	} while (!atomic_compare_exchange_weak(&stream->errors, &reported, errors));
	return true;
}

/* Report a failure that was not reported yet. */
static aclError check(struct vnpu_stream *stream)
{
	struct vnpu_queue_status status;

	vnpu_failure_note(stream);
	vnpu_queue_status(&stream->queue, &status);
	if (status.state & VNPU_RING_BROKEN)
		return vnpu_error(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
			"stream %u is broken: the program has overwritten its queue",
			stream->number);
	if (is_stopped(stream, &status))
		return report_stop(stream);
	if (!take_errors(stream, status.errors))
		return ACL_SUCCESS;
	/* If it stops on failure, it has stopped again. */
	atomic_store(&stream->was_stopped, false);
	return report(stream, status.error);
}

static aclError wait_until(struct vnpu_stream *stream, uint64_t seq,
			   int64_t timeout)
{
	uint32_t aborts = atomic_load(&stream->aborts);
	int err = vnpu_queue_wait(&stream->queue, seq, timeout);
	aclError ret;

	if (err == -ETIMEDOUT)
		return vnpu_error(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
			"stream %u has not completed task %llu in time; it continues, and the program can wait for it again",
			stream->number, (unsigned long long)seq);
	if (err)
		return vnpu_error_errno(err, "waiting for a stream");
	if (atomic_load(&stream->aborts) != aborts)
		return vnpu_error(ACL_ERROR_RT_STREAM_ABORT,
			"stream %u was aborted during the wait", stream->number);
	vnpu_stream_note_waited();
	ret = check(stream);
	vnpu_launch_synchronized(stream, seq);
	return ret;
}

aclError vnpu_stream_wait(struct vnpu_stream *stream, int32_t timeout)
{
	if (stream->flags & VNPU_STREAM_UNWAITED)
		return ACL_SUCCESS;
	return wait_until(stream, vnpu_queue_last(&stream->queue), timeout);
}

/*
 * Get references to all streams of a context, in an array that the caller
 * frees; 0 or -ENOMEM.
 */
static int streams_get(struct vnpu_context *context,
		       struct vnpu_stream ***streams, unsigned int *count)
{
	struct vnpu_stream *stream;
	int ret = -ENOMEM;

	*count = 0;
	vnpu_runtime_lock();
	for (stream = context->streams; stream; stream = stream->next)
		++*count;
	*streams = calloc(*count + 1, sizeof(**streams));
	if (*streams) {
		struct vnpu_stream **next = *streams;

		for (stream = context->streams; stream; stream = stream->next) {
			vnpu_stream_ref(stream);
			*next++ = stream;
		}
		ret = 0;
	}
	vnpu_runtime_unlock();
	return ret;
}

/* Get the rest of a time limit; at least 0. */
static int64_t time_left(uint64_t deadline)
{
	uint64_t now = vnpu_queue_deadline(0);

	if (deadline == VNPU_IO_FOREVER)
		return -1;
	return now < deadline ? (deadline - now + 999999) / 1000000 : 0;
}

void vnpu_stream_drain(struct vnpu_context *context)
{
	struct vnpu_stream **streams;
	unsigned int count;

	if (streams_get(context, &streams, &count))
		return;
	for (unsigned int i = 0; i < count; i++) {
		struct vnpu_queue *queue = &streams[i]->queue;

		if (!(streams[i]->flags & VNPU_STREAM_UNWAITED))
			vnpu_queue_wait(queue, vnpu_queue_last(queue), -1);
		vnpu_stream_put(streams[i]);
	}
	free(streams);
}

aclError vnpu_stream_wait_context(struct vnpu_context *context, int32_t timeout)
{
	uint64_t deadline = vnpu_queue_deadline(timeout);
	struct vnpu_stream **streams;
	aclError ret = ACL_SUCCESS;
	unsigned int count;

	if (streams_get(context, &streams, &count))
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to wait for %u streams",
				  count);
	for (unsigned int i = 0; i < count; i++) {
		struct vnpu_stream *stream = streams[i];
		aclError code = ACL_SUCCESS;

		if (!(stream->flags & VNPU_STREAM_UNWAITED))
			code = wait_until(stream,
					  vnpu_queue_last(&stream->queue),
					  time_left(deadline));
		/* Wait for all streams, and return the first failure. */
		if (!ret)
			ret = code;
		vnpu_stream_put(stream);
	}
	free(streams);
	return ret;
}

aclError vnpu_stream_wait_all(int32_t timeout)
{
	struct vnpu_context *context;
	struct vnpu_current current;
	aclError ret;

	do {
		ret = vnpu_context_current(&current);
		if (ret)
			return ret;
		context = vnpu_handle_get(VNPU_HANDLE_CONTEXT,
					  vnpu_u64_to_ptr(current.context));
	} while (!context);
	ret = vnpu_stream_wait_context(context, timeout);
	vnpu_context_put_handle(context);
	return ret;
}

static aclError synchronize(aclrtStream handle, int32_t timeout)
{
	struct vnpu_stream *stream;
	aclError ret = vnpu_stream_get(handle, true, &stream);

	if (ret)
		return ret;
	ret = vnpu_capture_refuse(stream);
	if (!ret)
		ret = vnpu_stream_wait(stream, timeout);
	vnpu_stream_put(stream);
	return ret;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
	VNPU_CALL();

	return synchronize(stream, -1);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
	VNPU_CALL();
	aclError ret = vnpu_timeout_check(timeout);

	return ret ? ret : synchronize(stream, timeout);
}

aclError aclrtSynchronizeDevice(void)
{
	VNPU_CALL();
	aclError ret;

	ret = vnpu_capture_check_now();
	return ret ? ret : vnpu_stream_wait_all(-1);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
	VNPU_CALL();
	aclError ret = vnpu_timeout_check(timeout);

	if (!ret)
		ret = vnpu_capture_check_now();
	return ret ? ret : vnpu_stream_wait_all(timeout);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	bool is_done = true;
	aclError ret;

	if (!status)
		return vnpu_error_null("status");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = vnpu_capture_refuse(found);
	if (!ret && !(found->flags & VNPU_STREAM_UNWAITED)) {
		is_done = vnpu_queue_is_done(&found->queue,
					     vnpu_queue_last(&found->queue));
		ret = check(found);
	}
	vnpu_stream_put(found);
	if (!ret)
		*status = is_done ? ACL_STREAM_STATUS_COMPLETE :
				    ACL_STREAM_STATUS_NOT_READY;
	return ret;
}

int vnpu_stream_drop_work(struct vnpu_stream *stream)
{
	struct vnpu_queue_status status;
	uint64_t completed;
	int ret;

	/*
	 * Increment before the abort, which wakes waiters and callback threads.
	 */
	atomic_fetch_add(&stream->aborts, 1);
	vnpu_reporter_drop(stream->handle);
	ret = vnpu_io_stream_abort(stream->queue.id, &completed);
	/* The abort also dropped tasks that were submitted in between. */
	atomic_fetch_add(&stream->aborts, 1);
	if (ret)
		return ret;
	vnpu_queue_status(&stream->queue, &status);
	atomic_store(&stream->cancelled, status.cancelled);
	atomic_store(&stream->was_stopped, status.state & VNPU_RING_STOPPED);
	take_errors(stream, status.errors);
	atomic_store(&stream->context->failure, ACL_SUCCESS);
	return 0;
}

static aclError abort_stream(struct vnpu_stream *stream)
{
	int err = vnpu_stream_drop_work(stream);

	return err ? vnpu_error_errno(err, "aborting a stream") :
		     ACL_SUCCESS;
}

aclError aclrtStreamAbort(aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	if (!stream)
		return vnpu_error_null("stream");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = abort_stream(found);
	vnpu_stream_put(found);
	return ret;
}

aclError aclrtPersistentTaskClean(aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	if (!stream)
		return vnpu_error_null("stream");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	if (found->flags & ACL_STREAM_PERSISTENT)
		ret = abort_stream(found);
	else
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"stream = %p was created without ACL_STREAM_PERSISTENT and keeps no tasks; use aclrtStreamAbort",
			stream);
	vnpu_stream_put(found);
	return ret;
}

/* As on a 910B, this is for streams that only the device uses. */
aclError aclrtStreamStop(aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	if (!stream)
		return vnpu_error_null("stream");
	ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	if (found->flags & ACL_STREAM_DEVICE_USE_ONLY)
		ret = abort_stream(found);
	else
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"stream = %p was created without ACL_STREAM_DEVICE_USE_ONLY; use aclrtStreamAbort",
			stream);
	vnpu_stream_put(found);
	return ret;
}
