/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: captures, and models of captured tasks. */
#ifndef SELFTESTS_LIB_FAIL_NTH_MODEL_H
#define SELFTESTS_LIB_FAIL_NTH_MODEL_H

#include "fail_nth_calls.h"

CALL(capture_begin, {
	aclError err = aclmdlRICaptureBegin(w->work.a,
					    ACL_MODEL_RI_CAPTURE_MODE_RELAXED);

	w->is_captured = !err;
	return err;
})

static aclError make_capture(struct world *w)
{
	aclError err = call_capture_begin(w);

	return err ? err : aclrtMemsetAsync(w->work.dev, 8, 0, 8, w->work.a);
}

CALL(capture_end, {
	w->is_captured = false;
	return aclmdlRICaptureEnd(w->work.a, &w->model);
})

CALL(capture_info, {
	aclmdlRICaptureStatus status;
	aclmdlRI model;

	return aclmdlRICaptureGetInfo(w->work.a, &status, &model);
})

CALL(exchange_mode, {
	aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

	(void)w;
	return aclmdlRICaptureThreadExchangeMode(&mode);
})

CALL(begin_group, {
	return aclmdlRICaptureTaskGrpBegin(w->work.a);
})

static aclError make_group(struct world *w)
{
	aclError err = make_capture(w);

	return err ? err : call_begin_group(w);
}

CALL(end_group, {
	return aclmdlRICaptureTaskGrpEnd(w->work.a, &w->group);
})

static aclError make_model(struct world *w)
{
	aclError err = make_capture(w);

	return err ? err : call_capture_end(w);
}

CALL(get_streams, {
	uint32_t count = 1;

	return aclmdlRIGetStreams(w->model, &w->model_stream, &count);
})

static aclError make_streams(struct world *w)
{
	aclError err = make_model(w);

	return err ? err : call_get_streams(w);
}

CALL(get_tasks, {
	uint32_t count = 1;

	return aclmdlRIGetTasksByStream(w->model_stream, &w->model_task,
					&count);
})

static aclError make_tasks(struct world *w)
{
	aclError err = make_streams(w);

	return err ? err : call_get_tasks(w);
}

CALL(get_type, {
	return aclmdlRITaskGetType(w->model_task,
				   (aclmdlRITaskType *)w->small);
})

CALL(get_number, {
	return aclmdlRITaskGetSeqId(w->model_task, (uint32_t *)w->small);
})

CALL(get_params, {
	aclmdlRITaskParams params;

	return aclmdlRITaskGetParams(w->model_task, &params);
})

CALL(set_params, {
	aclmdlRITaskParams params = {
		.type = ACL_MODEL_RI_TASK_VALUE_WRITE,
		.valueWriteTaskParams = { w->work.dev, 1 },
	};

	return aclmdlRITaskSetParams(w->model_task, &params);
})

static aclError make_edit(struct world *w)
{
	aclError err = make_tasks(w);

	return err ? err : call_set_params(w);
}

CALL(disable_task, {
	return aclmdlRITaskDisable(w->model_task);
})

CALL(update_model, {
	return aclmdlRIUpdate(w->model);
})

CALL(execute_async, {
	return aclmdlRIExecuteAsync(w->model, w->work.b);
})

CALL(execute, {
	return aclmdlRIExecute(w->model, -1);
})

CALL(destroy_model, {
	return END(w, model, aclmdlRIDestroy(w->model));
})

CALL(create_condition, {
	aclmdlRICaptureStatus status;
	aclmdlRI model;
	aclError err = aclmdlRICaptureGetInfo(w->work.a, &status, &model);

	return err ? err : aclmdlRICondHandleCreate(model, 1,
			ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT,
			&w->condition);
})

static aclError make_condition(struct world *w)
{
	aclError err = make_capture(w);

	return err ? err : call_create_condition(w);
}

CALL(condition_ptr, {
	return aclmdlRICondHandleGetCondPtr(w->condition,
					    (uint64_t **)w->small);
})

CALL(add_condition, {
	const aclmdlRICondTaskParams params = {
		.handle = w->condition,
		.type = ACL_MODEL_RI_COND_TYPE_IF,
		.size = 2,
		.modelRIArray = w->parts,
	};

	return aclmdlRIAddCondTask(params, w->work.a, 0);
})

static aclError make_parts(struct world *w)
{
	aclError err = make_condition(w);

	return err ? err : call_add_condition(w);
}

