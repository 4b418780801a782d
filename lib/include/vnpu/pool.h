/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: pools of memory.
 *
 * A pool takes memory from the device in chunks of 2 MiB or more and divides it
 * into small pieces of up to 256 bytes, medium ones of up to 64 KiB and large
 * ones.  Each thread has its own cache in each pool, so most calls neither
 * enter the kernel nor contend with another thread.  A pool keeps its
 * bookkeeping in host memory.
 *
 * Any thread may call these functions at any time unless noted otherwise, and
 * may free memory that another thread has allocated.  A child of fork() has no
 * pools. vnpu_pool_destroy() or the reset of its device ends a pool.  No thread
 * may be in a call on the pool at that time, and its handle is invalid
 * afterwards.
 */
#ifndef VNPU_POOL_H
#define VNPU_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef VNPU_PUBLIC
#ifdef __GNUC__
#define VNPU_PUBLIC __attribute__((visibility("default")))
#else
#define VNPU_PUBLIC
#endif
#endif

/* A number, not an address: each call looks it up. */
typedef struct vnpu_pool *vnpu_pool_t;

/* Limit on the pools of a process. */
#define VNPU_POOL_MAX		32

/**
 * struct vnpu_pool_provider - the source of a pool's memory
 * @reserve: reserve @length addresses, a multiple of 2 MiB, aligned to one, and
 *	set @base to the first; the pool never accesses the memory there
 * @release: release these addresses; no memory is mapped there any more
 * @map: map memory to @length of these addresses from @addr on, both multiples
 *	of 2 MiB, or of the configuration's @remap
 * @unmap: unmap all that one call of @map has mapped; it must not fail
 * @move: move the memory of one call of @map, @length bytes at @from, to the
 *	addresses from @to on, where nothing is mapped.  Its contents may be
 *	lost.  If it fails it must not change anything.  NULL if memory cannot
 *	move
 * @user: passed to these functions
 *
 * The functions return 0 or a negative errno.  The pool calls them with its
 * lock held, so they must not call the pool.
 */
struct vnpu_pool_provider {
	int (*reserve)(void *user, uint64_t length, uint64_t *base);
	void (*release)(void *user, uint64_t base, uint64_t length);
	int (*map)(void *user, uint64_t addr, uint64_t length);
	void (*unmap)(void *user, uint64_t addr, uint64_t length);
	int (*move)(void *user, uint64_t from, uint64_t to, uint64_t length);
	void *user;
};

/* The purpose of a pool. */
enum vnpu_pool_type {
	VNPU_POOL_THREADED,	/* with caches per thread; sizes rounded up */
	VNPU_POOL_COMPACT,	/* without: all threads see a free at once, and
				 * sizes over 64 KiB are only rounded up to
				 * 4 KiB */
};

/*
 * Conditions on which a stream may reuse memory that another stream has freed
 * with vnpu_pool_free_async(), like the attributes of AscendCL's pools.
 */
#define VNPU_POOL_REUSE_EVENTS	(1U << 0)	/* it waits for an event that
						 * was recorded after the free */
#define VNPU_POOL_REUSE_DONE	(1U << 1)	/* the other stream has already
						 * reached the free */
#define VNPU_POOL_REUSE_WAIT	(1U << 2)	/* no other memory is left; the
						 * stream then waits */

