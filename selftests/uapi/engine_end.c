// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of launches and cores: time limits, aborts, cores that hang or die,
 * and the ends of streams, clients and devices. Nothing waits for a core for
 * more than a short time.
 */
#include "kselftest_harness.h"

#include "core.h"
#include "param.h"
#include "trouble.h"

/* An upper limit of waits, on a slow machine. */
#define SOON		8000

/* This many deaths in a second make launches fail. */
#define DEATHS		3

FIXTURE(engine_end)
{
	struct client c;
	struct stream s;
	struct core k;
	__u64 va;	/* 1 MiB of device memory, with host access */
	__u64 *args;	/* its first page: arguments */
	__u64 *data;	/* its second page */
	unsigned int hang_ms;
};

FIXTURE_SETUP(engine_end)
{
	memset(&self->k, 0, sizeof(self->k));
	ASSERT_EQ(0, param_get("hang_timeout_ms", &self->hang_ms));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	self->va = self->c.base;
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(1), self->va));
	self->args = ptr(self->va);
	self->data = ptr(self->va + PAGE);
	memset(self->args, 0, 2 * PAGE);
	self->args[0] = self->va + PAGE;
	self->args[1] = 8;
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

FIXTURE_TEARDOWN(engine_end)
{
	EXPECT_EQ(0, param_set("hang_timeout_ms", self->hang_ms));
	core_end(&self->k);
	if (self->s.ring)
		stream_destroy(&self->s);
	client_close(&self->c);
}

static struct vnpu_task launch(const struct client *c, __u64 function)
{
	return task_launch(function, c->base, 16);
}

/* Start a launch, and wait until the core runs it. */
static int begin(FIXTURE_DATA(engine_end) * self, __u64 function)
{
	__u32 launches = core_launches(&self->k);
	int ret = stream_run(&self->s, launch(&self->c, function));

	if (!ret && !core_wait_launches(&self->k, launches + 1))
		ret = -ETIMEDOUT;
	return ret;
}

/* Replace a core that has died, and check that it works. */
static int replace(FIXTURE_DATA(engine_end) * self)
{
	int ret;

	core_end(&self->k);
	ret = core_start(&self->k, &self->c, 0, 0);
	return ret ? ret : stream_do(&self->s, launch(&self->c, CORE_ADD));
}

TEST_F(engine_end, time_limit_stops_a_launch)
{
	struct vnpu_task t = launch(&self->c, CORE_HANG);

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	t.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, t));
	EXPECT_EQ(1, self->k.report->stops);
	/* The limit of the stream, and that of the module. */
	ASSERT_EQ(0, stream_set(&self->s, VNPU_STREAM_SET_F_TIMEOUT, 0, 0, 60));
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, launch(&self->c, CORE_HANG)));
	ASSERT_EQ(0, stream_set(&self->s, VNPU_STREAM_SET_F_TIMEOUT, 0, 0, 0));
	ASSERT_EQ(0, param_set("hang_timeout_ms", 70));
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, launch(&self->c, CORE_HANG)));
	EXPECT_EQ(3, self->k.report->stops);
	/* The core lives. */
	ASSERT_EQ(0, param_set("hang_timeout_ms", self->hang_ms));
	EXPECT_EQ(0, stream_do(&self->s, launch(&self->c, CORE_ADD)));
	EXPECT_EQ(1, self->data[0]);
	EXPECT_FALSE(engine_has_ended(self->k.fd, 0));
}

TEST_F(engine_end, core_that_does_not_stop_is_killed)
{
	struct vnpu_task t = launch(&self->c, CORE_STUCK);
	struct stream other;

	ASSERT_EQ(0, stream_create(&other, &self->c, 0));
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	/* A launch of another stream is lost with the core. */
	ASSERT_EQ(0, stream_run(&other, launch(&self->c, CORE_HANG)));
	ASSERT_TRUE(core_wait_launches(&self->k, 1));
	t.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, t));
	EXPECT_EQ(1, self->k.report->stops);
	EXPECT_EQ(0, stream_wait(&other, SOON));
	EXPECT_EQ(ECONNRESET, other.ring->error);
	EXPECT_TRUE(engine_has_ended(self->k.fd, 0));
	EXPECT_EQ(256 + SIGKILL, core_wait(&self->k));
	EXPECT_EQ(0, replace(self));
	stream_destroy(&other);
}

TEST_F(engine_end, core_that_does_not_look_is_killed)
{
	/* It sleeps, and gets the request to stop too late. */
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	self->args[0] = 20000;
	ASSERT_EQ(0, begin(self, CORE_SLEEP));
	/* The abort waits until the driver has killed the core. */
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(1, self->s.ring->cancelled);
	EXPECT_EQ(256 + SIGKILL, core_wait(&self->k));
	self->args[0] = self->va + PAGE;
	EXPECT_EQ(0, replace(self));
}

