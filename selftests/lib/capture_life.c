// SPDX-License-Identifier: GPL-2.0-only
/* Captures: how they begin and end, and the models they make. */
#include "capture.h"

TEST(need_a_context)
{
	aclmdlRICaptureStatus status;
	aclmdlRI model;

	EXPECT_ACL(NO_CONTEXT, aclmdlRICaptureBegin(NULL, GLOBAL));
	EXPECT_ACL(NO_CONTEXT, aclmdlRICaptureEnd(NULL, &model));
	EXPECT_ACL(NO_CONTEXT, aclmdlRICaptureGetInfo(NULL, &status, &model));
	EXPECT_ACL(NO_CONTEXT, aclmdlRIExecuteAsync(&model, NULL));
	EXPECT_ACL(NO_CONTEXT, aclmdlRIExecute(&model, -1));
	EXPECT_ACL(NO_CONTEXT, aclmdlRIDestroy(&model));
	EXPECT_ACL(NO_CONTEXT, aclmdlRIDebugPrint(&model));
	EXPECT_ACL(NO_CONTEXT, aclmdlRIDebugJsonPrint(&model, "x", 0));
}

TEST_F(capture, null_and_values)
{
	aclmdlRICaptureMode mode = (aclmdlRICaptureMode)3;
	aclmdlRICaptureStatus status;
	struct work *w = &self->w;
	aclmdlRI model;

	EXPECT_ACL(BAD_VALUE, aclmdlRICaptureBegin(w->a, mode));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRICaptureEnd(w->a, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRICaptureGetInfo(w->a, NULL, &model));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRICaptureGetInfo(w->a, &status, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRICaptureThreadExchangeMode(NULL));
	EXPECT_ACL(BAD_VALUE, aclmdlRICaptureThreadExchangeMode(&mode));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIExecuteAsync(NULL, w->a));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIExecute(NULL, -1));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIDestroy(NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIDebugPrint(NULL));
	EXPECT_ACL(BAD_HANDLE, aclmdlRICaptureBegin(self->fork, GLOBAL));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIExecuteAsync(self->fork, w->a));
	OK(capture_fill(w, 1, 8, &model));
	EXPECT_ACL(BAD_VALUE, aclmdlRIExecute(model, -2));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIExecuteAsync(model, model));
	OK(aclmdlRIDestroy(model));
	OK(aclmdlRIDestroy(model));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIExecuteAsync(model, w->a));
}

TEST_F(capture, begin_and_end_match)
{
	struct work *w = &self->w;
	aclrtStream standard;
	aclmdlRI model;

	OK(aclrtCtxGetCurrentDefaultStream(&standard));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
		   aclmdlRICaptureBegin(NULL, GLOBAL));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
		   aclmdlRICaptureBegin(standard, GLOBAL));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclmdlRICaptureEnd(w->a, &model));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED,
		   aclmdlRICaptureBegin(w->a, GLOBAL));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclmdlRICaptureEnd(w->b, &model));
	OK(follow(w->b, w->a, self->fork));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
		   aclmdlRICaptureEnd(w->b, &model));
	OK(follow(w->a, w->b, self->join));
	OK(aclmdlRICaptureEnd(w->a, &model));
	OK(run(model, w->a));
}

TEST_F(capture, the_status_names_the_model)
{
	aclmdlRICaptureStatus status;
	struct work *w = &self->w;
	aclmdlRI during, model;

	OK(aclmdlRICaptureGetInfo(w->a, &status, &model));
	EXPECT_EQ(NONE, status);
	EXPECT_EQ(NULL, model);
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(aclmdlRICaptureGetInfo(w->a, &status, &during));
	EXPECT_EQ(ACTIVE, status);
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED,
		   aclmdlRIExecuteAsync(during, w->b));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIExecute(during, -1));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIDestroy(during));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIDebugPrint(during));
	OK(fill(w->dev, 1, 8, w->a));
	OK(aclmdlRICaptureEnd(w->a, &model));
	EXPECT_EQ(during, model);
}

TEST_F(capture, a_model_has_a_name_and_a_number)
{
	char name[600], longest[600];
	struct work *w = &self->w;
	uint32_t first, second;
	aclmdlRI model, other;

	OK(capture_fill(w, 1, 8, &model));
	OK(capture_fill(w, 1, 8, &other));
	OK(aclmdlRIGetName(model, sizeof(name), name));
	EXPECT_STREQ("", name);
	OK(aclmdlRISetName(model, "decoder"));
	OK(aclmdlRISetName(other, "prefill"));
	OK(aclmdlRIGetName(model, sizeof(name), name));
	EXPECT_STREQ("decoder", name);
	OK(aclmdlRIGetName(model, 4, name));
	EXPECT_STREQ("dec", name);
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	OK(aclmdlRISetName(model, longest));
	OK(aclmdlRIGetName(model, sizeof(name), name));
	EXPECT_EQ(512, strlen(name));
	OK(aclmdlRIGetId(model, &first));
	OK(aclmdlRIGetId(other, &second));
	EXPECT_NE(first, second);
	EXPECT_ACL(UNSUPPORTED, aclmdlRIAbort(model));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRISetName(model, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIGetName(model, 0, name));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIGetName(model, 9, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIGetId(model, NULL));
	OK(aclmdlRIDestroy(model));
	EXPECT_ACL(BAD_HANDLE, aclmdlRISetName(model, "x"));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIGetName(model, 9, name));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIGetId(model, &first));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIAbort(model));
}

