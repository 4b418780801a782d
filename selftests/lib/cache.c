// SPDX-License-Identifier: GPL-2.0-only
/* Maintenance of caches: arguments, and the order of streams. */
#include "acl-stream.h"

#define TYPES	(ACL_RT_CMO_TYPE_FLUSH + 1)

FIXTURE(cache) {
	struct work work;
};

FIXTURE_SETUP(cache)
{
	OK(work_init(&self->work));
}

FIXTURE_TEARDOWN(cache)
{
	work_fini(&self->work);
}

TEST_F(cache, host_cache)
{
	struct work *w = &self->work;
	uint8_t *freed;

	OK(aclrtMemFlush(w->dev, AREA));
	OK(aclrtMemInvalidate(w->dev + 3, 5));
	OK(aclrtDeviceL2CacheFlush(NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtMemFlush(NULL, 1));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtMemInvalidate(w->dev, 0));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtDeviceL2CacheFlush(w));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtMemFlush(w, 1));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtMemInvalidate(w->dev, SIZE_MAX));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtMemFlush(w->dev, 1ULL << 30));
	OK(freed_address(&freed));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID, aclrtMemInvalidate(freed, 1));
}

/* An operation keeps its place behind earlier tasks. */
TEST_F(cache, operations_are_in_order)
{
	struct work *w = &self->work;
	aclrtStreamStatus status;
	uint32_t before, after;

	OK(aclrtValueWait(w->gate, 1, ACL_STREAM_WAIT_VALUE_EQ, w->a));
	OK(aclrtGetThreadLastTaskId(&before));
	for (int i = 0; i < TYPES; i++)
		OK(aclrtCmoAsync(w->dev, AREA, (aclrtCmoType)i, w->a));
	OK(aclrtGetThreadLastTaskId(&after));
	EXPECT_EQ(before + TYPES, after);
	OK(aclrtStreamQuery(w->a, &status));
	EXPECT_EQ(ACL_STREAM_STATUS_NOT_READY, status);
	OK(aclrtValueWrite(w->gate, 1, 0, w->b));
	OK(aclrtSynchronizeStreamWithTimeout(w->a, 20000));
	OK(aclrtCmoAsync(w->dev, 1, ACL_RT_CMO_TYPE_PREFETCH, NULL));
}

TEST_F(cache, operation_arguments)
{
	struct work *w = &self->work;

	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtCmoAsync(NULL, 1, ACL_RT_CMO_TYPE_PREFETCH, w->a));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtCmoAsync(w->dev, 0, ACL_RT_CMO_TYPE_PREFETCH, w->a));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtCmoAsync(w->dev, 1, (aclrtCmoType)TYPES, w->a));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtCmoAsync(w, 1, ACL_RT_CMO_TYPE_PREFETCH, w->a));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtCmoAsync(w->dev, SIZE_MAX, ACL_RT_CMO_TYPE_PREFETCH,
				 w->a));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclrtCmoAsync(w->dev, 1, ACL_RT_CMO_TYPE_PREFETCH,
				 (aclrtStream)1));
}

/* A 910B has no barriers. */
TEST_F(cache, barriers)
{
	aclrtBarrierTaskInfo info = {
		.barrierNum = 1,
		.cmoInfo = { { ACL_RT_CMO_TYPE_INVALID, 1 } },
	};
	struct work *w = &self->work;

	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtCmoAsyncWithBarrier(w->dev, 1, ACL_RT_CMO_TYPE_INVALID,
					    1, w->a));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtCmoAsyncWithBarrier(NULL, 1, ACL_RT_CMO_TYPE_INVALID,
					    1, w->a));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtCmoWaitBarrier(&info, w->a, 0));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtCmoWaitBarrier(NULL, w->a, 0));
	info.cmoInfo[0].barrierId = 0;
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtCmoWaitBarrier(&info, w->a, 0));
	info.cmoInfo[0].barrierId = 1;
	info.cmoInfo[0].cmoType = ACL_RT_CMO_TYPE_FLUSH;
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtCmoWaitBarrier(&info, w->a, 0));
	info.barrierNum = 0;
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtCmoWaitBarrier(&info, w->a, 0));
	info.barrierNum = ACL_RT_CMO_MAX_BARRIER_NUM + 1;
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtCmoWaitBarrier(&info, w->a, 0));
}

TEST_F(cache, descriptor)
{
	struct work *w = &self->work;
	uint64_t words[8] = { 0 };
	size_t size = 0;

	OK(aclrtCmoGetDescSize(&size));
	ASSERT_LE(sizeof(uint64_t) * 2, size);
	ASSERT_GE(sizeof(words), size);
	OK(aclrtCmoSetDesc(w->dev, w->dev + 4096, 4096));
	OK(aclrtMemcpy(words, size, w->dev, size, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ((uintptr_t)w->dev + 4096, words[0]);
	EXPECT_EQ(4096, words[1]);
	OK(aclrtCmoAsyncWithDesc(w->dev, ACL_RT_CMO_TYPE_PREFETCH, w->a, NULL));
	OK(aclrtSynchronizeStream(w->a));

	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtCmoGetDescSize(NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtCmoSetDesc(NULL, w->dev, 1));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclrtCmoSetDesc(w->dev, NULL, 1));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtCmoSetDesc(w->dev, w->dev, 0));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtCmoSetDesc(w->dev + 8, w->dev, 1));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtCmoSetDesc(words, w->dev, 1));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclrtCmoAsyncWithDesc(NULL, ACL_RT_CMO_TYPE_PREFETCH, w->a,
					 NULL));
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclrtCmoAsyncWithDesc(w->dev, ACL_RT_CMO_TYPE_PREFETCH, w->a,
					 words));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtCmoAsyncWithDesc(w->dev, ACL_RT_CMO_TYPE_FLUSH, w->a,
					 NULL));
}

TEST_HARNESS_MAIN
