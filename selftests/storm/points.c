// SPDX-License-Identifier: GPL-2.0-only
/* Calls that may wait, see points.h. */
#include "kselftest.h"

#include <poll.h>
#include <sys/mman.h>

#include "../uapi/stream.h"
#include "../uapi/sync.h"
#include "../uapi/trouble.h"
#include "points.h"

int party_enter(struct party *self)
{
	struct client *c = &self->c;
	int ret;

	ret = client_open_only(c) ?:
	      window_map(c, MIB(512), PROT_READ | PROT_WRITE) ?:
	      stream_create(&self->s, c, 0) ?:
	      stream_create(&self->small_s, c, self->small) ?:
	      mem_alloc_at(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, MIB(8), c->base) ?:
	      mem_alloc_at(c, self->small, 0, 0, MIB(1), c->base + MIB(16)) ?:
	      slab_window(c, 0, c->base + MIB(192), MIB(32));
	self->pieces = c->base + MIB(256);
	self->run = c->base + MIB(288);
	self->run_length = MIB(4);
	return ret;
}

void party_leave(struct party *self)
{
	if (self->c.fd < 0)
		return;
	stream_destroy(&self->s);
	stream_destroy(&self->small_s);
	client_close(&self->c);
}

static int wait_long(struct party *self)
{
	__u64 id;
	int ret;

	if (timeline_create(&self->c, 0, 0, 0, &id))
		return -EPROTO;
	ret = wait_point(&self->c, id, 1, in_ms(10));
	timeline_destroy(&self->c, id);
	return ret == -ETIMEDOUT ? 0 : ret;
}

static int poll_timeline(struct party *self)
{
	struct pollfd p = { .events = POLLIN };
	int ret;
	__u64 id;

	if (timeline_create(&self->c, 0, 0, 0, &id))
		return -EPROTO;
	p.fd = timeline_export(&self->c, id, 1);
	ret = poll(&p, 1, 5);
	ret = ret < 0 ? -errno : ret;
	close(p.fd);
	timeline_destroy(&self->c, id);
	return ret;
}

static int copy_much(struct party *self)
{
	return copy(&self->c, self->c.base, addr(self->host), MIB(8));
}

static int fill_much(struct party *self)
{
	return fill(&self->c, self->c.base, MIB(8), 3, 1);
}

/* Dirty memory has to be cleared before it is allocated. */
static int allocate(struct party *self)
{
	__u64 va = self->c.base + MIB(64);
	int ret = mem_alloc_at(&self->c, 0, VNPU_MEM_F_CONTIGUOUS,
			       VNPU_PAGE_SHIFT_2M, MIB(16), va);

	return ret ? ret : va_unbind(&self->c, va, 0);
}

/* Fill the free memory with pieces, and free half of the own ones. */
static int scatter(struct party *self)
{
	int i, k, ret;

	for (i = 0; i < PIECES; i++) {
		if (self->is_there[i])
			continue;
		ret = mem_alloc_at(&self->c, self->small, 0, 0, PIECE,
				   self->pieces + i * PIECE);
		if (ret == -ENOSPC)
			break;
		if (ret)
			return ret;
		self->is_there[i] = true;
	}
	for (i = 0; i < PIECES; i += 2) {
		k = i + (int)rng_below(&self->r, 2);
		if (!self->is_there[k])
			continue;
		ret = va_unbind(&self->c, self->pieces + k * PIECE, 0);
		if (ret)
			return ret;
		self->is_there[k] = false;
	}
	return 0;
}

/*
 * Memory of other clients is moved for the request. Rivals may take the memory
 * that would be needed; a refused call has waited for a compaction
 * nevertheless.
 */
static int compact(struct party *self)
{
	int ret = scatter(self);

	if (!ret)
		ret = mem_alloc_at(&self->c, self->small, VNPU_MEM_F_CONTIGUOUS,
				   VNPU_PAGE_SHIFT_2M, self->run_length,
				   self->run);
	if (ret)
		return ret == -ENOSPC ? 0 : ret;
	self->granted++;
	return va_unbind(&self->c, self->run, 0);
}

