/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic netlink without a library, so that a test can also send malformed
 * messages: sockets, messages with any content, and single attributes.
 */
#ifndef SELFTESTS_TOOL_NL_H
#define SELFTESTS_TOOL_NL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <linux/vnpu_netlink.h>

/* The largest part of a dump that the kernel makes is 32 KiB. */
#define NL_BUFFER	65536
#define NL_SECONDS	20

/**
 * struct nl_msg - a message under construction
 * @head: its headers; nlmsg_len counts what follows
 * @data: attributes, valid or not
 */
struct nl_msg {
	struct nlmsghdr head;
	struct genlmsghdr genl;
	uint8_t data[512];
};

static inline int nl_open(void)
{
	const struct timeval limit = { .tv_sec = NL_SECONDS };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

static inline void nl_init(struct nl_msg *m, uint16_t type, uint16_t flags,
			   uint8_t command)
{
	memset(m, 0, sizeof(*m));
	m->head.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	m->head.nlmsg_type = type;
	m->head.nlmsg_flags = NLM_F_REQUEST | flags;
	m->head.nlmsg_seq = 1;
	m->genl.cmd = command;
	m->genl.version = VNPU_FAMILY_VERSION;
}

static inline void nl_put(struct nl_msg *m, uint16_t type, const void *data,
			  uint16_t length)
{
	struct nlattr *attr = (void *)((char *)m + NLMSG_ALIGN(m->head.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = (uint16_t)(NLA_HDRLEN + length);
	memcpy(attr + 1, data, length);
	m->head.nlmsg_len = NLMSG_ALIGN(m->head.nlmsg_len) +
			    NLA_ALIGN(attr->nla_len);
}

static inline void nl_put_u32(struct nl_msg *m, uint16_t type, uint32_t value)
{
	nl_put(m, type, &value, sizeof(value));
}

static inline void nl_put_u64(struct nl_msg *m, uint16_t type, uint64_t value)
{
	nl_put(m, type, &value, sizeof(value));
}

static inline int nl_send(int fd, const struct nl_msg *m, size_t length)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t ret = sendto(fd, m, length, 0, (struct sockaddr *)&kernel,
			     sizeof(kernel));

	return ret < 0 ? -errno : 0;
}

/* Return the bytes of one datagram, or -errno. */
static inline ssize_t nl_receive(int fd, void *buffer)
{
	ssize_t ret = recv(fd, buffer, NL_BUFFER, 0);

	return ret < 0 ? -errno : ret;
}

/*
 * Send a request with a single reply, and receive it into @buffer. Return 0, or
 * the error of the reply.
 */
static inline int nl_ask(int fd, const struct nl_msg *m, void *buffer)
{
	const struct nlmsghdr *head = buffer;
	const struct nlmsgerr *error = NLMSG_DATA(head);
	ssize_t length;
	int ret = nl_send(fd, m, m->head.nlmsg_len);

	if (ret)
		return ret;
	length = nl_receive(fd, buffer);
	if (length < 0)
		return (int)length;
	return head->nlmsg_type == NLMSG_ERROR ? error->error : 0;
}

/*
 * Return the payload of the first attribute of @type among @length bytes, or
 * NULL.
 */
static inline const void *nl_find(const void *attrs, size_t length,
				  uint16_t type, uint16_t *size)
{
	while (length >= NLA_HDRLEN) {
		const struct nlattr *attr = attrs;
		size_t step = NLA_ALIGN(attr->nla_len);

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > length)
			return NULL;
		if ((attr->nla_type & NLA_TYPE_MASK) == type) {
			*size = (uint16_t)(attr->nla_len - NLA_HDRLEN);
			return attr + 1;
		}
		if (step > length)
			return NULL;
		attrs = (const char *)attrs + step;
		length -= step;
	}
	return NULL;
}

/* The same in a whole message. */
static inline const void *nl_attr(const struct nlmsghdr *head, uint16_t type,
				  uint16_t *size)
{
	return nl_find((const char *)NLMSG_DATA(head) + GENL_HDRLEN,
		       NLMSG_PAYLOAD(head, GENL_HDRLEN), type, size);
}

static inline uint32_t nl_u32(const struct nlmsghdr *head, uint16_t type)
{
	uint32_t value = UINT32_MAX;
	uint16_t size;
	const void *data = nl_attr(head, type, &size);

	if (data && size == sizeof(value))
		memcpy(&value, data, sizeof(value));
	return value;
}

static inline uint64_t nl_u64(const struct nlmsghdr *head, uint16_t type)
{
	uint64_t value = UINT64_MAX;
	uint16_t size;
	const void *data = nl_attr(head, type, &size);

	if (data && size == sizeof(value))
		memcpy(&value, data, sizeof(value));
	return value;
}

/* Return the id of the family "vnpu", or -errno. */
static inline int nl_family(int fd)
{
	static __thread uint8_t buffer[NL_BUFFER];
	struct nl_msg m;
	uint16_t family, size;
	const void *data;
	int ret;

	nl_init(&m, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	nl_put(&m, CTRL_ATTR_FAMILY_NAME, VNPU_FAMILY_NAME,
	       sizeof(VNPU_FAMILY_NAME));
	ret = nl_ask(fd, &m, buffer);
	if (ret)
		return ret;
	data = nl_attr((void *)buffer, CTRL_ATTR_FAMILY_ID, &size);
	if (!data || size != sizeof(family))
		return -EPROTO;
	memcpy(&family, data, sizeof(family));
	return family;
}

/*
 * Open a socket for requests to the family, and store its id; or return -errno.
 */
static inline int nl_open_family(int *family)
{
	int fd = nl_open();

	if (fd < 0)
		return -errno;
	*family = nl_family(fd);
	if (*family > 0)
		return fd;
	close(fd);
	return *family;
}

/* Open a socket that receives the family's events, or return -errno. */
static inline int nl_open_events(void *buffer)
{
	const struct nlmsghdr *head = buffer;
	const char *groups, *group, *name;
	uint16_t size, length;
	struct nl_msg m;
	uint32_t id;
	int fd = nl_open();
	int ret;

	nl_init(&m, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY);
	nl_put(&m, CTRL_ATTR_FAMILY_NAME, VNPU_FAMILY_NAME,
	       sizeof(VNPU_FAMILY_NAME));
	ret = nl_ask(fd, &m, buffer);
	if (ret)
		return ret;
	groups = nl_attr(head, CTRL_ATTR_MCAST_GROUPS, &size);
	group = groups ? nl_find(groups, size, 1, &length) : NULL;
	if (!group)
		return -ENOENT;
	name = nl_find(group, length, CTRL_ATTR_MCAST_GRP_NAME, &size);
	if (!name || strcmp(name, VNPU_MCGRP_EVENTS))
		return -ENOENT;
	memcpy(&id, nl_find(group, length, CTRL_ATTR_MCAST_GRP_ID, &size),
	       sizeof(id));
	if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &id,
		       sizeof(id)))
		return -errno;
	return fd;
}

