// SPDX-License-Identifier: GPL-2.0-only
/* Models that are built stream by stream, and their labels. */
#include "capture_build.h"

TEST_F(build, a_bound_stream_stores_its_tasks)
{
	int32_t *n = self->n;
	aclrtStream *s = self->s;
	aclmdlRICaptureStatus status;
	aclmdlRI other;

	OK(set(n, 7, s[0]));
	OK(aclmdlRICaptureGetInfo(s[0], &status, &other));
	EXPECT_EQ(NONE, status);
	EXPECT_ACL(BOUND, aclrtSynchronizeStream(s[0]));
	EXPECT_ACL(BOUND, aclrtDestroyStream(s[0]));
	EXPECT_ACL(BOUND, aclmdlRICaptureBegin(s[0], RELAXED));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclmdlRICaptureEnd(s[0], &other));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclmdlRICaptureTaskGrpBegin(s[0]));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED,
		   aclmdlRIExecuteAsync(self->model, self->w.a));
	OK(aclmdlRIEndTask(self->model, s[0]));
	EXPECT_ACL(BOUND, set(n, 8, s[0]));
	EXPECT_ACL(BOUND, aclmdlRIEndTask(self->model, s[0]));
	EXPECT_EQ(0, get(n));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	EXPECT_ACL(BOUND, set(n, 8, s[1]));
	EXPECT_ACL(BOUND, aclmdlRIExecuteAsync(self->model, s[1]));
	for (int i = 0; i < 2; i++) {
		OK(aclrtMemset(n, 4, 0, 4));
		OK(run(self->model, self->w.a));
		EXPECT_EQ(7, get(n));
	}
	/* An unbound stream runs its tasks, and the model keeps its own. */
	OK(aclmdlRIUnbindStream(self->model, s[0]));
	EXPECT_ACL(BOUND, aclmdlRIUnbindStream(self->model, s[0]));
	OK(set(n, 9, s[0]));
	while (get(n) != 9)	/* the host cannot wait for such a stream */
		usleep(1000);
	OK(run(self->model, self->w.a));
	EXPECT_EQ(7, get(n));
	OK(aclrtDestroyStream(s[0]));
	OK(aclmdlRIDestroy(self->model));
	OK(aclrtDestroyStream(s[1]));
}

TEST_F(build, wrong_calls_are_refused)
{
	aclmdlRI model = self->model, captured;
	aclrtStream *s = self->s;
	struct work *w = &self->w;

	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIBuildBegin(NULL, 0));
	EXPECT_ACL(WRONG, aclmdlRIBuildBegin(&captured, 1));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIBindStream(model, NULL, HEAD));
	EXPECT_ACL(WRONG, aclmdlRIBindStream(model, w->a, HEAD));
	EXPECT_ACL(WRONG, aclmdlRIBindStream(model, s[0], 1));
	EXPECT_ACL(BOUND, aclmdlRIBindStream(model, s[0], HEAD));
	EXPECT_ACL(BOUND, aclmdlRIEndTask(model, w->a));
	OK(capture_fill(w, 1, 8, &captured));
	EXPECT_ACL(UNSUPPORTED, aclmdlRIBindStream(captured, s[0], HEAD));
	EXPECT_ACL(UNSUPPORTED, aclmdlRIBuildEnd(captured, NULL));
	EXPECT_ACL(WRONG, aclmdlRIBuildEnd(model, s));
	EXPECT_ACL(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
		   aclrtMemcpyAsync(w->dev, 4, &model, 4,
				    ACL_MEMCPY_HOST_TO_DEVICE, s[0]));
	OK(aclmdlRIBuildEnd(model, NULL));
	EXPECT_ACL(UNSUPPORTED, aclmdlRIBuildEnd(model, NULL));
	/* Without a head, and while it is built. */
	OK(aclmdlRIUnbindStream(model, s[0]));
	OK(aclmdlRIBuildBegin(&captured, 0));
	EXPECT_ACL(WRONG, aclmdlRIBuildEnd(captured, NULL));
	OK(aclmdlRIBindStream(captured, s[0], LATER));
	EXPECT_ACL(WRONG, aclmdlRIBuildEnd(captured, NULL));
	OK(aclmdlRIDestroy(captured));
	OK(aclrtDestroyStream(s[0]));
}

/* After aclmdlRIEndTask(), such calls are refused like others, without harm. */
TEST_F(build, a_closed_stream_refuses_events)
{
	aclrtEvent event, external;
	aclrtStream *s = self->s;

	OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	OK(aclrtCreateEventWithFlag(&external, ACL_EVENT_EXTERNAL));
	OK(set(self->n, 7, s[0]));
	OK(aclmdlRIEndTask(self->model, s[0]));
	EXPECT_ACL(BOUND, aclrtRecordEvent(event, s[0]));
	EXPECT_ACL(BOUND, aclrtRecordEvent(external, s[0]));
	EXPECT_ACL(BOUND, aclrtStreamWaitEvent(s[0], event));
	EXPECT_ACL(BOUND, aclrtStreamWaitEvent(s[0], external));
	EXPECT_ACL(BOUND, aclrtStreamWaitEventWithFlag(s[0], event, 0,
						       ACL_EVENT_WAIT_EXTERNAL));
	EXPECT_ACL(BOUND, aclrtResetEvent(external, s[0]));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	OK(run(self->model, self->w.a));
	EXPECT_EQ(7, get(self->n));
	OK(aclmdlRIDestroy(self->model));
	OK(aclrtDestroyEvent(event));
	OK(aclrtDestroyEvent(external));
}

