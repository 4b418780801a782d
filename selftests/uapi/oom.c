// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reason of a failed request for device memory: what VNPU_IOCTL_OOM_QUERY
 * reports, and to which processes.
 */
#define _GNU_SOURCE
#include <sched.h>

#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

#define TOO_MUCH	(1ULL << 50)

FIXTURE(oom)
{
	struct client c;
	__u64 client_id;
	struct vnpu_device_query device;
};

FIXTURE_SETUP(oom)
{
	struct vnpu_info info = { .size = sizeof(info) };

	ASSERT_EQ(0, client_open_only(&self->c));
	ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_INFO, &info));
	self->client_id = info.out_client_id;
	ASSERT_EQ(0, device_query(&self->c, 0, &self->device));
}

FIXTURE_TEARDOWN(oom)
{
	client_close(&self->c);
}

/* Query with up to @count holders, each @stride bytes after the one before. */
static int oom_query_holders(const struct client *c, struct vnpu_oom_query *out,
			     void *holders, __u32 count, __u32 stride)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	out->holders = addr(holders);
	out->count = count;
	out->stride = stride;
	return call(c->fd, VNPU_IOCTL_OOM_QUERY, out);
}

static int oom_query(const struct client *c, struct vnpu_oom_query *out)
{
	return oom_query_holders(c, out, NULL, 0, 0);
}

TEST_F(oom, nothing_has_failed)
{
	struct vnpu_oom_query q;
	__u32 id;

	EXPECT_EQ(-ENOENT, oom_query(&self->c, &q));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	EXPECT_EQ(-EINVAL, mem_alloc(&self->c, 0, 0, 13, PAGE, &id));
	EXPECT_EQ(-ENOENT, oom_query(&self->c, &q));
}

TEST_F(oom, reports_the_request)
{
	struct vnpu_oom_query q;
	__u32 id;

	ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, TOO_MUCH + 1, &id));
	ASSERT_EQ(0, oom_query(&self->c, &q));
	EXPECT_EQ(1, q.out_count);
	EXPECT_EQ(TOO_MUCH + 1, q.out_length);
	EXPECT_EQ(0, q.out_device);
	EXPECT_EQ(VNPU_PAGE_SHIFT_4K, q.out_page_shift);
	EXPECT_EQ(0, q.out_mem_flags);
	EXPECT_EQ(self->device.out_total, q.out_total);
	EXPECT_EQ(self->device.out_free, q.out_free);
	EXPECT_EQ(self->device.out_free_2m, q.out_free_2m);
	EXPECT_EQ(self->device.out_free_1g, q.out_free_1g);
	EXPECT_EQ(self->device.out_largest_free, q.out_largest);
	EXPECT_EQ(0, q.out_compaction_helps);
	EXPECT_EQ(0, q.out_holders);

	ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS,
				     VNPU_PAGE_SHIFT_2M, TOO_MUCH, &id));
	ASSERT_EQ(0, oom_query(&self->c, &q));
	EXPECT_EQ(2, q.out_count);
	EXPECT_EQ(TOO_MUCH, q.out_length);
	EXPECT_EQ(VNPU_PAGE_SHIFT_2M, q.out_page_shift);
	EXPECT_EQ(VNPU_MEM_F_CONTIGUOUS, q.out_mem_flags);
}

TEST_F(oom, a_try_is_not_recorded)
{
	struct vnpu_oom_query q;
	__u32 id;

	ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_TRY, 0, TOO_MUCH,
				     &id));
	EXPECT_EQ(-ENOENT, oom_query(&self->c, &q));
}

