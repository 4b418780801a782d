// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a device has a limited number of: no user takes all of it, under no user
 * id of theirs, and each finds what a quota or the share promises.
 */
#include "share.h"

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
	__u64 count;	/* of the device */
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
	/* All is back. */
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

TEST_F(numbers, no_user_takes_all)
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
	/* As large a part of what was left. */
	EXPECT_EQ((variant->count - alice.taken + 2) / 3, bob.taken);

	/* Root may have all, and then there is none for anybody. */
	root = take_as(self, 0, variant->kind, most);
	EXPECT_EQ(-EAGAIN, root.error);
	EXPECT_EQ(root.promised, root.taken);
	EXPECT_EQ(variant->count, alice.taken + bob.taken + root.taken);
	TH_LOG("%s: the first user took %llu, the second %llu",
	       names[variant->kind], (unsigned long long)alice.taken,
	       (unsigned long long)bob.taken);
}

TEST_F(numbers, no_client_starves_those_of_its_user)
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

TEST_F(numbers, subordinate_ids_are_one_user)
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
	/* Not a share for each of the ids, but one. */
	EXPECT_GE((variant->count + 1) / 2, taken);
	taken += take_as(self, ALICE, variant->kind, s.most).taken;
	EXPECT_GE((variant->count + 1) / 2, taken);
}

TEST_F(numbers, a_quota_takes_the_place_of_the_share)
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
	/* Another client of the user finds nothing, another user does. */
	r = take_as(self, ALICE, variant->kind, 100);
	EXPECT_EQ(0, r.taken);
	EXPECT_EQ(-EDQUOT, r.error);
	EXPECT_EQ(100, take_as(self, BOB, variant->kind, 100).taken);
	/* It may also be more than the share. */
	limit = variant->count - 200;
	ASSERT_EQ(0, quota_set_of(0, resource, UID, ALICE, &limit));
	r = take_as(self, ALICE, variant->kind, variant->count);
	EXPECT_EQ(limit - 3, r.taken);
	EXPECT_EQ(r.promised, r.taken);
	EXPECT_EQ(-EDQUOT, r.error);
}

/* Counts what the quota of a user counts. */
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

/* What ids other than the user's own are refused, in shared memory. */
FIXTURE(subordinate)
{
	int *ret;
	int mode;
};

FIXTURE_SETUP(subordinate)
{
	self->ret = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->ret);
	self->mode = node_open_to_all();
	ASSERT_LE(0, self->mode);
}

FIXTURE_TEARDOWN(subordinate)
{
	quota_remove(0, UID, ALICE);
	chmod(VNPU_NODE, self->mode);
}

TEST_F(subordinate, device_memory_counts_to_the_owner)
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

TEST_HARNESS_MAIN
