// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction: a request that free memory could hold but for its place.
 *
 * The device is filled with objects of one size, each with contents of its
 * own, and every second one is freed. What is moved must not be lost, however
 * it is used meanwhile.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define PIECE	(16 * PAGE)

FIXTURE(compact)
{
	struct client c;
	struct vnpu_device_query start;
	__u64 pieces;	/* the odd ones are there */
	__u32 rest;	/* fills what is not a multiple */
};

static __u64 piece(const FIXTURE_DATA(compact) * self, __u64 i)
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

	/* What was on its way from one place to another is nobody's to free. */
	client_close(&self->c);
	ASSERT_EQ(0, client_open_only(&self->c));
	EXPECT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(self->start.out_free, q.out_free);
	client_close(&self->c);
}

static bool piece_is_whole(const FIXTURE_DATA(compact) * self, __u64 i)
{
	__u64 buffer[PIECE / 8], k;

	if (copy(&self->c, addr(buffer), piece(self, i), PIECE))
		return false;
	for (k = 0; k < PIECE / 8; k++)
		if (buffer[k] != 0x5eed0000 + i)
			return false;
	return true;
}

static bool all_whole(const FIXTURE_DATA(compact) * self)
{
	__u64 i;

	for (i = 1; i < self->pieces; i += 2)
		if (!piece_is_whole(self, i))
			return false;
	return true;
}

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

	/* It holds nothing of what was moved out of it. */
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

/* All of the free memory, not one page more. */
TEST_F(compact, everything)
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

/* The host's mappings follow what they map. */
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

/*
 * Contiguous objects stay where they are, and are in the way: here one in each
 * hole of three pieces, which it fills.
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

/* And so do those of dma-bufs, which no window knows of. */
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

/* One object that lies in every hole, of which a window has only a part. */
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

/* What has been put side by side by moves is one extent again. */
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
	 * It has the highest holes, but for one, and must leave them for the
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

/* Large pages are moved whole, for a run that is no multiple of them. */
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

/*
 * Of four places of 2 MiB, three are large pages and one has small pages, each
 * second of which is free: no large page can be moved unless others make a
 * place for it.
 */
FIXTURE(scarce)
{
	struct client c;
	__u64 places;
	__u64 pieces;	/* the odd ones are there */
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

TEST_F(scarce, places_are_made)
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

/* There is no room elsewhere for what must be moved to make places. */
TEST_F(scarce, everything)
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

struct fire {
	FIXTURE_DATA(compact) * self;
	atomic_bool stop;
	atomic_long errors;
	__u64 first;
};

/* Each piece is written by one thread alone: what it wrote it must read. */
static void *fire_host(void *arg)
{
	struct fire *f = arg;
	__u64 round, i;

	for (round = 1; !atomic_load(&f->stop); round++) {
		for (i = f->first; i < f->self->pieces; i += 8) {
			volatile __u64 *p = ptr(piece(f->self, i));

			p[round % 512] = round ^ i;
			if (p[round % 512] != (round ^ i))
				atomic_fetch_add(&f->errors, 1);
		}
	}
	return NULL;
}

/* As fire_host(), by dma-bufs that come and go. */
static void *fire_dmabuf(void *arg)
{
	struct fire *f = arg;
	__u64 round, i;

	for (round = 1; !atomic_load(&f->stop); round++) {
		for (i = f->first; i < f->self->pieces; i += 16) {
			__u32 id;
			int fd;
			volatile __u64 *p;

			if (mem_open(&f->self->c, piece(f->self, i), &id)) {
				atomic_fetch_add(&f->errors, 1);
				continue;
			}
			fd = mem_export_dmabuf(&f->self->c, 0, id);
			p = mmap(NULL, PIECE, PROT_READ | PROT_WRITE,
				 MAP_SHARED, fd, 0);
			close(fd);
			mem_free(&f->self->c, id);
			if (p == MAP_FAILED) {
				atomic_fetch_add(&f->errors, 1);
				continue;
			}
			p[round % 512] = round ^ i;
			if (p[round % 512] != (round ^ i))
				atomic_fetch_add(&f->errors, 1);
			munmap((void *)p, PIECE);
		}
	}
	return NULL;
}

static void *fire_copy(void *arg)
{
	struct fire *f = arg;
	__u64 round, i, k;

	for (round = 1; !atomic_load(&f->stop); round++) {
		for (i = f->first; i < f->self->pieces; i += 8) {
			__u64 buffer[512];

			if (fill(&f->self->c, piece(f->self, i) + PAGE, PAGE,
				 round ^ i, 8) ||
			    copy(&f->self->c, addr(buffer),
				 piece(f->self, i) + PAGE, PAGE))
				atomic_fetch_add(&f->errors, 1);
			for (k = 0; k < 512; k++)
				if (buffer[k] != (round ^ i))
					atomic_fetch_add(&f->errors, 1);
		}
	}
	return NULL;
}

/* Somebody else may be faster to take what was given up. */
static int allocate_again(struct fire *f, __u64 va)
{
	int ret;

	do {
		ret = mem_alloc_at(&f->self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				   PIECE, va);
	} while (ret == -ENOSPC && !atomic_load(&f->stop));
	return ret;
}

static void *fire_rebind(void *arg)
{
	struct fire *f = arg;
	__u64 i;

	while (!atomic_load(&f->stop)) {
		for (i = f->first; i < f->self->pieces; i += 8) {
			__u64 va = piece(f->self, i);
			int ret = va_unbind(&f->self->c, va, 0);

			if (!ret)
				ret = allocate_again(f, va);
			if (ret == -ENOSPC)
				return NULL;
			if (ret ||
			    fill(&f->self->c, va, PIECE, 0x5eed0000 + i, 8) ||
			    !piece_is_whole(f->self, i))
				atomic_fetch_add(&f->errors, 1);
		}
	}
	return NULL;
}

/* Scatters what is free: pieces everywhere, and every second one freed. */
static void scatter(struct __test_metadata *_metadata,
		    FIXTURE_DATA(compact) * self)
{
	const __u64 base = self->c.base + GIB(4);
	__u64 n = 0, i;

	va_unbind(&self->c, base, GIB(4));
	while (!mem_alloc_at(&self->c, 0, 0, 0, PIECE, base + n * PIECE))
		n++;
	for (i = 0; i < n; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, base + i * PIECE, 0));
}

