// SPDX-License-Identifier: MIT
/*
 * Events of captures.
 *
 * A record in a captured stream becomes an empty task, and a wait for it a task
 * that waits for that one in the same run of the graph.  An event of the old
 * family with ACL_EVENT_EXTERNAL has a counter instead, which is 1 from a record
 * to a reset, inside and outside of graphs.  Other events with an external flag
 * belong to the launch: the launching stream waits for them before the graph,
 * and records them after it.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/fork.h"
#include "capture_internal.h"
#include "event.h"

/* Get the capture that has the latest record of an event, or NULL. */
static struct vnpu_capture *
capture_of_locked(struct vnpu_event *event, struct vnpu_event_point *point)
{
	pthread_mutex_lock(&event->lock);
	*point = event->captured;
	pthread_mutex_unlock(&event->lock);
	return point->model ? vnpu_capture_find_locked(point->model) : NULL;
}

aclError vnpu_capture_refuse_event(struct vnpu_event *event)
{
	struct vnpu_event_point point;
	bool is_captured;

	if (!vnpu_capture_is_on())
		return ACL_SUCCESS;
	vnpu_capture_lock();
	is_captured = capture_of_locked(event, &point);
	vnpu_capture_unlock();
	if (!is_captured)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_EVENT_CAPTURED,
		"the latest record of the event is being captured; call aclmdlRICaptureEnd first");
}

/* Add a task for an event, with the flags of its call, and get its index. */
static aclError add_at(struct vnpu_lane *lane, const struct vnpu_task *task,
		       enum vnpu_captured_kind kind,
		       const struct vnpu_event *event, uint32_t flags,
		       uint32_t *index)
{
	struct vnpu_captured *info;
	int err;

	vnpu_lock(lane->stream->queue.lock);
	*index = lane->count;
	err = vnpu_lane_add(lane, task, 1, kind);
	if (!err) {
		info = &lane->infos[*index];
		info->event = event->handle;
		info->event_flags = event->flags;
		info->flags = flags;
	}
	vnpu_unlock(lane->stream->queue.lock);
	return err ? vnpu_stream_submit_error(err, lane->stream) : ACL_SUCCESS;
}

static aclError add(struct vnpu_lane *lane, const struct vnpu_task *task,
		    enum vnpu_captured_kind kind,
		    const struct vnpu_event *event)
{
	uint32_t index;

	return add_at(lane, task, kind, event, 0, &index);
}

/* Note that the launches of the model wait for an event, or record it. */
static aclError add_outside(struct vnpu_lane *lane, struct vnpu_event *event,
			    bool is_record, uint32_t timeout_ms)
{
	const struct vnpu_task nop = { .op = VNPU_TASK_NOP };
	struct vnpu_capture *capture = lane->capture;
	struct vnpu_outside *more = reallocarray(capture->outside,
						 capture->nr_outside + 1,
						 sizeof(*more));
	uint32_t index;
	aclError ret;

	if (!more)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a capture");
	capture->outside = more;
	ret = add_at(lane, &nop, is_record ? VNPU_CAPTURED_RECORD :
					     VNPU_CAPTURED_WAIT, event,
		     is_record ? ACL_EVENT_RECORD_EXTERNAL :
				 ACL_EVENT_WAIT_EXTERNAL, &index);
	if (ret)
		return ret;
	vnpu_handle_ref(event->handle);
	more[capture->nr_outside++] = (struct vnpu_outside){
		.event = event,
		.is_record = is_record,
		.timeout_ms = timeout_ms,
		.lane = lane->index,
		.index = index,
	};
	return ACL_SUCCESS;
}

/*
 * Check whether a bound stream takes no more tasks.  It refuses calls for events as
 * it refuses others, and the model stays as it is.
 */
static bool is_closed(const struct vnpu_lane *lane)
{
	return lane->is_closed || lane->capture->is_ending ||
	       lane->capture->is_over;
}

/* Events cannot be in groups, nor in the updates of these. */
static aclError check_lane(const struct vnpu_lane *lane)
{
	return lane->open || vnpu_lane_updates(lane) ?
	       vnpu_stream_submit_error(-EPROTOTYPE, lane->stream) :
	       ACL_SUCCESS;
}

/* Check whether captures support an event at all. */
static aclError check_event(const struct vnpu_event *event)
{
	if (event->ipc)
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the event was created with ACL_EVENT_IPC and cannot be captured");
	if (!event->counter && !(event->is_new && event->flags & ACL_EVENT_SYNC))
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the event cannot be captured; create it with aclrtCreateEventExWithFlag and ACL_EVENT_SYNC, or with ACL_EVENT_EXTERNAL");
	return ACL_SUCCESS;
}

