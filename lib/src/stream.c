// SPDX-License-Identifier: MIT
/*
 * Streams: their life, and waiting for them.  Attributes are in stream_attr.c.
 *
 * No call submits work to a stream yet, so a stream is always done: waiting
 * and querying check their arguments and return at once.
 */
#include <errno.h>
#include <stdlib.h>

#include "error.h"
#include "io.h"
#include "stream.h"

#define STREAMS_MAX	1984	/* of a device, as on a 910B */
#define PRIORITY_MAX	7	/* the lowest */

/* Which ids are in use, by the user's device number; under the runtime lock. */
static uint64_t ids[VNPU_IO_MAX_DEVICES][(STREAMS_MAX + 63) / 64];
static unsigned int nr_used[VNPU_IO_MAX_DEVICES];

/* The lowest id that is free; nr_used says that there is one. */
static uint32_t id_take(int32_t device)
{
	uint32_t word = 0, bit;

	while (!~ids[device][word])
		word++;
	bit = __builtin_ctzll(~ids[device][word]);
	ids[device][word] |= 1ULL << bit;
	nr_used[device]++;
	return word * 64 + bit;
}

static void id_put(int32_t device, uint32_t id)
{
	ids[device][id / 64] &= ~(1ULL << id % 64);
	nr_used[device]--;
}

uint32_t vnpu_stream_priority(uint32_t priority)
{
	return priority < PRIORITY_MAX ? priority : PRIORITY_MAX;
}

aclError vnpu_stream_create(struct vnpu_context *context, uint32_t priority,
			    uint32_t flags, struct vnpu_stream **stream)
{
	struct vnpu_stream *new;

	if (nr_used[context->user_device] == STREAMS_MAX)
		return ACL_ERROR_RT_NO_STREAM_RESOURCE;
	new = calloc(1, sizeof(*new));
	if (!new)
		return ACL_ERROR_BAD_ALLOC;
	new->handle = vnpu_handle_add(VNPU_HANDLE_STREAM, new);
	if (!new->handle) {
		free(new);
		return ACL_ERROR_RT_NO_STREAM_RESOURCE;
	}

	new->context = context;
	new->id = id_take(context->user_device);
	new->priority = vnpu_stream_priority(priority);
	new->flags = flags;
	new->next = context->streams;
	context->streams = new;
	*stream = new;
	return ACL_SUCCESS;
}

void vnpu_stream_destroy(struct vnpu_stream *stream)
{
	struct vnpu_stream **link = &stream->context->streams;

	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	id_put(stream->context->user_device, stream->id);
	vnpu_handle_remove(stream->handle);
	free(stream);
}

aclError vnpu_stream_lock(const char *call, aclrtStream handle,
			  bool any_context, struct vnpu_stream **stream)
{
	struct vnpu_context *context;
	aclError ret = vnpu_context_lock(call, &context);

	if (ret)
		return ret;
	if (!handle) {
		*stream = context->default_stream;
		return ACL_SUCCESS;
	}

	*stream = vnpu_handle_find(VNPU_HANDLE_STREAM, handle);
	if (*stream && (any_context || (*stream)->context == context))
		return ACL_SUCCESS;
	vnpu_runtime_unlock();
	if (*stream)
		return vnpu_error(ACL_ERROR_RT_STREAM_CONTEXT, call,
			"stream = %p belongs to another context; call aclrtSetCurrentContext with the context it was created in",
			handle);
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE, call,
		"stream = %p is not a stream, or was destroyed with its context or device; pass one that lives, or NULL",
		handle);
}

