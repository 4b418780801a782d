// SPDX-License-Identifier: GPL-2.0-only
/* The records of failed and cancelled tasks; slots of tasks stay unchanged. */
#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

#define TASKS	300

FIXTURE(failure)
{
	struct client c;
	struct stream s;
	__u64 va;	/* 1 MiB of device memory */
	__u64 bad;	/* where nothing is bound */
};

FIXTURE_SETUP(failure)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->va = self->c.base;
	self->bad = self->va + GIB(1);
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, MIB(1), self->va));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

FIXTURE_TEARDOWN(failure)
{
	stream_destroy(&self->s);
	client_close(&self->c);
}

/* Check that a record describes this failure. */
static bool says(const struct stream *s, __u64 record, __u64 seq, __u8 op,
		 __u32 error, __u64 address)
{
	const struct vnpu_task_failure *f = stream_failure(s, record);

	return f->seq == seq && f->op == op && f->error == error &&
	       f->addr == address && f->ns && f->ns <= now_ns();
}

TEST_F(failure, each_failure_is_recorded)
{
	struct stream *s = &self->s;
	__u64 i, record = 0, before = now_ns();

	for (i = 0; i < TASKS; i += 3) {
		stream_put(s, task_copy(self->va, self->bad + i * PAGE, 64));
		stream_put(s, task_fill(self->va, 64, 1, 1));
		stream_put(s, (struct vnpu_task){ .op = 99, .dst = i });
	}
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_EQ(TASKS / 3 * 2, s->ring->errors);
	EXPECT_EQ(TASKS / 3 * 2, stream_failures(s));
	for (i = 0; i < TASKS; i += 3) {
		EXPECT_TRUE(says(s, ++record, i + 1, VNPU_TASK_COPY, EFAULT,
				 self->bad + i * PAGE));
		EXPECT_LE(before, stream_failure(s, record)->ns);
		EXPECT_TRUE(says(s, ++record, i + 3, 99, EINVAL, 0));
	}
}

/*
 * Check the records up to the last of tasks that alternate; return how many are
 * right.
 */
static __u64 look(const struct stream *s, __u64 *record)
{
	__u64 last = stream_failures(s), good = 0;

	while (*record < last) {
		++*record;
		good += says(s, *record, 2 * *record - 1, 99, EINVAL, 0);
	}
	return good;
}

/*
 * Each failure is recorded before its task is complete, also if the next one
 * wraps around.
 */
TEST_F(failure, a_fast_reader_misses_none)
{
	struct stream *s = &self->s;
	__u64 i, seen = 0, record = 0, good = 0;

	for (i = 1; i <= 3 * s->tasks; i++) {
		while (i - seen > s->tasks) {
			ASSERT_EQ(0, wait_point(s->c, s->id, seen + 1,
						in_ms(20000)));
			seen = stream_completed(s);
			good += look(s, &record);
		}
		stream_put(s, (struct vnpu_task){ .op = i % 2 ? 99 : 0 });
		ASSERT_EQ(0, stream_submit(s));
	}
	ASSERT_EQ(0, stream_wait(s, 20000));
	good += look(s, &record);
	EXPECT_EQ(s->last / 2, good);
	EXPECT_EQ(good, record);
	EXPECT_EQ(good, s->ring->errors);
}

/* A slow reader finds the last ones, and how many there were. */
TEST_F(failure, the_oldest_are_overwritten)
{
	struct stream s;
	__u64 i;

	ASSERT_EQ(0, stream_create_sized(&s, &self->c, 0, 0, 0, 0,
					 VNPU_RING_TASKS_MIN));
	ASSERT_EQ(0, stream_map(&s));
	for (i = 0; i < 5 * VNPU_RING_TASKS_MIN + 7; i++) {
		stream_put(&s, (struct vnpu_task){ .op = 99, .dst = i });
		ASSERT_EQ(0, stream_submit(&s));
	}
	ASSERT_EQ(0, stream_wait(&s, 20000));
	ASSERT_EQ(s.last, stream_failures(&s));
	for (i = s.last - s.ring->ring_failures + 1; i <= s.last; i++)
		EXPECT_TRUE(says(&s, i, i, 99, EINVAL, 0));
	EXPECT_EQ(0, stream_destroy(&s));
}

