// SPDX-License-Identifier: MIT
/*
 * Pools of device memory with allocations that are ordered with streams.
 *
 * A segment is one allocation of the driver.  While it is cached, it records
 * the stream that freed it and the last task of that stream at that time.  An
 * allocation takes the smallest segment that is large enough and at most twice
 * as large, of those that
 *
 * - the same stream freed, or
 * - was freed by a stream that has done that task, or
 * - was freed by a stream; the allocating one has waited for that task, or
 * - any other stream freed: then the allocating stream is made to wait for that
 *   task;
 *
 * The attributes of the pool may disable the last three. mempool.c has the
 * calls.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/fork.h"
#include "base/util.h"
#include "io/io.h"
#include "io/va.h"
#include "mem/mem.h"
#include "memprof/profile.h"
#include "stream/order.h"
#include "stream/upcalls.h"
#include "mempool_internal.h"

#define SEGMENT_ALIGN	(2ULL << 20)

static pthread_mutex_t pool_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_mempool *pools;		/* protected by the lock */
static atomic_uint nr_pools;			/* written under the lock */
static struct vnpu_tree_node *segments;		/* by address; under the lock */

void vnpu_mempool_lock(void)
{
	pthread_mutex_lock(&pool_mutex);
}

void vnpu_mempool_unlock(void)
{
	pthread_mutex_unlock(&pool_mutex);
}

bool vnpu_mempool_exists(void)
{
	return atomic_load_explicit(&nr_pools, memory_order_relaxed);
}

static void trim_after_wait(void)
{
	vnpu_mempool_trim_all(false);
}

void vnpu_mempool_publish(struct vnpu_mempool *pool)
{
	atomic_store(&vnpu_stream_waited, trim_after_wait);
	pool->next = pools;
	pools = pool;
	atomic_fetch_add(&nr_pools, 1);
	vnpu_order_care();
}

static void pool_unpublish(struct vnpu_mempool *pool)
{
	struct vnpu_mempool **link = &pools;

	while (*link != pool)
		link = &(*link)->next;
	*link = pool->next;
	vnpu_handle_remove_put(pool->handle);
	atomic_fetch_sub(&nr_pools, 1);
	vnpu_order_forget();
}

/* How well a cached segment fits a stream; 0 if it does not. */
enum fit {
	FIT_NONE,
	FIT_WAIT,	/* after a wait */
	FIT_NOW,
};

static enum fit fit_of(const struct vnpu_mempool *pool,
		       const struct vnpu_segment *segment,
		       const struct vnpu_stream *stream)
{
	const struct vnpu_freed *freed = &segment->freed;
	uint64_t until;

	if (!freed->by)
		return FIT_NOW;
	until = vnpu_reuse_until(stream, freed->by, pool->follows_events);
	if (until && freed->seq <= until)
		return FIT_NOW;
	if (pool->opportunistic && vnpu_reuse_is_done(freed))
		return FIT_NOW;
	return pool->adds_waits ? FIT_WAIT : FIT_NONE;
}

static struct vnpu_segment *segment_of(struct vnpu_tree_node *node)
{
	return container_of(node, struct vnpu_segment, node);
}

/* Find the segment that begins at @va. */
static struct vnpu_segment *segment_at(uint64_t va)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(segments, va, 0);

	return node && node->hi == va ?
	       container_of(node, struct vnpu_segment, by_va) : NULL;
}

/* Find a cached segment; the smallest one without a wait is best. */
static struct vnpu_segment *find_cached(struct vnpu_mempool *pool,
					uint64_t length,
					const struct vnpu_stream *stream,
					enum fit *fit)
{
	struct vnpu_segment *best = NULL, *segment;
	struct vnpu_tree_node *node;
	enum fit found;

	*fit = FIT_NONE;
	node = vnpu_tree_at_least(pool->cached, length, 0);
	while (node && node->hi / 2 <= length && *fit != FIT_NOW) {
		segment = segment_of(node);
		found = fit_of(pool, segment, stream);
		if (found > *fit) {
			*fit = found;
			best = segment;
		}
		node = vnpu_tree_at_least(pool->cached, node->hi,
					  node->lo + 1);
	}
	return best;
}

static void to_cached(struct vnpu_segment *segment)
{
	segment->node.hi = segment->length;
	segment->node.lo = segment->va;
	vnpu_tree_add(&segment->pool->cached, &segment->node);
	segment->is_cached = true;
}

static void from_cached(struct vnpu_segment *segment)
{
	vnpu_tree_remove(&segment->pool->cached, &segment->node);
	segment->is_cached = false;
}

