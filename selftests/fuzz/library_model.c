// SPDX-License-Identifier: GPL-2.0-only
/* Calls for captures, and for models of captured tasks. */
#include "library.h"

/* Most captures let all threads go on. */
static aclmdlRICaptureMode mode(struct worker *w)
{
	return below(w, 8) ? ACL_MODEL_RI_CAPTURE_MODE_RELAXED : below(w, 4);
}

static aclmdlRICaptureMode *mode_at(struct worker *w)
{
	aclmdlRICaptureMode *value = out(w, 0);

	*value = mode(w);
	return value;
}

/* A callback may call the library. */
static void note_end(void *data)
{
	uint32_t number;

	aclmdlRIGetId(data, &number);
}

static aclError fuzz_aclmdlRICaptureEnd(struct worker *w)
{
	void *new = NULL;
	aclError ret = aclmdlRICaptureEnd(handle(w, STREAM), &new);

	return keep_if(w, ret, MODEL, new);
}

static aclError fuzz_aclmdlRICaptureTaskGrpEnd(struct worker *w)
{
	void *new = NULL;
	aclError ret = aclmdlRICaptureTaskGrpEnd(handle(w, STREAM), &new);

	return keep_if(w, ret, GROUP, new);
}

/* The model that a stream captures, or any other. */
static void *captured(struct worker *w)
{
	aclmdlRICaptureStatus status;
	aclmdlRI model = NULL;

	aclmdlRICaptureGetInfo(handle(w, STREAM), &status, &model);
	return below(w, 8) ? model : handle(w, MODEL);
}

static aclError fuzz_aclmdlRICondHandleCreate(struct worker *w)
{
	void *new = NULL;
	aclError ret = aclmdlRICondHandleCreate(captured(w), below(w, 3),
						below(w, 3), &new);

	return keep_if(w, ret, CONDITION, new);
}

static aclError fuzz_aclmdlRIAddCondTask(struct worker *w)
{
	aclmdlRI *parts = out(w, 0);
	const aclmdlRICondTaskParams params = {
		.handle = handle(w, CONDITION),
		/* A WHILE would run for ever. */
		.type = below(w, 2) ? ACL_MODEL_RI_COND_TYPE_SWITCH :
				      ACL_MODEL_RI_COND_TYPE_IF,
		.size = below(w, 4),
		.modelRIArray = below(w, 16) ? parts : NULL,
	};
	aclError ret = aclmdlRIAddCondTask(params, handle(w, STREAM),
					   !below(w, 16));

	return keep_if(w, ret, MODEL, parts[0]);
}

static aclError fuzz_aclmdlRIBuildBegin(struct worker *w)
{
	void *new = NULL;
	aclError ret = aclmdlRIBuildBegin(&new, !below(w, 8));

	return keep_if(w, ret, MODEL, new);
}

static aclError fuzz_aclrtCreateLabel(struct worker *w)
{
	void *new = NULL;
	aclError ret = aclrtCreateLabel(&new);

	return keep_if(w, ret, LABEL, new);
}

static aclError fuzz_aclrtCreateLabelList(struct worker *w)
{
	void *new = NULL, *labels[3];
	aclError ret;

	for (int i = 0; i < 3; i++)
		labels[i] = handle(w, LABEL);
	ret = aclrtCreateLabelList(labels, below(w, 4), &new);
	return keep_if(w, ret, LABEL_LIST, new);
}

static uint32_t head(struct worker *w)
{
	return below(w, 3) ? ACL_MODEL_STREAM_FLAG_HEAD :
			     ACL_MODEL_STREAM_FLAG_DEFAULT;
}

static aclError fuzz_aclrtTaskUpdateAsync(struct worker *w)
{
	aclrtTaskUpdateInfo info = { ACL_RT_UPDATE_RANDOM_TASK, { { 0 } } };

	return aclrtTaskUpdateAsync(handle(w, STREAM), small(w), &info,
				    handle(w, STREAM));
}

static aclError fuzz_aclmdlRIGetStreams(struct worker *w)
{
	aclrtStream *streams = out(w, 0);
	uint32_t count = below(w, 4);
	aclError ret = aclmdlRIGetStreams(handle(w, MODEL),
					  below(w, 8) ? streams : NULL, &count);

	return keep_if(w, ret, MODEL_STREAM, count ? streams[0] : NULL);
}

static aclError fuzz_aclmdlRIGetTasksByStream(struct worker *w)
{
	aclmdlRITask *tasks = out(w, 0);
	uint32_t count = below(w, 8);
	aclError ret = aclmdlRIGetTasksByStream(handle(w, MODEL_STREAM),
						below(w, 8) ? tasks : NULL,
						&count);

	return keep_if(w, ret, MODEL_TASK, count ? tasks[0] : NULL);
}

static aclError fuzz_aclmdlRITaskSetParams(struct worker *w)
{
	aclmdlRITask task = handle(w, MODEL_TASK);
	aclmdlRITaskParams params = { .type = below(w, 8) };

	if (below(w, 4))
		aclmdlRITaskGetParams(task, &params);
	/* A wait for a value may never end. */
	if (params.type == ACL_MODEL_RI_TASK_VALUE_WAIT)
		params.type = ACL_MODEL_RI_TASK_VALUE_WRITE;
	if (params.type == ACL_MODEL_RI_TASK_VALUE_WRITE)
		params.valueWriteTaskParams.devAddr = device_address(w);
	return aclmdlRITaskSetParams(task, &params);
}

