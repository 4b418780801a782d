// SPDX-License-Identifier: GPL-2.0-only
/* Compaction if no large page can be moved before a place is made for it. */
#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define PIECE	(16 * PAGE)

/*
 * Of four places of 2 MiB, three are large pages. One has small pages, of which
 * every second is free. So large pages can only be moved if small ones make a
 * place for them.
 */
FIXTURE(scarce)
{
	struct client c;
	__u64 places;
	__u64 pieces;	/* only the odd ones are allocated */
	__u64 free;
};

static __u64 scarce_piece(const FIXTURE_DATA(scarce) * self, __u64 i)
{
	return self->c.base + GIB(4) + i * PIECE;
}

FIXTURE_SETUP(scarce)
{
	struct vnpu_device_query q;
	__u64 i;

	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_EQ(q.out_free, q.out_free_2m);
	self->places = q.out_free / MIB(2);
	for (i = 0; i < self->places; i++) {
		__u64 va = self->c.base + i * MIB(2);

		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M,
					  MIB(2), va));
		ASSERT_EQ(0, fill(&self->c, va, MIB(2), i, 8));
	}
	for (i = 0; i < self->places; i += 4)
		ASSERT_EQ(0, va_unbind(&self->c, self->c.base + i * MIB(2), 0));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	self->pieces = q.out_free / PIECE;
	for (i = 0; i < self->pieces; i++) {
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PIECE,
					  scarce_piece(self, i)));
		ASSERT_EQ(0, fill(&self->c, scarce_piece(self, i), PIECE, i,
				  8));
	}
	for (i = 0; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, scarce_piece(self, i), 0));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_EQ(0, q.out_free_2m);
	self->free = q.out_free;
}

FIXTURE_TEARDOWN(scarce)
{
	client_close(&self->c);
}

static bool is_filled(const struct client *c, __u64 va, __u64 length,
		      __u64 value)
{
	static __u64 buffer[MIB(2) / 8];
	__u64 k;

	if (copy(c, addr(buffer), va, length))
		return false;
	for (k = 0; k < length / 8; k++)
		if (buffer[k] != value)
			return false;
	return true;
}

static bool scarce_whole(const FIXTURE_DATA(scarce) * self)
{
	__u64 i;

	for (i = 0; i < self->places; i++)
		if (i % 4 && !is_filled(&self->c, self->c.base + i * MIB(2),
					MIB(2), i))
			return false;
	for (i = 1; i < self->pieces; i += 2)
		if (!is_filled(&self->c, scarce_piece(self, i), PIECE, i))
			return false;
	return true;
}

TEST_F(scarce, makes_places_for_large_pages)
{
	__u32 id;

	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS |
				     VNPU_MEM_F_NO_COMPACT, 0, MIB(6), &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       MIB(6) + PAGE, &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS,
			       VNPU_PAGE_SHIFT_2M, MIB(4), &id));
	EXPECT_TRUE(scarce_whole(self));
}

/*
 * There is no room elsewhere for the pages that must be moved to make places.
 */
TEST_F(scarce, all_free_memory)
{
	__u32 id;

	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				     self->free + PAGE, &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       self->free, &id));
	EXPECT_TRUE(scarce_whole(self));
}

TEST_F(scarce, large_pages)
{
	__u32 id;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, self->free,
			       &id));
	EXPECT_TRUE(scarce_whole(self));
}

TEST_HARNESS_MAIN
