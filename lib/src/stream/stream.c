// SPDX-License-Identifier: MIT
/*
 * Streams: creation, destruction and submission. stream_call.c has the calls,
 * stream_sync.c waits, stream_attr.c attributes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/child.h"
#include "base/error.h"
#include "base/gate.h"
#include "io/io.h"
#include "io/io_stream.h"
#include "mem/allocator.h"
#include "mem/lack.h"
#include "event.h"
#include "failure.h"
#include "order.h"
#include "queue_submit.h"
#include "reporter.h"
#include "stream.h"
#include "stream_share.h"
#include "upcalls.h"

#define PRIORITY_MAX	(VNPU_IO_PRIORITIES - 1)	/* the lowest */

_Atomic(vnpu_submit_fn *) vnpu_stream_recorder;

static inline vnpu_submit_fn *recorder(void)
{
	return atomic_load_explicit(&vnpu_stream_recorder,
				    memory_order_relaxed);
}

uint32_t vnpu_stream_priority(uint32_t priority)
{
	return priority < PRIORITY_MAX ? priority : PRIORITY_MAX;
}

aclError vnpu_stream_code(int err)
{
	switch (err) {
	case -EAGAIN:
	case -EDQUOT:
		return ACL_ERROR_RT_NO_STREAM_RESOURCE;
	case -ENOMEM:
		return ACL_ERROR_BAD_ALLOC;
	case -ENODEV:
		return ACL_ERROR_RT_NO_DEVICE;
	default:
		return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	}
}

aclError vnpu_stream_create_locked(struct vnpu_context *context,
				   uint32_t priority, uint32_t flags,
				   struct vnpu_stream **stream)
{
	struct vnpu_stream *new = calloc(1, sizeof(*new));
	struct vnpu_io_new_stream made;
	int err;

	if (!new)
		return ACL_ERROR_BAD_ALLOC;
	new->handle = vnpu_handle_add(VNPU_HANDLE_STREAM, new);
	if (!new->handle) {
		free(new);
		return ACL_ERROR_BAD_ALLOC;
	}
	new->context = context;
	new->priority = vnpu_stream_priority(priority);
	new->flags = flags;
	err = vnpu_io_stream_create(context->device, new->priority,
				    context->id, context->stops_on_failure,
				    &made);
	if (err) {
		vnpu_handle_remove_put(new->handle);
		free(new);
		return vnpu_stream_code(err);
	}

	new->number = made.number;
	vnpu_queue_init(&new->queue, &vnpu_slot_of(new->handle)->lock, &made,
			vnpu_failure_reuse);
	vnpu_handle_ref(context->handle);
	new->next = context->streams;
	context->streams = new;
	*stream = new;
	vnpu_failure_add_stream();
	return ACL_SUCCESS;
}

aclError vnpu_stream_create_error(uint32_t device, int32_t user_device,
				  aclError code)
{
	char what[48];

	switch (code) {
	case ACL_ERROR_RT_NO_STREAM_RESOURCE:
		return vnpu_error(code, "%s",
				  vnpu_lack_text(device, user_device,
						 VNPU_IO_LIMIT_STREAMS).words);
	case ACL_ERROR_BAD_ALLOC:
		return vnpu_error(code,
				  "no host memory for a stream or its context");
	case ACL_ERROR_RT_NO_DEVICE:
		snprintf(what, sizeof(what), "creating a stream of device %d",
			 user_device);
		return vnpu_error_errno(-ENODEV, what);
	default:
		return vnpu_error(code,
			"the driver cannot create a stream of device %d; see the kernel log",
			user_device);
	}
}

void vnpu_stream_put(struct vnpu_stream *stream)
{
	if (!vnpu_handle_put(stream->handle))
		return;
	vnpu_order_end(stream);
	vnpu_book_fini(&stream->book);
	vnpu_queue_fini(&stream->queue);
	/* A process that finds no key takes the tasks to be complete. */
	vnpu_stream_unshare(stream);
	vnpu_context_put_handle(stream->context);
	free(stream);
}

