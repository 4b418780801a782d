// SPDX-License-Identifier: GPL-2.0-only
/* Dma-bufs that programs export and import. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <linux/dma-heap.h>

#include "acl-test.h"
#include "vgem.h"
#include "vnpu.h"

#define HEAP_SIZE	(24 * KIB)

FIXTURE(dmabuf) {
	size_t free_before;
	aclrtPhysicalMemProp prop;
	aclrtDrvMemHandle handle;
	void *va;	/* addresses for several of them */
	int fd;
};

FIXTURE_SETUP(dmabuf)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	self->prop.memAttr = ACL_HBM_MEM_NORMAL;
	self->prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	OK(aclrtReserveMemAddress(&self->va, 8 * HUGE_SIZE, 0, NULL, 0));
	OK(aclrtMallocPhysical(&self->handle, HUGE_SIZE, &self->prop, 0));
	OK(aclrtMapMem(self->va, HUGE_SIZE, 0, self->handle, 0));
	OK(vnpu_mem_export_dmabuf(self->handle, 0, &self->fd));
}

FIXTURE_TEARDOWN(dmabuf)
{
	close(self->fd);
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(self->free_before, free_bytes());
}

TEST_F(dmabuf, export_refused)
{
	int fd;

	EXPECT_ACL(NULL_OR_ZERO, vnpu_mem_export_dmabuf(NULL, 0, &fd));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_mem_export_dmabuf(self->handle, 0, NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_mem_export_dmabuf(self->handle, 2, &fd));
	EXPECT_ACL(BAD_HANDLE, vnpu_mem_export_dmabuf(self->va, 0, &fd));
	OK(aclrtFreePhysical(self->handle));
	EXPECT_ACL(BAD_HANDLE, vnpu_mem_export_dmabuf(self->handle, 0, &fd));
}

TEST_F(dmabuf, import_refused)
{
	aclrtDrvMemHandle handle;
	size_t size;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	EXPECT_ACL(NULL_OR_ZERO, vnpu_mem_import_dmabuf(self->fd, NULL, &size));
	EXPECT_ACL(NULL_OR_ZERO, vnpu_mem_import_dmabuf(self->fd, &handle,
							NULL));
	EXPECT_ACL(BAD_VALUE, vnpu_mem_import_dmabuf(-1, &handle, &size));
	EXPECT_ACL(BAD_VALUE, vnpu_mem_import_dmabuf(null, &handle, &size));
	close(null);
}

TEST(import_without_context)
{
	aclrtDrvMemHandle handle;
	size_t size;

	EXPECT_ACL(NO_CONTEXT, vnpu_mem_import_dmabuf(0, &handle, &size));
}

/* The host's mapping of memory that it cannot access at its device address. */
TEST_F(dmabuf, map)
{
	uint8_t *p = mmap(NULL, HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			  self->fd, 0);
	uint8_t value;

	ASSERT_NE(MAP_FAILED, (void *)p);
	OK(aclrtMemset(self->va, HUGE_SIZE, 0x31, HUGE_SIZE));
	EXPECT_TRUE(is_all(p, 0x31, HUGE_SIZE));
	p[HUGE_SIZE - 1] = 7;
	OK(aclrtMemcpy(&value, 1, (char *)self->va + HUGE_SIZE - 1, 1,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(7, value);

	/* The mapping alone keeps the memory. */
	OK(aclrtUnmapMem(self->va));
	OK(aclrtFreePhysical(self->handle));
	EXPECT_EQ(0x31, p[0]);
	EXPECT_EQ(self->free_before - HUGE_SIZE, free_bytes());
	munmap(p, HUGE_SIZE);
}

TEST_F(dmabuf, import_our_own)
{
	char *second = (char *)self->va + HUGE_SIZE;
	aclrtPhysicalMemProp prop;
	aclrtDrvMemHandle handle;
	uint8_t value;
	size_t size;
	int fd;

	OK(vnpu_mem_import_dmabuf(self->fd, &handle, &size));
	EXPECT_EQ(HUGE_SIZE, size);
	OK(aclrtMemGetAllocationPropertiesFromHandle(handle, &prop));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_DEVICE, prop.location.type);
	EXPECT_EQ(0, prop.location.id);
	OK(aclrtMapMem(second, size, 0, handle, 0));
	OK(aclrtMemset(self->va, HUGE_SIZE, 0x32, HUGE_SIZE));
	OK(aclrtMemcpy(&value, 1, second, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0x32, value);
	OK(vnpu_mem_export_dmabuf(handle, 0, &fd));
	close(fd);
	EXPECT_EQ(self->free_before - HUGE_SIZE, free_bytes());
}

TEST_F(dmabuf, read_only)
{
	char *second = (char *)self->va + HUGE_SIZE;
	aclrtDrvMemHandle handle;
	uint8_t value;
	size_t size;
	int fd, other;

	OK(vnpu_mem_export_dmabuf(self->handle, VNPU_DMABUF_READ_ONLY, &fd));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, HUGE_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd, 0));
	OK(vnpu_mem_import_dmabuf(fd, &handle, &size));
	OK(aclrtMapMem(second, size, 0, handle, 0));
	OK(aclrtMemset(self->va, HUGE_SIZE, 0x33, HUGE_SIZE));
	OK(aclrtMemcpy(&value, 1, second, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0x33, value);
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(second, HUGE_SIZE, 0, HUGE_SIZE));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   vnpu_mem_export_dmabuf(handle, 0, &other));
	close(fd);
}

