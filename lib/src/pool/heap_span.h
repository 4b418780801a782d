/* SPDX-License-Identifier: MIT */
/*
 * The page heap of a pool: spans and their tables, for heap*.c only.
 */
#ifndef VNPU_LIB_POOL_HEAP_SPAN_H
#define VNPU_LIB_POOL_HEAP_SPAN_H

#include "base/util.h"
#include "heap.h"

static inline struct vnpu_span *vnpu_span_of(struct vnpu_tree_node *node)
{
	return container_of(node, struct vnpu_span, node);
}

/* Reserve descriptors, so that later steps cannot fail: 0 or -ENOMEM. */
int vnpu_spare_fill(struct vnpu_heap_account *account);
struct vnpu_span *vnpu_spare_get(struct vnpu_heap_account *account,
				 uint32_t start, uint32_t pages);

/* Insert a vacant or free span, which is found by its ends. */
void vnpu_span_add(struct vnpu_heap *heap, struct vnpu_span *span,
		   enum vnpu_span_state state);
void vnpu_span_remove(struct vnpu_heap *heap, struct vnpu_span *span);

/* Insert a span and merge it with its neighbours; returns the result. */
struct vnpu_span *vnpu_span_merge(struct vnpu_heap *heap,
				  struct vnpu_span *span,
				  enum vnpu_span_state state);

/* Split @before, and the rest after @pages, off a span that is in no tree. */
void vnpu_span_cut(struct vnpu_heap *heap, struct vnpu_span *span,
		   uint32_t before, uint32_t pages);

/*
 * Mark a span that is in no tree as used, so that no neighbour merges with it.
 */
void vnpu_span_use(struct vnpu_heap *heap, struct vnpu_span *span);

/* Get the span beside a page border, if it is in this state. */
struct vnpu_span *vnpu_span_neighbour(const struct vnpu_heap *heap,
				      uint32_t page, enum vnpu_span_state state);

/* heap_grow.c: grow to a free run of @pages; as vnpu_heap_alloc(). */
int vnpu_heap_grow(struct vnpu_heap *heap, uint32_t pages, uint64_t align);

/* Return the chunk that begins in a slot; does not change its span. */
void vnpu_chunk_unmap(struct vnpu_heap *heap, uint32_t slot);

#endif /* VNPU_LIB_POOL_HEAP_SPAN_H */
