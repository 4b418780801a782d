// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quotas of more than one process: of a user, and of a cgroup with all its
 * descendants.
 */
#include "quota.h"

#include <sys/stat.h>

#define CGROUPS		"/sys/fs/cgroup"

/*
 * A child of user @uid: allocate in pieces until refused, report, hold, and
 * end.
 */
static pid_t start_taker(uid_t uid, const char *procs, __u64 piece, int ready,
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
	if (ret != -EDQUOT || write(ready, &taken, sizeof(taken)) < 0)
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
	int ready[2], end[2];
	pid_t pid[3];
	int i;

	ASSERT_EQ(0, pipe(ready));
	ASSERT_EQ(0, pipe2(end, O_CLOEXEC));
	ASSERT_EQ(0, quota_set(0, UID, ALICE, MIB(6)));
	ASSERT_EQ(0, quota_set(0, UID, BOB, MIB(10) + PAGE));
	for (i = 0; i < 3; i++) {
		pid[i] = fork_bound();
		ASSERT_LE(0, pid[i]);
		if (!pid[i]) {
			close(end[1]);
			_exit(child_wait(start_taker(i == 2 ? BOB : ALICE,
						     NULL, MIB(2), ready[1],
						     end[0])));
		}
		/* The second process of a user gets nothing. */
		EXPECT_EQ(i == 0 ? MIB(6) : i == 1 ? 0 : MIB(10),
			  read_u64(ready[0]));
	}
	EXPECT_EQ(MIB(6), quota_used(UID, ALICE));
	EXPECT_EQ(MIB(10), quota_used(UID, BOB));
	close(end[1]);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(0, child_wait(pid[i]));
	EXPECT_EQ(0, quota_used(UID, ALICE));
	EXPECT_EQ(0, quota_used(UID, BOB));
}

/* A tree of cgroups: top has left and right, and left has leaf. */
FIXTURE(cgroup)
{
	char path[4][128];
	char procs[4][160];
	__u64 id[4];
	int ready[2];
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
	ASSERT_EQ(0, pipe(self->ready));
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

/* Start a process that allocates and then holds; it ends with @self->end. */
static pid_t take_in(struct __test_metadata *_metadata,
		     FIXTURE_DATA(cgroup) * self, int group, __u64 expected)
{
	pid_t pid = fork_bound();

	if (!pid) {
		close(self->end[1]);
		_exit(child_wait(start_taker(0, self->procs[group], MIB(1),
					     self->ready[1], self->end[0])));
	}
	EXPECT_EQ(expected, read_u64(self->ready[0])) {
		TH_LOG("group %d", group);
	}
	return pid;
}

TEST_F(cgroup, limits_apply_to_all_descendants)
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

	/* A quota that is set later counts existing memory. */
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

/*
 * A client stays in the cgroup in which it was opened; one that is opened later
 * belongs to the new cgroup.
 */
TEST_F(cgroup, moving_does_not_evade_the_quota)
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
		baton_take(self->ready[0]);
		_exit(0);
	}
	baton_take(moved[0]);
	EXPECT_EQ(MIB(4), quota_used(CGROUP, self->id[LEFT]));
	EXPECT_EQ(MIB(2), quota_used(CGROUP, self->id[RIGHT]));
	baton_pass(self->ready[1]);
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(0, quota_used(CGROUP, self->id[LEFT]));
	EXPECT_EQ(0, quota_used(CGROUP, self->id[RIGHT]));
}

/* The quota of a removed cgroup is still listed, and can be removed. */
TEST_F(cgroup, removed_cgroup)
{
	__u64 id = self->id[LEAF];

	ASSERT_EQ(0, quota_set(0, CGROUP, id, MIB(1)));
	ASSERT_EQ(0, rmdir(self->path[LEAF]));
	EXPECT_EQ(0, quota_used(CGROUP, id));
	EXPECT_EQ(-ENOENT, quota_set(0, CGROUP, id, MIB(2)));
	EXPECT_EQ(0, quota_remove(0, CGROUP, id));
	EXPECT_EQ(-ENOENT, quota_remove(0, CGROUP, id));
}

/*
 * The deepest of many, with more ancestors than the first guess of the buffer's
 * size.
 */
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

TEST_HARNESS_MAIN
