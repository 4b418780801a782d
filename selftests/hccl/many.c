// SPDX-License-Identifier: GPL-2.0-only
/*
 * Five to eight ranks: more than a task reduces at once, and numbers that are no power
 * of two.
 */
#include "operations.h"

#define MOST	8

static const HcclDataType types[] = {
	HCCL_DATA_TYPE_FP32, HCCL_DATA_TYPE_FP64, HCCL_DATA_TYPE_BFP16,
	HCCL_DATA_TYPE_INT16,
};

#define NR_TYPES	(sizeof(types) / sizeof(types[0]))

/* A few elements, or as many as the slower way takes; see operations.c. */
static size_t count_of(HcclDataType type, unsigned int operation, bool is_large)
{
	if (operation == REDUCE_SCATTER || operation == REDUCE_SCATTER_V)
		return is_large ? 400 : 37;
	return is_large ? 16500 / size_of(type) : 37;
}

static bool run_job(struct rank *rank, struct job *job)
{
	job->comm = rank->comm;
	job->stream = rank->stream;
	return job_begin(rank, job) && job_end(rank, job);
}

/* Each way to reduce, in place and not, to the last rank if there is a root. */
static void reduce_each_way(struct rank *rank)
{
	for (unsigned int i = 0; i < 16 * NR_TYPES; i++) {
		HcclDataType type = types[i / 16];
		struct job job = {
			.operation = i % 4,
			.type = type,
			.op = i / 16 % 2 ? HCCL_REDUCE_PROD : HCCL_REDUCE_SUM,
			.count = count_of(type, i % 4, i / 8 % 2),
			.root = rank->world->ranks - 1,
			.in_place = i / 4 % 2,
			.seed = i,
		};

		if (!run_job(rank, &job))
			return;
	}
}

static void operate_each_way(struct rank *rank)
{
	for (unsigned int i = 0; i < 2 * NR_OPERATIONS; i++) {
		struct job job = {
			.operation = i / 2,
			.type = HCCL_DATA_TYPE_INT32,
			.op = HCCL_REDUCE_MAX,
			.count = 100 + i,
			.root = i % rank->world->ranks,
			.in_place = i % 2,
			.seed = i,
		};

		if (!run_job(rank, &job))
			return;
	}
}

/* Threads or processes, in tests of their own, as a test may take a limited time. */
#define MANY_TEST(name, count, has_processes)				\
TEST(name##_reduce)							\
{									\
	if (ranks_available() < MOST)					\
		SKIP(return, "eight devices are needed");		\
	RUN_RANKS(count, has_processes, reduce_each_way, NULL);		\
}									\
									\
TEST(name##_operate)							\
{									\
	if (ranks_available() < MOST)					\
		SKIP(return, "eight devices are needed");		\
	RUN_RANKS(count, has_processes, operate_each_way, NULL);	\
}

MANY_TEST(five_threads, 5, false)
MANY_TEST(six_processes, 6, true)
MANY_TEST(seven_threads, 7, false)
MANY_TEST(eight_processes, MOST, true)

/* The ways that numbers which are no power of two take through each algorithm. */
TEST(algorithms_of_seven_threads)
{
	static const char *const names[] = { "ring", "H-D_R", "NHR", "NB" };

	if (ranks_available() < MOST)
		SKIP(return, "eight devices are needed");
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char text[32];

		snprintf(text, sizeof(text), "level1:%s", names[i]);
		setenv("HCCL_ALGO", text, 1);
		RUN_RANKS(7, false, operate_each_way, NULL);
	}
}

TEST_HARNESS_MAIN
