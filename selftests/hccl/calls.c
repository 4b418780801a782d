// SPDX-License-Identifier: GPL-2.0-only
/* Calls beside the operations: groups, suspension, windows, short calls. */
#include "operations.h"

#include "hccl/hccl_ext.h"

/* One thread is all ranks: creates, uses and destroys their communicators. */
TEST(one_thread_with_several_ranks)
{
	HcclComm comms[3] = { 0 };
	int32_t values[3] = { 0 };
	aclrtStream streams[3];
	HcclRootInfo info;
	bool is_open = false;
	void *buffers[3];

	ASSERT_EQ(HCCL_SUCCESS, HcclGetRootInfo(&info));
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupStart());
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupStatusGet(&is_open));
	EXPECT_TRUE(is_open);
	for (uint32_t i = 0; i < 3; i++) {
		OK(aclrtSetDevice((int32_t)i));
		ASSERT_EQ(HCCL_SUCCESS,
			  HcclCommInitRootInfo(3, &info, i, &comms[i]));
		EXPECT_EQ(NULL, comms[i]);
	}
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupEnd());
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupStatusGet(&is_open));
	EXPECT_FALSE(is_open);
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupStart());
	for (int32_t i = 0; i < 3; i++) {
		int32_t value = i + 1;

		OK(aclrtSetDevice(i));
		OK(aclrtCreateStream(&streams[i]));
		buffers[i] = device_buffer(4);
		OK(put_elements(buffers[i], &value, 4));
		ASSERT_EQ(HCCL_SUCCESS,
			  HcclAllReduce(buffers[i], buffers[i], 1,
					HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
					comms[i], streams[i]));
	}
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupEnd());
	for (int32_t i = 0; i < 3; i++) {
		OK(aclrtSetDevice(i));
		OK(aclrtSynchronizeStream(streams[i]));
		OK(aclrtMemcpy(&values[i], 4, buffers[i], 4,
			       ACL_MEMCPY_DEVICE_TO_HOST));
		EXPECT_EQ(6, values[i]);
	}
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupStart());
	for (uint32_t i = 0; i < 3; i++)
		ASSERT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[i]));
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupEnd());
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(HCCL_E_PARA, HcclCommDestroy(comms[i]));
}

/* A rank that cannot come is an error of the end. */
TEST(a_group_ends_with_an_error)
{
	HcclRootInfo info;
	HcclComm comm = NULL;

	setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
	EXPECT_EQ(HCCL_E_PARA, HcclGroupEnd());
	EXPECT_EQ(HCCL_E_PTR, HcclGroupStatusGet(NULL));
	OK(aclrtSetDevice(0));
	ASSERT_EQ(HCCL_SUCCESS, HcclGetRootInfo(&info));
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupStart());
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupStart());
	EXPECT_EQ(HCCL_SUCCESS, HcclCommInitRootInfo(2, &info, 0, &comm));
	/* The inner one ends nothing. */
	EXPECT_EQ(HCCL_SUCCESS, HcclGroupEnd());
	EXPECT_EQ(HCCL_E_TIMEOUT, HcclGroupEnd());
	EXPECT_EQ(NULL, comm);
	EXPECT_EQ(HCCL_E_PARA, HcclGroupEnd());
}

/*
 * All ranks send to all, itself included, before they receive: without the group,
 * the sends would wait for each other.
 */