TEST_F(engine_end, abort_stops_a_launch)
{
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, begin(self, CORE_KEEP_ADDING));
	stream_put(&self->s, launch(&self->c, CORE_ADD));
	ASSERT_EQ(0, stream_submit(&self->s));
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(2, self->s.ring->cancelled);
	EXPECT_EQ(1, core_launches(&self->k));
	EXPECT_EQ(0, stream_do(&self->s, launch(&self->c, CORE_ADD)));
}

/* The event of a launch that the core has not fetched is removed. */
TEST_F(engine_end, abort_removes_an_event)
{
	const struct vnpu_engine_state *state;
	struct vnpu_engine_attach a;
	struct vnpu_engine_event e;
	int fd = engine_create(&self->c, 0, 1);

	ASSERT_LE(0, fd);
	state = engine_map_state(fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	ASSERT_EQ(0, stream_run(&self->s, launch(&self->c, CORE_ADD)));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 50));
	EXPECT_EQ(1, state->pending);
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_EQ(0, state->pending);
	EXPECT_EQ(0, engine_next(fd, &e, 1, 0));
	/* One that it has got fails with the core. */
	ASSERT_EQ(0, stream_run(&self->s, launch(&self->c, CORE_ADD)));
	ASSERT_EQ(1, engine_next(fd, &e, 1, NO_TIMEOUT));
	/* A mapping keeps the file. */
	close(fd);
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 50));
	munmap((void *)state, PAGE);
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EIO, self->s.ring->error);
}

TEST_F(engine_end, core_dies)
{
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	EXPECT_EQ(-EIO, stream_do(&self->s, launch(&self->c, CORE_DIE)));
	EXPECT_TRUE(engine_has_ended(self->k.fd, SOON));
	EXPECT_EQ(256 + SIGKILL, core_wait(&self->k));
	usleep(1000000);
	EXPECT_EQ(0, replace(self));
}

/* Kill cores at random times, with launches in all states. */
TEST_F(engine_end, core_is_killed_at_any_time)
{
	enum { STREAMS = 6, ROUNDS = 8 };
	struct rng r = rng_init();
	struct stream s[STREAMS];
	__u64 failed = 0;
	int i, j, k;

	for (i = 0; i < STREAMS; i++)
		ASSERT_EQ(0, stream_create(&s[i], &self->c, 0));
	for (j = 0; j < ROUNDS; j++) {
		int fd = engine_create(&self->c, 0, 2);

		ASSERT_LE(0, fd);
		for (i = 0; i < STREAMS; i++) {
			for (k = 0; k < 20; k++)
				stream_put(&s[i], launch(&self->c, CORE_ADD));
			ASSERT_EQ(0, stream_submit(&s[i]));
		}
		ASSERT_EQ(0, core_start_on(&self->k, fd, &self->c));
		usleep((useconds_t)rng_below(&r, 30000));
		core_end(&self->k);
		/* More deaths in a second would be a failure. */
		usleep(510000);
	}
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 2));
	for (i = 0; i < STREAMS; i++) {
		__u64 last;

		ASSERT_EQ(0, stream_wait(&s[i], 30000));
		failed += s[i].ring->errors;
		for (last = 1; last <= s[i].ring->errors; last++)
			EXPECT_EQ(EIO, stream_failure(&s[i], last)->error);
		stream_destroy(&s[i]);
	}
	/* Each core that died had at most two launches. */
	EXPECT_GE(2 * ROUNDS, failed);
}

TEST_F(engine_end, three_deaths_fail_launches)
{
	int i, fd;

	ASSERT_EQ(0, stream_run(&self->s, launch(&self->c, CORE_ADD)));
	for (i = 0; i < DEATHS; i++) {
		EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 1));
		fd = engine_create(&self->c, 0, 0);
		ASSERT_LE(0, fd);
		close(fd);
	}
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(EIO, self->s.ring->error);
	EXPECT_EQ(-EIO, stream_do(&self->s, launch(&self->c, CORE_ADD)));
	/* Another core makes it well. */
	EXPECT_EQ(0, replace(self));
}

TEST_F(engine_end, no_core_comes)
{
	struct vnpu_task t = launch(&self->c, CORE_ADD);

	t.timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, t));
	EXPECT_EQ(0, replace(self));
}

