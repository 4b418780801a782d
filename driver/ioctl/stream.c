// SPDX-License-Identifier: GPL-2.0-only
/* ioctls on streams, and on the limits of numbered objects of a device. */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/nospec.h>

#include "account/account.h"
#include "account/id_pool.h"
#include "account/quota.h"
#include "base/attach.h"
#include "base/client.h"
#include "base/device.h"
#include "exec/context.h"
#include "exec/engine.h"
#include "exec/ring.h"
#include "exec/stream.h"
#include "sync/timeline.h"
#include "ioctl.h"
#include "trace.h"

/* Replace a size of 0 by the default, and validate the result. */
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

/* Destroy a stream that user space does not know yet. */
static void vnpu_ioctl_stream_undo(struct vnpu_stream *stream)
{
	vnpu_stream_end(stream, false);
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
	vnpu_stream_end(vnpu_stream_of(timeline), true);
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

int vnpu_ioctl_event_alloc(struct vnpu_ucmd *ucmd)
{
	struct vnpu_event_alloc *cmd = ucmd->cmd;
	int ret;

	ret = vnpu_event_alloc(ucmd->client, cmd->device, &cmd->out_number,
			       &cmd->out_available);
	if (ret)
		return ret;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		vnpu_event_free(ucmd->client, cmd->device, cmd->out_number);
	return ret;
}

int vnpu_ioctl_event_free(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_event_free *cmd = ucmd->cmd;

	return vnpu_event_free(ucmd->client, cmd->device, cmd->number);
}

/*
 * Describe the limit that stops the caller, with ids of the caller's namespace.
 */
static void vnpu_ioctl_limits_explain(const struct vnpu_quota_state *limit,
				      struct vnpu_limits_query *cmd)
{
	cmd->out_scope = limit->key.scope;
	cmd->out_id = limit->key.id;
	if (limit->key.scope == VNPU_QUOTA_SCOPE_UID)
		cmd->out_id = from_kuid_munged(current_user_ns(),
					       KUIDT_INIT(limit->key.id));
	cmd->out_limit = limit->limit;
	cmd->out_used = limit->used;
}

int vnpu_ioctl_limits_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_limits_query *cmd = ucmd->cmd;
	struct vnpu_quota_state limits[VNPU_ID_KINDS];
	u32 left[VNPU_ID_KINDS], kind;
	struct vnpu_account *account;

	if (cmd->kind >= VNPU_ID_KINDS)
		return -EINVAL;
	account = vnpu_client_account(ucmd->client, cmd->device);
	if (IS_ERR(account))
		return PTR_ERR(account);
	if (vnpu_device_is_gone(account->dev))
		return -ENODEV;
	for (kind = 0; kind < VNPU_ID_KINDS; kind++)
		left[kind] = vnpu_id_left(account, kind, &limits[kind]);
	cmd->out_streams = left[VNPU_ID_STREAM];
	cmd->out_events = left[VNPU_ID_EVENT];
	cmd->out_counters = left[VNPU_ID_COUNTER];
	kind = array_index_nospec(cmd->kind, VNPU_ID_KINDS);
	vnpu_ioctl_limits_explain(&limits[kind], cmd);
	return vnpu_ucmd_respond(ucmd);
}
