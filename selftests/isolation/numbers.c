// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resources of which a device has a limited number: no user can take all of
 * them, with any of its user ids, and each user gets what a quota or its share
 * promises.
 */
#include "share.h"

#include <pthread.h>
#include <stdatomic.h>

#include "../uapi/host_quota.h"

static const char *const names[] = { "streams", "events", "counters" };

FIXTURE(numbers)
{
	struct takers t;
	pid_t pids[8];
	int nr;
	int mode;
};

FIXTURE_VARIANT(numbers)
{
	__u32 kind;
	__u64 count;	/* available on the device */
};

/* clang-format off */
FIXTURE_VARIANT_ADD(numbers, streams)
{ VNPU_LIMIT_STREAMS, VNPU_MAX_STREAMS };
FIXTURE_VARIANT_ADD(numbers, events)
{ VNPU_LIMIT_EVENTS, VNPU_MAX_EVENTS };
FIXTURE_VARIANT_ADD(numbers, counters)
{ VNPU_LIMIT_COUNTERS, VNPU_MAX_COUNTERS };
/* clang-format on */

FIXTURE_SETUP(numbers)
{
	self->mode = node_open_to_all();
	ASSERT_LE(0, self->mode);
	ASSERT_EQ(0, pipe2(self->t.report, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(self->t.end, O_CLOEXEC));
}

FIXTURE_TEARDOWN(numbers)
{
	struct vnpu_limits_query l;
	struct client c;
	int i;

	close(self->t.end[1]);
	for (i = 0; i < self->nr; i++)
		EXPECT_EQ(0, child_wait(self->pids[i]));
	quota_set_of(0, VNPU_QUOTA_RESOURCE_STREAMS + variant->kind, UID, ALICE,
		     NULL);
	chmod(VNPU_NODE, self->mode);
	/* Wait until all are returned. */
	ASSERT_EQ(0, client_open_only(&c));
	ASSERT_EQ(0, limits_get(&c, variant->kind, &l));
	EXPECT_EQ(variant->count, limits_left(&l));
	EXPECT_EQ(VNPU_QUOTA_SCOPE_NONE, l.out_scope);
	client_close(&c);
}

static struct report take_as(FIXTURE_DATA(numbers) * self, uid_t uid,
			     __u32 kind, __u64 most)
{
	self->pids[self->nr++] = taker_start(&self->t, uid, kind, most);
	return taker_report(&self->t);
}

TEST_F(numbers, no_user_can_take_all)
{
	const __u64 most = variant->count + 1;
	struct report alice, bob, root;

	alice = take_as(self, ALICE, variant->kind, most);
	EXPECT_EQ(-EDQUOT, alice.error);
	EXPECT_EQ(VNPU_QUOTA_SCOPE_SHARE, alice.scope);
	EXPECT_EQ(alice.promised, alice.taken);
	EXPECT_EQ((variant->count + 2) / 3, alice.taken);

	bob = take_as(self, BOB, variant->kind, most);
	EXPECT_EQ(-EDQUOT, bob.error);
	EXPECT_EQ(bob.promised, bob.taken);
	/* The second user gets the same fraction of the rest. */
	EXPECT_EQ((variant->count - alice.taken + 2) / 3, bob.taken);

	/* Root may take all, and then none is left for other users. */
	root = take_as(self, 0, variant->kind, most);
	EXPECT_EQ(-EAGAIN, root.error);
	EXPECT_EQ(root.promised, root.taken);
	EXPECT_EQ(variant->count, alice.taken + bob.taken + root.taken);
	TH_LOG("%s: the first user took %llu, the second %llu",
	       names[variant->kind], (unsigned long long)alice.taken,
	       (unsigned long long)bob.taken);
}

TEST_F(numbers, each_client_of_a_user_gets_some)
{
	const __u64 most = variant->count + 1;
	struct report all = { 0 }, one;
	int i;

	for (i = 0; i < 6; i++) {
		one = take_as(self, ALICE, variant->kind, most);
		EXPECT_LE(1, one.taken);
		EXPECT_EQ(one.promised, one.taken);
		all.taken += one.taken;
	}
	EXPECT_GE((variant->count + 1) / 2, all.taken);
	EXPECT_LE(variant->count / 4, take_as(self, BOB, variant->kind,
					      most).taken * 2);
}

struct subordinate {
	const struct takers *t;
	__u32 kind;
	__u64 most;
};

static void take_as_subordinate(void *arg)
{
	const struct subordinate *s = arg;

	take_and_hold(s->t, s->kind, s->most);
}

TEST_F(numbers, subordinate_ids_share_one_limit)
{
	struct subordinate s = {
		&self->t, variant->kind, variant->count + 1,
	};
	__u64 taken = 0;
	int i;

	for (i = 0; i < 6; i++) {
		self->pids[self->nr] = subordinate_start(i, take_as_subordinate,
							 &s);
		if (self->pids[self->nr] < 0)
			SKIP(return, "no user namespaces");
		self->nr++;
		taken += taker_report(&self->t).taken;
	}
	/* All the ids together have one share. */
	EXPECT_GE((variant->count + 1) / 2, taken);
	taken += take_as(self, ALICE, variant->kind, s.most).taken;
	EXPECT_GE((variant->count + 1) / 2, taken);
}

TEST_F(numbers, quota_replaces_the_share)
{
	const __u32 resource = VNPU_QUOTA_RESOURCE_STREAMS + variant->kind;
	uint64_t limit = 3;
	struct report r;

	ASSERT_EQ(0, quota_set_of(0, resource, UID, ALICE, &limit));
	r = take_as(self, ALICE, variant->kind, 100);
	EXPECT_EQ(3, r.taken);
	EXPECT_EQ(3, r.promised);
	EXPECT_EQ(-EDQUOT, r.error);
	EXPECT_EQ(UID, r.scope);
	/* Another client of the user gets none; another user does. */
	r = take_as(self, ALICE, variant->kind, 100);
	EXPECT_EQ(0, r.taken);
	EXPECT_EQ(-EDQUOT, r.error);
	EXPECT_EQ(100, take_as(self, BOB, variant->kind, 100).taken);
	/* A quota may also be higher than the share. */
	limit = variant->count - 200;
	ASSERT_EQ(0, quota_set_of(0, resource, UID, ALICE, &limit));
	r = take_as(self, ALICE, variant->kind, variant->count);
	EXPECT_EQ(limit - 3, r.taken);
	EXPECT_EQ(r.promised, r.taken);
	EXPECT_EQ(-EDQUOT, r.error);
}

/* Check the counts that a user's quota reports. */
static void alloc_as_subordinate(void *arg)
{
	struct client c;
	__u32 id;
	int *ret = arg;

	if (client_open_only(&c))
		_exit(17);
	*ret = mem_alloc(&c, 0, 0, 0, MIB(4), &id);
	_exit(0);
}

static void host_alloc_as_subordinate(void *arg)
{
	struct client c;
	__u32 id;
	int *ret = arg;

	*ret = client_open_only(&c) ?: host_alloc(&c, MIB(2), &id);
	if (!*ret)
		pause();
	_exit(0);
}

/* What is refused to subordinate ids, in shared memory. */
FIXTURE(subordinate)
{
	int *ret;
	__u64 host_quota;
	int mode;
};

FIXTURE_SETUP(subordinate)
{
	self->ret = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->ret);
	self->host_quota = host_quota_get();
	self->mode = node_open_to_all();
	ASSERT_LE(0, self->mode);
}

