// SPDX-License-Identifier: GPL-2.0-only
/* Offline models: runs. */
#include "acl-offline.h"

FIXTURE(run) {
	aclrtStream stream, other;
	struct model m;
};

FIXTURE_SETUP(run)
{
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	OK(aclrtCreateStream(&self->other));
}

FIXTURE_TEARDOWN(run)
{
	OK(aclrtResetDeviceForce(0));
}

#define IS_RIGHT(m)	EXPECT_TRUE(model_is_right(m))

TEST_F(run, equals_the_processor)
{
	struct model *m = &self->m;
	size_t before = free_bytes();

	OK(model_load(m, "linear"));
	for (int i = 0; i < 3; i++) {
		OK(model_put(m));
		OK(aclmdlExecute(m->id, m->in, m->out));
		IS_RIGHT(m);
	}
	OK(model_close(m));
	EXPECT_EQ(before, free_bytes());
}

TEST_F(run, asynchronously)
{
	struct model *m = &self->m;

	OK(model_load(m, "linear"));
	OK(model_put(m));
	OK(aclmdlExecuteAsync(m->id, m->in, m->out, self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	IS_RIGHT(m);
	OK(model_put(m));
	OK(aclmdlExecuteV2(m->id, m->in, m->out, self->stream, NULL));
	IS_RIGHT(m);
	OK(model_close(m));
}

/* A call that waits refuses a stream that the host never waits for. */
TEST_F(run, stream_without_waits)
{
	struct model *m = &self->m;
	aclrtStream stream;

	OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
	OK(model_load(m, "linear"));
	OK(model_put(m));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclmdlExecuteV2(m->id, m->in, m->out, stream, NULL));
	OK(aclmdlExecuteAsyncV2(m->id, m->in, m->out, stream, NULL));
	/* It waits for the run, which is on the other stream. */
	OK(aclmdlExecuteV2(m->id, m->in, m->out, self->stream, NULL));
	IS_RIGHT(m);
	OK(model_close(m));
	OK(aclrtDestroyStream(stream));
}

/* Runs on two streams use one work memory, and wait for each other. */
TEST_F(run, two_streams)
{
	struct model *m = &self->m, second;

	OK(model_load(m, "deep"));
	second = *m;
	second.out = aclmdlCreateDataset();
	OK(add_memory(second.out, m->bytes[1]));
	OK(model_put(m));
	for (int i = 0; i < 4; i++) {
		OK(aclrtMemset(memory_of(m->out, 0), m->bytes[1], 0,
			       m->bytes[1]));
		OK(aclrtMemset(memory_of(second.out, 0), m->bytes[1], 0,
			       m->bytes[1]));
		OK(aclmdlExecuteAsync(m->id, m->in, m->out, self->stream));
		OK(aclmdlExecuteAsync(m->id, m->in, second.out, self->other));
		OK(aclrtSynchronizeDevice());
		IS_RIGHT(m);
		IS_RIGHT(&second);
	}
	drop_set(second.out);
	OK(model_close(m));
}

/* Memory for a run: it does not wait for another stream. */
TEST_F(run, own_work_memory)
{
	aclmdlExecConfigHandle *config = aclmdlCreateExecConfigHandle();
	struct model *m = &self->m;
	size_t work, weights;
	int32_t ms = 600000;
	void *memory;

	ASSERT_NE(NULL, config);
	OK(model_load(m, "deep"));
	OK(aclmdlQuerySize(model_path("deep", "om"), &work, &weights));
	ASSERT_NE(0, work);
	EXPECT_LE(64 * 64 * 4, weights);
	OK(aclrtMalloc(&memory, work, ACL_MEM_MALLOC_NORMAL_ONLY));
	OK(aclmdlSetExecConfigOpt(config, ACL_MDL_WORK_ADDR_PTR, &memory,
				  sizeof(memory)));
	work--;
	OK(aclmdlSetExecConfigOpt(config, ACL_MDL_WORK_SIZET, &work,
				  sizeof(work)));
	EXPECT_ACL(ACL_ERROR_GE_PARAM_INVALID,
		   aclmdlExecuteAsyncV2(m->id, m->in, m->out, self->stream,
					config));
	work++;
	OK(aclmdlSetExecConfigOpt(config, ACL_MDL_WORK_SIZET, &work,
				  sizeof(work)));
	OK(aclmdlSetExecConfigOpt(config, ACL_MDL_STREAM_SYNC_TIMEOUT, &ms,
				  sizeof(ms)));
	OK(model_put(m));
	OK(aclmdlExecuteAsyncV2(m->id, m->in, m->out, self->stream, config));
	OK(aclrtSynchronizeStream(self->stream));
	IS_RIGHT(m);
	OK(model_put(m));
	OK(aclmdlExecuteV2(m->id, m->in, m->out, self->other, config));
	IS_RIGHT(m);
	OK(aclmdlDestroyExecConfigHandle(config));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlDestroyExecConfigHandle(config));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlExecuteV2(m->id, m->in, m->out, self->other, config));
	OK(model_close(m));
}

