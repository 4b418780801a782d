/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: pools of memory.
 *
 * A pool takes memory from the device in chunks of 2 MiB or more and hands out
 * pieces of it: small ones of up to 256 bytes, medium ones of up to 64 KiB and
 * large ones.  Each thread has a cache of its own in each pool, so that most
 * calls neither enter the kernel nor meet another thread.  All that a pool
 * keeps about its memory is on the host.
 *
 * Any thread may call any of this at any time, unless said otherwise, and free
 * what another has allocated.  A child of fork() has no pools.  A pool ends by
 * vnpu_pool_destroy() or with its device; then no thread may be in a call on
 * it, and its handle is one that is not known.
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

/* A number, not an address: what is passed as one is looked up. */
typedef struct vnpu_pool *vnpu_pool_t;

/* Pools that a process can have at a time. */
#define VNPU_POOL_MAX		32

/**
 * struct vnpu_pool_provider - where a pool has its memory from
 * @reserve: find @length addresses, a multiple of 2 MiB, beginning at one, and
 *	set @base to the first; nothing is read or written there by the pool
 * @release: give them back; no memory is there any more
 * @map: have memory at @length of these addresses from @addr on, both
 *	multiples of 2 MiB, or of the configuration's @remap
 * @unmap: take back all that one call of @map brought; it does not fail
 * @move: have what one call of @map brought, @length bytes at @from, at the
 *	addresses from @to on, where nothing is, and no more at @from.  What is
 *	in it does not matter.  If it fails nothing has changed.  NULL if memory
 *	does not move
 * @user: passed to these
 *
 * They return 0 or a negative errno, and must not call the pool, whose lock is
 * held.
 */
struct vnpu_pool_provider {
	int (*reserve)(void *user, uint64_t length, uint64_t *base);
	void (*release)(void *user, uint64_t base, uint64_t length);
	int (*map)(void *user, uint64_t addr, uint64_t length);
	void (*unmap)(void *user, uint64_t addr, uint64_t length);
	int (*move)(void *user, uint64_t from, uint64_t to, uint64_t length);
	void *user;
};

/* Of what a pool is for. */
enum vnpu_pool_type {
	VNPU_POOL_THREADED,	/* caches of threads; sizes are rounded up */
	VNPU_POOL_COMPACT,	/* none: frees are seen by all at once, and what
				 * is over 64 KiB is rounded up to 4 KiB only */
};

/*
 * What a stream may have of what another one has freed by
 * vnpu_pool_free_async(), as AscendCL's pools have it as attributes.
 */
#define VNPU_POOL_REUSE_EVENTS	(1U << 0)	/* if it waits for an event that
						 * was recorded after the free */
#define VNPU_POOL_REUSE_DONE	(1U << 1)	/* if the other one happens to be
						 * that far already */
#define VNPU_POOL_REUSE_WAIT	(1U << 2)	/* if there is nothing else, and
						 * then it waits for that */

/**
 * struct vnpu_pool_config - what a pool is to be like
 * @size: sizeof(struct vnpu_pool_config)
 * @type: enum vnpu_pool_type
 * @limit: bytes that it may take, or 0 for all there is
 * @chunk: bytes that it takes at a time at least; a power of two from 2 MiB
 *	to 1 GiB
 * @reuse: 0 to give memory back as soon as a chunk is free; else as
 *	@reuse_threshold says
 * @reuse_threshold: bytes that may be free and kept; beyond, chunks that are
 *	free are given back.  In any case they are when this process needs
 *	memory of the device that there is not
 * @alignment: of all that is allocated: a power of two from 64 to
 *	4096
 * @provider: where the memory is from; NULL for that of the current device.
 *	It is copied
 * @profile: a file of vnpu_pool_save_profile(), or NULL.  Sizes that are in it
 *	are not rounded up to others, and what had been needed of memory is
 *	taken by one call when some is needed, if there is as much
 * @learn: 1 to count what is asked for, for vnpu_pool_save_profile(); then each
 *	allocation takes some ten times as long
 * @stream_reuse: VNPU_POOL_REUSE_* flags
 * @defrag_threshold: how much of what the pool has taken may be free, in percent,
 *	when a request for which no run of it is long enough takes more; if it
 *	is more, memory moves instead.  0 for never, unless the request would
 *	fail.  Only with @remap
 * @remap: 0; or a power of two from 64 KiB to 2 MiB: units in which memory is
 *	taken, each by a call of its own, and moves to other addresses when
 *	nothing is allocated there, see vnpu_pool_defragment().  Calls that share
 *	memory, or tell about it, see the unit
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
 * struct vnpu_pool_stats - what a pool has and did
 * @size: sizeof(struct vnpu_pool_stats), set by the caller
 * @flags: 0
 * @allocated: bytes that the program has, as they were rounded up
 * @active: these, and those that are in caches of threads
 * @reserved: bytes of all chunks
 * @inactive_split: bytes that are free in chunks of which a part is not
 * @idle: bytes of chunks that are free
 * @active_peak: greatest @active
 * @reserved_peak: greatest @reserved
 * @allocs: calls that allocated
 * @frees: allocations that ended
 * @maps: chunks that were taken
 * @unmaps: chunks that were given back
 * @remote_frees: frees of what another thread had allocated
 * @bad_frees: frees that were refused
 * @fragmentation: @inactive_split in per mille of @reserved
 * @caches: caches of threads, also of threads that have ended
 * @steps: that have ended, see vnpu_pool_step()
 * @steps_replayed: of these, those in which all that was planned had its place
 * @planned: bytes of the plan, or 0; they are in @active only where something
 *	is allocated there
 * @moves: units of memory that moved to other addresses
 *
 * What other threads do meanwhile may be in one figure and not in another.
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
 * vnpu_pool_config_init() - fill in the defaults
 * @config: filled: threaded, no limit, chunks of 2 MiB, reuse of all that is free,
 *	alignment of 64 bytes, of the device, without a profile, all reuse
 *	by streams, a @defrag_threshold of 30, and no @remap
 */
