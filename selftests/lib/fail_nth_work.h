/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls that are made to fail: the other ways to allocate, to copy and to wait.
 */
#ifndef SELFTESTS_LIB_FAIL_NTH_WORK_H
#define SELFTESTS_LIB_FAIL_NTH_WORK_H

#include "fail_nth_memory.h"
#include "fail_nth_stream.h"

#define BATCH		4
#define PART		4096

CALL(malloc_cfg, {
	return aclrtMallocWithCfg(&w->dev, AREA, ACL_MEM_MALLOC_NORMAL_ONLY,
				  NULL);
})

CALL(malloc_align32, {
	return aclrtMallocAlign32(&w->dev, AREA, ACL_MEM_MALLOC_NORMAL_ONLY);
})

CALL(malloc_cached, {
	return aclrtMallocCached(&w->dev, AREA, ACL_MEM_MALLOC_NORMAL_ONLY);
})

CALL(malloc_contiguous, {
	return vnpu_malloc(&w->dev, AREA, VNPU_MALLOC_CONTIGUOUS);
})

CALL(malloc_host_cfg, {
	return aclrtMallocHostWithCfg(&w->host, 16 * PAGE_SIZE, NULL);
})

CALL(host_register, {
	void *device = NULL;
	aclError err = aclrtHostRegister(w->own, AREA, ACL_HOST_REGISTER_MAPPED,
					 &device);

	w->registered = err ? NULL : w->own;
	return err;
})

CALL(map_no_access, {
	aclError err = aclrtMemMapNoAccess(w->reserved, HUGE_SIZE, 0,
					   w->physical, 0);

	w->is_mapped = !err;
	return err;
})

static aclError copy_batch(struct world *w, bool is_async)
{
	const aclrtMemLocation device = {
		.type = ACL_MEM_LOCATION_TYPE_DEVICE,
	};
	const aclrtMemLocation host = {
		.type = ACL_MEM_LOCATION_TYPE_HOST,
	};
	aclrtMemcpyBatchAttr attr = { .dstLoc = device, .srcLoc = host };
	size_t sizes[BATCH], index = 0, failed = 0;
	void *dsts[BATCH], *srcs[BATCH];

	for (size_t i = 0; i < BATCH; i++) {
		dsts[i] = w->work.dev + i * PART;
		srcs[i] = w->work.pinned + i * PART;
		sizes[i] = PART;
	}
	if (is_async)
		return aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, BATCH,
					     &attr, &index, 1, &failed,
					     w->work.a);
	return aclrtMemcpyBatch(dsts, sizes, srcs, sizes, BATCH, &attr, &index,
				1, &failed);
}

CALL(copy_batch, {
	return copy_batch(w, false);
})

CALL(copy_batch_async, {
	return copy_batch(w, true);
})

CALL(copy_2d_async, {
	return aclrtMemcpy2dAsync(w->work.dev, 256, w->work.pinned, 512, 100,
				  20, ACL_MEMCPY_HOST_TO_DEVICE, w->work.a);
})

static aclError make_desc(struct world *w)
{
	return aclrtSetMemcpyDesc(w->work.dev, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
				  w->work.dev + PART, w->work.dev + 2 * PART,
				  PART, NULL);
}

CALL(copy_desc, {
	return aclrtMemcpyAsyncWithDesc(w->work.dev,
					ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
					w->work.a);
})

CALL(fill_d32, {
	return aclrtMemsetD32Async(w->work.dev, AREA, 1, AREA / 4, w->work.a);
})

CALL(random, {
	aclrtRandomNumTaskInfo info = random_info(w);

	return aclrtRandomNumAsync(&info, w->work.a, NULL);
})

CALL(prefetch_batch, {
	aclrtMemManagedLocation here = {
		.type = ACL_MEM_LOCATIONTYPE_DEVICE,
	};
	const void *at = w->managed;
	size_t size = HUGE_SIZE;
	size_t index = 0;

	return aclrtMemManagedPrefetchBatchAsync(&at, &size, 1, &here, &index,
						 1, 0, w->work.a);
})

/* It is waited for. */
CALL(wait_value, {
	return aclrtValueWait(w->work.gate, 0, ACL_STREAM_WAIT_VALUE_GEQ,
			      w->work.a);
})

static aclError make_set_notify(struct world *w)
{
	aclError err = make_notify(w);

	return err ? err : call_record_notify(w);
}

