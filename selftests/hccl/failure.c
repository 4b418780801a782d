// SPDX-License-Identifier: GPL-2.0-only
/* Ranks that end, leave, fail, or never come. */
#include "operations.h"

/* The stream fails, and so does the communicator, with one of two results. */
static void expect_failure(struct rank *rank, int result, int other)
{
	HcclResult error = HCCL_SUCCESS;
	int ret = aclrtSynchronizeStream(rank->stream);

	NEED(ret, "the stream did not fail");
	NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
	NEED((int)error == result || (int)error == other, "async error %d",
	     error);
	NEED_IS(error, HcclBarrier(rank->comm, rank->stream));
}

enum end { BEFORE_CALL, AFTER_CALL, IN_SEND, IN_RECEIVE };

/* The last rank is killed; the others wait for it, on a stream. */
static void killed(struct rank *rank)
{
	const enum end *end = rank->world->arg;
	unsigned int last = rank->world->ranks - 1;
	void *p = device_buffer(1 << 20);
	bool is_last = rank->number == last;

	if (is_last && *end == BEFORE_CALL) {
		wait_step(rank, last);
		raise(SIGKILL);
	}
	switch (*end) {
	case IN_SEND:
	case IN_RECEIVE:
		if (is_last)
			break;
		if (*end == IN_SEND)
			NEED_OK(HcclSend(p, 100, HCCL_DATA_TYPE_INT8, last,
					 rank->comm, rank->stream));
		else
			NEED_OK(HcclRecv(p, 100, HCCL_DATA_TYPE_INT8, last,
					 rank->comm, rank->stream));
		break;
	case AFTER_CALL:
		/* The first rank does not come. */
		if (!rank->number)
			break;
		/* fall through */
	default:
		NEED_OK(HcclAllReduce(p, p, 1 << 18, HCCL_DATA_TYPE_FP32,
				      HCCL_REDUCE_SUM, rank->comm,
				      rank->stream));
		break;
	}
	rank->world->step++;
	if (is_last) {
		wait_step(rank, rank->world->ranks);
		raise(SIGKILL);
	}
	if (*end == AFTER_CALL && !rank->number) {
		HcclResult error = HCCL_SUCCESS;

		/* Seen without any call. */
		while (!error)
			NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
		NEED(error == HCCL_E_REMOTE, "async error %d", error);
		return;
	}
	expect_failure(rank, HCCL_E_REMOTE, HCCL_E_REMOTE);
}

TEST(a_rank_is_killed_before_a_call)
{
	const enum end end = BEFORE_CALL;

	RUN_RANKS(3, true, killed, &end);
}

TEST(a_rank_is_killed_after_a_call)
{
	const enum end end = AFTER_CALL;

	RUN_RANKS(3, true, killed, &end);
}

TEST(a_receiver_is_killed)
{
	const enum end end = IN_SEND;

	RUN_RANKS(2, true, killed, &end);
}

TEST(a_sender_is_killed)
{
	const enum end end = IN_RECEIVE;

	RUN_RANKS(2, true, killed, &end);
}

/* Kill a rank amid many operations, at a time of chance. */
static void killed_amid(struct rank *rank)
{
	const unsigned int *when = rank->world->arg;
	void *p = device_buffer(1 << 16);

	for (unsigned int i = 0;; i++) {
		int ret = HcclAllReduce(p, p, i % 2 ? 16 : 1 << 14,
					HCCL_DATA_TYPE_INT32, HCCL_REDUCE_MAX,
					rank->comm, rank->stream);

		if (rank->number == 1 && i == *when) {
			usleep(*when % 5 * 700);
			raise(SIGKILL);
		}
		if (ret) {
			NEED(ret == HCCL_E_REMOTE, "result %d", ret);
			break;
		}
		if (i % 4 == 3 && aclrtSynchronizeStream(rank->stream))
			break;
	}
	NEED_IS(HCCL_E_REMOTE, HcclBarrier(rank->comm, rank->stream));
}

TEST(a_rank_is_killed_amid_operations)
{
	for (unsigned int when = 0; when < 12; when += 3)
		RUN_RANKS(3, true, killed_amid, &when);
}

/* A rank ends at some time in one kind of operation; see ualarm(3). */
static void end_amid(struct rank *rank)
{
	const unsigned int *operation = rank->world->arg;

	if (rank->number == 1)
		ualarm(2000 + *operation % 7 * 1300, 0);
	for (unsigned int i = 0; !rank->world->failures; i++) {
		struct job job = {
			.operation = *operation,
			.type = i % 3 ? HCCL_DATA_TYPE_INT32 :
					HCCL_DATA_TYPE_FP16,
			.count = i % 2 ? 5000 : 40,
			.seed = i,
			.comm = rank->comm,
			.stream = rank->stream,
		};
		struct world quiet = { .ranks = rank->world->ranks };
		struct rank as = { .world = &quiet, .number = rank->number };

		if (!job_begin(&as, &job) || !job_end(&as, &job))
			break;
	}
	NEED_IS(HCCL_E_REMOTE, HcclBarrier(rank->comm, rank->stream));
}

