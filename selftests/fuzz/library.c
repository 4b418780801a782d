// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz libvnpu: random calls by several threads at once, with handles that are
 * good, stale, of another kind or none at all. A call answers with an error code
 * or does what it says; that it never does harm is for the sanitizers to see,
 * with which this program and the library are built together.
 *
 * Nothing waits without a limit, and host memory that the library may touch
 * itself stays where it is: to get that wrong is the caller's own fault.
 *
 * Who gives a handle to another thread has to order that, as programs do.
 *
 * VNPU_FUZZ_SECONDS says how long; VNPU_SEED repeats what each thread asks for.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "acl/acl_rt_memory_soma.h"
#include "util.h"
#include "vnpu.h"

#define THREADS		4
#define HOST_BYTES	(1 << 20)
#define POOL		24

enum kind {
	STREAM, EVENT, CONTEXT, DEVICE_MEM, PINNED, PHYSICAL, RESERVED,
	NOTIFY, COUNTER, MEM_POOL, STREAM_CONFIG, KINDS,
};

/* Handles that were good once; threads overwrite one another's. */
static void *pool[KINDS][POOL];

struct worker {
	struct rng r;
	uint8_t *host;		/* HOST_BYTES of its own, which copies use */
	uint64_t until;
	unsigned long calls, refused;
	aclError bad;		/* a result that is no error code */
	unsigned int bad_call;
};

static uint64_t below(struct worker *w, uint64_t limit)
{
	return rng_below(&w->r, limit);
}

/* No reset frees what is pinned: it would fill the machine. */
static void keep(struct worker *w, enum kind kind, void *handle)
{
	void *old = __atomic_exchange_n(&pool[kind][below(w, POOL)], handle,
					__ATOMIC_ACQ_REL);

	if (kind == PINNED && old)
		aclrtFreeHost(old);
}

/* Mostly one of its kind, which another thread may destroy at this moment. */
static void *handle(struct worker *w, enum kind kind)
{
	void *const garbage[] = {
		NULL, (void *)1, (void *)8, (void *)-1, w->host, stdout,
		(void *)0xdeadbeefcafef00d, (void *)handle,
	};

	if (!below(w, 40))
		return garbage[below(w, 8)];
	if (!below(w, 40))
		kind = below(w, KINDS);
	return __atomic_load_n(&pool[kind][below(w, POOL)], __ATOMIC_ACQUIRE);
}

static uint64_t size_of(struct worker *w)
{
	static const uint64_t odd[] = {
		0, 1, 63, 64, 4095, 4096, 4097, 2 << 20, 1ULL << 40,
		1ULL << 63, ~0ULL, ~0ULL - 4095,
	};

	return below(w, 8) ? 1 + below(w, 1 << below(w, 20)) :
			     odd[below(w, 12)];
}

static int small(struct worker *w)
{
	return (int)below(w, 12) - 2;
}

/*
 * Of device memory, which may be gone, or this program's own. What is neither is
 * memory of the host to the library, which may touch that.
 */
static void *address(struct worker *w, bool *is_host)
{
	uint8_t *mem = __atomic_load_n(&pool[DEVICE_MEM][below(w, POOL)],
				       __ATOMIC_ACQUIRE);

	*is_host = !mem || !below(w, 3);
	return *is_host ? w->host + below(w, HOST_BYTES / 2) :
			 mem + below(w, 128);
}

static aclrtMemcpyKind copy_kind(struct worker *w, bool from_host, bool to_host)
{
	static const aclrtMemcpyKind kinds[2][2] = {
		{ ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST },
		{ ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_HOST_TO_HOST },
	};

	return below(w, 20) ? kinds[from_host][to_host] :
			      (aclrtMemcpyKind)small(w);
}

/* Host memory ends somewhere, and it is the caller's to know where. */
static size_t copy_size(struct worker *w, bool is_host)
{
	return is_host ? below(w, HOST_BYTES / 2) : size_of(w);
}