/**
 * struct vnpu_pool_config - the configuration of a pool
 * @size: sizeof(struct vnpu_pool_config)
 * @type: enum vnpu_pool_type
 * @limit: bytes that it may take, or 0 for no limit
 * @chunk: bytes that it takes at a time at least; a power of two from 2 MiB to
 *	1 GiB
 * @reuse: 0 to return a chunk to the device as soon as it is free; else
 *	@reuse_threshold applies
 * @reuse_threshold: bytes that may be free and stay in the pool; beyond, the
 *	pool returns free chunks.  It also returns them when this process runs
 *	out of device memory
 * @alignment: alignment of all allocations: a power of two from 64 to 4096
 * @provider: source of the memory, which is copied; NULL for the current device
 * @profile: a file of vnpu_pool_save_profile(), or NULL.  The pool does not
 *	round up the sizes in it.  At the first need it takes as much memory as
 *	the profile shows in one call, if the device has that much
 * @learn: 1 to count the requests, for vnpu_pool_save_profile(); each
 *	allocation then takes about ten times as long
 * @stream_reuse: VNPU_POOL_REUSE_* flags
 * @defrag_threshold: free memory in percent of the memory that the pool has
 *	taken, above which a request moves memory instead of taking more, if no
 *	free run is long enough.  0 for never, unless the request would fail.
 *	Only with @remap
 * @remap: 0; or a power of two from 64 KiB to 2 MiB: the unit in which the pool
 *	takes memory, each by its own call.  Units without allocations can move
 *	to other addresses, see vnpu_pool_defragment().  Calls that share
 *	memory, or return its properties, apply to the unit
 */
struct vnpu_pool_config {
	uint32_t size;
	uint32_t type;
	uint64_t limit;
	uint64_t chunk;
	uint32_t reuse;
	uint32_t alignment;
	uint64_t reuse_threshold;
	const struct vnpu_pool_provider *provider;
	const char *profile;
	uint32_t learn;
	uint32_t stream_reuse;
	uint32_t defrag_threshold;
	uint32_t remap;
};

/**
 * struct vnpu_pool_stats - the statistics of a pool
 * @size: sizeof(struct vnpu_pool_stats), set by the caller
 * @flags: 0
 * @allocated: bytes that the program has allocated, after rounding up
 * @active: @allocated, and the bytes in caches of threads
 * @reserved: bytes of all chunks
 * @inactive_split: free bytes in chunks that are partly allocated
 * @idle: bytes of free chunks
 * @active_peak: greatest @active
 * @reserved_peak: greatest @reserved
 * @allocs: successful allocations
 * @frees: successful frees
 * @maps: chunks that were taken
 * @unmaps: chunks that were returned
 * @remote_frees: frees of memory that another thread had allocated
 * @bad_frees: frees that were refused
 * @fragmentation: @inactive_split in per mille of @reserved
 * @caches: caches of threads, including threads that have ended
 * @steps: steps that have ended, see vnpu_pool_step()
 * @steps_replayed: the number of these in which every planned request got its
 *	place
 * @planned: bytes of the plan, or 0; they count in @active only where they are
 *	allocated
 * @moves: units of memory that moved to other addresses
 *
 * Concurrent calls of other threads may be counted in one field and not yet in
 * another.  Memory that another thread has freed counts in @allocated, and its
 * free not in @frees, until the thread that allocated it takes it back.
 */
struct vnpu_pool_stats {
	uint32_t size;
	uint32_t flags;
	uint64_t allocated;
	uint64_t active;
	uint64_t reserved;
	uint64_t inactive_split;
	uint64_t idle;
	uint64_t active_peak;
	uint64_t reserved_peak;
	uint64_t allocs;
	uint64_t frees;
	uint64_t maps;
	uint64_t unmaps;
	uint64_t remote_frees;
	uint64_t bad_frees;
	uint32_t fragmentation;
	uint32_t caches;
	uint64_t steps;
	uint64_t steps_replayed;
	uint64_t planned;
	uint64_t moves;
};

/**
 * vnpu_pool_config_init() - set a configuration to the defaults
 * @config: set to: threaded, no limit, chunks of 2 MiB, reuse of all free
 *	memory, alignment of 64 bytes, the device as provider, no profile, all
 *	reuse by streams, a @defrag_threshold of 30, and no @remap
 */
VNPU_PUBLIC void vnpu_pool_config_init(struct vnpu_pool_config *config);

/**
 * vnpu_pool_create() - create a pool
 * @pool: set to the pool
 * @config: its configuration, or NULL for the defaults
 *
 * Only reserves addresses; takes no memory of the device yet.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for an invalid configuration,
 * ACL_ERROR_RT_CONTEXT_NULL without a current device or provider,
 * ACL_ERROR_RT_MEMORY_ALLOCATION without addresses, ACL_ERROR_BAD_ALLOC without
 * host memory, or beyond VNPU_POOL_MAX pools; ACL_ERROR_INVALID_FILE for a
 * profile that cannot be read, ACL_ERROR_PARSE_FILE for a malformed one:
 * aclGetRecentErrMsg() reports the line and the reason.
 */
