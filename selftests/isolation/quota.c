// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quotas of device memory: whom they count, what they refuse, and that their
 * books balance however clients allocate, share, move and die.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>

#include "../tool/nl_quota.h"
#include "../uapi/client.h"
#include "../uapi/util.h"

#define CLIENT		VNPU_QUOTA_SCOPE_CLIENT
#define UID		VNPU_QUOTA_SCOPE_UID
#define CGROUP		VNPU_QUOTA_SCOPE_CGROUP

/* Users that nobody else here is. */
#define ALICE		54321
#define BOB		54322

#define CGROUPS		"/sys/fs/cgroup"

static __u64 client_id(const struct client *c)
{
	struct vnpu_info i;

	return info(c, &i) ? 0 : i.out_client_id;
}

/* Bytes that are charged to a quota, or U64_MAX. */
static __u64 quota_used(__u32 scope, __u64 id)
{
	struct quota q;

	return quota_get(0, scope, id, &q) ? ~0ULL : q.used;
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

TEST_F(quota, not_a_page_more)
{
	struct quota q;
	__u32 id[3];

	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, MIB(4)));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(3), &id[0]));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 0, MIB(1) + 1, &id[1]));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(1), &id[1]));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 0, 1, &id[2]));
	ASSERT_EQ(0, quota_get(0, CLIENT, self->id, &q));
	EXPECT_EQ(MIB(4), q.limit);
	EXPECT_EQ(MIB(4), q.used);
	EXPECT_EQ(2, q.refused);

	ASSERT_EQ(0, mem_free(&self->c, id[0]));
	EXPECT_EQ(MIB(1), quota_used(CLIENT, self->id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(3), &id[0]));
	ASSERT_EQ(0, quota_remove(0, CLIENT, self->id));
	EXPECT_EQ(-ENOENT, quota_remove(0, CLIENT, self->id));
	EXPECT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(1), &id[2]));
}

/* What is refused leaves nothing behind. */
TEST_F(quota, every_kind_of_memory)
{
	static const __u32 shifts[] = { 12, 21 };
	struct vnpu_device_query before, after;
	__u32 flags, id;
	__u64 va;
	size_t i;

	ASSERT_EQ(0, slab_window(&self->c, 0, self->c.base + GIB(1), MIB(1)));
	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, 0));
	ASSERT_EQ(0, device_query(&self->c, 0, &before));
	for (i = 0; i < 2; i++) {
		for (flags = 0; flags < 16; flags++) {
			int ret = flags & VNPU_MEM_F_BIND ?
				mem_alloc_at(&self->c, 0, flags, shifts[i], 1,
					     self->c.base) :
				mem_alloc(&self->c, 0, flags, shifts[i], 1,
					  &id);

			EXPECT_EQ(-EDQUOT, ret) {
				TH_LOG("flags %x shift %u", flags, shifts[i]);
			}
		}
	}
	EXPECT_EQ(-EDQUOT, slab_alloc(&self->c, 0, 64, &va, NULL));
	ASSERT_EQ(0, device_query(&self->c, 0, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
	EXPECT_EQ(0, quota_used(CLIENT, self->id));
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, self->c.base, 0));
}

/* The cost is what counts: whole pages of the class. */
TEST_F(quota, whole_pages)
{
	__u32 id;

	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, MIB(2) - 1));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 21, 1, &id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 12, MIB(2) - PAGE, &id));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 12, 1, &id));
}

TEST_F(quota, slabs)
{
	__u64 va[64], first = 0;
	int i, ret;

	ASSERT_EQ(0, slab_window(&self->c, 0, self->c.base, MIB(1)));
	ASSERT_EQ(0, slab_alloc(&self->c, 0, 64, &va[0], NULL));
	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, PAGE));
	EXPECT_EQ(PAGE, quota_used(CLIENT, self->id));
	/* There is room in the slab, which is paid for. */
	for (i = 1; i < 64; i++)
		ASSERT_EQ(0, slab_alloc(&self->c, 0, 64, &va[i], NULL));
	ret = slab_alloc(&self->c, 0, 64, &first, NULL);
	EXPECT_EQ(-EDQUOT, ret);
	for (i = 0; i < 64; i++)
		ASSERT_EQ(0, slab_free(&self->c, va[i]));
	EXPECT_EQ(0, quota_used(CLIENT, self->id));
}

