/* SPDX-License-Identifier: MIT */
/*
 * Streams.
 *
 * A stream does its work in the order of submission.  NULL stands for the
 * default stream of the current context, which is a stream like any other and
 * not a barrier for the rest.
 */
#ifndef ACL_ACL_RT_STREAM_H
#define ACL_ACL_RT_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of a stream. */
#define ACL_STREAM_FAST_LAUNCH		0x1U
#define ACL_STREAM_FAST_SYNC		0x2U
#define ACL_STREAM_PERSISTENT		0x4U
#define ACL_STREAM_HUGE			0x8U
#define ACL_STREAM_CPU_SCHEDULE		0x10U
#define ACL_STREAM_DEVICE_USE_ONLY	0x20U

/* The reaction of a stream to a failed task. */
#define ACL_CONTINUE_ON_FAILURE	0U
#define ACL_STOP_ON_FAILURE	1U

typedef enum aclrtStreamStatus {
	ACL_STREAM_STATUS_COMPLETE	= 0,
	ACL_STREAM_STATUS_NOT_READY	= 1,
	ACL_STREAM_STATUS_RESERVED	= 0xFFFF
} aclrtStreamStatus;

/* Properties for aclrtSetStreamConfigOpt(). */
typedef enum aclrtStreamConfigAttr {
	ACL_RT_STREAM_WORK_ADDR_PTR	= 0,
	ACL_RT_STREAM_WORK_SIZE		= 1,
	ACL_RT_STREAM_FLAG		= 2,
	ACL_RT_STREAM_PRIORITY		= 3
} aclrtStreamConfigAttr;

/* Only the calls below may create, change and destroy it. */
typedef struct aclrtStreamConfigHandle {
	void *workptr;
	size_t workSize;
	size_t flag;
	uint32_t priority;
} aclrtStreamConfigHandle;

typedef enum aclrtStreamAttr {
	ACL_STREAM_ATTR_FAILURE_MODE		= 1,
	ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK	= 2,
	ACL_STREAM_ATTR_USER_CUSTOM_TAG		= 3,
	ACL_STREAM_ATTR_CACHE_OP_INFO		= 4,
	ACL_STREAM_ATTR_PRIORITY		= 5
} aclrtStreamAttr;

typedef union aclrtStreamAttrValue {
	uint64_t failureMode;
	uint32_t overflowSwitch;
	uint32_t userCustomTag;
	uint32_t cacheOpInfoSwitch;
	uint32_t streamPriority;
	uint32_t reserve[4];
} aclrtStreamAttrValue;

/**
 * aclrtCreateStream() - create a stream in the current context
 * @stream: set to the stream
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_NO_STREAM_RESOURCE if the device has no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);

/**
 * aclrtCreateStreamWithConfig() - create a stream with a priority and flags
 * @stream: set to the stream
 * @priority: 0, the highest, to 7; larger values mean 7
 * @flag: ACL_STREAM_* bits, or 0; other bits are ignored
 *
 * Errors: as aclrtCreateStream().
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream,
	uint32_t priority, uint32_t flag);

/**
 * aclrtCreateStreamConfigHandle() - create a description of a stream
 *
 * Return: a description, to be freed with aclrtDestroyStreamConfigHandle();
 * NULL without host memory.
 */
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle *
aclrtCreateStreamConfigHandle(void);

/**
 * aclrtDestroyStreamConfigHandle() - free a description of a stream
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);

/**
 * aclrtSetStreamConfigOpt() - set one property in a description of a stream
 * @handle: the description
 * @attr: the property; work address and size are stored, but this device does
 *	not need them
 * @attrValue: points to the value: void *, size_t, size_t (flags) or uint32_t
 *	(priority), in the order of aclrtStreamConfigAttr
 * @valueSize: size of the value in bytes
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, an unknown property or a wrong
 * size.
 */
ACL_FUNC_VISIBILITY aclError
aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
	aclrtStreamConfigAttr attr, const void *attrValue, size_t valueSize);

/**
 * aclrtCreateStreamV2() - create a stream from its description
 * @stream: set to the stream
 * @handle: the description, which may be changed or freed after the call
 *
 * Errors: as aclrtCreateStreamWithConfig().
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamV2(aclrtStream *stream,
	const aclrtStreamConfigHandle *handle);

/**
 * aclrtDestroyStream() - wait for a stream's work, and destroy it
 * @stream: a stream of the current context
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT for a stream of another context,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/**
 * aclrtDestroyStreamForce() - drop a stream's work, and destroy it
 * @stream: a stream of the current context
 *
 * Errors: as aclrtDestroyStream().
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/**
 * aclrtSynchronizeStream() - wait for a stream's work
 * @stream: a stream of any context, or NULL
 *
 * Reports the failure of a task once; but if the streams of the context stop on
 * failure, each call reports it.  See "Work for streams" in acl_rt_copy.h.
 *
 * Errors: ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_STREAM_ABORT if the stream is aborted during the call, or the
 * code of a failed task.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/**
 * aclrtSynchronizeStreamWithTimeout() - wait for a stream's work, with a time
 * limit
 * @stream: a stream of any context, or NULL
 * @timeout: milliseconds, or -1 for no limit
 *
 * The stream stays usable after a timeout.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for 0 or below -1,
 * ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, as aclrtSynchronizeStream().
 */
