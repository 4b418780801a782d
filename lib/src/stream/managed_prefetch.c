// SPDX-License-Identifier: MIT
/*
 * Prefetches of managed memory.  The memory does not move: a prefetch is
 * recorded, and an empty task keeps its place in the order of the stream.
 */
#include "base/error.h"
#include "base/gate.h"
#include "base/util.h"
#include "mem/managed.h"
#include "stream.h"

static aclError flags_check(uint64_t flags)
{
	if (!flags)
		return ACL_SUCCESS;
	return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
			  "flags = 0x%llx is reserved; pass 0",
			  (unsigned long long)flags);
}

static aclError submit(struct vnpu_stream *stream)
{
	const struct vnpu_task task = { .op = VNPU_TASK_NOP };

	return vnpu_stream_submit(stream, &task, 1, NULL);
}

aclError aclrtMemManagedPrefetchAsync(const void *ptr, size_t size,
				      aclrtMemManagedLocation location,
				      uint32_t flags, aclrtStream stream)
{
	VNPU_CALL();
	struct vnpu_stream *found;
	aclError ret = flags_check(flags);

	vnpu_gate_pass();
	if (!ret)
		ret = vnpu_managed_check(ptr, size, &location);
	if (!ret)
		ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = submit(found);
	vnpu_stream_put(found);
	if (!ret)
		vnpu_managed_prefetched(vnpu_ptr_to_u64(ptr), size, &location);
	return ret;
}

/* Check that the indexes divide the ranges in order. */
static aclError indexes_check(const size_t *first, size_t places, size_t count)
{
	for (size_t i = 0; i < places; i++)
		if (first[i] >= count || (i ? first[i] <= first[i - 1] :
					      first[i] != 0))
			return vnpu_error(ACL_ERROR_RT_PARAM_INVALID,
				"prefetchLocIdxs[%zu] = %zu: the first must be 0, the others greater than the previous one and below count = %zu",
				i, first[i], count);
	return ACL_SUCCESS;
}

struct batch {
	const void **ptrs;
	const size_t *sizes;
	size_t count;
	const aclrtMemManagedLocation *places;
	const size_t *first;		/* first range of each location */
	size_t nr_places;
};

/* Check all ranges, or record their prefetches. */
static aclError batch_walk(const struct batch *batch, bool remember)
{
	size_t place = 0;

	for (size_t i = 0; i < batch->count; i++) {
		aclrtMemManagedLocation location;
		aclError ret;

		if (place + 1 < batch->nr_places &&
		    batch->first[place + 1] == i)
			place++;
		location = batch->places[place];
		ret = vnpu_managed_check(batch->ptrs[i], batch->sizes[i],
					 &location);
		if (ret)
			return ret;
		if (remember)
			vnpu_managed_prefetched(vnpu_ptr_to_u64(batch->ptrs[i]),
						batch->sizes[i], &location);
	}
	return ACL_SUCCESS;
}

aclError aclrtMemManagedPrefetchBatchAsync(const void **ptrs, size_t *sizes,
					   size_t count,
					   aclrtMemManagedLocation *prefetchLocs,
					   size_t *prefetchLocIdxs,
					   size_t numPrefetchLocs,
					   uint64_t flags, aclrtStream stream)
{
	VNPU_CALL();
	const struct batch batch = {
		ptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
		numPrefetchLocs,
	};
	struct vnpu_stream *found;
	aclError ret;

	vnpu_gate_pass();
	if (!ptrs || !sizes || !prefetchLocs || !prefetchLocIdxs)
		return vnpu_error_null("ptrs, sizes, prefetchLocs or prefetchLocIdxs");
	if (!count || !numPrefetchLocs)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"count = %zu, numPrefetchLocs = %zu: pass at least 1",
			count, numPrefetchLocs);
	ret = flags_check(flags);
	if (!ret)
		ret = indexes_check(prefetchLocIdxs, numPrefetchLocs, count);
	if (!ret)
		ret = batch_walk(&batch, false);
	if (!ret)
		ret = vnpu_stream_get(stream, false, &found);
	if (ret)
		return ret;
	ret = submit(found);
	vnpu_stream_put(found);
	return ret ? ret : batch_walk(&batch, true);
}
