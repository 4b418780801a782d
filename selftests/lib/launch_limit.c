// SPDX-License-Identifier: GPL-2.0-only
/* Limits of cores hold for launches: blocks count how many run at a time. */
#include "launch.h"

#define CUBE	ACL_RT_DEV_RES_CUBE_CORE
#define VECTOR	ACL_RT_DEV_RES_VECTOR_CORE

#define BLOCKS	24U
#define WORKERS	"6"
#define TRIES	50

/* The words of the kernel "stays". */
struct count {
	uint32_t live;
	uint32_t most;
	uint32_t ended;
};

static void count_clear(struct __test_metadata *_metadata,
			struct count *count)
{
	OK(aclrtMemset(count, sizeof(*count), 0, sizeof(*count)));
}

static struct count count_get(struct __test_metadata *_metadata,
			      const struct count *count)
{
	struct count is;

	OK(aclrtMemcpy(&is, sizeof(is), count, sizeof(is),
		       ACL_MEMCPY_DEVICE_TO_HOST));
	return is;
}

/* Run a launch, and return how many of its blocks ran at a time. */
static uint32_t run(struct __test_metadata *_metadata, aclrtFuncHandle stays,
		    aclrtStream stream, struct count *count)
{
	struct count is;

	count_clear(_metadata, count);
	OK(launch_on(stays, BLOCKS, stream, count));
	OK(aclrtSynchronizeStream(stream));
	is = count_get(_metadata, count);
	EXPECT_EQ(BLOCKS, is.ended);
	EXPECT_EQ(0, is.live);
	return is.most;
}

/* The system decides which threads run, so a launch may have fewer by chance. */
static uint32_t run_some(struct __test_metadata *_metadata,
			 aclrtFuncHandle stays, aclrtStream stream,
			 struct count *count, uint32_t want)
{
	uint32_t most = 0, now;

	for (int i = 0; i < TRIES && most < want; i++) {
		now = run(_metadata, stays, stream, count);
		most = now > most ? now : most;
	}
	return most;
}

/* In a test. */
#define RUN(stream)	run(_metadata, stays, stream, self->x)
#define RUN_SOME(stream, want) \
	run_some(_metadata, stays, stream, self->x, want)

FIXTURE(cores) {
	aclrtStream stream;
	aclrtStream other;
	aclrtBinHandle bin;
	struct count *x;
};

