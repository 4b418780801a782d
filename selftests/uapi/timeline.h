/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of timelines have in common: two streams, and one of each. */
#ifndef SELFTESTS_VNPU_TIMELINE_H
#define SELFTESTS_VNPU_TIMELINE_H

#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

FIXTURE(timeline)
{
	struct client c;
	struct stream a;
	struct stream b;
	__u64 id;	/* a timeline at 0 */
	__u64 counter;	/* a counter at 0 */
	__u64 va;	/* a page of device memory that the host may touch */
	__u64 *mem;
};

FIXTURE_SETUP(timeline)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->va = self->c.base;
	self->mem = ptr(self->va);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE,
				  self->va));
	memset(self->mem, 0, PAGE);
	ASSERT_EQ(0, stream_create(&self->a, &self->c, 0));
	ASSERT_EQ(0, stream_create(&self->b, &self->c, 0));
	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &self->id));
	ASSERT_EQ(0, timeline_create(&self->c, VNPU_TIMELINE_F_COUNTER, 0, 0,
				     &self->counter));
}

FIXTURE_TEARDOWN(timeline)
{
	stream_destroy(&self->a);
	stream_destroy(&self->b);
	client_close(&self->c);
}

#endif
