// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of every family with the first, second and each further operation
 * failing that they need, until a call succeeds. These operations are
 * allocations of the kernel, copies from and to the process, and allocations of
 * the heap.
 *
 * A failing call returns one of few errors, and has changed nothing. The same
 * call works afterwards, and no memory, file or block of the heap is leaked.
 */
/* Some of the calls are deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "fail_nth_attr.h"
#include "fail_nth_buffer.h"
#include "fail_nth_info.h"
#include "fail_nth_memory.h"
#include "fail_nth_model.h"
#include "fail_nth_op.h"
#include "fail_nth_share.h"
#include "fail_nth_snapshot.h"
#include "fail_nth_stream.h"
#include "fail_nth_sweep.h"
#include "fail_nth_work.h"

SWEEPS(stream)
SWEEPS(event)
SWEEPS(model)
SWEEPS(memory)
SWEEPS(copy)
SWEEPS(vmm)
SWEEPS(pool)
SWEEPS(share)
SWEEPS(work)
SWEEPS(info)
SWEEPS(attr)
SWEEPS(allocator)
SWEEPS(buffer)
SWEEPS(snapshot)
SWEEPS(op)

/*
 * The thread that runs functions for streams survives a temporary lack of
 * memory.
 */
TEST(functions_without_memory)
{
	aclrtStream stream;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&stream));
	OK(aclrtLaunchHostFunc(stream, do_nothing, NULL));
	OK(aclrtSynchronizeStream(stream));
	nth_arm_others();
	/* When it has run this function it looks for the next. */
	OK(aclrtLaunchHostFunc(stream, do_nothing, NULL));
	while (nth_is_armed_for_others())
		usleep(1000);
	OK(aclrtLaunchHostFunc(stream, do_nothing, NULL));
	EXPECT_ACL(ACL_SUCCESS,
		   aclrtSynchronizeStreamWithTimeout(stream, 20000));
	OK(aclrtDestroyStream(stream));
}

static atomic_int failures;

static void on_failure(aclrtExceptionInfo *info)
{
	(void)info;
	failures++;
}

/* The thread that reports failures then reports them later. */
TEST(failures_without_memory)
{
	aclrtStream stream;
	uint64_t *gate;
	void *dev;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&stream));
	OK(aclrtExceptionInfoCallbackRegister(on_failure));
	OK(aclrtMalloc((void **)&gate, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(gate, 64, 0, 64));
	OK(aclrtMalloc(&dev, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
	OK(aclrtMemsetAsync(dev, MIB, 0, MIB, stream));
	OK(aclrtFree(dev));
	nth_arm_others();
	OK(aclrtValueWrite(gate, 1, 0, NULL));
	while (nth_is_armed_for_others())
		usleep(1000);
	while (!failures)
		usleep(1000);
	EXPECT_EQ(1, failures);
	OK(aclrtDestroyStream(stream));
}

/*
 * All initial calls of a program; some may have succeeded before the failure.
 */
static aclError use(void)
{
	aclrtStream stream = NULL;
	void *dev = NULL;
	aclError err = aclInit(NULL);

	if (err == ACL_ERROR_REPEAT_INITIALIZE)
		err = ACL_SUCCESS;
	if (!err)
		err = aclrtSetDevice(0);
	if (!err)
		err = aclrtCreateStream(&stream);
	if (!err)
		err = aclrtMalloc(&dev, AREA, ACL_MEM_MALLOC_HUGE_FIRST);
	if (!err)
		err = aclrtMemsetAsync(dev, AREA, 1, AREA, stream);
	if (!err)
		err = aclrtSynchronizeStream(stream);
	return err;
}

enum { AGAIN = 0, OVER = 1, UNDOCUMENTED = 2, BROKEN = 3 };

/*
 * Run in a process that has not used the library before; objects that @call
 * destroys are used first.
 */
static int run_once(aclError (*before)(void), aclError (*call)(void),
		    unsigned int n)
{
	aclError err = before ? before() : ACL_SUCCESS;
	bool hit = true;

	if (!err) {
		nth_arm(n);
		err = call();
		hit = nth_disarm();
	}
	if (err && !(hit && is_documented(err))) {
		printf("# failure %u: %d, %s\n", n, err, recent());
		fflush(stdout);
		return UNDOCUMENTED;
	}
	err = err ? call() : ACL_SUCCESS;
	if (!err)
		err = use();
	if (err) {
		printf("# after failure %u: %d, %s\n", n, err, recent());
		fflush(stdout);
		return BROKEN;
	}
	return hit ? AGAIN : OVER;
}

/* The device is reset, even if the call reports a failure on the way. */
static aclError reset_by(aclError (*call)(int32_t device))
{
	aclError err = call(0);

	return err == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR ? ACL_SUCCESS : err;
}

static aclError reset(void)
{
	return reset_by(aclrtResetDevice);
}

static aclError reset_force(void)
{
	return reset_by(aclrtResetDeviceForce);
}

FIXTURE(first) {
};

FIXTURE_VARIANT(first) {
	enum nth_kind kind;
};

FIXTURE_VARIANT_ADD(first, kernel) {
	.kind = NTH_KERNEL,
};

FIXTURE_VARIANT_ADD(first, heap) {
	.kind = NTH_HEAP,
};

FIXTURE_SETUP(first)
{
	if (!nth_begin(variant->kind))
		SKIP(return, "the kernel has no fault injection");
}

FIXTURE_TEARDOWN(first)
{
	nth_end();
}

static void sweep_once(struct __test_metadata *_metadata, const char *name,
		       aclError (*before)(void), aclError (*call)(void))
{
	unsigned int n;
	int status;

	for (n = 1; n < LIMIT; n++) {
		pid_t pid = fork_bound();

		ASSERT_LE(0, pid);
		if (!pid)
			_exit(run_once(before, call, n));
		status = child_wait(pid);
		if (status == OVER)
			break;
		EXPECT_EQ(AGAIN, status);
	}
	printf("# %s: %u injected\n", name, n - 1);
	EXPECT_LT(n, LIMIT);
}

TEST_F_TIMEOUT(first, of_all_calls, 600)
{
	sweep_once(_metadata, "first use", NULL, use);
}

/* The last reference, and so all objects on the device. */
TEST_F_TIMEOUT(first, of_the_last_reset, 600)
{
	sweep_once(_metadata, "aclrtResetDevice, the last", use, reset);
	sweep_once(_metadata, "aclrtResetDeviceForce", use, reset_force);
}

TEST_HARNESS_MAIN
