// SPDX-License-Identifier: MIT
/* Calls for conditions of models. */
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "stream/copy.h"
#include "cond_internal.h"

/* Maximum number of branches of a condition. */
#define BRANCHES	128U

static aclError no_memory(void)
{
	return vnpu_error(ACL_ERROR_BAD_ALLOC,
			  "no host memory for a condition");
}

/* Allocate 8 bytes of device memory for a model. */
static aclError value_make(struct vnpu_model *model, uint64_t first,
			   uint64_t *va)
{
	struct vnpu_value *value = calloc(1, sizeof(*value));
	int err;

	if (!value)
		return no_memory();
	err = vnpu_lib_block_alloc(model->context->device, sizeof(uint64_t),
				   &value->block);
	if (err) {
		free(value);
		return vnpu_error_errno(err,
					"allocating memory for a condition");
	}
	*va = vnpu_lib_block_va(&value->block);
	pthread_mutex_lock(&model->lock);
	value->next = model->values;
	model->values = value;
	pthread_mutex_unlock(&model->lock);
	return vnpu_copy(vnpu_u64_to_ptr(*va), &first, sizeof(first));
}

static aclError cond_make(struct vnpu_model *model, uint32_t first, bool assigns,
			  aclmdlRICondHandle *handle)
{
	struct vnpu_cond *cond = calloc(1, sizeof(*cond));
	aclError ret;

	if (!cond)
		return no_memory();
	cond->model = model->handle;
	cond->first = first;
	cond->assigns = assigns;
	ret = value_make(model, first, &cond->va);
	if (!ret) {
		cond->handle = vnpu_handle_add(VNPU_HANDLE_COND, cond);
		if (!cond->handle)
			ret = no_memory();
	}
	if (ret) {
		free(cond);
		return ret;
	}
	*handle = vnpu_u64_to_ptr(cond->handle);
	pthread_mutex_lock(&model->lock);
	cond->next = model->conds;
	model->conds = cond;
	pthread_mutex_unlock(&model->lock);
	return ACL_SUCCESS;
}

aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue,
				  aclmdlRICondHandleFlag flag,
				  aclmdlRICondHandle *handle)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret;

	vnpu_gate_pass();
	if (!handle)
		return vnpu_error_null("handle");
	if ((unsigned int)flag > ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = %d is not known; use 0 or ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT",
			flag);
	ret = vnpu_model_get(modelRI, &model);
	if (ret)
		return ret;
	if (atomic_load(&model->is_ready))
		ret = vnpu_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			"the capture of model %u is over; create its conditions before aclmdlRICaptureEnd",
			model->number);
	else
		ret = cond_make(model, defaultLaunchValue, flag, handle);
	vnpu_model_put(model);
	return ret;
}

static aclError cond_get(aclmdlRICondHandle handle, struct vnpu_cond **cond)
{
	struct vnpu_current current;
	aclError ret;

	if (!handle)
		return vnpu_error_null("handle");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	*cond = vnpu_handle_get(VNPU_HANDLE_COND, handle);
	if (*cond)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"handle = %p is not a condition, or ended with its model; pass one of aclmdlRICondHandleCreate",
		handle);
}

aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t **ptr)
{
	VNPU_CALL();
	struct vnpu_cond *cond;
	aclError ret;

	if (!ptr)
		return vnpu_error_null("ptr");
	ret = cond_get(handle, &cond);
	if (ret)
		return ret;
	*ptr = vnpu_u64_to_ptr(cond->va);
	vnpu_cond_put(cond);
	return ACL_SUCCESS;
}

static aclError check(const aclmdlRICondTaskParams *params, uint32_t flags)
{
	uint32_t most = BRANCHES;

	if (flags)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				  "flags = 0x%x is reserved; pass 0", flags);
	if (!params->modelRIArray)
		return vnpu_error_null("params.modelRIArray");
	switch (params->type) {
	case ACL_MODEL_RI_COND_TYPE_IF:
		most = 2;
		break;
	case ACL_MODEL_RI_COND_TYPE_WHILE:
		most = 1;
		break;
	case ACL_MODEL_RI_COND_TYPE_SWITCH:
		break;
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"params.type = %d is not known; use a value of aclmdlRICondTaskType",
			params->type);
	}
	if (params->size && params->size <= most)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"params.size = %u: a condition of type %d has 1 to %u branches",
		params->size, params->type, most);
}

/* Make the task of a branch, which reads the value at @va. */
static struct vnpu_task branch_task(aclmdlRICondTaskType type, uint32_t branch,
				    uint64_t va)
{
	struct vnpu_task task = { .op = VNPU_TASK_GRAPH, .dst = va };

	if (type == ACL_MODEL_RI_COND_TYPE_WHILE) {
		task.mode = VNPU_GRAPH_COND(VNPU_GRAPH_WHILE,
					    VNPU_COND_GREATER);
	} else if (type == ACL_MODEL_RI_COND_TYPE_SWITCH) {
		task.mode = VNPU_GRAPH_COND(VNPU_GRAPH_IF, VNPU_COND_EQ);
		task.arg1 = branch;
	} else {
		task.mode = VNPU_GRAPH_COND(VNPU_GRAPH_IF, branch ?
					    VNPU_COND_EQ : VNPU_COND_GREATER);
	}
	return task;
}

