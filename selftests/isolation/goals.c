// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whatever one user does, copies of 1 MiB and allocations of a page take another user at
 * most twice as long on average as beside an honest user, and none takes 100 ms.
 *
 * An honest user keeps one stream busy. In the variants with a loop of calls on the
 * side of a busy stream it also keeps the processor busy: it allocates and frees a page
 * in a loop. The user that is measured has a real-time priority, so it waits for the driver and the
 * engines rather than for the processor. For a machine with one processor whose clock
 * counts instructions (vnpu-vm --icount).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kselftest_harness.h"

#include <sched.h>

/* Streams that wait: almost a client's share. They do so until the end. */
#define WAITERS		600
#define ROUNDS		512
#include "waiters.h"

/* Streams that poll: almost a client's share, and almost a user's share. */
#define POLLERS		650
#define POLLING		120
#include "crowds.h"

#include "loops.h"

#define COPIES		40
#define PAGES		400
#define WARM		4

/* Pause between two allocations, so that other threads get the processor. */
#define PAUSE_US	300

/* Other delays come and go: the means have to be small in one try only. */
#define TRIES		3

/* How long the signal to look at a stream may take. */
#define LOOK_MS		5000

/* ns that a copy or an allocation may take. */
#define LONGEST		100000000ull

/**
 * struct figure - duration of calls of one kind
 * @mean: ns
 * @worst: ns
 */
struct figure {
	__u64 mean;
	__u64 worst;
};

/**
 * struct goals - reports of both users, in memory that they share with the test
 * @alice: 1 while Alice is busy, or -errno of her preparation or of the call that
 *	ended her loop
 * @bob: 1 once Bob is prepared, then 0 when his calls are done, or -errno
 * @still: after Bob's calls: 1 if Alice's stream is still busy, or -errno
 * @copy: duration of Bob's copies
 * @page: duration of Bob's allocations of a page, each with its end
 */
struct goals {
	volatile int alice;
	volatile int bob;
	volatile int still;
	struct figure copy;
	struct figure page;
};

FIXTURE(goals)
{
	struct said *said;
	struct goals *g;
	mode_t mode;
};

/*
 * The first call of Alice, and the one that she repeats until it fails. When she is honest, she
 * keeps a stream busy, and calls @instead if it is set.
 */
FIXTURE_VARIANT(goals)
{
	int (*begin)(struct client *c);
	int (*go_on)(struct client *c);
	int (*instead)(struct client *c);
};

FIXTURE_SETUP(goals)
{
	ASSERT_EQ(0, let_users_in(&self->said, &self->mode, COPIES, LENGTH));
	self->g = mmap(NULL, sizeof(*self->g), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->g);
}

FIXTURE_TEARDOWN(goals)
{
	chmod(VNPU_NODE, self->mode);
}

static void figure_add(struct figure *f, __u64 from, int count)
{
	__u64 took = now_ns() - from;

	f->mean += took / count;
	if (f->worst < took)
		f->worst = took;
}

static int measure_copies(struct client *c, struct stream *s, struct figure *f)
{
	int i, ret = 0;

	for (i = -WARM; !ret && i < COPIES; i++) {
		__u64 from = now_ns();

		ret = stream_do(s, task_copy(c->base + LENGTH, c->base,
					     LENGTH));
		if (i >= 0)
			figure_add(f, from, COPIES);
	}
	return ret;
}

static int measure_pages(struct client *c, struct figure *f)
{
	int i, ret = 0;

	for (i = -WARM; !ret && i < PAGES; i++) {
		__u64 from = now_ns();
		__u32 id;

		ret = mem_alloc(c, 0, 0, 0, PAGE, &id) ?: mem_free(c, id);
		if (i >= 0)
			figure_add(f, from, PAGES);
		usleep(PAUSE_US);
	}
	return ret;
}

static int be_bob(struct goals *g)
{
	struct client c;
	struct stream s;
	int ret;

	ret = begin_client(&c) ?: stream_create(&s, &c, 0);
	g->bob = ret ? ret : 1;
	while (!ret && !g->alice)
		usleep(1000);
	return ret ?: g->alice < 0 ? g->alice :
	       measure_copies(&c, &s, &g->copy) ?: measure_pages(&c, &g->page);
}

/* For the signal handler. */
static struct goals *shared;

static void look_at_watched(int sig)
{
	(void)sig;
	shared->still = is_watched_busy() ? 1 : -ENODATA;
}

