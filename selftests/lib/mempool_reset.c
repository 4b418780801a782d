// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools are created and destroyed while another thread resets their device.
 *
 * The library's requests go through ioctl(), which is replaced here: it lets
 * the other thread continue in the middle of a call. If that thread has to wait
 * for the end of the call, as it should, the first one soon stops waiting for
 * it.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include <linux/vnpu.h>

#include "acl-test.h"
#include "acl/acl_rt_memory_soma.h"

#define PAUSE_MS	200

static const aclrtMemPoolProps plain = {
	.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
	.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
};

static sem_t ready, go, done;

/* Where this thread is to stop, once; or 0. */
static __thread unsigned long stop_at;

static void let_the_other_go_on(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += PAUSE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	sem_post(&go);
	while (sem_timedwait(&done, &until) && errno == EINTR)
		;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (stop_at && request == stop_at) {
		stop_at = 0;
		let_the_other_go_on();
	}
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

struct shared {
	aclrtMemPool pool;
	aclrtStream stream;
	void *memory;
};

FIXTURE(reset) {
	struct shared shared;
	pthread_t other;
	size_t free;
};

FIXTURE_SETUP(reset)
{
	ASSERT_EQ(0, sem_init(&ready, 0, 0) | sem_init(&go, 0, 0) |
		     sem_init(&done, 0, 0));
	OK(aclrtSetDevice(0));
	self->free = free_bytes();
}

FIXTURE_TEARDOWN(reset)
{
	EXPECT_EQ(self->free, free_bytes());
	OK(aclrtResetDeviceForce(0));
}

/*
 * Return whether the memory is the caller's alone, by writing and reading it.
 */
static bool is_memory(void *p)
{
	uint32_t number = 0x12345678, back = 0;

	return !aclrtMemcpy(p, 4, &number, 4, ACL_MEMCPY_HOST_TO_DEVICE) &&
	       !aclrtMemcpy(&back, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST) &&
	       back == number;
}

static void *make_pool(void *arg)
{
	struct shared *shared = arg;
	bool fails;

	fails = aclrtSetDevice(1) || aclrtCreateStream(&shared->stream);
	sem_post(&ready);
	sem_wait(&go);
	fails = fails || aclrtMemPoolCreate(&shared->pool, &plain) ||
		aclrtMemPoolMallocAsync(&shared->memory, MIB, shared->pool,
					shared->stream);
	sem_post(&done);
	return fails ? arg : NULL;
}

/* A stream of another device keeps the other thread going. */
TEST_F(reset, a_pool_is_created_meanwhile)
{
	struct shared *shared = &self->shared;
	void *result, *p;

	if (device_count() < 2)
		SKIP(return, "there is one device");
	ASSERT_EQ(0, pthread_create(&self->other, NULL, make_pool, shared));
	sem_wait(&ready);
	stop_at = VNPU_IOCTL_VA_QUERY;
	OK(aclrtResetDeviceForce(0));
	EXPECT_EQ(0, stop_at);
	ASSERT_EQ(0, pthread_join(self->other, &result));
	ASSERT_EQ(NULL, result);

	OK(aclrtSetDevice(0));
	OK(aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_HUGE_ONLY));
	EXPECT_NE(p, shared->memory);
	EXPECT_TRUE(is_memory(p));
	EXPECT_TRUE(is_memory(shared->memory));
	OK(aclrtFree(p));
	OK(aclrtFree(shared->memory));
	OK(aclrtMemPoolDestroy(shared->pool));
	OK(aclrtResetDeviceForce(1));
	OK(aclrtSetDevice(0));
}

static void *destroy_pool(void *arg)
{
	struct shared *shared = arg;
	bool fails = aclrtSetDevice(0);

	stop_at = VNPU_IOCTL_VA_UNBIND;
	fails = aclrtMemPoolDestroy(shared->pool) || fails || stop_at;
	return fails ? arg : NULL;
}

/*
 * Memory that the pool frees belongs to the next pool if the device was reset.
 */
TEST_F(reset, a_pool_is_destroyed_meanwhile)
{
	struct shared *shared = &self->shared;
	void *result, *p;

	OK(aclrtCreateStream(&shared->stream));
	OK(aclrtMemPoolCreate(&shared->pool, &plain));
	OK(aclrtMemPoolMallocAsync(&shared->memory, MIB, shared->pool,
				   shared->stream));
	OK(aclrtMemPoolFreeAsync(shared->memory, shared->stream));
	ASSERT_EQ(0, pthread_create(&self->other, NULL, destroy_pool, shared));
	sem_wait(&go);
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	OK(aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_HUGE_ONLY));
	sem_post(&done);
	ASSERT_EQ(0, pthread_join(self->other, &result));
	ASSERT_EQ(NULL, result);
	EXPECT_TRUE(is_memory(p));
	OK(aclrtFree(p));
}

TEST_HARNESS_MAIN
