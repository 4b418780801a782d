// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cores that end in order, and launches that they complete at the last moment.
 * Here the client itself is the core.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "core.h"
#include "stalled_get.h"

/* An upper limit of waits, on a slow machine. */
#define SOON_NS		8000000000ULL
#define SOON_MS		8000

FIXTURE(engine_leave)
{
	struct client c;
	struct stream s;
	int fd;
	struct vnpu_engine_event e;
};

static int attach(FIXTURE_DATA(engine_leave) * self)
{
	struct vnpu_engine_attach a;

	self->fd = engine_create(&self->c, 0, 0);
	return self->fd < 0 ? self->fd : engine_attach(self->fd, &a);
}

FIXTURE_SETUP(engine_leave)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(1), self->c.base));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	ASSERT_EQ(0, attach(self));
}

FIXTURE_TEARDOWN(engine_leave)
{
	stream_destroy(&self->s);
	close(self->fd);
	client_close(&self->c);
}

static struct vnpu_task launch(const struct client *c)
{
	return task_launch(CORE_NOTHING, c->base, 8);
}

/* Get a launch; return the number of events, or -errno. */
static int get(FIXTURE_DATA(engine_leave) * self)
{
	return engine_next(self->fd, &self->e, 1, now_ns() + SOON_NS);
}

TEST_F(engine_leave, launches_are_given_back)
{
	const struct vnpu_engine_state *state = engine_map_state(self->fd);
	struct stream other;
	int i;

	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	for (i = 0; i < 3; i++)
		stream_put(&self->s, launch(&self->c));
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(1, get(self));
	ASSERT_EQ(0, engine_complete(self->fd, self->e.id, 0, 0));
	ASSERT_EQ(1, get(self));
	EXPECT_EQ(2, self->e.seq);
	/* This one has not been fetched. */
	ASSERT_EQ(0, stream_run(&other, launch(&self->c)));
	while (!__atomic_load_n(&state->pending, __ATOMIC_RELAXED))
		usleep(1000);
	ASSERT_EQ(0, engine_complete(self->fd, self->e.id, EAGAIN, 0));
	EXPECT_EQ(-ENOENT, engine_complete(self->fd, self->e.id, 0, 0));
	/* The core gets neither again, nor new ones. */
	EXPECT_EQ(0, state->pending);
	EXPECT_EQ(2, state->waiting);
	EXPECT_EQ(0, engine_next(self->fd, &self->e, 1, 0));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 50));
	munmap((void *)state, PAGE);
	close(self->fd);

	/* The next core gets them in the order of the streams. */
	ASSERT_EQ(0, attach(self));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(1, get(self));
		ASSERT_EQ(0, engine_complete(self->fd, self->e.id, 0, 0));
	}
	EXPECT_EQ(0, stream_wait(&self->s, SOON_MS));
	EXPECT_EQ(0, stream_wait(&other, SOON_MS));
	EXPECT_EQ(0, self->s.ring->errors);
	EXPECT_EQ(0, other.ring->errors);
	stream_destroy(&other);
}

/* A core that is about to end finds out whether it has launches left. */
TEST_F(engine_leave, core_announces_its_end)
{
	struct vnpu_engine_set set = {
		.size = sizeof(set),
		.flags = VNPU_ENGINE_SET_F_LEAVING,
	};
	struct stream other;

	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, stream_run(&self->s, launch(&self->c)));
	ASSERT_EQ(1, get(self));
	ASSERT_EQ(0, stream_run(&other, launch(&self->c)));
	ASSERT_EQ(0, call(self->fd, VNPU_IOCTL_ENGINE_SET, &set));
	EXPECT_EQ(1, set.out_launches);
	/* It gets no more, and this cannot be taken back. */
	ASSERT_EQ(0, engine_complete(self->fd, self->e.id, 0, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON_MS));
	set.flags = 0;
	ASSERT_EQ(0, call(self->fd, VNPU_IOCTL_ENGINE_SET, &set));
	EXPECT_EQ(0, set.out_launches);
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&other, 50));
	EXPECT_EQ(0, engine_next(self->fd, &self->e, 1, 0));
	close(self->fd);
	ASSERT_EQ(0, attach(self));
	ASSERT_EQ(1, get(self));
	ASSERT_EQ(0, engine_complete(self->fd, self->e.id, 0, 0));
	EXPECT_EQ(0, stream_wait(&other, SOON_MS));
	stream_destroy(&other);
}

