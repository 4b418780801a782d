/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: who holds the device's memory, and who held it at the worst time.
 *
 * While it records, the library notes of every allocation of device memory and
 * every free when, by which thread, and with which call stack it was made:
 * aclrtMalloc() and its relatives, vnpu_malloc(), aclrtMemAllocManaged(),
 * aclrtMallocPhysical() and aclrtMemPoolMallocAsync().  While it does not, that
 * costs a branch.
 *
 * What was allocated before vnpu_profile_start() is not known.  Peaks are those
 * of the process: the bytes that it had asked for, on all its devices; but for
 * vnpu_profile_get_device_stats() and vnpu_profile_walk_device().
 *
 * The environment can have it recorded from the start, and leaks reported at
 * exit, without a change of the program: ASCEND_MEMORY_TRACE, see libvnpu(7).
 *
 * Any thread may call these, at any time.  What returns an aclError has its
 * detail in aclGetRecentErrMsg().  A child of fork() does not record until it
 * asks for that itself.
 */
#ifndef VNPU_PROFILE_H
#define VNPU_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "../acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How an allocation was made. */
typedef enum vnpu_profile_kind {
	VNPU_PROFILE_MALLOC,	/* aclrtMalloc() and relatives, vnpu_malloc() */
	VNPU_PROFILE_MANAGED,	/* aclrtMemAllocManaged() */
	VNPU_PROFILE_PHYSICAL,	/* aclrtMallocPhysical() */
	VNPU_PROFILE_POOL,	/* aclrtMemPoolMallocAsync() */
} vnpu_profile_kind;

/* Which allocations. */
typedef enum vnpu_profile_set {
	VNPU_PROFILE_LIVE,	/* those that are not freed */
	VNPU_PROFILE_PEAK,	/* those that were not freed at the peak */
	VNPU_PROFILE_ALL,	/* these, and the latest that were freed */
} vnpu_profile_set;

/* How to write them. */
typedef enum vnpu_profile_format {
	VNPU_PROFILE_REPORT,	/* text: who has how much, most first */
	VNPU_PROFILE_HISTOGRAM,	/* text: how many of which size */
	VNPU_PROFILE_FOLDED,	/* stacks and their bytes, for flame graphs */
	VNPU_PROFILE_TIMELINE,	/* JSON for chrome://tracing and Perfetto */
} vnpu_profile_format;

/**
 * struct vnpu_profile_block - an allocation
 * @address: where it is, or for VNPU_PROFILE_PHYSICAL its handle
 * @size: bytes that were asked for
 * @alloc_ns: CLOCK_MONOTONIC when it was allocated
 * @free_ns: when it was freed; 0 while it is not
 * @kind: vnpu_profile_kind
 * @device: as the process counts devices; -1 if it does not see it any more
 * @stream: of VNPU_PROFILE_POOL, the number of the stream; else -1
 * @alloc_thread: gettid() of who allocated it
 * @free_thread: of who freed it
 * @nr_frames: length of @frames
 * @frames: return addresses, the innermost first
 * @tag: of vnpu_profile_push_tag(); "" without
 *
 * @frames and @tag stay until the process ends.
 */
struct vnpu_profile_block {
	uint64_t address;
	uint64_t size;
	uint64_t alloc_ns;
	uint64_t free_ns;
	int32_t kind;
	int32_t device;
	int64_t stream;
	uint32_t alloc_thread;
	uint32_t free_thread;
	size_t nr_frames;
	void *const *frames;
	const char *tag;
};

/**
 * struct vnpu_profile_stats - how much there is, was and went by
 * @allocs: allocations that were recorded
 * @frees: of these, how many were freed
 * @lost: allocations that were not recorded for lack of host memory
 * @live_blocks: allocations that are not freed
 * @live_bytes: their sizes
 * @peak_blocks: how many there were at the peak
 * @peak_bytes: their sizes: the most there ever were
 * @peak_ns: CLOCK_MONOTONIC when that was reached; 0 before the first
 */
struct vnpu_profile_stats {
	uint64_t allocs;
	uint64_t frees;
	uint64_t lost;
	uint64_t live_blocks;
	uint64_t live_bytes;
	uint64_t peak_blocks;
	uint64_t peak_bytes;
	uint64_t peak_ns;
};

