// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each operation with each type and reduction, among threads and processes; and
 * random sequences of them on two communicators and several streams.
 */
#include "operations.h"

#include <time.h>

static bool run_job(struct rank *rank, struct job *job)
{
	job->comm = rank->comm;
	job->stream = rank->stream;
	return job_begin(rank, job) && job_end(rank, job);
}

/* A quarter has as many elements as the slower way takes. */
static size_t count_of(HcclDataType type, unsigned int operation, uint64_t seed)
{
	/* The send buffer has a part for each rank. */
	if (operation == REDUCE_SCATTER || operation == REDUCE_SCATTER_V)
		return seed % 4 ? 37 : 400;
	return seed % 4 ? 37 : 16500 / size_of(type);
}

struct reductions {
	HcclReduceOp op;
	unsigned int step;	/* 1 for all of them */
};

/* Every call that reduces, with every type, some in place. */
static void each_reduction(struct rank *rank)
{
	const struct reductions *what = rank->world->arg;
	unsigned int op = what->op;

	for (unsigned int i = 0; i < 4 * NR_REDUCIBLE; i += what->step) {
		HcclDataType type = reducible[i / 4];
		struct job job = {
			.operation = i % 4,
			.type = type,
			.op = op,
			.count = count_of(type, i % 4, i / 4 + op + i),
			.root = i / 4 % rank->world->ranks,
			.in_place = (i / 4 + i / 16 + op) % 2,
			.seed = i + op * 100,
		};

		if (!run_job(rank, &job))
			return;
	}
}

/* Every operation, in place and not, with types whose order matters. */
static void each_operation(struct rank *rank)
{
	static const HcclDataType types[] = {
		HCCL_DATA_TYPE_FP32, HCCL_DATA_TYPE_FP16,
		HCCL_DATA_TYPE_INT128, HCCL_DATA_TYPE_INT8,
	};
	static const HcclDataType bytes[] = {
		HCCL_DATA_TYPE_INT8, HCCL_DATA_TYPE_HIF8, HCCL_DATA_TYPE_FP8E4M3,
		HCCL_DATA_TYPE_FP8E5M2, HCCL_DATA_TYPE_FP8E8M0,
	};
	static const size_t counts[] = { 1, 3000 };

	const int *first = rank->world->arg;

	for (int operation = *first; operation < *first + NR_OPERATIONS / 2;
	     operation++)
		for (unsigned int i = 0; i < 8; i++) {
			struct job job = {
				.operation = operation,
				.type = types[i % 4],
				.count = counts[i / 4],
				.root = i % rank->world->ranks,
				.in_place = (i ^ i / 4) % 2,
				.seed = 1000 + i,
			};

			if (is_reduction(operation) && i % 4 == 2)
				continue;
			if (!is_reduction(operation) && i % 4 == 3)
				job.type = bytes[(operation + i / 4) % 5];
			/* More ranks take more time. */
			if (rank->world->ranks > 2 && (i + operation) % 2)
				continue;
			if (!run_job(rank, &job))
				return;
		}
}

