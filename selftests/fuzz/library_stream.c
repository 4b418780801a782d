// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls for streams and their work: events, notifies, functions of the program,
 * allocators. Waits without a limit end when all tasks are cancelled, which the
 * main thread does many times a second.
 */
#include "library.h"

static unsigned long functions_run;

static void run_function(void *arg)
{
	(void)arg;
	__atomic_add_fetch(&functions_run, 1, __ATOMIC_RELAXED);
}

/* Usually an existing thread. */
static uint64_t thread_id(struct worker *w)
{
	return below(w, 8) ? __atomic_load_n(&thread_ids[below(w, THREADS)],
					     __ATOMIC_RELAXED) : size_of(w);
}

/* In milliseconds; 0 and -2 are invalid. */
static int wait_ms(struct worker *w)
{
	return below(w, 8) ? 1 + (int)below(w, 5) : -2 * (int)below(w, 2);
}

/* A status takes 64 bytes. */
static size_t overflow_size(struct worker *w)
{
	return below(w, 4) ? 64 : below(w, 128);
}

static void *stream_attr(struct worker *w)
{
	aclrtStreamAttrValue *value = out(w, 0);

	value->failureMode = below(w, 8);
	return value;
}

static void *stream_option(struct worker *w)
{
	size_t *value = out(w, 0);

	*value = below(w, 64);
	return value;
}

#define STREAM_ROWS(ROW)						\
	ROW(aclrtSynchronizeStream, (handle(w, STREAM)))		\
	ROW(aclrtSynchronizeStreamWithTimeout, (handle(w, STREAM), wait_ms(w))) \
	ROW(aclrtSynchronizeDevice, ())					\
	ROW(aclrtSynchronizeDeviceWithTimeout, (wait_ms(w)))		\
	ROW(aclrtStreamQuery, (handle(w, STREAM), out(w, 0)))		\
	ROW(aclrtStreamGetId, (handle(w, STREAM), out(w, 0)))		\
	ROW(aclrtStreamGetPriority, (handle(w, STREAM), out(w, 0)))	\
	ROW(aclrtStreamGetFlags, (handle(w, STREAM), out(w, 0)))	\
	ROW(aclrtSetStreamFailureMode, (handle(w, STREAM), below(w, 3))) \
	ROW(aclrtSetStreamAttribute,					\
	    (handle(w, STREAM), below(w, 7), stream_attr(w)))		\
	ROW(aclrtGetStreamAttribute,					\
	    (handle(w, STREAM), below(w, 7), out(w, 0)))		\
	ROW(aclrtSetStreamConfigOpt,					\
	    (handle(w, STREAM_CONFIG), below(w, 5), stream_option(w),	\
	     below(w, 4) ? 8 : below(w, 9)))				\
	ROW(aclrtPersistentTaskClean, (handle(w, STREAM)))		\
	ROW(aclrtSetStreamOverflowSwitch, (handle(w, STREAM), below(w, 3))) \
	ROW(aclrtGetStreamOverflowSwitch, (handle(w, STREAM), out(w, 0))) \
	ROW(aclrtGetOverflowStatus,					\
	    (device_address(w), overflow_size(w), handle(w, STREAM)))	\
	ROW(aclrtResetOverflowStatus, (handle(w, STREAM)))		\
	ROW(aclrtGetFloatOverflowStatus,				\
	    (device_address(w), overflow_size(w), handle(w, STREAM)))	\
	ROW(aclrtResetFloatOverflowStatus, (handle(w, STREAM)))		\
	ROW(aclrtNpuGetFloatOverFlowStatus,				\
	    (device_address(w), overflow_size(w), below(w, 2),		\
	     handle(w, STREAM)))					\
	ROW(aclrtNpuClearFloatOverFlowStatus, (below(w, 2), handle(w, STREAM))) \
	ROW(aclrtSetStreamResLimit,					\
	    (handle(w, STREAM), below(w, 3), below(w, 30)))		\
	ROW(aclrtGetStreamResLimit, (handle(w, STREAM), below(w, 3), out(w, 0))) \
	ROW(aclrtResetStreamResLimit, (handle(w, STREAM)))		\
	ROW(aclrtUseStreamResInCurrentThread, (handle(w, STREAM)))	\
	ROW(aclrtUnuseStreamResInCurrentThread, (handle(w, STREAM)))	\
	ROW(aclrtSubscribeReport, (thread_id(w), handle(w, STREAM)))	\
	ROW(aclrtUnSubscribeReport, (thread_id(w), handle(w, STREAM)))	\
	ROW(aclrtProcessReport, (wait_ms(w)))				\
	ROW(aclrtLaunchCallback,					\
	    (run_function, NULL, below(w, 3), handle(w, STREAM)))	\
	ROW(aclrtLaunchHostFunc, (handle(w, STREAM), run_function, NULL)) \
	ROW(aclrtSubscribeHostFunc, (thread_id(w), handle(w, STREAM)))	\
	ROW(aclrtUnSubscribeHostFunc, (thread_id(w), handle(w, STREAM))) \
	ROW(aclrtProcessHostFunc, (wait_ms(w)))				\
	ROW(aclrtAllocatorRegister, (handle(w, STREAM), handle(w, ALLOCATOR))) \
	ROW(aclrtAllocatorUnregister, (handle(w, STREAM)))

