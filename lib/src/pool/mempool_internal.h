/* SPDX-License-Identifier: MIT */
/*
 * The interface between the two parts of pools: mempool_segment.c has the
 * implementation, mempool.c the calls.  The lock of pools protects all of it.
 */
#ifndef VNPU_LIB_MEMPOOL_INTERNAL_H
#define VNPU_LIB_MEMPOOL_INTERNAL_H

#include "base/tree.h"
#include "mempool.h"
#include "reuse.h"

struct vnpu_mempool {
	struct vnpu_mempool *next;
	uint64_t handle;
	int32_t user_device;
	uint32_t device;		/* its number in the driver */
	uint64_t max_size;
	uint32_t follows_events;	/* attributes, 1 or 0 */
	uint32_t opportunistic;
	uint32_t adds_waits;
	uint64_t threshold;
	uint64_t reserved;
	uint64_t reserved_high;
	uint64_t used;
	uint64_t used_high;
	unsigned int nr_allocated;
	struct vnpu_tree_node *cached;	/* segments, by {length, va} */
};

/* One allocation of the driver. */
struct vnpu_segment {
	struct vnpu_tree_node by_va;	/* of all segments */
	struct vnpu_tree_node node;	/* of the cached segments of its pool */
	bool is_cached;
	struct vnpu_mempool *pool;
	uint64_t va;
	uint64_t length;
	struct vnpu_freed freed;
};

/* Memory, and the task that its user has to wait for. */
struct vnpu_mempool_grant {
	uint64_t va;
	bool must_wait;			/* for freed */
	struct vnpu_freed freed;	/* its stream is to be put */
};

void vnpu_mempool_lock(void);
void vnpu_mempool_unlock(void);

void vnpu_mempool_publish(struct vnpu_mempool *pool);

/* Allocate a segment; 0 or -errno, -ENOSPC if there is no more. */
int vnpu_mempool_alloc(struct vnpu_mempool *pool, uint64_t size,
		       const struct vnpu_stream *stream,
		       struct vnpu_mempool_grant *grant);

/*
 * Cache the segment at @va; @stream may be NULL. -ENOENT, or -EALREADY if it is
 * cached.
 */
int vnpu_mempool_free_after(uint64_t va, struct vnpu_stream *stream,
			    uint64_t seq);

/* Release the cached memory beyond @keep bytes; true if there was any. */
bool vnpu_mempool_trim(struct vnpu_mempool *pool, uint64_t keep);

/*
 * End a pool without allocations.  If a stream may still use cached memory, the
 * pool stays, and the result is a reference to this stream and its last task
 * that does; else NULL.
 */
struct vnpu_stream *vnpu_mempool_end(struct vnpu_mempool *pool, uint64_t *seq);

/* Record that a stream no longer uses what it freed up to a task. */
void vnpu_mempool_settle(struct vnpu_mempool *pool,
			 const struct vnpu_stream *stream, uint64_t seq);

#endif /* VNPU_LIB_MEMPOOL_INTERNAL_H */
