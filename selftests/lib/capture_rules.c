// SPDX-License-Identifier: GPL-2.0-only
/* Captures: the calls that they refuse, and the error codes. */
#include "capture.h"

#define NOT_NOW		ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT
#define NOT_BLOCKING	ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC

TEST_F(capture, captured_streams_and_events_are_refused)
{
	aclrtEventRecordedStatus recorded;
	struct work *w = &self->w;
	aclrtStreamStatus status;
	uint64_t time;
	float ms;

	OK(aclmdlRICaptureBegin(w->a, RELAXED));
	OK(aclrtRecordEvent(self->fork, w->a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED, aclrtSynchronizeStream(w->a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED,
		   aclrtSynchronizeStreamWithTimeout(w->a, 1));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED,
		   aclrtStreamQuery(w->a, &status));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED, aclrtDestroyStream(w->a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED, aclrtDestroyStreamForce(w->a));
	EXPECT_ACL(ACL_ERROR_RT_EVENT_CAPTURED,
		   aclrtSynchronizeEvent(self->fork));
	EXPECT_ACL(ACL_ERROR_RT_EVENT_CAPTURED,
		   aclrtQueryEventStatus(self->fork, &recorded));
	EXPECT_ACL(ACL_ERROR_RT_EVENT_CAPTURED,
		   aclrtEventElapsedTime(&ms, self->fork, self->fork));
	EXPECT_ACL(ACL_ERROR_RT_EVENT_CAPTURED,
		   aclrtEventGetTimestamp(self->fork, &time));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(aclrtSynchronizeStream(w->a));
	OK(aclrtSynchronizeEvent(self->fork));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(fill(w->dev, 1, 8, w->a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED,
		   aclmdlRIExecuteAsync(self->model, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
}

/* A record outside replaces the captured one. */
TEST_F(capture, an_event_can_be_recorded_outside_again)
{
	struct work *w = &self->w;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(aclrtRecordEvent(self->fork, w->a));
	OK(aclrtRecordEvent(self->fork, w->b));
	OK(aclrtSynchronizeEvent(self->fork));
	EXPECT_ACL(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
		   aclrtStreamWaitEvent(w->a, self->fork));
	EXPECT_ACL(INVALID_CAPTURE, aclmdlRICaptureEnd(w->a, &self->model));
}

TEST_F(capture, events_that_cannot_be_captured)
{
	const struct {
		bool is_new;
		uint32_t flags;
	} events[] = {
		{ false, ACL_EVENT_SYNC },
		{ false, ACL_EVENT_CAPTURE_STREAM_PROGRESS },
		{ true, ACL_EVENT_TIME_LINE },
		{ true, ACL_EVENT_IPC },
	};
	struct work *w = &self->w;
	aclrtEvent event;

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		OK(events[i].is_new ?
		   aclrtCreateEventExWithFlag(&event, events[i].flags) :
		   aclrtCreateEventWithFlag(&event, events[i].flags));
		OK(aclmdlRICaptureBegin(w->a, GLOBAL));
		EXPECT_ACL(UNSUPPORTED, aclrtRecordEvent(event, w->a));
		EXPECT_EQ(INVALIDATED, status_of(w->a));
		EXPECT_ACL(INVALID_CAPTURE, fill(w->dev, 1, 8, w->a));
		EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED,
			   aclmdlRICaptureBegin(w->a, GLOBAL));
		EXPECT_ACL(INVALID_CAPTURE,
			   aclmdlRICaptureEnd(w->a, &self->model));
		EXPECT_EQ(NONE, status_of(w->a));
		OK(aclrtDestroyEvent(event));
	}
	OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	EXPECT_ACL(UNSUPPORTED, aclrtResetEvent(event, w->a));
	EXPECT_ACL(INVALID_CAPTURE, aclmdlRICaptureEnd(w->a, &self->model));
	EXPECT_TRUE(device_has(w->dev, 0, 8));
}

TEST_F(capture, captures_are_isolated)
{
	struct work *w = &self->w;

	OK(aclrtRecordEvent(self->fork, w->b));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	EXPECT_ACL(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
		   aclrtStreamWaitEvent(w->a, self->fork));
	EXPECT_ACL(INVALID_CAPTURE, aclmdlRICaptureEnd(w->a, &self->model));

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(aclmdlRICaptureBegin(w->b, GLOBAL));
	OK(aclrtRecordEvent(self->fork, w->a));
	EXPECT_ACL(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
		   aclrtStreamWaitEvent(w->b, self->fork));
	EXPECT_ACL(INVALID_CAPTURE, aclmdlRICaptureEnd(w->b, &self->model));
	OK(aclmdlRICaptureEnd(w->a, &self->model));

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(aclrtRecordEvent(self->fork, w->a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
		   aclrtStreamWaitEvent(NULL, self->fork));
	EXPECT_ACL(INVALID_CAPTURE, aclmdlRICaptureEnd(w->a, &self->model));

	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclrtRecordEventWithFlag(self->fork, w->a,
					    ACL_EVENT_RECORD_EXTERNAL));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclrtStreamWaitEventWithFlag(w->a, self->fork, 0,
						ACL_EVENT_WAIT_EXTERNAL));
	OK(aclmdlRICaptureBegin(w->b, GLOBAL));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclrtStreamWaitEventWithFlag(w->a, self->fork, 0,
						ACL_EVENT_WAIT_EXTERNAL));
	OK(aclrtStreamWaitEventWithFlag(w->b, self->fork, 0,
					ACL_EVENT_WAIT_EXTERNAL));
	OK(aclmdlRICaptureEnd(w->b, &self->model));
}

