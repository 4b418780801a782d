// SPDX-License-Identifier: GPL-2.0-only
/* Groups of captured tasks, and updates of them. */
#include "launch.h"

#define GLOBAL		ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define GROUP_STATUS	ACL_ERROR_STREAM_TASK_GROUP_STATUS
#define NOT_THIS_TASK	ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT
#define NOT_UPDATED	ACL_ERROR_RT_MODEL_UPDATE_FAILED

#define COUNT		64

/* A model of one group with launches of "add", which add 1, 2, ... to x. */
struct grouped {
	aclrtFuncHandle add;
	aclrtStream other;
	aclmdlRI model;
	aclrtTaskGrp group;
};

static aclError add_to(aclrtFuncHandle add, void *x, uint32_t number,
		       aclrtStream stream)
{
	struct add_args args = { x, x, number, COUNT };

	return launch(add, 1, stream, &args, sizeof(args));
}

static aclError add_all(const struct grouped *g, void *x, uint32_t first,
			int launches, aclrtStream stream)
{
	aclError err = ACL_SUCCESS;

	for (int i = 0; i < launches && !err; i++)
		err = add_to(g->add, x, first + i, stream);
	return err;
}

static aclError capture_group(struct grouped *g, void *x, uint32_t first,
			      int launches, aclrtStream stream)
{
	aclError err = aclmdlRICaptureBegin(stream, GLOBAL);

	if (!err)
		err = aclmdlRICaptureTaskGrpBegin(stream);
	if (!err)
		err = add_all(g, x, first, launches, stream);
	if (!err)
		err = aclmdlRICaptureTaskGrpEnd(stream, &g->group);
	return err ? err : aclmdlRICaptureEnd(stream, &g->model);
}

static aclError update(struct grouped *g, void *x, uint32_t first, int launches)
{
	aclError err = aclmdlRICaptureTaskUpdateBegin(g->other, g->group);

	if (!err)
		err = add_all(g, x, first, launches, g->other);
	return err ? err : aclmdlRICaptureTaskUpdateEnd(g->other);
}

static aclError run(aclmdlRI model, aclrtStream stream)
{
	aclError err = aclmdlRIExecuteAsync(model, stream);

	return err ? err : aclrtSynchronizeStream(stream);
}

#define PREPARE() ({							\
	struct grouped g_ = { .add = FUNC("add") };			\
	OK(aclrtCreateStream(&g_.other));				\
	g_;								\
})

#define EXPECT_X(value) do {						\
	uint32_t value_ = value;					\
									\
	GET(COUNT * 4);							\
	EXPECT_EQ(value_, self->host[0]);				\
	EXPECT_EQ(value_, self->host[COUNT - 1]);			\
} while (0)

TEST_F(launch, an_update_replaces_the_launches)
{
	struct grouped g = PREPARE();
	uint32_t want = 0;

	OK(capture_group(&g, self->x, 1, 3, self->stream));
	OK(run(g.model, self->stream));
	EXPECT_X(want += 1 + 2 + 3);
	for (uint32_t i = 10; i < 200; i += 10) {
		OK(update(&g, self->x, i, 3));
		OK(aclrtSynchronizeStream(g.other));
		OK(run(g.model, self->stream));
		EXPECT_X(want += 3 * i + 3);
	}
	OK(run(g.model, g.other));
	EXPECT_X(want += 3 * 190 + 3);
	OK(aclmdlRIDestroy(g.model));
}

/* The update is later than what its stream waits for. */
TEST_F(launch, an_update_is_in_the_order_of_its_stream)
{
	struct grouped g = PREPARE();
	uint64_t *gate;

	OK(aclrtMalloc((void **)&gate, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(gate, 64, 0, 64));
	OK(capture_group(&g, self->x, 1, 1, self->stream));
	OK(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, g.other));
	OK(update(&g, self->x, 100, 1));
	OK(run(g.model, self->stream));
	EXPECT_X(1);
	OK(aclrtValueWrite(gate, 1, 0, self->stream));
	OK(aclrtSynchronizeStream(g.other));
	OK(run(g.model, self->stream));
	EXPECT_X(101);
}