static char ends[8];

static void note_end(void *letter)
{
	strcat(ends, letter);
}

static void note_other_end(void *letter)
{
	note_end(letter);
	/* Callbacks may call the library. */
	if (aclrtSynchronizeDevice())
		note_end("!");
}

TEST_F(capture, functions_are_called_at_the_end_of_a_model)
{
	struct work *w = &self->w;
	aclmdlRICaptureStatus status;
	aclmdlRI model;

	OK(capture_fill(w, 1, 8, &model));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlRIDestroyRegisterCallback(model, NULL, NULL));
	EXPECT_ACL(BAD_VALUE,
		   aclmdlRIDestroyUnregisterCallback(model, note_end));
	OK(aclmdlRIDestroyRegisterCallback(model, note_end, "a"));
	OK(aclmdlRIDestroyRegisterCallback(model, note_other_end, "b"));
	OK(aclmdlRIDestroyRegisterCallback(model, note_end, "c"));
	EXPECT_STREQ("", ends);
	OK(aclmdlRIDestroy(model));
	EXPECT_STREQ("abc", ends);
	EXPECT_ACL(BAD_HANDLE,
		   aclmdlRIDestroyRegisterCallback(model, note_end, "a"));
	EXPECT_ACL(BAD_HANDLE,
		   aclmdlRIDestroyUnregisterCallback(model, note_end));

	ends[0] = '\0';
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(aclmdlRICaptureGetInfo(w->a, &status, &model));
	OK(aclmdlRIDestroyRegisterCallback(model, note_end, "a"));
	OK(aclmdlRIDestroyRegisterCallback(model, note_other_end, "b"));
	OK(aclmdlRIDestroyUnregisterCallback(model, note_end));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_UNJOINED,
		   aclmdlRICaptureEnd(w->a, &model));
	EXPECT_STREQ("b", ends);
}

TEST_F(capture, without_tasks_there_is_no_model)
{
	struct work *w = &self->w;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_UNJOINED,
		   aclmdlRICaptureEnd(w->a, &self->model));
	EXPECT_EQ(NONE, status_of(w->a));
	OK(fill(w->dev, 1, 8, w->a));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_TRUE(device_has(w->dev, 1, 8));
}

/* A stream ends without a record, with tasks after it, or with no waiter. */
TEST_F(capture, streams_have_to_join)
{
	struct work *w = &self->w;

	for (int i = 0; i < 4; i++) {
		OK(aclmdlRICaptureBegin(w->a, GLOBAL));
		OK(follow(w->b, w->a, self->fork));
		if (i == 1)
			OK(aclrtRecordEvent(self->join, w->b));
		if (i == 2) {
			OK(follow(w->a, w->b, self->join));
			OK(fill(w->dev, 1, 8, w->b));
		}
		if (i == 3)
			OK(aclrtRecordEventWithFlag(self->join, w->b,
						    ACL_EVENT_RECORD_EXTERNAL));
		EXPECT_ACL(ACL_ERROR_RT_STREAM_UNJOINED,
			   aclmdlRICaptureEnd(w->a, &self->model));
		EXPECT_EQ(NONE, status_of(w->b));
	}
	OK(aclrtSynchronizeStream(w->a));
	OK(aclrtSynchronizeStream(w->b));
}

/* From a to b to c, and back the same way. */
TEST_F(capture, a_stream_may_join_by_another)
{
	struct work *w = &self->w;
	aclrtStream c;

	OK(aclrtCreateStream(&c));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(fill(w->dev, 9, 8, w->a));
	OK(follow(w->b, w->a, self->fork));
	OK(follow(c, w->b, self->fork));
	OK(move(w->dev + 8, w->dev, 8, c));
	OK(follow(w->b, c, self->join));
	OK(follow(w->a, w->b, self->join));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(run(self->model, c));
	EXPECT_TRUE(device_has(w->dev + 8, 9, 8));
}

static void *end_capture(void *arg)
{
	struct _test_data_capture *self = arg;

	aclrtSetDevice(0);
	return (void *)(intptr_t)aclmdlRICaptureEnd(self->w.a, &self->model);
}

TEST_F(capture, the_same_thread_has_to_end_it)
{
	struct work *w = &self->w;

	for (int mode = GLOBAL; mode <= RELAXED; mode++) {
		aclError want = ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD;

		OK(aclmdlRICaptureBegin(w->a, (aclmdlRICaptureMode)mode));
		OK(fill(w->dev, 1, 8, w->a));
		if (mode == RELAXED)
			want = ACL_SUCCESS;
		EXPECT_EQ(want, (intptr_t)in_thread(end_capture, self));
		EXPECT_EQ(NONE, status_of(w->a));
	}
}

TEST_HARNESS_MAIN
