// SPDX-License-Identifier: GPL-2.0-only
/* The overloads of acl_rt_api.h for C++: each calls what it stands for. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "acl/acl.h"
#include "acl/acl_rt_api.h"

#define COUNT	1024
#define BYTES	(COUNT * sizeof(float))

static int wrong;

static void expect(aclError expected, aclError got, const char *what)
{
	if (got == expected)
		return;
	const char *text = aclGetRecentErrMsg();

	std::printf("# %s: %d, not %d (%s)\n", what, got, expected,
		    text ? text : "");
	wrong++;
}

#define OK(call)		expect(ACL_SUCCESS, call, #call)
#define FAILS(code, call)	expect(code, call, #call)

static void test_streams()
{
	aclrtStream stream;
	aclrtEvent event;
	uint64_t limit = 0;

	OK(aclrtCreateStream(&stream, 1, ACL_STREAM_FAST_LAUNCH));
	OK(aclrtCreateEvent(&event, ACL_EVENT_SYNC));
	OK(aclrtRecordEvent(event, stream));
	OK(aclrtStreamWaitEvent(stream, event, 1000));
	OK(aclrtSynchronizeStream(stream, 1000));
	OK(aclrtSynchronizeEvent(event, -1));
	OK(aclrtSynchronizeDevice(1000));
	FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(stream, 0));
	OK(aclrtSetOpExecuteTimeOut(1000000, &limit));
	if (!limit)
		wrong++;
	OK(aclrtDestroyEvent(event));
	OK(aclrtDestroyStream(stream));
}

static void test_memory()
{
	aclrtPtrAttributes attributes;
	float *dev, *small, *host, *managed;
	aclrtMemManagedLocation here = { ACL_MEM_LOCATIONTYPE_DEVICE, 0 };
	size_t size = 2 << 20, first = 0;

	OK(aclrtMalloc(&dev, BYTES));
	OK(aclrtMalloc(&small, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY, nullptr));
	OK(aclrtMallocHost(&host, BYTES));
	OK(aclrtMemAllocManaged(&managed, BYTES));
	OK(aclrtPointerGetAttributes(dev, &attributes));
	if (attributes.location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
		wrong++;

	const float *ranges[] = { managed };

	OK(aclrtMemManagedPrefetchAsync(managed, size, here, 0, nullptr));
	OK(aclrtMemManagedPrefetchBatchAsync(ranges, &size, 1, here, 0,
					     nullptr));
	OK(aclrtMemManagedPrefetchBatchAsync(ranges, &size, 1, &here, &first, 1,
					     0, nullptr));

	for (int i = 0; i < COUNT; i++)
		host[i] = i;
	float back[COUNT] = { 0 };

	OK(aclrtMemcpy(dev, BYTES, host, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtMemcpyAsync(small, BYTES, dev, BYTES,
			    ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
	OK(aclrtMemcpy2dAsync(small, 64, host, 64, 32, 2,
			      ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
	OK(aclrtSynchronizeStream(nullptr));
	OK(aclrtMemcpy2d(back, 64, small, 64, 64, BYTES / 64,
			 ACL_MEMCPY_DEVICE_TO_HOST));
	if (std::memcmp(back, host, BYTES))
		wrong++;
	OK(aclrtFree(managed));
	OK(aclrtFreeHost(host));
	OK(aclrtFree(small));
	OK(aclrtFree(dev));

	char *own = static_cast<char *>(aligned_alloc(4096, 4096)), *device;

	OK(aclrtHostRegister(own, 4096, ACL_HOST_REGISTER_MAPPED, &device));
	OK(aclrtHostUnregister(own));
	OK(aclrtHostRegister(own, 4096,
			     static_cast<uint32_t>(ACL_HOST_REG_MAPPED)));
	OK(aclrtHostGetDevicePointer(own, &device, 0));
	OK(aclrtHostUnregister(own));
	std::free(own);
}

static void test_batches()
{
	aclrtMemcpyBatchAttr attr = {};
	size_t sizes[] = { 64, 128 }, first = 0, failed = 0;
	float *dev, *host;

	attr.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	attr.srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
	OK(aclrtMalloc(&dev, BYTES));
	OK(aclrtMallocHost(&host, BYTES));
	float *dsts[] = { dev, dev + 128 }, *srcs[] = { host, host + 128 };

	OK(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, attr));
	OK(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, attr, &failed));
	OK(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, &attr, &first, 1));
	OK(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, &attr, &first, 1,
			    &failed));
	OK(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, attr, nullptr));
	OK(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, &attr, &first, 1,
				 nullptr));
	OK(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, attr, &failed,
				 nullptr));
	OK(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, &attr, &first, 1,
				 &failed, nullptr));
	OK(aclrtSynchronizeDevice(-1));
	OK(aclrtFreeHost(host));
	OK(aclrtFree(dev));
}

/* Symbols are passed by reference; the library supports none of them. */
static void test_symbols()
{
	static float variable[2];
	float host[2] = {};
	size_t bytes;
	void *at;

	FAILS(ACL_ERROR_RT_INVALID_SYMBOL,
	      aclrtGetSymbolAddress(variable, &at));
	FAILS(ACL_ERROR_RT_INVALID_SYMBOL,
	      aclrtGetSymbolSize(variable, &bytes));
	FAILS(ACL_ERROR_RT_INVALID_SYMBOL,
	      aclrtMemcpyFromSymbol(host, 8, variable, 8, 0,
				    ACL_MEMCPY_DEVICE_TO_HOST));
	FAILS(ACL_ERROR_RT_INVALID_SYMBOL,
	      aclrtMemcpyFromSymbolAsync(host, 8, variable, 8, 0,
					 ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
	FAILS(ACL_ERROR_RT_INVALID_SYMBOL,
	      aclrtMemcpyToSymbol(variable, host, 8, 0,
				  ACL_MEMCPY_HOST_TO_DEVICE));
	FAILS(ACL_ERROR_RT_INVALID_SYMBOL,
	      aclrtMemcpyToSymbolAsync(variable, host, 8, 0,
				       ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
}

int main()
{
	OK(aclrtSetDevice(0));
	test_streams();
	test_memory();
	test_batches();
	test_symbols();
	OK(aclrtResetDevice(0));
	std::printf("TAP version 13\n1..1\n%s 1 overloads\n",
		    wrong ? "not ok" : "ok");
	return wrong != 0;
}
