// SPDX-License-Identifier: GPL-2.0-only
/* Many failing tasks: each is reported to the program, once and in order. */
#include <glob.h>
#include <stdatomic.h>

#include "acl-stream.h"

#define STREAMS		4
#define RING		2048	/* tasks that a stream holds */
#define PENDING		65536	/* failures that wait to be reported */

FIXTURE(failure) {
	struct work w;
	void *gone;		/* freed device memory */
};

/* the reported failures */
static struct {
	struct {
		uint32_t stream, task, code;
	} of[PENDING + 4 * RING];
	atomic_int count;
	atomic_bool is_held;	/* the thread that reports */
} told;

static void on_failure(aclrtExceptionInfo *info)
{
	int i = told.count;

	if (i < (int)(sizeof(told.of) / sizeof(told.of[0]))) {
		told.of[i].stream = aclrtGetStreamIdFromExceptionInfo(info);
		told.of[i].task = aclrtGetTaskIdFromExceptionInfo(info);
		told.of[i].code = aclrtGetErrorCodeFromExceptionInfo(info);
	}
	told.count = i + 1;
	while (told.is_held)
		usleep(1000);
}

FIXTURE_SETUP(failure)
{
	OK(work_init(&self->w));
	OK(aclrtMalloc(&self->gone, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtFree(self->gone));
	OK(aclrtExceptionInfoCallbackRegister(on_failure));
}

FIXTURE_TEARDOWN(failure)
{
	told.is_held = false;
	aclrtResetDeviceForce(0);
}

/* The harness ends a test that waits for ever. */
static void wait_for(int count)
{
	while (told.count < count)
		usleep(1000);
}

static void submit_failures(void *gone, int count, aclrtStream stream)
{
	while (count--)
		if (aclrtMemsetAsync(gone, 64, 0, 64, stream))
			abort();
}

/*
 * Check that @count failures from @first on are reported, each once and in
 * order.
 */
static bool in_order(aclrtStream stream, uint32_t first, uint32_t count)
{
	uint32_t next = first;
	int32_t id;

	if (aclrtStreamGetId(stream, &id))
		return false;
	for (int i = 0; i < told.count; i++)
		if (told.of[i].stream == (uint32_t)id &&
		    told.of[i].task != next++)
			return false;
	return next == first + count;
}

TEST_F_TIMEOUT(failure, each_of_100_at_once, 300)
{
	aclError err;

	OK(gate_close(&self->w, self->w.a));
	submit_failures(self->gone, 100, self->w.a);
	OK(gate_open(&self->w));
	wait_for(100);
	err = aclrtSynchronizeStream(self->w.a);
	EXPECT_NE(ACL_SUCCESS, err);
	EXPECT_TRUE(in_order(self->w.a, 2, 100));
	for (int i = 0; i < 100; i++)
		EXPECT_EQ(err, told.of[i].code);
	/* Neither later waits nor the end report anything again. */
	OK(aclrtDestroyStream(self->w.a));
	submit_failures(self->gone, 1, self->w.b);
	wait_for(101);
	EXPECT_EQ(101, told.count);
}

/* The ring wraps around while the thread has no time. */
TEST_F_TIMEOUT(failure, of_a_ring_that_wraps_around, 300)
{
	told.is_held = true;
	submit_failures(self->gone, 3 * RING + 100, self->w.a);
	told.is_held = false;
	wait_for(3 * RING + 100);
	EXPECT_TRUE(in_order(self->w.a, 1, 3 * RING + 100));
}

/* Between tasks that succeed. */
TEST_F_TIMEOUT(failure, between_successful_tasks, 300)
{
	for (int i = 1; i <= RING + 1000; i++)
		OK(aclrtMemsetAsync(i % 100 ? self->w.dev : self->gone, 64, 0,
				    64, self->w.a));
	wait_for(30);
	for (int i = 0; i < 30; i++)
		EXPECT_EQ(100 * (i + 1), told.of[i].task);
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(self->w.a));
	EXPECT_EQ(30, told.count);
}

TEST_F_TIMEOUT(failure, of_several_streams, 300)
{
	aclrtStream streams[STREAMS];

	for (int i = 0; i < STREAMS; i++)
		OK(aclrtCreateStream(&streams[i]));
	for (int i = 0; i < 100; i++)
		for (int k = 0; k < STREAMS; k++)
			submit_failures(self->gone, 1, streams[k]);
	wait_for(100 * STREAMS);
	for (int i = 0; i < STREAMS; i++)
		EXPECT_TRUE(in_order(streams[i], 1, 100));
}

