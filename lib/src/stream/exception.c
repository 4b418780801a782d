// SPDX-License-Identifier: MIT
/*
 * Details of failed tasks, and recovery from failures of a device.
 */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "io/io.h"
#include "runtime/device.h"
#include "runtime/hooks.h"

/* The values that CANN returns without an exception, as number and as error. */
#define NO_EXCEPTION	UINT32_MAX

static uint32_t no_info(void)
{
	vnpu_error_null("info");
	return NO_EXCEPTION;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	VNPU_CALL();

	return info ? info->task : no_info();
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	VNPU_CALL();

	return info ? info->stream : no_info();
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	VNPU_CALL();

	return info ? info->thread : no_info();
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	VNPU_CALL();

	return info ? info->device : no_info();
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
	VNPU_CALL();

	return info ? info->code : no_info();
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info,
				       void **devArgsPtr, uint32_t *devArgsLen)
{
	VNPU_CALL();

	if (!info)
		return (aclError)no_info();
	if (!devArgsPtr)
		return vnpu_error_null("devArgsPtr");
	if (!devArgsLen)
		return vnpu_error_null("devArgsLen");
	if (!info->function)
		return vnpu_error((aclError)NO_EXCEPTION,
			"task %u of stream %u is not a kernel, and has no arguments",
			info->task, info->stream);
	*devArgsPtr = vnpu_u64_to_ptr(info->args);
	*devArgsLen = info->args_length;
	return ACL_SUCCESS;
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info,
					     aclrtFuncHandle *func)
{
	VNPU_CALL();

	if (!info)
		return (aclError)no_info();
	if (!func)
		return vnpu_error_null("func");
	if (!info->function)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"task %u of stream %u is not a kernel", info->task,
			info->stream);
	*func = vnpu_u64_to_ptr(info->function);
	return ACL_SUCCESS;
}

static aclError uce_check(int32_t user_device, const aclrtMemUceInfo *array,
			  size_t count)
{
	uint32_t device;

	if (!array)
		return vnpu_error_null("memUceInfoArray");
	if (!count || count > MAX_MEM_UCE_INFO_ARRAY_SIZE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"arraySize = %zu is out of range; use 1 to %d", count,
			MAX_MEM_UCE_INFO_ARRAY_SIZE);
	return vnpu_device_resolve(user_device, &device);
}

aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray,
			    size_t arraySize, size_t *retSize)
{
	VNPU_CALL();
	aclError ret;

	if (!retSize)
		return vnpu_error_null("retSize");
	ret = uce_check(deviceId, memUceInfoArray, arraySize);
	if (!ret)
		*retSize = 0;
	return ret;
}

aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray,
			   size_t arraySize)
{
	VNPU_CALL();
	aclError ret = uce_check(deviceId, memUceInfoArray, arraySize);

	if (ret)
		return ret;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"memory of this device only has injected errors, which cannot be repaired");
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)
{
	VNPU_CALL();
	struct vnpu_io_device info;
	aclError ret;

	if (!errorInfo)
		return vnpu_error_null("errorInfo");
	ret = vnpu_device_query_user(deviceId, &info);
	if (ret)
		return ret;
	memset(errorInfo, 0, sizeof(*errorInfo));
	errorInfo->errorType = info.healthy ? ACL_RT_NO_ERROR :
					      ACL_RT_ERROR_OTHERS;
	return ACL_SUCCESS;
}

aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo *errorInfo)
{
	VNPU_CALL();
	uint32_t device;
	aclError ret;

	if (!errorInfo)
		return vnpu_error_null("errorInfo");
	ret = vnpu_device_resolve(deviceId, &device);
	if (ret || errorInfo->errorType == ACL_RT_NO_ERROR)
		return ret;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"errorType = %d cannot be repaired here; reset the device",
		errorInfo->errorType);
}
