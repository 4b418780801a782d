// SPDX-License-Identifier: MIT
/*
 * Captures: their beginning and end, and the calls that they forbid; see
 * capture.h. capture_event.c has their events, and group.c their groups.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "io/io_graph.h"
#include "build.h"
#include "capture_internal.h"
#include "event.h"
#include "group.h"

_Atomic uint32_t vnpu_captures;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_capture *first;	/* protected by the lock */

/* See aclmdlRICaptureThreadExchangeMode(). */
static __thread aclmdlRICaptureMode thread_mode =
	ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

void vnpu_capture_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void vnpu_capture_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

struct vnpu_lane *vnpu_capture_lane(const struct vnpu_stream *stream)
{
	return atomic_load_explicit(&stream->queue.lane, memory_order_acquire);
}

struct vnpu_capture *vnpu_capture_find_locked(uint64_t model)
{
	struct vnpu_capture *capture = first;

	while (capture && (capture->model != model || capture->update))
		capture = capture->next;
	return capture;
}

struct vnpu_capture *vnpu_capture_find_update_locked(uint64_t model)
{
	struct vnpu_capture *capture = first;

	while (capture && (capture->model != model || !capture->update))
		capture = capture->next;
	return capture;
}

void vnpu_capture_invalidate(struct vnpu_capture *capture)
{
	atomic_store(&capture->status,
		     ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
}

/* Let the queue pass its tasks to a lane, or run them again. */
static void redirect(struct vnpu_stream *stream, struct vnpu_lane *lane)
{
	struct vnpu_queue *queue = &stream->queue;

	vnpu_lock(queue->lock);
	atomic_store(&queue->lane, lane);
	/* The next submission looks at the lane. */
	queue->room = 0;
	vnpu_unlock(queue->lock);
}

int vnpu_capture_join_locked(struct vnpu_capture *capture,
			     struct vnpu_stream *stream,
			     struct vnpu_lane **out)
{
	struct vnpu_lane **lanes, *lane;

	if (capture->nr_lanes == VNPU_IO_GRAPH_LANES)
		return -EAGAIN;
	lanes = reallocarray(capture->lanes, capture->nr_lanes + 1,
			     sizeof(struct vnpu_lane *));
	if (!lanes)
		return -ENOMEM;
	capture->lanes = lanes;
	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return -ENOMEM;
	lane->capture = capture;
	lane->index = capture->nr_lanes;
	lane->number = stream->number;
	lane->stream = stream;
	vnpu_stream_ref(stream);
	lanes[capture->nr_lanes++] = lane;
	redirect(stream, lane);
	*out = lane;
	return 0;
}

void vnpu_capture_list_locked(struct vnpu_capture *capture)
{
	capture->next = first;
	first = capture;
	atomic_fetch_add(&vnpu_captures, 1);
}

int vnpu_capture_attach_locked(struct vnpu_capture *capture,
			       struct vnpu_stream *stream)
{
	struct vnpu_lane *lane;

	if (vnpu_capture_join_locked(capture, stream, &lane))
		return -ENOMEM;
	vnpu_capture_list_locked(capture);
	return 0;
}

aclError vnpu_capture_refuse_locked(const struct vnpu_stream *stream)
{
	const struct vnpu_lane *lane = vnpu_capture_lane(stream);

	if (!lane)
		return ACL_SUCCESS;
	if (vnpu_lane_updates(lane))
		return vnpu_group_busy(stream);
	if (lane->capture->is_build)
		return vnpu_error(ACL_ERROR_RT_STREAM_MODEL,
			"stream %u is bound to a model; call aclmdlRIUnbindStream first",
			stream->number);
	return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURED,
		"stream %u is being captured; call aclmdlRICaptureEnd first",
		stream->number);
}

static aclError refuse_begin(const struct vnpu_stream *stream)
{
	if (stream == stream->context->default_stream)
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
			"the default stream of a context cannot be captured; create a stream");
	return vnpu_capture_refuse_locked(stream);
}

aclError vnpu_capture_begin(struct vnpu_stream *stream,
			    aclmdlRICaptureMode mode, uint64_t model,
			    struct vnpu_capture **out)
{
	struct vnpu_capture *capture = calloc(1, sizeof(*capture));
	aclError ret;

	if (!capture)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a capture");
	capture->model = model;
	capture->context = stream->context->handle;
	capture->mode = mode;
	capture->thread = gettid();
	atomic_init(&capture->status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);

