// SPDX-License-Identifier: MIT
/*
 * Events: waits of streams.
 *
 * A stream waits for the record that the event has at the time of the call.  A
 * stream can wait for an event of the old family with ACL_EVENT_SYNC before it
 * is recorded.  From then on the event has a timeline, which counts its
 * records.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/gate.h"
#include "io/io.h"
#include "io/io_stream.h"
#include "capture.h"
#include "event.h"
#include "event_ipc.h"
#include "order.h"
#include "timeout.h"

/* Check whether a stream wait refers to an existing record. */
static bool has_record_locked(const struct vnpu_event *event)
{
	return event->stream && !event->reset;
}

/* Remove the waits that have ended; the event's lock is held. */
static void waits_prune(struct vnpu_event *event)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < event->nr_waits; i++) {
		struct vnpu_event_wait wait = event->waits[i];

		if (vnpu_queue_is_done(&wait.stream->queue, wait.seq))
			vnpu_stream_put(wait.stream);
		else
			event->waits[kept++] = wait;
	}
	event->nr_waits = kept;
}

/* Reserve room for one more wait; the event's lock is held. */
static int waits_reserve(struct vnpu_event *event)
{
	struct vnpu_event_wait *more;

	if (event->is_new)
		return 0;
	waits_prune(event);
	more = reallocarray(event->waits,
			    event->nr_waits + event->nr_coming + 1,
			    sizeof(*more));
	if (!more)
		return -ENOMEM;
	event->waits = more;
	event->nr_coming++;
	return 0;
}

/* Store a task that waits, if it was submitted. */
static void waits_add(struct vnpu_event *event, struct vnpu_stream *stream,
		      bool is_submitted, uint64_t seq)
{
	if (event->is_new)
		return;
	pthread_mutex_lock(&event->lock);
	event->nr_coming--;
	if (is_submitted) {
		vnpu_stream_ref(stream);
		event->waits[event->nr_waits++] = (struct vnpu_event_wait){
			.stream = stream,
			.seq = seq,
		};
	}
	pthread_mutex_unlock(&event->lock);
}

/* Make a task that waits for the next record; the event's lock is held. */
static int wait_for_next(struct vnpu_event *event, struct vnpu_task *task)
{
	int ret = 0;

	if (!event->timeline)
		ret = vnpu_io_timeline_create(event->records,
					      &event->timeline);
	task->src = event->timeline;
	task->arg0 = event->records + 1;
	return ret;
}

/* Check whether streams may wait for the event; its lock is held. */
static aclError check_locked(const struct vnpu_event *event)
{
	const uint32_t waitable = ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL;

	if (!(event->flags & (waitable | VNPU_EVENT_PLAIN)))
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"no stream can wait for this event; create it with ACL_EVENT_SYNC");
	if (!has_record_locked(event) && !event->is_new &&
	    !(event->flags & waitable))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"the event was never recorded, or was reset; record it before streams wait for it");
	return ACL_SUCCESS;
}

/*
 * Determine what @stream has to wait for.  Returns false if it need not wait;
 * the task then names the record that it follows, if any.  Returns true if it
 * has to wait, with room reserved to store the wait.
 */
static aclError wait_plan_locked(struct vnpu_event *event,
				 const struct vnpu_stream *stream,
				 struct vnpu_task *task, bool *waits)
{
	aclError ret = check_locked(event);
	int err;

	*waits = false;
	if (ret)
		return ret;
	if (has_record_locked(event)) {
		task->src = event->stream->queue.id;
		task->arg0 = event->seq;
	}
	if (has_record_locked(event) ?
	    event->stream == stream || vnpu_event_is_done_locked(event) :
	    event->is_new)
		return ACL_SUCCESS;

	if (has_record_locked(event)) {
		err = 0;
	} else {
		err = wait_for_next(event, task);
	}
	if (!err)
		err = waits_reserve(event);
	if (err)
		return vnpu_error_errno(err, "waiting for an event");
	*waits = true;
	return ACL_SUCCESS;
}

