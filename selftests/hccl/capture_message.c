// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that are captured: models of all ranks run in step, with messages of
 * several streams, beside collectives, and until a rank ends.
 */
#include "operations.h"

#define RUNS		20
#define SEVERAL		5	/* more messages than there are notifies */

static void capture_begin(struct rank *rank)
{
	NEED_OK(aclmdlRICaptureBegin(rank->stream,
				     ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
}

static char value_of(unsigned int run, unsigned int rank)
{
	return (char)((3 * run + rank) & 127);
}

/* Each rank passes its bytes to the next one, several times in a batch. */
static void pass_around(struct rank *rank)
{
	const size_t size = *(const size_t *)rank->world->arg;
	unsigned int ranks = rank->world->ranks, number = rank->number;
	unsigned int next = (number + 1) % ranks;
	unsigned int before = (number + ranks - 1) % ranks;
	char *in = device_buffer(size), *out = device_buffer(SEVERAL * size);
	char *log = device_buffer(RUNS * SEVERAL * size);
	char *host = malloc(RUNS * SEVERAL * size);
	HcclSendRecvItem items[2 * SEVERAL];
	aclmdlRI model;

	for (unsigned int i = 0; i < SEVERAL; i++) {
		items[2 * i] = (HcclSendRecvItem){
			HCCL_SEND, in, size, HCCL_DATA_TYPE_INT8, next,
		};
		items[2 * i + 1] = (HcclSendRecvItem){
			HCCL_RECV, out + i * size, size, HCCL_DATA_TYPE_INT8,
			before,
		};
	}
	capture_begin(rank);
	NEED_OK(HcclBatchSendRecv(items, 2 * SEVERAL, rank->comm,
				  rank->stream));
	NEED_OK(aclmdlRICaptureEnd(rank->stream, &model));
	for (unsigned int i = 0; i < RUNS; i++) {
		NEED_OK(aclrtMemsetAsync(in, size, value_of(i, number), size,
					 rank->stream));
		NEED_OK(aclmdlRIExecuteAsync(model, rank->stream));
		NEED_OK(aclrtMemcpyAsync(log + i * SEVERAL * size,
					 SEVERAL * size, out, SEVERAL * size,
					 ACL_MEMCPY_DEVICE_TO_DEVICE,
					 rank->stream));
	}
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(host, RUNS * SEVERAL * size, log,
			    RUNS * SEVERAL * size, ACL_MEMCPY_DEVICE_TO_HOST));
	for (unsigned int run = 0; run < RUNS; run++) {
		const char *at = host + run * SEVERAL * size;

		NEED(*at == value_of(run, before) &&
		     !memcmp(at, at + 1, SEVERAL * size - 1),
		     "run %u received %d first", run, *at);
	}
	NEED_OK(aclmdlRIDestroy(model));
	NEED_OK(aclrtFree(in));
	NEED_OK(aclrtFree(out));
	NEED_OK(aclrtFree(log));
	free(host);
}

TEST(threads_pass_bytes_around)
{
	const size_t size = 5000;

	RUN_RANKS(3, false, pass_around, &size);
}

TEST(processes_pass_bytes_around)
{
	const size_t size = 5000;

	RUN_RANKS(3, true, pass_around, &size);
}

/* Of less than a page, which other processes cannot read. */
TEST(processes_pass_few_bytes_around)
{
	const size_t size = 16;

	RUN_RANKS(3, true, pass_around, &size);
}

/*
 * Messages to and fro between two of three ranks, one call after the other; then a
 * model with a collective of all, and one with messages of other ranks.
 */
static void to_and_fro(struct rank *rank)
{
	int32_t values[2] = { (int32_t)rank->number + 1, 0 };
	int32_t *p = device_buffer(8);
	const HcclDataType type = HCCL_DATA_TYPE_INT32;
	unsigned int peer = !rank->number;
	aclrtStream s = rank->stream;
	aclmdlRI models[2];

	NEED_OK(put_elements(p, values, 8));
	if (rank->number < 2) {
		capture_begin(rank);
		for (unsigned int i = 0; i < SEVERAL; i++) {
			if ((rank->number + i) % 2)
				NEED_OK(HcclRecv(p + 1, 1, type, peer,
						 rank->comm, s));
			else
				NEED_OK(HcclSend(p, 1, type, peer, rank->comm,
						 s));
		}
		NEED_OK(aclmdlRICaptureEnd(s, &models[0]));
	}
	capture_begin(rank);
	NEED_OK(HcclAllReduce(p, p, 1, type, HCCL_REDUCE_SUM, rank->comm, s));
	if (rank->number)
		NEED_OK(rank->number == 1 ?
			HcclSend(p + 1, 1, type, 2, rank->comm, s) :
			HcclRecv(p + 1, 1, type, 1, rank->comm, s));
	NEED_OK(aclmdlRICaptureEnd(s, &models[1]));
	if (rank->number < 2)
		NEED_OK(aclmdlRIExecuteAsync(models[0], s));
	NEED_OK(aclmdlRIExecuteAsync(models[1], s));
	NEED_OK(aclrtSynchronizeStream(s));
	NEED_OK(aclrtMemcpy(values, 8, p, 8, ACL_MEMCPY_DEVICE_TO_HOST));
	NEED(values[0] == 6, "the sum is %d", values[0]);
	NEED(values[1] == (rank->number ? 1 : 2), "received %d", values[1]);
	if (rank->number < 2)
		NEED_OK(aclmdlRIDestroy(models[0]));
	NEED_OK(aclmdlRIDestroy(models[1]));
	NEED_OK(aclrtFree(p));
}

TEST(threads_send_to_and_fro)
{
	RUN_RANKS(3, false, to_and_fro, NULL);
}

TEST(processes_send_to_and_fro)
{
	RUN_RANKS(3, true, to_and_fro, NULL);
}

/*
 * Two streams of a model: the one sends, the other receives.  Only a group makes
 * both calls before it waits for the other rank.
 */
static void two_streams(struct rank *rank)
{
	int32_t values[2] = { (int32_t)rank->number + 7, 0 };
	int32_t *p = device_buffer(8);
	aclrtEvent fork, join;
	aclrtStream other;
	aclmdlRI model;

	NEED_OK(put_elements(p, values, 8));
	NEED_OK(aclrtCreateStream(&other));
	NEED_OK(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC));
	NEED_OK(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC));
	capture_begin(rank);
	NEED_OK(aclrtRecordEvent(fork, rank->stream));
	NEED_OK(aclrtStreamWaitEvent(other, fork));
	NEED_OK(HcclGroupStart());
	NEED_OK(HcclSend(p, 1, HCCL_DATA_TYPE_INT32, !rank->number, rank->comm,
			 rank->stream));
	NEED_OK(HcclRecv(p + 1, 1, HCCL_DATA_TYPE_INT32, !rank->number,
			 rank->comm, other));
	NEED_OK(HcclGroupEnd());
	NEED_OK(aclrtRecordEvent(join, other));
	NEED_OK(aclrtStreamWaitEvent(rank->stream, join));
	NEED_OK(aclmdlRICaptureEnd(rank->stream, &model));
	for (int i = 0; i < 5; i++)
		NEED_OK(aclmdlRIExecuteAsync(model, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(values, 8, p, 8, ACL_MEMCPY_DEVICE_TO_HOST));
	NEED(values[1] == 8 - (int32_t)rank->number, "received %d", values[1]);
	NEED_OK(aclmdlRIDestroy(model));
	NEED_OK(aclrtDestroyEvent(fork));
	NEED_OK(aclrtDestroyEvent(join));
	NEED_OK(aclrtDestroyStream(other));
	NEED_OK(aclrtFree(p));
}

