// SPDX-License-Identifier: GPL-2.0-only
/*
 * Last error and recent message: what sets and clears them, and for which
 * threads.
 */
#include "acl-test.h"

#include <stdarg.h>
#include <sys/syscall.h>

#define LEVEL	ACL_RT_THREAD_LEVEL

/* An errno that the driver returns once; this replaces libc's ioctl(). */
static int ioctl_error;

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (ioctl_error) {
		errno = ioctl_error;
		ioctl_error = 0;
		return -1;
	}
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

/* An address that is not device memory: freeing it is a runtime error. */
static int nobodys;

FIXTURE(error) {
};

FIXTURE_SETUP(error)
{
	OK(aclrtSetDevice(0));
	aclrtGetLastError(LEVEL);
	aclGetRecentErrMsg();
}

FIXTURE_TEARDOWN(error)
{
	aclrtResetDeviceForce(0);
}

TEST(nothing_at_the_start)
{
	EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(LEVEL));
	EXPECT_EQ(ACL_SUCCESS, aclrtGetLastError(LEVEL));
	EXPECT_EQ(NULL, aclGetRecentErrMsg());
}

TEST_F(error, peek_keeps_get_clears)
{
	EXPECT_EQ(BAD_VALUE, aclrtFree(&nobodys));
	EXPECT_EQ(BAD_VALUE, aclrtPeekAtLastError(LEVEL));
	EXPECT_EQ(BAD_VALUE, aclrtPeekAtLastError(LEVEL));
	EXPECT_EQ(BAD_VALUE, aclrtGetLastError(LEVEL));
	EXPECT_EQ(ACL_SUCCESS, aclrtGetLastError(LEVEL));
	EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(LEVEL));
}

TEST_F(error, success_does_not_clear)
{
	void *p;

	EXPECT_EQ(BAD_VALUE, aclrtFree(&nobodys));
	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtFree(p));
	OK(aclrtSynchronizeDevice());
	EXPECT_EQ(BAD_VALUE, aclrtPeekAtLastError(LEVEL));
}

TEST_F(error, the_last_one_wins)
{
	EXPECT_EQ(BAD_VALUE, aclrtFree(&nobodys));
	EXPECT_EQ(BAD_DEVICE, aclrtSetDevice(1000));
	EXPECT_EQ(BAD_DEVICE, aclrtGetLastError(LEVEL));
}

/* Errors that the interface itself reports are not runtime errors. */
TEST_F(error, null_leaves_it_alone)
{
	EXPECT_EQ(NULL_OR_ZERO, aclrtFree(NULL));
	EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(LEVEL));
	EXPECT_EQ(BAD_VALUE, aclrtFree(&nobodys));
	EXPECT_EQ(NULL_OR_ZERO, aclrtMalloc(NULL, 0, 0));
	EXPECT_EQ(BAD_VALUE, aclrtPeekAtLastError(LEVEL));
}

TEST_F(error, only_the_thread_level_is_supported)
{
	aclrtLastErrLevel other = (aclrtLastErrLevel)1;

	EXPECT_EQ(NULL_OR_ZERO, aclrtGetLastError(other));
	EXPECT_EQ(NULL_OR_ZERO, aclrtPeekAtLastError(other));
}

TEST_F(error, message_once)
{
	EXPECT_EQ(BAD_DEVICE, aclrtSetDevice(1000));
	EXPECT_NE(NULL, aclGetRecentErrMsg());
	EXPECT_EQ(NULL, aclGetRecentErrMsg());
	EXPECT_EQ(NULL, aclGetRecentErrMsg());
}

