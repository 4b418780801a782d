// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that fill. */
#include <linux/math64.h>
#include <linux/string.h>

#include "base/device.h"
#include "mem/mem.h"
#include "va/bind.h"
#include "va/copy.h"
#include "stream.h"
#include "task.h"
#include "task_mem.h"

/* A piece, which may be shortened; @phase: bytes of the row before it. */
static int vnpu_fill_some(struct vnpu_stream *stream, u64 dst, u64 phase,
			  u64 *length)
{
	const struct vnpu_task *task = &stream->run.task;
	struct vnpu_span span;
	u8 pattern[8];
	int ret;

	ret = vnpu_task_hold(stream, dst, *length, &span);
	if (ret)
		return ret;

	vnpu_mem_mark_written(span.mem, span.offset, span.length);
	if (task->mode == 1) {
		memset(span.addr, task->arg0, span.length);
	} else {
		vnpu_fill_pattern(pattern, task->arg0, task->mode);
		vnpu_fill_span(span.addr, pattern, phase % 8, span.length);
	}
	*length = span.length;
	vnpu_task_unhold(stream, &span);
	return 0;
}

static int vnpu_fill_check(const struct vnpu_task *task)
{
	unsigned int bytes = task->mode;

	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		return -EINVAL;
	if (task->length % bytes || (bytes < 8 && task->arg0 >> bytes * 8))
		return -EINVAL;
	return 0;
}

int vnpu_task_fill_prepare(struct vnpu_stream *stream)
{
	struct vnpu_task *task = &stream->run.task;
	u64 span;
	int ret;

	/* From here on it is one row. */
	task->arg1 = 1;
	task->arg2 = task->length;
	ret = vnpu_fill_check(task);
	return ret ?: vnpu_task_check_rows(task->dst, task->length, 1,
					   task->length, &span);
}

int vnpu_task_fill_2d_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 span;
	int ret;

	ret = vnpu_fill_check(task);
	return ret ?: vnpu_task_check_rows(task->dst, task->length, task->arg1,
					   task->arg2, &span);
}

int vnpu_task_fill_run(struct vnpu_stream *stream, u64 *cost)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 bytes = task->length * task->arg1;
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
		ret = vnpu_fill_some(stream,
				     task->dst + row * task->arg2 + column,
				     column, &piece);
		if (ret)
			return ret;
		stream->run.done += piece;
		/* Short rows cost more than their bytes. */
		spent += max_t(u64, piece, SZ_512);
	}
	*cost += spent;
	return 0;
}
