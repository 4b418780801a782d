// SPDX-License-Identifier: GPL-2.0-only
/* Replacements of tasks of captured models, and updates. */
#include "capture_edit.h"

/* The arguments are at a device address, and can be read there. */
TEST_F(launch, an_edit_waits_for_the_update)
{
	struct edited e = PREPARE(3);
	uint32_t want = 0;

	OK(run(e.model, self->stream));
	EXPECT_X(want += 1 + 2 + 3);
	for (uint32_t i = 100; i < 1000; i += 100) {
		OK(set_add(&e, 1, self->x, i));
		OK(run(e.model, self->stream));
		EXPECT_X(want += 4 + (i > 100 ? i - 100 : 2));
		OK(aclmdlRIUpdate(e.model));
		OK(run(e.model, self->stream));
		EXPECT_X(want += 4 + i);
	}
	OK(aclmdlRIUpdate(e.model));
	OK(aclmdlRIDestroy(e.model));
}

/* The program reads the parameters of an edit, and passes them again. */
TEST_F(launch, parameters_can_be_passed_again)
{
	struct edited e = PREPARE(1);
	aclmdlRITaskParams params;
	uint32_t want = 0;

	for (uint32_t i = 0; i < 30; i++) {
		if (!(i % 3))
			OK(set_add(&e, 0, self->x, i));
		OK(aclmdlRITaskGetParams(e.tasks[0], &params));
		OK(aclmdlRITaskSetParams(e.tasks[0], &params));
		OK(aclmdlRIUpdate(e.model));
		OK(run(e.model, self->stream));
		want += i - i % 3;
	}
	EXPECT_X(want);
}

/* The update gives up after 10,000 waits of 1 ms, which take longer here. */
TEST_F_TIMEOUT(launch, an_update_waits_for_runs, 300)
{
	struct edited e = PREPARE(1);
	uint64_t *gate;

	OK(aclrtMalloc((void **)&gate, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(gate, 64, 0, 64));
	OK(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, self->stream));
	OK(aclmdlRIExecuteAsync(e.model, self->stream));
	OK(set_add(&e, 0, self->x, 50));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIUpdate(e.model));
	OK(aclrtMemset(gate, 1, 1, 1));
	OK(aclmdlRIUpdate(e.model));
	EXPECT_X(1);
	OK(run(e.model, self->stream));
	EXPECT_X(51);
}

TEST_F(launch, disabled_tasks_do_nothing)
{
	struct edited e = PREPARE(3);
	aclmdlRITaskParams params;
	uint32_t want = 0;

	OK(aclmdlRITaskDisable(e.tasks[0]));
	OK(aclmdlRITaskDisable(e.tasks[2]));
	OK(aclmdlRIUpdate(e.model));
	OK(run(e.model, self->stream));
	EXPECT_X(want += 2);
	EXPECT_TYPE(KERNEL, e.tasks[0]);
	OK(aclmdlRITaskGetParams(e.tasks[2], &params));
	OK(aclmdlRITaskSetParams(e.tasks[2], &params));
	OK(set_add(&e, 1, self->x, 10));
	OK(aclmdlRITaskDisable(e.tasks[1]));
	OK(aclmdlRIUpdate(e.model));
	OK(run(e.model, self->stream));
	EXPECT_X(want += 3);
	OK(set_add(&e, 1, self->x, 20));
	OK(aclmdlRIUpdate(e.model));
	OK(run(e.model, self->stream));
	EXPECT_X(want += 23);
}

/* The run neither waits for nor records events of disabled tasks. */
TEST_F(launch, disabled_events_do_not_connect)
{
	struct edited e = { .add = FUNC("add") };
	aclrtEventRecordedStatus status;
	aclrtEvent before, after;
	aclrtStream b, own;
	uint64_t *gate;

	OK(aclrtCreateStream(&b));
	OK(aclrtMalloc((void **)&gate, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtMemset(gate, 64, 0, 64));
	OK(aclrtCreateEventExWithFlag(&before, ACL_EVENT_SYNC));
	OK(aclrtCreateEventExWithFlag(&after, ACL_EVENT_SYNC));
	OK(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, b));
	OK(aclrtRecordEvent(before, b));
	OK(aclrtRecordEvent(after, b));
	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclrtStreamWaitEventWithFlag(self->stream, before, 0,
					ACL_EVENT_WAIT_EXTERNAL));
	OK(add_to(e.add, self->x, 9, self->stream));
	OK(aclrtRecordEventWithFlag(after, self->stream,
				    ACL_EVENT_RECORD_EXTERNAL));
	OK(aclmdlRICaptureEnd(self->stream, &e.model));
	OK(look(&e, &own, 1));
	OK(aclmdlRITaskDisable(e.tasks[0]));
	OK(aclmdlRITaskDisable(e.tasks[2]));
	OK(aclmdlRIUpdate(e.model));
	OK(run(e.model, self->stream));
	EXPECT_X(9);
	OK(aclrtQueryEventStatus(after, &status));
	EXPECT_EQ(ACL_EVENT_RECORDED_STATUS_NOT_READY, status);
	OK(aclrtMemset(gate, 1, 1, 1));
	OK(aclrtSynchronizeStream(b));
}

