// SPDX-License-Identifier: MIT
/*
 * The argument blocks of launches, see book.h.
 *
 * Chunks are cut from larger pieces of host memory, which are kept.  A free chunk
 * is used again by any stream.  A block that is too large for a chunk gets one of
 * its own, which is not kept.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/fork.h"
#include "base/util.h"
#include "mem/pinned.h"
#include "binary.h"
#include "book.h"

#define CHUNK_BYTES	16384U
#define SLAB_CHUNKS	16
#define BLOCK_ALIGN	64
#define PAGE_BYTES	4096
#define FUNCTIONS_MAX	32
#define BOOK_MAX	(8ULL << 20)

/*
 * A chunk.  All but @refs is protected by the lock of the book, or by that of the
 * free list.
 */
struct vnpu_chunk {
	struct vnpu_chunk *next;
	char *host;		/* constant, like the next two */
	uint64_t va;
	uint32_t size;
	uint32_t used;
	uint32_t pending;	/* blocks of tasks without a number yet */
	uint64_t last;		/* number of the last task */
	atomic_uint refs;	/* the book, and each hold */
	uint32_t count;		/* of functions */
	struct vnpu_function *functions[FUNCTIONS_MAX];
};

static pthread_mutex_t free_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_chunk *free_first;	/* protected by the lock, like this */
static struct vnpu_chunk **free_end = &free_first;

void vnpu_book_lock(void)
{
	pthread_mutex_lock(&free_mutex);
}

void vnpu_book_unlock(void)
{
	pthread_mutex_unlock(&free_mutex);
}

static void free_add_locked(struct vnpu_chunk *chunk)
{
	chunk->next = NULL;
	*free_end = chunk;
	free_end = &chunk->next;
}

/* Drop a reference, without a lock; the last one makes the chunk free. */
static void chunk_put(struct vnpu_chunk *chunk)
{
	if (atomic_fetch_sub(&chunk->refs, 1) != 1)
		return;
	for (uint32_t i = 0; i < chunk->count; i++)
		vnpu_function_put(chunk->functions[i]);
	chunk->count = 0;
	if (chunk->size > CHUNK_BYTES) {
		vnpu_pinned_free(chunk->host, chunk->size, chunk->va);
		free(chunk);
		return;
	}
	vnpu_book_lock();
	free_add_locked(chunk);
	vnpu_book_unlock();
}

static struct vnpu_chunk *chunk_make(char *host, uint64_t va, uint32_t size)
{
	struct vnpu_chunk *chunk = calloc(1, sizeof(*chunk));

	if (!chunk)
		return NULL;
	chunk->host = host;
	chunk->va = va;
	chunk->size = size;
	return chunk;
}

/*
 * Allocate memory and cut it into chunks.  If there is no host memory for all of
 * them, the rest of the memory is lost.
 */
static int slab_make(void)
{
	void *host;
	uint64_t va;
	int ret = vnpu_pinned_alloc(SLAB_CHUNKS * CHUNK_BYTES, &host, &va);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < SLAB_CHUNKS; i++) {
		struct vnpu_chunk *chunk =
			chunk_make((char *)host + i * CHUNK_BYTES,
				   va + i * CHUNK_BYTES, CHUNK_BYTES);

		if (!chunk && !i) {
			vnpu_pinned_free(host, SLAB_CHUNKS * CHUNK_BYTES, va);
			return -ENOMEM;
		}
		if (!chunk)
			break;
		vnpu_book_lock();
		free_add_locked(chunk);
		vnpu_book_unlock();
	}
	return 0;
}

/* Take a free chunk, or NULL. */
static struct vnpu_chunk *free_take(void)
{
	struct vnpu_chunk *chunk;

	vnpu_book_lock();
	chunk = free_first;
	if (chunk) {
		free_first = chunk->next;
		if (!free_first)
			free_end = &free_first;
	}
	vnpu_book_unlock();
	return chunk;
}

/* Allocate a chunk for one large block. */
static int chunk_alloc_large(size_t size, struct vnpu_chunk **chunk)
{
	uint64_t length = vnpu_align_up(size, PAGE_BYTES), va;
	void *host;
	int ret = vnpu_pinned_alloc(length, &host, &va);

	if (ret)
		return ret;
	*chunk = chunk_make(host, va, length);
	if (*chunk)
		return 0;
	vnpu_pinned_free(host, length, va);
	return -ENOMEM;
}

/* Get an empty chunk with one reference; 0 or -errno. */
static int chunk_get(size_t size, struct vnpu_chunk **chunk)
{
	int ret = 0;

	if (size > CHUNK_BYTES) {
		ret = chunk_alloc_large(size, chunk);
	} else {
		*chunk = free_take();
		if (!*chunk) {
			ret = slab_make();
			*chunk = ret ? NULL : free_take();
		}
		/* Other threads have taken all of the new ones. */
		if (!ret && !*chunk)
			ret = chunk_alloc_large(CHUNK_BYTES + 1, chunk);
	}
	if (ret)
		return ret;
	(*chunk)->next = NULL;
	(*chunk)->used = (*chunk)->pending = (*chunk)->count = 0;
	(*chunk)->last = 0;
	atomic_store(&(*chunk)->refs, 1);
	return 0;
}

