/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of compaction: a device full of objects of one
 * size, each with its own contents, of which every second one is freed.
 */
#ifndef SELFTESTS_VNPU_COMPACT_H
#define SELFTESTS_VNPU_COMPACT_H

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define PIECE	(16 * PAGE)

FIXTURE(compact)
{
	struct client c;
	struct vnpu_device_query start;
	__u64 pieces;	/* only the odd ones are allocated */
	__u32 rest;	/* fills the rest of the device */
};

static inline __u64 piece(const FIXTURE_DATA(compact) * self, __u64 i)
{
	return self->c.base + i * PIECE;
}

FIXTURE_SETUP(compact)
{
	__u64 i, rest;

	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, device_query(&self->c, 0, &self->start));
	self->pieces = self->start.out_free / PIECE / 2 * 2;
	for (i = 0; i < self->pieces; i++) {
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS,
					  0, PIECE, piece(self, i)));
		if (i % 2)
			ASSERT_EQ(0, fill(&self->c, piece(self, i), PIECE,
					  0x5eed0000 + i, 8));
	}
	rest = self->start.out_free - self->pieces * PIECE;
	if (rest)
		ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, rest, &self->rest));
	for (i = 0; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
}

FIXTURE_TEARDOWN(compact)
{
	struct vnpu_device_query q;

	/* Wait until no object is being moved. */
	client_close(&self->c);
	ASSERT_EQ(0, client_open_only(&self->c));
	EXPECT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(self->start.out_free, q.out_free);
	client_close(&self->c);
}

static inline bool piece_is_whole(const FIXTURE_DATA(compact) * self, __u64 i)
{
	__u64 buffer[PIECE / 8], k;

	if (copy(&self->c, addr(buffer), piece(self, i), PIECE))
		return false;
	for (k = 0; k < PIECE / 8; k++)
		if (buffer[k] != 0x5eed0000 + i)
			return false;
	return true;
}

static inline bool all_whole(const FIXTURE_DATA(compact) * self)
{
	__u64 i;

	for (i = 1; i < self->pieces; i += 2)
		if (!piece_is_whole(self, i))
			return false;
	return true;
}

#endif
