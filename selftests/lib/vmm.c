// SPDX-License-Identifier: GPL-2.0-only
/*
 * Physical memory that is mapped to reserved addresses: its use, access rights,
 * and lifetime.
 */
#include "vmm.h"

/* CANN's driver has no code of its own for this. */
#define NOT_MAPPED	ACL_ERROR_RT_DRV_INTERNAL_ERROR

static bool holds(const void *p, int value)
{
	uint8_t back[256];

	return !aclrtMemcpy(back, sizeof(back), p, sizeof(back),
			    ACL_MEMCPY_DEFAULT) &&
	       is_all(back, value, sizeof(back));
}

TEST_F(vmm, map_and_use)
{
	char *at = self->va + HUGE_SIZE;
	size_t size;
	void *base;

	OK(aclrtMapMem(at, HUGE_SIZE, 0, self->handle, 0));
	OK(aclrtMemset(at, HUGE_SIZE, 0x5a, HUGE_SIZE));
	EXPECT_TRUE(holds(at + HUGE_SIZE - 256, 0x5a));
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(at + HUGE_SIZE - 1, 2, 0, 2));
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(self->va, 1, 0, 1));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)at));

	OK(aclrtMemGetAddressRange(at + 12345, &base, &size));
	EXPECT_EQ((void *)at, base);
	EXPECT_EQ(HUGE_SIZE, size);

	/* It is not aclrtMalloc()'s. */
	EXPECT_ACL(BAD_VALUE, aclrtFree(at));
	EXPECT_TRUE(holds(at, 0x5a));

	EXPECT_ACL(NULL_OR_ZERO, aclrtUnmapMem(NULL));
	EXPECT_ACL(NOT_MAPPED, aclrtUnmapMem(at + HUGE_SIZE));
	EXPECT_ACL(NOT_MAPPED, aclrtUnmapMem(at + PAGE_SIZE));
	EXPECT_ACL(NOT_MAPPED, aclrtUnmapMem(&base));
	OK(aclrtUnmapMem(at));
	EXPECT_ACL(NOT_MAPPED, aclrtUnmapMem(at));
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(at, 1, 0, 1));

	/* The memory keeps its contents from mapping to mapping. */
	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, self->handle, 0));
	EXPECT_TRUE(holds(self->va, 0x5a));
}

static aclError (*const map_calls[])(void *, size_t, size_t, aclrtDrvMemHandle,
				     uint64_t) = {
	aclrtMapMem, aclrtMemMapNoAccess,
};

TEST_F(vmm, map_refused)
{
	aclrtDrvMemHandle h = self->handle, large;
	char *end = self->va + ADDRESSES;
	void *block;
	size_t i;

	OK(aclrtMallocPhysical(&large, 2 * HUGE_SIZE, &self->prop, 0));
	OK(aclrtMalloc(&block, HUGE_SIZE, ACL_MEM_MALLOC_HUGE_ONLY));
	for (i = 0; i < ARRAY_SIZE(map_calls); i++) {
		aclError (*map)(void *, size_t, size_t, aclrtDrvMemHandle,
				uint64_t) = map_calls[i];

		EXPECT_ACL(NULL_OR_ZERO, map(NULL, HUGE_SIZE, 0, h, 0));
		EXPECT_ACL(NULL_OR_ZERO, map(self->va, 0, 0, h, 0));
		EXPECT_ACL(NULL_OR_ZERO, map(self->va, HUGE_SIZE, 0, NULL, 0));
		EXPECT_ACL(NULL_OR_ZERO, map(self->va, HUGE_SIZE, 0, h, 1));
		EXPECT_ACL(BAD_VALUE,
			   map(self->va, HUGE_SIZE, HUGE_SIZE, h, 0));
		EXPECT_ACL(BAD_VALUE, map(self->va, PAGE_SIZE, 0, h, 0));
		EXPECT_ACL(BAD_VALUE, map(self->va, HUGE_SIZE, 0, large, 0));
		EXPECT_ACL(BAD_VALUE, map(self->va, 2 * HUGE_SIZE, 0, h, 0));
		EXPECT_ACL(BAD_VALUE,
			   map(self->va + PAGE_SIZE, HUGE_SIZE, 0, h, 0));
		EXPECT_ACL(BAD_VALUE, map(end, HUGE_SIZE, 0, h, 0));
		EXPECT_ACL(BAD_VALUE, map(end - HUGE_SIZE, 2 * HUGE_SIZE, 0,
					  large, 0));
		EXPECT_ACL(BAD_VALUE, map(block, HUGE_SIZE, 0, h, 0));
		EXPECT_ACL(BAD_VALUE,
			   map((void *)HUGE_SIZE, HUGE_SIZE, 0, h, 0));

		OK(map(self->va, HUGE_SIZE, 0, h, 0));
		EXPECT_ACL(BAD_VALUE, map(self->va, HUGE_SIZE, 0, h, 0));
		OK(aclrtUnmapMem(self->va));
	}
}

