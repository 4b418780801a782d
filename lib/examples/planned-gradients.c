/* SPDX-License-Identifier: MIT */
/*
 * Gradients in planned memory, while AllReduce still reads them: a thread for each
 * device computes the gradients of a layer after the other, and lets another stream
 * add up those of all devices. Two layers later it waits for the sum, and changes the
 * weights.
 *
 * For the planner, AllReduce is an operator of another stream, and the change of the
 * weights an operator that waits for it. So a gradient keeps its memory until the
 * collective has ended, and another one takes the memory after that. The weights are
 * equal to those that gradients with memory of their own give.
 *
 * usage: planned-gradients [STEPS [WIDTH]]
 */
#include "product.h"

#include <string.h>

#include "aclnnop/aclnn_add.h"
#include "vnpu/arena.h"

#define LAYERS	8
#define DELAY	2	/* layers computed while a gradient is reduced */

enum variant { APART, PLANNED, VARIANTS };

struct rank {
	pthread_t thread;
	int32_t number;
	unsigned int steps;
	HcclComm comm;
	aclrtStream compute;
	aclrtStream reduce;
	aclrtEvent computed[LAYERS];
	aclrtEvent reduced[LAYERS];
	aclScalar *rate;
	struct vnpu_arena *arena;
	float *input;		/* of all layers, transposed */
	float *error;
	float *gradient[LAYERS];
	float *weight;		/* of all layers */
	float *expected;	/* the weights, on the host */
	double us[VARIANTS];
};

/* The operators of a step, by their positions. */
enum kind { BACKWARD, REDUCE, UPDATE };
struct op {
	enum kind kind;
	uint32_t layer;
};

static struct op ops[3 * LAYERS];
static uint32_t nr_ops;
static struct vnpu_plan_result planned;
static pthread_barrier_t together;

/* Of a layer, and of a batch. */
static size_t width = 64;

static void add_op(struct vnpu_plan *plan, enum kind kind, uint32_t layer,
		   uint32_t position[][LAYERS])
{
	const struct vnpu_plan_op op = {
		.inputs = &layer,
		.outputs = &layer,
		.waits = &position[REDUCE][layer],
		.num_inputs = kind != BACKWARD,
		.num_outputs = kind == BACKWARD,
		.num_waits = kind == UPDATE,
		.stream = kind == REDUCE,
	};

	position[kind][layer] = nr_ops;
	ops[nr_ops++] = (struct op){ kind, layer };
	CHECK(vnpu_plan_add_op(plan, &op));
}

static struct vnpu_plan *make_plan(void)
{
	const struct vnpu_plan_options options = { .align = 512 };
	const struct vnpu_plan_tensor gradient = {
		.size = width * width * sizeof(float),
		.flags = VNPU_PLAN_OF_OPS | VNPU_PLAN_PINNED,
	};
	uint32_t position[UPDATE + 1][LAYERS];
	struct vnpu_plan *plan;

	CHECK(vnpu_plan_create(&plan));
	for (int i = 0; i < LAYERS; i++)
		CHECK(vnpu_plan_add_tensor(plan, &gradient));
	for (uint32_t i = 0; i < LAYERS + DELAY; i++) {
		if (i < LAYERS) {
			add_op(plan, BACKWARD, LAYERS - 1 - i, position);
			add_op(plan, REDUCE, LAYERS - 1 - i, position);
		}
		if (i >= DELAY)
			add_op(plan, UPDATE, LAYERS - 1 - (i - DELAY), position);
	}
	CHECK(vnpu_plan_solve(plan, &options, &planned));
	return plan;
}

/* Describe a square matrix. */
static aclTensor *square(float *data)
{
	return matrix(data, (int64_t)width, (int64_t)width);
}

/* The gradient of a layer is the transposed input times the error. */
static void backward(struct rank *rank, uint32_t layer, float *gradient)
{
	multiply(square(rank->input + layer * width * width),
		 square(rank->error), square(gradient), rank->compute);
	CHECK(aclrtRecordEvent(rank->computed[layer], rank->compute));
}

