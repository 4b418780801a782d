// SPDX-License-Identifier: GPL-2.0-only
/*
 * The remains of communicators: their memory beside that of the program, after
 * captured models, after a thread that ends within a group, and in a child that is
 * forked while ranks meet.
 */
#include "operations.h"

#include <dirent.h>

#include "vnpu/pool.h"

#define BLOCKS	32
#define SMALL	8	/* bytes, which other processes cannot read in place */

/* Partial results of three ranks are not in the pool of aclrtMalloc(). */
static void use_own_pool(struct rank *rank)
{
	struct vnpu_pool_stats before = { .size = sizeof(before) }, after;
	const size_t count = 100000;
	struct vnpu_pool_config config;
	char *p = device_buffer(2 * count);
	aclrtStream s = rank->stream;
	vnpu_pool_t pool;

	after = before;
	vnpu_pool_config_init(&config);
	NEED_OK(vnpu_pool_create(&pool, &config));
	NEED_OK(vnpu_pool_set_default(pool));
	NEED_OK(vnpu_pool_get_stats(pool, &before));
	NEED_OK(HcclAllReduce(p, p, count, HCCL_DATA_TYPE_FP16, HCCL_REDUCE_SUM,
			      rank->comm, s));
	NEED_OK(aclrtSynchronizeStream(s));
	NEED_OK(vnpu_pool_get_stats(pool, &after));
	NEED(before.allocs == after.allocs, "%llu allocations in the pool",
	     (unsigned long long)(after.allocs - before.allocs));
	NEED_OK(vnpu_pool_set_default(NULL));
	NEED_OK(vnpu_pool_destroy(pool));
	NEED_OK(aclrtFree(p));
}

TEST(buffers_are_of_another_pool_than_the_programs)
{
	RUN_RANKS(3, true, use_own_pool, NULL);
}

/*
 * A model runs once more when its communicator is gone, and the program has
 * allocated more memory than that had: it fails, and changes nothing of it.
 */
static void run_after_the_end(struct rank *rank)
{
	const size_t unit = 256 << 10;
	char *blocks[BLOCKS], *host = malloc(unit), *want = malloc(unit);
	char *p = device_buffer(SMALL), *q = device_buffer(SMALL);
	aclrtStream s = rank->stream;
	unsigned int count = 0;
	aclmdlRI model;

	NEED_OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	NEED_OK(HcclAllReduce(p, q, SMALL, HCCL_DATA_TYPE_INT8, HCCL_REDUCE_SUM,
			      rank->comm, s));
	NEED_OK(aclmdlRICaptureEnd(s, &model));
	NEED_OK(aclmdlRIExecuteAsync(model, s));
	NEED_OK(aclrtSynchronizeStream(s));
	rank->world->step++;
	wait_step(rank, rank->world->ranks);
	NEED_OK(HcclCommDestroy(rank->comm));
	rank->comm = NULL;
	memset(want, 0x5a, unit);
	while (count < BLOCKS && (blocks[count] = device_buffer(unit)))
		NEED_OK(aclrtMemset(blocks[count++], unit, 0x5a, unit));
	NEED(aclmdlRIExecuteAsync(model, s) || aclrtSynchronizeStream(s),
	     "the run did not fail");
	for (unsigned int i = 0; i < count; i++) {
		NEED_OK(aclrtMemcpy(host, unit, blocks[i], unit,
				    ACL_MEMCPY_DEVICE_TO_HOST));
		NEED(!memcmp(host, want, unit), "block %u has changed", i);
		NEED_OK(aclrtFree(blocks[i]));
	}
	NEED_OK(aclmdlRIDestroy(model));
	free(host);
	free(want);
}

TEST(a_model_runs_after_its_communicator)
{
	RUN_RANKS(2, false, run_after_the_end, NULL);
	RUN_RANKS(2, true, run_after_the_end, NULL);
}