static void be_alice(struct goals *g, int (*begin)(struct client *c),
		     int (*go_on)(struct client *c))
{
	const struct sigaction look = {
		.sa_handler = look_at_watched,
		.sa_flags = SA_RESTART,
	};
	struct client c;
	int ret = begin(&c);

	shared = g;
	if (!ret && sigaction(SIGUSR1, &look, NULL))
		ret = -errno;
	g->alice = ret ? ret : 1;
	if (!ret && go_on)
		g->alice = go_on(&c);
	for (;;)
		pause();
}

/* Check that Alice is still busy, then kill her. */
static int end_alice(struct goals *g, pid_t alice)
{
	int i, ret = g->alice;

	kill(alice, SIGUSR1);
	for (i = 0; ret == 1 && !g->still && i < LOOK_MS; i++)
		usleep(1000);
	kill(alice, SIGKILL);
	waitpid(alice, NULL, 0);
	return ret != 1 ? ret : g->still == 1 ? 0 : g->still ?: -ETIMEDOUT;
}

/* Measure Bob's calls beside Alice. Bob allocates all his memory before she begins. */
static int measure_beside(struct goals *g, int (*begin)(struct client *c),
			  int (*go_on)(struct client *c))
{
	const struct sched_param first = { .sched_priority = 1 };
	pid_t alice, bob;
	int ret = 0;

	memset(g, 0, sizeof(*g));
	bob = fork_user(BOB);
	if (!bob) {
		g->bob = be_bob(g);
		_exit(0);
	}
	while (!g->bob)
		usleep(1000);
	if (sched_setscheduler(bob, SCHED_FIFO, &first))
		ret = -errno;
	alice = fork_user(ALICE);
	if (!alice)
		be_alice(g, begin, go_on);
	waitpid(bob, NULL, 0);
	/* It is still 1 if Bob was killed. */
	ret = ret ?: g->bob == 1 ? -ECHILD : g->bob;
	return end_alice(g, alice) ?: ret;
}

static int signal_for_ever(struct client *c)
{
	signal_in_vain(c);
	return -EIO;
}

FIXTURE_VARIANT_ADD(goals, streams) { .begin = many_streams };
FIXTURE_VARIANT_ADD(goals, clients) { .begin = many_clients };
FIXTURE_VARIANT_ADD(goals, pollers) { .begin = many_pollers };
FIXTURE_VARIANT_ADD(goals, clients_poll) { .begin = pollers_of_many_clients };
FIXTURE_VARIANT_ADD(goals, waiters) { .begin = begin_timeline };
FIXTURE_VARIANT_ADD(goals, counter) {
	.begin = begin_in_vain,
	.go_on = signal_for_ever,
};
FIXTURE_VARIANT_ADD(goals, extents) {
	.begin = begin_extents,
	.go_on = loop_extents,
	.instead = loop_pages,
};
FIXTURE_VARIANT_ADD(goals, compaction) {
	.begin = begin_compact,
	.go_on = loop_compact,
	.instead = loop_pages,
};
FIXTURE_VARIANT_ADD(goals, bindings) {
	.begin = honest,
	.go_on = loop_bind,
	.instead = loop_pages,
};
FIXTURE_VARIANT_ADD(goals, sync_files) {
	.begin = honest,
	.go_on = loop_sync,
	.instead = loop_pages,
};
FIXTURE_VARIANT_ADD(goals, new_clients) {
	.begin = honest,
	.go_on = loop_clients,
	.instead = loop_pages,
};
FIXTURE_VARIANT_ADD(goals, doorbells) {
	.begin = honest,
	.go_on = loop_doorbells,
	.instead = loop_pages,
};

static bool is_reached(const char *what, const struct figure *honest,
		       const struct figure *worst)
{
	printf("# %-5s %6llu us, %6llu at most; beside an honest user %6llu, %6llu\n",
	       what, worst->mean / 1000, worst->worst / 1000,
	       honest->mean / 1000, honest->worst / 1000);
	return worst->mean <= 2 * honest->mean;
}

TEST_F_TIMEOUT(goals, are_reached, 300)
{
	struct goals *g = self->g, beside;
	bool ok = false;
	int i;

	for (i = 0; !ok && i < TRIES; i++) {
		ASSERT_EQ(0, measure_beside(g, honest, variant->instead));
		beside = *g;
		ASSERT_EQ(0, measure_beside(g, variant->begin,
					    variant->go_on));
		ok = is_reached("copy", &beside.copy, &g->copy);
		ok &= is_reached("page", &beside.page, &g->page);
		/* This holds in each try. */
		EXPECT_GE(LONGEST, g->copy.worst);
		EXPECT_GE(LONGEST, g->page.worst);
	}
	EXPECT_TRUE(ok);
}

TEST_HARNESS_MAIN
