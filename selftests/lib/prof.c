// SPDX-License-Identifier: GPL-2.0-only
/* AscendCL's profiling: the valid order of calls. */
#include "prof.h"

#include <fcntl.h>

#define NOT_RUN		ACL_ERROR_PROF_NOT_RUN
#define WRONG		ACL_ERROR_INVALID_PARAM
#define NONE		ACL_ERROR_RT_FEATURE_NOT_SUPPORT

TEST_F(prof, order_of_calls)
{
	aclprofConfig *config = aclprofCreateConfig(&self->device, 1,
		ACL_AICORE_NONE, NULL, TASKS);
	aclprofConfig *marks = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE,
						   NULL, MARKS);

	ASSERT_NE(NULL, config);
	ASSERT_NE(NULL, marks);
	EXPECT_ACL(NOT_RUN, aclprofStart(config));
	EXPECT_ACL(NOT_RUN, aclprofStop(config));
	EXPECT_ACL(NOT_RUN, aclprofFinalize());
	EXPECT_ACL(NOT_RUN, aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "200", 3));
	INIT();
	EXPECT_ACL(ACL_ERROR_REPEAT_INITIALIZE,
		   aclprofInit(self->dir, strlen(self->dir)));
	EXPECT_ACL(WRONG, aclprofStart(NULL));
	EXPECT_ACL(WRONG, aclprofStart((aclprofConfig *)&self->device));
	EXPECT_ACL(WRONG, aclprofStop(NULL));
	EXPECT_ACL(NOT_RUN, aclprofStop(config));
	OK(aclprofStart(config));
	EXPECT_ACL(ACL_ERROR_PROF_ALREADY_RUN, aclprofStart(config));
	OK(aclprofStart(marks));
	EXPECT_ACL(ACL_ERROR_PROF_ALREADY_RUN, aclprofStart(marks));
	OK(aclprofStop(config));
	EXPECT_ACL(NOT_RUN, aclprofStop(config));
	OK(aclprofStart(config));
	/*
	 * A running session needs its configuration no more; it ends with the
	 * file.
	 */
	OK(aclprofDestroyConfig(config));
	EXPECT_ACL(WRONG, aclprofDestroyConfig(config));
	EXPECT_ACL(WRONG, aclprofStart(config));
	EXPECT_ACL(WRONG, aclprofStop(config));
	EXPECT_ACL(WRONG, aclprofDestroyConfig(NULL));
	OK(aclprofFinalize());
	EXPECT_ACL(NOT_RUN, aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 0, "assert e == []"));
	INIT();
	EXPECT_ACL(NOT_RUN, aclprofStop(marks));
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 1, "assert d['otherData']['lost'] == 0"));
	OK(aclprofDestroyConfig(marks));
}

TEST_F(prof, init_refuses)
{
	char path[5000];

	EXPECT_ACL(WRONG, aclprofInit(NULL, 1));
	EXPECT_ACL(WRONG, aclprofInit("", 0));
	EXPECT_ACL(WRONG, aclprofInit("/tmp", 3));
	EXPECT_ACL(WRONG, aclprofInit("/tmp", 5));
	memset(path, '/', sizeof(path));
	path[4096] = '\0';
	EXPECT_ACL(WRONG, aclprofInit(path, 4096));
	path[4095] = '\0';
	EXPECT_ACL(WRONG, aclprofInit(path, 4095));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, aclprofInit("/none/x", 7));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE, aclprofInit("/dev/null", 9));
	/* An executable file. */
	close(open(self->dir, O_WRONLY | O_CREAT | O_EXCL, 0700));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE,
		   aclprofInit(self->dir, strlen(self->dir)));
	ASSERT_EQ(0, unlink(self->dir));
	/* A directory that is removed meanwhile. */
	INIT();
	ASSERT_EQ(0, rmdir(self->dir));
	EXPECT_ACL(ACL_ERROR_WRITE_FILE, aclprofFinalize());
	EXPECT_ACL(NOT_RUN, aclprofFinalize());
}

