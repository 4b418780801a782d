// SPDX-License-Identifier: MIT
/*
 * The page heap of a pool, see heap.h: memory for it.
 */
#include <errno.h>

#include "pool/heap_span.h"

static int map_memory(struct vnpu_heap_account *account, uint64_t addr,
		      uint64_t length)
{
	if (account->limit && (length > account->limit ||
			       account->reserved > account->limit - length))
		return -ENOSPC;
	return account->provider.map(account->provider.user, addr, length);
}

/* How many pages to take at a time, if there are as many. */
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
 * Have memory for a free run of @pages.  It begins behind a vacant span's lower
 * vnpu_span_neighbour, whose end is used first if that is free.
 */
static int grow(struct vnpu_heap *heap, uint32_t pages, bool is_aligned)
{
	struct vnpu_heap_account *account = heap->account;
	struct vnpu_tree_node *node;
	struct vnpu_span *vacant, *before;
	uint32_t need, length;
	uint64_t addr;
	int ret;

	need = vnpu_align_up(pages, VNPU_SLOT_PAGES);
	node = vnpu_tree_at_least(heap->vacant_spans, need, 0);
	if (!node)
		return -ENOSPC;
	vacant = vnpu_span_of(node);
	before = vnpu_span_neighbour(heap, vacant->start - 1, VNPU_SPAN_FREE);
	if (before && !is_aligned)
		need = vnpu_align_up(pages - before->pages, VNPU_SLOT_PAGES);

	length = grow_length(heap, need, vacant->pages);
	addr = heap->base + vacant->start * VNPU_PAGE_SIZE;
	ret = map_memory(account, addr, length * VNPU_PAGE_SIZE);
	if (ret && length > need) {
		/* Nor is there what was expected. */
		heap->expected = 0;
		length = need;
		ret = map_memory(account, addr, length * VNPU_PAGE_SIZE);
	}
	if (ret)
		return ret;

	account->maps++;
	account->reserved += length * VNPU_PAGE_SIZE;
	if (account->reserved > account->reserved_peak)
		account->reserved_peak = account->reserved;
	heap->mapped += length;
	if (heap->mapped > heap->mapped_peak)
		heap->mapped_peak = heap->mapped;
	heap->chunks[vacant->start / VNPU_SLOT_PAGES] =
		length / VNPU_SLOT_PAGES;
	vnpu_span_remove(heap, vacant);
	vnpu_span_cut(heap, vacant, 0, length);
	vnpu_span_merge(heap, vacant, VNPU_SPAN_FREE);
	return 0;
}

/* A chunk begins at a multiple of its least size. */
int vnpu_heap_grow(struct vnpu_heap *heap, uint32_t pages, uint64_t align)
{
	uint64_t room = pages;

	if (align > VNPU_CHUNK_MIN)
		room += (align - VNPU_CHUNK_MIN) >> VNPU_PAGE_SHIFT;
	if (room > heap->pages)
		return -ENOSPC;
	return grow(heap, room, align > VNPU_PAGE_SIZE);
}

void vnpu_chunk_unmap(struct vnpu_heap *heap, uint32_t slot)
{
	struct vnpu_heap_account *account = heap->account;
	uint64_t length = heap->chunks[slot] * VNPU_CHUNK_MIN;

	account->provider.unmap(account->provider.user,
				heap->base + slot * VNPU_CHUNK_MIN, length);
	account->reserved -= length;
	account->unmaps++;
	heap->mapped -= heap->chunks[slot] * VNPU_SLOT_PAGES;
	heap->chunks[slot] = 0;
}
