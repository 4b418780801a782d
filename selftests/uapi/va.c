// SPDX-License-Identifier: GPL-2.0-only
/* Device addresses: bind, unbind and query. */
#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

FIXTURE(va)
{
	struct client c;
	__u64 base;
	__u64 end;
	__u32 id;	/* an object of 16 pages */
};

FIXTURE_SETUP(va)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->base = self->c.base;
	self->end = self->c.base + self->c.size;
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 16 * PAGE, &self->id));
}

FIXTURE_TEARDOWN(va)
{
	client_close(&self->c);
}

static int unbind_count(const struct client *c, __u64 va, __u64 length,
			struct vnpu_va_unbind *u)
{
	memset(u, 0, sizeof(*u));
	u->size = sizeof(*u);
	u->va = va;
	u->length = length;
	return call(c->fd, VNPU_IOCTL_VA_UNBIND, u);
}

TEST_F(va, bind_and_query)
{
	struct vnpu_mem_query m;
	struct vnpu_va_query q;

	ASSERT_EQ(0, va_bind(&self->c, self->id, self->base + PAGE, 4 * PAGE,
			     3 * PAGE));
	ASSERT_EQ(0, mem_query(&self->c, self->id, &m));
	EXPECT_EQ(1, m.out_bindings);

	EXPECT_EQ(-ENOENT, va_query(&self->c, 0, self->base, &q));
	EXPECT_EQ(-ENOENT, va_query(&self->c, 0, self->base + PAGE - 1, &q));
	EXPECT_EQ(-ENOENT, va_query(&self->c, 0, self->base + 5 * PAGE, &q));
	ASSERT_EQ(0, va_query(&self->c, 0, self->base + PAGE, &q));
	ASSERT_EQ(0, va_query(&self->c, 0, self->base + 5 * PAGE - 1, &q));
	EXPECT_EQ(self->base + PAGE, q.out_va);
	EXPECT_EQ(4 * PAGE, q.out_length);
	EXPECT_EQ(3 * PAGE, q.out_offset);
	EXPECT_EQ(0, q.out_device);
	EXPECT_EQ(self->id, q.out_mem_id);
	EXPECT_EQ(VNPU_PAGE_SHIFT_4K, q.out_page_shift);
	EXPECT_EQ(0, q.out_mem_flags);
}

TEST_F(va, query_next)
{
	struct vnpu_va_query q;
	__u64 at = 0;
	int n;

	EXPECT_EQ(-ENOENT, va_query(&self->c, VNPU_VA_QUERY_F_NEXT, 0, &q));
	for (n = 0; n < 8; n++) {
		ASSERT_EQ(0, va_bind(&self->c, self->id,
				     self->base + n * MIB(1), PAGE, n * PAGE));
	}
	for (n = 0; n < 8; n++) {
		ASSERT_EQ(0, va_query(&self->c, VNPU_VA_QUERY_F_NEXT, at, &q));
		EXPECT_EQ(self->base + n * MIB(1), q.out_va);
		EXPECT_EQ(n * PAGE, q.out_offset);
		at = q.out_va + q.out_length;
	}
	EXPECT_EQ(-ENOENT, va_query(&self->c, VNPU_VA_QUERY_F_NEXT, at, &q));
	EXPECT_EQ(-ENOENT, va_query(&self->c, VNPU_VA_QUERY_F_NEXT, ~0ULL,
				    &q));
	EXPECT_EQ(-ENOENT, va_query(&self->c, 0, ~0ULL, &q));
	EXPECT_EQ(-ENOENT, va_query(&self->c, 0, 0, &q));

	/* The binding that contains the address comes first. */
	ASSERT_EQ(0, va_query(&self->c, VNPU_VA_QUERY_F_NEXT,
			      self->base + MIB(1) + 1, &q));
	EXPECT_EQ(self->base + MIB(1), q.out_va);
}

