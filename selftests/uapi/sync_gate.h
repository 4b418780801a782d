/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of sync_files: two streams, and a gate, which is a
 * fence of another driver that is signalled on demand.
 */
#ifndef SELFTESTS_VNPU_SYNC_GATE_H
#define SELFTESTS_VNPU_SYNC_GATE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <linux/dma-buf.h>

#include "kselftest_harness.h"

#include "sync.h"
#include "util.h"
#include "vgem.h"

#define TIMEOUT_MS	"/sys/module/vnpu/parameters/fence_timeout_ms"
#define SIZE		MIB(4)

/* A fence of vgem, and its buffer. */
struct gate {
	int vgem;
	int dmabuf;
	int fd;		/* the sync_file */
	__u32 fence;
};

static inline int gate_create(struct gate *g)
{
	struct dma_buf_export_sync_file e = { .flags = DMA_BUF_SYNC_RW };
	__u32 handle;
	int ret;

	g->vgem = vgem_open();
	if (g->vgem < 0)
		return g->vgem;
	ret = vgem_create(g->vgem, 4096, &handle);
	if (ret)
		return ret;
	g->dmabuf = vgem_export(g->vgem, handle, DRM_RDWR);
	if (g->dmabuf < 0)
		return g->dmabuf;
	ret = vgem_fence_attach(g->vgem, handle, &g->fence);
	if (!ret)
		ret = vgem_call(g->dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &e);
	g->fd = e.fd;
	return ret;
}

static inline int gate_open(const struct gate *g)
{
	return vgem_fence_signal(g->vgem, g->fence);
}

static inline void gate_destroy(const struct gate *g)
{
	close(g->fd);
	close(g->dmabuf);
	close(g->vgem);
}

FIXTURE(sync)
{
	struct client c;
	struct stream a;
	struct stream b;
	struct gate gate;
	__u64 gate_id;	/* a timeline that imports the gate */
	__u64 id;	/* a timeline at 0 */
	__u64 counter;	/* a counter at 0 */
	__u64 va;	/* device memory with host access */
	__u64 *mem;
	int fd;		/* a sync_file */
};

static inline int put_text(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	close(fd);
	return ret;
}

FIXTURE_SETUP(sync)
{
	self->fd = -1;
	if (gate_create(&self->gate))
		SKIP(return, "no vgem, or it makes no sync_files");
	ASSERT_EQ(0, pair_open(&self->c, SIZE, &self->a, &self->b, &self->id,
			       &self->counter));
	self->va = self->c.base;
	self->mem = ptr(self->va);
	ASSERT_EQ(0, sync_import(&self->c, self->gate.fd, &self->gate_id));
}

FIXTURE_TEARDOWN(sync)
{
	if (self->fd >= 0)
		close(self->fd);
	stream_destroy(&self->a);
	stream_destroy(&self->b);
	client_close(&self->c);
	gate_destroy(&self->gate);
	put_text(TIMEOUT_MS, "10000");
}

/* Create a stream whose next tasks wait until the gate is open. */
static inline int shut(FIXTURE_DATA(sync) * self, struct stream *s)
{
	return stream_run(s, task_wait(self->gate_id, 1));
}

/* Export the last submitted task. */
static inline int export_last(FIXTURE_DATA(sync) * self, struct stream *s)
{
	self->fd = sync_export(&self->c, s->id, s->last);
	return self->fd < 0 ? self->fd : 0;
}

#endif
