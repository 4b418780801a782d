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

/* Give this thread the right to exceed resource limits, or take it away. */
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
 * the last one ended, as the value mostly changes little, and doubles its steps
 * from there. A quota of 0 pages is none, and is not tried.
 */
static inline uint64_t host_charge(int fd)
{
	const uint64_t before = host_quota_get();
	static uint64_t pages;
	/* A quota of @low pages is full, or @low is 0; one of @high is not. */
	uint64_t low = 0, high = pages + 1, step;

	host_charge_may_exceed(false);
	if (host_charge_fills(fd, high)) {
		for (step = 1; host_charge_fills(fd, high + step); step *= 2)
			high += step;
		low = high;
		high += step;
	} else {
		for (step = 1; step < high; step *= 2) {
			if (host_charge_fills(fd, high - step)) {
				low = high - step;
				break;
			}
			high -= step;
		}
	}
	while (high - low > 1) {
		const uint64_t middle = low + (high - low) / 2;

		if (host_charge_fills(fd, middle))
			low = middle;
		else
			high = middle;
	}
	pages = low;
	host_charge_may_exceed(true);
	if (host_quota_set(before))
		abort();
	return pages;
}

#endif
