// SPDX-License-Identifier: MIT
#include "live.h"

#include <stdlib.h>

#define MIN_BUCKETS	4096

static struct vnpu_record **buckets;
static size_t nr_buckets;	/* a power of two, or none yet */

/* Blocks are pages or more apart, handles are numbers: hash all bits. */
static struct vnpu_record **bucket_of(uint64_t address)
{
	uint64_t hash = address * 0x9e3779b97f4a7c15ULL;

	return &buckets[(hash ^ hash >> 32) & (nr_buckets - 1)];
}

bool vnpu_live_grow(size_t count)
{
	size_t old_count = nr_buckets;
	struct vnpu_record **old = buckets, *record, *next;

	if (count < nr_buckets)
		return true;
	count = nr_buckets ? 2 * nr_buckets : MIN_BUCKETS;
	buckets = calloc(count, sizeof(*buckets));
	if (!buckets) {
		buckets = old;
		return nr_buckets;
	}
	nr_buckets = count;
	for (size_t i = 0; i < old_count; i++) {
		for (record = old[i]; record; record = next) {
			next = record->next;
			vnpu_live_add(record);
		}
	}
	free(old);
	return true;
}

void vnpu_live_add(struct vnpu_record *record)
{
	struct vnpu_record **link = bucket_of(record->address);

	record->next = *link;
	*link = record;
}

struct vnpu_record *vnpu_live_remove(uint64_t address)
{
	struct vnpu_record **link, *record;

	if (!nr_buckets)
		return NULL;
	link = bucket_of(address);
	while (*link && (*link)->address != address)
		link = &(*link)->next;
	record = *link;
	if (record)
		*link = record->next;
	return record;
}

size_t vnpu_live_chains(void)
{
	return nr_buckets;
}

struct vnpu_record **vnpu_live_chain(size_t i)
{
	return &buckets[i];
}