/* As a growing tensor or a key-value cache uses it. */
TEST_F(vmm, many_maps_in_one_reservation)
{
	aclrtDrvMemHandle handle[8];
	void *copy = NULL;
	int i, round;

	OK(aclrtMalloc(&copy, 8 * HUGE_SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 8; i++) {
			char *at = self->va + i * HUGE_SIZE;

			OK(aclrtMallocPhysical(&handle[i], HUGE_SIZE,
					       &self->prop, 0));
			OK(aclrtMapMem(at, HUGE_SIZE, 0, handle[i], 0));
			OK(aclrtMemset(at, HUGE_SIZE, 16 * round + i,
				       HUGE_SIZE));
		}
		EXPECT_ACL(BAD_VALUE, aclrtReleaseMemAddress(self->va));

		/* A copy crosses the borders. */
		OK(aclrtMemcpy(copy, 8 * HUGE_SIZE, self->va, 8 * HUGE_SIZE,
			       ACL_MEMCPY_DEVICE_TO_DEVICE));
		for (i = 0; i < 8; i++)
			EXPECT_TRUE(holds((char *)copy + i * HUGE_SIZE,
					  16 * round + i));
		for (i = 7; i >= 0; i--) {
			OK(aclrtUnmapMem(self->va + i * HUGE_SIZE));
			OK(aclrtFreePhysical(handle[i]));
		}
	}
	OK(aclrtReleaseMemAddress(self->va));
}

TEST_F(vmm, one_memory_in_many_places)
{
	int i;

	for (i = 0; i < 8; i++)
		OK(aclrtMapMem(self->va + i * HUGE_SIZE, HUGE_SIZE, 0,
			       self->handle, 0));
	EXPECT_EQ(self->free_before - HUGE_SIZE, free_bytes());
	OK(aclrtMemset(self->va + 3 * HUGE_SIZE, 256, 0x33, 256));
	for (i = 0; i < 8; i++)
		EXPECT_TRUE(holds(self->va + i * HUGE_SIZE, 0x33));
}