/* A test may take a limited time, so there is one for each reduction. */
#define REDUCTION_TEST(name, reduction)					\
TEST(each_##name##_of_threads)						\
{									\
	const struct reductions what = { reduction, 1 };		\
									\
	RUN_RANKS(3, false, each_reduction, &what);			\
}									\
									\
TEST(some_##name##_of_processes)					\
{									\
	const struct reductions what = { reduction, 7 };		\
									\
	RUN_RANKS(ranks_available(), true, each_reduction, &what);		\
}

REDUCTION_TEST(sum, HCCL_REDUCE_SUM)
REDUCTION_TEST(product, HCCL_REDUCE_PROD)
REDUCTION_TEST(maximum, HCCL_REDUCE_MAX)
REDUCTION_TEST(minimum, HCCL_REDUCE_MIN)

static const int first_half = 0, second_half = NR_OPERATIONS / 2;

TEST(each_operation_of_one_rank)
{
	RUN_RANKS(1, false, each_operation, &first_half);
	RUN_RANKS(1, false, each_operation, &second_half);
}

TEST(each_operation_of_two_threads)
{
	RUN_RANKS(2, false, each_operation, &first_half);
	RUN_RANKS(2, false, each_operation, &second_half);
}

TEST(some_operations_of_processes)
{
	RUN_RANKS(ranks_available(), true, each_operation, &first_half);
}

TEST(other_operations_of_processes)
{
	RUN_RANKS(ranks_available(), true, each_operation, &second_half);
}

/* Two processes of two ranks: buffers of one's own process, and of others. */
TEST(some_operations_of_threads_in_processes)
{
	RUN_MIXED(4, 2, each_operation, &first_half);
}

TEST(other_operations_of_threads_in_processes)
{
	RUN_MIXED(4, 2, each_operation, &second_half);
}

/* Operations in flight, on two communicators and two streams each. */
#define IN_FLIGHT	5
#define ROUNDS		5

static void random_sequence(struct rank *rank)
{
	const uint64_t *seed = rank->world->arg;
	uint32_t ids[RANKS_MAX] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	struct job jobs[IN_FLIGHT];
	aclrtStream streams[2] = { rank->stream };
	HcclComm comms[2] = { rank->comm };
	HcclCommConfig config;

	HcclCommConfigInit(&config);
	NEED_OK(aclrtCreateStream(&streams[1]));
	NEED_OK(HcclCreateSubCommConfig(&rank->comm, rank->world->ranks, ids, 7,
					rank->number, &config, &comms[1]));
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < IN_FLIGHT; i++) {
			uint64_t dice = mix(*seed + round * 100 + i);

			/* A stream of its own for each communicator. */
			jobs[i] = (struct job){
				.operation = dice % NR_OPERATIONS,
				.type = reducible[dice / 64 % NR_REDUCIBLE],
				.op = dice / 1024 % 4,
				.count = 1 + dice / 4096 % 3000,
				.root = dice / 65536 % rank->world->ranks,
				.in_place = dice >> 40 & 1,
				.seed = dice >> 8,
				.comm = comms[dice >> 41 & 1],
				.stream = streams[dice >> 42 & 1],
			};
			if (!job_begin(rank, &jobs[i]))
				return;
		}
		for (unsigned int i = 0; i < IN_FLIGHT; i++)
			if (!job_end(rank, &jobs[i]))
				return;
	}
	NEED_OK(HcclCommDestroy(comms[1]));
	NEED_OK(aclrtDestroyStream(streams[1]));
}

