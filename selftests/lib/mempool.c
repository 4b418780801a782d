// SPDX-License-Identifier: GPL-2.0-only
/* Pools of device memory whose allocations are ordered with streams. */
#include <sys/wait.h>

#include "acl-test.h"
#include "acl/acl_rt_memory_soma.h"

FIXTURE(pool) {
	aclrtStream a, b;
	aclrtNotify notify;
	aclrtMemPool pool;
};

static const aclrtMemPoolProps plain = {
	.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
	.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
};

FIXTURE_SETUP(pool)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->a));
	OK(aclrtCreateStream(&self->b));
	OK(aclrtCreateNotify(&self->notify, 0));
	OK(aclrtMemPoolCreate(&self->pool, &plain));
}

FIXTURE_TEARDOWN(pool)
{
	aclrtResetDeviceForce(0);
}

static uint64_t get(aclrtMemPool pool, aclrtMemPoolAttr attr)
{
	uint64_t value = 0;

	if (aclrtMemPoolGetAttr(pool, attr, &value))
		abort();
	return value;
}

#define RESERVED(pool)	get(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT)
#define USED(pool)	get(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT)

static void set_flag(aclrtMemPool pool, aclrtMemPoolAttr attr, uint32_t value)
{
	if (aclrtMemPoolSetAttr(pool, attr, &value))
		abort();
}

static void set_threshold(aclrtMemPool pool, uint64_t value)
{
	if (aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD,
				&value))
		abort();
}

TEST(need_a_context)
{
	aclrtMemPool pool;

	EXPECT_ACL(NO_CONTEXT, aclrtMemPoolCreate(&pool, &plain));
	EXPECT_ACL(NO_CONTEXT, aclrtMemPoolFreeAsync((void *)64, NULL));
}

TEST_F(pool, values)
{
	aclrtMemPoolProps props = plain;
	aclrtMemPool p;
	uint64_t value = 0;
	void *ptr = self;

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolCreate(NULL, &props));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolCreate(&p, NULL));
	props.allocType = 1;
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolCreate(&p, &props));
	props = plain;
	props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolCreate(&p, &props));
	props = plain;
	props.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolCreate(&p, &props));
	props = plain;
	props.reserved[31] = 1;
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolCreate(&p, &props));
	props = plain;
	props.location.id = 64;
	EXPECT_ACL(BAD_DEVICE, aclrtMemPoolCreate(&p, &props));
	props = plain;
	props.maxSize = total_bytes() + 1;
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolCreate(&p, &props));

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolDestroy(NULL));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolDestroy(self->a));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolSetAttr(NULL, 4, &value));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolGetAttr(NULL, 4, &value));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolSetAttr(self->pool, 4, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolGetAttr(self->pool, 4, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolSetAttr(self->pool, 0, &value));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolGetAttr(self->pool, 9, &value));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolSetAttr(self->pool, 5, &value));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolSetAttr(self->pool, 7, &value));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolGetAttr(self->a, 4, &value));
	value = 2;
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolSetAttr(self->pool, 1, &value));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolSetAttr(self->pool, 6, &value));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolTrimTo(NULL, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolTrimTo(self->a, 0));

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemPoolMallocAsync(NULL, 1, self->pool, self->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemPoolMallocAsync(&ptr, 1, NULL, self->a));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemPoolMallocAsync(&ptr, 1, self->pool, NULL));
	OK(aclrtMemPoolMallocAsync(&ptr, 0, self->pool, self->a));
	EXPECT_EQ((void *)self, ptr);
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemPoolMallocAsync(&ptr, 1, self->a, self->a));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtMemPoolMallocAsync(&ptr, 1, self->pool, (void *)1));
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMemPoolMallocAsync(&ptr, SIZE_MAX, self->pool,
					   self->a));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemPoolFreeAsync(NULL, self->a));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolFreeAsync(self, self->a));
	EXPECT_ACL(BAD_HANDLE, aclrtMemPoolFreeAsync(self, (void *)1));
	EXPECT_EQ((void *)self, ptr);
}

