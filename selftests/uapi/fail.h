/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Make the nth allocation or user copy of this thread fail
 * (/proc/thread-self/fail-nth). This needs a kernel with fault injection.
 */
#ifndef SELFTESTS_VNPU_FAIL_H
#define SELFTESTS_VNPU_FAIL_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAIL_KNOBS	6

/**
 * struct fail - failures of the calling thread
 * @fd: its fail-nth
 * @old: former values of the knobs
 */
struct fail {
	int fd;
	char old[FAIL_KNOBS][16];
};

/* Allocations that may sleep count as well, and failures are not logged. */
static const struct {
	const char *file;
	const char *value;
} fail_knobs[FAIL_KNOBS] = {
	{ "failslab/ignore-gfp-wait", "N" },
	{ "failslab/verbose", "0" },
	{ "fail_page_alloc/ignore-gfp-wait", "N" },
	{ "fail_page_alloc/min-order", "0" },
	{ "fail_page_alloc/verbose", "0" },
	{ "fail_usercopy/verbose", "0" },
};

static inline int fail_knob_open(unsigned int i, int flags)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s",
		 fail_knobs[i].file);
	return open(path, flags | O_CLOEXEC);
}

static inline int fail_knob_get(unsigned int i, char *value, size_t size)
{
	int fd = fail_knob_open(i, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, value, size - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	value[n] = 0;
	value[strcspn(value, "\n")] = 0;
	return 0;
}

static inline int fail_knob_put(unsigned int i, const char *value)
{
	int fd = fail_knob_open(i, O_WRONLY);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Return 0, or -EOPNOTSUPP without fault injection in the kernel. */
static inline int fail_begin(struct fail *f)
{
	unsigned int i;

	for (i = 0; i < FAIL_KNOBS; i++)
		if (fail_knob_get(i, f->old[i], sizeof(f->old[i])))
			return -EOPNOTSUPP;
	f->fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (f->fd < 0)
		return -EOPNOTSUPP;
	for (i = 0; i < FAIL_KNOBS; i++)
		if (fail_knob_put(i, fail_knobs[i].value))
			return -EIO;
	return 0;
}

static inline void fail_end(struct fail *f)
{
	unsigned int i;

	close(f->fd);
	for (i = 0; i < FAIL_KNOBS; i++)
		fail_knob_put(i, f->old[i]);
}

/* Make the @n-th allocation or user copy of this thread from here on fail. */
static inline void fail_arm(const struct fail *f, unsigned int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(f->fd, text, (size_t)length, 0) != length)
		abort();
}

/*
 * Return whether a call since then failed. Reading and disabling the knob need
 * a user copy, too; if one of these fails, none failed before.
 */
static inline bool fail_disarm(const struct fail *f)
{
	char text[16] = "";

	if (pread(f->fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text))
		return true;
	while (pwrite(f->fd, "0", 1, 0) != 1)
		;
	return false;
}

#endif
