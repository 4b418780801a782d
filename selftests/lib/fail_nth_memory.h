/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: allocating and using memory. */
#ifndef SELFTESTS_LIB_FAIL_NTH_MEMORY_H
#define SELFTESTS_LIB_FAIL_NTH_MEMORY_H

#include "fail_nth_calls.h"

/* The calls that allocate the objects of others. */
static aclError make_dev(struct world *w)
{
	return aclrtMalloc(&w->dev, AREA, ACL_MEM_MALLOC_NORMAL_ONLY);
}

static aclError make_physical(struct world *w)
{
	const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};

	return aclrtMallocPhysical(&w->physical, HUGE_SIZE, &prop, 0);
}

static aclError make_reserved(struct world *w)
{
	return aclrtReserveMemAddress(&w->reserved, HUGE_SIZE, 0, NULL, 0);
}

static aclError make_both(struct world *w)
{
	aclError err = make_physical(w);

	return err ? err : make_reserved(w);
}

static aclError map(struct world *w)
{
	aclError err = aclrtMapMem(w->reserved, HUGE_SIZE, 0, w->physical, 0);

	w->is_mapped = !err;
	return err;
}

static aclError make_mapped(struct world *w)
{
	aclError err = make_both(w);

	return err ? err : map(w);
}

static aclError make_pool(struct world *w)
{
	const aclrtMemPoolProps props = {
		.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};

	return aclrtMemPoolCreate(&w->pool, &props);
}

static aclError pool_take(struct world *w)
{
	return aclrtMemPoolMallocAsync(&w->pooled, AREA, w->pool, w->work.a);
}

static aclError make_pooled(struct world *w)
{
	aclError err = make_pool(w);

	return err ? err : pool_take(w);
}

static aclError make_host(struct world *w)
{
	return aclrtMallocHost(&w->host, 16 * PAGE_SIZE);
}

static aclError make_managed(struct world *w)
{
	return aclrtMemAllocManaged(&w->managed, HUGE_SIZE,
				    ACL_RT_MEM_ATTACH_GLOBAL);
}

static aclError make_registered(struct world *w)
{
	aclError err = aclrtHostRegisterV2(w->own, AREA,
					   ACL_HOST_REG_PINNED);

	w->registered = err ? NULL : w->own;
	return err;
}

static aclError make_key(struct world *w)
{
	aclError err = make_dev(w);

	return err ? err : aclrtIpcMemGetExportKey(w->dev, AREA, w->key,
						   KEY_LENGTH, 1);
}

CALL(malloc_huge, {
	return aclrtMalloc(&w->dev, 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST);
})

CALL(malloc_small, {
	return aclrtMalloc(&w->dev, 100, ACL_MEM_MALLOC_NORMAL_ONLY);
})

CALL(free, {
	return END(w, dev, aclrtFree(w->dev));
})

CALL(free_host, {
	return END(w, host, aclrtFreeHost(w->host));
})

CALL(unregister, {
	return END(w, registered, aclrtHostUnregister(w->registered));
})

CALL(free_managed, {
	return END(w, managed, aclrtFree(w->managed));
})

CALL(advise, {
	const aclrtMemManagedLocation here = {
		.type = ACL_MEM_LOCATIONTYPE_DEVICE,
	};

	return aclrtMemManagedAdvise(w->managed, HUGE_SIZE,
				     ACL_MEM_ADVISE_SET_PREFERRED_LOCATION,
				     here);
})

CALL(prefetch, {
	const aclrtMemManagedLocation here = {
		.type = ACL_MEM_LOCATIONTYPE_DEVICE,
	};

	return aclrtMemManagedPrefetchAsync(w->managed, HUGE_SIZE, here, 0,
					    w->work.a);
})

CALL(copy_in, {
	return aclrtMemcpy(w->work.dev, AREA, w->own, AREA,
			   ACL_MEMCPY_HOST_TO_DEVICE);
})

CALL(copy_out, {
	return aclrtMemcpy(w->own, AREA, w->work.dev, AREA,
			   ACL_MEMCPY_DEVICE_TO_HOST);
})

CALL(copy_small, {
	return aclrtMemcpy(w->small, sizeof(w->small), w->work.dev,
			   sizeof(w->small), ACL_MEMCPY_DEVICE_TO_HOST);
})

CALL(copy_2d, {
	return aclrtMemcpy2d(w->work.dev, 256, w->own, 512, 100, 20,
			     ACL_MEMCPY_HOST_TO_DEVICE);
})

CALL(memset, {
	return aclrtMemset(w->work.dev, AREA, 1, AREA);
})

CALL(copy_async, {
	return aclrtMemcpyAsync(w->work.dev, AREA, w->work.pinned, AREA,
				ACL_MEMCPY_HOST_TO_DEVICE, w->work.a);
})

CALL(copy_async_own, {
	return aclrtMemcpyAsync(w->work.dev, AREA, w->own, AREA,
				ACL_MEMCPY_HOST_TO_DEVICE, w->work.a);
})

CALL(memset_async, {
	return aclrtMemsetAsync(w->work.dev, AREA, 1, AREA, w->work.a);
})

CALL(reduce_async, {
	return aclrtReduceAsync(w->work.dev, w->work.dev + 4096, 4096,
				ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT,
				w->work.a, NULL);
})

CALL(write_value, {
	return aclrtValueWrite(w->work.gate, 1, 0, w->work.a);
})