VNPU_PUBLIC aclError vnpu_pool_create(vnpu_pool_t *pool,
	const struct vnpu_pool_config *config);

/**
 * vnpu_pool_destroy() - destroy a pool and all its allocations
 * @pool: the pool
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for an unknown pool.
 */
VNPU_PUBLIC aclError vnpu_pool_destroy(vnpu_pool_t pool);

/**
 * vnpu_pool_alloc() - allocate memory from a pool
 * @pool: the pool
 * @size: bytes, at least 1
 *
 * Return: the address, a multiple of the pool's alignment; or NULL.  Then
 * aclrtGetLastError() returns the code and aclGetRecentErrMsg() the reason:
 * ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_MEMORY_ALLOCATION, or
 * ACL_ERROR_BAD_ALLOC without host memory.
 */
VNPU_PUBLIC void *vnpu_pool_alloc(vnpu_pool_t pool, size_t size);

/**
 * vnpu_pool_alloc_aligned() - allocate memory with a given alignment
 * @pool: the pool
 * @size: bytes, at least 1
 * @alignment: a power of two, at most 1 GiB
 *
 * Return: as vnpu_pool_alloc().
 */
VNPU_PUBLIC void *vnpu_pool_alloc_aligned(vnpu_pool_t pool, size_t size,
	size_t alignment);

/**
 * vnpu_pool_free() - free memory of a pool
 * @pool: the pool
 * @ptr: an address that an allocation call has returned
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID if @ptr is not allocated from
 * this pool, or was freed before.
 */
VNPU_PUBLIC aclError vnpu_pool_free(vnpu_pool_t pool, void *ptr);

/**
 * struct vnpu_pool_objects - objects of one size and alignment
 * @pool: the pool that they are allocated from
 * @bytes: bytes that each object occupies
 * @kind: a number within the pool; kinds of the same @bytes share it
 * @reserved: 0
 *
 * vnpu_pool_objects_init() sets it; it is constant from then on, and need not
 * be destroyed.
 */
struct vnpu_pool_objects {
	vnpu_pool_t pool;
	uint64_t bytes;
	uint32_t kind;
	uint32_t reserved;
};

/**
 * vnpu_pool_objects_init() - describe objects of one size and alignment
 * @objects: set to the description
 * @pool: the pool
 * @size: bytes of each, from 1 to 64 KiB
 * @alignment: a power of two, at most 4096
 *
 * Takes no memory.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown pool, or an invalid size or
 * alignment.
 */
VNPU_PUBLIC aclError vnpu_pool_objects_init(struct vnpu_pool_objects *objects,
	vnpu_pool_t pool, size_t size, size_t alignment);

/**
 * vnpu_pool_objects_alloc() - allocate an object, as fast as vnpu_pool_alloc()
 * @objects: its kind
 *
 * Return: as vnpu_pool_alloc(); also NULL with ACL_ERROR_INVALID_PARAM for
 * NULL.
 */
VNPU_PUBLIC void *
vnpu_pool_objects_alloc(const struct vnpu_pool_objects *objects);

/**
 * vnpu_pool_objects_free() - free an object, as vnpu_pool_free() also does
 * @objects: its kind
 * @ptr: the object
 *
 * Return: as vnpu_pool_free(); also ACL_ERROR_RT_PARAM_INVALID if @ptr is
 * allocated but not of this kind, and ACL_ERROR_INVALID_PARAM if @objects is
 * NULL.
 */
VNPU_PUBLIC aclError
vnpu_pool_objects_free(const struct vnpu_pool_objects *objects, void *ptr);

