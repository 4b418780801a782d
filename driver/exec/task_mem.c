// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory that tasks use.
 *
 * A small task takes less time than locking the client's bindings, looking up
 * an address in them and pinning the memory. So consecutive small tasks of a
 * stream share this: the lock stays held, and the last resolved piece stays
 * pinned, for a number of bytes or until the engine changes to other work
 * (vnpu_task_release()). Nothing that was resolved outlives the lock, so no
 * change of the bindings, no free and no move can be missed.
 *
 * A large piece is used without the lock, as other threads would wait too long.
 * A thread that frees its memory waits for the engine, see
 * vnpu_mem_begin_use().
 *
 * An engine does not wait for the lock. The thread that holds it may hardly
 * ever get the processor, while all clients share the engine. So the engine
 * retries the task, as it does while memory is being moved. After two failures
 * it asks to go first, and threads that change bindings wait a little for it,
 * see vnpu_bind_lock().
 */
#include "base/client.h"
#include "base/device.h"
#include "mem/mem.h"
#include "ras/ecc.h"
#include "va/bind.h"
#include "foreign.h"
#include "stream.h"
#include "task.h"
#include "task_mem.h"

/* Bytes after which other threads can get the lock. */
#define VNPU_TLB_BYTES	(4 * VNPU_TASK_INLINE)

static void vnpu_piece_drop(struct vnpu_piece *piece)
{
	struct vnpu_span *span = &piece->span;

	if (!span->length)
		return;
	if (piece->written_end)
		vnpu_mem_mark_written(span->mem,
				      span->offset + piece->written_start,
				      piece->written_end -
				      piece->written_start);
	vnpu_span_unpin(span);
	span->length = 0;
}

static bool vnpu_task_try_lock(struct vnpu_stream *stream)
{
	struct vnpu_client *client = stream->client;

	if (unlikely(vnpu_stream_is_latched(stream)))
		return down_read_trylock(&client->map_lock);
	return down_read_trylock(&client->lock);
}

/* A single failure may have been chance. */
static void vnpu_task_request_lock(struct vnpu_stream *stream)
{
	struct vnpu_tlb *tlb = &stream->tlb;

	if (tlb->refused && !tlb->requests_lock) {
		tlb->requests_lock = true;
		atomic_inc(&stream->client->nr_lock_requests);
	}
	tlb->refused = true;
}

/**
 * vnpu_task_cancel_lock_request() - cancel the request to go first
 * @stream: the stream; its task has the lock, or does not try again
 */
void vnpu_task_cancel_lock_request(struct vnpu_stream *stream)
{
	struct vnpu_client *client = stream->client;
	struct vnpu_tlb *tlb = &stream->tlb;

	tlb->refused = false;
	if (!tlb->requests_lock)
		return;
	tlb->requests_lock = false;
	if (atomic_dec_and_test(&client->nr_lock_requests))
		wake_up_all(&client->lock_requests_done);
}

/**
 * vnpu_task_lock() - keep the client's bindings from changing
 * @stream: the stream; its task is about to use them; an earlier task may
 *	have left them locked
 *
 * Return: 0, or -EAGAIN if they are being changed.
 */
int vnpu_task_lock(struct vnpu_stream *stream)
{
	struct vnpu_tlb *tlb = &stream->tlb;

	if (tlb->is_locked)
		return 0;
	if (unlikely(!vnpu_task_try_lock(stream))) {
		vnpu_task_request_lock(stream);
		return -EAGAIN;
	}
	if (unlikely(tlb->refused))
		vnpu_task_cancel_lock_request(stream);
	tlb->is_locked = true;
	tlb->left = vnpu_stream_is_latched(stream) ? 0 : VNPU_TLB_BYTES;
	return 0;
}

/**
 * vnpu_task_release() - release the client's bindings and all memory
 * @stream: the stream, which may have neither
 */
void vnpu_task_release(struct vnpu_stream *stream)
{
	struct vnpu_client *client = stream->client;
	struct vnpu_tlb *tlb = &stream->tlb;

	if (!tlb->is_locked)
		return;
	vnpu_piece_drop(&tlb->pieces[0]);
	vnpu_piece_drop(&tlb->pieces[1]);
	tlb->is_locked = false;
	if (unlikely(vnpu_stream_is_latched(stream)))
		up_read(&client->map_lock);
	else
		up_read(&client->lock);
}

