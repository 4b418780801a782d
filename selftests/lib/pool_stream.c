// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools in the order of streams: memory that is freed on one stream can be
 * allocated on another when it is safe.
 */
#include <malloc.h>

#include "pool.h"

FIXTURE(pool_stream)
{
	vnpu_pool_t pool;
};

FIXTURE_SETUP(pool_stream)
{
	OK(aclrtSetDevice(0));
	OK(vnpu_pool_create(&self->pool, NULL));
}

FIXTURE_TEARDOWN(pool_stream)
{
	OK(aclrtResetDeviceForce(0));
}

TEST_F(pool_stream, in_the_order_of_streams)
{
	static const size_t sizes[] = { 64, 5000, 200000, 3 * MIB };
	aclrtNotify notify;
	aclrtStream a, b;
	char *p, *q, *r;
	size_t i;

	OK(aclrtCreateStream(&a));
	OK(aclrtCreateStream(&b));
	OK(aclrtCreateNotify(&notify, 0));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		p = vnpu_pool_alloc_async(self->pool, sizes[i], a);
		ASSERT_NE(NULL, p) TH_LOG("%s", recent());
		OK(aclrtWaitAndResetNotify(notify, a, 0));
		OK(vnpu_pool_free_async(self->pool, p, a));
		/* It is freed, even if a stream may use it. */
		EXPECT_ACL(BAD_VALUE, vnpu_pool_free_async(self->pool, p, a));
		EXPECT_ACL(BAD_VALUE, vnpu_pool_free(self->pool, p));
		EXPECT_ACL(BAD_VALUE, aclrtFree(p));
		q = vnpu_pool_alloc_async(self->pool, sizes[i], b);
		EXPECT_NE(p, q);
		r = vnpu_pool_alloc(self->pool, sizes[i]);
		EXPECT_NE(p, r);
		OK(vnpu_pool_free(self->pool, r));
		r = vnpu_pool_alloc_async(self->pool, sizes[i], a);
		EXPECT_EQ(p, r);
		/* And another one, which is freed when the stream is done. */
		OK(vnpu_pool_free_async(self->pool, r, a));
		OK(vnpu_pool_free_async(self->pool, q, b));
		OK(vnpu_pool_trim(self->pool, 0));
		EXPECT_LE(sizes[i], stats_of(self->pool).allocated);
		OK(aclrtRecordNotify(notify, NULL));
		OK(aclrtSynchronizeStream(a));
		OK(vnpu_pool_trim(self->pool, 0));
		EXPECT_EQ(0, stats_of(self->pool).allocated);
		EXPECT_EQ(0, stats_of(self->pool).reserved);
	}
	EXPECT_EQ(3 * i, stats_of(self->pool).bad_frees);
	/* All work of a destroyed stream is done. */
	p = vnpu_pool_alloc_async(self->pool, 64, a);
	OK(aclrtWaitAndResetNotify(notify, a, 0));
	OK(vnpu_pool_free_async(self->pool, p, a));
	OK(aclrtDestroyStreamForce(a));
	OK(vnpu_pool_trim(self->pool, 0));
	EXPECT_EQ(0, stats_of(self->pool).reserved);
	/* A pool may end before. */
	p = vnpu_pool_alloc_async(self->pool, 64, NULL);
	OK(vnpu_pool_free_async(self->pool, p, NULL));
	OK(vnpu_pool_destroy(self->pool));
	EXPECT_ACL(BAD_VALUE, vnpu_pool_free_async(self->pool, p, b));
	EXPECT_EQ(NULL, vnpu_pool_alloc_async(self->pool, 64, b));
}

static vnpu_pool_t pool_reusing(uint32_t flags, uint64_t limit)
{
	struct vnpu_pool_config config;
	vnpu_pool_t pool;

	vnpu_pool_config_init(&config);
	config.stream_reuse = flags;
	config.limit = limit;
	if (vnpu_pool_create(&pool, &config))
		abort();
	return pool;
}

