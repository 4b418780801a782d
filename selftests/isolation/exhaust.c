// SPDX-License-Identifier: GPL-2.0-only
/*
 * More memory is requested than the device has: processes and threads compete
 * for the last page, and the accounts must balance at every moment.
 */
#include "kselftest_harness.h"

#include <pthread.h>

#include "../uapi/client.h"
#include "../uapi/util.h"
#include "observe.h"

#define PROCESSES	8
#define ROUNDS		4

/* Shared by the processes. */
struct board {
	pthread_barrier_t barrier;
	__u64 used[PROCESSES];
	__u64 objects[PROCESSES];
	int error[PROCESSES];
};

FIXTURE(exhaust)
{
	struct client c;
	struct board *board;
};

FIXTURE_SETUP(exhaust)
{
	pthread_barrierattr_t attr;

	ASSERT_EQ(0, client_open(&self->c));
	self->board = mmap(NULL, sizeof(*self->board), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->board);
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	ASSERT_EQ(0, pthread_barrier_init(&self->board->barrier, &attr,
					  PROCESSES + 1));
}

FIXTURE_TEARDOWN(exhaust)
{
	client_close(&self->c);
}

/* Allocate until not a page is left, hold it all, and free it. */
static int take_and_hold(struct board *b, int self, struct rng r)
{
	struct vnpu_device_query q;
	struct client c;
	int round, ret;

	if (client_open(&c))
		return -errno;
	for (round = 0; round < ROUNDS; round++) {
		__u64 va = c.base, length = MIB(4);

		pthread_barrier_wait(&b->barrier);
		while (length) {
			__u64 n = 1 + rng_below(&r, length);

			ret = mem_alloc_at(&c, 0, 0, 0, n, va);
			if (!ret)
				va += (n + PAGE - 1) & -PAGE;
			else if (ret == -ENOSPC)
				length = n > PAGE ? n / 2 : 0;
			else
				return ret;
		}
		ret = device_query(&c, 0, &q);
		if (ret)
			return ret;
		b->used[self] = q.out_client_used;
		b->objects[self] = q.out_client_objects;
		if (q.out_client_used != va - c.base)
			return -EPROTO;

		/*
		 * All processes hold their memory while the test checks the
		 * sums; then they free it.
		 */
		pthread_barrier_wait(&b->barrier);
		pthread_barrier_wait(&b->barrier);
		if (va != c.base) {
			ret = va_unbind(&c, c.base, va - c.base);
			if (ret)
				return ret;
		}
		pthread_barrier_wait(&b->barrier);
	}
	client_close(&c);
	return 0;
}

TEST_F_TIMEOUT(exhaust, by_processes, 120)
{
	struct board *b = self->board;
	struct vnpu_device_query before, q;
	struct rng r = rng_init();
	struct observed_memory m;
	__u64 used, objects;
	pid_t pid[PROCESSES];
	int i, round;

	ASSERT_EQ(0, device_query(&self->c, 0, &before));
	for (i = 0; i < PROCESSES; i++) {
		struct rng own = { rng_next(&r) | 1 };

		pid[i] = fork_bound();
		ASSERT_LE(0, pid[i]);
		if (!pid[i]) {
			b->error[i] = take_and_hold(b, i, own);
			/*
			 * A failure must not leave the other processes waiting.
			 */
			if (b->error[i]) {
				fprintf(stderr, "# process %d: %s\n", i,
					strerror(-b->error[i]));
				kill(0, SIGKILL);
			}
			_exit(0);
		}
	}
	for (round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&b->barrier);
		pthread_barrier_wait(&b->barrier);
		used = objects = 0;
		for (i = 0; i < PROCESSES; i++) {
			used += b->used[i];
			objects += b->objects[i];
		}
		ASSERT_EQ(0, device_query(&self->c, 0, &q));
		EXPECT_EQ(before.out_total, used);
		EXPECT_EQ(0, q.out_free);
		EXPECT_EQ(0, q.out_largest_free);
		ASSERT_EQ(0, observe_memory(0, &m));
		EXPECT_EQ(0, m.free);
		EXPECT_EQ(objects, m.objects);
		pthread_barrier_wait(&b->barrier);
		pthread_barrier_wait(&b->barrier);
		ASSERT_EQ(0, device_query(&self->c, 0, &q));
		EXPECT_EQ(before.out_total, q.out_free);
		EXPECT_EQ(before.out_largest_free, q.out_largest_free);
	}
	for (i = 0; i < PROCESSES; i++) {
		EXPECT_EQ(0, child_wait(pid[i]));
		EXPECT_EQ(0, b->error[i]);
	}
}

struct taker {
	const struct client *c;
	__u64 va;
	__u64 taken;
	int error;
};

static void *taker_run(void *arg)
{
	struct taker *t = arg;

	while (!(t->error = mem_alloc_at(t->c, 0, 0, 0, KIB(68),
					 t->va + t->taken)))
		t->taken += KIB(68);
	return NULL;
}

/* The threads of one client share its account. */
TEST_F_TIMEOUT(exhaust, by_threads, 60)
{
	struct vnpu_device_query before, q;
	pthread_t thread[PROCESSES];
	struct taker t[PROCESSES];
	__u64 taken = 0;
	int i;

	ASSERT_EQ(0, device_query(&self->c, 0, &before));
	for (i = 0; i < PROCESSES; i++) {
		t[i] = (struct taker){
			.c = &self->c,
			.va = self->c.base +
			      i * (self->c.size / PROCESSES & -PAGE),
		};
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, taker_run,
					    &t[i]));
	}
	for (i = 0; i < PROCESSES; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(-ENOSPC, t[i].error);
		taken += t[i].taken;
	}
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(taken, q.out_client_used);
	EXPECT_EQ(taken, q.out_client_peak);
	EXPECT_EQ(taken / KIB(68), q.out_client_objects);
	EXPECT_EQ(before.out_free - taken, q.out_free);
	EXPECT_GT(KIB(68), q.out_free);
	ASSERT_EQ(0, va_unbind(&self->c, self->c.base, self->c.size));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_client_used);
	EXPECT_EQ(before.out_free, q.out_free);
	EXPECT_EQ(before.out_largest_free, q.out_largest_free);
}

TEST_HARNESS_MAIN
