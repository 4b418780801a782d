// SPDX-License-Identifier: GPL-2.0-only
/* Devices: set, reset and synchronize. */
#include "acl-test.h"

static aclError alloc(void)
{
	void *p;

	return aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
}

TEST(count)
{
	uint32_t count = 0;

	OK(aclrtGetDeviceCount(&count));
	EXPECT_LE(1, count);
	EXPECT_GE(64, count);
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetDeviceCount(NULL));
}

TEST(set_makes_a_context)
{
	int32_t device = -1;

	EXPECT_ACL(NO_CONTEXT, alloc());
	OK(aclrtSetDevice(0));
	OK(aclrtGetDevice(&device));
	EXPECT_EQ(0, device);
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetDevice(NULL));
	OK(alloc());
}

TEST(invalid_devices)
{
	static const int32_t bad[] = { -1, 1000, INT32_MIN, INT32_MAX };
	int32_t count = (int32_t)device_count();
	size_t i;

	EXPECT_ACL(BAD_DEVICE, aclrtSetDevice(count));
	EXPECT_ACL(BAD_DEVICE, aclrtResetDevice(count));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_ACL(BAD_DEVICE, aclrtSetDevice(bad[i]));
		EXPECT_ACL(BAD_DEVICE, aclrtResetDevice(bad[i]));
		EXPECT_ACL(BAD_DEVICE, aclrtResetDeviceForce(bad[i]));
	}
	EXPECT_ACL(NO_CONTEXT, alloc());
}

TEST(reset_counts_references)
{
	OK(aclrtSetDevice(0));
	OK(aclrtSetDevice(0));
	OK(aclrtSetDevice(0));
	OK(aclrtResetDevice(0));
	OK(alloc());
	OK(aclrtResetDevice(0));
	OK(alloc());
	OK(aclrtResetDevice(0));
	EXPECT_ACL(NO_CONTEXT, alloc());
	EXPECT_ACL(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice(0));
	EXPECT_ACL(NO_CONTEXT, alloc());
}

TEST(reset_of_an_unset_device)
{
	EXPECT_ACL(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice(0));
}

TEST(force_drops_all_references)
{
	OK(aclrtSetDevice(0));
	OK(aclrtSetDevice(0));
	OK(aclrtResetDeviceForce(0));
	EXPECT_ACL(NO_CONTEXT, alloc());
	EXPECT_ACL(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice(0));
	OK(aclrtSetDevice(0));
	OK(alloc());
}

/* The reset of the device frees memory that the program has not freed. */
TEST(reset_frees_memory)
{
	size_t before, during;
	void *p;
	int i;

	OK(aclrtSetDevice(0));
	before = free_bytes();
	ASSERT_LT(32 * MIB, before);
	for (i = 0; i < 4; i++)
		OK(aclrtMalloc(&p, 4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	during = free_bytes();
	EXPECT_LE(during, before - 16 * MIB);
	OK(aclrtResetDevice(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(before, free_bytes());
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
}

TEST(handles_are_stale_after_reset)
{
	aclrtContext primary;
	aclrtStream s, d;
	char c = 0;
	void *p;

	OK(aclrtSetDevice(0));
	OK(aclrtGetCurrentContext(&primary));
	OK(aclrtCreateStream(&s));
	OK(aclrtCtxGetCurrentDefaultStream(&d));
	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtResetDevice(0));
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(s));
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(NULL));
	EXPECT_NE(ACL_SUCCESS, aclrtDestroyStream(s));
	EXPECT_ACL(BAD_VALUE, aclrtFree(p));
	EXPECT_ACL(NO_CONTEXT, aclrtMemcpy(&c, 1, p, 1, ACL_MEMCPY_DEFAULT));
	EXPECT_ACL(BAD_HANDLE, aclrtSetCurrentContext(primary));

	OK(aclrtSetDevice(0));
	EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeStream(s));
	EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeStream(d));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyStream(s));
}

static void *hold_and_report(void *arg)
{
	pthread_barrier_t *barrier = arg;
	intptr_t wrong = 0;

	wrong += aclrtSetDevice(0) != ACL_SUCCESS;
	wrong += alloc() != ACL_SUCCESS;
	pthread_barrier_wait(barrier);
	/* The main thread resets the device by force. */
	pthread_barrier_wait(barrier);
	wrong += alloc() != NO_CONTEXT;
	wrong += aclrtSynchronizeDevice() != NO_CONTEXT;
	wrong += aclrtSetDevice(0) != ACL_SUCCESS;
	wrong += alloc() != ACL_SUCCESS;
	return (void *)wrong;
}

TEST(reset_reaches_other_threads)
{
	pthread_barrier_t barrier;
	pthread_t thread;
	void *wrong;

	pthread_barrier_init(&barrier, NULL, 2);
	OK(aclrtSetDevice(0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, hold_and_report, &barrier));
	pthread_barrier_wait(&barrier);
	OK(aclrtResetDeviceForce(0));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, &wrong);
	EXPECT_EQ(NULL, wrong);
}

TEST(synchronize)
{
	EXPECT_ACL(NO_CONTEXT, aclrtSynchronizeDevice());
	EXPECT_ACL(NO_CONTEXT, aclrtSynchronizeDeviceWithTimeout(-1));
	OK(aclrtSetDevice(0));
	OK(aclrtSynchronizeDevice());
	OK(aclrtSynchronizeDeviceWithTimeout(-1));
	OK(aclrtSynchronizeDeviceWithTimeout(1));
	OK(aclrtSynchronizeDeviceWithTimeout(INT32_MAX));
	EXPECT_ACL(BAD_VALUE, aclrtSynchronizeDeviceWithTimeout(0));
	EXPECT_ACL(BAD_VALUE, aclrtSynchronizeDeviceWithTimeout(-2));
	EXPECT_ACL(BAD_VALUE, aclrtSynchronizeDeviceWithTimeout(INT32_MIN));
}

TEST(task_scheduler)
{
	EXPECT_ACL(NO_CONTEXT, aclrtSetTsDevice(ACL_TS_ID_AICORE));
	OK(aclrtSetDevice(0));
	OK(aclrtSetTsDevice(ACL_TS_ID_AICORE));
	OK(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR));
	EXPECT_ACL(NULL_OR_ZERO, aclrtSetTsDevice(ACL_TS_ID_RESERVED));
	EXPECT_ACL(NULL_OR_ZERO, aclrtSetTsDevice((aclrtTsId)-1));
}

TEST_HARNESS_MAIN
