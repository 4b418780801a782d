// SPDX-License-Identifier: MIT
/*
 * Operations on all streams of a device: abort them, and announce their end.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "runtime/device.h"
#include "runtime/hooks.h"
#include "abort.h"
#include "stream.h"

#define TIMEOUT_MAX	(36 * 60 * 1000)	/* milliseconds, as with CANN */

/* Streams with a reference each, to be dropped by streams_put(). */
struct streams {
	struct vnpu_stream **stream;
	unsigned int count;
};

static bool is_meant(const struct vnpu_context *context, int32_t user_device,
		     uint64_t only)
{
	return only ? context->handle == only :
		      context->user_device == user_device;
}

/*
 * Collect the streams of a device, or only those of the context @only if that
 * is not 0. Returns 0 or -ENOMEM.
 */
static int streams_get(int32_t user_device, uint64_t only,
		       struct streams *streams)
{
	const struct vnpu_context *context;
	struct vnpu_stream *stream;
	unsigned int count = 0;

	*streams = (struct streams){ 0 };
	vnpu_runtime_lock();
	for (context = vnpu_context_first(); context; context = context->next)
		if (is_meant(context, user_device, only))
			for (stream = context->streams; stream;
			     stream = stream->next)
				count++;
	streams->stream = calloc(count + 1, sizeof(*streams->stream));
	for (context = vnpu_context_first(); context && streams->stream;
	     context = context->next) {
		if (!is_meant(context, user_device, only))
			continue;
		for (stream = context->streams; stream; stream = stream->next) {
			vnpu_stream_ref(stream);
			streams->stream[streams->count++] = stream;
		}
	}
	vnpu_runtime_unlock();
	return streams->stream ? 0 : -ENOMEM;
}

static void streams_put(struct streams *streams)
{
	for (unsigned int i = 0; i < streams->count; i++)
		vnpu_stream_put(streams->stream[i]);
	free(streams->stream);
}

static void announce(int32_t user_device, uint64_t context)
{
	struct streams streams;

	if (!vnpu_hooks_want_streams())
		return;
	streams_get(user_device, context, &streams);
	for (unsigned int i = 0; i < streams.count; i++)
		vnpu_hooks_stream(streams.stream[i]->handle,
				  ACL_RT_STREAM_STATE_DESTROY_PRE);
	streams_put(&streams);
}

void vnpu_abort_announce_device(int32_t user_device)
{
	announce(user_device, 0);
}

void vnpu_abort_announce_context(uint64_t context)
{
	announce(0, context);
}

/* Abort the work that is submitted so far; 0 or -errno. */
static int abort_all(const struct streams *streams)
{
	int ret, result = 0;

	for (unsigned int i = 0; i < streams->count; i++) {
		ret = vnpu_stream_drop_work(streams->stream[i]);
		/* A stream that was destroyed in the meantime has no work. */
		if (ret && ret != -ENOENT && !result)
			result = ret;
	}
	return result;
}

static aclError hook_error(const char *when, int32_t result)
{
	return vnpu_error(ACL_ERROR_RT_DEVICE_TASK_ABORT,
		"the callback %s the abort (aclrtSetDeviceTaskAbortCallback) returned %d",
		when, result);
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
	VNPU_CALL();
	uint64_t deadline = vnpu_queue_deadline(timeout ? (int64_t)timeout : -1);
	struct streams streams;
	int32_t result;
	aclError ret;
	int err;

	if (timeout > TIMEOUT_MAX)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"timeout = %u is out of range; use at most %d milliseconds, or 0 for no limit",
			timeout, TIMEOUT_MAX);
	ret = vnpu_device_check_set(deviceId);
	if (ret)
		return ret;
	result = vnpu_hooks_abort(deviceId, ACL_RT_DEVICE_TASK_ABORT_PRE,
				  timeout);
	if (result)
		return hook_error("before", result);

	err = streams_get(deviceId, 0, &streams);
	if (!err)
		err = abort_all(&streams);
	streams_put(&streams);
	if (err)
		return vnpu_error_errno(err, "aborting streams");
	result = vnpu_hooks_abort(deviceId, ACL_RT_DEVICE_TASK_ABORT_POST,
				  timeout);
	if (result)
		return hook_error("after", result);
	if (vnpu_queue_deadline(0) > deadline)
		return vnpu_error(ACL_ERROR_RT_TIMEOUT,
			"all streams were aborted, but it took longer than %u ms",
			timeout);
	return ACL_SUCCESS;
}
