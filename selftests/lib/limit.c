// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings and state of streams and devices: limits of cores, modes of
 * overflow, allocators of programs.
 */
#include "acl-test.h"

FIXTURE(limit) {
	aclrtStream stream;
};

FIXTURE_SETUP(limit)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
}

FIXTURE_TEARDOWN(limit)
{
	aclrtResetDeviceForce(0);
}

#define CUBE	ACL_RT_DEV_RES_CUBE_CORE
#define VECTOR	ACL_RT_DEV_RES_VECTOR_CORE

TEST(need_a_context)
{
	aclrtFloatOverflowMode mode;
	uint32_t value;
	void *addr;

	EXPECT_ACL(NO_CONTEXT, aclrtGetDeviceResLimit(0, CUBE, &value));
	EXPECT_ACL(NO_CONTEXT, aclrtSetDeviceResLimit(0, CUBE, 1));
	EXPECT_ACL(NO_CONTEXT, aclrtResetDeviceResLimit(0));
	EXPECT_ACL(NO_CONTEXT, aclrtGetStreamResLimit(NULL, CUBE, &value));
	EXPECT_ACL(NO_CONTEXT, aclrtSetStreamResLimit(NULL, CUBE, 1));
	EXPECT_ACL(NO_CONTEXT, aclrtResetStreamResLimit(NULL));
	EXPECT_ACL(NO_CONTEXT, aclrtUseStreamResInCurrentThread(NULL));
	EXPECT_ACL(NO_CONTEXT, aclrtUnuseStreamResInCurrentThread(NULL));
	EXPECT_ACL(NO_CONTEXT, aclrtGetResInCurrentThread(CUBE, &value));
	EXPECT_ACL(NO_CONTEXT,
		   aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
	EXPECT_ACL(NO_CONTEXT, aclrtGetDeviceSatMode(&mode));
	EXPECT_ACL(NO_CONTEXT, aclrtSetStreamOverflowSwitch(NULL, 1));
	EXPECT_ACL(NO_CONTEXT, aclrtResetOverflowStatus(NULL));
	EXPECT_ACL(NO_CONTEXT, aclrtCtxGetFloatOverflowAddr(&addr));
}

TEST_F(limit, values)
{
	uint32_t value;

	EXPECT_ACL(NULL_OR_ZERO, aclrtGetDeviceResLimit(0, CUBE, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetStreamResLimit(NULL, CUBE, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetResInCurrentThread(CUBE, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtGetDeviceResLimit(0, 2, &value));
	EXPECT_ACL(BAD_VALUE, aclrtGetStreamResLimit(NULL, -1, &value));
	EXPECT_ACL(BAD_VALUE, aclrtGetResInCurrentThread(2, &value));
	EXPECT_ACL(BAD_VALUE, aclrtSetDeviceResLimit(0, 2, 1));
	EXPECT_ACL(BAD_VALUE, aclrtSetStreamResLimit(NULL, 2, 1));
	EXPECT_ACL(BAD_DEVICE, aclrtGetDeviceResLimit(-1, CUBE, &value));
	EXPECT_ACL(BAD_DEVICE, aclrtSetDeviceResLimit(64, CUBE, 1));
	EXPECT_ACL(BAD_DEVICE, aclrtResetDeviceResLimit(64));
	EXPECT_ACL(BAD_HANDLE, aclrtSetStreamResLimit((void *)1, CUBE, 1));
	EXPECT_ACL(BAD_HANDLE, aclrtGetStreamResLimit((void *)1, CUBE, &value));
	EXPECT_ACL(BAD_HANDLE, aclrtResetStreamResLimit((void *)1));
	EXPECT_ACL(BAD_HANDLE, aclrtUseStreamResInCurrentThread((void *)1));
	EXPECT_ACL(BAD_HANDLE, aclrtUnuseStreamResInCurrentThread((void *)1));
}

TEST_F(limit, device_then_stream_then_thread)
{
	int64_t cubes;
	uint32_t value;

	OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_CUBE_CORE_NUM, &cubes));
	OK(aclrtGetDeviceResLimit(0, CUBE, &value));
	EXPECT_EQ(cubes, value);
	EXPECT_ACL(BAD_VALUE, aclrtSetDeviceResLimit(0, CUBE, cubes + 1));
	OK(aclrtSetDeviceResLimit(0, CUBE, 8));
	OK(aclrtGetDeviceResLimit(0, CUBE, &value));
	EXPECT_EQ(8, value);
	OK(aclrtGetStreamResLimit(self->stream, CUBE, &value));
	EXPECT_EQ(8, value);

	OK(aclrtSetStreamResLimit(self->stream, CUBE, 4));
	OK(aclrtGetStreamResLimit(self->stream, CUBE, &value));
	EXPECT_EQ(4, value);
	OK(aclrtGetResInCurrentThread(CUBE, &value));
	EXPECT_EQ(8, value);
	OK(aclrtUseStreamResInCurrentThread(self->stream));
	OK(aclrtGetResInCurrentThread(CUBE, &value));
	EXPECT_EQ(4, value);
	/* Limits that the stream does not set are the device's. */
	OK(aclrtSetDeviceResLimit(0, VECTOR, 0));
	OK(aclrtGetResInCurrentThread(VECTOR, &value));
	EXPECT_EQ(0, value);
	OK(aclrtUnuseStreamResInCurrentThread(NULL));
	OK(aclrtGetResInCurrentThread(CUBE, &value));
	EXPECT_EQ(4, value);
	OK(aclrtUnuseStreamResInCurrentThread(self->stream));
	OK(aclrtGetResInCurrentThread(CUBE, &value));
	EXPECT_EQ(8, value);

	OK(aclrtResetStreamResLimit(self->stream));
	OK(aclrtGetStreamResLimit(self->stream, CUBE, &value));
	EXPECT_EQ(8, value);
	OK(aclrtResetDeviceResLimit(0));
	OK(aclrtGetDeviceResLimit(0, CUBE, &value));
	EXPECT_EQ(cubes, value);

	/* A destroyed stream limits nothing. */
	OK(aclrtSetStreamResLimit(self->stream, CUBE, 4));
	OK(aclrtUseStreamResInCurrentThread(self->stream));
	OK(aclrtDestroyStream(self->stream));
	OK(aclrtGetResInCurrentThread(CUBE, &value));
	EXPECT_EQ(cubes, value);

	OK(aclrtSetDeviceResLimit(0, CUBE, 1));
	OK(aclrtResetDevice(0));
	OK(aclrtSetDevice(0));
	OK(aclrtGetDeviceResLimit(0, CUBE, &value));
	EXPECT_EQ(cubes, value);
}

TEST_F(limit, overflow_modes)
{
	aclrtStreamAttrValue value;
	aclrtFloatOverflowMode mode;
	uint32_t flag;

	EXPECT_ACL(NULL_OR_ZERO, aclrtGetDeviceSatMode(NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF));
	OK(aclrtGetDeviceSatMode(&mode));
	EXPECT_EQ(ACL_RT_OVERFLOW_MODE_INFNAN, mode);
	OK(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
	OK(aclrtGetDeviceSatMode(&mode));
	EXPECT_EQ(ACL_RT_OVERFLOW_MODE_SATURATION, mode);

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtGetStreamOverflowSwitch(self->stream, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtSetStreamOverflowSwitch(self->stream, 2));
	EXPECT_ACL(BAD_HANDLE, aclrtSetStreamOverflowSwitch((void *)1, 1));
	EXPECT_ACL(BAD_HANDLE, aclrtGetStreamOverflowSwitch((void *)1, &flag));
	OK(aclrtSetStreamOverflowSwitch(self->stream, 1));
	OK(aclrtGetStreamOverflowSwitch(self->stream, &flag));
	EXPECT_EQ(1, flag);
	OK(aclrtGetStreamAttribute(self->stream,
				   ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK,
				   &value));
	EXPECT_EQ(1, value.overflowSwitch);
	OK(aclrtGetStreamOverflowSwitch(NULL, &flag));
	EXPECT_EQ(0, flag);
}

TEST_F(limit, overflow_status)
{
	unsigned char status[64], zeros[64] = { 0 };
	void *p;

	OK(aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(p, 4096, 0xff, 4096));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetOverflowStatus(NULL, 64, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtGetOverflowStatus(p, 63, NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtGetOverflowStatus(p, 64, (void *)1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetFloatOverflowStatus(NULL, 64, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtGetFloatOverflowStatus(p, 65, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtNpuGetFloatOverFlowStatus(p, 64, 1, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtNpuClearFloatOverFlowStatus(1, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCtxGetFloatOverflowAddr(NULL));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtCtxGetFloatOverflowAddr(&p));

	OK(aclrtGetOverflowStatus(p, 64, self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	OK(aclrtMemcpy(status, 64, p, 64, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0, memcmp(status, zeros, 64));
	OK(aclrtMemcpy(status, 1, (char *)p + 64, 1,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0xff, status[0]);
	OK(aclrtGetFloatOverflowStatus(p, 64, NULL));
	OK(aclrtNpuGetFloatOverFlowStatus(p, 64, 0, NULL));
	OK(aclrtResetOverflowStatus(self->stream));
	OK(aclrtResetFloatOverflowStatus(self->stream));
	OK(aclrtNpuClearFloatOverFlowStatus(0, self->stream));
	OK(aclrtSynchronizeDevice());
}

static void *fake_alloc(aclrtAllocator allocator, size_t size)
{
	(void)size;
	return allocator;
}

static void *fake_advise(aclrtAllocator allocator, size_t size,
			 aclrtAllocatorAddr addr)
{
	(void)size;
	(void)addr;
	return allocator;
}

static void fake_free(aclrtAllocator allocator, aclrtAllocatorBlock block)
{
	(void)allocator;
	(void)block;
}

static void *fake_addr(aclrtAllocatorBlock block)
{
	return block;
}

TEST_F(limit, allocators)
{
	aclrtAllocatorGetAddrFromBlockFunc get;
	aclrtAllocatorAllocAdviseFunc advise;
	aclrtAllocatorDesc desc, found;
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorFreeFunc release;
	aclrtAllocator object;

	desc = aclrtAllocatorCreateDesc();
	ASSERT_NE(NULL, desc);
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorDestroyDesc(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorDestroyDesc((void *)1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorDestroyDesc(self->stream));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorSetObjToDesc(desc, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorSetObjToDesc(NULL, self));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorSetAllocFuncToDesc(desc, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorSetFreeFuncToDesc(desc, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtAllocatorSetAllocAdviseFuncToDesc(desc, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorRegister(NULL, desc));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorRegister(self->stream, NULL));

	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorRegister(self->stream, desc));
	OK(aclrtAllocatorSetObjToDesc(desc, self));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorRegister(self->stream, desc));
	OK(aclrtAllocatorSetAllocFuncToDesc(desc, fake_alloc));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorRegister(self->stream, desc));
	OK(aclrtAllocatorSetFreeFuncToDesc(desc, fake_free));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorRegister(self->stream, desc));
	OK(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, fake_addr));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorRegister((void *)1, desc));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtAllocatorGetByStream(self->stream, &found, NULL, NULL,
					     NULL, NULL, NULL));
	OK(aclrtAllocatorRegister(self->stream, desc));
	OK(aclrtAllocatorSetAllocAdviseFuncToDesc(desc, fake_advise));
	OK(aclrtAllocatorGetByStream(self->stream, &found, &object, &alloc,
				     &release, &advise, &get));
	EXPECT_EQ(desc, found);
	EXPECT_EQ((void *)self, object);
	EXPECT_TRUE(alloc == fake_alloc && release == fake_free &&
		    get == fake_addr && !advise);

	OK(aclrtAllocatorRegister(self->stream, desc));
	OK(aclrtAllocatorDestroyDesc(desc));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorDestroyDesc(desc));
	OK(aclrtAllocatorGetByStream(self->stream, &found, NULL, NULL, NULL,
				     &advise, NULL));
	EXPECT_TRUE(advise == fake_advise);
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtAllocatorGetByStream(NULL, &found, NULL, NULL, NULL,
					     NULL, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtAllocatorGetByStream(self->stream, NULL, NULL, NULL,
					     NULL, NULL, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtAllocatorUnregister(NULL));
	OK(aclrtAllocatorUnregister(self->stream));
	OK(aclrtAllocatorUnregister(self->stream));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtAllocatorGetByStream(self->stream, &found, NULL, NULL,
					     NULL, NULL, NULL));
}

TEST_HARNESS_MAIN
