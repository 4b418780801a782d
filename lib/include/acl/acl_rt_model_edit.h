/* SPDX-License-Identifier: MIT */
/*
 * Tasks of captured models: a program can look at them, replace them and disable
 * them.
 *
 * A model has streams, one for each that was captured, and a stream has tasks in
 * the order of their capture.  Both end with the model.  Of the calls that take
 * a stream, only those below and aclrtStreamGetId() accept a stream of a model.
 *
 * aclmdlRITaskSetParams() and aclmdlRITaskDisable() edit a task, and
 * aclmdlRIUpdate() applies all edits to the model.  They take effect in runs
 * that begin later.  The program must ensure that the dependencies between
 * tasks still hold.  A later update of the group of a task replaces its edit.
 *
 * Tasks of a part of a model can be looked at, but not edited
 * (ACL_ERROR_RT_FEATURE_NOT_SUPPORT).
 *
 * Any thread may call these functions.
 */
#ifndef ACL_ACL_RT_MODEL_EDIT_H
#define ACL_ACL_RT_MODEL_EDIT_H

#include <stddef.h>
#include <stdint.h>

#include "acl_rt_kernel.h"
#include "acl_rt_model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum aclmdlRITaskType {
	/* copies, fills, reductions, conditions and others */
	ACL_MODEL_RI_TASK_DEFAULT	= 0,
	/* launches of kernels and operators */
	ACL_MODEL_RI_TASK_KERNEL	= 1,
	ACL_MODEL_RI_TASK_EVENT_RECORD	= 2,
	ACL_MODEL_RI_TASK_EVENT_WAIT	= 3,
	ACL_MODEL_RI_TASK_EVENT_RESET	= 4,
	ACL_MODEL_RI_TASK_VALUE_WRITE	= 5,
	ACL_MODEL_RI_TASK_VALUE_WAIT	= 6
} aclmdlRITaskType;

typedef struct aclmdlRIKernelTaskParams {
	aclrtFuncHandle funcHandle;	/* NULL for an operator */
	aclrtLaunchKernelCfg *cfg;	/* attributes to set, or NULL */
	void *args;
	uint32_t isHostArgs;		/* 0: in device memory, 1: of the host */
	size_t argsSize;
	uint32_t numBlocks;
	uint32_t rsv[10];
} aclmdlRIKernelTaskParams;

/* eventFlag has the flags with which the event was created. */
typedef struct aclmdlRIEventRecordTaskParams {
	aclrtEvent event;
	uint32_t eventFlag;
	uint32_t recordFlag;		/* ACL_EVENT_RECORD_* */
} aclmdlRIEventRecordTaskParams;

typedef struct aclmdlRIEventWaitTaskParams {
	aclrtEvent event;
	uint32_t eventFlag;
	uint32_t waitFlag;		/* ACL_EVENT_WAIT_* */
} aclmdlRIEventWaitTaskParams;

typedef struct aclmdlRIEventResetTaskParams {
	aclrtEvent event;
	uint32_t eventFlag;
	uint32_t resetFlag;		/* 0 */
} aclmdlRIEventResetTaskParams;

typedef struct aclmdlRIValueWriteTaskParams {
	void *devAddr;
	uint64_t value;
} aclmdlRIValueWriteTaskParams;

typedef struct aclmdlRIValueWaitTaskParams {
	void *devAddr;
	uint64_t value;
	uint32_t flag;			/* ACL_STREAM_WAIT_VALUE_* */
} aclmdlRIValueWaitTaskParams;

typedef struct aclmdlRITaskParams {
	aclmdlRITaskType type;
	uint32_t rsv0[3];
	aclrtTaskGrp taskGrp;		/* its group, or NULL; never set */
	void *opInfoPtr;		/* NULL */
	size_t opInfoSize;
	uint8_t rsv1[32];

	__extension__ union {
		uint8_t rsv2[128];
		struct aclmdlRIKernelTaskParams kernelTaskParams;
		struct aclmdlRIEventRecordTaskParams eventRecordTaskParams;
		struct aclmdlRIEventWaitTaskParams eventWaitTaskParams;
		struct aclmdlRIEventResetTaskParams eventResetTaskParams;
		struct aclmdlRIValueWriteTaskParams valueWriteTaskParams;
		struct aclmdlRIValueWaitTaskParams valueWaitTaskParams;
	};
} aclmdlRITaskParams;