/* The message contains the call, the argument and its value. */
TEST_F(error, message_helps)
{
	const char *message;
	void *p;

	EXPECT_EQ(BAD_DEVICE, aclrtSetDevice(1000));
	message = aclGetRecentErrMsg();
	ASSERT_NE(NULL, message);
	EXPECT_NE(NULL, strstr(message, "aclrtSetDevice")) TH_LOG("%s", message);
	EXPECT_NE(NULL, strstr(message, "1000")) TH_LOG("%s", message);

	EXPECT_EQ(NULL_OR_ZERO, aclrtMalloc(NULL, 64, 0));
	message = aclGetRecentErrMsg();
	ASSERT_NE(NULL, message);
	EXPECT_NE(NULL, strstr(message, "aclrtMalloc")) TH_LOG("%s", message);
	EXPECT_NE(NULL, strstr(message, "devPtr")) TH_LOG("%s", message);

	EXPECT_EQ(NULL_OR_ZERO, aclrtMalloc(&p, 0, 0));
	message = aclGetRecentErrMsg();
	ASSERT_NE(NULL, message);
	EXPECT_NE(NULL, strstr(message, "size")) TH_LOG("%s", message);
}

/* An out-of-memory message explains the reason. */
TEST_F(error, message_of_out_of_memory)
{
	const char *message;
	char number[32];
	size_t size = total_bytes() + 12345678, least = free_bytes();
	void *held, *p;

	OK(aclrtMalloc(&held, 16 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(OUT_OF_MEMORY,
		  aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(OUT_OF_MEMORY, aclrtGetLastError(LEVEL));
	message = aclGetRecentErrMsg();
	ASSERT_NE(NULL, message);
	EXPECT_NE(NULL, strstr(message, "aclrtMalloc")) TH_LOG("%s", message);
	snprintf(number, sizeof(number), "%zu", size);
	EXPECT_NE(NULL, strstr(message, number)) TH_LOG("%s", message);
	EXPECT_NE(NULL, strcasestr(message, "free")) TH_LOG("%s", message);
	EXPECT_NE(NULL, strcasestr(message, "largest"))
		TH_LOG("%s", message);
	/* The holder is this process. */
	snprintf(number, sizeof(number), "%d", getpid());
	EXPECT_NE(NULL, strstr(message, number)) TH_LOG("%s", message);
	/* In the driver's words. */
	snprintf(number, sizeof(number), "most is held by %d (", getpid());
	EXPECT_NE(NULL, strstr(message, number)) TH_LOG("%s", message);
	EXPECT_NE(NULL, strstr(message, "compaction would not help"))
		TH_LOG("%s", message);
	OK(aclrtFree(held));
	EXPECT_EQ(least, free_bytes());
}

/*
 * Each errno of the driver has a code, and a text that does not mention disks.
 */
TEST_F(error, texts_for_errors_of_the_driver)
{
	static const struct {
		int error;
		aclError code;
		const char *words;
	} said[] = {
		{ EDQUOT, OUT_OF_MEMORY, "EDQUOT: a quota" },
		{ EEXIST, BAD_VALUE, "EEXIST: the address range" },
		{ EBADF, BAD_VALUE, "EBADF: the file descriptor" },
		{ EBUSY, ACL_ERROR_RT_DRV_INTERNAL_ERROR, "EBUSY: the object is in use" },
		{ EINTR, ACL_ERROR_RT_DRV_INTERNAL_ERROR, "EINTR: a fatal signal interrupted" },
		{ ENOSPC, OUT_OF_MEMORY, "ENOSPC: not enough device memory" },
		{ EIO, ACL_ERROR_RT_DEVICE_MEM_ERROR, "EIO: the device" },
		{ ENODEV, ACL_ERROR_RT_NO_DEVICE, "ENODEV: the device" },
		{ EUCLEAN, ACL_ERROR_RT_DRV_INTERNAL_ERROR, "EUCLEAN: " },
	};
	const char *message;
	size_t i;
	void *p;

	OK(aclrtMalloc(&p, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	for (i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		ioctl_error = said[i].error;
		EXPECT_EQ(said[i].code, aclrtFree(p));
		EXPECT_EQ(0, ioctl_error);
		message = recent();
		EXPECT_NE(NULL, strstr(message, said[i].words))
			TH_LOG("%s", message);
	}
	OK(aclrtFree(p));

	/* Calls that free are repeated then; calls that allocate are not. */
	ioctl_error = ENOMEM;
	EXPECT_EQ(OUT_OF_MEMORY, aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	EXPECT_EQ(0, ioctl_error);
	message = recent();
	EXPECT_NE(NULL, strstr(message, "host memory"))
		TH_LOG("%s", message);
}

TEST_F(error, message_survives_success)
{
	int32_t device;

	EXPECT_EQ(BAD_DEVICE, aclrtSetDevice(1000));
	OK(aclrtGetDevice(&device));
	EXPECT_NE(NULL, aclGetRecentErrMsg());
}

static void *fail_in_thread(void *arg)
{
	intptr_t wrong = 0;

	(void)arg;
	wrong += aclrtPeekAtLastError(LEVEL) != ACL_SUCCESS;
	wrong += aclGetRecentErrMsg() != NULL;
	wrong += aclrtSetDevice(2000) != BAD_DEVICE;
	wrong += aclrtGetLastError(LEVEL) != BAD_DEVICE;
	wrong += !strstr(recent(), "2000");
	return (void *)wrong;
}

TEST_F(error, each_thread_has_its_own)
{
	EXPECT_EQ(BAD_VALUE, aclrtFree(&nobodys));
	EXPECT_EQ(NULL, in_thread(fail_in_thread, NULL));
	EXPECT_EQ(BAD_VALUE, aclrtPeekAtLastError(LEVEL));
	EXPECT_NE(NULL, strstr(recent(), "aclrtFree"));
}

static void *fail_once(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)(aclrtSetDevice(3000) != BAD_DEVICE);
}

/* With err_msg_mode 1 all threads share the messages. */
TEST_F(error, messages_of_the_process)
{
	OK(init_with("{ \"err_msg_mode\": \"1\" }"));
	EXPECT_EQ(NULL, in_thread(fail_once, NULL));
	EXPECT_NE(NULL, strstr(recent(), "3000"));
	EXPECT_EQ(NULL, aclGetRecentErrMsg());
	EXPECT_EQ(ACL_SUCCESS, aclrtPeekAtLastError(LEVEL));
	OK(aclFinalize());
}

/* The newest comes first. */
TEST_F(error, messages_collect)
{
	const char *message, *first, *second;

	EXPECT_EQ(BAD_DEVICE, aclrtSetDevice(8001));
	EXPECT_EQ(BAD_DEVICE, aclrtSetDevice(8002));
	message = aclGetRecentErrMsg();
	ASSERT_NE(NULL, message);
	first = strstr(message, "8002");
	second = strstr(message, "8001");
	ASSERT_NE(NULL, first);
	ASSERT_NE(NULL, second);
	EXPECT_TRUE(first < second);
}

/* 100 errors without a leak of messages: the last is reported. */
TEST_F(error, many)
{
	char number[16];
	int i;

	for (i = 0; i < 100; i++)
		EXPECT_EQ(BAD_DEVICE, aclrtSetDevice(5000 + i));
	snprintf(number, sizeof(number), "%d", 5099);
	EXPECT_NE(NULL, strstr(recent(), number));
}

static void fail_within(int32_t device, aclrtDeviceState state, void *args)
{
	(void)device;
	(void)state;
	*(aclError *)args = aclrtFree(NULL);
}

/* A message names its call, also after a callback made another one. */
TEST(calls_nest)
{
	aclError inner = ACL_SUCCESS;
	const char *text;

	OK(aclrtRegDeviceStateCallback("nest", fail_within, &inner));
	EXPECT_ACL(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, aclrtResetDevice(0));
	EXPECT_EQ(ACL_ERROR_INVALID_PARAM, inner);
	text = aclGetRecentErrMsg();
	ASSERT_NE(NULL, text);
	EXPECT_EQ(0, strncmp(text, "aclrtResetDevice: ", 18));
	EXPECT_NE(NULL, strstr(text, "\naclrtFree: "));
	OK(aclrtRegDeviceStateCallback("nest", NULL, NULL));
}

TEST_HARNESS_MAIN
