/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls that are made to fail: AscendCL's profiling, and profiles of memory. */
#ifndef SELFTESTS_LIB_FAIL_NTH_PROFILE_H
#define SELFTESTS_LIB_FAIL_NTH_PROFILE_H

#include "fail_nth_calls.h"

#define TYPES	(ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX)

CALL(prof_init, {
	aclError err = aclprofInit(path_of(""), strlen(path_of("")));

	w->is_recorded = !err;
	return err;
})

CALL(prof_create_config, {
	uint32_t device = 0;

	w->prof = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL,
				      TYPES);
	return made(w->prof);
})

CALL(prof_destroy_config, {
	return END(w, prof, aclprofDestroyConfig(w->prof));
})

static aclError make_session(struct world *w)
{
	aclError err = call_prof_init(w);

	return err ? err : call_prof_create_config(w);
}

static aclError make_started(struct world *w)
{
	aclError err = make_session(w);

	return err ? err : aclprofStart(w->prof);
}

CALL(create_stamp, {
	w->stamp = aclprofCreateStamp();
	return made(w->stamp);
})

CALL(destroy_stamp, {
	aclprofDestroyStamp(w->stamp);
	w->stamp = NULL;
	return ACL_SUCCESS;
})

static aclError make_stamp(struct world *w)
{
	aclError err = make_started(w);

	return err ? err : call_create_stamp(w);
}

static aclError make_pushed(struct world *w)
{
	aclError err = make_stamp(w);

	return err ? err : aclprofPush(w->stamp);
}

static aclError make_range(struct world *w)
{
	aclError err = make_stamp(w);

	return err ? err : aclprofRangeStart(w->stamp, &w->range);
}

CALL(range_stop, {
	aclError err = aclprofRangeStop(w->range);

	w->range = err ? w->range : 0;
	return err;
})

CALL(create_step, {
	w->step = aclprofCreateStepInfo();
	return made(w->step);
})

CALL(destroy_step, {
	aclprofDestroyStepInfo(w->step);
	w->step = NULL;
	return ACL_SUCCESS;
})

static aclError make_step(struct world *w)
{
	aclError err = make_started(w);

	return err ? err : call_create_step(w);
}

/* With an entry of each kind in the file. */
static aclError make_record(struct world *w)
{
	aclError err = make_range(w);

	if (!err)
		err = aclprofMarkEx("mark", 4, w->work.a);
	if (!err)
		err = aclrtMemsetAsync(w->work.dev, 8, 0, 8, w->work.a);
	return err ? err : aclrtSynchronizeStream(w->work.a);
}

CALL(prof_finalize, {
	aclError err = aclprofFinalize();

	w->is_recorded = false;
	return err;
})

/* A known text: a new one allocates memory the first time only. */
CALL(to_id, {
	return aclprofStr2Id("text") == UINT64_MAX ? ACL_ERROR_BAD_ALLOC : 0;
})

CALL(push_operator, {
	aclprofTensorInfo info = { .opNameId = aclprofStr2Id("text") };
	aclprofEventAttributes attr = {
		.version = ACL_PROF_EVENT_ATTR_VERSION,
		.size = sizeof(attr),
		.messageType = ACL_PROF_MESSAGE_TYPE_TENSOR_INFO,
		.message = { .tensorInfo = &info },
	};

	return aclprofRangePushEx(&attr);
})

#define PROF_ROWS(ROW)							\
	ROW(aclprofSetConfig, make_session,				\
	    (ACL_PROF_STORAGE_LIMIT, "200", 3))				\
	ROW(aclprofStart, make_session, (w->prof))			\
	ROW(aclprofStop, make_started, (w->prof))			\
	ROW(aclprofSetStampTraceMessage, make_stamp, (w->stamp, "name", 4)) \
	ROW(aclprofMark, make_stamp, (w->stamp))			\
	ROW(aclprofMarkEx, make_started, ("mark", 4, w->work.a))	\
	ROW(aclrtProfTrace, make_started, (w->small, 4, w->work.a))	\
	ROW(aclprofPush, make_stamp, (w->stamp))			\
	ROW(aclprofPop, make_pushed, ())				\
	ROW(aclprofRangePop, make_pushed, ())				\
	ROW(aclprofRangeStart, make_stamp, (w->stamp, &w->range))	\
	ROW(aclprofGetStepTimestamp, make_step,				\
	    (w->step, ACL_STEP_START, w->work.a))

PROF_ROWS(ROW_CALL)

