// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz the netlink family "vnpu": messages with random trees of attributes, to
 * every command except two, by an administrator; dumps that are read in part or
 * not at all.
 *
 * Bit 0 of step.how selects the socket. If bits 4 to 7 are all set, an
 * attribute has a wrong length.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../tool/nl_quota.h"
#include "client.h"
#include "fuzz.h"
#include "util.h"

enum op {
	OP_BEGIN,
	OP_U32,
	OP_U64,
	OP_U16,
	OP_FLAG,
	OP_STRING,
	OP_RAW,
	OP_NEST,
	OP_NEST_END,
	OP_SEND,
	OP_RECEIVE,
	OP_OPTION,
	OP_CLIENT,
	OP_MEMORY,
	OP_REOPEN,
	OPS,
};

static const __u8 ops[] = {
	OP_BEGIN, OP_BEGIN, OP_BEGIN, OP_U32, OP_U32, OP_U32, OP_U32, OP_U64,
	OP_U64, OP_U64, OP_U16, OP_FLAG, OP_STRING, OP_RAW, OP_NEST,
	OP_NEST_END, OP_SEND, OP_SEND, OP_SEND, OP_SEND, OP_RECEIVE,
	OP_RECEIVE, OP_OPTION, OP_CLIENT, OP_MEMORY, OP_REOPEN,
};

#define SOCKETS		2
#define CLIENTS_MAX	4
#define NESTS_MAX	8

static int family;
static int observer = -1;
static int device_total;
static __u64 free_total;

/* For the process that runs a program. */
static int sockets[SOCKETS];
static struct nl_msg message;
static struct nlattr *nests[NESTS_MAX];
static unsigned int nest_count;
static struct client clients[CLIENTS_MAX];
static unsigned int client_count;

static __u64 number(__u8 byte)
{
	static const __u64 odd[] = {
		0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
		0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
		0x8000000000000000, 0xfffffffffffffffe, 0xffffffffffffffff,
		1 << 20, 1 << 21,
	};
	struct vnpu_info i;

	if (byte < 0xc0)
		return byte & 0x1f;
	if (byte < 0xd0 && client_count &&
	    !info(&clients[byte % client_count], &i))
		return i.out_client_id;
	return odd[byte % 16];
}

static void put(const struct step *s, const void *data, __u16 length)
{
	__u16 type = s->arg[0] % 28;
	struct nlattr *a = (void *)((char *)&message +
				    NLMSG_ALIGN(message.head.nlmsg_len));

	if (message.head.nlmsg_len + length + 16 > sizeof(message))
		return;
	if (s->arg[1] >= 0xf0)
		type |= (s->arg[1] & 1) ? NLA_F_NESTED : NLA_F_NET_BYTEORDER;
	nl_put(&message, type, data, length);
	if (s->how >> 4 == 0xf)
		a->nla_len = s->arg[13];
}

static void nest_begin(const struct step *s)
{
	if (nest_count == NESTS_MAX)
		return;
	nests[nest_count] = (void *)((char *)&message +
				     NLMSG_ALIGN(message.head.nlmsg_len));
	put(s, NULL, 0);
	nest_count++;
}

static void nest_end(void)
{
	char *end = (char *)&message + message.head.nlmsg_len;

	if (nest_count) {
		nest_count--;
		nests[nest_count]->nla_len = end - (char *)nests[nest_count];
	}
}

/* All except those whose effect is not undone afterwards. */
static __u8 command_of(__u8 byte)
{
	__u8 command = 1 + byte % (VNPU_CMD_MAX + 1);

	return command == VNPU_CMD_DEV_ADD || command == VNPU_CMD_DEV_REMOVE ?
	       VNPU_CMD_DEV_GET : command;
}

static void begin(const struct step *s)
{
	__u16 flags = s->arg[1] >= 0x80 ? NLM_F_DUMP : 0;

	if (s->arg[2] >= 0xe0)
		flags |= s->arg[2] & 0x1f;
	nl_init(&message, family, flags, command_of(s->arg[0]));
	if (s->arg[3] >= 0xf8)
		message.genl.version = s->arg[4];
	nest_count = 0;
}

static void option(const struct step *s)
{
	static const int options[] = {
		NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK,
		NETLINK_NO_ENOBUFS, NETLINK_BROADCAST_ERROR, NETLINK_PKTINFO,
		NETLINK_LISTEN_ALL_NSID, NETLINK_ADD_MEMBERSHIP,
	};
	int value = s->arg[1], fd = sockets[s->how & 1];

	setsockopt(fd, SOL_NETLINK, options[s->arg[0] & 7], &value,
		   sizeof(value));
	if (s->arg[2] >= 0xc0) {
		/* So small that events are lost. */
		value = 1;
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, sizeof(value));
	}
}

static void client_add(void)
{
	if (client_count < CLIENTS_MAX && !client_open(&clients[client_count]))
		client_count++;
}

