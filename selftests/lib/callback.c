// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that streams call, in threads of the program and of the library:
 * valid requests, the order of calls, and waiting streams.
 */
#include "acl-callback.h"

TEST(need_a_context)
{
	EXPECT_ACL(NO_CONTEXT, aclrtSubscribeReport(1, NULL));
	EXPECT_ACL(NO_CONTEXT, aclrtUnSubscribeReport(1, NULL));
	EXPECT_ACL(NO_CONTEXT, aclrtLaunchCallback(count, NULL, 0, NULL));
	EXPECT_ACL(NO_CONTEXT, aclrtLaunchHostFunc(NULL, count, NULL));
}

TEST_F(callback, values)
{
	EXPECT_ACL(NULL_OR_ZERO, aclrtProcessReport(0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtProcessReport(-2));
	EXPECT_ACL(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(-1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtLaunchCallback(count, NULL, 2, self->stream));
	EXPECT_ACL(BAD_VALUE, aclrtLaunchCallback(NULL, NULL,
						  ACL_CALLBACK_BLOCK,
						  self->stream));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NO_CB_REG,
		   aclrtLaunchCallback(count, NULL, ACL_CALLBACK_BLOCK,
				       self->stream));
	EXPECT_ACL(BAD_HANDLE, aclrtLaunchCallback(count, NULL, 0, (void *)1));
	EXPECT_ACL(BAD_HANDLE, aclrtSubscribeReport(1, (void *)1));
	EXPECT_ACL(BAD_HANDLE, aclrtUnSubscribeReport(1, (void *)1));
	EXPECT_ACL(BAD_VALUE, aclrtLaunchHostFunc(self->stream, NULL, NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtLaunchHostFunc((void *)1, count, NULL));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtSubscribeHostFunc(self->thread, self->stream));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtProcessHostFunc(1));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtUnSubscribeHostFunc(self->thread, self->stream));
}

TEST_F(callback, subscriptions)
{
	aclrtStream other;

	OK(aclrtCreateStream(&other));
	OK(aclrtSubscribeReport(self->thread, self->stream));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SUBSCRIBE,
		   aclrtSubscribeReport(self->thread, self->stream));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SUBSCRIBE,
		   aclrtSubscribeReport(pthread_self(), self->stream));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SUBSCRIBE,
		   aclrtUnSubscribeReport(self->thread, other));
	OK(aclrtSubscribeReport(self->thread, other));
	EXPECT_ACL(ACL_ERROR_RT_THREAD_SUBSCRIBE,
		   aclrtUnSubscribeReport(pthread_self(), other));
	OK(aclrtUnSubscribeReport(self->thread, other));
	OK(aclrtUnSubscribeReport(self->thread, self->stream));
	OK(aclrtSubscribeReport(pthread_self(), self->stream));
	EXPECT_ACL(ACL_ERROR_RT_REPORT_TIMEOUT, aclrtProcessReport(1));
	OK(aclrtUnSubscribeReport(pthread_self(), self->stream));
	EXPECT_ACL(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(1));
}

TEST_F(callback, number_of_threads_is_1024)
{
	aclrtStream streams[1025];
	int i;

	for (i = 0; i < 1025; i++)
		OK(aclrtCreateStream(&streams[i]));
	for (i = 0; i < 1024; i++)
		OK(aclrtSubscribeReport(i + 1, streams[i]));
	EXPECT_ACL(ACL_ERROR_RT_INTERNAL_ERROR,
		   aclrtSubscribeReport(2000, streams[1024]));
	OK(aclrtDestroyStream(streams[0]));
	OK(aclrtSubscribeReport(2000, streams[1024]));
}

TEST_F(callback, another_device_needs_another_thread)
{
	aclrtStream other;

	if (device_count() < 2)
		SKIP(return, "one device only");
	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtSetDevice(1));
	OK(aclrtCreateStream(&other));
	EXPECT_ACL(ACL_ERROR_RT_THREAD_SUBSCRIBE,
		   aclrtSubscribeReport(self->thread, other));
	OK(aclrtResetDeviceForce(1));
	OK(aclrtSetDevice(0));
}

/* Functions are called in the order of the stream, and each once. */
struct order {
	int next;
	int wrong;
};

struct entry {
	struct order *order;
	int number;
};

static void check_order(void *data)
{
	struct entry *entry = data;

	if (value(&entry->order->next) != entry->number)
		count(&entry->order->wrong);
	count(&entry->order->next);
}

TEST_F(callback, order)
{
	static struct entry entries[500];
	struct order order = { 0 };
	int i;

	OK(aclrtSubscribeReport(self->thread, self->stream));
	for (i = 0; i < 500; i++) {
		entries[i] = (struct entry){ &order, i };
		OK(aclrtLaunchCallback(check_order, &entries[i], i & 1,
				       self->stream));
	}
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_TRUE(reaches(&order.next, 500));
	EXPECT_EQ(0, value(&order.wrong));
}

