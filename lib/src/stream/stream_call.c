// SPDX-License-Identifier: MIT
/* Calls that create, destroy and count streams. */
#include "base/error.h"
#include "base/gate.h"
#include "io/io_stream.h"
#include "runtime/hooks.h"
#include "capture.h"
#include "launch_report.h"
#include "reporter.h"
#include "stream.h"

static aclError create(aclrtStream *stream, uint32_t priority, uint32_t flags)
{
	struct vnpu_context *context;
	struct vnpu_stream *new;
	uint32_t device;
	int32_t user_device;
	uint64_t handle;
	aclError ret;

	vnpu_gate_pass();
	if (!stream)
		return vnpu_error_null("stream");
	ret = vnpu_context_lock(&context);
	if (ret)
		return ret;
	user_device = context->user_device;
	device = context->device;
	ret = vnpu_stream_create_locked(context, priority, flags, &new);
	handle = ret ? 0 : new->handle;
	vnpu_runtime_unlock();
	if (ret)
		return vnpu_stream_create_error(device, user_device, ret);
	*stream = vnpu_u64_to_ptr(handle);
	vnpu_hooks_stream(handle, ACL_RT_STREAM_STATE_CREATE_POST);
	return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
	VNPU_CALL();

	return create(stream, 0, 0);
}

/*
 * CANN creates a plain stream for unknown flags ("stream management",
 * aclrtCreateStreamWithConfig), so they are dropped.
 */
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority,
				     uint32_t flag)
{
	VNPU_CALL();
	const uint32_t known = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC |
			       ACL_STREAM_PERSISTENT | ACL_STREAM_HUGE |
			       ACL_STREAM_CPU_SCHEDULE |
			       ACL_STREAM_DEVICE_USE_ONLY;

	return create(stream, priority, flag & known);
}

aclError aclrtCreateStreamV2(aclrtStream *stream,
			     const aclrtStreamConfigHandle *handle)
{
	VNPU_CALL();
	struct vnpu_stream_config config;
	aclError ret = vnpu_stream_config_get(handle, &config);

	if (ret)
		return ret;
	return create(stream, config.priority, config.flags);
}

/* If two threads destroy a stream, the second one gets an error. */
static aclError destroy(aclrtStream handle, bool wait)
{
	struct vnpu_stream *stream;
	bool is_default, is_mine, is_fresh;
	uint32_t device;
	aclError ret;

	vnpu_gate_pass();
	if (!handle)
		return vnpu_error_null("stream");
	ret = vnpu_stream_get(handle, false, &stream);
	if (ret)
		return ret;
	ret = vnpu_capture_refuse(stream);
	if (ret) {
		vnpu_stream_put(stream);
		return ret;
	}
	is_default = stream == stream->context->default_stream;
	if (is_default) {
		vnpu_stream_put(stream);
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"stream = %p is the default stream of its context; it is destroyed with the context",
			handle);
	}
	vnpu_hooks_stream(stream->handle, ACL_RT_STREAM_STATE_DESTROY_PRE);
	/* A failed task does not make the destruction of its stream fail. */
	if (wait && !(stream->flags & VNPU_STREAM_UNWAITED))
		vnpu_queue_wait(&stream->queue, vnpu_queue_last(&stream->queue),
				-1);

	vnpu_reporter_forget(stream->handle, wait);
	device = stream->context->device;
	is_fresh = atomic_load(&stream->book.is_fresh);
	vnpu_runtime_lock();
	is_mine = vnpu_handle_is_live(stream->handle);
	/* The runs of models that it drops have not ended as they should. */
	if (is_mine && !wait)
		atomic_fetch_add(&stream->aborts, 1);
	if (is_mine)
		vnpu_stream_destroy(stream);
	vnpu_runtime_unlock();
	vnpu_stream_put(stream);
	if (is_fresh)
		vnpu_launch_flush(device);
	if (!is_mine)
		return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"stream = %p was destroyed during the call", handle);
	return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
	VNPU_CALL();

	return destroy(stream, true);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
	VNPU_CALL();

	return destroy(stream, false);
}

aclError vnpu_stream_limits(struct vnpu_io_limits *limits)
{
	struct vnpu_current current;
	aclError ret = vnpu_context_current(&current);
	int err;

	if (ret)
		return ret;
	err = vnpu_io_limits(current.device, limits);
	return err ? vnpu_error_errno(err, "querying the device") :
		     ACL_SUCCESS;
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
	VNPU_CALL();
	struct vnpu_io_limits limits;
	aclError ret;

	if (!streamCount)
		return vnpu_error_null("streamCount");
	ret = vnpu_stream_limits(&limits);
	if (!ret)
		*streamCount = limits.streams;
	return ret;
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
					   int32_t *greatestPriority)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret = vnpu_context_current(&current);

	if (ret)
		return ret;
	if (leastPriority)
		*leastPriority = (int32_t)vnpu_stream_priority(UINT32_MAX);
	if (greatestPriority)
		*greatestPriority = 0;
	return ACL_SUCCESS;
}

aclError aclrtGetThreadLastTaskId(uint32_t *taskId)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	if (!taskId)
		return vnpu_error_null("taskId");
	ret = vnpu_context_current(&current);
	if (!ret)
		*taskId = current.last_task;
	return ret;
}