/*
 * A thread of the core has got a launch, but its memory for the event fails.
 * Meanwhile, the core has announced its end.
 */
TEST_F(engine_leave, launch_is_returned_late)
{
	const struct vnpu_engine_state *state = engine_map_state(self->fd);
	struct stalled_get g;
	int ret;

	ASSERT_EQ(0, stream_run(&self->s, launch(&self->c)));
	ret = stalled_get_begin(&g, self->fd);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no userfaultfd");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, engine_set(self->fd, VNPU_ENGINE_SET_F_LEAVING));
	EXPECT_EQ(-EFAULT, stalled_get_end(&g));
	EXPECT_EQ(0, state->pending);
	EXPECT_EQ(1, state->waiting);
	EXPECT_EQ(0, engine_next(self->fd, &self->e, 1, 0));
	munmap((void *)state, PAGE);
	close(self->fd);

	ASSERT_EQ(0, attach(self));
	ASSERT_EQ(1, get(self));
	ASSERT_EQ(0, engine_complete(self->fd, self->e.id, 0, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON_MS));
	EXPECT_EQ(0, self->s.ring->errors);
}

/* The time limit of a launch that nothing runs goes on. */
TEST_F(engine_leave, time_limit_without_a_next_core)
{
	struct vnpu_task t = launch(&self->c);

	t.timeout_ms = 100;
	ASSERT_EQ(0, stream_run(&self->s, t));
	ASSERT_EQ(1, get(self));
	ASSERT_EQ(0, engine_complete(self->fd, self->e.id, EAGAIN, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON_MS));
	EXPECT_EQ(ETIMEDOUT, self->s.ring->error);
}

/* A core that has done its work and ends is none that dies. */
TEST_F(engine_leave, orderly_ends_are_no_deaths)
{
	int i;

	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, stream_run(&self->s, launch(&self->c)));
		ASSERT_EQ(1, get(self));
		ASSERT_EQ(0, engine_complete(self->fd, self->e.id, EFAULT, 0));
		ASSERT_EQ(0, stream_wait(&self->s, SOON_MS));
		EXPECT_EQ(EFAULT, self->s.ring->error);
		close(self->fd);
		ASSERT_EQ(0, stream_run(&self->s, launch(&self->c)));
		ASSERT_EQ(0, attach(self));
		ASSERT_EQ(1, get(self));
		ASSERT_EQ(0, engine_complete(self->fd, self->e.id, 0, 0));
		ASSERT_EQ(0, stream_wait(&self->s, SOON_MS));
	}
	EXPECT_EQ(6, self->s.ring->errors);
}

static void *complete_late(void *data)
{
	FIXTURE_DATA(engine_leave) *self = data;
	int i;

	for (i = 0; i < (int)(self->e.id % 32) * 40; i++)
		__asm__ volatile("");
	engine_complete(self->fd, self->e.id, 0, 0);
	return NULL;
}

/*
 * A core completes launches while they are aborted. The next launch of the
 * stream must not take over such a result.
 */
TEST_F(engine_leave, completion_meets_an_abort)
{
	enum { ROUNDS = 300 };
	pthread_t thread;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, stream_run(&self->s, launch(&self->c)));
		ASSERT_EQ(1, get(self));
		ASSERT_EQ(0, pthread_create(&thread, NULL, complete_late, self));
		ASSERT_EQ(0, stream_abort(&self->s, NULL));
		pthread_join(thread, NULL);
		ASSERT_EQ(0, stream_run(&self->s, launch(&self->c)));
		ASSERT_LE(1, get(self));
		if (self->e.kind == VNPU_ENGINE_EVENT_STOP)
			ASSERT_EQ(1, get(self));
		ASSERT_EQ(VNPU_ENGINE_EVENT_LAUNCH, self->e.kind);
		ASSERT_EQ(0, engine_complete(self->fd, self->e.id, 0, 0));
		ASSERT_EQ(0, stream_wait(&self->s, SOON_MS));
	}
}

TEST_HARNESS_MAIN
