// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction: a request succeeds if free memory suffices but is fragmented, and
 * objects that are moved for it keep their contents.
 */
#include "compact.h"

TEST_F(compact, contiguous)
{
	__u64 want = self->pieces / 2 * PIECE / 2;
	struct vnpu_device_query q;
	struct vnpu_mem_query m;
	__u32 id;

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_GT(want, q.out_largest_free);
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS |
				     VNPU_MEM_F_NO_COMPACT, 0, want, &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, want,
			       &id));
	ASSERT_EQ(0, mem_query(&self->c, id, &m));
	EXPECT_EQ(1, m.out_extents);
	EXPECT_TRUE(all_whole(self));

	/* The new object contains nothing of the objects that were moved. */
	ASSERT_EQ(0, va_bind(&self->c, id, self->c.base + GIB(4), want, 0));
	while (want) {
		static __u8 buffer[MIB(1)];
		__u64 n = want < sizeof(buffer) ? want : sizeof(buffer);

		want -= n;
		ASSERT_EQ(0, copy(&self->c, addr(buffer),
				  self->c.base + GIB(4) + want, n));
		ASSERT_TRUE(is_all(buffer, 0, n));
	}
}

/* Allocate all of the free memory, and not one page more. */
TEST_F(compact, all_free_memory)
{
	__u64 want = self->pieces / 2 * PIECE;
	__u32 id;

	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				     want + PAGE, &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, want,
			       &id));
	EXPECT_TRUE(all_whole(self));
}

TEST_F(compact, large_pages)
{
	__u64 want = self->pieces / 2 * PIECE / MIB(2) * MIB(2);
	struct vnpu_device_query q;
	struct vnpu_mem_query m;
	__u32 id;

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_free_2m);
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_NO_COMPACT,
				     VNPU_PAGE_SHIFT_2M, MIB(2), &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, MIB(2),
			       &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M,
			       want - MIB(2), &id));
	ASSERT_EQ(0, mem_query(&self->c, id, &m));
	EXPECT_EQ(VNPU_PAGE_SHIFT_2M, m.out_page_shift);
	EXPECT_TRUE(all_whole(self));
}

/* Mappings of the host follow the memory. */
TEST_F(compact, host_mappings_follow)
{
	__u64 i;
	__u32 id;

	for (i = 1; i < self->pieces; i += 2)
		ASSERT_EQ(0x5eed0000 + i, *(__u64 *)ptr(piece(self, i)));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       self->pieces / 2 * PIECE, &id));
	for (i = 1; i < self->pieces; i += 2) {
		volatile __u64 *p = ptr(piece(self, i));

		ASSERT_EQ(0x5eed0000 + i, *p);
		*p = i;
	}
	for (i = 1; i < self->pieces; i += 2) {
		__u64 value;

		ASSERT_EQ(0, copy(&self->c, addr(&value), piece(self, i), 8));
		ASSERT_EQ(i, value);
	}
}

/* Contiguous objects are moved, and stay contiguous. */
TEST_F(compact, moves_contiguous_objects)
{
	__u64 want = self->pieces / 2 * PIECE / 2, i;
	struct vnpu_mem_query m;
	__u32 id;

	for (i = 1; i < self->pieces; i += 8) {
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_CONTIGUOUS |
					  VNPU_MEM_F_NO_COMPACT |
					  VNPU_MEM_F_HOST_ACCESS, 0, PIECE,
					  piece(self, i)));
		ASSERT_EQ(0, fill(&self->c, piece(self, i), PIECE,
				  0x5eed0000 + i, 8));
		ASSERT_EQ(0x5eed0000 + i, *(__u64 *)ptr(piece(self, i)));
	}
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, want,
			       &id));
	EXPECT_TRUE(all_whole(self));
	for (i = 1; i < self->pieces; i += 8) {
		ASSERT_EQ(0x5eed0000 + i, *(__u64 *)ptr(piece(self, i)));
		ASSERT_EQ(0, mem_open(&self->c, piece(self, i), &id));
		ASSERT_EQ(0, mem_query(&self->c, id, &m));
		ASSERT_EQ(1, m.out_extents);
		ASSERT_EQ(0, mem_free(&self->c, id));
	}
}

/*
 * Contiguous objects are not moved if there is no free run for them: here each
 * fills a hole of three pieces.
 */
TEST_F(compact, blocked_by_contiguous)
{
	const __u64 step = 64;
	struct vnpu_device_query q;
	__u64 i;
	__u32 id;

	for (i = 1; i + 1 < self->pieces; i += step) {
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_CONTIGUOUS |
					  VNPU_MEM_F_NO_COMPACT, 0, 3 * PIECE,
					  self->c.base + GIB(4) + i * PIECE));
	}
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_LT(step * PIECE, q.out_free);
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				     step * PIECE, &id));
	EXPECT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       (step - 3) * PIECE, &id));
	for (i = 3; i < self->pieces; i += 2)
		if (i % step != 1)
			ASSERT_TRUE(piece_is_whole(self, i));
}

/*
 * Mappings of dma-bufs, which belong to no window, follow the memory as well.
 */
