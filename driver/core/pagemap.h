/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bit per arena page, grouped by frames of 2 MiB.
 *
 * Each frame of 512 pages has a count of its set bits. Setting or clearing a
 * whole frame writes only the count; the words stay stale until a part of the
 * frame is written. So an operation on n pages costs at most two frames of
 * eight words (a cache line each), plus a count for each frame between them.
 *
 * Most requests are small, so operations on a single word are inline.
 */
#ifndef VNPU_CORE_PAGEMAP_H
#define VNPU_CORE_PAGEMAP_H

#include "core_internal.h"

#define VNPU_FRAME_ORDER	9
#define VNPU_FRAME_PAGES	512U
#define VNPU_FRAME_MASK		(VNPU_FRAME_PAGES - 1)
#define VNPU_FRAME_WORDS	(VNPU_FRAME_PAGES / 64)

/* The count is 0 or VNPU_FRAME_PAGES, and the words are stale. */
#define VNPU_FRAME_STALE	0x8000U

static inline u32 vnpu_frame_of(u32 page)
{
	return page >> VNPU_FRAME_ORDER;
}

/**
 * struct vnpu_pagemap - a set of pages
 * @bits: VNPU_FRAME_WORDS words for each frame
 * @count: number of set pages for each frame, with VNPU_FRAME_STALE
 */
struct vnpu_pagemap {
	u64 *bits;
	u16 *count;
};

/* fini may also be called after a failed init, and on a zeroed map. */
int vnpu_pagemap_init(struct vnpu_pagemap *map, u32 frames);
void vnpu_pagemap_fini(struct vnpu_pagemap *map);

/* Functions on @n pages from @page: at least one page, inside the map. */
void vnpu_pagemap_set(struct vnpu_pagemap *map, u32 page, u32 n);
void vnpu_pagemap_clear(struct vnpu_pagemap *map, u32 page, u32 n);
void vnpu_pagemap_fill_slow(struct vnpu_pagemap *map, u32 page, u32 n);
void vnpu_pagemap_drain_slow(struct vnpu_pagemap *map, u32 page, u32 n);
u32 vnpu_pagemap_weight_slow(const struct vnpu_pagemap *map, u32 page, u32 n);
bool vnpu_pagemap_any_slow(const struct vnpu_pagemap *map, u32 page, u32 n);

/* Return the first page in [@page, @end) with the bit @value, else @end. */
u32 vnpu_pagemap_next(const struct vnpu_pagemap *map, u32 page, u32 end,
		      bool value);

/*
 * Return the first page (end, exclusive) of the run of set pages around @page,
 * looking only inside the frame of @page. The bit of @page must be set.
 */
u32 vnpu_pagemap_begin(const struct vnpu_pagemap *map, u32 page);
u32 vnpu_pagemap_end(const struct vnpu_pagemap *map, u32 page);

static inline u32 vnpu_pagemap_count(const struct vnpu_pagemap *map, u32 frame)
{
	return map->count[frame] & ~VNPU_FRAME_STALE;
}

static inline bool vnpu_pagemap_test(const struct vnpu_pagemap *map, u32 page)
{
	u32 count = map->count[vnpu_frame_of(page)];

	if (count & VNPU_FRAME_STALE)
		return count & VNPU_FRAME_PAGES;
	return map->bits[page >> 6] >> (page & 63) & 1;
}

/* Check that the pages are in one word, and that the word is not stale. */
static inline bool vnpu_pagemap_inline(const struct vnpu_pagemap *map, u32 page,
				       u32 n)
{
	return (page & 63) + n <= 64 &&
	       !(map->count[vnpu_frame_of(page)] & VNPU_FRAME_STALE);
}

static inline u64 vnpu_pagemap_mask(u32 page, u32 n)
{
	return ~0ULL >> (64 - n) << (page & 63);
}

/* Set pages that are all clear. */
static inline void vnpu_pagemap_fill(struct vnpu_pagemap *map, u32 page, u32 n)
{
	if (vnpu_pagemap_inline(map, page, n)) {
		map->bits[page >> 6] |= vnpu_pagemap_mask(page, n);
		map->count[vnpu_frame_of(page)] += n;
	} else {
		vnpu_pagemap_fill_slow(map, page, n);
	}
}

/* Clear pages that are all set. */
static inline void vnpu_pagemap_drain(struct vnpu_pagemap *map, u32 page, u32 n)
{
	if (vnpu_pagemap_inline(map, page, n)) {
		map->bits[page >> 6] &= ~vnpu_pagemap_mask(page, n);
		map->count[vnpu_frame_of(page)] -= n;
	} else {
		vnpu_pagemap_drain_slow(map, page, n);
	}
}

/* Check if any of the pages is set. */
static inline bool vnpu_pagemap_any(const struct vnpu_pagemap *map, u32 page,
				    u32 n)
{
	if (vnpu_pagemap_inline(map, page, n))
		return map->bits[page >> 6] & vnpu_pagemap_mask(page, n);
	return vnpu_pagemap_any_slow(map, page, n);
}

/* Count the set pages. */
static inline u32 vnpu_pagemap_weight(const struct vnpu_pagemap *map, u32 page,
				      u32 n)
{
	u32 count = vnpu_pagemap_count(map, page >> VNPU_FRAME_ORDER);

	if ((page & VNPU_FRAME_MASK) + n <= VNPU_FRAME_PAGES) {
		if (!count)
			return 0;
		if (count == VNPU_FRAME_PAGES)
			return n;
		if (vnpu_pagemap_inline(map, page, n))
			return hweight64(map->bits[page >> 6] &
					 vnpu_pagemap_mask(page, n));
	}
	return vnpu_pagemap_weight_slow(map, page, n);
}

#endif
