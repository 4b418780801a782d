// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host and virtual memory: its own physical memory, and its rights at the
 * addresses of mapped memory.
 */
#include "acl-test.h"

#include <sys/uio.h>

#include "host_quota.h"

#define ADDRESSES	(8 * HUGE_SIZE)

FIXTURE(vmm_host) {
	size_t free_before;
	char *va;
	aclrtPhysicalMemProp prop;
};

FIXTURE_SETUP(vmm_host)
{
	void *va;

	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	self->prop.memAttr = ACL_MEM_HUGE;
	self->prop.location.type = ACL_MEM_LOCATION_TYPE_HOST;
	OK(aclrtReserveMemAddress(&va, ADDRESSES, 0, NULL, 0));
	self->va = va;
}

FIXTURE_TEARDOWN(vmm_host)
{
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

static aclError grant(void *va, aclrtMemLocationType type,
		      aclrtMemAccessFlags flags)
{
	aclrtMemAccessDesc desc = {
		.flags = flags,
		.location = { 0, type },
	};

	return aclrtMemSetAccess(va, HUGE_SIZE, &desc, 1);
}

static aclError grant_host(void *va, aclrtMemAccessFlags flags)
{
	return grant(va, ACL_MEM_LOCATION_TYPE_HOST, flags);
}

static uint64_t granted(void *va, aclrtMemLocationType type)
{
	aclrtMemLocation location = { 0, type };
	uint64_t flag = 99;

	return aclrtMemGetAccess(va, &location, &flag) ? 99 : flag;
}

TEST_F(vmm_host, properties)
{
	static const aclrtMemAttr good[] = {
		ACL_MEM_NORMAL, ACL_MEM_HUGE, ACL_MEM_P2P_NORMAL,
		ACL_MEM_P2P_HUGE, ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL,
		ACL_DDR_MEM_P2P_HUGE, ACL_DDR_MEM_P2P_NORMAL,
	}, bad[] = {
		ACL_DDR_MEM, ACL_HBM_MEM, ACL_HBM_MEM_HUGE, ACL_HBM_MEM_NORMAL,
		ACL_HBM_MEM_HUGE1G, ACL_MEM_HUGE1G, ACL_MEM_P2P_HUGE1G,
		(aclrtMemAttr)99,
	};
	static const aclrtMemLocationType types[] = {
		ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_HOST_NUMA,
	};
	aclrtPhysicalMemProp *prop = &self->prop, got;
	aclrtDrvMemHandle handle;
	size_t bytes, i, j;

	for (j = 0; j < ARRAY_SIZE(types); j++) {
		prop->location.type = types[j];
		for (i = 0; i < ARRAY_SIZE(good); i++) {
			prop->memAttr = good[i];
			bytes = 0;
			OK(aclrtMemGetAllocationGranularity(prop,
				ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes));
			EXPECT_EQ(HUGE_SIZE, bytes);
			OK(aclrtMallocPhysical(&handle, 1, prop, 0));
			memset(&got, 0xff, sizeof(got));
			OK(aclrtMemGetAllocationPropertiesFromHandle(handle,
								     &got));
			EXPECT_EQ(0, memcmp(prop, &got, sizeof(got)));
			OK(aclrtFreePhysical(handle));
			EXPECT_ACL(BAD_HANDLE, aclrtFreePhysical(handle));
		}
		for (i = 0; i < ARRAY_SIZE(bad); i++) {
			prop->memAttr = bad[i];
			EXPECT_ACL(NULL_OR_ZERO,
				   aclrtMemGetAllocationGranularity(prop,
					ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
					&bytes));
			EXPECT_ACL(NULL_OR_ZERO,
				   aclrtMallocPhysical(&handle, 1, prop, 0));
		}
	}
}

TEST_F(vmm_host, malloc_refused)
{
	aclrtPhysicalMemProp *prop = &self->prop;
	aclrtDrvMemHandle handle;
	uint64_t number;
	int error;

	EXPECT_ACL(NULL_OR_ZERO, aclrtMallocPhysical(&handle, 0, prop, 0));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtMallocPhysical(&handle, SIZE_MAX, prop, 0));
	EXPECT_ACL(OUT_OF_MEMORY,
		   aclrtMallocPhysical(&handle, (size_t)1 << 45, prop, 0));
	prop->location.type = ACL_MEM_LOCATION_TYPE_HOST_NUMA;
	prop->location.id = 63;
	EXPECT_ACL(BAD_VALUE, aclrtMallocPhysical(&handle, 1, prop, 0));
	prop->location.id = UINT32_MAX;
	EXPECT_ACL(BAD_VALUE, aclrtMallocPhysical(&handle, 1, prop, 0));
	prop->location.id = 0;
	OK(aclrtMallocPhysical(&handle, 1, prop, 0));

	/* CANN shares memory of devices only. */
	error = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
	EXPECT_ACL(error, aclrtMemExportToShareableHandle(handle,
				ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
	EXPECT_ACL(error, aclrtMemExportToShareableHandleV2(handle, 0,
				ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &number));
	OK(aclrtFreePhysical(handle));
	EXPECT_ACL(BAD_HANDLE, aclrtMemExportToShareableHandle(handle,
				ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
}

/* Run without privileges: the limit is the driver's, for all host memory. */
static int over_quota(void)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_MEM_HUGE,
		.location = { 0, ACL_MEM_LOCATION_TYPE_HOST },
	};
	aclrtDrvMemHandle handle;
	uint32_t count;
	void *p;

	if (setresuid(65534, 65534, 65534))
		return 1;
	if (aclrtGetDeviceCount(&count) || aclrtSetDevice(0))
		return 2;
	if (aclrtMallocPhysical(&handle, HUGE_SIZE, &prop, 0))
		return 3;
	if (aclrtMallocHost(&p, 1) != OUT_OF_MEMORY)
		return 4;
	if (aclrtMallocPhysical(&handle, 1, &prop, 0) != OUT_OF_MEMORY ||
	    !strstr(recent(), "host_quota"))
		return 5;
	return aclrtFreePhysical(handle) || aclrtMallocHost(&p, MIB) ? 6 : 0;
}

/* A separate program, since this one has opened the device. */
static int run_over_quota(void)
{
	execl("/proc/self/exe", "vmm_host", "over-quota", NULL);
	return 100;
}

TEST_F(vmm_host, quota)
{
	if (!host_quota_get())
		SKIP(return, "no " HOST_QUOTA);
	EXPECT_EQ(0, with_host_quota(2 * MIB, run_over_quota));
}

TEST_F(vmm_host, map_and_use)
{
	aclrtDrvMemHandle handle, again;
	aclrtPtrAttributes attributes;
	void *dev = NULL, *host, *base;
	char *at = self->va + HUGE_SIZE;
	size_t size, i;

	OK(aclrtMallocPhysical(&handle, HUGE_SIZE, &self->prop, 0));
	EXPECT_EQ(self->free_before, free_bytes());
	OK(aclrtMapMem(at, HUGE_SIZE, 0, handle, 0));
	OK(aclrtMemRetainAllocationHandle(at, &again));
	EXPECT_EQ(handle, again);
	OK(aclrtFreePhysical(handle));
	OK(aclrtFreePhysical(handle));

	/*
	 * The host has access from the start: by load, store and system call.
	 */
	EXPECT_TRUE(is_all(at, 0, HUGE_SIZE));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
		  granted(at, ACL_MEM_LOCATION_TYPE_HOST));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
		  granted(at, ACL_MEM_LOCATION_TYPE_DEVICE));
	for (i = 0; i < HUGE_SIZE; i++)
		at[i] = i * 7;
	OK(aclrtPointerGetAttributes(at, &attributes));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_HOST, attributes.location.type);
	OK(aclrtMemGetAddressRange(at + 5, &base, &size));
	EXPECT_EQ((void *)at, base);
	EXPECT_EQ(HUGE_SIZE, size);

	/*
	 * So have engines: copies to a device and back, to the host and back.
	 */
	OK(aclrtMalloc(&dev, HUGE_SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemcpy(dev, HUGE_SIZE, at, HUGE_SIZE,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemset(at, HUGE_SIZE, 0x3c, HUGE_SIZE));
	EXPECT_TRUE(is_all(at, 0x3c, HUGE_SIZE));
	OK(aclrtMemcpy(at, HUGE_SIZE, dev, HUGE_SIZE,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	for (i = 0; i < HUGE_SIZE && at[i] == (char)(i * 7); i++)
		;
	EXPECT_EQ(HUGE_SIZE, i);
	OK(aclrtMallocHost(&host, HUGE_SIZE));
	memset(host, 0x4d, HUGE_SIZE);
	OK(aclrtMemcpy(at, HUGE_SIZE, host, HUGE_SIZE,
		       ACL_MEMCPY_HOST_TO_HOST));
	EXPECT_TRUE(is_all(at, 0x4d, HUGE_SIZE));
	OK(aclrtFreeHost(host));

	/* It is neither aclrtMalloc()'s nor aclrtMallocHost()'s. */
	EXPECT_ACL(BAD_VALUE, aclrtFree(at));
	EXPECT_ACL(BAD_VALUE, aclrtFreeHost(at));
	OK(aclrtUnmapMem(at));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)at));
	EXPECT_ACL(BAD_HANDLE, aclrtFreePhysical(handle));
}