/**
 * vnpu_profile_start() - record, from nothing
 * @history: how many allocations to remember after they were freed, for
 *	VNPU_PROFILE_ALL; those that were alive at the peak are remembered anyway
 *
 * Where ASCEND_MEMORY_TRACE has the process recorded already, that goes on and
 * what it recorded stays.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_PROF_ALREADY_RUN.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_start(size_t history);

/**
 * vnpu_profile_stop() - record no more
 *
 * What was recorded can be read until the next start.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_PROF_NOT_RUN.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_stop(void);

/**
 * vnpu_profile_get_stats() - sums
 * @stats: set to them
 * @size: sizeof(*stats), so that it can grow
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for a size that no version has had.
 */
ACL_FUNC_VISIBILITY aclError
vnpu_profile_get_stats(struct vnpu_profile_stats *stats, size_t size);

/**
 * vnpu_profile_get_device_stats() - sums of one device
 * @device: as the process counts devices
 * @stats: set to them; the peak is that of this device alone, which need not
 *	have been when the process had most on all of them
 * @size: sizeof(*stats), so that it can grow
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for a size that no version has had,
 * ACL_ERROR_RT_INVALID_DEVICEID for no such device, and what aclInit() says
 * where there are none.
 */
ACL_FUNC_VISIBILITY aclError
vnpu_profile_get_device_stats(int32_t device, struct vnpu_profile_stats *stats,
			      size_t size);

typedef void (*vnpu_profile_block_fn)(const struct vnpu_profile_block *block,
				      void *arg);

/**
 * vnpu_profile_walk() - look at each allocation of a set
 * @set: which
 * @fn: called for each, in the order of allocation, with a copy that is as the
 *	set was when the walk began; it may call the library
 * @arg: for @fn
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown set, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_walk(vnpu_profile_set set,
					       vnpu_profile_block_fn fn,
					       void *arg);

/**
 * vnpu_profile_walk_device() - look at each allocation on one device
 * @device: as the process counts devices
 * @set: which; VNPU_PROFILE_PEAK is what was not freed at the peak of this device
 *	alone, of which vnpu_profile_get_device_stats() has the sums
 * @fn: as for vnpu_profile_walk()
 * @arg: for @fn
 *
 * Return: what vnpu_profile_walk() does; ACL_ERROR_RT_INVALID_DEVICEID for no
 * such device, and what aclInit() says where there are none.
 */
ACL_FUNC_VISIBILITY aclError
vnpu_profile_walk_device(int32_t device, vnpu_profile_set set,
			 vnpu_profile_block_fn fn, void *arg);

/**
 * vnpu_profile_write() - write a set to a file
 * @format: how, see Documentation/profiling.md
 * @set: what
 * @path: is made, or overwritten
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown set or format,
 * ACL_ERROR_INVALID_FILE where the file cannot be made, ACL_ERROR_WRITE_FILE
 * where it cannot be written, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_write(vnpu_profile_format format,
						vnpu_profile_set set,
						const char *path);

/* Limits of tags. */
#define VNPU_PROFILE_TAG_MAX	255	/* bytes, with those outside and '/' */
#define VNPU_PROFILE_TAG_DEPTH	32	/* within another */
#define VNPU_PROFILE_TAGS	65536	/* different ones in a process */

/**
 * vnpu_profile_push_tag() - name what this thread does from now on
 * @tag: a line of text, in UTF-8
 *
 * What the thread allocates until vnpu_profile_pop_tag() has this tag, or if it
 * was pushed within others, theirs and this with '/' between.  Works whether or
 * not the library records.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for one that is empty, too long, too deep, or has a
 * control character;
 * ACL_ERROR_BAD_ALLOC also when there are too many.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_push_tag(const char *tag);

/**
 * vnpu_profile_pop_tag() - end the tag that this thread pushed last
 *
 * Return: ACL_SUCCESS; ACL_ERROR_RT_PARAM_INVALID if there is none.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_pop_tag(void);

#ifdef __cplusplus
}
#endif

#endif /* VNPU_PROFILE_H */
