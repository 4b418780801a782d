// SPDX-License-Identifier: MIT
/*
 * The address manager.
 *
 * The window is divided into a zone per page class, so that every range in a
 * zone is a multiple of its class and needs no search for alignment.  Each zone
 * has its free ranges in two trees, by address and by length: an allocation
 * takes the smallest range that is long enough, at the lowest address, and a
 * freed range merges with its free neighbours.  Both take O(log n) in the
 * number of free ranges, and the window never stays fragmented.  Only the range
 * that was freed last is separate, for the next allocation of the same length.
 *
 * Managed memory has its own zone, which the host may access as a whole:
 * mappings of a device cannot be merged, and each block would need another one.
 *
 * Nothing is stored for allocated ranges: the kernel returns the length and the
 * page class when it removes a binding.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/lock.h"
#include "base/tree.h"
#include "base/util.h"
#include "io.h"
#include "va.h"

/* A free range: its length is by_length.hi. */
struct range {
	struct vnpu_tree_node by_start;		/* {start, 0} */
	struct vnpu_tree_node by_length;	/* {length, start} */
};

struct zone {
	unsigned int page_shift;	/* constant */
	uint64_t start;			/* constant after vnpu_va_set_window() */
	uint64_t end;			/* constant after vnpu_va_set_window() */
	struct vnpu_lock lock;		/* protects the following members */
	struct vnpu_tree_node *by_start;
	struct vnpu_tree_node *by_length;
	uint64_t recent;		/* freed last, in no tree */
	uint64_t recent_length;		/* or 0 */
};

enum { ZONE_2M, ZONE_1G, ZONE_4K, ZONE_MANAGED };

static struct zone zones[] = {
	[ZONE_2M] = { .page_shift = VNPU_IO_SHIFT_2M },
	[ZONE_1G] = { .page_shift = VNPU_IO_SHIFT_1G },
	[ZONE_4K] = { .page_shift = VNPU_IO_SHIFT_4K },
	[ZONE_MANAGED] = { .page_shift = VNPU_IO_SHIFT_2M },
};

static struct zone *zone_find(unsigned int page_shift)
{
	switch (page_shift) {
	case VNPU_IO_SHIFT_2M:
		return &zones[ZONE_2M];
	case VNPU_IO_SHIFT_1G:
		return &zones[ZONE_1G];
	default:
		return &zones[ZONE_4K];
	}
}

static void range_add(struct zone *zone, struct range *range, uint64_t start,
		      uint64_t length)
{
	range->by_start.hi = start;
	range->by_start.lo = 0;
	range->by_length.hi = length;
	range->by_length.lo = start;
	vnpu_tree_add(&zone->by_start, &range->by_start);
	vnpu_tree_add(&zone->by_length, &range->by_length);
}

static void range_remove(struct zone *zone, struct range *range)
{
	vnpu_tree_remove(&zone->by_start, &range->by_start);
	vnpu_tree_remove(&zone->by_length, &range->by_length);
}

/*
 * Free @length bytes at @start.  Without memory for the description of the
 * range, only its addresses are lost.
 */
static void zone_merge(struct zone *zone, uint64_t start, uint64_t length)
{
	struct range *range = NULL;
	struct vnpu_tree_node *node;

	node = vnpu_tree_at_most(zone->by_start, start, 0);
	if (node) {
		struct range *below = container_of(node, struct range,
						   by_start);

		if (node->hi + below->by_length.hi == start) {
			range_remove(zone, below);
			start = node->hi;
			length += below->by_length.hi;
			range = below;
		}
	}

	node = vnpu_tree_at_least(zone->by_start, start, 0);
	if (node && node->hi == start + length) {
		struct range *above = container_of(node, struct range,
						   by_start);

		range_remove(zone, above);
		length += above->by_length.hi;
		if (range)
			free(above);
		else
			range = above;
	}

	if (!range)
		range = malloc(sizeof(*range));
	if (range)
		range_add(zone, range, start, length);
}