TEST_F(quota, less_than_is_used)
{
	__u32 id[2], more;
	struct quota q;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(8), &id[0]));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 21, MIB(2), &id[1]));
	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, MIB(4)));
	ASSERT_EQ(0, quota_get(0, CLIENT, self->id, &q));
	EXPECT_EQ(MIB(10), q.used);
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 0, 1, &more));
	ASSERT_EQ(0, mem_free(&self->c, id[0]));
	EXPECT_EQ(MIB(2), quota_used(CLIENT, self->id));
	EXPECT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(2), &more));
	/* Another limit, the same quota. */
	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, MIB(5)));
	ASSERT_EQ(0, quota_get(0, CLIENT, self->id, &q));
	EXPECT_EQ(MIB(4), q.used);
	EXPECT_EQ(1, q.refused);
	EXPECT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(1), &more));
}

TEST_F(quota, limits_beyond_all)
{
	__u32 id, more;

	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, ~0ULL));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(1), &id));
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, 1ULL << 50, &more));
	EXPECT_EQ(-EOVERFLOW, mem_alloc(&self->c, 0, 0, 0, ~0ULL, &more));
	EXPECT_EQ(MIB(1), quota_used(CLIENT, self->id));
}

/* Nothing is moved for who may not have it. */
TEST_F(quota, compaction)
{
	struct vnpu_device_query q;
	struct client other;
	__u64 i, pieces, want;
	__u32 id;

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	pieces = q.out_free / KIB(64);
	for (i = 0; i < pieces; i++)
		ASSERT_EQ(0, mem_alloc_at(&other, 0, 0, 0, KIB(64),
					  other.base + i * KIB(64)));
	for (i = 0; i < pieces; i += 2)
		ASSERT_EQ(0, va_unbind(&other, other.base + i * KIB(64), 0));
	want = (pieces / 4 * KIB(64)) & -MIB(2);

	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, want - 1));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				     want, &id));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 21, want, &id));
	i = q.out_largest_free;
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(i, q.out_largest_free);

	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, want));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, want,
			       &id));
	EXPECT_EQ(want, quota_used(CLIENT, self->id));
	ASSERT_EQ(0, mem_free(&self->c, id));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 21, want, &id));
	EXPECT_EQ(want, quota_used(CLIENT, self->id));
	client_close(&other);
	EXPECT_EQ(want, quota_used(CLIENT, self->id));
}

/* Who is left with memory pays for it, even if that is too much. */
TEST_F(quota, the_exporter_dies)
{
	struct client exporter;
	__u64 exporter_id;
	__u32 id, own, more;
	int fd;

	ASSERT_EQ(0, client_open(&exporter));
	exporter_id = client_id(&exporter);
	ASSERT_EQ(0, quota_set(0, CLIENT, exporter_id, MIB(16)));
	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, MIB(4)));
	ASSERT_EQ(0, mem_alloc(&exporter, 0, 0, 0, MIB(8), &id));
	fd = mem_export(&exporter, id);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, mem_import(&self->c, fd, &own));
	EXPECT_EQ(MIB(8), quota_used(CLIENT, exporter_id));
	EXPECT_EQ(0, quota_used(CLIENT, self->id));

	client_close(&exporter);
	EXPECT_EQ(~0ULL, quota_used(CLIENT, exporter_id));
	EXPECT_EQ(MIB(8), quota_used(CLIENT, self->id));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 0, 1, &more));

	/* Nobody has it but the file: it is still charged to somebody. */
	ASSERT_EQ(0, mem_free(&self->c, own));
	EXPECT_EQ(MIB(8), quota_used(CLIENT, self->id));
	close(fd);
	EXPECT_EQ(0, quota_used(CLIENT, self->id));
	EXPECT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 1, &more));
}

