// SPDX-License-Identifier: GPL-2.0-only
/* Streams: created, queried and destroyed.  async.c tests their work. */
#include "acl-test.h"

FIXTURE(stream) {
	aclrtStream stream;
};

FIXTURE_SETUP(stream)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
}

FIXTURE_TEARDOWN(stream)
{
	aclrtResetDeviceForce(0);
}

TEST(need_a_context)
{
	aclrtStreamConfigHandle *config = aclrtCreateStreamConfigHandle();
	int32_t least, greatest;
	aclrtStream s;
	uint32_t n;

	ASSERT_NE(NULL, config);
	EXPECT_ACL(NO_CONTEXT, aclrtCreateStream(&s));
	EXPECT_ACL(NO_CONTEXT, aclrtCreateStreamWithConfig(&s, 0, 0));
	EXPECT_ACL(NO_CONTEXT, aclrtCreateStreamV2(&s, config));
	EXPECT_ACL(NO_CONTEXT, aclrtSynchronizeStream(NULL));
	EXPECT_ACL(NO_CONTEXT, aclrtGetStreamAvailableNum(&n));
	EXPECT_ACL(NO_CONTEXT,
		   aclrtDeviceGetStreamPriorityRange(&least, &greatest));
	OK(aclrtDestroyStreamConfigHandle(config));
}

TEST_F(stream, null_is_refused)
{
	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateStream(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateStreamWithConfig(NULL, 0, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateStreamV2(NULL, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDestroyStream(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDestroyStreamForce(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtStreamQuery(self->stream, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtStreamGetId(self->stream, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtStreamGetPriority(self->stream, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtStreamGetFlags(self->stream, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtGetStreamAvailableNum(NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetStreamAttribute(self->stream,
					   ACL_STREAM_ATTR_PRIORITY, NULL));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtGetStreamAttribute(self->stream,
					   ACL_STREAM_ATTR_PRIORITY, NULL));
}

/* NULL is the default stream in every query of a stream. */
TEST_F(stream, null_is_the_default_stream)
{
	aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
	aclrtStreamAttrValue value;
	int32_t id, same;
	aclrtStream d;
	uint32_t n;

	OK(aclrtCtxGetCurrentDefaultStream(&d));
	OK(aclrtSynchronizeStream(NULL));
	OK(aclrtSynchronizeStreamWithTimeout(NULL, 60000));
	OK(aclrtStreamQuery(NULL, &status));
	EXPECT_EQ(ACL_STREAM_STATUS_COMPLETE, status);
	OK(aclrtStreamGetId(NULL, &id));
	OK(aclrtStreamGetId(d, &same));
	EXPECT_EQ(id, same);
	OK(aclrtStreamGetPriority(NULL, &n));
	OK(aclrtStreamGetFlags(NULL, &n));
	OK(aclrtGetStreamAttribute(NULL, ACL_STREAM_ATTR_FAILURE_MODE, &value));
	EXPECT_EQ(ACL_CONTINUE_ON_FAILURE, value.failureMode);
}

TEST_F(stream, synchronize_and_query)
{
	aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;

	OK(aclrtSynchronizeStream(self->stream));
	OK(aclrtSynchronizeStreamWithTimeout(self->stream, -1));
	OK(aclrtSynchronizeStreamWithTimeout(self->stream, 1));
	EXPECT_ACL(BAD_VALUE, aclrtSynchronizeStreamWithTimeout(self->stream, 0));
	EXPECT_ACL(BAD_VALUE,
		   aclrtSynchronizeStreamWithTimeout(self->stream, -2));
	OK(aclrtStreamQuery(self->stream, &status));
	EXPECT_EQ(ACL_STREAM_STATUS_COMPLETE, status);
	OK(aclrtSynchronizeDevice());
}

TEST_F(stream, ids_differ)
{
	int32_t ids[64], i, j;
	aclrtStream s[64];

	for (i = 0; i < 64; i++) {
		OK(aclrtCreateStream(&s[i]));
		OK(aclrtStreamGetId(s[i], &ids[i]));
		for (j = 0; j < i; j++)
			ASSERT_NE(ids[i], ids[j]);
	}
	for (i = 0; i < 64; i++)
		OK(aclrtDestroyStream(s[i]));
}

TEST_F(stream, priority_is_clamped)
{
	static const uint32_t asked[] = { 0, 1, 6, 7, 8, 1000, UINT32_MAX };
	int32_t least = -1, greatest = -1;
	uint32_t priority;
	aclrtStream s;
	size_t i;

	OK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
	EXPECT_EQ(7, least);
	EXPECT_EQ(0, greatest);
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		OK(aclrtCreateStreamWithConfig(&s, asked[i], 0));
		OK(aclrtStreamGetPriority(s, &priority));
		EXPECT_EQ(asked[i] > 7 ? 7 : asked[i], priority);
		OK(aclrtDestroyStream(s));
	}
}

TEST_F(stream, flags_come_back)
{
	static const uint32_t all[] = {
		ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC,
		ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC,
		ACL_STREAM_PERSISTENT, ACL_STREAM_HUGE,
		ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY,
	};
	uint32_t flags;
	aclrtStream s;
	size_t i;

	OK(aclrtStreamGetFlags(self->stream, &flags));
	EXPECT_EQ(0, flags);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		OK(aclrtCreateStreamWithConfig(&s, 0, all[i]));
		OK(aclrtStreamGetFlags(s, &flags));
		EXPECT_EQ(all[i], flags);
		OK(aclrtSynchronizeStream(s));
		OK(aclrtDestroyStreamForce(s));
	}
}

TEST_F(stream, config_handle)
{
	aclrtStreamConfigHandle *config = aclrtCreateStreamConfigHandle();
	size_t flags = ACL_STREAM_FAST_SYNC, size = 4096;
	uint32_t priority = 5, n;
	void *work = &size;
	aclrtStream s;

	ASSERT_NE(NULL, config);
	OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flags,
				   sizeof(flags)));
	OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority,
				   sizeof(priority)));
	OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_ADDR_PTR, &work,
				   sizeof(work)));
	OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_WORK_SIZE, &size,
				   sizeof(size)));
	OK(aclrtCreateStreamV2(&s, config));
	OK(aclrtStreamGetPriority(s, &n));
	EXPECT_EQ(5, n);
	OK(aclrtStreamGetFlags(s, &n));
	EXPECT_EQ(ACL_STREAM_FAST_SYNC, n);

	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetStreamConfigOpt(NULL, ACL_RT_STREAM_FLAG, &flags,
					   sizeof(flags)));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, NULL,
					   sizeof(flags)));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flags,
					   1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclrtSetStreamConfigOpt(config, (aclrtStreamConfigAttr)99,
					   &flags, sizeof(flags)));
	OK(aclrtDestroyStreamConfigHandle(config));
	EXPECT_ACL(NULL_OR_ZERO, aclrtDestroyStreamConfigHandle(NULL));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtDestroyStream(s));
}

