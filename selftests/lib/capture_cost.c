// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cost of a run of a model for the thread that submits it. The test runs in a
 * machine with a clock that counts instructions (vnpu-vm --icount).
 */
#include "acl-kernel.h"
#include "capture.h"

#define RUNS	20

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static uint64_t thread_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Return the ns of submitting a run of a model of @tasks tasks. */
static uint64_t cost_of_run(struct __test_metadata *_metadata, struct work *w,
			    int tasks)
{
	aclmdlRI model;
	uint64_t start;

	OK(aclmdlRICaptureBegin(w->a, GLOBAL));
	for (int i = 0; i < tasks; i++)
		OK(fill(w->dev, 1, 8, w->a));
	OK(aclmdlRICaptureEnd(w->a, &model));
	OK(run(model, w->a));
	start = thread_ns();
	for (int i = 0; i < RUNS; i++)
		OK(aclmdlRIExecuteAsync(model, w->a));
	start = thread_ns() - start;
	OK(aclrtSynchronizeStream(w->a));
	OK(aclmdlRIDestroy(model));
	return start / RUNS;
}

static uint64_t cost_of_task(struct __test_metadata *_metadata, struct work *w)
{
	uint64_t start;

	OK(fill(w->dev, 1, 8, w->b));
	OK(aclrtSynchronizeStream(w->b));
	start = thread_ns();
	for (int i = 0; i < RUNS; i++)
		OK(fill(w->dev, 1, 8, w->b));
	start = thread_ns() - start;
	OK(aclrtSynchronizeStream(w->b));
	return start / RUNS;
}

/* A run is one task in its stream, however many the model has. */
TEST_F(capture, a_run_costs_the_same_for_any_number_of_tasks)
{
	uint64_t task = cost_of_task(_metadata, &self->w);
	uint64_t few = cost_of_run(_metadata, &self->w, 2);
	uint64_t many = cost_of_run(_metadata, &self->w, 2000);

	TH_LOG("ns of a task %lu, of a run of 2 tasks %lu, of 2,000 %lu",
	       task, few, many);
	EXPECT_LT(many, 2 * few);
	EXPECT_LT(many, 10 * task);
}

#define OPERATORS	25
#define ELEMENTS	8192	/* of a hidden state */
#define WEIGHTS		8	/* as much again, for a multiplication */

struct tiles_args {
	float *x, *y, *z;
	uint32_t n;
};

/*
 * Capture a layer of operators.  As in a decoder, seven of them have much more to
 * read than the others: the multiplications.
 */
static aclError capture_layer(struct work *w, aclrtFuncHandle func,
			      uint32_t elements, aclmdlRI *model)
{
	float *dev = (float *)w->dev;
	struct tiles_args args = {
		.x = dev, .y = dev, .z = dev + 2 * WEIGHTS * ELEMENTS,
	};
	aclError err = aclmdlRICaptureBegin(w->a, GLOBAL);

	for (int i = 0; i < OPERATORS && !err; i++) {
		args.n = i % 4 ? elements : WEIGHTS * elements;
		err = aclrtLaunchKernelWithHostArgs(func, 1, w->a, NULL, &args,
						    sizeof(args), NULL, 0);
	}
	return err ? err : aclmdlRICaptureEnd(w->a, model);
}

/* Return the least ns of a run of a layer, from its submission to its end. */
static uint64_t cost_of_layer(struct __test_metadata *_metadata,
			      struct work *w, aclrtFuncHandle func,
			      uint32_t elements)
{
	uint64_t least = UINT64_MAX, start;
	aclmdlRI model;

	OK(capture_layer(w, func, elements, &model));
	for (int i = 0; i < RUNS; i++) {
		start = clock_ns(CLOCK_MONOTONIC);
		OK(run(model, w->a));
		start = clock_ns(CLOCK_MONOTONIC) - start;
		if (start < least)
			least = start;
	}
	OK(aclmdlRIDestroy(model));
	return least;
}

/*
 * The kernels need time in proportion to their elements, so that the difference
 * of two sizes is the time of the kernels alone.
 */
TEST_F(capture, a_layer_costs_little_more_than_its_kernels)
{
	uint64_t one, two, kernels;
	aclrtFuncHandle func;
	aclrtBinHandle bin;
	char path[PATH_MAX];

	kernels_path(path, sizeof(path));
	OK(aclrtBinaryLoadFromFile(path, NULL, &bin));
	OK(aclrtBinaryGetFunction(bin, "add_tiles", &func));
	one = cost_of_layer(_metadata, &self->w, func, ELEMENTS);
	two = cost_of_layer(_metadata, &self->w, func, 2 * ELEMENTS);
	kernels = two - one;
	TH_LOG("ns of a layer of %d operators %lu, of its kernels alone %lu, ratio %.2f; %lu per launch",
	       OPERATORS, one, kernels, (double)one / (double)kernels,
	       (one - kernels) / OPERATORS);
	EXPECT_LE(10 * one, 13 * kernels);
}

TEST_HARNESS_MAIN