/* A file that was passed on is no way around a quota of the user. */
TEST_F(quota, a_file_outlives_its_client)
{
	struct client gone;
	__u64 gone_id;
	__u32 id, more;
	int fd;

	ASSERT_EQ(0, client_open(&gone));
	gone_id = client_id(&gone);
	ASSERT_EQ(0, quota_set(0, UID, 0, self->used_before + MIB(8)));
	ASSERT_EQ(0, quota_set(0, CLIENT, gone_id, MIB(8)));
	ASSERT_EQ(0, mem_alloc(&gone, 0, 0, 0, MIB(8), &id));
	fd = mem_export(&gone, id);
	ASSERT_LE(0, fd);
	client_close(&gone);
	EXPECT_EQ(MIB(8), quota_used(UID, 0));
	EXPECT_EQ(MIB(8), quota_used(CLIENT, gone_id));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 0, 1, &more));
	/* It is not there any more, but its quota is. */
	EXPECT_EQ(-ENOENT, quota_set(0, CLIENT, gone_id, MIB(1)));
	close(fd);
	EXPECT_EQ(0, quota_used(UID, 0));
	EXPECT_EQ(~0ULL, quota_used(CLIENT, gone_id));
}

/* Another quota on each device. */
TEST_F(quota, by_device)
{
	__u32 devices = device_count(&self->c), i, id;
	struct quota q;

	for (i = 0; i < devices; i++)
		ASSERT_EQ(0, quota_set(i, CLIENT, self->id, MIB(i + 1)));
	for (i = 0; i < devices; i++) {
		EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, i, 0, 0,
					     MIB(i + 1) + 1, &id));
		EXPECT_EQ(0, mem_alloc(&self->c, i, 0, 0, MIB(i + 1), &id));
	}
	for (i = 0; i < devices; i++) {
		ASSERT_EQ(0, quota_get(i, CLIENT, self->id, &q));
		EXPECT_EQ(MIB(i + 1), q.used);
	}
	EXPECT_EQ(-ENODEV, quota_set(devices, CLIENT, self->id, 0));
	EXPECT_EQ(-ENODEV, quota_remove(devices, CLIENT, self->id));
}

static int oom_query(const struct client *c, struct vnpu_oom_query *out)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	return call(c->fd, VNPU_IOCTL_OOM_QUERY, out);
}

TEST_F(quota, the_reason_is_told)
{
	struct vnpu_oom_query q;
	__u32 id, more;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(3), &id));
	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, MIB(4)));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, VNPU_MEM_F_TRY, 0, MIB(2),
				     &more));
	EXPECT_EQ(-ENOENT, oom_query(&self->c, &q));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 0, MIB(2), &more));
	ASSERT_EQ(0, oom_query(&self->c, &q));
	EXPECT_EQ(1, q.out_count);
	EXPECT_EQ(MIB(2), q.out_length);
	EXPECT_EQ(CLIENT, q.out_quota_scope);
	EXPECT_EQ(self->id, q.out_quota_id);
	EXPECT_EQ(MIB(4), q.out_quota_limit);
	EXPECT_EQ(MIB(3), q.out_quota_used);
	EXPECT_EQ(0, q.out_compaction_helps);
	EXPECT_EQ(1, q.out_holders);
	EXPECT_EQ(self->id, q.out_holder0_client);

	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, 1ULL << 50, &more));
	ASSERT_EQ(0, oom_query(&self->c, &q));
	EXPECT_EQ(2, q.out_count);
	EXPECT_EQ(VNPU_QUOTA_SCOPE_NONE, q.out_quota_scope);
	EXPECT_EQ(0, q.out_quota_id);
	EXPECT_EQ(0, q.out_quota_limit);
	EXPECT_EQ(0, q.out_quota_used);
}

/* Only the caller's number of a user is told to it. */
TEST_F(quota, the_user_in_a_user_namespace)
{
	struct vnpu_oom_query q;
	pid_t pid;
	__u32 id;

	ASSERT_EQ(0, quota_set(0, UID, ALICE, 0));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct client c;

		if (setresuid(ALICE, ALICE, ALICE) || client_open_only(&c) ||
		    mem_alloc(&c, 0, 0, 0, 1, &id) != -EDQUOT)
			_exit(10);
		if (oom_query(&c, &q) || q.out_quota_scope != UID ||
		    q.out_quota_id != ALICE)
			_exit(11);
		if (unshare(CLONE_NEWUSER) || oom_query(&c, &q))
			_exit(12);
		_exit(q.out_quota_id == 65534 ? 0 : 13);
	}
	EXPECT_EQ(0, child_wait(pid));
}