VNPU_PUBLIC void vnpu_pool_config_init(struct vnpu_pool_config *config);

/**
 * vnpu_pool_create() - make a pool
 * @pool: set to it
 * @config: what it is to be like, or NULL for the defaults
 *
 * Takes no memory of the device yet, only addresses.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for a configuration that is none,
 * ACL_ERROR_RT_CONTEXT_NULL without a current device or provider,
 * ACL_ERROR_RT_MEMORY_ALLOCATION without addresses,
 * ACL_ERROR_BAD_ALLOC without memory of the host, or with VNPU_POOL_MAX pools;
 * ACL_ERROR_INVALID_FILE for a profile that cannot be read, ACL_ERROR_PARSE_FILE
 * for one that is none: aclGetRecentErrMsg() tells the line and the reason.
 */
VNPU_PUBLIC aclError vnpu_pool_create(vnpu_pool_t *pool,
	const struct vnpu_pool_config *config);

/**
 * vnpu_pool_destroy() - end a pool, and all that is allocated from it
 * @pool: the pool
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for no pool.
 */
VNPU_PUBLIC aclError vnpu_pool_destroy(vnpu_pool_t pool);

/**
 * vnpu_pool_alloc() - allocate
 * @pool: the pool
 * @size: bytes, at least 1
 *
 * Return: the address, a multiple of the pool's alignment; or NULL, for a
 * reason that aclGetRecentErrMsg() tells and aclrtGetLastError() codes:
 * ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_MEMORY_ALLOCATION, or
 * ACL_ERROR_BAD_ALLOC without memory of the host.
 */
VNPU_PUBLIC void *vnpu_pool_alloc(vnpu_pool_t pool, size_t size);

/**
 * vnpu_pool_alloc_aligned() - allocate with another alignment
 * @pool: the pool
 * @size: bytes, at least 1
 * @alignment: a power of two, of at most 1 GiB
 *
 * Return: as vnpu_pool_alloc().
 */
VNPU_PUBLIC void *vnpu_pool_alloc_aligned(vnpu_pool_t pool, size_t size,
	size_t alignment);

/**
 * vnpu_pool_free() - free what was allocated from the pool
 * @pool: the pool
 * @ptr: what one of the above has returned
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID where @ptr is not allocated
 * from this pool, or was freed before.
 */
VNPU_PUBLIC aclError vnpu_pool_free(vnpu_pool_t pool, void *ptr);

/**
 * struct vnpu_pool_objects - objects of one size and alignment
 * @pool: from which they are
 * @bytes: that each takes
 * @kind: a number of the pool's; kinds that take as much have the same
 * @reserved: 0
 *
 * Set by vnpu_pool_objects_init(), then read only.  Nothing ends it.
 */
struct vnpu_pool_objects {
	vnpu_pool_t pool;
	uint64_t bytes;
	uint32_t kind;
	uint32_t reserved;
};

/**
 * vnpu_pool_objects_init() - say what objects of a kind are like
 * @objects: set
 * @pool: from which they are to be
 * @size: bytes of each, from 1 to 64 KiB
 * @alignment: a power of two of at most 4096
 *
 * Takes no memory.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for no pool, or a size or alignment not allowed.
 */
