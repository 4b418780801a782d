// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tasks that a core runs (core.c). An engine of any class gives the launch to the
 * core, and completes the task when the core has ended the launch.
 */
#include <linux/ktime.h>

#include "core.h"
#include "engine.h"
#include "stream.h"
#include "task.h"

#define VNPU_LAUNCH_ALL	(VNPU_LAUNCH_VECTOR | VNPU_LAUNCH_CUBE)

/* A launch always has a time limit, unless the administrator has set none. */
int vnpu_task_launch_prepare(struct vnpu_stream *stream)
{
	const struct vnpu_task *task = &stream->run.task;
	u64 limit_ms = task->timeout_ms;

	if (!task->mode || task->mode & ~VNPU_LAUNCH_ALL)
		return -EINVAL;
	if (!limit_ms)
		limit_ms = READ_ONCE(stream->timeout_ms);
	if (!limit_ms)
		limit_ms = vnpu_watchdog_timeout_ms();
	stream->launch.limit_ns = limit_ms * NSEC_PER_MSEC;
	stream->launch.was_late = false;
	return 0;
}

int vnpu_task_launch_run(struct vnpu_stream *stream, u64 *cost)
{
	int ret = vnpu_launch_look(stream);

	return ret > 0 ? VNPU_TASK_BLOCKED : ret;
}

void vnpu_task_launch_drop(struct vnpu_stream *stream)
{
	vnpu_launch_stop(stream, vnpu_task_must_end(stream) == -ETIMEDOUT);
}