TEST_F(launch, tasks_can_change_their_type)
{
	struct edited e = { .add = FUNC("add") };
	uint64_t *value = (uint64_t *)(self->x + COUNT);
	aclmdlRITaskParams write = {
		.type = ACL_MODEL_RI_TASK_VALUE_WRITE,
		.valueWriteTaskParams = { value, 1ULL << 40 },
	}, wait = {
		.type = ACL_MODEL_RI_TASK_VALUE_WAIT,
		.valueWaitTaskParams = { value, 1ULL << 40,
					 ACL_STREAM_WAIT_VALUE_EQ },
	};
	aclrtStream own;

	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclrtMemsetAsync(self->x, 8, 1, 8, self->stream));
	OK(add_to(e.add, self->x, 1, self->stream));
	OK(aclrtMemsetAsync(self->x, 8, 1, 8, self->stream));
	OK(aclmdlRICaptureEnd(self->stream, &e.model));
	OK(look(&e, &own, 1));
	OK(aclmdlRITaskSetParams(e.tasks[0], &write));
	OK(aclmdlRITaskSetParams(e.tasks[1], &wait));
	OK(set_add(&e, 2, self->x, 6));
	EXPECT_TYPE(ACL_MODEL_RI_TASK_VALUE_WAIT, e.tasks[1]);
	OK(aclmdlRIUpdate(e.model));
	OK(run(e.model, self->stream));
	GET((COUNT + 2) * 4);
	EXPECT_EQ(6, self->host[0]);
	EXPECT_EQ(256, self->host[COUNT + 1]);
	EXPECT_TYPE(ACL_MODEL_RI_TASK_VALUE_WRITE, e.tasks[0]);
}

/* Kernels are kept, and failures name the replaced task. */
TEST_F(launch, an_edit_keeps_its_kernel)
{
	struct edited e = PREPARE(1);
	aclmdlRITaskParams traps = {
		.type = KERNEL,
		.kernelTaskParams = { FUNC("traps"), .numBlocks = 1 },
	};

	OK(set_add(&e, 0, self->x, 4));
	OK(aclrtBinaryUnLoad(self->bin));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRITaskSetParams(e.tasks[0], &traps));
	OK(aclmdlRIUpdate(e.model));
	OK(run(e.model, self->stream));
	EXPECT_X(4);
}

TEST_F(launch, a_failure_names_an_edit)
{
	struct edited e = PREPARE(2);
	aclmdlRITaskParams traps = {
		.type = KERNEL,
		.kernelTaskParams = { FUNC("traps"), .numBlocks = 1 },
	};

	OK(aclmdlRITaskSetParams(e.tasks[1], &traps));
	OK(aclmdlRIUpdate(e.model));
	OK(aclmdlRIExecuteAsync(e.model, self->stream));
	EXPECT_ACL(ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION,
		   aclrtSynchronizeStream(self->stream));
	EXPECT_NE(NULL, strstr(recent(), "traps"));
}

TEST_F(launch, edits_and_updates_of_a_group_replace_each_other)
{
	struct edited e = { .add = FUNC("add") };
	aclmdlRITaskParams params = {
		.type = ACL_MODEL_RI_TASK_VALUE_WRITE,
		.valueWriteTaskParams = { self->x, 1 },
	};
	aclrtStream b, own;
	aclrtTaskGrp group;
	uint32_t want = 0;

	OK(aclrtCreateStream(&b));
	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclmdlRICaptureTaskGrpBegin(self->stream));
	OK(add_to(e.add, self->x, 1, self->stream));
	OK(aclmdlRICaptureTaskGrpEnd(self->stream, &group));
	OK(aclmdlRICaptureEnd(self->stream, &e.model));
	OK(look(&e, &own, 1));
	EXPECT_ACL(NOT_THIS_TASK, aclmdlRITaskSetParams(e.tasks[0], &params));
	for (uint32_t i = 10; i < 200; i += 10) {
		OK(set_add(&e, 0, self->x, i));
		OK(aclmdlRIUpdate(e.model));
		OK(run(e.model, self->stream));
		OK(aclmdlRICaptureTaskUpdateBegin(b, group));
		OK(add_to(e.add, self->x, i + 1, b));
		OK(aclmdlRICaptureTaskUpdateEnd(b));
		OK(aclrtSynchronizeStream(b));
		OK(run(e.model, self->stream));
		want += 2 * i + 1;
	}
	EXPECT_X(want);
	OK(aclmdlRITaskGetParams(e.tasks[0], &params));
	EXPECT_EQ(group, params.taskGrp);
}

