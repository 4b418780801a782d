// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mapping of a stream's ring as memory of a process: taken out, taken apart,
 * moved. Whatever becomes of it, what is left of it is the same ring.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

FIXTURE(ring)
{
	struct client c;
	struct stream s;
};

FIXTURE_SETUP(ring)
{
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	ASSERT_EQ(0, stream_do(&self->s, (struct vnpu_task){ }));
}

FIXTURE_TEARDOWN(ring)
{
	stream_destroy(&self->s);
	client_close(&self->c);
}

TEST_F(ring, what_is_taken_out_comes_back)
{
	ASSERT_EQ(0, madvise(self->s.ring, VNPU_RING_MAP_SIZE, MADV_DONTNEED));
	EXPECT_EQ(1, stream_completed(&self->s));
	EXPECT_EQ(1, self->s.ring->tail);
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){ }));
	EXPECT_EQ(2, stream_completed(&self->s));
}

TEST_F(ring, a_part_can_go)
{
	__u64 start = addr(self->s.ring);
	__u64 half = start + VNPU_RING_MAP_SIZE / PAGE / 2 * PAGE;

	ASSERT_EQ(0, munmap(ptr(half), start + VNPU_RING_MAP_SIZE - half));
	EXPECT_NE(0, touch_read(half));
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){ }));
	EXPECT_EQ(2, stream_completed(&self->s));
}

TEST_F(ring, a_part_can_be_read_only)
{
	__u64 half = addr(self->s.ring) + VNPU_RING_MAP_SIZE / PAGE / 2 * PAGE;

	ASSERT_EQ(0, mprotect(ptr(half), PAGE, PROT_READ));
	EXPECT_EQ(0, touch_read(half));
	EXPECT_NE(0, touch_write(half, 1));
	EXPECT_EQ(0, touch_write(half + PAGE, 1));
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){ }));
	EXPECT_NE(0, mprotect(ptr(half), PAGE, PROT_READ | PROT_EXEC));
}

TEST_F(ring, it_can_move_but_not_grow)
{
	void *moved;

	EXPECT_EQ(MAP_FAILED, mremap(self->s.ring, VNPU_RING_MAP_SIZE,
				     2 * VNPU_RING_MAP_SIZE, MREMAP_MAYMOVE));
	moved = mmap(NULL, VNPU_RING_MAP_SIZE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, moved);
	ASSERT_EQ(moved, mremap(self->s.ring, VNPU_RING_MAP_SIZE,
				VNPU_RING_MAP_SIZE,
				MREMAP_MAYMOVE | MREMAP_FIXED, moved));
	self->s.ring = moved;
	self->s.slots = ptr(addr(moved) + PAGE);
	ASSERT_EQ(0, madvise(moved, VNPU_RING_MAP_SIZE, MADV_DONTNEED));
	EXPECT_EQ(1, stream_completed(&self->s));
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){ }));
	EXPECT_EQ(2, stream_completed(&self->s));
}

TEST_HARNESS_MAIN
