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

static aclError make_model(struct world *w)
{
	aclError err = make_capture(w);

	return err ? err : call_capture_end(w);
}

CALL(execute_async, {
	return aclmdlRIExecuteAsync(w->model, w->work.b);
})

CALL(execute, {
	return aclmdlRIExecute(w->model, -1);
})

CALL(destroy_model, {
	return END(w, model, aclmdlRIDestroy(w->model));
})

CALL(print_json, {
	return aclmdlRIDebugJsonPrint(w->model, "/dev/null",
				      ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY);
})

/* A failed end leaves no capture, and a run is remembered until it is over. */
static const struct sweep model_calls[] = {
	{ "aclmdlRICaptureBegin", NULL, call_capture_begin, false, 0 },
	{ "aclmdlRICaptureGetInfo", make_capture, call_capture_info, false, 0 },
	{ "aclmdlRICaptureThreadExchangeMode", NULL, call_exchange_mode,
	  false, 0 },
	{ "aclmdlRICaptureEnd", make_capture, call_capture_end, true, 0 },
	{ "aclmdlRIExecuteAsync", make_model, call_execute_async, true, 0 },
	{ "aclmdlRIExecute", make_model, call_execute, true, 0 },
	{ "aclmdlRIDebugJsonPrint", make_model, call_print_json, false,
	  FILES_OPEN | FILES_WRITE },
	{ "aclmdlRIDestroy", make_model, call_destroy_model, false, 0 },
	{ 0 }
};

#endif
