/* SPDX-License-Identifier: MIT */
/*
 * What the two halves of pools share: mempool_segment.c keeps them, mempool.c
 * has the calls.  All of it is under the lock of pools.
 */
#ifndef VNPU_LIB_MEMPOOL_INTERNAL_H
#define VNPU_LIB_MEMPOOL_INTERNAL_H

#include "mempool.h"
#include "tree.h"

struct vnpu_mempool {
	struct vnpu_mempool *next;
	uint64_t handle;
	int32_t user_device;
	uint32_t device;		/* its number for the driver */
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
	struct vnpu_tree_node by_va;	/* of all */
	struct vnpu_tree_node node;	/* of the cached ones of its pool */
	bool is_cached;
	struct vnpu_mempool *pool;
	uint64_t va;
	uint64_t length;
	struct vnpu_stream *freed_by;	/* with a reference, or NULL */
	uint64_t freed_seq;		/* its last task by then */
};

/* Memory, and what its user has to do first. */
struct vnpu_mempool_grant {
	uint64_t va;
	uint64_t wait_for;		/* a timeline, or 0 */
	uint64_t wait_value;
	struct vnpu_stream *freed_by;	/* to be put, or NULL */
};

void vnpu_mempool_lock(void);
void vnpu_mempool_unlock(void);

void vnpu_mempool_publish(struct vnpu_mempool *pool);

/* 0 or -errno; -ENOSPC when there is no more. */
int vnpu_mempool_alloc(struct vnpu_mempool *pool, uint64_t size,
		       const struct vnpu_stream *stream,
		       struct vnpu_mempool_grant *grant);

/*
 * Cache what is allocated at @va; @stream may be NULL.  -ENOENT, or -EALREADY if
 * it is cached.
 */
int vnpu_mempool_give(uint64_t va, struct vnpu_stream *stream, uint64_t seq);

/* Release what is cached beyond @keep bytes; true if there was something. */
bool vnpu_mempool_trim(struct vnpu_mempool *pool, uint64_t keep);

/*
 * End a pool of which nothing is allocated.  If a stream may still use what is
 * cached, the pool stays, and this is the stream, with a reference, and its last
 * task that does; else NULL.
 */
struct vnpu_stream *vnpu_mempool_end(struct vnpu_mempool *pool, uint64_t *seq);

/* A stream does not use what it freed any more, up to a task. */
void vnpu_mempool_settle(struct vnpu_mempool *pool,
			 const struct vnpu_stream *stream, uint64_t seq);

#endif /* VNPU_LIB_MEMPOOL_INTERNAL_H */
