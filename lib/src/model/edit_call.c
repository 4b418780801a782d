// SPDX-License-Identifier: MIT
/* Calls that replace and disable tasks of models, and update the models. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include <vnpu/kernel.h>

#include "core/protocol.h"

#include "base/error.h"
#include "base/gate.h"
#include "kernel/core.h"
#include "launch/launch.h"
#include "stream/reslimit.h"
#include "stream/value.h"
#include "cond.h"
#include "edit.h"
#include "inspect.h"

/* Time for which aclmdlRIUpdate() waits for runs. */
#define UPDATE_MS	10000

/* A replacement for a task. */
struct replacement {
	struct vnpu_task task;
	struct vnpu_launch_ref ref;
	const void *args;	/* of the host, to copy; else NULL */
	size_t args_size;
};

/* A launch keeps the attributes that the program does not set. */
static aclError configure(const struct vnpu_model *model,
			  const struct vnpu_task *before,
			  const struct aclmdlRIKernelTaskParams *params,
			  struct vnpu_launch *launch)
{
	aclError ret = ACL_SUCCESS;

	launch->blocks = params->numBlocks;
	if (before->op == VNPU_TASK_LAUNCH) {
		launch->first = CORE_BLOCK_FIRST(before->arg1);
		launch->local_bytes = CORE_LOCAL_BYTES(before->arg2);
		launch->limits = CORE_LIMITS_OF(before->arg2);
		launch->timeout_ms = before->timeout_ms;
		ret = vnpu_reslimit_check(launch->function->cores,
					  launch->limits);
	} else {
		ret = vnpu_reslimit_of_launch(NULL, model->context->user_device,
					      launch->function->cores,
					      &launch->limits);
	}
	if (!ret)
		ret = vnpu_launch_configure(params->cfg, launch);
	return ret ? ret : vnpu_launch_check_blocks(launch);
}

static aclError check_args(const struct aclmdlRIKernelTaskParams *params,
			   struct vnpu_launch *launch)
{
	aclError ret;

	if (params->isHostArgs > 1)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"isHostArgs = %u: pass 0 for device memory, or 1 for memory of the host",
			params->isHostArgs);
	ret = params->isHostArgs ?
	      vnpu_launch_check_host("args", params->args, params->argsSize) :
	      vnpu_launch_check_device("args", params->args, params->argsSize);
	launch->args_size = params->argsSize;
	return ret ? ret : vnpu_function_check_args(launch->function,
						    &launch->args_size);
}

static aclError replace_by_kernel(const struct vnpu_model *model,
				  const struct vnpu_task *before,
				  const struct aclmdlRIKernelTaskParams *params,
				  struct replacement *new)
{
	struct vnpu_launch launch = { .function = new->ref.function };
	aclError ret;

	if (launch.function->binary->image.is_foreign)
		return vnpu_binary_foreign(launch.function);
	ret = check_args(params, &launch);
	if (!ret)
		ret = configure(model, before, params, &launch);
	if (!ret)
		ret = vnpu_core_use(model->context->device,
				    launch.function->binary);
	if (ret)
		return ret;
	new->task = vnpu_launch_task(&launch, vnpu_ptr_to_u64(params->args));
	if (params->isHostArgs) {
		new->args = params->args;
		new->args_size = params->argsSize;
	}
	return ACL_SUCCESS;
}

/* Make the task that the program asks for; the caller drops its reference. */
static aclError make(const struct vnpu_model *model,
		     const struct vnpu_task *before,
		     const aclmdlRITaskParams *params, struct replacement *new)
{
	aclError ret;

	switch (params->type) {
	case ACL_MODEL_RI_TASK_KERNEL:
		ret = vnpu_function_get(params->kernelTaskParams.funcHandle,
					&new->ref.function);
		return ret ? ret : replace_by_kernel(model, before,
						     &params->kernelTaskParams,
						     new);
	case ACL_MODEL_RI_TASK_VALUE_WRITE:
		return vnpu_value_write_task(
				params->valueWriteTaskParams.devAddr,
				params->valueWriteTaskParams.value, &new->task);
	case ACL_MODEL_RI_TASK_VALUE_WAIT:
		return vnpu_value_wait_task(
				params->valueWaitTaskParams.devAddr,
				params->valueWaitTaskParams.value,
				params->valueWaitTaskParams.flag, &new->task);
	default:
		return vnpu_error(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
			"params->type = %d cannot be set; use ACL_MODEL_RI_TASK_KERNEL, ACL_MODEL_RI_TASK_VALUE_WRITE or ACL_MODEL_RI_TASK_VALUE_WAIT",
			params->type);
	}
}

/* Reserve a block of arguments in the model's book. */
static int reserve(struct vnpu_model *model, size_t size,
		   struct vnpu_piece *piece)
{
	uint64_t oldest;
	int ret = vnpu_book_reserve(&model->book, size, NULL, piece);

	if (ret != -EAGAIN)
		return ret;
	/*
	 * Edits have references to the blocks in use, so the book can drop all
	 * of its own.
	 */
	ret = vnpu_book_grow(&model->book, size, UINT64_MAX, &oldest);
	return ret ? ret : vnpu_book_reserve(&model->book, size, NULL, piece);
}

