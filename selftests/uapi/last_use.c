// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that is freed while a task uses it. All clients share the engine, so
 * the engine does not free it: memory of every kind is free when the call
 * returns, and no request for memory or quota is refused because of it.
 */
#include "kselftest_harness.h"

#include "host_charge.h"
#include "stream.h"
#include "util.h"

/* Pieces that an engine uses without the client's lock, and a few of them. */
#define HALF		MIB(2)
#define SIZE		(2 * HALF)

/* More tasks than are done until the memory is freed. */
#define TASKS		20

#define REPEATS		200

FIXTURE(last_use)
{
	struct client c;
	struct stream s;
	struct rng rng;
	__u64 va;	/* address of the memory */
	__u64 other;	/* HALF bytes that stay allocated */
	__u64 used;	/* free on the device before the test */
	__u64 pinned;	/* free for the process before the test */
	__u64 host_quota;
	void *pages;
};

/* Check that all but @left bytes of the freed memory are free. */
FIXTURE_VARIANT(last_use)
{
	int (*take)(FIXTURE_DATA(last_use) *self);
	__u64 (*left)(FIXTURE_DATA(last_use) *self);
	bool is_read_only;
};

static int bind_only(FIXTURE_DATA(last_use) *self, __u32 id)
{
	int ret = va_bind(&self->c, id, self->va, SIZE, 0);

	return mem_free(&self->c, id) ?: ret;
}

static int take_device(FIXTURE_DATA(last_use) *self)
{
	return mem_alloc_at(&self->c, 0, 0, 0, SIZE, self->va);
}

/* One call frees many objects. */
static int take_many(FIXTURE_DATA(last_use) *self)
{
	int ret = 0;
	__u64 at;

	for (at = 0; !ret && at < SIZE; at += KIB(64))
		ret = mem_alloc_at(&self->c, 0, 0, 0, KIB(64), self->va + at);
	return ret;
}

static __u64 left_device(FIXTURE_DATA(last_use) *self)
{
	return device_used(&self->c, 0) - self->used;
}

/* Free the memory that the window shows, to which nothing else refers. */
static int take_view(FIXTURE_DATA(last_use) *self)
{
	struct vnpu_mem_import_dmabuf import = { };
	int fd, ret;
	__u32 id;

	ret = mem_alloc(&self->c, 0, 0, 0, SIZE, &id);
	if (ret)
		return ret;
	fd = mem_export_dmabuf(&self->c, VNPU_MEM_EXPORT_DMABUF_F_READ_ONLY, id);
	ret = fd < 0 ? fd : mem_import_dmabuf(&self->c, fd, &import);
	close(fd);
	return mem_free(&self->c, id) ?: ret ?: bind_only(self, import.out_id);
}

static int take_host(FIXTURE_DATA(last_use) *self)
{
	__u32 id;

	return host_alloc(&self->c, SIZE, &id) ?: bind_only(self, id);
}

/* The quota is exactly this much. */
static __u64 left_host(FIXTURE_DATA(last_use) *self)
{
	__u32 id;

	return host_alloc(&self->c, SIZE, &id) ? SIZE : mem_free(&self->c, id);
}

static int take_registered(FIXTURE_DATA(last_use) *self)
{
	__u32 id;

	return host_register(&self->c, 0, self->pages, SIZE, &id) ?:
	       bind_only(self, id);
}

static __u64 left_registered(FIXTURE_DATA(last_use) *self)
{
	return pinned_kib() * KIB(1) - self->pinned;
}

#define VARIANT(name, what, rest, reads)				\
	FIXTURE_VARIANT_ADD(last_use, name)				\
	{								\
		.take = take_##what,					\
		.left = left_##rest,					\
		.is_read_only = reads,					\
	}

VARIANT(device, device, device, false);
VARIANT(many, many, device, false);
VARIANT(view, view, device, true);
VARIANT(host, host, host, false);
VARIANT(registered, registered, registered, false);

FIXTURE_SETUP(last_use)
{
	self->rng = rng_init();
	self->pinned = pinned_kib() * KIB(1);
	self->host_quota = host_quota_get();
	ASSERT_EQ(0, host_quota_set(SIZE));
	host_charge_may_exceed(false);
	self->pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->pages);
	ASSERT_EQ(0, client_open(&self->c));
	self->va = self->c.base;
	self->other = self->va + SIZE;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, HALF, self->other));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	self->used = device_used(&self->c, 0);
}

FIXTURE_TEARDOWN(last_use)
{
	client_close(&self->c);
	host_charge_may_exceed(true);
	EXPECT_EQ(0, host_quota_set(self->host_quota));
}

static void put_tasks(struct stream *s, __u64 dst, __u64 src)
{
	int i;

	for (i = 0; i < TASKS; i++)
		stream_put(s, task_copy(dst, src, HALF));
}

/* In the middle of a task, most likely. */
static void wait_a_moment(FIXTURE_DATA(last_use) *self)
{
	const __u64 first = self->s.last - TASKS + 1;
	__u64 until;

	while (stream_completed(&self->s) < first)
		;
	until = now_ns() + rng_below(&self->rng, 1000000);
	while (now_ns() < until)
		;
}

TEST_F_TIMEOUT(last_use, is_free_at_once, 300)
{
	struct stream *s = &self->s;
	int i;

	for (i = 0; i < REPEATS; i++) {
		ASSERT_EQ(0, variant->take(self));
		put_tasks(s, variant->is_read_only ? self->other :
						     self->va + HALF,
			  self->va);
		ASSERT_EQ(0, stream_submit(s));
		wait_a_moment(self);
		ASSERT_EQ(0, va_unbind(&self->c, self->va, SIZE));
		ASSERT_EQ(0, variant->left(self))
			TH_LOG("after %d times", i);
		ASSERT_EQ(0, stream_wait(s, 60000));
		ASSERT_EQ(0, variant->left(self));
	}
	EXPECT_LT(0, s->ring->errors);
	EXPECT_EQ(EFAULT, s->ring->error);
}

TEST_HARNESS_MAIN
