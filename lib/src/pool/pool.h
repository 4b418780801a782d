/* SPDX-License-Identifier: MIT */
/*
 * Pools: what their files share.
 *
 *	class.c		sizes
 *	heap.c		pages of chunks
 *	heap_span.c	runs of them
 *	heap_grow.c	chunks
 *	slab.c		objects of slabs
 *	hit.h		caches of threads: what most calls end in
 *	cache.c		what is behind that
 *	remote.c	frees of what another thread allocated
 *	thread.c	which cache a thread has; fork()
 *	pool.c		making, trimming and telling about pools
 *	call.c		the public calls and their errors
 *	provider.c	memory of a device for them
 *	default.c	pools under aclrtMalloc()
 *	async.c		frees in the order of streams
 *	objects.c	allocations of one size and kind
 *	pattern.c	what a run asks for
 *	pattern_file.c	that as a file
 *	learn.c		making and using these files
 *	steps.c		periodic workloads
 *	step_record.c	what they ask for, and the plan of it
 *
 * A pool has three ranges of addresses, see class.h.  Of each granule there is a
 * state of 16 bits on the host: 0, or that an allocation begins there, of which
 * class, and which cache it is from.  One comparison of it tells whether a
 * pointer may be freed, whether that is for this thread, and where it goes.
 *
 * A slab belongs to a cache, and a cache to a thread, or to none when that has
 * ended, until another takes it.  So a state is written by one thread, but for
 * the bit by which another one says that it has freed the object; that one then
 * goes through the owner's inbox.  If the owner frees it at the same time, its
 * write may undo the bit, and the message is of an object that it has no more:
 * see remote.c for what keeps that harmless.
 *
 * Locks: async.c's > registry > shared > steps > pool.  The heaps and the list of caches without a
 * thread are under that of the pool; what such a cache has is under it as well.
 * The shared cache, of those threads that get none, is under the shared one.
 */
#ifndef VNPU_LIB_POOL_POOL_H
#define VNPU_LIB_POOL_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fork.h"
#include "pool/class.h"
#include "pool/heap.h"
#include "pool/pattern.h"

#define VNPU_CACHES		256	/* 0 is none, the last is shared */
#define VNPU_CACHE_SHARED	(VNPU_CACHES - 1)

/* A state: class, cache, and whether another thread has freed it. */
#define VNPU_STATE_CACHE_SHIFT	7
#define VNPU_STATE_REMOTE	0x8000U

/* Freed, and not to be given back by any message: no class. */
#define VNPU_STATE_HELD(state)	((state) / VNPU_CLASSES * VNPU_CLASSES | \
				 VNPU_STATE_REMOTE)

/*
 * A granule in messages: its number, from 1 on, and above that its range.  So a
 * link of 0 is of a granule that is in no message.
 */
#define VNPU_SLOT_RANGE_SHIFT	30
#define VNPU_SLOT_NONE		UINT32_MAX

/* What a message of freed objects holds at most. */
#define VNPU_REMOTE_BATCH	32
#define VNPU_OUTBOXES		4

struct vnpu_pool_object;

/* The objects of a class that a thread has at hand; one cache line. */
struct vnpu_bin {
	uint32_t *top;			/* behind the last granule */
	uint32_t *base;
	uint32_t *limit;
	uint16_t *states;		/* of the range */
	uint64_t addr;			/* of granule 0 */
	uint64_t allocs;
	struct vnpu_span *slabs;	/* with free objects */
	uint32_t handed;		/* objects out of slabs */
	uint16_t state;			/* of what is allocated */
	uint8_t shift;			/* of a granule */
	uint8_t class;
};

/* Objects of another cache, on their way there. */
struct vnpu_outbox {
	uint32_t first;
	uint32_t last;
	uint16_t count;
	uint16_t owner;
};

/* The hit path reads the first lines, and a bin. */
struct vnpu_cache {
	uint64_t handle;		/* of its pool; 0 after that ended */
	uint64_t base;			/* of the fine range */
	uint64_t fine_granules;
	uint64_t coarse_offset;
	uint64_t coarse_granules;
	uint16_t *fine_states;
	uint16_t *coarse_states;
	uint64_t paged_offset;
	uint64_t paged_granules;
	uint16_t *paged_states;
	uint32_t tag;			/* its number, where states have it */
	uint32_t index;
	uint16_t by_64[VNPU_BY_64];	/* where its bin is in this struct */
	uint16_t by_page[VNPU_BY_PAGE];
	struct vnpu_bin bins[VNPU_CLASSES] __attribute__((aligned(64)));

	struct vnpu_pool_object *pool;
	uint32_t *stacks;
	struct vnpu_cache *next;	/* of those without a thread */
	bool has_thread;
	struct vnpu_outbox outbox[VNPU_OUTBOXES];
	uint64_t remote_frees;		/* by this cache's thread */
	/* Written by other threads. */
	_Atomic uint32_t inbox __attribute__((aligned(64)));
};

