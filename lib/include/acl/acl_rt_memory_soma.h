/* SPDX-License-Identifier: MIT */
/*
 * Pools of device memory whose allocations are ordered with a stream's work.
 *
 * Memory is taken from a device in multiples of 2 MiB and kept by the pool when
 * it is freed.  It is given out again without a call to the driver to who may
 * have it: the stream that freed it at once, others when the work that was
 * submitted to that stream before is done, or wait for it.
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
 * The first three are uint32_t, 1 or 0, 1 by default; the others uint64_t.
 * Those of _CURRENT can only be read, those of _HIGH be set to 0.
 */
typedef enum aclrtMemPoolAttr {
	/* Reuse what another stream freed before an event waited for. */
	ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES		= 0x1,
	/* Reuse what another stream freed and is done with. */
	ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC		= 0x2,
	/* Reuse what another stream freed, and wait for it. */
	ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES	= 0x3,
	/* Bytes that are kept when a stream, event or device is waited for. */
	ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD			= 0x4,
	/* Bytes that the pool has taken from the device. */
	ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT		= 0x5,
	ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH			= 0x6,
	/* Bytes of them that are allocated. */
	ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT			= 0x7,
	ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH			= 0x8
} aclrtMemPoolAttr;

typedef struct aclrtMemPoolProps {
	aclrtMemAllocationType allocType;
	aclrtMemHandleType handleType;
	aclrtMemLocation location;
	size_t maxSize;		/* 0 for as much as the device has */
	unsigned char reserved[32];
} aclrtMemPoolProps;

/**
 * aclrtMemPoolCreate() - make a pool of device memory
 * @memPool: set to it
 * @poolProps: pinned memory of a device, without handles, zeros at the end
 *
 * Takes no memory yet.  It ends with the reset of its device.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL and other @poolProps,
 * ACL_ERROR_RT_INVALID_DEVICEID, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_PARAM_INVALID for more than the device has.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolCreate(aclrtMemPool *memPool,
	const aclrtMemPoolProps *poolProps);

/**
 * aclrtMemPoolDestroy() - give a pool and its memory back
 * @memPool: a pool of which nothing is allocated
 *
 * Waits for the work that was submitted before its memory was freed.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for what
 * is no pool and where something is allocated.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolDestroy(const aclrtMemPool memPool);

/**
 * aclrtMemPoolSetAttr() - set an attribute of a pool
 * @memPool: the pool
 * @attr: the attribute
 * @value: points to the value
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @memPool,
 * ACL_ERROR_RT_PARAM_INVALID for what is no pool, a NULL @value, an unknown
 * attribute, one that can only be read, and another value than allowed.
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
 * ACL_ERROR_RT_PARAM_INVALID for what is no pool, a NULL @value and an unknown
 * attribute.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolGetAttr(aclrtMemPool memPool,
	aclrtMemPoolAttr attr, void *value);

/**
 * aclrtMemPoolMallocAsync() - allocate from a pool, in the order of a stream
 * @ptr: set to the address
 * @size: bytes; for 0 nothing is done
 * @memPool: the pool
 * @stream: a stream of the current context; it and what waits for it may use
 *	the memory from here on
 *
 * The memory is not cleared if this process had it before.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for what
 * is no pool, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT,
 * ACL_ERROR_RT_CONTEXT_NULL, ACL_ERROR_RT_MEMORY_ALLOCATION when the pool or
 * the device has no more.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolMallocAsync(void **ptr, size_t size,
	aclrtMemPool memPool, aclrtStream stream);

/**
 * aclrtMemPoolFreeAsync() - free memory, in the order of a stream
 * @ptr: what aclrtMemPoolMallocAsync() returned
 * @stream: a stream of the current context, or NULL, after whose work so far
 *	the memory is free
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @ptr, ACL_ERROR_RT_PARAM_INVALID
 * for another address, ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_STREAM_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolFreeAsync(void *ptr,
	aclrtStream stream);

/**
 * aclrtMemPoolTrimTo() - give memory of a pool back to the device
 * @memPool: the pool
 * @minBytesToKeep: as much as this is kept, whatever the threshold
 *
 * What is allocated, or was freed in a stream that is not done, stays.
 *
 * Errors: ACL_ERROR_RT_PARAM_INVALID for what is no pool.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolTrimTo(aclrtMemPool memPool,
	size_t minBytesToKeep);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MEMORY_SOMA_H */
