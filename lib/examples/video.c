/* SPDX-License-Identifier: MIT */
/*
 * Frames of a video through three models: one makes a frame larger, one removes
 * noise, and one changes colours.
 *
 *	. build/cann/set_env.sh
 *	python3 lib/examples/python/models.py FOLDER [HEIGHT WIDTH]
 *	build/examples/video FOLDER [FRAMES]
 *
 * A simple program takes memory for each frame, and waits for each step.  The
 * pipeline has two slots with memory of their own, and two streams: while one
 * computes a frame, the other copies the next one to the device, and the one
 * before to the host.  It takes no memory for a frame.  The results of both are
 * compared with the same steps in C.
 */
#include "offline.h"

#include <math.h>
#include <string.h>

#define CHANNELS	3
#define MODELS		3
#define SLOTS		2
#define ROUNDS		3	/* the fastest one counts */

/* Memory of a frame on the device: before, between and behind the models. */
struct slot {
	void *memory[MODELS + 1];
	aclmdlDataset *in[MODELS];
	aclmdlDataset *out[MODELS];
	aclrtEvent full;	/* the frame is on the device */
	aclrtEvent done;	/* the models have run */
};

static const char *const names[MODELS] = {
	"super_resolution", "denoise", "color_enhance",
};
static struct offline models[MODELS];
static size_t sizes[MODELS + 1];
static int height, width, frames = 16;
static uint8_t *input, *output;	/* all frames, pinned */
static unsigned int allocations;

static void *allocate(size_t size)
{
	allocations++;
	return device_memory(size);
}

static void *allocate_host(size_t size)
{
	void *memory;

	allocations++;
	CHECK(aclrtMallocHost(&memory, size));
	return memory;
}

static void load(const char *folder)
{
	aclmdlIODims dims;

	for (int i = 0; i < MODELS; i++) {
		offline_load(&models[i], folder, names[i]);
		sizes[i] = models[i].in;
		sizes[i + 1] = models[i].out;
	}
	CHECK(aclmdlGetInputDims(models[0].desc, 0, &dims));
	CHECK(dims.dimCount != 4 || dims.dims[3] != CHANNELS);
	height = (int)dims.dims[1];
	width = (int)dims.dims[2];
	CHECK(sizes[MODELS] != 4 * sizes[0]);
}

static void slot_create(struct slot *s)
{
	for (int i = 0; i <= MODELS; i++)
		s->memory[i] = allocate(sizes[i]);
	for (int i = 0; i < MODELS; i++) {
		s->in[i] = dataset_of(s->memory[i], sizes[i]);
		s->out[i] = dataset_of(s->memory[i + 1], sizes[i + 1]);
	}
}

static void slot_destroy(struct slot *s)
{
	for (int i = 0; i < MODELS; i++) {
		dataset_destroy(s->in[i]);
		dataset_destroy(s->out[i]);
	}
	for (int i = 0; i <= MODELS; i++)
		CHECK(aclrtFree(s->memory[i]));
}

static void run_simple(void)
{
	for (int i = 0; i < frames; i++) {
		void *in = allocate_host(sizes[0]);
		void *out = allocate_host(sizes[MODELS]);
		struct slot s;

		slot_create(&s);
		memcpy(in, input + i * sizes[0], sizes[0]);
		CHECK(aclrtMemcpy(s.memory[0], sizes[0], in, sizes[0],
				  ACL_MEMCPY_HOST_TO_DEVICE));
		for (int k = 0; k < MODELS; k++)
			CHECK(aclmdlExecute(models[k].id, s.in[k], s.out[k]));
		CHECK(aclrtMemcpy(out, sizes[MODELS], s.memory[MODELS],
				  sizes[MODELS], ACL_MEMCPY_DEVICE_TO_HOST));
		memcpy(output + i * sizes[MODELS], out, sizes[MODELS]);
		slot_destroy(&s);
		CHECK(aclrtFreeHost(in));
		CHECK(aclrtFreeHost(out));
	}
}

static struct slot slots[SLOTS];
static aclrtStream transfer, compute;

static void copy_out(int frame)
{
	struct slot *s = &slots[frame % SLOTS];

	CHECK(aclrtStreamWaitEvent(transfer, s->done));
	CHECK(aclrtMemcpyAsync(output + frame * sizes[MODELS], sizes[MODELS],
			       s->memory[MODELS], sizes[MODELS],
			       ACL_MEMCPY_DEVICE_TO_HOST, transfer));
}

/*
 * The copy of a frame to the device follows that of the frame before it, and comes
 * before the result of that one is copied.  So no two steps use a slot at a time:
 * the transfer stream has copied its last result before it fills it.
 */