CALL(set_access, {
	aclrtMemAccessDesc access = {
		.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE,
		.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};

	return aclrtMemSetAccess(w->reserved, HUGE_SIZE, &access, 1);
})

CALL(unmap, {
	aclError err = aclrtUnmapMem(w->reserved);

	w->is_mapped = err;
	return err;
})

CALL(release, {
	return END(w, reserved, aclrtReleaseMemAddress(w->reserved));
})

CALL(free_physical, {
	return END(w, physical, aclrtFreePhysical(w->physical));
})

CALL(retain, {
	return aclrtMemRetainAllocationHandle(w->reserved, &w->second);
})

CALL(export_dmabuf, {
	return vnpu_mem_export_dmabuf(w->physical, 0, &w->file);
})

static aclError make_file(struct world *w)
{
	aclError err = make_physical(w);

	return err ? err : call_export_dmabuf(w);
}

CALL(import_dmabuf, {
	size_t size = 0;

	return vnpu_mem_import_dmabuf(w->file, &w->second, &size);
})

CALL(export_key, {
	return aclrtIpcMemGetExportKey(w->dev, AREA, w->key, KEY_LENGTH, 1);
})

CALL(import_key, {
	void *p = NULL;

	return aclrtIpcMemImportByKey(&p, w->key, 0);
})

CALL(export_handle, {
	uint64_t name = 0;

	return aclrtMemExportToShareableHandle(w->physical,
					       ACL_MEM_HANDLE_TYPE_NONE, 1,
					       &name);
})

CALL(pool_give, {
	return END(w, pooled, aclrtMemPoolFreeAsync(w->pooled, w->work.a));
})

CALL(pool_destroy, {
	return END(w, pool, aclrtMemPoolDestroy(w->pool));
})

static const struct sweep memory_calls[] = {
	{ "aclrtMalloc", NULL, make_dev, false, 0 },
	{ "aclrtMalloc, small", NULL, call_malloc_small, false, 0 },
	{ "aclrtMalloc, huge", NULL, call_malloc_huge, false, 0 },
	{ "aclrtFree", make_dev, call_free, true, 0 },
	{ "aclrtMallocHost", NULL, make_host, false, 0 },
	{ "aclrtFreeHost", make_host, call_free_host, false, 0 },
	{ "aclrtHostRegisterV2", NULL, make_registered, false, 0 },
	{ "aclrtHostUnregister", make_registered, call_unregister, true, 0 },
	{ "aclrtMemAllocManaged", NULL, make_managed, false, 0 },
	{ "aclrtFree, managed", make_managed, call_free_managed, true, 0 },
	{ "aclrtMemManagedAdvise", make_managed, call_advise, false, 0 },
	{ "aclrtMemManagedPrefetchAsync", make_managed, call_prefetch,
	  false, 0 },
	{ 0 }
};

static const struct sweep copy_calls[] = {
	{ "aclrtMemcpy, to the device", NULL, call_copy_in, true, 0 },
	{ "aclrtMemcpy, to the host", NULL, call_copy_out, true, 0 },
	{ "aclrtMemcpy, few bytes", NULL, call_copy_small, false, 0 },
	{ "aclrtMemcpy2d", NULL, call_copy_2d, true, 0 },
	{ "aclrtMemset", NULL, call_memset, false, 0 },
	{ "aclrtMemcpyAsync", NULL, call_copy_async, false, 0 },
	{ "aclrtMemcpyAsync, not pinned", NULL, call_copy_async_own, true, 0 },
	{ "aclrtMemsetAsync", NULL, call_memset_async, false, 0 },
	{ "aclrtReduceAsync", NULL, call_reduce_async, false, 0 },
	{ "aclrtValueWrite", NULL, call_write_value, false, 0 },
	{ 0 }
};

static const struct sweep vmm_calls[] = {
	{ "aclrtMallocPhysical", NULL, make_physical, false, 0 },
	{ "aclrtFreePhysical", make_physical, call_free_physical, false, 0 },
	{ "aclrtReserveMemAddress", NULL, make_reserved, false, 0 },
	{ "aclrtReleaseMemAddress", make_reserved, call_release, false, 0 },
	{ "aclrtMapMem", make_both, map, false, 0 },
	{ "aclrtUnmapMem", make_mapped, call_unmap, true, 0 },
	{ "aclrtMemSetAccess", make_mapped, call_set_access, false, 0 },
	{ "aclrtMemRetainAllocationHandle", make_mapped, call_retain, false, 0 },
	{ "vnpu_mem_export_dmabuf", make_physical, call_export_dmabuf,
	  false, 0 },
	{ "vnpu_mem_import_dmabuf", make_file, call_import_dmabuf, false, 0 },
	{ "aclrtIpcMemGetExportKey", make_dev, call_export_key, false, 0 },
	{ "aclrtIpcMemImportByKey", make_key, call_import_key, false, 0 },
	{ "aclrtMemExportToShareableHandle", make_physical,
	  call_export_handle, false, 0 },
	{ 0 }
};

static const struct sweep pool_calls[] = {
	{ "aclrtMemPoolCreate", NULL, make_pool, false, 0 },
	{ "aclrtMemPoolMallocAsync", make_pool, pool_take, false, 0 },
	{ "aclrtMemPoolFreeAsync", make_pooled, call_pool_give, false, 0 },
	{ "aclrtMemPoolDestroy", make_pool, call_pool_destroy, false, 0 },
	{ 0 }
};

#endif
