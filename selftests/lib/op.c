// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single operators and descriptions of tensors, in a program that is linked with
 * -lascendcl alone.
 */
/* Some of the calls are deprecated. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "acl-test.h"
#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "dump_look.h"

enum { COUNT = 6, BYTES = COUNT * sizeof(float), MOST = 4 };

FIXTURE(op) {
	aclrtStream stream;
	void *device[MOST];
	aclDataBuffer *buffer[MOST];
	aclTensorDesc *desc, *wide;
	aclopAttr *attr;
};

FIXTURE_SETUP(op)
{
	static const int64_t dims[] = { 2, 3 }, pair[] = { 2, 6 };

	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	for (int i = 0; i < MOST; i++) {
		float values[2 * COUNT];

		OK(aclrtMalloc(&self->device[i], 2 * BYTES,
			       ACL_MEM_MALLOC_HUGE_FIRST));
		for (int k = 0; k < 2 * COUNT; k++)
			values[k] = k - 2.5f * i;
		OK(aclrtMemcpy(self->device[i], 2 * BYTES, values, 2 * BYTES,
			       ACL_MEMCPY_HOST_TO_DEVICE));
		self->buffer[i] = aclCreateDataBuffer(self->device[i],
						      2 * BYTES);
		ASSERT_NE(NULL, self->buffer[i]);
	}
	self->desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
	self->wide = aclCreateTensorDesc(ACL_FLOAT, 2, pair, ACL_FORMAT_ND);
	self->attr = aclopCreateAttr();
	ASSERT_NE(NULL, self->desc);
	ASSERT_NE(NULL, self->wide);
	ASSERT_NE(NULL, self->attr);
}

FIXTURE_TEARDOWN(op)
{
	aclopDestroyAttr(self->attr);
	aclDestroyTensorDesc(self->desc);
	aclDestroyTensorDesc(self->wide);
	for (int i = 0; i < MOST; i++) {
		OK(aclDestroyDataBuffer(self->buffer[i]));
		OK(aclrtFree(self->device[i]));
	}
	OK(aclrtDestroyStream(self->stream));
	OK(aclrtResetDevice(0));
	OK(aclFinalize());
}

/* Read a tensor when the stream is done. */
static void get(aclrtStream stream, const void *from, void *to)
{
	aclrtSynchronizeStream(stream);
	aclrtMemcpy(to, 2 * BYTES, from, 2 * BYTES, ACL_MEMCPY_DEVICE_TO_HOST);
}

TEST_F(op, runs)
{
	aclTensorDesc *inputs[] = { self->desc, self->desc };
	float out[2 * COUNT];

	OK(aclopExecuteV2("Add", 2, inputs, self->buffer, 1, &self->desc,
			  &self->buffer[3], NULL, self->stream));
	get(self->stream, self->device[3], out);
	for (int i = 0; i < COUNT; i++)
		EXPECT_EQ(2 * i - 2.5f, out[i]);
	EXPECT_EQ(COUNT - 7.5f, out[COUNT]);
	OK(aclopExecute("Relu", 1, (const aclTensorDesc *const *)inputs,
			(const aclDataBuffer *const *)&self->buffer[1], 1,
			(const aclTensorDesc *const *)&self->desc,
			&self->buffer[3], NULL, self->stream));
	get(self->stream, self->device[3], out);
	EXPECT_EQ(0, out[0]);
	EXPECT_EQ(2.5f, out[5]);
}

