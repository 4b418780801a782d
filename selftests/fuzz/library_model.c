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

static aclError fuzz_aclmdlRICaptureEnd(struct worker *w)
{
	void *new = NULL;
	aclError ret = aclmdlRICaptureEnd(handle(w, STREAM), &new);

	return keep_if(w, ret, MODEL, new);
}

#define MODEL_ROWS(ROW)							\
	ROW(aclmdlRICaptureBegin, (handle(w, STREAM), mode(w)))		\
	ROW(aclmdlRICaptureGetInfo,					\
	    (handle(w, STREAM), out(w, 0), out(w, 1)))			\
	ROW(aclmdlRICaptureThreadExchangeMode, (mode_at(w)))		\
	ROW(aclmdlRIExecuteAsync, (handle(w, MODEL), handle(w, STREAM)))	\
	ROW(aclmdlRIExecute, (handle(w, MODEL), 1 + small(w)))		\
	ROW(aclmdlRIDestroy, (handle(w, MODEL)))			\
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
	CALL(aclmdlRIDebugPrint),
	{ 0 }
};
