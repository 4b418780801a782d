/* SPDX-License-Identifier: GPL-2.0-only */
/* sync_files for the tests. */
#ifndef SELFTESTS_VNPU_SYNC_H
#define SELFTESTS_VNPU_SYNC_H

#include <poll.h>

#include <linux/sync_file.h>

#include "stream.h"

/* Return a sync_file, or -errno. */
static inline int sync_export(const struct client *c, __u64 id, __u64 value)
{
	struct vnpu_sync_export a = {
		.size = sizeof(a),
		.id = id,
		.value = value,
	};
	int ret = call(c->fd, VNPU_IOCTL_SYNC_EXPORT, &a);

	return ret ? ret : a.out_fd;
}

static inline int sync_import(const struct client *c, int fd, __u64 *id)
{
	struct vnpu_sync_import a = { .size = sizeof(a), .fd = fd };
	int ret = call(c->fd, VNPU_IOCTL_SYNC_IMPORT, &a);

	if (!ret)
		*id = a.out_id;
	return ret;
}

/* Return 1 if signalled, 0 if not, -errno if signalled with an error. */
static inline int sync_status(int fd)
{
	struct sync_file_info i = { };

	return ioctl(fd, SYNC_IOC_FILE_INFO, &i) ? -1000 : i.status;
}

/* The same, when it is signalled, or after some time. */
static inline int sync_wait(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, ms);
	return sync_status(fd);
}

static inline int sync_merge(int a, int b)
{
	struct sync_merge_data m = { .name = "both", .fd2 = b };

	return ioctl(a, SYNC_IOC_MERGE, &m) ? -errno : m.fence;
}

#endif
