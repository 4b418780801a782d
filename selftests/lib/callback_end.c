// SPDX-License-Identifier: GPL-2.0-only
/*
 * The effect of ending a stream, context, device or process on its callbacks,
 * and the calls that callbacks may make on these.
 */
#include <sys/wait.h>

#include "acl-callback.h"
#include "acl-thread.h"

struct self_user {
	aclrtStream stream;
	pthread_t thread;
	int calls;
	aclError err;
};

/* Launch on its own stream until it has been called ten times. */
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
	processor_end(self->thread);
	EXPECT_EQ(1, value(&gate.entered));
	ASSERT_EQ(0, processor_start(&self->thread));
}

/* Callbacks that are due when a stream is destroyed are still called. */
TEST_F(callback, destroyed_stream)
{
	int counter = 0, i;

	processor_end(self->thread);
	OK(aclrtSubscribeReport(pthread_self(), self->stream));
	for (i = 0; i < 3; i++)
		OK(aclrtLaunchCallback(count, &counter, 0, self->stream));
	OK(aclrtDestroyStream(self->stream));
	EXPECT_EQ(0, value(&counter));
	OK(aclrtProcessReport(1000));
	EXPECT_EQ(3, value(&counter));
	EXPECT_ACL(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(1));
	ASSERT_EQ(0, processor_start(&self->thread));
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
	processor_end(self->thread);
	EXPECT_EQ(0, value(&counter));
	ASSERT_EQ(0, processor_start(&self->thread));
}

TEST_F(callback, host_funcs_of_a_destroyed_context)
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
	/* It ends when it has called all functions that are due. */
	while (has_callback_thread())
		usleep(1000);
	EXPECT_EQ(1, value(&gate.entered));
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

/*
 * One runs, others are due after it, and some are for a thread that never
 * processes them.
 */
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

/*
 * A process that is killed while its callbacks are due leaves nothing behind.
 */
TEST(killed)
{
	uint32_t streams, streams_after;
	size_t free_before;
	int pipes[2];
	pid_t pid;

	/* It must not be a child of a process that has used the device. */
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
