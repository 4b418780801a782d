/* SPDX-License-Identifier: MIT */
/*
 * AllGather and a product in one, as of aclnnAllGatherMatmul: each device has some
 * rows of a matrix, and computes the product of all rows with its own other matrix.
 *
 * Instead of waiting for all rows, a device gathers them in parts on a stream of its
 * own, and multiplies a part as soon as it has arrived; its own rows come first.
 * The result is the same as that of one operation after the other.
 *
 * usage: all-gather-matmul [TIMES]
 */
#include "product.h"

#define ROWS	64	/* of a device */
#define DEPTH	256
#define COLUMNS	96	/* of a device */
#define DEVICES	64

struct rank {
	pthread_t thread;
	uint32_t number;
	uint32_t ranks;
	unsigned int times;
	HcclComm comm;
	aclrtStream compute;
	aclrtStream gather;
	aclrtEvent arrived[DEVICES];
	aclrtEvent begin;
	float *all;		/* ROWS of each device; its own are its input */
	float *weight;		/* DEPTH rows */
	float *out;
	double us[2];		/* afterwards, beside */
};

static pthread_barrier_t together;

/* Multiply the rows of @count devices from @first on. */
static void multiply_rows(struct rank *rank, uint32_t first, uint32_t count)
{
	float *in = rank->all + (size_t)first * ROWS * DEPTH;
	float *out = rank->out + (size_t)first * ROWS * COLUMNS;
	int64_t rows = (int64_t)count * ROWS;

	multiply(matrix(in, rows, DEPTH), matrix(rank->weight, DEPTH, COLUMNS),
		 matrix(out, rows, COLUMNS), rank->compute);
}

static void one_after_the_other(struct rank *rank)
{
	float *own = rank->all + (size_t)rank->number * ROWS * DEPTH;

	CHECK(HcclAllGather(own, rank->all, ROWS * DEPTH, HCCL_DATA_TYPE_FP32,
			    rank->comm, rank->compute));
	multiply_rows(rank, 0, rank->ranks);
}

/*
 * Part I comes from the rank that is I before this one, so that no two receive from
 * the same one at a time.
 */
static void receive_part(struct rank *rank, uint32_t i)
{
	uint32_t to = (rank->number + i) % rank->ranks;
	uint32_t from = (rank->number + rank->ranks - i) % rank->ranks;
	HcclSendRecvItem items[] = {
		{ HCCL_SEND, rank->all + (size_t)rank->number * ROWS * DEPTH,
		  ROWS * DEPTH, HCCL_DATA_TYPE_FP32, to },
		{ HCCL_RECV, rank->all + (size_t)from * ROWS * DEPTH,
		  ROWS * DEPTH, HCCL_DATA_TYPE_FP32, from },
	};

	CHECK(HcclBatchSendRecv(items, 2, rank->comm, rank->gather));
	CHECK(aclrtRecordEvent(rank->arrived[i], rank->gather));
}

static void beside(struct rank *rank)
{
	CHECK(aclrtRecordEvent(rank->begin, rank->compute));
	CHECK(aclrtStreamWaitEvent(rank->gather, rank->begin));
	for (uint32_t i = 1; i < rank->ranks; i++)
		receive_part(rank, i);
	multiply_rows(rank, rank->number, 1);
	for (uint32_t i = 1; i < rank->ranks; i++) {
		CHECK(aclrtStreamWaitEvent(rank->compute, rank->arrived[i]));
		multiply_rows(rank, (rank->number + rank->ranks - i) %
				    rank->ranks, 1);
	}
}

/* Small whole numbers, so that the sums are exact. */
static float element(uint32_t number, size_t i)
{
	return (float)((i * 7 + number * 3) % 5) - 2;
}