FIXTURE_TEARDOWN(subordinate)
{
	quota_remove(0, UID, ALICE);
	host_quota_set(self->host_quota);
	chmod(VNPU_NODE, self->mode);
}

TEST_F(subordinate, device_memory_counts_for_the_owner)
{
	pid_t pid;

	ASSERT_EQ(0, quota_set(0, UID, ALICE, MIB(2)));
	*self->ret = 1;
	pid = subordinate_start(7, alloc_as_subordinate, self->ret);
	if (pid < 0)
		SKIP(return, "no user namespaces");
	EXPECT_EQ(0, child_wait(pid));
	EXPECT_EQ(-EDQUOT, *self->ret);
}

TEST_F(subordinate, host_memory_counts_for_the_owner)
{
	pid_t pid[3];
	int i;

	ASSERT_EQ(0, host_quota_set(MIB(5)));
	for (i = 0; i < 3; i++) {
		self->ret[i] = 1;
		pid[i] = subordinate_start(i, host_alloc_as_subordinate,
					   &self->ret[i]);
		if (pid[i] < 0)
			SKIP(return, "no user namespaces");
		while (*(volatile int *)&self->ret[i] == 1)
			usleep(1000);
	}
	EXPECT_EQ(0, self->ret[0]);
	EXPECT_EQ(0, self->ret[1]);
	EXPECT_EQ(-EDQUOT, self->ret[2]);
	kill(pid[0], SIGKILL);
	kill(pid[1], SIGKILL);
	for (i = 0; i < 3; i++)
		child_wait(pid[i]);
}

