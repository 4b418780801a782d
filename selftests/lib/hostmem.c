// SPDX-License-Identifier: GPL-2.0-only
/* Host memory: allocated by the library, and registered by a program. */
#include "acl-test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "host_quota.h"

#define SIZE	(64 * KIB)

#define REPEATED	ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED
#define NOT_REGISTERED	ACL_ERROR_HOST_MEMORY_NOT_REGISTERED
#define NO_RIGHT	ACL_ERROR_RT_NO_PERMISSION
#define UNSUPPORTED	ACL_ERROR_RT_FEATURE_NOT_SUPPORT

FIXTURE(hostmem) {
	char *p;		/* SIZE bytes, not registered yet */
	size_t free_before;
};

FIXTURE_SETUP(hostmem)
{
	OK(aclrtSetDevice(0));
	self->free_before = free_bytes();
	self->p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->p);
}

FIXTURE_TEARDOWN(hostmem)
{
	munmap(self->p, SIZE);
	EXPECT_EQ(self->free_before, free_bytes());
}

static unsigned int location(const void *ptr)
{
	aclrtPtrAttributes a;

	return aclrtPointerGetAttributes(ptr, &a) ? 99 : a.location.type;
}

/* System calls work on it as on any memory. */
TEST_F(hostmem, allocated_is_ordinary_memory)
{
	struct iovec from = { .iov_len = SIZE }, to = { self->p, SIZE };
	int pipe_fd[2];
	char *h, seen[64];

	OK(aclrtMallocHost((void **)&h, SIZE - 1));
	EXPECT_EQ(0, (uintptr_t)h % PAGE_SIZE);
	EXPECT_TRUE(is_all(h, 0, SIZE - 1));
	memset(h, 0x21, SIZE - 1);
	from.iov_base = h;
	EXPECT_EQ(SIZE, process_vm_readv(getpid(), &to, 1, &from, 1, 0));
	EXPECT_TRUE(is_all(self->p, 0x21, SIZE - 1));
	ASSERT_EQ(0, pipe(pipe_fd));
	from.iov_len = sizeof(seen);
	EXPECT_EQ(sizeof(seen), vmsplice(pipe_fd[1], &from, 1, 0));
	EXPECT_EQ(sizeof(seen), read(pipe_fd[0], seen, sizeof(seen)));
	EXPECT_TRUE(is_all(seen, 0x21, sizeof(seen)));
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	OK(aclrtFreeHost(h));
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)h));
}

/* Run without privileges; the device was opened before they were dropped. */
static int over_quota(void)
{
	uint32_t count;
	void *p;

	if (setresuid(65534, 65534, 65534))
		return 1;
	if (aclrtGetDeviceCount(&count) || aclrtSetDevice(0))
		return 2;
	if (aclrtMallocHost(&p, MIB) != ACL_SUCCESS)
		return 3;
	if (aclrtMallocHost(&p, 1) != OUT_OF_MEMORY)
		return 4;
	return strstr(recent(), "host_quota") ? 0 : 5;
}

/* A separate program, since this one has opened the device. */
static int run_over_quota(void)
{
	execl("/proc/self/exe", "hostmem", "over-quota", NULL);
	return 100;
}

TEST_F(hostmem, quota)
{
	if (!host_quota_get())
		SKIP(return, "no " HOST_QUOTA);
	EXPECT_EQ(0, with_host_quota(MIB, run_over_quota));
}

TEST_F(hostmem, register_and_copy)
{
	char *p = self->p, *d, *dev;
	void *again;

	OK(aclrtHostRegister(p, SIZE, ACL_HOST_REGISTER_MAPPED, (void **)&d));
	EXPECT_NE(p, d);
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_HOST, location(p));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_HOST, location(p + SIZE - 1));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, location(p + SIZE));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_HOST, location(d));
	OK(aclrtHostGetDevicePointer(p, &again, 0));
	EXPECT_EQ(d, again);
	OK(aclrtHostGetDevicePointer(p + 5000, &again, 0));
	EXPECT_EQ(d + 5000, again);
	/* The host has its own mapping of it. */
	EXPECT_EQ(SIGSEGV, touch_read((uintptr_t)d));

	memset(p, 0x11, SIZE);
	OK(aclrtMalloc((void **)&dev, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemcpy(dev, SIZE, d, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE));
	memset(p, 0, SIZE);
	OK(aclrtMemcpy(d + 3, SIZE, dev, SIZE - 3, ACL_MEMCPY_DEFAULT));
	EXPECT_TRUE(is_all(p + 3, 0x11, SIZE - 3));
	EXPECT_EQ(0, p[2]);
	OK(aclrtMemset(d, SIZE, 0x12, 100));
	EXPECT_TRUE(is_all(p, 0x12, 100));

	EXPECT_ACL(BAD_VALUE, aclrtFree(d));
	EXPECT_ACL(BAD_VALUE, aclrtFreeHost(p));
	OK(aclrtHostUnregister(p));
	EXPECT_ACL(NOT_REGISTERED, aclrtHostUnregister(p));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, location(p));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_UNREGISTERED, location(d));
	EXPECT_ACL(BAD_VALUE, aclrtHostGetDevicePointer(p, &again, 0));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(dev, SIZE, d, SIZE,
					  ACL_MEMCPY_DEFAULT));
	EXPECT_EQ(0x12, p[0]);
	OK(aclrtFree(dev));
}

