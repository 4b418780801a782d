// SPDX-License-Identifier: GPL-2.0-only
/* Events: the order of the work before a record and the work after a wait. */
#include "event.h"

/* A query sees the reset when its stream has reached it, and not before. */
TEST_F(event, reset_in_order)
{
	aclrtEventRecordedStatus recorded;
	aclrtEventStatus status;
	struct work *w = &self->w;

	OK(gate_close(w, w->a));
	OK(aclrtRecordEvent(self->sync, w->a));
	OK(aclrtStreamWaitEvent(w->b, self->sync));
	OK(aclrtResetEvent(self->sync, w->b));
	EXPECT_ACL(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
		   aclrtSynchronizeEventWithTimeout(self->sync, 10));
	OK(aclrtQueryEvent(self->sync, &status));
	EXPECT_EQ(ACL_EVENT_STATUS_NOT_READY, status);
	/* A stream that waits now waits for the next record. */
	OK(aclrtStreamWaitEvent(w->b, self->sync));
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(w->b, 20));
	OK(aclrtQueryEventStatus(self->sync, &recorded));
	EXPECT_EQ(ACL_EVENT_RECORDED_STATUS_NOT_READY, recorded);
	OK(aclrtRecordEvent(self->sync, w->a));
	OK(aclrtSynchronizeStreamWithTimeout(w->b, 10000));
	OK(aclrtQueryEventStatus(self->sync, &recorded));
	EXPECT_EQ(ACL_EVENT_RECORDED_STATUS_COMPLETE, recorded);
}

/* An event of aclrtCreateEvent(): a wait needs the next record to exist. */
TEST_F(event, reset_plain)
{
	aclrtEventRecordedStatus recorded;
	struct work *w = &self->w;
	uint64_t time;

	OK(aclrtRecordEvent(self->plain, w->a));
	OK(aclrtStreamWaitEvent(w->b, self->plain));
	OK(aclrtResetEvent(self->plain, w->b));
	OK(aclrtSynchronizeStream(w->b));
	OK(aclrtQueryEventStatus(self->plain, &recorded));
	EXPECT_EQ(ACL_EVENT_RECORDED_STATUS_NOT_READY, recorded);
	EXPECT_ACL(ACL_ERROR_RT_INTERNAL_ERROR,
		   aclrtEventGetTimestamp(self->plain, &time));
	EXPECT_ACL(BAD_VALUE, aclrtStreamWaitEvent(w->b, self->plain));

	OK(aclrtRecordEvent(self->plain, w->a));
	OK(aclrtStreamWaitEvent(w->b, self->plain));
	OK(aclrtSynchronizeStreamWithTimeout(w->b, 10000));
	OK(aclrtEventGetTimestamp(self->plain, &time));
	OK(aclrtRecordEvent(self->timed, w->a));
	OK(aclrtResetEvent(self->timed, w->a));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_ACL(ACL_ERROR_RT_INTERNAL_ERROR,
		   aclrtEventGetTimestamp(self->timed, &time));
}

struct recorder {
	aclrtContext context;
	aclrtEvent event;
	aclrtStream stream;
};

static void *record(void *arg)
{
	struct recorder *r = arg;

	return (void *)(intptr_t)(aclrtSetCurrentContext(r->context) ||
				  aclrtRecordEvent(r->event, r->stream));
}

/* A record that waits for room does not block queries of the event. */
TEST_F(event, record_into_a_full_stream)
{
	struct recorder r = { .event = self->plain, .stream = self->w.a };
	aclrtEventRecordedStatus recorded;
	struct work *w = &self->w;
	pthread_t thread;
	void *failed;

	OK(aclrtGetCurrentContext(&r.context));
	OK(aclrtRecordEvent(self->plain, w->b));
	OK(aclrtSynchronizeStream(w->b));
	OK(gate_close(w, w->a));
	for (int i = 1; i < 2048; i++)
		OK(aclrtValueWrite(w->dev, i, 0, w->a));
	ASSERT_EQ(0, pthread_create(&thread, NULL, record, &r));
	usleep(50000);
	/* The event remembers its records. */
	OK(aclrtQueryEventStatus(self->plain, &recorded));
	EXPECT_EQ(ACL_EVENT_RECORDED_STATUS_COMPLETE, recorded);
	OK(aclrtStreamWaitEvent(w->b, self->plain));
	OK(aclrtSynchronizeEventWithTimeout(self->plain, 60000));
	EXPECT_EQ(EBUSY, pthread_tryjoin_np(thread, &failed));
	OK(gate_open(w));
	ASSERT_EQ(0, pthread_join(thread, &failed));
	EXPECT_EQ(NULL, failed);
	OK(aclrtSynchronizeEventWithTimeout(self->plain, 10000));
	EXPECT_EQ(2047, dev_u64(w->dev));
}

