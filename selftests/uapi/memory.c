// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory objects: which requests are valid, what they cost, and that all of it
 * can be freed.
 */
#include "kselftest_harness.h"

#include "client.h"
#include "util.h"

FIXTURE(memory)
{
	struct client c;
	struct vnpu_device_query start;
	__u64 shifts;
};

FIXTURE_SETUP(memory)
{
	struct vnpu_info i;

	ASSERT_EQ(0, client_open(&self->c));
	ASSERT_EQ(0, info(&self->c, &i));
	self->shifts = i.out_page_shifts;
	ASSERT_EQ(0, device_query(&self->c, 0, &self->start));
}

FIXTURE_TEARDOWN(memory)
{
	struct vnpu_device_query q;
	struct client after;

	client_close(&self->c);

	/* The last close frees all that a test leaves allocated. */
	ASSERT_EQ(0, client_open_only(&after));
	ASSERT_EQ(0, device_query(&after, 0, &q));
	EXPECT_EQ(self->start.out_free, q.out_free);
	EXPECT_EQ(self->start.out_largest_free, q.out_largest_free);
	EXPECT_EQ(self->start.out_free_2m, q.out_free_2m);
	client_close(&after);
}

static int alloc_aligned(struct client *c, __u32 flags, __u32 page_shift,
			 __u64 length, __u64 alignment, __u32 *id)
{
	struct vnpu_mem_alloc a = {
		.size = sizeof(a),
		.flags = flags,
		.page_shift = page_shift,
		.length = length,
		.alignment = alignment,
	};
	int ret = call(c->fd, VNPU_IOCTL_MEM_ALLOC, &a);

	*id = a.out_id;
	return ret;
}

TEST_F(memory, length_is_rounded_up)
{
	static const struct {
		__u32 shift;
		__u64 length, rounded;
	} cases[] = {
		{ 0, 1, PAGE },
		{ 0, PAGE, PAGE },
		{ 0, PAGE + 1, 2 * PAGE },
		{ VNPU_PAGE_SHIFT_4K, 5 * PAGE - 1, 5 * PAGE },
		{ VNPU_PAGE_SHIFT_2M, 1, MIB(2) },
		{ VNPU_PAGE_SHIFT_2M, MIB(2), MIB(2) },
		{ VNPU_PAGE_SHIFT_2M, MIB(2) + 1, MIB(4) },
	};
	struct vnpu_device_query d;
	struct vnpu_mem_query q;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct vnpu_mem_alloc a = {
			.size = sizeof(a),
			.page_shift = cases[i].shift,
			.length = cases[i].length,
		};

		if (cases[i].shift && !(self->shifts >> cases[i].shift & 1))
			continue;
		ASSERT_EQ(0, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
		EXPECT_NE(0, a.out_id);
		EXPECT_EQ(cases[i].rounded, a.out_length);
		ASSERT_EQ(0, mem_query(&self->c, a.out_id, &q));
		EXPECT_EQ(cases[i].rounded, q.out_length);
		EXPECT_EQ(cases[i].shift ?: VNPU_PAGE_SHIFT_4K,
			  q.out_page_shift);
		EXPECT_EQ(0, q.out_device);
		EXPECT_EQ(0, q.out_mem_flags);
		EXPECT_EQ(0, q.out_bindings);
		EXPECT_LE(1, q.out_extents);
		ASSERT_EQ(0, device_query(&self->c, 0, &d));
		EXPECT_EQ(cases[i].rounded, d.out_client_used);
		EXPECT_EQ(self->start.out_free - cases[i].rounded, d.out_free);
		ASSERT_EQ(0, mem_free(&self->c, a.out_id));
	}
}

TEST_F(memory, properties_are_reported)
{
	static const __u32 flags[] = {
		0, VNPU_MEM_F_CONTIGUOUS, VNPU_MEM_F_HOST_ACCESS,
		VNPU_MEM_F_CONTIGUOUS | VNPU_MEM_F_HOST_ACCESS,
	};
	struct vnpu_mem_query q;
	struct vnpu_va_query v;
	unsigned int i;
	__u32 id;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		ASSERT_EQ(0, mem_alloc(&self->c, 0, flags[i], 0, 3 * PAGE,
				       &id));
		ASSERT_EQ(0, mem_query(&self->c, id, &q));
		EXPECT_EQ(flags[i], q.out_mem_flags);
		if (flags[i] & VNPU_MEM_F_CONTIGUOUS) {
			EXPECT_EQ(1, q.out_extents);
		}
		ASSERT_EQ(0, mem_free(&self->c, id));

		ASSERT_EQ(0, mem_alloc_at(&self->c, 0, flags[i], 0, PAGE,
					  self->c.base));
		ASSERT_EQ(0, va_query(&self->c, 0, self->c.base, &v));
		EXPECT_EQ(flags[i] | VNPU_MEM_F_BIND, v.out_mem_flags);
		ASSERT_EQ(0, va_unbind(&self->c, self->c.base, 0));
	}
}

