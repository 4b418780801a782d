// SPDX-License-Identifier: GPL-2.0-only
/* Changes of single tasks of built models by a stream, and aborts of runs. */
#include "capture_build.h"
#include "acl-kernel.h"

#include <pthread.h>

#define NOT_THIS_TASK	ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT
#define ABORTED		ACL_ERROR_RT_STREAM_ABORT
#define NUMBERS		64

/* What an update reads. */
struct values {
	uint64_t entry;
	uint32_t blocks, pad;
	aclrtRandomNumTaskInfo random;
};

static aclrtBinHandle load(void)
{
	aclrtBinHandle bin = NULL;
	char path[PATH_MAX];

	kernels_path(path, sizeof(path));
	return aclrtBinaryLoadFromFile(path, NULL, &bin) ? NULL : bin;
}

static aclError launch(aclrtBinHandle bin, const char *name, void *x,
		       aclrtStream stream)
{
	aclrtFuncHandle func;
	aclError err = aclrtBinaryGetFunction(bin, name, &func);

	return err ? err : aclrtLaunchKernelWithHostArgs(func, 1, stream, NULL,
							 &x, sizeof(x), NULL,
							 0);
}

static aclrtTaskUpdateInfo by_entry(aclrtBinHandle bin, struct values *values)
{
	return (aclrtTaskUpdateInfo){
		.id = ACL_RT_UPDATE_AIC_AIV_TASK,
		.val.aicAivTaskAttr = {
			.binHandle = bin,
			.funcEntryAddr = &values->entry,
			.blockDimAddr = &values->blocks,
		},
	};
}

static aclrtTaskUpdateInfo by_random(struct values *values)
{
	return (aclrtTaskUpdateInfo){
		.id = ACL_RT_UPDATE_RANDOM_TASK,
		.val.randomTaskAttr = {
			.srcAddr = &values->random,
			.size = sizeof(values->random),
		},
	};
}

/* Uniform numbers from 0 to below 1000. */
static aclrtRandomNumTaskInfo random_info(void *to, void *counter,
					  uint64_t seed, uint64_t count)
{
	static const int32_t limit = 1000;
	aclrtRandomNumTaskInfo info = {
		.dataType = ACL_INT32,
		.randomNumFuncParaInfo = {
			.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS,
			.paramInfo.uniformDisInfo = {
				.min = { .size = 4 },
				.max = { .size = 4 },
			},
		},
		.randomResultAddr = to,
		.randomCounterAddr = counter,
		.randomSeed = { .size = 8 },
		.randomNum = { .size = 8 },
	};

	memcpy(info.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max.valueOrAddr,
	       &limit, sizeof(limit));
	memcpy(info.randomSeed.valueOrAddr, &seed, sizeof(seed));
	memcpy(info.randomNum.valueOrAddr, &count, sizeof(count));
	return info;
}

FIXTURE_VARIANT(build) {
	bool branches;
};

FIXTURE_VARIANT_ADD(build, straight) {
	.branches = false,
};

FIXTURE_VARIANT_ADD(build, branches) {
	.branches = true,
};

/* Let the model have several graphs: a label ends one, and begins another. */
static aclError branch(aclrtStream stream)
{
	aclrtLabel label;
	aclError err = aclrtCreateLabel(&label);

	return err ? err : aclrtSetLabel(label, stream);
}

/* The stream that updates writes the values, so the call has to wait for it. */
TEST_F(build, a_kernel_is_found_by_its_entry)
{
	struct values *values = (struct values *)(self->w.dev + 1024);
	aclrtBinHandle bin = load();
	aclrtTaskUpdateInfo info = by_entry(bin, values);
	uint32_t task, repeated = 0;
	int32_t *n = self->n;

	OK(set(n, 0, self->s[0]));
	if (variant->branches)
		OK(branch(self->s[0]));
	OK(launch(bin, "keyed_1", n, self->s[0]));
	OK(aclrtGetThreadLastTaskId(&task));
	/* A label is a task as well. */
	EXPECT_EQ(1 + variant->branches, task);
	OK(aclmdlRIBuildEnd(self->model, NULL));
	OK(run(self->model, self->w.a));
	EXPECT_EQ(1, get(n));
	for (int32_t entry = 23; repeated++ < 4; entry = 24 - entry) {
		OK(aclrtMemset(values, 16, 0, 16));
		OK(aclrtMemsetD32Async(&values->entry, 4, entry, 1, self->w.b));
		OK(aclrtMemsetD32Async(&values->blocks, 4, 1, 1, self->w.b));
		OK(aclrtTaskUpdateAsync(self->s[0], task, &info, self->w.b));
		OK(aclrtSynchronizeStream(self->w.b));
		OK(run(self->model, self->w.a));
		EXPECT_EQ(entry, get(n));
	}
	OK(aclmdlRIDestroy(self->model));
}

