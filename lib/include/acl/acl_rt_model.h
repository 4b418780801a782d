/* SPDX-License-Identifier: MIT */
/*
 * Models of captured tasks: a capture stores the tasks of streams instead of
 * running them, and a run of the model then runs all of them at the cost of one.
 *
 * A capture begins with one stream.  Another stream joins it by a wait for an
 * event that a captured stream has recorded.  Its last task has to be a record
 * of an event that the first stream waits for, itself or by way of other
 * captured streams.  Such events are those of aclrtCreateEventExWithFlag() with
 * ACL_EVENT_SYNC.
 *
 * Events connect a model to the outside as well:
 *
 * - ACL_EVENT_WAIT_EXTERNAL and ACL_EVENT_RECORD_EXTERNAL concern the run: the
 *   stream that runs the model waits before it, and records the event after it,
 * - an event of aclrtCreateEventWithFlag() with ACL_EVENT_EXTERNAL can be
 *   recorded, waited for and reset inside and outside.  Inside, a wait ends when
 *   the event is recorded, also after the run has begun.
 *
 * Copies, fills, reductions, random numbers, kernels, operators, notifies and
 * values can be captured.  Their addresses are stored: the program keeps the
 * memory until it destroys the model, and may change its contents between runs.
 * Arguments of kernels are copied.  Host memory has to be of aclrtMallocHost()
 * or aclrtHostRegister().  Callbacks, pools in stream order and events of several
 * processes cannot be captured (ACL_ERROR_RT_FEATURE_NOT_SUPPORT).
 *
 * While streams of a context are captured, some threads may not make calls that
 * act at once; the mode of the capture says which threads.  These calls
 * are aclrtMemcpy(), aclrtMemset() and the like, and aclrtSynchronizeDevice()
 * (ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT), and asynchronous copies that the
 * host has to make (ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC).  For a captured
 * stream, aclrtSynchronizeStream(), aclrtStreamQuery() and aclrtDestroyStream()
 * return ACL_ERROR_RT_STREAM_CAPTURED.  Calls that wait for or query a captured
 * event return ACL_ERROR_RT_EVENT_CAPTURED.
 *
 * Any thread may call these functions.
 */
#ifndef ACL_ACL_RT_MODEL_H
#define ACL_ACL_RT_MODEL_H

#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_callback.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclmdlRI;

/* The threads to which calls that act at once are forbidden. */
typedef enum aclmdlRICaptureMode {
	/* all threads */
	ACL_MODEL_RI_CAPTURE_MODE_GLOBAL	= 0,
	/* the thread that began the capture */
	ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL	= 1,
	/* no thread; and any thread may end the capture */
	ACL_MODEL_RI_CAPTURE_MODE_RELAXED	= 2
} aclmdlRICaptureMode;

typedef enum aclmdlRICaptureStatus {
	ACL_MODEL_RI_CAPTURE_STATUS_NONE	= 0,
	ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE	= 1,
	/* a call has failed: the capture can only be ended */
	ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED	= 2
} aclmdlRICaptureStatus;

/* Values of aclmdlRIDebugJsonPrint(). */
#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY	0U
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE	1U

