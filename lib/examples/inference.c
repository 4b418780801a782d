/* SPDX-License-Identifier: MIT */
/*
 * Inference of ResNet-50: the memory and the time of a model that is compiled
 * without and with sharing of memory, without and with fusion, and with a batch
 * that each run chooses.
 *
 *	. build/cann/set_env.sh
 *	python3 lib/examples/inference.py FOLDER [SIDE [WIDTH]]
 *	build/examples/inference FOLDER [TIMES]
 *
 * The model without both is the reference.  Sharing memory changes no bit of the
 * result.  Fusion multiplies weights in advance, so results are rounded elsewhere.
 */
#include "offline.h"

#include <math.h>
#include <string.h>

#define CLASSES		1000
#define BATCH		8	/* the largest */
#define TOLERANCE	1e-3	/* relative to the largest number */

static const char *folder;
static int times = 3;		/* the fastest one counts */

static size_t memory_used(void)
{
	size_t available, total;

	CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &available, &total));
	return total - available;
}

/* Make images with different numbers from -1 to 1. */
static void *make_images(size_t bytes)
{
	void *memory = device_memory(bytes);
	size_t count = bytes / sizeof(float);
	float *host = malloc(bytes);
	uint32_t state = 1;

	CHECK(!host);
	for (size_t i = 0; i < count; i++) {
		state = state * 1664525 + 1013904223;
		host[i] = (float)(state >> 8) / (1 << 23) - 1;
	}
	CHECK(aclrtMemcpy(memory, bytes, host, bytes,
			  ACL_MEMCPY_HOST_TO_DEVICE));
	free(host);
	return memory;
}

/* Run a model some times; return the least time in ms. */
static double run(const struct offline *model, aclmdlDataset *in,
		  aclmdlDataset *out)
{
	double least = INFINITY;

	for (int i = 0; i < times; i++) {
		double start = now_us(), took;

		CHECK(aclmdlExecute(model->id, in, out));
		took = (now_us() - start) / 1e3;
		least = took < least ? took : least;
	}
	return least;
}

/* Check @count results; @tolerance is 0 if each bit must be equal. */
static void compare(const char *name, const float *result,
		    const float *expected, size_t count, double tolerance)
{
	float largest = 0, worst = 0;

	for (size_t i = 0; i < count; i++) {
		largest = fmaxf(largest, fabsf(expected[i]));
		worst = fmaxf(worst, fabsf(result[i] - expected[i]));
		/* fmaxf() skips a NaN. */
		if (isnan(result[i]))
			worst = INFINITY;
	}
	if (largest > 0 && isfinite(largest) && worst <= tolerance * largest)
		return;
	fprintf(stderr, "%s: the result differs by %g, at most %g is allowed\n",
		name, (double)worst, tolerance * (double)largest);
	exit(1);
}

static void run_variant(const char *name, const char *what, double tolerance,
			float *expected)
{
	size_t before = memory_used(), work, weights, used;
	struct offline model;
	char path[4096];
	float result[CLASSES];
	aclmdlDataset *in, *out;
	void *image, *classes;
	double ms;

	offline_load(&model, folder, name);
	CHECK(snprintf(path, sizeof(path), "%s/%s.om", folder, name) < 0);
	CHECK(aclmdlQuerySize(path, &work, &weights));
	used = memory_used() - before;
	CHECK(model.out != sizeof(result));
	image = make_images(model.in);
	classes = device_memory(model.out);
	in = dataset_of(image, model.in);
	out = dataset_of(classes, model.out);
	ms = run(&model, in, out);
	CHECK(aclrtMemcpy(result, sizeof(result), classes, model.out,
			  ACL_MEMCPY_DEVICE_TO_HOST));
	if (!expected[0])
		memcpy(expected, result, sizeof(result));
	compare(name, result, expected, CLASSES, tolerance);
	printf("%-36s %9.2f %9.2f %9.1f %9.2f\n", what, work / 1048576.0,
	       used / 1048576.0, ms, 1e3 / ms);
	fflush(stdout);
	dataset_destroy(in);
	dataset_destroy(out);
	CHECK(aclrtFree(image));
	CHECK(aclrtFree(classes));
	offline_unload(&model);
}

/* Run all batches of one model; each image must have the result that it has alone. */
static void run_batches(void)
{
	static const uint64_t batches[] = { 1, 2, 4, BATCH };
	static float results[BATCH][CLASSES], alone[BATCH][CLASSES];
	struct offline model;
	aclmdlDataset *in, *out;
	char *images, *classes;
	void *choice;
	size_t index, image;

	offline_load(&model, folder, "batch");
	CHECK(model.out != sizeof(results));
	image = model.in / BATCH;
	images = make_images(model.in);
	classes = device_memory(model.out);
	CHECK(aclmdlGetInputIndexByName(model.desc, ACL_DYNAMIC_TENSOR_NAME,
					&index));
	choice = device_memory(aclmdlGetInputSizeByIndex(model.desc, index));
	for (size_t i = 0; i < BATCH; i++) {
		in = dataset_of(images + i * image, image);
		dataset_add(in, choice, sizeof(uint64_t));
		out = dataset_of(classes, model.out);
		CHECK(aclmdlSetDynamicBatchSize(model.id, in, index, 1));
		CHECK(aclmdlExecute(model.id, in, out));
		CHECK(aclrtMemcpy(alone[i], sizeof(alone[i]), classes,
				  sizeof(alone[i]), ACL_MEMCPY_DEVICE_TO_HOST));
		dataset_destroy(in);
		dataset_destroy(out);
	}
	in = dataset_of(images, model.in);
	dataset_add(in, choice, sizeof(uint64_t));
	out = dataset_of(classes, model.out);
	printf("\n%-36s %9s %9s %9s\n", "one model, batches chosen by each run",
	       "ms", "ms/image", "images/s");
	for (size_t i = 0; i < sizeof(batches) / sizeof(*batches); i++) {
		double ms;

		CHECK(aclmdlSetDynamicBatchSize(model.id, in, index,
						batches[i]));
		ms = run(&model, in, out);
		CHECK(aclrtMemcpy(results, sizeof(results), classes, model.out,
				  ACL_MEMCPY_DEVICE_TO_HOST));
		compare("batch", results[0], alone[0], batches[i] * CLASSES,
			TOLERANCE);
		printf("%-36llu %9.1f %9.1f %9.2f\n",
		       (unsigned long long)batches[i], ms, ms / batches[i],
		       1e3 * batches[i] / ms);
		fflush(stdout);
	}
	dataset_destroy(in);
	dataset_destroy(out);
	CHECK(aclrtFree(images));
	CHECK(aclrtFree(classes));
	CHECK(aclrtFree(choice));
	offline_unload(&model);
}

int main(int argc, char **argv)
{
	float expected[CLASSES] = { 0 };

	if (argc < 2 || argc > 3 || (argc == 3 && (times = atoi(argv[2])) < 1)) {
		fprintf(stderr, "usage: inference FOLDER [TIMES]\n");
		return 1;
	}
	folder = argv[1];
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	printf("%-36s %9s %9s %9s %9s\n", "ResNet-50", "work", "device", "",
	       "");
	printf("%-36s %9s %9s %9s %9s\n", "", "MiB", "MiB", "ms", "images/s");
	run_variant("plain", "each tensor has memory of its own", 0, expected);
	run_variant("reuse", "tensors share memory", 0, expected);
	run_variant("fused", "... and operators are fused", TOLERANCE, expected);
	run_batches();
	printf("results equal those of the first line\n");
	CHECK(aclrtResetDevice(0));
	return aclFinalize();
}