/* A range of addresses and what is known of its granules. */
struct vnpu_range {
	uint64_t offset;		/* of the pool's base */
	uint64_t granules;
	uint16_t *states;
	uint32_t *links;		/* of messages: the next slot, or 0 */
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
	struct vnpu_heap_account account;	/* under it, as the next ones */
	struct vnpu_cache *idle;		/* caches without a thread */
	uint64_t huge_allocs;
	uint64_t huge_frees;
	uint64_t huge_bytes;
	/* Set once each; NULL if there is no such cache. */
	struct vnpu_cache *_Atomic cache[VNPU_CACHES];

	_Atomic uint64_t active;
	_Atomic uint64_t active_peak;
	_Atomic uint64_t bad_frees;
};

/* cache.c; NULL without memory. */
struct vnpu_cache *vnpu_cache_create(struct vnpu_pool_object *pool,
				     uint32_t index);
void vnpu_cache_destroy(struct vnpu_cache *cache);

/* Allocations of at most @most bytes may be hits, if any of the pool may. */
void vnpu_cache_route(struct vnpu_cache *cache, uint32_t most);

/* Empty bins, outboxes and inbox: what is free is in slabs, or in the heap. */
void vnpu_cache_flush(struct vnpu_cache *cache);

/* Put an object back whose state has been cleared. */
void vnpu_cache_give(struct vnpu_cache *cache, unsigned int class,
		     uint32_t granule);

/**
 * vnpu_pool_take() - allocate what is not in the thread's cache
 * @cache: the thread's
 * @size: bytes
 * @align: a power of two
 * @is_object: it has a class, also where the thread has steps
 * @addr: set to the address
 *
 * Return: 0; -EINVAL for a size of 0; -ENOSPC or what the provider said when
 * there is no memory of the pool; -ENOMEM for none of the host.
 */
int vnpu_pool_take(struct vnpu_cache *cache, uint64_t size, uint64_t align,
		   bool is_object, uint64_t *addr);

/**
 * vnpu_pool_give() - free what the hit path could not
 * @cache: the thread's
 * @addr: any number
 * @only: of this class; or VNPU_CLASS_NONE, of any
 *
 * Return: 0; -EPERM for another class; -ENOENT where nothing of the pool is;
 * -EINVAL inside of a granule or an allocation; -EALREADY where nothing is
 * allocated.
 */
int vnpu_pool_give(struct vnpu_cache *cache, uint64_t addr, unsigned int only);

/* The public calls without what they tell of a failure: NULL, or -errno. */
void *vnpu_pool_try_alloc(uint64_t handle, uint64_t size);
int vnpu_pool_try_free(uint64_t handle, uint64_t addr);

/* What was allocated when it was claimed. */
struct vnpu_claim {
	uint64_t addr;
	uint64_t bytes;
	uint32_t reuse;			/* VNPU_POOL_REUSE_*, of the pool */
	uint16_t state;
};

/* What the next three calls do, with a cache. */
int vnpu_pool_mark(struct vnpu_cache *cache, uint64_t addr,
		   struct vnpu_claim *claim);
bool vnpu_pool_unmark(struct vnpu_cache *cache, const struct vnpu_claim *claim);
uint64_t vnpu_pool_round(const struct vnpu_pool_object *pool, uint64_t size);

/*
 * Mark an allocation as freed, although nobody gets it yet: the code of a call,
 * told as one of vnpu_pool_free_async().  Undone by the other, unless the
 * program has freed it twice and it is not ours any more: then false.
 */
aclError vnpu_pool_claim(uint64_t handle, uint64_t addr,
			 struct vnpu_claim *claim);
bool vnpu_pool_unclaim(uint64_t handle, const struct vnpu_claim *claim);

/* What an allocation takes, or 0, and what streams may have of each other. */
struct vnpu_reuse {
	uint64_t bytes;
	uint32_t flags;			/* VNPU_POOL_REUSE_* */
};

void vnpu_pool_reuse(uint64_t handle, uint64_t size, struct vnpu_reuse *reuse);

/* slab.c: of the owner's thread. */
unsigned int vnpu_slab_take(struct vnpu_cache *cache, struct vnpu_bin *bin,
			    unsigned int count);
int vnpu_slab_create(struct vnpu_cache *cache, struct vnpu_bin *bin);
void vnpu_slab_give(struct vnpu_cache *cache, struct vnpu_bin *bin,
		    uint32_t granule);

/* Give those back that are free. */
void vnpu_slab_release(struct vnpu_cache *cache, struct vnpu_bin *bin);