#define THREADS	2

static void *run_often(void *arg)
{
	aclrtContext context = arg;
	struct model m;
	intptr_t bad = aclrtSetCurrentContext(context);

	bad = bad || model_load(&m, "linear");
	for (int i = 0; !bad && i < 10; i++)
		bad = model_put(&m) || aclmdlExecute(m.id, m.in, m.out) ||
		      !model_is_right(&m);
	bad = bad || model_close(&m);
	return (void *)bad;
}

TEST_F(run, two_threads)
{
	pthread_t threads[THREADS];
	aclrtContext context;
	void *bad;

	OK(aclrtGetCurrentContext(&context));
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, run_often,
					    context));
	for (int i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], &bad));
		EXPECT_EQ(NULL, bad);
	}
}

/* Batches of 1, 4 and 2; the second one is the largest. */
TEST_F(run, batches)
{
	static const size_t batches[] = { 1, 4, 2 };
	struct model *m = &self->m;
	size_t row = 64 * sizeof(float), at = 0, index;
	aclmdlIODims dims;
	int64_t value;

	OK(model_load(m, "batch"));
	OK(aclmdlGetInputIndexByName(m->desc, ACL_DYNAMIC_TENSOR_NAME, &index));
	EXPECT_EQ(1, index);
	for (size_t i = 0; i < ARRAY_SIZE(batches); i++) {
		model_gear(m, at, batches[i] * row, batches[i] * row);
		at += 2 * batches[i] * row;
		OK(model_put(m));
		OK(aclmdlSetDynamicBatchSize(m->id, m->in, index, batches[i]));
		OK(aclrtMemcpy(&value, 8, memory_of(m->in, index), 8,
			       ACL_MEMCPY_DEVICE_TO_HOST));
		EXPECT_EQ(batches[i], value);
		OK(aclmdlGetCurOutputDims(m->desc, 0, &dims));
		EXPECT_EQ(batches[i], dims.dims[0]);
		OK(aclmdlExecute(m->id, m->in, m->out));
		IS_RIGHT(m);
		EXPECT_EQ(batches[i] * row,
			  aclGetTensorDescSize(
				  aclmdlGetDatasetTensorDesc(m->out, 0)));
	}
	EXPECT_ACL(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID,
		   aclmdlSetDynamicBatchSize(m->id, m->in, index, 3));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlSetDynamicBatchSize(m->id, m->in, index, 0));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlSetDynamicBatchSize(m->id, m->in, 0, 1));
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlSetDynamicHWSize(m->id, m->in, index, 8, 8));
	OK(model_close(m));
}

/* Without a choice, or by the description of the input. */
TEST_F(run, batch_that_was_not_set)
{
	const size_t row = 64 * sizeof(float);
	const int64_t two[] = { 2, 64 }, bad[] = { 3, 64 };
	aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 2, two,
						  ACL_FORMAT_ND);
	aclTensorDesc *wrong = aclCreateTensorDesc(ACL_FLOAT, 2, bad,
						   ACL_FORMAT_ND);
	struct model *m = &self->m;

	OK(model_load(m, "batch"));
	model_gear(m, 2 * row, 4 * row, 4 * row);
	OK(model_put(m));
	OK(aclmdlExecute(m->id, m->in, m->out));
	IS_RIGHT(m);
	model_gear(m, 10 * row, 2 * row, 2 * row);
	OK(model_put(m));
	OK(aclmdlSetDatasetTensorDesc(m->in, desc, 0));
	OK(aclmdlExecute(m->id, m->in, m->out));
	IS_RIGHT(m);
	OK(aclmdlSetDatasetTensorDesc(m->in, wrong, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecute(m->id, m->in, m->out));
	EXPECT_NE(NULL, strstr(recent(), "[-1, 64], given [3, 64]"));
	aclDestroyTensorDesc(desc);
	aclDestroyTensorDesc(wrong);
	OK(model_close(m));
}