static aclError create(const char *call, aclrtStream *stream,
		       uint32_t priority, uint32_t flags)
{
	struct vnpu_context *context;
	struct vnpu_stream *new;
	aclError ret;

	if (!stream)
		return vnpu_error_null(call, "stream");
	ret = vnpu_context_lock(call, &context);
	if (ret)
		return ret;
	ret = vnpu_stream_create(context, priority, flags, &new);
	if (!ret)
		*stream = vnpu_u64_to_ptr(new->handle);
	vnpu_runtime_unlock();
	if (ret)
		return vnpu_error(ret, call,
			"a device has at most %u streams, default streams included; destroy some that are not needed",
			STREAMS_MAX);
	return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
	return create(__func__, stream, 0, 0);
}

/*
 * CANN makes a plain stream of unknown flags ("stream management",
 * aclrtCreateStreamWithConfig), so they are dropped.
 */
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority,
				     uint32_t flag)
{
	const uint32_t known = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC |
			       ACL_STREAM_PERSISTENT | ACL_STREAM_HUGE |
			       ACL_STREAM_CPU_SCHEDULE |
			       ACL_STREAM_DEVICE_USE_ONLY;

	return create(__func__, stream, priority, flag & known);
}

aclError aclrtCreateStreamV2(aclrtStream *stream,
			     const aclrtStreamConfigHandle *handle)
{
	struct vnpu_stream_config config;
	aclError ret = vnpu_stream_config_get(__func__, handle, &config);

	if (ret)
		return ret;
	return create(__func__, stream, config.priority, config.flags);
}

static aclError destroy(const char *call, aclrtStream handle)
{
	struct vnpu_stream *stream;
	bool is_default;
	aclError ret;

	if (!handle)
		return vnpu_error_null(call, "stream");
	ret = vnpu_stream_lock(call, handle, false, &stream);
	if (ret)
		return ret;
	is_default = stream == stream->context->default_stream;
	if (!is_default)
		vnpu_stream_destroy(stream);
	vnpu_runtime_unlock();
	if (is_default)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, call,
			"stream = %p is the default stream of its context; it goes with the context",
			handle);
	return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
	return destroy(__func__, stream);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
	return destroy(__func__, stream);
}

static aclError timeout_check(const char *call, int32_t timeout)
{
	if (timeout > 0 || timeout == -1)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, call,
		"timeout = %d is no time; use milliseconds from 1, or -1 for no limit",
		timeout);
}

static aclError synchronize(const char *call, aclrtStream handle)
{
	struct vnpu_stream *stream;
	aclError ret = vnpu_stream_lock(call, handle, true, &stream);

	if (!ret)
		vnpu_runtime_unlock();
	return ret;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
	return synchronize(__func__, stream);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
	aclError ret = timeout_check(__func__, timeout);

	return ret ? ret : synchronize(__func__, stream);
}

aclError aclrtSynchronizeDevice(void)
{
	struct vnpu_current current;

	return vnpu_context_current(__func__, &current);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
	struct vnpu_current current;
	aclError ret = timeout_check(__func__, timeout);

	return ret ? ret : vnpu_context_current(__func__, &current);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
	struct vnpu_stream *found;
	aclError ret;

	if (!status)
		return vnpu_error_null(__func__, "status");
	ret = vnpu_stream_lock(__func__, stream, false, &found);
	if (ret)
		return ret;
	vnpu_runtime_unlock();
	*status = ACL_STREAM_STATUS_COMPLETE;
	return ACL_SUCCESS;
}

aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
	struct vnpu_context *context;
	aclError ret;

	if (!streamCount)
		return vnpu_error_null(__func__, "streamCount");
	ret = vnpu_context_lock(__func__, &context);
	if (ret)
		return ret;
	*streamCount = STREAMS_MAX - nr_used[context->user_device];
	vnpu_runtime_unlock();
	return ACL_SUCCESS;
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
					   int32_t *greatestPriority)
{
	struct vnpu_current current;
	aclError ret = vnpu_context_current(__func__, &current);

	if (ret)
		return ret;
	if (leastPriority)
		*leastPriority = PRIORITY_MAX;
	if (greatestPriority)
		*greatestPriority = 0;
	return ACL_SUCCESS;
}
