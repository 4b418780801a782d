// SPDX-License-Identifier: GPL-2.0-only
/* Injected delays of cores: the driver completes a launch later than the core. */
#include "inject_core.h"

#include "stalled_get.h"

TEST_F(inject, a_slow_core)
{
	struct core k = { 0 };
	struct stream other;
	struct listed l;
	__u64 start;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, slow(self, 100000));
	start = now_ms();
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_EQ(0, stream_do(&other, launch(self, 0)));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_LE(100, now_ms() - start);
	EXPECT_EQ(2, list().hits);
	/* One after the other. */
	start = now_ms();
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_LE(200, now_ms() - start);
	EXPECT_EQ(4, list().hits);
	EXPECT_EQ(4, *COUNT);
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(0, other.ring->errors);
	/* The end that is on its way comes late nevertheless. */
	ASSERT_EQ(0, slow(self, 300000));
	start = now_ms();
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_EQ(0, fault_wait(0, KIND(SLOW)));
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_LE(300, now_ms() - start);
	EXPECT_FALSE(engine_has_ended(k.fd, 0));
	EXPECT_EQ(0, k.report->stops);
	/* Of three, the second is late. */
	ASSERT_EQ(0, fault_set(KIND(SLOW), self->id, ANY_CLASS, 2, LONG_US));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, launch(self, 100)));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	l = list();
	EXPECT_EQ(LONG_US, l.last.delay_us);
	EXPECT_EQ(0, l.last.nth);
	EXPECT_EQ(1, l.hits);
	stream_destroy(&other);
	core_end(&k);
}

/* A slow core occupies neither an engine nor another core. */
TEST_F(inject, a_slow_core_delays_no_other)
{
	struct core k = { 0 }, own = { 0 };
	struct stream other, s;
	struct client c;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, stream_create(&s, &c, 0));
	ASSERT_EQ(0, core_start(&own, &c, 0, 0));
	ASSERT_EQ(0, slow(self, LONG_US));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_EQ(0, fault_wait(0, KIND(SLOW)));
	EXPECT_EQ(0, stream_do(&other, task_fill(self->va + MIB(1), 64, 1, 1)));
	EXPECT_EQ(0, stream_do(&s, task_launch(CORE_NOTHING, 0, 0)));
	EXPECT_EQ(1, list().hits);
	EXPECT_TRUE(is_stuck(&self->s));
	EXPECT_EQ(0, stream_abort(&self->s, NULL));
	core_end(&own);
	stream_destroy(&s);
	client_close(&c);
	stream_destroy(&other);
	core_end(&k);
}

TEST_F(inject, a_slow_core_stops)
{
	struct core k = { 0 };
	struct stream other;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, slow(self, LONG_US));
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, launch(self, 100)));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_TRUE(is_stuck(&self->s));
	EXPECT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(1, self->s.ring->cancelled);
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, stream_run(&other, launch(self, 0)));
	EXPECT_TRUE(is_stuck(&other));
	EXPECT_EQ(0, stream_destroy(&other));
	EXPECT_EQ(3, list().hits);
	/* The core had ended them, so it need not stop anything. */
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(0, k.report->stops);
	EXPECT_EQ(4, *COUNT);
	EXPECT_EQ(4, launches(self->id));
	core_end(&k);
}

/* The slot of a launch that ends late is neither free nor ended twice. */
TEST_F(inject, a_late_end_counts_once)
{
	struct vnpu_engine_event e, next;
	struct vnpu_engine_attach a;
	struct stream other;
	int fd = engine_create(&self->c, 0, 1);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, slow(self, LONG_US));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_EQ(1, engine_next(fd, &e, 1, NO_TIMEOUT));
	ASSERT_EQ(0, stream_run(&other, launch(self, 0)));
	EXPECT_EQ(0, engine_complete(fd, e.id, 0, 0));
	EXPECT_EQ(-ENOENT, engine_complete(fd, e.id, 0, 0));
	EXPECT_TRUE(is_stuck(&self->s));
	EXPECT_EQ(0, engine_next(fd, &next, 1, 0));
	/* The next one gets the slot once it is free. */
	EXPECT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(-ENOENT, engine_complete(fd, e.id, 0, 0));
	ASSERT_EQ(0, faults_clear(0));
	ASSERT_EQ(1, engine_next(fd, &next, 1, NO_TIMEOUT));
	EXPECT_EQ(0, engine_complete(fd, next.id, EACCES, 5));
	EXPECT_EQ(0, stream_wait(&other, SOON));
	EXPECT_EQ(EACCES, other.ring->error);
	stream_destroy(&other);
	close(fd);
}