/* A child that is @uid: takes all it can in pieces, tells, holds, and ends. */
static pid_t start_taker(uid_t uid, const char *procs, __u64 piece, int tell,
			 int end)
{
	pid_t pid = fork_bound();
	__u64 taken = 0;
	struct client c;
	__u32 id;
	char ignored;
	int ret;

	if (pid)
		return pid;
	if (procs) {
		int fd = open(procs, O_WRONLY);

		if (fd < 0 || write(fd, "0", 1) != 1)
			_exit(10);
		close(fd);
	}
	if (setresuid(uid, uid, uid) || client_open_only(&c))
		_exit(11);
	while (!(ret = mem_alloc(&c, 0, 0, 0, piece, &id)))
		taken += piece;
	if (ret != -EDQUOT || write(tell, &taken, sizeof(taken)) < 0)
		_exit(12);
	_exit(read(end, &ignored, 1) == 0 ? 0 : 13);
}

static __u64 read_u64(int fd)
{
	__u64 value = ~0ULL;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : ~0ULL;
}

TEST_F(quota, two_users)
{
	int tell[2], end[2];
	pid_t pid[3];
	int i;

	ASSERT_EQ(0, pipe(tell));
	ASSERT_EQ(0, pipe2(end, O_CLOEXEC));
	ASSERT_EQ(0, quota_set(0, UID, ALICE, MIB(6)));
	ASSERT_EQ(0, quota_set(0, UID, BOB, MIB(10) + PAGE));
	for (i = 0; i < 3; i++) {
		pid[i] = fork_bound();
		ASSERT_LE(0, pid[i]);
		if (!pid[i]) {
			close(end[1]);
			_exit(child_wait(start_taker(i == 2 ? BOB : ALICE,
						     NULL, MIB(2), tell[1],
						     end[0])));
		}
		/* The second process of a user finds nothing left. */
		EXPECT_EQ(i == 0 ? MIB(6) : i == 1 ? 0 : MIB(10),
			  read_u64(tell[0]));
	}
	EXPECT_EQ(MIB(6), quota_used(UID, ALICE));
	EXPECT_EQ(MIB(10), quota_used(UID, BOB));
	close(end[1]);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, child_wait(pid[i]));
	EXPECT_EQ(0, quota_used(UID, ALICE));
	EXPECT_EQ(0, quota_used(UID, BOB));
}

/* A tree of cgroups: top, and below it left and right; below left, leaf. */
FIXTURE(cgroup)
{
	char path[4][128];
	char procs[4][160];
	__u64 id[4];
	int tell[2];
	int end[2];
};

enum { TOP, LEFT, RIGHT, LEAF };

FIXTURE_SETUP(cgroup)
{
	static const char *const below[] = { "", "/left", "/right",
					     "/left/leaf" };
	struct stat st;
	int i;

	if (access(CGROUPS "/cgroup.procs", W_OK))
		SKIP(return, "no cgroup2 at " CGROUPS);
	for (i = 0; i < 4; i++) {
		snprintf(self->path[i], sizeof(self->path[i]),
			 CGROUPS "/vnpu-quota-%d%s", getpid(), below[i]);
		snprintf(self->procs[i], sizeof(self->procs[i]),
			 "%s/cgroup.procs", self->path[i]);
		ASSERT_EQ(0, mkdir(self->path[i], 0755));
		ASSERT_EQ(0, stat(self->path[i], &st));
		self->id[i] = st.st_ino;
	}
	ASSERT_EQ(0, pipe(self->tell));
	ASSERT_EQ(0, pipe2(self->end, O_CLOEXEC));
}

FIXTURE_TEARDOWN(cgroup)
{
	int i;

	for (i = 3; i >= 0; i--) {
		quota_remove(0, CGROUP, self->id[i]);
		rmdir(self->path[i]);
	}
}