/*
 * Another stream gets the memory that it waits for, and not what was freed
 * later.
 */
TEST_F(pool_stream, after_events)
{
	static const uint32_t flags[] = {
		VNPU_POOL_REUSE_EVENTS | VNPU_POOL_REUSE_DONE |
		VNPU_POOL_REUSE_WAIT,
		VNPU_POOL_REUSE_EVENTS,
		VNPU_POOL_REUSE_DONE | VNPU_POOL_REUSE_WAIT,
	};
	char *early, *late, *p;
	aclrtNotify notify;
	aclrtStream a, b;
	aclrtEvent event;
	vnpu_pool_t pool;
	size_t i;

	OK(aclrtCreateStream(&a));
	OK(aclrtCreateStream(&b));
	OK(aclrtCreateNotify(&notify, 0));
	OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		bool follows = flags[i] & VNPU_POOL_REUSE_EVENTS;

		pool = pool_reusing(flags[i], 0);
		early = vnpu_pool_alloc_async(pool, 3 * MIB, a);
		late = vnpu_pool_alloc_async(pool, 3 * MIB, a);
		OK(aclrtWaitAndResetNotify(notify, a, 0));
		OK(vnpu_pool_free_async(pool, early, a));
		OK(aclrtRecordEvent(event, a));
		OK(aclrtMemsetAsync(late, MIB, 1, MIB, a));
		OK(vnpu_pool_free_async(pool, late, a));
		p = vnpu_pool_alloc_async(pool, 3 * MIB, b);
		EXPECT_TRUE(p != early && p != late);
		OK(aclrtStreamWaitEvent(b, event));
		p = vnpu_pool_alloc_async(pool, 3 * MIB, b);
		EXPECT_EQ(follows, p == early);
		p = vnpu_pool_alloc_async(pool, 3 * MIB, b);
		EXPECT_TRUE(p != early && p != late);
		OK(aclrtRecordNotify(notify, NULL));
		OK(aclrtSynchronizeStream(a));
		/*
		 * Memory of completed work is available to any stream, if this
		 * is allowed.
		 */
		p = vnpu_pool_alloc_async(pool, 3 * MIB, b);
		EXPECT_EQ(!!(flags[i] & VNPU_POOL_REUSE_DONE),
			  p == late || p == early);
		/* A reached event orders streams like a pending one. */
		OK(aclrtRecordEvent(event, a));
		OK(aclrtSynchronizeStream(a));
		OK(aclrtStreamWaitEvent(b, event));
		p = vnpu_pool_alloc_async(pool, 3 * MIB, b);
		if (flags[i] == VNPU_POOL_REUSE_EVENTS)
			EXPECT_EQ(late, p);
		OK(vnpu_pool_destroy(pool));
	}
}

/* Without other memory, the stream has to wait, and the program does not. */
/* Two streams, one of which is created again and again, wait for each other. */
static int streams_meet(aclrtStream stays, aclrtEvent event)
{
	aclrtStream other;

	if (aclrtCreateStream(&other) || aclrtRecordEvent(event, other) ||
	    aclrtStreamWaitEvent(stays, event) ||
	    aclrtRecordEvent(event, stays) ||
	    aclrtStreamWaitEvent(other, event))
		return 1;
	return aclrtDestroyStream(other);
}

/* Records of destroyed streams are freed. */
TEST_F_TIMEOUT(pool_stream, after_destroyed_streams, 240)
{
	vnpu_pool_t pool = pool_reusing(VNPU_POOL_REUSE_EVENTS, 0);
	aclrtNotify notify;
	aclrtStream a, b;
	aclrtEvent event;
	size_t before;

	OK(aclrtCreateStream(&a));
	OK(aclrtCreateStream(&b));
	OK(aclrtCreateNotify(&notify, 0));
	OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	OK(aclrtWaitAndResetNotify(notify, a, 0));
	OK(vnpu_pool_free_async(pool, vnpu_pool_alloc(pool, MIB), a));
	for (int i = 0; i < 100; i++)
		ASSERT_EQ(0, streams_meet(b, event));
	before = mallinfo2().uordblks;
	for (int i = 0; i < 500; i++)
		ASSERT_EQ(0, streams_meet(b, event));
	EXPECT_LT(mallinfo2().uordblks, before + 32 * 1024);
	OK(aclrtRecordNotify(notify, NULL));
	OK(aclrtSynchronizeStream(a));
	OK(vnpu_pool_destroy(pool));
}

