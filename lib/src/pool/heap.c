// SPDX-License-Identifier: MIT
/*
 * The page heap of a pool, see heap.h: spans, and the tables they are in.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heap.h"
#include "util.h"

#define BLOCK_SPANS	63
/* Spans looked at for an aligned run. */
#define CANDIDATES	64
/* An operation cuts a span into three at most, and a chunk adds one. */
#define SPANS_NEEDED	4

struct block {
	struct block *next;
	struct vnpu_span spans[BLOCK_SPANS];
};

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

static struct vnpu_span *span_of(struct vnpu_tree_node *node)
{
	return container_of(node, struct vnpu_span, node);
}

static void spare_put(struct vnpu_heap_account *account, struct vnpu_span *span)
{
	span->next = account->spare;
	account->spare = span;
	account->nr_spare++;
}

/* So that nothing fails once it has begun. */
static int spare_fill(struct vnpu_heap_account *account)
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

static struct vnpu_span *spare_get(struct vnpu_heap_account *account,
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

/* Enter a span that is vacant or free, and found by its ends. */
static void span_add(struct vnpu_heap *heap, struct vnpu_span *span,
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

static void span_remove(struct vnpu_heap *heap, struct vnpu_span *span)
{
	bool is_free = span->state == VNPU_SPAN_FREE;

	vnpu_tree_remove(is_free ? &heap->free_spans : &heap->vacant_spans,
			 &span->node);
	if (is_free)
		heap->account->free -= span->pages * VNPU_PAGE_SIZE;
}

/* The span beside a page border, if it is in this state. */
static struct vnpu_span *neighbour(const struct vnpu_heap *heap, uint32_t page,
				   enum vnpu_span_state state)
{
	/* Page 0 has none before it: page - 1 is beyond the end. */
	if (page >= heap->pages || heap->map[page]->state != state)
		return NULL;
	return heap->map[page];
}

/* Enter a span together with its neighbours; returns what it became. */
static struct vnpu_span *span_merge(struct vnpu_heap *heap,
				    struct vnpu_span *span,
				    enum vnpu_span_state state)
{
	struct vnpu_span *before, *after;

	before = neighbour(heap, span->start - 1, state);
	after = neighbour(heap, span->start + span->pages, state);
	if (before) {
		span_remove(heap, before);
		before->pages += span->pages;
		spare_put(heap->account, span);
		span = before;
	}
	if (after) {
		span_remove(heap, after);
		span->pages += after->pages;
		spare_put(heap->account, after);
	}
	span_add(heap, span, state);
	return span;
}

/* Cut @before and what is over after @pages off a span that is in no tree. */
static void span_cut(struct vnpu_heap *heap, struct vnpu_span *span,
		     uint32_t before, uint32_t pages)
{
	uint32_t after = span->pages - before - pages;
	enum vnpu_span_state state = span->state;

	if (before)
		span_add(heap, spare_get(heap->account, span->start, before),
			 state);
	span->start += before;
	span->pages = pages;
	if (after)
		span_add(heap, spare_get(heap->account, span->start + pages,
					 after), state);
}

int vnpu_heap_init(struct vnpu_heap *heap, struct vnpu_heap_account *account,
		   uint64_t base, uint64_t length)
{
	heap->account = account;
	heap->base = base;
	heap->pages = length >> VNPU_PAGE_SHIFT;
	heap->map = vnpu_sparse_alloc(heap->pages * sizeof(*heap->map));
	heap->chunks = calloc(heap->pages / VNPU_SLOT_PAGES,
			      sizeof(*heap->chunks));
	if (!heap->map || !heap->chunks || spare_fill(account))
		return -ENOMEM;
	span_add(heap, spare_get(account, 0, heap->pages), VNPU_SPAN_VACANT);
	return 0;
}

static void chunk_unmap(struct vnpu_heap *heap, uint32_t slot)
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

void vnpu_heap_fini(struct vnpu_heap *heap)
{
	uint32_t slots = heap->pages / VNPU_SLOT_PAGES;

	for (uint32_t slot = 0; heap->chunks && slot < slots; slot++)
		if (heap->chunks[slot])
			chunk_unmap(heap, slot);
	free(heap->chunks);
	vnpu_sparse_free(heap->map, heap->pages * sizeof(*heap->map));
}

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
 * neighbour, whose end is used first if that is free.
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
	vacant = span_of(node);
	before = neighbour(heap, vacant->start - 1, VNPU_SPAN_FREE);
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
	span_remove(heap, vacant);
	span_cut(heap, vacant, 0, length);
	span_merge(heap, vacant, VNPU_SPAN_FREE);
	return 0;
}

static uint32_t pages_before(const struct vnpu_heap *heap,
			     const struct vnpu_span *span, uint64_t align)
{
	uint64_t addr = heap->base + span->start * VNPU_PAGE_SIZE;

	return (vnpu_align_up(addr, align) - addr) >> VNPU_PAGE_SHIFT;
}

/*
 * The shortest span for a run.  Where that has to be aligned, only some that
 * may do are looked at before those that do wherever they begin.
 */
static struct vnpu_span *find(const struct vnpu_heap *heap, uint32_t pages,
			      uint64_t align)
{
	struct vnpu_tree_node *node;
	struct vnpu_span *span;

	node = vnpu_tree_at_least(heap->free_spans, pages, 0);
	for (int i = 0; node && i < CANDIDATES; i++) {
		span = span_of(node);
		if (pages_before(heap, span, align) + (uint64_t)pages <=
		    span->pages)
			return span;
		node = vnpu_tree_at_least(heap->free_spans, node->hi,
					  node->lo + 1);
	}
	node = vnpu_tree_at_least(heap->free_spans,
				  pages + (align >> VNPU_PAGE_SHIFT) - 1, 0);
	return node ? span_of(node) : NULL;
}

/* A chunk begins at a multiple of its least size. */
static int grow_for(struct vnpu_heap *heap, uint32_t pages, uint64_t align)
{
	uint64_t room = pages;

	if (align > VNPU_CHUNK_MIN)
		room += (align - VNPU_CHUNK_MIN) >> VNPU_PAGE_SHIFT;
	if (room > heap->pages)
		return -ENOSPC;
	return grow(heap, room, align > VNPU_PAGE_SIZE);
}

int vnpu_heap_alloc(struct vnpu_heap *heap, uint32_t pages, uint64_t align,
		    bool may_grow, struct vnpu_span **span)
{
	struct vnpu_span *found;
	int ret;

	if (align < VNPU_PAGE_SIZE)
		align = VNPU_PAGE_SIZE;
	if (spare_fill(heap->account))
		return -ENOMEM;
	found = find(heap, pages, align);
	if (!found) {
		if (!may_grow)
			return -EAGAIN;
		ret = grow_for(heap, pages, align);
		if (ret)
			return ret;
		found = find(heap, pages, align);
	}
	/* Not among the first that were looked at. */
	if (!found)
		return -ENOSPC;
	span_remove(heap, found);
	span_cut(heap, found, pages_before(heap, found, align), pages);
	found->state = VNPU_SPAN_USED;
	heap->map[found->start] = found;
	heap->map[found->start + pages - 1] = found;
	*span = found;
	return 0;
}

/* Take the chunk out of a free span; returns what is free behind it. */
static struct vnpu_span *chunk_release(struct vnpu_heap *heap,
				       struct vnpu_span *span, uint32_t slot)
{
	uint32_t start = slot * VNPU_SLOT_PAGES;
	uint32_t pages = heap->chunks[slot] * VNPU_SLOT_PAGES;
	uint32_t end = start + pages;

	span_remove(heap, span);
	span_cut(heap, span, start - span->start, pages);
	chunk_unmap(heap, slot);
	span_merge(heap, span, VNPU_SPAN_VACANT);
	return neighbour(heap, end, VNPU_SPAN_FREE);
}

/* Give back chunks that lie in a free span. */
static void span_trim(struct vnpu_heap *heap, struct vnpu_span *span,
		      uint64_t keep)
{
	struct vnpu_heap_account *account = heap->account;
	uint32_t slot = (span->start + VNPU_SLOT_PAGES - 1) / VNPU_SLOT_PAGES;

	while (span && account->free > keep) {
		uint32_t end = (span->start + span->pages) / VNPU_SLOT_PAGES;
		uint32_t count;

		while (slot < end && !heap->chunks[slot])
			slot++;
		if (slot >= end)
			return;
		count = heap->chunks[slot];
		if (count > end - slot)
			return;
		if (!spare_fill(account))
			span = chunk_release(heap, span, slot);
		slot += count;
	}
}

void vnpu_heap_free(struct vnpu_heap *heap, struct vnpu_span *span)
{
	struct vnpu_heap_account *account = heap->account;

	span = span_merge(heap, span, VNPU_SPAN_FREE);
	if (account->free > account->keep && span->pages >= VNPU_SLOT_PAGES)
		span_trim(heap, span, account->keep);
}

void vnpu_heap_trim(struct vnpu_heap *heap, uint64_t keep)
{
	uint64_t pages = UINT64_MAX, start = UINT64_MAX;
	struct vnpu_tree_node *node;

	while ((node = vnpu_tree_at_most(heap->free_spans, pages, start)) &&
	       node->hi >= VNPU_SLOT_PAGES) {
		pages = node->hi;
		start = node->lo - 1;
		if (!node->lo) {
			start = UINT64_MAX;
			pages--;
		}
		span_trim(heap, span_of(node), keep);
	}
}

/* Bytes of the chunks that lie in a free span. */
static uint64_t span_idle(const struct vnpu_heap *heap,
			  const struct vnpu_span *span)
{
	uint32_t slot = (span->start + VNPU_SLOT_PAGES - 1) / VNPU_SLOT_PAGES;
	uint32_t end = (span->start + span->pages) / VNPU_SLOT_PAGES;
	uint64_t idle = 0;

	for (; slot < end; slot++)
		if (heap->chunks[slot] <= end - slot)
			idle += heap->chunks[slot] * VNPU_CHUNK_MIN;
	return idle;
}

uint64_t vnpu_heap_idle(const struct vnpu_heap *heap)
{
	struct vnpu_tree_node *node;
	uint64_t idle = 0;

	node = vnpu_tree_at_least(heap->free_spans, VNPU_SLOT_PAGES, 0);
	while (node) {
		idle += span_idle(heap, span_of(node));
		node = vnpu_tree_at_least(heap->free_spans, node->hi,
					  node->lo + 1);
	}
	return idle;
}
