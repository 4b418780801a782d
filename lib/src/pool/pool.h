/* SPDX-License-Identifier: MIT */
/*
 * Pools: shared declarations of these files.
 *
 * class.c		sizes
 * heap.c		pages of chunks
 * heap_span.c		runs of pages
 * heap_grow.c		chunks
 * slab.c		objects of slabs
 * hit.h		caches of threads: the fast path of most calls
 * cache.c		the slow path
 * remote.c		frees of memory that another thread allocated
 * thread.c		assignment of caches to threads; fork()
 * pool.c		creation, trimming and statistics of pools
 * call.c		the public calls and their errors
 * provider.c		memory of a device for them
 * default.c		pools under aclrtMalloc()
 * async.c		frees in stream order
 * objects.c		allocations of one size and kind
 * pattern.c		the requests of a run
 * pattern_file.c	requests as a file
 * learn.c		writing and reading these files
 * steps.c		periodic workloads
 * step_record.c	their requests, and the plan for them
 *
 * A pool has three address ranges, see class.h.  Each granule has a state of 16
 * bits on the host: 0, or the class and the cache of the allocation that begins
 * there.  One comparison of it determines whether a pointer may be freed,
 * whether it belongs to this thread, and where it goes.
 *
 * A slab belongs to a cache, and a cache to a thread.  The cache of a thread
 * that has ended waits for another thread.  So only one thread writes a state,
 * except for the bit by which another thread marks an object that it has freed,
 * and which it then sends through the owner's inbox.  If the owner frees the
 * object at the same time, its write may undo the bit, and the message is about
 * an object that it no longer has: remote.c explains why that is harmless.
 *
 * Lock order: async.c's > registry > shared > steps > pool.  The pool lock
 * protects the heaps and the list of caches without a thread, and these caches.
 * The shared lock protects the shared cache, for threads without their own.
 */
#ifndef VNPU_LIB_POOL_POOL_H
#define VNPU_LIB_POOL_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fork.h"
#include "class.h"
#include "heap.h"
#include "pattern.h"

#define VNPU_CACHES		256	/* 0 is none, the last is shared */
#define VNPU_CACHE_SHARED	(VNPU_CACHES - 1)

/*
 * A state: the class as the distance of its bin from the first one, the number
 * of the cache around it, and whether another thread has freed the allocation.
 */
#define VNPU_STATE_CLASS_SHIFT	6
#define VNPU_STATE_CLASS	((VNPU_CLASSES - 1U) << VNPU_STATE_CLASS_SHIFT)
#define VNPU_STATE_CACHE_LOW	0x3fU
#define VNPU_STATE_CACHE_SHIFT	7	/* of its upper bits */
#define VNPU_STATE_CACHE_HIGH	0x6000U
#define VNPU_STATE_REMOTE	0x8000U

/* Freed, and unknown to any message: no class. */
#define VNPU_STATE_HELD(state)	(((state) & ~VNPU_STATE_CLASS) | \
				 VNPU_STATE_REMOTE)

/* Allocations without a cache. */
#define VNPU_STATE_HUGE		(VNPU_CLASS_HUGE << VNPU_STATE_CLASS_SHIFT)
#define VNPU_STATE_STEP		(VNPU_CLASS_STEP << VNPU_STATE_CLASS_SHIFT)

/*
 * A granule in messages: its number, from 1 on, and above that its range.  So a
 * link of 0 is of a granule that is in no message.
 */
#define VNPU_SLOT_RANGE_SHIFT	30
#define VNPU_SLOT_NONE		UINT32_MAX

/* Limit on the freed objects in a message. */
#define VNPU_REMOTE_BATCH	32
#define VNPU_OUTBOXES		4

struct vnpu_pool_object;

/* The free objects of a class in a thread's cache; one cache line. */
struct vnpu_bin {
	uint32_t *top;			/* behind the last granule */
	uint32_t *base;
	uint32_t *limit;
	uint16_t *states;		/* of the range */
	uint64_t addr;			/* of granule 0 */
	uint64_t allocs;
	struct vnpu_span *slabs;	/* slabs with free objects */
	uint32_t handed;		/* objects taken out of slabs */
	uint16_t state;			/* state of allocated objects */
	uint8_t shift;			/* of a granule */
	uint8_t class;
};

