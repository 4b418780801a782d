// SPDX-License-Identifier: GPL-2.0-only
/* Creating communicators in all ways, their properties, and wrong arguments. */
#include "operations.h"

#include <fcntl.h>

/* One operation that only works if the communicator does. */
static bool works(struct rank *rank, HcclComm comm, unsigned int number,
		  unsigned int ranks)
{
	struct world world = { .ranks = ranks };
	struct rank as = { .world = &world, .number = number };
	struct job job = {
		.operation = ALL_GATHER,
		.type = HCCL_DATA_TYPE_INT32,
		.count = 5,
		.comm = comm,
		.stream = rank->stream,
	};
	bool is_fine = job_begin(&as, &job) && job_end(&as, &job);

	if (!is_fine)
		rank_failed(rank, __FILE__, __LINE__, "%s", world.text);
	return is_fine;
}

static void check_properties(struct rank *rank)
{
	char name[COMM_NAME_MAX_LENGTH];
	HcclResult error = HCCL_E_PARA;
	HcclComm found = NULL;
	uint32_t number = 99;

	NEED_OK(HcclGetRankSize(rank->comm, &number));
	NEED(number == rank->world->ranks, "%u ranks", number);
	NEED_OK(HcclGetRankId(rank->comm, &number));
	NEED(number == rank->number, "rank %u", number);
	NEED_OK(HcclGetCommName(rank->comm, name));
	NEED(strlen(name) > 0, "no name");
	NEED_OK(HcclCommGetHandleWithName(name, &found));
	NEED(found == rank->comm, "another communicator");
	NEED_IS(HCCL_E_NOT_FOUND, HcclCommGetHandleWithName("x", &found));
	NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
	NEED(!error, "async error %d", error);
}

TEST(properties)
{
	RUN_RANKS(3, false, check_properties, NULL);
}

/* Ranks 1 and 3, and then all in another order; rank 0 is no part of the first. */
static void make_sub_communicators(struct rank *rank)
{
	uint32_t odd[] = { 3, 1 }, all[] = { 2, 3, 1, 0 };
	static const uint32_t in_odd[] = { UINT32_MAX, 1, UINT32_MAX, 0 };
	static const uint32_t in_all[] = { 3, 2, 0, 1 };
	HcclComm first = rank, second = NULL, named = NULL;
	HcclCommConfig config;
	char name[COMM_NAME_MAX_LENGTH];

	HcclCommConfigInit(&config);
	NEED_OK(HcclCreateSubCommConfig(&rank->comm, 2, odd, 1,
					in_odd[rank->number], &config, &first));
	NEED(!first == (rank->number % 2 == 0), "a communicator: %d", !!first);
	strcpy(config.hcclCommName, "all of them");
	config.hcclBufferSize = 1;
	NEED_OK(HcclCreateSubCommConfig(&rank->comm, 4, all, 1,
					in_all[rank->number], &config,
					&second));
	NEED_OK(HcclGetCommName(second, name));
	NEED(!strcmp(name, "all of them"), "name %s", name);
	/* They do not depend on the one that they were made of. */
	NEED_OK(HcclCommDestroy(rank->comm));
	rank->comm = NULL;
	if (first && !works(rank, first, in_odd[rank->number], 2))
		return;
	if (!works(rank, second, in_all[rank->number], 4))
		return;
	/* All ranks have it now, by the same name; the device decides. */
	NEED_OK(HcclCommGetHandleWithName("all of them", &named));
	NEED(named == second, "the communicator of another rank");
	NEED_OK(HcclCommDestroy(second));
	if (first)
		NEED_OK(HcclCommDestroy(first));
}

TEST(sub_communicators)
{
	RUN_RANKS(4, false, make_sub_communicators, NULL);
	RUN_RANKS(4, true, make_sub_communicators, NULL);
}

TEST(init_all)
{
	int32_t devices[] = { 2, 0, 1 }, same[] = { 1, 1 }, bad[] = { 0, 99 };
	HcclComm comms[3];
	uint32_t number;

	ASSERT_EQ(HCCL_SUCCESS, HcclCommInitAll(3, devices, comms));
	for (uint32_t i = 0; i < 3; i++) {
		ASSERT_EQ(HCCL_SUCCESS, HcclGetRankId(comms[i], &number));
		EXPECT_EQ(i, number);
	}
	for (uint32_t i = 0; i < 3; i++)
		EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[i]));
	EXPECT_EQ(HCCL_E_PARA, HcclCommInitAll(2, same, comms));
	EXPECT_EQ(HCCL_E_PARA, HcclCommInitAll(2, bad, comms));
	EXPECT_EQ(HCCL_E_PARA, HcclCommInitAll(0, devices, comms));
	EXPECT_EQ(HCCL_E_PTR, HcclCommInitAll(3, NULL, comms));
	EXPECT_EQ(HCCL_E_PTR, HcclCommInitAll(3, devices, NULL));
}