TEST(a_rank_ends_in_each_operation)
{
	for (unsigned int i = 0; i < NR_OPERATIONS / 2; i++)
		RUN_RANKS(3, true, end_amid, &i);
}

TEST(a_rank_ends_in_each_other_operation)
{
	for (unsigned int i = NR_OPERATIONS / 2; i < NR_OPERATIONS; i++)
		RUN_RANKS(3, true, end_amid, &i);
}

TEST(a_rank_ends_in_the_steps_of_an_algorithm)
{
	static const char *const names[] = { "ring", "H-D_R", "NHR", "NB" };
	const unsigned int operation = ALL_REDUCE;

	for (unsigned int i = 0; i < 4; i++) {
		char text[32];

		snprintf(text, sizeof(text), "level1:%s", names[i]);
		setenv("HCCL_ALGO", text, 1);
		RUN_RANKS(3, true, end_amid, &operation);
	}
}

/* A rank ends while a communicator is being made, of processes that know it. */
static void end_in_creation(struct rank *rank)
{
	const unsigned int *delay = rank->world->arg;
	uint32_t ids[] = { 0, 1, 2 };
	HcclCommConfig config;
	HcclComm comm = NULL;
	int ret;

	HcclCommConfigInit(&config);
	if (rank->number == 2)
		ualarm(*delay, 0);
	ret = HcclCreateSubCommConfig(&rank->comm, 3, ids, 1, rank->number,
				      &config, &comm);
	if (!ret) {
		if (rank->number == 2)
			pause();
		ret = HcclBarrier(comm, rank->stream);
		if (!ret && aclrtSynchronizeStream(rank->stream))
			ret = HCCL_E_REMOTE;
		NEED_OK(HcclCommDestroy(comm));
	}
	NEED(ret == HCCL_E_REMOTE, "result %d after %u us", ret, *delay);
}

TEST(a_rank_ends_while_a_communicator_is_made)
{
	for (unsigned int delay = 100; delay < 100000; delay *= 4)
		RUN_RANKS(3, true, end_in_creation, &delay);
}

/* Rank 0 waits for ranks that have destroyed their communicator. */
static void left(struct rank *rank)
{
	void *p = device_buffer(4096);

	if (rank->number)
		return;
	NEED_OK(HcclSend(p, 1, HCCL_DATA_TYPE_INT8, 1, rank->comm,
			 rank->stream));
	expect_failure(rank, HCCL_E_REMOTE, HCCL_E_REMOTE);
}

TEST(a_rank_has_left)
{
	RUN_RANKS(2, false, left, NULL);
	RUN_RANKS(2, true, left, NULL);
}

/* Ranks that call different things. */
static void mismatch(struct rank *rank)
{
	const int *kind = rank->world->arg;
	HcclDataType type = HCCL_DATA_TYPE_FP32;
	void *p = device_buffer(4096), *q = device_buffer(4096);
	HcclComm comm = rank->comm;
	aclrtStream s = rank->stream;
	bool is_other = rank->number == 1;

	switch (*kind) {
	case 0:
		NEED_OK(is_other ? HcclBarrier(comm, s) :
			HcclBroadcast(p, 1, type, 0, comm, s));
		break;
	case 1:
		NEED_OK(HcclBroadcast(p, 1 + is_other, type, 0, comm, s));
		break;
	case 2:
		NEED_OK(HcclBroadcast(p, 1, type, is_other, comm, s));
		break;
	case 3:
		NEED_OK(HcclAllReduce(p, p, 1, type, is_other, comm, s));
		break;
	case 4:
		NEED_OK(HcclAllGather(p, q, 1, is_other ? HCCL_DATA_TYPE_INT32 :
				      type, comm, s));
		break;
	default:
		NEED_OK(is_other ? HcclSend(p, 1, type, 0, comm, s) :
			HcclRecv(p, 2, type, 1, comm, s));
		break;
	}
	expect_failure(rank, HCCL_E_PARA, HCCL_E_REMOTE);
}

TEST(calls_differ)
{
	for (int kind = 0; kind < 6; kind++)
		RUN_RANKS(2, kind % 2, mismatch, &kind);
}

/* Two ranks wait for each other in different calls; each gives up in time. */
static void wait_crosswise(struct rank *rank)
{
	void *p = device_buffer(4096);

	NEED_OK(rank->number ?
		HcclBroadcast(p, 1, HCCL_DATA_TYPE_INT8, 0, rank->comm,
			      rank->stream) :
		HcclRecv(p, 1, HCCL_DATA_TYPE_INT8, 1, rank->comm,
			 rank->stream));
	expect_failure(rank, HCCL_E_TIMEOUT, HCCL_E_REMOTE);
}

/* Run processes, and get what they have written to their standard output. */
#define RUN_WITH_LOG(count, fn, log, size)				\
	do {								\
		char path_[] = "/tmp/hccl-log-XXXXXX";			\
		int file_ = mkstemp(path_), out_ = dup(1);		\
		ssize_t got_;						\
									\
		ASSERT_LE(0, file_);					\
		unlink(path_);						\
		setenv("ASCEND_SLOG_PRINT_TO_STDOUT", "1", 1);		\
		fflush(stdout);						\
		dup2(file_, 1);						\
		RUN_RANKS(count, true, fn, NULL);			\
		fflush(stdout);						\
		dup2(out_, 1);						\
		got_ = pread(file_, log, (size) - 1, 0);		\
		(log)[got_ > 0 ? got_ : 0] = 0;				\
		close(file_);						\
		close(out_);						\
	} while (0)