/* The file is in the directory that was current when it was begun. */
TEST_F(prof, another_working_directory)
{
	const char *name = strrchr(self->dir, '/') + 1;

	ASSERT_EQ(0, chdir("/tmp"));
	OK(aclprofInit(name, strlen(name)));
	ASSERT_EQ(0, chdir("/"));
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 0, "assert e == []"));
}

/* A child counts its own sessions. */
TEST_F(prof, sessions_of_a_child)
{
	int status;
	pid_t pid;

	INIT();
	pid = fork();
	if (!pid)
		_exit(aclprofFinalize() != NOT_RUN ||
		      aclprofInit(self->dir, strlen(self->dir)) ||
		      aclprofFinalize() ||
		      check_file(self->dir, 0, "assert e == []"));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	OK(aclprofFinalize());
}

/* A child does not write the parent's file. */
TEST_F(prof, a_child_has_no_session)
{
	aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE,
						    NULL, MARKS);
	void *stamp = aclprofCreateStamp();
	pid_t pid;

	INIT();
	OK(aclprofStart(config));
	OK(aclprofMark(stamp));
	pid = fork_bound();
	if (!pid)
		_exit(aclprofFinalize() != NOT_RUN || aclprofMark(stamp));
	EXPECT_EQ(0, child_wait(pid));
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 0, "assert len(e) == 1"));
	OK(aclprofDestroyConfig(config));
}

TEST_F(prof, descriptions_refuse)
{
	uint32_t twice[] = { 0, 0 }, missing[] = { 1000 }, huge[] = { -1 };

	/* No code is returned: only the message reports the reason. */
#define EXPECT_NONE(list, count, events, types, why)			\
do {									\
	EXPECT_EQ(NULL, aclprofCreateConfig(list, count, ACL_AICORE_NONE, \
					    events, types));		\
	EXPECT_NE(NULL, strstr(recent(), why));				\
} while (0)
	EXPECT_NONE(NULL, 1, NULL, TASKS, "deviceIdList is NULL");
	EXPECT_NONE(NULL, 0, NULL, TASKS, "deviceNums is 0");
	EXPECT_NONE(twice, 2, NULL, TASKS, "device 0 twice");
	EXPECT_NONE(missing, 1, NULL, TASKS, "device 1000 does not exist");
	EXPECT_NONE(huge, 1, NULL, TASKS, "device 4294967295 does not exist");
	EXPECT_NONE(twice, 65, NULL, TASKS, "deviceNums is larger");
	EXPECT_NONE(twice, 1, (const aclprofAicoreEvents *)twice, TASKS,
		    "aicoreEvents must be NULL");
}

TEST_F(prof, parameters)
{
	/* 200 without its terminator. */
	char lengthy[258];

	memset(lengthy, '0', sizeof(lengthy));
	strcpy(lengthy + 254, "200");
	INIT();
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_ARGS_MIN, "200", 3));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_ARGS_MAX, "200", 3));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, NULL, 3));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "200", 2));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "199", 3));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "-1", 2));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "200x", 4));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_STORAGE_LIMIT,
					   "4294967296", 10));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, lengthy,
					   257));
	OK(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, lengthy + 1, 256));
	OK(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "4294967295", 10));
	EXPECT_ACL(WRONG, aclprofSetConfig(2, "200", 3));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, "0", 1));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, "10001", 5));
	EXPECT_ACL(WRONG, aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, "5 Hz", 4));
}

