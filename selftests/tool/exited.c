// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of clients in the netlink family: events when they begin and end, and
 * the last statistics of those that have ended.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "nl.h"
#include "stream.h"
#include "util.h"

#include "kselftest_harness.h"

#define EXITED_MAX	256

FIXTURE(exited) {
	int fd;
	int family;
	uint8_t *buffer;
};

FIXTURE_SETUP(exited)
{
	self->fd = nl_open_family(&self->family);
	ASSERT_GE(self->fd, 0);
	self->buffer = malloc(NL_BUFFER);
	ASSERT_NE(NULL, self->buffer);
}

FIXTURE_TEARDOWN(exited)
{
	free(self->buffer);
	close(self->fd);
}

/* The entry to find in a dump, and its values. */
struct search {
	uint64_t id;
	bool found;
	uint32_t pid, host_pid, ns_pid, streams, device;
	uint64_t busy, opened, closed, used, peak;
	char name[16];
};

static void take_usage(struct search *s, const struct nlmsghdr *head)
{
	uint16_t length, size;
	const void *nest = nl_attr(head, VNPU_A_CLIENT_USAGE, &length), *data;

	if (!nest)
		return;
	data = nl_find(nest, length, VNPU_A_CLIENT_USAGE_DEV_ID, &size);
	memcpy(&s->device, data, sizeof(s->device));
	data = nl_find(nest, length, VNPU_A_CLIENT_USAGE_MEM_USED, &size);
	memcpy(&s->used, data, sizeof(s->used));
	data = nl_find(nest, length, VNPU_A_CLIENT_USAGE_MEM_PEAK, &size);
	memcpy(&s->peak, data, sizeof(s->peak));
}

static int look(const struct nlmsghdr *head, void *arg)
{
	struct search *s = arg;
	const char *name;
	uint16_t size;

	if (nl_u64(head, VNPU_A_CLIENT_ID) != s->id)
		return 0;
	s->found = true;
	s->pid = nl_u32(head, VNPU_A_CLIENT_PID);
	s->host_pid = nl_u32(head, VNPU_A_CLIENT_HOST_PID);
	s->ns_pid = nl_u32(head, VNPU_A_CLIENT_NS_PID);
	s->streams = nl_u32(head, VNPU_A_CLIENT_STREAMS);
	s->busy = nl_u64(head, VNPU_A_CLIENT_BUSY);
	s->opened = nl_u64(head, VNPU_A_CLIENT_OPENED);
	s->closed = nl_u64(head, VNPU_A_CLIENT_CLOSED);
	name = nl_attr(head, VNPU_A_CLIENT_NAME, &size);
	snprintf(s->name, sizeof(s->name), "%s", name ? name : "");
	take_usage(s, head);
	return 0;
}

static int find(const FIXTURE_DATA(exited) * self, uint8_t command,
		uint64_t id, struct search *s)
{
	*s = (struct search){ .id = id };
	return nl_dump(self->fd, self->family, command, look, s);
}

TEST_F(exited, statistics_of_ended_clients)
{
	struct client client;
	struct search s;
	uint32_t id, more;
	uint64_t number;

	ASSERT_EQ(0, client_open_only(&client));
	number = client_id(&client);
	ASSERT_EQ(0, mem_alloc(&client, 0, 0, 0, MIB(3), &id));
	ASSERT_EQ(0, mem_alloc(&client, 0, 0, 0, MIB(2), &more));
	ASSERT_EQ(0, mem_free(&client, id));
	ASSERT_LE(0, find(self, VNPU_CMD_HISTORY_GET, number, &s));
	EXPECT_FALSE(s.found);
	ASSERT_LE(1, find(self, VNPU_CMD_CLIENT_GET, number, &s));
	EXPECT_TRUE(s.found);
	EXPECT_EQ(UINT64_MAX, s.closed);
	client_close(&client);

	ASSERT_LE(0, find(self, VNPU_CMD_CLIENT_GET, number, &s));
	EXPECT_FALSE(s.found);
	ASSERT_LE(1, find(self, VNPU_CMD_HISTORY_GET, number, &s));
	ASSERT_TRUE(s.found);
	EXPECT_EQ(getpid(), s.pid);
	EXPECT_EQ(getpid(), s.ns_pid);
	EXPECT_EQ(getpid(), s.host_pid);
	EXPECT_STREQ("exited", s.name);
	EXPECT_EQ(0, s.device);
	EXPECT_EQ(MIB(2), s.used);
	EXPECT_EQ(MIB(5), s.peak);
	EXPECT_EQ(0, s.streams);
	EXPECT_EQ(0, s.busy);
	EXPECT_LT(s.opened, s.closed);
}

