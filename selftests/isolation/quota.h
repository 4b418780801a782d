/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared parts of the tests of quotas: a client, user ids without other
 * processes, and what is charged to each.
 */
#ifndef SELFTESTS_ISOLATION_QUOTA_H
#define SELFTESTS_ISOLATION_QUOTA_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kselftest_harness.h"

#include <grp.h>
#include <sys/stat.h>

#include "../tool/nl_quota.h"
#include "../uapi/client.h"
#include "../uapi/util.h"

#define CLIENT		VNPU_QUOTA_SCOPE_CLIENT
#define UID		VNPU_QUOTA_SCOPE_UID
#define CGROUP		VNPU_QUOTA_SCOPE_CGROUP

/* User ids without other processes. */
#define ALICE		54321
#define BOB		54322

/* Return the bytes charged to a quota, or U64_MAX. */
static inline __u64 quota_used(__u32 scope, __u64 id)
{
	struct quota q;

	return quota_get(0, scope, id, &q) ? ~0ULL : q.used;
}

/* Open the node to all users; return its former mode, or -1. */
static inline int node_open_to_all(void)
{
	struct stat node;

	return stat(VNPU_NODE, &node) || chmod(VNPU_NODE, 0666) ?
	       -1 : (int)(node.st_mode & 07777);
}

/* Change the user for good, and drop root's groups. */
static inline int become(uid_t uid)
{
	return setgroups(0, NULL) ?: setresgid(uid, uid, uid) ?:
	       setresuid(uid, uid, uid);
}

FIXTURE(quota)
{
	struct client c;
	__u64 id;
	__u64 used_before;
};

FIXTURE_SETUP(quota)
{
	struct client other;

	ASSERT_EQ(0, client_open_only(&other));
	self->used_before = device_used(&other, 0);
	client_close(&other);
	ASSERT_EQ(0, client_open(&self->c));
	self->id = client_id(&self->c);
	ASSERT_NE(0, self->id);
}

FIXTURE_TEARDOWN(quota)
{
	client_close(&self->c);
	quota_remove(0, UID, ALICE);
	quota_remove(0, UID, BOB);
	quota_remove(0, UID, 0);
	ASSERT_EQ(0, client_open_only(&self->c));
	EXPECT_EQ(self->used_before, device_used(&self->c, 0));
	client_close(&self->c);
}

#endif