TEST(messages_of_two_streams)
{
	RUN_RANKS(2, false, two_streams, NULL);
	RUN_RANKS(2, true, two_streams, NULL);
}

/* More models, one after the other, than notifies or entries would do for. */
static void many_models(struct rank *rank)
{
	int32_t *p = device_buffer(4), value;

	for (int32_t i = 0; i < 10; i++) {
		aclmdlRI model;

		value = i;
		NEED_OK(put_elements(p, &value, 4));
		capture_begin(rank);
		/* Every second model has one direction only. */
		if ((rank->number + (unsigned int)i % 2) % 2)
			NEED_OK(HcclRecv(p, 1, HCCL_DATA_TYPE_INT32,
					 !rank->number, rank->comm,
					 rank->stream));
		else
			NEED_OK(HcclSend(p, 1, HCCL_DATA_TYPE_INT32,
					 !rank->number, rank->comm,
					 rank->stream));
		NEED_OK(aclmdlRICaptureEnd(rank->stream, &model));
		NEED_OK(aclmdlRIExecuteAsync(model, rank->stream));
		NEED_OK(aclrtSynchronizeStream(rank->stream));
		NEED_OK(aclrtMemcpy(&value, 4, p, 4,
				    ACL_MEMCPY_DEVICE_TO_HOST));
		NEED(value == i, "model %d: %d", i, value);
		NEED_OK(aclmdlRIDestroy(model));
	}
	NEED_OK(aclrtFree(p));
}

