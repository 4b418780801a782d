/* SPDX-License-Identifier: MIT */
/*
 * Blocks of host memory that a task of a stream reads, from the stream's book.
 */
#ifndef VNPU_LIB_BLOCK_H
#define VNPU_LIB_BLOCK_H

#include <stddef.h>

#include "stream.h"

struct vnpu_function;

/*
 * Reserve a block in the book of a stream, see vnpu_book_reserve(); waits if the
 * stream has many blocks.  @function: the caller keeps its reference; or NULL.
 * Returns 0 or -errno.
 */
int vnpu_block_reserve(struct vnpu_stream *stream, size_t size,
		       struct vnpu_function *function,
		       struct vnpu_piece *piece);

#endif /* VNPU_LIB_BLOCK_H */