TEST_F(run, image_sizes)
{
	static const size_t sizes[][2] = { { 8, 8 }, { 16, 12 } };
	struct model *m = &self->m;
	size_t at = 0;

	OK(model_load(m, "image"));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t bytes = sizes[i][0] * sizes[i][1] * 3 * sizeof(float);

		model_gear(m, at, bytes, bytes / 4);
		at += bytes + bytes / 4;
		OK(model_put(m));
		OK(aclmdlSetDynamicHWSize(m->id, m->in, 1, sizes[i][0],
					  sizes[i][1]));
		OK(aclmdlExecute(m->id, m->in, m->out));
		IS_RIGHT(m);
	}
	EXPECT_ACL(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID,
		   aclmdlSetDynamicHWSize(m->id, m->in, 1, 8, 12));
	OK(model_close(m));
}

TEST_F(run, any_sizes)
{
	static const int64_t sizes[][3] = { { 2, 8, 8 }, { 5, 6, 6 } };
	aclmdlIODims dims = { .dimCount = 3 };
	struct model *m = &self->m;
	size_t at = 0;

	OK(model_load(m, "dims"));
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		size_t b = sizes[i][1] * sizeof(float), a = sizes[i][0] * b;

		memcpy(dims.dims, sizes[i], sizeof(sizes[i]));
		model_gear(m, at, a, b, a);
		at += 2 * a + b;
		OK(model_put(m));
		OK(aclmdlSetInputDynamicDims(m->id, m->in, 2, &dims));
		OK(aclmdlExecute(m->id, m->in, m->out));
		IS_RIGHT(m);
	}
	dims.dims[0] = 7;
	EXPECT_ACL(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID,
		   aclmdlSetInputDynamicDims(m->id, m->in, 2, &dims));
	dims.dimCount = 2;
	EXPECT_ACL(NULL_OR_ZERO,
		   aclmdlSetInputDynamicDims(m->id, m->in, 2, &dims));
	OK(model_close(m));
}

/* The elements decide the size of the output, which the library packs. */
TEST_F(run, counted_output)
{
	struct model *m = &self->m;
	aclTensorDesc *desc;
	size_t count = 0;
	float *x;

	OK(model_load(m, "count"));
	x = (float *)m->data[0];
	for (size_t i = 0; i < 60; i++)
		count += x[i] != 0;
	OK(model_put(m));
	OK(aclmdlExecute(m->id, m->in, m->out));
	desc = aclmdlGetDatasetTensorDesc(m->out, 0);
	ASSERT_NE(NULL, desc);
	EXPECT_EQ(2, aclGetTensorDescNumDims(desc));
	EXPECT_EQ(2 * count, aclGetTensorDescElementCount(desc));
	m->bytes[1] = aclGetTensorDescSize(desc);
	IS_RIGHT(m);
	OK(model_close(m));
}

/* An output without memory gets some. */
TEST_F(run, output_without_memory)
{
	struct model *m = &self->m;
	aclDataBuffer *buffer;

	OK(model_load(m, "linear"));
	OK(model_put(m));
	buffer = aclmdlGetDatasetBuffer(m->out, 0);
	OK(aclrtFree(aclGetDataBufferAddr(buffer)));
	OK(aclUpdateDataBuffer(buffer, NULL, 0));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecuteAsync(m->id, m->in, m->out,
						    self->stream));
	OK(aclmdlExecute(m->id, m->in, m->out));
	EXPECT_EQ(m->bytes[1], aclGetDataBufferSizeV2(buffer));
	IS_RIGHT(m);
	OK(model_close(m));
}

TEST_F(run, known_elements)
{
	struct model *m = &self->m;
	float other[] = { 2, 4 };

	OK(model_load(m, "frozen"));
	OK(model_put(m));
	OK(aclmdlExecute(m->id, m->in, m->out));
	IS_RIGHT(m);
	OK(aclrtMemcpy(memory_of(m->in, 1), 8, other, 8,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecuteAsync(m->id, m->in, m->out,
						    self->stream));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecute(m->id, m->in, m->out));
	OK(model_close(m));
}

/* The message of a failed step names the model and the node. */
TEST_F(run, failed_node)
{
	struct model *m = &self->m;
	float index = 100;
	aclError err;

	OK(model_load(m, "gather"));
	OK(model_put(m));
	OK(aclmdlExecute(m->id, m->in, m->out));
	IS_RIGHT(m);
	OK(aclrtMemcpy(memory_of(m->in, 1), 4, &index, 4,
		       ACL_MEMCPY_HOST_TO_DEVICE));
	err = aclmdlExecute(m->id, m->in, m->out);
	EXPECT_NE(ACL_SUCCESS, err);
	EXPECT_NE(NULL, strstr(recent(), "gather: picked (Gather)"))
		TH_LOG("%d", err);
}

