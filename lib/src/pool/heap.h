/* SPDX-License-Identifier: MIT */
/*
 * The page heap of a pool: runs of pages in an address range, parts of which
 * have memory.
 *
 * Every page belongs to a span, which is vacant (addresses without memory),
 * free or used.  Neighbours that are both vacant or both free are one span, so
 * free runs can cross the borders of chunks.  A request gets the shortest free
 * span that holds it, and of these the lowest.
 *
 * No function here accesses the memory itself.  Callers hold the lock of the
 * pool.
 */
#ifndef VNPU_LIB_POOL_HEAP_H
#define VNPU_LIB_POOL_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tree.h"
#include "vnpu/pool.h"

#define VNPU_PAGE_SHIFT		12
#define VNPU_PAGE_SIZE		(1ULL << VNPU_PAGE_SHIFT)
#define VNPU_CHUNK_MIN		(2ULL << 20)

/* Limit on the objects of a slab. */
#define VNPU_SPAN_OBJECTS	1024

enum vnpu_span_state {
	VNPU_SPAN_VACANT,
	VNPU_SPAN_FREE,
	VNPU_SPAN_USED,
};

struct vnpu_span {
	struct vnpu_tree_node node;	/* {pages, start}; not for used spans */
	uint32_t start;			/* its first page in the heap */
	uint32_t pages;
	uint8_t state;			/* enum vnpu_span_state */
	/* For slabs, only used by their thread. */
	uint8_t class;
	uint16_t objects;
	uint16_t nr_free;
	struct vnpu_span *prev, *next;	/* list of slabs with free objects */
	uint64_t free[VNPU_SPAN_OBJECTS / 64];
};

/* Data that the heaps of a pool share. */
struct vnpu_heap_account {
	struct vnpu_pool_provider provider;
	struct vnpu_span *spare;	/* descriptors, linked by next */
	unsigned int nr_spare;
	void *blocks;			/* blocks of descriptors */
	uint64_t limit;
	uint64_t chunk;
	uint64_t keep;			/* bytes that may be free */
	uint32_t slot_pages;		/* chunks are multiples of this */
	uint32_t defrag_threshold;	/* percent, or 0 */
	bool is_movable;		/* each chunk is a slot, and can move */
	uint64_t reserved;
	uint64_t reserved_peak;
	uint64_t free;
	uint64_t maps;
	uint64_t unmaps;
	uint64_t moves;
};

struct vnpu_heap {
	struct vnpu_heap_account *account;
	uint64_t base;
	uint32_t pages;
	struct vnpu_tree_node *free_spans;
	struct vnpu_tree_node *vacant_spans;
	struct vnpu_span **map;		/* span of a page, at the ends of */
					/* spans and at objects of slabs */
	uint32_t *chunks;		/* slots of the chunk that begins in */
					/* a slot, or 0 */
	uint32_t mapped;		/* pages of all chunks */
	uint32_t mapped_peak;
	uint32_t expected;		/* pages to be taken at once at the */
					/* first need; or 0 */
};

static inline uint64_t vnpu_slot_bytes(const struct vnpu_heap_account *account)
{
	return account->slot_pages * VNPU_PAGE_SIZE;
}

/*
 * 0 or -ENOMEM; fini also accepts a zeroed heap, and is valid after a failure.
 */
int vnpu_heap_init(struct vnpu_heap *heap, struct vnpu_heap_account *account,
		   uint64_t base, uint64_t length);
void vnpu_heap_fini(struct vnpu_heap *heap);

/* Free the shared data after the heaps. */
void vnpu_heap_account_fini(struct vnpu_heap_account *account);

/**
 * vnpu_heap_alloc() - allocate a run of pages
 * @heap: the heap
 * @pages: number of pages, at least 1
 * @align: alignment of the address, a power of two
 * @may_grow: take memory from the provider if there is no such run
 * @span: set to the run
 *
 * Return: 0; -EAGAIN if it has to grow and may not; -ENOSPC for lack of
 * addresses or at the limit; -ENOMEM; or the error of the provider.
 */
int vnpu_heap_alloc(struct vnpu_heap *heap, uint32_t pages, uint64_t align,
		    bool may_grow, struct vnpu_span **span);

/* Free a run; free chunks are returned to the provider as configured. */
void vnpu_heap_free(struct vnpu_heap *heap, struct vnpu_span *span);

/* Return free chunks until at most @keep bytes are free. */
void vnpu_heap_trim(struct vnpu_heap *heap, uint64_t keep);

/*
 * Move free chunks to consecutive addresses, if they can move and there are
 * addresses, and as far as the provider moves them.
 */
void vnpu_heap_gather(struct vnpu_heap *heap);

/* Count the bytes of free chunks. */
uint64_t vnpu_heap_idle(const struct vnpu_heap *heap);

/* Allocate zeroed memory that only becomes resident where written; or NULL. */
void *vnpu_sparse_alloc(uint64_t length);
void vnpu_sparse_free(void *addr, uint64_t length);

#endif /* VNPU_LIB_POOL_HEAP_H */
