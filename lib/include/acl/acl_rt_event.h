/* SPDX-License-Identifier: MIT */
/*
 * Events.
 *
 * An event records the work that a stream has been given up to a point, and is
 * complete when that work is done.  There are two families of events, the old
 * one and that of aclrtCreateEventExWithFlag(), which differ before the first
 * record.  An event belongs to the context that was current when it was
 * created, and ends with this context at the latest.  Streams of any context
 * may record it and wait for it.
 */
#ifndef ACL_ACL_RT_EVENT_H
#define ACL_ACL_RT_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of an event. */
#define ACL_EVENT_SYNC				0x1U	/* for stream waits */
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS	0x2U	/* for host waits */
#define ACL_EVENT_TIME_LINE			0x8U	/* has timestamps */
#define ACL_EVENT_DEVICE_USE_ONLY		0x10U
#define ACL_EVENT_EXTERNAL			0x20U
#define ACL_EVENT_IPC				0x40U

/* Flags of a record and of a wait. */
#define ACL_EVENT_RECORD_DEFAULT	0x0U
#define ACL_EVENT_RECORD_EXTERNAL	0x1U
#define ACL_EVENT_WAIT_DEFAULT		0x0U
#define ACL_EVENT_WAIT_EXTERNAL		0x1U

/* Beware: "complete" is 0 here, ... */
typedef enum aclrtEventStatus {
	ACL_EVENT_STATUS_COMPLETE	= 0,
	ACL_EVENT_STATUS_NOT_READY	= 1,
	ACL_EVENT_STATUS_RESERVED	= 2
} aclrtEventStatus;

/* ... 1 here, ... */
typedef enum aclrtEventRecordedStatus {
	ACL_EVENT_RECORDED_STATUS_NOT_READY	= 0,
	ACL_EVENT_RECORDED_STATUS_COMPLETE	= 1
} aclrtEventRecordedStatus;

/* ... and 0 here. */
typedef enum aclrtEventWaitStatus {
	ACL_EVENT_WAIT_STATUS_COMPLETE	= 0,
	ACL_EVENT_WAIT_STATUS_NOT_READY	= 1,
	ACL_EVENT_WAIT_STATUS_RESERVED	= 0xFFFF
} aclrtEventWaitStatus;