TEST_F(va, bind_refused)
{
	const struct {
		int error;
		__u64 va, length, offset;
	} cases[] = {
		/* alignment and length */
		{ EINVAL, self->base + 1, PAGE, 0 },
		{ EINVAL, self->base + PAGE / 2, PAGE, 0 },
		{ EINVAL, self->base, PAGE + 1, 0 },
		{ EINVAL, self->base, PAGE, 1 },
		{ EINVAL, self->base, 0, 0 },
		{ EINVAL, self->base, 1, 0 },
		/* beyond the object */
		{ EINVAL, self->base, 17 * PAGE, 0 },
		{ EINVAL, self->base, 16 * PAGE, PAGE },
		{ EINVAL, self->base, PAGE, 16 * PAGE },
		{ EINVAL, self->base, PAGE, 1ULL << 62 },
		/* outside the window */
		{ EFAULT, self->base - PAGE, PAGE, 0 },
		{ EFAULT, self->base - PAGE, 2 * PAGE, 0 },
		{ EFAULT, self->end, PAGE, 0 },
		{ EFAULT, self->end - PAGE, 2 * PAGE, 0 },
		{ EFAULT, 0, PAGE, 0 },
		{ EFAULT, 1ULL << 62, PAGE, 0 },
		/* overflow */
		{ EOVERFLOW, ~0ULL - PAGE + 1, PAGE * 2, 0 },
		{ EOVERFLOW, self->base, PAGE * 2, ~0ULL - PAGE + 1 },
		{ EOVERFLOW, self->base, ~0ULL - PAGE + 1, 0 },
	};
	struct vnpu_mem_query m;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		EXPECT_EQ(-cases[i].error,
			  va_bind(&self->c, self->id, cases[i].va,
				  cases[i].length, cases[i].offset))
			TH_LOG("case %u", i);
	}
	EXPECT_EQ(-ENOENT, va_bind(&self->c, 0, self->base, PAGE, 0));
	EXPECT_EQ(-ENOENT, va_bind(&self->c, self->id + 1, self->base, PAGE,
				   0));
	ASSERT_EQ(0, mem_query(&self->c, self->id, &m));
	EXPECT_EQ(0, m.out_bindings);
}

TEST_F(va, both_ends_of_the_window)
{
	EXPECT_EQ(0, va_bind(&self->c, self->id, self->base, PAGE, 0));
	EXPECT_EQ(0, va_bind(&self->c, self->id, self->end - PAGE, PAGE,
			     PAGE));
	EXPECT_EQ(0, fill(&self->c, self->base, 1, 1, 1));
	EXPECT_EQ(0, fill(&self->c, self->end - 1, 1, 1, 1));
}

TEST_F(va, overlapping_bindings)
{
	const __u64 at = self->base + 4 * PAGE;
	struct vnpu_mem_query m;

	ASSERT_EQ(0, va_bind(&self->c, self->id, at, 4 * PAGE, 0));
	EXPECT_EQ(-EEXIST, va_bind(&self->c, self->id, at, 4 * PAGE, 0));
	EXPECT_EQ(-EEXIST, va_bind(&self->c, self->id, at + PAGE, PAGE, 0));
	EXPECT_EQ(-EEXIST, va_bind(&self->c, self->id, at - PAGE, 2 * PAGE,
				   0));
	EXPECT_EQ(-EEXIST, va_bind(&self->c, self->id, at + 3 * PAGE,
				   2 * PAGE, 0));
	EXPECT_EQ(-EEXIST, va_bind(&self->c, self->id, at - PAGE, 6 * PAGE,
				   0));
	EXPECT_EQ(-EEXIST, mem_alloc_at(&self->c, 0, 0, 0, PAGE, at));

	/* Right at its edges there is room. */
	EXPECT_EQ(0, va_bind(&self->c, self->id, at - PAGE, PAGE, 0));
	EXPECT_EQ(0, va_bind(&self->c, self->id, at + 4 * PAGE, PAGE, 0));
	ASSERT_EQ(0, mem_query(&self->c, self->id, &m));
	EXPECT_EQ(3, m.out_bindings);
}

TEST_F(va, unbind_range)
{
	struct vnpu_va_unbind u;
	struct vnpu_mem_query m;
	struct vnpu_va_query q;
	int n;

	for (n = 0; n < 4; n++) {
		ASSERT_EQ(0, va_bind(&self->c, self->id,
				     self->base + 4 * n * PAGE, 2 * PAGE, 0));
	}

	/*
	 * A range that includes a part of a binding, at either side, unbinds
	 * nothing.
	 */
	EXPECT_EQ(-EINVAL, va_unbind(&self->c, self->base, PAGE));
	EXPECT_EQ(-EINVAL, va_unbind(&self->c, self->base + PAGE, PAGE));
	EXPECT_EQ(-EINVAL, va_unbind(&self->c, self->base, 5 * PAGE));
	EXPECT_EQ(-EINVAL, va_unbind(&self->c, self->base + PAGE, 7 * PAGE));
	ASSERT_EQ(0, mem_query(&self->c, self->id, &m));
	EXPECT_EQ(4, m.out_bindings);

	EXPECT_EQ(-ENOENT, va_unbind(&self->c, self->base + 2 * PAGE,
				     2 * PAGE));
	ASSERT_EQ(0, unbind_count(&self->c, self->base, 8 * PAGE, &u));
	EXPECT_EQ(4 * PAGE, u.out_length);
	EXPECT_EQ(2, u.out_bindings);
	EXPECT_EQ(VNPU_PAGE_SHIFT_4K, u.out_page_shift);
	EXPECT_EQ(-ENOENT, va_query(&self->c, 0, self->base, &q));
	EXPECT_EQ(0, va_query(&self->c, 0, self->base + 8 * PAGE, &q));

	/* Unbinding the whole window removes all bindings. */
	ASSERT_EQ(0, unbind_count(&self->c, self->base, self->c.size, &u));
	EXPECT_EQ(4 * PAGE, u.out_length);
	EXPECT_EQ(2, u.out_bindings);
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, self->base, self->c.size));
	ASSERT_EQ(0, mem_query(&self->c, self->id, &m));
	EXPECT_EQ(0, m.out_bindings);
}