static void memory_add(const struct step *s)
{
	struct client *c = &clients[s->arg[0] % CLIENTS_MAX];
	__u32 id;

	if (client_count && !c->base)
		c = &clients[0];
	if (client_count)
		mem_alloc(c, 0, s->arg[1] & 3, s->arg[1] & 4 ? 21 : 0,
			  1ULL << (s->arg[2] % 24), &id);
}

static int socket_open(void)
{
	const struct timeval limit = { .tv_usec = 20000 };
	int fd = nl_open();

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return fd;
}

static void step(const struct step *s)
{
	static __u8 buffer[NL_BUFFER];
	int *fd = &sockets[s->how & 1];
	__u64 value = number(s->arg[2]);

	switch (s->op % OPS) {
	case OP_BEGIN:
		begin(s);
		break;
	case OP_U32:
		put(s, &value, sizeof(__u32));
		break;
	case OP_U64:
		put(s, &value, sizeof(__u64));
		break;
	case OP_U16:
		put(s, &value, s->arg[3] & 1 ? sizeof(__u16) : sizeof(__u8));
		break;
	case OP_FLAG:
		put(s, NULL, 0);
		break;
	case OP_STRING:
		put(s, "vnpu/vnpu/vnpu", s->arg[3] % 16);
		break;
	case OP_RAW:
		put(s, &s->arg[2], s->arg[1] % 12);
		break;
	case OP_NEST:
		nest_begin(s);
		break;
	case OP_NEST_END:
		nest_end();
		break;
	case OP_SEND:
		if (s->arg[0] >= 0xf0)
			message.head.nlmsg_len += s->arg[1] % 8 - 4;
		nl_send(*fd, &message, message.head.nlmsg_len % 600);
		break;
	case OP_RECEIVE:
		recv(*fd, buffer, s->arg[0] & 1 ? sizeof(buffer) : s->arg[1],
		     s->arg[2] & 1 ? MSG_DONTWAIT : 0);
		break;
	case OP_OPTION:
		option(s);
		break;
	case OP_CLIENT:
		client_add();
		break;
	case OP_MEMORY:
		memory_add(s);
		break;
	case OP_REOPEN:
		close(*fd);
		*fd = socket_open();
		break;
	}
}

static void run(const struct program *p)
{
	static const struct step first = { .op = OP_BEGIN };
	__u32 i;

	for (i = 0; i < SOCKETS; i++)
		sockets[i] = socket_open();
	begin(&first);
	for (i = 0; i < p->count; i++)
		step(&p->steps[i]);
	for (i = 0; i < SOCKETS; i++)
		close(sockets[i]);
	for (i = 0; i < client_count; i++)
		client_close(&clients[i]);
}

static int add_free(const struct nlmsghdr *head, void *sum)
{
	*(__u64 *)sum += nl_u64(head, VNPU_A_MEM_FREE);
	return 0;
}

/* One of the existing quotas. */
static int any_quota(const struct nlmsghdr *head, void *arg)
{
	quota_take(head, arg);
	return 0;
}

/* Actions of an administrator that would affect other clients. */
static const char *undo(void)
{
	static __u8 answer[NL_BUFFER];
	struct nl_msg m;
	struct quota q;
	int d, ret;

	for (d = 0; d < device_total; d++) {
		nl_init(&m, family, 0, VNPU_CMD_INJECT_SET);
		nl_put_u32(&m, VNPU_A_INJECT_DEV_ID, d);
		nl_put(&m, VNPU_A_INJECT_CLEAR, NULL, 0);
		if (nl_ask(observer, &m, answer))
			return "faults cannot be taken back";
	}
	for (;;) {
		ret = nl_dump(observer, family, VNPU_CMD_QUOTA_GET, any_quota,
			      &q);
		if (!ret)
			return NULL;
		if (ret < 0 && ret != -EINTR)
			return "quotas cannot be listed";
		/* The client may have ended with it. */
		if (ret > 0)
			ret = quota_set_of(q.device, q.resource, q.scope, q.id,
					   NULL);
		if (ret < 0 && ret != -ENOENT && ret != -EINTR)
			return "a quota cannot be removed";
	}
}

static const char *check(void)
{
	const char *wrong = undo();
	__u64 sum = 0;

	if (wrong)
		return wrong;
	if (nl_dump(observer, family, VNPU_CMD_DEV_GET, NULL, NULL) !=
	    device_total)
		return "a device does not respond any more";
	if (nl_dump(observer, family, VNPU_CMD_CLIENT_GET, NULL, NULL))
		return "a client is left";
	nl_dump(observer, family, VNPU_CMD_MEM_GET, add_free, &sum);
	return sum == free_total ? NULL : "device memory was not freed";
}

static const char *setup(void)
{
	observer = nl_open();
	family = nl_family(observer);
	if (family < 0)
		return "no family vnpu";
	device_total = nl_dump(observer, family, VNPU_CMD_DEV_GET, NULL, NULL);
	nl_dump(observer, family, VNPU_CMD_MEM_GET, add_free, &free_total);
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct target target = {
		.name = "netlink",
		.ops = ops,
		.op_count = sizeof(ops),
		.setup = setup,
		.run = run,
		.check = check,
	};

	return fuzz_main(argc, argv, &target);
}
