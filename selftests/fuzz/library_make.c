// SPDX-License-Identifier: GPL-2.0-only
/* Calls that create objects for others, and calls that destroy them. */
#include "library.h"

static aclrtMallocConfig *malloc_config(struct worker *w)
{
	aclrtMallocAttribute *attrs = out(w, 0);
	aclrtMallocConfig *config = out(w, 1);

	for (int i = 0; i < 2; i++) {
		attrs[i].attr = below(w, 5);
		attrs[i].value.deviceId = below(w, 3);
	}
	*config = (aclrtMallocConfig){ attrs, below(w, 3) };
	return below(w, 2) ? config : NULL;
}

/* A call that creates @new. */
#define MAKE(_name, kind, ...)						\
static aclError fuzz_##_name(struct worker *w)				\
{									\
	void *new = NULL;						\
	aclError ret = _name __VA_ARGS__;				\
									\
	return keep_if(w, ret, kind, new);				\
}

aclrtPhysicalMemProp *physical_prop(struct worker *w)
{
	aclrtPhysicalMemProp *prop = out(w, 0);

	*prop = (aclrtPhysicalMemProp){
		.memAttr = below(w, 4) ? ACL_HBM_MEM_NORMAL : below(w, 18),
		.location = {
			.type = below(w, 8) ? ACL_MEM_LOCATION_TYPE_DEVICE :
					      below(w, 5),
		},
	};
	return prop;
}

static aclrtMemPoolProps *pool_props(struct worker *w)
{
	aclrtMemPoolProps *props = out(w, 0);

	*props = (aclrtMemPoolProps){
		.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE },
		.maxSize = below(w, 2) ? 0 : size_of(w),
	};
	return props;
}

MAKE(aclrtMalloc, DEVICE_MEM, (&new, size_of(w), below(w, 8)))
MAKE(vnpu_malloc, DEVICE_MEM, (&new, size_of(w), small(w)))
MAKE(aclrtMallocAlign32, DEVICE_MEM, (&new, size_of(w), below(w, 8)))
MAKE(aclrtMallocCached, DEVICE_MEM, (&new, size_of(w), below(w, 8)))
MAKE(aclrtMallocWithCfg, DEVICE_MEM,
     (&new, size_of(w), below(w, 8), malloc_config(w)))
MAKE(aclrtMallocForTaskScheduler, DEVICE_MEM,
     (&new, size_of(w), below(w, 8), malloc_config(w)))
MAKE(aclrtMallocHost, PINNED, (&new, 1 + below(w, 1 << 18)))
MAKE(aclrtMallocHostWithCfg, PINNED,
     (&new, 1 + below(w, 1 << 18), malloc_config(w)))
MAKE(aclrtMemAllocManaged, MANAGED,
     (&new, size_of(w), below(w, 8) ? ACL_RT_MEM_ATTACH_GLOBAL : below(w, 8)))
MAKE(aclrtMallocPhysical, PHYSICAL, (&new, size_of(w), physical_prop(w), 0))
MAKE(aclrtReserveMemAddress, RESERVED, (&new, size_of(w), 0, NULL, below(w, 2)))
MAKE(aclrtReserveMemAddressNoUCMemory, RESERVED,
     (&new, size_of(w), 0, any(w), below(w, 2)))
MAKE(aclrtMemPoolCreate, MEM_POOL, (&new, pool_props(w)))
MAKE(aclrtMemPoolMallocAsync, DEVICE_MEM,
     (&new, size_of(w), handle(w, MEM_POOL), handle(w, STREAM)))
MAKE(aclrtCreateStream, STREAM, (&new))
MAKE(aclrtCreateStreamWithConfig, STREAM, (&new, small(w), small(w)))
MAKE(aclrtCreateStreamV2, STREAM, (&new, handle(w, STREAM_CONFIG)))
MAKE(aclrtCreateEvent, EVENT, (&new))
MAKE(aclrtCreateEventWithFlag, EVENT, (&new, 1 << below(w, 8)))
MAKE(aclrtCreateEventExWithFlag, EVENT, (&new, 1 << below(w, 8)))
MAKE(aclrtCreateNotify, NOTIFY, (&new, below(w, 2)))
MAKE(aclrtCntNotifyCreate, COUNTER, (&new, 0))

