/* SPDX-License-Identifier: GPL-2.0-only */
/* The limit of host memory of each user: a parameter of the module. */
#ifndef SELFTESTS_VNPU_HOST_QUOTA_H
#define SELFTESTS_VNPU_HOST_QUOTA_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "util.h"

#define HOST_QUOTA	"/sys/module/vnpu/parameters/host_quota"
#define HOST_QUOTA_NODE	"/dev/vnpu"

/* Return the quota in bytes. */
static inline uint64_t host_quota_get(void)
{
	return file_u64(HOST_QUOTA);
}

static inline int host_quota_write(const char *text)
{
	int fd = open(HOST_QUOTA, O_WRONLY);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static inline int host_quota_set(unsigned long long bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", bytes);
	return host_quota_write(text);
}

/*
 * Run @fn in a child with this quota and a node open to all; return its result.
 */
static inline int with_host_quota(uint64_t limit, int (*fn)(void))
{
	uint64_t before = host_quota_get();
	struct stat node;
	pid_t pid;
	int ret;

	if (stat(HOST_QUOTA_NODE, &node) || chmod(HOST_QUOTA_NODE, 0666) ||
	    host_quota_set(limit))
		return -1;
	pid = fork_bound();
	if (!pid)
		_exit(fn());
	ret = child_wait(pid);
	host_quota_set(before);
	chmod(HOST_QUOTA_NODE, node.st_mode & 07777);
	return ret;
}

#endif