#define MODEL_ROWS(ROW)							\
	ROW(aclmdlRICaptureBegin, (handle(w, STREAM), mode(w)))		\
	ROW(aclmdlRICaptureGetInfo,					\
	    (handle(w, STREAM), out(w, 0), out(w, 1)))			\
	ROW(aclmdlRICaptureThreadExchangeMode, (mode_at(w)))		\
	ROW(aclmdlRIExecuteAsync, (handle(w, MODEL), handle(w, STREAM)))	\
	ROW(aclmdlRIExecute, (handle(w, MODEL), 1 + small(w)))		\
	ROW(aclmdlRIDestroy, (handle(w, MODEL)))			\
	ROW(aclmdlRICaptureToModelRIBegin,				\
	    (handle(w, STREAM), handle(w, MODEL), mode(w)))		\
	ROW(aclmdlRICondHandleGetCondPtr, (handle(w, CONDITION), out(w, 0))) \
	ROW(aclmdlRISetName, (handle(w, MODEL), path_of("model")))	\
	ROW(aclmdlRIGetName, (handle(w, MODEL), below(w, 600), out(w, 0))) \
	ROW(aclmdlRIGetId, (handle(w, MODEL), out(w, 0)))		\
	ROW(aclmdlRIAbort, (handle(w, MODEL)))				\
	ROW(aclmdlRIDestroyRegisterCallback,				\
	    (handle(w, MODEL), note_end, any(w)))			\
	ROW(aclmdlRIDestroyUnregisterCallback, (handle(w, MODEL), note_end)) \
	ROW(aclmdlRITaskGetType, (handle(w, MODEL_TASK), out(w, 0)))	\
	ROW(aclmdlRITaskGetSeqId, (handle(w, MODEL_TASK), out(w, 0)))	\
	ROW(aclmdlRITaskGetParams, (handle(w, MODEL_TASK), out(w, 0)))	\
	ROW(aclmdlRIKernelTaskGetAttribute,				\
	    (handle(w, MODEL_TASK), below(w, 10), out(w, 0)))		\
	ROW(aclmdlRITaskDisable, (handle(w, MODEL_TASK)))		\
	ROW(aclmdlRIUpdate, (handle(w, MODEL)))				\
	ROW(aclmdlRICaptureTaskGrpBegin, (handle(w, STREAM)))		\
	ROW(aclmdlRICaptureTaskUpdateBegin,				\
	    (handle(w, STREAM), handle(w, GROUP)))			\
	ROW(aclmdlRICaptureTaskUpdateEnd, (handle(w, STREAM)))		\
	ROW(aclmdlRIBindStream,						\
	    (handle(w, MODEL), handle(w, STREAM), head(w)))		\
	ROW(aclmdlRIEndTask, (handle(w, MODEL), handle(w, STREAM)))	\
	ROW(aclmdlRIBuildEnd, (handle(w, MODEL), NULL))			\
	ROW(aclmdlRIUnbindStream, (handle(w, MODEL), handle(w, STREAM)))	\
	ROW(aclrtSetLabel, (handle(w, LABEL), handle(w, STREAM)))	\
	ROW(aclrtDestroyLabel, (handle(w, LABEL)))			\
	ROW(aclrtDestroyLabelList, (handle(w, LABEL_LIST)))		\
	ROW(aclrtSwitchLabelByIndex,					\
	    (device_address(w), below(w, 4), handle(w, LABEL_LIST),	\
	     handle(w, STREAM)))					\
	ROW(aclrtActiveStream, (handle(w, STREAM), handle(w, STREAM)))	\
	ROW(aclrtSwitchStream,						\
	    (device_address(w), below(w, 7), device_address(w),		\
	     below(w, 3), handle(w, STREAM), NULL, handle(w, STREAM)))	\
	ROW(aclmdlRIDebugJsonPrint,					\
	    (handle(w, MODEL), path_of("model"), below(w, 3)))

MODEL_ROWS(ROW_CALL)

/* It prints. */
static aclError fuzz_aclmdlRIDebugPrint(struct worker *w)
{
	return RARELY(w, aclmdlRIDebugPrint(handle(w, MODEL)));
}

const struct call model_calls[] = {
	MODEL_ROWS(ROW_ENTRY)
	/* More often, so that streams run tasks again. */
	CALL(aclmdlRICaptureEnd),
	CALL(aclmdlRICaptureEnd),
	CALL(aclmdlRICaptureTaskGrpEnd),
	CALL(aclmdlRICaptureTaskUpdateEnd),
	CALL(aclmdlRIUnbindStream),
	CALL(aclmdlRIBuildBegin),
	CALL(aclrtCreateLabel),
	CALL(aclrtCreateLabelList),
	CALL(aclrtTaskUpdateAsync),
	CALL(aclmdlRICondHandleCreate),
	CALL(aclmdlRIAddCondTask),
	CALL(aclmdlRIGetStreams),
	CALL(aclmdlRIGetTasksByStream),
	CALL(aclmdlRITaskSetParams),
	CALL(aclmdlRIDebugPrint),
	{ 0 }
};
