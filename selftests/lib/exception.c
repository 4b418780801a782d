// SPDX-License-Identifier: GPL-2.0-only
/* Callbacks of the program for streams, devices and failures. */
#include <stdatomic.h>

#include "acl-test.h"

/* One of the calls is deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

FIXTURE(exception) {
	aclrtStream stream;
};

FIXTURE_SETUP(exception)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
}

FIXTURE_TEARDOWN(exception)
{
	aclrtResetDeviceForce(0);
}

static struct {
	atomic_int calls;	/* called after the others */
	uint32_t task, stream, thread, device, code;
	aclError args, func;
} seen;

static void on_exception(aclrtExceptionInfo *info)
{
	aclrtFuncHandle func;
	uint32_t length;
	void *args;

	int calls = 1;

	seen.task = aclrtGetTaskIdFromExceptionInfo(info);
	seen.stream = aclrtGetStreamIdFromExceptionInfo(info);
	seen.thread = aclrtGetThreadIdFromExceptionInfo(info);
	seen.device = aclrtGetDeviceIdFromExceptionInfo(info);
	seen.code = aclrtGetErrorCodeFromExceptionInfo(info);
	seen.args = aclrtGetArgsFromExceptionInfo(info, &args, &length);
	seen.func = aclrtGetFuncHandleFromExceptionInfo(info, &func);
	if (aclrtGetArgsFromExceptionInfo(info, NULL, &length) !=
	    NULL_OR_ZERO ||
	    aclrtGetArgsFromExceptionInfo(info, &args, NULL) != NULL_OR_ZERO ||
	    aclrtGetFuncHandleFromExceptionInfo(info, NULL) != NULL_OR_ZERO)
		calls = -100;
	atomic_fetch_add(&seen.calls, calls);
}

static atomic_int other_calls;

static void on_other(aclrtExceptionInfo *info)
{
	(void)info;
	other_calls++;
}

/* Check that a number is reached soon; a busy machine takes longer. */
static bool comes_to(atomic_int *count, int number)
{
	uint64_t end = now_ms() + 60000;

	while (*count < number && now_ms() < end)
		usleep(1000);
	return *count == number;
}

/* A task whose memory is freed before it runs. */
static void submit_failure(aclrtStream stream)
{
	uint64_t *gate;
	void *p;

	if (aclrtMalloc((void **)&gate, 64, ACL_MEM_MALLOC_NORMAL_ONLY) ||
	    aclrtMemset(gate, 64, 0, 64) ||
	    aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_NORMAL_ONLY) ||
	    aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, stream) ||
	    aclrtMemsetAsync(p, 64, 0, 64, stream) || aclrtFree(p) ||
	    aclrtValueWrite(gate, 1, 0, NULL))
		abort();
}

static aclError fail(aclrtStream stream)
{
	submit_failure(stream);
	return aclrtSynchronizeStream(stream);
}

TEST_F(exception, no_info)
{
	aclrtFuncHandle func;
	uint32_t length;
	void *args;

	EXPECT_EQ(UINT32_MAX, aclrtGetTaskIdFromExceptionInfo(NULL));
	EXPECT_EQ(UINT32_MAX, aclrtGetStreamIdFromExceptionInfo(NULL));
	EXPECT_EQ(UINT32_MAX, aclrtGetThreadIdFromExceptionInfo(NULL));
	EXPECT_EQ(UINT32_MAX, aclrtGetDeviceIdFromExceptionInfo(NULL));
	EXPECT_EQ(UINT32_MAX, aclrtGetErrorCodeFromExceptionInfo(NULL));
	EXPECT_ACL(-1, aclrtGetArgsFromExceptionInfo(NULL, &args, &length));
	EXPECT_ACL(-1, aclrtGetFuncHandleFromExceptionInfo(NULL, &func));
	EXPECT_ACL(BAD_VALUE, aclrtExceptionInfoCallbackRegister(NULL));
	EXPECT_ACL(BAD_VALUE, aclrtExceptionInfoCallbackUnregister(NULL));
	OK(aclrtExceptionInfoCallbackUnregister(on_exception));
	OK(aclrtSetExceptionInfoCallback(NULL));
}