static void run_and_die(int ready)
{
	struct client client;
	struct stream stream;
	uint64_t id;
	int ret;

	ret = client_open(&client);
	if (!ret)
		ret = mem_alloc_at(&client, 0, 0, 0, MIB(8), client.base);
	if (!ret)
		ret = stream_create(&stream, &client, 0);
	if (ret)
		_exit(1);
	stream_put(&stream, task_fill(client.base, MIB(8), 0, 8));
	ret = stream_submit(&stream);
	if (!ret)
		ret = wait_point(&client, stream.id, 1, in_ms(10000));
	id = client_id(&client);
	if (ret || write(ready, &id, sizeof(id)) != sizeof(id))
		_exit(1);
	pause();
}

/* A killed process cannot close its client itself. */
TEST_F(exited, a_killed_client)
{
	struct search s;
	uint64_t number;
	int ready[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(ready));
	pid = fork_bound();
	ASSERT_GE(pid, 0);
	if (!pid)
		run_and_die(ready[1]);
	ASSERT_EQ(sizeof(number), read(ready[0], &number, sizeof(number)));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_LE(1, find(self, VNPU_CMD_HISTORY_GET, number, &s));
	ASSERT_TRUE(s.found);
	EXPECT_EQ(pid, s.pid);
	EXPECT_EQ(MIB(8), s.used);
	EXPECT_EQ(MIB(8), s.peak);
	EXPECT_EQ(1, s.streams);
	EXPECT_LT(0, s.busy);
	close(ready[0]);
	close(ready[1]);
}

TEST_F(exited, unused_clients_are_not_recorded)
{
	struct client client;
	struct search s;
	uint64_t number;

	ASSERT_EQ(0, client_open_only(&client));
	number = client_id(&client);
	client_close(&client);
	ASSERT_LE(0, find(self, VNPU_CMD_HISTORY_GET, number, &s));
	EXPECT_FALSE(s.found);
}

/*
 * The user's own entries: in order, without a gap, and with the last of them.
 */
struct order {
	uint64_t first, last;
	int count;
	bool is_wrong;
};

static int look_at_order(const struct nlmsghdr *head, void *arg)
{
	uint64_t id = nl_u64(head, VNPU_A_CLIENT_ID);
	struct order *o = arg;

	/* Another user has fewer entries, which are kept. */
	if (nl_u32(head, VNPU_A_CLIENT_UID) != getuid())
		return 0;
	if (o->count++ && id != o->last + 1)
		o->is_wrong = true;
	if (o->count == 1)
		o->first = id;
	o->last = id;
	return 0;
}

TEST_F(exited, oldest_entries_are_dropped)
{
	struct order order = { 0 };
	struct client client;
	uint64_t number = 0;
	uint32_t id;
	int i;

	for (i = 0; i < EXITED_MAX + 10; i++) {
		ASSERT_EQ(0, client_open_only(&client));
		ASSERT_EQ(0, mem_alloc(&client, 0, 0, 0, 1, &id));
		number = client_id(&client);
		client_close(&client);
	}
	ASSERT_EQ(EXITED_MAX, nl_dump(self->fd, self->family,
				      VNPU_CMD_HISTORY_GET, look_at_order,
				      &order));
	EXPECT_FALSE(order.is_wrong);
	EXPECT_EQ(number, order.last);
}

static int count_only(const struct nlmsghdr *head, void *arg)
{
	(void)head;
	(void)arg;
	return 0;
}