TEST_F(engine_end, stream_ends_under_a_launch)
{
	__u64 start, written;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, begin(self, CORE_HANG));
	start = now_ms();
	EXPECT_EQ(0, stream_destroy(&self->s));
	EXPECT_GT(SOON, now_ms() - start);
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	EXPECT_EQ(0, stream_do(&self->s, launch(&self->c, CORE_ADD)));
	EXPECT_EQ(1, self->k.report->stops);
	/* The core writes no more when the call returns. */
	ASSERT_EQ(0, begin(self, CORE_KEEP_ADDING));
	EXPECT_EQ(0, stream_destroy(&self->s));
	written = *(volatile __u64 *)self->data;
	usleep(20000);
	EXPECT_EQ(written, *(volatile __u64 *)self->data);
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	/* A core that does not stop is killed all the same. */
	ASSERT_EQ(0, begin(self, CORE_STUCK));
	EXPECT_EQ(0, stream_destroy(&self->s));
	EXPECT_TRUE(engine_has_ended(self->k.fd, SOON));
	EXPECT_EQ(256 + SIGKILL, core_wait(&self->k));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	EXPECT_EQ(0, replace(self));
}

TEST_F(engine_end, client_ends_under_a_launch)
{
	__u64 start;

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, begin(self, CORE_STUCK));
	start = now_ms();
	munmap(self->s.ring, self->s.map_size);
	self->s.ring = NULL;
	client_close(&self->c);
	EXPECT_GT(SOON, now_ms() - start);
	EXPECT_EQ(256 + SIGKILL, core_wait(&self->k));
	EXPECT_TRUE(engine_has_ended(self->k.fd, 0));
}

/* The client is killed; its core has its own process. */
TEST_F(engine_end, client_is_killed_under_a_launch)
{
	__u64 used = device_used(&self->c, 0);
	int pair[2], pid;
	pid_t client;

	ASSERT_EQ(0, pipe(pair));
	client = fork_bound();
	ASSERT_LE(0, client);
	if (!client) {
		struct client c;
		struct stream s;
		struct core k = { 0 };

		if (client_open_only(&c) ||
		    window_map(&c, WINDOW_SIZE, PROT_READ | PROT_WRITE) ||
		    mem_alloc_at(&c, 0, 0, 0, MIB(8), c.base) ||
		    stream_create(&s, &c, 0) || core_start(&k, &c, 0, 0) ||
		    stream_run(&s, launch(&c, CORE_STUCK)) ||
		    !core_wait_launches(&k, 1) ||
		    write(pair[1], &k.pid, sizeof(k.pid)) != sizeof(k.pid))
			_exit(1);
		pause();
	}
	ASSERT_EQ(sizeof(pid), read(pair[0], &pid, sizeof(pid)));
	EXPECT_EQ(used + MIB(8), device_used(&self->c, 0));
	kill(client, SIGKILL);
	EXPECT_EQ(256 + SIGKILL, child_wait(client));
	EXPECT_EQ(used, device_used(&self->c, 0));
	close(pair[0]);
	close(pair[1]);
}

TEST_F(engine_end, device_is_reset)
{
	struct stream waits;

	ASSERT_EQ(0, stream_create(&waits, &self->c, 0));
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 1));
	ASSERT_EQ(0, begin(self, CORE_STUCK));
	ASSERT_EQ(0, stream_run(&waits, launch(&self->c, CORE_ADD)));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&waits, 50));
	ASSERT_EQ(0, device_reset(0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(ECONNRESET, self->s.ring->error);
	EXPECT_EQ(256 + SIGKILL, core_wait(&self->k));
	/* The launch that had not begun is run by the next core. */
	self->data[0] = 0;
	EXPECT_EQ(0, replace(self));
	EXPECT_EQ(0, stream_wait(&waits, SOON));
	EXPECT_EQ(0, waits.ring->errors);
	EXPECT_EQ(2, self->data[0]);
	/* A reset does not concern a core without launches. */
	ASSERT_EQ(0, device_reset(0));
	EXPECT_EQ(0, stream_do(&self->s, launch(&self->c, CORE_ADD)));
	EXPECT_FALSE(engine_has_ended(self->k.fd, 0));
	stream_destroy(&waits);
}

TEST_F(engine_end, device_is_removed)
{
	int device = device_add(MIB(16));
	struct stream s;
	struct core k;

	ASSERT_GT(device, 0);
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, core_start(&k, &self->c, (__u32)device, 0));
	ASSERT_EQ(0, stream_create(&s, &self->c, (__u32)device));
	ASSERT_EQ(0, stream_run(&s, launch(&self->c, CORE_STUCK)));
	ASSERT_TRUE(core_wait_launches(&k, 1));
	ASSERT_EQ(0, device_remove((__u32)device));
	EXPECT_EQ(0, stream_wait(&s, SOON));
	EXPECT_EQ(ENODEV, s.ring->error);
	EXPECT_EQ(256 + SIGKILL, core_wait(&k));
	EXPECT_EQ(-ENODEV, engine_create(&self->c, (__u32)device, 0));
	stream_destroy(&s);
	core_end(&k);
	/* That of the other device runs on. */
	EXPECT_EQ(0, stream_do(&self->s, launch(&self->c, CORE_ADD)));
}