TEST_F(build, wrong_labels_are_refused)
{
	aclrtLabel label, other;
	aclrtLabelList list;
	aclrtStream *s = self->s;
	int32_t *n = self->n;

	OK(aclrtCreateLabel(&label));
	OK(aclrtCreateLabel(&other));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateLabel(NULL));
	EXPECT_ACL(BOUND, aclrtSetLabel(label, self->w.a));
	EXPECT_ACL(NULL_OR_ZERO, aclrtSetLabel(label, NULL));
	OK(aclrtSetLabel(label, s[0]));
	EXPECT_ACL(WRONG, aclrtSetLabel(label, s[1]));
	EXPECT_ACL(WRONG, aclrtCreateLabelList(&label, 0, &list));
	EXPECT_ACL(WRONG, aclrtCreateLabelList(&label, 65536, &list));
	EXPECT_ACL(NULL_OR_ZERO, aclrtCreateLabelList(NULL, 1, &list));
	OK(aclrtCreateLabelList((aclrtLabel[]){ label, other }, 2, &list));
	EXPECT_ACL(WRONG, aclrtSwitchLabelByIndex(n, 0, list, s[0]));
	EXPECT_ACL(WRONG, aclrtSwitchLabelByIndex(n, 3, list, s[0]));
	EXPECT_ACL(NULL_OR_ZERO, aclrtSwitchLabelByIndex(NULL, 2, list, s[0]));
	EXPECT_ACL(BOUND, aclrtSwitchLabelByIndex(n, 2, list, self->w.a));
	OK(aclrtSwitchLabelByIndex(n, 2, list, s[0]));
	EXPECT_ACL(NULL_OR_ZERO, aclrtActiveStream(NULL, s[0]));
	EXPECT_ACL(BOUND, aclrtActiveStream(self->w.a, s[0]));
	EXPECT_ACL(WRONG, aclrtSwitchStream(n, 6, n, 0, s[1], NULL, s[0]));
	EXPECT_ACL(WRONG, aclrtSwitchStream(n, 0, n, 2, s[1], NULL, s[0]));
	EXPECT_ACL(WRONG, aclrtSwitchStream(n, 0, n, 0, s[1], s[2], s[0]));
	EXPECT_ACL(BOUND, go_if_less(n, n, self->w.a, s[0]));
	/* A label of the list is missing; then it is there. */
	EXPECT_ACL(WRONG, aclmdlRIBuildEnd(self->model, NULL));
	OK(aclrtSetLabel(other, s[1]));
	OK(aclrtDestroyLabel(label));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyLabel(label));
	OK(aclrtDestroyLabelList(list));
	EXPECT_ACL(BAD_HANDLE, aclrtDestroyLabelList(list));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	OK(put(n, (int32_t[]){ 1 }, 1));
	OK(run(self->model, self->w.a));
	OK(aclrtDestroyLabel(other));
}

TEST_F(build, heads_run_beside_each_other_and_wait)
{
	int32_t *n = self->n;
	aclrtStream *s = self->s, head;
	aclrtEvent event;

	OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	OK(aclrtCreateStreamWithConfig(&head, 0, ACL_STREAM_PERSISTENT));
	OK(aclmdlRIBindStream(self->model, head, HEAD));
	OK(set(n, 3, head));
	OK(follow(s[0], head, event));
	OK(add(n, n, s[0]));
	EXPECT_ACL(BOUND, aclrtStreamWaitEvent(self->w.b, event));
	OK(aclmdlRIDestroy(self->model));

	/* The same, without the wait of a stream that is not bound. */
	OK(aclmdlRIBuildBegin(&self->model, 0));
	OK(aclmdlRIBindStream(self->model, head, HEAD));
	OK(aclmdlRIBindStream(self->model, s[0], HEAD));
	OK(set(n, 3, head));
	OK(follow(s[0], head, event));
	OK(add(n, n, s[0]));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	OK(run(self->model, self->w.a));
	EXPECT_EQ(6, get(n));
	/* With branches, such a wait is refused. */
	OK(aclmdlRIDestroy(self->model));
	OK(aclmdlRIBuildBegin(&self->model, 0));
	OK(aclmdlRIBindStream(self->model, head, HEAD));
	OK(aclmdlRIBindStream(self->model, s[0], LATER));
	OK(aclrtActiveStream(s[0], head));
	OK(follow(s[0], head, event));
	EXPECT_ACL(UNSUPPORTED, aclmdlRIBuildEnd(self->model, NULL));
}

TEST_HARNESS_MAIN