/* Slabs that were freed with their objects. */
static int grow_slabs(struct party *self)
{
	__u64 va[256];
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(va) && !ret; i++)
		ret = slab_alloc(&self->c, 0, 2048, &va[i], NULL);
	for (i = 0; i < ARRAY_SIZE(va) && !ret; i++)
		ret = slab_free(&self->c, va[i]);
	return ret;
}

static int reset_in_use(struct party *self)
{
	stream_run(&self->small_s, task_fill(self->c.base + MIB(16), MIB(1), 1,
					     1));
	return device_reset(self->small);
}

static int make_stream(struct party *self)
{
	struct stream s;
	int ret = stream_create_only(&s, &self->c, 0, 0, 0, 0);
	int mapped;

	if (ret)
		return ret;
	mapped = stream_map(&s);
	ret = stream_destroy(&s);
	return mapped ? mapped : ret;
}

/* End a running task, and the queue after it. */
static int abort_stream(struct party *self)
{
	stream_put(&self->s, task_fill(self->c.base, MIB(8), 1, 1));
	stream_run(&self->s, task_copy(self->c.base + MIB(4), self->c.base,
				       MIB(4)));
	return stream_abort(&self->s, NULL);
}

static int unbind_in_use(struct party *self)
{
	__u64 va = self->c.base + MIB(128);
	int ret = mem_alloc_at(&self->c, 0, 0, 0, MIB(4), va);

	if (ret)
		return ret;
	stream_run(&self->s, task_fill(va, MIB(4), 1, 1));
	return va_unbind(&self->c, va, 0);
}

static int fence_once(struct party *self)
{
	__u64 id;
	int fd = sync_export(&self->c, self->s.id, self->s.last);
	int ret;

	if (fd < 0)
		return fd;
	ret = sync_import(&self->c, fd, &id);
	if (!ret)
		ret = timeline_destroy(&self->c, id);
	close(fd);
	return ret;
}

/* Export the last of many tasks, all of which are checked each time. */
static int export_fence(struct party *self)
{
	struct stream *s = &self->s;
	int i, waited, ret = 0;

	stream_put(s, task_fill(self->c.base, MIB(8), 1, 1));
	for (i = 0; i < 200; i++)
		stream_put(s, task_fill(self->c.base, 8, 1, 1));
	stream_submit(s);
	for (i = 0; i < 50 && !ret; i++)
		ret = fence_once(self);
	waited = wait_through(&self->c, s->id, s->last);
	return ret ? ret : waited;
}

static int register_host(struct party *self)
{
	__u32 id;
	int ret = host_register(&self->c, 0, self->host, MIB(8), &id);

	return ret ? ret : mem_free(&self->c, id);
}

static int allocate_host(struct party *self)
{
	__u32 id;
	int ret = host_alloc(&self->c, MIB(8), &id);

	return ret ? ret : mem_free(&self->c, id);
}

static int touch_pages(struct party *self)
{
	__u64 at;

	for (at = 0; at < MIB(1); at += PAGE)
		if (touch_write(self->c.base + at, 1))
			return -EFAULT;
	madvise(ptr(self->c.base), MIB(1), MADV_DONTNEED);
	return 0;
}

static int open_and_close(struct party *self)
{
	struct client c;
	int ret = client_open(&c);

	(void)self;
	if (!ret)
		client_close(&c);
	return ret;
}

const struct point points[] = {
	{ "wait", wait_long, UNLESS_RESTARTED, 0 },
	{ "poll", poll_timeline, ALWAYS, 0 },
	{ "copy", copy_much, NEVER, 0 },
	{ "fill", fill_much, NEVER, 0 },
	{ "allocate", allocate, NEVER, 0 },
	{ "compact", compact, NEVER, POINT_RIVALS },
	{ "slabs", grow_slabs, NEVER, POINT_RIVALS },
	{ "stream", make_stream, NEVER, 0 },
	{ "abort", abort_stream, NEVER, 0 },
	{ "unbind", unbind_in_use, NEVER, 0 },
	{ "export and import", export_fence, NEVER, POINT_RIVALS },
	{ "reset", reset_in_use, NEVER, POINT_RIVALS },
	{ "register", register_host, NEVER, 0 },
	{ "allocate host memory", allocate_host, NEVER, 0 },
	{ "touch", touch_pages, NEVER, 0 },
	{ "open", open_and_close, NEVER, 0 },
};

const int nr_points = ARRAY_SIZE(points);