TEST(the_log_says_which_rank_waits_for_which)
{
	char log[16384];

	setenv("HCCL_EXEC_TIMEOUT", "2", 1);
	RUN_WITH_LOG(2, wait_crosswise, log, sizeof(log));
	EXPECT_TRUE(strstr(log, "HcclRecv number 0 waits for rank 1") ||
		    strstr(log, "HcclBroadcast number 0 waits for rank 0"))
		TH_LOG("%s", log);
	EXPECT_TRUE(strstr(log,
			   ", which waits in HcclBroadcast number 0 for rank 0") ||
		    strstr(log,
			   ", which waits in HcclRecv number 0 for rank 1"))
		TH_LOG("%s", log);
}

/* Rank 1 does not call: the others give up. */
static void not_called(struct rank *rank)
{
	void *p = device_buffer(4096);

	if (rank->number == 1) {
		HcclResult error = HCCL_SUCCESS;

		while (!error && !rank->world->failures)
			NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
		NEED(error == HCCL_E_REMOTE, "async error %d", error);
		return;
	}
	NEED_OK(HcclBroadcast(p, 1, HCCL_DATA_TYPE_INT8, 0, rank->comm,
			      rank->stream));
	expect_failure(rank, HCCL_E_TIMEOUT, HCCL_E_REMOTE);
}

TEST(a_call_that_never_comes)
{
	setenv("HCCL_EXEC_TIMEOUT", "1", 1);
	RUN_RANKS(2, false, not_called, NULL);
}

TEST(a_rank_that_never_comes)
{
	HcclRootInfo info;
	HcclComm comm;

	setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
	OK(aclrtSetDevice(0));
	ASSERT_EQ(HCCL_SUCCESS, HcclGetRootInfo(&info));
	EXPECT_EQ(HCCL_E_TIMEOUT, HcclCommInitRootInfo(2, &info, 0, &comm));
}

/* A rank ends while it waits for the others. */
TEST(a_rank_ends_while_ranks_meet)
{
	HcclRootInfo info;
	HcclComm comm;
	pid_t child;

	ASSERT_EQ(HCCL_SUCCESS, HcclGetRootInfo(&info));
	child = fork();
	if (!child) {
		aclrtSetDevice(1);
		alarm(2);
		HcclCommInitRootInfo(3, &info, 1, &comm);
		_exit(1);
	}
	OK(aclrtSetDevice(0));
	EXPECT_EQ(HCCL_E_REMOTE, HcclCommInitRootInfo(3, &info, 0, &comm));
	waitpid(child, NULL, 0);
}

/* Two ranks with one device, and two with one number. */
static void *second_rank(void *arg)
{
	HcclRootInfo *info = arg;
	HcclComm comm;

	aclrtSetDevice(0);
	return (void *)(intptr_t)HcclCommInitRootInfo(2, info, 1, &comm);
}

TEST(ranks_of_one_device)
{
	HcclRootInfo info;
	pthread_t thread;
	HcclComm comm;
	void *result;
	int ret;

	setenv("HCCL_CONNECT_TIMEOUT", "2", 1);
	OK(aclrtSetDevice(0));
	ASSERT_EQ(HCCL_SUCCESS, HcclGetRootInfo(&info));
	ASSERT_EQ(0, pthread_create(&thread, NULL, second_rank, &info));
	ret = HcclCommInitRootInfo(2, &info, 0, &comm);
	pthread_join(thread, &result);
	/* One of them is refused; the other waits in vain. */
	EXPECT_EQ(HCCL_E_PARA + HCCL_E_TIMEOUT, ret + (int)(intptr_t)result);
}

/* Buffers that are freed and allocated again, some smaller than a page. */
static void moving_buffers(struct rank *rank)
{
	for (unsigned int i = 0; i < 40; i++) {
		struct job job = {
			.operation = i % 2 ? ALL_REDUCE : ALL_TO_ALL,
			.type = HCCL_DATA_TYPE_INT16,
			.op = HCCL_REDUCE_SUM,
			.count = i % 3 ? 10 + i * 40 : 3000,
			.seed = i,
			.comm = rank->comm,
			.stream = rank->stream,
		};

		if (!job_begin(rank, &job) || !job_end(rank, &job))
			return;
	}
}

TEST(buffers_are_freed_and_allocated_again)
{
	RUN_RANKS(2, true, moving_buffers, NULL);
}

/* All memory of the device is free once the ranks have ended. */
TEST(memory_is_free_after_a_death)
{
	const unsigned int when = 5;

	RUN_RANKS(3, true, killed_amid, &when);
	OK(aclrtSetDevice(0));
	EXPECT_LT(total_bytes() - MIB, free_bytes());
}

TEST_HARNESS_MAIN