/* No call of the program requests it. */
TEST_F_TIMEOUT(exception, failure_is_reported, 120)
{
	aclError err;
	int32_t id;

	OK(aclrtExceptionInfoCallbackRegister(on_exception));
	OK(aclrtExceptionInfoCallbackRegister(on_exception));
	submit_failure(self->stream);
	ASSERT_TRUE(comes_to(&seen.calls, 1));
	OK(aclrtStreamGetId(self->stream, &id));
	EXPECT_EQ(id, seen.stream);
	EXPECT_EQ(2, seen.task);
	EXPECT_EQ(0, seen.device);
	EXPECT_NE(gettid(), seen.thread);
	EXPECT_EQ(-1, seen.args);
	EXPECT_EQ(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, seen.func);
	err = aclrtSynchronizeStream(self->stream);
	EXPECT_NE(ACL_SUCCESS, err);
	EXPECT_EQ(err, seen.code);

	/* Setting a callback is another registration. */
	OK(aclrtSetExceptionInfoCallback(on_exception));
	OK(aclrtSetExceptionInfoCallback(on_exception));
	fail(self->stream);
	EXPECT_TRUE(comes_to(&seen.calls, 3));
	EXPECT_EQ(4, seen.task);
	OK(aclrtExceptionInfoCallbackUnregister(on_exception));
	fail(self->stream);
	EXPECT_TRUE(comes_to(&seen.calls, 4));

	/* A later registration reports that there is no earlier one. */
	OK(aclrtSetExceptionInfoCallback(NULL));
	fail(self->stream);
	OK(aclrtExceptionInfoCallbackRegister(on_other));
	fail(self->stream);
	EXPECT_TRUE(comes_to(&other_calls, 1));
	EXPECT_EQ(4, seen.calls);
}

/* After the failing task, the stream waits for something else. */
TEST_F_TIMEOUT(exception, failure_of_a_busy_stream_is_reported, 120)
{
	aclrtNotify notify;

	OK(aclrtExceptionInfoCallbackRegister(on_exception));
	OK(aclrtCreateNotify(&notify, 0));
	submit_failure(self->stream);
	OK(aclrtWaitAndResetNotify(notify, self->stream, 0));
	EXPECT_TRUE(comes_to(&seen.calls, 1));
	EXPECT_EQ(2, seen.task);
}

/* Destroying a stream, or all of them, loses no failure. */
TEST_F_TIMEOUT(exception, failures_of_destroyed_streams_are_reported, 120)
{
	aclrtStream other;

	OK(aclrtExceptionInfoCallbackRegister(on_exception));
	OK(aclrtCreateStream(&other));
	submit_failure(other);
	OK(aclrtDestroyStream(other));
	EXPECT_TRUE(comes_to(&seen.calls, 1));
	submit_failure(self->stream);
	OK(aclrtResetDevice(0));
	EXPECT_TRUE(comes_to(&seen.calls, 2));
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&other));
	fail(other);
	EXPECT_TRUE(comes_to(&seen.calls, 3));
}

#define FAILURES	100

/* How often each task was reported, by its number. */
static atomic_int told[2 * FAILURES + 1];
static atomic_bool is_over;

static void on_numbered(aclrtExceptionInfo *info)
{
	uint32_t task = aclrtGetTaskIdFromExceptionInfo(info);

	if (task <= 2 * FAILURES)
		told[task]++;
}

static void *ask(void *stream)
{
	aclrtStreamStatus status;

	if (aclrtSetDevice(0))
		abort();
	while (!is_over)
		aclrtStreamQuery(stream, &status);
	return NULL;
}

/* Many threads look at the stream when it fails, some of them late. */
TEST_F_TIMEOUT(exception, each_failure_is_reported_once, 240)
{
	pthread_t threads[4];

	OK(aclrtExceptionInfoCallbackRegister(on_numbered));
	for (int i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, ask,
					    self->stream));
	for (int i = 0; i < FAILURES; i++)
		fail(self->stream);
	EXPECT_TRUE(comes_to(&told[2 * FAILURES], 1));
	is_over = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i <= 2 * FAILURES; i++)
		EXPECT_EQ(i && i % 2 == 0, told[i]);
}

/* A callback may make calls that need no context, including this one. */
static void on_exception_once(aclrtExceptionInfo *info)
{
	aclrtStream stream;

	if (aclrtCreateStream(&stream) == ACL_ERROR_RT_CONTEXT_NULL &&
	    !aclrtExceptionInfoCallbackUnregister(on_exception_once) &&
	    !aclrtExceptionInfoCallbackRegister(on_other))
		on_exception(info);
}

TEST_F_TIMEOUT(exception, callback_may_unregister, 120)
{
	OK(aclrtExceptionInfoCallbackRegister(on_exception_once));
	fail(self->stream);
	EXPECT_TRUE(comes_to(&seen.calls, 1));
	fail(self->stream);
	EXPECT_TRUE(comes_to(&other_calls, 1));
	EXPECT_EQ(1, seen.calls);
}

