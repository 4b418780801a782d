/* SPDX-License-Identifier: GPL-2.0-only */
/* Let page faults of a test wait until it continues them, by userfaultfd. */
#ifndef UAPI_UFFD_H
#define UAPI_UFFD_H

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util.h"

/*
 * Let faults on the range, MISSING or WP, wait for the reader of the
 * descriptor.
 */
static inline int uffd_open(void *at, __u64 length, __u64 mode)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = mode == UFFDIO_REGISTER_MODE_WP ?
			    UFFD_FEATURE_PAGEFAULT_FLAG_WP : 0,
	};
	struct uffdio_register reg = {
		.mode = mode,
		.range = { addr(at), length },
	};
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (uffd < 0)
		return -errno;
	if (!ioctl(uffd, UFFDIO_API, &api) &&
	    !ioctl(uffd, UFFDIO_REGISTER, &reg))
		return uffd;
	close(uffd);
	return -EOPNOTSUPP;
}

#endif /* UAPI_UFFD_H */