/* Cancelled tasks have not failed. */
TEST_F_TIMEOUT(failure, one_where_the_stream_stops, 300)
{
	aclrtContext context;
	aclrtStream other;

	OK(aclrtSetStreamFailureMode(self->w.a, ACL_STOP_ON_FAILURE));
	OK(gate_close(&self->w, self->w.a));
	submit_failures(self->gone, 100, self->w.a);
	OK(gate_open(&self->w));
	wait_for(1);
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(self->w.a));
	EXPECT_TRUE(in_order(self->w.a, 2, 1));
	OK(aclrtDestroyStream(self->w.a));
	/* Earlier failures are reported before later ones. */
	OK(aclrtCreateContext(&context, 0));
	OK(aclrtCreateStream(&other));
	submit_failures(self->gone, 1, other);
	wait_for(2);
	EXPECT_TRUE(in_order(other, 1, 1));
	EXPECT_EQ(2, told.count);
}

/* Failures found at the end of the stream. */
TEST_F_TIMEOUT(failure, of_a_destroyed_stream, 300)
{
	uint32_t count;

	told.is_held = true;
	submit_failures(self->gone, 100, self->w.b);
	wait_for(1);
	submit_failures(self->gone, 1000, self->w.a);
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(self->w.b));
	OK(aclrtDestroyStream(self->w.b));
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(self->w.a));
	OK(aclrtDestroyStream(self->w.a));
	told.is_held = false;
	wait_for(1100);
	count = 0;
	for (int i = 0; i < told.count; i++)
		count += told.of[i].task <= 1000;
	EXPECT_EQ(1100, count);
}

/* Before there is a callback, and after it was removed. */
TEST_F_TIMEOUT(failure, while_a_callback_is_registered, 300)
{
	OK(aclrtExceptionInfoCallbackUnregister(on_failure));
	submit_failures(self->gone, RING + 100, self->w.a);
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(self->w.a));
	OK(aclrtExceptionInfoCallbackRegister(on_failure));
	submit_failures(self->gone, 100, self->w.a);
	wait_for(100);
	EXPECT_TRUE(in_order(self->w.a, RING + 101, 100));
}

/* The number of lost failures in the log. */
static int lost_count(const char *path)
{
	char pattern[64], line[1024];
	const char *found;
	int lost = 0;
	glob_t g;
	FILE *f;

	snprintf(pattern, sizeof(pattern), "%s/debug/plog/*.log", path);
	if (glob(pattern, 0, NULL, &g))
		return 0;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		f = fopen(g.gl_pathv[i], "r");
		while (f && fgets(line, sizeof(line), f)) {
			found = strstr(line, "report_lost:\"");
			if (found)
				lost += atoi(strchr(found, '"') + 1);
		}
		if (f)
			fclose(f);
	}
	globfree(&g);
	return lost;
}

FIXTURE(crowd) {
	char path[32];		/* of the log */
};

FIXTURE_SETUP(crowd)
{
	strcpy(self->path, "/tmp/vnpu-failure-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->path));
	setenv("ASCEND_PROCESS_LOG_PATH", self->path, 1);
	OK(aclrtSetDevice(0));
}

FIXTURE_TEARDOWN(crowd)
{
	char command[64];

	told.is_held = false;
	aclrtResetDeviceForce(0);
	snprintf(command, sizeof(command), "rm -r %s", self->path);
	EXPECT_EQ(0, system(command));
}

/* Failures that do not fit are counted. */
TEST_F_TIMEOUT(crowd, more_than_can_be_queued, 600)
{
	const int count = PENDING + 2 * RING;
	aclrtStream stream;
	void *gone;

	OK(aclrtCreateStream(&stream));
	OK(aclrtMalloc(&gone, MIB, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclrtFree(gone));
	OK(aclrtExceptionInfoCallbackRegister(on_failure));
	told.is_held = true;
	submit_failures(gone, 1, stream);
	wait_for(1);
	submit_failures(gone, count - 1, stream);
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(stream));
	/* From here on nothing is left to be looked at later. */
	OK(aclrtDestroyStream(stream));
	told.is_held = false;
	wait_for(PENDING + 1);
	while (!lost_count(self->path))
		usleep(1000);
	EXPECT_EQ(PENDING + 1, told.count);
	EXPECT_EQ(count - PENDING - 1, lost_count(self->path));
}

TEST_HARNESS_MAIN