/* The memory is freed with the last of handle, references and mappings. */
TEST_F(vmm, references)
{
	aclrtDrvMemHandle again;
	size_t held = self->free_before - HUGE_SIZE;
	int i;

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemRetainAllocationHandle(NULL, &again));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMemRetainAllocationHandle(self->va, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemRetainAllocationHandle(self->va, &again));

	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, self->handle, 0));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemRetainAllocationHandle(self->va + 64, &again));
	OK(aclrtMemset(self->va, 256, 0x44, 256));
	for (i = 0; i < 3; i++) {
		OK(aclrtMemRetainAllocationHandle(self->va, &again));
		EXPECT_EQ(self->handle, again);
	}
	for (i = 0; i < 4; i++)
		OK(aclrtFreePhysical(self->handle));
	EXPECT_ACL(BAD_HANDLE, aclrtFreePhysical(self->handle));
	EXPECT_ACL(BAD_HANDLE, aclrtMapMem(self->va + HUGE_SIZE, HUGE_SIZE, 0,
					   self->handle, 0));

	/* Only the mapping keeps it now, and returns the handle. */
	EXPECT_EQ(held, free_bytes());
	EXPECT_TRUE(holds(self->va, 0x44));
	OK(aclrtMemRetainAllocationHandle(self->va, &again));
	OK(aclrtUnmapMem(self->va));
	EXPECT_EQ(held, free_bytes());
	OK(aclrtFreePhysical(again));
	EXPECT_EQ(self->free_before, free_bytes());
	EXPECT_ACL(BAD_HANDLE, aclrtFreePhysical(again));

	/* In the other order. */
	OK(aclrtMallocPhysical(&again, HUGE_SIZE, &self->prop, 0));
	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, again, 0));
	OK(aclrtFreePhysical(again));
	EXPECT_EQ(held, free_bytes());
	OK(aclrtUnmapMem(self->va));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(vmm, access)
{
	aclrtMemAccessDesc desc[2] = {
		{ .flags = ACL_RT_MEM_ACCESS_FLAGS_READ,
		  .location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE } },
		{ .flags = ACL_RT_MEM_ACCESS_FLAGS_NONE,
		  .location = { 0, ACL_MEM_LOCATION_TYPE_HOST } },
	};
	aclrtMemLocation device = desc[0].location, host = desc[1].location;
	uint64_t flag = 99;
	uint8_t byte;

	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, self->handle, 0));
	OK(aclrtMemset(self->va, 256, 0x55, 256));
	OK(aclrtMemGetAccess(self->va, &device, &flag));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_READWRITE, flag);
	OK(aclrtMemGetAccess(self->va, &host, &flag));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_NONE, flag);

	OK(aclrtMemSetAccess(self->va, HUGE_SIZE, desc, 2));
	OK(aclrtMemGetAccess(self->va, &device, &flag));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_READ, flag);
	EXPECT_ACL(ACL_ERROR_RT_NO_PERMISSION,
		   aclrtMemset(self->va, 256, 0, 256));
	EXPECT_TRUE(holds(self->va, 0x55));

	desc[0].flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
	OK(aclrtMemSetAccess(self->va, HUGE_SIZE, desc, 1));
	EXPECT_ACL(ACL_ERROR_RT_NO_PERMISSION,
		   aclrtMemcpy(&byte, 1, self->va, 1, ACL_MEMCPY_DEFAULT));
	desc[0].flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
	OK(aclrtMemSetAccess(self->va, HUGE_SIZE, desc, 1));
	EXPECT_TRUE(holds(self->va, 0x55));
}

TEST_F(vmm, map_no_access)
{
	aclrtMemAccessDesc desc = {
		.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
		.location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtDrvMemHandle second;
	uint64_t flag = 99;

	OK(aclrtMemMapNoAccess(self->va, HUGE_SIZE, 0, self->handle, 0));
	OK(aclrtMemGetAccess(self->va, &desc.location, &flag));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_NONE, flag);
	EXPECT_ACL(ACL_ERROR_RT_NO_PERMISSION,
		   aclrtMemset(self->va, 256, 0, 256));

	/* Two adjacent mappings are granted together. */
	OK(aclrtMallocPhysical(&second, 2 * HUGE_SIZE, &self->prop, 0));
	OK(aclrtMemMapNoAccess(self->va + HUGE_SIZE, 2 * HUGE_SIZE, 0, second,
			       0));
	OK(aclrtMemSetAccess(self->va, 3 * HUGE_SIZE, &desc, 1));
	OK(aclrtMemset(self->va, 3 * HUGE_SIZE, 0x66, 3 * HUGE_SIZE));
	EXPECT_TRUE(holds(self->va, 0x66));
}