static void to_allocated(struct vnpu_segment *segment)
{
	struct vnpu_mempool *pool = segment->pool;

	pool->nr_allocated++;
	pool->used += segment->length;
	if (pool->used > pool->used_high)
		pool->used_high = pool->used;
}

static void from_allocated(struct vnpu_segment *segment)
{
	segment->pool->nr_allocated--;
	segment->pool->used -= segment->length;
}

/* Free a segment that is neither cached nor allocated. */
static void segment_free(struct vnpu_segment *segment)
{
	vnpu_tree_remove(&segments, &segment->by_va);
	segment->pool->reserved -= segment->length;
	if (segment->freed.by)
		vnpu_stream_put(segment->freed.by);
	free(segment);
}

/*
 * Drop segments if the driver has allocated their memory again.  This happens
 * if two threads free the same address at the same time, and one of them frees
 * memory of a segment.
 */
static void forget_stale(uint64_t va, uint64_t length)
{
	struct vnpu_segment *segment;
	struct vnpu_tree_node *node;

	while ((node = vnpu_tree_at_most(segments, va + length - 1,
					 UINT64_MAX))) {
		segment = container_of(node, struct vnpu_segment, by_va);
		if (segment->va + segment->length <= va)
			break;
		if (segment->is_cached)
			from_cached(segment);
		else
			from_allocated(segment);
		segment_free(segment);
	}
}

/* Return a cached or new segment to the device. */
static void segment_release(struct vnpu_segment *segment)
{
	vnpu_mem_free_block(segment->va);
	segment_free(segment);
}

bool vnpu_mempool_trim(struct vnpu_mempool *pool, uint64_t keep)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(pool->cached,
							UINT64_MAX, UINT64_MAX);
	bool has_released = false;

	while (node && pool->reserved > keep) {
		struct vnpu_segment *segment = segment_of(node);
		uint64_t hi = node->hi, lo = node->lo;

		if (pool->reserved - segment->length >= keep &&
		    vnpu_reuse_is_done(&segment->freed)) {
			from_cached(segment);
			segment_release(segment);
			has_released = true;
		}
		node = vnpu_tree_at_most(pool->cached, hi, lo - 1);
	}
	return has_released;
}

bool vnpu_mempool_trim_all(bool all)
{
	bool has_released = false;

	if (!vnpu_mempool_exists())
		return false;
	vnpu_mempool_lock();
	for (struct vnpu_mempool *pool = pools; pool; pool = pool->next)
		if (vnpu_mempool_trim(pool, all ? 0 : pool->threshold))
			has_released = true;
	vnpu_mempool_unlock();
	return has_released;
}

static int take_from_device(struct vnpu_mempool *pool, uint64_t length,
			    uint64_t *va)
{
	int ret;

	if (length > pool->max_size || pool->reserved > pool->max_size - length)
		return -ENOSPC;
	ret = vnpu_va_alloc(VNPU_IO_SHIFT_2M, length, va);
	if (ret)
		return ret;
	ret = vnpu_io_mem_alloc(pool->device, VNPU_IO_SHIFT_2M, length, *va,
				VNPU_IO_ALLOC_TRY, NULL);
	if (ret)
		vnpu_va_free(VNPU_IO_SHIFT_2M, length, *va);
	return ret;
}

/* If there is no memory, release the cached segments of all pools. */
static int segment_create(struct vnpu_mempool *pool, uint64_t length,
			  struct vnpu_segment **segment)
{
	struct vnpu_segment *new = calloc(1, sizeof(*new));
	struct vnpu_mempool *other;
	int ret;

	if (!new)
		return -ENOMEM;
	ret = take_from_device(pool, length, &new->va);
	if (vnpu_mem_is_oom(ret)) {
		for (other = pools; other; other = other->next)
			vnpu_mempool_trim(other, 0);
		ret = take_from_device(pool, length, &new->va);
	}
	if (ret) {
		free(new);
		return ret;
	}
	forget_stale(new->va, length);
	new->pool = pool;
	new->length = length;
	new->by_va.hi = new->va;
	vnpu_tree_add(&segments, &new->by_va);
	pool->reserved += length;
	if (pool->reserved > pool->reserved_high)
		pool->reserved_high = pool->reserved;
	*segment = new;
	return 0;
}

int vnpu_mempool_alloc(struct vnpu_mempool *pool, uint64_t size,
		       const struct vnpu_stream *stream,
		       struct vnpu_mempool_grant *grant)
{
	uint64_t length = vnpu_align_up(size, SEGMENT_ALIGN);
	struct vnpu_segment *segment;
	enum fit fit;
	int ret;

