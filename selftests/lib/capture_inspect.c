// SPDX-License-Identifier: GPL-2.0-only
/* Streams and tasks of captured models, and their parameters. */
#include "capture_edit.h"

TEST_F(launch, streams_and_tasks_are_listed)
{
	aclrtStream b, streams[3];
	aclrtEvent fork, join;
	struct edited e = { .add = FUNC("add") };
	uint32_t count = 0, id;
	int32_t number, own;

	OK(aclrtCreateStream(&b));
	OK(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC));
	OK(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclrtRecordEvent(fork, self->stream));
	OK(aclrtStreamWaitEvent(b, fork));
	OK(add_to(e.add, self->x, 1, self->stream));
	OK(aclrtRecordEvent(join, b));
	OK(aclrtStreamWaitEvent(self->stream, join));
	OK(aclmdlRICaptureEnd(self->stream, &e.model));

	OK(aclmdlRIGetStreams(e.model, NULL, &count));
	EXPECT_EQ(2, count);
	OK(look(&e, streams, 3));
	EXPECT_EQ(3, e.count);
	OK(aclrtStreamGetId(self->stream, &own));
	OK(aclrtStreamGetId(streams[0], &number));
	EXPECT_EQ(own, number);
	OK(aclrtStreamGetId(b, &own));
	OK(aclrtStreamGetId(streams[1], &number));
	EXPECT_EQ(own, number);
	for (uint32_t i = 0; i < e.count; i++) {
		OK(aclmdlRITaskGetSeqId(e.tasks[i], &id));
		EXPECT_EQ(i, id);
	}
	EXPECT_TYPE(ACL_MODEL_RI_TASK_EVENT_RECORD, e.tasks[0]);
	EXPECT_TYPE(KERNEL, e.tasks[1]);
	EXPECT_TYPE(ACL_MODEL_RI_TASK_EVENT_WAIT, e.tasks[2]);
	OK(aclmdlRIGetTasksByStream(streams[1], NULL, &count));
	EXPECT_EQ(2, count);
	/* The handles stay the same. */
	OK(aclmdlRIGetStreams(e.model, streams + 1, &count));
	EXPECT_EQ(e.stream, streams[1]);
}

TEST_F(launch, parameters_of_a_launch)
{
	struct edited e = PREPARE(2);
	aclmdlRITaskParams params;
	struct add_args args;

	memset(&params, 0xff, sizeof(params));
	OK(aclmdlRITaskGetParams(e.tasks[1], &params));
	EXPECT_EQ(KERNEL, params.type);
	EXPECT_EQ(NULL, params.taskGrp);
	EXPECT_EQ(NULL, params.opInfoPtr);
	EXPECT_EQ(e.add, params.kernelTaskParams.funcHandle);
	EXPECT_EQ(NULL, params.kernelTaskParams.cfg);
	EXPECT_EQ(0, params.kernelTaskParams.isHostArgs);
	EXPECT_EQ(1, params.kernelTaskParams.numBlocks);
	ASSERT_LE(sizeof(args), params.kernelTaskParams.argsSize);
	OK(aclrtMemcpy(&args, sizeof(args), params.kernelTaskParams.args,
		       sizeof(args), ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(self->x, args.x);
	EXPECT_EQ(2, args.add);
}

TEST_F(launch, parameters_of_events_and_values)
{
	struct edited e = { .add = FUNC("add") };
	aclrtEvent inner, outer, external;
	aclmdlRITaskParams p;
	aclrtStream own;

	OK(aclrtCreateEventExWithFlag(&inner, ACL_EVENT_SYNC));
	OK(aclrtCreateEventExWithFlag(&outer, ACL_EVENT_SYNC));
	OK(aclrtCreateEventWithFlag(&external, ACL_EVENT_EXTERNAL));
	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclrtRecordEvent(inner, self->stream));
	OK(aclrtRecordEventWithFlag(outer, self->stream,
				    ACL_EVENT_RECORD_EXTERNAL));
	OK(aclrtStreamWaitEvent(self->stream, external));
	OK(aclrtResetEvent(external, self->stream));
	OK(aclrtValueWrite(self->x, 7, 0, self->stream));
	OK(aclrtValueWait(self->x, 7, ACL_STREAM_WAIT_VALUE_EQ, self->stream));
	OK(aclrtMemsetAsync(self->x, 8, 1, 8, self->stream));
	OK(aclmdlRICaptureEnd(self->stream, &e.model));
	OK(look(&e, &own, 1));

	OK(aclmdlRITaskGetParams(e.tasks[0], &p));
	EXPECT_EQ(ACL_MODEL_RI_TASK_EVENT_RECORD, p.type);
	EXPECT_EQ(inner, p.eventRecordTaskParams.event);
	EXPECT_EQ(ACL_EVENT_SYNC, p.eventRecordTaskParams.eventFlag);
	EXPECT_EQ(ACL_EVENT_RECORD_DEFAULT, p.eventRecordTaskParams.recordFlag);
	OK(aclmdlRITaskGetParams(e.tasks[1], &p));
	EXPECT_EQ(outer, p.eventRecordTaskParams.event);
	EXPECT_EQ(ACL_EVENT_RECORD_EXTERNAL,
		  p.eventRecordTaskParams.recordFlag);
	OK(aclmdlRITaskGetParams(e.tasks[2], &p));
	EXPECT_EQ(ACL_MODEL_RI_TASK_EVENT_WAIT, p.type);
	EXPECT_EQ(external, p.eventWaitTaskParams.event);
	EXPECT_EQ(ACL_EVENT_EXTERNAL, p.eventWaitTaskParams.eventFlag);
	OK(aclmdlRITaskGetParams(e.tasks[3], &p));
	EXPECT_EQ(ACL_MODEL_RI_TASK_EVENT_RESET, p.type);
	EXPECT_EQ(external, p.eventResetTaskParams.event);
	OK(aclmdlRITaskGetParams(e.tasks[4], &p));
	EXPECT_EQ(ACL_MODEL_RI_TASK_VALUE_WRITE, p.type);
	EXPECT_EQ(self->x, p.valueWriteTaskParams.devAddr);
	EXPECT_EQ(7, p.valueWriteTaskParams.value);
	OK(aclmdlRITaskGetParams(e.tasks[5], &p));
	EXPECT_EQ(ACL_MODEL_RI_TASK_VALUE_WAIT, p.type);
	EXPECT_EQ(self->x, p.valueWaitTaskParams.devAddr);
	EXPECT_EQ(ACL_STREAM_WAIT_VALUE_EQ, p.valueWaitTaskParams.flag);
	EXPECT_TYPE(ACL_MODEL_RI_TASK_DEFAULT, e.tasks[6]);
}

TEST_F(launch, attributes_of_a_launch)
{
	struct edited e = { .add = FUNC("add") };
	struct add_args args = args_of(self->x, 1);
	aclrtLaunchKernelAttr attrs[] = {
		{ ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE,
		  { .dynUBufSize = 4096 } },
		{ ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, { .timeout = 30 } },
	};
	aclrtLaunchKernelCfg cfg = { attrs, 2 };
	aclrtLaunchKernelAttrValue value;
	aclrtStream own;

	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclrtLaunchKernelWithHostArgs(e.add, 1, self->stream, &cfg, &args,
					 sizeof(args), NULL, 0));
	OK(aclrtMemsetAsync(self->x, 8, 1, 8, self->stream));
	OK(aclmdlRICaptureEnd(self->stream, &e.model));
	OK(look(&e, &own, 1));
	/* An edit keeps them. */
	for (int i = 0; i < 2; i++) {
		OK(aclmdlRIKernelTaskGetAttribute(e.tasks[0], attrs[0].id,
						  &value));
		EXPECT_EQ(4096, value.dynUBufSize);
		OK(aclmdlRIKernelTaskGetAttribute(e.tasks[0], attrs[1].id,
						  &value));
		EXPECT_EQ(30, value.timeout);
		OK(aclmdlRIKernelTaskGetAttribute(e.tasks[0],
				ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US, &value));
		EXPECT_EQ(30000000, value.timeoutUs.timeoutLow);
		EXPECT_EQ(0, value.timeoutUs.timeoutHigh);
		OK(set_add(&e, 0, self->x, 5));
	}
	OK(aclmdlRIKernelTaskGetAttribute(e.tasks[0],
				ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE, &value));
	EXPECT_EQ(0, value.schemMode);
	EXPECT_ACL(ACL_ERROR_RT_PARAM_INVALID,
		   aclmdlRIKernelTaskGetAttribute(e.tasks[0],
				ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET,
				&value));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRIKernelTaskGetAttribute(e.tasks[0], attrs[0].id,
						  NULL));
	EXPECT_ACL(NOT_THIS_TASK,
		   aclmdlRIKernelTaskGetAttribute(e.tasks[1], attrs[0].id,
						  &value));
}