TEST_F(memory, page_classes)
{
	__u32 shift, id = 0;
	int expected;

	for (shift = 1; shift < 64; shift++) {
		if (!(self->shifts >> shift & 1))
			expected = -EINVAL;
		else if (shift == VNPU_PAGE_SHIFT_1G)
			expected = self->start.out_free_1g ? 0 : -ENOSPC;
		else if (shift == VNPU_PAGE_SHIFT_2M)
			expected = self->start.out_free_2m ? 0 : -ENOSPC;
		else
			expected = 0;
		EXPECT_EQ(expected, mem_alloc(&self->c, 0, 0, shift, 1, &id))
			TH_LOG("shift %u", shift);
		if (!expected) {
			ASSERT_EQ(0, mem_free(&self->c, id));
		}
	}
	EXPECT_EQ(-EINVAL, mem_alloc(&self->c, 0, 0, 64, 1, &id));
	EXPECT_EQ(-EINVAL, mem_alloc(&self->c, 0, 0, UINT32_MAX, 1, &id));
}

TEST_F(memory, alignment)
{
	static const __u64 wrong[] = { 3 * PAGE, PAGE + 1, 3, GIB(2), GIB(3),
				       1ULL << 63, ~0ULL };
	struct vnpu_device_query q;
	__u64 alignment;
	unsigned int i;
	__u32 id;
	int ret;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(-EINVAL, alloc_aligned(&self->c,
						 VNPU_MEM_F_CONTIGUOUS, 0,
						 PAGE, wrong[i], &id));
	}
	for (alignment = 1; alignment <= GIB(1); alignment *= 2) {
		/* Valid for contiguous memory only. */
		EXPECT_EQ(-EINVAL, alloc_aligned(&self->c, 0, 0, PAGE,
						 alignment, &id));

		ret = alloc_aligned(&self->c, VNPU_MEM_F_CONTIGUOUS, 0, PAGE,
				    alignment, &id);
		if (!ret) {
			/*
			 * The cost is the memory that other objects cannot use.
			 */
			ASSERT_EQ(0, device_query(&self->c, 0, &q));
			EXPECT_EQ(alignment > PAGE ? alignment : PAGE,
				  self->start.out_free - q.out_free);
			ASSERT_EQ(0, mem_free(&self->c, id));
		}
		/* A large multiple may be beyond the end of a small device. */
		if (ret == -ENOSPC && alignment > MIB(2))
			continue;
		EXPECT_EQ(0, ret)
			TH_LOG("alignment %#llx", alignment);
	}
}

TEST_F(memory, lengths_out_of_range)
{
	const __u64 total = self->start.out_total;
	const __u64 overflows[] = { ~0ULL, ~0ULL - 1, ~0ULL - PAGE + 2 };
	const __u64 too_large[] = { total + 1, total + PAGE, total * 2,
				    1ULL << 40, 1ULL << 44, 1ULL << 52,
				    1ULL << 62 };
	unsigned int i, flags;
	__u32 id;

	for (flags = 0; flags <= VNPU_MEM_F_CONTIGUOUS; flags++) {
		EXPECT_EQ(-EINVAL, mem_alloc(&self->c, 0, flags, 0, 0, &id));
		for (i = 0; i < ARRAY_SIZE(overflows); i++) {
			EXPECT_EQ(-EOVERFLOW,
				  mem_alloc(&self->c, 0, flags, 0,
					    overflows[i], &id));
		}
		for (i = 0; i < ARRAY_SIZE(too_large); i++) {
			EXPECT_EQ(-ENOSPC,
				  mem_alloc(&self->c, 0, flags, 0,
					    too_large[i], &id));
		}
	}
	EXPECT_EQ(-EINVAL, mem_alloc_at(&self->c, 0, 0, 0, 0, self->c.base));
	EXPECT_EQ(-EOVERFLOW, mem_alloc(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M,
					~0ULL - MIB(1), &id));
}