/* It becomes current, and objects of other contexts are not available in it. */
static aclError fuzz_aclrtCreateContext(struct worker *w)
{
	void *new = NULL;
	aclError ret = SELDOM(w, aclrtCreateContext(&new, small(w) / 4));

	return keep_if(w, ret, CONTEXT, new);
}

static aclError fuzz_aclrtCreateStreamConfigHandle(struct worker *w)
{
	void *new = aclrtCreateStreamConfigHandle();

	return keep_if(w, made(new), STREAM_CONFIG, new);
}

static aclError fuzz_aclrtAllocatorCreateDesc(struct worker *w)
{
	void *new = aclrtAllocatorCreateDesc();

	return keep_if(w, made(new), ALLOCATOR, new);
}

const struct call make_calls[] = {
	CALL(aclrtMalloc),
	CALL(vnpu_malloc),
	CALL(aclrtMallocAlign32),
	CALL(aclrtMallocCached),
	CALL(aclrtMallocWithCfg),
	CALL(aclrtMallocForTaskScheduler),
	CALL(aclrtMallocHost),
	CALL(aclrtMallocHostWithCfg),
	CALL(aclrtMemAllocManaged),
	CALL(aclrtMallocPhysical),
	CALL(aclrtReserveMemAddress),
	CALL(aclrtReserveMemAddressNoUCMemory),
	CALL(aclrtMemPoolCreate),
	CALL(aclrtMemPoolMallocAsync),
	CALL(aclrtCreateStream),
	CALL(aclrtCreateStreamWithConfig),
	CALL(aclrtCreateStreamV2),
	CALL(aclrtCreateEvent),
	CALL(aclrtCreateEventWithFlag),
	CALL(aclrtCreateEventExWithFlag),
	CALL(aclrtCreateContext),
	CALL(aclrtCreateNotify),
	CALL(aclrtCntNotifyCreate),
	CALL(aclrtCreateStreamConfigHandle),
	CALL(aclrtAllocatorCreateDesc),
	{ 0 }
};

#define DESTROY_ROWS(ROW)						\
	ROW(aclrtDestroyStream, (handle(w, STREAM)))			\
	ROW(aclrtDestroyStreamForce, (handle(w, STREAM)))		\
	ROW(aclrtStreamAbort, (handle(w, STREAM)))			\
	ROW(aclrtStreamStop, (handle(w, STREAM)))			\
	ROW(aclrtDestroyEvent, (handle(w, EVENT)))			\
	ROW(aclrtDestroyContext, (handle(w, CONTEXT)))			\
	ROW(aclrtFree, (handle(w, below(w, 4) ? DEVICE_MEM : MANAGED)))	\
	ROW(aclrtFreeWithDevSync, (handle(w, DEVICE_MEM)))		\
	ROW(aclrtFreeHost, (handle(w, PINNED)))				\
	ROW(aclrtFreeHostWithDevSync, (handle(w, PINNED)))		\
	ROW(aclrtFreePhysical, (handle(w, PHYSICAL)))			\
	ROW(aclrtReleaseMemAddress, (handle(w, RESERVED)))		\
	ROW(aclrtUnmapMem, (handle(w, RESERVED)))			\
	ROW(aclrtDestroyNotify, (handle(w, NOTIFY)))			\
	ROW(aclrtCntNotifyDestroy, (handle(w, COUNTER)))		\
	ROW(aclrtMemPoolDestroy, (handle(w, MEM_POOL)))			\
	ROW(aclrtMemPoolFreeAsync,					\
	    (handle(w, DEVICE_MEM), handle(w, STREAM)))			\
	ROW(aclrtDestroyStreamConfigHandle, (handle(w, STREAM_CONFIG)))	\
	ROW(aclrtAllocatorDestroyDesc, (handle(w, ALLOCATOR)))

DESTROY_ROWS(ROW_CALL)

const struct call destroy_calls[] = {
	DESTROY_ROWS(ROW_ENTRY)
	{ 0 }
};