void vnpu_stream_ref(struct vnpu_stream *stream)
{
	vnpu_handle_ref(stream->handle);
}

void vnpu_stream_destroy(struct vnpu_stream *stream)
{
	struct vnpu_stream **link = &stream->context->streams;

	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	vnpu_handle_remove(VNPU_HANDLE_STREAM, vnpu_u64_to_ptr(stream->handle));
	vnpu_reporter_forget(stream->handle, false);
	vnpu_allocator_forget(stream->handle);
	vnpu_queue_close(&stream->queue);
	vnpu_failure_reuse(&stream->queue, 0);
	/*
	 * A thread that still submits has no reference, and does not wait any
	 * more; in a forked child that thread does not exist.
	 */
	if (!vnpu_is_forked()) {
		vnpu_slot_wait(vnpu_slot_of(stream->handle));
		vnpu_event_end_left(stream);
	}
	vnpu_stream_put(stream);
}

/* The slow path: set up a context, or report the error. */
static __attribute__((noinline)) aclError
find_stream(aclrtStream handle, bool any_context, struct vnpu_stream **stream)
{
	struct vnpu_current current;
	aclError ret;

	*stream = NULL;
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;
	*stream = vnpu_handle_get(VNPU_HANDLE_STREAM, handle ? handle :
				  vnpu_u64_to_ptr(current.default_stream));
	if (*stream && (any_context ||
			(*stream)->context->handle == current.context))
		return ACL_SUCCESS;
	if (*stream) {
		vnpu_stream_put(*stream);
		*stream = NULL;
		return vnpu_error(ACL_ERROR_RT_STREAM_CONTEXT,
			"stream = %p belongs to another context; call aclrtSetCurrentContext with the context it was created in",
			handle);
	}
	return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
		"stream = %p is not a stream, or was destroyed with its context or device; pass an existing one, or NULL",
		handle);
}

/*
 * Get a reference to a stream of the thread's context; NULL for the slow path.
 */
static inline struct vnpu_stream *get_mine(const struct vnpu_current *mine,
					   aclrtStream handle)
{
	struct vnpu_stream *stream;

	if (!mine || !handle)
		return NULL;
	stream = vnpu_handle_get(VNPU_HANDLE_STREAM, handle);
	if (!stream || stream->context->handle == mine->context)
		return stream;
	vnpu_stream_put(stream);
	return NULL;
}

aclError vnpu_stream_get(aclrtStream handle, bool any_context,
			 struct vnpu_stream **stream)
{
	*stream = get_mine(vnpu_context_mine(), handle);
	if (*stream)
		return ACL_SUCCESS;
	return find_stream(handle, any_context, stream);
}

aclError vnpu_stream_submit_error(int err, const struct vnpu_stream *stream)
{
	if (err == -ENOENT)
		return vnpu_error(ACL_ERROR_RT_INVALID_HANDLE,
			"stream %u was destroyed during the call", stream->number);
	if (err == -ECANCELED)
		return vnpu_error(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
			"stream %u is being captured or updates a group of tasks, and an earlier call of that has failed; call aclmdlRICaptureEnd or aclmdlRICaptureTaskUpdateEnd",
			stream->number);
	if (err == -EROFS)
		return vnpu_error(ACL_ERROR_RT_STREAM_MODEL,
			"stream %u is bound to a model and takes no tasks after aclmdlRIEndTask or aclmdlRIBuildEnd; call aclmdlRIUnbindStream first",
			stream->number);
	if (err == -ENOSPC)
		return vnpu_error(ACL_ERROR_RT_OVER_LIMIT,
			"stream %u is being captured, and a model can have no more tasks",
			stream->number);
	if (err == -EPROTOTYPE)
		return vnpu_error(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT,
			"stream %u is in a group of tasks that can be updated, which contains launches of kernels and operators alone; end the group first",
			stream->number);
	return vnpu_error_errno(err, "submitting a task");
}

/* Profiles record the run of a graph, not the capture of its tasks. */
static bool is_captured(const struct vnpu_stream *stream)
{
	return atomic_load_explicit(&stream->queue.lane, memory_order_relaxed);
}