/* One thread captures a barrier of both ranks, and destroys what it has made. */
static void capture_and_destroy(struct __test_metadata *_metadata,
				bool model_first)
{
	int32_t devices[] = { 0, 1 };
	aclrtStream streams[2];
	aclmdlRI models[2];
	HcclComm comms[2];

	ASSERT_EQ(HCCL_SUCCESS, HcclCommInitAll(2, devices, comms));
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupStart());
	for (int32_t i = 0; i < 2; i++) {
		OK(aclrtSetDevice(i));
		OK(aclrtCreateStream(&streams[i]));
		OK(aclmdlRICaptureBegin(streams[i],
					ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
		ASSERT_EQ(HCCL_SUCCESS, HcclBarrier(comms[i], streams[i]));
	}
	ASSERT_EQ(HCCL_SUCCESS, HcclGroupEnd());
	for (int32_t i = 0; i < 2; i++) {
		OK(aclrtSetDevice(i));
		OK(aclmdlRICaptureEnd(streams[i], &models[i]));
		if (model_first)
			OK(aclmdlRIDestroy(models[i]));
	}
	for (int32_t i = 0; i < 2; i++) {
		OK(aclrtSetDevice(i));
		ASSERT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[i]));
		if (!model_first)
			OK(aclmdlRIDestroy(models[i]));
		OK(aclrtDestroyStream(streams[i]));
	}
}

/* The memory of models that were destroyed last is free with the next communicator. */
TEST(models_that_end_last_leave_nothing)
{
	size_t free_before;

	OK(aclrtSetDevice(0));
	capture_and_destroy(_metadata, true);
	OK(aclrtSetDevice(0));
	free_before = free_bytes();
	for (int i = 0; i < 5; i++)
		capture_and_destroy(_metadata, false);
	capture_and_destroy(_metadata, true);
	OK(aclrtSetDevice(0));
	EXPECT_EQ(free_before, free_bytes());
}

/* A device is reset before the communicator, and its models, are destroyed. */
TEST(a_device_is_reset_before_the_end)
{
	int32_t devices[] = { 0, 1 };
	char *p, byte = 0;
	HcclComm comms[2];

	ASSERT_EQ(HCCL_SUCCESS, HcclCommInitAll(2, devices, comms));
	for (int32_t i = 0; i < 2; i++)
		OK(aclrtResetDeviceForce(i));
	OK(aclrtSetDevice(0));
	p = device_buffer(1 << 20);
	OK(aclrtMemset(p, 1 << 20, 3, 1 << 20));
	EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[0]));
	EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[1]));
	OK(aclrtSetDevice(0));
	OK(aclrtMemcpy(&byte, 1, p, 1, ACL_MEMCPY_DEVICE_TO_HOST));
	EXPECT_EQ(3, byte);
	OK(aclrtFree(p));
	ASSERT_EQ(HCCL_SUCCESS, HcclCommInitAll(2, devices, comms));
	EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[0]));
	EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[1]));
}

/* Threads that end within a group, with each kind of calls. */
struct group {
	HcclComm comm;
	aclrtStream stream;
	void *buffer;
	unsigned int kind;
};

static void *leave_group(void *arg)
{
	const struct group *group = arg;
	uint32_t ids[] = { 0, 1 };
	HcclComm comm = group->comm, sub;
	HcclCommConfig config;
	HcclResult ret;

	HcclCommConfigInit(&config);
	aclrtSetDevice(0);
	HcclGroupStart();
	switch (group->kind) {
	case 0:
		ret = HcclCreateSubCommConfig(&comm, 2, ids, 1, 0, &config,
					      &sub);
		break;
	case 1:
		ret = HcclSend(group->buffer, 1, HCCL_DATA_TYPE_INT8, 1, comm,
			       group->stream);
		break;
	default:
		ret = HcclBarrier(comm, group->stream);
		break;
	}
	return (void *)(intptr_t)ret;
}

