// SPDX-License-Identifier: MIT
/*
 * Guarded allocations, see guard.h.
 *
 * The address manager leaves a page behind each range free, which is also the
 * page before the next range.  So an allocation only needs its own range, with
 * its end at the end of the last page.
 *
 * The records of freed allocations wait in the order of their frees, and keep
 * their addresses from being used again.  Their number and addresses are limited,
 * so that neither the host's memory nor the window is exhausted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"
#include "base/lock.h"
#include "base/tree.h"
#include "base/util.h"
#include "io/io.h"
#include "io/va.h"
#include "guard.h"

/* The unit of DataCopy: kernels may access the rest of the last one. */
#define BLOCK		32ULL
#define PAGE		(1ULL << VNPU_IO_SHIFT_4K)
#define RETIRED_MAX	65536
/* The share of addresses for 4 KiB pages that freed allocations may keep. */
#define RETIRED_SHARE	4

struct record {
	struct vnpu_tree_node by_base;	/* {base, 0} */
	struct record *next;		/* freed later */
	uint64_t va;
	uint64_t size;
	uint64_t length;		/* of the pages */
	bool is_freed;
};

_Atomic int vnpu_guard_state = VNPU_GUARD_UNKNOWN;

static struct vnpu_lock lock;		/* protects the following */
static struct vnpu_tree_node *records;	/* live and freed ones */
static struct record *oldest;		/* of the freed ones */
static struct record **newest = &oldest;	/* the link behind the last */
static unsigned int nr_retired;
static uint64_t retired_bytes;		/* their addresses */

void vnpu_guard_lock(void)
{
	vnpu_lock(&lock);
}

void vnpu_guard_unlock(void)
{
	vnpu_unlock(&lock);
}

bool vnpu_guard_decide(void)
{
	const char *value = getenv("VNPU_GUARD");
	int state = VNPU_GUARD_UNKNOWN;
	int wanted = value && !strcmp(value, "1") ? VNPU_GUARD_ON :
						    VNPU_GUARD_OFF;

	if (atomic_compare_exchange_strong(&vnpu_guard_state, &state, wanted))
		state = wanted;
	return state == VNPU_GUARD_ON;
}

static uint64_t base_of(const struct record *record)
{
	return record->by_base.hi;
}

static struct record *find_locked(uint64_t va)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(records, va, 0);
	struct record *record;

	if (!node)
		return NULL;
	record = container_of(node, struct record, by_base);
	return va - base_of(record) < record->length ? record : NULL;
}

/* Forget the allocation that was freed first; NULL if there is none. */
static struct record *pop_locked(void)
{
	struct record *record = oldest;

	if (!record)
		return NULL;
	oldest = record->next;
	if (!oldest)
		newest = &oldest;
	nr_retired--;
	retired_bytes -= record->length;
	vnpu_tree_remove(&records, &record->by_base);
	return record;
}

/* Make the addresses of a forgotten allocation available. */
static void release(struct record *record)
{
	vnpu_va_free(VNPU_IO_SHIFT_4K, record->length, base_of(record));
	free(record);
}

/* Release the addresses that were freed first; false if there are none. */
static bool release_oldest(void)
{
	struct record *record;

	vnpu_guard_lock();
	record = pop_locked();
	vnpu_guard_unlock();
	if (!record)
		return false;
	release(record);
	return true;
}

static int find_addresses(uint64_t length, uint64_t *base)
{
	int ret;

	do
		ret = vnpu_va_alloc(VNPU_IO_SHIFT_4K, length, base);
	while (ret == -EADDRNOTAVAIL && release_oldest());
	return ret;
}

static int take_pages(uint32_t device, uint64_t length, unsigned int flags,
		      uint64_t *base, uint64_t *report)
{
	int ret = find_addresses(length, base);

	if (ret)
		return ret;
	ret = vnpu_io_mem_alloc(device, VNPU_IO_SHIFT_4K, length, *base, flags,
				report);
	if (ret)
		vnpu_va_free(VNPU_IO_SHIFT_4K, length, *base);
	return ret;
}

int vnpu_guard_alloc(uint32_t device, uint64_t size, unsigned int flags,
		     uint64_t *va, uint64_t *report)
{
	uint64_t length = vnpu_align_up(size, PAGE), base;
	struct record *record;
	int ret;

	if (length < size)
		return -EADDRNOTAVAIL;
	record = calloc(1, sizeof(*record));
	if (!record)
		return -ENOMEM;
	ret = take_pages(device, length, flags, &base, report);
	if (ret) {
		free(record);
		return ret;
	}
	*va = base + length - vnpu_align_up(size, BLOCK);
	record->by_base.hi = base;
	record->va = *va;
	record->size = size;
	record->length = length;
	vnpu_guard_lock();
	vnpu_tree_add(&records, &record->by_base);
	vnpu_guard_unlock();
	return 0;
}

bool vnpu_guard_find(uint64_t va, struct vnpu_guarded *found)
{
	const struct record *record;

	if (!vnpu_guard_is_on())
		return false;
	vnpu_guard_lock();
	record = find_locked(va);
	if (record)
		*found = (struct vnpu_guarded){
			.va = record->va,
			.size = record->size,
			.bound = base_of(record) + record->length - record->va,
			.is_freed = record->is_freed,
		};
	vnpu_guard_unlock();
	return record;
}

int vnpu_guard_base_of(uint64_t va, uint64_t *base)
{
	const struct record *record;
	int ret = 0;

	vnpu_guard_lock();
	record = find_locked(va);
	if (record && record->is_freed)
		ret = -ENOENT;
	else if (record && record->va != va)
		ret = -EINVAL;
	else if (record)
		*base = base_of(record);
	vnpu_guard_unlock();
	return ret;
}

static void retire_locked(struct record *record)
{
	record->is_freed = true;
	*newest = record;
	newest = &record->next;
	nr_retired++;
	retired_bytes += record->length;
}

static bool is_too_much(void)
{
	bool ret;

	vnpu_guard_lock();
	ret = nr_retired > RETIRED_MAX ||
	      retired_bytes > vnpu_va_size(VNPU_IO_SHIFT_4K) / RETIRED_SHARE;
	vnpu_guard_unlock();
	return ret;
}

bool vnpu_guard_retire(uint64_t base)
{
	struct record *record;

	vnpu_guard_lock();
	record = find_locked(base);
	if (record)
		retire_locked(record);
	vnpu_guard_unlock();
	while (is_too_much() && release_oldest())
		;
	return record;
}
