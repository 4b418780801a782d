// SPDX-License-Identifier: GPL-2.0-only
/* Calls for profiling: AscendCL's tasks and ranges, and memory. */
#include "library.h"

static aclError fuzz_aclprofInit(struct worker *w)
{
	const char *path = path_of("");

	return aclprofInit(path, strlen(path) - !below(w, 8));
}

static aclError fuzz_aclprofFinalize(struct worker *w)
{
	return SELDOM(w, aclprofFinalize());
}

static aclError fuzz_aclprofCreateConfig(struct worker *w)
{
	uint32_t devices[2] = { below(w, 2), below(w, 3) };
	aclprofConfig *new = aclprofCreateConfig(devices, below(w, 3),
						 ACL_AICORE_NONE, NULL,
						 below(w, 1 << 12));

	return keep_if(w, made(new), PROF_CONFIG, new);
}

static aclError fuzz_aclprofCreateStamp(struct worker *w)
{
	void *new = aclprofCreateStamp();

	return keep_if(w, made(new), STAMP, new);
}

static aclError fuzz_aclprofCreateStepInfo(struct worker *w)
{
	void *new = aclprofCreateStepInfo();

	return keep_if(w, made(new), STEP, new);
}

static aclError fuzz_aclprofRangePushEx(struct worker *w)
{
	aclprofTensorInfo info = {
		.opNameId = below(w, 4) ? aclprofStr2Id("text") : below(w, 9),
	};
	aclprofEventAttributes attr = {
		.version = ACL_PROF_EVENT_ATTR_VERSION,
		.size = sizeof(attr),
		.messageType = ACL_PROF_MESSAGE_TYPE_TENSOR_INFO,
		.message = { .tensorInfo = &info },
	};

	return aclprofRangePushEx(&attr);
}

static const char *text_of(struct worker *w)
{
	static const char *const texts[] = { "a", "text", "200", "201", "" };

	return texts[below(w, 5)];
}

#define PROF_ROWS(ROW)							\
	ROW(aclprofDestroyConfig, (handle(w, PROF_CONFIG)))		\
	ROW(aclprofStart, (handle(w, PROF_CONFIG)))			\
	ROW(aclprofStop, (handle(w, PROF_CONFIG)))			\
	ROW(aclprofSetConfig,						\
	    (below(w, 2) ? ACL_PROF_STORAGE_LIMIT : below(w, 18),	\
	     text_of(w), 3 - !below(w, 8)))				\
	ROW(aclprofSetStampTraceMessage,				\
	    (handle(w, STAMP), text_of(w), below(w, 2)))		\
	ROW(aclprofMark, (handle(w, STAMP)))				\
	ROW(aclprofMarkEx, (text_of(w), below(w, 2), handle(w, STREAM))) \
	ROW(aclprofPush, (handle(w, STAMP)))				\
	ROW(aclprofPop, ())						\
	ROW(aclprofRangeStart, (handle(w, STAMP), &w->range))		\
	ROW(aclprofRangeStop, (w->range - below(w, 2)))			\
	ROW(aclprofRangePop, ())					\
	ROW(aclprofGetStepTimestamp,					\
	    (handle(w, STEP), below(w, 3), handle(w, STREAM)))		\
	ROW(aclrtProfTrace, (out(w, 0), small(w), handle(w, STREAM)))	\
	ROW(aclprofDestroySubscribeConfig, (any(w)))			\
	ROW(aclprofModelSubscribe, (below(w, 3), any(w)))		\
	ROW(aclprofModelUnSubscribe, (below(w, 3)))			\
	ROW(aclprofGetOpDescSize, (out(w, 0)))				\
	ROW(aclprofGetOpNum, (out(w, 0), 64, out(w, 1)))		\
	ROW(aclprofGetOpTypeLen, (out(w, 0), 64, 0, out(w, 1)))		\
	ROW(aclprofGetOpType, (out(w, 0), 64, 0, out(w, 1), 64))	\
	ROW(aclprofGetOpNameLen, (out(w, 0), 64, 0, out(w, 1)))		\
	ROW(aclprofGetOpName, (out(w, 0), 64, 0, out(w, 1), 64))

PROF_ROWS(ROW_CALL)

VALUE_CALL(aclprofStr2Id, (text_of(w)))
VALUE_CALL(aclprofCreateSubscribeConfig, (1, ACL_AICORE_NONE, out(w, 0)))
VALUE_CALL(aclprofGetOpStart, (out(w, 0), 64, 0))
VALUE_CALL(aclprofGetOpEnd, (out(w, 0), 64, 0))
VALUE_CALL(aclprofGetOpDuration, (out(w, 0), 64, 0))
VALUE_CALL(aclprofGetModelId, (out(w, 0), 64, 0))
VALUE_CALL(aclprofGetOpFlag, (out(w, 0), 64, 0))
VALUE_CALL(aclprofGetOpAttriValue, (out(w, 0), 64, 0, below(w, 2)))

static aclError fuzz_aclprofDestroyStamp(struct worker *w)
{
	aclprofDestroyStamp(handle(w, STAMP));
	return ACL_SUCCESS;
}

static aclError fuzz_aclprofDestroyStepInfo(struct worker *w)
{
	aclprofDestroyStepInfo(handle(w, STEP));
	return ACL_SUCCESS;
}

static void on_block(const struct vnpu_profile_block *block, void *arg)
{
	*(uint64_t *)arg += block->size;
}

/* Resolving the names on a stack takes seconds. */
static aclError fuzz_vnpu_profile_write(struct worker *w)
{
	return RARELY(w, vnpu_profile_write(below(w, 5), below(w, 4),
					    path_of("/memory")));
}

#define PROFILE_ROWS(ROW)						\
	ROW(vnpu_profile_start, (below(w, 100)))			\
	ROW(vnpu_profile_stop, ())					\
	ROW(vnpu_profile_get_stats,					\
	    (out(w, 0), sizeof(struct vnpu_profile_stats) - below(w, 2))) \
	ROW(vnpu_profile_get_device_stats,				\
	    (small(w) / 4, out(w, 0), sizeof(struct vnpu_profile_stats))) \
	ROW(vnpu_profile_walk, (below(w, 4), on_block, out(w, 0)))	\
	ROW(vnpu_profile_walk_device,					\
	    (small(w) / 4, below(w, 4), on_block, out(w, 0)))		\
	ROW(vnpu_profile_push_tag, (text_of(w)))			\
	ROW(vnpu_profile_pop_tag, ())

PROFILE_ROWS(ROW_CALL)

const struct call prof_calls[] = {
	PROF_ROWS(ROW_ENTRY)
	PROFILE_ROWS(ROW_ENTRY)
	CALL(vnpu_profile_write),
	CALL(aclprofInit),
	CALL(aclprofFinalize),
	CALL(aclprofCreateConfig),
	CALL(aclprofCreateStamp),
	CALL(aclprofDestroyStamp),
	CALL(aclprofCreateStepInfo),
	CALL(aclprofDestroyStepInfo),
	CALL(aclprofStr2Id),
	CALL(aclprofRangePushEx),
	CALL(aclprofCreateSubscribeConfig),
	CALL(aclprofGetOpStart),
	CALL(aclprofGetOpEnd),
	CALL(aclprofGetOpDuration),
	CALL(aclprofGetModelId),
	CALL(aclprofGetOpFlag),
	CALL(aclprofGetOpAttriValue),
	{ 0 }
};
