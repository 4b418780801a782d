// SPDX-License-Identifier: MIT
/*
 * Events: waits, queries and times.
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
#include "event.h"
#include "event_ipc.h"
#include "order.h"
#include "timeout.h"

/* Check whether it was recorded, and no stream has reached a reset since. */
static bool is_recorded_locked(const struct vnpu_event *event)
{
	return event->stream &&
	       !(event->reset &&
		 vnpu_queue_is_done(&event->reset->queue, event->reset_seq));
}

/* Check whether the latest record is complete. */
static bool is_done_locked(const struct vnpu_event *event)
{
	return !is_recorded_locked(event) ||
	       vnpu_queue_is_done(&event->stream->queue, event->seq);
}

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
	    event->stream == stream || is_done_locked(event) :
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

static aclError stream_wait(aclrtStream stream, aclrtEvent handle,
			    uint32_t timeout_ms)
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
		ret = event->ipc ?
		      wait_submit_ipc(event, found, timeout_ms) :
		      wait_submit(event, found, timeout_ms);
		vnpu_stream_put(found);
	}
	vnpu_event_put(event);
	return ret;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
	VNPU_CALL();

	return stream_wait(stream, event, vnpu_timeout_wait());
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
					 int32_t timeout)
{
	VNPU_CALL();

	if (timeout < 0)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"timeout = %d is invalid; use seconds, or 0 for no limit",
			timeout);
	return stream_wait(stream, event, vnpu_timeout_from_seconds(timeout));
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event,
				      uint32_t timeout, uint32_t flag)
{
	VNPU_CALL();

	switch (flag) {
	case ACL_EVENT_WAIT_DEFAULT:
		return stream_wait(stream, event,
				   vnpu_timeout_from_seconds(timeout));
	case ACL_EVENT_WAIT_EXTERNAL:
		return vnpu_error(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
			"flag = ACL_EVENT_WAIT_EXTERNAL is only valid for a stream that is being captured");
	default:
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = 0x%x is not known; use ACL_EVENT_WAIT_DEFAULT",
			flag);
	}
}

/* Wait for the latest record; 0 or -errno, -ECANCELED if it is aborted. */
static int synchronize_event(struct vnpu_event *event, int32_t timeout)
{
	struct vnpu_stream *stream;
	uint32_t aborts;
	uint64_t seq;
	int ret = 0;

	pthread_mutex_lock(&event->lock);
	stream = is_recorded_locked(event) ? event->stream : NULL;
	seq = event->seq;
	if (stream)
		vnpu_stream_ref(stream);
	pthread_mutex_unlock(&event->lock);
	if (stream) {
		aborts = atomic_load(&stream->aborts);
		ret = vnpu_queue_wait(&stream->queue, seq, timeout);
		if (!ret && atomic_load(&stream->aborts) != aborts)
			ret = -ECANCELED;
		vnpu_stream_put(stream);
	}
	return ret;
}

static int synchronize_point(const struct vnpu_io_point *point,
			     int32_t timeout)
{
	return point->id ? vnpu_io_wait(point, 1, false,
					vnpu_queue_deadline(timeout), NULL) : 0;
}

static aclError synchronize(aclrtEvent handle, int32_t timeout)
{
	struct vnpu_io_point point;
	struct vnpu_event *event;
	aclError ret = vnpu_event_get(handle, &event);
	int err = 0;

	if (ret)
		return ret;
	if (event->ipc)
		ret = vnpu_event_ipc_latest(event->ipc, &point);
	if (!ret)
		err = event->ipc ? synchronize_point(&point, timeout) :
				   synchronize_event(event, timeout);
	vnpu_event_put(event);
	if (ret)
		return ret;
	if (err == -ETIMEDOUT)
		return vnpu_error(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
			"event = %p was not reached within %d ms; it can be waited for again",
			handle, timeout);
	if (err == -ECANCELED)
		return vnpu_error(ACL_ERROR_RT_STREAM_ABORT,
			"event = %p: the stream that recorded it was aborted during the wait",
			handle);
	if (err)
		return vnpu_error_errno(err, "waiting for an event");
	vnpu_stream_note_waited();
	return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
	VNPU_CALL();

	return synchronize(event, -1);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
	VNPU_CALL();
	aclError ret = vnpu_timeout_check(timeout);

	return ret ? ret : synchronize(event, timeout);
}

