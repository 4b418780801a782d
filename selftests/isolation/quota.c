// SPDX-License-Identifier: GPL-2.0-only
/*
 * Quotas of device memory: what they count and refuse, and that the accounts
 * balance however a client allocates, shares, moves and ends.
 */
#include "quota.h"

#include <sched.h>

TEST_F(quota, not_a_page_beyond_the_quota)
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

/* A refused allocation leaves nothing behind. */
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

/* The charge is the cost: whole pages of the class. */
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
	/* The slab has room, and is already charged. */
	for (i = 1; i < 64; i++)
		ASSERT_EQ(0, slab_alloc(&self->c, 0, 64, &va[i], NULL));
	ret = slab_alloc(&self->c, 0, 64, &first, NULL);
	EXPECT_EQ(-EDQUOT, ret);
	for (i = 0; i < 64; i++)
		ASSERT_EQ(0, slab_free(&self->c, va[i]));
	EXPECT_EQ(0, quota_used(CLIENT, self->id));
}

TEST_F(quota, quota_below_usage)
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
	/* A new limit of the same quota. */
	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, MIB(5)));
	ASSERT_EQ(0, quota_get(0, CLIENT, self->id, &q));
	EXPECT_EQ(MIB(4), q.used);
	EXPECT_EQ(1, q.refused);
	EXPECT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(1), &more));
}

TEST_F(quota, limits_beyond_the_device)
{
	__u32 id, more;

	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, ~0ULL));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(1), &id));
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, 1ULL << 50, &more));
	EXPECT_EQ(-EOVERFLOW, mem_alloc(&self->c, 0, 0, 0, ~0ULL, &more));
	EXPECT_EQ(MIB(1), quota_used(CLIENT, self->id));
}

/* No memory is moved for an allocation that the quota refuses. */
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

/* The remaining holder of memory is charged for it, even beyond its quota. */
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

	/* Only the file holds the memory: it is still charged. */
	ASSERT_EQ(0, mem_free(&self->c, own));
	EXPECT_EQ(MIB(8), quota_used(CLIENT, self->id));
	close(fd);
	EXPECT_EQ(0, quota_used(CLIENT, self->id));
	EXPECT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 1, &more));
}

/* Passing a file on does not evade the quota of the user. */
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
	/* The client is gone, but the quota of its user remains. */
	EXPECT_EQ(-ENOENT, quota_set(0, CLIENT, gone_id, MIB(1)));
	close(fd);
	EXPECT_EQ(0, quota_used(UID, 0));
	EXPECT_EQ(~0ULL, quota_used(CLIENT, gone_id));
}

/* A different quota on each device. */
TEST_F(quota, quota_of_each_device)
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

static int oom_query_holder(const struct client *c, struct vnpu_oom_query *out,
			    struct vnpu_oom_holder *holder)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	out->holders = addr(holder);
	out->count = !!holder;
	return call(c->fd, VNPU_IOCTL_OOM_QUERY, out);
}

static int oom_query(const struct client *c, struct vnpu_oom_query *out)
{
	return oom_query_holder(c, out, NULL);
}

TEST_F(quota, refusal_reports_the_reason)
{
	struct vnpu_oom_holder holder = { 0 };
	struct vnpu_oom_query q;
	__u32 id, more;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(3), &id));
	ASSERT_EQ(0, quota_set(0, CLIENT, self->id, MIB(4)));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, VNPU_MEM_F_TRY, 0, MIB(2),
				     &more));
	EXPECT_EQ(-ENOENT, oom_query(&self->c, &q));
	EXPECT_EQ(-EDQUOT, mem_alloc(&self->c, 0, 0, 0, MIB(2), &more));
	ASSERT_EQ(0, oom_query_holder(&self->c, &q, &holder));
	EXPECT_EQ(1, q.out_count);
	EXPECT_EQ(MIB(2), q.out_length);
	EXPECT_EQ(CLIENT, q.out_quota_scope);
	EXPECT_EQ(self->id, q.out_quota_id);
	EXPECT_EQ(MIB(4), q.out_quota_limit);
	EXPECT_EQ(MIB(3), q.out_quota_used);
	EXPECT_EQ(0, q.out_compaction_helps);
	EXPECT_EQ(1, q.out_holders);
	EXPECT_EQ(self->id, holder.out_client);

	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, 1ULL << 50, &more));
	ASSERT_EQ(0, oom_query(&self->c, &q));
	EXPECT_EQ(2, q.out_count);
	EXPECT_EQ(VNPU_QUOTA_SCOPE_NONE, q.out_quota_scope);
	EXPECT_EQ(0, q.out_quota_id);
	EXPECT_EQ(0, q.out_quota_limit);
	EXPECT_EQ(0, q.out_quota_used);
}

/* The caller gets only its own id of a user. */
TEST_F(quota, reason_in_a_user_namespace)
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

TEST_HARNESS_MAIN
