/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: queries and settings of streams and events. */
#ifndef SELFTESTS_LIB_FAIL_NTH_ATTR_H
#define SELFTESTS_LIB_FAIL_NTH_ATTR_H

#include "fail_nth_stream.h"
#include "fail_nth_work.h"

static aclrtStreamAttrValue attr_value;
static size_t stream_flag;
static aclrtIpcEventHandle event_handle;

/* An event with a completed record. */
static aclError make_done(struct world *w)
{
	aclError err = make_recorded(w);

	return err ? err : aclrtSynchronizeStream(w->work.a);
}

/* An event of the old family, recorded. */
static aclError make_old(struct world *w)
{
	aclError err = aclrtCreateEvent(&w->event);

	if (!err)
		err = aclrtRecordEvent(w->event, w->work.a);
	return err ? err : aclrtSynchronizeStream(w->work.a);
}

CALL(create_old, {
	return aclrtCreateEvent(&w->event);
})

static aclError make_config(struct world *w)
{
	w->config = aclrtCreateStreamConfigHandle();
	return made(w->config);
}

static aclError make_device_only(struct world *w)
{
	return aclrtCreateStreamWithConfig(&w->stream, 0,
					   ACL_STREAM_DEVICE_USE_ONLY);
}

static aclError make_persistent(struct world *w)
{
	return aclrtCreateStreamWithConfig(&w->stream, 0,
					   ACL_STREAM_PERSISTENT);
}

/* Its thread has a call to run. */
static aclError make_due(struct world *w)
{
	aclError err = make_subscribed(w);

	if (!err)
		err = call_launch_callback(w);
	return err ? err : aclrtSynchronizeStream(w->stream);
}

static aclError make_event_handle(struct world *w)
{
	aclError err = make_ipc_event(w);

	return err ? err : aclrtIpcGetEventHandle(w->event, &event_handle);
}

CALL(open_event, {
	aclrtEvent event = NULL;
	aclError err = aclrtIpcOpenEventHandle(event_handle, &event);

	return err ? err : aclrtDestroyEvent(event);
})

CALL(destroy_config, {
	return END(w, config, aclrtDestroyStreamConfigHandle(w->config));
})

#define ATTR_ROWS(ROW)							\
	ROW(aclrtSynchronizeStreamWithTimeout, NULL, (w->work.a, -1))	\
	ROW(aclrtSynchronizeEventWithTimeout, make_recorded, (w->event, -1)) \
	ROW(aclrtStreamQuery, NULL, (w->work.a, result(0)))		\
	ROW(aclrtStreamGetId, NULL, (w->work.a, result(0)))		\
	ROW(aclrtStreamGetPriority, NULL, (w->work.a, result(0)))	\
	ROW(aclrtStreamGetFlags, NULL, (w->work.a, result(0)))		\
	ROW(aclrtStreamStop, make_device_only, (w->stream))		\
	ROW(aclrtPersistentTaskClean, make_persistent, (w->stream))	\
	ROW(aclrtSetStreamFailureMode, make_stream,			\
	    (w->stream, ACL_CONTINUE_ON_FAILURE))			\
	ROW(aclrtSetStreamAttribute, make_stream,			\
	    (w->stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &attr_value))	\
	ROW(aclrtGetStreamAttribute, NULL,				\
	    (w->work.a, ACL_STREAM_ATTR_PRIORITY, result(0)))		\
	ROW(aclrtSetStreamOverflowSwitch, make_stream, (w->stream, 1))	\
	ROW(aclrtGetStreamOverflowSwitch, NULL, (w->work.a, result(0)))	\
	ROW(aclrtGetOverflowStatus, NULL, (w->work.dev, 64, w->work.a))	\
	ROW(aclrtResetOverflowStatus, NULL, (w->work.a))		\
	ROW(aclrtGetFloatOverflowStatus, NULL,				\
	    (w->work.dev, 64, w->work.a))				\
	ROW(aclrtResetFloatOverflowStatus, NULL, (w->work.a))		\
	ROW(aclrtNpuGetFloatOverFlowStatus, NULL,			\
	    (w->work.dev, 64, 0, w->work.a))				\
	ROW(aclrtNpuClearFloatOverFlowStatus, NULL, (0, w->work.a))	\
	ROW(aclrtSetStreamResLimit, make_stream,			\
	    (w->stream, ACL_RT_DEV_RES_CUBE_CORE, 1))			\
	ROW(aclrtGetStreamResLimit, NULL,				\
	    (w->work.a, ACL_RT_DEV_RES_CUBE_CORE, result(0)))		\
	ROW(aclrtResetStreamResLimit, NULL, (w->work.a))		\
	ROW(aclrtUseStreamResInCurrentThread, NULL, (w->work.a))	\
	ROW(aclrtUnuseStreamResInCurrentThread, NULL, (w->work.a))	\
	ROW(aclrtSetStreamConfigOpt, make_config,			\
	    (w->config, ACL_RT_STREAM_FLAG, &stream_flag,		\
	     sizeof(stream_flag)))					\
	ROW(aclrtCreateStreamV2, make_config, (&w->stream, w->config))	\
	ROW(aclrtUnSubscribeReport, make_subscribed,			\
	    (pthread_self(), w->stream))				\
	ROW(aclrtProcessReport, make_due, (-1))				\
	ROW(aclrtQueryEvent, make_old, (w->event, result(0)))		\
	ROW(aclrtQueryEventStatus, make_done, (w->event, result(0)))	\
	ROW(aclrtQueryEventWaitStatus, make_old, (w->event, result(0)))	\
	ROW(aclrtEventElapsedTime, make_done,				\
	    (result(0), w->event, w->event))				\
	ROW(aclrtEventGetTimestamp, make_done, (w->event, result(0)))	\
	ROW(aclrtGetEventId, make_event, (w->event, result(0)))		\
	ROW(aclrtRecordEventWithFlag, make_event,			\
	    (w->event, w->work.a, ACL_EVENT_RECORD_DEFAULT))		\
	ROW(aclrtStreamWaitEventWithFlag, make_recorded,		\
	    (w->work.b, w->event, 1000, ACL_EVENT_WAIT_DEFAULT))	\
	ROW(aclrtGetNotifyId, make_notify, (w->notify, result(0)))	\
	ROW(aclrtCntNotifyGetId, make_counter, (w->counter, result(0)))