static aclError query_ipc(struct vnpu_event_ipc *ipc, bool *is_done)
{
	struct vnpu_io_point point;
	uint64_t value = UINT64_MAX;
	aclError ret = vnpu_event_ipc_latest(ipc, &point);
	int err = 0;

	if (ret)
		return ret;
	if (point.id)
		err = vnpu_io_timeline_query(point.id, &value);
	*is_done = !point.id || value >= point.value;
	return err ? vnpu_error_errno(err, "querying an event") :
		     ACL_SUCCESS;
}

/* Check whether the event was recorded, and whether the record is complete. */
static aclError query(aclrtEvent handle, bool old_only, bool *is_new,
		      bool *is_recorded, bool *is_done)
{
	struct vnpu_event *event;
	aclError ret = vnpu_event_get(handle, &event);

	if (ret)
		return ret;
	*is_new = event->is_new;
	if (old_only && event->is_new) {
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event = %p was created by aclrtCreateEventExWithFlag; use aclrtQueryEventStatus",
			handle);
	} else if (event->ipc) {
		*is_recorded = true;
		ret = query_ipc(event->ipc, is_done);
	} else {
		pthread_mutex_lock(&event->lock);
		*is_recorded = is_recorded_locked(event);
		*is_done = is_done_locked(event);
		pthread_mutex_unlock(&event->lock);
	}
	vnpu_event_put(event);
	return ret;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
	VNPU_CALL();
	bool is_new, is_recorded, is_done;
	aclError ret;

	if (!status)
		return vnpu_error_null("status");
	ret = query(event, true, &is_new, &is_recorded, &is_done);
	if (!ret)
		*status = is_done ? ACL_EVENT_STATUS_COMPLETE :
				    ACL_EVENT_STATUS_NOT_READY;
	return ret;
}

aclError aclrtQueryEventStatus(aclrtEvent event,
			       aclrtEventRecordedStatus *status)
{
	VNPU_CALL();
	bool is_new, is_recorded, is_done;
	aclError ret;

	if (!status)
		return vnpu_error_null("status");
	ret = query(event, false, &is_new, &is_recorded, &is_done);
	if (!ret)
		*status = is_done && (is_new || is_recorded) ?
			  ACL_EVENT_RECORDED_STATUS_COMPLETE :
			  ACL_EVENT_RECORDED_STATUS_NOT_READY;
	return ret;
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
			"event = %p was created by aclrtCreateEventExWithFlag, whose waits are not tracked",
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

/* Get the time at which the event completed, in CLOCK_MONOTONIC. */
static aclError time_of(aclrtEvent handle, uint64_t *ns)
{
	struct vnpu_event *event;
	bool is_recorded, is_valid = false;
	aclError ret = vnpu_event_get(handle, &event);

	if (ret)
		return ret;
	if (event->ipc) {
		vnpu_event_put(event);
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event = %p was created with ACL_EVENT_IPC and has no timestamps",
			handle);
	}
	pthread_mutex_lock(&event->lock);
	is_recorded = is_recorded_locked(event);
	if (is_recorded && event->stamp) {
		is_valid = atomic_load_explicit(&event->stamp->cookie,
						memory_order_acquire) ==
			   event->cookie;
		*ns = atomic_load(&event->stamp->ns);
	}
	pthread_mutex_unlock(&event->lock);
	vnpu_event_put(event);
	if (!is_recorded)
		return vnpu_error(ACL_ERROR_RT_INTERNAL_ERROR,
			"event = %p was never recorded, or was reset; record it first",
			handle);
	if (!is_valid)
		return vnpu_error(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
			"event = %p has no timestamp: it was not reached yet, its stream was stopped before, or it was created without ACL_EVENT_TIME_LINE",
			handle);
	return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent,
			       aclrtEvent endEvent)
{
	VNPU_CALL();
	uint64_t start, end;
	aclError ret;

	if (!ms)
		return vnpu_error_null("ms");
	ret = time_of(startEvent, &start);
	if (!ret)
		ret = time_of(endEvent, &end);
	if (!ret)
		*ms = (double)(int64_t)(end - start) / 1e6;
	return ret;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
	VNPU_CALL();
	uint64_t ns;
	aclError ret;

	if (!timestamp)
		return vnpu_error_null("timestamp");
	ret = time_of(event, &ns);
	if (!ret)
		*timestamp = ns / 1000;
	return ret;
}