/* Freed objects of another cache, to be sent to it. */
struct vnpu_outbox {
	uint32_t first;
	uint32_t last;
	uint16_t count;
	uint16_t owner;
};

/* The fast path reads the first lines, and a bin. */
struct vnpu_cache {
	uint64_t handle;		/* of its pool; 0 after that ended */
	uint64_t base;			/* of the fine range */
	uint64_t fine_granules;
	uint16_t *fine_states;
	uint64_t coarse_from;		/* in granules of the fine range */
	uint64_t coarse_granules;
	uint16_t *coarse_states;
	uint64_t fine_most;		/* larger sizes are not in by_64 */
	uint64_t paged_from;		/* in granules of the coarse range */
	uint64_t paged_granules;
	uint16_t *paged_states;
	uint64_t paged_offset;
	uint32_t tag;			/* its number, as in states */
	uint32_t index;
	uint16_t by_64[VNPU_BY_64];	/* offset of the bin in this struct */
	uint16_t by_256[VNPU_BY_256];
	uint16_t by_page[VNPU_BY_PAGE];
	struct vnpu_bin bins[VNPU_CLASSES] __attribute__((aligned(64)));

	struct vnpu_pool_object *pool;
	uint32_t *stacks;
	struct vnpu_cache *next;	/* list of caches without a thread */
	bool has_thread;
	struct vnpu_outbox outbox[VNPU_OUTBOXES];
	uint32_t received;		/* list of slots, not yet looked at */
	uint32_t shortages;		/* of the pool, at the last look */
	uint64_t remote_frees;		/* by this cache's thread */
	/* Written by other threads. */
	_Atomic uint32_t inbox __attribute__((aligned(64)));
};

/* An address range and the tables of its granules. */
struct vnpu_range {
	uint64_t offset;		/* of the pool's base */
	uint64_t granules;
	uint16_t *states;
	uint32_t *links;		/* for messages: the next slot, or 0 */
	struct vnpu_heap heap;
};

struct vnpu_pool_object {
	uint64_t handle;
	uint64_t base;
	uint64_t length;
	struct vnpu_range range[VNPU_RANGES];
	struct vnpu_classes classes;
	uint32_t alignment;
	bool is_compact;
	uint32_t stream_reuse;		/* VNPU_POOL_REUSE_* */
	struct vnpu_tally *tally;	/* if it learns; else NULL */
	struct vnpu_steps *_Atomic steps;	/* set once; NULL before */
	struct vnpu_cache *shared;
	pthread_mutex_t shared_lock;

	pthread_mutex_t lock;
	struct vnpu_heap_account account;	/* under the lock, like the next
						 * ones */
	struct vnpu_cache *idle;		/* caches without a thread */
	uint64_t huge_allocs;
	uint64_t huge_frees;
	uint64_t huge_bytes;
	/* Each is set once; NULL if the cache does not exist. */
	struct vnpu_cache *_Atomic cache[VNPU_CACHES];

	_Atomic uint64_t active;
	_Atomic uint64_t active_peak;
	_Atomic uint64_t bad_frees;
	_Atomic uint32_t shortages;	/* calls of vnpu_pool_gather() */
};

/* cache.c: create a cache; NULL without memory. */
struct vnpu_cache *vnpu_cache_create(struct vnpu_pool_object *pool,
				     uint32_t index);
void vnpu_cache_destroy(struct vnpu_cache *cache);

/* Enable the fast path for sizes up to @most, if the pool has one. */
void vnpu_cache_route(struct vnpu_cache *cache, uint32_t most);

/* Empty bins, outboxes and inbox: free objects go to slabs, or to the heap. */
void vnpu_cache_flush(struct vnpu_cache *cache);

/* Put back an object; the caller has cleared its state. */
void vnpu_cache_put(struct vnpu_cache *cache, unsigned int class,
		    uint32_t granule);

/**
 * vnpu_cache_alloc() - allocate by the slow path
 * @cache: the cache of the thread
 * @size: bytes
 * @align: a power of two
 * @is_object: it has a class, even if the thread has steps
 * @addr: set to the address
 *
 * Return: 0; -EINVAL for a size of 0; -ENOSPC or the error of the provider if
 * the pool has no memory; -ENOMEM without host memory.
 */
