/* SPDX-License-Identifier: MIT */
/*
 * The page heap of a pool: its spans, and the tables they are in.  For heap*.c.
 */
#ifndef VNPU_LIB_POOL_HEAP_SPAN_H
#define VNPU_LIB_POOL_HEAP_SPAN_H

#include "pool/heap.h"
#include "util.h"

static inline struct vnpu_span *vnpu_span_of(struct vnpu_tree_node *node)
{
	return container_of(node, struct vnpu_span, node);
}

/* So that nothing fails once it has begun: 0 or -ENOMEM. */
int vnpu_spare_fill(struct vnpu_heap_account *account);
struct vnpu_span *vnpu_spare_get(struct vnpu_heap_account *account,
				 uint32_t start, uint32_t pages);

/* Enter a span that is vacant or free, and found by its ends. */
void vnpu_span_add(struct vnpu_heap *heap, struct vnpu_span *span,
		   enum vnpu_span_state state);
void vnpu_span_remove(struct vnpu_heap *heap, struct vnpu_span *span);

/* Enter a span together with its neighbours; returns what it became. */
struct vnpu_span *vnpu_span_merge(struct vnpu_heap *heap,
				  struct vnpu_span *span,
				  enum vnpu_span_state state);

/* Cut @before and what is over after @pages off a span that is in no tree. */
void vnpu_span_cut(struct vnpu_heap *heap, struct vnpu_span *span,
		   uint32_t before, uint32_t pages);

/* A span that is in no tree is used, so no neighbour merges with it. */
void vnpu_span_use(struct vnpu_heap *heap, struct vnpu_span *span);

/* The span beside a page border, if it is in this state. */
struct vnpu_span *vnpu_span_neighbour(const struct vnpu_heap *heap,
				      uint32_t page, enum vnpu_span_state state);

/* heap_grow.c: have memory for a free run of @pages; as vnpu_heap_alloc(). */
int vnpu_heap_grow(struct vnpu_heap *heap, uint32_t pages, uint64_t align);

/* Give the chunk back that begins in a slot; its span is not changed. */
void vnpu_chunk_unmap(struct vnpu_heap *heap, uint32_t slot);

#endif /* VNPU_LIB_POOL_HEAP_SPAN_H */
