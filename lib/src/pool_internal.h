/* SPDX-License-Identifier: MIT */
/*
 * What the two halves of pools share: pool.c keeps them, mempool.c has the
 * calls.  All of it is under the lock of pools.
 */
#ifndef VNPU_LIB_POOL_INTERNAL_H
#define VNPU_LIB_POOL_INTERNAL_H

#include "pool.h"
#include "tree.h"

struct vnpu_pool {
	struct vnpu_pool *next;
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
	struct vnpu_tree_node node;	/* of the cached or the allocated */
	struct vnpu_pool *pool;
	uint64_t va;
	uint64_t length;
	struct vnpu_stream *freed_by;	/* with a reference, or NULL */
	uint64_t freed_seq;		/* its last task by then */
};

/* Memory, and what its user has to do first. */
struct vnpu_pool_grant {
	uint64_t va;
	uint64_t wait_for;		/* a timeline, or 0 */
	uint64_t wait_value;
	struct vnpu_stream *freed_by;	/* to be put, or NULL */
};

void vnpu_pool_lock(void);
void vnpu_pool_unlock(void);

void vnpu_pool_publish(struct vnpu_pool *pool);

/* Nobody finds it any more; nothing is allocated. */
void vnpu_pool_unpublish(struct vnpu_pool *pool);

/* 0 or -errno; -ENOSPC when there is no more. */
int vnpu_pool_alloc(struct vnpu_pool *pool, uint64_t size,
		    const struct vnpu_stream *stream,
		    struct vnpu_pool_grant *grant);

/* Cache what is allocated at @va; @stream may be NULL.  -ENOENT. */
int vnpu_pool_give(uint64_t va, struct vnpu_stream *stream, uint64_t seq);

/* Release what is cached beyond @keep bytes; true if there was something. */
bool vnpu_pool_trim(struct vnpu_pool *pool, uint64_t keep);

/*
 * The end of a pool that was unpublished.  Needs no lock, and with @wait waits
 * for who may still use its memory.
 */
void vnpu_pool_release(struct vnpu_pool *pool, bool wait);

#endif /* VNPU_LIB_POOL_INTERNAL_H */