#define TABLE								\
	"{\"version\": \"1.0\", \"status\": \"completed\","		\
	" \"server_count\": \"1\", \"server_list\": [{"			\
	"\"server_id\": \"0\", \"device\": ["				\
	"{\"device_id\": \"1\", \"device_ip\": \"\", \"rank_id\": \"0\"}," \
	"{\"device_id\": \"0\", \"rank_id\": \"1\"}]}]}"

static void write_table(char *path, const char *text)
{
	int fd;

	strcpy(path, "/tmp/hccl-table-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
}

/* Rank 0 of the table has device 1. */
static void use_rank_table(struct rank *rank)
{
	const char *path = rank->world->arg;
	HcclCommConfig config;
	HcclComm comm;

	NEED_IS(HCCL_E_PARA,
		HcclCommInitClusterInfo(path, rank->number, &comm));
	NEED_OK(HcclCommInitClusterInfo(path, 1 - rank->number, &comm));
	if (!works(rank, comm, 1 - rank->number, 2))
		return;
	NEED_OK(HcclCommDestroy(comm));
	HcclCommConfigInit(&config);
	NEED_OK(HcclCommInitClusterInfoConfig(path, 1 - rank->number, &config,
					      &comm));
	NEED_OK(HcclCommDestroy(comm));
}

TEST(rank_table)
{
	char path[64];

	write_table(path, TABLE);
	RUN_RANKS(2, false, use_rank_table, path);
	RUN_RANKS(2, true, use_rank_table, path);
	unlink(path);
}

TEST(bad_rank_tables)
{
	static const char *const bad[] = {
		"", "{", "[]", "{\"status\": \"completed\"}",
		"{\"status\": \"initializing\", \"server_list\": []}",
		"{\"status\": \"completed\", \"server_list\": [1]}",
		"{\"status\": \"completed\", \"server_list\": [{}, {}]}",
		"{\"status\": \"completed\", \"server_list\": [{\"device\": []}]}",
		"{\"status\": \"completed\", \"server_list\": [{\"device\":"
		" [{\"device_id\": \"0\", \"rank_id\": \"1\"}]}]}",
		"{\"status\": \"completed\", \"server_list\": [{\"device\":"
		" [{\"device_id\": \"x\", \"rank_id\": \"0\"}]}]}",
		"{\"status\": \"completed\", \"server_list\": [{\"device\":"
		" [{\"device_id\": \"0\", \"rank_id\": \"-1\"}]}]}",
		"{\"status\": \"completed\", \"server_list\": [{\"device\":"
		" [{\"device_id\": 0, \"rank_id\": 0}]}]}",
		"{\"status\": \"completed\", \"server_list\": [{\"device\":"
		" [{\"device_id\": \"0\", \"rank_id\": \"0\"},"
		" {\"device_id\": \"0\", \"rank_id\": \"1\"}]}]}",
	};
	HcclComm comm;
	char path[64];

	OK(aclrtSetDevice(0));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		write_table(path, bad[i]);
		EXPECT_EQ(HCCL_E_PARA, HcclCommInitClusterInfo(path, 0, &comm))
			TH_LOG("%s", bad[i]);
		unlink(path);
	}
	EXPECT_EQ(HCCL_E_OPEN_FILE_FAILURE,
		  HcclCommInitClusterInfo("/nonexistent", 0, &comm));
	EXPECT_EQ(HCCL_E_PTR, HcclCommInitClusterInfo(NULL, 0, &comm));
	write_table(path, TABLE);
	EXPECT_EQ(HCCL_E_PARA, HcclCommInitClusterInfo(path, 2, &comm));
	unlink(path);
}