TEST_F(pool_stream, streams_wait_for_memory)
{
	aclrtStreamStatus status;
	aclrtNotify notify;
	aclrtStream a, b;
	vnpu_pool_t pool;
	char *p;

	OK(aclrtCreateStream(&a));
	OK(aclrtCreateStream(&b));
	OK(aclrtCreateNotify(&notify, 0));
	pool = pool_reusing(VNPU_POOL_REUSE_WAIT, 4 * MIB);
	p = vnpu_pool_alloc_async(pool, 4 * MIB, a);
	ASSERT_NE(NULL, p) TH_LOG("%s", recent());
	OK(aclrtWaitAndResetNotify(notify, a, 0));
	OK(vnpu_pool_free_async(pool, p, a));
	EXPECT_EQ(p, vnpu_pool_alloc_async(pool, 4 * MIB, b));
	OK(aclrtStreamQuery(b, &status));
	EXPECT_EQ(ACL_STREAM_STATUS_NOT_READY, status);
	OK(aclrtRecordNotify(notify, NULL));
	OK(aclrtSynchronizeStream(b));
	/* If this is not allowed, the program waits. */
	pool = pool_reusing(0, 4 * MIB);
	p = vnpu_pool_alloc_async(pool, 4 * MIB, a);
	OK(aclrtMemsetAsync(p, MIB, 1, MIB, a));
	OK(vnpu_pool_free_async(pool, p, a));
	EXPECT_EQ(p, vnpu_pool_alloc_async(pool, 4 * MIB, b));
	OK(aclrtStreamQuery(a, &status));
	EXPECT_EQ(ACL_STREAM_STATUS_COMPLETE, status);
}

TEST_F(pool_stream, invalid_arguments_in_order)
{
	void *p = vnpu_pool_alloc(self->pool, 100);

	EXPECT_EQ(NULL, vnpu_pool_alloc_async(self->pool, 0, NULL));
	EXPECT_EQ(NULL, vnpu_pool_alloc_async(self->pool, SIZE_MAX, NULL));
	EXPECT_EQ(NULL, vnpu_pool_alloc_async(NULL, 1, NULL));
	EXPECT_EQ(NULL, vnpu_pool_alloc_async(self->pool, 1, (void *)1));
	EXPECT_ACL(BAD_HANDLE,
		   vnpu_pool_free_async(self->pool, p, (void *)1));
	EXPECT_ACL(BAD_VALUE, vnpu_pool_free_async(NULL, p, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_pool_free_async(self->pool, NULL, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_pool_free_async(self->pool, self, NULL));
	OK(vnpu_pool_free(self->pool, p));
	OK(aclrtResetDeviceForce(0));
	EXPECT_ACL(NO_CONTEXT, vnpu_pool_free_async(self->pool, p, NULL));
	OK(aclrtSetDevice(0));
}

/* Without other memory, allocations wait for memory that streams have freed. */
TEST_F(pool_stream, all_of_it_in_order)
{
	size_t all = free_bytes();
	aclrtStream a, b;
	void *p;
	int i;

	OK(aclrtCreateStream(&a));
	OK(aclrtCreateStream(&b));
	for (i = 0; i < 8; i++) {
		p = vnpu_pool_alloc_async(self->pool, all, i & 1 ? b : a);
		ASSERT_NE(NULL, p) TH_LOG("%s", recent());
		OK(aclrtMemsetAsync(p, MIB, i, MIB, i & 1 ? b : a));
		OK(vnpu_pool_free_async(self->pool, p, i & 1 ? b : a));
	}
}

TEST_HARNESS_MAIN
