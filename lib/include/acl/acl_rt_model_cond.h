/* SPDX-License-Identifier: MIT */
/*
 * Conditions of models of captured tasks: parts of a model that run depending on
 * a value in device memory.
 *
 * While a stream captures a model (aclmdlRICaptureGetInfo()), the program creates
 * a condition, and adds a task that tests its value.  This makes one part for
 * each branch.  The program then captures the parts one after the other, each by
 * another stream: from aclmdlRICaptureToModelRIBegin() to aclmdlRICaptureEnd(),
 * before the end of the model's own capture.  A part that is not captured does
 * nothing.  Parts may have conditions themselves.
 *
 * The model runs its parts, which end with it.  For a part, the calls that run or
 * destroy a model, or update its groups, return ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 *
 * Any thread may call these functions.
 */
#ifndef ACL_ACL_RT_MODEL_COND_H
#define ACL_ACL_RT_MODEL_COND_H

#include <stdint.h>

#include "acl_rt_model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclmdlRICondHandle;

typedef enum aclmdlRICondHandleFlag {
	/* each run of the model begins by assigning the default value */
	ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT	= 1
} aclmdlRICondHandleFlag;

typedef enum aclmdlRICondTaskType {
	/* the first part if the value is not 0, else the second, if any */
	ACL_MODEL_RI_COND_TYPE_IF	= 0,
	/* the part again and again, as long as the value is not 0 */
	ACL_MODEL_RI_COND_TYPE_WHILE	= 1,
	/* the part with the value as its index; none for a larger value */
	ACL_MODEL_RI_COND_TYPE_SWITCH	= 2
} aclmdlRICondTaskType;

typedef struct aclmdlRICondTaskParams {
	aclmdlRICondHandle handle;
	aclmdlRICondTaskType type;
	uint32_t size;			/* number of branches */
	aclmdlRI *modelRIArray;		/* set to their parts */
} aclmdlRICondTaskParams;

/**
 * aclmdlRICondHandleCreate() - create a condition
 * @modelRI: a model that is being captured, or a part before its capture ends
 * @defaultLaunchValue: the value at first
 * @flag: 0, or ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT
 * @handle: set to the condition, which ends with the model
 *
 * The value has 64 bits.  With the flag, runs of the model overwrite a value
 * that the program wrote before them.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another @flag, ACL_ERROR_RT_STREAM_NOT_CAPTURED if the capture is over,
 * ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_RT_MODEL_CONTEXT,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRICondHandleCreate(aclmdlRI modelRI,
	uint32_t defaultLaunchValue, aclmdlRICondHandleFlag flag,
	aclmdlRICondHandle *handle);

/**
 * aclmdlRICondHandleGetCondPtr() - get the address of the value of a condition
 * @handle: the condition
 * @ptr: set to the device address of the value, which tasks may change
 *
 * The memory ends with the model, and aclrtFree() refuses it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **ptr);

/**
 * aclmdlRIAddCondTask() - add a task that tests a condition
 * @params: the condition, of the model that the stream captures or of one of
 *	which it is a part; the type; the number of branches: 1 or 2 for IF, 1 for
 *	WHILE, up to 128 for SWITCH; and where to store the parts
 * @stream: a stream that is being captured
 * @flags: 0
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID,
 * ACL_ERROR_RT_STREAM_NOT_CAPTURED, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT in a
 * group, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, ACL_ERROR_RT_MEMORY_ALLOCATION,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params,
	aclrtStream stream, uint32_t flags);

/**
 * aclmdlRICaptureToModelRIBegin() - begin to capture a part of a model
 * @stream: as for aclmdlRICaptureBegin(); not one that is being captured
 * @modelRI: the part, which was not captured yet
 * @mode: as for aclmdlRICaptureBegin()
 *
 * The end of the model's capture fails with
 * ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING while a part is being captured.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID if @modelRI is no part,
 * ACL_ERROR_RT_MODEL_CAPTURED if it was captured before,
 * ACL_ERROR_RT_STREAM_NOT_CAPTURED if the capture of the model is over, and as
 * aclmdlRICaptureBegin().
 */
ACL_FUNC_VISIBILITY aclError
aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
	aclmdlRICaptureMode mode);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MODEL_COND_H */