TEST_F(op, attributes)
{
	aclTensorDesc *inputs[] = { self->desc, self->desc };
	float out[2 * COUNT];

	EXPECT_ACL(ACL_ERROR_OP_ATTR_NOT_MATCH,
		   aclopExecuteV2("ConcatD", 2, inputs, self->buffer, 1,
				  &self->wide, &self->buffer[3], NULL,
				  self->stream));
	EXPECT_NE(NULL, strstr(aclGetRecentErrMsg(),
			       "attribute concat_dim is missing"));
	OK(aclopSetAttrFloat(self->attr, "concat_dim", 1));
	EXPECT_ACL(ACL_ERROR_OP_ATTR_NOT_MATCH,
		   aclopExecuteV2("ConcatD", 2, inputs, self->buffer, 1,
				  &self->wide, &self->buffer[3], self->attr,
				  self->stream));
	OK(aclopSetAttrInt(self->attr, "concat_dim", 1));
	OK(aclopExecuteV2("ConcatD", 2, inputs, self->buffer, 1, &self->wide,
			  &self->buffer[3], self->attr, self->stream));
	get(self->stream, self->device[3], out);
	EXPECT_EQ(2, out[2]);
	EXPECT_EQ(-2.5f, out[3]);
	EXPECT_EQ(3, out[6]);
	EXPECT_EQ(2.5f, out[11]);
	OK(aclopSetAttrFloat(self->attr, "value", 3));
	OK(aclopCompileAndExecuteV2("Muls", 1, inputs, self->buffer, 1,
				    &self->desc, &self->buffer[3], self->attr,
				    ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL,
				    self->stream));
	get(self->stream, self->device[3], out);
	EXPECT_EQ(15, out[5]);
}

TEST_F(op, kinds_of_attributes)
{
	const char *texts[] = { "a", "b" };
	const aclDataType types[] = { ACL_INT8 };
	const uint8_t flags[] = { 0, 2 };
	const int64_t ints[] = { 1, 0 };
	const int64_t *lists[] = { ints, NULL, ints };
	const int counts[] = { 2, 0, 1 }, negative = -1;
	const float numbers[] = { 1, 2 };

	OK(aclopSetAttrBool(self->attr, "x", 1));
	OK(aclopSetAttrString(self->attr, "x", "text"));
	OK(aclopSetAttrDataType(self->attr, "x", ACL_INT8));
	OK(aclopSetAttrListBool(self->attr, "x", 2, flags));
	OK(aclopSetAttrListFloat(self->attr, "x", 2, numbers));
	OK(aclopSetAttrListString(self->attr, "x", 2, texts));
	OK(aclopSetAttrListDataType(self->attr, "x", 1, types));
	OK(aclopSetAttrListInt(self->attr, "x", 2, ints));
	OK(aclopSetAttrListListInt(self->attr, "x", 3, counts, lists));
	OK(aclopSetAttrListListInt(self->attr, "x", 0, NULL, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopSetAttrListListInt(self->attr, "x", 3, NULL, lists));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopSetAttrListListInt(self->attr, "x", 1, counts,
					   lists + 1));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopSetAttrListListInt(self->attr, "x", 1, &negative,
					   lists));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopSetAttrListInt(self->attr, "x", -1, ints));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopSetAttrListInt(self->attr, "x", 1, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopSetAttrInt(self->attr, NULL, 1));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclopSetAttrInt(NULL, "x", 1));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopSetAttrInt((aclopAttr *)&ints, "x", 1));
	OK(aclopSetModelDir("."));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclopSetModelDir(NULL));
	OK(aclopSetMaxOpQueueNum(10));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclopSetMaxOpQueueNum(0));
}

/* The operators exist without models, so only the first bytes are checked. */
TEST_F(op, models_of_operators)
{
	OK(aclopLoad("IMOD data", 9));
	OK(aclopLoad("VNPU-OM", 8));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclopLoad(NULL, 9));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclopLoad("IMOD", 0));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclopLoad("IMOD", 3));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclopLoad("VNPU-OM", 7));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM, aclopLoad("\0\0\0\0\0\0\0\0", 8));
}

