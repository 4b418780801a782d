// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals at every point at which a call may wait. A timer fires at random
 * moments, with handlers that have calls restarted and that do not; a call ends
 * as the header says, and what is left is the same as without signals.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/time.h>

#include "../uapi/stream.h"
#include "../uapi/sync.h"
#include "storm.h"

#define ROUNDS		25

/* The longest until the next signal; it doubles and begins anew. */
#define FIRST_US	20
#define LAST_US		20000

static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

FIXTURE(signals)
{
	struct calm calm;
	struct client c;
	struct stream s;
	__u8 *host;
};

FIXTURE_VARIANT(signals)
{
	int flags;
};

FIXTURE_VARIANT_ADD(signals, restart)
{
	.flags = SA_RESTART,
};

FIXTURE_VARIANT_ADD(signals, interrupt)
{
	.flags = 0,
};

FIXTURE_SETUP(signals)
{
	struct sigaction act = {
		.sa_handler = on_signal, .sa_flags = variant->flags,
	};

	ASSERT_EQ(0, calm_begin(&self->calm));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, MIB(256), PROT_READ | PROT_WRITE));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	self->host = mmap(NULL, MIB(8), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->host);
	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
}

FIXTURE_TEARDOWN(signals)
{
	stream_destroy(&self->s);
	client_close(&self->c);
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	calm_end(&self->calm);
}

/* Signals from now on, so many microseconds apart, or none. */
static void signals_every(__u64 us)
{
	const struct itimerval t = {
		.it_interval = { .tv_usec = us }, .it_value = { .tv_usec = us },
	};

	setitimer(ITIMER_REAL, &t, NULL);
}

/* A call that may wait, and what takes back what it did: 0 or -errno. */
typedef int point_fn(FIXTURE_DATA(signals) * self);

static int wait_long(FIXTURE_DATA(signals) * self)
{
	__u64 id;
	int ret;

	if (timeline_create(&self->c, 0, 0, 0, &id))
		return -EPROTO;
	ret = wait_point(&self->c, id, 1, in_ms(10));
	timeline_destroy(&self->c, id);
	return ret == -ETIMEDOUT ? 0 : ret;
}

static int poll_timeline(FIXTURE_DATA(signals) * self)
{
	struct pollfd p = { .events = POLLIN };
	int ret;
	__u64 id;

	if (timeline_create(&self->c, 0, 0, 0, &id))
		return -EPROTO;
	p.fd = timeline_export(&self->c, id, 1);
	ret = poll(&p, 1, 5);
	ret = ret < 0 ? -errno : ret;
	close(p.fd);
	timeline_destroy(&self->c, id);
	return ret;
}

static int copy_much(FIXTURE_DATA(signals) * self)
{
	return copy(&self->c, self->c.base, addr(self->host), MIB(8));
}

static int fill_much(FIXTURE_DATA(signals) * self)
{
	return fill(&self->c, self->c.base, MIB(8), 3, 1);
}

/* Dirty memory has to be cleared, and some of it moved, before it is given. */
static int allocate(FIXTURE_DATA(signals) * self)
{
	__u64 va = self->c.base + MIB(64);
	int ret = mem_alloc_at(&self->c, 0, VNPU_MEM_F_CONTIGUOUS,
			       VNPU_PAGE_SHIFT_2M, MIB(16), va);

	return ret ? ret : va_unbind(&self->c, va, 0);
}

static int make_stream(FIXTURE_DATA(signals) * self)
{
	struct stream s;
	int ret = stream_create_only(&s, &self->c, 0, 0, 0, 0);
	int mapped;

	if (ret)
		return ret;
	mapped = stream_map(&s);
	ret = stream_destroy(&s);
	return mapped ? mapped : ret;
}

/* Ends a task that runs, and the queue behind it. */
static int abort_stream(FIXTURE_DATA(signals) * self)
{
	stream_put(&self->s, task_fill(self->c.base, MIB(8), 1, 1));
	stream_run(&self->s, task_copy(self->c.base + MIB(4), self->c.base,
				       MIB(4)));
	return stream_abort(&self->s, NULL);
}

static int unbind_in_use(FIXTURE_DATA(signals) * self)
{
	__u64 va = self->c.base + MIB(128);
	int ret = mem_alloc_at(&self->c, 0, 0, 0, MIB(4), va);

	if (ret)
		return ret;
	stream_run(&self->s, task_fill(va, MIB(4), 1, 1));
	return va_unbind(&self->c, va, 0);
}

static int export_fence(FIXTURE_DATA(signals) * self)
{
	int fd;

	stream_run(&self->s, task_fill(self->c.base, MIB(2), 1, 1));
	fd = sync_export(&self->c, self->s.id, self->s.last);
	if (fd < 0)
		return fd;
	sync_wait(fd, 1);
	close(fd);
	return 0;
}

static int register_host(FIXTURE_DATA(signals) * self)
{
	__u32 id;
	int ret = host_register(&self->c, 0, self->host, MIB(8), &id);

	return ret ? ret : mem_free(&self->c, id);
}