/* Drop the references of a list of chunks, without a lock. */
static void chunks_drop(struct vnpu_chunk *chunk)
{
	while (chunk) {
		struct vnpu_chunk *next = chunk->next;

		chunk_put(chunk);
		chunk = next;
	}
}

int vnpu_book_reserve(struct vnpu_book *book, size_t size,
		      struct vnpu_function *function, struct vnpu_piece *piece)
{
	uint64_t length = vnpu_align_up(size, BLOCK_ALIGN);
	struct vnpu_chunk *chunk;
	bool is_known;

	vnpu_lock(&book->lock);
	chunk = book->last;
	if (!chunk || length > chunk->size - chunk->used ||
	    chunk->count == FUNCTIONS_MAX) {
		vnpu_unlock(&book->lock);
		return -EAGAIN;
	}
	piece->chunk = chunk;
	piece->host = chunk->host + chunk->used;
	piece->va = chunk->va + chunk->used;
	chunk->used += length;
	chunk->pending++;
	is_known = chunk->count &&
		   chunk->functions[chunk->count - 1] == function;
	if (function && !is_known)
		chunk->functions[chunk->count++] = function;
	vnpu_unlock(&book->lock);
	if (function && is_known)
		vnpu_function_put(function);
	return 0;
}

void vnpu_book_submit(struct vnpu_book *book, const struct vnpu_piece *piece,
		      uint64_t seq)
{
	vnpu_lock(&book->lock);
	piece->chunk->pending--;
	if (piece->chunk->last < seq)
		piece->chunk->last = seq;
	vnpu_unlock(&book->lock);
	atomic_store_explicit(&book->is_fresh, true, memory_order_relaxed);
}

/* Remove the chunks that tasks up to @done used; returns them. */
static struct vnpu_chunk *take_done_locked(struct vnpu_book *book,
					   uint64_t done)
{
	struct vnpu_chunk *taken = NULL, **end = &taken, *chunk;

	while ((chunk = book->first) && !chunk->pending &&
	       chunk->last <= done) {
		book->first = chunk->next;
		book->bytes -= chunk->size;
		chunk->next = NULL;
		*end = chunk;
		end = &chunk->next;
	}
	if (!book->first)
		book->last = NULL;
	return taken;
}

void vnpu_book_reap(struct vnpu_book *book, uint64_t done)
{
	struct vnpu_chunk *old;

	vnpu_lock(&book->lock);
	old = take_done_locked(book, done);
	vnpu_unlock(&book->lock);
	chunks_drop(old);
}

/* Find the task to wait for if the stream has many blocks; else 0. */
static uint64_t find_oldest(struct vnpu_book *book, size_t size)
{
	uint64_t oldest = 0;

	vnpu_lock(&book->lock);
	if (book->first && book->bytes + size > BOOK_MAX &&
	    !book->first->pending)
		oldest = book->first->last;
	vnpu_unlock(&book->lock);
	return oldest;
}

int vnpu_book_grow(struct vnpu_book *book, size_t size, uint64_t done,
		   uint64_t *oldest)
{
	struct vnpu_chunk *chunk;
	int ret;

	vnpu_book_reap(book, done);
	*oldest = find_oldest(book, size);
	if (*oldest)
		return -EBUSY;
	ret = chunk_get(size, &chunk);
	if (ret)
		return ret;
	vnpu_lock(&book->lock);
	book->bytes += chunk->size;
	if (book->last)
		book->last->next = chunk;
	else
		book->first = chunk;
	book->last = chunk;
	vnpu_unlock(&book->lock);
	return 0;
}

/* Several threads may use the chunks in another order than that of the tasks. */
static struct vnpu_chunk *find_by_address(const struct vnpu_book *book,
					  uint64_t va)
{
	struct vnpu_chunk *chunk = book->first;

	while (chunk && va - chunk->va >= chunk->size)
		chunk = chunk->next;
	return chunk;
}

const void *vnpu_book_look(struct vnpu_book *book, uint64_t va, size_t size)
{
	const struct vnpu_chunk *chunk;
	const char *host = NULL;

	vnpu_lock(&book->lock);
	chunk = find_by_address(book, va);
	if (chunk && size <= chunk->size - (va - chunk->va))
		host = chunk->host + (va - chunk->va);
	vnpu_unlock(&book->lock);
	return host;
}

/* The first chunk with a later task is that of the task, or after it. */
static struct vnpu_chunk *find_by_number(const struct vnpu_book *book,
					 uint64_t seq)
{
	struct vnpu_chunk *chunk = book->first;

	while (chunk && chunk->next && chunk->last < seq)
		chunk = chunk->next;
	return chunk;
}

struct vnpu_chunk *vnpu_book_hold(struct vnpu_book *book, uint64_t seq,
				  uint64_t args)
{
	struct vnpu_chunk *chunk;

	vnpu_lock(&book->lock);
	chunk = find_by_address(book, args);
	if (!chunk)
		chunk = find_by_number(book, seq);
	if (chunk)
		atomic_fetch_add(&chunk->refs, 1);
	vnpu_unlock(&book->lock);
	return chunk;
}

void vnpu_book_release(struct vnpu_chunk *chunk)
{
	chunk_put(chunk);
}

void vnpu_book_fini(struct vnpu_book *book)
{
	chunks_drop(book->first);
	book->first = book->last = NULL;
	book->bytes = 0;
}