static aclError set_counter(struct vnpu_lane *lane,
			    const struct vnpu_event *event, uint64_t value,
			    enum vnpu_captured_kind kind)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_SIGNAL,
		.mode = VNPU_SIGNAL_SET,
		.dst = event->counter,
		.arg0 = value,
	};

	return add(lane, &task, kind, event);
}

static aclError record_inside(struct vnpu_lane *lane, struct vnpu_event *event)
{
	const struct vnpu_task nop = { .op = VNPU_TASK_NOP };
	uint32_t index;
	aclError ret = add_at(lane, &nop, VNPU_CAPTURED_RECORD, event,
			      ACL_EVENT_RECORD_DEFAULT, &index);

	if (ret)
		return ret;
	pthread_mutex_lock(&event->lock);
	event->captured = (struct vnpu_event_point){
		.model = lane->capture->model,
		.lane = lane->index,
		.index = index,
	};
	pthread_mutex_unlock(&event->lock);
	return ACL_SUCCESS;
}

/* Keep the objects of an event as long as the graph uses them. */
static aclError keep(struct vnpu_capture *capture, struct vnpu_event *event,
		     aclError ret)
{
	struct vnpu_event_ref *ref;

	if (ret)
		return ret;
	ref = malloc(sizeof(*ref));
	if (!ref)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a capture");
	vnpu_handle_ref(event->handle);
	ref->event = event;
	ref->next = capture->events;
	capture->events = ref;
	return ACL_SUCCESS;
}

static aclError record_locked(struct vnpu_lane *lane, struct vnpu_event *event,
			      bool is_external)
{
	aclError ret = check_lane(lane);

	if (!ret)
		ret = check_event(event);
	if (!ret && event->counter)
		ret = keep(lane->capture, event,
			   set_counter(lane, event, 1, VNPU_CAPTURED_RECORD));
	else if (!ret && is_external)
		ret = add_outside(lane, event, true, 0);
	else if (!ret)
		ret = record_inside(lane, event);
	if (ret)
		vnpu_capture_invalidate(lane->capture);
	return ret;
}

bool vnpu_capture_record(struct vnpu_event *event, struct vnpu_stream *stream,
			 bool is_external, aclError *ret)
{
	struct vnpu_lane *lane;

	if (!vnpu_capture_is_on())
		return false;
	vnpu_capture_lock();
	lane = vnpu_capture_lane(stream);
	if (lane && is_closed(lane))
		*ret = vnpu_stream_submit_error(-EROFS, stream);
	else if (lane)
		*ret = record_locked(lane, event, is_external);
	vnpu_capture_unlock();
	return lane;
}

static aclError reset_locked(struct vnpu_lane *lane, struct vnpu_event *event)
{
	aclError ret = check_lane(lane);

	if (!ret && event->counter)
		ret = keep(lane->capture, event,
			   set_counter(lane, event, 0, VNPU_CAPTURED_RESET));
	else if (!ret)
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"the reset of this event cannot be captured; create it with aclrtCreateEventWithFlag and ACL_EVENT_EXTERNAL");
	if (ret)
		vnpu_capture_invalidate(lane->capture);
	return ret;
}

bool vnpu_capture_reset(struct vnpu_event *event, struct vnpu_stream *stream,
			aclError *ret)
{
	struct vnpu_lane *lane;

	if (!vnpu_capture_is_on())
		return false;
	vnpu_capture_lock();
	lane = vnpu_capture_lane(stream);
	if (lane && is_closed(lane))
		*ret = vnpu_stream_submit_error(-EROFS, stream);
	else if (lane)
		*ret = reset_locked(lane, event);
	vnpu_capture_unlock();
	return lane;
}

static aclError wait_counter(struct vnpu_lane *lane, struct vnpu_event *event,
			     uint32_t timeout_ms)
{
	const struct vnpu_task task = {
		.op = VNPU_TASK_COUNTER_WAIT,
		.mode = VNPU_COND_EQ,
		.timeout_ms = timeout_ms,
		.src = event->counter,
		.arg0 = 1,
	};

	return keep(lane->capture, event,
		    add(lane, &task, VNPU_CAPTURED_WAIT, event));
}