/* A failed call returns the number of its report, and nothing else. */
TEST_F(oom, number_of_the_report)
{
	struct vnpu_mem_alloc a = {
		.size = sizeof(a),
		.length = TOO_MUCH,
		.out_id = 1234,
		.out_report = 1234,
	};
	struct vnpu_oom_query q;

	EXPECT_EQ(-ENOSPC, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	EXPECT_EQ(1, a.out_report);
	EXPECT_EQ(1234, a.out_id);
	EXPECT_EQ(-ENOSPC, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	EXPECT_EQ(2, a.out_report);
	ASSERT_EQ(0, oom_query(&self->c, &q));
	EXPECT_EQ(2, q.out_count);

	/* There is no report on a try, nor on an invalid request. */
	a.out_report = 1234;
	a.flags = VNPU_MEM_F_TRY;
	EXPECT_EQ(-ENOSPC, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	a.flags = 0;
	a.page_shift = 13;
	EXPECT_EQ(-EINVAL, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	EXPECT_EQ(1234, a.out_report);

	/* The member is optional. */
	a.page_shift = 0;
	a.size = offsetof(struct vnpu_mem_alloc, out_report);
	EXPECT_EQ(-ENOSPC, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	EXPECT_EQ(1234, a.out_report);
	a.size = sizeof(a);
	a.length = PAGE;
	EXPECT_EQ(0, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	EXPECT_EQ(0, a.out_report);
}

/* A failed allocation of a slab is reported like other requests for pages. */
TEST_F(oom, no_memory_for_a_slab)
{
	struct vnpu_mem_alloc a = {
		.size = sizeof(a),
		.flags = VNPU_MEM_F_SLAB | VNPU_MEM_F_TRY,
		.length = 64,
	};
	struct vnpu_oom_query q;
	struct client other;
	__u32 id;

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, slab_window(&other, 0, other.base, MIB(1)));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, self->device.out_free, &id));
	ASSERT_EQ(-ENOSPC, call(other.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	EXPECT_EQ(-ENOENT, oom_query(&other, &q));

	a.flags = VNPU_MEM_F_SLAB;
	ASSERT_EQ(-ENOSPC, call(other.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	ASSERT_EQ(0, oom_query(&other, &q));
	EXPECT_EQ(1, q.out_count);
	EXPECT_EQ(1, a.out_report);
	EXPECT_EQ(PAGE, q.out_length);
	EXPECT_EQ(VNPU_MEM_F_SLAB, q.out_mem_flags);
	EXPECT_EQ(0, q.out_compaction_helps);
	EXPECT_EQ(1, q.out_holders);

	/* The same request succeeds when there is memory. */
	ASSERT_EQ(0, mem_free(&self->c, id));
	a.flags = VNPU_MEM_F_SLAB | VNPU_MEM_F_TRY;
	ASSERT_EQ(0, call(other.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	EXPECT_EQ(0, slab_free(&other, a.out_va));
	client_close(&other);
}

TEST_F(oom, the_three_largest_holders)
{
	static const __u64 sizes[] = { MIB(2), MIB(5), MIB(1), MIB(4), MIB(3) };
	struct vnpu_info info[5] = { { 0 } };
	struct vnpu_oom_holder h[5];
	struct vnpu_oom_query q;
	struct client others[5];
	char name[16];
	__u32 id;
	int i;

	memset(h, 0xaa, sizeof(h));
	ASSERT_EQ(0, prctl(PR_GET_NAME, name));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, client_open_only(&others[i]));
		info[i].size = sizeof(info[i]);
		ASSERT_EQ(0, call(others[i].fd, VNPU_IOCTL_INFO, &info[i]));
		ASSERT_EQ(0, mem_alloc(&others[i], 0, 0, 0, sizes[i], &id));
	}
	ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, TOO_MUCH, &id));
	ASSERT_EQ(0, oom_query_holders(&self->c, &q, h, 5, 0));
	EXPECT_EQ(self->device.out_free - MIB(15), q.out_free);
	ASSERT_EQ(3, q.out_holders);
	EXPECT_EQ(MIB(5), h[0].out_used);
	EXPECT_EQ(MIB(4), h[1].out_used);
	EXPECT_EQ(MIB(3), h[2].out_used);
	EXPECT_EQ(info[1].out_client_id, h[0].out_client);
	EXPECT_EQ(info[3].out_client_id, h[1].out_client);
	EXPECT_EQ(info[4].out_client_id, h[2].out_client);
	EXPECT_EQ((__u32)getpid(), h[0].out_pid);
	EXPECT_EQ((__u32)getpid(), h[2].out_pid);
	EXPECT_STREQ(name, (char *)h[0].out_name);
	EXPECT_STREQ(name, (char *)h[2].out_name);
	EXPECT_TRUE(is_all(&h[3], 0xaa, 2 * sizeof(h[0])));

	/* The report stays the same when the holders are gone. */
	for (i = 0; i < 5; i++)
		client_close(&others[i]);
	ASSERT_EQ(0, oom_query_holders(&self->c, &q, h, 1, 0));
	EXPECT_EQ(MIB(5), h[0].out_used);
}

TEST_F(oom, as_many_holders_as_requested)
{
	struct {
		struct vnpu_oom_holder holder;
		__u64 more;
	} wide[2];
	struct vnpu_oom_holder h[2];
	struct vnpu_oom_query q;
	struct client other;
	__u32 id;

	ASSERT_EQ(0, client_open_only(&other));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(2), &id));
	ASSERT_EQ(0, mem_alloc(&other, 0, 0, 0, MIB(1), &id));
	ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, TOO_MUCH, &id));

	/* The number of holders is reported even without room for any. */
	ASSERT_EQ(0, oom_query(&self->c, &q));
	EXPECT_EQ(2, q.out_holders);
	memset(h, 0xaa, sizeof(h));
	ASSERT_EQ(0, oom_query_holders(&self->c, &q, h, 1, sizeof(h[0])));
	EXPECT_EQ(2, q.out_holders);
	EXPECT_EQ(MIB(2), h[0].out_used);
	EXPECT_EQ(0, h[0].out_reserved);
	EXPECT_TRUE(is_all(&h[1], 0xaa, sizeof(h[1])));

	memset(wide, 0xaa, sizeof(wide));
	ASSERT_EQ(0, oom_query_holders(&self->c, &q, wide, ~0U,
				       sizeof(wide[0])));
	EXPECT_EQ(MIB(2), wide[0].holder.out_used);
	EXPECT_EQ(MIB(1), wide[1].holder.out_used);
	EXPECT_EQ(0xaaaaaaaaaaaaaaaaULL, wide[0].more);
	EXPECT_EQ(0xaaaaaaaaaaaaaaaaULL, wide[1].more);

	EXPECT_EQ(-EINVAL, oom_query_holders(&self->c, &q, h, 1,
					     sizeof(h[0]) - 8));
	EXPECT_EQ(-EINVAL, oom_query_holders(&self->c, &q, h, 1,
					     sizeof(h[0]) + 4));
	EXPECT_EQ(-EFAULT, oom_query_holders(&self->c, &q, NULL, 1, 0));
	EXPECT_EQ(-EFAULT, oom_query_holders(&self->c, &q, h, 2, 0xfffffff8));
	client_close(&other);
}

TEST_F(oom, each_client_has_its_own_report)
{
	struct vnpu_oom_query q;
	struct client other;
	__u32 id;

	ASSERT_EQ(0, client_open_only(&other));
	ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, TOO_MUCH, &id));
	EXPECT_EQ(-ENOENT, oom_query(&other, &q));
	client_close(&other);
}

