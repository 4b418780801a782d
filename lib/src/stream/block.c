// SPDX-License-Identifier: MIT
/* Blocks of host memory for tasks, see block.h. */
#include <errno.h>

#include "kernel/binary.h"
#include "block.h"
#include "failure.h"

/* Make room in the book, which may wait for the stream. Returns 0 or -errno. */
static int grow(struct vnpu_stream *stream, size_t size)
{
	uint64_t done, oldest;
	int ret;

	for (;;) {
		/* In this order, so that all failures up to @done are known. */
		done = vnpu_queue_completed(&stream->queue);
		vnpu_failure_note(stream);
		ret = vnpu_book_grow(&stream->book, size, done, &oldest);
		if (ret != -EBUSY)
			return ret;
		ret = vnpu_queue_wait(&stream->queue, oldest, -1);
		if (ret)
			return ret;
		/* A closed queue ends all waits, and never has room again. */
		if (atomic_load(&stream->queue.is_closed))
			return -ENOENT;
	}
}

int vnpu_block_reserve(struct vnpu_stream *stream, size_t size,
		       struct vnpu_function *function,
		       struct vnpu_piece *piece)
{
	int ret;

	/* The book keeps its own reference. */
	if (function)
		vnpu_handle_ref(function->handle);
	while ((ret = vnpu_book_reserve(&stream->book, size, function,
					piece)) == -EAGAIN) {
		ret = grow(stream, size);
		if (ret)
			break;
	}
	if (ret && function)
		vnpu_function_put(function);
	return ret;
}
