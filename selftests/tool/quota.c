// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quotas by netlink: access rights, invalid requests, dumps of many, and
 * reports when a quota refuses memory.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/klog.h>
#include <sys/resource.h>

#include "client.h"
#include "nl_quota.h"
#include "util.h"

#include "kselftest_harness.h"

#define CLIENT	VNPU_QUOTA_SCOPE_CLIENT
#define UID	VNPU_QUOTA_SCOPE_UID
#define CGROUP	VNPU_QUOTA_SCOPE_CGROUP

/* User ids without other processes, from this number on. */
#define USERS	600000
#define MANY	600

FIXTURE(quota) {
	int fd;
	int family;
	struct client client;
	uint64_t client_id;
	uint8_t *buffer;
};

FIXTURE_SETUP(quota)
{
	struct vnpu_info i;

	self->fd = nl_open_family(&self->family);
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, client_open_only(&self->client));
	ASSERT_EQ(0, info(&self->client, &i));
	self->client_id = i.out_client_id;
	self->buffer = malloc(NL_BUFFER);
	ASSERT_NE(NULL, self->buffer);
	/* Check that no other test has left a quota. */
	ASSERT_EQ(0, nl_dump(self->fd, self->family, VNPU_CMD_QUOTA_GET, NULL,
			     NULL));
}

FIXTURE_TEARDOWN(quota)
{
	client_close(&self->client);
	EXPECT_EQ(0, nl_dump(self->fd, self->family, VNPU_CMD_QUOTA_GET, NULL,
			     NULL));
	free(self->buffer);
	close(self->fd);
}

TEST_F(quota, the_reply_is_the_quota)
{
	uint64_t limit = MIB(5);
	struct quota q;
	uint32_t id;

	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(2), &id));
	ASSERT_EQ(0, quota_ask(VNPU_CMD_QUOTA_SET, 0, CLIENT, self->client_id,
			       &limit, &q));
	EXPECT_EQ(0, q.device);
	EXPECT_EQ(CLIENT, q.scope);
	EXPECT_EQ(self->client_id, q.id);
	EXPECT_EQ(MIB(5), q.limit);
	EXPECT_EQ(MIB(2), q.used);
	EXPECT_EQ(0, q.refused);
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->client, 0, 0, 0, MIB(4), &id));
	ASSERT_EQ(0, quota_ask(VNPU_CMD_QUOTA_REMOVE, 0, CLIENT,
			       self->client_id, NULL, &q));
	EXPECT_EQ(MIB(5), q.limit);
	EXPECT_EQ(MIB(2), q.used);
	EXPECT_EQ(1, q.refused);
}

TEST_F(quota, unknown_quotas)
{
	uint64_t limit = 0;

	EXPECT_EQ(-ENOENT, quota_set(0, CLIENT, 0, 0));
	EXPECT_EQ(-ENOENT, quota_set(0, CLIENT, self->client_id + 1000, 0));
	EXPECT_EQ(-ENOENT, quota_set(0, CLIENT, UINT64_MAX, 0));
	EXPECT_EQ(-ENOENT, quota_set(0, CGROUP, 0, 0));
	EXPECT_EQ(-ENOENT, quota_set(0, CGROUP, UINT64_MAX, 0));
	EXPECT_EQ(-ENODEV, quota_set(VNPU_MAX_DEVICES, UID, 1, 0));
	EXPECT_EQ(-ENODEV, quota_set(UINT32_MAX, UID, 1, 0));
	EXPECT_EQ(-ENOENT, quota_remove(0, UID, USERS));
	EXPECT_EQ(-ENOENT, quota_remove(0, CLIENT, self->client_id));
	EXPECT_EQ(-ENOENT, quota_remove(0, CGROUP, 1));
	EXPECT_EQ(-ENODEV, quota_remove(VNPU_MAX_DEVICES, UID, 1));
	/* A dump is sent, and no other reply. */
	EXPECT_EQ(-EOPNOTSUPP, quota_ask(VNPU_CMD_QUOTA_GET, 0, UID, 0, NULL,
					 NULL));
	EXPECT_EQ(-EOPNOTSUPP, quota_ask(VNPU_CMD_QUOTA_NTF, 0, UID, 0, &limit,
					 NULL));
}

