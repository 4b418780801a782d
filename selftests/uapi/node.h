/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes of single devices, and which devices a client has. */
#ifndef SELFTESTS_VNPU_NODE_H
#define SELFTESTS_VNPU_NODE_H

#include <stdio.h>

#include "client.h"

static inline const char *node_path(char path[32], int device)
{
	snprintf(path, 32, VNPU_NODE "%d", device);
	return path;
}

/* A client of the node at @path, with no window. */
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

/* @device is set to what the node stands for. */
static inline int attach(const struct client *c, int fd, __u32 *device)
{
	struct vnpu_attach a = { .size = sizeof(a), .fd = fd };
	int ret = call(c->fd, VNPU_IOCTL_ATTACH, &a);

	*device = a.out_device;
	return ret;
}

/* Fills @q, and as much of @buffer as there is. */
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

/* How many devices the client has, whose records are filled; or -errno. */
static inline int devices_of(const struct client *c,
			     struct vnpu_device_record out[VNPU_MAX_DEVICES])
{
	struct vnpu_query q;
	int ret = query(c, VNPU_DEVICE_ALL, VNPU_TOPIC_DEVICES, out,
			VNPU_MAX_DEVICES * sizeof(*out), &q);

	return ret ? ret : (int)q.out_count;
}

/* A client has the device of this index. */
static inline bool has_device(const struct client *c, __u32 device)
{
	struct vnpu_device_query q;

	return !device_query(c, device, &q);
}

#endif