CALL(begin_part, {
	return aclmdlRICaptureToModelRIBegin(w->work.b, w->parts[0],
			ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
})

CALL(set_name, {
	return aclmdlRISetName(w->model, "name");
})

CALL(get_name, {
	return aclmdlRIGetName(w->model, sizeof(w->small), (char *)w->small);
})

CALL(get_id, {
	return aclmdlRIGetId(w->model, (uint32_t *)w->small);
})

static void ignore_end(void *data)
{
	(void)data;
}

CALL(register_end, {
	return aclmdlRIDestroyRegisterCallback(w->model, ignore_end, NULL);
})

static aclError make_end(struct world *w)
{
	aclError err = make_model(w);

	return err ? err : call_register_end(w);
}

CALL(unregister_end, {
	return aclmdlRIDestroyUnregisterCallback(w->model, ignore_end);
})

CALL(print_json, {
	return aclmdlRIDebugJsonPrint(w->model, "/dev/null",
				      ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY);
})

CALL(build_begin, {
	return aclmdlRIBuildBegin(&w->model, 0);
})

CALL(make_persistent, {
	return aclrtCreateStreamWithConfig(&w->persistent, 0,
					   ACL_STREAM_PERSISTENT);
})

static aclError make_building(struct world *w)
{
	aclError err = call_build_begin(w);

	return err ? err : call_make_persistent(w);
}

CALL(bind, {
	return aclmdlRIBindStream(w->model, w->persistent,
				  ACL_MODEL_STREAM_FLAG_HEAD);
})

static aclError make_bound(struct world *w)
{
	aclError err = make_building(w);

	return err ? err : call_bind(w);
}

CALL(unbind, {
	return aclmdlRIUnbindStream(w->model, w->persistent);
})

CALL(end_task, {
	return aclmdlRIEndTask(w->model, w->persistent);
})

CALL(create_label, {
	return aclrtCreateLabel(&w->label);
})

CALL(create_label_list, {
	return aclrtCreateLabelList(&w->label, 1, &w->label_list);
})

CALL(set_label, {
	return aclrtSetLabel(w->label, w->persistent);
})

CALL(destroy_label, {
	return END(w, label, aclrtDestroyLabel(w->label));
})

CALL(destroy_label_list, {
	return END(w, label_list, aclrtDestroyLabelList(w->label_list));
})

CALL(switch_label, {
	return aclrtSwitchLabelByIndex(w->work.dev, 1, w->label_list,
				       w->persistent);
})

CALL(activate, {
	return aclrtActiveStream(w->persistent, w->persistent);
})

CALL(switch_stream, {
	return aclrtSwitchStream(w->work.dev, ACL_RT_LESS, w->work.dev,
				 ACL_RT_SWITCH_INT32, w->persistent, NULL,
				 w->persistent);
})

static aclError make_labels(struct world *w)
{
	aclError err = make_bound(w);

	if (!err)
		err = call_create_label(w);
	return err ? err : call_create_label_list(w);
}

static aclError make_branches(struct world *w)
{
	aclError err = make_labels(w);

	if (!err)
		err = call_set_label(w);
	if (!err)
		err = call_switch_stream(w);
	return err ? err : call_switch_label(w);
}

CALL(build_end, {
	return aclmdlRIBuildEnd(w->model, NULL);
})

static aclError make_built(struct world *w)
{
	aclError err = make_bound(w);

	if (!err)
		err = aclrtMemsetAsync(w->work.dev, 8, 0, 8, w->persistent);
	return err ? err : call_build_end(w);
}

static aclError make_run(struct world *w)
{
	aclError err = make_built(w);

	return err ? err : aclmdlRIExecuteAsync(w->model, w->work.b);
}

CALL(abort_model, {
	return aclmdlRIAbort(w->model);
})

static aclError make_random(struct world *w)
{
	aclrtRandomNumTaskInfo info = random_info(w);
	aclError err = make_bound(w);

	if (!err)
		err = aclrtMemcpy(w->work.dev, sizeof(info), &info,
				  sizeof(info), ACL_MEMCPY_HOST_TO_DEVICE);
	if (!err)
		err = aclrtRandomNumAsync(&info, w->persistent, NULL);
	return err ? err : call_build_end(w);
}

CALL(update_task, {
	aclrtTaskUpdateInfo info = {
		.id = ACL_RT_UPDATE_RANDOM_TASK,
		.val.randomTaskAttr = {
			.srcAddr = w->work.dev,
			.size = sizeof(aclrtRandomNumTaskInfo),
		},
	};

	return aclrtTaskUpdateAsync(w->persistent, 0, &info, w->work.b);
})

/* A failed end leaves no capture, and a run is remembered until it is over. */
static const struct sweep model_calls[] = {
	{ "aclmdlRICaptureBegin", NULL, call_capture_begin, false, 0 },
	{ "aclmdlRICaptureGetInfo", make_capture, call_capture_info, false, 0 },
	{ "aclmdlRICaptureThreadExchangeMode", NULL, call_exchange_mode,
	  false, 0 },
	{ "aclmdlRICaptureEnd", make_capture, call_capture_end, true, 0 },
	{ "aclmdlRICaptureTaskGrpBegin", make_capture, call_begin_group, true,
	  0 },
	{ "aclmdlRICaptureTaskGrpEnd", make_group, call_end_group, true, 0 },
	{ "aclmdlRIGetStreams", make_model, call_get_streams, false, 0 },
	{ "aclmdlRIGetTasksByStream", make_streams, call_get_tasks, false, 0 },
	{ "aclmdlRITaskGetType", make_tasks, call_get_type, false, 0 },
	{ "aclmdlRITaskGetSeqId", make_tasks, call_get_number, false, 0 },
	{ "aclmdlRITaskGetParams", make_tasks, call_get_params, false, 0 },
	{ "aclmdlRITaskSetParams", make_tasks, call_set_params, false, 0 },
	{ "aclmdlRITaskDisable", make_tasks, call_disable_task, false, 0 },
	{ "aclmdlRIUpdate", make_edit, call_update_model, false, 0 },
	{ "aclmdlRIExecuteAsync", make_model, call_execute_async, true, 0 },
	{ "aclmdlRIExecute", make_model, call_execute, true, 0 },
	{ "aclmdlRIDebugJsonPrint", make_model, call_print_json, false,
	  FILES_OPEN | FILES_WRITE },
	{ "aclmdlRICondHandleCreate", make_capture, call_create_condition,
	  true, 0 },
	{ "aclmdlRICondHandleGetCondPtr", make_condition, call_condition_ptr,
	  false, 0 },
	{ "aclmdlRIAddCondTask", make_condition, call_add_condition, true, 0 },
	{ "aclmdlRICaptureToModelRIBegin", make_parts, call_begin_part, true,
	  0 },
	{ "aclmdlRISetName", make_model, call_set_name, false, 0 },
	{ "aclmdlRIGetName", make_model, call_get_name, false, 0 },
	{ "aclmdlRIGetId", make_model, call_get_id, false, 0 },
	{ "aclmdlRIDestroyRegisterCallback", make_model, call_register_end,
	  false, 0 },
	{ "aclmdlRIDestroyUnregisterCallback", make_end, call_unregister_end,
	  false, 0 },
	{ "aclmdlRIDestroy", make_model, call_destroy_model, false, 0 },
	{ "aclmdlRIBuildBegin", NULL, call_build_begin, false, 0 },
	{ "aclmdlRIBindStream", make_building, call_bind, true, 0 },
	{ "aclmdlRIUnbindStream", make_bound, call_unbind, false, 0 },
	{ "aclmdlRIEndTask", make_bound, call_end_task, true, 0 },
	{ "aclmdlRIBuildEnd", make_branches, call_build_end, false, 0 },
	{ "aclmdlRIAbort", make_run, call_abort_model, false, 0 },
	{ "aclrtTaskUpdateAsync", make_random, call_update_task, true, 0 },
	{ "aclrtCreateLabel", NULL, call_create_label, false, 0 },
	{ "aclrtDestroyLabel", make_labels, call_destroy_label, false, 0 },
	{ "aclrtCreateLabelList", call_create_label, call_create_label_list,
	  false, 0 },
	{ "aclrtDestroyLabelList", make_labels, call_destroy_label_list, false,
	  0 },
	{ "aclrtSetLabel", make_labels, call_set_label, true, 0 },
	{ "aclrtSwitchLabelByIndex", make_labels, call_switch_label, true, 0 },
	{ "aclrtActiveStream", make_bound, call_activate, true, 0 },
	{ "aclrtSwitchStream", make_bound, call_switch_stream, true, 0 },
	{ 0 }
};

#endif
