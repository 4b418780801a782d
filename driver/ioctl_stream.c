// SPDX-License-Identifier: GPL-2.0-only
/* ioctls on streams, and on what a device has a limited number of. */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>

#include "attach.h"
#include "client.h"
#include "context.h"
#include "device.h"
#include "engine.h"
#include "ioctl.h"
#include "numbers.h"
#include "ring.h"
#include "stream.h"
#include "timeline.h"
#include "trace.h"

/* 0 is for the default; set to what there will be. */
static int vnpu_ioctl_choose_shape(struct vnpu_stream_create *cmd)
{
	if (!cmd->ring_tasks)
		cmd->ring_tasks = VNPU_RING_TASKS;
	if (!is_power_of_2(cmd->ring_tasks) ||
	    cmd->ring_tasks < VNPU_RING_TASKS_MIN ||
	    cmd->ring_tasks > VNPU_RING_TASKS_MAX)
		return -EINVAL;
	if (!cmd->task_size)
		cmd->task_size = sizeof(struct vnpu_task);
	return cmd->task_size == sizeof(struct vnpu_task) ? 0 : -EINVAL;
}

/* A stream that nobody has seen goes as it came. */
static void vnpu_ioctl_stream_undo(struct vnpu_stream *stream)
{
	vnpu_stream_end(stream);
	vnpu_timeline_put(&stream->timeline);
}

int vnpu_ioctl_stream_create(struct vnpu_ucmd *ucmd)
{
	struct vnpu_stream_create *cmd = ucmd->cmd;
	struct vnpu_stream_spec spec = {
		.device = cmd->device,
		.priority = cmd->priority,
		.stop_on_error = cmd->flags & VNPU_STREAM_F_STOP,
	};
	struct vnpu_client *client = ucmd->client;
	struct vnpu_stream *stream;
	int ret;

	if (cmd->priority >= VNPU_STREAM_PRIORITIES)
		return -EINVAL;
	ret = vnpu_ioctl_choose_shape(cmd);
	if (ret)
		return ret;
	spec.ring_tasks = cmd->ring_tasks;
	if (cmd->context) {
		spec.context = vnpu_context_get_by_id(client, cmd->context);
		if (!spec.context)
			return -ENOENT;
	}
	stream = vnpu_stream_create(client, &spec);
	if (spec.context)
		vnpu_context_put(spec.context);
	if (IS_ERR(stream))
		return PTR_ERR(stream);
	ret = vnpu_timeline_reserve_id(client, &stream->id);
	if (ret) {
		vnpu_ioctl_stream_undo(stream);
		return ret;
	}
	cmd->out_number = stream->number;
	cmd->out_id = stream->id;
	cmd->out_mmap_offset = VNPU_MMAP_STREAM +
			       ((u64)stream->offset << PAGE_SHIFT);
	cmd->out_map_size = vnpu_ring_map_size(stream->ring_tasks);
	ret = vnpu_ucmd_respond(ucmd);
	if (ret) {
		vnpu_timeline_cancel_id(client, stream->id);
		vnpu_ioctl_stream_undo(stream);
		return ret;
	}
	vnpu_stream_add(stream);
	return 0;
}

int vnpu_ioctl_stream_destroy(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_stream_destroy *cmd = ucmd->cmd;
	struct vnpu_timeline *timeline;

	timeline = vnpu_timeline_take_stream_id(ucmd->client, cmd->id);
	if (IS_ERR(timeline))
		return PTR_ERR(timeline);
	vnpu_stream_end(vnpu_stream_of(timeline));
	vnpu_timeline_unhold(timeline);
	vnpu_timeline_put(timeline);
	return 0;
}

int vnpu_ioctl_stream_doorbell(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_stream_doorbell *cmd = ucmd->cmd;
	struct vnpu_stream *stream;
	int ret;

	stream = vnpu_stream_get_by_id(ucmd->client, cmd->id);
	if (!stream)
		return -ENOENT;
	trace_vnpu_doorbell(ucmd->client, stream);
	ret = vnpu_stream_doorbell(stream);
	vnpu_timeline_put(&stream->timeline);
	return ret;
}

