/* SPDX-License-Identifier: MIT */
/*
 * Models that a program builds stream by stream, with branches and loops.
 *
 * The program binds streams of ACL_STREAM_PERSISTENT to a model.  From then on
 * they store their tasks instead of running them, as a captured stream does.
 * After aclmdlRIBuildEnd() the model runs like a captured one, and the other
 * calls for models accept it.
 *
 * A run begins with the streams that were bound with ACL_MODEL_STREAM_FLAG_HEAD.
 * Another stream runs when a stream of the model activates it
 * (aclrtActiveStream()) or continues there (aclrtSwitchStream(),
 * aclrtSwitchLabelByIndex() in acl_rt_label.h), each time from its first task
 * or from a label.  A stream that is activated while it runs begins again after
 * its end.  If it is activated several times before it begins, it begins at the
 * place that was named last.  The run is complete when no stream has tasks
 * left.  In a model with such calls, a failed task ends its stream, and streams that
 * are not active are not activated any more.
 *
 * Streams of one model wait for each other by events as in a capture, unless the
 * model has branches; then notifies and events of ACL_EVENT_EXTERNAL remain.
 * While it is bound, a stream cannot be waited for, queried, captured or
 * destroyed, and does not run models (ACL_ERROR_RT_STREAM_MODEL).
 *
 * Any thread may call these functions.
 */
#ifndef ACL_ACL_RT_MODEL_BUILD_H
#define ACL_ACL_RT_MODEL_BUILD_H

#include <stdint.h>

#include "acl_rt_model.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A stream that begins with the model, and one that waits to be activated. */
#define ACL_MODEL_STREAM_FLAG_HEAD	0x00000000U
#define ACL_MODEL_STREAM_FLAG_DEFAULT	0x7FFFFFFFU

/**
 * aclmdlRIBuildBegin() - begin to build a model in the current context
 * @modelRI: set to the model; end it with aclmdlRIDestroy()
 * @flag: 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for a
 * flag, ACL_ERROR_BAD_ALLOC, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildBegin(aclmdlRI *modelRI,
	uint32_t flag);

/**
 * aclmdlRIBindStream() - let a stream store its tasks in a model
 * @modelRI: a model that is being built
 * @stream: a stream of its context, created with ACL_STREAM_PERSISTENT
 * @flag: ACL_MODEL_STREAM_FLAG_HEAD or ACL_MODEL_STREAM_FLAG_DEFAULT
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another flag or stream, ACL_ERROR_RT_STREAM_MODEL if it is bound already,
 * ACL_ERROR_RT_STREAM_CAPTURED, ACL_ERROR_RT_FEATURE_NOT_SUPPORT if the model
 * is not being built, ACL_ERROR_RT_OVER_LIMIT for more than 128 streams (a model
 * with branches has 127 at most, which aclmdlRIBuildEnd() checks),
 * ACL_ERROR_RT_MODEL_CONTEXT, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIBindStream(aclmdlRI modelRI,
	aclrtStream stream, uint32_t flag);

/**
 * aclmdlRIEndTask() - end the tasks of a stream of a model
 * @modelRI: a model that is being built
 * @stream: a stream that is bound to it
 *
 * The stream takes no more tasks (ACL_ERROR_RT_STREAM_MODEL).  aclmdlRIBuildEnd()
 * does the same for the other streams.
 *
 * Errors: as aclmdlRIBindStream(); ACL_ERROR_RT_STREAM_MODEL if the stream is not
 * bound to this model, or its tasks have ended.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIEndTask(aclmdlRI modelRI,
	aclrtStream stream);

/**
 * aclmdlRIBuildEnd() - end the building of a model
 * @modelRI: a model that is being built
 * @reserve: NULL
 *
 * After an error the model is still being built.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID if no
 * stream is a head, a label of a list was not set in the model, or a task is
 * invalid; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED if a task was refused,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT if the model was captured or built before, or
 * has both branches and streams that wait for each other;
 * ACL_ERROR_RT_NO_MODEL_RESOURCE, ACL_ERROR_RT_NO_NOTIFY_RESOURCE,
 * ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_BAD_ALLOC,
 * ACL_ERROR_RT_MODEL_CONTEXT, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve);

/**
 * aclmdlRIUnbindStream() - let a stream run its tasks again
 * @modelRI: the model
 * @stream: a stream that is bound to it
 *
 * The model keeps the tasks.  aclmdlRIDestroy() unbinds all streams of a model.
 *
 * Errors: as aclmdlRIEndTask().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIUnbindStream(aclmdlRI modelRI,
	aclrtStream stream);

/**
 * aclrtTaskUpdateAsync() - change a task of a stream of a model
 * @taskStream: the stream, which is bound to a model that was built
 * @taskId: index of the task in that stream: aclrtGetThreadLastTaskId() returns
 *	it after the call that stores the task
 * @info: the change
 * @execStream: a stream of the same context that makes the change; NULL for the
 *	default stream.  It is not captured, nor bound to a model.
 *
 * ACL_RT_UPDATE_AIC_AIV_TASK gives a launch another kernel: that of binHandle
 * with the function entry in the 8 bytes at funcEntryAddr (see
 * aclrtBinaryGetFunctionByEntry()), and with the number of blocks in the 4 bytes
 * at blockDimAddr.  The arguments stay.  ACL_RT_UPDATE_RANDOM_TASK gives a task
 * of aclrtRandomNumAsync() another randomResultAddr, randomCounterAddr,
 * randomSeed and randomNum, from the aclrtRandomNumTaskInfo at srcAddr; the
 * distribution stays.
 *
 * All of these addresses are of memory that the device can read.  The call waits
 * until @execStream has done its earlier work, which may write there, and reads
 * them.  The change is a task of @execStream: runs that begin after it have the
 * new task.  One that runs at the same time has either of them, or an undefined
 * mixture if it has just come to the task.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another id, task, size, entry or number of blocks, for memory that the device
 * cannot read, and for a kernel with more arguments;
 * ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT if the task is of another kind,
 * ACL_ERROR_RT_STREAM_MODEL if @taskStream is not bound or @execStream is,
 * ACL_ERROR_RT_STREAM_CAPTURED, ACL_ERROR_RT_MODEL_CAPTURED before
 * aclmdlRIBuildEnd(), ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC if a capture forbids
 * the wait; as aclrtSynchronizeStream() for @execStream;
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_BAD_ALLOC,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtTaskUpdateAsync(aclrtStream taskStream,
	uint32_t taskId, aclrtTaskUpdateInfo *info, aclrtStream execStream);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MODEL_BUILD_H */