/*
 * A counter that is only waited for ends with the last stream that could change
 * it.
 */
static int end_counters_that_are_watched(void)
{
	struct client c;
	int i, fd, ret = client_open(&c);

	for (i = 0; !ret && i < VNPU_MAX_COUNTERS + 8; i++) {
		__u64 id, watched;
		__u32 kind;

		ret = timeline_create(&c, VNPU_TIMELINE_F_COUNTER, 0, 0, &id);
		if (ret)
			return ret;
		fd = timeline_export_as(&c, id, 0,
					VNPU_TIMELINE_EXPORT_F_WAIT_ONLY);
		if (fd < 0)
			return fd;
		ret = timeline_import(&c, fd, &watched, &kind) ?:
		      timeline_destroy(&c, id);
		close(fd);
	}
	return ret;
}

TEST(ended_counters_free_their_number)
{
	pid_t pid = fork_bound();

	if (!pid)
		_exit(-end_counters_that_are_watched());
	EXPECT_EQ(0, child_wait(pid));
}

#define EXPORTS	3000

/* One thread gives up a counter while another exports it. */
struct given_up {
	struct client c;
	_Atomic __u64 id;
	atomic_bool is_over;
	int ret;
};

static void *export_all(void *arg)
{
	struct given_up *g = arg;

	while (!atomic_load(&g->is_over)) {
		int fd = timeline_export(&g->c, atomic_load(&g->id), 0);

		if (fd >= 0)
			close(fd);
		else if (fd != -ENOENT)
			g->ret = fd;
	}
	return NULL;
}

TEST(counter_ends_once)
{
	struct vnpu_limits_query q = { .size = sizeof(q) };
	struct given_up g = { };
	pthread_t thread;
	__u32 left;
	int i;

	ASSERT_EQ(0, client_open(&g.c));
	ASSERT_EQ(0, call(g.c.fd, VNPU_IOCTL_LIMITS_QUERY, &q));
	left = q.out_counters;
	ASSERT_EQ(0, pthread_create(&thread, NULL, export_all, &g));
	for (i = 0; i < EXPORTS; i++) {
		__u64 id;

		ASSERT_EQ(0, timeline_create(&g.c, VNPU_TIMELINE_F_COUNTER, 0, 0,
					     &id));
		atomic_store(&g.id, id);
		EXPECT_EQ(0, timeline_destroy(&g.c, id));
	}
	atomic_store(&g.is_over, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, g.ret);
	ASSERT_EQ(0, call(g.c.fd, VNPU_IOCTL_LIMITS_QUERY, &q));
	EXPECT_EQ(left, q.out_counters);
	client_close(&g.c);
}

TEST_HARNESS_MAIN