/* Every second of 64 pieces is free. */
/*
 * Contiguous pieces find no other run: the gaps between them are a page
 * shorter.
 */
static void make_pieces(struct __test_metadata *_metadata,
			const FIXTURE_DATA(oom) * self, __u32 flags)
{
	__u64 size = self->device.out_free / 64 / PAGE * PAGE;
	struct vnpu_device_query q;
	__u32 ids[64], id;
	int i;

	for (i = 0; i < 64; i++)
		ASSERT_EQ(0, mem_alloc(&self->c, 0, flags, 0, flags && i % 2 == 0 ?
				       size - PAGE : size, &ids[i]));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	if (q.out_free)
		ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, q.out_free, &id));
	for (i = 0; i < 64; i += 2)
		ASSERT_EQ(0, mem_free(&self->c, ids[i]));
}

TEST_F(oom, compaction_would_help)
{
	__u64 want = self->device.out_free / 4;
	struct vnpu_oom_query q;
	__u32 id;

	make_pieces(_metadata, self, 0);
	ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS |
				     VNPU_MEM_F_NO_COMPACT, 0, want, &id));
	ASSERT_EQ(0, oom_query(&self->c, &q));
	EXPECT_EQ(1, q.out_compaction_helps);
	EXPECT_GT(q.out_frag_index, 900);
	EXPECT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0, want,
			       &id));
}

TEST_F(oom, compaction_would_not_help)
{
	__u64 want = self->device.out_free / 4;
	struct vnpu_oom_query q;
	__u32 id;

	make_pieces(_metadata, self, VNPU_MEM_F_CONTIGUOUS);
	ASSERT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				     want, &id));
	ASSERT_EQ(0, oom_query(&self->c, &q));
	EXPECT_EQ(0, q.out_compaction_helps);
	EXPECT_GE(q.out_free, want);
}

/* No pid and name are reported of processes that the caller cannot see. */
TEST_F(oom, a_pid_namespace_hides_processes)
{
	struct vnpu_oom_holder h[2];
	struct vnpu_oom_query q;
	struct client inner;
	pid_t pid;
	__u32 id;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, MIB(2), &id));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		pid_t child;

		if (unshare(CLONE_NEWPID))
			_exit(10);
		child = fork();
		if (child)
			_exit(child_wait(child));
		if (client_open_only(&inner) ||
		    mem_alloc(&inner, 0, 0, 0, MIB(1), &id) ||
		    mem_alloc(&inner, 0, 0, 0, TOO_MUCH, &id) != -ENOSPC ||
		    oom_query_holders(&inner, &q, h, 2, 0))
			_exit(11);
		if (q.out_holders != 2 || h[0].out_pid ||
		    !is_all(h[0].out_name, 0, VNPU_OOM_NAME_LEN))
			_exit(12);
		if (h[0].out_client != self->client_id ||
		    h[0].out_used != MIB(2))
			_exit(13);
		_exit(h[1].out_pid == 1 && *h[1].out_name ? 0 : 14);
	}
	EXPECT_EQ(0, child_wait(pid));
}

TEST_HARNESS_MAIN
