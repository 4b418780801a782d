// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction moves memory of other clients for a client that requests
 * contiguous memory, and that gets hardly any processor time. The other clients
 * wait while their memory is moved, but not until the requesting client gets
 * the processor.
 *
 * Their wait is compared with the time that the same move takes at normal
 * priority. Other delays are random: the test passes if there is none in one of
 * the tries.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "../uapi/stream.h"
#include "../uapi/util.h"

/* Objects on the device, if they are large; every second one is kept. */
#define PIECES		16

/* The size of small objects: moving one takes less time than waking a worker. */
#define SMALL		(16 * PAGE)

#define TRIES		3

/*
 * A wait counts as a wait for the slow client if it exceeds the time of the
 * normal one by this factor.
 */
#define FACTOR		4

FIXTURE(move)
{
	struct client one, other;
	struct stream probe;
	__u64 piece;		/* bytes */
	int pieces;
	__u64 length;		/* of the request */
	pthread_t asker, spinner;
	bool slow;
	atomic_bool begun, done, stop;
	__u64 took;	/* ns until the requesting client had its memory */
	/* ns that the longest task of the other client took meanwhile */
	__u64 worst;
	int ret;
};

FIXTURE_VARIANT(move)
{
	__u64 piece;		/* 0: a large one */
};

FIXTURE_VARIANT_ADD(move, large) { };
FIXTURE_VARIANT_ADD(move, small) { .piece = SMALL };

static __u64 piece_of(FIXTURE_DATA(move) *self, int i)
{
	return self->other.base + i * self->piece;
}

FIXTURE_SETUP(move)
{
	struct vnpu_device_query q;

	self->one.fd = -1;
	self->other.fd = -1;
	ASSERT_EQ(0, client_open(&self->one));
	ASSERT_EQ(0, client_open(&self->other));
	ASSERT_EQ(0, stream_create(&self->probe, &self->other, 0));
	ASSERT_EQ(0, device_query(&self->one, 0, &q));
	self->piece = variant->piece ?: q.out_free / PIECES / PAGE * PAGE;
	self->pieces = q.out_free / self->piece / 2 * 2;
	self->length = q.out_free / PIECES * 3 / PAGE * PAGE;
}

FIXTURE_TEARDOWN(move)
{
	client_close(&self->one);
	client_close(&self->other);
}

/* No two free pieces are neighbours. */
static int scatter(FIXTURE_DATA(move) *self)
{
	int i, ret = 0;

	for (i = 0; !ret && i < self->pieces; i++)
		ret = mem_alloc_at(&self->other, 0, 0, 0, self->piece,
				   piece_of(self, i));
	for (i = 0; !ret && i < self->pieces; i += 2)
		ret = va_unbind(&self->other, piece_of(self, i), 0);
	return ret;
}

static int gather(FIXTURE_DATA(move) *self)
{
	int i, ret = 0;

	for (i = 1; !ret && i < self->pieces; i += 2)
		ret = va_unbind(&self->other, piece_of(self, i), 0);
	return ret;
}

static void pin_to_first(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
}

static void *spin(void *arg)
{
	FIXTURE_DATA(move) *self = arg;

	pin_to_first();
	while (!atomic_load(&self->stop))
		;
	return NULL;
}

/* A slow client gets one part in 69 of the time that the spinner gets. */
static void *ask(void *arg)
{
	FIXTURE_DATA(move) *self = arg;
	__u64 from;
	__u32 id = 0;

	if (self->slow) {
		pin_to_first();
		setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
	}
	atomic_store(&self->begun, true);
	from = now_ns();
	self->ret = mem_alloc(&self->one, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			      self->length, &id);
	self->took = now_ns() - from;
	atomic_store(&self->done, true);
	if (!self->ret)
		self->ret = mem_free(&self->one, id);
	return NULL;
}

/*
 * Submit tasks of the other client until the request is complete; return 0 or
 * -errno.
 */
static int work_on(FIXTURE_DATA(move) *self)
{
	__u64 from, tasks = 0, va;
	int ret = 0;

	self->worst = 0;
	while (!ret && !atomic_load(&self->done)) {
		va = piece_of(self, tasks++ % (self->pieces / 2) * 2 + 1);
		from = now_ns();
		ret = stream_run(&self->probe, task_copy(va + PAGE, va, PAGE));
		ret = ret ?: stream_wait(&self->probe, 60000);
		if (now_ns() - from > self->worst)
			self->worst = now_ns() - from;
	}
	printf("# %llu us, in which the other client did %llu tasks, the longest in %llu us\n",
	       self->took / 1000, tasks, self->worst / 1000);
	return ret;
}

static int compact(FIXTURE_DATA(move) *self, bool slow)
{
	int ret = scatter(self);

	if (ret)
		return ret;
	self->slow = slow;
	atomic_store(&self->begun, false);
	atomic_store(&self->done, false);
	atomic_store(&self->stop, false);
	if (slow && pthread_create(&self->spinner, NULL, spin, self))
		return -EAGAIN;
	if (pthread_create(&self->asker, NULL, ask, self))
		return -EAGAIN;
	while (!atomic_load(&self->begun))
		usleep(1000);
	ret = work_on(self);
	atomic_store(&self->stop, true);
	pthread_join(self->asker, NULL);
	if (slow)
		pthread_join(self->spinner, NULL);
	return ret ?: self->ret ?: gather(self);
}

TEST_F_TIMEOUT(move, move_does_not_wait_for_client, 300)
{
	__u64 alone;
	bool ok = false;
	int i;

	for (i = 0; !ok && i < TRIES; i++) {
		ASSERT_EQ(0, compact(self, false));
		alone = self->took;
		ASSERT_EQ(0, compact(self, true));
		ok = self->worst < FACTOR * alone;
	}
	EXPECT_TRUE(ok);
	EXPECT_EQ(0, self->probe.ring->errors);
}

TEST_HARNESS_MAIN