TEST_F(stream, stale_and_garbage)
{
	void *const garbage[] = { GARBAGE_HANDLES };
	aclrtStreamStatus status;
	aclrtContext context;
	uint32_t n;
	int32_t id;
	size_t i;

	OK(aclrtDestroyStream(self->stream));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyStream(self->stream));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyStreamForce(self->stream));
	EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeStream(self->stream));
	EXPECT_ACL(BAD_HANDLE, aclrtStreamQuery(self->stream, &status));
	EXPECT_ACL(BAD_HANDLE, aclrtStreamGetId(self->stream, &id));
	EXPECT_ACL(BAD_HANDLE, aclrtStreamGetPriority(self->stream, &n));
	EXPECT_ACL(BAD_HANDLE, aclrtStreamGetFlags(self->stream, &n));
	EXPECT_ACL(BAD_HANDLE, aclrtSetStreamFailureMode(self->stream, 0));
	for (i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeStream(garbage[i]));
		EXPECT_ACL(BAD_HANDLE, aclrtDestroyStream(garbage[i]));
		EXPECT_ACL(BAD_HANDLE, aclrtStreamGetId(garbage[i], &id));
	}
	OK(aclrtGetCurrentContext(&context));
	EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeStream(context));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyStream(context));
}

/* All calls except synchronise need a stream of the current context. */
TEST_F(stream, of_another_context)
{
	aclrtStreamStatus status;
	aclrtContext other;
	aclrtStream s;

	OK(aclrtCreateContext(&other, 0));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CONTEXT,
		   aclrtDestroyStream(self->stream));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CONTEXT,
		   aclrtStreamQuery(self->stream, &status));
	OK(aclrtSynchronizeStream(self->stream));
	OK(aclrtCreateStream(&s));
	OK(aclrtDestroyContext(other));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeStream(s));
	OK(aclrtSynchronizeStream(self->stream));
}

