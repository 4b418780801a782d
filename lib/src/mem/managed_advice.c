// SPDX-License-Identifier: MIT
/*
 * Managed memory: advice on its location, and prefetches.  The memory stays on
 * the device, so both are only stored and returned.
 */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "runtime/device.h"
#include "managed.h"
#include "managed_internal.h"

#define NODES_MAX	64

/* The id of the host. */
#define ID_HOST		(-1)
#define ID_NONE		(-2)

const struct vnpu_managed_advice vnpu_managed_no_advice = {
	.preferred = { .id = ID_NONE },
	.prefetched = { .id = ID_NONE },
};

static aclError range_error(const void *ptr, uint64_t size)
{
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"ptr = %p, size = %llu: is not inside one block of aclrtMemAllocManaged, or was freed",
		ptr, (unsigned long long)size);
}

static bool has_node(int32_t id)
{
	char path[64];

	if (id < 0 || id >= NODES_MAX)
		return false;
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", id);
	return !id || !access(path, F_OK);
}

/* Check a location, and complete it. */
static aclError location_check(aclrtMemManagedLocation *location)
{
	unsigned int node;
	uint32_t count;
	aclError ret;

	switch (location->type) {
	case ACL_MEM_LOCATIONTYPE_DEVICE:
		ret = vnpu_device_count_get(&count);
		if (ret)
			return ret;
		if (location->id >= 0 && (uint32_t)location->id < count)
			return ACL_SUCCESS;
		break;
	case ACL_MEM_LOCATIONTYPE_HOST:
		location->id = ID_HOST;
		return ACL_SUCCESS;
	case ACL_MEM_LOCATIONTYPE_HOST_NUMA:
		if (has_node(location->id))
			return ACL_SUCCESS;
		break;
	case ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT:
		if (getcpu(NULL, &node) || node >= NODES_MAX)
			node = 0;
		location->type = ACL_MEM_LOCATIONTYPE_HOST_NUMA;
		location->id = (int32_t)node;
		return ACL_SUCCESS;
	default:
		break;
	}
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
		"location = {type %d, id %d} is not a device, host or NUMA node of this machine",
		location->type, location->id);
}

static void accessed_by(struct vnpu_managed_advice *advice, bool set,
			const aclrtMemManagedLocation *location)
{
	uint64_t *mask = location->type == ACL_MEM_LOCATIONTYPE_DEVICE ?
			 &advice->accessed_by_devices :
			 &advice->accessed_by_nodes;

	if (location->type == ACL_MEM_LOCATIONTYPE_HOST)
		advice->accessed_by_host = set;
	else if (set)
		*mask |= 1ULL << location->id;
	else
		*mask &= ~(1ULL << location->id);
}

static void advise(struct vnpu_managed_advice *advice,
		   aclrtMemManagedAdviseType what,
		   const aclrtMemManagedLocation *location)
{
	switch (what) {
	case ACL_MEM_ADVISE_SET_READ_MOSTLY:
	case ACL_MEM_ADVISE_UNSET_READ_MOSTLY:
		advice->read_mostly = what == ACL_MEM_ADVISE_SET_READ_MOSTLY;
		break;
	case ACL_MEM_ADVISE_SET_PREFERRED_LOCATION:
		advice->preferred = *location;
		break;
	case ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
		advice->preferred = vnpu_managed_no_advice.preferred;
		break;
	case ACL_MEM_ADVISE_SET_ACCESSED_BY:
	case ACL_MEM_ADVISE_UNSET_ACCESSED_BY:
		accessed_by(advice, what == ACL_MEM_ADVISE_SET_ACCESSED_BY,
			    location);
		break;
	}
}

aclError aclrtMemManagedAdvise(const void *const ptr, uint64_t size,
			       aclrtMemManagedAdviseType adviseType,
			       aclrtMemManagedLocation location)
{
	VNPU_CALL();
	uint64_t va = vnpu_ptr_to_u64(ptr);
	struct vnpu_managed *block;
	aclError ret;

	if (!ptr)
		return vnpu_error_null("ptr");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass at least 2 MiB");
	if ((unsigned int)adviseType > ACL_MEM_ADVISE_UNSET_ACCESSED_BY)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"advise = %d is not known; use a value of aclrtMemManagedAdviseType",
			adviseType);
	if (va % VNPU_MANAGED_GRANULE || size % VNPU_MANAGED_GRANULE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"ptr = %p, size = %llu: must be multiples of 2 MiB",
			ptr, (unsigned long long)size);
	if (adviseType == ACL_MEM_ADVISE_SET_PREFERRED_LOCATION ||
	    adviseType == ACL_MEM_ADVISE_SET_ACCESSED_BY ||
	    adviseType == ACL_MEM_ADVISE_UNSET_ACCESSED_BY) {
		ret = location_check(&location);
		if (ret)
			return ret;
	}

	vnpu_managed_lock();
	block = vnpu_managed_find_locked(va, size);
	for (uint64_t done = 0; block && done < size; done += VNPU_MANAGED_GRANULE)
		advise(&block->advice[(va - block->node.hi + done) / VNPU_MANAGED_GRANULE],
		       adviseType, &location);
	vnpu_managed_unlock();
	return block ? ACL_SUCCESS : range_error(ptr, size);
}

aclError vnpu_managed_check(const void *ptr, uint64_t size,
			    aclrtMemManagedLocation *location)
{
	uint64_t va = vnpu_ptr_to_u64(ptr);
	bool is_managed;

	if (!ptr)
		return vnpu_error_null("ptr");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass at least 2 MiB");
	if (va % VNPU_MANAGED_GRANULE || size % VNPU_MANAGED_GRANULE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"ptr = %p, size = %llu: must be multiples of 2 MiB",
			ptr, (unsigned long long)size);
	vnpu_managed_lock();
	is_managed = vnpu_managed_find_locked(va, size);
	vnpu_managed_unlock();
	return is_managed ? location_check(location) :
			    range_error(ptr, size);
}