TEST(a_thread_ends_within_a_group)
{
	int32_t devices[] = { 0, 1 };
	size_t free_before = 0;

	/* The remains of a capture depend on the other rank, so it is last. */
	for (unsigned int kind = 0; kind < 3; kind++)
		for (int i = 0; i < 2; i++) {
			struct group group = { .kind = kind };
			aclmdlRI model = NULL;
			HcclComm comms[2];

			ASSERT_EQ(HCCL_SUCCESS,
				  HcclCommInitAll(2, devices, comms));
			OK(aclrtSetDevice(0));
			OK(aclrtCreateStream(&group.stream));
			group.comm = comms[0];
			group.buffer = device_buffer(1);
			if (kind == 2)
				OK(aclmdlRICaptureBegin(group.stream,
					ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
			EXPECT_EQ(NULL, in_thread(leave_group, &group));
			/* The call that waits fails without the other rank. */
			EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[1]));
			EXPECT_EQ(HCCL_SUCCESS, HcclCommDestroy(comms[0]));
			if (kind == 2)
				aclmdlRICaptureEnd(group.stream, &model);
			if (model)
				OK(aclmdlRIDestroy(model));
			OK(aclrtFree(group.buffer));
			OK(aclrtDestroyStream(group.stream));
			if (i)
				EXPECT_EQ(free_before, free_bytes())
					TH_LOG("kind %u", kind);
			free_before = free_bytes();
		}
}

/* Open files with such a name. */
static unsigned int files_like(const char *name)
{
	const struct dirent *entry;
	unsigned int count = 0;
	DIR *dir = opendir("/proc/self/fd");

	while (dir && (entry = readdir(dir))) {
		char target[64] = "";

		if (readlinkat(dirfd(dir), entry->d_name, target,
			       sizeof(target) - 1) > 0)
			count += !strncmp(target, name, strlen(name));
	}
	if (dir)
		closedir(dir);
	return count;
}

struct meeting {
	HcclRootInfo info;
	_Atomic pid_t child;
};

/* Fork once this process waits for the other ranks, and be killed. */
static void *fork_and_die(void *arg)
{
	struct meeting *meeting = arg;
	unsigned int pipes = files_like("pipe:") + 1;
	pid_t child;

	meeting->child = -1;
	/* It has sent its reading end away, and keeps the other one. */
	while (!files_like("socket:") || files_like("pipe:") != pipes)
		usleep(1000);
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	meeting->child = child;
	raise(SIGKILL);
	return NULL;
}

static void be_a_rank_that_forks(struct meeting *meeting)
{
	pthread_t thread;
	HcclComm comm;

	for (int file = 3; file < 100; file++)
		close(file);
	aclrtSetDevice(1);
	if (pthread_create(&thread, NULL, fork_and_die, meeting))
		_exit(1);
	while (!meeting->child)
		usleep(1000);
	HcclCommInitRootInfo(3, &meeting->info, 1, &comm);
	pause();
}

/* Its child does not hide its end from the other ranks. */
TEST(a_rank_forks_and_ends_while_ranks_meet)
{
	struct meeting *meeting = mmap(NULL, sizeof(*meeting),
				       PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	HcclComm comm;
	pid_t rank;

	ASSERT_NE(MAP_FAILED, meeting);
	ASSERT_EQ(HCCL_SUCCESS, HcclGetRootInfo(&meeting->info));
	rank = fork();
	if (!rank)
		be_a_rank_that_forks(meeting);
	OK(aclrtSetDevice(0));
	EXPECT_EQ(HCCL_E_REMOTE,
		  HcclCommInitRootInfo(3, &meeting->info, 0, &comm));
	waitpid(rank, NULL, 0);
	if (meeting->child > 0)
		kill(meeting->child, SIGKILL);
	munmap(meeting, sizeof(*meeting));
}

TEST_HARNESS_MAIN
