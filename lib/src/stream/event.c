// SPDX-License-Identifier: MIT
/*
 * Events: creation, destruction and numbers.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/error.h"
#include "base/gate.h"
#include "io/io.h"
#include "io/io_stream.h"
#include "mem/lack.h"
#include "runtime/device.h"
#include "event.h"
#include "event_ipc.h"

#define FLAGS_OLD	(ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | \
			 ACL_EVENT_TIME_LINE | ACL_EVENT_DEVICE_USE_ONLY | \
			 ACL_EVENT_EXTERNAL)
#define FLAGS_NEW	(ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | \
			 ACL_EVENT_TIME_LINE | ACL_EVENT_IPC)

/* These flags cannot be combined with others. */
#define FLAGS_ALONE	(ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | \
			 ACL_EVENT_IPC)

aclError vnpu_event_get(aclrtEvent handle, struct vnpu_event **event)
{
	struct vnpu_current current;
	aclError ret;

	*event = NULL;
	if (!handle)
		return vnpu_error_null("event");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	*event = vnpu_handle_get(VNPU_HANDLE_EVENT, handle);
	if (*event)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"event = %p is not an event, or was destroyed with its context or device; pass an existing one",
		handle);
}

/*
 * End an event, except for the parts that waiters for its latest record need.
 */
static void event_end(struct vnpu_event *event)
{
	if (event->timeline)
		vnpu_io_timeline_destroy(event->timeline);
	free(event);
}

void vnpu_event_end_left(struct vnpu_stream *stream)
{
	struct vnpu_event **link = &stream->left;
	struct vnpu_event *done = NULL, *event;

	vnpu_lock(&stream->left_lock);
	while ((event = *link)) {
		if (!vnpu_queue_is_done(&stream->queue, event->seq)) {
			link = &event->next;
			continue;
		}
		*link = event->next;
		event->next = done;
		done = event;
	}
	vnpu_unlock(&stream->left_lock);

	while ((event = done)) {
		done = event->next;
		event_end(event);
	}
}

/* The end of a timeline releases its waiters, which may have to wait longer. */
static void leave_to_stream(struct vnpu_event *event)
{
	struct vnpu_stream *stream = event->stream;

	vnpu_lock(&stream->left_lock);
	event->next = stream->left;
	stream->left = event;
	vnpu_unlock(&stream->left_lock);
	vnpu_event_end_left(stream);
	vnpu_stream_put(stream);
}

static void event_free(struct vnpu_event *event)
{
	if (event->reset)
		vnpu_stream_put(event->reset);
	for (unsigned int i = 0; i < event->nr_waits; i++)
		vnpu_stream_put(event->waits[i].stream);
	free(event->waits);
	if (event->has_number)
		vnpu_io_event_free(event->device, event->number);
	if (event->ipc)
		vnpu_event_ipc_free(event->ipc);
	if (event->counter)
		vnpu_io_timeline_destroy(event->counter);
	if (event->stamp)
		vnpu_stamp_put(event->stamp, event->stamp_va);
	pthread_mutex_destroy(&event->lock);
	pthread_mutex_destroy(&event->order);
	if (event->stream && event->timeline) {
		leave_to_stream(event);
		return;
	}
	if (event->stream)
		vnpu_stream_put(event->stream);
	event_end(event);
}

void vnpu_event_put(struct vnpu_event *event)
{
	if (vnpu_handle_put(event->handle))
		event_free(event);
}

/* Remove an event from the list of its context; the runtime lock is held. */
static void unlink_locked(struct vnpu_event *event)
{
	*event->link = event->next;
	if (event->next)
		event->next->link = event->link;
}

void vnpu_event_destroy_all(struct vnpu_context *context)
{
	struct vnpu_event *event;

	while ((event = context->events)) {
		unlink_locked(event);
		vnpu_handle_remove(VNPU_HANDLE_EVENT,
				   vnpu_u64_to_ptr(event->handle));
		vnpu_event_put(event);
	}
}

/*
 * Get the number, allocated on first use; -EAGAIN if none is left, or -errno.
 */
static int number_locked(struct vnpu_event *event)
{
	int ret = 0;

	if (!event->has_number)
		ret = vnpu_io_event_alloc(event->device, &event->number);
	/* A memory quota is a different error. */
	if (ret == -EDQUOT)
		ret = -EAGAIN;
	event->has_number = !ret;
	return ret;
}

static aclError resource_error(uint32_t device, int err)
{
	if (err == -EAGAIN)
		return vnpu_error(ACL_ERROR_RT_NO_EVENT_RESOURCE, "%s",
			vnpu_lack_text(device, vnpu_device_user_number(device),
				       VNPU_IO_LIMIT_EVENTS).words);
	return vnpu_error_errno(err, "creating an event");
}

/* Allocate the driver objects of an event; 0 or -errno. */
static int setup(struct vnpu_event *event)
{
	const uint32_t limited = ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL;
	uint32_t number;
	int ret = 0;

	if (event->flags & ACL_EVENT_TIME_LINE)
		ret = vnpu_stamp_get(&event->stamp, &event->stamp_va);
	if (!ret && !event->is_new && event->flags & limited)
		ret = number_locked(event);
	if (!ret && event->flags & ACL_EVENT_EXTERNAL)
		ret = vnpu_io_counter_create(event->device, 0, &event->counter,
					     &number);
	if (!ret && event->flags & ACL_EVENT_IPC && !event->ipc)
		ret = vnpu_event_ipc_create(&event->ipc);
	return ret;
}