/**
 * vnpu_task_unlock() - end a task's use of the bindings; the next task may use
 * them
 * @stream: the stream
 */
void vnpu_task_unlock(struct vnpu_stream *stream)
{
	if (stream->tlb.left <= 0)
		vnpu_task_release(stream);
}

static int vnpu_tlb_resolve(struct vnpu_stream *stream, u64 va, u32 access,
			    struct vnpu_piece *piece)
{
	struct vnpu_client *client = stream->client;
	int ret;

	vnpu_piece_drop(piece);
	if (vnpu_stream_is_latched(stream) &&
	    vnpu_bind_is_shared_locked(client, va, va))
		return -EBUSY;
	ret = vnpu_bind_pin_locked(client, va, U64_MAX, stream->dev->index,
				   access, &piece->span);
	if (!ret && piece->span.mem->ops->is_foreign &&
	    !vnpu_foreign_has(stream, piece->span.mem)) {
		vnpu_span_unpin(&piece->span);
		ret = -EREMOTE;
	}
	if (ret) {
		piece->span.length = 0;
		return ret;
	}
	piece->va = va;
	piece->written_start = U64_MAX;
	piece->written_end = 0;
	/* Other drivers may delay accesses to it. */
	if (vnpu_mem_is_shared(piece->span.mem))
		stream->tlb.left = 0;
	return 0;
}

/**
 * vnpu_task_find_locked() - resolve a device address for a task
 * @stream: the stream, after vnpu_task_lock()
 * @va: device address
 * @length: maximum number of bytes, not 0
 * @access: VNPU_ACCESS_READ or _READ_WRITE. There is one piece for each: it is
 *	valid until the next of its kind, or vnpu_task_unlock().
 * @span: filled; the caller passes it to vnpu_task_check_ecc_locked() before
 *	its use
 *
 * Return: as vnpu_bind_pin_locked(); -EBUSY if another driver may delay the
 * access and the task is latched; or -EREMOTE if another driver has to be asked
 * first, which the stream requests now.
 */
int vnpu_task_find_locked(struct vnpu_stream *stream, u64 va, u64 length,
			  u32 access, struct vnpu_span *span)
{
	struct vnpu_piece *piece = vnpu_tlb_piece(&stream->tlb, access);
	u64 skip = va - piece->va;

	if (unlikely(skip >= piece->span.length ||
		     READ_ONCE(piece->span.mem->stale))) {
		int ret = vnpu_tlb_resolve(stream, va, access, piece);

		if (ret == -EREMOTE)
			vnpu_foreign_want(stream, piece->span.mem, va);
		/* A task that is only tried again has not failed there. */
		else if (ret && ret != -EAGAIN)
			stream->run.fault = va;
		if (ret)
			return ret;
		skip = 0;
	}
	span->mem = piece->span.mem;
	span->offset = piece->span.offset + skip;
	span->addr = piece->span.addr + skip;
	span->length = min(length, piece->span.length - skip);
	stream->tlb.left -= span->length;
	return 0;
}

/**
 * vnpu_task_check_ecc_locked() - check a piece of memory for errors
 * @stream: the stream
 * @va: device address
 * @span: the piece at this address
 *
 * Tasks that poll check repeatedly, and small tasks may be run again; neither
 * consumes an injected error.
 *
 * Return: 0 or -EIO.
 */
int vnpu_task_check_ecc_locked(struct vnpu_stream *stream, u64 va,
			       const struct vnpu_span *span)
{
	const struct vnpu_task_op *op = stream->run.op;

	if (!op || op->waits)
		return 0;
	return vnpu_ecc_check(stream->client, va, span, &stream->run.fault);
}

/**
 * vnpu_task_pin_locked() - resolve a piece of memory for a task, and check it
 * @stream: the stream, after vnpu_task_lock()
 * @va: device address
 * @length: maximum number of bytes, not 0
 * @access: as for vnpu_task_find_locked()
 * @span: filled
 *
 * Return: as vnpu_task_find_locked().
 */
int vnpu_task_pin_locked(struct vnpu_stream *stream, u64 va, u64 length,
			 u32 access, struct vnpu_span *span)
{
	return vnpu_task_find_locked(stream, va, length, access, span) ?:
	       vnpu_task_check_ecc_locked(stream, va, span);
}