static void nothing(void *arg)
{
	(void)arg;
}

TEST_F(capture, work_that_cannot_be_captured)
{
	struct work *w = &self->w;

	OK(aclrtSubscribeReport(pthread_self(), w->a));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	EXPECT_ACL(UNSUPPORTED,
		   aclrtLaunchCallback(nothing, NULL, ACL_CALLBACK_BLOCK, w->a));
	EXPECT_ACL(INVALID_CAPTURE, aclmdlRICaptureEnd(w->a, &self->model));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	EXPECT_ACL(UNSUPPORTED,
		   aclrtLaunchHostFunc(w->a, nothing, NULL));
	EXPECT_ACL(INVALID_CAPTURE, aclmdlRICaptureEnd(w->a, &self->model));
}

/* Allocations are allowed in all modes. */
TEST_F(capture, memory_can_be_allocated)
{
	struct work *w = &self->w;
	void *ptr;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(aclrtMalloc(&ptr, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(fill(ptr, 1, 8, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(run(self->model, w->a));
	EXPECT_TRUE(device_has(ptr, 1, 8));
	OK(aclrtFree(ptr));
}

struct attempt {
	struct work *w;
	aclmdlRICaptureMode mode;	/* of the thread */
	aclError now, blocking;
};

/* Make calls that act at once; all of them must return the same. */
static aclError act_now(struct work *w)
{
	uint64_t x = 0;
	aclError err[] = {
		aclrtMemcpy(&x, 8, w->dev, 8, ACL_MEMCPY_DEVICE_TO_HOST),
		aclrtMemset(w->dev, 8, 0, 8),
		aclrtMemsetD32(w->dev, 8, 0, 2),
		aclrtMemcpy2d(&x, 8, w->dev, 8, 8, 1,
			      ACL_MEMCPY_DEVICE_TO_HOST),
		aclrtSynchronizeDevice(),
		aclrtSynchronizeDeviceWithTimeout(-1),
	};

	for (size_t i = 1; i < ARRAY_SIZE(err); i++)
		if (err[i] != err[0])
			return -1;
	return err[0];
}

static aclError act_blocking(struct work *w)
{
	uint64_t x = 0;
	aclError err[] = {
		aclrtMemcpyAsync(&x, 8, w->dev, 8, ACL_MEMCPY_DEVICE_TO_HOST,
				 w->b),
		aclrtMemcpy2dAsync(&x, 8, w->dev, 8, 8, 1,
				   ACL_MEMCPY_DEVICE_TO_HOST, w->b),
		aclrtMemsetAsync(&x, 8, 0, 8, w->b),
	};

	for (size_t i = 1; i < ARRAY_SIZE(err); i++)
		if (err[i] != err[0])
			return -1;
	return err[0];
}

static void *attempt(void *arg)
{
	struct attempt *a = arg;
	aclmdlRICaptureMode before = a->mode;

	aclrtSetDevice(0);
	if (aclmdlRICaptureThreadExchangeMode(&before) || before != GLOBAL)
		abort();
	a->now = act_now(a->w);
	a->blocking = act_blocking(a->w);
	return NULL;
}

/* The mode of the capture, that of the thread, and whether it is the same. */
TEST_F(capture, modes_forbid_calls)
{
	struct work *w = &self->w;

	for (int mode = GLOBAL; mode <= RELAXED; mode++) {
		for (int mine = GLOBAL; mine <= RELAXED; mine++) {
			struct attempt other = {
				w, (aclmdlRICaptureMode)mine, 0, 0
			};
			aclmdlRICaptureMode swap = (aclmdlRICaptureMode)mine;
			bool here = mode != RELAXED && mine != RELAXED;
			bool there = mode == GLOBAL && mine == GLOBAL;

			OK(aclmdlRICaptureBegin(w->a,
						(aclmdlRICaptureMode)mode));
			OK(fill(w->dev, 1, 8, w->a));
			OK(aclmdlRICaptureThreadExchangeMode(&swap));
			EXPECT_ACL(here ? NOT_NOW : ACL_SUCCESS, act_now(w));
			EXPECT_ACL(here ? NOT_BLOCKING : ACL_SUCCESS,
				   act_blocking(w));
			OK(aclmdlRICaptureThreadExchangeMode(&swap));
			EXPECT_EQ(mine, swap);
			in_thread(attempt, &other);
			EXPECT_EQ(there ? NOT_NOW : ACL_SUCCESS, other.now);
			EXPECT_EQ(there ? NOT_BLOCKING : ACL_SUCCESS,
				  other.blocking);
			EXPECT_EQ(ACTIVE, status_of(w->a));
			OK(aclmdlRICaptureEnd(w->a, &self->model));
			OK(aclmdlRIDestroy(self->model));
		}
	}
	OK(act_now(w));
}

/* A capture does not restrict other contexts. */
TEST_F(capture, other_contexts_are_not_concerned)
{
	struct work *w = &self->w;
	aclrtContext mine, other;

	OK(aclrtGetCurrentContext(&mine));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(fill(w->dev, 1, 8, w->a));
	OK(aclrtCreateContext(&other, 0));
	OK(aclrtMemset(w->dev, 8, 0, 8));
	OK(aclrtSetCurrentContext(mine));
	EXPECT_ACL(NOT_NOW, aclrtMemset(w->dev, 8, 0, 8));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(aclrtSetCurrentContext(other));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CONTEXT,
		   aclmdlRIExecuteAsync(self->model, NULL));
	OK(aclmdlRIDestroy(self->model));
	OK(aclrtSetCurrentContext(mine));
	OK(run(self->model, w->a));
	OK(aclrtDestroyContext(other));
}

TEST_HARNESS_MAIN
