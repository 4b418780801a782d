// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device without a driver, for LD_PRELOAD: memory is the program's own, streams
 * are done when a call returns, and operators run in the calling thread by the
 * engine itself.
 *
 * It shows errors of libvnpu-op and of lib/ops as fast as the host can, under
 * sanitizers and debuggers, for any program that uses the calls below, which are
 * those of ggml's CANN backend.  The driver, the queue and the core have no part
 * in it: they are tested by the same program in a machine.  The calls that the
 * test of libvnpu-op needs as well are in selftests/aclnn/host_stream.c.
 *
 *	NATIVE_PARTS	parts of each operator, in one thread (default 3)
 *	NATIVE_TRACE	print the name of each operator
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "acl/acl.h"

#include "launch/operators.h"
#include "ops/call.h"

#define MEMORY		((size_t)4 << 30)
#define GRANULARITY	((size_t)2 << 20)
#define PAGE		((size_t)4096)
#define ALIGN		((size_t)64)

/* Handles that are never followed. */
static char stream_object, event_object;

aclError aclInit(const char *path)
{
	(void)path;
	return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
	*count = 1;
	return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t device)
{
	return device ? ACL_ERROR_RT_INVALID_DEVICEID : ACL_SUCCESS;
}

aclError aclrtGetDevice(int32_t *device)
{
	*device = 0;
	return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t device)
{
	return aclrtSetDevice(device);
}

aclError aclrtSynchronizeDevice(void)
{
	return ACL_SUCCESS;
}

const char *aclrtGetSocName(void)
{
	return "Ascend910B1";
}

aclError aclrtGetMemInfo(aclrtMemAttr attribute, size_t *free, size_t *total)
{
	(void)attribute;
	*free = MEMORY;
	*total = MEMORY;
	return ACL_SUCCESS;
}

/* Memory ends at a page without access; the page before it has its length. */
aclError aclrtMalloc(void **address, size_t size, aclrtMemMallocPolicy policy)
{
	size_t bytes = (size + ALIGN - 1) & ~(ALIGN - 1);
	size_t pages = (bytes + PAGE - 1) & ~(PAGE - 1);
	char *map;

	(void)policy;
	map = mmap(NULL, pages + 2 * PAGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	*(size_t *)map = pages + 2 * PAGE;
	mprotect(map + PAGE + pages, PAGE, PROT_NONE);
	*address = map + PAGE + pages - bytes;
	return ACL_SUCCESS;
}

aclError aclrtFree(void *address)
{
	char *map = (char *)((uintptr_t)address & ~(PAGE - 1)) - PAGE;

	if (address)
		munmap(map, *(size_t *)map);
	return ACL_SUCCESS;
}

aclError aclrtMallocHost(void **address, size_t size)
{
	return aclrtMalloc(address, size, ACL_MEM_MALLOC_HUGE_FIRST);
}

aclError aclrtFreeHost(void *address)
{
	return aclrtFree(address);
}

aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t size,
			  aclrtMemcpyKind kind, aclrtStream stream)
{
	(void)stream;
	return aclrtMemcpy(to, room, from, size, kind);
}

aclError aclrtMemset(void *to, size_t room, int32_t value, size_t size)
{
	if (size > room)
		return ACL_ERROR_INVALID_PARAM;
	memset(to, value, size);
	return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
	*stream = &stream_object;
	return ACL_SUCCESS;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
	(void)stream;
	return ACL_SUCCESS;
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
	*event = &event_object;
	return ACL_SUCCESS;
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
	(void)flag;
	return aclrtCreateEvent(event);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
	(void)event;
	return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
	(void)event;
	(void)stream;
	return ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
	return aclrtRecordEvent(event, stream);
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
	(void)event;
	return ACL_SUCCESS;
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
	aclrtMemGranularityOptions option, size_t *granularity)
{
	(void)prop;
	(void)option;
	*granularity = GRANULARITY;
	return ACL_SUCCESS;
}

aclError aclrtReserveMemAddress(void **address, size_t size, size_t alignment,
				void *expected, uint64_t flags)
{
	(void)alignment;
	(void)expected;
	(void)flags;
	*address = mmap(NULL, size, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return *address == MAP_FAILED ? ACL_ERROR_RT_MEMORY_ALLOCATION :
					ACL_SUCCESS;
}

/* The length of the mapping is not known here: the end of the program frees it. */
aclError aclrtReleaseMemAddress(void *address)
{
	(void)address;
	return ACL_SUCCESS;
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
	const aclrtPhysicalMemProp *prop, uint64_t flags)
{
	(void)size;
	(void)prop;
	(void)flags;
	*handle = (aclrtDrvMemHandle)&stream_object;
	return ACL_SUCCESS;
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
	(void)handle;
	return ACL_SUCCESS;
}

aclError aclrtMapMem(void *address, size_t size, size_t offset,
		     aclrtDrvMemHandle handle, uint64_t flags)
{
	(void)offset;
	(void)handle;
	(void)flags;
	return mprotect(address, size, PROT_READ | PROT_WRITE) ?
	       ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_SUCCESS;
}

aclError aclrtUnmapMem(void *address)
{
	(void)address;
	return ACL_SUCCESS;
}

static _Noreturn void fail(const char *name, const char *text)
{
	fprintf(stderr, "%s: %s\n", name, text);
	abort();
}

static void compute(const char *name, const struct vnpu_op_job *job,
		    uint32_t parts)
{
	struct vnpu_op_work work = { .parts = parts };

	work.scratch = aligned_alloc(64, (job->scratch + 64) / 64 * 64);
	work.shared = aligned_alloc(64, (job->shared + 64) / 64 * 64);
	if (!work.scratch || !work.shared)
		fail(name, "there is no memory for intermediate values");
	for (; work.phase < job->phases; work.phase++)
		for (work.part = 0; work.part < parts; work.part++)
			if (vnpu_op_run(job, &work))
				fail(name, "an index is out of range");
	free(work.scratch);
	free(work.shared);
}

aclError vnpu_operator_launch(const struct vnpu_op_call *call, uint32_t parts,
			      aclrtStream stream)
{
	const char *value = getenv("NATIVE_PARTS");
	uint32_t most = value ? strtoul(value, NULL, 0) : 3;
	struct vnpu_op_error error;
	struct vnpu_op_job job;
	const void *step;
	size_t size, at = 0;

	(void)stream;
	if (getenv("NATIVE_TRACE"))
		fprintf(stderr, "%s\n", call->name);
	for (unsigned int i = 0; i < call->steps; i++) {
		step = vnpu_op_call_step(call, &at, &size);
		if (!step)
			fail(call->name, "the call is too short");
		if (vnpu_op_prepare(&job, step, size, NULL, &error))
			fail(call->name, error.text);
		compute(call->name, &job, parts < most ? parts : most);
	}
	return ACL_SUCCESS;
}