TEST_F(memory, all_of_it_and_not_a_page_more)
{
	const __u64 free = self->start.out_free;
	struct vnpu_device_query q;
	__u32 id, none;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, free, &id));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_free);
	EXPECT_EQ(0, q.out_largest_free);
	EXPECT_EQ(0, q.out_free_2m);
	EXPECT_EQ(0, q.out_free_1g);
	EXPECT_EQ(free, q.out_client_used);
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, 1, &none));
	EXPECT_EQ(-ENOSPC, mem_alloc_at(&self->c, 0, 0, 0, 1, self->c.base));
	ASSERT_EQ(0, mem_free(&self->c, id));
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, free + 1, &none));

	/* In one run, as far as it extends. */
	ASSERT_EQ(0, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
			       self->start.out_largest_free, &id));
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS, 0,
				     self->start.out_largest_free, &none));
	ASSERT_EQ(0, mem_free(&self->c, id));

	/* In large pages. */
	if (!self->start.out_free_2m)
		return;
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M,
			       self->start.out_free_2m, &id));
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, VNPU_PAGE_SHIFT_2M, 1,
				     &none));
	ASSERT_EQ(0, mem_free(&self->c, id));
}

/*
 * Every second page is free: scattered memory gets all of it, while a run of
 * two pages and a large page are refused.
 */
TEST_F(memory, fragmentation)
{
	enum { PAGES = 1024 };
	struct vnpu_device_query q;
	struct vnpu_mem_query m;
	__u32 id[PAGES], rest, pieces, none;
	__u64 free;
	int i;

	for (i = 0; i < PAGES; i++) {
		ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id[i]));
	}
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0,
			       self->start.out_free - PAGES * PAGE, &rest));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_free);
	EXPECT_EQ(PAGES + 1, q.out_client_objects);

	for (i = 0; i < PAGES; i += 2) {
		ASSERT_EQ(0, mem_free(&self->c, id[i]));
	}
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	free = PAGES / 2 * PAGE;
	EXPECT_EQ(free, q.out_free);
	EXPECT_GE(free, q.out_largest_free);
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_CONTIGUOUS |
				     VNPU_MEM_F_NO_COMPACT, 0,
				     q.out_largest_free + PAGE, &none));
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, VNPU_MEM_F_NO_COMPACT,
				     VNPU_PAGE_SHIFT_2M, q.out_free_2m + 1,
				     &none));
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0, free + PAGE, &none));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, free, &pieces));
	ASSERT_EQ(0, mem_query(&self->c, pieces, &m));
	EXPECT_EQ(free, m.out_length);
	EXPECT_LE(free / q.out_largest_free, m.out_extents);

	/* Such memory works like any other. */
	ASSERT_EQ(0, va_bind(&self->c, pieces, self->c.base, free, 0));
	EXPECT_EQ(0, fill(&self->c, self->c.base, free, 0x5a, 1));

	ASSERT_EQ(0, va_unbind(&self->c, self->c.base, 0));
	ASSERT_EQ(0, mem_free(&self->c, pieces));
	ASSERT_EQ(0, mem_free(&self->c, rest));
	for (i = 1; i < PAGES; i += 2) {
		ASSERT_EQ(0, mem_free(&self->c, id[i]));
	}
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(self->start.out_free, q.out_free);
	EXPECT_EQ(self->start.out_largest_free, q.out_largest_free);
	EXPECT_EQ(self->start.out_free_2m, q.out_free_2m);
}

TEST_F(memory, counters)
{
	struct vnpu_device_query q;
	__u32 a, b;

	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 3 * PAGE, &a));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, 5 * PAGE, &b));
	ASSERT_EQ(0, mem_alloc_at(&self->c, 0, 0, 0, 7 * PAGE, self->c.base));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(15 * PAGE, q.out_client_used);
	EXPECT_EQ(15 * PAGE, q.out_client_peak);
	EXPECT_EQ(3, q.out_client_objects);

	ASSERT_EQ(0, mem_free(&self->c, b));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(10 * PAGE, q.out_client_used);
	EXPECT_EQ(15 * PAGE, q.out_client_peak);
	EXPECT_EQ(2, q.out_client_objects);

	/* A failed request is not counted, not even in the peak. */
	EXPECT_EQ(-ENOSPC, mem_alloc(&self->c, 0, 0, 0,
				     self->start.out_free, &b));
	EXPECT_EQ(-EEXIST, mem_alloc_at(&self->c, 0, 0, 0, 100 * PAGE,
					self->c.base));
	ASSERT_EQ(0, va_unbind(&self->c, self->c.base, 0));
	ASSERT_EQ(0, mem_free(&self->c, a));
	ASSERT_EQ(0, device_query(&self->c, 0, &q));
	EXPECT_EQ(0, q.out_client_used);
	EXPECT_EQ(15 * PAGE, q.out_client_peak);
	EXPECT_EQ(0, q.out_client_objects);
	EXPECT_EQ(self->start.out_free, q.out_free);
}