TEST_F(va, unbind_one)
{
	struct vnpu_va_unbind u;

	ASSERT_EQ(0, va_bind(&self->c, self->id, self->base + PAGE, 3 * PAGE,
			     0));
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, self->base, 0));
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, self->base + 2 * PAGE, 0));
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, self->base + 4 * PAGE, 0));
	ASSERT_EQ(0, unbind_count(&self->c, self->base + PAGE, 0, &u));
	EXPECT_EQ(3 * PAGE, u.out_length);
	EXPECT_EQ(1, u.out_bindings);
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, self->base + PAGE, 0));
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, 0, 0));
	EXPECT_EQ(-ENOENT, va_unbind(&self->c, ~0ULL - PAGE + 1, 0));
	EXPECT_EQ(-EOVERFLOW, va_unbind(&self->c, self->base, ~0ULL - PAGE +
					1));
	EXPECT_EQ(-EOVERFLOW, va_unbind(&self->c, ~0ULL - PAGE + 1,
					2 * PAGE));
}

TEST_F(va, unbind_reports_the_page_class)
{
	struct vnpu_device_query d;
	struct vnpu_va_unbind u;

	ASSERT_EQ(0, device_query(&self->c, 0, &d));
	if (!d.out_free_2m)
		SKIP(return, "no free 2 MiB page");
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, 1,
				  self->base + MIB(4)));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, 1,
				  self->base + MIB(6)));
	ASSERT_EQ(0, unbind_count(&self->c, self->base, MIB(8), &u));
	EXPECT_EQ(MIB(2) + PAGE, u.out_length);
	EXPECT_EQ(2, u.out_bindings);
	EXPECT_EQ(VNPU_PAGE_SHIFT_2M, u.out_page_shift);

	/*
	 * The length is that of the page class, also at the end of the window.
	 */
	EXPECT_EQ(-EFAULT, mem_alloc_at(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, 1,
					self->end - PAGE));
	EXPECT_EQ(0, mem_alloc_at(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, 1,
				  self->end - MIB(2)));
}

TEST_F(va, free_flag)
{
	const __u64 bound = self->base, had_id = self->base + PAGE;
	const __u64 no_id = self->base + 2 * PAGE;
	struct vnpu_va_query q;
	__u32 id;

	ASSERT_EQ(0, va_bind(&self->c, self->id, bound, PAGE, 0));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));
	ASSERT_EQ(0, va_bind(&self->c, id, had_id, PAGE, 0));
	ASSERT_EQ(0, mem_free(&self->c, id));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, PAGE, no_id));

	/* The id by which it was bound, though it is not valid any more. */
	ASSERT_EQ(0, va_query(&self->c, 0, had_id, &q));
	EXPECT_EQ(id, q.out_mem_id);
	ASSERT_EQ(0, va_query(&self->c, 0, no_id, &q));
	EXPECT_EQ(0, q.out_mem_id);

	EXPECT_EQ(-EINVAL, va_unbind_flags(&self->c, VNPU_VA_UNBIND_F_FREE,
					   bound, 0));
	EXPECT_EQ(-EINVAL, va_unbind_flags(&self->c, VNPU_VA_UNBIND_F_FREE,
					   had_id, PAGE));
	EXPECT_EQ(-EINVAL, va_unbind_flags(&self->c, VNPU_VA_UNBIND_F_FREE,
					   bound, 3 * PAGE));
	EXPECT_EQ(0, va_query(&self->c, 0, bound, &q));
	EXPECT_EQ(0, va_query(&self->c, 0, had_id, &q));
	EXPECT_EQ(0, va_query(&self->c, 0, no_id, &q));
	EXPECT_EQ(0, va_unbind_flags(&self->c, VNPU_VA_UNBIND_F_FREE, no_id,
				     0));
	EXPECT_EQ(-ENOENT, va_unbind_flags(&self->c, VNPU_VA_UNBIND_F_FREE,
					   no_id, 0));
	EXPECT_EQ(0, va_unbind(&self->c, bound, 2 * PAGE));
}

