/* SPDX-License-Identifier: MIT */
/*
 * Managed memory: device memory that the host may access, too.
 */
#ifndef ACL_ACL_RT_MANAGED_H
#define ACL_ACL_RT_MANAGED_H

#include <stddef.h>
#include <stdint.h>

#include "acl_base.h"
#include "acl_rt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The only flag of aclrtMemAllocManaged(): host and devices may use it. */
#define ACL_RT_MEM_ATTACH_GLOBAL	0x01U

typedef enum aclrtMemManagedAdviseType {
	ACL_MEM_ADVISE_SET_READ_MOSTLY			= 0,
	ACL_MEM_ADVISE_UNSET_READ_MOSTLY		= 1,
	ACL_MEM_ADVISE_SET_PREFERRED_LOCATION		= 2,
	ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION		= 3,
	ACL_MEM_ADVISE_SET_ACCESSED_BY			= 4,
	ACL_MEM_ADVISE_UNSET_ACCESSED_BY		= 5
} aclrtMemManagedAdviseType;

typedef enum aclrtMemManagedLocationType {
	ACL_MEM_LOCATIONTYPE_INVALID		= 0,
	ACL_MEM_LOCATIONTYPE_DEVICE		= 1,
	ACL_MEM_LOCATIONTYPE_HOST		= 2,
	ACL_MEM_LOCATIONTYPE_HOST_NUMA		= 3,
	ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT	= 4
} aclrtMemManagedLocationType;

/* id is a device or a NUMA node; other types ignore it. */
typedef struct aclrtMemManagedLocation {
	aclrtMemManagedLocationType type;
	int32_t id;
} aclrtMemManagedLocation;

typedef enum aclrtMemManagedRangeAttribute {
	ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY			= 1,
	ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION		= 2,
	ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY			= 3,
	ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE		= 4,
	ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID		= 5,
	ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION		= 6,
	ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE	= 7,
	ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID	= 8
} aclrtMemManagedRangeAttribute;

/**
 * aclrtMemAllocManaged() - allocate memory with one address for host and
 * devices
 * @ptr: set to its address, aligned to 2 MiB
 * @size: bytes, at least 1; rounded up to 2 MiB
 * @flag: ACL_RT_MEM_ATTACH_GLOBAL
 *
 * The memory belongs to the current device, and stays there.  System calls
 * cannot pin it for direct I/O. aclrtFree() frees it.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or another @flag,
 * ACL_ERROR_RT_PARAM_INVALID for 0, ACL_ERROR_RT_CONTEXT_NULL,
 * ACL_ERROR_RT_MEMORY_ALLOCATION.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemAllocManaged(void **ptr, uint64_t size,
	uint32_t flag);

/**
 * aclrtMemManagedAdvise() - record how managed memory will be used
 * @ptr: address in it, a multiple of 2 MiB
 * @size: bytes, a multiple of 2 MiB, at least one
 * @advise: the advice
 * @location: the preferred location of the memory, or the host or device that
 *	will access it; ignored for advice without one
 *
 * aclrtMemManagedGetAttr() returns the advice; it has no other effect.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * another @advise, a range that is not aligned or not managed memory, or a
 * location that this machine does not have.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedAdvise(const void *const ptr,
	uint64_t size, aclrtMemManagedAdviseType advise,
	aclrtMemManagedLocation location);

/**
 * aclrtMemManagedPrefetchAsync() - record where managed memory will be needed
 * @ptr: address in it, a multiple of 2 MiB
 * @size: bytes, a multiple of 2 MiB, at least one
 * @location: where it will be needed
 * @flags: must be 0
 * @stream: a stream of the current context, or NULL
 *
 * Managed memory stays on its device, where hosts and devices can access it.
 * Therefore the call only records the location, which aclrtMemManagedGetAttr()
 * returns as that of the last prefetch.
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * @flags, a range that is not aligned or not managed memory, or a location that
 * this machine does not have; ACL_ERROR_RT_INVALID_HANDLE,
 * ACL_ERROR_RT_CONTEXT_NULL.
 */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchAsync(const void *ptr,
	size_t size, aclrtMemManagedLocation location, uint32_t flags,
	aclrtStream stream);

/**
 * aclrtMemManagedPrefetchBatchAsync() - prefetch several ranges
 * @ptrs: addresses
 * @sizes: bytes of each
 * @count: number of ranges, at least 1
 * @prefetchLocs: locations
 * @prefetchLocIdxs: index of the first range of each location: increasing from
 *	0
 * @numPrefetchLocs: number of locations, at least 1
 * @flags: must be 0
 * @stream: a stream of the current context, or NULL
 *
 * If one range is invalid, none is prefetched.
 *
 * Errors: as aclrtMemManagedPrefetchAsync(), and ACL_ERROR_RT_PARAM_INVALID for
 * invalid indexes.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes,
	size_t count, aclrtMemManagedLocation *prefetchLocs,
	size_t *prefetchLocIdxs, size_t numPrefetchLocs, uint64_t flags,
	aclrtStream stream);

/**
 * aclrtMemManagedGetAttr() - get the advice that was given for managed memory
 * @attribute: the attribute
 * @ptr: address in it
 * @size: bytes, at least 1
 * @data: filled with 32-bit numbers: the value if all of the range has the same
 *	one, otherwise -2 (ACL_MEM_LOCATIONTYPE_INVALID for a type); -1 stands
 *	for the host
 * @dataSize: 4; any multiple of it for ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, a
 *	list that is padded with -2
 *
 * Errors: ACL_ERROR_INVALID_PARAM for NULL or 0, ACL_ERROR_RT_PARAM_INVALID for
 * another @attribute or @dataSize, or a range that is not managed memory.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
	const void *ptr, size_t size, void *data, size_t dataSize);

/**
 * aclrtMemManagedGetAttrs() - get several attributes of managed memory
 * @attributes: the attributes
 * @numAttributes: their number
 * @ptr: address in managed memory
 * @size: bytes, at least 1
 * @data: for each attribute, the buffer for its value
 * @dataSizes: for each attribute, the size of its buffer
 *
 * Errors: as aclrtMemManagedGetAttr(); then @data is unchanged.
 */
ACL_FUNC_VISIBILITY aclError
aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes,
	size_t numAttributes, const void *ptr, size_t size, void **data,
	size_t *dataSizes);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_RT_MANAGED_H */
