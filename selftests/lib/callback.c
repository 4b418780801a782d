// SPDX-License-Identifier: GPL-2.0-only
/* Functions that streams call, in threads of the program and of the library. */
#include <errno.h>
#include <sys/wait.h>

#include "acl-test.h"

FIXTURE(callback) {
	aclrtStream stream;
	pthread_t thread;
};

/* The thread that runs callbacks, from before it is subscribed. */
static bool stop;

static void *processor(void *arg)
{
	aclError err;

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		err = aclrtProcessReport(50);
		if (err == ACL_ERROR_RT_THREAD_SUBSCRIBE)
			usleep(1000);
		else if (err && err != ACL_ERROR_RT_REPORT_TIMEOUT)
			abort();
	}
	return NULL;
}

FIXTURE_SETUP(callback)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	__atomic_store_n(&stop, false, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, processor, NULL));
}

FIXTURE_TEARDOWN(callback)
{
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(self->thread, NULL);
	aclrtResetDeviceForce(0);
}

static void count(void *data)
{
	__atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

static int value(const int *counter)
{
	return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static bool reaches(const int *counter, int wanted)
{
	for (int i = 0; i < 10000 && value(counter) < wanted; i++)
		usleep(1000);
	return value(counter) == wanted;
}

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

TEST_F(callback, there_are_1024_threads)
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

struct gate {
	int entered;
	int open;
};

static void pass_gate(void *data)
{
	struct gate *gate = data;

	count(&gate->entered);
	while (!value(&gate->open))
		usleep(1000);
}

TEST_F(callback, a_stream_waits_if_it_is_to)
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

/* What the stream waits for is dropped, while another has no room to launch. */
TEST_F(callback, unsubscribed_while_the_stream_is_full)
{
	struct launches l = { .stream = self->stream };
	pthread_t thread;
	int called = 0;

	/* Nobody processes what is for this thread. */
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

/* It is called after what was submitted before. */
TEST_F(callback, waits_for_the_stream)
{
	aclrtNotify notify;
	int counter = 0;

	OK(aclrtCreateNotify(&notify, 0));
	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtWaitAndResetNotify(notify, self->stream, 0));
	OK(aclrtLaunchCallback(count, &counter, 0, self->stream));
	usleep(30000);
	EXPECT_EQ(0, value(&counter));
	OK(aclrtRecordNotify(notify, NULL));
	EXPECT_TRUE(reaches(&counter, 1));
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
	EXPECT_EQ(0, value(&counter));
}

struct self_user {
	aclrtStream stream;
	pthread_t thread;
	int calls;
	aclError err;
};

/* Submits to its own stream until it has been called ten times. */
static void submit_again(void *data)
{
	struct self_user *user = data;

	aclrtSetDevice(0);
	if (user->calls < 9)
		user->err = aclrtLaunchCallback(submit_again, user, 1,
						user->stream);
	count(&user->calls);
}

static void unsubscribe(void *data)
{
	struct self_user *user = data;

	aclrtSetDevice(0);
	user->err = aclrtUnSubscribeReport(user->thread, user->stream);
	count(&user->calls);
}

static void destroy_stream(void *data)
{
	struct self_user *user = data;

	aclrtSetDevice(0);
	user->err = aclrtDestroyStreamForce(user->stream);
	count(&user->calls);
}

static void reset_device(void *data)
{
	struct self_user *user = data;

	user->err = aclrtResetDeviceForce(0);
	count(&user->calls);
}

TEST_F(callback, may_submit_to_its_stream)
{
	struct self_user user = {
		.stream = self->stream,
		.thread = self->thread,
	};

	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtLaunchCallback(submit_again, &user, 1, self->stream));
	EXPECT_TRUE(reaches(&user.calls, 10));
	EXPECT_EQ(ACL_SUCCESS, user.err);
	OK(aclrtSynchronizeStream(self->stream));
}

TEST_F(callback, may_unsubscribe)
{
	struct self_user user = {
		.stream = self->stream,
		.thread = self->thread,
	};

	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtLaunchCallback(unsubscribe, &user, 1, self->stream));
	EXPECT_TRUE(reaches(&user.calls, 1));
	EXPECT_EQ(ACL_SUCCESS, user.err);
	OK(aclrtSynchronizeStream(self->stream));
	OK(aclrtSubscribeReport(self->thread, self->stream));
}

TEST_F(callback, may_destroy_its_stream)
{
	struct self_user user = {
		.stream = self->stream,
		.thread = self->thread,
	};

	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtLaunchCallback(destroy_stream, &user, 1, self->stream));
	EXPECT_TRUE(reaches(&user.calls, 1));
	EXPECT_EQ(ACL_SUCCESS, user.err);
}

TEST_F(callback, may_reset_its_device)
{
	struct self_user user = {
		.stream = self->stream,
		.thread = self->thread,
	};

	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtLaunchCallback(reset_device, &user, 1, self->stream));
	EXPECT_TRUE(reaches(&user.calls, 1));
	EXPECT_EQ(ACL_SUCCESS, user.err);
}

