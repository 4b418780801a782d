/* SPDX-License-Identifier: MIT */
/*
 * Callbacks: functions of the program that a stream calls, and functions that
 * are called when streams and devices come and go.
 *
 * A function that a stream calls may submit work, also to its own stream, and
 * may subscribe and unsubscribe.  It must not wait for its own stream if that
 * stream waits for the function.
 */
#ifndef ACL_ACL_RT_CALLBACK_H
#define ACL_ACL_RT_CALLBACK_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the stream waits until the function has returned. */
typedef enum aclrtCallbackBlockType {
	ACL_CALLBACK_NO_BLOCK	= 0,
	ACL_CALLBACK_BLOCK	= 1
} aclrtCallbackBlockType;

typedef void (*aclrtCallback)(void *userData);
typedef void (*aclrtHostFunc)(void *args);

typedef enum aclrtStreamState {
	ACL_RT_STREAM_STATE_CREATE_POST	= 1,
	ACL_RT_STREAM_STATE_DESTROY_PRE	= 2
} aclrtStreamState;

typedef void (*aclrtStreamStateCallback)(aclrtStream stm,
	aclrtStreamState state, void *args);

typedef enum aclrtDeviceState {
	ACL_RT_DEVICE_STATE_SET_PRE	= 0,
	ACL_RT_DEVICE_STATE_SET_POST	= 1,
	ACL_RT_DEVICE_STATE_RESET_PRE	= 2,
	ACL_RT_DEVICE_STATE_RESET_POST	= 3
} aclrtDeviceState;

typedef void (*aclrtDeviceStateCallback)(int32_t deviceId,
	aclrtDeviceState state, void *args);

/**
 * aclrtSubscribeReport() - have a thread run the callbacks of a stream
 * @threadId: the thread, a pthread_t, which calls aclrtProcessReport()
 * @stream: a stream of the current context, or NULL
 *
 * A thread may serve several streams of one device; a stream has one thread.
 * The subscription ends with the stream.
 *
 * Errors: ACL_ERROR_RT_STREAM_SUBSCRIBE if the stream has a thread,
 * ACL_ERROR_RT_THREAD_SUBSCRIBE if the thread serves another device,
 * ACL_ERROR_RT_INTERNAL_ERROR for more than 1024 threads,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId,
	aclrtStream stream);

/**
 * aclrtUnSubscribeReport() - undo aclrtSubscribeReport()
 * @threadId: the thread
 * @stream: the stream
 *
 * Callbacks that have not begun are dropped, and the stream goes on.  A
 * callback that runs goes on to its end.  If the thread has no stream left, a
 * call of aclrtProcessReport() in it returns.
 *
 * Errors: ACL_ERROR_RT_STREAM_SUBSCRIBE if the stream has no thread,
 * ACL_ERROR_RT_THREAD_SUBSCRIBE if it has another one,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId,
	aclrtStream stream);

/**
 * aclrtLaunchCallback() - have a stream call a function
 * @fn: the function, which the stream's thread calls in aclrtProcessReport()
 * @userData: passed to it
 * @blockType: ACL_CALLBACK_BLOCK if the stream waits until it has returned,
 *	else ACL_CALLBACK_NO_BLOCK
 * @stream: a stream of the current context, or NULL
 *
 * The function is called when all work that was submitted to the stream before
 * is done or has failed.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for an unknown @blockType,
 * ACL_ERROR_RT_PARAM_INVALID for a NULL @fn, ACL_ERROR_RT_STREAM_NO_CB_REG if
 * the stream has no thread, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn,
	void *userData, aclrtCallbackBlockType blockType, aclrtStream stream);

/**
 * aclrtProcessReport() - run the callbacks of the calling thread's streams
 * @timeout: milliseconds to wait for a callback, or -1 for no limit
 *
 * Returns when at least one callback has run.  Needs no context; a callback
 * runs with the current context of the caller.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for 0 or below -1,
 * ACL_ERROR_RT_THREAD_SUBSCRIBE if no stream has this thread,
 * ACL_ERROR_RT_REPORT_TIMEOUT.
 */
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);

/**
 * aclrtLaunchHostFunc() - have a stream call a function in a thread of the
 *	library
 * @stream: a stream of the current context, or NULL
 * @fn: the function
 * @args: passed to it
 *
 * The stream waits until the function has returned.  The functions of the
 * streams of one context are called one after the other.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for a NULL @fn,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL if the library
 * cannot create a thread.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream,
	aclrtHostFunc fn, void *args);

/**
 * aclrtSubscribeHostFunc() - have a thread run host operators of models (not
 * supported)
 * @hostFuncThreadId: the thread
 * @exeStream: the stream
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT, as on a 910B, where models
 * have no such operators.
 */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId,
	aclrtStream exeStream);

/**
 * aclrtProcessHostFunc() - run host operators of models (not supported)
 * @timeout: milliseconds
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError aclrtProcessHostFunc(int32_t timeout);

/**
 * aclrtUnSubscribeHostFunc() - undo aclrtSubscribeHostFunc() (not supported)
 * @hostFuncThreadId: the thread
 * @exeStream: the stream
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError
aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/**
 * aclrtRegStreamStateCallback() - register a callback for the creation and
 * destruction of streams
 * @regName: name of the registration
 * @callback: called after the creation of a stream, also of a default stream,
 *	and before its destruction, by the thread that creates or destroys it;
 *	NULL to remove the registration of that name, if it exists
 * @args: passed to it
 *
 * Needs no context.  A callback that has begun in another thread may go on
 * after its registration was removed.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @regName,
 * ACL_ERROR_RT_PARAM_INVALID for a name that is registered already.
 */
ACL_FUNC_VISIBILITY aclError aclrtRegStreamStateCallback(const char *regName,
	aclrtStreamStateCallback callback, void *args);

/**
 * aclrtRegDeviceStateCallback() - register a callback for the setting and reset
 * of devices
 * @regName: name of the registration
 * @callback: called before and after each aclrtSetDevice() and
 *	aclrtResetDevice() of a valid device, by the calling thread; NULL to
 *	remove the registration of that name, if it exists
 * @args: passed to it
 *
 * As aclrtRegStreamStateCallback().  Until the device is set, @callback has
 * only the context that the thread had before.  The default device of aclInit()
 * is not set at that time.
 *
 * Errors: as aclrtRegStreamStateCallback().
 */
ACL_FUNC_VISIBILITY aclError aclrtRegDeviceStateCallback(const char *regName,
	aclrtDeviceStateCallback callback, void *args);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_CALLBACK_H */
