// SPDX-License-Identifier: GPL-2.0-only
/*
 * vnpu-bench hccl: AllReduce among up to four devices of this process, compared with
 * threads that move and add the same bytes in host memory, and with events.
 *
 * libhccl is loaded when it is needed, since the other commands do without it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "npu.h"
#include "report.h"

#define RANKS		4

/* Values of hccl_types.h. */
#define HCCL_FP32	4
#define HCCL_SUM	0

typedef void *comm_t;

struct library {
	int (*init)(uint32_t count, int32_t *devices, comm_t *comms);
	int (*destroy)(comm_t comm);
	int (*all_reduce)(void *send, void *recv, uint64_t count, int type,
			  int op, comm_t comm, aclrtStream stream);
};

struct rank {
	int32_t device;
	comm_t comm;
	aclrtStream stream;
	aclrtEvent event;
	void *send;
	void *recv;
};

struct ranks {
	struct library library;
	struct rank all[RANKS];
	uint32_t count;
	uint64_t size;
};

static void *symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		die(BENCH_FAILED, "libhccl has no %s: %s", name, dlerror());
	return found;
}

static void library_open(struct library *library)
{
	void *file = dlopen("libvnpu-hccl.so.1", RTLD_NOW);

	if (!file)
		die(BENCH_FAILED, "libhccl cannot be loaded: %s", dlerror());
	*(void **)&library->init = symbol(file, "HcclCommInitAll");
	*(void **)&library->destroy = symbol(file, "HcclCommDestroy");
	*(void **)&library->all_reduce = symbol(file, "HcclAllReduce");
}

static void must(const char *call, int result)
{
	if (result)
		die(BENCH_FAILED, "%s: error %d", call, result);
}

static void ranks_open(struct ranks *ranks)
{
	int32_t devices[RANKS] = { 0, 1, 2, 3 };
	comm_t comms[RANKS];

	NPU_MUST(aclrtGetDeviceCount(&ranks->count));
	if (ranks->count < 2)
		die(BENCH_NO_DEVICE,
		    "there is %u device, but ranks need at least 2; add one by /sys/class/vnpu/new_device",
		    ranks->count);
	if (ranks->count > RANKS)
		ranks->count = RANKS;
	library_open(&ranks->library);
	must("HcclCommInitAll",
	     ranks->library.init(ranks->count, devices, comms));
	for (uint32_t i = 0; i < ranks->count; i++) {
		ranks->all[i].device = devices[i];
		ranks->all[i].comm = comms[i];
		NPU_MUST(aclrtSetDevice(devices[i]));
		NPU_MUST(aclrtCreateStream(&ranks->all[i].stream));
		NPU_MUST(aclrtCreateEventExWithFlag(&ranks->all[i].event,
						    ACL_EVENT_SYNC));
	}
}

static void ranks_close(struct ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->count; i++) {
		struct rank *rank = &ranks->all[i];

		NPU_MUST(aclrtSetDevice(rank->device));
		must("HcclCommDestroy", ranks->library.destroy(rank->comm));
		NPU_MUST(aclrtDestroyEvent(rank->event));
		NPU_MUST(aclrtDestroyStream(rank->stream));
	}
	NPU_MUST(aclrtSetDevice(ranks->all[0].device));
}

/* One operation: all ranks call it, and all streams are done. */
static int all_reduce(void *arg, uint64_t *ns)
{
	struct ranks *ranks = arg;

	(void)ns;
	for (uint32_t i = 0; i < ranks->count; i++) {
		struct rank *rank = &ranks->all[i];
		int ret;

		if (aclrtSetDevice(rank->device))
			return -EIO;
		ret = ranks->library.all_reduce(rank->send, rank->recv,
			ranks->size / sizeof(float), HCCL_FP32, HCCL_SUM,
			rank->comm, rank->stream);
		if (ret)
			return -EIO;
	}
	for (uint32_t i = 0; i < ranks->count; i++)
		if (aclrtSetDevice(ranks->all[i].device) ||
		    aclrtSynchronizeStream(ranks->all[i].stream))
			return -EIO;
	return 0;
}

/* Wait for another rank's event unless it is NULL, do nothing, and record one. */
static aclError pass(const struct rank *rank, aclrtEvent before)
{
	aclError err = aclrtSetDevice(rank->device);

	if (!err && before)
		err = aclrtStreamWaitEvent(rank->stream, before);
	/* A record of an idle stream would be complete at once. */
	if (!err)
		err = aclrtResetOverflowStatus(rank->stream);
	return err ? err : aclrtRecordEvent(rank->event, rank->stream);
}

/* An event from the first stream to the second, and one back. */
static int round_trip(void *arg, uint64_t *ns)
{
	struct ranks *ranks = arg;
	const struct rank *first = &ranks->all[0], *second = &ranks->all[1];
	aclError err = pass(first, NULL);

	(void)ns;
	if (!err)
		err = pass(second, first->event);
	if (!err)
		err = pass(first, second->event);
	return npu_errno(err ? err : aclrtSynchronizeStream(first->stream));
}

/* Threads of the host that do the same in ordinary memory. */
struct host {
	pthread_t threads[RANKS];
	pthread_barrier_t begin;
	pthread_barrier_t middle;
	pthread_barrier_t end;
	float *send[RANKS];
	float *recv[RANKS];
	uint32_t ranks;
	uint32_t started;
	_Atomic bool is_over;
	size_t count;
};

static size_t cut(const struct host *host, uint32_t rank)
{
	return host->count * rank / host->ranks;
}

/* Eight floats, which need no more alignment than one. */
typedef float eight_t __attribute__((vector_size(32), aligned(4)));

