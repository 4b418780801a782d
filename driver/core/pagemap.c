// SPDX-License-Identifier: GPL-2.0-only
/* A bit per arena page, grouped by frames of 2 MiB. See pagemap.h. */
#include "pagemap.h"

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

/* Return the mask of [@page, @end) in @page's word; they are in one frame. */
static inline u64 word_mask(u32 page, u32 end)
{
	return vnpu_pagemap_mask(page, min(end - page, 64 - (page & 63)));
}

static u32 words_weight(const u64 *bits, u32 page, u32 end)
{
	u32 sum = 0;

	for (; page < end; page = (page | 63) + 1)
		sum += hweight64(bits[page >> 6] & word_mask(page, end));
	return sum;
}

static bool words_any(const u64 *bits, u32 page, u32 end)
{
	for (; page < end; page = (page | 63) + 1)
		if (bits[page >> 6] & word_mask(page, end))
			return true;
	return false;
}

static inline void word_write(u64 *word, u64 mask, bool value)
{
	*word = value ? *word | mask : *word & ~mask;
}

static inline void words_write(u64 *bits, u32 page, u32 end, bool value)
{
	u32 word = page >> 6;
	u32 last = (end - 1) >> 6;

	word_write(&bits[word], word_mask(page, end), value);
	if (word == last)
		return;
	while (++word < last)
		bits[word] = value ? ~0ULL : 0;
	word_write(&bits[last], word_mask(last << 6, end), value);
}

/*
 * Write [@page, @end), which is part of one frame. @all is true if all of these
 * pages have the other value.
 */
static inline void part_write(struct vnpu_pagemap *map, u32 page, u32 end,
			      bool value, bool all)
{
	u32 frame = vnpu_frame_of(page);
	u32 count = vnpu_pagemap_count(map, frame);
	u32 change = end - page;

	if (count == (value ? VNPU_FRAME_PAGES : 0))
		return;
	if (map->count[frame] & VNPU_FRAME_STALE) {
		memset(&map->bits[frame * VNPU_FRAME_WORDS], value ? 0 : 0xff,
		       VNPU_FRAME_WORDS * sizeof(*map->bits));
	} else if (!all) {
		u32 set = words_weight(map->bits, page, end);

		change = value ? change - set : set;
	}
	words_write(map->bits, page, end, value);
	map->count[frame] = value ? count + change : count - change;
}

static inline void map_write(struct vnpu_pagemap *map, u32 page, u32 n,
			     bool value, bool all)
{
	u32 end = page + n;
	u32 frame = vnpu_frame_of(page);
	u32 last = vnpu_frame_of(end);

	if (page & VNPU_FRAME_MASK) {
		u32 stop = min(end, ++frame << VNPU_FRAME_ORDER);

		part_write(map, page, stop, value, all);
		if (stop == end)
			return;
	}
	for (; frame < last; frame++)
		map->count[frame] = VNPU_FRAME_STALE |
				    (value ? VNPU_FRAME_PAGES : 0);
	if (end & VNPU_FRAME_MASK)
		part_write(map, last << VNPU_FRAME_ORDER, end, value, all);
}

void vnpu_pagemap_set(struct vnpu_pagemap *map, u32 page, u32 n)
{
	map_write(map, page, n, true, false);
}

void vnpu_pagemap_clear(struct vnpu_pagemap *map, u32 page, u32 n)
{
	map_write(map, page, n, false, false);
}

void vnpu_pagemap_fill_slow(struct vnpu_pagemap *map, u32 page, u32 n)
{
	map_write(map, page, n, true, true);
}

void vnpu_pagemap_drain_slow(struct vnpu_pagemap *map, u32 page, u32 n)
{
	map_write(map, page, n, false, true);
}

/* Return the first frame from @frame on that has a page set, or @last. */
static inline u32 frames_skip(const struct vnpu_pagemap *map, u32 frame,
			      u32 last)
{
	const u64 stale = VNPU_FRAME_STALE * 0x0001000100010001ULL;
	u64 four;

	/* A large extent has hundreds of frames, and most are empty. */
	for (; frame + 4 <= last; frame += 4) {
		memcpy(&four, &map->count[frame], sizeof(four));
		if (four & ~stale)
			break;
	}
	while (frame < last && !vnpu_pagemap_count(map, frame))
		frame++;
	return frame;
}

static inline u32 part_weight(const struct vnpu_pagemap *map, u32 page, u32 end)
{
	u32 count = vnpu_pagemap_count(map, vnpu_frame_of(page));

	if (!count || count == VNPU_FRAME_PAGES)
		return count ? end - page : 0;
	return words_weight(map->bits, page, end);
}

u32 vnpu_pagemap_weight_slow(const struct vnpu_pagemap *map, u32 page, u32 n)
{
	u32 end = page + n;
	u32 frame = vnpu_frame_of(page);
	u32 last = vnpu_frame_of(end);
	u32 sum = 0;

	if (page & VNPU_FRAME_MASK) {
		u32 stop = min(end, ++frame << VNPU_FRAME_ORDER);

		sum = part_weight(map, page, stop);
		if (stop == end)
			return sum;
	}
	while ((frame = frames_skip(map, frame, last)) < last)
		sum += vnpu_pagemap_count(map, frame++);
	if (end & VNPU_FRAME_MASK)
		sum += part_weight(map, last << VNPU_FRAME_ORDER, end);
	return sum;
}

static inline bool part_any(const struct vnpu_pagemap *map, u32 page, u32 end)
{
	u32 count = vnpu_pagemap_count(map, vnpu_frame_of(page));

	if (!count || count == VNPU_FRAME_PAGES)
		return count;
	return words_any(map->bits, page, end);
}

bool vnpu_pagemap_any_slow(const struct vnpu_pagemap *map, u32 page, u32 n)
{
	u32 end = page + n;
	u32 frame = vnpu_frame_of(page);
	u32 last = vnpu_frame_of(end);

	if (page & VNPU_FRAME_MASK) {
		u32 stop = min(end, ++frame << VNPU_FRAME_ORDER);

		if (part_any(map, page, stop))
			return true;
		if (stop == end)
			return false;
	}
	if (frames_skip(map, frame, last) < last)
		return true;
	return end & VNPU_FRAME_MASK &&
	       part_any(map, last << VNPU_FRAME_ORDER, end);
}

u32 vnpu_pagemap_next(const struct vnpu_pagemap *map, u32 page, u32 end,
		      bool value)
{
	u32 none = value ? 0 : VNPU_FRAME_PAGES;
	u64 flip = value ? 0 : ~0ULL;
	u32 stop;

	for (; page < end; page = stop) {
		u32 count = vnpu_pagemap_count(map, vnpu_frame_of(page));

		stop = min(end, (page | VNPU_FRAME_MASK) + 1);
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
	u32 first = page & ~VNPU_FRAME_MASK;
	u64 word;

	if (vnpu_pagemap_count(map, vnpu_frame_of(page)) == VNPU_FRAME_PAGES)
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
	u32 end = (page | VNPU_FRAME_MASK) + 1;
	u64 word;

	if (vnpu_pagemap_count(map, vnpu_frame_of(page)) == VNPU_FRAME_PAGES)
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