TEST_F_TIMEOUT(compact, under_fire, 120)
{
	static void *(*const by[])(void *) = {
		fire_host, fire_copy, fire_rebind, fire_dmabuf,
	};
	struct fire fires[ARRAY_SIZE(by)] = { };
	pthread_t threads[ARRAY_SIZE(by)];
	uint64_t end = now_ms() + env_u64("VNPU_FIRE_MS", 5000);
	unsigned int i, granted = 0, tried = 0;
	__u32 id;

	for (i = 0; i < ARRAY_SIZE(by); i++) {
		fires[i].self = self;
		fires[i].first = 2 * i + 1;
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, by[i],
					    &fires[i]));
	}
	for (; now_ms() < end; tried++) {
		struct vnpu_device_query q;
		int ret;

		scatter(_metadata, self);
		ASSERT_EQ(0, device_query(&self->c, 0, &q));
		ret = mem_alloc(&self->c, 0, tried % 2 ?
				VNPU_MEM_F_CONTIGUOUS : 0,
				tried % 2 ? 0 : VNPU_PAGE_SHIFT_2M,
				q.out_free / (2 + tried % 3), &id);

		/* What is in use at the wrong moment can be in the way. */
		ASSERT_TRUE(!ret || ret == -ENOSPC);
		if (!ret) {
			granted++;
			ASSERT_EQ(0, mem_free(&self->c, id));
		}
	}
	for (i = 0; i < ARRAY_SIZE(by); i++) {
		atomic_store(&fires[i].stop, true);
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
		EXPECT_EQ(0, atomic_load(&fires[i].errors));
	}
	TH_LOG("%u of %u granted", granted, tried);
	EXPECT_LT(0, granted);

	/* Nobody touched these. */
	for (i = 15; i < self->pieces; i += 16)
		ASSERT_TRUE(piece_is_whole(self, i));
}

/* Memory in pieces again, wherever compaction has put them. */
static void interleave(struct __test_metadata *_metadata,
		       FIXTURE_DATA(compact) * self)
{
	__u64 i;

	for (i = 1; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
	for (i = 0; i < self->pieces; i++)
		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS,
					  0, PIECE, piece(self, i)));
	for (i = 0; i < self->pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&self->c, piece(self, i), 0));
}

enum { STARTING, COMPACTING, GRANTED };

/* A process that compacts for all that is free, until it is killed. */
static _Noreturn void compacting(volatile int *state, __u64 want)
{
	struct client c;
	__u32 id;

	if (client_open_only(&c))
		_exit(1);
	*state = COMPACTING;
	if (!mem_alloc(&c, 0, VNPU_MEM_F_CONTIGUOUS, 0, want, &id))
		*state = GRANTED;
	for (;;)
		pause();
}

struct one_alloc {
	const struct client *c;
	__u64 va, length;
	int ret;
};

static void *one_alloc_run(void *arg)
{
	struct one_alloc *a = arg;

	a->ret = mem_alloc_at(a->c, 0, 0, 0, a->length, a->va);
	return NULL;
}

/* What a compaction held that failed in the end, others get. */
TEST_F_TIMEOUT(compact, nobody_else_refused, 120)
{
	struct one_alloc one = {
		.c = &self->c,
		.va = self->c.base + GIB(4),
		.length = self->pieces / 8 * 3 * PIECE,
	};
	volatile int *state = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t end = now_ms() + env_u64("VNPU_FIRE_MS", 5000);
	unsigned int round, failed = 0;
	pthread_t thread;
	pid_t pid;

	ASSERT_NE(MAP_FAILED, (void *)state);
	for (round = 0; round < 10 && (!round || now_ms() < end); round++) {
		*state = STARTING;
		pid = fork_bound();
		if (!pid)
			compacting(state, self->pieces / 2 * PIECE);
		while (*state == STARTING)
			sched_yield();
		usleep(1000);
		ASSERT_EQ(0, pthread_create(&thread, NULL, one_alloc_run,
					    &one));
		usleep(1000);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		child_wait(pid);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		if (*state == COMPACTING) {
			EXPECT_EQ(0, one.ret);
			failed++;
		}
		if (!one.ret)
			ASSERT_EQ(0, va_unbind(&self->c, one.va, 0));
		interleave(_metadata, self);
	}
	TH_LOG("%u of %u compactions failed", failed, round);
}

TEST_HARNESS_MAIN