TEST(many_models_with_messages)
{
	RUN_RANKS(2, false, many_models, NULL);
	RUN_RANKS(2, true, many_models, NULL);
}

/*
 * The receiver finds that the sender sends something else.  The failure also ends a
 * call that waits for the other rank.
 */
static void messages_differ(struct rank *rank)
{
	char *p = device_buffer(64);
	aclrtStream other;
	HcclResult ret;
	aclmdlRI model;

	NEED_OK(aclrtCreateStream(&other));
	if (rank->number)
		NEED_OK(HcclAllReduce(p, p + 32, 8, HCCL_DATA_TYPE_INT8,
				      HCCL_REDUCE_SUM, rank->comm, other));
	capture_begin(rank);
	if (rank->number) {
		NEED_IS(HCCL_E_PARA,
			HcclRecv(p, 8, HCCL_DATA_TYPE_INT8, 0, rank->comm,
				 rank->stream));
		rank->world->step = 1;
	} else {
		/* It may have submitted its part before. */
		ret = HcclSend(p, 9, HCCL_DATA_TYPE_INT8, 1, rank->comm,
			       rank->stream);
		NEED(!ret || ret == HCCL_E_REMOTE, "result %d: %s", ret,
		     aclGetRecentErrMsg());
		/* Its end would be the reason for which the other rank fails. */
		wait_step(rank, 1);
	}
	aclmdlRICaptureEnd(rank->stream, &model);
	NEED(!rank->number == !aclrtSynchronizeStream(other), "rank %u",
	     rank->number);
	NEED_OK(aclrtDestroyStreamForce(other));
	NEED_OK(aclrtFree(p));
}

TEST(captured_messages_differ)
{
	RUN_RANKS(2, false, messages_differ, NULL);
}

/* One rank never makes its call. */
static void one_is_missing(struct rank *rank)
{
	char *p = device_buffer(64);
	aclmdlRI model;

	if (rank->number) {
		wait_step(rank, 1);
		return;
	}
	capture_begin(rank);
	NEED_IS(HCCL_E_TIMEOUT,
		HcclRecv(p, 8, HCCL_DATA_TYPE_INT8, 1, rank->comm,
			 rank->stream));
	rank->world->step = 1;
	aclmdlRICaptureEnd(rank->stream, &model);
	NEED_OK(aclrtFree(p));
}

TEST(a_captured_message_is_not_sent)
{
	/* Ranks of a busy machine meet in this time. */
	setenv("HCCL_CONNECT_TIMEOUT", "20", 1);
	RUN_RANKS(2, false, one_is_missing, NULL);
}

/* A rank is killed while the other waits for its call, or amid its runs. */
static void killed(struct rank *rank)
{
	const bool *amid = rank->world->arg;
	char *p = device_buffer(5000);
	aclrtStream s = rank->stream;
	HcclResult error = HCCL_SUCCESS;
	aclmdlRI model;
	aclError ret;

	if (rank->number && !*amid)
		raise(SIGKILL);
	capture_begin(rank);
	NEED_IS(*amid ? HCCL_SUCCESS : HCCL_E_REMOTE,
		rank->number ? HcclSend(p, 5000, HCCL_DATA_TYPE_INT8, 0,
					rank->comm, s) :
			       HcclRecv(p, 5000, HCCL_DATA_TYPE_INT8, 1,
					rank->comm, s));
	aclmdlRICaptureEnd(s, &model);
	if (!*amid)
		return;
	rank->world->step++;
	wait_step(rank, 2);
	for (unsigned int i = 0; i < RUNS; i++) {
		if (rank->number && i == RUNS / 2)
			raise(SIGKILL);
		ret = aclmdlRIExecuteAsync(model, s);
		if (ret == ACL_ERROR_RT_MODEL_EXECUTE)
			break;
		NEED_OK(ret);
	}
	NEED(aclrtSynchronizeStream(s), "the stream did not fail");
	NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
	NEED(error == HCCL_E_REMOTE, "async error %d", error);
}

TEST(a_rank_with_captured_messages_is_killed)
{
	const bool ways[] = { false, true };

	for (unsigned int i = 0; i < 2; i++)
		RUN_RANKS(2, true, killed, &ways[i]);
}

TEST_HARNESS_MAIN