/**
 * aclrtCreateEvent() - create an event of the old family, for times and waits
 * @event: set to the event
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);

/**
 * aclrtCreateEventWithFlag() - create an event of the old family
 * @event: set to the event
 * @flag: ACL_EVENT_* bits except ACL_EVENT_IPC; ACL_EVENT_EXTERNAL and
 *	ACL_EVENT_DEVICE_USE_ONLY cannot be combined with others
 *
 * An event with ACL_EVENT_SYNC or ACL_EVENT_EXTERNAL takes one of the 65536
 * events that a device has for all processes.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * other flags, ACL_ERROR_RT_NO_EVENT_RESOURCE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event,
	uint32_t flag);

/**
 * aclrtCreateEventExWithFlag() - create an event of the new family
 * @event: set to the event
 * @flag: a combination of ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS and
 *	ACL_EVENT_TIME_LINE; or ACL_EVENT_IPC alone
 *
 * Only memory limits the number of these events.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * other flags, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent *event,
	uint32_t flag);

/**
 * aclrtDestroyEvent() - destroy an event
 * @event: the event
 *
 * Does not wait.  Streams that wait for a record of the event keep waiting.
 * Needs no context.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE.
 */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/**
 * aclrtRecordEvent() - record the work that was submitted to a stream
 * @event: the event; the call replaces its earlier record
 * @stream: a stream of the current context, or NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @event,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for an event with ACL_EVENT_DEVICE_USE_ONLY,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL; the code of a task that stopped the context.
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event,
	aclrtStream stream);

/**
 * aclrtRecordEventWithFlag() - record an event, with a flag
 * @event: the event
 * @stream: a stream of the current context, or NULL
 * @flag: ACL_EVENT_RECORD_DEFAULT; or ACL_EVENT_RECORD_EXTERNAL, with which each
 *	run of the model that captures @stream records the event
 *
 * Errors: ACL_ERROR_RT_STREAM_NOT_CAPTURED for ACL_EVENT_RECORD_EXTERNAL if
 * @stream is not captured; ACL_ERROR_RT_PARAM_INVALID for another @flag; otherwise
 * as aclrtRecordEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event,
	aclrtStream stream, uint32_t flag);

/**
 * aclrtResetEvent() - discard the record of an event
 * @event: an event of the old family
 * @stream: a stream of the current context, or NULL
 *
 * A stream that waits for the event after this call waits for the next record,
 * if the event has ACL_EVENT_SYNC or ACL_EVENT_EXTERNAL; otherwise such a wait
 * fails until the event is recorded again.  A query sees the reset when @stream has done the work that it was
 * given before.
 *
 * Errors: ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another event, otherwise as
 * aclrtRecordEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event,
	aclrtStream stream);

/**
 * aclrtQueryEvent() - check whether an event is complete
 * @event: an event of the old family
 * @status: set to ACL_EVENT_STATUS_COMPLETE, also before the first record, or
 *	ACL_EVENT_STATUS_NOT_READY
 *
 * Deprecated: use aclrtQueryEventStatus().
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_FEATURE_NOT_SUPPORT
 * for an event of the new family, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event,
	aclrtEventStatus *status);

/**
 * aclrtQueryEventStatus() - check whether an event is complete
 * @event: the event
 * @status: set to ACL_EVENT_RECORDED_STATUS_COMPLETE or ..._NOT_READY; before
 *	the first record an event of the new family is complete, one of the old
 *	is not
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event,
	aclrtEventRecordedStatus *status);

/**
 * aclrtQueryEventWaitStatus() - check whether any stream still waits for an
 * event
 * @event: an event of the old family
 * @status: set to ACL_EVENT_WAIT_STATUS_COMPLETE or ..._NOT_READY
 *
 * Errors: as aclrtQueryEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event,
	aclrtEventWaitStatus *status);

/**
 * aclrtSynchronizeEvent() - wait for an event
 * @event: the event; if it was never recorded, the call does not wait
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL; ACL_ERROR_RT_STREAM_ABORT if the
 * stream of the record is aborted during the call, which is not detected for an
 * event of several processes; ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/**
 * aclrtSynchronizeEventWithTimeout() - wait for an event, with a time limit
 * @event: the event
 * @timeout: milliseconds, or -1 for no limit
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for 0 or below -1,
 * ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, and as aclrtSynchronizeEvent().
 */
ACL_FUNC_VISIBILITY aclError
aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/**
 * aclrtEventElapsedTime() - get the time from one event to another
 * @ms: set to milliseconds; negative if @endEvent completed first
 * @startEvent: an event with timestamps
 * @endEvent: another one
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_INTERNAL_ERROR for an
 * event that was never recorded, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID for one
 * that is not complete or was created without ACL_EVENT_TIME_LINE,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms,
	aclrtEvent startEvent, aclrtEvent endEvent);

/**
 * aclrtEventGetTimestamp() - get the time at which an event completed
 * @event: an event with timestamps
 * @timestamp: set to microseconds of CLOCK_MONOTONIC
 *
 * Errors: as aclrtEventElapsedTime().
 */
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event,
	uint64_t *timestamp);

/* Handle of an event for other processes: see aclrtIpcGetEventHandle(). */
#define ACL_IPC_EVENT_HANDLE_SIZE	64U

