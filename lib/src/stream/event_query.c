// SPDX-License-Identifier: MIT
/*
 * Events: waits of the host, queries and times.
 */
#include <errno.h>

#include "base/error.h"
#include "io/io.h"
#include "io/io_stream.h"
#include "capture.h"
#include "event.h"
#include "event_ipc.h"
#include "timeout.h"

/* Wait for the latest record; 0 or -errno, -ECANCELED if it is aborted. */
static int synchronize_event(struct vnpu_event *event, int32_t timeout)
{
	struct vnpu_stream *stream;
	uint32_t aborts;
	uint64_t seq;
	int ret = 0;

	pthread_mutex_lock(&event->lock);
	stream = vnpu_event_is_recorded_locked(event) ? event->stream : NULL;
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
	ret = vnpu_capture_refuse_event(event);
	if (!ret && event->ipc)
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
	ret = vnpu_capture_refuse_event(event);
	if (ret) {
		vnpu_event_put(event);
		return ret;
	}
	if (old_only && event->is_new) {
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event = %p was created by aclrtCreateEventExWithFlag; use aclrtQueryEventStatus",
			handle);
	} else if (event->ipc) {
		*is_recorded = true;
		ret = query_ipc(event->ipc, is_done);
	} else {
		pthread_mutex_lock(&event->lock);
		*is_recorded = vnpu_event_is_recorded_locked(event);
		*is_done = vnpu_event_is_done_locked(event);
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

/* Get the time at which the event completed, in CLOCK_MONOTONIC. */
static aclError time_of(aclrtEvent handle, uint64_t *ns)
{
	struct vnpu_event *event;
	bool is_recorded, is_valid = false;
	aclError ret = vnpu_event_get(handle, &event);

	if (ret)
		return ret;
	ret = vnpu_capture_refuse_event(event);
	if (!ret && event->ipc)
		ret = vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event = %p was created with ACL_EVENT_IPC and has no timestamps",
			handle);
	if (ret) {
		vnpu_event_put(event);
		return ret;
	}
	pthread_mutex_lock(&event->lock);
	is_recorded = vnpu_event_is_recorded_locked(event);
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