static void run_pipeline(void)
{
	for (int i = 0; i < frames; i++) {
		struct slot *s = &slots[i % SLOTS];

		CHECK(aclrtMemcpyAsync(s->memory[0], sizes[0],
				       input + i * sizes[0], sizes[0],
				       ACL_MEMCPY_HOST_TO_DEVICE, transfer));
		CHECK(aclrtRecordEvent(s->full, transfer));
		CHECK(aclrtStreamWaitEvent(compute, s->full));
		for (int k = 0; k < MODELS; k++)
			CHECK(aclmdlExecuteAsync(models[k].id, s->in[k],
						 s->out[k], compute));
		CHECK(aclrtRecordEvent(s->done, compute));
		if (i)
			copy_out(i - 1);
	}
	copy_out(frames - 1);
	CHECK(aclrtSynchronizeStream(transfer));
}

/* The element of the enlarged frame, 0 outside of it. */
static float enlarged(const uint8_t *frame, int row, int column, int channel)
{
	if (row < 0 || row >= 2 * height || column < 0 || column >= 2 * width)
		return 0;
	return frame[(row / 2 * width + column / 2) * CHANNELS + channel];
}

static float expected(const uint8_t *frame, int row, int column, int channel)
{
	float sum = 0;

	for (int i = -1; i <= 1; i++)
		for (int k = -1; k <= 1; k++)
			sum += enlarged(frame, row + i, column + k, channel) / 9;
	return fminf(fmaxf(sum * 1.2f - 25.6f, 0), 255);
}

/* Compare all frames; a byte is a number without its fraction. */
static void check(const char *way)
{
	const uint8_t *at = output;

	for (int i = 0; i < frames; i++)
		for (int row = 0; row < 2 * height; row++)
			for (int k = 0; k < 2 * width * CHANNELS; k++, at++) {
				float want = expected(input + i * sizes[0], row,
						      k / CHANNELS,
						      k % CHANNELS);

				if (fabsf(*at + 0.5f - want) < 0.51f)
					continue;
				fprintf(stderr, "%s, frame %d, row %d: %u, expected %f\n",
					way, i, row, *at, (double)want);
				exit(1);
			}
}

static double measure(const char *way, void (*run)(void))
{
	double least = INFINITY;
	unsigned int before = allocations;

	for (int i = 0; i < ROUNDS; i++) {
		double start, took;

		memset(output, 0xff, frames * sizes[MODELS]);
		start = now_us();
		run();
		took = (now_us() - start) / 1e3 / frames;
		least = took < least ? took : least;
		check(way);
	}
	printf("%-28s %12.1f %12.2f %10.1f\n", way,
	       (double)(allocations - before) / ROUNDS / frames, least,
	       1e3 / least);
	fflush(stdout);
	return least;
}

int main(int argc, char **argv)
{
	double simple, pipeline;

	if (argc < 2 || argc > 3 || (argc == 3 && (frames = atoi(argv[2])) < 1)) {
		fprintf(stderr, "usage: video FOLDER [FRAMES]\n");
		return 1;
	}
	CHECK(aclInit(NULL));
	CHECK(aclrtSetDevice(0));
	load(argv[1]);
	input = allocate_host(frames * sizes[0]);
	output = allocate_host(frames * sizes[MODELS]);
	for (size_t i = 0; i < frames * sizes[0]; i++)
		input[i] = (uint8_t)(i * 7 + i / sizes[0] * 31 + i % 11 * 13);
	CHECK(aclrtCreateStream(&transfer));
	CHECK(aclrtCreateStream(&compute));
	for (int i = 0; i < SLOTS; i++) {
		slot_create(&slots[i]);
		CHECK(aclrtCreateEventExWithFlag(&slots[i].full,
						 ACL_EVENT_SYNC));
		CHECK(aclrtCreateEventExWithFlag(&slots[i].done,
						 ACL_EVENT_SYNC));
	}

	printf("%d frames, %d x %d to %d x %d\n", frames, width, height,
	       2 * width, 2 * height);
	printf("%-28s %12s %12s %10s\n", "", "allocations", "ms", "frames");
	printf("%-28s %12s %12s %10s\n", "", "a frame", "a frame", "a second");
	simple = measure("one step after the other", run_simple);
	pipeline = measure("pipeline of two streams", run_pipeline);
	printf("all frames are as expected; the pipeline takes %.2f of the time\n",
	       pipeline / simple);

	for (int i = 0; i < SLOTS; i++) {
		slot_destroy(&slots[i]);
		CHECK(aclrtDestroyEvent(slots[i].full));
		CHECK(aclrtDestroyEvent(slots[i].done));
	}
	for (int i = 0; i < MODELS; i++)
		offline_unload(&models[i]);
	CHECK(aclrtFreeHost(input));
	CHECK(aclrtFreeHost(output));
	CHECK(aclrtResetDevice(0));
	return aclFinalize();
}