/* Next to each other in one reservation, as in an offloading cache. */
TEST_F(vmm_host, beside_device_memory)
{
	aclrtPhysicalMemProp on_device = {
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { 0, ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtDrvMemHandle host, device;
	char *next = self->va + HUGE_SIZE;

	OK(aclrtMallocPhysical(&host, HUGE_SIZE, &self->prop, 0));
	OK(aclrtMallocPhysical(&device, HUGE_SIZE, &on_device, 0));
	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, host, 0));
	OK(aclrtMapMem(next, HUGE_SIZE, 0, device, 0));
	OK(aclrtMemset(next, HUGE_SIZE, 0x5e, HUGE_SIZE));
	OK(aclrtMemcpy(self->va, HUGE_SIZE, next, HUGE_SIZE,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_TRUE(is_all(self->va, 0x5e, HUGE_SIZE));

	/*
	 * A copy that begins in host memory is done by the host, which has no
	 * access to the rest.
	 */
	EXPECT_ACL(ACL_ERROR_RT_NO_PERMISSION,
		   aclrtMemset(self->va, 2 * HUGE_SIZE, 0, 2 * HUGE_SIZE));
	EXPECT_TRUE(is_all(self->va, 0x5e, HUGE_SIZE));

	/*
	 * The window is accessible to the host now, the device's memory is not.
	 */
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)next));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_NONE,
		  granted(next, ACL_MEM_LOCATION_TYPE_HOST));

	/* Its reset frees both. */
	OK(aclrtResetDevice(0));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)self->va));
	EXPECT_ACL(BAD_HANDLE, aclrtFreePhysical(host));
	OK(aclrtSetDevice(0));
}

