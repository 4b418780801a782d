// SPDX-License-Identifier: GPL-2.0-only
/* Events of both families: their flags, times, numbers and errors. */
#include "event.h"

TEST(need_a_context)
{
	aclrtEvent e;
	uint32_t n;

	EXPECT_ACL(NO_CONTEXT, aclrtCreateEvent(&e));
	EXPECT_ACL(NO_CONTEXT, aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC));
	EXPECT_ACL(NO_CONTEXT, aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC));
	EXPECT_ACL(NO_CONTEXT, aclrtGetEventAvailNum(&n));
	EXPECT_ACL(NO_CONTEXT, aclrtGetThreadLastTaskId(&n));
	EXPECT_ACL(NO_CONTEXT, aclrtRecordEvent((void *)8, NULL));
}

TEST_F(event, null_is_refused)
{
	aclrtEventRecordedStatus recorded;
	aclrtEventWaitStatus waited;
	aclrtEventStatus status;
	uint64_t us;
	uint32_t n;
	float ms;

	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateEvent(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateEventWithFlag(NULL, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateEventExWithFlag(NULL, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDestroyEvent(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtRecordEvent(NULL, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtRecordEventWithFlag(NULL, NULL, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtResetEvent(NULL, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtQueryEvent(NULL, &status));
	EXPECT_ACL(NULL_OR_ZERO, aclrtQueryEvent(self->plain, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtQueryEventStatus(NULL, &recorded));
	EXPECT_ACL(NULL_OR_ZERO, aclrtQueryEventStatus(self->plain, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtQueryEventWaitStatus(NULL, &waited));
	EXPECT_ACL(NULL_OR_ZERO, aclrtQueryEventWaitStatus(self->plain, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtSynchronizeEvent(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtSynchronizeEventWithTimeout(NULL, 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtEventElapsedTime(NULL, self->plain, self->plain));
	EXPECT_ACL(NULL_OR_ZERO, aclrtEventElapsedTime(&ms, NULL, self->plain));
	EXPECT_ACL(NULL_OR_ZERO, aclrtEventGetTimestamp(NULL, &us));
	EXPECT_ACL(NULL_OR_ZERO, aclrtEventGetTimestamp(self->plain, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetEventId(NULL, &n));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetEventId(self->plain, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetEventAvailNum(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtStreamWaitEvent(self->w.a, NULL));
}

TEST_F(event, flags)
{
	static const uint32_t alone[] = {
		ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS,
		ACL_EVENT_TIME_LINE, ACL_EVENT_DEVICE_USE_ONLY,
		ACL_EVENT_EXTERNAL,
	};
	aclrtEvent e;

	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
		OK(aclrtCreateEventWithFlag(&e, alone[i]));
		OK(aclrtDestroyEvent(e));
		EXPECT_ACL(i < 3 ? ACL_SUCCESS : BAD_VALUE,
			   aclrtCreateEventExWithFlag(&e, alone[i]));
	}
	OK(aclrtCreateEventWithFlag(&e, 0xb));
	EXPECT_ACL(BAD_VALUE, aclrtCreateEventWithFlag(&e, 0));
	EXPECT_ACL(BAD_VALUE, aclrtCreateEventWithFlag(&e, 0x4));
	EXPECT_ACL(BAD_VALUE, aclrtCreateEventWithFlag(&e, ACL_EVENT_IPC));
	EXPECT_ACL(BAD_VALUE, aclrtCreateEventWithFlag(&e, 0x11));
	EXPECT_ACL(BAD_VALUE, aclrtCreateEventWithFlag(&e, 0x21));
	EXPECT_ACL(BAD_VALUE, aclrtCreateEventExWithFlag(&e, 0));
	EXPECT_ACL(BAD_VALUE, aclrtCreateEventExWithFlag(&e, 0x41));
	OK(aclrtCreateEventExWithFlag(&e, ACL_EVENT_IPC));
}

TEST_F(event, never_recorded)
{
	const aclError no_time = ACL_ERROR_RT_INTERNAL_ERROR;
	aclrtEventRecordedStatus recorded;
	aclrtEventWaitStatus waited;
	aclrtEventStatus status;
	uint64_t us;
	float ms;

	OK(aclrtQueryEventStatus(self->plain, &recorded));
	EXPECT_EQ(ACL_EVENT_RECORDED_STATUS_NOT_READY, recorded);
	OK(aclrtQueryEventStatus(self->ex, &recorded));
	EXPECT_EQ(ACL_EVENT_RECORDED_STATUS_COMPLETE, recorded);
	OK(aclrtQueryEvent(self->plain, &status));
	EXPECT_EQ(ACL_EVENT_STATUS_COMPLETE, status);
	OK(aclrtQueryEventWaitStatus(self->plain, &waited));
	EXPECT_EQ(ACL_EVENT_WAIT_STATUS_COMPLETE, waited);
	OK(aclrtSynchronizeEvent(self->plain));
	OK(aclrtSynchronizeEvent(self->ex));
	EXPECT_ACL(no_time, aclrtEventElapsedTime(&ms, self->plain, self->ex));
	EXPECT_ACL(no_time, aclrtEventGetTimestamp(self->timed, &us));
	EXPECT_ACL(BAD_VALUE, aclrtStreamWaitEvent(self->w.a, self->plain));
	OK(aclrtStreamWaitEvent(self->w.a, self->ex));
	OK(aclrtSynchronizeStream(self->w.a));
}

/*
 * An event of the old family with the flag blocks the stream until it is
 * recorded.
 */
TEST_F(event, waited_for_before_the_record)
{
	aclrtEventWaitStatus waited;
	aclrtStreamStatus status;
	struct work *w = &self->w;

	for (int round = 0; round < 3; round++) {
		OK(aclrtStreamWaitEvent(w->b, self->sync));
		OK(aclrtValueWrite(w->dev, 5, 0, w->b));
		EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
			   aclrtSynchronizeStreamWithTimeout(w->b, 20));
		OK(aclrtStreamQuery(w->b, &status));
		EXPECT_EQ(ACL_STREAM_STATUS_NOT_READY, status);
		OK(aclrtQueryEventWaitStatus(self->sync, &waited));
		EXPECT_EQ(ACL_EVENT_WAIT_STATUS_NOT_READY, waited);
		OK(aclrtRecordEvent(self->sync, w->a));
		OK(aclrtSynchronizeStreamWithTimeout(w->b, 10000));
		EXPECT_EQ(5, dev_u64(w->dev));
		OK(aclrtQueryEventWaitStatus(self->sync, &waited));
		EXPECT_EQ(ACL_EVENT_WAIT_STATUS_COMPLETE, waited);
		OK(aclrtResetEvent(self->sync, w->b));
	}
}

TEST_F(event, times)
{
	const aclError bad = ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID;
	struct work *w = &self->w;
	uint64_t before, after;
	float ms;

	OK(aclrtRecordEvent(self->plain, w->a));
	OK(gate_close(w, w->a));
	OK(aclrtRecordEvent(self->timed, w->a));
	OK(aclrtRecordEvent(self->sync, w->a));
	OK(aclrtSynchronizeEvent(self->plain));
	EXPECT_ACL(bad, aclrtEventGetTimestamp(self->timed, &after));
	EXPECT_ACL(bad, aclrtEventElapsedTime(&ms, self->plain, self->timed));
	usleep(20000);
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->a));
	OK(aclrtEventGetTimestamp(self->plain, &before));
	OK(aclrtEventGetTimestamp(self->timed, &after));
	EXPECT_LE(before + 19000, after);
	OK(aclrtEventElapsedTime(&ms, self->plain, self->timed));
	EXPECT_LE(19.0f, ms);
	EXPECT_GE(60000.0f, ms);
	OK(aclrtEventElapsedTime(&ms, self->timed, self->plain));
	EXPECT_GE(-19.0f, ms);
	/* Complete, but without timestamps. */
	EXPECT_ACL(bad, aclrtEventGetTimestamp(self->sync, &after));
}

TEST_F(event, unsupported_flags)
{
	const aclError no = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
	const aclError not_captured = ACL_ERROR_RT_STREAM_NOT_CAPTURED;
	aclrtEventWaitStatus waited;
	aclrtStream s = self->w.a;
	aclrtEventStatus status;
	aclrtEvent device_only;

	OK(aclrtCreateEventWithFlag(&device_only, ACL_EVENT_DEVICE_USE_ONLY));
	EXPECT_ACL(no, aclrtRecordEvent(device_only, s));
	OK(aclrtRecordEvent(self->timed, s));
	EXPECT_ACL(no, aclrtStreamWaitEvent(s, self->timed));
	EXPECT_ACL(no, aclrtResetEvent(self->ex, s));
	EXPECT_ACL(no, aclrtQueryEvent(self->ex, &status));
	EXPECT_ACL(no, aclrtQueryEventWaitStatus(self->ex, &waited));
	OK(aclrtRecordEventWithFlag(self->ex, s, ACL_EVENT_RECORD_DEFAULT));
	EXPECT_ACL(not_captured,
		   aclrtRecordEventWithFlag(self->ex, s,
					    ACL_EVENT_RECORD_EXTERNAL));
	EXPECT_ACL(BAD_VALUE, aclrtRecordEventWithFlag(self->ex, s, 2));
	OK(aclrtStreamWaitEventWithFlag(s, self->ex, 0,
					ACL_EVENT_WAIT_DEFAULT));
	EXPECT_ACL(not_captured,
		   aclrtStreamWaitEventWithFlag(s, self->ex, 0,
						ACL_EVENT_WAIT_EXTERNAL));
	EXPECT_ACL(BAD_VALUE,
		   aclrtStreamWaitEventWithFlag(s, self->ex, 0, 2));
	EXPECT_ACL(BAD_VALUE,
		   aclrtStreamWaitEventWithTimeout(s, self->ex, -1));
	EXPECT_ACL(BAD_VALUE, aclrtSynchronizeEventWithTimeout(self->ex, 0));
	EXPECT_ACL(BAD_VALUE, aclrtSynchronizeEventWithTimeout(self->ex, -2));
}

/* A wait that exceeds its timeout is a failed task. */
TEST_F(event, wait_timeouts)
{
	struct work *w = &self->w;

	OK(aclrtStreamWaitEventWithTimeout(w->a, self->sync, 1));
	EXPECT_ACL(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStream(w->a));
	OK(aclrtSynchronizeStream(w->a));
	OK(aclrtSetOpWaitTimeout(1));
	OK(aclrtStreamWaitEvent(w->a, self->sync));
	EXPECT_ACL(ACL_ERROR_RT_TASK_TIMEOUT, aclrtSynchronizeStream(w->a));
	OK(aclrtSetOpWaitTimeout(0));
}

TEST_F(event, stale_and_foreign)
{
	void *const garbage[] = { GARBAGE_HANDLES, self->w.a };
	aclrtEventRecordedStatus recorded;
	aclrtContext other;
	aclrtEvent e;
	uint32_t n;

	OK(aclrtDestroyEvent(self->plain));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyEvent(self->plain));
	EXPECT_ACL(BAD_HANDLE, aclrtRecordEvent(self->plain, NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtStreamWaitEvent(NULL, self->plain));
	EXPECT_ACL(BAD_HANDLE, aclrtResetEvent(self->plain, NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeEvent(self->plain));
	EXPECT_ACL(BAD_HANDLE, aclrtQueryEventStatus(self->plain, &recorded));
	EXPECT_ACL(BAD_HANDLE, aclrtGetEventId(self->plain, &n));
	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		EXPECT_ACL(BAD_HANDLE, aclrtDestroyEvent(garbage[i]));
		EXPECT_ACL(BAD_HANDLE, aclrtRecordEvent(garbage[i], NULL));
	}
	EXPECT_ACL(BAD_HANDLE, aclrtRecordEvent(self->ex, self->ex));
	OK(aclrtCreateContext(&other, 0));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CONTEXT,
		   aclrtRecordEvent(self->ex, self->w.a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CONTEXT,
		   aclrtStreamWaitEvent(self->w.a, self->ex));
	OK(aclrtCreateEvent(&e));
	OK(aclrtDestroyContext(other));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeEvent(e));
}

TEST_F(event, numbers)
{
	uint32_t before, after, a, b, again;

	OK(aclrtGetEventAvailNum(&before));
	OK(aclrtGetEventId(self->ex, &a));
	OK(aclrtGetEventId(self->plain, &b));
	EXPECT_NE(a, b);
	OK(aclrtGetEventId(self->ex, &again));
	EXPECT_EQ(a, again);
	OK(aclrtGetEventAvailNum(&after));
	EXPECT_EQ(before - 2, after);
	OK(aclrtDestroyEvent(self->ex));
	OK(aclrtDestroyEvent(self->plain));
	OK(aclrtGetEventAvailNum(&after));
	EXPECT_EQ(before, after);
}

TEST_F(event, until_the_limit)
{
	uint32_t available, after;
	aclrtEvent *events, one;

	OK(aclrtGetEventAvailNum(&available));
	ASSERT_GE(65536, available);
	ASSERT_LT(60000, available);
	events = calloc(available, sizeof(*events));
	ASSERT_NE(NULL, events);
	for (uint32_t i = 0; i < available; i++)
		OK(aclrtCreateEventWithFlag(&events[i], ACL_EVENT_SYNC));
	EXPECT_ACL(ACL_ERROR_RT_NO_EVENT_RESOURCE,
		   aclrtCreateEventWithFlag(&one, ACL_EVENT_SYNC));
	EXPECT_ACL(ACL_ERROR_RT_NO_EVENT_RESOURCE,
		   aclrtGetEventId(self->ex, &after));
	OK(aclrtCreateEventExWithFlag(&one, ACL_EVENT_SYNC));
	for (uint32_t i = 0; i < available; i++)
		OK(aclrtDestroyEvent(events[i]));
	OK(aclrtGetEventAvailNum(&after));
	EXPECT_EQ(available, after);
	free(events);
}

TEST_HARNESS_MAIN