	*grant = (struct vnpu_mempool_grant){ 0 };
	if (length < size)
		return -ENOSPC;
	segment = find_cached(pool, length, stream, &fit);
	if (segment) {
		from_cached(segment);
		grant->must_wait = fit == FIT_WAIT;
		grant->freed = segment->freed;
		segment->freed.by = NULL;
	} else {
		ret = segment_create(pool, length, &segment);
		if (ret)
			return ret;
	}
	to_allocated(segment);
	grant->va = segment->va;
	return 0;
}

int vnpu_mempool_free_after(uint64_t va, struct vnpu_stream *stream,
			    uint64_t seq)
{
	struct vnpu_segment *segment = segment_at(va);

	if (!segment)
		return -ENOENT;
	if (segment->is_cached)
		return -EALREADY;
	vnpu_profile_free_end(vnpu_profile_free_begin(va), true);
	from_allocated(segment);
	if (stream)
		vnpu_stream_ref(stream);
	segment->freed.by = stream;
	segment->freed.seq = seq;
	to_cached(segment);
	return 0;
}

int vnpu_mempool_free(uint64_t va)
{
	struct vnpu_segment *segment;
	struct vnpu_mempool *pool;
	int ret = -ENOENT;

	if (!vnpu_mempool_exists())
		return ret;
	vnpu_mempool_lock();
	segment = segment_at(va);
	if (segment) {
		pool = segment->pool;
		ret = vnpu_mempool_free_after(va, NULL, 0);
		if (!ret)
			vnpu_mempool_trim(pool, pool->threshold);
	}
	vnpu_mempool_unlock();
	return ret;
}

static struct vnpu_segment *first_cached(const struct vnpu_mempool *pool)
{
	struct vnpu_tree_node *node = vnpu_tree_at_least(pool->cached, 0, 0);

	return node ? segment_of(node) : NULL;
}

static struct vnpu_segment *next_cached(const struct vnpu_mempool *pool,
					const struct vnpu_segment *segment)
{
	struct vnpu_tree_node *node;

	node = vnpu_tree_at_least(pool->cached, segment->length,
				  segment->va + 1);
	return node ? segment_of(node) : NULL;
}

static void pool_end(struct vnpu_mempool *pool)
{
	struct vnpu_segment *segment;

	pool_unpublish(pool);
	while (pool->cached) {
		segment = segment_of(pool->cached);
		from_cached(segment);
		segment_release(segment);
	}
	free(pool);
}

struct vnpu_stream *vnpu_mempool_end(struct vnpu_mempool *pool, uint64_t *seq)
{
	struct vnpu_segment *segment = first_cached(pool);

	while (segment && vnpu_reuse_is_done(&segment->freed))
		segment = next_cached(pool, segment);
	if (!segment) {
		pool_end(pool);
		return NULL;
	}
	*seq = segment->freed.seq;
	vnpu_stream_ref(segment->freed.by);
	return segment->freed.by;
}

void vnpu_mempool_settle(struct vnpu_mempool *pool,
			 const struct vnpu_stream *stream, uint64_t seq)
{
	struct vnpu_segment *segment;

	for (segment = first_cached(pool); segment;
	     segment = next_cached(pool, segment)) {
		if (segment->freed.by != stream || segment->freed.seq > seq)
			continue;
		vnpu_stream_put(segment->freed.by);
		segment->freed.by = NULL;
	}
}

/* Cache the allocated segments, so that they are released with the rest. */
static void reclaim(struct vnpu_mempool *pool)
{
	struct vnpu_tree_node *node = vnpu_tree_at_least(segments, 0, 0);

	while (node) {
		struct vnpu_segment *segment =
			container_of(node, struct vnpu_segment, by_va);

		if (segment->pool == pool && !segment->is_cached)
			vnpu_mempool_free_after(segment->va, NULL, 0);
		node = vnpu_tree_at_least(segments, segment->va + 1, 0);
	}
}

int vnpu_mempool_reset(int32_t user_device, uint32_t device)
{
	struct vnpu_mempool *next, *pool;
	int ret;

	vnpu_mempool_lock();
	for (pool = pools; pool; pool = next) {
		next = pool->next;
		if (pool->user_device != user_device)
			continue;
		reclaim(pool);
		pool_end(pool);
	}
	ret = vnpu_mem_free_all(device);
	vnpu_mempool_unlock();
	return ret;
}
