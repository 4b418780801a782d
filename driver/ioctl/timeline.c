// SPDX-License-Identifier: GPL-2.0-only
/* ioctls on timelines and counters. */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/stddef.h>

#include "base/attach.h"
#include "base/client.h"
#include "exec/stream.h"
#include "sync/counter.h"
#include "sync/timeline.h"
#include "sync/timeline_file.h"
#include "sync/wait.h"
#include "ioctl.h"
#include "trace.h"

/*
 * Give a timeline an id of the client. The id is copied out before it becomes
 * valid. This function takes over the reference, and the hold unless
 * @wait_only; on failure, it releases both.
 */
int vnpu_ioctl_timeline_add(struct vnpu_ucmd *ucmd,
			    struct vnpu_timeline *timeline, bool wait_only,
			    u64 *out_id)
{
	struct vnpu_client *client = ucmd->client;
	int ret;

	ret = vnpu_timeline_reserve_id(client, out_id);
	if (ret)
		goto err_put;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret)
		goto err_cancel;
	vnpu_timeline_publish_id(client, *out_id, timeline, wait_only);
	return 0;

err_cancel:
	vnpu_timeline_cancel_id(client, *out_id);
err_put:
	vnpu_timeline_drop(timeline, wait_only);
	return ret;
}

int vnpu_ioctl_timeline_create(struct vnpu_ucmd *ucmd)
{
	struct vnpu_timeline_create *cmd = ucmd->cmd;
	struct vnpu_timeline *timeline;

	if (cmd->flags & VNPU_TIMELINE_F_COUNTER) {
		timeline = vnpu_counter_create(ucmd->client, cmd->device,
					       cmd->value);
		if (IS_ERR(timeline))
			return PTR_ERR(timeline);
	} else {
		if (cmd->device)
			return -EINVAL;
		timeline = vnpu_timeline_create(cmd->value);
		if (!timeline)
			return -ENOMEM;
	}
	cmd->out_number = timeline->number;
	vnpu_timeline_hold(timeline);
	return vnpu_ioctl_timeline_add(ucmd, timeline, false, &cmd->out_id);
}

int vnpu_ioctl_timeline_destroy(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_timeline_destroy *cmd = ucmd->cmd;

	return vnpu_timeline_give_up_id(ucmd->client, cmd->id);
}

/* The array of points is copied from user space without a conversion. */
static_assert(sizeof(struct vnpu_wait_point) == sizeof(struct vnpu_point));
static_assert(offsetof(struct vnpu_wait_point, value) ==
	      offsetof(struct vnpu_point, value));

int vnpu_ioctl_wait(struct vnpu_ucmd *ucmd)
{
	struct vnpu_wait *cmd = ucmd->cmd;
	struct vnpu_wait_point one, *points = &one;
	u32 stride = cmd->stride ?: sizeof(*points);
	int ret;

	if (!cmd->count || cmd->count > VNPU_WAIT_MAX ||
	    stride < sizeof(*points) || stride % 8)
		return -EINVAL;
	if (cmd->count > 1) {
		points = kvmalloc_array(cmd->count, sizeof(*points),
					GFP_KERNEL_ACCOUNT);
		if (!points)
			return -ENOMEM;
	}
	ret = vnpu_ucmd_read_array(points, sizeof(*points), cmd->points,
				   cmd->count, stride);
	if (!ret)
		ret = vnpu_wait_points(ucmd->client, points, cmd->count,
				       cmd->flags & VNPU_WAIT_F_ALL,
				       cmd->timeout_ns, &cmd->out_index);
	if (points != &one)
		kvfree(points);
	return ret ?: vnpu_ucmd_respond(ucmd);
}

