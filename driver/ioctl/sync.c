// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctls that convert tasks to sync_files, and sync_files to timelines.
 *
 * Without CONFIG_SYNC_FILE, as in Debian's cloud kernels, they fail: the
 * compiler removes the code that calls the kernel's sync_file functions.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kconfig.h>
#include <linux/sync_file.h>

#include "base/client.h"
#include "exec/fence.h"
#include "exec/latch.h"
#include "exec/stream.h"
#include "sync/fence_import.h"
#include "ioctl.h"

/* Create a fence for a task of one of the client's own streams. */
static struct dma_fence *vnpu_sync_fence(struct vnpu_client *client,
					 struct vnpu_stream *stream, u64 value)
{
	struct vnpu_fence *fence;
	int ret;

	if (vnpu_timeline_error(&stream->timeline))
		return ERR_PTR(-EIO);
	if (!value)
		return dma_fence_get_stub();
	/* Before the tasks are latched, so that the fence sees each failure. */
	fence = vnpu_fence_create(client, stream, value);
	if (IS_ERR(fence))
		return ERR_CAST(fence);
	ret = vnpu_stream_latch(stream, value);
	if (ret) {
		vnpu_fence_cancel(fence);
		return ERR_PTR(ret);
	}
	return &fence->base;
}

/*
 * Return a signalled fence for a point of another timeline, if it is reached.
 */
static struct dma_fence *vnpu_sync_stub(const struct vnpu_timeline *timeline,
					u64 value)
{
	if (timeline->kind == VNPU_TIMELINE_KIND_COUNTER)
		return ERR_PTR(-EINVAL);
	if (vnpu_timeline_value(timeline) < value)
		return ERR_PTR(-EBUSY);
	return READ_ONCE(timeline->error) ? ERR_PTR(-EIO) : dma_fence_get_stub();
}

static struct dma_fence *vnpu_sync_fence_by_id(struct vnpu_client *client,
					       u64 id, u64 value)
{
	struct vnpu_timeline *timeline;
	struct dma_fence *fence;
	int ret;

	ret = vnpu_timeline_find(client, id, &timeline);
	if (ret)
		return ERR_PTR(ret);
	if (!timeline)
		return dma_fence_get_stub();
	if (timeline->kind == VNPU_TIMELINE_KIND_STREAM &&
	    /* Pairs with smp_store_release() in vnpu_stream_end(). */
	    smp_load_acquire(&vnpu_stream_of(timeline)->client) == client)
		fence = vnpu_sync_fence(client, vnpu_stream_of(timeline),
					value);
	else
		fence = vnpu_sync_stub(timeline, value);
	vnpu_timeline_put(timeline);
	return fence;
}

int vnpu_ioctl_sync_export(struct vnpu_ucmd *ucmd)
{
	struct vnpu_sync_export *cmd = ucmd->cmd;
	struct sync_file *sync_file;
	struct dma_fence *fence;

	if (!IS_ENABLED(CONFIG_SYNC_FILE))
		return -EOPNOTSUPP;
	fence = vnpu_sync_fence_by_id(ucmd->client, cmd->id, cmd->value);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	sync_file = sync_file_create(fence);
	dma_fence_put(fence);
	if (!sync_file)
		return -ENOMEM;
	return vnpu_ioctl_install(ucmd, sync_file->file, &cmd->out_fd);
}

int vnpu_ioctl_sync_import(struct vnpu_ucmd *ucmd)
{
	struct vnpu_sync_import *cmd = ucmd->cmd;
	struct vnpu_timeline *timeline;
	struct dma_fence *fence;
	struct file *file;

	if (!IS_ENABLED(CONFIG_SYNC_FILE))
		return -EOPNOTSUPP;
	file = fget(cmd->fd);
	if (!file)
		return -EBADF;
	fput(file);
	fence = sync_file_get_fence(cmd->fd);
	if (!fence)
		return -EINVAL;
	timeline = vnpu_fence_import(fence);
	dma_fence_put(fence);
	if (IS_ERR(timeline))
		return PTR_ERR(timeline);
	return vnpu_ioctl_timeline_add(ucmd, timeline, false, &cmd->out_id);
}