	vnpu_capture_lock();
	ret = refuse_begin(stream);
	if (!ret && vnpu_capture_attach_locked(capture, stream))
		ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory for a capture");
	/* Another thread may end the capture as soon as the lock is free. */
	if (!ret)
		*out = capture;
	vnpu_capture_unlock();
	if (ret)
		vnpu_capture_free(capture);
	return ret;
}

void vnpu_capture_unlist_locked(struct vnpu_capture *capture)
{
	struct vnpu_capture **link = &first;

	while (*link != capture)
		link = &(*link)->next;
	*link = capture->next;
	atomic_fetch_sub(&vnpu_captures, 1);
}

void vnpu_capture_leave_locked(struct vnpu_lane *lane)
{
	redirect(lane->stream, NULL);
	lane->stream = NULL;
}

void vnpu_capture_detach_locked(struct vnpu_capture *capture)
{
	vnpu_capture_unlist_locked(capture);
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		redirect(capture->lanes[i]->stream, NULL);
}

void vnpu_capture_forget_streams(struct vnpu_capture *capture)
{
	for (uint32_t i = 0; i < capture->nr_lanes; i++) {
		vnpu_stream_put(capture->lanes[i]->stream);
		capture->lanes[i]->stream = NULL;
	}
}

/* Find a stream that no other stream waits for at its end. */
static const struct vnpu_lane *find_unjoined(const struct vnpu_capture *capture)
{
	for (uint32_t i = 1; i < capture->nr_lanes; i++)
		if (capture->lanes[i]->joined != capture->lanes[i]->count)
			return capture->lanes[i];
	return NULL;
}

/* Find a stream with a group that has not ended. */
static const struct vnpu_lane *find_open(const struct vnpu_capture *capture)
{
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		if (capture->lanes[i]->open)
			return capture->lanes[i];
	return NULL;
}

static bool is_empty(const struct vnpu_capture *capture)
{
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		if (capture->lanes[i]->count)
			return false;
	return true;
}

/* Check a capture that is over. */
static aclError check_end(const struct vnpu_capture *capture)
{
	const struct vnpu_lane *lane = find_unjoined(capture);
	const struct vnpu_lane *open = find_open(capture);

	if (capture->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
	    capture->thread != gettid())
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
			"thread %d began the capture and has to end it, unless the mode is ACL_MODEL_RI_CAPTURE_MODE_RELAXED",
			capture->thread);
	if (atomic_load(&capture->status) != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
			"a call failed while it was captured; see the errors of the calls since aclmdlRICaptureBegin");
	if (open)
		return vnpu_error(ACL_ERROR_STREAM_TASK_GROUP_STATUS,
			"a group of tasks of stream %u has not ended; call aclmdlRICaptureTaskGrpEnd first",
			open->number);
	if (is_empty(capture))
		return vnpu_error(ACL_ERROR_RT_STREAM_UNJOINED,
				  "no task was captured");
	if (lane)
		return vnpu_error(ACL_ERROR_RT_STREAM_UNJOINED,
			"stream %u joined the capture and does not end in a record that another stream of it waits for",
			lane->number);
	return ACL_SUCCESS;
}

/* Get the model of a capture that a stream may end, with a reference. */
static aclError get_model_locked(const struct vnpu_stream *stream,
				 const struct vnpu_lane *lane, void **model)
{
	if (!vnpu_lane_captures(lane))
		return vnpu_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			"stream %u is not being captured", stream->number);
	if (lane->index)
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
			"stream %u joined the capture; end it by stream %u, with which it began",
			stream->number, lane->capture->lanes[0]->number);
	*model = vnpu_handle_get(VNPU_HANDLE_MODEL,
				 vnpu_u64_to_ptr(lane->capture->model));
	if (*model)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			  "the context of stream %u ended during the call",
			  stream->number);
}

aclError vnpu_capture_end(struct vnpu_stream *stream, void **model)
{
	struct vnpu_capture *capture;
	struct vnpu_lane *lane;
	aclError ret;

	*model = NULL;
	vnpu_capture_lock();
	lane = vnpu_capture_lane(stream);
	ret = get_model_locked(stream, lane, model);
	if (ret) {
		vnpu_capture_unlock();
		return ret;
	}
	capture = lane->capture;
	vnpu_capture_detach_locked(capture);
	vnpu_capture_unlock();
	vnpu_capture_forget_streams(capture);
	return check_end(capture);
}

