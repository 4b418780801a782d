// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction lists objects in parts, so a plan may be made of lists of
 * different moments. It may see both a small page and a large page that has
 * replaced it in the meantime.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define PLACES	64		/* number of large pages */
/* pages listed between the first and the last */
#define OTHERS	12288

FIXTURE(places)
{
	struct client c;
	unsigned int large;
	atomic_bool stop;
};

FIXTURE_SETUP(places)
{
	struct vnpu_device_query q;
	__u32 id;
	__u64 i;

	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	/*
	 * Every fourth place is a run that stays, so no other run is as long.
	 */
	for (i = 0; i < PLACES * 512 + OTHERS; i++) {
		__u64 run = i % 2048 ? 1 : 512;

		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, run > 1 ?
					  VNPU_MEM_F_CONTIGUOUS : 0, 0,
					  run * PAGE,
					  self->c.base + i * PAGE));
		i += run - 1;
	}
	while (!device_query(&self->c, 0, &q) && q.out_free)
		ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				       q.out_largest_free, &id));
	/* Use only the first page of each other place. */
	for (i = 0; i < PLACES; i++)
		if (i % 4)
			ASSERT_EQ(0, va_unbind(&self->c,
					       self->c.base + i * MIB(2) + PAGE,
					       MIB(2) - PAGE));
}

FIXTURE_TEARDOWN(places)
{
	client_close(&self->c);
}

static void *become_large(void *arg)
{
	FIXTURE_DATA(places) *self = arg;
	__u64 i;

	for (i = 0; i < PLACES * 3 / 4 && !atomic_load(&self->stop); i++) {
		__u64 va = self->c.base + i * MIB(2);

		if (i % 4 == 0)
			continue;
		/* Wait for a random time within the making of a plan. */
		usleep(2000);
		va_unbind(&self->c, va, PAGE);
		if (!mem_alloc_at(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, MIB(2),
				  va + GIB(4)))
			self->large++;
	}
	atomic_store(&self->stop, true);
	return NULL;
}

TEST_F_TIMEOUT(places, small_page_becomes_large, 120)
{
	unsigned int tried = 0;
	pthread_t thread;
	__u32 id;

	ASSERT_EQ(0, pthread_create(&thread, NULL, become_large, self));
	for (; !atomic_load(&self->stop); tried++)
		EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0,
					     VNPU_MEM_F_CONTIGUOUS, 0, MIB(16),
					     &id))
			atomic_store(&self->stop, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	TH_LOG("%u large pages, %u plans", self->large, tried);
	EXPECT_LT(0, self->large);
}

TEST_HARNESS_MAIN