/**
 * vnpu_task_read_locked() - read values of 8 bytes for a task
 * @stream: the stream, after vnpu_task_lock()
 * @va: device addresses, aligned
 * @values: set to the values at these addresses
 * @nr: number of values, up to VNPU_TASK_VALUES
 *
 * Memory is checked for errors after all values were found: so a task that is
 * only tried again consumes no injected error.
 *
 * Return: as vnpu_task_find_locked(), or -EIO.
 */
int vnpu_task_read_locked(struct vnpu_stream *stream, const u64 *va,
			  u64 *values, u32 nr)
{
	struct vnpu_span spans[VNPU_TASK_VALUES];
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < nr; i++) {
		ret = vnpu_task_find_locked(stream, va[i], sizeof(*values),
					    VNPU_ACCESS_READ, &spans[i]);
		if (!ret)
			values[i] = READ_ONCE(*(u64 *)spans[i].addr);
	}
	/* The bindings, which are locked, keep memory that is not pinned. */
	for (i = 0; !ret && i < nr; i++)
		ret = vnpu_task_check_ecc_locked(stream, va[i], &spans[i]);
	return ret;
}

/**
 * vnpu_task_resolve_small() - resolve an address for a small task
 * @stream: the stream, which may still have another piece
 * @va: device address
 * @length: bytes, not 0
 * @access: VNPU_ACCESS_READ or _READ_WRITE
 *
 * Return: the memory, valid until vnpu_task_release(), or NULL for any failure.
 */
void *vnpu_task_resolve_small(struct vnpu_stream *stream, u64 va, u64 length,
			      u32 access)
{
	struct vnpu_piece *piece = vnpu_tlb_piece(&stream->tlb, access);

	if (vnpu_task_lock(stream) ||
	    vnpu_tlb_resolve(stream, va, access, piece))
		return NULL;
	/* An access to memory of other drivers lasts for one task only. */
	if (vnpu_mem_is_shared(piece->span.mem))
		return NULL;
	return vnpu_piece_find(piece, va, length);
}

/**
 * vnpu_task_keep_locked() - use a piece for longer than the lock is held
 * @stream: the stream, which drops the lock after this
 * @access: as the piece was resolved
 * @span: the piece, to be released by vnpu_task_unkeep(). No lock is taken
 *	until then.
 */
void vnpu_task_keep_locked(struct vnpu_stream *stream, u32 access,
			   struct vnpu_span *span)
{
	/* The caller takes over the pin. */
	vnpu_tlb_piece(&stream->tlb, access)->span.length = 0;
	vnpu_mem_begin_use(span->mem);
}

/**
 * vnpu_task_unkeep() - release a piece
 * @span: the piece, from vnpu_task_keep_locked()
 */
void vnpu_task_unkeep(struct vnpu_span *span)
{
	vnpu_span_unpin(span);
	vnpu_mem_end_use(span->mem);
}

/**
 * vnpu_task_hold() - resolve a piece of memory that a task writes
 * @stream: the stream of the task
 * @va: device address
 * @length: maximum number of bytes, not 0
 * @span: filled, to be released by vnpu_task_unhold()
 *
 * Short pieces, and pieces of a latched task (exec/latch.h), are used with the
 * client's lock held; others are kept.
 *
 * Return: as vnpu_task_lock() and vnpu_task_pin_locked().
 */
int vnpu_task_hold(struct vnpu_stream *stream, u64 va, u64 length,
		   struct vnpu_span *span)
{
	int ret;

	if (vnpu_stream_is_latched(stream))
		length = min_t(u64, length, VNPU_TASK_INLINE);
	ret = vnpu_task_lock(stream);
	if (ret)
		return ret;
	ret = vnpu_task_pin_locked(stream, va, length, VNPU_ACCESS_READ_WRITE,
				   span);
	if (!ret && span->length <= VNPU_TASK_INLINE)
		return 0;
	if (!ret)
		vnpu_task_keep_locked(stream, VNPU_ACCESS_READ_WRITE, span);
	vnpu_task_release(stream);
	return ret;
}

/**
 * vnpu_task_unhold() - release a piece
 * @stream: the stream of the task
 * @span: filled by vnpu_task_hold()
 */
void vnpu_task_unhold(struct vnpu_stream *stream, struct vnpu_span *span)
{
	if (span->length <= VNPU_TASK_INLINE)
		vnpu_task_unlock(stream);
	else
		vnpu_task_unkeep(span);
}