void vnpu_managed_prefetched(uint64_t va, uint64_t size,
			     const aclrtMemManagedLocation *location)
{
	struct vnpu_managed *block;

	vnpu_managed_lock();
	block = vnpu_managed_find_locked(va, size);
	for (uint64_t done = 0; block && done < size; done += VNPU_MANAGED_GRANULE)
		block->advice[(va - block->node.hi + done) /
			      VNPU_MANAGED_GRANULE].prefetched = *location;
	vnpu_managed_unlock();
}

static bool is_same(const aclrtMemManagedLocation *a,
		    const aclrtMemManagedLocation *b)
{
	return a->type == b->type && a->id == b->id;
}

/* Get the advice common to all granules of a range; the lock is held. */
static struct vnpu_managed_advice advice_of(const struct vnpu_managed *block,
					    uint64_t va, uint64_t size)
{
	uint64_t first = (va - block->node.hi) / VNPU_MANAGED_GRANULE;
	uint64_t last = (va - block->node.hi + size - 1) / VNPU_MANAGED_GRANULE;
	struct vnpu_managed_advice all = block->advice[first];

	for (uint64_t i = first + 1; i <= last; i++) {
		const struct vnpu_managed_advice *one = &block->advice[i];

		all.read_mostly &= one->read_mostly;
		all.accessed_by_host &= one->accessed_by_host;
		all.accessed_by_devices &= one->accessed_by_devices;
		all.accessed_by_nodes &= one->accessed_by_nodes;
		if (!is_same(&all.preferred, &one->preferred))
			all.preferred = vnpu_managed_no_advice.preferred;
		if (!is_same(&all.prefetched, &one->prefetched))
			all.prefetched = vnpu_managed_no_advice.prefetched;
	}
	return all;
}

/* List the ids that fit, padded with ID_NONE. */
static void list_accessed_by(const struct vnpu_managed_advice *advice,
			     int32_t *ids, size_t room)
{
	size_t n = 0;

	for (int i = 0; i < 64 && n < room; i++)
		if (advice->accessed_by_devices >> i & 1)
			ids[n++] = i;
	if (advice->accessed_by_host && n < room)
		ids[n++] = ID_HOST;
	for (int i = 0; i < NODES_MAX && n < room; i++)
		if (advice->accessed_by_nodes >> i & 1)
			ids[n++] = i;
	while (n < room)
		ids[n++] = ID_NONE;
}

static void attribute_get(const struct vnpu_managed_advice *advice,
			  aclrtMemManagedRangeAttribute attribute,
			  int32_t *data, size_t size)
{
	switch (attribute) {
	case ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		*data = advice->read_mostly;
		break;
	case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
	case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
		*data = advice->preferred.id;
		break;
	case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
		*data = (int32_t)advice->preferred.type;
		break;
	case ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		list_accessed_by(advice, data, size / sizeof(*data));
		break;
	case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
		*data = (int32_t)advice->prefetched.type;
		break;
	default:
		*data = advice->prefetched.id;
		break;
	}
}

static aclError attribute_check(aclrtMemManagedRangeAttribute attribute,
				size_t size)
{
	if (attribute < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
	    attribute > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"attribute = %d is not known; use a value of aclrtMemManagedRangeAttribute",
			attribute);
	if (!size || size % sizeof(int32_t) ||
	    (attribute != ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY &&
	     size != sizeof(int32_t)))
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"dataSize = %zu must be 4, or a multiple of it for ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY",
			size);
	return ACL_SUCCESS;
}

/* Check all of them before returning any. */
static aclError attributes_get(const aclrtMemManagedRangeAttribute *attributes,
			       size_t count, const void *ptr, size_t size,
			       void **data, const size_t *data_sizes)
{
	uint64_t va = vnpu_ptr_to_u64(ptr);
	struct vnpu_managed *block;
	struct vnpu_managed_advice advice;

	for (size_t i = 0; i < count; i++) {
		aclError ret;

		if (!data[i])
			return vnpu_error_null("data");
		ret = attribute_check(attributes[i], data_sizes[i]);
		if (ret)
			return ret;
	}

	vnpu_managed_lock();
	block = vnpu_managed_find_locked(va, size);
	if (block)
		advice = advice_of(block, va, size);
	vnpu_managed_unlock();
	if (!block)
		return range_error(ptr, size);
	for (size_t i = 0; i < count; i++)
		attribute_get(&advice, attributes[i], data[i], data_sizes[i]);
	return ACL_SUCCESS;
}

aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
				const void *ptr, size_t size, void *data,
				size_t dataSize)
{
	VNPU_CALL();

	if (!ptr)
		return vnpu_error_null("ptr");
	if (!data)
		return vnpu_error_null("data");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass at least 1 byte");
	return attributes_get(&attribute, 1, ptr, size, &data, &dataSize);
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes,
				 size_t numAttributes, const void *ptr,
				 size_t size, void **data, size_t *dataSizes)
{
	VNPU_CALL();

	if (!attributes)
		return vnpu_error_null("attributes");
	if (!ptr)
		return vnpu_error_null("ptr");
	if (!data)
		return vnpu_error_null("data");
	if (!dataSizes)
		return vnpu_error_null("dataSizes");
	if (!size)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"size is 0; pass at least 1 byte");
	return attributes_get(attributes, numAttributes, ptr, size, data,
			      dataSizes);
}
