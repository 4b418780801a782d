// SPDX-License-Identifier: GPL-2.0-only
/* Calls for memory: of devices and hosts, managed, physical and in pools. */
#include "library.h"

/* A part of the caller's own memory that can be registered. */
static void *own_pages(struct worker *w)
{
	return w->host + PAGE_BYTES * below(w, HOST_BYTES / PAGE_BYTES / 2);
}

static size_t own_size(struct worker *w)
{
	return below(w, 16 * PAGE_BYTES);
}

static aclrtMemAccessDesc *access_desc(struct worker *w)
{
	aclrtMemAccessDesc *desc = out(w, 0);

	*desc = (aclrtMemAccessDesc){
		.flags = below(w, 4),
		.location = { .type = below(w, 2) },
	};
	return desc;
}

/* Mapped memory can be used; an address must have been allocated. */
static aclError fuzz_aclrtMapMem(struct worker *w)
{
	void *at = handle(w, RESERVED);
	aclError ret = aclrtMapMem(at, size_of(w), 0, handle(w, PHYSICAL), 0);

	return keep_if(w, ret, DEVICE_MEM, at);
}

static aclError fuzz_aclrtMemRetainAllocationHandle(struct worker *w)
{
	void *new = NULL;
	aclError ret = aclrtMemRetainAllocationHandle(handle(w, RESERVED),
						      &new);

	return keep_if(w, ret, PHYSICAL, new);
}

static aclrtMemManagedLocation managed_location(struct worker *w)
{
	aclrtMemManagedLocation location = {
		.type = below(w, 2) ? ACL_MEM_LOCATIONTYPE_DEVICE :
				      ACL_MEM_LOCATIONTYPE_HOST,
	};

	if (!below(w, 8)) {
		location.type = below(w, 5);
		location.id = small(w) / 4;
	}
	return location;
}

static aclError fuzz_aclrtMemManagedPrefetchBatchAsync(struct worker *w)
{
	const void *ptrs[4];
	size_t sizes[4], indexes[4] = { 0, 1, 2, below(w, 4) };
	size_t count = below(w, 8) ? 4 : below(w, 5);
	aclrtMemManagedLocation locations[4];
	void *mostly = handle(w, MANAGED);

	for (int i = 0; i < 4; i++) {
		ptrs[i] = below(w, 8) ? mostly : handle(w, MANAGED);
		sizes[i] = size_of(w);
		locations[i] = managed_location(w);
	}
	return aclrtMemManagedPrefetchBatchAsync(ptrs, sizes, count, locations,
						 indexes, 1 + below(w, 4),
						 !below(w, 8),
						 handle(w, STREAM));
}

static aclError fuzz_aclrtMemManagedGetAttrs(struct worker *w)
{
	aclrtMemManagedRangeAttribute attributes[2] = {
		below(w, 10), below(w, 10)
	};
	void *data[2] = { out(w, 0), out(w, 1) };
	size_t sizes[2] = { below(w, 64), 4 };

	return aclrtMemManagedGetAttrs(attributes, below(w, 3),
				       handle(w, MANAGED), size_of(w), data,
				       sizes);
}

static aclError fuzz_aclrtCheckMemType(struct worker *w)
{
	void *list[4] = { any(w), any(w), any(w), any(w) };

	return aclrtCheckMemType(list, below(w, 5), below(w, 4), out(w, 0), 0);
}

#define MEMORY_ROWS(ROW)						\
	ROW(aclrtMemSetAccess,						\
	    (handle(w, RESERVED), size_of(w), access_desc(w), 1))	\
	ROW(aclrtMemGetAccess,						\
	    (handle(w, RESERVED), &access_desc(w)->location, out(w, 1))) \
	ROW(aclrtMemMapNoAccess,					\
	    (handle(w, RESERVED), size_of(w), 0, handle(w, PHYSICAL), 0)) \
	ROW(aclrtMemMapSetLink, (handle(w, PHYSICAL), below(w, 4)))	\
	ROW(aclrtMemMapSelectedLink,					\
	    (handle(w, RESERVED), size_of(w), any(w), small(w)))	\
	ROW(aclrtMemGetAllocationGranularity,				\
	    (physical_prop(w), below(w, 3), out(w, 1)))			\
	ROW(aclrtMemGetAllocationPropertiesFromHandle,			\
	    (handle(w, PHYSICAL), out(w, 0)))				\
	ROW(aclrtMemP2PMap,						\
	    (handle(w, DEVICE_MEM), size_of(w), small(w) / 4, below(w, 2))) \
	ROW(aclrtHostRegister,						\
	    (own_pages(w), own_size(w), 4 * below(w, 3), out(w, 0)))	\
	ROW(aclrtHostRegisterV2, (own_pages(w), own_size(w), below(w, 16))) \
	ROW(aclrtHostGetDevicePointer,					\
	    (below(w, 2) ? any(w) : own_pages(w), out(w, 0), below(w, 2))) \
	ROW(aclrtHostUnregister, (below(w, 2) ? any(w) : own_pages(w)))	\
	ROW(aclrtHostMemMapCapabilities, (small(w), small(w), out(w, 0))) \
	ROW(aclrtMemManagedAdvise,					\
	    (handle(w, MANAGED), size_of(w), below(w, 7),		\
	     managed_location(w)))					\
	ROW(aclrtMemManagedPrefetchAsync,				\
	    (handle(w, MANAGED), size_of(w), managed_location(w),	\
	     below(w, 2), handle(w, STREAM)))				\
	ROW(aclrtMemManagedGetAttr,					\
	    (below(w, 10), handle(w, MANAGED), size_of(w), out(w, 0),	\
	     below(w, 64)))						\
	ROW(aclrtMemPoolSetAttr,					\
	    (handle(w, MEM_POOL), below(w, 10), out(w, 0)))		\
	ROW(aclrtMemPoolGetAttr,					\
	    (handle(w, MEM_POOL), below(w, 10), out(w, 0)))		\
	ROW(aclrtMemPoolTrimTo, (handle(w, MEM_POOL), size_of(w)))	\
	ROW(aclrtGetMemInfo, (small(w), out(w, 0), out(w, 1)))		\
	ROW(aclrtPointerGetAttributes, (any(w), out(w, 0)))		\
	ROW(aclrtMemGetAddressRange, (any(w), out(w, 0), out(w, 1)))	\
	ROW(aclrtGetMemUsageInfo,					\
	    (small(w) / 4, out(w, 0), below(w, 5), out(w, 1)))		\
	ROW(aclrtGetMemUceInfo,						\
	    (small(w) / 4, out(w, 0), below(w, 5), out(w, 1)))		\
	ROW(aclrtMemUceRepair, (small(w) / 4, out(w, 0), below(w, 5)))

MEMORY_ROWS(ROW_CALL)

const struct call memory_calls[] = {
	MEMORY_ROWS(ROW_ENTRY)
	CALL(aclrtMapMem),
	CALL(aclrtMapMem),
	CALL(aclrtMapMem),
	CALL(aclrtMemRetainAllocationHandle),
	CALL(aclrtMemManagedPrefetchBatchAsync),
	CALL(aclrtMemManagedGetAttrs),
	CALL(aclrtCheckMemType),
	{ 0 }
};