TEST(configuration)
{
	HcclConfigValue value = { .value = 1 };
	HcclCommConfig config;
	HcclRootInfo info;
	HcclComm comm;

	EXPECT_EQ(HCCL_SUCCESS, HcclSetConfig(HCCL_DETERMINISTIC, value));
	EXPECT_EQ(HCCL_SUCCESS, HcclGetConfig(HCCL_DETERMINISTIC, &value));
	EXPECT_EQ(1, value.value);
	EXPECT_EQ(HCCL_E_PARA, HcclGetConfig(7, &value));
	EXPECT_EQ(HCCL_E_PTR, HcclGetConfig(HCCL_DETERMINISTIC, NULL));
	EXPECT_EQ(12, HcclGetCommConfigCapability());
	for (int i = 0; i < 30; i++)
		EXPECT_LT(0, strlen(HcclGetErrorString(i)));
	EXPECT_LT(0, strlen(HcclGetErrorString(-1)));

	OK(aclrtSetDevice(0));
	ASSERT_EQ(HCCL_SUCCESS, HcclGetRootInfo(&info));
	HcclCommConfigInit(&config);
	config.hcclBufferSize = 0;
	EXPECT_EQ(HCCL_E_PARA,
		  HcclCommInitRootInfoConfig(1, &info, 0, &config, &comm));
	memset(&config, 0, sizeof(config));
	EXPECT_EQ(HCCL_E_PARA,
		  HcclCommInitRootInfoConfig(1, &info, 0, &config, &comm));
	EXPECT_EQ(HCCL_E_PTR,
		  HcclCommInitRootInfoConfig(1, &info, 0, NULL, &comm));
	HcclCommConfigInit(&config);
	EXPECT_EQ(HCCL_SUCCESS,
		  HcclCommInitRootInfoConfig(1, &info, 0, &config, &comm));
	EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comm));
}

TEST(wrong_arguments_of_init)
{
	HcclRootInfo info, none = { { 0 } };
	HcclComm comm;

	ASSERT_EQ(HCCL_SUCCESS, HcclGetRootInfo(&info));
	EXPECT_EQ(HCCL_E_RUNTIME, HcclCommInitRootInfo(1, &info, 0, &comm));
	OK(aclrtSetDevice(0));
	EXPECT_EQ(HCCL_E_PARA, HcclCommInitRootInfo(2, &info, 2, &comm));
	EXPECT_EQ(HCCL_E_PARA, HcclCommInitRootInfo(0, &info, 0, &comm));
	EXPECT_EQ(HCCL_E_PARA, HcclCommInitRootInfo(1000, &info, 0, &comm));
	EXPECT_EQ(HCCL_E_PARA, HcclCommInitRootInfo(1, &none, 0, &comm));
	EXPECT_EQ(HCCL_E_PTR, HcclCommInitRootInfo(1, NULL, 0, &comm));
	EXPECT_EQ(HCCL_E_PTR, HcclCommInitRootInfo(1, &info, 0, NULL));
	EXPECT_EQ(HCCL_E_PTR, HcclGetRootInfo(NULL));
	ASSERT_EQ(HCCL_SUCCESS, HcclCommInitRootInfo(1, &info, 0, &comm));
	EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comm));
	/* The meeting is over. */
	EXPECT_EQ(HCCL_E_TCP_CONNECT, HcclCommInitRootInfo(1, &info, 0, &comm));
}

