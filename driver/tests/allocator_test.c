// SPDX-License-Identifier: GPL-2.0-only
/* Adversarial cases for the extent allocator. */
#include "core_test.h"

#define MiB	256U
#define GiB	(1024U * MiB)

static struct vnpu_allocator *create(u32 pages, bool dirty)
{
	struct vnpu_extent seg = { 0, pages };

	return vnpu_allocator_create(&seg, 1, dirty);
}

static int alloc(struct vnpu_allocator *a, u32 pages, u8 granule, u8 align,
		 u8 flags, struct vnpu_extent *out)
{
	struct vnpu_allocator_req req = {
		.pages = pages,
		.granule_order = granule,
		.align_order = align,
		.flags = flags,
	};
	int err = vnpu_allocator_alloc(a, &req, out);

	while (err == -EAGAIN) {
		req.resume = out->start;
		err = vnpu_allocator_alloc(a, &req, out);
	}
	return err;
}

static int contiguous(struct vnpu_allocator *a, u32 pages, struct vnpu_extent *out)
{
	return alloc(a, pages, 0, 0, VNPU_ALLOC_CONTIGUOUS, out);
}

static int give(struct vnpu_allocator *a, u32 start, u32 count)
{
	return vnpu_allocator_free(a, (struct vnpu_extent){ start, count }, true);
}

static int claim(struct vnpu_allocator *a, u32 start, u32 count)
{
	return vnpu_allocator_claim(a, (struct vnpu_extent){ start, count });
}