static void all_send_first(struct rank *rank)
{
	unsigned int ranks = rank->world->ranks;
	HcclDataType type = HCCL_DATA_TYPE_INT32;
	HcclComm comm = rank->comm;
	int32_t values[RANKS_MAX];
	int32_t *send = device_buffer(64), *recv = device_buffer(64);
	aclrtStream s = rank->stream;

	for (unsigned int r = 0; r < ranks; r++)
		values[r] = (int32_t)(rank->number * 10 + r);
	NEED_OK(put_elements(send, values, ranks * sizeof(*values)));
	NEED_OK(HcclGroupStart());
	for (unsigned int r = 0; r < ranks; r++)
		NEED_OK(HcclSend(send + r, 1, type, r, comm, s));
	for (unsigned int r = 0; r < ranks; r++)
		NEED_OK(HcclRecv(recv + r, 1, type, r, comm, s));
	/* Other calls do not mix with messages. */
	NEED_IS(HCCL_E_NOT_SUPPORT, HcclBarrier(comm, s));
	NEED_IS(HCCL_E_NOT_SUPPORT, HcclCommDestroy(comm));
	NEED_IS(HCCL_E_PARA, HcclSend(send, 1, type, ranks, comm, s));
	NEED_IS(HCCL_E_PTR, HcclRecv(NULL, 1, type, 0, comm, s));
	NEED_OK(HcclGroupEnd());
	NEED_OK(aclrtSynchronizeStream(s));
	NEED_OK(aclrtMemcpy(values, sizeof(values), recv, ranks * 4,
			    ACL_MEMCPY_DEVICE_TO_HOST));
	for (unsigned int r = 0; r < ranks; r++)
		NEED(values[r] == (int32_t)(r * 10 + rank->number),
		     "%d from rank %u", values[r], r);
	/* What a rank sends to itself has to be received. */
	NEED_OK(HcclGroupStart());
	NEED_OK(HcclSend(send, 1, type, rank->number, comm, s));
	NEED_IS(HCCL_E_PARA, HcclGroupEnd());
	NEED_OK(HcclBarrier(comm, s));
	NEED_OK(aclrtSynchronizeStream(s));
	NEED_OK(aclrtFree(send));
	NEED_OK(aclrtFree(recv));
}

TEST(messages_in_a_group)
{
	RUN_RANKS(1, false, all_send_first, NULL);
	RUN_RANKS(4, false, all_send_first, NULL);
	RUN_RANKS(3, true, all_send_first, NULL);
}

struct phases {
	unsigned int count;
	HcclCommStatePhase last;
};

static HcclResult count_phases(HcclComm comm, HcclCommStatePhase phase,
			       void *args)
{
	struct phases *phases = args;

	phases->count += comm != NULL;
	phases->last = phase;
	return HCCL_E_AGAIN;
}