TEST_F(engine_end, debugger_suspends_time_limits)
{
	struct vnpu_engine_attach a;
	struct vnpu_engine_event e[2];
	struct vnpu_task t = launch(&self->c, CORE_ADD);
	int fd = engine_create(&self->c, 0, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	t.timeout_ms = 100;
	ASSERT_EQ(0, engine_set(fd, VNPU_ENGINE_SET_F_DEBUGGED));
	ASSERT_EQ(0, stream_run(&self->s, t));
	ASSERT_EQ(1, engine_next(fd, e, 1, NO_TIMEOUT));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 500));
	EXPECT_EQ(0, engine_next(fd, e + 1, 1, 0));
	ASSERT_EQ(0, engine_set(fd, 0));
	ASSERT_EQ(1, engine_next(fd, e + 1, 1, NO_TIMEOUT));
	EXPECT_EQ(VNPU_ENGINE_EVENT_STOP, e[1].kind);
	EXPECT_EQ(e[0].id, e[1].id);
	/* The client itself is the core, and is not killed. */
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(ETIMEDOUT, self->s.ring->error);
	EXPECT_TRUE(engine_has_ended(fd, 0));
	EXPECT_EQ(-ENODEV, engine_complete(fd, e[0].id, 0, 0));
	close(fd);
}

/* The time in the debugger does not count. */
TEST_F(engine_end, time_limits_begin_anew_after_a_debugger)
{
	struct vnpu_engine_attach a;
	struct vnpu_engine_event e[2];
	struct vnpu_task t = launch(&self->c, CORE_ADD);
	int fd = engine_create(&self->c, 0, 0);

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, engine_attach(fd, &a));
	t.timeout_ms = 2000;
	ASSERT_EQ(0, engine_set(fd, VNPU_ENGINE_SET_F_DEBUGGED));
	ASSERT_EQ(0, stream_run(&self->s, t));
	ASSERT_EQ(1, engine_next(fd, e, 1, NO_TIMEOUT));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 1500));
	ASSERT_EQ(0, engine_set(fd, 0));
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 1000));
	EXPECT_EQ(0, engine_next(fd, e + 1, 1, 0));
	EXPECT_EQ(0, engine_complete(fd, e[0].id, 0, 0));
	EXPECT_EQ(0, stream_wait(&self->s, SOON));
	EXPECT_EQ(0, self->s.ring->errors);
	close(fd);
}

/* An abort has no time limit that a debugger could suspend. */
TEST_F(engine_end, debugger_does_not_hold_up_an_abort)
{
	struct vnpu_task t = launch(&self->c, CORE_DEBUGGED);
	__u64 start;

	t.timeout_ms = 50;
	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, stream_run(&self->s, t));
	ASSERT_TRUE(core_wait_launches(&self->k, 1));
	while (!*(volatile __u32 *)&self->k.report->stops)
		usleep(1000);
	EXPECT_EQ(-ETIMEDOUT, stream_wait(&self->s, 1000));
	start = now_ms();
	ASSERT_EQ(0, stream_abort(&self->s, NULL));
	EXPECT_GT(SOON, now_ms() - start);
	EXPECT_EQ(256 + SIGKILL, core_wait(&self->k));
	EXPECT_EQ(0, replace(self));
}

/* An engine that hangs or is slow does so before it gives a launch to a core. */
TEST_F(engine_end, faults_are_injected)
{
	struct vnpu_task t = launch(&self->c, CORE_ADD);

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, faults_clear(0));
	ASSERT_EQ(0, hang_next(client_id(&self->c)));
	t.timeout_ms = 200;
	EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, t));
	EXPECT_EQ(0, core_launches(&self->k));
	EXPECT_EQ(0, faults_clear(0));
	EXPECT_EQ(0, stream_do(&self->s, t));
	EXPECT_EQ(1, self->data[0]);
}

TEST_F(engine_end, memory_has_an_error)
{
	const struct fault error = {
		.kind = VNPU_INJECT_KIND_ECC_UNCORRECTED,
		.client = client_id(&self->c),
		.class = ANY_CLASS,
		.addr = self->va + 5 * PAGE + 8,
	};

	ASSERT_EQ(0, core_start(&self->k, &self->c, 0, 0));
	ASSERT_EQ(0, fault_change(&error, false));
	self->args[0] = self->va + 5 * PAGE;
	EXPECT_EQ(-EIO, stream_do(&self->s, launch(&self->c, CORE_READ)));
	self->args[0] = self->va + 6 * PAGE;
	EXPECT_EQ(0, stream_do(&self->s, launch(&self->c, CORE_READ)));
	EXPECT_EQ(0, faults_clear(0));
	/* The device stays in alarm until it is reset. */
	EXPECT_EQ(0, device_reset(0));
}

TEST_HARNESS_MAIN
