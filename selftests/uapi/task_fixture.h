/* SPDX-License-Identifier: GPL-2.0-only */
/* The fixture of tests of tasks: a stream, and memory of many objects. */
#ifndef SELFTESTS_VNPU_TASK_FIXTURE_H
#define SELFTESTS_VNPU_TASK_FIXTURE_H

#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

#define SIZE	MIB(4)

FIXTURE(task)
{
	struct client c;
	struct stream s;
	/* SIZE bytes of device memory, in pieces of many objects */
	__u64 va;
	__u8 *mem;	/* its mapping by the host */
	__u8 *model;
};

FIXTURE_SETUP(task)
{
	struct rng r = rng_init();
	__u64 at;

	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->va = self->c.base;
	self->mem = ptr(self->va);
	for (at = 0; at < SIZE; at += KIB(64))
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS,
					  0, KIB(64), self->va + at));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	self->model = malloc(SIZE);
	ASSERT_TRUE(self->model);
	rng_fill(&r, self->mem, SIZE);
	memcpy(self->model, self->mem, SIZE);
}

FIXTURE_TEARDOWN(task)
{
	free(self->model);
	stream_destroy(&self->s);
	client_close(&self->c);
}

#endif
