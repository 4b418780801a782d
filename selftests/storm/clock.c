// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time that jumps. Time limits use CLOCK_MONOTONIC, so setting the clock
 * neither ends nor extends a wait. A machine whose processes are frozen, as for
 * suspend, loses no queued task and no waiter.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "../uapi/stream.h"
#include "storm.h"

#define WAIT_MS		40
#define SUSPENDED_MS	1000	/* in seconds, as the kernel expects it */
#define YEAR		(365 * 24 * 3600L)

FIXTURE(clock)
{
	struct calm calm;
	struct client c;
	struct stream s;
};

FIXTURE_SETUP(clock)
{
	ASSERT_EQ(0, calm_begin(&self->calm));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, MIB(64), PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(8), self->c.base));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

FIXTURE_TEARDOWN(clock)
{
	stream_destroy(&self->s);
	client_close(&self->c);
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	calm_end(&self->calm);
}

struct jumper {
	bool stop;
	unsigned long jumps;
	int error;
};

static void *jump(void *arg)
{
	static const long steps[] = { YEAR, -2 * YEAR, 3600, YEAR - 3600 };
	struct jumper *j = arg;
	struct timespec t;

	while (!__atomic_load_n(&j->stop, __ATOMIC_RELAXED) || j->jumps % 4) {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_sec += steps[j->jumps++ % 4];
		if (clock_settime(CLOCK_REALTIME, &t))
			j->error = errno;
		usleep(3000);
	}
	return NULL;
}

TEST_F_TIMEOUT(clock, is_set, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(10);
	struct vnpu_task limited;
	struct jumper j = {};
	pthread_t thread;
	__u64 id, start;
	uint64_t n;

	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &id));
	limited = task_wait(id, 1);
	limited.timeout_ms = WAIT_MS;
	ASSERT_EQ(0, pthread_create(&thread, NULL, jump, &j));
	for (n = 0; n < rounds; n++) {
		/* A wait, a task that waits, and one that works. */
		start = now_ns();
		EXPECT_EQ(-ETIMEDOUT, wait_point(&self->c, id, 1,
						 in_ms(WAIT_MS)));
		EXPECT_LE(WAIT_MS * 1000000ULL, now_ns() - start);
		start = now_ns();
		EXPECT_EQ(-ETIMEDOUT, stream_do(&self->s, limited));
		EXPECT_LE(WAIT_MS * 1000000ULL, now_ns() - start);
		EXPECT_EQ(0, stream_do(&self->s, task_fill(self->c.base, MIB(8),
							   n & 0xff, 1)));
	}
	__atomic_store_n(&j.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, j.error);
	printf("# %lu jumps\n", j.jumps);
	EXPECT_EQ(0, timeline_destroy(&self->c, id));
}

static int put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -errno;
	fputs(text, f);
	return fclose(f) ? -errno : 0;
}

/*
 * The kernel's own test of suspend, which stops when all processes are frozen:
 * the machine's root file system does not survive more than that.
 */
static bool can_suspend(void)
{
	char delay[16];

	snprintf(delay, sizeof(delay), "%d\n", SUSPENDED_MS / 1000);
	return !put("/sys/power/pm_test", "freezer\n") &&
	       !put("/sys/module/suspend/parameters/pm_test_delay", delay);
}

/* A wait that continues while processes are frozen. */
struct sleeper {
	pthread_t thread;
	const struct client *c;
	__u64 id, value, ms;
	int ret;
};

static void *sleeper_run(void *arg)
{
	struct sleeper *s = arg;

	s->ret = wait_point(s->c, s->id, s->value, in_ms(s->ms));
	return NULL;
}

static int sleeper_start(struct sleeper *s)
{
	return pthread_create(&s->thread, NULL, sleeper_run, s);
}

TEST_F_TIMEOUT(clock, stands_still, STORM_SECONDS)
{
	const uint64_t times = storm_times(1);
	struct stream *s = &self->s;
	/* A value that is signalled in the end, and one that never is. */
	struct sleeper last = { .c = s->c, .id = s->id, .ms = 60000 };
	struct sleeper never = { .c = s->c, .value = 1, .ms = SUSPENDED_MS / 2 };
	uint64_t n;
	int i;

	if (!can_suspend())
		SKIP(return, "this kernel has no test of suspending");
	ASSERT_EQ(0, timeline_create(s->c, 0, 0, 0, &never.id));
	for (n = 0; n < times; n++) {
		/* More work than can be done before processes are frozen. */
		for (i = 0; i < 1000; i++)
			stream_put(s, task_fill(self->c.base, MIB(8), i & 0xff,
						1));
		ASSERT_EQ(0, stream_submit(s));
		last.value = s->last;
		ASSERT_EQ(0, sleeper_start(&last));
		ASSERT_EQ(0, sleeper_start(&never));
		EXPECT_EQ(0, put("/sys/power/state", "freeze\n"));
		pthread_join(never.thread, NULL);
		EXPECT_EQ(-ETIMEDOUT, never.ret);
		pthread_join(last.thread, NULL);
		EXPECT_EQ(0, last.ret);
		EXPECT_EQ(0, s->ring->errors);
		EXPECT_TRUE(is_all(ptr(self->c.base), 999 & 0xff, MIB(8)));
	}
	put("/sys/power/pm_test", "none\n");
	EXPECT_EQ(0, timeline_destroy(s->c, never.id));
	printf("# suspended %llu times\n", (unsigned long long)times);
}

TEST_HARNESS_MAIN
