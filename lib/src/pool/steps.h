/* SPDX-License-Identifier: MIT */
/*
 * Steps of a periodic workload, see vnpu_pool_step(): the requests of a thread
 * are recorded.  After two equal steps they are planned, and each request then
 * gets its place by its number in the step.
 *
 * This applies to requests of over 4032 bytes in the paged range.  Each such
 * allocation of the thread has its own pages, or a place in the plan, which is
 * one run of pages for the whole step.  Both have VNPU_CLASS_STEP as their
 * state and are found here by their address, so any thread can free them.  A
 * place is never given to a request while anything is allocated there, whatever
 * the plan says.
 */
#ifndef VNPU_LIB_POOL_STEPS_H
#define VNPU_LIB_POOL_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vnpu_cache;
struct vnpu_pool_object;
struct vnpu_pool_stats;

/* Time is counted in requests of the step. */
#define VNPU_STEP_NEVER		UINT64_MAX

struct vnpu_request {
	uint64_t size;
	uint64_t align;
	uint64_t end;		/* time of the free, or VNPU_STEP_NEVER */
	uint64_t offset;	/* in the plan, or VNPU_PLAN_NO_OFFSET */
};

struct vnpu_record {
	struct vnpu_request *request;
	size_t count;
	size_t room;
	bool is_broken;		/* it is incomplete for lack of memory */
};

/* step_record.c: add a request; false without memory. */
bool vnpu_record_add(struct vnpu_record *record, uint64_t size, uint64_t align);
bool vnpu_record_is_same(const struct vnpu_record *a,
			 const struct vnpu_record *b);

/* Merge two equal steps: each request ends at the later of its two times. */
void vnpu_record_merge(struct vnpu_record *record,
		       const struct vnpu_record *other);

/*
 * Place all requests that end in the step: sets the offsets, the total bytes
 * and the alignment.  0 or -errno.
 */
int vnpu_record_plan(struct vnpu_record *record, uint64_t *bytes,
		     uint64_t *align);

/*
 * Check whether the calling thread has the steps of the pool, and a size
 * qualifies.
 */
bool vnpu_steps_have(const struct vnpu_pool_object *pool, uint64_t size);

/* As vnpu_cache_alloc() and vnpu_cache_free(), for a granule of that state. */
int vnpu_steps_alloc(struct vnpu_cache *cache, uint64_t size, uint64_t align,
		     uint64_t *addr);
int vnpu_steps_free(struct vnpu_pool_object *pool, uint32_t granule);

/* Get the bytes of the allocation at an address. */
uint64_t vnpu_steps_bytes(struct vnpu_pool_object *pool, uint32_t granule);

/* Begin the next step: 0; -EBUSY if another thread has the steps; -ENOMEM. */
int vnpu_steps_next(struct vnpu_cache *cache);

/* End a plan without allocations, because its memory is needed. */
void vnpu_steps_yield(struct vnpu_pool_object *pool);

/* End the steps: 0, or -ENOENT if this thread has none. */
int vnpu_steps_end(struct vnpu_pool_object *pool);

void vnpu_steps_count(struct vnpu_pool_object *pool,
		      struct vnpu_pool_stats *stats);

/* Free the steps with their pool. */
void vnpu_steps_destroy(struct vnpu_pool_object *pool);

#endif /* VNPU_LIB_POOL_STEPS_H */