/* SEED= repeats a run. */
static uint64_t choose_seed(void)
{
	const char *env = getenv("SEED");
	uint64_t seed = env ? strtoull(env, NULL, 0) : (uint64_t)time(NULL) << 20;

	printf("# SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
	return seed;
}

TEST(random_sequence_of_threads)
{
	const uint64_t seed = choose_seed();

	RUN_RANKS(ranks_available(), false, random_sequence, &seed);
}

TEST(random_sequence_of_processes)
{
	const uint64_t seed = choose_seed();

	RUN_RANKS(3, true, random_sequence, &seed);
}

/* Reduce arrays with more partial results than the communication buffer holds. */
static void large(struct rank *rank)
{
	struct job jobs[] = {
		{ .operation = ALL_REDUCE, .type = HCCL_DATA_TYPE_FP16,
		  .count = 700000, .seed = 21 },
		{ .operation = ALL_REDUCE, .type = HCCL_DATA_TYPE_FP32,
		  .count = 700000, .seed = 22, .in_place = true },
		{ .operation = REDUCE_SCATTER, .type = HCCL_DATA_TYPE_BFP16,
		  .count = 300000, .seed = 23 },
	};
	uint32_t ids[] = { 0, 1, 2 };
	HcclCommConfig config;
	HcclComm small;

	HcclCommConfigInit(&config);
	config.hcclBufferSize = 1;
	NEED_OK(HcclCreateSubCommConfig(&rank->comm, 3, ids, 9, rank->number,
					&config, &small));
	for (unsigned int i = 0; i < 3; i++) {
		jobs[i].comm = small;
		jobs[i].stream = rank->stream;
		if (!job_begin(rank, &jobs[i]) || !job_end(rank, &jobs[i]))
			return;
	}
	NEED_OK(HcclCommDestroy(small));
}

TEST(large_arrays)
{
	RUN_RANKS(3, false, large, NULL);
	RUN_RANKS(3, true, large, NULL);
}

/* The caller does not wait for the other ranks; its stream does. */
static void asynchronous(struct rank *rank)
{
	struct job job = {
		.operation = ALL_REDUCE,
		.type = HCCL_DATA_TYPE_INT32,
		.count = 100,
		.comm = rank->comm,
		.stream = rank->stream,
	};
	aclrtStreamStatus status;

	if (rank->number)
		wait_step(rank, 1);
	NEED(job_begin(rank, &job), "the operation");
	if (!rank->number) {
		NEED_OK(aclrtStreamQuery(rank->stream, &status));
		NEED(status == ACL_STREAM_STATUS_NOT_READY, "complete already");
		rank->world->step = 1;
	}
	job_end(rank, &job);
}

TEST(a_call_waits_for_nobody)
{
	RUN_RANKS(2, false, asynchronous, NULL);
	RUN_RANKS(2, true, asynchronous, NULL);
}

/*
 * More operations than fit into any list, without waiting for results; rank 1 begins
 * when rank 0 has called all of its own.
 */
#define MANY	100

static void many(struct rank *rank)
{
	int32_t *buffer, value = 1;
	HcclResult error;

	NEED_OK(aclrtMalloc((void **)&buffer, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
	NEED_OK(put_elements(buffer, &value, sizeof(value)));
	if (rank->number)
		wait_step(rank, 1);
	for (unsigned int i = 0; i < MANY; i++) {
		NEED_OK(HcclAllReduce(buffer, buffer, 1, HCCL_DATA_TYPE_INT32,
				      HCCL_REDUCE_SUM, rank->comm,
				      rank->stream));
		if (rank->number)
			NEED_OK(HcclSend(buffer, 1, HCCL_DATA_TYPE_INT32, 0,
					 rank->comm, rank->stream));
		else
			NEED_OK(HcclRecv(buffer, 1, HCCL_DATA_TYPE_INT32, 1,
					 rank->comm, rank->stream));
	}
	rank->world->step = 1;
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(&value, sizeof(value), buffer, sizeof(value),
			    ACL_MEMCPY_DEVICE_TO_HOST));
	/* 2^100 wraps around to 0. */
	NEED(!value, "value %d", value);
	NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
	NEED(!error, "async error %d", error);
	NEED_OK(aclrtFree(buffer));
}

TEST(many_operations_are_queued)
{
	RUN_RANKS(2, false, many, NULL);
	RUN_RANKS(2, true, many, NULL);
}

/* A rank may leave at once; its stream ends without an error nevertheless. */
static void leave(struct rank *rank)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct job job = {
			.operation = i % 2 ? ALL_REDUCE : ALL_GATHER,
			.type = HCCL_DATA_TYPE_FP32,
			.count = 2000,
			.seed = i,
			.comm = rank->comm,
			.stream = rank->stream,
		};

		if (!job_begin(rank, &job))
			return;
		if (i == 3) {
			NEED_OK(HcclCommDestroy(rank->comm));
			rank->comm = NULL;
		}
		if (!job_end(rank, &job))
			return;
	}
}

TEST(a_rank_leaves_without_waiting)
{
	RUN_RANKS(3, false, leave, NULL);
	RUN_RANKS(3, true, leave, NULL);
}

TEST_HARNESS_MAIN
