// SPDX-License-Identifier: MIT
/* Streams that are bound to models, see build.h. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"
#include "build.h"
#include "capture_internal.h"
#include "collective.h"

static aclError not_bound(const struct vnpu_stream *stream)
{
	return vnpu_error(ACL_ERROR_RT_STREAM_MODEL,
		"stream %u is not bound to a model, or to another one; call aclmdlRIBindStream first",
		stream->number);
}

/* Get the lane of a bound stream; @capture may be NULL for any. */
static aclError get_lane_locked(const struct vnpu_capture *capture,
				const struct vnpu_stream *stream,
				struct vnpu_lane **lane)
{
	*lane = vnpu_capture_lane(stream);
	if (*lane && (*lane)->capture->is_build &&
	    (!capture || (*lane)->capture == capture))
		return ACL_SUCCESS;
	return not_bound(stream);
}

aclError vnpu_build_begin(const struct vnpu_context *context, uint64_t model,
			  struct vnpu_capture **out)
{
	struct vnpu_capture *capture = calloc(1, sizeof(*capture));

	if (!capture)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a model");
	capture->model = model;
	capture->context = context->handle;
	capture->is_build = true;
	/* A build forbids no calls of other streams. */
	capture->mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
	atomic_init(&capture->status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
	vnpu_capture_lock();
	vnpu_capture_list_locked(capture);
	*out = capture;
	vnpu_capture_unlock();
	return ACL_SUCCESS;
}

/* Refuse a stream that stores its tasks already. */
static aclError refuse_bind(const struct vnpu_capture *capture,
			    const struct vnpu_stream *stream)
{
	const struct vnpu_lane *lane = vnpu_capture_lane(stream);

	if (capture->is_over || capture->is_ending)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the building of the model has ended");
	if (!lane)
		return ACL_SUCCESS;
	if (lane->capture->is_build)
		return vnpu_error(ACL_ERROR_RT_STREAM_MODEL,
			"stream %u is bound to a model already; call aclmdlRIUnbindStream first",
			stream->number);
	return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURED,
		"stream %u is being captured, or updates a group of tasks",
		stream->number);
}

static aclError bind_locked(struct vnpu_capture *capture,
			    struct vnpu_stream *stream, bool is_head)
{
	struct vnpu_lane *lane;
	aclError ret = refuse_bind(capture, stream);
	int err;

	if (ret)
		return ret;
	err = vnpu_capture_join_locked(capture, stream, &lane);
	if (err == -EAGAIN)
		return vnpu_error(ACL_ERROR_RT_OVER_LIMIT,
			"the model has as many streams as a model can have");
	if (err)
		return vnpu_error_errno(err, "binding a stream");
	lane->is_head = is_head;
	return ACL_SUCCESS;
}

aclError vnpu_build_bind(struct vnpu_capture *capture,
			 struct vnpu_stream *stream, bool is_head)
{
	aclError ret;

	vnpu_capture_lock();
	ret = bind_locked(capture, stream, is_head);
	vnpu_capture_unlock();
	return ret;
}

aclError vnpu_build_unbind(struct vnpu_capture *capture,
			   struct vnpu_stream *stream)
{
	struct vnpu_lane *lane;
	aclError ret;

	vnpu_capture_lock();
	ret = get_lane_locked(capture, stream, &lane);
	if (!ret)
		vnpu_capture_leave_locked(lane);
	vnpu_capture_unlock();
	if (!ret)
		vnpu_stream_put(stream);
	return ret;
}

aclError vnpu_build_model(const struct vnpu_stream *stream, uint64_t *model)
{
	struct vnpu_lane *lane;
	aclError ret;

	vnpu_capture_lock();
	ret = get_lane_locked(NULL, stream, &lane);
	if (!ret)
		*model = lane->capture->model;
	vnpu_capture_unlock();
	return ret;
}

