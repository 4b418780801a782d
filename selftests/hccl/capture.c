// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collectives that are captured: models of all ranks run in step, between calls, on
 * several streams, and until a rank ends.
 */
#include "operations.h"

#define RUNS	100

/* A model of AllReduce, AllGather and Broadcast, and its buffers of bytes. */
struct model {
	size_t size;
	char *in;
	char *sum;
	char *gathered;
	char *passed;
	aclmdlRI handle;
};

static void model_capture(struct rank *rank, aclrtStream stream, size_t size,
			  struct model *model)
{
	unsigned int ranks = rank->world->ranks;

	*model = (struct model){
		.size = size,
		.in = device_buffer(size),
		.sum = device_buffer(size),
		.gathered = device_buffer(size * ranks),
		.passed = device_buffer(size),
	};
	NEED_OK(aclmdlRICaptureBegin(stream,
				     ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
	NEED_OK(HcclAllReduce(model->in, model->sum, size, HCCL_DATA_TYPE_INT8,
			      HCCL_REDUCE_SUM, rank->comm, stream));
	NEED_OK(HcclAllGather(model->sum, model->gathered, size,
			      HCCL_DATA_TYPE_INT8, rank->comm, stream));
	NEED_OK(HcclBroadcast(model->passed, size, HCCL_DATA_TYPE_INT8, 1,
			      rank->comm, stream));
	NEED_OK(aclmdlRICaptureEnd(stream, &model->handle));
}

static void model_free(struct model *model)
{
	aclmdlRIDestroy(model->handle);
	aclrtFree(model->in);
	aclrtFree(model->sum);
	aclrtFree(model->gathered);
	aclrtFree(model->passed);
}

/* Run it with bytes that depend on the run; copy the results to @log. */
static void model_run(struct rank *rank, struct model *model,
		      aclrtStream stream, unsigned int run, char *log)
{
	unsigned int number = rank->number, ranks = rank->world->ranks;
	size_t size = model->size;

	NEED_OK(aclrtMemsetAsync(model->in, size, (int)(run + number) & 127,
				 size, stream));
	NEED_OK(aclrtMemsetAsync(model->passed, size,
				 (int)(3 * run + number) & 127, size, stream));
	NEED_OK(aclmdlRIExecuteAsync(model->handle, stream));
	NEED_OK(aclrtMemcpyAsync(log, size, model->passed, size,
				 ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	NEED_OK(aclrtMemcpyAsync(log + size, size * ranks, model->gathered,
				 size * ranks, ACL_MEMCPY_DEVICE_TO_DEVICE,
				 stream));
}

static void model_check(struct rank *rank, const struct model *model,
			unsigned int run, const char *log)
{
	unsigned int ranks = rank->world->ranks;
	size_t size = model->size;
	char sum = 0, passed = (char)((3 * run + 1) & 127);

	for (unsigned int r = 0; r < ranks; r++)
		sum = (char)(sum + ((run + r) & 127));
	for (size_t i = 0; i < size * (ranks + 1); i++)
		NEED(log[i] == (i < size ? passed : sum),
		     "run %u: byte %zu of %zu is %d", run, i, size, log[i]);
}

/* Runs follow each other without the host, with calls between. */
static void run_often(struct rank *rank)
{
	const size_t *size = rank->world->arg;
	size_t bytes = *size * (rank->world->ranks + 1);
	char *log, *host = malloc(bytes * RUNS);
	int32_t *direct, value = 0;
	struct model model;

	model_capture(rank, rank->stream, *size, &model);
	log = device_buffer(bytes * RUNS);
	direct = device_buffer(4);
	value = 1;
	NEED_OK(put_elements(direct, &value, 4));
	for (unsigned int i = 0; i < RUNS; i++) {
		model_run(rank, &model, rank->stream, i, log + i * bytes);
		if (i % 10 == 9)
			NEED_OK(HcclAllReduce(direct, direct, 1,
					      HCCL_DATA_TYPE_INT32,
					      HCCL_REDUCE_MAX, rank->comm,
					      rank->stream));
	}
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(host, bytes * RUNS, log, bytes * RUNS,
			    ACL_MEMCPY_DEVICE_TO_HOST));
	NEED_OK(aclrtMemcpy(&value, 4, direct, 4, ACL_MEMCPY_DEVICE_TO_HOST));
	NEED(value == 1, "the calls between have made %d", value);
	for (unsigned int i = 0; i < RUNS; i++)
		model_check(rank, &model, i, host + i * bytes);
	model_free(&model);
	aclrtFree(log);
	aclrtFree(direct);
	free(host);
}

TEST(threads_run_a_model_often)
{
	const size_t size = 20000;

	RUN_RANKS(3, false, run_often, &size);
}

TEST(processes_run_a_model_often)
{
	const size_t size = 20000;

	RUN_RANKS(3, true, run_often, &size);
}

/* Of less than a page, which other processes cannot read. */
TEST(processes_run_a_model_of_few_bytes_often)
{
	const size_t size = 8;

	RUN_RANKS(2, true, run_often, &size);
}

/* Two models at a time on two streams, and more models than notifies would do. */
static void run_several(struct rank *rank)
{
	struct model models[2];
	aclrtStream other;
	char log[2][4 * 64];

	NEED_OK(aclrtCreateStream(&other));
	for (unsigned int i = 0; i < 4; i++) {
		size_t bytes = 64 * (rank->world->ranks + 1);
		char *logs[2] = { device_buffer(bytes), device_buffer(bytes) };

		model_capture(rank, rank->stream, 64, &models[0]);
		model_capture(rank, other, 64, &models[1]);
		/* Ranks submit them in different orders. */
		for (unsigned int j = 0; j < 2; j++) {
			unsigned int k = (j + rank->number) % 2;

			model_run(rank, &models[k],
				  k ? other : rank->stream, i + k, logs[k]);
		}
		NEED_OK(aclrtSynchronizeStream(rank->stream));
		NEED_OK(aclrtSynchronizeStream(other));
		for (unsigned int j = 0; j < 2; j++) {
			NEED_OK(aclrtMemcpy(log[j], bytes, logs[j], bytes,
					    ACL_MEMCPY_DEVICE_TO_HOST));
			model_check(rank, &models[j], i + j, log[j]);
			model_free(&models[j]);
			aclrtFree(logs[j]);
		}
	}
	NEED_OK(aclrtDestroyStream(other));
}

TEST(threads_run_several_models)
{
	RUN_RANKS(3, false, run_several, NULL);
}

TEST(processes_run_several_models)
{
	RUN_RANKS(3, true, run_several, NULL);
}

/* Each operation, captured and run once. */
static void capture_each(struct rank *rank)
{
	for (unsigned int i = 0; i < NR_OPERATIONS + 5; i++) {
		struct job job = {
			.operation = i % NR_OPERATIONS,
			.type = i % 3 ? HCCL_DATA_TYPE_FP32 :
					HCCL_DATA_TYPE_FP16,
			.op = HCCL_REDUCE_SUM,
			.count = i < NR_OPERATIONS ? 40 : 9001,
			.root = i % rank->world->ranks,
			.in_place = i % 2,
			.seed = 5 + i,
			.comm = rank->comm,
			.stream = rank->stream,
		};
		aclmdlRI model;

		NEED_OK(aclmdlRICaptureBegin(rank->stream,
			ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
		if (!job_begin(rank, &job))
			return;
		NEED_OK(aclmdlRICaptureEnd(rank->stream, &model));
		NEED_OK(aclmdlRIExecuteAsync(model, rank->stream));
		if (!job_end(rank, &job))
			return;
		NEED_OK(aclmdlRIDestroy(model));
	}
}

TEST(threads_capture_each_collective)
{
	RUN_RANKS(4, false, capture_each, NULL);
}

TEST(processes_capture_each_collective)
{
	RUN_RANKS(3, true, capture_each, NULL);
}

TEST(algorithms_are_captured)
{
	setenv("HCCL_ALGO", "level0:NA;level1:H-D_R", 1);
	RUN_RANKS(3, true, capture_each, NULL);
	unsetenv("HCCL_ALGO");
}

/* Collectives on two streams of one model. */
static void capture_fork(struct rank *rank)
{
	int32_t *p = device_buffer(8), values[2] = { 1, 2 };
	aclrtEvent fork, join;
	aclrtStream other;
	aclmdlRI model;

	NEED_OK(put_elements(p, values, 8));
	NEED_OK(aclrtCreateStream(&other));
	NEED_OK(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC));
	NEED_OK(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
	NEED_OK(aclmdlRICaptureBegin(rank->stream,
				     ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	NEED_OK(aclrtRecordEvent(fork, rank->stream));
	NEED_OK(aclrtStreamWaitEvent(other, fork));
	NEED_OK(HcclAllReduce(p, p, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
			      rank->comm, rank->stream));
	NEED_OK(HcclAllReduce(p + 1, p + 1, 1, HCCL_DATA_TYPE_INT32,
			      HCCL_REDUCE_SUM, rank->comm, other));
	NEED_OK(aclrtRecordEvent(join, other));
	NEED_OK(aclrtStreamWaitEvent(rank->stream, join));
	NEED_OK(aclmdlRICaptureEnd(rank->stream, &model));
	for (int i = 0; i < 3; i++)
		NEED_OK(aclmdlRIExecuteAsync(model, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(values, 8, p, 8, ACL_MEMCPY_DEVICE_TO_HOST));
	NEED(values[0] == 8 && values[1] == 16, "%d and %d", values[0],
	     values[1]);
	NEED_OK(aclmdlRIDestroy(model));
	NEED_OK(aclrtDestroyEvent(fork));
	NEED_OK(aclrtDestroyEvent(join));
	NEED_OK(aclrtDestroyStream(other));
	NEED_OK(aclrtFree(p));
}

TEST(two_streams_of_a_model)
{
	RUN_RANKS(2, false, capture_fork, NULL);
}

/* One thread captures the streams of both ranks, in a group. */
TEST(one_thread_captures_several_ranks)
{
	HcclComm comms[2] = { 0 };
	aclrtStream streams[2];
	int32_t values[2] = { 1, 2 };
	aclmdlRI models[2];
	void *buffers[2];

	ASSERT_EQ(HCCL_SUCCESS, HcclCommInitAll(2, (int32_t[]){ 0, 1 }, comms));
	for (int32_t i = 0; i < 2; i++) {
		OK(aclrtSetDevice(i));
		OK(aclrtCreateStream(&streams[i]));
		buffers[i] = device_buffer(4);
		OK(put_elements(buffers[i], &values[i], 4));
		OK(aclmdlRICaptureBegin(streams[i],
					ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	}
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupStart());
	for (int32_t i = 0; i < 2; i++) {
		OK(aclrtSetDevice(i));
		ASSERT_EQ(HCCL_SUCCESS,
			  HcclAllReduce(buffers[i], buffers[i], 1,
					HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
					comms[i], streams[i]));
	}
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupEnd());
	for (int32_t i = 0; i < 2; i++) {
		OK(aclrtSetDevice(i));
		OK(aclmdlRICaptureEnd(streams[i], &models[i]));
		OK(aclmdlRIExecuteAsync(models[i], streams[i]));
	}
	for (int32_t i = 0; i < 2; i++) {
		OK(aclrtSetDevice(i));
		OK(aclrtSynchronizeStream(streams[i]));
		OK(aclrtMemcpy(&values[i], 4, buffers[i], 4,
			       ACL_MEMCPY_DEVICE_TO_HOST));
		EXPECT_EQ(3, values[i]);
		OK(aclmdlRIDestroy(models[i]));
		OK(aclrtFree(buffers[i]));
		OK(aclrtDestroyStream(streams[i]));
		EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[i]));
		OK(aclrtResetDevice(i));
	}
}

/* A rank is killed amid its runs, when all have captured. */
static void killed_amid(struct rank *rank)
{
	const unsigned int *when = rank->world->arg;
	HcclResult error = HCCL_SUCCESS;
	aclError ret;
	struct model model;

	model_capture(rank, rank->stream, 20000, &model);
	rank->world->step++;
	wait_step(rank, rank->world->ranks);
	for (unsigned int i = 0; i < RUNS; i++) {
		if (rank->number == 1 && i == *when) {
			usleep(*when * 300);
			raise(SIGKILL);
		}
		ret = aclmdlRIExecuteAsync(model.handle, rank->stream);
		if (ret == ACL_ERROR_RT_MODEL_EXECUTE)
			break;
		NEED_OK(ret);
	}
	NEED(aclrtSynchronizeStream(rank->stream), "the stream did not fail");
	NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
	NEED(error == HCCL_E_REMOTE, "async error %d", error);
}

TEST(a_rank_is_killed_amid_runs)
{
	for (unsigned int when = 0; when < 30; when += 10)
		RUN_RANKS(3, true, killed_amid, &when);
}

/* Rank 0 runs its model alone: that fails, and ends the model and communicator. */
static void run_alone(struct rank *rank)
{
	HcclResult error = HCCL_SUCCESS;
	struct model model;

	model_capture(rank, rank->stream, 64, &model);
	if (!rank->number) {
		NEED_OK(aclmdlRIExecuteAsync(model.handle, rank->stream));
		NEED_IS(ACL_ERROR_RT_TASK_TIMEOUT,
			aclrtSynchronizeStream(rank->stream));
		NEED_IS(ACL_ERROR_RT_MODEL_EXECUTE,
			aclmdlRIExecuteAsync(model.handle, rank->stream));
	}
	while (!error && !rank->world->failures)
		NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
	NEED(error == (rank->number ? HCCL_E_REMOTE : HCCL_E_RUNTIME),
	     "async error %d", error);
	if (rank->number) {
		NEED_OK(aclmdlRIExecuteAsync(model.handle, rank->stream));
		NEED(aclrtSynchronizeStream(rank->stream),
		     "the late run did not fail");
	}
	NEED_IS(ACL_ERROR_RT_MODEL_EXECUTE,
		aclmdlRIExecuteAsync(model.handle, rank->stream));
	model_free(&model);
}

TEST(a_model_has_no_run_after_one_that_failed)
{
	setenv("HCCL_EXEC_TIMEOUT", "1", 1);
	RUN_RANKS(2, true, run_alone, NULL);
	unsetenv("HCCL_EXEC_TIMEOUT");
}

/* Nor after the abort of a stream that has run it. */
static void abort_stream(struct rank *rank)
{
	struct model model;

	model_capture(rank, rank->stream, 64, &model);
	for (int i = 0; i < 2; i++)
		NEED_OK(aclmdlRIExecuteAsync(model.handle, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtStreamAbort(rank->stream));
	NEED_IS(ACL_ERROR_RT_MODEL_EXECUTE,
		aclmdlRIExecuteAsync(model.handle, rank->stream));
	model_free(&model);
}

TEST(a_model_has_no_run_after_an_abort)
{
	RUN_RANKS(2, false, abort_stream, NULL);
}

/* A rank is killed while the others wait for its capture. */
static void killed_before(struct rank *rank)
{
	aclmdlRI model;

	if (rank->number == 1) {
		usleep(20000);
		raise(SIGKILL);
	}
	NEED_OK(aclmdlRICaptureBegin(rank->stream,
				     ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	NEED_IS(HCCL_E_REMOTE, HcclBarrier(rank->comm, rank->stream));
	aclmdlRICaptureEnd(rank->stream, &model);
}

TEST(a_rank_is_killed_before_it_captures)
{
	RUN_RANKS(3, true, killed_before, NULL);
}

/* Ranks that capture different calls fail. */
static void capture_other(struct rank *rank)
{
	char *p = device_buffer(64);
	HcclResult ret;
	aclmdlRI model;

	NEED_OK(aclmdlRICaptureBegin(rank->stream,
				     ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	ret = HcclBroadcast(p, 8 + rank->number, HCCL_DATA_TYPE_INT8, 0,
			    rank->comm, rank->stream);
	NEED(ret == HCCL_E_PARA || ret == HCCL_E_REMOTE, "result %d", ret);
	aclmdlRICaptureEnd(rank->stream, &model);
	aclrtFree(p);
}

/* A stream that is bound to a model; the communicator stays as it is. */
static void bound_stream(struct rank *rank)
{
	int32_t value = 1, *p;
	aclrtStream bound;
	aclmdlRI model;
	void *memory;

	NEED_OK(aclrtMalloc(&memory, 4, ACL_MEM_MALLOC_NORMAL_ONLY));
	p = memory;
	NEED_OK(put_elements(p, &value, 4));
	NEED_OK(aclrtCreateStreamWithConfig(&bound, 0, ACL_STREAM_PERSISTENT));
	NEED_OK(aclmdlRIBuildBegin(&model, 0));
	NEED_OK(aclmdlRIBindStream(model, bound, ACL_MODEL_STREAM_FLAG_HEAD));
	NEED_IS(HCCL_E_NOT_SUPPORT,
		HcclAllReduce(p, p, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
			      rank->comm, bound));
	NEED_OK(aclmdlRIBuildEnd(model, NULL));
	NEED_OK(aclmdlRIExecute(model, -1));
	NEED_OK(aclmdlRIDestroy(model));
	NEED_OK(aclrtDestroyStream(bound));
	NEED_OK(HcclAllReduce(p, p, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
			      rank->comm, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(&value, 4, p, 4, ACL_MEMCPY_DEVICE_TO_HOST));
	NEED(value == 2, "the sum is %d", value);
	NEED_OK(aclrtFree(p));
}

TEST(a_bound_stream_is_refused)
{
	RUN_RANKS(2, false, bound_stream, NULL);
}

TEST(captures_differ)
{
	RUN_RANKS(2, false, capture_other, NULL);
}

TEST_HARNESS_MAIN