TEST_F(launch, wrong_parameters_are_refused)
{
	struct edited e = PREPARE(1);
	struct add_args args = args_of(self->x, 1);
	const aclmdlRITaskParams good = {
		.type = KERNEL,
		.kernelTaskParams = {
			.funcHandle = e.add, .args = &args, .isHostArgs = 1,
			.argsSize = sizeof(args), .numBlocks = 1,
		},
	};
	aclmdlRITaskParams p;

#define REFUSED(code, change) do {					\
	p = good;							\
	change;								\
	EXPECT_ACL(code, aclmdlRITaskSetParams(e.tasks[0], &p));	\
} while (0)
	REFUSED(NOT_THIS_TASK, p.type = ACL_MODEL_RI_TASK_DEFAULT);
	REFUSED(NOT_THIS_TASK, p.type = ACL_MODEL_RI_TASK_EVENT_RECORD);
	REFUSED(NOT_THIS_TASK, p.type = (aclmdlRITaskType)7);
	REFUSED(ACL_ERROR_RT_INVALID_HANDLE,
		p.kernelTaskParams.funcHandle = NULL);
	REFUSED(ACL_ERROR_RT_INVALID_HANDLE,
		p.kernelTaskParams.funcHandle = self->stream);
	REFUSED(ACL_ERROR_RT_PARAM_INVALID, p.kernelTaskParams.numBlocks = 0);
	REFUSED(ACL_ERROR_INVALID_PARAM, p.kernelTaskParams.args = NULL);
	REFUSED(ACL_ERROR_RT_PARAM_INVALID, p.kernelTaskParams.argsSize = 4);
	REFUSED(ACL_ERROR_RT_PARAM_INVALID, p.kernelTaskParams.isHostArgs = 2);
	REFUSED(ACL_ERROR_RT_PARAM_INVALID, p.kernelTaskParams.isHostArgs = 0);
	REFUSED(ACL_ERROR_RT_PARAM_INVALID,
		p.kernelTaskParams.argsSize = (1 << 20) + 1);
	p.type = ACL_MODEL_RI_TASK_VALUE_WRITE;
	p.valueWriteTaskParams = (aclmdlRIValueWriteTaskParams){ NULL, 1 };
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRITaskSetParams(e.tasks[0], &p));
	p.valueWriteTaskParams.devAddr = (char *)self->x + 4;
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclmdlRITaskSetParams(e.tasks[0], &p));
	p.type = ACL_MODEL_RI_TASK_VALUE_WAIT;
	p.valueWaitTaskParams = (aclmdlRIValueWaitTaskParams){ self->x, 1, 9 };
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclmdlRITaskSetParams(e.tasks[0], &p));
	OK(aclmdlRIUpdate(e.model));
	OK(run(e.model, self->stream));
	EXPECT_X(1);
}

/* A part is looked at, and its model edits the task that runs it. */
TEST_F(launch, parts_are_not_edited)
{
	struct edited e = { .add = FUNC("add") }, part = { .add = e.add };
	aclmdlRICondTaskParams params = { .size = 1 };
	aclmdlRICaptureStatus status;
	aclrtStream b, own;

	OK(aclrtCreateStream(&b));
	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclmdlRICaptureGetInfo(self->stream, &status, &e.model));
	OK(aclmdlRICondHandleCreate(e.model, 1,
				    ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT,
				    &params.handle));
	params.modelRIArray = &part.model;
	OK(aclmdlRIAddCondTask(params, self->stream, 0));
	OK(aclmdlRICaptureToModelRIBegin(b, part.model, GLOBAL));
	OK(add_to(e.add, self->x, 3, b));
	OK(aclmdlRICaptureEnd(b, &part.model));
	OK(aclmdlRICaptureEnd(self->stream, &e.model));
	OK(look(&e, &own, 1));
	OK(look(&part, &own, 1));
	EXPECT_TYPE(ACL_MODEL_RI_TASK_DEFAULT, e.tasks[0]);
	EXPECT_TYPE(KERNEL, part.tasks[0]);
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   set_add(&part, 0, self->x, 1));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclmdlRITaskDisable(part.tasks[0]));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclmdlRIUpdate(part.model));
	OK(run(e.model, self->stream));
	EXPECT_X(3);
	OK(aclmdlRITaskDisable(e.tasks[0]));
	OK(aclmdlRIUpdate(e.model));
	OK(run(e.model, self->stream));
	EXPECT_X(3);
}

TEST_HARNESS_MAIN
