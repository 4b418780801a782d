/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record which ioctls were made to fail, so that the test notices missing ones.
 * Include this before the code that calls ioctl().
 */
#ifndef SELFTESTS_VNPU_FAIL_NOTED_H
#define SELFTESTS_VNPU_FAIL_NOTED_H

#include <stdbool.h>
#include <sys/ioctl.h>

#include <linux/vnpu.h>

#include "fail_tried.h"
#include "ioctl_list.h"

#ifdef SELFTESTS_VNPU_CLIENT_H
#error "client.h is included already: its ioctls would not be recorded"
#endif

static bool is_armed;

static int noted_ioctl(int fd, unsigned long nr, void *arg)
{
	if (is_armed)
		tried[_IOC_NR(nr)] = 1;
	return ioctl(fd, nr, arg);
}

#define ioctl	noted_ioctl

#endif
