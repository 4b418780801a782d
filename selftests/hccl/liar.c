// SPDX-License-Identifier: GPL-2.0-only
/*
 * A rank that writes what it likes to the memory that all ranks share.  Calls of the
 * other ranks may fail, but read no other memory, and do not hang.
 */
#include "operations.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "../../lib/hccl/kind.h"
#include "../../lib/hccl/region.c"

#define LIAR	1

/* Find the shared memory of the communicator, and map it once more. */
static bool map_region(const struct rank *rank, struct hccl_region *region)
{
	for (int file = 3; file < 256; file++) {
		char path[32], name[64];
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
		length = readlink(path, name, sizeof(name) - 1);
		if (length <= 0)
			continue;
		name[length] = 0;
		if (strstr(name, HCCL_VIEW_FILE))
			return !hccl_region_map(region, file,
						rank->world->ranks);
	}
	return false;
}

/* An AllReduce of one number, which has to give @sum. */
static void reduce_number(struct rank *rank, int32_t *p, int32_t value,
			  int32_t sum)
{
	NEED_OK(put_elements(p, &value, sizeof(value)));
	NEED_OK(HcclAllReduce(p, p, 1, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM,
			      rank->comm, rank->stream));
	NEED_OK(aclrtSynchronizeStream(rank->stream));
	NEED_OK(aclrtMemcpy(&value, sizeof(value), p, sizeof(value),
			    ACL_MEMCPY_DEVICE_TO_HOST));
	NEED(value == sum, "the sum is %d, not %d", value, sum);
}

static _Atomic uint64_t *posted(const struct hccl_region *region,
				unsigned int rank)
{
	return &hccl_region_rank(region, rank)->posts[0].posted;
}

/* The liar replaces the address in a call of another rank, which knows better. */
static void change_call(struct rank *rank)
{
	int32_t *p = device_buffer(8192), secret = 1000;
	_Atomic uint64_t *address = (void *)(uintptr_t)rank->world->arg;
	struct hccl_region region;

	NEED(map_region(rank, &region), "no memory is shared");
	if (!rank->number) {
		NEED_OK(put_elements(p + 1024, &secret, sizeof(secret)));
		*address = (uintptr_t)(p + 1024);
	} else {
		while (!*address || *posted(&region, 0) < 1)
			usleep(1000);
		hccl_region_call(&region, 0, false, 0)->send.va = *address;
	}
	reduce_number(rank, p, 1 + (int32_t)rank->number, 3);
	hccl_region_unmap(&region);
	NEED_OK(aclrtFree(p));
}

TEST(a_call_of_another_rank_is_changed)
{
	_Atomic uint64_t *address = mmap(NULL, sizeof(*address),
					 PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)address);
	RUN_RANKS(2, true, change_call, address);
	munmap((void *)address, sizeof(*address));
}

/* The call of a liar; after an honest one it has the key of a real block. */
enum lie { LIE_OFFSET, LIE_NO_BUFFER, LIE_PART, LIE_HUGE_PART, LIES };

static void lie_in_call(const struct rank *rank, enum lie lie,
			const struct hccl_region *region)
{
	unsigned int ranks = rank->world->ranks;
	struct hccl_call *call = hccl_region_call(region, LIAR, false, 1);

	memcpy(call, hccl_region_call(region, LIAR, false, 0),
	       region->call_size);
	call->kind = lie < LIE_PART ? HCCL_BROADCAST : HCCL_ALLTOALLV;
	call->op = 0;
	call->root = lie < LIE_PART ? LIAR : 0;
	call->count = lie < LIE_PART ? 1 : 0;
	for (unsigned int r = 0; r < ranks; r++) {
		call->parts[r] = 1;
		call->parts[ranks + r] = lie == LIE_PART ? 4096 : 1ULL << 62;
	}
	if (lie == LIE_OFFSET)
		call->send.offset = 1ULL << 32;
	if (lie == LIE_NO_BUFFER)
		memset(&call->send, 0, sizeof(call->send));
	*posted(region, LIAR) = 2;
}