/* Infer the sizes of an output that has none, and run with them. */
TEST_F(op, sizes_of_outputs)
{
	static const int64_t unknown[] = { -1, -2, -1, -1 }, axes[] = { 0 };
	aclTensorDesc *inputs[] = { self->desc, self->desc };
	aclTensorDesc *out = aclCreateTensorDesc(ACL_FLOAT, 4, unknown,
						 ACL_FORMAT_ND);
	int64_t dims[2], given[2];
	float sums[2 * COUNT];

	ASSERT_NE(NULL, out);
	OK(aclopSetAttrListInt(self->attr, "axes", 1, axes));
	OK(aclopInferShape("ReduceSumD", 1, inputs, self->buffer, 1, &out,
			   self->attr));
	ASSERT_EQ(1, aclGetTensorDescNumDims(out));
	OK(aclGetTensorDescDimV2(self->desc, 1, &given[1]));
	OK(aclGetTensorDescDimV2(out, 0, &dims[0]));
	EXPECT_EQ(given[1], dims[0]);
	OK(aclopUpdateParams("ReduceSumD", 1,
			     (const aclTensorDesc *const *)inputs, 1,
			     (const aclTensorDesc *const *)&out, self->attr));
	OK(aclopExecuteV2("ReduceSumD", 1, inputs, self->buffer, 1, &out,
			  &self->buffer[3], self->attr, self->stream));
	get(self->stream, self->device[3], sums);
	EXPECT_EQ(3, sums[0]);
	EXPECT_EQ(7, sums[2]);
	OK(aclopInferShape("Add", 2, inputs, self->buffer, 1, &out, NULL));
	ASSERT_EQ(2, aclGetTensorDescNumDims(out));

	EXPECT_ACL(ACL_ERROR_OP_NOT_FOUND,
		   aclopInferShape("Nothing", 1, inputs, self->buffer, 1, &out,
				   NULL));
	EXPECT_ACL(ACL_ERROR_OP_NOT_FOUND,
		   aclopUpdateParams("Nothing", 1,
			(const aclTensorDesc *const *)inputs, 1,
			(const aclTensorDesc *const *)&out, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopInferShape("Add", 2, inputs, NULL, 1, &out, NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopInferShape("Add", 2, inputs, self->buffer, 1, NULL,
				   NULL));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopInferShape("Add", 2, inputs, self->buffer, 0, &out,
				   NULL));
	inputs[1] = NULL;
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopInferShape("Add", 2, inputs, self->buffer, 1, &out,
				   NULL));
	aclDestroyTensorDesc(out);
}

TEST_F(op, handles)
{
	const aclTensorDesc *inputs[] = { self->desc, self->desc };
	const aclTensorDesc *output = self->desc;
	aclopHandle *handle = NULL;
	float out[2 * COUNT];

	OK(aclopCreateHandle("Maximum", 2, inputs, 1, &output, NULL, &handle));
	for (int i = 0; i < 3; i++)
		OK(aclopExecWithHandle(handle, 2,
			(const aclDataBuffer *const *)self->buffer, 1,
			&self->buffer[3], self->stream));
	get(self->stream, self->device[3], out);
	EXPECT_EQ(5, out[5]);
	EXPECT_ACL(ACL_ERROR_OP_INPUT_NOT_MATCH,
		   aclopExecWithHandle(handle, 1,
			(const aclDataBuffer *const *)self->buffer, 1,
			&self->buffer[3], self->stream));
	aclopDestroyHandle(handle);
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopExecWithHandle(handle, 2,
			(const aclDataBuffer *const *)self->buffer, 1,
			&self->buffer[3], self->stream));
	EXPECT_ACL(ACL_ERROR_OP_NOT_FOUND,
		   aclopCreateHandle("Maximal", 2, inputs, 1, &output, NULL,
				     &handle));
	OK(aclopCompile("Maximum", 2, inputs, 1, &output, NULL, ACL_ENGINE_SYS,
			ACL_COMPILE_SYS, NULL));
	EXPECT_ACL(ACL_ERROR_API_NOT_SUPPORT,
		   aclopCompile("Maximum", 2, inputs, 1, &output, NULL,
				ACL_ENGINE_SYS, ACL_COMPILE_UNREGISTERED,
				"x.py"));
}

TEST_F(op, casts)
{
	static const int64_t dims[] = { 2, 3 };
	aclTensorDesc *whole = aclCreateTensorDesc(ACL_INT32, 2, dims,
						   ACL_FORMAT_ND);
	aclopHandle *handle = NULL;
	int32_t out[2 * COUNT];

	ASSERT_NE(NULL, whole);
	OK(aclopCast(self->desc, self->buffer[1], whole, self->buffer[3], 1,
		     self->stream));
	get(self->stream, self->device[3], out);
	EXPECT_EQ(-2, out[0]);
	EXPECT_EQ(2, out[5]);
	OK(aclopCreateHandleForCast(self->desc, whole, 1, &handle));
	OK(aclopExecWithHandle(handle, 1,
			       (const aclDataBuffer *const *)self->buffer, 1,
			       &self->buffer[3], self->stream));
	get(self->stream, self->device[3], out);
	EXPECT_EQ(5, out[5]);
	aclopDestroyHandle(handle);
	aclDestroyTensorDesc(whole);
}