/* Registered by a program that has not used the device, and by a child. */
TEST(registered_before_the_first_use)
{
	aclrtStream stream;
	pid_t child;

	OK(aclrtExceptionInfoCallbackRegister(on_exception));
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&stream));
	fail(stream);
	EXPECT_TRUE(comes_to(&seen.calls, 1));
	fflush(stdout);
	child = fork_bound();
	if (!child) {
		if (aclrtExceptionInfoCallbackRegister(on_other) ||
		    aclrtExceptionInfoCallbackUnregister(on_exception))
			_exit(1);
		_exit(0);
	}
	EXPECT_EQ(0, child_wait(child));
	fail(stream);
	EXPECT_TRUE(comes_to(&seen.calls, 2));
	OK(aclrtResetDeviceForce(0));
}

static int states[8];

static void on_stream(aclrtStream stream, aclrtStreamState state, void *args)
{
	aclrtStreamStatus status;

	if (args == states && !aclrtStreamQuery(stream, &status))
		states[state]++;
}

TEST_F(exception, stream_states)
{
	aclrtContext context, primary;
	aclrtStream s;

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtRegStreamStateCallback(NULL, on_stream, NULL));
	OK(aclrtRegStreamStateCallback("test", NULL, NULL));
	OK(aclrtRegStreamStateCallback("test", on_stream, states));
	EXPECT_ACL(BAD_VALUE,
		   aclrtRegStreamStateCallback("test", on_stream, NULL));
	OK(aclrtRegStreamStateCallback("other", on_stream, NULL));
	OK(aclrtCreateStream(&s));
	EXPECT_EQ(1, states[ACL_RT_STREAM_STATE_CREATE_POST]);
	OK(aclrtDestroyStream(s));
	EXPECT_EQ(1, states[ACL_RT_STREAM_STATE_DESTROY_PRE]);

	/* Default streams, and streams that end with their context. */
	OK(aclrtGetCurrentContext(&primary));
	OK(aclrtCreateContext(&context, 0));
	OK(aclrtCreateStream(&s));
	EXPECT_EQ(3, states[ACL_RT_STREAM_STATE_CREATE_POST]);
	OK(aclrtDestroyContext(context));
	EXPECT_EQ(3, states[ACL_RT_STREAM_STATE_DESTROY_PRE]);
	OK(aclrtSetCurrentContext(primary));
	OK(aclrtResetDeviceForce(0));
	EXPECT_EQ(5, states[ACL_RT_STREAM_STATE_DESTROY_PRE]);
	OK(aclrtRegStreamStateCallback("test", NULL, NULL));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(3, states[ACL_RT_STREAM_STATE_CREATE_POST]);
}

/* The primary context is not destroyed, nor are its streams. */
TEST_F(exception, stream_states_of_remaining_streams)
{
	aclrtContext primary;

	OK(aclrtGetCurrentContext(&primary));
	OK(aclrtRegStreamStateCallback("test", on_stream, states));
	EXPECT_ACL(NO_CONTEXT, aclrtDestroyContext(primary));
	EXPECT_EQ(0, states[ACL_RT_STREAM_STATE_DESTROY_PRE]);
	OK(aclrtRegStreamStateCallback("test", NULL, NULL));
}

static void on_device(int32_t device, aclrtDeviceState state, void *args)
{
	if (args == states && !device)
		states[state]++;
}

TEST(device_states)
{
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtRegDeviceStateCallback(NULL, on_device, NULL));
	OK(aclrtRegDeviceStateCallback("test", on_device, states));
	EXPECT_ACL(BAD_VALUE,
		   aclrtRegDeviceStateCallback("test", on_device, NULL));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(1, states[ACL_RT_DEVICE_STATE_SET_PRE]);
	EXPECT_EQ(1, states[ACL_RT_DEVICE_STATE_SET_POST]);
	EXPECT_ACL(BAD_DEVICE, aclrtSetDevice(64));
	EXPECT_EQ(1, states[ACL_RT_DEVICE_STATE_SET_PRE]);
	OK(aclrtResetDevice(0));
	EXPECT_EQ(1, states[ACL_RT_DEVICE_STATE_RESET_PRE]);
	EXPECT_EQ(1, states[ACL_RT_DEVICE_STATE_RESET_POST]);
	OK(aclrtRegDeviceStateCallback("test", NULL, NULL));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(1, states[ACL_RT_DEVICE_STATE_SET_PRE]);
	OK(aclrtResetDevice(0));
}

static int32_t abort_result;