TEST_F(stream, failure_mode)
{
	aclrtStreamAttrValue value;

	OK(aclrtSetStreamFailureMode(self->stream, ACL_CONTINUE_ON_FAILURE));
	OK(aclrtSetStreamFailureMode(self->stream, ACL_STOP_ON_FAILURE));
	OK(aclrtSetStreamFailureMode(self->stream, ACL_STOP_ON_FAILURE));
	OK(aclrtGetStreamAttribute(self->stream, ACL_STREAM_ATTR_FAILURE_MODE,
				   &value));
	EXPECT_EQ(ACL_STOP_ON_FAILURE, value.failureMode);
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclrtSetStreamFailureMode(self->stream,
					     ACL_CONTINUE_ON_FAILURE));
	EXPECT_ACL(BAD_VALUE, aclrtSetStreamFailureMode(self->stream, 2));
}

TEST_F(stream, attributes)
{
	aclrtStreamAttrValue in, out;
	size_t i;
	static const aclrtStreamAttr all[] = {
		ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK,
		ACL_STREAM_ATTR_USER_CUSTOM_TAG,
		ACL_STREAM_ATTR_CACHE_OP_INFO,
		ACL_STREAM_ATTR_PRIORITY,
	};

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		memset(&in, 0, sizeof(in));
		memset(&out, 0xff, sizeof(out));
		in.userCustomTag = 1;
		OK(aclrtSetStreamAttribute(self->stream, all[i], &in));
		OK(aclrtGetStreamAttribute(self->stream, all[i], &out));
		EXPECT_EQ(1, out.userCustomTag) TH_LOG("attribute %d", all[i]);
	}
	EXPECT_ACL(BAD_VALUE,
		   aclrtSetStreamAttribute(self->stream, (aclrtStreamAttr)99,
					   &in));
	EXPECT_ACL(BAD_VALUE,
		   aclrtGetStreamAttribute(self->stream, (aclrtStreamAttr)99,
					   &out));
}

/* Streams are a limited resource of the device, and are returned to it. */
TEST_F(stream, available_number)
{
	uint32_t before = 0, during = 0, after = 0;
	aclrtStream s[10];
	int i;

	OK(aclrtGetStreamAvailableNum(&before));
	EXPECT_LT(100, before);
	for (i = 0; i < 10; i++)
		OK(aclrtCreateStream(&s[i]));
	OK(aclrtGetStreamAvailableNum(&during));
	EXPECT_EQ(before - 10, during);
	for (i = 0; i < 10; i++)
		OK(aclrtDestroyStream(s[i]));
	OK(aclrtGetStreamAvailableNum(&after));
	EXPECT_EQ(before, after);
}

TEST_F(stream, until_the_limit)
{
	uint32_t available, i;
	aclrtContext context;
	aclrtStream *s, one;

	OK(aclrtGetStreamAvailableNum(&available));
	ASSERT_GE(4096, available);
	s = calloc(available, sizeof(*s));
	for (i = 0; i < available; i++)
		OK(aclrtCreateStream(&s[i]));
	recent();
	EXPECT_ACL(ACL_ERROR_RT_NO_STREAM_RESOURCE, aclrtCreateStream(&one));
	EXPECT_NE(NULL, strstr(recent(), "device 0 has no streams left"));
	EXPECT_ACL(ACL_ERROR_RT_NO_STREAM_RESOURCE,
		   aclrtCreateContext(&context, 0));
	EXPECT_NE(NULL, strstr(recent(), "device 0 has no streams left"));
	OK(aclrtDestroyStream(s[0]));
	OK(aclrtCreateStream(&s[0]));
	for (i = 0; i < available; i++)
		OK(aclrtDestroyStream(s[i]));
	free(s);
}

static void *use_stream(void *stream)
{
	aclError err = aclrtSetDevice(0);
	uint32_t n;

	if (!err)
		err = aclrtSynchronizeStream(stream);
	if (!err)
		err = aclrtStreamGetPriority(stream, &n);
	if (!err)
		err = aclrtDestroyStream(stream);
	return (void *)(intptr_t)err;
}

TEST_F(stream, used_by_another_thread)
{
	EXPECT_EQ(NULL, in_thread(use_stream, self->stream));
	EXPECT_ACL(BAD_HANDLE, aclrtSynchronizeStream(self->stream));
}

TEST_HARNESS_MAIN