TEST_F(memory, devices_are_counted_separately)
{
	const __u32 count = device_count(&self->c);
	struct vnpu_device_query q;
	struct vnpu_mem_query m;
	__u32 d, e, id;

	if (count < 2)
		SKIP(return, "one device");
	for (d = 0; d < count; d++) {
		ASSERT_EQ(0, mem_alloc(&self->c, d, 0, 0, PAGE * (d + 1),
				       &id));
		ASSERT_EQ(0, mem_query(&self->c, id, &m));
		EXPECT_EQ(d, m.out_device);
		for (e = 0; e < count; e++) {
			ASSERT_EQ(0, device_query(&self->c, e, &q));
			EXPECT_EQ(e <= d ? PAGE * (e + 1) : 0,
				  q.out_client_used);
			EXPECT_EQ(e <= d, q.out_client_objects);
		}
	}
}

TEST_F(memory, ids)
{
	struct vnpu_mem_query q;
	struct client other;
	__u32 id, theirs;

	ASSERT_EQ(0, client_open(&other));
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id));

	/* An id is not valid in another file. */
	EXPECT_EQ(-ENOENT, mem_query(&other, id, &q));
	EXPECT_EQ(-ENOENT, mem_free(&other, id));
	EXPECT_EQ(-ENOENT, va_bind(&other, id, other.base, PAGE, 0));
	ASSERT_EQ(0, mem_alloc(&other, 0, 0, 0, 2 * PAGE, &theirs));
	ASSERT_EQ(0, mem_query(&self->c, id, &q));
	EXPECT_EQ(PAGE, q.out_length);

	EXPECT_EQ(0, mem_free(&self->c, id));
	EXPECT_EQ(-ENOENT, mem_free(&self->c, id));
	EXPECT_EQ(-ENOENT, mem_query(&self->c, id, &q));
	EXPECT_EQ(-ENOENT, va_bind(&self->c, id, self->c.base, PAGE, 0));
	EXPECT_EQ(-ENOENT, mem_free(&self->c, 0));
	EXPECT_EQ(-ENOENT, mem_free(&self->c, UINT32_MAX));
	EXPECT_EQ(-ENOENT, mem_query(&self->c, 0, &q));
	EXPECT_EQ(-ENOENT, mem_query(&self->c, UINT32_MAX, &q));
	client_close(&other);
}

/* Freeing an invalid id must not make it valid. */
TEST_F(memory, ids_are_never_zero)
{
	__u32 id[8], n, k;

	for (n = 0; n < ARRAY_SIZE(id); n++) {
		EXPECT_EQ(-ENOENT, mem_free(&self->c, 0));
		ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id[n]));
		EXPECT_NE(0, id[n]);
		for (k = 0; k < n; k++) {
			EXPECT_NE(id[k], id[n]);
		}
	}
	for (n = 0; n < ARRAY_SIZE(id); n++) {
		EXPECT_EQ(0, mem_free(&self->c, id[n]));
		EXPECT_EQ(-ENOENT, mem_free(&self->c, 0));
	}
	ASSERT_EQ(0, mem_alloc(&self->c, 0, 0, 0, PAGE, &id[0]));
	EXPECT_NE(0, id[0]);
}

TEST_F(memory, address_only_with_bind)
{
	struct vnpu_mem_alloc a = {
		.size = sizeof(a),
		.length = PAGE,
		.va = self->c.base,
	};

	EXPECT_EQ(-EINVAL, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	a.flags = VNPU_MEM_F_BIND;
	EXPECT_EQ(0, call(self->c.fd, VNPU_IOCTL_MEM_ALLOC, &a));
	EXPECT_EQ(0, a.out_id);
	EXPECT_EQ(PAGE, a.out_length);
}

TEST_HARNESS_MAIN