TEST_F(va, allocate_at_refused)
{
	struct vnpu_device_query before, after;

	ASSERT_EQ(0, device_query(&self->c, 0, &before));
	EXPECT_EQ(-EINVAL, mem_alloc_at(&self->c, 0, 0, 0, PAGE,
					self->base + 1));
	EXPECT_EQ(-EFAULT, mem_alloc_at(&self->c, 0, 0, 0, PAGE, 0));
	EXPECT_EQ(-EFAULT, mem_alloc_at(&self->c, 0, 0, 0, PAGE, self->end));
	EXPECT_EQ(-EFAULT, mem_alloc_at(&self->c, 0, 0, 0, 2 * PAGE,
					self->end - PAGE));
	ASSERT_EQ(0, device_query(&self->c, 0, &after));
	EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
}

/* Memory exists as long as an id or a binding does. */
TEST_F(va, binding_keeps_the_memory)
{
	struct vnpu_device_query d;
	__u64 value = 0;

	ASSERT_EQ(0, va_bind(&self->c, self->id, self->base, 8 * PAGE, 0));
	ASSERT_EQ(0, va_bind(&self->c, self->id, self->base + MIB(1), PAGE,
			     15 * PAGE));
	ASSERT_EQ(0, fill(&self->c, self->base, 8 * PAGE,
			  0x1122334455667788, 8));
	ASSERT_EQ(0, mem_free(&self->c, self->id));
	ASSERT_EQ(0, device_query(&self->c, 0, &d));
	EXPECT_EQ(16 * PAGE, d.out_client_used);
	EXPECT_EQ(1, d.out_client_objects);

	ASSERT_EQ(0, va_unbind(&self->c, self->base + MIB(1), 0));
	ASSERT_EQ(0, copy(&self->c, addr(&value), self->base + 7 * PAGE, 8));
	EXPECT_EQ(0x1122334455667788, value);
	ASSERT_EQ(0, device_query(&self->c, 0, &d));
	EXPECT_EQ(16 * PAGE, d.out_client_used);

	ASSERT_EQ(0, va_unbind(&self->c, self->base, 0));
	ASSERT_EQ(0, device_query(&self->c, 0, &d));
	EXPECT_EQ(0, d.out_client_used);
	EXPECT_EQ(0, d.out_client_objects);
}

TEST_F(va, two_addresses_of_one_object)
{
	__u8 seen[2 * PAGE];

	ASSERT_EQ(0, va_bind(&self->c, self->id, self->base, 4 * PAGE, 0));
	ASSERT_EQ(0, va_bind(&self->c, self->id, self->base + MIB(1),
			     2 * PAGE, PAGE));
	ASSERT_EQ(0, fill(&self->c, self->base, 4 * PAGE, 0x11, 1));
	ASSERT_EQ(0, fill(&self->c, self->base + PAGE, 2 * PAGE, 0x22, 1));
	ASSERT_EQ(0, copy(&self->c, addr(seen), self->base + MIB(1),
			  sizeof(seen)));
	EXPECT_TRUE(is_all(seen, 0x22, sizeof(seen)));

	ASSERT_EQ(0, fill(&self->c, self->base + MIB(1), 2 * PAGE, 0x33, 1));
	ASSERT_EQ(0, copy(&self->c, addr(seen), self->base + PAGE,
			  sizeof(seen)));
	EXPECT_TRUE(is_all(seen, 0x33, sizeof(seen)));
	ASSERT_EQ(0, copy(&self->c, addr(seen), self->base, PAGE));
	EXPECT_TRUE(is_all(seen, 0x11, PAGE));
}

TEST_F(va, many_bindings)
{
	enum { N = 2000 };
	struct vnpu_va_unbind u;
	struct vnpu_mem_query m;
	struct vnpu_va_query q;
	int n;

	/* From both ends, so that neither order is the natural one. */
	for (n = 0; n < N / 2; n++) {
		ASSERT_EQ(0, va_bind(&self->c, self->id,
				     self->base + 2 * n * PAGE, PAGE, 0));
		ASSERT_EQ(0, va_bind(&self->c, self->id,
				     self->base + 2 * (N - 1 - n) * PAGE, PAGE,
				     PAGE));
	}
	ASSERT_EQ(0, mem_query(&self->c, self->id, &m));
	EXPECT_EQ(N, m.out_bindings);
	for (n = 0; n < N; n++) {
		ASSERT_EQ(0, va_query(&self->c, 0, self->base + 2 * n * PAGE,
				      &q));
		EXPECT_EQ(-ENOENT,
			  va_query(&self->c, 0,
				   self->base + (2 * n + 1) * PAGE, &q));
	}
	ASSERT_EQ(0, unbind_count(&self->c, self->base, 2 * N * PAGE, &u));
	EXPECT_EQ(N, u.out_bindings);
	EXPECT_EQ(N * PAGE, u.out_length);
}

TEST_HARNESS_MAIN
