// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of queries of 64 devices and 1000 clients; a reader that stops in
 * the middle of a reply delays no other process. The figures are printed
 * without a limit, since times on a busy machine mean little. vnpu-vm --icount
 * makes them comparable.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "client.h"
#include "nl.h"
#include "util.h"

#include "kselftest_harness.h"

#define DEVICES		64
#define CLIENTS		1000
#define DEVICE_SIZE	MIB(2)
#define TURNS		5
#define REPLACED	200

static const struct {
	const char *name;
	uint8_t command;
} dumps[] = {
	{ "devices", VNPU_CMD_DEV_GET },
	{ "memory", VNPU_CMD_MEM_GET },
	{ "clients", VNPU_CMD_CLIENT_GET },
	{ "exited clients", VNPU_CMD_HISTORY_GET },
	{ "slabs", VNPU_CMD_SLAB_GET },
	{ "streams", VNPU_CMD_STREAM_GET },
	{ "engines", VNPU_CMD_ENGINE_GET },
	{ "kernels", VNPU_CMD_KERNEL_GET },
	{ "quotas", VNPU_CMD_QUOTA_GET },
	{ "faults", VNPU_CMD_INJECT_GET },
};

FIXTURE(crowd) {
	struct client *clients;
	uint8_t *answer;
	int fd;
	int family;
	uint32_t added[DEVICES];
	uint32_t added_count;
	int devices;
};

static int ask_device(const FIXTURE_DATA(crowd) * self, uint8_t command,
		      uint16_t attr, const void *value, uint16_t size)
{
	struct nl_msg m;

	nl_init(&m, (uint16_t)self->family, 0, command);
	nl_put(&m, attr, value, size);
	return nl_ask(self->fd, &m, self->answer);
}

static int add_devices(FIXTURE_DATA(crowd) * self)
{
	const uint64_t size = DEVICE_SIZE;
	int ret = 0;

	self->devices = nl_dump(self->fd, self->family, VNPU_CMD_DEV_GET, NULL,
				NULL);
	for (; !ret && self->devices < DEVICES; self->devices++) {
		ret = ask_device(self, VNPU_CMD_DEV_ADD, VNPU_A_DEV_MEM_TOTAL,
				 &size, sizeof(size));
		if (!ret)
			self->added[self->added_count++] =
				nl_u32((void *)self->answer, VNPU_A_DEV_ID);
	}
	return ret;
}

static int remove_last(FIXTURE_DATA(crowd) * self)
{
	const uint32_t *last = &self->added[--self->added_count];

	return ask_device(self, VNPU_CMD_DEV_REMOVE, VNPU_A_DEV_ID, last,
			  sizeof(*last));
}

/* Each client has a page of memory, on one of the devices. */
static int open_clients(FIXTURE_DATA(crowd) * self)
{
	const struct rlimit limit = { CLIENTS + 64, CLIENTS + 64 };
	uint32_t id;
	int ret = 0, i;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	for (i = 0; !ret && i < CLIENTS; i++) {
		ret = client_open_only(&self->clients[i]);
		if (!ret)
			ret = mem_alloc(&self->clients[i],
					(uint32_t)(i % self->devices), 0, 0,
					PAGE, &id);
	}
	return ret;
}

FIXTURE_SETUP(crowd)
{
	int i;

	self->answer = malloc(NL_BUFFER);
	self->clients = calloc(CLIENTS, sizeof(*self->clients));
	ASSERT_NE(NULL, self->answer);
	ASSERT_NE(NULL, self->clients);
	for (i = 0; i < CLIENTS; i++)
		self->clients[i].fd = -1;
	self->fd = nl_open();
	self->family = nl_family(self->fd);
	ASSERT_LT(0, self->family);
	EXPECT_EQ(0, add_devices(self));
	EXPECT_EQ(0, open_clients(self));
}

static void close_clients(FIXTURE_DATA(crowd) * self)
{
	int i;

	for (i = 0; i < CLIENTS; i++)
		if (self->clients[i].fd >= 0)
			client_close(&self->clients[i]);
}