TEST_F(quota, invalid_values)
{
	static const uint32_t scopes[] = { 0, 4, 5, 255, UINT32_MAX };
	uint64_t limit = 0;
	size_t i;

	for (i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		EXPECT_GT(0, quota_set(0, scopes[i], 1, 0));
		EXPECT_GT(0, quota_remove(0, scopes[i], 1));
	}
	EXPECT_EQ(-EINVAL, quota_set(0, UID, UINT32_MAX, 0));
	EXPECT_EQ(-EINVAL, quota_set(0, UID, 1ULL << 32, 0));
	EXPECT_EQ(-EINVAL, quota_set(0, UID, UINT64_MAX, 0));
	EXPECT_EQ(-EINVAL, quota_remove(0, UID, 1ULL << 32));
	/* A removal has no limit, but setting a quota has one. */
	EXPECT_EQ(-EINVAL, quota_ask(VNPU_CMD_QUOTA_REMOVE, 0, UID, USERS,
				     &limit, NULL));
	EXPECT_EQ(-EINVAL, quota_ask(VNPU_CMD_QUOTA_SET, 0, UID, USERS, NULL,
				     NULL));
}

/* Each attribute is required, and has one length. */
TEST_F(quota, attributes)
{
	static const uint16_t lengths[] = { 4, 4, 8, 8 };
	static const uint8_t zeros[16];
	struct nl_msg m;
	uint16_t type, bad, length;

	for (bad = VNPU_A_QUOTA_DEV_ID; bad <= VNPU_A_QUOTA_LIMIT; bad++) {
		for (length = 0; length <= sizeof(zeros); length++) {
			if (length == lengths[bad - 1])
				continue;
			nl_init(&m, (uint16_t)self->family, 0,
				VNPU_CMD_QUOTA_SET);
			for (type = 1; type <= VNPU_A_QUOTA_LIMIT; type++) {
				uint64_t one = 1;

				if (type != bad)
					nl_put(&m, type, &one,
					       lengths[type - 1]);
				else if (length)
					nl_put(&m, type, zeros, length);
			}
			EXPECT_EQ(-EINVAL, nl_ask(self->fd, &m, self->buffer)) {
				TH_LOG("type %u length %u", bad, length);
			}
		}
	}
	for (type = VNPU_A_QUOTA_USED; type < VNPU_A_QUOTA_MAX + 2; type++) {
		nl_init(&m, (uint16_t)self->family, 0, VNPU_CMD_QUOTA_SET);
		nl_put_u32(&m, type, 0);
		EXPECT_EQ(-EINVAL, nl_ask(self->fd, &m, self->buffer));
	}
}

/* Run in a child; its exit status identifies the first unexpected result. */
static int be_refused(uint64_t client_id)
{
	struct quota q;

	if (quota_set(0, CLIENT, client_id, 0) != -EPERM)
		return 20;
	if (quota_remove(0, CLIENT, client_id) != -EPERM)
		return 21;
	if (quota_set(0, UID, 0, 0) != -EPERM)
		return 22;
	/* All users may list them. */
	if (quota_get(0, CLIENT, client_id, &q) || q.limit != MIB(7))
		return 23;
	return 0;
}

TEST_F(quota, access_rights)
{
	pid_t pid;

	ASSERT_EQ(0, quota_set(0, CLIENT, self->client_id, MIB(7)));
	pid = fork_bound();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (setresuid(65534, 65534, 65534))
			_exit(10);
		_exit(be_refused(self->client_id));
	}
	EXPECT_EQ(0, child_wait(pid));

	/* Root of a user namespace has no privileges here. */
	pid = fork_bound();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
			_exit(10);
		_exit(be_refused(self->client_id));
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0, quota_remove(0, CLIENT, self->client_id));
}

