// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that fail, are aborted, or exceed their time limit. */
#include <stdatomic.h>

#include "acl-stream.h"

FIXTURE(trouble) {
	struct work w;
	uint8_t *freed;		/* a device address without memory */
};

FIXTURE_SETUP(trouble)
{
	OK(work_init(&self->w));
	OK(freed_address(&self->freed));
}

FIXTURE_TEARDOWN(trouble)
{
	work_fini(&self->w);
}

/* The stream goes on, and reports it once. */
TEST_F(trouble, continue_on_failure)
{
	struct work *w = &self->w;
	char address[32];
	const char *message;

	OK(aclrtMemsetAsync(self->freed, 64, 1, 64, w->a));
	OK(aclrtValueWrite(w->dev, 3, 0, w->a));
	EXPECT_EQ(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(w->a));
	message = aclGetRecentErrMsg();
	ASSERT_NE(NULL, message);
	snprintf(address, sizeof(address), "%p", self->freed);
	EXPECT_NE(NULL, strstr(message, "task 1 (fill)")) TH_LOG("%s", message);
	EXPECT_NE(NULL, strstr(message, address)) TH_LOG("%s", message);
	EXPECT_EQ(ACL_ERROR_RT_SYS_DMA,
		  aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL));
	EXPECT_EQ(ACL_ERROR_RT_SYS_DMA,
		  aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	EXPECT_EQ(ACL_SUCCESS, aclrtGetLastError(ACL_RT_THREAD_LEVEL));
	EXPECT_EQ(3, dev_u64(w->dev));
	OK(aclrtSynchronizeStream(w->a));
	OK(aclrtSynchronizeStream(w->b));
}

TEST_F(trouble, reported_by_query_and_device)
{
	struct work *w = &self->w;
	aclrtStreamStatus status;
	aclError err;

	OK(aclrtMemcpyAsync(self->freed, 64, w->pinned, 64,
			    ACL_MEMCPY_HOST_TO_DEVICE, w->a));
	do {
		err = aclrtStreamQuery(w->a, &status);
	} while (!err && status == ACL_STREAM_STATUS_NOT_READY);
	EXPECT_ACL(ACL_ERROR_RT_SYS_DMA, err);
	OK(aclrtMemcpyAsync(w->pinned, 64, self->freed, 64,
			    ACL_MEMCPY_DEVICE_TO_HOST, w->b));
	EXPECT_ACL(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeDevice());
	OK(aclrtSynchronizeDevice());
}

/* All streams of the context stop, and report why; another context goes on. */
TEST_F(trouble, stop_on_failure)
{
	aclrtContext context, other;
	struct work *w = &self->w;
	aclrtStream s;

	OK(aclrtGetCurrentContext(&context));
	OK(aclrtSetStreamFailureMode(w->b, ACL_STOP_ON_FAILURE));
	OK(gate_close(w, w->b));
	OK(aclrtMemsetAsync(self->freed, 64, 1, 64, w->a));
	OK(aclrtValueWrite(w->dev, 3, 0, w->a));
	EXPECT_ACL(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(w->a));
	EXPECT_EQ(0, dev_u64(w->dev));
	EXPECT_ACL(ACL_ERROR_RT_SYS_DMA,
		   aclrtSynchronizeStreamWithTimeout(w->b, 10000));
	EXPECT_ACL(ACL_ERROR_RT_SYS_DMA, aclrtValueWrite(w->dev, 3, 0, w->b));
	EXPECT_ACL(ACL_ERROR_RT_SYS_DMA, aclrtSynchronizeStream(w->a));

	OK(aclrtStreamAbort(w->a));
	OK(aclrtValueWrite(w->dev, 5, 0, w->a));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_EQ(5, dev_u64(w->dev));

	OK(aclrtCreateContext(&other, 0));
	OK(aclrtCreateStream(&s));
	OK(aclrtValueWrite(w->dev, 4, 0, s));
	OK(aclrtSynchronizeStream(s));
	EXPECT_EQ(4, dev_u64(w->dev));
	OK(aclrtDestroyContext(other));
	OK(aclrtSetCurrentContext(context));
}

