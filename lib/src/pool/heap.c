// SPDX-License-Identifier: MIT
/*
 * The page heap of a pool, see heap.h: requests and frees.
 */
#include <errno.h>
#include <sys/mman.h>

#include "heap_span.h"

/* Number of spans that are tried for an aligned run. */
#define CANDIDATES	64

void *vnpu_sparse_alloc(uint64_t length)
{
	void *addr = mmap(NULL, length, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return addr == MAP_FAILED ? NULL : addr;
}

void vnpu_sparse_free(void *addr, uint64_t length)
{
	if (addr)
		munmap(addr, length);
}

/* Get the length of the table of chunks. */
static uint64_t chunks_length(const struct vnpu_heap *heap)
{
	return heap->pages / heap->account->slot_pages * sizeof(*heap->chunks);
}

int vnpu_heap_init(struct vnpu_heap *heap, struct vnpu_heap_account *account,
		   uint64_t base, uint64_t length)
{
	heap->account = account;
	heap->base = base;
	heap->pages = length >> VNPU_PAGE_SHIFT;
	heap->map = vnpu_sparse_alloc(heap->pages * sizeof(*heap->map));
	heap->chunks = vnpu_sparse_alloc(chunks_length(heap));
	if (!heap->map || !heap->chunks || vnpu_spare_fill(account))
		return -ENOMEM;
	vnpu_span_add(heap, vnpu_spare_get(account, 0, heap->pages),
		      VNPU_SPAN_VACANT);
	return 0;
}

/* Unmap the chunks that begin in a span. */
static void span_unmap(struct vnpu_heap *heap, const struct vnpu_span *span)
{
	uint32_t pages = heap->account->slot_pages;
	uint32_t slot = (span->start + pages - 1) / pages;

	for (; slot * pages < span->start + span->pages; slot++)
		if (heap->chunks[slot])
			vnpu_chunk_unmap(heap, slot);
}

void vnpu_heap_fini(struct vnpu_heap *heap)
{
	const struct vnpu_span *span;
	/* Without both tables no memory has been taken. */
	uint32_t pages = heap->map && heap->chunks ? heap->pages : 0;

	/* Skip vacant spans, which would take long. */
	for (uint32_t page = 0; page < pages; page += span->pages) {
		span = heap->map[page];
		if (!span)
			break;
		if (span->state != VNPU_SPAN_VACANT)
			span_unmap(heap, span);
	}
	if (heap->chunks)
		vnpu_sparse_free(heap->chunks, chunks_length(heap));
	vnpu_sparse_free(heap->map, heap->pages * sizeof(*heap->map));
}

static uint32_t pages_before(const struct vnpu_heap *heap,
			     const struct vnpu_span *span, uint64_t align)
{
	uint64_t addr = heap->base + span->start * VNPU_PAGE_SIZE;

	return (vnpu_align_up(addr, align) - addr) >> VNPU_PAGE_SHIFT;
}

/*
 * Find the shortest span for a run.  For an aligned run, only some spans that
 * may fit are tried before those that fit at any start.
 */
static struct vnpu_span *find(const struct vnpu_heap *heap, uint32_t pages,
			      uint64_t align)
{
	struct vnpu_tree_node *node;
	struct vnpu_span *span;

	node = vnpu_tree_at_least(heap->free_spans, pages, 0);
	for (int i = 0; node && i < CANDIDATES; i++) {
		span = vnpu_span_of(node);
		if (pages_before(heap, span, align) + (uint64_t)pages <=
		    span->pages)
			return span;
		node = vnpu_tree_at_least(heap->free_spans, node->hi,
					  node->lo + 1);
	}
	node = vnpu_tree_at_least(heap->free_spans,
				  pages + (align >> VNPU_PAGE_SHIFT) - 1, 0);
	return node ? vnpu_span_of(node) : NULL;
}

int vnpu_heap_alloc(struct vnpu_heap *heap, uint32_t pages, uint64_t align,
		    bool may_grow, struct vnpu_span **span)
{
	struct vnpu_span *found;
	int ret;

	if (align < VNPU_PAGE_SIZE)
		align = VNPU_PAGE_SIZE;
	if (vnpu_spare_fill(heap->account))
		return -ENOMEM;
	found = find(heap, pages, align);
	if (!found) {
		if (!may_grow)
			return -EAGAIN;
		ret = vnpu_heap_grow(heap, pages, align);
		if (ret)
			return ret;
		found = find(heap, pages, align);
	}
	/* None of the tried spans fits. */
	if (!found)
		return -ENOSPC;
	vnpu_span_remove(heap, found);
	vnpu_span_cut(heap, found, pages_before(heap, found, align), pages);
	vnpu_span_use(heap, found);
	*span = found;
	return 0;
}

/* Remove a chunk from a free span; returns the free span behind it. */
static struct vnpu_span *chunk_release(struct vnpu_heap *heap,
				       struct vnpu_span *span, uint32_t slot)
{
	uint32_t start = slot * heap->account->slot_pages;
	uint32_t pages = heap->chunks[slot] * heap->account->slot_pages;
	uint32_t end = start + pages;

	vnpu_span_remove(heap, span);
	vnpu_span_cut(heap, span, start - span->start, pages);
	vnpu_chunk_unmap(heap, slot);
	vnpu_span_merge(heap, span, VNPU_SPAN_VACANT);
	return vnpu_span_neighbour(heap, end, VNPU_SPAN_FREE);
}

/* Return the chunks that lie in a free span. */
static void span_trim(struct vnpu_heap *heap, struct vnpu_span *span,
		      uint64_t keep)
{
	struct vnpu_heap_account *account = heap->account;
	uint32_t pages = account->slot_pages;
	uint32_t slot = (span->start + pages - 1) / pages;

	while (span && account->free > keep) {
		uint32_t end = (span->start + span->pages) / pages;
		uint32_t count;

		while (slot < end && !heap->chunks[slot])
			slot++;
		if (slot >= end)
			return;
		count = heap->chunks[slot];
		if (count > end - slot)
			return;
		if (!vnpu_spare_fill(account))
			span = chunk_release(heap, span, slot);
		slot += count;
	}
}

void vnpu_heap_free(struct vnpu_heap *heap, struct vnpu_span *span)
{
	struct vnpu_heap_account *account = heap->account;

	span = vnpu_span_merge(heap, span, VNPU_SPAN_FREE);
	if (account->free > account->keep && span->pages >= account->slot_pages)
		span_trim(heap, span, account->keep);
}

void vnpu_heap_trim(struct vnpu_heap *heap, uint64_t keep)
{
	uint64_t pages = UINT64_MAX, start = UINT64_MAX;
	struct vnpu_tree_node *node;

	while ((node = vnpu_tree_at_most(heap->free_spans, pages, start)) &&
	       node->hi >= heap->account->slot_pages) {
		pages = node->hi;
		start = node->lo - 1;
		if (!node->lo) {
			start = UINT64_MAX;
			pages--;
		}
		span_trim(heap, vnpu_span_of(node), keep);
	}
}

/* Count the bytes of the chunks that lie in a free span. */
static uint64_t span_idle(const struct vnpu_heap *heap,
			  const struct vnpu_span *span)
{
	uint32_t pages = heap->account->slot_pages;
	uint32_t slot = (span->start + pages - 1) / pages;
	uint32_t end = (span->start + span->pages) / pages;
	uint64_t idle = 0;

	for (; slot < end; slot++)
		if (heap->chunks[slot] <= end - slot)
			idle += heap->chunks[slot] *
				vnpu_slot_bytes(heap->account);
	return idle;
}

uint64_t vnpu_heap_idle(const struct vnpu_heap *heap)
{
	struct vnpu_tree_node *node;
	uint64_t idle = 0;

	node = vnpu_tree_at_least(heap->free_spans, heap->account->slot_pages, 0);
	while (node) {
		idle += span_idle(heap, vnpu_span_of(node));
		node = vnpu_tree_at_least(heap->free_spans, node->hi,
					  node->lo + 1);
	}
	return idle;
}
