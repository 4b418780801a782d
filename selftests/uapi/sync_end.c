// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams that end while the driver checks whether a task that waits for them
 * is certain to end.
 *
 * The whole end of a stream happens between two instructions of the check: the
 * ending thread preempts the checking one. With a clock that counts
 * instructions (vnpu-vm --icount, preempt=full) this occurs at every
 * instruction. The check is repeated, so that most preemptions fall into it.
 */
#include "sync_gate.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#define ROUNDS		3000
#define ROUNDS_MS	3000

/* Longer than a check takes, on the fastest machine. */
#define DELAY_NS	100000

/* A thread that ends streams: two, of which the second may be missing. */
struct ender {
	pthread_t thread;
	sem_t start;	/* streams of a round */
	bool stop;
	long delay;	/* delay in ns */
	struct stream *s[2];
	bool done;	/* the streams have ended */
};

static void *end_streams(void *arg)
{
	struct ender *e = arg;

	for (;;) {
		struct timespec t = { };

		sem_wait(&e->start);
		if (e->stop)
			return NULL;
		t.tv_nsec = e->delay;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
		stream_destroy(e->s[0]);
		if (e->s[1])
			stream_destroy(e->s[1]);
		__atomic_store_n(&e->done, true, __ATOMIC_RELEASE);
	}
}

/* On the processor of the caller, with a higher priority. */
static int ender_start(struct ender *e)
{
	const struct sched_param urgent = { .sched_priority = 1 };
	pthread_attr_t attr;
	cpu_set_t here;
	int ret;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_setaffinity(0, sizeof(here), &here))
		return -errno;
	sem_init(&e->start, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &urgent);
	ret = -pthread_create(&e->thread, &attr, end_streams, e);
	pthread_attr_destroy(&attr);
	return ret;
}

static void ender_begin(struct ender *e, struct rng *rng)
{
	e->delay = (long)rng_below(rng, DELAY_NS);
	e->done = false;
	sem_post(&e->start);
}

static bool ender_is_done(const struct ender *e)
{
	return __atomic_load_n(&e->done, __ATOMIC_ACQUIRE);
}

static void ender_stop(struct ender *e)
{
	e->stop = true;
	sem_post(&e->start);
	pthread_join(e->thread, NULL);
	sem_destroy(&e->start);
}

/*
 * Check the last task of a stream until the streams have ended; return how often,
 * or -errno of a check. A fence that is refused while the other stream exists may
 * be granted after its end.
 */
static int look_on(const struct stream *ours, const struct ender *e)
{
	int looks = 0, fd;

	do {
		fd = sync_export(ours->c, ours->id, ours->last);
		if (fd < 0 && fd != -EBUSY && (fd != -ENOENT || !e->s[1]))
			return fd;
		if (fd >= 0)
			close(fd);
		looks++;
	} while (!ender_is_done(e));
	return looks;
}

TEST_F_TIMEOUT(sync, stream_of_the_same_client, 300)
{
	__u64 end = now_ms() + ROUNDS_MS, looks = 0;
	struct rng rng = rng_init();
	struct stream other;
	struct ender e = { .s = { &other } };
	int i, ret = 0;

	ASSERT_EQ(0, ender_start(&e));
	for (i = 0; i < ROUNDS && now_ms() < end; i++) {
		ret = stream_create(&other, &self->c, 0) ?:
		      shut(self, &other) ?:
		      stream_run(&self->a, task_wait(other.id, 1));
		if (ret)
			break;
		ender_begin(&e, &rng);
		ret = look_on(&self->a, &e);
		if (ret < 0)
			break;
		looks += (__u64)ret;
		/* After the end, the fence is granted. */
		ret = export_last(self, &self->a);
		if (ret)
			break;
		close(self->fd);
		self->fd = -1;
		ret = stream_wait(&self->a, 20000);
		if (ret)
			break;
	}
	ender_stop(&e);
	EXPECT_EQ(0, ret) {
		TH_LOG("in round %d", i);
	}
	printf("# %d streams, %llu looks\n", i, (unsigned long long)looks);
}

/*
 * A stream of another client that waits for the gate, and one of ours that
 * waits for it.
 */
static int wait_for_foreign(FIXTURE_DATA(sync) * self, struct stream *foreign,
			    __u64 gate_id, struct stream *ours, __u64 *id)
{
	__u32 kind;
	int fd, ret;

	ret = stream_create(ours, &self->c, 0) ?:
	      stream_run(foreign, task_wait(gate_id, 1));
	if (ret)
		return ret;
	fd = timeline_export(foreign->c, foreign->id, 1);
	if (fd < 0)
		return fd;
	ret = timeline_import(&self->c, fd, id, &kind);
	close(fd);
	return ret ?: stream_run(ours, task_wait(*id, 1));
}

/* Both end at once. The driver must not use the ended stream in its check. */
TEST_F_TIMEOUT(sync, stream_of_another_client, 300)
{
	__u64 end = now_ms() + ROUNDS_MS, looks = 0, gate_id, id;
	struct rng rng = rng_init();
	struct stream foreign, ours;
	struct ender e = { .s = { &foreign, &ours } };
	struct client other;
	int i, ret = 0;

	ASSERT_EQ(0, client_open_only(&other));
	ASSERT_EQ(0, sync_import(&other, self->gate.fd, &gate_id));
	ASSERT_EQ(0, ender_start(&e));
	for (i = 0; i < ROUNDS && now_ms() < end; i++) {
		ret = stream_create(&foreign, &other, 0) ?:
		      wait_for_foreign(self, &foreign, gate_id, &ours, &id);
		if (ret)
			break;
		ender_begin(&e, &rng);
		ret = look_on(&ours, &e);
		if (ret < 0)
			break;
		looks += (__u64)ret;
		ret = timeline_destroy(&self->c, id);
		if (ret)
			break;
	}
	ender_stop(&e);
	client_close(&other);
	EXPECT_EQ(0, ret) {
		TH_LOG("in round %d", i);
	}
	printf("# %d pairs, %llu looks\n", i, (unsigned long long)looks);
}

TEST_HARNESS_MAIN