/* The host's rights to its own memory can be removed. */
TEST_F(vmm_host, own_memory_refused)
{
	aclrtDrvMemHandle handle;
	char byte = 1;

	OK(aclrtMallocPhysical(&handle, HUGE_SIZE, &self->prop, 0));
	OK(aclrtMemMapNoAccess(self->va, HUGE_SIZE, 0, handle, 0));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)self->va));
	EXPECT_ACL(ACL_ERROR_RT_NO_PERMISSION,
		   aclrtMemset(self->va, 1, 0, 1));

	OK(grant_host(self->va, ACL_RT_MEM_ACCESS_FLAGS_READ));
	EXPECT_EQ(0, touch_read((uintptr_t)self->va));
	EXPECT_EQ(SIGSEGV, touch_write((uintptr_t)self->va, 1));
	/* A copy between host memories is done by the host. */
	OK(aclrtMemcpy(&byte, 1, self->va, 1, ACL_MEMCPY_DEFAULT));
	EXPECT_EQ(0, byte);
	EXPECT_ACL(ACL_ERROR_RT_NO_PERMISSION,
		   aclrtMemcpy(self->va, 1, &byte, 1, ACL_MEMCPY_DEFAULT));

	OK(grant_host(self->va, ACL_RT_MEM_ACCESS_FLAGS_READWRITE));
	EXPECT_EQ(0, touch_write((uintptr_t)self->va, 0x11));
	OK(grant_host(self->va, ACL_RT_MEM_ACCESS_FLAGS_NONE));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)self->va));
	OK(aclrtUnmapMem(self->va));
	OK(aclrtFreePhysical(handle));
}

