// SPDX-License-Identifier: MIT
/*
 * Allocations and frees of pools in stream order.
 *
 * Freed memory waits in the queue of its pool and stream, with the number of
 * the stream's last task at that time.  Meanwhile its state has the bit for
 * memory that another thread has freed, so that a second free is detected.
 * reuse.h has the rules for its reuse.  When the task is done, the memory
 * returns to the pool, if its configuration allows it.  A stream is made to wait
 * for another only if the pool has no more memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/util.h"
#include "stream/capture.h"
#include "stream/order.h"
#include "stream/stream.h"
#include "async.h"
#include "pool.h"
#include "reuse.h"

/* Number of entries of a stream that are checked for the size. */
#define LOOKED_AT	64

struct pending {
	struct pending *next;
	struct vnpu_claim claim;
	uint64_t seq;
};

/* The frees of one pool and one stream, in order of their task numbers. */
struct line {
	struct line *next;
	uint64_t handle;
	struct vnpu_stream *stream;	/* holds a reference */
	struct pending *first;
	struct pending **last;
};

/* Taken before the registry lock; dropped during a wait for a stream. */
static pthread_mutex_t async_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct line *lines;

void vnpu_async_lock(void)
{
	pthread_mutex_lock(&async_mutex);
}

void vnpu_async_unlock(void)
{
	pthread_mutex_unlock(&async_mutex);
}

static struct line *line_find(uint64_t handle, const struct vnpu_stream *stream)
{
	struct line *line = lines;

	while (line && (line->handle != handle || line->stream != stream))
		line = line->next;
	return line;
}

static struct line *line_get(uint64_t handle, struct vnpu_stream *stream)
{
	struct line *line = line_find(handle, stream);

	if (line)
		return line;
	line = calloc(1, sizeof(*line));
	if (!line)
		return NULL;
	line->handle = handle;
	line->stream = stream;
	line->last = &line->first;
	vnpu_stream_ref(stream);
	vnpu_order_care();
	line->next = lines;
	lines = line;
	return line;
}

static void line_put(struct line *line)
{
	vnpu_order_forget();
	vnpu_stream_put(line->stream);
	free(line);
}

static void finish(uint64_t handle, struct pending *pending)
{
	if (vnpu_pool_unclaim(handle, &pending->claim))
		vnpu_pool_try_free(handle, pending->claim.addr);
	free(pending);
}

static void line_reap(struct line *line)
{
	struct pending *pending;

	while ((pending = line->first) &&
	       vnpu_queue_is_done(&line->stream->queue, pending->seq)) {
		line->first = pending->next;
		finish(line->handle, pending);
	}
	if (!line->first)
		line->last = &line->first;
}

/* Return completed frees to the pool, if @gives; remove empty queues. */
static void reap_locked(uint64_t handle, bool gives)
{
	struct line **link = &lines, *line;

	while ((line = *link)) {
		if (line->handle == handle && gives)
			line_reap(line);
		if (line->first) {
			link = &line->next;
		} else {
			*link = line->next;
			line_put(line);
		}
	}
}

void vnpu_async_reap(uint64_t handle)
{
	vnpu_async_lock();
	reap_locked(handle, true);
	vnpu_async_unlock();
}

/* Remove the queues of a pool from the list. */
static struct line *lines_take(uint64_t handle)
{
	struct line **link = &lines, *line, *taken = NULL;

	vnpu_async_lock();
	while ((line = *link)) {
		if (line->handle != handle) {
			link = &line->next;
			continue;
		}
		*link = line->next;
		line->next = taken;
		taken = line;
	}
	vnpu_async_unlock();
	return taken;
}

static void lines_end(struct line *line, bool is_waited_for)
{
	struct pending *pending;
	struct line *next;

	for (; line; line = next) {
		next = line->next;
		while ((pending = line->first)) {
			line->first = pending->next;
			if (is_waited_for) {
				vnpu_queue_wait(&line->stream->queue,
						pending->seq, -1);
				finish(line->handle, pending);
			} else {
				free(pending);
			}
		}
		line_put(line);
	}
}

void vnpu_async_forget(uint64_t handle)
{
	lines_end(lines_take(handle), false);
}

/*
 * Take a block of this size that was freed before the task @most was submitted;
 * or 0.  @seq is set to the last task before its free.
 */
static uint64_t line_take(struct line *line, uint64_t bytes, uint64_t most,
			  uint64_t *seq)
{
	struct pending **link = &line->first, *pending;
	uint64_t addr;

	for (int i = 0; *link && i < LOOKED_AT; i++) {
		pending = *link;
		if (pending->seq > most)
			break;
		if (pending->claim.bytes != bytes) {
			link = &pending->next;
			continue;
		}
		*link = pending->next;
		if (!pending->next)
			line->last = link;
		*seq = pending->seq;
		addr = vnpu_pool_unclaim(line->handle, &pending->claim) ?
		       pending->claim.addr : 0;
		free(pending);
		if (addr)
			return addr;
	}
	return 0;
}