/* Get the handle of the model of which another one is a part, or 0. */
static uint64_t parent_of(uint64_t handle)
{
	struct vnpu_model *model = vnpu_handle_get(VNPU_HANDLE_MODEL,
						   vnpu_u64_to_ptr(handle));
	uint64_t parent;

	if (!model)
		return 0;
	parent = model->parent;
	vnpu_model_put(model);
	return parent;
}

/* Check that a condition belongs to a model, or to one of which it is a part. */
static aclError check_owner(const struct vnpu_cond *cond, uint64_t model)
{
	while (model && model != cond->model)
		model = parent_of(model);
	if (model)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"the condition belongs to another model than the one that is being captured; create it for that one");
}

/* End the parts of branches that were not given to a model. */
static void branches_drop(struct vnpu_branch *branches)
{
	struct vnpu_branch *next;

	for (; branches; branches = next) {
		next = branches->next;
		vnpu_model_remove(branches->part);
		vnpu_model_put(branches->part);
		free(branches);
	}
}

/* Make the parts of a model, the last one first. */
static aclError branches_make(const struct vnpu_model *model, uint32_t count,
			      struct vnpu_branch **branches)
{
	struct vnpu_branch *branch;
	aclError ret;

	*branches = NULL;
	for (uint32_t i = 0; i < count; i++) {
		branch = calloc(1, sizeof(*branch));
		ret = branch ? vnpu_model_create(model->context, &branch->part) :
			       no_memory();
		if (ret) {
			free(branch);
			branches_drop(*branches);
			return ret;
		}
		branch->part->parent = model->handle;
		branch->index = i;
		branch->next = *branches;
		*branches = branch;
	}
	return ACL_SUCCESS;
}

/* Give the branches to a model; its tasks from @first on run them. */
static void give_locked(struct vnpu_model *model, struct vnpu_branch *branches,
			struct vnpu_lane *lane, uint32_t first,
			aclmdlRI handles[])
{
	struct vnpu_branch *next;

	for (; branches; branches = next) {
		next = branches->next;
		handles[branches->index] =
			vnpu_u64_to_ptr(branches->part->handle);
		branches->lane = lane;
		branches->index += first;
		branches->next = model->branches;
		model->branches = branches;
	}
}

/*
 * Capture the tasks of a condition; the last @size of them run parts.  The lock
 * keeps the end of the capture from using the tasks before they have parts.
 */
static aclError add_branches(struct vnpu_model *model,
			     const struct vnpu_stream *stream,
			     const struct vnpu_task *tasks, uint32_t count,
			     const aclmdlRICondTaskParams *params)
{
	struct vnpu_branch *branches;
	struct vnpu_lane *lane;
	uint32_t index;
	aclError ret = branches_make(model, params->size, &branches);

	if (ret)
		return ret;
	pthread_mutex_lock(&model->lock);
	ret = vnpu_capture_add(stream, model->handle, tasks, count, &lane,
			       &index);
	if (!ret)
		give_locked(model, branches, lane,
			    index + count - params->size,
			    params->modelRIArray);
	pthread_mutex_unlock(&model->lock);
	if (ret)
		branches_drop(branches);
	return ret;
}

/*
 * Several branches test a copy of the value, because the first may change it.
 */
static aclError add_tasks(struct vnpu_model *model, struct vnpu_stream *stream,
			  const aclmdlRICondTaskParams *params, uint64_t va)
{
	struct vnpu_task tasks[1 + BRANCHES];
	uint64_t copy = va;
	uint32_t count = 0;
	aclError ret;

	if (params->size > 1) {
		ret = value_make(model, 0, &copy);
		if (ret)
			return ret;
		tasks[count++] = (struct vnpu_task){
			.op = VNPU_TASK_COPY,
			.dst = copy,
			.src = va,
			.length = sizeof(uint64_t),
		};
	}
	for (uint32_t i = 0; i < params->size; i++)
		tasks[count++] = branch_task(params->type, i, copy);
	return add_branches(model, stream, tasks, count, params);
}

static aclError add(struct vnpu_stream *stream,
		    const aclmdlRICondTaskParams *params, struct vnpu_cond *cond)
{
	struct vnpu_model *model;
	uint64_t handle;
	aclError ret = vnpu_capture_model(stream, &handle);

	if (!ret)
		ret = vnpu_model_get(vnpu_u64_to_ptr(handle), &model);
	if (ret)
		return ret;
	ret = check_owner(cond, handle);
	if (!ret)
		ret = add_tasks(model, stream, params, cond->va);
	vnpu_model_put(model);
	return ret;
}

aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream,
			     uint32_t flags)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	struct vnpu_cond *cond;
	aclError ret;

	vnpu_gate_pass();
	ret = check(&params, flags);
	if (!ret)
		ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = cond_get(params.handle, &cond);
	if (!ret) {
		ret = add(found, &params, cond);
		vnpu_cond_put(cond);
	}
	vnpu_stream_put(found);
	return ret;
}
