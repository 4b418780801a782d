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

static uint32_t no_info(const char *call)
{
	vnpu_error_null(call, "info");
	return NO_EXCEPTION;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->task : no_info(__func__);
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->stream : no_info(__func__);
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->thread : no_info(__func__);
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->device : no_info(__func__);
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
	return info ? info->code : no_info(__func__);
}

aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info,
				       void **devArgsPtr, uint32_t *devArgsLen)
{
	if (!info)
		return (aclError)no_info(__func__);
	if (!devArgsPtr)
		return vnpu_error_null(__func__, "devArgsPtr");
	if (!devArgsLen)
		return vnpu_error_null(__func__, "devArgsLen");
	return vnpu_error((aclError)NO_EXCEPTION, __func__,
		"task %u of stream %u is not a kernel, and has no arguments",
		info->task, info->stream);
}

aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info,
					     aclrtFuncHandle *func)
{
	if (!info)
		return (aclError)no_info(__func__);
	if (!func)
		return vnpu_error_null(__func__, "func");
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__,
		"task %u of stream %u is not a kernel; this device runs no kernels",
		info->task, info->stream);
}

aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
					 aclrtOpExceptionCallback callback,
					 void *userData)
{
	(void)userData;
	if (!binHandle)
		return vnpu_error_null(__func__, "binHandle");
	if (!callback)
		return vnpu_error_null(__func__, "callback");
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__,
		"this device runs no kernels; aclrtExceptionInfoCallbackRegister reports failures of all tasks");
}

static aclError uce_check(const char *call, int32_t user_device,
			  const aclrtMemUceInfo *array, size_t count)
{
	uint32_t device;

	if (!array)
		return vnpu_error_null(call, "memUceInfoArray");
	if (!count || count > MAX_MEM_UCE_INFO_ARRAY_SIZE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID, call,
			"arraySize = %zu is out of range; use 1 to %d", count,
			MAX_MEM_UCE_INFO_ARRAY_SIZE);
	return vnpu_device_resolve(call, user_device, &device);
}

aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray,
			    size_t arraySize, size_t *retSize)
{
	aclError ret;

	if (!retSize)
		return vnpu_error_null(__func__, "retSize");
	ret = uce_check(__func__, deviceId, memUceInfoArray, arraySize);
	if (!ret)
		*retSize = 0;
	return ret;
}

aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray,
			   size_t arraySize)
{
	aclError ret = uce_check(__func__, deviceId, memUceInfoArray,
				 arraySize);

	if (ret)
		return ret;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__,
		"the memory of this device is host memory, and never needs repair");
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo)
{
	struct vnpu_io_device info;
	aclError ret;

	if (!errorInfo)
		return vnpu_error_null(__func__, "errorInfo");
	ret = vnpu_device_query_user(__func__, deviceId, &info);
	if (ret)
		return ret;
	memset(errorInfo, 0, sizeof(*errorInfo));
	errorInfo->errorType = info.healthy ? ACL_RT_NO_ERROR :
					      ACL_RT_ERROR_OTHERS;
	return ACL_SUCCESS;
}

aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo *errorInfo)
{
	uint32_t device;
	aclError ret;

	if (!errorInfo)
		return vnpu_error_null(__func__, "errorInfo");
	ret = vnpu_device_resolve(__func__, deviceId, &device);
	if (ret || errorInfo->errorType == ACL_RT_NO_ERROR)
		return ret;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__,
		"errorType = %d cannot be repaired here; reset the device",
		errorInfo->errorType);
}