static aclError call_make(struct worker *w)
{
	aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_NORMAL,
		.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	aclrtMemPoolProps props = {
		.location = { .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	enum kind kind = below(w, KINDS);
	void *made = NULL;
	aclError ret;

	switch (kind) {
	case STREAM:
		ret = below(w, 2) ? aclrtCreateStream(&made) :
		      aclrtCreateStreamWithConfig(&made, small(w), small(w));
		break;
	case EVENT:
		ret = below(w, 2) ? aclrtCreateEvent(&made) :
		      aclrtCreateEventExWithFlag(&made, small(w));
		break;
	case CONTEXT:
		ret = aclrtCreateContext(&made, small(w) / 4);
		break;
	case DEVICE_MEM:
		ret = below(w, 4) ? aclrtMalloc(&made, size_of(w), below(w, 8)) :
		      vnpu_malloc(&made, size_of(w), small(w));
		break;
	case PINNED:
		ret = aclrtMallocHost(&made, 1 + below(w, 1 << 18));
		break;
	case PHYSICAL:
		ret = aclrtMallocPhysical(&made, size_of(w), &prop, 0);
		break;
	case RESERVED:
		ret = aclrtReserveMemAddress(&made, size_of(w), 0, NULL,
					     below(w, 2));
		break;
	case NOTIFY:
		ret = aclrtCreateNotify(&made, below(w, 2));
		break;
	case COUNTER:
		ret = aclrtCntNotifyCreate(&made, 0);
		break;
	case MEM_POOL:
		ret = aclrtMemPoolCreate(&made, &props);
		break;
	default:
		made = aclrtCreateStreamConfigHandle();
		ret = ACL_SUCCESS;
	}
	if (!ret && made)
		keep(w, kind, made);
	return ret;
}

static aclError call_destroy(struct worker *w)
{
	switch ((enum kind)below(w, KINDS)) {
	case STREAM:
		return below(w, 2) ? aclrtDestroyStreamForce(handle(w, STREAM)) :
		       aclrtStreamAbort(handle(w, STREAM));
	case EVENT:
		return aclrtDestroyEvent(handle(w, EVENT));
	case CONTEXT:
		return aclrtDestroyContext(handle(w, CONTEXT));
	case DEVICE_MEM:
		return aclrtFree(handle(w, DEVICE_MEM));
	case PINNED:
		return aclrtFreeHost(handle(w, PINNED));
	case PHYSICAL:
		return aclrtFreePhysical(handle(w, PHYSICAL));
	case RESERVED:
		return below(w, 2) ? aclrtReleaseMemAddress(handle(w, RESERVED)) :
		       aclrtUnmapMem(handle(w, RESERVED));
	case NOTIFY:
		return aclrtDestroyNotify(handle(w, NOTIFY));
	case COUNTER:
		return aclrtCntNotifyDestroy(handle(w, COUNTER));
	case MEM_POOL:
		return aclrtMemPoolDestroy(handle(w, MEM_POOL));
	default:
		return aclrtStreamStop(handle(w, STREAM));
	}
}

static aclError call_copy(struct worker *w)
{
	bool to_host, from_host;
	void *dst = address(w, &to_host);
	const void *src = address(w, &from_host);
	size_t size = copy_size(w, to_host || from_host);
	aclrtMemcpyKind kind = copy_kind(w, from_host, to_host);
	void *stream = handle(w, STREAM);

	switch (below(w, 7)) {
	case 0:
		return aclrtMemcpy(dst, size, src, size, kind);
	case 1:
		return aclrtMemcpyAsync(dst, size, src, size, kind, stream);
	case 2:
		return aclrtMemset(dst, size, small(w), size);
	case 3:
		return aclrtMemsetAsync(dst, size, small(w), size, stream);
	case 4:
		size = below(w, 512);
		return aclrtMemcpy2dAsync(dst, 512, src, 512, size,
					  below(w, 512), kind, stream);
	case 5:
		return aclrtReduceAsync(dst, src, size, 10 + below(w, 5),
					below(w, 30), stream, NULL);
	default:
		return aclrtValueWrite(dst, size_of(w), 0, stream);
	}
}

static aclError call_stream(struct worker *w)
{
	void *stream = handle(w, STREAM);
	aclrtStreamStatus status;
	uint32_t number;
	int32_t id;

	switch (below(w, 8)) {
	case 0:
		return aclrtSynchronizeStreamWithTimeout(stream, 1 + small(w));
	case 1:
		return aclrtStreamQuery(stream, &status);
	case 2:
		return aclrtStreamGetId(stream, &id);
	case 3:
		return aclrtStreamGetPriority(stream, &number);
	case 4:
		return aclrtSetStreamFailureMode(stream, below(w, 3));
	case 5:
		return aclrtStreamWaitEventWithTimeout(stream, handle(w, EVENT),
						       1 + below(w, 5));
	case 6:
		return aclrtSynchronizeDeviceWithTimeout(1 + below(w, 5));
	default:
		return aclrtSetStreamOverflowSwitch(stream, below(w, 3));
	}
}

static aclError call_event(struct worker *w)
{
	void *event = handle(w, EVENT), *stream = handle(w, STREAM);
	aclrtEventRecordedStatus status;
	uint32_t number;
	uint64_t stamp;
	float ms;

	switch (below(w, 8)) {
	case 0:
	case 1:
		return aclrtRecordEvent(event, stream);
	case 2:
		return aclrtResetEvent(event, stream);
	case 3:
		return aclrtQueryEventStatus(event, &status);
	case 4:
		return aclrtSynchronizeEventWithTimeout(event, 1 + below(w, 5));
	case 5:
		return aclrtEventElapsedTime(&ms, event, handle(w, EVENT));
	case 6:
		return aclrtEventGetTimestamp(event, &stamp);
	default:
		return aclrtGetEventId(event, &number);
	}
}

static aclError call_notify(struct worker *w)
{
	aclrtCntNotifyRecordInfo record = { .value = below(w, 9) };
	void *stream = handle(w, STREAM);
	uint32_t number;

	switch (below(w, 6)) {
	case 0:
		return aclrtRecordNotify(handle(w, NOTIFY), stream);
	case 1:
		return aclrtWaitAndResetNotify(handle(w, NOTIFY), stream,
					       1 + below(w, 5));
	case 2:
		return aclrtGetNotifyId(handle(w, NOTIFY), &number);
	case 3:
		return aclrtCntNotifyRecord(handle(w, COUNTER), stream,
					    &record);
	case 4:
		return aclrtCntNotifyReset(handle(w, COUNTER), stream);
	default:
		return aclrtCntNotifyGetId(handle(w, COUNTER), &number);
	}
}

static aclError call_physical(struct worker *w)
{
	aclrtMemAccessDesc desc = {
		.flags = below(w, 4),
		.location = { .type = below(w, 2) },
	};
	void *at = handle(w, RESERVED), *made = NULL;
	uint64_t shared;
	aclError ret;

	switch (below(w, 6)) {
	case 0:
	case 1:
		return aclrtMapMem(at, size_of(w), 0, handle(w, PHYSICAL), 0);
	case 2:
		return aclrtMemSetAccess(at, size_of(w), &desc, 1);
	case 3:
		ret = aclrtMemRetainAllocationHandle(at, &made);
		if (!ret)
			keep(w, PHYSICAL, made);
		return ret;
	case 4:
		ret = aclrtMemExportToShareableHandle(handle(w, PHYSICAL), 0,
						      1, &shared);
		if (ret)
			return ret;
		ret = aclrtMemImportFromShareableHandle(shared, 0, &made);
		if (!ret)
			keep(w, PHYSICAL, made);
		return ret;
	default:
		/* Mapped memory is memory; an address must have been given. */
		ret = aclrtMapMem(at, 4096, 0, handle(w, PHYSICAL), 0);
		if (!ret)
			keep(w, DEVICE_MEM, at);
		return ret;
	}
}

static aclError call_pool(struct worker *w)
{
	void *mem = NULL;
	aclError ret;

	switch (below(w, 3)) {
	case 0:
		ret = aclrtMemPoolMallocAsync(&mem, size_of(w),
					      handle(w, MEM_POOL),
					      handle(w, STREAM));
		if (!ret)
			keep(w, DEVICE_MEM, mem);
		return ret;
	case 1:
		return aclrtMemPoolFreeAsync(handle(w, DEVICE_MEM),
					     handle(w, STREAM));
	default:
		return aclrtMemPoolTrimTo(handle(w, MEM_POOL), size_of(w));
	}
}

static aclError call_ask(struct worker *w)
{
	size_t free_size, total;
	aclrtPtrAttributes attributes;
	void *base;
	int64_t value;
	int32_t device;

	switch (below(w, 7)) {
	case 0:
		return aclrtGetMemInfo(small(w), &free_size, &total);
	case 1:
		return aclrtPointerGetAttributes(handle(w, below(w, KINDS)),
						 &attributes);
	case 2:
		return aclrtMemGetAddressRange(handle(w, DEVICE_MEM), &base,
					       &total);
	case 3:
		return aclrtGetDeviceInfo(small(w), small(w), &value);
	case 4:
		return aclrtGetDevice(&device);
	case 5:
		aclGetRecentErrMsg();
		return aclrtPeekAtLastError(small(w));
	default:
		return aclrtGetLastError(small(w));
	}
}

static aclError call_device(struct worker *w)
{
	switch (below(w, 12)) {
	case 0:
		return aclrtResetDevice(small(w) / 4);
	case 1:
		return below(w, 20) ? ACL_SUCCESS : aclrtResetDeviceForce(0);
	case 2:
	case 3:
		return aclrtSetCurrentContext(handle(w, CONTEXT));
	default:
		return aclrtSetDevice(small(w) / 4);
	}
}

typedef aclError call_fn(struct worker *w);

static call_fn *const calls[] = {
	call_make, call_make, call_destroy, call_copy, call_copy, call_stream,
	call_event, call_notify, call_physical, call_pool, call_ask,
	call_device,
};

#define CALLS	(sizeof(calls) / sizeof(calls[0]))

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int n;
	aclError ret;

	aclrtSetDevice(0);
	while (now_ms() < w->until) {
		n = below(w, CALLS);
		ret = calls[n](w);
		w->calls++;
		w->refused += ret != ACL_SUCCESS;
		if (ret < 0 || (ret && ret < 100000)) {
			w->bad = ret;
			w->bad_call = n;
		}
	}
	return NULL;
}

/* What the library has left, when all that it had was reset. */
static bool all_is_back(size_t before)
{
	size_t free_size = 0, total;

	aclrtSetDevice(0);
	aclrtResetDeviceForce(0);
	aclrtSetDevice(0);
	aclrtGetMemInfo(ACL_HBM_MEM, &free_size, &total);
	if (free_size != before)
		printf("# %zu bytes were free, %zu are\n", before, free_size);
	return free_size == before;
}

int main(void)
{
	const uint64_t seconds = env_u64("VNPU_FUZZ_SECONDS", 10);
	unsigned long made = 0, refused = 0;
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	struct rng r = rng_init();
	bool good = true, back;
	size_t before, total;
	int i;

	puts("1..2");
	setlinebuf(stdout);
	if (aclInit(NULL) || aclrtSetDevice(0) ||
	    aclrtGetMemInfo(ACL_HBM_MEM, &before, &total))
		return 1;
	for (i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){
			.r = { rng_next(&r) | 1 },
			.host = calloc(1, HOST_BYTES),
			.until = now_ms() + seconds * 1000,
		};
		if (!workers[i].host ||
		    pthread_create(&threads[i], NULL, work, &workers[i]))
			return 1;
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		free(workers[i].host);
		made += workers[i].calls;
		refused += workers[i].refused;
		if (workers[i].bad) {
			good = false;
			printf("# family %u returned %d\n", workers[i].bad_call,
			       workers[i].bad);
		}
	}
	printf("%s 1 every call is answered by an error code or done\n",
	       good ? "ok" : "not ok");
	back = all_is_back(before);
	printf("%s 2 a reset gives all back\n", back ? "ok" : "not ok");
	printf("# library: %lu calls by %d threads, %lu refused\n", made,
	       THREADS, refused);
	aclFinalize();
	return good && back ? 0 : 1;
}
