/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program that a stream calls, and functions that are told of
 * streams and devices.
 *
 * A function that a stream calls may submit work, also to its own stream, and
 * may subscribe and unsubscribe.  If its stream waits for it, it must not wait
 * for its stream.
 */
#ifndef ACL_ACL_RT_CALLBACK_H
#define ACL_ACL_RT_CALLBACK_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the stream goes on before the function has returned. */
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
 * @threadId: the thread, a pthread_t; it calls aclrtProcessReport()
 * @stream: a stream of the current context, or NULL
 *
 * A thread may serve several streams of one device; a stream has one thread.
 * It ends with the stream.
 *
 * Errors: ACL_ERROR_RT_STREAM_SUBSCRIBE where the stream has a thread,
 * ACL_ERROR_RT_THREAD_SUBSCRIBE where the thread serves another device,
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
 * Callbacks that were launched and not run yet are dropped, and the stream goes
 * on.  A callback that runs goes on to its end; who waits in
 * aclrtProcessReport() without any stream left returns.
 *
 * Errors: ACL_ERROR_RT_STREAM_SUBSCRIBE where the stream has no thread,
 * ACL_ERROR_RT_THREAD_SUBSCRIBE where it has another one,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId,
	aclrtStream stream);

/**
 * aclrtLaunchCallback() - have a stream call a function
 * @fn: the function, run by the stream's thread in aclrtProcessReport()
 * @userData: passed to it
 * @blockType: ACL_CALLBACK_BLOCK if the stream waits until it has returned,
 *	else ACL_CALLBACK_NO_BLOCK
 * @stream: a stream of the current context, or NULL
 *
 * It is called when all that was submitted to the stream before is done, also
 * where that has failed.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for an unknown @blockType,
 * ACL_ERROR_RT_PARAM_INVALID for a NULL @fn, ACL_ERROR_RT_STREAM_NO_CB_REG where
 * the stream has no thread, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn,
	void *userData, aclrtCallbackBlockType blockType, aclrtStream stream);

/**
 * aclrtProcessReport() - run the callbacks of the calling thread's streams
 * @timeout: milliseconds to wait for one, or -1 for as long as it takes
 *
 * Returns when at least one has been run.  Needs no context; while one runs,
 * the current context is what it was.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for 0 or below -1,
 * ACL_ERROR_RT_THREAD_SUBSCRIBE where no stream has this thread,
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
 * The stream waits until it has returned.  Functions of the streams of one
 * context are called one after the other.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for a NULL @fn,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL when there can be
 * no thread.
 */
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream,
	aclrtHostFunc fn, void *args);

/**
 * aclrtSubscribeHostFunc() - have a thread run the operators of models that are
 *	for the host
 * @hostFuncThreadId: the thread
 * @exeStream: the stream
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT, as on a 910B: its models have
 * no such operators.
 */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId,
	aclrtStream exeStream);

/**
 * aclrtProcessHostFunc() - run such operators
 * @timeout: milliseconds
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError aclrtProcessHostFunc(int32_t timeout);

/**
 * aclrtUnSubscribeHostFunc() - undo aclrtSubscribeHostFunc()
 * @hostFuncThreadId: the thread
 * @exeStream: the stream
 *
 * Errors: always ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError
aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream);

/**
 * aclrtRegStreamStateCallback() - be told of streams that are made and destroyed
 * @regName: name of the registration
 * @callback: called after a stream, also a default stream, was made, and before
 *	it is destroyed, by the thread that does it; NULL to undo the
 *	registration of that name, if there is one
 * @args: passed to it
 *
 * Needs no context.  A call that has begun in another thread may go on after the
 * registration was undone.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @regName,
 * ACL_ERROR_RT_PARAM_INVALID for one that is registered.
 */
ACL_FUNC_VISIBILITY aclError aclrtRegStreamStateCallback(const char *regName,
	aclrtStreamStateCallback callback, void *args);

/**
 * aclrtRegDeviceStateCallback() - be told of devices that are set and reset
 * @regName: name of the registration
 * @callback: called before and after each aclrtSetDevice() and
 *	aclrtResetDevice() of a valid device, by the thread that does it; NULL to
 *	undo the registration of that name, if there is one
 * @args: passed to it
 *
 * As aclrtRegStreamStateCallback().  Until the device is set @callback has no
 * context unless the thread has: the default device of aclInit() is not set then.
 *
 * Errors: as aclrtRegStreamStateCallback().
 */
ACL_FUNC_VISIBILITY aclError aclrtRegDeviceStateCallback(const char *regName,
	aclrtDeviceStateCallback callback, void *args);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_CALLBACK_H */
