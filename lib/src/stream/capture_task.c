// SPDX-License-Identifier: MIT
/* Tasks that a model completes at the end of the capture. */
#include "base/error.h"
#include "base/fork.h"
#include "capture_internal.h"

static aclError get_locked(const struct vnpu_stream *stream,
			   struct vnpu_lane **lane)
{
	*lane = vnpu_capture_lane(stream);
	if (vnpu_lane_captures(*lane))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		"stream %u is not being captured; call aclmdlRICaptureBegin first",
		stream->number);
}

aclError vnpu_capture_model(const struct vnpu_stream *stream, uint64_t *model)
{
	struct vnpu_lane *lane;
	aclError ret;

	vnpu_capture_lock();
	ret = get_locked(stream, &lane);
	if (!ret)
		*model = lane->capture->model;
	vnpu_capture_unlock();
	return ret;
}

aclError vnpu_capture_add(const struct vnpu_stream *stream, uint64_t model,
			  const struct vnpu_task *tasks, unsigned int count,
			  struct vnpu_lane **lane, uint32_t *index)
{
	aclError ret;
	int err = 0;

	vnpu_capture_lock();
	ret = get_locked(stream, lane);
	if (!ret && (*lane)->capture->model != model)
		ret = vnpu_error(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
			"the capture of stream %u has ended meanwhile, and another one has begun",
			stream->number);
	if (!ret) {
		vnpu_lock(stream->queue.lock);
		*index = (*lane)->count;
		err = vnpu_lane_add(*lane, tasks, count, VNPU_CAPTURED_TASK);
		vnpu_unlock(stream->queue.lock);
	}
	vnpu_capture_unlock();
	return err ? vnpu_stream_submit_error(err, stream) : ret;
}

bool vnpu_capture_is_active(const struct vnpu_capture *capture)
{
	bool ret;

	vnpu_capture_lock();
	ret = vnpu_capture_find_locked(capture->model) == capture;
	vnpu_capture_unlock();
	return ret;
}