TEST_F(launch, wrong_handles_are_refused)
{
	struct edited e = PREPARE(2);
	aclmdlRITaskParams params = { .type = KERNEL };
	aclmdlRITask next = (char *)e.tasks[1] + (1 << 22), task;
	aclrtStream streams[1];
	aclmdlRITaskType type;
	uint32_t count = 0;

	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRIGetStreams(e.model, streams, NULL));
	EXPECT_ACL(TOO_SHORT, aclmdlRIGetStreams(e.model, streams, &count));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRIGetTasksByStream(e.stream, &task, NULL));
	count = 1;
	EXPECT_ACL(TOO_SHORT,
		   aclmdlRIGetTasksByStream(e.stream, &task, &count));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_MODEL,
		   aclmdlRIGetTasksByStream(self->stream, NULL, &count));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_MODEL,
		   aclmdlRIGetTasksByStream(NULL, NULL, &count));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRIGetTasksByStream(e.model, NULL, &count));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclrtSynchronizeStream(e.stream));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclmdlRITaskGetType(NULL, &type));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRITaskGetType(e.tasks[0], NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRITaskGetSeqId(e.tasks[0], NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRITaskGetParams(e.tasks[0], NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclmdlRITaskSetParams(e.tasks[0], NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclmdlRITaskDisable(NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclmdlRIUpdate(NULL));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRITaskDisable(next));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRITaskDisable(e.stream));
	OK(aclmdlRIDestroy(e.model));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRIGetStreams(e.model, streams, &count));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRIGetTasksByStream(e.stream, NULL, &count));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRITaskGetType(e.tasks[0], &type));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRITaskSetParams(e.tasks[0], &params));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE, aclmdlRIUpdate(e.model));
	/* The next model may use the slot of the stream again. */
	OK(capture_adds(&e, self->x, 1, self->stream));
	EXPECT_ACL(ACL_ERROR_RT_INVALID_HANDLE,
		   aclmdlRITaskGetType((char *)next - (1 << 22), &type));
}

TEST_F(launch, a_captured_model_is_not_edited)
{
	aclmdlRICaptureStatus status;
	aclmdlRI model;
	uint32_t count;

	OK(aclmdlRICaptureBegin(self->stream, GLOBAL));
	OK(aclmdlRICaptureGetInfo(self->stream, &status, &model));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED,
		   aclmdlRIGetStreams(model, NULL, &count));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIUpdate(model));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_UNJOINED,
		   aclmdlRICaptureEnd(self->stream, &model));
}

TEST_HARNESS_MAIN
