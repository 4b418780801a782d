// SPDX-License-Identifier: MIT
/* Streams and tasks of models. inspect_params.c has the parameters of tasks. */
#include <stdlib.h>

#include "base/error.h"
#include "stream/group.h"
#include "stream/model_stream.h"
#include "edit.h"
#include "inspect.h"

static aclError no_task(const void *handle)
{
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"task = %p is not a task of a model, or the model was destroyed; pass one of aclmdlRIGetTasksByStream",
		handle);
}

aclError vnpu_model_task_get(aclmdlRITask handle, struct vnpu_model_task *task)
{
	struct vnpu_model_stream *stream;
	aclError ret;

	if (!handle)
		return vnpu_error_null("task");
	stream = vnpu_model_stream_of_task(handle, &task->index);
	if (!stream)
		return no_task(handle);
	task->lane = stream->lane;
	ret = vnpu_model_get(vnpu_u64_to_ptr(stream->model), &task->model);
	vnpu_model_stream_put(stream);
	if (ret || task->index < task->model->capture->lanes[task->lane]->count)
		return ret;
	vnpu_model_put(task->model);
	return no_task(handle);
}

void vnpu_model_task_put(const struct vnpu_model_task *task)
{
	vnpu_model_put(task->model);
}

struct vnpu_task_view
vnpu_model_task_view_locked(const struct vnpu_model_task *task)
{
	const struct vnpu_lane *lane = task->model->capture->lanes[task->lane];
	const struct vnpu_edit *edit = vnpu_edit_find_locked(task->model,
							     task->lane,
							     task->index);

	return (struct vnpu_task_view){
		.task = edit ? edit->task : lane->tasks[task->index],
		.info = edit ? edit->info : lane->infos[task->index],
	};
}

aclmdlRITaskType vnpu_model_task_type(const struct vnpu_task_view *view)
{
	switch (view->info.kind) {
	case VNPU_CAPTURED_RECORD:
		return ACL_MODEL_RI_TASK_EVENT_RECORD;
	case VNPU_CAPTURED_WAIT:
		return ACL_MODEL_RI_TASK_EVENT_WAIT;
	case VNPU_CAPTURED_RESET:
		return ACL_MODEL_RI_TASK_EVENT_RESET;
	default:
		break;
	}
	switch (view->task.op) {
	case VNPU_TASK_LAUNCH:
		return ACL_MODEL_RI_TASK_KERNEL;
	case VNPU_TASK_VALUE_WRITE:
		return ACL_MODEL_RI_TASK_VALUE_WRITE;
	case VNPU_TASK_VALUE_WAIT:
		return ACL_MODEL_RI_TASK_VALUE_WAIT;
	default:
		return ACL_MODEL_RI_TASK_DEFAULT;
	}
}

const struct vnpu_group *
vnpu_model_task_group(const struct vnpu_model_task *task)
{
	const struct vnpu_group *group = task->model->capture->groups;

	while (group && (group->lane != task->lane ||
			 task->index - group->first >= group->count))
		group = group->next;
	return group;
}

/* Make the streams of a model. */
static aclError make_streams_locked(struct vnpu_model *model)
{
	const struct vnpu_capture *capture = model->capture;
	struct vnpu_model_stream **streams;
	uint32_t i = 0;

	if (model->streams)
		return ACL_SUCCESS;
	streams = calloc(capture->nr_lanes, sizeof(struct vnpu_model_stream *));
	for (; streams && i < capture->nr_lanes; i++) {
		streams[i] = vnpu_model_stream_create(model->handle, i,
						capture->lanes[i]->number);
		if (!streams[i])
			break;
	}
	model->streams = streams;
	if (streams && i == capture->nr_lanes)
		return ACL_SUCCESS;
	vnpu_model_end_streams(model);
	return vnpu_error(ACL_ERROR_BAD_ALLOC,
			  "no host memory for the streams of a model");
}

