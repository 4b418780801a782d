/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of timelines: two streams, a timeline and a
 * counter.
 */
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
	__u64 va;	/* a page of device memory with host access */
	__u64 *mem;
};

FIXTURE_SETUP(timeline)
{
	ASSERT_EQ(0, pair_open(&self->c, PAGE, &self->a, &self->b, &self->id,
			       &self->counter));
	self->va = self->c.base;
	self->mem = ptr(self->va);
}

FIXTURE_TEARDOWN(timeline)
{
	stream_destroy(&self->a);
	stream_destroy(&self->b);
	client_close(&self->c);
}

#endif