static void begin(struct rank *rank)
{
	const size_t rows = (size_t)ROWS * DEPTH;
	const size_t all = rows * rank->ranks * sizeof(float);
	const size_t weight = (size_t)DEPTH * COLUMNS * sizeof(float);
	float *host = malloc(all + weight);

	CHECK(!host);
	CHECK(aclrtSetDevice((int32_t)rank->number));
	CHECK(aclrtCreateStream(&rank->compute));
	CHECK(aclrtCreateStream(&rank->gather));
	CHECK(aclrtCreateEventExWithFlag(&rank->begin, ACL_EVENT_SYNC));
	for (uint32_t i = 0; i < rank->ranks; i++)
		CHECK(aclrtCreateEventExWithFlag(&rank->arrived[i],
						 ACL_EVENT_SYNC));
	CHECK(aclrtMalloc((void **)&rank->all, all, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMalloc((void **)&rank->weight, weight,
			  ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMalloc((void **)&rank->out, (size_t)ROWS * rank->ranks *
			  COLUMNS * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
	for (size_t i = 0; i < rows; i++)
		host[i] = element(rank->number, i);
	CHECK(aclrtMemcpy(rank->all + rows * rank->number,
			  rows * sizeof(float), host, rows * sizeof(float),
			  ACL_MEMCPY_HOST_TO_DEVICE));
	for (size_t i = 0; i < (size_t)DEPTH * COLUMNS; i++)
		host[i] = element(rank->number + 1, i);
	CHECK(aclrtMemcpy(rank->weight, weight, host, weight,
			  ACL_MEMCPY_HOST_TO_DEVICE));
	free(host);
}

/* Check one element of each row, and clear all for the next variant. */
static void check(struct rank *rank)
{
	const size_t count = (size_t)ROWS * rank->ranks * COLUMNS;
	float *host = malloc(count * sizeof(*host));

	CHECK(!host);
	CHECK(aclrtMemcpy(host, count * sizeof(*host), rank->out,
			  count * sizeof(*host), ACL_MEMCPY_DEVICE_TO_HOST));
	for (size_t row = 0; row < (size_t)ROWS * rank->ranks; row++) {
		size_t column = row % COLUMNS;
		float sum = 0;

		for (size_t k = 0; k < DEPTH; k++)
			sum += element((uint32_t)(row / ROWS),
				       row % ROWS * DEPTH + k) *
			       element(rank->number + 1, k * COLUMNS + column);
		if (host[row * COLUMNS + column] != sum) {
			fprintf(stderr, "rank %u, row %zu: %f, not %f\n",
				rank->number, row,
				(double)host[row * COLUMNS + column],
				(double)sum);
			exit(1);
		}
	}
	free(host);
	CHECK(aclrtMemset(rank->out, count * sizeof(*host), 0xff,
			  count * sizeof(*host)));
}

static void end(struct rank *rank)
{
	CHECK(HcclCommDestroy(rank->comm));
	CHECK(aclrtDestroyStream(rank->compute));
	CHECK(aclrtDestroyStream(rank->gather));
	CHECK(aclrtDestroyEvent(rank->begin));
	for (uint32_t i = 0; i < rank->ranks; i++)
		CHECK(aclrtDestroyEvent(rank->arrived[i]));
	CHECK(aclrtFree(rank->all));
	CHECK(aclrtFree(rank->weight));
	CHECK(aclrtFree(rank->out));
}

static void *run(void *arg)
{
	struct rank *rank = arg;

	begin(rank);
	for (int variant = 0; variant < 2; variant++) {
		/* The first time is not measured. */
		for (unsigned int i = 0; i <= rank->times; i++) {
			double time;

			pthread_barrier_wait(&together);
			time = now_us();
			if (variant)
				beside(rank);
			else
				one_after_the_other(rank);
			CHECK(aclrtSynchronizeStream(rank->compute));
			pthread_barrier_wait(&together);
			if (i)
				rank->us[variant] += now_us() - time;
		}
		check(rank);
	}
	end(rank);
	return NULL;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 10;
	struct rank ranks[DEVICES];
	HcclComm comms[DEVICES];
	int32_t devices[DEVICES];
	uint32_t count;

	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&count));
	if (count > DEVICES)
		count = DEVICES;
	if (times < 1)
		times = 1;
	for (uint32_t i = 0; i < count; i++)
		devices[i] = (int32_t)i;
	CHECK(HcclCommInitAll(count, devices, comms));
	CHECK(pthread_barrier_init(&together, NULL, count));
	for (uint32_t i = 0; i < count; i++) {
		ranks[i] = (struct rank){
			.number = i,
			.ranks = count,
			.times = (unsigned int)times,
			.comm = comms[i],
		};
		CHECK(pthread_create(&ranks[i].thread, NULL, run, &ranks[i]));
	}
	for (uint32_t i = 0; i < count; i++)
		CHECK(pthread_join(ranks[i].thread, NULL));
	printf("%u devices with %d x %d each, times %d x %d\n", count, ROWS,
	       DEPTH, DEPTH, COLUMNS);
	printf("AllGather, then the product: %8.0f us\n",
	       ranks[0].us[0] / times);
	printf("products of what has come:   %8.0f us\n",
	       ranks[0].us[1] / times);
	CHECK(pthread_barrier_destroy(&together));
	return aclFinalize();
}
