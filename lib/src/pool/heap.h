/* SPDX-License-Identifier: MIT */
/*
 * The page heap of a pool: runs of pages in a range of addresses, of which
 * parts have memory.
 *
 * Every page belongs to a span, which is vacant (addresses without memory),
 * free or used.  Neighbours that are both vacant or both free are one span, so
 * what is free can be had across the borders of chunks.  A request gets the
 * shortest free span that holds it, the lowest of these.
 *
 * Nothing here reads or writes the memory itself.  Callers hold the lock of the
 * pool.
 */
#ifndef VNPU_LIB_POOL_HEAP_H
#define VNPU_LIB_POOL_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "tree.h"
#include "vnpu/pool.h"

#define VNPU_PAGE_SHIFT		12
#define VNPU_PAGE_SIZE		(1ULL << VNPU_PAGE_SHIFT)
#define VNPU_CHUNK_MIN		(2ULL << 20)

/* Objects of a slab at most. */
#define VNPU_SPAN_OBJECTS	1024

enum vnpu_span_state {
	VNPU_SPAN_VACANT,
	VNPU_SPAN_FREE,
	VNPU_SPAN_USED,
};

struct vnpu_span {
	struct vnpu_tree_node node;	/* {pages, start}; not of a used one */
	uint32_t start;			/* its first page in the heap */
	uint32_t pages;
	uint8_t state;			/* enum vnpu_span_state */
	/* Of a slab; its thread's alone. */
	uint8_t class;
	uint16_t objects;
	uint16_t nr_free;
	struct vnpu_span *prev, *next;	/* of those with free objects */
	uint64_t free[VNPU_SPAN_OBJECTS / 64];
};

/* What the heaps of a pool have in common. */
struct vnpu_heap_account {
	struct vnpu_pool_provider provider;
	struct vnpu_span *spare;	/* descriptors, linked by next */
	unsigned int nr_spare;
	void *blocks;			/* in which they were allocated */
	uint64_t limit;
	uint64_t chunk;
	uint64_t keep;			/* bytes that may be free */
	uint32_t slot_pages;		/* that chunks are multiples of */
	uint32_t defrag_threshold;	/* percent, or 0 */
	bool is_movable;		/* each chunk is a slot, and may move */
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
	struct vnpu_span **map;		/* of a page; where a span begins and */
					/* ends, and objects of slabs do */
	uint32_t *chunks;		/* slots of the chunk that begins in */
					/* a slot, or 0 */
	uint32_t mapped;		/* pages of all chunks */
	uint32_t mapped_peak;
	uint32_t expected;		/* that will be needed, so that they */
					/* are taken at once; or 0 */
};

static inline uint64_t vnpu_slot_bytes(const struct vnpu_heap_account *account)
{
	return account->slot_pages * VNPU_PAGE_SIZE;
}

/* 0 or -ENOMEM; fini also of a heap of zeroes, and after a failure. */
int vnpu_heap_init(struct vnpu_heap *heap, struct vnpu_heap_account *account,
		   uint64_t base, uint64_t length);
void vnpu_heap_fini(struct vnpu_heap *heap);

/* When the heaps have ended. */
void vnpu_heap_account_fini(struct vnpu_heap_account *account);

/**
 * vnpu_heap_alloc() - have a run of pages
 * @heap: from here
 * @pages: how many, at least 1
 * @align: what the address is a multiple of: a power of two
 * @may_grow: take memory from the provider if there is no such run
 * @span: set to it
 *
 * Return: 0; -EAGAIN if it has to grow and may not; -ENOSPC for lack of
 * addresses or by the limit; -ENOMEM; or what the provider said.
 */
int vnpu_heap_alloc(struct vnpu_heap *heap, uint32_t pages, uint64_t align,
		    bool may_grow, struct vnpu_span **span);

/* Chunks that become free are given back as the account has it. */
void vnpu_heap_free(struct vnpu_heap *heap, struct vnpu_span *span);

/* Give chunks back that are free while more than @keep bytes are. */
void vnpu_heap_trim(struct vnpu_heap *heap, uint64_t keep);

/*
 * Have chunks that are free behind one another, if they may move and there are
 * addresses; as far as the provider moves them.
 */
void vnpu_heap_gather(struct vnpu_heap *heap);

/* Bytes of chunks that are free. */
uint64_t vnpu_heap_idle(const struct vnpu_heap *heap);

/* Memory of zeroes that takes place where it is written only; or NULL. */
void *vnpu_sparse_alloc(uint64_t length);
void vnpu_sparse_free(void *addr, uint64_t length);

#endif /* VNPU_LIB_POOL_HEAP_H */
