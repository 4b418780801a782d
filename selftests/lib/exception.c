// SPDX-License-Identifier: GPL-2.0-only
/* What programs are told: of streams, devices and failures. */
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
	int calls;
	uint32_t task, stream, thread, device, code;
	aclError args, func;
} seen;

static void on_exception(aclrtExceptionInfo *info)
{
	aclrtFuncHandle func;
	uint32_t length;
	void *args;

	seen.calls++;
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
		seen.calls = -100;
}

/* A wait that fails: its notify is never set. */
static aclError fail(aclrtStream stream)
{
	aclrtNotify notify;

	if (aclrtCreateNotify(&notify, 0) ||
	    aclrtWaitAndResetNotify(notify, stream, 1))
		abort();
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

TEST_F(exception, told_of_a_failure)
{
	aclError err;
	int32_t id;

	OK(aclrtExceptionInfoCallbackRegister(on_exception));
	OK(aclrtExceptionInfoCallbackRegister(on_exception));
	err = fail(self->stream);
	EXPECT_NE(ACL_SUCCESS, err);
	EXPECT_EQ(1, seen.calls);
	OK(aclrtStreamGetId(self->stream, &id));
	EXPECT_EQ(id, seen.stream);
	EXPECT_EQ(1, seen.task);
	EXPECT_EQ(0, seen.device);
	EXPECT_EQ(gettid(), seen.thread);
	EXPECT_EQ(err, seen.code);
	EXPECT_EQ(-1, seen.args);
	EXPECT_EQ(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, seen.func);

	/* One that is set is another registration. */
	OK(aclrtSetExceptionInfoCallback(on_exception));
	OK(aclrtSetExceptionInfoCallback(on_exception));
	fail(self->stream);
	EXPECT_EQ(3, seen.calls);
	OK(aclrtExceptionInfoCallbackUnregister(on_exception));
	fail(self->stream);
	EXPECT_EQ(4, seen.calls);
	OK(aclrtSetExceptionInfoCallback(NULL));
	fail(self->stream);
	EXPECT_EQ(4, seen.calls);
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

	/* Default streams, and those that go with their context. */
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
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtBinarySetExceptionCallback(uce, on_kernel, NULL));
}

TEST_HARNESS_MAIN