int vnpu_cache_alloc(struct vnpu_cache *cache, uint64_t size, uint64_t align,
		     bool is_object, uint64_t *addr);

/**
 * vnpu_cache_free() - free by the slow path
 * @cache: the cache of the thread
 * @addr: any number
 * @only: only this class, or VNPU_CLASS_NONE for any
 *
 * Return: 0; -EPERM for another class; -ENOENT outside the pool; -EINVAL inside
 * a granule or an allocation; -EALREADY if nothing is allocated there.
 */
int vnpu_cache_free(struct vnpu_cache *cache, uint64_t addr, unsigned int only);

/* The public calls without error messages: NULL, or -errno. */
void *vnpu_pool_try_alloc(uint64_t handle, uint64_t size);
int vnpu_pool_try_free(uint64_t handle, uint64_t addr);

/* An allocation at the time of its claim. */
struct vnpu_claim {
	uint64_t addr;
	uint64_t bytes;
	uint32_t reuse;			/* VNPU_POOL_REUSE_*, of the pool */
	uint16_t state;
};

/* The implementation of the next three calls, with a cache. */
int vnpu_pool_mark(struct vnpu_cache *cache, uint64_t addr,
		   struct vnpu_claim *claim);
bool vnpu_pool_unmark(struct vnpu_cache *cache, const struct vnpu_claim *claim);
uint64_t vnpu_pool_round(const struct vnpu_pool_object *pool, uint64_t size);

/*
 * Mark an allocation as freed before it can be reused.  Return the code of
 * vnpu_pool_free_async(), and set its message.  The other call undoes this;
 * it returns false if the program has freed the memory twice, so that it no
 * longer belongs to the claim.
 */
aclError vnpu_pool_claim(uint64_t handle, uint64_t addr,
			 struct vnpu_claim *claim);
bool vnpu_pool_unclaim(uint64_t handle, const struct vnpu_claim *claim);

/* The size of an allocation, or 0, and the reuse rules of streams. */
struct vnpu_reuse {
	uint64_t bytes;
	uint32_t flags;			/* VNPU_POOL_REUSE_* */
};

void vnpu_pool_reuse(uint64_t handle, uint64_t size, struct vnpu_reuse *reuse);

/* slab.c: for the thread of the owner. */
unsigned int vnpu_slab_objects_alloc(struct vnpu_cache *cache,
				     struct vnpu_bin *bin, unsigned int count);
int vnpu_slab_create(struct vnpu_cache *cache, struct vnpu_bin *bin);
void vnpu_slab_object_free(struct vnpu_cache *cache, struct vnpu_bin *bin,
			   uint32_t granule);

/* Return free slabs to the heap. */
void vnpu_slab_release(struct vnpu_cache *cache, struct vnpu_bin *bin);

/* Take pages, with the lock of the pool; a cache without a thread holds it. */
int vnpu_pages_alloc(struct vnpu_cache *cache, enum vnpu_range_kind range,
		     uint32_t pages, uint64_t align, struct vnpu_span **span);

/*
 * remote.c: free for another cache; @state: of the allocation; 0 or -EALREADY.
 */
int vnpu_remote_free(struct vnpu_cache *cache, enum vnpu_range_kind kind,
		     uint32_t granule, uint16_t state);
void vnpu_remote_send(struct vnpu_cache *cache);
/* Receive until this bin has an object; all if it is NULL. */
void vnpu_remote_receive(struct vnpu_cache *cache, const struct vnpu_bin *bin);

/* thread.c */

/* The cache that this thread used last, or one of no pool. */
extern __thread struct vnpu_cache *vnpu_thread_cache;

/*
 * Get the cache of this thread for a pool.  If it is the shared one, its lock
 * is held until vnpu_thread_put().  NULL if @handle is not a live pool.
 */
struct vnpu_cache *vnpu_thread_get(uint64_t handle);
void vnpu_thread_put(struct vnpu_cache *cache);

/* Get the last pool of this thread, if it has this address; or 0. */
static inline uint64_t vnpu_thread_owner(uint64_t addr)
{
	const struct vnpu_cache *cache = vnpu_thread_cache;
	uint64_t length = cache->paged_offset +
			  (cache->paged_granules << VNPU_PAGED_SHIFT);

	return addr - cache->base < length ? cache->handle : 0;
}