TEST_F(compact, dmabuf_mappings_follow)
{
	const unsigned int step = 16;
	const __u64 count = self->pieces / step;
	volatile __u64 *maps[count];
	struct vnpu_device_query q;
	__u64 i, n, value;
	__u32 id;
	int fd;

	for (n = 0; n < count; n++) {
		ASSERT_EQ(0, mem_open(&self->c, piece(self, n * step + 1), &id));
		fd = mem_export_dmabuf(&self->c, 0, id);
		ASSERT_LE(0, fd);
		maps[n] = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED,
			       fd, 0);
		ASSERT_NE(MAP_FAILED, (void *)maps[n]);
		ASSERT_EQ(0x5eed0000 + n * step + 1, maps[n][0]);
		close(fd);
		ASSERT_EQ(0, mem_free(&self->c, id));
	}
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       self->pieces / 2 * PIECE, &id));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_free);
	for (n = 0; n < count; n++) {
		i = n * step + 1;
		for (value = 0; value < PIECE / 8; value++)
			ASSERT_EQ(0x5eed0000 + i, maps[n][value]);
		maps[n][5] = i;
		ASSERT_EQ(0, copy(&self->c, addr(&value), piece(self, i) + 40,
				  8));
		ASSERT_EQ(i, value);
		munmap((void *)maps[n], PIECE);
	}
}

/* One object has a part in every hole; the window maps only some of it. */
TEST_F(compact, scattered_object)
{
	const __u64 at = self->c.base + GIB(4);
	__u64 length = self->pieces / 2 * PIECE, i, value;
	struct vnpu_device_query q;
	struct vnpu_mem_query m;
	__u32 id, many;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, length, &many));
	ASSERT_EQ(0, va_bind(&self->c, many, at, length, 0));
	ASSERT_EQ(0, mem_query(&self->c, many, &m));
	ASSERT_LT(self->pieces / 4, m.out_extents);
	for (i = 0; i < length; i += PAGE)
		ASSERT_EQ(0, fill(&self->c, at + i, PAGE, i, 8));
	for (i = 1; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_GT(MIB(2), q.out_largest_free);
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, MIB(2),
			       &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, MIB(8),
			       &id));
	for (i = 0; i < length; i += PAGE) {
		ASSERT_EQ(0, copy(&self->c, addr(&value), at + i + PAGE - 8, 8));
		ASSERT_EQ(i, value);
	}
}

/* Extents that moves have made adjacent are merged. */
TEST_F(compact, extents_merge)
{
	const __u64 at = self->c.base + GIB(4), length = MIB(4);
	struct vnpu_device_query q;
	struct vnpu_mem_query m;
	__u32 id, many, bottom;
	__u64 i, value;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, length, &many));
	ASSERT_EQ(0, va_bind(&self->c, many, at, length, 0));
	ASSERT_EQ(0, mem_query(&self->c, many, &m));
	ASSERT_EQ(length / PIECE, m.out_extents);
	for (i = 0; i < length; i += PAGE)
		ASSERT_EQ(0, fill(&self->c, at + i, PAGE, i, 8));
	for (i = 1; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));

	/*
	 * It has the highest holes except for one, and must leave them for the
	 * bottom, where there is a run.
	 */
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, length,
			       &bottom));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       q.out_largest_free, &id));
	ASSERT_EQ(0, mem_free(&self->c, bottom));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       2 * (length - PIECE), &id));
	ASSERT_EQ(0, mem_query(&self->c, many, &m));
	EXPECT_GE(2, m.out_extents);
	for (i = 0; i < length; i += PAGE) {
		ASSERT_EQ(0, copy(&self->c, addr(&value), at + i + PAGE - 8, 8));
		ASSERT_EQ(i, value);
	}
}

/* Large pages are moved whole, for a run that is not a multiple of them. */
TEST(among_large_pages)
{
	struct vnpu_device_query q, start;
	__u64 i, pages, value;
	struct client c;
	__u32 id;

	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, device_query(&c, 0, &start));
	pages = start.out_free_2m / MIB(2);
	for (i = 0; i < pages; i++) {
		ASSERT_EQ(0, mem_alloc_at(&c, 0, 0, VNPU_PAGE_SHIFT_2M, MIB(2),
					  c.base + i * MIB(2)));
		ASSERT_EQ(0, fill(&c, c.base + i * MIB(2), MIB(2), i, 8));
	}
	for (i = 0; i < pages; i += 2)
		ASSERT_EQ(0, va_unbind(&c, c.base + i * MIB(2), 0));

	ASSERT_EQ(0, mem_alloc(&c, 0, VNPU_MEM_F_CONTIGUOUS, 0, MIB(4) + PAGE,
			       &id));
	ASSERT_EQ(0, device_query(&c, 0, &q));
	EXPECT_EQ(start.out_free - pages / 2 * MIB(2) - MIB(4) - PAGE,
		  q.out_free);
	for (i = 1; i < pages; i += 2) {
		ASSERT_EQ(0, copy(&c, addr(&value),
				  c.base + (i + 1) * MIB(2) - 8, 8));
		ASSERT_EQ(i, value);
	}
	client_close(&c);
}

TEST_HARNESS_MAIN
