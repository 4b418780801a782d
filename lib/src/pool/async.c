// SPDX-License-Identifier: MIT
/*
 * Allocations and frees of pools that are in the order of a stream.
 *
 * What is freed waits in the queue of its pool and stream, with the number of
 * the stream's last task by then.  Meanwhile its state has the bit of what
 * another thread has freed, so that another free of it is found out.  The
 * stream itself gets it at once, others when that task is done and it has gone
 * back to the pool.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "error.h"
#include "pool/async.h"
#include "pool/pool.h"
#include "stream.h"
#include "util.h"

/* How many of the stream's own are looked through for the size. */
#define LOOKED_AT	64

struct pending {
	struct pending *next;
	struct vnpu_claim claim;
	uint64_t seq;
};

/* Of one pool and one stream; in the order of their numbers. */
struct line {
	struct line *next;
	uint64_t handle;
	struct vnpu_stream *stream;	/* with a reference */
	struct pending *first;
	struct pending **last;
};

/* Before the lock of the registry; not held while a stream is waited for. */
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
	line->next = lines;
	lines = line;
	return line;
}

static void line_put(struct line *line)
{
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

static void reap_locked(uint64_t handle)
{
	struct line **link = &lines, *line;

	while ((line = *link)) {
		if (line->handle == handle)
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
	reap_locked(handle);
	vnpu_async_unlock();
}

/* Take the lines of a pool off the list. */
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

/* Something of this size that the stream has freed itself, or 0. */
static uint64_t take_own(uint64_t handle, const struct vnpu_stream *stream,
			 uint64_t bytes)
{
	struct line *line = line_find(handle, stream);
	struct pending **link, *pending;
	uint64_t addr;

	if (!line)
		return 0;
	link = &line->first;
	for (int i = 0; *link && i < LOOKED_AT; i++) {
		pending = *link;
		if (pending->claim.bytes != bytes) {
			link = &pending->next;
			continue;
		}
		*link = pending->next;
		if (!pending->next)
			line->last = link;
		addr = vnpu_pool_unclaim(handle, &pending->claim) ?
		       pending->claim.addr : 0;
		free(pending);
		if (addr)
			return addr;
	}
	return 0;
}

VNPU_PUBLIC void *vnpu_pool_alloc_async(vnpu_pool_t pool, size_t size,
					aclrtStream stream)
{
	uint64_t handle = vnpu_ptr_to_u64(pool);
	struct vnpu_stream *found;
	uint64_t addr = 0, bytes;
	void *ptr;

	if (vnpu_stream_get(__func__, stream, false, &found))
		return NULL;
	bytes = vnpu_pool_rounded(handle, size);
	vnpu_async_lock();
	if (bytes)
		addr = take_own(handle, found, bytes);
	if (!addr)
		reap_locked(handle);
	vnpu_async_unlock();
	vnpu_stream_put(found);
	if (addr)
		return vnpu_u64_to_ptr(addr);
	ptr = vnpu_pool_try_alloc(handle, size);
	if (ptr)
		return ptr;
	lines_end(lines_take(handle), true);
	return vnpu_pool_alloc_slow(__func__, handle, size);
}

static aclError free_locked(uint64_t handle, uint64_t addr,
			    struct vnpu_stream *stream, struct pending *pending)
{
	struct line *line = line_get(handle, stream);
	aclError ret;

	if (!line)
		return vnpu_error(ACL_ERROR_BAD_ALLOC, "vnpu_pool_free_async",
				  "no host memory for a free in order");
	ret = vnpu_pool_claim(handle, addr, &pending->claim);
	if (!ret) {
		pending->seq = vnpu_queue_last(&stream->queue);
		*line->last = pending;
		line->last = &pending->next;
	}
	reap_locked(handle);
	return ret;
}

VNPU_PUBLIC aclError vnpu_pool_free_async(vnpu_pool_t pool, void *ptr,
					  aclrtStream stream)
{
	struct pending *pending = calloc(1, sizeof(*pending));
	struct vnpu_stream *found;
	aclError ret;

	if (!pending)
		return vnpu_error(ACL_ERROR_BAD_ALLOC, __func__,
				  "no host memory for a free in order");
	ret = vnpu_stream_get(__func__, stream, false, &found);
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