/* Runs a taker to the point where it holds; it ends with @self->end. */
static pid_t take_in(struct __test_metadata *_metadata,
		     FIXTURE_DATA(cgroup) * self, int group, __u64 expected)
{
	pid_t pid = fork_bound();

	if (!pid) {
		close(self->end[1]);
		_exit(child_wait(start_taker(0, self->procs[group], MIB(1),
					     self->tell[1], self->end[0])));
	}
	EXPECT_EQ(expected, read_u64(self->tell[0])) {
		TH_LOG("group %d", group);
	}
	return pid;
}

TEST_F(cgroup, limits_hold_for_all_below)
{
	pid_t pid[3];
	int i;

	ASSERT_EQ(0, quota_set(0, CGROUP, self->id[TOP], MIB(8)));
	ASSERT_EQ(0, quota_set(0, CGROUP, self->id[LEFT], MIB(5)));
	pid[0] = take_in(_metadata, self, LEAF, MIB(5));
	EXPECT_EQ(MIB(5), quota_used(CGROUP, self->id[LEFT]));
	EXPECT_EQ(MIB(5), quota_used(CGROUP, self->id[TOP]));
	pid[1] = take_in(_metadata, self, RIGHT, MIB(3));
	pid[2] = take_in(_metadata, self, TOP, 0);
	EXPECT_EQ(MIB(5), quota_used(CGROUP, self->id[LEFT]));
	EXPECT_EQ(MIB(8), quota_used(CGROUP, self->id[TOP]));

	/* One that is set later counts what was there before. */
	ASSERT_EQ(0, quota_set(0, CGROUP, self->id[LEAF], MIB(1)));
	ASSERT_EQ(0, quota_set(0, CGROUP, self->id[RIGHT], MIB(9)));
	EXPECT_EQ(MIB(5), quota_used(CGROUP, self->id[LEAF]));
	EXPECT_EQ(MIB(3), quota_used(CGROUP, self->id[RIGHT]));
	close(self->end[1]);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, child_wait(pid[i]));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, quota_used(CGROUP, self->id[i]));
}

static int write_pid(const char *procs, pid_t pid)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", pid);
	int fd = open(procs, O_WRONLY);
	int ret = fd >= 0 && write(fd, text, length) == length ? 0 : -errno;

	close(fd);
	return ret;
}

/* A client stays where it was opened; one that is opened later is elsewhere. */
TEST_F(cgroup, moving_on_is_no_way_out)
{
	int moved[2];
	pid_t pid;

	ASSERT_EQ(0, pipe(moved));
	ASSERT_EQ(0, quota_set(0, CGROUP, self->id[LEFT], MIB(4)));
	ASSERT_EQ(0, quota_set(0, CGROUP, self->id[RIGHT], MIB(2)));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		struct client first, second;
		__u32 id;

		if (write_pid(self->procs[LEFT], getpid()) ||
		    client_open_only(&first) ||
		    mem_alloc(&first, 0, 0, 0, MIB(1), &id) ||
		    write_pid(self->procs[RIGHT], getpid()) ||
		    client_open_only(&second))
			_exit(10);
		if (mem_alloc(&first, 0, 0, 0, MIB(3), &id) ||
		    mem_alloc(&first, 0, 0, 0, 1, &id) != -EDQUOT)
			_exit(11);
		if (mem_alloc(&second, 0, 0, 0, MIB(2), &id) ||
		    mem_alloc(&second, 0, 0, 0, 1, &id) != -EDQUOT)
			_exit(12);
		baton_pass(moved[1]);
		baton_take(self->tell[0]);
		_exit(0);
	}
	baton_take(moved[0]);
	EXPECT_EQ(MIB(4), quota_used(CGROUP, self->id[LEFT]));
	EXPECT_EQ(MIB(2), quota_used(CGROUP, self->id[RIGHT]));
	baton_pass(self->tell[1]);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0, quota_used(CGROUP, self->id[LEFT]));
	EXPECT_EQ(0, quota_used(CGROUP, self->id[RIGHT]));
}