FIXTURE_TEARDOWN(crowd)
{
	close_clients(self);
	while (self->added_count)
		EXPECT_EQ(0, remove_last(self));
	close(self->fd);
	free(self->clients);
	free(self->answer);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* The shortest of a few rounds, to exclude other work of the machine. */
TEST_F_TIMEOUT(crowd, all_dumps, 300)
{
	uint64_t best[ARRAY_SIZE(dumps)], sum = 0;
	int counts[ARRAY_SIZE(dumps)];
	size_t i;
	int turn;

	memset(best, 0xff, sizeof(best));
	for (turn = 0; turn < TURNS; turn++)
		for (i = 0; i < ARRAY_SIZE(dumps); i++) {
			uint64_t start = now_ns(), took;

			counts[i] = nl_dump(self->fd, self->family,
					    dumps[i].command, NULL, NULL);
			took = now_ns() - start;
			if (took < best[i])
				best[i] = took;
		}
	for (i = 0; i < ARRAY_SIZE(dumps); i++) {
		EXPECT_LE(0, counts[i]);
		TH_LOG("%-14s %5d records %8" PRIu64 " ns", dumps[i].name,
		       counts[i], best[i]);
		sum += best[i];
	}
	TH_LOG("all together %" PRIu64 " ns", sum);
	EXPECT_EQ(DEVICES, counts[0]);
	EXPECT_LE(CLIENTS, counts[2]);
}

/* Return how many devices the client with most of them has. */
static int count_devices(const struct nlmsghdr *head, void *arg)
{
	const char *attrs = (const char *)NLMSG_DATA(head) + GENL_HDRLEN;
	size_t left = NLMSG_PAYLOAD(head, GENL_HDRLEN);
	int *most = arg, count = 0;
	uint16_t size;
	const char *usage;

	while ((usage = nl_find(attrs, left, VNPU_A_CLIENT_USAGE, &size))) {
		usage += NLA_ALIGN(size);
		left -= usage - attrs;
		attrs = usage;
		count++;
	}
	if (count > *most)
		*most = count;
	return 0;
}

/*
 * All of them are in one message, even for a reader that has read nothing yet.
 */
TEST_F_TIMEOUT(crowd, a_client_of_all_devices, 300)
{
	int fd = nl_open(), most = 0, i;
	uint32_t id;

	ASSERT_LE(0, fd);
	for (i = 0; i < self->devices; i++)
		ASSERT_EQ(0, mem_alloc(&self->clients[0], (uint32_t)i, 0, 0,
				       PAGE, &id));
	EXPECT_LE(CLIENTS, nl_dump(fd, self->family, VNPU_CMD_CLIENT_GET,
				   count_devices, &most));
	EXPECT_EQ(DEVICES, most);
	close(fd);
}

/* A number is free as soon as its device has no user and is removed. */
TEST_F_TIMEOUT(crowd, a_removed_device_is_replaced, 300)
{
	int i;

	close_clients(self);
	for (i = 0; i < REPLACED; i++) {
		ASSERT_EQ(0, remove_last(self));
		ASSERT_EQ(0, add_devices(self)) {
			TH_LOG("in turn %d", i);
		}
	}
}

/* Read a part of each reply, and no more until everything else is done. */
TEST_F_TIMEOUT(crowd, readers_that_stall, 300)
{
	int fds[ARRAY_SIZE(dumps)], size = 1, i;
	struct client client;
	struct nl_msg m;
	uint32_t id;
	size_t k;

	for (k = 0; k < ARRAY_SIZE(dumps); k++) {
		fds[k] = nl_open();
		ASSERT_LE(0, fds[k]);
		ASSERT_EQ(0, setsockopt(fds[k], SOL_SOCKET, SO_RCVBUF, &size,
					sizeof(size)));
		nl_init(&m, (uint16_t)self->family, NLM_F_DUMP,
			dumps[k].command);
		ASSERT_EQ(0, nl_send(fds[k], &m, m.head.nlmsg_len));
		ASSERT_LT(0, nl_receive(fds[k], self->answer));
	}
	for (i = 0; i < self->devices; i++) {
		ASSERT_EQ(0, client_open_only(&client));
		ASSERT_EQ(0, mem_alloc(&client, (uint32_t)i, 0, 0, PAGE, &id));
		ASSERT_EQ(0, mem_free(&client, id));
		client_close(&client);
	}
	/* Devices are removed, too. */
	while (self->added_count)
		EXPECT_EQ(0, remove_last(self));
	for (k = 0; k < ARRAY_SIZE(dumps); k++)
		close(fds[k]);
}

TEST_HARNESS_MAIN