/**
 * vnpu_pool_free_async() - free memory in stream order
 * @pool: the pool
 * @ptr: as of vnpu_pool_free()
 * @stream: a stream of the current context, or NULL for its default one
 *
 * The program must not use the memory in work that it submits to the stream
 * from now on. vnpu_pool_alloc_async() may give the memory to the same stream
 * again at once, and to other streams as @stream_reuse of the configuration
 * says.  Until then vnpu_pool_get_stats() counts it as allocated.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID as vnpu_pool_free();
 * ACL_ERROR_RT_INVALID_HANDLE for an unknown stream; ACL_ERROR_RT_CONTEXT_NULL;
 * ACL_ERROR_BAD_ALLOC.
 */
VNPU_PUBLIC aclError vnpu_pool_free_async(vnpu_pool_t pool, void *ptr,
	aclrtStream stream);

/**
 * vnpu_pool_alloc_async() - allocate memory for the use of one stream
 * @pool: the pool
 * @size: bytes, at least 1
 * @stream: a stream of the current context, or NULL for its default one
 *
 * Only this stream, or a stream that waits for it, may use the memory, because
 * earlier work of the stream, or of one that it waits for, may still use the
 * memory for its previous purpose.  If no other memory is left, the pool makes
 * the stream wait for one that has freed enough, or else this call waits for
 * all streams that have freed memory.
 *
 * Return: as vnpu_pool_alloc(); also NULL with ACL_ERROR_RT_INVALID_HANDLE or
 * ACL_ERROR_RT_CONTEXT_NULL if the stream is unknown.
 */
VNPU_PUBLIC void *vnpu_pool_alloc_async(vnpu_pool_t pool, size_t size,
	aclrtStream stream);

/**
 * vnpu_pool_step() - begin a step of a periodic workload
 * @pool: the pool
 *
 * A program that requests the same memory over and over, such as the training
 * of a network, calls this at the beginning of each round; the call ends the
 * previous step.  From then on the pool records the calling thread's requests,
 * except those of up to 4032 bytes and those for objects of a kind.  After two
 * consecutive steps with the same sizes in the same order, the pool makes a
 * plan for all memory that was freed before its step ended, as
 * vnpu_plan_solve() does.  It returns its free memory and takes that of the
 * plan.  From the next step on, the number of a request in the step determines
 * its place.  There are no gaps between the tensors, and they have the same
 * addresses in each step.
 *
 * A step may depart from the plan.  From the first different request on, it
 * gets memory outside the plan.  After two such steps in a row the pool ends
 * the plan, or makes a new one if these two steps were the same.  If a place is
 * still allocated because it is freed later than before, the request gets other
 * memory; if this happens in consecutive steps, the pool makes a new plan.
 * Memory that outlives its step is not planned. vnpu_pool_trim() does not
 * return the memory of the plan; but if no other memory is left and nothing is
 * allocated in the plan, the plan ends.
 *
 * Any thread may free the memory of a step, also later.  Other threads allocate
 * as usual.  An allocation and its free take about 200 ns together.  Finding
 * the plan takes up to a second for thousands of requests.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID for an unknown pool, and if
 * another thread that has not ended and not called vnpu_pool_step_end() has
 * steps in this pool; ACL_ERROR_BAD_ALLOC.
 */
VNPU_PUBLIC aclError vnpu_pool_step(vnpu_pool_t pool);

/**
 * vnpu_pool_step_end() - end the steps of a workload
 * @pool: the pool
 *
 * Ends the current step, and the plan.  Its memory becomes free when nothing is
 * allocated there.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID for an unknown pool, or if
 * the steps do not belong to the calling thread.
 */
VNPU_PUBLIC aclError vnpu_pool_step_end(vnpu_pool_t pool);

/**
 * vnpu_pool_trim() - return free chunks to the device
 * @pool: the pool
 * @keep: free bytes that may stay in the pool
 *
 * First empties the caches of the calling thread and of threads that have
 * ended.
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for an unknown pool.
 */
VNPU_PUBLIC aclError vnpu_pool_trim(vnpu_pool_t pool, uint64_t keep);