void vnpu_capture_abandon(struct vnpu_capture *capture)
{
	struct vnpu_capture *found;
	bool is_on;

	if (capture->is_build) {
		vnpu_build_abandon(capture);
		return;
	}
	vnpu_capture_lock();
	is_on = vnpu_capture_find_locked(capture->model) == capture;
	if (is_on)
		vnpu_capture_detach_locked(capture);
	vnpu_capture_unlock();
	if (is_on)
		vnpu_capture_forget_streams(capture);
	do {
		vnpu_capture_lock();
		found = vnpu_capture_find_update_locked(capture->model);
		if (found)
			vnpu_capture_detach_locked(found);
		vnpu_capture_unlock();
		if (found) {
			vnpu_capture_forget_streams(found);
			vnpu_capture_free(found);
		}
	} while (found);
}

void vnpu_capture_free(struct vnpu_capture *capture)
{
	struct vnpu_event_ref *ref;

	vnpu_group_free_all(capture->groups);
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		vnpu_lane_free(capture->lanes[i]);
	for (uint32_t i = 0; i < capture->nr_outside; i++)
		vnpu_event_put(capture->outside[i].event);
	while ((ref = capture->events)) {
		capture->events = ref->next;
		vnpu_event_put(ref->event);
		free(ref);
	}
	free(capture->outside);
	free(capture->lanes);
	free(capture);
}

aclmdlRICaptureStatus vnpu_capture_status(const struct vnpu_stream *stream,
					  uint64_t *model)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
	const struct vnpu_lane *lane;

	*model = 0;
	vnpu_capture_lock();
	lane = vnpu_capture_lane(stream);
	if (vnpu_lane_captures(lane))
		status = atomic_load(&lane->capture->status);
	if (status == ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		*model = lane->capture->model;
	vnpu_capture_unlock();
	return status;
}

aclmdlRICaptureMode vnpu_capture_exchange(aclmdlRICaptureMode mode)
{
	aclmdlRICaptureMode before = thread_mode;

	thread_mode = mode;
	return before;
}

/* Check whether a capture allows this thread calls that act at once. */
static bool allows(const struct vnpu_capture *capture)
{
	bool is_mine = capture->thread == gettid();

	switch (thread_mode) {
	case ACL_MODEL_RI_CAPTURE_MODE_RELAXED:
		return true;
	case ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL:
		return !is_mine ||
		       capture->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
	default:
		return capture->mode != ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
		       !(is_mine && capture->mode ==
				    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
	}
}

static bool is_allowed(void)
{
	struct vnpu_current current;
	bool ret = true;

	if (!vnpu_capture_is_on() || vnpu_context_current(&current))
		return true;
	vnpu_capture_lock();
	for (const struct vnpu_capture *capture = first; capture && ret;
	     capture = capture->next)
		ret = capture->context != current.context || capture->update ||
		      allows(capture);
	vnpu_capture_unlock();
	return ret;
}

aclError vnpu_capture_check_now(void)
{
	if (is_allowed())
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
		"streams of this context are being captured, in a mode that forbids this call; use an asynchronous call, or aclmdlRICaptureThreadExchangeMode");
}

aclError vnpu_capture_wait_now(struct vnpu_stream *stream)
{
	if (is_allowed() && !vnpu_build_is_bound(stream))
		return vnpu_stream_wait(stream, -1);
	return vnpu_error(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
		"the host would have to do this at once, which the mode of a capture in this context or the model of stream %u forbids; use memory of aclrtMallocHost",
		stream->number);
}

aclError vnpu_capture_refuse(const struct vnpu_stream *stream)
{
	aclError ret;

	if (!vnpu_capture_lane(stream))
		return ACL_SUCCESS;
	vnpu_capture_lock();
	ret = vnpu_capture_refuse_locked(stream);
	vnpu_capture_unlock();
	return ret;
}

aclError vnpu_capture_refuse_work(const struct vnpu_stream *stream,
				  const char *work)
{
	struct vnpu_lane *lane;
	bool is_in_group;

	if (!vnpu_capture_lane(stream))
		return ACL_SUCCESS;
	vnpu_capture_lock();
	lane = vnpu_capture_lane(stream);
	is_in_group = lane && (lane->open || vnpu_lane_updates(lane));
	if (lane)
		vnpu_capture_invalidate(lane->capture);
	vnpu_capture_unlock();
	if (is_in_group)
		return vnpu_stream_submit_error(-EPROTOTYPE, stream);
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			  "stream %u is being captured; %s cannot be captured",
			  stream->number, work);
}

aclError vnpu_capture_stream_get(aclrtStream handle, const char *work,
				 struct vnpu_stream **stream)
{
	aclError ret = vnpu_stream_get(handle, false, stream);

	if (ret)
		return ret;
	ret = vnpu_capture_refuse_work(*stream, work);
	if (ret)
		vnpu_stream_put(*stream);
	return ret;
}
