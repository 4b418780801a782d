// SPDX-License-Identifier: MIT
/*
 * The page heap of a pool, see heap.h: spans and their tables.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "heap_span.h"

#define BLOCK_SPANS	63
/* A span is split into at most three by each of grow, fill and allocate. */
#define SPANS_NEEDED	8

struct block {
	struct block *next;
	struct vnpu_span spans[BLOCK_SPANS];
};

static void spare_put(struct vnpu_heap_account *account, struct vnpu_span *span)
{
	span->next = account->spare;
	account->spare = span;
	account->nr_spare++;
}

int vnpu_spare_fill(struct vnpu_heap_account *account)
{
	struct block *block;

	if (account->nr_spare >= SPANS_NEEDED)
		return 0;
	block = malloc(sizeof(*block));
	if (!block)
		return -ENOMEM;
	block->next = account->blocks;
	account->blocks = block;
	for (int i = 0; i < BLOCK_SPANS; i++)
		spare_put(account, &block->spans[i]);
	return 0;
}

struct vnpu_span *vnpu_spare_get(struct vnpu_heap_account *account,
				 uint32_t start, uint32_t pages)
{
	struct vnpu_span *span = account->spare;

	account->spare = span->next;
	account->nr_spare--;
	span->start = start;
	span->pages = pages;
	return span;
}

void vnpu_heap_account_fini(struct vnpu_heap_account *account)
{
	struct block *block = account->blocks, *next;

	for (; block; block = next) {
		next = block->next;
		free(block);
	}
}

void vnpu_span_add(struct vnpu_heap *heap, struct vnpu_span *span,
		   enum vnpu_span_state state)
{
	bool is_free = state == VNPU_SPAN_FREE;

	span->state = state;
	span->node.hi = span->pages;
	span->node.lo = span->start;
	heap->map[span->start] = span;
	heap->map[span->start + span->pages - 1] = span;
	vnpu_tree_add(is_free ? &heap->free_spans : &heap->vacant_spans,
		      &span->node);
	if (is_free)
		heap->account->free += span->pages * VNPU_PAGE_SIZE;
}

void vnpu_span_remove(struct vnpu_heap *heap, struct vnpu_span *span)
{
	bool is_free = span->state == VNPU_SPAN_FREE;

	vnpu_tree_remove(is_free ? &heap->free_spans : &heap->vacant_spans,
			 &span->node);
	if (is_free)
		heap->account->free -= span->pages * VNPU_PAGE_SIZE;
}

struct vnpu_span *vnpu_span_neighbour(const struct vnpu_heap *heap,
				      uint32_t page, enum vnpu_span_state state)
{
	/* Page 0 has no predecessor: page - 1 is beyond the end. */
	if (page >= heap->pages || heap->map[page]->state != state)
		return NULL;
	return heap->map[page];
}

struct vnpu_span *vnpu_span_merge(struct vnpu_heap *heap,
				  struct vnpu_span *span,
				  enum vnpu_span_state state)
{
	struct vnpu_span *before, *after;

	before = vnpu_span_neighbour(heap, span->start - 1, state);
	after = vnpu_span_neighbour(heap, span->start + span->pages, state);
	if (before) {
		vnpu_span_remove(heap, before);
		before->pages += span->pages;
		spare_put(heap->account, span);
		span = before;
	}
	if (after) {
		vnpu_span_remove(heap, after);
		span->pages += after->pages;
		spare_put(heap->account, after);
	}
	vnpu_span_add(heap, span, state);
	return span;
}

void vnpu_span_cut(struct vnpu_heap *heap, struct vnpu_span *span,
		   uint32_t before, uint32_t pages)
{
	struct vnpu_heap_account *account = heap->account;
	uint32_t after = span->pages - before - pages;
	enum vnpu_span_state state = span->state;

	if (before)
		vnpu_span_add(heap, vnpu_spare_get(account, span->start,
						   before), state);
	span->start += before;
	span->pages = pages;
	if (after)
		vnpu_span_add(heap, vnpu_spare_get(account,
						   span->start + pages, after),
			      state);
}

void vnpu_span_use(struct vnpu_heap *heap, struct vnpu_span *span)
{
	span->state = VNPU_SPAN_USED;
	heap->map[span->start] = span;
	heap->map[span->start + span->pages - 1] = span;
}
