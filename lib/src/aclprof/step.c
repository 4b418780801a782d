// SPDX-License-Identifier: MIT
/* Steps of a program.  Marks in a stream record their starts and ends. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/handle.h"
#include "prof.h"

struct aclprofStepInfo {
	uint64_t handle;
	uint32_t number;
	bool has_tag[2];
};

static uint32_t last_step;	/* protected by the lock of profiles */

aclprofStepInfo *aclprofCreateStepInfo(void)
{
	VNPU_CALL();
	struct aclprofStepInfo *step = calloc(1, sizeof(*step));
	uint64_t handle;

	handle = step ? vnpu_handle_add(VNPU_HANDLE_PROF_STEP, step) : 0;
	if (!handle) {
		free(step);
		vnpu_error(ACL_ERROR_BAD_ALLOC, "no host memory for a step");
		return NULL;
	}
	vnpu_prof_lock();
	step->handle = handle;
	step->number = ++last_step;
	vnpu_prof_unlock();
	return vnpu_u64_to_ptr(handle);
}

void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo)
{
	VNPU_CALL();
	struct aclprofStepInfo *step;

	if (!stepinfo)
		return;
	vnpu_prof_lock();
	step = vnpu_handle_find(VNPU_HANDLE_PROF_STEP, stepinfo);
	if (step)
		vnpu_handle_remove_put(step->handle);
	vnpu_prof_unlock();
	if (!step)
		vnpu_error(ACL_ERROR_INVALID_PARAM,
			   "stepinfo = %p is not a step, or was destroyed",
			   stepinfo);
	free(step);
}

aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag,
				 aclrtStream stream)
{
	VNPU_CALL();
	struct aclprofStepInfo *step;
	uint32_t number = 0;
	bool had_tag = false;
	char name[32];
	aclError ret;

	if (tag != ACL_STEP_START && tag != ACL_STEP_END)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"tag = %d is neither ACL_STEP_START nor ACL_STEP_END",
			tag);
	vnpu_prof_lock();
	step = vnpu_handle_find(VNPU_HANDLE_PROF_STEP, stepInfo);
	if (step) {
		number = step->number;
		had_tag = step->has_tag[tag];
		step->has_tag[tag] = true;
	}
	vnpu_prof_unlock();
	if (!step)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"stepInfo = %p is not from aclprofCreateStepInfo, or was destroyed",
			stepInfo);
	if (had_tag)
		return vnpu_error(ACL_ERROR_INVALID_PARAM,
			"step %u has this tag already; create a new step",
			number);
	snprintf(name, sizeof(name), "step %u %s", number,
		 tag == ACL_STEP_START ? "start" : "end");
	ret = vnpu_prof_mark_stream(name, stream,
				    VNPU_PROF_MARKS | VNPU_PROF_TASKS);
	if (ret) {
		vnpu_prof_lock();
		step = vnpu_handle_find(VNPU_HANDLE_PROF_STEP, stepInfo);
		if (step)
			step->has_tag[tag] = false;
		vnpu_prof_unlock();
	}
	return ret;
}