/* The quota of a cgroup that is gone is seen, and can be removed. */
TEST_F(cgroup, gone)
{
	__u64 id = self->id[LEAF];

	ASSERT_EQ(0, quota_set(0, CGROUP, id, MIB(1)));
	ASSERT_EQ(0, rmdir(self->path[LEAF]));
	EXPECT_EQ(0, quota_used(CGROUP, id));
	EXPECT_EQ(-ENOENT, quota_set(0, CGROUP, id, MIB(2)));
	EXPECT_EQ(0, quota_remove(0, CGROUP, id));
	EXPECT_EQ(-ENOENT, quota_remove(0, CGROUP, id));
}

/* The deepest of many, so that more are above it than was guessed. */
TEST_F(cgroup, a_deep_tree)
{
	enum { DEPTH = 100 };
	int i, at = open(self->path[LEAF], O_DIRECTORY | O_CLOEXEC);
	pid_t pid;

	ASSERT_LE(0, at);
	ASSERT_EQ(0, quota_set(0, CGROUP, self->id[TOP], MIB(2)));
	ASSERT_EQ(0, fchdir(at));
	for (i = 0; i < DEPTH; i++) {
		ASSERT_EQ(0, mkdir("d", 0755));
		ASSERT_EQ(0, chdir("d"));
	}
	snprintf(self->procs[LEAF], sizeof(self->procs[LEAF]), "cgroup.procs");
	pid = take_in(_metadata, self, LEAF, MIB(2));
	EXPECT_EQ(MIB(2), quota_used(CGROUP, self->id[TOP]));
	close(self->end[1]);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0, quota_used(CGROUP, self->id[TOP]));
	for (i = 0; i < DEPTH; i++) {
		ASSERT_EQ(0, chdir(".."));
		ASSERT_EQ(0, rmdir("d"));
	}
	ASSERT_EQ(0, chdir("/"));
	close(at);
}

#define STORM_PROCESSES		8
#define STORM_MS		4000
#define STORM_LIMIT		MIB(16)

struct storm {
	volatile bool stop;
	__u64 granted[STORM_PROCESSES];
	__u64 refused[STORM_PROCESSES];
	int error[STORM_PROCESSES];
};

