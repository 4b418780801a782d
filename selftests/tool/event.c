// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of a failed request for device memory: the event of the netlink
 * family, the tracepoint and the log. Also reports of compactions.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/klog.h>
#include <time.h>

#include "client.h"
#include "nl.h"
#include "util.h"

#include "kselftest_harness.h"

#define TOO_MUCH	(1ULL << 50)
#define TRACING		"/sys/kernel/tracing"

FIXTURE(event) {
	struct client client;
	uint64_t client_id;
	uint8_t *buffer;
};

FIXTURE_SETUP(event)
{
	struct vnpu_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, client_open_only(&self->client));
	ASSERT_EQ(0, call(self->client.fd, VNPU_IOCTL_INFO, &info));
	self->client_id = info.out_client_id;
	self->buffer = malloc(NL_BUFFER);
	ASSERT_NE(NULL, self->buffer);
}

FIXTURE_TEARDOWN(event)
{
	free(self->buffer);
	client_close(&self->client);
}

static void fail_once(struct __test_metadata *_metadata,
		      const FIXTURE_DATA(event) * self, uint32_t flags)
{
	uint32_t id;

	ASSERT_EQ(-ENOSPC, mem_alloc(&self->client, 0, flags,
				     VNPU_PAGE_SHIFT_2M, TOO_MUCH, &id));
}

TEST_F(event, a_failure_is_reported)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	const struct genlmsghdr *genl = NLMSG_DATA(head);
	struct vnpu_device_query q;
	const void *nest, *data;
	uint16_t length, size;
	uint64_t value;
	uint32_t id;
	int fd;

	fd = nl_open_events(self->buffer);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(3), &id));
	ASSERT_EQ(0, device_query(&self->client, 0, &q));
	fail_once(_metadata, self, VNPU_MEM_F_CONTIGUOUS);
	ASSERT_GT(nl_receive(fd, self->buffer), 0);
	EXPECT_EQ(VNPU_CMD_OOM_NTF, genl->cmd);
	EXPECT_EQ(self->client_id, nl_u64(head, VNPU_A_OOM_CLIENT_ID));
	EXPECT_EQ(0, nl_u32(head, VNPU_A_OOM_DEV_ID));
	EXPECT_EQ(TOO_MUCH, nl_u64(head, VNPU_A_OOM_LENGTH));
	EXPECT_EQ(MIB(2), nl_u64(head, VNPU_A_OOM_PAGE_SIZE));
	EXPECT_NE(NULL, nl_attr(head, VNPU_A_OOM_CONTIGUOUS, &size));
	EXPECT_EQ(q.out_free, nl_u64(head, VNPU_A_OOM_FREE));
	EXPECT_GE(1000, nl_u32(head, VNPU_A_OOM_FRAG_INDEX));
	EXPECT_EQ(0, nl_u32(head, VNPU_A_OOM_COMPACTION_HELPS));

	nest = nl_attr(head, VNPU_A_OOM_HOLDER, &length);
	ASSERT_NE(NULL, nest);
	data = nl_find(nest, length, VNPU_A_OOM_HOLDER_CLIENT_ID, &size);
	memcpy(&value, data, sizeof(value));
	EXPECT_EQ(self->client_id, value);
	data = nl_find(nest, length, VNPU_A_OOM_HOLDER_MEM_USED, &size);
	memcpy(&value, data, sizeof(value));
	EXPECT_EQ(MIB(3), value);

	nest = nl_attr(head, VNPU_A_OOM_CLASS, &length);
	ASSERT_NE(NULL, nest);
	data = nl_find(nest, length, VNPU_A_MEM_CLASS_FREE, &size);
	memcpy(&value, data, sizeof(value));
	EXPECT_EQ(q.out_free, value);
	close(fd);
}

TEST_F(event, a_try_is_not_reported)
{
	int fd = nl_open_events(self->buffer);

	ASSERT_GE(fd, 0);
	fail_once(_metadata, self, VNPU_MEM_F_TRY);
	EXPECT_EQ(-1, recv(fd, self->buffer, NL_BUFFER, MSG_DONTWAIT));
	EXPECT_EQ(EAGAIN, errno);
	close(fd);
}

