// SPDX-License-Identifier: MIT
/*
 * Launches: from the arguments to a task of a stream.
 *
 * A launch is one task.  Its arguments are written to a block of the stream's
 * book, which the core reads.  If the core runs, the chunk has room and an engine
 * polls the ring, a launch calls neither the kernel nor malloc().
 */
#include <errno.h>

#include <vnpu/kernel.h>

#include "core/protocol.h"

#include "base/error.h"
#include "kernel/core.h"
#include "stream/failure.h"
#include "stream/stream.h"
#include "stream/timeout.h"
#include "launch.h"

/* Make room in the book; waits if the stream has many blocks.  0 or -errno. */
static int grow(struct vnpu_stream *stream, size_t size)
{
	uint64_t done, oldest;
	int ret;

	for (;;) {
		/* In this order: failures up to this task are known then. */
		done = vnpu_queue_completed(&stream->queue);
		vnpu_failure_note(stream);
		ret = vnpu_book_grow(&stream->book, size, done, &oldest);
		if (ret != -EBUSY)
			return ret;
		ret = vnpu_queue_wait(&stream->queue, oldest, -1);
		if (ret)
			return ret;
		/* Then nothing is waited for, and no room comes. */
		if (atomic_load(&stream->queue.is_closed))
			return -ENOENT;
	}
}

static int reserve(struct vnpu_stream *stream, const struct vnpu_launch *launch,
		   struct vnpu_piece *piece)
{
	size_t size = launch->write ? launch->args_size : 0;
	int ret;

	/* The book keeps its own reference. */
	if (launch->function)
		vnpu_handle_ref(launch->function->handle);
	while ((ret = vnpu_book_reserve(&stream->book, size, launch->function,
					piece)) == -EAGAIN) {
		ret = grow(stream, size);
		if (ret)
			break;
	}
	if (ret && launch->function)
		vnpu_function_put(launch->function);
	return ret;
}

static aclError submit(struct vnpu_stream *stream,
		       const struct vnpu_launch *launch)
{
	const struct vnpu_function *function = launch->function;
	struct vnpu_task task = {
		.op = VNPU_TASK_LAUNCH,
		.mode = function ? function->cores : VNPU_CORE_VECTOR,
		.timeout_ms = launch->timeout_ms ? launch->timeout_ms :
						   vnpu_timeout_execute(),
		.src = launch->args,
		.length = launch->args_size,
		.arg0 = function ? CORE_FUNCTION(function->binary->id,
						 function->index) :
				   CORE_OPERATOR,
		.arg1 = CORE_BLOCKS(launch->blocks, launch->first),
		.arg2 = CORE_ATTRIBUTES(launch->local_bytes, 0U),
	};
	struct vnpu_piece piece;
	uint64_t seq = 0;
	aclError ret;
	int err = reserve(stream, launch, &piece);

	if (err)
		return vnpu_error_errno(err, "allocating memory for arguments");
	if (launch->write) {
		task.src = piece.va;
		launch->write(launch->from, piece.host, piece.va);
	}
	ret = vnpu_stream_submit(stream, &task, 1, &seq);
	vnpu_book_submit(&stream->book, &piece, ret ? 0 : seq);
	return ret;
}

aclError vnpu_launch_submit(const struct vnpu_launch *launch)
{
	const struct vnpu_function *function = launch->function;
	struct vnpu_stream *stream;
	aclError ret;

	if (!launch->blocks)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"numBlocks is 0; launch at least one block");
	if (function && function->binary->image.is_foreign)
		return vnpu_binary_foreign(function);
	ret = vnpu_stream_get(launch->stream, false, &stream);
	if (ret)
		return ret;
	ret = vnpu_core_use(stream->context->device,
			    function ? function->binary : NULL);
	if (!ret)
		ret = submit(stream, launch);
	vnpu_stream_put(stream);
	return ret;
}