/* A reader that is slower than clients come and go gets whole replies. */
TEST_F(exited, a_dump_while_clients_end)
{
	struct client client;
	int i, j, ret;
	uint32_t id;
	pid_t pid;

	pid = fork_bound();
	ASSERT_GE(pid, 0);
	while (!pid) {
		if (client_open_only(&client))
			_exit(1);
		mem_alloc(&client, 0, 0, 0, 1, &id);
		client_close(&client);
	}
	for (i = j = 0; i < 200; i++) {
		ret = nl_dump(self->fd, self->family, VNPU_CMD_HISTORY_GET,
			      count_only, NULL);
		if (ret == -EINTR)
			continue;
		ASSERT_LE(0, ret);
		ASSERT_GE(EXITED_MAX, ret);
		j++;
	}
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_LT(0, j);
}

/* The result of a reader in a pid namespace of its own, as its exit status. */
static int look_from_inside(uint64_t number, bool drop)
{
	FIXTURE_DATA(exited) inside;
	struct search s;

	if (drop && (setresgid(65534, 65534, 65534) ||
		     setresuid(65534, 65534, 65534)))
		return 99;
	inside.fd = nl_open();
	inside.family = nl_family(inside.fd);
	if (find(&inside, VNPU_CMD_HISTORY_GET, number, &s) < 0 || !s.found)
		return 98;
	return (s.pid == 0) | (s.host_pid != UINT32_MAX) << 1 |
	       (s.ns_pid != UINT32_MAX) << 2 | (!*s.name) << 3;
}

TEST_F(exited, pids_are_those_of_the_readers_namespace)
{
	struct client client;
	uint64_t number;
	int i, status;
	uint32_t id;
	pid_t pid;

	ASSERT_EQ(0, client_open_only(&client));
	ASSERT_EQ(0, mem_alloc(&client, 0, 0, 0, 1, &id));
	number = client_id(&client);
	client_close(&client);
	for (i = 0; i < 2; i++) {
		pid = fork_bound();
		ASSERT_GE(pid, 0);
		if (!pid) {
			if (unshare(CLONE_NEWPID))
				_exit(97);
			pid = fork();
			if (!pid)
				_exit(look_from_inside(number, i));
			waitpid(pid, &status, 0);
			_exit(WEXITSTATUS(status));
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		/*
		 * A process that the reader cannot see; root gets its pid
		 * nevertheless.
		 */
		EXPECT_EQ(i ? 9 : 15, WEXITSTATUS(status));
	}
}

TEST_F(exited, events_report_begin_and_end)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	const struct genlmsghdr *genl = NLMSG_DATA(head);
	struct client client;
	uint64_t number;
	uint32_t id;
	int fd;

	fd = nl_open_events(self->buffer);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, client_open_only(&client));
	number = client_id(&client);
	ASSERT_GT(nl_receive(fd, self->buffer), 0);
	EXPECT_EQ(VNPU_CMD_OPEN_NTF, genl->cmd);
	EXPECT_EQ(number, nl_u64(head, VNPU_A_CLIENT_ID));
	EXPECT_EQ(UINT32_MAX, nl_u32(head, VNPU_A_CLIENT_PID));

	ASSERT_EQ(0, mem_alloc(&client, 0, 0, 0, MIB(1), &id));
	client_close(&client);
	ASSERT_GT(nl_receive(fd, self->buffer), 0);
	EXPECT_EQ(VNPU_CMD_CLOSE_NTF, genl->cmd);
	EXPECT_EQ(number, nl_u64(head, VNPU_A_CLIENT_ID));
	EXPECT_EQ(0, nl_u32(head, VNPU_A_CLIENT_STREAMS));
	EXPECT_EQ(0, nl_u64(head, VNPU_A_CLIENT_BUSY));
	EXPECT_LT(nl_u64(head, VNPU_A_CLIENT_OPENED),
		  nl_u64(head, VNPU_A_CLIENT_CLOSED));
	close(fd);
}

TEST_HARNESS_MAIN
