// SPDX-License-Identifier: GPL-2.0-only
/* Profiling as AscendCL has it: who may do what when, and what is in the file. */
#include "acl-test.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "acl/acl_prof.h"

#define NOT_RUN		ACL_ERROR_PROF_NOT_RUN
#define WRONG		ACL_ERROR_INVALID_PARAM
#define NONE		ACL_ERROR_RT_FEATURE_NOT_SUPPORT
#define MARKS		ACL_PROF_MSPROFTX
#define TASKS		ACL_PROF_TASK_TIME

FIXTURE(prof) {
	char dir[64];
	uint32_t device;
};

FIXTURE_SETUP(prof)
{
	snprintf(self->dir, sizeof(self->dir), "/tmp/vnpu-prof-%d", getpid());
	self->device = 0;
	OK(aclrtSetDevice(0));
}

FIXTURE_TEARDOWN(prof)
{
	char command[128];

	aclprofFinalize();
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
	OK(aclrtResetDeviceForce(0));
}

#define INIT()	OK(aclprofInit(self->dir, strlen(self->dir)))

/* Runs a script on the session's file: e is its events. */
static int check_file(const char *dir, unsigned int number, const char *check)
{
	char script[4096], path[128];
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/vnpu-prof-%d-%u.json", dir, getpid(),
		 number);
	snprintf(script, sizeof(script),
		 "import json, sys\n"
		 "d = json.load(open(sys.argv[1]))\n"
		 "e = [x for x in d['traceEvents'] if x['ph'] != 'M']\n"
		 "def of(name): return [x for x in e if x['name'] == name]\n"
		 "%s", check);
	pid = fork();
	if (!pid) {
		execlp("python3", "python3", "-c", script, path, NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

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
	/* What runs needs its description no more, and ends with the file. */
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
	/* A file that may be executed. */
	close(open(self->dir, O_WRONLY | O_CREAT | O_EXCL, 0700));
	EXPECT_ACL(ACL_ERROR_INVALID_FILE,
		   aclprofInit(self->dir, strlen(self->dir)));
	ASSERT_EQ(0, unlink(self->dir));
	/* A directory that goes meanwhile. */
	INIT();
	ASSERT_EQ(0, rmdir(self->dir));
	EXPECT_ACL(ACL_ERROR_WRITE_FILE, aclprofFinalize());
	EXPECT_ACL(NOT_RUN, aclprofFinalize());
}

/* The file is in the directory that it was to be in when it was begun. */
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

TEST_F(prof, descriptions_refuse)
{
	uint32_t twice[] = { 0, 0 }, missing[] = { 1000 }, huge[] = { -1 };

#define EXPECT_NONE(list, count, events, types)				\
	EXPECT_EQ(NULL, aclprofCreateConfig(list, count, ACL_AICORE_NONE, \
					    events, types))
	EXPECT_NONE(NULL, 1, NULL, TASKS);
	EXPECT_NONE(NULL, 0, NULL, TASKS);
	EXPECT_NONE(twice, 2, NULL, TASKS);
	EXPECT_NONE(missing, 1, NULL, TASKS);
	EXPECT_NONE(huge, 1, NULL, TASKS);
	EXPECT_NONE(twice, 65, NULL, TASKS);
	EXPECT_NONE(twice, 1, (const aclprofAicoreEvents *)twice, TASKS);
}

TEST_F(prof, parameters)
{
	char lengthy[300];

	memset(lengthy, '2', sizeof(lengthy));
	lengthy[257] = '\0';
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
	OK(aclprofSetConfig(ACL_PROF_STORAGE_LIMIT, "4294967295", 10));
	EXPECT_ACL(NONE, aclprofSetConfig(ACL_PROF_LLC_MODE, "read", 4));
}

TEST_F(prof, stamps_refuse)
{
	void *garbage[] = { NULL, GARBAGE_HANDLES };
	void *stamp = aclprofCreateStamp();
	uint32_t id;

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
	EXPECT_ACL(BAD_HANDLE, aclprofMarkEx("x", 1, garbage[1]));
	EXPECT_ACL(WRONG, aclrtProfTrace(NULL, 1, NULL));
	EXPECT_ACL(WRONG, aclrtProfTrace("x", 0, NULL));
	EXPECT_ACL(WRONG, aclrtProfTrace("x", 19, NULL));
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

static void *stop_range(void *id)
{
	return (void *)(intptr_t)aclprofRangeStop((uint32_t)(uintptr_t)id);
}

TEST_F(prof, marks_and_ranges)
{
	aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE,
						    NULL, MARKS);
	aclprofTensorInfo info = { .opNameId = aclprofStr2Id("matmul"),
				   .opTypeId = aclprofStr2Id("MatMul") };
	aclprofEventAttributes attr = { ACL_PROF_EVENT_ATTR_VERSION,
					sizeof(attr), 0, { &info } };
	aclprofStepInfo *step = aclprofCreateStepInfo();
	void *stamp = aclprofCreateStamp();
	uint32_t id;

	EXPECT_EQ(info.opNameId, aclprofStr2Id("matmul"));
	EXPECT_NE(info.opNameId, info.opTypeId);
	/* Nothing of this is in the file, nor the end of what it began. */
	OK(aclprofPush(stamp));
	INIT();
	OK(aclprofMark(stamp));
	OK(aclprofStart(config));
	OK(aclprofPop());
	OK(aclprofSetStampTraceMessage(stamp, "outer\xc3\xa9?", 7));
	OK(aclprofPush(stamp));
	OK(aclprofRangePushEx(&attr));
	OK(aclprofSetStampTraceMessage(stamp, "moment", 6));
	OK(aclprofMark(stamp));
	OK(aclprofRangePop());
	OK(aclprofPop());
	OK(aclprofSetStampTraceMessage(stamp, "wide", 4));
	OK(aclprofRangeStart(stamp, &id));
	aclprofDestroyStamp(stamp);
	EXPECT_EQ(NULL, in_thread(stop_range, (void *)(uintptr_t)id));
	OK(aclprofMarkEx("both", 4, NULL));
	OK(aclrtProfTrace("\x01\xff", 2, NULL));
	OK(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL));
	OK(aclrtSynchronizeDevice());
	OK(aclprofStop(config));
	OK(aclprofMarkEx("late", 4, NULL));
	OK(aclprofFinalize());
	aclprofDestroyStepInfo(step);
	EXPECT_EQ(0, check_file(self->dir, 0,
		"assert ''.join(x['ph'] for x in e) == 'BBiEEbeiiiiii', e\n"
		"o, m = of('outer\\u00e9')[0], of('matmul')[0]\n"
		"assert m['args']['type'] == 'MatMul'\n"
		"assert o['ts'] <= m['ts'] <= of('moment')[0]['ts']\n"
		"w = of('wide')\n"
		"assert w[0]['id'] == w[1]['id'] and w[0]['tid'] != w[1]['tid']\n"
		"b = of('both')\n"
		"assert b[0]['pid'] != b[1]['pid'] and len(of('0x01ff')) == 2\n"
		"assert b[0]['ts'] <= b[1]['ts']\n"
		"s = [x for x in e if x['name'].startswith('step ')]\n"
		"assert len(s) == 2 and s[0]['name'].endswith(' start')\n"
		"assert not of('late') and d['otherData']['lost'] == 0\n"));
	OK(aclprofDestroyConfig(config));
}