VNPU_PUBLIC aclError vnpu_pool_objects_init(struct vnpu_pool_objects *objects,
	vnpu_pool_t pool, size_t size, size_t alignment);

/**
 * vnpu_pool_objects_alloc() - allocate an object, as fast as vnpu_pool_alloc()
 * @objects: its kind
 *
 * Return: as vnpu_pool_alloc(); also NULL by ACL_ERROR_INVALID_PARAM for NULL.
 */
VNPU_PUBLIC void *
vnpu_pool_objects_alloc(const struct vnpu_pool_objects *objects);

/**
 * vnpu_pool_objects_free() - free an object; vnpu_pool_free() does as well
 * @objects: its kind
 * @ptr: the object
 *
 * Return: as vnpu_pool_free(), and ACL_ERROR_RT_PARAM_INVALID also where @ptr
 * is allocated but not of this kind; ACL_ERROR_INVALID_PARAM for NULL as kind.
 */
VNPU_PUBLIC aclError
vnpu_pool_objects_free(const struct vnpu_pool_objects *objects, void *ptr);

/**
 * vnpu_pool_free_async() - free in the order of a stream
 * @pool: the pool
 * @ptr: as of vnpu_pool_free()
 * @stream: a stream of the current context, or NULL for its default one
 *
 * The program must not use the memory after what the stream has got by now.
 * The stream itself may get it again at once, by vnpu_pool_alloc_async();
 * others as the configuration has it in @stream_reuse.  Until then it is
 * allocated for vnpu_pool_get_stats().
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID as vnpu_pool_free();
 * ACL_ERROR_RT_INVALID_HANDLE for no stream; ACL_ERROR_RT_CONTEXT_NULL;
 * ACL_ERROR_BAD_ALLOC.
 */
VNPU_PUBLIC aclError vnpu_pool_free_async(vnpu_pool_t pool, void *ptr,
	aclrtStream stream);

/**
 * vnpu_pool_alloc_async() - allocate what a stream will use
 * @pool: the pool
 * @size: bytes, at least 1
 * @stream: a stream of the current context, or NULL for its default one
 *
 * Only this stream may use it, or who waits for it: it may be memory that the
 * stream itself, or one that it waits for, has still to use for what it was
 * before.  When there is no other, the stream is made to wait for one that has
 * freed as much, or else this call waits for all that have freed memory.
 *
 * Return: as vnpu_pool_alloc(); also NULL where the stream is not one, by
 * ACL_ERROR_RT_INVALID_HANDLE or ACL_ERROR_RT_CONTEXT_NULL.
 */
VNPU_PUBLIC void *vnpu_pool_alloc_async(vnpu_pool_t pool, size_t size,
	aclrtStream stream);

/**
 * vnpu_pool_step() - a step of a periodic workload begins
 * @pool: the pool
 *
 * A program that asks for the same memory over and over, like one that trains a
 * network, calls this where each round begins; that ends the step before.  What
 * the calling thread allocates from then on is recorded, as far as it is over
 * 4032 bytes and no object of a kind.  When two steps in a row have asked for the same
 * sizes in the same order, all that was freed before its step ended is planned
 * as by vnpu_plan_solve(), and the plan's memory is taken, after what is free has
 * gone back.  From the next step on a request has its place by its number in
 * the step: no memory lies between, and where tensors were is the same in each.
 *
 * A step may depart from that.  From the first request that is another one on it
 * has memory beside the plan.  After two such steps in a row the plan ends, or
 * is another one, if these two were the same.  A place that is still allocated,
 * since it is freed later than before, is not given, but other memory; if that
 * is so in steps in a row there is a new plan.  What outlives its step is not
 * planned.  The plan's memory stays with it when the pool is trimmed, but where
 * there is no other, and nothing is allocated there, the plan ends.
 *
 * Any thread may free what is allocated in steps, also later.  Other threads
 * allocate as always.  A pair takes some 200 ns, and finding the plan up to a
 * second for thousands of requests.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID for no pool, and where another
 * thread has steps of this pool that has neither ended nor called
 * vnpu_pool_step_end(); ACL_ERROR_BAD_ALLOC.
 */
VNPU_PUBLIC aclError vnpu_pool_step(vnpu_pool_t pool);

/**
 * vnpu_pool_step_end() - no more steps
 * @pool: the pool
 *
 * Ends the step that is not finished, and the plan, whose memory is free when
 * nothing is allocated there.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID for no pool, or one whose steps
 * are not the calling thread's.
 */
VNPU_PUBLIC aclError vnpu_pool_step_end(vnpu_pool_t pool);

