// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink without a library: one request, and all parts of its reply.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vnpu_netlink.h>

#include "observe.h"

struct request {
	struct nlmsghdr nlh;
	struct genlmsghdr genl;
	struct nlattr attr;
	char value[32];
};

/* Called with the attributes of each message of the reply. */
typedef void parse_fn(const struct nlattr *attrs, int length, void *data);

static const struct nlattr *attr_next(const struct nlattr *a, int *left)
{
	int len = NLA_ALIGN(a->nla_len);

	*left -= len;
	return (const void *)((const char *)a + len);
}

#define for_each_attr(a, first, length, left)				\
	for (a = (first), left = (length);				\
	     left >= (int)sizeof(*a) && a->nla_len >= sizeof(*a) &&	\
	     a->nla_len <= left;					\
	     a = attr_next(a, &left))

static const void *attr_data(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

static int attr_length(const struct nlattr *a)
{
	return a->nla_len - NLA_HDRLEN;
}

static int attr_type(const struct nlattr *a)
{
	return a->nla_type & NLA_TYPE_MASK;
}

static __u64 attr_number(const struct nlattr *a)
{
	__u64 n64;
	__u32 n32;
	__u16 n16;

	switch (attr_length(a)) {
	case sizeof(n64):
		memcpy(&n64, attr_data(a), sizeof(n64));
		return n64;
	case sizeof(n32):
		memcpy(&n32, attr_data(a), sizeof(n32));
		return n32;
	default:
		memcpy(&n16, attr_data(a), sizeof(n16));
		return n16;
	}
}

/* Return 1 if more messages follow, 0 at the end, or -errno. */
static int parse_part(const struct nlmsghdr *nlh, int length, bool dump,
		      parse_fn *parse, void *data)
{
	const int head = NLMSG_LENGTH(GENL_HDRLEN);

	for (; NLMSG_OK(nlh, (unsigned int)length);
	     nlh = NLMSG_NEXT(nlh, length)) {
		if (nlh->nlmsg_type == NLMSG_ERROR)
			return ((struct nlmsgerr *)NLMSG_DATA(nlh))->error;
		if (nlh->nlmsg_type == NLMSG_DONE)
			return 0;
		parse((const void *)((const char *)nlh + head),
		      nlh->nlmsg_len - head, data);
		if (!dump)
			return 0;
	}
	return 1;
}

static int ask(int family, int cmd, int attr, const void *value, int length,
	       parse_fn *parse, void *data)
{
	struct request r = {
		.nlh = {
			.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN),
			.nlmsg_type = family,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.genl = { .cmd = cmd, .version = 1 },
	};
	static char buffer[1 << 16];
	int fd, ret;

	if (value) {
		r.attr.nla_type = attr;
		r.attr.nla_len = NLA_HDRLEN + length;
		memcpy(r.value, value, length);
		r.nlh.nlmsg_len += NLA_ALIGN(r.attr.nla_len);
	} else {
		r.nlh.nlmsg_flags |= NLM_F_DUMP;
	}
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0)
		return -errno;
	if (send(fd, &r, r.nlh.nlmsg_len, 0) < 0) {
		ret = -errno;
		goto out;
	}
	do {
		ret = recv(fd, buffer, sizeof(buffer), 0);
		if (ret < 0)
			ret = -errno;
		else
			ret = parse_part((void *)buffer, ret, !value, parse,
					 data);
	} while (ret > 0);
out:
	close(fd);
	return ret;
}

static void parse_family(const struct nlattr *attrs, int length, void *data)
{
	const struct nlattr *a;
	int left;

	for_each_attr(a, attrs, length, left) {
		if (attr_type(a) == CTRL_ATTR_FAMILY_ID)
			*(int *)data = attr_number(a);
	}
}

static int family_id(void)
{
	int id = -ENOENT, ret;

	ret = ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
		  VNPU_FAMILY_NAME, sizeof(VNPU_FAMILY_NAME), parse_family,
		  &id);
	return ret ? ret : id;
}

static void parse_memory(const struct nlattr *attrs, int length, void *data)
{
	struct observed_memory *m = data;
	const struct nlattr *a;
	int left;

	for_each_attr(a, attrs, length, left) {
		switch (attr_type(a)) {
		case VNPU_A_MEM_TOTAL:
			m->total = attr_number(a);
			break;
		case VNPU_A_MEM_FREE:
			m->free = attr_number(a);
			break;
		case VNPU_A_MEM_LARGEST_FREE:
			m->largest_free = attr_number(a);
			break;
		case VNPU_A_MEM_OBJECTS:
			m->objects = attr_number(a);
			break;
		}
	}
}

static void parse_dirt(const struct nlattr *attrs, int length, void *data)
{
	struct observed_dirt *d = data;
	const struct nlattr *a;
	int left;

	for_each_attr(a, attrs, length, left) {
		if (attr_type(a) == VNPU_A_MEM_DIRTY)
			d->dirty = attr_number(a);
		else if (attr_type(a) == VNPU_A_MEM_CLEARED)
			d->cleared = attr_number(a);
		else if (attr_type(a) == VNPU_A_MEM_MOVED)
			d->moved = attr_number(a);
	}
}

static int ask_memory(__u32 device, parse_fn *parse, void *out)
{
	int family = family_id();

	if (family < 0)
		return family;
	return ask(family, VNPU_CMD_MEM_GET, VNPU_A_MEM_DEV_ID, &device,
		   sizeof(device), parse, out);
}

int observe_memory(__u32 device, struct observed_memory *out)
{
	memset(out, 0, sizeof(*out));
	return ask_memory(device, parse_memory, out);
}

int observe_dirt(__u32 device, struct observed_dirt *out)
{
	memset(out, 0, sizeof(*out));
	return ask_memory(device, parse_dirt, out);
}

struct client_list {
	struct observed_client *out;
	int max, count;
};

static void parse_usage(const struct nlattr *nest, struct observed_client *c)
{
	const struct nlattr *a;
	int left;

	for_each_attr(a, attr_data(nest), attr_length(nest), left) {
		if (attr_type(a) == VNPU_A_CLIENT_USAGE_MEM_USED)
			c->used += attr_number(a);
		else if (attr_type(a) == VNPU_A_CLIENT_USAGE_MEM_OBJECTS)
			c->objects += attr_number(a);
	}
}

static void parse_client(const struct nlattr *attrs, int length, void *data)
{
	struct client_list *list = data;
	struct observed_client c = {};
	const struct nlattr *a;
	int left;

	for_each_attr(a, attrs, length, left) {
		switch (attr_type(a)) {
		case VNPU_A_CLIENT_ID:
			c.id = attr_number(a);
			break;
		case VNPU_A_CLIENT_PID:
			c.pid = attr_number(a);
			break;
		case VNPU_A_CLIENT_NAME:
			snprintf(c.name, sizeof(c.name), "%.*s",
				 attr_length(a), (const char *)attr_data(a));
			break;
		case VNPU_A_CLIENT_BINDINGS:
			c.bindings = attr_number(a);
			break;
		case VNPU_A_CLIENT_USAGE:
			parse_usage(a, &c);
			break;
		}
	}
	if (list->count < list->max)
		list->out[list->count] = c;
	list->count++;
}

int observe_clients(struct observed_client *out, int max)
{
	struct client_list list = { out, max, 0 };
	int family = family_id(), ret;

	if (family < 0)
		return family;
	ret = ask(family, VNPU_CMD_CLIENT_GET, 0, NULL, 0, parse_client,
		  &list);
	return ret ? ret : list.count;
}
