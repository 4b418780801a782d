/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes of single devices, and the list of a client's devices. */
#ifndef SELFTESTS_VNPU_NODE_H
#define SELFTESTS_VNPU_NODE_H

#include <stdio.h>

#include "client.h"

static inline const char *node_path(char path[32], int device)
{
	snprintf(path, 32, VNPU_NODE "%d", device);
	return path;
}

/* Open a client of the node at @path, without a window. */
static inline int node_open_path(struct client *c, const char *path)
{
	memset(c, 0, sizeof(*c));
	c->fd = open(path, O_RDWR | O_CLOEXEC);
	return c->fd < 0 ? -errno : 0;
}

static inline int node_open(struct client *c, int device)
{
	char path[32];

	return node_open_path(c, node_path(path, device));
}

/* Attach a node; @device is set to its device. */
static inline int attach(const struct client *c, int fd, __u32 *device)
{
	struct vnpu_attach a = { .size = sizeof(a), .fd = fd };
	int ret = call(c->fd, VNPU_IOCTL_ATTACH, &a);

	*device = a.out_device;
	return ret;
}

/* Fill @q, and as much of @buffer as it has. */
static inline int query(const struct client *c, __u32 device, __u32 topic,
			void *buffer, __u64 length, struct vnpu_query *q)
{
	*q = (struct vnpu_query){
		.size = sizeof(*q),
		.device = device,
		.topic = topic,
		.buffer = addr(buffer),
		.length = length,
	};
	return call(c->fd, VNPU_IOCTL_QUERY, q);
}

/* Return how many devices the client has, and fill their records; or -errno. */
static inline int devices_of(const struct client *c,
			     struct vnpu_device_record out[VNPU_MAX_DEVICES])
{
	struct vnpu_query q;
	int ret = query(c, VNPU_DEVICE_ALL, VNPU_TOPIC_DEVICES, out,
			VNPU_MAX_DEVICES * sizeof(*out), &q);

	return ret ? ret : (int)q.out_count;
}

/* Return whether a client has the device with this index. */
static inline bool has_device(const struct client *c, __u32 device)
{
	struct vnpu_device_query q;

	return !device_query(c, device, &q);
}

#endif
