/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much host memory a user is charged for, measured by the quota of
 * host_quota.h.
 */
#ifndef SELFTESTS_VNPU_HOST_CHARGE_H
#define SELFTESTS_VNPU_HOST_CHARGE_H

#include <errno.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <linux/capability.h>

#include <linux/vnpu.h>

#include "host_quota.h"

/* Return whether this thread may exceed resource limits. */
static inline void host_charge_may_exceed(bool may)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	const __u32 right = 1U << CAP_SYS_RESOURCE;

	if (syscall(SYS_capget, &head, data))
		abort();
	if (may)
		data[0].effective |= right & data[0].permitted;
	else
		data[0].effective &= ~right;
	if (syscall(SYS_capset, &head, data))
		abort();
}

/* Return whether a quota of this many pages leaves none to the user of @fd. */
static inline bool host_charge_fills(int fd, uint64_t pages)
{
	struct vnpu_host_alloc a = { .size = sizeof(a), .length = 1 };
	struct vnpu_mem_free f = { .size = sizeof(f) };

	if (host_quota_set(pages * VNPU_PAGE_SIZE))
		abort();
	if (ioctl(fd, VNPU_IOCTL_HOST_ALLOC, &a)) {
		if (errno != EDQUOT)
			abort();
		return true;
	}
	f.id = a.out_id;
	if (ioctl(fd, VNPU_IOCTL_MEM_FREE, &f))
		abort();
	return false;
}

/*
 * Return the pages that the user of the client @fd is charged for. There is no
 * query for it: it is the largest quota that is full. The search begins where
 * the last one ended, as the value changes little.
 */
static inline uint64_t host_charge(int fd)
{
	const uint64_t before = host_quota_get();
	static uint64_t pages;

	host_charge_may_exceed(false);
	while (host_charge_fills(fd, pages + 1))
		pages++;
	while (pages && !host_charge_fills(fd, pages))
		pages--;
	host_charge_may_exceed(true);
	if (host_quota_set(before))
		abort();
	return pages;
}

#endif
