// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction of memory that is in use for a short time: no request is refused
 * because of that.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define ROUNDS		300
#define WORD		0x600d600d600d600dull

FIXTURE(used)
{
	struct client c;
	atomic_bool is_begun;
	atomic_bool is_over;
	int failed;
};

FIXTURE_SETUP(used)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ | PROT_WRITE));
	atomic_store(&self->is_over, false);
}

FIXTURE_TEARDOWN(used)
{
	client_close(&self->c);
}

/* A copy uses the page, and is the only use. */
static void *use(void *arg)
{
	FIXTURE_DATA(used) *self = arg;
	__u64 word = WORD;
	int ret = 0, i;

	while (!ret && word == WORD && !atomic_load(&self->is_over)) {
		ret = copy(&self->c, addr(&word), self->c.base, sizeof(word));
		atomic_store(&self->is_begun, true);
		for (i = 0; i < 4; i++)
			getppid();
	}
	self->failed = word == WORD ? -ret : EIO;
	return NULL;
}

/* Move the page to the middle of the free memory, where it must be moved. */
static int surround(const struct client *c, __u32 *id)
{
	struct vnpu_device_query q;
	__u32 below, above, old = *id;
	int ret;

	ret = device_query(c, 0, &q) ?:
	      mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS | VNPU_MEM_F_NO_COMPACT, 0,
			q.out_largest_free / 2 / PAGE * PAGE, &below) ?:
	      mem_alloc(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE, id) ?:
	      device_query(c, 0, &q) ?:
	      mem_alloc(c, 0, 0, 0, q.out_free, &above) ?:
	      mem_free(c, below) ?: mem_free(c, above);
	if (!ret && old)
		ret = va_unbind(c, c->base, PAGE) ?: mem_free(c, old);
	return ret;
}

/*
 * A machine may stop the copying thread for longer than compaction waits.
 * Without any wait, many requests would be refused.
 */
TEST_F_TIMEOUT(used, waits_for_the_user, 120)
{
	const struct client *c = &self->c;
	unsigned int round, refused = 0;
	struct vnpu_device_query q;
	pthread_t user;
	__u32 page = 0, id = 0;
	int ret;

	for (round = 0; round < ROUNDS; round++) {
		ASSERT_EQ(0, surround(c, &page));
		ASSERT_EQ(0, va_bind(c, page, c->base, PAGE, 0));
		*(volatile __u64 *)ptr(c->base) = WORD;
		ASSERT_EQ(0, device_query(c, 0, &q));
		ASSERT_LT(q.out_largest_free, q.out_free);
		atomic_store(&self->is_begun, false);
		atomic_store(&self->is_over, false);
		ASSERT_EQ(0, pthread_create(&user, NULL, use, self));
		while (!atomic_load(&self->is_begun))
			sched_yield();
		ret = mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				q.out_largest_free + PAGE, &id);
		atomic_store(&self->is_over, true);
		ASSERT_EQ(0, pthread_join(user, NULL));
		ASSERT_EQ(0, self->failed);
		if (ret == -ENOSPC)
			refused++;
		else
			ASSERT_EQ(0, ret ?: mem_free(c, id));
	}
	TH_LOG("%u of %u were refused", refused, ROUNDS);
	EXPECT_GT(ROUNDS / 50, refused);
}

TEST_HARNESS_MAIN
