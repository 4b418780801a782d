// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that reduce arrays into another one. */
#include <linux/overflow.h>

#include "core/reduce.h"
#include "stream.h"
#include "task.h"
#include "task_mem.h"
#include "vector.h"

#define VNPU_REDUCE_SOURCES	4

/**
 * struct vnpu_reduction - a piece of each array of a task
 * @va: device addresses of the sources
 * @nr: number of sources
 * @nr_from: number of sources that are kept
 * @from: the sources, kept
 * @to: the array that changes, kept unless its length is 0
 */
struct vnpu_reduction {
	u64 va[VNPU_REDUCE_SOURCES];
	unsigned int nr;
	unsigned int nr_from;
	struct vnpu_span from[VNPU_REDUCE_SOURCES];
	struct vnpu_span to;
};

static unsigned int vnpu_reduce_op(const struct vnpu_task *task)
{
	return task->mode & 0xff;
}

static unsigned int vnpu_reduce_type(const struct vnpu_task *task)
{
	return task->mode >> 8;
}

static void vnpu_reduction_init(struct vnpu_reduction *reduction,
				const struct vnpu_task *task)
{
	const u64 more[] = { task->arg0, task->arg1, task->arg2 };
	unsigned int i;

	reduction->va[0] = task->src;
	reduction->nr = 1;
	for (i = 0; i < ARRAY_SIZE(more); i++)
		if (more[i])
			reduction->va[reduction->nr++] = more[i];
}

static int vnpu_reduce_check_source(const struct vnpu_task *task, u64 src,
				    unsigned int size, u64 bytes)
{
	int ret;

	if (src & (size - 1))
		return -EINVAL;
	ret = vnpu_task_check_range(src, bytes);
	if (ret)
		return ret;
	return task->dst != src && task->dst < src + bytes &&
	       src < task->dst + bytes ? -EINVAL : 0;
}

int vnpu_task_reduce_prepare(struct vnpu_stream *stream)
{
	struct vnpu_task *task = &stream->run.task;
	unsigned int type = vnpu_reduce_type(task), size, i;
	struct vnpu_reduction reduction;
	u64 bytes;
	int ret;

	ret = vnpu_reduce_check(vnpu_reduce_op(task), type);
	if (ret)
		return ret;
	vnpu_reduction_init(&reduction, task);
	size = vnpu_type_size(type);
	if (task->dst & (size - 1) ||
	    (task->flags & VNPU_TASK_F_REPLACE && reduction.nr < 2))
		return -EINVAL;
	if (check_mul_overflow(task->length, (u64)size, &bytes))
		return -EOVERFLOW;
	ret = vnpu_task_check_range(task->dst, bytes);
	for (i = 0; !ret && i < reduction.nr; i++)
		ret = vnpu_reduce_check_source(task, reduction.va[i], size,
					       bytes);
	if (ret)
		return ret;
	/* From here on lengths are in bytes. */
	task->length = bytes;
	return 0;
}

static void vnpu_reduction_unkeep(struct vnpu_reduction *reduction)
{
	while (reduction->nr_from)
		vnpu_task_unkeep(&reduction->from[--reduction->nr_from]);
	if (reduction->to.length)
		vnpu_task_unkeep(&reduction->to);
}

/* Keep all arrays, as there is no room for more than one source otherwise. */
static int vnpu_reduction_find_locked(struct vnpu_stream *stream,
				      struct vnpu_reduction *reduction,
				      u64 *length)
{
	u64 done = stream->run.done;
	unsigned int i;
	int ret;

	for (i = 0; i < reduction->nr; i++) {
		struct vnpu_span *from = &reduction->from[i];

		ret = vnpu_task_find_locked(stream, reduction->va[i] + done,
					    *length, VNPU_ACCESS_READ, from);
		if (ret)
			return ret;
		vnpu_task_keep_locked(stream, VNPU_ACCESS_READ, from);
		reduction->nr_from++;
		*length = from->length;
	}
	ret = vnpu_task_find_locked(stream, stream->run.task.dst + done,
				    *length, VNPU_ACCESS_READ_WRITE,
				    &reduction->to);
	if (ret) {
		reduction->to.length = 0;
		return ret;
	}
	vnpu_task_keep_locked(stream, VNPU_ACCESS_READ_WRITE, &reduction->to);
	*length = reduction->to.length;
	return 0;
}

/* Of each array, this much is used. */
static int vnpu_reduction_check_ecc_locked(struct vnpu_stream *stream,
					   struct vnpu_reduction *reduction)
{
	u64 done = stream->run.done;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < reduction->nr; i++) {
		reduction->from[i].length = reduction->to.length;
		ret = vnpu_task_check_ecc_locked(stream,
						 reduction->va[i] + done,
						 &reduction->from[i]);
	}
	return ret ?: vnpu_task_check_ecc_locked(stream,
						 stream->run.task.dst + done,
						 &reduction->to);
}

static void vnpu_reduce_piece(const struct vnpu_task *task,
			      const struct vnpu_reduction *reduction)
{
	const void *operands[VNPU_REDUCE_SOURCES + 1];
	const struct vnpu_span *to = &reduction->to;
	unsigned int type = vnpu_reduce_type(task), nr = 0, i;

	if (!(task->flags & VNPU_TASK_F_REPLACE))
		operands[nr++] = to->addr;
	for (i = 0; i < reduction->nr; i++)
		operands[nr++] = reduction->from[i].addr;
	vnpu_mem_mark_written(to->mem, to->offset, to->length);
	vnpu_vector_reduce(to->addr, operands, nr,
			   to->length / vnpu_type_size(type),
			   vnpu_reduce_op(task), type);
}

static int vnpu_reduce_some(struct vnpu_stream *stream, u64 *length)
{
	struct vnpu_reduction reduction = { .nr = 0 };
	bool is_inline;
	int ret;

	vnpu_reduction_init(&reduction, &stream->run.task);
	if (vnpu_stream_is_latched(stream))
		*length = min_t(u64, *length, VNPU_TASK_INLINE);
	ret = vnpu_task_lock(stream);
	if (ret)
		return ret;
	ret = vnpu_reduction_find_locked(stream, &reduction, length) ?:
	      vnpu_reduction_check_ecc_locked(stream, &reduction);
	is_inline = ret || *length <= VNPU_TASK_INLINE;
	if (!is_inline)
		vnpu_task_release(stream);
	if (!ret)
		vnpu_reduce_piece(&stream->run.task, &reduction);
	vnpu_reduction_unkeep(&reduction);
	if (is_inline)
		vnpu_task_unlock(stream);
	return ret;
}

int vnpu_task_reduce_run(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	unsigned int weight = vnpu_vector_weight(vnpu_reduce_op(task),
						 vnpu_reduce_type(task));
	u64 chunk = VNPU_TASK_CHUNK / weight;
	u64 end = stream->run.done + chunk;

	while (stream->run.done < task->length) {
		u64 piece = min_t(u64, task->length - stream->run.done, chunk);
		int ret;

		if (stream->run.done >= end)
			return VNPU_TASK_MORE;
		/*
		 * Memory is in whole pages, and so a piece in whole elements.
		 */
		ret = vnpu_reduce_some(stream, &piece);
		if (ret)
			return ret;
		stream->run.done += piece;
		*cost += piece * weight;
	}
	return 0;
}