/* Merge the range that was freed last with the others. */
static void zone_settle(struct zone *zone)
{
	if (zone->recent_length)
		zone_merge(zone, zone->recent, zone->recent_length);
	zone->recent_length = 0;
}

/* Initialize a zone as free. */
static void zone_init(struct zone *zone, uint64_t start, uint64_t end,
		      struct range *range)
{
	zone->start = start;
	zone->end = end;
	vnpu_lock(&zone->lock);
	range_add(zone, range, start, end - start);
	vnpu_unlock(&zone->lock);
}

int vnpu_va_set_window(uint64_t base, uint64_t size)
{
	/* Half for 2 MiB pages, a quarter for 1 GiB ones, the rest shared. */
	const uint64_t sizes[] = { size / 2, size / 4, size / 8, size / 8 };
	struct range *ranges[ARRAY_SIZE(zones)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(zones); i++) {
		ranges[i] = malloc(sizeof(*ranges[i]));
		if (!ranges[i])
			goto err;
	}
	for (i = 0; i < ARRAY_SIZE(zones); i++) {
		uint64_t page = 1ULL << zones[i].page_shift;
		uint64_t start = vnpu_align_up(base, page);
		uint64_t end = (base + sizes[i]) & ~(page - 1);

		base += sizes[i];
		if (start < end)
			zone_init(&zones[i], start, end, ranges[i]);
		else
			free(ranges[i]);
	}
	return 0;

err:
	while (i--)
		free(ranges[i]);
	return -ENOMEM;
}

static int zone_cut(struct zone *zone, uint64_t need, uint64_t *va)
{
	struct vnpu_tree_node *node;
	struct range *range;
	uint64_t rest;

	node = vnpu_tree_at_least(zone->by_length, need, 0);
	if (!node)
		return -EADDRNOTAVAIL;
	range = container_of(node, struct range, by_length);
	*va = range->by_start.hi;
	rest = range->by_length.hi - need;
	range_remove(zone, range);
	if (rest)
		range_add(zone, range, *va + need, rest);
	else
		free(range);
	return 0;
}

static int zone_get(struct zone *zone, uint64_t length, uint64_t *va)
{
	uint64_t need = length + (1ULL << zone->page_shift);
	int ret = 0;

	if (need < length)
		return -EADDRNOTAVAIL;
	vnpu_lock(&zone->lock);
	if (zone->recent_length == need) {
		*va = zone->recent;
		zone->recent_length = 0;
	} else {
		zone_settle(zone);
		ret = zone_cut(zone, need, va);
	}
	vnpu_unlock(&zone->lock);
	return ret;
}

int vnpu_va_alloc(unsigned int page_shift, uint64_t length, uint64_t *va)
{
	return zone_get(zone_find(page_shift), length, va);
}

int vnpu_va_alloc_managed(uint64_t length, uint64_t *va)
{
	struct zone *zone = &zones[ZONE_MANAGED];
	int ret = vnpu_io_window_open(zone->start, zone->end - zone->start);

	return ret ? ret : zone_get(zone, length, va);
}

bool vnpu_va_is_managed(uint64_t va)
{
	const struct zone *zone = &zones[ZONE_MANAGED];

	return va >= zone->start && va < zone->end;
}

void vnpu_va_free(unsigned int page_shift, uint64_t length, uint64_t va)
{
	struct zone *zone = vnpu_va_is_managed(va) ? &zones[ZONE_MANAGED] :
						     zone_find(page_shift);

	vnpu_lock(&zone->lock);
	zone_settle(zone);
	zone->recent = va;
	zone->recent_length = length + (1ULL << zone->page_shift);
	vnpu_unlock(&zone->lock);
}

uint64_t vnpu_va_size(unsigned int page_shift)
{
	const struct zone *zone = zone_find(page_shift);

	return zone->end - zone->start;
}

void vnpu_va_lock_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		vnpu_lock(&zones[i].lock);
}

void vnpu_va_unlock_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		vnpu_unlock(&zones[i].lock);
}
