/* SPDX-License-Identifier: MIT */
/*
 * libvnpu: the memory profiler, which records the holders of device memory.
 *
 * While the profiler records, it notes the time, the thread and the call stack
 * of every allocation and free of device memory.  It covers aclrtMalloc() and
 * its relatives, vnpu_malloc(), aclrtMemAllocManaged(), aclrtMallocPhysical()
 * and aclrtMemPoolMallocAsync().  While it does not record, it costs one branch
 * per call.
 *
 * Allocations before vnpu_profile_start() are not known.  A peak is the
 * greatest number of bytes that the process had requested on all its devices
 * together, except for vnpu_profile_get_device_stats() and
 * vnpu_profile_walk_device().
 *
 * The environment variable ASCEND_MEMORY_TRACE starts to record with the
 * process and reports leaks at exit, without a change of the program: see
 * libvnpu(7).
 *
 * Any thread may call these functions at any time.  For a call that returns an
 * aclError, aclGetRecentErrMsg() explains the error.  A child of fork() does
 * not record unless it starts to record itself.
 */
#ifndef VNPU_PROFILE_H
#define VNPU_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "../acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The call that made an allocation. */
typedef enum vnpu_profile_kind {
	VNPU_PROFILE_MALLOC,	/* aclrtMalloc() and relatives, vnpu_malloc() */
	VNPU_PROFILE_MANAGED,	/* aclrtMemAllocManaged() */
	VNPU_PROFILE_PHYSICAL,	/* aclrtMallocPhysical() */
	VNPU_PROFILE_POOL,	/* aclrtMemPoolMallocAsync() */
} vnpu_profile_kind;

/* A set of allocations. */
typedef enum vnpu_profile_set {
	VNPU_PROFILE_LIVE,	/* those that are not freed */
	VNPU_PROFILE_PEAK,	/* those that were not freed at the peak */
	VNPU_PROFILE_ALL,	/* both, and those that were freed last */
} vnpu_profile_set;

/* The format of a report. */
typedef enum vnpu_profile_format {
	VNPU_PROFILE_REPORT,	/* text: bytes per call stack, most first */
	VNPU_PROFILE_HISTOGRAM,	/* text: number of allocations per size */
	VNPU_PROFILE_FOLDED,	/* stacks and their bytes, for flame graphs */
	VNPU_PROFILE_TIMELINE,	/* JSON for chrome://tracing and Perfetto */
} vnpu_profile_format;

/**
 * struct vnpu_profile_block - an allocation
 * @address: its address, or for VNPU_PROFILE_PHYSICAL its handle
 * @size: bytes that were requested
 * @alloc_ns: CLOCK_MONOTONIC at the allocation
 * @free_ns: CLOCK_MONOTONIC at the free; 0 if it is not freed
 * @kind: vnpu_profile_kind
 * @device: device number in this process; -1 if it is no longer visible
 * @stream: for VNPU_PROFILE_POOL, the number of the stream; else -1
 * @alloc_thread: gettid() of the thread that allocated it
 * @free_thread: gettid() of the thread that freed it
 * @nr_frames: length of @frames
 * @frames: return addresses, the innermost first
 * @tag: tag of vnpu_profile_push_tag(); "" without
 *
 * @frames and @tag are valid until the process ends.
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
 * struct vnpu_profile_stats - totals of the process or a device
 * @allocs: allocations that were recorded
 * @frees: the number of these that were freed
 * @lost: allocations that were not recorded for lack of host memory
 * @live_blocks: allocations that are not freed
 * @live_bytes: their total size
 * @peak_blocks: allocations that were not freed at the peak
 * @peak_bytes: their total size, which is the maximum of @live_bytes
 * @peak_ns: CLOCK_MONOTONIC at the peak; 0 before the first allocation
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
 * vnpu_profile_start() - discard earlier records, and start to record
 * @history: number of allocations to keep after they are freed, for
 *	VNPU_PROFILE_ALL; those that were alive at the peak are kept in any case
 *
 * If ASCEND_MEMORY_TRACE has started the profiler, it goes on and keeps its
 * records.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_PROF_ALREADY_RUN.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_start(size_t history);

/**
 * vnpu_profile_stop() - stop recording
 *
 * The records can be read until the next start.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_PROF_NOT_RUN.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_stop(void);

/**
 * vnpu_profile_get_stats() - get the totals of the process
 * @stats: set to the totals
 * @size: sizeof(*stats), so that it can grow
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for a size that no version of the struct has.
 */
