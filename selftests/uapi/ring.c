// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring of a stream, which its user can write to at will: invalid contents
 * affect no other stream. Also its mapping as memory of a process: unmapped,
 * split and moved, it always shows the same ring.
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

TEST_F(ring, zapped_pages_come_back)
{
	ASSERT_EQ(0, madvise(self->s.ring, self->s.map_size, MADV_DONTNEED));
	EXPECT_EQ(1, stream_completed(&self->s));
	EXPECT_EQ(1, self->s.ring->tail);
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){ }));
	EXPECT_EQ(2, stream_completed(&self->s));
}

TEST_F(ring, a_part_can_be_unmapped)
{
	__u64 start = addr(self->s.ring);
	__u64 half = start + self->s.map_size / PAGE / 2 * PAGE;

	ASSERT_EQ(0, munmap(ptr(half), start + self->s.map_size - half));
	EXPECT_NE(0, touch_read(half));
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){ }));
	EXPECT_EQ(2, stream_completed(&self->s));
}

TEST_F(ring, a_part_can_be_read_only)
{
	__u64 half = addr(self->s.ring) + self->s.map_size / PAGE / 2 * PAGE;

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

	EXPECT_EQ(MAP_FAILED, mremap(self->s.ring, self->s.map_size,
				     2 * self->s.map_size, MREMAP_MAYMOVE));
	moved = mmap(NULL, self->s.map_size, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, moved);
	ASSERT_EQ(moved, mremap(self->s.ring, self->s.map_size,
				self->s.map_size, MREMAP_MAYMOVE | MREMAP_FIXED,
				moved));
	stream_find(&self->s, moved);
	ASSERT_EQ(0, madvise(moved, self->s.map_size, MADV_DONTNEED));
	EXPECT_EQ(1, stream_completed(&self->s));
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){ }));
	EXPECT_EQ(2, stream_completed(&self->s));
}

/* Another stream does not find the data of a former ring in its own. */
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

TEST_F(ring, an_invalid_tail_breaks_it)
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
		/* Other streams are not affected, but waiters are notified. */
		EXPECT_EQ(-EIO, stream_do(&self->s, task_wait(s.id, 1)));
		EXPECT_EQ(0, stream_destroy(&s));
	}
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
}

TEST_F(ring, a_broken_ring_stays_broken)
{
	struct stream a, b;
	__u32 context;

	ASSERT_EQ(0, context_create(&self->c, 0, &context));
	ASSERT_EQ(0, stream_create_only(&a, &self->c, 0, 0, context,
					VNPU_STREAM_F_STOP));
	ASSERT_EQ(0, stream_create_only(&b, &self->c, 0, 0, context, 0));
	ASSERT_EQ(0, stream_map(&a));
	ASSERT_EQ(0, stream_map(&b));
	__atomic_store_n(&b.ring->tail, ~0ULL, __ATOMIC_SEQ_CST);
	ASSERT_EQ(0, stream_doorbell(&b));
	ASSERT_EQ(-EIO, wait_point(&self->c, b.id, 1, in_ms(20000)));
	/* Not even when it is checked again because of its context. */
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
	off_t offset = (off_t)self->s.map_offset;
	int fd = self->c.fd;

	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd,
				   offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->s.map_size + PAGE, PROT_READ,
				   MAP_SHARED, fd, offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->s.map_size, PROT_READ,
				   MAP_PRIVATE, fd, offset));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->s.map_size,
				   PROT_READ | PROT_EXEC, MAP_SHARED, fd,
				   offset));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->s.map_size, PROT_READ,
				   MAP_SHARED, fd, offset + 1000 * (off_t)PAGE));
	EXPECT_EQ(ENOENT, errno);
}

TEST_F(ring, it_reports_its_layout)
{
	const struct vnpu_ring *ring = self->s.ring;

	EXPECT_EQ(VNPU_RING_VERSION, ring->version);
	EXPECT_EQ(sizeof(struct vnpu_task), ring->task_size);
	EXPECT_EQ(VNPU_RING_TASKS, ring->ring_tasks);
	EXPECT_EQ(VNPU_RING_TASKS, self->s.tasks);
	EXPECT_EQ(sizeof(struct vnpu_task_failure), ring->failure_size);
	EXPECT_EQ(ring->ring_tasks, ring->ring_failures);
	EXPECT_LE(sizeof(*ring), ring->failures_offset);
	EXPECT_LE(ring->failures_offset +
		  ring->ring_failures * ring->failure_size, ring->tasks_offset);
	EXPECT_LE(ring->tasks_offset + ring->ring_tasks * ring->task_size,
		  self->s.map_size);
	EXPECT_EQ(0, ring->__reserved);
	EXPECT_TRUE(is_all(ring->__reserved1, 0, sizeof(ring->__reserved1)));
	EXPECT_TRUE(is_all(ring->__reserved2, 0, sizeof(ring->__reserved2)));
	EXPECT_TRUE(is_all(ring->__reserved3, 0, sizeof(ring->__reserved3)));
}