TEST_F(hostmem, is_not_device_memory)
{
	uint32_t result = 9;
	void *d;

	OK(aclrtHostRegister(self->p, SIZE, 0, &d));
	OK(aclrtCheckMemType(&d, 1, ACL_RT_MEM_TYPE_DEV, &result, 0));
	EXPECT_EQ(0, result);
	OK(aclrtHostUnregister(self->p));
}

TEST_F(hostmem, flags)
{
	char *p = self->p, *dev;
	void *d;

	/* If it is only pinned, it has no device address. */
	OK(aclrtHostRegisterV2(p, SIZE, ACL_HOST_REG_PINNED));
	EXPECT_EQ(ACL_MEM_LOCATION_TYPE_HOST, location(p));
	EXPECT_ACL(BAD_VALUE, aclrtHostGetDevicePointer(p, &d, 0));
	OK(aclrtHostUnregister(p));

	OK(aclrtMalloc((void **)&dev, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtHostRegisterV2(p, SIZE, ACL_HOST_REG_MAPPED |
			       ACL_HOST_REG_PINNED));
	OK(aclrtHostGetDevicePointer(p, &d, 0));
	OK(aclrtMemcpy(d, SIZE, dev, SIZE, ACL_MEMCPY_DEFAULT));
	OK(aclrtHostUnregister(p));

	OK(aclrtHostRegisterV2(p, SIZE, ACL_HOST_REG_READONLY));
	OK(aclrtHostGetDevicePointer(p, &d, 0));
	OK(aclrtMemcpy(dev, SIZE, d, SIZE, ACL_MEMCPY_DEFAULT));
	EXPECT_ACL(NO_RIGHT, aclrtMemcpy(d, SIZE, dev, SIZE,
					 ACL_MEMCPY_DEFAULT));
	EXPECT_ACL(NO_RIGHT, aclrtMemset(d, SIZE, 1, 1));
	OK(aclrtHostUnregister(p));

	OK(aclrtHostRegister(p, SIZE, ACL_HOST_REGISTER_READONLY, &d));
	EXPECT_ACL(NO_RIGHT, aclrtMemset(d, SIZE, 1, 1));
	OK(aclrtHostUnregister(p));
	OK(aclrtFree(dev));
}

TEST_F(hostmem, register_refused)
{
	char *p = self->p;
	void *d;

	EXPECT_ACL(NULL_OR_ZERO, aclrtHostRegister(NULL, SIZE, 0, &d));
	EXPECT_ACL(NULL_OR_ZERO, aclrtHostRegister(p, SIZE, 0, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtHostRegister(p, 0, 0, &d));
	EXPECT_ACL(UNSUPPORTED,
		   aclrtHostRegister(p, SIZE, (aclrtHostRegisterType)1, &d));
	EXPECT_ACL(UNSUPPORTED,
		   aclrtHostRegister(p, SIZE, ACL_HOST_REGISTER_IOMEMORY, &d));
	EXPECT_ACL(BAD_VALUE, aclrtHostRegister(p + 64, PAGE_SIZE, 0, &d));
	EXPECT_ACL(BAD_VALUE, aclrtHostRegister(p, SIZE_MAX, 0, &d));

	EXPECT_ACL(NULL_OR_ZERO, aclrtHostRegisterV2(NULL, SIZE, 2));
	EXPECT_ACL(NULL_OR_ZERO, aclrtHostRegisterV2(p, 0, 2));
	EXPECT_ACL(BAD_VALUE, aclrtHostRegisterV2(p, SIZE, 0));
	EXPECT_ACL(BAD_VALUE, aclrtHostRegisterV2(p, SIZE, 1));
	EXPECT_ACL(BAD_VALUE,
		   aclrtHostRegisterV2(p, SIZE, ACL_HOST_REG_IOMEMORY |
				       ACL_HOST_REG_PINNED));
	EXPECT_ACL(UNSUPPORTED,
		   aclrtHostRegisterV2(p, SIZE, ACL_HOST_REG_IOMEMORY));

	/* Memory that is not mapped, not writable, or a device's. */
	EXPECT_ACL(BAD_VALUE, aclrtHostRegister((void *)PAGE_SIZE, 1, 0, &d));
	ASSERT_EQ(0, mprotect(p, PAGE_SIZE, PROT_READ));
	EXPECT_ACL(BAD_VALUE, aclrtHostRegister(p, SIZE, 0, &d));
	ASSERT_EQ(0, mprotect(p, PAGE_SIZE, PROT_READ | PROT_WRITE));
	OK(aclrtMalloc(&d, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_ACL(BAD_VALUE, aclrtHostRegisterV2(d, PAGE_SIZE,
						  ACL_HOST_REG_MAPPED));
	OK(aclrtFree(d));

	EXPECT_ACL(NULL_OR_ZERO, aclrtHostUnregister(NULL));
	EXPECT_ACL(NOT_REGISTERED, aclrtHostUnregister(p));
	EXPECT_ACL(NULL_OR_ZERO, aclrtHostGetDevicePointer(NULL, &d, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtHostGetDevicePointer(p, NULL, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtHostGetDevicePointer(p, &d, 1));
	EXPECT_ACL(BAD_VALUE, aclrtHostGetDevicePointer(p, &d, 0));
}

TEST_F(hostmem, repeated)
{
	char *p = self->p;
	void *d;

	OK(aclrtHostRegister(p + PAGE_SIZE, 2 * PAGE_SIZE, 0, &d));
	EXPECT_ACL(REPEATED, aclrtHostRegister(p + PAGE_SIZE, 1, 0, &d));
	EXPECT_ACL(REPEATED, aclrtHostRegister(p + 2 * PAGE_SIZE, SIZE / 2, 0,
					       &d));
	EXPECT_ACL(REPEATED, aclrtHostRegisterV2(p, PAGE_SIZE + 1,
						 ACL_HOST_REG_PINNED));
	EXPECT_ACL(REPEATED, aclrtHostRegister(p, SIZE, 0, &d));
	EXPECT_ACL(NOT_REGISTERED, aclrtHostUnregister(p));
	EXPECT_ACL(NOT_REGISTERED, aclrtHostUnregister(p + 2 * PAGE_SIZE));
	OK(aclrtHostRegister(p, PAGE_SIZE, 0, &d));
	OK(aclrtHostRegister(p + 3 * PAGE_SIZE, PAGE_SIZE, 0, &d));
	OK(aclrtHostUnregister(p + PAGE_SIZE));
	OK(aclrtHostRegisterV2(p + PAGE_SIZE, 1, ACL_HOST_REG_MAPPED));
	OK(aclrtHostUnregister(p));
	OK(aclrtHostUnregister(p + PAGE_SIZE));
	OK(aclrtHostUnregister(p + 3 * PAGE_SIZE));
}

static void *without_context(void *p)
{
	void *d;

	if (aclrtHostRegister(p, SIZE, 0, &d) != NO_CONTEXT ||
	    aclrtHostRegisterV2(p, SIZE, 2) != NO_CONTEXT ||
	    aclrtHostUnregister(p) != NO_CONTEXT ||
	    aclrtHostGetDevicePointer(p, &d, 0) != NO_CONTEXT)
		return p;
	return NULL;
}

TEST_F(hostmem, no_context)
{
	EXPECT_EQ(NULL, in_thread(without_context, self->p));
}

/* Memory of aclrtMallocHost() can be registered like any other. */
TEST_F(hostmem, register_allocated)
{
	char *h;
	void *d;

	OK(aclrtMallocHost((void **)&h, SIZE));
	OK(aclrtHostRegister(h, SIZE, ACL_HOST_REGISTER_MAPPED, &d));
	OK(aclrtMemset(d, SIZE, 0x44, SIZE));
	EXPECT_TRUE(is_all(h, 0x44, SIZE));
	/* If it is freed while registered, the device cannot use it. */
	OK(aclrtFreeHost(h));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(self->p, SIZE, d, SIZE,
					  ACL_MEMCPY_DEFAULT));
	OK(aclrtHostUnregister(h));
}

TEST_F(hostmem, stale_after_munmap)
{
	char *p = self->p;
	char seen[8];
	void *d;

	OK(aclrtHostRegister(p, SIZE, 0, &d));
	OK(aclrtMemcpy(seen, 8, d, 8, ACL_MEMCPY_DEVICE_TO_HOST));
	ASSERT_EQ(0, munmap(p, SIZE));
	EXPECT_ACL(BAD_VALUE, aclrtMemcpy(seen, 8, d, 8,
					  ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_ACL(REPEATED, aclrtHostRegister(p, SIZE, 0, &d));
	OK(aclrtHostUnregister(p));
}

static int over_rlimit(void)
{
	struct rlimit limit = { .rlim_cur = SIZE, .rlim_max = SIZE };
	char *p = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *d;

	if (p == MAP_FAILED || setrlimit(RLIMIT_MEMLOCK, &limit) ||
	    aclrtSetDevice(0) || setresuid(65534, 65534, 65534))
		return 1;
	if (aclrtHostRegister(p, SIZE + 1, 0, &d) != OUT_OF_MEMORY ||
	    !strstr(recent(), "ulimit -l"))
		return 2;
	if (aclrtHostRegister(p, SIZE, 0, &d))
		return 3;
	if (aclrtHostRegister(p + SIZE, 1, 0, &d) != OUT_OF_MEMORY)
		return 4;
	return aclrtHostUnregister(p) ||
	       aclrtHostRegister(p + SIZE, 1, 0, &d);
}

TEST_F(hostmem, rlimit)
{
	pid_t pid = fork_bound();

	if (!pid) {
		execl("/proc/self/exe", "hostmem", "over-rlimit", NULL);
		_exit(100);
	}
	EXPECT_EQ(0, child_wait(pid));
}

TEST_F(hostmem, capabilities)
{
	aclrtHostMemMapCapability c = (aclrtHostMemMapCapability)7;
	int i;

	for (i = ACL_RT_HAC_TYPE_STARS; i <= ACL_RT_HAC_TYPE_CCU; i++) {
		OK(aclrtHostMemMapCapabilities(0, (aclrtHacType)i, &c));
		EXPECT_TRUE(c == ACL_RT_HOST_MEM_MAP_SUPPORTED ||
			    c == ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED);
	}
	OK(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIV, &c));
	EXPECT_EQ(ACL_RT_HOST_MEM_MAP_SUPPORTED, c);
	OK(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_RDMA, &c));
	EXPECT_EQ(ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED, c);
	EXPECT_ACL(NULL_OR_ZERO, aclrtHostMemMapCapabilities(0, 0, NULL));
	EXPECT_ACL(BAD_DEVICE, aclrtHostMemMapCapabilities(1000, 0, &c));
	EXPECT_ACL(BAD_VALUE,
		   aclrtHostMemMapCapabilities(0, (aclrtHacType)10, &c));
}

TEST_F(hostmem, forked)
{
	char *p = self->p, *h;
	void *d;
	pid_t pid;

	OK(aclrtMallocHost((void **)&h, SIZE));
	OK(aclrtHostRegister(p, SIZE, 0, &d));
	pid = fork_bound();
	if (!pid) {
		if (touch_read((uintptr_t)h) != SIGSEGV)
			_exit(1);
		if (aclrtHostUnregister(p) == ACL_SUCCESS ||
		    aclrtFreeHost(h) == ACL_SUCCESS)
			_exit(2);
		memset(p, 1, SIZE);
		_exit(0);
	}
	EXPECT_EQ(0, child_wait(pid));
	memset(p, 2, SIZE);
	OK(aclrtMemcpy(h, SIZE, d, SIZE, ACL_MEMCPY_DEFAULT));
	EXPECT_TRUE(is_all(h, 2, SIZE));
	OK(aclrtHostUnregister(p));
	OK(aclrtFreeHost(h));
}

static void *race_register(void *p)
{
	intptr_t mine = 0;
	void *d;

	for (int i = 0; i < 200; i++) {
		if (aclrtSetDevice(0) || aclrtHostRegister(p, SIZE, 0, &d))
			continue;
		mine++;
		if (aclrtMemset(d, SIZE, 1, 64) || aclrtHostUnregister(p))
			return (void *)-1;
	}
	return (void *)mine;
}

/* Only one thread at a time can register it, which then works. */
TEST_F(hostmem, threads)
{
	pthread_t thread[3];
	intptr_t all = 0;
	void *mine;

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, race_register,
					    self->p));
	for (int i = 0; i < 3; i++) {
		pthread_join(thread[i], &mine);
		EXPECT_LE(0, (intptr_t)mine);
		all += (intptr_t)mine;
	}
	EXPECT_LT(0, all);
	EXPECT_ACL(NOT_REGISTERED, aclrtHostUnregister(self->p));
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "over-quota"))
		return over_quota();
	if (argc == 2 && !strcmp(argv[1], "over-rlimit"))
		return over_rlimit();
	return test_harness_run(argc, argv);
}