static int32_t on_abort(int32_t device, aclrtDeviceTaskAbortStage stage,
			uint32_t timeout, void *args)
{
	if (args == states && !device && timeout == 5000)
		states[stage]++;
	return abort_result;
}

TEST_F(exception, task_abort)
{
	aclrtNotify notify;

	OK(aclrtCreateNotify(&notify, 0));
	OK(aclrtWaitAndResetNotify(notify, self->stream, 0));
	EXPECT_ACL(BAD_DEVICE, aclrtDeviceTaskAbort(64, 0));
	EXPECT_ACL(BAD_VALUE, aclrtDeviceTaskAbort(0, 36 * 60 * 1000 + 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetDeviceTaskAbortCallback(NULL, on_abort, NULL));
	OK(aclrtSetDeviceTaskAbortCallback("test", on_abort, states));
	EXPECT_ACL(BAD_VALUE,
		   aclrtSetDeviceTaskAbortCallback("test", on_abort, NULL));
	abort_result = 1;
	EXPECT_ACL(ACL_ERROR_RT_DEVICE_TASK_ABORT,
		   aclrtDeviceTaskAbort(0, 5000));
	EXPECT_EQ(1, states[ACL_RT_DEVICE_TASK_ABORT_PRE]);
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(self->stream, 30));
	abort_result = 0;
	OK(aclrtDeviceTaskAbort(0, 5000));
	EXPECT_EQ(2, states[ACL_RT_DEVICE_TASK_ABORT_PRE]);
	EXPECT_EQ(1, states[ACL_RT_DEVICE_TASK_ABORT_POST]);
	OK(aclrtSynchronizeStream(self->stream));
	OK(aclrtRecordNotify(notify, self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	OK(aclrtSetDeviceTaskAbortCallback("test", NULL, NULL));
	OK(aclrtDeviceTaskAbort(0, 0));
	EXPECT_EQ(2, states[ACL_RT_DEVICE_TASK_ABORT_PRE]);
	OK(aclrtResetDeviceForce(0));
	EXPECT_ACL(NO_CONTEXT, aclrtDeviceTaskAbort(0, 0));
}

static void on_kernel(aclrtExceptionInfo *info, void *data)
{
	(void)info;
	(void)data;
}

TEST_F(exception, nothing_to_repair)
{
	static aclrtMemUceInfo uce[MAX_MEM_UCE_INFO_ARRAY_SIZE + 1];
	aclrtErrorInfo info;
	size_t n = 1;

	EXPECT_ACL(NULL_OR_ZERO, aclrtGetMemUceInfo(0, NULL, 1, &n));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetMemUceInfo(0, uce, 1, NULL));
	EXPECT_ACL(BAD_VALUE, aclrtGetMemUceInfo(0, uce, 0, &n));
	EXPECT_ACL(BAD_VALUE, aclrtGetMemUceInfo(0, uce, 129, &n));
	EXPECT_ACL(BAD_DEVICE, aclrtGetMemUceInfo(64, uce, 1, &n));
	OK(aclrtGetMemUceInfo(0, uce, 128, &n));
	EXPECT_EQ(0, n);
	EXPECT_ACL(NULL_OR_ZERO, aclrtMemUceRepair(0, NULL, 1));
	EXPECT_ACL(BAD_VALUE, aclrtMemUceRepair(0, uce, 0));
	EXPECT_ACL(BAD_DEVICE, aclrtMemUceRepair(64, uce, 1));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtMemUceRepair(0, uce, 1));

	EXPECT_ACL(NULL_OR_ZERO, aclrtGetErrorVerbose(0, NULL));
	EXPECT_ACL(BAD_DEVICE, aclrtGetErrorVerbose(64, &info));
	OK(aclrtGetErrorVerbose(0, &info));
	EXPECT_EQ(ACL_RT_NO_ERROR, info.errorType);
	EXPECT_EQ(0, info.tryRepair);
	EXPECT_ACL(NULL_OR_ZERO, aclrtRepairError(0, NULL));
	EXPECT_ACL(BAD_DEVICE, aclrtRepairError(64, &info));
	OK(aclrtRepairError(0, &info));
	info.errorType = ACL_RT_ERROR_MEMORY;
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtRepairError(0, &info));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtBinarySetExceptionCallback(NULL, on_kernel, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtBinarySetExceptionCallback(uce, NULL, NULL));
	EXPECT_ACL(BAD_HANDLE,
		   aclrtBinarySetExceptionCallback(uce, on_kernel, NULL));
}

TEST_HARNESS_MAIN
