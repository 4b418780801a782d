// SPDX-License-Identifier: MIT
/*
 * Limits on the cores that launches use: of a device, of a stream, and of the
 * stream that a thread has chosen by aclrtUseStreamResInCurrentThread().
 *
 * A program may read them to choose the blocks of a launch, as it does with CANN,
 * where they have no other effect.  Here the core also enforces them: the task of
 * a launch contains the limits of the time at which it was submitted or captured.
 */
#include <vnpu/kernel.h>

#include "core/protocol.h"

#include "base/error.h"
#include "io/io.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "runtime/soc.h"
#include "reslimit.h"
#include "stream.h"

static struct vnpu_reslimit device_limits[VNPU_IO_MAX_DEVICES];

/* The handle of the stream with the limits of this thread, or 0. */
static __thread uint64_t thread_stream;

/* Some limit was set; launches look for none before that. */
static atomic_bool was_set;

static uint32_t cores(aclrtDevResLimitType type)
{
	return type == ACL_RT_DEV_RES_CUBE_CORE ? vnpu_soc()->cube_cores :
						  vnpu_soc()->vector_cores;
}

static aclError type_check(aclrtDevResLimitType type)
{
	if (type == ACL_RT_DEV_RES_CUBE_CORE ||
	    type == ACL_RT_DEV_RES_VECTOR_CORE)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"type = %d is not known; use ACL_RT_DEV_RES_CUBE_CORE or _VECTOR_CORE",
		type);
}

static aclError value_check(aclrtDevResLimitType type, uint32_t value)
{
	aclError ret = type_check(type);

	if (ret)
		return ret;
	if (value > cores(type))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"value = %u is more than the %u cores of this kind",
			value, cores(type));
	return ACL_SUCCESS;
}

static void limit_set(struct vnpu_reslimit *limit, aclrtDevResLimitType type,
		      uint32_t value)
{
	atomic_store(&limit->plus_one[type], value + 1);
	atomic_store(&was_set, true);
}

static void limit_clear(struct vnpu_reslimit *limit)
{
	for (unsigned int i = 0; i < VNPU_RES_TYPES; i++)
		atomic_store(&limit->plus_one[i], 0);
}

static bool limit_get(struct vnpu_reslimit *limit, aclrtDevResLimitType type,
		      uint32_t *value)
{
	uint32_t plus_one = atomic_load(&limit->plus_one[type]);

	if (plus_one)
		*value = plus_one - 1;
	return plus_one;
}

static uint32_t device_value(int32_t user_device, aclrtDevResLimitType type)
{
	uint32_t value = cores(type);

	limit_get(&device_limits[user_device], type, &value);
	return value;
}

void vnpu_reslimit_reset(int32_t user_device)
{
	limit_clear(&device_limits[user_device]);
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
				uint32_t value)
{
	VNPU_CALL();
	aclError ret = value_check(type, value);

	if (!ret)
		ret = vnpu_device_check_set(deviceId);
	if (!ret)
		limit_set(&device_limits[deviceId], type, value);
	return ret;
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
				uint32_t *value)
{
	VNPU_CALL();
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	ret = type_check(type);
	if (!ret)
		ret = vnpu_device_check_set(deviceId);
	if (!ret)
		*value = device_value(deviceId, type);
	return ret;
}

aclError aclrtResetDeviceResLimit(int32_t deviceId)
{
	VNPU_CALL();
	aclError ret = vnpu_device_check_set(deviceId);

	if (!ret)
		vnpu_reslimit_reset(deviceId);
	return ret;
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
				uint32_t value)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret = value_check(type, value);

	if (!ret)
		ret = vnpu_stream_get(stream, true, &found);
	if (ret)
		return ret;
	limit_set(&found->reslimit, type, value);
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
				uint32_t *value)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	ret = type_check(type);
	if (!ret)
		ret = vnpu_stream_get(stream, true, &found);
	if (ret)
		return ret;
	if (!limit_get(&found->reslimit, type, value))
		*value = device_value(found->context->user_device, type);
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

aclError aclrtResetStreamResLimit(aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret = vnpu_stream_get(stream, true, &found);

	if (ret)
		return ret;
	limit_clear(&found->reslimit);
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret = vnpu_stream_get(stream, true, &found);

	if (ret)
		return ret;
	thread_stream = found->handle;
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret = vnpu_stream_get(stream, true, &found);

	if (ret)
		return ret;
	if (thread_stream == found->handle)
		thread_stream = 0;
	vnpu_stream_put(found);
	return ACL_SUCCESS;
}

/* Get the limit of the stream that this thread has chosen. */
static bool thread_get(aclrtDevResLimitType type, uint32_t *value)
{
	struct vnpu_stream *stream;
	bool is_limited;

	stream = vnpu_handle_get(VNPU_HANDLE_STREAM,
				 vnpu_u64_to_ptr(thread_stream));
	if (!stream)
		return false;
	is_limited = limit_get(&stream->reslimit, type, value);
	vnpu_stream_put(stream);
	return is_limited;
}

/* Get the limit of a launch, coded as in the task. */
static uint32_t launch_get(struct vnpu_reslimit *own, int32_t user_device,
			   aclrtDevResLimitType type)
{
	uint32_t limit;

	if ((own && limit_get(own, type, &limit)) || thread_get(type, &limit))
		return CORE_LIMIT(limit);
	if (limit_get(&device_limits[user_device], type, &limit))
		return CORE_LIMIT(limit) | CORE_LIMIT_SHARED;
	return 0;
}

static aclError no_core(const char *kind)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"the kernel runs on %s cores, and the limit of the launch is 0; set a larger one for the stream or the device before the launch is submitted or captured",
		kind);
}

aclError vnpu_reslimit_check(uint32_t cores, uint32_t limits)
{
	if (cores & VNPU_CORE_CUBE &&
	    !CORE_LIMIT_CORES(CORE_LIMIT_CUBE(limits)))
		return no_core("cube");
	if (cores & VNPU_CORE_VECTOR &&
	    !CORE_LIMIT_CORES(CORE_LIMIT_VECTOR(limits)))
		return no_core(vnpu_soc()->is_split ? "vector" : "cube");
	return ACL_SUCCESS;
}

aclError vnpu_reslimit_of_launch(struct vnpu_reslimit *own,
				 int32_t user_device, uint32_t cores,
				 uint32_t *limits)
{
	uint32_t vector, cube;

	*limits = 0;
	if (!atomic_load_explicit(&was_set, memory_order_relaxed))
		return ACL_SUCCESS;
	cube = launch_get(own, user_device, ACL_RT_DEV_RES_CUBE_CORE);
	/* Without vector cores of their own, the limit of cube cores holds. */
	vector = vnpu_soc()->is_split ?
		 launch_get(own, user_device, ACL_RT_DEV_RES_VECTOR_CORE) :
		 cube;
	*limits = CORE_LIMITS(vector, cube);
	return vnpu_reslimit_check(cores, *limits);
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
	VNPU_CALL();
	struct vnpu_current current;
	aclError ret;

	if (!value)
		return vnpu_error_null("value");
	ret = type_check(type);
	if (ret)
		return ret;
	if (thread_get(type, value))
		return ACL_SUCCESS;
	ret = vnpu_context_current(&current);
	if (!ret)
		*value = device_value(current.user_device, type);
	return ret;
}