TEST(suspension)
{
	struct phases phases = { 0 };
	char name[COMM_NAME_MAX_LENGTH], long_name[200];
	int32_t device = 0;
	HcclCommStatus status;
	aclrtStream stream;
	HcclComm comm;

	OK(aclrtSetDevice(0));
	OK(aclrtCreateStream(&stream));
	ASSERT_EQ(HCCL_SUCCESS, HcclCommInitAll(1, &device, &comm));
	ASSERT_EQ(HCCL_SUCCESS, HcclGetCommName(comm, name));
	ASSERT_EQ(HCCL_SUCCESS,
		  HcclCommRegCommStateCallback("a", count_phases, &device));
	/* The same name: it replaces the first one. */
	ASSERT_EQ(HCCL_SUCCESS,
		  HcclCommRegCommStateCallback("a", count_phases, &phases));
	ASSERT_EQ(HCCL_SUCCESS, HcclCommGetStatus(name, &status));
	EXPECT_EQ(HCCL_COMM_STATUS_READY, status);
	ASSERT_EQ(HCCL_SUCCESS, HcclCommSuspend(comm));
	ASSERT_EQ(HCCL_SUCCESS, HcclCommGetStatus(name, &status));
	EXPECT_EQ(HCCL_COMM_STATUS_SUSPENDING, status);
	EXPECT_EQ(HCCL_E_SUSPENDING, HcclBarrier(comm, stream));
	EXPECT_EQ(HCCL_E_SUSPENDING,
		  HcclSend(NULL, 0, HCCL_DATA_TYPE_INT8, 0, comm, stream));
	EXPECT_EQ(0, phases.count);
	ASSERT_EQ(HCCL_SUCCESS, HcclCommResume(comm));
	EXPECT_EQ(2, phases.count);
	EXPECT_EQ(HCCL_COMM_STATE_PHASE_RESUME_POST, phases.last);
	EXPECT_EQ(HCCL_SUCCESS, HcclBarrier(comm, stream));
	OK(aclrtSynchronizeStream(stream));
	ASSERT_EQ(HCCL_SUCCESS, HcclCommDestroy(comm));
	EXPECT_EQ(4, phases.count);
	EXPECT_EQ(HCCL_COMM_STATE_PHASE_DESTROY_POST, phases.last);

	EXPECT_EQ(HCCL_E_NOT_FOUND, HcclCommGetStatus(name, &status));
	EXPECT_EQ(HCCL_E_PTR, HcclCommGetStatus(NULL, &status));
	EXPECT_EQ(HCCL_E_PTR, HcclCommSuspend(NULL));
	EXPECT_EQ(HCCL_E_PARA, HcclCommSuspend(comm));
	EXPECT_EQ(HCCL_E_PTR, HcclCommResume(NULL));
	EXPECT_EQ(HCCL_E_PARA, HcclCommResume(comm));
	EXPECT_EQ(HCCL_E_PTR, HcclCommRegCommStateCallback("b", NULL, NULL));
	EXPECT_EQ(HCCL_E_PTR,
		  HcclCommRegCommStateCallback(NULL, count_phases, NULL));
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	EXPECT_EQ(HCCL_E_PARA,
		  HcclCommRegCommStateCallback(long_name, count_phases, NULL));
}

TEST(information_of_a_communicator)
{
	bool backup[] = { true, false };
	HcclConfigTypeOpExpansionMode mode = HCCL_OP_EXPANSION_MODE_INVALID;
	uint32_t ranks[] = { 0, 0 };
	HcclCommConfig config;
	HcclRootInfo info;
	HcclComm comm;

	OK(aclrtSetDevice(0));
	HcclCommConfigInit(&config);
	config.hcclExecTimeOut = -2;
	ASSERT_EQ(HCCL_SUCCESS, HcclGetRootInfo(&info));
	EXPECT_EQ(HCCL_E_PARA,
		  HcclCommInitRootInfoConfig(1, &info, 0, &config, &comm));
	config.hcclExecTimeOut = 30;
	strcpy(config.hcclAlgo, "level1:circle");
	EXPECT_EQ(HCCL_E_PARA,
		  HcclCommInitRootInfoConfig(1, &info, 0, &config, &comm));
	strcpy(config.hcclAlgo, "level0:NA;level1:NB");
	ASSERT_EQ(HCCL_SUCCESS,
		  HcclCommInitRootInfoConfig(1, &info, 0, &config, &comm));
	EXPECT_EQ(HCCL_SUCCESS,
		  HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_OP_EXPANSION_MODE,
				    sizeof(mode), &mode));
	EXPECT_EQ(HCCL_OP_EXPANSION_MODE_HOST, mode);
	EXPECT_EQ(HCCL_E_PARA,
		  HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_OP_EXPANSION_MODE,
				    1, &mode));
	EXPECT_EQ(HCCL_E_PARA,
		  HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_INVALID,
				    sizeof(mode), &mode));
	EXPECT_EQ(HCCL_E_PTR,
		  HcclConfigGetInfo(comm, HCCL_CONFIG_TYPE_OP_EXPANSION_MODE,
				    sizeof(mode), NULL));
	EXPECT_EQ(HCCL_SUCCESS, HcclCommWorkingDevNicSet(comm, ranks, backup, 1));
	EXPECT_EQ(HCCL_E_PARA, HcclCommWorkingDevNicSet(comm, ranks, backup, 0));
	EXPECT_EQ(HCCL_E_PARA, HcclCommWorkingDevNicSet(comm, ranks, backup, 2));
	ranks[0] = 1;
	EXPECT_EQ(HCCL_E_PARA, HcclCommWorkingDevNicSet(comm, ranks, backup, 1));
	EXPECT_EQ(HCCL_E_PTR, HcclCommWorkingDevNicSet(comm, NULL, backup, 1));
	EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comm));
}