/* Tasks are written once, and can be submitted many times. */
TEST_F(failure, slots_stay_unchanged)
{
	struct stream s;
	struct vnpu_task bad = task_copy(self->va, self->bad, 64);
	struct vnpu_task good = task_fill(self->va, 64, 1, 1);
	__u64 i;

	ASSERT_EQ(0, stream_create_sized(&s, &self->c, 0, 0, 0, 0,
					 VNPU_RING_TASKS_MIN));
	ASSERT_EQ(0, stream_map(&s));
	for (i = 0; i < VNPU_RING_TASKS_MIN; i++)
		s.slots[i] = i % 2 ? good : bad;
	for (i = 0; i < 3; i++) {
		s.last += VNPU_RING_TASKS_MIN;
		ASSERT_EQ(0, stream_submit(&s));
		ASSERT_EQ(0, stream_wait(&s, 20000));
		EXPECT_EQ((i + 1) * VNPU_RING_TASKS_MIN / 2, s.ring->errors);
	}
	for (i = 0; i < VNPU_RING_TASKS_MIN; i++)
		EXPECT_EQ(0, memcmp(&s.slots[i], i % 2 ? &good : &bad,
				    sizeof(good)));
	/* Slots of cancelled tasks stay unchanged, too. */
	ASSERT_EQ(0, stream_set(&s, VNPU_STREAM_SET_F_STOP, 0, 1, 0));
	s.last += VNPU_RING_TASKS_MIN;
	ASSERT_EQ(0, stream_submit(&s));
	ASSERT_EQ(0, stream_wait(&s, 20000));
	EXPECT_EQ(VNPU_RING_TASKS_MIN - 1, s.ring->cancelled);
	for (i = 0; i < VNPU_RING_TASKS_MIN; i++)
		EXPECT_EQ(0, memcmp(&s.slots[i], i % 2 ? &good : &bad,
				    sizeof(good)));
	EXPECT_EQ(0, stream_destroy(&s));
}

TEST_F(failure, cancelled_tasks_are_recorded)
{
	struct stream *s = &self->s;
	__u64 id;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	stream_put(s, (struct vnpu_task){ });
	stream_put(s, task_wait(id, 1));
	stream_put(s, task_fill(self->va, 64, 1, 1));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, wait_point(s->c, s->id, 1, in_ms(20000)));
	ASSERT_EQ(0, stream_abort(s, NULL));
	EXPECT_EQ(2, stream_failures(s));
	EXPECT_TRUE(says(s, 1, 2, VNPU_TASK_WAIT, ECANCELED, 0));
	EXPECT_TRUE(says(s, 2, 3, VNPU_TASK_FILL, ECANCELED, 0));

	/* Tasks after one that fails, at which the stream stops. */
	ASSERT_EQ(0, stream_set(s, VNPU_STREAM_SET_F_STOP, 0, 1, 0));
	stream_put(s, (struct vnpu_task){ .op = 99 });
	stream_put(s, task_copy(self->va, self->bad, 64));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_EQ(4, stream_failures(s));
	EXPECT_TRUE(says(s, 3, 4, 99, EINVAL, 0));
	EXPECT_TRUE(says(s, 4, 5, VNPU_TASK_COPY, ECANCELED, 0));
	EXPECT_EQ(1, s->ring->errors);
	EXPECT_EQ(3, s->ring->cancelled);
}

/*
 * The kernel does not read what the user writes there: neither the count, nor
 * the positions, nor whether the page is writable.
 */
TEST_F(failure, the_kernel_reads_nothing_back)
{
	struct stream *s = &self->s;
	struct vnpu_ring shape = *s->ring;

	s->ring->version = ~0U;
	s->ring->task_size = 0;
	s->ring->ring_tasks = 0;
	s->ring->tasks_offset = ~0U;
	s->ring->failure_size = 1U << 31;
	s->ring->ring_failures = 1;
	s->ring->failures_offset = ~0U;
	s->ring->failures = ~0ULL / 2;
	stream_put(s, task_copy(self->va, self->bad, 64));
	stream_put(s, task_fill(self->va, 64, 1, 1));
	ASSERT_EQ(0, mprotect(s->slots, PAGE, PROT_READ));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_EQ(1, stream_failures(s));
	s->ring->failure_size = shape.failure_size;
	s->ring->ring_failures = shape.ring_failures;
	s->ring->failures_offset = shape.failures_offset;
	EXPECT_TRUE(says(s, 1, 1, VNPU_TASK_COPY, EFAULT, self->bad));
	EXPECT_EQ(2, stream_completed(s));
}

TEST_HARNESS_MAIN