static void reduce(struct rank *rank, uint32_t layer, float *gradient)
{
	CHECK(aclrtStreamWaitEvent(rank->reduce, rank->computed[layer]));
	CHECK(HcclAllReduce(gradient, gradient, width * width,
			    HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, rank->comm,
			    rank->reduce));
	CHECK(aclrtRecordEvent(rank->reduced[layer], rank->reduce));
}

static void update(struct rank *rank, uint32_t layer, float *gradient)
{
	aclTensor *weight = square(rank->weight + layer * width * width);
	aclTensor *change = square(gradient);
	aclOpExecutor *executor = NULL;
	uint64_t size = 0;

	CHECK(aclrtStreamWaitEvent(rank->compute, rank->reduced[layer]));
	CHECK(!weight || !change);
	CHECK(aclnnInplaceAddGetWorkspaceSize(weight, change, rank->rate, &size,
					      &executor));
	CHECK(size);
	CHECK(aclnnInplaceAdd(NULL, 0, executor, rank->compute));
	CHECK(aclDestroyTensor(weight));
	CHECK(aclDestroyTensor(change));
}

static void submit(struct rank *rank, const struct op *op, float *gradient)
{
	switch (op->kind) {
	case BACKWARD:
		backward(rank, op->layer, gradient);
		break;
	case REDUCE:
		reduce(rank, op->layer, gradient);
		break;
	case UPDATE:
		update(rank, op->layer, gradient);
		break;
	}
}

/* The arena checks that each use of a gradient is in its planned lifetime. */
static void submit_planned(struct rank *rank, uint32_t position)
{
	const struct op *op = &ops[position];
	void *gradient;

	CHECK(vnpu_arena_begin(rank->arena, position));
	CHECK(vnpu_arena_use(rank->arena, position, op->layer, &gradient));
	submit(rank, op, gradient);
	CHECK(vnpu_arena_end(rank->arena, position));
}

static void step(struct rank *rank, enum variant variant)
{
	for (uint32_t i = 0; i < nr_ops; i++) {
		if (variant == PLANNED)
			submit_planned(rank, i);
		else
			submit(rank, &ops[i], rank->gradient[ops[i].layer]);
	}
	CHECK(aclrtSynchronizeStream(rank->compute));
	CHECK(vnpu_arena_restart(rank->arena));
}