TEST_F(op, errors)
{
	static const int64_t unknown[] = { -1, 3 };
	aclTensorDesc *inputs[] = { self->desc, self->wide }, *open;
	aclDataBuffer *small = aclCreateDataBuffer(self->device[0], 8);

	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopExecuteV2("Add", 2, inputs, self->buffer, 1,
				  &self->desc, &self->buffer[3], NULL,
				  self->stream));
	EXPECT_NE(NULL, strstr(aclGetRecentErrMsg(), "Add: error"));
	EXPECT_ACL(ACL_ERROR_OP_INPUT_NOT_MATCH,
		   aclopExecuteV2("Add", 1, inputs, self->buffer, 1,
				  &self->desc, &self->buffer[3], NULL,
				  self->stream));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopExecuteV2("Relu", 1, inputs, &small, 1, &self->desc,
				  &self->buffer[3], NULL, self->stream));
	EXPECT_NE(NULL, strstr(aclGetRecentErrMsg(),
			       "expected a buffer of at least 24 bytes, given 8"));
	open = aclCreateTensorDesc(ACL_FLOAT, 2, unknown, ACL_FORMAT_ND);
	EXPECT_ACL(ACL_ERROR_OP_UNSUPPORTED_DYNAMIC,
		   aclopExecuteV2("Relu", 1, &open, self->buffer, 1, &open,
				  &self->buffer[3], NULL, self->stream));
	aclDestroyTensorDesc(open);
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopExecuteV2("Relu", 1, &open, self->buffer, 1, &open,
				  &self->buffer[3], NULL, self->stream));
	EXPECT_ACL(ACL_ERROR_INVALID_PARAM,
		   aclopCompileAndExecute(NULL, 0, NULL, NULL, 0, NULL, NULL,
					  NULL, ACL_ENGINE_SYS,
					  ACL_COMPILE_SYS, NULL,
					  self->stream));
	EXPECT_ACL(aclrtSynchronizeStream((aclrtStream)1),
		   aclopExecuteV2("Relu", 1, inputs, self->buffer, 1,
				  &self->desc, &self->buffer[3], NULL,
				  (aclrtStream)1));
	OK(aclDestroyDataBuffer(small));
}

/* Absent inputs: one of a list is an error, also with sizes beyond all limits. */
TEST_F(op, absent_inputs)
{
	aclTensorDesc *inputs[] = { self->desc, NULL };
	int64_t dims[128];

	for (size_t i = 0; i < ARRAY_SIZE(dims); i++)
		dims[i] = 1;
	for (int rank = 0; rank <= 128; rank += 64) {
		inputs[1] = aclCreateTensorDesc(ACL_DT_UNDEFINED, rank, dims,
						ACL_FORMAT_ND);
		ASSERT_NE(NULL, inputs[1]);
		EXPECT_ACL(ACL_ERROR_OP_INPUT_NOT_MATCH,
			   aclopExecuteV2("AddN", 2, inputs, self->buffer, 1,
					  &self->desc, &self->buffer[3], NULL,
					  self->stream));
		EXPECT_NE(NULL, strstr(aclGetRecentErrMsg(),
				       "input 1 is missing: 2 were given"));
		EXPECT_ACL(ACL_ERROR_OP_INPUT_NOT_MATCH,
			   aclopExecuteV2("Add", 2, inputs, self->buffer, 1,
					  &self->desc, &self->buffer[3], NULL,
					  self->stream));
		aclDestroyTensorDesc(inputs[1]);
	}
}

