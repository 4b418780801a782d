/* SPDX-License-Identifier: GPL-2.0-only */
/* A client with an engine file and a process that acts as its core. */
#ifndef UAPI_ENGINE_H
#define UAPI_ENGINE_H

#include "kselftest_harness.h"

#include "core.h"

FIXTURE(engine)
{
	struct client c;
	struct stream s;
	struct core k;
	__u64 va;	/* 4 MiB of device memory, with host access */
	__u64 *args;	/* its first page: arguments */
	__u64 *data;	/* its second page */
};

FIXTURE_SETUP(engine)
{
	memset(&self->k, 0, sizeof(self->k));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->va = self->c.base;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(4), self->va));
	self->args = ptr(self->va);
	self->data = ptr(self->va + PAGE);
	memset(self->args, 0, 2 * PAGE);
	self->args[0] = self->va + PAGE;
	self->args[1] = 8;
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

FIXTURE_TEARDOWN(engine)
{
	core_end(&self->k);
	stream_destroy(&self->s);
	client_close(&self->c);
}

static inline struct vnpu_task add(const struct client *c)
{
	return task_launch(CORE_ADD, c->base, 16);
}

#endif /* UAPI_ENGINE_H */