int vnpu_ioctl_stream_abort(struct vnpu_ucmd *ucmd)
{
	struct vnpu_stream_abort *cmd = ucmd->cmd;
	struct vnpu_stream *stream;
	int ret;

	stream = vnpu_stream_get_by_id(ucmd->client, cmd->id);
	if (!stream)
		return -ENOENT;
	ret = vnpu_stream_abort(stream, &cmd->out_completed);
	vnpu_timeline_put(&stream->timeline);
	return ret ?: vnpu_ucmd_respond(ucmd);
}

int vnpu_ioctl_stream_set(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_stream_set *cmd = ucmd->cmd;
	struct vnpu_stream *stream;

	if (cmd->flags & VNPU_STREAM_SET_F_PRIORITY &&
	    cmd->priority >= VNPU_STREAM_PRIORITIES)
		return -EINVAL;
	if (cmd->flags & VNPU_STREAM_SET_F_STOP && cmd->stop > 1)
		return -EINVAL;
	stream = vnpu_stream_get_by_id(ucmd->client, cmd->id);
	if (!stream)
		return -ENOENT;
	if (cmd->flags & VNPU_STREAM_SET_F_PRIORITY)
		vnpu_engines_set_priority(stream, cmd->priority);
	if (cmd->flags & VNPU_STREAM_SET_F_STOP)
		WRITE_ONCE(stream->stop_on_error, cmd->stop);
	if (cmd->flags & VNPU_STREAM_SET_F_TIMEOUT)
		WRITE_ONCE(stream->timeout_ms, cmd->timeout_ms);
	vnpu_timeline_put(&stream->timeline);
	return 0;
}

int vnpu_ioctl_stream_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_stream_query *cmd = ucmd->cmd;
	struct vnpu_stream *stream;

	stream = vnpu_stream_get_by_id(ucmd->client, cmd->id);
	if (!stream)
		return -ENOENT;
	cmd->out_completed = vnpu_stream_completed(stream);
	cmd->out_busy_ns = READ_ONCE(stream->busy_ns);
	cmd->out_errors = READ_ONCE(stream->errors);
	cmd->out_cancelled = READ_ONCE(stream->cancelled);
	cmd->out_error = -READ_ONCE(stream->error);
	cmd->out_error_op = READ_ONCE(stream->error_op);
	cmd->out_error_seq = READ_ONCE(stream->error_seq);
	cmd->out_error_addr = READ_ONCE(stream->error_addr);
	cmd->out_state = READ_ONCE(stream->ring_state);
	cmd->out_device = stream->dev->index;
	vnpu_timeline_put(&stream->timeline);
	return vnpu_ucmd_respond(ucmd);
}

int vnpu_ioctl_event_take(struct vnpu_ucmd *ucmd)
{
	struct vnpu_event_take *cmd = ucmd->cmd;
	int ret;

	ret = vnpu_event_take(ucmd->client, cmd->device, &cmd->out_number,
			      &cmd->out_available);
	if (ret)
		return ret;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		vnpu_event_give(ucmd->client, cmd->device, cmd->out_number);
	return ret;
}

int vnpu_ioctl_event_give(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_event_give *cmd = ucmd->cmd;

	return vnpu_event_give(ucmd->client, cmd->device, cmd->number);
}

int vnpu_ioctl_limits_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_limits_query *cmd = ucmd->cmd;
	struct vnpu_device *dev = vnpu_client_device_get(ucmd->client,
							 cmd->device);

	if (!dev)
		return -ENODEV;
	cmd->out_streams = vnpu_numbers_free(&dev->streams);
	cmd->out_events = vnpu_numbers_free(&dev->events);
	cmd->out_counters = vnpu_numbers_free(&dev->counters);
	vnpu_device_put(dev);
	return vnpu_ucmd_respond(ucmd);
}