TEST_F(run, wrong_buffers)
{
	struct model *m = &self->m;
	aclDataBuffer *buffer;
	const char *text;
	size_t bytes;
	char *memory;

	OK(model_load(m, "linear"));
	buffer = aclmdlGetDatasetBuffer(m->in, 0);
	memory = aclGetDataBufferAddr(buffer);
	bytes = m->bytes[0];
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecute(m->id, NULL, m->out));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecute(m->id, m->in, NULL));
	OK(aclUpdateDataBuffer(buffer, memory, bytes - 1));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecute(m->id, m->in, m->out));
	text = recent();
	EXPECT_NE(NULL, strstr(text, "has 1023 bytes, expected 1024"))
		TH_LOG("%s", text);
	OK(aclUpdateDataBuffer(buffer, NULL, bytes));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecute(m->id, m->in, m->out));
	OK(aclUpdateDataBuffer(buffer, memory + 1, bytes));
	EXPECT_ACL(NULL_OR_ZERO, aclmdlExecute(m->id, m->in, m->out));
	OK(aclUpdateDataBuffer(buffer, memory, bytes));
	OK(aclmdlAddDatasetBuffer(m->in, buffer));
	EXPECT_ACL(ACL_ERROR_GE_PARAM_INVALID,
		   aclmdlExecute(m->id, m->in, m->out));
	EXPECT_ACL(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
		   aclmdlExecute(m->id + 1, m->in, m->out));
}

/* A run that is captured uses the memory that it was captured with. */
TEST_F(run, captured)
{
	struct model *m = &self->m;
	aclmdlRI graph;

	OK(model_load(m, "linear"));
	OK(model_put(m));
	OK(aclmdlRICaptureBegin(self->stream,
				ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclmdlExecuteAsync(m->id, m->in, m->out, self->stream));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED,
		   aclmdlExecuteV2(m->id, m->in, m->out, self->stream, NULL));
	OK(aclmdlRICaptureEnd(self->stream, &graph));
	for (int i = 0; i < 2; i++) {
		OK(model_put(m));
		OK(aclmdlRIExecuteAsync(graph, self->stream));
		OK(aclrtSynchronizeStream(self->stream));
		IS_RIGHT(m);
	}
	OK(aclmdlRIDestroy(graph));
	OK(model_close(m));
}

/* A model that is unloaded waits for its runs. */
TEST_F(run, unload_while_it_runs)
{
	struct model *m = &self->m;
	uint32_t id;

	OK(model_load(m, "deep"));
	id = m->id;
	OK(model_put(m));
	OK(aclmdlExecuteAsync(m->id, m->in, m->out, self->stream));
	OK(aclmdlUnload(id));
	IS_RIGHT(m);
	EXPECT_ACL(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, aclmdlUnload(id));
	EXPECT_ACL(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
		   aclmdlExecute(id, m->in, m->out));
}

/* A model ends with its context, also while it runs. */
TEST_F(run, context_ends)
{
	struct model *m = &self->m;
	aclrtContext primary, context;
	size_t before;

	OK(aclrtGetCurrentContext(&primary));
	before = free_bytes();
	OK(aclrtCreateContext(&context, 0));
	OK(model_load(m, "deep"));
	OK(model_put(m));
	OK(aclmdlExecuteAsync(m->id, m->in, m->out, NULL));
	OK(aclrtSetCurrentContext(primary));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CONTEXT,
		   aclmdlExecute(m->id, m->in, m->out));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CONTEXT, aclmdlUnload(m->id));
	OK(aclrtDestroyContext(context));
	EXPECT_ACL(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
		   aclmdlExecute(m->id, m->in, m->out));
	drop_set(m->in);
	drop_set(m->out);
	EXPECT_EQ(before, free_bytes());
}

TEST_F(run, device_is_reset)
{
	struct model *m = &self->m;

	OK(model_load(m, "linear"));
	OK(aclrtResetDeviceForce(0));
	EXPECT_ACL(NO_CONTEXT, aclmdlExecute(m->id, m->in, m->out));
	OK(aclrtSetDevice(0));
	EXPECT_ACL(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID,
		   aclmdlExecute(m->id, m->in, m->out));
	/* The description is still there. */
	EXPECT_EQ(1, aclmdlGetNumInputs(m->desc));
}

TEST_HARNESS_MAIN