CALL(wait_notify, {
	return aclrtWaitAndResetNotify(w->notify, w->work.a, 0);
})

CALL(reset_notify, {
	return aclrtNotifyBatchReset(&w->notify, 1);
})

CALL(record_count, {
	aclrtCntNotifyRecordInfo info = { .value = 1 };

	return aclrtCntNotifyRecord(w->counter, w->work.a, &info);
})

CALL(wait_count, {
	aclrtCntNotifyWaitInfo info = {
		.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE,
	};

	return aclrtCntNotifyWaitWithTimeout(w->counter, w->work.a, &info);
})

CALL(reset_count, {
	return aclrtCntNotifyReset(w->counter, w->work.a);
})

/* Of the family that has a number, and can be reset. */
static aclError make_numbered(struct world *w)
{
	return aclrtCreateEventWithFlag(&w->event, ACL_EVENT_SYNC);
}

CALL(reset_event, {
	return aclrtResetEvent(w->event, w->work.a);
})

CALL(wait_event_for, {
	return aclrtStreamWaitEventWithTimeout(w->work.b, w->event, 1000);
})

CALL(create_stream_with, {
	return aclrtCreateStreamWithConfig(&w->stream, 1, 0);
})

CALL(destroy_stream_force, {
	return END(w, stream, aclrtDestroyStreamForce(w->stream));
})

CALL(launch_function, {
	return aclrtLaunchHostFunc(w->work.a, do_nothing, NULL);
})

CALL(trim, {
	return aclrtMemPoolTrimTo(w->pool, 0);
})

static const struct sweep work_calls[] = {
	{ "aclrtMallocWithCfg", NULL, call_malloc_cfg, false, 0 },
	{ "aclrtMallocAlign32", NULL, call_malloc_align32, false, 0 },
	{ "aclrtMallocCached", NULL, call_malloc_cached, false, 0 },
	{ "vnpu_malloc", NULL, call_malloc_contiguous, false, 0 },
	{ "aclrtMallocHostWithCfg", NULL, call_malloc_host_cfg, false, 0 },
	{ "aclrtHostRegister", NULL, call_host_register, false, 0 },
	{ "aclrtMemMapNoAccess", make_both, call_map_no_access, false, 0 },
	{ "aclrtMemcpyBatch", NULL, call_copy_batch, true, 0 },
	{ "aclrtMemcpyBatchAsync", NULL, call_copy_batch_async, true, 0 },
	{ "aclrtMemcpy2dAsync", NULL, call_copy_2d_async, false, 0 },
	{ "aclrtSetMemcpyDesc", NULL, make_desc, false, 0 },
	{ "aclrtMemcpyAsyncWithDesc", make_desc, call_copy_desc, false, 0 },
	{ "aclrtMemsetD32Async", NULL, call_fill_d32, false, 0 },
	{ "aclrtRandomNumAsync", NULL, call_random, false, 0 },
	{ "aclrtMemManagedPrefetchBatchAsync", make_managed,
	  call_prefetch_batch, false, 0 },
	{ "aclrtValueWait", NULL, call_wait_value, false, 0 },
	{ "aclrtWaitAndResetNotify", make_set_notify, call_wait_notify, false, 0 },
	{ "aclrtNotifyBatchReset", make_set_notify, call_reset_notify, false, 0 },
	{ "aclrtCntNotifyRecord", make_counter, call_record_count, false, 0 },
	{ "aclrtCntNotifyWaitWithTimeout", make_counter, call_wait_count,
	  false, 0 },
	{ "aclrtCntNotifyReset", make_counter, call_reset_count, false, 0 },
	{ "aclrtCreateEventWithFlag", NULL, make_numbered, false, 0 },
	{ "aclrtResetEvent", make_numbered, call_reset_event, false, 0 },
	{ "aclrtStreamWaitEventWithTimeout", make_recorded,
	  call_wait_event_for, false, 0 },
	{ "aclrtCreateStreamWithConfig", NULL, call_create_stream_with, false, 0 },
	{ "aclrtDestroyStreamForce", make_stream, call_destroy_stream_force,
	  false, 0 },
	{ "aclrtLaunchHostFunc", NULL, call_launch_function, false, 0 },
	{ "aclrtMemPoolTrimTo", make_pool, call_trim, false, 0 },
	{ 0 }
};

#endif