/* Ranks use a window; it ends with the call, or with the communicator. */
static void use_window(struct rank *rank)
{
	unsigned int ranks = rank->world->ranks;
	HcclCommSymWindow window, found = NULL;
	char *p = device_buffer(4096);
	HcclComm comm = rank->comm;
	size_t offset = 0;

	NEED_OK(HcclCommSymWinRegister(comm, p + 64, 1024, &window, 1));
	NEED_IS(HCCL_E_PARA,
		HcclCommSymWinRegister(comm, p, 65, &found, 1));
	NEED_IS(HCCL_E_PARA,
		HcclCommSymWinRegister(comm, p + 2048, 64, &found, 0));
	NEED_IS(HCCL_E_PARA,
		HcclCommSymWinRegister(comm, p + 2048, 1 << 30, &found, 1));
	NEED_IS(HCCL_E_PARA,
		HcclCommSymWinRegister(comm, &found, 8, &found, 1));
	NEED_IS(HCCL_E_PTR, HcclCommSymWinRegister(comm, NULL, 8, &found, 1));
	NEED_OK(HcclCommSymWinGet(comm, p + 100, 988, &found, &offset));
	NEED(found == window && offset == 36, "offset %zu", offset);
	NEED_IS(HCCL_E_NOT_FOUND,
		HcclCommSymWinGet(comm, p + 100, 989, &found, &offset));
	NEED_IS(HCCL_E_NOT_FOUND,
		HcclCommSymWinGet(comm, p, 1, &found, &offset));
	NEED_IS(HCCL_E_PARA, HcclCommSymWinGet(comm, p, 0, &found, &offset));
	NEED_OK(HcclAllGather(p + 64, p + 128, 8 / ranks, HCCL_DATA_TYPE_INT8,
			      comm, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(HcclCommSymWinDeregister(window));
	NEED_IS(HCCL_E_PARA, HcclCommSymWinDeregister(window));
	NEED_IS(HCCL_E_PTR, HcclCommSymWinDeregister(NULL));
	NEED_IS(HCCL_E_NOT_FOUND,
		HcclCommSymWinGet(comm, p + 100, 1, &found, &offset));
	NEED_OK(HcclCommSymWinRegister(comm, p, 4096, &window, 1));
	NEED_OK(HcclCommDestroy(comm));
	rank->comm = NULL;
	NEED_IS(HCCL_E_PARA, HcclCommSymWinDeregister(window));
	NEED_OK(aclrtFree(p));
}

TEST(windows)
{
	RUN_RANKS(2, false, use_window, NULL);
}

#define RANGE	((size_t)8 << 20)

/* Map memory at the beginning of a reserved range. */
static int map_memory(int32_t device, char *range, size_t size,
		      aclrtDrvMemHandle *memory)
{
	aclrtPhysicalMemProp prop = {
		.handleType = ACL_MEM_HANDLE_TYPE_NONE,
		.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
		.memAttr = ACL_HBM_MEM_NORMAL,
		.location = { .id = (uint32_t)device,
			      .type = ACL_MEM_LOCATION_TYPE_DEVICE },
	};
	int ret = aclrtMallocPhysical(memory, size, &prop, 0);

	return ret ? ret : aclrtMapMem(range, size, 0, *memory, 0);
}

/* Ranks operate on memory that is mapped into a range. */
static void use_range(struct rank *rank)
{
	const size_t size = (size_t)2 << 20;
	int32_t value = (int32_t)rank->number + 1;
	HcclComm comm = rank->comm;
	aclrtDrvMemHandle memory;
	void *range;
	char *p;

	NEED_OK(aclrtReserveMemAddress(&range, RANGE, 0, NULL, 0));
	p = range;
	NEED_OK(map_memory((int32_t)rank->number, p, size, &memory));
	NEED_IS(HCCL_E_PARA, HcclCommActivateCommMemory(comm, p, size, 0,
							memory, 0));
	NEED_OK(HcclCommSetMemoryRange(comm, p, RANGE, 0, 0));
	NEED_IS(HCCL_E_PARA, HcclCommSetMemoryRange(comm, p + 64, 64, 0, 0));
	NEED_IS(HCCL_E_PARA,
		HcclCommSetMemoryRange(comm, p + 2 * RANGE, 64, 1, 0));
	NEED_IS(HCCL_E_PARA,
		HcclCommSetMemoryRange(comm, p + 2 * RANGE, 0, 0, 0));
	NEED_IS(HCCL_E_PTR, HcclCommSetMemoryRange(comm, NULL, 64, 0, 0));
	NEED_OK(HcclCommActivateCommMemory(comm, p, size, 0, memory, 0));
	NEED_IS(HCCL_E_PARA, HcclCommActivateCommMemory(comm, p, size, 0,
							memory, 0));
	NEED_IS(HCCL_E_PARA, HcclCommActivateCommMemory(comm, p + size, size, 0,
							memory, 0));
	NEED_IS(HCCL_E_PTR,
		HcclCommActivateCommMemory(comm, p, size, 0, NULL, 0));
	NEED_OK(put_elements(p, &value, sizeof(value)));
	NEED_OK(HcclAllReduce(p, p, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
			      comm, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(&value, sizeof(value), p, sizeof(value),
			    ACL_MEMCPY_DEVICE_TO_HOST));
	NEED(value == 3, "sum %d", value);
	NEED_IS(HCCL_E_PARA, HcclCommUnsetMemoryRange(comm, p));
	NEED_IS(HCCL_E_NOT_FOUND, HcclCommDeactivateCommMemory(comm, p + 64));
	NEED_OK(HcclCommDeactivateCommMemory(comm, p));
	NEED_OK(HcclCommUnsetMemoryRange(comm, p));
	NEED_IS(HCCL_E_NOT_FOUND, HcclCommUnsetMemoryRange(comm, p));
	NEED_OK(HcclCommDestroy(comm));
	rank->comm = NULL;
	NEED_OK(aclrtUnmapMem(p));
	NEED_OK(aclrtFreePhysical(memory));
	NEED_OK(aclrtReleaseMemAddress(p));
}

TEST(ranges_of_threads)
{
	RUN_RANKS(2, false, use_range, NULL);
}

TEST(ranges_of_processes)
{
	RUN_RANKS(2, true, use_range, NULL);
}

/* Find the row in the output of vnpu-smi, for half a minute. */
static bool smi_shows(const char *row)
{
	static const char verb[] = "../../bin/vnpu-smi hccl --format csv "
		"--fields rank,ranks,state,operation,waits_for_rank,operations,bytes";
	char path[512], line[256];
	ssize_t length = readlink("/proc/self/exe", path, 300);
	bool has_row = false;

	while (length > 0 && path[length - 1] != '/')
		length--;
	if (length <= 0)
		return false;
	strcpy(path + length, verb);
	for (int i = 0; i < 60 && !has_row; i++) {
		FILE *smi = popen(path, "r");

		while (smi && fgets(line, sizeof(line), smi))
			has_row |= !strcmp(line, row);
		if (!smi || pclose(smi))
			return false;
		usleep(has_row ? 0 : 500000);
	}
	return has_row;
}

static void be_shown(struct rank *rank)
{
	int32_t *p = device_buffer(4096);

	NEED_OK(HcclAllReduce(p, p, 1024, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
			      rank->comm, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	if (rank->number) {
		wait_step(rank, 1);
		NEED_OK(HcclBarrier(rank->comm, rank->stream));
	} else {
		NEED_OK(HcclBarrier(rank->comm, rank->stream));
		NEED(smi_shows("0,2,waiting,Barrier,1,1,4096\n"),
		     "vnpu-smi does not show the rank that waits");
		NEED(smi_shows("1,2,idle,,,1,4096\n"),
		     "vnpu-smi does not show the other rank");
		rank->world->step++;
	}
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtFree(p));
}

TEST(vnpu_smi_shows_threads)
{
	RUN_RANKS(2, false, be_shown, NULL);
}

TEST(vnpu_smi_shows_processes)
{
	RUN_RANKS(2, true, be_shown, NULL);
}

/* An AllReduce beside the default stream, which waits for it later. */
static void use_short_calls(struct rank *rank)
{
	unsigned int ranks = rank->world->ranks;
	size_t bytes = 8192, count = bytes / sizeof(float);
	float *host = calloc(count, sizeof(*host));
	float *p = device_buffer(bytes), *copy = device_buffer(bytes);
	hcclComm_t comm = NULL;

	NEED_IS(HCCL_E_PTR,
		hcclCommInitRank(NULL, ranks, rank->number, "x", 0));
	NEED_IS(HCCL_E_PARA,
		hcclCommInitRank(&comm, ranks, rank->number, "", 0));
	NEED_IS(HCCL_E_PARA, hcclCommInitRank(&comm, ranks, rank->number,
					      HCCL_COMM_WORLD, 9));
	NEED_IS(HCCL_E_PARA, hcclSetAlgorithm(9));
	NEED_OK(hcclSetAlgorithm(HCCL_ALGO_NHR));
	NEED_OK(hcclCommInitRank(&comm, ranks, rank->number, HCCL_COMM_WORLD,
				 rank->world->has_processes ?
				 HCCL_CONFIG_NB2 : HCCL_CONFIG_DEFAULT));
	for (size_t i = 0; i < count; i++)
		host[i] = (float)(rank->number + i);
	NEED_OK(hcclWait(comm));
	NEED_OK(aclrtMemcpyAsync(p, bytes, host, bytes,
				 ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	/* It waits for the copy, and the next copy waits for it. */
	NEED_OK(hcclAllReduceAsync(p, p, count, HCCL_FLOAT32, HCCL_SUM, comm,
				   NULL));
	NEED_OK(hcclAllReduceAsync(p, p, count, HCCL_FLOAT32, HCCL_MAX, comm,
				   NULL));
	NEED_OK(hcclWait(comm));
	NEED_OK(aclrtMemcpyAsync(copy, bytes, p, bytes,
				 ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
	NEED_OK(aclrtSynchronizeStream(NULL));
	NEED_OK(aclrtMemcpy(host, bytes, copy, bytes,
			    ACL_MEMCPY_DEVICE_TO_HOST));
	for (size_t i = 0; i < count; i++)
		NEED(host[i] == (float)(ranks * i + ranks * (ranks - 1) / 2),
		     "element %zu is %f", i, (double)host[i]);
	NEED_OK(hcclAllReduceAsync(p, p, count, HCCL_FLOAT32, HCCL_SUM, comm,
				   rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(HcclCommDestroy(comm));
	NEED_IS(HCCL_E_PARA, hcclWait(comm));
	NEED_IS(HCCL_E_PTR, hcclWait(NULL));
	NEED_IS(HCCL_E_PTR, hcclAllReduceAsync(p, p, 1, HCCL_FLOAT32, HCCL_SUM,
					       NULL, NULL));
	NEED_OK(aclrtFree(p));
	NEED_OK(aclrtFree(copy));
	free(host);
}

TEST(short_calls)
{
	RUN_RANKS(3, false, use_short_calls, NULL);
	RUN_RANKS(2, true, use_short_calls, NULL);
}

TEST_HARNESS_MAIN
