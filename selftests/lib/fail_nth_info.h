/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that are made to fail: queries of memory, and the less common
 * operations on it.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_INFO_H
#define SELFTESTS_LIB_FAIL_NTH_INFO_H

#include "fail_nth_memory.h"
#include "fail_nth_share.h"
#include "fail_nth_work.h"

static aclrtPhysicalMemProp huge = {
	.memAttr = ACL_HBM_MEM_HUGE,
	.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE },
};
static aclrtMemLocation here = { .type = ACL_MEM_LOCATION_TYPE_DEVICE };
static uint32_t flag_on = 1;

static aclError make_visible(struct world *w)
{
	aclError err = aclrtHostRegisterV2(w->own, AREA, ACL_HOST_REG_MAPPED);

	w->registered = err ? NULL : w->own;
	return err;
}

#define INFO_ROWS(ROW)							\
	ROW(aclrtPointerGetAttributes, make_dev, (w->dev, result(0)))	\
	ROW(aclrtCheckMemType, make_dev,				\
	    (&w->dev, 1, ACL_RT_MEM_TYPE_DEV, result(0), 0))		\
	ROW(aclrtMemGetAddressRange, make_dev,				\
	    (w->dev, result(0), result(1)))				\
	ROW(aclrtMemP2PMap, make_dev, (w->dev, AREA, 0, 0))		\
	ROW(aclrtHostGetDevicePointer, make_visible,			\
	    (w->own, result(0), 0))					\
	ROW(aclrtMemGetAccess, make_mapped, (w->reserved, &here, result(0))) \
	ROW(aclrtMemGetAllocationGranularity, NULL,			\
	    (&huge, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, result(0)))	\
	ROW(aclrtMemGetAllocationPropertiesFromHandle, make_physical,	\
	    (w->physical, result(0)))					\
	ROW(aclrtMemManagedGetAttr, make_managed,			\
	    (ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, w->managed, HUGE_SIZE, \
	     result(0), 4))						\
	ROW(aclrtMemPoolGetAttr, make_pool,				\
	    (w->pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, result(0))) \
	ROW(aclrtMemPoolSetAttr, make_pool,				\
	    (w->pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &flag_on)) \
	ROW(aclrtMemsetD32, NULL, (w->work.dev, AREA, 1, AREA / 4))	\
	ROW(aclrtMemcpyAsyncWithCondition, NULL,			\
	    (w->work.dev, AREA, w->work.pinned, AREA,			\
	     ACL_MEMCPY_HOST_TO_DEVICE, w->work.a))			\
	ROW(aclrtMallocForTaskScheduler, NULL,				\
	    (&w->dev, AREA, ACL_MEM_MALLOC_NORMAL_ONLY, NULL))

INFO_ROWS(ROW_CALL)

CALL(get_attrs, {
	aclrtMemManagedRangeAttribute what =
		ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
	void *data = result(0);
	size_t size = 4;

	return aclrtMemManagedGetAttrs(&what, 1, w->managed, HUGE_SIZE, &data,
				       &size);
})

CALL(free_with_sync, {
	return END(w, dev, aclrtFreeWithDevSync(w->dev));
})

CALL(free_host_with_sync, {
	return END(w, host, aclrtFreeHostWithDevSync(w->host));
})

/* The addresses are in pinned memory. */
static aclError make_addresses(struct world *w)
{
	void **addresses = (void **)w->work.pinned;

	addresses[0] = w->work.dev;
	addresses[1] = w->work.dev + 2 * PART;
	return ACL_SUCCESS;
}

CALL(copy_offset, {
	void **addresses = (void **)w->work.pinned;

	return aclrtMemcpyAsyncWithOffset(addresses, PART, 0,
		(const void **)addresses + 1, PART, 0,
		ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, w->work.a);
})

static aclError copy_batch_v2(struct world *w, bool is_async)
{
	const aclrtMemLocation host = { .type = ACL_MEM_LOCATION_TYPE_HOST };
	aclrtMemcpyBatchAttr attr = { .dstLoc = here, .srcLoc = host };
	void *dst = w->work.dev, *src = w->work.pinned;
	size_t size = PART, index = 0;

	if (is_async)
		return aclrtMemcpyBatchAsyncV2(&dst, &size, &src, &size, 1,
					       &attr, &index, 1, w->work.a);
	return aclrtMemcpyBatchV2(&dst, &size, &src, &size, 1, &attr, &index,
				  1);
}

CALL(copy_batch_v2, {
	return copy_batch_v2(w, false);
})

CALL(copy_batch_async_v2, {
	return copy_batch_v2(w, true);
})

CALL(close_key, {
	aclError err = aclrtIpcMemClose(w->key);

	w->key[0] = err ? w->key[0] : 0;
	return err;
})

CALL(set_pid_v2, {
	int32_t pid = getpid();

	return aclrtMemSetPidToShareableHandleV2(&w->number,
		ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &pid, 1);
})

static const struct sweep info_calls[] = {
	INFO_ROWS(ROW_ENTRY)
	{ "aclrtMemManagedGetAttrs", make_managed, call_get_attrs, false, 0 },
	{ "aclrtFreeWithDevSync", make_dev, call_free_with_sync, true, 0 },
	{ "aclrtFreeHostWithDevSync", make_host, call_free_host_with_sync,
	  false, 0 },
	{ "aclrtMemcpyAsyncWithOffset", make_addresses, call_copy_offset,
	  false, 0 },
	{ "aclrtMemcpyBatchV2", NULL, call_copy_batch_v2, true, 0 },
	{ "aclrtMemcpyBatchAsyncV2", NULL, call_copy_batch_async_v2, true, 0 },
	{ "aclrtIpcMemClose", make_key, call_close_key, false, 0 },
	{ "aclrtMemSetPidToShareableHandleV2", make_limited, call_set_pid_v2,
	  false, 0 },
	{ 0 }
};

#endif