/* Return the bytes that the kernel could read at @from. */
static ssize_t pipe_through(const struct iovec *from, const struct iovec *to)
{
	ssize_t got = -1;
	int fd[2];

	if (pipe(fd))
		return -1;
	if (writev(fd[1], from, 1) == (ssize_t)from->iov_len)
		got = readv(fd[0], to, 1);
	close(fd[0]);
	close(fd[1]);
	return got;
}

TEST_F(vmm_host, grant_for_device_memory)
{
	aclrtDrvMemHandle handle;
	struct iovec to = { .iov_len = PAGE_SIZE }, from;
	char back[PAGE_SIZE], *at = self->va;
	uintptr_t addr = (uintptr_t)at;
	size_t i;

	self->prop.memAttr = ACL_HBM_MEM_HUGE;
	self->prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	OK(aclrtMallocPhysical(&handle, HUGE_SIZE, &self->prop, 0));
	OK(aclrtMapMem(at, HUGE_SIZE, 0, handle, 0));
	OK(aclrtMemset(at, HUGE_SIZE, 0x21, HUGE_SIZE));
	EXPECT_EQ(SIGSEGV, touch_read(addr));

	OK(grant_host(at, ACL_RT_MEM_ACCESS_FLAGS_READ));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_READ,
		  granted(at, ACL_MEM_LOCATION_TYPE_HOST));
	EXPECT_TRUE(is_all(at, 0x21, HUGE_SIZE));
	for (i = 0; i < HUGE_SIZE; i += 31 * PAGE_SIZE)
		EXPECT_EQ(SIGSEGV, touch_write(addr + i, 1));
	OK(aclrtMemset(at, HUGE_SIZE, 0x22, HUGE_SIZE));
	EXPECT_TRUE(is_all(at, 0x22, HUGE_SIZE));

	/* Each reads the other's data. */
	OK(grant_host(at, ACL_RT_MEM_ACCESS_FLAGS_READWRITE));
	memset(at + HUGE_SIZE / 2, 0x23, PAGE_SIZE);
	OK(aclrtMemcpy(back, PAGE_SIZE, at + HUGE_SIZE / 2, PAGE_SIZE,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_TRUE(is_all(back, 0x23, PAGE_SIZE));

	/*
	 * A system call is an access of the host, and needs no right of a
	 * device.
	 */
	OK(grant(at, ACL_MEM_LOCATION_TYPE_DEVICE,
		 ACL_RT_MEM_ACCESS_FLAGS_NONE));
	to.iov_base = back;
	from = (struct iovec){ at, PAGE_SIZE };
	i = pipe_through(&from, &to);
	EXPECT_EQ(PAGE_SIZE, i);
	EXPECT_TRUE(is_all(back, 0x22, PAGE_SIZE));

	OK(grant_host(at, ACL_RT_MEM_ACCESS_FLAGS_READ));
	EXPECT_EQ(0, touch_read(addr));
	EXPECT_EQ(SIGSEGV, touch_write(addr, 1));
	EXPECT_EQ(SIGSEGV, touch_write(addr + HUGE_SIZE / 2, 1));

	/* The rights belong to the mapping, not to the memory. */
	OK(aclrtUnmapMem(at));
	EXPECT_EQ(SIGSEGV, touch_read(addr));
	OK(aclrtMapMem(at, HUGE_SIZE, 0, handle, 0));
	EXPECT_EQ(SIGSEGV, touch_read(addr));
	EXPECT_EQ(ACL_RT_MEM_ACCESS_FLAGS_NONE,
		  granted(at, ACL_MEM_LOCATION_TYPE_HOST));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "over-quota"))
		return over_quota();
	return test_harness_run(argc, argv);
}
