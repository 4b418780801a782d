// SPDX-License-Identifier: MIT
/* Reports of launches that failed, see launch_report.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <vnpu/kernel.h>

#include "core/protocol.h"

#include "base/error.h"
#include "kernel/binary.h"
#include "kernel/core.h"
#include "launch_report.h"

_Static_assert(VNPU_LAUNCH_VECTOR == VNPU_CORE_VECTOR &&
	       VNPU_LAUNCH_CUBE == VNPU_CORE_CUBE, "kinds of cores");

/* Get the core's report of a task; false if there is none. */
static bool find(uint32_t device, uint64_t stream, uint64_t seq,
		 struct vnpu_exception *exception)
{
	/* The core sent it before the task was complete. */
	vnpu_core_receive(device);
	return vnpu_exception_find(stream, seq, exception);
}

/* Get the kinds of cores of the kernel: those of the task, if it is known. */
static uint32_t cores_of(const struct vnpu_task *task,
			 const struct vnpu_exception *exception)
{
	if (task && task->op == VNPU_TASK_LAUNCH)
		return task->mode;
	return exception ? exception->core : VNPU_CORE_VECTOR;
}

aclError vnpu_launch_code(uint32_t device, uint64_t stream, uint64_t seq,
			  uint32_t error, const struct vnpu_task *task)
{
	struct vnpu_exception exception, *found = NULL;

	if (find(device, stream, seq, &exception))
		found = &exception;
	return vnpu_exception_code(error, cores_of(task, found), found);
}

/* Compose the reason if the core has reported none. */
static void guess(uint32_t device, uint32_t error, const struct vnpu_task *task,
		  char *text, size_t size)
{
	struct vnpu_function *function = NULL;
	const struct vnpu_kernel_entry *entry;
	char end[96] = "";
	const char *what;
	int length;

	if (task && task->op == VNPU_TASK_LAUNCH)
		function = vnpu_function_find(task->arg0);
	if (function) {
		entry = vnpu_function_entry(function);
		length = snprintf(text, size, "kernel %.*s: ",
				  (int)entry->length, entry->symbol);
		vnpu_function_put(function);
	} else {
		length = snprintf(text, size, "%s: ",
				  task && task->op == VNPU_TASK_LAUNCH &&
				  task->arg0 == CORE_OPERATOR ?
					  "an operator" : "a kernel");
	}
	switch (error) {
	case ECONNRESET:
		what = "its core was reset because of another launch, or with the device";
		break;
	case ETIMEDOUT:
		what = "it exceeded its time limit, and its core was reset";
		break;
	case EIO:
		vnpu_core_last_end(device, end, sizeof(end));
		what = *end ? end : "its core ended";
		break;
	default:
		what = strerrordesc_np(error);
	}
	if (length > 0 && (size_t)length < size)
		snprintf(text + length, size - length, "%s",
			 what ? what : "unknown error");
}

bool vnpu_launch_is_known(uint32_t device, uint64_t timeline, uint64_t seq)
{
	struct vnpu_exception exception;

	return find(device, timeline, seq, &exception);
}

aclError vnpu_launch_report(const struct vnpu_stream *stream, uint64_t seq,
			    uint32_t error)
{
	struct vnpu_task task, *known = NULL;

	if (vnpu_queue_task(&stream->queue, seq, &task))
		known = &task;
	return vnpu_launch_report_as(stream, stream->queue.id, seq, error,
				     known);
}

aclError vnpu_launch_report_as(const struct vnpu_stream *stream,
			       uint64_t timeline, uint64_t seq, uint32_t error,
			       const struct vnpu_task *known)
{
	uint32_t device = stream->context->device;
	struct vnpu_exception exception, *found = NULL;

	if (find(device, timeline, seq, &exception))
		found = &exception;
	if (!found)
		guess(device, error, known, exception.text,
		      sizeof(exception.text));
	return vnpu_error(vnpu_exception_code(error, cores_of(known, found),
					      found),
		"%s (task %llu of stream %u)", exception.text,
		(unsigned long long)seq, stream->number);
}

void vnpu_launch_synchronized(struct vnpu_stream *stream, uint64_t seq)
{
	struct vnpu_book *book = &stream->book;

	if (!atomic_load_explicit(&book->is_fresh, memory_order_relaxed))
		return;
	atomic_store(&book->is_fresh, false);
	vnpu_core_receive(stream->context->device);
	/* The streams of a graph have output of their own. */
	if (atomic_load(&stream->ran_graph))
		vnpu_print_flush_all();
	else
		vnpu_print_flush(stream->queue.id);
	vnpu_book_reap(book, seq);
	/* Another thread may have launched more since. */
	if (vnpu_queue_last(&stream->queue) > seq)
		atomic_store(&book->is_fresh, true);
}

void vnpu_launch_flush(uint32_t device)
{
	vnpu_core_flush(device);
}
