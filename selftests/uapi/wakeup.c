// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wake-ups at the very moment at which a thread goes to sleep.
 *
 * This moment is a few instructions wide, so the test aims at it. The sleeping
 * thread finds out afterwards whether it was woken or found the value before it
 * slept, and makes the next delay a little shorter or longer. So the signals
 * gather before the border between the two, where a wake-up would be lost.
 *
 * Any signal may hit it by chance; with a clock that counts instructions
 * (vnpu-vm --icount, preempt=full) those that preempt occur at every
 * instruction.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/resource.h>

#include "param.h"
#include "stream.h"
#include "util.h"

/* The test ends with whichever comes first. */
#define ROUNDS_MS	1000
#define ROUNDS		10000

/* After this time a thread sleeps for ever: far more than any load causes. */
#define LOST_MS		60000
#define LIMIT_S		300

/* The limit of a delay, far beyond the time when any thread sleeps. */
#define AIM_MAX		1000000

/*
 * A delay that is adjusted after each use: of the other side, or of this side
 * if it is negative. The user chooses its unit.
 */
struct aim {
	struct rng rng;
	__s64 at;
};

/* Mostly before the border, as errors occur on the way to it. */
static __s64 aim_delay(struct aim *a)
{
	return a->at - (__s64)rng_below(&a->rng, llabs(a->at) / 2 + 64);
}

/* One of five ends beyond the border. */
static void aim_correct(struct aim *a, bool late)
{
	__s64 step = llabs(a->at) / 256 + 1;

	if (late && a->at > -AIM_MAX)
		a->at -= 4 * step;
	else if (!late && a->at < AIM_MAX)
		a->at += step;
}

/* A loop, since reading the clock may take longer than the window. */
static void spin(__s64 delay)
{
	volatile __s64 left = delay;

	while (left > 0)
		left--;
}

static void sleep_ns(__s64 ns)
{
	const struct timespec t = { .tv_nsec = (long)ns };

	if (ns > 0)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

FIXTURE(wakeup)
{
	struct client c;
	struct stream s;
	__u64 id;	/* a timeline at 0 */
	struct aim aim;
};

FIXTURE_SETUP(wakeup)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, stream_create(&self->s, &self->c, 0));
	ASSERT_EQ(0, timeline_create(&self->c, 0, 0, 0, &self->id));
	self->aim.rng = rng_init();
}

FIXTURE_TEARDOWN(wakeup)
{
	stream_destroy(&self->s);
	client_close(&self->c);
}

/* The waiter and the signaller. */
struct race {
	const struct client *c;
	__u64 id;
	struct stream *s;	/* stream that waits in between, or NULL */
	bool preempt;	/* signal on the waiter's processor, by preempting it */
	sem_t start;	/* ns of a round, with preempt */
	/* end of the wait; NO_TIMEOUT for the end of the test */
	__u64 round;
	__s64 delay;	/* loops, or ns with preempt */
	__u64 told;	/* the last round whose signal has returned */
};

static __u64 race_next(struct race *r, __u64 last)
{
	__u64 round;

	if (r->preempt)
		sem_wait(&r->start);
	do
		round = __atomic_load_n(&r->round, __ATOMIC_ACQUIRE);
	while (round == last);
	return round;
}

static void *race_signal(void *arg)
{
	struct race *r = arg;
	__u64 last = 0, round;

	while ((round = race_next(r, last)) != NO_TIMEOUT) {
		if (r->preempt)
			sleep_ns(r->delay);
		else
			spin(r->delay);
		timeline_signal(r->c, r->id, round, 0);
		__atomic_store_n(&r->told, round, __ATOMIC_RELEASE);
		last = round;
	}
	return NULL;
}

static void race_begin(struct race *r, __u64 round, __s64 delay)
{
	r->delay = delay;
	__atomic_store_n(&r->round, round, __ATOMIC_RELEASE);
	if (r->preempt)
		sem_post(&r->start);
	spin(-delay);
}

static bool race_is_told(const struct race *r)
{
	return __atomic_load_n(&r->told, __ATOMIC_ACQUIRE) == r->round;
}

