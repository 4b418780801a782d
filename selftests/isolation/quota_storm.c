// SPDX-License-Identifier: GPL-2.0-only
/*
 * Races for quotas: processes that end, limits that change, and the threads of
 * one client.
 */
#include "quota.h"

#include <pthread.h>

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

/*
 * Allocate and free memory of all kinds, with a new client from time to time.
 */
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

/* Whether each process has got memory and, if @refused is set, one was refused. */
static bool storm_has_effect(const struct storm *storm, bool refused)
{
	int i;

	for (i = 0; i < STORM_PROCESSES; i++)
		if (!storm->granted[i])
			return false;
	for (i = 0; refused && i < STORM_PROCESSES; i++)
		if (storm->refused[i])
			return true;
	return !refused;
}

/* Processes race at the limit, which is never exceeded. */
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
	for (end = now_ms() + STORM_MS;
	     now_ms() < end || !storm_has_effect(storm, true);) {
		ASSERT_LE(quota_used(UID, ALICE), STORM_LIMIT);
		/* Kill a process at any moment, and start another. */
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

/* Set and remove quotas while allocations wait for each other. */
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
	for (end = now_ms() + STORM_MS;
	     now_ms() < end || !storm_has_effect(storm, false);) {
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

/* The threads of one client compete for the last page. */
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
