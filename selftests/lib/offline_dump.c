// SPDX-License-Identifier: GPL-2.0-only
/* Offline models: dumps of their operators.  dump_files.c tests the files. */
#include "acl-test.h"
#include "acl-offline.h"
#include "acl/ops/acl_cblas.h"
#include "dump_look.h"

FIXTURE(dump) {
	aclrtStream stream;
	struct model m;
};

FIXTURE_SETUP(dump)
{
	folder_make();
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
}

FIXTURE_TEARDOWN(dump)
{
	OK(aclrtResetDeviceForce(0));
	folder_remove();
}

/* Configure a dump with these members by @call, which gets a file. */
static aclError configure(aclError (*call)(const char *path),
			  const char *members)
{
	char path[] = "/tmp/vnpu-dump-json-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	aclError ret;

	if (!f)
		abort();
	fprintf(f, "{\"dump\": {\"dump_path\": \"%s\", %s}}", folder, members);
	fclose(f);
	ret = call(path);
	unlink(path);
	return ret;
}

#define SET(members)	OK(configure(aclmdlSetDump, members))
#define IS_RIGHT(m)	EXPECT_TRUE(model_is_right(m))
#define ALL		"\"dump_mode\": \"all\", \"dump_list\": [{}]"

static aclError run(struct model *m)
{
	aclError err = model_put(m);

	return err ? err : aclmdlExecute(m->id, m->in, m->out);
}

/* z = softmax(relu(x w) w) */
TEST_F(dump, has_the_tensors_of_the_model)
{
	struct model *m = &self->m;
	size_t before = free_bytes();

	OK(aclmdlInitDump());
	SET(ALL);
	OK(model_load(m, "linear"));
	OK(run(m));
	IS_RIGHT(m);
	EXPECT_TRUE(npy_is("/0/*.0.[0-9]*.[0-9]*.input.0.npy", "'<f4'*(4,64,)", m->data[0],
			   m->bytes[0])) TH_LOG("%s", npy_head);
	EXPECT_TRUE(npy_is("/0/Softmax.*.output.0.npy", "'<f4'*(4,64,)",
			   m->data[1], m->bytes[1])) TH_LOG("%s", npy_head);
	EXPECT_LE(6, nr_files());
	OK(model_close(m));
	OK(aclmdlFinalizeDump());
	EXPECT_EQ(before, free_bytes());
}

/* A model is dumped from its load after the configuration to the end. */
TEST_F(dump, of_later_models)
{
	struct model *m = &self->m, early;

	OK(aclmdlInitDump());
	OK(model_load(&early, "linear"));
	SET("\"dump_list\": [{\"model_name\": \"linear\", \"layer\": [\"z\", \"none\"]}]");
	OK(model_load(m, "linear"));
	OK(run(&early));
	EXPECT_EQ(0, nr_files());
	OK(run(m));
	EXPECT_EQ(1, nr_files());
	OK(run(m));
	EXPECT_EQ(2, nr_files());
	EXPECT_TRUE(find_file("/1/Softmax.*.output.0.npy"));
	SET("\"dump_list\": [{\"model_name\": \"other\"}]");
	OK(run(m));
	EXPECT_EQ(3, nr_files());
	OK(aclmdlFinalizeDump());
	OK(run(m));
	IS_RIGHT(m);
	EXPECT_EQ(3, nr_files());
	OK(model_close(&early));
	OK(model_close(m));
}

TEST_F(dump, by_init)
{
	struct model *m = &self->m;

	EXPECT_ACL(ACL_ERROR_INVALID_DUMP_CONFIG,
		   configure(aclInit, "\"dump_mode\": \"none\""));
	OK(configure(aclInit, "\"dump_list\": [{}], \"dump_step\": \"1\""));
	EXPECT_ACL(ACL_ERROR_DUMP_ALREADY_RUN, aclmdlInitDump());
	OK(model_load(m, "linear"));
	OK(run(m));
	EXPECT_EQ(0, nr_files());
	OK(run(m));
	EXPECT_TRUE(find_file("/1/Softmax.*.output.0.npy"));
	OK(aclFinalize());
	OK(model_close(m));
	OK(aclmdlInitDump());
	OK(aclmdlFinalizeDump());
}