static void *device_copy(const float *host, size_t count)
{
	size_t bytes = count * sizeof(float);
	void *p;

	CHECK(aclrtMalloc(&p, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMemcpy(p, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	return p;
}

static void begin(struct rank *rank, const struct vnpu_plan *plan)
{
	const size_t one = width * width;
	float *host = malloc(LAYERS * one * sizeof(*host));
	float rate = -0.125f;

	CHECK(!host);
	CHECK(aclrtSetDevice(rank->number));
	CHECK(aclrtCreateStream(&rank->compute));
	CHECK(aclrtCreateStream(&rank->reduce));
	rank->rate = aclCreateScalar(&rate, ACL_FLOAT);
	CHECK(!rank->rate);
	for (size_t i = 0; i < LAYERS * one; i++)
		host[i] = (float)((int)(i % 13) + rank->number - 6) / 7;
	rank->input = device_copy(host, LAYERS * one);
	rank->error = device_copy(host, one);
	rank->weight = device_copy(host, LAYERS * one);
	rank->expected = host;
	for (int i = 0; i < LAYERS; i++) {
		CHECK(aclrtCreateEventExWithFlag(&rank->computed[i],
						 ACL_EVENT_SYNC));
		CHECK(aclrtCreateEventExWithFlag(&rank->reduced[i],
						 ACL_EVENT_SYNC));
		rank->gradient[i] = device_copy(host, one);
	}
	CHECK(vnpu_arena_create(plan, NULL, 0, VNPU_ARENA_CHECK, &rank->arena));
}

static void end(struct rank *rank)
{
	vnpu_arena_destroy(rank->arena);
	CHECK(HcclCommDestroy(rank->comm));
	for (int i = 0; i < LAYERS; i++) {
		CHECK(aclrtFree(rank->gradient[i]));
		CHECK(aclrtDestroyEvent(rank->reduced[i]));
		CHECK(aclrtDestroyEvent(rank->computed[i]));
	}
	CHECK(aclDestroyScalar(rank->rate));
	CHECK(aclrtDestroyStream(rank->compute));
	CHECK(aclrtDestroyStream(rank->reduce));
	CHECK(aclrtFree(rank->input));
	CHECK(aclrtFree(rank->error));
	CHECK(aclrtFree(rank->weight));
	free(rank->expected);
}

/* Keep the weights of the first variant, and compare them with the second one's. */
static void compare(struct rank *rank, enum variant variant)
{
	const size_t bytes = LAYERS * width * width * sizeof(float);
	float *found = malloc(bytes);

	CHECK(!found);
	CHECK(aclrtMemcpy(found, bytes, rank->weight, bytes,
			  ACL_MEMCPY_DEVICE_TO_HOST));
	if (variant == PLANNED && memcmp(found, rank->expected, bytes)) {
		fprintf(stderr, "rank %d: the weights differ\n", rank->number);
		exit(1);
	}
	/* Both begin with the same weights. */
	CHECK(aclrtMemset(rank->weight, bytes, 0, bytes));
	free(rank->expected);
	rank->expected = found;
}

struct start {
	struct rank *rank;
	const struct vnpu_plan *plan;
};

static void *run(void *arg)
{
	const struct start *start = arg;
	struct rank *rank = start->rank;
	const size_t bytes = LAYERS * width * width * sizeof(float);

	begin(rank, start->plan);
	CHECK(aclrtMemset(rank->weight, bytes, 0, bytes));
	for (int variant = 0; variant < VARIANTS; variant++) {
		for (unsigned int i = 0; i <= rank->steps; i++) {
			double time;

			pthread_barrier_wait(&together);
			time = now_us();
			step(rank, (enum variant)variant);
			pthread_barrier_wait(&together);
			/* The first step is not measured. */
			if (i)
				rank->us[variant] += now_us() - time;
		}
		compare(rank, (enum variant)variant);
	}
	end(rank);
	return NULL;
}

static void print(const struct rank *rank, uint32_t devices)
{
	const double apart = (double)LAYERS * (double)width * (double)width *
			     sizeof(float);

	printf("%u devices, %d layers of %zu x %zu\n", devices, LAYERS, width,
	       width);
	printf("memory of their own: %7.0f KiB of gradients, %7.0f us a step\n",
	       apart / 1024, rank->us[APART] / rank->steps);
	printf("planned memory:      %7.0f KiB of gradients, %7.0f us a step\n",
	       (double)planned.peak / 1024, rank->us[PLANNED] / rank->steps);
	printf("the weights are equal\n");
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 5;
	struct vnpu_plan *plan;
	struct start starts[64];
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
	plan = make_plan();
	for (uint32_t i = 0; i < count; i++) {
		ranks[i] = (struct rank){
			.number = (int32_t)i,
			.steps = steps > 0 ? (unsigned int)steps : 1,
			.comm = comms[i],
		};
		starts[i] = (struct start){ &ranks[i], plan };
		CHECK(pthread_create(&ranks[i].thread, NULL, run, &starts[i]));
	}
	for (uint32_t i = 0; i < count; i++)
		CHECK(pthread_join(ranks[i].thread, NULL));
	print(&ranks[0], count);
	vnpu_plan_destroy(plan);
	CHECK(pthread_barrier_destroy(&together));
	return aclFinalize();
}
