/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of the profiler: its output and counts, and
 * functions to be found in its stacks.
 */
#ifndef SELFTESTS_LIB_PROFILE_H
#define SELFTESTS_LIB_PROFILE_H

#include "acl-test.h"

#include <fcntl.h>

#include "vnpu.h"

static inline char *file_read(const char *path)
{
	char *text = calloc(1, 8 << 20);
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (!text || fd < 0)
		abort();
	n = read(fd, text, (8 << 20) - 1);
	close(fd);
	if (n < 0)
		abort();
	return text;
}

/* Return a unique name, of a file that does not exist. */
static inline const char *file_name(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/vnpu-profile-%d", getpid());
	unlink(path);
	return path;
}

static inline struct vnpu_profile_stats stats(void)
{
	struct vnpu_profile_stats s;

	if (vnpu_profile_get_stats(&s, sizeof(s)))
		abort();
	return s;
}

/* Enough frames to be found in a stack, and not inlined. */
static __attribute__((noinline)) void *leaky(size_t size)
{
	void *p = NULL;

	if (aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST))
		return NULL;
	__asm__ volatile("");
	return p;
}

static __attribute__((noinline)) void *wrapper(size_t size)
{
	void *p = leaky(size);

	__asm__ volatile("");
	return p;
}

#endif