ATTR_ROWS(ROW_CALL)

static const struct sweep attr_calls[] = {
	ATTR_ROWS(ROW_ENTRY)
	{ "aclrtCreateEvent", NULL, call_create_old, false, 0 },
	{ "aclrtIpcOpenEventHandle", make_event_handle, call_open_event,
	  false, 0 },
	{ "aclrtCreateStreamConfigHandle", NULL, make_config, false, 0 },
	{ "aclrtDestroyStreamConfigHandle", make_config, call_destroy_config,
	  false, 0 },
	{ 0 }
};

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

static void *get_address(aclrtAllocatorBlock block)
{
	return block;
}

static aclError make_allocator(struct world *w)
{
	w->allocator = aclrtAllocatorCreateDesc();
	return made(w->allocator);
}

static aclError make_complete(struct world *w)
{
	aclError err = make_allocator(w);

	if (!err)
		err = aclrtAllocatorSetObjToDesc(w->allocator, w);
	if (!err)
		err = aclrtAllocatorSetAllocFuncToDesc(w->allocator,
						       alloc_block);
	if (!err)
		err = aclrtAllocatorSetFreeFuncToDesc(w->allocator, free_block);
	if (!err)
		err = aclrtAllocatorSetGetAddrFromBlockFuncToDesc(w->allocator,
								  get_address);
	return err ? err : make_stream(w);
}

static aclError make_of_stream(struct world *w)
{
	aclError err = make_complete(w);

	return err ? err : aclrtAllocatorRegister(w->stream, w->allocator);
}

CALL(destroy_allocator, {
	return END(w, allocator, aclrtAllocatorDestroyDesc(w->allocator));
})

#define ALLOCATOR_ROWS(ROW)						\
	ROW(aclrtAllocatorSetObjToDesc, make_allocator, (w->allocator, w)) \
	ROW(aclrtAllocatorSetAllocFuncToDesc, make_allocator,		\
	    (w->allocator, alloc_block))				\
	ROW(aclrtAllocatorSetFreeFuncToDesc, make_allocator,		\
	    (w->allocator, free_block))					\
	ROW(aclrtAllocatorSetAllocAdviseFuncToDesc, make_allocator,	\
	    (w->allocator, alloc_near))					\
	ROW(aclrtAllocatorSetGetAddrFromBlockFuncToDesc, make_allocator, \
	    (w->allocator, get_address))				\
	ROW(aclrtAllocatorRegister, make_complete,			\
	    (w->stream, w->allocator))					\
	ROW(aclrtAllocatorGetByStream, make_of_stream,			\
	    (w->stream, result(0), result(1), NULL, NULL, NULL, NULL))	\
	ROW(aclrtAllocatorUnregister, make_of_stream, (w->stream))

ALLOCATOR_ROWS(ROW_CALL)

static const struct sweep allocator_calls[] = {
	ALLOCATOR_ROWS(ROW_ENTRY)
	{ "aclrtAllocatorCreateDesc", NULL, make_allocator, false, 0 },
	{ "aclrtAllocatorDestroyDesc", make_allocator, call_destroy_allocator,
	  false, 0 },
	{ 0 }
};

#endif
