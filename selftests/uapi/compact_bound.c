// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compaction of an object that is bound so often that it takes long to take it
 * out of all mappings: who wants to know something of it meanwhile does not wait
 * for all of that, nor does who only has a lock in common with it.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "kselftest_harness.h"

#include "stream.h"
#include "util.h"

#define BINDINGS	65536
#define ROUNDS		20	/* those who wait may wait for a processor */

FIXTURE(bound)
{
	struct client c;
	__u32 id;
	atomic_bool is_over;
	__u64 longest;	/* that somebody waited, in ns */
};

FIXTURE_SETUP(bound)
{
	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, window_map(&self->c, WINDOW_SIZE, PROT_READ));
}

FIXTURE_TEARDOWN(bound)
{
	client_close(&self->c);
}

static void *look(void *arg)
{
	FIXTURE_DATA(bound) *self = arg;
	struct vnpu_mem_query q;
	__u64 start, end;

	self->longest = 0;
	start = now_ns();
	while (!atomic_load(&self->is_over)) {
		mem_query(&self->c, self->id, &q);
		end = now_ns();
		if (end - start > self->longest)
			self->longest = end - start;
		start = end;
	}
	return NULL;
}

/* A page in the midst of free memory, and all its bindings in mappings. */
static int prepare(FIXTURE_DATA(bound) * self)
{
	const struct client *c = &self->c;
	struct vnpu_device_query q;
	__u32 below, above;
	__u64 i;
	int ret;

	ret = device_query(c, 0, &q) ?:
	      mem_alloc(c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			q.out_largest_free / 2 / PAGE * PAGE, &below) ?:
	      mem_alloc(c, 0, VNPU_MEM_F_HOST_ACCESS, 0, PAGE, &self->id) ?:
	      device_query(c, 0, &q) ?:
	      mem_alloc(c, 0, 0, 0, q.out_free, &above);
	for (i = 0; i < BINDINGS && !ret; i++)
		ret = va_bind(c, self->id, c->base + i * PAGE, PAGE, 0);
	for (i = 0; i < BINDINGS && !ret; i++)
		*(volatile char *)ptr(c->base + i * PAGE);
	return ret ?: mem_free(c, below) ?: mem_free(c, above);
}

/* How long it takes to allocate what is only free when the page is moved. */
static __u64 move(struct __test_metadata *_metadata,
		  FIXTURE_DATA(bound) *self)
{
	struct vnpu_device_query q;
	pthread_t looker;
	__u64 start;
	__u32 id;

	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	atomic_store(&self->is_over, false);
	ASSERT_EQ(0, pthread_create(&looker, NULL, look, self));
	start = now_ns();
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       q.out_largest_free + PAGE, &id));
	start = now_ns() - start;
	atomic_store(&self->is_over, true);
	ASSERT_EQ(0, pthread_join(looker, NULL));
	ASSERT_EQ(0, mem_free(&self->c, id));
	return start;
}

TEST_F_TIMEOUT(bound, others_get_at_it, 300)
{
	bool was_short = false;
	int round;

	for (round = 0; round < ROUNDS && !was_short; round++) {
		ASSERT_EQ(0, prepare(self));
		was_short = move(_metadata, self) / 4 > self->longest;
		ASSERT_EQ(0, va_unbind(&self->c, self->c.base,
				       BINDINGS * PAGE));
		ASSERT_EQ(0, mem_free(&self->c, self->id));
	}
	EXPECT_TRUE(was_short);
}

TEST_HARNESS_MAIN