/* The two threads, each on a processor of its own or both on one. */
static int race_start(struct race *r, pthread_t *thread)
{
	const struct sched_param urgent = { .sched_priority = 1 };
	pthread_attr_t attr;
	cpu_set_t here, there;
	int cpu, other, ret;

	if (sched_getaffinity(0, sizeof(there), &there))
		return -errno;
	cpu = sched_getcpu();
	CPU_ZERO(&here);
	CPU_SET(cpu, &here);
	if (!r->preempt) {
		for (other = 0; other < CPU_SETSIZE; other++)
			if (other != cpu && CPU_ISSET(other, &there))
				break;
		if (other == CPU_SETSIZE)
			return -ENODEV;
		CPU_ZERO(&there);
		CPU_SET(other, &there);
	} else {
		there = here;
	}
	if (sched_setaffinity(0, sizeof(here), &here))
		return -errno;

	sem_init(&r->start, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(there), &there);
	if (r->preempt) {
		pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
		pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
		pthread_attr_setschedparam(&attr, &urgent);
	}
	ret = -pthread_create(thread, &attr, race_signal, r);
	pthread_attr_destroy(&attr);
	return ret;
}

/* End the threads that have been started. */
static void race_stop(struct race *r, pthread_t thread)
{
	race_begin(r, NO_TIMEOUT, 0);
	pthread_join(thread, NULL);
	sem_destroy(&r->start);
}

static long sleeps(void)
{
	struct rusage use;

	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nvcsw;
}

/* A waiter that was not woken sees at its timeout that the value is reached. */
static int wait_woken(const struct client *c, __u64 id, __u64 value)
{
	__u64 limit = in_ms(LOST_MS);
	int ret = wait_point(c, id, value, limit);

	return !ret && now_ns() >= limit ? -ETIMEDOUT : ret;
}

/* Wait on the host, or with the stream and then on the host for the stream. */
static int race_wait(struct race *r)
{
	int ret;

	if (!r->s)
		return wait_woken(r->c, r->id, r->round);
	ret = stream_run(r->s, task_wait(r->id, r->round));
	return ret ? ret : wait_woken(r->c, r->s->id, r->s->last);
}

static bool is_over(__u64 end, __u64 round)
{
	return round >= ROUNDS || now_ms() >= end;
}

/* Continue while there is time and no thread sleeps for ever. */
static int race_rounds(struct race *r, struct aim *aim)
{
	__u64 end = now_ms() + ROUNDS_MS, round = 0, slept = 0;
	long before;
	bool late;
	int ret;

	do {
		before = sleeps();
		race_begin(r, ++round, aim_delay(aim));
		/* A timer does not expire at every instruction. */
		spin((__s64)rng_below(&aim->rng, 16));
		ret = race_wait(r);
		late = sleeps() != before;
		slept += late;
		aim_correct(aim, late);
		/* Signal this round before the next begins. */
		while (!race_is_told(r))
			;
	} while (!ret && !is_over(end, round));
	printf("# %llu waits\n", (unsigned long long)round);
	printf("# slept in %llu of them\n", (unsigned long long)slept);
	return ret;
}

/* Return 0, or -errno of the wait that failed or of the set-up. */
static int race_run(struct race *r, struct aim *aim)
{
	pthread_t thread;
	int ret = race_start(r, &thread);

	if (ret)
		return ret;
	ret = race_rounds(r, aim);
	race_stop(r, thread);
	return ret;
}

/* The signal comes while the wait is in progress. */
TEST_F_TIMEOUT(wakeup, from_another_processor, LIMIT_S)
{
	struct race r = { .c = &self->c, .id = self->id };
	int ret = race_run(&r, &self->aim);

	if (ret == -ENODEV)
		SKIP(return, "there is one processor");
	EXPECT_EQ(0, ret);
}

/* The whole signal happens between two instructions of the wait. */
TEST_F_TIMEOUT(wakeup, by_preemption, LIMIT_S)
{
	struct race r = { .c = &self->c, .id = self->id, .preempt = true };

	EXPECT_EQ(0, race_run(&r, &self->aim));
}

/*
 * One after the other: the stream waits for the signal, and the host for the
 * stream.
 */
TEST_F_TIMEOUT(wakeup, of_a_stream, LIMIT_S)
{
	struct race r = { .c = &self->c, .id = self->id, .s = &self->s };
	int ret = race_run(&r, &self->aim);

	if (ret == -ENODEV)
		SKIP(return, "there is one processor");
	EXPECT_EQ(0, ret);
}

/*
 * Submit a second task at the moment at which the engine stops looking for one.
 */