TEST_F(ring, it_has_the_requested_size)
{
	__u64 size = 0;
	__u32 tasks, i;

	for (tasks = VNPU_RING_TASKS_MIN; tasks <= VNPU_RING_TASKS_MAX;
	     tasks *= 2) {
		struct stream s;
		int ret;

		ASSERT_EQ(0, stream_create_sized(&s, &self->c, 0, 0, 0, 0,
						 tasks));
		ASSERT_EQ(0, stream_map(&s));
		EXPECT_EQ(tasks, s.tasks);
		EXPECT_EQ(tasks, s.ring->ring_tasks);
		/*
		 * The size of a task and a record, and less than three pages.
		 */
		EXPECT_LE(tasks * 96ULL, s.map_size);
		EXPECT_GT(tasks * 96ULL + 3 * PAGE, s.map_size);
		EXPECT_LT(size, s.map_size);
		size = s.map_size;
		/* Once around, and in the last of its slots, too. */
		for (i = 0; i < tasks; i++)
			stream_put(&s, (struct vnpu_task){ });
		ASSERT_EQ(0, stream_submit(&s));
		for (i = 0; i < 3; i++)
			stream_put(&s, (struct vnpu_task){ });
		ASSERT_EQ(0, stream_submit(&s));
		ASSERT_EQ(0, stream_wait(&s, 20000));
		EXPECT_EQ(tasks + 3, stream_completed(&s));
		/* It takes no more than it has slots. */
		__atomic_store_n(&s.ring->tail, s.last + tasks + 1,
				 __ATOMIC_SEQ_CST);
		ret = stream_doorbell(&s);
		/*
		 * If an engine is still looking at the ring, it may find it
		 * first.
		 */
		EXPECT_TRUE(!ret || ret == -EIO);
		EXPECT_EQ(-EIO, wait_point(&self->c, s.id, s.last + 1,
					   in_ms(20000)));
		EXPECT_EQ(0, stream_destroy(&s));
	}
}

static int create(const struct client *c, __u32 ring_tasks, __u32 task_size)
{
	struct vnpu_stream_create a = {
		.size = sizeof(a),
		.ring_tasks = ring_tasks,
		.task_size = task_size,
	};

	return call(c->fd, VNPU_IOCTL_STREAM_CREATE, &a);
}

TEST_F(ring, invalid_shapes)
{
	static const __u32 tasks[] = {
		1, VNPU_RING_TASKS_MIN / 2, VNPU_RING_TASKS_MIN + 1,
		VNPU_RING_TASKS - 1, VNPU_RING_TASKS_MAX - 1,
		2 * VNPU_RING_TASKS_MAX, 1U << 31, ~0U,
	};
	static const __u32 sizes[] = { 1, 32, 63, 65, 128, 1U << 31, ~0U };
	unsigned int i;

	for (i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++)
		EXPECT_EQ(-EINVAL, create(&self->c, tasks[i], 0));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		EXPECT_EQ(-EINVAL, create(&self->c, 0, sizes[i]));
	EXPECT_EQ(0, create(&self->c, VNPU_RING_TASKS_MIN,
			    sizeof(struct vnpu_task)));
}

/* After any number of streams, as 32-bit programs use these offsets, too. */
TEST_F(ring, offsets_are_small_and_reused)
{
	__u64 offset, last = 0;
	struct stream s, t;
	int i;

	ASSERT_EQ(0, stream_create_only(&s, &self->c, 0, 0, 0, 0));
	offset = s.map_offset;
	EXPECT_NE(self->s.map_offset, offset);
	EXPECT_EQ(0, stream_destroy(&s));
	/*
	 * The offset of a destroyed stream is invalid until another one gets
	 * it.
	 */
	EXPECT_EQ(-ENOENT, stream_map(&s));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, stream_create_only(&t, &self->c, 0, 0, 0, 0));
		EXPECT_EQ(offset, t.map_offset);
		EXPECT_LT(last, t.id);
		last = t.id;
		EXPECT_GT(1ULL << 44, t.map_offset);
		EXPECT_EQ(0, stream_destroy(&t));
	}
}

TEST_F(ring, the_mapping_outlives_the_stream)
{
	struct vnpu_ring *ring = self->s.ring;

	self->s.ring = NULL;
	ASSERT_EQ(0, stream_destroy(&self->s));
	ring->tail = 5;
	usleep(10000);
	EXPECT_EQ(1, ring->completed);
	EXPECT_EQ(0, munmap(ring, self->s.map_size));
}

TEST_F(ring, a_doorbell_needs_a_ring)
{
	struct stream s;

	ASSERT_EQ(0, stream_create_only(&s, &self->c, 0, 0, 0, 0));
	EXPECT_EQ(-ENOENT, stream_doorbell(&s));
	EXPECT_EQ(0, stream_abort(&s, NULL));
	EXPECT_EQ(0, stream_destroy(&s));
}