/* Wait for a task of the same capture. */
static aclError wait_inside(struct vnpu_lane *lane,
			    const struct vnpu_event *event,
			    const struct vnpu_event_point *point,
			    uint32_t timeout_ms)
{
	struct vnpu_lane *from = lane->capture->lanes[point->lane];
	struct vnpu_task task = { .op = VNPU_TASK_NOP };
	aclError ret;

	if (from != lane)
		task = (struct vnpu_task){
			.op = VNPU_TASK_WAIT,
			.flags = VNPU_TASK_F_GRAPH,
			.timeout_ms = timeout_ms,
			.src = point->lane,
			.arg0 = point->index,
		};
	ret = add(lane, &task, VNPU_CAPTURED_WAIT, event);
	/* Streams may wait for older records after newer ones. */
	if (!ret && from != lane && from->joined <= point->index)
		from->joined = point->index + 1;
	return ret;
}

/* Let a stream join the capture of an event that it waits for. */
static aclError join(struct vnpu_capture *capture, struct vnpu_stream *stream,
		     struct vnpu_lane **lane)
{
	int err;

	if (stream == stream->context->default_stream)
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
			"the default stream of a context cannot join a capture, as it does by this wait");
	if (capture->is_build)
		return vnpu_error(ACL_ERROR_RT_STREAM_MODEL,
			"stream %u waits for a record of a stream that is bound to a model; call aclmdlRIBindStream first, or use an event of ACL_EVENT_EXTERNAL",
			stream->number);
	if (stream->context->handle != capture->context)
		return vnpu_error(ACL_ERROR_RT_STREAM_CONTEXT,
			"stream %u cannot join a capture of another context",
			stream->number);
	if (atomic_load(&capture->status) != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE)
		return vnpu_stream_submit_error(-ECANCELED, stream);
	err = vnpu_capture_join_locked(capture, stream, lane);
	if (err == -EAGAIN)
		return vnpu_error(ACL_ERROR_RT_OVER_LIMIT,
			"stream %u cannot join the capture, which has as many streams as a model can have",
			stream->number);
	return err ? vnpu_error_errno(err, "capturing a stream") : ACL_SUCCESS;
}

static aclError not_captured(const struct vnpu_stream *stream)
{
	return vnpu_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		"ACL_EVENT_WAIT_EXTERNAL is only valid for a stream that is being captured, which stream %u is not",
		stream->number);
}

/* Wait in a captured stream; @from has captured the latest record, or is NULL. */
static aclError wait_in_lane(struct vnpu_lane *lane, struct vnpu_event *event,
			     const struct vnpu_capture *from,
			     const struct vnpu_event_point *point,
			     uint32_t timeout_ms, bool is_external)
{
	aclError ret = check_lane(lane);

	if (!ret)
		ret = check_event(event);
	if (ret)
		return ret;
	if (event->counter)
		return wait_counter(lane, event, timeout_ms);
	if (is_external)
		return add_outside(lane, event, false, timeout_ms);
	if (!from)
		return vnpu_error(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
			"the event was not recorded in this capture; record it there, or use ACL_EVENT_WAIT_EXTERNAL");
	if (from != lane->capture)
		return vnpu_error(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
			"the event was recorded in another capture; captures cannot wait for each other");
	return wait_inside(lane, event, point, timeout_ms);
}

/* Wait in a stream with or without a lane; false if no capture is concerned. */
static bool wait_locked(struct vnpu_event *event, struct vnpu_stream *stream,
			uint32_t timeout_ms, bool is_external, aclError *ret)
{
	struct vnpu_lane *lane = vnpu_capture_lane(stream);
	struct vnpu_event_point point;
	struct vnpu_capture *from = capture_of_locked(event, &point);

	if (lane && is_closed(lane)) {
		*ret = vnpu_stream_submit_error(-EROFS, stream);
		return true;
	}
	if (!lane && is_external)
		*ret = not_captured(stream);
	else if (!lane && from)
		*ret = join(from, stream, &lane);
	if (!*ret && lane)
		*ret = wait_in_lane(lane, event, from, &point, timeout_ms,
				    is_external);
	if (*ret && lane)
		vnpu_capture_invalidate(lane->capture);
	else if (*ret && from)
		vnpu_capture_invalidate(from);
	return *ret || lane;
}

bool vnpu_capture_wait(struct vnpu_event *event, struct vnpu_stream *stream,
		       uint32_t timeout_ms, bool is_external, aclError *ret)
{
	bool is_concerned;

	*ret = ACL_SUCCESS;
	if (!vnpu_capture_is_on()) {
		if (is_external)
			*ret = not_captured(stream);
		return is_external;
	}
	vnpu_capture_lock();
	is_concerned = wait_locked(event, stream, timeout_ms, is_external, ret);
	vnpu_capture_unlock();
	return is_concerned;
}
