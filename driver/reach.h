/* SPDX-License-Identifier: GPL-2.0-only */
/* What an engine has at hand of a client's memory, from one task to the next. */
#ifndef VNPU_REACH_H
#define VNPU_REACH_H

#include <linux/minmax.h>
#include <linux/types.h>

#include <linux/vnpu.h>

#include "bind.h"
#include "mem.h"

/**
 * struct vnpu_piece - memory that was resolved
 * @va: its device address
 * @span: what is there, as far as it is contiguous, pinned; none if its length
 *	is 0
 * @written_start: bytes from there on were written, which the memory is told of
 *	at the end
 * @written_end: up to here; 0 for none
 */
struct vnpu_piece {
	u64 va;
	struct vnpu_span span;
	u64 written_start;
	u64 written_end;
};

/**
 * struct vnpu_reach - what is kept from one task for the next, see task_mem.c
 * @refused: the last try to lock was in vain
 * @asks: so was the one before, and this counts in vnpu_client.nr_asking
 * @is_locked: vnpu_client.lock is held, or map_lock for a task that was taken in.
 *	What follows is good only then.
 * @left: bytes that may be used before it is given back
 * @pieces: what is read, and what is written
 */
struct vnpu_reach {
	bool refused;
	bool asks;
	bool is_locked;
	s64 left;
	struct vnpu_piece pieces[2];
};

static inline struct vnpu_piece *vnpu_reach_piece(struct vnpu_reach *reach,
						  u32 access)
{
	return &reach->pieces[access == VNPU_ACCESS_READ_WRITE];
}

/* Where a range is, if it is in the piece; else NULL. */
static __always_inline void *vnpu_piece_find(const struct vnpu_piece *piece,
					     u64 va, u64 length)
{
	const struct vnpu_span *span = &piece->span;
	u64 skip = va - piece->va;

	if (skip < span->length && length <= span->length - skip &&
	    likely(!READ_ONCE(span->mem->stale)))
		return span->addr + skip;
	return NULL;
}

/* What is to be written, by an address that was found there. */
static __always_inline void vnpu_piece_write(struct vnpu_piece *piece, u64 va,
					     u64 length)
{
	u64 skip = va - piece->va;

	piece->written_start = min(piece->written_start, skip);
	piece->written_end = max(piece->written_end, skip + length);
}

#endif