/* Another client, whose memory and stream must not be affected. */
struct neighbour {
	struct client c;
	struct stream s;
	__u8 *mem;	/* its mapping by the host */
};

#define BYTES	MIB(1)

static int memory_open(struct client *c)
{
	int ret = client_open_only(c);

	ret = ret ? ret : window_map(c, WINDOW_SIZE, PROT_READ | PROT_WRITE);
	return ret ? ret : mem_alloc_at(c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
					2 * BYTES, c->base);
}

static int neighbour_open(struct neighbour *n)
{
	int ret = memory_open(&n->c);

	if (ret)
		return ret;
	n->mem = ptr(n->c.base);
	memset(n->mem, 0x5a, 2 * BYTES);
	return stream_create(&n->s, &n->c, 0);
}

/* The victim's memory is unchanged, and its stream works. */
static int neighbour_look(struct neighbour *n, __u8 value)
{
	int ret;

	if (!is_all(n->mem + BYTES, 0x5a, BYTES))
		return -EILSEQ;
	ret = stream_do(&n->s, task_fill(n->c.base, BYTES, value, 1));
	if (ret)
		return ret;
	return is_all(n->mem, value, BYTES) && !n->s.ring->errors ? 0 : -EIO;
}

/* A task that could be run if it is not changed. */
static struct vnpu_task some_task(struct rng *r, __u64 va)
{
	__u64 at = va + rng_below(r, BYTES / 64) * 64;
	struct vnpu_task t = {
		.op = (__u8)rng_below(r, VNPU_TASK_COPY_INDIRECT + 2),
		.dst = at,
		.src = va + BYTES,
		.length = KIB(4),
	};

	switch (rng_below(r, 4)) {
	case 0:
		return task_copy(at, va + BYTES, KIB(4));
	case 1:
		return task_fill(at, KIB(4), 7, 8);
	case 2:
		t.mode = rng_below(r, 12) << 8 | rng_below(r, 4);
	}
	return t;
}

#define FLIPS		512	/* checks between two doorbells */
#define STEPS		64	/* checks between two looks at the victim */

/*
 * Flip each bit of the ring once, in an order that spreads over the ring:
 * 1000003 is a prime.
 */
static void flip(const struct stream *s, __u64 n)
{
	volatile __u8 *bytes = (void *)s->ring;
	__u64 bit = n * 1000003 % (s->map_size * 8);

	bytes[bit / 8] ^= (__u8)(1U << bit % 8);
}

/* Submit some tasks, and flip some bits while they run. */
static void step(struct stream *s, struct rng *r, __u64 first_bit)
{
	__u64 i, count = 1 + rng_below(r, 32);

	/* Do not read the ring's own contents. */
	for (i = 0; i < count; i++)
		s->slots[s->last++ % s->tasks] = some_task(r, s->c->base);
	__atomic_store_n(&s->ring->tail, s->last, __ATOMIC_SEQ_CST);
	stream_doorbell(s);
	for (i = 0; i < FLIPS; i++)
		flip(s, first_bit + i);
	/* Flip the few bits of indexes and the like more often. */
	((volatile __u64 *)s->ring)[rng_below(r, 16)] ^= 1ULL << rng_below(r, 64);
}

/* The stream is broken, or blocked by a wait. */
static int go_on(struct stream *s, struct rng *r, const struct client *c)
{
	int ret = 0;

	if (stream_doorbell(s)) {
		ret = stream_destroy(s);
		return ret ? ret : stream_create(s, c, 0);
	}
	if (!rng_below(r, 8))
		stream_abort(s, NULL);
	return 0;
}

/* Whatever is in the ring, only this stream is affected. */
TEST_F_TIMEOUT(ring, a_hostile_ring, 300)
{
	struct rng r = rng_init();
	struct neighbour n;
	struct client c;
	struct stream s;
	__u64 bit, bits, broken = 0;

	ASSERT_EQ(0, neighbour_open(&n));
	ASSERT_EQ(0, memory_open(&c));
	ASSERT_EQ(0, stream_create(&s, &c, 0));
	bits = s.map_size * 8;
	for (bit = 0; bit < bits; bit += FLIPS) {
		__u64 id = s.id;

		step(&s, &r, bit);
		ASSERT_EQ(0, go_on(&s, &r, &c));
		broken += s.id != id;
		if (!(bit / FLIPS % STEPS))
			ASSERT_EQ(0, neighbour_look(&n, (__u8)(bit / FLIPS /
							       STEPS)));
	}
	TH_LOG("%llu bits, %llu rings broken", bit, broken);
	EXPECT_EQ(bits, bit);
	EXPECT_LT(0, broken);
	EXPECT_EQ(0, stream_destroy(&s));
	EXPECT_EQ(0, neighbour_look(&n, 0xff));
	/* Nothing of it is left for other streams of the process either. */
	EXPECT_EQ(0, stream_do(&self->s, (struct vnpu_task){}));
	EXPECT_EQ(0, stream_destroy(&n.s));
	client_close(&c);
	client_close(&n.c);
}

TEST_HARNESS_MAIN
