// SPDX-License-Identifier: GPL-2.0-only
/* ioctls on contexts. */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/err.h>

#include "base/client.h"
#include "base/device.h"
#include "exec/context.h"
#include "ioctl.h"

/* 0 stands for the default. */
static int vnpu_ioctl_choose_weight(u32 requested, u32 *weight)
{
	*weight = requested ?: VNPU_CONTEXT_WEIGHT;
	return *weight <= VNPU_CONTEXT_WEIGHT_MAX ? 0 : -EINVAL;
}

int vnpu_ioctl_context_create(struct vnpu_ucmd *ucmd)
{
	struct vnpu_context_create *cmd = ucmd->cmd;
	struct vnpu_client *client = ucmd->client;
	bool is_urgent = cmd->flags & VNPU_CONTEXT_F_URGENT;
	struct vnpu_context *context;
	u32 weight;
	int ret;

	ret = vnpu_ioctl_choose_weight(cmd->weight, &weight);
	if (ret)
		return ret;
	/* An urgent context takes time from the clients of all users. */
	if (is_urgent && !capable(CAP_SYS_NICE))
		return -EPERM;
	context = vnpu_context_create(client, cmd->device, weight, is_urgent);
	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = vnpu_context_reserve_id(client, &cmd->out_id);
	if (ret)
		goto err_put;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		goto err_cancel;
	vnpu_context_publish_id(client, cmd->out_id, context);
	return 0;

err_cancel:
	vnpu_context_cancel_id(client, cmd->out_id);
err_put:
	vnpu_context_put(context);
	return ret;
}

int vnpu_ioctl_context_destroy(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_context_destroy *cmd = ucmd->cmd;
	struct vnpu_context *context;

	context = vnpu_context_take_id(ucmd->client, cmd->id);
	if (!context)
		return -ENOENT;
	vnpu_context_put(context);
	return 0;
}

int vnpu_ioctl_context_set(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_context_set *cmd = ucmd->cmd;
	bool sets_weight = cmd->flags & VNPU_CONTEXT_SET_F_WEIGHT;
	struct vnpu_context *context;
	u32 weight = 0;
	int ret = 0;

	if (sets_weight)
		ret = vnpu_ioctl_choose_weight(cmd->weight, &weight);
	else if (cmd->weight)
		ret = -EINVAL;
	if (ret)
		return ret;
	context = vnpu_context_get_by_id(ucmd->client, cmd->id);
	if (!context)
		return -ENOENT;
	if (sets_weight && context->sched.is_urgent && !capable(CAP_SYS_NICE)) {
		ret = -EPERM;
		goto out;
	}
	if (sets_weight)
		vnpu_sched_context_set_weight(&context->sched, context->dev,
					      weight);
	if (cmd->flags & VNPU_CONTEXT_SET_F_CLEAR_ERROR)
		vnpu_context_clear(context);
out:
	vnpu_context_put(context);
	return ret;
}

int vnpu_ioctl_context_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_context_query *cmd = ucmd->cmd;
	struct vnpu_context_stats f;
	struct vnpu_context *context;

	context = vnpu_context_get_by_id(ucmd->client, cmd->id);
	if (!context)
		return -ENOENT;
	vnpu_context_read(context, &f);
	cmd->out_device = context->dev->index;
	cmd->out_streams = atomic_read(&context->nr_streams);
	cmd->out_errors = f.nr_errors;
	cmd->out_error = -f.first.error;
	cmd->out_error_op = f.first.op;
	cmd->out_error_stream = f.first.stream;
	cmd->out_error_seq = f.first.seq;
	cmd->out_error_addr = f.first.addr;
	cmd->out_weight = READ_ONCE(context->sched.weight);
	cmd->out_context_flags =
		context->sched.is_urgent ? VNPU_CONTEXT_F_URGENT : 0;
	vnpu_context_put(context);
	return vnpu_ucmd_respond(ucmd);
}