TEST_F_TIMEOUT(wakeup, of_an_engine, LIMIT_S)
{
	const struct sched_param urgent = { .sched_priority = 1 };
	__u64 end = now_ms() + ROUNDS_MS, rung = 0;
	struct stream *s = &self->s;
	bool late;

	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &urgent));
	do {
		ASSERT_EQ(0, stream_run(s, (struct vnpu_task){}));
		sleep_ns(aim_delay(&self->aim));
		late = __atomic_load_n(&s->ring->state, __ATOMIC_RELAXED) &
		       VNPU_RING_NEED_DOORBELL;
		ASSERT_EQ(0, stream_run(s, (struct vnpu_task){}));
		ASSERT_EQ(0, wait_woken(s->c, s->id, s->last));
		rung += late;
		aim_correct(&self->aim, late);
	} while (!is_over(end, s->last / 2));
	printf("# %llu pairs of tasks\n", (unsigned long long)s->last / 2);
	printf("# rung twice for %llu of them\n", (unsigned long long)rung);
}

/* Two streams that stop together; engines do not look for more tasks. */
FIXTURE(stopped)
{
	struct client c;
	struct stream bad;
	struct stream good;
	struct aim aim;
	unsigned int poll_us;
};

FIXTURE_SETUP(stopped)
{
	__u32 context;

	ASSERT_EQ(0, param_get("poll_us", &self->poll_us));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, context_create(&self->c, 0, &context));
	ASSERT_EQ(0, stream_create_only(&self->bad, &self->c, 0, 0, context,
					VNPU_STREAM_F_STOP));
	ASSERT_EQ(0, stream_create_only(&self->good, &self->c, 0, 0, context,
					0));
	ASSERT_EQ(0, stream_map(&self->bad));
	ASSERT_EQ(0, stream_map(&self->good));
	self->aim.rng = rng_init();
	ASSERT_EQ(0, param_set("poll_us", 0));
}

FIXTURE_TEARDOWN(stopped)
{
	EXPECT_EQ(0, param_set("poll_us", self->poll_us));
	stream_destroy(&self->bad);
	stream_destroy(&self->good);
	client_close(&self->c);
}

/* One task each; the first one fails. */
static int run_both(FIXTURE_DATA(stopped) * self, __s64 delay)
{
	const struct vnpu_task fails = { .op = 99 }, nop = { };
	int ret;

	if (delay >= 0) {
		ret = stream_run(&self->bad, fails);
		spin(delay);
		ret = ret ? ret : stream_run(&self->good, nop);
	} else {
		ret = stream_run(&self->good, nop);
		spin(-delay);
		ret = ret ? ret : stream_run(&self->bad, fails);
	}
	ret = ret ? ret : wait_woken(&self->c, self->bad.id, self->bad.last);
	return ret ? ret : wait_woken(&self->c, self->good.id, self->good.last);
}

/* The engine reports it shortly after. */
static bool is_told(const struct stream *s, bool stopped)
{
	__u64 limit = in_ms(LOST_MS);
	bool told;

	do
		told = __atomic_load_n(&s->ring->state, __ATOMIC_RELAXED) &
		       VNPU_RING_STOPPED;
	while (told != stopped && now_ns() < limit);
	return told == stopped;
}

/* Stop a stream at the moment at which it has no more tasks. */
TEST_F_TIMEOUT(stopped, at_the_end_of_a_turn, LIMIT_S)
{
	__u64 end = now_ms() + ROUNDS_MS, round = 0;
	__u32 cancelled = 0;
	bool late;

	do {
		ASSERT_EQ(0, run_both(self, aim_delay(&self->aim)));
		ASSERT_TRUE(is_told(&self->good, true)) {
			TH_LOG("in round %llu", (unsigned long long)round);
		}
		late = self->good.ring->cancelled != cancelled;
		cancelled = self->good.ring->cancelled;
		ASSERT_EQ(0, stream_abort(&self->bad, NULL));
		ASSERT_EQ(0, stream_abort(&self->good, NULL));
		ASSERT_TRUE(is_told(&self->good, false));
		aim_correct(&self->aim, late);
	} while (!is_over(end, ++round));
	printf("# stopped %llu times, before its task %u times\n",
	       (unsigned long long)round, cancelled);
}

TEST_HARNESS_MAIN
