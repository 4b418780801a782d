// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected faults of cores: each happens to the requested launch, and gives what
 * a core that really behaves so gives. engine_end.c has such cores.
 */
#include "inject_core.h"

TEST_F(inject, a_core_hangs)
{
	struct core k = { 0 };
	struct stream other;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, core_fault(self, KIND(HANG), 2));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(0, list().hits);
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 2000)));
	EXPECT_EQ(0, fault_wait(0, KIND(HANG)));
	/* Other streams go on, also with launches. */
	EXPECT_EQ(0, stream_do(&other, task_fill(self->va + MIB(1), 64, 1, 1)));
	EXPECT_EQ(0, stream_do(&other, launch(self, 0)));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(ETIMEDOUT, self->s.ring->error);
	/* The core was asked to stop it first. */
	EXPECT_EQ(256 + SIGKILL, core_wait(&k));
	EXPECT_EQ(1, k.report->stops);
	EXPECT_EQ(3, *COUNT);
	EXPECT_EQ(1, list().hits);
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
	EXPECT_EQ(0, replace(self, &k));
	stream_destroy(&other);
	core_end(&k);
}

/* A launch that runs beside it is reset, and one that waits is not. */
TEST_F(inject, a_core_hangs_with_other_launches)
{
	struct stream runs, waits;
	struct core k = { 0 };

	args_set(self);
	ASSERT_EQ(0, core_start(&k, &self->c, 0, 2));
	ASSERT_EQ(0, stream_create(&runs, &self->c, 0));
	ASSERT_EQ(0, stream_create(&waits, &self->c, 0));
	ASSERT_EQ(0, stream_run(&runs, task_launch(CORE_HANG, self->va, 16)));
	ASSERT_TRUE(core_wait_launches(&k, 1));
	ASSERT_EQ(0, core_fault(self, KIND(HANG), 1));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 300)));
	ASSERT_EQ(0, fault_wait(0, KIND(HANG)));
	ASSERT_EQ(0, stream_run(&waits, launch(self, 0)));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(ETIMEDOUT, self->s.ring->error);
	EXPECT_EQ(0, stream_wait(&runs, SOON));
	EXPECT_EQ(ECONNRESET, runs.ring->error);
	core_end(&k);
	ASSERT_EQ(0, core_start(&k, &self->c, 0, 0));
	EXPECT_EQ(0, stream_wait(&waits, SOON));
	EXPECT_EQ(0, waits.ring->errors);
	EXPECT_EQ(2, *COUNT);
	stream_destroy(&runs);
	stream_destroy(&waits);
	core_end(&k);
}

TEST_F(inject, a_hang_of_a_core_ends_by_abort)
{
	struct core k = { 0 };

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, core_fault(self, KIND(HANG), 1));
	/* A second completion is ignored, too. */
	ASSERT_EQ(0, core_fault(self, KIND(TWICE), 1));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_TRUE(is_stuck_by(&self->s, KIND(HANG)));
	/* The fault has happened, and what it did stays. */
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_TRUE(is_stuck(&self->s));
	EXPECT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(1, self->s.ring->cancelled);
	EXPECT_EQ(256 + SIGKILL, core_wait(&k));
	EXPECT_EQ(0, replace(self, &k));
	core_end(&k);
}

TEST_F(inject, a_core_dies)
{
	struct core k = { 0 };
	struct stream other;
	int fd;

	args_set(self);
	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, core_fault(self, KIND(DIE), 1));
	/* The core can have one of them at a time. */
	fd = engine_create(&self->c, 0, 1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	ASSERT_TRUE(is_stuck(&self->s));
	ASSERT_EQ(0, stream_run(&other, launch(self, 0)));
	ASSERT_EQ(0, core_start_on(&k, fd, &self->c));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EIO, self->s.ring->error);
	EXPECT_TRUE(engine_has_ended(k.fd, SOON));
	EXPECT_EQ(256 + SIGKILL, core_wait(&k));
	EXPECT_EQ(0, *COUNT);
	EXPECT_EQ(1, list().hits);
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
	/* The next core runs the other. */
	core_end(&k);
	ASSERT_EQ(0, core_start(&k, &self->c, 0, 0));
	EXPECT_EQ(0, stream_wait(&other, SOON));
	EXPECT_EQ(0, other.ring->errors);
	EXPECT_EQ(1, *COUNT);
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	stream_destroy(&other);
	core_end(&k);
}

/* The process of the client is not killed if it is the core itself. */
TEST_F(inject, a_core_in_the_client_dies)
{
	struct vnpu_engine_attach a;
	struct vnpu_engine_event e;
	int fd = engine_create(&self->c, 0, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, core_fault(self, KIND(DIE), 1));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_EQ(-EINTR, engine_next(fd, &e, 1, NO_TIMEOUT));
	EXPECT_TRUE(engine_has_ended(fd, 0));
	EXPECT_EQ(-ENODEV, engine_next(fd, &e, 1, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EIO, self->s.ring->error);
	close(fd);
}

TEST_F(inject, a_core_completes_twice)
{
	struct core k = { 0 };
	int i;

	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, core_fault_of(0, KIND(TWICE), self->id, 0));
	/* The next launch gets the same slot at once. */
	for (i = 0; i < 8; i++)
		stream_put(&self->s, launch(self, 0));
	ASSERT_EQ(0, stream_submit(&self->s));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(8, *COUNT);
	EXPECT_EQ(8, list().hits);
	EXPECT_EQ(8, launches(self->id));
	core_end(&k);
}

