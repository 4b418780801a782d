// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that copy.
 *
 * An engine resolves addresses as it goes, piece by piece; see task_mem.c.
 */
#include <linux/overflow.h>

#include "base/client.h"
#include "base/device.h"
#include "mem/mem.h"
#include "va/bind.h"
#include "va/copy.h"
#include "stream.h"
#include "task.h"
#include "task_mem.h"
#include "vector.h"

/* The bytes that take very little time to copy. */
#define VNPU_COPY_SMALL		SZ_4K

/* Both sides of a piece. */
static int vnpu_task_pin_pair_locked(struct vnpu_stream *stream, u64 dst,
				     u64 src, u64 length, struct vnpu_span *to,
				     struct vnpu_span *from)
{
	int ret;

	ret = vnpu_task_find_locked(stream, src, length, VNPU_ACCESS_READ,
				    from);
	if (ret)
		return ret;
	ret = vnpu_task_find_locked(stream, dst, from->length,
				    VNPU_ACCESS_READ_WRITE, to);
	if (ret)
		return ret;
	/* This much of it is used, and the rest with the next piece. */
	from->length = to->length;
	return vnpu_task_check_ecc_locked(stream, src, from) ?:
	       vnpu_task_check_ecc_locked(stream, dst, to);
}

/* Copy as much as both sides have in one piece, and set the length to that. */
static int vnpu_copy_some(struct vnpu_stream *stream, u64 dst, u64 src,
			  u64 *length)
{
	struct vnpu_span from, to;
	bool is_inline;
	int ret;

	if (vnpu_stream_is_latched(stream))
		*length = min_t(u64, *length, VNPU_TASK_INLINE);
	ret = vnpu_task_lock(stream);
	if (ret)
		return ret;
	ret = vnpu_task_pin_pair_locked(stream, dst, src, *length, &to, &from);
	if (ret) {
		vnpu_task_unlock(stream);
		return ret;
	}
	*length = to.length;
	is_inline = to.length <= VNPU_TASK_INLINE;
	if (!is_inline) {
		vnpu_task_keep_locked(stream, VNPU_ACCESS_READ, &from);
		vnpu_task_keep_locked(stream, VNPU_ACCESS_READ_WRITE, &to);
		vnpu_task_release(stream);
	}

	vnpu_mem_mark_written(to.mem, to.offset, to.length);
	vnpu_vector_copy(to.addr, from.addr, to.length);

	if (is_inline) {
		vnpu_task_unlock(stream);
	} else {
		vnpu_task_unkeep(&to);
		vnpu_task_unkeep(&from);
	}
	return 0;
}

/**
 * vnpu_task_check_range() - check that all bytes of a range have addresses
 * @first: device address of the first byte
 * @length: number of bytes
 *
 * Return: 0 or -EOVERFLOW.
 */
int vnpu_task_check_range(u64 first, u64 length)
{
	u64 last;

	return length && check_add_overflow(first, length - 1, &last) ?
	       -EOVERFLOW : 0;
}

/* Copy constant sizes inline, as choosing a method in memcpy() takes longer. */
static void vnpu_copy_pairs(void *dst, const void *src, size_t length)
{
	size_t i;

	for (i = 0; i < length; i += 16) {
		u64 first, second;

		memcpy(&first, src + i, 8);
		memcpy(&second, src + i + 8, 8);
		memcpy(dst + i, &first, 8);
		memcpy(dst + i + 8, &second, 8);
	}
}

bool vnpu_task_copy_small(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 length = task->length;
	void *dst, *src;

	if (!length || length > VNPU_COPY_SMALL)
		return false;
	src = vnpu_task_find_small(stream, task->src, length, VNPU_ACCESS_READ);
	if (unlikely(!src))
		return false;
	dst = vnpu_task_find_small(stream, task->dst, length,
				   VNPU_ACCESS_READ_WRITE);
	if (unlikely(!dst))
		return false;
	if (length <= SZ_256 && !(length % 16) &&
	    (dst + length <= src || src + length <= dst))
		vnpu_copy_pairs(dst, src, length);
	else
		vnpu_move_bytes(dst, src, length);
	*cost += length;
	return true;
}

int vnpu_task_copy_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;

	return vnpu_task_check_range(task->dst, task->length) ?:
	       vnpu_task_check_range(task->src, task->length);
}

