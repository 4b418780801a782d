/* SPDX-License-Identifier: MIT */
/*
 * Maintenance of the caches of a device.
 *
 * The emulated device and the host see each other's writes at once, so there is
 * nothing to write back or to drop: these calls check their arguments as CANN
 * does on a 910B, and keep their place in the order of the stream.
 */
#ifndef ACL_ACL_RT_CACHE_H
#define ACL_ACL_RT_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ACL_RT_CMO_MAX_BARRIER_NUM	6U

typedef enum aclrtCmoType {
	ACL_RT_CMO_TYPE_PREFETCH	= 0,
	ACL_RT_CMO_TYPE_WRITEBACK	= 1,
	ACL_RT_CMO_TYPE_INVALID		= 2,
	ACL_RT_CMO_TYPE_FLUSH		= 3
} aclrtCmoType;

typedef struct aclrtBarrierCmoInfo {
	aclrtCmoType cmoType;
	uint32_t barrierId;
} aclrtBarrierCmoInfo;

typedef struct aclrtBarrierTaskInfo {
	size_t barrierNum;		/* elements of cmoInfo that are used */
	aclrtBarrierCmoInfo cmoInfo[ACL_RT_CMO_MAX_BARRIER_NUM];
} aclrtBarrierTaskInfo;

/**
 * aclrtMemFlush() - write a range of the host's cache back to device memory
 * @devPtr: device address
 * @size: bytes, at least 1
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID if
 * the range is not allocated or mapped device memory,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemFlush(void *devPtr, size_t size);

/**
 * aclrtMemInvalidate() - drop a range of device memory from the host's cache
 * @devPtr: device address
 * @size: bytes, at least 1
 *
 * Errors: as aclrtMemFlush().
 */
ACL_FUNC_VISIBILITY aclError aclrtMemInvalidate(void *devPtr, size_t size);

/**
 * aclrtDeviceL2CacheFlush() - empty the L2 cache of the current device
 * @rsv: reserved, must be NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for another @rsv, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtDeviceL2CacheFlush(void *rsv);

/**
 * aclrtCmoAsync() - submit an operation on the cache to a stream
 * @src: address of device memory
 * @size: bytes, at least 1
 * @cmoType: the operation
 * @stream: a stream of the current context, or NULL
 *
 * The call does not check that the memory is allocated, as a prefetch is a
 * hint.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another @cmoType,
 * ACL_ERROR_RT_PARAM_INVALID for a range that is not one of device addresses;
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsync(void *src, size_t size,
	aclrtCmoType cmoType, aclrtStream stream);

/**
 * aclrtCmoAsyncWithBarrier() - submit an operation that a barrier can wait for
 * @src: address of device memory
 * @size: bytes
 * @cmoType: the operation
 * @barrierId: number of the barrier
 * @stream: a stream
 *
 * A 910B has no barriers, and CANN refuses the call there.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @src, otherwise
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsyncWithBarrier(void *src, size_t size,
	aclrtCmoType cmoType, uint32_t barrierId, aclrtStream stream);

/**
 * aclrtCmoWaitBarrier() - let a stream wait for the operations of barriers
 * @taskInfo: 1 to 6 operations of type ACL_RT_CMO_TYPE_INVALID, with barriers
 *	that are not 0
 * @stream: a stream
 * @flag: reserved, must be 0
 *
 * A 910B has no barriers, and CANN refuses the call there.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another number of operations,
 * ACL_ERROR_RT_PARAM_INVALID for another type or barrier 0, otherwise
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT.
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo,
	aclrtStream stream, uint32_t flag);

/**
 * aclrtCmoGetDescSize() - get the size of a descriptor of device memory
 * @size: set to the bytes of device memory that aclrtCmoSetDesc() needs
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoGetDescSize(size_t *size);

/**
 * aclrtCmoSetDesc() - write a descriptor of device memory
 * @cmoDesc: device memory of at least aclrtCmoGetDescSize() bytes, at a
 *	multiple of 64
 * @src: address of the device memory to describe
 * @size: its bytes, at least 1
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL, ACL_ERROR_RT_PARAM_INVALID for 0,
 * or a @cmoDesc that is not aligned or not device memory;
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoSetDesc(void *cmoDesc, void *src,
	size_t size);

/**
 * aclrtCmoAsyncWithDesc() - submit a prefetch of the memory in a descriptor
 * @cmoDesc: as for aclrtCmoSetDesc()
 * @cmoType: ACL_RT_CMO_TYPE_PREFETCH
 * @stream: a stream of the current context, or NULL
 * @reserve: reserved, must be NULL
 *
 * Errors: ACL_ERROR_INVALID_PARAM for a NULL @cmoDesc,
 * ACL_ERROR_RT_FEATURE_NOT_SUPPORT for another @cmoType,
 * ACL_ERROR_RT_PARAM_INVALID for another @reserve, or a @cmoDesc that is not
 * aligned or no device address; ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsyncWithDesc(void *cmoDesc,
	aclrtCmoType cmoType, aclrtStream stream, const void *reserve);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_CACHE_H */