TEST_F(dmabuf, import_of_a_heap)
{
	struct dma_heap_allocation_data heap = {
		.len = HEAP_SIZE,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};
	char *second = (char *)self->va + HUGE_SIZE;
	aclrtPhysicalMemProp prop;
	aclrtDrvMemHandle handle;
	uint8_t *p, value = 9;
	size_t size;
	int fd;

	fd = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		SKIP(return, "the kernel has no dma-heap");
	ASSERT_EQ(0, ioctl(fd, DMA_HEAP_IOCTL_ALLOC, &heap));
	close(fd);
	p = mmap(NULL, HEAP_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, heap.fd,
		 0);
	ASSERT_NE(MAP_FAILED, (void *)p);

	OK(vnpu_mem_import_dmabuf(heap.fd, &handle, &size));
	EXPECT_EQ(HEAP_SIZE, size);
	OK(aclrtMemGetAllocationPropertiesFromHandle(handle, &prop));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_HOST, prop.location.type);
	OK(aclrtMapMem(second, size, 0, handle, 0));
	OK(aclrtMemset(self->va, HUGE_SIZE, 0x34, HUGE_SIZE));
	OK(aclrtMemcpy(second, size, self->va, size,
		       ACL_MEMCPY_DEVICE_TO_DEVICE));
	EXPECT_TRUE(is_all(p, 0x34, HEAP_SIZE));
	OK(aclrtMemcpy(second + size - 1, 1, &value, 1,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_EQ(9, p[HEAP_SIZE - 1]);
	EXPECT_NE(ACL_SUCCESS, aclrtMemset(second, size + 1, 0, size + 1));
	OK(aclrtUnmapMem(second));
	OK(aclrtFreePhysical(handle));
	munmap(p, HEAP_SIZE);
	close(heap.fd);
}

static void interrupted(int sig)
{
	(void)sig;
}

/* Another device is using it; signals do not interrupt the wait. */
TEST_F(dmabuf, waits_for_fences)
{
	struct sigaction act = { .sa_handler = interrupted };
	char *second = (char *)self->va + HUGE_SIZE;
	aclrtDrvMemHandle handle;
	uint32_t object, fence;
	uint8_t back[2];
	int vgem, fd;
	size_t size;
	uint64_t start;
	pid_t pid;

	vgem = vgem_open();
	if (vgem < 0)
		SKIP(return, "the kernel has no vgem");
	ASSERT_EQ(0, vgem_create(vgem, MIB, &object));
	fd = vgem_export(vgem, object, DRM_RDWR);
	ASSERT_LE(0, fd);
	OK(vnpu_mem_import_dmabuf(fd, &handle, &size));
	OK(aclrtMapMem(second, size, 0, handle, 0));
	OK(aclrtMemset(second, size, 0x41, size));
	OK(aclrtMemset(self->va, HUGE_SIZE, 0x42, HUGE_SIZE));
	sigaction(SIGALRM, &act, NULL);

	ASSERT_EQ(0, vgem_fence_attach(vgem, object, &fence));
	start = now_ms();
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		usleep(300000);
		_exit(!!vgem_fence_signal(vgem, fence));
	}
	ualarm(20000, 20000);
	OK(aclrtMemcpy(second, size, self->va, size,
		       ACL_MEMCPY_DEVICE_TO_DEVICE));
	ualarm(0, 0);
	EXPECT_LE(250, now_ms() - start);
	EXPECT_EQ(0, child_wait(pid));
	OK(aclrtMemcpy(back, 2, second + size - 2, 2,
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_TRUE(is_all(back, 0x42, 2));

	ASSERT_EQ(0, vgem_fence_attach(vgem, object, &fence));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		usleep(300000);
		_exit(!!vgem_fence_signal(vgem, fence));
	}
	ualarm(20000, 20000);
	OK(aclrtMemset(second, size, 0x43, size));
	ualarm(0, 0);
	EXPECT_EQ(0, child_wait(pid));
	OK(aclrtUnmapMem(second));
	OK(aclrtFreePhysical(handle));
	close(fd);
	close(vgem);
}

TEST_HARNESS_MAIN
