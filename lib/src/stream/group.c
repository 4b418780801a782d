// SPDX-License-Identifier: MIT
/* Groups of captured tasks, see group.h. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/handle.h"
#include "capture_internal.h"
#include "group.h"

aclError vnpu_group_get(aclrtTaskGrp handle, struct vnpu_group **group)
{
	*group = NULL;
	if (!handle)
		return vnpu_error_null("handle");
	*group = vnpu_handle_get(VNPU_HANDLE_TASK_GROUP, handle);
	if (*group)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"handle = %p is not a group of tasks, or its model was destroyed; pass one of aclmdlRICaptureTaskGrpEnd",
		handle);
}

void vnpu_group_put(struct vnpu_group *group)
{
	if (vnpu_handle_put(group->handle))
		free(group);
}

aclError vnpu_group_busy(const struct vnpu_stream *stream)
{
	return vnpu_error(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
		"stream %u updates a group of tasks; call aclmdlRICaptureTaskUpdateEnd first",
		stream->number);
}

static void set_open(struct vnpu_lane *lane, struct vnpu_group *group)
{
	struct vnpu_lock *lock = lane->stream->queue.lock;

	vnpu_lock(lock);
	if (group)
		group->first = lane->count;
	else
		lane->open->count = lane->count - lane->open->first;
	lane->open = group;
	vnpu_unlock(lock);
}

/* Get the lane of a captured stream, or report an error. */
static aclError get_lane_locked(const struct vnpu_stream *stream,
				struct vnpu_lane **lane)
{
	*lane = vnpu_capture_lane(stream);
	if (vnpu_lane_captures(*lane))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		"stream %u is not being captured; call aclmdlRICaptureBegin first",
		stream->number);
}

static bool is_active(const struct vnpu_lane *lane)
{
	return atomic_load(&lane->capture->status) ==
	       ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
}

static aclError begin_locked(const struct vnpu_stream *stream)
{
	struct vnpu_group *group;
	struct vnpu_lane *lane;
	aclError ret = get_lane_locked(stream, &lane);

	if (ret)
		return ret;
	if (!is_active(lane))
		return vnpu_stream_submit_error(-ECANCELED, stream);
	if (lane->open)
		return vnpu_error(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
			"stream %u is in a group of tasks already, and groups do not nest; call aclmdlRICaptureTaskGrpEnd first",
			stream->number);
	group = calloc(1, sizeof(*group));
	if (!group)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a group of tasks");
	group->model = lane->capture->model;
	group->lane = lane->index;
	group->next = lane->capture->groups;
	lane->capture->groups = group;
	set_open(lane, group);
	return ACL_SUCCESS;
}

aclError vnpu_group_begin(struct vnpu_stream *stream)
{
	aclError ret;

	vnpu_capture_lock();
	ret = begin_locked(stream);
	vnpu_capture_unlock();
	return ret;
}

static aclError end_locked(const struct vnpu_stream *stream, uint64_t *handle)
{
	struct vnpu_group *group;
	struct vnpu_lane *lane;
	aclError ret = get_lane_locked(stream, &lane);

	if (ret)
		return ret;
	group = lane->open;
	if (!group)
		return vnpu_error(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
			"stream %u is in no group of tasks; call aclmdlRICaptureTaskGrpBegin first",
			stream->number);
	set_open(lane, NULL);
	if (!is_active(lane))
		return vnpu_error(ACL_ERROR_STREAM_TASK_GROUP_INTR,
			"a call failed while the group of stream %u was captured; call aclmdlRICaptureEnd",
			stream->number);
	group->handle = vnpu_handle_add(VNPU_HANDLE_TASK_GROUP, group);
	if (!group->handle)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a group of tasks");
	*handle = group->handle;
	return ACL_SUCCESS;
}

aclError vnpu_group_end(struct vnpu_stream *stream, uint64_t *handle)
{
	aclError ret;

	vnpu_capture_lock();
	ret = end_locked(stream, handle);
	vnpu_capture_unlock();
	return ret;
}

void vnpu_group_free_all(struct vnpu_group *groups)
{
	struct vnpu_group *next;

	for (; groups; groups = next) {
		next = groups->next;
		if (groups->current)
			vnpu_capture_free(groups->current);
		groups->current = NULL;
		if (!groups->handle) {
			free(groups);
			continue;
		}
		vnpu_handle_remove(VNPU_HANDLE_TASK_GROUP,
				   vnpu_u64_to_ptr(groups->handle));
		vnpu_group_put(groups);
	}
}

aclError vnpu_update_begin(struct vnpu_stream *stream,
			   struct vnpu_group *group)
{
	struct vnpu_capture *update = calloc(1, sizeof(*update));
	aclError ret;

	if (!update)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory to update a group of tasks");
	update->model = group->model;
	update->context = stream->context->handle;
	update->update = group;
	atomic_init(&update->status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	vnpu_capture_lock();
	ret = vnpu_capture_refuse_locked(stream);
	if (!ret && vnpu_capture_attach_locked(update, stream))
		ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory to update a group of tasks");
	vnpu_capture_unlock();
	if (ret)
		vnpu_capture_free(update);
	return ret;
}

aclError vnpu_update_end(struct vnpu_stream *stream,
			 struct vnpu_capture **update, void **model)
{
	struct vnpu_lane *lane;

	*update = NULL;
	*model = NULL;
	vnpu_capture_lock();
	lane = vnpu_capture_lane(stream);
	if (vnpu_lane_updates(lane))
		*model = vnpu_handle_get(VNPU_HANDLE_MODEL,
				vnpu_u64_to_ptr(lane->capture->model));
	if (*model) {
		*update = lane->capture;
		vnpu_capture_detach_locked(*update);
	}
	vnpu_capture_unlock();
	if (!*model)
		return vnpu_error(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
			"stream %u updates no group of tasks, or its model was destroyed; call aclmdlRICaptureTaskUpdateBegin first",
			stream->number);
	vnpu_capture_forget_streams(*update);
	return ACL_SUCCESS;
}