STREAM_ROWS(ROW_CALL)

/* Allocators of programs: the library calls none of these functions. */
static void *alloc_block(aclrtAllocator allocator, size_t size)
{
	(void)size;
	return allocator;
}

static void free_block(aclrtAllocator allocator, aclrtAllocatorBlock block)
{
	(void)allocator;
	(void)block;
}

static void *alloc_near(aclrtAllocator allocator, size_t size,
			aclrtAllocatorAddr addr)
{
	(void)size;
	(void)addr;
	return allocator;
}

static void *block_address(aclrtAllocatorBlock block)
{
	return block;
}

static aclError fuzz_aclrtAllocatorGetByStream(struct worker *w)
{
	aclrtAllocatorGetAddrFromBlockFunc get;
	aclrtAllocatorAllocAdviseFunc advise;
	aclrtAllocatorAllocFunc alloc;
	aclrtAllocatorDesc desc;
	aclrtAllocator object;
	aclrtAllocatorFreeFunc release;

	return aclrtAllocatorGetByStream(handle(w, STREAM), &desc, &object,
					 &alloc, &release, &advise, &get);
}

#define ALLOCATOR_ROWS(ROW)						\
	ROW(aclrtAllocatorSetObjToDesc, (handle(w, ALLOCATOR), w))	\
	ROW(aclrtAllocatorSetAllocFuncToDesc,				\
	    (handle(w, ALLOCATOR), alloc_block))			\
	ROW(aclrtAllocatorSetFreeFuncToDesc,				\
	    (handle(w, ALLOCATOR), free_block))				\
	ROW(aclrtAllocatorSetAllocAdviseFuncToDesc,			\
	    (handle(w, ALLOCATOR), alloc_near))				\
	ROW(aclrtAllocatorSetGetAddrFromBlockFuncToDesc,		\
	    (handle(w, ALLOCATOR), block_address))

ALLOCATOR_ROWS(ROW_CALL)

/* A completed event. */
static aclError fuzz_allocator(struct worker *w)
{
	aclrtAllocatorDesc new = aclrtAllocatorCreateDesc();

	aclrtAllocatorSetObjToDesc(new, w);
	aclrtAllocatorSetAllocFuncToDesc(new, alloc_block);
	aclrtAllocatorSetFreeFuncToDesc(new, free_block);
	aclrtAllocatorSetGetAddrFromBlockFuncToDesc(new, block_address);
	return keep_if(w, aclrtAllocatorRegister(handle(w, STREAM), new),
		       ALLOCATOR, new);
}

const struct call stream_calls[] = {
	STREAM_ROWS(ROW_ENTRY)
	ALLOCATOR_ROWS(ROW_ENTRY)
	CALL(aclrtAllocatorGetByStream),
	{ "aclrtAllocatorRegister, complete", fuzz_allocator, false },
	{ 0 }
};