static __attribute__((noinline)) aclError context_error(aclError failure)
{
	return vnpu_error(failure,
		"the streams of this context have stopped after a task failed; abort the stream of this task, or reset the device");
}

static inline aclError submit(struct vnpu_stream *stream,
			      const struct vnpu_task *tasks, unsigned int count,
			      uint64_t *last)
{
	aclError failure = atomic_load_explicit(&stream->context->failure,
						memory_order_relaxed);
	vnpu_submit_fn *record;
	int err;

	if (failure)
		return context_error(failure);
	record = recorder();
	if (__builtin_expect(record && !is_captured(stream), 0))
		err = record(stream, tasks, count, last);
	else
		err = vnpu_queue_submit(&stream->queue, tasks, count, last);
	return err ? vnpu_stream_submit_error(err, stream) : ACL_SUCCESS;
}

aclError vnpu_stream_submit(struct vnpu_stream *stream,
			    const struct vnpu_task *tasks, unsigned int count,
			    uint64_t *seq)
{
	uint64_t last;
	aclError ret = submit(stream, tasks, count, &last);

	if (ret)
		return ret;
	if (last)
		vnpu_context_note_task(last);
	if (seq)
		*seq = last;
	return ACL_SUCCESS;
}

/* Submit by the slow path, with a reference. */
static __attribute__((noinline)) aclError
submit_to(aclrtStream handle, const struct vnpu_task *task)
{
	struct vnpu_stream *stream;
	aclError ret = vnpu_stream_get(handle, false, &stream);

	if (ret)
		return ret;
	ret = vnpu_stream_submit(stream, task, 1, NULL);
	vnpu_stream_put(stream);
	return ret;
}

/*
 * Lock the stream for submit(); NULL for the slow path.  The streams of a
 * context are destroyed before the context, so the context of a live stream
 * exists.
 */
static inline struct vnpu_slot *enter_mine(const struct vnpu_current *mine,
					   aclrtStream handle)
{
	const struct vnpu_context *context;
	const struct vnpu_stream *stream;
	struct vnpu_slot *slot;

	/*
	 * A forked child has no context, and its locks are in an unknown state.
	 */
	if (!mine->context ||
	    __builtin_expect(!!recorder(), 0))
		return NULL;
	slot = vnpu_slot_enter(VNPU_HANDLE_STREAM, handle);
	if (!slot)
		return NULL;
	stream = slot->object;
	context = stream->context;
	if (context->handle == mine->context &&
	    !atomic_load_explicit(&context->failure, memory_order_relaxed))
		return slot;
	vnpu_slot_leave(slot);
	return NULL;
}

/*
 * Report an error, unless the task was stored; the lock was taken without a
 * reference to the stream.
 */
static __attribute__((noinline)) aclError
leave_without_number(struct vnpu_slot *slot, int err)
{
	struct vnpu_stream *stream = slot->object;
	aclError ret;

	if (err == VNPU_QUEUE_STORED) {
		vnpu_slot_leave(slot);
		return ACL_SUCCESS;
	}
	vnpu_stream_ref(stream);
	vnpu_slot_leave(slot);
	ret = vnpu_stream_submit_error(err, stream);
	vnpu_stream_put(stream);
	return ret;
}

/* Most tasks use this function, so each step counts. */
aclError vnpu_stream_submit_to(aclrtStream handle, const struct vnpu_task *task)
{
	struct vnpu_current *mine = vnpu_context_last();
	struct vnpu_queue *queue;
	struct vnpu_slot *slot;
	int err;

	vnpu_gate_pass();
	slot = enter_mine(mine, handle);
	if (!slot)
		return submit_to(handle, task);
	queue = &((struct vnpu_stream *)slot->object)->queue;
	err = vnpu_queue_submit_locked(queue, task, 1);
	if (err)
		return leave_without_number(slot, err);
	mine->last_task = vnpu_queue_last(queue);
	vnpu_slot_leave(slot);
	return ACL_SUCCESS;
}
