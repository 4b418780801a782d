// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected faults of AI cores, as a program sees them that launches kernels. The
 * driver's part is tested by selftests/uapi/inject_core.c.
 */
#include "launch.h"

#include <linux/vnpu.h>

#include "trouble.h"
#include "vnpu.h"

#define VECTOR_TIMEOUT	ACL_ERROR_RT_VECTOR_CORE_TIMEOUT
#define KIND(name)	VNPU_INJECT_KIND_CORE_##name

/* The number of words of x that launches write, each with its own value. */
#define WORDS		3

/* Inject a fault into the next launch of this process. */
static int next_launch(uint32_t kind)
{
	uint64_t client;

	if (vnpu_client_id(&client))
		return -1;
	return fault_set(kind, client, ANY_CLASS, 1, 0);
}

static int next_launch_is_slow(uint64_t delay_us)
{
	uint64_t client;

	if (vnpu_client_id(&client))
		return -1;
	return fault_set(KIND(SLOW), client, ANY_CLASS, 1, delay_us);
}

static int hits_add(const struct nlmsghdr *head, void *sum)
{
	*(uint64_t *)sum += nl_u64(head, VNPU_A_INJECT_HITS);
	return 0;
}

/* How often the only fault has happened. */
static uint64_t hits(void)
{
	uint64_t sum = 0;
	int fd = nl_open();

	if (nl_dump(fd, nl_family(fd), VNPU_CMD_INJECT_GET, hits_add, &sum) != 1)
		sum = UINT64_MAX;
	close(fd);
	return sum;
}

/* Launch with a time limit in us. */
static aclError launch_within(aclrtFuncHandle func, aclrtStream stream, void *x,
			      uint32_t limit_us)
{
	aclrtLaunchKernelAttr attr = {
		.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US,
		.value.timeoutUs.timeoutLow = limit_us,
	};
	aclrtLaunchKernelCfg config = { &attr, 1 };

	return aclrtLaunchKernelWithHostArgs(func, 1, stream, &config, &x,
					     sizeof(x), NULL, 0);
}

/* Start the core, so that no other launch passes the injection point. */
#define BEGIN() do {							\
	ASSERT_EQ(0, faults_clear(0));					\
	OK(launch_on(FUNC("nothing"), 1, self->stream, self->x));	\
	OK(aclrtSynchronizeStream(self->stream));			\
} while (0)

/* Launches work, on the same stream and on another one; the device is well. */
#define WORKS() do {							\
	aclrtStream other_;						\
									\
	EXPECT_EQ(1, hits());						\
	ASSERT_EQ(0, faults_clear(0));					\
	OK(aclrtCreateStream(&other_));					\
	OK(launch_on(FUNC("keyed_1"), 1, self->stream, self->x + 1));	\
	OK(launch_on(FUNC("keyed_23"), 1, other_, self->x + 2));	\
	OK(aclrtSynchronizeStream(self->stream));			\
	OK(aclrtSynchronizeStream(other_));				\
	OK(aclrtDestroyStream(other_));					\
	GET(4 * WORDS);							\
	EXPECT_EQ(1, self->host[1]);					\
	EXPECT_EQ(23, self->host[2]);					\
	EXPECT_EQ(VNPU_HEALTH_OK, device_health(0));			\
} while (0)

TEST_F_TIMEOUT(launch, a_core_hangs, 120)
{
	aclrtStream other;

	BEGIN();
	OK(aclrtCreateStream(&other));
	ASSERT_EQ(0, next_launch(KIND(HANG)));
	OK(launch_within(FUNC("keyed_23"), self->stream, self->x, 3000000));
	ASSERT_EQ(0, fault_wait(0, KIND(HANG)));
	/* Other streams go on, also with launches. */
	OK(aclrtMemsetAsync(self->x + 4096, 64, 1, 64, other));
	OK(launch_on(FUNC("keyed_1"), 1, other, self->x + 1));
	OK(aclrtSynchronizeStream(other));
	EXPECT_ACL(VECTOR_TIMEOUT, aclrtSynchronizeStream(self->stream));
	GET(4);
	EXPECT_EQ(23, self->host[0]);
	OK(aclrtDestroyStream(other));
	WORKS();
}

TEST_F_TIMEOUT(launch, a_hang_of_a_core_is_aborted, 120)
{
	BEGIN();
	ASSERT_EQ(0, next_launch(KIND(HANG)));
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x));
	ASSERT_EQ(0, fault_wait(0, KIND(HANG)));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
		   aclrtSynchronizeStreamWithTimeout(self->stream, 50));
	OK(aclrtStreamAbort(self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	WORKS();
}

/* The program gets the same as if another process killed the core. */
TEST_F_TIMEOUT(launch, a_core_dies, 120)
{
	BEGIN();
	ASSERT_EQ(0, next_launch(KIND(DIE)));
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x));
	EXPECT_EQ(VECTOR_EXCEPTION, aclrtSynchronizeStream(self->stream));
	{
		const char *message = recent();

		EXPECT_NE(NULL, strstr(message, "keyed_23"))
			TH_LOG("%s", message);
	}
	GET(4);
	EXPECT_EQ(0, self->host[0]);
	WORKS();
}

TEST_F_TIMEOUT(launch, a_core_is_slow, 120)
{
	uint64_t start;

	BEGIN();
	ASSERT_EQ(0, next_launch_is_slow(200000));
	start = now_ms();
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x));
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_LE(200, now_ms() - start);
	GET(4);
	EXPECT_EQ(23, self->host[0]);
	EXPECT_EQ(1, hits());
	/* Too slow for the time limit. */
	ASSERT_EQ(0, next_launch_is_slow(60000000));
	OK(launch_within(FUNC("keyed_1"), self->stream, self->x, 100000));
	EXPECT_ACL(VECTOR_TIMEOUT, aclrtSynchronizeStream(self->stream));
	WORKS();
}

TEST_F_TIMEOUT(launch, a_core_completes_twice, 120)
{
	BEGIN();
	ASSERT_EQ(0, next_launch(KIND(TWICE)));
	for (int i = 0; i < WORDS; i++)
		OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x + i));
	OK(aclrtSynchronizeStream(self->stream));
	GET(4 * WORDS);
	for (int i = 0; i < WORDS; i++)
		EXPECT_EQ(23, self->host[i]);
	WORKS();
}

TEST_F_TIMEOUT(launch, a_core_completes_with_nonsense, 120)
{
	BEGIN();
	ASSERT_EQ(0, next_launch(KIND(GARBAGE)));
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x));
	EXPECT_EQ(VECTOR_EXCEPTION, aclrtSynchronizeStream(self->stream));
	{
		const char *message = recent();

		EXPECT_NE(NULL, strstr(message, "keyed_23"))
			TH_LOG("%s", message);
	}
	WORKS();
}

/* The process ends soon, whatever its launches wait for. */
TEST_F_TIMEOUT(launch, the_program_ends_under_a_fault, 120)
{
	BEGIN();
	ASSERT_EQ(0, next_launch_is_slow(60000000));
	OK(launch_on(FUNC("keyed_23"), 1, self->stream, self->x));
	ASSERT_EQ(0, fault_wait(0, KIND(SLOW)));
	OK(aclrtResetDeviceForce(0));
	ASSERT_EQ(0, faults_clear(0));
}

TEST_HARNESS_MAIN