/* Copy arguments that are in host memory. */
static aclError copy_args_locked(struct vnpu_model *model,
				 struct replacement *new)
{
	size_t size = new->task.length;
	struct vnpu_piece piece;
	int err;

	if (!new->args || !size)
		return ACL_SUCCESS;
	err = reserve(model, size, &piece);
	if (err)
		return vnpu_error_errno(err, "allocating memory for arguments");
	memcpy(piece.host, new->args, new->args_size);
	memset(piece.host + new->args_size, 0, size - new->args_size);
	new->ref.chunk = vnpu_book_hold(&model->book, UINT64_MAX, piece.va);
	vnpu_book_submit(&model->book, &piece, 0);
	new->task.src = piece.va;
	return ACL_SUCCESS;
}

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC,
			  "no host memory to edit a model");
}

/* Move a replacement, with its references, into an edit. */
static aclError store_locked(const struct vnpu_model_task *to,
			     struct replacement *new)
{
	struct vnpu_edit *edit;
	aclError ret = copy_args_locked(to->model, new);

	if (ret)
		return ret;
	edit = vnpu_edit_make_locked(to->model, to->lane, to->index);
	if (!edit)
		return no_memory();
	vnpu_edit_take_ref(&new->ref, &edit->ref);
	edit->task = new->task;
	edit->ref = new->ref;
	edit->is_disabled = false;
	edit->info = (struct vnpu_captured){ .kind = VNPU_CAPTURED_TASK };
	strncpy(edit->info.call, vnpu_call_name, sizeof(edit->info.call) - 1);
	new->ref = (struct vnpu_launch_ref){ NULL, NULL };
	return ACL_SUCCESS;
}

static aclError set_locked(const struct vnpu_model_task *to,
			   const aclmdlRITaskParams *params)
{
	const struct vnpu_task_view view = vnpu_model_task_view_locked(to);
	struct replacement new = { .args = NULL };
	aclError ret;

	if (vnpu_model_task_group(to) &&
	    params->type != ACL_MODEL_RI_TASK_KERNEL)
		return vnpu_error(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
			"task %u is in a group, which has launches alone; pass ACL_MODEL_RI_TASK_KERNEL",
			to->index);
	ret = make(to->model, &view.task, params, &new);
	if (!ret)
		ret = store_locked(to, &new);
	vnpu_launch_ref_put(&new.ref);
	return ret;
}

/* Get a task of a model that is not a part of another model. */
static aclError get_to_edit(aclmdlRITask handle, struct vnpu_model_task *task)
{
	aclError ret = vnpu_model_task_get(handle, task);

	if (ret)
		return ret;
	ret = vnpu_cond_refuse_part(task->model);
	if (ret)
		vnpu_model_task_put(task);
	return ret;
}

aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams *params)
{
	VNPU_CALL();
	struct vnpu_model_task found;
	aclError ret;

	vnpu_gate_pass();
	if (!params)
		return vnpu_error_null("params");
	ret = get_to_edit(task, &found);
	if (ret)
		return ret;
	pthread_mutex_lock(&found.model->lock);
	ret = set_locked(&found, params);
	pthread_mutex_unlock(&found.model->lock);
	vnpu_model_task_put(&found);
	return ret;
}

aclError aclmdlRITaskDisable(aclmdlRITask task)
{
	VNPU_CALL();
	struct vnpu_model_task found;
	struct vnpu_edit *edit;
	aclError ret;

	vnpu_gate_pass();
	ret = get_to_edit(task, &found);
	if (ret)
		return ret;
	pthread_mutex_lock(&found.model->lock);
	edit = vnpu_edit_make_locked(found.model, found.lane, found.index);
	if (edit)
		edit->is_disabled = true;
	else
		ret = no_memory();
	pthread_mutex_unlock(&found.model->lock);
	vnpu_model_task_put(&found);
	return ret;
}

/* Apply the edits; false if the model runs. */
static bool try_update(struct vnpu_model *model, aclError *ret)
{
	bool is_running;

	pthread_mutex_lock(&model->lock);
	is_running = vnpu_model_is_running_locked(model);
	if (!is_running)
		*ret = vnpu_edit_apply_locked(model);
	pthread_mutex_unlock(&model->lock);
	return !is_running;
}

static aclError update(struct vnpu_model *model)
{
	int left = UPDATE_MS;
	aclError ret;

	while (!try_update(model, &ret)) {
		if (!left--)
			return vnpu_error(ACL_ERROR_RT_MODEL_RUNNING,
				"model %u still runs after %d ms; wait for the streams that run it, or abort them",
				model->number, UPDATE_MS);
		poll(NULL, 0, 1);
	}
	return ret;
}

aclError aclmdlRIUpdate(aclmdlRI modelRI)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_model_get_ready(modelRI, &model);
	if (ret)
		return ret;
	ret = vnpu_cond_refuse_part(model);
	if (!ret)
		ret = update(model);
	vnpu_model_put(model);
	return ret;
}
