// SPDX-License-Identifier: GPL-2.0-only
/* Buffers of several mappings, and more streams than a communicator has lanes. */
#include "ranks.h"

#define COUNT	(3 * MIB / sizeof(float))
#define STREAMS	20

/* Expect the sum of all ranks in an AllReduce in place of 3 MiB at @at. */
static void reduce(struct rank *rank, void *at)
{
	unsigned int ranks = rank->world->ranks;
	float *host = malloc(COUNT * sizeof(*host));
	size_t wrong = 0;

	for (size_t i = 0; i < COUNT; i++)
		host[i] = rank->number + i % 1000;
	NEED_OK(aclrtMemcpy(at, 3 * MIB, host, 3 * MIB, ACL_MEMCPY_HOST_TO_DEVICE));
	NEED_OK(HcclAllReduce(at, at, COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
			      rank->comm, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(host, 3 * MIB, at, 3 * MIB, ACL_MEMCPY_DEVICE_TO_HOST));
	for (size_t i = 0; i < COUNT; i++)
		wrong += host[i] != ranks * (ranks - 1) / 2 + ranks * (i % 1000);
	NEED(!wrong, "%zu elements are wrong", wrong);
	free(host);
}

/* Reserve addresses for 8 MiB, and map twice 2 MiB. */
static void map(struct rank *rank, char **at)
{
	const aclrtPhysicalMemProp prop = {
		.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_HBM_MEM_HUGE,
		.location = { rank->number, ACL_MEM_LOCATION_TYPE_DEVICE },
	};

	NEED_OK(aclrtReserveMemAddress((void **)at, 8 * MIB, 0, NULL, 1));
	for (int i = 0; i < 2; i++) {
		aclrtDrvMemHandle handle;

		NEED_OK(aclrtMallocPhysical(&handle, 2 * MIB, &prop, 0));
		NEED_OK(aclrtMapMem(*at + i * 2 * MIB, 2 * MIB, 0, handle, 0));
	}
}

static void use_mappings(struct rank *rank)
{
	char *at = NULL;

	map(rank, &at);
	reduce(rank, at + MIB / 2);
	/* Behind the second mapping is no memory. */
	NEED_IS(HCCL_E_PARA, HcclAllReduce(at, at, 5 * MIB / 4, HCCL_DATA_TYPE_FP32,
					   HCCL_REDUCE_SUM, rank->comm,
					   rank->stream));
}

/* Other processes can only read one mapping. */
static void share_mappings(struct rank *rank)
{
	char *at = NULL;

	map(rank, &at);
	NEED_IS(HCCL_E_NOT_SUPPORT,
		HcclAllReduce(at, at, COUNT, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
			      rank->comm, rank->stream));
}

TEST(adjoining_mappings)
{
	RUN_RANKS(3, false, use_mappings, NULL);
	RUN_RANKS(2, true, share_mappings, NULL);
}

/* Chunks of a pool have 2 MiB, so one of these buffers is in several. */
static void use_pool(struct rank *rank)
{
	void *at[3];

	for (int i = 0; i < 3; i++)
		NEED_OK(aclrtMalloc(&at[i], 3 * MIB, ACL_MEM_MALLOC_HUGE_FIRST));
	for (int i = 0; i < 3; i++)
		reduce(rank, at[i]);
}

TEST(chunks_of_a_pool)
{
	setenv("VNPU_POOL", "1", 1);
	RUN_RANKS(2, false, use_pool, NULL);
	unsetenv("VNPU_POOL");
}

/* Two allocations are no buffer, even if their addresses adjoin; nor is host memory. */
static void use_others(struct rank *rank)
{
	char *at[8];
	void *host;

	for (int i = 0; i < 8; i++) {
		NEED_OK(aclrtMalloc((void **)&at[i], 2 * MIB - 64,
				    ACL_MEM_MALLOC_HUGE_ONLY));
		NEED_IS(HCCL_E_PARA,
			HcclAllReduce(at[i], at[i], COUNT, HCCL_DATA_TYPE_FP32,
				      HCCL_REDUCE_SUM, rank->comm, rank->stream));
	}
	NEED_OK(aclrtMallocHost(&host, 3 * MIB));
	NEED_IS(HCCL_E_PARA,
		HcclAllReduce(host, host, COUNT, HCCL_DATA_TYPE_FP32,
			      HCCL_REDUCE_SUM, rank->comm, rank->stream));
	NEED_OK(aclrtFreeHost(host));
}

TEST(memory_that_is_no_buffer)
{
	RUN_RANKS(2, false, use_others, NULL);
}

/*
 * Streams without a lane of their own: a message must not wait behind that of another
 * stream, which waits for this very rank.  Before, these streams have used all lanes,
 * and that of the first stream least.
 */
static void use_many_streams(struct rank *rank)
{
	const int *used = rank->world->arg;
	unsigned int other = 1 - rank->number;
	aclrtStream streams[STREAMS];
	uint32_t *out, *in, value = 7 + rank->number;

	NEED_OK(aclrtMalloc((void **)&out, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
	NEED_OK(aclrtMalloc((void **)&in, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
	NEED_OK(aclrtMemcpy(out, 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
	for (int i = 0; i < STREAMS; i++)
		NEED_OK(aclrtCreateStream(&streams[i]));
	for (int i = 0; i < *used; i++)
		for (int times = 0; times < (i ? 3 : 1); times++) {
			NEED_OK(HcclBarrier(rank->comm, streams[i]));
			NEED_OK(aclrtSynchronizeStream(streams[i]));
		}
	for (int i = *used; i < STREAMS; i++) {
		NEED_OK(HcclSend(out, 1, HCCL_DATA_TYPE_UINT32, other, rank->comm,
				 streams[0]));
		NEED_OK(HcclRecv(in, 1, HCCL_DATA_TYPE_UINT32, other, rank->comm,
				 streams[i]));
		NEED_OK(aclrtSynchronizeStreamWithTimeout(streams[0], 20000));
		NEED_OK(aclrtSynchronizeStreamWithTimeout(streams[i], 20000));
		NEED_OK(aclrtMemcpy(&value, 4, in, 4, ACL_MEMCPY_DEVICE_TO_HOST));
		NEED(value == 7 + other, "received %u", value);
	}
	for (int i = 0; i < STREAMS; i++)
		NEED_OK(aclrtDestroyStream(streams[i]));
}

TEST(many_streams)
{
	static const int few = 4, many = 16;

	RUN_RANKS(2, false, use_many_streams, &few);
	RUN_RANKS(2, true, use_many_streams, &many);
}

TEST_HARNESS_MAIN
