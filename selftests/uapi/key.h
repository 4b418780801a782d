/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls for keys, and memory to share by them. */
#ifndef SELFTESTS_VNPU_KEY_H
#define SELFTESTS_VNPU_KEY_H

#include <sys/syscall.h>

#include "client.h"

struct key {
	__u64 words[2];
};

static inline int key_create(const struct client *c, int fd, __u32 kind,
			     __u32 flags, struct key *key)
{
	struct vnpu_key_create a = {
		.size = sizeof(a),
		.flags = flags,
		.fd = fd,
		.kind = kind,
		.data = { 11, 22 },
	};
	int ret = call(c->fd, VNPU_IOCTL_KEY_CREATE, &a);

	if (!ret)
		*key = (struct key){ { a.out_key[0], a.out_key[1] } };
	return ret;
}

static inline int key_destroy(const struct client *c, struct key key)
{
	struct vnpu_key_destroy a = {
		.size = sizeof(a),
		.key = { key.words[0], key.words[1] },
	};

	return call(c->fd, VNPU_IOCTL_KEY_DESTROY, &a);
}

static inline int key_allow_many(const struct client *c, struct key key,
				 const __s32 *pids, __u32 count, __u32 stride)
{
	struct vnpu_key_allow a = {
		.size = sizeof(a),
		.key = { key.words[0], key.words[1] },
		.pids = addr(pids),
		.count = count,
		.stride = stride,
	};

	return call(c->fd, VNPU_IOCTL_KEY_ALLOW, &a);
}

static inline int key_allow(const struct client *c, struct key key, __s32 pid)
{
	return key_allow_many(c, key, &pid, 1, 0);
}

/* Return the file, or -errno. @data may be NULL. */
static inline int key_open(const struct client *c, struct key key, __u32 kind,
			   __u64 data[2])
{
	struct vnpu_key_open a = {
		.size = sizeof(a),
		.key = { key.words[0], key.words[1] },
		.kind = kind,
	};
	int ret = call(c->fd, VNPU_IOCTL_KEY_OPEN, &a);

	if (ret)
		return ret;
	if (data) {
		data[0] = a.out_data[0];
		data[1] = a.out_data[1];
	}
	return a.out_fd;
}

/* Return a page of shared memory, or -errno. */
static inline int shared_page(void)
{
	int fd = (int)syscall(SYS_memfd_create, "page", 0);

	if (fd >= 0 && !ftruncate(fd, 4096))
		return fd;
	return -errno;
}

#endif