/*
 * Make the event visible in the current context.  On success it belongs to that
 * context, and a reset may end it at any time.
 */
static aclError publish(struct vnpu_event *event, uint64_t *handle)
{
	struct vnpu_context *context;
	aclError ret = vnpu_context_lock(&context);

	if (ret)
		return ret;
	*handle = vnpu_handle_add(VNPU_HANDLE_EVENT, event);
	event->handle = *handle;
	if (*handle) {
		event->next = context->events;
		event->link = &context->events;
		if (event->next)
			event->next->link = &event->next;
		context->events = event;
	}
	vnpu_runtime_unlock();
	return *handle ? ACL_SUCCESS :
	       vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for an event");
}

/* Create an event with @ipc, which it owns even on failure, or NULL. */
static aclError create(aclrtEvent *out, uint32_t flags, bool is_new,
		       struct vnpu_event_ipc *ipc)
{
	struct vnpu_current current;
	struct vnpu_event *event = NULL;
	aclError ret = vnpu_context_current(&current);
	uint64_t handle;
	int err;

	vnpu_gate_pass();
	if (!ret) {
		event = calloc(1, sizeof(*event));
		if (!event)
			ret = vnpu_error(ACL_ERROR_BAD_ALLOC,
					 "no host memory for an event");
	}
	if (ret) {
		if (ipc)
			vnpu_event_ipc_free(ipc);
		return ret;
	}
	event->ipc = ipc;
	pthread_mutex_init(&event->order, NULL);
	pthread_mutex_init(&event->lock, NULL);
	event->flags = flags;
	event->is_new = is_new;
	event->device = current.device;
	err = setup(event);
	ret = err ? resource_error(current.device, err) :
		    publish(event, &handle);
	if (ret) {
		event_free(event);
		return ret;
	}
	*out = vnpu_u64_to_ptr(handle);
	return ACL_SUCCESS;
}

static aclError flag_check(uint32_t flag, uint32_t known)
{
	if (!flag || flag & ~known)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = 0x%x has unknown bits; use only ACL_EVENT_* bits that this call supports (0x%x)",
			flag, known);
	if (flag & FLAGS_ALONE && flag & (flag - 1))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"flag = 0x%x: ACL_EVENT_EXTERNAL, ACL_EVENT_DEVICE_USE_ONLY and ACL_EVENT_IPC cannot be combined with other bits",
			flag);
	return ACL_SUCCESS;
}

/* This event supports both times and waits. */
aclError aclrtCreateEvent(aclrtEvent *event)
{
	VNPU_CALL();

	if (!event)
		return vnpu_error_null("event");
	return create(event, ACL_EVENT_CAPTURE_STREAM_PROGRESS |
		      VNPU_EVENT_PLAIN | ACL_EVENT_TIME_LINE, false, NULL);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
	VNPU_CALL();
	aclError ret;

	if (!event)
		return vnpu_error_null("event");
	ret = flag_check(flag, FLAGS_OLD);
	return ret ? ret : create(event, flag, false, NULL);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
	VNPU_CALL();
	aclError ret;

	if (!event)
		return vnpu_error_null("event");
	ret = flag_check(flag, FLAGS_NEW);
	return ret ? ret : create(event, flag, true, NULL);
}

aclError vnpu_event_adopt(struct vnpu_event_ipc *ipc, aclrtEvent *event)
{
	return create(event, ACL_EVENT_IPC, true, ipc);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
	VNPU_CALL();
	struct vnpu_event *found;

	vnpu_gate_pass();
	if (!event)
		return vnpu_error_null("event");
	if (vnpu_is_forked())
		return vnpu_error_open(-EPERM);
	vnpu_runtime_lock();
	found = vnpu_handle_remove(VNPU_HANDLE_EVENT, event);
	if (found)
		unlink_locked(found);
	vnpu_runtime_unlock();
	if (!found)
		return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"event = %p is not an event, or was destroyed before",
			event);
	vnpu_event_put(found);
	return ACL_SUCCESS;
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId)
{
	VNPU_CALL();
	struct vnpu_event *found;
	uint32_t number, device;
	aclError ret;
	int err;

	if (!eventId)
		return vnpu_error_null("eventId");
	ret = vnpu_event_get(event, &found);
	if (ret)
		return ret;
	if (found->ipc) {
		vnpu_event_put(found);
		return vnpu_error(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
			"event = %p was created with ACL_EVENT_IPC and has no number",
			event);
	}
	pthread_mutex_lock(&found->lock);
	err = number_locked(found);
	number = found->number;
	device = found->device;
	pthread_mutex_unlock(&found->lock);
	vnpu_event_put(found);
	if (err)
		return resource_error(device, err);
	*eventId = number;
	return ACL_SUCCESS;
}

aclError aclrtGetEventAvailNum(uint32_t *eventCount)
{
	VNPU_CALL();
	struct vnpu_io_limits limits;
	aclError ret;

	if (!eventCount)
		return vnpu_error_null("eventCount");
	ret = vnpu_stream_limits(&limits);
	if (!ret)
		*eventCount = limits.events;
	return ret;
}
