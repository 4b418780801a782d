// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drivers of other versions: the library works with the driver, or reports
 * which of the two must be replaced.  The driver is the current one, except for
 * the version that it reports.
 */
#include "acl-test.h"

#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/vnpu.h>

/* The result of INFO; 0 for the driver's own. */
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

TEST(driver_is_too_old)
{
	version = 1;
	/* In version 1 this is the number of devices. */
	oldest = 8;
	EXPECT_ACL(ACL_ERROR_RT_NO_DEVICE, aclrtSetDevice(0));
	EXPECT_NE(NULL, strstr(recent(), "is older than this library needs"));
}

TEST(driver_has_dropped_support_for_the_library)
{
	version = VNPU_ABI_VERSION + 7;
	oldest = VNPU_ABI_VERSION + 1;
	EXPECT_ACL(ACL_ERROR_RT_NO_DEVICE, aclrtSetDevice(0));
	EXPECT_NE(NULL, strstr(recent(), "no longer supports this library"));
}

TEST(newer_driver_still_supports_the_library)
{
	version = VNPU_ABI_VERSION + 7;
	oldest = VNPU_ABI_VERSION;
	OK(aclrtSetDevice(0));
	OK(aclrtResetDevice(0));
}

TEST_HARNESS_MAIN
