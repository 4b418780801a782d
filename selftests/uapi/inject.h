/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of injected faults: a client with memory and a
 * stream, on a device without faults or detection of hangs.
 */
#ifndef SELFTESTS_VNPU_INJECT_H
#define SELFTESTS_VNPU_INJECT_H

#include "kselftest_harness.h"

#include "param.h"
#include "stream.h"
#include "trouble.h"
#include "util.h"

#define HANG		VNPU_INJECT_KIND_ENGINE_HANG
#define SLOW		VNPU_INJECT_KIND_ENGINE_SLOW
#define LOST		VNPU_INJECT_KIND_DOORBELL_LOST
#define NO_MEMORY	VNPU_INJECT_KIND_ALLOC_FAIL
#define OVERRUN		VNPU_INJECT_KIND_EVENT_OVERRUN
#define NO_HOST_MEMORY	VNPU_INJECT_KIND_HOST_ALLOC_FAIL
#define NO_ACCESS	VNPU_INJECT_KIND_ACCESS_FAULT
#define COPY		VNPU_ENGINE_CLASS_COPY
#define VECTOR		VNPU_ENGINE_CLASS_VECTOR

#define NOP		((struct vnpu_task){})

FIXTURE(inject)
{
	struct client c;
	struct stream s;
	__u64 id;	/* of the client */
	__u64 va;	/* 8 MiB of device memory with host access */
	__u8 *mem;
	unsigned int hang_ms;	/* value before the test */
};

FIXTURE_SETUP(inject)
{
	ASSERT_EQ(0, param_get("hang_timeout_ms", &self->hang_ms));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->id = client_id(&self->c);
	self->va = self->c.base;
	self->mem = ptr(self->va);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(8), self->va));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	ASSERT_EQ(0, faults_clear(0));
	/*
	 * Disable the detection of hangs, as the whole machine may be stopped
	 * for a while.
	 */
	ASSERT_EQ(0, param_set("hang_timeout_ms", 0));
}

FIXTURE_TEARDOWN(inject)
{
	EXPECT_EQ(0, param_set("hang_timeout_ms", self->hang_ms));
	EXPECT_EQ(0, faults_clear(0));
	stream_destroy(&self->s);
	client_close(&self->c);
}

/*
 * The active faults; members of the last one that are not reported are all
 * ones.
 */
struct listed {
	int count;	/* -1 if they cannot be listed */
	struct fault last;
	__u64 hits;	/* values of the last one */
};

static inline int take_listed(const struct nlmsghdr *head, void *arg)
{
	struct listed *l = arg;

	l->count++;
	l->last = (struct fault){
		.device = nl_u32(head, VNPU_A_INJECT_DEV_ID),
		.kind = nl_u32(head, VNPU_A_INJECT_KIND),
		.client = nl_u64(head, VNPU_A_INJECT_CLIENT_ID),
		.class = nl_u32(head, VNPU_A_INJECT_CLASS),
		.nth = nl_u64(head, VNPU_A_INJECT_NTH),
		.delay_us = nl_u64(head, VNPU_A_INJECT_DELAY_US),
		.addr = nl_u64(head, VNPU_A_INJECT_ADDR),
		.every = nl_u64(head, VNPU_A_INJECT_EVERY),
		.ppm = nl_u32(head, VNPU_A_INJECT_PPM),
		.seed = nl_u64(head, VNPU_A_INJECT_SEED),
	};
	l->hits = nl_u64(head, VNPU_A_INJECT_HITS);
	return 0;
}

static inline struct listed list(void)
{
	struct listed l = { 0 };
	int fd = nl_open();

	if (nl_dump(fd, nl_family(fd), VNPU_CMD_INJECT_GET, take_listed,
		    &l) < 0)
		l.count = -1;
	close(fd);
	return l;
}

/* Check that a stream does not advance. */
static inline bool is_stuck(const struct stream *s)
{
	return stream_wait(s, 60) == -ETIMEDOUT;
}

/* The same, for this kind of fault. */
static inline bool is_stuck_by(const struct stream *s, __u32 kind)
{
	return !fault_wait(0, kind) && is_stuck(s);
}

#endif