/* Pages, with the pool's lock; a cache without a thread has it already. */
int vnpu_pages_take(struct vnpu_cache *cache, enum vnpu_range_kind range,
		    uint32_t pages, uint64_t align, struct vnpu_span **span);

/* remote.c; @state: of what is allocated there; 0 or -EALREADY. */
int vnpu_remote_give(struct vnpu_cache *cache, enum vnpu_range_kind kind,
		     uint32_t granule, uint16_t state);
void vnpu_remote_send(struct vnpu_cache *cache);
void vnpu_remote_receive(struct vnpu_cache *cache);

/* thread.c */

/*
 * The cache used last by this thread, or one that is of no pool.  It is reached
 * in the way that costs some instructions more, but needs no room that programs
 * set aside at their start: the library may be loaded by dlopen().
 */
extern __thread struct vnpu_cache *vnpu_thread_cache;

/*
 * The cache of this thread for a pool.  Where it is the shared one, its lock is
 * held until vnpu_thread_put().  NULL if @handle is of no pool that lives.
 */
struct vnpu_cache *vnpu_thread_get(uint64_t handle);
void vnpu_thread_put(struct vnpu_cache *cache);

/* The pool that this thread used last, if these are its addresses; or 0. */
static inline uint64_t vnpu_thread_owner(uint64_t addr)
{
	const struct vnpu_cache *cache = vnpu_thread_cache;
	uint64_t length = cache->paged_offset +
			  (cache->paged_granules << VNPU_PAGED_SHIFT);

	return addr - cache->base < length ? cache->handle : 0;
}

/* 0, or -EMFILE when there are too many; sets the handle. */
int vnpu_registry_add(struct vnpu_pool_object *pool);

/* The pool, which nobody finds any more, or NULL. */
struct vnpu_pool_object *vnpu_registry_remove(uint64_t handle);

/* The pool whose addresses these are, or 0. */
uint64_t vnpu_registry_find(uint64_t addr);

/* A pool that has its memory from there, @index or later; or 0. */
uint64_t vnpu_registry_next(const struct vnpu_pool_provider *provider,
			    int *index);

/* Give back what pools have free that have it from there; whether there are. */
bool vnpu_registry_trim(const struct vnpu_pool_provider *provider);

/* Whether it is a pool that has its memory from there. */
bool vnpu_registry_has(uint64_t handle,
		       const struct vnpu_pool_provider *provider);

/* Whether there are no pools; costs nothing. */
bool vnpu_registry_is_empty(void);

/* pool.c; @pattern: what to begin with, or NULL. */
int vnpu_pool_make(const struct vnpu_pool_config *config,
		   const struct vnpu_pattern *pattern, uint64_t *handle);
void vnpu_pool_unmake(struct vnpu_pool_object *pool);

/* Empty this thread's cache and the shared one. */
void vnpu_pool_gather(struct vnpu_cache *cache);
void vnpu_pool_reclaim(struct vnpu_pool_object *pool);
void vnpu_pool_trim_to(struct vnpu_cache *cache, uint64_t keep);
void vnpu_pool_defragment_to(struct vnpu_cache *cache, uint64_t keep);
void vnpu_pool_trim_heaps(struct vnpu_pool_object *pool, uint64_t keep);
void vnpu_pool_forget_peaks(struct vnpu_pool_object *pool);
void vnpu_pool_count(struct vnpu_pool_object *pool,
		     struct vnpu_pool_stats *stats);
void vnpu_pool_note(struct vnpu_pool_object *pool, int64_t bytes);

/* What has no class was allocated, or freed. */
void vnpu_pool_note_huge(struct vnpu_pool_object *pool, int64_t bytes);

/* learn.c: save what a pool has learned, which it may not be to; for @call. */
aclError vnpu_pool_learned(const char *call, uint64_t handle,
			   const char *path);

/* call.c: what to say of a call that failed; NULL, or the code. */
void *vnpu_pool_alloc_slow(const char *call, uint64_t handle, uint64_t size);
void *vnpu_pool_object_slow(const char *call, uint64_t handle, uint64_t size);
aclError vnpu_pool_free_slow(const char *call, uint64_t handle, uint64_t addr,
			     unsigned int only);
aclError vnpu_pool_bad(const char *call, uint64_t handle);

/* Of the other threads, which write on without regard. */
#if defined(__SANITIZE_THREAD__)
#define VNPU_RACY __attribute__((no_sanitize("thread"), noinline))
#else
#define VNPU_RACY
#endif

/* The state of a granule, which two threads may look at. */
static inline uint16_t vnpu_state_read(const uint16_t *state)
{
	return __atomic_load_n(state, __ATOMIC_RELAXED);
}

static inline void vnpu_state_write(uint16_t *state, uint16_t value)
{
	__atomic_store_n(state, value, __ATOMIC_RELAXED);
}

#endif /* VNPU_LIB_POOL_POOL_H */
