/* SPDX-License-Identifier: MIT */
/*
 * Steps of a periodic workload, see vnpu_pool_step(): what a thread asks for in
 * them is recorded, planned when two have asked for the same, and then had at
 * its place by its number in the step.
 *
 * This is of what is over 4032 bytes, the paged range.  Each such allocation of the
 * thread has pages of its own, or a place in the plan, which is a run of pages
 * for all of a step.  Both have VNPU_CLASS_STEP as their state and are found by
 * their address here, so any thread frees them.  A place is given only while
 * nothing that is allocated lies there, whatever the plan says.
 */
#ifndef VNPU_LIB_POOL_STEPS_H
#define VNPU_LIB_POOL_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vnpu_cache;
struct vnpu_pool_object;
struct vnpu_pool_stats;

/* Time is how many requests of the step there were. */
#define VNPU_STEP_NEVER		UINT64_MAX

struct vnpu_request {
	uint64_t size;
	uint64_t align;
	uint64_t end;		/* when it was freed, or VNPU_STEP_NEVER */
	uint64_t offset;	/* in the plan, or VNPU_PLAN_NO_OFFSET */
};

struct vnpu_record {
	struct vnpu_request *request;
	size_t count;
	size_t room;
	bool is_broken;		/* there was no memory for all of it */
};

/* step_record.c; false without memory. */
bool vnpu_record_add(struct vnpu_record *record, uint64_t size, uint64_t align);
bool vnpu_record_is_same(const struct vnpu_record *a,
			 const struct vnpu_record *b);

/* Let each end when it did later in one of two that are the same. */
void vnpu_record_merge(struct vnpu_record *record,
		       const struct vnpu_record *other);

/*
 * Place what ends in the step: sets the offsets, the bytes of all, and what they
 * are to begin at a multiple of.  0 or -errno.
 */
int vnpu_record_plan(struct vnpu_record *record, uint64_t *bytes,
		     uint64_t *align);

/* Whether the calling thread has the pool's steps, and they have this size. */
bool vnpu_steps_have(const struct vnpu_pool_object *pool, uint64_t size);

/* As vnpu_pool_take() and vnpu_pool_give(), at a granule of that state. */
int vnpu_steps_take(struct vnpu_cache *cache, uint64_t size, uint64_t align,
		    uint64_t *addr);
int vnpu_steps_give(struct vnpu_pool_object *pool, uint32_t granule);

/* What is allocated there takes. */
uint64_t vnpu_steps_bytes(struct vnpu_pool_object *pool, uint32_t granule);

/* The next step: 0; -EBUSY if they are another thread's; -ENOMEM. */
int vnpu_steps_next(struct vnpu_cache *cache);

/* End a plan in whose memory nothing is now: it is needed. */
void vnpu_steps_yield(struct vnpu_pool_object *pool);

/* No more of them: 0, or -ENOENT if this thread has none. */
int vnpu_steps_end(struct vnpu_pool_object *pool);

void vnpu_steps_count(struct vnpu_pool_object *pool,
		      struct vnpu_pool_stats *stats);

/* With the pool. */
void vnpu_steps_destroy(struct vnpu_pool_object *pool);

#endif /* VNPU_LIB_POOL_STEPS_H */
