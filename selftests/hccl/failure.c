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

static void *device_buffer(size_t size)
{
	void *p = NULL;

	return aclrtMalloc(&p, size, ACL_MEM_MALLOC_NORMAL_ONLY) ? NULL : p;
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
