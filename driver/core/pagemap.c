// SPDX-License-Identifier: GPL-2.0-only
/* A bit per arena page, kept by frames of 2 MiB. See pagemap.h. */
#include "pagemap.h"

#define FRAME_MASK	(VNPU_FRAME_PAGES - 1)

int vnpu_pagemap_init(struct vnpu_pagemap *map, u32 frames)
{
	map->bits = kvcalloc(frames, VNPU_FRAME_WORDS * sizeof(*map->bits),
			     GFP_KERNEL);
	map->count = kvcalloc(frames, sizeof(*map->count), GFP_KERNEL);
	return map->bits && map->count ? 0 : -ENOMEM;
}

void vnpu_pagemap_fini(struct vnpu_pagemap *map)
{
	kvfree(map->count);
	kvfree(map->bits);
}

/* The bits of [@page, @end) in the word of @page; they share a frame. */
static inline u64 word_mask(u32 page, u32 end)
{
	u32 bits = min(end - page, 64 - (page & 63));

	return ~0ULL >> (64 - bits) << (page & 63);
}

/* Where the frame of @page ends, or @end if that is first. */
static inline u32 frame_end(u32 page, u32 end)
{
	return min(end, (page | FRAME_MASK) + 1);
}

/* The words of a frame that is about to be mixed. */
static inline u64 *frame_mix(struct vnpu_pagemap *map, u32 frame, u32 count)
{
	u64 *words = &map->bits[frame * VNPU_FRAME_WORDS];

	if (count == 0 || count == VNPU_FRAME_PAGES)
		memset(words, count ? 0xff : 0,
		       VNPU_FRAME_WORDS * sizeof(*words));
	return words;
}

static void frame_set(struct vnpu_pagemap *map, u32 page, u32 end)
{
	u32 frame = page >> VNPU_FRAME_ORDER;
	u32 count = map->count[frame];
	u64 *words, mask;

	if (count == VNPU_FRAME_PAGES)
		return;
	if (end - page == VNPU_FRAME_PAGES) {
		map->count[frame] = VNPU_FRAME_PAGES;
		return;
	}

	words = frame_mix(map, frame, count);
	words += (page & FRAME_MASK) >> 6;
	for (; page < end; page = (page | 63) + 1, words++) {
		mask = word_mask(page, end);
		count += hweight64(mask & ~*words);
		*words |= mask;
	}
	map->count[frame] = count;
}

static void frame_clear(struct vnpu_pagemap *map, u32 page, u32 end)
{
	u32 frame = page >> VNPU_FRAME_ORDER;
	u32 count = map->count[frame];
	u64 *words, mask;

	if (count == 0)
		return;
	if (end - page == VNPU_FRAME_PAGES) {
		map->count[frame] = 0;
		return;
	}

	words = frame_mix(map, frame, count);
	words += (page & FRAME_MASK) >> 6;
	for (; page < end; page = (page | 63) + 1, words++) {
		mask = word_mask(page, end);
		count -= hweight64(mask & *words);
		*words &= ~mask;
	}
	map->count[frame] = count;
}

void vnpu_pagemap_set(struct vnpu_pagemap *map, u32 page, u32 n)
{
	u32 end = page + n;
	u32 stop;

	for (; page < end; page = stop) {
		stop = frame_end(page, end);
		frame_set(map, page, stop);
	}
}

void vnpu_pagemap_clear(struct vnpu_pagemap *map, u32 page, u32 n)
{
	u32 end = page + n;
	u32 stop;

	for (; page < end; page = stop) {
		stop = frame_end(page, end);
		frame_clear(map, page, stop);
	}
}

u32 vnpu_pagemap_weight(const struct vnpu_pagemap *map, u32 page, u32 n)
{
	u32 end = page + n;
	u32 sum = 0;
	u32 stop;

	for (; page < end; page = stop) {
		u32 count = map->count[page >> VNPU_FRAME_ORDER];

		stop = frame_end(page, end);
		if (count == VNPU_FRAME_PAGES) {
			sum += stop - page;
		} else if (stop - page == VNPU_FRAME_PAGES) {
			sum += count;
		} else if (count) {
			for (; page < stop; page = (page | 63) + 1)
				sum += hweight64(map->bits[page >> 6] &
						 word_mask(page, stop));
		}
	}
	return sum;
}

bool vnpu_pagemap_any(const struct vnpu_pagemap *map, u32 page, u32 n)
{
	u32 end = page + n;
	u32 stop;

	for (; page < end; page = stop) {
		u32 count = map->count[page >> VNPU_FRAME_ORDER];

		stop = frame_end(page, end);
		if (!count)
			continue;
		if (count == VNPU_FRAME_PAGES ||
		    stop - page == VNPU_FRAME_PAGES)
			return true;
		for (; page < stop; page = (page | 63) + 1)
			if (map->bits[page >> 6] & word_mask(page, stop))
				return true;
	}
	return false;
}

u32 vnpu_pagemap_next(const struct vnpu_pagemap *map, u32 page, u32 end,
		      bool value)
{
	u32 none = value ? 0 : VNPU_FRAME_PAGES;
	u64 flip = value ? 0 : ~0ULL;
	u32 stop;

	for (; page < end; page = stop) {
		u32 count = map->count[page >> VNPU_FRAME_ORDER];

		stop = frame_end(page, end);
		if (count == none)
			continue;
		if (count == VNPU_FRAME_PAGES - none)
			return page;
		for (; page < stop; page = (page | 63) + 1) {
			u64 word = (map->bits[page >> 6] ^ flip) &
				   word_mask(page, stop);

			if (word)
				return (page & ~63U) + __ffs64(word);
		}
	}
	return end;
}

u32 vnpu_pagemap_begin(const struct vnpu_pagemap *map, u32 page)
{
	u32 first = page & ~(u32)FRAME_MASK;
	u64 word;

	if (map->count[page >> VNPU_FRAME_ORDER] == VNPU_FRAME_PAGES)
		return first;

	for (;;) {
		word = ~map->bits[page >> 6] << (63 - (page & 63));
		if (word)
			return page + fls64(word) - 63;
		page &= ~63U;
		if (page == first)
			return first;
		page--;
	}
}

u32 vnpu_pagemap_end(const struct vnpu_pagemap *map, u32 page)
{
	u32 end = (page | FRAME_MASK) + 1;
	u64 word;

	if (map->count[page >> VNPU_FRAME_ORDER] == VNPU_FRAME_PAGES)
		return end;

	for (;;) {
		word = ~map->bits[page >> 6] >> (page & 63);
		if (word)
			return page + __ffs64(word);
		page = (page | 63) + 1;
		if (page == end)
			return end;
	}
}
