// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that reduce one array into another. */
#include <linux/overflow.h>

#include "core/reduce.h"
#include "stream.h"
#include "task.h"
#include "vector.h"

/* Computing takes longer than copying. */
#define VNPU_REDUCE_CHUNK	(VNPU_TASK_CHUNK / 8)

static unsigned int vnpu_reduce_op(const struct vnpu_task *task)
{
	return task->mode & 0xff;
}

static unsigned int vnpu_reduce_type(const struct vnpu_task *task)
{
	return task->mode >> 8;
}

int vnpu_task_reduce_prepare(struct vnpu_stream *stream)
{
	struct vnpu_task *task = &stream->run.task;
	unsigned int type = vnpu_reduce_type(task), size;
	u64 bytes;
	int ret;

	ret = vnpu_reduce_check(vnpu_reduce_op(task), type);
	if (ret)
		return ret;
	size = vnpu_type_size(type);
	if ((task->dst | task->src) & (size - 1))
		return -EINVAL;
	if (check_mul_overflow(task->length, (u64)size, &bytes))
		return -EOVERFLOW;
	ret = vnpu_task_check_range(task->dst, bytes) ?:
	      vnpu_task_check_range(task->src, bytes);
	if (ret)
		return ret;
	if (task->dst != task->src && task->dst < task->src + bytes &&
	    task->src < task->dst + bytes)
		return -EINVAL;
	/* From here on lengths are in bytes. */
	task->length = bytes;
	return 0;
}

static void vnpu_reduce_bytes(const struct vnpu_task *task, void *dst,
			      const void *src, size_t length)
{
	unsigned int type = vnpu_reduce_type(task);

	vnpu_vector_reduce(dst, src, length / vnpu_type_size(type),
			   vnpu_reduce_op(task), type);
}

int vnpu_task_reduce_run(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 end = stream->run.done + VNPU_REDUCE_CHUNK;

	while (stream->run.done < task->length) {
		u64 done = stream->run.done;
		u64 piece = min_t(u64, task->length - done, VNPU_REDUCE_CHUNK);
		int ret;

		if (done >= end)
			return VNPU_TASK_MORE;
		/*
		 * Memory is in whole pages, and so a piece in whole elements.
		 */
		ret = vnpu_task_apply(stream, task->dst + done,
				      task->src + done, &piece,
				      vnpu_reduce_bytes);
		if (ret)
			return ret;
		stream->run.done += piece;
		*cost += piece * (VNPU_TASK_CHUNK / VNPU_REDUCE_CHUNK);
	}
	return 0;
}