TEST_F(inject, a_core_completes_with_nonsense)
{
	static __u8 buffer[NL_BUFFER];
	int events = nl_open_events(buffer);
	struct core k = { 0 };
	struct vnpu_stream_query q;

	ASSERT_LE(0, events);
	ASSERT_EQ(0, begin(self, &k));
	ASSERT_EQ(0, core_fault(self, KIND(GARBAGE), 2));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(-EFAULT, stream_do(&self->s, launch(self, 0)));
	ASSERT_EQ(0, stream_query(&self->s, &q));
	EXPECT_EQ(EFAULT, q.out_error);
	EXPECT_EQ(~0ULL, q.out_error_addr);
	EXPECT_EQ(0, event_wait(events, VNPU_CMD_TASK_FAULT_NTF, buffer));
	EXPECT_EQ(self->id, nl_u64((void *)buffer, VNPU_A_TASK_FAULT_CLIENT_ID));
	EXPECT_EQ(EFAULT, nl_u32((void *)buffer, VNPU_A_TASK_FAULT_ERROR));
	EXPECT_EQ(0, stream_do(&self->s, launch(self, 0)));
	EXPECT_EQ(3, *COUNT);
	EXPECT_EQ(1, list().hits);
	EXPECT_FALSE(engine_has_ended(k.fd, 0));
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));
	core_end(&k);
	close(events);
}

/* Run 32 launches; return a bit for each that has failed. */
static __u32 failures(FIXTURE_DATA(inject) * self, const struct fault *f)
{
	__u32 bits = 0;
	int i;

	if (fault_change(f, false))
		return ~0U;
	for (i = 0; i < 32; i++) {
		int ret = stream_do(&self->s, launch(self, 0));

		if (ret == -EFAULT)
			bits |= 1U << i;
		else if (ret)
			return ~0U;
	}
	return bits;
}

TEST_F(inject, launches_are_counted_and_drawn)
{
	struct fault f = {
		.kind = KIND(GARBAGE), .client = self->id, .class = ANY_CLASS,
		.nth = 2, .every = 4,
	};
	struct core k = { 0 };
	__u32 drawn;

	ASSERT_EQ(0, begin(self, &k));
	EXPECT_EQ(0x22222222, failures(self, &f));
	EXPECT_EQ(8, list().hits);
	f.nth = f.every = 0;
	f.ppm = 500000;
	f.seed = 7;
	drawn = failures(self, &f);
	EXPECT_EQ(__builtin_popcount(drawn), list().hits);
	EXPECT_NE(0, drawn);
	EXPECT_NE(~0U, drawn);
	EXPECT_EQ(drawn, failures(self, &f));
	f.client = self->id + 1000;
	ASSERT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, failures(self, &f));
	EXPECT_EQ(0, list().hits);
	EXPECT_EQ(96 + 32, *COUNT);
	core_end(&k);
}

/* The core gets it again with the fault, which has happened once. */
TEST_F(inject, a_launch_cannot_be_delivered)
{
	struct vnpu_engine_attach a;
	struct vnpu_engine_event e;
	int fd = engine_create(&self->c, 0, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, core_fault(self, KIND(GARBAGE), 1));
	ASSERT_EQ(0, stream_run(&self->s, launch(self, 0)));
	EXPECT_EQ(-EFAULT, engine_next(fd, ptr(8), 1, NO_TIMEOUT));
	ASSERT_EQ(1, engine_next(fd, &e, 1, 0));
	EXPECT_EQ(1, list().hits);
	EXPECT_EQ(0, engine_complete(fd, e.id, 0, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EFAULT, self->s.ring->error);
	close(fd);
}

TEST_F(inject, faults_of_cores_are_checked)
{
	struct fault f = { .kind = KIND(SLOW), .class = ANY_CLASS };
	__u32 kind;

	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.delay_us = LONG_US + 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	f.delay_us = 1;
	f.every = f.ppm = 1;
	EXPECT_EQ(-EINVAL, fault_change(&f, false));
	for (kind = KIND(HANG); kind <= KIND(GARBAGE); kind++) {
		f = (struct fault){
			.kind = kind, .class = COPY,
			.delay_us = kind == KIND(SLOW),
		};
		EXPECT_EQ(-EINVAL, fault_change(&f, false));
		f.class = ANY_CLASS;
		f.client = self->id;
		f.addr = self->va;
		EXPECT_EQ(-EINVAL, fault_change(&f, false));
		f.addr = 0;
		EXPECT_EQ(0, fault_change(&f, false));
		f.delay_us = kind != KIND(SLOW);
		EXPECT_EQ(-EINVAL, fault_change(&f, false));
	}
	EXPECT_EQ(KIND(GARBAGE) - KIND(HANG) + 1, list().count);
}

TEST_HARNESS_MAIN
