// SPDX-License-Identifier: GPL-2.0-only
/*
 * The effect of aborting a stream on its work, and on threads that wait for it.
 */
#include <stdatomic.h>

#include "acl-stream.h"

FIXTURE(abort) {
	struct work w;
	uint8_t *freed;		/* a device address without memory */
};

FIXTURE_SETUP(abort)
{
	OK(work_init(&self->w));
	OK(freed_address(&self->freed));
}

FIXTURE_TEARDOWN(abort)
{
	work_fini(&self->w);
}

static void count(void *data)
{
	atomic_fetch_add((atomic_int *)data, 1);
}

/*
 * Functions are called in order: one that is launched later comes after these.
 */
TEST_F(abort, host_funcs_are_dropped)
{
	atomic_int dropped = 0, called = 0;
	struct work *w = &self->w;

	for (int device = 0; device < 2; device++) {
		OK(gate_close(w, w->a));
		OK(aclrtLaunchHostFunc(w->a, count, &dropped));
		OK(aclrtLaunchHostFunc(w->a, count, &dropped));
		OK(device ? aclrtDeviceTaskAbort(0, 0) :
			    aclrtStreamAbort(w->a));
		OK(aclrtLaunchHostFunc(w->a, count, &called));
		OK(aclrtSynchronizeStream(w->a));
		EXPECT_EQ(device + 1, called);
		EXPECT_EQ(0, dropped);
	}
}

TEST_F(abort, callbacks_are_dropped)
{
	atomic_int dropped = 0, called = 0;
	struct work *w = &self->w;

	OK(aclrtSubscribeReport(pthread_self(), w->a));
	OK(gate_close(w, w->a));
	OK(aclrtLaunchCallback(count, &dropped, ACL_CALLBACK_NO_BLOCK, w->a));
	OK(aclrtLaunchCallback(count, &dropped, ACL_CALLBACK_BLOCK, w->a));
	OK(aclrtStreamAbort(w->a));
	OK(aclrtLaunchCallback(count, &called, ACL_CALLBACK_BLOCK, w->a));
	while (!called)
		OK(aclrtProcessReport(-1));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_EQ(0, dropped);
}

/* As after the abort of one stream, no failure is left to be reported. */
TEST_F(abort, device_forgets_failures)
{
	struct work *w = &self->w;
	aclrtEvent failed;

	OK(aclrtCreateEvent(&failed));
	OK(aclrtMemsetAsync(self->freed, 64, 1, 64, w->a));
	OK(aclrtRecordEvent(failed, w->a));
	OK(aclrtSynchronizeEvent(failed));
	OK(aclrtDeviceTaskAbort(0, 0));
	OK(aclrtSynchronizeStream(w->a));
}

struct waiter {
	aclrtContext context;
	aclrtEvent event;
	_Atomic pid_t thread;
	aclError err;
};

static void *wait_for_event(void *arg)
{
	struct waiter *waiter = arg;

	aclrtSetCurrentContext(waiter->context);
	atomic_store(&waiter->thread, gettid());
	waiter->err = aclrtSynchronizeEvent(waiter->event);
	return NULL;
}

TEST_F(abort, wakes_waiters_for_an_event)
{
	struct waiter waiter = { 0 };
	struct work *w = &self->w;
	pthread_t thread;

	OK(aclrtGetCurrentContext(&waiter.context));
	OK(aclrtCreateEvent(&waiter.event));
	OK(gate_close(w, w->a));
	OK(aclrtRecordEvent(waiter.event, w->a));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_event, &waiter));
	wait_asleep(&waiter.thread);
	OK(aclrtStreamAbort(w->a));
	pthread_join(thread, NULL);
	EXPECT_EQ(ACL_ERROR_RT_STREAM_ABORT, waiter.err);
	/* Once it is aborted, there is nothing to wait for. */
	OK(aclrtSynchronizeEvent(waiter.event));
}

/* The stream can be used at once, whatever its ring still shows. */
TEST_F(abort, ends_a_stop)
{
	struct work *w = &self->w;

	OK(aclrtSetStreamFailureMode(w->a, ACL_STOP_ON_FAILURE));
	for (int i = 0; i < 50; i++) {
		OK(aclrtMemsetAsync(self->freed, 64, 1, 64, w->a));
		EXPECT_ACL(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(w->a));
		OK(aclrtStreamAbort(w->a));
		OK(aclrtSynchronizeStream(w->a));
		OK(aclrtValueWrite(w->dev, i, 0, w->a));
		OK(aclrtSynchronizeStream(w->a));
		EXPECT_EQ(i, dev_u64(w->dev));
	}
}

/*
 * Tasks cancelled by a stop are not complete, even if the ring does not show it
 * yet.
 */
TEST_F(abort, a_stop_is_reported)
{
	aclrtStreamStatus status;
	struct work *w = &self->w;
	aclError err;

	OK(aclrtSetStreamFailureMode(w->a, ACL_STOP_ON_FAILURE));
	for (int i = 0; i < 50; i++) {
		OK(gate_close(w, w->b));
		OK(aclrtMemsetAsync(self->freed, 64, 1, 64, w->a));
		do {
			err = aclrtStreamQuery(w->b, &status);
		} while (!err && status == ACL_STREAM_STATUS_NOT_READY);
		EXPECT_ACL(ACL_ERROR_RT_SYS_DMA, err);
		EXPECT_ACL(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(w->b));
		OK(aclrtStreamAbort(w->a));
		OK(aclrtStreamAbort(w->b));
	}
}

TEST_HARNESS_MAIN