TEST_F(inject, a_late_end_comes_twice)
{
	struct core k = { 0 };
	__u64 start;
	int i;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, core_fault_of(0, KIND(TWICE), self->id, 0));
	ASSERT_EQ(0, slow(self, 100000));
	start = now_ms();
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_LE(200, now_ms() - start);
	EXPECT_EQ(2, *COUNT);
	EXPECT_EQ(2, launches(self->id));
	EXPECT_FALSE(engine_has_ended(k.fd, 0));
	core_end(&k);
}

/*
 * Another thread of the core has guessed the number of a launch, and completed it
 * while the event is being delivered. If that fails, the core does not get it
 * again.
 */
TEST_F(inject, a_late_end_of_a_launch_that_is_not_delivered)
{
	int fd = engine_create(&self->c, 0, 0), ret;
	struct vnpu_engine_attach a;
	struct vnpu_engine_event e;
	struct stalled_get g;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, slow(self, LONG_US));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ret = stalled_get_begin(&g, fd);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no userfaultfd");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, engine_complete(fd, 1ULL << 6, EACCES, 0));
	EXPECT_EQ(-EFAULT, stalled_get_end(&g));
	EXPECT_EQ(0, engine_next(fd, &e, 1, 0));
	EXPECT_TRUE(is_stuck(&self->s));
	close(fd);
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EACCES, self->s.ring->error);
}

/*
 * A core that has completed its launches may end, also if the driver delays that.
 * It does not die with them: three deaths within a second would let launches fail.
 */
TEST_F(inject, a_core_leaves_before_a_late_end)
{
	struct vnpu_engine_set set = {
		.size = sizeof(set),
		.flags = VNPU_ENGINE_SET_F_LEAVING,
	};
	struct vnpu_engine_attach a;
	struct vnpu_engine_event e;
	struct core k = { 0 };
	int i;

	for (i = 0; i < 6; i++) {
		int fd = engine_create(&self->c, 0, 0);
		__u32 error = i % 2 ? EACCES : 0;

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, engine_attach(fd, &a));
		ASSERT_EQ(0, slow(self, LONG_US));
		ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
		ASSERT_EQ(1, engine_next(fd, &e, 1, NO_TIMEOUT));
		EXPECT_EQ(0, engine_complete(fd, e.id, error, 0));
		ASSERT_EQ(0, call(fd, VNPU_IOCTL_ENGINE_SET, &set));
		EXPECT_EQ(0, set.out_launches);
		close(fd);
		EXPECT_EQ(0, stream_wait(&self->s, SOON));
		EXPECT_EQ((i + 1) / 2, self->s.ring->errors);
		if (error)
			EXPECT_EQ(error, self->s.ring->error);
	}
	/* A launch waits for the next core. */
	ASSERT_EQ(0, faults_clear(0));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_TRUE(is_stuck(&self->s));
	ASSERT_EQ(0, begin(self, &k));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(3, self->s.ring->errors);
	EXPECT_EQ(1, *COUNT);
	core_end(&k);
}

/* A launch that has not begun is given back at once. */
TEST_F(inject, a_slow_core_gives_a_launch_back)
{
	struct vnpu_engine_event e;
	struct vnpu_engine_attach a;
	struct core k = { 0 };
	int fd = engine_create(&self->c, 0, 0);

	args_set(self);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, slow(self, LONG_US));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_EQ(1, engine_next(fd, &e, 1, NO_TIMEOUT));
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, engine_complete(fd, e.id, EAGAIN, 0));
	close(fd);
	ASSERT_EQ(0, core_start(&k, &self->c, 0, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(1, *COUNT);
	core_end(&k);
}

TEST_HARNESS_MAIN