int vnpu_ioctl_signal(struct vnpu_ucmd *ucmd)
{
	const struct vnpu_signal *cmd = ucmd->cmd;
	struct vnpu_timeline *timeline;
	int ret;

	ret = vnpu_timeline_find_to_signal(ucmd->client, cmd->id, &timeline);
	if (ret || !timeline)
		return ret ?: -ENOENT;
	trace_vnpu_timeline_signal(ucmd->client, 0, cmd->id, cmd->value,
				   cmd->mode);
	ret = vnpu_timeline_signal_all(timeline, cmd->value, cmd->mode);
	vnpu_timeline_put(timeline);
	return ret;
}

int vnpu_ioctl_timeline_query(struct vnpu_ucmd *ucmd)
{
	struct vnpu_timeline_query *cmd = ucmd->cmd;
	struct vnpu_timeline *timeline;
	int ret;

	ret = vnpu_timeline_find(ucmd->client, cmd->id, &timeline);
	if (ret)
		return ret;
	cmd->out_value = U64_MAX;
	if (timeline) {
		cmd->out_value = vnpu_timeline_value(timeline);
		ret = vnpu_timeline_error(timeline);
		vnpu_timeline_put(timeline);
	}
	return ret ?: vnpu_ucmd_respond(ucmd);
}

/* Install a file. The descriptor is copied out before it becomes valid. */
int vnpu_ioctl_install(struct vnpu_ucmd *ucmd, struct file *file, s32 *out_fd)
{
	int fd = get_unused_fd_flags(O_CLOEXEC), ret;

	if (fd < 0) {
		fput(file);
		return fd;
	}
	*out_fd = fd;
	ret = vnpu_ucmd_respond(ucmd);
	if (ret) {
		put_unused_fd(fd);
		fput(file);
		return ret;
	}
	fd_install(fd, file);
	return 0;
}

int vnpu_ioctl_timeline_export(struct vnpu_ucmd *ucmd)
{
	struct vnpu_timeline_export *cmd = ucmd->cmd;
	struct vnpu_timeline *timeline;
	struct file *file;
	bool wait_only;
	int ret;

	ret = vnpu_timeline_find_rights(ucmd->client, cmd->id, &timeline,
					&wait_only);
	if (ret || !timeline)
		return ret ?: -ENOENT;
	/*
	 * The file has at most the rights of the id. Streams and fences cannot
	 * be signalled through an id anyway.
	 */
	if (timeline->kind == VNPU_TIMELINE_KIND_TIMELINE ||
	    timeline->kind == VNPU_TIMELINE_KIND_COUNTER)
		wait_only |= cmd->flags & VNPU_TIMELINE_EXPORT_F_WAIT_ONLY;
	if (timeline->kind == VNPU_TIMELINE_KIND_COUNTER && cmd->value)
		file = ERR_PTR(-EINVAL);
	else
		file = vnpu_timeline_file_create(timeline, cmd->value,
						 wait_only);
	vnpu_timeline_put(timeline);
	if (IS_ERR(file))
		return PTR_ERR(file);
	return vnpu_ioctl_install(ucmd, file, &cmd->out_fd);
}

int vnpu_ioctl_timeline_import(struct vnpu_ucmd *ucmd)
{
	struct vnpu_timeline_import *cmd = ucmd->cmd;
	struct vnpu_timeline *timeline;
	bool wait_only;

	timeline = vnpu_timeline_file_get(cmd->fd, &wait_only);
	if (IS_ERR(timeline))
		return PTR_ERR(timeline);
	/*
	 * A counter requires access to its device. An imported stream can only
	 * be waited for.
	 */
	if (timeline->kind == VNPU_TIMELINE_KIND_COUNTER &&
	    !vnpu_client_has_device(ucmd->client, timeline->dev)) {
		vnpu_timeline_drop(timeline, wait_only);
		return -EACCES;
	}
	cmd->out_kind = timeline->kind;
	cmd->out_flags = wait_only ? VNPU_TIMELINE_EXPORT_F_WAIT_ONLY : 0;
	cmd->out_reserved = 0;
	return vnpu_ioctl_timeline_add(ucmd, timeline, wait_only, &cmd->out_id);
}