bool test_create_refused(void)
{
	static const struct {
		struct vnpu_extent seg[2];
		u32 nr;
	} bad[] = {
		{ { { 0, 512 } }, 0 },
		{ { { 0, 0 } }, 1 },
		{ { { 0, 511 } }, 1 },
		{ { { 1, 512 } }, 1 },
		{ { { 512, 512 }, { 0, 512 } }, 2 },
		{ { { 0, 1024 }, { 512, 512 } }, 2 },
		{ { { 0, 512 }, { 0, 512 } }, 2 },
		{ { { 0, VNPU_ALLOCATOR_MAX_PAGES + 512 } }, 1 },
		{ { { VNPU_ALLOCATOR_MAX_PAGES, 512 } }, 1 },
		{ { { 0xfffffe00, 512 } }, 1 },
		{ { { 512, 0xfffffe00 } }, 1 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(PTR_ERR(vnpu_allocator_create(bad[i].seg, bad[i].nr,
						     false)) == -EINVAL);
	vnpu_allocator_destroy(NULL);
	return true;
}

bool test_requests_refused(void)
{
	static const struct vnpu_allocator_req bad[] = {
		{ .pages = 0 },
		{ .pages = 1, .granule_order = 9 },
		{ .pages = 513, .granule_order = 9 },
		{ .pages = 512, .granule_order = 18 },
		{ .pages = 16, .granule_order = 4 },
		{ .pages = 1, .granule_order = 64 },
		{ .pages = 1, .flags = 4 },
		{ .pages = 1, .flags = 0x80 },
		{ .pages = 1, .flags = VNPU_ALLOC_CONTIGUOUS,
		  .align_order = 32 },
	};
	struct vnpu_allocator *a = create(4 * MiB, false);
	struct vnpu_extent ext;
	u32 i;

	EXPECT(!IS_ERR(a));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT(vnpu_allocator_alloc(a, &bad[i], &ext) == -EINVAL);
	EXPECT(contiguous(a, 4 * MiB + 1, &ext) == -ENOSPC);
	EXPECT(contiguous(a, U32_MAX, &ext) == -ENOSPC);
	EXPECT(alloc(a, 1U << 31, 18, 0, VNPU_ALLOC_CONTIGUOUS, &ext) ==
	       -ENOSPC);
	EXPECT(alloc(a, U32_MAX, 0, 31, VNPU_ALLOC_CONTIGUOUS, &ext) ==
	       -ENOSPC);
	EXPECT(alloc(a, 1, 0, 31, VNPU_ALLOC_CONTIGUOUS, &ext) == 0);
	EXPECT(ext.start == 0);
	EXPECT(alloc(a, 1, 0, 31, VNPU_ALLOC_CONTIGUOUS, &ext) == -ENOSPC);
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

bool test_free_refused(void)
{
	struct vnpu_extent seg[3] = { { 512, 512 }, { 1024, 1024 },
				      { 4096, 512 } };
	struct vnpu_allocator *a = vnpu_allocator_create(seg, 3, false);
	struct vnpu_allocator_stats before, after;
	struct vnpu_extent ext;

	EXPECT(!IS_ERR(a));
	while (!alloc(a, 2048, 0, 0, 0, &ext))
		;
	EXPECT(vnpu_allocator_free_pages(a, 0) == 0);
	EXPECT(!give(a, 1100, 1));
	EXPECT(!give(a, 1200, 500));
	vnpu_allocator_get_stats(a, &before);

	EXPECT(give(a, 1100, 1) == -EINVAL);	/* freed twice */
	EXPECT(give(a, 1099, 2) == -EINVAL);	/* free at the end */
	EXPECT(give(a, 1100, 2) == -EINVAL);	/* free at the start */
	EXPECT(give(a, 1090, 20) == -EINVAL);	/* free page inside */
	EXPECT(give(a, 1300, 100) == -EINVAL);	/* inside a free run */
	EXPECT(give(a, 1536, 64) == -EINVAL);
	EXPECT(give(a, 1024, 1024) == -EINVAL);
	EXPECT(give(a, 600, 0) == -EINVAL);	/* empty */
	EXPECT(give(a, 0, 1) == -EINVAL);		/* before all */
	EXPECT(give(a, 511, 2) == -EINVAL);
	EXPECT(give(a, 2048, 1) == -EINVAL);	/* between two */
	EXPECT(give(a, 2047, 2) == -EINVAL);
	EXPECT(give(a, 4095, 1) == -EINVAL);
	EXPECT(give(a, 4608, 1) == -EINVAL);	/* behind all */
	EXPECT(give(a, 4607, 2) == -EINVAL);
	EXPECT(give(a, U32_MAX, 1) == -EINVAL);
	EXPECT(give(a, U32_MAX, U32_MAX) == -EINVAL);
	EXPECT(give(a, 600, U32_MAX) == -EINVAL);
	EXPECT(give(a, 1023, 2) == -EINVAL);	/* across two */

	vnpu_allocator_get_stats(a, &after);
	EXPECT(!memcmp(&before, &after, sizeof(before)));
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* Claim pages at the ends and in the middle of a run, and one page too many. */
bool test_claim(void)
{
	const u32 first = 1024, last = first + 40 * MiB;
	struct vnpu_extent seg[2] = { { first, 40 * MiB }, { last, 2 * MiB } };
	struct vnpu_allocator *a = vnpu_allocator_create(seg, 2, true);
	struct vnpu_allocator_stats before, after;
	u32 p;

	EXPECT(!IS_ERR(a));
	/* A claim finds the run that contains it, however long the run is. */
	for (p = first; p < last; p += 511) {
		EXPECT(!claim(a, p, 1));
		EXPECT(vnpu_allocator_largest(a, 0) ==
		       max(p - first, last - p - 1));
		EXPECT(claim(a, p, 1) == -EBUSY);
		EXPECT(!give(a, p, 1));
	}
	EXPECT(!claim(a, first, 40 * MiB) && !claim(a, last, 2 * MiB));
	EXPECT(vnpu_allocator_free_pages(a, 0) == 0);
	EXPECT(!give(a, first, 40 * MiB));

	EXPECT(!claim(a, 5000, 1000));
	vnpu_allocator_get_stats(a, &before);
	EXPECT(claim(a, 4999, 2) == -EBUSY);
	EXPECT(claim(a, 5999, 2) == -EBUSY);
	EXPECT(claim(a, 4000, 3000) == -EBUSY);
	EXPECT(claim(a, 5500, 10) == -EBUSY);
	EXPECT(claim(a, last - 1, 2) == -EINVAL);
	EXPECT(claim(a, first - 1, 2) == -EINVAL);
	EXPECT(claim(a, last + 2 * MiB, 1) == -EINVAL);
	EXPECT(claim(a, 7000, 0) == -EINVAL);
	EXPECT(claim(a, 7000, U32_MAX) == -EINVAL);
	EXPECT(claim(a, U32_MAX, 1) == -EINVAL);
	vnpu_allocator_get_stats(a, &after);
	EXPECT(!memcmp(&before, &after, sizeof(before)));

	/* Claim pages that were just freed and are not merged yet. */
	EXPECT(!give(a, 5100, 800));
	EXPECT(!claim(a, 5100, 800));
	EXPECT(!give(a, 5000, 1000));
	EXPECT(!claim(a, 4900, 1200));
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* All pages of an arena can be allocated and freed, including both borders. */
bool test_range_borders(void)
{
	struct vnpu_allocator *a = create(6 * MiB, false);
	struct vnpu_extent ext;
	u32 n;

	EXPECT(!IS_ERR(a));
	for (n = 1; n <= 6 * MiB; n++) {
		EXPECT(!contiguous(a, n, &ext));
		EXPECT(ext.start == 0 && ext.count == n);
		EXPECT(vnpu_allocator_largest(a, 0) == 6 * MiB - n);
		EXPECT(!give(a, 0, n));
		EXPECT(!alloc(a, n, 0, 0, VNPU_ALLOC_CONTIGUOUS |
			      VNPU_ALLOC_TOPDOWN, &ext));
		EXPECT(ext.start == 6 * MiB - n && ext.count == n);
		EXPECT(!give(a, ext.start, n));
		EXPECT(vnpu_allocator_largest(a, 0) == 6 * MiB);
	}
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* Segments that touch never merge, and each can be allocated as a whole. */
bool test_segment_borders(void)
{
	struct vnpu_extent seg[3] = { { 0, 1024 }, { 1024, 512 },
				      { 1536, 2048 } };
	struct vnpu_allocator *a = vnpu_allocator_create(seg, 3, false);
	struct vnpu_extent ext;
	u32 i;

	EXPECT(!IS_ERR(a));
	EXPECT(vnpu_allocator_largest(a, 0) == 2048);
	EXPECT(contiguous(a, 2049, &ext) == -ENOSPC);
	for (i = 0; i < 1000; i++) {
		EXPECT(!contiguous(a, 2048, &ext) && ext.start == 1536);
		EXPECT(!contiguous(a, 1024, &ext) && ext.start == 0);
		EXPECT(!contiguous(a, 512, &ext) && ext.start == 1024);
		EXPECT(contiguous(a, 1, &ext) == -ENOSPC);
		EXPECT(!give(a, 1024, 512));
		EXPECT(!give(a, 1536, 2048));
		EXPECT(!give(a, 0, 1024));
	}
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* Pathological: every other page is free, the highest number of runs. */
bool test_pathological(void)
{
	const u32 pages = 64 * MiB;
	struct vnpu_allocator *a = create(pages, false);
	struct vnpu_allocator_stats s;
	struct vnpu_extent ext;
	u32 p;

	EXPECT(!IS_ERR(a));
	EXPECT(!contiguous(a, pages, &ext));
	for (p = 0; p < pages; p += 2)
		EXPECT(!give(a, p, 1));
	vnpu_allocator_get_stats(a, &s);
	EXPECT(s.free == pages / 2 && s.runs == pages / 2 && s.largest == 1);
	EXPECT(s.free_blocks[0] == pages / 2);
	EXPECT(vnpu_allocator_check(a));
	EXPECT(contiguous(a, 2, &ext) == -ENOSPC);
	EXPECT(alloc(a, 512, 9, 0, 0, &ext) == -ENOSPC);

	/* Freeing one page in the middle makes one run of three. */
	EXPECT(!give(a, 4001, 1));
	EXPECT(contiguous(a, 4, &ext) == -ENOSPC);
	EXPECT(!contiguous(a, 3, &ext) && ext.start == 4000);
	EXPECT(!give(a, 4000, 3));

	/* Without CONTIGUOUS, all of the scattered pages can be allocated. */
	for (p = 0; !alloc(a, pages, 0, 0, 0, &ext); p += ext.count)
		EXPECT(ext.count == 1 || ext.start == 4000);
	EXPECT(p == pages / 2 + 1);
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* Pessimistic: one page per 2 MiB is allocated, so no granule is free. */
bool test_pessimistic(void)
{
	const u32 pages = 2 * GiB;
	struct vnpu_allocator *a = create(pages, false);
	struct vnpu_extent ext;
	u32 p;

	EXPECT(!IS_ERR(a));
	EXPECT(vnpu_allocator_free_pages(a, 18) == pages);
	EXPECT(!contiguous(a, pages, &ext));
	for (p = 0; p < pages; p += 512) {
		EXPECT(!give(a, p, p & 512 ? 256 : 511));
		EXPECT(!p || !(p & 512) || !give(a, p + 257, 255));
	}
	EXPECT(vnpu_allocator_free_pages(a, 9) == 0);
	EXPECT(vnpu_allocator_largest(a, 9) == 0);
	EXPECT(vnpu_allocator_largest(a, 18) == 0);
	EXPECT(alloc(a, 512, 9, 0, 0, &ext) == -ENOSPC);
	EXPECT(alloc(a, 512, 0, 9, VNPU_ALLOC_CONTIGUOUS, &ext) == -ENOSPC);
	EXPECT(vnpu_allocator_check(a));
	EXPECT(!give(a, 1024 + 511, 1));
	EXPECT(vnpu_allocator_free_pages(a, 9) == 512);
	EXPECT(!alloc(a, 1024, 9, 0, 0, &ext));
	EXPECT(ext.start == 1024 && ext.count == 512);
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* However fragmented the arena is, exactly the reported largest run fits. */
bool test_largest(void)
{
	const u32 pages = 32 * MiB;
	struct vnpu_allocator *a = create(pages, false);
	struct vnpu_extent ext;
	u32 i, n;

	EXPECT(!IS_ERR(a));
	EXPECT(!contiguous(a, pages, &ext));
	for (i = 0; i < 20000; i++) {
		give(a, tap_below(pages), 1 + tap_log_uniform(7));
		n = vnpu_allocator_largest(a, 0);
		if (!n)
			continue;
		EXPECT(contiguous(a, n + 1, &ext) == -ENOSPC);
		EXPECT(!contiguous(a, n, &ext));
		if (i & 7)
			EXPECT(!give(a, ext.start, n));
		n = vnpu_allocator_largest(a, 9);
		EXPECT(alloc(a, n + 512, 9, 0, VNPU_ALLOC_CONTIGUOUS, &ext) ==
		       -ENOSPC);
		if (!n)
			continue;
		EXPECT(!alloc(a, n, 9, 0, VNPU_ALLOC_CONTIGUOUS, &ext));
		EXPECT(!give(a, ext.start, n));
	}
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/*
 * Many runs are long enough but misaligned; only the last one can hold it. A
 * call tries some of them.
 */
bool test_misaligned(void)
{
	const struct vnpu_allocator_req req = {
		.pages = 16,
		.align_order = 4,
		.flags = VNPU_ALLOC_CONTIGUOUS,
	};
	const u32 pages = 64 * MiB;
	struct vnpu_allocator *a = create(pages, false);
	struct vnpu_extent ext;
	u32 p;

	EXPECT(!IS_ERR(a));
	EXPECT(!contiguous(a, pages, &ext));
	for (p = 0; p + 32 < pages; p += 32)
		EXPECT(!give(a, p + 8, 20));
	EXPECT(alloc(a, 16, 0, 4, VNPU_ALLOC_CONTIGUOUS, &ext) == -ENOSPC);
	EXPECT(!give(a, pages - 32 + 12, 20));
	EXPECT(vnpu_allocator_alloc(a, &req, &ext) == -EAGAIN);
	EXPECT(!alloc(a, 16, 0, 4, VNPU_ALLOC_CONTIGUOUS, &ext));
	EXPECT(ext.start == pages - 16);
	EXPECT(!alloc(a, 12, 0, 4, VNPU_ALLOC_CONTIGUOUS | VNPU_ALLOC_TOPDOWN,
		      &ext));
	EXPECT(ext.start % 16 == 0);
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* Top-down allocations gather at the high end of an arena in use. */
bool test_two_ended(void)
{
	struct vnpu_allocator *a = create(64 * MiB, false);
	struct vnpu_extent ext;
	u32 i;

	EXPECT(!IS_ERR(a));
	for (i = 0; i < 100; i++) {
		EXPECT(!alloc(a, 10, 0, 0, 0, &ext));
		EXPECT(ext.start == i * 10);
		EXPECT(!alloc(a, 7, 0, 0, VNPU_ALLOC_TOPDOWN, &ext));
		EXPECT(ext.start == 64 * MiB - 7 * (i + 1));
	}
	EXPECT(!alloc(a, 512, 9, 0, VNPU_ALLOC_TOPDOWN, &ext));
	EXPECT(ext.start == 58 * MiB);
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* The largest arena: all indexes fit, and the metadata is at most 0.1 %. */
bool test_metadata(void)
{
	static const u32 sizes[] = { 64 * MiB, GiB, 3 * GiB + 2 * MiB, 8 * GiB,
				     TAP_GIANT_PAGES };
	struct vnpu_extent ext;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct vnpu_allocator *a = create(sizes[i], false);

		EXPECT(!IS_ERR(a));
		EXPECT(vnpu_allocator_metadata(a) <= sizes[i] * 4ULL);
		EXPECT(!contiguous(a, sizes[i] - 1, &ext));
		EXPECT(!give(a, ext.start, ext.count));
		EXPECT(!contiguous(a, sizes[i], &ext));
		EXPECT(!give(a, 1, sizes[i] - 2));
		EXPECT(vnpu_allocator_largest(a, 0) == sizes[i] - 2);
		EXPECT(vnpu_allocator_largest(a, 9) == sizes[i] - 1024);
		vnpu_allocator_destroy(a);
	}
	return true;
}
