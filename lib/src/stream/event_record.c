// SPDX-License-Identifier: MIT
/*
 * Events: records and resets.
 *
 * A record stores the last task of a stream.  For an event with a time line,
 * the record also submits a task that writes the time.
 */
#include "base/error.h"
#include "base/gate.h"
#include "capture.h"
#include "event.h"
#include "event_ipc.h"

static struct vnpu_task signal_task(uint64_t timeline, uint64_t value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_SIGNAL,
		.mode = VNPU_SIGNAL_ADVANCE,
		.dst = timeline,
		.arg0 = value,
	};
}

static struct vnpu_task counter_task(const struct vnpu_event *event,
				     uint64_t value)
{
	return (struct vnpu_task){
		.op = VNPU_TASK_SIGNAL,
		.mode = VNPU_SIGNAL_SET,
		.dst = event->counter,
		.arg0 = value,
	};
}

/* Store the record in the event; returns its timeline at this moment. */
static uint64_t remember(struct vnpu_event *event, struct vnpu_stream *stream,
			 uint64_t seq, uint64_t cookie)
{
	struct vnpu_stream *before, *reset;
	uint64_t timeline;

	vnpu_stream_ref(stream);
	pthread_mutex_lock(&event->lock);
	before = event->stream;
	reset = event->reset;
	event->stream = stream;
	event->seq = seq;
	event->cookie = cookie;
	event->captured.model = 0;
	event->reset = NULL;
	event->records++;
	timeline = event->timeline;
	pthread_mutex_unlock(&event->lock);
	if (before)
		vnpu_stream_put(before);
	if (reset)
		vnpu_stream_put(reset);
	return timeline;
}

/* Record an event; the order lock is held. */
static aclError record_in_order(struct vnpu_event *event,
				struct vnpu_stream *stream)
{
	uint64_t cookie = event->stamp ? vnpu_stamp_cookie() : 0;
	uint64_t seq = vnpu_queue_last(&stream->queue);
	uint64_t record = event->records + 1, timeline;
	struct vnpu_task tasks[3];
	unsigned int count = 0;
	aclError ret = ACL_SUCCESS;

	pthread_mutex_lock(&event->lock);
	timeline = event->timeline;
	pthread_mutex_unlock(&event->lock);

	if (event->stamp)
		tasks[count++] = (struct vnpu_task){
			.op = VNPU_TASK_TIMESTAMP,
			.dst = event->stamp_va,
			.arg0 = cookie,
		};
	if (timeline)
		tasks[count++] = signal_task(timeline, record);
	if (event->counter)
		tasks[count++] = counter_task(event, 1);
	if (count)
		ret = vnpu_stream_submit(stream, tasks, count, &seq);
	if (ret)
		return ret;

	/* A stream may have begun to wait for this record meanwhile. */
	if (remember(event, stream, seq, cookie) == timeline)
		return ACL_SUCCESS;
	tasks[0] = signal_task(event->timeline, record);
	return vnpu_stream_submit(stream, tasks, 1, NULL);
}

aclError vnpu_event_record(struct vnpu_event *event, struct vnpu_stream *stream)
{
	aclError ret;

	pthread_mutex_lock(&event->order);
	ret = event->ipc ? vnpu_event_ipc_record(event->ipc, stream) :
			   record_in_order(event, stream);
	pthread_mutex_unlock(&event->order);
	return ret;
}

/* Record an event in a stream that may be captured. */
static aclError record_in(struct vnpu_event *event, struct vnpu_stream *stream,
			  bool is_external)
{
	aclError ret;

	if (vnpu_capture_record(event, stream, is_external, &ret))
		return ret;
	if (is_external)
		return vnpu_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			"ACL_EVENT_RECORD_EXTERNAL is only valid for a stream that is being captured, which stream %u is not",
			stream->number);
	return vnpu_event_record(event, stream);
}

static aclError record(aclrtEvent handle, aclrtStream stream, bool is_external)
{
	struct vnpu_stream *found;
	struct vnpu_event *event;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_event_get(handle, &event);
	if (ret)
		return ret;
	if (event->flags & ACL_EVENT_DEVICE_USE_ONLY)
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event = %p was created with ACL_EVENT_DEVICE_USE_ONLY; the host cannot record it", handle);
	else
		ret = vnpu_stream_get(stream, false, &found);
	if (!ret) {
		ret = record_in(event, found, is_external);
		vnpu_stream_put(found);
	}
	vnpu_event_put(event);
	return ret;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
	VNPU_CALL();

	return record(event, stream, false);
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream,
				  uint32_t flag)
{
	VNPU_CALL();

	switch (flag) {
	case ACL_EVENT_RECORD_DEFAULT:
		return record(event, stream, false);
	case ACL_EVENT_RECORD_EXTERNAL:
		return record(event, stream, true);
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = 0x%x is not known; use ACL_EVENT_RECORD_DEFAULT",
			flag);
	}
}

/*
 * For later stream waits the reset counts from the call on, as records do; a
 * query sees it when the stream has reached it.
 */
static aclError reset(struct vnpu_event *event, struct vnpu_stream *stream)
{
	struct vnpu_stream *before;
	aclError ret;

	if (vnpu_capture_reset(event, stream, &ret))
		return ret;
	if (event->counter) {
		const struct vnpu_task task = counter_task(event, 0);

		ret = vnpu_stream_submit(stream, &task, 1, NULL);
		if (ret)
			return ret;
	}
	vnpu_stream_ref(stream);
	pthread_mutex_lock(&event->lock);
	before = event->reset;
	event->reset = stream;
	event->reset_seq = vnpu_queue_last(&stream->queue);
	pthread_mutex_unlock(&event->lock);
	if (before)
		vnpu_stream_put(before);
	return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	struct vnpu_event *ev;
	aclError ret = vnpu_event_get(event, &ev);

	if (ret)
		return ret;
	if (ev->is_new)
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event = %p cannot be reset; create it with aclrtCreateEvent or aclrtCreateEventWithFlag",
			event);
	else
		ret = vnpu_stream_get(stream, false, &found);
	if (!ret) {
		ret = reset(ev, found);
		vnpu_stream_put(found);
	}
	vnpu_event_put(ev);
	return ret;
}