TEST_F(callback, reset_with_a_callback_due)
{
	struct gate gate = { 0 };

	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtLaunchCallback(pass_gate, &gate, 1, self->stream));
	OK(aclrtLaunchCallback(pass_gate, &gate, 1, self->stream));
	EXPECT_TRUE(reaches(&gate.entered, 1));
	OK(aclrtResetDeviceForce(0));
	count(&gate.open);
	OK(aclrtSetDevice(0));
	usleep(30000);
	EXPECT_EQ(1, value(&gate.entered));
}

/* What is due when a stream is destroyed is called all the same. */
TEST_F(callback, destroyed_stream)
{
	int counter = 0, i;

	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(self->thread, NULL);
	OK(aclrtSubscribeReport(pthread_self(), self->stream));
	for (i = 0; i < 3; i++)
		OK(aclrtLaunchCallback(count, &counter, 0, self->stream));
	OK(aclrtDestroyStream(self->stream));
	EXPECT_EQ(0, value(&counter));
	OK(aclrtProcessReport(1000));
	EXPECT_EQ(3, value(&counter));
	EXPECT_ACL(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(1));
	__atomic_store_n(&stop, false, __ATOMIC_RELEASE);
	ASSERT_EQ(0, pthread_create(&self->thread, NULL, processor, NULL));
}

TEST_F(callback, forced_destruction_drops)
{
	aclrtNotify notify;
	int counter = 0;

	OK(aclrtCreateNotify(&notify, 0));
	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtWaitAndResetNotify(notify, self->stream, 0));
	OK(aclrtLaunchCallback(count, &counter, 1, self->stream));
	OK(aclrtDestroyStreamForce(self->stream));
	usleep(30000);
	EXPECT_EQ(0, value(&counter));
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

TEST_F(callback, host_funcs_of_a_context_that_ends)
{
	aclrtContext context, primary;
	struct gate gate = { 0 };

	OK(aclrtGetCurrentContext(&primary));
	OK(aclrtCreateContext(&context, 0));
	OK(aclrtLaunchHostFunc(NULL, pass_gate, &gate));
	OK(aclrtLaunchHostFunc(NULL, pass_gate, &gate));
	EXPECT_TRUE(reaches(&gate.entered, 1));
	OK(aclrtDestroyContext(context));
	OK(aclrtSetCurrentContext(primary));
	count(&gate.open);
	usleep(30000);
	EXPECT_EQ(1, value(&gate.entered));
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

TEST_F(callback, a_forked_child)
{
	int counter = 0, status;
	pid_t pid;

	OK(aclrtSubscribeReport(self->thread, self->stream));
	OK(aclrtLaunchHostFunc(self->stream, count, &counter));
	pid = fork();
	if (!pid)
		_exit(aclrtProcessReport(-1) != ACL_ERROR_RT_NO_PERMISSION ||
		      aclrtLaunchHostFunc(NULL, count, &counter) !=
		      ACL_ERROR_RT_NO_PERMISSION ||
		      aclrtSubscribeReport(1, NULL) !=
		      ACL_ERROR_RT_NO_PERMISSION);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	OK(aclrtLaunchCallback(count, &counter, 1, self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_EQ(2, value(&counter));
}

#define DUE		50

/* One is run, others are due behind it, and for a thread that never asks. */
static void have_callbacks(void)
{
	struct gate gate = { 0 };
	aclrtStream stream, other;
	int i, counter = 0;
	void *memory;

	if (aclrtSetDevice(0) || aclrtCreateStream(&stream) ||
	    aclrtCreateStream(&other) ||
	    aclrtMalloc(&memory, MIB, ACL_MEM_MALLOC_NORMAL_ONLY) ||
	    aclrtSubscribeReport((uint64_t)pthread_self(), other) ||
	    aclrtLaunchHostFunc(stream, pass_gate, &gate))
		_exit(1);
	for (i = 0; i < DUE; i++)
		if (aclrtLaunchHostFunc(stream, count, &counter) ||
		    aclrtMemsetAsync(memory, MIB, 1, MIB, stream) ||
		    aclrtLaunchCallback(count, &counter, ACL_CALLBACK_BLOCK,
					other) ||
		    aclrtMemsetAsync(memory, MIB, 1, MIB, other))
			_exit(2);
	if (!reaches(&gate.entered, 1) || counter)
		_exit(3);
	kill(getpid(), SIGKILL);
}

/* A process that is killed while its callbacks are due leaves nothing. */
TEST(killed)
{
	uint32_t streams, streams_after;
	size_t free_before;
	int pipes[2];
	pid_t pid;

	/* It is not to be a child of one that has used the device. */
	ASSERT_EQ(0, pipe(pipes));
	pid = fork_bound();
	ASSERT_LE(0, pid);
	if (!pid) {
		baton_take(pipes[0]);
		have_callbacks();
		_exit(4);
	}
	OK(aclrtSetDevice(0));
	OK(aclrtSynchronizeDevice());
	OK(aclrtGetStreamAvailableNum(&streams));
	free_before = free_bytes();
	baton_pass(pipes[1]);
	EXPECT_EQ(256 + SIGKILL, child_wait(pid));
	OK(aclrtGetStreamAvailableNum(&streams_after));
	EXPECT_EQ(streams, streams_after);
	EXPECT_EQ(free_before, free_bytes());
	OK(aclrtSynchronizeDevice());
}

TEST_HARNESS_MAIN
