// SPDX-License-Identifier: MIT
/* Parameters of tasks of models, and attributes of their launches. */
#include <vnpu/kernel.h>

#include "core/protocol.h"

#include "base/error.h"
#include "kernel/binary.h"
#include "stream/group.h"
#include "inspect.h"

#define NEVER_S		UINT16_MAX

/* Get the kernel of a launch; NULL for an operator. */
static aclrtFuncHandle kernel_of(const struct vnpu_task *task)
{
	struct vnpu_function *function = vnpu_function_find(task->arg0);
	aclrtFuncHandle handle;

	if (!function)
		return NULL;
	handle = vnpu_u64_to_ptr(function->handle);
	vnpu_function_put(function);
	return handle;
}

static void fill_kernel(const struct vnpu_task *task,
			struct aclmdlRIKernelTaskParams *params)
{
	params->funcHandle = kernel_of(task);
	params->args = vnpu_u64_to_ptr(task->src);
	params->argsSize = task->length;
	params->numBlocks = CORE_BLOCK_COUNT(task->arg1);
}

static void fill(const struct vnpu_task_view *view, aclmdlRITaskParams *params)
{
	const struct vnpu_captured *info = &view->info;
	const struct vnpu_task *task = &view->task;

	params->type = vnpu_model_task_type(view);
	switch (params->type) {
	case ACL_MODEL_RI_TASK_KERNEL:
		fill_kernel(task, &params->kernelTaskParams);
		break;
	case ACL_MODEL_RI_TASK_EVENT_RECORD:
		params->eventRecordTaskParams.event =
			vnpu_u64_to_ptr(info->event);
		params->eventRecordTaskParams.eventFlag = info->event_flags;
		params->eventRecordTaskParams.recordFlag = info->flags;
		break;
	case ACL_MODEL_RI_TASK_EVENT_WAIT:
		params->eventWaitTaskParams.event =
			vnpu_u64_to_ptr(info->event);
		params->eventWaitTaskParams.eventFlag = info->event_flags;
		params->eventWaitTaskParams.waitFlag = info->flags;
		break;
	case ACL_MODEL_RI_TASK_EVENT_RESET:
		params->eventResetTaskParams.event =
			vnpu_u64_to_ptr(info->event);
		params->eventResetTaskParams.eventFlag = info->event_flags;
		break;
	case ACL_MODEL_RI_TASK_VALUE_WRITE:
		params->valueWriteTaskParams.devAddr =
			vnpu_u64_to_ptr(task->dst);
		params->valueWriteTaskParams.value = task->arg0;
		break;
	case ACL_MODEL_RI_TASK_VALUE_WAIT:
		params->valueWaitTaskParams.devAddr =
			vnpu_u64_to_ptr(task->src);
		params->valueWaitTaskParams.value = task->arg0;
		params->valueWaitTaskParams.flag = task->mode;
		break;
	default:
		break;
	}
}

aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
	VNPU_CALL();
	const struct vnpu_group *group;
	struct vnpu_model_task found;
	struct vnpu_task_view view;
	aclError ret;

	if (!params)
		return vnpu_error_null("params");
	ret = vnpu_model_task_get(task, &found);
	if (ret)
		return ret;
	pthread_mutex_lock(&found.model->lock);
	view = vnpu_model_task_view_locked(&found);
	pthread_mutex_unlock(&found.model->lock);
	group = vnpu_model_task_group(&found);
	*params = (aclmdlRITaskParams){
		.taskGrp = group ? vnpu_u64_to_ptr(group->handle) : NULL,
	};
	fill(&view, params);
	vnpu_model_task_put(&found);
	return ACL_SUCCESS;
}

static uint16_t seconds(uint32_t ms)
{
	uint32_t whole = ms / 1000 + (ms % 1000 != 0);

	return ms == UINT32_MAX ? NEVER_S :
	       whole < NEVER_S ? whole : NEVER_S - 1;
}

static aclrtTimeoutUs microseconds(uint32_t ms)
{
	uint64_t us = ms == UINT32_MAX ? UINT64_MAX : ms * 1000ULL;

	return (aclrtTimeoutUs){
		.timeoutLow = us & UINT32_MAX,
		.timeoutHigh = us >> 32,
	};
}

static aclError get_attribute(const struct vnpu_task *task,
			      aclrtLaunchKernelAttrId id,
			      aclrtLaunchKernelAttrValue *value)
{
	*value = (aclrtLaunchKernelAttrValue){ .rsv = { 0 } };
	switch (id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE:
		value->dynUBufSize = CORE_LOCAL_BYTES(task->arg2);
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT:
		value->timeout = seconds(task->timeout_ms);
		return ACL_SUCCESS;
	case ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US:
		value->timeoutUs = microseconds(task->timeout_ms);
		return ACL_SUCCESS;
	/* Launches ignore these attributes. */
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
		return ACL_SUCCESS;
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"attribute %d cannot be queried; use a value of aclrtLaunchKernelAttrId other than ENGINE_TYPE, BLOCKDIM_OFFSET and BLOCK_TASK_PREFETCH",
			id);
	}
}

aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task,
					aclrtLaunchKernelAttrId attrId,
					aclrtLaunchKernelAttrValue *attrValue)
{
	VNPU_CALL();
	aclrtLaunchKernelAttrValue value;
	struct vnpu_model_task found;
	struct vnpu_task_view view;
	aclError ret;

	if (!attrValue)
		return vnpu_error_null("attrValue");
	ret = vnpu_model_task_get(task, &found);
	if (ret)
		return ret;
	pthread_mutex_lock(&found.model->lock);
	view = vnpu_model_task_view_locked(&found);
	pthread_mutex_unlock(&found.model->lock);
	if (view.task.op == VNPU_TASK_LAUNCH)
		ret = get_attribute(&view.task, attrId, &value);
	else
		ret = vnpu_error(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
			"task %u is no launch; see aclmdlRITaskGetType",
			found.index);
	if (!ret)
		*attrValue = value;
	vnpu_model_task_put(&found);
	return ret;
}