FIXTURE_SETUP(cores)
{
	char path[PATH_MAX];

	/* More threads than most machines have processors. */
	setenv("VNPU_CORE_WORKERS", WORKERS, 1);
	kernels_path(path, sizeof(path));
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	OK(aclrtCreateStream(&self->other));
	OK(aclrtBinaryLoadFromFile(path, NULL, &self->bin));
	OK(aclrtMalloc((void **)&self->x, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
}

FIXTURE_TEARDOWN(cores)
{
	aclrtResetDeviceForce(0);
	aclFinalize();
}

TEST_F_TIMEOUT(cores, of_a_stream, 120)
{
	aclrtFuncHandle stays = FUNC("stays");

	EXPECT_LT(2, RUN_SOME(self->stream, 3));
	OK(aclrtSetStreamResLimit(self->stream, VECTOR, 2));
	for (int i = 0; i < 5; i++)
		EXPECT_GE(2, RUN(self->stream));
	OK(aclrtSetStreamResLimit(self->stream, VECTOR, 1));
	EXPECT_EQ(1, RUN(self->stream));
	/* Neither another stream nor another kind of core has the limit. */
	EXPECT_LT(2, RUN_SOME(self->other, 3));
	OK(aclrtSetStreamResLimit(self->other, CUBE, 1));
	EXPECT_LT(2, RUN_SOME(self->other, 3));
	OK(aclrtResetStreamResLimit(self->stream));
	EXPECT_LT(2, RUN_SOME(self->stream, 3));
}

TEST_F_TIMEOUT(cores, of_a_thread, 120)
{
	aclrtFuncHandle stays = FUNC("stays");

	OK(aclrtSetStreamResLimit(self->stream, VECTOR, 2));
	OK(aclrtUseStreamResInCurrentThread(self->stream));
	for (int i = 0; i < 5; i++)
		EXPECT_GE(2, RUN(self->other));
	/* The stream's own limit comes first. */
	OK(aclrtSetStreamResLimit(self->other, VECTOR, 1));
	EXPECT_EQ(1, RUN(self->other));
	OK(aclrtResetStreamResLimit(self->other));
	OK(aclrtUnuseStreamResInCurrentThread(self->stream));
	EXPECT_LT(2, RUN_SOME(self->other, 3));
}

/* All launches of the process on the device together have the limit. */
TEST_F_TIMEOUT(cores, of_a_device, 120)
{
	aclrtFuncHandle stays = FUNC("stays");
	aclrtContext current, context;
	aclrtStream third;
	struct count is;

	OK(aclrtGetCurrentContext(&current));
	OK(aclrtCreateContext(&context, 0));
	OK(aclrtCreateStream(&third));
	OK(aclrtSetDeviceResLimit(0, VECTOR, 2));
	count_clear(_metadata, self->x);
	for (int i = 0; i < 3; i++) {
		OK(aclrtSetCurrentContext(context));
		OK(launch_on(stays, BLOCKS, third, self->x));
		OK(aclrtSetCurrentContext(current));
		OK(launch_on(stays, BLOCKS, self->stream, self->x));
		OK(launch_on(stays, BLOCKS, self->other, self->x));
	}
	OK(aclrtSynchronizeDevice());
	is = count_get(_metadata, self->x);
	EXPECT_EQ(9 * BLOCKS, is.ended);
	EXPECT_GE(2, is.most);

	/* The limit of a stream comes first, also if it is larger. */
	OK(aclrtSetStreamResLimit(self->stream, VECTOR, 4));
	EXPECT_LT(2, RUN_SOME(self->stream, 3));
	OK(aclrtResetDeviceResLimit(0));
	EXPECT_LT(4, RUN_SOME(self->other, 5));
	EXPECT_GE(4, RUN(self->stream));
}

/* A launch has the limit of its submission, and a model that of its capture. */
TEST_F_TIMEOUT(cores, of_a_capture, 120)
{
	aclrtFuncHandle stays = FUNC("stays");
	aclmdlRI model;
	struct count is;

	OK(aclrtSetStreamResLimit(self->stream, VECTOR, 1));
	OK(aclmdlRICaptureBegin(self->stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(launch_on(stays, BLOCKS, self->stream, self->x));
	OK(aclmdlRICaptureEnd(self->stream, &model));
	OK(aclrtResetStreamResLimit(self->stream));
	count_clear(_metadata, self->x);
	OK(aclmdlRIExecuteAsync(model, self->other));
	OK(aclrtSynchronizeStream(self->other));
	is = count_get(_metadata, self->x);
	EXPECT_EQ(BLOCKS, is.ended);
	EXPECT_EQ(1, is.most);
	OK(aclmdlRIDestroy(model));
}

/* The kernel that replaces another one has the limits of the capture. */
TEST_F(cores, of_another_kernel)
{
	aclmdlRITaskParams params = {
		.type = ACL_MODEL_RI_TASK_KERNEL,
		.kernelTaskParams = {
			.funcHandle = FUNC("stays"),
			.args = &self->x,
			.isHostArgs = 1,
			.argsSize = sizeof(self->x),
			.numBlocks = BLOCKS,
		},
	};
	uint32_t streams = 1, tasks = 1;
	aclrtStream stream;
	aclmdlRITask task;
	aclmdlRI model;

	OK(aclrtSetStreamResLimit(self->stream, VECTOR, 0));
	OK(aclmdlRICaptureBegin(self->stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(launch_on(FUNC("on_cube"), 1, self->stream, self->x));
	OK(aclmdlRICaptureEnd(self->stream, &model));
	OK(aclrtResetStreamResLimit(self->stream));
	OK(aclmdlRIGetStreams(model, &stream, &streams));
	OK(aclmdlRIGetTasksByStream(stream, &task, &tasks));
	EXPECT_ACL(BAD_VALUE, aclmdlRITaskSetParams(task, &params));
	params.kernelTaskParams.funcHandle = FUNC("on_both");
	EXPECT_ACL(BAD_VALUE, aclmdlRITaskSetParams(task, &params));
	params.kernelTaskParams.funcHandle = FUNC("on_cube");
	OK(aclmdlRITaskSetParams(task, &params));
	OK(aclmdlRIDestroy(model));
}

/* Blocks that wait for each other keep their cores. */
TEST_F(cores, with_a_barrier)
{
	aclrtFuncHandle meets = FUNC("meets");

	OK(aclrtSetStreamResLimit(self->stream, VECTOR, 4));
	OK(launch(meets, 4, self->stream, NULL, 0));
	OK(aclrtSynchronizeStream(self->stream));
	OK(launch(meets, 5, self->stream, NULL, 0));
	EXPECT_EQ(VECTOR_EXCEPTION, aclrtSynchronizeStream(self->stream));
	EXPECT_NE(NULL, strstr(aclGetRecentErrMsg() ?: "",
		"SyncAll waits for all 5 blocks, but the limit of cores allows 4 at a time"));
}

TEST_F(cores, none)
{
	aclrtFuncHandle both = FUNC("on_both");

	OK(aclrtSetStreamResLimit(self->stream, VECTOR, 0));
	EXPECT_ACL(BAD_VALUE, launch_on(FUNC("stays"), 1, self->stream,
					self->x));
	OK(launch_on(FUNC("on_cube"), 1, self->stream, self->x));
	OK(aclrtSetStreamResLimit(self->stream, CUBE, 0));
	EXPECT_ACL(BAD_VALUE, launch_on(FUNC("on_cube"), 1, self->stream,
					self->x));
	OK(aclrtSynchronizeStream(self->stream));
	OK(aclrtSetDeviceResLimit(0, CUBE, 0));
	EXPECT_ACL(BAD_VALUE, launch_on(both, 1, self->other, self->x));
	OK(aclrtResetDeviceResLimit(0));

	/* A group of a mixed kernel needs two vector cores. */
	OK(aclrtSetDeviceResLimit(0, VECTOR, 1));
	OK(launch_on(both, 1, self->other, self->x));
	EXPECT_NE(0, aclrtSynchronizeStream(self->other));
	EXPECT_NE(NULL, strstr(aclGetRecentErrMsg() ?: "",
		"kernel on_both: a block needs 1 cube and 2 vector cores, but the launch may use 24 and 1"));
	OK(aclrtSetDeviceResLimit(0, VECTOR, 2));
	OK(launch_on(both, 10, self->other, self->x));
	OK(aclrtSynchronizeStream(self->other));
}

/* Where cube cores contain the vector units, their limit holds for all kernels. */
FIXTURE(chip) {
	aclrtStream stream;
	aclrtBinHandle bin;
	struct count *x;
};

FIXTURE_SETUP(chip)
{
	char path[PATH_MAX];

	setenv("VNPU_SOC", "310P", 1);
	setenv("VNPU_CORE_WORKERS", WORKERS, 1);
	kernels_path(path, sizeof(path));
	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&self->stream));
	OK(aclrtBinaryLoadFromFile(path, NULL, &self->bin));
	OK(aclrtMalloc((void **)&self->x, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
}

FIXTURE_TEARDOWN(chip)
{
	aclrtResetDeviceForce(0);
	aclFinalize();
}

TEST_F_TIMEOUT(chip, without_vector_cores, 120)
{
	aclrtFuncHandle stays = FUNC("stays");

	OK(aclrtSetStreamResLimit(self->stream, VECTOR, 0));
	EXPECT_LT(2, RUN_SOME(self->stream, 3));
	OK(aclrtSetStreamResLimit(self->stream, CUBE, 1));
	EXPECT_EQ(1, RUN(self->stream));
	OK(aclrtSetStreamResLimit(self->stream, CUBE, 0));
	EXPECT_ACL(BAD_VALUE, launch_on(stays, 1, self->stream, self->x));
	EXPECT_NE(NULL, strstr(aclGetRecentErrMsg() ?: "",
			       "the kernel runs on cube cores"));
}

TEST_HARNESS_MAIN