int vnpu_task_copy_run(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 end = stream->run.done + VNPU_TASK_CHUNK;

	while (stream->run.done < task->length) {
		u64 dst = task->dst, src = task->src, piece;
		int ret;

		if (stream->run.done >= end)
			return VNPU_TASK_MORE;
		piece = vnpu_copy_next(&dst, &src, task->length,
				       stream->run.done, VNPU_TASK_CHUNK);
		ret = vnpu_copy_some(stream, dst, src, &piece);
		if (ret)
			return ret;
		stream->run.done += piece;
		*cost += piece;
	}
	return 0;
}

int vnpu_task_copy_indirect_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;

	stream->run.has_read = false;
	return (task->dst | task->src | task->arg2) & 7 ||
	       (task->length && task->arg2) ? -EINVAL : 0;
}

/* After this it is a copy like any other. */
static int vnpu_copy_read_params(struct vnpu_stream *stream)
{
	struct vnpu_task *task = &stream->run.task;
	const u64 vas[] = { task->dst, task->src, task->arg2 };
	u64 values[] = { 0, 0, task->length };
	int ret;

	ret = vnpu_task_lock(stream);
	if (ret)
		return ret;
	ret = vnpu_task_read_locked(stream, vas, values, task->arg2 ? 3 : 2);
	vnpu_task_unlock(stream);
	if (ret)
		return ret;
	if (check_add_overflow(values[0], task->arg0, &task->dst) ||
	    check_add_overflow(values[1], task->arg1, &task->src))
		return -EOVERFLOW;
	task->length = values[2];
	stream->run.has_read = true;
	return vnpu_task_copy_prepare(stream);
}

int vnpu_task_copy_indirect_run(struct vnpu_stream *stream, u64 *cost)
{
	int ret = stream->run.has_read ? 0 : vnpu_copy_read_params(stream);

	return ret ?: vnpu_task_copy_run(stream, cost);
}

/* The bytes of rows from the first to the last. */
static int vnpu_task_rows_span(u64 width, u64 height, u64 pitch, u64 *span)
{
	if (!width || !height) {
		*span = 0;
		return 0;
	}
	if (pitch < width)
		return -EINVAL;
	if (check_mul_overflow(height - 1, pitch, span) ||
	    check_add_overflow(*span, width, span))
		return -EOVERFLOW;
	return 0;
}

/**
 * vnpu_task_check_rows() - check a range of rows
 * @first: device address of the first row
 * @width: bytes of each row
 * @height: number of rows
 * @pitch: bytes from one row to the next
 * @span: set to the bytes from the start of the first row to the end of the
 *	last
 *
 * Return: 0, -EINVAL (they overlap) or -EOVERFLOW.
 */
int vnpu_task_check_rows(u64 first, u64 width, u64 height, u64 pitch, u64 *span)
{
	u64 bytes;

	/* The total number of bytes must not overflow either. */
	if (check_mul_overflow(width, height, &bytes))
		return -EOVERFLOW;
	return vnpu_task_rows_span(width, height, pitch, span) ?:
	       vnpu_task_check_range(first, *span);
}

int vnpu_task_copy_2d_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 to, from;
	int ret;

	ret = vnpu_task_check_rows(task->dst, task->length, task->arg0,
				   task->arg1, &to) ?:
	      vnpu_task_check_rows(task->src, task->length, task->arg0,
				   task->arg2, &from);
	if (ret)
		return ret;
	if (to && task->dst < task->src + from && task->src < task->dst + to)
		return -EINVAL;
	return 0;
}

int vnpu_task_copy_2d_run(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 bytes = task->length * task->arg0;
	u64 spent = 0;

	while (stream->run.done < bytes) {
		u64 row = div64_u64(stream->run.done, task->length);
		u64 column = stream->run.done - row * task->length;
		u64 piece = min_t(u64, task->length - column, VNPU_TASK_CHUNK);
		int ret;

		if (spent >= VNPU_TASK_CHUNK) {
			*cost += spent;
			return VNPU_TASK_MORE;
		}
		ret = vnpu_copy_some(stream,
				     task->dst + row * task->arg1 + column,
				     task->src + row * task->arg2 + column,
				     &piece);
		if (ret)
			return ret;
		stream->run.done += piece;
		/* Short rows cost more than their bytes. */
		spent += max_t(u64, piece, SZ_512);
	}
	*cost += spent;
	return 0;
}
