/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bit per arena page, kept by frames of 2 MiB.
 *
 * Each frame of 512 pages has a count of the bits set in it. A frame that is
 * full or empty is known by its count alone: its words mean nothing until it
 * becomes mixed. So an operation on n pages costs at most two mixed frames of
 * eight words (a cache line) plus one count per 2 MiB between them.
 */
#ifndef VNPU_CORE_PAGEMAP_H
#define VNPU_CORE_PAGEMAP_H

#include "core_internal.h"

#define VNPU_FRAME_ORDER	9
#define VNPU_FRAME_PAGES	(1U << VNPU_FRAME_ORDER)
#define VNPU_FRAME_WORDS	(VNPU_FRAME_PAGES / 64)

/**
 * struct vnpu_pagemap - a set of pages
 * @bits: of mixed frames
 * @count: pages set, per frame
 */
struct vnpu_pagemap {
	u64 *bits;
	u16 *count;
};

/* fini also after an init that failed, and of a map of zeroes. */
int vnpu_pagemap_init(struct vnpu_pagemap *map, u32 frames);
void vnpu_pagemap_fini(struct vnpu_pagemap *map);

/* All of these: @n pages from @page, inside the map. */
void vnpu_pagemap_set(struct vnpu_pagemap *map, u32 page, u32 n);
void vnpu_pagemap_clear(struct vnpu_pagemap *map, u32 page, u32 n);
u32 vnpu_pagemap_weight(const struct vnpu_pagemap *map, u32 page, u32 n);
bool vnpu_pagemap_any(const struct vnpu_pagemap *map, u32 page, u32 n);

/* The first page in [@page, @end) that is @value, else @end. */
u32 vnpu_pagemap_next(const struct vnpu_pagemap *map, u32 page, u32 end,
		      bool value);

/*
 * Inside the frame of @page, which is set: where the run of set pages around
 * it begins (ends, exclusive).
 */
u32 vnpu_pagemap_begin(const struct vnpu_pagemap *map, u32 page);
u32 vnpu_pagemap_end(const struct vnpu_pagemap *map, u32 page);

static inline bool vnpu_pagemap_test(const struct vnpu_pagemap *map, u32 page)
{
	u32 count = map->count[page >> VNPU_FRAME_ORDER];

	if (count == 0 || count == VNPU_FRAME_PAGES)
		return count;
	return map->bits[page >> 6] >> (page & 63) & 1;
}

#endif