/* User ids are reported as seen in the reader's user namespace. */
TEST_F(quota, users_of_a_user_namespace)
{
	struct quota q;
	pid_t pid;

	ASSERT_EQ(0, quota_set(0, UID, USERS, MIB(7)));
	ASSERT_EQ(0, quota_get(0, UID, USERS, &q));
	pid = fork_bound();
	ASSERT_GE(pid, 0);
	if (!pid) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
			_exit(10);
		if (quota_get(0, UID, USERS, &q) != -ENOENT)
			_exit(11);
		_exit(quota_get(0, UID, 65534, &q) || q.limit != MIB(7));
	}
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0, quota_remove(0, UID, USERS));
}

struct seen {
	uint64_t next;
	uint64_t sum;
};

static int count_quota(const struct nlmsghdr *head, void *arg)
{
	struct seen *seen = arg;
	struct quota q;

	quota_take(head, &q);
	if (q.scope != UID || q.id < seen->next)
		return -EBADMSG;
	seen->next = q.id + 1;
	seen->sum += q.limit;
	return 0;
}

TEST_F_TIMEOUT(quota, many_are_dumped_completely, 120)
{
	struct seen seen = { 0 };
	uint64_t sum = 0;
	int i;

	for (i = 0; i < MANY; i++) {
		/* In no order. */
		int user = i * 7 % MANY;

		ASSERT_EQ(0, quota_set(0, UID, USERS + user, PAGE * user));
		sum += PAGE * user;
	}
	EXPECT_EQ(MANY, nl_dump(self->fd, self->family, VNPU_CMD_QUOTA_GET,
				count_quota, &seen));
	EXPECT_EQ(sum, seen.sum);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, quota_remove(0, UID, USERS + i));
}

TEST_F_TIMEOUT(quota, a_dump_reports_that_they_changed, 120)
{
	const struct nlmsghdr *head;
	bool interrupted = false, done = false;
	struct nl_msg m;
	ssize_t left;
	int i;

	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, quota_set(0, UID, USERS + i, 0));
	nl_init(&m, (uint16_t)self->family, NLM_F_DUMP, VNPU_CMD_QUOTA_GET);
	ASSERT_EQ(0, nl_send(self->fd, &m, m.head.nlmsg_len));
	ASSERT_GT(nl_receive(self->fd, self->buffer), 0);
	for (i = 0; i < MANY; i++)
		ASSERT_EQ(0, quota_remove(0, UID, USERS + i));
	while (!done) {
		left = nl_receive(self->fd, self->buffer);
		ASSERT_GT(left, 0);
		for (head = (void *)self->buffer; NLMSG_OK(head, left);
		     head = NLMSG_NEXT(head, left)) {
			interrupted |= !!(head->nlmsg_flags & NLM_F_DUMP_INTR);
			done |= head->nlmsg_type == NLMSG_DONE;
		}
	}
	EXPECT_TRUE(interrupted);
}

