// SPDX-License-Identifier: GPL-2.0-only
/* Models of captured tasks: the results of their runs, and leaks. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "capture.h"

TEST_F(capture, tasks_run_only_in_runs_of_the_model)
{
	struct work *w = &self->w;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(fill(w->dev, 7, 100, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_TRUE(device_has(w->dev, 0, 100));
	OK(run(self->model, w->a));
	EXPECT_TRUE(device_has(w->dev, 7, 100));
	OK(aclrtMemset(w->dev, 100, 0, 100));
	OK(run(self->model, w->b));
	EXPECT_TRUE(device_has(w->dev, 7, 100));
	OK(aclrtMemset(w->dev, 100, 0, 100));
	OK(run(self->model, NULL));
	EXPECT_TRUE(device_has(w->dev, 7, 100));
	OK(aclrtMemset(w->dev, 100, 0, 100));
	OK(aclmdlRIExecute(self->model, -1));
	EXPECT_TRUE(device_has(w->dev, 7, 100));
	OK(aclmdlRIDestroy(self->model));
}

TEST_F(capture, earlier_and_later_tasks_run_at_once)
{
	struct work *w = &self->w;

	OK(gate_close(w, w->a));
	OK(fill(w->dev, 1, 10, w->a));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(fill(w->dev + 10, 2, 10, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(fill(w->dev + 20, 3, 10, w->a));
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_TRUE(device_has(w->dev, 1, 10));
	EXPECT_TRUE(device_has(w->dev + 10, 0, 10));
	EXPECT_TRUE(device_has(w->dev + 20, 3, 10));
}

TEST_F(capture, contents_may_change_between_runs)
{
	struct work *w = &self->w;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(aclrtMemcpyAsync(w->dev, 8, w->pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE,
			    w->a));
	OK(move(w->dev + 8, w->dev, 8, w->a));
	OK(aclrtMemcpyAsync(w->pinned + 64, 8, w->dev + 8, 8,
			    ACL_MEMCPY_DEVICE_TO_HOST, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	for (int i = 1; i < 5; i++) {
		memset(w->pinned, i, 8);
		OK(run(self->model, w->b));
		EXPECT_TRUE(all_are(w->pinned + 64, i, 8));
	}
}

TEST_F(capture, streams_fork_and_join_by_events)
{
	struct work *w = &self->w;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(fill(w->dev, 5, 64, w->a));
	OK(follow(w->b, w->a, self->fork));
	EXPECT_EQ(ACTIVE, status_of(w->b));
	OK(move(w->dev + 64, w->dev, 64, w->b));
	OK(follow(w->a, w->b, self->join));
	OK(move(w->dev + 128, w->dev + 64, 64, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	EXPECT_EQ(NONE, status_of(w->a));
	EXPECT_EQ(NONE, status_of(w->b));
	for (int i = 0; i < 20; i++) {
		OK(aclrtMemset(w->dev, 192, 0, 192));
		OK(run(self->model, i % 2 ? w->a : w->b));
		EXPECT_TRUE(device_has(w->dev, 5, 192));
	}
}

/* The stream waits for the model, and the model for the stream. */
TEST_F(capture, a_run_is_in_the_order_of_the_stream)
{
	struct work *w = &self->w;

	OK(capture_fill(w, 1, 100, &self->model));
	OK(gate_close(w, w->b));
	OK(fill(w->dev, 2, 100, w->b));
	OK(aclmdlRIExecuteAsync(self->model, w->b));
	OK(move(w->dev + 100, w->dev, 100, w->b));
	OK(fill(w->dev, 3, 100, w->b));
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->b));
	EXPECT_TRUE(device_has(w->dev, 3, 100));
	EXPECT_TRUE(device_has(w->dev + 100, 1, 100));
}

