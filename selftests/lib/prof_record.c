// SPDX-License-Identifier: GPL-2.0-only
/* AscendCL's profiling: recorded events, and their form in the file. */
#include "prof.h"

#include <stdatomic.h>

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
	/* None of this is in the file, nor the end of a range that it began. */
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

/* Ranges that end in a session began in it. */
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

/* Ranges have their own ends, even if recording is stopped meanwhile. */
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
	/*
	 * Before, after, and a copy that is not waited for: one more of each.
	 */
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

/* A failed task is reported as without profiling, by its number. */
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

/* Tasks that the device never reached have the time of their submission. */
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
		"assert [x['name'] for x in e] == ['value_wait', 'fill'], e\n"
		"assert e[1]['ph'] == 'i'\n"
		"assert e[1]['ts'] == e[1]['args']['submitted']\n"));
	OK(aclprofDestroyConfig(config));
}

#define MARKERS	4
#define ROUNDS	500

static atomic_uint rounds;		/* of all threads together */

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
		/* Of this many, at least one began and ended meanwhile. */
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

TEST_HARNESS_MAIN