/* A launch keeps its limits, also one that it did not need before. */
TEST_F(build, no_core_is_left_for_the_new_kernel)
{
	struct values *values = (struct values *)(self->w.dev + 1024);
	const struct values host = { .entry = 23, .blocks = 1 };
	aclrtBinHandle bin = load();
	aclrtTaskUpdateInfo info = by_entry(bin, values);
	uint32_t task;

	if (variant->branches)
		OK(branch(self->s[0]));
	OK(aclrtSetStreamResLimit(self->s[0], ACL_RT_DEV_RES_VECTOR_CORE, 0));
	OK(launch(bin, "on_cube", self->n, self->s[0]));
	OK(aclrtGetThreadLastTaskId(&task));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	OK(aclrtResetStreamResLimit(self->s[0]));
	OK(aclrtMemcpy(values, sizeof(host), &host, sizeof(host),
		       ACL_MEMCPY_HOST_TO_DEVICE));
	EXPECT_ACL(WRONG, aclrtTaskUpdateAsync(self->s[0], task, &info,
					       self->w.b));
	OK(run(self->model, self->w.a));
}

/* Of the values of the task, it keeps the distribution. */
TEST_F(build, random_numbers_get_another_seed_and_place)
{
	struct values *values = (struct values *)(self->w.dev + 1024);
	int32_t *n = self->n, got[NUMBERS], want[NUMBERS];
	aclrtTaskUpdateInfo info = by_random(values);
	aclrtRandomNumTaskInfo random;
	uint8_t *counter = self->w.dev + 512;
	uint32_t task;

	OK(aclrtMemset(self->w.dev, 2048, 0, 2048));
	if (variant->branches)
		OK(branch(self->s[0]));
	random = random_info(n, counter, 1, 8);
	OK(aclrtRandomNumAsync(&random, self->s[0], NULL));
	OK(aclrtGetThreadLastTaskId(&task));
	EXPECT_EQ(variant->branches, task);
	OK(aclmdlRIBuildEnd(self->model, NULL));

	random = random_info(n, counter, 77, NUMBERS);
	OK(aclrtRandomNumAsync(&random, self->w.a, NULL));
	OK(aclrtSynchronizeStream(self->w.a));
	OK(aclrtMemcpy(want, sizeof(want), n, sizeof(want),
		       ACL_MEMCPY_DEVICE_TO_HOST));
	OK(aclrtMemset(n, sizeof(want), 0, sizeof(want)));

	/* The type and the limits are those of before. */
	random = random_info(n + NUMBERS, counter, 77, NUMBERS);
	random.dataType = ACL_FLOAT;
	random.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max.size = 0;
	OK(aclrtMemcpy(&values->random, sizeof(random), &random,
		       sizeof(random), ACL_MEMCPY_HOST_TO_DEVICE));
	OK(aclrtTaskUpdateAsync(self->s[0], task, &info, NULL));
	OK(aclrtSynchronizeStream(NULL));
	OK(run(self->model, self->w.a));
	OK(aclrtMemcpy(got, sizeof(got), n + NUMBERS, sizeof(got),
		       ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(0, memcmp(want, got, sizeof(want)));
	EXPECT_EQ(0, get(n));
	EXPECT_NE(want[0], want[1]);
}

/* A task of a stream that never begins can be changed, without an effect. */
TEST_F(build, wrong_updates_are_refused)
{
	struct values *values = (struct values *)(self->w.dev + 1024);
	struct values host = { .entry = 3, .blocks = 1 };
	aclrtBinHandle bin = load();
	aclrtTaskUpdateInfo entry = by_entry(bin, values), wrong = entry;
	aclrtTaskUpdateInfo random = by_random(values);
	aclrtStream *s = self->s, b = self->w.b;

	OK(aclrtMemset(values, sizeof(*values), 0, sizeof(*values)));
	OK(launch(bin, "keyed_1", self->n, s[0]));
	OK(launch(bin, "nothing", self->n, s[1]));
	OK(set(self->n, 1, s[0]));
	if (variant->branches)
		OK(branch(s[0]));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED,
		   aclrtTaskUpdateAsync(s[0], 0, &entry, b));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	EXPECT_ACL(NULL_OR_ZERO, aclrtTaskUpdateAsync(s[0], 0, NULL, b));
	EXPECT_ACL(NULL_OR_ZERO, aclrtTaskUpdateAsync(NULL, 0, &entry, b));
	EXPECT_ACL(BOUND, aclrtTaskUpdateAsync(b, 0, &entry, b));
	EXPECT_ACL(BOUND, aclrtTaskUpdateAsync(s[0], 0, &entry, s[1]));
	/* No kernel has the entry 0, and then there are no blocks. */
	EXPECT_ACL(WRONG, aclrtTaskUpdateAsync(s[0], 0, &entry, b));
	OK(aclrtMemsetD32Async(&values->entry, 4, 23, 1, b));
	EXPECT_ACL(WRONG, aclrtTaskUpdateAsync(s[0], 0, &entry, b));
	OK(aclrtMemsetD32Async(&values->blocks, 4, 1, 1, b));
	EXPECT_ACL(WRONG, aclrtTaskUpdateAsync(s[0], 9, &entry, b));
	EXPECT_ACL(NOT_THIS_TASK, aclrtTaskUpdateAsync(s[0], 1, &entry, b));
	EXPECT_ACL(NULL_OR_ZERO, aclrtTaskUpdateAsync(s[0], 0, &random, b));
	random.val.randomTaskAttr.size--;
	EXPECT_ACL(WRONG, aclrtTaskUpdateAsync(s[0], 0, &random, b));
	wrong.id = 3;
	EXPECT_ACL(WRONG, aclrtTaskUpdateAsync(s[0], 0, &wrong, b));
	wrong = entry;
	wrong.val.aicAivTaskAttr.rsv[3] = 1;
	EXPECT_ACL(WRONG, aclrtTaskUpdateAsync(s[0], 0, &wrong, b));
	wrong = entry;
	wrong.val.aicAivTaskAttr.blockDimAddr = NULL;
	EXPECT_ACL(NULL_OR_ZERO, aclrtTaskUpdateAsync(s[0], 0, &wrong, b));
	wrong.val.aicAivTaskAttr.blockDimAddr = &host.blocks;
	EXPECT_ACL(WRONG, aclrtTaskUpdateAsync(s[0], 0, &wrong, b));
	wrong.val.aicAivTaskAttr.binHandle = NULL;
	EXPECT_NE(ACL_SUCCESS, aclrtTaskUpdateAsync(s[0], 0, &wrong, b));
	OK(run(self->model, self->w.a));
	EXPECT_EQ(1, get(self->n));
	OK(aclrtTaskUpdateAsync(s[1], 0, &entry, b));
	OK(aclrtSynchronizeStream(b));
}

struct waiter {
	pthread_t thread;
	aclrtContext context;
	aclrtStream stream;
	aclError error;
};

static void *wait_for_stream(void *arg)
{
	struct waiter *w = arg;

	w->error = aclrtSetCurrentContext(w->context);
	if (!w->error)
		w->error = aclrtSynchronizeStream(w->stream);
	return NULL;
}

/* The runs end, a thread that waits for one gets an error, and others follow. */
TEST_F(build, an_abort_ends_the_runs)
{
	struct waiter waiter = { .stream = self->w.a };
	uint64_t *gate = (uint64_t *)(self->w.dev + 1024);
	aclrtStream idle;
	aclmdlRI captured;

	OK(aclrtCreateStream(&idle));
	OK(aclrtMemset(gate, 8, 0, 8));
	OK(aclrtMemset(self->n, 8, 0, 8));
	OK(aclrtValueWait(gate, 1, ACL_STREAM_WAIT_VALUE_EQ, self->s[0]));
	if (variant->branches)
		OK(branch(self->s[0]));
	OK(set(self->n, 5, self->s[0]));
	EXPECT_ACL(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIAbort(self->model));
	OK(aclmdlRIBuildEnd(self->model, NULL));
	OK(aclmdlRIAbort(self->model));
	OK(aclrtGetCurrentContext(&waiter.context));
	for (int i = 0; i < 2; i++) {
		OK(aclmdlRIExecuteAsync(self->model, self->w.a));
		OK(aclmdlRIExecuteAsync(self->model, self->w.b));
		OK(set(self->n + 1, 9, idle));
		ASSERT_EQ(0, pthread_create(&waiter.thread, NULL,
					    wait_for_stream, &waiter));
		usleep(200000);		/* it waits by then */
		OK(aclmdlRIAbort(self->model));
		ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
		EXPECT_ACL(ABORTED, waiter.error);
		OK(aclrtSynchronizeStream(self->w.a));
		OK(aclrtSynchronizeStream(self->w.b));
		OK(aclrtSynchronizeStream(idle));
		EXPECT_EQ(0, get(self->n));
		EXPECT_EQ(9, get(self->n + 1));
	}
	OK(aclrtMemset(gate, 1, 1, 1));
	OK(run(self->model, self->w.a));
	EXPECT_EQ(5, get(self->n));
	/* Its run is over, so the stream goes on. */
	OK(aclmdlRIAbort(self->model));
	OK(aclrtSynchronizeStream(self->w.a));

	OK(aclmdlRICaptureBegin(idle, RELAXED));
	OK(set(self->n, 1, idle));
	OK(aclmdlRICaptureEnd(idle, &captured));
	EXPECT_ACL(UNSUPPORTED, aclmdlRIAbort(captured));
	OK(aclmdlRIDestroy(captured));
	EXPECT_ACL(BAD_HANDLE, aclmdlRIAbort(captured));
}

TEST_HARNESS_MAIN
