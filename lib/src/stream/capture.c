// SPDX-License-Identifier: MIT
/*
 * Captures: their beginning and end, and the calls that they forbid; see
 * capture.h. capture_event.c has their events.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "io/io_graph.h"
#include "capture_internal.h"
#include "event.h"

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

	while (capture && capture->model != model)
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

static aclError refuse_begin(const struct vnpu_stream *stream)
{
	if (stream == stream->context->default_stream)
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
			"the default stream of a context cannot be captured; create a stream");
	if (vnpu_capture_lane(stream))
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURED,
			"stream %u is being captured already",
			stream->number);
	return ACL_SUCCESS;
}

aclError vnpu_capture_begin(struct vnpu_stream *stream,
			    aclmdlRICaptureMode mode, uint64_t model,
			    struct vnpu_capture **out)
{
	struct vnpu_capture *capture = calloc(1, sizeof(*capture));
	struct vnpu_lane *lane;
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
	if (!ret && vnpu_capture_join_locked(capture, stream, &lane))
		ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
				 "no host memory for a capture");
	if (!ret) {
		capture->next = first;
		first = capture;
		atomic_fetch_add(&vnpu_captures, 1);
	}
	vnpu_capture_unlock();
	if (ret)
		vnpu_capture_free(capture);
	else
		*out = capture;
	return ret;
}

/* Remove a capture from the list, and let its streams run tasks again. */
static void detach_locked(struct vnpu_capture *capture)
{
	struct vnpu_capture **link = &first;

	while (*link != capture)
		link = &(*link)->next;
	*link = capture->next;
	atomic_fetch_sub(&vnpu_captures, 1);
	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		redirect(capture->lanes[i]->stream, NULL);
}

/* Drop the streams, without a lock. */
static void forget_streams(struct vnpu_capture *capture)
{
	for (uint32_t i = 0; i < capture->nr_lanes; i++) {
		vnpu_stream_put(capture->lanes[i]->stream);
		capture->lanes[i]->stream = NULL;
	}
}

/* Find a stream that does not end in a record that another one waits for. */
static const struct vnpu_lane *find_unjoined(const struct vnpu_capture *capture)
{
	for (uint32_t i = 1; i < capture->nr_lanes; i++)
		if (capture->lanes[i]->joined != capture->lanes[i]->count)
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

	if (capture->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
	    capture->thread != gettid())
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
			"thread %d began the capture and has to end it, unless the mode is ACL_MODEL_RI_CAPTURE_MODE_RELAXED",
			capture->thread);
	if (atomic_load(&capture->status) != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
			"a call failed while it was captured; see the errors of the calls since aclmdlRICaptureBegin");
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
	if (!lane)
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
	detach_locked(capture);
	vnpu_capture_unlock();
	forget_streams(capture);
	return check_end(capture);
}

bool vnpu_capture_abandon(struct vnpu_capture *capture)
{
	bool is_on;

	vnpu_capture_lock();
	is_on = vnpu_capture_find_locked(capture->model) == capture;
	if (is_on)
		detach_locked(capture);
	vnpu_capture_unlock();
	if (is_on)
		forget_streams(capture);
	return is_on;
}

void vnpu_capture_free(struct vnpu_capture *capture)
{
	struct vnpu_kept_event *kept;

	for (uint32_t i = 0; i < capture->nr_lanes; i++)
		vnpu_lane_free(capture->lanes[i]);
	for (uint32_t i = 0; i < capture->nr_outside; i++)
		vnpu_event_put(capture->outside[i].event);
	while ((kept = capture->events)) {
		capture->events = kept->next;
		vnpu_event_put(kept->event);
		free(kept);
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
	if (lane)
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
		ret = capture->context != current.context || allows(capture);
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
	if (is_allowed())
		return vnpu_stream_wait(stream, -1);
	return vnpu_error(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
		"the host would have to do this at once, which the mode of a capture in this context forbids; use memory of aclrtMallocHost");
}

aclError vnpu_capture_refuse(const struct vnpu_stream *stream)
{
	if (!vnpu_capture_lane(stream))
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURED,
		"stream %u is being captured; call aclmdlRICaptureEnd first",
		stream->number);
}

aclError vnpu_capture_refuse_work(const struct vnpu_stream *stream,
				  const char *work)
{
	struct vnpu_lane *lane;

	if (!vnpu_capture_lane(stream))
		return ACL_SUCCESS;
	vnpu_capture_lock();
	lane = vnpu_capture_lane(stream);
	if (lane)
		vnpu_capture_invalidate(lane->capture);
	vnpu_capture_unlock();
	return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			  "stream %u is being captured; %s cannot be captured",
			  stream->number, work);
}
