// SPDX-License-Identifier: GPL-2.0-only
/*
 * A driver of another age: the library begins to work with it, or says which of
 * the two has to be replaced.  The driver is that of today, but for what it
 * answers about its age.
 */
#include "acl-test.h"

#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/vnpu.h>

/* What INFO returns; 0 for what the driver says. */
static uint32_t version, oldest;

/* The library's calls come here, too. */
int ioctl(int fd, unsigned long request, ...)
{
	struct vnpu_info *info;
	va_list args;
	void *arg;
	int ret;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	ret = syscall(SYS_ioctl, fd, request, arg);
	if (ret || request != VNPU_IOCTL_INFO)
		return ret;

	info = arg;
	if (version)
		info->out_abi_version = version;
	if (oldest)
		info->out_abi_oldest = oldest;
	return 0;
}

TEST(driver_is_older_than_needed)
{
	version = 1;
	/* There, version 1 has the number of devices. */
	oldest = 8;
	EXPECT_ACL(ACL_ERROR_RT_NO_DEVICE, aclrtSetDevice(0));
	EXPECT_NE(NULL, strstr(recent(), "is older than this library needs"));
}

TEST(driver_has_left_the_library_behind)
{
	version = VNPU_ABI_VERSION + 7;
	oldest = VNPU_ABI_VERSION + 1;
	EXPECT_ACL(ACL_ERROR_RT_NO_DEVICE, aclrtSetDevice(0));
	EXPECT_NE(NULL, strstr(recent(), "no longer supports this library"));
}

TEST(driver_is_newer_and_still_knows_the_library)
{
	version = VNPU_ABI_VERSION + 7;
	oldest = VNPU_ABI_VERSION;
	OK(aclrtSetDevice(0));
	OK(aclrtResetDevice(0));
}

TEST_HARNESS_MAIN
