/* SPDX-License-Identifier: GPL-2.0-only */
/* The translation cache of an engine, which it keeps from task to task. */
#ifndef VNPU_TLB_H
#define VNPU_TLB_H

#include <linux/minmax.h>
#include <linux/types.h>

#include <linux/vnpu.h>

#include "mem/mem.h"
#include "va/bind.h"

/**
 * struct vnpu_piece - a resolved piece of memory
 * @va: device address of the piece
 * @span: contiguous memory at @va, pinned; empty if its length is 0
 * @written_start: start of the bytes that were written, relative to @va; the
 *	memory object is notified of them when the piece is released
 * @written_end: end of the bytes that were written, relative to @va; 0 for none
 */
struct vnpu_piece {
	u64 va;
	struct vnpu_span span;
	u64 written_start;
	u64 written_end;
};

/**
 * struct vnpu_tlb - a translation cache, see task_mem.c
 * @refused: true if the last attempt to take the lock failed
 * @requests_lock: true if the last two attempts failed, so that the task is
 *	counted in vnpu_client.nr_lock_requests
 * @is_locked: true if the engine holds vnpu_client.lock, or
 *	vnpu_client.map_lock for a latched task (exec/latch.h). The fields below
 *	are valid only then.
 * @left: number of bytes that may be used before the lock must be released
 * @pieces: the piece for reading, and the piece for writing
 */
struct vnpu_tlb {
	bool refused;
	bool requests_lock;
	bool is_locked;
	s64 left;
	struct vnpu_piece pieces[2];
};

static inline struct vnpu_piece *vnpu_tlb_piece(struct vnpu_tlb *tlb,
						u32 access)
{
	return &tlb->pieces[access == VNPU_ACCESS_READ_WRITE];
}

/* Return the address of a range if the piece contains all of it, else NULL. */
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

/* Record a write to a range for which vnpu_piece_find() gave an address. */
static __always_inline void vnpu_piece_write(struct vnpu_piece *piece, u64 va,
					     u64 length)
{
	u64 skip = va - piece->va;

	piece->written_start = min(piece->written_start, skip);
	piece->written_end = max(piece->written_end, skip + length);
}

#endif