static aclError fuzz_aclrtCntNotifyRecord(struct worker *w)
{
	aclrtCntNotifyRecordInfo info = { below(w, 6), below(w, 9) };

	return aclrtCntNotifyRecord(handle(w, COUNTER), handle(w, STREAM),
				    &info);
}

static aclError fuzz_aclrtCntNotifyWaitWithTimeout(struct worker *w)
{
	aclrtCntNotifyWaitInfo info = {
		.mode = below(w, 6),
		.value = below(w, 9),
		.timeout = below(w, 3),
		.isClear = below(w, 3),
	};

	return aclrtCntNotifyWaitWithTimeout(handle(w, COUNTER),
					     handle(w, STREAM), &info);
}

static aclError fuzz_aclrtNotifyBatchReset(struct worker *w)
{
	aclrtNotify list[4] = {
		handle(w, NOTIFY), handle(w, NOTIFY), handle(w, NOTIFY),
		handle(w, NOTIFY),
	};

	return aclrtNotifyBatchReset(list, below(w, 5));
}

/* Two recorded events, to measure the time between them. */
static aclError fuzz_elapsed(struct worker *w)
{
	void *first = handle(w, EVENT), *second = handle(w, EVENT);
	void *stream = handle(w, STREAM);

	aclrtRecordEvent(first, stream);
	aclrtRecordEvent(second, stream);
	aclrtSynchronizeStreamWithTimeout(stream, wait_ms(w));
	return aclrtEventElapsedTime(out(w, 0), first, second);
}

#define EVENT_ROWS(ROW)							\
	ROW(aclrtRecordEvent, (handle(w, EVENT), handle(w, STREAM)))	\
	ROW(aclrtRecordEventWithFlag,					\
	    (handle(w, EVENT), handle(w, STREAM), below(w, 3)))		\
	ROW(aclrtResetEvent, (handle(w, EVENT), handle(w, STREAM)))	\
	ROW(aclrtQueryEvent, (handle(w, EVENT), out(w, 0)))		\
	ROW(aclrtQueryEventStatus, (handle(w, EVENT), out(w, 0)))	\
	ROW(aclrtQueryEventWaitStatus, (handle(w, EVENT), out(w, 0)))	\
	ROW(aclrtSynchronizeEvent, (handle(w, EVENT)))			\
	ROW(aclrtSynchronizeEventWithTimeout, (handle(w, EVENT), wait_ms(w))) \
	ROW(aclrtStreamWaitEvent, (handle(w, STREAM), handle(w, EVENT))) \
	ROW(aclrtStreamWaitEventWithTimeout,				\
	    (handle(w, STREAM), handle(w, EVENT), small(w)))		\
	ROW(aclrtStreamWaitEventWithFlag,				\
	    (handle(w, STREAM), handle(w, EVENT), below(w, 5), below(w, 3))) \
	ROW(aclrtEventElapsedTime,					\
	    (out(w, 0), handle(w, EVENT), handle(w, EVENT)))		\
	ROW(aclrtEventGetTimestamp, (handle(w, EVENT), out(w, 0)))	\
	ROW(aclrtGetEventId, (handle(w, EVENT), out(w, 0)))		\
	ROW(aclrtGetEventAvailNum, (out(w, 0)))				\
	ROW(aclrtRecordNotify, (handle(w, NOTIFY), handle(w, STREAM)))	\
	ROW(aclrtWaitAndResetNotify,					\
	    (handle(w, NOTIFY), handle(w, STREAM), below(w, 5)))	\
	ROW(aclrtGetNotifyId, (handle(w, NOTIFY), out(w, 0)))		\
	ROW(aclrtCntNotifyReset, (handle(w, COUNTER), handle(w, STREAM))) \
	ROW(aclrtCntNotifyGetId, (handle(w, COUNTER), out(w, 0)))

EVENT_ROWS(ROW_CALL)

const struct call event_calls[] = {
	EVENT_ROWS(ROW_ENTRY)
	CALL(aclrtCntNotifyRecord),
	CALL(aclrtCntNotifyWaitWithTimeout),
	CALL(aclrtNotifyBatchReset),
	{ "aclrtEventElapsedTime, recorded", fuzz_elapsed, false },
	{ 0 }
};
