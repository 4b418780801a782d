// SPDX-License-Identifier: GPL-2.0-only
/*
 * The algorithms of HCCL_ALGO give the same bits as the plain reduction in the order
 * of the ranks.
 */
#include "operations.h"

static const char *const names[] = { "ring", "H-D_R", "NHR", "NB" };

static void set_algorithm(const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "level0:NA;level1:%s", name);
	setenv("HCCL_ALGO", text, 1);
}

/* What has steps, in small and large, in place and not. */
static void operate(struct rank *rank)
{
	static const enum operation operations[] = {
		ALL_REDUCE, BROADCAST, ALL_GATHER, ALL_GATHER_V,
	};
	static const HcclDataType types[] = {
		HCCL_DATA_TYPE_FP32, HCCL_DATA_TYPE_INT32, HCCL_DATA_TYPE_FP16,
		HCCL_DATA_TYPE_UINT8,
	};

	for (unsigned int i = 0; i < 12; i++) {
		struct job job = {
			.operation = i < 6 ? ALL_REDUCE : operations[i % 4],
			.type = types[(i + i / 4) % 4],
			.op = i % 3 ? HCCL_REDUCE_SUM : HCCL_REDUCE_PROD,
			.count = i % 3 == 1 ? 3 : 9001 - i,
			.root = i % rank->world->ranks,
			.in_place = i / 2 % 2,
			.seed = 77 + i,
			.comm = rank->comm,
			.stream = rank->stream,
		};

		if (!job_begin(rank, &job) || !job_end(rank, &job))
			return;
	}
}

#define ALGORITHM_TEST(name, index)					\
TEST(name)								\
{									\
	set_algorithm(names[index]);					\
	for (unsigned int ranks = 1; ranks <= 3; ranks++)		\
		RUN_RANKS(ranks, false, operate, NULL);			\
	RUN_RANKS(ranks_available(), true, operate, NULL);		\
}

ALGORITHM_TEST(ring, 0)
ALGORITHM_TEST(halving_and_doubling, 1)
ALGORITHM_TEST(nonuniform_hierarchical_ring, 2)
ALGORITHM_TEST(nonuniform_bruck, 3)

/* Ranks that choose different algorithms learn so. */
static void differ(struct rank *rank)
{
	HcclComm comm = rank->comm;
	HcclCommConfig config;
	uint32_t ids[] = { 0, 1 };
	HcclResult error;
	int ret;

	HcclCommConfigInit(&config);
	strcpy(config.hcclAlgo, rank->number ? "allreduce=level1:ring" :
					       "allreduce=level1:NB");
	NEED_OK(HcclCreateSubCommConfig(&comm, 2, ids, 1, rank->number,
					&config, &comm));
	/* Other operations are not concerned. */
	NEED_OK(HcclBarrier(comm, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(HcclAllReduce(NULL, NULL, 0, HCCL_DATA_TYPE_INT8,
			      HCCL_REDUCE_SUM, comm, rank->stream));
	ret = aclrtSynchronizeStream(rank->stream);
	NEED(ret, "the stream did not fail");
	NEED_OK(HcclGetCommAsyncError(comm, &error));
	NEED(error == HCCL_E_PARA || error == HCCL_E_REMOTE, "error %d", error);
	NEED_OK(HcclCommDestroy(comm));
}

TEST(algorithms_differ)
{
	RUN_RANKS(2, false, differ, NULL);
}

TEST(unknown_algorithm)
{
	int32_t device = 0;
	HcclComm comm;

	OK(aclrtSetDevice(0));
	setenv("HCCL_ALGO", "level0:NA;level1:star", 1);
	EXPECT_EQ(HCCL_E_PARA, HcclCommInitAll(1, &device, &comm));
	setenv("HCCL_ALGO", "", 1);
	ASSERT_EQ(HCCL_SUCCESS, HcclCommInitAll(1, &device, &comm));
	EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comm));
}

TEST_HARNESS_MAIN