/**
 * vnpu_pool_defragment() - gather the free memory of a pool
 * @pool: the pool
 * @keep: free bytes that may stay in the pool
 *
 * Returns chunks as vnpu_pool_trim() does.  If the configuration of the pool
 * has @remap, the remaining free memory then moves: units without allocations
 * move from between others to consecutive addresses, so that one request can
 * use all of them.  The pool copies nothing, and allocations keep their
 * addresses.
 *
 * Such a pool also does this by itself, as far as a request needs it, if the
 * request would fail otherwise, or as @defrag_threshold says.  Memory freed
 * with vnpu_pool_free_async() does not move before its stream has reached the
 * free.  Other threads only wait if they need memory that their caches do not
 * have.
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for an unknown pool.
 */
VNPU_PUBLIC aclError vnpu_pool_defragment(vnpu_pool_t pool, uint64_t keep);

/**
 * vnpu_pool_set_limit() - limit the memory that a pool may take
 * @pool: the pool
 * @limit: bytes, or 0 for no limit; the pool keeps what it has taken beyond it
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for an unknown pool.
 */
VNPU_PUBLIC aclError vnpu_pool_set_limit(vnpu_pool_t pool, uint64_t limit);

/**
 * vnpu_pool_get_stats() - get the statistics of a pool
 * @pool: the pool
 * @stats: filled, up to its size
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown pool, a size below 8 or above that
 * of the struct, or flags.
 */
VNPU_PUBLIC aclError vnpu_pool_get_stats(vnpu_pool_t pool,
	struct vnpu_pool_stats *stats);

/**
 * vnpu_pool_reset_peaks() - reset the peaks to the current values
 * @pool: the pool
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for an unknown pool.
 */
VNPU_PUBLIC aclError vnpu_pool_reset_peaks(vnpu_pool_t pool);

/**
 * vnpu_pool_save_profile() - write the profile of a pool to a file
 * @pool: a pool with @learn in its configuration
 * @path: the file, which is replaced as a whole
 *
 * The file is text.  Each line is a word and up to two numbers:
 *
 *	vnpu-pool-profile 1	its version
 *	requests 250000		requests served
 *	fine 4194304		peak bytes of chunks for sizes below 4 KiB, a
 *				multiple of 2 MiB
 *	coarse 0		the same for sizes up to 64 KiB
 *	paged 69206016		the same for larger sizes
 *	size 401408 125000	a size of over 1 % of the requests, and their
 *	size 802816 62500	number; the most frequent size comes first
 *	end
 *
 * Sizes are rounded up to 64 bytes below 4 KiB, to 256 up to 64 KiB, and to 4
 * KiB up to 2 MiB; larger ones have no size class.  The first 20 or so sizes
 * that have no class yet get one.
 *
 * With VNPU_POOL_PROFILE=FILE in the environment, pools that VNPU_POOL=1
 * creates load that file if it exists.  Otherwise they learn. aclFinalize(),
 * the reset of their device or the exit of the program then writes the file.
 * If there are several pools, the last one replaces the file.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL;
 * ACL_ERROR_RT_PARAM_INVALID for an unknown pool, or one that does not learn;
 * ACL_ERROR_WRITE_FILE.
 */
VNPU_PUBLIC aclError vnpu_pool_save_profile(vnpu_pool_t pool,
	const char *path);

/**
 * vnpu_pool_set_default() - let aclrtMalloc() allocate from a pool
 * @pool: a pool of the current device's memory; or NULL, to let aclrtMalloc()
 *	allocate from the driver again
 *
 * With VNPU_POOL=1 in the environment each device has such a pool from its
 * first allocation on.  The pool only serves requests without a page size:
 * ACL_MEM_MALLOC_HUGE_FIRST, its P2P variant, and unknown policies.  If the
 * pool has no room, the driver serves the request.
 *
 * aclrtFree() frees memory of any pool.  The pool may reuse freed memory at
 * once and does not clear it, so no stream may still use it.  Calls that return
 * the properties of a memory block, or share it, apply to the chunk that
 * contains it.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID for an unknown pool, or one
 * of other memory; ACL_ERROR_RT_CONTEXT_NULL without a current device.
 */
VNPU_PUBLIC aclError vnpu_pool_set_default(vnpu_pool_t pool);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_POOL_H */
