/* SPDX-License-Identifier: MIT */
/*
 * Pools of device memory with allocations that are ordered with a stream's
 * work.
 *
 * A pool takes memory from a device in multiples of 2 MiB and keeps it when it
 * is freed.  It reuses freed memory without a call to the driver.  The stream
 * that freed the memory may reuse it at once.  Other streams may reuse it when
 * the work that was submitted before the free is done, or wait for that work.
 */
#ifndef ACL_ACL_RT_MEMORY_SOMA_H
#define ACL_ACL_RT_MEMORY_SOMA_H

#include <stddef.h>

#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *aclrtMemPool;

/*
 * The first three are uint32_t, 1 or 0, with 1 as the default; the others are
 * uint64_t.  Those of _CURRENT are read-only; those of _HIGH can only be set to
 * 0.
 */
typedef enum aclrtMemPoolAttr {
	/* Reuse memory that another stream freed before an event waited for. */
	ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES		= 0x1,
	/*
	 * Reuse memory that another stream freed, once it has reached the free.
	 */
	ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC		= 0x2,
	/* Reuse memory that another stream freed, and wait for that stream. */
	ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES	= 0x3,
	/* Free bytes that stay after a wait for a stream, event or device. */
	ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD			= 0x4,
	/* Bytes that the pool has taken from the device. */
	ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT		= 0x5,
	ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH			= 0x6,
	/* The number of these bytes that are allocated. */
	ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT			= 0x7,
	ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH			= 0x8
} aclrtMemPoolAttr;

typedef struct aclrtMemPoolProps {
	aclrtMemAllocationType allocType;
	aclrtMemHandleType handleType;
	aclrtMemLocation location;
	size_t maxSize;		/* 0 for all of the device */
	unsigned char reserved[32];
} aclrtMemPoolProps;

/**
 * aclrtMemPoolCreate() - create a pool of device memory
 * @memPool: set to the pool
 * @poolProps: must be pinned memory of a device, without handles, with zeros at
 *	the end
 *
 * Takes no memory yet.  The reset of its device destroys the pool.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL and other @poolProps,
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_PARAM_INVALID for a maxSize above the memory of the device.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolCreate(aclrtMemPool *memPool,
	const aclrtMemPoolProps *poolProps);

/**
 * aclrtMemPoolDestroy() - destroy a pool, and free its memory
 * @memPool: a pool without allocations
 *
 * Waits for the work that was submitted before its memory was freed.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown pool or a pool with allocations.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolDestroy(const aclrtMemPool memPool);

/**
 * aclrtMemPoolSetAttr() - set an attribute of a pool
 * @memPool: the pool
 * @attr: the attribute
 * @value: points to the value
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @memPool,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown pool, a NULL @value, an unknown or
 * read-only attribute, and a value that is not allowed.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolSetAttr(aclrtMemPool memPool,
	aclrtMemPoolAttr attr, void *value);

/**
 * aclrtMemPoolGetAttr() - get an attribute of a pool
 * @memPool: the pool
 * @attr: the attribute
 * @value: filled
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @memPool,
 * ACL_ERROR_RT_PARAM_INVALID for an unknown pool, a NULL @value and an unknown
 * attribute.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolGetAttr(aclrtMemPool memPool,
	aclrtMemPoolAttr attr, void *value);

/**
 * aclrtMemPoolMallocAsync() - allocate from a pool, in stream order
 * @ptr: set to the address
 * @size: bytes; 0 does nothing
 * @memPool: the pool
 * @stream: a stream of the current context; from here on this stream and those
 *	that wait for it may use the memory
 *
 * The memory is not cleared if this process had it before.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for an
 * unknown pool, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_MEMORY_ALLOCATION if the pool or the
 * device has no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolMallocAsync(void **ptr, size_t size,
	aclrtMemPool memPool, aclrtStream stream);

/**
 * aclrtMemPoolFreeAsync() - free memory, in stream order
 * @ptr: an address that aclrtMemPoolMallocAsync() returned
 * @stream: a stream of the current context, or NULL; the memory is free after
 *	the work that it has been given so far
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @ptr, ACL_ERROR_RT_PARAM_INVALID
 * for another address, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolFreeAsync(void *ptr,
	aclrtStream stream);

/**
 * aclrtMemPoolTrimTo() - return free memory of a pool to the device
 * @memPool: the pool
 * @minBytesToKeep: bytes that stay in the pool, whatever the threshold
 *
 * Keeps allocated memory, and memory that was freed in a stream that has not
 * reached the free.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for an unknown pool.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolTrimTo(aclrtMemPool memPool,
	size_t minBytesToKeep);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MEMORY_SOMA_H */
