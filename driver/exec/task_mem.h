/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory that tasks use, see task_mem.c. */
#ifndef VNPU_TASK_MEM_H
#define VNPU_TASK_MEM_H

#include <linux/sizes.h>

#include "va/bind.h"
#include "stream.h"
#include "tlb.h"

/* Pieces up to this length are used with the client's lock held. */
#define VNPU_TASK_INLINE	SZ_16K

/* Maximum number of values that vnpu_task_read_locked() reads: those of a task. */
#define VNPU_TASK_VALUES	(sizeof(struct vnpu_task) / sizeof(u64))

int vnpu_task_lock(struct vnpu_stream *stream);
void vnpu_task_release(struct vnpu_stream *stream);
void vnpu_task_unlock(struct vnpu_stream *stream);
int vnpu_task_find_locked(struct vnpu_stream *stream, u64 va, u64 length,
			  u32 access, struct vnpu_span *span);
int vnpu_task_check_ecc_locked(struct vnpu_stream *stream, u64 va,
			       const struct vnpu_span *span);
int vnpu_task_pin_locked(struct vnpu_stream *stream, u64 va, u64 length,
			 u32 access, struct vnpu_span *span);
int vnpu_task_read_locked(struct vnpu_stream *stream, const u64 *va,
			  u64 *values, u32 nr);
void *vnpu_task_resolve_small(struct vnpu_stream *stream, u64 va, u64 length,
			      u32 access);
void vnpu_task_cancel_lock_request(struct vnpu_stream *stream);
void vnpu_task_keep_locked(struct vnpu_stream *stream, u32 access,
			   struct vnpu_span *span);
void vnpu_task_unkeep(struct vnpu_span *span);
int vnpu_task_hold(struct vnpu_stream *stream, u64 va, u64 length,
		   struct vnpu_span *span);
void vnpu_task_unhold(struct vnpu_stream *stream, struct vnpu_span *span);

/* As vnpu_task_resolve_small(), usually without calling it. */
static __always_inline void *vnpu_task_find_small(struct vnpu_stream *stream,
						  u64 va, u64 length,
						  u32 access)
{
	struct vnpu_piece *piece = vnpu_tlb_piece(&stream->tlb, access);
	void *addr = vnpu_piece_find(piece, va, length);

	if (unlikely(!addr))
		addr = vnpu_task_resolve_small(stream, va, length, access);
	if (addr && access == VNPU_ACCESS_READ_WRITE)
		vnpu_piece_write(piece, va, length);
	return addr;
}

#endif
