// SPDX-License-Identifier: MIT
/*
 * The page heap of a pool, see heap.h: growth, with memory from the provider or
 * from free spans.
 *
 * In a pool with memory that can move, every unit of a free span is a chunk.  A
 * run of addresses then gets memory unit by unit.  At first it is a span that
 * only this file uses, so that no neighbour merges with it.  In the end the
 * part that has memory becomes free, and the rest vacant.
 */
#include <errno.h>

#include "heap_span.h"

static uint64_t slot_addr(const struct vnpu_heap *heap, uint32_t slot)
{
	return heap->base + slot * vnpu_slot_bytes(heap->account);
}

/* Map a chunk of several slots at the first of them; 0 or -errno. */
static int chunk_map(struct vnpu_heap *heap, uint32_t slot, uint32_t slots)
{
	struct vnpu_heap_account *account = heap->account;
	uint64_t length = slots * vnpu_slot_bytes(account);
	int ret;

	if (account->limit && (length > account->limit ||
			       account->reserved > account->limit - length))
		return -ENOSPC;
	ret = account->provider.map(account->provider.user,
				    slot_addr(heap, slot), length);
	if (ret)
		return ret;
	account->maps++;
	account->reserved += length;
	if (account->reserved > account->reserved_peak)
		account->reserved_peak = account->reserved;
	heap->mapped += slots * account->slot_pages;
	if (heap->mapped > heap->mapped_peak)
		heap->mapped_peak = heap->mapped;
	heap->chunks[slot] = slots;
	return 0;
}

void vnpu_chunk_unmap(struct vnpu_heap *heap, uint32_t slot)
{
	struct vnpu_heap_account *account = heap->account;
	uint32_t slots = heap->chunks[slot];
	uint64_t length = slots * vnpu_slot_bytes(account);

	account->provider.unmap(account->provider.user, slot_addr(heap, slot),
				length);
	account->reserved -= length;
	account->unmaps++;
	heap->mapped -= slots * account->slot_pages;
	heap->chunks[slot] = 0;
}

static uint32_t first_unit(const struct vnpu_heap *heap,
			   const struct vnpu_span *span)
{
	uint32_t pages = heap->account->slot_pages;

	return (span->start + pages - 1) / pages;
}

/* Count the whole units in a free span. */
static uint32_t units_of(const struct vnpu_heap *heap,
			 const struct vnpu_span *span)
{
	uint32_t first = first_unit(heap, span);
	uint32_t end = (span->start + span->pages) / heap->account->slot_pages;

	return end > first ? end - first : 0;
}

/* Get the next longer free span that may have a unit, beginning with NULL. */
static struct vnpu_span *next_free(const struct vnpu_heap *heap,
				   uint64_t pages, uint64_t start)
{
	struct vnpu_tree_node *node;

	node = vnpu_tree_at_least(heap->free_spans, pages, start);
	return node ? vnpu_span_of(node) : NULL;
}

/* Count the movable units of all free spans but one. */
static uint32_t units_free(const struct vnpu_heap *heap,
			   const struct vnpu_span *but)
{
	struct vnpu_span *span;
	uint32_t units = 0;

	span = next_free(heap, heap->account->slot_pages, 0);
	for (; span; span = next_free(heap, span->pages, span->start + 1ULL))
		if (span != but)
			units += units_of(heap, span);
	return units;
}

/* Move the last units of a free span to @to; returns their number. */
static uint32_t span_move(struct vnpu_heap *heap, struct vnpu_span *span,
			  uint32_t to, uint32_t count)
{
	struct vnpu_heap_account *account = heap->account;
	const struct vnpu_pool_provider *provider = &account->provider;
	uint32_t end = first_unit(heap, span) + units_of(heap, span);
	uint32_t moved = 0;

	while (moved < count) {
		uint32_t from = end - moved - 1;

		if (provider->move(provider->user, slot_addr(heap, from),
				   slot_addr(heap, to + moved),
				   vnpu_slot_bytes(account)))
			break;
		heap->chunks[from] = 0;
		heap->chunks[to + moved] = 1;
		moved++;
	}
	if (!moved)
		return 0;
	account->moves += moved;
	vnpu_span_remove(heap, span);
	vnpu_span_cut(heap, span,
		      (end - moved) * account->slot_pages - span->start,
		      moved * account->slot_pages);
	vnpu_span_merge(heap, span, VNPU_SPAN_VACANT);
	return moved;
}

/* Move up to @count units to @to, from the shortest free spans but one. */
static uint32_t gather(struct vnpu_heap *heap, uint32_t to, uint32_t count,
		       const struct vnpu_span *but)
{
	uint64_t pages = heap->account->slot_pages, start = 0;
	struct vnpu_span *span;
	uint32_t moved = 0;

	while (moved < count && (span = next_free(heap, pages, start))) {
		uint32_t units = units_of(heap, span), got;

		pages = span->pages;
		start = span->start + 1ULL;
		if (span == but || !units)
			continue;
		if (units > count - moved)
			units = count - moved;
		if (vnpu_spare_fill(heap->account))
			break;
		got = span_move(heap, span, to + moved, units);
		moved += got;
		if (got < units)
			break;
	}
	return moved;
}

/* Check whether so much memory is free that a request should move it. */
static bool is_fragmented(const struct vnpu_heap_account *account)
{
	return account->defrag_threshold &&
	       account->free * 100 >
	       account->reserved * account->defrag_threshold;
}