/* Parameters of hardware that this device lacks are kept for the reader. */
TEST_F(prof, parameters_without_effect)
{
	INIT();
	OK(aclprofSetConfig(ACL_PROF_SYS_HARDWARE_MEM_FREQ, "50", 2));
	OK(aclprofSetConfig(ACL_PROF_LLC_MODE, "write", 5));
	OK(aclprofSetConfig(ACL_PROF_LLC_MODE, "read", 4));
	OK(aclprofSetConfig(ACL_PROF_SYS_IO_FREQ, "1", 1));
	OK(aclprofSetConfig(ACL_PROF_SYS_INTERCONNECTION_FREQ, "50", 2));
	OK(aclprofSetConfig(ACL_PROF_DVPP_FREQ, "100", 3));
	OK(aclprofSetConfig(ACL_PROF_HOST_SYS, "cpu,mem", 7));
	OK(aclprofSetConfig(ACL_PROF_HOST_SYS_USAGE, "\"cpu\"", 5));
	OK(aclprofSetConfig(ACL_PROF_HOST_SYS_USAGE_FREQ, "50", 2));
	OK(aclprofSetConfig(ACL_PROF_LOW_POWER_FREQ, "10000", 5));
	OK(aclprofSetConfig(ACL_PROF_SYS_MEM_SERVICEFLOW, "0,1", 3));
	OK(aclprofSetConfig(ACL_PROF_SYS_CPU_FREQ, "50", 2));
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 0,
		"c = d['otherData']['config']\n"
		"assert len(c) == 11, c\n"
		"assert c['ACL_PROF_LLC_MODE'] == 'read', c\n"
		"assert c['ACL_PROF_HOST_SYS_USAGE'] == '\"cpu\"', c\n"
		"assert c['ACL_PROF_LOW_POWER_FREQ'] == '10000', c"));
	/* A session has its own. */
	INIT();
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 1,
				"assert d['otherData']['config'] == {}"));
}

TEST_F(prof, stamps_refuse)
{
	void *garbage[] = { NULL, GARBAGE_HANDLES };
	void *stamp = aclprofCreateStamp();
	char longest[127];
	uint32_t id;

	memset(longest, 'x', sizeof(longest));
	ASSERT_NE(NULL, stamp);
	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		EXPECT_ACL(WRONG, aclprofMark(garbage[i]));
		EXPECT_ACL(WRONG, aclprofPush(garbage[i]));
		EXPECT_ACL(WRONG, aclprofRangeStart(garbage[i], &id));
		EXPECT_ACL(WRONG, aclprofSetStampTraceMessage(garbage[i], "x",
							      1));
		EXPECT_ACL(WRONG, aclprofGetStepTimestamp(garbage[i],
							  ACL_STEP_START, NULL));
		aclprofDestroyStamp(garbage[i]);
	}
	EXPECT_ACL(WRONG, aclprofRangeStart(stamp, NULL));
	EXPECT_ACL(WRONG, aclprofSetStampTraceMessage(stamp, NULL, 1));
	EXPECT_ACL(WRONG, aclprofSetStampTraceMessage(stamp, "", 0));
	EXPECT_ACL(WRONG, aclprofSetStampTraceMessage(stamp, "x", 128));
	OK(aclprofSetStampTraceMessage(stamp, longest, 127));
	EXPECT_ACL(WRONG, aclprofRangeStop(0));
	EXPECT_ACL(WRONG, aclprofRangeStop(77));
	EXPECT_ACL(WRONG, aclprofPop());
	EXPECT_ACL(WRONG, aclprofRangePop());
	for (int i = 0; i < 64; i++)
		OK(aclprofPush(stamp));
	EXPECT_ACL(WRONG, aclprofPush(stamp));
	for (int i = 0; i < 64; i++)
		OK(aclprofPop());
	EXPECT_ACL(WRONG, aclprofPop());
	OK(aclprofRangeStart(stamp, &id));
	OK(aclprofRangeStop(id));
	EXPECT_ACL(WRONG, aclprofRangeStop(id));
	aclprofDestroyStamp(stamp);
	EXPECT_ACL(WRONG, aclprofMark(stamp));

	EXPECT_ACL(WRONG, aclprofMarkEx(NULL, 1, NULL));
	EXPECT_ACL(WRONG, aclprofMarkEx("x", 0, NULL));
	EXPECT_ACL(WRONG, aclprofMarkEx("x", 128, NULL));
	OK(aclprofMarkEx(longest, 127, NULL));
	EXPECT_ACL(BAD_HANDLE, aclprofMarkEx("x", 1, garbage[1]));
	EXPECT_ACL(WRONG, aclrtProfTrace(NULL, 1, NULL));
	EXPECT_ACL(WRONG, aclrtProfTrace("x", 0, NULL));
	EXPECT_ACL(WRONG, aclrtProfTrace("x", 19, NULL));
	OK(aclrtProfTrace(longest, 18, NULL));
	EXPECT_ACL(BAD_HANDLE, aclrtProfTrace("x", 1, garbage[1]));
	EXPECT_EQ(UINT64_MAX, aclprofStr2Id(NULL));
}