static struct storm *storm_create(void)
{
	void *p = mmap(NULL, sizeof(struct storm), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Take and give back of all kinds, a new client from time to time. */
static int storm_run(struct storm *storm, int self, struct rng r)
{
	static const __u32 flags[] = { 0, 0, VNPU_MEM_F_CONTIGUOUS };
	__u32 ids[16] = { 0 };
	struct client c;
	__u64 turn;
	int ret;

	if (client_open_only(&c))
		return -errno;
	for (turn = 1; !storm->stop; turn++) {
		__u32 *id = &ids[rng_below(&r, 16)];

		if (*id) {
			ret = mem_free(&c, *id);
			*id = 0;
			if (ret)
				return ret;
		} else {
			ret = mem_alloc(&c, 0, flags[rng_below(&r, 3)],
					rng_below(&r, 4) ? 12 : 21,
					1 + rng_below(&r, MIB(4)), id);
			storm->granted[self] += !ret;
			storm->refused[self] += ret == -EDQUOT;
			if (ret && ret != -EDQUOT && ret != -ENOSPC)
				return ret;
		}
		if (turn % 1024 == 0) {
			close(c.fd);
			memset(ids, 0, sizeof(ids));
			if (client_open_only(&c))
				return -errno;
		}
	}
	return 0;
}

static pid_t storm_start(struct storm *storm, int self, struct rng r)
{
	pid_t pid = fork_bound();

	if (pid)
		return pid;
	if (setresuid(ALICE, ALICE, ALICE))
		_exit(1);
	storm->error[self] = storm_run(storm, self, r);
	_exit(0);
}

/* However they race at the limit, it is never exceeded. */
TEST_F_TIMEOUT(quota, a_storm_at_the_limit, 120)
{
	struct storm *storm = storm_create();
	struct rng r = rng_init();
	pid_t pid[STORM_PROCESSES];
	__u64 end, refused = 0;
	int i;

	ASSERT_NE(NULL, storm);
	ASSERT_EQ(0, quota_set(0, UID, ALICE, STORM_LIMIT));
	for (i = 0; i < STORM_PROCESSES; i++) {
		pid[i] = storm_start(storm, i, (struct rng){ rng_next(&r) | 1 });
		ASSERT_LE(0, pid[i]);
	}
	for (end = now_ms() + STORM_MS; now_ms() < end;) {
		ASSERT_LE(quota_used(UID, ALICE), STORM_LIMIT);
		/* One is killed at any moment, and another begins. */
		i = rng_below(&r, STORM_PROCESSES);
		kill(pid[i], SIGKILL);
		EXPECT_EQ(256 + SIGKILL, child_wait(pid[i]));
		pid[i] = storm_start(storm, i, (struct rng){ rng_next(&r) | 1 });
		ASSERT_LE(0, pid[i]);
	}
	storm->stop = true;
	for (i = 0; i < STORM_PROCESSES; i++) {
		EXPECT_EQ(0, child_wait(pid[i]));
		EXPECT_EQ(0, storm->error[i]);
		EXPECT_LT(0, storm->granted[i]);
		refused += storm->refused[i];
	}
	EXPECT_LT(0, refused);
	EXPECT_EQ(0, quota_used(UID, ALICE));
}

/* Quotas come and go while allocations wait for each other. */
TEST_F_TIMEOUT(quota, limits_that_change_in_a_storm, 120)
{
	struct storm *storm = storm_create();
	struct rng r = rng_init();
	pid_t pid[STORM_PROCESSES];
	__u64 end, used;
	int i;

	ASSERT_NE(NULL, storm);
	for (i = 0; i < STORM_PROCESSES; i++) {
		pid[i] = storm_start(storm, i, (struct rng){ rng_next(&r) | 1 });
		ASSERT_LE(0, pid[i]);
	}
	for (end = now_ms() + STORM_MS; now_ms() < end;) {
		switch (rng_below(&r, 4)) {
		case 0:
			i = quota_remove(0, UID, ALICE);
			ASSERT_TRUE(!i || i == -ENOENT);
			break;
		case 1:
			ASSERT_EQ(0, quota_set(0, UID, BOB, MIB(1)));
			break;
		default:
			ASSERT_EQ(0, quota_set(0, UID, ALICE,
					       rng_below(&r, MIB(64))));
		}
	}
	ASSERT_EQ(0, quota_set(0, UID, ALICE, 0));
	used = quota_used(UID, ALICE);
	EXPECT_GE(used, quota_used(UID, ALICE));
	storm->stop = true;
	for (i = 0; i < STORM_PROCESSES; i++) {
		EXPECT_EQ(0, child_wait(pid[i]));
		EXPECT_EQ(0, storm->error[i]);
		EXPECT_LT(0, storm->granted[i]);
	}
	EXPECT_EQ(0, quota_used(UID, ALICE));
	EXPECT_EQ(0, quota_used(UID, BOB));
}

struct sharer {
	const struct client *c;
	__u64 taken;
	int error;
};

static void *sharer_run(void *arg)
{
	struct sharer *s = arg;
	__u32 id;

	while (!(s->error = mem_alloc(s->c, 0, 0, 0, PAGE, &id)))
		s->taken += PAGE;
	return NULL;
}

/* The threads of one client, to the last page. */
TEST_F_TIMEOUT(quota, by_threads, 60)
{
	pthread_t thread[STORM_PROCESSES];
	struct sharer s[STORM_PROCESSES];
	__u64 taken = 0;
	int i;

	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, MIB(8)));
	for (i = 0; i < STORM_PROCESSES; i++) {
		s[i] = (struct sharer){ .c = &self->c };
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, sharer_run,
					    &s[i]));
	}
	for (i = 0; i < STORM_PROCESSES; i++) {
		pthread_join(thread[i], NULL);
		EXPECT_EQ(-EDQUOT, s[i].error);
		taken += s[i].taken;
	}
	EXPECT_EQ(MIB(8), taken);
	EXPECT_EQ(MIB(8), quota_used(CLIENT, self->id));
}

TEST_HARNESS_MAIN