static int allocate_host(FIXTURE_DATA(signals) * self)
{
	__u32 id;
	int ret = host_alloc(&self->c, MIB(8), &id);

	return ret ? ret : mem_free(&self->c, id);
}

static int touch_pages(FIXTURE_DATA(signals) * self)
{
	__u64 at;

	for (at = 0; at < MIB(1); at += PAGE)
		if (touch_write(self->c.base + at, 1))
			return -EFAULT;
	madvise(ptr(self->c.base), MIB(1), MADV_DONTNEED);
	return 0;
}

static int open_and_close(FIXTURE_DATA(signals) * self)
{
	struct client c;
	int ret = client_open(&c);

	(void)self;
	if (!ret)
		client_close(&c);
	return ret;
}

/* Who may be ended by a signal that is not fatal, with EINTR. */
enum ends { NEVER, UNLESS_RESTARTED, ALWAYS };

static const struct point {
	const char *name;
	point_fn *fn;
	enum ends ends;
} points[] = {
	{ "wait", wait_long, UNLESS_RESTARTED },
	{ "poll", poll_timeline, ALWAYS },
	{ "copy", copy_much, NEVER },
	{ "fill", fill_much, NEVER },
	{ "allocate", allocate, NEVER },
	{ "stream", make_stream, NEVER },
	{ "abort", abort_stream, NEVER },
	{ "unbind", unbind_in_use, NEVER },
	{ "export", export_fence, NEVER },
	{ "register", register_host, NEVER },
	{ "allocate host memory", allocate_host, NEVER },
	{ "touch", touch_pages, NEVER },
	{ "open", open_and_close, NEVER },
};

TEST_F_TIMEOUT(signals, at_every_point, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(ROUNDS);
	unsigned long ended = 0;
	const struct point *p;
	__u64 us, n;
	int ret;

	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, VNPU_MEM_F_HOST_ACCESS, 0,
				  MIB(8), self->c.base));
	for (p = points; p < points + ARRAY_SIZE(points); p++) {
		/* What only the first of a process waits for is below. */
		ASSERT_EQ(0, p->fn(self))
			TH_LOG("%s", p->name);
		us = FIRST_US;
		for (n = 0; n < rounds; n++) {
			signals_every(us);
			ret = p->fn(self);
			signals_every(0);
			if (ret == -EINTR && (p->ends == ALWAYS ||
					      (p->ends == UNLESS_RESTARTED &&
					       !variant->flags))) {
				ended++;
			} else {
				ASSERT_EQ(0, ret)
					TH_LOG("%s, signals every %llu us",
					       p->name, us);
			}
			us = us > LAST_US ? FIRST_US : us * 3 / 2;
		}
		/* Nothing was lost. */
		EXPECT_EQ(0, p->fn(self))
			TH_LOG("%s", p->name);
	}
	ASSERT_EQ(0, stream_wait(&self->s, 20000));
	printf("# %d signals at %zu points, %lu calls ended by them\n",
	       (int)signals, ARRAY_SIZE(points), ended);
	EXPECT_LT(0, signals);
}

/*
 * The first client of a process, and the first memory that it registers, wait for
 * all locks of its address space, which the kernel gives up on any signal.
 */
TEST_F_TIMEOUT(signals, first_of_a_process, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(40);
	struct rng r = rng_init();
	uint64_t n;

	stream_destroy(&self->s);
	client_close(&self->c);
	for (n = 0; n < rounds; n++) {
		pid_t pid = fork_bound();
		int ret;

		if (!pid) {
			signals_every(100 + rng_below(&r, 500));
			ret = client_open_only(&self->c);
			if (!ret)
				ret = register_host(self);
			_exit(-ret);
		}
		rng_next(&r);
		ASSERT_EQ(0, child_wait(pid));
	}
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

/* The same calls in a process that is killed at any of them. */
TEST_F_TIMEOUT(signals, killed_at_every_point, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(3);
	const struct point *p;
	__u64 n;

	stream_destroy(&self->s);
	client_close(&self->c);
	for (p = points; p < points + ARRAY_SIZE(points); p++)
		for (n = 0; n < rounds; n++) {
			pid_t pid = fork_bound();

			if (!pid) {
				if (client_open_only(&self->c) ||
				    window_map(&self->c, MIB(256),
					       PROT_READ | PROT_WRITE) ||
				    stream_create(&self->s, &self->c, 0) ||
				    mem_alloc_at(&self->c, 0,
						 VNPU_MEM_F_HOST_ACCESS, 0,
						 MIB(8), self->c.base))
					_exit(1);
				for (;;)
					p->fn(self);
			}
			usleep(3000 + 2000 * n % 30000);
			ASSERT_EQ(0, kill(pid, SIGKILL));
			ASSERT_EQ(256 + SIGKILL, child_wait(pid));
			ASSERT_STREQ("", calm_again(&self->calm) ?: "")
				TH_LOG("%s", p->name);
		}
	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
}

TEST_HARNESS_MAIN
