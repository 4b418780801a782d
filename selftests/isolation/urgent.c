// SPDX-License-Identifier: GPL-2.0-only
/*
 * Engines serve urgent contexts before the contexts of all users, except for a part
 * of the time. CAP_SYS_NICE in the initial user namespace is required to create one.
 *
 * The tests compare the time that engines were busy with each context, as the
 * scheduler charges it, not the duration of calls.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kselftest_harness.h"

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../uapi/busy.h"
#include "../uapi/util.h"

#define ALICE	54321
#define BOB	54322

/* Thousandths that a share may be off. */
#define SLACK	25

/* Thousandths of the time for contexts that are not urgent. */
#define PART	(1000 / 17)

FIXTURE(urgent)
{
	struct client alice, bob;
	struct busy a, b;
	mode_t mode;
};

/* Open a client of another user. This process remains root. */
static int client_open_as(struct client *c, uid_t uid)
{
	int ret;

	if (seteuid(uid))
		return -errno;
	ret = client_open_only(c);
	if (seteuid(0))
		return -errno;
	return ret ? ret : busy_prepare(c);
}

FIXTURE_SETUP(urgent)
{
	struct stat node;

	memset(&self->a, 0, sizeof(self->a));
	memset(&self->b, 0, sizeof(self->b));
	ASSERT_EQ(0, stat(VNPU_NODE, &node));
	self->mode = node.st_mode & 07777;
	ASSERT_EQ(0, chmod(VNPU_NODE, 0666));
	ASSERT_EQ(0, client_open_as(&self->alice, ALICE));
	ASSERT_EQ(0, client_open_as(&self->bob, BOB));
}

FIXTURE_TEARDOWN(urgent)
{
	busy_end(&self->a);
	busy_end(&self->b);
	client_close(&self->alice);
	client_close(&self->bob);
	chmod(VNPU_NODE, self->mode);
}

static int urgent_create(const struct client *c, __u32 weight, __u32 *id)
{
	return context_create_as(c, 0, weight, VNPU_CONTEXT_F_URGENT, id);
}

TEST_F_TIMEOUT(urgent, others_keep_a_part, 120)
{
	int share;
	__u32 id;

	ASSERT_EQ(0, busy_begin(&self->a, &self->alice, 0, 0));
	ASSERT_EQ(0, busy_begin(&self->b, &self->bob, 0, 0));
	share = busy_share_median(&self->a, &self->b);
	TH_LOG("a user beside another: %d of 1000", share);
	EXPECT_LE(500 - SLACK, share);
	EXPECT_GE(500 + SLACK, share);
	busy_end(&self->b);

	/* An urgent context comes first at any weight. */
	ASSERT_EQ(0, urgent_create(&self->bob, 1, &id));
	ASSERT_EQ(0, busy_begin(&self->b, &self->bob, id,
				VNPU_STREAM_PRIORITIES - 1));
	share = busy_share_median(&self->a, &self->b);
	TH_LOG("a user beside an urgent context: %d of 1000", share);
	EXPECT_LE(PART - SLACK, share);
	EXPECT_GE(PART + SLACK, share);
}

TEST_F_TIMEOUT(urgent, they_share_by_weight, 120)
{
	__u32 a, b;
	int share;

	ASSERT_EQ(0, urgent_create(&self->alice, 300, &a));
	ASSERT_EQ(0, urgent_create(&self->bob, 100, &b));
	ASSERT_EQ(0, busy_begin(&self->a, &self->alice, a, 0));
	ASSERT_EQ(0, busy_begin(&self->b, &self->bob, b, 0));
	share = busy_share_median(&self->a, &self->b);
	TH_LOG("of weight 300 beside 100: %d of 1000", share);
	EXPECT_LE(750 - 2 * SLACK, share);
	EXPECT_GE(750 + 2 * SLACK, share);
}

/* Drop all capabilities, except CAP_SYS_NICE if @has is set. */
static int cap_set_nice(bool has)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { 0 };

	data[0].effective = has ? 1U << CAP_SYS_NICE : 0;
	data[0].permitted = data[0].effective;
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/* End the child; its parent sees the errno. */
static void say(int ret)
{
	_exit(ret < 0 ? -ret : ret);
}

static int make_one(void)
{
	struct client c;
	__u32 id;

	return client_open_only(&c) ?: urgent_create(&c, 0, &id);
}

TEST_F(urgent, needs_a_right)
{
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		if (setresuid(ALICE, ALICE, ALICE))
			say(EIO);
		say(make_one());
	}
	EXPECT_EQ(EPERM, child_wait(pid));

	/* Root without the capability. */
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (cap_set_nice(false))
			say(EIO);
		say(make_one());
	}
	EXPECT_EQ(EPERM, child_wait(pid));

	/* Root of a user namespace, with all capabilities there. */
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (setresuid(ALICE, ALICE, ALICE) || unshare(CLONE_NEWUSER))
			say(EIO);
		say(make_one());
	}
	EXPECT_EQ(EPERM, child_wait(pid));

	/* The capability alone. */
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (prctl(PR_SET_KEEPCAPS, 1) ||
		    setresuid(ALICE, ALICE, ALICE) || cap_set_nice(true))
			say(EIO);
		say(make_one());
	}
	EXPECT_EQ(0, child_wait(pid));
}

static int make_and_drop(void)
{
	struct vnpu_context_query q;
	struct stream s;
	struct client c;
	__u32 id;
	int ret;

	ret = client_open_only(&c) ?: urgent_create(&c, 300, &id) ?:
	      context_set_weight(&c, id, 200) ?: cap_set_nice(false);
	if (ret)
		return ret;
	if (context_set_weight(&c, id, 100) != -EPERM)
		return -ENODATA;
	ret = stream_create_only(&s, &c, 0, 0, id, 0) ?: stream_map(&s) ?:
	      stream_do(&s, (struct vnpu_task){ }) ?: context_query(&c, id, &q);
	if (ret)
		return ret;
	return q.out_weight == 200 &&
	       q.out_context_flags == VNPU_CONTEXT_F_URGENT ? 0 : -EPROTO;
}

/* Only creation and changes of the weight require the capability, use does not. */
TEST_F(urgent, stays_without_the_right)
{
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid)
		say(make_and_drop());
	EXPECT_EQ(0, child_wait(pid));
}

TEST_HARNESS_MAIN
