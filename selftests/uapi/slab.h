/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of slabs: a client with a window for them, and a
 * check that the device is as before when it is closed.
 */
#ifndef SELFTESTS_VNPU_SLAB_H
#define SELFTESTS_VNPU_SLAB_H

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define MAX	VNPU_SLAB_MAX_LENGTH
#define ALIGN	VNPU_SLAB_ALIGNMENT

FIXTURE(slab)
{
	struct client c;
	struct vnpu_device_query start;
	__u64 window;
	__u64 length;
};

FIXTURE_SETUP(slab)
{
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, device_query(&self->c, 0, &self->start));
	self->window = self->c.base + MIB(4);
	self->length = 8 * self->start.out_total;
	if (self->length > self->c.size / 4)
		self->length = self->c.size / 4;
	ASSERT_EQ(0, slab_window(&self->c, 0, self->window, self->length));
}

FIXTURE_TEARDOWN(slab)
{
	struct vnpu_device_query q;
	struct client after;

	client_close(&self->c);
	ASSERT_EQ(0, client_open_only(&after));
	ASSERT_EQ(0, device_query(&after, 0, &q));
	EXPECT_EQ(self->start.out_free, q.out_free);
	EXPECT_EQ(self->start.out_largest_free, q.out_largest_free);
	EXPECT_EQ(self->start.out_free_2m, q.out_free_2m);
	client_close(&after);
}

static inline __u64 client_used(const struct client *c)
{
	struct vnpu_device_query q;

	return device_query(c, 0, &q) ? ~0ULL : q.out_client_used;
}

#endif