/**
 * vnpu_pool_trim() - give chunks back that are free
 * @pool: the pool
 * @keep: bytes that may be free and stay
 *
 * The cache of the calling thread, and those of threads that have ended, are
 * emptied first.
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for no pool.
 */
VNPU_PUBLIC aclError vnpu_pool_trim(vnpu_pool_t pool, uint64_t keep);

/**
 * vnpu_pool_defragment() - have what is free where it is of use
 * @pool: the pool
 * @keep: bytes that may be free and stay
 *
 * Gives chunks back as vnpu_pool_trim() does.  Of a pool whose configuration has
 * @remap, what stays then moves: units in which nothing is allocated go from
 * between others to addresses behind one another, so that one request can have
 * all of them.  Nothing is copied, and what is allocated stays where it is.
 *
 * Such a pool does that by itself for as much as a request needs, where that
 * would fail otherwise, or as @defrag_threshold says.  What vnpu_pool_free_async()
 * has freed does not move before its stream is that far.  Other threads wait
 * only where they take memory that their caches do not have.
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for no pool.
 */
VNPU_PUBLIC aclError vnpu_pool_defragment(vnpu_pool_t pool, uint64_t keep);

/**
 * vnpu_pool_set_limit() - bound what a pool may take
 * @pool: the pool
 * @limit: bytes, or 0 for all there is; what is taken above it stays
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for no pool.
 */
VNPU_PUBLIC aclError vnpu_pool_set_limit(vnpu_pool_t pool, uint64_t limit);

/**
 * vnpu_pool_get_stats() - what a pool has and did
 * @pool: the pool
 * @stats: filled, as far as its size says
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for no pool, a size below 8 or above that of the
 * struct, or flags.
 */
VNPU_PUBLIC aclError vnpu_pool_get_stats(vnpu_pool_t pool,
	struct vnpu_pool_stats *stats);

/**
 * vnpu_pool_reset_peaks() - let peaks grow again from what is there now
 * @pool: the pool
 *
 * Return: ACL_SUCCESS, or ACL_ERROR_RT_PARAM_INVALID for no pool.
 */
VNPU_PUBLIC aclError vnpu_pool_reset_peaks(vnpu_pool_t pool);

/**
 * vnpu_pool_save_profile() - save what a pool has learned
 * @pool: a pool whose configuration has @learn
 * @path: of the file, which is replaced as a whole
 *
 * The file is text, of one number or two behind a word on each line:
 *
 *	vnpu-pool-profile 1	its version
 *	requests 250000		that were served
 *	fine 4194304		bytes of chunks when there were most, of what is
 *				below 4 KiB, a multiple of 2 MiB
 *	coarse 0		the same up to 64 KiB
 *	paged 69206016		and of what is larger
 *	size 401408 125000	a size that made over 1 % of requests, and how
 *	size 802816 62500	many; those with most come first
 *	end
 *
 * Sizes are rounded up to 64 bytes below 4 KiB, to 256 up to 64 KiB, and to
 * 4 KiB up to 2 MiB; larger ones need no class.  The first 20 or so that are no
 * sizes of classes anyway become such.
 *
 * With VNPU_POOL_PROFILE=FILE in the environment, pools that VNPU_POOL=1 makes
 * begin with that file if it exists.  If it does not they learn, and it is
 * written by aclFinalize(), when their device is reset, or when the program
 * exits; where there are several, the last is kept.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL;
 * ACL_ERROR_RT_PARAM_INVALID for no pool, or one that does not learn;
 * ACL_ERROR_WRITE_FILE.
 */
VNPU_PUBLIC aclError vnpu_pool_save_profile(vnpu_pool_t pool,
	const char *path);

/**
 * vnpu_pool_set_default() - let aclrtMalloc() allocate from a pool
 * @pool: a pool of the current device's memory; or NULL, to let aclrtMalloc()
 *	ask the driver again
 *
 * With VNPU_POOL=1 in the environment each device has such a pool from its
 * first allocation on.  Asked for are pages of no certain size only:
 * ACL_MEM_MALLOC_HUGE_FIRST, its P2P variant, and policies that are not known.
 * What the pool has no room for is asked of the driver.
 *
 * aclrtFree() frees of any pool.  What is freed may be allocated again at once:
 * no stream may still use it, and it is not cleared.  Calls that tell about a
 * block of memory, or share it, see the chunk that it lies in.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID for no pool, or one of other
 * memory; ACL_ERROR_RT_CONTEXT_NULL without a current device.
 */
VNPU_PUBLIC aclError vnpu_pool_set_default(vnpu_pool_t pool);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_POOL_H */