static aclError wait_submit(struct vnpu_event *event,
			    struct vnpu_stream *stream, uint32_t timeout_ms)
{
	struct vnpu_task task = {
		.op = VNPU_TASK_WAIT,
		.timeout_ms = timeout_ms,
	};
	uint64_t seq;
	aclError ret;
	bool waits;

	pthread_mutex_lock(&event->lock);
	ret = wait_plan_locked(event, stream, &task, &waits);
	pthread_mutex_unlock(&event->lock);
	if (!ret && waits) {
		ret = vnpu_stream_submit(stream, &task, 1, &seq);
		waits_add(event, stream, !ret, seq);
	}
	/*
	 * A complete record needs no wait, but is still a predecessor for
	 * profiles.
	 */
	if (!ret && task.src)
		vnpu_order_note(stream, task.src, task.arg0);
	return ret;
}

static aclError wait_submit_ipc(struct vnpu_event *event,
				struct vnpu_stream *stream, uint32_t timeout_ms)
{
	struct vnpu_io_point point;
	struct vnpu_task task = {
		.op = VNPU_TASK_WAIT,
		.timeout_ms = timeout_ms,
	};
	aclError ret = vnpu_event_ipc_latest(event->ipc, &point);

	if (ret || !point.id)
		return ret;
	task.src = point.id;
	task.arg0 = point.value;
	return vnpu_stream_submit(stream, &task, 1, NULL);
}

aclError vnpu_event_wait(struct vnpu_event *event, struct vnpu_stream *stream,
			 uint32_t timeout_ms)
{
	return event->ipc ? wait_submit_ipc(event, stream, timeout_ms) :
			    wait_submit(event, stream, timeout_ms);
}

static aclError stream_wait(aclrtStream stream, aclrtEvent handle,
			    uint32_t timeout_ms, bool is_external)
{
	struct vnpu_stream *found;
	struct vnpu_event *event;
	aclError ret;

	vnpu_gate_pass();
	ret = vnpu_event_get(handle, &event);
	if (ret)
		return ret;
	ret = vnpu_stream_get(stream, false, &found);
	if (!ret) {
		if (!vnpu_capture_wait(event, found, timeout_ms, is_external,
				       &ret))
			ret = vnpu_event_wait(event, found, timeout_ms);
		vnpu_stream_put(found);
	}
	vnpu_event_put(event);
	return ret;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
	VNPU_CALL();

	return stream_wait(stream, event, vnpu_timeout_wait(), false);
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
					 int32_t timeout)
{
	VNPU_CALL();

	if (timeout < 0)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"timeout = %d is invalid; use seconds, or 0 for no limit",
			timeout);
	return stream_wait(stream, event, vnpu_timeout_from_seconds(timeout),
			   false);
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event,
				      uint32_t timeout, uint32_t flag)
{
	VNPU_CALL();

	switch (flag) {
	case ACL_EVENT_WAIT_DEFAULT:
		return stream_wait(stream, event,
				   vnpu_timeout_from_seconds(timeout), false);
	case ACL_EVENT_WAIT_EXTERNAL:
		return stream_wait(stream, event,
				   vnpu_timeout_from_seconds(timeout), true);
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = 0x%x is not known; use ACL_EVENT_WAIT_DEFAULT",
			flag);
	}
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event,
				   aclrtEventWaitStatus *status)
{
	VNPU_CALL();
	struct vnpu_event *found;
	aclError ret;

	if (!status)
		return vnpu_error_null("status");
	ret = vnpu_event_get(event, &found);
	if (ret)
		return ret;
	if (found->is_new) {
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event = %p was created by aclrtCreateEventExWithFlag: waits for such events are not tracked",
			event);
	} else {
		pthread_mutex_lock(&found->lock);
		waits_prune(found);
		*status = found->nr_waits + found->nr_coming ?
			  ACL_EVENT_WAIT_STATUS_NOT_READY :
			  ACL_EVENT_WAIT_STATUS_COMPLETE;
		pthread_mutex_unlock(&found->lock);
	}
	vnpu_event_put(found);
	return ret;
}