/**
 * nl_dump() - read a whole dump
 * @fd: the socket
 * @family: id of the family
 * @command: VNPU_CMD_*
 * @each: called for each record, with @arg; a result other than 0 ends the dump
 * @arg: for @each
 *
 * Returns the number of records, or -errno; -EINTR if the kernel reports that
 * the list changed meanwhile.
 */
static inline int nl_dump(int fd, int family, uint8_t command,
			  int (*each)(const struct nlmsghdr *head, void *arg),
			  void *arg)
{
	uint8_t buffer[NL_BUFFER] __attribute__((aligned(8)));
	bool interrupted = false;
	struct nl_msg m;
	int count = 0;
	int ret;

	nl_init(&m, (uint16_t)family, NLM_F_DUMP, command);
	ret = nl_send(fd, &m, m.head.nlmsg_len);
	if (ret)
		return ret;
	for (;;) {
		const struct nlmsghdr *head = (void *)buffer;
		ssize_t left = nl_receive(fd, buffer);

		if (left < 0)
			return (int)left;
		for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
			if (head->nlmsg_flags & NLM_F_DUMP_INTR)
				interrupted = true;
			if (head->nlmsg_type == NLMSG_DONE ||
			    head->nlmsg_type == NLMSG_ERROR) {
				memcpy(&ret, NLMSG_DATA(head), sizeof(ret));
				if (!ret && interrupted)
					ret = -EINTR;
				return ret ? ret : count;
			}
			ret = each ? each(head, arg) : 0;
			if (ret)
				return ret;
			count++;
		}
	}
}

#endif