void vnpu_model_end_streams(struct vnpu_model *model)
{
	if (!model->streams)
		return;
	for (uint32_t i = 0; i < model->capture->nr_lanes; i++)
		if (model->streams[i])
			vnpu_model_stream_end(model->streams[i]);
	free(model->streams);
	model->streams = NULL;
}

static aclError too_short(const char *name, uint32_t room, uint32_t count)
{
	return vnpu_error(ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY,
		"%s = %u is less than %u; pass NULL for the array to get the number",
		name, room, count);
}

static aclError get_streams_locked(struct vnpu_model *model,
				   aclrtStream *streams, uint32_t *count)
{
	const uint32_t lanes = model->capture->nr_lanes;
	aclError ret = ACL_SUCCESS;

	if (streams && *count < lanes)
		return too_short("numStreams", *count, lanes);
	if (streams)
		ret = make_streams_locked(model);
	if (ret)
		return ret;
	for (uint32_t i = 0; streams && i < lanes; i++)
		streams[i] = vnpu_u64_to_ptr(model->streams[i]->handle);
	*count = lanes;
	return ACL_SUCCESS;
}

aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams,
			    uint32_t *numStreams)
{
	VNPU_CALL();
	struct vnpu_model *model;
	aclError ret;

	if (!numStreams)
		return vnpu_error_null("numStreams");
	ret = vnpu_model_get_ready(modelRI, &model);
	if (ret)
		return ret;
	pthread_mutex_lock(&model->lock);
	ret = get_streams_locked(model, streams, numStreams);
	pthread_mutex_unlock(&model->lock);
	vnpu_model_put(model);
	return ret;
}

/* Report why a handle is not a stream of a model. */
static aclError no_model_stream(aclrtStream stream)
{
	struct vnpu_stream *found;
	aclError ret = vnpu_stream_get(stream, false, &found);

	if (ret)
		return ret;
	ret = vnpu_error(ACL_ERROR_RT_STREAM_MODEL,
		"stream %u is not a stream of a model; pass one of aclmdlRIGetStreams",
		found->number);
	vnpu_stream_put(found);
	return ret;
}

static aclError get_tasks(const struct vnpu_model_stream *stream,
			  const struct vnpu_model *model, aclmdlRITask *tasks,
			  uint32_t *room)
{
	const uint32_t count = model->capture->lanes[stream->lane]->count;

	if (tasks && *room < count)
		return too_short("numTasks", *room, count);
	for (uint32_t i = 0; tasks && i < count; i++)
		tasks[i] = vnpu_u64_to_ptr(vnpu_model_stream_task(stream, i));
	*room = count;
	return ACL_SUCCESS;
}

aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks,
				  uint32_t *numTasks)
{
	VNPU_CALL();
	struct vnpu_model_stream *found;
	struct vnpu_model *model;
	aclError ret;

	if (!numTasks)
		return vnpu_error_null("numTasks");
	found = vnpu_model_stream_get(stream);
	if (!found)
		return no_model_stream(stream);
	ret = vnpu_model_get(vnpu_u64_to_ptr(found->model), &model);
	if (!ret) {
		ret = get_tasks(found, model, tasks, numTasks);
		vnpu_model_put(model);
	}
	vnpu_model_stream_put(found);
	return ret;
}

aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type)
{
	VNPU_CALL();
	struct vnpu_model_task found;
	struct vnpu_task_view view;
	aclError ret;

	if (!type)
		return vnpu_error_null("type");
	ret = vnpu_model_task_get(task, &found);
	if (ret)
		return ret;
	pthread_mutex_lock(&found.model->lock);
	view = vnpu_model_task_view_locked(&found);
	pthread_mutex_unlock(&found.model->lock);
	*type = vnpu_model_task_type(&view);
	vnpu_model_task_put(&found);
	return ACL_SUCCESS;
}

aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id)
{
	VNPU_CALL();
	struct vnpu_model_task found;
	aclError ret;

	if (!id)
		return vnpu_error_null("id");
	ret = vnpu_model_task_get(task, &found);
	if (ret)
		return ret;
	*id = found.index;
	vnpu_model_task_put(&found);
	return ACL_SUCCESS;
}
