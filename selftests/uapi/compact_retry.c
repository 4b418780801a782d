// SPDX-License-Identifier: GPL-2.0-only
/*
 * A compaction reserves memory that it may return unused. An allocation that
 * finds too little memory because of that succeeds afterwards, even if the next
 * compaction begins at once.
 *
 * On one processor, with a kernel that can be preempted anywhere, threads with
 * real-time priority compact: if the allocation releases the lock of compactions,
 * the next of them runs at that instruction.
 */
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "busy.h"
#include "client.h"
#include "util.h"

#define ASKERS	2
#define ROUNDS	1000
#define MOST_MS	10000

struct asker {
	struct client c;
	pthread_t thread;
	atomic_bool *stop;
	__u64 length;
	long asked, granted;
	int error;
};

FIXTURE(retry)
{
	struct client c, user;
	struct busy busy;	/* of the user */
	struct asker askers[ASKERS];
	atomic_bool stop;
	__u64 length;		/* of the allocation */
	__u64 va;		/* its device address */
};

/* Allocate a part of @all bytes in one run. */
static int alloc_run(const struct client *c, __u64 all, unsigned int percent,
		     __u32 *id)
{
	return mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			 all / 100 * percent / PAGE * PAGE, id);
}

/*
 * Two free runs of 24 % of the memory are between contiguous objects of 26 %, which
 * cannot move. So no compaction can make a run of 34 %. But as long as memory is in
 * use, it tries for some time, with this much memory reserved.
 */
FIXTURE_SETUP(retry)
{
	struct vnpu_device_query q;
	__u64 all;
	__u32 id[4];
	unsigned int i;

	ASSERT_EQ(0, client_open_only(&self->user));
	ASSERT_EQ(0, busy_prepare(&self->user));
	ASSERT_EQ(0, busy_begin(&self->busy, &self->user, 0, 0));
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_NONE));
	self->va = self->c.base;
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	all = q.out_free;
	for (i = 0; i < ARRAY_SIZE(id); i++)
		ASSERT_EQ(0, alloc_run(&self->c, all, i % 2 ? 26 : 24, &id[i]));
	ASSERT_EQ(0, mem_free(&self->c, id[0]));
	ASSERT_EQ(0, mem_free(&self->c, id[2]));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	ASSERT_GT(all / 100 * 26, q.out_largest_free);
	self->length = all / 100 * 20 / PAGE * PAGE;
	for (i = 0; i < ASKERS; i++) {
		self->askers[i].stop = &self->stop;
		self->askers[i].length = all / 100 * 34 / PAGE * PAGE;
		ASSERT_EQ(0, client_open_only(&self->askers[i].c));
	}
}

FIXTURE_TEARDOWN(retry)
{
	unsigned int i;

	for (i = 0; i < ASKERS; i++)
		client_close(&self->askers[i].c);
	client_close(&self->c);
	busy_end(&self->busy);
	client_close(&self->user);
}

static void *ask(void *arg)
{
	const struct sched_param first = { .sched_priority = 1 };
	struct asker *a = arg;
	__u32 id;

	a->error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
	for (; !atomic_load(a->stop); a->asked++) {
		a->granted += mem_alloc(&a->c, 0, VNPU_MEM_F_CONTIGUOUS |
					VNPU_MEM_F_TRY, 0, a->length, &id) !=
			      -ENOSPC;
		/* Let threads without this priority run. */
		usleep(100);
	}
	return NULL;
}

TEST_F_TIMEOUT(retry, allocation_succeeds_between_compactions, 120)
{
	__u64 end = now_ms() + MOST_MS;
	long rounds, failed = 0;
	unsigned int i;

	for (i = 0; i < ASKERS; i++)
		ASSERT_EQ(0, pthread_create(&self->askers[i].thread, NULL, ask,
					    &self->askers[i]));
	for (rounds = 0; rounds < ROUNDS && now_ms() < end; rounds++) {
		int ret = mem_alloc_at(&self->c, 0, VNPU_MEM_F_TRY, 0,
				       self->length, self->va);

		failed += !!ret;
		if (!ret)
			ASSERT_EQ(0, va_unbind(&self->c, self->va, 0));
	}
	atomic_store(&self->stop, true);
	for (i = 0; i < ASKERS; i++) {
		pthread_join(self->askers[i].thread, NULL);
		EXPECT_EQ(0, self->askers[i].error);
		EXPECT_EQ(0, self->askers[i].granted);
		EXPECT_LT(0, self->askers[i].asked);
	}
	EXPECT_EQ(0, failed) TH_LOG("of %ld allocations", rounds);
}

TEST_HARNESS_MAIN