ACL_FUNC_VISIBILITY aclError
aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/**
 * aclrtStreamQuery() - check whether a stream's work is done
 * @stream: a stream of the current context, or NULL
 * @status: set to ACL_STREAM_STATUS_COMPLETE or ..._NOT_READY
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @status,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream,
	aclrtStreamStatus *status);

/**
 * aclrtStreamAbort() - drop the work that a stream has not completed
 * @stream: a stream of the current context, not NULL
 *
 * The running task ends early.  Pending callbacks of the stream are not called;
 * a callback that runs goes on.  Waiters for the stream get
 * ACL_ERROR_RT_STREAM_ABORT.  The stream can be used again after the call, even
 * if it had stopped after a failed task.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

/**
 * aclrtStreamStop() - stop a stream that only the device uses
 * @stream: a stream of the current context with ACL_STREAM_DEVICE_USE_ONLY
 *
 * Does what aclrtStreamAbort() does.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT for other streams, and as
 * aclrtStreamAbort().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamStop(aclrtStream stream);

/**
 * aclrtPersistentTaskClean() - drop the tasks of a persistent stream
 * @stream: a stream of the current context with ACL_STREAM_PERSISTENT
 *
 * Does what aclrtStreamAbort() does.  The stream accepts new tasks afterwards.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT for other streams, and as
 * aclrtStreamAbort().
 */
ACL_FUNC_VISIBILITY aclError aclrtPersistentTaskClean(aclrtStream stream);

/**
 * aclrtGetThreadLastTaskId() - get the task that this thread submitted last
 * @taskId: set to its number in its stream, or 0 before the first; if the stream
 *	is captured or bound to a model, to its index there, as by
 *	aclmdlRITaskGetSeqId()
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/**
 * aclrtStreamGetId() - get the number of a stream
 * @stream: a stream of the current context, or NULL
 * @streamId: set to a number that no other living stream of the device has in
 *	this process
 *
 * Errors: as aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream,
	int32_t *streamId);

/**
 * aclrtStreamGetPriority() - get the priority of a stream
 * @stream: a stream of the current context, or NULL
 * @priority: set to the priority, 0 to 7
 *
 * Errors: as aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream,
	uint32_t *priority);

/**
 * aclrtStreamGetFlags() - get the flags of a stream
 * @stream: a stream of the current context, or NULL
 * @flags: set to ACL_STREAM_* bits
 *
 * Errors: as aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream,
	uint32_t *flags);

/**
 * aclrtGetStreamAvailableNum() - count the streams that can still be created
 * @streamCount: set to the number for the current device
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/**
 * aclrtDeviceGetStreamPriorityRange() - get the current device's priority range
 * @leastPriority: set to 7; may be NULL
 * @greatestPriority: set to 0; may be NULL
 *
 * Errors: ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
	int32_t *greatestPriority);

/**
 * aclrtSetStreamFailureMode() - set how a stream reacts to a failed task
 * @stream: a stream of the current context, or NULL
 * @mode: ACL_CONTINUE_ON_FAILURE, the default, or ACL_STOP_ON_FAILURE, which
 *	stops all streams of the context and cannot be reverted
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for another mode,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for reverting to ACL_CONTINUE_ON_FAILURE,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream,
	uint64_t mode);

/**
 * aclrtSetStreamAttribute() - set an attribute of a stream
 * @stream: a stream of the current context, or NULL
 * @stmAttrType: the attribute
 * @value: holds its value
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @value,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown attribute or value, and as
 * aclrtSetStreamFailureMode().
 */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(aclrtStream stream,
	aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/**
 * aclrtGetStreamAttribute() - get an attribute of a stream
 * @stream: a stream of the current context, or NULL
 * @stmAttrType: the attribute
 * @value: filled
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @value,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown attribute, and as
 * aclrtStreamQuery().
 */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(aclrtStream stream,
	aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value);

/*
 * Time limits of tasks.  They belong to the process and apply to tasks that are
 * submitted later.  A task that takes longer fails with
 * ACL_ERROR_RT_TASK_TIMEOUT.  These calls need no context.
 */

/*
 * Time limits of streams.  For tasks, 0 means no limit.  A kernel launch without one
 * has the limit of the module's parameter hang_timeout_ms, 10 seconds by default.
 */

/**
 * aclrtSetOpWaitTimeout() - limit how long streams wait for events
 * @timeout: seconds, or 0 for no limit
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOut() - limit how long a task may run, in seconds
 * @timeout: seconds, or 0 for no limit
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOutWithMs() - limit how long a task may run, in
 * milliseconds
 * @timeout: milliseconds, or 0 for no limit
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/**
 * aclrtSetOpExecuteTimeOutV2() - limit how long a task may run, in microseconds
 * @timeout: microseconds, or 0 for no limit
 * @actualTimeout: set to the effective limit: rounded up to the interval, and
 *	at most the maximum
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout,
	uint64_t *actualTimeout);

/**
 * aclrtGetOpTimeOutInterval() - get the resolution of these limits
 * @interval: set to microseconds
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/**
 * aclrtGetOpExecuteTimeout() - get the limit for how long a task may run
 * @timeoutMs: set to milliseconds, 0 for no limit
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_STREAM_H */