/* As vllm-ascend does it: each run waits for the update before the group. */
TEST_F(launch, an_external_event_orders_updates_and_runs)
{
	struct grouped g = PREPARE();
	uint32_t want = 0;
	aclrtEvent event;

	OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL));
	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclrtStreamWaitEvent(self->stream, event));
	OK(aclrtResetEvent(event, self->stream));
	OK(aclmdlRICaptureTaskGrpBegin(self->stream));
	OK(add_to(g.add, self->x, 0, self->stream));
	OK(aclmdlRICaptureTaskGrpEnd(self->stream, &g.group));
	OK(aclmdlRICaptureEnd(self->stream, &g.model));
	for (uint32_t i = 1; i < 50; i++) {
		OK(aclmdlRIExecuteAsync(g.model, self->stream));
		OK(update(&g, self->x, i, 1));
		OK(aclrtRecordEvent(event, g.other));
		OK(aclrtSynchronizeStream(self->stream));
		want += i;
	}
	EXPECT_X(want);
	OK(aclmdlRIDestroy(g.model));
}

TEST_F(launch, two_groups_of_two_streams_are_updated_alone)
{
	struct grouped g = PREPARE();
	uint32_t *y = self->x + COUNT;
	aclrtEvent fork, join;
	aclrtTaskGrp second;
	aclrtStream b;

	OK(aclrtCreateStream(&b));
	OK(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC));
	OK(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclrtRecordEvent(fork, self->stream));
	OK(aclrtStreamWaitEvent(b, fork));
	OK(add_to(g.add, self->x, 1, self->stream));
	OK(aclmdlRICaptureTaskGrpBegin(self->stream));
	OK(aclmdlRICaptureTaskGrpBegin(b));
	OK(add_to(g.add, self->x, 10, self->stream));
	OK(add_to(g.add, y, 10, b));
	OK(aclmdlRICaptureTaskGrpEnd(self->stream, &g.group));
	OK(aclmdlRICaptureTaskGrpEnd(b, &second));
	OK(aclrtRecordEvent(join, b));
	OK(aclrtStreamWaitEvent(self->stream, join));
	OK(aclmdlRICaptureEnd(self->stream, &g.model));
	g.group = second;
	OK(update(&g, y, 100, 1));
	OK(aclrtSynchronizeStream(g.other));
	OK(run(g.model, self->stream));
	GET(2 * COUNT * 4);
	EXPECT_EQ(11, self->host[0]);
	EXPECT_EQ(100, self->host[COUNT]);
}

static aclError submit_other(int kind, void *x, aclrtEvent event,
			     aclrtStream stream)
{
	switch (kind) {
	case 0:
		return aclrtMemsetAsync(x, 8, 1, 8, stream);
	case 1:
		return aclrtRecordEvent(event, stream);
	default:
		return aclrtValueWrite(x, 1, 0, stream);
	}
}

TEST_F(launch, other_tasks_are_no_part_of_a_group)
{
	struct grouped g = PREPARE();
	aclrtEvent event;

	OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	for (int i = 0; i < 3; i++) {
		aclrtTaskGrp group;

		OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
		OK(aclmdlRICaptureTaskGrpBegin(self->stream));
		EXPECT_ACL(NOT_THIS_TASK,
			   submit_other(i, self->x, event, self->stream));
		EXPECT_ACL(ACL_ERROR_STREAM_TASK_GROUP_INTR,
			   aclmdlRICaptureTaskGrpEnd(self->stream, &group));
		EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
			   aclmdlRICaptureEnd(self->stream, &g.model));
	}
	OK(capture_group(&g, self->x, 1, 1, self->stream));
	OK(aclmdlRICaptureTaskUpdateBegin(g.other, g.group));
	EXPECT_ACL(NOT_THIS_TASK, aclrtRecordEvent(event, g.other));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
		   add_to(g.add, self->x, 1, g.other));
	EXPECT_ACL(NOT_UPDATED, aclmdlRICaptureTaskUpdateEnd(g.other));
	OK(run(g.model, self->stream));
	EXPECT_X(1);
}