/* What ends in a session began in it. */
TEST_F(prof, ends_of_another_session)
{
	aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE,
						    NULL, MARKS);
	void *stamp = aclprofCreateStamp();
	uint32_t before, early, late;

	OK(aclprofRangeStart(stamp, &before));
	INIT();
	OK(aclprofStart(config));
	OK(aclprofPush(stamp));
	OK(aclprofRangeStart(stamp, &early));
	OK(aclprofRangeStop(before));
	OK(aclprofFinalize());
	INIT();
	OK(aclprofStart(config));
	OK(aclprofPush(stamp));
	OK(aclprofRangeStart(stamp, &late));
	OK(aclprofRangeStop(late));
	OK(aclprofRangeStop(early));
	OK(aclprofPop());
	OK(aclprofPop());
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 0,
		"assert ''.join(x['ph'] for x in e) == 'Bb', e\n"));
	EXPECT_EQ(0, check_file(self->dir, 1,
		"assert ''.join(x['ph'] for x in e) == 'BbeE', e\n"));
	aclprofDestroyStamp(stamp);
	OK(aclprofDestroyConfig(config));
}

/* What began has its own end, also where nothing is recorded meanwhile. */
TEST_F(prof, ends_after_a_stop)
{
	aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE,
						    NULL, MARKS);
	void *stamp = aclprofCreateStamp();
	uint32_t id;

	INIT();
	OK(aclprofStart(config));
	OK(aclprofPush(stamp));
	OK(aclprofPush(stamp));
	OK(aclprofRangeStart(stamp, &id));
	OK(aclprofStop(config));
	OK(aclprofPop());
	OK(aclprofRangeStop(id));
	OK(aclprofPush(stamp));
	OK(aclprofStart(config));
	OK(aclprofPop());
	OK(aclprofMark(stamp));
	OK(aclprofPop());
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 0,
		"assert ''.join(x['ph'] for x in e) == 'BBbEeiE', e\n"));
	aclprofDestroyStamp(stamp);
	OK(aclprofDestroyConfig(config));
}

