/* SPDX-License-Identifier: MIT */
/*
 * Failures of work on a device: how programs learn of them and recover.
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

/* A failed task; valid during the callback that it is passed to. */
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
 * aclrtSetExceptionInfoCallback() - set the callback for failed tasks
 * @callback: called as that of aclrtExceptionInfoCallbackRegister(); NULL for
 *	none
 *
 * There is one such callback, the last that was set, in addition to those of
 * aclrtExceptionInfoCallbackRegister().  Needs no context.
 */
ACL_DEPRECATED_MESSAGE("use aclrtExceptionInfoCallbackRegister instead")
ACL_FUNC_VISIBILITY aclError
aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/**
 * aclrtExceptionInfoCallbackRegister() - register a callback for failed tasks
 * @callback: called once for each failure
 *
 * A thread of the library calls it soon after the task has failed, independent
 * of the program's calls.  It does not report failures from before the
 * registration.  The thread has no context and holds no lock, so @callback may
 * use calls that need no context, and may register and unregister callbacks.
 * Reports are sequential: while @callback runs, up to 65536 further failures
 * wait.  The log has the number of failures beyond that.  The failures of a
 * stream are reported in the order of its tasks.
 *
 * Several callbacks may be registered.  Registering one again has no effect.
 * Needs no context.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

/**
 * aclrtExceptionInfoCallbackUnregister() - remove a callback for failed tasks
 * @callback: the function; has no effect if it is not registered
 *
 * A callback that has begun in another thread may go on.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/**
 * aclrtGetTaskIdFromExceptionInfo() - get the number of the failed task
 * @info: the argument of the callback
 *
 * Return: the lower 32 bits of its number in the stream, from 1; 0xFFFFFFFF for
 * NULL and for a failure of the device.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetStreamIdFromExceptionInfo() - get the number of the stream
 * @info: the argument of the callback
 *
 * Return: the number that aclrtStreamGetId() returns; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetThreadIdFromExceptionInfo() - get the thread that reports the failure
 * @info: the argument of the callback
 *
 * Return: the id of the library's thread; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetDeviceIdFromExceptionInfo() - get the device
 * @info: the argument of the callback
 *
 * Return: the device number in this process; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetErrorCodeFromExceptionInfo() - get the error code of the failure
 * @info: the argument of the callback
 *
 * Return: the code that a wait for the stream returns; 0xFFFFFFFF for NULL.
 */
ACL_FUNC_VISIBILITY uint32_t
aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/**
 * aclrtGetArgsFromExceptionInfo() - get the arguments of a failed kernel
 * @info: the argument of the callback
 * @devArgsPtr: set to the device address of the argument block, which stays
 *	readable during the callback
 * @devArgsLen: set to its bytes
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @devArgsPtr or @devArgsLen,
 * (aclError)0xFFFFFFFF for a NULL @info, or if the task is not a kernel.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info, void **devArgsPtr,
	uint32_t *devArgsLen);

/**
 * aclrtGetFuncHandleFromExceptionInfo() - get the failed kernel
 * @info: the argument of the callback
 * @func: set to the function
 *
 * Errors: (aclError)0xFFFFFFFF for a NULL @info, ACL_ERROR_INVALID_PARAM for a
 * NULL @func, ACL_ERROR_RT_FEATURE_NOT_SUPPORT if the task is not a kernel.
 */
ACL_FUNC_VISIBILITY aclError
aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info,
	aclrtFuncHandle *func);

/**
 * aclrtBinarySetExceptionCallback() - set the callback for failed kernels of a
 * binary
 * @binHandle: the binary
 * @callback: the function, called after those for all tasks
 * @userData: passed to it
 *
 * The last callback of a binary replaces those before.  It ends with the binary.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @binHandle or @callback,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError
aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
	aclrtOpExceptionCallback callback, void *userData);

/**
 * aclrtGetMemUceInfo() - list memory that has lost its contents
 * @deviceId: the device
 * @memUceInfoArray: array to be filled
 * @arraySize: its length, 1 to MAX_MEM_UCE_INFO_ARRAY_SIZE
 * @retSize: set to the number of filled entries, which is 0: memory only fails by
 *	injected errors, which the failed task or call reports
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another @arraySize, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(int32_t deviceId,
	aclrtMemUceInfo *memUceInfoArray, size_t arraySize, size_t *retSize);

/**
 * aclrtMemUceRepair() - replace memory that has lost its contents
 * @deviceId: the device
 * @memUceInfoArray: entries of aclrtGetMemUceInfo()
 * @arraySize: their number, 1 to MAX_MEM_UCE_INFO_ARRAY_SIZE
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another @arraySize, ACL_ERROR_RT_INVALID_DEVICEID, otherwise
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT: injected errors cannot be repaired.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId,
	aclrtMemUceInfo *memUceInfoArray, size_t arraySize);

/**
 * aclrtDeviceTaskAbort() - cancel all work of this process on a device
 * @deviceId: a device that is set
 * @timeout: milliseconds, at most 36 minutes, or 0 for no limit
 *
 * Aborts all streams of the device as aclrtStreamAbort() does; they can be used
 * again.  Calls the registered functions before and after.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for a longer @timeout,
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL for a device that is
 * not set, ACL_ERROR_RT_DEVICE_TASK_ABORT when a registered function fails,
 * ACL_ERROR_RT_TIMEOUT.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId,
	uint32_t timeout);

/**
 * aclrtSetDeviceTaskAbortCallback() - register a callback for
 * aclrtDeviceTaskAbort()
 * @regName: name of the registration
 * @callback: called before and after the abort, returns 0 to let it go on; NULL
 *	to remove the registration of that name, if it exists
 * @args: passed to it
 *
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @regName,
 * ACL_ERROR_RT_PARAM_INVALID for a name that is registered already.
 */
ACL_FUNC_VISIBILITY aclError
aclrtSetDeviceTaskAbortCallback(const char *regName,
	aclrtDeviceTaskAbortCallback callback, void *args);

/**
 * aclrtGetErrorVerbose() - get the error state of a device
 * @deviceId: the device
 * @errorInfo: filled: ACL_RT_NO_ERROR, or ACL_RT_ERROR_OTHERS if the device is
 *	not healthy; no error can be repaired
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId,
	aclrtErrorInfo *errorInfo);

/**
 * aclrtRepairError() - repair a device
 * @deviceId: the device
 * @errorInfo: filled by aclrtGetErrorVerbose()
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_DEVICEID,
 * otherwise ACL_ERROR_RT_FEATURE_NOT_SUPPORT, unless @errorInfo is
 * ACL_RT_NO_ERROR.
 */
ACL_FUNC_VISIBILITY aclError aclrtRepairError(int32_t deviceId,
	const aclrtErrorInfo *errorInfo);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_EXCEPTION_H */
