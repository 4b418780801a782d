// SPDX-License-Identifier: GPL-2.0-only
/* Launches that fail, and how the program gets to know. */
#include "launch.h"

#include <stdatomic.h>

static struct {
	atomic_int calls, of_binary;
	uint32_t task, stream, device, code, size;
	aclrtFuncHandle func;
	uint64_t arg;
	aclrtContext context;
} seen;

static void on_exception(aclrtExceptionInfo *info)
{
	void *args;

	seen.task = aclrtGetTaskIdFromExceptionInfo(info);
	seen.stream = aclrtGetStreamIdFromExceptionInfo(info);
	seen.device = aclrtGetDeviceIdFromExceptionInfo(info);
	seen.code = aclrtGetErrorCodeFromExceptionInfo(info);
	/* The thread has no context. */
	if (!aclrtGetArgsFromExceptionInfo(info, &args, &seen.size) &&
	    !aclrtSetCurrentContext(seen.context))
		aclrtMemcpy(&seen.arg, 8, args, 8, ACL_MEMCPY_DEVICE_TO_HOST);
	aclrtGetFuncHandleFromExceptionInfo(info, &seen.func);
	atomic_fetch_add(&seen.calls, 1);
}

static void on_binary_exception(aclrtExceptionInfo *info, void *data)
{
	if (data == &seen && aclrtGetErrorCodeFromExceptionInfo(info))
		atomic_fetch_add(&seen.of_binary, 1);
}

static bool comes_to(atomic_int *count, int number)
{
	uint64_t end = now_ms() + 60000;

	while (*count < number && now_ms() < end)
		usleep(1000);
	return *count == number;
}

TEST_F(launch, access_to_foreign_memory)
{
	char wanted[64];
	struct {
		uint64_t x;
		uint32_t block;
	} args = { (uint64_t)self->x + MIB + 4096, 3 };
	aclrtFuncHandle func = FUNC("pokes");
	int32_t stream;
	uint32_t task;

	OK(aclrtGetCurrentContext(&seen.context));
	OK(aclrtExceptionInfoCallbackRegister(on_exception));
	OK(aclrtBinarySetExceptionCallback(self->bin, on_binary_exception,
					   &seen));
	OK(aclrtStreamGetId(self->stream, &stream));
	OK(launch(func, 8, self->stream, &args, sizeof(args)));
	OK(aclrtGetThreadLastTaskId(&task));
	aclGetRecentErrMsg();
	ASSERT_EQ(VECTOR_EXCEPTION, aclrtSynchronizeStream(self->stream));
	snprintf(wanted, sizeof(wanted), "kernel pokes, block 3, address 0x%llx",
		 (unsigned long long)args.x);
	{
		const char *message = recent();

		EXPECT_NE(NULL, strstr(message, wanted)) TH_LOG("%s", message);
		EXPECT_NE(NULL, strstr(message, "kernels.asc:"))
			TH_LOG("%s", message);
		EXPECT_NE(NULL, strstr(message, "right behind"))
			TH_LOG("%s", message);
		EXPECT_NE(NULL, strstr(message, "1028 KiB of memory of aclrtMalloc"))
			TH_LOG("%s", message);
	}
	ASSERT_TRUE(comes_to(&seen.calls, 1));
	EXPECT_TRUE(comes_to(&seen.of_binary, 1));
	EXPECT_EQ(task, seen.task);
	EXPECT_EQ(stream, seen.stream);
	EXPECT_EQ(0, seen.device);
	EXPECT_EQ(VECTOR_EXCEPTION, seen.code);
	EXPECT_EQ(func, seen.func);
	EXPECT_EQ(sizeof(args), seen.size);
	EXPECT_EQ(args.x, seen.arg);

	/* The device is well. */
	OK(launch_on(FUNC("who"), 4, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	GET(64);
	EXPECT_EQ(3, self->host[6]);
}

TEST_F(launch, other_exceptions)
{
	uint32_t two = 2;

	OK(launch(FUNC("asserts"), 1, self->stream, &two, sizeof(two)));
	EXPECT_EQ(ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION,
		  aclrtSynchronizeStream(self->stream));
	EXPECT_NE(NULL, strstr(recent(), "kernels.asc:"));
	OK(launch(FUNC("traps"), 1, self->stream, NULL, 0));
	EXPECT_EQ(ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION,
		  aclrtSynchronizeStream(self->stream));
	OK(launch_on(FUNC("copies_unaligned"), 1, self->stream, self->x));
	EXPECT_EQ(VECTOR_EXCEPTION, aclrtSynchronizeStream(self->stream));
	{
		const char *message = recent();

		EXPECT_NE(NULL, strstr(message, "DataCopy"))
			TH_LOG("%s", message);
	}
	/* Later tasks of the stream have run. */
	OK(launch_on(FUNC("traps"), 1, self->stream, self->x));
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x));
	EXPECT_EQ(ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION,
		  aclrtSynchronizeStream(self->stream))
		TH_LOG("%s", recent());
	GET(4);
	EXPECT_EQ(23, self->host[0]);
}

TEST_F(launch, time_limit)
{
	aclrtLaunchKernelAttr attr = {
		.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
		.value.timeoutUs.timeoutLow = 300000,
	};
	aclrtLaunchKernelCfg config = { &attr, 1 };

	OK(aclrtLaunchKernelWithHostArgs(FUNC("loops"), 1, self->stream,
					 &config, &self->x, 8, NULL, 0));
	EXPECT_ACL(ACL_ERROR_RT_VECTOR_CORE_TIMEOUT,
		   aclrtSynchronizeStream(self->stream));
	OK(launch_on(FUNC("keyed_1"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	GET(4);
	EXPECT_EQ(1, self->host[0]);
}

/* If the kernel does not stop soon, its core is reset, with other launches. */
TEST_F(launch, stream_is_destroyed_while_a_kernel_runs)
{
	aclrtStream other;
	aclError err;

	OK(aclrtCreateStream(&other));
	OK(launch_on(FUNC("loops"), 1, other, self->x));
	usleep(50000);
	OK(aclrtDestroyStreamForce(other));
	OK(launch_on(FUNC("keyed_1"), 1, self->stream, self->x + 4));
	err = aclrtSynchronizeStream(self->stream);
	EXPECT_TRUE(!err || err == VECTOR_EXCEPTION);
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	GET(4);
	EXPECT_EQ(23, self->host[0]);
}

TEST_HARNESS_MAIN