/* A capture gets all steps of an operator, or none. */
TEST_F(op, captures)
{
	aclTensorDesc *inputs[] = { self->desc, self->desc, self->desc };
	aclmdlRI model;
	float out[2 * COUNT];

	OK(aclmdlRICaptureBegin(self->stream,
				ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclopExecuteV2("Add", 2, inputs, self->buffer, 1, &self->desc,
			  &self->buffer[3], NULL, self->stream));
	EXPECT_ACL(ACL_ERROR_RT_STREAM_CAPTURED,
		   aclopExecuteV2("AddN", 3, inputs, self->buffer, 1,
				  &self->desc, &self->buffer[3], NULL,
				  self->stream));
	OK(aclmdlRICaptureEnd(self->stream, &model));
	OK(aclmdlRIExecuteAsync(model, self->stream));
	get(self->stream, self->device[3], out);
	for (int i = 0; i < COUNT; i++)
		EXPECT_EQ(2 * i - 2.5f, out[i]);
	OK(aclmdlRIDestroy(model));
	OK(aclopExecuteV2("AddN", 3, inputs, self->buffer, 1, &self->desc,
			  &self->buffer[3], NULL, self->stream));
	get(self->stream, self->device[3], out);
	for (int i = 0; i < COUNT; i++)
		EXPECT_EQ(3 * i - 7.5f, out[i]);
}

/* Memory of steps is not freed before they end. */
TEST_F(op, stream_without_waits)
{
	aclTensorDesc *inputs[] = { self->desc, self->desc, self->desc };
	aclrtStream stream;

	OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclopExecuteV2("AddN", 3, inputs, self->buffer, 1,
				  &self->desc, &self->buffer[3], NULL,
				  stream));
	OK(aclrtDestroyStream(stream));
}

/* Integers are not rounded to numbers of 53 bits. */
TEST_F(op, large_integers)
{
	const int64_t large = (1LL << 53) + 1, dim = COUNT;
	aclTensorDesc *whole = aclCreateTensorDesc(ACL_INT64, 1, &dim,
						   ACL_FORMAT_ND);
	int64_t out[COUNT];

	ASSERT_NE(NULL, whole);
	OK(aclopSetAttrInt(self->attr, "value", large));
	OK(aclopExecuteV2("Fills", 0, NULL, NULL, 1, &whole, &self->buffer[3],
			  self->attr, self->stream));
	get(self->stream, self->device[3], out);
	for (int i = 0; i < COUNT; i++)
		EXPECT_EQ(large, out[i]);
	aclDestroyTensorDesc(whole);
}

/* A file for each shape; dump_args.c tests the errors. */
TEST_F(op, described_in_files)
{
	aclTensorDesc *inputs[] = { self->desc, self->desc };
	aclTensorDesc *wide[] = { self->wide, self->wide };
	const char *text;

	folder_make();
	OK(aclopStartDumpArgs(ACL_OP_DUMP_OP_AICORE_ARGS, folder));
	for (int i = 0; i < 2; i++)
		OK(aclopExecuteV2("Add", 2, inputs, self->buffer, 1,
				  &self->desc, &self->buffer[3], NULL,
				  self->stream));
	EXPECT_EQ(1, nr_files());
	text = file_text("/Add.*.json");
	EXPECT_NE(NULL, strstr(text, "\"op\": \"Add\"")) TH_LOG("%s", text);
	EXPECT_NE(NULL, strstr(text, "\"shape\": [2, 3]")) TH_LOG("%s", text);
	OK(aclopExecuteV2("Add", 2, wide, self->buffer, 1, &self->wide,
			  &self->buffer[3], NULL, self->stream));
	EXPECT_EQ(2, nr_files());
	OK(aclopStopDumpArgs(ACL_OP_DUMP_OP_AICORE_ARGS));
	OK(aclopExecuteV2("Mul", 2, inputs, self->buffer, 1, &self->desc,
			  &self->buffer[3], NULL, self->stream));
	EXPECT_EQ(2, nr_files());
	OK(aclrtSynchronizeStream(self->stream));
	folder_remove();
}

TEST_F(op, descriptions)
{
	int64_t dim = 0;

	EXPECT_EQ(ACL_FLOAT, aclGetTensorDescType(self->desc));
	EXPECT_EQ(ACL_FORMAT_ND, aclGetTensorDescFormat(self->desc));
	EXPECT_EQ(BYTES, aclGetTensorDescSize(self->desc));
	EXPECT_EQ(COUNT, aclGetTensorDescElementCount(self->desc));
	EXPECT_EQ(2, aclGetTensorDescNumDims(self->desc));
	EXPECT_EQ(3, aclGetTensorDescDim(self->desc, 1));
	OK(aclGetTensorDescDimV2(self->desc, 0, &dim));
	EXPECT_EQ(2, dim);
	aclSetTensorDescName(self->desc, "x");
	EXPECT_EQ(0, strcmp("x", aclGetTensorDescName(self->desc)));
}

TEST_HARNESS_MAIN