static void pass_wrong_arguments(struct rank *rank)
{
	HcclDataType type = HCCL_DATA_TYPE_FP32;
	HcclReduceOp sum = HCCL_REDUCE_SUM;
	uint64_t counts[] = { 1, 1 }, displs[] = { 0, 1 }, big[] = { 1, -1ULL };
	HcclSendRecvItem item = { HCCL_SEND, NULL, 1, type, 0 };
	HcclComm comm = rank->comm;
	aclrtStream s = rank->stream;
	uint32_t number;
	char *p;

	NEED_OK(aclrtMalloc((void **)&p, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
	NEED_IS(HCCL_E_PTR, HcclAllReduce(p, p, 1, type, sum, NULL, s));
	NEED_IS(HCCL_E_PARA, HcclAllReduce(p, p, 1, type, sum, p, s));
	NEED_IS(HCCL_E_PTR, HcclAllReduce(NULL, p, 1, type, sum, comm, s));
	NEED_IS(HCCL_E_PTR, HcclAllReduce(p, NULL, 1, type, sum, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAllReduce(p, p, 1, 99, sum, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAllReduce(p, p, 1, type, 4, comm, s));
	NEED_IS(HCCL_E_NOT_SUPPORT,
		HcclAllReduce(p, p, 1, HCCL_DATA_TYPE_INT128, sum, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAllReduce(p + 1, p, 1, type, sum, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAllReduce(p, p, -1ULL, type, sum, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAllReduce(item.buf = counts, p, 1,
					   HCCL_DATA_TYPE_INT8, sum, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAllReduce(p, p, 65536, type, sum, comm, s));
	NEED_IS(HCCL_E_PARA, HcclBroadcast(p, 1, type, 2, comm, s));
	NEED_IS(HCCL_E_PARA, HcclReduce(p, p, 1, type, sum, 2, comm, s));
	NEED_IS(HCCL_E_PARA, HcclScatter(p, p, 1, type, 2, comm, s));
	NEED_IS(HCCL_E_PARA, HcclSend(p, 1, type, rank->number, comm, s));
	NEED_IS(HCCL_E_PARA, HcclSend(p, 1, type, 2, comm, s));
	NEED_IS(HCCL_E_PARA, HcclRecv(p, 1, type, 2, comm, s));
	NEED_IS(HCCL_E_PTR, HcclRecv(NULL, 1, type, !rank->number, comm, s));
	NEED_IS(HCCL_E_PTR, HcclBatchSendRecv(NULL, 1, comm, s));
	NEED_IS(HCCL_E_PARA, HcclBatchSendRecv(&item, 0, comm, s));
	item.sendRecvType = 2;
	NEED_IS(HCCL_E_PARA, HcclBatchSendRecv(&item, 1, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAlltoAll(p, 1, type, p, 1, type, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAlltoAll(p, 1, type, p + 64, 1,
					  HCCL_DATA_TYPE_INT8, comm, s));
	NEED_IS(HCCL_E_PTR, HcclAlltoAllV(p, NULL, displs, type, p + 64,
					  counts, displs, type, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAlltoAllV(p, big, displs, type, p + 64,
					   counts, displs, type, comm, s));
	NEED_IS(HCCL_E_PTR, HcclAlltoAllVC(p, NULL, type, p, type, comm, s));
	NEED_IS(HCCL_E_PARA, HcclAllGatherV(p, 2, p, counts, displs, type, comm,
					    s));
	NEED_IS(HCCL_E_PARA, HcclReduceScatterV(p, counts, displs, p, 2, type,
						sum, comm, s));
	NEED_IS(HCCL_E_PTR, HcclBarrier(NULL, s));
	NEED_IS(HCCL_E_PTR, HcclGetRankId(NULL, &number));
	NEED_IS(HCCL_E_PTR, HcclGetRankSize(comm, NULL));
	NEED_IS(HCCL_E_PARA, HcclGetRankSize(p, &number));
	NEED_IS(HCCL_E_PTR, HcclCommDestroy(NULL));
	NEED_IS(HCCL_E_PARA, HcclCommDestroy(p));
	/* Nothing of this has harmed it; nothing is a fine number, too. */
	NEED_OK(HcclAllReduce(NULL, NULL, 0, type, sum, comm, s));
	if (!works(rank, comm, rank->number, 2))
		return;
	NEED_OK(HcclCommDestroy(comm));
	rank->comm = NULL;
	NEED_IS(HCCL_E_PARA, HcclBarrier(comm, s));
	NEED_OK(aclrtFree(p));
}

TEST(wrong_arguments)
{
	RUN_RANKS(2, false, pass_wrong_arguments, NULL);
}

static unsigned int open_files(void)
{
	unsigned int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Memory, notifies and files are back after many communicators. */
TEST(nothing_leaks)
{
	int32_t devices[] = { 0, 1 };
	unsigned int files = 0;
	size_t free_before = 0;
	HcclComm comms[2];

	OK(aclrtSetDevice(0));
	for (int i = 0; i < 40; i++) {
		ASSERT_EQ(HCCL_SUCCESS, HcclCommInitAll(2, devices, comms));
		ASSERT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[0]));
		ASSERT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[1]));
		if (i == 1) {
			files = open_files();
			free_before = free_bytes();
		}
	}
	/* The last meeting's thread may still be closing its files. */
	for (int i = 0; i < 1000 && open_files() > files; i++)
		usleep(1000);
	EXPECT_GE(files, open_files());
	EXPECT_EQ(free_before, free_bytes());
}

/* The child has no communicator, and does not hide the end of its parent. */
static void fork_child(struct rank *rank)
{
	HcclComm comm = rank->comm;
	pid_t child = fork();
	int status;

	if (!child) {
		uint32_t number;

		_exit(HcclGetRankId(comm, &number) == HCCL_E_PARA ? 7 : 1);
	}
	NEED(waitpid(child, &status, 0) == child, "wait");
	NEED(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x",
	     status);
	works(rank, comm, rank->number, rank->world->ranks);
}

TEST(a_child_has_no_communicator)
{
	RUN_RANKS(2, true, fork_child, NULL);
}

TEST_HARNESS_MAIN
