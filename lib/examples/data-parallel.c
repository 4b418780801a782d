/* SPDX-License-Identifier: MIT */
/*
 * One step of data-parallel training, a thread for each device: the backward pass
 * computes the gradient of one layer after the other, and AllReduce adds up the
 * gradients of all devices.
 *
 * The first variant reduces all gradients after the backward pass; the second one
 * reduces the gradient of a layer on a stream of its own, while the backward pass goes
 * on.  Both have the same result.  The program prints how much of a step is
 * communication that the devices wait for.
 *
 * usage: data-parallel [STEPS [WIDTH]]
 */
#include "product.h"

#include <string.h>

#define LAYERS	6

enum variant { COMPUTE_ONLY, ONE_AFTER_THE_OTHER, BESIDE, VARIANTS };

struct rank {
	pthread_t thread;
	int32_t number;
	unsigned int steps;
	HcclComm comm;
	aclrtStream compute;
	aclrtStream reduce;
	aclrtEvent computed[LAYERS];
	aclrtEvent reduced;
	float *input;		/* of all layers, transposed */
	float *error;
	float *gradient;	/* LAYERS matrices */
	float *result;		/* of the host */
	double us[VARIANTS];
};

static pthread_barrier_t together;

/* Of a layer, and of a batch. */
static size_t width = 128;

/* Describe a square matrix. */
static aclTensor *square(float *data)
{
	return matrix(data, (int64_t)width, (int64_t)width);
}

/* The gradient of a layer is the transposed input times the error. */
static void backward(struct rank *rank, int layer)
{
	size_t first = (size_t)layer * width * width;

	multiply(square(rank->input + first), square(rank->error),
		 square(rank->gradient + first), rank->compute);
}

static void reduce(struct rank *rank, int layer, aclrtStream stream)
{
	float *gradient = rank->gradient + (size_t)layer * width * width;

	CHECK(HcclAllReduce(gradient, gradient, width * width,
			    HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank->comm,
			    stream));
}

static void step(struct rank *rank, enum variant variant)
{
	for (int layer = LAYERS - 1; layer >= 0; layer--) {
		backward(rank, layer);
		if (variant != BESIDE)
			continue;
		CHECK(aclrtRecordEvent(rank->computed[layer], rank->compute));
		CHECK(aclrtStreamWaitEvent(rank->reduce,
					   rank->computed[layer]));
		reduce(rank, layer, rank->reduce);
	}
	for (int layer = LAYERS - 1;
	     layer >= 0 && variant == ONE_AFTER_THE_OTHER; layer--)
		reduce(rank, layer, rank->compute);
	if (variant == BESIDE) {
		/* The optimizer would come next. */
		CHECK(aclrtRecordEvent(rank->reduced, rank->reduce));
		CHECK(aclrtStreamWaitEvent(rank->compute, rank->reduced));
	}
	CHECK(aclrtSynchronizeStream(rank->compute));
}

static void *device_copy(const float *host, size_t count)
{
	size_t bytes = count * sizeof(float);
	void *p;

	CHECK(aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMemcpy(p, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	return p;
}

static void begin(struct rank *rank)
{
	const size_t input = LAYERS * width * width;
	const size_t error = width * width;
	float *host = malloc((input + error) * sizeof(*host));

	CHECK(!host);
	CHECK(aclrtSetDevice(rank->number));
	CHECK(aclrtCreateStream(&rank->compute));
	CHECK(aclrtCreateStream(&rank->reduce));
	CHECK(aclrtCreateEventExWithFlag(&rank->reduced, ACL_EVENT_SYNC));
	for (int i = 0; i < LAYERS; i++)
		CHECK(aclrtCreateEventExWithFlag(&rank->computed[i],
						 ACL_EVENT_SYNC));
	for (size_t i = 0; i < input + error; i++)
		host[i] = (float)((int)(i % 13) + rank->number - 6) / 7;
	rank->input = device_copy(host, input);
	rank->error = device_copy(host + input, error);
	rank->gradient = device_copy(host, input);
	rank->result = host;
}

static void end(struct rank *rank)
{
	CHECK(HcclCommDestroy(rank->comm));
	CHECK(aclrtDestroyStream(rank->compute));
	CHECK(aclrtDestroyStream(rank->reduce));
	CHECK(aclrtDestroyEvent(rank->reduced));
	for (int i = 0; i < LAYERS; i++)
		CHECK(aclrtDestroyEvent(rank->computed[i]));
	CHECK(aclrtFree(rank->input));
	CHECK(aclrtFree(rank->error));
	CHECK(aclrtFree(rank->gradient));
	free(rank->result);
}

/* Both variants have to give the same bits. */
static void compare(struct rank *rank, enum variant variant)
{
	const size_t bytes = LAYERS * width * width * sizeof(float);
	float *result = malloc(bytes);

	CHECK(!result);
	CHECK(aclrtMemcpy(result, bytes, rank->gradient, bytes,
			  ACL_MEMCPY_DEVICE_TO_HOST));
	if (variant == ONE_AFTER_THE_OTHER) {
		free(rank->result);
		rank->result = result;
		return;
	}
	if (memcmp(result, rank->result, bytes)) {
		fprintf(stderr, "rank %d: the results differ\n", rank->number);
		exit(1);
	}
	free(result);
}

static void *run(void *arg)
{
	struct rank *rank = arg;

	begin(rank);
	for (int variant = 0; variant < VARIANTS; variant++) {
		/* The first step is not measured. */
		for (unsigned int i = 0; i <= rank->steps; i++) {
			double time;

			pthread_barrier_wait(&together);
			time = now_us();
			step(rank, (enum variant)variant);
			pthread_barrier_wait(&together);
			if (i)
				rank->us[variant] += now_us() - time;
		}
		if (variant != COMPUTE_ONLY)
			compare(rank, (enum variant)variant);
	}
	end(rank);
	return NULL;
}

static void print(const struct rank *rank)
{
	static const char *const names[] = {
		"computation only", "reduction afterwards", "reduction beside",
	};

	for (int i = 0; i < VARIANTS; i++) {
		double share = 1 - rank->us[COMPUTE_ONLY] / rank->us[i];

		printf("%-22s %10.0f us a step, communication %2.0f %%\n",
		       names[i], rank->us[i] / rank->steps,
		       share > 0 ? 100 * share : 0.0);
	}
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10;
	struct rank ranks[64];
	HcclComm comms[64];
	int32_t devices[64];
	uint32_t count;

	if (argc > 2 && atoi(argv[2]) > 0)
		width = (size_t)atoi(argv[2]);
	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&count));
	if (count > 64)
		count = 64;
	for (uint32_t i = 0; i < count; i++)
		devices[i] = (int32_t)i;
	CHECK(HcclCommInitAll(count, devices, comms));
	CHECK(pthread_barrier_init(&together, NULL, count));
	for (uint32_t i = 0; i < count; i++) {
		ranks[i] = (struct rank){
			.number = (int32_t)i,
			.steps = steps > 0 ? (unsigned int)steps : 1,
			.comm = comms[i],
		};
		CHECK(pthread_create(&ranks[i].thread, NULL, run, &ranks[i]));
	}
	for (uint32_t i = 0; i < count; i++)
		CHECK(pthread_join(ranks[i].thread, NULL));
	printf("%u devices, %d layers of %zu x %zu\n", count, LAYERS, width,
	       width);
	print(&ranks[0]);
	CHECK(pthread_barrier_destroy(&together));
	return aclFinalize();
}