/*
 * Fill slots from @slot on with memory, at least @need and at most @most,
 * without moving memory from @but.  Returns the number of filled slots; if they
 * are too few, @err has the reason.
 */
static uint32_t fill_units(struct vnpu_heap *heap, uint32_t slot,
			   uint32_t need, uint32_t most,
			   const struct vnpu_span *but, int *err)
{
	uint32_t got = 0, moved;

	*err = 0;
	if (is_fragmented(heap->account))
		got = gather(heap, slot, need, but);
	moved = got;
	if (moved)
		most = need;
	while (got < most && !*err) {
		*err = chunk_map(heap, slot + got, 1);
		got += !*err;
	}
	if (got >= need)
		return got;
	if (units_free(heap, but) >= need - got)
		return got + gather(heap, slot + got, need - got, but);
	/* Return an insufficient amount to the device. */
	while (got > moved)
		vnpu_chunk_unmap(heap, slot + --got);
	return got;
}

/* Fill slots with one chunk. */
static uint32_t fill_chunk(struct vnpu_heap *heap, uint32_t slot,
			   uint32_t need, uint32_t most, int *err)
{
	*err = chunk_map(heap, slot, most);
	if (!*err)
		return most;
	if (most > need)
		*err = chunk_map(heap, slot, need);
	return *err ? 0 : need;
}

/* Remove the beginning of a vacant span; a neighbour may be the rest. */
static void vacant_take(struct vnpu_heap *heap, struct vnpu_span *span,
			uint32_t pages)
{
	vnpu_span_remove(heap, span);
	vnpu_span_cut(heap, span, 0, pages);
	vnpu_span_use(heap, span);
}

/* Make the beginning of such a span free; it has memory now. */
static void vacant_put(struct vnpu_heap *heap, struct vnpu_span *span,
		       uint32_t filled)
{
	uint32_t rest = span->pages - filled;

	if (!filled) {
		vnpu_span_merge(heap, span, VNPU_SPAN_VACANT);
		return;
	}
	span->pages = filled;
	vnpu_span_use(heap, span);
	if (rest)
		vnpu_span_merge(heap, vnpu_spare_get(heap->account,
						     span->start + filled,
						     rest), VNPU_SPAN_VACANT);
	vnpu_span_merge(heap, span, VNPU_SPAN_FREE);
}

/* Choose the number of pages to take at once, if available. */
static uint32_t grow_length(const struct vnpu_heap *heap, uint32_t need,
			    uint32_t most)
{
	uint32_t length = heap->account->chunk >> VNPU_PAGE_SHIFT;

	if (heap->expected > heap->mapped &&
	    heap->expected - heap->mapped > length)
		length = heap->expected - heap->mapped;
	return length < need || length > most ? need : length;
}

/*
 * Grow to a free run of @pages.  It begins behind the lower neighbour of a
 * vacant span, and includes the end of that neighbour if it is free.
 */
static int grow(struct vnpu_heap *heap, uint32_t pages, bool is_aligned)
{
	struct vnpu_heap_account *account = heap->account;
	uint32_t unit = account->slot_pages, need, length, got;
	struct vnpu_span *vacant, *before;
	struct vnpu_tree_node *node;
	int ret;

	need = vnpu_align_up(pages, unit);
	node = vnpu_tree_at_least(heap->vacant_spans, need, 0);
	if (!node)
		return -ENOSPC;
	vacant = vnpu_span_of(node);
	before = vnpu_span_neighbour(heap, vacant->start - 1, VNPU_SPAN_FREE);
	if (before && !is_aligned)
		need = vnpu_align_up(pages - before->pages, unit);
	length = grow_length(heap, need, vacant->pages);

	vacant_take(heap, vacant, length);
	if (account->is_movable)
		got = fill_units(heap, vacant->start / unit, need / unit,
				 length / unit, is_aligned ? NULL : before,
				 &ret);
	else
		got = fill_chunk(heap, vacant->start / unit, need / unit,
				 length / unit, &ret);
	vacant_put(heap, vacant, got * unit);
	/* The expected amount is not available, either. */
	if (got < length / unit)
		heap->expected = 0;
	return got < need / unit ? ret : 0;
}

/* Grow the heap; a chunk begins at a multiple of its minimum size. */
int vnpu_heap_grow(struct vnpu_heap *heap, uint32_t pages, uint64_t align)
{
	uint64_t slot = vnpu_slot_bytes(heap->account), room = pages;

	if (align > slot)
		room += (align - slot) >> VNPU_PAGE_SHIFT;
	if (room > heap->pages)
		return -ENOSPC;
	return grow(heap, room, align > VNPU_PAGE_SIZE);
}

void vnpu_heap_gather(struct vnpu_heap *heap)
{
	struct vnpu_tree_node *node;
	struct vnpu_span *vacant;
	uint32_t units, got;

	node = vnpu_tree_at_most(heap->free_spans, UINT64_MAX, UINT64_MAX);
	if (!heap->account->is_movable || !node ||
	    vnpu_spare_fill(heap->account))
		return;
	units = units_free(heap, NULL);
	if (units == units_of(heap, vnpu_span_of(node)))
		return;
	node = vnpu_tree_at_least(heap->vacant_spans,
				  units * heap->account->slot_pages, 0);
	if (!node)
		return;
	vacant = vnpu_span_of(node);
	vacant_take(heap, vacant, units * heap->account->slot_pages);
	got = gather(heap, vacant->start / heap->account->slot_pages, units,
		     NULL);
	vacant_put(heap, vacant, got * heap->account->slot_pages);
}