ACL_FUNC_VISIBILITY aclError
vnpu_profile_get_stats(struct vnpu_profile_stats *stats, size_t size);

/**
 * vnpu_profile_get_device_stats() - get the totals of one device
 * @device: device number in this process
 * @stats: set to the totals; the peak is that of this device alone, which may
 *	be at another time than that of the process
 * @size: sizeof(*stats), so that it can grow
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for a size that no version of the struct has,
 * ACL_ERROR_RT_INVALID_DEVICEID for an unknown device, and the errors of
 * aclInit() if there are no devices.
 */
ACL_FUNC_VISIBILITY aclError
vnpu_profile_get_device_stats(int32_t device, struct vnpu_profile_stats *stats,
			      size_t size);

typedef void (*vnpu_profile_block_fn)(const struct vnpu_profile_block *block,
				      void *arg);

/**
 * vnpu_profile_walk() - visit each allocation of a set
 * @set: the set
 * @fn: called for each allocation, in the order of allocation, with a copy from
 *	the time when the walk began; it may call the library
 * @arg: passed to @fn
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown set, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_walk(vnpu_profile_set set,
					       vnpu_profile_block_fn fn,
					       void *arg);

/**
 * vnpu_profile_walk_device() - visit each allocation on one device
 * @device: device number in this process
 * @set: the set; VNPU_PROFILE_PEAK has the allocations at the peak of this
 *	device alone, of which vnpu_profile_get_device_stats() returns the
 *	totals
 * @fn: as for vnpu_profile_walk()
 * @arg: passed to @fn
 *
 * Return: as vnpu_profile_walk(); ACL_ERROR_RT_INVALID_DEVICEID for an unknown
 * device, and the errors of aclInit() if there are no devices.
 */
ACL_FUNC_VISIBILITY aclError
vnpu_profile_walk_device(int32_t device, vnpu_profile_set set,
			 vnpu_profile_block_fn fn, void *arg);

/**
 * vnpu_profile_write() - write a set to a file
 * @format: the format, see Documentation/profiling.md
 * @set: the set
 * @path: the file, which is created or overwritten
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown set or format,
 * ACL_ERROR_INVALID_FILE if the file cannot be created, ACL_ERROR_WRITE_FILE if
 * it cannot be written, ACL_ERROR_BAD_ALLOC.
 */
ACL_FUNC_VISIBILITY aclError vnpu_profile_write(vnpu_profile_format format,
						vnpu_profile_set set,
						const char *path);

/* Limits of tags. */
#define VNPU_PROFILE_TAG_MAX	255	/* bytes, with outer tags and '/' */
#define VNPU_PROFILE_TAG_DEPTH	32	/* nested tags of a thread */
#define VNPU_PROFILE_TAGS	65536	/* different tags of a process */

/**
 * vnpu_profile_push_tag() - tag the later allocations of this thread
 * @tag: a line of text, in UTF-8
 *
 * Allocations of this thread until vnpu_profile_pop_tag() carry this tag.  Tags
 * nest: inside other tags, they carry all of them, separated by '/'.  Works
 * whether or not the profiler records.
 *
 * Return: ACL_SUCCESS; ACL_ERROR_INVALID_PARAM for NULL,
 * ACL_ERROR_RT_PARAM_INVALID for a tag that is empty, too long, nested too
 * deeply, or has a control character; ACL_ERROR_BAD_ALLOC, also beyond
 * VNPU_PROFILE_TAGS.
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