/* Receive the events of failures that are there, and return their number. */
static int count_failures(int fd, uint8_t *buffer)
{
	const struct genlmsghdr *genl = NLMSG_DATA((struct nlmsghdr *)buffer);
	int nr = 0;

	while (recv(fd, buffer, NL_BUFFER, MSG_DONTWAIT) > 0)
		nr += genl->cmd == VNPU_CMD_OOM_NTF;
	return nr;
}

/* A client that fails in a loop does not flood the listeners. */
TEST_F(event, failures_of_a_client_are_limited)
{
	int fd = nl_open_events(self->buffer), nr, i;
	time_t begin = time(NULL);
	struct client other;
	uint32_t id;

	ASSERT_GE(fd, 0);
	for (i = 0; i < 20; i++)
		fail_once(_metadata, self, 0);
	nr = count_failures(fd, self->buffer);
	EXPECT_GE(nr, 3);
	EXPECT_LE(nr, 3 * (2 + (time(NULL) - begin) / 5));

	/* The limit of another client is its own. */
	ASSERT_EQ(0, client_open_only(&other));
	ASSERT_EQ(-ENOSPC, mem_alloc(&other, 0, 0, 0, TOO_MUCH, &id));
	EXPECT_EQ(1, count_failures(fd, self->buffer));
	client_close(&other);
	close(fd);
}

/* A reader that does not read loses events, and delays no other process. */
TEST_F(event, a_slow_reader_loses_events)
{
	int fd = nl_open_events(self->buffer);
	int size = 4096, i;
	struct client c;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size,
				sizeof(size)));
	for (i = 0; i < 200; i++) {
		ASSERT_EQ(0, client_open_only(&c));
		client_close(&c);
	}
	for (i = 0; i < 200; i++)
		if (recv(fd, self->buffer, NL_BUFFER, MSG_DONTWAIT) < 0 &&
		    errno == EAGAIN)
			break;
	EXPECT_LT(i, 200);
	close(fd);
}

TEST_F(event, another_network_namespace)
{
	int ready[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(ready));
	pid = fork_bound();
	ASSERT_GE(pid, 0);
	if (!pid) {
		int fd;

		if (unshare(CLONE_NEWNET))
			_exit(10);
		fd = nl_open_events(self->buffer);
		if (fd < 0 || write(ready[1], "", 1) != 1)
			_exit(11);
		if (nl_receive(fd, self->buffer) <= 0)
			_exit(12);
		_exit(nl_u64((void *)self->buffer, VNPU_A_OOM_CLIENT_ID) ==
		      self->client_id ? 0 : 13);
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	fail_once(_metadata, self, 0);
	EXPECT_EQ(0, child_wait(pid));
}

#define PIECES	32

/* Pieces of equal length, with as much free memory between them. */
static int make_pieces(const struct client *c, uint64_t *piece)
{
	struct vnpu_device_query q;
	uint32_t ids[PIECES];
	int ret, i;

	ret = device_query(c, 0, &q);
	*piece = q.out_free / PIECES / PAGE * PAGE;
	for (i = 0; !ret && i < PIECES; i++)
		ret = mem_alloc(c, 0, 0, 0, *piece, &ids[i]);
	for (i = 0; !ret && i < PIECES; i += 2)
		ret = mem_free(c, ids[i]);
	return ret;
}

TEST_F(event, a_compaction_is_reported)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	const struct genlmsghdr *genl = NLMSG_DATA(head);
	uint64_t piece;
	uint32_t id;
	int fd;

	ASSERT_EQ(0, make_pieces(&self->client, &piece));
	fd = nl_open_events(self->buffer);
	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, mem_alloc(&self->client, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       2 * piece, &id));
	ASSERT_GT(nl_receive(fd, self->buffer), 0);
	EXPECT_EQ(VNPU_CMD_COMPACT_NTF, genl->cmd);
	EXPECT_EQ(0, nl_u32(head, VNPU_A_COMPACTION_DEV_ID));
	EXPECT_EQ(VNPU_COMPACT_REASON_ALLOCATION,
		  nl_u32(head, VNPU_A_COMPACTION_REASON));
	EXPECT_EQ(self->client_id, nl_u64(head, VNPU_A_COMPACTION_CLIENT_ID));
	EXPECT_LE(piece, nl_u64(head, VNPU_A_COMPACTION_MOVED));
	EXPECT_LE(1, nl_u64(head, VNPU_A_COMPACTION_OBJECTS));
	EXPECT_LT(0, nl_u64(head, VNPU_A_COMPACTION_DURATION));
	EXPECT_EQ(0, nl_u32(head, VNPU_A_COMPACTION_RESULT));

	/* No memory is moved for a request that would not fit anyway. */
	fail_once(_metadata, self, VNPU_MEM_F_CONTIGUOUS);
	ASSERT_GT(nl_receive(fd, self->buffer), 0);
	EXPECT_EQ(VNPU_CMD_OOM_NTF, genl->cmd);
	close(fd);
}

