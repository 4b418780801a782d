// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected hangs of engines: which tasks they affect, when, and how they end.
 */
#include "inject.h"

/* The task has begun, and does not end. */
static bool is_hung(const struct stream *s)
{
	return is_stuck_by(s, HANG);
}

TEST_F(inject, a_hang_ends_by_abort)
{
	struct stream *s = &self->s;
	__u64 completed;

	ASSERT_EQ(0, hang_next(self->id));
	ASSERT_EQ(0, stream_run(s, NOP));
	EXPECT_TRUE(is_hung(s));
	ASSERT_EQ(0, stream_abort(s, &completed));
	EXPECT_EQ(1, completed);
	EXPECT_EQ(1, s->ring->cancelled);
	/* The hang happened once. */
	EXPECT_EQ(0, stream_do(s, NOP));
}

TEST_F(inject, a_hang_ends_with_the_stream)
{
	struct stream s;

	ASSERT_EQ(0, stream_create(&s, &self->c, 0));
	ASSERT_EQ(0, hang_next(self->id));
	ASSERT_EQ(0, stream_run(&s, NOP));
	EXPECT_TRUE(is_hung(&s));
	EXPECT_EQ(0, stream_destroy(&s));
	EXPECT_EQ(0, stream_do(&self->s, NOP));
}

TEST_F(inject, a_hang_ends_with_the_process)
{
	struct vnpu_limits_query l = { .size = sizeof(l) };
	int ready[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(ready));
	pid = fork_bound();
	if (!pid) {
		struct client own;
		struct stream s;

		if (client_open(&own) || stream_create(&s, &own, 0) ||
		    hang_next(client_id(&own)) || stream_run(&s, NOP) ||
		    !is_hung(&s) || write(ready[1], "", 1) != 1)
			_exit(1);
		wait_point(&own, s.id, s.last, NO_TIMEOUT);
		_exit(2);
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_LIMITS_QUERY, &l));
	EXPECT_EQ(VNPU_MAX_STREAMS - 1, l.out_streams);
	EXPECT_EQ(0, stream_do(&self->s, NOP));
}

TEST_F(inject, a_hang_ends_with_its_context)
{
	struct stream a, b;
	__u32 context;

	ASSERT_EQ(0, context_create(&self->c, 0, &context));
	ASSERT_EQ(0, stream_create_only(&a, &self->c, 0, 0, context,
					VNPU_STREAM_F_STOP));
	ASSERT_EQ(0, stream_create_only(&b, &self->c, 0, 0, context, 0));
	ASSERT_EQ(0, stream_map(&a));
	ASSERT_EQ(0, stream_map(&b));
	/* The hang may occupy the only engine. */
	ASSERT_EQ(0, fault_set(HANG, self->id, VECTOR, 1, 0));
	ASSERT_EQ(0, stream_run(&b, task_fill(self->va, 64, 1, 1)));
	EXPECT_TRUE(is_hung(&b));
	EXPECT_EQ(-EFAULT, stream_do(&a, task_copy(self->va + GIB(2), self->va,
						   64)));
	EXPECT_EQ(0, stream_wait(&b, 20000));
	EXPECT_EQ(1, b.ring->cancelled);
	stream_destroy(&a);
	stream_destroy(&b);
}

TEST_F(inject, a_hang_ends_at_the_time_limit)
{
	struct stream *s = &self->s;
	struct vnpu_task task = task_fill(self->va, 64, 1, 1);
	__u64 start;

	/* The limit of the task. */
	task.timeout_ms = 50;
	ASSERT_EQ(0, hang_next(self->id));
	start = now_ms();
	EXPECT_EQ(-ETIMEDOUT, stream_do(s, task));
	EXPECT_GE(now_ms() - start, 50);
	/* The limit of the stream. */
	ASSERT_EQ(0, stream_set(s, VNPU_STREAM_SET_F_TIMEOUT, 0, 0, 50));
	ASSERT_EQ(0, hang_next(self->id));
	start = now_ms();
	EXPECT_EQ(-ETIMEDOUT, stream_do(s, task_fill(self->va, 64, 1, 1)));
	EXPECT_GE(now_ms() - start, 50);
	/* The stream goes on. */
	EXPECT_EQ(0, stream_do(s, task_fill(self->va, 64, 3, 1)));
	EXPECT_TRUE(is_all(self->mem, 3, 64));
}

TEST_F(inject, a_hang_for_one_client)
{
	struct client c;
	struct stream s;

	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, stream_create(&s, &c, 0));
	ASSERT_EQ(0, hang_next(self->id));
	EXPECT_EQ(0, stream_do(&s, NOP));
	ASSERT_EQ(0, stream_run(&self->s, NOP));
	EXPECT_TRUE(is_hung(&self->s));
	EXPECT_EQ(0, stream_abort(&self->s, NULL));
	stream_destroy(&s);
	client_close(&c);
}

TEST_F(inject, a_hang_for_one_class)
{
	struct stream *s = &self->s;

	ASSERT_EQ(0, fault_set(HANG, ANY_CLIENT, VECTOR, 1, 0));
	EXPECT_EQ(0, stream_do(s, task_copy(self->va, self->va + 64, 64)));
	ASSERT_EQ(0, stream_run(s, task_fill(self->va, 64, 1, 1)));
	EXPECT_TRUE(is_hung(s));
	EXPECT_EQ(0, stream_abort(s, NULL));
	EXPECT_EQ(0, stream_do(s, task_fill(self->va, 64, 1, 1)));
}

TEST_F(inject, a_hang_at_the_nth_task)
{
	struct stream *s = &self->s;
	__u64 id;
	int i;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 1, &id));
	ASSERT_EQ(0, fault_set(HANG, self->id, ANY_CLASS, 4, 0));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, stream_do(s, NOP));
		/* Waits do not count. */
		EXPECT_EQ(0, stream_do(s, task_wait(id, 1)));
	}
	ASSERT_EQ(0, stream_run(s, NOP));
	EXPECT_TRUE(is_hung(s));
	EXPECT_EQ(0, stream_abort(s, NULL));
}

/*
 * No other client waits for a hung engine, even if the engine has its tasks
 * queued.
 */
TEST_F(inject, a_hang_affects_no_other_client)
{
	struct stream s[6];
	int i, k;

	for (i = 0; i < 6; i++)
		ASSERT_EQ(0, stream_create(&s[i], &self->c, 0));
	for (k = 0; k < 20; k++) {
		/* Each engine has some queued. */
		for (i = 0; i < 6; i++)
			ASSERT_EQ(0, stream_do(&s[i], NOP));
		ASSERT_EQ(0, hang_next(self->id));
		ASSERT_EQ(0, stream_run(&self->s, NOP));
		for (i = 0; i < 6; i++)
			EXPECT_EQ(0, stream_destroy(&s[i]));
		EXPECT_EQ(0, stream_abort(&self->s, NULL));
		for (i = 0; i < 6; i++)
			ASSERT_EQ(0, stream_create(&s[i], &self->c, 0));
		/* If the abort came first, the hang is still pending. */
		ASSERT_EQ(0, faults_clear(0));
	}
	for (i = 0; i < 6; i++)
		stream_destroy(&s[i]);
}

TEST_HARNESS_MAIN