/**
 * aclmdlRIGetStreams() - get the streams of a model
 * @modelRI: a model, after the end of its capture
 * @streams: set to the streams, that of aclmdlRICaptureBegin() first; or NULL
 * @numStreams: elements of @streams; set to the number of streams
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY
 * if @streams is too short, ACL_ERROR_RT_MODEL_CAPTURED,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_MODEL_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetStreams(aclmdlRI modelRI,
	aclrtStream *streams, uint32_t *numStreams);

/**
 * aclmdlRIGetTasksByStream() - get the tasks of a stream of a model
 * @stream: a stream of aclmdlRIGetStreams()
 * @tasks: set to the tasks, in their order; or NULL
 * @numTasks: elements of @tasks; set to the number of tasks
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_STREAM_MODEL for a stream
 * that is not of a model, ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY if @tasks is too
 * short, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_MODEL_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetTasksByStream(aclrtStream stream,
	aclmdlRITask *tasks, uint32_t *numTasks);

/**
 * aclmdlRITaskGetType() - get the type of a task
 * @task: a task of aclmdlRIGetTasksByStream()
 * @type: set to it; a disabled task keeps its type
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_MODEL_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetType(aclmdlRITask task,
	aclmdlRITaskType *type);

/**
 * aclmdlRITaskGetSeqId() - get the number of a task in its stream
 * @task: as for aclmdlRITaskGetType()
 * @id: set to it; the first task is 0
 *
 * Messages about failures name a task by this number.
 *
 * Errors: as aclmdlRITaskGetType().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetSeqId(aclmdlRITask task,
	uint32_t *id);

/**
 * aclmdlRITaskGetParams() - get the parameters of a task
 * @task: as for aclmdlRITaskGetType()
 * @params: set to them, those of an edit if there is one; zero for
 *	ACL_MODEL_RI_TASK_DEFAULT
 *
 * The arguments of a launch are at a device address, and must not be freed.
 * aclmdlRIKernelTaskGetAttribute() has the attributes of a launch; cfg is NULL.
 * An event may have been destroyed.
 *
 * Errors: as aclmdlRITaskGetType().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetParams(aclmdlRITask task,
	aclmdlRITaskParams *params);

/**
 * aclmdlRITaskSetParams() - replace a task
 * @task: as for aclmdlRITaskGetType()
 * @params: ACL_MODEL_RI_TASK_KERNEL, ..._VALUE_WRITE or ..._VALUE_WAIT, and the
 *	parameters of that type; only the first for a task of a group
 *
 * The type may differ from that of the task.  Arguments of the host are copied;
 * others have to stay until the model is destroyed.  A launch keeps the attributes
 * that cfg does not have.  A task that was disabled is enabled.
 *
 * Errors: ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
 * ACL_ERROR_RT_MEMORY_ALLOCATION, ACL_ERROR_BAD_ALLOC; those of aclrtLaunchKernelV2(),
 * aclrtLaunchKernelWithHostArgs(), aclrtValueWrite() or aclrtValueWait() for their
 * parameters; and as aclmdlRITaskGetType().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskSetParams(aclmdlRITask task,
	aclmdlRITaskParams *params);

/**
 * aclmdlRITaskDisable() - disable a task
 * @task: as for aclmdlRITaskGetType()
 *
 * The task does nothing from the next aclmdlRIUpdate() on.  Waits for a disabled
 * record end when the tasks before it are complete.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ACL_ERROR_BAD_ALLOC, and as
 * aclmdlRITaskGetType().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskDisable(aclmdlRITask task);

/**
 * aclmdlRIKernelTaskGetAttribute() - get an attribute of a launch
 * @task: a task of type ACL_MODEL_RI_TASK_KERNEL
 * @attrId: the attribute; not ..._ENGINE_TYPE, ..._BLOCKDIM_OFFSET or
 *	..._BLOCK_TASK_PREFETCH
 * @attrValue: set to its value; 0 for attributes that launches ignore
 *
 * Errors: ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT for another type,
 * ACL_ERROR_RT_PARAM_INVALID for another attribute, and as aclmdlRITaskGetType().
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task,
	aclrtLaunchKernelAttrId attrId, aclrtLaunchKernelAttrValue *attrValue);

/**
 * aclmdlRIUpdate() - give the edits of tasks to their model
 * @modelRI: a model, after the end of its capture
 *
 * Waits until the runs of the model are complete, for up to 10 s.  After an error,
 * some edits may have reached the model; a repeated call continues.
 *
 * Errors: ACL_ERROR_RT_MODEL_RUNNING, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
 * ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_MODEL_CAPTURED,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_MODEL_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError aclmdlRIUpdate(aclmdlRI modelRI);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MODEL_EDIT_H */