TEST_F(pool, a_stream_reuses_what_it_freed)
{
	void *first, *second;
	int i;

	OK(aclrtMemPoolMallocAsync(&first, MIB, self->pool, self->a));
	EXPECT_EQ(HUGE_SIZE, USED(self->pool));
	/* The stream is not done, and gets it nevertheless. */
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	for (i = 0; i < 100; i++) {
		OK(aclrtMemPoolFreeAsync(first, self->a));
		EXPECT_EQ(0, USED(self->pool));
		OK(aclrtMemPoolMallocAsync(&second, HUGE_SIZE, self->pool,
					   self->a));
		ASSERT_EQ(first, second);
	}
	EXPECT_EQ(HUGE_SIZE, RESERVED(self->pool));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolFreeAsync((char *)first + 64,
						    self->a));
	OK(aclrtMemPoolFreeAsync(first, self->a));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolFreeAsync(first, self->a));
	OK(aclrtRecordNotify(self->notify, NULL));
}

TEST_F(pool, it_is_memory)
{
	uint32_t number = 0x12345678, back = 0;
	void *p;

	OK(aclrtMemPoolMallocAsync(&p, 3 * MIB, self->pool, self->a));
	OK(aclrtMemcpy((char *)p + 3 * MIB - 4, 4, &number, 4,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemcpy(&back, 4, (char *)p + 3 * MIB - 4, 4,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(number, back);
	OK(aclrtMemPoolFreeAsync(p, self->a));
}

/* Another stream waits for memory that it reuses, if that is allowed. */
TEST_F(pool, internal_dependencies)
{
	aclrtStreamStatus status;
	void *first, *second;

	OK(aclrtMemPoolMallocAsync(&first, MIB, self->pool, self->a));
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	OK(aclrtMemPoolFreeAsync(first, self->a));
	OK(aclrtMemPoolMallocAsync(&second, MIB, self->pool, self->b));
	EXPECT_EQ(first, second);
	usleep(20000);
	OK(aclrtStreamQuery(self->b, &status));
	EXPECT_EQ(ACL_STREAM_STATUS_NOT_READY, status);
	OK(aclrtRecordNotify(self->notify, NULL));
	OK(aclrtSynchronizeStream(self->b));

	set_flag(self->pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
		 0);
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	OK(aclrtMemPoolFreeAsync(second, self->a));
	OK(aclrtMemPoolMallocAsync(&first, MIB, self->pool, self->b));
	EXPECT_NE(first, second);
	OK(aclrtMemPoolFreeAsync(first, self->b));
	OK(aclrtRecordNotify(self->notify, NULL));
}

TEST_F(pool, opportunistic)
{
	void *first, *second;

	set_flag(self->pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
		 0);
	set_threshold(self->pool, UINT64_MAX);
	OK(aclrtMemPoolMallocAsync(&first, MIB, self->pool, self->a));
	OK(aclrtRecordNotify(self->notify, self->a));
	OK(aclrtMemPoolFreeAsync(first, self->a));
	OK(aclrtSynchronizeStream(self->a));
	OK(aclrtMemPoolMallocAsync(&second, MIB, self->pool, self->b));
	EXPECT_EQ(first, second);
	OK(aclrtMemPoolFreeAsync(second, self->b));
	set_flag(self->pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
	OK(aclrtMemPoolMallocAsync(&second, MIB, self->pool, self->a));
	EXPECT_NE(first, second);
	OK(aclrtMemPoolFreeAsync(second, self->a));
}

TEST_F(pool, follows_events)
{
	void *first, *second;
	aclrtEvent event;

	set_flag(self->pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
		 0);
	set_flag(self->pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0);
	OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	OK(aclrtMemPoolMallocAsync(&first, MIB, self->pool, self->a));
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	OK(aclrtMemPoolFreeAsync(first, self->a));
	OK(aclrtRecordEvent(event, self->a));
	OK(aclrtStreamWaitEvent(self->b, event));
	OK(aclrtMemPoolMallocAsync(&second, MIB, self->pool, self->b));
	EXPECT_EQ(first, second);
	/* Memory freed after the event is not covered by it. */
	OK(aclrtMemPoolFreeAsync(second, self->b));
	OK(aclrtMemPoolMallocAsync(&first, MIB, self->pool, self->a));
	EXPECT_NE(first, second);
	set_flag(self->pool, ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,
		 0);
	OK(aclrtMemPoolFreeAsync(first, self->a));
	OK(aclrtRecordEvent(event, self->a));
	OK(aclrtStreamWaitEvent(self->b, event));
	OK(aclrtMemPoolMallocAsync(&first, MIB, self->pool, self->b));
	EXPECT_EQ(first, second);
	OK(aclrtMemPoolMallocAsync(&second, MIB, self->pool, self->b));
	OK(aclrtRecordNotify(self->notify, NULL));
}

TEST_F(pool, sizes_and_statistics)
{
	aclrtMemPool p = self->pool;
	uint64_t zero = 0;
	void *big, *small;

	OK(aclrtMemPoolMallocAsync(&big, 4 * HUGE_SIZE, p, self->a));
	OK(aclrtMemPoolFreeAsync(big, self->a));
	/* Not more than twice as large. */
	OK(aclrtMemPoolMallocAsync(&small, 1, p, self->a));
	EXPECT_NE(big, small);
	EXPECT_EQ(5 * HUGE_SIZE, RESERVED(p));
	EXPECT_EQ(HUGE_SIZE, USED(p));
	EXPECT_EQ(5 * HUGE_SIZE,
		  get(p, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH));
	EXPECT_EQ(4 * HUGE_SIZE, get(p, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH));
	OK(aclrtMemPoolSetAttr(p, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &zero));
	EXPECT_EQ(HUGE_SIZE, get(p, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH));
	OK(aclrtMemPoolTrimTo(p, 0));
	EXPECT_EQ(HUGE_SIZE, RESERVED(p));
	OK(aclrtMemPoolSetAttr(p, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH,
			       &zero));
	EXPECT_EQ(HUGE_SIZE, get(p, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolDestroy(p));
	OK(aclrtMemPoolFreeAsync(small, self->a));
	OK(aclrtMemPoolDestroy(p));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolDestroy(p));
}

TEST_F(pool, trimmed_when_waited_for)
{
	size_t before = free_bytes();
	void *p[4];
	int i;

	for (i = 0; i < 4; i++)
		OK(aclrtMemPoolMallocAsync(&p[i], MIB, self->pool, self->a));
	EXPECT_EQ(before - 4 * HUGE_SIZE, free_bytes());
	for (i = 0; i < 4; i++)
		OK(aclrtMemPoolFreeAsync(p[i], self->a));
	EXPECT_EQ(before - 4 * HUGE_SIZE, free_bytes());
	set_threshold(self->pool, 2 * HUGE_SIZE);
	OK(aclrtSynchronizeStream(self->b));
	EXPECT_EQ(before - 2 * HUGE_SIZE, free_bytes());
	OK(aclrtMemPoolTrimTo(self->pool, HUGE_SIZE));
	EXPECT_EQ(before - HUGE_SIZE, free_bytes());
	set_threshold(self->pool, 0);
	OK(aclrtSynchronizeDevice());
	EXPECT_EQ(before, free_bytes());
	EXPECT_EQ(0, RESERVED(self->pool));
}

/* Memory that a stream may still use stays. */
TEST_F(pool, trim_keeps_memory_in_use)
{
	void *p;

	OK(aclrtMemPoolMallocAsync(&p, MIB, self->pool, self->a));
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	OK(aclrtMemPoolFreeAsync(p, self->a));
	OK(aclrtSynchronizeStream(self->b));
	OK(aclrtMemPoolTrimTo(self->pool, 0));
	EXPECT_EQ(HUGE_SIZE, RESERVED(self->pool));
	OK(aclrtRecordNotify(self->notify, NULL));
	OK(aclrtSynchronizeStream(self->a));
	EXPECT_EQ(0, RESERVED(self->pool));
}

TEST_F(pool, free_is_synchronous)
{
	size_t before = free_bytes();
	void *p;

	OK(aclrtMemPoolMallocAsync(&p, MIB, self->pool, self->a));
	OK(aclrtFree(p));
	EXPECT_EQ(before, free_bytes());
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	EXPECT_EQ(0, USED(self->pool));
	OK(aclrtMemPoolDestroy(self->pool));
}

/* Cached memory belongs to the pool; freeing it again is an error. */
TEST_F(pool, double_free)
{
	uint32_t number = 0x12345678, back = 0;
	void *p, *again;

	OK(aclrtMemPoolMallocAsync(&p, MIB, self->pool, self->a));
	OK(aclrtMemPoolFreeAsync(p, self->a));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	EXPECT_EQ(HUGE_SIZE, RESERVED(self->pool));
	OK(aclrtMemPoolMallocAsync(&again, MIB, self->pool, self->a));
	EXPECT_EQ(p, again);
	OK(aclrtMemcpy(again, 4, &number, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemcpy(&back, 4, again, 4, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(number, back);
	OK(aclrtMemPoolFreeAsync(again, self->a));
}

TEST_F(pool, makes_room)
{
	aclrtMemPoolProps props = plain;
	aclrtMemPool limited;
	size_t half = free_bytes() / 2 / HUGE_SIZE * HUGE_SIZE;
	void *p, *q;

	OK(aclrtMemPoolMallocAsync(&p, half, self->pool, self->a));
	OK(aclrtMemPoolFreeAsync(p, self->a));
	/* Its memory is freed for other allocations. */
	OK(aclrtMalloc(&q, half + 16 * MIB, ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_EQ(0, RESERVED(self->pool));
	OK(aclrtFree(q));

	props.maxSize = 2 * HUGE_SIZE;
	OK(aclrtMemPoolCreate(&limited, &props));
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMemPoolMallocAsync(&p, 3 * HUGE_SIZE, limited,
					   self->a));
	OK(aclrtMemPoolMallocAsync(&p, HUGE_SIZE, limited, self->a));
	OK(aclrtMemPoolMallocAsync(&q, HUGE_SIZE, limited, self->a));
	OK(aclrtMemPoolFreeAsync(p, self->a));
	OK(aclrtMemPoolFreeAsync(q, self->a));
	OK(aclrtMemPoolMallocAsync(&p, 2 * HUGE_SIZE, limited, self->a));
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMemPoolMallocAsync(&q, 1, limited, self->a));
	OK(aclrtMemPoolFreeAsync(p, self->a));
	OK(aclrtMemPoolDestroy(limited));
}

TEST_F(pool, ends_with_its_device)
{
	void *p, *q;

	OK(aclrtMemPoolMallocAsync(&p, MIB, self->pool, self->a));
	OK(aclrtMemPoolMallocAsync(&q, MIB, self->pool, self->b));
	OK(aclrtMemPoolFreeAsync(q, self->b));
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(BAD_VALUE, aclrtMemPoolTrimTo(self->pool, 0));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	OK(aclrtMemPoolCreate(&self->pool, &plain));
}

/* A destroyed stream is done. */
TEST_F(pool, destroyed_stream)
{
	void *p, *q;

	set_flag(self->pool, ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
		 0);
	OK(aclrtMemPoolMallocAsync(&p, MIB, self->pool, self->a));
	OK(aclrtWaitAndResetNotify(self->notify, self->a, 0));
	OK(aclrtMemPoolFreeAsync(p, self->a));
	OK(aclrtDestroyStreamForce(self->a));
	OK(aclrtMemPoolMallocAsync(&q, MIB, self->pool, self->b));
	EXPECT_EQ(p, q);
}

static void *churn(void *arg)
{
	aclrtMemPool pool = arg;
	aclrtStream stream;
	void *p[4];
	int i, j;

	if (aclrtSetDevice(0) || aclrtCreateStream(&stream))
		return arg;
	for (i = 0; i < 200; i++) {
		for (j = 0; j < 4; j++)
			if (aclrtMemPoolMallocAsync(&p[j], (j + 1) * MIB, pool,
						    stream))
				return arg;
		for (j = 0; j < 4; j++)
			if (aclrtMemPoolFreeAsync(p[j], stream))
				return arg;
		if (i % 16 == 0 && aclrtSynchronizeStream(stream))
			return arg;
	}
	return aclrtDestroyStream(stream) ? arg : NULL;
}

TEST_F(pool, threads)
{
	pthread_t threads[4];
	void *result;
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, churn,
					    self->pool));
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &result);
		EXPECT_EQ(NULL, result);
	}
	EXPECT_EQ(0, USED(self->pool));
	OK(aclrtSynchronizeDevice());
	OK(aclrtMemPoolDestroy(self->pool));
}

TEST_F(pool, a_forked_child_has_none)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(aclrtMemPoolTrimTo(self->pool, 0) !=
		      ACL_ERROR_RT_NO_PERMISSION);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
