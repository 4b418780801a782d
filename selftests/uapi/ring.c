// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring of a stream, which its user writes to as he likes: what is there that
 * makes no sense harms nobody else. And its mapping as memory of a process: taken
 * out, taken apart, moved. Whatever becomes of it, what is left is the same ring.
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

/* What one has left in a ring, another does not find in his. */
TEST_F(ring, a_new_ring_is_empty)
{
	const size_t size = VNPU_RING_TASKS * sizeof(struct vnpu_task);
	struct stream s[8];
	int i, k;

	for (k = 0; k < 4; k++) {
		for (i = 0; i < 8; i++) {
			ASSERT_EQ(0, stream_create(&s[i], &self->c, 0));
			EXPECT_TRUE(is_all(s[i].slots, 0, size));
			memset(s[i].slots, 0xa5, size);
		}
		for (i = 0; i < 8; i++)
			ASSERT_EQ(0, stream_destroy(&s[i]));
	}
}

TEST_F(ring, a_tail_that_makes_no_sense_breaks_it)
{
	static const __u64 tails[] = {
		VNPU_RING_TASKS + 1, ~0ULL, 1ULL << 63, 1ULL << 32,
	};
	unsigned int i;

	for (i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		struct vnpu_stream_query q;
		struct stream s;
		__u64 value;

		ASSERT_EQ(0, stream_create(&s, &self->c, 0));
		__atomic_store_n(&s.ring->tail, tails[i], __ATOMIC_SEQ_CST);
		ASSERT_EQ(0, stream_doorbell(&s));
		EXPECT_EQ(-EIO, wait_point(&self->c, s.id, 1, in_ms(20000)));
		EXPECT_TRUE(s.ring->state & VNPU_RING_BROKEN);
		EXPECT_EQ(-EIO, stream_doorbell(&s));
		EXPECT_EQ(-EIO, stream_abort(&s, NULL));
		EXPECT_EQ(-EIO, timeline_value(&self->c, s.id, &value));
		ASSERT_EQ(0, stream_query(&s, &q));
		EXPECT_EQ(0, q.out_completed);
		/* Others are not harmed, but told. */
		EXPECT_EQ(-EIO, stream_do(&self->s, task_wait(s.id, 1)));
		EXPECT_EQ(0, stream_destroy(&s));
	}
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
}

TEST_F(ring, what_is_broken_stays_broken)
{
	struct stream a, b;

	ASSERT_EQ(0, stream_create_only(&a, &self->c, 0, 0, 1,
					VNPU_STREAM_F_STOP));
	ASSERT_EQ(0, stream_create_only(&b, &self->c, 0, 0, 1, 0));
	ASSERT_EQ(0, stream_map(&a));
	ASSERT_EQ(0, stream_map(&b));
	__atomic_store_n(&b.ring->tail, ~0ULL, __ATOMIC_SEQ_CST);
	ASSERT_EQ(0, stream_doorbell(&b));
	ASSERT_EQ(-EIO, wait_point(&self->c, b.id, 1, in_ms(20000)));
	/* Not even when it is looked at again, for the sake of its group. */
	__atomic_store_n(&b.ring->tail, 1, __ATOMIC_SEQ_CST);
	EXPECT_EQ(-EINVAL, stream_do(&a, (struct vnpu_task){ .op = 99 }));
	usleep(20000);
	EXPECT_EQ(0, stream_completed(&b));
	EXPECT_EQ(-EIO, wait_point(&self->c, b.id, 1000, in_ms(20000)));
	stream_destroy(&a);
	stream_destroy(&b);
}

TEST_F(ring, a_tail_that_goes_back_breaks_it)
{
	struct stream *s = &self->s;

	ASSERT_EQ(0, stream_do(s, (struct vnpu_task){}));
	ASSERT_EQ(0, stream_do(s, (struct vnpu_task){}));
	__atomic_store_n(&s->ring->tail, 1, __ATOMIC_SEQ_CST);
	stream_doorbell(s);
	EXPECT_EQ(-EIO, wait_point(&self->c, s->id, s->last + 1,
				   in_ms(20000)));
}

TEST_F(ring, the_mapping_has_one_size_and_is_shared)
{
	off_t offset = (off_t)(VNPU_MMAP_STREAM + self->s.id * PAGE);
	int fd = self->c.fd;

	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd,
				   offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, VNPU_RING_MAP_SIZE + PAGE, PROT_READ,
				   MAP_SHARED, fd, offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, VNPU_RING_MAP_SIZE, PROT_READ,
				   MAP_PRIVATE, fd, offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, VNPU_RING_MAP_SIZE,
				   PROT_READ | PROT_EXEC, MAP_SHARED, fd,
				   offset));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, VNPU_RING_MAP_SIZE, PROT_READ,
				   MAP_SHARED, fd, offset + 1000 * (off_t)PAGE));
	EXPECT_EQ(ENOENT, errno);
}

TEST_F(ring, the_mapping_outlives_the_stream)
{
	struct vnpu_ring *ring = self->s.ring;

	self->s.ring = NULL;
	ASSERT_EQ(0, stream_destroy(&self->s));
	ring->tail = 5;
	usleep(10000);
	EXPECT_EQ(1, ring->completed);
	EXPECT_EQ(0, munmap(ring, VNPU_RING_MAP_SIZE));
}

TEST_F(ring, a_doorbell_needs_a_ring)
{
	struct stream s;

	ASSERT_EQ(0, stream_create_only(&s, &self->c, 0, 0, 0, 0));
	EXPECT_EQ(-ENOENT, stream_doorbell(&s));
	EXPECT_EQ(0, stream_abort(&s, NULL));
	EXPECT_EQ(0, stream_destroy(&s));
}

/* Whatever is in the ring, only this stream suffers. */
TEST_F(ring, a_hostile_ring)
{
	struct rng r = rng_init();
	__u64 end = now_ms() + env_u64("VNPU_RING_FUZZ_MS", 1500);
	__u64 rounds = 0;

	while (now_ms() < end) {
		struct stream s;
		int i;

		ASSERT_EQ(0, stream_create(&s, &self->c, 0));
		for (i = 0; i < 200; i++) {
			__u64 *words = (void *)s.ring;
			__u64 bit = 1ULL << rng_below(&r, 64);

			if (rng_below(&r, 20))	/* a task */
				words[512 + rng_below(&r, 64 * 8)] ^= bit;
			else			/* indexes and the like */
				words[rng_below(&r, 16)] ^= bit;
			if (!rng_below(&r, 4))
				s.slots[rng_below(&r, 64)].op =
					(__u8)rng_below(&r, 14);
			if (!rng_below(&r, 4))
				__atomic_store_n(&s.ring->tail,
						 s.ring->tail +
						 rng_below(&r, 4),
						 __ATOMIC_SEQ_CST);
			if (!rng_below(&r, 3))
				stream_doorbell(&s);
		}
		ASSERT_EQ(0, stream_destroy(&s));
		rounds++;
	}
	TH_LOG("%llu rings", rounds);
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
}

TEST_HARNESS_MAIN
