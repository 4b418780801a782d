// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals at every point at which a call may wait. A timer expires at random
 * moments, with handlers with and without SA_RESTART. Calls end as documented,
 * and the final state is the same as without signals. Most of the time, rivals
 * hold the locks that a call may wait for: other threads of the same client
 * that make the same calls.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sys/time.h>

#include "../uapi/stream.h"
#include "../uapi/trouble.h"
#include "points.h"
#include "storm.h"

#define ROUNDS		25
#define SIGNALS		4	/* calls in each */

/* The longest time until the next signal; it doubles and starts again. */
#define FIRST_US	20
#define LAST_US		20000

/* With this many in a row a machine may be too slow to do anything else. */
#define TOO_MANY	64

static volatile sig_atomic_t signals;
static volatile sig_atomic_t signals_in_row;
static volatile sig_atomic_t interval_us;

static void signal_in(__u64 us)
{
	const struct itimerval t = {
		.it_value = { us / 1000000, us % 1000000 },
	};

	setitimer(ITIMER_REAL, &t, NULL);
}

static void on_signal(int sig)
{
	(void)sig;
	signals++;
	if (!(++signals_in_row % TOO_MANY))
		interval_us *= 2;
	signal_in(interval_us);
}

FIXTURE(signals)
{
	struct calm calm;
	struct party party;
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

	struct party *party = &self->party;

	ASSERT_EQ(0, client_open_only(&party->c));
	party->small = device_count(&party->c);
	client_close(&party->c);
	ASSERT_EQ(party->small, device_add_at(SMALL, (int)party->small));
	ASSERT_EQ(0, calm_begin(&self->calm));
	ASSERT_LT(party->small, self->calm.devices);
	party->r = rng_init();
	party->host = mmap(NULL, MIB(8), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)party->host);
	ASSERT_EQ(0, party_enter(party));
	ASSERT_EQ(0, sigaction(SIGALRM, &act, NULL));
}

FIXTURE_TEARDOWN(signals)
{
	party_leave(&self->party);
	EXPECT_STREQ("", calm_again(&self->calm) ?: "");
	calm_end(&self->calm);
	EXPECT_EQ(0, device_remove(self->party.small));
}

/* Start signals, this many microseconds apart, or stop them. */
static void signals_every(__u64 us)
{
	signals_in_row = 0;
	interval_us = (sig_atomic_t)us;
	signal_in(us);
}

struct rival {
	struct party party;
	const struct point *p;
	pthread_t thread;
	bool stop;
	int error;
};

static void *rival_run(void *arg)
{
	struct rival *r = arg;

	while (!r->error && !__atomic_load_n(&r->stop, __ATOMIC_RELAXED))
		r->error = r->p->fn(&r->party);
	return NULL;
}

/* The same client, with streams and pieces of its own, and without signals. */
static int rival_start(struct rival *r, const struct party *party,
		       const struct point *p, int i)
{
	const struct client *c = &party->c;
	int ret;

	*r = (struct rival){ .p = p, .party = *party };
	r->party.r.state += i;
	memset(r->party.is_there, 0, sizeof(r->party.is_there));
	r->party.pieces += i * PARTY;
	r->party.run += i * PARTY;
	r->party.run_length = MIB(6);
	ret = stream_create(&r->party.s, c, 0) ?:
	      stream_create(&r->party.small_s, c, party->small);
	return ret ? ret : -pthread_create(&r->thread, NULL, rival_run, r);
}

/* Threads started in between leave signals to other threads. */
static void keep_signals(bool keep)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(keep ? SIG_BLOCK : SIG_UNBLOCK, &alarm, NULL);
}

static int rivals_start(struct rival *r, const struct party *party,
			const struct point *p)
{
	int i, ret = 0;

	keep_signals(true);
	for (i = 0; i < p->with && !ret; i++)
		ret = rival_start(&r[i], party, p, i + 1);
	keep_signals(false);
	return ret;
}

static int rival_stop(struct rival *r)
{
	__atomic_store_n(&r->stop, true, __ATOMIC_RELAXED);
	pthread_join(r->thread, NULL);
	va_unbind(&r->party.c, r->party.pieces, PIECES * PIECE);
	return r->error ?: stream_destroy(&r->party.s) ?:
	       stream_destroy(&r->party.small_s);
}

static int rivals_stop(struct rival *r, const struct point *p)
{
	int i, ret = 0;

	for (i = 0; i < p->with; i++)
		ret = rival_stop(&r[i]) ?: ret;
	return ret;
}

