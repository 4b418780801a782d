// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library under limits of the process, without rights or a device, and with
 * VNPU_HOST_ACCESS.
 */
#include "acl-test.h"
#include "vnpu.h"

#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

TEST(library_version)
{
	unsigned int major, minor, patch;

	EXPECT_EQ(3, sscanf(vnpu_version(), "%u.%u.%u", &major, &minor,
			    &patch));
}

/* The switch for debugging, which is read when the device is opened. */
TEST(host_access_on_request)
{
	volatile uint8_t *bytes;
	uint8_t seen = 0;
	void *p;

	setenv("VNPU_HOST_ACCESS", "1", 1);
	OK(aclrtSetDevice(0));
	OK(aclrtMalloc(&p, PAGE_SIZE, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(p, PAGE_SIZE, 0x5a, PAGE_SIZE));
	bytes = p;
	EXPECT_EQ(0x5a, bytes[PAGE_SIZE - 1]);
	bytes[0] = 0xa5;
	OK(aclrtMemcpy(&seen, 1, p, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0xa5, seen);
	OK(aclrtFree(p));
}

/* The library reserves terabytes of addresses, but accepts less. */
TEST(small_address_space)
{
	struct rlimit limit = { 8UL << 30, 8UL << 30 };
	void *p;

	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &limit));
	OK(aclrtSetDevice(0));
	OK(aclrtMalloc(&p, 32 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
}

/* There is memory, but no addresses for it: the message says that. */
TEST(too_few_addresses)
{
	struct rlimit limit = { 3UL << 30, 3UL << 30 };
	const char *message;
	void *p;

	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &limit));
	OK(aclrtSetDevice(0));
	if (free_bytes() < 256 * MIB)
		SKIP(return, "the device is too small");
	EXPECT_EQ(OUT_OF_MEMORY, aclrtMalloc(&p, 200 * MIB,
					     ACL_MEM_MALLOC_NORMAL_ONLY));
	message = recent();
	EXPECT_NE(NULL, strstr(message, "ulimit -v")) TH_LOG("%s", message);
	EXPECT_EQ(NULL, strstr(message, "try again")) TH_LOG("%s", message);
	/* A lack of device memory is reported as such. */
	EXPECT_EQ(OUT_OF_MEMORY, aclrtMalloc(&p, 2 * total_bytes(),
					     ACL_MEM_MALLOC_NORMAL_ONLY));
	message = recent();
	EXPECT_EQ(NULL, strstr(message, "ulimit -v")) TH_LOG("%s", message);
	EXPECT_NE(NULL, strstr(message, "smaller")) TH_LOG("%s", message);
	/* Other addresses work. */
	OK(aclrtMalloc(&p, 200 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
}

TEST(no_address_space)
{
	struct rlimit limit = { 256 * MIB, 256 * MIB };

	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &limit));
	EXPECT_ACL(OUT_OF_MEMORY, aclrtSetDevice(0));
	EXPECT_EQ(OUT_OF_MEMORY, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

TEST(no_descriptors)
{
	struct rlimit limit = { 0, 0 }, before;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
	limit.rlim_max = before.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_NE(ACL_SUCCESS, aclrtSetDevice(0));
	/* The error was temporary. */
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &before));
	OK(aclrtSetDevice(0));
}

TEST(no_permission)
{
	const char *message;

	if (geteuid())
		SKIP(return, "needs root");
	ASSERT_EQ(0, setgroups(0, NULL));
	ASSERT_EQ(0, setgid(65534));
	ASSERT_EQ(0, setuid(65534));
	EXPECT_EQ(ACL_ERROR_RT_NO_PERMISSION, aclrtSetDevice(0));
	message = aclGetRecentErrMsg();
	ASSERT_NE(NULL, message);
	EXPECT_NE(NULL, strstr(message, "/dev/vnpu")) TH_LOG("%s", message);
}

/* Without /dev/vnpu there is no device, and no crash. */
TEST(no_device_node)
{
	uint32_t count = 99;
	aclError err;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("/dev/null", "/dev/vnpu", NULL, MS_BIND, NULL))
		SKIP(return, "needs a mount namespace");
	err = aclrtGetDeviceCount(&count);
	EXPECT_NE(ACL_SUCCESS, err);
	EXPECT_NE(ACL_SUCCESS, aclrtSetDevice(0));
	EXPECT_NE(NULL, aclGetRecentErrMsg());
}

TEST_HARNESS_MAIN