/* Take memory that the stream may have at once, its own first. */
static uint64_t take_ordered(uint64_t handle, const struct vnpu_stream *stream,
			     uint64_t bytes, bool follows_events)
{
	struct line *line = line_find(handle, stream);
	uint64_t addr = 0, until, seq;

	if (line)
		addr = line_take(line, bytes, UINT64_MAX, &seq);
	if (!follows_events)
		return addr;
	for (line = lines; line && !addr; line = line->next) {
		if (line->handle != handle || line->stream == stream)
			continue;
		until = vnpu_reuse_until(stream, line->stream, true);
		if (until)
			addr = line_take(line, bytes, until, &seq);
	}
	return addr;
}

/* Take memory that a stream has freed, or 0; @freed gets a reference to it. */
static uint64_t take_any(uint64_t handle, uint64_t bytes,
			 struct vnpu_freed *freed)
{
	uint64_t addr = 0;

	vnpu_async_lock();
	for (struct line *line = lines; line && !addr; line = line->next) {
		if (line->handle != handle)
			continue;
		addr = line_take(line, bytes, UINT64_MAX, &freed->seq);
		if (addr) {
			freed->by = line->stream;
			vnpu_stream_ref(freed->by);
		}
	}
	vnpu_async_unlock();
	return addr;
}

/* Make a stream run after another's task, or wait here until it is done. */
static void come_after(struct vnpu_stream *stream,
		       const struct vnpu_freed *freed)
{
	if (stream == freed->by || vnpu_reuse_is_done(freed))
		return;
	if (vnpu_reuse_after(stream, freed))
		vnpu_queue_wait(&freed->by->queue, freed->seq, -1);
}

/* No memory is left: make the stream wait for another one, or wait here. */
static void *alloc_waiting(uint64_t handle, uint64_t size,
			   struct vnpu_stream *stream,
			   const struct vnpu_reuse *reuse)
{
	struct vnpu_freed freed;
	uint64_t addr = 0;

	if (reuse->bytes && reuse->flags & VNPU_POOL_REUSE_WAIT)
		addr = take_any(handle, reuse->bytes, &freed);
	if (!addr) {
		lines_end(lines_take(handle), true);
		return vnpu_pool_alloc_slow(handle, size);
	}
	come_after(stream, &freed);
	vnpu_stream_put(freed.by);
	return vnpu_u64_to_ptr(addr);
}

VNPU_PUBLIC void *vnpu_pool_alloc_async(vnpu_pool_t pool, size_t size,
					aclrtStream stream)
{
	VNPU_CALL();
	uint64_t handle = vnpu_ptr_to_u64(pool), addr = 0;
	struct vnpu_stream *found;
	struct vnpu_reuse reuse;
	void *ptr;

	if (vnpu_capture_stream_get(stream, "an allocation from a pool",
				    &found))
		return NULL;
	vnpu_pool_reuse(handle, size, &reuse);
	vnpu_async_lock();
	if (reuse.bytes)
		addr = take_ordered(handle, found, reuse.bytes,
				    reuse.flags & VNPU_POOL_REUSE_EVENTS);
	if (!addr)
		reap_locked(handle, reuse.flags & VNPU_POOL_REUSE_DONE);
	vnpu_async_unlock();
	ptr = addr ? vnpu_u64_to_ptr(addr) : vnpu_pool_try_alloc(handle, size);
	if (!ptr)
		ptr = alloc_waiting(handle, size, found, &reuse);
	vnpu_stream_put(found);
	return ptr;
}

static aclError free_locked(uint64_t handle, uint64_t addr,
			    struct vnpu_stream *stream, struct pending *pending)
{
	struct line *line = line_get(handle, stream);
	aclError ret;

	if (!line)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a free in stream order");
	ret = vnpu_pool_claim(handle, addr, &pending->claim);
	if (!ret) {
		pending->seq = vnpu_queue_last(&stream->queue);
		*line->last = pending;
		line->last = &pending->next;
	}
	reap_locked(handle, !ret && pending->claim.reuse &
				    VNPU_POOL_REUSE_DONE);
	return ret;
}

VNPU_PUBLIC aclError vnpu_pool_free_async(vnpu_pool_t pool, void *ptr,
					  aclrtStream stream)
{
	VNPU_CALL();
	struct pending *pending = calloc(1, sizeof(*pending));
	struct vnpu_stream *found;
	aclError ret;

	if (!pending)
		return vnpu_error(ACL_ERROR_BAD_ALLOC,
				  "no host memory for a free in stream order");
	ret = vnpu_capture_stream_get(stream, "a free of memory of a pool",
				      &found);
	if (!ret) {
		vnpu_async_lock();
		ret = free_locked(vnpu_ptr_to_u64(pool), vnpu_ptr_to_u64(ptr),
				  found, pending);
		vnpu_async_unlock();
		vnpu_stream_put(found);
	}
	if (ret)
		free(pending);
	return ret;
}
