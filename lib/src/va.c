// SPDX-License-Identifier: MIT
/*
 * The address manager.
 *
 * The window is cut into a zone per page class, so that every range in a zone
 * is a multiple of its class and needs no search for alignment.  In a zone the
 * free ranges are kept in two trees, by address and by length: an allocation
 * takes the smallest range that suffices, at the lowest address, and a freed
 * range grows together with its free neighbours.  Both take O(log n) of the
 * number of free ranges, and the window never fragments for good.
 *
 * Managed memory has a zone of its own, which the host is let into as a whole:
 * mappings of a device cannot be merged, and would be one more for each block.
 *
 * Nothing is stored for what is allocated: the kernel tells the length and the
 * page class when it takes a binding back.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "io.h"
#include "tree.h"
#include "util.h"
#include "va.h"

/* A free range: its length is by_length.hi. */
struct range {
	struct vnpu_tree_node by_start;		/* {start, 0} */
	struct vnpu_tree_node by_length;	/* {length, start} */
};

struct zone {
	unsigned int page_shift;	/* constant */
	bool is_managed;		/* constant */
	uint64_t start;			/* constant after vnpu_va_init() */
	uint64_t end;			/* the same */
	pthread_mutex_t lock;		/* protects what follows */
	struct vnpu_tree_node *by_start;
	struct vnpu_tree_node *by_length;
};

static struct zone zones[] = {
	{ .page_shift = 21, .lock = PTHREAD_MUTEX_INITIALIZER },
	{ .page_shift = 30, .lock = PTHREAD_MUTEX_INITIALIZER },
	{ .page_shift = 12, .lock = PTHREAD_MUTEX_INITIALIZER },
	{
		.page_shift = 21,
		.is_managed = true,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	},
};

static struct zone *zone_find(unsigned int page_shift)
{
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		if (zones[i].page_shift == page_shift)
			return &zones[i];
	return NULL;
}

static struct zone *zone_managed(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		if (zones[i].is_managed)
			return &zones[i];
	return NULL;
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
 * Make @length bytes at @start free.  Without memory for the description of a
 * range the address space is lost, and nothing else.
 */
static void zone_put(struct zone *zone, uint64_t start, uint64_t length)
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

/* All of a zone is free. */
static void zone_init(struct zone *zone, uint64_t start, uint64_t end,
		      struct range *range)
{
	zone->start = start;
	zone->end = end;
	pthread_mutex_lock(&zone->lock);
	range_add(zone, range, start, end - start);
	pthread_mutex_unlock(&zone->lock);
}

int vnpu_va_init(uint64_t base, uint64_t size)
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

static int zone_get(struct zone *zone, uint64_t length, uint64_t *va)
{
	uint64_t need = length + (1ULL << zone->page_shift);
	struct vnpu_tree_node *node;
	struct range *range;
	uint64_t rest;

	if (need < length)
		return -EADDRNOTAVAIL;

	pthread_mutex_lock(&zone->lock);
	node = vnpu_tree_at_least(zone->by_length, need, 0);
	if (!node) {
		pthread_mutex_unlock(&zone->lock);
		return -EADDRNOTAVAIL;
	}

	range = container_of(node, struct range, by_length);
	*va = range->by_start.hi;
	rest = range->by_length.hi - need;
	range_remove(zone, range);
	if (rest)
		range_add(zone, range, *va + need, rest);
	else
		free(range);
	pthread_mutex_unlock(&zone->lock);
	return 0;
}

int vnpu_va_alloc(unsigned int page_shift, uint64_t length, uint64_t *va)
{
	return zone_get(zone_find(page_shift), length, va);
}

int vnpu_va_alloc_managed(uint64_t length, uint64_t *va)
{
	struct zone *zone = zone_managed();
	int ret = vnpu_io_window_open(zone->start, zone->end - zone->start);

	return ret ? ret : zone_get(zone, length, va);
}

void vnpu_va_free(unsigned int page_shift, uint64_t length, uint64_t va)
{
	struct zone *zone = zone_managed();

	if (va < zone->start || va >= zone->end)
		zone = zone_find(page_shift);
	pthread_mutex_lock(&zone->lock);
	zone_put(zone, va, length + (1ULL << zone->page_shift));
	pthread_mutex_unlock(&zone->lock);
}

void vnpu_va_lock_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		pthread_mutex_lock(&zones[i].lock);
}

void vnpu_va_unlock_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		pthread_mutex_unlock(&zones[i].lock);
}