TEST_F_TIMEOUT(signals, at_every_point, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(ROUNDS);
	struct party *party = &self->party;
	struct observed_dirt d;
	unsigned long ended = 0;
	const struct point *p;
	struct rival rivals[POINT_RIVALS];
	int ret, last;
	__u64 us, n;

	for (p = points; p < points + nr_points; p++) {
		/* Waits of the first client of a process are tested below. */
		ASSERT_EQ(0, p->fn(party))
			TH_LOG("%s", p->name);
		ASSERT_EQ(0, rivals_start(rivals, party, p));
		us = FIRST_US;
		for (n = 0; n < rounds; n++) {
			last = signals + SIGNALS;
			signals_every(us);
			do
				ret = p->fn(party);
			while (!ret && signals < last);
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
		EXPECT_EQ(0, rivals_stop(rivals, p))
			TH_LOG("%s", p->name);
		/* Nothing was lost. */
		EXPECT_EQ(0, p->fn(party))
			TH_LOG("%s", p->name);
	}
	ASSERT_EQ(0, stream_wait(&party->s, 20000));
	ASSERT_EQ(0, observe_dirt(party->small, &d));
	printf("# %d signals at %d points, %lu calls ended by them\n",
	       (int)signals, nr_points, ended);
	printf("# %llu runs had, %llu KiB moved\n", party->granted,
	       d.moved / 1024);
	EXPECT_LT(0, signals);
	EXPECT_LT(0, party->granted);
	EXPECT_LT(0, d.moved);
}

/* The value that a stream waits for, until this many signals have come. */
struct hold {
	const struct client *c;
	__u64 id;
	int until;
};

static void *hold_end(void *arg)
{
	struct hold *h = arg;

	while (signals < h->until)
		usleep(100);
	timeline_signal(h->c, h->id, 1, VNPU_SIGNAL_ADVANCE);
	return NULL;
}

static int hold_begin(struct hold *h, pthread_t *thread)
{
	int ret;

	h->until = signals + 20;
	keep_signals(true);
	ret = -pthread_create(thread, NULL, hold_end, h);
	keep_signals(false);
	return ret;
}

/* A signal makes no room in a full ring: no task is lost. */
TEST_F(signals, full_ring)
{
	const __u64 tasks = VNPU_RING_TASKS + 8;
	const struct client *c = &self->party.c;
	struct stream *s = &self->party.s;
	struct hold h = { .c = c };
	__u64 *done = ptr(c->base), n;
	pthread_t thread;

	memset(done, 0, tasks * sizeof(*done));
	ASSERT_EQ(0, timeline_create(c, 0, 0, 0, &h.id));
	stream_put(s, task_wait(h.id, 1));
	for (n = 0; n < tasks; n++) {
		if (s->last == VNPU_RING_TASKS) {
			ASSERT_EQ(0, stream_submit(s));
			ASSERT_EQ(0, hold_begin(&h, &thread));
			signals_every(1000);
		}
		stream_put(s, task_fill(addr(&done[n]), sizeof(*done), n + 1,
					sizeof(*done)));
	}
	pthread_join(thread, NULL);
	signals_every(0);
	ASSERT_EQ(0, stream_submit(s));
	ASSERT_EQ(0, stream_wait(s, 20000));
	for (n = 0; n < tasks; n++)
		ASSERT_EQ(n + 1, done[n]);
	EXPECT_EQ(0, timeline_destroy(c, h.id));
}

/*
 * The first client of a process, and the first memory that it registers, wait
 * for all locks of its address space. The kernel stops taking them on any
 * signal.
 */
TEST_F_TIMEOUT(signals, first_of_a_process, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(40);
	struct party *party = &self->party;
	struct rng r = rng_init();
	uint64_t n;

	party_leave(party);
	for (n = 0; n < rounds; n++) {
		pid_t pid = fork_bound();
		__u32 id;
		int ret;

		if (!pid) {
			signals_every(100 + rng_below(&r, 500));
			ret = client_open_only(&party->c);
			if (!ret)
				ret = host_register(&party->c, 0, party->host,
						    MIB(8), &id);
			_exit(-ret);
		}
		rng_next(&r);
		ASSERT_EQ(0, child_wait(pid));
	}
}

/* The same calls in a process that is killed during any of them. */
TEST_F_TIMEOUT(signals, killed_at_every_point, STORM_SECONDS)
{
	const uint64_t rounds = storm_times(3);
	struct party *party = &self->party;
	struct rival rivals[POINT_RIVALS];
	const struct point *p;
	__u64 n;

	party_leave(party);
	for (p = points; p < points + nr_points; p++)
		for (n = 0; n < rounds; n++) {
			pid_t pid = fork_bound();

			if (!pid) {
				if (party_enter(party) ||
				    rivals_start(rivals, party, p))
					_exit(1);
				for (;;)
					p->fn(party);
			}
			usleep(3000 + 2000 * n % 30000);
			ASSERT_EQ(0, kill(pid, SIGKILL));
			ASSERT_EQ(256 + SIGKILL, child_wait(pid));
			ASSERT_STREQ("", calm_again(&self->calm) ?: "")
				TH_LOG("%s", p->name);
		}
}

TEST_HARNESS_MAIN
