/* SPDX-License-Identifier: MIT */
/*
 * Groups of captured tasks, which a program can replace without another capture.
 *
 * A group is the launches between aclmdlRICaptureTaskGrpBegin() and
 * aclmdlRICaptureTaskGrpEnd().  Between aclmdlRICaptureTaskUpdateBegin() and
 * aclmdlRICaptureTaskUpdateEnd(), another stream stores new launches for it
 * instead of running them.  Their number is that of the group; kernels,
 * arguments, numbers of blocks and attributes may differ.
 *
 * The update is a task of that stream.  Runs that begin later use the new
 * launches, and so does the current one if it has not reached the group yet.  A
 * program orders both by an event of ACL_EVENT_EXTERNAL that it records after
 * the update, and that the model waits for before the group.  Without this
 * order, a run may use some old and some new launches.
 *
 * Any thread may call these functions.
 */
#ifndef ACL_ACL_RT_MODEL_GROUP_H
#define ACL_ACL_RT_MODEL_GROUP_H

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * aclmdlRICaptureTaskGrpBegin() - begin a group of tasks
 * @stream: a stream that is being captured
 *
 * Until the end of the group, the stream takes launches of kernels and operators
 * alone.  Other tasks return ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, and make the
 * capture invalid.
 *
 * Errors: ACL_ERROR_RT_STREAM_NOT_CAPTURED, ACL_ERROR_STREAM_TASK_GROUP_STATUS
 * in a group, as groups do not nest; ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);

/**
 * aclmdlRICaptureTaskGrpEnd() - end a group of tasks
 * @stream: the stream with which it began
 * @handle: set to the group, which ends with its model
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_STREAM_NOT_CAPTURED,
 * ACL_ERROR_STREAM_TASK_GROUP_STATUS without a group,
 * ACL_ERROR_STREAM_TASK_GROUP_INTR if a call of the capture has failed,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream,
	aclrtTaskGrp *handle);

/**
 * aclmdlRICaptureTaskUpdateBegin() - begin to update a group of tasks
 * @stream: a stream of the context of the model that is not being captured
 * @handle: the group; its capture has ended
 *
 * Until the end of the update, the stream stores launches, and other tasks return
 * ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT.  Calls that wait for the stream, query or
 * destroy it return ACL_ERROR_STREAM_TASK_GROUP_STATUS.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_STREAM_CAPTURED,
 * ACL_ERROR_RT_MODEL_CAPTURED, ACL_ERROR_STREAM_TASK_GROUP_STATUS if the stream
 * updates a group already, ACL_ERROR_RT_MODEL_CONTEXT,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle);

/**
 * aclmdlRICaptureTaskUpdateEnd() - end an update, and submit it
 * @stream: the stream with which it began
 *
 * The update is over after an error, too, and the group keeps its tasks then.
 *
 * Errors: ACL_ERROR_STREAM_TASK_GROUP_STATUS without an update,
 * ACL_ERROR_RT_MODEL_UPDATE_FAILED if the number of tasks is not that of the
 * group or a call of the update has failed, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MODEL_GROUP_H */
