// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that write random numbers. */
#include <linux/overflow.h>

#include "core/philox.h"
#include "mem/mem.h"
#include "va/bind.h"
#include "stream.h"
#include "task.h"
#include "task_mem.h"

/* Computing takes longer than copying. */
#define VNPU_RANDOM_CHUNK	(VNPU_TASK_CHUNK / 32)

static int vnpu_random_of(const struct vnpu_task *task, struct vnpu_random *r)
{
	return vnpu_random_init(r, task->mode & 0xff, task->mode >> 8,
				task->arg0, task->arg1, task->arg2);
}

static u64 vnpu_random_bytes(const struct vnpu_task *task)
{
	unsigned int bits = vnpu_random_bits(task->mode & 0xff,
					     task->mode >> 8);

	if (bits >= 8)
		return task->length * (bits / 8);
	return task->length / (8 / bits) + !!(task->length % (8 / bits));
}

int vnpu_task_random_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;
	struct vnpu_random r;
	unsigned int bits;
	u64 total;
	int ret;

	stream->run.has_read = false;
	ret = vnpu_random_of(task, &r);
	if (ret)
		return ret;
	bits = vnpu_random_bits(r.dist, r.type);
	if (task->src & 7 || (bits > 8 && task->dst & (bits / 8 - 1)))
		return -EINVAL;
	if (check_mul_overflow(task->length, (u64)bits, &total))
		return -EOVERFLOW;
	return vnpu_task_check_range(task->dst, vnpu_random_bytes(task)) ?:
	       vnpu_task_check_range(task->src, task->src ? 16 : 0);
}

/* The counter is read once, as the results may overwrite it. */
static int vnpu_random_read_counter(struct vnpu_stream *stream)
{
	struct vnpu_run *run = &stream->run;
	const u64 vas[] = { run->task.src, run->task.src + 8 };
	int ret = 0;

	run->saved[0] = 0;
	run->saved[1] = 0;
	if (run->task.src) {
		ret = vnpu_task_lock(stream);
		if (ret)
			return ret;
		ret = vnpu_task_read_locked(stream, vas, run->saved, 2);
		vnpu_task_unlock(stream);
	}
	run->has_read = !ret;
	return ret;
}

/* A piece, which may be shorter than requested. */
static int vnpu_random_some(struct vnpu_stream *stream,
			    const struct vnpu_random *r, u64 *length)
{
	struct vnpu_run *run = &stream->run;
	u64 va = run->task.dst + run->done, first;
	unsigned int bits = vnpu_random_bits(r->dist, r->type);
	struct vnpu_span span;
	int ret;

	ret = vnpu_task_hold(stream, va, *length, &span);
	if (ret)
		return ret;

	vnpu_mem_mark_written(span.mem, span.offset, span.length);
	first = div_u64(run->done * 8, bits);
	vnpu_random(r, span.addr, first,
		    min_t(u64, run->task.length - first,
			  div_u64(span.length * 8, bits)));
	*length = span.length;
	vnpu_task_unhold(stream, &span);
	return 0;
}

int vnpu_task_random_run(struct vnpu_stream *stream, u64 *cost)
{
	struct vnpu_run *run = &stream->run;
	u64 bytes = vnpu_random_bytes(&run->task);
	u64 end = run->done + VNPU_RANDOM_CHUNK;
	struct vnpu_random r;
	int ret;

	ret = vnpu_random_of(&run->task, &r);
	if (!ret && bytes && !run->has_read)
		ret = vnpu_random_read_counter(stream);
	if (ret)
		return ret;
	r.counter[0] = run->saved[0];
	r.counter[1] = run->saved[1];
	while (run->done < bytes) {
		u64 piece = min_t(u64, bytes - run->done, VNPU_RANDOM_CHUNK);

		if (run->done >= end)
			return VNPU_TASK_MORE;
		/*
		 * Memory is in whole pages, and so a piece in whole elements.
		 */
		ret = vnpu_random_some(stream, &r, &piece);
		if (ret)
			return ret;
		run->done += piece;
		*cost += piece * (VNPU_TASK_CHUNK / VNPU_RANDOM_CHUNK);
	}
	return 0;
}
