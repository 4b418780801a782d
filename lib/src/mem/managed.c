// SPDX-License-Identifier: MIT
/*
 * Managed memory: device memory that the host may access, in a part of the
 * window that it can access.  It stays on the device, so advice on its location
 * and prefetches are only stored and returned.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fork.h"
#include "base/gate.h"
#include "base/tree.h"
#include "io/io.h"
#include "io/va.h"
#include "memprof/profile.h"
#include "runtime/context.h"
#include "runtime/device.h"
#include "managed.h"
#include "mem.h"

/* The unit of sizes and of advice. */
#define GRANULE		(2UL << 20)

#define NODES_MAX	64

/* The id of the host. */
#define ID_HOST		(-1)
#define ID_NONE		(-2)

struct advice {
	bool read_mostly;
	bool accessed_by_host;
	uint64_t accessed_by_devices;	/* bit N: device N, by the user's number
					 * */
	uint64_t accessed_by_nodes;	/* bit N: NUMA node N */
	aclrtMemManagedLocation preferred;
	aclrtMemManagedLocation prefetched;	/* last */
};

struct managed {
	struct vnpu_tree_node node;	/* by address */
	uint64_t length;
	struct advice advice[];		/* of each granule */
};

static pthread_mutex_t managed_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct vnpu_tree_node *blocks;		/* protected by the lock */

void vnpu_managed_lock(void)
{
	pthread_mutex_lock(&managed_mutex);
}

void vnpu_managed_unlock(void)
{
	pthread_mutex_unlock(&managed_mutex);
}

/* Find the block that contains a range, or NULL; the lock is held. */
static struct managed *find(uint64_t va, uint64_t length)
{
	struct vnpu_tree_node *node = vnpu_tree_at_most(blocks, va, 0);
	struct managed *block;

	if (!node)
		return NULL;
	block = container_of(node, struct managed, node);
	if (va - node->hi >= block->length ||
	    length > block->length - (va - node->hi))
		return NULL;
	return block;
}

bool vnpu_managed_has(uint64_t va)
{
	bool has;

	vnpu_managed_lock();
	has = find(va, 1);
	vnpu_managed_unlock();
	return has;
}

void vnpu_managed_forget(uint64_t va)
{
	struct managed *block;

	vnpu_managed_lock();
	block = find(va, 1);
	if (block)
		vnpu_tree_remove(&blocks, &block->node);
	vnpu_managed_unlock();
	free(block);
}

static const struct advice no_advice = {
	.preferred = { .id = ID_NONE },
	.prefetched = { .id = ID_NONE },
};

static struct managed *block_create(uint64_t length)
{
	uint64_t granules = length / GRANULE;
	struct managed *block;

	block = malloc(sizeof(*block) + granules * sizeof(*block->advice));
	if (!block)
		return NULL;
	block->length = length;
	for (uint64_t i = 0; i < granules; i++)
		block->advice[i] = no_advice;
	return block;
}

static int block_alloc(struct managed *block, uint32_t device, uint64_t *va,
		       uint64_t *report)
{
	int ret = vnpu_va_alloc_managed(block->length, va);

	if (ret)
		return ret;
	ret = vnpu_io_mem_alloc(device, VNPU_IO_SHIFT_2M, block->length, *va,
				VNPU_IO_ALLOC_HOST_ACCESS | VNPU_IO_ALLOC_TRY,
				NULL);
	if (vnpu_mem_is_oom(ret))
		ret = vnpu_io_mem_alloc(device, VNPU_IO_SHIFT_4K,
					block->length, *va,
					VNPU_IO_ALLOC_HOST_ACCESS, report);
	if (ret)
		vnpu_va_free(VNPU_IO_SHIFT_2M, block->length, *va);
	return ret;
}

aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag)
{
	VNPU_CALL();
	struct vnpu_failed_alloc failed = { .page_shift = VNPU_IO_SHIFT_4K };
	struct vnpu_current current;
	struct vnpu_io_device info;
	struct managed *block;
	aclError ret;
	uint64_t va;
	int err;

	vnpu_gate_pass();
	if (!ptr)
		return vnpu_error_null("ptr");
	if (flag != ACL_RT_MEM_ATTACH_GLOBAL)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"flag = 0x%x must be ACL_RT_MEM_ATTACH_GLOBAL", flag);
	if (!size)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"size is 0; pass at least 1 byte");
	ret = vnpu_context_current(&current);
	if (ret)
		return ret;

	err = vnpu_io_device_query(current.device, &info);
	if (err)
		return vnpu_error_errno(err, "querying the device");
	failed.device = current.device;
	failed.size = size;
	failed.length = size;
	if (size > info.total)
		return vnpu_oom_explain(-ENOSPC, &failed);
	failed.length = vnpu_align_up(size, GRANULE);
	block = block_create(failed.length);
	err = block ? block_alloc(block, current.device, &va, &failed.report) :
		      -ENOMEM;
	if (err) {
		free(block);
		if (vnpu_mem_is_oom(err))
			return vnpu_oom_explain(err, &failed);
		return vnpu_error_errno(err, "allocating managed memory");
	}

	block->node.hi = va;
	block->node.lo = 0;
	vnpu_managed_lock();
	vnpu_tree_add(&blocks, &block->node);
	vnpu_managed_unlock();
	vnpu_profile_alloc(VNPU_PROFILE_MANAGED, va, size, current.device,
			   VNPU_PROFILE_NO_STREAM);
	*ptr = vnpu_u64_to_ptr(va);
	return ACL_SUCCESS;
}

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

static void accessed_by(struct advice *advice, bool set,
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

static void advise(struct advice *advice, aclrtMemManagedAdviseType what,
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
		advice->preferred = no_advice.preferred;
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
	struct managed *block;
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
	if (va % GRANULE || size % GRANULE)
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
	block = find(va, size);
	for (uint64_t done = 0; block && done < size; done += GRANULE)
		advise(&block->advice[(va - block->node.hi + done) / GRANULE],
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
	if (va % GRANULE || size % GRANULE)
		return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			"ptr = %p, size = %llu: must be multiples of 2 MiB",
			ptr, (unsigned long long)size);
	vnpu_managed_lock();
	is_managed = find(va, size);
	vnpu_managed_unlock();
	return is_managed ? location_check(location) :
			    range_error(ptr, size);
}

void vnpu_managed_prefetched(uint64_t va, uint64_t size,
			     const aclrtMemManagedLocation *location)
{
	struct managed *block;

	vnpu_managed_lock();
	block = find(va, size);
	for (uint64_t done = 0; block && done < size; done += GRANULE)
		block->advice[(va - block->node.hi + done) /
			      GRANULE].prefetched = *location;
	vnpu_managed_unlock();
}

static bool is_same(const aclrtMemManagedLocation *a,
		    const aclrtMemManagedLocation *b)
{
	return a->type == b->type && a->id == b->id;
}

/* Get the advice common to all granules of a range; the lock is held. */
static struct advice advice_of(const struct managed *block, uint64_t va,
			       uint64_t size)
{
	uint64_t first = (va - block->node.hi) / GRANULE;
	uint64_t last = (va - block->node.hi + size - 1) / GRANULE;
	struct advice all = block->advice[first];

	for (uint64_t i = first + 1; i <= last; i++) {
		const struct advice *one = &block->advice[i];

		all.read_mostly &= one->read_mostly;
		all.accessed_by_host &= one->accessed_by_host;
		all.accessed_by_devices &= one->accessed_by_devices;
		all.accessed_by_nodes &= one->accessed_by_nodes;
		if (!is_same(&all.preferred, &one->preferred))
			all.preferred = no_advice.preferred;
		if (!is_same(&all.prefetched, &one->prefetched))
			all.prefetched = no_advice.prefetched;
	}
	return all;
}

/* List the ids that fit, padded with ID_NONE. */
static void list_accessed_by(const struct advice *advice, int32_t *ids,
			     size_t room)
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

static void attribute_get(const struct advice *advice,
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
	struct managed *block;
	struct advice advice;

	for (size_t i = 0; i < count; i++) {
		aclError ret;

		if (!data[i])
			return vnpu_error_null("data");
		ret = attribute_check(attributes[i], data_sizes[i]);
		if (ret)
			return ret;
	}

	vnpu_managed_lock();
	block = find(va, size);
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