static const struct sweep prof_calls[] = {
	PROF_ROWS(ROW_ENTRY)
	{ "aclprofInit", NULL, call_prof_init, false, FILES_OPEN },
	{ "aclprofFinalize", make_record, call_prof_finalize, true,
	  FILES_WRITE },
	{ "aclprofCreateConfig", NULL, call_prof_create_config, false, 0 },
	{ "aclprofDestroyConfig", call_prof_create_config,
	  call_prof_destroy_config, false, 0 },
	{ "aclprofCreateStamp", NULL, call_create_stamp, false, 0 },
	{ "aclprofDestroyStamp", call_create_stamp, call_destroy_stamp, false,
	  0 },
	{ "aclprofRangeStop", make_range, call_range_stop, false, 0 },
	{ "aclprofCreateStepInfo", NULL, call_create_step, false, 0 },
	{ "aclprofDestroyStepInfo", call_create_step, call_destroy_step,
	  false, 0 },
	{ "aclprofStr2Id", NULL, call_to_id, false, 0 },
	{ "aclprofRangePushEx", make_stamp, call_push_operator, false, 0 },
	{ 0 }
};

CALL(profile_start, {
	aclError err = vnpu_profile_start(10);

	w->is_profiled = !err;
	return err;
})

CALL(profile_stop, {
	aclError err = vnpu_profile_stop();

	w->is_profiled = err;
	return err;
})

static aclError make_profile(struct world *w)
{
	aclError err = call_profile_start(w);

	return err ? err : aclrtMalloc(&w->dev, AREA,
				       ACL_MEM_MALLOC_NORMAL_ONLY);
}

CALL(profile_malloc, {
	return aclrtMalloc(&w->dev, AREA, ACL_MEM_MALLOC_NORMAL_ONLY);
})

CALL(profile_free, {
	return END(w, dev, aclrtFree(w->dev));
})

static aclError make_directory(struct world *w)
{
	aclError err = make_profile(w);

	remove_files();
	if (!err && mkdir(path_of(""), 0700))
		err = ACL_ERROR_INVALID_FILE;
	return err;
}

static aclError write_as(vnpu_profile_format format)
{
	return vnpu_profile_write(format, VNPU_PROFILE_ALL, path_of("/out"));
}

CALL(write_report, {
	return write_as(VNPU_PROFILE_REPORT);
})

CALL(write_histogram, {
	return write_as(VNPU_PROFILE_HISTOGRAM);
})

CALL(write_folded, {
	return write_as(VNPU_PROFILE_FOLDED);
})

CALL(write_timeline, {
	return write_as(VNPU_PROFILE_TIMELINE);
})

CALL(push_tag, {
	aclError err = vnpu_profile_push_tag("tag");

	w->is_tagged = !err;
	return err;
})

CALL(pop_tag, {
	aclError err = vnpu_profile_pop_tag();

	w->is_tagged = err;
	return err;
})

static void on_block(const struct vnpu_profile_block *block, void *arg)
{
	(void)block;
	(void)arg;
}

#define PROFILE_ROWS(ROW)						\
	ROW(vnpu_profile_get_stats, make_profile,			\
	    (result(0), sizeof(struct vnpu_profile_stats)))		\
	ROW(vnpu_profile_get_device_stats, make_profile,		\
	    (0, result(0), sizeof(struct vnpu_profile_stats)))		\
	ROW(vnpu_profile_walk, make_profile,				\
	    (VNPU_PROFILE_ALL, on_block, NULL))				\
	ROW(vnpu_profile_walk_device, make_profile,			\
	    (0, VNPU_PROFILE_LIVE, on_block, NULL))

PROFILE_ROWS(ROW_CALL)

#define WRITES_NAMES	(FILES_OPEN | FILES_WRITE | OPENS_OBJECTS)

static const struct sweep profile_calls[] = {
	PROFILE_ROWS(ROW_ENTRY)
	{ "vnpu_profile_start", NULL, call_profile_start, false, 0 },
	{ "vnpu_profile_stop", call_profile_start, call_profile_stop, false,
	  0 },
	{ "aclrtMalloc, recorded", call_profile_start, call_profile_malloc,
	  false, 0 },
	{ "aclrtFree, recorded", make_profile, call_profile_free, true, 0 },
	{ "vnpu_profile_write, a report", make_directory, call_write_report,
	  false, WRITES_NAMES },
	{ "vnpu_profile_write, a histogram", make_directory,
	  call_write_histogram, false, FILES_OPEN | FILES_WRITE },
	{ "vnpu_profile_write, stacks", make_directory, call_write_folded,
	  false, WRITES_NAMES },
	{ "vnpu_profile_write, a timeline", make_directory,
	  call_write_timeline, false, FILES_OPEN | FILES_WRITE },
	{ "vnpu_profile_push_tag", NULL, call_push_tag, false, 0 },
	{ "vnpu_profile_pop_tag", call_push_tag, call_pop_tag, false, 0 },
	{ 0 }
};

#endif