aclError vnpu_build_lane(struct vnpu_capture *capture,
			 const struct vnpu_stream *stream, uint32_t *index)
{
	struct vnpu_lane *lane;
	aclError ret;

	vnpu_capture_lock();
	ret = get_lane_locked(capture, stream, &lane);
	if (!ret)
		*index = lane->index;
	vnpu_capture_unlock();
	return ret;
}

aclError vnpu_build_add(struct vnpu_capture *capture,
			const struct vnpu_stream *stream,
			const struct vnpu_task *task, uint32_t *lane,
			uint32_t *index)
{
	struct vnpu_lane *found;
	aclError ret;
	int err = 0;

	vnpu_capture_lock();
	ret = get_lane_locked(capture, stream, &found);
	if (!ret) {
		vnpu_lock(stream->queue.lock);
		*lane = found->index;
		*index = found->count;
		err = vnpu_lane_add(found, task, 1, VNPU_CAPTURED_TASK);
		vnpu_unlock(stream->queue.lock);
	}
	vnpu_capture_unlock();
	return err ? vnpu_stream_submit_error(err, stream) : ret;
}

/* Stop a lane from taking tasks, or let it take them again. */
static void lane_pause(struct vnpu_lane *lane, bool is_paused)
{
	struct vnpu_lock *lock;

	if (!lane->stream)
		return;
	lock = lane->stream->queue.lock;
	vnpu_lock(lock);
	lane->is_paused = is_paused;
	vnpu_unlock(lock);
}

aclError vnpu_build_close(struct vnpu_capture *capture,
			  const struct vnpu_stream *stream)
{
	struct vnpu_lane *lane;
	aclError ret;

	vnpu_capture_lock();
	ret = get_lane_locked(capture, stream, &lane);
	if (!ret && lane->is_paused)
		ret = vnpu_stream_submit_error(-EROFS, stream);
	if (!ret) {
		lane->is_closed = true;
		lane_pause(lane, true);
	}
	vnpu_capture_unlock();
	return ret;
}

aclError vnpu_build_pause(struct vnpu_capture *capture)
{
	aclError ret = ACL_SUCCESS;

	vnpu_capture_lock();
	if (capture->is_over)
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
				 "the building of the model has ended");
	for (uint32_t i = 0; !ret && i < capture->nr_lanes; i++)
		lane_pause(capture->lanes[i], true);
	capture->is_ending = true;
	vnpu_capture_unlock();
	return ret;
}

void vnpu_build_resume(struct vnpu_capture *capture)
{
	vnpu_capture_lock();
	capture->is_ending = false;
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		if (!capture->lanes[i]->is_closed)
			lane_pause(capture->lanes[i], false);
	vnpu_capture_unlock();
}

void vnpu_build_end(struct vnpu_capture *capture)
{
	vnpu_capture_lock();
	if (!capture->is_over) {
		capture->is_over = true;
		vnpu_capture_unlist_locked(capture);
	}
	vnpu_capture_unlock();
}

/* A thread that builds the model uses the streams, so the lock is held. */
void vnpu_build_abandon(struct vnpu_capture *capture)
{
	vnpu_build_end(capture);
	for (uint32_t i = 0; i < capture->nr_lanes; i++) {
		struct vnpu_stream *stream;

		vnpu_capture_lock();
		stream = capture->lanes[i]->stream;
		if (stream)
			vnpu_capture_leave_locked(capture->lanes[i]);
		vnpu_capture_unlock();
		if (stream)
			vnpu_stream_put(stream);
	}
}

bool vnpu_build_is_bound(const struct vnpu_stream *stream)
{
	const struct vnpu_lane *lane;
	bool ret;

	if (!vnpu_capture_lane(stream))
		return false;
	vnpu_capture_lock();
	lane = vnpu_capture_lane(stream);
	ret = lane && lane->capture->is_build;
	vnpu_capture_unlock();
	return ret;
}

bool vnpu_collective_is_bound(aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	bool ret;

	if (vnpu_stream_get(stream, false, &found))
		return false;
	ret = vnpu_build_is_bound(found);
	vnpu_stream_put(found);
	return ret;
}