TEST_F(trouble, abort)
{
	struct work *w = &self->w;

	OK(gate_close(w, w->a));
	OK(aclrtValueWrite(w->dev, 3, 0, w->a));
	OK(aclrtStreamAbort(w->a));
	OK(aclrtSynchronizeStreamWithTimeout(w->a, 10000));
	EXPECT_EQ(0, dev_u64(w->dev));
	OK(aclrtValueWrite(w->dev, 4, 0, w->a));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_EQ(4, dev_u64(w->dev));
	EXPECT_ACL(NULL_OR_ZERO, aclrtStreamAbort(NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtStreamAbort(w->dev));
	EXPECT_ACL(NULL_OR_ZERO, aclrtStreamStop(NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtStreamStop(w->dev));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtStreamStop(w->a));
}

/* A device-only stream is never waited for. */
TEST_F(trouble, device_only_stream)
{
	struct work *w = &self->w;
	aclrtStreamStatus status;
	aclrtStream s;

	OK(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_DEVICE_USE_ONLY));
	OK(gate_close(w, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtStreamQuery(s, &status));
	EXPECT_EQ(ACL_STREAM_STATUS_COMPLETE, status);
	OK(aclrtSynchronizeDevice());
	OK(aclrtStreamStop(s));
	OK(aclrtDestroyStream(s));
}

TEST_F(trouble, persistent_stream)
{
	struct work *w = &self->w;
	aclrtStream s;

	OK(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	OK(gate_close(w, s));
	OK(aclrtPersistentTaskClean(s));
	OK(aclrtValueWrite(w->dev, 5, 0, s));
	for (int i = 0; i < 20000 && dev_u64(w->dev) != 5; i++)
		usleep(1000);
	EXPECT_EQ(5, dev_u64(w->dev));
	OK(aclrtDestroyStream(s));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtPersistentTaskClean(w->a));
	EXPECT_ACL(NULL_OR_ZERO, aclrtPersistentTaskClean(NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtPersistentTaskClean(s));
}

struct waiter {
	aclrtContext context;
	aclrtStream stream;
	aclrtEvent event;
	_Atomic pid_t thread;
	aclError err;
};

static void *wait_for_stream(void *arg)
{
	struct waiter *waiter = arg;

	aclrtSetCurrentContext(waiter->context);
	atomic_store(&waiter->thread, gettid());
	waiter->err = aclrtSynchronizeStream(waiter->stream);
	return NULL;
}

static void waiter_start(struct __test_metadata *_metadata,
			 struct waiter *waiter, void *(*fn)(void *),
			 pthread_t *thread)
{
	OK(aclrtGetCurrentContext(&waiter->context));
	ASSERT_EQ(0, pthread_create(thread, NULL, fn, waiter));
	wait_asleep(&waiter->thread);
}

TEST_F(trouble, abort_wakes_waiters)
{
	struct waiter waiter = { .stream = self->w.a };
	pthread_t thread;

	OK(gate_close(&self->w, self->w.a));
	waiter_start(_metadata, &waiter, wait_for_stream, &thread);
	OK(aclrtStreamAbort(self->w.a));
	pthread_join(thread, NULL);
	EXPECT_EQ(ACL_ERROR_RT_STREAM_ABORT, waiter.err);
}

TEST_F(trouble, destroy_wakes_waiters)
{
	struct waiter waiter = { .stream = self->w.a };
	pthread_t thread;

	OK(gate_close(&self->w, self->w.a));
	waiter_start(_metadata, &waiter, wait_for_stream, &thread);
	OK(aclrtDestroyStreamForce(self->w.a));
	pthread_join(thread, NULL);
}

static void *fill_stream(void *arg)
{
	struct waiter *waiter = arg;

	aclrtSetCurrentContext(waiter->context);
	atomic_store(&waiter->thread, gettid());
	do {
		waiter->err = aclrtRecordEvent(waiter->event, waiter->stream);
	} while (!waiter->err);
	return NULL;
}

/* Empty tasks are submitted by a shorter path than events. */
static void *fill_stream_quickly(void *arg)
{
	struct waiter *waiter = arg;

	aclrtSetCurrentContext(waiter->context);
	atomic_store(&waiter->thread, gettid());
	do {
		waiter->err = aclrtResetOverflowStatus(waiter->stream);
	} while (!waiter->err);
	return NULL;
}

/*
 * A thread that waits for room in a stream returns when the stream is
 * destroyed.
 */
TEST_F(trouble, destroy_wakes_a_submitter)
{
	struct waiter waiter = { .stream = self->w.a };
	pthread_t thread;

	OK(aclrtCreateEvent(&waiter.event));
	OK(gate_close(&self->w, self->w.a));
	waiter_start(_metadata, &waiter, fill_stream, &thread);
	OK(aclrtDestroyStreamForce(self->w.a));
	pthread_join(thread, NULL);
	EXPECT_EQ(BAD_HANDLE, waiter.err);
}

TEST_F(trouble, destroy_wakes_all_submitters)
{
	struct waiter waiters[2] = {
		{ .stream = self->w.a }, { .stream = self->w.a },
	};
	pthread_t threads[2];

	OK(gate_close(&self->w, self->w.a));
	for (int i = 0; i < 2; i++)
		waiter_start(_metadata, &waiters[i], fill_stream_quickly,
			     &threads[i]);
	OK(aclrtDestroyStreamForce(self->w.a));
	for (int i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(BAD_HANDLE, waiters[i].err);
	}
}

/*
 * A child has no thread that would release a lock held by one of its parent's.
 */
TEST_F(trouble, fork_while_another_submits)
{
	struct waiter waiter = { .stream = self->w.a };
	pthread_t thread;
	pid_t pid;

	OK(gate_close(&self->w, self->w.a));
	waiter_start(_metadata, &waiter, fill_stream_quickly, &thread);
	fflush(stdout);
	pid = fork_bound();
	if (!pid) {
		aclError err = aclrtResetOverflowStatus(self->w.a);

		aclrtResetDeviceForce(0);
		_exit(err != ACL_ERROR_RT_NO_PERMISSION);
	}
	EXPECT_EQ(0, child_wait(pid));
	OK(aclrtDestroyStreamForce(self->w.a));
	pthread_join(thread, NULL);
	EXPECT_EQ(BAD_HANDLE, waiter.err);
}

TEST_F(trouble, time_limits)
{
	uint64_t interval = 0, actual = 0;
	struct work *w = &self->w;
	uint32_t ms = 1;

	OK(aclrtGetOpTimeOutInterval(&interval));
	EXPECT_EQ(1000, interval);
	OK(aclrtGetOpExecuteTimeout(&ms));
	EXPECT_EQ(0, ms);
	OK(aclrtSetOpExecuteTimeOut(2));
	OK(aclrtGetOpExecuteTimeout(&ms));
	EXPECT_EQ(2000, ms);
	OK(aclrtSetOpExecuteTimeOutWithMs(3));
	OK(aclrtGetOpExecuteTimeout(&ms));
	EXPECT_EQ(3, ms);
	OK(aclrtSetOpExecuteTimeOutV2(1500, &actual));
	EXPECT_EQ(2000, actual);
	OK(aclrtSetOpExecuteTimeOutV2(UINT64_MAX, &actual));
	EXPECT_EQ(UINT32_MAX * 1000ULL, actual);
	OK(aclrtSetOpExecuteTimeOut(UINT32_MAX));
	OK(aclrtGetOpExecuteTimeout(&ms));
	EXPECT_EQ(UINT32_MAX, ms);
	OK(aclrtSetOpExecuteTimeOutV2(0, &actual));
	OK(aclrtGetOpExecuteTimeout(&ms));
	EXPECT_EQ(0, ms);
	EXPECT_ACL(NULL_OR_ZERO, aclrtSetOpExecuteTimeOutV2(1, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetOpTimeOutInterval(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetOpExecuteTimeout(NULL));
	/* A long limit has no effect. */
	OK(aclrtSetOpExecuteTimeOut(100));
	OK(aclrtMemsetAsync(w->dev, AREA, 1, AREA, w->a));
	OK(aclrtSynchronizeStream(w->a));
}

TEST_F(trouble, synchronize_timeouts)
{
	struct work *w = &self->w;

	OK(gate_close(w, w->a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(w->a, 10));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeDeviceWithTimeout(10));
	EXPECT_ACL(BAD_VALUE, aclrtSynchronizeDeviceWithTimeout(0));
	OK(aclrtSynchronizeStreamWithTimeout(w->b, 60000));
	OK(gate_open(w));
	OK(aclrtSynchronizeStreamWithTimeout(w->a, 10000));
	OK(aclrtSynchronizeDeviceWithTimeout(10000));
}

TEST_F(trouble, reduce_arguments)
{
	const aclrtReduceKind sum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
	struct work *w = &self->w;
	uint8_t *d = w->dev;

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtReduceAsync(NULL, d, 64, sum, ACL_FLOAT, w->a, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtReduceAsync(d, NULL, 64, sum, ACL_FLOAT, w->a, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtReduceAsync(d, d, 64, sum, ACL_FLOAT, w->a, d));
	EXPECT_ACL(BAD_VALUE,
		   aclrtReduceAsync(d, d, 64, (aclrtReduceKind)9, ACL_FLOAT,
				    w->a, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtReduceAsync(d, d, 64, sum, ACL_DOUBLE, w->a, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtReduceAsync(d, d, 0, sum, ACL_FLOAT, w->a, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtReduceAsync(d, d, 66, sum, ACL_FLOAT, w->a, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtReduceAsync(d + 2, d, 64, sum, ACL_FLOAT, w->a, NULL));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtReduceAsync(d, d, 64, sum, ACL_FLOAT, d, NULL));
}

TEST_F(trouble, random_arguments)
{
	aclrtRandomNumTaskInfo info = {
		.dataType = ACL_FLOAT,
		.randomResultAddr = self->w.dev,
		.randomCounterAddr = self->w.dev + 4096,
		.randomSeed = { .size = 8 },
		.randomNum = { .size = 8 },
	};
	aclrtStream s = self->w.a;

	info.randomNumFuncParaInfo.funcType =
		ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
	EXPECT_ACL(NULL_OR_ZERO, aclrtRandomNumAsync(NULL, s, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtRandomNumAsync(&info, s, s));
	/* No numbers are requested. */
	OK(aclrtRandomNumAsync(&info, s, NULL));
	info.dataType = ACL_DOUBLE;
	EXPECT_ACL(BAD_VALUE, aclrtRandomNumAsync(&info, s, NULL));
	info.dataType = ACL_FLOAT;
	info.randomSeed.size = 9;
	EXPECT_ACL(BAD_VALUE, aclrtRandomNumAsync(&info, s, NULL));
	info.randomSeed.size = 8;
	info.randomNumFuncParaInfo.funcType = (aclrtRandomNumFuncType)4;
	EXPECT_ACL(BAD_VALUE, aclrtRandomNumAsync(&info, s, NULL));
	info.randomNumFuncParaInfo.funcType = (aclrtRandomNumFuncType)0;
	EXPECT_ACL(BAD_HANDLE, aclrtRandomNumAsync(&info, self->w.dev, NULL));
	info.randomCounterAddr = NULL;
	EXPECT_ACL(NULL_OR_ZERO, aclrtRandomNumAsync(&info, s, NULL));
	info.randomCounterAddr = self->w.dev;
	info.randomResultAddr = NULL;
	EXPECT_ACL(NULL_OR_ZERO, aclrtRandomNumAsync(&info, s, NULL));
}

TEST_HARNESS_MAIN
