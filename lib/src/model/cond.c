// SPDX-License-Identifier: MIT
/* Conditions of models and their parts, see cond.h. */
#include <stdlib.h>

#include "base/error.h"
#include "cond.h"
#include "cond_internal.h"

aclError vnpu_cond_refuse_part(const struct vnpu_model *model)
{
	if (!model->parent)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		"model %u is a part of another model, which runs and ends it",
		model->number);
}

void vnpu_cond_put(struct vnpu_cond *cond)
{
	if (vnpu_handle_put(cond->handle))
		free(cond);
}

static aclError check_part(const struct vnpu_model *part)
{
	if (!part->capture || atomic_load(&part->is_ready))
		return ACL_SUCCESS;
	if (vnpu_capture_is_active(part->capture))
		return vnpu_error(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING,
			"model %u, a part of this one, is being captured; call aclmdlRICaptureEnd for it first",
			part->number);
	return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
		"the capture of model %u, a part of this one, has failed",
		part->number);
}

/* A part that was not captured does nothing. */
static void name_graph(const struct vnpu_branch *branch)
{
	struct vnpu_task *task = &branch->lane->tasks[branch->index];

	if (atomic_load(&branch->part->is_ready))
		task->src = vnpu_model_run_id(branch->part);
	else
		*task = (struct vnpu_task){ .op = VNPU_TASK_NOP };
}

aclError vnpu_cond_complete(struct vnpu_model *model)
{
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&model->lock);
	for (const struct vnpu_branch *branch = model->branches;
	     branch && !ret; branch = branch->next)
		ret = check_part(branch->part);
	for (const struct vnpu_branch *branch = model->branches;
	     branch && !ret; branch = branch->next) {
		name_graph(branch);
		model->has_launches |= branch->part->has_launches;
	}
	pthread_mutex_unlock(&model->lock);
	return ret;
}

/* Count the conditions that a run begins by assigning. */
static uint32_t count_assigned(const struct vnpu_model *model)
{
	uint32_t count = 0;

	for (const struct vnpu_cond *cond = model->conds; cond;
	     cond = cond->next)
		count += cond->assigns;
	return count;
}

static aclError wrap_locked(struct vnpu_model *model)
{
	uint32_t count = count_assigned(model), i = 0;
	struct vnpu_task *tasks;
	aclError ret;

	if (!count)
		return ACL_SUCCESS;
	tasks = calloc(count, sizeof(*tasks));
	if (!tasks)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a model");
	for (const struct vnpu_cond *cond = model->conds; cond;
	     cond = cond->next)
		if (cond->assigns)
			tasks[i++] = (struct vnpu_task){
				.op = VNPU_TASK_VALUE_WRITE,
				.mode = sizeof(uint64_t),
				.dst = cond->va,
				.arg0 = cond->first,
			};
	ret = vnpu_graph_wrap(model->context, tasks, count, model->graph,
			      &model->outer);
	free(tasks);
	return ret;
}

aclError vnpu_cond_wrap(struct vnpu_model *model)
{
	aclError ret;

	pthread_mutex_lock(&model->lock);
	ret = wrap_locked(model);
	pthread_mutex_unlock(&model->lock);
	return ret;
}

void vnpu_cond_remove_parts(struct vnpu_model *model)
{
	/*
	 * Wait for a thread that adds parts; no other can begin after the
	 * capture.
	 */
	pthread_mutex_lock(&model->lock);
	pthread_mutex_unlock(&model->lock);
	for (struct vnpu_branch *branch = model->branches; branch;
	     branch = branch->next)
		vnpu_model_remove(branch->part);
}

static void free_values(struct vnpu_model *model)
{
	struct vnpu_value *value;

	while ((value = model->values)) {
		model->values = value->next;
		vnpu_lib_block_free(&value->block);
		free(value);
	}
}

void vnpu_cond_free(struct vnpu_model *model)
{
	struct vnpu_branch *branch;
	struct vnpu_cond *cond;

	while ((branch = model->branches)) {
		model->branches = branch->next;
		vnpu_model_put(branch->part);
		free(branch);
	}
	while ((cond = model->conds)) {
		model->conds = cond->next;
		vnpu_handle_remove(VNPU_HANDLE_COND,
				   vnpu_u64_to_ptr(cond->handle));
		vnpu_cond_put(cond);
	}
	free_values(model);
}