TEST_F(vmm, access_refused)
{
	const aclrtMemAccessDesc good = {
		.flags = ACL_RT_MEM_ACCESS_FLAGS_READ,
		.location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtMemAccessDesc desc = good, both[2] = { good, good };
	aclrtMemLocation where = good.location;
	uint64_t flag = 99;

	EXPECT_ACL(BAD_VALUE, aclrtMemSetAccess(self->va, HUGE_SIZE, &desc, 1));
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAccess(self->va, &where, &flag));
	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, self->handle, 0));

	EXPECT_ACL(BAD_VALUE, aclrtMemSetAccess(NULL, HUGE_SIZE, &desc, 1));
	EXPECT_ACL(BAD_VALUE, aclrtMemSetAccess(self->va, 0, &desc, 1));
	EXPECT_ACL(BAD_VALUE, aclrtMemSetAccess(self->va, HUGE_SIZE, NULL, 1));
	EXPECT_ACL(BAD_VALUE, aclrtMemSetAccess(self->va, HUGE_SIZE, &desc, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemSetAccess(self->va, PAGE_SIZE, &desc, 1));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemSetAccess(self->va, 2 * HUGE_SIZE, &desc, 1));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemSetAccess(self->va, SIZE_MAX, &desc, 1));
	EXPECT_ACL(BAD_VALUE,
		   aclrtMemSetAccess(self->va + 64, HUGE_SIZE, &desc, 1));

	desc.flags = (aclrtMemAccessFlags)2;
	EXPECT_ACL(BAD_VALUE, aclrtMemSetAccess(self->va, HUGE_SIZE, &desc, 1));
	desc = good;
	desc.location.type = ACL_MEM_LOCATION_TYPE_MANAGED;
	EXPECT_ACL(BAD_VALUE, aclrtMemSetAccess(self->va, HUGE_SIZE, &desc, 1));
	desc.location.type = ACL_MEM_LOCATION_TYPE_HOST_NUMA;
	EXPECT_ACL(BAD_VALUE, aclrtMemSetAccess(self->va, HUGE_SIZE, &desc, 1));

	/* If one is wrong, none is applied. */
	both[1].location.id = 64;
	EXPECT_ACL(BAD_DEVICE,
		   aclrtMemSetAccess(self->va, HUGE_SIZE, both, 2));

	EXPECT_ACL(NULL_OR_ZERO, aclrtMemGetAccess(NULL, &where, &flag));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemGetAccess(self->va, NULL, &flag));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemGetAccess(self->va, &where, NULL));
	where.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAccess(self->va, &where, &flag));
	where = good.location;
	where.id = 64;
	EXPECT_ACL(BAD_DEVICE, aclrtMemGetAccess(self->va, &where, &flag));
	where.id = 0;
	OK(aclrtMemGetAccess(self->va, &where, &flag));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_READWRITE, flag);
}

/* Rights are for one device, and so is its memory. */
TEST_F(vmm, second_device)
{
	aclrtMemAccessDesc desc = {
		.flags = ACL_RT_MEM_ACCESS_FLAGS_READ,
		.location = { 1, ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtDrvMemHandle other;
	uint64_t flag;

	if (device_count() < 2)
		SKIP(return, "needs two devices");
	self->prop.location.id = 1;
	OK(aclrtMallocPhysical(&other, HUGE_SIZE, &self->prop, 0));
	EXPECT_EQ(self->free_before - HUGE_SIZE, free_bytes());
	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, other, 0));
	OK(aclrtMapMem(self->va + HUGE_SIZE, HUGE_SIZE, 0, self->handle, 0));
	OK(aclrtMemset(self->va, 2 * HUGE_SIZE, 0x77, 2 * HUGE_SIZE));

	OK(aclrtMemSetAccess(self->va, HUGE_SIZE, &desc, 1));
	OK(aclrtMemGetAccess(self->va, &desc.location, &flag));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_READ, flag);
	desc.location.id = 0;
	OK(aclrtMemGetAccess(self->va, &desc.location, &flag));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_READWRITE, flag);
	OK(aclrtMemP2PMap(self->va, HUGE_SIZE, 0, 0));

	/* The reset of a device frees its own memory only. */
	OK(aclrtSetDevice(1));
	OK(aclrtResetDevice(1));
	OK(aclrtSetDevice(0));
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(self->va, 1, 0, 1));
	EXPECT_ACL(BAD_HANDLE, aclrtFreePhysical(other));
	EXPECT_TRUE(holds(self->va + HUGE_SIZE, 0x77));
}