/**
 * aclmdlRICaptureBegin() - begin to capture a stream
 * @stream: a stream of the current context, not its default one
 * @mode: the threads to which calls that act at once are forbidden
 *
 * Tasks that were submitted before the capture run as usual.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for another @mode,
 * ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT for the default stream or NULL,
 * ACL_ERROR_RT_STREAM_CAPTURED, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream,
	aclmdlRICaptureMode mode);

/**
 * aclmdlRICaptureEnd() - end a capture
 * @stream: the stream with which it began
 * @modelRI: set to the model
 *
 * Errors that leave the capture as it is: ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_STREAM_NOT_CAPTURED, ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED for a
 * stream that has joined it, and those of finding a stream.
 *
 * Errors with which it ends without a model:
 * ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
 * ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED if a call of the capture has failed,
 * ACL_ERROR_RT_STREAM_UNJOINED if a stream that has joined does not end in a
 * record that is waited for, or if there are no tasks;
 * ACL_ERROR_RT_PARAM_INVALID if a task is invalid;
 * ACL_ERROR_RT_NO_MODEL_RESOURCE if the device has no streams left.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureEnd(aclrtStream stream,
	aclmdlRI *modelRI);

/**
 * aclmdlRICaptureGetInfo() - check whether a stream is being captured
 * @stream: a stream of the current context, or NULL
 * @status: set to the status
 * @modelRI: set to the model if the status is
 *	ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE, else to NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureGetInfo(aclrtStream stream,
	aclmdlRICaptureStatus *status, aclmdlRI *modelRI);

/**
 * aclmdlRICaptureThreadExchangeMode() - exchange the mode of the calling thread
 * @mode: the new mode; set to the previous one
 *
 * The mode of a thread is at first ACL_MODEL_RI_CAPTURE_MODE_GLOBAL.  Then
 * calls that act at once are forbidden to it by all captures in that mode, and
 * by its own captures in ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL.  In the mode
 * ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, only its own captures in these two
 * modes forbid them.  In ACL_MODEL_RI_CAPTURE_MODE_RELAXED, no capture forbids
 * them.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/**
 * aclmdlRIExecuteAsync() - run a model in the order of a stream
 * @modelRI: a model of the current context
 * @stream: any stream of the context, or NULL
 *
 * The model runs after the work that the stream was given before.  Runs of one
 * model follow each other, in different streams as well.  A failed task of the
 * model is a failed task of @stream.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_MODEL_CAPTURED while
 * the model is being captured, ACL_ERROR_RT_STREAM_CAPTURED for a captured
 * stream, ACL_ERROR_RT_MODEL_CONTEXT, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL; the code of a task that
 * stopped the context; ACL_ERROR_RT_MODEL_EXECUTE for a model with operations of HCCL
 * after a run that has failed, or if a stream that ran it was aborted.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecuteAsync(aclmdlRI modelRI,
	aclrtStream stream);

/**
 * aclmdlRIExecute() - run a model and wait for it
 * @modelRI: a model of the current context
 * @timeout: milliseconds, or -1 for no limit
 *
 * Runs the model in the default stream of the context, and waits for that.
 *
 * Errors: as aclmdlRIExecuteAsync() and aclrtSynchronizeStreamWithTimeout().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecute(aclmdlRI modelRI,
	int32_t timeout);

/**
 * aclmdlRIDestroy() - destroy a model
 * @modelRI: the model; the call succeeds if the context has no such model
 *
 * Waits for runs of the model, up to 10 seconds.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_MODEL_CAPTURED while
 * the model is being captured, ACL_ERROR_RT_MODEL_RUNNING,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

/**
 * aclmdlRIDebugPrint() - print the tasks of a model to the standard output
 * @modelRI: a model of the current context
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_MODEL_CAPTURED,
 * ACL_ERROR_RT_MODEL_CONTEXT, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugPrint(aclmdlRI modelRI);

/**
 * aclmdlRIDebugJsonPrint() - write the tasks of a model to a file
 * @modelRI: a model of the current context
 * @path: the file, in a folder that exists
 * @flags: ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY; or
 *	ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE, which adds addresses and sizes
 *
 * The format is that of chrome://tracing.  Each task takes one unit of time.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for other @flags, ACL_ERROR_RT_FILE_OPEN,
 * ACL_ERROR_RT_FILE_WRITE, and as aclmdlRIDebugPrint().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI,
	const char *path, uint32_t flags);

/**
 * aclmdlRISetName() - set the name of a model
 * @modelRI: a model of the current context, which may be being captured
 * @name: the name; only its first 512 bytes count
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_MODEL_CONTEXT,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRISetName(aclmdlRI modelRI,
	const char *name);

/**
 * aclmdlRIGetName() - get the name of a model
 * @modelRI: as for aclmdlRISetName()
 * @maxLen: bytes at @name; a longer name is cut
 * @name: set to the name, which is empty at first
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0 bytes, and as
 * aclmdlRISetName().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen,
	char *name);

/**
 * aclmdlRIGetId() - get the number of a model
 * @modelRI: as for aclmdlRISetName()
 * @modelRIId: set to the number, which no other model of the process has;
 *	messages and descriptions show it
 *
 * Errors: as aclmdlRISetName().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetId(aclmdlRI modelRI,
	uint32_t *modelRIId);

/**
 * aclmdlRIAbort() - stop the runs of a model
 * @modelRI: a model of aclmdlRIBuildBegin()
 *
 * Does what aclrtStreamAbort() does with each stream that has an incomplete run
 * of the model: the stream drops all of its tasks, and calls that are waiting
 * for it return ACL_ERROR_RT_STREAM_ABORT.  The model can run again afterwards.
 * While another thread is waiting to submit a run to a full stream, this call
 * waits for it, unlike aclrtStreamAbort().
 *
 * As with CANN, a captured model cannot be stopped; aclrtStreamAbort() stops
 * the stream that runs it.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT if the model was captured,
 * ACL_ERROR_RT_MODEL_CAPTURED if it is being captured or built, and as
 * aclmdlRISetName().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIAbort(aclmdlRI modelRI);

/**
 * aclmdlRIDestroyRegisterCallback() - register a function for the end of a model
 * @modelRI: as for aclmdlRISetName()
 * @func: the function
 * @userData: passed to it; may be NULL
 *
 * aclmdlRIDestroy(), or an aclmdlRICaptureEnd() that fails, calls the functions
 * in the order in which they were registered.  No run of the model
 * is incomplete then.  They may call the library.  If the context or the device
 * ends, they are not called.
 *
 * Errors: ACL_ERROR_BAD_ALLOC, and as aclmdlRISetName().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func,
	void *userData);

/**
 * aclmdlRIDestroyUnregisterCallback() - unregister such a function
 * @modelRI: as for aclmdlRISetName()
 * @func: a function of aclmdlRIDestroyRegisterCallback(); all its registrations
 *	for the model end
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID if it is not registered, and as
 * aclmdlRISetName().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MODEL_H */