TEST_F(quota, a_refusal_is_reported)
{
	const struct nlmsghdr *head = (void *)self->buffer;
	const struct genlmsghdr *genl = NLMSG_DATA(head);
	int fd = nl_open_events(self->buffer), events, i;
	uint32_t id;

	ASSERT_GE(fd, 0);
	ASSERT_EQ(0, mem_alloc(&self->client, 0, 0, 0, MIB(1), &id));
	ASSERT_EQ(0, quota_set(0, CLIENT, self->client_id, MIB(2)));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->client, 0, VNPU_MEM_F_TRY, 0,
				     MIB(3), &id));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->client, 0, 0, 0, MIB(4), &id));
	ASSERT_GT(nl_receive(fd, self->buffer), 0);
	EXPECT_EQ(VNPU_CMD_QUOTA_NTF, genl->cmd);
	EXPECT_EQ(0, nl_u32(head, VNPU_A_QUOTA_DEV_ID));
	EXPECT_EQ(CLIENT, nl_u32(head, VNPU_A_QUOTA_SCOPE));
	EXPECT_EQ(self->client_id, nl_u64(head, VNPU_A_QUOTA_ID));
	EXPECT_EQ(MIB(2), nl_u64(head, VNPU_A_QUOTA_LIMIT));
	EXPECT_EQ(MIB(1), nl_u64(head, VNPU_A_QUOTA_USED));
	EXPECT_EQ(2, nl_u64(head, VNPU_A_QUOTA_REFUSED));
	EXPECT_EQ(self->client_id, nl_u64(head, VNPU_A_QUOTA_CLIENT_ID));
	EXPECT_EQ(MIB(4), nl_u64(head, VNPU_A_QUOTA_LENGTH));

	/* Reports are limited; the burst is 3 in 5 seconds. */
	for (i = 0; i < 200; i++)
		EXPECT_EQ(-EDQUOT, mem_alloc(&self->client, 0, 0, 0, MIB(4),
					     &id));
	for (events = 0; recv(fd, self->buffer, NL_BUFFER, MSG_DONTWAIT) > 0;)
		events++;
	EXPECT_LE(2, events);
	EXPECT_GE(8, events);

	/* Each quota has its own limit; the id of a user is not reported. */
	ASSERT_EQ(0, quota_remove(0, CLIENT, self->client_id));
	ASSERT_EQ(0, quota_set(0, UID, 0, 0));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->client, 0, 0, 0, 1, &id));
	EXPECT_EQ(0, quota_remove(0, UID, 0));
	ASSERT_GT(nl_receive(fd, self->buffer), 0);
	EXPECT_EQ(UID, nl_u32(head, VNPU_A_QUOTA_SCOPE));
	EXPECT_EQ(UINT64_MAX, nl_u64(head, VNPU_A_QUOTA_ID));
	EXPECT_EQ(self->client_id, nl_u64(head, VNPU_A_QUOTA_CLIENT_ID));
	close(fd);
}

TEST_F(quota, the_tracepoint)
{
	static const char enable[] =
		"/sys/kernel/tracing/events/vnpu/vnpu_quota/enable";
	char expected[96];
	ssize_t length;
	uint32_t id;
	int fd = open(enable, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		SKIP(return, "tracefs is not mounted");
	ASSERT_EQ(1, write(fd, "1", 1));
	ASSERT_EQ(0, quota_set(0, CLIENT, self->client_id, MIB(2)));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->client, 0, 0, 0, MIB(3), &id));
	ASSERT_EQ(1, write(fd, "0", 1));
	close(fd);
	fd = open("/sys/kernel/tracing/trace", O_RDWR | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	length = read(fd, self->buffer, NL_BUFFER - 1);
	ASSERT_GT(length, 0);
	self->buffer[length] = '\0';
	close(fd);
	snprintf(expected, sizeof(expected),
		 "vnpu_quota: device=0 client=%llu resource=0 length=%llu scope=1 id=%llu",
		 (unsigned long long)self->client_id,
		 (unsigned long long)MIB(3),
		 (unsigned long long)self->client_id);
	EXPECT_NE(NULL, strstr((char *)self->buffer, expected));
}

TEST_F(quota, the_log)
{
	enum { READ_ALL = 3, CLEAR = 5 };
	char expected[96];
	int i, length, lines = 0;
	const char *line;
	uint32_t id;

	ASSERT_EQ(0, klogctl(CLEAR, NULL, 0));
	ASSERT_EQ(0, quota_set(0, CLIENT, self->client_id, MIB(2)));
	for (i = 0; i < 100; i++)
		EXPECT_EQ(-EDQUOT, mem_alloc(&self->client, 0, 0, 0, MIB(3),
					     &id));
	length = klogctl(READ_ALL, (char *)self->buffer, NL_BUFFER - 1);
	ASSERT_GT(length, 0);
	self->buffer[length] = '\0';
	snprintf(expected, sizeof(expected),
		 "client %llu uses 0 of 2048 KiB",
		 (unsigned long long)self->client_id);
	for (line = (char *)self->buffer; (line = strstr(line, expected));
	     line++)
		lines++;
	EXPECT_LE(1, lines);
	EXPECT_GE(6, lines);
}

TEST_HARNESS_MAIN