typedef struct aclrtIpcEventHandle {
	char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

/**
 * aclrtIpcGetEventHandle() - get a handle by which other processes open an
 * event
 * @event: an event of aclrtCreateEventExWithFlag() with ACL_EVENT_IPC
 * @handle: filled; each call gives the same handle
 *
 * Every process that has the handle may open the event while the event and its
 * process exist.  Each of these processes may record it, wait for it and query
 * it; a call uses the latest record of any process.  This event cannot be
 * reset, and has neither timestamps nor a number: such calls return
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 *
 * A record is complete when its stream has reached it, and, as with any event,
 * when the stream was aborted or destroyed before that.  A record also
 * completes when its process ends, for whatever reason.  A waiter that needs
 * the data of another process therefore has to check that this process is still
 * alive.  It makes no difference which other processes have opened the event.
 *
 * At most 126 living streams, of all processes together, may have recorded the
 * event: aclrtRecordEvent() returns ACL_ERROR_RT_NO_EVENT_RESOURCE for one more.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for
 * another event, or one that was opened; ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtIpcGetEventHandle(aclrtEvent event,
	aclrtIpcEventHandle *handle);

/**
 * aclrtIpcOpenEventHandle() - open an event of another process
 * @handle: a handle that aclrtIpcGetEventHandle() filled in the other process
 * @event: set to the event, to be destroyed by aclrtDestroyEvent()
 *
 * The event stays valid after the other process destroys its own or ends.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * invalid handle, or one of an event that no longer exists;
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError
aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event);

/**
 * aclrtGetEventId() - get the number of an event
 * @event: the event
 * @eventId: set to a number that no other event of the device has
 *
 * An event without a number takes one of the device's 65536.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_NO_EVENT_RESOURCE,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event,
	uint32_t *eventId);

/**
 * aclrtGetEventAvailNum() - count the events that the current device has left
 * @eventCount: set to the number
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t *eventCount);

/**
 * aclrtStreamWaitEvent() - let a stream wait for an event
 * @stream: a stream of the current context, or NULL
 * @event: an event of aclrtCreateEvent(), or one with ACL_EVENT_SYNC or
 *	ACL_EVENT_EXTERNAL
 *
 * The stream waits for the record that is the latest at the time of the call, for
 * at most the time of aclrtSetOpWaitTimeout().  Before the first record, or after a
 * reset, it waits for the next record if the event is of
 * aclrtCreateEventWithFlag(), and does not wait if it is of the new family.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @event,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for one without ACL_EVENT_SYNC,
 * ACL_ERROR_RT_PARAM_INVALID for one of aclrtCreateEvent() that was never
 * recorded, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream,
	aclrtEvent event);

/**
 * aclrtStreamWaitEventWithTimeout() - let a stream wait for an event, with a
 * limit
 * @stream: a stream of the current context, or NULL
 * @event: as for aclrtStreamWaitEvent()
 * @timeout: seconds, or 0 for no limit
 *
 * After this time the wait fails as a task does, with
 * ACL_ERROR_RT_TASK_TIMEOUT.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for a negative @timeout, and as
 * aclrtStreamWaitEvent().
 */
ACL_FUNC_VISIBILITY aclError
aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
	int32_t timeout);

/**
 * aclrtStreamWaitEventWithFlag() - let a stream wait for an event, with a flag
 * @stream: a stream of the current context, or NULL
 * @event: as for aclrtStreamWaitEvent()
 * @timeout: seconds, or 0 for no limit
 * @flag: ACL_EVENT_WAIT_DEFAULT; or ACL_EVENT_WAIT_EXTERNAL, with which each run of
 *	the model that captures @stream waits for the record that the event
 *	has when the run is submitted
 *
 * Errors: ACL_ERROR_RT_STREAM_NOT_CAPTURED for ACL_EVENT_WAIT_EXTERNAL if
 * @stream is not captured; ACL_ERROR_RT_PARAM_INVALID for another @flag; otherwise
 * as aclrtStreamWaitEvent().
 */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream,
	aclrtEvent event, uint32_t timeout, uint32_t flag);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_EVENT_H */
