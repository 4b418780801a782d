/* SPDX-License-Identifier: MIT */
/*
 * AllReduce among all devices, a thread for each: sizes from 8 bytes to 8 MiB in the
 * columns of CANN's hccl_test.  The bandwidth is the size divided by the time.
 *
 * usage: all-reduce [ITERATIONS]
 */
#include "devices.h"

#define SIZE_MIN	((size_t)8)
#define SIZE_MAX_	((size_t)8 << 20)

struct rank {
	pthread_t thread;
	uint32_t number;
	uint32_t ranks;
	unsigned int iterations;
	HcclComm comm;
};

/* Element I of rank R is R + I % 8, so that all sums are exact. */
static void fill(float *host, size_t count, uint32_t number)
{
	for (size_t i = 0; i < count; i++)
		host[i] = (float)(number + i % 8);
}

static int is_right(const float *host, size_t count, uint32_t ranks)
{
	for (size_t i = 0; i < count; i++)
		if (host[i] != ranks * (ranks - 1) / 2.0f +
			       (float)(ranks * (i % 8)))
			return 0;
	return 1;
}

static void measure(struct rank *rank, size_t size, float *host, float *send,
		    float *recv, aclrtStream stream)
{
	size_t count = size / sizeof(float);
	double begin, end;

	fill(host, count, rank->number);
	CHECK(aclrtMemcpy(send, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE));
	/* The first one is not measured. */
	begin = 0;
	for (unsigned int i = 0; i <= rank->iterations; i++) {
		CHECK(HcclAllReduce(send, recv, count, HCCL_DATA_TYPE_FP32,
				    HCCL_REDUCE_SUM, rank->comm, stream));
		if (i)
			continue;
		CHECK(aclrtSynchronizeStream(stream));
		begin = now_us();
	}
	CHECK(aclrtSynchronizeStream(stream));
	end = now_us();
	CHECK(aclrtMemcpy(host, size, recv, size, ACL_MEMCPY_DEVICE_TO_HOST));
	if (!rank->number)
		printf("%-20zu | %-20.2f | %-20.5f | %-20s\n", size,
		       (end - begin) / rank->iterations,
		       size / ((end - begin) / rank->iterations) / 1e3,
		       is_right(host, count, rank->ranks) ? "success" :
							    "failed");
	if (!is_right(host, count, rank->ranks))
		exit(1);
}

static void *run(void *arg)
{
	struct rank *rank = arg;
	float *host = malloc(SIZE_MAX_);
	aclrtStream stream;
	void *send, *recv;

	CHECK(!host);
	CHECK(aclrtSetDevice((int32_t)rank->number));
	CHECK(aclrtCreateStream(&stream));
	CHECK(aclrtMalloc(&send, SIZE_MAX_, ACL_MEM_MALLOC_HUGE_FIRST));
	CHECK(aclrtMalloc(&recv, SIZE_MAX_, ACL_MEM_MALLOC_HUGE_FIRST));
	for (size_t size = SIZE_MIN; size <= SIZE_MAX_; size *= 4)
		measure(rank, size, host, send, recv, stream);
	CHECK(HcclCommDestroy(rank->comm));
	CHECK(aclrtFree(send));
	CHECK(aclrtFree(recv));
	CHECK(aclrtDestroyStream(stream));
	free(host);
	return NULL;
}

int main(int argc, char **argv)
{
	int iterations = argc > 1 ? atoi(argv[1]) : 20;
	struct rank *ranks;
	HcclComm *comms;
	int32_t *devices;
	uint32_t count;

	CHECK(aclInit(NULL));
	CHECK(aclrtGetDeviceCount(&count));
	ranks = calloc(count, sizeof(*ranks));
	comms = calloc(count, sizeof(*comms));
	devices = calloc(count, sizeof(*devices));
	CHECK(!ranks || !comms || !devices);
	for (uint32_t i = 0; i < count; i++)
		devices[i] = (int32_t)i;
	CHECK(HcclCommInitAll(count, devices, comms));
	printf("AllReduce of float32, sum, %u ranks\n", count);
	printf("%-20s | %-20s | %-20s | %-20s\n", "data_size(Bytes):",
	       "aveg_time(us):", "alg_bandwidth(GB/s):", "check_result:");
	for (uint32_t i = 0; i < count; i++) {
		ranks[i].number = i;
		ranks[i].ranks = count;
		ranks[i].iterations = iterations > 0 ? (unsigned int)iterations :
						       1;
		ranks[i].comm = comms[i];
		CHECK(pthread_create(&ranks[i].thread, NULL, run, &ranks[i]));
	}
	for (uint32_t i = 0; i < count; i++)
		CHECK(pthread_join(ranks[i].thread, NULL));
	free(ranks);
	free(comms);
	free(devices);
	return aclFinalize();
}
