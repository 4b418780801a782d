/* SPDX-License-Identifier: MIT */
/*
 * What programs can learn and do when work on a device has failed.
 */
#ifndef ACL_ACL_RT_EXCEPTION_H
#define ACL_ACL_RT_EXCEPTION_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;

/* A task that failed; valid while the callback that it is passed to runs. */
typedef struct rtExceptionInfo aclrtExceptionInfo;

typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo *exceptionInfo);
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo *exceptionInfo,
	void *userData);

#define MAX_MEM_UCE_INFO_ARRAY_SIZE	128
#define UCE_INFO_RESERVED_SIZE		14
#define ACL_RT_MEM_UCE_INFO_MAX_NUM	20

/* Device memory that has lost its contents. */
typedef struct aclrtMemUceInfo {
	void *addr;
	size_t len;
	size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

typedef enum aclrtErrorType {
	ACL_RT_NO_ERROR		= 0,
	ACL_RT_ERROR_MEMORY	= 1,
	ACL_RT_ERROR_L2		= 2,
	ACL_RT_ERROR_AICORE	= 3,
	ACL_RT_ERROR_LINK	= 4,
	ACL_RT_ERROR_L3_PORT	= 5,
	ACL_RT_ERROR_OTHERS	= 0xFFFF
} aclrtErrorType;

typedef enum aclrtAicoreErrorType {
	ACL_RT_AICORE_ERROR_UNKNOWN	= 0,
	ACL_RT_AICORE_ERROR_SW		= 1,
	ACL_RT_AICORE_ERROR_HW_LOCAL	= 2
} aclrtAicoreErrorType;

typedef struct aclrtMemUceInfoArray {
	size_t arraySize;
	aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;

typedef union aclrtErrorInfoDetail {
	aclrtMemUceInfoArray uceInfo;
	aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

typedef struct aclrtErrorInfo {
	uint8_t tryRepair;
	uint8_t hasDetail;
	uint8_t reserved[2];
	aclrtErrorType errorType;
	aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

typedef enum aclrtDeviceTaskAbortStage {
	ACL_RT_DEVICE_TASK_ABORT_PRE	= 0,
	ACL_RT_DEVICE_TASK_ABORT_POST	= 1
} aclrtDeviceTaskAbortStage;

typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t deviceId,
	aclrtDeviceTaskAbortStage stage, uint32_t timeout, void *args);

/**
 * aclrtSetExceptionInfoCallback() - be told of tasks that fail
 * @callback: called as that of aclrtExceptionInfoCallbackRegister(); NULL for
 *	none
 *
 * There is one, the last that was set, beside those of
 * aclrtExceptionInfoCallbackRegister().  Needs no context.
 */
ACL_DEPRECATED_MESSAGE("use aclrtExceptionInfoCallbackRegister instead")
ACL_FUNC_VISIBILITY aclError
aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/**
 * aclrtExceptionInfoCallbackRegister() - be told of tasks that fail
 * @callback: called with each failure, once
 *
 * It is called by a thread of the library, soon after the task has failed and
 * whatever the program does; what failed before it was registered is not told
 * of.  The thread has no context, and holds no lock: @callback may call what
 * needs none, and register and unregister.  While it runs, nothing else is told
 * of, and 65536 failures wait for that; of what fails beyond, the log tells how
 * many.  Those of a stream are told in the order of its tasks.
 *
 * There may be several.  To register one again changes nothing.  Needs no
 * context.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

/**
 * aclrtExceptionInfoCallbackUnregister() - undo
 *	aclrtExceptionInfoCallbackRegister()
 * @callback: the function; one that is not registered is fine
 *
 * A call that has begun in another thread may go on.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/**
 * aclrtGetTaskIdFromExceptionInfo() - which task failed
 * @info: what the callback was passed
 *
 * Return: the lower 32 bits of its number in the stream, from 1; 0xFFFFFFFF for
 * NULL and for a failure of the device.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetStreamIdFromExceptionInfo() - number of the stream
 * @info: what the callback was passed
 *
 * Return: as aclrtStreamGetId() told; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetThreadIdFromExceptionInfo() - the thread that tells of the failure
 * @info: what the callback was passed
 *
 * Return: its thread id, the library's; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetDeviceIdFromExceptionInfo() - the device
 * @info: what the callback was passed
 *
 * Return: its number in this process; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetErrorCodeFromExceptionInfo() - why it failed
 * @info: what the callback was passed
 *
 * Return: what waiting for the stream returns; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetArgsFromExceptionInfo() - arguments of a kernel that failed
 * @info: what the callback was passed
 * @devArgsPtr: left alone
 * @devArgsLen: left alone
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @devArgsPtr or @devArgsLen; always
 * (aclError)0xFFFFFFFF for the rest: no task of this device is a kernel.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr,
	uint32_t *devArgsLen);

/**
 * aclrtGetFuncHandleFromExceptionInfo() - the kernel that failed
 * @info: what the callback was passed
 * @func: left alone
 *
 * Errors: (aclError)0xFFFFFFFF for a NULL @info, ACL_ERROR_INVALID_PARAM for a
 * NULL @func, ACL_ERROR_RT_FEATURE_NOT_SUPPORT: no task of this device is a
 * kernel.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info,
	aclrtFuncHandle *func);

/**
 * aclrtBinarySetExceptionCallback() - be told of kernels of a binary that fail
 * @binHandle: the binary
 * @callback: the function
 * @userData: passed to it
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @binHandle or @callback, else
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT: this device has no kernels.
 */
ACL_FUNC_VISIBILITY aclError
aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
	aclrtOpExceptionCallback callback, void *userData);

/**
 * aclrtGetMemUceInfo() - memory that has lost its contents
 * @deviceId: the device
 * @memUceInfoArray: array to be filled
 * @arraySize: its entries, 1 to MAX_MEM_UCE_INFO_ARRAY_SIZE
 * @retSize: set to how many were filled: 0, since memory does not fail here
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another @arraySize, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(int32_t deviceId,
	aclrtMemUceInfo *memUceInfoArray, size_t arraySize, size_t *retSize);

/**
 * aclrtMemUceRepair() - replace memory that has lost its contents
 * @deviceId: the device
 * @memUceInfoArray: what aclrtGetMemUceInfo() told
 * @arraySize: how many, 1 to MAX_MEM_UCE_INFO_ARRAY_SIZE
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another @arraySize, ACL_ERROR_RT_INVALID_DEVICEID, else
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT: there is none to be repaired.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId,
	aclrtMemUceInfo *memUceInfoArray, size_t arraySize);

/**
 * aclrtDeviceTaskAbort() - cancel all that this process has a device do
 * @deviceId: a device that is set
 * @timeout: milliseconds, at most 36 minutes, or 0 for as long as it takes
 *
 * All streams of the device are aborted, as by aclrtStreamAbort(), and can be
 * used again.  Functions that were registered are called before and after it.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for a longer @timeout,
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL for a device that is
 * not set, ACL_ERROR_RT_DEVICE_TASK_ABORT when a registered function fails,
 * ACL_ERROR_RT_TIMEOUT.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId,
	uint32_t timeout);

/**
 * aclrtSetDeviceTaskAbortCallback() - be told of aclrtDeviceTaskAbort()
 * @regName: name of the registration
 * @callback: called before and after it, returns 0 to let it go on; NULL to undo
 *	the registration of that name, if there is one
 * @args: passed to it
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @regName,
 * ACL_ERROR_RT_PARAM_INVALID for one that is registered.
 */
ACL_FUNC_VISIBILITY aclError
aclrtSetDeviceTaskAbortCallback(const char *regName,
	aclrtDeviceTaskAbortCallback callback, void *args);

/**
 * aclrtGetErrorVerbose() - what is wrong with a device
 * @deviceId: the device
 * @errorInfo: filled: ACL_RT_NO_ERROR, or ACL_RT_ERROR_OTHERS where the device
 *	is not healthy; there is nothing to be repaired
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId,
	aclrtErrorInfo *errorInfo);

/**
 * aclrtRepairError() - repair a device
 * @deviceId: the device
 * @errorInfo: what aclrtGetErrorVerbose() told
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID, else
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT, unless @errorInfo says ACL_RT_NO_ERROR.
 */
ACL_FUNC_VISIBILITY aclError aclrtRepairError(int32_t deviceId,
	const aclrtErrorInfo *errorInfo);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_EXCEPTION_H */
