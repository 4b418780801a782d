// SPDX-License-Identifier: GPL-2.0-only
/* What is left in the slots of tasks that failed or were cancelled. */
#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

#define TASKS	300

FIXTURE(failure)
{
	struct client c;
	struct stream s;
	__u64 va;	/* 1 MiB of device memory */
	__u64 bad;	/* where there is none */
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

static struct vnpu_task_failure *slot(const struct stream *s, __u64 seq)
{
	return (void *)&s->slots[(seq - 1) % VNPU_RING_TASKS];
}

/* Whether a task failed with this, or with 0 did not. */
static bool says(const struct stream *s, __u64 seq, __u8 op, __u32 error,
		 __u64 address)
{
	const struct vnpu_task_failure *f = slot(s, seq);

	if (!error)
		return f->op == op;
	return f->op == VNPU_TASK_FAILED && f->failed_op == op &&
	       f->error == error && f->seq == seq && f->addr == address &&
	       f->ns && f->ns <= now_ns() && !f->__reserved &&
	       is_all(f->__reserved2, 0, sizeof(f->__reserved2));
}

TEST_F(failure, each_is_told)
{
	struct stream *s = &self->s;
	__u64 i, before = now_ns();

	for (i = 0; i < TASKS; i += 3) {
		stream_put(s, task_copy(self->va, self->bad + i * PAGE, 64));
		stream_put(s, task_fill(self->va, 64, 1, 1));
		stream_put(s, (struct vnpu_task){ .op = 99, .dst = i });
	}
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_EQ(TASKS / 3 * 2, s->ring->errors);
	for (i = 0; i < TASKS; i += 3) {
		EXPECT_TRUE(says(s, i + 1, VNPU_TASK_COPY, EFAULT,
				 self->bad + i * PAGE));
		EXPECT_LE(before, slot(s, i + 1)->ns);
		EXPECT_TRUE(says(s, i + 2, VNPU_TASK_FILL, 0, 0));
		EXPECT_TRUE(says(s, i + 3, 99, EINVAL, 0));
	}
}

/* All are told before they are complete, also where the next goes round. */
TEST_F(failure, none_is_missed_by_who_looks_in_time)
{
	struct stream *s = &self->s;
	__u64 i, seen = 0, failed = 0;

	for (i = 1; i <= 3 * VNPU_RING_TASKS; i++) {
		while (i - seen > VNPU_RING_TASKS) {
			ASSERT_EQ(0, wait_point(s->c, s->id, seen + 1,
						in_ms(20000)));
			while (seen < stream_completed(s))
				failed += says(s, ++seen, 99, EINVAL, 0);
		}
		stream_put(s, (struct vnpu_task){ .op = i % 2 ? 99 : 0 });
		ASSERT_EQ(0, stream_submit(s));
	}
	ASSERT_EQ(0, stream_wait(s, 20000));
	while (seen < stream_completed(s))
		failed += says(s, ++seen, 99, EINVAL, 0);
	EXPECT_EQ(s->last, seen);
	EXPECT_EQ(s->last / 2, failed);
	EXPECT_EQ(failed, s->ring->errors);
}

TEST_F(failure, what_is_cancelled_is_told)
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
	EXPECT_TRUE(says(s, 1, VNPU_TASK_NOP, 0, 0));
	EXPECT_TRUE(says(s, 2, VNPU_TASK_WAIT, ECANCELED, 0));
	EXPECT_TRUE(says(s, 3, VNPU_TASK_FILL, ECANCELED, 0));

	/* Behind one that fails, where the stream stops. */
	ASSERT_EQ(0, stream_set(s, VNPU_STREAM_SET_F_STOP, 0, 1, 0));
	stream_put(s, (struct vnpu_task){ .op = 99 });
	stream_put(s, task_copy(self->va, self->bad, 64));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_TRUE(says(s, 4, 99, EINVAL, 0));
	EXPECT_TRUE(says(s, 5, VNPU_TASK_COPY, ECANCELED, 0));
	EXPECT_EQ(1, s->ring->errors);
	EXPECT_EQ(3, s->ring->cancelled);
}

/* What is told is no task, whoever submits it. */
TEST_F(failure, is_no_task)
{
	struct stream *s = &self->s;
	struct vnpu_task task;

	EXPECT_EQ(-EFAULT, stream_do(s, task_copy(self->va, self->bad, 64)));
	memcpy(&task, slot(s, 1), sizeof(task));
	EXPECT_EQ(-EINVAL, stream_do(s, task));
	EXPECT_TRUE(says(s, 2, VNPU_TASK_FAILED, EINVAL, 0));
}

/* To who may not write there, the kernel may; it reads nothing back. */
TEST_F(failure, of_a_ring_that_its_user_only_reads)
{
	struct stream *s = &self->s;

	stream_put(s, task_copy(self->va, self->bad, 64));
	stream_put(s, task_fill(self->va, 64, 1, 1));
	ASSERT_EQ(0, mprotect(s->slots, PAGE, PROT_READ));
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	EXPECT_TRUE(says(s, 1, VNPU_TASK_COPY, EFAULT, self->bad));
	EXPECT_TRUE(says(s, 2, VNPU_TASK_FILL, 0, 0));
}

TEST_HARNESS_MAIN