TEST_F(event, a_requested_compaction_is_reported)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	const struct genlmsghdr *genl = NLMSG_DATA(head);
	int fd = nl_open(), events = nl_open_events(self->buffer);
	uint16_t size;
	struct nl_msg m;

	ASSERT_GE(events, 0);
	nl_init(&m, (uint16_t)nl_family(fd), 0, VNPU_CMD_COMPACT);
	nl_put_u32(&m, VNPU_A_MEM_DEV_ID, 0);
	ASSERT_EQ(0, nl_ask(fd, &m, self->buffer));
	ASSERT_GT(nl_receive(events, self->buffer), 0);
	EXPECT_EQ(VNPU_CMD_COMPACT_NTF, genl->cmd);
	EXPECT_EQ(VNPU_COMPACT_REASON_REQUEST,
		  nl_u32(head, VNPU_A_COMPACTION_REASON));
	EXPECT_EQ(NULL, nl_attr(head, VNPU_A_COMPACTION_CLIENT_ID, &size));
	EXPECT_EQ(0, nl_u64(head, VNPU_A_COMPACTION_MOVED));
	EXPECT_EQ(0, nl_u64(head, VNPU_A_COMPACTION_OBJECTS));
	EXPECT_EQ(0, nl_u32(head, VNPU_A_COMPACTION_RESULT));
	close(events);
	close(fd);
}

static bool put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) > 0;

	close(fd);
	return done;
}

TEST_F(event, the_tracepoint)
{
	char expected[64];
	ssize_t length;
	int fd;

	if (!put_text(TRACING "/events/vnpu/vnpu_oom/enable", "1"))
		SKIP(return, "tracefs is not mounted");
	fail_once(_metadata, self, 0);
	put_text(TRACING "/events/vnpu/vnpu_oom/enable", "0");
	fd = open(TRACING "/trace", O_RDONLY | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	length = read(fd, self->buffer, NL_BUFFER - 1);
	ASSERT_GT(length, 0);
	self->buffer[length] = '\0';
	close(fd);
	snprintf(expected, sizeof(expected),
		 "vnpu_oom: device=0 client=%llu length=%llu",
		 (unsigned long long)self->client_id, TOO_MUCH);
	EXPECT_NE(NULL, strstr((char *)self->buffer, expected));
	put_text(TRACING "/trace", "\n");
}

/* The message is there, and is rate-limited. */
TEST_F(event, the_log)
{
	enum { READ_ALL = 3, CLEAR = 5 };
	int i, length, lines = 0;
	const char *line;

	ASSERT_EQ(0, klogctl(CLEAR, NULL, 0));
	/* The limit applies to five seconds. */
	sleep(6);
	for (i = 0; i < 100; i++)
		fail_once(_metadata, self, 0);
	length = klogctl(READ_ALL, (char *)self->buffer, NL_BUFFER - 1);
	ASSERT_GT(length, 0);
	self->buffer[length] = '\0';
	for (line = (char *)self->buffer;
	     (line = strstr(line, "vnpu: device 0: cannot allocate")); line++)
		lines++;
	EXPECT_GE(lines, 1);
	EXPECT_LE(lines, 9);
}

TEST_HARNESS_MAIN
