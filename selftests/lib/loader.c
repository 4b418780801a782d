// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loader's lock, which a thread holds while an object that it loads is
 * initialised. The library must not wait for it while it holds a lock of its
 * own, since the object may call the library.
 */
/* One of the calls is deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "acl-stream.h"

#include <semaphore.h>

#include "plugin.h"

/* The loading thread, and the other one. */
enum { LOADS, MEANWHILE, BOTH };

static sem_t is_loading, is_over;
static _Atomic pid_t other;
static aclrtContext context;
static aclError (*call)(int who);
static aclError errors[BOTH];

static void call_while_it_loads(void)
{
	sem_post(&is_loading);
	wait_asleep(&other);
	errors[LOADS] = call(LOADS);
}

static void *call_meanwhile(void *arg)
{
	aclrtSetCurrentContext(context);
	while (sem_wait(&is_loading))
		;
	atomic_store(&other, gettid());
	errors[MEANWHILE] = call(MEANWHILE);
	/* It sleeps in the loader, or here. */
	while (sem_wait(&is_over))
		;
	return arg;
}

/* Both threads call it, and the loading one is not the first. */
static void load_and_call(struct __test_metadata *_metadata,
			  aclError (*what)(int who))
{
	pthread_t thread;
	void *plugin;

	call = what;
	ASSERT_EQ(0, sem_init(&is_loading, 0, 0));
	ASSERT_EQ(0, sem_init(&is_over, 0, 0));
	OK(aclrtGetCurrentContext(&context));
	ASSERT_EQ(0, pthread_create(&thread, NULL, call_meanwhile, NULL));
	when_plugin_loads = call_while_it_loads;
	plugin = plugin_open(0);
	when_plugin_loads = NULL;
	ASSERT_NE(NULL, plugin) TH_LOG("%s", dlerror());
	sem_post(&is_over);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(ACL_SUCCESS, errors[LOADS]);
	EXPECT_EQ(ACL_SUCCESS, errors[MEANWHILE]);
	ASSERT_EQ(0, dlclose(plugin));
}

FIXTURE(loader) {
};

FIXTURE_SETUP(loader)
{
	OK(aclrtSetDevice(0));
}

FIXTURE_TEARDOWN(loader)
{
	aclrtResetDeviceForce(0);
}

static aclrtStream streams[BOTH];

static void nothing(void *data)
{
	(void)data;
}

static aclError launch(int who)
{
	return aclrtLaunchHostFunc(streams[who], nothing, NULL);
}

TEST_F(loader, thread_that_calls_functions)
{
	OK(aclrtCreateStream(&streams[LOADS]));
	OK(aclrtCreateStream(&streams[MEANWHILE]));
	load_and_call(_metadata, launch);
	OK(aclrtSynchronizeDevice());
}

static void on_failure(aclrtExceptionInfo *info)
{
	(void)info;
}

static void on_failure_too(aclrtExceptionInfo *info)
{
	(void)info;
}

static aclError watch(int who)
{
	return aclrtExceptionInfoCallbackRegister(who == LOADS ? on_failure :
						  on_failure_too);
}

TEST_F(loader, thread_that_reports_failures)
{
	load_and_call(_metadata, watch);
}

static aclError watch_alone(int who)
{
	return who == LOADS ? aclrtCreateStream(&streams[LOADS]) :
			      aclrtSetExceptionInfoCallback(on_failure);
}

TEST_F(loader, thread_that_reports_the_only_failure)
{
	load_and_call(_metadata, watch_alone);
}

static void *blocks[BOTH];

static aclError share_memory(int who)
{
	char key[65];

	return aclrtIpcMemGetExportKey(blocks[who], MIB, key, sizeof(key), 0);
}

/* The thread that serves shared objects: for each call that may need it. */
TEST_F(loader, memory_that_is_shared)
{
	for (int who = 0; who < BOTH; who++)
		OK(aclrtMalloc(&blocks[who], MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	load_and_call(_metadata, share_memory);
}

static aclrtNotify notifies[BOTH];

static aclError share_notify(int who)
{
	char key[65];

	return aclrtNotifyGetExportKey(notifies[who], key, sizeof(key), 0);
}

TEST_F(loader, notify_that_is_shared)
{
	for (int who = 0; who < BOTH; who++)
		OK(aclrtCreateNotify(&notifies[who], 0));
	load_and_call(_metadata, share_notify);
}

static aclrtEvent events[BOTH];

static aclError share_event(int who)
{
	aclrtIpcEventHandle handle;
	aclError err = aclrtCreateEventExWithFlag(&events[who], ACL_EVENT_IPC);

	return err ? err : aclrtIpcGetEventHandle(events[who], &handle);
}

TEST_F(loader, event_that_is_shared)
{
	load_and_call(_metadata, share_event);
}

static aclrtDrvMemHandle handles[BOTH];

static aclError make_physical(int who)
{
	aclrtPhysicalMemProp prop = {
		.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { .id = 0, .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};

	return aclrtMallocPhysical(&handles[who], HUGE_SIZE, &prop, 0);
}

static aclError share_handle(int who)
{
	uint64_t shareable;

	return aclrtMemExportToShareableHandle(handles[who],
					       ACL_MEM_HANDLE_TYPE_NONE, 0,
					       &shareable);
}

TEST_F(loader, handle_that_is_shared)
{
	for (int who = 0; who < BOTH; who++)
		OK(make_physical(who));
	load_and_call(_metadata, share_handle);
}

/* Allocations are traced: the loader provides the names of their callers. */
static void trace_to_nowhere(void)
{
	setenv("ASCEND_MEMORY_TRACE", "1", 1);
	setenv("ASCEND_MEMORY_LOG_PATH", "/dev/null", 1);
}

TEST_F(loader, handle_that_is_traced)
{
	trace_to_nowhere();
	load_and_call(_metadata, make_physical);
}

static aclError set_and_reset(int who)
{
	return who == LOADS ? aclrtSetDevice(0) : aclrtResetDevice(0);
}

/* Without earlier allocations. */
TEST_F(loader, reset_that_is_traced)
{
	trace_to_nowhere();
	load_and_call(_metadata, set_and_reset);
}

TEST_HARNESS_MAIN