TEST_F(vmm, reset_frees_all)
{
	void *second;

	OK(aclrtReserveMemAddress(&second, HUGE_SIZE, 0, NULL, 0));
	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, self->handle, 0));
	OK(aclrtMapMem(second, HUGE_SIZE, 0, self->handle, 0));
	OK(aclrtMapMem(self->va + HUGE_SIZE, HUGE_SIZE, 0, self->handle, 0));
	OK(aclrtResetDevice(0));

	EXPECT_ACL(BAD_HANDLE, aclrtFreePhysical(self->handle));
	EXPECT_ACL(NOT_MAPPED, aclrtUnmapMem(self->va));
	EXPECT_ACL(BAD_VALUE, aclrtReleaseMemAddress(self->va));
	EXPECT_ACL(NO_CONTEXT, aclrtReserveMemAddress(&second, 1, 0, NULL, 0));
	EXPECT_ACL(NO_CONTEXT,
		   aclrtMallocPhysical(&self->handle, 1, &self->prop, 0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(vmm, address_range)
{
	void *block, *host, *base = NULL;
	size_t size = 0;

	OK(aclrtMalloc(&block, 10000, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMallocHost(&host, 5000));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemGetAddressRange(NULL, &base, &size));
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAddressRange(block, NULL, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAddressRange(&base, &base, &size));
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAddressRange(self->va, &base, &size));

	OK(aclrtMemGetAddressRange((char *)block + 9999, &base, NULL));
	EXPECT_EQ(block, base);
	OK(aclrtMemGetAddressRange(block, NULL, &size));
	EXPECT_LE(10000, size);
	OK(aclrtMemGetAddressRange((char *)host + 4999, &base, &size));
	EXPECT_EQ(host, base);
	EXPECT_EQ(5000, size);
	EXPECT_ACL(BAD_VALUE, aclrtMemGetAddressRange((char *)host + 5000,
						      &base, &size));
	OK(aclrtFreeHost(host));
}

TEST_F(vmm, p2p_map)
{
	void *block;

	OK(aclrtMalloc(&block, HUGE_SIZE - 64, ACL_MEM_MALLOC_HUGE_ONLY_P2P));
	OK(aclrtMemP2PMap(block, HUGE_SIZE, 0, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemP2PMap(NULL, 1, 0, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemP2PMap(block, 0, 0, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemP2PMap(block, 1, 0, 1));
	EXPECT_ACL(BAD_DEVICE, aclrtMemP2PMap(block, 1, 64, 0));
	EXPECT_ACL(BAD_DEVICE, aclrtMemP2PMap(block, 1, -1, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemP2PMap(block, HUGE_SIZE + 1, 0, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemP2PMap(self->va, 1, 0, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemP2PMap(&block, 1, 0, 0));
}

/* Map, use, unmap in one part of a reservation that all threads share. */
static void *churn(void *arg)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtDrvMemHandle handle, again;
	intptr_t wrong = 0;
	int i;

	if (aclrtSetDevice(0))
		return (void *)1;
	for (i = 0; i < 50; i++) {
		wrong += aclrtMallocPhysical(&handle, 1, &prop, 0) != 0;
		wrong += aclrtMapMem(arg, HUGE_SIZE, 0, handle, 0) != 0;
		wrong += aclrtMemRetainAllocationHandle(arg, &again) != 0;
		wrong += aclrtFreePhysical(handle) != 0;
		wrong += aclrtMemset(arg, 256, i, 256) != 0;
		wrong += !holds(arg, i);
		wrong += aclrtUnmapMem(arg) != 0;
		wrong += aclrtFreePhysical(again) != 0;
		wrong += aclrtFreePhysical(again) != BAD_HANDLE;
	}
	return (void *)wrong;
}

TEST_F_TIMEOUT(vmm, threads, 120)
{
	pthread_t thread[4];
	void *wrong;
	int i;

	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, churn,
					    self->va + i * HUGE_SIZE));
	for (i = 0; i < 4; i++) {
		pthread_join(thread[i], &wrong);
		EXPECT_EQ(NULL, wrong);
	}
}

static int child_calls(char *va, aclrtDrvMemHandle handle)
{
	void *p;

	return aclrtFreePhysical(handle) != ACL_ERROR_RT_NO_PERMISSION ||
	       aclrtUnmapMem(va) != ACL_ERROR_RT_NO_PERMISSION ||
	       aclrtReleaseMemAddress(va) != ACL_ERROR_RT_NO_PERMISSION ||
	       !aclrtMapMem(va, HUGE_SIZE, 0, handle, 0) ||
	       !aclrtMemRetainAllocationHandle(va, &p) ||
	       !aclrtReserveMemAddress(&p, 1, 0, NULL, 0);
}

TEST_F(vmm, forked_child_has_none)
{
	pid_t pid;

	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, self->handle, 0));
	OK(aclrtMemset(self->va, 256, 0x12, 256));
	fflush(stdout);
	pid = fork_bound();
	if (!pid)
		_exit(child_calls(self->va, self->handle));
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_TRUE(holds(self->va, 0x12));
	OK(aclrtUnmapMem(self->va));
}

TEST_HARNESS_MAIN