TEST_F(prof, tasks_have_times)
{
	aclprofConfig *config = aclprofCreateConfig(&self->device, 1,
		ACL_AICORE_NONE, NULL, TASKS);
	aclrtStream stream;
	uint32_t task;
	void *p, *q;

	OK(aclrtCreateStream(&stream));
	OK(aclrtMalloc(&p, 4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMalloc(&q, 4 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemsetAsync(p, MIB, 1, MIB, stream));
	OK(aclrtSynchronizeStream(stream));
	INIT();
	OK(aclprofStart(config));
	for (int i = 0; i < 300; i++)
		OK(aclrtMemsetAsync(p, MIB, 1, MIB, stream));
	OK(aclrtMemcpyAsync(q, 4 * MIB, p, 4 * MIB,
			    ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	OK(aclrtGetThreadLastTaskId(&task));
	OK(aclrtSynchronizeStream(stream));
	OK(aclrtMemcpyAsync(q, MIB, p, MIB, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
	OK(aclrtSynchronizeStream(NULL));
	OK(aclprofStop(config));
	OK(aclrtMemsetAsync(p, MIB, 1, MIB, stream));
	OK(aclrtSynchronizeStream(stream));
	OK(aclprofFinalize());
	/* Before, after, and what is not waited for: one more of each. */
	EXPECT_EQ(1 + 301 * 3 - 1, task);
	EXPECT_EQ(0, check_file(self->dir, 0,
		"f, c = of('fill'), of('copy')\n"
		"assert len(f) == 300 and len(c) == 2, len(e)\n"
		"assert all(x['ph'] == 'X' and x['dur'] >= 0 for x in e)\n"
		"assert c[0]['args']['bytes'] == 4 << 20\n"
		"assert c[0]['args']['call'] == 'aclrtMemcpyAsync'\n"
		"assert c[0]['tid'] != c[1]['tid']\n"
		"t = [x['ts'] for x in f] + [c[0]['ts']]\n"
		"assert t == sorted(t)\n"
		"s = f + c[:1]\n"
		"assert all(a['ts'] + a['dur'] <= b['ts'] + 0.001\n"
		"           for a, b in zip(s, s[1:]))\n"
		"assert all(x['args']['submitted'] <= x['ts'] for x in e)\n"));
	OK(aclprofDestroyConfig(config));
	OK(aclrtDestroyStream(stream));
	OK(aclrtFree(p));
	OK(aclrtFree(q));
}

/* A task that failed is told as without profiling, by its number. */
TEST_F(prof, a_failure_keeps_its_number)
{
	aclprofConfig *config = aclprofCreateConfig(&self->device, 1,
		ACL_AICORE_NONE, NULL, TASKS);
	char number[32];
	uint32_t task;
	void *p;

	INIT();
	OK(aclprofStart(config));
	OK(aclrtMalloc(&p, MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemsetAsync(p, MIB, 1, MIB, NULL));
	OK(aclrtSynchronizeStream(NULL));
	OK(aclrtFree(p));
	OK(aclrtMemsetAsync(p, MIB, 1, MIB, NULL));
	OK(aclrtGetThreadLastTaskId(&task));
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(NULL));
	snprintf(number, sizeof(number), "task %u ", task);
	EXPECT_NE(NULL, strstr(recent(), number));
	OK(aclprofFinalize());
	OK(aclprofDestroyConfig(config));
}

/* What the device never came to has the time of its submission. */
TEST_F(prof, aborted_tasks)
{
	aclprofConfig *config = aclprofCreateConfig(&self->device, 1,
		ACL_AICORE_NONE, NULL, TASKS);
	aclrtStream stream;
	void *flag;

	INIT();
	OK(aclprofStart(config));
	OK(aclrtCreateStream(&stream));
	OK(aclrtMalloc(&flag, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemset(flag, 64, 0, 64));
	OK(aclrtValueWait(flag, 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
	OK(aclrtMemsetAsync((char *)flag + 8, 8, 1, 8, stream));
	OK(aclrtStreamAbort(stream));
	OK(aclrtDestroyStreamForce(stream));
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 0,
		"assert [x['name'] for x in e] == ['value wait', 'fill'], e\n"
		"assert e[1]['ph'] == 'i'\n"));
	OK(aclprofDestroyConfig(config));
}

#define MARKERS	4
#define ROUNDS	500

static atomic_uint rounds;		/* of all of them together */

static void *mark_much(void *arg)
{
	void *stamp = aclprofCreateStamp();
	uint32_t id;

	for (int i = 0; i < ROUNDS; i++) {
		if (aclprofPush(stamp) || aclprofRangeStart(stamp, &id) ||
		    aclprofMarkEx("m", 1, NULL) || aclprofRangeStop(id) ||
		    aclprofPop())
			return arg;
		atomic_fetch_add(&rounds, 1);
	}
	aclprofDestroyStamp(stamp);
	return NULL;
}

static void *mark_with_device(void *arg)
{
	return aclrtSetDevice(0) ? arg : mark_much(arg);
}

TEST_F(prof, threads)
{
	aclprofConfig *config = aclprofCreateConfig(&self->device, 1,
		ACL_AICORE_NONE, NULL, TASKS | MARKS);
	pthread_t threads[MARKERS];
	unsigned int until;
	void *failed;

	INIT();
	OK(aclprofStart(config));
	for (int i = 0; i < MARKERS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL,
					    mark_with_device, self));
	for (int i = 0; i < 20; i++) {
		/* Of so many, one at least began and ended meanwhile. */
		until = atomic_load(&rounds) + MARKERS + 1;
		while (atomic_load(&rounds) < until &&
		       atomic_load(&rounds) < MARKERS * ROUNDS)
			usleep(1000);
		OK(aclprofStop(config));
		OK(aclprofStart(config));
	}
	OK(aclprofStop(config));
	for (int i = 0; i < MARKERS; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &failed));
		EXPECT_EQ(NULL, failed);
	}
	OK(aclrtSynchronizeDevice());
	OK(aclprofFinalize());
	EXPECT_EQ(0, check_file(self->dir, 0, "assert len(e) > 0"));
	OK(aclprofDestroyConfig(config));
}

/* A child writes no file of its parent's. */
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

TEST_HARNESS_MAIN