TEST_F(capture, runs_in_two_streams_follow_each_other)
{
	const int runs = 50;
	struct work *w = &self->w;
	int32_t sum;

	/* Two additions of one would lose some if they overlapped. */
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(move(w->dev + 8, w->dev, 4, w->a));
	OK(aclrtReduceAsync(w->dev + 8, w->dev + 4, 4,
			    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, w->a,
			    NULL));
	OK(move(w->dev, w->dev + 8, 4, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(aclrtMemsetD32(w->dev + 4, 4, 1, 1));
	for (int i = 0; i < runs; i++) {
		OK(aclmdlRIExecuteAsync(self->model, w->a));
		OK(aclmdlRIExecuteAsync(self->model, w->b));
	}
	OK(aclmdlRIDestroy(self->model));
	OK(aclrtMemcpy(&sum, 4, w->dev, 4, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(2 * runs, sum);
}

/* The older record of a stream is waited for after its last one. */
TEST_F(capture, waits_may_be_in_another_order_than_records)
{
	struct work *w = &self->w;
	aclrtEvent last;

	OK(aclrtCreateEventExWithFlag(&last, ACL_EVENT_SYNC));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(follow(w->b, w->a, self->fork));
	OK(fill(w->dev, 5, 8, w->b));
	OK(aclrtRecordEvent(self->join, w->b));
	OK(fill(w->dev + 8, 6, 8, w->b));
	OK(aclrtRecordEvent(last, w->b));
	OK(aclrtStreamWaitEvent(w->a, last));
	OK(aclrtStreamWaitEvent(w->a, self->join));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(run(self->model, w->a));
	EXPECT_TRUE(device_has(w->dev, 5, 8));
	EXPECT_TRUE(device_has(w->dev + 8, 6, 8));
	OK(aclrtDestroyEvent(last));
}

TEST_F(capture, values_and_notifies_are_captured)
{
	struct work *w = &self->w;
	aclrtNotify notify;

	OK(aclrtCreateNotify(&notify, 0));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(gate_close(w, w->a));
	OK(aclrtValueWrite(w->gate, 0, 0, w->a));
	OK(aclrtRecordNotify(notify, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	for (int i = 0; i < 3; i++) {
		OK(aclmdlRIExecuteAsync(self->model, w->a));
		OK(aclrtWaitAndResetNotify(notify, w->b, 0));
		OK(gate_open(w));
		OK(aclrtSynchronizeStream(w->b));
	}
	EXPECT_EQ(0, dev_u64(w->gate));
}

/* Longer than a ring of tasks. */
TEST_F(capture, a_model_may_have_many_tasks)
{
	const uint32_t count = 5000;
	struct work *w = &self->w;
	int32_t sum;

	OK(aclrtMemsetD32(w->dev + 4, 4, 1, 1));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	for (uint32_t i = 0; i < count; i++)
		OK(aclrtReduceAsync(w->dev, w->dev + 4, 4,
				    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32,
				    w->a, NULL));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(run(self->model, w->b));
	OK(aclrtMemcpy(&sum, 4, w->dev, 4, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(count, sum);
}

TEST_F(capture, an_event_connects_runs_with_other_streams)
{
	struct work *w = &self->w;
	aclrtEvent before, after;

	OK(aclrtCreateEventExWithFlag(&before, ACL_EVENT_SYNC));
	OK(aclrtCreateEventExWithFlag(&after, ACL_EVENT_SYNC));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(aclrtStreamWaitEventWithFlag(w->a, before, 0,
					ACL_EVENT_WAIT_EXTERNAL));
	OK(move(w->dev + 8, w->dev, 8, w->a));
	OK(aclrtRecordEventWithFlag(after, w->a, ACL_EVENT_RECORD_EXTERNAL));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	for (int i = 1; i < 4; i++) {
		OK(aclrtMemset(w->gate, 8, 0, 8));
		OK(gate_close(w, w->b));
		OK(fill(w->dev, i, 8, w->b));
		OK(aclrtRecordEvent(before, w->b));
		OK(aclmdlRIExecuteAsync(self->model, w->a));
		OK(aclrtStreamWaitEvent(w->b, after));
		OK(move(w->dev + 16, w->dev + 8, 8, w->b));
		OK(gate_open(w));
		OK(aclrtSynchronizeStream(w->b));
		EXPECT_TRUE(device_has(w->dev + 16, i, 8));
	}
	OK(aclrtDestroyEvent(before));
	OK(aclrtDestroyEvent(after));
	OK(run(self->model, w->a));
}

/* The run has begun when the event is recorded, again and again. */
TEST_F(capture, an_external_event_is_recorded_during_a_run)
{
	struct work *w = &self->w;
	aclrtEvent event;

	OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(aclrtValueWrite(w->gate, 1, 0, w->a));
	OK(aclrtStreamWaitEvent(w->a, event));
	OK(aclrtResetEvent(event, w->a));
	OK(move(w->dev + 8, w->dev, 8, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	for (int i = 1; i < 4; i++) {
		OK(aclrtMemset(w->gate, 8, 0, 8));
		OK(aclmdlRIExecuteAsync(self->model, w->a));
		OK(gate_close(w, w->b));
		OK(fill(w->dev, i, 8, w->b));
		OK(aclrtRecordEvent(event, w->b));
		OK(aclrtSynchronizeStream(w->a));
		EXPECT_TRUE(device_has(w->dev + 8, i, 8));
	}
}

TEST_F(capture, a_failed_task_fails_the_stream_that_runs_it)
{
	struct work *w = &self->w;
	uint8_t *freed;

	OK(freed_address(&freed));
	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(fill(w->dev, 1, 8, w->a));
	OK(move(w->dev, freed, 8, w->a));
	OK(fill(w->dev + 8, 2, 8, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(aclmdlRIExecuteAsync(self->model, w->b));
	EXPECT_NE(ACL_SUCCESS, aclrtSynchronizeStream(w->b));
	EXPECT_NE(NULL, strstr(recent(), "aclrtMemcpyAsync"));
	OK(aclrtSynchronizeStream(w->a));
	EXPECT_TRUE(device_has(w->dev + 8, 2, 8));
	EXPECT_NE(ACL_SUCCESS, aclmdlRIExecute(self->model, -1));
	OK(aclmdlRIDestroy(self->model));
}

TEST_F(capture, an_abort_ends_a_run)
{
	struct work *w = &self->w;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(gate_close(w, w->a));
	OK(fill(w->dev, 1, 8, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(aclmdlRIExecuteAsync(self->model, w->b));
	OK(aclrtStreamAbort(w->b));
	OK(aclrtSynchronizeStream(w->b));
	EXPECT_TRUE(device_has(w->dev, 0, 8));
	OK(gate_open(w));
	OK(run(self->model, w->b));
	EXPECT_TRUE(device_has(w->dev, 1, 8));
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* The call waits for ten seconds before it gives up. */
TEST_F_TIMEOUT(capture, a_running_model_is_not_destroyed, 120)
{
	struct work *w = &self->w;
	double begin;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(gate_close(w, w->a));
	OK(fill(w->dev, 1, 8, w->a));
	OK(aclmdlRICaptureEnd(w->a, &self->model));
	OK(aclmdlRIExecuteAsync(self->model, w->b));
	begin = seconds();
	EXPECT_ACL(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(self->model));
	begin = seconds() - begin;
	EXPECT_TRUE(begin >= 10 && begin < 15) TH_LOG("%.1f s", begin);
	EXPECT_TRUE(strstr(recent(), "still runs after 10000 ms"));
	OK(gate_open(w));
	OK(aclrtSynchronizeStream(w->b));
	EXPECT_TRUE(device_has(w->dev, 1, 8));
	OK(run(self->model, w->b));
	OK(aclmdlRIDestroy(self->model));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIExecuteAsync(self->model, w->b));
}

TEST_F(capture, a_reset_ends_captures_and_models)
{
	struct work *w = &self->w;
	aclmdlRI model;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	OK(gate_close(w, w->a));
	OK(aclmdlRICaptureEnd(w->a, &model));
	OK(aclmdlRIExecuteAsync(model, w->a));
	OK(aclmdlRICaptureBegin(w->b, GLOBAL));
	OK(fill(w->dev, 1, 8, w->b));
	OK(aclrtResetDeviceForce(0));
	EXPECT_ACL(NO_CONTEXT, aclmdlRIExecuteAsync(model, NULL));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIExecuteAsync(model, NULL));
	OK(aclmdlRIDestroy(model));
	OK(aclrtCreateStream(&w->a));
	EXPECT_EQ(NONE, status_of(w->a));
	OK(aclrtSynchronizeDevice());
}

/* Twice the streams that a device has would be needed if some were kept. */
TEST_F(capture, models_leave_nothing_behind)
{
	uint32_t before, after;
	struct work *w = &self->w;

	OK(aclrtGetStreamAvailableNum(&before));
	for (uint32_t i = 0; i < 50; i++) {
		OK(aclmdlRICaptureBegin(w->a, GLOBAL));
		OK(follow(w->b, w->a, self->fork));
		OK(fill(w->dev, i, 8, w->b));
		OK(follow(w->a, w->b, self->join));
		OK(aclmdlRICaptureEnd(w->a, &self->model));
		OK(aclmdlRIExecuteAsync(self->model, w->b));
		OK(aclmdlRIDestroy(self->model));
		EXPECT_TRUE(device_has(w->dev, i, 8));
	}
	OK(aclrtGetStreamAvailableNum(&after));
	EXPECT_EQ(before, after);
}

/* A killed process leaves the streams of its models to others. */
TEST(a_kill_ends_models)
{
	uint32_t before, after;
	struct work w;
	pid_t child;

	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		aclmdlRI model;

		if (work_init(&w) || aclmdlRICaptureBegin(w.a, GLOBAL) ||
		    gate_close(&w, w.a) || aclmdlRICaptureEnd(w.a, &model) ||
		    aclmdlRIExecuteAsync(model, w.b) ||
		    aclrtGetStreamAvailableNum(&before))
			_exit(1);
		raise(SIGKILL);
	}
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	OK(work_init(&w));
	OK(aclrtGetStreamAvailableNum(&after));
	OK(capture_fill(&w, 1, 8, &(aclmdlRI){ NULL }));
	OK(aclrtGetStreamAvailableNum(&before));
	EXPECT_EQ(after, before + 1);
	work_fini(&w);
}

static char *read_file(const char *path)
{
	char *text = calloc(1, 65536);
	FILE *file = fopen(path, "r");

	if (!text || !file || !fread(text, 1, 65535, file) || fclose(file))
		abort();
	return text;
}

TEST_F(capture, a_model_is_described)
{
	char path[] = "/tmp/capture-XXXXXX";
	struct work *w = &self->w;
	char *text;

	OK(capture_fill(w, 1, 8, &self->model));
	close(mkstemp(path));
	OK(aclmdlRIDebugJsonPrint(self->model, path,
				  ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY));
	text = read_file(path);
	EXPECT_NE(NULL, strstr(text, "\"traceEvents\""));
	EXPECT_NE(NULL, strstr(text, "\"aclrtMemsetAsync\""));
	EXPECT_EQ(NULL, strstr(text, "\"length\": 8"));
	free(text);
	OK(aclmdlRIDebugJsonPrint(self->model, path,
				  ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE));
	text = read_file(path);
	EXPECT_NE(NULL, strstr(text, "\"length\": 8"));
	free(text);
	unlink(path);
	EXPECT_ACL(BAD_VALUE, aclmdlRIDebugJsonPrint(self->model, path, 2));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlRIDebugJsonPrint(self->model, NULL, 0));
	EXPECT_ACL(ACL_ERROR_RT_FILE_OPEN,
		   aclmdlRIDebugJsonPrint(self->model, "/no/such/file", 0));
}

/* Its output goes to a file, because the harness reads the standard output. */
TEST_F(capture, a_model_is_printed)
{
	FILE *file = tmpfile();
	char text[4096] = "";
	int out = dup(1);

	ASSERT_NE(NULL, file);
	OK(capture_fill(&self->w, 1, 8, &self->model));
	fflush(stdout);
	dup2(fileno(file), 1);
	EXPECT_ACL(ACL_SUCCESS, aclmdlRIDebugPrint(self->model));
	dup2(out, 1);
	rewind(file);
	EXPECT_LT(0, fread(text, 1, sizeof(text) - 1, file));
	EXPECT_NE(NULL, strstr(text, "fill (aclrtMemsetAsync)"));
	fclose(file);
}

TEST_HARNESS_MAIN