static void believe(struct rank *rank)
{
	const enum lie *lie = rank->world->arg;
	uint64_t ones[] = { 1, 1 }, offsets[] = { 0, 1 };
	HcclResult error = HCCL_SUCCESS;
	int32_t *p = device_buffer(8192);
	struct hccl_region region;

	reduce_number(rank, p, 1, 2);
	NEED(map_region(rank, &region), "no memory is shared");
	if (rank->number == LIAR) {
		lie_in_call(rank, *lie, &region);
		wait_step(rank, 1);
		return;
	}
	if (*lie < LIE_PART)
		NEED_OK(HcclBroadcast(p, 1, HCCL_DATA_TYPE_INT32, LIAR,
				      rank->comm, rank->stream));
	else
		NEED_OK(HcclAlltoAllV(p, ones, offsets, HCCL_DATA_TYPE_INT32,
				      p + 1024, ones, offsets,
				      HCCL_DATA_TYPE_INT32, rank->comm,
				      rank->stream));
	NEED(aclrtSynchronizeStream(rank->stream), "the stream did not fail");
	NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
	NEED(error == HCCL_E_REMOTE, "async error %d after lie %d", error,
	     *lie);
	rank->world->step = 1;
}

TEST(a_buffer_is_not_in_the_memory_that_is_shared)
{
	for (enum lie lie = 0; lie < LIES; lie++)
		RUN_RANKS(2, true, believe, &lie);
}

/* The copy of a small buffer that others read is in no chunk of a pool. */
static void import_stage(struct rank *rank)
{
	int32_t *p = device_buffer(sizeof(*p));
	struct hccl_region region;
	void *at, *base;
	size_t size;

	reduce_number(rank, p, 1, 2);
	NEED(map_region(rank, &region), "no memory is shared");
	if (rank->number == LIAR) {
		const char *key =
			hccl_region_call(&region, 0, false, 0)->send.key;

		NEED_OK(aclrtIpcMemImportByKey(&at, key, 0));
		NEED_OK(aclrtMemGetAddressRange(at, &base, &size));
		NEED(size <= 64 << 10, "%zu bytes are shared", size);
		NEED_OK(aclrtIpcMemClose(key));
	}
	rank->world->step++;
	wait_step(rank, 2);
	hccl_region_unmap(&region);
	NEED_OK(aclrtFree(p));
}

TEST(a_stage_is_shared_without_other_memory)
{
	RUN_RANKS(2, true, import_stage, NULL);
}

/* Calls of all kinds while the liar writes random bytes. */
static void scribble(struct rank *rank)
{
	struct hccl_region region;
	uint64_t end = 0;

	NEED(map_region(rank, &region), "no memory is shared");
	srand(27);
	for (unsigned int i = 0; i < 1000; i++) {
		struct job job = {
			.operation = i % NR_OPERATIONS,
			.type = HCCL_DATA_TYPE_INT32,
			.count = i % 2 ? 5000 : 40,
			.seed = i,
			.comm = rank->comm,
			.stream = rank->stream,
		};
		struct world quiet = { .ranks = rank->world->ranks };
		struct rank as = { .world = &quiet, .number = rank->number };

		if (rank->number == LIAR)
			for (int n = 0; n < 200 && i > 3; n++)
				region.base[(size_t)rand() % region.size] =
					(char)rand();
		if (!job_begin(&as, &job) || !job_end(&as, &job)) {
			end = i;
			break;
		}
	}
	NEED(end, "no call has failed");
	hccl_region_unmap(&region);
}

TEST(random_bytes_in_the_memory_that_is_shared)
{
	setenv("HCCL_EXEC_TIMEOUT", "1", 1);
	RUN_RANKS(3, true, scribble, NULL);
}

/* End the process, and the test, if the rank has not returned after a while. */
static struct rank *in_time;

static void is_late(int signal)
{
	(void)signal;
	rank_failed(in_time, __FILE__, __LINE__, "the calls did not return");
	kill(in_time->world->pids[LIAR], SIGKILL);
	_exit(1);
}