TEST_F(prof, operators_refuse)
{
	aclprofTensorInfo info = { .opNameId = 0 };
	aclprofEventAttributes good = { ACL_PROF_EVENT_ATTR_VERSION,
					sizeof(good), 0, { &info } };
	aclprofEventAttributes attr = good;

	EXPECT_ACL(WRONG, aclprofRangePushEx(NULL));
	attr.version = 2;
	EXPECT_ACL(WRONG, aclprofRangePushEx(&attr));
	attr = good;
	attr.size = 8;
	EXPECT_ACL(WRONG, aclprofRangePushEx(&attr));
	attr = good;
	attr.messageType = 1;
	EXPECT_ACL(WRONG, aclprofRangePushEx(&attr));
	attr = good;
	attr.message.tensorInfo = NULL;
	EXPECT_ACL(WRONG, aclprofRangePushEx(&attr));
	OK(aclprofRangePushEx(&good));
	OK(aclprofRangePop());
}

TEST_F(prof, steps_refuse)
{
	aclprofStepInfo *step = aclprofCreateStepInfo();

	ASSERT_NE(NULL, step);
	EXPECT_ACL(WRONG, aclprofGetStepTimestamp(step, 2, NULL));
	EXPECT_ACL(BAD_HANDLE, aclprofGetStepTimestamp(step, ACL_STEP_START,
						       (void *)1));
	OK(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL));
	EXPECT_ACL(WRONG, aclprofGetStepTimestamp(step, ACL_STEP_START, NULL));
	OK(aclprofGetStepTimestamp(step, ACL_STEP_END, NULL));
	aclprofDestroyStepInfo(step);
	EXPECT_ACL(WRONG, aclprofGetStepTimestamp(step, ACL_STEP_END, NULL));
	aclprofDestroyStepInfo(step);
	aclprofDestroyStepInfo(NULL);
}

TEST_F(prof, no_models)
{
	uint32_t number;
	size_t size;
	char text[8];

	EXPECT_EQ(NULL, aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, text));
	EXPECT_ACL(NONE, aclprofDestroySubscribeConfig(NULL));
	EXPECT_ACL(NONE, aclprofModelSubscribe(1, NULL));
	EXPECT_ACL(NONE, aclprofModelUnSubscribe(1));
	EXPECT_ACL(NONE, aclprofGetOpDescSize(&size));
	EXPECT_ACL(NONE, aclprofGetOpNum(text, 8, &number));
	EXPECT_ACL(NONE, aclprofGetOpTypeLen(text, 8, 0, &size));
	EXPECT_ACL(NONE, aclprofGetOpType(text, 8, 0, text, 8));
	EXPECT_ACL(NONE, aclprofGetOpNameLen(text, 8, 0, &size));
	EXPECT_ACL(NONE, aclprofGetOpName(text, 8, 0, text, 8));
	EXPECT_EQ(0, aclprofGetOpStart(text, 8, 0));
	EXPECT_EQ(0, aclprofGetOpEnd(text, 8, 0));
	EXPECT_EQ(0, aclprofGetOpDuration(text, 8, 0));
	EXPECT_EQ(0, aclprofGetModelId(text, 8, 0));
	EXPECT_EQ(ACL_SUBSCRIBE_NONE, aclprofGetOpFlag(text, 8, 0));
	EXPECT_EQ(NULL, aclprofGetOpAttriValue(text, 8, 0,
					       ACL_SUBSCRIBE_ATTRI_THREADID));
	EXPECT_ACL(NONE, aclrtCacheLastTaskOpInfo(text, 8));
	EXPECT_ACL(NONE, aclrtCacheLastTaskExtendInfo(text, 8));
}

TEST_HARNESS_MAIN