/* Work after the wait sees the results of work before the record. */
static void order(struct __test_metadata *_metadata, struct work *w,
		  aclrtEvent event)
{
	aclrtEventRecordedStatus recorded;

	OK(aclrtMemset(w->gate, 8, 0, 8));
	OK(aclrtMemset(w->dev, AREA, 0, AREA));
	OK(gate_close(w, w->a));
	OK(aclrtMemsetAsync(w->dev, AREA, 1, AREA / 2, w->a));
	OK(aclrtRecordEvent(event, w->a));
	OK(aclrtStreamWaitEvent(w->b, event));
	OK(aclrtMemcpyAsync(w->pinned, AREA, w->dev, AREA / 2,
			    ACL_MEMCPY_DEVICE_TO_HOST, w->b));
	OK(aclrtQueryEventStatus(event, &recorded));
	EXPECT_EQ(ACL_EVENT_RECORDED_STATUS_NOT_READY, recorded);
	EXPECT_ACL(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
		   aclrtSynchronizeEventWithTimeout(event, 10));
	OK(gate_open(w));
	OK(aclrtSynchronizeEvent(event));
	OK(aclrtQueryEventStatus(event, &recorded));
	EXPECT_EQ(ACL_EVENT_RECORDED_STATUS_COMPLETE, recorded);
	OK(aclrtSynchronizeStream(w->b));
	EXPECT_TRUE(all_are(w->pinned, 1, AREA / 2));
	memset(w->pinned, 0, AREA);
}

TEST_F(event, order_between_streams)
{
	order(_metadata, &self->w, self->plain);
	order(_metadata, &self->w, self->sync);
	order(_metadata, &self->w, self->ex);
}

/* A wait is for the latest record at its time, not for later ones. */
TEST_F(event, a_wait_captures)
{
	struct work *w = &self->w;

	OK(aclrtMemsetAsync(w->dev, AREA, 1, 64, w->a));
	OK(aclrtRecordEvent(self->ex, w->a));
	OK(aclrtStreamWaitEvent(w->b, self->ex));
	OK(gate_close(w, w->a));
	OK(aclrtRecordEvent(self->ex, w->a));
	OK(aclrtSynchronizeStreamWithTimeout(w->b, 10000));
	EXPECT_ACL(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
		   aclrtSynchronizeEventWithTimeout(self->ex, 10));
	/* On the same stream, a wait does nothing. */
	OK(aclrtStreamWaitEvent(w->a, self->ex));
	OK(gate_open(w));
	OK(aclrtSynchronizeEventWithTimeout(self->ex, 10000));
}

TEST_F(event, destroyed_early)
{
	struct work *w = &self->w;

	OK(gate_close(w, w->a));
	OK(aclrtMemsetAsync(w->dev, AREA, 2, 64, w->a));
	OK(aclrtRecordEvent(self->ex, w->a));
	OK(aclrtStreamWaitEvent(w->b, self->ex));
	OK(aclrtMemcpyAsync(w->pinned, AREA, w->dev, 64,
			    ACL_MEMCPY_DEVICE_TO_HOST, w->b));
	OK(aclrtDestroyEvent(self->ex));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(w->b, 10));
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->b));
	EXPECT_TRUE(all_are(w->pinned, 2, 64));
}

/* The same for a wait before the first record. */
TEST_F(event, destroyed_early_after_an_early_wait)
{
	struct work *w = &self->w;

	OK(aclrtStreamWaitEvent(w->b, self->sync));
	OK(aclrtMemcpyAsync(w->pinned, AREA, w->dev, 64,
			    ACL_MEMCPY_DEVICE_TO_HOST, w->b));
	OK(gate_close(w, w->a));
	OK(aclrtMemsetAsync(w->dev, AREA, 2, 64, w->a));
	OK(aclrtRecordEvent(self->sync, w->a));
	OK(aclrtDestroyEvent(self->sync));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(w->b, 10));
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->b));
	EXPECT_TRUE(all_are(w->pinned, 2, 64));
}

/* ... and for a wait whose record never comes. */
TEST_F(event, destroyed_early_with_its_stream)
{
	struct work *w = &self->w;

	OK(aclrtStreamWaitEvent(w->b, self->sync));
	OK(gate_close(w, w->a));
	OK(aclrtRecordEvent(self->sync, w->a));
	OK(aclrtDestroyEvent(self->sync));
	OK(aclrtDestroyStreamForce(w->a));
	OK(aclrtSynchronizeStream(w->b));
}

/* Destroyed work never completes, so waiting for it ends. */
TEST_F(event, stream_destroyed)
{
	struct work *w = &self->w;

	OK(gate_close(w, w->a));
	OK(aclrtRecordEvent(self->plain, w->a));
	OK(aclrtStreamWaitEvent(w->b, self->plain));
	OK(aclrtDestroyStreamForce(w->a));
	OK(aclrtSynchronizeStreamWithTimeout(w->b, 10000));
	OK(aclrtSynchronizeEvent(self->plain));
}

TEST_HARNESS_MAIN
