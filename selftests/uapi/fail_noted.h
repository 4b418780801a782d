/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes which ioctls were to fail, so that none is forgotten. To be included
 * before what calls ioctl().
 */
#ifndef SELFTESTS_VNPU_FAIL_NOTED_H
#define SELFTESTS_VNPU_FAIL_NOTED_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <linux/vnpu.h>

#include "ioctl_list.h"

/* By number, whether a call was to fail; of all tests, each a process. */
static unsigned char *tried;
static bool is_armed;

static __attribute__((constructor)) void map_tried(void)
{
	tried = mmap(NULL, 256, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tried == MAP_FAILED)
		abort();
}

static int noted_ioctl(int fd, unsigned long nr, void *arg)
{
	if (is_armed)
		tried[_IOC_NR(nr)] = 1;
	return ioctl(fd, nr, arg);
}

#define ioctl	noted_ioctl

#endif