TEST_F(dump, asynchronously)
{
	struct model *m = &self->m;

	OK(aclmdlInitDump());
	SET("\"dump_list\": [{}], \"dump_data\": \"stats\"");
	OK(model_load(m, "linear"));
	OK(model_put(m));
	OK(aclmdlExecuteAsync(m->id, m->in, m->out, self->stream));
	EXPECT_TRUE(find_file("/0/Softmax.*.csv"));
	OK(aclrtSynchronizeStream(self->stream));
	IS_RIGHT(m);
	OK(model_close(m));
	OK(aclmdlFinalizeDump());
}

/* The run stops at the operator, and the next one is right. */
TEST_F(dump, that_cannot_be_written)
{
	struct model *m = &self->m;

	OK(aclmdlInitDump());
	SET(ALL);
	OK(model_load(m, "linear"));
	folder_remove();
	EXPECT_ACL(ACL_ERROR_WRITE_FILE, run(m));
	EXPECT_NE(NULL, strstr(recent(), folder)) TH_LOG("%s", recent());
	folder_make();
	OK(run(m));
	IS_RIGHT(m);
	OK(model_close(m));
	OK(aclmdlFinalizeDump());
}

TEST_F(dump, not_in_a_capture)
{
	struct model *m = &self->m;
	aclmdlRI captured;

	OK(aclmdlInitDump());
	SET(ALL);
	OK(model_load(m, "linear"));
	OK(model_put(m));
	OK(aclmdlRICaptureBegin(self->stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclmdlExecuteAsync(m->id, m->in, m->out, self->stream));
	OK(aclmdlRICaptureEnd(self->stream, &captured));
	OK(aclmdlRIExecuteAsync(captured, self->stream));
	OK(aclrtSynchronizeStream(self->stream));
	IS_RIGHT(m);
	EXPECT_EQ(0, nr_files());
	OK(aclmdlRIDestroy(captured));
	OK(model_close(m));
	OK(aclmdlFinalizeDump());
}

TEST_F(dump, needs_a_stream_that_ends)
{
	struct model *m = &self->m;
	aclrtStream stream;

	OK(aclmdlInitDump());
	SET(ALL);
	OK(model_load(m, "linear"));
	OK(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
	EXPECT_ACL(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
		   aclmdlExecuteAsync(m->id, m->in, m->out, stream));
	OK(aclrtDestroyStream(stream));
	OK(model_close(m));
	OK(aclmdlFinalizeDump());
}

TEST_F(dump, of_single_operators)
{
	const float numbers[] = { 2, 3, 0, 1, 0 };
	float product = 0;
	float *p;

	OK(aclInit(NULL));
	OK(aclmdlInitDump());
	SET("\"dump_op_switch\": \"on\"");
	OK(aclrtMalloc((void **)&p, sizeof(numbers), ACL_MEM_MALLOC_HUGE_FIRST));
	OK(aclrtMemcpy(p, sizeof(numbers), numbers, sizeof(numbers),
		       ACL_MEMCPY_HOST_TO_DEVICE));
	/* p[2] = p[3] * p[0] * p[1] + p[4] * p[2] */
	OK(aclblasGemmEx(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 1, 1, 1, p + 3,
			 p, -1, ACL_FLOAT, p + 1, -1, ACL_FLOAT, p + 4, p + 2,
			 -1, ACL_FLOAT, ACL_COMPUTE_HIGH_PRECISION,
			 self->stream));
	EXPECT_TRUE(find_file("/0/GEMM.GEMM.0.*.output.0.npy"));
	OK(aclrtMemcpy(&product, 4, p + 2, 4, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(6, product);
	EXPECT_TRUE(npy_is(".output.0.npy", "'<f4'", &product, sizeof(product)))
		TH_LOG("%s", npy_head);
	OK(aclmdlFinalizeDump());
	OK(aclrtFree(p));
	OK(aclFinalize());
}

TEST_HARNESS_MAIN