/* Fill each counter that is a file, and let the next write to it wait. */
static void fill_counters(void)
{
	const uint64_t full = UINT64_MAX - 1;

	for (int file = 3; file < 256; file++) {
		char path[32], name[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
		if (readlink(path, name, sizeof(name) - 1) <= 0 ||
		    !strstr(name, "[eventfd]"))
			continue;
		if (fcntl(file, F_SETFL, O_NONBLOCK) ||
		    (write(file, &full, sizeof(full)) < 0 && errno != EAGAIN) ||
		    fcntl(file, F_SETFL, 0))
			abort();
	}
}

/*
 * Stop the liar, and let others wake it in vain.  A child does this, which has no
 * worker that empties its counters; and no handler of fork(), which would close them.
 */
static void stop_liar(struct rank *rank, const struct hccl_region *region)
{
	if (syscall(SYS_fork)) {
		pause();
		_exit(0);
	}
	kill(getppid(), SIGSTOP);
	usleep(200000);
	hccl_region_rank(region, LIAR)->asleep = 1;
	fill_counters();
	rank->world->step = 1;
	_exit(0);
}

static void call_without_liar(struct rank *rank)
{
	HcclResult error = HCCL_SUCCESS;
	struct hccl_region region;

	NEED(map_region(rank, &region), "no memory is shared");
	if (rank->number == LIAR)
		stop_liar(rank, &region);
	in_time = rank;
	signal(SIGALRM, is_late);
	wait_step(rank, 1);
	alarm(20);
	NEED_OK(HcclBarrier(rank->comm, rank->stream));
	NEED(aclrtSynchronizeStream(rank->stream), "the stream did not fail");
	NEED_OK(HcclGetCommAsyncError(rank->comm, &error));
	NEED(error == HCCL_E_TIMEOUT, "async error %d", error);
	NEED_OK(HcclCommDestroy(rank->comm));
	rank->comm = NULL;
	kill(rank->world->pids[LIAR], SIGKILL);
}

TEST(a_rank_stops_and_lets_wakes_wait)
{
	setenv("HCCL_EXEC_TIMEOUT", "1", 1);
	RUN_RANKS(2, true, call_without_liar, NULL);
}

/* The ways in which the liar spoils the words that ranks sleep on. */
enum spoil { SPOIL_CLEAR, SPOIL_SET, SPOIL_SLEEP, SPOIL_MOVE, SPOIL_WAKE, SPOILS };

static void spoil(_Atomic uint32_t *word, enum spoil how)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	static uint32_t elsewhere;

	switch (how) {
	case SPOIL_CLEAR:
	case SPOIL_SET:
		*word = how == SPOIL_SET;
		break;
	case SPOIL_SLEEP:
		syscall(SYS_futex, word, FUTEX_WAIT, 1, &pause, NULL, 0);
		break;
	case SPOIL_MOVE:
		syscall(SYS_futex, word, FUTEX_REQUEUE, 0, INT_MAX, &elsewhere,
			0);
		break;
	default:
		syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
		break;
	}
}

struct spoiler {
	struct hccl_region region;
	_Atomic int how;	/* SPOILS at the end */
};

static void *spoil_words(void *arg)
{
	struct spoiler *spoiler = arg;

	while (spoiler->how < SPOILS) {
		for (unsigned int r = 0; r < spoiler->region.ranks; r++)
			spoil(&hccl_region_rank(&spoiler->region, r)->asleep,
			      spoiler->how);
		sched_yield();
	}
	return NULL;
}

/* Each call still returns in time, with the right result. */
static void spoil_and_reduce(struct rank *rank)
{
	int32_t *p = device_buffer(8192);
	struct spoiler spoiler = { .how = 0 };
	pthread_t thread;

	NEED(map_region(rank, &spoiler.region), "no memory is shared");
	NEED(rank->number != LIAR ||
	     !pthread_create(&thread, NULL, spoil_words, &spoiler),
	     "no thread");
	for (int i = 0; i < 5 * SPOILS; i++) {
		uint64_t before = now_ms(), took;

		spoiler.how = i / 5;
		reduce_number(rank, p, 1, 3);
		took = now_ms() - before;
		NEED(took < 5000, "call %d took %llu ms", i,
		     (unsigned long long)took);
	}
	spoiler.how = SPOILS;
	if (rank->number == LIAR)
		pthread_join(thread, NULL);
	hccl_region_unmap(&spoiler.region);
	NEED_OK(aclrtFree(p));
}

TEST(wakes_are_spoiled)
{
	RUN_RANKS(3, true, spoil_and_reduce, NULL);
}

TEST_HARNESS_MAIN