/*
 * At the speed of a copy, which has such vectors, too. The compiler makes none of
 * this by itself.
 */
#ifdef __x86_64__
__attribute__((target_clones("avx2", "default")))
#endif
static void add(float *to, const float *from, size_t count)
{
	size_t i = 0;

	for (; i + 32 <= count; i += 32) {
#pragma GCC unroll 4
		for (size_t k = 0; k < 32; k += 8)
			*(eight_t *)(to + i + k) +=
				*(const eight_t *)(from + i + k);
	}
	for (; i < count; i++)
		to[i] += from[i];
}

static void reduce_part(struct host *host, uint32_t rank)
{
	size_t first = cut(host, rank), end = cut(host, rank + 1);
	float *to = host->recv[rank];

	memcpy(to + first, host->send[0] + first,
	       (end - first) * sizeof(float));
	for (uint32_t r = 1; r < host->ranks; r++)
		add(to + first, host->send[r] + first, end - first);
}

static void copy_parts(struct host *host, uint32_t rank)
{
	for (uint32_t i = 1; i < host->ranks; i++) {
		uint32_t r = (rank + i) % host->ranks;
		size_t first = cut(host, r), end = cut(host, r + 1);

		memcpy(host->recv[rank] + first, host->recv[r] + first,
		       (end - first) * sizeof(float));
	}
}

static void *host_thread(void *arg)
{
	struct host *host = arg;
	uint32_t rank = __atomic_fetch_add(&host->started, 1, __ATOMIC_RELAXED);

	for (;;) {
		pthread_barrier_wait(&host->begin);
		if (host->is_over)
			return NULL;
		reduce_part(host, rank);
		pthread_barrier_wait(&host->middle);
		copy_parts(host, rank);
		pthread_barrier_wait(&host->end);
	}
}

static int host_reduce(void *arg, uint64_t *ns)
{
	struct host *host = arg;

	(void)ns;
	pthread_barrier_wait(&host->begin);
	pthread_barrier_wait(&host->end);
	return 0;
}

static void host_open(struct host *host, const struct ranks *ranks)
{
	*host = (struct host){ .ranks = ranks->count,
			       .count = ranks->size / sizeof(float) };
	if (pthread_barrier_init(&host->begin, NULL, host->ranks + 1) ||
	    pthread_barrier_init(&host->middle, NULL, host->ranks) ||
	    pthread_barrier_init(&host->end, NULL, host->ranks + 1))
		die(BENCH_FAILED, "no memory");
	for (uint32_t i = 0; i < host->ranks; i++) {
		host->send[i] = need(1, ranks->size);
		host->recv[i] = need(1, ranks->size);
		/* Without a write, all its pages would be the page of zeros. */
		memset(host->send[i], 0, ranks->size);
	}
	for (uint32_t i = 0; i < host->ranks; i++)
		if (pthread_create(&host->threads[i], NULL, host_thread, host))
			die(BENCH_FAILED, "no threads");
}

static void host_close(struct host *host)
{
	host->is_over = true;
	pthread_barrier_wait(&host->begin);
	for (uint32_t i = 0; i < host->ranks; i++) {
		pthread_join(host->threads[i], NULL);
		free(host->send[i]);
		free(host->recv[i]);
	}
	pthread_barrier_destroy(&host->begin);
	pthread_barrier_destroy(&host->middle);
	pthread_barrier_destroy(&host->end);
}

static void buffers_make(struct ranks *ranks, uint64_t size)
{
	ranks->size = size;
	for (uint32_t i = 0; i < ranks->count; i++) {
		struct rank *rank = &ranks->all[i];

		NPU_MUST(aclrtSetDevice(rank->device));
		NPU_MUST(aclrtMalloc(&rank->send, size,
				     ACL_MEM_MALLOC_HUGE_FIRST));
		NPU_MUST(aclrtMalloc(&rank->recv, size,
				     ACL_MEM_MALLOC_HUGE_FIRST));
		NPU_MUST(aclrtMemset(rank->send, size, 0, size));
	}
}

static void buffers_free(struct ranks *ranks)
{
	for (uint32_t i = 0; i < ranks->count; i++) {
		NPU_MUST(aclrtSetDevice(ranks->all[i].device));
		NPU_MUST(aclrtFree(ranks->all[i].send));
		NPU_MUST(aclrtFree(ranks->all[i].recv));
	}
}

static void compare(struct ranks *ranks, uint64_t size,
		    const struct options *opt, struct report *report)
{
	struct contest contest = { .title = "AllReduce of float32",
				   .size = size };
	struct host host;

	buffers_make(ranks, size);
	host_open(&host, ranks);
	*contest_add(&contest) = (struct subject){
		.name = "libhccl", .run = all_reduce, .arg = ranks,
	};
	*contest_add(&contest) = (struct subject){
		.name = "threads", .run = host_reduce, .arg = &host,
		.goal = size >= 16 * MIB ? 1.15 : 0,
	};
	/* Of the smallest operation, the parts are the waits for each other. */
	if (size == sizeof(double))
		*contest_add(&contest) = (struct subject){
			.name = "events to and fro", .run = round_trip,
			.arg = ranks, .goal = 3,
		};
	contest_run(&contest, opt);
	report_contest(report, &contest);
	host_close(&host);
	buffers_free(ranks);
}

void bench_hccl(const struct options *opt, struct report *report)
{
	static const uint64_t sizes[] = { 8, 64 * KIB, MIB, 16 * MIB };
	struct ranks ranks = { .count = 0 };

	ranks_open(&ranks);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		compare(&ranks, sizes[i], opt, report);
	ranks_close(&ranks);
}
