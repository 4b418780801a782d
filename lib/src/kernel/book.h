/* SPDX-License-Identifier: MIT */
/*
 * The argument blocks of a stream's launches.
 *
 * A core reads a launch's arguments when it runs it.  So a block stays unchanged
 * until the launch is complete, and longer while a callback for a failure may
 * read it.  Blocks are pieces of chunks of host memory that is bound in the
 * window.  A stream fills its current chunk, and recycles a chunk when all
 * launches with blocks in it are complete.  The cost of a launch therefore does
 * not depend on other launches or streams.
 *
 * A book also has references to the functions that its launches use.
 */
#ifndef VNPU_LIB_KERNEL_BOOK_H
#define VNPU_LIB_KERNEL_BOOK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"

struct vnpu_chunk;
struct vnpu_function;

/**
 * struct vnpu_book - the blocks of a stream; all zero at first
 * @lock: protects the three members below; a leaf
 * @first: the chunks, the oldest first
 * @last: the current chunk
 * @bytes: of all chunks
 * @is_fresh: there was a launch since the last synchronization
 */
struct vnpu_book {
	struct vnpu_lock lock;
	struct vnpu_chunk *first;
	struct vnpu_chunk *last;
	uint64_t bytes;
	atomic_bool is_fresh;
};

/* A block that was reserved. */
struct vnpu_piece {
	struct vnpu_chunk *chunk;
	char *host;		/* where the host writes it */
	uint64_t va;		/* its device address */
};

/*
 * Reserve a block for a launch of @function, to which the caller has a reference
 * that the book takes over on success; NULL for operators.  @size may be 0.
 *
 * Return: 0; -EAGAIN if vnpu_book_grow() has to be called first.
 */
int vnpu_book_reserve(struct vnpu_book *book, size_t size,
		      struct vnpu_function *function,
		      struct vnpu_piece *piece);

/*
 * Make room for a block of @size bytes: 0 or -errno.  Tasks up to @done are
 * complete, and their failures are known.  -EBUSY: the stream has many blocks; wait
 * for the task *@oldest first.
 */
int vnpu_book_grow(struct vnpu_book *book, size_t size, uint64_t done,
		   uint64_t *oldest);

/* Note the number of the task that uses a block; 0 if none does. */
void vnpu_book_submit(struct vnpu_book *book, const struct vnpu_piece *piece,
		      uint64_t seq);

/*
 * Get the host address of a block of @size bytes at device address @va that was
 * reserved, but not submitted yet; NULL if it is not in the book.
 */
const void *vnpu_book_look(struct vnpu_book *book, uint64_t va, size_t size);

/* Recycle what tasks up to @done used, as vnpu_book_grow(). */
void vnpu_book_reap(struct vnpu_book *book, uint64_t done);

/*
 * Keep the block of a task, and its function, until vnpu_book_release(); NULL if
 * there are none.  @args: address of its arguments, 0 if it has none.
 */
struct vnpu_chunk *vnpu_book_hold(struct vnpu_book *book, uint64_t seq,
				  uint64_t args);
void vnpu_book_release(struct vnpu_chunk *chunk);

/*
 * Drop all blocks of a stream that was destroyed: no core runs a launch of it
 * any more.
 */
void vnpu_book_fini(struct vnpu_book *book);

#endif /* VNPU_LIB_KERNEL_BOOK_H */