/* Add a pool and set its handle; 0, or -EMFILE if there are too many. */
int vnpu_registry_add(struct vnpu_pool_object *pool);

/* Remove a pool, so that lookups fail; returns it, or NULL. */
struct vnpu_pool_object *vnpu_registry_remove(uint64_t handle);

/* Find the pool that has this address, or 0. */
uint64_t vnpu_registry_find(uint64_t addr);

/* Find a pool of this provider, at @index or later; or 0. */
uint64_t vnpu_registry_next(const struct vnpu_pool_provider *provider,
			    int *index);

/* Trim the pools of this provider; true if there are any. */
bool vnpu_registry_trim(const struct vnpu_pool_provider *provider);

/* Check whether a pool has this provider. */
bool vnpu_registry_has(uint64_t handle,
		       const struct vnpu_pool_provider *provider);

/* Check whether there are no pools, without a lock. */
bool vnpu_registry_is_empty(void);

/* pool.c; @pattern: the profile, or NULL. */
int vnpu_pool_object_create(const struct vnpu_pool_config *config,
			    const struct vnpu_pattern *pattern,
			    uint64_t *handle);
void vnpu_pool_object_destroy(struct vnpu_pool_object *pool);

/*
 * Empty the cache of this thread and the shared one.  The other threads receive
 * all frees at their next call on a slow path.
 */
void vnpu_pool_gather(struct vnpu_cache *cache);
void vnpu_pool_reclaim(struct vnpu_pool_object *pool);
void vnpu_pool_trim_to(struct vnpu_cache *cache, uint64_t keep);
void vnpu_pool_defragment_to(struct vnpu_cache *cache, uint64_t keep);
void vnpu_pool_trim_heaps(struct vnpu_pool_object *pool, uint64_t keep);
void vnpu_pool_forget_peaks(struct vnpu_pool_object *pool);
void vnpu_pool_count(struct vnpu_pool_object *pool,
		     struct vnpu_pool_stats *stats);
void vnpu_pool_note(struct vnpu_pool_object *pool, int64_t bytes);

/* Count an allocation or a free without a class. */
void vnpu_pool_note_huge(struct vnpu_pool_object *pool, int64_t bytes);

/* learn.c: save what a pool has learned, if it learns. */
aclError vnpu_pool_learned(uint64_t handle, const char *path);

/* call.c: report the failure of a call; returns NULL, or the code. */
void *vnpu_pool_alloc_slow(uint64_t handle, uint64_t size);
void *vnpu_pool_object_slow(uint64_t handle, uint64_t size);
aclError vnpu_pool_free_slow(uint64_t handle, uint64_t addr, unsigned int only);
aclError vnpu_pool_bad(uint64_t handle);

/* For reads of data that other threads write without synchronization. */
#if defined(__SANITIZE_THREAD__)
#define VNPU_RACY __attribute__((no_sanitize("thread"), noinline))
#else
#define VNPU_RACY
#endif

/* Pack the state of a granule: the number of its cache, and its class. */
static inline uint16_t vnpu_state_pack(uint32_t cache, uint32_t class)
{
	return class << VNPU_STATE_CLASS_SHIFT |
	       (cache & VNPU_STATE_CACHE_LOW) |
	       (cache & ~VNPU_STATE_CACHE_LOW) << VNPU_STATE_CACHE_SHIFT;
}

static inline uint32_t vnpu_state_class(uint16_t state)
{
	return (state & VNPU_STATE_CLASS) >> VNPU_STATE_CLASS_SHIFT;
}

/* Get the cache's number, or 0 if the allocation has pages of its own. */
static inline uint32_t vnpu_state_cache(uint16_t state)
{
	return (state & VNPU_STATE_CACHE_LOW) |
	       (state & VNPU_STATE_CACHE_HIGH) >> VNPU_STATE_CACHE_SHIFT;
}

/* Read the state of a granule, which two threads may access. */
static inline uint16_t vnpu_state_read(const uint16_t *state)
{
	return __atomic_load_n(state, __ATOMIC_RELAXED);
}

static inline void vnpu_state_write(uint16_t *state, uint16_t value)
{
	__atomic_store_n(state, value, __ATOMIC_RELAXED);
}

#endif /* VNPU_LIB_POOL_POOL_H */