TEST_F(launch, groups_do_not_nest_and_have_to_end)
{
	struct grouped g = PREPARE();

	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclmdlRICaptureTaskGrpBegin(self->stream));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclmdlRICaptureTaskGrpEnd(self->stream, &g.group));
	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRICaptureTaskGrpEnd(self->stream, NULL));
	EXPECT_ACL(GROUP_STATUS,
		   aclmdlRICaptureTaskGrpEnd(self->stream, &g.group));
	OK(aclmdlRICaptureTaskGrpBegin(self->stream));
	EXPECT_ACL(GROUP_STATUS, aclmdlRICaptureTaskGrpBegin(self->stream));
	OK(add_to(g.add, self->x, 1, self->stream));
	EXPECT_ACL(GROUP_STATUS, aclmdlRICaptureEnd(self->stream, &g.model));
	OK(add_to(g.add, self->x, 1, self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	EXPECT_X(1);
}

static void nothing(void *arg)
{
	(void)arg;
}

TEST_F(launch, an_update_has_no_calls_of_the_host)
{
	struct grouped g = PREPARE();

	OK(capture_group(&g, self->x, 1, 1, self->stream));
	OK(aclmdlRICaptureTaskUpdateBegin(g.other, g.group));
	EXPECT_ACL(NOT_THIS_TASK, aclrtLaunchHostFunc(g.other, nothing, NULL));
	EXPECT_ACL(NOT_UPDATED, aclmdlRICaptureTaskUpdateEnd(g.other));
	OK(run(g.model, self->stream));
	EXPECT_X(1);
}

TEST_F(launch, an_update_has_the_tasks_of_its_group)
{
	struct grouped g = PREPARE();

	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRICaptureTaskUpdateBegin(g.other, NULL));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRICaptureTaskUpdateBegin(g.other, g.other));
	EXPECT_ACL(GROUP_STATUS, aclmdlRICaptureTaskUpdateEnd(g.other));
	OK(capture_group(&g, self->x, 1, 2, self->stream));
	EXPECT_ACL(NOT_UPDATED, update(&g, self->x, 10, 1));
	EXPECT_ACL(NOT_UPDATED, update(&g, self->x, 10, 3));
	OK(run(g.model, self->stream));
	EXPECT_X(3);
	OK(aclmdlRICaptureBegin(g.other, GLOBAL));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED,
		   aclmdlRICaptureTaskUpdateBegin(g.other, g.group));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_UNJOINED,
		   aclmdlRICaptureEnd(g.other, &g.model));
}

TEST_F(launch, a_stream_that_updates_does_nothing_else)
{
	struct grouped g = PREPARE();
	aclmdlRICaptureStatus status;
	aclmdlRI model;

	OK(capture_group(&g, self->x, 1, 1, self->stream));
	OK(aclmdlRICaptureTaskUpdateBegin(g.other, g.group));
	OK(aclmdlRICaptureGetInfo(g.other, &status, &model));
	EXPECT_EQ(ACL_MODEL_RI_CAPTURE_STATUS_NONE, status);
	EXPECT_ACL(GROUP_STATUS,
		   aclmdlRICaptureTaskUpdateBegin(g.other, g.group));
	EXPECT_ACL(GROUP_STATUS, aclmdlRICaptureBegin(g.other, GLOBAL));
	EXPECT_ACL(GROUP_STATUS, aclrtSynchronizeStream(g.other));
	EXPECT_ACL(GROUP_STATUS, aclrtDestroyStream(g.other));
	EXPECT_ACL(GROUP_STATUS, aclmdlRIExecuteAsync(g.model, g.other));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclmdlRICaptureTaskGrpBegin(g.other));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
		   aclmdlRICaptureEnd(g.other, &model));
	/* No capture forbids calls that act at once. */
	OK(aclrtMemset(self->x, 8, 0, 8));
	OK(add_to(g.add, self->x, 5, g.other));
	OK(aclmdlRICaptureTaskUpdateEnd(g.other));
	OK(aclrtSynchronizeStream(g.other));
	OK(run(g.model, self->stream));
	EXPECT_X(5);
}

TEST_F(launch, a_model_ends_its_groups_and_updates)
{
	struct grouped g = PREPARE();

	OK(capture_group(&g, self->x, 1, 1, self->stream));
	OK(aclmdlRICaptureTaskUpdateBegin(g.other, g.group));
	OK(add_to(g.add, self->x, 5, g.other));
	OK(aclmdlRIDestroy(g.model));
	EXPECT_ACL(GROUP_STATUS, aclmdlRICaptureTaskUpdateEnd(g.other));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRICaptureTaskUpdateBegin(g.other, g.group));
	OK(add_to(g.add, self->x, 7, g.other));
	OK(aclrtSynchronizeStream(g.other));
	EXPECT_X(7);
	OK(capture_group(&g, self->x, 1, 1, self->stream));
	OK(update(&g, self->x, 3, 1));
	OK(aclmdlRICaptureTaskUpdateBegin(g.other, g.group));
	OK(aclrtResetDeviceForce(0));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRICaptureTaskUpdateBegin(NULL, g.group));
}

/* Most updates replace one that no run has used. */
TEST_F(launch, many_updates_follow_each_other)
{
	struct grouped g = PREPARE();
	uint32_t want = 0;

	OK(capture_group(&g, self->x, 1, 1, self->stream));
	for (uint32_t i = 0; i < 400; i++) {
		OK(update(&g, self->x, i, 1));
		if (i % 100)
			continue;
		OK(aclrtSynchronizeStream(g.other));
		OK(run(g.model, self->stream));
		want += i;
	}
	EXPECT_X(want);
}

TEST_HARNESS_MAIN
