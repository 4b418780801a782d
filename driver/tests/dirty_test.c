// SPDX-License-Identifier: GPL-2.0-only
/* Extent allocator: dirty pages, and the clearing of free memory. */
#include "core_test.h"

#define MiB	256U
#define GiB	(1024U * MiB)

/* Create an arena with unknown contents. */
static struct vnpu_allocator *create(u32 pages)
{
	struct vnpu_extent seg = { 0, pages };

	return vnpu_allocator_create(&seg, 1, true);
}

static int contiguous(struct vnpu_allocator *a, u32 pages, struct vnpu_extent *out)
{
	struct vnpu_allocator_req req = {
		.pages = pages,
		.flags = VNPU_ALLOC_CONTIGUOUS,
	};

	return vnpu_allocator_alloc(a, &req, out);
}

static int claim(struct vnpu_allocator *a, u32 start, u32 count)
{
	return vnpu_allocator_claim(a, (struct vnpu_extent){ start, count });
}

static int give(struct vnpu_allocator *a, u32 start, u32 count, bool dirty)
{
	return vnpu_allocator_free(a, (struct vnpu_extent){ start, count }, dirty);
}

/* Check that exactly these pages are returned, and the result; clear them. */
static bool finds(struct vnpu_allocator *a, u32 most, u32 start, u32 count,
		  bool more)
{
	struct vnpu_extent ext;

	EXPECT(vnpu_allocator_next_to_clear(a, most, &ext) == more);
	EXPECT(vnpu_allocator_has_to_clear(a) == more);
	EXPECT(ext.count == count);
	if (count) {
		EXPECT(ext.start == start);
		vnpu_allocator_set_clean(a, ext);
	}
	return true;
}

/* Each page is dirty until it is cleared, and clean until it is written. */
bool test_dirty(void)
{
	struct vnpu_allocator *a = create(8 * MiB);
	struct vnpu_extent ext, dirty;
	struct vnpu_allocator_stats s;

	EXPECT(!IS_ERR(a));
	vnpu_allocator_get_stats(a, &s);
	EXPECT(s.dirty == 8 * MiB);
	EXPECT(!contiguous(a, 1000, &ext));
	vnpu_allocator_get_stats(a, &s);
	EXPECT(s.dirty == 8 * MiB - 1000);
	EXPECT(vnpu_allocator_next_dirty(a, ext, &dirty));
	EXPECT(dirty.start == ext.start && dirty.count == 1000);
	vnpu_allocator_set_clean(a, (struct vnpu_extent){ 100, 800 });
	EXPECT(vnpu_allocator_next_dirty(a, ext, &dirty));
	EXPECT(dirty.start == 0 && dirty.count == 100);
	EXPECT(vnpu_allocator_next_dirty(a, (struct vnpu_extent){ 100, 900 },
					 &dirty));
	EXPECT(dirty.start == 900 && dirty.count == 100);

	/*
	 * Freed without being written: clean pages stay clean, dirty ones
	 * dirty.
	 */
	EXPECT(!vnpu_allocator_free(a, ext, false));
	vnpu_allocator_get_stats(a, &s);
	EXPECT(s.dirty == 8 * MiB - 800 && s.runs == 1);
	EXPECT(!contiguous(a, 1000, &ext));
	EXPECT(!vnpu_allocator_free(a, (struct vnpu_extent){ 0, 500 }, true));
	EXPECT(!vnpu_allocator_free(a, (struct vnpu_extent){ 500, 500 }, false));
	vnpu_allocator_get_stats(a, &s);
	EXPECT(s.dirty == 8 * MiB - 400);

	/* Free pages can be cleared, too. */
	vnpu_allocator_set_clean(a, (struct vnpu_extent){ 0, 8 * MiB });
	vnpu_allocator_get_stats(a, &s);
	EXPECT(s.dirty == 0);
	EXPECT(!vnpu_allocator_next_dirty(a, (struct vnpu_extent){ 0, 8 * MiB },
					  &dirty));
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* Pages freed dirty are returned once; never allocated pages are not. */
bool test_to_clear(void)
{
	struct vnpu_allocator *a = create(8 * MiB);
	struct vnpu_extent ext;

	EXPECT(!IS_ERR(a));
	EXPECT(finds(a, 16, 0, 0, false));
	EXPECT(!contiguous(a, 2000, &ext));
	vnpu_allocator_set_clean(a, ext);
	EXPECT(!give(a, 100, 100, false));
	EXPECT(finds(a, 16, 0, 0, false));

	EXPECT(!give(a, 10, 20, true));
	EXPECT(finds(a, 16, 10, 16, true));
	EXPECT(finds(a, 16, 26, 4, false));
	EXPECT(finds(a, 16, 0, 0, false));

	/*
	 * Clean pages in between are left out, and a run ends with its frame.
	 */
	EXPECT(!give(a, 200, 10, true));
	EXPECT(!give(a, 1000, 100, true));
	EXPECT(finds(a, 512, 200, 10, true));
	EXPECT(finds(a, 512, 1000, 24, true));
	EXPECT(finds(a, 512, 1024, 76, false));
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* Allocated pages are not returned; pages freed again without clearing are. */
bool test_to_clear_given_out(void)
{
	struct vnpu_allocator *a = create(8 * MiB);
	struct vnpu_extent ext;

	EXPECT(!IS_ERR(a));
	EXPECT(!contiguous(a, 100, &ext));
	vnpu_allocator_set_clean(a, ext);
	EXPECT(!give(a, 50, 10, true));
	EXPECT(!claim(a, 52, 6));
	EXPECT(finds(a, 16, 50, 2, true));
	EXPECT(finds(a, 16, 58, 2, false));
	EXPECT(!give(a, 52, 6, false));
	EXPECT(finds(a, 16, 52, 6, false));
	EXPECT(!give(a, 0, 1, true));
	EXPECT(!claim(a, 0, 1));
	vnpu_allocator_set_clean(a, (struct vnpu_extent){ 0, 1 });
	EXPECT(!give(a, 0, 1, false));
	EXPECT(finds(a, 16, 0, 0, false));
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}

/* A search is short, however large the arena is. */
bool test_to_clear_far(void)
{
	const u32 giants = 5, last = giants * GiB - 1;
	struct vnpu_allocator *a = create(giants * GiB);
	u32 i;

	EXPECT(!IS_ERR(a));
	vnpu_allocator_set_clean(a, (struct vnpu_extent){ 0, giants * GiB });
	EXPECT(!claim(a, 0, 1) && !claim(a, last, 1));
	EXPECT(!give(a, 0, 1, true) && !give(a, last, 1, true));
	EXPECT(finds(a, 16, 0, 1, true));
	for (i = 1; i < giants; i++)
		EXPECT(finds(a, 16, 0, 0, true));
	EXPECT(finds(a, 16, last, 1, false));
	EXPECT(vnpu_allocator_check(a));
	vnpu_allocator_destroy(a);
	return true;
}
