// SPDX-License-Identifier: GPL-2.0-only
/* Contexts: created and primary, per thread, and their streams and memory. */
#include "acl-test.h"

FIXTURE(context) {
	aclrtContext primary;
};

FIXTURE_SETUP(context)
{
	OK(aclrtSetDevice(0));
	OK(aclrtGetCurrentContext(&self->primary));
}

FIXTURE_TEARDOWN(context)
{
	aclrtResetDeviceForce(0);
}

TEST(no_context_at_the_start)
{
	aclrtContext c = (void *)1;
	aclrtStream s;
	int32_t device;
	int64_t value;

	EXPECT_ACL(NO_CONTEXT, aclrtGetCurrentContext(&c));
	EXPECT_EQ(NULL, c);
	EXPECT_ACL(NO_CONTEXT, aclrtGetDevice(&device));
	EXPECT_ACL(NO_CONTEXT, aclrtCtxGetCurrentDefaultStream(&s));
	EXPECT_ACL(NO_CONTEXT, aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	EXPECT_ACL(NO_CONTEXT,
		   aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
}

TEST(null_is_refused)
{
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetCurrentContext(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtSetCurrentContext(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateContext(NULL, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDestroyContext(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCtxGetCurrentDefaultStream(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetPrimaryCtxState(0, NULL, NULL));
}

TEST(create_needs_a_device_that_exists)
{
	aclrtContext c = (void *)1;

	EXPECT_ACL(BAD_DEVICE, aclrtCreateContext(&c, -1));
	EXPECT_ACL(BAD_DEVICE, aclrtCreateContext(&c, (int32_t)device_count()));
	EXPECT_EQ((void *)1, c);
}

/* A context is sufficient: no aclrtSetDevice() before. */
TEST(created_context_is_current)
{
	aclrtContext c, now;
	int32_t device = -1;
	void *p;

	OK(aclrtCreateContext(&c, 0));
	OK(aclrtGetCurrentContext(&now));
	EXPECT_EQ(c, now);
	OK(aclrtGetDevice(&device));
	EXPECT_EQ(0, device);
	OK(aclrtMalloc(&p, 100, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
	OK(aclrtDestroyContext(c));
	EXPECT_ACL(NO_CONTEXT, aclrtGetCurrentContext(&now));
	EXPECT_EQ(NULL, now);
}

TEST_F(context, primary_cannot_be_destroyed)
{
	aclrtContext now;

	EXPECT_NE(ACL_SUCCESS, aclrtDestroyContext(self->primary));
	OK(aclrtGetCurrentContext(&now));
	EXPECT_EQ(self->primary, now);
}

TEST_F(context, switch_between_two)
{
	aclrtContext a, b, now;

	OK(aclrtCreateContext(&a, 0));
	OK(aclrtCreateContext(&b, 0));
	EXPECT_NE(a, b);
	EXPECT_NE(a, self->primary);
	OK(aclrtSetCurrentContext(a));
	OK(aclrtGetCurrentContext(&now));
	EXPECT_EQ(a, now);
	OK(aclrtSetDevice(0));
	OK(aclrtGetCurrentContext(&now));
	EXPECT_EQ(self->primary, now);
	OK(aclrtSetCurrentContext(b));
	OK(aclrtDestroyContext(a));
	OK(aclrtGetCurrentContext(&now));
	EXPECT_EQ(b, now);
	OK(aclrtDestroyContext(b));
}

TEST_F(context, stale_and_garbage)
{
	void *const garbage[] = { GARBAGE_HANDLES };
	aclrtContext c, now;
	aclrtStream s;
	size_t i;

	OK(aclrtCreateContext(&c, 0));
	OK(aclrtDestroyContext(c));
	OK(aclrtSetCurrentContext(self->primary));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyContext(c));
	EXPECT_ACL(BAD_HANDLE, aclrtSetCurrentContext(c));
	for (i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		EXPECT_ACL(BAD_HANDLE, aclrtSetCurrentContext(garbage[i]));
		EXPECT_ACL(BAD_HANDLE, aclrtDestroyContext(garbage[i]));
	}
	OK(aclrtCreateStream(&s));
	EXPECT_ACL(BAD_HANDLE, aclrtSetCurrentContext(s));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyContext(s));
	OK(aclrtGetCurrentContext(&now));
	EXPECT_EQ(self->primary, now);
}

static void *thread_without_context(void *arg)
{
	aclrtContext c = (void *)1;
	void *p = NULL;
	intptr_t wrong = 0;

	wrong += aclrtGetCurrentContext(&c) != NO_CONTEXT;
	wrong += c != NULL;
	wrong += aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST) != NO_CONTEXT;
	wrong += aclrtSetCurrentContext(arg) != ACL_SUCCESS;
	wrong += aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS;
	wrong += aclrtGetCurrentContext(&c) != ACL_SUCCESS;
	wrong += c != arg;
	wrong += aclrtFree(p) != ACL_SUCCESS;
	return (void *)wrong;
}

TEST_F(context, current_is_per_thread)
{
	aclrtContext c, now;

	OK(aclrtCreateContext(&c, 0));
	EXPECT_EQ(NULL, in_thread(thread_without_context, self->primary));
	OK(aclrtGetCurrentContext(&now));
	EXPECT_EQ(c, now);
	EXPECT_EQ(NULL, in_thread(thread_without_context, c));
}

static void *set_device_and_get_context(void *arg)
{
	aclrtContext c = NULL;

	if (aclrtSetDevice(*(int *)arg) != ACL_SUCCESS)
		return NULL;
	aclrtGetCurrentContext(&c);
	return c;
}

TEST_F(context, primary_is_shared_by_threads)
{
	int device = 0;

	EXPECT_EQ(self->primary, in_thread(set_device_and_get_context, &device));
	OK(aclrtResetDevice(0));
	OK(aclrtResetDevice(0));
}

static void *destroy_context(void *context)
{
	return (void *)(intptr_t)aclrtDestroyContext(context);
}

TEST_F(context, destroyed_by_another_thread)
{
	aclrtContext c, now;
	void *p;

	OK(aclrtCreateContext(&c, 0));
	EXPECT_EQ(NULL, in_thread(destroy_context, c));
	EXPECT_ACL(NO_CONTEXT, aclrtGetCurrentContext(&now));
	EXPECT_ACL(NO_CONTEXT, aclrtMalloc(&p, 1, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtSetCurrentContext(self->primary));
	OK(aclrtMalloc(&p, 1, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
}

TEST(primary_state)
{
	int32_t active = -1;
	uint32_t flags;

	OK(aclrtGetPrimaryCtxState(0, NULL, &active));
	EXPECT_EQ(0, active);
	OK(aclrtSetDevice(0));
	OK(aclrtGetPrimaryCtxState(0, NULL, &active));
	EXPECT_EQ(1, active);
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetPrimaryCtxState(0, &flags, &active));
	OK(aclrtResetDevice(0));
	OK(aclrtGetPrimaryCtxState(0, NULL, &active));
	EXPECT_EQ(0, active);
	EXPECT_ACL(BAD_DEVICE, aclrtGetPrimaryCtxState(-1, NULL, &active));
	EXPECT_ACL(BAD_DEVICE, aclrtGetPrimaryCtxState(1000, NULL, &active));
}

TEST_F(context, options_are_per_context)
{
	aclrtContext c;
	int64_t value = -1;

	EXPECT_ACL(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
		   aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
	OK(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	EXPECT_EQ(1, value);
	OK(aclrtCreateContext(&c, 0));
	EXPECT_ACL(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
		   aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCtxSetSysParamOpt((aclSysParamOpt)99, 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START,
					  1));
	EXPECT_ACL(BAD_VALUE, aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 4));
	OK(aclrtDestroyContext(c));
}

TEST_F(context, default_stream_is_the_contexts_own)
{
	aclrtStream a, b, again;
	aclrtContext c;

	OK(aclrtCtxGetCurrentDefaultStream(&a));
	ASSERT_NE(NULL, a);
	OK(aclrtSynchronizeStream(a));
	OK(aclrtCtxGetCurrentDefaultStream(&again));
	EXPECT_EQ(a, again);
	OK(aclrtCreateContext(&c, 0));
	OK(aclrtCtxGetCurrentDefaultStream(&b));
	EXPECT_NE(a, b);
	EXPECT_NE(ACL_SUCCESS, aclrtDestroyStream(b));
	OK(aclrtDestroyContext(c));
}

TEST_F(context, on_the_second_device)
{
	aclrtContext c;
	int32_t device;

	if (device_count() < 2)
		SKIP(return, "needs 2 devices");
	OK(aclrtCreateContext(&c, 1));
	OK(aclrtGetDevice(&device));
	EXPECT_EQ(1, device);
	OK(aclrtSetCurrentContext(self->primary));
	OK(aclrtGetDevice(&device));
	EXPECT_EQ(0, device);
	OK(aclrtSetCurrentContext(c));
	OK(aclrtGetDevice(&device));
	EXPECT_EQ(1, device);
	OK(aclrtDestroyContext(c));
}

/*
 * Memory belongs to the device: it survives the context that it was allocated
 * in.
 */
TEST_F(context, memory_survives)
{
	aclrtContext c;
	char out = 0;
	void *p;

	OK(aclrtCreateContext(&c, 0));
	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemset(p, 64, 9, 64));
	OK(aclrtDestroyContext(c));
	OK(aclrtSetCurrentContext(self->primary));
	OK(aclrtMemcpy(&out, 1, p, 1, ACL_MEMCPY_DEFAULT));
	EXPECT_EQ(9, out);
	OK(aclrtFree(p));
}

TEST_F(context, many)
{
	aclrtContext c[200];
	size_t i;

	for (i = 0; i < 200; i++)
		OK(aclrtCreateContext(&c[i], 0));
	for (i = 0; i < 200; i++)
		OK(aclrtDestroyContext(c[i]));
}

TEST_HARNESS_MAIN