TEST_F(callback, a_blocking_stream_waits)
{
	struct gate gate = { 0 }, next = { 0 };

	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtLaunchCallback(pass_gate, &gate, ACL_CALLBACK_BLOCK,
			       self->stream));
	EXPECT_TRUE(reaches(&gate.entered, 1));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(self->stream, 30));
	count(&gate.open);
	OK(aclrtSynchronizeStream(self->stream));

	OK(aclrtLaunchCallback(pass_gate, &next, ACL_CALLBACK_NO_BLOCK,
			       self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_TRUE(reaches(&next.entered, 1));
	count(&next.open);
}

#define RING_TASKS	2048

struct launches {
	aclrtStream stream;
	int count, done;
	aclError err;
};

/* Until the stream is full, and one more. */
static void *launch_all(void *arg)
{
	struct launches *l = arg;
	static int called;

	aclrtSetDevice(0);
	do {
		l->err = aclrtLaunchCallback(count, &called,
					     ACL_CALLBACK_NO_BLOCK, l->stream);
		count(&l->count);
	} while (!l->err);
	count(&l->done);
	return NULL;
}

/*
 * The function that the stream waits for is dropped, while another launch waits
 * for room.
 */
TEST_F(callback, unsubscribed_while_the_stream_is_full)
{
	struct launches l = { .stream = self->stream };
	pthread_t thread;
	int called = 0;

	/* No thread processes the callbacks for this thread. */
	OK(aclrtSubscribeReport(pthread_self(), self->stream));
	OK(aclrtLaunchCallback(count, &called, ACL_CALLBACK_BLOCK,
			       self->stream));
	ASSERT_EQ(0, pthread_create(&thread, NULL, launch_all, &l));
	EXPECT_TRUE(reaches(&l.count, RING_TASKS - 1));
	OK(aclrtUnSubscribeReport(pthread_self(), self->stream));
	ASSERT_TRUE(reaches(&l.done, 1));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(ACL_ERROR_RT_STREAM_NO_CB_REG, l.err);
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_EQ(0, called);
}

/* It is called after the work submitted before. */
TEST_F(callback, waits_for_the_stream)
{
	aclrtNotify notify;
	int counter = 0;

	OK(aclrtCreateNotify(&notify, 0));
	OK(aclrtSubscribeReport(pthread_self(), self->stream));
	OK(aclrtWaitAndResetNotify(notify, self->stream, 0));
	OK(aclrtLaunchCallback(count, &counter, 0, self->stream));
	EXPECT_ACL(ACL_ERROR_RT_REPORT_TIMEOUT, aclrtProcessReport(30));
	EXPECT_EQ(0, value(&counter));
	OK(aclrtRecordNotify(notify, NULL));
	OK(aclrtProcessReport(-1));
	EXPECT_EQ(1, value(&counter));
}

TEST_F(callback, dropped_when_unsubscribed)
{
	aclrtNotify notify;
	int counter = 0;

	OK(aclrtCreateNotify(&notify, 0));
	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtWaitAndResetNotify(notify, self->stream, 0));
	OK(aclrtLaunchCallback(count, &counter, 1, self->stream));
	OK(aclrtLaunchCallback(count, &counter, 0, self->stream));
	OK(aclrtUnSubscribeReport(self->thread, self->stream));
	OK(aclrtRecordNotify(notify, NULL));
	OK(aclrtSynchronizeStreamWithTimeout(self->stream, 10000));
	processor_end(self->thread);
	EXPECT_EQ(0, value(&counter));
	ASSERT_EQ(0, processor_start(&self->thread));
}

TEST_F(callback, host_funcs)
{
	struct gate gate = { 0 };
	int counter = 0, i;

	for (i = 0; i < 100; i++)
		OK(aclrtLaunchHostFunc(i & 1 ? self->stream : NULL, count,
				       &counter));
	OK(aclrtSynchronizeDevice());
	EXPECT_EQ(100, value(&counter));
	OK(aclrtLaunchHostFunc(self->stream, pass_gate, &gate));
	EXPECT_TRUE(reaches(&gate.entered, 1));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(self->stream, 30));
	count(&gate.open);
	OK(aclrtSynchronizeStream(self->stream));
}

/* Many threads launch, others subscribe and unsubscribe. */
static void *launcher(void *arg)
{
	aclrtStream stream = arg;
	static int counter;
	int i;

	aclrtSetDevice(0);
	for (i = 0; i < 300; i++) {
		aclrtLaunchCallback(count, &counter, i & 1, stream);
		aclrtLaunchHostFunc(stream, count, &counter);
	}
	return NULL;
}

TEST_F_TIMEOUT(callback, many_threads, 240)
{
	pthread_t threads[4];
	int i;

	OK(aclrtSubscribeReport(self->thread, self->stream));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, launcher,
					    self->stream));
	for (i = 0; i < 50; i++) {
		aclrtUnSubscribeReport(self->thread, self->stream);
		aclrtSubscribeReport(self->thread, self->stream);
	}
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	OK(aclrtSynchronizeStream(self->stream));
}

TEST_HARNESS_MAIN
